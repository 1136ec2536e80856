#!/usr/bin/python3
"""Make every step of the program fail: steps.py [--wrap] HEADER...

A step is a function of a header that returns an enum rt_status and says why in its last argument.
Output: C, in which each of them first asks whether it is to fail (step.c), as if there were no
memory; with --wrap, the linker's options that send calls from other files there. Refuses headers
in which there is none.
"""
import re
import sys

# Whose status is no answer of theirs.
NONE = re.compile(r"rt_(error|limits)_")
HOW = {"struct rt_error *err": "rt_error_nomem(err)",
       "struct rt_sarif_fault *fault":
           "(rt_sarif_fault_clear(fault), fault->status = rt_error_nomem(&fault->err))"}
PROTOTYPE = re.compile(r"^enum rt_status (rt_\w+)\(([^;{}]*)\);", re.MULTILINE)


def split(parameters):
    """The parameters, each in one line."""
    parts, depth = [""], 0
    for char in " ".join(parameters.split()):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def name_of(parameter):
    """A parameter's name."""
    return (re.search(r"\(\*(\w+)\)", parameter) or re.search(r"(\w+)(\[[^]]*\])*$", parameter))[1]


def steps(header):
    """Names and parameters of a header's steps."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    for name, parameters in PROTOTYPE.findall(text):
        parts = split(parameters)
        if parts[-1] in HOW and not NONE.match(name):
            yield name, parts


def main(arguments):
    """Run; returns the exit status."""
    as_options = arguments[:1] == ["--wrap"]
    headers = arguments[as_options:]
    found = {header: list(steps(header)) for header in headers}
    if not any(found.values()):
        return 1
    if as_options:
        print("\n".join(f"-Wl,--wrap={name}" for own in found.values() for name, _ in own))
        return 0
    print("/* Made by tests/fault/steps.py. */")
    for header in (header for header in headers if found[header]):
        print(f'#include "{re.sub(r"^(src|include)/", "", header)}"')
    print('#include "base/error.h"\n\nbool rt_step_fails(void);')
    for name, parts in (step for own in found.values() for step in own):
        parameters = ", ".join(parts)
        values = ", ".join(map(name_of, parts))
        print(f"\nenum rt_status __real_{name}({parameters});\n"
              f"enum rt_status __wrap_{name}({parameters});\n"
              f"enum rt_status __wrap_{name}({parameters})\n{{\n"
              f"\treturn rt_step_fails() ? {HOW[parts[-1]]} : __real_{name}({values});\n}}")
    return 0


sys.exit(main(sys.argv[1:]))
