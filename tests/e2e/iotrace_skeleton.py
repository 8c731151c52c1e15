#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""iotrace ldad --skeleton: a run's requests to its files, without any name. Its calls
and bytes are those of the trace, and its size does not grow with the run."""
import getpass
import glob
import json
import os
import shutil
import socket
import subprocess

from e2e import BUILD, Case, add, long, main, read_json, read_text
from fake_log import EPOCH, MARK, Log

from leadline.skeleton import skeleton

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

SCHEMA = read_json(os.path.join(os.environ["top_srcdir"], "doc",
                                "leadline-skeleton-1.schema.json"))

RECORDER = os.path.join(BUILD, "libiotrace.so")
IOTRACE = os.path.join(BUILD, "iotrace")
PROGRAMS = {
    "madbench": ("madbench", ("256", "4", "--io-only")),
    "madbench_mpi": ("madbench", ("256", "4", "--io-only", "--iomethod=MPI",
                                  "--filetype=SHARED")),
    "blocktransfer": ("blocktransfer", ("2M", "-b", "64k")),
    "aio": ("blocktransfer", ("2M", "-b", "64k", "-d", "4", "--iomethod=aio")),
    "nonblocking": ("madbench", ("256", "4", "--io-only", "--iomethod=MPI",
                                 "--iomode=ASYNC")),
    "random": ("blocktransfer", ("2M", "-b", "4k", "-p", "RANDOM")),
    "perf": ("ldad", ("perf", "--chunk=12k", "--chunks=5")),
    "mandelbrot": ("ldad", ("mandelbrot", "--width=301", "--height=101",
                            "--iterations=50")),
    "jacobi": ("ldad", ("jacobi", "--rows=67", "--columns=45", "--sweeps=3",
                        "--chunk=2k")),
    "fft": ("ldad", ("fft", "--points=2048", "--chunk=4k")),
}


class Skeletons(Case):
    def traced(self, program, *args, np=2):
        done = self.run_program(program, *args, "--quiet", np=np, json=False,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true"})
        self.assertEqual(done.status, 0, done)
        run = os.path.join(done.folder, "run")
        os.mkdir(run)
        for log in glob.glob(os.path.join(done.folder, "*.bin*")):
            shutil.move(log, run)
        return run

    def iotrace(self, *args):
        return subprocess.check_output((IOTRACE,) + args, stderr=subprocess.STDOUT)

    def made(self, run):
        """Returns (its text, as the reader has it, as JSON has it)."""
        path = run + ".skeleton"
        self.iotrace("ldad", run, "--skeleton=" + path)
        text = read_text(path)
        if Draft202012Validator:
            Draft202012Validator(SCHEMA).validate(json.loads(text))
        return text, skeleton.load(path), json.loads(text)

    def counts(self, program, args, np):
        run = self.traced(program, *args, np=np)
        text, _, found = self.made(run)
        summary = json.loads(self.iotrace("summary", run, "--json=-").decode())
        processes = [p for p in summary["processes"] if p["rank"] >= 0]
        self.assertEqual(len(processes), np)
        sums = [p["by_class"]["all"] for p in processes]
        left, totals = found["left_out"], found["totals"]
        parts = [totals["transfers"], totals["calls"], left["system_files"],
                 left["not_files"], left["too_many"]]
        for key in ("calls", "bytes"):
            self.assertEqual(sum(p[key] for p in parts), sum(s[key] for s in sums), key)
        self.assertEqual(left["too_many"]["calls"], 0)
        self.by_call(summary, found)
        self.anonymous(text, run)
        self.assertLess(len(text), 60000)

    def by_call(self, summary, found):
        """Returns calls that only the run's own files receive."""
        mine = {}
        for t in found["transfers"]:
            calls, size = mine.get(t["call"], (0, 0))
            mine[t["call"]] = (calls + t["calls"], size + t["bytes"])
        theirs = {c["name"]: (c["sum"]["calls"], c["sum"]["bytes"])
                  for c in summary["calls"] if c["class"] in ("read", "write")}
        names = [n for n in mine if n.startswith("MPI_") or n == "pwrite"]
        self.assertTrue(names or mine)
        for name in names:
            self.assertEqual(mine[name], theirs[name], name)

    def anonymous(self, text, run):
        folder = os.path.dirname(run)
        words = set(folder.split("/")) | {os.path.basename(f) for f in os.listdir(
            folder)} | {socket.gethostname(), getpass.getuser(), "/"}
        words |= {"madbench", "blocktransfer", "mandelbrot", "jacobi"}
        text = text.replace("leadline-skeleton/1", "").replace("MPI-IO", "")
        text = text.replace("file-", "")
        found = [w for w in words - {"files"}
                 if (len(w) > 4 or w == "/") and w in text]
        self.assertEqual(found, [])

    def test_size_does_not_grow(self):
        sizes = []
        for size in ("1M", "10M"):
            text, found, _ = self.made(self.traced("blocktransfer", size, "-b", "16k"))
            sizes.append(len(text))
            self.assertGreaterEqual(found.bytes, 2 * 2 * int(size[:-1]) << 20)
        self.assertLess(abs(sizes[1] - sizes[0]), 0.03 * sizes[0])

    def test_random_places_are_drawn_and_counted(self):
        text, _, found = self.made(self.traced("blocktransfer", "4M", "-b", "4k",
                                               "-p", "RANDOM"))
        drawn_calls = found["totals"]["drawn"]["calls"]
        self.assertGreater(drawn_calls, 1000)
        sizes = sum(n for t in found["transfers"] for _, n in
                    t.get("drawn", {}).get("sizes", []))
        self.assertEqual(sizes, drawn_calls)
        self.assertLess(len(text), 60000)

    def test_what_another_rank_wrote_first_is_no_input(self):
        _, _, found = self.made(self.traced("blocktransfer", "1M", "-b", "64k",
                                            "--rank-shift=1"))
        moved = {t["file"] for t in found["transfers"]}
        self.assertEqual({f["inputs"] for f in found["files"] if f["file"] in moved},
                         {0})

    def timed(self, *ready):
        """Makes a skeleton of ranks that are ready to sync a file at these ms. Rank 0
        waits until ms 50, and before that also syncs calls outside of regions; the
        others are in the next region meanwhile."""
        run = self.path("timed%d" % ready[-1])
        os.mkdir(run)
        for rank, ms in enumerate(ready):
            log = Log(pid=1000 + rank, rank=rank, ranks=len(ready))
            file, first, second = log.name("/data/f"), log.name("one", kind=MARK), \
                log.name("two", kind=MARK)

            def call(op, at_ms, name=file, **more):
                log.add(op, EPOCH + at_ms * 10 ** 6, 10 ** 6, name=name, **more)

            call("region_begin", 1, first)
            call("pread", 2, offset=0, result=10)
            call("region_end", 4, first)
            if rank == 0:
                call("fsync", 10, log.name("/data/g"))
            call("region_begin", 15 if rank == 0 else 5, second)
            call("pwrite", 19, offset=100 * rank, result=100)
            call("pwrite", ms - 1, offset=1000 + 100 * rank, result=100)
            call("fsync", 50 + rank)
            call("region_end", 60, second)
            log.write(os.path.join(run, "r%d.bin" % rank))
        return self.made(run)[2]

    def test_ranks_that_all_differ(self):
        """Each has an order and a plan of its own."""
        run = self.path("differ")
        os.mkdir(run)
        for rank in range(40):
            log = Log(pid=1000 + rank, rank=rank, ranks=40)
            file = log.name("/data/f")
            for n in range(rank + 1):
                log.add("pwrite", EPOCH + n * 1000, 10, name=file, result=100,
                        offset=100 * (100 * rank + n))
            log.write(os.path.join(run, "r%d.bin" % rank))
        found = self.made(run)[1]
        self.assertNotIn("order_lost", found.phases[0])
        self.assertEqual(len(found.phases[0]["order"]), 40)
        step, = found.transfers
        self.assertNotIn("drawn", step)
        self.assertEqual(len(step["plans"]), 40)

    def test_ranks_that_wait_for_each_other(self):
        """They wait before a sync, which does not count as a pause."""
        for last, waits in ((48, True), (52, False)):
            found = self.timed(30, 40, last)
            (sync,) = [c for c in found["calls"] if c["ranks"] == 3]
            self.assertEqual(sync.get("after_all", False), waits)
            if waits:  # the one between 48 and 52
                self.assertAlmostEqual(sync["pause_seconds"], 0.004, 5)

    def test_pauses_and_what_is_between_regions(self):
        found = self.timed(30, 40, 48)
        self.assertEqual([p["region"] for p in found["phases"]], [True, False, True])
        read, write = found["transfers"]
        outside, _ = found["calls"]
        self.assertEqual([read["phase"], outside["phase"], write["phase"]], [0, 1, 2])
        self.assertEqual(outside["pause_seconds"], 0.006)
        # From 15 (rank 0) or 5 to 19, and from 20 until it is ready, on average.
        self.assertAlmostEqual(write["pause_seconds"],
                               (4 + 14 + 14 + 9 + 19 + 27) * 1e-3 / 3, 5)

    @long
    def test_a_shell_around_the_program_is_no_rank(self):
        """Nor are its other children, though all have the rank's number."""
        line = ("blocktransfer", "1M", "-b", "64k")
        _, _, plain = self.made(self.traced(*line))
        for script in ('cat "$0" > copy; exec "$@"', '"$@"; cat "$0" > copy'):
            _, _, found = self.made(self.traced("sh", "-c", script, "/bin/sh", *line))
            self.assertEqual((found["mpi"], found["ranks"]), (True, 2))
            self.assertEqual(found["totals"]["described"], plain["totals"]["described"])
            self.assertGreater(found["left_out"]["processes_without_rank"]["calls"], 0)

    def test_files_that_are_asked_for(self):
        """Modules of an interpreter are no part of a workload, unless asked for."""
        log = Log(pid=1000)
        names = ["/home/me/env/lib/python3.11/m%s.py" % chr(97 + i) for i in range(20)]
        names += ["/data/a", "/data/b"]
        for i, name in enumerate(names):
            log.add("read", EPOCH + 1000 * i, 100, name=log.name(name, 3), offset=0,
                    result=10)
        log.write(self.path("a.bin"))
        for include, files, left in (((), 2, 20), (("/data/a",), 1, 21),
                                     (("*.py", "*/b"), 21, 1)):
            path = self.path("%d.skeleton" % files)
            self.iotrace("ldad", self.path("a.bin"), "--skeleton=" + path,
                         *("--include=" + glob for glob in include))
            found = json.loads(read_text(path))
            self.assertEqual(len(found["files"]), files)
            self.assertEqual(found["totals"]["transfers"]["calls"], files)
            self.assertEqual(found["left_out"]["system_files"]["calls"], left)

    def test_ranks_are_one_plan(self):
        _, _, found = self.made(self.traced("madbench", "256", "4", "--io-only",
                                            "--filetype=SHARED", np=4))
        plans = [t["plans"] for t in found["transfers"] if t["ranks"] == 4]
        self.assertTrue(plans)
        self.assertEqual({len(p) for p in plans}, {1})
        self.assertIn("ranks=4 step=524288 ", plans[0][0]["descriptors"][0]["plan"])


for name in PROGRAMS:
    for np in (2, 4):
        add(Skeletons, "counts_of_%s_%d" % (name, np), "counts", *PROGRAMS[name], np)

if __name__ == "__main__":
    main()
