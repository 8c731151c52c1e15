#!/usr/bin/env python3
# mpi: any
"""Matrices of configurations: known answers, and sweeps with a known truth."""
import json
import math
import os
import random
import unittest
from unittest import mock

from tap import main

from fake_report import save_series
from files import read_json, write_json
from leadline.base import names, stats
from leadline.base.errors import LeadlineError
from leadline.judge import (compare, effects, matrix, ranking, robust, rounds, rules,
                            summary)
from leadline.page import finding
from leadline_case import STEADY, LeadlineCase, leadline
from simulated import NOISE, Sweep, factorial, known

THREE_BY_TWO = factorial(("iomethod", ["posix", "mpi", "uring"]),
                         ("chunk", [65536, 1 << 20]))


def known_sweep():
    return Sweep(THREE_BY_TWO).fill([known(c) for c in range(6)])


class Known(unittest.TestCase):
    """Answers of scipy and of a spreadsheet, to six digits."""

    def near(self, found, wanted):
        for a, b in zip(found, wanted):
            self.assertAlmostEqual(a, b, delta=1e-6 * max(abs(b), 1.0))

    def test_quantiles(self):
        for many, df, t in ((5, 5, 4.011512), (15, 5, 5.2187), (15, 7, 4.3358),
                            (15, 11, 3.7146), (26, 5, 5.9128), (63, 5, 7.1831),
                            (30, 5, 6.1047)):
            self.assertAlmostEqual(stats.sidak_two_sided(many, df), t, delta=5e-5)

    def test_rows(self):
        sweep = known_sweep()
        row = compare.rows(sweep.groups, sweep.groups[0], None)
        c1, c4 = row[1].comparison, row[4].comparison
        self.near(c1.ratio, (1.059132, 1.019798, 1.099983))
        self.assertAlmostEqual(c1.estimate.centre / c1.estimate.error, 6.0896, places=4)
        self.near((c1.chance, c1.adjusted), (0.00172744, 0.00860743))
        self.near(c4.ratio, (0.909015, 0.874111, 0.945313))
        self.near((c4.chance, c4.adjusted), (0.00019078, 0.000953534))
        self.assertEqual([r.comparison.many for r in row[1:]], [5] * 5)

    def around(self, ratio, wanted):
        """Of six rounds the permutations widen t's interval a little."""
        self.assertAlmostEqual(ratio.centre, wanted[0], delta=1e-6 * wanted[0])
        self.assertTrue(0.99 * wanted[1] <= ratio.low <= wanted[1] + 1e-6, ratio)
        self.assertTrue(wanted[2] - 1e-6 <= ratio.high <= 1.01 * wanted[2], ratio)

    def test_effects(self):
        sweep = known_sweep()
        found = effects.find(matrix.matrices(sweep.groups)[0], sweep.figure)
        for effect, wanted in zip(found.effects, (
                (1.264910, 1.228087, 1.302837), (1.002855, 0.983288, 1.022811),
                (1.105494, 1.061840, 1.150942))):
            self.around(effect.ratio, wanted)
        for crossed, wanted in zip(found.interactions, (
                (0.934294, 0.891729, 0.978892), (1.217122, 1.161283, 1.275647))):
            self.around(crossed.ratio, wanted)
        self.assertEqual([round(s, 4) for s in list(found.shares.values())
                          + list(found.pair_shares.values())], [0.6818, 0.1414, 0.1768])

    def test_slope(self):
        sweep = Sweep(factorial(("depth", [1, 2, 4, 8]))).fill(map(known, range(4)))
        found = effects.find(matrix.matrices(sweep.groups)[0], sweep.figure)
        self.around(found.slopes[0].ratio, (1.103728, 1.095517, 1.112002))

    def test_best(self):
        sweep = known_sweep()
        found = ranking.best(sweep.groups, sweep.figure)
        self.assertEqual([g.name for g in [found.top] + found.alike], ["c2", "c3"])
        self.assertAlmostEqual(stats.sidak_quantile(5, 5), 3.346248, places=6)
        self.assertEqual(ranking.worst(sweep.groups, sweep.figure).top.name, "c4")

    def test_trimmed(self):
        logs = [math.log(a / b) for a, b in zip(known(1), known(0))]
        self.near(stats.ratio_of(robust.trimmed_estimate(logs)),
                  (1.058326, 1.021473, 1.096508))
        self.assertAlmostEqual(robust.hodges_lehmann(logs), 1.060747, places=6)
        logs = [math.log(v) for v in (1.28, 1.33, 1.31, 0.13, 1.29, 1.32)]
        for estimate, wanted in ((stats.mean_estimate, (0.8890, 0.1300, 2.3890)),
                                 (robust.trimmed_estimate, (1.2999, 1.2634, 1.3374))):
            for a, b in zip(stats.ratio_of(estimate(logs)), wanted):
                self.assertAlmostEqual(a, b, delta=5e-5)

    def test_flags(self):
        values = [known(c) for c in range(6)]
        cells = {(c, r): math.log(values[c][r]) for c in range(6) for r in range(6)}
        residuals, free = robust.polished(cells)
        scale = robust.residual_scale(residuals, free)
        self.assertAlmostEqual(scale, 0.027169, places=6)
        self.assertAlmostEqual(max(map(abs, residuals.values())) / scale, 1.684, 3)
        cells[1, 3] -= math.log(10)
        residuals, free = robust.polished(cells)
        scale = robust.residual_scale(residuals, free)
        self.assertAlmostEqual(scale, 0.027181, places=6)
        self.assertAlmostEqual(abs(residuals[1, 3]) / scale, 85.65, places=2)
        values[1][3] /= 10
        sweep = Sweep(THREE_BY_TWO).fill(values)
        flag, = robust.flags(sweep.groups, sweep.figure)
        self.assertEqual((flag.group.name, flag.at), ("c1", ("s1", 4)))
        c1 = compare.rows(sweep.groups, sweep.groups[0], None)[1].comparison
        self.assertAlmostEqual(c1.estimate.centre / c1.estimate.error, -0.8377, 4)
        self.assertAlmostEqual(c1.opinion.ratio.centre, 1.058326, places=6)

    def test_rounds(self):
        for effect, noise, wanted in ((1.05, 0.05, (19, 30, 35, 38, 43)),
                                      (1.10, 0.05, (7, 11, 13, 14, 16)),
                                      (1.05, 0.02, (6, 8, 9, 10, 12)),
                                      (1.10, 0.10, (20, 31, 36, 39, 45))):
            self.assertEqual(tuple(rounds.usable(rounds.needed(effect, noise, many))
                                   for many in (1, 7, 15, 26, 63)), wanted)
        self.assertAlmostEqual(rounds.detectable(25, 0.05), 1.05, places=2)
        self.assertIsNone(rounds.detectable(5, 0.05))
        self.assertTrue(1.0 < rounds.detectable(6, 0.0) < 1.000001)
        self.assertIsNone(rounds.needed(1.001, 0.5))
        self.assertEqual(rounds.needed(1.05, 0.0), 6)

    def test_fewest(self):
        """It holds for all numbers from 6 to 1000."""
        for least in (1, 6, 7, 11, 12, 13, 24, 25, 999, 1000):
            self.assertEqual(rounds.fewest(lambda n: n >= least), max(least, 6))
        self.assertIsNone(rounds.fewest(lambda n: n > 1000))

    def test_rounds_in_words(self):
        for args, words in (
                ((1, 4), "1 round: verdicts need 6"),
                ((5, 4), "5 rounds: verdicts need 6"),
                ((6, 1), "there is one configuration, so there is nothing to compare")):
            self.assertEqual(rounds.sentence(*args), words)
        for n, configurations, noise, figures, many in (
                (19, 2, 0.05, 1, 1), (9, 8, 0.02, 2, 14), (6, 9, 2.0, 1, 8)):
            shown, more = (rounds.detectable(n, noise, many),
                           rounds.needed(1.05, noise, many))
            self.assertEqual(rounds.sentence(n, configurations, noise, figures), (
                "%d rounds of %d configurations show, with a chance of 80 %%, a "
                "difference from the baseline of %s at %.2g %% noise; 5 %% at %.2g %% "
                "noise needs %s rounds" % (
                    n, configurations, rounds.percent(shown), 100 * noise, 100 * noise,
                    more or "more than 1000")))
        self.assertIn("% at 2 % noise, ", rounds.sentence(6, 2))
        self.assertRegex(rounds.sentence(6, 2), "^6 rounds of 2 .* at 5 % noise, .* at "
                                                "10 % noise; 5 % at 5 % noise needs")
        self.assertEqual([rounds.percent(f) for f in (1.05, 1.999, 2.0, 12.0)],
                         ["5 %", "2x", "2x", "12x"])

    def test_noise_within_rounds(self):
        """The residuals from each round's mean, by hand: 0.1 up and down in two rows is
        a variance of 6/5 x 0.01, and 2 of it, as two rows share a mean."""
        drift = dict(enumerate((0.0, 1.0, -2.0, 0.5, 3.0, 0.1)))
        up, down = ({r: d + way * (-1) ** r for r, d in drift.items()}
                    for way in (0.1, -0.1))
        with mock.patch.object(rounds.robust, "by_round", lambda row, figure: row):
            self.assertAlmostEqual(rounds.noise_of([up, down], None), 0.024 ** 0.5)
            self.assertAlmostEqual(rounds.noise_of([up, None, down], None),
                                   0.024 ** 0.5)
            self.assertIsNone(rounds.noise_of([up], None))
            few = {r: d for r, d in down.items() if r}
            self.assertIsNone(rounds.noise_of([up, few], None))
            later = {r + 1: d for r, d in down.items()}
            self.assertIsNone(rounds.noise_of([up, later], None))


class Drawn(unittest.TestCase):
    """A short form of the script in bench; seeds are fixed."""

    def test_false_verdicts(self):
        """Sixteen equal configurations: judged singly, a verdict is false in two of
        five sweeps; together, in one of twenty."""
        rng, sweep, draws = random.Random(1), Sweep([{}] * 16), 60
        together = singly = 0
        for _ in range(draws):
            sweep.draw(rng, [1.0] * 16)
            rows = compare.rows(sweep.groups, sweep.groups[0], None)[1:]
            together += any(rules.excludes_one(r.comparison.ratio) for r in rows)
            singly += any(r.comparison.chance < 0.05 for r in rows)
        self.assertLessEqual(together, 0.12 * draws)
        self.assertGreater(singly, 0.2 * draws)

    def test_power(self):
        """1.10x at 5 % noise, one of 16: it is found as often as computed."""
        rng, draws = random.Random(2), 1500
        for n in (6, 12):
            shown = sum(rules.excludes_one(stats.ratio_of(stats.mean_estimate(
                [math.log(1.1) + rng.gauss(0, NOISE * 2 ** 0.5) for _ in range(n)]),
                many=15)) for _ in range(draws))
            self.assertAlmostEqual(shown / draws, rounds.power(1.1, NOISE, n, 15),
                                   delta=0.08)

    def test_effects(self):
        """Intervals of nine contrasts of 3 x 3 x 3 contain the truth, singly and
        all."""
        rng, draws = random.Random(3), 40
        sweep = Sweep(factorial(*((name, ["x", "y", "z"]) for name in "abc")))
        some, effect = matrix.matrices(sweep.groups)[0], {"y": 1.05, "z": 0.9}
        truth = [effect.get(g.first.option_values()["a"], 1.0) for g in sweep.groups]
        held = found = 0
        for _ in range(draws):
            made = effects.find(some, sweep.draw(rng, truth).figure)
            self.assertEqual((len(made.effects), made.many), (6, 6))
            held += all(e.ratio.low <= (effect[e.level] if e.factor.name == "a" else 1)
                        <= e.ratio.high for e in made.effects)
            found += any(e.shown for e in made.effects
                         if e.factor.name == "a" and e.level == "y")
        self.assertGreaterEqual(held, 0.85 * draws)
        self.assertGreaterEqual(found, 0.5 * draws)

    def test_best(self):
        """The best one is in its set."""
        rng, sweep, draws = random.Random(4), Sweep([{}] * 16), 60
        held = 0
        for _ in range(draws):
            found = ranking.best(sweep.groups, sweep.draw(
                rng, [1.0] * 15 + [1.1]).figure)
            held += sweep.groups[15] in [found.top] + found.alike
        self.assertGreaterEqual(held, 0.88 * draws)

    def test_clean_sweeps_have_no_flags(self):
        rng = random.Random(5)
        flagged = 0
        for k in (2, 3, 8):
            sweep = Sweep([{}] * k)
            for _ in range(60):
                sweep.draw(rng, [1.0] * k)
                flagged += bool(robust.flags(sweep.groups, sweep.figure))
        self.assertLessEqual(flagged, 9)

    def test_a_slow_run(self):
        """One run in one of six rounds of a true 1.3x is at a tenth."""
        rng = random.Random(6)
        for k in (2, 16):
            sweep = Sweep([{}] * k)
            sweep.draw(rng, [1.0] + [1.3] * (k - 1), [0.02] * k)
            values = [[r.figures[0].reps[0] for r in g.reports] for g in sweep.groups]
            values[1][3] /= 10.0
            c = compare.rows(sweep.fill(values).groups, sweep.groups[0],
                             None)[1].comparison
            self.assertEqual(c.rule, rules.SINGLE_RUNS)
            self.assertRegex(
                c.verdict, r"^depends on single runs: round 4 of c1 \(0\.\d+ of its "
                r"others\); without it faster by 1\.(2|3)\dx \[1\.\d+, 1\.\d+\]$")


class Factors(LeadlineCase):
    COMMAND = "compare"

    def matrix(self, options, ranks=None):
        sweep = Sweep(options).fill([STEADY] * len(options))
        for group, n in zip(sweep.groups, ranks or [4] * len(options)):
            for one in group.reports:
                one.ranks = n
        return matrix.matrices(sweep.groups)[0], sweep.groups

    def test_values_as_text(self):
        some, _ = self.matrix(factorial(("iomethod", ["posix", "uring"]),
                                        ("block", [65536, 1 << 20, 1000])))
        self.assertEqual([f.texts for f in some.factors], [
            ["posix", "uring"], ["block=1000", "64k", "1M"]])
        some, _ = self.matrix(factorial(("a", ["x", "y"]), ("b", ["x", "z"])))
        self.assertEqual([f.texts for f in some.factors], [["a=x", "y"], ["b=x", "z"]])
        self.assertEqual(names.size_text(1536), "1536")
        self.assertEqual(names.size_text(3 << 30), "3G")

    def test_what_follows_is_no_factor(self):
        """They are a problem that grows with the ranks, and a product of two
        options."""
        options = [{"npix": 100 * n, "chunk": c, "total": n * c}
                   for n in (1, 2, 4) for c in (3, 5)]
        some, _ = self.matrix(options, [1, 1, 2, 2, 4, 4])
        self.assertEqual([f.name for f in some.factors], ["chunk", "np"])
        self.assertTrue(some.complete)
        self.assertEqual(some.follows, {"np": ["npix", "total"], "chunk": ["total"]})
        found = effects.find(some, some.figures()[0])
        self.assertEqual([e.ratio.low for e in found.effects], [1.0] * 3)

    def test_sizes_as_text(self):
        some, groups = self.matrix(factorial(("block", ["1M", "64k", "4096"])))
        factor, = some.factors
        self.assertEqual((factor.values, factor.texts, factor.numeric),
                         ([4096, 65536, 1 << 20], ["4k", "64k", "1M"], True))
        self.assertEqual(factor.base, 1 << 20)
        self.assertEqual(some.value(groups[1], "block"), 65536)

    def test_incomplete(self):
        """Cells are missing: pairs differ in one factor only."""
        options = factorial(("a", ["x", "y"]), ("b", [1, 2, 4]))[:-1]
        sweep = Sweep(options).fill([[v * f for v in STEADY] for f in (1, 1, 1, 2, 2)])
        some = matrix.matrices(sweep.groups)[0]
        found = effects.find(some, sweep.figure)
        self.assertFalse(some.complete)
        self.assertEqual(found.shares, {})
        pairs = {(e.factor.name, e.level): (e.pairs, round(e.ratio.centre, 6))
                 for e in found.effects}
        self.assertEqual(pairs, {("a", "y"): (2, 2.0), ("b", 2): (2, 1.0),
                                 ("b", 4): (1, 1.0)})
        self.assertIn("(2 pairs)", summary.of(sweep.groups)[0].lines[2])

    def test_best_set_agrees_with_the_verdicts(self):
        """The same intervals decide: with one factor, a configuration is in the best
        set if its verdict against it is "no difference shown"."""
        sweep, rng, seen = Sweep(factorial(("a", ["x", "y"]))), random.Random(7), set()
        for _ in range(40):
            one = summary.found(sweep.draw(rng, [1.0, 1.1]).groups)[0]
            rows = compare.rows(sweep.groups, one.best.top, None)
            shown = [rules.excludes_one(r.comparison.ratio) for r in rows
                     if r.comparison.ratio]
            self.assertEqual([bool(one.best.apart)], shown)
            self.assertEqual([one.effects.effects[0].shown], shown)
            seen.update(shown)
        self.assertEqual(seen, {True, False})

    def test_missing_rounds(self):
        sweep = Sweep(factorial(("a", ["x", "y"]))).fill([STEADY] * 2)
        del sweep.groups[1].reports[5]
        found = effects.find(matrix.matrices(sweep.groups)[0], sweep.figure)
        self.assertIn("5 rounds with all cells, 6 needed", found.why)
        self.assertNotIn("factors", "\n".join(summary.of(sweep.groups)[0].lines))

    def test_baseline_by_values(self):
        _, groups = self.matrix(factorial(("iomethod", ["uring", "posix"]),
                                          ("chunk-size", [65536, 1 << 20])))
        for text, wanted in ((None, "c2"), ("c3", "c3"), ("method=uring", "c0"),
                             ("iomethod=URING,chunk-size=1M", "c1"), ("chunk=1M", "c3"),
                             ("chunk=1048576,iomethod=posix", "c3"), ("np=4", "c2")):
            self.assertEqual(compare.find_baseline(groups, text).name, wanted, text)
        for text, words in (("nfs=1", "no report has an option called nfs"),
                            ("chunk=3", "no configuration has chunk=3"),
                            ("x", "no configuration is called x"),
                            ("=", "no report has an option")):
            with self.assertRaisesRegex(LeadlineError, words):
                compare.find_baseline(groups, text)

    def test_a_sweeps_first_value_is_the_baseline(self):
        for method in ("uring", "posix"):
            save_series(self.dir, method, STEADY, options={"iomethod": method})
        rows = json.loads(self.run_command(self.dir, "--format=json"))["rows"]
        self.assertEqual(rows[0]["configuration"], "posix")
        write_json(self.path("s.json"), {"schema": "leadline-sweep/1",
                                         "configs": ["uring", "posix"]})
        rows = json.loads(self.run_command(self.dir, "--format=json"))["rows"]
        self.assertEqual(rows[0]["configuration"], "uring")


def found_of(groups):
    """Returns what finding says of simulated groups."""
    rows = compare.rows(groups, groups[0], None)
    return finding.findings(rows, summary.found(groups))


class Answer(unittest.TestCase):
    def sentences(self, options, truth, noise=0.002, rounds=6, ranks=None):
        sweep = Sweep(options, rounds)
        for group, n in zip(sweep.groups, ranks or [4] * len(options)):
            for i, one in enumerate(group.reports):
                one.ranks, one.round, one.series_id = n, i + 1, "s1"
        groups = sweep.draw(random.Random(5), truth, [noise] * len(truth)).groups
        for i in range(rounds):     # each takes 3 s until the next begins
            for j, group in enumerate(groups):
                at = 3 * (i * len(groups) + j)
                group.reports[i].start_utc = "2026-11-29T08:%02d:%02dZ" % divmod(at, 60)
        return finding.sentences(found_of(groups))

    def test_one_factor(self):
        self.assertRegex(self.sentences([{"npix": 1}, {"npix": 4}], [1.0, 1.5],
                                        ranks=[1, 4])[0],
                         r"^4 ranks write 1\.50x as fast as 1 rank "
                         r"\[1\.\d+, 1\.\d+\]\.$")
        self.assertRegex(self.sentences([{"npix": 1}, {"npix": 4}], [3.0, 1.5],
                                        ranks=[1, 4])[0],
                         r"^1 rank writes 2\.\d+x as fast as 4 ranks ")

    def test_two_factors(self):
        (words,) = self.sentences(factorial(("iomethod", ["posix", "uring"]),
                                            ("depth", [1, 8])), [1.0, 1.0, 2.0, 2.0])
        self.assertRegex(words, r"^uring writes 2\.00x as fast as posix \[.*\]; depth: "
                         r"no difference beyond [01]\.\d %\.$")

    def test_undecided_says_what_would_decide(self):
        (words,) = self.sentences(factorial(("depth", [1, 8])), [1.0, 1.0], 0.2)
        self.assertRegex(words, r"^No difference in writing shown between depth=8 and "
                         r"depth=1 \(up to \d+ % possible\)\. \d+ more rounds, about "
                         r"\d+ min, "
                         r"would show a difference of 5 %\.$")
        need = int(words.partition("). ")[2].partition(" ")[0])
        minutes = int(words.partition("about ")[2].partition(" ")[0])
        self.assertAlmostEqual(minutes, need * 6 / 60.0, delta=1)

    def test_too_few_rounds(self):
        (words,) = self.sentences(factorial(("depth", [1, 8])), [1.0, 1.0], rounds=4)
        self.assertEqual(words, "Writing of c1: too few repetitions (4, 6 "
                         "needed). 2 more rounds, about 12 s, give a verdict.")

    def test_sentence_and_table_agree(self):
        rng, sweep = random.Random(3), Sweep(factorial(("a", ["x", "y"])))
        for _ in range(40):
            groups = sweep.draw(rng, [1.0, 1.08]).groups
            (found,) = found_of(groups)
            row = compare.rows(groups, groups[0], None)[1].comparison
            self.assertEqual(found.decided, rules.differs(row.rule))

    def test_configurations_without_factors(self):
        """Those that are not shown have a bound; of several baselines, pairs count."""
        ratio = stats.Interval(2.0, 1.8, 2.2, 6)
        open_ = stats.Interval(1.0, 0.8, 1.2, 6)
        figure = mock.Mock(at=(), better="higher")
        figure.name = "write_MBps"

        def claim(name, base, interval, rule):
            return finding.Claim("", name, base, False, interval, rule, "")
        claims = [claim("b", "a", ratio, rules.FASTER),
                  claim("c", "a", open_, rules.NOT_SHOWN)]
        self.assertEqual(finding.words_of(figure, claims, 1.05),
                         "b writes 2.00x as fast as a [1.80, 2.20]; 1 other: no "
                         "difference beyond 25 %")
        claims = [claim("b", "a", open_, rules.NOT_SHOWN),
                  claim("d", "c", open_, rules.NOT_SHOWN)]
        self.assertEqual(finding.words_of(figure, claims, 1.05), "no difference in "
                         "writing shown in 2 pairs (up to 25 % possible)")

    def test_joined_to_a_title(self):
        def one(words):
            return finding.Finding("p", None, words, "", True, True)
        self.assertEqual(finding.title([one("4 ranks write 2x"),
                                        one("4 ranks read 3x")]),
                         "4 ranks write 2x and read 3x")
        self.assertEqual(finding.title([one("a writes 2x"), one("b reads 3x")]),
                         "a writes 2x; b reads 3x")


class Lines(LeadlineCase):
    COMMAND = "compare"

    def fill(self, options, values, ranks=(4,)):
        made = [(n, o) for n in ranks for o in options]
        for i, (n, each) in enumerate(made):
            save_series(self.dir, "c%d" % i, values(i), options=each, ranks=n)

    def test_64_configurations(self):
        rng = random.Random(7)
        options = factorial(("iomethod", ["posix", "mpi", "uring", "threads"]),
                            ("chunk", [4096, 65536, 1 << 20, 1 << 22]))
        self.fill(options, lambda i: [
            (20.0 + i) * rng.lognormvariate(0, 0.03) for _ in range(6)], (1, 2, 4, 8))
        tree = json.loads(self.run_command(self.dir, "--format=json"))
        one, = tree["summary"]
        self.assertEqual([line.partition(":")[0] for line in one["lines"]],
                         ["best", "worst", "factors", "interactions", "doubts"])
        self.assertLessEqual(max(map(len, one["lines"])), 200)
        self.assertEqual(len(one["effects"]), 9)
        self.assertEqual(one["best"]["top"][0], "c")
        self.assertIn("np", one["lines"][2])
        out = self.run_command(self.dir)
        self.assertLessEqual(out.count("\n"), 64 + 40)

    def test_bad_input(self):
        """Little data give sentences, and no NaN."""
        for n, values in ((1, STEADY), (2, STEADY[:1]), (3, [100.0] * 6)):
            folder = self.path("d%d" % n)
            os.mkdir(folder)
            for i in range(n):
                save_series(folder, "c%d" % i, values, options={"depth": i})
            out = self.run_command(folder, "--format=json")
            self.assertNotIn("NaN", out)
            self.assertNotIn("Infinity", out)
        rows = json.loads(out)["rows"]
        self.assertEqual([r["rule"] for r in rows], ["baseline", "equal", "equal"])
        self.assertEqual((rows[1]["ratio_low"], rows[1]["ratio_high"]), (1.0, 1.0))

    def test_a_configuration_without_a_rate(self):
        save_series(self.dir, "a", STEADY)
        save_series(self.dir, "b", [0.0] * 6)
        save_series(self.dir, "c", STEADY[:4] + [0.0, 0.0])
        tree = json.loads(self.run_command(self.dir, "--format=json"))
        rows = {r["configuration"]: r for r in tree["rows"]}
        self.assertEqual(rows["b"]["verdict"], "not comparable: b has no rate")
        self.assertIn("write_MBps: 2 of 6 repetitions of c gave no rate", tree["notes"])
        self.assertIn("write_MBps: 6 of 6 repetitions of b gave no rate", tree["notes"])


class Differs(LeadlineCase):
    COMMAND = "compare"

    def pair(self, change, series=("s1", "s2")):
        for name, sid in zip("ab", series):
            save_series(self.dir, name, STEADY, sid)
        for entry in os.listdir(self.dir):
            path = self.path(entry)
            tree = read_json(path)
            if tree["run"]["series"]["config"] == "b":
                change(tree)
            write_json(path, tree)

    @staticmethod
    def change(tree):
        tree["mpi"]["library"] = "Open MPI 4.1"
        tree["hosts"][0]["name"] = "n2"
        tree["files"] = [{"fs": "lustre", "kind": "shared"}]

    def test_three_lines(self):
        self.pair(self.change)
        out = self.run_command(self.dir)
        head = out[:out.index("figure")]
        self.assertIn("What differed between the runs:", head)
        self.assertIn("  host: n1 (6 runs), n2 (6 runs)\n", head)
        self.assertIn("  MPI library: MPICH (6 runs), Open MPI 4.1 (6 runs)\n", head)
        self.assertIn("(other machine, other software)", out)

    def test_in_a_series_it_is_a_factor(self):
        self.pair(self.change, ("s1", "s1"))
        tree = json.loads(self.run_command(self.dir, "--format=json"))
        self.assertEqual([d["level"] for d in tree["differs"]
                          if d["field"] in ("host", "MPI library")], ["factor"] * 2)
        self.assertEqual(tree["rows"][1]["verdict"], "equal within 5 %")
        self.assertNotIn("What differed", self.run_command(self.dir))

    def test_strict(self):
        self.pair(self.change)
        rows = json.loads(self.run_command(
            self.dir, "--strict", "--format=json"))["rows"]
        self.assertEqual(rows[1]["verdict"], "not comparable: other host (n2, not n1)")

    def test_unknown_is_no_difference(self):
        self.pair(lambda tree: tree["mpi"].update(library=""))
        self.assertNotIn("MPI library", self.run_command(self.dir))

    def test_far_apart(self):
        self.pair(lambda tree: tree["run"].update(start_utc="2026-11-23T00:00:00Z"),
                  ("s1", "s1"))
        save_series(self.dir, "a", STEADY)
        for entry in os.listdir(self.dir):
            tree = read_json(self.path(entry))
            tree["run"].setdefault("start_utc", "2026-11-20T00:00:00Z")
            write_json(self.path(entry), tree)
        self.assertIn("time: 72 hours", self.run_command(self.dir))
        status, out, _ = leadline("compare", self.dir, "--strict")
        self.assertIn("other time", out)
        self.assertEqual(status, 0)


if __name__ == "__main__":
    main()
