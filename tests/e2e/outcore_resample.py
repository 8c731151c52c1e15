#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""outcore resample: pixels that a reference of its own computes, requests and bytes
that follow from sizes, for all I/O methods and numbers of ranks; images of others; its
ends."""
import hashlib
import math
import os
import struct
import unittest

from e2e import (KINDS, Case, add, any_mpi, drawn, fault, long, main, read_bytes,
                 samples, total)
from resample_reference import HEAD, image, resampled

METHODS = ["strip", "basic", "block", "mmap"]
KERNELS = {1: 0, 16: 2, 36: 3, 64: 4}
SCALES = {1: 1, 4: 2, 16: 4}
FILES = "files/outcore-"
# Image 64 x 48, seed 1, scale 4: pixel (0, 0), the last one, the sum of all.
KNOWN = {"renorm": {16: (43329.272983, 72614.717994, 407406464.2263),
                    36: (39238.606644, 74644.723865, 407343326.7655),
                    64: (35988.901787, 75338.619287, 407301789.8500)},
         "clamp": {16: (44054.835566, None, 407417252.28),
                   36: (40916.992149, None, 407434430.49),
                   64: (38536.385272, None, 407447292.34)}}
NOT_ZERO = {16: 10980, 36: 10148, 64: 9348}
# Image, options; reads and their bytes of strips (reread, keep) and of blocks; writes.
COUNTS = {
    "1024x768": (1024, 768, 4, 36, (6, 1634304, 1572864), (6384, 1701336), (6, 12288),
                 12582912),
    "1000x700": (1000, 700, 16, 64, (11, 1560000, 1400000), (12480, 1747200),
                 (11, 44800), 44800000),
    "nearest": (1024, 768, 1, 1, (3, 1572864, 1572864), (3072, 1572864), (3, 3072),
                3145728)}


# ---- files ---------------------------------------------------------------------------

FORMATS = {8: "B", 16: "H", 32: "f"}


def head(width, height, bits, kind, row=0):
    data = b"LLIMG001" + struct.pack("<QQIIQ", width, height, bits, kind, row)
    return data + bytes(HEAD - len(data))


def packed(image, bits):
    return head(len(image[0]), len(image), bits, int(bits == 32)) + b"".join(
        struct.pack("<%d%s" % (len(row), FORMATS[bits]), *row) for row in image)


def unpacked(path):
    data = read_bytes(path)
    assert data[:8] == b"LLIMG001"
    width, height, bits, kind, row = struct.unpack("<QQIIQ", data[8:40])
    assert kind == int(bits == 32) and not any(data[40:HEAD])
    row = row or width * bits // 8
    assert len(data) == HEAD + height * row
    return [list(struct.unpack_from("<%d%s" % (width, FORMATS[bits]), data,
                                    HEAD + y * row)) for y in range(height)]


class Resample(Case):
    def resample(self, *args, **how):
        return self.run_program("outcore", "resample", "--seed=1", *args, "--quiet",
                                **how)

    def output(self, *args, **how):
        """Returns the report, and the pixels."""
        path = self.path("out.llimg")
        report = self.good(self.resample(*args, "--output=" + path, "--overwrite",
                                         **how))
        return report, unpacked(path)

    def equal(self, found, expected, scale=65535.0, limit=1e-6):
        self.assertEqual((len(found[0]), len(found)),
                         (len(expected[0]), len(expected)))
        worst = max(abs(a - b) for row, other in zip(found, expected)
                    for a, b in zip(row, other))
        self.assertLessEqual(worst / scale, limit)

    # ---- pixels ----------------------------------------------------------------------

    def pixels(self, taps, scale, io, np, *more, edge="renorm", shift=(0.25, -0.4),
               normalize=True):
        _, found = self.output(
            "--width=23", "--height=19", "--tile=7", "--taps=%d" % taps,
            "--scale=%d" % scale, "--io=" + io, "--edge=" + edge,
            "--shift=%g,%g" % shift, *more, np=np)
        self.equal(found, resampled(image(23, 19), SCALES[scale], KERNELS[taps], shift,
                                    edge, normalize),
                   limit=1e-6 if taps > 1 else 0)

    def test_edges(self):
        for edge, taps in drawn([("renorm", 16), ("clamp", 36), ("zero", 64)], 1):
            self.pixels(taps, 4, "strip", 1, edge=edge)

    @long
    def test_edges_of_all(self):
        for edge in ("renorm", "clamp", "zero"):
            for taps in KERNELS:
                self.pixels(taps, 16, "block", 2, edge=edge)
                self.pixels(taps, 1, "strip", 2, "--kernel=2d", edge=edge)

    @long
    def test_far(self):
        """Most of the output lies outside of the image."""
        for edge in ("clamp", "zero"):
            self.pixels(36, 4, "strip", 2, edge=edge, shift=(-20, 30))

    @long
    def test_not_normalized(self):
        self.pixels(16, 4, "strip", 1, "--no-normalize", edge="clamp", normalize=False)

    def known(self, edge, taps):
        _, found = self.output("--width=64", "--height=48", "--taps=%d" % taps,
                               "--edge=" + edge, np=1)
        first, last, whole = KNOWN[edge][taps]
        self.assertAlmostEqual(found[0][0], first, delta=0.065)
        if last:
            self.assertAlmostEqual(found[-1][-1], last, delta=0.065)
        self.assertAlmostEqual(sum(map(sum, found)), whole, delta=65)

    def test_zero_edge(self):
        for taps, n in drawn(NOT_ZERO.items(), 1):
            _, found = self.output("--width=64", "--height=48", "--taps=%d" % taps,
                                   "--edge=zero", np=1)
            self.assertEqual(sum(x != 0 for row in found for x in row), n)

    # ---- the same with any method ----------------------------------------------------

    def test_same(self):
        """It is the same byte by byte, for all methods and any number of ranks."""
        path = self.path("same")
        sums = set()
        for io, np in drawn([(io, np) for io in METHODS for np in (1, 2, 5)], 3):
            self.good(self.resample("--width=150", "--height=120", "--tile=32",
                                    "--io=" + io, "--output=" + path, "--overwrite",
                                    np=np))
            sums.add(hashlib.sha256(read_bytes(path)).hexdigest())
        self.assertEqual(len(sums), 1)

    def asynchronous(self, engine):
        report, found = self.output(
            "--width=60", "--height=50", "--tile=16", "--iomode=ASYNC", "--overlap",
            "--iomethod=" + engine, np=2)
        self.equal(found, resampled(image(60, 50), 2, 3))
        # The last strip needs no new row.
        self.assertEqual(report["results"]["reads"], [6])
        self.assertEqual(report["results"]["writes"], [7])
        names = [f["name"] for f in report["figures"]]
        bound, = [f["reps"][0] for f in report["figures"]
                  if f["name"] == "resample.overlap_bound"]
        self.assertAlmostEqual(bound, 0.75)
        self.assertIn("resample.overlap", names)

    @long
    def test_unique(self):
        path = self.path("part")
        done = self.resample("--width=31", "--height=40", "--tile=16",
                             "--filetype=UNIQUE", "--output=" + path, np=2)
        self.good(done)
        parts = [unpacked("%s.%06d" % (path, rank)) for rank in range(2)]
        self.assertEqual([len(part) for part in parts], [32, 48])
        self.equal(parts[0] + parts[1], resampled(image(31, 40), 2, 3))

    def test_direct(self):
        report, found = self.output("--width=100", "--height=40", "--tile=16",
                                    "--row-pad", "--cache=direct", np=2)
        self.equal(found, resampled(image(100, 40), 2, 3))
        self.assertEqual(total(report, "write", phase="resample"), 80 * 4096)

    def test_padded_rows(self):
        """All methods make the same file, with the padding of each row, also as parts,
        and with a narrow last tile."""
        for width, scale in ((300, 1), (130, 4)):
            made = {}
            for io in ("basic", "mmap", "strip", "block"):
                path = self.path(io)
                self.good(self.resample(
                    "--width=%d" % width, "--height=33", "--scale=%d" % scale,
                    "--taps=1", "--row-pad", "--tile=64", "--io=" + io,
                    "--output=" + path, "--overwrite", np=2))
                made[io] = read_bytes(path)
            rows = 33 * {1: 1, 4: 2}[scale]
            self.assertEqual(len(made["strip"]), (1 + rows) * 4096)
            for io in made:
                self.assertTrue(made[io] == made["strip"], io)
        parts = self.path("parts")
        self.good(self.resample(
            "--width=300", "--height=33", "--scale=1", "--taps=1", "--row-pad",
            "--io=block", "--tile=16", "--filetype=UNIQUE", "--output=" + parts, np=2))
        self.assertEqual(sum(os.path.getsize("%s.%06d" % (parts, rank))
                             for rank in range(2)), 35 * 4096)

    def test_the_way_of_a_shift(self):
        """By the formula of the manual, --shift=1,0 takes each pixel from the right."""
        plain, moved = (self.output("--width=9", "--height=5", "--scale=1", "--taps=1",
                                    "--shift=%d,0" % dx, np=0)[1] for dx in (0, 1))
        for row, other in zip(plain, moved):
            self.assertEqual(list(other[:-1]), list(row[1:]))

    # ---- requests --------------------------------------------------------------------

    def counts(self, name, io, halo, np):
        width, height, scale, taps, strip, block, writes, out = COUNTS[name]
        report = self.good(self.resample(
            "--width=%d" % width, "--height=%d" % height, "--scale=%d" % scale,
            "--taps=%d" % taps, "--io=" + io, "--halo=" + halo, np=np))
        of = {act: samples(report, act, phase="resample")[0]
              for act in ("read", "write")}
        found = [(of[act]["calls"], of[act]["bytes"]) for act in ("read", "write")]
        if io == "block":
            self.assertEqual(found, [block, (writes[1], out)])
            return
        reads = strip[0], strip[1 + (halo == "keep")]
        if np > 1:  # rows that two bands need are read twice
            self.assertTrue(reads[1] <= found[0][1] <= strip[1], found)
            reads = reads[0], found[0][1]
        self.assertEqual(found, [reads, (writes[0], out)])

    @long
    def test_basic_counts(self):
        report = self.good(self.resample("--width=300", "--height=301", "--io=basic",
                                         np=2))
        read, = samples(report, "read", phase="resample")
        write, = samples(report, "write", phase="resample")
        self.assertEqual((read["calls"], write["calls"]), (2, 2))
        # Bands of 256 and 346 output rows need input rows 0 to 130, and 125 to 300.
        self.assertEqual(read["bytes"], (131 + 176) * 600)
        self.assertEqual(write["bytes"], 600 * 602 * 4)

    def test_no_read(self):
        report, found = self.output("--width=30", "--height=20", "--no-read", np=2)
        self.assertEqual(total(report, "read", phase="resample"), 0)
        self.equal(found, [[40.0] * 60] * 40)

    @long
    def test_no_new_rows(self):
        """Strips have one row: most need no new one."""
        report = self.good(self.resample("--width=9", "--height=8", "--tile=1",
                                         "--scale=16", np=1))
        self.assertEqual(total(report, "read", phase="resample"), 8 * 18)
        self.assertLess(report["results"]["reads"][0], 9)

    def test_dry_run(self):
        """Memory of a strip: 6 strips' input, at most 134 rows, output of 256, and a
        tile."""
        def memory(*args):
            done = self.resample("--width=4096", "--height=4096", "--dry-run", *args,
                                 np=1)
            self.assertEqual(done.status, 0, done)
            return done.report["rank_memory_bytes"], done.report

        strip, report = memory("--cache=keep")
        self.assertEqual(report["read_bytes"], 4096 * 8192)
        least = 134 * 8192 + 256 * 32768
        self.assertTrue(least < strip < least + (8 << 20), strip)
        twice = memory("--iomode=ASYNC")[0]
        self.assertEqual(twice - strip, least)
        self.assertLess(memory("--io=block")[0], 8 << 20)
        self.assertGreater(memory("--io=basic")[0], 4096 * 8192 + 8192 * 32768)

    @long
    @unittest.skipIf(os.environ.get("SANITIZERS"),
                     "a recorder and sanitizers want the same calls")
    def test_by_iotrace(self):
        trace = self.path("trace")
        done = self.resample("--width=100", "--height=90", "--tile=64", "--cache=keep",
                             inside=("iotrace", "run", "-o", trace, "--"), np=2)
        report = self.good(done)
        dump = self.run_program("iotrace", "dump", trace, np=0, dir=False, json=False)
        moved = {"read": 0, "write": 0}
        for line in dump.out.splitlines():
            row = line.split("\t")
            act = row[6][1:] if row[6][0] == "p" else row[6]  # pread, pwrite
            if act in moved and (row[3].endswith(".image") or
                                 row[3].endswith(".resampled")):
                moved[act] += int(row[7])
        for act, count in moved.items():
            self.assertEqual(count, total(report, act))

    # ---- other kinds of pixels -------------------------------------------------------

    @long
    def test_rounded(self):
        """Pixels are rounded to 16 bits: Lanczos overshoots, and that is counted."""
        report, found = self.output("--width=23", "--height=19", "--out-bits=16", np=1)
        exact = resampled(image(23, 19), 2, 3)
        low, high = [[x < -0.5 for row in exact for x in row],
                     [x > 65535.5 for row in exact for x in row]]
        self.assertEqual(report["results"]["saturated"], [sum(low) + sum(high)])
        self.assertGreater(sum(low), 0)
        self.equal(found, [[min(max(x, 0), 65535) for x in row] for row in exact],
                   limit=0.6 / 65535)

    def test_floats(self):
        """A NaN spreads to the pixels that need it, and no further."""
        image = [[float(x * y) for x in range(20)] for y in range(16)]
        image[8][10] = math.nan
        path = self.file("nan.llimg", packed(image, 32))
        report, found = self.output(path, "--taps=16", "--tile=8", np=2)
        nans = [(x, y) for y, row in enumerate(found) for x, v in enumerate(row)
                if v != v]
        self.assertEqual(report["results"]["nan"], [64])
        self.assertEqual((nans[0], nans[-1]), ((17, 13), (24, 20)))

    def test_given(self):
        image = [[(x * 7 + y * 3) % 256 for x in range(33)] for y in range(21)]
        data = packed(image, 8)
        path = self.file("given.llimg", data)
        report, found = self.output("--input=" + path, "--out-bits=8", "--scale=1",
                                    "--taps=1", np=2)
        self.assertEqual(found, image)
        self.assertEqual([s["phase"] for s in samples(report, "wall")],
                         ["resample", "check"])
        self.assertEqual(read_bytes(path), data)

    @long
    def test_constant(self):
        path = self.file("c.llimg", packed([[777] * 40] * 30, 16))
        _, found = self.output(path, "--taps=64", "--scale=16", np=1)
        self.equal(found, [[777.0] * 160] * 120, limit=1e-7)

    # ---- ends ------------------------------------------------------------------------

    @any_mpi
    def test_bad_heads(self):
        image = packed([[5] * 8] * 8, 16)
        for data, said in drawn([
                (image[:100], "neither a FITS image"),
                (b"X" + image[1:], "neither a FITS image"),
                (image[:-1], "it was cut short"),
                (head(8, 9, 16, 0) + image[HEAD:], "it was cut short"),
                (head(1 << 40, 8, 16, 0), "2 GiB"),
                (head(8, (1 << 63) + 1, 16, 0), "it is wrong"),
                (head(1 << 30, 1 << 61, 8, 0), "2^63"),
                (head(0, 8, 16, 0), "has none"),
                (head(8, 8, 12, 0), "12 bits"),
                (head(8, 8, 16, 1), "kind 1"),
                (head(8, 8, 16, 0, 15) + image[HEAD:], "rows of 15")], 3):
            path = self.file("bad.llimg", data)
            self.one_sentence(self.resample(path, np=1), said, path)

    @any_mpi
    def test_refused(self):
        path = self.file("one.llimg", packed([[5] * 8] * 8, 16))
        for args, said in drawn([
                (("--shift=1",), "--shift=1"),
                (("--shift=1,2x",), "--shift"),
                (("--no-normalize",), "--edge=clamp"),
                (("--width=3000000000",), "2 GiB"),
                ((path, "--width=8"), "--width"),
                ((path, "--no-read"), "--no-read"),
                ((path, "--output=" + path, "--overwrite"), "the same file"),
                (("--io=mmap", "--iomethod=posix"), "--iomethod"),
                (("--overlap",), "ASYNC"),
                (("--memory=100k",), "--memory"),
                (("--io=block", "--cache=direct"), "strip or basic"),
                (("--width=100", "--cache=direct"), "--row-pad")], 3):
            self.refused(self.resample(*args, np=1), said)

    def full_disk(self, io):
        """Every method ends with a sentence, mapped files too."""
        place = self.path("disk")
        os.makedirs(place, exist_ok=True)
        script = ('mount -t tmpfs -o size=4m none "$0" || exit 77\n"$@"\ns=$?\n'
                  'rm -f "$0/fill"\nls -A "$0"\nexit $s')
        done = self.resample(
            "--width=400", "--height=400", "--tile=64", "--io=" + io, "--dir=" + place,
            np=1, dir=False, before=("unshare", "-m", "sh", "-c", script, place),
            env=fault("open:fill:2", file="disk/outcore-",
                      FAULT_FILL=os.path.join(place, "fill")))
        if done.status in (1, 77) and ("unshare" in done.err or "mount" in done.err):
            self.skipTest("no mounts of a test's own can be made here")
        self.failed(done, "No space left", "resampled")
        self.assertEqual(done.out, "")

    def test_wrong_pixel(self):
        """A pixel that a device has changed is found if it is visible."""
        done = self.resample("--width=40", "--height=40", "--tile=16", np=2,
                             env=fault("write:lost:3", 1, FILES))
        self.failed(done, "pixel at row", "64-bit numbers give", file="resampled")

    def test_wrong_input(self):
        done = self.resample("--width=60", "--height=60", "--tile=32", np=1,
                             env=fault("read:shift:2", file=FILES))
        self.failed(done, "verification failed: the output's pixel at row")

    @long
    def test_large(self):
        """Offsets exceed 2^31, in a file with holes."""
        if not os.environ.get("LEADLINE_BIG"):
            self.skipTest("LEADLINE_BIG=1 is not set")
        width, height = 1 << 19, 4200
        path = self.path("large.llimg")
        with open(path, "wb") as f:
            f.write(head(width, height, 8, 0))
            f.truncate(HEAD + width * height)
            f.seek(HEAD + width * height - 1)
            f.write(b"\xff")
        out = self.path("large.out")
        self.good(self.resample(path, "--scale=1", "--taps=1", "--out-bits=8",
                                "--output=" + out, np=2, limit=300))
        with open(out, "rb") as f:
            f.seek(HEAD + width * height - 2)
            self.assertEqual(f.read(), b"\x00\xff")


for edge, known in KNOWN.items():
    for taps in known:
        add(Resample, "known_%s_%d" % (edge, taps), "known", edge, taps)
for taps in KERNELS:
    for scale in SCALES:
        for io in METHODS:
            for np in (1, 2, 5):
                case = add(Resample, "pixels_%d_%d_%s_%d" % (taps, scale, io, np),
                           "pixels", taps, scale, io, np)
                if (METHODS.index(io) + taps + scale) % 4 or np != 2:
                    long(case)
for name in COUNTS:
    for io, halo in (("strip", "keep"), ("strip", "reread"), ("block", "keep")):
        for np in (1, 2, 5):
            add(Resample, "counts_%s_%s_%s_%d" % (name, io, halo, np), "counts", name,
                io, halo, np)
for engine in ("posix", "mpi"):
    add(Resample, "async_" + engine, "asynchronous", engine)
for io in METHODS:
    add(Resample, "full_disk_" + io, "full_disk", io)
for kind in KINDS:
    add(Resample, "engine_" + kind, "pixels", 36, 4, "strip", 2, "--iomethod=" + kind)

if __name__ == "__main__":
    main()
