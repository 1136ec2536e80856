"""What bash completes with the script of `retriage completion`.

The words come from its completion function; the same lines are then typed with tabs into a bash on
a pseudo-terminal, where a function called retriage writes down what it was given.
Environment: RETRIAGE or BUILD.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
PATIENCE = 60
FILES = ["export.json", "a b.json", "it's.json", "a:b=c.json", "-dash.json"]

LIMITS = ("record= depth= members= expanded= decoder= alias= distinct= recent= request= "
          "requests= md= metadata= temporary=").split()
# A line up to the cursor, and the words that are offered for its last one; None: names of files.
LINES = [
    ("retriage sum", ["summary"]),
    ("retriage v", ["verify", "validate", "version"]),
    ("retriage --v", ["--version"]),
    ("retriage summary --form", ["--format"]),
    ("retriage summary --format ", ["json", "table", "yaml"]),
    ("retriage summary --format=y", ["yaml"]),
    ("retriage summary --recent ", []),
    ("retriage summary --repo", []),
    ("retriage summary --part", ["--partial"]),
    ("retriage merge ", None),
    ("retriage rulesets --repo", ["--repo-id"]),
    ("retriage summary --limit re", ["record=", "recent=", "request=", "requests="]),
    ("retriage summary --limit ", LIMITS),
    ("retriage summary --limit record=3", []),
    ("retriage summary --pretty ", None),
    ("retriage summary export.json ", None),
    ("retriage summary a:b=", None),
    ("retriage summary -- -", None),
    ("retriage validate --as r", ["ruleset", "request"]),
    ("retriage list --where sev", ["severity="]),
    ("retriage list --not severity=h", ["high"]),
    ("retriage gate --where status=", ["dismissed", "expired", "open"]),
    ("retriage list --where title=h", []),
    ("retriage report --to h", ["html="]),
    ("retriage report --to html=", None),
    ("retriage list --count-by repo", ["repo", "repo_name"]),
    ("retriage list --as re", ["records"]),
    ("retriage verify -o ", None),
    ("retriage verify --expect ", None),
    ("retriage apply --output=", None),
    ("retriage log --head", ["--head"]),
    ("retriage schema journal-", ["journal-entry", "journal-header", "journal-log"]),
    ("retriage help vers", ["version"]),
    ("retriage help f", ["filters"]),
    ("retriage version ", []),
    ("retriage completion ", ["bash"]),
    ("retriage nothing ", []),
]
# What is typed, and the arguments that come of it.
TYPED = [
    ("retriage summ\t--form\tj\texp\t", ["summary", "--format", "json", "export.json"]),
    ("retriage summary --format=y\ta\\ \t", ["summary", "--format=yaml", "a b.json"]),
    ("retriage apply -o exp\tit\t", ["apply", "-o", "export.json", "it's.json"]),
    ("retriage summary --limit dep\t9 --prett\t", ["summary", "--limit", "depth=9", "--pretty"]),
    ("retriage schema issues\t", ["schema", "issues-summary"]),
    ("retriage summary --recent exp\t", ["summary", "--recent", "exp"]),
    ("retriage log -- -d\t", ["log", "--", "-dash.json"]),
]


def retriage(*arguments):
    return subprocess.run([RETRIAGE, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          check=True, text=True, timeout=PATIENCE).stdout


def commands():
    """The commands of the program with the long options of each, from its help."""
    names = re.findall(r"^  [a-z ]{8}([a-z]+) ", retriage("--help"), re.MULTILINE) + ["help", "version"]
    options = {name: re.split(r"\n(?:Common o|O)ptions:", retriage(name, "--help"), maxsplit=1)[1].split("\nExample:")[0]
               for name in names}
    return {name: set(re.findall(r"--[a-z-]+", text)) for name, text in options.items()}


def apart(arguments):
    """The arguments with the value of a long option by itself."""
    return [part for word in arguments
            for part in (word.split("=", 1) if word.startswith("--") else [word])]


class Shell:
    """A folder with files to complete, and the script of a shell; mixed into the tests of one."""

    def setUp(self):
        if not shutil.which(self.shell):
            self.skipTest(f"{self.shell} is not installed")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.work = self.folder / "work"
        self.work.mkdir()
        for name in FILES:
            (self.work / name).write_text("[]", encoding="utf-8")
        self.script = self.folder / self.file
        self.script.write_text(retriage("completion", self.shell), encoding="utf-8")

    def run_shell(self, *arguments, text=""):
        """Run the shell without anybody's settings; returns its lines."""
        done = subprocess.run([self.shell, *arguments], input=text, capture_output=True, text=True,
                              cwd=self.work, timeout=PATIENCE, check=False, env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout.splitlines()

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TERM": "dumb",
                "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"}

    def test_grammar(self):
        self.assertEqual(self.run_shell(*self.only_read, str(self.script)), [])

    def test_lines(self):
        for line, want in LINES:
            with self.subTest(line=line):
                have = self.offered(line)
                self.assertEqual(have if have is None else sorted(have),
                                 want if want is None else sorted(want))

    def test_all_options(self):
        for command, options in commands().items():
            with self.subTest(command=command):
                self.assertEqual(sorted(self.offered(f"retriage {command} --")), sorted(options))

    def test_all_commands(self):
        have = [word for word in self.offered("retriage ") if not word.startswith("-")]
        self.assertEqual(sorted(have), sorted(commands()))

    def test_typed(self):
        got = self.folder / "got"
        try:
            child, terminal = pty.fork()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal: {error}")
        if child == 0:
            try:
                os.chdir(self.work)
                os.execvpe(self.shell, [self.shell, *self.interactive], self.environment())
            finally:
                os._exit(127)
        try:
            prepare = self.prepare.format(script=self.script, folder=self.folder, got=got)
            self.type(terminal, f"{prepare}; echo rea''dy\n", "ready")
            for number, (keys, want) in enumerate(TYPED):
                with self.subTest(keys=keys):
                    got.unlink(missing_ok=True)
                    shown = self.type(terminal, f"{keys}\necho do''ne{number}\n", f"done{number}")
                    self.assertTrue(got.exists(), shown)
                    have = got.read_text(encoding="utf-8").splitlines()
                    self.assertEqual(apart(have), apart(want), shown)
        finally:
            os.close(terminal)
            os.waitpid(child, 0)

    def type(self, terminal, keys, until):
        """Type keys; returns what the terminal shows until a line is `until`."""
        os.write(terminal, keys.encode())
        shown = ""
        end = time.monotonic() + PATIENCE
        while not re.search(rf"(?m)^{until}\r?$", shown):
            ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"{until} did not come: {shown!r}")
            shown += os.read(terminal, 4096).decode(errors="replace")
        return shown


class Bash(Shell, unittest.TestCase):
    shell = "bash"
    file = "retriage"
    only_read = ["-n"]
    interactive = ["--norc", "--noprofile", "-i"]
    prepare = ("source {script}; PS1=; bind 'set bell-style none'; "
               "retriage() {{ printf '%s\\n' \"$@\" >{got}; }}")

    def offered(self, line):
        # Readline cuts words at these two as well.
        words = re.findall(r"[=:]+|[^=:\s]+", line)
        if line[-1] == " ":
            words.append("")
        lines = self.run_shell("-c", f"source '{self.script}'\n"
                               "compopt() { echo \"option $*\"; }\n"
                               "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n"
                               "_retriage\n"
                               "for word in \"${COMPREPLY[@]}\"; do echo \"word $word\"; done",
                               "bash", *words)
        if "option +o default +o bashdefault" not in lines:
            self.assertEqual(lines, [])
            return None
        found = [entry[5:] for entry in lines if entry.startswith("word ")]
        self.assertEqual("option -o nospace" in lines, bool(found) and found[0][-1] == "=")
        return found

    def test_loads_for_the_command(self):
        self.assertEqual(self.run_shell("-c", f"source '{self.script}'; complete -p retriage"),
                         ["complete -o bashdefault -o default -F _retriage retriage"])


if __name__ == "__main__":
    unittest.main()
