"""JSON as a tree, and which members of a SARIF log are read, with their types (S6, S7).

Numbers keep their text, and objects remember which names stood twice.
"""
import json
import re

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
DEPTH = 128


class Refused(Exception):
    """The log is refused: rule is the decision, what the member."""

    def __init__(self, rule, what):
        super().__init__(f"{rule}: {what}")
        self.rule = rule
        self.what = what


class NotSarif(Exception):
    """Something else (S1)."""


class Number(str):
    """A number of JSON, as its text."""

    def __int__(self):
        return int(str(self).partition(".")[0])


class Object(dict):
    """An object of JSON that remembers which names stood twice."""

    def __init__(self, pairs):
        super().__init__()
        self.twice = set()
        for name, value in pairs:
            if name in self:
                self.twice.add(name)
            self[name] = value


def constant(text):
    """NaN and Infinity are no JSON."""
    raise ValueError(f"{text} is no number")


def parse(data):
    """JSON text as a tree; numbers keep their text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused("JSON", "UTF-16")
    try:
        text = data.decode("utf-8-sig")
        tree = json.loads(text, object_pairs_hook=Object, parse_int=Number, parse_float=Number,
                          parse_constant=constant)
        text.encode()
    except (ValueError, RecursionError) as error:
        raise Refused("JSON", str(error)) from None
    check_tree(tree, 1)
    return tree


LONE = re.compile("[\ud800-\udfff]")


def check_tree(value, depth):
    """No lone surrogate, and not nested too deep."""
    if isinstance(value, (dict, list)) and depth > DEPTH:
        raise Refused("depth", "nesting")
    if isinstance(value, dict):
        for name, child in value.items():
            check_tree(name, depth)
            check_tree(child, depth + 1)
    elif isinstance(value, list):
        for child in value:
            check_tree(child, depth + 1)
    elif isinstance(value, str) and LONE.search(value):
        raise Refused("JSON", "a lone surrogate")


# --- Types (S6, S7) -----------------------------------------------------------------------------

class One:
    """Any of some kinds of value."""

    def __init__(self, *kinds):
        self.kinds = kinds


class Words:
    """A string out of a set."""

    def __init__(self, *words):
        self.words = words


class List:
    """An array; most: how many of its elements are looked at, None all."""

    def __init__(self, of, most=None):
        self.of = of
        self.most = most


class Map:
    """An object with any names."""

    def __init__(self, of):
        self.of = of


TEXT, FLAG, INTEGER, BAG = "string", "bool", "integer", "object"
# An integer of any size: one that is too large leads nowhere.
INDEX = "index"
LEVEL = TEXT  # whatever it says: another word than SARIF's counts as none
WORDS = List(TEXT)
MESSAGE = {"text": TEXT, "markdown": TEXT, "id": TEXT, "arguments": WORDS}
MULTI = {"text": TEXT, "markdown": TEXT}
COMPONENT_REFERENCE = {"name": TEXT, "index": INDEX, "guid": TEXT}
REFERENCE = {"id": TEXT, "index": INDEX, "guid": TEXT, "toolComponent": COMPONENT_REFERENCE}
ARTIFACT = {"uri": TEXT, "uriBaseId": TEXT, "index": INDEX}
TAGS = {"tags": One(TEXT, WORDS)}
RESULT_BAG = {**TAGS, "retriage": BAG}
CONFIGURATION = {"level": LEVEL}
DESCRIPTOR = {
    "id": TEXT, "guid": TEXT, "name": TEXT, "shortDescription": MULTI, "fullDescription": MULTI,
    "help": MULTI, "helpUri": TEXT, "defaultConfiguration": CONFIGURATION,
    "relationships": List({"target": REFERENCE, "kinds": WORDS}), "messageStrings": Map(MULTI),
    "properties": TAGS}
COMPONENT = {"name": TEXT, "guid": TEXT, "rules": List(DESCRIPTOR),
             "globalMessageStrings": Map(MULTI)}
DRIVER = {**COMPONENT, "semanticVersion": TEXT, "version": TEXT, "dottedQuadFileVersion": TEXT}
TAXONOMY = {"name": TEXT, "guid": TEXT, "taxa": List({"id": TEXT})}
SNIPPET = {"text": TEXT}
REGION = {"startLine": INTEGER, "startColumn": INTEGER, "endLine": INTEGER, "endColumn": INTEGER,
          "snippet": SNIPPET}
CONTEXT = {"startLine": INTEGER, "snippet": SNIPPET}
LOCATION = {
    "physicalLocation": {"artifactLocation": ARTIFACT, "region": REGION, "contextRegion": CONTEXT},
    "logicalLocations": List({"fullyQualifiedName": TEXT}, most=1)}
FINGERPRINTS = Map(One(TEXT, {"value": TEXT}))
STATUS = Words("accepted", "underReview", "rejected")
CONTENT = {"text": TEXT, "binary": TEXT}
FIX = {
    "description": MESSAGE,
    "artifactChanges": List({"replacements": List({"insertedContent": CONTENT}, most=1)}, most=1)}
RESULT = {
    "ruleId": TEXT, "ruleIndex": INDEX, "rule": REFERENCE, "level": LEVEL,
    "kind": Words("pass", "notApplicable", "fail", "open", "review", "informational"),
    "message": MESSAGE, "locations": List(LOCATION, most=1), "analysisTarget": ARTIFACT,
    "fingerprints": FINGERPRINTS, "partialFingerprints": FINGERPRINTS, "correlationGuid": TEXT,
    "suppressions": List({"status": STATUS, "state": STATUS, "justification": TEXT,
                          "properties": BAG}), "baselineState": TEXT,
    "provenance": {"invocationIndex": INDEX, "firstDetectionTimeUtc": TEXT},
    "fixes": List(FIX, most=1), "taxa": List(REFERENCE), "properties": RESULT_BAG,
    "webRequest": {"target": TEXT}}
# Of a result that is no issue nothing is read but its kind.
LEFT_OUT = {
    name: kind if name == "kind" else TEXT if isinstance(kind, Words) else
    BAG if isinstance(kind, (dict, Map)) else List(None, most=0) if isinstance(kind, List)
    else kind for name, kind in RESULT.items()}
INVOCATION = {
    "executionSuccessful": FLAG, "startTimeUtc": TEXT, "endTimeUtc": TEXT,
    "workingDirectory": ARTIFACT,
    "ruleConfigurationOverrides": List({"descriptor": REFERENCE,
                                        "configuration": CONFIGURATION})}
# What is looked at in each depends on whether it is an issue.
RESULTS = List(BAG)
RUN = {
    "tool": {"driver": DRIVER, "extensions": List(COMPONENT)},
    "artifacts": List({"location": ARTIFACT}), "originalUriBaseIds": Map(ARTIFACT),
    "invocations": List(INVOCATION), "automationDetails": {"id": TEXT, "guid": TEXT},
    "versionControlProvenance": List({"repositoryUri": TEXT, "mappedTo": ARTIFACT}),
    "taxonomies": List(TAXONOMY), "results": RESULTS, "externalPropertyFileReferences": BAG}
LOG = {"runs": List(RUN), "inlineExternalProperties": List({"results": List(BAG)})}


def is_integer(value):
    """An integer of 64 bits (SPEC D4)."""
    return (isinstance(value, Number) and re.fullmatch(r"-?[0-9]+", value) is not None
            and -2**63 <= int(value) < 2**63)


def is_whole(value):
    """An integer of any size, maybe with zeros after a point."""
    return re.fullmatch(r"-?[0-9]+(\.0+)?", value) is not None


def is_text(value):
    """A string of JSON."""
    return isinstance(value, str) and not isinstance(value, Number)


def check(value, kind, where):
    """A value is what may stand there; null is absent, except as an element."""
    if isinstance(kind, One):
        for one in kind.kinds:
            if shape(value) == shape_of(one):
                return check(value, one, where)
        raise Refused("S6", f"{where}: type")
    if shape(value) != shape_of(kind):
        raise Refused("S6", f"{where}: want {shape_of(kind)}, have {shape(value)}")
    if kind == INTEGER and not is_whole(value):
        raise Refused("S6", f"{where}: no integer")
    if kind == INDEX and not re.fullmatch(r"-?[0-9]+(\.0+)?", value):
        raise Refused("S6", f"{where}: no integer")
    if isinstance(kind, Words) and value not in kind.words:
        raise Refused("S6", f"{where}: unknown word {value!r}")
    if isinstance(kind, List):
        for number, element in enumerate(value[:kind.most]):
            check(element, kind.of, f"{where}[{number}]")
    if isinstance(kind, Map):
        kind = {name: kind.of for name in value}
    if isinstance(kind, dict):
        for name, child in kind.items():
            if name in value.twice:
                raise Refused("S7", f"{where}.{name}")
            if value.get(name) is not None:
                check(value[name], child, f"{where}.{name}")
    return None


def shape(value):
    """What JSON calls a value."""
    if isinstance(value, Number):
        return "number"
    if isinstance(value, bool):
        return "bool"
    if value is None:
        return "null"
    return {str: "string", list: "array", Object: "object"}[type(value)]


def shape_of(kind):
    """What JSON calls the values of a kind."""
    if isinstance(kind, (dict, Map)):
        return "object"
    if isinstance(kind, List):
        return "array"
    if isinstance(kind, Words):
        return "string"
    return "number" if kind in (INTEGER, INDEX) else kind


def get(value, *names):
    """A member of a member ..., None where there is none; a number takes an element."""
    for name in names:
        if value is None:
            return None
        if isinstance(name, int):
            value = value[name] if name < len(value) else None
        else:
            value = value.get(name)
    return value


def first(*values):
    """The first that is there."""
    return next((value for value in values if value is not None), None)


def filled(*values):
    """The first text with something in it."""
    return next((value for value in values if value), None)


def index_of(value):
    """An index; a negative one is none."""
    return int(value) if value is not None and int(value) >= 0 else None
