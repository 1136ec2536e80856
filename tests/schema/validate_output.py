#!/usr/bin/python3
"""Hold a document on standard input to one of the project's schemas.

Use: validate_output.py [--yaml] SCHEMA-NAME < DOCUMENT
Prints a line for each fault. Exit status: 0 valid, 1 not valid, 2 wrong usage or no document.
"""

import sys

sys.dont_write_bytecode = True  # nothing is written beside the sources

import schema_set


def main(arguments):
    """Validate; returns the exit status."""
    as_yaml = arguments[:1] == ["--yaml"]
    names = arguments[1:] if as_yaml else arguments
    schemas = schema_set.load_all()
    if len(names) != 1 or names[0] not in schemas:
        print(f"use: validate_output.py [--yaml] {'|'.join(schemas)}", file=sys.stderr)
        return 2
    text = sys.stdin.buffer.read().decode("utf-8")
    try:
        value = schema_set.read_yaml(text) if as_yaml else schema_set.read_json(text)
    except Exception as error:  # whatever the parsers raise: there is no document
        print(f"validate_output.py: {error}", file=sys.stderr)
        return 2
    status = 0
    for error in schema_set.validator(schemas, names[0]).iter_errors(schema_set.plain(value)):
        print(f"{schema_set.pointer(error.absolute_path) or '/'}: {error.message}")
        status = 1
    return status


sys.exit(main(sys.argv[1:]))
