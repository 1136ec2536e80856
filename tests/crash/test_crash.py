#!/usr/bin/python3
"""Crashes: every state that a file system may leave behind when unflushed writes are lost.

The system calls of an undisturbed run become a model (model.py); each state that it allows for a
crash at any point is made, judged, and recovered from: files are old or new as a whole, what was
acknowledged is there, and the next run works. Then the test of the test: without any one of the
flushes, some state has to be wrong.

Environment: CRASH_ALL=1 (`make check-crash`) tries more states, and leaves out each flush;
CRASH_SEED (default 1) chooses the states where there are too many.
"""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import unittest
import warnings

sys.dont_write_bytecode = True  # nothing of ours in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "kill")]

import model  # noqa: E402
import scene as scenes  # noqa: E402
import test_serve as serve  # noqa: E402

ALL = os.environ.get("CRASH_ALL") == "1"
SEED = int(os.environ.get("CRASH_SEED", "1"))
SAMPLE = 24  # states of a scene under sanitizers
WORKERS = 2
if ALL:
    model.ALL_OF, model.CHOSEN = 9, 200


def why_not():
    """Why strace cannot be used here, or None."""
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return f"strace cannot trace here: {done.stderr[:200]!r}" if done.returncode else None


def traced(scene, top):
    """Run a scene; returns the folder as it was before, and the trace."""
    before, folder, path = (os.path.join(top, name) for name in ("before", "s", "trace"))
    scene.make(before)
    scene.make(folder)
    done = subprocess.run(["strace", "-f", "-qq", *model.OPTIONS, "-o", path, scenes.RETRIAGE,
                           *scene.arguments], cwd=folder, env=scenes.environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return before, folder, path


def whole_lines(journal):
    """Up to the last line feed; what comes after it is a torn tail (SPEC D19)."""
    return (journal or b"")[:(journal or b"").rfind(b"\n") + 1]


class Judge:
    """What a scene's folder may be after a crash and after the next run."""

    def __init__(self, scene):
        self.scene = scene
        if scene.journal:
            self.old, self.new = scene.journals[0] or b"", scene.journals[1]
            # A last line that only lacks its end is whole, and is ended by the next writer.
            self.old_whole = self.old if self.old.endswith(b'"}') else whole_lines(self.old)

    def reports(self, folder, said, ended):
        new = self.scene.is_new(folder)
        if None in new:
            return f"{self.scene.names[new.index(None)]} is neither old nor new"
        if any(new) and said != self.scene.answer:
            return "a file is new before the answer was given"
        if new != sorted(new, reverse=True):
            return f"not in order: {new}"
        return "it ended well before all was there" if ended and not all(new) else None

    def files(self, folder, said, ended):
        """Files are old or new, and new where that was said."""
        if isinstance(self.scene, scenes.ReportScene):
            return self.reports(folder, said, ended)
        target, _ = self.scene.state(folder)
        if target not in self.scene.targets[:2]:
            return "the target is neither old nor new"
        if said and self.scene.target and target != self.scene.targets[1]:
            return "it answered before the target was there"
        return None

    def journal(self, folder, said):
        """The old entries, whole new ones after them in order, and a torn tail."""
        if not self.scene.journal:
            return None
        now = scenes.read(os.path.join(folder, self.scene.journal)) or b""
        if said and now != self.new:
            return "it answered before the journal was there"
        if whole_lines(now) != whole_lines(self.old) and not (
                now.startswith(self.old_whole) and self.new.startswith(whole_lines(now))):
            return f"entries of the journal are lost or spoilt: {now[-300:]!r}"
        tail = self.old[len(self.old_whole):]
        kept = [scenes.read(os.path.join(folder, name)) for name in os.listdir(folder)
                if name.startswith(self.scene.journal + ".torn-")]
        if tail and not now.startswith(self.old) and tail not in kept:
            return "the torn tail is lost"
        if self.scene.target and scenes.snapshot(os.path.join(folder, self.scene.target)) == \
                self.scene.targets[1] != self.scene.targets[0] and now != self.new:
            return "the target is new and the journal does not know of it"
        return None

    def after(self, folder, before):
        """The next run has worked on a journal that was `before`, and left nothing lying about."""
        scene = self.scene
        if scene.target and scene.is_directory(folder):
            shutil.rmtree(os.path.join(folder, scene.target))
        done = scenes.run(folder, *scene.arguments)
        if (done.returncode, done.stdout) != (0, scene.answer):
            return f"the next run: exit {done.returncode}, {done.stderr!r}"
        if scene.state(folder)[0] != scene.targets[1]:
            return "after the next run the target is not the new one"
        if scene.strays(folder):
            return f"after the next run there are {scene.strays(folder)}"
        if not scene.journal:
            return None
        now = scenes.read(os.path.join(folder, scene.journal))
        added = self.new.count(b"\n") - self.old.count(b"\n")
        if not now.startswith(whole_lines(before)) or \
                now.count(b"\n") < max(before.count(b"\n"), 1) + added - 1:
            return "after the next run entries are missing"
        return scene.judge_journal(folder)

    def state(self, state, folder):
        """What is wrong with a state, which the folder is in, or None."""
        _, said, _, ended = state
        wrong = self.files(folder, said, ended) or self.journal(folder, said)
        before = self.scene.journal and scenes.read(os.path.join(folder, self.scene.journal))
        return wrong or self.after(folder, before or b"")


class Sweep(unittest.TestCase):
    """What both kinds of scenes share: states, and what goes wrong without a flush."""

    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.top = os.path.realpath(holder.name)
        # A server that does not start is a complaint, and leaves its pipes to be collected.
        warnings.simplefilter("ignore", ResourceWarning)

    def complaints(self, judge, states):
        """What is wrong with some states, in their order. judge: of a state and a folder."""
        def one(item):
            number, state = item
            folder = os.path.join(self.top, f"state-{number}")
            model.write_tree(state[0], folder)
            try:
                wrong = judge(state, folder)
            except (AssertionError, OSError, ValueError) as err:
                wrong = f"{type(err).__name__}: {err}"
            finally:
                shutil.rmtree(folder)
            return wrong and f"{wrong} in {show(state[0])}"
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            return [wrong for wrong in pool.map(one, enumerate(states)) if wrong]

    def check_states(self, name, judge, run):
        states = list(model.Model(*run).all_states(SEED))
        count = len(states)
        if scenes.SANITIZED and not ALL:
            states = random.Random(SEED).sample(states, min(SAMPLE, count))
        complaints = self.complaints(judge, states)
        self.assertFalse(complaints, f"{len(complaints)} of {len(states)}:\n" +
                         "\n".join(complaints[:20]))
        print(f"{name}: {len(states)} of {count} states")

    def check_flushes(self, name, judge, run):
        """Without any one flush some state is wrong."""
        whole = model.Model(*run)
        known = set(map(repr, whole.all_states(SEED)))
        for number, flush in enumerate(whole.flushes):
            more = model.Model(*run, ignore_flush=number).all_states(SEED)
            new = [state for state in more if repr(state) not in known]
            # A few first: mostly one of them is wrong.
            random.Random(SEED).shuffle(new)
            wrong = any(self.complaints(judge, new[at:at + 8]) for at in range(0, len(new), 8))
            self.assertTrue(wrong, f"nothing goes wrong without flush {number} of {name}, "
                                   f"{flush}: {len(new)} states")
        print(f"{name}: each of {len(whole.flushes)} flushes is needed")


@unittest.skipIf(why_not(), why_not())
class CrashTest(Sweep):
    """Tests of commands; they are made below."""

    def run_scene(self, scene):
        scene.learn(os.path.join(self.top, "learn"))
        return traced(scene, self.top)

    def sweep(self, scene, check):
        run = self.run_scene(scene)
        check(scene.name, Judge(scene).state, run)


@unittest.skipIf(why_not() or serve.why_not(), why_not() or serve.why_not())
class ServeTest(Sweep):
    """Tests of a server that several clients have update it; they are made below."""

    def sweep(self, scene, check):
        before, folder, path = (os.path.join(self.top, name) for name in ("before", "s", "trace"))
        updates = serve.Updates("new")
        scene.make(before)
        scene.make(folder)
        status = serve.serve_traced(folder, [*model.OPTIONS, "-o", path], updates)
        self.assertEqual((status, updates.wrong), (0, []))

        def judge(state, where):
            seen = serve.Updates("new")
            seen.sent = list(updates.sent)
            heard = b"\n".join(state[2])
            seen.answers = {note: digest for note, digest in updates.answers.items()
                            if note.encode() in heard}
            if len(seen.answers) != len(state[2]):
                raise AssertionError("an answer to what nobody sent")
            return scene.judge(where, seen) or scene.judge_next(where, seen)
        check(f"serve, {scene.name}", judge, (before, folder, path))


def show(tree):
    return {name: value if not isinstance(value, bytes) or len(value) < 60 else
            f"{len(value)} bytes" for name, value in tree.items()}


def make_torn_long(folder):
    """A torn tail that is longer than what is written in its place, and of another entry."""
    scenes.make_journal(folder)
    with open(os.path.join(folder, "J"), "ab") as file:
        file.write(b'{"seq":7,"at":"2024-01-02T03:04:05Z","actor":"other","request":{"issue_ids":'
                   b'["iss-1"],"notes":"' + b"long " * 800)


TORN_LONG = scenes.Scene("torn_long", scenes.SCENES[4].arguments, make_torn_long, None, "J")


def add_tests(case, scene):
    def states(self):
        self.sweep(scene, self.check_states)

    def flushes(self):
        self.sweep(scene, self.check_flushes)
    setattr(case, f"test_{scene.name}", states)
    # The tail of "torn_tail" is shorter than what is written in its place, and begins as that does,
    # so that cutting it off needs no flush; that of "torn_long" does.
    if ALL and scene.name != "torn_tail":
        setattr(case, f"test_flushes_of_{scene.name}", flushes)


for each in [*scenes.SCENES, TORN_LONG, *scenes.REPORTS]:
    add_tests(CrashTest, each)
for each in serve.SCENES:
    add_tests(ServeTest, each)

if __name__ == "__main__":
    unittest.main()
