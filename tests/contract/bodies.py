"""Exports and bodies of bulk updates from a seed: odd ones, but of known validity."""

import json

LEVELS = ("critical", "high", "medium", "low", "info")
MEMBERS = {
    "scan_id": "string", "file_path": "string", "line_number": "integer", "category": "string",
    "severity": "string", "confidence": "number", "title": "string", "description": "string",
    "column_start": "integer", "column_end": "integer", "explanation": "string",
    "code_snippet": "string", "context_before": "string", "context_after": "string",
    "remediation": "string", "remediation_code": "string", "cwe_ids": "strings",
    "owasp_category": "string", "cvss_score": "number", "tags": "strings", "model_used": "string",
    "false_positive": "boolean", "exploitable": "boolean", "created_at": "time",
    "updated_at": "time", "repo_name": "string", "scan_status": "string", "scan_created_at": "time",
}
# Blocks of Unicode that texts are drawn from; no surrogates, which JSON text cannot hold alone.
BLOCKS = ((0x20, 0x7e), (0x20, 0x7e), (0x00, 0x1f), (0x7f, 0x9f), (0xa0, 0x24f), (0x600, 0x6ff),
          (0x2028, 0x202e), (0x4e00, 0x4eff), (0xe000, 0xe0ff), (0x1f300, 0x1f5ff))
REPOS = ("acme/ledger", "", "a b&c=d", "grün/ü", "100%", "x+y", "\U0001f600", "\"\\")


def text(random, most):
    """A text of at most so many code points."""
    first, last = random.choice(BLOCKS)
    return "".join(chr(random.randint(first, last)) for _ in range(random.randint(0, most)))


def time(random):
    """A time in one of the spellings that are read, or no time at all."""
    return random.choice(("2025-0%d-1%dT0%d:00:00Z", "2025-0%d-1%d 0%d:30", "no %d, %d, %d")) % (
        random.randint(1, 9), random.randint(0, 9), random.randint(0, 9))


def value(random, kind):
    """A value of a documented member."""
    make = {
        "string": lambda: text(random, 20),
        "integer": lambda: random.choice((0, 1, random.randint(-10**6, 10**6), 2**53 - 1)),
        "number": lambda: random.choice((0, 9.8, -1.5, 1e3, random.random())),
        "boolean": lambda: random.random() < 0.5,
        "strings": lambda: [text(random, 8) for _ in range(random.randint(0, 3))],
        "time": lambda: time(random),
    }
    return make[kind]()


def issue(random, name):
    """An issue as an export may hold it: members missing, null or there."""
    made = {"id": name, "scan_id": None, "x-unknown": [1, {}]}
    for member, kind in MEMBERS.items():
        draw = random.random()
        if draw < 0.7:
            made[member] = value(random, kind)
        elif draw < 0.85:
            made[member] = None
    if random.random() < 0.8:
        made["severity"] = random.choice(LEVELS)
    return made


def ruleset(random, number):
    """A ruleset."""
    bound = random.choice((None, [], [random.choice(REPOS)], list(REPOS)))
    return {
        "id": f"rs-{number}", "name": text(random, 20), "rules_text": text(random, 80),
        "description": random.choice((None, text(random, 20))), "org_id": "org",
        "repo_ids": bound, "created_at": "2025-01-02T03:04:05Z",
        "updated_at": "2025-01-02 03:04:05+01:00", "created_by": random.choice((None, "jane")),
    }


def identifiers(random, count):
    """Distinct identifiers of issues, most of them plain."""
    names = [f"iss-{number}" for number in range(count - 20)]
    while len(names) < count:
        name = text(random, 12)
        if name and name not in names:
            names.append(name)
    return names


def export(random, names):
    """The text of an export."""
    document = {"issues": [issue(random, name) for name in names],
                "rulesets": [ruleset(random, number) for number in range(30)]}
    return json.dumps(document, ensure_ascii=random.random() < 0.5)


def good(random, names):
    """A body without fault."""
    count = random.choice((1, 1, 2, 5, 100, random.randint(1, 100)))
    body = {"issue_ids": [random.choice(names) if random.random() < 0.8 else
                          text(random, 10) or "none" for _ in range(count)]}
    members = {
        "severity": lambda: random.choice(LEVELS),
        "false_positive": lambda: random.random() < 0.5,
        "exploitable": lambda: random.random() < 0.5,
        "notes": lambda: text(random, random.choice((0, 10, 1000))),
    }
    for name, make in members.items():
        draw = random.random()
        if draw < 0.5:
            body[name] = make()
        elif draw < 0.65:
            body[name] = None
    shuffled = list(body.items())
    random.shuffle(shuffled)
    return dict(shuffled)


def bad(random, names):
    """A body that is JSON and breaks at least one rule."""
    body = good(random, names)
    wrong = random.choice((7, "x", [], {}, [1], -0.5, ["a", None]))
    faults = (
        lambda: body.pop("issue_ids"),
        lambda: body.update(issue_ids=[]),
        lambda: body.update(issue_ids=[names[0]] * 101),
        lambda: body.update(issue_ids=random.choice((None, "a", {}, [1], ["a", None], [""], 3))),
        lambda: body.update(severity=random.choice(("Critical", "", "unknown", 1, True, []))),
        lambda: body.update(false_positive=random.choice((0, 1, "true", [], {}))),
        lambda: body.update(exploitable=wrong),
        lambda: body.update(notes=random.choice((1, False, [], {"text": "x"}))),
        lambda: body.update(notes="\U0001f600" * 1001),
        lambda: body.update({random.choice(("note", "Severity", "", "id", "issue_ids ")): None}),
    )
    for fault in random.sample(faults, random.choice((1, 1, 2, 4))):
        if fault is not faults[0] or "issue_ids" in body:
            fault()
    return body
