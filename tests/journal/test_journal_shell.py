#!/usr/bin/python3
"""Hold journals to SPEC section 3 by other programs than ours.

The fixture journal is checked with a shell and sha256sum, with JSON Schema, and with Python's own
SHA-256; its results are made again by applying its requests one by one. The damaged journals must
fail in the shell as well. Environment: BUILD, RETRIAGE; what needs the program is skipped, and
said to be, where it has not been built. Last line: "N passed, N failed, N skipped".
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # before our own modules: nothing is written beside the sources
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "schema"))

import schema_set

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = ROOT / "fixtures" / "journal"
GOOD = FIXTURES / "good.jsonl"
BASE = FIXTURES / "base.json"
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()

# What the shell says of each damaged journal: the number of the first line that is wrong.
DAMAGED = {"bad-deleted.jsonl": 3, "bad-doubled.jsonl": 4, "bad-flipped.jsonl": 4,
           "bad-swapped.jsonl": 4}

HEADER = ["retriage_journal", "base", "created_at", "hash"]
ENTRY = ["seq", "at", "actor", "request", "result", "prev", "hash"]


class Tally:
    """Counts and says what failed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, what, right, detail=""):
        """One assertion."""
        if right:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}{': ' if detail else ''}{detail}")


def shell(path):
    """Exit status and output of the shell's check."""
    done = subprocess.run(["sh", HERE / "check.sh", path], capture_output=True, text=True,
                          timeout=60, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def sha256(data):
    """Hex of bytes."""
    return hashlib.sha256(data).hexdigest()


def check_shell(tally, lines):
    """A shell and sha256sum find the good journal good, and each damaged one damaged."""
    head = f"{len(lines) - 1}:{json.loads(lines[-1])['hash']}"
    tally.check("shell: good.jsonl", shell(GOOD) == (0, head), str(shell(GOOD)))
    with tempfile.TemporaryDirectory() as folder:
        unended = pathlib.Path(folder) / "unended.jsonl"
        unended.write_bytes(b"\n".join(lines))
        tally.check("shell: no line end", shell(unended) == (0, head), str(shell(unended)))
    for name, line in DAMAGED.items():
        said = shell(FIXTURES / name)
        tally.check(f"shell: {name}", said == (1, f"line {line} is wrong"), str(said))


def check_lines(tally, lines):
    """Form, hash and chain of each line."""
    schemas = schema_set.load_all()
    validators = {name: schema_set.validator(schemas, name)
                  for name in ("journal-header", "journal-entry")}
    prev = None
    for number, line in enumerate(lines):
        what = f"line {number + 1}"
        value = json.loads(line.decode("utf-8"), object_pairs_hook=schema_set.refuse_repeats)
        name = "journal-entry" if number else "journal-header"
        faults = [error.message for error in validators[name].iter_errors(value)]
        tally.check(f"{what}: {name}", not faults, "; ".join(faults))
        tally.check(f"{what}: order", list(value) == (ENTRY if number else HEADER))
        bare = re.sub(rb'"(?:[^"\\]|\\.)*"', b'""', line)
        tally.check(f"{what}: compact", not re.search(rb"\s", bare))
        tally.check(f"{what}: no control byte", not re.search(rb"[\x00-\x1f]", line))
        body = line[:line.rindex(b',"hash":')]
        tally.check(f"{what}: hash", sha256(body) == value["hash"])
        tally.check(f"{what}: prev", value.get("prev") == prev)
        tally.check(f"{what}: seq", value.get("seq", 0) == number)
        prev = value["hash"]
    header = json.loads(lines[0])
    issues = json.loads(BASE.read_text(encoding="utf-8"))["issues"]
    tally.check("base: sha256", header["base"]["sha256"] == sha256(BASE.read_bytes()))
    tally.check("base: issues", header["base"]["issues"] == len(issues))


def check_results(tally, lines):
    """Each request, applied to the state before it, gives the result whose digest is kept."""
    if not RETRIAGE.exists():
        tally.skipped += 1
        print(f"SKIPPED results: {RETRIAGE} has not been built")
        return
    with tempfile.TemporaryDirectory() as folder:
        state = BASE
        for line in lines[1:]:
            entry = json.loads(line)
            request = pathlib.Path(folder) / "request.json"
            request.write_text(json.dumps(entry["request"]), encoding="utf-8")
            after = pathlib.Path(folder) / f"after-{entry['seq']}.json"
            done = subprocess.run([RETRIAGE, "apply", "--compact", "--at", entry["at"], "-o", after,
                                   state, request], capture_output=True, timeout=60, check=False)
            what = f"entry {entry['seq']}"
            tally.check(f"{what}: applied", done.returncode == 0, done.stderr.decode())
            tally.check(f"{what}: sha256 of the result",
                        sha256(done.stdout.rstrip(b"\n")) == entry["result"]["sha256"])
            result = json.loads(done.stdout or "{}")
            for count in ("updated_count", "failed_count"):
                tally.check(f"{what}: {count}", result.get(count) == entry["result"][count])
            if not after.exists():
                return
            state = after
        # Members that an update adds may stand in another order when they come one by one.
        want = json.loads((FIXTURES / "updated.json").read_text(encoding="utf-8"))
        tally.check("state", json.loads(state.read_text(encoding="utf-8")) == want)


def main():
    """Run all parts; returns the exit status."""
    tally = Tally()
    text = GOOD.read_bytes()
    tally.check("good.jsonl: newline at the end", text.endswith(b"\n"))
    lines = text[:-1].split(b"\n")
    check_shell(tally, lines)
    check_lines(tally, lines)
    check_results(tally, lines)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


sys.exit(main())
