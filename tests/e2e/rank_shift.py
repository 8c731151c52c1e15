#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""--rank-shift: ranks read what others wrote. If one rank writes wrongly, another one
reports it, with the writer and the place."""
import unittest

from e2e import (ASYNC_METHODS, ASYNCHRONOUS, FLAVOUR, HAVE_SCALAPACK, HDF5, METHODS,
                 Case, add, fault, long, main, total)

RANKS = 3
FULL_MODE = ("48", "3", "1", "16")
IO_MODE = (*FULL_MODE, "--io-only")
BLOCKS = ("64k", "--block-size=4k")
TYPES = ("UNIQUE", "SHARED")
POSIX = METHODS[0]
SLOT = 8192  # 48 x 16 doubles
VERSION_AT = 24  # place in a stamped unit
S_WRITES = 3


class RankShift(Case):
    def hit(self, how, what, rank, *options, size=IO_MODE, program="madbench"):
        name, method, launcher = how
        env = fault(what, rank, "files/%s-" % program) if what else None
        return self.run_program(program, *size, *method, "--rank-shift=1",
                                "--io-timeout=20", *options, "--quiet", np=RANKS,
                                launcher=launcher, env=env)

    def complains(self, done, rank, file, place, *parts):
        error = self.failed(done, "verification failed", *parts, rank=rank, file=file)
        self.assertEqual(error["offset_bytes"], place)

    # ---- owners of blocks ---------------------------------------------------------

    def place(self, filetype, rank, matrix, byte=0):
        """Returns (file, offset) of a byte in a slot: rank by rank, matrix by
        matrix."""
        if filetype == "UNIQUE":
            return ".%06d" % rank, matrix * SLOT + byte
        return "matrices", (rank * 3 + matrix) * SLOT + byte

    def w_finds(self, how, filetype, writer):
        """W finds its second bin, whose first unit is wrong in the middle."""
        done = self.hit(how, "write:flip:2", writer, "--filetype=" + filetype)
        file, offset = self.place(filetype, writer, 1)
        error = self.failed(done, "verification failed", "of matrix 1 ",
                            "expected rank %d, matrix 1, version 1, offset" % writer,
                            "with changed bytes", rank=(writer - 1) % RANKS, file=file)
        self.assertGreaterEqual(error["offset_bytes"], offset)
        self.assertLess(error["offset_bytes"], offset + SLOT)

    def c_finds(self, how, filetype, writer):
        """C finds data that W should have written to the next place, its neighbour's:
        those of S are still there."""
        done = self.hit(how, "write:lost:%d" % (S_WRITES + 2), writer,
                        "--filetype=" + filetype)
        before = (writer + 1) % RANKS
        self.complains(done, (writer - 1) % RANKS,
                       *self.place(filetype, before, 1, VERSION_AT), "of matrix 1 ",
                       "expected rank %d, matrix 1, version 2, offset 0" % writer,
                       "found what rank %d wrote earlier (repetition 1, pass 1, matrix "
                       "1, version 1, offset 0): the file system served stale data"
                       % before)

    def full_finds(self, what, filetype, place, matrix, *parts):
        if not HAVE_SCALAPACK:
            self.skipTest("full mode is not built")
        done = self.hit(POSIX, what, 1, "--filetype=" + filetype, size=FULL_MODE)
        self.complains(done, 0, *self.place(filetype, place, matrix),
                       "of matrix %d " % matrix, "of what rank 1 wrote; found", *parts)

    def blocks_find(self, how, filetype, *options):
        done = self.hit(how, "write:flip:5", 2, "--filetype=" + filetype, *options,
                        size=BLOCKS, program="blocktransfer")
        self.failed(done, "verification failed", "expected rank 2, block 4, version 1",
                    rank=1, file=".000002" if filetype == "UNIQUE" else "blocks")

    # ---- right data stay right ------------------------------------------------------

    def good_with(self, how, *options, size=IO_MODE, reads=2 * 3 * RANKS):
        report = self.good(self.hit(how, None, None, *options, size=size))
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        self.assertEqual(report["checks"]["blocks_checked"], reads)
        self.assertEqual(total(report, "read", "calls"), reads)
        self.assertEqual(report["options"]["rank-shift"]["value"], 1)

    def answer(self, *options, np=4):
        report = self.good(self.madbench("100", "4", *options, np=np))
        return report["results"]["dC"]

    def test_gangs(self):
        """There is a bin of each gang, then one of this one's; its writer is in another
        gang."""
        report = self.good(self.madbench("64", "4", "2", "--io-only", "--rank-shift=3",
                                         np=4))
        self.assertEqual(report["checks"]["blocks_checked"], 4 * (4 + 2))

    def same_answer(self, np, *options):
        if not HAVE_SCALAPACK:
            self.skipTest("full mode is not built")
        self.assertEqual(self.answer(*options, "--rank-shift=%d" % (np - 1), np=np),
                         self.answer(*options, np=np))

    # ---- by nodes: MPICH pretends that this machine is several -----------------------

    def on_nodes(self, nodes, program, *options, np=4):
        return self.run_program(program, *options, "--rank-shift=node", "--quiet",
                                np=np, env={"MPIR_CVAR_NUM_CLIQUES": str(nodes)})

    @unittest.skipUnless(FLAVOUR == "mpich",
                         "only MPICH pretends that there are several nodes")
    def test_by_node(self):
        for nodes, np, shared in (2, 4, "UNIQUE"), (3, 5, "SHARED"):
            report = self.good(self.on_nodes(nodes, "blocktransfer", *BLOCKS,
                                             "--filetype=" + shared, np=np))
            self.assertEqual(report["mpi"]["nodes"], nodes)
            self.assertEqual(report["checks"]["blocks_checked"], np * 16)
            self.assertEqual(report["options"]["rank-shift"]["value"], "node")
            self.assertIn("rank 0 reads what rank 1 wrote",
                          report["run"]["notes"]["rank_shift"])

    @unittest.skipUnless(FLAVOUR == "mpich",
                         "only MPICH pretends that there are several nodes")
    def test_by_node_in_all_phases(self):
        report = self.good(self.on_nodes(3, "madbench", "64", "3", "1", "8",
                                         "--io-only", np=5))
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 3 * 5)

    def test_by_node_of_one(self):
        self.refused(self.on_nodes(1, "blocktransfer", *BLOCKS, np=2),
                     "all 2 ranks are on one node")

    def test_each_repetition(self):
        self.good_with(POSIX, "--repeat=2", reads=2 * 2 * 3 * RANKS)

    def test_gates_and_overlap(self):
        self.good_with(POSIX, size=(*IO_MODE, "4096", "3", "2"))
        report = self.good(self.hit(ASYNC_METHODS[0], None, None, "--iomode=ASYNC",
                                    "--overlap"))
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 3 * RANKS)

    def test_blocks_in_a_full_queue(self):
        """Nothing is checked there, but bytes are the same."""
        done = self.hit((ASYNCHRONOUS[0], ("--iomethod=" + ASYNCHRONOUS[0],), ()), None,
                        None, "--depth=4", "--no-verify", "--pattern=RANDOM",
                        size=BLOCKS, program="blocktransfer")
        self.assertEqual(total(self.good(done), "read"), RANKS * 65536)

    def test_blocks_of_a_container(self):
        done = self.hit(POSIX, None, None, "--filetype=PARTITIONED", size=BLOCKS,
                        program="blocktransfer")
        self.assertEqual(self.good(done)["checks"]["blocks_checked"], RANKS * 16)

    # ---- limits ---------------------------------------------------------------------

    @long
    def test_refused(self):
        own = "each would read what it wrote itself"
        for program in "madbench", "blocktransfer":
            size = IO_MODE if program == "madbench" else BLOCKS
            for np, shift in (1, 1), (2, 2), (2, 4):
                self.refused(self.run_program(program, *size, "--rank-shift=%d" % shift,
                                              np=np), own)
            self.refused(self.run_program(program, *size, "--rank-shift=-1"),
                         "--rank-shift")
        self.refused(self.madbench(*IO_MODE, "--rank-shift=1",
                                   "--filetype=PARTITIONED"), "UNIQUE or SHARED")

    def test_dry_run(self):
        done = self.run_program("madbench", "1000", "4", "--dry-run", "--ranks=4",
                                "--rank-shift=5", np=0, json=False, dir=False)
        self.assertEqual(done.status, 0, done)
        self.assertIn("each reads what the one 1 further on wrote", done.out)


for i, how in enumerate(METHODS):
    for kind in TYPES:
        name = "%s_%s" % (how[0], kind)
        add(RankShift, "W_reads_the_next_" + name, "w_finds", how, kind, i % RANKS)
        add(RankShift, "C_reads_what_W_wrote_" + name, "c_finds", how, kind,
            (i + 1) % RANKS)
    add(RankShift, "blocks_" + how[0], "blocks_find", how, TYPES[i % 2])
add(RankShift, "blocks_interleaved", "blocks_find", POSIX, "SHARED",
    "--layout=INTERLEAVED")

for kind in TYPES:
    add(RankShift, "full_mode_W_" + kind, "full_finds", "write:flip:2", kind, 1, 1)
    add(RankShift, "full_mode_C_" + kind, "full_finds", "write:lost:5", kind, 2, 1,
        "of what was written there earlier: the file system served stale data")

for how in [*METHODS, *HDF5]:
    for kind in TYPES:
        add(RankShift, "good_%s_%s" % (how[0], kind), "good_with", how,
            "--filetype=" + kind)
for how in ASYNC_METHODS:
    collective = "--collective" in how[1]
    add(RankShift, "good_async_" + how[0], "good_with", how, "--iomode=ASYNC",
        "--filetype=" + TYPES[collective])

for options in ((), ("2",), ("4", "8", "--filetype=SHARED"), ("2", "--iomode=ASYNC"),
                ("--filetype=SHARED", "--iomethod=MPI", "--collective")):
    add(RankShift, "answer_" + "_".join(options), "same_answer", 4, *options)
add(RankShift, "answer_of_uneven_shares", "same_answer", 3, "1", "7")

if __name__ == "__main__":
    main()
