"""Kills runs at random times, where no tracer is needed.

Environment: RT_SEED=N repeats the times of a run that printed that seed.
"""
import gzip
import hashlib
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
import scene as scenes  # noqa: E402

SEED = int(os.environ.get("RT_SEED", "20240607"))
ROUNDS = 10
KILLS = 4 if scenes.SANITIZED else 12  # of each scene
SCALE = 5 if scenes.SANITIZED else 1   # how much slower everything is

# Appends one entry after another and keeps what was answered, until it is killed.
LOOP = """
n=0
while :; do
	n=$((n + 1))
	SOURCE_DATE_EPOCH=$((1700000000 + n)) {retriage} apply --journal J --actor {actor} \
		e.json group.jsonl >>answers || exit 1
done
"""


def kill_group(process):
    """Kill a process and its children, and wait until all of them are gone."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    scenes.reap(process.pid)


def helpers(group):
    """How many processes besides the program's a process group has."""
    count = 0
    for process in os.listdir("/proc"):
        try:
            with open(f"/proc/{process}/stat", encoding="latin-1") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        count += name in ("retriage-forker", "retriage-unpack") and int(rest.split()[2]) == group
    return count


def wait_until(condition, seconds):
    """Returns whether it came to hold in that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class StormTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scenes.adopt_orphans()

    def setUp(self):
        holder = scenes.scratch()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "s")
        self.random = random.Random(SEED)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, arguments, stdout):
        return subprocess.Popen(arguments, cwd=self.folder, env=scenes.environment(),
                                start_new_session=True, stdin=subprocess.DEVNULL, stdout=stdout,
                                stderr=subprocess.DEVNULL)

    def test_journal(self):
        """After every kill the journal verifies, and has all that was answered."""
        os.makedirs(self.folder)
        scenes.make_base(self.folder)
        levels = ("low", "high", "medium", "info")
        group = [{"issue_ids": [f"iss-{n % scenes.ISSUES}"], "severity": levels[n % 4]}
                 for n in range(7)]
        scenes.write_requests(self.path("group.jsonl"), *group)
        acknowledged = 0
        for number in range(ROUNDS):
            script = LOOP.format(retriage=shlex.quote(scenes.RETRIAGE), actor=f"round-{number}")
            loop = self.start(["sh", "-c", script], subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.02, 0.25) * SCALE)
            self.assertIsNone(loop.poll(), "the loop ended by itself")
            kill_group(loop)
            acknowledged = self.check(number)
        self.assertGreater(acknowledged, ROUNDS, "hardly anything was written")
        print(f"{acknowledged} entries acknowledged in {ROUNDS} rounds")

    def check(self, number):
        """Returns the number of results answered so far."""
        text = (scenes.read(self.path("answers")) or b"")
        # A line that was cut in the middle has told nobody anything.
        answers = text[:text.rfind(b"\n") + 1].splitlines()
        scenes.write(self.path("answers"), text[:text.rfind(b"\n") + 1])
        journal = scenes.read(self.path("J")) or b""
        lines = journal[:journal.rfind(b"\n") + 1].splitlines()
        entries = [json.loads(line) for line in lines[1:]]
        digests = iter([entry["result"]["sha256"] for entry in entries])
        where = f"seed {SEED}, round {number}"
        for answer in answers:  # in the journal's order, if not all of the journal
            self.assertIn(hashlib.sha256(answer).hexdigest(), digests, where)
        if lines:
            done = scenes.run(self.folder, "verify", "J", "e.json")
            self.assertEqual(done.returncode, 0, (where, done.stderr))
            self.assertEqual(json.loads(done.stdout)["entries"], len(entries), where)
        strays = set(os.listdir(self.folder)) - {"J", "J.lock", "answers", "e.json", "r.json",
                                                 "n.jsonl", "group.jsonl"}
        self.assertFalse([name for name in strays if not name.startswith("J.torn-")], where)
        return len(answers)

    def kill_scene(self, scene):
        scene.learn(self.folder)
        scene.make(self.folder)
        begin = time.monotonic()
        scenes.run(self.folder, *scene.arguments)
        usual = time.monotonic() - begin
        for number in range(KILLS):
            scene.make(self.folder)
            process = self.start([scenes.RETRIAGE, *scene.arguments], subprocess.PIPE)
            time.sleep(self.random.uniform(0, 1.2 * usual))
            kill_group(process)
            said = process.stdout.read()
            process.stdout.close()
            wrong = scene.judge(self.folder, said) or scene.judge_next(self.folder)
            self.assertIsNone(wrong, f"seed {SEED}, {scene.name}, kill {number}")

    def test_helpers(self):
        """Those that wait for a pipe do not outlive the program that wanted what comes from it."""
        process = subprocess.Popen([scenes.RETRIAGE, "summary", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, env=scenes.environment(),
                                   start_new_session=True)
        self.addCleanup(process.stdin.close)
        process.stdin.write(gzip.compress(scenes.export_text(1000))[:-9])
        process.stdin.flush()
        try:
            # The forker and its child.
            self.assertTrue(wait_until(lambda: helpers(process.pid) == 2, 60))
            time.sleep(0.1)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()

            def none_left():
                try:
                    while os.waitpid(-process.pid, os.WNOHANG)[0]:
                        pass
                except ChildProcessError:
                    return True
                return False

            self.assertTrue(wait_until(none_left, 10), "a process waits on")
        finally:
            kill_group(process)

    def test_scenes(self):
        for scene in scenes.SCENES:
            with self.subTest(scene.name):
                self.kill_scene(scene)


if __name__ == "__main__":
    unittest.main()
