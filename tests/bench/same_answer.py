#!/usr/bin/python3
"""Tell whether several summaries are the same document.

Use: same_answer.py SUMMARY...
Compares parsed values and the order of members; numbers count as equal when they are the same
double, since jq and jansson rewrite 7.50. Exit status 1, and a line for each difference, when
one differs from the first.
"""

import json
import sys


def ordered(value):
    """A value that differs when members stand in another order."""
    if isinstance(value, dict):
        return [[name, ordered(member)] for name, member in value.items()]
    if isinstance(value, list):
        return [ordered(element) for element in value]
    return value


def differences(first, other):
    """Names of the members of a summary that differ."""
    names = sorted(set(first) | set(other))
    return [name for name in names if ordered(first.get(name)) != ordered(other.get(name))]


def main(paths):
    answers = []
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            answers.append(json.load(stream))
    status = 0
    for path, answer in zip(paths[1:], answers[1:]):
        different = differences(answers[0], answer)
        if different or list(answers[0]) != list(answer):
            print(f"{path} differs from {paths[0]} in: {', '.join(different) or 'order'}")
            status = 1
    return status


sys.exit(main(sys.argv[1:]))
