#!/usr/bin/env python3
# tier: quick ci
"""--dry-run prints the needs of a run, and touches nothing."""
import os
import re
import resource

from e2e import HAVE_SCALAPACK, Case, add, main, write_file

# Slide 8 of the MADbench2 talk: pixels, ranks, GiB of memory and of disk, 8 bins.
SLIDE = [(12500, 16, 6, 9), (25000, 16, 23, 37), (25000, 64, 23, 37),
         (50000, 64, 93, 149), (50000, 256, 93, 149), (100000, 256, 373, 596)]


class DryRun(Case):
    def ask(self, *args, np=0):
        done = self.run_program("madbench", *args, "--dry-run", "--dir=/does/not/exist",
                                np=np, dir=False, json=False)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.said, [])
        return done.out

    def slide(self, npix, ranks, memory, disk):
        out = self.ask(str(npix), "8", "--ranks=%d" % ranks)
        self.assertRegex(out, r"memory, 5 matrices .* %d GiB\n" % memory)
        self.assertRegex(out, r"disk, 8 matrices .* %d GiB\n" % disk)

    def test_more_than_16_gib_a_rank(self):
        """MADbench2's arithmetic had its limit there."""
        out = self.ask("100000", "8", "--ranks=4")
        self.assertRegex(out, r"largest transfer +18\.6 GiB +74\.6 GiB")
        self.assertRegex(out, r"memory, 5 matrices +93\.2 GiB")

    def test_gangs_need_more_matrices(self):
        """One gang has five buffers, which suffice for pairs. Several gangs read the
        next group before they work on one."""
        self.assertIn("memory, 5 matrices ", self.ask("1000", "4", "--iomode=ASYNC"))
        for mode, matrices in ("SYNC", 7), ("ASYNC", 8):
            out = self.ask("1000", "4", "2", "--iomode=" + mode, "--ranks=2")
            self.assertIn("memory, %d matrices a gang" % matrices, out)
        out = self.ask("1000", "4", "2", "--io-only", "--ranks=2")
        self.assertIn("memory, 5 matrices a gang", out)

    def test_as_quick_for_two_billion_ranks(self):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        for cache in "flush", "direct":
            out = self.ask("100000", "8", "--cache=" + cache, "--ranks=2000000000")
            self.assertRegex(out, r"2000000000 ranks as a 40000 x 50000 grid")
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
        self.assertLess(took, 2)

    def test_with_a_launcher_it_speaks_once(self):
        out = self.ask("1000", "4", "2", np=2)
        self.assertEqual(len(re.findall("madbench:", out)), 1)
        self.assertIn("2 gangs of 1 rank (", out)

    def test_impossible_problems_are_still_refused(self):
        done = self.run_program("madbench", "1000", "4", "3", "--dry-run", "--ranks=4",
                                np=0, json=False)
        self.refused(done, "NGANG 3", "NBIN", "nearest")

    def test_blocktransfer(self):
        done = self.run_program("blocktransfer", "1G", "--block-size=4M", "--depth=8",
                                "--dry-run", np=2, json=False)
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.out, r"memory +32\.0 MiB +64\.0 MiB")
        self.assertRegex(done.out, r"disk +1\.0 GiB +2\.0 GiB")

    def test_more_threads_than_can_be_counted(self):
        done = self.run_program("blocktransfer", "64k", "-b", "512", "--dry-run",
                                "--ranks=3000000", "--threads=1024", np=0, json=False)
        self.refused(done, "--ranks=3000000 with --threads=1024", "at most 2147483647")


# Predictions to compare with runs: name, ranks, command line.
RUNS = [
    ("blocks_misaligned", 3, "blocktransfer 300k -b 64k --misalign=512 --repeat=2"),
    ("blocks_shared", 2, "blocktransfer 256k -b 64k --filetype=shared"),
    ("blocks_partitioned", 3, "blocktransfer 256k -b 64k --filetype=partitioned"),
    ("blocks_direct", 2, "blocktransfer 256k -b 64k --cache=direct"),
    ("no_io", 2, "madbench 64 4 --io-only --iomode=none"),
    ("madbench", 3, "madbench 100 4 --io-only --repeat=2"),
    ("madbench_shared_gangs", 4, "madbench 100 4 2 --io-only --filetype=shared"),
    ("madbench_partitioned", 3, "madbench 100 4 --io-only --filetype=partitioned"),
    ("madbench_direct", 3, "madbench 100 4 --io-only --cache=direct"),
    ("madbench_overlap", 2, "madbench 64 4 --io-only --iomode=async --overlap -r 2"),
    ("madbench_alphas", 2, "madbench 64 4 --alpha-sweep=1:1.1:0.1 --iomode=async -r 2"),
    ("outcore_aio", 3, "outcore aio 100k --set-bytes=16k --engines=posix,threads -r 2"),
    ("outcore_aio_read", 2, "outcore aio 100k --engines=posix,threads --op=read"),
    ("outcore_aio_write", 2, "outcore aio 100k --threads=2 --op=write"),
    ("outcore_sort", 2, "outcore sort --records=20000 --threads=2"),
    ("outcore_stream", 3, "outcore stream --bytes=300k --readers=2 --sink=null"),
    ("outcore_stream_many", 2, "outcore stream --mode=files --files=40 -r 2"),
    ("outcore_text", 2, "outcore text --cost=none --files=30 --passes=3"),
    ("outcore_text_fused", 3, "outcore text --cost=none --files=30 --update=fused"),
    ("metabench", 2, "metabench 50 --bytes=100 --threads=2 --ops=create,read"),
    ("metabench_renames", 2, "metabench 30 --bytes=100 --fsync=each "
     "--ops=create,append,read,write,rename,read,rename"),
    ("ldad_perf", 3, "ldad perf --chunks=5 --chunk=4k --io=partitioned -r 2"),
    ("ldad_perf_unique", 3, "ldad perf --chunks=5 --chunk=4k --filetype=unique"),
    ("ldad_mandelbrot", 2, "ldad mandelbrot --width=60 --height=50 --chunk=1k"),
    ("ldad_jacobi", 3, "ldad jacobi --rows=50 --columns=8 --chunk=256 --sweeps=3"),
    ("ldad_jacobi_slabs", 4, "ldad jacobi --rows=50 --columns=8 --chunk=256 --sweeps=4 "
     "--decomp=slabs"),
    ("ldad_jacobi_few", 4, "ldad jacobi --rows=5 --columns=8 --decomp=slabs"),
    ("ldad_fft", 2, "ldad fft --points=4096"),
]
if HAVE_SCALAPACK:
    RUNS += [("madbench_full", 2, "madbench 64 4"),
             ("madbench_full_gangs", 4, "madbench 64 4 2")]


# Where there is one of everything, at least one line says so of each.
ONES = ["madbench 64 1 --dry-run --ranks=1", "madbench 64 1 --io-only",
        "blocktransfer 4k -b 4k --dry-run", "blocktransfer 4k -b 4k", "metabench 1",
        "outcore aio 4k --set-bytes=4k --set=1 --sets=1", "outcore sort --records=1",
        "outcore search --records=1 --lookups=1", "ldad perf --chunk=4k --chunks=1"]


class One(Case):
    def one(self, line):
        program, *args = line.split()
        done = self.run_program(program, *args, np=1, json=False)
        self.assertEqual((done.status, done.said), (0, []), done)
        self.assertNotRegex(done.out, r"(?<![\d.,])1 (?!is\b)[a-z]+s\b")


for n, line in enumerate(ONES):
    add(One, "%s_%d" % (line.split()[0], n), "one", line)


class Foretold(Case):
    """The JSON of --dry-run by one process, with --ranks, equals that of the run."""

    def need(self, program, *args):
        done = self.run_program(program, *args, "--dry-run", "--quiet", np=0)
        self.assertEqual((done.status, done.out, done.said), (0, "", []), done)
        self.assertEqual(done.files, [])
        self.assertEqual(done.report["schema"], "leadline-need/1")
        self.assertEqual(done.report["program"].split()[0], program)
        return done.report

    def run_as_foretold(self, ranks, line):
        program, *args = line.split()
        need = self.need(program, *args, "--ranks=%d" % ranks)
        self.assertEqual(need["ranks"], ranks)
        done = self.run_program(program, *args, "--quiet", np=ranks)
        report = self.good(done)
        moved = {act: sum(s["bytes"] or 0 for s in report["samples"] if s["act"] == act)
                 for act in ("write", "read")}
        self.assertEqual({"write": need["write_bytes"], "read": need["read_bytes"]},
                         moved)
        if "iomode" in line:
            return
        need = self.need(program, *args, "--ranks=%d" % ranks, "--keep")
        done = self.run_program(program, *args, "--quiet", "--keep", np=ranks)
        sizes = [os.path.getsize(os.path.join(at, name))
                 for at, _, names in os.walk(done.dir) for name in names
                 if not name.endswith(".json")]  # descriptions of kept files
        self.assertEqual(done.status, 0, done)
        self.assertEqual(len(sizes), need["files"])
        if "partitioned" not in line:  # the header of a container is not counted
            self.assertLessEqual(sum(sizes), need["disk_bytes"])
            self.assertGreater(sum(sizes), 0.8 * need["disk_bytes"])

    def test_what_nobody_knows_is_null(self):
        need = self.need("pfmload", "-o", "x.pfm", "nowhere.gsf", "--ranks=4")
        self.assertEqual([need[name] for name in (
            "files", "disk_bytes", "write_bytes", "read_bytes")], [None] * 4)
        self.assertGreater(need["rank_memory_bytes"], 0)

    def test_files_that_are_there(self):
        """All of them are read, once more for --verify=pass; nobody knows how often
        within a time."""
        path = write_file(self.path("there"), bytes(10 * 4096 + 5))
        need = self.need("blocktransfer", "--input=" + path, "-b", "4k", "--ranks=2")
        self.assertEqual((need["read_bytes"], need["write_bytes"], need["disk_bytes"]),
                         (10 * 4096, 0, 0))
        need = self.need("blocktransfer", "--input=" + path, "-b", "4k", "--time=1")
        self.assertIsNone(need["read_bytes"])
        done = self.blocktransfer("64k", "-b", "16k", "--write-only", np=2)
        kept, = (os.path.join(done.dir, name) for name in os.listdir(done.dir)
                 if name.endswith(".json"))
        for verify, times in (("yes", 1), ("pass", 2)):
            need = self.need("blocktransfer", "--read-only=" + kept, "--ranks=2",
                             "--verify=" + verify)
            self.assertEqual(need["read_bytes"], times * 2 * 65536)

    def test_ranks_are_for_one_process_and_for_plans(self):
        for args, np, words in ((["--ranks=4"], 0, "--ranks is for --dry-run"),
                                (["--ranks=4", "--dry-run"], 2, "there are 2")):
            self.refused(self.blocktransfer("64k", *args, np=np, json=False), words)

    def test_links_are_not_followed(self):
        target = self.path("target")
        link = self.path("link")
        os.symlink(target, link)
        done = self.blocktransfer("64k", "--dry-run", "--json=" + link, np=0,
                                  json=False)
        self.refused(done, link, "not a regular file")
        self.assertFalse(os.path.exists(target))

    def test_too_much_for_64_bits_is_not_known(self):
        need = self.need("blocktransfer", "1E", "-b", "1E", "--ranks=4", "-r", "4")
        self.assertEqual((need["disk_bytes"], need["write_bytes"]), (1 << 62, None))


for name, ranks, line in RUNS:
    add(Foretold, name, "run_as_foretold", ranks, line)
for row in SLIDE:
    add(DryRun, "slide_%d_pixels_%d_ranks" % row[:2], "slide", *row)

if __name__ == "__main__":
    main()
