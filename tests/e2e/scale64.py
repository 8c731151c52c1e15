#!/usr/bin/env python3
# limit: 300, alone; tier: ci
"""64 ranks, even on few cores: everything exists 64 times."""
import json
import os

from e2e import BUILD, HAVE_SCALAPACK, Case, main, samples, total
from in_rig import unless_quick

RANKS = 64


class Scale(Case):
    LIMIT = 120

    def all_there(self, report):
        self.assertEqual(report["mpi"]["ranks"], RANKS)
        self.assertEqual(sum(h["ranks"] for h in report["hosts"]), RANKS)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        for s in report["samples"]:
            self.assertEqual(len(s["ranks_s"]), RANKS, s)
            self.assertAlmostEqual(s["ranks_s"][s["max_rank"]], s["max_s"], places=9)

    def test_full_mode(self):
        if not HAVE_SCALAPACK:
            self.skipTest("full mode is not built")
        report = self.good(self.madbench("64", "2", np=RANKS))
        self.all_there(report)
        self.assertLess(abs(report["results"]["dC"][0] / -8.982593033718e-01 - 1), 1e-9)
        self.assertEqual(report["checks"]["blocks_checked"], RANKS * (2 + 3))

    def test_io_mode_shared_with_gangs(self):
        report = self.good(self.madbench("64", "4", "4", "--io-only", "--iomethod=MPI",
                                         "--filetype=SHARED", np=RANKS))
        self.all_there(report)
        self.assertEqual(report["checks"]["blocks_checked"], RANKS * (4 + 1))
        self.assertEqual(total(report, "write"), 2 * 8 * 64 * 64 * 4)

    def test_blocktransfer(self):
        report = self.good(self.blocktransfer("64k", "--block-size=16k",
                                              "--filetype=SHARED", np=RANKS))
        self.all_there(report)
        self.assertEqual(report["checks"]["blocks_checked"], RANKS * 4)
        self.assertEqual(sum(s["calls"] for s in samples(report, "write")), RANKS * 4)

    def test_each_reads_what_the_last_but_31_wrote(self):
        report = self.good(self.madbench("64", "2", "--io-only", "--rank-shift=32",
                                         np=RANKS))
        self.all_there(report)

    def ldad(self, *args):
        done = self.run_program("ldad", *args, "--quiet", np=RANKS)
        report = self.good(done)
        self.all_there(report)
        return report

    def test_ldad_perf(self):
        for io in "collective", "partitioned":
            report = self.ldad("perf", "--chunk=4k", "--chunks=2", "--io=" + io)
            self.assertEqual(report["checks"]["blocks_checked"], RANKS * 2)
            self.assertEqual(total(report, "write"), RANKS * 2 * 4096)

    def test_ldad_jacobi(self):
        """There are 64 bands of two rows."""
        report = self.ldad("jacobi", "--rows=128", "--columns=64", "--io=collective")
        self.assertEqual(report["checks"]["blocks_checked"], RANKS)

    def test_gsfgen(self):
        """There are more ranks than lines: some have nothing to do."""
        done = self.run_program("gsfgen", "--files=40", "--pings=5", "--beams=11",
                                "--quiet", np=RANKS, json=False)
        self.assertEqual((done.status, done.said), (0, []), done)
        self.assertEqual(len(done.files), 40)

    def test_iotrace(self):
        """Each has a log, and together they have the report's bytes."""
        recorder = os.path.join(BUILD, "libiotrace.so")
        done = self.blocktransfer("16k", "--block-size=4k", np=RANKS,
                                  env={"PRELOAD": recorder, "IOTRACE_BINARY": "true"})
        self.assertEqual(done.status, 0, done)
        self.all_there(done.report)
        told = self.run_program("iotrace", "summary", "--json=-", done.folder, np=0,
                                dir=False, json=False)
        moved = [f["by_class"] for f in json.loads(told.out)["files"]
                 if ".blocks." in f["name"] and "write" in f["by_class"]]
        self.assertEqual(len(moved), RANKS)
        for by_class in moved:
            self.assertEqual(by_class["write"]["bytes"], 16384)
            self.assertEqual(by_class["read"]["bytes"], 16384)


if __name__ == "__main__":
    unless_quick()
    main()
