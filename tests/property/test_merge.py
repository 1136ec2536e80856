"""Random data sets in shares: merged partial summaries are the summary of one run, byte for byte.

Each round makes exports of any form and container, deals them out to up to nine partial summaries,
which are compressed or not, and merges those, in any format. Where an id stands in two of them,
both inputs have to be named as one run names them. With a journal, the summary is that of its
state.

Environment: RETRIAGE or BUILD; PROPERTY_SEED (default 1), PROPERTY_ROUNDS, PROPERTY_FIRST (the
round to start with). A failure prints how to run its round again, and keeps its folder.
SANITIZE as for make.
"""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "property"), str(TOP / "tests" / "schema")]

import generate

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("PROPERTY_SEED", "1")
ROUNDS = int(os.environ.get("PROPERTY_ROUNDS", "9" if os.environ.get("SANITIZE") else "24"))
FIRST = int(os.environ.get("PROPERTY_FIRST", "0"))
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
STYLES = [[], ["--pretty"], ["--format", "yaml"], ["--format", "table"]]
TWICE = re.compile(r"retriage: (.*):[0-9]+:[0-9]+: (issue|ruleset).*: id: duplicate id, also at "
                   r"(.*?)(; see --duplicates| \(in (.*) and (.*)\))\n")
COUNTED = ("id", "severity", "category", "false_positive")


class Wrong(Exception):
    """What does not hold."""


def need(right, what):
    """Fail the round unless right."""
    if not right:
        raise Wrong(what)


def run(*arguments, status=0, data=None):
    """Run the program; returns its standard output and standard error."""
    done = subprocess.run([RETRIAGE, *map(str, arguments)], input=data or b"",
                          capture_output=True, timeout=60, check=False)
    need(done.returncode == status,
         f"exit {done.returncode}, want {status}: {arguments}\n{done.stderr}")
    return done.stdout, done.stderr.decode(errors="replace")


def levels_told(stderr):
    """The note on severities, which is about all of them together; what a reader of exports could be
    told to do about them is left out."""
    return [line.split("; --severity-map")[0] for line in stderr.splitlines() if "severity that is no level" in line]


def deal(rng, things, most):
    """Things in up to `most` shares, some of which may be empty."""
    shares = [[] for _ in range(rng.randrange(1, most + 1))]
    for thing in things:
        rng.choice(shares).append(thing)
    return shares


def check_form(path, records, changed):
    """A partial summary is small, and has what its schema says, as another program reads it."""
    *lines, last = path.read_bytes().splitlines(keepends=True)
    need(json.loads(last) == {"sha256": hashlib.sha256(b"".join(lines)).hexdigest()}, "the digest at its end")
    lines = [json.loads(line) for line in lines]
    need(lines[0]["retriage_partial"] == 2, f"{lines[0]}")
    want = {("rules_text" in record, record["id"]): record for record in records}
    need(len(want) == len(records), "records of this share")
    began = False
    for line in lines[1:]:
        began = began or "path" in line
        if "ruleset" in line or "issue" in line:
            need(began and line["line"] and line["column"], f"{line}")
            record = want.pop(("ruleset" in line, line["ruleset"] if "ruleset" in line else line["issue"]["id"]))
            want_issue = {name: record[name] for name in COUNTED if record.get(name) is not None}
            need("ruleset" in line or changed or line["issue"] == want_issue, f"{line}, want {want_issue}")
    need(not want, f"not there: {want}")


class Round:
    """One random data set in a folder."""

    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        self.options = ["--recent", rng.choice([0, 1, 3, 10, 1000])]
        self.style = rng.choice(STYLES)
        records = [generate.issue(rng, name)
                   for name in generate.identifiers(rng, rng.randrange(60))]
        # An issue and a ruleset may have one id.
        records += [generate.ruleset(rng, name)
                    for name in generate.identifiers(rng, rng.randrange(4))]
        rng.shuffle(records)
        self.shares = deal(rng, records, 12)
        self.groups = None

    def write(self):
        """Make the exports, and deal them out in their order."""
        exports = []
        for number, share in enumerate(self.shares):
            export = generate.Export(self.rng, share)
            path = self.folder / f"export{number}{export.suffix.rstrip('/')}"
            export.write(path)
            exports.append((path, export.records))
        self.groups = [group for group in deal(self.rng, exports, 9) if group]
        self.rng.shuffle(self.groups)

    def paths(self):
        """All exports in the order of the merge."""
        return [path for group in self.groups for path, _ in group]

    def partials(self, status=0, **more):
        """A partial summary of each group, in any wrapping. more: options by group number."""
        made = []
        for number, group in enumerate(self.groups):
            target = self.folder / f"{number}.partial"
            command = ["summary", "--partial", *self.options, *more.get(f"of{number}", []),
                       *(path for path, _ in group)]
            if self.rng.random() < 0.5:
                out, err = run(*command, status=status)
                target.write_bytes(out)
            else:
                _, err = run(*command, "-o", target, status=status)
            if status:
                return err
            check_form(target, [record for _, records in group for record in records], more.get(f"of{number}"))
            need(not levels_told(err), f"told of a part: {err}")
            made.append(self.pack(target))
        return made

    def pack(self, path):
        """The same, compressed or not."""
        if self.rng.random() < 0.7:
            return path
        suffix = self.rng.choice([".gz", ".zst"])
        packed = path.with_name(path.name + suffix)
        packed.write_bytes(generate.PACKERS[suffix](path.read_bytes()))
        return packed

    def merge(self, partials, status=0):
        """Merge them; one may come from standard input."""
        if self.rng.random() < 0.3:
            at = self.rng.randrange(len(partials))
            data = partials[at].read_bytes()
            return run("merge", *self.style, *partials[:at], "-", *partials[at + 1:],
                       status=status, data=data)
        return run("merge", *self.style, *partials, status=status)


def check_equal(one, merged):
    """The answers are the same bytes, and so is what is told of all severities."""
    need(one[0] == merged[0], f"summary\n{one[0]!r}\nmerge\n{merged[0]!r}")
    need(levels_told(one[1]) == levels_told(merged[1]), f"{one[1]} {merged[1]}")


def check_once(rng, folder):
    """Ids stand once."""
    this = Round(rng, folder)
    this.write()
    one = run("summary", *this.options, *this.style, *this.paths())
    check_equal(one, this.merge(this.partials()))


def check_twice(rng, folder):
    """Some ids stand twice, or more often, anywhere."""
    this = Round(rng, folder)
    records = [record for share in this.shares for record in share]
    if not records:
        return
    for record in rng.sample(records, min(len(records), rng.randrange(1, 4))):
        make = generate.ruleset if "rules_text" in record else generate.issue
        rng.choice(this.shares).append(make(rng, record["id"]))
    this.write()
    _, err = run("summary", *this.options, *this.paths(), status=2)
    want = TWICE.search(err)
    need(want, err)
    for group in this.groups:
        done = subprocess.run([RETRIAGE, "summary", "--partial", *map(str, this.options),
                               *(path for path, _ in group)], capture_output=True, check=False)
        if done.returncode:
            return
    # One run over all may stop later than one over a share, but nothing in a share is at fault.
    _, err = this.merge(this.partials(), status=2)
    have = TWICE.search(err)
    need(have and have.groups()[:3] == want.groups()[:3] and have.group(5),
         f"{err}, want {want.group()}")
    need(have.group(5) != have.group(6), f"inputs of one document: {err}")


def check_journal(rng, folder):
    """One share has a journal: as if its state had been written as an export."""
    this = Round(rng, folder)
    this.write()
    base = this.groups[0][0][0]
    this.groups[0] = this.groups[0][:1]
    requests = [generate.request(rng, generate.identifiers(rng, 20)) for _ in range(3)]
    operands = generate.write_requests(rng, requests, folder / "requests")
    journal = folder / "journal"
    run("apply", "--quiet", "--at", "2026-01-02", "--journal", journal, base, *operands)
    one = run("summary", *this.options, *this.style, "--journal", journal, base)
    others = this.groups
    this.groups = others[:1]
    partials = this.partials(of0=["--journal", journal])
    check_equal(one, this.merge(partials))
    if base.is_dir() or base.name.endswith((".yaml", ".yml")) or len(others) < 2:
        return
    partials[0].rename(folder / "state")
    this.groups = others[1:]
    partials = [folder / "state", *this.partials()]
    after = folder / ("after" + "".join(base.suffixes))
    run("apply", "--quiet", "--at", "2026-01-02", "-o", after, base, *operands)
    check_equal(run("summary", *this.options, *this.style, after, *this.paths()),
                run("merge", *this.style, *partials))


def main():
    checks = [check_once, check_once, check_once, check_twice, check_twice, check_journal]
    passed = failed = 0
    for number in range(FIRST, FIRST + ROUNDS):
        check = checks[number % len(checks)]
        folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-merge.", dir=MEMORY))
        try:
            check(random.Random(f"{SEED} {number}"), folder)
        except Wrong as wrong:
            failed += 1
            print(f"round {number}, {check.__name__}: {wrong}\n  again: PROPERTY_SEED={SEED} "
                  f"PROPERTY_FIRST={number} PROPERTY_ROUNDS=1 {sys.argv[0]}; kept {folder}")
        else:
            passed += 1
            shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
