"""Reads a PFM, versions 6 and 7, for tests: all of it into memory. It shares nothing
with src/hydro and relies on the format's description only."""
import os
import re

HEADER = 131072
COVERAGE_HEADER = 65536

# Names of fields, and the keys of the header with their bits.
SOUNDING = (("file", "FILE NUMBER"), ("line", "LINE NUMBER"), ("ping", "PING NUMBER"),
            ("beam", "BEAM NUMBER"), ("depth", "DEPTH"), ("x", "OFFSET"),
            ("y", "OFFSET"), ("attributes", "NDX"), ("validity", "VALIDITY"),
            ("x_error", "HORIZONTAL ERROR"), ("z_error", "VERTICAL ERROR"))
BIN = (("count", "COUNT"), ("std", "STD"), ("average_filtered", "DEPTH"),
       ("min_filtered", "DEPTH"), ("max_filtered", "DEPTH"), ("average", "DEPTH"),
       ("min", "DEPTH"), ("max", "DEPTH"), ("valid", "COUNT"), ("attributes", "BIN"),
       ("validity", "VALIDITY"), ("first", "RECORD POINTER"),
       ("last", "RECORD POINTER"))


class PfmError(Exception):
    """A fault of a PFM."""


class Fields:
    """A record's fields, which follow each other bit by bit."""

    def __init__(self, head, table):
        self.fields = [(name, self.width(head, key)) for name, key in table]
        self.bits = sum(bits for _, bits in self.fields)

    @staticmethod
    def width(head, key):
        """Returns the bits of a field; attributes have a key each."""
        if key in ("BIN", "NDX"):
            return sum(int(head.get("%s ATTRIBUTE BITS %d" % (key, i), 0))
                       for i in range(20))
        return int(head.get(key + " BITS", 0))

    def read(self, data, start=0):
        """Returns {name: number} of the fields that begin at a bit of these bytes."""
        left = len(data) * 8 - start
        value, out = int.from_bytes(data, "big"), {}
        for name, bits in self.fields:
            left -= bits
            if left < 0:
                raise PfmError("a record is cut short")
            out[name] = value >> left & (1 << bits) - 1
        return out


def read_head(data):
    """Returns {key: text} of a header; of repeated keys the first."""
    text = data[:HEADER].split(b"\0", 1)[0].decode("latin-1")
    head = {}
    for line in text.split("\n"):
        found = re.match(r"\[([^]]*)\] = ?(.*)", line)
        if found:
            head.setdefault(found.group(1), found.group(2))
    return head


def read_file(handle, suffix):
    name = os.path.basename(handle)
    with open(os.path.join(handle + ".data", name + suffix), "rb") as f:
        return f.read()


class Pfm:
    """head: {key: text}; bins: {(row, column): (bin, soundings)} of bins that have
    soundings, both with stored numbers by name, soundings in the order of the chain.
    Chains are checked: all blocks but the last are full,
    the bin names first and last, and no block is used twice; unused_blocks counts
    those that no chain leads to."""

    def __init__(self, handle):
        self.handle = handle
        data, self.blocks = read_file(handle, ".bin"), read_file(handle, ".ndx")
        self.head = read_head(data)
        self.version = float(re.search(r"V(\d+\.\d+)", self.head["VERSION"]).group(1))
        self.width, self.height = self.whole("BIN WIDTH"), self.whole("BIN HEIGHT")
        self.length = self.whole("RECORD LENGTH")
        self.sounding = Fields(self.head, SOUNDING)
        self.pointer = Fields(self.head, (("next", "RECORD POINTER"),))
        self.block_bytes = (self.length * self.sounding.bits + self.pointer.bits + 7
                            ) // 8
        record = Fields(self.head, [field for field in BIN if self.version >= 7
                                    or field[0] != "valid"])
        self.bin_bytes = (record.bits + 7) // 8
        self.used, self.bins = set(), {}
        for i in range(self.width * self.height):
            at = HEADER + i * self.bin_bytes
            found = record.read(data[at:at + self.bin_bytes])
            if found["count"]:
                self.bins[divmod(i, self.width)] = found, self.chain(found)
        self.unused_blocks = len(self.blocks) // self.block_bytes - len(self.used)

    def whole(self, key):
        return int(self.head[key])

    def coverage(self):
        """Returns a byte for each bin: from the .cvg, before version 7 from behind the
        bins."""
        cells = self.width * self.height
        at, data = HEADER + cells * self.bin_bytes, read_file(self.handle, ".bin")
        if self.version >= 7:
            at, data = COVERAGE_HEADER, read_file(self.handle, ".cvg")
        elif self.whole("COVERAGE MAP ADDRESS") != at:
            raise PfmError("the coverage map is not behind the bins")
        if len(data) != at + cells:
            raise PfmError("the coverage map has not a byte for each bin")
        return data[at:]

    def chain(self, found):
        """Returns the soundings of a bin."""
        at, last, out = found["first"], None, []
        while len(out) < found["count"]:
            block = self.blocks[at:at + self.block_bytes]
            if at % self.block_bytes or len(block) < self.block_bytes:
                raise PfmError("a chain leads to %d, where no block is" % at)
            if at in self.used:
                raise PfmError("the block at %d is used twice" % at)
            if out and not at:
                raise PfmError("a chain ends early, at %d" % last)
            self.used.add(at)
            for i in range(min(self.length, found["count"] - len(out))):
                out.append(self.sounding.read(block, i * self.sounding.bits))
            last = at
            at = self.pointer.read(block, self.length * self.sounding.bits)["next"]
        if last != found["last"] or at:
            raise PfmError("a chain ends at %d, which leads on to %d, and its bin says "
                           "%d" % (last, at, found["last"]))
        rest = len(out) % self.length
        if rest and any(any(self.sounding.read(block, i * self.sounding.bits).values())
                        for i in range(rest, self.length)):
            raise PfmError("the block at %d has more soundings than its bin" % last)
        return out

    def soundings(self):
        """Returns all as (row, column, file, ping, beam, depth, x, y, validity, line),
        in this order."""
        return sorted(place + tuple(s[name] for name in (
            "file", "ping", "beam", "depth", "x", "y", "validity", "line"))
                      for place, (_, chain) in self.bins.items() for s in chain)


def load(handle):
    """Returns the PFM with this handle file; raises PfmError if it is faulty."""
    with open(handle) as f:
        if "PFM Handle File" not in f.readline():
            raise PfmError("%s is no handle file" % handle)
    return Pfm(handle)
