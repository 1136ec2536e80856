"""Reports as their readers have them: csv, md, junit, codequality, github, gitlab-sast, sonarqube.

Real exports, random ones full of what is special somewhere, and the inputs that are tricky: every
report is read by another's parser, and held against reference.py and against `summary`.

Environment: RETRIAGE or BUILD; REPORT_SEED (default 1), REPORT_ROUNDS (default 30).
"""
import csv
import io
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import weakref

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "report"))

import jsonschema

import readers
import reference

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("REPORT_SEED", "1")
ROUNDS = int(os.environ.get("REPORT_ROUNDS", "30"))
REAL = sorted((TOP.parent / "shared" / "real").glob("*.issues.json"))
KINDS = ["csv", "md", "junit", "codequality", "github", "gitlab-sast", "sonarqube"]

HOSTILE = [
    "", "a", "two\nlines", "\n\n  lead", "</script><img src=x onerror=alert(1)>", "</details>",
    "<!-- c", "-->", "]]>", "<![CDATA[", "&amp; &#38;", "&lt;", "```", "`````", "a`b``c", "`", "|",
    "a\\|b", "\\", "\\`x", "*bold* _it_ ~~no~~", "# head", "- [ ] item", "1. one", "> quote",
    "[a](http://x.example)", "![i](x.png)", "<https://x.example>", "https://x.example/?a=1&b=2",
    "www.example.com", "user@example.com", "mailto:a@b.example", "@org/team", "see #12 and !7",
    "@_team and @.team", "GH-12", "%3 ~bug &4 $5", "~\"my label\"", "[vulnerability:12]", ":smile:",
    "deadbeef1234",
    "=HYPERLINK(\"http://x\")", " -1", "+1", "\uff1d1", "\tx", "\rx", "@SUM(A1)", "'quoted'",
    "\x1b[31mred\x1b[0m", "nul \x00 byte", "\ufffe\uffff", "\u202eright to left\u202c",
    "\u2028line\u2029", "\x7f\x85\u200f\ufeff", "::error::x", "  ::set-output name=a::b",
    "\u00a0::warning::y", "a\n::error::x\n \t::stop-commands::t", "##[error]x", "a ###[b] ##[",
    "##[group]\n##[endgroup]", "a ##vso[task.setvariable variable=X]y", "##TeamCity[x", "100%", "a,b:c%\n::error::x", "%0A::error::x", "caf\u00e9 \u4e2d",
    "\U0001f600 wide", "e\u0301", "x" * 319, "word " * 90, "    indented code", "\ttabbed",
    "| a | b |\n| --- | --- |\n| 1 | 2 |", "a\n===", "a\n---", "***", "[x]: /url", "[^1]", "{{x}}",
    "$$x$$", "line  \nbreak", "a\\\nb", "~~~\ncode\n~~~", "<br>", "</summary>", "\\<b>", "a\r\nb",
    "(2)", "x (2)", "x", "x", "x", "&quot;", "\"", "';--", "C:\\x\\y.c", "./a", ".//./b", "../a",
    "/abs/p", "a//b", "http://", "*iteration:1", "[my_label:1]", "^alert#1", "1234567", "abcdef0",
    "R & D", "a < b > c", " padded ",
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
        folder = pathlib.Path(tempfile.mkdtemp())
        weakref.finalize(self, shutil.rmtree, folder)
        export = folder / "export.json"
        if isinstance(issues, pathlib.Path):
            export = issues
            issues = reference.read_json(issues.read_bytes())
        else:
            export.write_text(json.dumps(issues))
        self.issues = issues["issues"] if isinstance(issues, dict) else \
            reference.read_json(json.dumps(issues))
        self.paths = {kind: folder / kind for kind in KINDS}
        arguments = [f"--to={kind}={path}" for kind, path in self.paths.items()] + ["--show-secrets"]
        done = subprocess.run([RETRIAGE, "report", *arguments, *options, export],
                              capture_output=True, check=False)
        self.stderr = done.stderr.decode()
        self.left_out_code = "--no-code" in options or len(self.issues) > 20
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


def fold(text):
    """Lines that follow themselves are said once, with their number."""
    runs = [(line, len(list(equal))) for line, equal in itertools.groupby(text.split("\n"))]
    return "\n".join(line + f" ({count} times)" if line and count > 1 else line for line, count in runs)


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
        self.check_sonarqube(reports)

    def check_counts(self, reports):
        """Open ones and false positives of every report add up to the summary's total."""
        total = reports.summary["total_issues"]
        false_positives = reports.summary["false_positive_count"]
        found = total - false_positives
        rows = reports.rows()[1:]
        self.assertEqual(len(rows), total)
        self.assertEqual(sum(row[-1] == "open" for row in rows), found)
        self.assertIn(f" of {found:,} open. Dismissed: {false_positives:,}.\n",
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
            self.assertLessEqual(set(reference.IS_UNSAFE.findall(lines)), {"\n", "\t"}, kind)

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
        self.assertEqual(page.tags.get("details", 0), len(page.summaries) + len(page.groups))
        if not page.items and not self.left_out(text) and "too long to be shown" not in text:
            self.check_details(reports, "".join("".join(page.text).split()))

    def check_details(self, reports, text):
        """All that is said of each open finding is in the text, which has no blanks."""
        for issue in reports.open():
            notes = reference.notes_of(issue)
            texts = [issue.get(m) or "" for m in ("description", "explanation", "remediation")]
            wanted = [reference.mask(issue["id"], False)[:100],
                      *(fold(reference.mask(t, True)) for t in texts),
                      *(reference.mask(t, True) for t in notes[-1:])]
            if reports.left_out_code is False:
                wanted += [reference.mask(issue.get(m) or "", True)
                           for m in ("code_snippet", "remediation_code")]
            for piece in wanted:
                self.assertIn("".join(piece.split()), text)

    @staticmethod
    def left_out(text):
        """The number in the closing line."""
        return int(text.rsplit("Not shown: ", 1)[1].split(" ", 1)[0].replace(",", ""))

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
        names = [(case.get("classname"), case.get("name")) for case in cases]
        self.assertEqual(len(set(names)), len(names))
        forms = [case.find("skipped") is not None for case in cases[1:]]
        self.assertEqual(forms, sorted(forms), "open ones stand before dismissed ones")
        self.assertEqual(len(cases) - 1, len(reports.issues))
        left = cases[1:]
        # A name may begin like another one: the longest first.
        for issue in sorted(reports.issues, key=lambda issue: -len(self.case_name(issue))):
            path, note = reference.path_of(issue), None
            if not reference.is_open(issue):
                notes = reference.notes_of(issue)
                note = reference.mask(notes[-1], True) if notes else ""
            case = next(case for case in left if case.get("classname") == (path or "(no file)")
                        and case.get("file") == path and case.get("name").startswith(self.case_name(issue))
                        and (case.find("failure") is not None) == (note is None)
                        and (note is None or (case.find("skipped").text or "") == note))
            left.remove(case)

    @staticmethod
    def case_name(issue):
        return f"{reference.category(issue)}: {reference.title(issue, 200)}"

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

    def check_sonarqube(self, reports):
        """Each rule once, with the worst severity that is open, and known to all of its issues."""
        report = json.loads(reports.text("sonarqube"))
        placed = [issue for issue in reports.open() if reference.raw_path(issue) is not None]
        self.assertEqual([entry["primaryLocation"] for entry in report["issues"]], [{
            "message": reference.title(issue, 1000), "filePath": reference.path_of(issue),
            **({"textRange": {"startLine": reference.line_of(issue)}}
               if reference.line_of(issue) else {})} for issue in placed])
        rules = {rule["id"]: rule for rule in report["rules"]}
        self.assertEqual(len(rules), len(report["rules"]))
        self.assertEqual([entry["ruleId"] for entry in report["issues"]],
                         [reference.category(issue) for issue in placed])
        severities = ["BLOCKER", "CRITICAL", "MAJOR", "MINOR", "INFO", "MAJOR"]
        for name, rule in rules.items():
            levels = [reference.level(issue) for issue in reports.open()
                      if reference.category(issue) == name]
            if len({issue.get("category") for issue in reports.open()
                    if reference.category(issue) == name}) == 1:
                self.assertEqual(rule["severity"], severities[min(levels)])
        self.assertLessEqual({entry["ruleId"] for entry in report["issues"]}, set(rules))

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
        for first in range(0, len(HOSTILE), 10):
            issues = []
            for text in HOSTILE[first:first + 10]:
                issue = {m: text for m in ("title", "category", "description", "code_snippet",
                                           "remediation", "remediation_code", "explanation",
                                           "owasp_category", "severity", "file_path", "repo_name")}
                issue.update(id=f"{len(issues)}{text}", cwe_ids=[text], tags=[text],
                             notes=[{"added_at": None, "text": text or "n"}])
                issues += [issue, {**issue, "id": f"f{issue['id']}", "false_positive": True}]
            with self.subTest(HOSTILE[first:first + 10]):
                self.check(issues)


def finding(number, **members):
    """An issue with what matters."""
    return {"id": f"i{number}", "scan_id": "s", "file_path": "a.c", "line_number": number + 1,
            "severity": "high", "category": "c", "title": "t", **members}


class Tricky(Checks):
    """Inputs that go wrong easily, and options."""

    def cases(self, reports):
        """The cases of the JUnit report: (class, name, form)."""
        for case in readers.junit(reports.paths["junit"])[0]:
            forms = [tag for tag in ("failure", "skipped") if case.find(tag) is not None]
            yield case.get("classname"), case.get("name"), (forms or ["passed"])[0]

    def forms(self, reports):
        """The forms of the cases in the order of their issues' ids."""
        cases = list(readers.junit(reports.paths["junit"])[0])[1:]
        forms = [case[2] for case in self.cases(reports)][1:]
        ids = [re.search("^Id: (.*)$", "".join(case.itertext()), re.M)[1] for case in cases]
        return " ".join(form for _, form in sorted(zip(ids, forms)))

    def test_nothing(self):
        reports = Reports([])
        self.assertEqual(list(self.cases(reports)), [("retriage", "read", "passed")])
        self.assertEqual(json.loads(reports.text("codequality")), [])
        self.assertEqual(reports.text("github"), "")
        self.assertEqual(len(reports.rows()), 1)
        self.assertTrue(reports.text("md").endswith("Not shown: 0 of 0 open. Dismissed: 0.\n"))
        self.check([])

    def test_equal_findings(self):
        """Three equal ones have three names and fingerprints, which stay when lines move."""
        issues = [finding(n) for n in range(3)] + [finding(3, title="t (2)"), finding(4)]
        reports = Reports(issues)
        names = [case[1] for case in self.cases(reports)][1:]
        self.assertEqual(names, ["c: t (a.c)", "c: t (a.c) (2)", "c: t (a.c) (3)", "c: t (2) (a.c)",
                                 "c: t (a.c) (4)"])
        moved = Reports([{**issue, "line_number": issue["line_number"] + 40} for issue in issues])
        self.assertEqual([case[1] for case in self.cases(moved)][1:], names)
        for kept, other in zip(json.loads(reports.text("codequality")),
                               json.loads(moved.text("codequality"))):
            self.assertEqual(kept["fingerprint"], other["fingerprint"])
            self.assertNotEqual(kept["location"], other["location"])
        self.check(issues)

    def test_name_taken(self):
        """A title that looks like a numbered one comes first."""
        reports = Reports([finding(n, title="t" if n else "t (2)", file_path=None) for n in range(4)])
        self.assertEqual([case[1] for case in self.cases(reports)][1:],
                         ["c: t (2)", "c: t", "c: t (3)", "c: t (4)"])

    def test_annotations(self):
        """Ten of a kind at most, worst first."""
        for count, lines in ((0, 0), (9, 9), (10, 10), (11, 10), (40, 10)):
            issues = [finding(n) for n in range(count)]
            issues += [finding(100 + n, severity="low") for n in range(11)]
            issues += [finding(200, severity="critical", title="worst")] if count else []
            reports = Reports(issues)
            found = list(readers.commands(reports.text("github")))
            self.assertEqual(sum(f[0] == "error" for f in found), min(lines + (count > 0), 10))
            self.assertEqual(sum(f[0] == "notice" for f in found), 10)
            if count:
                self.assertEqual(found[0][2], "worst")
            self.check(issues)
        done = subprocess.run([RETRIAGE, "report", "--to=github=-"], check=True, text=True,
                              input=json.dumps([finding(n) for n in range(12)]),
                              stdout=subprocess.PIPE)
        self.assertEqual(done.stdout.splitlines()[9:], ["::error::3 more errors"])

    def test_paths(self):
        """Of no path, of another system, below a prefix, above everything."""
        paths = {"C:\\x\\y.c": "C:/x/y.c", "./a": "a", "../a": "../a", "/w/src/a": "a",
                 "/w/srca": "srca", "a,b:c%\n::error::x": "a,b:c%\n\u27e8:\u27e9:error::x"}
        issues = [finding(n, file_path=path) for n, path in enumerate(paths)]
        reports = Reports(issues + [finding(9, file_path=None), finding(8, file_path="")],
                          "--strip-prefix=/w", "--strip-prefix=/w/src")
        found = [f[1].get("file") for f in readers.commands(reports.text("github"))]
        self.assertEqual(sorted(found, key=str), sorted([*paths.values(), None, None], key=str))
        entries = json.loads(reports.text("codequality"))
        self.assertEqual([entry["location"]["path"].replace(" ", "\n") for entry in entries[:5]],
                         list(paths.values())[:5])
        told = [line for line in reports.stderr.splitlines(True) if "retriage: wrote " not in line]
        self.assertEqual("".join(told),
                         "retriage: codequality: left out: 2 open issues without a path\n"
                         "retriage: gitlab-sast: left out: 2 issues without a path\n"
                         "retriage: sonarqube: left out: 2 open issues without a path\n"
                         "retriage: codequality, gitlab-sast, sonarqube: 1 issue is at an absolute "
                         "path, which no repository has; --strip-prefix FOLDER takes the "
                         "beginning off\n")
        self.assertEqual([row[2] for row in reports.rows()[1:]][:2], ["C:\\x\\y.c", "./a"])

    def test_options(self):
        """What is hidden, left out and called otherwise."""
        issues = [finding(0, code_snippet="SECRET", context_before="SECRET",
                          context_after="SECRET", remediation_code="SECRET", title="=1"),
                  finding(1, false_positive=True)]
        reports = Reports(issues, "--no-code", "--hide=false_positive", "--csv-raw",
                          "--title=Weekly *scan* #1")
        for kind in KINDS:
            self.assertNotIn("SECRET", reports.text(kind))
        self.assertEqual([case[2] for case in self.cases(reports)], ["passed", "failure"])
        self.assertEqual(len(json.loads(reports.text("gitlab-sast"))["vulnerabilities"]), 1)
        self.assertEqual(len(reports.rows()), 3)
        self.assertEqual(reports.rows()[1][7], "=1")
        self.assertIn("formulas are not guarded (--csv-raw)", reports.stderr)
        self.assertEqual("".join(readers.render(reports.text("md")).text[:4]).split("\n")[0],
                         "Weekly *scan* #1: 1 open of 2 issues")
        self.assertIn("SECRET", "".join(Reports(issues).text("md")))

    def test_link(self):
        """Places lead to the source, in details and in rows, unless they lead out of it."""
        paths = ["a b/ü(1).c", "../a", "/abs", None, "x/../y", "..z/a]b`c", "a.c"]
        long = {m: "c" * 120 for m in ("category", "owasp_category")}
        issues = [finding(n, file_path=path, repo_name="o/r", cwe_ids=["c" * 120], **long)
                  for n, path in enumerate(paths)]
        address = "https://git.example/o/r/blob/main/{}#L{}"
        wanted = [address.format("a%20b/%C3%BC%281%29.c", 1),
                  address.format("..z/a%5Db%60c", 6), address.format("a.c", 7)]
        template = "https://git.example/{repo}/blob/main/{path}#L{line}"
        for options in ([], ["--limit=md=1280"]):
            reports = Reports(issues, f"--link={template}", *options)
            page = readers.render(reports.text("md"))
            self.assertEqual(page.wrong, [])
            self.assertEqual(sorted(page.links), sorted(wanted))
            self.assertEqual(len(page.items) > 2, bool(options))
        for before, wanted in (("a)*b*(", "a%29%2Ab%2A%28"), ("a b/\u00fc/\x7f", "a%20b/%C3%BC/%7F")):
            text = Reports(issues[-1:], f"--link=https://x.example/{before}{{path}}").text("md")
            page = readers.render(text)
            self.assertEqual((page.wrong, page.links), ([], [f"https://x.example/{wanted}a.c"]))
            self.assertIn(f"](https://x.example/{wanted}a.c)", text)

    def test_markdown_blanks(self):
        """A span keeps the blanks around a text, of which a renderer takes one on each side."""
        for number, span in ((" a ", "`  a  `"), (" a", "` a`"), ("a`", "`` a` ``")):
            text = Reports([finding(0, id=number, title="a b", description="R & D")]).text("md")
            self.assertIn(f" \u00b7 {span}\n\nR &amp; D\n\n", text)

    def test_one_present(self):
        """Ages are counted to one time in all outputs of a run: --at, else now, and never the scan's."""
        day = {"created_at": "2025-06-01T00:00:00Z", "scan_created_at": "2025-06-01T06:00:00Z"}
        issues = [finding(n, severity="critical" if n < 2 else "low", **day) for n in range(5)]
        for options, apart in ((["--at=2025-06-06"], True), (["--at=2025-06-02"], False), ([], True)):
            with tempfile.TemporaryDirectory() as name:
                page = pathlib.Path(name) / "page.html"
                reports = Reports(issues, f"--to=html={page}", "--sla=critical=3", "--columns=id,overdue", *options)
                overdue = sum(row[1] == "true" for row in reports.rows()[1:])
                self.assertEqual(overdue, 0 if options == ["--at=2025-06-02"] else 2)
                self.assertEqual(f"**{overdue} overdue**" in reports.text("md"), overdue > 0)
                self.assertIn(f">{overdue} overdue</b>", page.read_text())
                self.assertEqual(", the scan is of 1 June 2025." in page.read_text(), apart)
        scan = json.loads(Reports([finding(0)], "--at=2025-06-06").text("gitlab-sast"))["scan"]
        self.assertEqual(scan["start_time"], "2025-06-06T00:00:00")

    def test_gate(self):
        """Cases fail where they break the gate, and only then."""
        issues = [finding(0), finding(1, severity="low"), finding(2, severity="odd"),
                  finding(3, false_positive=True),
                  finding(4, false_positive=True,
                          notes=[{"added_at": None, "text": "vendored exp:2020-01-01"}])]
        for options, status, first, forms in (
                (["--fail-on=high"], 1, "failure", "failure passed failure skipped failure"),
                (["--max=high=3"], 0, "passed", "passed passed passed skipped passed"),
                (["--max=high=3", "--max=low=0"], 1, "failure",
                 "passed failure passed skipped passed"),
                (["--max=total=0", "--count-false-positives"], 1, "failure",
                 "failure failure failure failure failure"),
                (["--at-least=6"], 1, "failure", "passed passed passed skipped passed")):
            with self.subTest(options):
                reports = Reports(issues, *options, status=status)
                cases = list(self.cases(reports))
                self.assertEqual(cases[0], ("retriage", "gate", first))
                self.assertEqual(self.forms(reports), forms)
                suite = readers.junit(reports.paths["junit"])[0]
                self.assertEqual(int(suite.get("failures")),
                                 forms.count("failure") + (first == "failure"))
                self.assertEqual(int(suite.get("skipped")), forms.count("skipped"))
                self.assertIn("### retriage: **" + ("fail" if status else "pass") + "**: ",
                              reports.text("md"))
                self.check_inert(reports)
                self.assertEqual(readers.render(reports.text("md")).wrong, [])

    def test_hidden(self):
        """A false positive that a condition counts is no hidden one."""
        issues = [finding(0, false_positive=True, severity="low"), finding(1, false_positive=True)]
        for options, status, forms in (([], 0, ""), (["--max=high=0"], 1, "failure")):
            reports = Reports(issues, "--hide=false_positive", "--count-false-positives",
                              "--max=critical=0", *options, status=status)
            cases = list(self.cases(reports))[1:]
            self.assertEqual(" ".join(case[2] for case in cases), forms)

    def test_hidden_expired(self):
        """Nor is one by a decision that has come to its end, whatever conditions count."""
        ends = [{"added_at": None, "text": "for now exp:2024-01-01"}]
        issues = [finding(0, false_positive=True, notes=ends, severity="low"),
                  finding(1, false_positive=True), finding(2)]
        for level in ("info", "critical"):
            reports = Reports(issues, "--hide=false_positive", f"--max={level}=9")
            self.assertEqual(len(list(self.cases(reports))), 3)
            found = json.loads(reports.text("gitlab-sast"))["vulnerabilities"]
            self.assertEqual(len(found), 2)

    def test_filter(self):
        """What a filter leaves out is said."""
        reports = Reports([finding(n, severity="high" if n else "low") for n in range(4)],
                          "--where=severity=high", "--not=title~`<b>|$1")
        self.assertEqual(len(reports.rows()), 4)
        page = readers.render(reports.text("md"))
        self.assertIn("A filter has left out 1 issue: --where severity=high --not "
                      "'title~`<b>|$1'.", "".join(page.text))
        self.assertEqual(page.wrong, [])
        self.assertIn("filter: --where", readers.junit(reports.paths["junit"])[0][0][0].text)

    def test_journal(self):
        """The state and the notes are those that the journal leads to."""
        with tempfile.TemporaryDirectory() as folder:
            base, journal = pathlib.Path(folder, "base.json"), pathlib.Path(folder, "journal")
            base.write_text(json.dumps([finding(0), finding(1)]))
            request = {"issue_ids": ["i1"], "false_positive": True, "notes": "=vendored"}
            subprocess.run([RETRIAGE, "apply", "--quiet", f"--journal={journal}", "--at=2025-01-01",
                            base, "-"], input=json.dumps(request).encode(), check=True,
                           stdout=subprocess.DEVNULL)
            reports = Reports(base, f"--journal={journal}")
            self.assertEqual(reports.rows()[2][-2:], ["'=vendored", "dismissed"])
            flags = json.loads(reports.text("gitlab-sast"))["vulnerabilities"][1]["flags"]
            self.assertEqual(flags[0]["description"], "=vendored")
            self.assertEqual([case[2] for case in self.cases(reports)],
                             ["passed", "failure", "skipped"])

    def test_severities(self):
        """What is no level has a column and a banner with its number."""
        issues = [finding(n, severity=s) for n, s in
                  enumerate(["BLOCKER", "High", None, "", "high", "BLOCKER", "@team"])]
        reports = Reports(issues)
        text = " ".join("".join(readers.render(reports.text("md")).text).split())
        self.assertIn("other", text)
        self.assertIn("6 issues have a severity that is no level: (empty) 1, @team 1, BLOCKER 2, "
                      "High 1, none 1.", text)
        self.check(issues)


class Spreadsheet(unittest.TestCase):
    """What people open in a spreadsheet (TRIAGE T23), read by Python's reader."""

    COLUMNS = ("status reason severity age overdue finding path line rule tool repo decided_by "
               "decided_at expires note link id").split()

    def test_triage(self):
        issues = [finding(n, created_at="2026-01-01T00:00:00Z", title='=1+"1";\nnext' if n == 3 else f"t{n}",
                          repo_name="acme/web", severity="low" if n > 4 else "high") for n in range(8)]
        with tempfile.TemporaryDirectory(prefix="retriage-report-") as name:
            export, journal = pathlib.Path(name) / "export.json", pathlib.Path(name) / "journal"
            export.write_text(json.dumps(issues))
            subprocess.run([RETRIAGE, "decide", "--quiet", "--where", "severity=high", "--not", "id=i0",
                            "--dismiss", "accepted_risk", "--note", "until, \"the\" gateway; goes",
                            "--expires", "2026-06-30", "--actor", "Zo\u00eb", "--at", "2026-02-03T04:05:06Z",
                            "--journal", journal, export], check=True)
            done = subprocess.run([RETRIAGE, "list", "--quiet", "--as", "csv", "--columns", "triage", "--at",
                                   "2026-03-02", "--csv-bom", "--link", "https://x.example/{repo}/{path}#L{line}",
                                   "--journal", journal, export], check=True, stdout=subprocess.PIPE)
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode("utf-8-sig"), newline="")))
        self.assertEqual(done.stdout[:3], b"\xef\xbb\xbf")
        self.assertEqual([list(row) for row in rows], [self.COLUMNS] * 8)
        for number, row in enumerate(rows):
            decided = 0 < number < 5
            self.assertEqual((row["id"], row["status"], row["reason"], row["decided_by"], row["decided_at"],
                              row["expires"], row["note"].count("until, \"the\" gateway; goes")),
                             (f"i{number}", "dismissed", "accepted_risk", "Zo\u00eb", "2026-02-03T04:05:06Z",
                              "2026-06-30", 1) if decided else (f"i{number}", "open", "", "", "", "", 0))
            self.assertEqual((row["age"], row["path"], row["line"], row["rule"], row["repo"], row["link"]),
                             ("60", "a.c", str(number + 1), "c", "acme/web",
                              f"https://x.example/acme/web/a.c#L{number + 1}"))
            self.assertEqual(row["finding"], "'=1+\"1\"; next" if number == 3 else f"t{number}")


class Limits(Checks):
    """As much as fits, and the number of the rest."""

    def test_markdown(self):
        """Any limit, any findings: never a byte more, and little less where more could be."""
        rng = random.Random(f"{SEED} limits")
        for number in range(ROUNDS):
            limit = rng.choice([1024, rng.randrange(1024, 3000), rng.randrange(1024, 65000)])
            issues = random_export(rng)
            options = rng.choice([[], ["--title=" + "\u4e2d#*" * 200],
                                  ["--where=severity", "--not=title=" + "x" * 900],
                                  ["--sla=high=1,low=2", "--at=2026-01-01"]])
            with self.subTest(seed=SEED, round=number, limit=limit):
                reports = Reports(issues, f"--limit=md={limit}", *options)
                text = reports.text("md")
                size = len(text.encode())
                self.assertLessEqual(size, limit)
                page = readers.render(text)
                self.assertEqual(page.wrong, [])
                if "--where=severity" in options:
                    continue
                listed = len(page.summaries) + len(page.items)
                self.assertEqual(listed + self.left_out(text), len(reports.open()))
                if self.left_out(text):
                    self.assertGreater(size, limit - 4000)

    def test_rules(self):
        """The rules with the worst open findings, ten at most, whatever their names hold."""
        issues = [finding(n, category=f"noise {n % 12}") for n in range(40)]
        issues.append(finding(40, category="a|`b` <c>", severity="critical"))
        text = Reports(issues).text("md")
        rows = re.findall(r"^\| (.*) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.M)[1:]
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows[0][1:], ("1", "0", "0", "0", "0"))
        self.assertEqual(readers.render(text).wrong, [])

    def test_halves(self):
        """Where not all details fit, they have half of the room, the worst ones, and rows the rest."""
        issues = [finding(n, title=f"number {n:03}") for n in range(1000)]
        text = Reports(issues).text("md")
        page = readers.render(text)
        shown = [int(n) for n in re.findall(r"number (\d{3})", text)]
        self.assertEqual(shown, sorted(shown))
        self.assertEqual(len(set(shown)), len(page.summaries) + len(page.items))
        self.assertGreater(len(page.items), len(page.summaries))
        last = text.rindex("<details>")
        self.assertTrue(25000 < last < 33500, last)
        self.assertEqual(page.groups, [f"high \u00b7 c \u00b7 {len(set(shown)):,} findings"])
        text = Reports(issues[:60]).text("md")
        self.assertEqual(len(readers.render(text).summaries), 60)

    def test_part_of_a_rule(self):
        """A rule that is cut says how many it has; rules stand in the order of their table."""
        many = [finding(n, category="many", severity="critical") for n in range(300)]
        few = [finding(500 + n, category="worse", severity="critical", exploitable=True) for n in range(12)]
        text = Reports(many + few, "--limit=md=4KiB").text("md")
        page = readers.render(text)
        shown = [int(re.search(r"([0-9,]+) of ([0-9]+) findings", group)[1]) for group in page.groups[:1]]
        self.assertEqual([group.split(" of ")[1] for group in page.groups[:1]], ["300 findings"])
        self.assertEqual(page.groups[0].split(" \u00b7 ")[1], "many")
        self.assertEqual(page.groups[1].split(" \u00b7 ")[1:], ["worse", "12 findings"])
        self.assertLess(text.index("| many |"), text.index("| worse |"))
        self.assertEqual(300 - shown[0], self.left_out(text))

    def test_each_limit(self):
        """Rows that fill it to the last byte are no byte too many."""
        long = {m: "c" * 120 for m in ("category", "owasp_category")}
        issues = [finding(n, cwe_ids=["c" * 120], **long) for n in range(90)]
        for limit in range(1500, 1532):
            text = Reports(issues, f"--limit=md={limit}").text("md")
            self.assertLessEqual(len(text.encode()), limit)
            self.assertGreater(len(text.encode()), limit - 60)
            self.assertGreater(text.count("\n- "), 5)

    def test_least(self):
        """1 KiB for ten thousand: head, counts, closing line."""
        reports = Reports([finding(n) for n in range(10000)], "--limit=md=1KiB", "--fail-on=low",
                          status=1)
        text = reports.text("md")
        self.assertLessEqual(len(text.encode()), 1024)
        self.assertIn("| open | 0 | 10,000 | 0 | 0 | 0 |", text)
        self.assertRegex(text, r"Not shown: 9,9[0-9][0-9] of 10,000 open. Dismissed: 0.\n$")
        done = subprocess.run([RETRIAGE, "report", "--to=md=-", "--limit=md=1023", "-"],
                              input=b"[]", capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_rows_longer_than_details(self):
        """What has room as details may have none as a row; what is left out is counted."""
        issues = [finding(n, title="*" * (120 if n % 3 else 20)) for n in range(60)]
        for limit in range(1400, 9000, 400):
            text = Reports(issues, f"--limit=md={limit}").text("md")
            page = readers.render(text)
            self.assertLessEqual(len(text.encode()), limit)
            self.assertEqual(page.wrong, [])
            shown = [self.row_of(issue) for issue in issues]
            listed = page.summaries + [item.strip() for item in page.items]
            self.assertEqual(listed, shown[:len(listed)])
            self.assertEqual(len(listed) + self.left_out(text), 60)

    def test_no_row(self):
        """Where no row has room there is no list, and one blank line before the closing one."""
        text = Reports([finding(n, file_path="p" * 5000) for n in range(2)], "--limit=md=1KiB").text("md")
        self.assertTrue(text.endswith("\n\nNot shown: 2 of 2 open. Dismissed: 0.\n"), text)
        self.assertNotIn("\n\n\n", text)

    def test_junit(self):
        """Beyond --max-findings one case counts the rest; with false positives only it passes."""
        issues = [finding(n) for n in range(5)]
        for last, form in ((False, "failure"), (True, "passed")):
            issues[3:] = [finding(n, false_positive=last) for n in (3, 4)]
            reports = Reports(issues, "--max-findings=3")
            suite = readers.junit(reports.paths["junit"])[0]
            self.assertEqual((len(suite), suite.get("tests")), (5, "5"))
            self.assertEqual(suite[-1].get("name"), "not listed")
            self.assertIn("2 issues are not listed here", "".join(suite[-1].itertext()))
            self.assertEqual(suite[-1].find("failure") is not None, form == "failure")
            self.assertEqual(int(suite.get("failures")), 3 + (form == "failure"))
            self.assertIn("junit has cases of 3 of 5 issues", reports.stderr)
            reports = Reports(issues, "--max-findings=4")
            suite = readers.junit(reports.paths["junit"])[0]
            self.assertIn("1 issue is not listed here", "".join(suite[-1].itertext()))

    def test_junit_dismissed(self):
        """Dismissed issues that a condition counts fail among those that are not listed, too, hidden or not."""
        issues = [finding(n, severity="critical", false_positive=True) for n in range(5)]
        for options in ([], ["--hide=false_positive"]):
            reports = Reports(issues, "--fail-on=high", "--count-false-positives", "--max-findings=1",
                              *options, status=1)
            suite = readers.junit(reports.paths["junit"])[0]
            self.assertEqual((len(suite), suite.get("failures")), (3, "3"))
            self.assertIn("4 issues are not listed here", "".join(suite[-1].itertext()))
            self.assertIsNotNone(suite[-1].find("failure"))

    def test_said_once(self):
        """What the worst finding of a rule has had no room to say the next one says."""
        texts = {"title": "a title", "description": "the description", "remediation": "the way out"}
        issues = [finding(0, severity="critical", explanation="long " * 80000, code_snippet="the code", **texts),
                  finding(1, code_snippet="the code", **texts), finding(2, code_snippet="the code", **texts)]
        text = Reports(issues).text("md")
        self.assertIn("Its texts are too long", text)
        for once in ("the description", "the way out", "the code"):
            self.assertIn(once, text)
        text = Reports(issues[1:]).text("md")
        for once in ("the description", "the way out", "the code"):
            self.assertEqual(text.count(once), 1)

    def test_rules_of_unknown_severity(self):
        """Rules are in order by severities that are no level where a gate counts them by themselves."""
        issues = [finding(n, severity="BLOCKER", category=f"r{n % 4}" if n < 40 else "most") for n in range(60)]
        text = Reports(issues, "--max=unknown=100").text("md")
        rows = re.findall(r"^\| ([a-z0-9]+) \|(?: \d+ \|){5} (\d+) \|$", text, re.M)
        self.assertEqual(rows[:2], [("open", "60"), ("most", "20")])

    def test_junit_bytes(self):
        """25 MB are the most."""
        issues = [finding(n, description="<" * 4000) for n in range(2000)]
        reports = Reports(issues)
        size = reports.paths["junit"].stat().st_size
        self.assertLessEqual(size, 25_000_000)
        self.assertGreater(size, 24_800_000)
        suite = readers.junit(reports.paths["junit"])[0]
        self.assertEqual(int(suite.get("tests")), len(suite))
        self.assertEqual(suite[-1].get("name"), "not listed")

    def test_many(self):
        """57,312 findings: each has a row."""
        reports = Reports([finding(n) for n in range(57312)])
        self.assertEqual(len(reports.rows()), 57313)
        self.assertEqual(len(json.loads(reports.text("codequality"))), 57312)
        self.assertEqual(len(readers.junit(reports.paths["junit"])[0]), 10002)


if __name__ == "__main__":
    unittest.main()
