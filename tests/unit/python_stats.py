#!/usr/bin/env python3
# mpi: any
"""leadline.stats: quantiles compared with integration, intervals with their promise."""
import ast
import functools
import math
import os
import random
import subprocess
import unittest

from tap import PACKAGE, main

from files import read_text
from leadline.base import stats
from leadline.judge import rules


def t_density(x, df):
    log = (math.lgamma((df + 1) / 2.0) - math.lgamma(df / 2.0)
           - 0.5 * math.log(df * math.pi) - (df + 1) / 2.0 * math.log1p(x * x / df))
    return math.exp(log)


def t_below(t, df, steps=20000):
    """Returns P(T < t) by Simpson's rule: it shares no line with the tested code."""
    h = t / steps
    total = t_density(0.0, df) + t_density(t, df)
    for i in range(1, steps):
        total += t_density(i * h, df) * (4 if i % 2 else 2)
    return 0.5 + total * h / 3.0


def paired_ratio(values, baseline):
    found = stats.paired_estimate(values, baseline)
    return found and stats.ratio_of(found)


class Together(unittest.TestCase):
    def test_chance_is_what_the_interval_says(self):
        """For equals: if the 95 % interval just contains 1, the chance is 5 %."""
        rng = random.Random(5)
        for _ in range(50):
            a, b = ([math.exp(rng.gauss(0, 0.1)) for _ in range(7)] for _ in "ab")
            for found in (stats.paired_estimate(a, b), stats.welch_estimate(a, b)):
                ratio = stats.ratio_of(found)
                self.assertEqual(ratio.low <= 1 <= ratio.high,
                                 stats.chance(found) >= 0.05)
                edge = found._replace(means=(), centre=stats.t_quantile(0.975, found.df)
                                      * found.error)
                self.assertAlmostEqual(stats.chance(edge), 0.05, places=9)

    def test_slack_is_no_evidence(self):
        found = stats.Estimate(math.log(1.04), 0.0, 5, 6)
        self.assertEqual(stats.chance(found, 1.05), 1.0)
        self.assertEqual(stats.chance(found, 1.03), 0.0)
        ratio = stats.ratio_of(found, 1.05)
        self.assertTrue(ratio.low < 1 < ratio.high)

    def test_adjusted_is_what_the_interval_says(self):
        """If an interval that is one of many just contains 1, the adjusted chance is 5
        %."""
        for many in (1, 5, 15, 126):
            found = stats.Estimate(stats.sidak_two_sided(many, 5) * 0.02, 0.02, 5, 6)
            self.assertAlmostEqual(stats.ratio_of(found, many=many).low, 1.0, places=9)
            self.assertAlmostEqual(stats.adjusted(stats.chance(found), many), 0.05,
                                   places=9)
        self.assertEqual(stats.adjusted(1.0, 4), 1.0)

    def test_benjamini_hochberg(self):
        self.assertEqual(stats.benjamini_hochberg([0.01, 0.04, 0.03, 0.005]),
                         [True] * 4)
        self.assertEqual(stats.benjamini_hochberg([0.01, 0.9, 0.03, 0.06]),
                         [True, False, False, False])
        self.assertEqual(stats.benjamini_hochberg([0.03, 0.9]), [False, False])
        self.assertEqual(stats.benjamini_hochberg([]), [])

    def test_false_share_of_many_figures(self):
        """40 figures of 15 configurations, one in ten of which differs by 1.2x: few of
        the kept ones are wrong, and most true differences are kept."""
        rng = random.Random(8)
        wrong = kept = found = there = 0
        for _ in range(6):
            truth = [rng.random() < 0.1 for _ in range(600)]
            chances = [stats.chance(stats.mean_estimate([
                rng.gauss(math.log(1.2) * differs, 0.05 * 2 ** 0.5) for _ in range(6)]))
                for differs in truth]
            for keep, differs in zip(stats.benjamini_hochberg(chances), truth):
                kept, wrong = kept + keep, wrong + (keep and not differs)
                there, found = there + differs, found + (keep and differs)
        self.assertLess(wrong, 0.08 * kept)
        self.assertGreater(found, 0.5 * there)


class Quantile(unittest.TestCase):
    def test_closed_form_one_degree(self):
        for p in (0.6, 0.9, 0.975, 0.9995):
            self.assertAlmostEqual(stats.t_quantile(p, 1) / math.tan(
                math.pi * (p - 0.5)), 1.0, places=9)

    def test_closed_form_two_degrees(self):
        for p in (0.6, 0.9, 0.975, 0.9995):
            exact = (2 * p - 1) / math.sqrt(2 * p * (1 - p))
            self.assertAlmostEqual(stats.t_quantile(p, 2) / exact, 1.0, places=9)

    def test_against_integration(self):
        for df in (3, 4.7, 5, 9, 11.25, 30, 200, 1e4):
            t = stats.t_quantile(0.975, df)
            self.assertAlmostEqual(t_below(t, df), 0.975, places=9)

    def test_printed_tables(self):
        for df, t in ((5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)):
            self.assertAlmostEqual(stats.t_quantile(0.975, df), t, places=3)

    def test_many_degrees_are_normal(self):
        self.assertAlmostEqual(stats.t_quantile(0.975, 1e7), 1.959964, places=5)


    def test_incomplete_beta(self):
        """I_x(a, b) for whole numbers is a binomial's tail."""
        for a, b, x in ((2, 3, 0.5), (1, 1, 0.3), (4, 2, 0.9), (3, 7, .05), (9, 5, .6)):
            n = a + b - 1
            tail = sum(math.factorial(n) / math.factorial(k) / math.factorial(n - k)
                       * x ** k * (1 - x) ** (n - k) for k in range(a, n + 1))
            self.assertAlmostEqual(stats.incomplete_beta(a, b, x), tail, places=12)
            self.assertAlmostEqual(stats.incomplete_beta(b, a, 1 - x), 1 - tail,
                                   places=12)
        for x, value in ((0.0, 0.0), (1.0, 1.0), (-0.5, 0.0), (1.5, 1.0)):
            self.assertEqual(stats.incomplete_beta(2, 3, x), value)


class Basics(unittest.TestCase):
    def test_spread(self):
        self.assertEqual(stats.mean([1, 2, 6]), 3)
        self.assertEqual(stats.variance([1, 2, 6]), 7)
        self.assertAlmostEqual(stats.log_spread([1, math.e ** 2]), 2 ** 0.5)

    def test_chance_at_its_ends(self):
        """It is 1 without a difference; 0 for one without any noise; the slack is no
        difference."""
        for centre, error, slack, chance in (
                (0.0, 0.1, 1.0, 1.0), (0.2, 0.0, 1.0, 0.0), (-0.2, 0.0, 1.0, 0.0),
                (0.0, 0.0, 1.0, 1.0), (0.1, 0.1, 1.2, 1.0)):
            self.assertEqual(stats.chance(stats.Estimate(centre, error, 5, 6), slack),
                             chance)
        found = stats.Estimate(-0.2, 0.1, 5, 6)
        self.assertAlmostEqual(stats.chance(found, 1.1), 2 * stats.t_tail(
            (0.2 - math.log(1.1)) / 0.1, 5))

    def test_slack_widens_both_sides(self):
        found = stats.Estimate(0.3, 0.0, 5, 6)
        ratio = stats.ratio_of(found, 1.25)
        for value, wanted in zip(ratio, (1.0, 0.8, 1.25)):
            self.assertAlmostEqual(value / math.exp(0.3), wanted)

    def test_welch_of_two_sizes(self):
        """Satterthwaite's degrees of freedom, by hand: six values with a variance of
        6/5 and eight with 4 x 8/7."""
        a = [math.exp(x) for x in (-1, 1, -1, 1, -1, 1)]
        b = [math.exp(2 * x + 1) for x in (-1, 1, -1, 1, -1, 1, -1, 1)]
        found = stats.welch_estimate(a, b)
        first, second = 1.2 / 6, 4 * 8 / 7 / 8
        self.assertAlmostEqual(found.centre, -1.0)
        self.assertAlmostEqual(found.error, (first + second) ** 0.5)
        self.assertAlmostEqual(found.df, (first + second) ** 2
                               / (first ** 2 / 5 + second ** 2 / 7))
        self.assertEqual(found.n, 6)
        self.assertIsNone(stats.welch_estimate(a[:5], b))
        self.assertEqual(stats.welch_estimate([2.0] * 6, [1.0] * 6).df, 1.0)

    def test_median(self):
        self.assertEqual(stats.median([3, 1, 2]), 2)
        self.assertEqual(stats.median([4, 1, 3, 2]), 2.5)
        self.assertEqual(stats.median([7]), 7)

    def test_factor_text(self):
        for factor, text in ((1.8, "1.8x"), (12.34, "12x"), (9.96, "10x"),
                             (1.04, "1.04x"), (1.0082, "1.008x"), (1.234, "1.2x"),
                             (1.196, "1.20x"), (2, "2.0x")):
            self.assertEqual(stats.factor_text(factor), text)

    def test_binomial_tail(self):
        self.assertAlmostEqual(stats.chance_of_at_least(2, 3, 0.5), 0.5)
        self.assertAlmostEqual(stats.chance_of_at_least(6, 6, 0.25), 0.25 ** 6)


class Intervals(unittest.TestCase):
    def test_none_below_six(self):
        self.assertIsNone(stats.interval([1, 2, 3, 4, 5]))
        self.assertIsNone(paired_ratio([1] * 5, [1] * 5))
        self.assertIsNone(stats.welch_ratio([1] * 6, [1] * 5))

    def test_by_hand(self):
        # Logarithms -1 1 -1 1 -1 1: mean 0, variance 6/5, error sqrt(1/5); t 2.5706.
        found = stats.interval([math.exp(x) for x in (-1, 1, -1, 1, -1, 1)])
        half = 2.5705818356 / math.sqrt(5)
        self.assertAlmostEqual(found.centre, 1.0)
        self.assertAlmostEqual(math.log(found.high), half, places=8)
        self.assertAlmostEqual(math.log(found.low), -half, places=8)

    def test_welch_by_hand(self):
        # Equal sizes and variances: df = 2 (n - 1) = 10, error^2 = 2 * 6/5 / 6.
        logs = (-1, 1, -1, 1, -1, 1)
        found = stats.welch_ratio([math.exp(x + 3) for x in logs],
                                  [math.exp(x) for x in logs])
        half = 2.2281388520 * math.sqrt(0.4)
        self.assertAlmostEqual(math.log(found.centre), 3.0)
        self.assertAlmostEqual(math.log(found.high), 3.0 + half, places=8)

    def test_pairing_removes_common_drift(self):
        drift = [1, 2, 4, 8, 16, 32]
        ours = [d * f for d, f in zip(drift, (1.5, 1.6, 1.5, 1.6, 1.5, 1.6))]
        self.assertGreater(paired_ratio(ours, drift).low, 1.4)
        self.assertLess(stats.welch_ratio(ours, drift).low, 1.0)

    def test_no_spread(self):
        found = stats.interval([3.0] * 6)
        self.assertAlmostEqual(found.low, 3.0)
        self.assertAlmostEqual(found.high, 3.0)
        self.assertAlmostEqual(stats.welch_ratio([4.0] * 6, [2.0] * 6).low, 2.0)

    def test_inverting_a_ratio_inverts_its_interval(self):
        a, b = [1, 2, 3, 4, 5, 6], [2, 2, 3, 3, 4, 9]
        for ratio in (paired_ratio, stats.welch_ratio):
            self.assertAlmostEqual(ratio(a, b).low * ratio(b, a).high, 1.0)


def known_quantiles(case):
    """Uses one quantile for all trials of a size; bisecting it anew is slow."""
    exact = stats.t_quantile
    known = functools.lru_cache(None)(exact)
    stats.t_quantile = lambda p, df: known(p, round(df, 1))
    case.addCleanup(setattr, stats, "t_quantile", exact)


class Coverage(unittest.TestCase):
    """The intervals contain the truth in 93 to 97 of 100 experiments (seeded)."""
    TRIALS = 10000

    def setUp(self):
        known_quantiles(self)

    def check(self, experiment):
        rng = random.Random(20)
        held = sum(experiment(rng) for _ in range(self.TRIALS)) / float(self.TRIALS)
        self.assertTrue(0.93 <= held <= 0.97, "coverage %.4f" % held)

    def geometric_mean(self, draw, mean_of_logs, n):
        def one(rng):
            found = stats.interval([draw(rng) for _ in range(n)])
            return math.log(found.low) <= mean_of_logs <= math.log(found.high)
        self.check(one)

    def test_log_normal(self):
        self.geometric_mean(lambda rng: rng.lognormvariate(2.0, 0.5), 2.0, 6)

    def test_log_normal_more_repetitions(self):
        self.geometric_mean(lambda rng: rng.lognormvariate(2.0, 1.0), 2.0, 10)

    def test_normal(self):
        """The spread is a tenth: E ln x = -s^2/2 - 3 s^4/4 - 5 s^6/2 - ..."""
        s2 = 0.01
        self.geometric_mean(lambda rng: rng.gauss(1.0, 0.1),
                            -s2 / 2 - 3 * s2 ** 2 / 4 - 5 * s2 ** 3 / 2, 6)

    def test_skewed(self):
        """Values are sums of four exponential times: E ln x = 1 + 1/2 + 1/3 - Euler's
        constant."""
        self.geometric_mean(lambda rng: rng.gammavariate(4.0, 1.0),
                            11 / 6.0 - 0.5772156649, 6)

    def test_exponential(self):
        self.geometric_mean(lambda rng: rng.expovariate(1.0), -0.5772156649, 6)

    def test_paired_with_drift(self):
        def one(rng):
            drift = [rng.gauss(0, 1) for _ in range(8)]
            a = [math.exp(d + rng.gauss(0.3, 0.1)) for d in drift]
            b = [math.exp(d + rng.gauss(0.0, 0.1)) for d in drift]
            found = paired_ratio(a, b)
            return found.low <= math.exp(0.3) <= found.high
        self.check(one)

    def test_unpaired_unequal_spreads(self):
        def one(rng):
            a = [rng.lognormvariate(1.0, 0.4) for _ in range(6)]
            b = [rng.lognormvariate(1.0, 0.1) for _ in range(10)]
            found = stats.welch_ratio(a, b)
            return found.low <= 1.0 <= found.high
        self.check(one)


class InC(unittest.TestCase):
    """The run layer computes the same."""

    def test_same(self):
        rng, program = random.Random(9), os.path.join(
            os.environ["top_builddir"], "tests", "unit", "paired")
        for n, many, phi in ((6, 1, 0), (7, 14, 0), (11, 3, 0), (12, 6, 0.9),
                             (16, 6, 0.9), (40, 1, 0.5), (64, 2, 0), (65, 126, 0.6),
                             (200, 6, 0.9)):
            logs = [0.05 + rng.gauss(0, 0.1)]
            while len(logs) < n:
                logs.append(phi * logs[-1] + rng.gauss(0, 0.1))
            seed = rng.getrandbits(64)
            words = "%d %d %s" % (many, seed, " ".join(map(repr, logs)))
            found = subprocess.run([program, "--echo"], input=words.encode(),
                                   check=True, stdout=subprocess.PIPE).stdout.split()
            mine = stats.mean_estimate(logs, seed)
            ratio = stats.ratio_of(mine, many=many)
            for a, b in zip(map(float, found), ratio[:3] + (mine.df + 1.0,)):
                self.assertAlmostEqual(a / b, 1.0, delta=1e-9)


class FalseAlarms(unittest.TestCase):
    """Of comparisons of a thing with itself, at most 7 in 100 find a difference."""
    TRIALS = 5000
    DRAWS = {
        "normal": lambda rng: rng.gauss(1.0, 0.1),
        "log_normal": lambda rng: rng.lognormvariate(0.0, 0.5),
        "skewed": lambda rng: rng.gammavariate(4.0, 1.0),
        "rare_stalls": lambda rng: rng.lognormvariate(0.0, 0.05) *
                                   (2 if rng.random() < 0.1 else 1),
        "two_speeds": lambda rng: rng.lognormvariate(0.0, 0.05) *
                                  (2 if rng.random() < 0.5 else 1),
    }

    def setUp(self):
        known_quantiles(self)

    def alarms(self, draw, ratio):
        rng = random.Random(21)
        told = 0
        for _ in range(self.TRIALS):
            a, b = ([draw(rng) for _ in range(6)] for _ in "ab")
            told += rules.excludes_one(ratio(a, b))
        self.assertLessEqual(told / float(self.TRIALS), 0.07)
        self.assertGreater(told, 0)


for name, draw in FalseAlarms.DRAWS.items():
    for ratio in (paired_ratio, stats.welch_ratio):
        setattr(FalseAlarms, "test_%s_%s" % (name, ratio.__name__),
                lambda self, d=draw, r=ratio: self.alarms(d, r))


class Verdict(unittest.TestCase):
    def judge(self, centre, low, high, better="higher", policy=rules.POLICY):
        return rules.judge(stats.Interval(centre, low, high, 6), better, policy)

    def test_words(self):
        for ratio, better, rule, words in (
                ((1.8, 1.5, 2.1), "higher", rules.FASTER, "faster by 1.8x"),
                ((1.8, 1.5, 2.1), "lower", rules.SLOWER, "slower by 1.8x"),
                ((0.5, 0.4, 0.6), "higher", rules.SLOWER, "slower by 2.0x"),
                ((0.5, 0.4, 0.6), "lower", rules.FASTER, "faster by 2.0x"),
                ((1.1, 0.9, 1.12), "higher", rules.NOT_SHOWN,
                 "no difference shown (up to 12 % possible)"),
                ((1.0, 0.5, 4.0), "higher", rules.NOT_SHOWN,
                 "no difference shown (up to 4.0x possible)"),
                ((1.0, 0.97, 1.03), "lower", rules.EQUAL, "equal within 5 %"),
                ((0.991, 0.985, 0.998), "higher", rules.EQUAL,
                 "equal within 5 % (0.9 % slower)"),
                ((1.0, 1.0, 1.0), "higher", rules.EQUAL, "equal within 5 %"),
                ((1.03, 1.01, 1.04), "higher", rules.FASTER, "faster by 1.03x")):
            self.assertEqual(self.judge(*ratio, better=better), (rule, words))

    def test_at_the_limits(self):
        """A limit itself is not within it, and a bound of 1 excludes nothing."""
        policy = rules.Policy(1.5, 2.0, False)
        for ratio, rule in (((1.5, 1.25, 1.75), rules.FASTER),
                            ((1.25, 1.125, 2.0), rules.TOO_SMALL),
                            ((1.25, 1.125, 1.875), rules.EQUAL),
                            ((1.0, 0.5, 1.5), rules.NOT_SHOWN),
                            ((1.0, 0.75, 2.0), rules.NOT_SHOWN),
                            ((1.75, 1.0, 4.0), rules.NOT_SHOWN),
                            ((0.75, 0.25, 1.0), rules.NOT_SHOWN)):
            self.assertEqual(self.judge(*ratio, policy=policy)[0], rule, ratio)

    def test_percent(self):
        for factor, text in ((1.004, "0.4 %"), (1.094, "9.4 %"), (1.0996, "10 %"),
                             (1.5, "50 %"), (2.0, "100 %"), (2.5, "2.5x")):
            self.assertEqual(rules.percent_text(factor), text)

    def test_effects_of_interest(self):
        policy = rules.Policy(1.10, 1.01, False)
        self.assertEqual(self.judge(1.05, 1.02, 1.08, policy=policy),
                         (rules.TOO_SMALL, "difference too small to matter (5.0 %)"))
        self.assertEqual(self.judge(1.2, 1.02, 1.4, policy=policy)[0], rules.FASTER)


class Source(unittest.TestCase):
    def test_is_python_3_6(self):
        folder = os.path.join(PACKAGE, "leadline")
        paths = [os.path.join(at, name) for at, _, names in os.walk(folder)
                 for name in names if name.endswith(".py")]
        self.assertGreater(len(paths), 50)
        for path in paths:
            text = read_text(path)
            try:
                ast.parse(text, path, feature_version=(3, 6))
            except TypeError:  # before Python 3.8: this one is the check
                ast.parse(text, path)


if __name__ == "__main__":
    main()
