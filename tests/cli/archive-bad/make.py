"""Make damaged and tricky archives under bad/, each from good ones and one change."""
import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib

RECORDS = b"[" + b",\n".join(b'{"id":"a%d","severity":"low","title":"%s"}' % (i, b"x" * 40)
                             for i in range(400)) + b"]\n"
OTHER = RECORDS.replace(b'"a', b'"b')
TIME = (2025, 1, 1, 0, 0, 0)


def tar(*members):
    """A tar of (name, bytes) or ready TarInfo objects."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    """A zip of (name, bytes)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name, TIME), data, method)
    return out.getvalue()


def told(name, local=b"", central=b"", attributes=0o100644 << 16, data=None):
    """A zip of one member with extra fields in its local header and in the directory."""
    data = RECORDS if data is None else data
    head = struct.pack("<HHHIIIIHH", 20, 0, 0, 0x5a215a21, zlib.crc32(data), len(data), len(data),
                       len(name), len(local))
    out = b"PK\3\4" + head + name + local + data
    directory = (b"PK\1\2\x14\3" + head[:-2] + struct.pack("<HHHHII", len(central), 0, 0, 0,
                                                          attributes, 0) + name + central)
    return out + directory + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(directory),
                                         len(out), 0)


def field(number, data):
    return struct.pack("<HH", number, len(data)) + data


def name_field(name, other):
    return field(0x7075, struct.pack("<BI", 1, zlib.crc32(name)) + other)


def type_field(mode):
    return field(0x6c78, struct.pack("<BHI", 5, 3 << 8, mode << 16))


def nested():
    """A stored member whose data are the member after it, and the directory has both."""
    inner = told(b"b.json")
    inner = inner[:inner.index(b"PK\1\2")]
    archive = told(b"o.txt", data=b"before" + inner + b"behind")
    central = told(b"b.json")
    central = bytearray(central[central.index(b"PK\1\2"):central.rindex(b"PK\5\6")])
    central[42:46] = struct.pack("<I", archive.index(inner))
    end = bytearray(archive[-22:])
    end[8:12] = struct.pack("<HH", 2, 2)
    end[12:16] = struct.pack("<I", struct.unpack("<I", end[12:16])[0] + len(central))
    return archive[:-22] + central + end


def hidden():
    """A member that the directory does not have lies in front of it."""
    archive = told(b"a.json")
    at = archive.index(b"PK\1\2")
    other = told(b"b.json")
    other = other[:other.index(b"PK\1\2")]
    return archive[:at] + other + archive[at:-6] + struct.pack("<IH", at + len(other), 0)


def packed(data):
    """gzip without a time in its header."""
    return gzip.compress(data, mtime=0)


def flip(data, at):
    """One bit of a byte is changed."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def link(name, kind):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = "a.json"
    return info


def sparse():
    """A tar of GNU's old sparse form: the document stands behind a hole of 4096 bytes."""
    info = tarfile.TarInfo("a.json")
    info.size = len(RECORDS)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[386:410] = b"%011o\0%011o\0" % (4096, len(RECORDS))
    header[483:495] = b"%011o\0" % (4096 + len(RECORDS))
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + RECORDS + bytes(-len(RECORDS) % 512 + 1024)


TAR = tar(("a.json", RECORDS), ("b.json", OTHER))
ZIP = zipped(("a.json", RECORDS), ("b.json", OTHER))
STORED = zipped(("a.json", RECORDS), method=zipfile.ZIP_STORED)
SECOND = 512 + (len(RECORDS) + 511) // 512 * 512  # where the second member's header starts
DIRECTORY = ZIP.index(b"PK\x01\x02")

FILES = {
    "tar-cut-member.tar": TAR[:SECOND + 700],
    "tar-cut-border.tar": TAR[:SECOND],
    "tar-cut-header.tar": TAR[:SECOND + 100],
    "tar-no-end.tar": TAR[:SECOND + SECOND],
    "tar-one-zero-block.tar": TAR[:SECOND + SECOND + 512],
    "tar-zeroed-middle.tar": TAR[:SECOND] + b"\0" * 1024 + TAR[SECOND + 1024:],
    "tar-zeros.tar": b"\0" * 10240,
    "tar-behind.tar": TAR + b"x" * 512,
    "tar-checksum.tar": flip(TAR, SECOND + 20),
    "tar-links.tar": tar((link("l.json", tarfile.SYMTYPE), b""), (link("d.json", tarfile.DIRTYPE), b"")),
    "tar-nothing.tar": tar(("a.txt", b"[]")),
    "tar-empty-member.tar": tar(("a.json", b"")),
    "tar-bad-member.tar": tar(("x/../\x1b[31mb.json", b'[{"id":1,"severity":"low"}]')),
    "tar-above.tar": tar(("../../etc/x.json", b'[{"id":"a"}]')),
    "tar-duplicate.tar": tar(("a.json", RECORDS), ("b.json", RECORDS)),
    "tar-sparse.tar": sparse(),
    "tar-in-tar.tar": tar(("inner.tar", TAR)),
    "tar-twice.tar.gz": packed(packed(TAR)),
    "gz-cut.json.gz": packed(RECORDS)[:-20],
    "gz-cut-trailer.json.gz": packed(RECORDS)[:-3],
    "gz-crc.json.gz": flip(packed(RECORDS), -8),
    "gz-length.json.gz": flip(packed(RECORDS), -4),
    "gz-flipped.json.gz": flip(packed(RECORDS), 100),
    "gz-behind.json.gz": packed(RECORDS) + b"junk",
    "gz-header-only.json.gz": packed(RECORDS)[:10],
    "gz-crc.tar.gz": flip(packed(TAR), -8),
    "xz-cut.json.xz": lzma.compress(RECORDS)[:-8],
    "xz-flipped.json.xz": flip(lzma.compress(RECORDS), 60),
    "bz2-cut.json.bz2": bz2.compress(RECORDS)[:-4],
    "bz2-flipped.json.bz2": flip(bz2.compress(RECORDS), -3),
    "zip-crc.zip": flip(STORED, 100),
    "zip-crc-recorded.zip": flip(ZIP, 14),
    "zip-flipped.zip": flip(ZIP, 80),
    "zip-cut.zip": ZIP[:-30],
    "zip-no-directory.zip": ZIP[:DIRECTORY],
    "zip-names-differ.zip": ZIP.replace(b"a.json", b"x.json", 1),
    "zip-size.zip": ZIP[:DIRECTORY + 24] + struct.pack("<I", 7) + ZIP[DIRECTORY + 28:],
    "zip-nothing.zip": zipped(("a.txt", b"[]")),
    "zip-type-local.zip": told(b"b.json", local=type_field(0o040755)),
    "zip-type-link.zip": told(b"b.json", local=type_field(0o120777)),
    "zip-type-directory.zip": told(b"b.json", central=type_field(0o040755)),
    "zip-type-attributes.zip": told(b"b.json", attributes=0o040755 << 16),
    "zip-type-device.zip": told(b"b.json", attributes=0o060644 << 16),
    "zip-name-local.zip": told(b"b.json", local=name_field(b"b.json", b"b.txt")),
    "zip-name-directory.zip": told(b"b.json", central=name_field(b"b.json", b"b\x1b[31m.txt")),
    "zip-name-promoted.zip": told(b"readme.txt", local=name_field(b"readme.txt", b"b.json")),
    "zip-name-no-crc.zip": told(b"b.json", local=name_field(b"other", b"b.txt")),
    "zip-extra-cut.zip": told(b"b.json", local=b"up\x20\0\1"),
    "zip-size-extra.zip": told(b"b.json", local=field(1, struct.pack("<QQ", 5, 5))),
    "zip-folder-data.zip": told(b"b.json/"),
    "zip-overlap.zip": nested(),
    "zip-hidden.zip": hidden(),
    "zip-duplicate.zip": zipped(("a.json", RECORDS), ("b.json", RECORDS)),
}

os.mkdir("bad")
for file_name, content in FILES.items():
    with open(os.path.join("bad", file_name), "wb") as file:
        file.write(content)
