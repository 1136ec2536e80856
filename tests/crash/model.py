"""What a file system may hold after a crash, told from the system calls of a run.

A trace of strace becomes operations on one folder: names made, moved and taken away, bytes written,
sizes cut. What a flush has not covered yet when the crash comes may be there or not, each
operation for itself and in any order; of bytes that were written at once the first may be there.
A flush of a file covers its bytes, a flush of a folder its names: nothing else does, which is less
than most file systems promise. A rename is whole or not there (POSIX rename()).

Not in the model: a file that has its new size and zeros for its new bytes. ext4 (data=ordered), XFS
and Btrfs write the size after the bytes; and a journal that ends in zeros counts as damaged (SPEC
3), so that a person looks at it.
"""
import collections
import hashlib
import itertools
import os
import random
import re

TRACED = ("openat,write,pwrite64,writev,pwritev,copy_file_range,ftruncate,fallocate,renameat,"
          "renameat2,rename,unlink,unlinkat,mkdir,mkdirat,symlinkat,linkat,fsync,fdatasync,syncfs,"
          "sync_file_range,lseek,fcntl,read,recvfrom,sendto,sendmsg")
OPTIONS = ["-y", "-xx", "-s", "1048576", "-e", f"trace={TRACED}"]

LINE = re.compile(r"(\d+) +(?:(\w+)\((.*)|<\.\.\. \w+ resumed>(.*))$")
UNFINISHED = re.compile(r"\s*<unfinished \.\.\.>$")
RESULT = re.compile(r"\)\s+= (-?\d+|0x[0-9a-f]+)(?:<([^>]*)>)?.*$")
PATH = re.compile(r"<((?:\\x[0-9a-f]{2})+)>(\(deleted\))?")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
NUMBER = re.compile(r"-?\d+")

# Subsets of what may be lost are all tried up to so many operations, else a choice of them.
ALL_OF = 6
CHOSEN = 24


def text_of(escaped):
    """The bytes of strace's \\x form."""
    return bytes.fromhex(escaped.replace("\\x", ""))


class Call:
    """A system call: its arguments, and when it began and ended among all lines."""

    def __init__(self, thread, name, arguments, begun):
        self.thread, self.name, self.arguments, self.begun = thread, name, arguments, begun
        self.ended = self.result = self.made = None

    def end(self, rest, ended):
        whole = self.arguments + rest
        found = RESULT.search(whole)
        if not found:
            return False
        self.arguments = whole[:found.start()]
        self.result, self.ended = int(found.group(1), 0), ended
        self.made = found.group(2) and text_of(found.group(2)).decode()
        return True

    def paths(self):
        """Those of its descriptors, each with its number; None for a file without a name."""
        return [(None if gone else text_of(path).decode())
                for path, gone in PATH.findall(self.arguments)]

    def texts(self):
        return [text_of(text) for text in TEXT.findall(self.arguments)]

    def numbers(self):
        """The numbers after the last text or path."""
        return [int(number) for number in
                NUMBER.findall(re.sub(r'.*[">}\]]', "", self.arguments, flags=re.DOTALL))]

    def descriptor(self):
        return int(NUMBER.match(self.arguments).group())


def read_trace(path):
    """The calls that succeeded, in the order in which they began."""
    calls, open_calls = [], {}
    with open(path, encoding="ascii", errors="replace") as file:
        for at, line in enumerate(file):
            found = LINE.match(line.rstrip("\n"))
            if not found:
                continue
            thread, name, arguments, rest = found.groups()
            if name:
                call = Call(thread, name, UNFINISHED.sub("", arguments), at)
                if UNFINISHED.search(arguments):
                    open_calls[thread] = call
                    continue
                rest = ""
            else:
                call = open_calls.pop(thread, None)
            if call and call.end(rest, at) and call.result >= 0:
                calls.append(call)
    return sorted(calls, key=lambda call: call.begun)


class Operation:
    """Something that a crash can undo until a flush has covered it.

    kind: name (a folder's names change), bytes or size. files: those whose flush covers it.
    """

    def __init__(self, kind, files, begun, ended, **more):
        self.kind, self.files, self.begun, self.ended = kind, set(files), begun, ended
        self.more = more
        self.flushed = {}  # of each file, when the flush ended

    def durable_at(self):
        return max(self.flushed.values()) if len(self.flushed) == len(self.files) else None

    def __repr__(self):
        return f"{self.kind} {self.more.get('what', '')}"


class Node:
    """A file, a link or a folder: what it held at the start; mode: of a file that was there."""

    def __init__(self, data=None, names=None, link=None, mode=0o644):
        self.data, self.names, self.link, self.mode = data, names, link, mode


class File(bytes):
    """A file of a state: its bytes, with a mode."""

    def __new__(cls, data, mode):
        made = super().__new__(cls, data)
        made.mode = mode
        return made


class Model:
    """All that a folder may be at each point of a run."""

    def __init__(self, before, folder, trace, ignore_flush=None):
        """before: a copy of the folder as it was. folder, trace: paths. ignore_flush: number of
        one that counts as not made."""
        self.folder, self.operations, self.flushes, self.said = folder, [], [], []
        self.root = self.load(before)
        self.now = {}      # the folder as the run sees it: path -> node
        self.positions = {}  # descriptor -> [position]
        self.heard, self.answered = {}, []
        self.ignore_flush = ignore_flush
        self.walk(self.root, "")
        self.ended = 0
        for call in read_trace(trace):
            self.ended = max(self.ended, call.ended + 1)
            self.take(call)

    def load(self, path):
        if os.path.islink(path):
            return Node(link=os.readlink(path))
        if os.path.isdir(path):
            return Node(names={name: self.load(os.path.join(path, name))
                               for name in os.listdir(path)})
        with open(path, "rb") as file:
            return Node(data=file.read(), mode=os.stat(path).st_mode & 0o777)

    def walk(self, node, path):
        self.now[path] = node
        node.volatile = bytearray(node.data) if node.data is not None else None
        for name, child in (node.names or {}).items():
            self.walk(child, os.path.join(path, name))

    # --- From calls to operations ------------------------------------------------------------

    def inside(self, path):
        """A path below the folder, relative to it; None for others."""
        if path is None or not path.startswith("/"):
            return None
        path = os.path.relpath(path, self.folder)
        return None if path.startswith("..") else "" if path == "." else path

    def take(self, call):
        if call.name in ("write", "pwrite64", "writev", "pwritev", "copy_file_range", "sendto",
                         "sendmsg"):
            self.take_write(call)
        elif call.name in ("read", "recvfrom"):
            self.take_read(call)
        elif call.name in ("fsync", "fdatasync", "syncfs"):
            self.take_flush(call)
        else:
            {"openat": self.take_open, "ftruncate": self.take_size, "fallocate": self.take_size,
             "renameat": self.take_rename, "renameat2": self.take_rename,
             "unlinkat": self.take_unlink, "mkdirat": self.take_make,
             "symlinkat": self.take_make, "lseek": self.take_seek,
             "fcntl": self.take_dup}.get(call.name, self.take_unknown)(call)

    def take_unknown(self, call):
        paths = [self.inside(path) for path in call.paths()]
        if any(path is not None for path in paths):
            raise ValueError(f"a call that the model does not know: {call.name}")

    def named(self, call, which=0):
        """The path that a folder's descriptor and a name give, as the folder's path and the name;
        None outside."""
        if len(call.paths()) <= which or len(call.texts()) <= which:
            return None
        path = self.inside(os.path.join(call.paths()[which] or "", call.texts()[which].decode()))
        return path and (os.path.dirname(path), os.path.basename(path), path)

    def add(self, kind, files, call, **more):
        operation = Operation(kind, files, call.begun, call.ended, **more)
        self.operations.append(operation)
        return operation

    def take_open(self, call):
        self.positions[call.result] = [0]
        place = self.named(call)
        if "O_TMPFILE" in call.arguments or not place:
            return
        folder, name, path = place
        node = self.now.get(path)
        if node is None and "O_CREAT" in call.arguments:
            node = Node(data=b"")
            self.make(call, folder, name, path, node)
        elif node is not None and "O_TRUNC" in call.arguments and node.volatile:
            self.size(call, node, path, 0)

    def make(self, call, folder, name, path, node):
        node.volatile = bytearray() if node.data is not None else None
        self.now[path] = node
        self.add("name", [self.now[folder]], call, put=(self.now[folder], name, node),
                 what=f"make {path}")

    def take_make(self, call):
        if call.name == "symlinkat":
            target, name = (text.decode() for text in call.texts())
            folder = self.inside(call.paths()[0])
            if folder is not None:
                path = os.path.join(folder, name)
                self.make(call, folder, name, path, Node(link=target))
            return
        place = self.named(call)
        if place:
            self.make(call, *place, Node(names={}))

    def take_rename(self, call):
        source, target = self.named(call, 0), self.named(call, 1)
        if not source or not target:
            return
        node, gone = self.now.pop(source[2]), {}
        for path in [path for path in self.now if path.startswith(source[2] + "/")]:
            gone[target[2] + path[len(source[2]):]] = self.now.pop(path)
        if "RENAME_EXCHANGE" in call.arguments:
            raise ValueError("an exchange of names")
        self.now[target[2]] = node
        self.now.update(gone)
        folders = {self.now[source[0]], self.now[target[0]]}
        self.add("name", folders, call, take=(self.now[source[0]], source[1], node),
                 put=(self.now[target[0]], target[1], node),
                 what=f"rename {source[2]} to {target[2]}")

    def take_unlink(self, call):
        place = self.named(call)
        if place and place[2] in self.now:
            node = self.now.pop(place[2])
            self.add("name", [self.now[place[0]]], call,
                     take=(self.now[place[0]], place[1], node), what=f"remove {place[2]}")

    def take_seek(self, call):
        self.positions.setdefault(call.descriptor(), [0])[0] = call.result

    def take_dup(self, call):
        if "F_DUPFD" in call.arguments:
            self.positions[call.result] = self.positions.setdefault(call.descriptor(), [0])

    def file_of(self, call, which=0):
        """The node of a descriptor's file, and its path; (None, None) outside."""
        paths = call.paths()
        path = self.inside(paths[which]) if len(paths) > which else None
        node = self.now.get(path) if path is not None else None
        return (node, path) if node is not None and node.volatile is not None else (None, None)

    def take_write(self, call):
        copied = call.name == "copy_file_range"
        node, path = self.file_of(call, 1 if copied else 0)
        if node is None:
            self.take_answer(call)
            return
        position = self.positions.setdefault(call.descriptor(), [0])
        if copied:
            data, at = self.copied(call)
        else:
            data = b"".join(call.texts())[:call.result]
            at = call.numbers()[-1] if call.name.startswith("p") else position[0]
        if call.name in ("write", "writev"):
            position[0] += call.result
        if len(data) != call.result:
            raise ValueError(f"{call.name} of {call.result} bytes, {len(data)} are known")
        node.volatile[len(node.volatile):at] = bytes(max(0, at - len(node.volatile)))
        node.volatile[at:at + len(data)] = data
        self.add("bytes", [node], call, node=node, at=at, data=bytes(data),
                 what=f"{len(data)} bytes of {path} at {at}")

    def copied(self, call):
        """What copy_file_range() wrote, and where; both places are given in its arguments."""
        source, _ = self.file_of(call, 0)
        places = [int(number) for number in re.findall(r"\[(\d+)\]", call.arguments)]
        if source is None or len(places) != 2:
            raise ValueError("a copy from a place that is not known")
        return bytes(source.volatile[places[0]:places[0] + call.result]), places[1]

    def take_read(self, call):
        """What came over a socket: a request that the next answer on the same one acknowledges."""
        path = call.paths()
        if path and (path[0] or "").startswith("socket:") and call.texts():
            self.heard.setdefault(call.descriptor(), b"")
            self.heard[call.descriptor()] += call.texts()[0][:call.result]

    def take_answer(self, call):
        """Bytes on standard output, or an answer on a socket, count from when they were begun."""
        data = b"".join(call.texts())
        if call.descriptor() == 1:
            self.said.append((call.begun, data[:call.result]))
        elif data.startswith(b"HTTP/1.1 200 "):
            self.answered.append((call.begun, self.heard.pop(call.descriptor(), b"")))

    def take_size(self, call):
        node, path = self.file_of(call)
        if node is None:
            return
        numbers = call.numbers()
        if call.name == "fallocate":
            if "KEEP_SIZE" in call.arguments or sum(numbers[-2:]) <= len(node.volatile):
                return
            numbers = [sum(numbers[-2:])]
        self.size(call, node, path, numbers[-1])

    def size(self, call, node, path, size):
        node.volatile[size:] = bytes(max(0, size - len(node.volatile)))
        self.add("size", [node], call, node=node, size=size, what=f"cut {path} to {size}")

    def take_flush(self, call):
        paths = call.paths()
        path = self.inside(paths[0]) if paths else None
        node = self.now.get(path) if path is not None else None
        if node is None:
            return
        self.flushes.append(f"{call.name} {path or '.'}")
        if len(self.flushes) - 1 == self.ignore_flush:
            return
        for operation in self.operations:
            if operation.ended <= call.begun:
                for flushed in operation.files if call.name == "syncfs" else [node]:
                    if flushed in operation.files:
                        operation.flushed.setdefault(flushed, call.ended)

    # --- From operations to states -----------------------------------------------------------

    def points(self):
        """Places in the trace after which something is different from before."""
        times = {0, self.ended}
        for operation in self.operations:
            times.add(operation.begun + 1)
            if operation.durable_at():
                times.add(operation.durable_at() + 1)
        times.update(begun + 1 for begun, _ in self.said + self.answered)
        return sorted(times)

    def at(self, point):
        """The operations begun before a point: those that are certain, and those that are not."""
        certain, open_ones = [], []
        for operation in self.operations:
            if operation.begun >= point:
                continue
            durable = operation.durable_at()
            (certain if durable is not None and durable < point else open_ones).append(operation)
        return certain, open_ones

    def said_at(self, point):
        return b"".join(data for begun, data in self.said if begun < point)

    def answered_at(self, point):
        return [request for begun, request in self.answered if begun < point]

    def choices(self, open_ones, rng):
        """Which of the uncertain operations are there: sets of their numbers."""
        count = len(open_ones)
        numbers = range(count)
        if count <= ALL_OF:
            for size in range(count + 1):
                yield from map(frozenset, itertools.combinations(numbers, size))
            return
        yield from (frozenset(range(size)) for size in range(count + 1))
        yield from (frozenset(numbers) - {number} for number in numbers)
        yield from (frozenset({number}) for number in numbers)
        yield from (frozenset(rng.sample(numbers, rng.randrange(count))) for _ in range(CHOSEN))

    @staticmethod
    def torn(data):
        """What may be there of some bytes, besides all of them."""
        parts = {data[:len(data) // 2], data[:-1], data[:1]}
        return sorted(parts - {data, b""})

    def states(self, point, rng):
        """Every state that is tried for a crash at a point: a tree as build() has it."""
        certain, open_ones = self.at(point)
        for chosen in self.choices(open_ones, rng):
            there = [operation for number, operation in enumerate(open_ones) if number in chosen]
            yield self.build(certain + there, {})
            for operation in there:
                if operation.kind == "bytes" and len(chosen) in (1, len(open_ones)):
                    for data in self.torn(operation.more["data"]):
                        yield self.build(certain + there, {operation: data})

    def build(self, operations, instead):
        """The folder with these operations done: {name: File, link as str, or a folder}."""
        contents, names = {}, collections.defaultdict(dict)

        def begin(node):
            if node.data is not None:
                contents[node] = bytearray(node.data)
            names[node] = dict(node.names or {})
            for child in names[node].values():
                begin(child)
        begin(self.root)
        for operation in sorted(operations, key=lambda each: each.begun):
            more = operation.more
            if operation.kind == "name":
                folder, name, node = more.get("take", (None, None, None))
                if folder is not None and names[folder].get(name) is node:
                    del names[folder][name]
                folder, name, node = more.get("put", (None, None, None))
                if folder is not None:
                    names[folder][name] = node
                continue
            content = contents.setdefault(more["node"], bytearray(more["node"].data or b""))
            if operation.kind == "size":
                content[more["size"]:] = bytes(max(0, more["size"] - len(content)))
                continue
            data, at = instead.get(operation, more["data"]), more["at"]
            content[len(content):at] = bytes(max(0, at - len(content)))
            content[at:at + len(data)] = data

        def tree(node):
            if node.link is not None:
                return node.link
            if node.names is not None:
                return {name: tree(child) for name, child in sorted(names[node].items())}
            return File(contents.get(node, node.data), node.mode)
        return tree(self.root)

    def all_states(self, seed):
        """(tree, what was said by then, requests answered by then, whether it had ended), each once.
        """
        rng, seen = random.Random(seed), set()
        for point in self.points():
            what = (self.said_at(point), self.answered_at(point), point == self.ended)
            for tree in self.states(point, rng):
                digest = hashlib.sha256(repr((tree, what)).encode()).digest()
                if digest not in seen:
                    seen.add(digest)
                    yield tree, *what


def write_tree(tree, path):
    """Make a folder as a state has it."""
    os.mkdir(path)
    for name, value in tree.items():
        where = os.path.join(path, name)
        if isinstance(value, dict):
            write_tree(value, where)
        elif isinstance(value, str):
            os.symlink(value, where)
        else:
            with open(where, "wb") as file:
                file.write(value)
                os.fchmod(file.fileno(), value.mode)
