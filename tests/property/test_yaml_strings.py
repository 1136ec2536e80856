"""Random strings that PyYAML dumps are the same strings to us, and ours are to PyYAML (SPEC D18).

PyYAML writes the strings 08, 1e3 and 12e4567 plain, which are numbers under YAML 1.2. Exports and
requests are dumped in block and flow style, with and without escapes for what is not ASCII, and
read back through summary, rulesets and apply; what --format yaml and -o write is read by PyYAML
itself (YAML 1.1) and with the scalars of the YAML 1.2 core schema.

Environment: RETRIAGE or BUILD; PROPERTY_SEED (default 1), PROPERTY_STRING_ROUNDS.
"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "schema")]

import yaml

from schema_set import read_yaml

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("PROPERTY_SEED", "1")
ROUNDS = int(os.environ.get("PROPERTY_STRING_ROUNDS", "4"))
AT = "2026-01-02T03:04:05Z"

# Without U+0085: PyYAML itself reads that back as a blank, where it had not to escape it.
FIXED = ["08", "09", "1e3", "12e4567", "1E+03", "0o7", "0x1F", "0b1", "1_000", "1:30", "12:30:45",
         "+1", "-0", ".5", "5.", "1.50", "007", "1e-7", "123456789012345678901234567890", ".inf",
         ".nan", "-.Inf", "2024-01-01", "2024-01-01T00:00:00Z", "on", "off", "yes", "No", "y", "n",
         "true", "False", "null", "~", "=", "<<", "", " ", "- a", "a: b", "a #b", "#a", "[a", "{a",
         "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'a", '"a', "a\nb", "a\n", "\ta", "a ", "é",
         "\u2028", "\ufeffa", "\x07", "日本", "\U0001F600", "0", "00", "1", "1.", "--- a",
         "1 2", "1,2", "0xFFFFFFFFFFFFFFFFFFFF", "1e", "0o8", "e3", "_1"]
ALPHABETS = ["0123456789", "01.e+-", "0123456789.eE+-_:xo", "abc019 :#-?,[]{}'\"\\\n\t",
             "aé日\U0001F600\x01\x7f\u2029 0"]


def make_string(rng):
    """A string that is not empty."""
    if rng.random() < 0.4:
        return rng.choice([text for text in FIXED if text])
    return "".join(rng.choices(rng.choice(ALPHABETS), k=rng.randint(1, 12)))


def is_string(text):
    """Whether what PyYAML dumps is a string under YAML 1.2 too, which 08 and 1e3 are not."""
    return isinstance(read_yaml(yaml.safe_dump([text]))[0], str)


def make_issue(rng, name):
    """An issue with strings and numbers."""
    issue = {"id": name, "scan_id": make_string(rng)}
    for member in ("file_path", "severity", "category", "title", "description", "code_snippet",
                   "created_at", "repo_name"):
        if rng.random() < 0.6:
            issue[member] = rng.choice([make_string(rng), rng.choice(FIXED)])
    for member in ("cwe_ids", "tags"):
        if rng.random() < 0.6:
            issue[member] = [make_string(rng) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.5 and all(is_string(text) for text in issue.get("tags", [])):
        # PyYAML writes an anchor, and an alias in the second place, where nobody wants strings.
        issue["labels"] = issue.get("tags")
    if rng.random() < 0.3:
        issue["notes"] = make_string(rng)
    issue["line_number"] = rng.choice([None, 0, 8, -3, 1 << 40])
    issue["cvss_score"] = rng.choice([None, 0, 9.8, 7.25])
    return issue


def make_ruleset(rng, name):
    """A ruleset."""
    ruleset = {member: make_string(rng) for member in ("name", "rules_text", "org_id")}
    return ruleset | {"id": name, "created_at": AT, "updated_at": "2024-01-01T00:00:00+01:00",
                      "description": rng.choice([None, make_string(rng)]),
                      "created_by": make_string(rng),
                      "repo_ids": [make_string(rng) for _ in range(rng.randint(0, 3))]}


def strings_of(record):
    """The members of a record that are in an answer."""
    return {name: item for name, item in record.items()
            if name not in ("labels", "notes", "false_positive") and item is not None}


class Strings(unittest.TestCase):
    """One test for each way of dumping."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_program(self, *arguments):
        """Run the program; returns its standard output as text."""
        done = subprocess.run([RETRIAGE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout.decode()

    def check_records(self, have, want):
        """Answered records are these, in any order."""
        have = {record["id"]: record for record in have}
        self.assertEqual(set(have), {record["id"] for record in want})
        for record in want:
            self.assertEqual(strings_of(have[record["id"]]), strings_of(record))

    def check_answers(self, export, issues, rulesets):
        """summary and rulesets, in JSON and in YAML, have these records."""
        for read, form in ((json.loads, "json"), (yaml.safe_load, "yaml"), (read_yaml, "yaml")):
            summary = read(self.run_program("summary", "--recent", "1000", "--format", form,
                                            export))
            if read is read_yaml:
                # Numbers keep their text there; it is for strings that this reader is asked.
                for issue in summary["recent_issues"]:
                    for name in ("line_number", "cvss_score"):
                        if issue[name] is not None:
                            issue[name] = json.loads(issue[name].text)
            self.check_records(summary["recent_issues"], issues)
            self.check_records(read(self.run_program("rulesets", "--format", form, export)),
                               rulesets)

    def check_updated(self, export, issues, ids, note):
        """What -o wrote: PyYAML reads what it had dumped, and the note."""
        whole = yaml.safe_load(export.read_text())
        for have, issue in zip(whole["issues"], issues):
            want = dict(issue)
            if issue["id"] in ids:
                old = issue.get("notes")
                want["notes"] = ([{"added_at": None, "text": old}] if old else []) + [
                    {"added_at": AT, "text": note}]
                want["severity"] = "low"
                want["updated_at"] = AT
            self.assertEqual(have, want)

    def round_trip(self, rng, style):
        """One export, one request."""
        export, request, output = (self.path / name for name in ("e.yaml", "r.yaml", "o.yaml"))
        journal = self.path / "j.jsonl"
        names = list(dict.fromkeys(make_string(rng) for _ in range(12)))
        issues = [make_issue(rng, name) for name in names]
        rulesets = [make_ruleset(rng, name) for name in names[:3]]
        ids = rng.sample(names, 4)
        note = make_string(rng)
        export.write_text(yaml.safe_dump({"issues": issues, "rulesets": rulesets}, **style))
        request.write_text(yaml.safe_dump({"issue_ids": ids, "notes": note, "severity": "low"},
                                          **style))
        self.check_answers(export, issues, rulesets)
        journal.unlink(missing_ok=True)
        results = self.run_program("apply", "--at", AT, "--journal", journal, "-o", output, export,
                                   request)
        self.assertEqual([issue["id"] for issue in json.loads(results)["updated_issues"]], ids)
        self.run_program("verify", "--expect", output, journal, export)
        self.check_updated(output, issues, ids, note)
        changed = [issue | {"severity": "low", "updated_at": AT} if issue["id"] in ids else issue
                   for issue in issues]
        self.check_answers(output, changed, rulesets)

    def test_dumped_strings(self):
        """Every way of dumping, ROUNDS times."""
        for unicode, flow in itertools.product([False, True], repeat=2):
            style = {"allow_unicode": unicode, "default_flow_style": flow}
            for number in range(ROUNDS):
                with self.subTest(**style, round=number, seed=SEED):
                    self.round_trip(random.Random(f"{SEED} {unicode} {flow} {number}"), style)


if __name__ == "__main__":
    unittest.main()
