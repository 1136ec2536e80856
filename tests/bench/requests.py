"""Makes bulk-update requests for a generated export: requests.py EXPORT COUNT IDS

Writes COUNT requests of IDS ids each as JSON Lines to standard output: ids of the export, drawn
from a fixed seed, none twice in a request.
"""

import json
import random
import re
import sys


def ids_of(path):
    """The generator writes one issue's id as "id": and a UUID; nothing else has that form."""
    with open(path, encoding="utf-8") as export:
        return re.findall(r'"id": ?"([0-9a-f-]{36})"', export.read())


def main():
    path, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    ids = ids_of(path)
    draw = random.Random(20261121)
    for number in range(count):
        json.dump({
            "issue_ids": draw.sample(ids, size),
            "severity": draw.choice(["critical", "high", "medium", "low", "info"]),
            "false_positive": draw.choice([True, False]),
            "notes": f"triage round {number}",
        }, sys.stdout)
        sys.stdout.write("\n")


main()
