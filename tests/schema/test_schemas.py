#!/usr/bin/python3
"""Hold schemas/ to JSON Schema, to examples, to the member table, and to what the program writes.

Environment: BUILD (the build folder, default build), RETRIAGE (default BUILD/retriage), CC and
SANITIZE as for make. Parts that need the program or the library are skipped, and said to be, when
those have not been built. Last line: "N passed, N failed, N skipped".
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

sys.dont_write_bytecode = True  # before our own modules: nothing is written beside the sources

import examples
import schema_set

ROOT = schema_set.ROOT
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
REAL = ROOT.parent / "shared" / "real"

# What the member table calls a type, as the schema of a value that is not null.
TYPES = {
    "string": {"type": "string"},
    "integer": {"type": "integer", "minimum": -2**63, "maximum": 2**63 - 1},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "array-of-string": {"type": "array", "items": {"type": "string"}},
    "date-time": {"type": "string"},
}


class Tally:
    """Counts and says what failed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, what, right, detail=""):
        """One assertion."""
        if right:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}{': ' if detail else ''}{detail}")

    def skip(self, what):
        """One part that cannot be run."""
        self.skipped += 1
        print(f"SKIPPED {what}")


def subschemas(schema):
    """Every object in a schema that describes a member or a definition, with its name."""
    for group in ("properties", "$defs"):
        for name, child in schema.get(group, {}).items():
            yield name, child
            yield from subschemas(child)
    if isinstance(schema.get("items"), dict):
        yield from subschemas(schema["items"])


def check_forms(tally, schemas):
    """Each schema is valid 2020-12, named as its file, and says what its members are."""
    tally.check("one schema for each table of examples", set(schemas) == set(examples.TABLE),
                str(sorted(set(schemas) ^ set(examples.TABLE))))
    for name, schema in schemas.items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
            tally.check(f"{name}: is a schema", True)
        except jsonschema.SchemaError as error:
            tally.check(f"{name}: is a schema", False, error.message)
        tally.check(f"{name}: $id", schema.get("$id") == schema_set.PREFIX + name)
        tally.check(f"{name}: $schema", schema.get("$schema", "").endswith("/2020-12/schema"))
        tally.check(f"{name}: title and description", schema.get("title") and
                    schema.get("description"))
        if name == "export":
            continue
        for member, child in subschemas(schema):
            tally.check(f"{name}: {member}: description", child.get("description"))


def fault_place(error, document):
    """The pointer to what a validator refuses. Newer ones name what holds it where the schema is `false`."""
    path = list(error.absolute_path)
    for part in path:
        document = document[part]
    if error.validator is None and document is not error.instance:
        path += [name for name, value in document.items() if value is error.instance]
    return schema_set.pointer(path)


def check_examples(tally, schemas):
    """Each example passes, or fails at exactly its place."""
    for name, rows in examples.TABLE.items():
        validator = schema_set.validator(schemas, name)
        for what, document, want in rows:
            have = {fault_place(error, document) for error in validator.iter_errors(document)}
            tally.check(f"{name}: {what}", have == (set() if want is None else {want}),
                        f"want fault at {want!r}, have {sorted(have)}")


def members_dump():
    """Lines of the member table, or None where the library has not been built."""
    program = BUILD / "tests" / "members-dump"
    library = BUILD / "libretriage.a"
    if not program.exists():
        if not library.exists():
            return None
        program.parent.mkdir(exist_ok=True)
        command = [os.environ.get("CC") or "cc", "-std=c11", f"-I{ROOT}/src", f"-I{ROOT}/include",
                   "-o", program, pathlib.Path(__file__).with_name("members_dump.c"), library]
        if os.environ.get("SANITIZE"):
            command.insert(1, f"-fsanitize={os.environ['SANITIZE']}")
        subprocess.run(command, check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")


def expected(kind, member, type_name, nullable):
    """What a schema must say of a member, beside words and pattern."""
    want = dict(TYPES[type_name])
    if member == "id":
        want["minLength"] = 1
    if (kind, member) == ("issue", "false_positive"):
        want["default"] = False
    elif nullable:
        want["type"] = [want["type"], "null"]
    return want


def check_members(tally, schemas):
    """The schemas and the program's member table say the same (SPEC D7, D8)."""
    lines = members_dump()
    if lines is None:
        tally.skip("member table: the library has not been built")
        return
    tables = {"issue": [], "ruleset": []}
    for line in filter(None, lines):
        kind, member, type_name, nullable = line.split()
        tables[kind].append(member)
        schema = dict(schemas[kind]["properties"].get(member, {}))
        tally.check(f"{kind}: {member}: pattern", ("pattern" in schema) ==
                    (type_name == "date-time"))
        for word in ("description", "pattern"):
            schema.pop(word, None)
        want = expected(kind, member, type_name, nullable == "yes")
        tally.check(f"{kind}: {member}", schema == want, f"want {want}, have {schema}")
    for kind, names in tables.items():
        tally.check(f"{kind}: order", list(schemas[kind]["properties"]) == names)
        tally.check(f"{kind}: required", schemas[kind]["required"] == names)
        stored = schemas["export"]["$defs"]["Stored" + kind.capitalize()]
        tally.check(f"stored {kind}: members",
                    [name for name in stored["properties"] if name != "notes"] == names)


def run(*arguments):
    """The exit status and the standard output of the program."""
    done = subprocess.run([RETRIAGE, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


def same_order(first, second):
    """Equal values whose members stand in the same order."""
    if isinstance(first, dict) and isinstance(second, dict):
        return list(first) == list(second) and all(
            same_order(first[name], second[name]) for name in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same_order, first, second))
    return type(first) is type(second) and first == second


def check_answer(tally, validators, schema, path, wanted_status, *command):
    """One answer in its three forms: the same value, valid, members in the order of the schema."""
    what = f"{' '.join(map(str, command))} {path.name}"
    form = ["--format", "json"] if command[0] in ("log", "lint") else []  # elsewhere the default
    answers = []
    for style, read in (([*form, "--compact"], schema_set.read_json),
                        ([*form, "--pretty"], schema_set.read_json),
                        (["--format", "yaml"], schema_set.read_yaml)):
        status, text = run(*command, *style, path)
        tally.check(f"{what} {style[-1]}: exit status", status == wanted_status,
                    f"want {wanted_status}, have {status}")
        try:
            answers.append(read(text))
        except Exception as error:  # any parser's complaint is the same failure
            tally.check(f"{what} {style[-1]}: can be read", False, str(error))
            return None
    for answer, style in ((answers[1], "pretty"), (answers[2], "yaml")):
        tally.check(f"{what}: compact and {style} are equal", same_order(answers[0], answer))
    value = schema_set.plain(answers[0])
    faults = [f"{schema_set.pointer(error.absolute_path)}: {error.message}"
              for error in validators[schema].iter_errors(value)]
    tally.check(f"{what}: {schema}", not faults, "; ".join(faults)[:500])
    return value


def check_summary(tally, schemas, path, summary):
    """What JSON Schema cannot say of a summary (SPEC D9, D10)."""
    order = list(schemas["issues-summary"]["properties"])
    tally.check(f"summary {path.name}: order of members", list(summary) == order)
    for name in ("issues_by_severity", "issues_by_category"):
        tally.check(f"summary {path.name}: {name} adds up",
                    sum(summary[name].values()) == summary["total_issues"])
    levels = list(schemas["issues-summary"]["properties"]["issues_by_severity"]["properties"])
    severities = list(summary["issues_by_severity"])
    for what, keys in (("severities", severities[len(levels):]),
                       ("categories", list(summary["issues_by_category"]))):
        tally.check(f"summary {path.name}: order of {what}",
                    keys == sorted(keys, key=lambda key: key.encode("utf-8", "surrogatepass")))
    tally.check(f"summary {path.name}: order of levels", severities[:len(levels)] == levels)
    tally.check(f"summary {path.name}: length of recent_issues",
                len(summary["recent_issues"]) == min(10, summary["total_issues"]))
    for issue in summary["recent_issues"]:
        tally.check(f"summary {path.name}: members of {issue['id']}",
                    list(issue) == list(schemas["issue"]["properties"]))


def check_list(tally, schemas, validators, path, summary):
    """The issues of a fixture as a list, and counts that agree with its summary."""
    listed = check_answer(tally, validators, "issue-list", path, 0, "list", "--as", "json")
    tally.check(f"list {path.name}: all issues",
                listed is not None and len(listed) == summary["total_issues"])
    for issue in listed or []:
        tally.check(f"list {path.name}: members of {issue['id']}",
                    list(issue) == list(schemas["issue"]["properties"]))
    for by in ("severity", "category,false_positive", "cwe_ids,tags", "exploitable,repo_name"):
        counts = check_answer(tally, validators, "list-count", path, 0, "list", "--count-by", by,
                              "--as", "count")
        tally.check(f"list --count-by {by} {path.name}: members", counts and all(
            list(row) == [*by.split(","), "open", "all"] for row in counts["counts"]))
        tally.check(f"list --count-by {by} {path.name}: totals", counts and
                    (counts["selected"], counts["false_positives"]) ==
                    (summary["total_issues"], summary["false_positive_count"]))
        if counts and by == "severity":
            have = collections.Counter()
            for row in counts["counts"]:
                have["unknown" if row["severity"] is None else row["severity"]] += row["all"]
            want = {name: n for name, n in summary["issues_by_severity"].items() if n}
            tally.check(f"list --count-by severity {path.name}: as in the summary", have == want)


def check_program(tally, schemas):
    """Every answer to every fixture, and to real exports where they are at hand."""
    if not RETRIAGE.exists():
        tally.skip(f"answers: {RETRIAGE} has not been built")
        return
    validators = {name: schema_set.validator(schemas, name) for name in schemas}
    good = sorted((ROOT / "fixtures").glob("good-*")) + sorted(REAL.glob("*.issues.json"))
    for path in good:
        summary = check_answer(tally, validators, "issues-summary", path, 0, "summary")
        if summary:
            check_summary(tally, schemas, path, summary)
            check_list(tally, schemas, validators, path, summary)
        check_answer(tally, validators, "diff-report", path, 0, "diff", path)
        check_answer(tally, validators, "carry-report", path, 0, "carry", "--quiet", path)
        check_answer(tally, validators, "lint-report", path, 0, "lint", "--quiet",
                     *[f"--rule={rule}=warning" for rule in ("reason", "both", "expired",
                                                             "reason_word", "expires_form")])
        check_answer(tally, validators, "ruleset-list", path, 0, "rulesets")
        report = check_answer(tally, validators, "validate-report", path, 0, "validate", "--quiet")
        tally.check(f"validate {path.name}: valid", report and report["valid"])
    for path in sorted((ROOT / "fixtures").glob("bad-*")):
        report = check_answer(tally, validators, "validate-report", path, 1, "validate", "--quiet")
        tally.check(f"validate {path.name}: not valid", report and not report["valid"])


def check_requests(tally, schemas):
    """Reports on every request fixture, and the results of those that hold one request."""
    if not RETRIAGE.exists():
        tally.skip(f"requests: {RETRIAGE} has not been built")
        return
    validators = {name: schema_set.validator(schemas, name) for name in schemas}
    export = ROOT / "fixtures" / "good-sample.json"
    for path in sorted((ROOT / "fixtures" / "requests").iterdir()):
        good = not path.name.startswith(("bad-", "limit-101-", "limit-1001-"))
        report = check_answer(tally, validators, "validate-report", path, 0 if good else 1,
                              "validate", "--quiet", "--as", "request")
        tally.check(f"validate {path.name}: valid", report and report["valid"] == good)
        if good and report["requests"] == 1:
            check_answer(tally, validators, "bulk-update-result", path, 0, "apply", "--at",
                         "2025-01-02T03:04:05Z", export)
        if good and path.suffix == ".json":
            request = schema_set.read_json(path.read_text(encoding="utf-8-sig"))
            tally.check(f"{path.name}: bulk-update-request",
                        validators["bulk-update-request"].is_valid(schema_set.plain(request)))


def check_verdicts(tally, schemas):
    """Verdicts of gates."""
    if not RETRIAGE.exists():
        tally.skip(f"verdicts: {RETRIAGE} has not been built")
        return
    validators = {name: schema_set.validator(schemas, name) for name in schemas}
    export = ROOT / "fixtures" / "good-sample.json"
    for status, conditions in (
            (0, ["--fail-on", "critical", "--where", "severity=..low"]),
            (1, ["--fail-on", "info", "--max", "unknown=0", "--max", "total=3", "--max", "high=9",
                 "--at-least", "100"]),
            (1, ["--max", "critical=0", "--count-false-positives"])):
        verdict = check_answer(tally, validators, "gate-verdict", export, status, "gate",
                               "--quiet", *conditions)
        tally.check(f"gate {conditions}: order",
                    verdict and list(verdict) == list(schemas["gate-verdict"]["properties"]))


def check_journal(tally, schemas):
    """A journal's lines, the log of it, and reports of its verification."""
    if not RETRIAGE.exists():
        tally.skip(f"journal: {RETRIAGE} has not been built")
        return
    validators = {name: schema_set.validator(schemas, name) for name in schemas}
    requests = ROOT / "fixtures" / "requests"
    export = ROOT / "fixtures" / "good-sample.json"
    with tempfile.TemporaryDirectory() as folder:
        journal = pathlib.Path(folder, "journal")
        for name in ("good-sample.json", "good-lines.jsonl", "good-controls.json"):
            status, _ = run("apply", "--journal", journal, "--actor", "jane", export,
                            requests / name)
            tally.check(f"apply --journal {name}", status == 0)
        for number, line in enumerate(journal.read_text(encoding="utf-8").splitlines()):
            name = "journal-entry" if number else "journal-header"
            value = schema_set.plain(schema_set.read_json(line))
            tally.check(f"line {number + 1}: {name}", validators[name].is_valid(value))
            tally.check(f"line {number + 1}: order",
                        list(value) == [member for member in schemas[name]["properties"]
                                        if member in value])
        check_answer(tally, validators, "journal-log", journal, 0, "log")
        check_answer(tally, validators, "journal-log", export, 0, "log", journal)
        log = check_answer(tally, validators, "journal-log", export, 0, "log",
                           "--issue", "iss-0003", "--issue", "iss-0099", journal)
        tally.check("log --issue: changes", log and any(
            issue["changes"] for entry in log["entries"] for issue in entry["issues"]))
        new = pathlib.Path(folder, "next.json")
        new.write_text(export.read_text(encoding="utf-8").replace("iss-00", "new-00"), encoding="utf-8")
        carried = pathlib.Path(folder, "carried")
        check_answer(tally, validators, "carry-report", new, 0, "carry", "--quiet", "--old-journal", journal, export)
        status, _ = run("carry", "--old-journal", journal, "--new-journal", carried, "--apply", export, new)
        tally.check("carry --apply", status == 0)
        for line in carried.read_text(encoding="utf-8").splitlines()[1:]:
            value = schema_set.plain(schema_set.read_json(line))
            tally.check("a carried entry", "carried" in value and validators["journal-entry"].is_valid(value))
        check_answer(tally, validators, "journal-log", carried, 0, "log")
        check_answer(tally, validators, "verify-report", export, 0, "verify", journal)
        other = ROOT / "fixtures" / "good-array.json"
        check_answer(tally, validators, "verify-report", other, 1, "verify", "--quiet", journal)
        damaged = pathlib.Path(folder, "damaged")
        for place in (20, -20):
            data = bytearray(journal.read_bytes())
            data[place] ^= 1
            damaged.write_bytes(data)
            check_answer(tally, validators, "verify-report", export, 1, "verify", "--quiet",
                         damaged)


def check_partial(tally, schemas):
    """The head of a partial summary, and the issues in it."""
    if not RETRIAGE.exists():
        tally.skip(f"partial summaries: {RETRIAGE} has not been built")
        return
    validators = {name: schema_set.validator(schemas, name) for name in ("partial-head", "issue")}
    for name in ("good-sample.json", "good-sarif.sarif", "good-severities.json", "good-numbers.json"):
        export = ROOT / "fixtures" / name
        made = subprocess.run([RETRIAGE, "summary", "--partial", "--exclude", "old/**", export],
                              capture_output=True, check=True).stdout
        head, *lines = map(json.loads, made.splitlines())
        tally.check(f"partial {name}: head", validators["partial-head"].is_valid(head), str(head))
        tally.check(f"partial {name}: order of members", list(head) == list(
            schemas["partial-head"]["properties"]))
        counted = sum("issue" in line for line in lines)
        issues = [line["recent"] for line in lines if "recent" in line]
        tally.check(f"partial {name}: issues", len(issues) == min(counted, 10) > 0 and all(
            validators["issue"].is_valid(issue) for issue in issues))


def check_carried(tally, schemas):
    """The program carries the files of schemas/ byte for byte."""
    if not RETRIAGE.exists():
        tally.skip(f"carried schemas: {RETRIAGE} has not been built")
        return
    for name in schemas:
        status, text = run("schema", name)
        file = schema_set.FOLDER / (name + schema_set.SUFFIX)
        tally.check(f"schema {name}", status == 0 and text == file.read_text(encoding="utf-8"))


def main():
    """Run all parts; returns the exit status."""
    tally = Tally()
    schemas = schema_set.load_all()
    check_forms(tally, schemas)
    check_examples(tally, schemas)
    check_members(tally, schemas)
    check_carried(tally, schemas)
    check_program(tally, schemas)
    check_requests(tally, schemas)
    check_verdicts(tally, schemas)
    check_journal(tally, schemas)
    check_partial(tally, schemas)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


sys.exit(main())
