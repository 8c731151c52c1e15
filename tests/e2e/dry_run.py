#!/usr/bin/env python3
"""--dry-run says what a run needs, and touches nothing."""
import re

from e2e import Case, add, main

# Slide 8 of the MADbench2 talk: pixels, ranks, GiB of memory and of disk, 8 bins.
SLIDE = [(12500, 16, 6, 9), (25000, 16, 23, 37), (25000, 64, 23, 37),
         (50000, 64, 93, 149), (50000, 256, 93, 149), (100000, 256, 373, 596)]


class DryRun(Case):
    def ask(self, *args, np=0):
        done = self.run_program("madbench", *args, "--dry-run", "--dir=/does/not/exist",
                                np=np, dir=False, json=False)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.said, [])
        return done.out

    def slide(self, npix, ranks, memory, disk):
        out = self.ask(str(npix), "8", "--ranks=%d" % ranks)
        self.assertRegex(out, r"memory, 5 matrices .* %d GiB\n" % memory)
        self.assertRegex(out, r"disk, 8 matrices .* %d GiB\n" % disk)

    def test_more_than_16_gib_a_rank(self):
        """MADbench2's arithmetic ended there."""
        out = self.ask("100000", "8", "--ranks=4")
        self.assertRegex(out, r"largest transfer +18\.6 GiB +74\.6 GiB")
        self.assertRegex(out, r"memory, 5 matrices +93\.2 GiB")

    def test_asynchronous_gangs_need_two_matrices_more(self):
        """One gang has five buffers, which are enough for pairs."""
        self.assertIn("memory, 5 matrices ", self.ask("1000", "4", "--iomode=ASYNC"))
        out = self.ask("1000", "4", "2", "--iomode=ASYNC", "--ranks=2")
        self.assertIn("memory, 7 matrices a gang", out)

    def test_with_a_launcher_it_speaks_once(self):
        out = self.ask("1000", "4", "2", np=2)
        self.assertEqual(len(re.findall("madbench:", out)), 1)
        self.assertIn("2 gangs of 1 ranks", out)

    def test_impossible_problems_are_still_refused(self):
        done = self.run_program("madbench", "1000", "4", "3", "--dry-run", "--ranks=4",
                                np=0, json=False)
        self.refused(done, "NGANG 3", "NBIN", "nearest")

    def test_blocktransfer(self):
        done = self.run_program("blocktransfer", "1G", "--block-size=4M", "--depth=8",
                                "--dry-run", np=2, json=False)
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.out, r"memory +32\.0 MiB +64\.0 MiB")
        self.assertRegex(done.out, r"disk +1\.0 GiB +2\.0 GiB")


for row in SLIDE:
    add(DryRun, "slide_%d_pixels_%d_ranks" % row[:2], "slide", *row)

if __name__ == "__main__":
    main()
