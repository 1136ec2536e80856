"""Make an archive with exports and foreign members: make.py FILE"""
import io
import sys
import tarfile

MEMBERS = [
    ("README.txt", b"read me\n", 0o640),
    ("z/first.json", b'[\n {"id": "i1", "severity": "low"},\n {"id": "i2", "severity": "low"},\n'
     b' {"id": "i3", "severity": "low", "x": 9.80}\n]\n', 0o600),
    ("blob.bin", bytes(range(256)) * 40, 0o755),
    ("a/second.yaml", b"- id: j1\n  severity: low\n- id: j2  # two\n  severity: low\n", 0o644),
    ("empty.txt", b"", 0o444),
]

with tarfile.open(sys.argv[1], "w", format=tarfile.PAX_FORMAT) as archive:
    for number, (name, data, mode) in enumerate(MEMBERS):
        if name == "blob.bin":
            folder = tarfile.TarInfo("folder")
            folder.type, folder.mode, folder.mtime = tarfile.DIRTYPE, 0o700, 1500000000
            archive.addfile(folder)
            link = tarfile.TarInfo("folder/link.json")
            link.type, link.linkname, link.mtime = tarfile.SYMTYPE, "../z/first.json", 1500000001
            archive.addfile(link)
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = len(data), mode, 1600000000.25 + number
        info.uid, info.gid, info.uname, info.gname = 1000 + number, 100, "jane", "staff"
        archive.addfile(info, io.BytesIO(data))
