#!/usr/bin/python3
"""Put the project's JSON Schemas into schemas/openapi.json, or say that they are not there.

Use: openapi.py [--write]
The document has to stand alone where it is served, and no schema is to be spelled twice by hand:
components/schemas is made by this program from NAME.schema.json, everything else is written by
hand. A component has the schema's title as its name; $schema and $id are left out, and references
to other schemas point to their components. Without --write nothing is changed, and exit status 1
says that the document is not as it would be written.
"""

import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "schemas"
DOCUMENT = FOLDER / "openapi.json"
PREFIX = "urn:retriage:schema:"
NAMES = ("bulk-update-request", "bulk-update-result", "issues-summary", "issue", "ruleset-list",
         "ruleset", "problem")

# Too small to be worth a file of its own: no command prints it.
HEALTH = {
    "title": "Health",
    "description": "That the server answers.",
    "type": "object",
    "properties": {"status": {"description": "Always ok.", "type": "string", "const": "ok"}},
    "required": ["status"],
    "additionalProperties": False,
}


def load(name):
    """One schema."""
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


def point(value, places):
    """A copy of a schema whose references point into the document."""
    if isinstance(value, list):
        return [point(element, places) for element in value]
    if not isinstance(value, dict):
        return value
    copied = {name: point(member, places) for name, member in value.items()
              if name not in ("$schema", "$id")}
    if isinstance(value.get("$ref"), str):
        copied["$ref"] = places[value["$ref"]]
    return copied


def components():
    """The value of components/schemas."""
    schemas = [load(name) for name in NAMES]
    places = {schema["$id"]: f"#/components/schemas/{schema['title']}" for schema in schemas}
    made = {schema["title"]: point(schema, places) for schema in schemas}
    return made | {HEALTH["title"]: HEALTH}


def written():
    """The text of the document as it has to be."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    document["components"]["schemas"] = components()
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main(arguments):
    """Write or compare; returns the exit status."""
    if arguments not in ([], ["--write"]):
        print("use: openapi.py [--write]", file=sys.stderr)
        return 2
    text = written()
    if arguments:
        DOCUMENT.write_text(text, encoding="utf-8")
        return 0
    if text != DOCUMENT.read_text(encoding="utf-8"):
        print("schemas/openapi.json does not carry the schemas as they are: "
              "run tests/tools/openapi.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
