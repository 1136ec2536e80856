"""SARIF logs, real, random and hostile: every answer is held against the plain converter.

Environment: RETRIAGE or BUILD; SARIF_SEED (default 1), SARIF_ROUNDS (random logs, default 80),
SARIF_FIRST (the round to begin with), SARIF_CUTS (how often each log is cut, default 100). A
failure of a round keeps its log and prints how to run the round again. SANITIZE as for make.
"""
import bz2
import copy
import csv
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
import zipfile

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "sarif"), str(TOP / "tests" / "property")]

import convert
import model
import program
from make import Maker, Raw, dump, log, place, result, rule, run, spell, spell_any, spoil
from program import REAL, answer, check_file, difference, issues_of, listed, parse, refusal

SEED = os.environ.get("SARIF_SEED", "1")
# Under sanitizers some have to do, for all of them run without.
ROUNDS = int(os.environ.get("SARIF_ROUNDS", "20" if os.environ.get("SANITIZE") else "80"))
FIRST = int(os.environ.get("SARIF_FIRST", "0"))
CUTS = int(os.environ.get("SARIF_CUTS", "15" if os.environ.get("SANITIZE") else "100"))
# Logs of tools, and what their own publishers' numbers say of them (README of the folder).
GOLDEN = {
    "codeQL-output.sarif": (72, {"high": 11, "medium": 4, "low": 57}, 13, 0, 0,
                            "s2-deaf4b5dc7ae8487e2a72784b633215d"),
    "flawfinder.sarif": (53, {"high": 2, "medium": 1, "low": 50}, 9, 8, 0,
                         "s2-d2e9beda21f288ef40b17e3958b959bf-1of2"),
    "semgrepowasp-benchmark-sample.sarif": (1768, {"medium": 1768}, 7, 208, 0,
                                            "s2-7fb375137fcded16083d9722fbe06b15"),
    "suppression_test.sarif": (5, {"medium": 5}, 5, 0, 3, None),
}


class Folder(unittest.TestCase):
    """A folder for each test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-sarif."))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, data, name="a.sarif"):
        """A file of bytes or text; its path."""
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path


def totals(issues):
    """What `summary` says of issues, recent ones aside."""
    severities = dict.fromkeys(model.LEVELS, 0)
    for value in sorted(str(issue["severity"]).encode() for issue in issues
                        if issue["severity"] is not None):
        severities[value.decode()] = severities.get(value.decode(), 0) + 1
    missing = sum(issue["severity"] is None for issue in issues)
    if missing:
        severities["unknown"] = severities.get("unknown", 0) + missing
    categories = {}
    for issue in issues:
        name = "unknown" if issue["category"] is None else issue["category"]
        categories[name] = categories.get(name, 0) + 1
    return {"total_issues": len(issues), "issues_by_severity": severities,
            "issues_by_category": categories,
            "false_positive_count": sum(issue["false_positive"] for issue in issues)}


def check_totals(path, issues, *options):
    """`summary`, `list --as count` and `gate` count what the converter counts."""
    want = totals(issues)
    summary = json.loads(answer("summary", "--quiet", "--recent", "0", *options, path))
    for name, value in want.items():
        if summary[name] != value:
            raise program.Wrong(f"summary: {name}: {summary[name]}, want {value}")
    status, out, err = program.run("list", "--quiet", "--as", "count", "--count-by", "severity",
                                   *options, path)
    counts = json.loads(out)
    have = {row["severity"]: row["all"] for row in counts["counts"] if row["all"]}
    severities = {}
    for issue in issues:
        severities[issue["severity"]] = severities.get(issue["severity"], 0) + 1
    if status or have != severities or counts["total_issues"] != len(issues):
        raise program.Wrong(f"list: exit {status}, {counts}, want {severities}\n{err}")
    # What is no level counts as critical.
    bad = any(issue["severity"] not in ("medium", "low", "info") and not issue["false_positive"]
              for issue in issues)
    # Half a scan does not pass, whatever it found.
    tree = json.loads(path.read_text(encoding="utf-8-sig"))
    if "accept" not in options:
        bad = bad or any((invocation or {}).get("executionSuccessful") is False
                         for run in tree["runs"] for invocation in run.get("invocations") or [])
    status, out, err = program.run("gate", "--quiet", "--fail-on", "high", *options, path)
    if status != bad:
        raise program.Wrong(f"gate: exit {status}, want {int(bad)}\n{out}{err}")


# --- Real logs ----------------------------------------------------------------------------------

@unittest.skipUnless(REAL.is_dir(), "there are no real logs")
class Real(Folder):
    """Logs as tools write them."""

    def test_golden_numbers(self):
        """What was counted by hand and by another program."""
        for name, (total, severities, categories, ordinals, false, first) in GOLDEN.items():
            issues = issues_of(REAL / name)
            want = totals(issues)
            self.assertEqual(len(issues), total)
            self.assertEqual({key: count for key, count in want["issues_by_severity"].items()
                              if count}, severities)
            self.assertEqual(len(want["issues_by_category"]), categories)
            self.assertEqual(sum(issue["id"].count("-") > 1 for issue in issues), ordinals)
            self.assertEqual(want["false_positive_count"], false)
            if first:
                self.assertEqual(issues[0]["id"], first)

    def test_every_log(self):
        """All members, notes, counts and rulesets."""
        for path in sorted(REAL.rglob("*.sarif")):
            with self.subTest(log=path.name):
                got = check_file(path, path.read_bytes())
                self.assertIsInstance(got, convert.Log)
                check_totals(path, got.issues)
                self.assertEqual(answer("rulesets", "--quiet", path), b"[]\n")

    def test_headlines(self):
        """A line is the finding's own words: no id where there is a message, no other's message."""
        for path in sorted(REAL.rglob("*.sarif")):
            out = answer("list", "--quiet", "--as", "csv", "--columns", "finding", path)
            lines = [row[0] for row in csv.reader(io.StringIO(out.decode(), newline=""))][1:]
            issues = issues_of(path)
            said = {}
            for issue in issues:
                said.setdefault((issue["category"], issue["title"]), set()).add(issue["description"])
            self.assertEqual(len(lines), len(issues))
            for line, issue in zip(lines, issues):
                line = line.removeprefix("'").removesuffix("\u2026")
                title, message = issue["title"] or "", " ".join((issue["description"] or "").split())
                own = line.removeprefix(title.rstrip(".: ") + ": ")
                with self.subTest(log=path.name, line=line):
                    self.assertTrue(" " in line or " " not in message)
                    self.assertIn(own.strip(), message or title)
                    others = said[issue["category"], issue["title"]]
                    if len(others) > 1 and title in others:
                        self.assertEqual(own, line)

    def test_as_one_data_set(self):
        """Logs and exports mix, from files or from the folder."""
        exports = sorted(REAL.glob("*.issues.json"))
        logs = sorted(REAL.glob("*.sarif"))
        want = [issue for path in logs for issue in convert.convert(path.read_bytes()).issues]
        have = issues_of(*logs, exports[0])
        self.assertIsNone(difference(have[:len(want)], want))
        self.assertGreater(len(have), len(want))
        for path in logs:
            shutil.copy(path, self.folder / path.name)
        self.assertIsNone(difference(issues_of(self.folder), want))

    def test_ids_stay(self):
        """Whatever another run of a tool, or a person, changes."""
        for path in sorted(REAL.glob("*.sarif"))[:3]:
            check_ids_stay(self, path.read_bytes(), random.Random(path.name))


# --- Random logs --------------------------------------------------------------------------------

def random_log(number):
    """(tree, text) of a round."""
    rng = random.Random(f"sarif {SEED} {number}")
    tree = Maker(rng).log()
    if rng.random() < 0.35:
        spoil(rng, tree)
    return tree, spell_any(rng, tree)


class Random(Folder):
    """Every kind of member, in every order."""

    def test_random_logs(self):
        """What the converter says."""
        seen = {convert.Log: 0, convert.Refused: 0}
        for number in range(FIRST, FIRST + ROUNDS):
            _, text = random_log(number)
            path = self.write(text)
            try:
                got = check_file(path, text.encode(), accept=number % 5 == 0)
                if number % 4 == 0 and isinstance(got, convert.Log):
                    options = ["--failed-runs", "accept"] if number % 5 == 0 else []
                    check_totals(path, got.issues, *options)
            except Exception as error:
                kept = pathlib.Path(tempfile.gettempdir()) / f"sarif-{SEED}-{number}.sarif"
                shutil.copy(path, kept)
                raise program.Wrong(f"round {number}: {error}\nlog {kept}; again with SARIF_SEED="
                                    f"{SEED} SARIF_FIRST={number} SARIF_ROUNDS=1") from error
            seen[type(got)] += 1
        if ROUNDS >= 50:
            self.assertGreater(min(seen.values()), ROUNDS / 10, seen)


# --- Identity -----------------------------------------------------------------------------------

def plain_tree(data):
    """A log as make.py spells it: numbers are Raw."""
    def raw(value):
        if isinstance(value, convert.Number):
            return Raw(value)
        if isinstance(value, list):
            return [raw(one) for one in value]
        if isinstance(value, dict):
            return {name: raw(one) for name, one in value.items()}
        return value
    return raw(convert.parse(data))


def results_of(tree):
    """All results of a log."""
    return [one for each in tree["runs"] for one in each["results"]]


def shuffled(tree, rng):
    """The results of each run in another order."""
    for each in tree["runs"]:
        rng.shuffle(each["results"])


def moved(tree, _):
    """20 lines inserted above everything."""
    for one in results_of(tree):
        for where in one.get("locations", [])[:1]:
            for name in ("region", "contextRegion"):
                region = where.get("physicalLocation", {}).get(name, {})
                for line in ("startLine", "endLine"):
                    if line in region and int(region[line]) >= 1:
                        region[line] = Raw(int(region[line]) + 20)


def members_sorted(tree, _):
    """By name, everywhere."""
    def ordered(value):
        if isinstance(value, list):
            return [ordered(one) for one in value]
        if isinstance(value, dict):
            return {name: ordered(value[name]) for name in sorted(value)}
        return value
    tree.update(ordered(tree))


def updated(tree, _):
    """Another version of the tool."""
    for each in tree["runs"]:
        each["tool"]["driver"].update(version="99.9", semanticVersion="99.9.9")


def levelled(tree, rng):
    """Other levels."""
    for one in results_of(tree):
        one["level"] = rng.choice(["none", "note", "warning", "error"])


def suppressed(tree, rng):
    """Suppressed, some of them."""
    for one in results_of(tree):
        one["suppressions"] = rng.choice([[], [{"kind": "external"}]])


def decided(tree, _):
    """What is decided about issues."""
    for one in results_of(tree):
        one.setdefault("properties", {})["retriage"] = {"severity": "low", "exploitable": True}


CHANGES = [shuffled, moved, members_sorted, updated, levelled, suppressed, decided]


def check_ids_stay(case, data, rng):
    """No change touches an id."""
    tree = plain_tree(data)
    path = case.write(data, "before.sarif")
    want = sorted(issue["id"] for issue in issues_of(path))
    for change in CHANGES:
        other = copy.deepcopy(tree)
        change(other, rng)
        have = sorted(issue["id"] for issue in issues_of(case.write(dump(other), "after.sarif")))
        case.assertEqual(have, want, change.__name__)
    for blank in ("", "\n\t "):
        text = spell(tree, lambda blank=blank: blank, json.dumps)
        have = sorted(issue["id"] for issue in issues_of(case.write(text, "after.sarif")))
        case.assertEqual(have, want, "blanks")


def equal_results(rng):
    """A log with many results that are alike."""
    fingers = [None, {"h/v1": "0123456789"}, {"primaryLocationLineHash": "abcdefabcdef:1"}]
    results = [result(ruleId=rng.choice(["R1", "R2"]), partialFingerprints=rng.choice(fingers),
                      message={"text": rng.choice(["one", "two"])},
                      locations=[place(rng.choice(["a.c", "b.c"]), rng.randrange(1, 9),
                                       startColumn=rng.randrange(1, 4))]) for _ in range(60)]
    return log(run(results[:40], [rule("R1"), rule("R2")]), run(results[40:]))


class Identity(Folder):
    """An id is an issue's own."""

    def test_ids_stay(self):
        """With ordinals, over two runs."""
        rng = random.Random(f"identity {SEED}")
        for _ in range(3):
            check_ids_stay(self, dump(equal_results(rng)).encode(), rng)

    def test_ordinals_follow_lines(self):
        """Among equals the upper one comes first, whatever the order of the log."""
        rng = random.Random(f"ordinals {SEED}")
        tree = equal_results(rng)
        tree["runs"].pop()
        places = set()
        for _ in range(3):
            shuffled(tree, rng)
            issues = issues_of(self.write(dump(tree)))
            places.add(tuple(sorted((issue["id"], issue["line_number"], issue["column_start"])
                                    for issue in issues)))
        self.assertEqual(len(places), 1)


# --- The same log in every way ------------------------------------------------------------------

class Forms(Folder):
    """A log is the same log however it comes."""

    def big_log(self, order=("tool", "artifacts", "results")):
        """A log larger than any buffer."""
        rng = random.Random(f"forms {SEED}")
        maker = Maker(rng)
        maker.index = lambda most: rng.randrange(most) if most else 0
        runs = []
        for number in range(2):
            rules = [rule(f"R{n}", shortDescription={"text": f"rule {n} " + "x" * rng.randrange(900)})
                     for n in range(70)]
            results = [result(ruleId=f"R{rng.randrange(70)}", message={"text": maker.text() * 9},
                              kind=rng.choice(["pass", None, None]), locations=[
                                  {"physicalLocation": {"artifactLocation": {
                                      "index": rng.randrange(9)}, "region": {
                                          "startLine": rng.randrange(1, 500)}}}],
                              codeFlows=[{"x": "y" * rng.randrange(3000)}]) for _ in range(600)]
            whole = run(results, rules, artifacts=[{"location": {"uri": f"d/f{n}.c"}}
                                                   for n in range(9)],
                        automationDetails={"id": f"part/{number}/"})
            runs.append({name: whole[name] for name in (*order, "automationDetails")})
        return dump(log(*runs)).encode()

    def pack(self, data):
        """[(what, operands, standard input)]."""
        ways = [("plain", [self.write(data)], b""), ("pipe", ["-"], data)]
        packers = {".gz": gzip.compress, ".bz2": bz2.compress}
        for suffix, tool in ((".zst", "zstd"), (".xz", "xz"), (".lz4", "lz4")):
            if shutil.which(tool):
                packers[suffix] = lambda raw, tool=tool: subprocess.run(
                    [tool, "-q", "-c"], input=raw, capture_output=True, check=True).stdout
        for suffix, packer in packers.items():
            ways.append((suffix, [self.write(packer(data), "a.sarif" + suffix)], b""))
        ways.append(("a pipe of gz", [], gzip.compress(data)))
        with zipfile.ZipFile(self.folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x/a.sarif", data)
        ways.append(("zip", [self.folder / "a.zip"], b""))
        for name, member in (("a.tar.gz", "a.sarif"), ("b.tar.gz", "a.sarif.json"),
                             ("c.tar.gz", "a.sarif.gz")):
            content = gzip.compress(data) if member.endswith(".gz") else data
            with tarfile.open(self.folder / name, "w:gz") as archive:
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            ways.append((f"{name} of {member}", [self.folder / name], b""))
        (self.folder / "d" / "e").mkdir(parents=True)
        (self.folder / "d" / "e" / "a.sarif").write_bytes(data)
        ways.append(("directory", [self.folder / "d"], b""))
        return ways

    def test_every_form(self):
        """Plain, compressed, packed, in a directory, by a pipe; by every path of the scanner."""
        for order in (("tool", "artifacts", "results"), ("results", "artifacts", "tool")):
            data = self.big_log(order)
            shutil.rmtree(self.folder / "d", ignore_errors=True)
            ways = self.pack(data)
            got = check_file(self.folder / "a.sarif", data)
            self.assertGreater(len(got.issues), 500)
            want = answer("list", "--as", "json", "--quiet", self.folder / "a.sarif")
            for what, operands, stdin in ways:
                have = answer("list", "--as", "json", "--quiet", *operands, stdin=stdin)
                self.assertTrue(have == want, what)
            with unittest.mock.patch.dict(os.environ, RETRIAGE_SIMD="portable"):
                have = answer("list", "--as", "json", "--quiet", self.folder / "a.sarif")
            self.assertTrue(have == want, "portable")

    def test_names(self):
        """What is read in a directory, and what is not."""
        text = dump(log(run([result()])))
        for number, name in enumerate(("a.sarif", "b.sarif.json", "c.sarif.gz")):
            one = dump(log(run([result(ruleId=f"R{number}")])))
            self.write(gzip.compress(one.encode()) if name.endswith("gz") else one, name)
        self.write(text, "d.sarif-external-properties")
        self.write('[{"id": "own", "scan_id": "x"}]', "e.json")
        status, out, err = program.run("list", "--as", "json", self.folder)
        self.assertEqual(status, 0, err)
        self.assertEqual([issue["category"] for issue in listed(out)], ["R0", "R1", "R2", None])
        self.assertIn(b"not read: 1 ", err)

    def test_records_are_an_export(self):
        """What `list --as records` writes is read back as the same issues."""
        rng = random.Random(f"records {SEED}")
        found = 0
        for _ in range(20):
            path = self.write(dump(Maker(rng).log()))
            want = issues_of("--failed-runs", "accept", path)
            if want:
                records = answer("list", "--as", "records", "--quiet", "--failed-runs", "accept",
                                 path)
                self.assertIsNone(difference(issues_of(self.write(records, "b.jsonl")), want))
            found += len(want)
        self.assertGreater(found, 20)


# --- Journal ------------------------------------------------------------------------------------

class Journal(Folder):
    """Decisions about a log are kept beside it."""

    def test_journal(self):
        """Updates, their proof, and the state that they lead to."""
        rng = random.Random(f"journal {SEED}")
        tree = log(run([result(ruleId=f"R{n}", locations=[place(f"f{n}.c", n + 1)])
                        for n in range(30)]), run([result()]))
        data = dump(tree).encode()
        path, journal = self.write(data), self.folder / "journal"
        issues = {issue["id"]: issue for issue in convert.convert(data).issues}
        for number in range(4):
            ids = rng.sample(list(issues), rng.randrange(1, 6)) + ["nobody"]
            request = {"issue_ids": ids, **rng.choice([
                {"severity": "critical"}, {"false_positive": True, "notes": "seen"},
                {"exploitable": False}, {"severity": "medium", "notes": ""}])}
            at = f"2026-01-0{number + 1}T00:00:00Z"
            out = answer("apply", "--quiet", "--at", at, "--journal", journal, path,
                         self.write(json.dumps(request), "request.json"))
            wanted = model.apply(issues, request, at)
            have = parse(out)
            self.assertIsNone(difference(have["updated_issues"], wanted["updated_issues"]))
            self.assertEqual([one["issue_id"] for one in have["failed_issues"]], ["nobody"])
        want = list(issues.values())
        status, out, err = program.run("verify", journal, path)
        self.assertEqual(status, 0, out + err)
        status, out, err = program.run("list", "--as", "json", "--quiet", "--journal", journal, path)
        self.assertIsNone(difference(listed(out), want))
        check_totals(path, want, "--journal", journal)
        # The log itself is as it was; another log is not its base.
        self.assertEqual(path.read_bytes(), data)
        refusal(*program.run("summary", "--journal", journal, self.write(data + b" ", "b.sarif")))
        # A log that was packed with the same bytes inside is another file.
        records = answer("list", "--as", "records", "--quiet", "--journal", journal, path)
        self.assertIsNone(difference(issues_of(self.write(records, "state.jsonl")), want))
        status, out, err = program.run("verify", "--expect", self.folder / "state.jsonl", journal,
                                       path)
        self.assertEqual(status, 0, out + err)


# --- Hostile logs -------------------------------------------------------------------------------

class Hostile(Folder):
    """Never a crash, and never half an answer."""

    def refuse(self, data, *words):
        """Refused, by a file and by a pipe; returns the line."""
        path = self.write(data)
        line = refusal(*program.run("summary", path))
        data = path.read_bytes()
        again = refusal(*program.run("summary", stdin=data))
        self.assertEqual(again.replace("retriage: -:", f"retriage: {path}:"), line)
        for word in words:
            self.assertIn(word, line)
        return line

    def test_cut_anywhere(self):
        """Every beginning of a log is refused."""
        rng = random.Random(f"cut {SEED}")
        texts = [dump(Maker(rng).log()).encode() for _ in range(2)]
        texts.append(dump(log(run([result(ruleIndex=0)] * 50, [rule("R1")]))).encode())
        for data in texts:
            data = data.rstrip()
            for number in range(CUTS):
                cut = data[:len(data) * number // CUTS]
                refusal(*program.run("summary", self.write(cut)))

    def test_cut_after_the_log(self):
        """Packed data that end before their check sums, behind a whole log that is gone over anew."""
        whole = run([result()] * 2000)
        for names in (("tool", "results"), ("results", "tool")):
            data = dump(log({name: whole[name] for name in names})).encode()
            path = self.write(gzip.compress(data)[:-8], "a.sarif.gz")
            for window in ("7", "100", "3000", "100000"):
                with self.subTest(names=names, window=window), \
                        unittest.mock.patch.dict(os.environ, RETRIAGE_WINDOW=window):
                    self.assertIn("cut off", refusal(*program.run("summary", path)))

    def test_nothing_after_a_long_issue(self):
        """An issue too long is found where it is made: no issue comes after it, and no note."""
        rules = [rule("R1", fullDescription={"text": "y" * 1000})]
        long = result(message={"text": "{0}{0}{0}", "arguments": ["x" * 600]})
        path = self.write(dump(log(run([result(), long, result(level="odd")], rules))))
        status, out, err = program.run("validate", "--limit", "record=2500", path)
        self.assertEqual((status, json.loads(out)["issues"], err.count(b"\n")), (1, 1, 1), err)

    def test_more_faults_than_are_listed(self):
        """The rest of the log is not checked, and a fault says so; with one less, all of it is."""
        more = "more faults than are listed: the rest of the log is not checked"
        for count, last in ((9999, "a string"), (10000, more), (10001, more)):
            path = self.write(dump(log(run([result(level=5)] * count))))
            status, out, err = program.run("validate", "--quiet", path)
            self.assertEqual(status, 1, err)
            report = json.loads(out)
            self.assertEqual(report["fault_count"], min(count, 10000))
            self.assertIn("a string", report["faults"][9998]["message"])
            self.assertIn(last, report["faults"][-1]["message"])

    def test_results_before_many_rules(self):
        """The rules of results that came first."""
        rules = [rule(f"R{n}", name=f"name {n}") for n in range(20000)]
        results = [result(ruleId=f"R{n * 7919 % 20000}", ruleIndex=n) for n in range(5000)]
        whole = run(results, rules)
        data = dump(log({"results": whole["results"], "tool": whole["tool"]})).encode()
        check_file(self.write(data), data)

    def test_too_large(self):
        """A result of 17 MiB, whole or cut."""
        flows = [{"threadFlows": [{"locations": [{"x": "y" * 1000}] * 17500}]}]
        text = dump(log(run([result(), result(codeFlows=flows), result()])))
        line = self.refuse(text, "--limit record")
        self.assertIn("a.sarif:1:", line)
        self.refuse(text[:len(text) // 2])

    def test_nesting(self):
        """Bounded, wherever it is."""
        deep = Raw("[" * 200 + "]" * 200)
        for value in ({**log(run([result()])), "x": deep}, log(run([result()], x=deep)),
                      log(run([result(x=deep)])),
                      log(run([result()], [rule("R1", x=deep)]))):
            self.refuse(dump(value), "--limit depth")
        for value in (Raw("[" * 1000000), Raw('{"a":' * 1000000)):
            self.refuse(dump(log(run([result(x=value)]))))

    def test_nesting_after_tables(self):
        """As many levels are left after results that were gone over once more."""
        whole = run([result()])
        for names in (("tool", "results"), ("results", "tool")):
            for levels, status in ((19, 0), (20, 2)):
                path = self.write(dump({**log({name: whole[name] for name in names}),
                                        "x": Raw("[" * levels + "]" * levels)}))
                self.assertEqual(program.run("summary", "--limit", "depth=20", path)[0], status)

    def test_nesting_in_results(self):
        """What nobody asks for of a result has as many levels as are left there."""
        for open_, close in ("[", "]"), ('{"a":', "}"):
            for levels, status in ((12, 0), (13, 2)):
                deep = Raw(open_ * levels + "0" + close * levels)
                value = result(locations=[{"physicalLocation": {"x": deep}}])
                path = self.write(dump(log(run([value]))))
                self.assertEqual(program.run("summary", "--limit", "depth=20", path)[0], status)

    def test_invalid_bytes(self):
        """Invalid UTF-8 and raw control bytes in any string or name."""
        rng = random.Random(f"bytes {SEED}")
        for number in range(60):
            data = dump(Maker(rng).log()).encode()
            at = rng.choice([at for at in range(1, len(data)) if data[at:at + 1].isalpha() and
                             data[at - 1:at] in b'"'] or [1])
            bad = rng.choice([b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\x00", b"\x1b", b"\n",
                              b"\\ud80", b"\\x", b"\xf5\x80\x80\x80", b"\xe2\x82"])
            with self.subTest(number=number, at=at, bad=bad):
                self.refuse(data[:at] + bad + data[at:], "a.sarif:")

    def test_bytes_changed(self):
        """One byte changed anywhere: an answer that the converter gives too, or a refusal."""
        rng = random.Random(f"changed {SEED}")
        for number in range(80):
            data = bytearray(dump(Maker(rng).log()).encode())
            at = rng.randrange(len(data))
            data[at] = rng.choice(b'"{}[],:0x\\ \x00\x80')
            data = bytes(data)
            path = self.write(data)
            with self.subTest(number=number, at=at):
                try:
                    check_file(path, data)
                except convert.NotSarif:
                    program.refusal(*program.run("summary", path))

    def test_masked(self):
        """Control bytes of a log are no control bytes of a message."""
        line = self.refuse(dump(log(run([result(kind="\x1b[31m\u009b\u202e")]))), "kind")
        self.assertNotIn("\x1b", line)
        self.assertNotIn("\u202e", line)
        names = {"\x1b]0;x\x07": {"uriBaseId": "\x1b]0;x\x07"}}
        self.refuse(dump(log(run([result()], originalUriBaseIds=names))), "loop")
        path = self.folder / "a.sarif"
        path.write_text(dump(log(run([result(level="\x1b[31m\u009b\u202e")]))))
        _, _, err = program.run("summary", path)
        self.assertIn("a level that SARIF does not know", err.decode())
        self.assertNotRegex(err.decode(), "[\x1b\u009b\u202e]")

    def test_arguments_that_explode(self):
        """A message much larger than its log."""
        message = {"text": "{0}" * 200000, "arguments": ["x" * 100000]}
        self.refuse(dump(log(run([result(message=message)]))))

    def test_many_of_everything(self):
        """Long lists: no faster growth than their size."""
        many = 30000
        value = log(run(
            [result(properties={"tags": [f"t{n}" for n in range(many)]},
                    partialFingerprints={f"f{n}/v1": f"value-{n:08}" for n in range(many)},
                    ruleId="/".join("x" * 300))],
            [rule(f"R{n}") for n in range(many)],
            originalUriBaseIds={f"B{n}": {"uri": "b/", "uriBaseId": f"B{n + 1}"}
                                for n in range(90)}))
        data = dump(value).encode()
        check_file(self.write(data), data)


if __name__ == "__main__":
    unittest.main(verbosity=0)
