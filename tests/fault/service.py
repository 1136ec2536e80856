"""A server whose calls fail when the test wants it, what it is asked, and what is right.

For test_serve.py beside this file.
"""
import hashlib
import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "http"), os.path.join(HERE, "..", "kill")]

import scene as scenes  # noqa: E402
import shim as http  # noqa: E402
from shim import KEY  # noqa: E402

INJECTOR = os.path.join(http.BUILD, "tests", "fault", "fault.so")
PATIENCE = 0.3  # seconds for an answer while calls fail; what is late is waited for without
SECONDS = 15.0  # for what must come

SUMMARY, RULESETS, BULK = "/api/issues/summary", "/api/rulesets", "/api/issues/bulk"
LEVELS = ("low", "info")  # what updates set in turn: each is seen in the summary


class Ask:
    """One request. body: None, or its bytes. fresh: over a connection that is made for it."""

    def __init__(self, name, method, target, body=None, key=KEY, fresh=False, **headers):
        self.name, self.method, self.target, self.body = name, method, target, body
        self.key, self.fresh, self.headers = key, fresh, headers
        self.is_queued = name in ("update", "full record")  # looked at by the one who writes

    def __str__(self):
        return f"{self.name}, new connection" if self.fresh else self.name

    def bytes(self, port):
        headers = {"Host": f"127.0.0.1:{port}", "X_API_Key": self.key,
                   "Content_Type": "application/json" if self.body else None,
                   "Content_Length": None if self.body is None else len(self.body),
                   **self.headers}
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()
                  if value is not None]
        return "\r\n".join([*lines, "", ""]).encode() + (self.body or b"")


SEEN = Ask("summary", "GET", SUMMARY)
GOOD = b'{"issue_ids":["i1"],"severity":"low"}'
FULL = Ask("full record", "PATCH", BULK,
           b'{"issue_ids":["i1"],"notes":"%s"}' % (b"x" * 2300))
LIMIT = ("--limit", "record=2400")
TORN = b'{"seq":2,"at":"2024-0'
BROKEN = b'{"issue_ids":[],"severity":"lw","notes":7,"more":1}'
# More than a server holds in memory, so that answers are read from a file.
OTHERS = [{"id": f"other-{n}", "created_at": "2020-01-01T00:00:00Z", "description": "d" * 2000}
          for n in range(2500)]
LONG = json.dumps({**http.export(), "issues": http.export()["issues"] + OTHERS}).encode()
# What changes nothing.
ASKS = [
    SEEN,
    Ask("head of the summary", "HEAD", SUMMARY),
    Ask("rulesets", "GET", RULESETS),
    Ask("rulesets of one", "GET", RULESETS + "?repo_id=a%20b"),
    Ask("bad query", "GET", RULESETS + "?repo_id=%ff"),
    Ask("health", "GET", "/healthz", key=None),
    Ask("openapi", "GET", "/openapi.json", key=None),
    Ask("rules broken", "PATCH", BULK, BROKEN),
    Ask("no JSON", "PATCH", BULK, b"{"),
    Ask("no body", "PATCH", BULK, b""),
    Ask("other type", "PATCH", BULK, GOOD, Content_Type="text/plain"),
    Ask("too long", "PATCH", BULK, b" " * (1024 * 1024 + 1)),
    Ask("wrong key", "GET", SUMMARY, key="x" * 20),
    Ask("no key", "GET", SUMMARY, key=None),
    Ask("no key for rulesets", "GET", RULESETS, key=None),
    Ask("update with a wrong key", "PATCH", BULK, GOOD, key="x" * 20),
    Ask("update without a key", "PATCH", BULK, GOOD, key=None),
    Ask("foreign origin", "GET", SUMMARY, Origin="http://evil.example"),
    Ask("foreign host", "GET", SUMMARY, Host="evil.example"),
    *(Ask(f"options of {path}", "OPTIONS", path, key=None) for path in
      ("*", BULK, SUMMARY, RULESETS, "/healthz", "/openapi.json")),
    Ask("no path", "GET", "/nothing"),
    Ask("no method", "PUT", SUMMARY),
    Ask("summary", "GET", SUMMARY, fresh=True),
    Ask("no key", "GET", SUMMARY, key=None, fresh=True),
]


class Arm:
    """What fails in a process with INJECTOR: `struct arm` of fault.c, in a file of both."""

    FORM = struct.Struct("=16s6q")

    def __init__(self, path):
        self.path = path
        self.round = 0
        with open(path, "w+b") as file:
            file.truncate(self.FORM.size)
            self.map = mmap.mmap(file.fileno(), self.FORM.size)

    def set(self, kind, at, sticky):
        self.clear()
        self.round += 1
        self.map[:] = self.FORM.pack(kind.encode(), at, sticky, 0, 0, 0, self.round)
        struct.pack_into("=q", self.map, 32, 1)

    def clear(self):
        struct.pack_into("=q", self.map, 32, 0)

    def failed(self):
        return self.FORM.unpack(self.map[:])[5]


def read_entries(path):
    """The journal's entries that are whole."""
    text = scenes.read(path) or b""
    return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()[1:]]


class Service:
    """A server whose calls can be made to fail, and what it must answer."""

    right = {}  # the answers to ASKS, by name; to SEEN by level as well

    def __init__(self, folder, *arguments, before=None):
        """before: one that was there before this one, in the same folder or a copy of it."""
        self.folder, self.arguments = folder, arguments
        self.arm = Arm(os.path.join(folder, "arm"))
        self.sent = list(before.sent) if before else []
        self.acknowledged = list(before.acknowledged) if before else []
        self.shim = self.sock = None

    def start(self, **more):
        self.sock = None
        export = os.path.join(self.folder, "scan.json")
        if not os.path.exists(export):
            with open(export, "wb") as file:
                file.write(LONG)
        self.shim = http.Shim(*self.arguments, folder=self.folder, **more,
                              env={"LD_PRELOAD": INJECTOR, "LD_FAULT_ARM": self.arm.path,
                                   "LD_FAULT_PLACES": "1"})
        return self

    def start_failing(self, kind, at, sticky):
        """Start it with a fault; it may end before it is ready."""
        self.arm.set(kind, at, sticky)
        port = http.free_port()
        self.start(ready=False, listen=f"127.0.0.1:{port}")
        self.shim.port = port

    def update(self, fresh=False):
        """A request to update, like no other."""
        count = len(self.sent)
        self.sent.append(f"note {count}")
        body = {"issue_ids": ["i2", "none"], "severity": LEVELS[count % 2],
                "notes": self.sent[-1]}
        return Ask("update", "PATCH", BULK, json.dumps(body).encode(), fresh=fresh)

    def level(self):
        """The severity that the journal has set last."""
        entries = read_entries(self.shim.journal)
        return entries[-1]["request"]["severity"] if entries else None

    def connect(self):
        """A connection over which a request was answered."""
        if not self.sock:
            self.sock = self.shim.connect(SECONDS)
            self.sock.sendall(Ask("health", "GET", "/healthz", key=None).bytes(self.shim.port))
            if b"200 OK" not in self.receive(self.sock, False):
                self.drop()
                raise ConnectionError("no answer about its health")
        return self.sock

    def receive(self, sock, is_head):
        """The bytes of one answer, or what came of it before the connection ended. What does not
        come while calls fail must come when they do not any more."""
        data, waits = b"", [SECONDS, PATIENCE]
        sock.settimeout(waits.pop())
        while not is_whole(data, is_head):
            try:
                more = sock.recv(65536)
            except socket.timeout:
                self.arm.clear()
                if not waits:
                    raise
                sock.settimeout(waits.pop())
                continue
            except ConnectionError:
                more = b""
            if not more:
                break
            data += more
        return data

    def drop(self):
        if self.sock:
            self.sock.close()
        self.sock = None

    def remove(self):
        self.drop()
        if self.shim.process.poll() is None:
            self.shim.process.kill()
        self.shim.stop()
        self.shim.remove()

    def exchange(self, ask, sock):
        """The answer; None where the connection ended without one. Raises ValueError."""
        try:
            sock.sendall(ask.bytes(self.shim.port))
        except ConnectionError:
            pass  # there may be an answer all the same
        data = self.receive(sock, ask.method == "HEAD")
        answers = http.split_answers(data, heads=(0,) if ask.method == "HEAD" else ())
        if sock is self.sock and (not answers or "connection" in answers[0].headers):
            self.drop()
        if not answers:
            return None
        if len(answers) > 1 or not is_whole(data, ask.method == "HEAD"):
            raise ValueError(f"half an answer, or several: {data[:200]!r}")
        answers[0].headers.pop("date", None)
        return answers[0]

    def ask(self, ask):
        """As exchange(), over a connection of the kind that is wanted."""
        if not ask.fresh:
            return self.exchange(ask, self.connect())
        self.drop()
        self.sock = self.shim.connect(SECONDS, patience=SECONDS)
        return self.exchange(ask, self.sock)

    def settle(self, lines):
        """Wait until the request is logged, so that all that is done for it was done."""
        end = time.monotonic() + 1
        while not self.arm.failed() and len(self.shim.lines) <= lines and time.monotonic() < end:
            time.sleep(0.0005)

    def is_ending(self):
        return self.shim.process.poll() is not None or \
            any(line and "the service ends" in line for line in self.shim.lines)

    def is_right(self, ask, answer):
        """Whether an answer is exactly what it must be."""
        if ask.name == "update":
            return self.is_entry(ask, answer)
        right = self.right[(ask.name, self.level()) if SUMMARY in ask.target else ask.name]
        return (answer.status, answer.headers, answer.body) == right

    def is_entry(self, ask, answer):
        """Whether an update is in the journal, with this answer."""
        request = json.loads(ask.body)
        digests = [entry["result"]["sha256"] for entry in read_entries(self.shim.journal)
                   if entry["request"] == request and entry["actor"] == "alice"]
        return (answer.status == 200 and answer.headers["content-type"] == "application/json" and
                digests == [hashlib.sha256(answer.body[:-1]).hexdigest()])

    def judge_answer(self, ask, answer):
        """What is wrong with an answer while calls fail, or None."""
        if answer is None:
            return None
        if ask.name == "update" and answer.status == 200:
            self.acknowledged.append(json.loads(ask.body)["notes"])
        if answer.status not in (500, 503):
            return None if self.is_right(ask, answer) else f"answered {answer}"
        if answer.headers.get("content-type") != "application/problem+json":
            return f"answered {answer}"
        if ask.method != "HEAD" and json.loads(answer.body)["status"] != answer.status:
            return f"answered {answer}"
        return None

    def again(self, ask):
        """The same once more. An update that was not answered may be in the journal."""
        return self.update() if ask.name == "update" else ask

    def judge_next(self, ask, kind=None):
        """What is wrong with the answers when nothing fails any more, or None."""
        for number in range(3):
            each = SEEN if number != 1 else self.again(ask)
            answer = self.ask(each)
            if answer is None:  # what was open may have been ended just now
                each = self.again(each)
                answer = self.ask(each)
            # There was no memory for the summary: it comes in a while, or with the next update.
            if number == 0 and kind == "malloc" and ask.is_queued and answer and \
                    answer.status == 503:
                continue
            wrong = self.judge_answer(each, answer) if answer else None
            if wrong or answer is None or answer.status in (500, 503):
                return f"then {each} is answered {answer}"
        return None

    def judge_end(self, *statuses):
        """What is wrong with a service that has ended, or None."""
        self.drop()
        try:
            found = self.shim.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            return "the service ends, and does not"
        self.shim.stop()
        lines = self.shim.lines[:-1]
        if found not in (statuses or (3,)):
            return f"exit {found}, {lines[-3:]}"
        if found and not (lines and lines[-1].startswith("retriage: ")):
            return f"exit {found} after {lines[-1:]}"
        return self.judge_journal()

    def judge_journal(self):
        written = [entry["request"]["notes"] for entry in read_entries(self.shim.journal)]
        lost = [note for note in self.acknowledged if note not in written]
        if lost:
            return f"acknowledged, and not in the journal: {lost}"
        if len(set(written)) < len(written) or not set(written) <= set(self.sent):
            return f"in the journal is what was not sent: {written}"
        if scenes.read(self.shim.journal):
            done = http.cli("verify", self.shim.journal, self.shim.export)
            return f"verify: exit {done.returncode}, {done.stderr}" if done.returncode else None
        return None

    def judge_stop(self, *statuses):
        """End it in peace. Returns what is wrong, or None."""
        if self.shim.process.poll() is None:
            self.shim.send_signal(signal.SIGTERM)
        return self.judge_end(*(statuses or (0,)))

    def point(self, ask, kind, at, sticky):
        """Answer one request with a fault. Returns (whether it was reached, what is wrong)."""
        if not ask.fresh:
            self.connect()
        lines = len(self.shim.lines)
        self.arm.set(kind, at, sticky)
        try:
            answer = self.ask(ask)
            self.settle(lines)
            self.arm.clear()
            wrong = self.judge_answer(ask, answer)
        except (ValueError, KeyError, OSError) as err:
            wrong = f"{type(err).__name__}: {err}"
        self.arm.clear()
        reached = self.arm.failed() > 0
        must_end = ask.name == "update" and kind in ("write", "sync", "cut", "disk")
        if reached and must_end and not wrong and answer and answer.status == 200:
            wrong = "acknowledged"
        if reached and not wrong:
            wrong = self.judge_behind(ask, kind, sticky, must_end)
        return reached, wrong

    def judge_behind(self, ask, kind, sticky, must_end):
        """What is wrong after a fault, or None. The service lives afterwards."""
        wrong = None
        if not self.is_ending():
            try:
                wrong = self.judge_next(ask, kind)
            except OSError as err:
                wrong = f"{type(err).__name__}: {err}, {self.shim.lines[-3:]}"
        end = time.monotonic() + 0.3
        while wrong and not self.is_ending() and time.monotonic() < end:
            time.sleep(0.005)
        if self.is_ending():
            wrong = self.judge_end()
            if not wrong and (kind == "malloc" and not sticky or not ask.is_queued):
                wrong = f"the service ended: {self.shim.lines[-3:]}"
            self.start()
        elif must_end:
            wrong = wrong or "the service goes on"
        return wrong


def is_whole(data, is_head):
    """Whether there is all of an answer."""
    head, found, body = data.partition(b"\r\n\r\n")
    if not found:
        return False
    sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n")
             if line.startswith(b"content-length:")]
    return is_head or not sizes or len(body) >= int(sizes[0])
