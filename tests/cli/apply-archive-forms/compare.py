"""Say which members of two archives differ, and in what: compare.py ONE TWO"""
import gzip
import io
import sys
import tarfile
import zipfile

IN_TAR = ("name", "type", "mode", "mtime", "uid", "gid", "uname", "gname", "linkname", "devmajor",
          "devminor")
IN_ZIP = ("filename", "date_time", "compress_type", "comment", "extra", "create_system",
          "external_attr", "flag_bits")


def read_tar(path):
    with tarfile.open(path, encoding="utf-8", errors="surrogateescape") as archive:
        return [({key: getattr(info, key) for key in IN_TAR},
                 archive.extractfile(info).read() if info.isfile() else b"") for info in archive]


def read_zip(path):
    with open(path, "rb") as file:
        data = file.read()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [({key: getattr(info, key) for key in IN_ZIP}, archive.read(info))
                   for info in archive.infolist()]
        return members + [({"filename": "its comment"}, archive.comment)]


read = read_zip if ".zip" in sys.argv[1] else read_tar
one, two = map(read, sys.argv[1:])
print(f"{sys.argv[1]}: {len(one)} and {len(two)} members")
for (old, before), (new, after) in zip(one, two):
    name = ascii(old.get("name") or old["filename"])[-30:]
    for key, value in old.items():
        if new.get(key) != value:
            print(f"  {name} {key}: {ascii(value)} is {ascii(new.get(key))}")
    if before != after:
        print(f"  {name}: {ascii(after[:120])}")
