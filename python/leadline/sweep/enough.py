"""Ends leadline sweep before its last round if its time is used up (--budget), or if
its intervals are narrow enough (--until).
"""
import argparse
import math
import os
import re
import time
from collections import namedtuple

from leadline.base import stats
from leadline.base.options import option
from leadline.judge import compare, gate, rounds
from leadline.results import groups
from leadline.sweep import need

MOST_ROUNDS = 50   # default without --rounds
HEADLINES = 2      # figures in the summary, until a report tells their number
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}

# factor: ratio of the farther end of an interval to its middle
Width = namedtuple("Width", "factor figure group")


def duration(text: str) -> float:
    """Parses 90, 90s, 30m, 1.5h, 2d as seconds."""
    found = re.match(r"(\d+(?:\.\d*)?)([smhd]?)$", text)
    seconds = float(found.group(1)) * UNITS[found.group(2)] if found else 0.0
    if not 0.0 < seconds <= 1e9:
        raise argparse.ArgumentTypeError("%s is not a time such as 90s, 30m or 8h"
                                         % text)
    return seconds


def ends(sweep, where, args):
    """Returns the conditions that --budget and --until ask for."""
    out = []
    if args.until:
        out.append(Until(sweep, args.until, args.figure))
    if args.budget:
        out.append(Budget(sweep, args.budget, need.round_seconds(sweep, where, args)))
    return out


def outlook(sweep, where, args):
    """Returns sentences for --dry-run: what would end the sweep, or what its rounds
    would show."""
    found = ends(sweep, where, args)
    if found:
        return [sentence(end.forecast()) for end in found]
    some = of_sweep(sweep)
    figures = headline(some, None) if some else []
    noises = [rounds.noise_of(some, f) for f in figures]
    known = [n for n in noises if n is not None]
    return [sentence(rounds.sentence(sweep.spec["rounds"], len(sweep.configs),
                                     max(known) if known else None,
                                     len(figures) or HEADLINES))]


def sentence(words):
    return words[:1].upper() + words[1:] + "."


def of_sweep(sweep):
    """Returns the configurations of a sweep that have valid reports, except those left
    out because they fail."""
    try:
        found = groups.collect([sweep.out]).groups if os.path.isdir(sweep.out) else []
    except groups.NothingValid:
        return []
    mine = {c.name: i for i, c in enumerate(sweep.configs)}
    return sorted((g for g in found if g.first.series_id == sweep.id
                   and g.first.config in mine
                   and g.first.config not in sweep.left_out),
                  key=lambda g: mine[g.first.config])


# ---- time --------------------------------------------------------------------


class Budget:
    """Runs whole rounds only: a round that is not expected to fit is not begun."""

    def __init__(self, sweep, seconds, known, clock=time.monotonic):
        """known: seconds of a round in earlier runs, or None."""
        self.many, self.seconds, self.clock = len(sweep.configs), seconds, clock
        self.rounds = sweep.spec["rounds"]
        self.run_s = known / self.many if known else None   # seconds of one run
        self.began, self.last, self.rest = clock(), None, []

    def forecast(self):
        """Says beforehand what fits."""
        if self.run_s is None:
            return ("how long a round takes is not known: the first one tells how many "
                    "fit into %s" % need.duration(self.seconds))
        count = int(self.seconds / (self.run_s * self.many))
        return "a round takes about %s: %s into %s" % (
            need.duration(self.run_s * self.many), fit_text(min(count, self.rounds)),
            need.duration(self.seconds))

    def before(self, number, todo):
        """Returns why round `number`, of which the runs `todo` are left, is not begun;
        "" if it is."""
        self.learn()
        self.last = (self.clock(), len(todo)) if todo else None
        left = self.seconds - (self.clock() - self.began)
        if not todo or (self.run_s is None and left > 0):
            return ""
        if self.run_s and self.run_s * len(todo) <= left:
            return ""
        return "%s of the budget left, and round %d takes about %s: it is not begun" % (
            need.duration(max(left, 0.0)), number,
            need.duration((self.run_s or 0.0) * len(todo)))

    def outcome(self):
        return ""

    def learn(self):
        """Learns from the round that has just ended: the longest run counts."""
        if self.last:
            spent = (self.clock() - self.last[0]) / self.last[1]
            self.rest.append(spent)
            self.run_s = max(self.rest)


def fit_text(count):
    return "1 round fits" if count == 1 else "%d rounds fit" % count


# ---- intervals ---------------------------------------------------------------


class Until:
    """Ends on the widths of intervals and nothing else: a sweep that ended when a
    difference shows would show one too often. They must be narrow after two consecutive
    rounds, as a spread may look small once by chance."""

    def __init__(self, sweep, limit, patterns):
        self.sweep, self.limit, self.patterns = sweep, limit, patterns

    def percent(self):
        return "%.4g %%" % (100.0 * (self.limit - 1.0))

    def forecast(self):
        return ("rounds until all intervals are within %s, at least %d and at most %d"
                % (self.percent(), stats.CI_MIN + 1, self.sweep.spec["rounds"]))

    def before(self, number, todo):
        some, done = of_sweep(self.sweep), number - 1
        now = widest(some, self.patterns, done)
        if not now or max(now.factor,
                          widest(some, self.patterns, done - 1).factor) > self.limit:
            return ""
        return "after %d rounds all intervals are within %s (the widest: %s)" % (
            done, self.percent(), width_text(now))

    def outcome(self):
        """Says at the end how narrow the intervals are, and what would be needed."""
        some = of_sweep(self.sweep)
        worst = widest(some, self.patterns, self.sweep.spec["rounds"])
        if not worst or worst.factor == math.inf:
            return ("not all configurations have the %d rounds that an interval needs"
                    % stats.CI_MIN)
        if worst.factor <= self.limit:
            return ""
        have = max(len(values(g, worst.figure, math.inf)) for g in some)
        more = (math.log(worst.factor) / math.log(self.limit)) ** 2
        return ("the widest interval, %s, is not within %s: about %d rounds would be "
                "needed" % (width_text(worst), self.percent(), math.ceil(have * more)))


def width_text(width):
    return "%s of %s +-%.2g %%" % (compare.figure_title(width.figure), width.group.name,
                                   100.0 * (width.factor - 1.0))


def values(group, figure, last):
    """Returns {(series, round): value} of the rounds up to `last`; repetitions of a
    single run are no rounds."""
    return {at: value for at, value in group.observations((figure.name,
                                                           figure.at)).items()
            if at[0] not in ("rep", "run") and at[1] <= last}


def headline(some, patterns):
    """Returns the totals; for a program without any, figures that are no latencies."""
    figures = compare.select(some, patterns or compare.totals(some) or ["*per_s"])
    return [f for f in figures if any(g.observations((f.name, f.at)) for g in some)]


def widest(some, patterns, last):
    """Returns the widest interval of the ratios of all configurations to the first one
    in all headline figures, which hold at once; of a single configuration, the interval
    of the figure itself. Uses the rounds up to `last`; infinite if these are too few.
    None if there is no configuration."""
    figures = headline(some, patterns) if some else []
    others = some[1:]
    many = max(1, len(others)) * len(figures)
    found = [Width(width(values(group, figure, last),
                         values(some[0], figure, last) if others else None, many),
                   figure, group)
             for figure in figures for group in others or some]
    return max(found, key=lambda w: w.factor) if found else None


def width(ours, theirs, many):
    """Returns the width of an interval. theirs: values of the baseline; None: there is
    none."""
    logs = [math.log(v) - (math.log(theirs[at]) if theirs else 0.0)
            for at, v in sorted(ours.items()) if theirs is None or at in theirs]
    found = stats.mean_estimate(logs)
    if not found:
        return math.inf
    ratio = stats.ratio_of(found, many=many)
    return math.sqrt(ratio.high / ratio.low)


OPTIONS = [
    option("--until PERCENT",
           "run rounds until the intervals of all headline figures are as narrow as "
           "this, for example 5%%; at most --rounds (default: %d)" % MOST_ROUNDS,
           "Runs whole rounds, at least 7, until the 95 % intervals of all headline "
           "figures are as narrow as this, for example `5%`, after two successive "
           "rounds. With several configurations these are the intervals of their "
           "ratios to the first one, which hold together.",
           type=gate.percent),
    option("--figure NAME",
           "with --until: this figure decides; may be a pattern and be repeated "
           "(default: the rates over all phases)",
           "With `--until`: this figure decides. May be a pattern, and be repeated. "
           "Default: write_MBps and read_MBps; if there is neither, those whose names "
           "end in per_s.",
           action="append"),
    option("--budget TIME",
           "run the whole rounds that fit into this time, for example 90s, 30m or 8h; "
           "at most --rounds (default: %d)" % MOST_ROUNDS,
           "Runs only the whole rounds that fit into this time: seconds, or `90s`, "
           "`30m`, `8h`, `2d`. The number of rounds is estimated from earlier runs in "
           "DIR or from `--rates`, otherwise from the first round.",
           type=duration),
]
