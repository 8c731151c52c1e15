#!/usr/bin/env python3
# tier: quick ci
"""outcore search: every key is found at its place, by every way of searching, in one
read; its ends."""
import array
import bisect
import itertools
import os
import shutil
import struct
import tempfile

from e2e import KINDS, Case, add, any_mpi, fault, long, main, samples, total, write_file
from graph_reference import key_of, mix, number

FRESH, SEARCHED = 8, 9  # numbers of a seed's streams
# Vectors 100,000 x 32 of seed 1, sorted, and 1000 look-ups of seed 1.
KNOWN = {"lookups": [1000], "reads_per_lookup": [1], "found": [500],
         "positions_sum": [49594775],
         "first_positions": [42186, 16553, 72853, 27030, 83514, 7863, 77276, 77132]}


def total_order(record):
    """Returns float32 little-endian as bytes in total order."""
    bits = struct.unpack("<%dI" % (len(record) // 4), record)
    return struct.pack(">%dI" % len(bits),
                       *(~b & 0xffffffff if b >> 31 else b | 1 << 31 for b in bits))


def sorted_vectors(path):
    """Sorts a file of vectors of numbers >= 0, in place; returns their number."""
    with open(path, "r+b") as f:
        words = array.array("I", f.read())
        words.byteswap()
        data = words.tobytes()
        rows = sorted(data[at:at + 128] for at in range(0, len(data), 128))
        words = array.array("I", b"".join(rows))
        words.byteswap()
        f.seek(0)
        f.write(words.tobytes())
    return len(rows)


class Search(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def search(self, *args, **how):
        return self.run_program("outcore", "search", *args, "--quiet", **how)

    def known_file(self):
        """It is sorted without the programs that are tested here."""
        path = os.path.join(self.folder, "known")
        if not os.path.exists(path):
            done = self.run_program("outcore", "gen", "vectors", "100000", "--seed=1",
                                    "--output=" + path + ".new", "--quiet", np=1)
            self.assertEqual(done.status, 0, done)
            self.assertEqual(sorted_vectors(path + ".new"), 100000)
            os.rename(path + ".new", path)
        return path

    def write(self, name, *records):
        return write_file(self.path(name), b"".join(records))

    def known(self, *options, np=1, **how):
        done = self.search(self.known_file(), "--seed=1", "--lookups=1000",
                           "--keys=seed", *options, np=np, **how)
        report = self.good(done)
        found = dict(report["results"])
        self.assertGreater(found.pop("index_bytes")[0], 0)
        self.assertEqual(found, KNOWN)
        self.assertEqual(report["checks"]["blocks_checked"], 1000)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        return report

    # ---- answers ---------------------------------------------------------------------

    def test_known_answer(self):
        """One block is read for each key, and for each block of the index."""
        report = self.known("--build=strided")
        self.assertEqual(total(report, "read", phase="lookup"), 1000 * 4096)
        self.assertEqual(total(report, "read", "calls", phase="lookup"), 1000)
        self.assertEqual(total(report, "read", phase="index"), 3125 * 4096)
        self.assertEqual(report["results"]["index_bytes"], [(391 + 49 + 7 + 1) * 64])
        figures = {f["name"]: f["median"] for f in report["figures"]}
        for name in ("mean_us", "per_s", "p50_us", "p99_us", "cpu_us"):
            self.assertGreater(figures["lookup." + name], 0)
        self.assertAlmostEqual(figures["lookup.per_s"] * figures["lookup.mean_us"], 1e6,
                               delta=1)
        self.assertGreater(figures["index.reads_per_s"], 0)
        self.assertFalse([name for name in figures if name.startswith(("keys", "ver"))])

    def in_a_way(self, np, threads, depth, engine, *options):
        self.known("--threads=%d" % threads, "--depth=%d" % depth,
                   "--iomethod=" + engine, *options, np=np)

    def test_without_an_index(self):
        report = self.good(self.search(
            self.known_file(), "--seed=1", "--lookups=1000", "--keys=seed",
            "--index=none", "--threads=2"))
        self.assertEqual(report["results"]["positions_sum"], KNOWN["positions_sum"])
        self.assertGreater(report["results"]["reads_per_lookup"][0], 10)
        self.assertLessEqual(report["results"]["reads_per_lookup"][0], 12)
        self.assertFalse(samples(report, "read", "index"))

    def sweeps(self, what, engine):
        report = self.known("--sweep-%s=1,2,4" % what, "--iomethod=" + engine)
        at = [s["at"] for s in samples(report, "wall", "lookup")]
        self.assertEqual(at, [{what: 1}, {what: 2}, {what: 4}])
        self.assertEqual(total(report, "read", phase="lookup"), 3 * 1000 * 4096)

    def test_keys_that_are_asked_for_often(self):
        """With a skew, some keys come again and again; all of them are in the file."""
        report = self.good(self.search(self.known_file(), "--seed=1", "--zipf=1.5",
                                       "--lookups=1000", "--hit-rate=1", np=1))
        first = report["results"]["first_positions"]
        self.assertEqual(report["results"]["found"], [1000])
        self.assertLess(len(set(first)), len(first))

    # ---- another search --------------------------------------------------------------

    def answers(self, keys, width, hit_rate, n):
        """Returns the answers of n look-ups of seed 1 with --keys=read, by
        bisection."""
        fresh, searched, words = key_of(1, FRESH), key_of(1, SEARCHED), (width + 7) // 8
        for q in range(n):
            if -(-(q + 1) * hit_rate // 1) > -(-q * hit_rate // 1):
                key = keys[number(searched, q) * len(keys) >> 64]
            else:
                key = struct.pack("<%dQ" % words, *(number(fresh, q * words + i)
                                                    for i in range(words)))[:width]
            at = bisect.bisect_left(keys, key)
            yield at, at < len(keys) and keys[at] == key

    def by_bisection(self, records, form, at, width, *options, **how):
        """Searches a file of records with a key of `width` bytes."""
        keys = [r[at:at + width] for r in records]
        rate = 1 if form == "vector" else 0.5
        if form == "vector":
            keys = [total_order(r) for r in records]
        right = list(self.answers(keys, width, rate, 600))
        report = self.good(self.search(
            self.write("file", *records), "--record=" + form, "--seed=1",
            "--lookups=600", "--hit-rate=%s" % rate, "--keys=read", *options, **how))
        found = report["results"]
        self.assertEqual(found["positions_sum"], [sum(p for p, _ in right)])
        self.assertEqual(found["found"], [sum(e for _, e in right)])
        self.assertEqual(found["first_positions"], [p for p, _ in right[:8]])
        return found["reads_per_lookup"][0]

    def random_records(self, n, size, at, width, kinds):
        """Makes keys with one of `kinds` first parts."""
        key = key_of(7, 1)
        made = []
        for i in range(n):
            head = struct.pack(">Q", mix(number(key, i) % kinds))
            tail = struct.pack(">QQ", number(key, n + i) % 3, number(key, i))
            made.append(b"-" * at + (head + tail)[:width])
            made[-1] += b"=" * (size - len(made[-1]))
        return sorted(made, key=lambda r: r[at:at + width])

    def test_records_that_straddle_blocks(self):
        """Records have 100 bytes in blocks of 4096, and the last block is short."""
        made = self.random_records(3001, 100, 0, 10, 1 << 60)
        reads = self.by_bisection(made, "100,0,10", 0, 10, np=2)
        self.assertEqual(reads, 1)
        reads = self.by_bisection(made, "100,0,10", 0, 10, "--build=strided",
                                  "--threads=3", "--block=1000", np=1)
        self.assertEqual(reads, 1)

    def test_keys_that_begin_alike(self):
        """There are long runs of them: more reads, and the first of equal ones."""
        made = self.random_records(4000, 56, 5, 16, 3)
        reads = self.by_bisection(made, "56,5,16", 5, 16, "--iomethod=threads",
                                  "--depth=4", np=3)
        self.assertGreater(reads, 1)
        reads = self.by_bisection(made, "56,5,16", 5, 16, "--block=256",
                                  "--split=replicated", "--build=scan", np=2)
        self.assertGreater(reads, 1)

    def test_numbers_that_are_none(self):
        """Both zeros, infinities and NaN have their places in the total order."""
        odd = [0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
               0x7fc00001, 0x00000001, 0x80000001, 0x3f800000]
        made = [struct.pack("<32I", *(odd[number(3, 3 * i + c % 3) % len(odd)]
                                      for c in range(32))) for i in range(2000)]
        made.sort(key=total_order)
        self.by_bisection(made, "vector", 0, 128, "--build=scan", np=2)

    def test_one_record(self):
        report = self.good(self.search(
            self.write("one", b"m" * 16), "--record=16,0,16", "--lookups=100",
            "--seed=1", np=2))
        found = report["results"]
        below = sum(p for p, _ in self.answers([b"m" * 16], 16, 0.5, 100))
        self.assertEqual((found["found"], found["reads_per_lookup"]), ([50], [1]))
        self.assertEqual(found["positions_sum"], [below])
        self.assertTrue(0 < below < 50)  # before everything, and after

    # ---- generated files -------------------------------------------------------------

    def test_file_made_in_place(self):
        """The program sorts it itself: answers are the same; and nothing is left."""
        report = self.good(self.search("--records=100000", "--seed=1", "--lookups=1000",
                                       "--threads=2", np=2))
        found = dict(report["results"])
        del found["index_bytes"]
        self.assertEqual(found, KNOWN)
        phases = [s["phase"] for s in samples(report, "wall")]
        self.assertEqual([p for p in phases if p in ("make", "index", "lookup")],
                         ["make", "index", "lookup"])

    def made_wrong(self, what):
        """The sort of the generated file reads wrong data: other records are also in
        order."""
        done = self.search("--records=20000", "--record=100", "--seed=1",
                           "--lookups=100", np=1, env=fault(what, file=".unsorted"))
        self.failed(done, "the output is wrong")

    # ---- ends ------------------------------------------------------------------------

    def unsorted(self, build, np):
        made = self.random_records(2000, 128, 0, 8, 1 << 60)
        made[640], made[1639] = made[1639], made[640]
        self.failed(self.search(self.write("file", *made), "--record=128,0,8",
                                "--build=" + build, "--threads=2", np=np),
                    "not sorted", "offset", "outcore sort")

    def test_unsorted_where_ranks_meet(self):
        """Each rank's part is sorted."""
        made = self.random_records(2048, 128, 0, 8, 1 << 60)
        done = self.search(self.write("file", *made[1024:], *made[:1024]),
                           "--record=128,0,8", "--build=scan", np=2)
        self.failed(done, "offset %d " % (1023 * 128), "offset %d:" % (1024 * 128))

    def reads_badly(self, how, *words):
        """Reads fail during look-ups: phases before make 64 reads."""
        made = self.random_records(64 * 32, 128, 0, 8, 1 << 60)
        path = self.write("file", *made)
        done = self.search(path, "--record=128,0,8", "--build=strided", "--seed=1",
                           "--lookups=500", "--hit-rate=0", "--iomethod=posix",
                           "--cache=keep", env=fault("read:%s:400+" % how, 1, path))
        self.failed(done, *words, rank=1)

    def test_file_cut_meanwhile(self):
        run = self.start("outcore", "search", self.write("file", open(
            self.known_file(), "rb").read()), "--quiet", "-r", "100000", "--seed=1")
        self.until(lambda: run.ranks() and os.path.exists(run.json), "it runs")
        os.truncate(self.path("file"), 1000000)
        run.wait(60)
        self.failed(run, "file")
        self.assertIn(run.report["errors"][0]["errno"], ("EIO", "ENODATA"))

    def test_index_larger_than_memory(self):
        path = self.path("sparse")
        with open(path, "wb") as f:
            f.truncate(1 << 40)
        self.refused(self.search(path, "--block=512", np=2), "blocks of 512",
                     "--block=16384 it would fit")
        done = self.search(path, "--block=16k", "--dry-run", "--ranks=2", np=0)
        self.assertEqual(done.status, 0, done)

    @any_mpi
    def test_refused(self):
        cut = self.write("cut", b"x" * 1000)
        for args, words in (
                ((cut, "--input=" + cut), "leave out one"),
                ((cut, "--records=5"), "leave out one"),
                ((cut, "--record=100", "--block=99"), "less than a record"),
                ((cut, "--record=50,10,41"), "not within"),
                ((cut, "--record=ten"), "BYTES,AT,LENGTH"),
                ((cut, "--record=10,0,10", "--keys=seed"), "--keys=read"),
                (("--record=10,0,10",), "no generator"),
                ((cut, "--sweep-depth=2,1"), "1,2,4"),
                ((cut, "--sweep-depth=1,2", "--sweep-threads=1,2"), "one of the two"),
                ((cut, "--record=10,0,10", "--cache=direct", "--block=1000"),
                 "moves multiples of "),
                ((cut, "--sweep-threads=1,2", "--iomethod=mpiio"), "one thread")):
            self.refused(self.search(*args, np=1), words)
        self.one_sentence(self.search(cut, np=1),
                          "7 records of 128 bytes and 104 bytes more")
        self.one_sentence(self.search(self.write("empty"), np=1), "empty")


WAYS = [way for way in itertools.product((1, 2, 3), (1, 3), (1, 8), KINDS)
        if way[1] == 1 or way[3] != "mpiio"]
MORE = ((), ("--split=replicated",), ("--build=scan",), ("--block=8k",),
        ("--build=strided", "--block=1000"), ("--cache=flush",))
for count, way in enumerate(WAYS):
    add(Search, "by_%d_%d_%d_%s" % way, "in_a_way", *way, *MORE[count % len(MORE)])
add(Search, "sweep_of_threads", "sweeps", "threads", "posix")
add(Search, "sweep_of_depth", "sweeps", "depth", "threads")
add(Search, "unsorted_scan", "unsorted", "scan", 1)
long(add(Search, "unsorted_strided", "unsorted", "strided", 2))
add(Search, "half_a_block", "reads_badly", "half", "the file ends here")
add(Search, "a_block_of_another_place", "reads_badly", "shift",
    "the records there say otherwise")
for what in ("lost", "flip"):
    add(Search, "made_" + what, "made_wrong", "read:%s:1" % what)

if __name__ == "__main__":
    main()
