"""Make damaged and tricky archives under bad/, each from good ones and one change."""
import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile

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
    "zip-duplicate.zip": zipped(("a.json", RECORDS), ("b.json", RECORDS)),
}

os.mkdir("bad")
for file_name, content in FILES.items():
    with open(os.path.join("bad", file_name), "wb") as file:
        file.write(content)
