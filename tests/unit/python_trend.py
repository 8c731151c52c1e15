#!/usr/bin/env python3
# mpi: any
"""leadline trend, on months of reports with a known step."""
import itertools
import json
import random
import re
import time
import unittest
from unittest import mock

from tap import main

from fake_report import report, save
from leadline.judge import trend
from leadline_case import LeadlineCase


def known():
    """Returns 30 runs: a step at 14, and only run 9 at a tenth."""
    return [100 * (1 + 0.01 * ((7 * i * i + 3 * i) % 5 - 2))
            * (0.88 if i >= 14 else 1) * (0.1 if i == 9 else 1) for i in range(30)]


TEXT = """\
configuration      figure      unit  runs  from (UTC)  to          level now  steps
-----------------  ----------  ----  ----  ----------  ----------  ---------  -----
madbench, 1 rank   write_MBps  MB/s     3  -           2026-06-02       50.5      -
madbench, 1 rank   read_MBps   MB/s     3  -           2026-06-02          1      -
madbench, 4 ranks  write_MBps  MB/s    30  2026-01-01  2026-01-30         88      1

write_MBps of madbench, 4 ranks: worse from 2026-01-15 02:00 on (run 15 of 30): 0.89x,
from 99 to 88 MB/s; changed with it: kernel ? -> 6.6; MPI library MPICH -> MPICH 4.2
write_MBps of madbench, 4 ranks: single runs that stand out, and count less: 2026-01-10
02:00 (run 10, 10.2)

Note: 1 report has no time: they come first, by their names
Note: 1 report is not valid and left out
Note: 2 of 3 rows have fewer than 10 runs, the fewest in which a step is looked for
"""


def best_levels(values, price):
    """Returns the begins of levels of three runs or more, by trying all: each costs its
    squares about its mean, and the price."""
    def cost(begins):
        ends = list(begins[1:]) + [len(values)]
        total = price * len(begins)
        for begin, end in zip(begins, ends):
            level = values[begin:end]
            total += sum((v - sum(level) / len(level)) ** 2 for v in level)
        return total
    n = len(values)
    every = ((0,) + more for k in range(n // 3)
             for more in itertools.combinations(range(3, n - 2), k)
             if all(b - a >= 3 for a, b in zip((0,) + more, more)))
    return list(min(every, key=cost)[1:])


class Steps(unittest.TestCase):
    def test_noise(self):
        # Steps 1 -1 4 -4 1: median 1, off it by 0 2 3 5 0, median 2.
        self.assertAlmostEqual(trend.noise([0, 1, 0, 4, 0, 1]), 1.4826 * 2 / 2 ** 0.5)
        self.assertEqual(trend.noise([3.0] * 9), 0.005)

    def test_clipped(self):
        """Values are clipped to three times the noise from the median of five
        neighbours, if there are so many."""
        self.assertEqual(trend.clipped([1, 2, 3, 4, 50], 1), [1, 2, 3, 4, 7])
        self.assertEqual(trend.clipped([-90, 2, 3, 4, 5], 2), [-4, 2, 3, 4, 5])
        self.assertEqual(trend.clipped([0, 0, 30, 0, 0, 9, 0], 1),
                         [0, 0, 3, 0, 0, 3, 0])

    def test_the_best_of_all_partitions(self):
        draw = random.Random(11)
        found = set()
        for n in (6, 7, 9, 11, 12) * 8:
            values = [draw.choice((0, 0, 5, 9)) + draw.random() for _ in range(3)
                      for _ in range(n // 3 + 1)][:n]
            values.sort(key=lambda v: v > 4 if draw.random() < 0.7 else 0)
            unit = draw.choice((0.5, 1.0, 1.5))
            best = best_levels(values, 5 * trend.math.log(n) * unit * unit)
            self.assertEqual(trend.partition(values, unit), best, values)
            found.add(len(best))
        self.assertLessEqual({0, 1}, found)

    def test_price_of_a_level(self):
        """It is 4 ln n, for fewer than 30 runs 5 ln n: a step of 1.43 saves 1.43^2 n /
        4."""
        for n, begins in ((30, [15]), (29, [])):
            values = [0.0] * (n // 2) + [1.43] * (n - n // 2)
            self.assertEqual(trend.partition(values, 1.0), begins)

    def test_levels_of_three(self):
        self.assertEqual(trend.partition([0.0] * 20 + [30.0] * 3, 1.0), [20])
        self.assertEqual(trend.partition([0.0] * 20 + [30.0] * 2, 1.0), [19])


class Trend(LeadlineCase):
    COMMAND = "trend"

    def nights(self, values, change=None, **more):
        """Makes a report a night, from the 1st of January on; `change`: what, and from
        where."""
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

    def test_a_known_step_and_outlier(self):
        values = known()
        logs = [trend.math.log(v) for v in values]
        self.assertAlmostEqual(trend.noise(logs), 0.020760, places=6)
        (step,), outliers = trend.find_steps(values)
        self.assertEqual((step[0], outliers), (14, [9]))
        self.assertAlmostEqual(step[1], 0.888826, places=6)

    def test_reports(self):
        """They are in the order of their starts, whatever their names are, with the
        changes."""
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

    def fill(self):
        """Makes the reports of TEXT: months, three runs of one rank, and one that
        failed."""
        def update(tree):
            tree["mpi"]["library"] = "MPICH 4.2"
            tree["hosts"][0]["kernel"] = "6.6"
        self.nights(known(), (14, update))
        for i, start in enumerate((None, "2026-06-01T00:00:00Z",
                                   "2026-06-02T00:00:00Z")):
            tree = report({"write_MBps": [50.0 + i / 2], "read_MBps": [1.0]}, ranks=1)
            tree["run"]["start_utc"] = start
            save(self.dir, "later%d.json" % i, tree)
        save(self.dir, "failed.json", report(valid=False, why="x"))

    def test_as_text(self):
        self.fill()
        self.assertEqual(self.run_command(self.dir), TEXT)

    def test_as_markdown(self):
        """Cells, sentences and notes are the same."""
        self.fill()
        got = self.run_command(self.dir, "--format=markdown")
        rows, words, notes = TEXT.split("\n\n")
        cells = [re.split("  +", row) for row in rows.splitlines()]
        del cells[1]
        lines = [line.strip("| ").split(" | ") for line in got.splitlines()
                 if line.startswith("|") and "---" not in line]
        self.assertEqual(lines, cells)
        self.assertIn("| --- | --- | --- | ---: | --- | --- | ---: | ---: |\n", got)
        said = " ".join(line[2:] for line in got.splitlines() if line.startswith("- "))
        self.assertEqual(said, " ".join((words + "\n" + notes.replace("Note: ", ""))
                                        .split()))

    def test_single_runs_that_stand_out(self):
        """Three are named; the others are counted."""
        values = [100 + (7 * i * i + 3 * i) % 5 for i in range(30)]
        for n, words in ((3, ""), (5, " and 2 more")):
            for i in range(n):
                values[4 + 5 * i] = 30.0
            self.nights(values)
            out = " ".join(self.run_command(self.dir).split())
            self.assertIn("stand out, and count less: 2026-01-05 02:00 (run 5, 30), "
                          "2026-01-10 02:00 (run 10, 30), 2026-01-15 02:00 (run 15, 30)"
                          + words, out)
            self.assertEqual(" more" in out, bool(words))

    def test_names_of_configurations(self):
        """They are the options in which runs of a program differ, or the label; and
        hosts if they separate runs."""
        for i, more in enumerate(({}, {"options": {"npix": 2048}},
                                  {"label": "fast", "program": "outcore"},
                                  {"label": "fast", "program": "outcore", "ranks": 1})):
            save(self.dir, "%d.json" % i, report({"write_MBps": [1.0]}, **more))
        self.assertEqual({t["configuration"] for t in self.found()["trends"]}, {
            "madbench npix=1024, 4 ranks", "madbench npix=2048, 4 ranks",
            "outcore fast, 4 ranks", "outcore fast, 1 rank"})
        self.assertEqual({t["configuration"] for t in
                          self.found("--group-by=host")["trends"]},
                         {"madbench, 4 ranks on n1", "outcore, 4 ranks on n1",
                          "outcore, 1 rank on n1"})
        self.assertEqual(self.found()["notes"][0],
                         "4 reports have no time: they come first, by their names")

    def test_one_or_two(self):
        for i, words in enumerate(("1 report has no time: they come first, by their "
                                   "names; 1 report is not valid and left out",
                                   "2 reports have no time: they come first, by their "
                                   "names; 2 reports are not valid and left out")):
            save(self.dir, "a%d.json" % i, report({"write_MBps": [1.0]}))
            save(self.dir, "b%d.json" % i, report(valid=False, why="x"))
            self.assertEqual("; ".join(self.found()["notes"][:2]), words)

    def test_reads_from_memory_explain_a_step(self):
        self.nights([100.0, 101.0, 99.0] * 4 + [200.0, 202.0, 198.0] * 4,
                    (12, lambda tree: tree["checks"].update(device_share=0.1)))
        step, = self.found()["trends"][0]["steps"]
        self.assertEqual(step["changed"], ["reads from memory False -> True"])

    def test_ten_runs_are_enough(self):
        for n, steps in ((9, 0), (10, 1)):
            self.nights([100.0, 100.0, 101.0, 99.0, 100.0] + [50.0] * (n - 5))
            self.assertEqual(len(self.found()["trends"][0]["steps"]), steps)

    def test_planted(self):
        """A loss of 7 % in night 43 of 60, 20 repetitions of 5 % noise a night."""
        for seed in range(10):
            draw = random.Random(seed)
            values = [[draw.lognormvariate(4.6, 0.05) * (0.93 if i >= 42 else 1)
                       for _ in range(20)] for i in range(60)]
            steps, _ = trend.find_steps([trend.stats.median(v) for v in values])
            self.assertEqual([at for at, _ in steps], [42], seed)

    def test_nothing_planted(self):
        """Clean months seldom have a step."""
        draw = random.Random(7)
        wrong = sum(bool(trend.find_steps([draw.lognormvariate(0, 0.05)
                                           for _ in range(40)])[0]) for _ in range(200))
        self.assertLessEqual(wrong, 12)

    def test_few_runs_need_a_larger_step(self):
        """Months of 20 nights have no change; the price of a step in longer series
        would find one."""
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
        """Another number of ranks is separate; another host only if requested."""
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

    def test_bad_input(self):
        self.refused("no report in", self.dir)
        save(self.dir, "a.json", "{")
        self.refused("not JSON", self.dir)
        self.nights([100.0] * 12)
        self.assertIn("not JSON", self.found()["notes"][0])
        self.refused("no figure to follow", self.dir, "--figure=nothing")
        self.refused("--min-effect", self.dir, "--min-effect=0", status=2)

    def test_2000_runs(self):
        """A year of 2000 runs, in memory: the search for steps ends."""
        draw = random.Random(3)
        values = [draw.lognormvariate(0, 0.03) * (1.2 if i >= 1234 else 1)
                  for i in range(2000)]
        steps, _ = trend.find_steps(values)
        self.assertEqual([at for at, _ in steps], [1234])


if __name__ == "__main__":
    main()
