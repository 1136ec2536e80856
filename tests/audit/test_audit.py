"""A worked audit: 18 requests of up to 100 ids through a journal, and what a verification sees.

The export is a real one where ../shared is at hand, else one of the same size made here. Then one
bit at a time is flipped in the journal, in the base and in the final export: every time the
verification must say no, in a report that the schema allows and that names the place.
Environment: RETRIAGE or BUILD; AUDIT_FLIPS (default 300 in all, 100
under sanitizers), AUDIT_SEED (default 1), SANITIZE as for make.
"""
import hashlib
import json
import os
import pathlib
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "schema"))

import schema_set

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
REAL = TOP.parent / "shared" / "real" / "semgrepowasp-benchmark-sample.issues.json"
SCRIPT = TOP / "tests" / "audit" / "check-journal.sh"
# Under sanitizers some have to do, for all of them run without.
FLIPS = int(os.environ.get("AUDIT_FLIPS", "40" if os.environ.get("SANITIZE") else "200"))
SEED = os.environ.get("AUDIT_SEED", "1")
REQUESTS = 18
ACTORS = ["alice", "bob", "Zo\u00eb \u4e2d"]


def run(*arguments, status=0):
    """Run the program; returns its standard output and its standard error."""
    done = subprocess.run([RETRIAGE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, check=False)
    if done.returncode != status:
        raise AssertionError(f"exit {done.returncode}, want {status}: {arguments}\n{done.stderr}")
    return done.stdout, done.stderr


def make_export(path, rng):
    """An export of the size of the real one."""
    issues = []
    for number in range(1768):
        text = " ".join(rng.choice(["padding", "oracle", "\u00e9t\u00e9"]) for _ in range(70))
        issues.append({
            "id": f"{rng.getrandbits(128):032x}", "scan_id": "semgrep-0", "line_number": number,
            "file_path": f"src/f{number}.java", "category": f"c{number % 40}", "severity": "medium",
            "title": text, "description": text, "cvss_score": None, "tags": ["cwe"],
            "false_positive": False, "exploitable": None, "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z", "x": {"kept": [1, 9.5]}})
    path.write_text(json.dumps(issues, indent=1, ensure_ascii=False), encoding="utf-8")


def flip(data, at, bit):
    """The bytes with one bit the other way."""
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]


def records_of(data):
    """What an export says, numbers by their text; None where it says nothing."""
    try:
        records = schema_set.read_json(data.decode())
        return {record["id"]: record for record in records}
    except Exception:  # whatever the parser raises
        return None


class Audit(unittest.TestCase):
    """All in one folder, which nothing but the first step writes to."""

    @classmethod
    def setUpClass(cls):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-audit-", dir=memory))
        cls.rng = rng = random.Random(SEED)
        cls.base = cls.folder / "base.json"
        if REAL.exists():
            shutil.copy(REAL, cls.base)
        else:
            make_export(cls.base, rng)
        schemas = schema_set.load_all()
        cls.report_schema = schema_set.validator(schemas, "verify-report")
        cls.schemas = {name: schema_set.validator(schemas, name) for name in schemas}
        cls.journal = cls.folder / "journal"
        cls.final = cls.folder / "final.json"
        cls.write_journal()
        cls.head = run("log", "--head", cls.journal)[0].decode().strip()
        cls.scratch = cls.folder / "scratch"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def write_journal(cls):
        """The requests, each by a run of its own; the last writes the export too."""
        ids = [issue["id"] for issue in json.loads(cls.base.read_text())]
        cls.rng.shuffle(ids)
        cls.chain = cls.base
        for number in range(REQUESTS):
            request = {"issue_ids": ids[number * 100:number * 100 + 100]}
            for name, values in (("severity", ["critical", "high", "medium", "low", "info"]),
                                 ("false_positive", [True, False]),
                                 ("exploitable", [True, False]),
                                 ("notes", ["", "checked", "caf\u00e9 \"q\" \\ \u2028"])):
                if cls.rng.random() < 0.6:
                    request[name] = cls.rng.choice(values)
            # Some ids again, and some that no issue has.
            request["issue_ids"][90:] = cls.rng.sample(ids, 5) + [f"gone-{number}"]
            file = cls.folder / f"request{number:02}.json"
            file.write_text(json.dumps(request))
            at = ["--at", f"2026-02-{number + 1:02}T08:00:00Z"]
            last = ["-o", cls.final] if number == REQUESTS - 1 else []
            run("apply", "--journal", cls.journal, "--actor", ACTORS[number % 3], *at, *last,
                cls.base, file)
            chained = cls.folder / f"chain{number}.json"
            run("apply", *at, "-o", chained, cls.chain, file)
            cls.chain = chained

    def report(self, text):
        """A verification's report, held against its schema."""
        report = schema_set.plain(schema_set.read_json(text.decode()))
        faults = [f"{schema_set.pointer(error.absolute_path)}: {error.message}"
                  for error in self.report_schema.iter_errors(report)]
        self.assertEqual(faults, [], text)
        return report

    def verify(self, journal=None, base=None, expect=None, head=None, status=1):
        """Verify with some things in the place of the right ones; returns the report."""
        out, err = run("verify", "--head", head or self.head, "--expect", expect or self.final,
                       journal or self.journal, base or self.base, status=status)
        report = self.report(out)
        self.assertEqual(report["valid"], status == 0)
        if status:
            self.assertEqual(err.count(b"\n"), 1, err)
            self.assertTrue(err.startswith(b"retriage: "), err)
        else:
            self.assertEqual(err, b"")
        return report

    def test_proves(self):
        """All is well, and verify -o writes the final export byte for byte."""
        out = self.folder / "out.json"
        report = self.report(run("verify", "--expect", self.final, "--head", self.head, "-o", out,
                                 self.journal, self.base)[0])
        seq, digest = self.head.split(":")
        self.assertEqual(report["entries"], REQUESTS)
        self.assertEqual(report["head"], {"seq": int(seq), "hash": digest})
        self.assertEqual(report["base"]["sha256"],
                         hashlib.sha256(self.base.read_bytes()).hexdigest())
        self.assertEqual(report["torn_bytes"], 0)
        self.assertIsNone(report["fault"])
        self.assertEqual(out.read_bytes(), self.final.read_bytes())
        self.verify(expect=self.chain, status=0)
        summaries = [run("summary", *where)[0] for where in
                     ((self.final,), ("--journal", self.journal, self.base), (self.chain,))]
        self.assertEqual(summaries[0], summaries[1])
        self.assertEqual(summaries[0], summaries[2])

    def test_forms(self):
        """The journal's lines, the log and the results are what the schemas say."""
        lines = self.journal.read_text().splitlines()
        self.assertEqual(len(lines), REQUESTS + 1)
        for number, line in enumerate(lines):
            name = "journal-entry" if number else "journal-header"
            self.schemas[name].validate(json.loads(line))
        log = json.loads(run("log", "--format", "json", self.journal)[0])
        self.schemas["journal-log"].validate(log)
        self.assertEqual([entry["actor"] for entry in log["entries"]],
                         [ACTORS[number % 3] for number in range(REQUESTS)])
        self.assertEqual(log["entries"][-1]["hash"], self.head.split(":")[1])
        for entry, line in zip(log["entries"], lines[1:]):
            self.assertEqual(entry["request"], json.loads(line)["request"])
            self.assertEqual(entry["result_sha256"], json.loads(line)["result"]["sha256"])

    def test_results(self):
        """The digests in the journal are those of the documents that apply answered with."""
        lines = self.journal.read_text().splitlines()
        answer = run("apply", "--at", "2026-02-01T08:00:00Z", self.base,
                     self.folder / "request00.json")[0].rstrip(b"\n")
        self.schemas["bulk-update-result"].validate(json.loads(answer))
        self.assertEqual(json.loads(lines[1])["result"]["sha256"],
                         hashlib.sha256(answer).hexdigest())

    def test_notes(self):
        """The digests of notes are those of the notes that the entries lead to, kept here."""
        notes = {issue["id"]: list(issue.get("notes", []))
                 for issue in json.loads(self.base.read_text())}
        for line in self.journal.read_text().splitlines()[1:]:
            entry = json.loads(line)
            ids = [name for name in dict.fromkeys(entry["request"]["issue_ids"]) if name in notes]
            for name in ids if entry["request"].get("notes") else []:
                notes[name].append({"added_at": entry["at"], "text": entry["request"]["notes"]})
            text = json.dumps([notes[name] for name in ids], ensure_ascii=False,
                              separators=(",", ":")).replace("\u2028", "\\u2028")
            self.assertEqual(entry["result"]["notes_sha256"],
                             hashlib.sha256(text.encode()).hexdigest())

    def positions(self, data, count):
        """Places all over the data, its ends among them."""
        step = len(data) / count
        places = {0, 1, len(data) - 1, len(data) - 2}
        places |= {int(step * (number + self.rng.random())) for number in range(count)}
        return sorted(places)

    def test_flips_journal(self):
        """A bit of the journal: its line is named."""
        data = self.journal.read_bytes()
        for at in self.positions(data, FLIPS // 2):
            bit = self.rng.randrange(8)
            self.scratch.write_bytes(flip(data, at, bit))
            with self.subTest(at=at, bit=bit):
                report = self.verify(journal=self.scratch)
                line = data.count(b"\n", 0, at)
                fault = report["fault"]
                self.assertEqual(fault["check"], "journal")
                self.assertEqual((fault["entry"], fault["line"]), (line or None, line + 1))
                self.assertEqual(fault["path"], str(self.scratch))
                self.assertEqual(fault["record"], f"entry {line}" if line else "journal header")

    def test_end(self):
        """The journal cut anywhere in its last line: no entry is lost but the one that is cut."""
        data = self.journal.read_bytes()
        start = data[:-1].rindex(b"\n") + 1
        for size in [*range(start, len(data) - 1, 37), len(data) - 2, len(data) - 1]:
            whole = size == len(data) - 1
            self.scratch.write_bytes(data[:size])
            with self.subTest(size=size):
                out, err = run("verify", self.scratch, self.base)
                report = self.report(out)
                self.assertEqual(report["entries"], REQUESTS if whole else REQUESTS - 1)
                self.assertEqual(report["torn_bytes"], 0 if whole else size - start)
                self.assertEqual(err.count(b"\n"), size > start, err)
        self.scratch.write_bytes(data[:-1])
        run("apply", "--journal", self.scratch, "--actor", "a", "--at", "2026-03-01T00:00:00Z",
            self.base, self.folder / "request00.json")
        self.assertTrue(self.scratch.read_bytes().startswith(data))

    def on_terminal(self, *arguments, types=None):
        """Run with standard output on a terminal, on which somebody types that, if anything; returns
        what it shows and the exit status."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([RETRIAGE, *map(str, arguments)], stdout=theirs, stderr=theirs,
                              stdin=subprocess.DEVNULL if types is None else theirs) as process:
            os.close(theirs)
            if types is not None:
                os.write(ours, types)
            shown = b""
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:  # its other end is closed
                    break
                if not part:
                    break
                shown += part
        os.close(ours)
        return shown.decode().replace("\r\n", "\n"), process.returncode

    def test_question(self):
        """On a terminal decide shows what would change and asks; only a yes writes it (TRIAGE T8)."""
        issue = json.loads(self.base.read_text())[0]["id"]
        journal = self.folder / "asked.jsonl"
        ask = ("decide", "--no-progress", "--where", f"id={issue}", "--note", "seen by two",
               "--actor", "alice", "--journal", journal, self.base)
        for types in b"\n", b"n\n", b"Never\n", b"\x04", b"yes\n", b"y\n":
            shown, status = self.on_terminal(*ask, types=types)
            if types == b"y\n":  # what already is so is not asked about
                self.assertNotIn("[y/N]", shown)
                self.assertIn("unchanged", shown)
                continue
            self.assertEqual(shown.count(f"Write this to {journal}? [y/N] "), 1, shown)
            self.assertLess(shown.index("+ note"), shown.index("[y/N]"))
            self.assertEqual((status, journal.exists()), (0, True) if types == b"yes\n" else (1, False))
            self.assertEqual("nothing was changed" in shown, status == 1, shown)
        self.assertEqual(len(journal.read_bytes().splitlines()), 2)
        shown, status = self.on_terminal(*ask[:5], "seen by three", *ask[6:], "--yes", types=b"")
        self.assertEqual(("[y/N]" in shown, status), (False, 0), shown)
        self.assertEqual(len(journal.read_bytes().splitlines()), 3)
        shown, status = self.on_terminal(*ask[:5], "seen by all", *ask[6:], types=None)
        self.assertEqual(("[y/N]" in shown, status), (False, 0), shown)

    def test_terminal(self):
        """For people the verdict is one line."""
        seq, digest = self.head.split(":")
        issues = len(json.loads(self.base.read_text()))
        self.assertEqual(self.on_terminal("verify", "--no-progress", self.journal, self.base),
                         (f"valid: {REQUESTS} entries, {issues} issues, head {seq}:{digest[:12]}"
                          "\u2026\n", 0))
        data = self.journal.read_bytes()
        self.scratch.write_bytes(flip(data, data.index(b"2026-02-05"), 0))
        shown, status = self.on_terminal("verify", "--no-progress", self.scratch, self.base)
        self.assertEqual((shown.count("\n"), status), (1, 1), shown)
        self.assertTrue(shown.startswith(f"not valid: {self.scratch}:6:"), shown)
        self.assertIn(": entry 5: hash: the line was changed after it was written: ", shown)
        shown, status = self.on_terminal("verify", "--format", "json", self.journal, self.base)
        self.assertEqual((json.loads(shown)["valid"], status), (True, 0))

    def test_requests(self):
        """The requests that were applied, and one of them changed."""
        files = [self.folder / f"request{number:02}.json" for number in range(REQUESTS)]
        given = [word for file in files for word in ("--requests", file)]
        out, err = run("verify", *given, self.journal, self.base)
        self.assertEqual((self.report(out)["valid"], err), (True, b""))
        request = json.loads(files[7].read_text())
        request["issue_ids"][3:5] = reversed(request["issue_ids"][3:5])
        self.scratch.write_text(json.dumps(request))
        given[2 * 7 + 1] = self.scratch
        fault = self.report(run("verify", *given, self.journal, self.base, status=1)[0])["fault"]
        self.assertEqual((fault["check"], fault["entry"], fault["path"], fault["field"]),
                         ("requests", 8, str(self.scratch), "/issue_ids/3"))

    def test_flips_base(self):
        """A bit of the base: it is another export, whatever became of what it says."""
        data = self.base.read_bytes()
        for at in self.positions(data, FLIPS // 6):
            bit = self.rng.randrange(8)
            self.scratch.write_bytes(flip(data, at, bit))
            with self.subTest(at=at, bit=bit):
                fault = self.verify(base=self.scratch)["fault"]
                self.assertEqual((fault["check"], fault["entry"]), ("base", None))
                self.assertEqual(fault["path"], str(self.scratch))
                self.assertIn("SHA-256", fault["message"])

    def test_flips_final(self):
        """A bit of the final export: the record is named, or where it is no export any more."""
        data = self.final.read_bytes()
        right = records_of(data)
        for at in self.positions(data, FLIPS // 3):
            bit = self.rng.randrange(8)
            changed = flip(data, at, bit)
            self.scratch.write_bytes(changed)
            with self.subTest(at=at, bit=bit):
                records = records_of(changed)
                if records == right:
                    self.verify(expect=self.scratch, status=0)
                    continue
                report = self.verify(expect=self.scratch)
                fault = report["fault"]
                self.assertEqual((fault["check"], fault["entry"]), ("expect", None))
                self.assertEqual(fault["path"], str(self.scratch))
                self.assertTrue(fault["line"] and fault["column"])
                if records and set(records) == set(right):
                    wrong = [name for name in right if records[name] != right[name]]
                    self.assertEqual(fault["record"], f'issue "{wrong[0]}"')
                    self.assertEqual(report["differences"]["issues"],
                                     {"different": len(wrong), "missing": 0, "extra": 0})

    def test_lines(self):
        """Lines that are gone, swapped, twice there, or of another journal."""
        lines = self.journal.read_bytes().splitlines(keepends=True)
        other = self.folder / "other"
        run("apply", "--journal", other, "--at", "2026-02-01T08:00:00Z", self.base,
            self.folder / "request00.json")
        table = [
            ("line 1 is gone", lines[1:], None),
            ("entry 7 is gone", lines[:7] + lines[8:], 7),
            ("7 and 8 are swapped", lines[:7] + [lines[8], lines[7]] + lines[9:], 7),
            ("entry 7 is there twice", lines[:8] + lines[7:], 8),
            ("entry 1 is of another journal", [lines[0], other.read_bytes().splitlines(True)[1],
                                               *lines[2:]], 2),
            ("an empty line", lines[:5] + [b"\n"] + lines[5:], 5),
            ("a line that is longer", lines[:5] + [lines[5][:-1] + b" \n"] + lines[6:], 5),
            ("CRLF", lines[:5] + [lines[5][:-1] + b"\r\n"] + lines[6:], 5),
        ]
        for what, text, entry in table:
            self.scratch.write_bytes(b"".join(text))
            with self.subTest(what):
                fault = self.verify(journal=self.scratch)["fault"]
                self.assertEqual((fault["check"], fault["entry"]), ("journal", entry))

    def test_end_cut_off(self):
        """What a chain cannot show, and a head that was kept elsewhere does."""
        lines = self.journal.read_bytes().splitlines(keepends=True)
        self.scratch.write_bytes(b"".join(lines[:11]))
        self.assertEqual(self.report(run("verify", self.scratch, self.base)[0])["entries"], 10)
        fault = self.verify(journal=self.scratch)["fault"]
        self.assertEqual((fault["check"], fault["entry"]), ("head", REQUESTS))
        earlier = f"10:{json.loads(lines[10])['hash']}"
        self.verify(head=earlier, status=0)
        self.verify(head=f"0:{json.loads(lines[0])['hash']}", status=0)

    def test_written_anew(self):
        """A journal of the same requests by somebody else is whole; the head is not its own."""
        forged = self.folder / "forged"
        for number in range(REQUESTS):
            run("apply", "--journal", forged, "--actor", "mallory", "--at",
                f"2026-02-{number + 1:02}T08:00:00Z", self.base,
                self.folder / f"request{number:02}.json")
        run("verify", "--expect", self.final, forged, self.base)
        fault = self.verify(journal=forged)["fault"]
        self.assertEqual((fault["check"], fault["entry"]), ("head", REQUESTS))

    def forge(self, change):
        """The journal with the body of entry 5 changed, and a chain made right again after it."""
        last, forged = None, []
        for number, line in enumerate(self.journal.read_text().splitlines()):
            body = line.rsplit(',"hash":', 1)[0]
            if number == 5:
                body = change(body)
            if number:
                body = body.rsplit(',"prev":', 1)[0] + f',"prev":"{last}"'
            last = hashlib.sha256(body.encode()).hexdigest()
            forged.append(f'{body},"hash":"{last}"}}\n')
        self.scratch.write_text("".join(forged))

    def test_lies(self):
        """An entry that says what did not happen, in a chain that is whole."""
        def other_digest(body):
            start = body.index('"sha256":"') + 10
            return body[:start] + "0" * 64 + body[start + 64:]

        def other_notes(body):
            start = body.index('"notes_sha256":"') + 16
            return body[:start] + "0" * 64 + body[start + 64:]

        def other_request(body):
            start = body.index('"issue_ids":["') + 14
            return body[:start] + "no-such-issue" + body[body.index('"', start):]

        table = [
            ("another digest", other_digest, "result"),
            ("another id", other_request, "result"),
            ("another time", lambda body: body.replace("T08:00:00Z", "T08:00:01Z"), "result"),
            ("another digest of notes", other_notes, "result"),
            ("another count", lambda body: body.replace('"updated_count":9', '"updated_count":8'),
             "result"),
            ("a count that no request can have",
             lambda body: body.replace('"updated_count":', '"updated_count":9'), "journal"),
            ("another number", lambda body: body.replace('"seq":5', '"seq":6'), "journal"),
        ]
        for what, change, check in table:
            with self.subTest(what):
                self.forge(change)
                report = self.report(run("verify", self.scratch, self.base, status=1)[0])
                fault = report["fault"]
                self.assertEqual((fault["check"], fault["entry"]), (check, 5), fault)
                self.assertEqual(report["entries"], 4 if check == "result" else 0)
        self.forge(lambda body: body)
        self.assertEqual(self.scratch.read_bytes(), self.journal.read_bytes())

    def shell(self, data):
        """The exit status and the output of the shell's check."""
        done = subprocess.run(["sh", SCRIPT], input=data, capture_output=True, timeout=60,
                              check=False)
        return done.returncode, done.stdout.decode().strip()

    def test_shell(self):
        """A shell and sha256sum see the same."""
        data = self.journal.read_bytes()
        self.assertEqual(self.shell(data), (0, self.head.split(":")[1]))
        self.assertEqual(self.shell(data[:-1]), (0, self.head.split(":")[1]))
        for at in self.positions(data, 12):
            with self.subTest(at=at):
                self.assertEqual(self.shell(flip(data, at, 1)), (1, ""))
        lines = data.splitlines(keepends=True)
        self.assertEqual(self.shell(b"".join(lines[:3] + lines[4:])), (1, ""))
        self.assertEqual(self.shell(b"".join(lines[1:])), (1, ""))


if __name__ == "__main__":
    unittest.main()
