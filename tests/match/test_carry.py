"""Decisions brought from one scan to the next: each old one in exactly one class, nothing twice.

Random scans and their next ones, and the rows of WORKFLOW's table of tricky inputs.
Environment: as for test_diff.py.
"""
import collections
import json
import random
import subprocess
import unittest

import test_diff
from test_diff import RETRIAGE, ROUNDS, SEED, issue

CLASSES = ("carried", "already", "held", "conflict", "changed", "ambiguous", "gone", "expired")
AT = "2026-03-01T00:00:00Z"


class Carry(unittest.TestCase):
    """Runs carry, apply, log and verify in a folder of its own."""

    setUp = test_diff.Diff.setUp

    def run_tool(self, *args, status=0):
        done = subprocess.run([RETRIAGE, *args], check=False, cwd=self.folder, capture_output=True,
                              text=True, timeout=60)
        self.notes = done.stderr
        self.assertEqual(done.returncode, status, f"{args}\n{done.stderr}")
        return done.stdout

    def write(self, name, records):
        """A data set, or requests."""
        lines = name.endswith("l")
        text = "".join(json.dumps(x) + "\n" for x in records) if lines else json.dumps(records)
        (self.folder / name).write_text(text, encoding="utf-8")

    def apply(self, journal, export, *requests, actor="alice", at="2026-01-01T00:00:00Z"):
        self.write("wanted.jsonl", requests)
        self.run_tool("apply", "--journal", journal, "--actor", actor, "--at", at, export, "wanted.jsonl")

    def carry(self, *options, old="old.json", new="new.json", status=0):
        """The report, its counts checked."""
        report = json.loads(self.run_tool("carry", "--at", AT, *options, old, new, status=status))
        counts = report["counts"]
        self.assertEqual(counts["decisions"], sum(counts[c] for c in CLASSES))
        self.assertEqual(counts["carried"], sum(counts["carried_by"].values()))
        ids = collections.Counter(e["old_id"] for c in CLASSES if c != "ambiguous" for e in report[c])
        ids.update(o["id"] for g in report["ambiguous"] for o in g["old"]
                   if o["decision"] and o["id"] not in ids)
        self.assertEqual(set(ids.values()) - {1}, set())
        self.assertEqual(len(ids), counts["decisions"])
        return report

    def classes(self, *options, **more):
        """{class: old ids}, of those that have any."""
        report = self.carry(*options, **more)
        have = {c: [e["old_id"] for e in report[c]] for c in CLASSES if c != "ambiguous" and report[c]}
        if report["ambiguous"]:
            have["ambiguous"] = [o["id"] for g in report["ambiguous"] for o in g["old"] if o["decision"]]
        return have

    def requests(self):
        return [json.loads(x) for x in (self.folder / "req.jsonl").read_text(encoding="utf-8").splitlines()]

    def entries(self, journal):
        return [json.loads(x) for x in (self.folder / journal).read_text(encoding="utf-8").splitlines()[1:]]

    def pair(self, old, **changes):
        """OLD, and NEW with the same findings three lines on, undecided."""
        self.write("old.json", old)
        new = [{k: v for k, v in x.items() if k not in ("false_positive", "exploitable", "notes")}
               | {"id": "n" + x["id"], "line_number": x["line_number"] + 3} | changes for x in old]
        self.write("new.json", new)
        return new


class Tricky(Carry):
    """Rows of the table, each as small as can be."""

    code = {"code_snippet": "call(x, y);"}

    def test_onto_itself(self):
        old = [issue(f"o{n}", line=n, false_positive=n % 2 == 0, notes=f"note {n}") for n in range(9)]
        self.write("old.json", old)
        self.assertEqual(self.classes("--requests", "req.jsonl", new="old.json"),
                         {"already": [x["id"] for x in old]})
        self.assertEqual(self.requests(), [])
        self.assertIn("0 requests", self.notes)

    def test_order_tells_equals_apart(self):
        self.pair([issue("a", line=10, false_positive=True, **self.code), issue("b", line=20, **self.code)])
        (entry,) = self.carry()["carried"]
        self.assertEqual((entry["old_id"], entry["new_id"], entry["by"]), ("a", "na", "context"))
        self.assertEqual(entry["differ"], ["line_number"])

    def test_ambiguous_and_unanimous(self):
        a = issue("a", line=10, false_positive=True, **self.code)
        b = dict(a, id="b", line_number=40)
        new = dict(issue("n", line=40, **self.code))
        self.write("new.json", [new])
        self.write("old.json", [a, dict(b, false_positive=False)])
        report = self.carry("--strict", status=1)
        self.assertEqual(report["ambiguous"], [
            {"by": "context", "old": [{"id": "a", "decision": {"false_positive": True}},
                                      {"id": "b", "decision": None}],
             "old_count": 2, "new": ["n"], "new_count": 1,
             "agree": ["category", "file_path", "title", "code_snippet"], "differ": ["line_number"]}])
        self.write("old.json", [a, b])
        report = self.carry("--strict", "--requests", "req.jsonl")
        self.assertEqual([(e["new_id"], e["by"]) for e in report["carried"]], [("n", "unanimous")])
        self.assertEqual([e["old_id"] for e in report["gone"]], ["b"])
        self.write("old.json", [a, dict(b, notes="another")])
        self.assertEqual(self.classes(), {"ambiguous": ["a", "b"]})
        self.write("old.json", [a, b])
        self.write("new.json", [dict(new, id=f"n{n}", line_number=50 + n) for n in range(3)])
        self.assertEqual(self.classes(), {"ambiguous": ["a", "b"]})

    def test_severity(self):
        self.pair([issue("a", severity="high", **self.code)])
        self.apply("old.j", "old.json", {"issue_ids": ["a"], "severity": "low"})
        self.assertEqual(self.classes(), {})
        self.assertIn("without --old-journal no severity is carried", self.notes)
        for now, want in (("high", "carried"), ("low", "already"), ("medium", "held")):
            self.write("new.json", [issue("n", line=4, severity=now, **self.code)])
            self.assertEqual(self.classes("--old-journal", "old.j"), {want: ["a"]})

    def test_held_all_the_same(self):
        self.pair([issue("a", severity="high", notes="why", false_positive=True, **self.code)], severity="medium")
        self.apply("old.j", "old.json", {"issue_ids": ["a"], "severity": "low"})
        (entry,) = self.carry("--old-journal", "old.j", "--strict", status=1)["held"]
        self.assertEqual(entry["carried"], {"false_positive": True, "notes": 1})
        self.assertEqual(entry["kept"], {"severity": "medium"})

    def test_conflict(self):
        self.pair([issue("a", exploitable=True, false_positive=True, **self.code)], exploitable=False)
        (entry,) = self.carry("--strict", status=1)["conflict"]
        self.assertEqual((entry["carried"], entry["kept"]), ({"false_positive": True}, {"exploitable": False}))

    def test_reopened_stays_open(self):
        self.pair([issue("a", false_positive=True, **self.code)])
        self.carry("--new-journal", "new.j", "--apply")
        self.apply("new.j", "new.json", {"issue_ids": ["na"], "false_positive": False})
        self.assertEqual(self.classes("--new-journal", "new.j"), {"conflict": ["a"]})

    def test_expired(self):
        for end, want in (("2026-02-28", "expired"), ("2026-03-01", "carried"), ("2026-02-30", "expired")):
            self.pair([issue("a", false_positive=True, notes=f"exp:{end}", **self.code)])
            self.assertEqual(self.classes(), {want: ["a"]})

    def test_end_that_the_new_scan_has_itself(self):
        self.pair([issue("a", false_positive=True, notes="vendored exp:2027-12-31", **self.code)])
        self.apply("new.j", "new.json", {"issue_ids": ["na"], "false_positive": True, "notes": "exp:2026-06-30"})
        (entry,) = self.carry("--new-journal", "new.j", "--apply", "--strict", status=1)["conflict"]
        self.assertEqual((entry["carried"], entry["kept"]), ({}, {"false_positive": True, "notes": 1}))
        self.assertEqual(entry["why"], "the new scan has another end for it")
        self.assertEqual(len(self.entries("new.j")), 1)
        # One that came from there is none of its own: a later one may follow it.
        (self.folder / "new.j").unlink()
        self.carry("--new-journal", "new.j", "--apply")
        self.apply("old.j", "old.json", {"issue_ids": ["a"], "false_positive": True, "notes": "exp:2028-12-31"})
        self.assertEqual(self.classes("--old-journal", "old.j", "--new-journal", "new.j", "--apply"), {"carried": ["a"]})
        self.assertEqual(self.status("--journal", "new.j", "new.json"), [("dismissed", "2028-12-31")])

    def status(self, *args, at=AT):
        """(status, end) of each issue."""
        rows = self.run_tool("list", "--quiet", "--as", "csv", "--columns", "status,expires", "--at", at, *args)
        return [tuple(x.strip('"') for x in row.split(",")) for row in rows.splitlines()[1:]]

    def log(self, name, *suppressions, line=10, **more):
        """A log of one result."""
        result = {"ruleId": "R", "level": "error", "message": {"text": "bad thing"}, "locations": [{
            "physicalLocation": {"artifactLocation": {"uri": "src/a.c"}, "region": {
                "startLine": line, "snippet": {"text": "eval(request.args.get(x))"}}}}], **more}
        if suppressions:
            result["suppressions"] = list(suppressions)
        text = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": [result]}]})
        (self.folder / name).write_text(text, encoding="utf-8")

    def decide(self, journal, export, *args, at="2026-01-01T00:00:00Z"):
        self.run_tool("decide", "--quiet", "--all", "--journal", journal, "--actor", "alice", "--at", at, *args, export)

    def test_only_the_dismissal_ends(self):
        """What else was decided goes along, once; the dismissal stays with its note."""
        self.pair([issue("a", severity="medium", **self.code)])
        self.decide("old.j", "old.json", "--severity", "critical", "--exploitable", "yes", "--note", "reachable")
        self.decide("old.j", "old.json", "--dismiss", "accepted_risk", "--expires", "2026-02-01", "--note", "soon")
        for carried in ({"severity": "critical", "exploitable": True, "notes": 1}, {}):
            report = self.carry("--old-journal", "old.j", "--new-journal", "new.j", "--apply")
            (entry,) = report["expired"]
            self.assertEqual((entry["carried"], entry["why"]), (carried, "the dismissal has ended"))
            self.assertEqual(entry["kept"], {"false_positive": None, "notes": 1})
            self.assertEqual(report["counts"]["in_part"], bool(carried))
        self.assertEqual([e["request"] for e in self.entries("new.j")], [
            {"issue_ids": ["na"], "severity": "critical", "exploitable": True, "notes": "reachable"}])
        # Elsewhere there is nothing to carry it to, which is the first thing to say of it.
        self.write("new.json", [issue("n", path="z.c", rule="Z")])
        self.assertEqual(self.classes("--old-journal", "old.j"), {"gone": ["a"]})

    def test_a_log_may_say_when_its_dismissal_ended(self):
        self.log("old.sarif", {"kind": "external", "properties": {"expiration": "2025-02-11T23:00:00Z"}})
        self.log("new.sarif", line=12)
        self.carry("--new-journal", "new.j", "--apply", old="old.sarif", new="new.sarif")
        self.assertEqual(self.status("--journal", "new.j", "new.sarif"), [("open", "")])

    def test_reopened_is_a_decision(self):
        """It counts more than a suppression, and goes on where there is none."""
        nosec = {"kind": "inSource", "justification": "nosec"}
        for note in ([], ["--note", "no false positive: fix it"]):
            for name in ("1.j", "2.j", "3.j"):
                (self.folder / name).unlink(missing_ok=True)
            for name, line, suppressions in (("1.sarif", 10, [nosec]), ("2.sarif", 12, []), ("3.sarif", 14, [nosec])):
                self.log(name, *suppressions, line=line)
            self.decide("1.j", "1.sarif", "--reopen", *note)
            for old, new in "12", "23":
                options = ["--old-journal", f"{old}.j", "--new-journal", f"{new}.j", "--apply"]
                (entry,) = self.carry(*options, old=f"{old}.sarif", new=f"{new}.sarif")["carried"]
                self.assertIs(entry["carried"]["false_positive"], False)
                self.assertEqual(self.status("--journal", f"{new}.j", f"{new}.sarif"), [("open", "")])
                (entry,) = self.carry(*options, old=f"{old}.sarif", new=f"{new}.sarif")["already"]
        # Somebody has dismissed it there.
        (self.folder / "3.j").unlink()
        self.decide("3.j", "3.sarif", "--reopen")
        self.decide("3.j", "3.sarif", "--dismiss", "mitigated", "--note", "behind a proxy")
        report = self.carry("--old-journal", "2.j", "--new-journal", "3.j", "--apply", old="2.sarif", new="3.sarif")
        self.assertEqual(report["counts"]["conflict"], 1)
        self.assertEqual(self.status("--journal", "3.j", "3.sarif"), [("dismissed", "")])

    def test_reopened_in_the_log_itself(self):
        rejected = {"kind": "inSource", "status": "rejected", "justification": "nosec"}
        self.log("old.sarif", rejected)
        self.log("new.sarif", {"kind": "inSource", "justification": "nosec"}, line=12)
        self.carry("--new-journal", "new.j", "--apply", old="old.sarif", new="new.sarif")
        self.assertEqual(self.status("--journal", "new.j", "new.sarif"), [("open", "")])
        self.log("new.sarif", rejected, line=12)
        self.assertEqual(self.classes(old="old.sarif", new="new.sarif").keys(), {"already"})

    def test_comments_stay_comments(self):
        """In the journal that they are carried to, too, and in the export that is written."""
        self.pair([issue("a", **self.code)])
        self.decide("old.j", "old.json", "--dismiss", "accepted_risk", "--expires", "2026-03-31", "--note", "later")
        for text in ("Reason: accepted_risk, who looks?", "exp:2099-12-31", "in source, accepted: by all",
                     "reason:wont_fix", "reason:wont_fix exp:2020-01-01"):
            self.apply("old.j", "old.json", {"issue_ids": ["a"], "notes": text})
        self.apply("old.j", "old.json", {"issue_ids": ["a"], "false_positive": False, "notes": "exp:2098-12-31"},
                   {"issue_ids": ["a"], "false_positive": True})
        for name in ("new.j", "req.jsonl"):
            self.carry("--old-journal", "old.j", *(["--new-journal", "new.j", "--apply"] if name == "new.j" else
                                                   ["--requests", name]))
            if name == "req.jsonl":
                self.run_tool("apply", "-o", "out.json", "new.json", name)
            where = ["--journal", name, "new.json"] if name == "new.j" else ["out.json"]
            self.assertEqual(self.status(*where), [("dismissed", "2026-03-31")])
            self.assertEqual(self.status(*where, at="2026-04-01T00:00:00Z"), [("expired", "2026-03-31")])
        self.run_tool("verify", "-o", "out.json", "old.j", "old.json")
        self.assertEqual(self.status("out.json"), [("dismissed", "2026-03-31")])

    def test_the_note_that_ends_a_dismissal_comes_with_it(self):
        """Wherever it stands among the notes of an export."""
        notes = [{"added_at": None, "text": text} for text in ("seen", "reason:wont_fix exp:2026-12-31", "thanks")]
        self.pair([issue("a", false_positive=True, notes=notes, **self.code)])
        self.carry("--new-journal", "new.j", "--apply")
        self.assertEqual([(e["request"].get("false_positive"), e["request"]["notes"]) for e in self.entries("new.j")],
                         [(None, "seen"), (True, "reason:wont_fix exp:2026-12-31"), (None, "thanks")])
        self.assertEqual(self.status("--journal", "new.j", "new.json"), [("dismissed", "2026-12-31")])

    def test_used_in_tests_stays_there(self):
        text = "reason:used_in_tests fixtures only"
        more = {"context_before": "def run(command):\n    log(command)\n", "context_after": "    return 0\n"}
        for old, new, want in (("tests/a.py", "src/b.py", "held"), ("tests/a.py", "src/a.py", "held"),
                               ("tests/a.py", "tests/b.py", "carried"), ("a.py", "b.py", "carried"),
                               ("tests/a.py", "tests/deep/a.py", "held")):
            self.write("old.json", [issue("a", path=old, severity="high", false_positive=True, exploitable=False,
                                          notes=text, code_snippet="subprocess.call(command, shell=True)", **more)])
            self.write("new.json", [issue("n", path=new, severity="high",
                                          code_snippet="subprocess.call(command, shell=True)", **more)])
            report = self.carry()
            self.assertEqual(report["counts"][want], 1, (old, new))
            (entry,) = report[want]
            if want == "held":
                self.assertEqual((entry["carried"], entry["kept"]),
                                 ({"exploitable": False}, {"false_positive": None, "notes": 1}))
                self.assertEqual(entry["why"], "used_in_tests does not follow to another folder")
                self.assertIn("1 held (1 carried in part)", self.notes)
        self.write("old.json", [issue("a", path="tests/a.py", false_positive=True, notes="reason:mitigated",
                                      code_snippet="subprocess.call(command, shell=True)", **more)])
        self.assertEqual(self.classes(), {"carried": ["a"]})

    def test_a_conflict_leaves_the_dismissal(self):
        """With all notes that came with it; what dismisses nothing has no end to be in conflict with."""
        until = {"kind": "external", "status": "accepted", "justification": "until release exp:2026-12-31"}
        self.log("old.sarif", until)
        self.log("new.sarif", {"kind": "inSource", "status": "underReview", "justification": "check exp:9999-12-31"})
        self.carry("--new-journal", "new.j", "--apply", old="old.sarif", new="new.sarif")
        self.assertEqual(self.status("--journal", "new.j", "new.sarif"), [("dismissed", "2026-12-31")])
        self.pair([issue("a", false_positive=True, notes="vendored", **self.code)], notes="exp:2099-12-31")
        report = self.carry("--requests", "req.jsonl")
        self.assertEqual((report["counts"]["conflict"], report["counts"]["carried"]), (1, 0))
        self.assertFalse(any("false_positive" in r for r in self.requests()))
        self.pair([issue("a", **self.code)])
        self.decide("old.j", "old.json", "--dismiss", "mitigated", "--expires", "2026-12-31", "--note", "proxy")
        self.apply("new2.j", "new.json", {"issue_ids": ["na"], "false_positive": False})
        report = self.carry("--old-journal", "old.j", "--new-journal", "new2.j", "--requests", "req.jsonl")
        self.assertEqual(report["conflict"][0]["kept"], {"false_positive": None, "notes": 1})
        self.assertEqual(self.requests(), [])

    def test_nothing_to_carry_begins_a_journal(self):
        self.pair([issue("a", **self.code)])
        self.carry("--new-journal", "new.j", "--apply")
        self.assertEqual(self.entries("new.j"), [])
        self.run_tool("verify", "new.j", "new.json")
        self.run_tool("gate", "--journal", "new.j", "--max", "total=9", "new.json")
        # The same of what is decided already.
        self.write("new.json", [issue("n", false_positive=True, notes="reason:mitigated", **self.code)])
        self.decide("other.j", "new.json", "--dismiss", "mitigated")
        self.assertEqual(self.entries("other.j"), [])

    def test_a_severity_that_the_log_says_was_decided(self):
        """Held against what the scanner gave, as far as the log still says that."""
        self.log("new.sarif", line=12)
        for level, decided, want in (
                ("error", "low", "carried"),   # the scanner's own level
                ("error", "high", "already"),
                ("error", "critical", "carried"),  # written with the decision: not known, and worse
                ("note", "low", "held"),           # the same, and it may have been low before
                ("warning", "low", "held")):
            self.log("old.sarif", level=level, properties={"retriage": {"severity": decided}})
            report = self.carry("--requests", "req.jsonl", old="old.sarif", new="new.sarif")
            (entry,) = report[want]
            self.assertEqual(entry["why"], {"note": "the scanner may have changed the severity",
                                            "warning": "the scanner changed the severity"}.get(level), decided)
            self.assertNotIn("no severity is carried", self.notes)
            if want == "carried":
                self.assertEqual(self.requests()[0]["severity"], decided)
        self.log("old.sarif", level="note", properties={"retriage": {"severity": "low"}, "security-severity": "8.1"})
        self.assertEqual(list(self.classes(old="old.sarif", new="new.sarif")), ["carried"])
        self.log("new.sarif", line=12, properties={"retriage": {"severity": "info"}})
        self.assertEqual(list(self.classes(old="old.sarif", new="new.sarif")), ["conflict"])

    def test_other_code_by_another_sign(self):
        """A fingerprint or an id that is the same makes other code no less other."""
        self.pair([issue("a", false_positive=True, print="f1", **self.code)], code_snippet="quite_other(z);", id="a")
        for options in ([], ["--fingerprint", "print"]):
            self.assertEqual(self.classes(*options), {"changed": ["a"]})
            self.assertEqual(self.classes("--accept", "changed", *options), {"carried": ["a"]})

    def test_many_notes_are_not_shared(self):
        """A digest of the notes of a hundred issues is in each entry that they share."""
        for count, ids in ((16, 2), (17, 1)):
            notes = [{"added_at": None, "text": f"note {n}"} for n in range(count)]
            self.pair([issue(f"o{n}", line=n + 1, code_snippet=f"call_{n}();", notes=notes) for n in range(2)])
            self.carry("--requests", "req.jsonl")
            self.assertEqual({len(r["issue_ids"]) for r in self.requests()}, {ids})
            self.run_tool("apply", "--quiet", "--journal", f"{count}.j", "new.json", "req.jsonl")
            self.run_tool("verify", "--quiet", f"{count}.j", "new.json")

    def test_changed_code(self):
        self.pair([issue("a", column_start=3, false_positive=True, **self.code)], code_snippet="other();")
        self.assertEqual(self.classes("--strict", status=1), {"changed": ["a"]})
        (entry,) = self.carry("--accept", "changed")["carried"]
        self.assertEqual((entry["by"], entry["differ"]), ("changed", ["line_number", "code_snippet"]))

    def test_gone_or_not_scanned(self):
        self.write("old.json", [issue("a", false_positive=True), issue("b", repo_name="two", false_positive=True)])
        self.write("new.json", [issue("n", path="z.c", rule="Z")])
        self.assertEqual([(e["old_id"], e["scanned"]) for e in self.carry()["gone"]], [("a", True), ("b", False)])

    def test_notes_in_order(self):
        long = "\U0001f512" * 1000
        self.pair([issue(f"o{n}", line=n + 1, code_snippet=f"call_{n}();", false_positive=True,
                         notes=[{"added_at": None, "text": "first"}, {"added_at": None, "text": long}])
                   for n in range(101)])
        self.carry("--requests", "req.jsonl")
        have = [(len(r["issue_ids"]), r.get("false_positive"), r["notes"][:12]) for r in self.requests()]
        self.assertEqual(have, [(n, flag, text) for n in (100, 1)
                                for flag, text in ((True, "first"), (None, long[:12]), (None, "carried from"))])
        self.assertRegex(self.requests()[2]["notes"],
                         r"^carried from scan old\.json \(base sha256 [0-9a-f]{8}…\) by context$")
        self.run_tool("apply", "--journal", "new.j", "new.json", "req.jsonl")
        self.carry("--requests", "req.jsonl", "--new-journal", "new.j")
        self.assertEqual(self.requests(), [])

    def test_note_longer_than_a_request_takes(self):
        note = "".join(f"word{n} " for n in range(500)) + "exp:2026-12-31"
        self.pair([issue("a", false_positive=True, notes=note, **self.code)])
        self.carry("--requests", "req.jsonl")
        parts = [r["notes"] for r in self.requests()][:-1]
        self.assertEqual("".join(parts), note)
        self.run_tool("apply", "--journal", "new.j", "new.json", "req.jsonl")
        self.assertEqual(self.classes("--new-journal", "new.j"), {"already": ["a"]})

    def test_first_decision_is_named_for_good(self):
        new = self.pair([issue("a", **self.code)])
        self.apply("old.j", "old.json", {"issue_ids": ["a"], "false_positive": True, "notes": "vendored"})
        base = json.loads((self.folder / "old.j").read_text(encoding="utf-8").splitlines()[0])["base"]["sha256"]
        self.carry("--old-journal", "old.j", "--new-journal", "new.j", "--apply", "--actor", "bob")
        self.write("later.json", [dict(new[0], id="l")])
        self.carry("--old-journal", "new.j", "--new-journal", "later.j", "--apply", "--actor", "carol",
                   old="new.json", new="later.json")
        for journal, actor in (("new.j", "bob"), ("later.j", "carol")):
            (entry,) = self.entries(journal)
            self.assertEqual((entry["actor"], entry["at"]), (actor, AT))
            self.assertEqual(entry["carried"], {"base": base, "seq": 1, "at": "2026-01-01T00:00:00Z",
                                                "actor": "alice"})
            self.assertEqual(entry["request"]["notes"], "vendored")
        self.run_tool("verify", "later.j", "later.json")

    def test_numbers_of_equal_results_are_no_sign(self):
        def log(name, *lines):
            results = [{"ruleId": rule, "message": {"text": f"{rule} found"}, "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "a.c"}, "region": {"startLine": line}}}]} for rule, line in lines]
            text = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": results}]})
            (self.folder / name).write_text(text, encoding="utf-8")
            rows = json.loads(self.run_tool("list", "--quiet", "--as", "json", name))
            return {row["line_number"]: row["id"] for row in rows}
        old = log("old.sarif", ("R", 10), ("B", 15), ("R", 20), ("C", 25), ("R", 30))
        new = log("new.sarif", ("B", 14), ("R", 19), ("C", 24), ("R", 29))
        self.apply("old.j", "old.sarif", {"issue_ids": [old[20]], "false_positive": True})
        (entry,) = self.carry("--old-journal", "old.j", old="old.sarif", new="new.sarif")["carried"]
        self.assertEqual((entry["old_id"], entry["new_id"]), (old[20], new[19]))
        self.assertNotEqual(old[20], new[19])

    def test_refused(self):
        self.pair([issue("a", false_positive=True, **self.code)])
        self.apply("old.j", "old.json", {"issue_ids": ["a"], "notes": "x"})
        for options in (["--apply"], ["--requests", "old.json"], ["--old-journal", "old.j", "--requests", "old.j"],
                        ["--new-journal", "old.j"], ["--new-journal", "none.j"], ["--accept", "file"]):
            self.run_tool("carry", *options, "old.json", "new.json", status=2)
        self.run_tool("carry", "--apply", "--new-journal", "new.j", "old.json", "-", status=2)
        self.assertFalse((self.folder / "new.j").exists())
        self.assertFalse((self.folder / "req.jsonl").exists())


class Scans(Carry):
    """Random scans, decided at random, and their next ones."""

    scan, next_scan = test_diff.Scans.scan, test_diff.Scans.next_scan

    def decide(self, rng, old):
        ids = [x["id"] for x in old]
        for n, x in enumerate(old):
            if rng.random() < 0.2:
                x |= {"false_positive": True, "notes": rng.choice(["same", f"note {n}", "exp:2025-01-01"])}
        wanted = []
        for _ in range(rng.randint(0, 5) if ids else 0):
            wanted.append({"issue_ids": rng.sample(ids, rng.randint(1, len(ids))), "severity": rng.choice([None, "low"]),
                           "false_positive": rng.choice([None, True, False]), "exploitable": rng.choice([None, True]),
                           "notes": rng.choice([None, "same", "later"])})
        self.write("old.json", old)
        (self.folder / "old.j").unlink(missing_ok=True)
        self.apply("old.j", "old.json", *(wanted or [{"issue_ids": ["none"]}]))

    def test_rounds(self):
        for number in range(ROUNDS):
            rng = random.Random(f"carry {SEED} {number}")
            with self.subTest(round=number):
                for name in ("new.j", "other.j"):
                    (self.folder / name).unlink(missing_ok=True)
                old = self.scan(rng)
                new = self.next_scan(rng, old)
                self.decide(rng, old)
                self.write("new.json", new)
                journals = ["--old-journal", "old.j", "--new-journal", "new.j"]
                report = self.carry(*journals, "--apply", "--requests", "req.jsonl")
                made = self.requests()
                place = {x["id"]: n for n, x in enumerate(new)}
                groups = [[place[i] for i in r["issue_ids"]] for r in made]
                self.assertEqual(groups, [sorted(g) for g in groups])
                self.assertEqual([g[0] for g in groups], sorted(g[0] for g in groups))
                again = self.carry(*journals, "--apply", "--requests", "req.jsonl") if made else report
                self.assertEqual(self.requests(), [])
                self.assertEqual(again["counts"]["carried"], 0)
                self.assertEqual({c: again["counts"][c] for c in ("gone", "expired", "ambiguous", "changed")},
                                 {c: report["counts"][c] for c in ("gone", "expired", "ambiguous", "changed")})
                if made:
                    self.run_tool("verify", "--quiet", "new.j", "new.json")
                    self.assertEqual([e["request"] for e in self.entries("new.j")], made)
                self.carry("--old-journal", "old.j", "--requests", "req.jsonl")
                if self.requests():
                    self.run_tool("apply", "--strict", "--journal", "other.j", "new.json", "req.jsonl")
                    self.carry("--old-journal", "old.j", "--new-journal", "other.j", "--requests", "req.jsonl")
                self.assertEqual(self.requests(), [])
                same = self.carry("--old-journal", "old.j", "--new-journal", "old.j", new="old.json")["counts"]
                self.assertEqual(same["decisions"], same["already"] + same["expired"])


if __name__ == "__main__":
    unittest.main()
