"""Makes the calls of updates and reports fail, each once and from then on, and looks at what is left.

For every scene of tests/kill/scene.py and every kind of call: the run does all it was asked to,
or says so on one line of standard error, answers nothing and exits with 3. Before the commit the
export, the output and the journal are as they were; after it the message says what was done. No
temporary stays, unless the system fails just when one is to be removed, and then the next run
removes it. A call that a signal interrupts is made again, and nothing else is seen of that.
"""
import collections
import concurrent.futures
import errno
import gzip
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kill"))

import said  # noqa: E402
import scene as scenes  # noqa: E402

INJECTOR = os.path.join(scenes.BUILD, "tests", "fault", "fault.so")
KINDS = ["malloc", "read", "write", "open", "close", "map", "fork", "sync", "cut", "rename",
         "attribute", "stat", "lock", "folder", "random", "remove", "disk"]
DENSE = 10  # every call up to this one is made to fail, then one in a fifth of those so far
INTERRUPTED = ["read", "write", "lock", "socket", "random"]
# What else the system may say, of some kinds.
SAID = [("attribute", errno.EINVAL), ("attribute", errno.EIO), ("attribute", errno.ENOTSUP),
        ("sync", errno.EINVAL), ("write", errno.EXDEV), ("write", errno.EDQUOT),
        ("write", errno.EFBIG), ("rename", errno.EINVAL), ("rename", errno.ENOSYS),
        ("open", errno.ENOENT), ("open", errno.ENXIO), ("open", errno.EBADF),
        ("folder", errno.EEXIST), ("folder", errno.ENOENT),
        ("lock", errno.EACCES), ("lock", errno.EBADF), ("lock", errno.ENOSYS),
        ("cut", errno.EINTR), ("remove", errno.ENOENT), ("read", errno.EISDIR)]
ABSENT = (errno.ENOENT, errno.ENXIO)  # as if the user had named what is not there
FIRST = 2  # calls of each kind that are interrupted
ALL = os.environ.get("FAULT_ALL") == "1"
WORKERS = 2

# The messages after the commit, one for each thing that can fail there.
AFTER = (b"the new file is in place", b"the updates are made all the same",
          b"the journal has the updates", b"cannot be cut off either")
# What can fail of a report's files once the first of them may be new.
RENAMED = (b"cannot rename the new file", b"the new file is in place",
           b"the files are written all the same")
# Remarks on entries, any number of which may come first.
REMARKS = tuple(b"the request is equal to that of entry %d" % entry for entry in range(1, 20))
# Where the removal of a temporary or the search for one may itself be what fails.
UNTIDY = {"remove", "disk", "open", "malloc", "stat", "folder"}
# What fails when standard output is written, closed, or what was said cannot be told apart.
ANSWERING = {"write", "close", "disk"}


def run(scene, folder, kind, at, sticky, error=None):
    """Returns (whether the fault was reached, the finished process)."""
    log = folder + ".reached"
    more = {"LD_FAULT_PLACES": "1", **({"LD_FAULT_ON": "1"} if sticky else {})}
    if error:
        more["LD_FAULT_ERROR"] = str(error)
    env = scenes.environment(LD_PRELOAD=INJECTOR, LD_FAULT_KIND=kind, LD_FAULT_AT=str(at),
                             LD_FAULT_LOG=log, **more)
    done = scenes.run(folder, *scene.arguments, env=env)
    said.keep(done.stderr)
    with open(log, "rb") as file:
        reached = file.read() == b"\1"
    os.unlink(log)
    return reached or done.returncode != 0, done


def judge_report(scene, folder, kind, sticky, done):
    """The same of several files, of which all are old until the first is renamed."""
    status, out, err = done.returncode, done.stdout, done.stderr
    new = scene.is_new(folder)
    renamed = any(text in err for text in RENAMED)
    if status not in (0, 3) or (status == 0 and (out != scene.answer or not all(new))):
        return f"exit {status} with {out[:80]!r}, {new}, {err[:200]!r}"
    lines = [line for line in err.splitlines()
             if not line.startswith((b"retriage: gate: ", b"retriage: wrote "))]
    if status and (len(lines) != 1 or not lines[0].startswith(b"retriage: ")):
        return f"exit {status}, standard error {err[:300]!r}"
    # What goes to standard output is read from a temporary file.
    if status and out and kind not in ANSWERING and kind != "read" and not renamed:
        return f"exit {status} with {len(out)} bytes of answer"
    if status and any(new) and not renamed and kind not in ("close", "disk"):
        return f"exit {status}, {new}: {err[:200]!r}"
    if scene.strays(folder) and kind not in UNTIDY:
        return f"exit {status} with {scene.strays(folder)}"
    return scene.judge(folder, out) or scene.judge_next(folder)


def judge(scene, folder, kind, sticky, done):
    """What is wrong after a run with a fault, or None."""
    if isinstance(scene, scenes.ReportScene):
        return judge_report(scene, folder, kind, sticky, done)
    status, out, err = done.returncode, done.stdout, done.stderr
    is_old = scene.state(folder) == (scene.targets[0], scene.journals[0])
    if status == 0:
        if out != scene.answer:
            return f"exit 0 with {out[:80]!r}"
        if scene.strays(folder) and kind not in UNTIDY:
            return f"exit 0 with {scene.strays(folder)}"
        return scene.judge(folder, out) or scene.judge_next(folder)
    # The decoder's process has a bound of memory of its own, and says that the input exceeds it.
    if status != 3 and not (status == 2 and scene.name == "archive"):
        return f"exit {status}, {err[:200]!r}"
    lines = [line for line in err.splitlines() if not line.endswith(REMARKS)]
    if not lines or not lines[-1].startswith(b"retriage: ") or len(lines) > 3:
        return f"exit {status}, standard error {err[:300]!r}"
    # An export on its way to standard output is read from a temporary file.
    if out and kind not in ANSWERING and (scene.name, kind) != ("stream", "read"):
        return f"exit {status} with {len(out)} bytes of answer"
    if scene.strays(folder) and not (sticky and kind in UNTIDY or kind in ("remove", "disk")):
        return f"exit {status} with {scene.strays(folder)}"
    if not is_old and scene.journal and not any(text in err for text in AFTER):
        # A file that was made for the journal and could not be written, a tail that was moved.
        wrong = None if scene.is_journal_unchanged(folder) else "the journal is new"
        if wrong or scene.target and scene.state(folder)[0] != scene.targets[0]:
            return f"exit {status}, {wrong or 'the target is new'}: {err[:200]!r}"
    if not is_old and not scene.journal and not any(text in err for text in AFTER):
        return f"exit {status}, the target is new: {err[:200]!r}"
    if is_old and not scene.strays(folder):
        return None  # as if nothing had been run
    return scene.judge(folder, b"") or scene.judge_next(folder)


class FaultTest(unittest.TestCase):
    """One test a scene; they are made below."""

    def setUp(self):
        if scenes.SANITIZED:
            self.skipTest("the sanitizer has a malloc of its own")
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.top = holder.name

    def sweep(self, scene, kind, sticky, error=None):
        """Returns (number of faults, complaints)."""
        folder = os.path.join(self.top, f"{kind}-{sticky}-{error}")
        faults, complaints, at = 0, [], 1
        while len(complaints) < 5:
            scene.make(folder)
            reached, done = run(scene, folder, kind, at, sticky, error)
            if not reached:
                break
            faults += 1
            if error in ABSENT and done.returncode == 2:
                done.returncode = 3
            complaint = judge(scene, folder, kind, sticky, done)
            if complaint:
                often = "from then on" if sticky else "once"
                complaints.append(f"{kind} {at} {often}, error {error}: {complaint}")
            at += 1 if ALL or at < DENSE else max(3, at // 5)
        shutil.rmtree(folder, ignore_errors=True)
        return faults, complaints

    def interrupt(self, scene, kind):
        """Returns complaints; each run has to do all that it was asked to."""
        folder = os.path.join(self.top, f"{kind}-interrupted")
        complaints, at = [], 1
        while ALL or at <= FIRST:
            scene.make(folder)
            reached, done = run(scene, folder, kind, at, False, errno.EINTR)
            if not reached:
                break
            if (done.returncode, done.stdout) != (0, scene.answer) or scene.strays(folder):
                complaints.append(f"{kind} {at} interrupted: exit {done.returncode}, "
                                  f"{done.stderr[:200]!r}, {scene.strays(folder)}")
            elif scene.state(folder) != (scene.targets[1], scene.journals[1]):
                complaints.append(f"{kind} {at} interrupted: another state")
            at += 1
        shutil.rmtree(folder, ignore_errors=True)
        return complaints

    def all_kinds(self, scene):
        scene.learn(os.path.join(self.top, "learn"))
        jobs = [(kind, sticky, None) for kind in KINDS for sticky in (False, True)]
        jobs += [(kind, False, error) for kind, error in SAID] if ALL else []
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(lambda job: self.sweep(scene, *job), jobs))
            interrupted = list(pool.map(lambda kind: self.interrupt(scene, kind), INTERRUPTED))
        faults = collections.Counter()
        for (kind, *_), (count, _) in zip(jobs, results):
            faults[kind] += count
        print(f"{scene.name}: " + ", ".join(f"{kind} {faults[kind]}" for kind in KINDS))
        self.assertEqual([text for _, texts in results for text in texts], [])
        self.assertEqual([text for texts in interrupted for text in texts], [])
        for kind in ("malloc", "read", "write", "open", "close", "sync", "stat"):
            self.assertGreater(faults[kind], 0, kind)

    def test_no_taker(self):
        """A process that cannot begin leaves its job, which is more than a socket holds."""
        scenes.write(os.path.join(self.top, "e.json.gz"), gzip.compress(scenes.export_text(4000)))
        scenes.write_requests(os.path.join(self.top, "r.jsonl"),
                              *({"issue_ids": [f"iss-{first + n}" for n in range(100)],
                                 "severity": "low", "notes": f"seen {first}"}
                                for first in range(0, 4000, 100)))
        arguments = ("apply", "-o", "new.json.gz", "e.json.gz", "r.jsonl")
        ends = collections.Counter()
        for at in range(1, 20):
            env = scenes.environment(LD_PRELOAD=INJECTOR, LD_FAULT_KIND="place",
                                     LD_FAULT_AT=str(at))
            done = scenes.run(self.top, *arguments, env=env)
            ends[done.stderr.partition(b": ")[2] if done.returncode else b""] += 1
            self.assertIn(done.returncode, (0, 3))
            self.assertEqual(os.path.exists(os.path.join(self.top, "new.json.gz")),
                             done.returncode == 0)
            if done.returncode == 0:
                os.unlink(os.path.join(self.top, "new.json.gz"))
        # Both of the process that reads and, after more of them, of the one that writes.
        for name in (b"e.json.gz", b"new.json.gz"):
            self.assertGreater(ends[name + b": the unpacking process could not start\n"], 0, ends)


def add_test(scene):
    def test(self):
        self.all_kinds(scene)
    setattr(FaultTest, f"test_{scene.name}", test)


for each in scenes.SCENES + scenes.REPORTS:
    add_test(each)

if __name__ == "__main__":
    unittest.main()
