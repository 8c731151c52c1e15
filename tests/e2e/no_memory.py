#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""Each allocation that a program makes, and each file that it opens, fails in turn: the
run ends with one sentence, without a signal and in time, and leaves nothing."""
import glob
import os
import shutil
import struct
import unittest

from e2e import (BUILD, HAVE_SCALAPACK, TESTS, Case, any_mpi, drawn, fault, main,
                 read_bytes, workloads)

SHIM = os.path.join(BUILD, "tests", "alloc_shim.so")
# The format of generated documents is XML, for which expat is needed.
PLAIN = () if os.environ.get("HAVE_EXPAT") == "yes" else ("--format=plain",)
GRAPH = ("outcore", "graph", "S:4,70,4", "--batch=100", "--edge-buffer=100")
PFM = "loaded.pfm"
SURVEY = os.path.join(TESTS, "data", "gsf", "6_184_1440.mb121")
RUNS = [(0, "blocktransfer", "1M"),
        (0, "blocktransfer", "1M", "--threads=2", "--mixed=50", "-d", "4"),
        (0, "madbench", "16", "2", "1", "4", "4096",
         *(() if HAVE_SCALAPACK else ("--io-only",))),
        (0, "metabench", "20"),
        (0, *GRAPH, "--adjacency-buffer=4000", "--layout=csr"),
        (0, *GRAPH, "--adjacency-buffer=100", "--kernel=graph500", "--roots=2"),
        (0, "outcore", "sort", "--records=3000", "--record=100", "--memory=512k"),
        (0, "outcore", "stream", "--bytes=2M"),
        (0, "outcore", "text", "--files=5", "--container", *PLAIN),
        *((0, *line) for line in workloads()),
        (0, "ldad", "jacobi", "-n", "16", "--rows=32", "--columns=32"),
        (0, "pfmload", "-b", "50", "-o", PFM, SURVEY),
        (2, "ldad", "jacobi", "-n", "4", "--rows=32", "--columns=32"),
        (2, *GRAPH, "--adjacency-buffer=100"),
        (2, "outcore", "sort", "--records=3000", "--record=100", "--memory=512k")]


@unittest.skipIf(os.environ["SANITIZERS"], "sanitizers count allocations, too")
class Memory(Case):
    def starved(self, k, np, program, *args):
        env = {"PRELOAD": SHIM, "ALLOC_FILE": "allocations", "ALLOC_FAIL": str(k)}
        if np:
            env["ALLOC_RANK"] = str(np - 1)
        done = self.run_program(program, *args, "--quiet", np=np, env=env, limit=60)
        self.take_product(done)
        return done

    @staticmethod
    def take_product(done):
        """Removes a complete PFM, which stays if only its report fails."""
        pfm = os.path.join(done.dir, PFM)
        if os.path.exists(pfm) and os.path.isdir(pfm + ".data"):
            os.remove(pfm)
            shutil.rmtree(pfm + ".data")

    def allocations(self, run):
        """Returns the number of allocations that the program itself makes if none
        fails."""
        done = self.starved(0, *run)
        self.assertEqual(done.status, 0, done)
        counts = []
        for name in glob.glob(os.path.join(done.folder, "allocations.*")):
            counts.append(struct.unpack("q", read_bytes(name))[0])
        return max(counts)

    @any_mpi
    def test_each_allocation(self):
        for run in drawn(RUNS, 5):
            last = self.allocations(run)
            self.assertGreater(last, 20, run)
            for k in drawn(range(1, last + 1), 4, 1 / 10):
                with self.subTest(run=run, k=k):
                    done = self.starved(k, *run)
                    if done.status:
                        self.one_sentence(done, "memory")
                        self.assertEqual(done.status, 1)


class Opens(Case):
    @any_mpi
    def test_each_open(self):
        for run in drawn(RUNS, 4):
            np, program, *args = run
            for what in drawn(["%s:EACCES:%d" % (call, k) for k in (1, 2, 3)
                               for call in ("open", "reopen")], 2, 1 / 2):
                with self.subTest(run=run, what=what):
                    done = self.run_program(
                        program, *args, "--quiet", np=np, limit=60,
                        env=fault(what, np - 1 if np else None, "files/"))
                    if done.status:
                        self.one_sentence(done)
                        self.assertEqual(done.status, 1)


if __name__ == "__main__":
    main()
