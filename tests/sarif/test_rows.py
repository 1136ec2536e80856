"""The tricky inputs of SARIF, a small log each: what becomes of it is written down here.

Every log is also given to the plain converter, which has to say the same.
"""
import csv
import gzip
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import convert
import program
from make import Raw, Twice, dump, log, place, result, rule, run

GUID = "11111111-2222-3333-4444-555555555555"
OTHER = "22222222-2222-3333-4444-555555555555"


class Case(unittest.TestCase):
    """Gives logs to the program and the converter."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-sarif."))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, value, name="a.sarif"):
        """A file; value: a log, its text or its bytes."""
        data = value if isinstance(value, bytes) else (
            value if isinstance(value, str) else dump(value)).encode()
        path = self.folder / name
        path.write_bytes(data)
        return path, data

    def issues(self, value, accept=False, notes=()):
        """The issues of a log; notes: words, each in a note of its own, but for severities of which
        nothing is said, as in most logs here."""
        path, data = self.write(value)
        want = convert.convert(data, accept)
        if program.PLAIN:
            return want.issues
        program.check_file(path, data, accept)
        options = ["--failed-runs", "accept"] if accept else []
        _, out, err = program.run("list", "--as", "json", *options, path)
        have = [text for text in program.notes_of(err)
                if "how severe" not in text or "how severe" in " ".join(notes)]
        self.assertEqual(len(have), len(notes), have)
        for word, text in zip(notes, have):
            self.assertIn(word, text)
        return program.listed(out)

    def one(self, *arguments, **members):
        """The only issue of a log, or of a log with only this result."""
        value = arguments[0] if arguments else log(run([result(**members)]))
        issues = self.issues(value)
        self.assertEqual(len(issues), 1)
        return issues[0]

    def refused(self, value, *words, rule_name=None, name="a.sarif", options=()):
        """The log is refused, with these words in the message."""
        path, data = self.write(value, name)
        if rule_name != "program":
            with self.assertRaises(convert.Refused) as caught:
                convert.convert(data)
            if rule_name:
                self.assertEqual(caught.exception.rule, rule_name)
        if program.PLAIN:
            return
        line = program.refusal(*program.run("summary", *options, path))
        for word in words:
            self.assertIn(word, line)
        for command in (["list", "--as", "json"], ["gate", "--fail-on", "low"]):
            again = program.refusal(*program.run(*command, *options, path))
            self.assertEqual(again, line)

    def ids(self, value, notes=()):
        """The ids of a log, sorted."""
        return sorted(issue["id"] for issue in self.issues(value, notes=notes))


def ruled(found, *rules, **members):
    """A log of one result and these rules."""
    return log(run([found], rules, **members))


class Recognition(Case):
    """Rows 1 to 8."""

    def test_row_01_results_before_tool(self):
        """The order of a run's members, a pipe and a compression are no part of the answer."""
        rules = [rule(f"R{n}", shortDescription={"text": f"rule {n}"}) for n in range(50)]
        results = [result(ruleId=f"R{n % 50}", locations=[
            {"physicalLocation": {"artifactLocation": {"index": n % 3}}}]) for n in range(200)]
        artifacts = [{"location": {"uri": f"f{n}.c"}} for n in range(3)]
        whole = run(results, rules, artifacts=artifacts)
        first = log({name: whole[name] for name in ("tool", "artifacts", "results")})
        last = log({name: whole[name] for name in ("results", "tool", "artifacts")})
        self.assertEqual(self.issues(first), self.issues(last))
        if program.PLAIN:
            return
        answers = set()
        for value in (first, last):
            path, data = self.write(value)
            answers.add(program.answer("summary", path))
            answers.add(program.answer("summary", stdin=gzip.compress(data)))
        self.assertEqual(len(answers), 1)

    def test_row_02_version_after_runs(self):
        """The version may stand anywhere."""
        value = log(run([result()]))
        version = value.pop("version")
        self.assertEqual(len(self.issues({**value, "version": version})), 1)
        # Also behind more than one record may have.
        path, _ = self.write({"runs": [run([result()] * 200)], "version": version})
        if not program.PLAIN:
            out = program.answer("list", "--as", "json", "--limit", "record=5000", path)
            self.assertEqual(len(program.listed(out)), 200)

    def test_row_03_other_versions(self):
        """Only 2.1.0 is read."""
        for version in ("2.1.0-rtm.5", "2.0.0", "1.0.0", "2.2"):
            value = {**log(run([result()])), "version": version}
            self.refused(value, "version", '"2.1.0"', version, rule_name="S2")
        for version in (Raw("2.1"), [], True):
            self.refused({**log(run([result()])), "version": version}, "version", rule_name="S2")
        value = log(run([result()]))
        del value["version"]
        self.refused(value, "version", rule_name="S2")

    def test_row_04_own_record_with_runs(self):
        """A record of our own with a member `runs` stays a record."""
        for runs in ([1, 2], [1] * 5000):
            path, data = self.write({"id": "x", "scan_id": "s", "runs": runs}, "a.json")
            with self.assertRaises(convert.NotSarif):
                convert.convert(data)
            if not program.PLAIN:
                self.assertEqual([issue["id"] for issue in program.issues_of(path)], ["x"])

    def test_row_05_log_and_export(self):
        """What is a log and an export at once would hide one from whoever looks for the other."""
        runs = {"version": "2.1.0", "runs": [run([result(level="error")])]}
        for lists in ({"rulesets": []}, {"issues": []}, {"issues": [{"id": "x"}]},
                      {"issues": None, "rulesets": []}):
            for value in ({**runs, **lists}, {**lists, **runs}, {"runs": [], **lists},
                          {**lists, "x": 1, "runs": runs["runs"]}, {**runs, "x": "y" * 9000, **lists}):
                self.refused(value, "runs: this document is a SARIF log and an export at once",
                             rule_name="S1")
                text = dump(value).replace('"runs"', '"r\\u0075ns"').replace("sets", "s\\u0065ts")
                self.refused(text, "at once", rule_name="S1")
                # As YAML too, which is read as an export alone.
                text = dump(value).replace('"runs"', "'runs'")
                self.refused(text, "at once", rule_name="program", name="a.yaml")
        for lists in ({"rulesets": None}, {"issues": 7}, {"issues": {}}):
            self.assertEqual(len(self.issues({**runs, **lists})), 1)

    def test_row_05_other_runs(self):
        """Runs that are no array are no log's."""
        for value in ({"issues": [{"id": "x"}], "runs": 7}, {"runs": None, "issues": [{"id": "x"}]},
                      {"runs": None, "version": "1", "x": "y" * 9000, "issues": [{"id": "x"}]}):
            path, data = self.write(value, "a.json")
            with self.assertRaises(convert.NotSarif):
                convert.convert(data)
            if not program.PLAIN:
                self.assertEqual([issue["id"] for issue in program.issues_of(path)], ["x"])

    def test_row_06_byte_order_marks(self):
        """A mark of UTF-8 is passed over; UTF-16 is named."""
        text = dump(log(run([result()])))
        self.assertEqual(len(self.issues("\ufeff" + text)), 1)
        for coding in ("utf-16", "utf-16-le", "utf-16-be"):
            self.refused(text.encode(coding), "UTF-16")

    def test_row_07_trailing_comma(self):
        """No JSON, with its place."""
        text = dump(log(run([result()])))
        self.refused(text[:-1] + ",}", f"a.sarif:1:{len(text) + 1}", rule_name="JSON")

    def test_row_08_wrong_results(self):
        """Results are an array of objects."""
        for results in (Raw("42"), {}, "x", [None], ["x"], [result(), 7]):
            self.refused(log(run(results)), "run 0", rule_name="S6")


class Scans(Case):
    """Rows 9 to 17: what a run says of itself, kinds and levels."""

    def invocations(self, *says):
        """Invocations."""
        return [{"executionSuccessful": one} for one in says]

    def test_row_09_no_results(self):
        """A scan that has nothing is not one that found nothing."""
        self.refused(log({**run([]), "results": None}), "run 0: results", "null", "--failed-runs",
                     rule_name="S10")
        self.refused(log(run(None)), "run 0: results", "--failed-runs", rule_name="S10")
        self.assertEqual(self.issues(log(run([], invocations=self.invocations(True)))), [])
        self.assertEqual(self.issues(log(run([]))), [])
        self.assertEqual(self.issues(log(run([], invocations=[{}]))), [])
        clean = run(None, invocations=self.invocations(True, True))
        self.assertEqual(self.issues(log(clean), notes=["1 run succeeded without results"]), [])
        for says in ([], [{}], self.invocations(True, False), [*self.invocations(True), {}]):
            self.refused(log(run(None, invocations=says)), "run 0: results", rule_name="S10")
        self.refused(log({**clean, "results": None}), "run 0: results", rule_name="S10")
        self.refused(log(clean, run([], invocations=self.invocations(False))),
                     "run 1: executionSuccessful", rule_name="S10")
        for value in (run(None), {**run([]), "results": None}):
            self.assertEqual(self.issues(log(value), True, ["result"]), [])

    def test_row_10_failed_without_results(self):
        """Refused where every invocation failed."""
        value = log(run([], invocations=self.invocations(False)))
        self.refused(value, "run 0: executionSuccessful", rule_name="S10")
        self.assertEqual(self.issues(value, True, [""]), [])
        both = log(run([], invocations=self.invocations(False, True)))
        self.assertEqual(self.issues(both, notes=["1 run failed in part"]), [])
        self.refused(log(run([], invocations=self.invocations(False, False))), rule_name="S10")

    def test_row_11_failed_with_results(self):
        """Results are results; the state of the scan goes with them."""
        results = [result(locations=[place(f"f{n}.c", n)]) for n in range(1, 57)]
        issues = self.issues(log(run(results, invocations=self.invocations(False))),
                             notes=["1 run failed"])
        self.assertEqual([issue["scan_status"] for issue in issues], ["failed"] * 56)

    def test_row_12_no_runs(self):
        """Refused, or taken for nothing."""
        self.refused(log(), "runs", rule_name="S10")
        self.refused({**log(), "runs": None}, "runs", rule_name="S10")
        if program.PLAIN:
            return
        for runs in ([], None):
            path, _ = self.write({**log(), "runs": runs})
            status, out, err = program.run("summary", "--failed-runs", "accept", path)
            self.assertEqual(status, 0, err)
            self.assertEqual(json.loads(out)["total_issues"], 0)
            self.assertEqual(err.count(b"\n"), 1, err)

    def test_row_13_two_tools(self):
        """One failed run: no half of an answer."""
        value = log(run([result()]), run([], invocations=self.invocations(False)))
        self.refused(value, "run 1: executionSuccessful", rule_name="S10")
        self.assertEqual(len(self.issues(value, True, [""])), 1)

    def test_row_14_kinds_that_are_no_issues(self):
        """Left out with a note."""
        results = [result(kind="pass", level="note", message=None), result(),
                   result(kind="notApplicable"), result(baselineState="absent"), result(kind="pass")]
        self.assertEqual(len(self.issues(log(run(results)), notes=[
            "4 results skipped (kind: pass 2, kind: notApplicable 1, baselineState: absent 1)"])), 1)
        self.assertEqual(len(self.issues(log(run(results[:2])),
                                         notes=["1 result skipped (kind: pass)"])), 1)

    def test_row_15_review(self):
        """A possible critical reaches the gate."""
        strong = rule("R1", properties={"security-severity": "9.8"})
        issue = self.one(ruled(result(kind="review", level="none"), strong))
        self.assertEqual(issue["severity"], "critical")
        weak = rule("R1", defaultConfiguration={"level": "error"})
        for kind in ("open", "review"):
            issue = self.one(ruled(result(kind=kind, level="none"), weak))
            self.assertEqual(issue["severity"], "high")
            self.assertEqual(self.one(kind=kind, level="none")["severity"], "medium")

    def test_row_16_informational(self):
        """Information is info, whatever the rule says."""
        self.assertEqual(self.one(kind="informational")["severity"], "info")
        strong = rule("R1", properties={"security-severity": "9.8"})
        issue = self.one(ruled(result(kind="informational", level="error"), strong))
        self.assertEqual(issue["severity"], "info")

    def test_row_17_level_none(self):
        """A failure of level none."""
        self.assertEqual(self.one(kind="fail", level="none")["severity"], "info")

    def test_row_18_unknown_words(self):
        """A level that is none is absent and named; one that is another word for severity counts."""
        table = [("fatal", "medium"), ("", "medium"), ("info", "info"), ("notice", "info"),
                 ("Error", "high"), ("CRITICAL", "critical"), (" high ", "high"), ("x" * 99, "medium")]
        for level, severity in table:
            notes = ["1 result has a level that SARIF does not know"]
            self.assertEqual(self.issues(ruled(result(level=level)), notes=notes)[0]["severity"],
                             severity)
            value = ruled(result(), rule("R1", defaultConfiguration={"level": level}))
            self.assertEqual(self.issues(value, notes=notes)[0]["severity"], severity)
            # What the rule says of itself comes before another word.
            value = ruled(result(level=level), rule("R1", defaultConfiguration={"level": "error"}))
            self.assertEqual(self.issues(value, notes=notes)[0]["severity"], "high")
        found = [result(level=level, ruleId=f"R{n}")
                 for n, level in enumerate(["fatal", "info", "fatal", "", "note"])]
        self.issues(log(run(found), run(found[:1])),
                    notes=['5 results have levels that SARIF does not know: "fatal", "info", "" '
                           "(in 2 runs)", "1 issue has the identity"])
        self.refused(ruled(result(level=7)), "level", rule_name="S6")
        self.refused(ruled(result(kind="failed")), "run 0: result 0: kind", "failed")

    def test_notes_once_a_log(self):
        """Whatever the number of runs: one line a kind, with how many there are."""
        runs = [run([result(level="note", kind="pass")], tool={"driver": {"name": f"t{n}"}},
                    invocations=self.invocations(False)) for n in range(30)]
        self.issues(log(*runs, run([result(ruleId="R2", level="note")])),
                    notes=["30 results skipped (kind: pass) (in 30 runs)", "30 runs failed"])


class Severity(Case):
    """Rows 19 to 23."""

    def test_row_19_security_severity(self):
        """Numbers, words and what is neither; by level (low) where it is passed over."""
        table = [("MEDIUM", "medium", None), (Raw("9.8"), "critical", "9.8"),
                 ("9.80", "critical", "9.80"), ("0.0", "low", None), ("n/a", "low", None),
                 ("10.1", "low", None), ("8.95", "high", "8.95"), ("9.0", "critical", "9.0"),
                 ("8.9999999999999999999999", "high", "8.9999999999999999999999"),
                 ("7", "high", "7"), ("6.9", "medium", "6.9"), ("4.0", "medium", "4.0"),
                 ("3.99", "low", "3.99"), ("10", "critical", "10"), ("0.1", "low", "0.1"),
                 ("10.0000000000000000000001", "low", None), ("informational", "info", None),
                 ("moderate", "medium", None), ("Critical", "critical", None), ("-9", "low", None),
                 ("9.8 ", "critical", "9.8"), ("\t 9.8\n", "critical", "9.8"),
                 ("+9.8", "critical", "9.8"), ("9.", "critical", "9"), (".5", "low", "0.5"),
                 (" +7.", "high", "7"), ("007.5", "high", "7.5"), ("+.5e1", "medium", "0.5e1"),
                 (" HIGH ", "high", None), ("++7", "low", None), (".", "low", None),
                 ("9..", "low", None), ("+ 9", "low", None), ("", "low", None), (" ", "low", None)]
        for value, severity, cvss in table:
            with self.subTest(value=value):
                value = ruled(result(level="note"),
                              rule("R1", properties={"security-severity": value}))
                passed_over = severity == "low" and cvss is None
                issue = self.issues(value, notes=["security-severity"] if passed_over else [])[0]
                self.assertEqual((issue["severity"], issue["cvss_score"]), (severity, cvss))

    def test_own_words(self):
        """Neither level nor score: the tool's own word, of the result before the rule's."""
        for name in ("severity", "Severity", "priority"):
            for word, severity in (("High", "high"), ("CRITICAL", "critical"), (" low", "low"),
                                   ("informational", "info"), ("Moderate", "medium")):
                issue = self.issues(ruled(result(properties={name: word})),
                                    notes=["1 issue has neither level nor security-severity"])[0]
                self.assertEqual((issue["severity"], issue["cvss_score"]), (severity, None))
                value = ruled(result(), rule("R1", properties={name: word}))
                self.assertEqual(self.issues(value, notes=["own word"])[0]["severity"], severity)
        loud = rule("R1", properties={"priority": "high"})
        self.assertEqual(self.issues(ruled(result(properties={"Severity": "Low"}), loud),
                                     notes=["own word"])[0]["severity"], "low")
        # Levels and scores come first, wherever they stand; what is no word says nothing.
        bag = {"properties": {"severity": "High"}}
        self.assertEqual(self.one(level="note", **bag)["severity"], "low")
        quiet = rule("R1", defaultConfiguration={"level": "note"})
        self.assertEqual(self.one(ruled(result(**bag), quiet))["severity"], "low")
        for word in ("WARNING", 9, ["High"], None, "High!", ""):
            issue = self.issues(ruled(result(properties={"severity": word})),
                                notes=["1 issue does not say how severe it is: taken as medium"])[0]
            self.assertEqual(issue["severity"], "medium")
        found = [result(ruleId=f"R{n}", properties={"Severity": "High"} if n % 2 else None)
                 for n in range(60)]
        self.issues(log(run(found)), notes=["30 issues have neither", "30 issues do not say how severe"])

    def test_row_20_rule_before_level(self):
        """As GitHub does."""
        strong = rule("R1", properties={"security-severity": "9.8"})
        self.assertEqual(self.one(ruled(result(level="note"), strong))["severity"], "critical")

    def test_row_21_result_before_rule(self):
        """The nearer one."""
        strong = rule("R1", properties={"security-severity": "9.8"})
        issue = self.one(ruled(result(properties={"security-severity": "2.0"}), strong))
        self.assertEqual((issue["severity"], issue["cvss_score"]), ("low", "2.0"))

    def test_row_22_overrides(self):
        """Of the invocation that is named, or the only one."""
        plain = rule("R1", defaultConfiguration={"level": "note"})
        loud = {"ruleConfigurationOverrides": [
            {"descriptor": {"id": "R0"}, "configuration": {"level": "none"}},
            {"descriptor": {"index": 0}, "configuration": {"level": "error"}}]}
        quiet = {}
        table = [([loud], None, "high"), ([loud], 0, "high"), ([loud, quiet], 0, "high"),
                 ([loud, quiet], None, "low"), ([loud, quiet], 1, "low"), ([quiet], 0, "low")]
        for invocations, index, severity in table:
            found = result(provenance={"invocationIndex": index} if index is not None else None)
            value = ruled(found, plain, invocations=invocations)
            self.assertEqual(self.one(value)["severity"], severity)
            found["level"] = "warning"
            self.assertEqual(self.one(value)["severity"], "medium")

    def test_row_23_default(self):
        """The rule's default."""
        loud = rule("R1", defaultConfiguration={"level": "error"})
        self.assertEqual(self.one(ruled(result(), loud))["severity"], "high")
        self.assertEqual(self.one(ruled(result(), rule("R1")))["severity"], "medium")


class Rules(Case):
    """Rows 24 to 31."""

    def title(self, name):
        """A descriptor whose title names it."""
        return rule(name, shortDescription={"text": f"title of {name}"})

    def test_row_24_index_against_id(self):
        """The id is what people see."""
        value = ruled(result(ruleId="G304", ruleIndex=0), self.title("G302"), self.title("G304"))
        issue = self.one(value)
        self.assertEqual((issue["category"], issue["title"]), ("G304", "title of G304"))

    def test_row_25_parts_of_a_rule(self):
        """A part has the descriptor and category of the whole, and an id of its own."""
        names = ("CA5350/md5", "CA5350/sha-1")
        value = log(run([result(ruleId=name) for name in names], [self.title("CA5350")]))
        issues = self.issues(value)
        self.assertEqual([issue["category"] for issue in issues], ["CA5350"] * 2)
        self.assertEqual({issue["title"] for issue in issues}, {"title of CA5350"})
        self.assertNotEqual(issues[0]["id"], issues[1]["id"])
        self.assertFalse(any("of" in issue["id"] for issue in issues))

    def test_row_26_no_part(self):
        """Only whole parts."""
        issue = self.one(ruled(result(ruleId="abc/defg"), self.title("abc/def")))
        self.assertEqual((issue["category"], issue["title"]), ("abc/defg", "abc/defg"))

    def test_row_27_extensions(self):
        """By the component, and without it."""
        tool = {"driver": {"name": "tool", "rules": [self.title("x")]},
                "extensions": [{"name": "pack", "rules": [self.title("y"), self.title("R1")]}]}
        reference = {"index": 1, "toolComponent": {"index": 0}}
        for found in (result(ruleId=None, rule=reference), result()):
            self.assertEqual(self.one(log(run([found], tool=tool)))["title"], "title of R1")

    def test_row_28_component_by_guid(self):
        """One id in two extensions."""
        tool = {"driver": {"name": "tool"}, "extensions": [
            {"name": "a", "guid": OTHER, "rules": [rule("R1", name="of a")]},
            {"name": "b", "guid": GUID, "rules": [rule("R1", name="of b")]}]}
        for reference, title in (({"guid": GUID}, "of b"), ({"guid": OTHER}, "of a"),
                                 ({"name": "b"}, "of b"), ({"index": 1}, "of b"), ({}, "of a")):
            found = result(rule={"toolComponent": reference})
            self.assertEqual(self.one(log(run([found], tool=tool)))["title"], title)

    def test_row_29_two_ids(self):
        """Refused."""
        self.refused(ruled(result(ruleId="a", rule={"id": "b"})),
                     'run 0: result 0: rule.id: want the ruleId "a", have "b"', rule_name="S11")
        self.assertEqual(self.one(ruleId=None, rule={"id": "b"})["category"], "b")

    def test_row_30_indexes(self):
        """Out of range: ignored where there is an id."""
        for index in (-1, 99):
            value = ruled(result(ruleIndex=index), self.title("R1"))
            self.assertEqual(self.one(value)["title"], "title of R1")
        self.refused(ruled(result(ruleId=None, ruleIndex=99), self.title("R1")),
                     "ruleIndex: is 99, but the driver has 1 rule", rule_name="S13")
        self.refused(ruled(result(ruleId="", rule={"index": 2})),
                     "rule.index: is 2, but the driver has no rules", rule_name="S13")
        tool = {"driver": {"name": "t"}, "extensions": [{"name": "e", "rules": [rule("a")] * 3}]}
        self.refused(log(run([result(ruleId=None, rule={"index": 3, "toolComponent": {"index": 0}})],
                             tool=tool)), "rule.index: is 3, but the extension has 3 rules")
        issue = self.one(ruled(result(ruleId=None, ruleIndex=0), self.title("R9")))
        self.assertEqual((issue["category"], issue["title"]), ("R9", "title of R9"))

    def test_empty_ids(self):
        """An empty id names nothing: the index decides, and the other id."""
        strong = rule("R9", name="loud", properties={"security-severity": "9.1"},
                      defaultConfiguration={"level": "error"})
        for found in (result(ruleId="", ruleIndex=0), result(ruleId=None, rule={"id": "", "index": 0}),
                      result(ruleId="", rule={"id": "R9"}), result(ruleId="R9", rule={"id": ""}),
                      result(ruleId="", rule={"id": "", "index": 0})):
            issue = self.one(ruled(found, strong))
            self.assertEqual([issue[name] for name in ("severity", "category", "title")],
                             ["critical", "R9", "loud"])
        issue = self.one(ruled(result(ruleId="", ruleIndex=0), rule("", name="no name")))
        self.assertEqual((issue["category"], issue["title"]), (None, "no name"))
        taxonomies = [{"name": "CWE", "taxa": [{"id": "22"}]}]
        taxon = {"id": "", "index": 0, "toolComponent": {"index": 0}}
        self.assertEqual(self.one(log(run([result(taxa=[taxon])], taxonomies=taxonomies)))["cwe_ids"],
                         ["CWE-22"])

    def test_index_of_an_unknown_id(self):
        """Where no rule has the id, the index is all there is; people see the result's own id."""
        loud = rule("TUT-2", name="loud", defaultConfiguration={"level": "error"})
        for found in (result(ruleId="TUT2", ruleIndex=1), result(ruleId="TUT2", rule={"index": 1}),
                      result(ruleId=None, rule={"id": "TUT2/x", "index": 1})):
            issue = self.one(ruled(found, rule("TUT-1"), loud))
            self.assertEqual((issue["severity"], issue["title"]), ("high", "loud"))
            self.assertEqual(issue["category"], found.get("ruleId") or "TUT2/x")
        # A rule that has the id, wherever it stands, comes before what the index says.
        tool = {"driver": {"name": "t", "rules": [loud]},
                "extensions": [{"name": "e", "rules": [rule("TUT2", name="quiet")]}]}
        self.assertEqual(self.one(log(run([result(ruleId="TUT2/y", ruleIndex=0)], tool=tool)))["title"],
                         "quiet")
        override = {"ruleConfigurationOverrides": [
            {"descriptor": {"id": "TUT2", "index": 1}, "configuration": {"level": "note"}}]}
        self.assertEqual(self.one(ruled(result(ruleId="TUT-2"), rule("TUT-1"), loud,
                                        invocations=[override]))["severity"], "low")

    def test_row_31_nothing_at_all(self):
        """An issue all the same."""
        issue = self.one(ruleId=None, message=None)
        self.assertEqual([issue[name] for name in ("title", "category", "description")],
                         ["untitled", None, None])
        if not program.PLAIN:
            summary = json.loads(program.answer("summary", self.folder / "a.sarif"))
            self.assertEqual(summary["issues_by_category"], {"unknown": 1})


class Messages(Case):
    """Rows 32 and 33."""

    def text(self, message, notes=()):
        """What becomes of a message."""
        strings = {"default": {"text": "{0} of {1}, {{x}}, {2}"}, "plain": {"text": "{{x}}"}}
        value = ruled(result(message=message), rule("R1", messageStrings=strings))
        return self.issues(value, notes=notes)[0]["description"]

    def test_row_32_arguments(self):
        """Substitution, only with arguments."""
        self.assertEqual(self.text({"id": "default", "arguments": ["a{1}", "b"]}),
                         "a{1} of b, {x}, {2}")
        self.assertEqual(self.text({"id": "missing", "arguments": ["a", "b"]}, ["message"]),
                         "missing a b")
        self.assertEqual(self.text({"text": "{0} {{x}}"}), "{0} {{x}}")
        self.assertEqual(self.text({"id": "plain", "arguments": ["a"]}), "{x}")
        self.assertEqual(self.text({"text": "{0}", "id": "plain", "arguments": ["a"]}), "a")
        self.assertEqual(self.text({"markdown": "*m*"}), "*m*")
        self.assertEqual(self.text({"text": "t", "markdown": "*m*"}), "t")

    def test_row_33_links(self):
        """Links to locations by number are their text."""
        table = [("[here](1) and [docs](https://x)", "here and [docs](https://x)"),
                 (r"[a\[0\]](2)", "a[0]"), ("[](3)", ""), ("[a](b)", "[a](b)"), ("[a]", "[a]"),
                 (r"a\b [c\\d](1)", r"a\b c\d")]
        for text, want in table:
            self.assertEqual(self.text({"text": text}), want)


class Identity(Case):
    """Rows 34 to 44."""

    def test_row_34_a_fingerprint_that_is_none(self):
        """Text with blanks is nothing to tell results apart by."""
        finger = {"matchBasedId/v1": "requires login"}
        ids = self.ids(log(run([result(fingerprints=finger, message={"text": text})
                                for text in ("a", "b")])))
        self.assertEqual(ids, self.ids(log(run([result(message={"text": text})
                                                for text in ("a", "b")]))))
        self.assertEqual(len({name[:35] for name in ids}), 2)

    def test_row_35_a_fingerprint_in_an_object(self):
        """Its value."""
        self.assertEqual(self.ids(log(run([result(fingerprints={"a": "value-of-it"})]))),
                         self.ids(log(run([result(fingerprints={"a": {"value": "value-of-it"}})]))))

    def test_row_36_versions(self):
        """The lowest one, which stays."""
        for kind in ("fingerprints", "partialFingerprints"):
            names = ["h/v1", "h/v2", "h/v10"]
            ids = {self.ids(log(run([result(**{kind: {name: f"of-{name}-12" for name in some}})])))[0]
                   for some in (names[:1], names[:2], names, names[::-1])}
            self.assertEqual(len(ids), 1)
            late = self.ids(log(run([result(**{kind: {name: f"of-{name}-12"
                                                      for name in names[1:]}})])))
            later = self.ids(log(run([result(**{kind: {"h/v2": "of-h/v2-12"}})])))
            self.assertEqual(late, later)

    def test_row_37_ordinals(self):
        """The upper line is the first, whatever the order in the log."""
        both = [result(partialFingerprints={"contextHash/v1": "0123456789"},
                       locations=[place("a.c", line)]) for line in (30, 7)]
        for results in (both, both[::-1]):
            issues = {issue["line_number"]: issue["id"] for issue in self.issues(log(run(results)))}
            self.assertRegex(issues["7"], "^s2-[0-9a-f]{32}-1of2$")
            self.assertEqual(issues["30"], issues["7"].replace("-1of2", "-2of2"))
            status, out, _ = program.run("list", "--quiet", "--as", "ids", "--ids", "s1",
                                         self.write(log(run(results)))[0])
            old = [json.loads(line) for line in out.splitlines()]
            first = min(old, key=len)
            self.assertEqual((status, sorted(old)), (0, [first, first + "-2"]))
            self.assertRegex(first, "^s1-[0-9a-f]{32}$")

    def test_a_group_that_changes_size_loses_its_ids(self):
        """An id is lost before it is another finding's."""
        three = [result(locations=[place("a.c", line)]) for line in (1, 2, 3)]
        ids = [set(self.ids(log(run(three[:count])))) for count in (1, 2, 3)]
        self.assertFalse(ids[0] & ids[1] or ids[1] & ids[2] or ids[0] & ids[2])

    def test_numbers_in_messages(self):
        """They are those of lines, and move."""
        ids = {self.ids(log(run([result(message={"text": text})])))[0] for text in (
            "on line 559 column 17", "on line 1 column 2")}
        self.assertEqual(len(ids), 1)

    def test_row_39_reworded(self):
        """Without a fingerprint the text is what a result is known by."""
        ids = {self.ids(log(run([result(**members)])))[0] for members in (
            {}, {"message": {"text": "other"}}, {"locations": [place("src/b.c", 7)]})}
        self.assertEqual(len(ids), 3)

    def test_row_40_the_same_twice(self):
        """Two issues."""
        ids = self.ids(log(run([result(), result(), result()])))
        self.assertEqual([one[-5:] for one in ids], ["-1of3", "-2of3", "-3of3"])
        self.assertEqual(len({one[:-5] for one in ids}), 1)

    def test_row_41_the_same_log_twice(self):
        """Refused with both places, but for --duplicates."""
        if program.PLAIN:
            return
        path, _ = self.write(log(run([result()])))
        other, _ = self.write(log(run([result()])), "b.sarif")
        name = self.issues(log(run([result()])))[0]["id"]
        line = program.refusal(*program.run("summary", path, other))
        for word in (f'issue "{name}"', "b.sarif:1:", "a.sarif:1:"):
            self.assertIn(word, line)
        for choice in ("worst", "equal"):
            status, out, _ = program.run("summary", "--duplicates", choice, path, other)
            self.assertEqual((status, json.loads(out)["total_issues"]), (0, 1))
        # One finding with another text: equal in id only.
        finger = {"partialFingerprints": {"a": "0123456789"}}
        path, _ = self.write(log(run([result(**finger)])))
        other, _ = self.write(log(run([result(level="error", **finger)])), "b.sarif")
        program.refusal(*program.run("summary", "--duplicates", "equal", path, other))
        status, out, _ = program.run("summary", "--duplicates", "worst", path, other)
        self.assertEqual(json.loads(out)["issues_by_severity"]["high"], 1)

    def test_row_42_categories(self):
        """Two runs of one tool."""
        runs = [run([result()], automationDetails={"id": name})
                for name in ("ci/py/1", "ci/js/1", "ci/js/2")]
        issues = self.issues(log(*runs), notes=["1"])
        ids = [issue["id"] for issue in issues]
        self.assertNotEqual(ids[0], ids[1])
        self.assertEqual(ids[2], ids[1].replace("-1of2", "-2of2"))
        self.assertEqual([issue["scan_id"] for issue in issues], ["ci/py/1", "ci/js/1", "ci/js/2"])

    def test_row_43_equal_hashes(self):
        """In two files."""
        finger = {"primaryLocationLineHash": "39fa2ee980eb94b0:1"}
        ids = self.ids(log(run([result(partialFingerprints=finger, locations=[place(uri, 1)])
                                for uri in ("a.c", "b.c")])))
        self.assertEqual(len({name[:35] for name in ids}), 2)

    def test_row_44_an_empty_guid(self):
        """All zeros are nothing; another one is all that counts."""
        zero = "00000000-0000-0000-0000-000000000000"
        self.assertEqual(self.ids(log(run([result(correlationGuid=zero)]))),
                         self.ids(log(run([result()]))))
        ids = {self.ids(log(run([result(correlationGuid=guid, locations=[place(uri, 1)])])),
                        ["1 issue has an id that the log itself gives it"])[0]
               for guid, uri in ((GUID, "a.c"), (GUID.upper(), "b.c"))}
        self.assertEqual(len(ids), 1)


class Paths(Case):
    """Rows 45 to 50."""

    def path(self, location, notes=(), **members):
        """The file_path of a location."""
        found = result(locations=[{"physicalLocation": {"artifactLocation": location}}])
        issue, = self.issues(log(run([found], **members)), notes=notes)
        return issue["file_path"]

    def test_row_45_artifacts(self):
        """By index."""
        artifacts = [{"location": {"uri": f"f{n}.c"}} for n in range(3)]
        self.assertEqual(self.path({"index": 2}, artifacts=artifacts), "f2.c")
        self.assertEqual(self.path({"uri": "x.c", "index": 2}, artifacts=artifacts), "x.c")
        self.assertIsNone(self.path({"index": -1}, artifacts=artifacts))
        found = result(locations=[{"physicalLocation": {"artifactLocation": {"index": 99}}}])
        self.refused(log(run([found], artifacts=artifacts)),
                     "run 0: result 0: artifactLocation.index: want less than 3, have 99",
                     rule_name="S26")

    def test_row_46_working_directory(self):
        """The same path in every checkout, and so the same id."""
        invocations = [{"workingDirectory": {"uri": "file:///home/runner/work/r/r"}}]
        uri = {"uri": "file:///home/runner/work/r/r/src/a.c"}
        self.assertEqual(self.path(uri, invocations=invocations), "src/a.c")
        self.assertEqual(self.path(uri), "/home/runner/work/r/r/src/a.c")
        found = [result(locations=[{"physicalLocation": {"artifactLocation": location}}])
                 for location in (uri, {"uri": "src/a.c"})]
        ids = self.ids(log(run(found, invocations=invocations)))
        self.assertEqual(ids[1], ids[0].replace("-1of2", "-2of2"))

    def test_row_47_bases(self):
        """Relative to the outermost root."""
        bases = {"SRCROOT": {"uri": "src/", "uriBaseId": "PROJECTROOT"},
                 "PROJECTROOT": {"uri": "file:///p/"}}
        location = {"uri": "a.c", "uriBaseId": "SRCROOT"}
        self.assertEqual(self.path(location, originalUriBaseIds=bases), "src/a.c")
        self.assertEqual(self.path(location), "a.c")
        self.assertEqual(self.path({"uri": "file:///p/src/a.c"}, originalUriBaseIds=bases), "src/a.c")

    def test_one_path_for_one_file(self):
        """Resolved along its bases first, then made relative, as an absolute address is."""
        bases = {"ALL": {"uri": "file:///w/all/"}, "REPO": {"uri": "shop/", "uriBaseId": "ALL"}}
        locations = [{"uri": "src/a.c", "uriBaseId": "REPO"}, {"uri": "file:///w/all/shop/src/a.c"},
                     {"uri": "shop/src/a.c", "uriBaseId": "ALL"}]
        directory = [{"workingDirectory": {"uri": "file:///w/all/shop"}}]
        mapped = [{"mappedTo": {"uri": "src/", "uriBaseId": "REPO"}}]
        for location in locations:
            self.assertEqual(self.path(location, originalUriBaseIds=bases), "shop/src/a.c")
            self.assertEqual(self.path(location, originalUriBaseIds=bases, invocations=directory),
                             "src/a.c")
            self.assertEqual(self.path(location, originalUriBaseIds=bases, invocations=directory,
                                       versionControlProvenance=mapped), "a.c")
        # Below the root of the file system, as Trivy writes it, and below what is no file.
        for root in ("file:///", "https://x/y/", "file:///C:/"):
            bases = {"ROOT": {"uri": root}}
            self.assertEqual(self.path({"uri": "app/a.js", "uriBaseId": "ROOT"},
                                       originalUriBaseIds=bases), "app/a.js")

    def test_repositories(self):
        """A file is in the repository that is mapped to where it lies, else in the first one."""
        mapped = [{"repositoryUri": f"https://h/{name}", "mappedTo": {"uri": f"file:///w/{name}/"}}
                  for name in "ab"]
        found = [result(locations=[place(uri)] if uri else None) for uri in
                 ("file:///w/b/x.c", "y.c", "file:///w/b/z.c", None, "file:///w/a/x.c", "file:///v/x.c")]
        issues = self.issues(log(run(found, versionControlProvenance=mapped)))
        self.assertEqual([issue["repo_name"] for issue in issues], ["b", "a", "b", "a", "a", "a"])

    def test_row_48_a_loop(self):
        """Refused."""
        bases = {"A": {"uri": "a/", "uriBaseId": "B"}, "B": {"uri": "b/", "uriBaseId": "A"}}
        for value in (bases, {"A": {"uriBaseId": "A"}}):
            self.refused(log(run([result()], originalUriBaseIds=value)),
                         "run 0: originalUriBaseIds", "loop", '"A"', rule_name="S26")

    def test_row_49_spellings(self):
        """As people write paths."""
        table = [(r"src\a%20b.c", "src/a b.c"), ("a%ZZ", "a%ZZ"), ("a%00b", "a%00b"),
                 (r"C:\x\y.c", "C:/x/y.c"), ("./src/a.c", "src/a.c"), ("../a.c", "../a.c"),
                 ("tests/../src/a.c", "src/a.c"), ("tests/%2E./src/a.c", "src/a.c"),
                 ("tests//../src/./a.c", "src/a.c"), ("a/../../b.c", "../b.c"),
                 ("%C3%A9.c", "\u00e9.c"), ("a%FF", "a%FF"), ("a?b#c", "a?b#c"),
                 ("file:///C:/x/y.c", "C:/x/y.c"), ("file://host/x/y.c", "//host/x/y.c"), ("", None)]
        for uri, want in table:
            self.assertEqual(self.path({"uri": uri}, notes=["host"] if "//host" in uri else
                                       ["above"] if (want or "").startswith("../") else []), want)

    def test_hosts(self):
        """The first word after file:// is a host, which most people did not mean."""
        for uris, notes in ((["file://src/main/a.c"], ["1 path begins with the name of a host"]),
                            (["file://src/a.c", "file://src/b.c", "file:///src/c.c", "d.c"],
                             ["2 paths begin with the name of a host"]),
                            (["file://localhost/src/a.c", "file:src/a.c"], [])):
            found = [result(locations=[place(uri, 1)]) for uri in uris]
            self.assertEqual(len(self.issues(log(run(found)), notes=notes)), len(uris))

    def test_row_50_schemes(self):
        """Kept whole."""
        for uri in ("pkg:npm/x@1", "https://host/p?q=1", r"docker://x/a%20b\c"):
            self.assertEqual(self.path({"uri": uri}), uri)

    def test_no_location(self):
        """What else names a file."""
        self.assertEqual(self.one(locations=None, analysisTarget={"uri": "t.c"})["file_path"], "t.c")
        self.assertEqual(self.one(locations=[], webRequest={"target": "/login"})["file_path"],
                         "/login")
        self.assertIsNone(self.one(locations=None)["file_path"])


class Places(Case):
    """Rows 51 to 56."""

    def numbers(self, **region):
        """Line and columns of a region."""
        issue = self.one(locations=[place("a.c", **region)])
        return [issue[name] for name in ("line_number", "column_start", "column_end")]

    def test_row_51_no_line(self):
        """Lines begin at 1."""
        for line in (0, -1):
            self.assertEqual(self.numbers(line=line), [None] * 3)
        self.assertEqual(self.numbers(charOffset=7, charLength=3), [None] * 3)
        self.assertEqual(self.numbers(byteOffset=7), [None] * 3)
        self.assertEqual(self.numbers(line=3), ["3", "1", None])
        self.assertEqual(self.numbers(line=3, startColumn=0, endColumn=0), ["3", None, None])
        large = Raw("18446744073709551615")
        self.assertEqual(self.numbers(line=3, startColumn=large, endColumn=large), ["3", None, None])
        for line in (large, 2**31 + 1, Raw("-99999999999999999999"), Raw("1" * 400)):
            self.assertEqual(self.numbers(line=line, startColumn=4), [None] * 3)
        self.assertEqual(self.numbers(line=2**31), [str(2**31), "1", None])
        for line in (Raw("1.5"), Raw("1e3"), "7"):
            self.refused(log(run([result(locations=[place("a.c", line)])])), "startLine")

    def test_row_52_columns_of_1(self):
        """As they stand."""
        self.assertEqual(self.numbers(line=1, startColumn=1, endColumn=1), ["1", "1", "1"])

    def code(self, region, context):
        """The three texts."""
        found = {"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": region,
                                      "contextRegion": context}}
        issue = self.one(locations=[found])
        return [issue[name] for name in ("code_snippet", "context_before", "context_after")]

    def test_row_53_context(self):
        """Lines of the context, where it has numbers."""
        context = {"startLine": 37, "endLine": 41, "snippet": {"text": "a\nb\r\nc\nd\ne\n"}}
        self.assertEqual(self.code({"startLine": 39}, context), ["c", "a\nb", "d\ne"])
        self.assertEqual(self.code({"startLine": 37, "endLine": 41}, context),
                         ["a\nb\r\nc\nd\ne", None, None])
        self.assertEqual(self.code({"startLine": 39, "snippet": {"text": "x"}}, context),
                         ["x", "a\nb", "d\ne"])
        self.assertEqual(self.code({"startLine": 50}, context), ["a\nb\r\nc\nd\ne\n", None, None])
        self.assertEqual(self.code({"startLine": 39}, {"snippet": {"text": "x\ny"}}),
                         ["x\ny", None, None])

    def test_row_54_suppressions(self):
        """Open, unless every entry says otherwise."""
        table = [([], False), ([{"kind": "inSource"}], True),
                 ([{"status": "accepted"}, {"status": "rejected"}], False),
                 ([{"status": "underReview"}], False), ([{"status": "accepted"}], True),
                 ([{"state": "rejected"}], False)]
        for value, want in table:
            self.assertEqual(self.one(suppressions=value)["false_positive"], want, value)

    def test_reasons(self):
        """Why a result is suppressed is a note of the issue, before those that are ours."""
        table = [
            ([{"kind": "inSource", "justification": "test code"}],
             [(None, "in source, accepted: test code")]),
            ([{"kind": "external", "status": "underReview", "justification": 'a "b"\n'},
              {"state": "rejected", "justification": "no"}],
             [(None, 'external, under review: a "b"\n'), (None, "suppressed, rejected: no")]),
            ([{"kind": "external", "justification": "later",
               "properties": {"timeUtc": "2025-01-02T03:04:05Z", "expiryUtc": "2031-03-31T00:00:00Z"}}],
             [("2025-01-02T03:04:05Z", "external, accepted: later exp:2031-03-31")]),
            ([{"properties": {"expiryUtc": "2031-03-31"}}],
             [(None, "suppressed, accepted exp:2031-03-31")]),
            ([{"justification": "x", "properties": {"timeUtc": 7, "expiryUtc": None}}],
             [(None, "suppressed, accepted: x")]),
            # As Snyk says it.
            ([{"kind": "external", "justification": "later", "properties": {
                "category": "wont-fix", "expiration": "2031-03-31T23:00:00Z", "ignoredOn": "2025-01-02T03:04:05Z",
                "ignoredBy": {"name": "Kim", "email": "kim@example.com"}}}],
             [("2025-01-02T03:04:05Z", "external, accepted by Kim: reason:wont_fix later exp:2031-03-31")]),
            ([{"kind": "external", "properties": {"category": "temporary-ignore", "ignoredBy": "k\u00fcm"}}],
             [(None, "external, accepted by k\u00fcm: reason:accepted_risk")]),
            ([{"justification": "x", "properties": {"category": "other", "ignoredBy": {"email": 7},
                                                    "expiration": None, "ignoredOn": 7}}],
             [(None, "suppressed, accepted: x")]),
            # Without words only beside one that ends.
            ([{"kind": "inSource"}, {"justification": "x", "properties": {"expiryUtc": "2031-03-31"}}],
             [(None, "in source, accepted"), (None, "suppressed, accepted: x exp:2031-03-31")]),
            ([{"kind": "inSource"}, {"justification": "until Exp:2031-03-31"}],
             [(None, "in source, accepted"), (None, "suppressed, accepted: until Exp:2031-03-31")]),
            ([{"kind": "inSource"}, {"justification": "x"}], [(None, "suppressed, accepted: x")]),
            ([{"kind": "inSource"}, {"justification": ""}, {"justification": None}], None), ([], None)]
        for suppressions, want in table:
            for own in (None, "mine", [{"added_at": None, "text": "mine"}], []):
                bag = {"retriage": {"notes": own}} if own is not None else None
                path, _ = self.write(log(run([result(level="note", suppressions=suppressions,
                                                     properties=bag)])))
                if program.PLAIN:
                    continue
                record = json.loads(program.answer("list", "--as", "records", path))
                notes = record[0].get("notes") if isinstance(record, list) else record.get("notes")
                if want is None:
                    self.assertEqual(notes, own)
                    continue
                mine = [(None, "mine")] if own else []
                self.assertEqual([(note["added_at"], note["text"]) for note in notes], want + mine)
        self.refused(log(run([result(suppressions=[{"justification": 7}])])), "justification",
                     rule_name="S6")

    def test_ends(self):
        """Each suppression lasts until its own end, whatever their order, and the last one counts."""
        if program.PLAIN:
            return

        def entry(text=None, end=None, name="expiryUtc", **more):
            return {"kind": "external", "justification": text, "properties": {name: end} if end else None} | more
        past, later, never = entry("a", "2025-01-01"), entry("b", "2030-01-01"), entry("c")
        bare, odd = {"kind": "inSource"}, entry("d", "soon")
        rejected = entry("e", "2099-01-01", status="rejected")
        table = [([past], ("expired", "2025-01-01"), 0), ([past, later], ("dismissed", "2030-01-01"), 0),
                 ([past, never], ("dismissed", ""), 0), ([past, bare], ("dismissed", ""), 0),
                 ([past, later, never], ("dismissed", ""), 0), ([odd], ("expired", ""), 1),
                 ([entry(end="2025-13-01")], ("expired", ""), 1), ([entry(end=20990101)], ("expired", ""), 1),
                 ([odd, later], ("dismissed", "2030-01-01"), 1), ([odd, past], ("expired", "2025-01-01"), 1),
                 ([entry("f", "2025-01-01", "expiration")], ("expired", "2025-01-01"), 0),
                 ([entry("f", "never", "expiration")], ("expired", ""), 1),
                 ([entry("until exp:2025-01-01"), bare], ("dismissed", ""), 0), ([past, rejected], ("open", ""), 0)]
        for suppressions, want, odd_ends in table:
            for entries in (suppressions, suppressions[::-1]):
                path, _ = self.write(log(run([result(level="note", suppressions=entries)])))
                status, out, err = program.run("list", "--as", "csv", "--columns", "status,expires",
                                               "--at", "2026-01-01", path)
                row = tuple(cell.strip('"') for cell in out.decode().splitlines()[1].split(","))
                self.assertEqual((status, row), (0, want), entries)
                note = "1 suppression has an end that is no date: it is taken to have ended"
                self.assertEqual(err.decode().count(note), odd_ends, entries)
        path, _ = self.write(log(run([result(level="note", suppressions=[odd, odd | {"kind": "inSource"}])])))
        self.assertIn("2 suppressions have ends that are no dates: they are taken to have ended",
                      program.run("summary", path)[2].decode())

    def test_row_55_weaknesses(self):
        """Wherever they stand."""
        self.assertEqual(self.one(properties={"tags": ["external/cwe/cwe-079"]})["cwe_ids"],
                         ["CWE-79"])
        self.assertEqual(self.one(properties={"tags": "CWE-79: x"})["cwe_ids"], ["CWE-79"])
        taxon = {"id": "79", "toolComponent": {"name": "CWE"}}
        self.assertEqual(self.one(taxa=[taxon])["cwe_ids"], ["CWE-79"])
        self.assertEqual(self.one(properties={"cwe": "79, 787"})["cwe_ids"], ["CWE-79", "CWE-787"])
        self.assertEqual(self.one(properties={"cwe": [787, "CWE-79"]})["cwe_ids"],
                         ["CWE-79", "CWE-787"])
        taxonomies = [{"name": "OWASP", "taxa": []}, {"name": "CWE", "taxa": [{"id": "22"}]}]
        value = log(run([result(taxa=[{"index": 0, "toolComponent": {"index": 1}}])],
                        taxonomies=taxonomies))
        self.assertEqual(self.one(value)["cwe_ids"], ["CWE-22"])
        for kinds, want in ((["superset"], ["CWE-79"]), (["disjoint"], []), (None, ["CWE-79"])):
            relation = {"target": taxon} | ({"kinds": kinds} if kinds else {})
            value = ruled(result(), rule("R1", relationships=[relation]))
            self.assertEqual(self.one(value)["cwe_ids"], want)

    def test_row_56_owasp(self):
        """The latest year."""
        tags = ["owasp", "OWASP-A6:2017-Security", "OWASP-A05:2021-Security"]
        self.assertEqual(self.one(properties={"tags": tags})["owasp_category"], "A05:2021")
        self.assertEqual(self.one(properties={"tags": tags[:2]})["owasp_category"], "A6:2017")
        self.assertIsNone(self.one(properties={"tags": ["owasp"]})["owasp_category"])


class Whole(Case):
    """Rows 57 to 64, as far as they are read."""

    def test_row_57_external_results(self):
        """Findings that are elsewhere."""
        for name, value in (("results", [{"location": {"uri": "r.sarif-external-properties"}}]),
                            ("invocations", [{}]), ("artifacts", [{}]), ("extensions", [{}]),
                            ("driver", {"location": {"uri": "d"}})):
            self.refused(log(run([result()], externalPropertyFileReferences={name: value})),
                         "run 0: externalPropertyFileReferences", rule_name="S8")
        self.refused(log(run([result()]), inlineExternalProperties=[{"results": [result()]}]),
                     "inlineExternalProperties", rule_name="S8")
        value = log(run([result()], externalPropertyFileReferences={"taxonomies": [{}]}))
        self.assertEqual(len(self.issues(value, notes=["external"])), 1)

    def test_row_58_too_large(self):
        """Limits, each by its name."""
        if program.PLAIN:
            return
        steps = [{"location": {"message": {"text": "x" * 1000}}}] * 17500
        flows = [{"threadFlows": [{"locations": steps}]}]
        self.refused(log(run([result(), result(codeFlows=flows)])), "--limit record", rule_name="program")
        artifacts = [{"location": {"uri": "x" * 300}}] * 40000
        self.refused(log(run([result()], artifacts=artifacts)), "--limit metadata", rule_name="program",
                     options=["--limit", "metadata=8MiB"])

    def test_what_is_repeated(self):
        """A rule's text belongs to each of its results, but a small log makes no large export."""
        if program.PLAIN:
            return
        tags = [f"external/cwe/cwe-{i}" for i in range(20000)]
        text = {"text": "x" * 1000000}
        for members in ({"fullDescription": text}, {"properties": {"tags": tags}},
                        {"messageStrings": {"m": text}}):
            results = [result(ruleId="R", message={"id": "m", "arguments": [str(i)]})
                       for i in range(100)]
            value = log(run(results, rules=[rule("R", **members)]))
            self.refused(value, "repeat", "--limit metadata", rule_name="program",
                         options=["--limit", "metadata=3MiB"])
            path, _ = self.write(value)
            program.answer("summary", "--recent", "0", path)

    def test_row_59_too_deep(self):
        """Nesting."""
        bag = {}
        for _ in range(200):
            bag = {"a": bag}
        self.refused(log(run([result(properties=bag)])), "--limit depth", rule_name="depth")

    def test_halves_of_characters(self):
        """What a tool has cut a text in the middle of is read as U+FFFD; exports are refused."""
        text = dump(log(run([result(message={"text": "MESSAGE"}, ruleId="R"), result(ruleId="S")])))
        for half, want, count in (
                ("\\ud83d", "\ufffd", 1), ("\\uDE00", "\ufffd", 1), ("\\ud83d\\ude00", "\U0001f600", 0),
                ("\\ud83d\\ud83d\\ude00x", "\ufffd\U0001f600x", 1), ("\\ud83dx", "\ufffdx", 1),
                ("\\ude00\\ud83d", "\ufffd\ufffd", 2), ("\\ud83d\\n", "\ufffd\n", 1),
                ("\\\\ud83d", "\\ud83d", 0), ("\\ud83d\\u0041" * 700, "\ufffdA" * 700, 700)):
            for name, value in (("R", "{}"), ("MESSAGE", "a{}b"), ("MESSAGE", "{}" + "x" * 5000)):
                data = text.replace(f'"{name}"', json.dumps(value.format("?")).replace("?", half))
                issues = self.issues(data, notes=[
                    f"{count} hal" + ("f of a character" if count == 1 else "ves of characters")
                    ][:count])
                member = {"R": "category", "MESSAGE": "description"}[name]
                self.assertEqual(issues[0][member], value.format(want))
                self.assertEqual(issues[1]["category"], "S")
        export = '[{"id":"a","severity":"high","title":"\\ud83d"}]'
        self.refused(export, "low surrogate", rule_name="program", name="a.json")

    def test_row_64_own_ids_twice(self):
        """As for every issue."""
        own = result(properties={"retriage": {"id": "mine"}})
        self.refused(log(run([own, own])), 'issue "mine"', rule_name="SPEC D6")
        issues = self.issues(log(run([own, result()])), notes=["1 issue has an id that the log"])
        self.assertEqual(issues[0]["id"], "mine")
        self.assertRegex(issues[1]["id"], "^s2-[0-9a-f]{32}$")

    def test_own_members(self):
        """properties.retriage wins, also with null; false_positive is not its business."""
        own = {"severity": "critical", "title": None, "exploitable": True, "tags": ["x"],
               "false_positive": True, "cvss_score": Raw("1.50")}
        issue = self.one(level="note", properties={"retriage": own, "tags": ["y"]})
        self.assertEqual([issue[name] for name in own],
                         ["critical", None, True, ["x"], False, "1.50"])
        for own in ({"title": 1}, {"id": ""}, {"line_number": Raw("1.5")}, {"tags": "x"}, 7):
            self.refused(log(run([result(properties={"retriage": own})])))
        ours = {"kind": "external", "guid": "11111111-1111-4111-8111-111111111111", "justification": "j"}
        for own in (5, [], {}, True):
            self.refused(log(run([result(properties={"retriage": {"id": own, "notes": []}}, suppressions=[ours])])))

    def test_repeated_members(self):
        """A member that is read stands once; another one may do as it likes."""
        for holder, name in ((result(level="note"), "level"), (run([result()]), "results"),
                             (log(run([result()])), "runs"), (log(run([result()])), "version"),
                             (log(run([result()])), "$schema")):
            twice = Twice(holder)
            twice.twice = name
            value = {"level": lambda: log(run([twice])), "results": lambda: log(twice)}.get(
                name, lambda: twice)()
            self.refused(value, name, rule_name="S7")
        twice = Twice(result(rank=7))
        twice.twice = "rank"
        self.assertEqual(len(self.issues(log(run([twice])))), 1)

    def test_a_second_log(self):
        """One log a file."""
        text = dump(log(run([result()])))
        self.refused(text + "\n" + text, rule_name="JSON")
        self.assertEqual(len(self.issues(text + "\n")), 1)


class Headlines(Case):
    """What a finding says in one line: its own message first."""

    def lines(self, value, *more):
        """The headlines of a log, in its order."""
        path, _ = self.write(value)
        out = program.answer("list", "--as", "csv", "--columns", "finding", *more, path)
        return [row[0] for row in csv.reader(io.StringIO(out.decode(), newline=""))][1:]

    def said(self, message, number=1, **members):
        """A result that says so."""
        return result(message={"text": message}, locations=[place("src/a.c", number)], **members)

    def test_titles(self):
        """A title stands before a short message, never alone, and not if it is an id or is repeated."""
        rows = (("Unused import", "os is never read.", "Unused import: os is never read."),
                ("Unused import.", "os is never read", "Unused import: os is never read"),
                ("SC2206", "Quote this to prevent splitting.", "Quote this to prevent splitting."),
                ("core.NullDereference", "Null pointer", "Null pointer"),
                ("Unused import", "An unused import of os", "An unused import of os"),
                ("Possible SQL injection here", "SQL injection", "SQL injection"),
                ("Possible use of foo here", "foo", "Possible use of foo here"),
                ("Weak hash", "x" * 107 + " y", "Weak hash: " + "x" * 107 + " y"),
                ("Weak hash", "x" * 108 + " y", "x" * 108 + " y"),
                ("A title alone", "", "A title alone"))
        for title, message, want in rows:
            value = log(run([result(message={"text": message})], [rule("R1", shortDescription={"text": title})]))
            with self.subTest(title=title, message=message):
                self.assertEqual(self.lines(value)[0], want)

    def test_sentences(self):
        """The first sentence on one line, or 120 code points."""
        rows = (("Pickle is unsafe, e.g. when\nused so.  Use JSON.", "Pickle is unsafe, e.g. when used so."),
                ("No stop here\n\nSecond paragraph", "No stop here"),
                ("Why? Because.", "Why?"), ("In main.c it is. wrong", "In main.c it is. wrong"),
                ("\u00e9" * 121, "\u00e9" * 119 + "\u2026"), ("\U0001f600" * 120, "\U0001f600" * 120),
                ("  \n\n  late", "late"))
        for message, want in rows:
            with self.subTest(message=message):
                self.assertEqual(self.lines(log(run([self.said(message)]))), [want])

    def test_a_title_of_another_result(self):
        """Cppcheck's title of a rule is the first message of it: it is about one result alone."""
        rules = [rule("R1", shortDescription={"text": "Variable 'alpha[0]' is unused"})]
        messages = [f"Variable '{name}' is unused" for name in ("alpha[0]", "beta", "gamma")]
        value = log(run([self.said(text, n + 1, level="error") for n, text in enumerate(messages)], rules))
        self.assertEqual(self.lines(value), messages)
        path, _ = self.write(value)
        kinds = {kind: self.folder / kind for kind in
                 ("github", "codequality", "sonarqube", "junit", "gitlab-sast", "md", "html")}
        status, out, err = program.run("report", *[f"--to={kind}={file}" for kind, file in kinds.items()],
                                       "--fail-on", "low", path)
        self.assertEqual((status, out), (1, b""))
        for kind, file in kinds.items():
            text = file.read_text().replace("\\", "")
            with self.subTest(kind=kind):
                self.assertEqual(text.count("alpha[0]"), text.count("beta"))
                self.assertGreater(text.count("beta"), 0)
        self.assertIn(b"R1  Variable 'beta' is unused", err)
        old, _ = self.write(log(run([])), "old.sarif")
        out = program.answer("diff", "--format", "table", old, path).decode()
        self.assertEqual(out.count("'alpha[0]'"), 1)
        self.assertIn("Variable 'gamma' is unused", out)
        again = log(run([self.said(messages[1], level="error")], rules))
        self.assertEqual(self.lines(again), [messages[0] + ": " + messages[1]])


if __name__ == "__main__":
    unittest.main(verbosity=0)
