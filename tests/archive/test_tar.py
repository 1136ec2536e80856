"""Tars that programs read differently: headers for all members that give them names or sizes.

GNU tar and Python name the members that follow by such a header, libarchive passes over it.
Environment: RETRIAGE or BUILD.
"""
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")


class TarTest(unittest.TestCase):
    def read(self, headers, before=0, packed=False):
        """What a summary makes of a tar with such a header behind some bytes of a member."""
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, data in (("a.txt", b"x" * before), ("b.txt", b'{"id":"b","severity":"high"}'),
                               ("c.json", b"[]")):
                if name == "b.txt":
                    made.write(tarfile.TarInfo.create_pax_global_header(headers))
                    tar.offset = made.tell()
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        data = made.getvalue()
        with tempfile.TemporaryDirectory(prefix="rt-tar-") as folder:
            path = pathlib.Path(folder) / "s.tar"
            path.write_bytes(data)
            if packed:
                subprocess.run(["gzip", path], check=True)
                path = path.with_suffix(".tar.gz")
            done = subprocess.run([RETRIAGE, "summary", path], capture_output=True,
                                  timeout=60, check=False)
        return done.returncode, done.stderr.decode()

    def test_names_and_sizes(self):
        for headers in ({"path": "b.json"}, {"comment": "x" * 700, "path": "b.json"},
                        {"linkpath": "x"}, {"size": "3"}):
            for before in (0, 3, 256 * 1024 - 1536, 256 * 1024 - 1024, 300000):
                for packed in (False, True):
                    status, err = self.read(headers, before, packed)
                    self.assertEqual(status, 2, (headers, before))
                    self.assertIn("which programs read differently", err)

    def test_others(self):
        for headers in ({"comment": "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}, {"mtime": "1"},
                        {"comment": "xpath=y"}):
            self.assertEqual(self.read(headers)[0], 0)
        status, err = self.read({"comment": "x" * 5000})
        self.assertEqual(status, 2)
        self.assertIn("more than 4096 bytes", err)


if __name__ == "__main__":
    unittest.main()
