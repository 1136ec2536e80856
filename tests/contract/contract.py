#!/usr/bin/python3
"""Hold retriage serve to schemas/openapi.json through Stoplight Prism, a validating proxy.

Use: contract.py NODE_MODULES
Environment: RETRIAGE (default BUILD/retriage), CONTRACT_SEED and CONTRACT_BODIES (default 1, 300).

Two Prisms stand before the server. The strict one refuses what breaks the document, in either
direction: valid requests go through it. The other lets everything pass and lists what is wrong in
a header of its answer: requests with faults go through it, and only the request may be blamed. A
third is as the second, and calls the server by another name. What Prism cannot carry (see DIRECT
and provoke.FAULTS) is sent to the server itself, and the answer is checked against the document
here. Every response that the document has must be seen, but for those of provoke.NEVER.
Last line: "N passed, N failed".
"""

import http.client
import json
import os
import pathlib
import random
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True  # before our own modules: nothing is written beside the sources

import bodies
import programs
import provoke
from answers import (BULK, JSON_TYPE, KEY, ONE, RULESETS, SUMMARY, Tally, direct, lenient, send,
                     strict)

GETS = (SUMMARY, RULESETS, "/healthz", "/openapi.json")
SEED = int(os.environ.get("CONTRACT_SEED", "1"))
BODIES = int(os.environ.get("CONTRACT_BODIES", "300"))


def check_reading(tally, proxy):
    """Every operation that changes nothing."""
    summary = strict(tally, proxy, "summary", "GET", SUMMARY, KEY)
    total = json.loads(summary.body).get("total_issues")
    for path in ("/healthz", "/openapi.json"):
        strict(tally, proxy, path, "GET", path, {})
    for path in (*GETS, BULK):
        answer = strict(tally, proxy, f"OPTIONS {path}", "OPTIONS", path, {}, want=204)
        tally.check(f"OPTIONS {path}: Allow", answer.headers.get("Allow"), answer.told())
    everything = strict(tally, proxy, "rulesets", "GET", RULESETS, KEY)
    tally.check("rulesets: all of them", len(json.loads(everything.body)) == 30, everything.told())
    for repo in (*bodies.REPOS, "no such repository"):
        target = f"{RULESETS}?repo_id={urllib.parse.quote(repo, safe='')}"
        answer = strict(tally, proxy, f"rulesets of {repo!r}", "GET", target, KEY)
        for ruleset in json.loads(answer.body) if answer.status == 200 else ():
            tally.check(f"rulesets of {repo!r}: bound to it", repo in ruleset["repo_ids"],
                        str(ruleset))
    return total


def check_updates(tally, proxy, rng, names, total):
    """Random bodies without fault."""
    for number in range(BODIES):
        body = bodies.good(rng, names)
        what = f"body {number} of seed {SEED}"
        answer = strict(tally, proxy, what, "PATCH", BULK, KEY | JSON_TYPE,
                        json.dumps(body, ensure_ascii=rng.random() < 0.5))
        if answer.status != 200:
            continue
        result = json.loads(answer.body)
        order = list(dict.fromkeys(body["issue_ids"]))
        known = [name for name in order if name in names]
        tally.check(f"{what}: updated",
                    [issue["id"] for issue in result["updated_issues"]] == known and
                    result["updated_count"] == len(known), str(body))
        tally.check(f"{what}: failed", [issue["issue_id"] for issue in result["failed_issues"]] ==
                    [name for name in order if name not in names], str(body))
        for member in ("severity", "false_positive", "exploitable"):
            if body.get(member) is not None:
                tally.check(f"{what}: {member}", all(issue[member] == body[member]
                                                     for issue in result["updated_issues"]))
        if number % 20 == 0:
            summary = json.loads(strict(tally, proxy, "summary between", "GET", SUMMARY, KEY).body)
            tally.check("summary between: total", summary.get("total_issues") == total)


def check_bad_bodies(tally, proxy, rng, names):
    """Random bodies with faults: the shim refuses what the schema refuses."""
    for number in range(BODIES // 3):
        body = bodies.bad(rng, names)
        answer = lenient(tally, proxy, f"bad body {number} of seed {SEED}", "PATCH", BULK,
                         KEY | JSON_TYPE, json.dumps(body), want=422)
        if answer.status == 422:
            tally.check("its pointers", all(isinstance(fault["pointer"], str) for fault in
                                            json.loads(answer.body)["errors"]), answer.told())


def check_errors(tally, proxy):
    """Errors that pass through Prism, beside those that every operation has."""
    for path in GETS:
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            lenient(tally, proxy, f"{method} {path}", method, path, KEY, want=405)
    for method in ("GET", "POST", "PUT", "DELETE"):
        lenient(tally, proxy, f"{method} {BULK}", method, BULK, KEY, want=405)
    for path in ("/", "/api", "/api/issues", BULK + "/", "/API/rulesets", "/api/rulesets/x"):
        lenient(tally, proxy, path, "GET", path, KEY, want=404)
    lenient(tally, proxy, "repo_id twice", "GET", RULESETS + "?repo_id=a&repo_id=b", KEY, want=400)
    lenient(tally, proxy, "repo_id with NUL", "GET", RULESETS + "?repo_id=a%00", KEY, want=400,
            blamed=False)
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded"):
        lenient(tally, proxy, f"a body of {kind}", "PATCH", BULK, KEY | {"Content-Type": kind},
                ONE, want=415)
    lenient(tally, proxy, "no body", "PATCH", BULK, KEY | JSON_TYPE, "", want=400)
    # Prism passes Transfer-Encoding on and puts Content-Length beside it.
    for method, path in (("PATCH", BULK), *(("OPTIONS", path) for path in (*GETS, BULK))):
        lenient(tally, proxy, f"{method} {path}, framed twice", method, path,
                KEY | JSON_TYPE | {"Transfer-Encoding": "chunked"},
                b"%x\r\n%s\r\n0\r\n\r\n" % (len(ONE), ONE.encode()), want=400, blamed=False)
    large = json.dumps({"issue_ids": ["iss-1"], "notes": "x" * (1 << 20)})
    lenient(tally, proxy, "a body too large", "PATCH", BULK, KEY | JSON_TYPE, large, want=413)


# What Prism 5.14 cannot carry, and so is sent to the server itself: it parses a body as JSON before
# anything else, joins headers that are repeated, and frames requests anew.
DIRECT = (
    ("a body cut short", "PATCH", BULK, [*KEY.items(), *JSON_TYPE.items()], '{"issue_ids":[', 400),
    ("an empty body", "PATCH", BULK, [*KEY.items(), *JSON_TYPE.items()], "", 400),
    ("a body that is not UTF-8", "PATCH", BULK, [*KEY.items(), *JSON_TYPE.items()],
     b'{"issue_ids":["\xff"]}', 400),
    ("another charset", "PATCH", BULK,
     [*KEY.items(), ("Content-Type", "application/json; charset=latin1")], ONE, 415),
    ("no type", "PATCH", BULK, [*KEY.items()], ONE, 415),
    ("another transfer coding", "PATCH", BULK,
     [*KEY.items(), *JSON_TYPE.items(), ("Transfer-Encoding", "gzip")], b"", 501),
    ("a repeated member", "PATCH", BULK, [*KEY.items(), *JSON_TYPE.items()],
     '{"issue_ids":["a"],"issue_ids":["a"]}', 422),
    ("two keys", "GET", SUMMARY, [*KEY.items(), *KEY.items()], None, 400),
    ("a method in small letters", "get", SUMMARY, [*KEY.items()], None, 405),
)


def check_direct(tally, port):
    """The table above."""
    for what, method, path, headers, body, want in DIRECT:
        direct(tally, port, what, method, path, headers, body, want=want)
    served = send(port, "GET", "/openapi.json", {})
    tally.check("the document served is the one of the tree",
                served.body == programs.DOCUMENT.read_bytes())


def run(tally, modules, folder):
    """Everything, against servers that listen on one port after the other."""
    rng = random.Random(SEED)
    names = bodies.identifiers(rng, 200)
    export = folder / "export.json"
    export.write_text(bodies.export(rng, names), encoding="utf-8")
    started = []
    try:
        server, port = programs.serve(export, folder / "journal")
        started.append(server)
        refusing, refusing_port = programs.prism(modules, port, "--errors")
        started.append(refusing)
        listing, listing_port = programs.prism(modules, port)
        started.append(listing)
        # This address leads to the server, too, and is none of its names.
        elsewhere, elsewhere_port = programs.prism(modules, port, host="0.0.0.0")
        started.append(elsewhere)
        total = check_reading(tally, refusing_port)
        tally.check("summary: total", total == len(names), str(total))
        check_updates(tally, refusing_port, rng, names, total)
        check_bad_bodies(tally, listing_port, rng, names)
        check_errors(tally, listing_port)
        check_direct(tally, port)
        provoke.check_everywhere(tally, listing_port, port)
        provoke.check_long_target(tally, port)
        provoke.check_other_host(tally, elsewhere_port)
        tally.check("the server ends well", server.stop() == 0, server.output()[-500:])
        provoke.check_unreadable_export(tally, listing_port, port, folder, export)
        provoke.check_changed_export(tally, listing_port, port, folder, export)
        provoke.check_flush_failure(tally, listing_port, port, folder, export)
        provoke.check_stopping(tally, folder, export)
    finally:
        for program in reversed(started):
            program.stop()


def main(arguments):
    """Run; returns the exit status."""
    if len(arguments) != 1:
        print("use: contract.py NODE_MODULES", file=sys.stderr)
        return 2
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="retriage-contract-") as folder:
        try:
            run(tally, pathlib.Path(arguments[0]).resolve(), pathlib.Path(folder))
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            tally.check("the run was cut short", False, str(error))
    provoke.check_seen(tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


sys.exit(main(sys.argv[1:]))
