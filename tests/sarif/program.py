"""The program under test, and what it answers to a log, held against the plain converter.

Environment: RETRIAGE or BUILD; SARIF_PLAIN=1 puts the converter in the program's place, which
shows that the tables of cases and the converter agree.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "sarif"))

import convert

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
REAL = TOP.parent / "shared" / "real"
PLAIN = os.environ.get("SARIF_PLAIN") == "1"
# A log, its logs in an archive or directory, places: whatever a line on standard error begins with.
NOTE = re.compile(rb"retriage: note: (?P<path>[^\n]*?): (?P<text>[0-9]+ [^\n]*)")
CALM = re.compile(rb"retriage: ((note: )?[^\n]*not read: |[0-9]+ issues? ha(s|ve) a severity that "
                  rb"is no level: |note: [^\n]*: no runs: )[^\n]*")


class Wrong(AssertionError):
    """What does not hold."""


def run(*arguments, stdin=b""):
    """Run the program; returns (status, standard output, standard error)."""
    done = subprocess.run([RETRIAGE, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def answer(*arguments, stdin=b""):
    """The standard output of a command that has to succeed."""
    status, out, err = run(*arguments, stdin=stdin)
    if status:
        raise Wrong(f"exit {status}: {' '.join(map(str, arguments))}\n{err.decode()}")
    return out


def parse(out):
    """An answer as a tree whose numbers keep their text."""
    return convert.parse(out)


def listed(out):
    """The issues of `list --as json`."""
    issues = parse(out)
    for issue in issues:
        if list(issue) != convert.MEMBERS:
            raise Wrong(f"members {list(issue)}")
    return issues


def issues_of(*operands, stdin=b""):
    """All issues of a data set, as the program lists them."""
    status, out, err = run("list", "--as", "json", "--quiet", *operands, stdin=stdin)
    # The status 1 says that nothing was picked.
    if status not in (0, 1) or err:
        raise Wrong(f"exit {status}: {operands}\n{err.decode()}")
    return listed(out)


def difference(have, want):
    """What differs between two lists of issues, or None."""
    for number, (one, other) in enumerate(zip(have, want)):
        for name in convert.MEMBERS:
            if one[name] != other[name] or type(one[name]) is not type(other[name]):
                return (f"issue {number} ({other['id']}): {name}: have {one[name]!r}, "
                        f"want {other[name]!r}")
    if len(have) != len(want):
        return f"{len(have)} issues, want {len(want)}"
    return None


def notes_of(err):
    """The notes on standard error, which has nothing else."""
    found = []
    for line in err.splitlines():
        note = NOTE.fullmatch(line)
        if CALM.fullmatch(line):
            continue
        if not note:
            raise Wrong(f"standard error {line.decode()}")
        found.append(note["text"].decode())
    return found


def refusal(status, out, err):
    """Check the form of a refusal; returns its line."""
    text = err.decode()
    lines = [line for line in text.splitlines() if not line.startswith("retriage: note: ")]
    if status != 2 or out or len(lines) != 1 or not lines[0].startswith("retriage: "):
        raise Wrong(f"exit {status}, {len(out)} bytes of answer, want a refusal of one line\n{text}")
    if re.search("[^\t\n -~\u00a0-\U0010ffff]", text):
        raise Wrong(f"control bytes in {text!r}")
    return lines[0]


def check_file(path, data, accept=False):
    """The program makes of a file what the converter does; returns the Log, or the Refused."""
    options = ["--failed-runs", "accept"] if accept else []
    try:
        want = convert.convert(data, accept)
    except convert.Refused as error:
        line = refusal(*run("summary", *options, path))
        if not line.startswith(f"retriage: {path}"):
            raise Wrong(f"no place in {line}") from None
        return error
    status, out, err = run("list", "--as", "json", *options, path)
    if status not in (0, 1) or status == 1 and want.issues:
        raise Wrong(f"exit {status}, want {len(want.issues)} issues\n{err.decode()}")
    fault = difference(listed(out), want.issues)
    if fault:
        raise Wrong(fault)
    check_notes(notes_of(err), want.notes)
    return want


def check_notes(have, wanted):
    """The notes of a log: one of each kind, with the number of all its runs."""
    notes = {}
    for run in wanted:
        for name, count in run.items():
            notes[name] = notes.get(name, 0) + count
    if len(have) != lines_of_notes(notes):
        raise Wrong(f"notes {have}, want {notes}")
    for name, count in notes.items():
        if not any(re.search(rf"(?<![0-9]){count}(?![0-9])", line) or
                   name in LEFT_OUT and name in line for line in have):
            raise Wrong(f"notes {have}, want {name} {count}")


# Results left out are told in one line (S9).
LEFT_OUT = {"pass", "notApplicable", "absent"}


def lines_of_notes(notes):
    """How many lines these notes are."""
    return len(set(notes) - LEFT_OUT) + bool(set(notes) & LEFT_OUT)
