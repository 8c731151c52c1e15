#!/usr/bin/env python3
# limit: 300; mpi: any
"""pfminfo compared with a PFM of the library that defines the format, with others made
here from the format's description, and with damaged ones."""
import hashlib
import math
import os
import random
import re

import pfm_reader
from e2e import Case, add, main, write_at
from pfm_made import (FILTER, HAS_DATA, HEADER, MANUAL, SCALE, Pfm,
                      library_s_own)


class PfmFiles(Case):
    def pfminfo(self, *args):
        return self.run_program("pfminfo", *args, np=0, dir=False, json=False)

    def facts(self, path):
        """Returns {fact: text} of a good PFM."""
        done = self.pfminfo("--verify", path)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return dict(re.split(r"  +", line, 1) for line in done.out.splitlines())

    def made(self, *args, **how):
        return Pfm(os.path.join(self.tmp, "a.pfm"), *args, **how)

    def wrong(self, pfm, *parts):
        """It is refused with one sentence, and nothing is shown as if it were good."""
        done = self.pfminfo("--verify", pfm.path)
        self.one_sentence(done, *parts)
        self.assertEqual((done.status, done.out), (1, ""), done)

    # ---- good PFMs -----------------------------------------------------------

    def test_the_library_s_own(self):
        path, known = library_s_own(self.tmp)
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
        """The reader of other tests finds the same in the library's own PFM."""
        path, known = library_s_own(self.tmp)
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
        """Returns soundings in the form of gsf/truth.json."""
        names = ("file", "ping", "beam", "depth", "x", "y", "validity")
        return hashlib.sha256("".join(
            str((place, sorted(tuple(s[name] for name in names) for s in chain)))
            for place, (_, chain) in sorted(pfm.bins.items())).encode()).hexdigest()

    def read_otherwise(self, pfm):
        """Reads a PFM made here with the reader of other tests."""
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
                ("verified", "all chains, all bins, input files, coverage map")):
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
        os.truncate(name + ".ndx", (len(pfm.blocks) - 1) * pfm.block_bytes)
        self.wrong(pfm, "out of the file")
        for size in (HEADER + 100, HEADER - 100, 10, 0):
            os.truncate(name + ".bin", size)
            self.wrong(pfm, ".bin")
        os.unlink(name + ".bin")
        self.wrong(pfm, "No such file", ".bin")
        os.unlink(pfm.path)
        self.wrong(pfm, "No such file")
        with open(pfm.path, "w") as f:
            f.write("something else\n")
        self.wrong(pfm, "not a PFM")

    def test_flipped_bits(self):
        """Any flipped bit is refused or has no effect; none crashes or hangs."""
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
            write_at(path, at, before)
        self.assertGreater(refused, 30)
        self.facts(pfm.path)


for version in ("6.40", "7.00"):
    for length in (1, 2, 6, 12):
        add(PfmFiles, "good_%s_of_%d" % (version, length), "good_one", version, length)

if __name__ == "__main__":
    main()
