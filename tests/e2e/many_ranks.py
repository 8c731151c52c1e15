#!/usr/bin/env python3
# limit: 900
"""64 ranks, however few cores there are. tests/run makes them give way to each other."""
from e2e import HAVE_SCALAPACK, Case, main, samples

RANKS = 64


class ManyRanks(Case):
    LIMIT = 280

    def sixty_four(self, done):
        report = self.good(done)
        self.assertEqual(report["mpi"]["ranks"], RANKS)
        for sample in samples(report, "write"):
            self.assertEqual(len(sample["ranks_s"]), RANKS)
        return report

    def test_io_mode_one_shared_file(self):
        report = self.sixty_four(self.madbench(
            "64", "2", "--bwexp=0.5", "--filetype=SHARED", "--iomethod=MPI", np=RANKS))
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 2 * RANKS)

    def test_blocktransfer(self):
        report = self.sixty_four(self.blocktransfer("64k", "--block-size=16k", np=RANKS))
        self.assertEqual(report["checks"]["blocks_checked"], 4 * RANKS)

    def test_full_mode_a_file_for_each_rank(self):
        if not HAVE_SCALAPACK:
            self.skipTest("built without ScaLAPACK")
        report = self.sixty_four(self.madbench("64", "2", np=RANKS))
        self.assertLess(abs(report["results"]["dC"][0] / -8.982593033718e-01 - 1), 1e-9)


if __name__ == "__main__":
    main()
