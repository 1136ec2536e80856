"""The project's JSON Schemas, loaded for validation, and readers of what the program writes.

Numbers are read as Number, which keeps their text: JSON and YAML must agree on 9.80, not only on
its value.
"""

import json
import pathlib
import re

import jsonschema
import yaml

try:
    import referencing  # python3-jsonschema from 4.18 on
except ImportError:
    referencing = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "schemas"
SUFFIX = ".schema.json"
PREFIX = "urn:retriage:schema:"


def load_all():
    """All schemas by name; members of objects keep their order."""
    return {
        path.name[: -len(SUFFIX)]: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*" + SUFFIX))
    }


def validator(schemas, name):
    """A validator of one schema that finds the others by their $id and nothing on the net."""
    schema = schemas[name]
    if referencing:
        resources = [referencing.Resource.from_contents(one) for one in schemas.values()]
        registry = referencing.Registry().with_resources((one.id(), one) for one in resources)
        return jsonschema.Draft202012Validator(schema, registry=registry)
    store = {one["$id"]: one for one in schemas.values()}
    resolver = jsonschema.RefResolver(schema["$id"], schema, store, handlers={
        "http": refuse, "https": refuse})
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def refuse(uri):
    """Stand in for a download."""
    raise LookupError(f"{uri} is not one of the project's schemas")


def pointer(path):
    """A path of names and indexes as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


class Number:
    """A number with its own text."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Number) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        return f"Number({self.text})"

    def plain(self):
        """As Python's own number."""
        return int(self.text) if re.fullmatch(r"-?[0-9]+", self.text) else float(self.text)


def refuse_repeats(pairs):
    """An object of JSON text; a repeated name is an error."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a member is repeated: {names}")
    return dict(pairs)


def read_json(text):
    """A JSON text with its numbers as Number."""
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse_constant,
                      object_pairs_hook=refuse_repeats)


def refuse_constant(text):
    """NaN and the like, which Python would read and JSON does not have."""
    raise ValueError(f"{text} is no JSON")


class CoreLoader(yaml.SafeLoader):
    """PyYAML with the scalars of the YAML 1.2 core schema (SPEC D18) in place of those of 1.1."""

    yaml_implicit_resolvers = {}


class FastCoreLoader(yaml.CSafeLoader):
    """The same over libyaml, which is not independent of the program, but some 20 times as fast."""

    yaml_implicit_resolvers = {}


# Length of text beyond which libyaml reads it: half a minute for the largest answer otherwise.
FAST_FROM = 1 << 20


def make_number(loader, node):
    """Construct a number."""
    return Number(loader.construct_scalar(node))


CORE = (
    ("tag:yaml.org,2002:null", r"null|Null|NULL|~|", list("nN~") + [""]),
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("tag:yaml.org,2002:float",
     r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
     list("-+.0123456789")),
)
for each in (CoreLoader, FastCoreLoader):
    for tag, pattern, first in CORE:
        each.add_implicit_resolver(tag, re.compile(rf"(?:{pattern})\Z"), first)
    each.add_constructor("tag:yaml.org,2002:int", make_number)
    each.add_constructor("tag:yaml.org,2002:float", make_number)


def read_yaml(text):
    """A YAML document with its numbers as Number."""
    return yaml.load(text, Loader=FastCoreLoader if len(text) > FAST_FROM else CoreLoader)


def plain(value):
    """The same value with Python's own numbers, for validation."""
    if isinstance(value, Number):
        return value.plain()
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return value
