#!/usr/bin/python3
"""Hold a document on standard input to one of the project's schemas.

Use: validate_output.py [--yaml | --lines] SCHEMA-NAME < DOCUMENT
--lines: each line is a document. Prints a line for each fault. Exit status: 0 valid, 1 not valid, 2
wrong usage or no document.
"""

import sys

sys.dont_write_bytecode = True  # nothing is written beside the sources

import schema_set


def main(arguments):
    """Validate; returns the exit status."""
    form = arguments[0] if arguments[:1] in (["--yaml"], ["--lines"]) else None
    names = arguments[1:] if form else arguments
    read = schema_set.read_yaml if form == "--yaml" else schema_set.read_json
    schemas = schema_set.load_all()
    if len(names) != 1 or names[0] not in schemas:
        print(f"use: validate_output.py [--yaml | --lines] {'|'.join(schemas)}", file=sys.stderr)
        return 2
    text = sys.stdin.buffer.read().decode("utf-8")
    try:
        values = list(map(read, text.splitlines() if form == "--lines" else [text]))
    except Exception as error:  # whatever the parsers raise: there is no document
        print(f"validate_output.py: {error}", file=sys.stderr)
        return 2
    status = 0
    validator = schema_set.validator(schemas, names[0])
    for value in values:
        for error in validator.iter_errors(schema_set.plain(value)):
            print(f"{schema_set.pointer(error.absolute_path) or '/'}: {error.message}")
            status = 1
    return status


sys.exit(main(sys.argv[1:]))
