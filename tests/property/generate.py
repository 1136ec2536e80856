"""Random exports and requests, as values and as the bytes that spell them.

An export is a list of parts (files of a directory, members of an archive, or a single file); a
part is a list of pieces: bytes between records, and records with the bytes of each.
"""
import bz2
import functools
import gzip
import io
import json
import lzma
import pathlib
import subprocess
import tarfile
import zipfile

from model import LEVELS, MEMBERS
from schema_set import Number

NUMBERS = ["0", "7", "-3", "9.80", "9.8", "0.10", "1e3", "1E+02", "-0.0",
           "123456789012345678901234567890", "3.141592653589793238462643383279"]
INTEGERS = ["0", "1", "42", "-7", "9223372036854775807"]
WORDS = ["", "a", "sql injection", "caf\u00e9", "\U0001f600 wide", "two\nlines", "tab\there",
         "quote \" and \\ back", "no", "null", "07", "1:30", "# not a comment", "a: b", "- c",
         "\u202eright to left", "nul \u0000 byte", "a\u2028b", "\u0085nel", "\ufeffbom", "trail ",
         " lead", "'", "{", "[x]", "&a *b !c %d @e `f", "x" * 300, "~", "true", "2024-01-01"]
INSTANTS = ["2024-01-01T00:00:00Z", "2025-06-30 23:59:60+02:00", "2023-02-28", "never", ""]
UNKNOWN = ["x", "extra", "Severity", "nested", "Issues", "caf\u00e9", "vendor:id"]


def word(rng):
    """A text with something awkward in it, or none."""
    return rng.choice(WORDS) if rng.random() < 0.7 else "".join(
        rng.choice("abc \u00e4\u4e2d\U0001f512/\"\\\n") for _ in range(rng.randrange(12)))


def value(rng, depth=2):
    """Any value."""
    kind = rng.randrange(8 if depth else 6)
    if kind == 6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        names = rng.sample(["severity", "notes", "id", "k", "\u00fc"], rng.randrange(4))
        return {name: value(rng, depth - 1) for name in names}
    return [None, True, False, Number(rng.choice(NUMBERS)), word(rng), rng.choice(LEVELS)][kind]


def member(rng, name):
    """A value for a documented member of an issue."""
    if name == "severity":
        return rng.choice(LEVELS + LEVELS + ["bogus", "High", ""])
    if name in ("false_positive", "exploitable"):
        return rng.random() < 0.5
    if name in ("line_number", "column_start", "column_end"):
        return Number(rng.choice(INTEGERS))
    if name in ("confidence", "cvss_score"):
        return Number(rng.choice(NUMBERS))
    if name in ("cwe_ids", "tags"):
        return [word(rng) for _ in range(rng.randrange(3))]
    if name.endswith("_at"):
        return rng.choice(INSTANTS)
    return word(rng)


def notes(rng):
    """What may stand as notes in an export (D14)."""
    return rng.choice([None, word(rng), [], [{"added_at": None, "text": "old"}],
                       [{"added_at": "2020-01-01T00:00:00Z", "text": word(rng), "by": "x"},
                        value(rng)]])


def issue(rng, name):
    """An issue: some members, in any order, with others among them."""
    record = {"id": name}
    for key in MEMBERS[1:]:
        if rng.random() < 0.55:
            record[key] = None if rng.random() < 0.25 else member(rng, key)
    # Something must say that it is an issue where no key of a wrapper does (D3).
    record.setdefault("scan_id", None)
    if rng.random() < 0.5:
        record["notes"] = notes(rng)
    for key in rng.sample(UNKNOWN, rng.randrange(3)):
        record[key] = value(rng)
    return shuffled(rng, record) if rng.random() < 0.5 else record


def ruleset(rng, name):
    """A ruleset (table 2.2)."""
    record = {"id": name, "name": word(rng), "description": rng.choice([None, word(rng)]),
              "rules_text": word(rng), "org_id": "o1",
              "repo_ids": rng.choice([None, [], ["r1"], ["r1", "r2"]]),
              "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00+01:00",
              "created_by": rng.choice([None, "me"])}
    if rng.random() < 0.5:
        record["weight"] = Number(rng.choice(NUMBERS))
    return shuffled(rng, record)


def shuffled(rng, record):
    """The same members in another order."""
    names = list(record)
    rng.shuffle(names)
    return {name: record[name] for name in names}


def identifiers(rng, count):
    """Distinct ids, some of them awkward."""
    pool = ["a", "b", "A", "id 7", "\u00e9", "e\u0301", "\U0001f600", "x\ny", "\"", "\\", "0",
            "null", "~", "\u0000", "a/b#c", "- d", "\u202e"]
    rng.shuffle(pool)
    return (pool + [f"issue-{number}" for number in range(count)])[:count]


# --- Spelling: JSON -----------------------------------------------------------------------------

BLANKS = ["", "", "", " ", "  ", "\n", "\t", "\r\n", " \n "]


@functools.cache
def spell_char(char, all_ascii):
    """A character as it stands in a JSON string."""
    return json.dumps(char, ensure_ascii=all_ascii)[1:-1]


def spell_string(rng, text, awkward):
    """A JSON string; awkward: with escapes that need not be."""
    if not awkward:
        return json.dumps(text, ensure_ascii=False)
    out = ['"']
    for char in text:
        plain = spell_char(char, False)
        if rng.random() < 0.15:
            plain = spell_char(char, True)
            if len(plain) == 1:
                plain = f"\\u{ord(char):04{rng.choice('xX')}}" if char != "/" else "\\/"
        out.append(plain)
    return "".join(out) + '"'


def spell(rng, item, awkward, blank):
    """The JSON text of a value. blank() gives the blanks wherever some may stand."""
    if isinstance(item, Number):
        return item.text
    if isinstance(item, str):
        return spell_string(rng, item, awkward)
    if isinstance(item, list):
        inner = ",".join(f"{blank()}{spell(rng, one, awkward, blank)}{blank()}" for one in item)
        return f"[{inner or blank()}]"
    if isinstance(item, dict):
        inner = ",".join(
            f"{blank()}{spell_string(rng, name, awkward)}{blank()}:{blank()}"
            f"{spell(rng, one, awkward, blank)}{blank()}" for name, one in item.items())
        return f"{{{inner or blank()}}}"
    return {None: "null", True: "true", False: "false"}[item]


def blanks(rng):
    """One way to put blanks: none, one space, or anything anywhere."""
    way = rng.randrange(3)
    return lambda: ["", " ", None][way] if way < 2 else rng.choice(BLANKS)


def json_pieces(rng, records, form):
    """Pieces of a JSON document: [(record or None, text)]."""
    awkward = rng.random() < 0.5
    blank = blanks(rng)
    if form == "lines":
        pieces = []
        for record in records:
            text = spell(rng, record, awkward, lambda: rng.choice(["", " ", "\t"]))
            pieces += [(record, text), (None, rng.choice(["\n", "\n", "\r\n", "\n\n"]))]
        if pieces and rng.random() < 0.3:
            pieces[-1] = (None, "")
        return pieces

    def array(some):
        pieces = [(None, "[" + blank())]
        for number, record in enumerate(some):
            pieces.append((None, "," + blank() if number else ""))
            pieces += [(record, spell(rng, record, awkward, blank)), (None, blank())]
        return pieces + [(None, "]")]

    if form == "array":
        return array(records) + [(None, rng.choice(["", "\n"]))]
    rulesets = [record for record in records if "rules_text" in record]
    issues = [record for record in records if "rules_text" not in record]
    groups = [("issues", issues), ("rulesets", rulesets)]
    if not rulesets and rng.random() < 0.5:
        groups.pop()
    rng.shuffle(groups)
    members = [[(None, f'"{name}"{blank()}:{blank()}')] + array(some) for name, some in groups]
    for name in rng.sample(["version", "meta", "Issues"], rng.randrange(3)):
        text = f'"{name}"{blank()}:{blank()}{spell(rng, value(rng), awkward, blank)}'
        members.insert(rng.randrange(len(members) + 1), [(None, text)])
    pieces = [(None, "{" + blank())]
    for number, member_pieces in enumerate(members):
        pieces += [(None, blank() + "," + blank() if number else "")] + member_pieces
    return pieces + [(None, blank() + "}" + rng.choice(["", "\n"]))]


# --- Spelling: YAML -----------------------------------------------------------------------------

PLAIN = {"sql injection", "a", "no", "on", "1:30", "2024-01-01", "bogus", "High", *LEVELS}


def yaml_string(rng, text):
    """A YAML scalar on one line."""
    if text in PLAIN and rng.random() < 0.6:
        return text
    if text.isascii() and text.isprintable() and rng.random() < 0.4:
        return "'" + text.replace("'", "''") + "'"
    out = json.dumps(text, ensure_ascii=False)
    for char in "\u0085\u2028\u2029\ufeff\u007f":
        out = out.replace(char, f"\\u{ord(char):04x}")
    return out


def yaml_flow(rng, item):
    """A value in flow style."""
    if isinstance(item, str):
        # In flow style a plain word may not stand before a colon of its own: it is quoted.
        return json.dumps(item, ensure_ascii=True) if not wide(item) else yaml_string(rng, item)
    if isinstance(item, list):
        return "[" + ", ".join(yaml_flow(rng, one) for one in item) + "]"
    if isinstance(item, dict):
        return "{" + ", ".join(f"{yaml_flow(rng, name)}: {yaml_flow(rng, one)}"
                               for name, one in item.items()) + "}"
    if isinstance(item, Number):
        return item.text
    return {None: rng.choice(["null", "~"]), True: "true", False: "false"}[item]


def wide(text):
    """Characters that JSON escapes as two surrogates, which YAML does not have."""
    return any(ord(char) > 0xFFFF for char in text)


def yaml_member(rng, name, item, indent):
    """Lines of one member in block style."""
    pad = " " * indent
    key = yaml_string(rng, name)
    comment = rng.choice(["", "", "", "  # why"])
    if isinstance(item, dict) and item and rng.random() < 0.6:
        return f"{pad}{key}:{comment}\n" + "".join(
            yaml_member(rng, inner, one, indent + 2) for inner, one in item.items())
    if isinstance(item, list) and item and rng.random() < 0.6:
        dash = pad + rng.choice(["", "  "])
        return f"{pad}{key}:{comment}\n" + "".join(
            f"{dash}- {yaml_flow(rng, one)}\n" for one in item)
    if item == "two\nlines" and rng.random() < 0.7:
        return f"{pad}{key}: |-\n{pad}  two\n{pad}  lines\n"
    if isinstance(item, str):
        return f"{pad}{key}: {yaml_string(rng, item)}{comment}\n"
    return f"{pad}{key}: {yaml_flow(rng, item)}{comment}\n"


def yaml_record(rng, record, indent):
    """An element of a block sequence, its dash included."""
    lines = "".join(yaml_member(rng, name, item, indent + 2) for name, item in record.items())
    return " " * indent + "- " + lines[indent + 2:]


def yaml_pieces(rng, records, form):
    """Pieces of a YAML document."""
    if form == "yaml-flow":
        # The marker makes YAML of it, and so does the name where it is not JSON.
        pieces = [(None, rng.choice(["---\n[", "["]))]
        for number, record in enumerate(records):
            pieces += [(None, ",\n  " if number else "\n  "), (record, yaml_flow(rng, record))]
        return pieces + [(None, "\n]\n")]
    if not records:
        return [(None, "[]\n")]
    rulesets = [record for record in records if "rules_text" in record]
    issues = [record for record in records if "rules_text" not in record]
    groups = [("", records)]
    if rng.random() < 0.5:
        groups = [(name, some) for name, some in (("issues", issues), ("rulesets", rulesets))
                  if some]
    pieces = [(None, rng.choice(["", "---\n", "# head\n"]))]
    for name, some in groups:
        indent = rng.choice([0, 2])
        if name:
            pieces.append((None, f"{name}:\n"))
        for record in some:
            if rng.random() < 0.3:
                pieces.append((None, " " * indent + "# between\n"))
            pieces.append((record, yaml_record(rng, record, indent)))
    return pieces


# --- Files --------------------------------------------------------------------------------------

SUFFIXES = {"array": ".json", "wrapper": ".json", "lines": ".jsonl", "yaml-block": ".yaml",
            "yaml-flow": ".yml"}
PACKERS = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: subprocess.run(["zstd", "-q"], input=data, capture_output=True,
                                        check=True).stdout,
}


class Part:
    """One document of an export."""

    def __init__(self, rng, name, records):
        self.form = rng.choice(list(SUFFIXES))
        self.packer = ""
        self.records = records
        make = yaml_pieces if self.form.startswith("yaml") else json_pieces
        self.pieces = make(rng, records, self.form)
        # A document must not be empty.
        if not "".join(text for _, text in self.pieces).strip():
            self.form, self.pieces = "array", [(None, "[]")]
        # Records in the order in which they stand.
        self.records = [record for record, _ in self.pieces if record is not None]
        self.name = name + SUFFIXES[self.form]

    def data(self):
        """Its bytes, not compressed."""
        return "".join(text for _, text in self.pieces).encode()


class Export:
    """A whole export: parts in a container."""

    CONTAINERS = ["", "", "", "", ".gz", ".xz", ".bz2", ".zst", ".tar", ".tar.gz", ".tar.zst",
                  ".zip", "/"]
    FOREIGN = {"README.txt": b"read me\n", "m/blob.bin": bytes(range(256)) * 3}

    def __init__(self, rng, records=None, container=None):
        """records, container: those that it has, instead of random ones."""
        self.container = container or rng.choice(self.CONTAINERS)
        many = self.container.startswith((".tar", ".zip", "/"))
        if records is None:
            records = [issue(rng, name) for name in identifiers(rng, rng.randrange(1, 14))]
            records += [ruleset(rng, f"rs{number}") for number in range(rng.randrange(3))]
        # Now and then more than a window of the reader, and records larger than others.
        if rng.random() < 0.1:
            for record in rng.sample(records, min(4, len(records))):
                record["pad"] = rng.choice(["x", "\u00e9", "\\"]) * rng.randrange(130000)
        rng.shuffle(records)
        groups = [records]
        if many:
            groups = [[] for _ in range(rng.randrange(1, 4))]
            for record in records:
                rng.choice(groups).append(record)
        self.parts = [Part(rng, f"{rng.choice(['', 'm/'])}part{number}", group)
                      for number, group in enumerate(groups)]
        if many:
            for part in self.parts:
                if rng.random() < 0.25:
                    part.packer = rng.choice(list(PACKERS))
        if self.container == "/":
            self.parts.sort(key=lambda part: (part.name + part.packer).encode())
        self.records = [record for part in self.parts for record in part.records]
        self.suffix = self.container if many else self.parts[0].name[5:] + self.container

    def files(self):
        """Members of an archive or directory: [(name, bytes)], foreign ones among them."""
        files = [(part.name + part.packer, PACKERS.get(part.packer, bytes)(part.data()))
                 for part in self.parts]
        files[1:1] = self.FOREIGN.items()
        return files

    def write(self, path):
        """Make it a file or directory at path."""
        if self.container == "/":
            for name, data in self.files():
                file = pathlib.Path(path, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
        elif self.container == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in self.files():
                    archive.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), data)
        elif self.container.startswith(".tar"):
            packed = PACKERS.get(self.container[4:], bytes)(tar_bytes(self.files()))
            pathlib.Path(path).write_bytes(packed)
        else:
            packed = PACKERS.get(self.container, bytes)(self.parts[0].data())
            pathlib.Path(path).write_bytes(packed)


def tar_bytes(files):
    """A tar of files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1700000000
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


# --- Requests -----------------------------------------------------------------------------------


def request(rng, ids):
    """A request: ids that hit, miss and repeat; members given, null or left out."""
    pool = ids + ["no such issue", "rs0", "\u00e9\u00e9"]
    made = {"issue_ids": [rng.choice(pool) for _ in range(rng.randrange(1, 6))]}
    for name, choices in (("severity", LEVELS), ("false_positive", [True, False]),
                          ("exploitable", [True, False]), ("notes", ["", word(rng), word(rng)])):
        if rng.random() < 0.6:
            made[name] = None if rng.random() < 0.2 else rng.choice(choices)
    return shuffled(rng, made)


def write_requests(rng, requests, folder):
    """Write requests in one of the forms of D17; returns the operands that name them."""
    folder.mkdir()
    form = rng.choice(["files", "lines", "yaml", "directory", "tar.gz"])
    blank = blanks(rng)
    texts = [spell(rng, one, True, blank).encode() for one in requests]
    if form == "lines":
        lines = [spell(rng, one, True, lambda: " ").encode() + b"\n" for one in requests]
        (folder / "r.jsonl").write_bytes(b"".join(lines))
        return [folder / "r.jsonl"]
    if form == "yaml":
        (folder / "r.yaml").write_bytes(b"".join(
            b"---\n" + yaml_flow(rng, one).encode() + b"\n" for one in requests))
        return [folder / "r.yaml"]
    names = [f"{number:03}.json" for number in range(len(texts))]
    if form == "tar.gz":
        data = gzip.compress(tar_bytes(list(zip(names, texts))), mtime=0)
        (folder / "r.tar.gz").write_bytes(data)
        return [folder / "r.tar.gz"]
    for name, text in zip(names, texts):
        (folder / name).write_bytes(text)
    return [folder] if form == "directory" else [folder / name for name in names]
