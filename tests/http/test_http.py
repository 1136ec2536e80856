"""The HTTP shim from outside: raw sockets, the command line beside it, signals, and faults.

Every answer is what the command line prints with --compact on the same state. What could let a
stranger in, or be read otherwise by a proxy, is refused; of malformed heads, which libmicrohttpd
answers by itself, only that they are refused and that the next request is unharmed.
RT_HTTP_ROUNDS: how often the server is killed under load (default 10).
"""
import concurrent.futures
import gzip
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import shim as http  # noqa: E402
from shim import KEY, OTHER_KEY, Shim, cli, key_line, split_answers  # noqa: E402

ROUNDS = int(os.environ.get("RT_HTTP_ROUNDS", "10"))
INJECTOR = os.path.join(http.BUILD, "tests", "fault", "fault.so")
SLOW = []  # the one SlowClients
needs_shim = unittest.skipUnless(http.HAS_SHIM, "built without the HTTP shim")
SUMMARY, RULESETS, BULK = "/api/issues/summary", "/api/rulesets", "/api/issues/bulk"


def setUpModule():
    if http.HAS_SHIM:
        SLOW.append(SlowClients())


def tearDownModule():
    for slow in SLOW:
        slow.shim.remove()


class Checks(unittest.TestCase):
    """What several classes hold answers to."""

    def check_problem(self, answer, status, what=""):
        self.assertEqual(answer.status, status, f"{what}: {answer}")
        self.assertEqual(answer.headers["content-type"], "application/problem+json", what)
        document = json.loads(answer.body)
        members = ["type", "title", "status", "detail"] + (["errors"] if status == 422 else [])
        self.assertEqual(list(document), members, what)
        self.assertEqual(document["status"], status, what)
        return document


@needs_shim
class Case(Checks):
    """A server for all tests of a class."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.shim = Shim(*cls.arguments)

    @classmethod
    def tearDownClass(cls):
        status = cls.shim.stop()
        lines = cls.shim.lines
        cls.shim.remove()
        if status != 0:
            raise AssertionError(f"exit {status}: {lines[-40:]}")

    def check_alive(self, what=""):
        answer = self.shim.request("GET", "/healthz", key=None)
        self.assertEqual((answer.status, answer.body), (200, b'{"status":"ok"}\n'), what)


def head(method="GET", target=SUMMARY, *lines, version="HTTP/1.1", host=True, key=KEY):
    text = [f"{method} {target} {version}"]
    if host:
        text.append("Host: 127.0.0.1:PORT")
    if key:
        text.append(f"X-API-Key: {key}")
    return "\r\n".join([*text, *lines]).encode("latin-1") + b"\r\n\r\n"


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def update(*lines, body=b'{"issue_ids":["none"]}', target=BULK, **more):
    return head("PATCH", target, "Content-Type: application/json", *lines, **more) + body


PLAIN = head()
BODY = b'{"issue_ids":["none"]}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = f"Content-Length: {len(BODY)}"
UPDATE = update(LENGTH)

MALFORMED = "4xx, 501, 505 or a close"
TOLERATED = "200, or 4xx and a close: no two readers take it for two things"

# What, the bytes, the statuses of all answers or one of the words above, whether the server ends
# the connection.
ODD = [
    ("nothing odd", PLAIN, [200], False),
    ("two Content-Lengths", update(LENGTH, LENGTH[:-1] + "9"), [400], True),
    ("two equal Content-Lengths", update(LENGTH, LENGTH), [400], True),
    ("a list of Content-Lengths", update(LENGTH + ", 22"), MALFORMED, True),
    ("a signed Content-Length", update("Content-Length: +22"), MALFORMED, True),
    ("a hexadecimal Content-Length", update("Content-Length: 0x16"), MALFORMED, True),
    ("an empty Content-Length", update("Content-Length:"), MALFORMED, True),
    ("a Content-Length of 30 digits", update("Content-Length: " + "9" * 30), MALFORMED, True),
    ("Content-Length and Transfer-Encoding", update(LENGTH, "Transfer-Encoding: chunked",
     body=CHUNKED), MALFORMED, True),
    ("both the other way round", update("Transfer-Encoding: chunked", LENGTH, body=CHUNKED), MALFORMED, True),
    ("two Transfer-Encodings", update("Transfer-Encoding: chunked", "Transfer-Encoding: chunked",
     body=CHUNKED), [400], True),
    ("Transfer-Encoding of a GET", head("GET", SUMMARY, "Transfer-Encoding: chunked") +
     b"0\r\n\r\n" + PLAIN, [400], True),
    ("Transfer-Encoding of a POST, and one after it", head("POST", BULK,
     "Transfer-Encoding: chunked") + CHUNKED + PLAIN, [405, 200], False),
    ("Transfer-Encoding of HTTP/1.0", update("Transfer-Encoding: chunked", version="HTTP/1.0",
     body=CHUNKED), [400], True),
    ("Transfer-Encoding gzip", update("Transfer-Encoding: gzip"), MALFORMED, True),
    ("Transfer-Encoding gzip, chunked", update("Transfer-Encoding: gzip, chunked", body=CHUNKED),
     MALFORMED, True),
    ("Transfer-Encoding xchunked", update("Transfer-Encoding: xchunked", body=CHUNKED), MALFORMED, True),
    ("Transfer-Encoding with a blank after it", update("Transfer-Encoding: chunked ", body=CHUNKED),
     TOLERATED, False),
    ("Transfer-Encoding with a control byte", update("Transfer-Encoding: \x0bchunked",
     body=CHUNKED), MALFORMED, True),
    ("chunked as it should be, and one after it", update("Transfer-Encoding: chunked",
     body=CHUNKED) + PLAIN, [200, 200], False),
    ("chunks with bare LF, and one after it", update("Transfer-Encoding: chunked",
     body=CHUNKED.replace(b"\r\n", b"\n")) + PLAIN, TOLERATED, False),
    ("a chunk extension, and one after it", update("Transfer-Encoding: chunked",
     body=CHUNKED.replace(b"\r\n", b";a=b\r\n", 1)) + PLAIN, TOLERATED, False),
    ("a trailer, and one after it", update("Transfer-Encoding: chunked",
     body=CHUNKED[:-2] + b"X-API-Key: a\r\n\r\n") + PLAIN, [200, 200], False),
    ("chunks of one byte", update("Transfer-Encoding: chunked",
     body=b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n") + PLAIN, [200, 200],
     False),
    ("a chunk size that is none", update("Transfer-Encoding: chunked", body=b"zz\r\n"), MALFORMED,
     True),
    ("a chunk size of 20 digits", update("Transfer-Encoding: chunked", body=b"f" * 20 + b"\r\n"),
     MALFORMED, True),
    ("a chunk that is longer than it says", update("Transfer-Encoding: chunked",
     body=b"2\r\n{}}\r\n0\r\n\r\n"), MALFORMED, True),
    ("two Hosts", head("GET", SUMMARY, "Host: 127.0.0.1:PORT"), [400], True),
    ("two Hosts, one foreign", head("GET", SUMMARY, "Host: evil.example"), [400], True),
    ("no Host", head(host=False), MALFORMED, True),
    ("no Host in HTTP/1.0", head(version="HTTP/1.0", host=False), [200], True),
    ("an empty Host", head("GET", SUMMARY, "Host:", host=False), [421], False),
    ("a Host that is none", head("GET", SUMMARY, "Host: a@127.0.0.1:PORT", host=False), [421], False),
    ("a Host with two ports", head("GET", SUMMARY, "Host: 127.0.0.1:PORT:1", host=False), [421],
     False),
    ("a foreign Host", head("GET", SUMMARY, "Host: evil.example", host=False), [421], False),
    ("a foreign Host with our port", head("GET", SUMMARY, "Host: evil.example:PORT", host=False),
     [421], False),
    ("our Host with a foreign port", head("GET", SUMMARY, "Host: 127.0.0.1:1", host=False), [421],
     False),
    ("our Host in an address of another form", head("GET", SUMMARY, "Host: 127.1:PORT", host=False),
     [421], False),
    ("Host without a port", head("GET", SUMMARY, "Host: 127.0.0.1", host=False), [200], False),
    ("Host localhost", head("GET", SUMMARY, "Host: LocalHost:PORT", host=False), [200], False),
    ("Host ::1", head("GET", SUMMARY, "Host: [::1]:PORT", host=False), [200], False),
    ("bare LF", PLAIN.replace(b"\r\n", b"\n"), TOLERATED, False),
    ("bare CR in a value", head("GET", SUMMARY, "A: b\rContent-Length: 5"), MALFORMED, True),
    ("bare CR after the first line", PLAIN.replace(b"1.1\r\n", b"1.1\r"), MALFORMED, True),
    ("CR CR LF", PLAIN.replace(b"\r\n", b"\r\r\n", 2), MALFORMED, True),
    ("NUL in a value, and one after it", head("GET", SUMMARY, "A: b\0c") + PLAIN, MALFORMED, True),
    ("NUL at the end of a value", head("GET", SUMMARY, "A: b\0"), MALFORMED, True),
    ("NUL in a name", head("GET", SUMMARY, "A\0B: c"), MALFORMED, True),
    ("NUL after the method", head("GET\0", SUMMARY), MALFORMED, True),
    ("NUL in a Content-Length", update(LENGTH + "\0000"), MALFORMED, True),
    ("NUL in a Host", head("GET", SUMMARY, "Host: 127.0.0.1:PORT\0.evil.example", host=False), MALFORMED,
     True),
    ("NUL in a key", head("GET", SUMMARY, f"X-API-Key: {KEY}\0x", key=None), MALFORMED, True),
    ("NUL in the target", update(LENGTH, target=BULK + "\0/x"), MALFORMED, True),
    ("NUL in the version", head(version="HTTP/1.1\0x"), MALFORMED, True),
    ("a blank before the colon", head("GET", SUMMARY, "Content-Length : 5"), MALFORMED, True),
    ("a tab before the colon", head("GET", SUMMARY, "Content-Length\t: 5"), MALFORMED, True),
    ("a header name with a bracket", head("GET", SUMMARY, "A(b): 5"), [400], True),
    ("a header without a name", head("GET", SUMMARY, ": 5"), TOLERATED, False),
    ("a header without a colon", head("GET", SUMMARY, "Content-Length"), MALFORMED, True),
    ("a folded header, and one after it", head("GET", SUMMARY, "A: b", " c") + PLAIN, MALFORMED, True),
    ("a header folded by a tab", head("GET", SUMMARY, "A: b", "\tc"), MALFORMED, True),
    ("a header folded to nothing", head("GET", SUMMARY, "A: b", "  "), MALFORMED, True),
    ("a header folded before its value", head("GET", SUMMARY, "A:", " c"), MALFORMED, True),
    ("the last header, folded with bare LF", PLAIN[:-2] + b"A:\n b\n\n", MALFORMED, True),
    ("a folded Transfer-Encoding beside Content-Length", update("Transfer-Encoding:", " chunked", LENGTH),
     MALFORMED, True),
    ("a folded Content-Length, whose body is a request", update("Content-Length:", f" {len(UPDATE)}",
     body=UPDATE), MALFORMED, True),
    ("a second Host, folded", head("GET", SUMMARY, "Host:", " evil.example"), MALFORMED, True),
    ("a blank before the first header", head("GET", SUMMARY, host=False).replace(
        b"X-API-Key", b" Host: 127.0.0.1:PORT\r\nX-API-Key"), MALFORMED, True),
    ("an ESC in a value", head("GET", SUMMARY, "A: \x1b[2J"), [400], True),
    ("blanks around a value", head("GET", SUMMARY, "Accept: \t a \t"), [200], False),
    ("no blank before a value", PLAIN.replace(b": ", b":"), [200], False),
    ("blanks after the key", head("GET", SUMMARY, f"X-API-Key: {KEY} \t ", key=None), TOLERATED, False),
    ("bytes above ASCII in a value", head("GET", SUMMARY, "A: \xe4"), [200], False),
    ("an empty line before the first", b"\r\n" + PLAIN, [200], False),
    ("a blank in the target", head("GET", "/a b"), MALFORMED, True),
    ("no version", b"GET " + SUMMARY.encode() + b"\r\n\r\n", MALFORMED, True),
    ("HTTP/2.0", head(version="HTTP/2.0"), MALFORMED, True),
    ("the HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", MALFORMED, True),
    ("a TLS hello", bytes.fromhex("16030100a5010000a10303") + bytes(range(160)), MALFORMED, True),
    ("a method in lower case", head("get"), [405], False),
    ("an unknown method", head("BREW"), [405], False),
    ("a method of 4000 letters", head("A" * 4000), [405], False),
    ("CONNECT", head("CONNECT", "127.0.0.1:PORT"), [400], True),
    ("TRACE", head("TRACE"), [405], False),
    ("the absolute form", head("GET", "http://127.0.0.1:PORT" + SUMMARY), [400], True),
    ("OPTIONS *", head("OPTIONS", "*"), [204], False),
    ("GET *", head("GET", "*"), [400], True),
    ("no path", head("GET", "?repo_id=a"), [400], True),
    ("an encoded letter", head("GET", "/api/issue%73/summary"), [404], False),
    ("an encoded slash", head("GET", "/api%2Fissues/summary"), [404], False),
    ("an encoded NUL", head("GET", SUMMARY + "%00x"), [404], False),
    ("an encoding that is none", head("GET", "/api/issue%7/summary"), [404], False),
    ("a twice encoded letter", head("GET", "/api/issue%2573/summary"), [404], False),
    ("a raw byte above ASCII", head("GET", "/api/\xfc"), [404], False),
    ("a fragment", head("GET", SUMMARY + "#a"), [404], False),
    ("dots", head("GET", "/api/../api/rulesets"), [404], False),
    ("a slash at the end", head("GET", SUMMARY + "/"), [404], False),
    ("two slashes", head("GET", "//api/rulesets"), [404], False),
    ("another case", head("GET", "/API/rulesets"), [404], False),
    ("a query that the summary does not have", head("GET", SUMMARY + "?a=b&a=c"), [200], False),
    ("repo_id twice", head("GET", RULESETS + "?repo_id=a&repo_id=b"), [400], False),
    ("repo_id twice, once encoded", head("GET", RULESETS + "?repo_id=a&repo%5Fid=a"), [400], False),
    ("repo_id that is not UTF-8", head("GET", RULESETS + "?repo_id=%ff"), [400], False),
    ("repo_id with a NUL", head("GET", RULESETS + "?repo_id=a%00"), [400], False),
    ("a body of a GET", head("GET", SUMMARY, "Content-Length: 2") + b"{}", [400], True),
    ("a body of a GET that hides a request", head("GET", SUMMARY, f"Content-Length: {len(PLAIN)}") +
     PLAIN, [400], True),
    ("an empty body of a GET", head("GET", SUMMARY, "Content-Length: 0"), [200], False),
    ("headers of 15 KiB", head("GET", SUMMARY, *(f"A{n}: {'b' * 1000}" for n in range(15))), [200],
     False),
    ("headers of 20 KiB", head("GET", SUMMARY, *(f"A{n}: {'b' * 1000}" for n in range(20))), [431],
     True),
    ("headers of 64 KiB", head("GET", SUMMARY, *(f"A{n}: {'b' * 1000}" for n in range(64))),
     MALFORMED, True),
    ("10,000 headers", head("GET", SUMMARY, *("A:" for n in range(10000))), MALFORMED, True),
    ("a target of 20 KiB", head("GET", "/" + "a" * 20480), [414], True),
    ("a target of 64 KiB", head("GET", "/" + "a" * 65536), MALFORMED, True),
    ("a query of 15 KiB", head("GET", RULESETS + "?repo_id=" + "%61" * 5000), [200], False),
    ("two keys", head("GET", SUMMARY, f"X-API-Key: {KEY}"), [400], True),
    ("two keys, one wrong", head("GET", SUMMARY, "X-API-Key: a"), [400], True),
    ("an empty key", head("GET", SUMMARY, "X-API-Key:", key=None), [401], False),
    ("the key in lower case", head("GET", SUMMARY, f"x-api-key: {KEY}", key=None), [200], False),
    ("a key in pieces", head("GET", SUMMARY, f"X-API: {KEY}", key=None), [401], False),
    ("a foreign Origin", head("GET", SUMMARY, "Origin: http://evil.example"), [403], False),
    ("the Origin of another port", head("GET", SUMMARY, "Origin: http://127.0.0.1"), [403], False),
    ("the null Origin", head("GET", SUMMARY, "Origin: null"), [403], False),
    ("an empty Origin", head("GET", SUMMARY, "Origin:"), [403], False),
    ("our own Origin", head("GET", SUMMARY, "Origin: http://127.0.0.1:PORT"), [200], False),
    ("two Origins", head("GET", SUMMARY, "Origin: http://127.0.0.1:PORT",
     "Origin: http://127.0.0.1:PORT"), [400], True),
    ("a preflight", head("OPTIONS", BULK, "Origin: http://evil.example",
     "Access-Control-Request-Method: PATCH", key=None), [403], False),
    ("a POST, and one after it", head("POST", BULK, "Content-Length: 3") + b"abc" + PLAIN,
     [405, 200], False),
    ("a wrong key, and one after it", update(LENGTH, key="x" * 20) + PLAIN, [401, 200], False),
    ("two at once", PLAIN + PLAIN, [200, 200], False),
    ("five updates at once", update(LENGTH) * 5, [200] * 5, False),
    ("one after an odd one", head("GET", SUMMARY, "Content-Length : 5") + PLAIN, MALFORMED, True),
    ("one after a body that is too long", update("Content-Length: 99999999") + PLAIN, [413], True),
    ("HTTP/1.0 that stays", head("GET", SUMMARY, "Connection: keep-alive", version="HTTP/1.0") +
     PLAIN, [200, 200], False),
    ("Connection: close", head("GET", SUMMARY, "Connection: close") + PLAIN, [200], True),
    ("an upgrade that is not to be had", head("GET", SUMMARY, "Connection: Upgrade",
     "Upgrade: h2c"), [200], False),
    ("Expect for a good request", update(LENGTH, "Expect: 100-continue"), TOLERATED, False),
    ("Expect for one that is refused", update(LENGTH, "Expect: 100-continue", key=None), [401], True),
    ("half a request", PLAIN[:-2], [], False),
    ("half a body", update(LENGTH)[:-1], [], False),
]


class Odd(Case):
    """Requests as no client of good will sends them."""

    def check_answers(self, what, data, statuses, closed=True):
        """data: all that came."""
        if statuses in (MALFORMED, TOLERATED):  # libmicrohttpd answers some of them twice
            said = [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+) ", data)]
            good = [status for status in said if statuses == TOLERATED and status in (100, 200)]
            self.assertFalse([status for status in said if status not in good and
                              status not in (501, 505) and not 400 <= status < 500], f"{what}: {said}")
            self.assertEqual(said[:len(good)], good, what)
            self.assertTrue(good == said or closed, f"{what}: {said}")
            return
        answers = split_answers(data)
        self.assertEqual([answer.status for answer in answers], statuses, what)
        for answer in answers:
            if answer.status >= 400:
                self.check_problem(answer, answer.status, what)
            self.assertNotIn(b"evil", answer.body, what)

    def check(self, what, pieces, statuses, closes):
        data, closed = self.shim.raw(*pieces)
        self.check_answers(what, data, statuses, closed)
        if statuses != TOLERATED:
            self.assertEqual(closed, closes, what)

    def run_rows(self, rows, check):
        """Several rows at once, for most of the time goes by in waiting for nothing more."""
        def one(row):
            try:
                check(row)
                self.check_alive(row[0])
            except (AssertionError, OSError, ValueError, KeyError) as fault:
                return f"{row[0]}: {fault!r}"
            return None

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            faults = [fault for fault in pool.map(one, rows) if fault]
        self.assertFalse(faults, "\n".join(["", *faults]))

    def test_table(self):
        self.run_rows(ODD, lambda row: self.check(row[0], [row[1]], *row[2:]))

    def check_bytes(self, row):
        what, data, statuses, closes = row
        got = b""
        with self.shim.connect() as sock:
            try:
                for byte in data.replace(b"PORT", str(self.shim.port).encode()):
                    sock.sendall(bytes([byte]))
                sock.settimeout(0.4)
                while more := sock.recv(65536):
                    got += more
            except (socket.timeout, ConnectionResetError, BrokenPipeError):
                pass
        # An answer in the middle of what is sent can get lost with the connection.
        if got or not closes:
            self.check_answers(what, got, statuses)

    def test_byte_by_byte(self):
        """Only the whole counts, not how it comes."""
        self.run_rows([row for row in ODD if len(row[1]) < 250],
                      self.check_bytes)

    def test_long_heads_in_pieces(self):
        """The layout of a head is looked at; how it came must not matter."""
        lines = [f"A{n}: {'b' * (97 + n)}" for n in range(95)]
        data = head("GET", SUMMARY, *lines).replace(b"PORT", str(self.shim.port).encode())
        self.assertGreater(len(data), 14000)
        for size in (7, 100, 1000, 1448, 4096, 16000):
            with self.subTest(size=size), self.shim.connect() as sock:
                for at in range(0, len(data), size):
                    sock.sendall(data[at:at + size])
                    time.sleep(0.0005)
                self.assertEqual(http.read_answer(sock).status, 200)


class Answers(Case):
    """The three operations, and those around them."""

    def compact(self, *arguments):
        done = cli(*arguments, "--compact", "--quiet", "--journal", self.shim.journal,
                   self.shim.export)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def check_state(self):
        answer = self.shim.request("GET", SUMMARY)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["content-type"], "application/json")
        if os.path.exists(self.shim.journal):
            self.assertEqual(answer.body, self.compact("summary"))
        else:
            done = cli("summary", "--compact", self.shim.export)
            self.assertEqual(answer.body, done.stdout)

    def test_updates(self):
        documents = [
            {"issue_ids": ["i1", "i2", "nope", "i1"], "severity": "critical"},
            {"issue_ids": ["i3"]},
            {"issue_ids": ["i3"], "notes": "n\u00f6te\u2028\"\\"},
            {"issue_ids": [f"i{n}" for n in range(60)], "false_positive": True, "notes": None},
            {"issue_ids": ["i4"], "exploitable": False, "severity": None, "notes": ""},
            {"issue_ids": ["x" * 1000] * 100},
        ]
        self.check_state()
        for document in documents:
            before = self.shim.journal + ".before"
            if os.path.exists(self.shim.journal):
                shutil.copyfile(self.shim.journal, before)
            elif os.path.exists(before):
                os.unlink(before)
            answer = self.shim.patch(document)
            self.assertEqual(answer.status, 200, answer)
            with open(self.shim.journal, encoding="utf-8") as file:
                entry = json.loads(file.read().splitlines()[-1])
            self.assertEqual(entry["actor"], "alice")
            request = os.path.join(self.shim.folder, "request.json")
            with open(request, "w", encoding="utf-8") as file:
                json.dump(document, file)
            done = cli("apply", "--compact", "--quiet", "--journal", before, "--at", entry["at"], "--actor",
                       "alice", self.shim.export, request)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(answer.body, done.stdout)
            with open(self.shim.journal, "rb") as ours, open(before, "rb") as theirs:
                self.assertEqual(ours.read().splitlines()[-1].split(b'"prev"')[0],
                                 theirs.read().splitlines()[-1].split(b'"prev"')[0])
            self.check_state()
        self.assertEqual(self.shim.patch(documents[1], key=OTHER_KEY).status, 200)
        with open(self.shim.journal, encoding="utf-8") as file:
            self.assertEqual(json.loads(file.read().splitlines()[-1])["actor"], "bob")

    def test_rulesets(self):
        for query, repo_id in [("", None), ("?", None), ("?x=1", None), ("?repo_id=a%20b", "a b"),
                               ("?repo_id=a+b", "a b"), ("?repo_id=a%2Bb", "a+b"),
                               ("?repo_id=%C3%BC", "ü"), ("?repo_id=", ""), ("?repo_id", ""),
                               ("?x=1&repo_id=a%2bb&y", "a+b"), ("?repo_id=none", "none"),
                               ("?REPO_ID=none", None), ("?&&repo_id=a%20b&", "a b"),
                               ("?repo_id=a%3Db%26c", "a=b&c"), ("?repo_id=a=b", "a=b")]:
            with self.subTest(query=query):
                answer = self.shim.request("GET", RULESETS + query)
                option = [] if repo_id is None else ["--repo-id", repo_id]
                done = cli("rulesets", "--compact", *option, self.shim.export)
                self.assertEqual((answer.status, answer.body), (200, done.stdout))

    def test_bodies(self):
        good = b'{"issue_ids":["i1"]}'
        table = [
            ("blanks around it", b" \r\n\t" + good + b"\n ", 200, {}),
            ("a charset", good, 200, {"Content_Type": "Application/JSON; charset=UTF-8"}),
            ("a quoted charset", good, 200, {"Content_Type": 'application/json ;charset="utf-8"'}),
            ("another charset", good, 415, {"Content_Type": "application/json; charset=latin1"}),
            ("another parameter", good, 415, {"Content_Type": "application/json; a=b"}),
            ("another type", good, 415, {"Content_Type": "text/plain"}),
            ("a longer type", good, 415, {"Content_Type": "application/jsonp"}),
            ("a form", good, 415, {"Content_Type": "application/x-www-form-urlencoded"}),
            ("no type", good, 415, {"Content_Type": None}),
            ("an empty type", good, 415, {"Content_Type": ""}),
            ("nothing", b"", 400, {}),
            ("blanks", b"  ", 400, {}),
            ("no JSON", b"{", 400, {}),
            ("two values", good + good, 400, {}),
            ("a NUL after it", good + b"\0", 400, {}),
            ("a BOM before it", b"\xef\xbb\xbf" + good, 200, {}),
            ("a BOM alone", b"\xef\xbb\xbf", 400, {}),
            ("no encoding of the content", good, 200, {"Content_Encoding": "identity"}),
            ("an encoding of the content", good, 415, {"Content_Encoding": "gzip"}),
            ("not UTF-8", b'{"issue_ids":["\xff"]}', 400, {}),
            ("UTF-16", good.decode().encode("utf-16"), 400, {}),
            ("half a surrogate", b'{"issue_ids":["\\ud800"]}', 400, {}),
            ("too deep", b"[" * 100000, 400, {}),
            ("no object", b"[]", 422, {}),
            ("no ids", b"{}", 422, {}),
            ("101 ids", json.dumps({"issue_ids": ["a"] * 101}).encode(), 422, {}),
            ("a long note", json.dumps({"issue_ids": ["a"], "notes": "a" * 1001}).encode(), 422, {}),
            ("an id twice as a member", b'{"issue_ids":["a"],"issue_ids":["a"]}', 422, {}),
            ("at the limit", good + b" " * ((1 << 20) - len(good)), 200, {}),
            ("beyond the limit", good + b" " * ((1 << 20) + 1 - len(good)), 413, {}),
            ("far beyond it", b" " * (3 << 20), 413, {}),
        ]
        with self.shim.connect() as sock:
            for what, body, status, headers in table:
                with self.subTest(what=what):
                    answer = self.shim.patch(body, sock=sock, **headers)
                    if status == 200:
                        self.assertEqual(answer.status, 200, answer)
                    else:
                        self.check_problem(answer, status, what)
        self.check_alive()

    def test_chunked_bodies(self):
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        port = str(self.shim.port).encode()
        start = update("Transfer-Encoding: chunked", body=b"").replace(b"PORT", port)
        with self.shim.connect() as sock:
            sock.sendall(start + chunk * 48 + b"0\r\n\r\n")
            self.check_problem(http.read_answer(sock), 413)
            self.assertEqual(self.shim.request("GET", SUMMARY, sock=sock).status, 200)
        data, closed = self.shim.raw(start + chunk * 200)
        self.assertTrue(closed)
        self.assertNotIn(b"HTTP/1.1 200", data)
        with self.shim.connect() as sock:
            sock.sendall(start)
            for byte in BODY:
                sock.sendall(b"1\r\n%c\r\n" % byte)
            sock.sendall(b"0\r\n\r\n")
            self.assertEqual(http.read_answer(sock).status, 200)
        self.check_alive()

    def test_faults(self):
        body = b'{"issue_ids":["a",1,""],"severity":"bad\\u001b","x\\/~y":0,"notes":3}'
        document = self.check_problem(self.shim.patch(body), 422)
        self.assertEqual([e["pointer"] for e in document["errors"]],
                         ["/issue_ids/1", "/issue_ids/2", "/severity", "/x~1~0y", "/notes"])
        for error in document["errors"]:
            self.assertEqual(list(error), ["pointer", "detail"])
            self.assertTrue(error["detail"])
            self.assertNotIn("\x1b", error["detail"])
        many = b'{"issue_ids":["a"]' + b"".join(b',"m%d":0' % n for n in range(5000)) + b"}"
        document = self.check_problem(self.shim.patch(many), 422)
        self.assertEqual(len(document["errors"]), 1000)

    def test_methods(self):
        for path, allow in [(SUMMARY, "GET, HEAD, OPTIONS"), (RULESETS, "GET, HEAD, OPTIONS"),
                            (BULK, "PATCH, OPTIONS"), ("/healthz", "GET, HEAD, OPTIONS"),
                            ("/openapi.json", "GET, HEAD, OPTIONS")]:
            with self.subTest(path=path), self.shim.connect() as sock:
                answer = self.shim.request("OPTIONS", path, key=None, sock=sock)
                self.assertEqual((answer.status, answer.body, answer.headers["allow"]),
                                 (204, b"", allow))
                self.assertFalse([n for n in answer.headers if n.startswith("access-control")])
                for method in ("DELETE", "POST", "PUT", "TRACE", "get"):
                    answer = self.shim.request(method, path, key=None, sock=sock)
                    self.check_problem(answer, 405)
                    self.assertEqual(answer.headers["allow"], allow)
                if path == BULK:
                    continue
                got = self.shim.request("GET", path, sock=sock)
                answer = self.shim.request("HEAD", path, sock=sock)
                self.assertEqual((answer.status, answer.body), (got.status, b""))
                self.assertEqual(answer.headers["content-length"], str(len(got.body)))
        self.check_problem(self.shim.request("GET", BULK), 405)
        self.check_problem(self.shim.request("PATCH", SUMMARY, b"{}"), 405)

    def test_documents(self):
        answer = self.shim.request("GET", "/openapi.json", key=None)
        done = cli("schema", "openapi")
        if done.returncode == 0:
            self.assertEqual((answer.status, answer.body), (200, done.stdout))
            self.assertTrue(json.loads(answer.body)["openapi"].startswith("3.1"))
        for path in ("/", "/api", "/favicon.ico", "/api/issues"):
            self.check_problem(self.shim.request("GET", path), 404)

    def test_keys(self):
        for path in (SUMMARY, RULESETS):
            self.check_problem(self.shim.request("GET", path, key=None), 401)
            answer = self.shim.request("GET", path, key=KEY + "x")
            self.check_problem(answer, 401)
            self.assertIn("www-authenticate", answer.headers)
            self.check_problem(self.shim.request("GET", path, key=KEY[:-1]), 401)
        # The key is looked at before the body, its type and its size.
        self.check_problem(self.shim.patch(b"{", key="no-key", Content_Type="text/plain"), 401)
        self.check_problem(self.shim.request("GET", "/nothing", key=None), 404)
        self.check_problem(self.shim.request("DELETE", BULK, key=None), 405)

    def test_one_connection(self):
        with self.shim.connect() as sock:
            for n in range(200):
                path = (SUMMARY, RULESETS, "/healthz", "/nope")[n % 4]
                status = 404 if path == "/nope" else 200
                self.assertEqual(self.shim.request("GET", path, sock=sock).status, status)
                self.assertEqual(self.shim.patch(BODY, sock=sock).status, 200)

    def test_many_writers(self):
        """Every writer reads what it wrote, and the journal has all of it."""
        wrong = []

        def write(number):
            with self.shim.connect() as sock:
                for n in range(8):
                    level = ("low", "high")[n % 2]
                    answer = self.shim.patch({"issue_ids": [f"i{number}"], "severity": level},
                                             sock=sock)
                    document = json.loads(answer.body)
                    if answer.status != 200 or document["updated_issues"][0]["severity"] != level:
                        wrong.append(answer)

        threads = [threading.Thread(target=write, args=(n,)) for n in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.check_state()
        self.assertEqual(cli("verify", self.shim.journal, self.shim.export).returncode, 0)


class SlowClients:
    """Clients that take their time, all at once and beside the other tests: each takes long."""

    CASES = {
        "silent": ([b""], 0),
        "half a head": ([PLAIN[:-2]], 0),
        "idle after an answer": ([PLAIN], 0),
        "a head in drops": ([b"GET / HTTP/1.1\r\nA: ", *[b"a"] * 1000], 0.5),
        "a body in drops": ([update("Content-Length: 900000", body=b""), *[b" "] * 1000], 0.5),
        "a stranger's body in drops": ([update("Content-Length: 900000", body=b"", key=None),
                                        *[b" "] * 1000], 0.5),
    }

    def __init__(self):
        self.shim = Shim()
        self.took = {}
        self.threads = [threading.Thread(target=self.hold, args=(name, *case))
                        for name, case in self.CASES.items()]
        for thread in self.threads:
            thread.start()

    def hold(self, name, pieces, pause):
        """Send pieces with a pause after each until the connection ends."""
        start = time.monotonic()
        with self.shim.connect(60) as sock:
            try:
                for piece in pieces:
                    sock.sendall(piece.replace(b"PORT", str(self.shim.port).encode()))
                    if pause:
                        sock.settimeout(pause)
                        try:
                            if not sock.recv(65536):
                                break
                        except socket.timeout:
                            pass
                sock.settimeout(60)
                while sock.recv(65536):
                    pass
            except (BrokenPipeError, ConnectionResetError):
                pass
        self.took[name] = time.monotonic() - start


@needs_shim
class Slow(unittest.TestCase):
    """A client has 30 seconds for a request, whether it is silent or sends a byte now and then."""

    def test_slow(self):
        slow = SLOW[0]
        self.assertEqual(slow.shim.request("GET", SUMMARY).status, 200)
        for thread in slow.threads:
            thread.join()
        for name in slow.CASES:
            self.assertTrue(25 < slow.took[name] < 45, f"{name}: {slow.took[name]:.1f} s")
        self.assertEqual(slow.shim.request("GET", SUMMARY).status, 200)
        self.assertEqual(slow.shim.stop(), 0)


def write_plain(path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(http.export(), file)


def write_gzip(path):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(http.export(), file)


def write_yaml(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# YAML\n")
        json.dump(http.export(), file)


def write_folder(path):
    os.mkdir(path)
    write_plain(os.path.join(path, "a.json"))


EXPORTS = {"plain": write_plain, "gzip": write_gzip, "YAML": write_yaml, "folder": write_folder}


def write_over(path):
    """As many other bytes, with the times set back."""
    before = os.stat(path)
    with open(path, "r+b") as file:
        data = file.read()
        other = data.replace(b'"low"', b'"odd"').replace(b'"t"', b'"u"')
        file.seek(0)
        file.write(other if other != data else data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(path):
    shutil.copy2(path, path + ".new")
    os.rename(path + ".new", path)


def cut_short(path):
    os.truncate(path, 100)


def write_over_below(path):
    write_over(os.path.join(path, "a.json"))


def add_below(path):
    with open(os.path.join(path, "b.json"), "w", encoding="utf-8") as file:
        file.write("[]")


CHANGES = [("plain", write_over), ("plain", replace), ("plain", cut_short), ("plain", os.unlink),
           ("gzip", write_over), ("YAML", replace), ("folder", write_over_below),
           ("folder", add_below)]

CHANGE_ASKS = {
    "update": lambda shim: shim.patch({"issue_ids": ["i3"], "severity": "info"}),
    "summary": lambda shim: shim.request("GET", SUMMARY),
    "rulesets": lambda shim: shim.request("GET", RULESETS),
    "rulesets of one": lambda shim: shim.request("GET", RULESETS + "?repo_id=a%2Bb"),
}


def write_private(path, text):
    with open(path, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file:
        file.write(text)


class Own(Checks):
    """Tests that each need servers of their own."""

    def start(self, *arguments, **more):
        shim = Shim(*arguments, **more)
        self.addCleanup(shim.remove)
        return shim

    def refused(self, *arguments, text="", status=2, **more):
        """A server that must not start, and says why on its last line."""
        shim = self.start(*arguments, ready=False, **more)
        self.assertEqual(shim.process.wait(30), status, shim.lines)
        self.assertEqual(shim.stop(), status)
        lines = [line for line in shim.lines if line]
        self.assertTrue(lines and lines[-1].startswith("retriage: "), lines)
        self.assertIn(text, lines[-1])
        self.assertFalse([line for line in lines if "ready on" in line])
        return lines


class Starting(Own):
    """Starting, and refusing to."""

    def test_no_keys(self):
        self.refused(keys=(), text="--api-key-file: is missing, and so is a key in RETRIAGE_API_KEY")
        for key, text in [("", "16"), ("fifteen-letters", "16"), ("sixteen letters!", "ASCII"),
                          ("sixteen-letters-\u00fc", "ASCII")]:
            with self.subTest(key=key):
                self.refused(keys=(), env={"RETRIAGE_API_KEY": key}, text=text)

    def test_bad_key_files(self):
        shim = self.start()
        path = os.path.join(shim.folder, "other")
        good = "sha256:" + "0" * 64
        for line in ("alice", "alice " + good[:-1], "alice  " + good, "alice " + good.upper(),
                     "alice " + good + " ", "al ice " + good, " alice " + good,
                     "\u00fc " + good, "a" * 65 + " " + good, "alice " + KEY, "alice md5:00",
                     f"a {good}\nb {good}"):
            with self.subTest(line=line):
                write_private(path, "# keys\n\n" + line + "\n")
                number = 4 if "\n" in line else 3
                lines = self.refused("--api-key-file", path, keys=(), text=f"{path}:{number}:1: ")
                self.assertNotIn(KEY, "".join(lines))
                self.assertNotIn("0" * 64, "".join(lines))
        write_private(path, "# nobody\n")
        self.refused("--api-key-file", path, keys=(), text="there is no API key")
        self.refused("--api-key-file", path + ".none", keys=(), text=path + ".none")
        self.refused("--api-key-file", shim.folder, keys=(), text=shim.folder, status=3)

    def test_key_file_of_all(self):
        shim = self.start()
        for mode in (0o640, 0o604, 0o620, 0o602, 0o677, 0o644):
            with self.subTest(mode=oct(mode)):
                os.chmod(shim.keys, mode)
                self.refused("--api-key-file", shim.keys, keys=(),
                             text=f"{shim.keys}: others can read or write the key file (mode "
                                  f"{mode:04o}): chmod 600")
        os.chmod(shim.keys, 0o400)
        other = self.start("--api-key-file", shim.keys, keys=())
        self.assertEqual(other.request("GET", SUMMARY).status, 200)

    @unittest.skipIf(os.geteuid() != 0, "only root can make files of others")
    def test_key_file_of_others(self):
        """A group that only reads is what service managers set up."""
        shim = self.start()
        os.chown(shim.keys, 1, 1)
        for mode, good in ((0o440, True), (0o460, False), (0o444, False), (0o442, False)):
            with self.subTest(mode=oct(mode)):
                os.chmod(shim.keys, mode)
                if good:
                    self.assertEqual(self.start("--api-key-file", shim.keys, keys=()).stop(), 0)
                else:
                    self.refused("--api-key-file", shim.keys, keys=(), text="chmod 600")

    def test_failed_start(self):
        """It leaves nothing behind, and takes nothing away."""
        shim = self.start()
        document = shim.export
        self.assertEqual(shim.stop(), 0)
        self.assertEqual(sorted(os.listdir(shim.folder)), ["keys", "scan.json"])
        with open(document, "rb") as file:
            good = file.read()
        for text in (b"{", good + b"{}", b"[]", b""):
            with open(document, "wb") as file:
                file.write(text)
            if text != b"[]":
                self.refused(folder=shim.folder, text=document)
                self.assertEqual(sorted(os.listdir(shim.folder)), ["keys", "scan.json"])
        with open(document, "wb") as file:
            file.write(good)
        self.refused("--allow-host", "a b", folder=shim.folder)
        self.assertEqual(sorted(os.listdir(shim.folder)), ["keys", "scan.json"])
        # What is no journal stays as it is; what was there before does, too.
        with open(shim.journal, "wb") as file:
            file.write(b"no journal")
        self.refused(folder=shim.folder, text=shim.journal)
        self.assertEqual(sorted(os.listdir(shim.folder)), ["journal.jsonl", "keys", "scan.json"])
        with open(shim.journal + ".lock", "wb"):
            pass
        self.refused(folder=shim.folder, text=shim.journal)
        self.assertTrue(os.path.exists(shim.journal + ".lock"))
        with open(shim.journal, "rb") as file:
            self.assertEqual(file.read(), b"no journal")

    def test_bad_options(self):
        for text in ("8080", "localhost", "localhost:", "localhost:65536", "Localhost:80",
                     "example.org:80", ":", ":65536", "::80", ":+80", "127.0.0.1", "127.0.0.1:",
                     "127.0.0.1:65536", "::1:80", "[::1]", "127.0.0.1:+80", "256.0.0.1:80", "fd:0"):
            with self.subTest(text=text):
                self.refused("--listen", text, text="want ADDR:PORT with a numeric address, "
                             f'localhost:PORT or :PORT, have "{text}"')
        self.refused("--allow-host", "a b", text="--allow-host: want a host")
        self.refused("--allow-host", "http://a", text="--allow-host: want a host")
        for arguments in ((), ("a", "b", "--journal", "c"), ("a",), ("--new-key",), ("--log", "json")):
            done = cli("serve", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)

    def test_bad_inputs(self):
        shim = self.start()
        self.assertEqual(shim.patch({"issue_ids": ["i1"], "severity": "low"}).status, 200)
        # The address, then the journal, are taken.
        self.refused("--listen", f"127.0.0.1:{shim.port}", status=3,
                     text=f"cannot listen on 127.0.0.1:{shim.port}: Address already in use")
        self.refused("--listen", "192.0.2.1:0", status=3, text="cannot listen on 192.0.2.1:0: ")
        self.assertEqual(shim.stop(), 0)
        with open(shim.export, "a", encoding="utf-8") as file:
            file.write(" ")
        self.refused(folder=shim.folder, text="")  # another base
        with open(shim.export, "w", encoding="utf-8") as file:
            file.write("{")
        self.refused(folder=shim.folder, text=shim.export)
        os.unlink(shim.export)
        os.mkdir(shim.export)
        self.refused(folder=shim.folder)

    def test_damaged_journal(self):
        shim = self.start()
        self.assertEqual(shim.patch({"issue_ids": ["i1"], "severity": "low"}).status, 200)
        self.assertEqual(shim.stop(), 0)
        with open(shim.journal, "rb") as file:
            data = file.read()
        with open(shim.journal, "wb") as file:
            file.write(data.replace(b'"low"', b'"high"', 1))
        self.refused(folder=shim.folder, text=shim.journal)

    def test_environment_key(self):
        shim = self.start(keys=(), env={"RETRIAGE_API_KEY": KEY})
        self.assertEqual(shim.patch(BODY, key=KEY).status, 200)
        self.assertEqual(shim.patch(BODY, key=OTHER_KEY).status, 401)
        with open(shim.journal, encoding="utf-8") as file:
            self.assertIn('"actor":"default"', file.read())
        self.assertEqual(shim.stop(), 0)
        shim = self.start(folder=shim.folder, env={"RETRIAGE_API_KEY": "a-third-key-0123456789"})
        for key in (KEY, OTHER_KEY, "a-third-key-0123456789"):
            self.assertEqual(shim.request("GET", SUMMARY, key=key).status, 200)

    def test_new_key(self):
        done = cli("serve", "--new-key", "carol@x-y_z.0")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        key, line = done.stdout.decode().splitlines()
        self.assertRegex(key, r"^[A-Za-z0-9_-]{43}$")
        self.assertEqual(line + "\n", key_line("carol@x-y_z.0", key))
        self.assertNotEqual(cli("serve", "--new-key", "a").stdout.split(b"\n")[0].decode(), key)
        shim = self.start(keys=(("carol@x-y_z.0", key),))
        self.assertEqual(shim.patch(BODY, key=key).status, 200)
        for name in ("", "a b", "\u00fc", "a" * 65, "a\n"):
            done = cli("serve", "--new-key", name)
            self.assertEqual((done.returncode, done.stdout), (2, b""), name)

    def test_addresses(self):
        shim = self.start("--listen", "[::1]:0", "--allow-host", "scan.example",
                          "--allow-host", "proxy.example:443")
        port = shim.port
        shim.host = "::1"
        for host, status in [(f"[::1]:{port}", 200), ("scan.example", 200), ("Scan.Example", 200),
                             (f"scan.example:{port}", 200), ("scan.example:1", 421),
                             ("proxy.example:443", 200), ("proxy.example", 421),
                             (f"127.0.0.1:{port}", 200), ("[::2]", 421)]:
            data, _ = shim.raw(head("GET", SUMMARY, f"Host: {host}", host=False))
            answers = split_answers(data)
            self.assertEqual([a.status for a in answers], [status], host)
            if status == 421:
                self.assertIn("--allow-host", json.loads(answers[0].body)["detail"])
        self.assertEqual(shim.stop(), 0)
        shim = self.start("--listen", "0.0.0.0:0")
        self.assertTrue(any("reached by other machines" in line for line in shim.lines))
        data, _ = shim.raw(head("GET", SUMMARY, f"Host: 127.0.0.1:{shim.port}", host=False))
        self.assertEqual([a.status for a in split_answers(data)], [421])

    def test_loopback(self):
        """localhost is both of its addresses; without an address it is not all of them."""
        shim = self.start("--listen", ":0")
        self.assertIn(f"ready on http://127.0.0.1:{shim.port} ", shim.lines[0])
        self.assertFalse(any("other machines" in line for line in shim.lines))
        with open("/proc/net/tcp", encoding="ascii") as file:
            heard = [row.split()[1] for row in file if f":{shim.port:04X} 00000000:" in row]
        self.assertEqual(heard, [f"0100007F:{shim.port:04X}"])
        shim = self.start("--listen", "localhost:0", ready=False)
        line = shim.wait_line("ready on http://")
        shim.port = int(re.search(r"ready on http://localhost:(\d+) ", line).group(1))
        for host in ("127.0.0.1", "::1"):
            if host == "::1" and not os.path.exists("/proc/net/if_inet6"):
                continue
            shim.host = host
            for _ in range(3):
                self.assertEqual(shim.request("GET", SUMMARY).status, 200)
            data, _ = shim.raw(head("GET", SUMMARY, f"Host: localhost:{shim.port}", host=False))
            self.assertEqual([a.status for a in split_answers(data)], [200])
        # The other half is taken as well.
        self.refused("--listen", f"[::1]:{shim.port}", status=3, text="already in use")
        self.refused("--listen", f"localhost:{shim.port}", status=3, text="already in use")
        self.assertEqual(shim.stop(), 0)
        with socket.create_server(("::1", 0), family=socket.AF_INET6) as sock:
            self.refused("--listen", f"localhost:{sock.getsockname()[1]}", status=3,
                         text=f"[::1]:{sock.getsockname()[1]}: Address already in use")

    def test_stop_before_ready(self):
        """While the journal's lock is waited for there is nothing to finish."""
        shim = self.start()
        self.assertEqual(shim.patch(BODY).status, 200)
        for number in (signal.SIGTERM, signal.SIGINT):
            other = self.start(folder=shim.folder, ready=False)
            time.sleep(0.5)
            self.assertIsNone(other.process.poll())
            self.assertEqual(other.stop(number, seconds=5), -number)
        self.assertEqual(shim.patch(BODY).status, 200)
        self.assertEqual(shim.stop(), 0)


class Running(Own):
    """Signals, logs, deaths and faults."""

    def test_log(self):
        """A line a request, without what is secret or could steer a terminal."""
        shim = self.start()
        secret = "secret-in-a-query-0123456789"
        # One after the other: a line is written after its answer, by one thread of several.
        for number, ask in enumerate((
                lambda: shim.request("GET", f"{RULESETS}?repo_id={secret}"),
                lambda: shim.request("GET", SUMMARY, key=secret),
                lambda: shim.raw(head("G\x1b[2JT", "/\x1b]0;a\x07\xe2\x80\xae\x9b" +
                                      "b" * 1000)),
                lambda: shim.raw(head("GET", "/" + "c" * 5000)),
                lambda: shim.raw(head("A" * 4000, SUMMARY)),
                lambda: shim.patch({"issue_ids": [secret], "notes": secret}),
                lambda: shim.raw(head(KEY, SUMMARY)),
                lambda: shim.request("HEAD", SUMMARY))):
            ask()
            shim.wait_line("", after=number + 1)
        self.assertEqual(shim.stop(), 0)
        lines = [line for line in shim.lines if line]
        for hidden in (secret, "\x1b", "\x07", "\u202e", "\x9b", "b" * 300, "c" * 300):
            self.assertNotIn(hidden, "\n".join(lines))
        self.assertEqual(len(lines), 9, lines)
        self.assertTrue(lines[0].startswith("retriage: ready on http://127.0.0.1:"))
        self.assertTrue(lines[0].endswith(f" ({http.ISSUES} issues, 0 entries)"))
        rows = [line.split(" ") for line in lines[1:]]
        self.assertEqual({len(row) for row in rows}, {8})
        self.assertEqual([(row[1], int(row[3]), row[6]) for row in rows[:2]],
                         [("GET", 200, "alice"), ("GET", 401, "-")])
        self.assertEqual([int(row[3]) for row in rows], [200, 401, 404, 404, 405, 200, 405, 200])

    def test_quiet(self):
        """Only what ends the run is said."""
        with socket.create_server(("127.0.0.1", 0)) as sock:
            port = sock.getsockname()[1]
        shim = self.start("--quiet", "--listen", f"127.0.0.1:{port}", ready=False)
        shim.port = port
        for _ in range(100):
            try:
                self.assertEqual(shim.request("GET", SUMMARY).status, 200)
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        self.assertEqual(shim.stop(), 0)
        self.assertEqual(shim.lines, [None])

    def test_stop_in_flight(self):
        """What has begun is answered; what comes later is not let in."""
        shim = self.start()
        port = str(shim.port).encode()
        data = update(LENGTH).replace(b"PORT", port)
        waiting, idle = shim.connect(), shim.connect()
        waiting.sendall(data[:-3])
        self.assertEqual(shim.request("GET", SUMMARY, sock=idle).status, 200)
        time.sleep(0.2)
        shim.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        answer = shim.request("GET", "/healthz", sock=idle)
        self.assertEqual((answer.status, answer.headers["connection"]), (503, "close"))
        with self.assertRaises(OSError):
            shim.connect()
        self.assertIsNone(shim.process.poll())
        waiting.sendall(data[-3:])
        self.assertEqual(http.read_answer(waiting).status, 200)
        self.assertEqual(shim.stop(), 0)
        waiting.close()
        idle.close()
        self.assertEqual(cli("verify", shim.journal, shim.export).returncode, 0)

    def test_stop_twice(self):
        """A second signal ends it without the rest of a request."""
        shim = self.start()
        with shim.connect() as sock:
            sock.sendall(update(LENGTH).replace(b"PORT", str(shim.port).encode())[:-3])
            time.sleep(0.2)
            shim.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            self.assertIsNone(shim.process.poll())
            self.assertEqual(shim.stop(seconds=5), 0)

    def test_one_of_each(self):
        """One is not several."""
        shim = self.start(document=[{"id": "a", "severity": "low"}])
        self.assertEqual(shim.patch({"issue_ids": ["a"], "notes": "n"}).status, 200)
        self.assertEqual(shim.stop(), 0)
        self.assertTrue(shim.lines[0].endswith(" (1 issue, 0 entries)"), shim.lines[0])
        again = self.start(folder=shim.folder)
        self.assertEqual(again.stop(), 0)
        self.assertTrue(again.lines[0].endswith(" (1 issue, 1 entry)"), again.lines[0])

    def test_nobody_reads_the_log(self):
        """Lines are lost, requests are not; a note says how many when somebody reads again."""
        shim = self.start(paused=True)
        with shim.connect() as sock:
            for _ in range(3000):
                self.assertEqual(shim.request("GET", "/healthz", sock=sock).status, 200)
        shim.resume()
        shim.wait_line("/healthz")
        seen = 0
        while seen < len(shim.lines):
            seen = len(shim.lines)
            time.sleep(0.3)
        self.assertEqual(shim.request("GET", SUMMARY).status, 200)
        shim.wait_line(SUMMARY)
        self.assertEqual(shim.stop(), 0)
        note = r"retriage: (\d+) lines were lost: nobody read them"
        lost = [int(found[1]) for line in shim.lines if line
                if (found := re.fullmatch(note, line.strip()))]
        self.assertEqual(len(lost), 1)
        self.assertEqual(lost[0] + sum("/healthz" in line for line in shim.lines if line), 3000)

    def test_nobody_takes_answers(self):
        """Answers that nobody takes are bounded."""
        document = http.export()
        document["rulesets"][1]["rules_text"] = "t" * (8 << 20)
        shim = self.start(document=document)
        before = resident_bytes(shim.process.pid)
        asking = head("GET", f"{RULESETS}?repo_id=a%2Bb").replace(b"PORT", str(shim.port).encode())
        socks = [shim.connect() for _ in range(30)]
        for sock in socks:
            sock.sendall(asking)
        statuses = [int(sock.recv(12)[9:]) for sock in socks]
        self.assertEqual(statuses.count(200) + statuses.count(503), 30, statuses)
        self.assertGreater(statuses.count(503), 0)
        self.assertEqual(shim.request("GET", SUMMARY).status, 503)
        if not http.SANITIZED:  # freed memory is kept there for a while
            self.assertLess(resident_bytes(shim.process.pid) - before, 192 << 20)
        for sock in socks:
            sock.close()
        self.wait_for(lambda: shim.request("GET", f"{RULESETS}?repo_id=a%2Bb").status == 200)
        self.assertEqual(shim.stop(), 0)

    def wait_for(self, is_true):
        end = time.monotonic() + 10
        while not is_true():
            self.assertLess(time.monotonic(), end)

    def test_nobody_takes_updates(self):
        """An update whose answer would be too much to hold is refused before it is made."""
        document = http.export()
        for issue in document["issues"][:4]:
            issue["description"] = "d" * (5 << 20)
        shim = self.start(document=document)
        ids = [issue["id"] for issue in document["issues"][:4]]
        socks = [shim.connect() for _ in range(8)]
        for number, sock in enumerate(socks):
            body = json.dumps({"issue_ids": ids, "notes": f"n{number}"}).encode()
            sock.sendall(update(f"Content-Length: {len(body)}", body=body).replace(
                b"PORT", str(shim.port).encode()))
        statuses = [int(sock.recv(12)[9:]) for sock in socks]
        self.assertEqual(sorted(statuses), [200] * 3 + [503] * 5)
        for sock in socks:
            sock.close()
        self.wait_for(lambda: shim.patch({"issue_ids": ids}).status == 200)
        self.assertEqual(shim.stop(), 0)
        with open(shim.journal, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1 + 3 + 1)
        self.assertEqual(cli("verify", shim.journal, shim.export).returncode, 0)

    def test_record_limit(self):
        """Notes end where a record is full; what was taken can be written."""
        limit = ("--limit", "record=400")
        shim = self.start(*limit)
        note = {"issue_ids": ["none", "i1"], "notes": "x" * 30}
        answers = [shim.patch(note) for _ in range(6)]
        self.assertEqual([answer.status for answer in answers], [200, 200, 422, 422, 422, 422])
        (fault,) = self.check_problem(answers[2], 422)["errors"]
        self.assertEqual(fault["pointer"], "/notes")
        self.assertRegex(fault["detail"], r'^issue "i1": the updated issue exceeds --limit record=400: it has')
        self.assertEqual(shim.patch({"issue_ids": ["i1"], "severity": "low"}).status, 200)
        self.assertEqual(shim.stop(), 0)
        made = os.path.join(shim.folder, "made.json")
        done = cli("verify", *limit, "-o", made, shim.journal, shim.export)
        self.assertEqual(done.returncode, 0, done.stderr)
        full = Shim(*limit, folder=shim.folder)
        self.addCleanup(full.remove)
        self.assertEqual(full.patch(note).status, 422)
        self.assertEqual(full.stop(), 0)

    def test_stop_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            shim = self.start()
            with shim.connect() as sock:
                self.assertEqual(shim.request("GET", SUMMARY, sock=sock).status, 200)
                start = time.monotonic()
                self.assertEqual(shim.stop(number), 0)
                self.assertLess(time.monotonic() - start, 5)

    def connect_from(self, shim, address, count):
        """Connections from one address of this machine."""
        socks = []
        for _ in range(count):
            sock = socket.socket()
            self.addCleanup(sock.close)
            sock.settimeout(20)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            sock.bind((address, 0))
            sock.connect((shim.host, shim.port))
            socks.append(sock)
        return socks

    def test_many_of_one_address(self):
        """One connection too many of an address is closed; other addresses have theirs."""
        shim = self.start()
        socks = self.connect_from(shim, "127.0.0.2", 64)
        socks[0].sendall(head("GET", "/healthz", key=None).replace(b"PORT", str(shim.port).encode()))
        self.assertEqual(socks[0].recv(12), b"HTTP/1.1 200")
        (late,) = self.connect_from(shim, "127.0.0.2", 1)
        self.assertEqual(late.recv(1), b"")
        self.assertEqual(shim.patch(BODY).status, 200)
        socks[1].close()
        self.wait_for(lambda: self.is_served_from(shim, "127.0.0.2"))
        self.assertEqual(shim.stop(), 0)

    def test_places_are_taken(self):
        """Where there is no place, whoever has kept the server waiting longest yields."""
        shim = self.start()
        (oldest,) = self.connect_from(shim, "127.0.0.10", 1)
        oldest.sendall(PLAIN[:-2])
        self.assertEqual(shim.request("GET", SUMMARY).status, 200)
        # From as many addresses as one likes.
        for first in (10, 20):
            for number in range(first, first + 4):
                for sock in self.connect_from(shim, f"127.0.0.{number}", 64):
                    sock.sendall(PLAIN[:-2])
            self.assertTrue(self.is_served_from(shim, f"127.0.0.{200 + first}"))
        self.assertEqual(oldest.recv(1), b"")
        self.assertEqual(shim.stop(), 0)

    def test_strangers_yield_first(self):
        """Who has shown a key keeps the place, however many come."""
        shim = self.start(before=("sh", "-c", 'ulimit -n 40; exec "$@"', "sh"))
        with shim.connect() as known:
            for number in range(10, 14):
                self.assertEqual(shim.request("GET", SUMMARY, sock=known).status, 200)
                self.connect_from(shim, f"127.0.0.{number}", 60)
                self.assertTrue(self.is_served_from(shim, "127.0.0.200"))
            self.assertEqual(shim.request("GET", SUMMARY, sock=known).status, 200)
        self.assertEqual(shim.stop(), 0)

    def is_served_from(self, shim, address):
        (sock,) = self.connect_from(shim, address, 1)
        try:
            return shim.request("GET", "/healthz", key=None, sock=sock).status == 200
        except OSError:
            return False

    def test_few_descriptors(self):
        """Clients wait where there are no more descriptors; what is open is answered."""
        shim = self.start(before=("sh", "-c", 'ulimit -n 32; exec "$@"', "sh"))
        with shim.connect() as sock:
            self.assertEqual(shim.request("GET", SUMMARY, sock=sock).status, 200)
            socks = self.connect_from(shim, "127.0.0.2", 60)
            for _ in range(5):
                self.assertEqual(shim.patch(BODY, sock=sock).status, 200)
        for one in socks:
            one.close()
        self.assertEqual(shim.patch(BODY).status, 200)
        self.assertEqual(shim.stop(), 0)

    def load(self, shim, acknowledged, stop):
        """Update until the server is gone; keep the notes that were acknowledged, the first of them
        before this returns, however busy the machine is."""
        def write(number):
            count = 0
            try:
                with shim.connect() as sock:
                    while not stop.is_set():
                        note = f"{number}-{count}-{time.monotonic_ns()}"
                        answer = shim.patch({"issue_ids": [f"i{number}"], "notes": note}, sock=sock)
                        if answer.status == 200:
                            acknowledged.append(note)
                        elif answer.status != 503:
                            wrong.append(answer)
                        count += 1
            except OSError:
                pass

        wrong = []
        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        before = len(acknowledged)
        for thread in threads:
            thread.start()
        while len(acknowledged) == before and any(thread.is_alive() for thread in threads):
            time.sleep(0.01)
        return threads, wrong

    def check_acknowledged(self, shim, acknowledged):
        with open(shim.journal, encoding="utf-8") as file:
            written = {json.loads(line)["request"]["notes"] for line in file
                       if line.startswith('{"seq"') and line.endswith("\n")}
        lost = [note for note in acknowledged if note not in written]
        self.assertEqual(lost, [])

    def test_kill(self):
        acknowledged = []
        folder = None
        for number in range(ROUNDS):
            shim = self.start(folder=folder)
            folder = shim.folder
            if number:
                self.check_acknowledged(shim, acknowledged)
            seen = len(acknowledged)
            stop = threading.Event()
            threads, wrong = self.load(shim, acknowledged, stop)
            time.sleep(0.3 + 0.17 * (number % 4))
            shim.send_signal(signal.SIGKILL)
            stop.set()
            for thread in threads:
                thread.join()
            shim.stop()
            self.assertEqual(wrong, [])
            self.assertGreater(len(acknowledged), seen)
            self.assertEqual(cli("verify", shim.journal, shim.export).returncode, 0)
        shim = self.start(folder=folder)
        self.check_acknowledged(shim, acknowledged)
        self.assertEqual(shim.stop(), 0)
        self.assertEqual(cli("verify", shim.journal, shim.export).returncode, 0)

    def test_stop_under_load(self):
        acknowledged = []
        shim = self.start()
        stop = threading.Event()
        threads, wrong = self.load(shim, acknowledged, stop)
        time.sleep(0.5)
        self.assertEqual(shim.stop(), 0)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertTrue(acknowledged)
        self.check_acknowledged(shim, acknowledged)
        self.assertEqual(cli("verify", shim.journal, shim.export).returncode, 0)

    def check_change(self, form, change, ask):
        """An export that changes while it is served: whoever asks first ends the service."""
        folder = tempfile.mkdtemp(prefix="retriage-http-")
        path = os.path.join(folder, "scan.json")
        EXPORTS[form](path)
        shim = self.start(folder=folder)
        self.assertEqual(shim.patch({"issue_ids": ["i1"], "severity": "low"}).status, 200)
        kept = os.path.join(folder, "kept", "scan.json")
        os.mkdir(os.path.dirname(kept))
        (shutil.copytree if form == "folder" else shutil.copy)(path, kept)
        self.assertEqual(shim.request("GET", SUMMARY).status, 200)
        self.assertEqual(shim.request("GET", RULESETS).status, 200)
        change(path)
        answer = ask(shim)
        self.check_problem(answer, 503)
        self.assertEqual(shim.process.wait(30), 3)
        self.assertEqual(shim.stop(), 3)
        text = f"{path}: the export has changed since it was read"
        self.assertEqual(shim.lines[-2], "retriage: " + text)
        self.assertEqual(sum(text in line for line in shim.lines if line), 2)
        done = cli("verify", shim.journal, kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["entries"], 1)

    def test_changed_export(self):
        for form, change in CHANGES:
            for name, ask in CHANGE_ASKS.items():
                # At a folder readers look once a second.
                if form == "folder" and name != "update":
                    continue
                with self.subTest(form=form, change=change.__name__, ask=name):
                    self.check_change(form, change, ask)

    def test_unchanged_export(self):
        """What is read, and what lies beside it, is no change."""
        shim = self.start()
        with open(shim.export, "rb") as file:
            file.read()
        with open(shim.export + ".new", "wb"):
            pass
        for ask in CHANGE_ASKS.values():
            self.assertEqual(ask(shim).status, 200)
        self.assertEqual(shim.stop(), 0)

    @unittest.skipIf(http.SANITIZED, "a sanitizer and a preloaded library do not go together")
    def test_failed_flush(self):
        """A flush or a write that fails is never acknowledged, and ends the service."""
        self.assertTrue(os.path.exists(INJECTOR), INJECTOR)
        for kind, at in [("sync", 1), ("sync", 2), ("sync", 3), ("sync", 7)]:
            with self.subTest(kind=kind, at=at):
                shim = self.start(env={"LD_PRELOAD": INJECTOR, "LD_FAULT_KIND": kind,
                                       "LD_FAULT_AT": str(at), "LD_FAULT_ON": "1"})
                acknowledged = []
                threads, wrong = self.load(shim, acknowledged, threading.Event())
                for thread in threads:
                    thread.join()
                self.assertEqual(shim.process.wait(30), 3)
                self.assertEqual(wrong, [])
                self.assertEqual(shim.stop(), 3)
                self.assertTrue(any(" 503 " in line for line in shim.lines if line))
                self.assertTrue(any("the service ends" in line for line in shim.lines if line))
                self.assertTrue(shim.lines[-2].startswith("retriage: "), shim.lines[-3:])
                if os.path.exists(shim.journal):
                    self.check_acknowledged(shim, acknowledged)
                    again = self.start(folder=shim.folder)
                    self.check_acknowledged(again, acknowledged)
                    self.assertEqual(again.request("GET", SUMMARY).status, 200)
                    self.assertEqual(again.stop(), 0)


if __name__ == "__main__":
    unittest.main()
