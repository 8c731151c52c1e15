#!/usr/bin/env python3
# limit: 1800; tier: quick ci
"""The workloads of ldad: answers are right and checked with every method, and the
logical bytes are the same with all of them and with any number of ranks. Every method
meets every workload, and some numbers of ranks; with LEADLINE_BIG=1, all of them."""
import glob
import itertools
import os
import re
import struct
import unittest
import zlib

from e2e import HDF5, SHIM, Case, add, long, main, read_bytes, samples, total

RANKS = (1, 2, 3, 4, 8)
# Sizes do not divide evenly among ranks, if they need not.
WORKLOADS = {
    "perf": (("--chunk=12k", "--chunks=5"), ("perf",)),
    "mandelbrot": (("--width=301", "--height=101", "--iterations=50"), ("picture",)),
    "jacobi": (("--rows=67", "--columns=45", "--sweeps=3", "--chunk=2k"),
               ("grid-a", "grid-b")),
    "fft": (("--points=2048", "--chunk=4k"), ("input", "first", "second", "result")),
}
OTHERWISE = [
    ("perf", "slabs", ("--decomp=slabs",)),
    ("mandelbrot", "cyclic", ("--decomp=cyclic", "--chunk=1k")),
    ("mandelbrot", "slabs", ("--decomp=slabs", "--chunk=1k")),
    ("jacobi", "cyclic", ("--decomp=cyclic",)),
    ("jacobi", "rows", ("--decomp=rows",)),
]
METHODS = ["independent", "collective", "collective-nocb", "unique", "partitioned"]
METHODS += ["hdf5"] if HDF5 else []
PHASES = {"perf": {"write", "read"}, "mandelbrot": {"write", "read"},
          "jacobi": {"write", "sweeps", "read"},
          "fft": {"write", "columns", "rows", "order", "read"}}


def numbers(text, word):
    found = re.search(r"\b%s=(\S+)" % word, text)
    return [int(n) for n in found.group(1).strip("[]").split(",")] if found else None


def owners(plan, size):
    """Returns (rank, begin, end) of the pieces of a plan with one level at most, in
    order."""
    ranks, step = numbers(plan, "ranks")[0], numbers(plan, "step")[0]
    end, chunk = numbers(plan, "end"), numbers(plan, "size")[0]
    span, stride = numbers(plan, "span"), numbers(plan, "stride")
    times = span[0] // stride[0] if span else 1
    end = min(end[0] if end else size, size)
    pieces = [(rank, rank * step + i * (stride[0] if span else 0))
              for i in range(times) for rank in range(ranks)]
    return [(rank, at, min(at + chunk, end))
            for rank, at in sorted(pieces, key=lambda p: p[1]) if at < end]


def reassembled(parts, plan):
    """Returns the logical file of one file for each rank."""
    size = sum(len(part) for part in parts)
    taken, out = [0] * len(parts), bytearray()
    for rank, begin, end in owners(plan, size):
        assert begin == len(out), "the plan leaves a gap"
        out += parts[rank][taken[rank]:taken[rank] + end - begin]
        taken[rank] += end - begin
    assert taken == [len(part) for part in parts], "a file has more than its share"
    return bytes(out)


def content(path):
    return read_bytes(path)


def grey_png(data):
    """Returns width, height and pixels of a PNG file of grey bytes, with any of the
    filters."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert (bits, colour) == (8, 0)
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw, out, above = zlib.decompress(packed), bytearray(), bytes(width)
    for row in range(height):
        line = raw[row * (width + 1):(row + 1) * (width + 1)]
        new = bytearray()
        for i in range(width):
            a, b = (new[i - 1] if i else 0), above[i]
            c = above[i - 1] if i else 0
            near = min((abs(b - c), 0, a), (abs(a - c), 1, b),
                       (abs(a + b - 2 * c), 2, c))[2]
            guess = (0, a, b, (a + b) // 2, near)[line[0]]
            new.append((line[1 + i] + guess) & 255)
        out += new
        above = bytes(new)
    return width, height, bytes(out)


class Workloads(Case):
    LIMIT = 120
    kept = {}

    def ldad(self, workload, *options, **how):
        done = self.run_program("ldad", workload, *options, "--quiet", **how)
        done.said = [line for line in done.err.splitlines() if line.startswith("ldad ")]
        return done

    def report_of(self, done):
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.said, [], done)
        self.assertIs(done.report["valid"], True, done)
        return done.report

    def logical(self, done, role):
        """Returns the contents of the file, however it is stored; None: within an HDF5
        file."""
        path, = [p for p in glob.glob("%s/ldad-*.%s" % (done.dir, role))] or \
            [glob.glob("%s/ldad-*.%s.000000" % (done.dir, role))[0][:-7]]
        if os.path.isdir(path):
            flat = self.run_program("ldad", "flatten", path, path + ".flat", np=2,
                                    dir=False, json=False)
            self.assertEqual(flat.status, 0, flat)
            return content(path + ".flat")
        if os.path.exists(path):
            return content(path)
        parts = [content(p) for p in sorted(glob.glob(path + ".[0-9]*"))]
        return reassembled(parts, done.report["run"]["notes"]["plan"])

    def run_kept(self, workload, method, np, *more):
        options, roles = WORKLOADS[workload]
        done = self.ldad(workload, *options, *more, "--io=" + method, "--keep",
                         "--seed=1", np=np)
        report = self.report_of(done)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        self.assertGreater(report["checks"]["blocks_checked"], 0)
        self.assertEqual({s["phase"] for s in report["samples"]}, PHASES[workload])
        return done, {role: self.logical(done, role) for role in roles}

    def one_rank(self, workload):
        """Returns the bytes that one rank writes into an ordinary file."""
        if workload not in self.kept:
            done, self.kept[workload] = self.run_kept(workload, "independent", 1)
        return self.kept[workload]

    def same_bytes(self, workload, method, np, *more):
        expected = self.one_rank(workload)
        done, files = self.run_kept(workload, method, np, *more)
        for role, found in files.items():
            right = expected[role]
            if method == "hdf5":  # the dataset is in one piece
                self.assertIn(right, found, role)
            elif workload == "perf":  # more ranks write more
                self.assertEqual(len(found), np * len(right))
                self.assertEqual(found[:len(right)], right)
            else:
                self.assertEqual(found, right, role)
        return done.report

    def all_ranks(self, workload, method, ranks):
        for np in ranks:
            with self.subTest(np=np):
                self.same_bytes(workload, method, np)

    def otherwise(self, workload, options, method):
        self.same_bytes(workload, method, 3, *options)

    # ---- answers -------------------------------------------------------------------

    def caught(self, workload, what, method):
        """Lying storage is detected, and no files are left."""
        options, roles = WORKLOADS[workload]
        data = roles[-1] + ("/part-" if method == "partitioned" else "")
        env = {"PRELOAD": SHIM, "FAULT": what, "FAULT_FILE": data, "FAULT_RANK": "1"}
        done = self.ldad(workload, *options, "--io=" + method, "--io-timeout=20",
                         env=env, np=2)
        self.assertEqual(done.status, 1, done)
        self.assertEqual(len(done.said), 1, done)
        self.assertIs(done.report["valid"], False)
        self.assertEqual(done.files, [])
        return done

    def lie(self, workload, what, method):
        done = self.caught(workload, what, method)
        self.assertIn("verification failed", done.said[0])
        self.assertGreater(done.report["checks"]["blocks_bad"], 0)

    def test_what_is_behind_it_is_told(self):
        """It is reported for data without stamps, too."""
        for workload, method in ("jacobi", "independent"), ("mandelbrot", "unique"):
            done = self.caught(workload, "write:lost:1", method)
            self.assertIn("the file system served stale data", done.said[0])

    def test_fft_agrees_in_double_precision(self):
        report = self.good(self.ldad("fft", "--points=65536", "--precision=double"))
        self.assertLess(report["results"]["error"][0], 1e-13)
        self.assertGreater(report["results"]["error"][0], 0)

    def test_fft_agrees_in_single_precision(self):
        report = self.good(self.ldad("fft", "--points=65536"))
        self.assertLess(report["results"]["error"][0], 1e-5)
        self.assertGreater(report["results"]["error"][0], 1e-9)

    def test_who_reads_what_others_wrote(self):
        """The writers of interleaved chunks read them, and those of the transpose do
        not."""
        def share(*line):
            figures = self.good(self.ldad(*line, np=4))["figures"]
            value, = [f["reps"] for f in figures if f["name"] == "foreign_read_share"]
            return value[0]
        self.assertEqual(share("perf", "--chunks=3", "--chunk=4k"), 0)
        # The writer of the result reads it, after three transpositions.
        self.assertAlmostEqual(share("fft", "--points=4096"), 100 * 3 / 4 * 3 / 4)
        self.assertAlmostEqual(share("mandelbrot", "--width=64", "--height=64"), 75)

    def test_rounds_are_capped_where_transfers_are_collective(self):
        for method, chunks in (("collective", 2), ("independent", 5)):
            report = self.good(self.ldad("perf", "--chunk=4k", "--chunks=5",
                                         "--rounds=2", "--io=" + method))
            self.assertEqual(total(report, "write"), 2 * chunks * 4096)
        report = self.good(self.ldad("mandelbrot", "--width=50", "--height=40",
                                     "--rounds=3", "--io=collective"))
        self.assertEqual(total(report, "write"), 50 * 3 * 2)

    @unittest.skipUnless(os.environ.get("HAVE_LIBPNG") == "yes", "no libpng")
    def test_picture(self):
        """The PNG file has the bytes of the file, whatever stored it."""
        for method in ("independent", "unique", "partitioned"):
            path = self.path(method + ".png")
            done, files = self.run_kept("mandelbrot", method, 3, "--png", path)
            width, height, pixels = grey_png(content(path))
            self.assertEqual((width, height), (301, 101))
            self.assertEqual(pixels, files["picture"])

    def test_sync_is_within_the_time(self):
        report = self.good(self.ldad("jacobi", "--rows=40", "--columns=40"))
        self.assertTrue(samples(report, "sync", phase="sweeps"))
        report = self.good(self.ldad("jacobi", "--rows=40", "--columns=40",
                                     "--cache=keep"))
        self.assertFalse(samples(report, "sync"))

    def test_reports_compare(self):
        """The report has the expansion of --io, and later options win."""
        report = self.good(self.ldad("perf", "--chunk=4k", "--io", "collective",
                                     "--no-collective"))
        self.assertIs(report["io"]["collective"], False)
        self.assertEqual(report["io"]["engine"], "mpiio")

    def test_paper_sizes(self):
        for workload, each, files in (
                ("perf", 1 << 20, 2), ("mandelbrot", 256 << 20, 1),
                ("jacobi", 64 << 20, 2), ("fft", 8 << 20, 4)):
            done = self.run_program("ldad", workload, "--paper", "--dry-run",
                                    json=False)
            self.assertEqual(done.status, 0, done)
            disk, = re.findall(r"disk.* (\S+ MiB)$", done.out, re.M)
            self.assertEqual(disk, "%.1f MiB" % (each * files / (1 << 20)))

    # ---- refused -------------------------------------------------------------------

    def refuses(self, *line, says, np=2):
        done = self.ldad(*line, np=np)
        self.assertEqual(done.status, 2, done)
        self.assertEqual(len(done.said), 1, done)
        self.assertIn(says, done.said[0])
        self.assertEqual(done.files, [])

    @long
    def test_refusals(self):
        self.refuses("fft", np=3, says="power of two of ranks")
        self.refuses("fft", "--points=1000", says="not a power of two")
        self.refuses("fft", "--points=16", np=8, says="too small for 8 ranks")
        self.refuses("perf", "--chunk=12", says="multiple of 8")
        self.refuses("perf", "--io=fast", says="independent")
        self.refuses("perf", "--iomode=ASYNC", says="unknown option --iomode")
        self.refuses("perf", "--cache=direct", says="flush|keep")
        self.refuses("perf", "--filetype=UNIQUE", "--collective", says="--collective")

    @long
    def test_64_ranks(self):
        for workload, method in (("perf", "partitioned"), ("mandelbrot", "independent"),
                                 ("jacobi", "unique")):
            options, _ = WORKLOADS[workload]
            self.good(self.ldad(workload, *options, "--io=" + method, np=64))
        self.good(self.ldad("fft", "--points=4096", "--io=unique", np=64))


def some(i, everything, n):
    """Returns all of them if there is time, else n of them, others for each i."""
    if os.environ.get("LEADLINE_BIG") == "1":
        return everything
    return [everything[(i + 2 * k) % len(everything)] for k in range(n)]


for i_, (name_, method_) in enumerate(itertools.product(sorted(WORKLOADS), METHODS)):
    ranks_ = some(i_, [np for np in RANKS if name_ != "fft" or np != 3], 2)
    add(Workloads, "%s_%s" % (name_, method_.replace("-", "_")), "all_ranks", name_,
        method_, ranks_)
for i_, (name_, way_, options_) in enumerate(OTHERWISE):
    for method_ in some(i_, ["independent", "collective", "partitioned", "unique"], 2):
        add(Workloads, "%s_%s_%s" % (name_, way_, method_), "otherwise", name_,
            options_, method_)
for name_, method_ in [
        (name, method) for i, name in enumerate(sorted(WORKLOADS))
        for method in some(i, ["independent", "unique", "partitioned"], 2)]:
    # One bit less of a number in single precision is no error.
    how_, read_, write_ = ("caught", "shift", "lost") if name_ == "fft" else \
        ("lie", "flip", "flip")
    add(Workloads, "%s_%s_reads_lie" % (name_, method_), how_, name_,
        "read:%s:1" % read_, method_)
    add(Workloads, "%s_%s_writes_lie" % (name_, method_), how_, name_,
        "write:%s:1" % write_, method_)

if __name__ == "__main__":
    main()
