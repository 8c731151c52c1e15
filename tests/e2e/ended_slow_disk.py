#!/usr/bin/env python3
# tier: ci
"""A run is told to end while a rank waits for a slow disk: the others wait for it, so
that the launcher does not kill it before it has removed its files."""
import os
import signal
import time
import unittest

from e2e import FLAVOUR
from in_rig import in_rig
from loads import Loads

DISK = os.environ.get("LEADLINE_DISKS", "")


class SlowDisk(Loads):
    LIMIT = 120

    @unittest.skipUnless(FLAVOUR == "mpich",
                         "this MPI's launcher kills ranks after a second")
    def test_the_first_rank_waits_for_it(self):
        """Only the first rank has a reason to wait."""
        run = self.start("pfmload", "--quiet", "--scheme=E", "--output=o.pfm",
                         "--no-keep", "--cache=flush", "--repeat=1000000",
                         *self.survey(4, 30, 61), np=3, dir=DISK)
        self.until(lambda: len(run.ranks()) == 3 and os.listdir(DISK), "it runs")
        time.sleep(3)  # the disk's initial burst is used up
        run.child.send_signal(signal.SIGTERM)
        run.wait(30)
        self.assertIn("pfmload: ended by a signal; its files are removed", run.err)
        self.assertEqual(os.listdir(DISK), ["lost+found"], run)


if __name__ == "__main__":
    in_rig("disks", "--disks=1", "--size=200M", "--rate=300k:0")
