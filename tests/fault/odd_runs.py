"""Runs whose every step fails once, and what they read: forms of exports, journals and logs that
have many steps. For test_fault.py beside this file.

Each of runs(...) is a list of arguments. What a run is to end with is learnt from one without a
fault, so some end with 1.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sarif"))

import make  # noqa: E402

SEED = 7
LOGS = 16
AT = ("--at", "2026-01-01T00:00:00Z")

# Members and values in all forms that an update takes apart.
ODD = """[
 {"id":"a1","severity":"high","notes":"one \\"string\\"","cwe_ids":["CWE-79"],"file_path":"src/a.c"},
 { "id" : "a2" , "severity" : null , "notes" : null, "x": [1, {"y": "}"}] },
 {"id":"a3","severity":"low","notes":[{"added_at":null,"text":"t exp:2020-01-01"}],"false_positive":true,
  "created_at":"2020-01-02T03:04:05Z","scan_created_at":"2020-02-02T03:04:05Z","line_number":7},
 {
  "id": "a4",
  "tags": ["b", "c,d"],
  "severity": "unheard",
  "notes": [
    {
      "added_at": "2020-01-01T00:00:00Z",
      "text": "more\\nlines\\u0000"
    }
  ]
 },
 {"id":"a5","notes":[],"exploitable":null,"updated_at":"\\u0032","severity":"l\\u006fw","title":"t"},
 {}, {"id":"a6","file_path":"/a b/c","category":"x","title":"=1+1","description":"d\\n# e","code_snippet":"a\\n\\tb"}
]
""".replace("{}, ", "")

ODD_YAML = """# a lead
issues:
- id: a1
  severity: high
  notes: a string # behind it
- id: a2
  severity:
  notes:
- id: a3
  notes:
  - {added_at: null, text: t}
  exploitable: !!bool false
- {id: a4, severity: high, notes: "quoted \\u263a", x: {y: [1, 16, 1e3, 7]}}
- {id: a5, notes: [], severity: 'l''ow'}
- {id: a6, notes: [{added_at: null, text: 'x'}], tags: [a, b]}
- "id": "a7"
  "notes": |
    lit
    eral
  "severity": >-
    low
- id: a8
  severity: !!str low
  notes: !!null
  cvss_score: 10.5
- id: a9
  tags: &t [a, "b\\n"]
  x: *t
  notes: ~
- id: b1
  notes:
    - text: "y"
      added_at: 2020-01-01T00:00:00Z
    - text: z
- {id: b2, severity: unheard, x: [0x10, 0o7, .5]}
"""


def put(folder, name, text):
    """A file; returns its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def requests(folder, name, ids):
    """Requests that change each member, add notes, and name what is not there."""
    every = {"severity": "info", "false_positive": True, "exploitable": False,
             "notes": "two\nlines, \u2028 and: more"}
    texts = [{"issue_ids": [*ids, "none"], **every}, {"issue_ids": ids[:2], "notes": "again"},
             {"issue_ids": ids[:1], "severity": "low"}, {"issue_ids": ids[1:3]},
             {"issue_ids": ids[:2], "exploitable": True, "false_positive": False}]
    return put(folder, name, "".join(json.dumps(text) + "\n" for text in texts))


def updates(folder, run):
    """Updates of odd records, and what reads the journals of them."""
    odd = put(folder, "odd.json", ODD)
    yaml = put(folder, "odd.yaml", ODD_YAML)
    for export, ids in ((odd, ["a%d" % i for i in range(1, 7)]),
                        (yaml, [*("a%d" % i for i in range(1, 10)), "b1"])):
        asked = requests(folder, os.path.basename(export) + ".requests", ids)
        out, journal = export + ".out", export + ".journal"
        yield ["apply", "--quiet", *AT, "-o", out, "--results", export + ".results", export, asked]
        yield ["apply", "--quiet", *AT, "--format", "yaml", "-o", out, export, asked]
        run(["apply", "--quiet", *AT, "-o", out + "2", "--journal", journal, "--actor", "a \"b\"",
             export, asked])
        yield from journal_runs(export, asked, out + "2", journal)
        yield from report_runs(export, journal)


def journal_runs(export, asked, new, journal):
    """What reads a journal and its base."""
    for form in ("table", "json", "yaml"):
        yield ["log", "--quiet", "--format", form, "--issue", "a1", "--issue", "a3", journal, export]
        yield ["log", "--quiet", "--format", form, journal]
        yield ["verify", "--quiet", "--format", form, "--requests", asked, "--expect", new,
               journal, export]
    yield ["log", "--quiet", "--head", journal]
    yield ["log", "--quiet", "--actor", "a \"b\"", "--since", "2020-01-01T00:00:00Z", journal]
    yield ["verify", "--quiet", "-o", new + ".again", "--results", new + ".report", journal, export]
    # What is not as it was said to be, and how that is told.
    yield ["verify", "--quiet", "--expect", export, journal, export]
    yield ["verify", "--quiet", "--requests", asked, "--requests", asked, journal, export]
    yield ["summary", "--quiet", "--journal", journal, export]
    yield ["rulesets", "--quiet", "--journal", journal, export]


def report_runs(export, journal):
    """Reports and lists of the state that a journal leads to."""
    state = ["--journal", journal, export]
    for kind in ("html", "csv", "junit", "codequality", "gitlab-sast", "github", "md"):
        yield ["report", "--quiet", *AT, "--sla", "high=3,low=9",
               "--link", "https://h/{repo}/{path}#L{line}", "--fail-on", "low", "--max", "unknown=0",
               "--hide", "false_positive", "--max-findings", "4",
               "--to", f"{kind}={export}.{kind}", *state]
        yield ["report", "--quiet", *AT, "--where", "severity", "--or", "--not", "notes~x",
               "--strip-prefix", "src", "--to", f"{kind}={export}.{kind}", export]
    for kind in ("html", "md", "junit"):
        yield ["report", "--quiet", *AT, "--baseline", export, "--to", f"{kind}={export}.{kind}", *state]
    yield ["list", "--quiet", *AT, "--as", "csv", "--baseline", export, "--where", "baseline=changed", *state]
    for form in ("table", "json", "csv", "ids", "records", "count"):
        yield ["list", "--quiet", *AT, "--as", form, "--where", "severity=low..", *state]
        yield ["list", "--quiet", *AT, "--as", form, "--not", "age=..3", "--or", "--where",
               "cwe_ids=79", "--or", "--where", "severity=unheard", export]
    for form in ("table", "csv", "json"):
        for members in ("severity", "tags,category"):
            yield ["list", "--quiet", *AT, "--as", form, "--count-by", members, *state]
    yield ["decide", "--quiet", "--all", "--exploitable", "yes", "--note", "n", *state]
    yield ["gate", "--quiet", *AT, "--fail-on", "low", "--max", "total=1", "--max", "unknown=0",
           "--at-least", "99", *state]
    yield ["gate", "--quiet", "--format", "table", "--count-false-positives", "--max", "low=1",
           "--unknown-as", "low", export]


def logs(folder, run):
    """Random logs that are read, as findings, with notes and in parts."""
    rng = random.Random(SEED)
    found = 0
    while found < LOGS:
        path = put(folder, f"log{found}.sarif", make.dump(make.Maker(rng).log()))
        if run(["summary", "--quiet", "--failed-runs", "accept", path])[0] == 0:
            found += 1
            yield ["list", "--quiet", "--failed-runs", "accept", "--as", "records", path]
    path = os.path.join(folder, "log0.sarif")
    yield ["validate", "--quiet", "--failed-runs", "accept", path]
    yield ["summary", "--quiet", "--failed-runs", "accept", "--duplicates", "worst", path, path]


def partials(folder, run):
    """Partial summaries, and what they are merged to."""
    odd = put(folder, "odd.jsonl", '{"id":"b1","severity":"x"}\n{"id":"b2","severity":"low","category":"y"}\n')
    names = []
    for export in (os.path.join(folder, "odd.json"), odd):
        names.append(export + ".partial")
        run(["summary", "--quiet", "--partial", "-o", names[-1], export])
        yield ["summary", "--quiet", "--partial", "-o", names[-1] + ".again", export]
    for form in ("json", "yaml", "table"):
        yield ["merge", "--quiet", "--format", form, *names]
        yield ["summary", "--quiet", "--format", form, os.path.join(folder, "odd.json"), odd]


def runs(folder, run):
    """All of them; run(ARGUMENTS) makes what others read."""
    for of in (updates, partials, logs):
        yield from of(folder, run)
