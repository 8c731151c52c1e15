"""Medians, Student-t intervals on logarithms, and verdicts in words.

doc/statistics.md says why these were chosen. No numpy: the largest sample here is a few
hundred repetitions.
"""
import functools
import math
from collections import namedtuple
from typing import List, Optional, Sequence

CI_MIN = 6       # fewest repetitions for an interval
CONFIDENCE = 0.95

Interval = namedtuple("Interval", "centre low high n")
Estimate = namedtuple("Estimate", "centre error df n")   # a mean of logarithms


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2.0


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """Returns the sample variance, with divisor n - 1."""
    centre = mean(values)
    return math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1)


def log_spread(values: Sequence[float]) -> float:
    """Returns the standard deviation of the logarithms: 0.05 is a spread of about 5
    %."""
    return math.sqrt(variance([math.log(v) for v in values]))


# ---- Student's t -------------------------------------------------------------


def beta_fraction(a: float, b: float, x: float) -> float:
    """Computes the continued fraction of the incomplete beta function, by Lentz's
    method."""
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Returns the regularised incomplete beta function: from 0 at x = 0 to 1 at x =
    1."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):  # the fraction converges fast here
        return front * beta_fraction(a, b, x) / a
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b


def t_tail(t: float, df: float) -> float:
    """Returns the probability that Student's t lies above `t` >= 0."""
    return 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + t * t))


@functools.lru_cache(maxsize=1024)
def t_quantile(p: float, df: float) -> float:
    """Returns a quantile of Student's t, for 0.5 <= p < 1; `df` > 0 need not be
    whole."""
    low, high = 0.0, 1.0
    while t_tail(high, df) > 1.0 - p:
        high *= 2.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2.0
        if t_tail(middle, df) > 1.0 - p:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def sidak_quantile(many: int, df: float) -> float:
    """Returns the one-sided quantile for `many` bounds that hold at once with
    CONFIDENCE."""
    return t_quantile(CONFIDENCE ** (1.0 / max(many, 1)), df)


def sidak_two_sided(many: int, df: float) -> float:
    """Returns the quantile for `many` intervals that hold at once with CONFIDENCE."""
    return t_quantile(0.5 + CONFIDENCE ** (1.0 / max(many, 1)) / 2.0, df)


def adjusted(chance: float, many: int) -> float:
    """Returns the chance that one of `many` comparisons of equals differs by so
    much."""
    if chance >= 1.0:
        return 1.0
    return -math.expm1(max(many, 1) * math.log1p(-chance))


# ---- intervals ---------------------------------------------------------------


def _interval(centre: float, error: float, df: float, n: int,
              many: int = 1) -> Interval:
    """Converts a mean of logarithms and its standard error back to values."""
    half = sidak_two_sided(many, df) * error if error > 0.0 else 0.0
    return Interval(math.exp(centre), math.exp(centre - half),
                    math.exp(centre + half), n)


def interval(values: Sequence[float]) -> Optional[Interval]:
    """Returns the interval of the geometric mean of positive values; None below CI_MIN
    of them."""
    n = len(values)
    if n < CI_MIN:
        return None
    logs = [math.log(v) for v in values]
    return _interval(mean(logs), math.sqrt(variance(logs) / n), n - 1, n)


def centre(values: Sequence[float]) -> float:
    """Returns what stands for a sample everywhere: the middle of its interval, so that
    ratios of two agree with it, or the median of too few for one."""
    found = interval(values)
    return found.centre if found else median(values)


def paired_estimate(values: Sequence[float],
                    baseline: Sequence[float]) -> Optional[Estimate]:
    """Estimates the logarithms of values[i] / baseline[i]; None below CI_MIN of
    them."""
    return mean_estimate([math.log(v / b) for v, b in zip(values, baseline)])


def mean_estimate(logs: Sequence[float]) -> Optional[Estimate]:
    """Estimates the mean of differences of logarithms, one per round; None below CI_MIN
    of them."""
    n = len(logs)
    if n < CI_MIN:
        return None
    return Estimate(mean(logs), math.sqrt(variance(logs) / n), n - 1, n)


def welch_estimate(values: Sequence[float],
                   baseline: Sequence[float]) -> Optional[Estimate]:
    """Compares two independent samples whose variances may differ (Welch); None as
    above."""
    if min(len(values), len(baseline)) < CI_MIN:
        return None
    logs = [[math.log(v) for v in sample] for sample in (values, baseline)]
    parts = [variance(sample) / len(sample) for sample in logs]
    error2 = math.fsum(parts)
    df = 1.0
    if error2 > 0.0:
        df = error2 ** 2 / math.fsum(
            part ** 2 / (len(sample) - 1) for part, sample in zip(parts, logs))
    return Estimate(mean(logs[0]) - mean(logs[1]), math.sqrt(error2), df,
                    min(len(values), len(baseline)))


def welch_ratio(values: Sequence[float],
                baseline: Sequence[float]) -> Optional[Interval]:
    found = welch_estimate(values, baseline)
    return _interval(*found) if found else None


def ratio_of(estimate: Estimate, slack: float = 1.0, many: int = 1) -> Interval:
    """Returns the ratio with its interval, which holds together with those of `many`
    comparisons. The factor `slack`, the uncertainty of the values themselves, widens it
    on either side."""
    found = _interval(*estimate, many=many)
    return found._replace(low=found.low / slack, high=found.high * slack)


def chance(estimate: Estimate, slack: float = 1.0) -> float:
    """Returns the chance that equals differ by so much, beyond `slack`, in either
    direction."""
    distance = abs(estimate.centre) - math.log(slack)
    if distance <= 0.0 or estimate.error <= 0.0:
        return 1.0 if distance <= 0.0 else 0.0
    return min(1.0, 2.0 * t_tail(distance / estimate.error, estimate.df))


def benjamini_hochberg(chances: Sequence[float],
                       share: float = 1.0 - CONFIDENCE) -> List[bool]:
    """Selects which of many comparisons to keep, so that in the long run no more than
    `share` of those kept are wrong."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    kept = 0
    for step, i in enumerate(order):
        if chances[i] <= share * (step + 1) / len(order):
            kept = step + 1
    out = [False] * len(chances)
    for i in order[:kept]:
        out[i] = True
    return out


# ---- words -------------------------------------------------------------------


def factor_text(factor: float) -> str:
    """Formats a factor as 1.8x, 12x, 1.04x: close to 1 with as many digits as show the
    difference."""
    if factor >= 9.95:
        return "%.0fx" % factor
    for digits in (1, 2, 3):
        if abs(factor - 1.0) >= 2.0 * 10.0 ** -digits:
            break
    return "%.*fx" % (digits, factor)


def chance_of_at_least(k: int, n: int, p: float) -> float:
    """Returns the chance that an event of probability `p` happens at least `k` times in
    `n`."""
    return math.fsum(
        math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1))
        * p ** i * (1.0 - p) ** (n - i) for i in range(k, n + 1))
