#!/usr/bin/env python3
# tier: quick ci
"""outcore stream: the same sums however files are read; what it writes; its ends.
outcore gen documents: the folder that it makes."""
import glob
import os
import re
import resource
import shutil
import signal
import unittest
import xml.etree.ElementTree
import zlib

from e2e import (Case, add, any_mpi, drawn, fault, long, main, read_bytes, samples,
                 total, write_file)

# 3183 documents of seed 1: their number, bytes, and the sum of their CRC-32.
KNOWN = (3183, 9840000, 6799069444715)
FEW = ("--mode=files", "--files=60", "--seed=1")
HERE = "files/outcore-"
TABLES = ("19", "39", "59", "79", "99")  # documents' last two digits


def crc_sum(paths):
    total_of = 0
    for path in paths:
        total_of += zlib.crc32(read_bytes(path))
    return total_of


def has_a_folder(run):
    """Returns True if it has finished its probes of the file system, which come and
    go."""
    return any(os.path.isdir(os.path.join(run.dir, name)) for name in run.files)


class Stream(Case):
    def stream(self, *args, **how):
        return self.run_program("outcore", "stream", *args, "--quiet", **how)

    def sums(self, report):
        """Returns files (or sections), bytes, and the sum."""
        found = report["results"]
        high, low = (int(x) for x in found["crc_sum"])
        files = found.get("files", found.get("sections"))
        return int(files[0]), int(found["bytes"][0]), high << 32 | low

    def phases(self, report):
        return [s["phase"] for s in samples(report, "wall")]

    def figures(self, report):
        return {f["name"]: f["median"] for f in report["figures"]}

    def folder(self, files):
        """Makes a folder with these bytes under these names; returns its files'
        paths."""
        path = self.path("given")
        os.mkdir(path)
        for name, data in files.items():
            write_file(os.path.join(path.encode(), name), data)
        return path

    # ---- documents -------------------------------------------------------------------

    @long
    def test_documents(self):
        """gen makes a folder of them, which stream then reads as a given one."""
        out = self.path("documents")
        done = self.run_program("outcore", "gen", "documents", "--files=3183",
                                "--seed=1", "--threads=2", "--output", out, "--quiet",
                                dir=False)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(total(done.report, "write"), 9840000)
        paths = glob.glob(out + "/*")
        sizes = [os.path.getsize(p) for p in paths]
        self.assertEqual((len(sizes), sum(sizes), crc_sum(paths)), KNOWN)
        self.assertEqual((min(sizes), max(sizes), sum(n > 10000 for n in sizes)),
                         (1118, 33158, 52))
        before = sorted((p, os.stat(p).st_mtime_ns) for p in paths)
        report = self.good(self.stream("--mode=files", out, "--readers=2", np=1))
        self.assertEqual(self.sums(report), KNOWN)
        self.assertEqual(self.phases(report), ["read", "plain"])
        self.assertEqual(total(report, "read", phase="read"), 9840000)
        after = sorted((p, os.stat(p).st_mtime_ns) for p in glob.glob(out + "/*"))
        self.assertEqual(before, after)

    @long
    def test_planted(self):
        """The phrases are where the truth says, and nowhere else."""
        out, truth, names = (self.path(x) for x in ("out", "truth", "names"))
        phrases = ["Crude Oil", "OPEC", "Saudi Arabia Ltd"]
        write_file(names, "\n\n".join(phrases))
        args = ("gen", "documents", "300", "--seed=2", "--plant=" + names, "--truth",
                truth, "--output", out, "--quiet")
        done = self.run_program("outcore", *args, dir=False)
        self.assertEqual(done.status, 0, done)
        found, told = [], []
        for path in sorted(glob.glob(out + "/*")):
            data = read_bytes(path)
            body = xml.etree.ElementTree.fromstring(data).find("TEXT/BODY").text
            self.assertEqual("  " in body, os.path.basename(path)[-2:] in TABLES)
            found += [(os.path.basename(path), m.start(), m.group())
                      for m in re.finditer("(?<!\\S)(%s)(?=\\s)" % "|".join(phrases),
                                           data.decode("ascii"))]
        with open(truth, encoding="ascii") as f:
            for line in f:
                name, at, size, phrase = line.rstrip("\n").split("\t")
                self.assertEqual(int(size), len(phrase))
                told.append((name, int(at), phrase))
        self.assertEqual(found, told)
        words = total(done.report, "write") / 6 / 32
        self.assertTrue(0.5 * words < len(told) < 1.5 * words, len(told))
        done = self.run_program("outcore", *args[:-2], out + "2", "--quiet", dir=False)
        self.failed_plainly(done, "File exists", truth)

    def test_gen_refuses(self):
        for args, what in (((), "how many"), (("9", "--files=9"), "both say"),
                           (("9", "--dim=3"), "--dim is of no use"),
                           (("9", "--truth=x"), "of which --plant")):
            done = self.run_program("outcore", "gen", "documents", *args, np=0)
            self.refused(done, what)

    # ---- the same sums ---------------------------------------------------------------

    def in_a_way(self, np, *options):
        report = self.good(self.stream("--mode=files", "--seed=1", *options, np=np))
        self.assertEqual(self.sums(report), KNOWN)
        self.assertEqual(report["checks"]["blocks_checked"], 3183)
        self.assertEqual(total(report, "read", phase="read"), 9840000)

    def large(self, np, *options):
        """Reads 1 MiB sections of a file of an odd length."""
        report = self.good(self.stream("--bytes=3000001", "--seed=1", *options, np=np))
        self.assertEqual(self.sums(report), (3, 3000001, 6460627835))
        self.assertEqual(total(report, "read", phase="read"), 3000001)
        return report

    def test_large_overlap(self):
        report = self.large(2, "--readers=2", "--overlap", "--iomode=ASYNC",
                            "--slot-size=9999", "--sink=copy")
        self.assertEqual(self.phases(report),
                         ["make", "alone", "sink", "read", "verify"])
        self.assertIn("read.overlap", self.figures(report))

    def test_direct_and_buffered_are_a_pair(self):
        report = self.good(self.stream(*FEW, "--direct-compare", "-r", "2",
                                       "--slot-size=4k", np=1))
        found = [s["at"]["cache"] for s in samples(report, "wall", "read")]
        self.assertEqual(found, ["flush", "direct", "direct", "flush"])
        figures = {f["at"]["cache"]: f["reps"] for f in report["figures"]
                   if f["name"] == "read.MBps"}
        self.assertEqual([len(figures[c]) for c in ("flush", "direct")], [2, 2])

    # ---- given files -----------------------------------------------------------------

    def test_sizes_and_names(self):
        """Files have no bytes, a slot, a slot and a byte, many slots; and names that
        are no text."""
        files = {b"empty": b"", b"slot": b"a" * 512, b"more": b"b" * 513,
                 b"long\nname": b"c" * 20000, b"\xff\xfe": b"d"}
        path = self.folder(files)
        expected = (5, sum(map(len, files.values())),
                    sum(map(zlib.crc32, files.values())))
        report = self.good(self.stream("--mode=files", path, "--slot-size=512",
                                       "--readers=2", "--slots=2", "--sink=null"))
        self.assertEqual(self.sums(report), expected)
        self.assertEqual(self.phases(report), ["read", "verify", "plain"])
        for order in ("inode", "shuffle"):
            report = self.good(self.stream("--mode=files", path, "--open=uring", np=1,
                                           *("--order=" + order, "--seed=3")))
            self.assertEqual(self.sums(report), expected)

    def test_a_file(self):
        path = os.path.join(self.folder({b"file": bytes(range(256)) * 9000}), "file")
        data = read_bytes(path)
        expected = sum(zlib.crc32(data[i:i + (1 << 20)])
                       for i in range(0, len(data), 1 << 20))
        report = self.good(self.stream(path, "--readers=3", "--slot-size=100000",
                                       "--sink=sleep:2000"))
        self.assertEqual(self.sums(report), (3, len(data), expected))
        self.assertGreater(samples(report, "wall", "read")[0]["max_s"],
                           len(data) / 1e6 * 2e-3 / 6 * 0.9)

    @any_mpi
    def test_what_is_no_file(self):
        path = self.folder({b"a": b"1"})
        os.mkfifo(path + "/fifo")
        self.failed_plainly(self.stream("--mode=files", path), "not a regular file",
                            "fifo")
        os.remove(path + "/fifo")
        os.mkdir(path + "/sub")
        self.failed_plainly(self.stream("--mode=files", path, np=1), "is a directory")
        os.rmdir(path + "/sub")
        os.remove(path + "/a")
        self.failed_plainly(self.stream("--mode=files", path, np=1), "no file in")
        self.failed_plainly(self.stream("--mode=files", path + "/none", np=1),
                            "No such")

    def failed_plainly(self, done, *parts):
        self.one_sentence(done, *parts)
        self.assertEqual(done.status, 1, done)

    def test_folders_in_folders(self):
        path = self.folder({b"one": b"1" * 100})
        os.makedirs(path + "/a/b")
        for name in ("a/two", "a/b/three"):
            write_file(os.path.join(path, name), name * 50)
        expected = (3, 100 + 250 + 450, sum(zlib.crc32(x * 50)
                                            for x in (b"11", b"a/two", b"a/b/three")))
        report = self.good(self.stream("--mode=files", path, "--deep", "--readers=2",
                                       "--deal=cyclic", "--stat", "--slot-size=99"))
        self.assertEqual(self.sums(report), expected)
        self.assertIn("read.stat_p50_us", self.figures(report))

    def listed(self, path, names, *args, **how):
        names_in = write_file(self.path("names"), names)
        return self.stream("--mode=files", path, "--list=" + names_in, *args, **how)

    @any_mpi
    def test_list(self):
        path = self.folder({b"a\n_": b"12", b"\xff": b"345", b"c": b"6", b"x": b"7"})
        os.mkfifo(path + "/fifo")
        report = self.good(self.listed(path, b"a\n_\0./\xff\0c", "--open=each"))
        self.assertEqual(self.sums(report)[:2], (3, 6))
        report = self.good(self.listed(path, b"c\n./\xff\nx\n", np=1))
        self.assertEqual(self.sums(report)[:2], (3, 5))
        for names, said in ((b"c\nfifo", "not a regular file"),
                            (b"../given/c", "not the name"),
                            (b"c\nnone", "No such file"),
                            (b"/etc/passwd", "not the name")):
            self.failed_plainly(self.listed(path, names, np=1), said)
        report = self.good(self.listed(path, b"none\nc\nmore", "--vanished=skip"))
        self.assertEqual(self.sums(report)[:2], (1, 1))
        self.assertEqual(report["results"]["vanished"], [2])

    def test_vanished(self):
        """One file vanishes between its listing and its opening, one while it is
        read."""
        gone = fault("reopen:ENOENT:1+", file="000000007")
        self.failed(self.stream(*FEW, env=gone, np=1), "No such file", "000000007")
        report = self.good(self.stream(*FEW, "--vanished=skip", "--no-verify", np=2,
                                       env=gone))
        self.assertEqual(int(report["results"]["files"][0]), 59)
        self.assertEqual(report["results"]["vanished"], [1])
        report = self.good(self.stream(
            *FEW, "--vanished=skip", "--no-verify", "--slot-size=512", np=1,
            env=fault("read:zero:5", file=HERE)))
        self.assertEqual(int(report["results"]["files"][0]), 60)
        self.assertEqual((report["results"]["vanished"], report["results"]["cut"]),
                         ([0], [1]))

    @unittest.skipUnless(os.environ.get("HAVE_ZLIB") == "yes", "no zlib")
    def test_compress(self):
        files = {b"a": b"abc" * 9999, b"b": bytes(range(256)) * 20, b"c": b""}
        report = self.good(self.stream("--mode=files", self.folder(files), np=1,
                                       *("--sink=compress", "--slot-size=1k")))
        out = [zlib.compressobj(1) for _ in files]
        self.assertEqual(report["results"]["compressed_bytes"],
                         [sum(len(z.compress(x) + z.flush())
                              for z, x in zip(out, files.values()))])
        self.assertEqual(self.sums(report)[2], sum(map(zlib.crc32, files.values())))

    def test_too_large_for_a_chain(self):
        self.failed(self.stream(*FEW, "--open=uring", "--slot-size=2k", np=1),
                    "there is room for 2048")

    # ---- writing ---------------------------------------------------------------------

    def written(self, how, fsync, syncs):
        report = self.good(self.stream(*FEW, "--write=" + how, "--fsync=" + fsync,
                                       "--readers=2", np=2 if how == "create" else 1))
        rest = ["make"] * (how != "create") + ["write", "verify"]
        self.assertEqual(self.phases(report), rest)
        self.assertEqual(report["checks"]["blocks_checked"], 60)
        self.assertIn("write.close_p99_us", self.figures(report))
        ops = samples(report, "write", "write")
        self.assertEqual(ops[0]["calls"], 60)
        self.assertEqual(self.sums(report)[0], 60)
        self.assertEqual(samples(report, "sync", "write") != [], syncs)
        return self.sums(report)

    def test_writing(self):
        """Another write has other words, by any way of writing."""
        self.assertEqual(self.written("create", "end", True),
                         self.written("rewrite", "none", False))
        self.assertEqual(self.written("replace", "each", True)[0], 60)

    # ---- ends ------------------------------------------------------------------------

    def test_faults(self):
        for what, said in (("read:EIO:5", "read failed"),
                           ("read:zero:5", "cut meanwhile")):
            self.failed(self.stream(*FEW, "--readers=2", "--slots=1", "--slot-size=1k",
                                    env=fault(what, file=HERE)), said)
        self.failed(self.stream(*FEW, env=fault("read:flip:5", rank=1, file=HERE)),
                    "CRC-32 that add up to")
        self.failed(self.stream(*FEW, "--write=replace", np=1,
                                env=fault("write:ENOSPC:70", file=HERE)), "No space")

    def test_ended(self):
        done = self.start("outcore", "stream", "--mode=files", "--files=200",
                          "--sink=sleep:50000000", "--quiet")
        self.until(lambda: has_a_folder(done), "there is a folder")
        done.signal(signal.SIGTERM)
        done.wait(30)
        self.assertNotEqual(done.status, 0)
        self.assertEqual(done.files, [])

    def test_killed(self):
        """If a run cannot remove its folder, the next one names it."""
        run = self.start("outcore", "stream", "--mode=files", "--files=200", np=1,
                         *("--sink=sleep:50000000", "--quiet"))
        self.until(lambda: has_a_folder(run), "there is a folder")
        run.signal(signal.SIGKILL)
        run.wait(30)
        self.assertEqual(len(run.files), 1)
        done = self.stream(*FEW, dir=run.dir, np=1)
        self.assertEqual((done.status, len(done.said)), (0, 1), done)
        self.assertIn(run.files[0], done.said[0])

    @long
    @unittest.skipUnless(shutil.which("prlimit"), "no prlimit")
    def test_more_files_than_descriptors(self):
        for chain in ("openat", "uring"):
            report = self.good(self.stream("--mode=files", "--files=300", "--slots=64",
                                           "--open=" + chain, np=1,
                                           before=("prlimit", "--nofile=100")))
            self.assertEqual(self.sums(report)[0], 300)

    @unittest.skipUnless(os.environ.get("LEADLINE_BIG") == "1",
                         "LEADLINE_BIG=1 is not set")
    def test_million(self):
        """All are in one folder; a rank holds their names, and 16 bytes for each."""
        most = {}
        for files in (1000, 1000000):
            done = self.stream("--mode=files", "--files=%d" % files, "--size=1", np=1,
                               *("--cache=keep", "--slots=64", "--slot-size=4k"))
            self.assertEqual(self.sums(self.good(done))[:2], (files, files))
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            most[files] = usage.ru_maxrss * 1024
        self.assertLess(most[1000000] - most[1000], 100 * 1000000)

    def test_refused(self):
        for args, what in ((("--files=5",), "--files is of no use"),
                           (("--mode=files", "--bytes=5"), "--bytes is of no use"),
                           (("--sink=none:1",), "--sink=none:1 is not null"),
                           (("--mode=files", "--deep"), "need an existing directory"),
                           (("--list=x",), "--list is of no use"),
                           (("--slot-size=1000", "--direct-compare"), "no multiple"),
                           (("--mode=files", "--write=create", "/tmp"),
                            "files of its own")):
            self.refused(self.stream(*args, np=0), what)


WAYS = [(2, "--readers=3", "--slots=1", "--slot-size=16k", "--sink=null"),
        (1, "--readers=1", "--slots=8", "--slot-size=64k", "--open=uring",
         "--order=inode"),
        (2, "--readers=2", "--slots=2", "--slot-size=4k", "--cache=direct",
         "--order=shuffle", "--pick=round-robin"),
        (3, "--readers=4", "--slots=3", "--slot-size=1k", "--cache=keep"),
        (1, "--readers=8", "--slots=64", "--slot-size=33k", "--open=uring"),
        (1, "--readers=1", "--slots=1", "--slot-size=777", "--sink=copy")]
for number, way in enumerate(drawn(WAYS, 2)):
    add(Stream, "many_%d" % number, "in_a_way", *way)
LARGE = [(1, "--slots=2"), (2, "--readers=3", "--iomode=ASYNC", "--slot-size=12345"),
         (1, "--readers=2", "--cache=direct", "--iomethod=threads", "--iomode=ASYNC"),
         (3, "--slot-size=1M", "--iomethod=MPI")]
for number, way in enumerate(drawn(LARGE, 2)):
    add(Stream, "large_%d" % number, "large", *way)

if __name__ == "__main__":
    main()
