"""Provokes every answer that schemas/openapi.json has, on each of its operations.

What is sent is made from the document: a response that it has and that nothing here or in
contract.py provokes is found by check_seen().
"""

import collections
import json
import os
import shutil
import signal
import socket
import struct

import programs
from answers import (BULK, DOCUMENT, JSON_TYPE, KEY, ONE, RULESETS, SUMMARY, Answer, ask,
                     check_document, connect, direct, lenient)

# A library to preload and what it reads of a file: kind, call, onwards, armed, calls, failed.
FAULT = programs.BUILD / "tests" / "fault" / "fault.so"
ARM = struct.Struct("=16s5q")
# What is answered from the export and its journal.
STATE = (BULK, SUMMARY, RULESETS)

Operation = collections.namedtuple("Operation", "method path headers body statuses")
Fault = collections.namedtuple("Fault", "what status headers blamed carried")

OPERATIONS = [
    Operation(method.upper(), path,
              ({} if operation.get("security") == [] else KEY) |
              (JSON_TYPE if "requestBody" in operation else {}),
              ONE if "requestBody" in operation else None,
              {int(status) for status in operation["responses"]})
    for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()]

# What any request can have wrong: the status, the headers instead of the good ones (None: left
# out), whether Prism sees the fault, and whether it carries it. Prism writes Host itself, joins
# headers that are repeated, and frames requests anew.
FAULTS = [
    Fault("no fault", 200, (), False, True),
    Fault("no key", 401, [("X-API-Key", None)], True, True),
    Fault("a wrong key", 401, [("X-API-Key", "x" * 28)], False, True),
    Fault("another origin", 403, [("Origin", "http://example.com")], False, True),
    Fault("a long header", 431, [("X-Long", "x" * 20000)], False, True),
    Fault("two hosts", 400, [("Host", "127.0.0.1"), ("Host", "127.0.0.1")], False, False),
    Fault("two framings", 400, [("Content-Length", "0"), ("Transfer-Encoding", "chunked")], False,
          False),
    Fault("another host", 421, [("Host", "example.com")], False, False),
]


def good_status(operation):
    """Of the answer to a request without fault."""
    return min(operation.statuses)


def headers_of(operation, fault):
    """The headers of a request with a fault, as pairs."""
    names = {name for name, _ in fault.headers}
    kept = [pair for pair in operation.headers.items() if pair[0] not in names]
    return kept + [pair for pair in fault.headers if pair[1] is not None]


def check_everywhere(tally, proxy, port):
    """Every fault of the table on every operation, through Prism (port proxy) where that can be.

    An operation whose document lacks the status must not mind: OPTIONS needs no key.
    """
    for operation in OPERATIONS:
        for fault in FAULTS:
            want = fault.status if fault.status in operation.statuses else good_status(operation)
            what = f"{operation.method} {operation.path}, {fault.what}"
            request = (operation.method, operation.path, headers_of(operation, fault),
                       operation.body)
            direct(tally, port, what, *request, want=want)
            # Prism parses the body of an answer to HEAD, and there is none.
            if fault.carried and operation.method != "HEAD":
                lenient(tally, proxy, f"{what}, through Prism", *request, want=want,
                        blamed=fault.blamed and want == fault.status)


def check_long_target(tally, port):
    """A query that makes the first line too long, on every operation."""
    for operation in OPERATIONS:
        direct(tally, port, f"{operation.method} {operation.path}, a long target",
               operation.method, f"{operation.path}?repo_id={'a' * 20000}", operation.headers,
               operation.body, want=414)


def check_other_host(tally, proxy):
    """Every operation through a Prism that knows the server by a name it does not go by."""
    for operation in OPERATIONS:
        if operation.method != "HEAD":
            lenient(tally, proxy, f"{operation.method} {operation.path}, a Prism of another host",
                    operation.method, operation.path, operation.headers, operation.body, want=421,
                    blamed=False)


def ended(program, status):
    """Whether a program ends by itself with this status."""
    return (programs.wait_until(lambda: program.process.poll() is not None, 20) and
            program.process.returncode == status)


def long_export(export, path):
    """The same, with more issues behind it than a server holds in memory."""
    data = json.loads(export.read_bytes())
    issues = data.pop("issues") + [{"id": f"more-{n}", "description": "d" * 2000}
                                   for n in range(2500)]
    path.write_text(json.dumps({**data, "issues": issues}), encoding="utf-8")
    return path


def check_unreadable_export(tally, proxy, port, folder, export):
    """An export whose reads fail: what has to be read from it is not answered, the rest is.

    The server listens on port, which Prism at port proxy stands before.
    """
    arm = folder / "arm"
    arm.write_bytes(ARM.pack(b"read", 1, 1, 0, 0, 0))
    program, _ = programs.serve(long_export(export, folder / "long.json"),
                                folder / "journal-unreadable", port=port,
                                environment={"LD_PRELOAD": str(FAULT), "LD_FAULT_ARM": str(arm)})
    try:
        with open(arm, "r+b", buffering=0) as file:
            file.write(ARM.pack(b"read", 1, 1, 1, 0, 0))
        for operation in OPERATIONS:
            want = 500 if 500 in operation.statuses else good_status(operation)
            if operation.method == "PATCH":
                continue
            what = f"{operation.method} {operation.path} of an export that cannot be read"
            request = (operation.method, operation.path, operation.headers, operation.body)
            direct(tally, port, what, *request, want=want)
            if operation.method != "HEAD":
                lenient(tally, proxy, f"{what}, through Prism", *request, want=want, blamed=False)
        tally.check("the server goes on", program.process.poll() is None, program.output()[-300:])
    finally:
        program.stop()


def check_changed_export(tally, proxy, port, folder, export):
    """An export that is cut while it is served: the first request is told, and the server ends."""
    changed = folder / "changed.json"
    for operation in OPERATIONS:
        if operation.path not in STATE or operation.method in ("OPTIONS", "HEAD"):
            continue
        shutil.copyfile(export, changed)
        program, _ = programs.serve(changed, folder / f"journal-changed-{operation.method}",
                                    port=port)
        try:
            os.truncate(changed, 0)
            what = f"{operation.method} {operation.path} of a changed export"
            lenient(tally, proxy, what, operation.method, operation.path, operation.headers,
                    operation.body, want=503, blamed=False)
            tally.check(f"{what}: the server ends", ended(program, 3), program.output()[-300:])
        finally:
            program.stop()


def check_flush_failure(tally, proxy, port, folder, export):
    """A flush that fails: 503, and the server ends with exit status 3. Ports as above."""
    wrapper = ("strace", "-f", "-qq", "-o", folder / "strace.out", "-e", "trace=fdatasync,fsync",
               "-e", "inject=fdatasync,fsync:error=EIO")
    program, _ = programs.serve(export, folder / "journal-eio", wrapper=wrapper, port=port)
    try:
        lenient(tally, proxy, "a failed flush", "PATCH", BULK, KEY | JSON_TYPE, ONE, want=503,
                blamed=False)
        tally.check("a failed flush ends the server", ended(program, 3), program.output()[-300:])
    finally:
        program.stop()


def begin_update(port):
    """An update whose head the server has read: it has asked for the body."""
    connection = connect(port)
    connection.putrequest("PATCH", BULK)
    for name, text in (KEY | JSON_TYPE | {"Content-Length": str(len(ONE)),
                                          "Expect": "100-continue"}).items():
        connection.putheader(name, text)
    connection.endheaders()
    connection.sock.recv(1, socket.MSG_PEEK)
    return connection


def listens(port):
    """Whether a server takes connections.

    A reset is no answer: the socket was closed while this connection waited to be taken.
    """
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except ConnectionRefusedError:
        return False
    except ConnectionResetError:
        pass
    return True


def check_stopping(tally, folder, export):
    """A server that ends: it finishes what has begun, and answers 503 on connections it has."""
    program, port = programs.serve(export, folder / "journal-stopping")
    connections = [connect(port) for _ in OPERATIONS]
    try:
        for operation, connection in zip(OPERATIONS, connections):
            answer = ask(connection, *operation[:4])
            tally.check("before the end", answer.status == good_status(operation), answer.told())
        begun = begin_update(port)
        connections.append(begun)
        program.process.send_signal(signal.SIGTERM)
        tally.check("the server takes no more connections",
                    programs.wait_until(lambda: not listens(port), 20))
        for operation, connection in zip(OPERATIONS, connections):
            what = f"{operation.method} {operation.path} at the end"
            answer = ask(connection, *operation[:4])
            tally.check(what, answer.status == 503 and answer.headers["Connection"] == "close",
                        answer.told())
            check_document(tally, what, operation.method, operation.path, answer)
        begun.send(ONE.encode())
        answer = Answer(begun.getresponse())
        tally.check("an update begun before the end", answer.status == 200, answer.told())
        check_document(tally, "an update begun before the end", "PATCH", BULK, answer)
        tally.check("the server ends well", ended(program, 0), program.output()[-500:])
    finally:
        for connection in connections:
            connection.close()
        program.stop()


def check_seen(tally):
    """That every response of the document was seen."""
    listed = {(operation.method, operation.path, status)
              for operation in OPERATIONS for status in operation.statuses}
    tally.check("responses of the document were not seen", listed <= tally.seen,
                sorted(listed - tally.seen))
    print(f"responses of the document that were seen: {len(listed & tally.seen)} of {len(listed)}")
