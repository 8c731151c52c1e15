#!/usr/bin/env python3
# mpi: any
"""leadline compare, on reports with known answers."""
import collections
import csv
import io
import json
import math
import os
import re
import shutil
import unittest
from unittest import mock

from tap import add, main

from fake_report import report, save, save_runs, save_series
from files import changed_json, read_json, read_text
from full_report import FINDING, full
from leadline.base import stats
from leadline.judge import compare, rules
from leadline.results import conditions
from leadline.results.report import Report
from leadline_case import STEADY, LeadlineCase, leadline


class Case(LeadlineCase):
    COMMAND = "compare"

    def rows(self, *args):
        tree = json.loads(self.run_command("--format=json", *args))
        self.assertEqual(tree["schema"], "leadline-compare/1")
        self.notes, self.meaning = tree["notes"], tree["meaning"]
        return tree["rows"]

    def verdicts(self, *args):
        return {r["configuration"]: r["verdict"] for r in self.rows(*args)}

    def pair(self, a=None, b=None, **more):
        """Makes two files of one run each with STEADY repetitions, changed as given."""
        figures = {"write_MBps": STEADY}
        return [save(self.dir, name + ".json", report(**dict(
            dict({"figures": figures}, **more), **(changes or {}))))
                for name, changes in (("a", a), ("b", b))]

    def runs(self, a=None, b=None, **more):
        """Makes the same with six runs each."""
        paths = []
        for name, changes in (("a", a), ("b", b)):
            paths += save_runs(self.dir, name, report(**dict(
                dict({"figures": {"write_MBps": STEADY}}, **more), **(changes or {}))))
        return paths

class Numbers(Case):
    def test_pairs_by_round_cancel_drift(self):
        drift = [100, 200, 400, 800, 1600, 3200]
        save_series(self.dir, "a", drift)
        save_series(self.dir, "b", [d * f for d, f in zip(
            drift, (1.8, 1.82, 1.78, 1.8, 1.81, 1.79))])
        row = self.rows(self.dir)[1]
        self.assertEqual((row["configuration"], row["n"]), ("b", 6))
        self.assertTrue(row["paired"])
        self.assertEqual(row["verdict"], "faster by 1.8x")
        self.assertAlmostEqual(row["ratio"], 1.8, places=3)
        self.assertAlmostEqual(row["ratio_low"], 1.78)
        self.assertAlmostEqual(row["ratio_high"], 1.82)

    def test_another_series_is_not_a_pair(self):
        save_series(self.dir, "a", STEADY, "s1")
        save_series(self.dir, "b", [2 * v for v in STEADY], "s2")
        row = self.rows(self.dir)[1]
        self.assertFalse(row["paired"])
        self.assertEqual(row["verdict"], "faster by 2.0x")

    def test_repetitions_within_one_run(self):
        paths = self.pair(b={"figures": {"write_MBps": [v / 1.3 for v in STEADY]}})
        row = self.rows(*paths)[1]
        self.assertEqual((row["n"], row["paired"]), (6, False))
        self.assertAlmostEqual(row["ratio"], 1 / 1.3, places=6)
        self.assertEqual((row["rule"], row["p"]), ("one_run", None))
        self.assertEqual(row["verdict"], "one run each: what differs between runs is "
                         "not in this interval; --compare or a sweep decides")
        self.assertIn("a, b: one run each, so there is no verdict", self.notes[0])
        self.assertEqual(row["median"], 100.0 / 1.3)

    def test_no_verdict_word_from_one_run(self):
        """It holds for any question, and if the other side has many runs: on a device
        whose speed wanders, half of such pairs of equals would be called different."""
        slow = {"write_MBps": [v / 3 for v in STEADY]}
        one = self.pair(b={"figures": slow}, options={"filetype": "unique"})
        many = save_runs(self.dir, "c", report({"write_MBps": STEADY}))
        for paths in (one, one[1:] + many):
            for more in ((), ("--against=filetype",), ("--figure=*",),
                         ("--format=markdown",), ("--fail-if-slower=5%",)):
                _, out, _ = leadline("compare", *(paths + list(more)))
                for word in ("faster", "slower", "equal", "no difference shown"):
                    self.assertNotIn(word, out)
        self.assertEqual(self.verdicts(*(one[1:] + many))["c"], "one run of b: what "
                         "differs between runs is not in this interval; --compare "
                         "or a sweep decides")
        self.assertEqual(self.verdicts(*self.pair(figures={"write_MBps": [1.0]}))["b"],
                         "one run each: --compare or a sweep decides")

    def test_many_runs_count_once_each(self):
        for i in range(3):
            save(self.dir, "a%d.json" % i,
                 report({"write_MBps": [1.0, 2.0, 9.0]}, "a", "s", i + 1))
            save(self.dir, "b%d.json" % i,
                 report({"write_MBps": [1.0, 2.0, 9.0]}, "b", "s", i + 1))
        row = self.rows(self.dir)[1]
        self.assertEqual((row["n"], row["median"]), (3, 2.0))
        self.assertEqual(row["verdict"], "too few repetitions (3, 6 needed)")
        self.assertIsNone(row["low"])

    def test_copies_count_once(self):
        first, _ = self.pair()
        for name in ("c", "d"):
            shutil.copy(first, self.path(name + ".json"))
        rows = self.rows(self.dir)
        self.assertEqual([r["configuration"] for r in rows], ["a", "b"])
        self.assertRegex(self.notes[0], "^3 copies of the report of run [0-9a-f]+ "
                         r"\(.*/a.json\) are counted once$")

    def test_a_copy_that_was_changed(self):
        first, _ = self.pair()
        tree = read_json(first)
        tree["figures"][0]["reps"][0] *= 2
        save(self.dir, "c.json", tree)
        self.refused("are reports of one run", self.dir)

    def test_no_difference(self):
        self.assertEqual(self.verdicts(*self.runs(
            b={"figures": {"write_MBps": STEADY[::-1]}}))["b"], "equal within 5 %")
        self.assertRegex(self.verdicts(*self.runs(b={"figures": {
            "write_MBps": [100, 110, 95, 104, 90, 103]}}))["b"],
            r"^no difference shown \(up to [0-9.]+ % possible\)$")

    def test_lower_is_better(self):
        trees = [report({"wall_s": [v * f for v in STEADY]}) for f in (1, 3)]
        for tree in trees:
            tree["figures"][0].update(better="lower", unit="s")
        paths = [path for name, tree in zip("ab", trees)
                 for path in save_runs(self.dir, name, tree)]
        self.assertEqual(self.verdicts(*paths)["b"], "slower by 3.0x")

    def test_nulls_are_no_measurements(self):
        paths = self.pair(a={"figures": {"write_MBps": STEADY + [None, 0, -1]}})
        self.assertEqual(self.rows(*paths)[0]["n"], 6)

    def test_parameter_of_a_figure_keeps_them_apart(self):
        tree = report({"x_MBps": STEADY})
        tree["figures"].append(dict(tree["figures"][0], at={"alpha": 0.5}))
        rows = self.rows(save(self.dir, "a.json", tree))
        self.assertEqual([r["at"] for r in rows], ["", "alpha=0.5"])
        self.assertIn("\nx_MBps at alpha=0.5  a ",
                      leadline("compare", self.path("a.json"))[1])


class NotComparable(Case):
    def why(self, figure="write_MBps", **b):
        paths = self.runs(b=b, figures={figure: STEADY})
        return self.verdicts(*paths)["b"]

    def differ(self, changes, words):
        """Runs of b differ from those of a in `changes` only."""
        self.assertEqual(self.why(**changes), words)

    def test_one_from_memory(self):
        words = "not comparable: b was served from memory"
        self.assertEqual(self.why("read_MBps", share=0.1), words)
        self.assertEqual(self.why("read_MBps", warnings=["served_from_memory"]), words)
        self.assertIn("such read figures measure memory", self.notes[0])

    def test_unknown_share_is_no_fault(self):
        self.assertEqual(self.why("read_MBps", share=None), "equal within 5 %")
        self.assertNotIn("memory", " ".join(self.notes))

    def test_cache_below_is_said_of_whom(self):
        self.why("read_MBps", share=None, warnings=["cache_below"])
        self.assertEqual(
            self.notes[0], "b: below the file system is a cache or memory, which may "
                           "have served reads in 6 of 6 runs")

    def test_other_unit(self):
        trees = [report({"x_MBps": STEADY}) for _ in range(2)]
        trees[1]["figures"][0]["unit"] = "MiB/s"
        paths = [save(self.dir, "%d.json" % i, t) for i, t in enumerate(trees)]
        self.assertEqual(self.verdicts(*paths)["1"],
                         "not comparable: other unit (MiB/s, not MB/s)")

    def test_figure_missing(self):
        paths = self.pair(b={"figures": {"read_MBps": STEADY}})
        self.assertIn("not comparable: b has no such figure",
                      [r["verdict"] for r in self.rows(*paths)])

    def test_runs_of_one_configuration_differ(self):
        save_series(self.dir, "a", STEADY)
        save_series(self.dir, "b", STEADY[:5])
        save(self.dir, "z6.json", report({"write_MBps": [1.0]}, "b", "s1", 6, ranks=2))
        self.assertEqual(self.verdicts(self.dir)["b"], "not comparable: runs of b "
                         "differ: other ranks (2, not 4)")


for name, changes, words in (
        ("other_ranks", {"ranks": 8}, "not comparable: other ranks (8, not 4)"),
        ("other_workload", {"options": {"npix": 2048}},
         "not comparable: other npix (2048, not 1024)"),
        ("other_program", {"program": "blocktransfer"},
         "not comparable: other program (blocktransfer, not madbench)"),
        ("other_cache_policy", {"cache": "keep"},
         "not comparable: other cache policy (keep, not flush)"),
        ("options_that_are_no_workload_may_differ", {"options": {"iomethod": "mpi"}},
         "equal within 5 %"),
        ("memory_does_not_touch_writes", {"share": 0.1}, "equal within 5 %")):
    add(NotComparable, name, "differ", changes, words)


class Groups(Case):
    def test_by_label(self):
        for i, v in enumerate(STEADY):
            for name in ("old", "new"):
                save(self.dir, "%s%d.json" % (name, i),
                     report({"write_MBps": [v]}, label=name))
        self.assertEqual(self.verdicts(self.dir), {"new": "baseline",
                                                   "old": "equal within 5 %"})

    def test_baseline_by_name(self):
        paths = self.pair()
        self.assertEqual(self.verdicts("--baseline", "b", *paths)["b"], "baseline")

    def test_before_and_after(self):
        for name, series in (("before", "s1"), ("after", "s2")):
            folder = self.path(name)
            os.mkdir(folder)
            save_series(folder, "posix", STEADY, series)
        self.assertEqual(sorted(self.verdicts(*(self.path(d)
                                                for d in ("before", "after")))),
                         ["posix (after)", "posix (before)"])

    def test_files_of_two_directories(self):
        """They are named after their files; and they would be runs of two."""
        folders = [self.path(name) for name in ("before", "after")]
        for folder in folders:
            os.mkdir(folder)
            for i in range(3):
                save(folder, "%d.json" % i, report({"write_MBps": [1.0]}))
        self.assertEqual(sorted(self.verdicts(*folders)), [
            "%d (%s)" % (i, name) for i in range(3) for name in ("after", "before")])
        self.assertIn("without a label, each report is a configuration of its own: "
                      "give runs that belong together the same --label, or sweep",
                      " ".join(self.notes))

    def test_a_configuration_that_always_fails(self):
        """It has no report; the sweep's state names it."""
        save_series(self.dir, "a", STEADY)
        save_series(self.dir, "b", STEADY)
        save(self.dir, "sweep.json", {"schema": "leadline-sweep/1", "id": "s1",
                                      "spec": {}, "configs": ["a", "zz", "b"]})
        words = ("no run of zz left a valid report; what they said is in the .log "
                 "files there")
        self.rows(self.dir)
        self.assertIn(self.dir + ": " + words, self.notes)
        self.assertIn(words, leadline("list", self.dir)[2])
        page = self.path("page.html")
        leadline("report", self.dir, "-o", page)
        self.assertIn(words, read_text(page))

    def test_same_file_twice_counts_once(self):
        path = self.pair()[0]
        self.assertEqual(len(self.rows(path, path, self.dir)), 2)

    def test_order_of_the_sweep(self):
        for name in ("a", "b", "c"):
            save_series(self.dir, name, STEADY)
        save(self.dir, "sweep.json", {"schema": "leadline-sweep/1",
                                      "configs": ["c", "a", "b"]})
        self.assertEqual([r["configuration"] for r in self.rows(self.dir)],
                         ["c", "a", "b"])

    def test_totals_first_and_patterns(self):
        figures = {"wall_s": [1.0], "S.write_MBps": [1.0], "write_MBps": [1.0]}
        path = save(self.dir, "a.json", report(figures))
        self.assertEqual([r["figure"] for r in self.rows(path)],
                         ["write_MBps", "S.write_MBps"])
        self.assertEqual([r["figure"] for r in self.rows("--figure", "*", path)],
                         ["write_MBps", "S.write_MBps", "wall_s"])


class Nodes(unittest.TestCase):
    def told(self, name, *rows):
        """The condition of a report with these groups: (nodes, fields)."""
        tree = report({"write_MBps": STEADY})
        tree["nodes"] = [dict({"count": n}, **fields) for n, fields in rows]
        of = {c.name: c.of for c in conditions.CONDITIONS}[name]
        return of(Report("r.json", tree))

    def test_groups(self):
        disk, servers = {"storage": "ext4 on vda"}, {"storage": "lustre /fs1"}
        name = "storage of nodes"
        self.assertEqual(self.told(name), "")
        self.assertEqual(self.told(name, (64, servers)), "alike")
        self.assertEqual(self.told(name, (63, servers), (1, disk)),
                         "63 nodes: lustre /fs1; 1 node: ext4 on vda")

    def test_limits(self):
        some = {"limits": "memory 4096"}
        self.assertEqual(self.told("limits", (2, some)), "memory 4096")
        self.assertEqual(self.told("limits", (2, some), (2, {"limits": None})),
                         "2 nodes: memory 4096; 2 nodes: none")
        self.assertEqual(self.told("file system's source", (
            2, {"source": "a:/x", "uuid": "1-2"})), "a:/x, 1-2")


class Examined(LeadlineCase):
    COMMAND = "compare"

    def report(self, name, answers):
        tree = report({"write_MBps": STEADY}, label=name)
        tree["doctor"] = {probe: dict(FINDING, title="of " + probe, answer=answer)
                          for probe, answer in answers.items()}
        return self.save(tree, name + ".json")

    def test_answers_that_differ(self):
        out = " ".join(self.run_command(
            self.report("a", {"fsync": "yes", "locks": "none"}),
            self.report("b", {"fsync": "no storage", "locks": "none"})).split())
        self.assertIn("doctor: of fsync: yes (1 run), no storage (1 run)", out)
        self.assertNotIn("of locks", out)


class Words(unittest.TestCase):
    Figure = collections.namedtuple("Figure", "name at")

    def test_values_of_options(self):
        for value, text in ((None, ""), (False, ""), (True, "o"), (0, "o=0"),
                            (12, "o=12"), ("", "o="), ("2x", "o=2x"), ("A", "A"),
                            ("ASYNC", "async"), ("Aa", "Aa"), ("posix", "posix")):
            self.assertEqual(compare.option_text("o", value), text)

    def test_headlines(self):
        """They are those requested, or the totals, or the first six rates, or the first
        two without a parameter."""
        def names(text, patterns=None):
            figures = [self.Figure(name.rstrip("@"), (("p", 1),) * name.count("@"))
                       for name in text.split()]
            return " ".join(f.name + "@" * len(f.at)
                            for f in compare.headline(figures, patterns))
        self.assertEqual(names("a write_MBps read_MBps@ b"), "write_MBps")
        self.assertEqual(names("a b write_MBps", ["b", "c*"]), "b")
        self.assertEqual(names("a@ b c d"), "b c")
        self.assertEqual(names("a stat.per_s x.read_MBps"), "stat.per_s x.read_MBps")
        self.assertEqual(names("a@ b@ c@"), "a@ b@")
        self.assertEqual(names("a b write_MBps", ["*"]), "write_MBps")

    def test_without_single_runs(self):
        for rule, ratio, better, words in (
                (rules.SLOWER, (0.5, 0.4, 0.8), "higher",
                 "slower by 2.00x [1.25, 2.50]"),
                (rules.SLOWER, (2.0, 1.6, 2.5), "lower",
                 "slower by 2.00x [1.60, 2.50]"),
                (rules.FASTER, (2.0, 1.6, 2.5), "higher",
                 "faster by 2.00x [1.60, 2.50]"),
                (rules.EQUAL, (2.0, 1.6, 2.5), "higher", "no difference shown")):
            self.assertEqual(compare.opinion_text(rule, stats.Interval(*ratio, 6),
                                                  better), words)

    def test_rounds_that_would_decide(self):
        """At 5 % noise 43 show a difference of 5 % as one of 15: by python_matrix."""
        for n in (6, 18):
            found = stats.Estimate(0.0, 0.05 * (2.0 / n) ** 0.5, n - 1, n)
            row = compare.Comparison(None, True, "", 1.0, found)
            self.assertEqual(compare.rounds_of(row, 15, rules.POLICY), 43)

    def test_figures_that_are_no_headline(self):
        """What differs is said with what else differed, unless it may be chance."""
        ratio = stats.Interval(2.0, 1.5, 3.0, 6)
        row = compare.Row(mock.Mock(better="higher"), None, 6, None, None,
                          compare.Comparison(ratio, True, ""))
        known = mock.Mock(marks=lambda group, baseline: ["other machine"])
        for keep, rule, words in (
                (True, rules.FASTER, "faster by 2.0x (other machine)"),
                (False, rules.NOT_SHOWN, "no difference shown (among this many figures "
                                         "it may be chance)")):
            found = compare.explored(row, keep, rules.POLICY, known).comparison
            self.assertEqual((found.rule, found.verdict), (rule, words))
            self.assertTrue(found.exploratory)


class Against(Case):
    def fill(self, shared=0.5, n=6, **more):
        for method in ("posix", "mpi"):
            for kind, factor in (("unique", 1.0), ("shared", shared)):
                save_series(self.dir, "%s-%s" % (method, kind), [
                    {"write_MBps": v * factor, "read_MBps": 10 * v}
                    for v in STEADY[:n]], options={"filetype": kind,
                                                   "iomethod": method}, **more)

    def test_same_method_is_the_partner(self):
        self.fill()
        rows = self.rows("--against", "filetype", self.dir)
        found = {(r["configuration"], r["figure"]): r["verdict"] for r in rows}
        self.assertEqual(found, {
            ("posix-unique", "write_MBps"): "baseline",
            ("posix-unique", "read_MBps"): "baseline",
            ("posix-shared", "write_MBps"): "slower by 2.0x",
            ("posix-shared", "read_MBps"): "equal within 5 %",
            ("mpi-unique", "write_MBps"): "baseline",
            ("mpi-unique", "read_MBps"): "baseline",
            ("mpi-shared", "write_MBps"): "slower by 2.0x",
            ("mpi-shared", "read_MBps"): "equal within 5 %"})
        self.assertIn("shared reaches 0.50 of unique with posix", self.meaning[0])
        self.assertIn("striping", self.meaning[2])

    def test_other_baseline(self):
        self.fill()
        rows = self.rows("--against", "filetype=shared", self.dir)
        self.assertIn("faster by 2.0x", [r["verdict"] for r in rows])

    def test_no_cost_is_said(self):
        self.fill(shared=1.0)
        self.rows("--against", "filetype", self.dir)
        self.assertIn("Shared files cost nothing that matters", self.meaning[2])

    def test_workload_option_can_be_the_question(self):
        for npix, v in ((1024, 1.0), (2048, 3.0)):
            save_series(self.dir, "n%d" % npix, [v * s for s in STEADY],
                        options={"npix": npix})
        self.assertEqual(self.verdicts("--against", "npix", self.dir)["n2048"],
                         "faster by 3.0x")

    def test_no_partner(self):
        save_series(self.dir, "a", STEADY, options={"filetype": "unique"})
        save_series(self.dir, "b", STEADY, options={"filetype": "shared",
                                                    "iomethod": "mpi"})
        self.assertEqual(self.verdicts("--against", "filetype", self.dir)["b"],
                         "not comparable: none differs in filetype only")

    def test_slowest_rank_is_named(self):
        self.fill(slowest=3)
        status, out, _ = leadline("compare", "--against", "filetype", self.dir)
        self.assertEqual(status, 0)
        self.assertIn("3 (n1)", out)
        self.assertIn("6 of 6 runs", out)
        self.assertIn("rank 3 on n1 was the slowest in 6 of 6 runs each, which is not "
                      "chance", " ".join(out.split()))

    def test_text_fits_a_terminal(self):
        self.fill()
        _, out, _ = leadline("compare", "--against", "filetype", self.dir)
        self.assertLessEqual(max(map(len, out.splitlines())), 88)

    def test_few_rounds_need_no_meaning(self):
        self.fill(n=2)
        self.rows("--against", "filetype", self.dir)
        self.assertEqual(self.meaning, [])

    def ranks(self, weak=False, figure="write_MBps", power=1.0):
        """Makes runs 1.8 times as fast with each doubling of the ranks; a dry run's
        option "ranks" is 0 in all reports."""
        for n, speed in ((1, 1.0), (2, 1.8), (4, 3.24)):
            save_series(self.dir, "np%d" % n, [v * speed ** power for v in STEADY],
                        figure=figure, ranks=n,
                        options={"ranks": 0, "npix": 1024 * (n if weak else 1)})

    def test_ranks(self):
        """Both names work, in strong and in weak scaling."""
        for weak in (False, True):
            self.ranks(weak)
            for name in ("np", "ranks", "np=1"):
                self.rows("--against=" + name, self.dir)
                self.assertIn("Write, 4 ranks against 1: speed-up 3.24 [3.24, 3.24], "
                              "efficiency 81 % [81, 81], each doubling 1.80x "
                              "[1.80, 1.80].", self.meaning)
                self.assertEqual("npix changes with the number of ranks (weak "
                                 "scaling)." in self.meaning, weak)
            out = leadline("compare", "--against=np", self.dir)[1]
            self.assertIn("against np=1", out)
            self.assertIn("faster by 3.2x", out)
            self.assertNotIn("not comparable", out)

    def test_ranks_and_seconds(self):
        """In strong scaling 4 ranks should need a fourth of the time, in weak scaling
        the same."""
        for weak, efficiency in ((False, "81"), (True, "324")):
            self.ranks(weak, "wall_s", -1.0)
            for name in os.listdir(self.dir):
                with changed_json(self.path(name)) as tree:
                    tree["figures"][0].update(better="lower", unit="s")
            self.rows("--against=np", "--figure=wall_s", self.dir)
            self.assertIn("Wall_s, 4 ranks against 1: speed-up 3.24 [3.24, 3.24], "
                          "efficiency %s %%" % efficiency, " ".join(self.meaning))

    def test_what_a_sweep_varied_is_compared(self):
        """Those are ranks, the work and the cache policy; but not with another
        series."""
        self.ranks(weak=True)
        self.assertEqual(self.verdicts(self.dir)["np2"], "faster by 1.8x")
        save_series(self.dir, "keep", [v * 3 for v in STEADY], cache="keep")
        self.assertEqual(self.verdicts("--baseline=np1", self.dir)["keep"],
                         "faster by 3.0x")
        save_series(self.dir, "np8", STEADY, "s2", ranks=8)
        self.assertEqual(self.verdicts("--baseline=np1", self.dir)["np8"],
                         "not comparable: other ranks (8, not 1)")

    def test_unknown_option(self):
        self.fill()
        self.refused("no report has an option called stripe; there are: np, filetype",
                     "--against", "stripe", self.dir, status=2)


class Notes(Case):
    def test_missing_rounds_noise_load_and_programs(self):
        save_series(self.dir, "a", STEADY)
        save_series(self.dir, "b", [100, None, 50, 100, 200, 100], load=5.5,
                    warnings=["no_counters"])
        self.rows(self.dir)
        notes = "\n".join(self.notes)
        for words in ("b has 5 of 6 rounds", "write_MBps is noisy, its repetitions "
                      "range from 50 to 200 (b)",
                      "start of 5 of 11 runs (up to 5.5 on 4)",
                      "about no_counters (5 runs)"):
            self.assertIn(words, notes)

    def test_invalid_in_a_directory_is_named(self):
        save_series(self.dir, "a", STEADY)
        save(self.dir, "z.json", report(valid=False, why="disk full"))
        self.rows(self.dir)
        self.assertIn("z.json is not valid and left out: disk full", self.notes[0])

    def test_invalid_asked_for_is_a_failure(self):
        paths = self.pair() + [save(self.dir, "z.json", report(valid=False, why="x"))]
        status, out, _ = leadline("compare", *paths)
        self.assertEqual(status, 1)
        self.assertIn("left out: x", out)

    def test_broken_in_a_directory_is_named(self):
        save_series(self.dir, "a", STEADY)
        save(self.dir, "z.json", "{")
        self.rows(self.dir)
        self.assertIn("z.json: not JSON", self.notes[0])

    def test_folders_in_a_folder(self):
        """A folder without reports of its own stands for the folders in it."""
        for name in ("old", "new", ".hidden", "empty"):
            os.mkdir(self.path(name))
            if name != "empty":
                save(self.path(name), "a.json",
                     report({"write_MBps": STEADY}, label="x", options={
                         "npix": len(name)}))
        rows = self.rows(self.dir)
        self.assertEqual([r["configuration"] for r in rows], ["x"])
        self.assertIn("has no reports itself: those of new, old were taken",
                      self.notes[0])

    def test_one_configuration_only(self):
        self.rows(self.pair()[0])
        self.assertIn("there is only one configuration, a: nothing to compare it with",
                      self.notes)

    def test_drift_shows_against_itself(self):
        save_series(self.dir, "a", STEADY + [v * 2 for v in STEADY])
        save_series(self.dir, "b", STEADY + STEADY)
        self.rows(self.dir)
        found = [n for n in self.notes if "differs from itself" in n]
        self.assertEqual(len(found), 1, self.notes)
        self.assertIn("write_MBps of a differs from itself: its later half is 2.00 of "
                      "its earlier one", found[0])

    def test_drift_is_over_time(self):
        """Runs are in the order of their starts, whatever the names of their files
        are."""
        for i, value in enumerate(STEADY + [v * 2 for v in STEADY]):
            tree = report({"write_MBps": [value]}, label="one")
            tree["run"]["start_utc"] = "2026-11-%02dT00:00:00Z" % (i + 1)
            save(self.dir, "%c.json" % (ord("z") - i), tree)
        self.rows(self.dir)
        self.assertIn("its later half is 2.00 of its earlier one", str(self.notes))

    def test_many_noisy_ones_are_counted(self):
        for i in range(9):
            save_series(self.dir, "c%d" % i, [100, 200, 100, 200, 50 - i, 200])
        self.rows(self.dir)
        noisy = [n for n in self.notes if "is noisy" in n][0]
        self.assertIn("from 42 to 200 (c8)", noisy)
        self.assertIn(", and by more than a fifth in 5 more", noisy)


class Tails(Case):
    """Latencies: p50, p99, p99.9 and the longest of reads and writes."""
    USUAL = {"%s_%s_us" % (a, p): v for a in ("read", "write") for p, v in (
        ("p50", 100.0), ("p99", 300.0), ("p999", 900.0), ("max", 5000.0))}
    SPREAD = [1.0, 1.03, 0.97, 1.02, 0.98, 1.01, 0.99, 1.0]

    def fill(self, name, rounds=8, prefix="", rates=1.0, spread=1.0, **factors):
        """Makes a report a round: usual latencies, some of them times a factor (or
        None)."""
        for i in range(rounds):
            # The order of the deviations differs from figure to figure.
            found = report({a + "_MBps": [100 * rates * self.SPREAD[i]]
                            for a in ("read", "write")}, name, "s1", i + 1)
            for k, (figure, value) in enumerate(self.USUAL.items()):
                off = self.SPREAD[(3 * i + k + ord(name[-1])) % 8] ** spread
                factor = factors.get(figure[:-3], 1.0)
                found["figures"].append({
                    "name": prefix + figure, "at": {}, "unit": "us", "better": "lower",
                    "reps": [value * factor * off if factor else None]})
            save(self.dir, "%s-%d.json" % (name, i), found)

    def test_one_tail_only(self):
        self.fill("a")
        self.fill("b", read_p999=3.2)
        rows = {r["figure"]: r for r in self.rows(self.dir)
                if r["configuration"] == "b"}
        self.assertEqual(rows["read_p999_us"]["verdict"], "slower by 3.2x")
        self.assertEqual(rows["read_p99_us"]["rule"], "not_shown")
        self.assertEqual(len(self.meaning), 1)
        self.assertRegex(self.meaning[0], r"^b against a, latencies: worse in "
                         r"read_p999_us by 3\.2x \[2\.\d+, 3\.\d+\]\. The rates show "
                         r"no difference\.$")

    def test_better_and_worse(self):
        self.fill("a")
        self.fill("b", write_p50=0.5, write_max=4.0, rates=2.0)
        self.rows(self.dir)
        self.assertRegex(self.meaning[0], r"worse in write_max_us by 4\.0x \[3\.\d+, "
                         r"4\.\d+\]; better in write_p50_us by 2\.0x \[1\.\d+, "
                         r"2\.\d+\]\.$")

    def test_no_difference_says_what_would_not_show(self):
        self.fill("a")
        self.fill("b")
        self.rows(self.dir)
        self.assertRegex(self.meaning[0], r"^Latencies: no difference shown for b \("
                         r"one smaller than 1\.\d+x could have been missed\)\.$")

    def test_a_bucket_is_no_difference(self):
        """All values of one are in one bucket, those of the other in the next."""
        self.fill("a", spread=0.0)
        self.fill("b", spread=0.0, read_p99=2 ** (1 / 16.0), read_p50=2 ** (2 / 16.0),
                  read_max=2 ** (1 / 16.0))
        found = {r["figure"]: r for r in self.rows(self.dir)
                 if r["configuration"] == "b"}
        self.assertEqual(found["read_p99_us"]["rule"], "not_shown")
        self.assertEqual(found["read_p50_us"]["verdict"], "slower by 1.09x")
        self.assertEqual(found["read_max_us"]["verdict"], "slower by 1.04x")
        self.assertAlmostEqual(found["read_p50_us"]["ratio_low"], 2 ** (1 / 16.0))

    def test_one_of_many_may_be_chance(self):
        self.fill("a", spread=0.0)
        self.fill("b", spread=0.0)
        for i in range(8):  # t is 3.0: enough for one (2.4), not for eight (3.8)
            with changed_json(self.path("b-%d.json" % i)) as tree:
                tree["figures"][-1]["reps"] = [5000 * math.exp(0.2 + 0.176 * (-1) ** i)]
        verdicts = {r["figure"]: r["verdict"] for r in self.rows(self.dir)
                    if r["configuration"] == "b"}
        self.assertEqual(verdicts["write_max_us"], "no difference shown (among this "
                         "many figures it may be chance)")
        self.assertRegex(self.meaning[0], r"latencies: worse in write_max_us by 1\.2x "
                         r"\[1\.\d+, 1\.\d+\] if judged alone; among 8 latencies this "
                         r"may be chance\. The rates show no difference\.$")

    def test_too_few_repetitions(self):
        self.fill("a", 3)
        self.fill("b", 3, read_max=100.0)
        self.rows(self.dir)
        self.assertEqual(self.meaning, ["Latencies are not judged: there are fewer "
                                        "than 6 repetitions."])

    def test_too_few_transfers(self):
        self.fill("a")
        self.fill("b", read_p999=None)
        found = {(r["figure"], r["configuration"]): r for r in self.rows(self.dir)}
        self.assertEqual(found["read_p999_us", "b"]["verdict"], "not comparable: b has "
                         "no value of it (too few transfers)")
        self.assertIsNone(found["read_p999_us", "b"]["median"])
        self.assertIn("read_p999_us: too few transfers for a value in 8 of 8 "
                      "repetitions of b", self.notes)

    def test_too_few_transfers_anywhere(self):
        for name in "ab":
            self.fill(name, read_p999=None, write_p999=None)
        names = set(r["figure"] for r in self.rows(self.dir))
        self.assertNotIn("read_p999_us", names)
        self.assertIn("read_p999_us, write_p999_us: too few transfers for a value in 8 "
                      "of 8 repetitions of a, b", self.notes)

    def test_phases_where_there_are_no_totals(self):
        self.fill("a", prefix="W.")
        self.fill("b", prefix="W.", read_max=3.0)
        self.rows(self.dir)
        self.assertIn("worse in W.read_max_us by 3.0x", self.meaning[0])

    def test_many_configurations_are_counted(self):
        self.fill("a")
        for i in range(9):
            self.fill("b%d" % i, read_max=3.0 + i)
        self.rows(self.dir)
        told = [words for words in self.meaning if "atencies" in words]
        self.assertEqual(len(told), 7)
        self.assertIn("b8 against a", told[0])
        self.assertEqual(told[6], "Latencies: 3 more configurations differ in one.")

    def test_against_an_option(self):
        self.fill("a")
        self.fill("b", write_p99=3.0)
        for name in os.listdir(self.dir):
            with changed_json(self.path(name)) as tree:
                tree["options"]["filetype"]["value"] = {"a": "unique", "b": "shared"}[
                    name[0]]
        rows = self.rows("--against", "filetype", self.dir)
        self.assertIn("write_p99_us", [r["figure"] for r in rows])
        self.assertIn("b against a, latencies: worse in write_p99_us by 3.0x",
                      self.meaning[-1])
        _, out, _ = leadline("compare", "--against", "filetype", self.dir)
        self.assertLessEqual(max(map(len, out.splitlines())), 88)
        self.assertIn("worse in write_p99_us", out)

    def test_longest_of_more_transfers_are_not_compared(self):
        for calls, words in ((109, "slower by 3.0x"), (112, "not judged: other "
                             "number of transfers (112, not 100)")):
            self.fill("a")
            self.fill("b", read_max=3.0, read_p99=3.0)
            for name in os.listdir(self.dir):
                with changed_json(self.path(name)) as tree:
                    for row in tree["samples"]:
                        row["calls"] = {"a": 100, "b": calls}[name[0]]
            found = {r["figure"]: r["verdict"] for r in self.rows(self.dir)
                     if r["configuration"] == "b"}
            self.assertEqual(found["read_max_us"], words)
            self.assertEqual(found["read_p99_us"], "slower by 3.0x")

    def test_in_every_format(self):
        self.fill("a")
        self.fill("b", write_p99=3.0)
        for form in ("text", "markdown", "csv", "json"):
            _, out, _ = leadline("compare", "--format", form, self.dir)
            self.assertIn("slower by 3.0x", out)
            if form != "csv":
                self.assertIn("worse in write_p99_us", out)

    def test_only_what_was_asked_for(self):
        self.fill("a")
        self.fill("b", write_p99=3.0)
        rows = self.rows("--figure", "*_MBps", self.dir)
        self.assertEqual(set(r["figure"] for r in rows), {"read_MBps", "write_MBps"})
        self.assertEqual(self.meaning, [])

    def test_nulls_of_a_rate(self):
        paths = self.pair(b={"figures": {"write_MBps": [None] * 6}})
        self.assertEqual(self.verdicts(*paths)["b"],
                         "not comparable: b has no value of it")


class Yardstick(Case):
    def fill(self, **more):
        figures = {"%s.%s_MBps" % (p, a): [v * 2] * 6 for v, p, a in (
            (100, "sequential", "write"), (50, "sequential", "read"),
            (20, "random", "write"), (10, "random", "read"))}
        save(self.dir, "cal.json", full(figures, program="calibrate"))
        for i, v in enumerate(STEADY):
            save(self.dir, "a%d.json" % i, full({"write_MBps": [v], "read_MBps": [v]},
                                                config="a", round_number=i, **more))

    def test_share_is_told(self):
        self.fill()
        self.assertEqual(set(r["configuration"] for r in self.rows(self.dir)), {"a"})
        self.assertIn("of blocktransfer's 200 MB/s to write in sequence on 4 ranks "
                      "reach: a 0.50", self.notes)

    def test_doubts_are_told(self):
        self.fill(ranks=2, cache="keep", start="2026-11-20T12:20:02.123Z")
        self.rows(self.dir)
        self.assertIn("a 0.50 (not all with as many ranks; not all with its cache "
                      "policy; measured up to 125 minutes apart)", " ".join(self.notes))

    def test_other_file_system_or_host(self):
        for more in ({"fs": "lustre"}, {"host": "n2"}):
            self.fill(**more)
            self.rows(self.dir)
            self.assertIn("a: there is no calibration of its hosts and file system",
                          self.notes)

    def test_calibrations_alone_are_compared(self):
        self.fill()
        rows = self.rows(self.path("cal.json"))
        self.assertEqual(rows[0]["figure"], "sequential.write_MBps")


FIRST = """\
a writes 1.30x as fast as bb [1.30, 1.30].
No difference in reading between bb and a beyond 5 %.

write_MBps, MB/s
a   #######################################|    100 [99.26, 100.7]  baseline
bb  ##############################|           76.92 [76.35, 77.49]  slower by 1.3x

read_MBps, MB/s
a   #######################################|  200 [198.5, 201.5]  baseline
bb  #######################################|  200 [198.5, 201.5]  equal within 5 %

"""
TABLE = """\
figure      configuration  n  value  95 % interval   ratio  95 % interval   verdict
----------  -------------  -  -----  --------------  -----  --------------  \
----------------
write_MBps  a              6    100  [99.26, 100.7]      -  -               baseline
            bb             6  76.92  [76.35, 77.49]  0.769  [0.769, 0.769]  \
slower by 1.3x
read_MBps   a              6    200  [198.5, 201.5]      -  -               baseline
            bb             6    200  [198.5, 201.5]  1.000  [1.000, 1.000]  \
equal within 5 %
"""


class Formats(Case):
    def test_whole_tables(self):
        """As text, below the answer and its bars, and with the same cells as Markdown:
        a figure is named once."""
        for name, factor in (("a", 1.0), ("bb", 1.3)):
            save_series(self.dir, name, [{"write_MBps": v / factor, "read_MBps": 2 * v}
                                         for v in STEADY])
        text = leadline("compare", self.dir)[1]
        self.assertEqual(text[:len(FIRST + TABLE)], FIRST + TABLE)
        cells = [[c.strip() for c in re.split("  +", line)]
                 for line in TABLE.splitlines()]
        rows = leadline("compare", self.dir, "--format=markdown")[1].split("\n\n")[2]
        rows = [[c.strip() for c in line.strip("|").split("|")]
                for line in rows.splitlines()]
        self.assertEqual(rows[1], ["---"] * 2 + ["---:"] * 2 + ["---", "---:"]
                         + ["---"] * 2)
        self.assertEqual(rows[:1] + rows[2:], cells[:1] + cells[2:])

    def test_csv(self):
        status, out, _ = leadline("compare", "--format", "csv", *self.pair())
        self.assertEqual(status, 0)
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([r["configuration"] for r in rows], ["a", "b"])
        self.assertEqual(float(rows[0]["median"]), 100.0)
        value, low, high = (float(rows[0][n]) for n in ("value", "low", "high"))
        self.assertAlmostEqual(value, math.sqrt(low * high), places=9)
        self.assertEqual(rows[0]["ratio"], "")

    def test_markdown(self):
        status, out, _ = leadline("compare", "--format", "markdown", *self.pair())
        self.assertEqual(status, 0)
        self.assertEqual(out.splitlines()[0], "Writing of b: one run each; what "
                         "differs between runs is not in this interval; --compare "
                         "or a sweep decides.")
        lines = [line for line in out.splitlines() if line[:1] == "|"]
        self.assertEqual(len(set(line.count("|") for line in lines[:4])), 1)

    def test_output_file(self):
        path = self.path("out.txt")
        status, out, _ = leadline("compare", "-o", path, *self.runs())
        self.assertEqual((status, out), (0, ""))
        self.assertIn("equal within 5 %", read_text(path))

    def test_control_characters_stay_out(self):
        tree = report({"write_MBps": STEADY}, label="a\x1b[31m")
        _, out, _ = leadline("compare", save(self.dir, "a.json", tree))
        self.assertNotIn("\x1b", out)


class BadInput(Case):
    """Files of other kinds are in python_bad_input.py."""

    def file(self, tree):
        return self.save(tree, "bad.json")

    def test_no_schema(self):
        for text in ("[1]", "{}", "3"):
            self.refused("it names no schema", self.file(text))

    def test_other_schema(self):
        self.refused('its schema is "leadline-report/9", this leadline reads '
                     "leadline-report/1", self.file({"schema": "leadline-report/9"}))

    def test_wrong_types(self):
        for name, value, words in (
                ("mpi", 3, "mpi is not an object"),
                ("mpi", {"ranks": "4"}, "mpi.ranks is not a whole number"),
                ("valid", "yes", "valid is not true or false"),
                ("figures", {}, "figures is not a list"),
                ("figures", [3], "figures[0] is not an object"),
                ("figures", [{"name": "x", "better": "more"}],
                 'figures[0].better is not "higher" or "lower"'),
                ("figures", [{"name": "x", "better": "lower", "reps": ["1"]}],
                 "figures[0].reps is not a list of numbers"),
                ("figures", [{"name": "x", "better": "lower", "reps": [1]}],
                 "figures[0].unit is not text"),
                ("figures", [{"name": "x", "better": "lower", "reps": [1], "unit": ""}],
                 "figures[0].unit is not a unit"),
                ("samples", [1], "samples is not a list of objects"),
                ("options", {"npix": 3}, "options is not an object of objects")):
            tree = report({"write_MBps": STEADY})
            tree[name] = value
            self.refused(words, self.file(tree))

    def test_only_invalid(self):
        self.refused("nothing to compare: ",
                     self.file(report(valid=False, why="disk full")))

    def test_killed_before_anything_was_known(self):
        tree = report(valid=False, why="did not finish")
        for name in ("mpi", "figures", "samples", "options", "hosts"):
            tree[name] = None
        self.refused("did not finish", self.file(tree))

    def test_empty_directory(self):
        self.refused("no report in", self.dir)

    def test_usage(self):
        paths = self.pair()
        self.refused("no configuration is called c; there are: a, b",
                     "--baseline", "c", *paths, status=2)
        self.refused("no figure is called x; there are: write_MBps",
                     "--figure", "x", *paths, status=2)
        self.refused("'html' is not one of its values",
                     "--format", "html", *paths, status=2)
        self.refused("exclude each other", "--against", "npix", "--baseline", "a",
                     *paths, status=2)
        self.refused("cannot be written", "-o", self.dir, *paths)


if __name__ == "__main__":
    main()
