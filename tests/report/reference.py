"""What reports have to show, worked out a second time: masks, titles, paths, formulas, names."""
import hashlib
import json
import re
import uuid

LEVELS = ["critical", "high", "medium", "low", "info"]
MEMBERS = ["id", "scan_id", "file_path", "line_number", "category", "severity", "confidence",
           "title", "description", "column_start", "column_end", "explanation", "code_snippet",
           "context_before", "context_after", "remediation", "remediation_code", "cwe_ids",
           "owasp_category", "cvss_score", "tags", "model_used", "false_positive", "exploitable",
           "created_at", "updated_at", "repo_name", "scan_status", "scan_created_at"]
SPACES = set(" \u00a0\u1680\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
SPACE_OF_UUIDS = uuid.UUID("2f0d3b0e-6a39-4c8b-9b6c-5b8f3e1d7a52")


class Number(str):
    """A number as its JSON text."""


def read_json(text):
    """JSON with its numbers as they are spelled."""
    return json.loads(text, parse_int=Number, parse_float=Number)


# What steers a terminal or deceives an eye.
UNSAFE = ("\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
          "\ufffe\uffff")
IS_UNSAFE = re.compile(f"[{UNSAFE}]")
# Without any of these a text is shown as it stands.
IS_MARKED = re.compile(rf"[{UNSAFE}:\[]")


def mask(text, lines):
    """A text as it is shown: on lines of its own, or on one."""
    if not IS_MARKED.search(text):
        return text
    out = []
    begun = False
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for i, c in enumerate(text):
        if c in "\n\t":
            begun = begun and (c == "\t" or not lines)
            out.append(c if lines else " ")
            continue
        before, begun = begun, begun or c not in SPACES
        if c == "[" and re.search("##(vso|teamcity)?$", text[max(i - 10, 0):i], re.IGNORECASE) or \
                c == ":" and not before and text[i + 1:i + 2] == ":":
            out.append(f"\u27e8{c}\u27e9")
        elif IS_UNSAFE.match(c):
            out.append(f"\u27e8U+{ord(c):04X}\u27e9")
        else:
            out.append(c)
    return "".join(out)


def first_line(text):
    """The first line that is not blank, without blanks around it."""
    lines = [line.strip(" \t") for line in re.split("[\r\n]", text or "")]
    return next((line for line in lines if line), "")


def cut(text, points):
    """At most so many code points, the last one a sign of the cut."""
    return text if len(text) <= points else text[:points - 1] + "\u2026"


BLANKS = " \t\n\v\f\r"


def sentence(text):
    """The first sentence on one line: up to a stop that no small letter follows, or an empty line."""
    text = re.split(rf"\n[{BLANKS}]*\n", (text or "").lstrip(BLANKS))[0]
    words = [word for word in re.split(f"[{BLANKS}]+", text) if word]
    for number, (word, after) in enumerate(zip(words, words[1:])):
        ends = word[-1] in "!?" or (word[-1] == "." and "." not in word[:-1] and len(word.encode()) > 2)
        if ends and not "a" <= after[0] <= "z":
            return " ".join(words[:number + 1])
    return " ".join(words)


def is_id(text):
    """One word of ASCII."""
    return text.isascii() and not set(text) & set(BLANKS)


def headline(issue):
    """What an issue of an export says in one line: its title, unless that is an id."""
    title = sentence(issue.get("title"))
    said = sentence(issue.get("description")) if is_id(title) else title
    line = said or title or sentence(issue.get("category"))
    return line if len(line) <= 120 else line[:119].rstrip(BLANKS) + "\u2026"


def title(issue, points):
    """The headline as it is shown."""
    line = headline(issue)
    return cut(mask(line, False), points) if line else "(no title)"


def category(issue):
    """The category as one line."""
    return mask(issue.get("category") or "unknown", False)


def raw_path(issue):
    """The path as a repository has it; None without one."""
    path = (issue.get("file_path") or "").replace("\\", "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path or None


def path_of(issue):
    """The same as it is shown."""
    path = raw_path(issue)
    return None if path is None else mask(path, False)


def line_of(issue):
    """The line number; 0: none."""
    return max(int(issue.get("line_number") or 0), 0)


def level(issue):
    """Number of the severity's level; 5: it is none."""
    severity = issue.get("severity")
    return LEVELS.index(severity) if severity in LEVELS else 5


def is_open(issue):
    """Whether it is no false positive."""
    return issue.get("false_positive") is not True


def notes_of(issue):
    """The texts of its notes."""
    notes = issue.get("notes") or []
    return [notes] if isinstance(notes, str) else [note["text"] for note in notes]


def guarded(text, shown):
    """What a spreadsheet is given for a text that is shown as that."""
    rest = text.lstrip("".join(SPACES))
    formula = rest[:1] and rest[0] in "=+-@\uff1d\uff0b\uff0d\uff20\t\r\n\0"
    over = len(shown) - 32000
    if over > 0:
        shown = f"{shown[:32000]}\u2026 \u27e8{over} characters more\u27e9"
    return ("'" if formula else "") + shown


def csv_field(issue, member):
    """A field of a row, as a reader of CSV has it."""
    if member == "status":
        return "open" if is_open(issue) else "dismissed"
    if member == "notes":
        texts = notes_of(issue)
        return guarded(texts[0], "; ".join(mask(t, True) for t in texts)) if texts else ""
    value = issue.get(member)
    if value is None:
        return "false" if member == "false_positive" else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return guarded(value[0] if value else "", "; ".join(mask(t, True) for t in value))
    return guarded(value, mask(value, True))


def fingerprints(issues):
    """Code Quality's fingerprints of the issues that it lists, in input order."""
    seen = {}
    for issue in issues:
        if not is_open(issue) or raw_path(issue) is None:
            continue
        code = re.sub("[ \t\r\n]", "", issue.get("code_snippet") or "")
        key = "".join(text + "\0" for text in (issue.get("category") or "", raw_path(issue), code,
                                               issue.get("title") or ""))
        seen[key] = seen.get(key, 0) + 1
        yield hashlib.sha256((key + str(seen[key])).encode()).hexdigest()[:32]


def sast_id(issue):
    """The UUID of a vulnerability."""
    if re.fullmatch("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", issue["id"]):
        return issue["id"]
    return str(uuid.uuid5(SPACE_OF_UUIDS, issue["id"]))
