"""Sweeps with a known truth: groups of reports, filled anew for each draw."""
import math

from fake_report import report
from leadline.results import groups
from leadline.results import report as reports

NOISE, ROUND_NOISE = 0.05, 0.10


class Sweep:
    """A configuration for each of `options`, in so many rounds of one series."""

    def __init__(self, options, rounds=6, figure="write_MBps"):
        self.groups = []
        for i, values in enumerate(options):
            group = groups.Group("c%d" % i, "x")
            group.reports = [reports.Report("c%d-%d" % (i, r), report(
                {figure: [1.0]}, group.name, "s1", r + 1, options=values))
                for r in range(rounds)]
            self.groups.append(group)
        self.rounds = rounds

    @property
    def figure(self):
        return self.groups[0].first.figures[0]

    def fill(self, values):
        """Sets the values: values[c][r]."""
        for group, row in zip(self.groups, values):
            for one, value in zip(group.reports, row):
                one.figures[0] = one.figures[0]._replace(reps=[value])
        return self

    def draw(self, rng, truth, noise=None, draw=None):
        """Draws one sweep of configurations with speeds truth[c]; noise[c]: of each."""
        draw = draw or (lambda spread: rng.gauss(0.0, spread))
        rounds = [rng.gauss(0.0, ROUND_NOISE) for _ in range(self.rounds)]
        return self.fill([[100.0 * t * math.exp(at + draw(s)) for at in rounds]
                          for t, s in zip(truth, noise or [NOISE] * len(truth))])


def t3(rng):
    """Returns noise of Student's t with 3 degrees, with the requested spread."""
    def draw(spread):
        chi = math.fsum(rng.gauss(0.0, 1.0) ** 2 for _ in range(3))
        return spread * rng.gauss(0.0, 1.0) / math.sqrt(chi / 3.0) / math.sqrt(3.0)
    return draw


def factorial(*factors):
    """Returns [{option: value}] of all combinations: ("iomethod", ["posix", ...]),
    ..."""
    out = [{}]
    for name, values in factors:
        out = [dict(each, **{name: value}) for each in out for value in values]
    return out


def known(c, base=(100, 104, 130, 128, 90, 117),
          rounds=(1.00, 0.97, 1.05, 1.10, 0.92, 1.02)):
    """Returns the rounds of configuration c, whose differences scipy has computed."""
    return [base[c] * rounds[r] * (1 + 0.01 * (
        (37 * c * c + 11 * r * r + 13 * c * r) % 7 - 3)) for r in range(6)]
