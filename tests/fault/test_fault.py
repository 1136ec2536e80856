"""Makes every allocation, read, write, open, mapping and fork of a run fail once, and from then on.

A run whose fault was reached either gives the right answer all the same, or says one line on
standard error, nothing on standard output, and exits with 3 (2 where the decoder's own process
gave up). It never crashes and never gives half an answer.

Under AddressSanitizer the allocations of our own code fail (wrap.c), and nothing may leak.

Environment: FAULT_ALL=1 (`make check-faults`) makes every call fail, instead of the first ones and a
sample, however long that takes.
"""
import gzip
import os
import subprocess
import sys
import tarfile
import tempfile
import time

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
DENSE = 1 if SANITIZED else 40  # every call up to this one fails, then every STRIDE-th
STRIDE = 11 if SANITIZED else 7
SECONDS = 3600.0 if ALL else 8.0  # for one kind on one input; what is left out is said


def run(arguments, kind=None, at=0, sticky=False, log=None):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    if kind:
        env.update(LD_FAULT_KIND=kind, LD_FAULT_AT=str(at), LD_FAULT_LOG=log)
        if not SANITIZED:
            env["LD_PRELOAD"] = INJECTOR
        if sticky:
            env["LD_FAULT_ON"] = "1"
    done = subprocess.run([RETRIAGE, *arguments], env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def judge(result, expected, kind):
    """What is wrong with the result of a run with a fault, or None."""
    status, out, err = result
    if (status, out) == (0, expected):
        return None
    # A decoder that gave up is a fault of the file, and `validate` tells it as one.
    if status == 1 and out.startswith(b'{"valid":false') and b'"fault_count":1,' in out:
        return None
    if status not in (2, 3):
        return f"exit {status}"
    # Part of an answer may have left when a write or the closing of standard output fails.
    if out and kind != "write":
        return f"exit {status} with {len(out)} bytes of answer"
    if err.count(b"\n") != 1 or not err.startswith(b"retriage: "):
        return f"exit {status}, standard error {err[:200]!r}"
    return None


def sweep(arguments, kind, sticky, folder):
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
        at += 1 if ALL or at < DENSE else STRIDE
    return reached, complaints, False


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
        runs += [["list", "--quiet", *form, inputs[0]] for form in (
            ["--as", "table", "--where", "severity=medium..,info"],
            ["--as", "csv", "--journal", journal, "--where", "notes~(?i)[a-z]",
             "--or", "--where", "file_path=**/*.py"],
            ["--as", "json", "--count-by", "tags,severity"],
            ["--set", "severity=low", "--note", "x", "--skip-unchanged"])]
        runs += [["gate", "--quiet", "--max", "critical=99", "--max", "high=99", inputs[0]],
                 ["validate", "--quiet", archive], ["verify", "--quiet", journal, inputs[0]],
                 ["schema", "issue"], ["completion", "bash"], ["help", "apply"]]
        runs.append(["report", "--sla", "high=3", "--to",
                     "html=" + os.path.join(folder, "report.html"), inputs[0]])
        partial = os.path.join(folder, "partial")
        run(["summary", "--partial", "-o", partial, inputs[1]])
        runs += [["summary", "--partial", "-o", partial + ".again", inputs[0]],
                 ["merge", "--quiet", partial]]
        for arguments in runs:
            for kind in KINDS:
                for sticky in (False, True):
                    title = " ".join([os.path.basename(arguments[-1]), arguments[0], kind,
                                      "from then on" if sticky else "once"])
                    reached, complaints, whole = sweep(arguments, kind, sticky, folder)
                    print(f"{title}: {reached} faults{'' if whole else ', more not tried'}")
                    for complaint in complaints[:5]:
                        print(f"  {complaint}")
                    if complaints:
                        failed += 1
                    else:
                        passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
