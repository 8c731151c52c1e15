"""A rule for each meaning of the interval of a ratio to the baseline, and its words."""
from collections import namedtuple
from typing import Tuple

from leadline.base import stats

# `min_effect`: factors nearer to 1 are not called faster or slower. `equal`: an
# interval within this factor of 1 is called equal. `strict`: refuses comparisons that
# otherwise get a warning.
Policy = namedtuple("Policy", "min_effect equal strict")
POLICY = Policy(1.02, 1.05, False)

BASELINE, FASTER, SLOWER, EQUAL = "baseline", "faster", "slower", "equal"
TOO_SMALL, NOT_SHOWN, SINGLE_RUNS = "too_small", "not_shown", "single_runs"
TOO_FEW, ONE_RUN, NOT_COMPARABLE = "too_few", "one_run", "not_comparable"
NONE_SHOWN = "no difference shown"


def gain_of(ratio: stats.Interval, better: str) -> stats.Interval:
    """Returns the ratio as a gain: above 1 is better."""
    return ratio if better == "higher" else inverse(ratio)


def inverse(ratio: stats.Interval) -> stats.Interval:
    return stats.Interval(1.0 / ratio.centre, 1.0 / ratio.high, 1.0 / ratio.low,
                          ratio.n)


def excludes_one(ratio: stats.Interval) -> bool:
    return bool(ratio.low > 1.0 or ratio.high < 1.0)


def hidden(ratio: stats.Interval) -> float:
    """Returns the largest factor that an interval leaves possible."""
    factor: float = max(ratio.high, 1.0 / ratio.low)
    return factor


def percent_text(factor: float) -> str:
    """Formats a factor as 12 %; 3.2x if it is more than double."""
    percent = 100.0 * (factor - 1.0)
    if percent > 100.0:
        return stats.factor_text(factor)
    return "%.*f %%" % (1 if percent < 9.95 else 0, percent)


def judge(ratio: stats.Interval, better: str,
          policy: Policy = POLICY) -> Tuple[str, str]:
    """Returns (rule, words) for a ratio of a figure of which `better` is higher or
    lower."""
    gain = gain_of(ratio, better)
    factor = max(gain.centre, 1.0 / gain.centre)
    way = FASTER if gain.centre > 1.0 else SLOWER
    shown = excludes_one(gain)
    if shown and factor >= policy.min_effect:
        return way, "%s by %s" % (way, stats.factor_text(factor))
    if 1.0 / policy.equal < gain.low and gain.high < policy.equal:
        words = "equal within %.4g %%" % (100.0 * (policy.equal - 1.0))
        return EQUAL, words + (" (%s %s)" % (percent_text(factor), way) if shown
                               else "")
    if shown:
        return TOO_SMALL, ("difference too small to matter (%s)" % percent_text(factor))
    return NOT_SHOWN, "%s (up to %s possible)" % (NONE_SHOWN,
                                                  percent_text(hidden(gain)))


def differs(rule: str) -> bool:
    return rule in (FASTER, SLOWER)
