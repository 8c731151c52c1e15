#!/usr/bin/env python3
# tier: ci; limit: 900
"""Costs of runs with more ranks and nodes: the tables of doc/scaling.md are the output
of bench/scaling, so that a call to the file system, a collective call or bytes in it
that are added for each rank or each node show here."""
import os
import subprocess
import sys
import unittest

from e2e import BUILD, FLAVOUR, TESTS, main

TOP = os.path.dirname(TESTS)


class Counts(unittest.TestCase):
    def test_tables(self):
        if FLAVOUR != "mpich":
            self.skipTest("one machine is several nodes with MPICH only")
        done = subprocess.run(
            [sys.executable, os.path.join(TOP, "bench", "scaling"), "--build", BUILD,
             "--counts", "--dir", os.environ["LEADLINE_TMP"], "--check",
             os.path.join(TOP, "doc", "scaling.md")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout.decode())


if __name__ == "__main__":
    main()
