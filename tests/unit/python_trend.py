#!/usr/bin/env python3
# mpi: any
"""leadline trend, on months of reports with a step that is known."""
import json
import os
import random
import time
from unittest import mock

from tap import main

from fake_report import report, save
from leadline.judge import trend
from leadline_case import LeadlineCase, leadline


def known():
    """30 runs: a step at 14, and run 9 alone at a tenth."""
    return [100 * (1 + 0.01 * ((7 * i * i + 3 * i) % 5 - 2))
            * (0.88 if i >= 14 else 1) * (0.1 if i == 9 else 1) for i in range(30)]


class Trend(LeadlineCase):
    COMMAND = "trend"

    def nights(self, values, change=None, **more):
        """A report a night, from the 1st of January on; what is changed, from where."""
        for i, value in enumerate(values):
            tree = report({"write_MBps": value if isinstance(value, list) else [value]},
                          **more)
            tree["run"]["start_utc"] = time.strftime(
                "%Y-%m-%dT02:00:00Z", time.gmtime(1767232800 + 86400 * i))
            if change and i >= change[0]:
                change[1](tree)
            save(self.dir, "%03d.json" % (997 * i % 1009), tree)

    def found(self, *args):
        return json.loads(self.run_command(self.dir, "--format=json", *args))

    def test_known(self):
        values = known()
        logs = [trend.math.log(v) for v in values]
        self.assertAlmostEqual(trend.noise(logs), 0.020760, places=6)
        (step,), outliers = trend.find_steps(values)
        self.assertEqual((step[0], outliers), (14, [9]))
        self.assertAlmostEqual(step[1], 0.888826, places=6)

    def test_reports(self):
        """In the order of their starts, whatever they are called, with what changed."""
        def update(tree):
            tree["mpi"]["library"] = "MPICH 4.2"
            tree["hosts"][0]["kernel"] = "6.6"
        self.nights(known(), (14, update))
        row, = self.found()["trends"]
        step, = row["steps"]
        self.assertEqual((step["run"], row["outliers"]), (15, [10]))
        self.assertEqual(row["runs"][0]["start"], "2026-01-01T02:00:00Z")
        self.assertEqual(step["changed"],
                         ["kernel ? -> 6.6", "MPI library MPICH -> MPICH 4.2"])
        out = " ".join(self.run_command(self.dir).split())
        self.assertIn("worse from 2026-01-15 02:00 on (run 15 of 30): 0.89x", out)
        self.assertIn("2026-01-10 02:00 (run 10, ", out)

    def test_planted(self):
        """A loss of 7 % in night 43 of 60, 20 repetitions of 5 % noise a night."""
        for seed in range(10):
            draw = random.Random(seed)
            values = [[draw.lognormvariate(4.6, 0.05) * (0.93 if i >= 42 else 1)
                       for _ in range(20)] for i in range(60)]
            steps, _ = trend.find_steps([trend.stats.median(v) for v in values])
            self.assertEqual([at for at, _ in steps], [42], seed)

    def test_nothing_planted(self):
        """How often clean months have a step: seldom."""
        draw = random.Random(7)
        wrong = sum(bool(trend.find_steps([draw.lognormvariate(0, 0.05)
                                           for _ in range(40)])[0]) for _ in range(200))
        self.assertLessEqual(wrong, 12)

    def test_few_runs_need_a_larger_step(self):
        """Months of 20 nights without a change, in which the price of a step in longer
        series would find one."""
        for seed in (33, 67, 115, 132):
            draw = random.Random(seed)
            values = [draw.lognormvariate(0, 0.05) for _ in range(20)]
            self.assertEqual(trend.find_steps(values)[0], [], seed)
            with mock.patch.object(trend, "MANY", 20):
                self.assertNotEqual(trend.find_steps(values)[0], [], seed)

    def test_better(self):
        self.nights([1.0, 1.01, 0.99] * 4 + [2.0, 2.02, 1.98] * 4)
        row, = self.found("--figure", "write*")["trends"]
        self.assertEqual([s["run"] for s in row["steps"]], [13])
        self.assertIn("better from", self.run_command(self.dir))

    def test_small_steps(self):
        self.nights([100.0] * 12 + [101.5] * 12)
        self.assertEqual(self.found()["trends"][0]["steps"], [])
        self.assertEqual(len(self.found("--min-effect=1%")["trends"][0]["steps"]), 1)

    def test_others_apart(self):
        """Another number of ranks is another thing; another host only if asked."""
        self.nights([100.0] * 6)
        for i in range(6):
            tree = report({"write_MBps": [50.0]}, ranks=8 if i % 2 else 4)
            tree["hosts"][0]["name"] = "n2"
            tree["run"]["start_utc"] = "2026-06-0%dT00:00:00Z" % (i + 1)
            save(self.dir, "later%d.json" % i, tree)
        self.assertEqual(len(self.found()["trends"]), 2)
        self.assertEqual(len(self.found("--group-by=config,host")["trends"]), 3)
        self.assertEqual(len(self.found("--group-by=host")["trends"]), 3)
        self.refused("is not config, host", self.dir, "--group-by=x", status=2)
        self.assertIn("fewer than 10 runs", self.found()["notes"][-1])

    def test_bad(self):
        self.refused("no report in", self.dir)
        save(self.dir, "a.json", "{")
        self.refused("not JSON", self.dir)
        self.nights([100.0] * 12)
        self.assertIn("not JSON", self.found()["notes"][0])
        self.refused("no figure to follow", self.dir, "--figure=nothing")
        self.refused("--min-effect", self.dir, "--min-effect=0", status=2)

    def test_many(self):
        """A year of 2000 runs, in memory: the search for steps ends."""
        draw = random.Random(3)
        values = [draw.lognormvariate(0, 0.03) * (1.2 if i >= 1234 else 1)
                  for i in range(2000)]
        steps, _ = trend.find_steps(values)
        self.assertEqual([at for at, _ in steps], [1234])


if __name__ == "__main__":
    main()
