"""Steps of a series whose noise has memory, and series of two speeds.

A series is divided into levels, about which the noise is a first-order autoregression
that begins anew with each level. For each coefficient on a grid and each number of
levels, the most likely division is found; a further level must raise twice the
logarithm of the likelihood by a price. So the coefficient is estimated together with
the levels, and a wandering series is no row of steps. doc/statistics.md tells how often
that is wrong.
"""
import itertools
import math
from collections import namedtuple
from typing import Dict, List, Optional, Sequence, Tuple

from leadline.base import stats

SHORTEST = 5          # fewest values of a level
MEMORY = (0.0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92, 0.97)   # coefficients that are tried
PRICE = 12.0          # of a level, if the whole series has no memory, or
PRICE_MANY = 2.7      # that times the logarithm of the number of values, if it is more
PRICE_MEMORY = 5.0    # that more, times the coefficient of the whole series
CLIP = 3.0            # in units of noise, from the running median of WINDOW values
WINDOW = 7
LEAST_NOISE = 0.002   # of a logarithm
EVERY = 64            # most values between any two of which there may be a step

SHARE = 0.1           # least share of values of each of two speeds
APART = 4.0           # least distance of two speeds, in their spreads, of many values
FEW = 8.0             # values by which few are fewer than many
CHANGES = 3           # from one speed to the other; a tenth of the values more

Speeds = namedtuple("Speeds", "low high share")   # share: of low values


def noise(values: Sequence[float]) -> float:
    """Returns the noise of one value, from the differences of neighbours: a step is in
    only one of them."""
    steps = [b - a for a, b in zip(values, values[1:])]
    return max(spread(steps) / math.sqrt(2.0), LEAST_NOISE)


def spread(values: Sequence[float]) -> float:
    centre = stats.median(values)
    return 1.4826 * stats.median([abs(v - centre) for v in values])


def sums_of(values: Sequence[float]) -> List[float]:
    """Returns the sums of the first 0, 1, ... values."""
    return list(itertools.accumulate([0.0, *values]))


def cleaned(values: Sequence[float], unit: float) -> List[float]:
    """Returns the values, those far from the median of WINDOW neighbours replaced by
    it. At the ends it is that of the first or last ones, where two may be wrong."""
    out, last = [], len(values) - WINDOW
    for i, value in enumerate(values):
        begin = min(max(i - WINDOW // 2, 0), max(last, 0))
        near = stats.median(values[begin:begin + WINDOW])
        out.append(near if abs(value - near) > CLIP * unit else value)
    return out


# ---- two speeds --------------------------------------------------------------


def two_speeds(values: Sequence[float]) -> Optional[Speeds]:
    """Returns the two speeds between which positive values jump back and forth, or
    None: they lie apart, and change places more often than levels would."""
    logs, n = [math.log(v) for v in values], len(values)
    ranked = sorted(logs)
    sums = sums_of(ranked)

    def between(cut: int) -> float:
        """Returns the variance between two parts, but for a factor."""
        apart = sums[cut] / cut - (sums[n] - sums[cut]) / (n - cut)
        return apart * apart * cut * (n - cut)
    fewest = math.ceil(SHARE * n)
    cut = max(range(fewest, n - fewest + 1), key=between)
    low, high = ranked[:cut], ranked[cut:]
    below, above = stats.median(low), stats.median(high)
    wide = math.sqrt((spread(low) ** 2 + spread(high) ** 2) / 2.0 + LEAST_NOISE ** 2)
    changes = sum((a < high[0]) != (b < high[0]) for a, b in zip(logs, logs[1:]))
    if above - below < APART * (1.0 + FEW / n) * wide or changes <= CHANGES + n / 10:
        return None
    return Speeds(math.exp(below), math.exp(above), cut / n)


# ---- levels ------------------------------------------------------------------


class Levels:
    """Divisions of a series into 1, 2, ... levels, for one coefficient of its noise.
    ends: places at which a level may begin, with 0 and the end."""

    def __init__(self, values: Sequence[float], phi: float,
                 ends: Sequence[int]) -> None:
        self.values, self.phi, self.ends = values, phi, ends
        # Levels are longer than the noise remembers: as many values tell as much as
        # one independent one.
        self.shortest = max(SHORTEST, math.ceil((1 + phi) / (1 - phi) - 1e-9))
        rest = [b - phi * a for a, b in zip(values, values[1:])]
        self.sums = [0.0] + sums_of(rest)
        self.squares = [0.0] + sums_of([v * v for v in rest])
        self.costs = {b: [(i, self.cost(a, b)) for i, a in enumerate(ends)
                          if b - a >= self.shortest] for b in ends}
        # rows[k][j]: least cost of k levels up to ends[j], and the end before
        first: List[Tuple[float, int]] = [(0.0, 0)] + [(math.inf, 0)] * (len(ends) - 1)
        self.rows = [first]

    def cost(self, begin: int, end: int) -> float:
        """Returns the sum of squares of one level's innovations, about its mean."""
        one, rest = 1.0 - self.phi * self.phi, 1.0 - self.phi
        value = self.values[begin]
        weight = one + (end - begin - 1) * rest * rest
        total = one * value + rest * (self.sums[end] - self.sums[begin + 1])
        return (one * value * value + self.squares[end] - self.squares[begin + 1]
                - total * total / weight)

    def more(self) -> None:
        """Finds the best divisions with one more level."""
        before = self.rows[-1]
        self.rows.append([min([(before[i][0] + cost, i) for i, cost in self.costs[b]],
                              default=(math.inf, 0)) for b in self.ends])

    def likelihood(self, many: int) -> float:
        """Returns minus twice its logarithm, but for a constant."""
        n = len(self.values)
        least = max(self.rows[many][-1][0], 0.0) + n * LEAST_NOISE ** 2
        return n * math.log(least / n) - many * math.log(1.0 - self.phi ** 2)

    def begins(self, many: int) -> List[int]:
        """Returns the begins of all levels but the first."""
        j, out = len(self.ends) - 1, []
        for k in range(many, 1, -1):
            j = self.rows[k][j][1]
            out.append(self.ends[j])
        return self.polished(out[::-1])

    def polished(self, begins: List[int]) -> List[int]:
        """Returns begins, each moved to where it is best: not all places were tried if
        there are many."""
        for k in range(len(begins)):
            before, after = ([0] + begins)[k], (begins + [len(self.values)])[k + 1]
            places = range(before + self.shortest, after - self.shortest + 1)
            begins[k] = min(places, key=lambda at: self.cost(before, at)
                            + self.cost(at, after))
        return begins


def divide(values: Sequence[float]) -> List[int]:
    """Returns the begins of all levels but the first."""
    mean = stats.mean(values)
    centred = [v - mean for v in values]
    ends = [0] + places(centred) + [len(values)]
    every = [Levels(centred, phi, ends) for phi in MEMORY]
    price = max(PRICE, PRICE_MANY * math.log(len(values)))
    best, many, k = (math.inf, every[0]), 1, 0
    while k < many + 2:   # two steps may show only together
        k += 1
        for one in every:
            one.more()
        found = min(every, key=lambda one: one.likelihood(k))
        if k == 1:
            price += PRICE_MEMORY * found.phi
        score = found.likelihood(k) + price * k
        if score < best[0]:
            best, many = (score, found), k
    return best[1].begins(many)


def places(values: Sequence[float]) -> List[int]:
    """Returns where steps are looked for: everywhere, or, of many values, where means
    of as many values before and after differ most."""
    n = len(values)
    if n <= EVERY:
        return list(range(SHORTEST, n - SHORTEST + 1))
    sums = sums_of(values)
    widths = [SHORTEST << i for i in range(n.bit_length()) if SHORTEST << i <= n // 2]
    out: Dict[int, None] = {}
    for width in widths:
        best = peaks([abs(sums[i + width] - 2 * sums[i] + sums[i - width])
                      for i in range(width, n - width + 1)], width)
        out.update((width + i, None) for i in best[:EVERY // len(widths)])
    return sorted(out)


def peaks(values: Sequence[float], width: int) -> List[int]:
    """Returns the places of the largest values, no two closer than half a width."""
    out: List[int] = []
    taken = bytearray(len(values))
    for i in sorted(range(len(values)), key=lambda i: -values[i]):
        if not taken[i]:
            out.append(i)
            begin, end = max(i - width // 2, 0), min(i + width // 2 + 1, len(values))
            taken[begin:end] = b"\1" * (end - begin)
    return out


def find_steps(values: Sequence[float]) -> Tuple[List[Tuple[int, float]], List[int]]:
    """Returns ([(first of a level, its ratio to the one before)], places of values that
    stand out) of positive values; neither if they have two speeds."""
    if two_speeds(values):
        return [], []
    logs = [math.log(v) for v in values]
    clean = cleaned(logs, noise(logs))
    begins = divide(clean)
    ends = [0] + begins + [len(clean)]
    means = [stats.mean(clean[a:b]) for a, b in zip(ends, ends[1:])]
    return ([(at, math.exp(b - a)) for at, a, b in zip(begins, means, means[1:])],
            [i for i, (a, b) in enumerate(zip(logs, clean)) if a != b])
