"""Opens a partitioned container as the single file that it represents, and slices of it
as arrays. It needs nothing but Python's own library; arrays need numpy.

    with container.open("run/field") as f:
        f.seek(4096)
        header = f.read(512)
        grid = f.array("<f8", (1000, 1000), offset=8192)
        row = grid[17]          # reads these 8000 bytes and no others

doc/container.md describes containers, and doc/ldad.md plans.
"""
import bisect
import collections
import io
import os
import struct
import zlib
from typing import Any, Optional, Tuple, Union

from leadline.skeleton import descriptors

VERSION = 1
HEAD = 4096         # bytes of the header before the partitions' records
RECORD = 64
COMPLETE = 2
STARTS = 1          # flags: the plan's table of starts is in the records
SAVED = 2           # ... the header says which map belongs to the shared part
NEVER = 1 << 63     # end of a file that has no end
PIECE = 16 << 20    # bytes that are assembled at a time
GAP = 64 << 10      # longest run of bytes that are read and discarded
OPEN_MOST = 64      # most partitions that are open at a time

SHARED, HOLE = -1, -2


class ContainerError(OSError):
    """Says in one sentence what cannot be read, and why."""


def open(path: Union[str, bytes, "os.PathLike[Any]"]) -> "Container":
    """Opens the file of the container `path`: read-only, binary, seekable."""
    return Container(path)


# ---- plans -------------------------------------------------------------------

Level = collections.namedtuple("Level", "stride count")   # of a pattern


def merged(levels, size):
    """Returns the levels by falling stride, and the chunk's size, after merging each
    level that continues where the one within it ends."""
    levels = sorted(levels, key=lambda level: -level.stride)
    while levels and levels[-1].stride == size:
        size *= levels.pop().count
    out = []
    for level in levels:
        if out and out[-1].stride == level.stride * level.count:
            out[-1] = Level(level.stride, level.count * out[-1].count)
        else:
            out.append(level)
    return out, size


class Pattern:
    """The bytes of one rank: chunks of `size` that repeat level by level."""

    def __init__(self, start, levels, size):
        for level in levels:
            if level.stride < 0:
                start += (level.count - 1) * level.stride
        self.start = start
        self.levels, self.size = merged(
            [Level(abs(stride), count) for stride, count in levels if count > 1], size)

    def at(self, start, size):
        """Returns the same pattern at another start, and with chunks cut to `size`."""
        return Pattern(start, self.levels, min(size, self.size))

    def before(self, offset):
        """Returns how many bytes of the pattern are before `offset`."""
        if offset <= self.start:
            return 0
        rest, found, each = offset - self.start, 0, self.size
        for level in self.levels:
            each *= level.count
        for level in self.levels:
            digit = min(rest // level.stride, level.count - 1)
            each //= level.count
            found += digit * each
            rest -= digit * level.stride
        return found + min(rest, self.size)


class Plan:
    """Maps a byte's offset to its rank and its number among that rank's bytes. An
    offset is decoded digit by digit: digits of ranks and of repeats, by falling
    stride."""

    def __init__(self, text, starts=None):
        found = descriptors.plan(text)
        if found is None or any(stride == 0 for _, stride in found.levels):
            raise ContainerError("\"%s\" is no access pattern" % text[:200])
        counts, steps = found.counts, found.steps or [0]
        self.starts = starts
        self.end = NEVER if found.end is None else found.end
        levels = [Level(stride, span // stride) for span, stride in found.levels]
        self.each = Pattern(found.start, levels, found.size)
        self.digits = [] if starts else list(zip(counts, steps))
        self.ranks = 1
        for count in counts:
            self.ranks *= count
        self.low, self.rank0 = self.each.start, 0
        # (stride, count, step of the rank); None: the table of starts
        self.levels = [(stride, count, 0) for stride, count in self.each.levels]
        self.levels += self.of_table() if starts else self.of_digits()
        self.levels.sort(key=lambda level: -level[0])
        self.patterns = {}

    def of_table(self):
        gaps = [b - a for a, b in zip(self.starts, self.starts[1:])]
        return [(min(gaps), len(self.starts), None)] if gaps else []

    def of_digits(self):
        """A digit with which the start falls is counted from its last value."""
        out, weight = [], 1
        for count, step in reversed(self.digits):
            if step < 0:
                self.low += (count - 1) * step
                self.rank0 += (count - 1) * weight
            if count > 1:
                out.append((abs(step), count, -weight if step < 0 else weight))
            weight *= count
        return out

    def pattern(self, rank):
        if rank not in self.patterns:
            self.patterns[rank] = self.make_pattern(rank)
        return self.patterns[rank]

    def make_pattern(self, rank):
        start, size = self.each.start, self.each.size
        if self.starts:
            start += self.starts[rank]
            if rank + 1 < self.ranks:
                size = min(size, self.starts[rank + 1] - self.starts[rank])
        for count, step in reversed(self.digits):
            start += rank % count * step
            rank //= count
        return self.each.at(start, size)

    def locate(self, offset):
        """Returns (rank, or HOLE; number of bytes from `offset` on that are of the same
        one)."""
        rest, left, ahead = offset - self.low, self.end - offset, NEVER
        if left <= 0:
            return HOLE, NEVER
        if rest < 0:
            return HOLE, -rest
        rank = self.rank0
        for stride, count, weight in self.levels:
            if weight is None:
                digit = bisect.bisect_right(self.starts, rest) - 1
                at = self.starts[digit]
                follows = self.starts[digit + 1] if digit + 1 < count else 0
                rank += digit
            else:
                digit = min(rest // stride, count - 1)
                at = digit * stride
                follows = at + stride
                rank += digit * weight
            if digit + 1 < count:
                ahead = follows - rest
            rest -= at
        if rest >= self.each.size:
            return HOLE, ahead if ahead < left else NEVER
        return rank, min(self.each.size - rest, ahead, left)


# ---- the files of a container --------------------------------------------------


def fail(path, sentence, *values):
    raise ContainerError("%s: %s" % (path, sentence % values if values else sentence))


def load(path, what):
    try:
        with io.open(os.path.join(path, what), "rb") as stream:
            return stream.read()
    except OSError as e:
        fail(path, "the container's %s cannot be read: %s", what, e.strerror)


def text_of(raw):
    return os.fsdecode(raw.split(b"\0", 1)[0])


class Record:
    """A partition's record in the header."""
    LAYOUT = struct.Struct("<qqqii")

    def __init__(self, raw):
        self.bytes, self.start, _, self.node, self.folder = self.LAYOUT.unpack_from(raw)
        self.host = text_of(raw[32:52])


class Header:
    LAYOUT = struct.Struct("<8sIIQqqqqI")

    def __init__(self, path):
        raw = load(path, "header")
        self.check(path, raw)
        (_, _, self.state, self.id, parts, self.bytes, self.misfits, _,
         flags) = self.LAYOUT.unpack_from(raw)
        self.folders = text_of(raw[1088:1088 + 2048])
        self.records = self.read_records(path, raw, parts)
        self.text = text_of(raw[64:64 + 1024]) if parts else ""
        starts = [r.start for r in self.records] if flags & STARTS else None
        self.plan = Plan(self.text, starts) if parts else None
        self.saved = bool(flags & SAVED)
        self.map = raw[3144:3156]     # begins like shared.map: ranges, checksum
        self.ranges = struct.unpack("<q", raw[3144:3152])[0] if self.saved else NEVER
        if self.state != COMPLETE:
            fail(path, "the container was never completed: whoever wrote it is still "
                       "at it, or was ended (ldad info tells what is there)")

    def check(self, path, raw):
        if len(raw) < HEAD or raw[:8] != b"ldadcont":
            fail(path, "this is no partitioned container: its header does not begin as "
                       "one")
        version, = struct.unpack_from("<I", raw, 8)
        if version != VERSION:
            fail(path, "the container's header is of version %d and this program reads "
                       "version %d: take the one that wrote it", version, VERSION)
        if not self.is_whole(raw[:HEAD]):
            fail(path, "the container's header is damaged: its checksum differs")

    @staticmethod
    def is_whole(raw):
        return struct.unpack("<I", raw[-4:])[0] == zlib.crc32(raw[:-4])

    def read_records(self, path, raw, parts):
        if parts < 0 or len(raw) != HEAD + parts * RECORD:
            fail(path, "the container's header is damaged: of %d partitions it has %d "
                       "bytes", parts, len(raw))
        out = []
        for r in range(parts):
            record = raw[HEAD + r * RECORD:HEAD + (r + 1) * RECORD]
            if not self.is_whole(record):
                fail(path, "the container's header is damaged: the checksum of "
                           "partition %d differs", r)
            out.append(Record(record))
        return out

    def part_path(self, path, r):
        record = self.records[r]
        if record.folder >= 0:
            folders = self.folders.split(",")
            path = folders[record.folder % len(folders)]
            path = path.replace("%n", str(record.node)).replace("%r", str(r))
        return os.path.join(path, "part-%016x-%06d" % (self.id, r))


def decode_map(path, raw):
    """Decodes the begins and ends of the ranges that are in the shared part."""
    count = (len(raw) - 24) // 16
    whole = count >= 0 and len(raw) == 24 + 16 * count
    numbers = struct.unpack("<%dq" % (2 * count), raw[24:]) if whole else ()
    if (not whole or raw[:8] != b"ldadmaps"
            or struct.unpack_from("<qI", raw, 8) != (count, zlib.crc32(raw[24:]))
            or any(a >= b for a, b in zip((-1,) + numbers, numbers))):
        fail(path, "the container's shared.map is damaged: it cannot be told which "
                   "bytes are in its shared part")
    return numbers[::2], numbers[1::2]


def read_map(path, header):
    """Reads the one of two maps that the header names, if it names one: a writer that
    was killed after it had replaced the header has left the map under its first
    name."""
    names = ["shared.map.new", "shared.map"] if header.saved else ["shared.map"]
    there = [load(path, name) for name in names
             if os.path.exists(os.path.join(path, name))]
    if header.saved:
        there = [raw for raw in there if raw[8:20] == header.map]
    if there and header.ranges:
        return decode_map(path, there[0])
    if header.saved and header.ranges:
        fail(path, "the container's shared.map is missing, or not that of its header: "
                   "it cannot be told which bytes are in its shared part")
    return [], []


# ---- the file ------------------------------------------------------------------


class Container(io.RawIOBase):
    """A file of `size` bytes. `misfits` writes are not where the plan says; `plan` is
    its text, "" if there is none."""

    def __init__(self, path):
        super().__init__()
        self.name = path = os.fspath(path)
        self.mode = "rb"
        self.path = os.path.abspath(os.fsdecode(path))
        if os.path.exists(self.path) and not os.path.isdir(self.path):
            fail(self.path, "this is not a partitioned container, which is a directory")
        self.at = 0
        self.opened = collections.OrderedDict()   # descriptors of partitions
        self.header = Header(self.path)
        self.begins, self.ends = read_map(self.path, self.header)
        self.check_shared()

    @property
    def size(self) -> int:
        return self.header.bytes

    @property
    def plan(self) -> str:
        return self.header.text

    @property
    def misfits(self) -> int:
        return self.header.misfits

    def check_shared(self):
        """Fails if the shared part is missing bytes, as wrong bytes would be read."""
        parts = self.header.records
        end = self.ends[-1] if self.ends else 0 if parts else self.size
        try:
            there = os.stat(os.path.join(self.path, "shared")).st_size
        except OSError as e:
            fail(self.path, "the container's shared part is missing: %s", e.strerror)
        if parts and self.misfits and not self.ends:
            fail(self.path, "shared.map is missing, and %d writes did not fit the "
                            "plan: it cannot be told which bytes are in the "
                            "container's shared part", self.misfits)
        if there < end:
            fail(self.path, "the container's shared part has %d bytes, and reaches to "
                            "%d: it was cut off", there, end)

    # ---- where bytes are

    def place(self, offset, count):
        """Returns (partition, SHARED or HOLE; offset there; number of bytes) for the
        bytes from `offset` on, of which it examines at most `count`."""
        if not self.header.plan:
            return SHARED, offset, count
        i = bisect.bisect_right(self.ends, offset)
        if i < len(self.begins):
            if self.begins[i] <= offset:
                return SHARED, offset, min(self.ends[i] - offset, count)
            count = min(count, self.begins[i] - offset)
        rank, run = self.header.plan.locate(offset)
        if rank < 0:
            return HOLE, 0, min(run, count)
        return rank, self.header.plan.pattern(rank).before(offset), min(run, count)

    def descriptor(self, part):
        if part in self.opened:
            self.opened.move_to_end(part)
            return self.opened[part]
        if len(self.opened) == OPEN_MOST:
            os.close(self.opened.popitem(last=False)[1])
        self.opened[part] = self.open_part(part)
        return self.opened[part]

    def part_path(self, part):
        if part == SHARED:
            return os.path.join(self.path, "shared")
        return self.header.part_path(self.path, part)

    def open_part(self, part):
        path = self.part_path(part)
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as e:
            fail(path, "%s of the container cannot be opened: %s", self.called(part),
                 e.strerror)

    def called(self, part):
        if part == SHARED:
            return "the shared part"
        record = self.header.records[part]
        return "partition %d (written on node %d, %s)" % (part, record.node,
                                                          record.host)

    def read_part(self, part, at, count):
        """Reads from a partition. Behind its end there is what was never written:
        zeros."""
        data = os.pread(self.descriptor(part), count, at)
        while data and len(data) < count:
            more = os.pread(self.descriptor(part), count - len(data), at + len(data))
            if not more:
                break
            data += more
        end = self.size if part == SHARED else self.header.records[part].bytes
        if len(data) < count and at + len(data) < end:
            fail(self.part_path(part), "%s of the container has %d bytes, and %d were "
                 "written: it was cut off", self.called(part), at + len(data), end)
        return data + bytes(count - len(data))

    def fill(self, offset, out):
        """Fills `out`, a memoryview of bytes. Reads bytes that are contiguous in a
        partition at once."""
        end, read = offset + len(out), {}
        done = 0
        while done < len(out):
            part, at, count = self.place(offset + done, len(out) - done)
            if part == HOLE:
                piece = bytes(count)
            elif part == SHARED or count >= GAP:
                piece = self.read_part(part, at, count)
            else:
                if part not in read:
                    last = self.header.plan.pattern(part).before(end)
                    read[part] = at, memoryview(self.read_part(part, at, last - at))
                begin, data = read[part]
                piece = data[at - begin:at - begin + count]
            out[done:done + count] = piece
            done += count

    def pread(self, count: int, offset: int) -> bytes:
        """Returns `count` bytes from `offset` on, fewer at the end of the file."""
        out = bytearray(max(0, min(count, self.size - offset)))
        self.readinto_at(offset, out)
        return bytes(out)

    def readinto_at(self, offset, out):
        self.must_be_open()
        view = memoryview(out)
        for at in range(0, len(view), PIECE):
            self.fill(offset + at, view[at:at + PIECE])

    # ---- as any file

    def must_be_open(self):
        if self.closed:
            raise ValueError("I/O operation on a closed container")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        self.must_be_open()
        return self.at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self.must_be_open()
        bases = {os.SEEK_SET: 0, os.SEEK_CUR: self.at, os.SEEK_END: self.size}
        if whence not in bases or bases[whence] + offset < 0:
            raise ContainerError("%s: nothing is at offset %d, counted in way %d"
                                 % (self.path, offset, whence))
        self.at = bases[whence] + offset
        return self.at

    def readinto(self, out: Any) -> int:
        self.must_be_open()
        view = memoryview(out).cast("B")
        count = max(0, min(len(view), self.size - self.at))
        self.readinto_at(self.at, view[:count])
        self.at += count
        return count

    def readall(self) -> bytes:
        self.must_be_open()
        data = self.pread(self.size, self.at)
        self.at += len(data)
        return data

    def close(self) -> None:
        while not self.closed and self.opened:
            os.close(self.opened.popitem()[1])
        super().close()

    # ---- as arrays

    def array(self, dtype: Any, shape: Optional[Union[int, Tuple[int, ...]]] = None,
              offset: int = 0) -> "Array":
        """Returns an Array, which reads slices on demand. Without a shape: a vector of
        everything from `offset` on."""
        return Array(self, dtype, shape, offset)

    def partition(self, part: int, dtype: Any = "u1") -> Any:
        """Returns the bytes of one partition as a numpy.memmap, without copying."""
        return numpy().memmap(self.part_path(part), dtype=dtype, mode="r")


def numpy():
    try:
        import numpy as module
    except ImportError:
        raise ContainerError("arrays need numpy, which is not installed: read() gives "
                             "bytes")
    return module


class Array:
    """An array in a container's file, in C order. Indexing by integers, slices and an
    ellipsis copies the selection; numpy.asarray copies all of it."""

    def __init__(self, source, dtype, shape, offset):
        self.source, self.offset = source, offset
        self.dtype = numpy().dtype(dtype)
        if self.dtype.hasobject or not self.dtype.itemsize:
            raise ContainerError("%s: a file has no elements of the type %s"
                                 % (source.path, self.dtype))
        if shape is None:
            shape = (source.size - offset) // self.dtype.itemsize
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.ndim = len(self.shape)
        end = offset + self.bytes_of(self.shape)
        if offset < 0 or min(self.shape + (0,)) < 0 or end > source.size:
            raise ContainerError(
                "%s: an array of %s of %s at offset %d does not lie within the file's "
                "%d bytes" % (source.path, "x".join(map(str, self.shape)), self.dtype,
                              offset, source.size))

    def bytes_of(self, shape):
        size = self.dtype.itemsize
        for count in shape:
            size *= count
        return size

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        whole = self[...]
        return whole if dtype is None else whole.astype(dtype)

    def __getitem__(self, index):
        return self.take(self.offset, self.shape, self.keys(index))

    def keys(self, index):
        """Returns an integer in its range, or a slice, for each dimension."""
        keys = list(index) if isinstance(index, tuple) else [index]
        if any(not isinstance(k, slice) and k is not Ellipsis
               and not hasattr(k, "__index__") for k in keys):
            raise TypeError("arrays of containers take integers, slices and ..., not "
                            "%r: ask numpy.asarray of a part for the rest" % (index,))
        if Ellipsis not in keys:
            keys.append(Ellipsis)
        i = keys.index(Ellipsis)
        missing = self.ndim - len(keys) + 1
        keys[i:i + 1] = [slice(None)] * missing
        if missing < 0 or Ellipsis in keys:
            raise IndexError("%d indices are too many for %d dimensions"
                             % (len(keys), self.ndim))
        return [self.in_range(k, n) for k, n in zip(keys, self.shape)]

    @staticmethod
    def in_range(key, count):
        if isinstance(key, slice):
            return key
        key = key.__index__()
        if not -count <= key < count:
            raise IndexError("index %d is not within %d elements" % (key, count))
        return key % count

    def read(self, offset, shape):
        out = numpy().empty(shape, self.dtype)
        if out.nbytes:
            self.source.readinto_at(offset, out.reshape(-1).view("u1"))
        return out

    def take(self, offset, shape, keys):
        """Reads a selection; reads small gaps between rows, too."""
        if not shape:
            return self.read(offset, (1,))[0]
        key, row, rest = keys[0], self.bytes_of(shape[1:]), keys[1:]
        if not isinstance(key, slice):
            return self.take(offset + key * row, shape[1:], rest)
        chosen = range(*key.indices(shape[0]))
        gaps = row if any(k != slice(None) for k in rest) else 0
        if len(chosen) and max(gaps, (abs(chosen.step) - 1) * row) > GAP:
            return numpy().stack([self.take(offset + i * row, shape[1:], rest)
                                  for i in chosen])
        low = min(chosen) if len(chosen) else 0
        high = max(chosen) + 1 if len(chosen) else 0
        block = self.read(offset + low * row, (high - low,) + tuple(shape[1:]))
        return block[(slice(None, None, chosen.step),) + tuple(rest)]
