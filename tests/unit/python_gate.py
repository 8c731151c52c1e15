#!/usr/bin/env python3
# mpi: any
"""leadline compare --fail-if-slower, on series with known answers."""
import json
import math
import os
import random
import re
import shutil
from unittest import mock

from tap import main

from fake_report import report, save_runs, save_series
from leadline.base import stats
from leadline.judge import gate
from leadline.results import groups
from leadline_case import STEADY, LeadlineCase, leadline

BASE = [100, 104, 130, 128, 90, 117]
ROUND = [1.00, 0.97, 1.05, 1.10, 0.92, 1.02]


def known(c):
    """Returns the rounds of configuration c, whose differences scipy has computed."""
    return [BASE[c] * ROUND[r] * (1 + 0.01 * ((37 * c * c + 11 * r * r + 13 * c * r) % 7
                                              - 3)) for r in range(6)]


class Gate(LeadlineCase):
    COMMAND = "compare"

    def gate(self, before, after, limit, *more):
        """Returns (exit status, the JSON's part) of two configurations of one
        series."""
        save_series(self.dir, "a", before)
        save_series(self.dir, "b", after)
        status, out, err = leadline(
            "compare", self.dir, "--baseline=a", "--format=json",
            "--fail-if-slower=" + limit, *more)
        self.assertEqual(err, "")
        return status, json.loads(out)["gate"]

    def test_known_series(self):
        self.assertAlmostEqual(known(1)[5], 109.2624, places=6)
        for before, after, limit, expected, state, figure, value in (
                (0, 4, "5%", 3, "fails", "slowness", 1.100092),
                (0, 4, "5%", 3, "fails", "low", 1.077943),
                (0, 1, "5%", 0, "passes", "high", 0.962301),
                (2, 3, "5", 0, "passes", "high", 1.046565),
                (2, 3, "3%", 4, "unsure", "high", 1.046565)):
            status, gate = self.gate(known(before), known(after), limit)
            self.assertEqual((status, gate["state"]), (expected, state))
            self.assertAlmostEqual(gate["rows"][0][figure], value, places=4)
        self.assertEqual(self.gate(known(2), known(3), "3%", "--unsure=pass")[0], 0)

    def test_many_at_once(self):
        """Bounds hold together: those of 5 are wider than those of one."""
        for m, df, quantile in ((1, 5, 2.015048), (5, 5, 3.346248)):
            self.assertAlmostEqual(stats.sidak_quantile(m, df), quantile, places=4)

    def test_less_is_better(self):
        """For a time, larger is slower."""
        for i, (name, factor) in enumerate((("a", 1.0), ("b", 1.2))):
            tree = report({"wall_s": [v * factor for v in STEADY]}, label=name)
            tree["figures"][0].update(better="lower", unit="s")
            os.mkdir(self.path(name))
            save_runs(self.path(name), name, tree)
        status, out, _ = leadline("compare", self.path("a"), self.path("b"),
                                  "--fail-if-slower=5%")
        self.assertEqual(status, 3)
        last = out.rstrip("\n").split("\n")[-1]
        self.assertIn("slower: wall_s of b by 1.20x [", last)
        self.assertTrue(last.endswith("limit 5 %"), last)

    def folders(self, after, before={"p": 1, "q": 1}):
        for folder, factors in (("old", before), ("new", after)):
            os.makedirs(self.path(folder), exist_ok=True)
            for name, factor in factors.items():
                save_runs(self.path(folder), name, report(
                    {"write_MBps": [v * factor for v in STEADY],
                     "read_MBps": [v * 2 for v in STEADY]}))
        return leadline("compare", self.path("old"), self.path("new"),
                        "--fail-if-slower=5%")

    def test_by_name(self):
        """In two folders, each configuration is compared with itself."""
        status, out, err = self.folders({"p": 1.5, "q": 0.7})
        self.assertEqual((status, err), (3, ""))
        self.assertIn("slower: write_MBps of q (new) by 1.43x", out)
        status, out, _ = self.folders({"p": 1, "q": 1})
        self.assertEqual(status, 0)
        self.assertIn("passes: at worst", out)
        self.assertEqual(out.count("baseline"), 8)   # of bars, of the table

    def test_names_that_are_missing(self):
        status, out, err = self.folders({"p": 1, "r": 1})
        self.assertEqual((status, out), (2, ""))
        self.assertIn("is called q", err)
        self.assertEqual(err.count("\n"), 1)
        _, _, err = self.folders({"p": 1, "q": 1, "r": 1})
        self.assertIn("no configuration of %s is called r" % self.path("old"), err)

    def test_with_itself(self):
        self.save(report({"write_MBps": STEADY}))
        self.refused("no valid report in", self.path("a.json"), self.path("a.json"),
                     "--fail-if-slower=5%")

    def test_few(self):
        status, gate = self.gate([100, 101], [50, 51], "5%")
        self.assertEqual((status, gate["state"]), (4, "unsure"))
        self.assertIn("2, 6 needed", gate["sentence"])
        self.assertEqual(self.gate([100, 101], [50, 51], "5%", "--unsure=pass")[0], 0)

    def test_one_run_each(self):
        """It neither fails nor passes, however far apart they are."""
        for name, factor in (("a", 1), ("b", 3)):
            self.save(report({"write_MBps": [v / factor for v in STEADY]}),
                      name + ".json")
        args = ["compare", self.path("a.json"), self.path("b.json"),
                "--fail-if-slower=5%"]
        status, out, _ = leadline(*args)
        self.assertEqual(status, 4)
        self.assertIn("unsure: write_MBps of b: one run each: what differs between "
                      "runs is not in this interval; --compare or a sweep decides",
                      " ".join(out.split()))
        self.assertEqual(leadline(*args + ["--unsure=pass"])[0], 0)

    def test_not_comparable(self):
        for name, more in (("a", {}), ("b", {"ranks": 8})):
            self.save(report({"write_MBps": STEADY}, **more), name + ".json")
        status, out, _ = leadline("compare", self.path("a.json"), self.path("b.json"),
                                  "--fail-if-slower=5%")
        self.assertEqual(status, 1)
        self.assertIn("not comparable: write_MBps of b", out.split("\n")[-2])

    def test_bad_report(self):
        self.save(report({"write_MBps": STEADY}), "a.json")
        self.save(report({"write_MBps": STEADY}), "b.json")
        self.save(report({"write_MBps": STEADY}, valid=False, why="x"), "c.json")
        status, _, _ = leadline("compare", "--baseline=a", "--fail-if-slower=5%", *(
            self.path(name + ".json") for name in "abc"))
        self.assertEqual(status, 1)

    def test_limits(self):
        self.save(report({"write_MBps": STEADY}))
        for limit in ("0", "-1", "100%", "x", "nan", ""):
            self.refused("--fail-if-slower", "--fail-if-slower=" + limit,
                         self.path("a.json"), status=2)

    def test_decide(self):
        """It fails only if the lower bound is a loss, and passes only if the upper
        bound is within the limit."""
        for slow, state in (((1.2, 1.01, 1.5), gate.FAILS),
                            ((1.2, 0.99, 1.5), gate.UNSURE),
                            ((1.02, 1.01, 1.03), gate.PASSES),
                            ((1.04, 1.01, 1.06), gate.UNSURE),
                            ((1.05, 1.01, 1.06), gate.FAILS),
                            ((1.2, 1.0, 1.5), gate.UNSURE),
                            ((1.0, 0.96, 1.05), gate.UNSURE)):
            self.assertEqual(gate.decide(slow, 1.05), state, slow)

    def sentence(self, after):
        """Returns (status, the last sentence without its bounds) for configurations
        that are now so many times as fast."""
        for folder in ("old", "new"):
            shutil.rmtree(self.path(folder), ignore_errors=True)
        status, out, _ = self.folders(after, dict.fromkeys(after, 1))
        said = " ".join(out[out.rindex("\n\n"):].split())
        return status, re.sub(r" \[.*?\]", "", said)

    def test_sentences(self):
        """They name the worst of those that decide, and how many more there are."""
        for after, status, words in (
                ({"p": 0.5, "q": 1}, 3,
                 "slower: write_MBps of p (new) by 2.00x, limit 5 %"),
                ({"p": 0.5, "q": 0.4, "r": 0.8}, 3,
                 "slower: write_MBps of q (new) by 2.50x, limit 5 % (and 2 more)"),
                ({"p": 0.99, "q": 1}, 0, "passes: at worst write_MBps of p (new) is "
                 "slower by 1.01x, limit 5 %"),
                ({"p": 0.955, "q": 0.955}, 4, "unsure: write_MBps of p (new) may be "
                 "slower by 1.05x, limit 5 % (and 1 more). 48 more rounds would "
                 "decide: leadline sweep --until=0.28%, or --compare, if one run can "
                 "have both")):
            self.assertEqual(self.sentence(after), (status, words))

    def test_as_many_rounds_as_it_says_decide(self):
        """At the same middle and noise; one fewer do not."""
        for slow, limit in ((1.0, 1.05), (1.03, 1.05), (1.2, 1.05)):
            for noise in (0.02, 0.1):
                def judged(n):
                    found = stats.Estimate(-math.log(slow), noise / math.sqrt(n),
                                           n - 1, n)
                    row = mock.Mock()
                    row.figure.name, row.figure.better = "write_MBps", "higher"
                    row.comparison.estimate, row.comparison.baseline = found, None
                    return gate.judge_row(row, limit, 2)
                few = judged(6)
                if few.state != gate.UNSURE:
                    continue
                need = gate.fewest_rounds(few, limit, 2)
                self.assertNotEqual(judged(need).state, gate.UNSURE, (slow, noise))
                self.assertEqual(judged(need - 1).state, gate.UNSURE, (slow, noise))

    def test_what_a_configuration_is_called(self):
        """The name comes from its sweep, its label or its file."""
        for more, name in (({"config": "c", "label": "l"}, "c"), ({"label": "l"}, "l"),
                           ({}, "a")):
            self.save(report({"write_MBps": STEADY}, **more))
            group, = groups.collect([self.path("a.json")]).groups
            self.assertEqual(gate.plain_name(group), name)

    def test_bounds_hold_for_all_figures_together(self):
        pair = stats.paired_estimate([1.0, 1.1, 1.05, 0.97, 1.02, 1.01], [1.0] * 6)
        one, five = (gate.slowness(pair, "higher", n) for n in (1, 5))
        self.assertEqual(one[0], five[0])
        self.assertLess(five[1], one[1])
        self.assertGreater(five[2], one[2])

    def test_how_often(self):
        """One pair, 5 % noise, 12 rounds: it agrees with the prediction, within the
        scatter of 200 draws of a fixed seed."""
        random.seed(1)
        counts = {}
        for loss in (1.0, 1.1):
            found = []
            for _ in range(200):
                pair = stats.paired_estimate(
                    [random.lognormvariate(0, 0.05) / loss for _ in range(12)],
                    [random.lognormvariate(0, 0.05) for _ in range(12)])
                found.append(gate.decide(gate.slowness(pair, "higher", 1), 1.05))
            counts[loss] = found
        self.assertLessEqual(counts[1.0].count("fails"), 6)
        self.assertGreater(counts[1.0].count("passes"), 120)
        self.assertGreater(counts[1.1].count("fails"), 190)

    def test_formats(self):
        save_series(self.dir, "a", known(0))
        save_series(self.dir, "b", known(4))
        for form, where in (("markdown", 1), ("csv", 2), ("text", 1)):
            got = leadline("compare", self.dir, "--fail-if-slower=5%",
                           "--format=" + form)
            self.assertEqual(got[0], 3)
            self.assertIn("slower: write_MBps of b by 1.10x [1.08, 1.12], limit 5 %",
                          got[where].rstrip("\n").split("\n")[-1])


if __name__ == "__main__":
    main()
