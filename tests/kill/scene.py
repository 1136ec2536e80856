"""What the suites of this folder share: a small export, runs of retriage, and scenes.

A scene is a folder with files in it, a command that changes some of them, and what the folder
may hold when the command was ended half-way.
"""
import ctypes
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
RETRIAGE = os.path.abspath(os.environ.get("RETRIAGE", os.path.join(BUILD, "retriage")))
SANITIZED = bool(os.environ.get("SANITIZE"))
AT = "2024-05-06T07:08:09Z"
ISSUES = 12

# Whole documents, so that a run that is repeated gives the same bytes: a severity and a flag,
# set at the same time, are set once.
REQUEST = {"issue_ids": ["iss-3", "iss-7", "iss-none"], "severity": "low", "false_positive": True}
NOTE = {"issue_ids": ["iss-3"], "notes": "seen"}


def scratch():
    """A new folder that is removed with the object; in memory where that is possible, since what
    a kill leaves does not depend on the disk, and flushing one takes most of the time."""
    memory = "/dev/shm"
    usable = os.path.isdir(memory) and os.access(memory, os.W_OK | os.X_OK)
    return tempfile.TemporaryDirectory(prefix="rt-kill-", dir=memory if usable else None)


def environment(**more):
    env = dict(os.environ, LC_ALL="C.UTF-8", **more)
    # Leaks cannot be looked for in a process that is traced.
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return env


def run(folder, *arguments, **more):
    """Run retriage in a folder; returns the finished process, with what it wrote."""
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    more.setdefault("env", environment())
    return subprocess.run([RETRIAGE, *arguments], cwd=folder, timeout=120, check=False, **more)


def adopt_orphans():
    """Have the children of killed children become ours, so that reap() can wait for them."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap(group):
    """Wait until nothing of a process group is left: a decoder process dies with its parent, but
    not at once, and holds a temporary until then."""
    while True:
        try:
            os.waitpid(-group, 0)
        except ChildProcessError:
            return


def export_text(issues=ISSUES):
    records = [{"id": f"iss-{n}", "scan_id": "scan-1", "file_path": f"src/{n}.c",
                "line_number": n, "severity": "high", "title": f"Finding {n}", "own": [n, "x"]}
               for n in range(issues)]
    return json.dumps({"made_by": "a scanner", "issues": records}, indent=1).encode() + b"\n"


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    """The bytes of a file; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_requests(path, *requests):
    write(path, b"".join(json.dumps(request).encode() + b"\n" for request in requests))


def write_archive(path, other=b"read me\n"):
    """A .tar.gz with an export, and a member that is none of ours."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in (("scan/e.json", export_text()), ("scan/README", other)):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1700000000
            tar.addfile(info, io.BytesIO(data))
    write(path, gzip.compress(packed.getvalue(), mtime=0))


def write_tree(path):
    os.makedirs(os.path.join(path, "part"))
    write(os.path.join(path, "a.json"), export_text(6))
    write(os.path.join(path, "README"), b"read me\n")
    records = [{"id": f"iss-{n}", "severity": "high"} for n in range(6, ISSUES)]
    write(os.path.join(path, "part", "b.json"), json.dumps(records).encode())
    os.symlink("a.json", os.path.join(path, "link"))


def snapshot(path):
    """All that is at a path, for comparing: bytes, or a directory's names with what they hold."""
    if os.path.islink(path):
        return os.readlink(path)
    if os.path.isdir(path):
        return {name: snapshot(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    return read(path)


class Scene:
    """One command on one folder.

    prepare(folder): makes what is there before. arguments: of retriage, names relative to the
    folder. target: the name that the command replaces or makes, or None. journal: the name of
    the journal it appends to, or None.
    """

    def __init__(self, name, arguments, prepare, target=None, journal=None):
        self.name, self.arguments, self.prepare = name, arguments, prepare
        self.target, self.journal = target, journal
        self.targets = self.journals = None  # states, in order: before, after one run, after two
        self.answer = None
        self.before = self.expected = None
        self.first = ("r.json", "n.jsonl")  # names of which one is in the first call of ours
        self.template = None

    def make(self, folder):
        """Make the folder anew, as it is before the command."""
        if not self.template:
            self.template = scratch()
            self.prepare(self.template.name)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template.name, folder, symlinks=True)

    def state(self, folder):
        target = snapshot(os.path.join(folder, self.target)) if self.target else None
        journal = read(os.path.join(folder, self.journal)) if self.journal else None
        return target, journal

    def learn(self, folder):
        """Run undisturbed, twice, to know what is right. Raises AssertionError if that fails."""
        if self.answer:
            return
        self.make(folder)
        self.before = set(os.listdir(folder))
        states = [self.state(folder)]
        for _ in range(2):
            if self.target and self.is_directory(folder):
                shutil.rmtree(os.path.join(folder, self.target), ignore_errors=True)
            done = run(folder, *self.arguments)
            assert done.returncode == 0, f"{self.name}: {done.stderr!r}"
            assert self.answer in (None, done.stdout), f"{self.name}: two answers"
            assert done.stdout, f"{self.name}: no answer"
            self.answer = done.stdout
            states.append(self.state(folder))
        self.targets = [state[0] for state in states]
        self.journals = [state[1] for state in states]
        self.expected = set(os.listdir(folder)) | self.before
        assert states[0] != states[1], f"{self.name}: nothing was done"
        assert self.targets[1] == self.targets[2], f"{self.name}: a second run is another"

    def is_directory(self, folder):
        return os.path.isdir(os.path.join(folder, self.target))

    def strays(self, folder):
        """Names that nobody expects there; the copy of a torn tail is kept on purpose."""
        names = set(os.listdir(folder)) - self.expected
        torn = re.compile(re.escape(self.journal or "-") + r"\.torn-\d+(-\d+)?$")
        return sorted(name for name in names if not torn.match(name))

    def judge(self, folder, said):
        """What is wrong after the command was ended half-way, having said `said`; or None."""
        target, journal = self.state(folder)
        if target not in self.targets[:2]:
            return "the target is neither old nor new"
        if not self.is_journal_whole(folder, journal):
            return f"the journal is neither old nor new: {journal!r}"
        is_new = (not self.target or target == self.targets[1],
                  not self.journal or journal == self.journals[1])
        if said and not all(is_new):
            return "it answered before all was written"
        if self.journal and self.target and is_new[0] and not is_new[1]:
            return "the target is new and the journal does not know of it"
        if said not in (b"", self.answer):
            return f"half an answer of {len(said)} bytes"
        return None

    def is_journal_whole(self, folder, journal):
        return journal == self.journals[1] or self.is_journal_unchanged(folder)

    def is_journal_unchanged(self, folder):
        """Whether there are the entries that were there before, and no others."""
        old, journal = self.journals[0], read(os.path.join(folder, self.journal))
        if journal == old:
            return True
        if old is None:
            return journal == b""
        if old.endswith(b'"}') and journal == old + b"\n":
            return True
        end = old.rfind(b"\n") + 1
        # The torn tail was kept aside and cut off, or would have been lost.
        kept = [read(os.path.join(folder, name)) for name in os.listdir(folder)
                if name.startswith(f"{self.journal}.torn-")]
        return end < len(old) and journal == old[:end] and old[end:] in kept

    def judge_next(self, folder):
        """Run the command again; what is wrong then, or None."""
        if self.target and self.is_directory(folder):
            shutil.rmtree(os.path.join(folder, self.target))
        done = run(folder, *self.arguments)
        if (done.returncode, done.stdout) != (0, self.answer):
            return f"the next run: exit {done.returncode}, {done.stderr!r}"
        target, journal = self.state(folder)
        if target != self.targets[1]:
            return "after the next run the target is not the new one"
        if journal not in self.journals[1:]:
            return "after the next run the journal is not one of two runs"
        if self.strays(folder):
            return f"after the next run there are {self.strays(folder)}"
        return self.judge_journal(folder)

    def judge_journal(self, folder):
        if not self.journal:
            return None
        done = run(folder, "verify", self.journal, "e.json")
        return f"verify: exit {done.returncode}, {done.stderr!r}" if done.returncode else None


class ReportScene(Scene):
    """A command that replaces several files, in order, after what it says on standard output."""

    def __init__(self, name, arguments, prepare, names):
        super().__init__(name, arguments, prepare)
        self.names = names
        self.first = ("e.json", *names)

    def state(self, folder):
        return tuple(read(os.path.join(folder, name)) for name in self.names), None

    def is_new(self, folder):
        """Of each file whether it is new; None where it is neither old nor new."""
        return [{old: False, new: True}.get(now) for old, new, now in
                zip(self.targets[0], self.targets[1], self.state(folder)[0])]

    def judge(self, folder, said):
        new = self.is_new(folder)
        if None in new:
            return f"{self.names[new.index(None)]} is neither old nor new"
        if new != sorted(new, reverse=True):
            return f"not in order: {new}"
        if not self.answer.startswith(said):
            return f"another answer of {len(said)} bytes"
        if any(new) and said != self.answer:
            return "a file is new before the answer was given"
        return None


# --- The scenes ------------------------------------------------------------------------------

APPLY = ["apply", "--at", AT, "--actor", "tester"]


def make_base(folder):
    write(os.path.join(folder, "e.json"), export_text())
    write_requests(os.path.join(folder, "r.json"), REQUEST)
    write_requests(os.path.join(folder, "n.jsonl"), REQUEST, NOTE, NOTE)


def make_over(folder):
    make_base(folder)
    write(os.path.join(folder, "out.json"), b"[]\n" * 100)


def make_journal(folder):
    make_base(folder)
    done = run(folder, *APPLY, "--journal", "J", "e.json", "n.jsonl", "n.jsonl")
    assert done.returncode == 0, done.stderr


def make_torn(folder):
    make_journal(folder)
    journal = read(os.path.join(folder, "J"))
    write(os.path.join(folder, "J"), journal + b'{"seq":7,"at":"2024-0')


def make_unended(folder):
    make_journal(folder)
    write(os.path.join(folder, "J"), read(os.path.join(folder, "J"))[:-1])


def make_archive(folder):
    make_base(folder)
    write_archive(os.path.join(folder, "set.tar.gz"))


def make_tree(folder):
    make_base(folder)
    write_tree(os.path.join(folder, "tree"))


SCENES = [
    Scene("new_file", [*APPLY, "-o", "out.json", "e.json", "r.json"], make_base, "out.json"),
    Scene("other_file", [*APPLY, "-o", "out.json", "e.json", "r.json"], make_over, "out.json"),
    Scene("in_place", [*APPLY, "--in-place", "e.json", "r.json"], make_base, "e.json"),
    Scene("first_entry", [*APPLY, "--journal", "J", "e.json", "n.jsonl"], make_base, None, "J"),
    Scene("next_entry", [*APPLY, "--journal", "J", "e.json", "n.jsonl"], make_journal, None, "J"),
    Scene("torn_tail", [*APPLY, "--journal", "J", "e.json", "n.jsonl"], make_torn, None, "J"),
    Scene("line_end", [*APPLY, "--journal", "J", "e.json", "n.jsonl"], make_unended, None, "J"),
    Scene("archive", [*APPLY, "-o", "out.tar.gz", "set.tar.gz", "r.json"], make_archive,
          "out.tar.gz"),
    Scene("directory", [*APPLY, "-o", "new", "tree", "r.json"], make_tree, "new"),
    Scene("file_and_journal",
          [*APPLY, "--journal", "J", "-o", "out.json", "e.json", "r.json"], make_journal,
          "out.json", "J"),
    Scene("stream",
          [*APPLY, "--journal", "J", "-o", "-", "--results", "res.json", "e.json", "r.json"],
          make_journal, "res.json", "J"),
]


def make_reports(folder):
    make_journal(folder)
    write(os.path.join(folder, "b.csv"), b"old\r\n")
    write(os.path.join(folder, "c.html"), b"<p>old</p>\n")


REPORTS = [
    ReportScene("report", ["report", "--at", AT, "--to", "junit=a.xml", "--to", "csv=b.csv",
                           "--to", "md=-", "--to", "html=c.html", "--max", "high=99",
                           "--journal", "J", "e.json"], make_reports,
                ("a.xml", "b.csv", "c.html")),
]
