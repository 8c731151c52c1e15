#!/usr/bin/env python3
# limit: 300
"""pfminfo against a PFM of the library that defines the format, against such as are
made here from the format's description, and against damaged ones."""
import gzip
import hashlib
import json
import math
import os
import random
import re
import shutil

import pfm_reader
from e2e import TESTS, Case, add, main

DATA = os.path.join(TESTS, "data")
HEADER = 131072
WIDTH, HEIGHT = 7, 5
SCALE, NULL = 100, 601.0
BITS = {"COUNT": 24, "STD": 32, "DEPTH": 16, "RECORD POINTER": 38, "FILE NUMBER": 11,
        "LINE NUMBER": 13, "PING NUMBER": 25, "BEAM NUMBER": 11, "OFFSET": 12,
        "VALIDITY": 23}
MANUAL, FILTER, MODIFIED, HAS_DATA, DELETED = 1, 2, 32, 1024, 2048


def pack(fields, size=0):
    """(value, bits) pairs, the highest bit first, in whole bytes."""
    bits = "".join(format(value, "0%db" % width) for value, width in fields if width)
    bits = bits.ljust(max(size * 8, (len(bits) + 7) // 8 * 8), "0")
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def sounding(rng, i):
    """A dictionary with what a sounding has."""
    validity = rng.choice([0] * 7 + [MANUAL, FILTER, MODIFIED | FILTER, DELETED])
    return {"file": i % 3, "line": i % 5, "ping": i + 1, "beam": i % 400,
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
        """Fields of a bin: count, deviation, six depths, valid ones, validity."""
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
        """Blocks of all bins in turn, so that chains are interleaved."""
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

    def save(self):
        folder = self.path + ".data"
        name = os.path.join(folder, os.path.basename(self.path))
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
        with open(name + ".ndx", "wb") as f:
            for block in self.blocks:
                f.write(self.block(*block))
        return self


class PfmFiles(Case):
    def pfminfo(self, *args):
        return self.run_program("pfminfo", *args, np=0, dir=False, json=False)

    def facts(self, path):
        """{what: text} of a PFM that is as it should be."""
        done = self.pfminfo("--verify", path)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return dict(re.split(r"  +", line, 1) for line in done.out.splitlines())

    def made(self, *args, **how):
        return Pfm(os.path.join(self.tmp, "a.pfm"), *args, **how)

    def wrong(self, pfm, *parts):
        """Said in one sentence, and nothing shown as if it were good."""
        done = self.pfminfo("--verify", pfm.path)
        self.one_sentence(done, *parts)
        self.assertEqual((done.status, done.out), (1, ""), done)

    # ---- good ones -----------------------------------------------------------

    def real(self):
        """The handle of the library's own, and what is known of it."""
        folder = os.path.join(self.tmp, "pfm")
        shutil.copytree(os.path.join(DATA, "pfm"), folder)
        for part in ("bin", "cvg"):
            name = os.path.join(folder, "r6.pfm.data", "r6.pfm." + part)
            with gzip.open(name + ".gz") as packed, open(name, "wb") as f:
                f.write(packed.read())
        with open(os.path.join(DATA, "gsf", "truth.json")) as f:
            known, = [load for load in json.load(f)["pfm"]["loads"]
                      if load["source"] == "6_184_1440.mb121"]
        return os.path.join(folder, "r6.pfm"), known

    def test_the_library_s_own(self):
        path, known = self.real()
        facts = self.facts(path)
        for name, text in (
                ("bins with data", "%d" % known["bins_with_data"]),
                ("soundings", "%d, at most 2 in a bin" % known["soundings"]),
                ("blocks", "%d in chains of at most 1" % known["blocks"]),
                ("depth sum", "%d, %.2f m" % (known["depth_int_sum"],
                                              known["depth_int_sum"] / 100)),
                ("block", "%d bytes, 6 soundings of 121 bits" % known["block_bytes"]),
                ("bin record", "%d bytes" % known["bin_bytes"]),
                ("grid", "%s x %s bins of 25 m" % (known["BIN WIDTH"],
                                                   known["BIN HEIGHT"]))):
            self.assertEqual(facts[name], text)

    def test_the_other_reader(self):
        """What other tests read PFMs with finds the same in the library's own."""
        path, known = self.real()
        pfm = pfm_reader.load(path)
        soundings = pfm.soundings()
        self.assertEqual((len(pfm.bins), len(soundings), len(pfm.used)),
                         (known["bins_with_data"], known["soundings"], known["blocks"]))
        self.assertEqual((pfm.unused_blocks, pfm.block_bytes, pfm.bin_bytes),
                         (0, known["block_bytes"], known["bin_bytes"]))
        self.assertEqual(sum(s[5] for s in soundings), known["depth_int_sum"])
        self.assertEqual(self.multiset(pfm), known["multiset_sha256"])
        for key in ("MIN X", "MAX Y", "X BIN SIZE", "DEPTH SCALE"):
            self.assertEqual(pfm.head[key], known[key])
        cover = pfm.coverage()
        covered = {divmod(i, pfm.width) for i, byte in enumerate(cover) if byte}
        self.assertEqual((covered, set(cover)), (set(pfm.bins), {0, 0x90}))

    @staticmethod
    def multiset(pfm):
        """As gsf/truth.json has it."""
        names = ("file", "ping", "beam", "depth", "x", "y", "validity")
        return hashlib.sha256("".join(
            str((place, sorted(tuple(s[name] for name in names) for s in chain)))
            for place, (_, chain) in sorted(pfm.bins.items())).encode()).hexdigest()

    def read_otherwise(self, pfm):
        """A PFM made here, with the reader of other tests."""
        other = pfm_reader.load(pfm.path)
        self.assertEqual(set(other.bins), {at for at, s in pfm.bins.items() if s})
        for place, (found, chain) in other.bins.items():
            self.assertEqual([dict(s, z=s["depth"]) for s in chain],
                             [dict(s, depth=s["z"], attributes=0, x_error=0, z_error=0)
                              for s in pfm.bins[place]])
            self.assertEqual((found["count"], found["validity"]),
                             (len(chain), pfm.summary[place]["validity"]))

    def good_one(self, version, length):
        pfm = self.made(version, length, seed=length).save()
        self.read_otherwise(pfm)
        facts = self.facts(pfm.path)
        every = [s for soundings in pfm.bins.values() for s in soundings]
        blocks = [math.ceil(len(s) / length) for s in pfm.bins.values()]
        links = sum(n - 1 for n in blocks if n)
        ordered = sum(following == i + 1 for i, (_, following) in enumerate(pfm.blocks))
        total = sum(s["z"] for s in every)
        bad = sum(1 for s in every if s["validity"] & (MANUAL | FILTER))
        for name, text in (
                ("bins with data", str(sum(1 for n in blocks if n))),
                ("soundings", "%d, at most %d in a bin" % (
                    len(every), max(map(len, pfm.bins.values())))),
                ("blocks", "%d in chains of at most %d" % (sum(blocks), max(blocks))),
                ("links", "%d, %d of them to the next block" % (links, ordered)),
                ("not valid", "%d soundings" % bad),
                ("depth sum", "%d, %.2f m" % (total, total / SCALE)),
                ("verified", "all chains and all bins")):
            self.assertEqual(facts[name], text, name)

    # ---- others --------------------------------------------------------------

    def test_without_verify_chains_are_not_looked_at(self):
        pfm = self.made()
        pfm.summary[1, 3]["tail"] += 1
        done = self.pfminfo(pfm.save().path)
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertNotIn("verified", done.out)

    def test_bad_chains(self):
        pfm = self.made()
        pfm.summary[1, 3]["tail"] -= 1
        self.wrong(pfm.save(), "ends here", ".ndx", "offset")
        pfm = self.made()
        long = pfm.summary[0, 6]["head"]  # 40 soundings
        for following, part in ((10000, "out of the file"), (long, "twice to one"),
                                (None, "ends here with 6 of its 40"), (1, "two chains"),
                                (0.5, "middle of a block")):
            pfm = self.made()
            pfm.blocks[long][1] = following
            self.wrong(pfm.save(), part, ".ndx", "offset")
            self.assertRaises(pfm_reader.PfmError, pfm_reader.load, pfm.path)

    def test_a_chain_that_does_not_end(self):
        pfm = self.made()
        pfm.blocks[pfm.summary[0, 6]["tail"]][1] = 3
        self.wrong(pfm.save(), "going on at %d" % (3 * pfm.block_bytes))

    def test_wrong_bins(self):
        place = (0, 6)
        for field, change, part in (("valid", 1, "number of valid"),
                                    ("std", 0.001, "standard deviation"),
                                    ("validity", -HAS_DATA, "mark that it has data"),
                                    (0, 0.02, "filtered average"),
                                    (1, 0.02, "filtered range"),
                                    (2, 0.02, "filtered range"),
                                    (3, 0.02, "average depth"),
                                    (4, 0.02, "range of depths"),
                                    (5, 0.02, "range of depths")):
            pfm = self.made()
            b = pfm.summary[place]
            if isinstance(field, int):
                b["depths"][field] += change
            else:
                b[field] += change
            self.wrong(pfm.save(), part, "row 0, column 6", "1 of ", "40 soundings")
        pfm = self.made()
        pfm.summary[place]["count"] += 1
        self.wrong(pfm.save(), "row 0, column 6")
        pfm = self.made()
        pfm.summary[place]["count"] = 1 << 23
        self.wrong(pfm.save(), "more than there are")

    def test_bad_headers(self):
        for key in Pfm("x").keys:
            pfm = self.made()
            del pfm.keys[key]
            self.wrong(pfm.save(), "[%s]" % key)
            for value in ("-7", "x", "1e300", "nan"):
                pfm = self.made()
                if value == "-7" and not isinstance(pfm.keys[key], int):
                    continue
                pfm.keys[key] = value
                if key != "BIN SIZE XY" or value != "-7":
                    self.wrong(pfm.save(), "[%s]" % key, "cannot be")
        for version in ("5.39", "8.00"):
            self.wrong(self.made(version).save(), version, "only 6 and 7")

    def test_files_cut_short(self):
        pfm = self.made().save()
        name = os.path.join(pfm.path + ".data", "a.pfm")
        with open(name + ".ndx", "r+b") as f:
            f.truncate((len(pfm.blocks) - 1) * pfm.block_bytes)
        self.wrong(pfm, "out of the file")
        for size in (HEADER + 100, HEADER - 100, 10, 0):
            with open(name + ".bin", "r+b") as f:
                f.truncate(size)
            self.wrong(pfm, ".bin")
        os.unlink(name + ".bin")
        self.wrong(pfm, "No such file", ".bin")
        os.unlink(pfm.path)
        self.wrong(pfm, "No such file")
        with open(pfm.path, "w") as f:
            f.write("something else\n")
        self.wrong(pfm, "not a PFM")

    def test_flipped_bits(self):
        """Any of them is refused or does not matter; none crashes or hangs."""
        pfm = self.made(length=2).save()
        name = os.path.join(pfm.path + ".data", "a.pfm")
        rng = random.Random(5)
        refused = 0
        for i in range(120):
            path = name + (".ndx" if i % 2 else ".bin")
            with open(path, "r+b") as f:
                size = f.seek(0, 2)
                at = rng.randrange(size if i % 2 else 600)
                at = rng.randrange(HEADER, size) if i % 4 == 2 else at
                f.seek(at)
                before = f.read(1)
                f.seek(at)
                f.write(bytes([before[0] ^ 1 << rng.randrange(8)]))
            done = self.pfminfo("--verify", pfm.path)
            if done.status:
                self.one_sentence(done)
                self.assertEqual(done.status, 1, done)
                refused += 1
            with open(path, "r+b") as f:
                f.seek(at)
                f.write(before)
        self.assertGreater(refused, 30)
        self.facts(pfm.path)


for version in ("6.40", "7.00"):
    for length in (1, 2, 6, 12):
        add(PfmFiles, "good_%s_of_%d" % (version, length), "good_one", version, length)

if __name__ == "__main__":
    main()
