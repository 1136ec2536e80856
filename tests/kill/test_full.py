"""Disks that are full, folders that cannot be written, outputs that take nothing.

A run that cannot write says which file and why and exits with 3; what was there stays as it was,
and no temporary with it. Where only the answer is lost, the message says that the rest was done.
"""
import errno
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree
import scene as scenes  # noqa: E402

ISSUES = 400       # an export of some 60 kB: not what is left of a page
DISK_BYTES = 1 << 20
LIMIT_BYTES = 16384
NOBODY = 65534
DONE = b"the updates are made all the same"
# Of an export that goes to standard output, with a journal.
RECORDED = b"the journal has the updates: retriage verify -o writes what it leads to"


def big(prepare):
    """A scene's files with an export, an archive and requests of many pages."""
    def made(folder):
        prepare(folder)
        write = scenes.write
        if not os.path.exists(os.path.join(folder, "J")):
            write(os.path.join(folder, "e.json"), scenes.export_text(ISSUES))
        requests = [dict(scenes.NOTE, notes=f"{n} " * 200) for n in range(40)]
        scenes.write_requests(os.path.join(folder, "n.jsonl"), scenes.REQUEST, *requests)
        if os.path.isdir(os.path.join(folder, "tree")):
            write(os.path.join(folder, "tree", "other"), os.urandom(60000))
    return made


BIG_SCENES = [scenes.Scene(each.name, each.arguments, big(each.prepare), each.target,
                           each.journal)
              for each in scenes.SCENES
              if each.name not in ("archive", "file_and_journal", "stream")]
# Random bytes do not shrink.
BIG_SCENES.append(scenes.Scene(
    "archive", [*scenes.APPLY, "-o", "out.tar.gz", "set.tar.gz", "r.json"],
    lambda folder: (scenes.make_base(folder), scenes.write_archive(
        os.path.join(folder, "set.tar.gz"), os.urandom(60000))), "out.tar.gz"))


def errors(done):
    """The lines of a run on standard error without the note about what it has not read."""
    return [line for line in done.stderr.splitlines()
            if not line.startswith(b"retriage: not read: ")]


class FullTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="rt-kill-")
        self.addCleanup(holder.cleanup)
        self.top = os.path.realpath(holder.name)

    def refuse(self, scene, folder, reason, **more):
        """A run that must fail and leave everything as it was; `folder` is ready."""
        before = scenes.snapshot(folder)
        done = scenes.run(folder, *scene.arguments, **more)
        self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
        mended = b"; moved to" in done.stderr or b"; it has one now" in done.stderr
        self.assertTrue(not mended or scene.name in ("torn_tail", "line_end"), done.stderr)
        said = errors(done)
        self.assertEqual(len(said), 2 if mended else 1, done.stderr)
        line = said[-1]
        names = [scene.target or scene.journal]
        self.assertTrue(line.startswith(tuple(b"retriage: " + name.encode() for name in names)),
                        line)
        self.assertIn(reason.encode(), line)
        after = scenes.snapshot(folder)
        after.pop("J.lock", None)
        before.pop("J.lock", None)
        if scene.name in ("torn_tail", "line_end"):
            self.assertTrue(scene.is_journal_unchanged(folder))
            self.assertEqual(scene.strays(folder), [])
            return
        self.assertEqual(after, before)

    # --- A disk that is full ---------------------------------------------------------------

    def mount(self):
        """A small file system of its own; skips the test where none may be mounted."""
        path = os.path.join(self.top, "disk")
        os.makedirs(path, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", path],
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            self.skipTest(f"no file system can be mounted: {done.stderr.decode()[:100].strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", path], check=True)
        return path

    def fill(self, path, pages):
        """Use all space but some pages."""
        with open(path, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as error:
                self.assertEqual(error.errno, errno.ENOSPC)
            file.truncate(max(0, file.tell() - 4096 * pages))

    def wait_until_empty(self, disk, blocks):
        """The kernel lets go of files that a process was confined to only after its end."""
        end = time.monotonic() + 10
        while os.statvfs(disk).f_bfree < blocks and time.monotonic() < end:
            time.sleep(0.005)

    def test_full_disk(self):
        disk = self.mount()
        blocks = os.statvfs(disk).f_bfree
        for scene in BIG_SCENES:
            scene.learn(os.path.join(self.top, "learn"))
            for pages in (0, 5):
                with self.subTest(scene.name, pages=pages):
                    folder = os.path.join(disk, "s")
                    shutil.rmtree(folder, ignore_errors=True)
                    self.wait_until_empty(disk, blocks)
                    scene.make(folder)
                    self.fill(os.path.join(disk, "filler"), pages)
                    self.refuse(scene, folder, "No space left on device")
                    os.unlink(os.path.join(disk, "filler"))
                    self.assertIsNone(scene.judge_next(folder))

    def test_full_disk_of_results(self):
        """Results that cannot be written are found out before anything is changed."""
        disk = self.mount()
        big(scenes.make_base)(self.top)
        results = os.path.join(disk, "res")
        scenes.write(results, b"old\n")
        before = scenes.snapshot(self.top)
        for pages in (0, 5):
            for way in (["-o", "out.json"], ["--in-place"], ["--journal", "J"], ["-o", "-"], [],
                        ["--journal", "J", "-o", "-"]):
                with self.subTest(" ".join(way), pages=pages):
                    self.fill(os.path.join(disk, "filler"), pages)
                    done = scenes.run(self.top, *scenes.APPLY, *way, "--results", results,
                                      "e.json", "n.jsonl")
                    self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
                    self.assertTrue(done.stderr.startswith(b"retriage: " + results.encode()))
                    self.assertIn(b"No space left on device", done.stderr)
                    self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
                    self.assertEqual(scenes.read(results), b"old\n")
                    self.assertEqual(sorted(os.listdir(disk)), ["filler", "res"])
                    os.unlink(os.path.join(disk, "filler"))
                    for name in ("J", "J.lock"):  # begun, and cut back to nothing
                        if os.path.exists(os.path.join(self.top, name)):
                            self.assertEqual(scenes.read(os.path.join(self.top, name)), b"")
                            os.unlink(os.path.join(self.top, name))
                    after = scenes.snapshot(self.top)
                    after["disk"] = before["disk"]
                    self.assertEqual(after, before)

    def test_full_disk_of_stream(self):
        """A stream whose temporary file does not fit stays empty."""
        disk = self.mount()
        big(scenes.make_base)(self.top)
        scenes.write_archive(os.path.join(self.top, "set.tar.gz"), os.urandom(60000))
        done = scenes.run(self.top, *scenes.APPLY, "--journal", "J", "e.json", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        before = scenes.snapshot(self.top)
        env = scenes.environment(TMPDIR=disk)
        for command in ([*scenes.APPLY, "-o", "-", "e.json", "r.json"],
                        [*scenes.APPLY, "-o", "-", "--journal", "J", "e.json", "r.json"],
                        [*scenes.APPLY, "-o", "-", "set.tar.gz", "r.json"],
                        ["verify", "-o", "-", "J", "e.json"]):
            for pages in (0, 5):
                with self.subTest(" ".join(command), pages=pages):
                    self.fill(os.path.join(disk, "filler"), pages)
                    done = scenes.run(self.top, *command, env=env)
                    self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
                    said = errors(done)
                    self.assertEqual(len(said), 1, done.stderr)
                    self.assertTrue(said[0].startswith(b"retriage: temporary file: "), said)
                    self.assertIn(b"No space left on device", said[0])
                    os.unlink(os.path.join(disk, "filler"))
                    self.assertEqual(scenes.snapshot(self.top), before)

    def refuse_reports(self, folder, reason, **more):
        """A report into `folder` that must fail and leave everything as it was."""
        before = scenes.snapshot(folder)
        done = scenes.run(self.top, "report", "--to", "junit=" + os.path.join(folder, "a.xml"),
                          "--to", "md=-", "--to", "csv=" + os.path.join(folder, "b.csv"),
                          "e.json", **more)
        self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(b"retriage: " + folder.encode()), done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertEqual(scenes.snapshot(folder), before)

    def test_full_disk_of_reports(self):
        """A report that does not fit is no reason to replace another one that does."""
        disk = self.mount()
        big(scenes.make_base)(self.top)
        for pages in (0, 5):
            with self.subTest(pages=pages):
                scenes.write(os.path.join(disk, "b.csv"), b"old\n")
                self.fill(os.path.join(disk, "filler"), pages)
                self.refuse_reports(disk, b"No space left on device")
                os.unlink(os.path.join(disk, "filler"))

    def test_read_only_folder_of_reports(self):
        who = self.nobody()
        self.reachable()
        big(scenes.make_base)(self.top)
        folder = os.path.join(self.top, "s")
        os.mkdir(folder)
        scenes.write(os.path.join(folder, "b.csv"), b"old\n")
        os.chmod(folder, 0o555)
        self.refuse_reports(folder, b"Permission denied", **who)
        os.chmod(folder, 0o755)

    def test_file_limit_of_reports(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, LIMIT_BYTES))

        big(scenes.make_base)(self.top)
        folder = os.path.join(self.top, "s")
        os.mkdir(folder)
        self.refuse_reports(folder, b"File too large", preexec_fn=limit)

    def test_file_limit(self):
        """A bound on the size of files is an error of the write, not a death."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, LIMIT_BYTES))

        for scene in BIG_SCENES:
            with self.subTest(scene.name):
                scene.learn(os.path.join(self.top, "learn"))
                folder = os.path.join(self.top, "s")
                scene.make(folder)
                self.refuse(scene, folder, "File too large", preexec_fn=limit)
                self.assertIsNone(scene.judge_next(folder))

    # --- Folders and owners ----------------------------------------------------------------

    def nobody(self):
        """Arguments that make scenes.run() run somebody who is not root."""
        os.chmod(self.top, 0o755)
        if os.geteuid() != 0:
            return {}

        def become():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        return {"preexec_fn": become}

    def reachable(self):
        """The program, where somebody who is not root can run it."""
        path = os.path.join(self.top, "retriage")
        shutil.copy(scenes.RETRIAGE, path)
        os.chmod(path, 0o755)
        before, scenes.RETRIAGE = scenes.RETRIAGE, path
        self.addCleanup(setattr, scenes, "RETRIAGE", before)

    def test_read_only_folder(self):
        who = self.nobody()
        self.reachable()
        for scene in scenes.SCENES:
            with self.subTest(scene.name):
                scene.learn(os.path.join(self.top, "learn"))
                folder = os.path.join(self.top, "s")
                scene.make(folder)
                lock = os.path.join(folder, "J.lock")
                if os.path.exists(lock):
                    os.unlink(lock)
                os.chmod(folder, 0o555)
                self.refuse(scene, folder, "Permission denied", **who)
                os.chmod(folder, 0o755)

    @unittest.skipIf(os.geteuid() != 0, "only root can make files of others")
    def test_file_of_another(self):
        """Somebody who cannot keep the owner of a file does not replace it."""
        who = self.nobody()
        self.reachable()
        scene = next(each for each in scenes.SCENES if each.name == "in_place")
        scene.learn(os.path.join(self.top, "learn"))
        folder = os.path.join(self.top, "s")
        scene.make(folder)
        os.chmod(folder, 0o777)
        self.refuse(scene, folder, "cannot keep the owner", **who)

    def test_other_file_system(self):
        """The temporary is beside the target, wherever the export is."""
        memory = "/dev/shm"
        if not os.path.isdir(memory) or os.stat(memory).st_dev == os.stat(self.top).st_dev:
            self.skipTest("there is one file system only")
        if not os.access(memory, os.W_OK | os.X_OK):
            self.skipTest(f"{memory} cannot be written")
        scenes.make_base(self.top)
        with tempfile.TemporaryDirectory(prefix="rt-kill-", dir=memory) as other:
            wanted, out = os.path.join(self.top, "out"), os.path.join(other, "out")
            for path in (wanted, out):
                done = scenes.run(self.top, *scenes.APPLY, "-o", path, "e.json", "r.json")
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(scenes.read(out), scenes.read(wanted))
            self.assertEqual(os.listdir(other), ["out"])

    # --- Standard descriptors --------------------------------------------------------------

    def check_answer_lost(self, title, **more):
        for scene in scenes.SCENES:
            with self.subTest(f"{scene.name}, {title}"):
                scene.learn(os.path.join(self.top, "learn"))
                folder = os.path.join(self.top, "s")
                scene.make(folder)
                done = scenes.run(folder, *scene.arguments, **more)
                self.assertEqual(done.returncode, 3)
                self.assertEqual(scene.state(folder), (scene.targets[1], scene.journals[1]))
                self.assertEqual(scene.strays(folder), [])
                if done.stderr is not None:
                    line = done.stderr.splitlines()[-1]
                    self.assertTrue(line.startswith(b"retriage: standard output: "), line)
                    self.assertTrue(DONE in line or RECORDED in line, line)
                if scene.journal:
                    self.check_log(folder, scene)

    def check_log(self, folder, scene):
        """What was made is in the journal, though nobody was told of it."""
        done = scenes.run(folder, "log", "--format", "json", scene.journal)
        self.assertEqual(done.returncode, 0, done.stderr)
        entries = json.loads(done.stdout)["entries"]
        lines = scenes.read(os.path.join(folder, scene.journal)).splitlines()
        self.assertEqual(len(entries), len(lines) - 1)
        self.assertEqual((entries[-1]["actor"], entries[-1]["at"]), ("tester", scenes.AT))

    def test_full_output(self):
        with open("/dev/full", "wb") as full:
            self.check_answer_lost("/dev/full", stdout=full)

    def test_closed_pipe(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            self.check_answer_lost("closed pipe", stdout=pipe)

    def test_closed_output(self):
        self.check_answer_lost("closed", stdout=None, preexec_fn=lambda: os.close(1))

    def test_all_closed(self):
        self.check_answer_lost("all closed", stdin=None, stdout=None, stderr=None,
                               preexec_fn=lambda: os.closerange(0, 3))

    def test_answer_only(self):
        """Where nothing is changed, nothing is said to be."""
        scenes.make_base(self.top)
        with open("/dev/full", "wb") as full:
            done = scenes.run(self.top, *scenes.APPLY, "e.json", "r.json", stdout=full)
        self.assertEqual(done.returncode, 3)
        self.assertNotIn(DONE, done.stderr)

    def test_closed_input_and_errors(self):
        for numbers in ((0,), (2,), (0, 2)):
            for scene in scenes.SCENES:
                with self.subTest(scene.name, closed=numbers):
                    scene.learn(os.path.join(self.top, "learn"))
                    folder = os.path.join(self.top, "s")
                    scene.make(folder)
                    done = scenes.run(folder, *scene.arguments,
                                      preexec_fn=lambda: [os.close(n) for n in numbers])
                    self.assertEqual((done.returncode, done.stdout), (0, scene.answer))
                    self.assertIsNone(scene.judge(folder, done.stdout))


if __name__ == "__main__":
    unittest.main()
