"""Kills runs of `apply` and `report` before each of their system calls, and looks at what they leave.

After a kill the target is old or new as a whole, the journal is old or new and verifies, what was
acknowledged is there, and the next run works and leaves no temporary. Then the order of the calls
themselves: nothing is renamed, acknowledged or answered before it was flushed, which a kill alone
cannot show.

Environment: RT_KILL_ALL=1 kills before every call, instead of a sample: some of those that may
change something, fewer of the others.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
import scene as scenes  # noqa: E402

# Calls that change something or hold a lock: every CHANGING_SAMPLE-th of a name is tried, of the
# others every SAMPLE-th, the first one of each name included. What a crash after any of them leaves
# is in tests/crash.
CHANGING = set("""
    write pwrite64 writev pwritev openat close fsync fdatasync syncfs rename renameat renameat2
    ftruncate unlink unlinkat copy_file_range fchmod fchmodat fchown fchownat flock fcntl mkdir mkdirat
    symlinkat utimensat fsetxattr fremovexattr fallocate exit_group clone clone3 socketpair
    """.split())
SAMPLE = 60 if scenes.SANITIZED else 20
CHANGING_SAMPLE = 24 if scenes.SANITIZED else 6
ALL = os.environ.get("RT_KILL_ALL") == "1"
WORKERS = 2
LINE = re.compile(r"(\d+) +(\w+)\((.*)")


def why_not():
    """Why strace cannot be used here, or None."""
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e",
                           "inject=exit_group:signal=KILL:when=1", "true"],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode == -9:
        return None
    return f"strace cannot trace here: {done.stderr.decode(errors='replace').strip()[:200]}"


def traced(folder, options, arguments):
    """Run retriage under strace in a process group of its own; returns once all of it is gone."""
    process = subprocess.Popen(["strace", "-qq", *options, scenes.RETRIAGE, *arguments],
                               cwd=folder, env=scenes.environment(), start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    said, errors = process.communicate(timeout=120)
    scenes.reap(process.pid)
    return process.returncode, said, errors


def trace(scene, folder, *options):
    """The calls of an undisturbed run: (process, name, rest of the line) in order."""
    scene.make(folder)
    path = folder + ".trace"
    status, _, errors = traced(folder, ["-f", *options, "-o", path], scene.arguments)
    assert status == 0, errors
    with open(path, encoding="utf-8", errors="replace") as file:
        found = [LINE.match(line) for line in file]
    os.unlink(path)
    return [match.groups() for match in found if match]


def points_of(calls, first_names):
    """Points to kill at: (whether all processes are counted, name, number of the call).

    What the first process does before it looks at a file of ours is the loader's.
    """
    first = calls[0][0]
    counts = collections.defaultdict(collections.Counter)
    main, others, begun = [], set(), False
    for process, name, rest in calls:
        counts[process][name] += 1
        begun = begun or any(own in rest for own in first_names) and name != "execve"
        if process == first and begun:
            main.append((False, name, counts[process][name]))
        elif process != first:
            others.add((True, name, counts[process][name]))
    return sample(main) + sample(sorted(others))


def sample(points):
    seen, taken = collections.Counter(), []
    for point in points:
        step = CHANGING_SAMPLE if point[1] in CHANGING else SAMPLE
        if ALL or seen[point[1]] % step == 0:
            taken.append(point)
        seen[point[1]] += 1
    return taken


def kill_at(scene, folder, point):
    """Returns (whether the run was killed, complaint or None)."""
    follow, name, number = point
    scene.make(folder)
    options = ["-o", "/dev/null", "-e", f"trace={name}", "-e",
               f"inject={name}:signal=KILL:when={number}"]
    status, said, errors = traced(folder, ["-f", *options] if follow else options,
                                  scene.arguments)
    killed = status == -9
    # A decoder process that is killed is an error, and no death, of the run.
    if not killed and status not in (0, 2, 3):
        return killed, f"exit {status}, {errors!r}"
    # A note of what is not read may stand before it.
    lines = [line for line in errors.splitlines() if b": not read: " not in line]
    if not killed and status and (said or len(lines) != 1 or scene.strays(folder)):
        return killed, f"exit {status}, {said!r}, {errors!r}, {scene.strays(folder)}"
    return killed or status != 0, scene.judge(folder, said) or scene.judge_next(folder)


@unittest.skipIf(why_not(), why_not())
class KillTest(unittest.TestCase):
    """One test a scene; they are made below."""

    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.top = holder.name

    @classmethod
    def setUpClass(cls):
        scenes.adopt_orphans()

    def sweep(self, scene):
        scene.learn(os.path.join(self.top, "learn"))
        points = points_of(trace(scene, os.path.join(self.top, "trace")), scene.first)
        folders = [os.path.join(self.top, f"at-{n}") for n in range(len(points))]

        def one(item):
            folder, point = item
            killed, complaint = kill_at(scene, folder, point)
            shutil.rmtree(folder)
            return killed, complaint and f"{point[1]} {point[2]}" \
                                         f"{' in all processes' if point[0] else ''}: {complaint}"

        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(one, zip(folders, points)))
        complaints = [complaint for _, complaint in results if complaint]
        self.assertEqual(complaints, [])
        hit = sum(killed for killed, _ in results)
        print(f"{scene.name}: {hit} kills at {len(points)} points")
        self.assertGreater(hit, len(points) * 3 // 4, "most points were not reached")


    def test_long_group(self):
        """A group that takes many writes: what is there of it is whole entries, and a torn tail."""
        folder = os.path.join(self.top, "s")
        os.makedirs(folder)
        scenes.make_journal(folder)
        # More than the 4 MiB that are held back in memory.
        scenes.write_requests(os.path.join(folder, "long.jsonl"),
                              *[dict(scenes.NOTE, notes=f"{n:04}" * 250) for n in range(3600)])
        arguments = [*scenes.APPLY, "--journal", "J", "e.json", "long.jsonl"]
        old = scenes.read(os.path.join(folder, "J"))
        for name, number in (("pwrite64", 2), ("pwrite64", 30), ("fdatasync", 1)):
            with self.subTest(name, number=number):
                scenes.write(os.path.join(folder, "J"), old)
                status, said, _ = traced(folder, ["-o", "/dev/null", "-e", f"trace={name}", "-e",
                                                  f"inject={name}:signal=KILL:when={number}"],
                                         arguments)
                self.assertEqual((status, said), (-9, b""))
                self.check_long(folder, old)

    def check_long(self, folder, old):
        left = scenes.read(os.path.join(folder, "J"))
        self.assertTrue(left.startswith(old))
        self.assertGreater(len(left), len(old) + 60000)
        done = scenes.run(folder, *scenes.APPLY, "--journal", "J", "e.json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole, now = left[:left.rfind(b"\n") + 1], scenes.read(os.path.join(folder, "J"))
        self.assertTrue(now.startswith(whole))
        self.assertEqual(now.count(b"\n"), whole.count(b"\n") + 1)
        torn = [scenes.read(os.path.join(folder, name)) for name in os.listdir(folder)
                if name.startswith("J.torn-")]
        if whole != left:
            self.assertIn(left[len(whole):], torn)
        done = scenes.run(folder, "verify", "J", "e.json")
        self.assertEqual(done.returncode, 0, done.stderr)


@unittest.skipIf(why_not(), why_not())
class InterruptTest(unittest.TestCase):
    """Signals that a person or a service manager sends: nothing half-way stays behind."""

    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "s")

    def interrupted(self, scene, number, action=signal.SIG_DFL):
        """Send a signal to a run that has begun to write; returns its status.

        action: what the run is started with for the signal. A shell has what it starts in the
        background ignore SIGINT, us included.
        """
        scene.learn(self.folder)
        scene.make(self.folder)
        # The first flush is that of the new file or directory, and lasts long enough.
        process = subprocess.Popen(
            ["strace", "-D", "-qq", "-o", "/dev/null", "-e", "trace=fsync,syncfs", "-e",
             "inject=fsync,syncfs:delay_enter=1000000:when=1", scenes.RETRIAGE, *scene.arguments],
            cwd=self.folder, env=scenes.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(number, action))
        end = time.monotonic() + 60
        while not scene.strays(self.folder):
            self.assertIsNone(process.poll(), "it ended before it was interrupted")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(number)
        said, errors = process.communicate(timeout=60)
        if process.returncode:
            self.assertEqual(said, b"")
            # strace is surprised, and says so; what is not read is told before.
            self.assertNotIn(b"retriage:", errors.replace(b"retriage: not read:", b""))
        return process.returncode

    def test_interrupted(self):
        for number, name in ((signal.SIGTERM, "new_file"), (signal.SIGINT, "other_file"),
                             (signal.SIGHUP, "in_place"), (signal.SIGTERM, "archive"),
                             (signal.SIGTERM, "directory"), (signal.SIGINT, "file_and_journal"),
                             (signal.SIGINT, "report")):
            with self.subTest(name):
                scene = next(each for each in scenes.SCENES + scenes.REPORTS
                             if each.name == name)
                self.assertEqual(self.interrupted(scene, number), -number)
                self.assertEqual(scene.strays(self.folder), [])
                self.assertEqual(scene.state(self.folder), (scene.targets[0], scene.journals[0]))

    def test_ignored(self):
        """As nohup has it."""
        scene = next(each for each in scenes.SCENES if each.name == "new_file")
        status = self.interrupted(scene, signal.SIGHUP, signal.SIG_IGN)
        self.assertEqual(status, 0)
        self.assertEqual(scene.state(self.folder)[0], scene.targets[1])


def add_test(scene):
    def test(self):
        self.sweep(scene)
    setattr(KillTest, f"test_{scene.name}", test)


for each in scenes.SCENES + scenes.REPORTS:
    add_test(each)


# --- The order of calls ------------------------------------------------------------------------

FD = re.compile(r"(-?\d+|AT_FDCWD)<([^>]*)>")
TEXT = re.compile(r'"([^"]*)"')
WRITES = {"write", "pwrite64", "writev", "copy_file_range", "ftruncate", "fallocate"}
SETS = {"fchmod", "fchown", "utimensat", "fsetxattr"}


def events_of(calls, folder):
    """The calls that matter for what is on disk: (what, path relative to the folder)."""
    events = []
    for _, name, rest in calls:
        found = FD.findall(rest)
        texts = TEXT.findall(rest)
        if not found:
            continue
        fd, path = found[-1] if name == "copy_file_range" else found[0]
        path = os.path.relpath(path, folder)
        if name in WRITES and fd == "1":
            events.append(("answer", ""))
        elif name in WRITES or name in SETS and '"' not in rest.split(",")[1]:
            events.append(("write", path))
        elif name in ("fsync", "fdatasync"):
            events.append(("flush", path))
        elif name == "syncfs":
            events.append(("flush", "*"))
        elif name in ("renameat", "renameat2"):
            events.append(("rename", os.path.normpath(os.path.join(path, texts[0]))))
        elif name == "mkdirat" or name == "openat" and "O_CREAT" in rest and texts:
            events.append(("make", os.path.normpath(os.path.join(path, texts[0]))))
    return events


def last(events, event):
    return max((n for n, each in enumerate(events) if each == event), default=-1)


@unittest.skipIf(why_not(), why_not())
class OrderTest(unittest.TestCase):
    """What must be on disk before what, by the order of the calls."""

    def events(self, name):
        return self.events_of(next(each for each in scenes.SCENES if each.name == name))

    def events_of(self, scene):
        with scenes.scratch() as top:
            top = os.path.realpath(top)
            folder = os.path.join(top, "s")
            return events_of(trace(scene, folder, "-y"), folder)

    def check(self, events, *order):
        places = [last(events, event) for event in order]
        self.assertNotIn(-1, places, (order, events))
        self.assertEqual(places, sorted(places), (order, events))

    def check_replaced(self, events):
        """Returns the temporary's name."""
        temporary = next(path for what, path in events if what == "rename")
        self.assertRegex(temporary, r"^\.[a-z.]+\.retriage-[0-9a-f]{8}$")
        self.check(events, ("write", temporary), ("flush", temporary), ("rename", temporary),
                   ("flush", "."), ("answer", ""))
        return temporary

    def test_replaced_files(self):
        for name in ("new_file", "other_file", "in_place", "archive"):
            with self.subTest(name):
                self.check_replaced(self.events(name))

    def test_directory(self):
        events = self.events("directory")
        temporary = next(path for what, path in events if what == "rename")
        self.check(events, ("rename", temporary), ("flush", "."), ("answer", ""))
        before = events[:events.index(("rename", temporary))]
        made = {path for what, path in before
                if what == "make" and (path + "/").startswith(temporary + "/")}
        self.assertGreaterEqual(len(made), 5, events)
        for path in made:
            with self.subTest(path):
                flushed = max(last(before, ("flush", path)), last(before, ("flush", "*")))
                self.assertGreater(flushed, last(before, ("write", path)))
                inside = [n for n, (what, below) in enumerate(before)
                          if what == "make" and os.path.dirname(below) == path]
                self.assertGreater(flushed, max(inside, default=-1))

    def test_journal(self):
        self.check(self.events("next_entry"), ("write", "J"), ("flush", "J"), ("answer", ""))

    def test_first_entry(self):
        """Who finds a first line must find a name that lasts: only the first append flushes it."""
        self.check(self.events("first_entry"), ("make", "J"), ("flush", "."), ("write", "J"),
                   ("flush", "J"), ("answer", ""))

    def test_line_end(self):
        """The line end is on disk before anything is written after it."""
        events = self.events("line_end")
        self.assertEqual([event for event in events if event[1] == "J"],
                         [("write", "J"), ("flush", "J")] * 2)
        self.check(events, ("flush", "J"), ("answer", ""))

    def test_torn_tail(self):
        events = self.events("torn_tail")
        self.check(events, ("write", "J.torn-7"), ("flush", "J.torn-7"), ("flush", "."),
                   ("write", "J"), ("flush", "J"), ("answer", ""))
        self.assertGreater(events.index(("write", "J")), last(events, ("flush", ".")))

    def test_file_and_journal(self):
        """A state that the journal knows nothing of must never be seen."""
        for name in ("file_and_journal", "stream"):
            with self.subTest(name):
                events = self.events(name)
                temporary = self.check_replaced(events)
                self.check(events, ("flush", temporary), ("write", "J"), ("flush", "J"),
                           ("rename", temporary))

    def test_results(self):
        """What may fail for results comes before the export, the results themselves after it."""
        scene = scenes.Scene("results", [*scenes.APPLY, "-o", "out.json", "--results", "res.json",
                                         "e.json", "r.json"], scenes.make_base)
        events = self.events_of(scene)
        export, results = [path for what, path in events if what == "rename"]
        self.assertRegex(export, r"^\.out\.json\.retriage-")
        self.assertRegex(results, r"^\.res\.json\.retriage-")
        self.check(events, ("write", results), ("flush", results), ("rename", export),
                   ("rename", results), ("flush", "."))
        self.check(events, ("write", export), ("flush", export), ("rename", export))
        self.assertIn(("flush", "."), events[events.index(("rename", export)):
                                             events.index(("rename", results))])
        self.assertNotIn("answer", [what for what, _ in events])


if __name__ == "__main__":
    unittest.main()
