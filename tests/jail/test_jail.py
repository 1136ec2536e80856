"""Hostile code in the processes of retriage: whatever it tries, it fails or ends the process, and
nothing outside has changed. Of a process that unpacks the run reports an error that names the file.

hostile.c has what is tried. Each is tried by root, where the tests are root's, and by somebody
else; with all that the kernel has, and once more as if it had no seccomp, when Landlock, missing
rights and bounds have to do. Without any jail most of it succeeds: that is tried first.
"""
import ctypes
import json
import os
import platform
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing of ours in the source tree

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
RETRIAGE = os.path.abspath(os.environ.get("RETRIAGE", os.path.join(BUILD, "retriage")))
HOSTILE = os.path.join(BUILD, "tests", "jail", "hostile.so")
NOBODY = 65534

with open(os.path.join(TOP, "tests", "jail", "hostile.c"), encoding="utf-8") as source:
    ATTEMPTS = re.findall(r'^    \{"(\w+)", \1\}', source.read(), re.M)

# What fails without seccomp as well, by root and by others.
PATHS = set("""
    read_passwd read_passwd_openat2 open_root write_file create truncate_file unlink_file
    rename_file make_folder remove_folder make_symlink make_link make_fifo change_owner change_root
    open_by_handle open_parent write_export read_secrets
    """.split())
RIGHTS = set("""
    fork_process start_thread execute execute_memory kill_parent queue_signal trace_parent
    read_parent write_parent take_descriptor open_pidfd socket_inet socket_unix
    socket_pair become_root enter_namespace unmount raise_limit use_ring watch_files fault_handler
    copy_descriptor write_input other_descriptors environment
    """.split())
# What cannot succeed here even without a jail, or not for everybody.
NEVER = set("""
    enter_namespace push_input send_descriptor bind_socket connect_socket other_descriptors
    write_input make_link foreign_call
    """.split())
OF_ROOT = set("""
    change_owner change_root open_by_handle become_root become_other unmount kill_all new_namespace
    count_events load_bpf use_ring fault_handler
    """.split())

# What the program itself needs, or what only a process that unpacks is kept from.
OF_PROGRAM = set("""
    execute_memory socket_pair copy_descriptor map_file write_input other_descriptors
    environment change_mode_fd send_descriptor
    """.split())
# What counts branches (COVERAGE of the Makefile) puts a variable there.
if os.environ.get("COVERAGE"):
    ATTEMPTS.remove("environment")
    RIGHTS.remove("environment")
    OF_PROGRAM.remove("environment")
# What fails in the program without seccomp as well.
PROGRAM_PATHS = PATHS - {"change_owner"} | set("""
    trace_parent read_parent write_parent take_descriptor kill_parent queue_signal execute unmount
    become_root
    """.split())

# The numbers of seccomp() and landlock_create_ruleset().
CALLS = {"x86_64": (317, 444), "aarch64": (277, 444)}.get(platform.machine())


def deny(*calls):
    """Make system calls unknown to this process and those it starts, as an old kernel has it."""
    code = struct.pack("HBBI", 0x20, 0, 0, 0)
    for number in calls:
        code += struct.pack("HBBI", 0x15, 0, 1, number) + struct.pack("HBBI", 0x06, 0, 0, 0x50026)
    code += struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        os._exit(99)


def snapshot(path):
    """Names, modes, owners and bytes below a folder."""
    found = {}
    for folder, folders, files in os.walk(path):
        for name in folders + files:
            at = os.path.join(folder, name)
            st = os.lstat(at)
            data = b""
            if stat.S_ISREG(st.st_mode):
                with open(at, "rb") as file:
                    data = file.read()
            found[at] = (st.st_mode, st.st_uid, st.st_size, data)
    return found


@unittest.skipIf(os.environ.get("SANITIZE"), "a sanitizer has to be the first library")
@unittest.skipUnless(CALLS, "the numbers of calls are not known here")
class JailTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="rt-jail-")
        self.addCleanup(holder.cleanup)
        self.top = os.path.realpath(holder.name)
        os.chmod(self.top, 0o755)
        # Where somebody else reaches them too.
        self.retriage = shutil.copy(RETRIAGE, self.top)
        self.hostile = shutil.copy(HOSTILE, self.top)
        with open(os.path.join(self.top, "e.json"), "w", encoding="utf-8") as file:
            json.dump([{"id": "a", "severity": "low"}], file)
        self.input = os.path.join(self.top, "e.tar")
        with tarfile.open(self.input, "w") as tar:
            tar.add(os.path.join(self.top, "e.json"), "e.json")
        os.chmod(self.input, 0o666)
        self.yaml = os.path.join(self.top, "e.yaml")
        with open(self.yaml, "w", encoding="utf-8") as file:
            file.write("- id: a\n  severity: low\n")
        os.chmod(self.yaml, 0o666)
        self.make_folder()

    def make_folder(self, user=None):
        """The folder that hostile code has a go at, which is its user's."""
        self.folder = os.path.join(self.top, "folder")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "empty"))
        with open(os.path.join(self.folder, "file"), "wb") as file:
            file.write(b"kept\n")
        shutil.copy("/bin/true", os.path.join(self.folder, "program"))
        if user is not None:
            for each in (self.folder, *(os.path.join(self.folder, name)
                                        for name in ("empty", "file", "program"))):
                os.chown(each, user, user)

    def users(self):
        return (None, NOBODY) if os.geteuid() == 0 else (None,)

    def environment(self, attempt, where="decoder"):
        return dict(os.environ, LD_PRELOAD=self.hostile, LD_HOSTILE=attempt,
                    LD_HOSTILE_IN=where, LD_HOSTILE_DIR=self.folder, SECRET="sesame",
                    LC_ALL="C.UTF-8")

    def run_retriage(self, *arguments, user=None, denied=(), program=None, **more):
        def before():
            if user is not None:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
            if denied:
                deny(*denied)
        return subprocess.run([program or self.retriage, *arguments], preexec_fn=before, timeout=60,
                              capture_output=True, check=False, **more)

    def judge(self, attempt, user, denied, where="decoder"):
        """What is wrong after an attempt, or None."""
        before = snapshot(self.folder)
        extra = os.open("/dev/null", os.O_RDONLY)
        high = os.dup2(extra, 300, inheritable=True)
        os.close(extra)
        with open(self.input if where == "decoder" else self.yaml, "r+b") as file:
            done = self.run_retriage("summary", "-", user=user, denied=denied, stdin=file,
                                     env=self.environment(attempt, where), pass_fds=(high,))
        os.close(high)
        want = rb"retriage: -: the process that unpacks tar data stopped \(signal (4|31)\)\n"
        if where != "decoder":
            want = want.replace(b"tar", b"YAML")
        # A kernel that has no such calls sends another signal.
        if attempt == "foreign_call":
            want = want.replace(b"(4|31)", b"(4|11|31)")
        if denied:
            want = want.replace(b"(4|31)", b"4")
        if done.returncode != 2 or done.stdout or not re.fullmatch(want, done.stderr):
            return f"{attempt} by {user}: exit {done.returncode}, {done.stderr!r}"
        if snapshot(self.folder) != before:
            return f"{attempt} by {user}: the folder has changed"
        return None

    def judge_all(self, attempts, denied=()):
        complaints = []
        for user in self.users():
            self.make_folder(user)
            complaints += filter(None, (self.judge(each, user, denied) for each in attempts))
        self.assertEqual(complaints, [])

    def test_all(self):
        self.assertGreater(len(ATTEMPTS), 50)
        self.judge_all(ATTEMPTS)

    def test_yaml(self):
        """The same in libyaml, whose process is the same but for a file, which it has not."""
        complaints = []
        for user in self.users():
            self.make_folder(user)
            complaints += filter(None, (self.judge(each, user, (), "yaml") for each in ATTEMPTS))
        self.assertEqual(complaints, [])

    def test_without_seccomp(self):
        self.assertEqual((PATHS | RIGHTS) - set(ATTEMPTS), set())
        landlock = re.search(rb"Landlock (\d+)", self.run_retriage("--version").stdout)
        if not landlock or int(landlock[1]) < 6:
            self.skipTest("Landlock here does not know signals yet")
        self.judge_all(sorted(PATHS | RIGHTS), denied=CALLS[:1])

    # --- The program -----------------------------------------------------------------------

    def judge_program(self, attempt, user, denied, where, arguments):
        """The same in the program, whose parent is a shell, should it come to lose that one."""
        out = os.path.join(self.top, "out")
        before = snapshot(self.folder)
        done = self.run_retriage("-c", '"$@"; exit $?', "sh", self.retriage, *arguments, user=user,
                                 denied=denied, env=self.environment(attempt, where),
                                 program="/bin/sh")
        ends = (4, 11, 31) if attempt == "foreign_call" else (4, 31)
        if done.returncode - 128 not in ends or done.stdout:
            return f"{attempt} in {arguments[0]} by {user}: exit {done.returncode}, {done.stderr!r}"
        # What it may write it has not replaced; locks and temporary files may be left.
        if snapshot(self.folder) != before or {"new.json", "j"} & set(os.listdir(out)):
            return f"{attempt} in {arguments[0]} by {user}: files have changed"
        return None

    def judge_programs(self, attempts, runs, where="program", denied=()):
        complaints = []
        for user in self.users():
            self.make_folder(user)
            complaints += filter(None, (self.judge_program(each, user, denied, where, arguments)
                                        for each in attempts for arguments in runs))
        self.assertEqual(complaints, [])

    def make_runs(self):
        """Commands of every kind; those that write may do so in a folder of their own."""
        with open(os.path.join(self.top, "r.json"), "w", encoding="utf-8") as file:
            file.write('{"issue_ids": ["a"], "severity": "high"}\n')
        out = os.path.join(self.top, "out")
        os.mkdir(out)
        os.chmod(out, 0o777)
        export, request = os.path.join(self.top, "e.json"), os.path.join(self.top, "r.json")
        return [["summary", export], ["summary", self.input],
                ["apply", "-o", os.path.join(out, "new.json"), "--journal", os.path.join(out, "j"),
                 export, request]]

    def test_program(self):
        runs = self.make_runs()
        self.assertEqual(OF_PROGRAM - set(ATTEMPTS), set())
        self.judge_programs(sorted(set(ATTEMPTS) - OF_PROGRAM), runs)

    def test_program_without_seccomp(self):
        runs = self.make_runs()
        landlock = re.search(rb"Landlock (\d+)", self.run_retriage("--version").stdout)
        if not landlock or int(landlock[1]) < 6:
            self.skipTest("Landlock here does not know signals yet")
        self.judge_programs(sorted(PROGRAM_PATHS), runs[:1] + runs[2:3], denied=CALLS[:1])

    def run_free(self, attempt):
        """Try it in a process that is nobody's; returns how its parent, which is not ours to
        lose, ended: as the process did."""
        parent = os.fork()
        if not parent:
            try:
                ends, file = socket.socketpair(), os.open(self.input, os.O_RDWR)
                os.dup2(os.dup(ends[0].fileno()), 3)
                os.dup2(os.dup(file), 4)
                os.environ.update(self.environment(attempt))
                child = os.fork()
                if not child:
                    ctypes.CDLL(self.hostile).archive_read_new()
                os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 127)
            finally:
                os._exit(98)
        return os.waitstatus_to_exitcode(os.waitpid(parent, 0)[1])

    def test_without_jail(self):
        """The library in a process of nobody's care: then what it tries succeeds."""
        failed = []
        for attempt in sorted(set(ATTEMPTS) - NEVER - (set() if os.geteuid() == 0 else OF_ROOT)):
            self.make_folder()
            # Those that end their parent have succeeded as well.
            if self.run_free(attempt) not in (0, -signal.SIGTERM):
                failed.append(attempt)
        print(f"without a jail these fail: {' '.join(failed) or 'none'}")
        self.assertLess(len(failed), 8, failed)

    # --- What there is -------------------------------------------------------------------

    def test_said(self):
        for denied, said in (((), r"sandbox: seccomp, Landlock \d+"),
                             (CALLS[:1], r"sandbox: no seccomp, Landlock \d+"),
                             (CALLS[1:], "sandbox: seccomp, no Landlock"),
                             (CALLS, "sandbox: no seccomp, no Landlock")):
            with self.subTest(said):
                done = self.run_retriage("--version", denied=denied)
                self.assertRegex(done.stdout.decode(), rf"^retriage [\d.]+\n{said}\nlibraries: ")

    def test_required(self):
        for denied, missing in (((), None), (CALLS[:1], "seccomp"), (CALLS[1:], "Landlock"),
                                (CALLS, "seccomp")):
            with self.subTest(missing):
                done = self.run_retriage("summary", "--require-sandbox", self.input, denied=denied)
                if not missing:
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    continue
                self.assertEqual((done.returncode, done.stdout), (3, b""))
                self.assertEqual(done.stderr.decode(),
                                 f"retriage: --require-sandbox: the kernel has no {missing}\n")

    def test_not_required(self):
        """A kernel without either: files are decoded all the same."""
        done = self.run_retriage("summary", "--recent", "0", self.input, denied=CALLS)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b'"total_issues":1', done.stdout)


# --- What it says ------------------------------------------------------------------------

(BEGIN, DATA, MARKS, END, UNREAD, PROGRESS, PULL, FINISH) = range(8)
FINISH_BYTES = 3416  # sizeof(struct rt_frame_finish)
FRAME_MAX = 256 << 10
NAME_MAX = 1023
RECORD = b'[{"id":"a","severity":"low"}]'
BROKEN = "the unpacking process broke its protocol"
STOPPED = "the process that unpacks tar data stopped"


def frame(kind, data=b"", length=None):
    return struct.pack("=II", kind, len(data) if length is None else length) + data


def finish(status=0, code=0, text=b""):
    """Its last word: a status, what it has read and expanded, and an error that ends in a text."""
    head = struct.pack("=ixxxxQQii", status, 0, 0, code, 0)
    return frame(FINISH, (head + bytes(FINISH_BYTES - len(head) - 1024) + text.ljust(1024, b"\0")
                          [:1024]))


PART = frame(BEGIN, b"m.json") + frame(DATA, RECORD) + frame(END)
# What it says; what is said of that behind the file's name; more arguments.
LIES = [
    (frame(8) + finish(), BROKEN),
    (frame(BEGIN) + frame(DATA, b" ", FRAME_MAX + 1), BROKEN),
    (frame(BEGIN) + frame(DATA), BROKEN),
    (frame(DATA, RECORD) + finish(), BROKEN),
    (frame(END) + finish(), BROKEN),
    (frame(BEGIN) + frame(BEGIN) + finish(), BROKEN),
    (frame(BEGIN, b"n" * (NAME_MAX + 1)) + finish(), BROKEN),
    (frame(BEGIN) + frame(DATA, RECORD) + frame(END, finish()), BROKEN),
    (frame(BEGIN) + frame(DATA, RECORD) + finish(), BROKEN),
    (PART + frame(FINISH, b"x"), BROKEN),
    (PART + finish(1), BROKEN),
    (PART + finish(-3, 1), BROKEN),
    (PART + finish(-1, 0), BROKEN),
    (PART + finish(-1, 99), BROKEN),
    (PART + finish(-1, 2, b"\x1b[31mred\n" + b"x" * 2000), "\ufffd[31mred\ufffdxxx"),
    (PART + frame(UNREAD) + finish(), BROKEN),
    (PART + frame(UNREAD, b"\xc8x") + finish(), BROKEN),
    (PART + frame(UNREAD, b"\6x") * 2 + finish(), BROKEN),
    (PART + frame(UNREAD, b"\0" + b"n" * (NAME_MAX + 1)) + finish(), BROKEN),
    (frame(BEGIN) + frame(DATA, RECORD) + frame(UNREAD, b"\0x") + frame(END) + finish(), BROKEN),
    (PART + frame(UNREAD, b"\0x") * 3 + finish(), BROKEN, "--limit", "members=2"),
    (PART + frame(PROGRESS, bytes(15)) + finish(), BROKEN),
    (PART + frame(PULL) + finish(), BROKEN),
    (frame(BEGIN) + frame(MARKS, bytes(32)) + finish(), BROKEN),
    (frame(BEGIN) + frame(DATA, b" " * 20000), BROKEN, "--limit", "expanded=1"),
    (PART, STOPPED),
    (PART + finish()[:-1], STOPPED),
    (frame(DATA)[:7], STOPPED),
]


@unittest.skipIf(os.environ.get("SANITIZE"), "a sanitizer has to be the first library")
class LieTest(unittest.TestCase):
    """Whatever a process that unpacks says, the run ends with its file's error and no answer."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="rt-lies-")
        self.addCleanup(holder.cleanup)
        self.said = os.path.join(holder.name, "said")
        self.input = os.path.join(holder.name, "e.tar")
        with tarfile.open(self.input, "w") as tar:
            tar.addfile(tarfile.TarInfo("e.json"))

    def summary(self, said, *more):
        with open(self.said, "wb") as file:
            file.write(said)
        env = dict(os.environ, LD_PRELOAD=HOSTILE, LD_HOSTILE_SAY=self.said,
                   LD_HOSTILE_IN="decoder", LC_ALL="C.UTF-8")
        done = subprocess.run([RETRIAGE, "summary", "--recent", "0", *more, self.input], env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_truth(self):
        status, out, err = self.summary(PART + frame(PROGRESS, bytes(16)) +
                                        frame(UNREAD, b"\0x") + finish())
        self.assertEqual(status, 0, err)
        self.assertIn('"total_issues":1', out)

    def test_lies(self):
        for said, wanted, *more in LIES:
            with self.subTest(said[:60], wanted=wanted):
                status, out, err = self.summary(said, *more)
                self.assertEqual((status, out), (2, ""))
                self.assertRegex(err, rf"^retriage: {re.escape(self.input)}(\[m\.json\])?: "
                                      rf"{re.escape(wanted)}.*\n$")


if __name__ == "__main__":
    unittest.main()
