"""Reports as their readers have them: csv, md, junit, codequality, github, gitlab-sast.

Real exports, random ones full of what is special somewhere, and the inputs that are tricky: every
report is read by another's parser, and held against reference.py and against `summary`.

Environment: RETRIAGE or BUILD; REPORT_SEED (default 1), REPORT_ROUNDS (default 60).
"""
import csv
import io
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
sys.path.insert(0, str(TOP / "tests" / "report"))

import jsonschema

import readers
import reference

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("REPORT_SEED", "1")
ROUNDS = int(os.environ.get("REPORT_ROUNDS", "60"))
REAL = sorted((TOP.parent / "shared" / "real").glob("*.issues.json"))
KINDS = ["csv", "md", "junit", "codequality", "github", "gitlab-sast"]

HOSTILE = [
    "", "a", "two\nlines", "\n\n  lead", "</script><img src=x onerror=alert(1)>", "</details>",
    "<!-- c", "-->", "]]>", "<![CDATA[", "&amp; &#38;", "&lt;", "```", "`````", "a`b``c", "`", "|",
    "a\\|b", "\\", "\\`x", "*bold* _it_ ~~no~~", "# head", "- [ ] item", "1. one", "> quote",
    "[a](http://x.example)", "![i](x.png)", "<https://x.example>", "https://x.example/?a=1&b=2",
    "www.example.com", "user@example.com", "mailto:a@b.example", "@org/team", "see #12 and !7",
    "GH-12", "%3 ~bug &4 $5", "~\"my label\"", "[vulnerability:12]", ":smile:", "deadbeef1234",
    "=HYPERLINK(\"http://x\")", " -1", "+1", "\uff1d1", "\tx", "\rx", "@SUM(A1)", "'quoted'",
    "\x1b[31mred\x1b[0m", "nul \x00 byte", "\ufffe\uffff", "\u202eright to left\u202c",
    "\u2028line\u2029", "\x7f\x85\u200f\ufeff", "::error::x", "  ::set-output name=a::b",
    "\u00a0::warning::y", "a\n::error::x\n \t::stop-commands::t", "##[error]x", "a ###[b] ##[",
    "##[group]\n##[endgroup]", "100%", "a,b:c%\n::error::x", "%0A::error::x", "caf\u00e9 \u4e2d",
    "\U0001f600 wide", "e\u0301", "x" * 319, "word " * 90, "    indented code", "\ttabbed",
    "| a | b |\n| --- | --- |\n| 1 | 2 |", "a\n===", "a\n---", "***", "[x]: /url", "[^1]", "{{x}}",
    "$$x$$", "line  \nbreak", "a\\\nb", "~~~\ncode\n~~~", "<br>", "</summary>", "\\<b>", "a\r\nb",
    "(2)", "x (2)", "x", "x", "x", "&quot;", "\"", "';--", "C:\\x\\y.c", "./a", ".//./b", "../a",
    "/abs/p", "a//b", "http://", "*iteration:1", "^alert#1", "1234567", "abcdef0",
]
CATEGORIES = ["sqli", "sqli", "xss", "go/weak-crypto"] + HOSTILE


def random_issue(rng, number):
    """An issue of hostile texts; its id is its own."""
    def text():
        if rng.random() < 0.1:
            return None
        return rng.choice(["", " ", "\n", "\n\n"]).join(rng.choices(HOSTILE, k=rng.choice([1, 1, 2, 4])))

    issue = {"id": f"{number}{rng.choice(HOSTILE)}", "scan_id": "s"}
    for member in ("file_path", "title", "description", "explanation", "code_snippet",
                   "context_before", "context_after", "remediation", "remediation_code",
                   "owasp_category", "model_used", "repo_name", "scan_status"):
        issue[member] = text()
    if rng.random() < 0.5:
        issue["file_path"] = rng.choice(["src/a.c", "src/b.py", "./src/a.c", "src\\a.c"])
    issue["category"] = rng.choice(CATEGORIES + [None])
    issue["severity"] = rng.choice(reference.LEVELS * 4 + [None, "BLOCKER", "High", "::error::x"])
    issue["line_number"] = rng.choice([None, 0, -3, 1, 7, 4000, 2 ** 62])
    issue["column_start"] = rng.choice([None, 0, 3])
    issue["cvss_score"] = rng.choice([None, -1, 9.8])
    issue["cwe_ids"] = rng.choice([None, [], ["CWE-79"], ["cwe-079: x", "79", "external/cwe/cwe-079"],
                                   [rng.choice(HOSTILE), "CWE-89"],
                                   [f"CWE-{n}" for n in range(1, 30)]])
    issue["tags"] = rng.choice([None, [], ["a", rng.choice(HOSTILE)]])
    issue["false_positive"] = rng.choice([None, False, False, True])
    issue["exploitable"] = rng.choice([None, False, True])
    issue["created_at"] = rng.choice([None, "2025-01-01T00:00:00Z", "never"])
    issue["scan_created_at"] = rng.choice([None, "2025-06-03T08:04:11+02:00", "2025-06-01", "x"])
    if rng.random() < 0.3:
        issue["notes"] = [{"added_at": None, "text": rng.choice(HOSTILE[1:])}
                          for _ in range(rng.choice([1, 2]))]
    return issue


def random_export(rng):
    """From none to some hundred issues, some of which repeat others."""
    issues = []
    for number in range(rng.choice([0, 1, 2, 10, 40, 150])):
        issue = random_issue(rng, number)
        if issues and rng.random() < 0.3:
            issue = {**rng.choice(issues), "id": f"again-{number}"}
        issues.append(issue)
    return issues


class Reports:
    """The reports of some issues, in a folder of their own, each as text."""

    def __init__(self, issues, *options, status=0):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        export = folder / "export.json"
        if isinstance(issues, pathlib.Path):
            export = issues
            issues = reference.read_json(issues.read_bytes())
        else:
            export.write_text(json.dumps(issues))
        self.issues = issues["issues"] if isinstance(issues, dict) else \
            reference.read_json(json.dumps(issues))
        self.paths = {kind: folder / kind for kind in KINDS}
        arguments = [f"--to={kind}={path}" for kind, path in self.paths.items()]
        done = subprocess.run([RETRIAGE, "report", *arguments, *options, export],
                              capture_output=True, check=False)
        self.stderr = done.stderr.decode()
        if done.returncode != status:
            raise AssertionError(f"exit {done.returncode}: {self.stderr}")
        self.summary = json.loads(subprocess.run([RETRIAGE, "summary", "--quiet", export],
                                                 stdout=subprocess.PIPE, check=True).stdout)

    def text(self, kind):
        """A report's text, line ends as they are."""
        return self.paths[kind].read_bytes().decode()

    def rows(self):
        """The rows of the CSV."""
        return list(csv.reader(io.StringIO(self.text("csv"), newline=""), strict=True))

    def open(self):
        """Issues that are no false positives."""
        return [issue for issue in self.issues if reference.is_open(issue)]


class Checks(unittest.TestCase):
    """What holds for every export."""

    maxDiff = 4000

    def check(self, issues, *options):
        """All of it."""
        reports = Reports(issues, *options)
        self.check_counts(reports)
        self.check_inert(reports)
        self.check_csv(reports)
        self.check_markdown(reports)
        self.check_junit(reports)
        self.check_code_quality(reports)
        self.check_sast(reports)
        self.check_github(reports)

    def check_counts(self, reports):
        """Open ones and false positives of every report add up to the summary's total."""
        total = reports.summary["total_issues"]
        false_positives = reports.summary["false_positive_count"]
        found = total - false_positives
        rows = reports.rows()[1:]
        self.assertEqual(len(rows), total)
        self.assertEqual(sum(row[-1] == "open" for row in rows), found)
        self.assertIn(f" of {found} open. False positives: {false_positives}.\n",
                      reports.text("md"))
        suite = readers.junit(reports.paths["junit"])[0]
        self.assertEqual(int(suite.get("tests")), total + 1)
        self.assertEqual(int(suite.get("failures")), found)
        self.assertEqual(int(suite.get("skipped")), false_positives)
        without = sum(reference.raw_path(issue) is None for issue in reports.issues)
        self.assertEqual(len(json.loads(reports.text("gitlab-sast"))["vulnerabilities"]),
                         total - without)
        without = sum(reference.raw_path(issue) is None for issue in reports.open())
        self.assertEqual(len(json.loads(reports.text("codequality"))), found - without)

    def check_inert(self, reports):
        """No log reader finds a command, no terminal a control, but for GitHub's own."""
        for kind in KINDS:
            text = reports.text(kind)
            if kind != "github":
                self.assertEqual(list(readers.commands(text)), [], kind)
            lines = text.replace("\r\n", "\n") if kind == "csv" else text
            self.assertEqual([c for c in lines if reference.is_unsafe(ord(c)) and c not in "\n\t"],
                             [], kind)

    def check_csv(self, reports):
        """A header and every member of every issue, in input order."""
        rows = reports.rows()
        columns = reference.MEMBERS + ["notes", "status"]
        self.assertEqual(rows[0], columns)
        for row, issue in zip(rows[1:], reports.issues):
            self.assertEqual(row, [reference.csv_field(issue, m) for m in columns])

    def check_markdown(self, reports):
        """Rendered, it has the findings and nothing that they made."""
        text = reports.text("md")
        page = readers.render(text)
        self.assertEqual(page.wrong, [])
        self.assertLessEqual(len(text.encode()), 65000)
        self.assertLessEqual(set(page.tags), {
            "h3", "p", "br", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
            "code", "pre", "ul", "li", "strong"})
        self.assertNotIn("|", "".join(page.outside).replace("\\|", ""), "a table that is none") \
            if not reports.issues else None
        for piece in page.outside:
            self.assertIsNone(readers.LINKED.search(piece), piece)
        shown = [" ".join(line.split()) for line in page.summaries + page.items]
        self.assertEqual(len(shown), len(reports.open()) - self.left_out(text))
        wanted = {" ".join(self.row_of(issue).split()) for issue in reports.open()}
        for line in shown:
            self.assertIn(line, wanted)
        self.assertEqual(page.tags.get("details", 0), len(page.summaries))

    @staticmethod
    def left_out(text):
        """The number in the closing line."""
        return int(text.rsplit("Not shown: ", 1)[1].split(" ", 1)[0])

    @staticmethod
    def row_of(issue):
        """What a row and a summary say of an issue."""
        severity = reference.mask(issue.get("severity") or "unknown", False)
        place = reference.path_of(issue) or "(no file)"
        if reference.line_of(issue):
            place += f":{reference.line_of(issue)}"
        return f"{reference.cut(severity, 40)} \u00b7 {place} \u00b7 {reference.title(issue, 120)}"

    def check_junit(self, reports):
        """A case for each issue, names that are unique in their file, exact counters."""
        root = readers.junit(reports.paths["junit"])
        suite = root[0]
        self.assertEqual([root.tag, len(root), suite.tag], ["testsuites", 1, "testsuite"])
        cases = list(suite)
        self.assertEqual((cases[0].get("classname"), cases[0].get("name")), ("retriage", "read"))
        self.assertEqual(len(cases), int(suite.get("tests")))
        self.assertEqual(suite.get("errors"), "0")
        self.assertEqual(root.get("failures"), suite.get("failures"))
        for tag, count in (("failure", "failures"), ("skipped", "skipped")):
            self.assertEqual(len(suite.findall(f"testcase/{tag}")), int(suite.get(count)))
        names = set()
        for case, issue in zip(cases[1:], reports.issues):
            path = reference.path_of(issue)
            self.assertEqual(case.get("classname"), path or "(no file)")
            self.assertEqual(case.get("file"), path)
            base = f"{reference.category(issue)}: {reference.title(issue, 200)}"
            self.assertTrue(case.get("name").startswith(base))
            key = (reference.raw_path(issue), case.get("name"))
            self.assertNotIn(key, names)
            names.add(key)
            self.assertEqual(case.find("failure") is not None, reference.is_open(issue))
            if not reference.is_open(issue):
                notes = reference.notes_of(issue)
                self.assertEqual(case.find("skipped").text or "",
                                 reference.mask(notes[-1], True) if notes else "")

    def check_code_quality(self, reports):
        """What GitLab reads, and the fingerprints that were meant."""
        entries = json.loads(reports.text("codequality"))
        jsonschema.validate(entries, readers.CODE_QUALITY)
        issues = [issue for issue in reports.open() if reference.raw_path(issue) is not None]
        levels = ["blocker", "critical", "major", "minor", "info", "major"]
        self.assertEqual(entries, [{
            "description": reference.title(issue, 1000),
            "check_name": reference.category(issue),
            "fingerprint": fingerprint,
            "severity": levels[reference.level(issue)],
            "location": {"path": reference.path_of(issue),
                         "lines": {"begin": reference.line_of(issue) or 1}},
        } for issue, fingerprint in zip(issues, reference.fingerprints(reports.issues))])
        self.assertEqual(len({entry["fingerprint"] for entry in entries}), len(entries))

    def check_sast(self, reports):
        """What the schema asks for, and that each vulnerability is its issue."""
        report = json.loads(reports.text("gitlab-sast"))
        jsonschema.validate(report, readers.SAST)
        issues = [issue for issue in reports.issues if reference.raw_path(issue) is not None]
        levels = ["Critical", "High", "Medium", "Low", "Info", "Unknown"]
        for found, issue in zip(report["vulnerabilities"], issues, strict=True):
            self.assertEqual(found["id"], reference.sast_id(issue))
            self.assertEqual(found["name"], reference.title(issue, 255))
            self.assertEqual(found["severity"], levels[reference.level(issue)])
            self.assertEqual(found["identifiers"][0],
                             {"type": "retriage_category", "name": reference.category(issue),
                              "value": reference.category(issue)})
            numbers = [entry["value"] for entry in found["identifiers"] if "url" in entry]
            self.assertEqual(len(numbers), len(set(numbers)))
            self.assertEqual(found["location"]["file"], reference.path_of(issue))
            self.assertEqual(found["location"].get("start_line", 0), reference.line_of(issue))
            self.assertEqual("flags" in found, not reference.is_open(issue))
            notes = reference.notes_of(issue)
            if "flags" in found and notes:
                self.assertEqual(found["flags"][0]["description"],
                                 reference.mask(notes[-1], True))

    def check_github(self, reports):
        """At most ten of a kind, each a finding's, or the number of those that are not shown."""
        found = list(readers.commands(reports.text("github")))
        self.assertEqual(len(found), len(reports.text("github").splitlines()))
        kinds = {"error": (0, 1), "warning": (2, 5), "notice": (3, 4)}
        self.assertLessEqual({name for name, _, _ in found}, set(kinds))
        for name, levels in kinds.items():
            issues = [issue for issue in reports.open() if reference.level(issue) in levels]
            lines = [(properties, text) for kind, properties, text in found if kind == name]
            self.assertEqual(len(lines), min(len(issues), 10))
            if len(issues) > 10:
                self.assertEqual(lines.pop(), ({}, f"{len(issues) - 9} more {name}s, see csv"))
            wanted = [self.annotation(issue) for issue in issues]
            for line in lines:
                self.assertIn(line, wanted)

    @staticmethod
    def annotation(issue):
        """Properties and message of an issue's line."""
        properties = {}
        if reference.raw_path(issue) is not None:
            properties["file"] = reference.mask(reference.raw_path(issue), True)
            if reference.line_of(issue):
                properties["line"] = str(reference.line_of(issue))
                if int(issue.get("column_start") or 0) > 0:
                    properties["col"] = str(issue["column_start"])
        if issue.get("category"):
            properties["title"] = reference.category(issue)
        message = reference.title(issue, 300)
        if issue.get("cwe_ids"):
            joined = "; ".join(reference.mask(text, False) for text in issue["cwe_ids"])
            message += f" ({joined})" if joined else ""
        return properties, message


class Exports(Checks):
    """Whole exports."""

    def test_real(self):
        for path in REAL:
            with self.subTest(path.name):
                self.check(path)

    def test_random(self):
        for number in range(ROUNDS):
            with self.subTest(seed=SEED, round=number):
                self.check(random_export(random.Random(f"{SEED} {number}")))

    def test_each_text(self):
        """Each hostile text in every place at once."""
        for text in HOSTILE:
            issue = {m: text for m in ("title", "category", "description", "code_snippet",
                                       "remediation", "remediation_code", "explanation",
                                       "owasp_category", "severity", "file_path", "repo_name")}
            issue.update(id="i" + text, cwe_ids=[text], tags=[text],
                         notes=[{"added_at": None, "text": text or "n"}])
            with self.subTest(text):
                self.check([issue, {**issue, "id": "fp", "false_positive": True}])


if __name__ == "__main__":
    unittest.main()
