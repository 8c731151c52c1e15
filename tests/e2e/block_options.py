#!/usr/bin/env python3
# limit: 120; tier: quick ci
"""blocktransfer's kinds of work: mixed, repeated, shifted, spread, synced,
compressible, and all combinations. The expected contents are always known, and are
checked."""
import collections
import glob
import os
import random
import re
import shutil
import unittest
import zlib

from e2e import (ASYNCHRONOUS, Case, add, any_mpi, fault, main, read_bytes, samples,
                 total)

BLOCK = 4096
SIZE = ("1000k", "--block-size=4k")  # 250 blocks
BLOCKS = 250
SLOTS = (1000 << 10) // BLOCK
ENGINES = ["POSIX"] + [name for name in ASYNCHRONOUS if name in ("threads", "uring")]
assert SLOTS == BLOCKS


class Options(Case):
    def moves(self, *options, np=1):
        """All reads were checked, and right."""
        report = self.good(self.blocktransfer(*SIZE, *options, np=np))
        self.assertEqual(report["checks"]["blocks_checked"],
                         total(report, "read", "calls"))
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        return report

    def kept(self, *options):
        """Returns the bytes of its files, by name."""
        done = self.blocktransfer(*SIZE, *options, "--keep", np=1)
        self.assertEqual(done.status, 0, done)
        files = {}
        for path in sorted(set(glob.glob(os.path.join(done.dir, "*.blocks*"))) -
                           set(glob.glob(os.path.join(done.dir, "*.json")))):
            files[os.path.basename(path).split(".blocks")[1]] = read_bytes(path)
        return files

    # ---- both kinds ------------------------------------------------------------------

    def test_reads_of_a_seed(self):
        """1,000 transfers: 316 reads, on each rank; with another seed 294."""
        for seed, reads, np in ((1, 316, 2), (2, 294, 1)):
            report = self.good(self.blocktransfer(
                "1000k", "--block-size=1k", "--mixed=30", "--seed=%d" % seed, np=np))
            self.assertEqual([total(report, act, "calls", phase="mixed") // np
                              for act in ("read", "write")], [reads, 1000 - reads])
            figures = {f["name"] for f in report["figures"]}
            self.assertLessEqual({"mixed.read_MBps", "mixed.write_MBps",
                                  "mixed.read_p99_us", "mixed.write_p99_us"}, figures)

    def shares(self, engine, **more):
        """Each kind's rate is its bytes divided by the seconds of both."""
        report = self.good(self.blocktransfer(
            "256k", "--block-size=4k", "--mixed=50", "--seed=1", "--depth=8",
            "--iomethod=" + engine, "--no-verify", np=1, **more))
        of = {f["name"]: f["median"] for f in report["figures"]}
        acts = [s for s in report["samples"]
                if s["phase"] == "mixed" and s["act"] in ("read", "write", "sync")]
        seconds = sum(s["ranks_s"][0] for s in acts)
        for kind in ("read", "write"):
            moved = total(report, kind, phase="mixed")
            self.assertAlmostEqual(of["mixed.%s_MBps" % kind] * 1e6 * seconds / moved,
                                   1, 6)
            self.assertEqual(of[kind + "_MBps"], of["%s.%s_MBps" % (kind, kind)])
            blocks = total(report, kind, "calls", phase=kind)
            self.assertAlmostEqual(of[kind + "_iops"] * BLOCK / 1e6,
                                   of[kind + "_MBps"], 6)
            self.assertEqual(blocks, 64)

    def test_rates_of_kinds_in_flight_at_once(self):
        """They add up, and none is part of the run's rates, however different they
        are."""
        self.shares("null:delay_us=2000")
        self.shares("threads:helpers=8", env=fault(
            "read:slow:1+", file="files/blocktransfer-", FAULT_SECONDS="0.005"))

    def test_pauses_that_the_kernel_may_use(self):
        """With pauses, no rate is the storage's; without a page cache all are."""
        rates = {"read_MBps", "write_MBps", "read_iops", "write_iops"}
        for more, paused in (((), True), (("--iomethod=null", "--no-verify"), False)):
            report = self.good(self.blocktransfer(*SIZE, "--think=100", *more, np=1))
            warned = {w["code"] for w in report["warnings"]}
            paused = paused and "file_system_in_memory" not in warned
            self.assertEqual("pauses_hide_io" in warned, paused)
            figures = {f["name"] for f in report["figures"]}
            self.assertEqual(figures & rates, set() if paused else rates)
            self.assertLessEqual({"read.read_MBps", "write.write_MBps"}, figures)
            notes = report["run"]["notes"]
            self.assertEqual("read_ahead" in notes, paused)
            self.assertEqual("write_back" in notes, paused)

    def finds(self, what, *options, found="version"):
        self.failed(self.blocktransfer(
            *SIZE, "--seed=3", *options, np=1,
            env=fault(what, file="files/blocktransfer-")), "verification failed", found,
            "bytes of block ")

    @any_mpi
    def test_a_lost_write_of_the_mixed_phase(self):
        """The old version is found, and does not pass for the new one."""
        self.finds("write:lost:260", "--mixed=40", found="what rank 0 wrote earlier")
        self.finds("write:lost:260", "--mixed=40", "--pattern=ZIPF",
                   found="what rank 0 wrote earlier")
        self.finds("read:shift:3", "--mixed=40", "--pattern=UNIFORM")

    @any_mpi
    def test_a_lost_write_over_what_is_there(self):
        """An earlier version of a block is detected wherever it is read."""
        self.finds("write:lost:300", "--overwrite", found="version 2")
        self.finds("write:lost:300", "--overwrite", "--pattern=UNIFORM")
        self.finds("write:lost:250", "--pattern=ZIPF", "--theta=3")
        self.finds("write:lost:400", "--overwrite", "--dedupe=60", "--compress=90")

    def test_overwritten_files_are_made_before(self):
        report = self.moves("--overwrite", "--verify=yes")
        self.assertEqual(total(report, "write", "calls"), BLOCKS)
        names = {f["name"]: f["median"] for f in report["figures"]}
        self.assertNotIn("lay.write_MBps", names)
        self.assertAlmostEqual(names["wall_s"], names["write.wall_s"] +
                               names["read.wall_s"], 9)
        lay = {s["act"] for s in report["samples"]
               if s["phase"] == "lay" and s["mean_s"]}
        self.assertEqual(lay & {"read", "write", "sync"}, set())

    # ---- places and times ------------------------------------------------------------

    def test_shifted_blocks(self):
        data = self.kept("--misalign=random")[".000000"]
        self.assertGreater(len(data), BLOCKS * BLOCK)
        self.assertLessEqual(len(data), 1 + BLOCKS * (BLOCK + 512))
        starts = [i for i in range(len(data)) if data.startswith(b"enildael", i)]
        self.assertEqual(len(starts), BLOCKS)
        self.assertTrue(all(i % 2 for i in starts))

    def test_files_of_a_lane(self):
        for options, names in (
                (("--files=3",), [".000000", ".000000-1", ".000000-2"]),
                (("--files=2", "--filetype=SHARED"), ["", "-1"])):
            files = self.kept(*options)
            self.assertEqual(sorted(files), names)
            each = -(-BLOCKS // len(names)) * BLOCK
            self.assertEqual({len(data) for data in files.values()}, {each})
        report = self.moves("--files=3", np=2)
        self.assertEqual(report["files"][0]["count"], 6)
        self.assertEqual(report["files"][0]["bytes"], 6 * 84 * BLOCK)

    def test_syncs_and_thinking(self):
        """Syncs count as writing, thinking counts nowhere; 250 writes: 25 syncs, and
        one at the end."""
        report = self.moves("--fsync=10", "--think=100", "--iomethod=threads")
        self.assertEqual(total(report, "sync", "calls", phase="write"), 26)
        for phase in ("write", "read"):
            compute = samples(report, "compute", phase)[0]["mean_s"]
            self.assertGreaterEqual(compute, (BLOCKS - 1) * 100e-6)
        report = self.moves("--fsync=each", "--mixed=30", "--seed=1", "--files=2")
        mixed = total(report, "write", "calls", phase="mixed")
        self.assertEqual(total(report, "sync", "calls", phase="mixed"), 2 * mixed + 2)

    def test_sizes(self):
        """Shares are exact: 60 of 100 blocks have 4 KiB, 30 have 12, 10 have 40."""
        sizes = {4096: 60, 12288: 30, 40960: 10}
        for options in ((), ("--pattern=RANDOM", "--threads=2", "--verify=pass"),
                        ("--files=3", "--depth=4", "--iomethod=threads"),
                        ("--filetype=SHARED", "--layout=INTERLEAVED", "--misalign=100",
                         "--rank-shift=1")):
            report = self.good(self.blocktransfer(
                "1000k", "--block-sizes=4k:60,12k:30,40k:10", *options, np=2))
            calls = total(report, "write", "calls")
            self.assertEqual(calls % 20, 0)
            self.assertEqual(total(report, "write") * 100,
                             calls * sum(b * n for b, n in sizes.items()))
            self.assertEqual(total(report, "read"), total(report, "write"))
            self.assertEqual(report["checks"]["blocks_checked"], calls)
            of = {f["name"]: f["median"] for f in report["figures"]}
            for bytes_ in sizes:
                self.assertIn("write.write_%dB_p99_us" % bytes_, of)
            self.assertAlmostEqual(of["write_iops"] / of["write_MBps"] / 1e6 *
                                   total(report, "write"), calls, 3)

    def test_sizes_that_repeat(self):
        """The rate of blocks is that of the calls, whatever sizes are drawn."""
        report = self.good(self.blocktransfer(
            "1000k", "--block-sizes=100:1,5000:2", "--pattern=ZIPF", "--mixed=30",
            "--time=0.05", np=1))
        of = {f["name"]: f["median"] for f in report["figures"]}
        for act in ("read", "write"):
            self.assertAlmostEqual(
                of[act + "_iops"] / of[act + "_MBps"] / 1e6 *
                total(report, act, phase=act) / total(report, act, "calls", phase=act),
                1, 6)

    def traced(self, *options):
        """The traced calls about its blocks: (call, whether it names O_DSYNC or
        O_SYNC)."""
        done = self.blocktransfer(*SIZE, *options, np=0, before=(
            "strace", "-f", "-y", "-o", "calls", "-e", "trace=openat,fsync,fdatasync"))
        if done.status:
            self.skipTest("strace does not run here: %s" % done.err[-200:])
        with open(os.path.join(done.folder, "calls"), encoding="utf-8") as f:
            lines = [line for line in f if ".blocks" in line]
        return collections.Counter(
            (re.search(r"(\w+)\(", line).group(1),
             (re.search(r"\bO_D?SYNC\b", line) or [""])[0]) for line in lines)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_durable_writes(self):
        """250 writes: the kernel is asked for what the option says."""
        for engine in ENGINES:
            for how, calls in (
                    ("phase", {("fsync", ""): 1}),
                    ("fsync", {("fsync", ""): BLOCKS + 1}),
                    ("fdatasync", {("fdatasync", ""): BLOCKS + 1}),
                    ("dsync", {("fsync", ""): 1, ("openat", "O_DSYNC"): 1}),
                    ("osync", {("fsync", ""): 1, ("openat", "O_SYNC"): 1})):
                found = self.traced("--sync=" + how, "--iomethod=" + engine)
                self.assertEqual({k: n for k, n in found.items()
                                  if k != ("openat", "")}, calls, (engine, how))

    def test_latencies_of_syncs(self):
        """They are figures beside those of the writes."""
        report = self.moves("--sync=fdatasync", "--fsync=10")
        self.assertEqual(total(report, "sync", "calls", phase="write"), 26)
        figures = {f["name"] for f in report["figures"]}
        self.assertLessEqual({"write.fsync_%s_us" % p
                              for p in ("p50", "p99", "p999", "max")}, figures)

    # ---- an open loop ----------------------------------------------------------------

    def offered(self, *options, np=1):
        size = () if "--block-sizes" in options[0] else ("--block-size=4k",)
        report = self.good(self.blocktransfer(
            *size, "--seed=3", *options, *(() if "12000k" in options else ("400k",)),
            np=np))
        return report, {f["name"]: f["median"] for f in report["figures"]}

    def test_intended_starts(self):
        """100 transfers at 500/s end no earlier than the last one begins, by the
        clock of the phase; 2000 KiB are 500 blocks."""
        for rate in ("500", "500/s", "2000KiB/s"):
            report, of = self.offered("--rate=" + rate, "--iomethod=threads",
                                      "--depth=4", np=2)
            for phase in ("write", "read"):
                self.assertGreaterEqual(of[phase + ".wall_s"], 99 / 500)
            self.assertEqual(report["checks"]["blocks_checked"], 200)

    def test_latencies_begin_at_the_intended_start(self):
        """A device of 2 ms that is offered a transfer every ms: number i waits for at
        least i ms, on average 49.5. The closed loop does not see that."""
        slow = ("--iomethod=null:delay_us=2000", "--no-verify")
        _, of = self.offered(*slow, "--rate=1000")
        self.assertGreaterEqual(of["write.write_waiting_us"], 49500)
        self.assertGreaterEqual(of["write.write_max_us"], 99000 + 2000)
        self.assertGreaterEqual(of["write.write_held_share"], 99)
        _, of = self.offered(*slow)
        self.assertNotIn("write.write_waiting_us", of)

    def test_a_stall_delays_all_that_come_meanwhile(self):
        """Each 1000th transfer takes 20 ms, in which 100 come: 1 % of all wait for
        more than 18 ms, where a closed loop has one such transfer in 1000."""
        report, of = self.offered("--iomethod=null:delay_us=20000,delay_every=1000",
                                  "--no-verify", "--rate=5000", "12000k")
        self.assertEqual(total(report, "write", "calls"), 3000)
        self.assertGreaterEqual(of["write.write_p99_us"], 18000 * 0.94)

    def test_what_could_not_be_offered(self):
        """In 0.3 s 300 are due, and a device of 2 ms does at most 151."""
        report, of = self.offered("--iomethod=null:delay_us=2000", "--no-verify",
                                  "--rate=1000", "--time=0.3")
        made = total(report, "write", "calls")
        self.assertLessEqual(made, 151)
        self.assertGreaterEqual(of["write.missed"], 300 - 151)
        self.assertLessEqual(made + of["write.missed"], 301)

    def test_random_arrivals(self):
        """All kinds of blocks are right, and come at the times of the seed."""
        for options in (("--mixed=50", "--pattern=UNIFORM", "--depth=3",
                         "--iomethod=threads"), ("--fsync=7", "--threads=2"),
                        ("--block-sizes=1k:1,8k:1", "--time=0.05", "--overwrite")):
            report, _ = self.offered(*options, "--rate=3000", "--arrival=poisson",
                                     np=2)
            more = (report["checks"]["blocks_checked"] -
                    total(report, "read", "calls"))
            if "--time=0.05" in options:  # the slower rank catches up, untimed
                self.assertGreaterEqual(more, 0)
            else:
                self.assertEqual(more, 0)

    # ---- contents of blocks ----------------------------------------------------------

    def compresses(self, percent):
        data = self.kept("--compress=%d" % percent)[".000000"]
        for level in (1, 3, 6):
            found = 100 - 100 * len(zlib.compress(data, level)) / len(data)
            self.assertAlmostEqual(found, percent, delta=3)

    def test_compressible_data(self):
        for percent in (0, 30, 70, 100):
            self.compresses(percent)

    def test_copies(self):
        for percent in (0, 40, 100):
            data = self.kept("--dedupe=%d" % percent, "--pattern=RANDOM")[".000000"]
            kinds = collections.Counter(data[i:i + BLOCK]
                                        for i in range(0, len(data), BLOCK))
            self.assertAlmostEqual(BLOCKS - len(kinds), BLOCKS * percent / 100, delta=7)

    # ---- everything together ---------------------------------------------------------

    def combined(self, seed):
        """Any combination gives right data, and the rates and bytes of the blocks."""
        draw = random.Random(seed)
        pattern = draw.choice(("SEQUENTIAL", "RANDOM", "UNIFORM", "ZIPF"))
        options = ["--pattern=" + pattern, "--iomethod=" + draw.choice(ENGINES),
                   "--filetype=" + draw.choice(("UNIQUE", "SHARED")),
                   "--depth=%d" % draw.choice((1, 3, 16, 300)),
                   "--threads=%d" % draw.choice((1, 2)),
                   "--verify=" + draw.choice(("yes", "pass"))]
        for more in (("--mixed=50",), ("--files=3",), ("--misalign=random",),
                     ("--overwrite",), ("--fsync=20",), ("--sync=dsync",),
                     ("--think=5",), ("--compress=50",), ("--time=0.01",),
                     ("--repeat=2",)):
            options += more if draw.random() < 0.4 else ()
        if pattern in ("SEQUENTIAL", "RANDOM") and "--mixed=50" not in options:
            options.append("--dedupe=30")
        report = self.good(self.blocktransfer(*SIZE, *options, np=draw.choice((1, 2))))
        read, write = (total(report, act, "calls") for act in ("read", "write"))
        self.assertEqual(total(report, "read"), read * BLOCK)
        self.assertEqual(total(report, "write"), write * BLOCK)
        if "--verify=yes" in options:
            self.assertEqual(report["checks"]["blocks_checked"], read)

    @any_mpi
    def test_what_is_refused(self):
        repeats = ("--pattern=ZIPF",)
        for options, why in (
                (repeats + ("--collective", "--iomethod=MPI"), "collective"),
                (repeats + ("--block-size=32",), "less than 56 bytes"),
                (repeats + ("--mixed=5", "--rank-shift=1"), "is writing"),
                (("--mixed=5", "--rank-shift=1"), "--filetype=SHARED"),
                (("--mixed=5", "--filetype=PARTITIONED"), "when it is complete"),
                (("--overwrite", "--filetype=PARTITIONED"), "written once"),
                (("--files=2", "--filetype=PARTITIONED"), "several files already"),
                (("--files=2", "--collective", "--iomethod=MPI"), "cannot be coll"),
                (("--fsync=each", "--iomethod=MPI", "--filetype=SHARED"),
                 "on all ranks at once"),
                (("--rate=0",), "is not a number of transfers"),
                (("--rate=5x",), "is not a number of transfers"),
                (("--rate=5", "--think=3"), "leave out"),
                (("--block-sizes=4k",), "is not SIZE:SHARE"),
                (("--block-sizes=4k:0",), "is not SIZE:SHARE"),
                (("--block-sizes=4k:1,8k:1009",), "is not SIZE:SHARE"),
                (("--block-sizes=4k:7,8k:1000",), "add up to 100"),
                (("--block-sizes=4k:1", "--block-size=4k"), "one of the two"),
                (("--block-sizes=4k:1", "--dedupe=4"), "another size"),
                (("--block-sizes=4k:1", "--filetype=PARTITIONED"), "regular files"),
                (("--sync=dsync", "--iomethod=mmap"), "take posix, threads, uring"),
                (("--sync=fdatasync", "--iomethod=MPI"), "does not call fdatasync"),
                (("--misalign=random", "--cache=direct"), "moves multiples of "),
                (("--misalign=rand",), "nor random"),
                (("--dedupe=5", "--mixed=5"), "written as often")):
            self.refused(self.blocktransfer(*options, np=2), why)


for number in range(24):
    add(Options, "combined_%02d" % number, "combined", number)
if __name__ == "__main__":
    main()
