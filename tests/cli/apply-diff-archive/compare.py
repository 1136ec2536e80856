"""Show what differs between two archives, member by member: compare.py ONE TWO"""
import difflib
import io
import subprocess
import sys
import tarfile


def read(path):
    """Members in order, with everything that describes them but the size."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as archive:
        return [((info.name, info.type, info.mode, info.mtime, info.uid, info.gid, info.uname,
                  info.gname, info.linkname), archive.extractfile(info).read() if info.isfile()
                 else b"") for info in archive]


one, two = map(read, sys.argv[1:])
print("members", "same" if [head for head, _ in one] == [head for head, _ in two] else (one, two))
for (head, before), (_, after) in zip(one, two):
    if before == after:
        print(f"same {head[0]}")
        continue
    print(f"changed {head[0]}")
    lines = difflib.unified_diff(before.decode().splitlines(), after.decode().splitlines(), n=0,
                                 lineterm="")
    print("\n".join(list(lines)[2:]))
