"""What `make install` puts where, a program that is built on it, `make uninstall`, and the libraries
that are loaded when they are needed.

What BUILD holds is installed, and nothing is built for it.
Environment: BUILD, CC, SANITIZE.
"""
import bz2
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
SANITIZE = os.environ.get("SANITIZE", "")
COMPILER = [os.environ.get("CC") or "cc", *([f"-fsanitize={SANITIZE}"] if SANITIZE else [])]

VERSION = re.search(r'#define RT_VERSION "(.*)"',
                    (TOP / "include" / "retriage.h").read_text(encoding="utf-8")).group(1)

PROGRAM = """
#include <retriage.h>
#include <stdio.h>

int main(void)
{
	size_t count;
	struct rt_limits limits;

	rt_limits_init(&limits);
	printf("%s %s %d\\n", RT_VERSION, rt_schemas(&count)->name, (int)limits.depth);
	return rt_limits_set(&limits, "depth", "7") ? 0 : 1;
}
"""
FILES = {
    "bin/retriage": 0o755,
    "include/retriage.h": 0o644,
    "share/man/man1/retriage.1": 0o644,
    "share/bash-completion/completions/retriage": 0o644,
    **{f"share/retriage/schemas/{path.name}": 0o644 for path in (TOP / "schemas").glob("*.json")},
}
LIBRARY = {
    "libretriage.a": 0o644,
    "libretriage.so": None,
    "libretriage.so.0": None,
    f"libretriage.so.{VERSION}": 0o644,
    "pkgconfig/retriage.pc": 0o644,
}


def run(*command, **more):
    """Run a command that has to succeed; returns its standard output."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=300, **more)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def make(target, *variables):
    """One target of the Makefile, whose prerequisites are as they are."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MAKELEVEL", "PREFIX", "LIBDIR", "DESTDIR")}
    return run("make", "-C", TOP, "-o", "all", f"BUILD={BUILD}", *variables, target, env=environment)


def tree(folder):
    """The files below a folder with their modes; None for a link."""
    return {str(path.relative_to(folder)):
            None if path.is_symlink() else path.stat().st_mode & 0o7777
            for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}


class Install(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def check_places(self, library, *variables):
        """Install with variables below self.folder, and uninstall."""
        make("install", *variables)
        prefix = library.split("/")[0]
        want = {f"{prefix}/{name}": mode for name, mode in FILES.items()}
        want.update({f"{library}/{name}": mode for name, mode in LIBRARY.items()})
        self.assertEqual(tree(self.folder), want)
        for name in ("libretriage.so", "libretriage.so.0"):
            self.assertEqual((self.folder / library / name).resolve().name,
                             f"libretriage.so.{VERSION}")
        make("uninstall", *variables)
        self.assertEqual(tree(self.folder), {})

    def test_prefix(self):
        self.check_places("usr/lib", f"PREFIX={self.folder}/usr")

    def test_destination(self):
        self.check_places("usr/lib/x86_64-linux-gnu", f"DESTDIR={self.folder}", "PREFIX=/usr",
                          "LIBDIR=/usr/lib/x86_64-linux-gnu")

    def test_moved_along(self):
        self.assertIn(f"libretriage.so in {self.folder}/lib once ldconfig has run",
                      make("install", f"PREFIX={self.folder}"))
        make("uninstall", f"PREFIX={self.folder}")
        said = make("install", f"DESTDIR={self.folder}", "PREFIX=/opt/x", "LIBDIR=/opt/x/lib64")
        self.assertNotIn("ldconfig", said)  # a package says it by itself
        described = (self.folder / "opt/x/lib64/pkgconfig/retriage.pc").read_text(encoding="utf-8")
        self.assertIn("prefix=/opt/x\nlibdir=${prefix}/lib64\n", described)
        self.assertNotIn(str(self.folder), described)

    def test_umask(self):
        old = os.umask(0o077)
        self.addCleanup(os.umask, old)
        self.test_prefix()

    def test_completions(self):
        make("install", f"PREFIX={self.folder}")
        script = self.folder / "share/bash-completion/completions/retriage"
        environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        said = run("bash", "-c", 'source "$1" && complete -p retriage', "bash", script,
                   env=environment)
        self.assertIn(" -F _retriage", said)

    def test_never_runs_what_it_built(self):
        """It may be for another machine."""
        said = run("make", "-C", TOP, "-nB", f"BUILD={self.folder}", "V=1", "PREFIX=/usr", "install",
                   env={name: value for name, value in os.environ.items() if name != "MAKEFLAGS"})
        self.assertRegex(said, rf"(?m) -o {self.folder}/retriage ")
        self.assertNotRegex(said, rf"(?m)(^|[;&|(])\s*{self.folder}/retriage ")

    @unittest.skipIf(SANITIZE, "a sanitizer has checks of its own")
    @unittest.skipUnless(platform.machine() == "x86_64", "flags differ elsewhere")
    def test_hardening(self):
        """What is installed is as hard to take over as compiler and linker can make it."""
        make("install", f"PREFIX={self.folder}")
        program = self.folder / "bin/retriage"
        for path in [program, self.folder / f"lib/libretriage.so.{VERSION}"]:
            with self.subTest(path.name):
                said = run("readelf", "-lWd", "--dyn-syms", path)
                for wanted in (r"Elf file type is DYN", r"\bGNU_RELRO\b", r"\(FLAGS\) .*BIND_NOW",
                               r"\bGNU_STACK +(0x0+ ){2}0x0+ 0x0+ 0x0+ RW ",
                               r" __stack_chk_fail@", r" __(mem|v?sn?printf)\w*_chk@"):
                    self.assertRegex(said, wanted)
                if path == program:
                    self.assertRegex(said, r"\(FLAGS_1\) .*\bPIE\b")
                self.assertNotRegex(said, r"\bRWE\b|\(TEXTREL\)|\((RUNPATH|RPATH)\)")
        # The C library's own objects know no CET here, and no program has it then; ours are ready.
        members = run("readelf", "-nW", self.folder / "lib/libretriage.a").split("File: ")[1:]
        self.assertGreater(len(members), 50)
        self.assertEqual([each.split("\n")[0] for each in members
                          if "x86 feature: IBT, SHSTK" not in each], [])

    @unittest.skipIf(SANITIZE, "a sanitizer has symbols of its own")
    def test_symbols(self):
        """The calls of the library are those of its header, and those its package promises."""
        promised = re.findall(r"(?m)^ (\w+)@Base \d",
                              (TOP / ".debian" / "libretriage0.symbols").read_text(encoding="utf-8"))
        declared = re.findall(r"(?ms)^RT_API [^;(]*?\b(rt_\w+)\(", (TOP / "include" / "retriage.h")
                              .read_text(encoding="utf-8"))
        said = run("nm", "-D", "--defined-only", BUILD / f"libretriage.so.{VERSION}")
        names = sorted(line.split()[-1] for line in said.splitlines())
        own = [name for name in names if not name.startswith(("__", "lprof"))]  # nor a profile's
        self.assertEqual(own, promised)
        self.assertEqual(sorted(declared), promised)
        self.assertIn("(SONAME)             Library soname: [libretriage.so.0]",
                      run("readelf", "-d", BUILD / f"libretriage.so.{VERSION}"))

    def test_header(self):
        """retriage.h needs no other header before it, in C11 and in C++17."""
        for language, standard in (("c", "c11"), ("c++", "c++17")):
            with self.subTest(standard):
                compiler = "c++" if language == "c++" else COMPILER[0]
                if not shutil.which(compiler):
                    self.skipTest(f"there is no {compiler}")
                source = self.folder / "alone"
                source.write_text("#include <retriage.h>\n", encoding="utf-8")
                run(compiler, f"-std={standard}", "-pedantic", "-Wall",
                    "-Wextra", "-Werror", f"-I{TOP / 'include'}", "-fsyntax-only", "-x", language, source)

    def test_program(self):
        for tool in (COMPILER[0], "pkg-config"):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not installed")
        library = self.folder / "lib" / "of-a-machine"
        make("install", f"PREFIX={self.folder}", f"LIBDIR={library}")
        environment = dict(os.environ, PKG_CONFIG_PATH=str(library / "pkgconfig"),
                           LD_LIBRARY_PATH=str(library))
        source = self.folder / "ten.c"
        source.write_text(PROGRAM, encoding="utf-8")

        def flags(*asked):
            return run("pkg-config", *asked, "retriage", env=environment).split()

        self.assertEqual(flags("--libs"), [f"-L{library}", "-lretriage"])
        self.assertEqual(flags("--modversion"), [VERSION])
        # README's lines, as they are pasted.
        lines = re.findall(r"(?m)^cc count\.c (\$.*) -o count\b",
                           (TOP / "README.md").read_text(encoding="utf-8"))
        for title, line in zip(("shared", "static"), lines, strict=True):
            options = run("sh", "-c", f"echo {line}", env=environment).split()
            with self.subTest(title):
                program = self.folder / title
                run(*COMPILER, "-Wall", "-Werror", "-o", program, source, *options)
                self.assertEqual(run(program, env=environment),
                                 f"{VERSION} bulk-update-request 128\n")
                needed = run("readelf", "-d", program)
                self.assertEqual("libretriage.so.0" in needed, title == "shared")


@unittest.skipIf(SANITIZE, "they are linked then")
class Late(unittest.TestCase):
    """Libraries that are loaded when they are needed, and are not there, or are too old."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        said = (BUILD / "gen" / "late.h").read_text(encoding="utf-8")
        self.known = {library.lower(): dict(re.findall(rf'{library}_(FILE|PACKAGE|VERSION) "(.+)"', said))
                      for library in re.findall(r"RT_LATE_(\w+)_FILE", said)}
        sample = TOP / "fixtures" / "good-sample.json"
        with zipfile.ZipFile(self.folder / "scan.zip", "w") as file:
            file.write(sample, "scan.json")
        (self.folder / "scan.json.bz2").write_bytes(bz2.compress(sample.read_bytes()))
        self.uses = {"libzip": ["summary", "scan.zip"], "libarchive": ["summary", "scan.json.bz2"]}
        if "libmicrohttpd" in self.known:
            self.uses["libmicrohttpd"] = ["serve", "--journal", "j", "--listen", "127.0.0.1:0", sample]
        self.assertEqual(sorted(self.uses), sorted(self.known))

    def ask(self, library, *arguments):
        """The program where it finds, instead of a library, what self.folder has of that name."""
        return subprocess.run([BUILD / "retriage", *map(str, arguments)], stdin=subprocess.DEVNULL,
                              cwd=self.folder, capture_output=True, text=True, check=False, timeout=60,
                              env=dict(os.environ, LD_LIBRARY_PATH=str(self.folder / library),
                                       RETRIAGE_API_KEY="k" * 32))

    def test_names(self):
        """Those of the linker, of which the sources know none."""
        for library, said in self.known.items():
            self.assertIn(f"[{said['FILE']}]", run("readelf", "-d", BUILD / "late" / f"{library}.so"))
        sources = [path for folder in ("src", "tests", ".debian", ".ci")
                   for path in (TOP / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        self.assertGreater(len(sources), 300)
        for path in sources:
            self.assertNotRegex(path.read_bytes(), rb"lib(archive|zip|microhttpd)\.so\.\d", path)

    def test_missing(self):
        for library, said in self.known.items():
            with self.subTest(library):
                (self.folder / library).mkdir()
                (self.folder / library / said["FILE"]).touch()
                done = self.ask(library, *self.uses[library])
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertRegex(done.stderr, rf"cannot load a library \(.*{re.escape(said['FILE'])}: .*\): "
                                 rf"install the package {re.escape(said['PACKAGE'])}\n$")
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(f"{library} not found (package {said['PACKAGE']})",
                              self.ask(library, "--version").stdout)
                for other in ("libzip", "libarchive"):
                    if other != library:
                        self.assertEqual(self.ask(library, *self.uses[other]).returncode, 0)

    def test_too_old(self):
        """It is there, and has nothing of what is called."""
        for library, said in self.known.items():
            with self.subTest(library):
                (self.folder / library).mkdir()
                run(*COMPILER, "-shared", "-x", "c", "-o", self.folder / library / said["FILE"],
                    "/dev/null")
                done = self.ask(library, *self.uses[library])
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertRegex(done.stderr, rf"{re.escape(said['FILE'])} has no \w+: install the package "
                                 rf"{re.escape(said['PACKAGE'])} of version {re.escape(said['VERSION'])} or later\n$")


if __name__ == "__main__":
    unittest.main()
