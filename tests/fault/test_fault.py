"""Makes every allocation, read, write, open, mapping and fork of a run fail once, and from then on.

A run whose fault was reached either gives the right answer all the same, or says one line on
standard error, nothing on standard output, and exits with 3 (2 where the process that unpacks
gave up). It never crashes and never gives half an answer.

Under AddressSanitizer the allocations of our own code fail (wrap.c), and nothing may leak.

An allocation by the same callers as one before it is at the same place, and fails only once.

Environment: FAULT_ALL=1 (`make check-faults`) makes every call fail, instead of the first ones and a
sample, however long that takes; and then each step that can say why it fails (steps.py), or a
seeded sample of STEPS of a command.
"""
import gzip
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.dont_write_bytecode = True  # nothing of ours in the source tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import odd_runs  # noqa: E402
import said  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
RETRIAGE = os.environ.get("RETRIAGE", os.path.join(BUILD, "retriage"))
INJECTOR = os.path.join(BUILD, "tests", "fault", "fault.so")
FIXTURES = os.path.join(TOP, "fixtures")

ALL = os.environ.get("FAULT_ALL") == "1"
SANITIZED = bool(os.environ.get("SANITIZE"))
if SANITIZED:  # malloc() is the sanitizer's own there
    RETRIAGE = os.path.join(BUILD, "tests", "fault", "retriage")
KINDS = ["malloc"] if SANITIZED else ["malloc", "read", "write", "open", "map", "fork"]
# Every call up to this one fails, then one in a fifth of those so far.
DENSE = 1 if SANITIZED else 12
WITH_STEPS = os.path.join(BUILD, "tests", "fault", "steps")
STEPS = 400
UNPACKING = ("apply", "summary", "validate")  # the others unpack by the same steps
# For one kind on one input; what is left out is said.
SECONDS = 3600.0 if ALL else 2.0 if SANITIZED else 4.0


def run(arguments, kind=None, at=0, sticky=False, log=None, inside=False):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    if kind:
        env.update(LD_FAULT_KIND=kind, LD_FAULT_AT=str(at), LD_FAULT_LOG=log,
                   LD_FAULT_PLACES="1")
        if not SANITIZED and kind != "step":
            env["LD_PRELOAD"] = INJECTOR
        if sticky:
            env["LD_FAULT_ON"] = "1"
        if inside:
            env["LD_FAULT_IN_CHILD"] = "1"
    program = WITH_STEPS if kind == "step" else RETRIAGE
    done = subprocess.run([program, *arguments], env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    said.keep(done.stderr)
    return done.returncode, done.stdout, done.stderr


def judge(result, expected, kind, wanted=0):
    """What is wrong with the result of a run with a fault, or None."""
    status, out, err = result
    if (status, out) == (wanted, expected):
        return None
    # What could not be unpacked is faults of the file, and `validate` tells them as such.
    if status == 1 and re.match(rb'\{"valid":false.*"fault_count":[12],', out):
        return None
    if status not in (2, 3):
        return f"exit {status}"
    # Part of an answer may have left when a write or the closing of standard output fails, and a
    # verdict before what it stands on is told.
    if out and kind != "write" and (wanted, out) != (1, expected):
        return f"exit {status} with {len(out)} bytes of answer"
    # A report says what it wrote before the answer leaves; the dynamic linker ends a process that
    # has no memory for a library, with a line of its own.
    lines = [line for line in err.splitlines() if not line.startswith(b"retriage: wrote ")
             and (kind, line) != ("malloc", b"out of memory")]
    if len(lines) != 1 or not lines[0].startswith(b"retriage: "):
        return f"exit {status}, standard error {err[:200]!r}"
    return None


def sweep(arguments, kind, sticky, folder, each=ALL):
    """Returns (runs whose fault was reached, complaints, whether all calls were tried)."""
    status, expected, err = run(arguments)
    if status != 0:
        return 0, [f"without a fault: exit {status}, {err[:200]!r}"], True
    reached, complaints, at = 0, [], 1
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        log = os.path.join(folder, "reached")
        result = run(arguments, kind, at, sticky, log)
        with open(log, "rb") as file:
            was_reached = file.read() == b"\1"
        os.unlink(log)
        if not was_reached and result[0] == 0:
            return reached, complaints, True
        reached += 1
        complaint = judge(result, expected, kind)
        if complaint:
            complaints.append(f"call {at}: {complaint}")
        at += 1 if each or at < DENSE else max(2, at // 5)
    return reached, complaints, False


def reach(arguments, at, folder, inside):
    """(Whether step AT was reached, the result of the run in which it failed). inside: a step of the
    child's."""
    log = os.path.join(folder, "reached")
    result = run(arguments, "step", at, False, log, inside)
    with open(log, "rb") as file:
        reached = file.read() == b"\1"
    os.unlink(log)
    return reached, result


def count_steps(arguments, folder, inside):
    """How many there are."""
    low, high = 0, 1
    while reach(arguments, high, folder, inside)[0]:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reach(arguments, middle, folder, inside)[0] else (low, middle)
    return low


def sweep_steps(arguments, folder, inside):
    """The same of steps: all, or a seeded sample."""
    wanted, expected, err = run(arguments)
    if wanted not in (0, 1):
        return 0, [f"without a fault: exit {wanted}, {err[:200]!r}"], True
    numbers = range(1, count_steps(arguments, folder, inside) + 1)
    whole = len(numbers) <= STEPS
    if not whole:
        rng = random.Random(" ".join(map(os.path.basename, arguments)))
        numbers = rng.sample(numbers, STEPS)
    complaints = []
    for at in numbers:
        complaint = judge(reach(arguments, at, folder, inside)[1], expected, "step", wanted)
        if complaint:
            complaints.append(f"step {at}: {complaint}")
    return len(numbers), complaints, whole


def yaml_updates(folder):
    """Updates of YAML exports: arguments, whose output is another file each."""
    notes = {"severity": "info", "exploitable": True, "notes": "two\nlines, \u2028 and: more"}
    for name, ids in (("good-block.yaml", ["y1", "2"]), ("good-flow-quoted.yaml", ["a1", "a2"]),
                      ("good-lead.yaml", ["a1", "a2"])):
        with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
            text = file.read()
        # A record with numbers that JSON does not have is not updated.
        for yaml, number in (("0x1F", "31"), ("0o17", "15"), (" .5", " 0.5")):
            text = text.replace(yaml, number)
        export = odd_runs.put(folder, name, text)
        requests = odd_runs.put(folder, name + ".requests", "".join(
            json.dumps(request) + "\n" for request in ({"issue_ids": ids, **notes},
                                                       {"issue_ids": ids[:1], "notes": "again"})))
        yield ["apply", "--quiet", "--at", "2026-01-01T00:00:00Z", "-o", export + ".new", export,
               requests]


def packed(folder):
    """The sample export in each form that is packed again."""
    sample = os.path.join(FIXTURES, "good-sample.json")
    with open(sample, "rb") as file:
        data = file.read()
    # More than one block of each form, so that bytes are still to come when something fails.
    other = random.Random(1).randbytes(300000)
    path = os.path.join(folder, "packed.")
    with zipfile.ZipFile(path + "zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("other.bin", other)
        archive.writestr("sample.json", data)
    for form in ("", "gz", "xz", "bz2"):
        with tarfile.open(path + "tar" + form, "w:" + form, format=tarfile.PAX_FORMAT) as archive:
            archive.add(sample, "folder/" + "long" * 40 + ".json")
            member = tarfile.TarInfo("other.bin")
            member.size = len(other)
            archive.addfile(member, io.BytesIO(other))
    for command in ("gzip", "zstd", "xz", "bzip2", "lz4"):
        with open(path + command, "wb") as file:
            subprocess.run([command, "-q", "-c", sample], stdout=file, check=True)
    return [path + form for form in ("zip", "tar", "targz", "tarxz", "tarbz2", "gzip", "zstd", "xz",
                                     "bzip2", "lz4")]


def packed_updates(folder):
    """Updates of exports in archives and compressed."""
    requests = os.path.join(FIXTURES, "requests", "good-sample.json")
    for path in packed(folder):
        yield ["apply", "--quiet", "--at", "2026-01-01T00:00:00Z", "-o", path + ".out", path,
               requests]


def step_runs(folder):
    """Commands more, of many steps: all reports, a log's findings."""
    sample = os.path.join(FIXTURES, "good-sample.json")
    sarif = os.path.join(FIXTURES, "good-sarif.sarif")
    for kind in ("csv", "junit", "codequality", "gitlab-sast", "github", "md", "sarif",
                 "sonarqube"):
        yield ["report", "--quiet", "--sla", "high=3", "--to",
               f"{kind}={os.path.join(folder, 'report.' + kind)}", sample]
    yield ["report", "--quiet", "--limit", "md=2KiB", "--to",
           f"md={os.path.join(folder, 'short.md')}", sample]
    yield ["list", "--quiet", "--as", "json", sarif]
    yield ["summary", "--quiet", "--duplicates", "equal", sample, sample]
    yield ["validate", "--quiet", os.path.join(FIXTURES, "good-block.yaml")]


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.sarif.gz")
        with open(os.path.join(FIXTURES, "good-sarif.sarif"), "rb") as plain:
            with gzip.open(log, "wb") as packed:
                packed.write(plain.read())
        archive = os.path.join(folder, "set.tar.gz")
        with tarfile.open(archive, "w:gz") as tar:
            for name in ("good-sample.json", "good-block.yaml"):
                tar.add(os.path.join(FIXTURES, name), name)
        inputs = [os.path.join(FIXTURES, "good-sample.json"),
                  os.path.join(FIXTURES, "good-block.yaml"), archive]
        runs = [["summary", path] for path in inputs]
        # Notes of a log would be lines too.
        runs += [["summary", "--quiet", path]
                 for path in (os.path.join(FIXTURES, "good-sarif.sarif"), log)]
        runs.append(["rulesets", "--format", "yaml", inputs[0]])
        journal = os.path.join(folder, "journal")
        run(["apply", "--journal", journal, inputs[0],
             os.path.join(FIXTURES, "requests", "good-sample.json")])
        runs += [[*form, inputs[0]] for form in (["summary", "--format", "table"],
                                                 ["log", "--issue", "iss-0003", journal],
                                                 ["log", "--format", "json", journal])]
        later = os.path.join(folder, "later.json")
        with open(inputs[0], encoding="utf-8") as now, open(later, "w", encoding="utf-8") as file:
            file.write(now.read().replace("iss-0", "new-0"))
        runs += [["diff", "--quiet", "--format", form, inputs[0], later] for form in ("json", "md")]
        runs.append(["carry", "--quiet", "--at", "2026-01-01", "--old-journal", journal, "--requests",
                     os.path.join(folder, "carry.jsonl"), inputs[0], later])
        runs += [["list", "--quiet", *form, inputs[0]] for form in (
            ["--as", "table", "--where", "severity=medium..,info"],
            ["--as", "csv", "--journal", journal, "--where", "notes~(?i)[a-z]",
             "--or", "--where", "file_path=**/*.py"],
            ["--as", "json", "--count-by", "tags,severity"])]
        runs += [["decide", "--quiet", "--at", "2026-01-01", "--where", "severity=medium..",
                  "--dismiss", "wont_fix", "--expires", "2027-01-01", "--note", "x", *more, inputs[0]]
                 for more in ([], ["--dry-run"])]
        runs += [["gate", "--quiet", "--max", "critical=99", "--max", "high=99", inputs[0]],
                 ["validate", "--quiet", archive], ["verify", "--quiet", journal, inputs[0]],
                 ["schema", "issue"], ["completion", "bash"], ["help", "apply"]]
        runs.append(["report", "--sla", "high=3", "--to",
                     "html=" + os.path.join(folder, "report.html"), inputs[0]])
        # The id of a rule needs more room while it is made, and half of it is no JSON.
        rules = odd_runs.put(folder, "rules.json", json.dumps(
            [{"id": level, "category": "c" * 253, "severity": level} for level in ("high", "low")]))
        closely = ["report", "--quiet", "--to", "sarif=" + os.path.join(folder, "rules.sarif"), rules]
        runs.append(closely)
        partial = os.path.join(folder, "partial")
        run(["summary", "--partial", "-o", partial, inputs[1]])
        runs += [["summary", "--partial", "-o", partial + ".again", inputs[0]],
                 ["merge", "--quiet", partial]]
        # Two threads share a file that is long enough.
        large = os.path.join(folder, "large.json")
        with open(inputs[0], encoding="utf-8") as now, open(large, "w", encoding="utf-8") as file:
            for number, issue in enumerate(json.load(now)["issues"] * 1000):
                file.write(json.dumps({**issue, "id": f"i{number}"}) + "\n")
        runs += [[*form, "--quiet", "-j", "2", large] for form in (["gate", "--max", "total=99999"],
                                                                   ["summary"])]
        if ALL:
            runs += [*yaml_updates(folder), *packed_updates(folder)]
        for arguments in runs:
            for kind in KINDS:
                for sticky in (False, True):
                    title = " ".join([os.path.basename(arguments[-1]), arguments[0], kind,
                                      "from then on" if sticky else "once"])
                    reached, complaints, whole = sweep(arguments, kind, sticky, folder,
                                                       ALL or arguments is closely)
                    print(f"{title}: {reached} faults{'' if whole else ', more not tried'}")
                    for complaint in complaints[:5]:
                        print(f"  {complaint}")
                    if complaints:
                        failed += 1
                    else:
                        passed += 1
        steps = [*runs, *step_runs(folder), *odd_runs.runs(folder, run)] if ALL else []
        for arguments, inside in itertools.product(steps, (False, True)):
            if inside and arguments[0] not in UNPACKING:
                continue
            reached, complaints, whole = sweep_steps(arguments, folder, inside)
            print(f"{os.path.basename(arguments[-1])} {' '.join(arguments[:6])} step: {reached} "
                  f"faults{' inside' if inside else ''}{'' if whole else ', more not tried'}")
            for complaint in complaints[:5]:
                print(f"  {complaint}")
            failed += bool(complaints)
            passed += not complaints
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
