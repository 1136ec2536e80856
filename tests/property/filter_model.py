"""A second opinion on filters: which issues fulfil an expression, in a few lines of Python.

It shares no code and no reading of the rules with the program. An expression is a field, an operator
and its items; issues are what json.loads() gives, with numbers that keep their text. Numbers are
compared by sign, size and digits, dates as fractions of seconds, globs by way of Python's regular expressions.
"""
import datetime
import fractions
import re

LEVELS = ["info", "low", "medium", "high", "critical"]  # by rank
NUMBERS = {"line_number", "column_start", "column_end", "confidence", "cvss_score"}
FLAGS = {"false_positive", "exploitable"}
DATES = {"created_at", "updated_at", "scan_created_at"}
LISTS = {"cwe_ids", "tags"}
DAY = 86400
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?"
                  r"(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?", re.ASCII)
CWE = re.compile(r"(?<![0-9a-z])cwe[-_ :]?([0-9]+)", re.ASCII | re.IGNORECASE)


def instant(text):
    """Seconds since 1970, or None where a text is no date-time."""
    match = DATE.fullmatch(text)
    if not match:
        return None
    year, month, day, hour, minute, second, fraction, sign, off_hour, off_minute = match.groups()
    if int(hour or 0) > 23 or int(minute or 0) > 59 or int(second or 0) > 60 or \
            int(off_hour or 0) > 23 or int(off_minute or 0) > 59:
        return None
    try:
        date = datetime.date(int(year), int(month), int(day))
    except ValueError:
        return None
    seconds = (date.toordinal() - datetime.date(1970, 1, 1).toordinal()) * DAY
    seconds += int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    offset = int(off_hour or 0) * 3600 + int(off_minute or 0) * 60
    seconds += offset if sign == "-" else -offset
    return seconds + fractions.Fraction(int(fraction or 0), 10 ** len(fraction or ""))


def number(text):
    """What a JSON number is ordered by, however long it is and whatever its exponent."""
    sign, whole, fraction, power = re.fullmatch(
        r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?", text).groups()
    digits = (whole + (fraction or "")).lstrip("0")
    zeros = len(whole + (fraction or "")) - len(digits)
    digits = digits.rstrip("0")
    if not digits:
        return (0, 0, "")
    size = len(whole) - zeros + int(power or 0)
    if not sign:
        return (1, size, digits)
    return (-1, -size, "".join(chr(ord("9") - int(digit)) for digit in digits) + "~")


def ends_of(text, at):
    """The first instant that a date in an expression means, and the first after it or the last:
    (from, to, whether to is still meant)."""
    if re.fullmatch(r"-\d+d", text):
        moment = at - int(text[1:-1]) * DAY
        return moment, moment, True
    moment = instant(text)
    return (moment, moment + DAY, False) if len(text) == 10 else (moment, moment, True)


def weakness(text):
    """The number of a weakness, or None."""
    if re.fullmatch("[0-9]+", text):
        return int(text)
    match = CWE.search(text)
    return int(match.group(1)) if match else None


def glob(pattern):
    """A glob over a path as a compiled regular expression."""
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out, at = out + "(?:.*/)?", at + 3
        elif pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        elif pattern[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif pattern[at] == "?":
            out, at = out + "[^/]", at + 1
        elif pattern[at] == "[":
            end = pattern.index("]", at + 1)
            out, at = f"(?!/)[{pattern[at + 1:end].replace('!', '^', 1)}]", end + 1
        else:
            at += pattern[at] == "\\"
            out, at = out + re.escape(pattern[at]), at + 1
    return re.compile(out, re.DOTALL)


def notes_of(issue):
    """The texts of an issue's notes."""
    notes = issue.get("notes")
    if isinstance(notes, str):
        return [notes]
    texts = [note.get("text") if isinstance(note, dict) else note
             for note in (notes if isinstance(notes, list) else [])]
    return [text for text in texts if isinstance(text, str)]


def age_of(issue, at):
    """Whole days, or None."""
    created = issue.get("created_at")
    moment = None if created is None else instant(created)
    return None if moment is None else max(0, (at - moment) // DAY)


def key_of(field, text, at):
    """What texts and numbers of a field are compared by; None: it is in no range."""
    if field == "severity":
        return LEVELS.index(text) if text in LEVELS else None
    if field in NUMBERS or field == "age":
        return number(text)
    if field in DATES:
        return instant(text)
    if field == "cwe_ids":
        return weakness(text)
    return text.encode()


def in_range(field, value, low, high, at):
    """Whether a value is between two ends, each of them a text or None."""
    key = key_of(field, value, at)
    if key is None:
        return False
    if field in DATES:
        first = ends_of(low, at)[0] if low else None
        _, last, meant = ends_of(high, at) if high else (None, None, None)
        return (not low or first <= key) and (not high or key < last or (meant and key == last))
    return (not low or key_of(field, low, at) <= key) and \
        (not high or key <= key_of(field, high, at))


def resolved(path):
    """Without "." and "..", where it leads: these are struck out one by one."""
    root, rest = re.fullmatch(r"([^/]:/?|//[^/]*/?|/?)(.*)", path, re.DOTALL).groups()
    struck = [r"^\.(?:/+|$)", r"(?<=/)\.(?:/|$)", r"^(?!\.\./)[^/]+/+\.\.(?:/+|$)",
              r"(?<=/)(?!\.\./)[^/]+/+\.\.(?:/|$)"] + [r"^\.\.(?:/+|$)"] * root.endswith("/")
    while any(re.search(one, rest) for one in struck):
        for one in struck:
            if re.search(one, rest):
                rest = re.sub(one, "", rest, count=1)
                break
    return root + rest


def is_item(field, value, item, at):
    """Whether a value, which is there, is one item: ("value", V), ("range", A, B), ("glob", G)."""
    if field == "file_path":
        value = resolved(value)
        item = item if item[0] == "glob" else (item[0], *(
            end and resolved(end) for end in item[1:]))
    if item[0] == "glob":
        return bool(glob(item[1]).fullmatch(value))
    if item[0] == "range":
        return in_range(field, value, item[1], item[2], at)
    if field in DATES and item[1]:
        return in_range(field, value, item[1], item[1], at)
    if field in NUMBERS or field == "age":
        return number(value) == number(item[1])
    if field == "cwe_ids" and weakness(item[1]) is not None:
        return weakness(value) == weakness(item[1])
    if field == "model_used" and re.match(re.escape(item[1]) + " v?[0-9]", value):
        return True
    return value == item[1]


def values_of(field, issue, at):
    """The values of a field as texts; none where it is missing or null."""
    value = issue.get(field)
    if field == "notes":
        return notes_of(issue)
    if field == "age":
        age = age_of(issue, at)
        return [] if age is None else [str(age)]
    if field in FLAGS:
        value = False if value is None and field == "false_positive" else value
        return [] if value is None else [str(value).lower()]
    if value is None:
        return []
    if field in LISTS:
        return value
    return [value.text if field in NUMBERS else value]


def holds(term, issue, at):
    """Whether a term (field, operator, items) holds for an issue."""
    field, operator, items = term
    values = values_of(field, issue, at)
    if operator == "":
        if field in FLAGS:
            return values == ["true"]
        return bool(values) or (field in LISTS and issue.get(field) is not None)
    if operator == "~":
        return any(re.search(items, value) for value in values)
    return any(is_item(field, value, item, at) for value in values for item in items)


def is_unknown(term, issue, at):
    """Whether a range asks for a severity or an age that is not known."""
    field, operator, items = term
    if operator != "=":
        return False
    if field == "severity":
        return issue.get(field) not in LEVELS and any(item[0] == "range" for item in items)
    return field == "age" and age_of(issue, at) is None


def picks(groups, issue, at, gate=False):
    """Whether one of the groups of (negated, term) is fulfilled; no group picks everything. A gate
    leaves out nothing that is not known."""
    return not groups or any(all(holds(term, issue, at) != negated or
                                 (gate and is_unknown(term, issue, at)) for negated, term in group)
                             for group in groups)


def misspelt(groups, issues):
    """Severities of a filter that are no level and that no issue has."""
    found = {issue.get("severity") for issue in issues} | set(LEVELS)
    return {item[1] for group in groups for _, (field, operator, items) in group
            if field == "severity" and operator == "=" and issues
            for item in items if item[0] == "value" and item[1] not in found}
