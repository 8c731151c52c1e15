#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""Lanes: a rank's threads transfer, each as if it were a rank."""
import hashlib
import os

from e2e import ASYNCHRONOUS, Case, add, fault, main, samples, total

BYTES, BLOCK, LANES = 1 << 18, 1 << 14, 4
SIZE = ("256k", "--block-size=16k")
BLOCKS = BYTES // BLOCK
THREADS = "--threads=%d" % LANES
SEED = "--seed=7"


def contents(done):
    """Returns the contents of the files, without the run's id in their names."""
    found = {}
    for name in done.files:
        if name.endswith(".json"):  # a description of files
            continue
        with open(os.path.join(done.dir, name), "rb") as f:
            found[name.partition("blocks")[2]] = hashlib.sha1(f.read()).hexdigest()
    return found


class Lanes(Case):
    def moves(self, *options, np=2, lanes=LANES):
        """It moves as many blocks as ranks x lanes have, all of them verified; the
        parts of a phase add up for each lane."""
        report = self.good(self.blocktransfer(*SIZE, "--threads=%d" % lanes, *options,
                                              np=np))
        workers = np * lanes
        for act in ("write", "read"):
            self.assertEqual(total(report, act), workers * BYTES)
            self.assertEqual(total(report, act, "calls"), workers * BLOCKS)
            for s in samples(report, act):
                self.assertEqual(sum(n for _, n in s["latency"]["hist"]),
                                 workers * BLOCKS)
        self.assertEqual(report["mpi"]["lanes"], lanes)
        self.assertEqual(report["mpi"]["ranks"], np)
        self.assertLess(report["checks"]["split_error"], 1e-6)
        self.assertEqual(report["checks"]["blocks_checked"], workers * BLOCKS)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        for s in report["samples"]:
            self.assertEqual(len(s["ranks_s"]), np)
            self.assertLess(s["max_lane"], lanes)
            self.assertLessEqual(s["min_s"], s["mean_s"])
            self.assertAlmostEqual(max(s["ranks_s"]), s["max_s"])
        return report

    def test_one_is_a_rank(self):
        report = self.good(self.blocktransfer(*SIZE, np=2))
        self.assertEqual(report["mpi"]["lanes"], 1)
        self.assertNotIn("max_lane", report["samples"][0])

    def test_64_workers(self):
        self.moves("--rank-shift=3", lanes=64)

    def test_a_file_for_each_worker_or_one(self):
        """UNIQUE: there is one for each worker; SHARED: one."""
        for filetype, files in (("UNIQUE", 2 * LANES), ("SHARED", 1)):
            report = self.moves("--filetype=" + filetype)
            self.assertEqual(report["files"][0]["count"], files)
            self.assertEqual(report["files"][0]["bytes"], 2 * LANES * BYTES)

    def test_repetitions(self):
        """Lanes live through all of them."""
        report = self.good(self.blocktransfer(*SIZE, THREADS, "--repeat=3"))
        for rep in (1, 2, 3):
            self.assertEqual(total(report, "read", rep=rep), 2 * LANES * BYTES)
        self.assertEqual(report["checks"]["blocks_checked"], 3 * 2 * LANES * BLOCKS)

    def same_bytes(self, *options):
        """2 x 4 and 8 x 1 workers write the same files, with the same names."""
        made = []
        for np, lanes in ((2, LANES), (2 * LANES, 1)):
            done = self.blocktransfer(*SIZE, "--threads=%d" % lanes, *options, SEED,
                                      "--keep", np=np)
            self.assertEqual(done.status, 0, done)
            made.append(contents(done))
        self.assertEqual(made[0], made[1])
        self.assertEqual(len(set(made[0].values())), len(made[0]))

    def test_for_a_time(self):
        """All workers do what the fastest did by then, and no more."""
        report = self.good(self.blocktransfer("64M", "--block-size=4k", THREADS,
                                              "--time=0.05", "--iomethod=null",
                                              "--no-verify"))
        for act in ("write", "read"):
            self.assertGreater(total(report, act), 0)
            self.assertEqual(total(report, act, "calls") % (2 * LANES), 0)

    def test_verified_in_a_pass_of_its_own(self):
        report = self.good(self.blocktransfer(*SIZE, THREADS, "--verify=pass",
                                              "--iomethod=threads", "--depth=4",
                                              "--rank-shift=1"))
        self.assertEqual(report["checks"]["blocks_checked"], 2 * LANES * BLOCKS)
        self.assertEqual(report["checks"]["blocks_bad"], 0)

    def test_no_verification(self):
        for engine in ("POSIX", "null"):
            report = self.good(self.blocktransfer(*SIZE, THREADS, "--depth=3",
                                                  "--no-verify",
                                                  "--iomethod=" + engine))
            self.assertEqual(total(report, "read"), 2 * LANES * BYTES)

    def test_none(self):
        report = self.good(self.blocktransfer(*SIZE, THREADS, "--iomode=NONE"))
        self.assertEqual(total(report, "write"), 0)

    def test_lanes_sync_at_once(self):
        """A rank's four syncs of 1 s do not wait for each other."""
        report = self.good(self.blocktransfer(
            *SIZE, THREADS, np=1, env=fault("fsync:slow:1+", file="blocktransfer-",
                                            FAULT_SECONDS="1")))
        sync, = samples(report, "sync", "write")
        self.assertGreaterEqual(sync["min_s"], 1)
        wall, = samples(report, "wall", "write")
        self.assertLess(wall["max_s"], sync["mean_s"] * LANES)

    def test_processor_time(self):
        """It is that of the lanes' own threads: 128 requests of 2 ms are not work."""
        figures = {f["name"]: f["median"] for f in self.good(self.blocktransfer(
            *SIZE, THREADS, "--iomethod=null:delay_us=2000",
            "--no-verify"))["figures"]}
        for name in ("write_cpu_us", "read_cpu_us"):
            self.assertGreater(figures[name], 0)
            self.assertLess(figures[name], 1000)

    def test_dry_run(self):
        done = self.blocktransfer(*SIZE, "--threads=3", "--depth=2", "--dry-run",
                                  "--ranks=5", np=0)
        self.assertEqual(done.status, 0, done)
        need = done.report
        self.assertEqual((need["ranks"], need["lanes"], need["files"]), (5, 3, 15))
        self.assertEqual(need["rank_memory_bytes"], 3 * 2 * BLOCK)
        self.assertEqual(need["write_bytes"], 15 * BYTES)

    # ---- refusals ----------------------------------------------------------------

    def test_engines_that_call_mpi(self):
        for words in (("--iomethod=MPI",), ("--iomethod=mpiio-nb",),
                      ("--iomethod=MPI", "--iomode=ASYNC"),
                      ("--filetype=PARTITIONED",)):
            self.refused(self.blocktransfer(*SIZE, "--threads=2", *words),
                         "--threads=2", "calls MPI to transfer")

    def test_shift_to_oneself(self):
        self.refused(self.blocktransfer(*SIZE, THREADS, "--rank-shift=8", np=2),
                     "of 8 threads", "no multiple of 8")

    def test_not_of_programs_without(self):
        self.refused(self.madbench("64", "4", THREADS), "--threads")

    # ---- failures in a lane ---------------------------------------------------------

    def test_a_lane_fails(self):
        """The file of rank 0's lane 2 is full."""
        done = self.blocktransfer(*SIZE, THREADS, env=fault(
            "write:ENOSPC:3+", file=".000002", FAULT_RANK=None))
        said = self.failed(done, "lane 2", "No space left", rank=0, file=".000002")
        self.assertEqual(said["lane"], 2)
        self.assertEqual(said["errno"], "ENOSPC")

    def test_a_lane_of_another_rank_fails(self):
        said = self.failed(self.blocktransfer(*SIZE, THREADS, env=fault(
            "read:EIO:1+", file=".000005")), "lane 1", rank=1, file=".000005")
        self.assertEqual(said["lane"], 1)

    def test_a_file_of_a_lane_cannot_be_made(self):
        self.failed(self.blocktransfer(*SIZE, THREADS, env=fault(
            "open:EACCES:1", file=".000003")), "lane 3", "cannot be", rank=0,
            file=".000003")

    def test_wrong_data(self):
        report = self.blocktransfer(*SIZE, THREADS, env=fault(
            "read:flip:2", file=".000006")).report
        self.assertEqual(report["checks"]["blocks_bad"], 1)
        self.assertEqual(report["errors"][0]["lane"], 2)

    def test_a_call_that_does_not_come_back(self):
        """The watchdog ends the run, and names the lane."""
        done = self.blocktransfer(*SIZE, THREADS, "--io-timeout=1", np=2, env=fault(
            "write:hang:3", file=".000001"))
        said = self.one_sentence(done, "lane 1", "did not come back within 1 s",
                                 ".000001")
        self.assertIn("rank 0", said)
        self.assertIs(done.report["valid"], False)

    def test_a_request_that_is_late(self):
        """A request of a queue is late: the engine reports it, and the run ends."""
        done = self.blocktransfer(*SIZE, THREADS, "--iomethod=threads", "--depth=2",
                                  "--io-timeout=1", np=1,
                                  env=fault("write:hang:3", file=".000002"))
        self.one_sentence(done, "did not")
        self.assertIs(done.report["valid"], False)


for name_, filetype_, pattern_, order_ in (
        ("unique", "UNIQUE", "SEQUENTIAL", "SEGMENTED"),
        ("shared", "SHARED", "RANDOM", "SEGMENTED"),
        ("interleaved", "SHARED", "SEQUENTIAL", "INTERLEAVED")):
    options_ = ("--filetype=" + filetype_, "--pattern=" + pattern_,
                "--layout=" + order_)
    add(Lanes, "same_bytes_" + name_, "same_bytes", *options_)
    for engine_ in ["posix"] + ASYNCHRONOUS:
        add(Lanes, "%s_%s" % (engine_, name_), "moves", "--iomethod=" + engine_,
            "--depth=3", "--rank-shift=%d" % (LANES + 1), *options_)

if __name__ == "__main__":
    main()
