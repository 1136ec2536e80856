"""What diff promises, on random scans: each edit of the generator is one that a person could follow.

A scan is files of findings. Its next one has lines inserted, files renamed, findings added and
taken away. The tests hold identities (a scan against itself, shuffled, mirrored), that counts add
up, and the rows of the design's table of tricky inputs.
Environment: RETRIAGE or BUILD; PROPERTY_SEED (default 1), PROPERTY_ROUNDS (default 40).
"""
import collections
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
SEED = os.environ.get("PROPERTY_SEED", "1")
ROUNDS = int(os.environ.get("PROPERTY_ROUNDS", "40"))
LEVELS = ("critical", "high", "medium", "low", "info")


def issue(ident, path="src/a.c", line=1, rule="R1", **fields):
    """A record with what matching looks at."""
    return {"id": ident, "file_path": path, "line_number": line, "category": rule,
            "severity": "high", "title": rule, "description": f"{rule} on line {line}"} | fields


class Diff(unittest.TestCase):
    """Runs diff on two lists of records."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="retriage-diff.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_diff(self, old, new, *options, status=0):
        for name, records in (("old", old), ("new", new)):
            if records is None:
                continue
            (self.folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
        done = subprocess.run([RETRIAGE, "diff", *options, "old.json", "new.json"], check=False,
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        self.notes = done.stderr
        return json.loads(done.stdout) if status < 2 else None

    def classes(self, old, new, *options):
        """{(old id, new id): class}, counts checked on the way."""
        report = self.run_diff(old, new, *options)
        counts = report["counts"]
        have = collections.Counter(row["class"] for row in report["issues"])
        for name, levels in counts["by_class"].items():
            self.assertEqual(levels["total"], have[name])
            self.assertEqual(sum(levels.values()) - levels["total"], levels["total"])
        pairs = have["unchanged"] + have["moved"] + have["changed"]
        self.assertEqual(counts["old"], pairs + have["gone"] + have["not_scanned"]
                         + counts["ambiguous_old"])
        self.assertEqual(counts["new"], pairs + have["new"] + have["ambiguous"])
        self.assertEqual(counts["ambiguous_old"], sum(g["old_count"] for g in report["ambiguous"]))
        self.assertEqual(have["ambiguous"], sum(g["new_count"] for g in report["ambiguous"]))
        return {(row["old_id"], row["new_id"]): row["class"] for row in report["issues"]}


class Tricky(Diff):
    """Rows of the table, each as small as can be."""

    def test_equal_findings_of_one_scan(self):
        scan = [issue(f"o{n}", line=7) for n in range(34)]
        got = self.classes(scan, [dict(x, id="n" + x["id"]) for x in scan])
        self.assertEqual(collections.Counter(got.values()), {"unchanged": 34})
        self.assertTrue(all(new == "n" + old for old, new in got))

    def test_moved_lines_keep_their_order(self):
        old = [issue("a", line=10, code_snippet="x = y;"), issue("b", line=20, code_snippet="x = y;")]
        new = [dict(x, id=x["id"] * 2, line_number=x["line_number"] + 3) for x in old]
        self.assertEqual(self.classes(old, new), {("a", "aa"): "moved", ("b", "bb"): "moved"})

    def test_one_of_two_equals_is_gone(self):
        old = [issue("a", line=10, code_snippet="x = y;"), issue("b", line=40, code_snippet="x = y;")]
        report = self.run_diff(old, [dict(old[1], id="n")])
        self.assertEqual([row["class"] for row in report["issues"]], ["ambiguous"])
        self.assertEqual(report["ambiguous"], [{"by": "context", "old": ["a", "b"], "old_count": 2,
                                                "new": ["n"], "new_count": 1}])

    def test_neighbours_tell_equals_apart(self):
        line = {"code_snippet": "x = y;"}
        old = [issue("a", line=10, **line), issue("anchor", line=20, code_snippet="return unique_text;"),
               issue("b", line=40, **line)]
        got = self.classes(old, [dict(old[1], id="n1", line_number=12), dict(old[2], id="n2", line_number=30)])
        self.assertEqual(got, {("anchor", "n1"): "moved", ("b", "n2"): "moved", ("a", None): "gone"})

    def test_blanks_and_tabs(self):
        old = issue("a", code_snippet="\tif (x)\r\n\t\treturn;", context_before="int f(void)\n{")
        new = dict(old, id="n", line_number=4, code_snippet="    if (x)\n        return;")
        self.assertEqual(self.classes([old], [new]), {("a", "n"): "moved"})

    def test_numbers_in_messages(self):
        old = issue("a", line=5, description="'x' was declared on line 559")
        new = dict(old, id="n", line_number=8, description="'x' was declared on line 7")
        self.assertEqual(self.classes([old], [new]), {("a", "n"): "moved"})

    def test_changed(self):
        old = issue("a", column_start=3, code_snippet="a(b);")
        for field, value in (("severity", "low"), ("code_snippet", "a(c);"),
                             ("false_positive", True), ("exploitable", False)):
            report = self.run_diff([old], [dict(old, id="n", **{field: value})])
            (row,) = report["issues"]
            self.assertEqual((row["class"], [c["field"] for c in row["changes"]]), ("changed", [field]))

    def test_ids_are_used_again(self):
        old = [issue(f"i{n}", path=f"p{n}", rule=f"A{n}", code_snippet=f"old {n};") for n in range(3)]
        new = [issue(f"i{n}", path=f"q{n}", rule=f"B{n}", code_snippet=f"new {n};") for n in range(3)]
        self.assertEqual(sorted(self.classes(old, new).values()), ["gone"] * 3 + ["new"] * 3)
        self.assertIn("3 ids are used again", self.notes)

    def test_fingerprint(self):
        old = [issue(f"i{n}", path=f"p{n}", line=n + 1, code_snippet=f"old {n};", print=f"0a{n}b") for n in range(3)]
        new = [issue(f"n{n}", path=f"q{n}", line=n + 2, code_snippet=f"new {n};", print=f"0a{n}b") for n in range(3)]
        new[0]["code_snippet"] = None
        new[2]["category"] = new[2]["description"] = "another"
        self.assertEqual(collections.Counter(self.classes(old, new).values()), {"gone": 3, "new": 3})
        for scan in (old, new):
            scan[0]["code_snippet"] = "int x;"
        report = self.run_diff(old, new, "--fingerprint", "print")
        self.assertEqual({(r["old_id"], r["new_id"], r["by"]) for r in report["issues"]},
                         {("i0", "n0", "fingerprint"), ("i1", "n1", "changed"), ("i2", None, None), (None, "n2", None)})
        self.assertIn("1 fingerprint is used again for another issue", self.notes)
        self.run_diff(old, new, "--fingerprint", "prnit")
        self.assertIn("no issue has the field prnit that --fingerprint names", self.notes)

    def test_fingerprint_of_many_is_ignored(self):
        old = [issue(f"o{n}", path=f"p{n}", line=5, code_snippet=f"c{n}", print="requires login") for n in range(11)]
        new = [dict(x, id="n" + x["id"], line_number=7) for x in old[1:]]
        got = self.classes(old, new, "--fingerprint", "print")
        self.assertEqual(got, self.classes(old, new))
        self.assertEqual(collections.Counter(got.values()), {"moved": 10, "gone": 1})
        self.classes(old, new, "--fingerprint", "print")
        self.assertIn("1 fingerprint is that of several issues of a scan, and not taken as a sign", self.notes)

    def test_line_hash_of_a_log(self):
        def log(name, *results, snippets=False):
            results = [{"ruleId": "R", "message": {"text": "found"}, "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "a.c"}, "region": {"startLine": line, "startColumn": 5} | (
                    {"snippet": {"text": f"call({text})"}} if snippets else {})}}],
                "partialFingerprints": {"primaryLocationLineHash": f"39fa2ee980eb94b{text}:1"}} for line, text in results]
            text = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": results}]})
            (self.folder / name).write_text(text, encoding="utf-8")

        def pairs():
            done = subprocess.run([RETRIAGE, "diff", "old.sarif", "new.sarif"], check=True, cwd=self.folder,
                                  capture_output=True, text=True, timeout=60)
            lines = {}
            for name in ("old", "new"):
                rows = subprocess.run([RETRIAGE, "list", "--as", "json", f"{name}.sarif"], check=True, cwd=self.folder,
                                      capture_output=True, text=True, timeout=60).stdout
                lines.update({(name, row["id"]): row["line_number"] for row in json.loads(rows)})
            return [(r["class"], lines.get(("old", r["old_id"])), lines.get(("new", r["new_id"])), r["by"])
                    for r in json.loads(done.stdout)["issues"]]

        log("old.sarif", (10, "1"), (20, "2"))
        log("new.sarif", (9, "2"), (30, "3"))
        self.assertEqual(pairs()[0], ("moved", 20, 9, "fingerprint"))
        log("old.sarif", (10, "1"), (20, "2"), snippets=True)
        self.assertEqual(pairs()[0], ("moved", 20, 9, "fingerprint"))
        log("new.sarif", (9, "4"), (30, "5"))
        log("old.sarif", (10, "1"), (20, "2"))
        self.assertEqual(pairs(), [("changed", 10, 9, "changed"), ("changed", 20, 30, "changed")])

    def test_placeholders_are_no_code(self):
        old = [issue(f"o{n}", path=f"f{n}.c", line=n + 1, rule=f"R{n % 7}", column_start=n,
                     code_snippet="not available") for n in range(60)]
        new = [dict(x, id="n" + x["id"], line_number=x["line_number"] + 1) for x in old[:30]]
        got = self.classes(old, new)
        self.assertTrue(all(b == "n" + a for a, b in got if b))
        self.assertEqual(collections.Counter(got.values()), {"moved": 30, "gone": 30})

    def test_renamed_file(self):
        old = [issue(f"o{n}", path="lib/old/net.c", line=10 * n, rule=f"R{n % 3}", code_snippet=f"call_{n}(x);")
               for n in range(8)]
        new = [dict(x, id="n" + x["id"], file_path="src/net/net.c") for x in old]
        self.assertEqual(set(self.classes(old, new).values()), {"moved"})

    def test_code_in_another_file(self):
        around = {"context_before": "static int parse_header(struct state *s)\n{", "context_after": "}"}
        old = [issue("a", path="a.c", code_snippet="memcpy(to, from, len);", **around), issue("k", path="a.c", line=90, rule="K")]
        new = [dict(old[0], id="n", file_path="b.c"), dict(old[1], id="m"), issue("z", path="b.c", line=99, rule="Z")]
        self.assertEqual(self.classes(old, new)["a", "n"], "moved")

    def test_not_scanned(self):
        old = [issue("a", repo_name="one"), issue("b", repo_name="two", path="b.c")]
        self.assertEqual(self.classes(old, [dict(old[0], id="n")]),
                         {("a", "n"): "unchanged", ("b", None): "not_scanned"})

    def test_half_gone_is_said(self):
        old = [issue(f"o{n}", path=f"f{n}", rule=f"R{n}", code_snippet=f"c{n}") for n in range(20)]
        self.classes(old, [dict(x, id="n" + x["id"]) for x in old[:9]])
        self.assertIn("11 of 20 old issues are gone", self.notes)
        self.classes(old, [dict(x, id="n" + x["id"]) for x in old[:10]])
        self.assertNotIn("are gone", self.notes)

    def test_rule_that_is_gone_is_said(self):
        old = [issue(f"o{n}", path=f"f{n}", rule=rule, code_snippet=f"c{n}")
               for n, rule in enumerate(["A"] * 10 + ["B"] * 9 + ["C"] * 30 + ["D"] * 11)]
        self.classes(old, [dict(x, id="n" + x["id"]) for x in old[19:49]])
        self.assertIn("all 10 old issues of rule A are gone, and all of 1 more: was the new scan of all the code?",
                      self.notes)
        self.classes(old, [dict(x, id="n" + x["id"]) for x in old[9:50]])
        self.assertNotIn("are gone", self.notes)

    def test_filter_picks_either_side(self):
        old = [issue("a", severity="low", code_snippet="a"), issue("b", line=9, code_snippet="b")]
        new = [dict(old[0], id="n", severity="critical"), dict(old[1], id="m")]
        for where in ("severity=low", "severity=critical"):
            report = self.run_diff(old, new, "--where", where)
            self.assertEqual([(r["old_id"], r["new_id"]) for r in report["issues"]], [("a", "n")])

    def test_exit_code(self):
        old = [issue("a")]
        self.run_diff(old, [dict(old[0], id="n")], "--exit-code")
        self.run_diff(old, [], "--exit-code", status=1)
        self.run_diff(old, [])


class Evidence(Diff):
    """A pair needs evidence, and a known difference is told (E1 to E7)."""

    def by(self, old, new, *options):
        """{(old id, new id): by} of pairs, and what is told to differ beside the fields shown."""
        report = self.run_diff(old, new, *options)
        self.hidden = [c["field"] for row in report["issues"] for c in row["changes"] if len(c) == 1]
        return {(row["old_id"], row["new_id"]): row["by"] for row in report["issues"] if row["by"]}

    def log(self, name, *results, rules=()):
        """A log of results (line, text, more)."""
        made = [{"ruleId": "R", "message": {"text": text}, "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": more.pop("path", "a.c")}, "region": {"startLine": line} if line else {}}}], **more}
            for line, text, more in results]
        tool = {"driver": {"name": "T", "rules": list(rules)}}
        (self.folder / name).write_text(json.dumps({"version": "2.1.0", "runs": [{"tool": tool, "results": made}]}),
                                        encoding="utf-8")

    def by_of_logs(self):
        done = subprocess.run([RETRIAGE, "diff", "old.sarif", "new.sarif"], check=True, cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        rows = json.loads(done.stdout)["issues"]
        self.hidden = [c["field"] for row in rows for c in row["changes"] if len(c) == 1]
        return collections.Counter(row["by"] or row["class"] for row in rows)

    def dependency(self, ident, text, **fields):
        return issue(ident, path="package-lock.json", line=None, rule="dependency", title="Vulnerable dependency",
                     description=text, **fields)

    def test_another_vulnerability_is_another_finding(self):
        for old, new in (("CVE-2019-10744 in lodash", "CVE-2026-31337 in lodash"),
                         ("GHSA-jfh8-c2jp-5v3q in log4j", "GHSA-aaaa-bbbb-cccc in log4j"),
                         ("SNYK-JS-LODASH-590103", "SNYK-JS-LODASH-608086"), ("RHSA-2021:1234", "RHSA-2021:1235"),
                         ("advisory 1500 of lodash", "advisory 1501 of lodash"), ("see bug #12", "see bug #13")):
            with self.subTest(old):
                self.assertEqual(self.by([self.dependency("o", old)], [self.dependency("n", new)]), {})
        # The other one moves up, and keeps to itself.
        old = [self.dependency("a", "CVE-2019-10744 in lodash"), self.dependency("b", "CVE-2019-10745 in lodash")]
        new = [self.dependency("c", "CVE-2019-10745 in lodash"), self.dependency("d", "CVE-2019-10746 in lodash")]
        self.assertEqual(self.by(old, new), {("b", "c"): "column"})

    def test_numbers_that_count_are_no_names(self):
        for old, new in (("found 3 versions", "found 4 versions"), ("build 17 of x", "build 18 of x")):
            with self.subTest(old):
                self.assertEqual(self.by([self.dependency("o", old)], [self.dependency("n", new)]), {("o", "n"): "column"})
        for old, new in (("fixed in 1.2.3", "fixed in 1.2.4"), ("libssl3 is old", "libssl1 is old")):
            with self.subTest(old):
                self.assertEqual(self.by([self.dependency("o", old)], [self.dependency("n", new)]), {})

    def test_title_tells_what_has_no_line(self):
        old, new = [dict(self.dependency(i, "A dependency is vulnerable"), title=t)
                    for i, t in (("o", "Prototype pollution in lodash"), ("n", "Remote code execution in log4j"))]
        self.assertEqual(self.by([old], [new]), {})
        self.assertEqual(self.by([dict(old, line_number=3)], [dict(new, line_number=4)]), {("o", "n"): "column"})

    def test_a_vulnerability_is_one_whatever_is_said_of_it(self):
        old = [self.dependency("o", "CVE-2019-10744 in lodash, fixed in 4.17.12")]
        new = [self.dependency("n", "lodash 4.17.11 has CVE-2019-10744, upgrade to 4.17.19")]
        self.assertEqual(self.by(old, new), {("o", "n"): "identifier"})
        # One of several packages could be the other's.
        old.append(self.dependency("p", "CVE-2019-10744 in lodash-es"))
        self.assertEqual(self.by(old, new), {})

    def test_one_place_keeps_its_order(self):
        for count in (3, 100, 1000):
            for line in (None, 1):
                with self.subTest(count=count, line=line):
                    old = [issue(f"o{n}", line=line, description=f"package p{n % 7}x of build 17 has fault number x{n}y")
                           for n in range(count)]
                    new = [dict(x, id="n" + x["id"], description=x["description"].replace("build 17", "build 18")) for x in old]
                    self.assertEqual(set(self.by(old, new)), {(x["id"], "n" + x["id"]) for x in old})

    def test_spelling_and_severity_are_no_evidence(self):
        old = [issue(f"o{n}", path="src/é/a.c", line=None, description=f"a/b of kind {'abcdefgh'[n]} é") for n in range(8)]
        new = [dict(x, id="n" + x["id"], severity="low" if n % 3 else x["severity"]) for n, x in enumerate(old)]
        (self.folder / "old.json").write_text(json.dumps(old, ensure_ascii=True).replace("/", "\\/"), encoding="utf-8")
        (self.folder / "new.json").write_text(json.dumps(new, ensure_ascii=False), encoding="utf-8")
        done = subprocess.run([RETRIAGE, "diff", "old.json", "new.json"], check=True, cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual({(r["old_id"], r["new_id"]) for r in json.loads(done.stdout)["issues"]},
                         {(x["id"], "n" + x["id"]) for x in old})

    def test_hidden_code_is_no_evidence(self):
        for text in ("REDACTED", "<redacted>", "requires login", "********", "xxxxxx", "...", "password = \"****\";",
                     "token: REDACTED"):
            with self.subTest(text):
                old = issue("o", line=5, column_start=12, code_snippet=text)
                self.assertEqual(self.by([old], [dict(old, id="n", line_number=50, column_start=30)]), {})
                self.assertEqual(self.by([old], [dict(old, id="n", line_number=50)]), {})
                self.assertEqual(self.by([old], [dict(old, id="n")]), {("o", "n"): "column"})
        old = issue("o", line=5, column_start=12, code_snippet="}")
        self.assertEqual(self.by([old], [dict(old, id="n", line_number=50)]), {("o", "n"): "context"})

    def test_known_differences_are_told(self):
        old = issue("o", column_start=3, code_snippet="query(CONSTANT)")
        for code in ("os.system(q)", " \n ", ""):
            with self.subTest(code):
                self.assertEqual(self.by([old], [dict(old, id="n", code_snippet=code)]), {("o", "n"): "changed"})
                self.assertEqual(self.hidden, ["code_snippet"])
        # Code that is missing is blank where that scan shows code anywhere.
        other = issue("x", path="b.c", rule="R9", code_snippet="something else")
        self.assertEqual(self.by([old], [dict(old, id="n", code_snippet=None)]), {("o", "n"): "column"})
        self.assertEqual(self.by([old, other], [dict(old, id="n", code_snippet=None), dict(other, id="y")]),
                         {("o", "n"): "changed", ("x", "y"): "context"})
        # What very many places have is no evidence, and other code all the same.
        many = [issue(f"m{n}", path=f"f{n}.c", line=n + 1, rule="R9", code_snippet="return None") for n in range(60)]
        report = self.by(many + [dict(old, code_snippet="return None")], many + [dict(old, id="n")])
        self.assertEqual(report["o", "n"], "changed")

    def test_hashes_of_lines(self):
        for name, field in (("primaryLocationLineHash", "primaryLocationLineHash"), ("contextHash/v1", "contextHash")):
            with self.subTest(name):
                for file, value in (("old.sarif", "39fa2ee980eb94b0:1"), ("new.sarif", "ffffbbbbccccdddd:1")):
                    self.log(file, (20, "A path depends on a value.", {"partialFingerprints": {name: value}}))
                self.assertEqual(self.by_of_logs(), {"changed": 1})
                self.assertEqual(self.hidden, [field])
        self.log("old.sarif", (20, "A path.", {"partialFingerprints": {"contextHash/v1": "39fa2ee980eb94b0"}}))
        self.log("new.sarif", (20, "A path.", {"partialFingerprints": {"contextHash/v2": "ffffbbbbccccdddd"}}))
        self.assertEqual(self.by_of_logs(), {"column": 1})

    def test_fingerprints_of_logs(self):
        for prints in ({"fingerprints": {"a/v1": "0123456789abcdef"}}, {"partialFingerprints": {"p": "0123456789abcdef:1"}},
                       {"correlationGuid": "6d339d17-4013-4edd-8e63-9a27887a2771"}):
            with self.subTest(prints):
                self.log("old.sarif", (20, "Worded so.", dict(prints)), (30, "Another.", {}))
                self.log("new.sarif", (4, "Said in another way.", dict(prints)), (40, "Another.", {}))
                self.assertEqual(self.by_of_logs(), {"fingerprint": 1, "column": 1})
        # A value of several findings is none, nor one that has the line in it.
        guid = {"correlationGuid": "6d339d17-4013-4edd-8e63-9a27887a2771"}
        self.log("old.sarif", (20, "Worded so.", dict(guid)), (21, "Or so.", dict(guid)))
        self.log("new.sarif", (4, "Said in another way.", dict(guid)))
        self.assertEqual(self.by_of_logs(), {"new": 1, "gone": 2})
        self.log("old.sarif", (20, "Worded so.", {"fingerprints": {"f": "config.py:aws:20"}}))
        self.log("new.sarif", (20, "Said in another way.", {"fingerprints": {"f": "config.py:aws:20"}}))
        self.assertEqual(self.by_of_logs(), {"new": 1, "gone": 1})
        # A guid is one in another file, too.
        self.log("old.sarif", (20, "Worded so.", dict(guid)))
        self.log("new.sarif", (4, "Said in another way.", dict(guid, path="b.c")))
        self.assertEqual(self.by_of_logs(), {"fingerprint": 1})

    def test_reworded(self):
        old = issue("o", description="Use of weak hash", code_snippet="hashlib.md5(data)")
        new = dict(old, id="n", line_number=9, description="MD5 is broken")
        self.assertEqual(self.by([old], [new]), {("o", "n"): "reworded"})
        # Too short, twice, of another vulnerability.
        self.assertEqual(self.by([dict(old, code_snippet="md5(x)")], [dict(new, code_snippet="md5(x)")]), {})
        self.assertEqual(self.by([old, dict(old, id="p", line_number=2, description="And so")], [new]), {})
        self.assertEqual(self.by([dict(old, description="CVE-2020-1111")], [dict(new, description="CVE-2020-2222")]), {})

    def test_deprecated_ids_of_rules(self):
        rule = {"id": "R2", "deprecatedIds": ["R"]}
        self.log("old.sarif", (20, "Found.", {}), (30, "Again.", {}))
        self.log("new.sarif", (20, "Found.", {"ruleId": "R2"}), (31, "Again.", {"ruleId": "R2"}), rules=[rule])
        self.assertEqual(self.by_of_logs(), {"column": 2})
        # Not where the scan has both.
        self.log("new.sarif", (20, "Found.", {"ruleId": "R2"}), (31, "Again.", {}), rules=[rule])
        self.assertEqual(self.by_of_logs(), {"column": 1, "new": 1, "gone": 1})

    def test_a_rule_with_another_number_is_told(self):
        old = [issue(f"o{n}", line=n, description=f"fault of kind {'abcdefg'[n]}") for n in range(1, 4)]
        new = [dict(x, id="n" + x["id"], category="R2") for x in old]
        self.assertEqual(self.by(old, new), {})
        self.assertIn("3 gone issues are back as new under another rule", self.notes)
        self.by(old, [dict(x, line_number=x["line_number"] + 40) for x in new])
        self.assertNotIn("under another rule", self.notes)

    def test_ids_are_evidence_where_they_prove_stable(self):
        known = [issue(f"id{n}", path=f"f{n}.c", line=n + 1, code_snippet=f"call_{n}();") for n in range(10)]
        one = issue("one", line=5, column_start=4, code_snippet="first(a, b);")
        moved = dict(one, line_number=90, column_start=1, code_snippet="second(a, b);")
        self.assertEqual(self.by(known + [one], known + [moved])["one", "one"], "changed")
        self.assertEqual(self.by(known[:8] + [one], known[:8] + [moved]).get(("one", "one")), None)
        # In another file an id is used again.
        self.by([one], [dict(moved, file_path="b.c")])
        self.assertIn("1 id is used again for another issue", self.notes)

    def test_names_of_files_are_compared_whole(self):
        def scan(folder, other, mark):
            return [issue(f"{mark}{name}{n}", path=f"{folder}/{name}.c", line=n * 9 + 1, rule=f"R{n}", code_snippet=f"call_something_{n}(with, args);")
                    for name in ("bar", other) for n in range(3)]
        for other in ("car", "dar", "bas"):
            with self.subTest(other):
                got = self.by(scan("old", other, "o"), scan("new", other, "n"))
                self.assertEqual({(a[1:], b[1:]) for a, b in got}, {(f"{x}{n}", f"{x}{n}") for x in ("bar", other) for n in range(3)})


class Scans(Diff):
    """Random scans and their next ones."""

    def scan(self, rng):
        rules = [f"R{n}" for n in range(rng.randint(1, 4))]
        code = rng.random() < 0.7
        records = []
        for n in range(rng.randint(0, 60)):
            path = f"d{rng.randint(0, 1)}/f{rng.randint(0, 5)}.c"
            text = f"stmt{rng.randint(0, 9)}({rng.choice('xyz')});"
            records.append(issue(f"o{n}", path, rng.randint(1, 90), rng.choice(rules),
                                 severity=rng.choice(LEVELS), column_start=rng.randint(1, 3),
                                 code_snippet=text if code else None,
                                 context_before=rng.choice([None, "{", f"before{rng.randint(0, 3)}"])))
        return records

    def next_scan(self, rng, old):
        shift = collections.Counter({x["file_path"]: rng.choice([0, 0, 3]) for x in old})
        renamed = {"d0/f0.c": "e/f0.c"} if rng.random() < 0.3 else {}
        new = [dict(x, line_number=x["line_number"] + shift[x["file_path"]],
                    file_path=renamed.get(x["file_path"], x["file_path"])) for x in old if rng.random() < 0.9]
        new += self.scan(rng)[:rng.randint(0, 6)]
        return [dict(x, id=f"n{n}") for n, x in enumerate(new)]

    def run_new(self, *arguments):
        done = subprocess.run([RETRIAGE, *arguments, "--baseline", "old.json", "new.json"], check=False,
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout

    def check_baseline(self, got):
        """gate and list say the same of old.json and new.json as diff: code that is known to be other is new."""
        classes = {new: name for (_, new), name in got.items() if new}
        other = {row["new_id"] for row in self.run_diff(None, None)["issues"]
                 if {"field": "code_snippet"} in row["changes"]}
        rows = csv.DictReader(io.StringIO(self.run_new("list", "--as", "csv")))
        self.assertEqual({row["id"]: row["baseline"] for row in rows}, classes)
        counts = collections.Counter(got.values())
        said = json.loads(self.run_new("gate", "--max-new", "total=0"))
        self.assertEqual({k: v for k, v in said["baseline"]["by_class"].items() if v}, counts)
        groups = said["baseline"]["ambiguous"]
        new = counts["new"] + len(other) + sum(max(0, g["new_count"] - g["old_count"]) for g in groups)
        if len(groups) == said["baseline"]["ambiguous_groups"]:
            self.assertEqual(said["baseline"]["counted_as_new"], new)
            self.assertEqual(said["conditions"][0]["found"], new)
        listed = self.run_new("list", "--where", "baseline=new", "--as", "ids").split()
        self.assertEqual(len(listed), said["baseline"]["counted_as_new"])
        self.assertEqual(said["conditions"][0]["changed"], len(other))
        wanted = {n for n, name in classes.items() if name == "new"} | other
        self.assertLessEqual(wanted, {json.loads(line) for line in listed})

    def test_rounds(self):
        for number in range(ROUNDS):
            rng = random.Random(f"diff {SEED} {number}")
            with self.subTest(round=number):
                old = self.scan(rng)
                copy = [dict(x, id="c" + x["id"]) for x in old]
                rng.shuffle(copy)
                self.assertEqual(set(self.classes(old, copy).values()) - {"unchanged"}, set())
                new = self.next_scan(rng, old)
                got = self.classes(old, new)
                self.check_baseline(got)
                mirrored = {(b, a) for a, b in self.classes(new, old) if a and b}
                self.assertEqual(mirrored, {pair for pair in got if None not in pair})
                places = collections.Counter((x["file_path"], x["line_number"], x["column_start"]) for x in new)
                if max(places.values(), default=1) == 1:
                    rng.shuffle(new)
                    self.assertEqual(self.classes(old, new), got)


if __name__ == "__main__":
    unittest.main()
