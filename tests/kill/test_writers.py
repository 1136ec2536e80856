"""Two runs at once on one journal or one export: nothing is lost, nothing is mixed.

Also what dead runs have left, and what living ones hold.
"""
import concurrent.futures
import fcntl
import hashlib
import json
import os
import struct
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
import scene as scenes  # noqa: E402

CALLS = 4 if scenes.SANITIZED else 20  # of one writer, GROUP requests each
GROUP = 50
SINGLES = 5  # calls of one writer with one request
RUNS = 8 if scenes.SANITIZED else 30  # of one writer in place


def entries_of(path):
    """The journal's entries as (actor, digest of the result), in order."""
    lines = scenes.read(path).splitlines()
    entries = [json.loads(line) for line in lines[1:]]
    return [(entry["actor"], entry["result"]["sha256"]) for entry in entries]


def digests_of(answer):
    return [hashlib.sha256(line).hexdigest() for line in answer.splitlines()]


def append(folder, actor, at, requests):
    """One call; returns (actor, digests of its results)."""
    done = scenes.run(folder, "apply", "--at", at, "--actor", actor, "--journal", "J", "e.json",
                      requests)
    assert done.returncode == 0, done.stderr
    return actor, digests_of(done.stdout)


class WritersTest(unittest.TestCase):
    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        scenes.make_base(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def together(self, *functions):
        with concurrent.futures.ThreadPoolExecutor(len(functions)) as pool:
            return [future.result() for future in [pool.submit(each) for each in functions]]

    def test_one_journal(self):
        """Each call's entries stand together and in order, with the digests of its results."""
        levels = ("low", "high", "medium")
        group = [{"issue_ids": [f"iss-{n % scenes.ISSUES}"], "severity": levels[n % 3],
                  "notes": f"note {n}"} for n in range(GROUP)]
        scenes.write_requests(self.path("group.jsonl"), *group)

        def writer(name):
            calls = []
            for n in range(CALLS + SINGLES):
                requests = "r.json" if n % 2 == 0 and n // 2 < SINGLES else "group.jsonl"
                at = f"2024-01-01T{n // 60:02}:{n % 60:02}:{ord(name) % 60:02}Z"
                calls.append(append(self.folder, f"{name}-{n}", at, requests))
            return calls

        calls = [call for each in self.together(lambda: writer("a"), lambda: writer("b"))
                 for call in each]
        entries = entries_of(self.path("J"))
        self.assertEqual(len(entries), 2 * (CALLS * GROUP + SINGLES))
        self.assertEqual(len(entries), sum(len(digests) for _, digests in calls))
        for actor, digests in calls:
            first = [name for name, _ in entries].index(actor)
            self.assertEqual(entries[first:first + len(digests)],
                             [(actor, digest) for digest in digests])
        done = scenes.run(self.folder, "verify", "J", "e.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {"J", "J.lock", "e.json", "r.json", "n.jsonl", "group.jsonl"}
        self.assertEqual(set(os.listdir(self.folder)), names)

    def test_one_export(self):
        """Both add notes to one issue of one file: all of them are there in the end."""
        def writer(name):
            for n in range(RUNS):
                scenes.write_requests(self.path(f"{name}.json"),
                                      {"issue_ids": ["iss-3"], "notes": f"{name} {n}"})
                done = scenes.run(self.folder, "apply", "--in-place", "e.json", f"{name}.json")
                assert done.returncode == 0, done.stderr

        self.together(lambda: writer("a"), lambda: writer("b"))
        export = json.loads(scenes.read(self.path("e.json")))
        notes = [note["text"] for note in export["issues"][3]["notes"]]
        for name in ("a", "b"):
            self.assertEqual([note for note in notes if note[0] == name],
                             [f"{name} {n}" for n in range(RUNS)])
        self.assertEqual(len(notes), 2 * RUNS)
        self.assertFalse([name for name in os.listdir(self.folder) if name[0] == "."])

    def test_one_output(self):
        """Both write one output: it is always one of the two, whole."""
        scenes.write_requests(self.path("a.json"), scenes.REQUEST)
        scenes.write_requests(self.path("b.json"), {"issue_ids": ["iss-1"], "severity": "info"})
        wanted = []
        for name in ("a.json", "b.json"):
            done = scenes.run(self.folder, *scenes.APPLY, "-o", "once", "e.json", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            wanted.append(scenes.read(self.path("once")))
        over = threading.Event()
        seen = []

        def writer(name):
            for _ in range(RUNS):
                done = scenes.run(self.folder, *scenes.APPLY, "-o", "out", "e.json", name)
                assert done.returncode == 0 or b"meanwhile" in done.stderr, done.stderr
                assert done.returncode in (0, 3), done.returncode

        def watcher():
            while not over.is_set():
                seen.append(scenes.read(self.path("out")))
                time.sleep(0.001)

        thread = threading.Thread(target=watcher)
        thread.start()
        try:
            self.together(lambda: writer("a.json"), lambda: writer("b.json"))
        finally:
            over.set()
            thread.join()
        self.assertFalse([text for text in seen if text is not None and text not in wanted])
        self.assertIn(scenes.read(self.path("out")), wanted)
        self.assertFalse([name for name in os.listdir(self.folder) if name[0] == "."])

    def test_stale_lock(self):
        """A lock file that is left behind locks nothing, whatever is in it."""
        scenes.write(self.path("J.lock"), b"4711\n")
        append(self.folder, "a", scenes.AT, "n.jsonl")
        self.assertEqual(scenes.read(self.path("J.lock")), b"4711\n")

    def test_stale_temporaries(self):
        """Those of dead runs go, those of living ones and other names stay."""
        stale, held, other = (".e.json.retriage-0123abcd", ".e.json.retriage-89abcdef",
                              ".e.json.retriage-note")
        for name in (stale, held, other, ".x.json.retriage-0123abcd"):
            scenes.write(self.path(name), b"old")
        os.makedirs(self.path(".e.json.retriage-00000000/below"))
        scenes.write(self.path(".e.json.retriage-00000000/below/file"), b"old")
        with open(self.path(held), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = scenes.run(self.folder, *scenes.APPLY, "--in-place", "e.json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name[0] == "."),
                         [held, other, ".x.json.retriage-0123abcd"])

    def wait_for(self, lock, unlock, *arguments):
        """A run that has to wait says so, and goes on when the lock is let go."""
        lock()
        timer = threading.Timer(0.3, unlock)
        timer.start()
        begin = time.monotonic()
        done = scenes.run(self.folder, *scenes.APPLY, *arguments)
        timer.join()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(time.monotonic() - begin, 0.25)
        self.assertIn(b", held by another process ", done.stderr)
        self.assertIn(b"(for at most 60 s)", done.stderr)

    def test_held_journal(self):
        with open(self.path("J.lock"), "wb") as file:
            def set_lock(kind):
                whole = struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)
                fcntl.fcntl(file, fcntl.F_OFD_SETLK, whole)
            self.wait_for(lambda: set_lock(fcntl.F_WRLCK), lambda: set_lock(fcntl.F_UNLCK),
                          "--journal", "J", "e.json", "r.json")

    def test_held_export(self):
        with open(self.path("e.json"), "rb") as file:
            self.wait_for(lambda: fcntl.flock(file, fcntl.LOCK_EX),
                          lambda: fcntl.flock(file, fcntl.LOCK_UN),
                          "--in-place", "e.json", "r.json")


if __name__ == "__main__":
    unittest.main()
