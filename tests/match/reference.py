"""What the matcher does, written to be read: `diff` gives the same pairs (test_reference.py, truth.py).

match(old, new) takes two lists of findings as load() makes them and returns {old index: (new index, by)}
and the ambiguous groups. Findings of one file are aligned as a text comparison aligns lines: first by
what names a finding in every scan, then by message with code and the lines around, by message with code,
by message with columns; what is certain cuts a file into stretches, in which the rest is looked for.
"""
import bisect
import collections
import json
import re

ROUNDS = 8
PARTS = 6                  # components of a path that are compared, from its end
LONG_CODE, LONG_CONTEXT = 12, 40
PLACES = 50                # a value at a tenth of so many places is none
FILES = 64                 # a key in more files than this finds no renamed one
WORD = r"[0-9A-Za-z_\x80-\U0010ffff]"

# --- What counts of a text ----------------------------------------------------------------------

IDENTIFIER = re.compile(
    rf"(?<!{WORD})(?:CVE-[0-9]{{4}}-[0-9]{{4,}}|GHSA(?:-[0-9a-z]{{4}}){{3}}"
    r"|(?:RUSTSEC|PYSEC|GO|OSV|MAL|GMS|HSEC|BIT|CGA)-[0-9]{4}-[0-9]+"
    r"|(?:RHSA|RHBA|RHEA|ALSA|ELSA|ALAS|ALAS2)-[0-9]{4}[:-][0-9]+"
    rf")(?!{WORD})"
    rf"|(?<!{WORD})(?:(?:DSA|DLA|USN|GLSA|TEMP|XRAY|AVD|NSWG|VULNDB|SONATYPE)-[0-9]|SNYK-[0-9A-Za-z_])[0-9A-Za-z_-]*",
    re.I | re.A)
NUMBERED = ("advisory", "advisories", "vulnerability", "vulnerabilities", "cve", "cwe", "ghsa", "bug", "issue", "ticket",
            "id", "nr", "no", "no.", "number")
NUMBER_OF = re.compile(rf"(?<!{WORD})(?:(?:{'|'.join(map(re.escape, NUMBERED))})[ :#=]{{1,3}}|#)([0-9]+)(?!{WORD})", re.I | re.A)
WORD_NUMBER = re.compile(rf"(?<!{WORD})(?<!{WORD}[-._])[0-9]+(?!{WORD})(?![-._]{WORD})")
DASHED = re.compile(r"[0-9A-Za-z_\x80-\U0010ffff-]+")
REDACTED = re.compile(r"[^0-9a-z]*(?:redacted|requireslogin|hidden|masked|secret|removed)[^0-9a-z]*"
                      r"|([*x#.•…?-])\1{2,}", re.I)
MASKED = re.compile(r"[=:\"'`@](?:\*{4,}|<?redacted>?)[\"']?[;,)]*\Z", re.I | re.A)


def identifiers(*texts):
    """CVE-2021-44228 and its like."""
    return {found.upper() for text in texts for found in IDENTIFIER.findall(text or "")}


def fold_numbers(text):
    """Numbers that are words of their own become 0; those that name something stay."""
    named = {m.start(1) for m in NUMBER_OF.finditer(text)}
    return WORD_NUMBER.sub(lambda m: m[0] if m.start() in named else "0", text)


def fold_digits(text):
    """All digits become 0, but those behind a dash in a word that has a letter before it."""
    named = {m.start(1) for m in NUMBER_OF.finditer(text)}
    out, dashed, letter, at = [], False, False, 0
    while at < len(text):
        char = text[at]
        if not DASHED.match(char):
            dashed = letter = False
        letter |= char.isascii() and char.isalpha()
        dashed |= letter and char == "-"
        end = at + 1
        if char in "0123456789":
            while end < len(text) and text[end] in "0123456789":
                end += 1
        kept = char not in "0123456789" or dashed or at in named
        out.append(text[at:end] if kept else "0")
        at = end
    return "".join(out)


def numbers(text):
    """The numbers of a text, so that texts that differ in nothing else keep their order."""
    runs = [run.lstrip("0") for run in re.findall("[0-9]+", text)]
    return "".join(f"{min(len(run), 15):x}{run}" for run in runs)[:12].ljust(12, "0")


def number_of(text):
    """A number that stands for a text in the order of findings of one place (rt_fold_number)."""
    data, mask = text.encode(), 2 ** 64 - 1
    a, b, at = len(data), 0x9E3779B97F4A7C15, 0

    def load(at):
        return int.from_bytes(data[at:at + 8], "little")
    while at + 16 <= len(data):
        a = (a ^ load(at)) * 0xFF51AFD7ED558CCD & mask
        b = (b ^ load(at + 8)) * 0xC4CEB9FE1A85EC53 & mask
        at += 16
    while at < len(data):
        a = (a ^ load(at)) * 0xFF51AFD7ED558CCD & mask
        at += 8
    return ((a ^ a >> 32 ^ b ^ b >> 32) * 0xC4CEB9FE1A85EC53 & mask) >> 32


def squeeze(text):
    return re.sub(r"[ \t-\r]+", "", text or "")


def is_redacted(code):
    """Whether a text without blanks hides what was there."""
    return bool(REDACTED.fullmatch(code) or MASKED.search(code))


# --- Findings -----------------------------------------------------------------------------------

class Finding:
    """What is compared of a finding."""

    def __init__(self, number, record, shows_code):
        self.number, self.id = number, record["id"]
        self.own_id = self.id.startswith(("s1-", "s2-"))
        self.path = (record["file_path"] or "").replace("\\", "/").removeprefix("./")
        self.line = record["line_number"] or 0
        self.columns = (record["column_start"] or 0, record["column_end"] or 0) if self.line else (0, 0)
        self.code = squeeze(record["code_snippet"])
        self.redacted = is_redacted(self.code)
        if self.redacted:
            self.code = ""
        # Code that is missing where other findings have some is blank; None: nobody knows.
        blank = None if self.redacted or (record["code_snippet"] is None and not shows_code) else ""
        self.known_code = self.code or blank
        around = [squeeze(record["context_before"]), squeeze(record["context_after"])] if self.code else ["", ""]
        self.context = (around[0], self.code, around[1])
        self.long_context = any(around) and len(self.code.encode()) + sum(len(x.encode()) for x in around) + 2 >= LONG_CONTEXT
        self.repo, self.rule = record["repo_name"], record["category"]
        title, message = record["title"] or "", record["description"] or record["title"] or ""
        self.names = identifiers(record["category"], title, message) | {
            a for a in NUMBER_OF.findall(record["description"] or "")}
        self.smallest = min(self.names, key=lambda name: (not name.startswith("CVE-"), name), default=None)
        names = tuple(sorted(self.names))
        if self.line:
            self.exact, self.message = None, (fold_digits(message), names)
        else:
            self.exact = (message, title, names)
            self.message = (fold_numbers(message), fold_numbers(title), names)
        self.order = 3 * number_of(self.rule or "") + number_of(fold_digits(message)) + sum(map(number_of, names))
        self.order += 0 if self.line else 7 * number_of(fold_digits(title))
        order = number_of(self.code) + number_of("\0".join(around)) if self.code else 0
        self.numbers = numbers(message), order % 2 ** 32 >> 16
        prints = record.get("prints") or {}
        self.identity, self.hashes = prints.get("identity"), prints.get("hashes") or {}
        # A value that has the line in it moves with it.
        if self.identity and self.line and any(
                re.search(rf"(?<![0-9A-Za-z]){self.line}(?![0-9A-Za-z])", text) for text in self.identity[1:]):
            self.identity = None
        self.deprecated = prints.get("deprecated") or ()


def differs(a, b):
    """Whether two findings are known to be about other code."""
    if a.known_code is not None and b.known_code is not None and a.known_code != b.known_code:
        return True
    return any(b.hashes.get(name, value) != value for name, value in a.hashes.items())


def strangers(a, b):
    """Whether both name vulnerabilities, and none is common."""
    return bool(a.names and b.names and not a.names & b.names)


def longest_chain(pairs):
    """The longest chain of pairs that rises on both sides; pairs rise on the first."""
    tails, at, before = [], [], [-1] * len(pairs)
    for k, (_, b) in enumerate(pairs):
        j = bisect.bisect_left(tails, b)
        tails[j:j + 1], at[j:j + 1] = [b], [k]
        before[k] = at[j - 1] if j else -1
    k, chain = (at[-1] if at else -1), []
    while k >= 0:
        chain.append(pairs[k])
        k = before[k]
    return chain[::-1]


# --- Matching -----------------------------------------------------------------------------------

class Matcher:
    def __init__(self, old, new):
        self.sides = []
        for records in (old, new):
            shows_code = any(squeeze(x["code_snippet"]) for x in records)
            self.sides.append([Finding(i, x, shows_code) for i, x in enumerate(records)])
        self.swapped = self.weight(0) > self.weight(1)
        if self.swapped:
            self.sides.reverse()
        self.pairs = [{}, {}]   # by side: number -> (partner's number, by)
        self.groups = []
        self.rename_rules()
        self.drop_placeholders()
        self.count_names()
        self.files = [collections.defaultdict(list), collections.defaultdict(list)]
        for files, side in zip(self.files, self.sides):
            for x in sorted(side, key=lambda x: (x.path, x.line, x.columns, x.order % 2 ** 32, x.numbers, x.number)):
                files[x.path].append(x)

    def weight(self, side):
        """The same pairs come out whichever scan is the old one: the lighter side is aligned with the other."""
        findings = self.sides[side]
        return len(findings), sum(x.line * 1000003 + x.columns[0] * 1009 + sum(x.path.encode()) for x in findings)

    def rename_rules(self):
        """A rule's deprecated id is that rule, unless that side still uses it."""
        to = collections.defaultdict(set)
        for side in self.sides:
            used = {(x.repo, x.rule) for x in side}
            for x in side:
                for name in x.deprecated:
                    if (x.repo, name) not in used:
                        to[x.repo, name].add(x.rule)
        for side in self.sides:
            for x in side:
                names = to.get((x.repo, x.rule), ())
                if len(names) == 1:
                    x.order -= 3 * number_of(x.rule)
                    x.rule = next(iter(names))
                    x.order += 3 * number_of(x.rule)

    def drop_placeholders(self):
        """A code, or an identity, that very many places have is no evidence."""
        places = {(s, x.path, x.line) for s, side in enumerate(self.sides) for x in side}
        of_code = collections.defaultdict(set)
        of_identity = [collections.Counter((x.rule, x.identity) for x in side if x.identity) for side in self.sides]
        for s, side in enumerate(self.sides):
            for x in side:
                if x.code:
                    of_code[x.code].add((s, x.path, x.line))
        for s, side in enumerate(self.sides):
            for x in side:
                if x.code and len(places) >= PLACES and len(of_code[x.code]) * 10 >= len(places):
                    x.code, x.long_context = "", False
                if not x.identity:
                    continue
                count = of_identity[s][x.rule, x.identity]
                many = len(places) >= PLACES and count > 1 and count * 10 >= len(places)
                if many or (count > 1 and x.identity[0] == "guid"):
                    x.identity = None

    def count_names(self):
        for side in self.sides:
            count = collections.Counter((x.path, x.repo, x.rule, x.smallest) for x in side if x.names)
            for x in side:
                x.lone_name = x.names and count[x.path, x.repo, x.rule, x.smallest] == 1

    def join(self, a, b, by, prefix):
        if by not in ("context", "code", "across") and differs(a, b):
            by = "changed"
        self.pairs[0][a.number] = (b.number, prefix + by)
        self.pairs[1][b.number] = (a.number, prefix + by)

    def left(self, side, findings):
        return [x for x in findings if x.number not in self.pairs[side]]

    def trusts_ids(self):
        """Ids of exports are evidence where those of pairs agree."""
        ids = [{x.id for x in side if not x.own_id} for side in self.sides]
        same = other = 0
        for i, (j, _) in self.pairs[0].items():
            a, b = self.sides[0][i], self.sides[1][j]
            if a.own_id or b.own_id:
                continue
            same += a.id == b.id
            other += a.id != b.id and (a.id in ids[1] or b.id in ids[0])
        return same >= 10 and other * 100 <= same

    def levels(self):
        """(by, key, how): the strongest evidence first. how: FREE pairs may cross, ORDER also pairs what
        stands equally often on both sides, first with first."""
        def rule(x):
            return x.repo, x.rule

        def content(what):
            return {"context": lambda x: x.context if x.code else None, "code": lambda x: x.code or None,
                    "column": lambda x: (x.columns, x.line if x.redacted else 0)}[what]
        yield "fingerprint", lambda x: x.identity and (rule(x), x.identity), "free"
        for what in ("context", "code", "column"):
            get = content(what)
            yield what, lambda x: get(x) and not x.line and (rule(x), x.exact, get(x)), "order"
            yield what, lambda x: get(x) and (rule(x), x.message, get(x)), "lines"
        yield "identifier", lambda x: x.lone_name and (rule(x), x.smallest), "free"
        yield "id", lambda x: not x.own_id and (rule(x), x.message, x.id), "ids"
        for get in (lambda x: x.context, lambda x: x.code):
            yield "reworded", lambda x: len(x.code.encode()) >= LONG_CODE and (rule(x), get(x)), "chain"

    def align(self, stretches, prefix):
        for by, key, how in self.levels():
            if how == "ids" and not self.trusts_ids():
                continue
            live, done = stretches, []
            for _ in range(1 if how in ("free", "ids") else ROUNDS):
                following = []
                for stretch in live:
                    cut = self.align_one(stretch, by, key, how, prefix)
                    if cut is None:
                        done.append(stretch)
                    else:
                        following += cut
                live = following
                if not live:
                    break
            stretches = live + done
        return stretches

    def align_one(self, stretch, by, key, how, prefix):
        """Pair what has a key; what lies between pairs is left. None: there are no pairs."""
        found = collections.defaultdict(lambda: ([], []))
        for side in (0, 1):
            for at, x in enumerate(stretch[side]):
                k = key(x) if x.number not in self.pairs[side] else None
                if k:
                    found[k][side].append(at)
        once = sorted((a[0], b[0]) for a, b in found.values() if len(a) == 1 == len(b)
                      and not strangers(stretch[0][a[0]], stretch[1][b[0]]))
        chain = longest_chain(once)
        if how in ("order", "lines") and not chain:
            chain = longest_chain(sorted(pair for a, b in found.values() if len(a) == len(b)
                                         and (how == "order" or stretch[0][a[0]].line) for pair in zip(a, b)))
        pairs = once if how in ("free", "ids") else chain
        for a, b in pairs:
            self.join(stretch[0][a], stretch[1][b], by, prefix)
        if not pairs:
            return None
        ends = [(-1, -1), *chain, (len(stretch[0]), len(stretch[1]))]
        cut = [(stretch[0][a + 1:c], stretch[1][b + 1:d]) for (a, b), (c, d) in zip(ends, ends[1:])]
        return [(a, b) for a, b in cut if a and b]

    def unique_everywhere(self, key, by):
        """Pair what has a key that stands once on each side, in whichever files."""
        found = collections.defaultdict(lambda: ([], []))
        for side in (0, 1):
            for x in self.left(side, self.sides[side]):
                if key(x):
                    found[key(x)][side].append(x)
        for a, b in found.values():
            if len(a) == 1 == len(b) and not strangers(a[0], b[0]) and (a[0].path != b[0].path or by == "across"):
                self.join(a[0], b[0], by, "")

    def renamed(self):
        """Paths that one side each lacks, and whose findings are much the same: each the other's only best."""
        def token(x):
            return (x.repo, x.rule, x.code) if x.code else (x.repo, x.rule, x.message, x.columns)
        lone = [{p: collections.Counter(map(token, files[p])) for p in files if p not in others}
                for files, others in (self.files, self.files[::-1])]
        holds = [collections.defaultdict(set), collections.defaultdict(set)]
        for side in (0, 1):
            for path, tokens in lone[side].items():
                for t in tokens:
                    holds[side][t].add(path)
        scores = collections.defaultdict(int)
        for t, paths in holds[0].items():
            if len(paths) <= FILES and len(holds[1][t]) <= FILES:
                for p in paths:
                    for q in holds[1][t]:
                        scores[p, q] += min(lone[0][p][t], lone[1][q][t])
        best = [collections.defaultdict(list), collections.defaultdict(list)]
        for (p, q), shared in scores.items():
            counts = len(self.files[0][p]), len(self.files[1][q])
            kinds, sure = len(lone[0][p]), any(len(x.code.encode()) >= LONG_CODE for x in self.files[0][p])
            tail = 0
            for a, b in list(zip(p.split("/")[::-1], q.split("/")[::-1]))[:PARTS]:
                if a != b:
                    break
                tail += 1
            if tail:
                good = 2 * shared >= min(counts) and (sure or kinds >= 2 or 2 * shared == sum(counts))
            else:
                good = 4 * shared >= sum(counts) and kinds >= (2 if sure else 3)
            if good:
                best[0][p].append((tail, shared, -sum(counts), q))
                best[1][q].append((tail, shared, -sum(counts), p))

        def only(found):
            first = max(x[:3] for x in found)
            names = [x[3] for x in found if x[:3] == first]
            return names[0] if len(names) == 1 else None
        for p, found in best[0].items():
            q = only(found)
            if q is not None and only(best[1][q]) == p:
                yield self.files[0][p], self.files[1][q]

    def ambiguous(self, stretches):
        seen = set()
        for stretch in stretches:
            for by, key, how in self.levels():
                if how not in ("order", "lines"):
                    continue
                found = collections.defaultdict(lambda: ([], []))
                for side in (0, 1):
                    for x in self.left(side, stretch[side]):
                        if key(x) and (side, x.number) not in seen:
                            found[key(x)][side].append(x.number)
                for a, b in found.values():
                    if a and b:
                        self.groups.append((by, b, a) if self.swapped else (by, a, b))
                        seen.update([(0, i) for i in a] + [(1, i) for i in b])

    def run(self):
        self.unique_everywhere(lambda x: x.identity and x.identity[0] == "guid" and (x.repo, x.rule, x.identity), "fingerprint")
        same = [(self.files[0][p], self.files[1][p]) for p in self.files[0] if p in self.files[1]]
        rest = self.align(same, "")
        rest += self.align(list(self.renamed()), "renamed-")
        self.unique_everywhere(lambda x: x.code and x.long_context and (x.repo, x.rule, x.message, x.context), "across")
        self.ambiguous(rest)
        return self.pairs[1] if self.swapped else self.pairs[0], self.groups


def match(old, new):
    return Matcher(old, new).run()


# --- Reading ------------------------------------------------------------------------------------

def usable(value):
    return isinstance(value, str) and len(value.encode()) >= 8 and not re.search(r"\s", value) and value.strip("0-") != ""


def choose(prints):
    """The usable ones of an object of fingerprints, by name; of x/v1 and x/v2 the lower."""
    kept = {}
    for name, value in sorted((prints or {}).items(), key=lambda item: split(item[0])):
        value = value.get("value") if isinstance(value, dict) else value
        base = split(name)[0]
        if usable(value) and base not in ("author", "commitMessage", "commitSha", "date", "email"):
            kept.setdefault(base, (name, value))
    return dict(kept.values())


def split(name):
    found = re.fullmatch(r"(.*)/v([0-9]+)", name)
    return (found[1], 1, int(found[2])) if found else (name, 0, 0)


def prints_of(result, rule):
    """What a log has to tell a result by: correlationGuid, fingerprints, and the hashes of its lines."""
    def without_ordinal(text):
        return re.sub(r":[0-9]+$", "", text)
    guid = (result.get("correlationGuid") or "").lower()
    full, partial = choose(result.get("fingerprints")), choose(result.get("partialFingerprints"))
    hashes = {}
    for name, value in [*full.items(), *partial.items()]:
        if split(name)[0] in ("primaryLocationLineHash", "contextHash"):
            hashes[name] = without_ordinal(value)
    line = next((v for k, v in partial.items() if split(k)[0] == "primaryLocationLineHash"), None)
    identity = None
    if usable(guid):
        identity = ("guid", guid)
    elif full:
        identity = ("fingerprint", *min(full.items(), key=lambda item: split(item[0])))
    elif line:
        column = result["partialFingerprints"].get("primaryLocationStartColumnFingerprint")
        identity = ("line", without_ordinal(line), f"column{column if isinstance(column, str) else ''}")
    elif partial:
        identity = ("partial", *[text for name in partial for text in (name, without_ordinal(partial[name]))])
    return {"identity": identity, "hashes": hashes, "deprecated": (rule or {}).get("deprecatedIds") or ()}


def load(records, log=None):
    """Findings of `list --as json`; log: the parsed log that they are of, of which every result is one."""
    if log:
        at = 0
        for run in log["runs"]:
            rules = {rule["id"]: rule for rule in run["tool"]["driver"].get("rules") or []}
            for result in run.get("results") or []:
                records[at]["prints"] = prints_of(result, rules.get(result.get("ruleId")))
                at += 1
        assert at == len(records), "a result of the log is no finding"
    return records


def read(run, path):
    """run: gives what the program says to arguments."""
    log = None
    if str(path).endswith(".sarif"):
        with open(path, encoding="utf-8") as file:
            log = json.load(file)
    return load(json.loads(run("list", "--as", "json", path)), log)
