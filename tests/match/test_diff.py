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
        new[2]["category"] = new[2]["description"] = "another"
        self.assertEqual(collections.Counter(self.classes(old, new).values()), {"gone": 3, "new": 3})
        report = self.run_diff(old, new, "--fingerprint", "print")
        self.assertEqual({(r["old_id"], r["new_id"], r["by"]) for r in report["issues"]},
                         {("i0", "n0", "fingerprint"), ("i1", "n1", "fingerprint"), ("i2", None, None), (None, "n2", None)})
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

    def test_line_hash_of_a_log_is_code(self):
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

        want = [("moved", 20, 9, "code"), ("new", None, 30, None), ("gone", 10, None, None)]
        log("old.sarif", (10, "1"), (20, "2"))
        log("new.sarif", (9, "2"), (30, "3"))
        self.assertEqual(pairs()[0], want[0])
        log("old.sarif", (10, "1"), (20, "2"), snippets=True)
        self.assertEqual(pairs()[0], want[0])
        log("new.sarif", (9, "4"), (30, "5"))
        log("old.sarif", (10, "1"), (20, "2"))
        self.assertEqual(pairs(), [("moved", 10, 9, "column"), ("moved", 20, 30, "column")])

    def test_placeholders_are_no_code(self):
        old = [issue(f"o{n}", path=f"f{n}.c", line=n + 1, rule=f"R{n % 7}", column_start=n,
                     code_snippet="requires login") for n in range(60)]
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
        """gate and list say the same of old.json and new.json as diff."""
        classes = {new: name for (_, new), name in got.items() if new}
        rows = csv.DictReader(io.StringIO(self.run_new("list", "--as", "csv")))
        self.assertEqual({row["id"]: row["baseline"] for row in rows}, classes)
        counts = collections.Counter(got.values())
        said = json.loads(self.run_new("gate", "--max-new", "total=0"))
        self.assertEqual({k: v for k, v in said["baseline"]["by_class"].items() if v}, counts)
        groups = said["baseline"]["ambiguous"]
        new = counts["new"] + sum(max(0, g["new_count"] - g["old_count"]) for g in groups)
        if len(groups) == said["baseline"]["ambiguous_groups"]:
            self.assertEqual(said["baseline"]["counted_as_new"], new)
            self.assertEqual(said["conditions"][0]["found"], new)
        listed = self.run_new("list", "--where", "baseline=new", "--as", "ids").split()
        self.assertEqual(len(listed), said["baseline"]["counted_as_new"])
        wanted = {n for n, name in classes.items() if name == "new"}
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
