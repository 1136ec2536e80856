"""Kills a server before each of its system calls, while several clients update, and looks at what
it leaves.

After a kill the journal is what it was and some of the updates after it, each whole, once, and
at least those that were acknowledged; it verifies, and a server starts on it again without help.
Then the order of the calls: nothing is answered before it was flushed, which a kill cannot show.

Environment: RT_KILL_ALL=1 kills before every call, instead of before those on the journal, its
lock and its folder and a sample of the others.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "http")]

import scene as scenes  # noqa: E402
import shim as http  # noqa: E402

CLIENTS = 3
UPDATES = 2  # of each client
WORKERS = 2
ALL = os.environ.get("RT_KILL_ALL") == "1"
JOURNAL_SAMPLE = 12 if scenes.SANITIZED else 2  # every how many calls one is tried
SAMPLE = 120 if scenes.SANITIZED else 20
LINE = re.compile(r"(\d+) +(\w+)\((.*)")
TORN = b'{"seq":4,"at":"2024-0'
JOURNAL = "journal.jsonl"


def why_not():
    """Why strace cannot be used here, or None."""
    if not http.HAS_SHIM:
        return "built without the HTTP shim"
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e",
                           "inject=exit_group:signal=KILL:when=1", "true"],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode == -9:
        return None
    return f"strace cannot trace here: {done.stderr.decode(errors='replace').strip()[:200]}"


def read_entries(path):
    """The journal's entries that are whole."""
    text = scenes.read(path) or b""
    return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()[1:]]


class Updates:
    """What some clients have sent, and what they were told."""

    def __init__(self, name, clients=CLIENTS):
        self.name, self.clients = name, clients
        self.sent, self.answers, self.wrong = [], {}, []

    def one(self, shim, sock, client, number):
        note = f"{self.name} {client} {number}"
        self.sent.append(note)
        answer = shim.patch({"issue_ids": [f"i{client}", "none"], "severity": "low",
                             "notes": note}, sock=sock)
        if answer.status == 200:
            self.answers[note] = hashlib.sha256(answer.body[:-1]).hexdigest()
        else:
            self.wrong.append(answer)

    def client(self, shim, client):
        try:
            with shim.connect(patience=30) as sock:
                for number in range(UPDATES):
                    self.one(shim, sock, client, number)
        except OSError:
            pass  # it was killed

    def run(self, shim):
        """All of them at once; returns when they are done, or the server is gone."""
        threads = [threading.Thread(target=self.client, args=(shim, client))
                   for client in range(self.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def serve_traced(folder, options, updates):
    """Update through a server under strace, and end it. Returns its exit status."""
    port = http.free_port()
    shim = http.Shim(folder=folder, listen=f"127.0.0.1:{port}", ready=False,
                     before=["strace", "-D", "-f", "-qq", *options], env=scenes.environment())
    shim.port = port
    try:
        updates.run(shim)
    finally:
        status = shim.stop()
    return status


class Scene:
    """A folder as it is before the server starts. count: entries in its journal."""

    def __init__(self, name, count, tail=b""):
        self.name, self.count, self.tail = name, count, tail
        self.holder = self.old = None

    def make(self, folder):
        if not self.holder:
            self.holder = scenes.scratch()
            self.prepare(self.holder.name)
        shutil.copytree(self.holder.name, folder)

    def prepare(self, folder):
        shim = http.Shim(folder=folder)
        before = Updates("before")
        for number in range(self.count):
            before.one(shim, None, 0, number)
        assert shim.stop() == 0 and len(before.answers) == self.count
        self.old = scenes.read(shim.journal)
        if self.tail:
            with open(shim.journal, "ab") as file:
                file.write(self.tail)

    def judge(self, folder, updates):
        """What is wrong with the journal, or None."""
        text = scenes.read(os.path.join(folder, JOURNAL)) or b""
        old = self.old or b""
        if not text.startswith(old):
            return "what was in the journal is not there any more"
        entries = read_entries(os.path.join(folder, JOURNAL))
        added = {entry["request"]["notes"]: entry["result"]["sha256"]
                 for entry in entries[self.count:]}
        if len(added) != len(entries) - self.count or not set(added) <= set(updates.sent):
            return f"in the journal is what was not sent: {entries[self.count:]}"
        lost = [note for note, digest in updates.answers.items() if added.get(note) != digest]
        if lost:
            return f"acknowledged, and not in the journal: {lost}"
        kept = [scenes.read(os.path.join(folder, name)) for name in os.listdir(folder)
                if name.startswith(JOURNAL)]
        if self.tail and not any(each.endswith(self.tail) for each in kept):
            return "the torn tail is lost"
        if b"\n" not in text:
            return None
        done = scenes.run(folder, "verify", JOURNAL, "scan.json")
        return f"verify: exit {done.returncode}, {done.stderr!r}" if done.returncode else None

    def judge_next(self, folder, updates):
        """Start again. Returns what is wrong then, or None."""
        journal = os.path.join(folder, JOURNAL)
        whole = scenes.read(journal) or b""
        # A last line that lacks nothing but its end counts.
        whole = whole if whole.endswith(b'"}') else whole[:whole.rfind(b"\n") + 1]
        shim = http.Shim(folder=folder)
        try:
            summary = shim.request("GET", "/api/issues/summary")
            updates.one(shim, None, 7, "again")
        finally:
            status = shim.stop()
        if status or updates.wrong:
            return f"the next server: exit {status}, {shim.lines[-3:]}, {updates.wrong}"
        if not scenes.read(journal).startswith(whole):
            return "the next server has changed what was written"
        scenes.write(journal + ".before", whole)
        if whole:
            done = scenes.run(folder, "summary", "--compact", "--journal", JOURNAL + ".before",
                              "scan.json")
            if done.stdout != summary.body:
                return f"the next server answers {summary.body[:300]!r}"
        os.unlink(journal + ".before")
        return self.judge(folder, updates)


SCENES = [Scene("first_entry", 0), Scene("next_entry", 3), Scene("torn_tail", 3, TORN)]


def paths_of(folder):
    """Options that leave only calls on the journal, what is beside it, and the folder."""
    names = [JOURNAL, JOURNAL + ".lock", JOURNAL + ".torn-4"]
    return [option for path in [folder, *(os.path.join(folder, name) for name in names)]
            for option in ("-P", path)]


def counts_of(path):
    """The calls in a trace as {name: (those of the loader, most of one thread)}."""
    counts = collections.defaultdict(collections.Counter)
    loaded, first, begun = collections.Counter(), None, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for thread, name, rest in (match.groups() for match in map(LINE.match, file) if match):
            first = first or thread
            begun = begun or (f"{JOURNAL}" in rest and name != "execve")
            counts[name][thread] += 1
            if thread == first and not begun:
                loaded[name] += 1
    return {name: (loaded[name], max(threads.values())) for name, threads in counts.items()}


def points_of(scene, folder, only_journal):
    """Points to kill at: (whether only calls on the journal count, name, number)."""
    scene.make(folder)
    path = folder + ".trace"
    options = [*(paths_of(folder) if only_journal else []), "-o", path]
    status = serve_traced(folder, options, Updates("trace"))
    assert status == 0, status
    counts = counts_of(path)
    os.unlink(path)
    step = 1 if ALL else JOURNAL_SAMPLE if only_journal else SAMPLE
    return [(only_journal, name, number) for name, (loaded, most) in sorted(counts.items())
            for number in range((0 if only_journal else loaded) + 1, most + 1, step)]


@unittest.skipIf(why_not(), why_not())
class ServeTest(unittest.TestCase):
    """One test a scene; they are made below."""

    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.top = os.path.realpath(holder.name)

    def kill_at(self, scene, point):
        """Returns (whether it was killed, what is wrong)."""
        only_journal, name, number = point
        where = f"{name} {number}{' of the journal' if only_journal else ''}"
        folder = os.path.join(self.top, where.replace(" ", "-"))
        scene.make(folder)
        options = ["-o", "/dev/null", *(paths_of(folder) if only_journal else []), "-e",
                   f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"]
        updates = Updates("new")
        status = serve_traced(folder, options, updates)
        # 3: the process that forks others was killed, before there is a server.
        wrong = None if status in (-9, 0, 3) and not updates.wrong else \
            f"exit {status}, {updates.wrong}"
        try:
            wrong = wrong or scene.judge(folder, updates) or scene.judge_next(folder, updates)
        except (AssertionError, OSError, ValueError) as err:
            wrong = f"{type(err).__name__}: {err}"
        shutil.rmtree(folder)
        return status in (-9, 3), wrong and f"{where}: {wrong}"

    def sweep(self, scene):
        points = [point for only_journal in (True, False) for point in
                  points_of(scene, os.path.join(self.top, f"trace-{only_journal}"), only_journal)]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(lambda point: self.kill_at(scene, point), points))
        hit = sum(killed for killed, _ in results)
        print(f"{scene.name}: {hit} kills at {len(points)} points")
        complaints = [complaint for _, complaint in results if complaint]
        self.assertFalse(complaints, "\n".join(["", *complaints]))
        self.assertGreater(hit, len(points) // 2, "most points were not reached")
        self.assertTrue({"pwrite64", "fdatasync", "fcntl"} <= {name for _, name, _ in points})


    def test_order(self):
        """Written, flushed, answered: each update in this order, the folder flushed before."""
        folder, path = os.path.join(self.top, "order"), os.path.join(self.top, "trace")
        SCENES[0].make(folder)
        names = "pwrite64,fdatasync,fsync,sendmsg,sendto,writev"
        options = ["-o", path, "-s", "20", "-e", f"trace={names}"]
        self.assertEqual(serve_traced(folder, options, Updates("order", clients=1)), 0)
        with open(path, encoding="utf-8", errors="replace") as file:
            events = "".join(filter(None, map(event_of, file)))
        self.assertEqual(events, "F" + "wfa" * UPDATES)


def event_of(line):
    """One letter for a line of a trace, or None. A flush counts when it is over."""
    if re.search(r"\bfsync(\(| resumed).*= 0$", line):
        return "F"
    if re.search(r"\bfdatasync(\(| resumed).*= 0$", line):
        return "f"
    if "pwrite64(" in line:
        return "w"
    return "a" if "HTTP/1.1 200" in line else None


def add_test(scene):
    def test(self):
        self.sweep(scene)
    setattr(ServeTest, f"test_{scene.name}", test)


for each in SCENES:
    add_test(each)

if __name__ == "__main__":
    unittest.main()
