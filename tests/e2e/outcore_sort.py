#!/usr/bin/env python3
# tier: quick ci
"""outcore sort: the same output for any number of ranks and threads and any memory,
compared with Python, sort(1) and published sums; its ends."""
import hashlib
import os
import random
import shutil
import signal
import struct
import subprocess
import sys

from e2e import (KINDS, Case, add, drawn, fault, limited_memory, long, main,
                 read_bytes, samples, total, write_file)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "fault"))
import disks  # noqa: E402

# 10,000 records of seed 1: the sum of their CRC-32, and the file when sorted.
KNOWN = {"binary": ("1373aedc2652", "643911d340992b30"),
         "ascii": ("139b692cd5a9", "72ebd61f6083c7d1")}
VECTORS = "2b3f227d789ab586"  # 100,000 of seed 1, sorted
RUNS, OUTPUT = ".runs.", ".sorted"


def digest(path):
    return hashlib.sha256(read_bytes(path)).hexdigest()


def result(report, name):
    return report["results"][name][0]


def checksum(report):
    high, low = report["results"]["checksum"]
    return "%x" % (int(high) << 32 | int(low))


def total_order(record):
    """A vector's key by the definition of totalOrder, component by component."""
    bits = struct.unpack("<32i", record)
    return [b ^ 0x7fffffff if b < 0 else b for b in bits]


class Sort(Case):
    def sort(self, *args, **how):
        return self.run_program("outcore", "sort", *args, "--quiet", **how)

    def file(self, data, name="input"):
        return write_file(self.path(name), data)

    def sorted(self, data, *options, **how):
        """Returns the sorted bytes, and the report; the input stays the same."""
        path = self.file(data)
        done = self.sort("--input=" + path, "--output=files/out", *options, **how)
        report = self.good(done, files=["out"])
        self.assertEqual(read_bytes(path), data)
        return read_bytes(os.path.join(done.dir, "out")), report

    def records(self, n, seed=1, keys=1 << 62):
        """Returns records as of --record=100, with few keys if they are to repeat."""
        rng = random.Random(seed)
        return [struct.pack(">QH90s", rng.randrange(keys), 7,
                            str(i).rjust(90).encode()) for i in range(n)]

    # ---- results ---------------------------------------------------------------------

    def known(self, kind, np, threads, memory, merge, engine, *options):
        done = self.sort("--records=10000", "--record=100", "--seed=1",
                         "--memory=" + memory, "--threads=%d" % threads,
                         "--merge=" + merge, "--iomethod=" + engine,
                         "--output=files/out", *options,
                         *(("--ascii",) if kind == "ascii" else ()), np=np)
        report = self.good(done, files=["out"])
        crc, sha = KNOWN[kind]
        self.assertTrue(digest(os.path.join(done.dir, "out")).startswith(sha))
        self.assertEqual(checksum(report), crc)
        self.assertEqual(result(report, "duplicates"), 0)
        self.moved(report, 1000000)

    def moved(self, report, size):
        """Every byte moves once in each direction, and twice or more if there were
        runs: not all ranks need have any. Counts equal the predictions, or the run
        would have failed."""
        moved = result(report, "bytes_moved")
        ways = 2 * (result(report, "passes") + 2) if result(report, "runs") else 2
        self.assertTrue(2 * size <= moved <= ways * size * 1.1 + (2 << 20), moved)
        self.assertEqual(moved, sum(total(report, act, phase=phase)
                                    for act in ("read", "write")
                                    for phase in ("runs", "merge")))

    def test_known_vectors(self):
        done = self.sort("--records=100000", "--seed=1", "--memory=3M", "--threads=2",
                         "--output=files/out", np=2)
        report = self.good(done, files=["out"])
        self.assertTrue(digest(os.path.join(done.dir, "out")).startswith(VECTORS))
        self.assertGreater(result(report, "runs"), 1)

    def equal_keys(self, np, threads, *options):
        """There are few keys: their records stay in order, in any rank and run."""
        data = self.records(20000, keys=5)
        out, report = self.sorted(b"".join(data), "--record=100", "--memory=1M",
                                  "--threads=%d" % threads, *options, np=np)
        self.assertEqual(out, b"".join(sorted(data, key=lambda r: r[:10])))
        self.assertEqual(result(report, "duplicates"), 20000 - 5)

    def test_sorted_already(self):
        """All that ranks read from a stretch of the file goes to one of them."""
        data = sorted(self.records(20000))
        out, _ = self.sorted(b"".join(data), "--record=100", "--memory=1M", np=3)
        self.assertEqual(out, b"".join(data))

    def test_passes(self):
        """There are more runs than the merge can read at once."""
        data = self.records(30000)
        out, report = self.sorted(b"".join(data), "--record=100", "--memory=512k",
                                  "--merge-buffer=64k", "--merge=single", np=0)
        self.assertEqual(out, b"".join(sorted(data, key=lambda r: r[:10])))
        self.assertGreater(result(report, "passes"), 0)
        self.moved(report, 3000000)

    def test_any_record(self):
        rng = random.Random(2)
        data = [bytes(rng.randrange(256) for _ in range(13)) for _ in range(5000)]
        out, _ = self.sorted(b"".join(data), "--record=13,5,3", np=2)
        self.assertEqual(out, b"".join(sorted(data, key=lambda r: r[5:8])))

    def test_any_numbers(self):
        """Keys include all bit patterns: NaN of both signs, -0, infinities."""
        odd = [0x7fc00000, 0xffc00001, 0x80000000, 0, 0x7f800000, 0xff800000, 1,
               0x80000001, 0x3f800000, 0xbf800000]
        rng = random.Random(3)
        data = [struct.pack("<32I", *(rng.choice(odd) for _ in range(32)))
                for _ in range(500)]
        data += data[:100]
        out, report = self.sorted(b"".join(data), np=2)
        self.assertEqual(out, b"".join(sorted(data, key=total_order)))
        self.assertEqual(result(report, "duplicates"), 100)

    def test_one_record(self):
        data = self.records(1)
        out, report = self.sorted(data[0], "--record=100", "--threads=2", np=3)
        self.assertEqual(out, data[0])
        self.assertEqual(result(report, "records"), 1)

    def test_no_record(self):
        """An empty file is sorted, and the report says so."""
        for np, more in drawn(((1, "--cache=keep"), (3, "--threads=2")), 1):
            out, report = self.sorted(b"", "--record=100", more, np=np)
            self.assertEqual(out, b"")
            self.assertEqual(result(report, "records"), 0)
            self.assertIn("input_empty", [w["code"] for w in report["warnings"]])

    def test_tiny_records(self):
        """Records have one byte, and need more memory beside them, on several ranks."""
        data = bytes(reversed(range(256))) * 4
        for text, memory in drawn(((data, "1M"), (data, "512M"), (b"", "1M")), 2):
            out, _ = self.sorted(text, "--record=1,0,1", "--memory=" + memory, np=2)
            self.assertEqual(out, bytes(sorted(text)))

    def test_memory_that_would_do(self):
        """The sentence names the memory, and that suffices."""
        path = self.file(b"x" * 1000)
        for args in drawn((("--record=1,0,1",), ("--record=100", "--threads=8"),
                           ("--record=100", "--merge-buffer=1M")), 2):
            args = ("--input=" + path, *args)
            said = self.one_sentence(self.sort(*args, "--memory=64k", np=2),
                                     "--memory is too small", "would do")
            would = said[said.index("--memory=", 20):].split()[0]
            self.assertEqual(self.sort(*args, would, np=2).status, 0, would)

    def test_space_on_both(self):
        """The output is on another file system than --dir."""
        small = self.path("small")
        os.mkdir(small)
        with disks.memory(small, "size=1m"):
            how = ("--records=20000", "--record=100", "--overwrite")
            self.one_sentence(self.sort(*how, "--output=" + small + "/out", np=1),
                              "the files need 1.9 MiB", "another --output", small)
            done = self.sort(*how, "--output=files/out", dir=small, np=1)
            self.one_sentence(done, "the files need", "another --dir", small)
            self.assertEqual(os.listdir(small), [])

    def test_runs_are_synced(self):
        """Runs that cannot be synced are not written, in phase runs."""
        how = ("--records=20000", "--record=100", "--memory=1M")
        error = fault("fsync:EIO:1", 0, RUNS)
        self.failed(self.sort(*how, np=1, env=error), "runs")
        self.assertEqual(self.sort(*how, "--cache=keep", np=1, env=error).status, 0)

    def by_sort(self, np, *options):
        """Compares with sort(1), which knows nothing of us."""
        done = self.run_program("outcore", "gen", "records", "20000", "--ascii",
                                "--duplicates=0.3", "--skew=1.2", "--seed=5",
                                "--output=files/made", "--quiet", np=0)
        path = os.path.join(done.dir, "made")
        expected = subprocess.run(["sort", "-s", "-k1.1,1.10", path], check=True,
                                  stdout=subprocess.PIPE,
                                  env={**os.environ, "LC_ALL": "C"}).stdout
        out, _ = self.sorted(read_bytes(path), "--record=100", "--memory=1M", *options,
                             np=np)
        self.assertEqual(out, expected)

    def test_by_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        v = numpy.random.default_rng(4).standard_normal((3000, 32)).astype("<f4")
        v[1000:2000] = v[:1000]
        out, _ = self.sorted(v.tobytes(), "--memory=1M", np=2)
        order = numpy.lexsort(v.T[::-1])
        self.assertEqual(out, v[order].tobytes())

    def test_part_files(self):
        data = self.records(20000)
        path = self.file(b"".join(data))
        done = self.sort("--input=" + path, "--record=100", "--output=files/out",
                         "--filetype=UNIQUE", "--threads=2", "--memory=1M",
                         "--cache=direct", np=2)
        self.good(done, files=["out.%06d" % i for i in range(4)])
        out = b""
        for name in done.files:
            out += read_bytes(os.path.join(done.dir, name))
        self.assertEqual(out, b"".join(sorted(data, key=lambda r: r[:10])))

    # ---- reports ---------------------------------------------------------------------

    def test_figures(self):
        done = self.sort("--records=20000", "--record=100", "--memory=1M",
                         "-r", "2", np=2)
        report = self.good(done)
        figures = {f["name"]: f["reps"] for f in report["figures"]}
        for name in ("runs.wall_s", "merge.wall_s", "sort.wall_s", "sort.MBps",
                     "sort.moved_MBps", "sort.cpu_s_per_GB", "sort.records_per_s",
                     "runs.io_share", "merge.io_share"):
            self.assertEqual(len(figures[name]), 2, name)
        for wall, runs, merge in zip(*(figures[name] for name in (
                "sort.wall_s", "runs.wall_s", "merge.wall_s"))):
            self.assertAlmostEqual(wall, runs + merge, 6)
        self.assertFalse([name for name in figures
                          if name.startswith(("make", "verify"))])
        self.assertEqual([s["phase"] for s in samples(report, "wall", rep=1)],
                         ["make", "runs", "merge", "verify"])

    def test_runs_are_kept(self):
        done = self.sort("--records=20000", "--record=100", "--memory=1M",
                         "--keep-runs", np=0)
        self.assertEqual(done.status, 0, done)
        self.assertTrue(done.files and all(RUNS in name for name in done.files), done)
        self.assertGreaterEqual(sum(os.path.getsize(os.path.join(done.dir, name))
                                    for name in done.files), 2000000)

    def test_a_dry_run(self):
        done = self.sort("--records=10000000", "--record=100", "--memory=64M",
                         "--dry-run", "--ranks=1000", np=0)
        need = done.report
        self.assertGreaterEqual(need["rank_memory_bytes"], 64 << 20)
        self.assertLess(need["rank_memory_bytes"], 90 << 20)

    # ---- ends ------------------------------------------------------------------------

    def full_disk(self, file):
        """The input stays, and nothing else."""
        path = self.file(b"".join(self.records(20000)))
        done = self.sort("--input=" + path, "--record=100", "--memory=1M",
                         "--output=files/out", np=2,
                         env=fault("write:ENOSPC:3", 1, file))
        self.assertEqual(self.failed(done, rank=1)["errno"], "ENOSPC")
        self.assertEqual(os.path.getsize(path), 2000000)

    def changed(self, what, *words):
        """Changes a run, which the merge reads."""
        done = self.sort("--records=20000", "--record=100", "--memory=1M", np=2,
                         env=fault(what, 1, RUNS))
        self.failed(done, *words, rank=1)

    def test_wrong_input(self):
        """A bit of the generated data changes when it is written."""
        done = self.sort("--records=20000", "--record=100", "--memory=1M", np=2,
                         env=fault("write:flip:1", 1, "input"))
        self.failed(done, "read otherwise than they were written")

    def test_wrong_output(self):
        """A bit of the output changes when it is written."""
        done = self.sort("--records=20000", "--record=100", "--memory=1M",
                         "--output=files/out", np=2,
                         env=fault("write:flip:2", 1, OUTPUT))
        self.failed(done, "the output is wrong")

    def test_killed(self):
        """No run is left; the output's temporary name is, and the next run names it."""
        run = self.start("outcore", "sort", "--records=200000", "--record=100",
                         "--memory=1M", "--output=files/out", "--quiet", np=0,
                         env=fault("write:hang:5", file=OUTPUT))
        self.until(lambda: any(OUTPUT in name for name in run.files), "it writes")
        run.child.send_signal(signal.SIGKILL)
        run.wait(30)
        self.assertFalse([name for name in run.files if RUNS in name], run)
        self.assertEqual(len([name for name in run.files if OUTPUT in name]), 1, run)
        done = self.sort("--records=100", "--output=files/out", dir=run.dir, np=0)
        self.assertEqual(done.status, 0, done)
        self.assertIn(OUTPUT, done.err)
        shutil.rmtree(run.dir)

    def test_refused(self):
        path = self.file(b"x" * 1050)
        link = self.path("link")
        os.link(path, link)
        empty = self.file(b"", "empty")
        for args, words in (
                (("--input=" + path, "--record=100"),
                 ("1050 bytes", "10 records", "50 bytes")),
                (("--input=" + path, "--record=10,0,10", "--output=" + link,
                  "--overwrite"), ("the same file",)),
                (("--input=" + path, "--record=10,0,10", "--output=" + empty),
                 ("exists",)),
                (("--input=" + path, "--ascii", "--record=100"), ("--ascii",)),
                (("--record=8,0,4",), ("--input",)),
                (("--record=8,6,4",), ("within",)),
                (("--memory=64k", "--threads=8"), ("--memory",)),
                (("--filetype=PARTITIONED",), ("--filetype",))):
            done = self.sort(*args, np=0)
            said = self.one_sentence(done, *words)
            self.assertLess(len(said), 400)
        self.assertEqual(os.path.getsize(path), 1050)


for case in ((np, threads, *merge) for np in (1, 2, 3, 7) for threads in (1, 3)
             for merge in ((), ("--merge=single",), ("--cache=direct",))):
    add(Sort, "equal_keys_" + "_".join(map(str, case)).replace("--", ""), "equal_keys",
        *case)
for np, options in ((0, ()), (2, ("--threads=2",)), (3, ("--iomode=ASYNC",))):
    add(Sort, "by_sort_%d" % np, "by_sort", np, *options)
for name, file in (("runs", RUNS), ("output", OUTPUT)):
    add(Sort, "full_disk_" + name, "full_disk", file)
for name, what, *words in (
        ("bit", "read:flip:2", "run"), ("error", "read:EIO:2", "run"),
        ("lost", "write:lost:2", "run")):
    add(Sort, "changed_run_" + name, "changed", what, *words)

MATRIX = [(kind, np, threads, memory, merge, engine)
          for kind in sorted(KNOWN) for np in (1, 2, 3, 7) for threads in (1, 3)
          for memory in ("1M", "64M") for merge in ("single", "parallel")
          for engine in KINDS if not (engine == "mpiio" and threads > 1)]
MATRIX += [(kind, np, 2, "1M", "parallel", engine, "--cache=direct", "--iomode=ASYNC")
           for kind in sorted(KNOWN) for np in (1, 3)
           for engine in ("threads", "libaio")
           if engine == "threads" or os.environ["HAVE_LIBAIO"] == "yes"]
for case in drawn(MATRIX, 30, 1 / 4):
    add(Sort, "_".join(map(str, case)).replace("--", "").replace("=", "_"), "known",
        *case)

class OutOfCore(Case):
    @long
    def test_memory_of_an_eighth(self):
        """With the page cache, 512 MiB are sorted, scanned and searched in 64 MiB, of
        which MPI takes a part; and nothing is moved twice for that."""
        size = 1 << 29
        inside = limited_memory(self, 1 << 26)
        for workload, more, phase in (
                ("sort", ("--records=4M", "--memory=20M", "--no-verify"), "runs"),
                ("knn", ("4M", "--buffer=256k", "--check=0"), "scan"),
                ("search", ("--records=4M", "--memory=20M", "--lookups=500",
                            "--build=scan"), "index")):
            done = self.run_program("outcore", workload, *more, "--threads=2",
                                    "--quiet", np=1, inside=inside)
            report = self.good(done)
            self.assertEqual(samples(report, "read", phase)[0]["bytes"], size, done)
            self.assertIn(str(1 << 26), report["run"]["notes"]["memory_limit"])


if __name__ == "__main__":
    main()
