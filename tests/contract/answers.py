"""Requests, and their answers held to the document: by Prism, or here by python3-jsonschema."""

import http.client
import json

import jsonschema

import programs

DOCUMENT = json.loads(programs.DOCUMENT.read_text(encoding="utf-8"))
KEY = {"X-API-Key": programs.KEY}
JSON_TYPE = {"Content-Type": "application/json"}
BULK, SUMMARY, RULESETS = "/api/issues/bulk", "/api/issues/summary", "/api/rulesets"
ONE = json.dumps({"issue_ids": ["iss-1"]})
PROBLEM = "application/problem+json"


class Tally:
    """Counts and says what failed; remembers which answers of the document were seen."""

    def __init__(self):
        self.passed = self.failed = 0
        self.seen = set()

    def check(self, what, right, detail=""):
        """One assertion; returns whether it held."""
        if right:
            self.passed += 1
            return True
        self.failed += 1
        if self.failed <= 50:
            print(f"FAILED {what}: {detail}"[:1000])
        return False


class Answer:
    """What came back."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

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


def connect(port):
    """A connection to a server or to Prism; it is opened by the first request."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60)


def ask(connection, method, target, headers, body=None):
    """One request on a connection. headers: a dictionary, or pairs to repeat one."""
    pairs = list(headers.items() if isinstance(headers, dict) else headers)
    names = {name.lower() for name, _ in pairs}
    data = body.encode() if isinstance(body, str) else body
    connection.putrequest(method, target, skip_host="host" in names, skip_accept_encoding=True)
    for name, text in pairs:
        connection.putheader(name, text)
    if data is not None and "transfer-encoding" not in names:
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    return Answer(connection.getresponse())


def send(port, method, target, headers, body=None):
    """One request on a connection of its own."""
    connection = connect(port)
    try:
        return ask(connection, method, target, headers, body)
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


def check_body(tally, what, content, answer):
    """The body of an answer against the document's schema, a problem's against its example too."""
    whole = {"components": DOCUMENT["components"], **content["schema"]}
    body = json.loads(answer.body)
    faults = [error.message for error in
              jsonschema.Draft202012Validator(whole).iter_errors(body)]
    if tally.check(f"{what}: body", not faults, str(faults)) and answer.kind() == PROBLEM:
        want = content["example"]
        tally.check(f"{what}: status and title", all(body[name] == want[name]
                                                     for name in ("status", "title")), str(body))


def check_document(tally, what, method, path, answer):
    """An answer, held to the document by python3-jsonschema."""
    response = documented(method, path, answer.status)
    if not tally.check(f"{what}: in the document", response is not None, answer.told()):
        return
    tally.seen.add((method, path, answer.status))
    for name, header in response.get("headers", {}).items():
        have = answer.headers.get(name)
        tally.check(f"{what}: {name}", have is not None and
                    header["schema"].get("const", have) == have, f"have {have!r}")
    content = response.get("content")
    if content is None:
        tally.check(f"{what}: no body", answer.body == b"", answer.told())
    elif tally.check(f"{what}: media type", answer.kind() in content, answer.told()):
        check_body(tally, what, content[answer.kind()], answer)


def strict(tally, port, what, method, target, headers, body=None, *, want=200):
    """A request without fault through the Prism that refuses."""
    answer = send(port, method, target, headers, body)
    if tally.check(what, answer.status == want and not answer.violations() and
                   b"stoplight.io" not in answer.body, answer.told()):
        tally.seen.add((method, target.split("?")[0], answer.status))
    return answer


def lenient(tally, port, what, method, target, headers, body=None, *, want, blamed=True):
    """A request with a fault through the Prism that lists. blamed: whether Prism can see it."""
    answer = send(port, method, target, headers, body)
    sides = {side for side, _ in answer.violations()}
    tally.check(what, answer.status == want and sides == ({"request"} if blamed else set()),
                f"want {want}, have {answer.told()}")
    if want >= 400:
        tally.check(f"{what}: problem", answer.kind() == PROBLEM and
                    b"stoplight.io" not in answer.body, answer.told())
    check_document(tally, what, method, target.split("?")[0], answer)
    return answer


def direct(tally, port, what, method, target, headers, body=None, *, want):
    """A request to the server itself."""
    answer = send(port, method, target, headers, body)
    tally.check(what, answer.status == want, f"want {want}, have {answer.told()}")
    check_document(tally, what, method, target.split("?")[0], answer)
    return answer
