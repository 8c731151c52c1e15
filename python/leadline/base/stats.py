"""Medians, Student-t intervals on logarithms, and verdicts in words.

doc/statistics.md says why these were chosen. No numpy: the largest sample here is a few
hundred repetitions.
"""
import functools
import math
from collections import namedtuple
from typing import List, NamedTuple, Optional, Sequence, Tuple

CI_MIN = 6       # fewest repetitions for an interval
CONFIDENCE = 0.95
FAR = 700.0      # largest half-width of logarithms: beyond it exp() overflows

Interval = namedtuple("Interval", "centre low high n")


class Estimate(NamedTuple):
    """A mean of logarithms. `means`: of subsets of paired differences, sorted."""
    centre: float
    error: float
    df: float
    n: int
    means: Sequence[float] = ()


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


def _interval(estimate: Estimate, many: int = 1) -> Interval:
    """Converts a mean of logarithms and its error back to values. Of paired differences
    each end is the farther one of t's and the permutations'."""
    centre, error, df, n, means = estimate
    half = min(sidak_two_sided(many, df) * error, FAR) if error > 0.0 else 0.0
    low, high = centre - half, centre + half
    if means:
        share = 1.0 - CONFIDENCE ** (1.0 / max(many, 1))
        outside = outermost(share / 2.0, len(means))
        low, high = min(low, means[outside - 1]), max(high, means[-outside])
    return Interval(math.exp(centre), math.exp(low), math.exp(high), n)


def interval(values: Sequence[float]) -> Optional[Interval]:
    """Returns the interval of the geometric mean of positive values; None below CI_MIN
    of them."""
    n = len(values)
    if n < CI_MIN:
        return None
    logs = [math.log(v) for v in values]
    return _interval(Estimate(mean(logs), math.sqrt(variance(logs) / n), n - 1, n))


def centre(values: Sequence[float]) -> float:
    """Returns what stands for a sample everywhere: the middle of its interval, so that
    ratios of two agree with it, or the median of too few for one."""
    found = interval(values)
    return found.centre if found else median(values)


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
    return _interval(found) if found else None


def ratio_of(estimate: Estimate, slack: float = 1.0, many: int = 1) -> Interval:
    """Returns the ratio with its interval, which holds together with those of `many`
    comparisons. The factor `slack`, the uncertainty of the values themselves, widens it
    on either side."""
    found = _interval(estimate, many)
    return found._replace(low=found.low / slack, high=found.high * slack)


def negative(estimate: Estimate) -> Estimate:
    """Returns the estimate of the reciprocal."""
    return estimate._replace(centre=-estimate.centre,
                             means=tuple(-m for m in reversed(estimate.means)))


def lower_bound(estimate: Estimate, many: int = 1) -> float:
    """Returns a bound of the logarithm, from below; it holds together with `many`."""
    low = estimate.centre - sidak_quantile(many, estimate.df) * estimate.error
    if estimate.means:
        share = 1.0 - CONFIDENCE ** (1.0 / max(many, 1))
        low = min(low, estimate.means[outermost(share, len(estimate.means)) - 1])
    return float(max(low, -FAR))


def outermost(share: float, means: int) -> int:
    """Returns how many of the parts of the line lie outside on one side. Where rounds
    are too few for so small a share, it is the outermost one."""
    return max(1, int(share * (means + 1) + 1e-9))


def chance(estimate: Estimate, slack: float = 1.0) -> float:
    """Returns the chance that equals differ by so much, beyond `slack`, in either
    direction."""
    distance = abs(estimate.centre) - math.log(slack)
    if distance <= 0.0:
        return 1.0
    by_t = (min(1.0, 2.0 * t_tail(distance / estimate.error, estimate.df))
            if estimate.error > 0.0 else 0.0)
    return max(by_t, chance_by_signs(estimate, math.log(slack)))


def chance_by_signs(estimate: Estimate, slack: float) -> float:
    """Returns the share of permutations that leave 0 inside the interval."""
    sign = 1.0 if estimate.centre > 0.0 else -1.0
    beyond = sum(sign * m <= slack for m in estimate.means)
    if not beyond:
        return 0.0
    return min(1.0, 2.0 * (beyond + 1) / (len(estimate.means) + 1))


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


# ---- paired differences of rounds --------------------------------------------

# src/base/paired.c computes the same.
CORRELATED = 16   # rounds from which on their correlation can be told
COMPLETE = 12     # rounds up to which all subsets are taken
SUBSETS = 4095
RNG_SIGNS = 16    # the stream of base/rng.h
WORD = (1 << 64) - 1
RNG_STEP = 0x9e3779b97f4a7c15


def paired_estimate(values: Sequence[float], baseline: Sequence[float],
                    seed: int = 0) -> Optional[Estimate]:
    """Estimates the logarithms of values[i] / baseline[i]; None below CI_MIN of
    them."""
    return mean_estimate([math.log(v / b) for v, b in zip(values, baseline)],
                         seed)


def mean_estimate(logs: Sequence[float], seed: int = 0) -> Optional[Estimate]:
    """Estimates the mean of differences of logarithms, one per round and in the order
    of rounds; None below CI_MIN of them. Degrees of freedom are the effective rounds
    less 1."""
    n = len(logs)
    if n < CI_MIN:
        return None
    centre = mean(logs)
    effective = n / inflation(logs, centre)
    error2 = variance(logs) * (n - 1) / n / (1.0 - 1.0 / effective) / effective
    return Estimate(centre, math.sqrt(error2), effective - 1.0, n,
                    subset_means(logs, seed))


def estimate_of_runs(runs: Sequence[Sequence[float]],
                     seed: int = 0) -> Optional[Estimate]:
    """Estimates the mean of differences that several runs found, each in rounds of its
    own. What differs between runs, as their place and hour, is in the error: the
    variance of the runs' means, which holds that of rounds, too, and is not below
    it."""
    known = [e for e in (mean_estimate(logs, seed) for logs in runs) if e]
    if len(known) < 2:
        return known[0] if known else None
    centres, n = [e.centre for e in known], len(known)
    between, within = variance(centres), mean([e.error ** 2 for e in known])
    return Estimate(mean(centres), math.sqrt(max(between, within) / n), n - 1,
                    sum(e.n for e in known))


def covariance(logs: Sequence[float], centre: float, lag: int) -> float:
    """Returns the autocovariance, with divisor n."""
    return math.fsum((a - centre) * (b - centre)
                     for a, b in zip(logs, logs[lag:])) / len(logs)


def inflation(logs: Sequence[float], centre: float) -> float:
    """Returns the factor by which correlation between rounds inflates the variance of
    their mean: of an autoregression of first order, its coefficient corrected for bias,
    or of the autocorrelations up to the first within chance, whichever is larger."""
    n, whole = len(logs), covariance(logs, centre, 0)
    if n < CORRELATED or whole <= 0.0:
        return 1.0
    r = min((n * covariance(logs, centre, 1) / whole + 1.0) / (n - 4), 0.98)
    first = 1.0
    if r >= 0.5 / math.sqrt(n):
        first += math.fsum(2.0 * (1.0 - k / n) * r ** k for k in range(1, n))
    bias, every = first / n, 1.0
    for k in range(1, (n + 1) // 2):
        r = covariance(logs, centre, k) / whole * n / (n - k) * (1.0 - bias) + bias
        if r < 1.0 / math.sqrt(n):
            break
        every += 2.0 * (1.0 - k / n) * r
    return min(max(first, every), n / 2.0)


def mix(x: int) -> int:
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & WORD
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & WORD
    return x ^ x >> 31


@functools.lru_cache(maxsize=8)
def subsets(n: int, seed: int) -> List[Tuple[int, bytes]]:
    """Returns (members, a bit for each round, in eights) of the drawn subsets."""
    words = (n + 63) // 64
    key = mix((mix((seed + RNG_STEP) & WORD) + RNG_SIGNS) & WORD)
    out = []
    for i in range(1, SUBSETS + 1):
        bits = 0
        for w in range(words):
            number = i * words + w + 1
            bits |= mix((key + number * RNG_STEP) & WORD) << 64 * w
        bits &= (1 << n) - 1
        out.append((bin(bits).count("1"), bits.to_bytes((n + 7) // 8, "little")))
    return out


def sums_of(logs: Sequence[float]) -> List[float]:
    """Returns the sum of each subset; bit i of its number is logs[i]."""
    sums = [0.0]
    for x in logs:
        sums += [s + x for s in sums]
    return sums


@functools.lru_cache(maxsize=COMPLETE)
def members(n: int) -> List[int]:
    return [bin(bits).count("1") for bits in range(1, 1 << n)]


def subset_means(logs: Sequence[float], seed: int) -> Tuple[float, ...]:
    """Returns sorted means of subsets. If the order in a round is drawn, each
    difference may as well have the other sign, and these means divide the line into
    parts that contain the true one equally often (Hartigan 1969)."""
    n = len(logs)
    if n <= COMPLETE:
        return tuple(sorted(map(float.__truediv__, sums_of(logs)[1:],
                                map(float, members(n)))))
    eights = [sums_of(logs[i:i + 8]) for i in range(0, n, 8)]
    return tuple(sorted(
        sum(map(list.__getitem__, eights, bits)) / count if count else 0.0
        for count, bits in subsets(n, seed)))


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
