#!/usr/bin/env python3
# tier: quick ci
"""outcore gen: the same bytes for any number of ranks and threads; a file gets its name
when it is complete."""
import hashlib
import math
import os
import shutil
import stat
import struct
import subprocess
import zlib

import graph_reference as reference
from graph_reference import MASK, STEP, mix, number
from e2e import (Case, add, any_mpi, fault, long, main, read_bytes, read_text, total,
                 write_file)

KNOWN = {"records": "4acca5d541036866c0e31a2cc3a949bc0e5aec3e398530f5cf3d1df8623c73ec",
         "ascii": "616c2b2ba9dc449d",
         "vectors": "49a3ecf9c991998e3039f23f4e553f86d3b046dd63c35f4d22204b0cbc0a240b"}
WHAT = {"records": ("records", "10000"), "ascii": ("records", "10000", "--ascii"),
        "vectors": ("vectors", "100000")}


def digest(data):
    return hashlib.sha256(data).hexdigest()


# ---- a night sky ---------------------------------------------------------------------

STARS = 15


def sky(key, y, x):
    """Returns a pixel, with the stars of all squares around it."""
    light = 900.0 + 0.4 * (sum(number(number(key ^ MASK, y), x).to_bytes(8, "big")[4:])
                           - 510)
    for row in range(y // 16 - 1, y // 16 + 2):
        for column in range(x // 16 - 1, x // 16 + 2):
            own = number(number(key, row), column)
            down, right, dim = (number(own, i) / 2 ** 64 for i in range(3))
            far = (16 * (row + down) - y) ** 2 + (16 * (column + right) - x) ** 2
            light += (min(3000 / (1 - dim), 300000) * math.exp(-far / 1.62) /
                      (1.62 * math.pi))
    return min(light, 65535.0)


class Gen(Case):
    def gen(self, *args, **how):
        return self.run_program("outcore", "gen", *args, "--quiet", **how)

    def made(self, done):
        return read_bytes(os.path.join(done.dir, "made"))

    def known(self, kind, np, threads, *options):
        done = self.gen(*WHAT[kind], "--seed=1", "--threads=%d" % threads,
                        "--output=files/made", *options, np=np)
        report = self.good(done, files=["made"])
        data = self.made(done)
        self.assertTrue(digest(data).startswith(KNOWN[kind]), digest(data))
        rounded = -(-len(data) // 4096) * 4096 if "--cache=direct" in options else 0
        self.assertEqual(total(report, "write"), rounded or len(data))
        self.assertEqual(report["results"]["rows"], [int(WHAT[kind][1])])

    def file_of(self, name, *args, np=1):
        path = self.path(name)
        self.good(self.run_program("outcore", "gen", *args, "--seed=5", "--overwrite",
                                   "--output=" + path, np=np))
        return path

    @any_mpi
    def test_formats_by_name(self):
        """Of the same numbers as the raw files, for the readers of others."""
        size, pixels = ("--width=37", "--height=500"), 37 * 500
        for bits, raw, fits in (8, "B", "B"), (16, "H", "h"), (32, "f", "f"):
            image = ("image", *size, "--bits=%d" % bits)
            path = self.file_of("i.fits", *image, "--threads=2", np=3)
            if shutil.which("fitsverify"):
                self.assertIn("verification OK", subprocess.run(
                    ["fitsverify", "-q", path], stdout=subprocess.PIPE,
                    universal_newlines=True).stdout)
            data = read_bytes(path)
            with open(self.file_of("i.llimg", *image), "rb") as f:
                same = struct.unpack_from("<%d%s" % (pixels, raw), f.read(), 4096)
            zero = 32768 if bits == 16 else 0
            self.assertEqual(same, tuple(x + zero for x in struct.unpack_from(
                ">%d%s" % (pixels, fits), data, 2880)))
            self.assertEqual((len(data) % 2880, set(data[2880 + pixels * bits // 8:])),
                             (0, {0}))
        data = read_bytes(self.file_of("v.fvecs", "vectors", "1000", "--dim=7", np=2))
        with open(self.file_of("v", "vectors", "1000", "--dim=7"), "rb") as f:
            self.assertEqual(data, b"".join(struct.pack("<i", 7) + f.read(28)
                                            for _ in range(1000)))

    def test_formats_that_are_not_written(self):
        for kind, name in (("image", "i.npy"), ("vectors", "v.npy"),
                           ("vectors", "v.fits"), ("records", "r.fvecs")):
            self.refused(self.run_program("outcore", "gen", kind, "--output=" + name,
                                          np=0, json=False),
                         "gen %s does not write" % kind, name)

    def test_models(self):
        """Models have the right kind of lines and size, and are the same with any
        ranks."""
        for tagger, first in (("crf", b"crf1\n"), ("maxent", b"maxent1\n")):
            made = set()
            for np, threads in ((0, 1), (2, 1), (3, 2)):
                done = self.gen("model", "--bytes=200k", "--tagger=" + tagger,
                                "--seed=1", "--threads=%d" % threads,
                                "--output=files/made", np=np)
                self.good(done, files=["made"])
                made.add(self.made(done))
            data, = made
            self.assertTrue(data.startswith(first), data[:20])
            self.assertEqual(len(data), 200 << 10)

    def test_fewer_rows_than_workers(self):
        done = self.gen("records", "2", "--seed=1", "--threads=3",
                        "--output=files/made", np=2)
        self.good(done, files=["made"])
        self.assertEqual(zlib.crc32(self.made(done)[:10]),
                         zlib.crc32(bytes.fromhex("d2f6d0470be1a7b1e5ea")))
        self.assertEqual(len(self.made(done)), 200)

    def test_without_a_name(self):
        done = self.gen("vectors", "7", "--dim=3", np=0)
        self.assertEqual(done.status, 0, done)
        self.assertEqual([os.path.getsize(os.path.join(done.dir, name))
                          for name in done.files], [7 * 3 * 4])
        self.good(self.gen("vectors", "7", "--no-keep", np=0))

    def test_what_is_there_stays(self):
        path = write_file(self.path("there"), "mine")
        done = self.gen("records", "5", "--output=" + path, np=2)
        self.one_sentence(done, "exists", "--overwrite", path)
        self.assertEqual(read_text(path), "mine")
        self.good(self.gen("records", "5", "--output=" + path, "--overwrite", np=0))
        self.assertEqual(os.path.getsize(path), 500)
        self.assertNotIn("outcore-", "".join(os.listdir(self.tmp)))

    def test_only_regular_files_are_replaced(self):
        """A device and a pipe stay; a link stays, and its target is replaced."""
        path = self.path("there")
        made = [lambda: os.mkfifo(path)]
        if os.geteuid() == 0:
            made.append(lambda: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3)))
        for make in made:
            make()
            before = os.lstat(path).st_mode
            done = self.gen("records", "5", "--output=" + path, "--overwrite", np=2)
            self.one_sentence(done, "not a regular file", path)
            self.assertEqual(os.lstat(path).st_mode, before)
            os.unlink(path)
        os.mkdir(self.path("far"))
        target = self.path("far", "target")
        os.symlink(target, path)
        done = self.gen("records", "5", "--output=" + path, "--overwrite", np=0)
        self.one_sentence(done, "leads to nothing", path)
        write_file(target, "old")
        self.good(self.gen("records", "5", "--output=" + path, "--overwrite", np=2))
        self.assertTrue(os.path.islink(path))
        self.assertEqual(os.path.getsize(target), 500)
        self.assertEqual(os.listdir(os.path.dirname(target)), ["target"])

    def test_a_full_disk(self):
        done = self.gen("records", "50000", "--output=files/made", np=2,
                        env=fault("write:ENOSPC:2", 1, "files/outcore-"))
        self.assertEqual(self.failed(done, rank=1)["errno"], "ENOSPC")

    def test_images(self):
        """Pixels were computed independently of the program, and are the same with any
        ranks."""
        made = set()
        for np, threads in ((0, 1), (2, 2), (3, 1)):
            done = self.gen("image", "--width=64", "--height=48", "--seed=1",
                            "--threads=%d" % threads, "--output=files/made", np=np)
            report = self.good(done, files=["made"])
            self.assertEqual(report["results"]["rows"], [48])
            made.add(self.made(done))
        data, = made
        self.assertEqual(len(data), 4096 + 64 * 48 * 2)
        self.assertEqual(struct.unpack_from("<8sQQIIQ", data),
                         (b"LLIMG001", 64, 48, 16, 0, 0))
        pixels = struct.unpack("<%dH" % (64 * 48), data[4096:])
        self.assertEqual(pixels[:4], (46343, 59555, 2233, 62944))
        self.assertEqual(sum(pixels), 101853959)
        done = self.gen("image", "--width=64", "--height=48", "--seed=1", "--bits=8",
                        "--output=files/made", np=0)
        self.good(done, files=["made"])
        self.assertEqual(list(self.made(done)[4096:]), [x >> 8 for x in pixels])

    def test_stars(self):
        """A second implementation sees the same sky."""
        done = self.gen("image", "--width=40", "--height=37", "--seed=5", "--bits=32",
                        "--stars", "--output=files/made", np=2)
        self.good(done, files=["made"])
        found = struct.unpack("<1480f", self.made(done)[4096:])
        key = mix(mix(5 + STEP) + STARS)
        expected = [sky(key, y, x) for y in range(37) for x in range(40)]
        self.assertLessEqual(max(abs(a - b) for a, b in zip(found, expected)), 0.501)
        self.assertGreater(max(found), 2000)

    def graph(self, kind, args, edges):
        """Edges follow the definition of the graph, with any ranks."""
        made = set()
        for np, threads in ((0, 1), (2, 2), (3, 1)):
            done = self.gen(kind, *args, "--seed=1", "--threads=%d" % threads,
                            "--output=files/made", np=np)
            report = self.good(done, files=["made"])
            self.assertEqual(report["results"]["rows"], [len(edges)])
            made.add(self.made(done))
        self.assertEqual(made, {b"".join(struct.pack("<QQ", *edge) for edge in edges)})

    def test_scale_free(self):
        self.graph("graph", ("900", "--hubs=7", "--degree=6"),
                   list(reference.scale_free(7, 900, 6, 1)))

    def test_kronecker(self):
        edges = list(reference.kronecker(7, 5, 1))
        self.graph("kronecker", ("--scale=7", "--edgefactor=5"), edges)

    @long
    def test_edges_are_read(self):
        """A file is searched like the graph that outcore graph makes itself."""
        made = self.path("made")
        self.good(self.gen("graph", "1000000", "--seed=1", "--output=" + made, np=2))
        self.assertTrue(digest(read_bytes(made)).startswith("3500230e"))
        self.good(self.gen("kronecker", "--scale=10", "--seed=1", "--output=" + made,
                           "--overwrite", np=2))
        report = self.good(self.run_program(
            "outcore", "graph", made, "--vertices=1024", "--undirected", "--quiet",
            np=2))
        self.assertEqual(report["results"]["visited"], [1 + 11 + 446 + 428 + 6])

    def test_refused(self):
        for args, words in ((("graphs", "5"), "records|vectors"),
                            (("records", "5", "--dim=3"), "--dim is of no use"),
                            (("vectors", "5", "--ascii"), "--ascii is of no use"),
                            (("records", "99999999999999999"), "2^63"),
                            (("image", "5"), "no N"),
                            (("image", "--width=5"), "--height"),
                            (("image", "--width=5000M", "--height=5"), "2 GiB"),
                            (("records", "5", "--width=3"), "--width is of no use"),
                            (("graph", "40"), "more vertices than hubs"),
                            (("graph",), "how many vertices"),
                            (("kronecker", "5"), "no N"),
                            (("kronecker",), "--scale")):
            self.refused(self.gen(*args, np=0), words)


CASES = [(kind, np, threads, *options) for kind in sorted(KNOWN)
         for np, threads, *options in ((0, 1), (1, 3, "--cache=direct"), (2, 2),
                                       (3, 1, "--iomode=ASYNC", "--iomethod=threads"),
                                       (7, 1), (2, 1, "--iomethod=mpiio"))]
for case in CASES:
    add(Gen, "_".join(map(str, case)).replace("--", "").replace("=", "_"), "known",
        *case)

if __name__ == "__main__":
    main()
