#!/usr/bin/env python3
# limit: 120
"""--live: rank 0's transfers while it runs, on stderr and as CSV."""
import csv
import os
import tempfile

from e2e import Case, fault, main, samples

SIZE = ("8k", "--block-size=512", "--iomethod=null:delay_us=10000", "--no-verify",
        "--live=0.05")
BYTES = 8192


class Live(Case):
    def measured(self, *options, np=1):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "live.csv")
            done = self.run_program("blocktransfer", *SIZE, "--live-csv=" + path,
                                    *options, np=np)
            self.assertEqual(done.status, 0, done)
            with open(path, encoding="utf-8") as f:
                return done, list(csv.DictReader(f))

    def said(self, done):
        return [line for line in done.err.splitlines() if ": live " in line]

    def test_all_is_told_once(self):
        """Rows add up to the report's values, and the longest is among them."""
        done, rows = self.measured("--repeat=2")
        for act in "read", "write":
            told = samples(done.report, act)
            self.assertEqual(sum(int(row[act + "_bytes"]) for row in rows), 2 * BYTES)
            self.assertEqual(sum(int(row[act + "_calls"]) for row in rows),
                             sum(s["calls"] for s in told))
            self.assertAlmostEqual(max(float(row[act + "_max_s"]) for row in rows),
                                   max(s["latency"]["max_s"] for s in told))
        self.assertEqual([row["rep"] for row in rows],
                         sorted(row["rep"] for row in rows))
        self.assertAlmostEqual(sum(float(row["interval_s"]) for row in rows),
                               float(rows[-1]["time_s"]), 4)
        self.assertEqual(len(self.said(done)), len(rows))
        self.assertGreater(len(rows), 1)

    def test_of_rank_0_and_its_lanes(self):
        done, rows = self.measured("--threads=3", np=2)
        for act in "read", "write":
            self.assertEqual(sum(int(row[act + "_bytes"]) for row in rows), 3 * BYTES)
        self.assertEqual(len(self.said(done)), len(rows))

    def test_a_sync_is_no_stall(self):
        """And a transfer that does not complete in time is one."""
        for call, said in (("fsync", "no transfer was completed: rank 0 syncs"),
                           ("read", "nothing was completed")):
            done = self.run_program(
                "blocktransfer", "8k", "--live=0.05", np=1, env=fault(
                    call + ":slow:1", file="blocktransfer-", FAULT_SECONDS="0.3"))
            self.assertEqual(done.status, 0, done)
            lines = [line for line in self.said(done) if line.endswith(said)]
            self.assertGreaterEqual(len(lines), 2, done.err)

    def test_quiet(self):
        done, rows = self.measured("--quiet")
        self.assertEqual(self.said(done), [])
        self.assertGreater(len(rows), 1)

    def test_a_run_that_fails_ends_it(self):
        done = self.blocktransfer("8k", "--live=0.05", dir="/nowhere/at/all")
        self.assertNotEqual(done.status, 0, done)

    def refused(self, why, *options):
        done = self.blocktransfer("8k", *options)
        self.assertEqual(done.status, 2, done)
        self.assertIn(why, done.err)

    def test_refusals(self):
        self.refused("--live-csv needs --live", "--live-csv=x")
        self.refused("no regular file", "--live=1", "--live-csv=/dev/null")
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "link")
            os.symlink("elsewhere", link)
            self.refused("cannot be written", "--live=1", "--live-csv=" + link)
            self.assertEqual(os.listdir(folder), ["link"])


if __name__ == "__main__":
    main()
