#!/usr/bin/python3
"""Change the program in small ways, and see whether its tests notice: mutate.py [COUNT [SEED]].

COUNT places (default 200) are drawn from a seed, a quarter from each of four modules: the scanner,
the engine, the journal, the filters. At each one a condition is turned round, an operator becomes
its neighbour, or a constant one more. All of them are built into one program, which LD_MUTANT tells
which is alive (mutant.h); what the compiler takes only without that, such as the size of an array,
is drawn again, and so is what lies within another place.

For each mutant the module's tests run, quick ones first, until one fails; one that takes ten times
as long as it does otherwise has failed. What they said is kept in BUILD/mutants/verdicts, and a run
with the same draw of the same sources goes on from there. Each survivor is printed as it was and as
it became; last line: "N noticed, M survived". Exit status 1 where fewer than nine in ten were
noticed.
Environment: BUILD, JOBS (how many mutants at once, default 1), MUTANT (one number: only that one).
"""

import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import clang.cindex
from clang.cindex import CursorKind

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "mutants"
COPIED = ("Makefile", "src", "include", "schemas", "fixtures", "tests", "README.md", ".ci")
FORCED = ROOT / "tests" / "mutation" / "mutant.h"
PARSED = ["-std=c11", "-D_GNU_SOURCE", f"-I{ROOT}/src", f"-I{ROOT}/include",
          "-include", str(FORCED), "-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
MEMORY = 6 << 30
NOTICED = 0.9


@dataclasses.dataclass
class Module:
    """Where places are drawn from, unless a later module has it; unit tests; other suites."""

    sources: tuple
    units: tuple
    suites: tuple


MODULES = {
    "scanner": Module(
        ("src/scan/*", "src/formats/*"),
        ("scan/*", "formats/*", "engine/test_lanes*"),
        ("diff/diff_jansson", "fuzz/fuzz_scan.replay", "fuzz/fuzz_reader.replay",
         "property/test_property.py", "sarif/test_sarif.py", "cli")),
    "engine": Module(
        ("src/engine/*",),
        ("engine/*", "ops/*"),
        ("fuzz/fuzz_request.replay", "property/test_property.py", "property/test_reports.py",
         "property/test_list.py", "cli")),
    "journal": Module(
        ("src/journal/*",),
        ("journal/*", "ops/*"),
        ("fuzz/fuzz_journal.replay", "journal/test_journal_shell.py", "audit/test_audit.py",
         "cli", "kill/test_kill.py")),
    "filters": Module(
        ("src/engine/filter.[ch]", "src/base/regex.[ch]", "src/base/glob.[ch]"),
        ("engine/test_filter", "base/test_glob", "base/test_regex"),
        ("fuzz/fuzz_filter.replay", "property/test_list.py", "cli")),
}

# What stands for what.
SWAPS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||",
         "||": "&&", "+": "-", "-": "+"}
CONDITIONS = (CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.CONDITIONAL_OPERATOR)


# --- Places ---------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Place:
    """A change of a file: its text from start to end may become another."""

    path: str
    start: int
    end: int
    text: str
    unit: str  # a source that the compiler sees it in

    def both(self, whole, number):
        """The place's text where it is mutant NUMBER."""
        return f"(rt_mutant == {number} ? ({self.text}) : ({whole[self.start:self.end]}))"

    def told(self):
        """The line as it was, and what becomes of the place in it."""
        whole = read(self.path)
        line = whole.count("\n", 0, self.start) + 1
        return f"{self.path}:{line}\n  - {whole[self.start:self.end]}\n  + {self.text}"


def read(path):
    """The text of a file; places are in bytes, which are characters here."""
    return (ROOT / path).read_text(encoding="latin-1")


def one_more(number):
    """A number's neighbour in its own spelling; None for what is no plain number."""
    match = re.fullmatch(r"(0[xX][0-9A-Fa-f]+|0|[1-9]\d*)([uUlL]*)", number)
    if not match:
        return {"true": "false", "false": "true"}.get(number)
    value = int(match[1], 0) + 1
    return (hex(value) if match[1][1:2] in ("x", "X") else str(value)) + match[2]


def other_text(cursor, whole):
    """What stands for an expression and where it is: (start, end, text), or None."""
    start, end = cursor.extent.start.offset, cursor.extent.end.offset
    text = whole[start:end]
    if cursor.kind == CursorKind.INTEGER_LITERAL:
        other = one_more(text)
        return (start, end, other) if other else None
    parts = list(cursor.get_children())
    if cursor.kind == CursorKind.BINARY_OPERATOR:
        left, right = parts[0].extent.end.offset, parts[1].extent.start.offset
        other = SWAPS.get(whole[left:right].strip())
        return (start, end, whole[start:left] + f" {other} " + whole[right:end]) if other else None
    if cursor.kind == CursorKind.UNARY_OPERATOR and text.startswith("!"):
        return start, end, "!" + text
    if cursor.kind in CONDITIONS and parts:
        start, end = parts[0].extent.start.offset, parts[0].extent.end.offset
        # Of comparisons the operators are changed.
        if parts[0].kind in (CursorKind.BINARY_OPERATOR, CursorKind.UNARY_OPERATOR):
            return None
        return start, end, f"!({whole[start:end]})"
    return None


def sources():
    """The files of each module."""
    files = {}
    for name, module in MODULES.items():
        own = {str(path.relative_to(ROOT)) for pattern in module.sources
               for path in ROOT.glob(pattern)}
        files = {other: paths - own for other, paths in files.items()} | {name: own}
    return files


def places(paths):
    """All places of a module's files, each once."""
    found = {}
    for unit in sorted(path for path in paths if path.endswith(".c")):
        for cursor in parse(unit).cursor.walk_preorder():
            file = cursor.location.file
            path = file and os.path.relpath(file.name, ROOT)
            if path not in paths:
                continue
            change = other_text(cursor, read(path))
            if change and change not in found.get(path, {}):
                found.setdefault(path, {})[change] = Place(path, *change, unit)
    return [place for path in sorted(found) for _, place in sorted(found[path].items())]


def parse(unit, path=None, text=None):
    """What clang makes of a source, where a file has another text."""
    unsaved = [(str(ROOT / path), text)] if path else None
    return clang.cindex.Index.create().parse(str(ROOT / unit), PARSED, unsaved)


def compiles(place):
    """Whether the compiler takes a place that may be either."""
    whole = read(place.path)
    text = whole[:place.start] + place.both(whole, 1) + whole[place.end:]
    return not any(said.severity >= clang.cindex.Diagnostic.Error
                   for said in parse(place.unit, place.path, text).diagnostics)


def draw(count, seed):
    """The mutants: pairs of a module's name and a place, mutant 1 first."""
    rng = random.Random(seed)
    drawn = []
    for name, paths in sources().items():
        candidates = places(paths)
        rng.shuffle(candidates)
        own = []
        for place in candidates:
            if len(own) == count // len(MODULES):
                break
            if not any(other.path == place.path and other.start < place.end and
                       place.start < other.end for other in own) and compiles(place):
                own.append(place)
        drawn += [(name, place) for place in own]
    return drawn


# --- The program with all of them -----------------------------------------------------------------

class Tree:
    """A copy of the tree that has all mutants in it, built."""

    def __init__(self, mutants):
        self.folder = BUILD / "tree"
        self.build = self.folder / "build"
        for name in COPIED:
            source = ROOT / name
            copy_file_or_folder(source, self.folder / name)
        shared = ROOT.parent / "shared"
        if shared.is_dir() and not (BUILD / "shared").exists():
            (BUILD / "shared").symlink_to(shared.resolve())
        for path in {place.path for _, place in mutants}:
            own = [(number, place) for number, (_, place) in enumerate(mutants, 1)
                   if place.path == path]
            text = whole = read(path)
            for number, place in sorted(own, key=lambda pair: -pair[1].start):
                text = text[:place.start] + place.both(whole, number) + text[place.end:]
            (self.folder / path).write_text(text, encoding="latin-1")
        subprocess.run(["make", "-s", f"BUILD={self.build}", f"-j{os.environ.get('JOBS', '1')}",
                        f"CFLAGS=-O1 -include {FORCED} -Wno-all -Wno-extra", "all",
                        f"{self.build}/tests/fault/fault.so", *self.programs()],
                       cwd=self.folder, check=True)
        self.seconds = {}

    def programs(self):
        """Test programs that make is to make."""
        suites = {suite for name in MODULES for suite in self.suites(name)}
        return sorted(str(self.build / "tests" / suite) for suite in suites
                      if suite != "cli" and not suite.endswith(".py"))

    def suites(self, name):
        """A module's suites, unit tests first."""
        tests = self.folder / "tests"
        units = [str(path.relative_to(tests).with_suffix("")) for pattern in MODULES[name].units
                 for path in sorted((tests / "unit").glob(pattern + ".c"))]
        return (*units, *MODULES[name].suites)

    def command(self, suite):
        """How a suite is run."""
        if suite == "cli":
            return ["sh", "tests/cli/run.sh"]
        if suite.endswith(".py"):
            return ["/usr/bin/python3", f"tests/{suite}"]
        program = str(self.build / "tests" / suite)
        return [program, "fixtures", "tests/fuzz/corpus"] if "replay" in suite else [program]

    def holds(self, suite, number, seconds):
        """Whether a suite passes, in time and with bounded memory, while a mutant is alive."""
        scratch = BUILD / "tmp" / str(number)
        scratch.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {
            "BUILD": str(self.build), "RETRIAGE": str(self.build / "retriage"),
            "LC_ALL": "C.UTF-8", "TMPDIR": str(scratch), "LD_MUTANT": str(number)}
        try:
            return run(self.command(suite), self.folder, seconds, environment)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def begin(self, names):
        """See that the tests hold while no mutant is alive, and how long they take."""
        for suite in sorted({suite for name in names for suite in self.suites(name)}):
            start = time.monotonic()
            if not self.holds(suite, 0, 600):
                raise RuntimeError(f"{suite}: does not hold without a mutant")
            self.seconds[suite] = time.monotonic() - start

    def judge(self, name, number):
        """The suite that notices a mutant; "" where none does."""
        units = [suite for suite in self.suites(name) if suite.startswith("unit/")]
        others = [suite for suite in self.suites(name) if suite not in units]
        for suite in (*sorted(units, key=self.seconds.get), *sorted(others, key=self.seconds.get)):
            if not self.holds(suite, number, 10 + 10 * self.seconds[suite]):
                return suite
        return ""


def copy_file_or_folder(source, target):
    """Copy what has changed, and take away what is there no more: the rest is built already."""
    files = [source] if source.is_file() else [path for path in source.rglob("*")
                                               if path.is_file()]
    copies = {target if source.is_file() else target / file.relative_to(source): file
              for file in files}
    for old in target.rglob("*"):
        if old.is_file() and old not in copies:
            old.unlink()
    for copy, file in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.is_file() or copy.read_bytes() != file.read_bytes():
            shutil.copy(file, copy)


def kill_all(group, mutant):
    """End a command's processes: its group, and those with groups of their own, as each test has."""
    said = f"LD_MUTANT={mutant}".encode()
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if said in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:  # it has ended, or is another user's
            pass


def run(command, folder, seconds, environment):
    """Whether a command ends well, in time and with bounded memory; nothing of it stays."""
    def begin():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, preexec_fn=begin) as process:
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            kill_all(process.pid, environment["LD_MUTANT"])


# --- All together ---------------------------------------------------------------------------------

class Verdicts:
    """What was said of each mutant, in a file that a later run goes on from."""

    def __init__(self, mutants):
        told = "".join(f"{name} {place}\n" for name, place in mutants)
        whole = "".join(read(path) for path in sorted({place.path for _, place in mutants}))
        self.path = BUILD / "verdicts"
        self.head = hashlib.sha256((told + whole).encode()).hexdigest()
        lines = self.path.read_text().splitlines() if self.path.is_file() else []
        self.known = {}
        if lines[:1] == [self.head]:
            self.known = {int(line.split()[0]): line.split()[1] for line in lines[1:]}
        else:
            self.path.write_text(self.head + "\n")

    def add(self, number, suite):
        """Keep one."""
        self.known[number] = suite or "-"
        with self.path.open("a") as file:
            file.write(f"{number} {suite or '-'}\n")


def judge_all(tree, mutants, verdicts, jobs):
    """Judge those that nothing is known of."""
    def judge(number):
        name, place = mutants[number - 1]
        suite = tree.judge(name, number)
        verdicts.add(number, suite)
        print(f"{number}: {suite or 'SURVIVED'}: {place.told()}", flush=True)

    left = [number for number in range(1, len(mutants) + 1) if number not in verdicts.known]
    tree.begin({mutants[number - 1][0] for number in left})
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(judge, left))


def main(arguments):
    """Run; returns the exit status."""
    count = int(arguments[0]) if arguments else 200
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    BUILD.mkdir(parents=True, exist_ok=True)
    mutants = draw(count, seed)
    print(f"{len(mutants)} mutants drawn from seed {seed}", flush=True)
    tree = Tree(mutants)
    verdicts = Verdicts(mutants)
    if "MUTANT" in os.environ:
        number = int(os.environ["MUTANT"])
        verdicts.known = {other: "-" for other in range(1, len(mutants) + 1) if other != number}
        judge_all(tree, mutants, verdicts, 1)
        return 0
    judge_all(tree, mutants, verdicts, int(os.environ.get("JOBS", "1")))
    survived = [number for number in verdicts.known if verdicts.known[number] == "-"]
    for number in sorted(survived):
        print(f"survived: {number}: {mutants[number - 1][1].told()}")
    for name in MODULES:
        own = [number for number, mutant in enumerate(mutants, 1) if mutant[0] == name]
        good = sum(number not in survived for number in own)
        print(f"{name}: {good} of {len(own)} noticed")
    print(f"{len(mutants) - len(survived)} noticed, {len(survived)} survived")
    return 0 if len(survived) <= (1 - NOTICED) * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
