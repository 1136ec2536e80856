"""Starts what the tests talk to, on loopback: retriage serve, and Prism in front of it."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
DOCUMENT = ROOT / "schemas" / "openapi.json"
KEY = "contract-test-key-of-no-value"
# A line for one request; they are many, and tell nothing here.
ACCESS = re.compile(rb"^[-0-9:T]+Z [^ ]+ [^ ]+ [0-9]{3} ")
READY = re.compile(rb"ready on http://[^ ]*:([0-9]+)")
START_SECONDS = 120  # a big export under valgrind takes its time


class Program:
    """A process whose output is kept but for lines of requests; ready when a line says so."""

    def __init__(self, command, ready, environment=None):
        self.lines = []
        self.found = None
        self.told = threading.Event()
        try:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})
        except OSError as error:
            raise RuntimeError(f"{command[0]} cannot be started: {error}") from error
        self.reader = threading.Thread(target=self.read, args=(ready,), daemon=True)
        self.reader.start()
        if not self.told.wait(START_SECONDS) or not self.found:
            self.stop()
            raise RuntimeError(f"{command[0]} did not start: {self.output()}")

    def read(self, ready):
        """Take lines until the program closes its output."""
        for line in self.process.stdout:
            if not ACCESS.match(line) and len(self.lines) < 10000:
                self.lines.append(line)
            if not self.found:
                self.found = ready.search(line)
                if self.found:
                    self.told.set()
        self.told.set()

    def output(self):
        """What it has printed last."""
        return b"".join(self.lines[-200:]).decode("utf-8", "replace")

    def stop(self, seconds=60):
        """End it as an operator would; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.reader.join(10)
        return status


def serve(export, journal, *more, wrapper=(), port=0, environment=None):
    """The server, listening, and its port."""
    environment = {"RETRIAGE_API_KEY": KEY, **(environment or {})}
    environment.setdefault("ASAN_OPTIONS", os.environ.get("ASAN_OPTIONS", "detect_leaks=1"))
    program = Program([*wrapper, RETRIAGE, "serve", "--listen", f"127.0.0.1:{port}", *more,
                       "--journal", journal, export], READY, environment)
    return program, int(program.found[1])


def free_port():
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def prism(folder, upstream, *more, host="127.0.0.1"):
    """Prism as a validating proxy in front of port upstream of host, and its own port.

    It takes longer headers than the server, which is to refuse them.
    """
    port = free_port()
    program = Program([folder / ".bin" / "prism", "proxy", *more, DOCUMENT,
                       f"http://{host}:{upstream}", "--host", "127.0.0.1", "--port", port],
                      re.compile(rb"Prism is listening"),
                      {"NODE_OPTIONS": "--max-http-header-size=65536"})
    return program, port


def wait_until(true, seconds):
    """Whether true() came true in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
