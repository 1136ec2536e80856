#!/usr/bin/python3
"""Hold schemas/openapi.json to schemas/*.schema.json, to the version, and to itself.

What only a program of others can say of it, make check-contract asks such programs.
"""

import json
import re
import sys
import unittest

import jsonschema

sys.dont_write_bytecode = True  # before our own modules: nothing is written beside the sources

import schema_set

sys.path.insert(0, str(schema_set.ROOT / "tests" / "tools"))

import openapi

TEXT = openapi.DOCUMENT.read_text(encoding="utf-8")
DOCUMENT = json.loads(TEXT)
KEY_FREE = {"/healthz", "/openapi.json"}


def responses():
    """Every response as (where, status or None, response), references followed."""
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                yield f"{method} {path}", method, int(status), follow(response)
    for status, response in DOCUMENT["x-responses-elsewhere"].items():
        yield "elsewhere", "get", int(status), follow(response)


def follow(value):
    """A response, or what its $ref points to."""
    while "$ref" in value:
        found = DOCUMENT
        for name in value["$ref"][2:].split("/"):
            found = found[name]
        value = found
    return value


def faults(schema, example):
    """What is wrong with an example."""
    whole = {"components": DOCUMENT["components"], **schema}
    return [error.message for error in jsonschema.Draft202012Validator(whole).iter_errors(example)]


class Openapi(unittest.TestCase):
    """The document as it stands in the tree."""

    def test_schemas_are_those_of_the_files(self):
        self.assertEqual(TEXT, openapi.written(), "run tests/tools/openapi.py --write")

    def test_version_is_that_of_the_header(self):
        header = (schema_set.ROOT / "include" / "retriage.h").read_text(encoding="utf-8")
        self.assertEqual(DOCUMENT["info"]["version"],
                         re.search(r'RT_VERSION "(.*)"', header)[1])
        self.assertEqual(DOCUMENT["openapi"], "3.1.0")

    def test_references_lead_somewhere(self):
        references = re.findall(r'"\$ref": "([^"]*)"', TEXT)
        self.assertTrue(references)
        for reference in references:
            self.assertTrue(reference.startswith("#/components/"), reference)
            follow({"$ref": reference})
        used = set(references)
        for group in ("schemas", "responses"):
            for name in DOCUMENT["components"][group]:
                self.assertIn(f"#/components/{group}/{name}", used)

    def test_operations_are_those_of_the_contract(self):
        have = {(path, method) for path, methods in DOCUMENT["paths"].items()
                for method in methods}
        want = {("/api/issues/bulk", "patch"), ("/api/issues/bulk", "options")}
        want |= {(path, method) for method in ("get", "head", "options") for path in
                 ("/api/issues/summary", "/api/rulesets", "/healthz", "/openapi.json")}
        self.assertEqual(have, want)
        scheme = DOCUMENT["components"]["securitySchemes"]["ApiKey"]
        self.assertEqual((scheme["type"], scheme["in"], scheme["name"]),
                         ("apiKey", "header", "X-API-Key"))
        self.assertEqual(DOCUMENT["security"], [{"ApiKey": []}])
        for path, method in have:
            free = DOCUMENT["paths"][path][method].get("security") == []
            self.assertEqual(free, path in KEY_FREE or method == "options", (path, method))

    def test_errors_are_problem_documents(self):
        for where, method, status, response in responses():
            with self.subTest(where=where, status=status):
                content = response.get("content", {})
                if method == "head" or status == 204:
                    self.assertEqual(content, {})
                    continue
                kind = "application/json" if status == 200 else "application/problem+json"
                self.assertEqual(list(content), [kind])
                if status != 200:
                    self.assertEqual(content[kind]["schema"],
                                     {"$ref": "#/components/schemas/Problem"})
                    self.assertEqual(content[kind]["example"]["status"], status)

    def test_examples_keep_to_the_schemas(self):
        found = 0
        for where, _, status, response in responses():
            for content in response.get("content", {}).values():
                if "example" in content:
                    found += 1
                    self.assertEqual(faults(content["schema"], content["example"]), [],
                                     (where, status))
        body = DOCUMENT["paths"]["/api/issues/bulk"]["patch"]["requestBody"]["content"]
        body = body["application/json"]
        self.assertEqual(faults(body["schema"], body["example"]), [])
        self.assertNotEqual(faults(body["schema"], {"issue_ids": []}), [])
        self.assertGreater(found, 10)


if __name__ == "__main__":
    unittest.main()
