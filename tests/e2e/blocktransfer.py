#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""Plain transfers: every block once, at its place, and reported as it was."""
import itertools
import os
import tempfile
import unittest

from e2e import (ASYNC_METHODS, ASYNCHRONOUS, FLAVOUR, HDF5, METHODS, Case, add, fault,
                 long, main, samples, total)

BYTES, BLOCK = 1 << 20, 1 << 14
SIZE = ("1M", "--block-size=16k")
BLOCKS = BYTES // BLOCK
NULL = ("--iomethod=null", "--no-verify")
SLOW_S = 2

# Rank 0 is slow at its sync, rank 1 at its last write.
EACH_SLOW = ["/bin/sh", "-c", """
    case ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} in
    0) export FAULT=fsync:slow:1 ;;
    1) export FAULT=write:slow:1 ;;
    esac
    exec "$@" """, "sh"]


class Transfers(Case):
    def moves(self, method, launcher, np, *options):
        report = self.good(self.blocktransfer(*SIZE, *method, *options, np=np,
                                              launcher=launcher))
        for act in ("write", "read"):
            self.assertEqual(total(report, act), np * BYTES)
            self.assertEqual(total(report, act, "calls"), np * BLOCKS)
        self.assertEqual(report["checks"]["blocks_checked"], np * BLOCKS)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        return report

    def syncs_at_once(self, method, launcher, filetype, waits):
        """A rank syncs when it has written everything, not when all have; unless the
        library waits, which is idle time, not I/O."""
        report = self.good(self.blocktransfer(
            "64k", "--block-size=64k", *method, "--filetype=" + filetype,
            launcher=launcher, inside=EACH_SLOW,
            env=fault("", file="/part-" if filetype == "PARTITIONED" else
                      "files/blocktransfer-", FAULT=None,
                      FAULT_SECONDS=str(SLOW_S))))
        wall, sync, idle = (samples(report, act, "write")[0]["ranks_s"]
                            for act in ("wall", "sync", "idle"))
        write = samples(report, "write", "write")[0]["ranks_s"]
        self.assertGreaterEqual(write[1], SLOW_S)
        self.assertGreaterEqual(sync[0], SLOW_S)
        self.assertEqual(wall[0] > 1.8 * SLOW_S, waits, report["samples"])
        if waits:
            self.assertGreater(idle[0], 0.8 * SLOW_S)
        self.assertLess(sync[0], 1.8 * SLOW_S)

    def test_misaligned_file_is_longer(self):
        done = self.blocktransfer(*SIZE, "--misalign=100", "--filetype=SHARED",
                                  "--keep", np=2)
        self.assertEqual(done.status, 0, done)
        path = os.path.join(done.dir, done.files[0])
        self.assertEqual(os.path.getsize(path), 2 * BYTES + 100)

    def test_last_block_is_whole(self):
        report = self.good(self.blocktransfer("100000", "--block-size=16k", np=1))
        self.assertEqual(total(report, "write"), 7 * BLOCK)

    def test_odd_block_size(self):
        report = self.good(self.blocktransfer("100000", "--block-size=777", np=2,
                                              env={"FILETYPE": "SHARED"}))
        self.assertEqual(total(report, "write", "calls"), 2 * 129)

    def test_iops_are_blocks_a_second(self):
        figures = {f["name"]: f["median"]
                   for f in self.good(self.blocktransfer(*SIZE))["figures"]}
        self.assertAlmostEqual(figures["read_iops"] * BLOCK / 1e6, figures["read_MBps"],
                               places=3)

    def test_queue_depth_of_a_synchronous_engine(self):
        report = self.moves(("--iomethod=POSIX",), (), 1, "--depth=8")
        self.assertEqual([w["code"] for w in report["warnings"]
                          if w["code"] != "file_system_in_memory"],
                         ["depth_without_effect"])

    def queued(self, engine, pattern, filetype):
        """The queue is real, or the report says that it is not (libaio blocks without
        --cache=direct)."""
        report = self.moves(("--iomethod=" + engine,), (), 2, "--depth=8",
                            "--pattern=" + pattern, "--filetype=" + filetype)
        self.assertEqual("depth_without_effect" in
                         [w["code"] for w in report["warnings"]],
                         engine in ("libaio", "aio"))
        self.assertEqual(report["io"]["engine"], engine)
        self.assertEqual(report["io"]["mode"], "sync")
        self.assertEqual(report["io"]["depth"], 8)

    # ---- a queue that is kept full ---------------------------------------------------

    def notes(self, *options, **how):
        return self.good(self.blocktransfer(*SIZE, *options, **how))["run"]["notes"]

    def full(self, engine, depth, np, *options):
        """Each block is transferred once, whatever the depth is."""
        report = self.good(self.blocktransfer(
            *SIZE, "--iomethod=" + engine, "--no-verify", "--depth=%d" % depth,
            *options, np=np))
        for act in ("write", "read"):
            self.assertEqual(total(report, act), np * BYTES)
            self.assertEqual(total(report, act, "calls"), np * BLOCKS)
            for s in samples(report, act):
                self.assertEqual(sum(n for _, n in s["latency"]["hist"]), np * BLOCKS)
                self.assertAlmostEqual(s["submit_mean_s"] + s["wait_mean_s"],
                                       s["mean_s"], places=6)
        return report

    def test_depths(self):
        """There are more slots than blocks; a depth that does not divide them; one;
        more than one call starts."""
        for depth in (BLOCKS + 36, 1, 7, 64, BLOCKS - 1):
            self.full("null:delay_us=300", depth, 2)

    def every_block_is_there(self, engine, pattern):
        """Without stamps, blocks are copies of a few buffers."""
        done = self.blocktransfer(*SIZE, "--iomethod=" + engine, "--no-verify",
                                  "--depth=5", "--pattern=" + pattern, "--keep", np=1)
        self.assertEqual(done.status, 0, done)
        with open(os.path.join(done.dir, done.files[0]), "rb") as f:
            blocks = [f.read(BLOCK) for _ in range(BLOCKS)]
            self.assertEqual(f.read(), b"")
        self.assertLessEqual(len(set(blocks)), 5)
        self.assertEqual({len(b) for b in blocks}, {BLOCK})
        for block in set(blocks):
            self.assertLess(block.count(0), BLOCK // 16)

    def test_verified_transfers_take_as_long_as_both_parts(self):
        for s in samples(self.moves(("--iomethod=threads",), (), 2, "--depth=5"),
                         "read"):
            self.assertAlmostEqual(s["submit_mean_s"] + s["wait_mean_s"], s["mean_s"],
                                   places=6)

    def test_synchronous_transfers_have_no_parts(self):
        for verify in ("--verify", "--no-verify"):
            report = self.good(self.blocktransfer(*SIZE, verify, "--depth=3"))
            for s in samples(report, "read") + samples(report, "write"):
                self.assertIsNone(s["submit_mean_s"])
                self.assertIsNone(s["wait_mean_s"])
                self.assertEqual(s["calls"], 2 * BLOCKS)

    def test_a_report_on_what_cannot_sync(self):
        """Some file systems have no fsync; a report is complete without."""
        of = "/.leadline-"  # prefix of its name while it is written
        self.good(self.blocktransfer(*SIZE, env=fault("fsync:EINVAL:1+", file=of)))
        done = self.blocktransfer(*SIZE, env=fault("fsync:EIO:1+", file=of))
        self.assertEqual(done.status, 1, done)

    def test_care_is_told(self):
        """It is told if it takes part of the transfers' time: in a queue that is
        verified."""
        for verify in ("--verify", "--verify=pass"):
            self.assertIn("stamped and checked", self.notes(
                "--iomethod=threads", "--depth=3", verify)["care"])
        for options in (("--iomethod=threads", "--depth=3", "--no-verify"),
                        ("--iomode=NONE", "--depth=3", "--iomethod=threads")):
            self.assertNotIn("care", self.notes(*options))
        report = self.good(self.blocktransfer(*SIZE, "--depth=3"))
        self.assertEqual("care" in report["run"]["notes"],  # the kernel reads ahead
                         "file_system_in_memory" not in
                         [w["code"] for w in report["warnings"]])

    # ---- checked in a pass of its own -----------------------------------------------

    def checked_afterwards(self, method, launcher, *options):
        """Each block is read twice, and its check does not count as transfer time."""
        report = self.moves(method, launcher, 2, "--verify=pass", *options)
        acts = {s["act"] for s in report["samples"]
                if s["phase"] == "verify" and s["mean_s"]}
        self.assertEqual(acts & {"read", "write", "sync"}, set())
        self.assertIn("check", acts)
        seconds = {f["name"]: f["median"] for f in report["figures"]}
        self.assertAlmostEqual(seconds["wall_s"], seconds["write.wall_s"] +
                               seconds["read.wall_s"], 9)

    def lies_afterwards(self, what, found):
        """With 64 blocks the 65th read is the first of the pass."""
        self.failed(self.blocktransfer(*SIZE, "--verify=pass", "--depth=4", np=1,
                                       env=fault(what, file="files/blocktransfer-")),
                    found)

    @long
    def test_a_pass_checks_what_it_reads(self):
        self.lies_afterwards("read:flip:70", "verification failed")
        self.lies_afterwards("read:lost:70", "poison")
        self.lies_afterwards("read:shift:70", "verification failed")
        self.lies_afterwards("write:flip:3", "verification failed")
        self.lies_afterwards("read:EIO:70", "read of")

    # ---- by time ---------------------------------------------------------------------

    def by_time(self, *options, np=2):
        """All ranks do as much as the fastest, and read no more than was written."""
        report = self.good(self.blocktransfer("64M", "--block-size=4k", "--time=0.05",
                                              "--once", *options, np=np))
        write, read = (total(report, act, "calls") for act in ("write", "read"))
        self.assertEqual(write % np, 0)
        self.assertEqual(read % np, 0)
        self.assertGreater(write, 0)
        self.assertLessEqual(read, write)
        figures = {f["name"] for f in report["figures"]}
        self.assertIn("write.limit_write_MBps", figures)
        self.assertIn("read.limit_read_MBps", figures)
        return report, write, read

    def test_by_time(self):
        slow = ("--iomethod=null:delay_us=2000", "--no-verify")
        for options in (slow, slow + ("--threads=2",), slow + ("--depth=7",)):
            report, write, _ = self.by_time(*options)
            self.assertLess(write, 2 * 2 * 16384)
        figures = {f["name"]: f["median"] for f in report["figures"]}
        self.assertGreater(figures["write.limit_write_MBps"],
                           0.7 * figures["write_MBps"])

    def test_what_was_written_by_time_is_verified(self):
        for options in (("--filetype=SHARED", "--layout=INTERLEAVED"),
                        ("--pattern=RANDOM", "--iomethod=threads", "--depth=4"),
                        ("--filetype=PARTITIONED",), ("--iomethod=MPI",),
                        ("--iomode=ASYNC", "--depth=3", "--rank-shift=1",
                         "--pattern=RANDOM")):
            report, write, read = self.by_time(*options)
            self.assertEqual(report["checks"]["blocks_checked"], read)
        report, write, read = self.by_time("--verify=pass", "--filetype=SHARED")
        self.assertEqual(report["checks"]["blocks_checked"], write)

    def goes_round(self, *options, np=1):
        """More is moved than there is, and every read finds its last write."""
        report = self.good(self.blocktransfer("24k", "--block-size=4k", "--time=0.2",
                                              *options, np=np))
        write, read = (total(report, act, "calls") for act in ("write", "read"))
        self.assertGreater(write, 12 * np)
        self.assertGreater(read, 12 * np)
        self.assertEqual(report["files"][0]["bytes"],
                         6 * 4096 * np * report["mpi"]["lanes"])
        return report, read

    def test_by_time_blocks_go_round(self):
        for options, np in (((), 1), (("--pattern=RANDOM", "--depth=4",
                                       "--iomethod=threads"), 1),
                            (("--pattern=UNIFORM", "--mixed=30"), 1),
                            (("--mixed=60", "--depth=3", "--iomethod=threads"), 1),
                            (("--overwrite", "--filetype=SHARED", "--rank-shift=1"), 2),
                            (("--pattern=ZIPF", "--files=2", "--threads=2",
                              "--fsync=5"), 1)):
            report, read = self.goes_round(*options, np=np)
            self.assertEqual(report["checks"]["blocks_checked"], read)
        self.goes_round("--verify=pass", "--pattern=RANDOM")

    def test_a_lost_write_of_a_later_round(self):
        """What was written a round before is not taken for the last write."""
        done = self.blocktransfer("24k", "--block-size=4k", "--time=0.5", np=1,
                                  env=fault("write:lost:20+",
                                            file="files/blocktransfer-"))
        self.failed(done, "verification failed")

    def test_bytes_end_it_before_its_time(self):
        report = self.moves(("--iomethod=POSIX",), (), 2, "--time=1000", "--once")
        self.assertEqual(report["checks"]["blocks_bad"], 0)

    def test_a_failure_by_time(self):
        done = self.blocktransfer(*SIZE, "--time=1", env=fault(
            "write:EIO:5", rank=1, file="files/blocktransfer-"))
        self.failed(done, "write of", rank=1)

    def test_time_is_refused(self):
        self.refused(self.blocktransfer("--time=1", "--once"), "--once needs BYTES")
        self.refused(self.blocktransfer("--time=1", "--filetype=PARTITIONED"),
                     "add --once")
        self.refused(self.blocktransfer("1M", "--time=1", "--collective",
                                        "--iomethod=MPI"), "collective")

    def test_processor_time_of_a_transfer(self):
        for options in (("--iomethod=POSIX",), ("--iomethod=POSIX", "--no-verify"),
                        ("--iomethod=threads", "--depth=4"),
                        ("--iomethod=threads", "--depth=4", "--no-verify")):
            figures = {f["name"]: f for f in self.good(self.blocktransfer(
                *SIZE, *options, "--repeat=2"))["figures"]}
            for name in ("write_cpu_us", "read_cpu_us"):
                self.assertEqual(figures[name]["unit"], "us")
                self.assertEqual(figures[name]["better"], "lower")
                self.assertEqual(len(figures[name]["reps"]), 2)
                for value in figures[name]["reps"]:
                    self.assertGreater(value, 0)

    def test_a_run_is_named_after_its_job(self):
        """The first of the batch systems' numbers that is there; else the time."""
        jobs = {"SLURM_JOB_ID": "77", "PBS_JOBID": "12.host", "LSB_JOBID": "5"}
        cases = [(("SLURM_JOB_ID", "PBS_JOBID"), "job77-"),
                 (("PBS_JOBID", "LSB_JOBID"), "job12_host-"), (("LSB_JOBID",), "job5-"),
                 ((), r"\d{8}T\d{6}-")]
        # In a job that has a number of its own, only the first is sure to be there.
        for names, begin in cases[:1] if set(jobs) & set(os.environ) else cases:
            report = self.good(self.blocktransfer(
                "4k", "-b", "4k", np=1, env={name: jobs[name] for name in names}))
            self.assertRegex(report["run"]["id"], "^" + begin)

    def test_processor_time_is_not_waiting(self):
        """64 requests in a row, 2 ms each: it sleeps, except for most of a
        millisecond."""
        figures = {f["name"]: f["median"] for f in self.good(self.blocktransfer(
            *SIZE, "--iomethod=null:delay_us=2000", "--no-verify", np=1))["figures"]}
        self.assertLess(figures["read_cpu_us"], 1000)

    def test_failure_in_a_full_queue(self):
        done = self.blocktransfer(*SIZE, "--iomethod=null:fail_every=10", "--no-verify",
                                  "--depth=4")
        self.failed(done, "write of 16384 bytes", "fail_every")

    def test_time_limit_in_a_full_queue(self):
        """One of five never returns; the wait for it does not start anew."""
        done = self.blocktransfer(*SIZE, "--iomethod=threads", "--no-verify",
                                  "--depth=5", "--io-timeout=1", np=1,
                                  env=fault("write:hang:9", file="blocktransfer-"))
        self.one_sentence(done, "did not come back", "did not finish within 1 s")
        self.assertIs(done.report["valid"], False)

    # ---- engines' own ------------------------------------------------------------

    def test_large_requests_are_split(self):
        for engine in ASYNCHRONOUS:
            self.moves(("--iomethod=%s:piece=5000" % engine,), (), 1, "--depth=3")

    def test_direct(self):
        for engine in ["posix"] + ASYNCHRONOUS:
            done = self.blocktransfer(*SIZE, "--cache=direct", "--iomethod=" + engine,
                                      "--depth=4", "--filetype=SHARED")
            if "no direct I/O" in done.err or "needs a device" in done.err:
                self.skipTest("no direct I/O here")
            report = self.good(done)
            self.assertEqual(report["io"]["cache"], "direct")
            if engine not in ("uring", "libaio"):  # measured: the kernel may keep them
                self.assertEqual("depth_without_effect" in
                                 [w["code"] for w in report["warnings"]],
                                 engine in ("posix", "aio"))

    def test_direct_by_sectors(self):
        """With blocks of 512 bytes, if that is the device's logical block."""
        for engine in ["posix"] + ASYNCHRONOUS:
            done = self.blocktransfer("64k", "--block-size=512", "--cache=direct",
                                      "--depth=4", "--iomethod=" + engine)
            if "multiples of 4096" in done.err or "no direct I/O" in done.err or \
                    "is memory" in done.err or "needs a device" in done.err:
                self.skipTest("no direct I/O of 512 bytes here")
            self.assertEqual(self.good(done)["checks"]["blocks_checked"], 2 * 128)

    def opened_again(self, error, *options):
        done = self.blocktransfer(*SIZE, *options, env=fault(
            "again:%s" % error, rank=1, file="/blocktransfer-"))
        return done, [w for w in (done.report or {}).get("warnings", [])
                      if w["code"] == "opened_again"]

    def test_a_file_that_another_node_does_not_see_yet(self):
        """Opening is tried again, which is told; if it never succeeds, that is said."""
        for method in ("posix", "mpiio"):
            for filetype in ("SHARED", "UNIQUE"):
                options = "--iomethod=" + method, "--filetype=" + filetype
                done, told = self.opened_again("ESTALE:1", *options)
                self.good(done)
                self.assertEqual(len(told), 1)
                done, told = self.opened_again("ENOENT:1+", *options)
                self.failed(done, "No such file or directory")

    def test_a_probe_that_fails_refuses_nothing(self):
        """Some file systems cannot sync a file without a name."""
        self.good(self.blocktransfer(*SIZE, env=fault("fsync:EIO:1+",
                                                      file="(deleted)")))

    def test_a_time_that_is_not_reached(self):
        for seconds, told in (("1000", True), ("0.01", False)):
            report = self.good(self.blocktransfer(
                "1M", "--block-size=4k", "--iomethod=null:delay_us=1000",
                "--no-verify", "--once", "--time=" + seconds, np=1))
            self.assertEqual("time_not_reached" in
                             [w["code"] for w in report["warnings"]], told)

    def test_direct_is_refused(self):
        for words, why in ((("--block-size=5000",), "moves multiples of "),
                           (("--misalign=100",), "moves multiples of "),
                           (("--iomethod=MPI",), "does no direct I/O"),
                           (("--iomethod=null", "--no-verify"), "no direct I/O")):
            self.refused(self.blocktransfer(*words, "--cache=direct"), why)

    @unittest.skipUnless(os.path.ismount("/dev/shm"), "there is no /dev/shm")
    def test_memory_is_not_direct(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            done = self.blocktransfer(*SIZE, "--cache=direct", dir=place)
            self.assertEqual(os.listdir(place), [])
        self.failed(done, "tmpfs is memory")

    # ---- null ---------------------------------------------------------------------

    def test_null_moves_nothing(self):
        report = self.good(self.blocktransfer(*SIZE, *NULL, "--depth=4"))
        self.assertEqual(total(report, "write", "calls"), 2 * BLOCKS)
        self.assertIsNone(report["checks"]["device_share"])
        self.assertEqual(report["checks"]["blocks_checked"], 0)

    def test_null_delays_overlap_in_the_queue(self):
        """64 requests of 5 ms, 16 at a time: no fewer than 4 x 5 ms pass."""
        report = self.good(self.blocktransfer(
            *SIZE, "--iomethod=null:delay_us=5000", "--no-verify", "--depth=16", np=1))
        for s in samples(report, "write"):
            self.assertGreaterEqual(s["min_s"], 4 * 0.005)
            self.assertGreaterEqual(s["latency"]["max_s"], 0.005)

    def test_null_must_not_be_verified(self):
        self.refused(self.blocktransfer(*SIZE, "--iomethod=null"), "null",
                     "--no-verify")

    def test_injected_failure(self):
        done = self.blocktransfer(*SIZE, "--iomethod=null:fail_every=10", "--no-verify")
        error = self.failed(done, "write of 16384 bytes", "fail_every", rank=0)
        self.assertEqual(error["offset_bytes"], 9 * BLOCK)
        self.assertEqual(error["errno"], "EIO")

    def test_injected_short_transfer(self):
        done = self.blocktransfer(*SIZE, "--iomethod=null:short_every=3", "--no-verify")
        self.failed(done, "after 8192: short transfer", rank=0)

    def test_misspelt_engine_option(self):
        self.refused(self.blocktransfer("--iomethod=null:delay=3", "--no-verify"),
                     'no option "delay"', "delay_us")

    # ---- arithmetic beyond 32 bits, without the memory it would take ----------------

    def test_40_gib_a_rank(self):
        report = self.good(self.blocktransfer("40G", "--block-size=16M", *NULL,
                                              "--filetype=SHARED", np=2))
        self.assertEqual(total(report, "write"), 2 * 40 << 30)
        self.assertEqual(report["files"][0]["bytes"], 80 << 30)

    def test_overflow_is_refused(self):
        self.refused(self.blocktransfer("9000000000G"), "out of range")
        self.refused(self.blocktransfer("8000000T", "--block-size=1T", *NULL), "2^63")


cases = itertools.product(METHODS + HDF5,
                          (("SEQUENTIAL", "SEGMENTED", "0", "UNIQUE"),
                           ("SEQUENTIAL", "INTERLEAVED", "512", "SHARED"),
                           ("RANDOM", "SEGMENTED", "4097", "SHARED"),
                           ("RANDOM", "INTERLEAVED", "0", "SHARED")))
for (name_, method_, launcher_), (pattern, layout, misalign, type_) in cases:
    add(Transfers, "_".join((name_, pattern, layout, misalign, type_)).lower(), "moves",
        method_, launcher_, 3, "--pattern=" + pattern, "--layout=" + layout,
        "--misalign=" + misalign, "--filetype=" + type_)
for name_, method_, launcher_ in METHODS[1:] + HDF5:
    add(Transfers, name_ + "_collective", "moves", method_, launcher_, 3,
        "--collective", "--filetype=SHARED", "--layout=INTERLEAVED", "--depth=4")

add(Transfers, "posix_pass", "checked_afterwards", ("--iomethod=POSIX",), ())
add(Transfers, "threads_pass", "checked_afterwards", ("--iomethod=threads",), (),
    "--depth=4", "--threads=1", "--rank-shift=1")
for name_, method_, launcher_ in METHODS[1:]:
    add(Transfers, name_ + "_collective_pass", "checked_afterwards", method_, launcher_,
        "--collective", "--filetype=SHARED", "--depth=4")

for name_, pattern, type_ in itertools.product(ASYNCHRONOUS, ("SEQUENTIAL", "RANDOM"),
                                               ("UNIQUE", "SHARED")):
    add(Transfers, "_".join((name_, "queued", pattern, type_)).lower(), "queued", name_,
        pattern, type_)

for name_, method_, launcher_ in ASYNC_METHODS:
    add(Transfers, name_ + "_asynchronous", "moves", method_, launcher_, 3,
        "--iomode=ASYNC", "--filetype=SHARED", "--layout=INTERLEAVED", "--depth=4")

for name_ in ASYNCHRONOUS:
    add(Transfers, name_ + "_full", "full", name_, 6, 2)
    for pattern in ("SEQUENTIAL", "RANDOM"):
        add(Transfers, "_".join((name_, "every_block", pattern)).lower(),
            "every_block_is_there", name_, pattern)

# OMPIO's MPI_File_sync waits for all ranks.
for (name_, method_, launcher_), type_ in itertools.product(
        METHODS, ("UNIQUE", "SHARED", "PARTITIONED")):
    if name_ != "posix" and type_ == "PARTITIONED":
        continue
    add(Transfers, "_".join((name_, "syncs", type_)).lower(), "syncs_at_once", method_,
        launcher_, type_,
        (FLAVOUR, name_, type_) == ("openmpi", "mpi", "SHARED"))

if __name__ == "__main__":
    main()
