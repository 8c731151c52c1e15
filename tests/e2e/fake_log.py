"""Writes logs as src/iotrace/format/trace.h describes them, on its own: readers are not
tested with the code that they were made from."""
import array
import random
import struct
import sys

BLOCK = 256 << 10
RECORD = 48
SLOTS = (BLOCK - 24) // RECORD
HEADER = struct.Struct("<8sIIIIQQQII2Q2qqIIIii4x2q2qII")
RECORDS, NAMES, PROFILE = 1, 2, 3
EXITED, RUNNING = 1, 0
NS, TSC = 0, 1
FILE, MARK, PLACE, MPI = 1, 2, 3, 4

# number: (name, class), with gaps, and numbers of its own: a log names its calls.
OPS = {1: ("open", "OPEN"), 5: ("close", "CLOSE"), 7: ("read", "READ"),
       8: ("pread", "READ"), 11: ("write", "WRITE"), 12: ("pwrite", "WRITE"),
       18: ("lseek", "SEEK"), 19: ("fsync", "SYNC"), 21: ("mark", "MARK"),
       22: ("region_begin", "MARK"), 23: ("region_end", "MARK"),
       31: ("unlink", "META"), 41: ("io_submit_write", "WRITE"),
       42: ("io_getevents_write", "WRITE"), 43: ("io_getevents", "WAIT"),
       51: ("chmod", "META"), 52: ("readdir", "META"), 53: ("ftruncate", "META"),
       54: ("sync", "SYNC"), 55: ("setvbuf", "META"), 56: ("fprintf", "WRITE"),
       57: ("stat", "META"), 300: ("MPI_File_write_all", "WRITE"),
       301: ("MPI_File_write_shared", "WRITE"), 999: ("read_of_the_future", "READ")}
NUMBER = {name: number for number, (name, _) in OPS.items()}
CLASS = {name: cls for name, cls in OPS.values()}
FIELDS = ["start:u64:0:tick", "duration:u64:8:tick", "offset:i64:16:byte",
          "request:i64:24:byte", "result:i64:32:byte", "file:u32:40:id",
          "op:u16:44:op", "level:u8:46:level", "flags:u8:47:flags"]
EPOCH = 1700000000 * 10 ** 9


class Event:
    """One call. Times in ns since the epoch; `end` orders what a thread records."""

    def __init__(self, op, start, duration, name=0, offset=-1, result=0, level=0,
                 thread=0, request=0, flags=0):
        self.op, self.start, self.duration, self.name = op, start, duration, name
        self.offset, self.result, self.level = offset, result, level
        self.thread, self.request, self.flags = thread, request, flags

    @property
    def end(self):
        return self.start + self.duration

    @property
    def bytes(self):
        """Returns column Bytes of Table 2.1."""
        if self.result < 0:
            return -1
        moves = CLASS[self.op] in ("READ", "WRITE", "COPY")
        return self.result if moves and not self.flags & 4 else 0


class Log:
    """A process's log in memory: events by thread, names; bytes() returns the file."""

    def __init__(self, pid=4242, rank=-1, ranks=-1, state=EXITED, app="app", clock=NS,
                 ticks_per_ns=1, begin=EPOCH, end=None, offsets=((0, 0), (0, 0)),
                 record=RECORD, host="node", version=1, facts=(), ppid=1,
                 generation=0):
        self.pid, self.rank, self.ranks, self.state = pid, rank, ranks, state
        self.app, self.clock, self.rate, self.begin = app, clock, ticks_per_ns, begin
        self.end, self.offsets, self.record, self.host = end, offsets, record, host
        self.version, self.facts, self.ppid = version, list(facts), ppid
        self.generation = generation
        self.names, self.events = [], []   # (text, fd, kind, place)
        self.dropped = 0
        self.profile = []                  # packed entries

    def name(self, text, fd=-1, kind=FILE, place=0):
        self.names.append((text, fd, kind, place))
        return len(self.names)

    def add(self, *args, **more):
        event = Event(*args, **more)
        self.events.append(event)
        return event

    def ticks(self, ns):
        return int((ns - self.begin) * self.rate) + 1000

    def pack(self, e):
        body = struct.pack("<QQqqqIHBB", self.ticks(e.start),
                           int(e.duration * self.rate), e.offset, e.request, e.result,
                           e.name, NUMBER[e.op], e.level, e.flags)
        return body + b"\xee" * (self.record - RECORD)

    def text(self):
        lines = ["app=" + self.app, "execution=%s.%d" % (self.app, self.pid),
                 "host=" + self.host, "cwd=/cwd", "mode=trace"]
        lines += ["field=" + field for field in FIELDS]
        lines += ["op=%d:%s:%s" % (n, name, cls) for n, (name, cls) in OPS.items()]
        lines += self.facts
        return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")

    def header(self, blocks):
        text = self.text()
        end = self.end or max([e.end for e in self.events] or [self.begin]) + 10 ** 6
        (a0, o0), (a1, o1) = self.offsets
        return HEADER.pack(
            b"IOTRACE\n", self.version, HEADER.size, self.record, BLOCK, blocks,
            self.dropped, 0, self.state, self.clock, self.ticks(self.begin),
            self.ticks(end), self.begin, end, self.begin, self.pid,
            self.ppid, self.generation, self.rank,
            self.ranks, a0, a1, o0, o1, len(text), 0) + text

    def blocks(self):
        """Returns records in the order in which calls ended, inner ones first."""
        slots = (BLOCK - 24) // self.record
        found = []
        for thread in sorted({e.thread for e in self.events}):
            mine = sorted((e for e in self.events if e.thread == thread),
                          key=lambda e: (e.end, -e.level))
            for at in range(0, len(mine), slots):
                found.append((RECORDS, thread, at // slots, b"".join(
                    self.pack(e) for e in mine[at:at + slots])))
        names = b""
        for number, (text, fd, kind, place) in enumerate(self.names, 1):
            raw = text.encode("utf-8", "surrogateescape") + b"\0"
            raw += b"\0" * (-len(raw) % 8)
            names += struct.pack("<IIHHi", 16 + len(raw), number, kind, place, fd) + raw
        if names:
            found.insert(len(found) // 2, (NAMES, 0, 0, names))
        if self.profile:
            found.append((PROFILE, 0, 0, b"".join(self.profile)))
        return found

    def bytes(self):
        found = self.blocks()
        out = self.header(len(found) + 1).ljust(BLOCK, b"\0")
        for kind, thread, sequence, body in found:
            head = struct.pack("<4sIIIQ", b"BLK\n", kind, thread, 0, sequence)
            out += (head + body).ljust(BLOCK, b"\0")
        return out

    def split(self):
        """Returns the file's blocks, the header first."""
        data = self.bytes()
        return [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]

    def write(self, path):
        with open(path, "wb") as out:
            out.write(self.bytes())
        return path


def write_large(path, events, threads=1, gap=1000, size=4096):
    """Writes a log of very many preads, quickly: whole columns at once. Each continues
    where the last one of its thread ended. Returns the sum of all bytes."""
    log = Log()
    for thread in range(threads):
        log.name("/data/file%d" % thread, 3 + thread)
    blocks = -(-events // SLOTS)
    names = log.blocks()[0]
    log.end = EPOCH + (events + 1) * gap * threads
    with open(path, "wb") as out:
        out.write(log.header(blocks + 2).ljust(BLOCK, b"\0"))
        out.write((struct.pack("<4sIIIQ", b"BLK\n", NAMES, 0, 0, 0) + names[3])
                  .ljust(BLOCK, b"\0"))
        left = events
        for block in range(blocks):
            thread, sequence = block % threads, block // threads
            n, first = min(SLOTS, left), sequence * SLOTS
            left -= n
            a = array.array("Q", bytes(BLOCK // 8 * 8))
            a[3:3 + 6 * n:6] = array.array("Q", range(
                1000 + first * gap, 1000 + (first + n) * gap, gap))
            a[4:4 + 6 * n:6] = array.array("Q", [gap // 2]) * n
            a[5:5 + 6 * n:6] = array.array("Q", range(first * size, (first + n) * size,
                                                      size))
            a[6:6 + 6 * n:6] = array.array("Q", [size]) * n
            a[7:7 + 6 * n:6] = array.array("Q", [size]) * n
            a[8:8 + 6 * n:6] = array.array(
                "Q", [thread + 1 | NUMBER["pread"] << 32]) * n
            if sys.byteorder == "big":
                a.byteswap()
            body = a.tobytes()
            out.write(struct.pack("<4sIIIQ", b"BLK\n", RECORDS, thread, 0, sequence) +
                      body[24:])
    return events * size


def write_mixed(path, events, threads=4, files=200, seed=1):
    """Writes as many calls of all kinds, at random, in many files: to measure
    readers."""
    rng = random.Random(seed)
    write_large(path, events, threads)
    log = Log()
    for i in range(files):
        log.name("/data/file%d" % i, 3 + i)
    words = [f + 1 | NUMBER[op] << 32 for f in range(files)
             for op in ("pread", "pwrite", "read", "write", "lseek", "fsync")]
    durations = [int(100 * 1.2 ** i) for i in range(40)]
    sizes = [1 << i for i in range(20)]
    blocks = -(-events // SLOTS)
    with open(path, "r+b") as out:
        out.seek(BLOCK + 24)
        out.write(log.blocks()[0][3])
        for block in range(2, blocks + 2):
            out.seek(block * BLOCK)
            a = array.array("Q", out.read(BLOCK))
            n = min(SLOTS, events - (block - 2) * SLOTS)
            for column, pool in ((4, durations), (5, range(1 << 40)), (7, sizes),
                                 (8, words)):
                a[column:column + 6 * n:6] = array.array("Q", rng.choices(pool, k=n))
            out.seek(block * BLOCK)
            out.write(a.tobytes())


if __name__ == "__main__":   # for measurements: FILE EVENTS [THREADS]
    write_mixed(sys.argv[1], int(sys.argv[2]),
                int(sys.argv[3]) if len(sys.argv) > 3 else 1)
