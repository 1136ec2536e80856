"""Random exports and requests: every way to apply them gives the state and the results of a model.

One by one (-o), all at once (-o, --in-place, answers only) and through a journal (then verify -o)
are held against model.py, and against each other: bytes around touched records, summary and
rulesets with and without a journal, verify --expect with the right state and with another.

Environment: RETRIAGE or BUILD; PROPERTY_SEED (default 1), PROPERTY_ROUNDS, PROPERTY_FIRST (the
round to start with). A failure prints how to run its round again, and keeps its folder.
SANITIZE as for make.
"""
import copy
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "property"), str(TOP / "tests" / "schema")]

import yaml

import generate
import model
from schema_set import CoreLoader, Number, read_json

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("PROPERTY_SEED", "1")
# Under sanitizers some have to do, for all of them run without.
ROUNDS = int(os.environ.get("PROPERTY_ROUNDS", "3" if os.environ.get("SANITIZE") else "8"))
FIRST = int(os.environ.get("PROPERTY_FIRST", "0"))
# What the program may tell of the exports made here without there being anything wrong.
NOTES = re.compile(rb"(retriage: ([0-9]+ issues? ha(s|ve) a severity that is no level: "
                   rb"|(.*: )?not read: ).*\n)*")
# Flushing is tested elsewhere, and is what most of the time would go to on a disk.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Wrong(Exception):
    """What does not hold."""


def need(right, what):
    """Fail the round unless right."""
    if not right:
        raise Wrong(what)


def run(*arguments, status=0):
    """Run the program, an update without its notes; returns its standard output."""
    if arguments[0] == "apply":
        arguments = ("apply", "--quiet", *arguments[1:])
    done = subprocess.run([RETRIAGE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    words = " ".join(map(str, arguments))
    need(done.returncode == status,
         f"exit {done.returncode}, want {status}: {words}\n{done.stderr}")
    need(status or NOTES.fullmatch(done.stderr), f"standard error {done.stderr}: {words}")
    return done.stdout


# --- Reading what was written -------------------------------------------------------------------


def unpack(data, suffix):
    """Undo one compression."""
    tools = {".gz": ["gzip", "-dc"], ".xz": ["xz", "-dc"], ".bz2": ["bzip2", "-dc"],
             ".zst": ["zstd", "-dc", "-q"]}
    if suffix not in tools:
        return data
    return subprocess.run(tools[suffix], input=data, capture_output=True, check=True).stdout


def read_files(path, container):
    """Files of a written export as [(name, bytes)]; a single file has the name ''."""
    path = pathlib.Path(path)
    if container == "/":
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return [(str(file.relative_to(path)), file.read_bytes()) for file in files]
    if container == ".zip":
        with zipfile.ZipFile(path) as archive:
            need(archive.testzip() is None, "checksum of a zip member")
            return [(name, archive.read(name)) for name in archive.namelist()]
    if container.startswith(".tar"):
        plain = path.with_name(path.name + ".plain")
        plain.write_bytes(unpack(path.read_bytes(), container[4:]))
        with tarfile.open(plain, "r:") as archive:
            files = [(info.name, archive.extractfile(info).read()) for info in archive]
        plain.unlink()
        return files
    return [("", unpack(path.read_bytes(), container))]


def check_json(pieces, text, want):
    """Touched records have the wanted value; every other byte is as it was."""
    at = 0
    decoder = json.JSONDecoder(parse_int=Number, parse_float=Number)
    for record, piece in pieces:
        if record is None or want[record["id"]] == record:
            need(text.startswith(piece, at), f"bytes at {at}: {text[at:at + 80]!r}, want {piece!r}")
            at += len(piece)
            continue
        have, at = decoder.raw_decode(text, at)
        check_record(have, record, want[record["id"]])
    need(at == len(text), f"{len(text) - at} characters too many")


def check_yaml(pieces, text, want):
    """The same for YAML, where the end of a touched record is the next untouched piece."""
    at, loose = 0, False
    for record, piece in pieces:
        if record is not None and want[record["id"]] != record:
            loose = True
            continue
        found = text.find(piece, at)
        need(found >= 0 and (loose or found == at), f"bytes at {at}: {piece!r} in\n{text}")
        at, loose = found + len(piece), False
    need(loose or at == len(text), f"{len(text) - at} characters too many")
    for document in yaml.load_all(text, Loader=CoreLoader):
        groups = document.values() if isinstance(document, dict) else [document]
        have = {record["id"]: record for group in groups for record in group}
        need(len(have) == sum(record is not None for record, _ in pieces), "the number of records")
        for record, _ in pieces:
            if record is not None:
                check_record(have[record["id"]], record, want[record["id"]])


def check_record(have, before, want):
    """The value, and the members that were there in their order, new ones after them."""
    need(have == want, f"record {want['id']!r}:\nhave {have}\nwant {want}\nfrom {before}")
    names = list(before)
    need(list(have)[:len(names)] == names, f"order of members {list(have)}, was {names}")


def check_state(export, path, records):
    """The export that was written at path holds these records, in the source of `export`."""
    want = {(("rules_text" in record), record["id"]): record for record in records}
    files = read_files(path, export.container)
    many = export.container.startswith((".tar", ".zip", "/"))
    if many:
        names = [name for name, _ in export.files()]
        need([name for name, _ in files] == (sorted(names) if export.container == "/" else names),
             f"names {[name for name, _ in files]}")
    by_name = dict(files)
    for part in export.parts:
        data = unpack(by_name[part.name + part.packer] if many else files[0][1], part.packer)
        wanted = {record["id"]: want["rules_text" in record, record["id"]]
                  for record in part.records}
        check = check_yaml if part.form.startswith("yaml") else check_json
        check(part.pieces, data.decode(), wanted)
    for name, data in export.FOREIGN.items() if many else ():
        need(by_name[name] == data, f"foreign {name}")


def check_results(answer, results):
    """The lines of an answer are the model's results."""
    lines = answer.decode().splitlines()
    need(len(lines) == len(results), f"{len(lines)} results, want {len(results)}")
    for number, (line, want) in enumerate(zip(lines, results)):
        fault = model.result_fault(read_json(line), want)
        need(not fault, f"result {number}: {fault}")


# --- The ways to apply --------------------------------------------------------------------------


class Round:
    """One random export and series of requests, in a folder."""

    def __init__(self, number, folder):
        self.rng = rng = random.Random(f"{SEED}:{number}")
        self.folder = folder
        self.export = generate.Export(rng)
        self.base = folder / f"base{self.export.suffix.rstrip('/')}"
        self.export.write(self.base)
        ids = [record["id"] for record in self.export.records if "rules_text" not in record]
        self.requests = [generate.request(rng, ids) for _ in range(rng.randrange(1, 7))]
        self.operands = generate.write_requests(rng, self.requests, folder / "requests")
        self.at = "2025-05-05T05:05:05Z"

    def out(self, name):
        """A path for an output of the export's kind."""
        return self.folder / f"{name}{self.export.suffix.rstrip('/')}"

    def one(self, number):
        """A file with one of the requests."""
        path = self.folder / f"one{number}.json"
        path.write_text(generate.spell(self.rng, self.requests[number], True, lambda: ""))
        return path

    def check(self):
        """Everything."""
        records, results = model.run(self.export.records, self.requests, itertools.repeat(self.at))
        self.all_at_once(records, results)
        self.one_by_one()
        self.journal([self.at] * len(self.requests), "journal")
        final = self.out("journal-verified")
        need(self.bytes_of(final) == self.bytes_of(self.out("once")),
             "verify -o and apply -o differ")
        self.journal([f"2025-01-0{number + 1}T00:00:00Z" for number in range(len(self.requests))],
                     "timed")
        self.expect(records)

    def bytes_of(self, path):
        """All bytes of a written export."""
        return read_files(path, "/") if self.export.container == "/" else path.read_bytes()

    def all_at_once(self, records, results):
        """Answers only, -o, --in-place."""
        before = self.bytes_of(self.base)
        answer = run("apply", "--at", self.at, self.base, *self.operands)
        check_results(answer, results)
        once = self.out("once")
        need(run("apply", "--at", self.at, "-o", once, self.base, *self.operands) == answer,
             "answers with and without -o differ")
        check_state(self.export, once, records)
        need(self.bytes_of(self.base) == before, "the export was changed")
        if self.export.container == "/":
            run("apply", "--in-place", self.base, *self.operands, status=2)
            return
        place = self.out("place")
        shutil.copy(self.base, place)
        need(run("apply", "--at", self.at, "--in-place", place, *self.operands) == answer,
             "answers with --in-place differ")
        if records == self.export.records:
            need(place.read_bytes() == before, "nothing to change, and changed")
        else:
            need(place.read_bytes() == once.read_bytes(), "-o and --in-place differ")

    def one_by_one(self):
        """A chain of -o, each with a time of its own."""
        path, records = self.base, self.export.records
        for number, request in enumerate(self.requests):
            at = f"2025-01-0{number + 1}T00:00:00Z"
            records, results = model.run(records, [request], [at])
            into = self.out(f"chain{number}")
            check_results(run("apply", "--at", at, "-o", into, path, self.one(number)), results)
            path = into
        check_state(self.export, path, records)
        self.chain = path

    def journal(self, times, name):
        """In groups of requests with one time; then verify, and the answers from the state."""
        journal = self.folder / name
        number = 0
        records, results = model.run(self.export.records, self.requests, times)
        while number < len(self.requests):
            end = min(len(self.requests), number + self.rng.randrange(1, 4))
            end = max(end_of for end_of in range(number + 1, end + 1)
                      if times[end_of - 1] == times[number])
            answer = run("apply", "--journal", journal, "--at", times[number], self.base,
                         *[self.one(one) for one in range(number, end)])
            check_results(answer, results[number:end])
            number = end
        final = self.out(f"{name}-verified")
        report = read_json(run("verify", "-o", final, journal, self.base).decode())
        need(report["valid"] is True and report["entries"] == Number(str(len(self.requests))),
             f"report {report}")
        check_state(self.export, final, records)
        for command in (["summary", "--recent", "30"], ["rulesets"]):
            need(run(*command, "--journal", journal, self.base) == run(*command, final),
                 f"{command[0]} of the state and of the export with it differ")
        need(run("summary", "-j", "3", final) == run("summary", final), "three threads differ")
        run("verify", "--expect", final, journal, self.base)
        run("validate", final)

    def expect(self, records):
        """--expect with the state in other clothes, with the chain's, and with another state."""
        other = self.folder / "other.json"
        run("verify", "--expect", self.chain, self.folder / "timed", self.base)
        arguments = ["verify", "--expect", other, self.folder / "journal", self.base]
        pieces = generate.json_pieces(self.rng, [generate.shuffled(self.rng, record)
                                                 for record in records], "wrapper")
        other.write_bytes("".join(text for _, text in pieces).encode())
        run(*arguments)
        changed, what = changed_state(self.rng, records)
        pieces = generate.json_pieces(self.rng, changed, "wrapper")
        other.write_bytes("".join(text for _, text in pieces).encode())
        report = read_json(run(*arguments, status=1).decode())
        need(report["valid"] is False and report["fault"]["check"] == "expect" and
             report["fault"]["record"], f"{what}: report {report}")


def changed_state(rng, records):
    """Records with one value changed, and what that was."""
    records = copy.deepcopy(records)
    record = rng.choice(records)
    names = [name for name in record if name not in ("id", "rules_text")]
    name = rng.choice(names + ["added"])
    old = record.get(name, ...)
    what = f"{record['id']!r}: {name}: {old!r}"
    if isinstance(old, Number):
        record[name] = Number("8" if old.text != "8" else "9")
        if "." in old.text and name in ("confidence", "cvss_score"):
            record[name] = Number(old.text + "0")  # the same number, another text
    elif isinstance(old, bool):
        record[name] = not old
    elif isinstance(old, str) and name not in ("created_at", "updated_at"):
        record[name] = old + "x"
    elif isinstance(old, list) and "rules_text" not in record:
        record[name] = old + ["x"]
    elif old is ...:
        record[name] = None
    elif old is None and name not in model.MEMBERS and "rules_text" not in record:
        record[name] = 0
    elif "rules_text" in record or name == "scan_id":
        record["added"] = {}
    else:
        del record[name]
    return records, what


def main():
    """Run all rounds; returns the exit status."""
    for number in range(FIRST, FIRST + ROUNDS):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-property-", dir=MEMORY))
        try:
            Round(number, folder).check()
        except Exception as wrong:  # whatever it is, the round must be named
            print(f"FAILED round {number} of seed {SEED}: {type(wrong).__name__}: {wrong}")
            print(f"its files are in {folder}; again with PROPERTY_SEED={SEED} "
                  f"PROPERTY_FIRST={number} PROPERTY_ROUNDS=1")
            print(f"{number - FIRST} passed, 1 failed")
            if not isinstance(wrong, Wrong):
                raise
            return 1
        shutil.rmtree(folder)
    print(f"{ROUNDS} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
