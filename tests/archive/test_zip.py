"""Random zips: what is read is what everybody would read, or the zip is refused by member.

Members get extra fields (0x0001, 0x5455, 0x5855, 0x6c78, 0x7075, 0x756e, 0x7855, 0x7875, 0x9901,
unknown and cut ones) in local header and directory, right and wrong ones, with right and wrong
CRC; headers that differ, descriptors, 64-bit records, neighbours that overlap or stand in another order
than in the directory, members that the directory does not have. Each is held against Python's zipfile and against a plain reading of the
directory. Where nothing was made wrong, it must be read; no candidate is ever left out in silence.

Environment: RETRIAGE or BUILD; ZIP_SEED (default 1), ZIP_ROUNDS, ZIP_FIRST (the round to start
with). A failure prints how to run its round again, and keeps its file.
SANITIZE as for make.
"""
import io
import json
import os
import pathlib
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
SEED = os.environ.get("ZIP_SEED", "1")
# Under sanitizers some have to do, for all of them run without.
ROUNDS = int(os.environ.get("ZIP_ROUNDS", "60" if os.environ.get("SANITIZE") else "400"))
FIRST = int(os.environ.get("ZIP_FIRST", "0"))
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

CANDIDATE = re.compile(rb"\.(json|ndjson|jsonl|yaml|yml)$")
ENCRYPTED, AFTER, UTF8 = 1, 8, 0x800
ONES = 0xffffffff
FILE, FOLDER, LINK = 0o100644, 0o040755, 0o120777
UNIX, DOS = 3, 0


def document(number):
    """An issue that tells by its category which member was read; good as YAML too."""
    return b'[{"id":"m%d","severity":"low","category":"m%d"}]' % (number, number)


class Member:
    """A member with what each of its headers says; right until somebody makes it wrong."""

    def __init__(self, name, number, data=None):
        self.name = self.local_name = name
        self.number = number
        self.data = document(number) if data is None else data
        self.method = self.local_method = 0
        self.flags = UTF8 if any(byte > 127 for byte in name) else 0
        self.system = UNIX
        self.attributes = (FOLDER if name.endswith(b"/") else FILE) << 16
        self.local_extra = self.central_extra = b""
        self.long_local = self.long_central = False
        self.local_change = {}
        self.size_change = 0
        self.descriptor = "<4sIII"
        self.descriptor_change = 0
        self.gap = b""
        self.offset = None

    def pack(self):
        self.crc = zlib.crc32(self.data)
        self.packed = self.data
        if self.method == 8:
            deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
            self.packed = deflate.compress(self.data) + deflate.flush()

    def local(self):
        """The local header, the data and the descriptor."""
        self.pack()
        after = self.flags & AFTER
        values = {"crc": 0 if after else self.crc, "packed": 0 if after else len(self.packed),
                  "size": 0 if after else len(self.data)}
        values.update(self.local_change)
        extra = self.local_extra
        if self.long_local:
            extra = field(1, struct.pack("<QQ", values["size"], values["packed"])) + extra
            values["size"] = values["packed"] = ONES
        out = struct.pack("<4sHHHIIIIHH", b"PK\3\4", 20, self.flags | values.get("flags", 0),
                          self.local_method or self.method, 0x5a215a21, values["crc"],
                          values["packed"], values["size"], len(self.local_name), len(extra))
        out += self.local_name + extra + self.packed
        if after:
            form = self.descriptor
            numbers = [self.crc, len(self.packed), len(self.data) + self.descriptor_change]
            if form[1:3] == "4s":
                numbers.insert(0, b"PK\7\10")
            out += struct.pack(form, *numbers)
        return out

    def central(self):
        """The entry in the directory."""
        size, packed, offset, extra = len(self.data), len(self.packed), self.offset, self.central_extra
        size += self.size_change
        if self.long_central:
            extra = field(1, struct.pack("<QQQ", size, packed, offset)) + extra
            size = packed = offset = ONES
        return struct.pack("<4sHHHHIIIIHHHHHII", b"PK\1\2", self.system << 8 | 20, 20, self.flags,
                           self.method, 0x5a215a21, self.crc, packed, size, len(self.name),
                           len(extra), 0, 0, 0, self.attributes, offset) + self.name + extra


def field(number, data):
    return struct.pack("<HH", number, len(data)) + data


def attributes_field(bitmap, system, attributes):
    """What libarchive's 0x6c78 says."""
    data = bytes([bitmap])
    data += b"\0" if bitmap & 0x80 else b""
    data += struct.pack("<H", system << 8 | 20) if bitmap & 1 else b""
    data += b"\0\0" if bitmap & 2 else b""
    data += struct.pack("<I", attributes) if bitmap & 4 else b""
    return field(0x6c78, data + (b"\0\0" if bitmap & 8 else b""))


def name_field(about, name, right_crc=True):
    return field(0x7075, struct.pack("<BI", 1, zlib.crc32(about) ^ (not right_crc)) + name)


def right_field(member, rng):
    """An extra field that changes nothing for anybody."""
    return rng.choice([
        lambda: field(0x5455, b"\1" + struct.pack("<I", 1700000000)),
        lambda: field(0x5855, struct.pack("<IIHH", 1, 2, 3, 4)),
        lambda: field(0x7855, struct.pack("<HH", 1000, 1000)),
        lambda: field(0x7875, struct.pack("<BBIBI", 1, 4, 1000, 4, 1000)),
        lambda: field(0x9901, struct.pack("<H2sBH", 2, b"AE", 3, member.method)),
        lambda: field(rng.randrange(0x8000, 0x9000), rng.randbytes(rng.randrange(12))),
        lambda: field(0xa220, b"\0" * rng.randrange(8)),
        lambda: name_field(member.name, member.name, rng.random() < 0.7),
    ])()


def wrong_field(member, rng):
    """An extra field that some reader could obey; 0x6c78 and 0x756e are refused whatever they say."""
    other = rng.choice([b"b.txt", b"x.json", member.name + b"/", member.name + b"\0.txt", b"",
                        member.name.replace(b"e", b"\xc3\xa9"), member.name[:-1]])
    type_ = rng.choice([FOLDER, LINK, 0o060644])
    if member.attributes >> 16 == type_:
        type_ = FILE
    return rng.choice([
        lambda: name_field(member.name, other, rng.random() < 0.7),
        lambda: name_field(member.name, member.name) + name_field(member.name, other),
        lambda: attributes_field(rng.choice([5, 7, 0x85]), UNIX, type_ << 16),
        lambda: attributes_field(4, 0, type_ << 16 | 0x10),
        lambda: attributes_field(5, DOS, 0x10),
        lambda: attributes_field(1, 7, 0),
        lambda: attributes_field(rng.choice([0, 5, 7, 13]), member.system, member.attributes),
        lambda: field(0x756e, struct.pack("<IHIHH", 0, LINK if type_ != LINK else FOLDER, 0, 0, 0)),
        lambda: field(0x0001, struct.pack("<QQ", len(member.data) + 1, len(member.data) + 9)),
        lambda: field(0x6c78, b"\5\0"),
        lambda: field(0x7075, b"\1"),
        lambda: b"\x75\x70\xff\xff" + rng.randbytes(9),
    ])()


# --- What makes a zip wrong ---------------------------------------------------------------------

def wrong_extra(member, rng):
    if rng.random() < 0.5:
        member.local_extra += wrong_field(member, rng)
    else:
        member.central_extra += wrong_field(member, rng)


def wrong_local_name(member, rng):
    member.local_name = rng.choice([b"x.txt", member.name + b"/", member.name[:-1], b"z.json"])


def wrong_local_number(member, rng):
    member.flags &= ~AFTER
    member.local_change = {rng.choice(["crc", "packed", "size"]): rng.choice([0, 7])}
    if not member.data:
        member.local_change = {"size": 7}


def wrong_local_flags(member, rng):
    member.local_change = {"flags": rng.choice([ENCRYPTED, AFTER])}


def wrong_method(member, _):
    member.local_method = 12


def wrong_type(member, rng):
    """A folder, a device or a link by attributes that not everybody obeys."""
    member.attributes, member.system = rng.choice([
        (FOLDER << 16, UNIX), (0x10, DOS), (0o060644 << 16, UNIX), (LINK << 16, DOS),
        (FOLDER << 16, DOS), (0x10, 10)])
    if member.name.endswith(b"/"):
        member.attributes, member.system = LINK << 16, UNIX


def wrong_folder(member, _):
    member.name = member.local_name = b"folder.json/"
    member.attributes, member.data = FOLDER << 16, b"[]"


def wrong_size(member, rng):
    member.size_change = rng.choice([1, 100])


def wrong_descriptor(member, _):
    member.flags |= AFTER
    member.descriptor_change = 1


def wrong_gap(member, rng):
    """A member that the directory does not have, or other bytes; also before the first member."""
    hidden = Member(b"hidden.json", 99)
    member.gap = rng.choice([hidden.local(), b"between", b"\0" * 4])


WRONG = [wrong_extra] * 12 + [wrong_local_name, wrong_local_number, wrong_local_flags, wrong_method,
                              wrong_type, wrong_type, wrong_folder, wrong_size, wrong_descriptor,
                              wrong_gap]


# --- Zips ---------------------------------------------------------------------------------------

def right_form(member, rng):
    """Another form that says the same."""
    is_file = not member.name.endswith(b"/") and member.attributes >> 16 != LINK
    if is_file and rng.random() < 0.4:
        member.method = 8
    if is_file and rng.random() < 0.3:
        member.flags |= AFTER
        member.descriptor = rng.choice(["<4sIII", "<III", "<4sIQQ", "<IQQ"])
    if is_file and rng.random() < 0.2:
        member.system, member.attributes = rng.choice([(DOS, 0x20), (10, 0), (UNIX, 0o010644 << 16),
                                                       (DOS, FILE << 16), (UNIX, 0o644 << 16)])
    member.long_local = rng.random() < 0.15
    member.long_central = rng.random() < 0.15
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        member.local_extra += right_field(member, rng)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        member.central_extra += right_field(member, rng)


def nest(members, rng):
    """Put one member into the stored data of another."""
    inner = members.pop(rng.randrange(len(members)))
    outer = Member(b"o.txt", 50, b"[1]" + inner.local() + b"behind")
    members.append(outer)
    return inner, outer


def put_zip(members, rng, inner=None, outer=None, twice=False, mixed=False):
    """The bytes of a zip."""
    out = b""
    for member in members:
        out += member.gap if out else b""
        member.offset = len(out)
        out += member.local()
        if member is outer:
            inner.offset = len(out) - len(outer.packed) + 3
    listed = members + ([inner] if inner else []) + ([members[0]] if twice else [])
    if mixed:
        listed.reverse()
    start = len(out)
    out += b"".join(member.central() for member in listed)
    length = len(out) - start
    if rng.random() < 0.1:
        out += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, len(listed), len(listed),
                           length, start)
        out += struct.pack("<4sIQI", b"PK\6\7", 0, start + length, 1)
        if rng.random() < 0.5:
            start = ONES
    return out + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, len(listed), len(listed), length, start, 0)


def make(rng):
    """A zip, and whether everything in it is right."""
    pool = [b"b.json", b"readme.txt", b"sub/c.yaml", "\u00e4.json".encode(), b"d/", b"l.json",
            b"notes.jsonl.bak", b"e.ndjson"]
    members = []
    for number, name in enumerate(rng.sample(pool, rng.randrange(1, 5))):
        member = Member(name, number, b"" if name.endswith(b"/") else None)
        if name == b"l.json":
            member.attributes, member.data = LINK << 16, b"b.json"
        members.append(member)
        right_form(member, rng)
    kind = rng.random()
    if kind < 0.35:
        return put_zip(members, rng), True
    if kind < 0.42 and not members[0].name.endswith(b"/"):
        members.append(Member(b"more.json", 60))
        return put_zip(members, rng, *nest(members, rng)), False
    if kind < 0.45:
        return put_zip(members, rng, twice=True), False
    if kind < 0.48 and len(members) > 1:
        return put_zip(members, rng, mixed=True), False
    for _ in range(rng.choice([1, 1, 2])):
        rng.choice(WRONG)(rng.choice(members), rng)
    return put_zip(members, rng), False


# --- Readers ------------------------------------------------------------------------------------

def read_plainly(data):
    """Names of the files that the directory lists, by its headers alone."""
    end = data.rindex(b"PK\5\6")
    at = data.rindex(b"PK\1\2", 0, end)
    count, _, at = struct.unpack("<HII", data[end + 10:end + 20])
    if at == ONES:
        at = struct.unpack("<Q", data[end - 28:end - 20])[0]
    names = []
    for _ in range(count):
        name_len, extra_len, comment_len = struct.unpack("<HHH", data[at + 28:at + 34])
        name = data[at + 46:at + 46 + name_len]
        system, attributes = data[at + 5], struct.unpack("<I", data[at + 38:at + 42])[0]
        is_link = system == UNIX and stat.S_ISLNK(attributes >> 16)
        if not name.endswith(b"/") and not is_link:
            names.append(name)
        at += 46 + name_len + extra_len + comment_len
    return names


def read_with_python(data):
    """(name, data) of the files that Python reads from a zip; None where it does not like it."""
    files = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            is_link = info.create_system == UNIX and stat.S_ISLNK(info.external_attr >> 16)
            if not info.is_dir() and not is_link:
                name = info.orig_filename.encode("utf-8" if info.flag_bits & UTF8 else "cp437")
                files.append((name, archive.read(info)))
    return files


def summary(path):
    done = subprocess.run([RETRIAGE, "summary", "--recent", "0", path], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


class ZipTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rt-zip-", dir=MEMORY)
        self.path = os.path.join(self.folder, "a.zip")

    def check_read(self, data, answer):
        """What was read is what Python and a plain reader find."""
        files = read_with_python(data)
        self.assertEqual([name for name, _ in files], read_plainly(data))
        want = {}
        for name, text in files:
            if CANDIDATE.search(name):
                category = json.loads(text)[0]["category"]
                want[category] = want.get(category, 0) + 1
        self.assertEqual(json.loads(answer)["issues_by_category"], want)

    def check_round(self, number):
        rng = random.Random(f"{SEED}-{number}")
        data, is_right = make(rng)
        with open(self.path, "wb") as file:
            file.write(data)
        status, answer, message = summary(self.path)
        candidates = any(CANDIDATE.search(name) for name in read_plainly(data))
        if status == 0:
            self.assertTrue(candidates)
            self.check_read(data, answer)
            return True
        self.assertEqual((status, answer), (2, b""), message)
        self.assertEqual(message.count("\n"), 1, message)
        if is_right or "without a" in message:
            self.assertFalse(candidates, message)
            self.assertIn(" without a ", message)
        else:
            self.assertRegex(message, r"^retriage: \S+/a\.zip\[[^\]]+\]: .*(zip|extra fields|sizes)")
        return False

    def test_random(self):
        counts = {True: 0, False: 0}
        for number in range(FIRST, FIRST + ROUNDS):
            try:
                counts[self.check_round(number)] += 1
            except BaseException:
                print(f"ZIP_SEED={SEED} ZIP_FIRST={number} ZIP_ROUNDS=1: {self.path}",
                      file=sys.stderr)
                raise
        shutil.rmtree(self.folder)
        if ROUNDS >= 1000:
            self.assertGreater(min(counts.values()), ROUNDS // 5, counts)


if __name__ == "__main__":
    unittest.main()
