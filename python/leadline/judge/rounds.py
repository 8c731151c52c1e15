"""Computes how many rounds a sweep needs, from the power of its comparisons.

Noise is the standard deviation of the logarithm of one run within its round, so that a
ratio of two runs of one round has sqrt(2) of it. Chances are integrals over the
possible values of the sample's spread.
"""
import functools
import math
from typing import Any, Callable, List, Optional, Sequence, Tuple

from leadline.base import stats
from leadline.judge import robust

POWER = 0.8
MOST = 1000
POINTS = 64       # of Simpson's rule
USUAL = (0.02, 0.05, 0.10)


def normal_below(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@functools.lru_cache(maxsize=256)
def spread_points(df: int) -> List[Tuple[float, float]]:
    """Returns [(spread, weight)]: Simpson's rule over the density of s / sigma."""
    width = 7.0 / math.sqrt(2.0 * df)
    low, high = max(1.0 - width, 0.0), 1.0 + width
    step = (high - low) / POINTS
    log_scale = math.log(2.0) + df / 2.0 * math.log(df / 2.0) - math.lgamma(df / 2.0)
    out = []
    for i in range(POINTS + 1):
        s = low + i * step
        if s > 0.0:
            density = math.exp(log_scale + (df - 1) * math.log(s) - df * s * s / 2.0)
            simpson = 1 if i in (0, POINTS) else 4 if i % 2 else 2
            out.append((s, density * simpson * step / 3.0))
    return out


def power(effect: float, noise: float, rounds: int, many: int = 1) -> float:
    """Returns the chance that a difference of `effect` is shown."""
    rounds = usable(rounds)
    critical = stats.sidak_two_sided(many, rounds - 1)
    shift = math.log(effect) / (noise * math.sqrt(2.0 / rounds))
    return math.fsum(w * (normal_below(shift - critical * s)
                          + normal_below(-shift - critical * s))
                     for s, w in spread_points(rounds - 1))


def usable(rounds: int) -> int:
    """Returns the rounds that are as good as these if their correlation need not be
    estimated; found by simulation."""
    if rounds < stats.CORRELATED:
        return rounds
    return max(stats.CORRELATED - 1, round(rounds - 1.2 * math.sqrt(rounds)))


def fewest(enough: Callable[[int], bool]) -> Optional[int]:
    """Returns the fewest rounds that are enough; None if MOST are not."""
    low, high = stats.CI_MIN - 1, stats.CI_MIN
    while high < MOST and not enough(high):
        low, high = high, 2 * high
    high = min(high, MOST)
    if not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def needed(effect: float, noise: float, many: int = 1) -> Optional[int]:
    """Returns the rounds that show a difference of `effect` with a chance of POWER;
    None if MOST are not enough."""
    if noise <= 0.0:
        return stats.CI_MIN
    return fewest(lambda n: power(effect, noise, n, many) >= POWER)


def detectable(rounds: int, noise: float, many: int = 1) -> Optional[float]:
    """Returns the smallest difference that so many rounds show with a chance of POWER;
    None if they are too few for an interval."""
    if rounds < stats.CI_MIN:
        return None
    low, high = 0.0, noise or 1e-9
    while power(math.exp(high), noise or 1e-9, rounds, many) < POWER:
        low, high = high, 2.0 * high
    while high - low > 1e-4 * high:
        middle = (low + high) / 2.0
        if power(math.exp(middle), noise or 1e-9, rounds, many) < POWER:
            low = middle
        else:
            high = middle
    return math.exp(high)


# ---- measured ----------------------------------------------------------------


def noise_of(groups: Sequence[Any], figure: Any) -> Optional[float]:
    """Returns the noise within rounds: the median over configurations, so that a single
    run does not decide; None if fewer than two have CI_MIN rounds in common."""
    rows = [row for row in (robust.by_round(g, figure) for g in groups) if row]
    rows = [row for row in rows if len(row) >= stats.CI_MIN]
    common = sorted(set.intersection(*map(set, rows))) if len(rows) > 1 else []
    k, n = len(rows), len(common)
    if n < stats.CI_MIN:
        return None
    by_round = {at: stats.mean([row[at] for row in rows]) for at in common}
    spreads = []
    for row in rows:
        off = [row[at] - by_round[at] for at in common]
        spreads.append(math.sqrt(stats.variance(off) * k / (k - 1.0)))
    return stats.median(spreads)


# ---- in words ----------------------------------------------------------------


def percent(factor: Any) -> str:
    return "%.2g %%" % (100.0 * (factor - 1.0)) if factor < 1.995 else "%.2gx" % factor


def sentence(rounds: int, configurations: int, noise: Optional[float] = None,
             figures: int = 2) -> str:
    """Says what so many rounds would show, for a sweep that is yet to run."""
    many = max(configurations - 1, 1) * figures
    if configurations < 2:
        return "there is one configuration, so there is nothing to compare"
    if rounds < stats.CI_MIN:
        return "%d round%s: verdicts need %d" % (rounds, "s" if rounds > 1 else "",
                                                 stats.CI_MIN)
    shown = ", ".join("%s at %.2g %% noise" % (percent(detectable(rounds, x, many)),
                                               100.0 * x)
                      for x in ([noise] if noise else USUAL))
    wanted = noise or USUAL[1]
    more = needed(1.05, wanted, many)
    return ("%d rounds of %d configurations show, with a chance of %.0f %%, a "
            "difference from the baseline of %s; 5 %% at %.2g %% noise needs %s "
            "rounds" % (
                rounds, configurations, 100.0 * POWER, shown, 100.0 * wanted,
                more or "more than %d" % MOST))
