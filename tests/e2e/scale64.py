#!/usr/bin/env python3
# limit: 300
"""64 ranks, however few cores there are: everything is there 64 times."""
from e2e import HAVE_SCALAPACK, Case, main, samples, total
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


if __name__ == "__main__":
    unless_quick()
    main()
