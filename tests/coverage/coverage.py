#!/usr/bin/python3
"""Count the branches of src that tests have taken: coverage.py PROFILES OUT PROGRAM...

A branch is a way that a condition can go: each operand of && and || has two. PROFILES is the folder
that a build with COVERAGE leaves; the PROGRAMs have all of src between them. What is compiled
several times, as what headers and .inc files have, is taken when it is in one of them.

Prints a table by folder, and writes every branch not taken to OUT, with its line. Exit status 1
where fewer than WANTED of a hundred branches are taken.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WANTED = 93.0


def export(profiles, out, programs):
    """What llvm-cov knows of all functions."""
    merged = out.with_suffix(".profdata")
    subprocess.run(["llvm-profdata", "merge", "-o", merged, *sorted(profiles.glob("*.profraw"))],
                   check=True)
    objects = [word for program in programs[1:] for word in ("-object", program)]
    text = subprocess.run(["llvm-cov", "export", "-instr-profile", merged, programs[0], *objects],
                          check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)["data"][0]


class Counts:
    """How often each way of each condition, and each line, was taken."""

    def __init__(self):
        self.ways = collections.Counter()  # (file, line, column, way): count
        self.functions = {}  # (file, line, column): its function, as "file:name"
        self.lines = {}  # (file, line): count

    def add(self, function):
        """Add one instance of a function."""
        files = [self.name(path) for path in function["filenames"]]
        if not files[0].startswith("src/"):
            return
        name = f"{files[0]}:{function['name'].split(':')[-1]}"
        for line, column, _, _, true, false, file, *_ in function["branches"]:
            place = (files[file], line, column)
            self.functions.setdefault(place, name)
            self.ways[*place, "true"] += true
            self.ways[*place, "false"] += false
        self.add_lines(function, files[0])

    def add_lines(self, function, file):
        """Lines of code, each with the count of the innermost region around it."""
        inner = {}
        # Regions begin with the function; each one lies within those before it, or after them.
        for first, _, last, _, count, where, _, kind in function["regions"]:
            if where == 0 and kind == 0:
                inner.update((line, count) for line in range(first, last + 1))
        for line, count in inner.items():
            self.lines[file, line] = self.lines.get((file, line), 0) + count

    @staticmethod
    def name(path):
        """A file's path in the tree."""
        return str(pathlib.Path(path).relative_to(ROOT)) if path.startswith(str(ROOT)) else path


def folder(file):
    """Where a file is counted."""
    return str(pathlib.Path(file).parent)


def percent(part, whole):
    """In a table's form."""
    return f"{100 * part / whole:6.2f} %" if whole else "      - "


def print_table(counts):
    """Lines and branches by folder; returns the share of all branches that is taken."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (file, _), count in counts.lines.items():
        for name in (folder(file), "all"):
            rows[name][0] += count > 0
            rows[name][1] += 1
    for (file, *_), count in counts.ways.items():
        for name in (folder(file), "all"):
            rows[name][2] += count > 0
            rows[name][3] += 1
    print(f"{'folder':<14} {'lines':>7} {'':>8} {'branches':>9} {'':>8} {'not taken':>10}")
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        lines, of_lines, ways, of_ways = rows[name]
        print(f"{name:<14} {of_lines:>7} {percent(lines, of_lines)} {of_ways:>9} "
              f"{percent(ways, of_ways)} {of_ways - ways:>10}")
    _, _, ways, of_ways = rows["all"]
    return 100 * ways / of_ways


def list_gaps(counts, out):
    """Write down each branch not taken."""
    texts = {}
    with out.open("w", encoding="utf-8") as file:
        for path, line, column, way in sorted(place for place in counts.ways
                                              if not counts.ways[place]):
            function = counts.functions[path, line, column].split(":")[1]
            if path not in texts:
                texts[path] = (ROOT / path).read_text(encoding="utf-8").splitlines()
            code = texts[path][line - 1].strip()
            file.write(f"{path}:{line}:{column}: {function}: never {way}: {code}\n")


def main(arguments):
    """Run; returns the exit status."""
    profiles, out, *programs = map(pathlib.Path, arguments)
    counts = Counts()
    for function in export(profiles, out, programs)["functions"]:
        counts.add(function)
    taken = print_table(counts)
    list_gaps(counts, out)
    print(f"coverage: {taken:.2f} % of branches; {out} has those that are not taken")
    return 0 if taken >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
