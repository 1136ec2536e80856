"""A 7z and a cpio, plain and compressed; some cut where only who reads them whole would notice."""
import bz2
import gzip
import lzma
import os
import struct
import zlib

EXPORT = b'[{"id":"i1","severity":"low"}]\n'


def cpio():
    """The "newc" form."""
    out = b""
    for name, data in (("e.json", EXPORT), ("TRAILER!!!", b"")):
        numbers = (1, 0o100644 if data else 0, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % number for number in numbers)
        head += name.encode() + b"\0"
        out += head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)
    return out


def sevenzip():
    """One member, stored."""
    names = "e.json\0".encode("utf-16-le")
    header = bytes((1, 4, 6, 0, 1, 9, len(EXPORT), 0, 7, 11, 1, 0, 1, 1, 0, 12, len(EXPORT)))
    header += bytes((10, 1)) + struct.pack("<I", zlib.crc32(EXPORT))
    header += bytes((0, 8, 0, 0, 5, 1, 17, len(names) + 1, 0)) + names + bytes((0, 0))
    start = struct.pack("<QQI", len(EXPORT), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + EXPORT + header


def number(value):
    """A number of three bytes."""
    return bytes((0xC0 | value >> 16,)) + struct.pack("<H", value & 0xFFFF)


def two_members():
    """A 7z of one block, of which the larger part is no export."""
    other = b"x" * 100000
    data = other + EXPORT
    names = "a.txt\0e.json\0".encode("utf-16-le")
    header = bytes((1, 4, 6, 0, 1, 9)) + number(len(data)) + bytes((0, 7, 11, 1, 0, 1, 1, 0, 12))
    header += number(len(data)) + bytes((0, 8, 13, 2, 9)) + number(len(other)) + bytes((10, 1))
    header += struct.pack("<II", zlib.crc32(other), zlib.crc32(EXPORT)) + bytes((0, 0))
    header += bytes((5, 2, 17, len(names) + 1, 0)) + names + bytes((0, 0))
    start = struct.pack("<QQI", len(data), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + data + header


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


write("x.7z", sevenzip())
write("x.cpio", cpio())
write("x.7z.xz", lzma.compress(sevenzip()))
write("x.cpio.gz", gzip.compress(cpio(), mtime=0))
write("x.cpio.bz2", bz2.compress(cpio()))
write("two.7z", two_members())
write("cut.7z", sevenzip()[:-9])
write("cut.cpio", cpio()[:150])
# What compresses badly, so that there is something to cut.
noise = b"".join(struct.pack("<I", zlib.crc32(b"%d" % i)) for i in range(20000))
write("cut.7z.gz", gzip.compress(sevenzip() + noise, mtime=0)[:60000])
os.mkdir("d")
write("d/a.json", EXPORT)
write("d/x.json", cpio().replace(b'"i1"', b'"i2"'))
