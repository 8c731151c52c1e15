#!/usr/bin/env python3
# mpi: any
"""leadline trend, on months of reports with a known step."""
import json
import math
import os
import random
import re
import shutil
import time

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

write_MBps of madbench, 4 ranks: worse from 2026-01-15 02:00 on (run 15 of 30): 0.88x,
from 99 to 88 MB/s; changed with it: kernel ? -> 6.6; MPI library MPICH -> MPICH 4.2
write_MBps of madbench, 4 ranks: single runs that stand out, and count less: 2026-01-10
02:00 (run 10, 10.2)

Note: 1 report has no time: they come first, by their names
Note: 1 report is not valid and left out
Note: 2 of 3 rows have fewer than 10 runs, the fewest in which a step is looked for
"""


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
        """The outlier counts as the median of the seven runs around it."""
        values = known()
        before, after = values[:14], values[14:]
        before[9] = sorted(values[6:13])[3]
        (step,), outliers = trend.find_steps(values)
        self.assertEqual((step[0], outliers), (14, [9]))
        mean = [sum(map(math.log, some)) / len(some) for some in (before, after)]
        self.assertAlmostEqual(step[1], math.exp(mean[1] - mean[0]))

    def test_copies_count_once(self):
        self.nights([100.0, 90.0])
        for name in ("a.json", "b.json"):
            shutil.copy(self.path("000.json"), self.path(name))
        tree = self.found()
        self.assertEqual(len(tree["trends"][0]["runs"]), 2)
        self.assertIn("2 reports are of runs that are in the table already: they are "
                      "left out", tree["notes"])

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
        self.assertIn("worse from 2026-01-15 02:00 on (run 15 of 30): 0.88x", out)
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
                values[4 + 5 * i] = 30.0 + 8.0 * i
            self.nights(values)
            out = " ".join(self.run_command(self.dir).split())
            self.assertIn("stand out, and count less: 2026-01-05 02:00 (run 5, 30), "
                          "2026-01-10 02:00 (run 10, 38), 2026-01-15 02:00 (run 15, 46)"
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

    def test_two_speeds(self):
        """They are named in place of steps."""
        slow = random.Random(4)
        self.nights([(60.0 if slow.random() < 0.4 else 100.0) * (1 + i % 3 / 100)
                     for i in range(30)])
        row, = self.found()["trends"]
        self.assertEqual(row["steps"], [])
        low = sum(run["value"] < 80 for run in row["runs"])
        self.assertEqual(row["two_speeds"]["share_low"], low / 30)
        self.assertTrue(60 <= row["two_speeds"]["low"] <= 61.2)
        self.assertTrue(100 <= row["two_speeds"]["high"] <= 102)
        out = " ".join(self.run_command(self.dir).split())
        self.assertIn("two speeds, 60.6 and 101 MB/s, %.0f %% of the runs with the "
                      "lower one; they change places too often for steps"
                      % (low / 0.3), out)

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
        for name in os.listdir(self.dir):
            os.remove(self.path(name))
        save(self.dir, "bad.json", report({"write_MBps": [1.0]}, valid=False))
        self.refused("; 1 report is not valid and left out", self.dir)
        self.refused("--min-effect", self.dir, "--min-effect=0", status=2)


if __name__ == "__main__":
    main()
