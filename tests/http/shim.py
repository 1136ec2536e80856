"""A running `retriage serve` and raw sockets to talk to it, for the tests beside this file."""
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
RETRIAGE = os.environ.get("RETRIAGE", os.path.join(BUILD, "retriage"))
SANITIZED = bool(os.environ.get("SANITIZE"))
KEY = "key-of-alice-0123456789"
OTHER_KEY = "key-of-bob-0123456789"
ISSUES = 60

HAS_SHIM = subprocess.run([RETRIAGE, "serve", "--help"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


# Others that run at the same time begin elsewhere.
PORTS = itertools.cycle(range(10000 + os.getpid() * 97 % 10000, 30000))


def free_port():
    """A port that nothing listens on now, and that the system gives to nobody by itself."""
    while True:
        port = next(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def key_line(name, key):
    return f"{name} sha256:{hashlib.sha256(key.encode()).hexdigest()}\n"


def export():
    """An export that has something of everything the answers depend on."""
    levels = ["critical", "high", "medium", "low", "info", "odd", None]
    issues = [{"id": f"i{n}", "scan_id": "s", "severity": levels[n % len(levels)],
               "category": f"c{n % 3}" if n % 4 else None, "cvss_score": 9.8,
               "title": f"t\u00fc{n}", "own": {"kept": n},
               "created_at": f"2026-01-{1 + n % 28:02}T00:00:{n:02}Z"} for n in range(ISSUES)]
    dates = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    rulesets = [{"id": f"r{n}", "name": "n", "description": None, "rules_text": "t",
                 "org_id": "o", "repo_ids": repos, "created_by": None, **dates}
                for n, repos in enumerate([["a b", "ü"], ["a+b"], None, [], [""]])]
    return {"issues": issues, "rulesets": rulesets}


def cli(*arguments, env=None):
    return subprocess.run([RETRIAGE, *arguments], stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, env=env)


class Answer:
    """One HTTP answer."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:200]!r}"


def split_answers(data, heads=()):
    """All answers in data. heads: numbers of those without a body, for their method is HEAD."""
    answers = []
    while data:
        head, found, data = data.partition(b"\r\n\r\n")
        if not found:
            raise ValueError(f"half an answer: {head[:200]!r}")
        lines = head.decode("latin-1").split("\r\n")
        status = int(re.match(r"HTTP/1\.[01] (\d{3}) ", lines[0]).group(1))
        headers = {}
        for line in lines[1:]:
            name, value = line.split(": ", 1)
            headers[name.lower()] = value
        size = int(headers.get("content-length", 0))
        if len(answers) in heads or status in (100, 204):
            size = 0
        answers.append(Answer(status, headers, data[:size]))
        data = data[size:]
    return answers


class Shim:
    """A server of its own, in a folder of its own."""

    def __init__(self, *arguments, keys=(("alice", KEY), ("bob", OTHER_KEY)), env=None,
                 folder=None, before=(), ready=True, listen="127.0.0.1:0",
                 paused=False, document=None):
        """paused: its standard error is only read up to the line that it is ready."""
        self.folder = folder or tempfile.mkdtemp(prefix="retriage-http-")
        self.export, self.journal, self.keys = (os.path.join(self.folder, name) for name in
                                                ("scan.json", "journal.jsonl", "keys"))
        if not os.path.exists(self.export):
            with open(self.export, "w", encoding="utf-8") as file:
                json.dump(document or export(), file)
        if keys:
            self.write_keys("".join(key_line(*pair) for pair in keys))
            arguments = (*arguments, "--api-key-file", self.keys)
        if listen and "--listen" not in arguments:
            arguments = (*arguments, "--listen", listen)
        environment = {**os.environ, **(env or {})}
        self.lines = []
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            [*before, RETRIAGE, "serve", *arguments, "--journal", self.journal, self.export],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment)
        self.paused = threading.Event()
        if not paused:
            self.paused.set()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.host, self.port = "127.0.0.1", 0
        if ready:
            found = re.search(r"ready on http://(\[?[0-9a-f.:]+?\]?):(\d+) ",
                              self.wait_line("ready on http://"))
            self.host, self.port = found.group(1).strip("[]"), int(found.group(2))

    def _read(self):
        for line in self.process.stderr:
            with self.changed:
                self.lines.append(line.decode("utf-8").rstrip("\n"))
                self.changed.notify_all()
            if b"ready on" in line:
                self.paused.wait()
        with self.changed:
            self.lines.append(None)
            self.changed.notify_all()

    def resume(self):
        """Read standard error again."""
        self.paused.set()

    def wait_line(self, text, after=0, seconds=20):
        """The first line that has text in it, from line number `after` on."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                for line in self.lines[after:]:
                    if line is None:
                        raise AssertionError(f"no line with {text!r}: {self.lines}")
                    if text in line:
                        return line
                if not self.changed.wait(max(0.0, end - time.monotonic())):
                    raise AssertionError(f"no line with {text!r}: {self.lines}")

    def write_keys(self, text):
        with open(self.keys, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(text)

    def connect(self, seconds=20, patience=0):
        """patience: seconds to try again while it is not listening yet."""
        end = time.monotonic() + patience
        while True:
            try:
                sock = socket.create_connection((self.host, self.port), timeout=seconds)
                break
            except ConnectionRefusedError:
                if time.monotonic() >= end or self.process.poll() is not None:
                    raise
                time.sleep(0.02)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def raw(self, *pieces, pause=0.05, seconds=20):
        """Send pieces, in which PORT stands for the server's, and read until nothing more comes.
        Returns all bytes that came, and whether the server ended the connection."""
        with self.connect(seconds) as sock:
            data = b""
            closed = False
            try:
                for number, piece in enumerate(pieces):
                    if number:
                        time.sleep(pause)
                    sock.sendall(piece.replace(b"PORT", str(self.port).encode()))
                sock.settimeout(0.4)
                while True:
                    more = sock.recv(65536)
                    if not more:
                        closed = True
                        break
                    data += more
            except socket.timeout:
                pass
            except (ConnectionResetError, BrokenPipeError):
                closed = True
        return data, closed

    def request(self, method, target, body=None, key=KEY, sock=None, **headers):
        """One well-formed request. Returns its Answer."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        if key:
            lines.append(f"X-API-Key: {key}")
        if body is not None:
            headers.setdefault("Content_Type", "application/json")
            lines.append(f"Content-Length: {len(body)}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()
                  if value is not None]
        data = "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")
        own = sock or self.connect()
        try:
            own.sendall(data)
            return read_answer(own, method == "HEAD")
        finally:
            if not sock:
                own.close()

    def patch(self, document, **more):
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.request("PATCH", "/api/issues/bulk", body, **more)

    def send_signal(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM, seconds=60):
        """End it. Returns its exit status."""
        if self.process.poll() is None:
            self.send_signal(number)
        status = self.process.wait(seconds)
        self.reader.join(10)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def remove(self):
        self.resume()
        if self.process.poll() is None:
            self.process.kill()
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def read_answer(sock, head=False):
    """Read one answer from a connection that goes on; 100 is skipped."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            raise ConnectionError(f"the connection ended after {data[:200]!r}")
        data += more
    start, _, rest = data.partition(b"\r\n\r\n")
    answer = split_answers(start + b"\r\n\r\n", heads=(0,))[0]
    size = 0 if head or answer.status == 204 else int(answer.headers.get("content-length", 0))
    while len(rest) < size:
        more = sock.recv(65536)
        if not more:
            raise ConnectionError("the connection ended in a body")
        rest += more
    answer.body = rest
    return answer
