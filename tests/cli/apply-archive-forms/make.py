"""Make archives with everything that they can hold."""
import gzip
import io
import tarfile
import zipfile

ONE = b'[{"id": "i1", "severity": "low"}, {"id": "x", "severity": "low"}]\n'
TWO = b"- id: i2\n  severity: low\n"
LONG = "/".join(["folder" * 10] * 4)


def add(archive, name, data=b"", number=0, **members):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), 0o640, 1500000000 + number
    info.uid, info.gid, info.uname, info.gname = 1000, 100, "jane", "staff"
    for key, value in members.items():
        setattr(info, key, value)
    archive.addfile(info, io.BytesIO(data))


def make_tar(name, form):
    is_new = form != tarfile.USTAR_FORMAT
    with tarfile.open(name, "w", format=form, encoding="utf-8", errors="surrogateescape") as archive:
        add(archive, "dir", type=tarfile.DIRTYPE, mode=0o1755)
        add(archive, "dir/z.json", ONE, 1, mode=0o4755)
        add(archive, "hard", type=tarfile.LNKTYPE, linkname="dir/z.json")
        add(archive, "soft", type=tarfile.SYMTYPE, linkname="../nowhere")
        add(archive, "pipe", type=tarfile.FIFOTYPE)
        add(archive, "dev", type=tarfile.CHRTYPE, devmajor=1, devminor=3)
        add(archive, "block", type=tarfile.BLKTYPE, devmajor=8, devminor=1)
        add(archive, "caf\u00e9.txt", bytes(range(256)) * 50, 2)
        if is_new:
            add(archive, LONG + "/a.yaml", TWO, 3)
            add(archive, "latin-\udce9.txt", b"latin", 4)
            add(archive, "big", uid=5000000, gid=5000000, mtime=9000000000)
            add(archive, "soft2", type=tarfile.SYMTYPE, linkname=LONG)
        else:
            add(archive, "a.yaml", TWO, 3)
        add(archive, "empty")
        add(archive, "packed.json.gz", gzip.compress(b'[{"id":"p","severity":"low"}]', mtime=0), 5)


def make_zip(name):
    with zipfile.ZipFile(name, "w", allowZip64=True) as archive:
        archive.comment = b"of all"

        def put(path, data, method, attributes=0o100640 << 16, date=(2001, 2, 3, 4, 5, 6), **more):
            info = zipfile.ZipInfo(path, date)
            info.compress_type, info.external_attr = method, attributes
            for key, value in more.items():
                setattr(info, key, value)
            archive.writestr(info, data)

        put("dir/", b"", zipfile.ZIP_STORED, 0o40755 << 16 | 0x10)
        put("dir/z.json", ONE, zipfile.ZIP_DEFLATED, comment=b"first",
            extra=b"UT\5\0\1\1\2\3\4")
        put("a.yaml", TWO, zipfile.ZIP_STORED, 0o100755 << 16)
        put("readme.txt", b"read me " * 1000, zipfile.ZIP_DEFLATED, extra=b"\1\x80\2\0ab")
        put("caf\u00e9.txt", b"x" * 5000, zipfile.ZIP_BZIP2)
        put("link", b"readme.txt", zipfile.ZIP_STORED, 0o120777 << 16)
        put("lzma.bin", b"y" * 5000, zipfile.ZIP_LZMA)
        put("old.txt", b"", zipfile.ZIP_STORED, date=(1980, 1, 1, 0, 0, 0), create_system=0)
    with open(name, "r+b") as file:
        # No time at all, as some writers leave it.
        data = bytearray(file.read())
        for header, at in ((data.rindex(b"old.txt") - 46, 12), (data.index(b"old.txt") - 30, 10)):
            data[header + at:header + at + 4] = bytes(4)
        file.seek(0)
        file.write(data)


def make_raw(name, kind):
    """A tar with a member that Python does not write."""
    with tarfile.open(name, "w", format=tarfile.GNU_FORMAT) as archive:
        add(archive, "a.json", ONE)
        if kind == "link":
            info = tarfile.TarInfo("hard")
            info.type, info.linkname = tarfile.LNKTYPE, "a.json"
            info.pax_headers = {"comment": "x"}
            whole = info.tobuf(tarfile.PAX_FORMAT)
            archive.fileobj.write(whole[:-512])
            archive.offset += len(whole) - 512
            header = bytearray(whole[-512:])
            header[124:136] = b"00000000004\0"
            data = b"data".ljust(512, b"\0")
        else:
            info = tarfile.TarInfo("sparse.bin")
            info.size = 4
            header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
            header[156:157] = b"S"
            header[386:410] = b"00000001000\000" + b"00000000004\0"
            header[483:495] = b"00000010000\0"
            data = b"data".ljust(512, b"\0")
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        archive.fileobj.write(bytes(header) + data)
        archive.offset += 1024


for name, form in (("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT),
                   ("pax", tarfile.PAX_FORMAT)):
    make_tar(name + ".tar", form)
make_zip("full.zip")
make_raw("sparse.tar", "sparse")
make_raw("link-data.tar", "link")
