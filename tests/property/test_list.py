"""Random exports and filters: what `list` picks and counts is what a model picks and counts.

Each round makes an export, now and then a journal, and filters whose values are taken from the
export or lie right beside them. Compared are `list --as ids`, `--as count`, `--count-by`, and
`summary` and `gate` of the same state, by one thread or several; requests that `list` makes are
applied.

Environment: RETRIAGE or BUILD; PROPERTY_SEED (default 1), PROPERTY_ROUNDS, PROPERTY_FIRST (the
round to start with). A failure prints how to run its round again, and keeps its folder.
SANITIZE as for make.
"""
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "property"), str(TOP / "tests" / "schema")]

import filter_model
import generate
import model
from schema_set import Number, read_json

BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("PROPERTY_SEED", "1")
# Under sanitizers some have to do, for all of them run without.
ROUNDS = int(os.environ.get("PROPERTY_ROUNDS", "8" if os.environ.get("SANITIZE") else "40"))
FIRST = int(os.environ.get("PROPERTY_FIRST", "0"))
FILTERS = 3
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

# 2026-01-31T12:00:00Z
AT, PRESENT = "2026-01-31T12:00:00Z", 1769860800
FIELDS = model.MEMBERS + ["notes", "age"]
COUNTABLE = """scan_id file_path category severity cwe_ids owasp_category tags model_used
false_positive exploitable repo_name""".split()

INSTANTS = generate.INSTANTS + [
    "2026-01-01", "2026-01-01T12:00:00Z", "2026-01-01T11:59:59.999Z", "2026-01-01T12:00:00.0001Z",
    "2025-12-31T23:59:59.9Z", "2026-01-01T00:00:00+00:01", "2026-01-01 00:00", "2026-02-30",
    "2026-01-01T24:00:00Z", "2026-01-01T00:00-23:59", "2026-01-01T00:00:00.10", "1969-12-31",
    "2026-01-31T12:00:00.5Z", "9999-12-31T23:59:59Z", "2026-1-1", "2026-01-01T1:00"]
NUMBERS = generate.NUMBERS + ["9007199254740993", "9007199254740992", "0", "-0", "1e400", "1e-400",
                              "98e-1", "0.98E1", "1e99999999999999999999", "7.000", "-1.5"]
INTEGERS = generate.INTEGERS + ["9007199254740993", "9007199254740992", "-0", "10", "9"]
WEAKNESSES = ["CWE-79", "cwe-079", "CWE-79: Cross-site", "external/cwe/cwe-079", "79", "CWE-80", "",
              "CWE-", "xcwe-79", "NVD-CWE-Other", "CWE-790", "cwe_7", "CWE 22 and CWE-79"]
PATHS = ["vendor/a.c", "src/vendor/a.c", "vendor", "a.c", "src/a.c", "src/b/a.c", "Src/a.c", "a*c",
         "[a].c", "src/\u00e4.c", "../a.c", "a/../b", "a\\b.c", "", "a,b.c", "vendor/"]
GLOBS = ["vendor/**", "**/a.c", "*.c", "**", "*", "src/*", "s?c/a.c", "**/vendor/**", "[a-s]*.c",
         "[!a]*", "\\[a].c", "src/**/a.c", "a\\*c", "**.c", "?", "../*", "*,*".replace(",", "\\,")]
PATTERNS = ["", "a", "^a", "a$", "(?i)SQL", "[\u00e4\u00e9]", "^$", "\\d+", "two.lines", "(?s)two.lines",
            "^.{2,5}$", "x{300}", "a|b", "[^ -~]", "\\\\", "cwe-0*79", "^20(24|26)", "\\."]


def richer(rng, name, plain=generate.member):
    """A value for a member, with more of what filters stumble over."""
    if rng.random() < 0.3:
        return plain(rng, name)
    if name in ("line_number", "column_start", "column_end"):
        return Number(rng.choice(INTEGERS))
    if name in ("confidence", "cvss_score"):
        return Number(rng.choice(NUMBERS))
    if name == "cwe_ids":
        return [rng.choice(WEAKNESSES) for _ in range(rng.randrange(4))]
    if name == "file_path":
        return rng.choice(PATHS)
    if name.endswith("_at"):
        return rng.choice(INSTANTS)
    return plain(rng, name)


generate.member = richer


class Wrong(Exception):
    """What does not hold."""


def need(right, what):
    """Fail the round unless right."""
    if not right:
        raise Wrong(what)


def run(*arguments, statuses=(0,)):
    """Run the program; returns its standard output."""
    done = subprocess.run([RETRIAGE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    need(done.returncode in statuses,
         f"exit {done.returncode}: {' '.join(map(repr, arguments))}\n{done.stderr}")
    return done.stdout


# --- Filters ------------------------------------------------------------------------------------


def quoted(text):
    """A text as an item that means just that."""
    for sign in "\\,*?[":
        text = text.replace(sign, "\\" + sign)
    return text.replace("..", "\\.\\.")


def sample(rng, field, issues):
    """A text that some issue has in a field, or one that none may have."""
    have = [value for issue in issues for value in filter_model.values_of(field, issue, PRESENT)]
    if have and rng.random() < 0.7:
        return rng.choice(have)
    return {"severity": rng.choice(filter_model.LEVELS + ["High", "none"]),
            "age": str(rng.choice([0, 1, 29, 30, 31, 365, 700])),
            "cwe_ids": rng.choice(WEAKNESSES), "file_path": rng.choice(PATHS)}.get(
                field, rng.choice(NUMBERS if field in filter_model.NUMBERS else
                                  INSTANTS if field in filter_model.DATES else generate.WORDS))


def usable(field, text, in_range):
    """Whether the program takes a text as a value, or as an end of a range."""
    if "\0" in text or (in_range and not text):
        return False
    if field in filter_model.NUMBERS:
        return abs(filter_model.number(text)[1]) < 10 ** 9
    if field in filter_model.DATES:
        return filter_model.instant(text) is not None or (text == "" and not in_range)
    if field in ("severity", "cwe_ids") and in_range:
        return filter_model.key_of(field, text, PRESENT) is not None
    return True


def end_key(field, text, low):
    """What the ends of a range are ordered by."""
    if field in filter_model.DATES:
        return filter_model.ends_of(text, PRESENT)[0 if low else 1]
    return filter_model.key_of(field, text, PRESENT)


def make_range(rng, field, issues):
    """A range whose ends stand the right way round, as (kind, FROM, TO), or None."""
    ends = []
    for low in (True, False):
        text = sample(rng, field, issues)
        if field in filter_model.DATES and rng.random() < 0.3:
            text = f"-{rng.choice([0, 1, 30, 31, 800])}d"
        elif not usable(field, text, True):
            return None
        ends.append(text)
    if rng.random() < 0.5:
        ends[rng.randrange(2)] = None
    if all(ends) and end_key(field, ends[0], True) > end_key(field, ends[1], False):
        ends.reverse()
        if end_key(field, ends[0], True) > end_key(field, ends[1], False):
            return None
    return ("range", *ends)


def make_item(rng, field, issues):
    """An item, or None."""
    if field == "file_path" and rng.random() < 0.5:
        return ("glob", rng.choice(GLOBS))
    if field not in filter_model.FLAGS and rng.random() < 0.5:
        return make_range(rng, field, issues)
    text = rng.choice(["true", "false"]) if field in filter_model.FLAGS else sample(rng, field, issues)
    return ("value", text) if usable(field, text, False) else None


def spell_item(item):
    """An item as the command line has it."""
    if item[0] == "glob":
        return item[1]
    if item[0] == "value":
        return quoted(item[1])
    end = quoted(item[2] or "")
    # Two dots and a slash are a folder in a path.
    return f"{quoted(item[1] or '')}..{chr(92) if end.startswith('/') else ''}{end}"


def make_term(rng, issues):
    """A term, and its text."""
    field = rng.choice(FIELDS)
    kind = rng.random()
    if kind < 0.15:
        return (field, "", None), field
    textual = field not in filter_model.NUMBERS | filter_model.FLAGS | {"age"}
    if kind < 0.35 and textual:
        pattern = rng.choice(PATTERNS)
        return (field, "~", pattern), f"{field}~{pattern}"
    items = [item for item in (make_item(rng, field, issues) for _ in range(rng.randrange(1, 4)))
             if item]
    if not items:
        return make_term(rng, issues)
    return (field, "=", items), f"{field}={','.join(map(spell_item, items))}"


def make_filter(rng, issues):
    """Groups of (negated, term), and the options that say the same."""
    groups, options = [], []
    for number in range(rng.choice([0, 1, 1, 1, 2, 3])):
        if number:
            options.append("--or")
        group = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            term, text = make_term(rng, issues)
            negated = rng.random() < 0.3
            group.append((negated, term))
            options += ["--not" if negated else "--where", text]
        groups.append(group)
    return groups, options


# --- Rounds -------------------------------------------------------------------------------------


def is_false_positive(issue):
    """What a missing flag counts as (D7)."""
    return bool(issue.get("false_positive"))


def count_values(field, issue):
    """The values that an issue counts under: each once, None where there is none."""
    value = issue.get(field)
    if field == "false_positive":
        return [bool(value)]
    if field in filter_model.LISTS:
        return sorted(set(value or [])) or [None]
    return [value]


def in_order(members, expected, opened):
    """Keys of counts: the most open issues first, then the most; severities by rank; null last."""
    groups = collections.Counter()
    for (first, _), count in expected.items():
        groups[first, "all"] += count
    for (first, _), count in opened.items():
        groups[first, "open"] += count

    def rank(member, value, counts):
        if value is None:
            return (True,)
        text = json.dumps(value) if isinstance(value, bool) else value
        if member == "severity":
            counts = filter_model.LEVELS.index(value) if value in filter_model.LEVELS else -1,
        return False, *(-count for count in counts), text.encode()

    return sorted(expected, key=lambda key: (
        rank(members[0], key[0], (groups[key[0], "open"], groups[key[0], "all"])),
        rank(members[-1], key[1], (opened[key], expected[key]))))


class Round:
    """One export, in a state, and questions about it."""

    def __init__(self, number, folder):
        self.rng = random.Random(f"list {SEED} {number}")
        self.folder = folder
        # Of small exports, those in several files are what several threads read.
        self.threads = number % 3 + 1
        export = generate.Export(self.rng, container="/" if number % 4 == 1 else None)
        self.path = folder / ("export" + ("" if export.container == "/" else export.suffix))
        export.write(self.path)
        self.records = export.records
        self.state = []
        if self.rng.random() < 0.4:
            self.add_journal()
        self.issues = [one for one in self.records if "rules_text" not in one]

    def add_journal(self):
        """Decide something, so that the state is another than the export's."""
        ids = [one["id"] for one in self.records if "rules_text" not in one]
        requests = [generate.request(self.rng, ids) for _ in range(self.rng.randrange(1, 4))]
        operands = generate.write_requests(self.rng, requests, self.folder / "requests")
        journal = self.folder / "journal"
        run("apply", "--quiet", "--at", "2026-01-01T00:00:00Z", "--journal", journal, self.path,
            *operands)
        self.records, _ = model.run(self.records, requests,
                                    ["2026-01-01T00:00:00Z"] * len(requests))
        self.state = ["--journal", journal]

    def list(self, *options, statuses=(0,)):
        """The output of one `list`."""
        return run("list", "--quiet", "--at", AT, "-j", self.threads, *self.state, *options,
                   self.path, statuses=statuses)

    def decide(self, *options):
        """The ids that one `decide` names, in requests or in the entries of a copied journal."""
        journal = self.folder / "decided"
        known = 0
        if self.state:
            shutil.copyfile(self.state[1], journal)
            known = len(journal.read_bytes().splitlines())
        output = run("decide", "--quiet", "--at", AT, "--all", *options,
                     *(["--journal", journal] if self.state else []), self.path, statuses=(0, 1))
        requests = [json.loads(line)["request"]
                    for line in journal.read_bytes().splitlines()[known:]] if self.state else [
                        json.loads(line) for line in output.splitlines()]
        return [name for one in requests for name in one["issue_ids"]]

    def check_filter(self):
        """One filter: ids, count, and counts by values."""
        groups, options = make_filter(self.rng, self.issues)
        while filter_model.misspelt(groups, self.issues):
            self.list("--as", "ids", *options, statuses=(2,))
            run("gate", "--quiet", "--at", AT, "-j", self.threads, "--max", "total=9", *self.state,
                *options, self.path, statuses=(2,))
            groups, options = make_filter(self.rng, self.issues)
        want = [one for one in self.issues if filter_model.picks(groups, one, PRESENT)]
        text = self.list("--as", "ids", *options, statuses=(0,) if want else (1,)).decode()
        have = [json.loads(line) for line in text.splitlines()]
        need(have == [one["id"] for one in want],
             f"{options}:\nhave {have}\nwant {[one['id'] for one in want]}")
        self.check_count(options, want)
        return options, want, [one for one in self.issues
                               if filter_model.picks(groups, one, PRESENT, gate=True)]

    def check_count(self, options, want):
        """The counts of what was picked."""
        members = self.rng.sample(COUNTABLE, self.rng.choice([1, 1, 2]))
        counts = json.loads(self.list("--as", "count", "--count-by", ",".join(members), *options))
        open_ones = sum(not is_false_positive(one) for one in want)
        totals = [counts[name] for name in ("total_issues", "selected", "open", "false_positives")]
        need(totals == [len(self.issues), len(want), open_ones, len(want) - open_ones],
             f"{options}: {totals}")
        expected = collections.Counter()
        opened = collections.Counter()
        for one in want:
            for first in count_values(members[0], one):
                for second in count_values(members[1], one) if len(members) > 1 else [None]:
                    expected[first, second] += 1
                    opened[first, second] += not is_false_positive(one)
        have = {(row[members[0]], row[members[-1]] if len(members) > 1 else None):
                (row["all"], row["open"]) for row in counts["counts"]}
        need(have == {key: (expected[key], opened[key]) for key in expected} and
             len(have) == len(counts["counts"]), f"{options} by {members}: {counts['counts']}")
        need(list(have) == in_order(members, expected, opened),
             f"{options} by {members}: order of {counts['counts']}")

    def check_summary(self):
        """`summary` counts what `list` counts."""
        summary = json.loads(run("summary", "--quiet", "-j", self.threads, *self.state, self.path))
        for name, member in (("issues_by_severity", "severity"), ("issues_by_category", "category")):
            counts = json.loads(self.list("--count-by", member, "--as", "json"))
            have = collections.Counter()
            for row in counts["counts"]:
                have["unknown" if row[member] is None else row[member]] += row["all"]
            need(have == {key: count for key, count in summary[name].items() if count},
                 f"{name}: {summary[name]}, list {have}")
            need((counts["selected"], counts["false_positives"]) ==
                 (summary["total_issues"], summary["false_positive_count"]), "totals")

    def check_gate(self, options, want):
        """`gate` counts what the filter picks, and names issues of it alone."""
        false = sum(map(is_false_positive, want))
        most = self.rng.randrange(len(want) + 1)
        output = run("gate", "--quiet", "--format", "json", "--at", AT, "-j", self.threads,
                     "--max", f"total={most}", "--at-least", 1, *self.state, *options, self.path,
                     statuses=(0, 1))
        verdict = json.loads(output)
        total, some = verdict["conditions"]
        need((verdict["open"], verdict["false_positives"]) == (len(want) - false, false),
             f"{options}: gate: {verdict}")
        need(total["found"] == verdict["open"] and
             total["pass"] == (total["found"] <= most) and
             len(total["issues"]) == (0 if total["pass"] else min(5, total["found"])) and
             set(total["issues"]) <= {one["id"] for one in want}, f"{options}: gate: {total}")
        need((some["found"], some["pass"]) == (len(want), bool(want)), f"{options}: gate: {some}")
        need(verdict["verdict"] == ("pass" if total["pass"] and some["pass"] else "fail"),
             f"{options}: gate: {verdict}")

    def check_forms(self, options, want):
        """JSON has the same issues; records are a data set of them; requests decide them."""
        listed = [read_json(line) for line in
                  self.list("--as", "json", "--compact", *options).decode().splitlines()]
        need(listed == [[model.response(one) for one in want]], f"{options}: json")
        records = self.list("--as", "records", *options, statuses=(0, 1))
        lines = [read_json(line) for line in records.decode().split("\n") if line]
        need(lines == want, f"{options}: records\nhave {lines}\nwant {want}")
        ids = self.decide("--severity", "low", *options)
        need(ids == [one["id"] for one in want if one.get("severity") != "low"],
             f"{options}: requests")

    def check(self):
        """All of it."""
        for _ in range(FILTERS):
            options, want, gated = self.check_filter()
            self.check_gate(options, gated)
        self.check_forms(options, want)
        self.check_summary()


def main():
    """Run all rounds; returns the exit status."""
    for number in range(FIRST, FIRST + ROUNDS):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-list-", dir=MEMORY))
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
