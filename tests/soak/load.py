#!/usr/bin/python3
"""Load retriage serve with everything at once, and look for leaks, growth and slowing down.

Use: load.py [--valgrind] MINUTES
Environment: RETRIAGE, or BUILD for BUILD/retriage. A build with AddressSanitizer finds leaks by
itself at its end, as valgrind's memcheck does for any other.

Eight clients on loopback read, update, ask for what is refused, and break off. What has to hold:
every answer has the status that was to be expected; the last quarter of the time, beside the
first, has no more memory (2 MiB or 2 % are noise), no more descriptors, and no longer latency (the
median 1.5 times, the 99th of 100 three times; a machine is never alone); the server ends with 0 and
reports no leak and no fault of memory; its journal holds as many entries as updates were answered,
and verifies. Last line: "N passed, N failed".
"""

import collections
import http.client
import json
import os
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # before our own modules: nothing is written beside the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))

import bodies
import programs

CLIENTS = 8
ISSUES = 2000
WARM_PART = 0.15  # of the time: caches fill, and every issue is updated once
KEY = {"X-API-Key": programs.KEY}
JSON_TYPE = {"Content-Type": "application/json"}
BULK, SUMMARY, RULESETS = "/api/issues/bulk", "/api/issues/summary", "/api/rulesets"
# The allocator's heaps gain holes (0.6 MiB in 700,000 requests) while the bytes in use stay as they
# are; 32 bytes lost with each request would be 21 MiB.
NOISE_KIB = 2048
# Freed memory is held back for a short while only: else it fills up for minutes, like a leak.
ASAN = "detect_leaks=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=16"
VALGRIND = ("valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,possible",
            "--show-leak-kinds=definite,possible", "--error-exitcode=99", "--fair-sched=yes",
            f"--suppressions={pathlib.Path(__file__).with_name('valgrind.supp')}")

Sample = collections.namedtuple("Sample", "at resident descriptors")


class Load:
    """What the clients share."""

    def __init__(self, port, names, end):
        self.port, self.names, self.end = port, names, end
        self.lock = threading.Lock()
        self.latencies = collections.defaultdict(list)  # (begin, seconds) of each operation
        self.updates = 0
        self.wrong = []

    def over(self):
        """Whether the time is up."""
        return time.monotonic() >= self.end

    def add(self, client):
        """Take in what a client has counted."""
        with self.lock:
            for operation, pairs in client.latencies.items():
                self.latencies[operation] += pairs
            self.updates += client.updates
            self.wrong += client.wrong


class Client(threading.Thread):
    """One client with a connection that is kept while the server keeps it."""

    def __init__(self, load, seed):
        super().__init__()
        self.load = load
        self.random = random.Random(seed)
        self.connection = http.client.HTTPConnection("127.0.0.1", load.port, timeout=120)
        self.latencies = collections.defaultdict(list)
        self.updates = 0
        self.wrong = []

    def ask(self, operation, want, method, target, headers, body=None):
        """One request; its latency counts under the operation."""
        begin = time.monotonic()
        try:
            self.connection.request(method, target, body, headers)
            response = self.connection.getresponse()
            response.read()
            status = response.status
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            status = repr(error)
        self.latencies[operation].append((begin, time.monotonic() - begin))
        if status != want and len(self.wrong) < 20:
            self.wrong.append(f"{operation}: want {want}, have {status}")
        return status == want

    def update(self):
        """A body without fault; short notes, so that the journal stays small."""
        body = bodies.good(self.random, self.load.names)
        body["issue_ids"] = body["issue_ids"][:self.random.choice((1, 1, 1, 10))]
        body["notes"] = (body.get("notes") or "")[:40]
        self.updates += self.ask("update", 200, "PATCH", BULK, KEY | JSON_TYPE, json.dumps(body))

    def read(self):
        """The operations that change nothing."""
        operation, target, headers = self.random.choice((
            ("summary", SUMMARY, KEY), ("summary", SUMMARY, KEY), ("summary", SUMMARY, KEY),
            ("rulesets", RULESETS, KEY), ("rulesets", RULESETS + "?repo_id=a%20b%26c%3Dd", KEY),
            ("health", "/healthz", {}), ("document", "/openapi.json", {})))
        self.ask(operation, 200, "GET", target, headers)

    def err(self):
        """What is refused."""
        large = b'{"issue_ids":["' + b"x" * (1 << 20) + b'"]}'
        bad = json.dumps(bodies.bad(self.random, self.load.names))
        self.ask("refused", *self.random.choice((
            (422, "PATCH", BULK, KEY | JSON_TYPE, bad), (422, "PATCH", BULK, KEY | JSON_TYPE, bad),
            (400, "PATCH", BULK, KEY | JSON_TYPE, bad[:-1]), (415, "PATCH", BULK, KEY, bad),
            (401, "GET", SUMMARY, {}), (401, "PATCH", BULK, {"X-API-Key": "x"} | JSON_TYPE, bad),
            (404, "GET", "/api/none", KEY), (405, "DELETE", RULESETS, KEY),
            (403, "GET", SUMMARY, KEY | {"Origin": "http://example.com"}),
            (413, "PATCH", BULK, KEY | JSON_TYPE, large))))

    def break_off(self):
        """A connection that ends somewhere in a request, or before its answer."""
        head = (f"PATCH {BULK} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {programs.KEY}\r\n"
                "Content-Type: application/json\r\nContent-Length: 30\r\n\r\n").encode()
        whole = head + b'{"issue_ids":["no such issue'  # never complete: it would be carried out
        get = f"GET {SUMMARY} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {programs.KEY}\r\n\r\n"
        data = self.random.choice((whole, get.encode() * 3, b"\x00\r\n\r\n"))
        with socket.create_connection(("127.0.0.1", self.load.port), timeout=120) as broken:
            broken.sendall(data[:self.random.randint(0, len(data))])

    def run(self):
        """Until the time is up."""
        while not self.load.over():
            draw = self.random.random()
            if draw < 0.70:
                self.read()
            elif draw < 0.85:
                self.update()
            elif draw < 0.96:
                self.err()
            else:
                self.break_off()
        self.connection.close()
        self.load.add(self)


def sample(pid):
    """What the process holds now; resident memory in KiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    resident = int(status.split("VmRSS:")[1].split()[0])
    return Sample(time.monotonic(), resident, len(os.listdir(f"/proc/{pid}/fd")))


def slope(samples):
    """Growth of memory in KiB a minute, by least squares."""
    middle = statistics.fmean(one.at for one in samples)
    spread = sum((one.at - middle) ** 2 for one in samples)
    return 60 * sum((one.at - middle) * one.resident for one in samples) / spread


class Verdict:
    """What has to hold, and whether it did."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, right, told):
        """One goal, said either way."""
        print(f"  {'ok    ' if right else 'FAILED'} {what}: {told}")
        self.passed += bool(right)
        self.failed += not right


def quarters(pairs, begin, end):
    """Seconds of the first and the last quarter, sorted."""
    quarter = (end - begin) / 4
    return (sorted(seconds for at, seconds in pairs if begin <= at < begin + quarter),
            sorted(seconds for at, seconds in pairs if end - quarter <= at < end))


def judge_latency(verdict, load, begin, factor):
    """The last quarter beside the first. factor: how many times the median may be."""
    for operation, pairs in sorted(load.latencies.items()):
        first, last = quarters(pairs, begin, load.end)
        if len(first) < 20 or len(last) < 20:
            verdict.check(operation, False, f"too few: {len(first)} and {len(last)}")
            continue
        numbers = [1000 * times[int(part * len(times))] for part in (0.5, 0.99)
                   for times in (first, last)]
        flat = numbers[1] <= factor * numbers[0] + 0.2 and numbers[3] <= 3 * numbers[2] + 5
        verdict.check(f"latency of {operation}", flat,
                      "median {:.2f} -> {:.2f} ms, 99 % {:.2f} -> {:.2f} ms".format(*numbers) +
                      f", {len(pairs)} requests")


def judge_growth(verdict, samples, begin, end):
    """Memory and descriptors of the last quarter beside the first."""
    quarter = (end - begin) / 4
    steady = [one for one in samples if begin <= one.at < end]
    first = [one for one in steady if one.at < begin + quarter]
    last = [one for one in steady if one.at >= end - quarter]
    before, after = (statistics.fmean(one.resident for one in part) for part in (first, last))
    verdict.check("memory", after - before <= max(NOISE_KIB, before / 50),
                  f"{before:.0f} -> {after:.0f} KiB, {slope(steady):+.1f} KiB a minute, "
                  f"peak {max(one.resident for one in samples)} KiB")
    most = [max(one.descriptors for one in part) for part in (first, last)]
    verdict.check("descriptors", most[1] <= most[0] + CLIENTS, f"{most[0]} -> {most[1]}")


def run_load(port, names, minutes, program):
    """The clients' time; returns what they saw and samples of the server."""
    load = Load(port, names, time.monotonic() + 60 * minutes)
    clients = [Client(load, seed) for seed in range(CLIENTS)]
    samples = [sample(program.process.pid)]
    for client in clients:
        client.start()
    while not load.over() and program.process.poll() is None:
        time.sleep(0.5)
        samples.append(sample(program.process.pid))
    for client in clients:
        client.join()
    return load, samples


def judge_end(verdict, program, load, export, journal):
    """How the server ended, and what it left behind."""
    status = program.stop(seconds=300)
    faults = [line for line in program.output().splitlines()
              if "ERROR:" in line or "==" in line and ("lost" in line or "Invalid" in line)]
    verdict.check("end", status == 0 and not faults, f"exit status {status} {faults[:3]}")
    if status or faults:
        print(program.output()[-3000:])
    told = subprocess.run([programs.RETRIAGE, "log", "--head", journal], stdout=subprocess.PIPE,
                          check=False).stdout.split(b":")[0]
    verdict.check("entries", told == str(load.updates).encode(),
                  f"{told.decode()} in the journal, {load.updates} answered")
    done = subprocess.run([programs.RETRIAGE, "verify", "--quiet", journal, export],
                          stdout=subprocess.PIPE, check=False)
    verdict.check("verification", done.returncode == 0, f"exit status {done.returncode}")


def soak(minutes, wrapper, folder):
    """Everything; returns the verdict."""
    verdict = Verdict()
    rng = random.Random(1)
    names = bodies.identifiers(rng, ISSUES)
    export, journal = folder / "export.json", folder / "journal"
    export.write_text(bodies.export(rng, names), encoding="utf-8")
    program, port = programs.serve(export, journal, wrapper=wrapper)
    try:
        begin = time.monotonic() + 60 * minutes * WARM_PART
        load, samples = run_load(port, names, minutes, program)
        total = sum(map(len, load.latencies.values()))
        verdict.check("answers", not load.wrong and total, f"{total} requests, "
                      f"{total / 60 / minutes:.0f} a second; not as expected: {load.wrong[:3]}")
        # valgrind runs one thread at a time, for a short while: its medians are rough.
        judge_latency(verdict, load, begin, 2.5 if wrapper else 1.5)
        judge_growth(verdict, samples, begin, load.end)
        judge_end(verdict, program, load, export, journal)
    finally:
        program.stop()
    return verdict


def main(arguments):
    """Run; returns the exit status."""
    wrapper = VALGRIND if arguments[:1] == ["--valgrind"] else ()
    if len(arguments) != (2 if wrapper else 1):
        print("use: load.py [--valgrind] MINUTES", file=sys.stderr)
        return 2
    os.environ["ASAN_OPTIONS"] = ASAN
    with tempfile.TemporaryDirectory(prefix="retriage-soak-") as folder:
        verdict = soak(float(arguments[-1]), wrapper, pathlib.Path(folder))
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
