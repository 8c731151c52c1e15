"""Makes PFMs from the format's description, for tests: with soundings of all kinds,
chains of all lengths, and any fault that a test wants."""
import gzip
import json
import math
import os
import random
import shutil

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
HEADER = 131072
WIDTH, HEIGHT = 7, 5
FILES, LINES = 3, 5
SCALE, NULL = 100, 601.0
BITS = {"COUNT": 24, "STD": 32, "DEPTH": 16, "RECORD POINTER": 38, "FILE NUMBER": 11,
        "LINE NUMBER": 13, "PING NUMBER": 25, "BEAM NUMBER": 11, "OFFSET": 12,
        "VALIDITY": 23}
MANUAL, FILTER, MODIFIED, HAS_DATA, DELETED = 1, 2, 32, 1024, 2048


def pack(fields, size=0):
    """Packs (value, bits) pairs, the highest bit first, into whole bytes."""
    bits = "".join(format(value, "0%db" % width) for value, width in fields if width)
    bits = bits.ljust(max(size * 8, (len(bits) + 7) // 8 * 8), "0")
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def sounding(rng, i):
    """Returns a dictionary with a sounding's fields."""
    validity = rng.choice([0] * 7 + [MANUAL, FILTER, MODIFIED | FILTER, DELETED])
    return {"file": i % FILES, "line": i % LINES, "ping": i + 1, "beam": i % 400,
            "z": rng.randrange(1000, 30000), "x": i % 4096, "y": 7 * i % 4096,
            "validity": validity}


def deviation(depths):
    if len(depths) < 2:
        return 0.0
    mean = math.fsum(depths) / len(depths)
    return math.sqrt(math.fsum((z - mean) ** 2 for z in depths) / (len(depths) - 1))


class Pfm:
    """A PFM under construction: `bins` are soundings by (row, column)."""

    def __init__(self, path, version="7.00", length=6, seed=1):
        self.path, self.version, self.length = path, version, length
        rng = random.Random(seed)
        counts = [0, 1, length - 1, length, length + 1, 3 * length, 40]
        self.bins = {(row, column): [sounding(rng, i) for i in
                                     range(counts[(row + column) % len(counts)])]
                     for row in range(HEIGHT) for column in range(WIDTH)}
        self.summary = {place: self.summarize(s) for place, s in self.bins.items()}
        self.keys = dict({"BIN WIDTH": WIDTH, "BIN HEIGHT": HEIGHT,
                          "RECORD LENGTH": length, "BIN HEADER SIZE": HEADER,
                          "MIN X": -76.5, "MIN Y": 37.5, "MAX X": -76.4, "MAX Y": 37.6,
                          "BIN SIZE XY": 25, "X BIN SIZE": 0.000284569104736,
                          "Y BIN SIZE": 0.000225233895684, "STD SCALE": 1000000,
                          "DEPTH SCALE": SCALE, "DEPTH OFFSET": 0.0,
                          "NULL DEPTH": NULL},
                         **{name + " BITS": n for name, n in BITS.items()})
        self.chain()

    def summarize(self, soundings):
        """Returns fields of a bin: count, deviation, six depths, valid ones,
        validity."""
        every = [s["z"] / SCALE for s in soundings if not s["validity"] & DELETED]
        good = [s["z"] / SCALE for s in soundings
                if not s["validity"] & (DELETED | MANUAL | FILTER)]
        depths = []
        for some in (good, every):
            if some:
                depths += [math.fsum(some) / len(some), min(some), max(some)]
            else:
                depths += [NULL] * 3
        validity = HAS_DATA if good else 0
        for s in soundings:
            validity |= s["validity"]
        return {"count": len(soundings), "std": deviation(good), "depths": depths,
                "valid": len(good), "validity": validity, "head": 0, "tail": 0}

    def chain(self):
        """Makes blocks of all bins in turn, so that chains are interleaved."""
        self.blocks = []  # [soundings, index of the next block]
        last, left = {}, {place: list(s) for place, s in self.bins.items() if s}
        while left:
            for place in sorted(left):
                here, left[place] = (left[place][:self.length],
                                     left[place][self.length:])
                if place in last:
                    self.blocks[last[place]][1] = len(self.blocks)
                else:
                    self.summary[place]["head"] = len(self.blocks)
                last[place] = self.summary[place]["tail"] = len(self.blocks)
                self.blocks.append([here, None])
            left = {place: s for place, s in left.items() if s}

    @property
    def block_bytes(self):
        return (self.length * self.sounding_bits() + BITS["RECORD POINTER"] + 7) // 8

    @staticmethod
    def sounding_bits():
        return sum(BITS[name] for name in (
            "FILE NUMBER", "LINE NUMBER", "PING NUMBER", "BEAM NUMBER", "DEPTH",
            "OFFSET", "OFFSET", "VALIDITY"))

    def block(self, soundings, following):
        fields = []
        for s in soundings:
            fields += [(s["file"], 11), (s["line"], 13), (s["ping"], 25),
                       (s["beam"], 11), (s["z"], BITS["DEPTH"]), (s["x"], 12),
                       (s["y"], 12), (s["validity"], 23)]
        fields += [(0, self.sounding_bits())] * (self.length - len(soundings))
        pointer = 0 if following is None else int(following * self.block_bytes)
        return pack(fields + [(pointer, 38)], self.block_bytes)

    def bin(self, b):
        fields = [(b["count"], 24), (round(b["std"] * 1e6), 32)]
        fields += [(round(z * SCALE), BITS["DEPTH"]) for z in b["depths"]]
        fields += [(b["valid"], 24)] if self.version >= "7" else []
        return pack(fields + [(b["validity"], 23), (b["head"] * self.block_bytes, 38),
                              (b["tail"] * self.block_bytes, 38)])

    def coverage(self):
        """Returns a byte for each bin."""
        return bytes((0x80 if b["validity"] & HAS_DATA else 0) |
                     (0x10 if b["count"] else 0)
                     for _, b in sorted(self.summary.items()))

    def part(self, suffix):
        """Returns the path of one of its files."""
        return os.path.join(self.path + ".data",
                            os.path.basename(self.path) + suffix)

    def save(self):
        folder = self.path + ".data"
        name = self.part("")
        os.makedirs(folder, exist_ok=True)
        with open(self.path, "w") as f:
            f.write("PFM Handle File - made by a test\n")
        head = "[VERSION] = PFM Software - PFM I/O library V%s - 05/15/19\n" % (
            self.version)
        head += "".join("[%s] = %s\n" % pair for pair in self.keys.items())
        with open(name + ".bin", "wb") as f:
            f.write(head.encode().ljust(HEADER, b"\0"))
            for place in sorted(self.bins):
                f.write(self.bin(self.summary[place]))
            f.write(b"" if self.version >= "7" else self.coverage())
        if self.version >= "7":
            with open(name + ".cvg", "wb") as f:
                f.write(b"PFM\n[END OF HEADER]\n".ljust(65536, b"\0") +
                        self.coverage())
        with open(name + ".ctl", "w") as f:
            f.write("PFM Software - PFM I/O library V%s - 05/15/19\n" % self.version)
            f.write("a.bin\na.ndx\nNONE\nNONE\n")
            f.writelines("+ %05d 02 line%d.gsf\n" % (i, i) for i in range(FILES))
        with open(name + ".lin", "w") as f:
            f.writelines("line%d.gsf-000\n" % i for i in range(LINES))
        with open(name + ".ndx", "wb") as f:
            for block in self.blocks:
                f.write(self.block(*block))
        return self


def library_s_own(folder):
    """Returns the handle of a PFM that the library made, unpacked, and known facts
    about it."""
    folder = os.path.join(folder, "pfm")
    shutil.copytree(os.path.join(DATA, "pfm"), folder)
    for part in ("bin", "cvg"):
        name = os.path.join(folder, "r6.pfm.data", "r6.pfm." + part)
        with gzip.open(name + ".gz") as packed, open(name, "wb") as f:
            f.write(packed.read())
    with open(os.path.join(DATA, "gsf", "truth.json")) as f:
        known, = [load for load in json.load(f)["pfm"]["loads"]
                  if load["source"] == "6_184_1440.mb121"]
    return os.path.join(folder, "r6.pfm"), known
