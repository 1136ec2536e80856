#!/usr/bin/python3
"""Hold retriage serve to schemas/openapi.json through Stoplight Prism, a validating proxy.

Use: contract.py NODE_MODULES
Environment: RETRIAGE (default BUILD/retriage), CONTRACT_SEED and CONTRACT_BODIES (default 1, 300).

Two Prisms stand before the server. The strict one refuses what breaks the document, in either
direction: valid requests go through it. The other lets everything pass and lists what is wrong in
a header of its answer: requests with faults go through it, and only the request may be blamed.
What Prism cannot carry (see DIRECT) is sent to the server itself, and the answer is checked against
the document here. Last line: "N passed, N failed".
"""

import http.client
import json
import os
import pathlib
import random
import sys
import tempfile
import urllib.parse

import jsonschema

sys.dont_write_bytecode = True  # before our own modules: nothing is written beside the sources

import bodies
import programs

DOCUMENT = json.loads(programs.DOCUMENT.read_text(encoding="utf-8"))
KEY = {"X-API-Key": programs.KEY}
JSON_TYPE = {"Content-Type": "application/json"}
BULK, SUMMARY, RULESETS = "/api/issues/bulk", "/api/issues/summary", "/api/rulesets"
GETS = (SUMMARY, RULESETS, "/healthz", "/openapi.json")
SEED = int(os.environ.get("CONTRACT_SEED", "1"))
BODIES = int(os.environ.get("CONTRACT_BODIES", "300"))
ONE = json.dumps({"issue_ids": ["iss-1"]})


class Tally:
    """Counts and says what failed; remembers which answers of the document were seen."""

    def __init__(self):
        self.passed = self.failed = 0
        self.seen = set()

    def check(self, what, right, detail=""):
        """One assertion."""
        if right:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 50:
            print(f"FAILED {what}: {detail}"[:1000])


class Answer:
    """What came back."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def kind(self):
        """Its media type without parameters."""
        return (self.headers.get("Content-Type") or "").split(";")[0]

    def violations(self):
        """What Prism has found, as (request or response, message)."""
        return [(fault["location"][0], fault["message"])
                for fault in json.loads(self.headers.get("sl-violations") or "[]")]

    def told(self):
        """For a message about it."""
        return f"{self.status} {self.kind()} {self.violations()} {self.body[:300]!r}"


def send(port, method, target, headers, body=None):
    """One request on a connection of its own. headers: a dictionary, or pairs to repeat one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        names = {name.lower() for name, _ in pairs}
        data = body.encode() if isinstance(body, str) else body
        connection.putrequest(method, target, skip_host="host" in names,
                              skip_accept_encoding=True)
        for name, text in pairs:
            connection.putheader(name, text)
        if data is not None and "transfer-encoding" not in names:
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def documented(method, path, status):
    """The response that the document has for an answer, references followed; or None."""
    operation = DOCUMENT["paths"].get(path, {}).get(method.lower())
    if operation and status not in (404, 405):
        response = operation["responses"].get(str(status))
    else:
        response = DOCUMENT["x-responses-elsewhere"].get(str(status))
    if response and "$ref" in response:
        response = DOCUMENT["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    return response


def check_document(tally, what, method, path, answer):
    """An answer that Prism did not see, held to the document by python3-jsonschema."""
    response = documented(method, path, answer.status)
    tally.check(f"{what}: in the document", response is not None, answer.told())
    if response is None:
        return
    tally.seen.add((method, path, answer.status))
    for name, header in response.get("headers", {}).items():
        have = answer.headers.get(name)
        tally.check(f"{what}: {name}", have is not None and
                    header["schema"].get("const", have) == have, f"have {have!r}")
    content = response.get("content")
    if content is None:
        tally.check(f"{what}: no body", answer.body == b"", answer.told())
        return
    tally.check(f"{what}: media type", answer.kind() in content, answer.told())
    if answer.kind() in content:
        whole = {"components": DOCUMENT["components"], **content[answer.kind()]["schema"]}
        faults = [error.message for error in
                  jsonschema.Draft202012Validator(whole).iter_errors(json.loads(answer.body))]
        tally.check(f"{what}: body", not faults, str(faults))


def strict(tally, port, what, method, target, headers, body=None, want=200):
    """A request without fault through the Prism that refuses."""
    answer = send(port, method, target, headers, body)
    tally.check(what, answer.status == want and not answer.violations() and
                b"stoplight.io" not in answer.body, answer.told())
    tally.seen.add((method, target.split("?")[0], answer.status))
    return answer


def lenient(tally, port, what, method, target, headers, body=None, *, want, blamed=True):
    """A request with a fault through the Prism that lists. blamed: whether Prism can see it."""
    answer = send(port, method, target, headers, body)
    sides = {side for side, _ in answer.violations()}
    tally.check(what, answer.status == want and sides == ({"request"} if blamed else set()),
                f"want {want}, have {answer.told()}")
    if want >= 400:
        tally.check(f"{what}: problem", answer.kind() == "application/problem+json" and
                    b"stoplight.io" not in answer.body, answer.told())
    path = target.split("?")[0]
    check_document(tally, what, method, path, answer)
    return answer


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
    """Every error that passes through Prism."""
    for path in (SUMMARY, RULESETS):
        lenient(tally, proxy, f"{path} without a key", "GET", path, {}, want=401)
        lenient(tally, proxy, f"{path} with a wrong key", "GET", path,
                {"X-API-Key": "x" * 28}, want=401, blamed=False)
    lenient(tally, proxy, "update without a key", "PATCH", BULK, JSON_TYPE, ONE, want=401)
    for path in GETS:
        lenient(tally, proxy, f"{path} for another origin", "GET", path,
                KEY | {"Origin": "http://example.com"}, want=403, blamed=False)
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            lenient(tally, proxy, f"{method} {path}", method, path, KEY, want=405)
    for method in ("GET", "POST", "PUT", "DELETE"):
        lenient(tally, proxy, f"{method} {BULK}", method, BULK, KEY, want=405)
    for path in ("/", "/api", "/api/issues", BULK + "/", "/API/rulesets", "/api/rulesets/x"):
        lenient(tally, proxy, path, "GET", path, KEY, want=404)
    lenient(tally, proxy, "repo_id twice", "GET", RULESETS + "?repo_id=a&repo_id=b", KEY, want=400)
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded"):
        lenient(tally, proxy, f"a body of {kind}", "PATCH", BULK, KEY | {"Content-Type": kind},
                ONE, want=415)
    large = json.dumps({"issue_ids": ["iss-1"], "notes": "x" * (1 << 20)})
    lenient(tally, proxy, "a body too large", "PATCH", BULK, KEY | JSON_TYPE, large, want=413)


# What Prism 5.14 cannot carry, and so is sent to the server itself: it parses a body as JSON before
# anything else, also where there is none (HEAD), writes Host itself, joins headers that are
# repeated, and frames requests anew.
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
    ("another host", "GET", SUMMARY, [("Host", "example.com"), *KEY.items()], None, 421),
    ("another host, no key needed", "GET", "/healthz", [("Host", "example.com")], None, 421),
    ("a long header", "GET", SUMMARY, [*KEY.items(), ("X-Long", "x" * 20000)], None, 431),
    ("a method in small letters", "get", SUMMARY, [*KEY.items()], None, 405),
    *[(f"HEAD {path}", "HEAD", path, [*KEY.items()], None, 200) for path in GETS],
    *[(f"HEAD {path} without a key", "HEAD", path, [], None, 401) for path in (SUMMARY, RULESETS)],
    *[(f"HEAD {path}, another host", "HEAD", path, [("Host", "a"), *KEY.items()], None, 421)
      for path in GETS],
)


def check_direct(tally, port):
    """The table above."""
    for what, method, path, headers, body, want in DIRECT:
        answer = send(port, method, path, headers, body)
        tally.check(what, answer.status == want, f"want {want}, have {answer.told()}")
        known = method if method.isupper() else "GET"
        check_document(tally, what, known, path, answer)
    served = send(port, "GET", "/openapi.json", {})
    tally.check("the document served is the one of the tree",
                served.body == programs.DOCUMENT.read_bytes())


def check_flush_failure(tally, folder, export):
    """A flush that fails: 503, and the server ends with exit status 3."""
    wrapper = ("strace", "-f", "-qq", "-o", folder / "strace.out", "-e", "trace=fdatasync,fsync",
               "-e", "inject=fdatasync,fsync:error=EIO")
    program, port = programs.serve(export, folder / "journal-eio", wrapper=wrapper)
    try:
        answer = send(port, "PATCH", BULK, KEY | JSON_TYPE, ONE)
        tally.check("a failed flush", answer.status == 503, answer.told())
        check_document(tally, "a failed flush", "PATCH", BULK, answer)
        tally.check("a failed flush ends the server",
                    programs.wait_until(lambda: program.process.poll() is not None, 20) and
                    program.process.returncode == 3, program.output()[-300:])
    finally:
        program.stop()


def run(tally, modules, folder):
    """Everything, against one server."""
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
        total = check_reading(tally, refusing_port)
        tally.check("summary: total", total == len(names), str(total))
        check_updates(tally, refusing_port, rng, names, total)
        check_bad_bodies(tally, listing_port, rng, names)
        check_errors(tally, listing_port)
        check_direct(tally, port)
        tally.check("the server ends well", server.stop() == 0, server.output()[-500:])
    finally:
        for program in reversed(started):
            program.stop()
    check_flush_failure(tally, folder, export)


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
    listed = {(method.upper(), path, int(status))
              for path, methods in DOCUMENT["paths"].items()
              for method, operation in methods.items() for status in operation["responses"]}
    print(f"responses of the document that were seen: {len(listed & tally.seen)} of {len(listed)}; "
          "the others are the same problem on another path, or need a failure of the system")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


sys.exit(main(sys.argv[1:]))
