"""Decisions written into SARIF logs: what changes in a result, and that nothing else does.

Environment: as for test_sarif.py.
"""
import gzip
import hashlib
import io
import json
import pathlib
import random
import re
import shutil
import sys
import tarfile
import tempfile
import unittest
import uuid

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / name) for name in ("sarif", "property", "schema")]

import generate
import program
from make import Maker, dump, log, place, result, rule, run, spell_any
from program import REAL, answer, difference, issues_of, refusal

AT = "2026-01-31T12:00:00Z"
LEVELS = {"critical": "error", "high": "error", "medium": "warning", "low": "note", "info": "note"}


def guid_of(issue_id, version=5):
    """The guid of the suppression that is ours (S42); version 8: as it was up to 0.2."""
    named = "".join(f"{len(text.encode())}:{text}," for text in ("retriage-suppression-1", issue_id))
    digest = bytearray(hashlib.sha256(named.encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | version << 4
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))


def decide(found, issue_id, severity=None, dismiss=None, exploitable=None, notes=None):
    """A result as S40 to S44 want it after an update that changes all of what it names."""
    found = json.loads(json.dumps(found))
    bag = found.setdefault("properties", {}).setdefault("retriage", {})
    if severity:
        bag["severity"] = severity
        if found.get("kind", "fail") == "fail":
            found["level"] = LEVELS[severity]
    if exploitable is not None:
        bag["exploitable"] = exploitable
    bag["updated_at"] = AT
    if notes:
        bag["notes"] = bag.get("notes", []) + [{"added_at": AT, "text": notes}]
    guid, entries = guid_of(issue_id), found.get("suppressions")
    if dismiss is not None:
        entries = [entry for entry in entries or [] if dismiss or entry.get("guid") != guid]
        for entry in entries:
            if entry.get("status", "accepted") != ("accepted" if dismiss else "rejected"):
                entry["status"] = "accepted" if dismiss else "rejected"
        if dismiss and not any(entry.get("guid") == guid for entry in entries):
            last = [note["text"] for note in bag.get("notes", [])][-1:]
            entries.append({"kind": "external", "status": "accepted",
                            **({"justification": last[0]} if last else {}), "guid": guid})
        found["suppressions"] = [entry for number, entry in enumerate(entries)
                                 if entry not in entries[:number]]
    elif notes and entries and not any(entry.get("guid") == guid or entry.get(
            "status", "accepted") != "accepted" for entry in entries):
        found["suppressions"] = entries + [{"kind": "external", "status": "accepted",
                                            "justification": notes, "guid": guid}]
    if notes:
        for entry in entries or []:
            if entry.get("guid") == guid:
                entry["justification"] = notes
    return found


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

    def request(self, ids, **update):
        """A file with an update."""
        return self.write(json.dumps({"issue_ids": list(ids), **update}), "request.json")

    def apply(self, path, ids, *options, **update):
        """Apply an update and give the log that is written."""
        out = self.folder / "out.sarif"
        answer("apply", "--quiet", "--at", AT, "-o", out, *options, path,
               self.request(ids, **update))
        return out.read_bytes()


def spelled(found, indent):
    """A result's text."""
    return json.dumps(found, indent=indent)


class Results(Folder):
    """One result changes, where its members are, and nothing else."""

    def check(self, found, indent=None, **update):
        """Update the second of three results; returns it as it is then."""
        others = [spelled(result(ruleId=name), indent) for name in ("A1", "C3")]
        text = spelled(found, indent)
        parts = ['{"version": "2.1.0", "runs": [ {"tool": {"driver": {"name": "t"}},\n "results": [',
                 others[0], ",\n", text, ",", others[1], "], \"x\" : 1.50}]}\n"]
        path = self.write("".join(parts))
        issue = issues_of(path)[1]
        have = self.apply(path, [issue["id"]], **update).decode()
        head, tail = "".join(parts[:3]), "".join(parts[4:])
        self.assertTrue(have.startswith(head) and have.endswith(tail), have)
        mine = have[len(head):len(have) - len(tail)]
        named = {"dismiss" if name == "false_positive" else name: value
                 for name, value in update.items()}
        want = decide(json.loads(text), issue["id"], **named)
        self.assertEqual(json.loads(mine), want)
        self.assertEqual(list(json.loads(mine))[:len(found)], list(found))
        if indent:
            self.assertNotIn('],"', mine)
        again = issues_of(self.folder / "out.sarif")[1]
        self.assertEqual(again["id"], issue["id"])
        self.assertEqual(again["updated_at"], AT)
        for name, value in update.items():
            if name != "notes":
                self.assertEqual(again[name], value)
        return mine

    def test_row_60_severity(self):
        """level and properties.retriage."""
        for severity in LEVELS:
            self.check(result(level="none" if severity != "info" else "error"), severity=severity)
        self.check(result(), severity="low")
        self.check(result(properties={"a": [1]}), 2, severity="critical")
        self.check(result(properties={"retriage": {"severity": "high", "x": {}}, "z": 1}), 1,
                   severity="low", exploitable=True, notes="why")
        # What is no failure has no level (3.27.10).
        self.check(result(kind="review"), severity="low")

    def test_dismissals(self):
        """suppressions, with those of others."""
        entries = [{"kind": "inSource"}, {"kind": "external", "status": "underReview",
                                          "justification": "look"},
                   {"status": "rejected", "kind": "external", "guid": guid_of("somebody")}]
        for count in range(len(entries) + 1):
            for indent in (None, 2):
                found = result(suppressions=entries[:count])
                if count != 1:
                    self.check(found, indent, false_positive=True)
                    self.check(found, indent, false_positive=True, notes="not \"reachable\" \u00e9")
                else:
                    self.check(found, indent, false_positive=False)
        self.check(result(), 1, false_positive=True, notes="seen")
        self.check(result(), exploitable=False)

    def test_row_61_and_back(self):
        """Taken back, the array stays; entries of others are rejected."""
        for entries in (None, [], [{"kind": "external", "status": "underReview"}]):
            path = self.write(dump(log(run([result(suppressions=entries)]))))
            issue = issues_of(path)[0]["id"]
            first = self.apply(path, [issue], false_positive=True, notes="one")
            kept = json.loads(first)["runs"][0]["results"][0]
            self.assertEqual(kept["suppressions"][-1]["justification"], "one")
            kept = self.apply(self.write(first), [issue], notes="two")
            self.assertEqual(json.loads(kept)["runs"][0]["results"][0]["suppressions"][-1]
                             ["justification"], "two")
            second = self.apply(self.write(kept), [issue], false_positive=False)
            have = json.loads(second)["runs"][0]["results"][0]["suppressions"]
            self.assertEqual(have, [{**entry, "status": "rejected"} for entry in entries or []])
            # Both updates in one run lead to the same.
            path = self.write(dump(log(run([result(suppressions=entries)]))))
            out = self.folder / "both.sarif"
            answer("apply", "--quiet", "--at", AT, "-o", out, path,
                   self.request([issue], false_positive=True),
                   self.write(json.dumps({"issue_ids": [issue], "false_positive": False}), "2.json"))
            self.assertEqual(json.loads(out.read_bytes())["runs"][0]["results"][0]["suppressions"],
                             have)

    def test_row_62_nothing_to_change(self):
        """The output is the input, byte for byte."""
        data = ('\ufeff{ "runs": [{"tool": {"driver": {"name": "t"}}, "results": [ ' +
                dump(result(level="note", suppressions=[{"kind": "inSource"}])) +
                ']}]\t,\r\n "version":"2.1.0"}').encode()
        path = self.write(data)
        issue = issues_of(path)[0]["id"]
        self.assertEqual(self.apply(path, ["nobody"], severity="low"), data)
        self.assertEqual(self.apply(path, [issue], severity="low", false_positive=True), data)
        before = path.stat()
        answer("apply", "--quiet", "--in-place", path, self.request([issue], severity="low"))
        self.assertEqual(path.stat().st_ino, before.st_ino)
        have = self.apply(path, [issue], severity="high")
        self.assertTrue(have.startswith(b"\xef\xbb\xbf{ ") and have.endswith(b'"version":"2.1.0"}'))

    def test_row_63_containers(self):
        """A log beside an export in an archive, a folder; each in its compression."""
        text = dump(log(run([result(), result(ruleId="R2")])))
        issue = issues_of(self.write(text))[0]["id"]
        files = {"a/log.sarif.gz": gzip.compress(text.encode()), "b.txt": b"not read",
                 "own.json": b'[{"id":"own","severity":"low"}]', "plain.sarif": None}
        files["plain.sarif"] = dump(log(run([result(ruleId="R3")]))).encode()
        folder = self.folder / "set"
        (folder / "a").mkdir(parents=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        packed = self.folder / "set.tar"
        with tarfile.open(packed, "w") as tar:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        for path in (packed, folder):
            out = self.folder / f"out-{path.name}"
            answer("apply", "--quiet", "--at", AT, "-o", out, path,
                   self.request([issue, "own"], severity="critical"))
            if out.is_dir():
                have = {name: (out / name).read_bytes() for name in files}
            else:
                with tarfile.open(out) as tar:
                    have = {name: tar.extractfile(name).read() for name in files}
            self.assertEqual(have["b.txt"], files["b.txt"])
            self.assertEqual(have["plain.sarif"], files["plain.sarif"])
            self.assertIn(b'"severity":"critical"', have["own.json"])
            results = json.loads(gzip.decompress(have["a/log.sarif.gz"]))["runs"][0]["results"]
            self.assertEqual(results, [decide(result(), issue, severity="critical"),
                                       result(ruleId="R2")])

    def test_own_notes_are_read_once(self):
        """The suppression that repeats a note is none; somebody else's is."""
        path = self.write(dump(log(run([result(suppressions=[
            {"kind": "external", "status": "underReview", "justification": "look"}])]))))
        issue = issues_of(path)[0]["id"]
        data = self.apply(path, [issue], false_positive=True, notes="seen")
        records = answer("list", "--as", "records", "--quiet", self.write(data))
        self.assertEqual([note["text"] for note in json.loads(records)["notes"]],
                         ["external, accepted: look", "seen"])
        # Without our notes the suppression is all that tells.
        tree = json.loads(data)
        del tree["runs"][0]["results"][0]["properties"]
        records = answer("list", "--as", "records", "--quiet", self.write(dump(tree)))
        self.assertEqual([note["text"] for note in json.loads(records)["notes"]],
                         ["external, accepted: look", "external, accepted: seen"])

    def test_guid_is_what_the_schema_takes(self):
        """One of version 8 is still ours, and becomes one of version 5 with the next decision."""
        path = self.write(dump(log(run([result()]))))
        issue = issues_of(path)[0]["id"]
        new = self.apply(path, [issue], false_positive=True, notes="seen").decode()
        self.assertIn(guid_of(issue), new)
        self.assertRegex(guid_of(issue), "-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-")
        old = self.write(new.replace(guid_of(issue), guid_of(issue, 8)), "old.sarif")
        records = answer("list", "--as", "records", "--quiet", old)
        self.assertEqual([note["text"] for note in json.loads(records)["notes"]], ["seen"])
        entries = [json.loads(self.apply(old, [issue], **update))["runs"][0]["results"][0]
                   ["suppressions"] for update in ({"notes": "two"}, {"false_positive": False})]
        self.assertEqual(entries, [[{"kind": "external", "status": "accepted",
                                     "justification": "two", "guid": guid_of(issue)}], []])

    def test_entries_that_become_equal(self):
        """Suppressions are unique: those that a status makes equal are one."""
        entries = [{"kind": "external", "status": "accepted", "justification": "j"},
                   {"justification": "\u006a", "status": "rejected", "kind": "external"},
                   {"kind": "inSource"}]
        have = json.loads(self.check(result(suppressions=entries), 1, false_positive=True))
        self.assertEqual([entry.get("guid") for entry in have["suppressions"]],
                         [None, None, have["suppressions"][2]["guid"]])

    def test_note_on_what_the_log_dismissed(self):
        """Readers of the log see it: in an entry of our own, unless that would have no end."""
        for status in ({}, {"status": "accepted"}, {"state": "accepted"}):
            entries = [{"kind": "external", "justification": "theirs", **status}]
            path = self.write(dump(log(run([result(suppressions=entries)]))))
            issue = issues_of(path)[0]["id"]
            for update in ({}, {"false_positive": True}):
                have = self.apply(path, [issue], notes="seen", **update)
                self.assertEqual(
                    json.loads(have)["runs"][0]["results"][0]["suppressions"],
                    entries + [{"kind": "external", "status": "accepted", "justification": "seen",
                                "guid": guid_of(issue)}])
                records = answer("list", "--as", "records", "--quiet", self.write(have, "b.sarif"))
                self.assertEqual([note["text"] for note in json.loads(records)["notes"]],
                                 ["external, accepted: theirs", "seen"])
        for entries in ([{"kind": "external", "properties": {"expiryUtc": "2099-01-01"}}], [],
                        [{"kind": "external", "status": "underReview"}]):
            path = self.write(dump(log(run([result(suppressions=entries)]))))
            have = self.apply(path, [issues_of(path)[0]["id"]], notes="seen")
            self.assertEqual(json.loads(have)["runs"][0]["results"][0]["suppressions"], entries)

    def test_too_large(self):
        """What could not be read again is not written."""
        path = self.write(dump(log(run([result()]))))
        issue = issues_of(path)[0]["id"]
        line = refusal(*program.run("apply", "--limit", "record=1500", "-o", self.folder / "o", path,
                                    self.request([issue], notes="n" * 900)))
        self.assertIn("record", line)
        self.assertFalse((self.folder / "o").exists())


class Journals(Folder):
    """State and replay agree (S45)."""

    def check(self, path, rng):
        """Some updates, kept in a journal and written at once."""
        ids = [issue["id"] for issue in issues_of(path)]
        if not ids:
            return
        journal, out, again = (self.folder / name for name in ("journal", "o.sarif", "p.sarif"))
        journal.unlink(missing_ok=True)
        for number in range(3):
            update = rng.choice([
                {"severity": "critical"}, {"false_positive": True, "notes": "seen"},
                {"exploitable": False, "notes": "hm"}, {"false_positive": False},
                {"severity": "info", "false_positive": True}])
            answer("apply", "--quiet", "--at", f"2026-01-0{number + 1}T00:00:00Z", "--journal",
                   journal, "-o", out, path,
                   self.request(rng.sample(ids, min(len(ids), 7)), **update))
        answer("verify", "--quiet", "--expect", out, "-o", again, journal, path)
        self.assertEqual(again.read_bytes(), out.read_bytes())
        have = issues_of(out)
        self.assertEqual([issue["id"] for issue in have], ids)
        self.assertIsNone(difference(have, issues_of("--journal", journal, path)))
        # One member that differs is found.
        tree = json.loads(out.read_bytes())
        for found in (found for one in tree["runs"] for found in one.get("results") or []):
            if found.get("properties", {}).get("retriage", {}).get("updated_at"):
                found["properties"]["retriage"]["updated_at"] = "2020-01-01T00:00:00Z"
                break
        else:
            return
        status, _, _ = program.run("verify", "--quiet", "--expect", self.write(dump(tree)), journal,
                                   path)
        self.assertEqual(status, 1)

    def test_made_logs(self):
        """With rules, suppressions and bags of all kinds."""
        for seed in range(6):
            rng = random.Random(seed)
            results = [result(
                ruleId=f"R{number % 3}", locations=[place(f"f{number}.c", number + 1)],
                kind=rng.choice([None, "fail", "review", "pass"]),
                suppressions=rng.choice([None, [], [{"kind": "inSource", "justification": "j"}], [
                    {"kind": "external", "status": "underReview", "justification": "j"}]]),
                properties=rng.choice([None, {}, {"tags": ["x"]}, {"retriage": {"notes": "old"}}]))
                       for number in range(20)]
            text = json.dumps(log(run(results, [rule("R1")])), indent=rng.choice([None, 1, 4]))
            self.check(self.write(text, "made.sarif"), rng)

    @unittest.skipUnless(REAL.is_dir(), "no logs of tools here")
    def test_real_logs(self):
        """Logs of tools."""
        for path in sorted(REAL.glob("*.sarif")):
            self.check(path, random.Random(path.name))


def texts_of(data):
    """The texts of the results of a log, in order."""
    text, found = data.decode("utf-8-sig"), []
    decoder = json.JSONDecoder()
    for at in [match.end() for match in re.finditer(r'"results"\s*:\s*\[', text)]:
        while True:
            at = re.compile(r"[\s,]*").match(text, at).end()
            if text[at] == "]":
                break
            _, end = decoder.raw_decode(text, at)
            found.append(text[at:end])
            at = end
    return found


def check_schema(case, tree):
    """What SARIF wants of what is made here: names that it knows, indexes, times and addresses."""
    for one in tree["runs"]:
        rules = one["tool"]["driver"]["rules"]
        for found in one["results"]:
            case.assertEqual(found["ruleId"], rules[found["ruleIndex"]]["id"])
            case.assertTrue(found["message"]["text"])
            for since in filter(None, [found.get("provenance", {}).get("firstDetectionTimeUtc")]):
                case.assertRegex(since, r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
            for where in found.get("locations", []):
                uri = where["physicalLocation"]["artifactLocation"]["uri"]
                case.assertRegex(uri, r"\A[A-Za-z0-9._~/%-]+\Z|\Afile://")
                region = where["physicalLocation"].get("region", {"startLine": 1})
                case.assertGreaterEqual(region["startLine"], 1)


class Report(Folder):
    """report --to sarif of logs: copied as they are (S54)."""

    def report(self, *options):
        """The log that is made."""
        out = self.folder / "report.sarif"
        answer("report", "--quiet", "--to", f"sarif={out}", *options)
        return out.read_bytes()

    def logs(self):
        """Logs of every spelling, and of tools."""
        for seed in range(12):
            rng = random.Random(f"report {seed}")
            tree = Maker(rng).log()
            text = spell_any(rng, tree)
            path = self.write(text, f"{seed}.sarif")
            if program.run("summary", "--quiet", path)[0] == 0:
                yield path
        if REAL.is_dir():
            yield from sorted(REAL.glob("*.sarif"))

    def test_everything(self):
        """Without a filter one log is what it was, byte for byte; packed it is the same."""
        count = 0
        for path in self.logs():
            data = path.read_bytes().removeprefix(b"\xef\xbb\xbf").lstrip()
            self.assertEqual(self.report(path).lstrip(), data)
            self.assertEqual(self.report(self.write(gzip.compress(data), "x.gz")), data)
            count += 1
        self.assertGreater(count, 3)

    def test_parts(self):
        """A filter and its opposite: every result once, whatever it is, in its own words."""
        for path in self.logs():
            all_of = texts_of(path.read_bytes())
            for term in ("severity=high..", "line_number=..12")[len(all_of) > 99:]:
                parts = []
                for option in ("--where", "--not"):
                    have = self.report(option, term, path)
                    tree, whole = json.loads(have), json.loads(path.read_bytes().decode("utf-8-sig"))
                    for one, other in zip(tree["runs"], whole["runs"]):
                        self.assertEqual({**one, "results": 0}, {**other, "results": 0})
                    self.assertEqual({**tree, "runs": 0}, {**whole, "runs": 0})
                    parts += texts_of(have)
                    want = issues_of(option, term, path)
                    have = self.write(have, "part.sarif")
                    # Equal ones are numbered anew.
                    self.assertIsNone(difference([{**issue, "id": ""} for issue in issues_of(
                        "--failed-runs", "accept", have)],
                                                 [{**issue, "id": ""} for issue in want]))
                self.assertEqual(sorted(parts), sorted(all_of))

    def test_several(self):
        """Several logs are one, with all their runs; summaries agree."""
        paths = []
        for number in range(3):
            results = [result(ruleId=f"R{number}", locations=[place(f"{n}.c", n + 1)],
                              kind="pass" if n == 3 else "fail",
                              level=("error", "note")[n % 2]) for n in range(number * 3)]
            paths.append(self.write(json.dumps(
                {"properties": {"n": number}, **log(run(results), run([]))},
                indent=number or None), f"{number}.sarif"))
        have = self.report(*paths)
        tree = json.loads(have)
        trees = [json.loads(path.read_bytes()) for path in paths]
        self.assertEqual(tree["runs"], [one for log_ in trees for one in log_["runs"]])
        self.assertEqual(tree["properties"], {"n": 0})
        out = self.folder / "report.sarif"
        self.assertEqual(answer("summary", "--recent", "0", "--quiet", out),
                         answer("summary", "--recent", "0", "--quiet", *paths))
        dismissed = self.report("--where", "line_number=2", *paths)
        self.assertEqual(len(texts_of(dismissed)), 2)

    def test_decisions(self):
        """What a journal has is written as apply -o does; dismissed ones can be left out."""
        path = self.write(json.dumps(log(run([result(ruleId=name) for name in "ABC"])), indent=2))
        ids = [issue["id"] for issue in issues_of(path)]
        journal, out = self.folder / "journal", self.folder / "out.sarif"
        answer("apply", "--quiet", "--at", AT, "--journal", journal, "-o", out, path,
               self.request(ids[:1], false_positive=True, notes="seen"))
        self.assertEqual(self.report("--journal", journal, path), out.read_bytes())
        texts = texts_of(path.read_bytes())
        self.assertEqual(texts_of(self.report("--not", "status=dismissed", "--journal", journal,
                                              path)), texts[1:])

    def test_baseline(self):
        """baselineState, and when a finding was first there (S55)."""
        def scan(names, day, **members):
            return log(run([result(ruleId=name, locations=[place(f"{name}.c", 3)], **members)
                            for name in names], invocations=[
                                {"executionSuccessful": True,
                                 "endTimeUtc": f"2026-01-{day}T00:00:00Z"}]))
        old = self.write(dump(scan("AB", "01")), "old.sarif")
        new = self.write(dump(scan("BC", "08", provenance={"invocationIndex": 0})), "new.sarif")
        have = self.write(self.report("--baseline", old, new), "week.sarif")
        results = json.loads(have.read_bytes())["runs"][0]["results"]
        self.assertEqual([one["baselineState"] for one in results], ["unchanged", "new"])
        self.assertEqual([one["provenance"] for one in results], [
            {"invocationIndex": 0, "firstDetectionTimeUtc": "2026-01-01T00:00:00Z"},
            {"invocationIndex": 0, "firstDetectionTimeUtc": "2026-01-08T00:00:00Z"}])
        # It is the next one's baseline.
        new = self.write(dump(scan("BCD", "15")), "third.sarif")
        results = json.loads(self.report("--baseline", have, new))["runs"][0]["results"]
        self.assertEqual([one["provenance"]["firstDetectionTimeUtc"][8:10] for one in results],
                         ["01", "08", "15"])
        self.assertEqual([one["baselineState"] for one in results], ["unchanged", "unchanged", "new"])

    def test_states_on_all_or_none(self):
        """What is no issue is compared with nothing: it is left out with a baseline (3.27.24)."""
        found = [result(ruleId="A"), result(ruleId="P", kind="pass"),
                 result(ruleId="G", baselineState="absent")]
        paths = [self.write(dump(log(run(found))), f"{number}.sarif") for number in range(2)]
        have = json.loads(self.report("--baseline", *paths))["runs"][0]["results"]
        self.assertEqual([(one["ruleId"], one["baselineState"]) for one in have],
                         [("A", "unchanged")])
        self.assertEqual(json.loads(self.report(paths[0]))["runs"][0]["results"], found)

    def test_what_is_gone(self):
        """Runs of the baseline with what is gone, and no other of them."""
        old = log(run([result(ruleId="Z", kind="pass")]), run([
            result(ruleId=name, locations=[place(f"{name}.c", 3)]) for name in "ABC"],
            columnKind="utf16CodeUnits"), run([result(ruleId="B", baselineState="absent")]))
        new = log(run([result(ruleId=name, locations=[place(f"{name}.c", 3)]) for name in "AD"]))
        paths = [self.write(json.dumps(tree, indent=1), f"{number}.sarif")
                 for number, tree in enumerate((old, new))]
        tree = json.loads(self.report("--baseline", paths[0], "--keep-gone", paths[1]))
        self.assertEqual([[(one["ruleId"], one["baselineState"]) for one in each["results"]]
                          for each in tree["runs"]],
                         [[("A", "unchanged"), ("D", "new")], [("B", "absent"), ("C", "absent")]])
        self.assertEqual(tree["runs"][1]["columnKind"], "utf16CodeUnits")
        # With a filter, those of them that it picks; they are none the next time.
        week = self.write(self.report("--baseline", paths[0], "--keep-gone", "--where",
                                      "category=C", paths[1]), "week.sarif")
        tree = json.loads(week.read_bytes())
        self.assertEqual([len(each["results"]) for each in tree["runs"]], [0, 1])
        self.assertEqual(issues_of("--failed-runs", "accept", week), [])
        # Beside an export the log has a head of its own.
        own = self.write('[{"id": "own", "scan_id": "s"}]', "own.json")
        tree = json.loads(self.report("--baseline", paths[0], "--keep-gone", own))
        self.assertEqual([[one["baselineState"] for one in each["results"]]
                          for each in tree["runs"]], [["absent"] * 3, ["new"]])


def tool(name, one):
    """A run of a tool of that name."""
    one["tool"]["driver"]["name"] = name
    return one


class Copies(Folder):
    """report --to sarif of logs, for GitHub or any reader, with what is said of it."""

    def report(self, *options, github=True):
        """The log that is made, what is said of it, and the losses."""
        out, losses = self.folder / "github.sarif", self.folder / "losses.json"
        reader = ["--for", "github"] if github else []
        status, _, err = program.run("report", *reader, "--to", f"sarif={out}", "--losses", losses,
                                     *options)
        self.assertEqual(status, 0, err)
        return json.loads(out.read_bytes()), json.loads(losses.read_bytes())

    def logs(self, *runs):
        """A log for each run; their paths."""
        return [self.write(json.dumps(log(one), indent=number or None), f"{number}.sarif")
                for number, one in enumerate(runs)]

    def counts(self, losses):
        """Each loss and invention with its number."""
        return {one["what"]: one["count"] for name in ("losses", "invented")
                for one in losses[name]}


class GitHub(Copies):
    """report --for github of logs: what GitHub refuses is not written (S50, Q6)."""

    def test_no_findings(self):
        """What has passed, is not applicable, absent, or gone since the baseline is no alert."""
        found = [result(ruleId=f"R{number}", **members) for number, members in enumerate((
            {}, {"kind": "pass"}, {"kind": "notApplicable"}, {"baselineState": "absent"},
            {"baselineState": "absent", "locations": []}, {"kind": "review"}))]
        path = self.write(json.dumps(log(run(found))))
        for options in ((), ("--keep-suppressed",), ("--not", "rule=none")):
            tree, losses = self.report(*options, path)
            self.assertEqual(tree["runs"][0]["results"], [found[0], found[5]])
            self.assertEqual(self.counts(losses), {"results": 4})
        old = self.write(json.dumps(log(run([result(ruleId="Z", locations=[place("z.c", 1)])]))),
                         "old.sarif")
        tree, losses = self.report("--baseline", old, "--keep-gone", path)
        self.assertEqual([one["ruleId"] for each in tree["runs"] for one in each["results"]],
                         ["R0", "R5"])
        self.assertEqual(self.counts(losses), {"gone": 1, "results": 4})

    def test_joined(self):
        """Runs of a tool and category are one where their rules agree."""
        paths = self.logs(run([result()], [rule("R1")], invocations=[
            {"executionSuccessful": True}]), tool("other", run(
                                [result(ruleId="R2")], [rule("R2")])), run([
            result(locations=[{"physicalLocation": {"artifactLocation": {
                "uri": "b.c", "index": 1}}, "logicalLocations": [{"index": 0, "name": "f"}]}],
                   provenance={"invocationIndex": 1}),
            result(locations=[place("c.c", 3)])], [rule("R1")], artifacts=[
                {"location": {"uri": "a.c"}}, {"location": {"uri": "b.c"}}],
            automationDetails={"id": "run-7"}), run([], [rule("R1")]))
        tree, losses = self.report(*paths)
        self.assertEqual([one["tool"]["driver"]["name"] for one in tree["runs"]], ["other", "tool"])
        self.assertEqual(tree["runs"][1], run([result(), result(locations=[{
            "physicalLocation": {"artifactLocation": {"uri": "b.c"}, "region": {"startLine": 1}},
            "logicalLocations": [{"name": "f"}]}], provenance={}), result(
                locations=[place("c.c", 3)])], [rule("R1")], invocations=[
                    {"executionSuccessful": True}]))
        self.assertEqual(self.counts(losses), {"details": 2, "startLine": 1})
        # Categories tell runs apart, and so does a version.
        for other in (run([result()], [rule("R1")], automationDetails={"id": "b/1"}),
                      tool("t2", run([result()], [rule("R1")]))):
            tree, _ = self.report(*self.logs(run([result()], [rule("R1")]), other))
            self.assertEqual(len(tree["runs"]), 2)

    def test_joined_without_results(self):
        """The first one that has an array of results is the head."""
        paths = self.logs(run(None, invocations=[{"executionSuccessful": True}]), run([]),
                          run([result()]))
        tree, _ = self.report("--failed-runs", "accept", *paths)
        self.assertEqual(tree["runs"], [run([result()])])

    def test_refused(self):
        """Runs that cannot be joined: the error says what can be done, and that does."""
        one, other = run([result()], [rule("R1")]), run([result(ruleId="R2")], [rule("R2")])
        graphs = {"graphs": [{"nodes": []}]}
        for second in (other, run([result(ruleId="R2")], [rule("R1")], **graphs), run(
                [result(ruleId="R2")], [rule("R1")], columnKind="unicodeCodePoints")):
            paths = self.logs(one, second)
            line = refusal(*program.run("report", "--quiet", "--for", "github", "--to",
                                        f"sarif={self.folder / 'o'}", *paths))
            self.assertIn(f"{paths[1]}: run 0: GitHub refuses two runs of tool", line)
            self.assertIn("--category 'NAME/{n}'", line)
            self.assertFalse((self.folder / "o").exists())
            tree, losses = self.report("--category", "NAME/{n}", *paths)
            self.assertEqual([each["automationDetails"] for each in tree["runs"]],
                             [{"id": "NAME/1/"}, {"id": "NAME/2/"}])
            self.assertEqual(self.counts(losses), {})
            # For other readers they stay as they are.
            tree, _ = self.report(*paths, github=False)
            self.assertEqual(tree["runs"], [one, second])

    def test_categories(self):
        """--category: in front of what an id has behind its own; what else is there stays."""
        paths = self.logs(run([result()], automationDetails={"guid": "g", "id": "old/cat/7"}),
                          tool("u\"", run([result(ruleId="R2")])), run([]))
        tree, _ = self.report("--category", "a {tool}/{n}{m}", *paths)
        self.assertEqual([each["automationDetails"] for each in tree["runs"]],
                         [{"guid": "g", "id": "a tool/1{m}/7"}, {"id": "a u\"/1{m}/"},
                          {"id": "a tool/2{m}/"}])

    def test_emptied(self):
        """A run that a filter leaves nothing of would close all alerts of its tool."""
        dismissed = [{"kind": "external"}]
        path = self.write(json.dumps(log(
            tool("a", run([result(ruleId="A", suppressions=dismissed)])), tool("b", run([])),
            tool("c", run([result(ruleId="C")])), tool("d", run([result(ruleId="D")]))), indent=1))
        for which, names in (("A", "ab"), ("C", "bc"), ("D", "bd")):
            tree, losses = self.report("--where", f"rule={which}", path)
            self.assertEqual("".join(each["tool"]["driver"]["name"] for each in tree["runs"]),
                             names)
            self.assertEqual(self.counts(losses)["runs"], 2)
        self.assertEqual(len(self.report(path)[0]["runs"]), 4)

    def test_many_runs(self):
        """More than 20: a filter helps."""
        path = self.write(json.dumps(log(*(tool(f"t{number}", run([result()]))
                                           for number in range(21)))))
        _, losses = self.report(path)
        self.assertEqual(losses["limits"], [{"name": "runs", "limit": 20, "have": 21}])
        tree, losses = self.report("--where", "tool=t20", path)
        self.assertEqual((len(tree["runs"]), losses["limits"]), (1, []))

    def test_numbers(self):
        """Tags, locations, steps beyond GitHub's numbers go; equal rules become two."""
        step = {"location": {"physicalLocation": place("s.c", 1)["physicalLocation"]}}
        flow = {"threadFlows": [{"locations": [step] * 5000}]}
        tags = [f"t{number}" for number in range(21)] + ["external/cwe/cwe-079", "security"]
        same = rule("R1", properties={"tags": tags})
        found = result(locations=[place(f"{n}.c", 1) for n in range(1001)],
                       codeFlows=[flow, flow, flow])
        path = self.write(json.dumps(log(run([found, result(ruleIndex=1)], [same, same])),
                                     indent=1))
        tree, losses = self.report(path)
        one = tree["runs"][0]
        self.assertEqual(one["results"], [{**found, "locations": found["locations"][:1000],
                                           "codeFlows": [flow, flow]}, result(ruleIndex=1)])
        rules = one["tool"]["driver"]["rules"]
        cut = {**same, "properties": {"tags": tags[:18] + tags[-2:]}}
        self.assertEqual(rules[0], cut)
        self.assertEqual({**rules[1], "guid": None}, {**cut, "guid": None})
        self.assertRegex(rules[1]["guid"], "^[0-9a-f]{8}-[0-9a-f]{4}-5")
        self.assertEqual(self.counts(losses), {"flows": 1, "guid": 1, "locations": 1, "tags": 6})
        long = {"threadFlows": [{"locations": [step] * 10001}]}
        tree, _ = self.report(self.write(json.dumps(log(run([result(codeFlows=[long])])))))
        self.assertEqual(tree["runs"][0]["results"], [result(codeFlows=[])])

    def test_what_results_lack(self):
        """Texts of messages, addresses and lines are written where GitHub looks for them."""
        bare = {"ruleId": "R1", "locations": [{"physicalLocation": {"artifactLocation": {
            "index": 0}}}], "message": {"id": "m", "arguments": ["x"]}}
        path = self.write(json.dumps(log(run([
            bare, result(locations=None, analysisTarget={"uri": "/b c.h"}, message=None),
            result(locations=[place("a.c", 0)], message={"markdown": "*m*"})],
            [rule("R1", messageStrings={"m": {"text": "say {0}"}})],
            artifacts=[{"location": {"uri": "a.c"}}]))))
        tree, losses = self.report(path)
        have = tree["runs"][0]["results"]
        self.assertEqual(have[0]["message"], {"id": "m", "arguments": ["x"], "text": "say x"})
        self.assertEqual([one["message"]["text"] for one in have[1:]], ["R1", "*m*"])
        places = [one["locations"][0]["physicalLocation"] for one in have]
        self.assertEqual([one["artifactLocation"]["uri"] for one in places],
                         ["a.c", "file:///b%20c.h", "a.c"])
        self.assertEqual([one["region"]["startLine"] for one in places], [1, 1, 1])
        self.assertEqual(self.counts(losses), {"startLine": 3, "text": 3})
        self.assertEqual(json.loads(self.report(path, github=False)[0]["runs"][0]["results"]
                                    and json.dumps(bare)), bare)

    def test_guid_of_0_2(self):
        """A dismissal that an earlier version wrote gets a guid that the schema takes."""
        path = self.write(json.dumps(log(run([result()]))))
        issue = issues_of(path)[0]["id"]
        text = self.apply(path, [issue], false_positive=True, notes="seen").decode()
        path = self.write(text.replace(guid_of(issue), guid_of(issue, 8)))
        tree, _ = self.report("--keep-suppressed", path)
        self.assertEqual(tree, json.loads(text))


class Addresses(Copies):
    """sarif: addresses name the same results in the log that is made (Q7)."""

    def links(self, runs):
        """Where messages of results lead, and the first related location of each: rule ids."""
        found = []
        for one in runs:
            for each in one["results"]:
                texts = [each["message"]["text"]] + [
                    where["physicalLocation"]["artifactLocation"].get("uri", "gone")
                    for where in each.get("relatedLocations", [])]
                ways = re.findall(r"sarif:/runs/(\d+)/results/(\d+)", " ".join(texts))
                found.append((each["ruleId"], [runs[int(one)]["results"][int(other)]["ruleId"]
                                               for one, other in ways], texts))
        return found

    def linked(self, name, *targets):
        """A result of a rule that speaks of others, by run and number."""
        text = " and ".join(f"[\\[{one}\\]](sarif:/runs/{one}/results/{other})"
                            for one, other in targets)
        return result(ruleId=name, message={"text": f"see {text}"},
                      relatedLocations=[{"physicalLocation": {"artifactLocation": {
                          "uri": f"sarif:/runs/{one}/results/{other}"}}} for one, other in targets],
                      locations=[place(f"{name}.c", 1, snippet={
                          "text": "[x](sarif:/runs/0/results/0)"})])

    def test_moved(self):
        """Several logs, filters, and both."""
        logs = [log(run([self.linked("A", (0, 1), (1, 0)), self.linked("B", (0, 0)),
                         result(ruleId="P", kind="pass")]),
                    run([self.linked("C", (0, 1), (0, 0)), self.linked("D", (1, 0))])),
                log(run([]), run([self.linked("E", (1, 1)), self.linked("F", (1, 0))]))]
        paths = [self.write(json.dumps(tree, indent=number or None), f"{number}.sarif")
                 for number, tree in enumerate(logs)]
        want = {"A": "BC", "B": "A", "C": "BA", "D": "C", "E": "F", "F": "E", "P": ""}
        for options in ((), ("--not", "rule=A"), ("--where", "rule=B,C,F"), ("--not", "rule=none"),
                        ("--where", "rule=A,C,D,E,F"), ("--not", "rule=B,E")):
            tree, losses = self.report(*options, *paths, github=False)
            found = self.links(tree["runs"])
            there, gone = {name for name, _, _ in found}, 0
            for name, ways, texts in found:
                left = [one for one in want[name] if one in there]
                self.assertEqual(ways, left * 2, (options, texts))
                if name != "P":
                    self.assertEqual(re.sub(r"\]\(\S*\)", "](", texts[0]), "see " + " and ".join(
                        f"[\\[{target}\\]](" if way in there else f"\\[{target}\\]"
                        for way, target in zip(want[name], re.findall(r"\\\[(\d)", texts[0]))))
                    gone += 2 * (len(want[name]) - len(left))
            self.assertEqual(self.counts(losses).get("links", 0), gone)
            for each in tree["runs"]:
                for one in each["results"]:
                    self.assertEqual(one["locations"][0]["physicalLocation"].get("region", {}).get(
                        "snippet", {"text": "[x](sarif:/runs/0/results/0)"})["text"],
                                     "[x](sarif:/runs/0/results/0)")

    def test_untouched(self):
        """Where nothing moves, and in a single log, every byte stays."""
        text = json.dumps(log(run([self.linked("A", (0, 1), (7, 0)), self.linked("B", (0, 0))])))
        text = text.replace("sarif:/runs/0/results/1)", "sarif:\\/runs\\/0\\/results\\/1)")
        path = self.write(text)
        self.report(path, github=False)
        self.assertEqual((self.folder / "github.sarif").read_text(), text)
        tree, _ = self.report(self.write(json.dumps(log(run([])))), path, github=False)

    def test_of_joined_runs(self):
        """Results of runs that become one, and of those of the baseline."""
        paths = self.logs(run([self.linked("A", (0, 1)), self.linked("B", (0, 0))]),
                          run([self.linked("C", (0, 1)), self.linked("D", (0, 0))]))
        tree, _ = self.report(*paths)
        self.assertEqual([(name, ways[:1]) for name, ways, _ in self.links(tree["runs"])],
                         [("A", ["B"]), ("B", ["A"]), ("C", ["D"]), ("D", ["C"])])
        old = self.write(json.dumps(log(run([]), run([self.linked("Y", (1, 1)),
                                                     self.linked("Z", (1, 0))]))), "old.sarif")
        tree, _ = self.report("--baseline", old, "--keep-gone", *paths, github=False)
        self.assertEqual([(name, ways[:1]) for name, ways, _ in self.links(tree["runs"])][-2:],
                         [("Y", ["Z"]), ("Z", ["Y"])])


class Exports(Folder):
    """Exports as runs of their own (S47 to S52)."""

    def report(self, path, *options):
        """The log that is made, and what is said of it."""
        out = self.folder / "export.sarif"
        status, _, err = program.run("report", "--to", f"sarif={out}", *options, path)
        self.assertEqual(status, 0, err)
        return out, err.decode()

    def same(self, path, out):
        """All 29 members of every issue are found again, and the notes."""
        for form in ("json", "records"):
            have, want = ({issue["id"]: issue for issue in issues} for issues in (
                self.listed(form, out), self.listed(form, path)))
            self.assertEqual(list(have), [name for name in sorted(want, key=list(have).index)])
            for name, issue in want.items():
                if form == "json":
                    self.assertIsNone(difference([have[name]], [issue]))
                else:
                    notes = issue.get("notes")
                    if isinstance(notes, str):
                        notes = [{"added_at": None, "text": notes}]
                    self.assertEqual(have[name].get("notes"), notes)

    def listed(self, form, path):
        """The issues of a file."""
        if form == "json":
            return issues_of(path)
        return [json.loads(line) for line in answer("list", "--as", form, "--quiet", path).split(b"\n")
                if line]

    def test_row_66_there_and_back(self):
        """What SARIF's members cannot give back is in properties.retriage (S51)."""
        for seed in range(8):
            rng = random.Random(f"export {seed}")
            issues = [generate.issue(rng, name) for name in generate.identifiers(rng, 60)]
            text = "".join(generate.spell(rng, issue, False, lambda: "") + "\n" for issue in issues)
            path = self.write(text, "e.jsonl")
            out, err = self.report(path)
            self.same(path, out)
            check_schema(self, json.loads(out.read_bytes()))
        for path in sorted(REAL.glob("*.issues.json")):
            out, err = self.report(path)
            self.same(path, out)
            check_schema(self, json.loads(out.read_bytes()))
            if '"rulesets": [' in path.read_text("utf-8"):
                self.assertIn("ruleset", err)

    def test_runs_and_rules(self):
        """One run for each tool, scan and repository; a rule for each category and severity."""
        issues = [{"id": f"i{n}", "scan_id": f"s{n % 2}", "model_used": "m", "repo_name": "o/r",
                   "file_path": "src/a b.c", "line_number": n + 1, "category": "xss",
                   "severity": severity, "title": "T", "cwe_ids": ["CWE-79"],
                   "false_positive": n == 0, "scan_status": "completed",
                   "scan_created_at": "2026-01-01T00:00:00Z",
                   "created_at": "2025-12-01T00:00:00+01:00"}
                  for n, severity in enumerate(["critical", "low", "critical", "info", "weird"])]
        out, _ = self.report(self.write(json.dumps(issues), "e.json"))
        tree = json.loads(out.read_bytes())
        self.assertEqual([one["automationDetails"]["id"] for one in tree["runs"]],
                         ["o/r/s0", "o/r/s1"])
        first = tree["runs"][0]
        rules = first["tool"]["driver"]["rules"]
        self.assertEqual([(one["id"], one["properties"].get("security-severity")) for one in rules],
                         [("xss/critical", "9.0"), ("xss/unknown", None)])
        self.assertEqual([(one["ruleId"], one["ruleIndex"], one["level"]) for one in
                          first["results"]], [("xss/critical", 0, "error")] * 2 +
                         [("xss/unknown", 1, "warning")])
        self.assertEqual(tree["runs"][1]["tool"]["driver"]["rules"][0]["id"], "xss/low")
        one = first["results"][0]
        self.assertEqual(one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                         "src/a%20b.c")
        self.assertEqual(one["suppressions"], [{"kind": "external", "status": "accepted",
                                                "guid": guid_of("i0")}])
        self.assertEqual(one["provenance"], {"firstDetectionTimeUtc": "2025-11-30T23:00:00Z"})
        digest = hashlib.sha256(b"i0").hexdigest()[:16]
        self.assertEqual(one["partialFingerprints"], {
            "retriageId/v1": "i0", "primaryLocationLineHash": f"{digest}:1"})

    def test_row_65_github(self):
        """What GitHub takes: a run of more results is two; each category once; no dismissed ones."""
        text = "".join(f'{{"id":"i{n}","scan_id":"s","file_path":"a.c","line_number":{n + 1},'
                       f'"category":"c","severity":"low"}}\n' for n in range(25001))
        out, err = self.report(self.write(text, "e.jsonl"), "--for", "github", "--category", "w\"x")
        runs = json.loads(out.read_bytes())["runs"]
        self.assertEqual([len(one["results"]) for one in runs], [25000, 1])
        self.assertEqual([one["automationDetails"]["id"] for one in runs],
                         ['w"x/s', 'w"x/part-2/s'])
        self.assertIn("sarif: GitHub takes 25,000 results, there are 25,001 in a run of an", err)
        issues = [{"id": "a", "scan_id": "1", "file_path": "a.c", "column_start": 3},
                  {"id": "b", "scan_id": "1"}, {"id": "d", "scan_id": "2", "file_path": "a.c"},
                  {"id": "c", "scan_id": "1", "file_path": "a.c", "false_positive": True}]
        path = self.write(json.dumps(issues), "e.json")
        out, err = self.report(path, "--for", "github")
        runs = json.loads(out.read_bytes())["runs"]
        self.assertEqual([one["automationDetails"]["id"] for one in runs],
                         ["retriage/1", "retriage/part-2/2"])
        self.assertEqual([one["locations"][0]["physicalLocation"]["region"]["startLine"]
                          for each in runs for one in each["results"]], [1, 1])
        for what in ("1 dismissed issue", "1 issue without a path"):
            self.assertIn(f"sarif: left out: {what}\n", err)
        self.assertIsNone(difference(issues_of(out), issues_of("--where", "id=a,d", path)))
        out, _ = self.report(path, "--for", "github", "--keep-suppressed")
        self.assertEqual({issue["id"] for issue in issues_of(out)}, {"a", "c", "d"})
        # Of logs, too.
        path = self.write(json.dumps(log(run([result(), result(locations=[]), result(
            suppressions=[{"kind": "inSource"}]), result(kind="pass")]))), "a.sarif")
        out, err = self.report(path, "--for", "github")
        self.assertEqual(json.loads(out.read_bytes())["runs"][0]["results"], [result()])

    def test_equal_by_value(self):
        """Texts that are spelled differently, and issues without a category, share a rule."""
        lines = ['{"id":"1","category":"r","title":"\u00e9 \u202e","model_used":"a/b","explanation":"x"}',
                 '{"id":"2","category":"\\u0072","title":"\\u00E9 \\u202E","model_used":"a\\/b",'
                 '"explanation":"x"}'] + [f'{{"id":"{number}","model_used":"u","category":{name}}}'
                                          for number, name in enumerate(
                                              ("null", '""', '"unknown"', '"unkn\\u006fwn"'), 3)]
        out, _ = self.report(self.write("".join(
            line[:-1] + ',"scan_id":"s"}\n' for line in lines), "e.jsonl"))
        tree = json.loads(out.read_bytes())
        self.assertEqual([[one["id"] for one in each["tool"]["driver"]["rules"]]
                          for each in tree["runs"]], [["r"], ["unknown"]])
        self.assertEqual(tree["runs"][0]["tool"]["driver"]["rules"][0]["shortDescription"],
                         {"text": "\u00e9 \u202e"})
        self.assertEqual([one["ruleIndex"] for one in tree["runs"][1]["results"]], [0] * 4)

    def test_categories_by_template(self):
        """{tool} and {n} give each run of an export its own."""
        issues = [{"id": f"i{n}", "scan_id": f"s{n}", "model_used": "m", "file_path": "a.c"}
                  for n in range(2)]
        out, _ = self.report(self.write(json.dumps(issues), "e.json"), "--for", "github",
                             "--category", "ci/{tool}/{n}")
        self.assertEqual([one["automationDetails"]["id"] for one in
                          json.loads(out.read_bytes())["runs"]], ["ci/m/1/s0", "ci/m/2/s1"])

    def test_beside_logs(self):
        """Runs of logs first, as they are."""
        path = self.write(json.dumps(log(run([result()])), indent=1), "a.sarif")
        own = self.write('[{"id": "own", "scan_id": "s"}]', "own.json")
        out = self.folder / "export.sarif"
        answer("report", "--quiet", "--to", f"sarif={out}", own, path)
        tree = json.loads(out.read_bytes())
        self.assertEqual(tree["runs"][0], json.loads(path.read_bytes())["runs"][0])
        self.assertEqual([issue["id"] for issue in issues_of(out)][1:], ["own"])
        out, _ = self.report(self.write("[]", "none.json"))
        self.assertEqual(json.loads(out.read_bytes())["runs"], [])


if __name__ == "__main__":
    unittest.main()
