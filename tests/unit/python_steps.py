#!/usr/bin/env python3
# mpi: any
"""Steps of series, on those whose truth is known."""
import itertools
import math
import random
import unittest
from unittest import mock

from tap import main

from leadline.base import steps


def wander(rng, n, phi, noise=0.05):
    values = [rng.gauss(0, noise)]
    while len(values) < n:
        values.append(phi * values[-1] + rng.gauss(0, noise * math.sqrt(1 - phi * phi)))
    return values


def found(logs):
    return steps.find_steps([math.exp(v) for v in logs])[0]


def innovations(values, phi):
    """Returns the squares about the mean for which they are least: a parabola of the
    mean, through three of its points."""
    def at(mean):
        return (1 - phi * phi) * (values[0] - mean) ** 2 + sum(
            (b - mean - phi * (a - mean)) ** 2 for a, b in zip(values, values[1:]))
    below, middle, above = at(-1.0), at(0.0), at(1.0)
    return middle - (above - below) ** 2 / (8 * (above + below - 2 * middle))


def every_division(n, many, shortest):
    for begins in itertools.combinations(range(shortest, n - shortest + 1), many - 1):
        ends = (0,) + begins + (n,)
        if all(b - a >= shortest for a, b in zip(ends, ends[1:])):
            yield list(begins), list(zip(ends, ends[1:]))


class Parts(unittest.TestCase):
    def test_noise(self):
        # Steps 1 -1 4 -4 1: median 1, off it by 0 2 3 5 0, median 2.
        self.assertAlmostEqual(steps.noise([0, 1, 0, 4, 0, 1]), 1.4826 * 2 / 2 ** 0.5)
        self.assertEqual(steps.noise([3.0] * 9), 0.002)

    def test_cleaned(self):
        """Values beyond three times the noise are replaced by the median of seven, two
        in a row also at the ends."""
        plain = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
        for i, wanted in ((0, 1), (4, 1), (5, 1), (8, 1)):
            values = list(plain)
            values[i:i + 2] = 50, 40
            got = steps.cleaned(values, 1)
            self.assertEqual(got[i + 2:] + got[:i], plain[i + 2:] + plain[:i])
            self.assertEqual(got[i:i + 2], [wanted] * 2, i)
        self.assertEqual(steps.cleaned([0, 0, 0, 3, 0, 0, 0], 1)[3], 3)
        self.assertEqual(steps.cleaned([0, 0, 0, 3.1, 0, 0, 0], 1)[3], 0)

    def test_the_best_of_all_divisions(self):
        rng = random.Random(11)
        for phi in (0.0, 0.6, 0.75):
            for n in (15, 17):
                values = [v + (i > n / 2) for i, v in enumerate(wander(rng, n, 0.3))]
                some = steps.Levels(values, phi, [0, *steps.places(values), n])
                self.assertEqual(some.shortest, {0.0: 5, 0.6: 5, 0.75: 7}[phi])
                for many in (1, 2, 3):
                    some.more()
                    every = {tuple(begins): sum(innovations(values[a:b], phi)
                                                for a, b in ends) for begins, ends in
                             every_division(n, many, some.shortest)}
                    cost = some.rows[many][-1][0]
                    self.assertAlmostEqual(cost, min(every.values(), default=math.inf))
                    if every:
                        self.assertEqual(tuple(some.begins(many)),
                                         min(every, key=lambda b: every[b]))

    def test_likelihood(self):
        """It is that of normal innovations with the likeliest spread, and of a first
        value with that of the series."""
        values = wander(random.Random(2), 12, 0.6, 30.0)
        for phi in (0.4, 0.75):
            some = steps.Levels(values, phi, [0, 12])
            some.more()
            wanted = 12 * math.log(innovations(values, phi) / 12) - math.log(
                1 - phi * phi)
            self.assertAlmostEqual(some.likelihood(1), wanted, places=5)

    def test_price(self):
        """A step must gain the price, 2.7 times the logarithm of their number if that
        is more."""
        for n, price in ((40, 12.0), (200, 2.7 * math.log(200))):
            noise = [0.05, -0.05] * (n // 2)
            floor = 0.0025 + steps.LEAST_NOISE ** 2
            for share, many in ((0.97, 0), (1.03, 1)):
                least = floor * math.expm1(share * price / n)
                step = 2 * math.sqrt(least)
                values = [v + step * (i >= n // 2) for i, v in enumerate(noise)]
                with mock.patch.object(steps, "MEMORY", (0.0,)):
                    self.assertEqual(len(steps.divide(values)), many, (n, share))


class Steps(unittest.TestCase):
    def test_planted(self):
        """A loss of 7 % in night 43 of 60, with 1.4 % noise."""
        for seed in range(10):
            values = wander(random.Random(seed), 60, 0.0, 0.014)
            values[42:] = [v - 0.07 for v in values[42:]]
            (at, ratio), = found(values)
            self.assertLessEqual(abs(at - 42), 2, seed)
            self.assertAlmostEqual(ratio, 0.93, delta=0.015)

    def test_up_and_down(self):
        values = wander(random.Random(1), 60, 0.0, 0.02)
        values[20:40] = [v + 0.1 for v in values[20:40]]
        (one, gain), (other, loss) = found(values)
        self.assertEqual((one, other), (20, 40))
        self.assertTrue(1.08 < gain < 1.13 and 0.88 < loss < 0.93)

    def test_noise_with_memory(self):
        """Few wandering series have a step; without a memory many would."""
        for phi, n, many in ((0.0, 20, 100), (0.3, 20, 100), (0.6, 20, 100),
                             (0.9, 20, 100), (0.6, 60, 40), (0.9, 60, 40)):
            rng = random.Random(7)
            wrong = sum(bool(found(wander(rng, n, phi))) for _ in range(many))
            self.assertLessEqual(wrong, 0.08 * many, (phi, n))
        rng = random.Random(7)
        with mock.patch.object(steps, "MEMORY", (0.0,)):
            blind = sum(bool(found(wander(rng, 60, 0.6))) for _ in range(40))
        self.assertGreater(blind, 10)

    def test_a_jump_of_what_wanders(self):
        """It is found in spite of its memory."""
        right = 0
        for seed in range(10):
            values = wander(random.Random(seed), 60, 0.9)
            values[30:] = [v - 0.22 for v in values[30:]]
            right += any(abs(at - 30) <= 2 for at, _ in found(values))
        self.assertGreaterEqual(right, 8)

    def test_outliers(self):
        """One or two in a row are no level; five are."""
        for many, at, levels in ((1, 30, 0), (2, 30, 0), (2, 58, 0), (2, 0, 0),
                                 (5, 55, 1)):
            values = wander(random.Random(3), 60, 0.0, 0.02)
            values[at:at + many] = [v - 0.5 for v in values[at:at + many]]
            got, outliers = steps.find_steps([math.exp(v) for v in values])
            self.assertEqual(len(got), levels, (many, at))
            if not levels:
                self.assertTrue(set(range(at, at + many)) <= set(outliers))

    def test_two_speeds(self):
        for share in (0.5, 0.25):
            rng = random.Random(5)
            values = [math.exp(-0.3 * (rng.random() < share) + rng.gauss(0, 0.02))
                      for _ in range(60)]
            speeds = steps.two_speeds(values)
            self.assertAlmostEqual(speeds.high, 1.0, delta=0.02)
            self.assertAlmostEqual(speeds.low, math.exp(-0.3), delta=0.02)
            self.assertEqual(speeds.share, sum(v < 0.85 for v in values) / 60)
            self.assertEqual(steps.find_steps(values), ([], []))
            ranked = sorted(values)   # the same values, with one step
            self.assertIsNone(steps.two_speeds(ranked))
            self.assertEqual(len(steps.find_steps(ranked)[0]), 1)

    def test_no_two_speeds(self):
        """Nor are there in noise, and in values that are all equal."""
        rng = random.Random(9)
        some = sum(steps.two_speeds([math.exp(v) for v in wander(rng, 40, 0.0)])
                   is not None for _ in range(100))
        self.assertLessEqual(some, 3)
        self.assertIsNone(steps.two_speeds([7.0] * 30))

    def test_2000_runs(self):
        """Not all places are tried, and the step is found where it is."""
        values = wander(random.Random(3), 2000, 0.0, 0.03)
        values[1234:] = [v + 0.18 for v in values[1234:]]
        self.assertLessEqual(len(steps.places(values)), steps.EVERY)
        self.assertEqual([at for at, _ in found(values)], [1234])


if __name__ == "__main__":
    main()
