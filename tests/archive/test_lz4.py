"""lz4 files, cut, damaged and lengthened: every byte of one belongs to a frame, or it is refused.

Frames are made here, stored and not compressed, so that the test knows where each ends.
Environment: RETRIAGE or BUILD.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")

# Version 1, independent blocks, no sums; blocks of 64 KiB; the descriptor's own sum.
HEAD = b"\x04\x22\x4d\x18\x60\x40\x82"


def frame(text):
    """A frame of one block that is stored."""
    return HEAD + struct.pack("<I", len(text) | 1 << 31) + text + bytes(4)


def skippable(length, kind=0):
    return struct.pack("<II", 0x184D2A50 | kind, length) + b"x" * length


def legacy(text):
    """A frame of the old form, whose blocks are compressed: one sequence of literals."""
    assert len(text) < 15
    block = bytes([len(text) << 4]) + text
    return struct.pack("<II", 0x184C2102, len(block)) + block


LOW, CRITICAL = b'{"id":"a","severity":"low"}\n', b'{"id":"b","severity":"critical"}\n'


class Lz4Test(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="rt-lz4-")
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(holder.name, "e.jsonl.lz4")

    def gate(self, data):
        """The status of a gate, and what it says."""
        with open(self.path, "wb") as file:
            file.write(data)
        done = subprocess.run([RETRIAGE, "gate", "--fail-on", "high", self.path],
                              capture_output=True, timeout=60, check=False)
        return done.returncode, done.stderr.decode()

    def test_whole(self):
        for data in (frame(LOW) + frame(CRITICAL), frame(LOW) + skippable(40) + frame(CRITICAL),
                     frame(LOW) + skippable(0, 15) + skippable(9, 3) + frame(CRITICAL),
                     skippable(40, 1) + frame(CRITICAL) + skippable(5),
                     frame(CRITICAL[:-1]) + legacy(b"\n") + frame(LOW)):
            with self.subTest(data):
                self.assertEqual(self.gate(data)[0], 1)

    def test_cut(self):
        parts = [frame(LOW), skippable(40), frame(CRITICAL), skippable(3)]
        data, ends = b"".join(parts), {sum(map(len, parts[:i])) for i in range(1, 5)}
        for at in range(len(frame(LOW)) + 1, len(data)):
            status, said = self.gate(data[:at])
            if at not in ends:
                self.assertEqual((at, status), (at, 2), said)
                self.assertRegex(said, "e.jsonl.lz4: ")

    def test_flipped_length(self):
        for bit in range(32):
            data = bytearray(frame(LOW) + skippable(40) + frame(CRITICAL))
            data[len(frame(LOW)) + 4 + bit // 8] ^= 1 << bit % 8
            status, said = self.gate(data)
            self.assertEqual((bit, status), (bit, 2), said)

    def test_behind(self):
        for junk in (b"J", b"JU", b"JUN", b"JUNK", b"JUNKJUNK", bytes(4), HEAD[:4], b"\x50\x2a\x4d"):
            status, said = self.gate(frame(LOW) + junk)
            self.assertEqual((junk, status), (junk, 2), said)


if __name__ == "__main__":
    unittest.main()
