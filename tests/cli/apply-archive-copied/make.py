"""Archives with a member that is only copied, and a sum of it that is wrong; packed members; cpios."""
import zipfile

TIME = (2025, 1, 1, 0, 0, 0)
EXPORT = b'[{"id":"i1","severity":"low"}]\n'


def zipped(path, text_method, export_method):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("readme.txt", TIME), b"some text " * 9, text_method)
        archive.writestr(zipfile.ZipInfo("e.json", TIME), EXPORT, export_method)


def damaged(path, text_method):
    """The CRC of readme.txt is wrong in both headers."""
    zipped(path, text_method, zipfile.ZIP_DEFLATED)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[14] ^= 1
    data[data.index(b"PK\1\2") + 16] ^= 1
    with open(path, "wb") as file:
        file.write(data)


def cpio(path, magic, mode):
    """One of the newer forms, with a mode for e.json."""
    with open(path, "wb") as file:
        for name, data in (("readme.txt", b"text"), ("e.json", EXPORT), ("TRAILER!!!", b"")):
            numbers = (1, mode if data else 0, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1,
                       sum(data) if magic == b"070702" else 0)
            head = magic + b"".join(b"%08X" % number for number in numbers)
            head += name.encode() + b"\0"
            file.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))


damaged("stored.zip", zipfile.ZIP_STORED)
damaged("deflated.zip", zipfile.ZIP_DEFLATED)
zipped("bzip2.zip", zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
zipped("lzma.zip", zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)
zipped("copied.zip", zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED)
cpio("sum.cpio", b"070702", 0o100644)
cpio("no-type.cpio", b"070701", 0o644)
