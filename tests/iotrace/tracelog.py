"""Reads a log of libiotrace.so: from src/iotrace/format/trace.h, and on its own, so
that it agrees with the C reader only if both are right."""
import collections
import os
import struct

HEADER = struct.Struct("<8sIIIIQQQIIQQqqqIIIii4xqqqqII")
BLOCK = struct.Struct("<4sIIIQ")
NAME = struct.Struct("<IIHHi")
RECORD = struct.Struct("<QQqqqIHBB")
PROFILE = struct.Struct("<IHBBQQQQ40Q40Q")
RECORDS, NAMES, PROFILES = 1, 2, 3
STREAM, ASYNC, CHILD, DIRECT, OTHER_END, SOURCE = 1, 4, 8, 16, 32, 64
FILE, MARK, PLACE, MPI, PROGRAM = 1, 2, 3, 4, 5
RUNNING, EXITED, QUIT, EXEC = range(4)

Event = collections.namedtuple(
    "Event", "start duration offset request result file op level flags thread fd klass")
Entry = collections.namedtuple(
    "Entry", "file op level flags count errors bytes ticks sizes times")


class Log:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            data = f.read()
        head = HEADER.unpack_from(data)
        (magic, self.version, header_bytes, record_bytes, self.block, self.blocks,
         self.dropped, self.excluded, self.state, self.clock) = head[:10]
        assert magic == b"IOTRACE\n" and self.version in (1, 2, 3), path
        assert record_bytes == RECORD.size and header_bytes == HEADER.size, path
        self.ticks, self.unix_ns = head[10:12], head[12:14]
        self.first_ns, self.pid, self.ppid, self.generation = head[14:18]
        self.rank, self.ranks = head[18:20]
        self.offset_at_ns, self.offset_ns = head[20:22], head[22:24]
        text = data[header_bytes:header_bytes + head[24]].decode()
        self.text = [line.split("=", 1) for line in text.splitlines()]
        self.ops = {int(n): (name, klass) for n, name, klass in
                    (v.split(":") for k, v in self.text if k == "op")}
        self.names, self.events, self.profile = {}, [], []
        self.places, self.opened = {}, {}  # facts of files, by number
        self.read(data)

    def value(self, key):
        return dict(self.text)[key]

    def read(self, data):
        blocks = {}
        for at in range(self.block, len(data) - BLOCK.size, self.block):
            magic, kind, thread, _, sequence = BLOCK.unpack_from(data, at)
            if magic == b"BLK\n":  # of two with the same number, the later one
                blocks[kind, thread, sequence] = data[at + BLOCK.size:at + self.block]
        for (kind, _, _), block in sorted(blocks.items()):
            if kind == NAMES:
                self.read_names(block)
        for (kind, thread, _), block in sorted(blocks.items()):
            if kind == RECORDS:
                self.read_records(block, thread)
            elif kind == PROFILES:
                self.read_profile(block)
        self.events.sort(key=lambda e: e.start)

    def read_names(self, block):
        at = 0
        while at + NAME.size <= len(block):
            size, number, kind, place, fd = NAME.unpack_from(block, at)
            if not size:
                break
            text = block[at + NAME.size:at + size].split(b"\0")[0]
            self.names[number] = (text.decode("utf-8", "replace"), fd)
            assert FILE <= kind <= (PROGRAM if self.version > 2 else MARK), kind
            if place:
                self.places[number] = place
            if kind == MPI:
                self.opened[fd] = number
            at += size

    def read_records(self, block, thread):
        used = len(block) // RECORD.size * RECORD.size
        for r in RECORD.iter_unpack(block[:used]):
            if r[6]:
                name, fd = self.names[r[5]] if r[5] else ("", -1)
                op, klass = self.ops[r[6]]
                self.events.append(Event(*r[:5], name, op, *r[7:], thread, fd, klass))

    def read_profile(self, block):
        for at in range(0, len(block) - PROFILE.size, PROFILE.size):
            p = PROFILE.unpack_from(block, at)
            if p[4]:
                name = self.names[p[0]][0] if p[0] else ""
                self.profile.append(Entry(name, self.ops[p[1]][0], p[2], p[3], *p[4:8],
                                          p[8:48], p[48:88]))

    def place(self, ending):
        """Returns (type, block, stripe, stripes, mount point) of files whose name ends
        so."""
        found = {self.names[self.places[n]][0] for n in self.places
                 if self.names[n][0].endswith(ending)}
        kind, block, stripe, stripes, point = found.pop().split(" ", 4)
        assert not found, found
        return kind, int(block), int(stripe), int(stripes), point

    def hints(self, ending):
        """Returns (ranks, {hint: value}) of files that MPI has opened."""
        found = {self.names[self.opened[n]][0] for n in self.opened
                 if self.names[n][0].endswith(ending)}
        ranks, hints = found.pop().split(" ", 1)
        assert not found, found
        return int(ranks), dict(hint.split("=", 1) for hint in hints.split(";")[:-1])

    def counts(self, ending=""):
        """Returns {op: (events, bytes)} of files whose name ends so; over all files
        copies count once."""
        found = collections.Counter(), collections.Counter()
        for e in self.events:
            if e.file.endswith(ending) and (ending or not e.flags & OTHER_END):
                found[0][e.op] += 1
                found[1][e.op] += bytes_of(e)
        return {op: (n, found[1][op]) for op, n in found[0].items()}


def bytes_of(e):
    if e.klass in ("READ", "WRITE", "COPY") and not e.flags & ASYNC and e.result > 0:
        return e.result
    return 0


def logs(folder):
    """Returns all binary logs of a folder, also those of killed processes."""
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as f:
            if f.read(8) == b"IOTRACE\n":
                found.append(Log(path))
    return found
