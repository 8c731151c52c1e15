"""The effect of each factor of a sweep, and interactions of two of them.

Each round is a block. In each round, the difference of logarithms between the cells of
two values of a factor, with all other options equal, is one number; the interval is
Student's t over the rounds, or over runs if there are several. So nothing is assumed of
the spread in single cells. All contrasts of the headline figures hold together (Sidak),
as the verdicts of a table do.
"""
import itertools
import math
from collections import OrderedDict, namedtuple
from typing import Any, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats
from leadline.judge import robust, rules
from leadline.judge.matrix import Factor, Matrix
from leadline.results.groups import Group, not_comparable
from leadline.results.report import Figure

WORTH_SAYING = 1.10    # interactions nearer to 1 are not mentioned

Effects = namedtuple("Effects", "figure effects slopes interactions shares pair_shares "
                     "rounds many why")
Effect = namedtuple("Effect", "factor level base ratio pairs rounds shown")
Slope = namedtuple("Slope", "factor ratio rounds")
Interaction = namedtuple("Interaction", "first second levels bases ratio rounds shown")

# A contrast: the number of pairs of cells, and {(series, round): difference}.
Contrast = namedtuple("Contrast", "pairs logs")


class Table:
    """The cells of a matrix that have rounds of a figure: {values: {round: logarithm}}.
    A cell that several configurations share, such as those that differ in their names
    only, is left out."""

    def __init__(self, matrix: Matrix, figure: Figure) -> None:
        self.matrix, self.figure = matrix, figure
        self.names = [factor.name for factor in matrix.factors]
        self.rows: Dict[Any, Dict[Any, float]] = OrderedDict()
        self.groups: Dict[Any, Group] = {}
        self.comparable: Dict[Tuple[Any, Any], bool] = {}
        for key, some in matrix.cells.items():
            rounds = robust.by_round(some[0], figure) if len(some) == 1 else None
            if rounds:
                self.rows[key], self.groups[key] = rounds, some[0]

    def swap(self, key: Tuple[Any, ...], at: int, value: Any) -> Tuple[Any, ...]:
        return key[:at] + (value,) + key[at + 1:]

    def fit(self, a: Tuple[Any, ...], b: Tuple[Any, ...],
            factors: Sequence[Factor]) -> bool:
        """True if two cells are comparable when these factors are ignored."""
        if (a, b) not in self.comparable:
            self.comparable[a, b] = not not_comparable(
                self.figure.name, self.groups[a], self.groups[b],
                self.matrix.ignoring(*factors))
        return self.comparable[a, b]

    def contrast(self, cells: Sequence[Tuple[Tuple[int, Any], ...]]) -> Contrast:
        """Returns the mean contrast over tuples ((sign, cell), ...), for each round
        that has all of them."""
        used = set(cell for terms in cells for _, cell in terms)
        if not used:
            return Contrast(0, {})
        rounds = set.intersection(*(set(self.rows[c]) for c in used))
        logs = {at: stats.mean([math.fsum(sign * self.rows[c][at] for sign, c in terms)
                                for terms in cells]) for at in rounds}
        return Contrast(len(cells), logs)

    def main(self, at: int, factor: Factor, level: Any) -> Contrast:
        cells = []
        for key in self.rows:
            base = self.swap(key, at, factor.base)
            if key[at] == level and base in self.rows and self.fit(key, base, [factor]):
                cells.append(((1, key), (-1, base)))
        return self.contrast(cells)

    def crossed(self, places: Tuple[int, int], factors: Tuple[Factor, Factor],
                levels: Tuple[Any, Any]) -> Contrast:
        (i, j), (a, b), (one, two) = places, factors, levels
        cells = []
        for key in self.rows:
            if (key[i], key[j]) != (one, two):
                continue
            corners = [key, self.swap(key, i, a.base), self.swap(key, j, b.base)]
            corners.append(self.swap(corners[1], j, b.base))
            if all(c in self.rows for c in corners) and all(
                    self.fit(c, corners[3], factors) for c in corners[:3]):
                cells.append(tuple(zip((1, -1, -1, 1), corners)))
        return self.contrast(cells)

    def slopes(self, at: int, factor: Factor) -> Dict[Any, float]:
        """Returns, by round, the least-squares slope over log2 of the factor,
        other options equal."""
        found: Dict[Any, List[Tuple[float, Any]]] = OrderedDict()
        for key in self.rows:
            x = key[at]
            if x > 0 and self.fit(key, self.swap(key, at, key[at]), [factor]):
                found.setdefault(self.swap(key, at, None), []).append(
                    (math.log(x, 2.0), key))
        blocks = [b for b in found.values() if len(b) > 1]
        used = [key for block in blocks for _, key in block]
        if not used:
            return {}
        rounds = set.intersection(*(set(self.rows[c]) for c in used))
        return {at_round: self.slope(blocks, at_round) for at_round in rounds}

    def slope(self, blocks: Sequence[Any], at_round: Any) -> float:
        above = below = 0.0
        for block in blocks:
            middle = stats.mean([x for x, _ in block])
            above += math.fsum((x - middle) * self.rows[c][at_round] for x, c in block)
            below += math.fsum((x - middle) ** 2 for x, _ in block)
        return above / below


# ---- all effects on a figure -------------------------------------------------


def find(matrix: Any, figure: Any, policy: Any = rules.POLICY) -> Any:
    """Returns the effects of all factors on a figure."""
    table = Table(matrix, figure)
    why = nothing(matrix, table)
    if why:
        return Effects(figure, [], [], [], OrderedDict(), {}, 0, 0, why)
    shares, pair_shares = shares_of(table)
    effects = main_effects(table, policy)
    order = list(shares)
    if order:
        effects.sort(key=lambda e: order.index(e.factor.name))
    rounds = max(e.rounds for e in effects) if effects else 0
    if not any(e.ratio for e in effects):
        why = "no interval of an effect: %s" % few(rounds)
    return Effects(figure, effects, numeric_slopes(table), interactions(table), shares,
                   pair_shares, rounds, len(effects), why)


def few(rounds: int) -> str:
    return "%d round%s with all cells, %d needed" % (
        rounds, "" if rounds == 1 else "s", stats.CI_MIN)


def nothing(matrix: Matrix, table: Table) -> str:
    if not matrix.factors:
        return "configurations differ in no option that reports tell"
    if len(table.rows) < 2:
        return "there are no rounds of two configurations"
    return ""


def interval_of(logs: Dict[Any, float], many: int) -> Optional[stats.Interval]:
    found = robust.estimate(logs)
    return stats.ratio_of(found, many=many) if found else None


def shown(ratio: Optional[stats.Interval], least: float) -> bool:
    return bool(ratio and rules.excludes_one(ratio)
                and max(ratio.centre, 1.0 / ratio.centre) >= least)


def together(table: Table, some: Sequence[Contrast]) -> int:
    """Returns how many contrasts hold together: these, of each headline figure."""
    return (sum(len(c.logs) >= stats.CI_MIN for c in some)
            * len(table.matrix.figures()))


def main_effects(table: Table, policy: rules.Policy) -> List[Effect]:
    made = [(factor, level, table.main(at, factor, level))
            for at, factor in enumerate(table.matrix.factors)
            for level in factor.others]
    made = [row for row in made if row[2].pairs]
    many = together(table, [c for _, _, c in made])
    out = []
    for factor, level, c in made:
        ratio = interval_of(c.logs, many)
        out.append(Effect(factor, level, factor.base, ratio, c.pairs, len(c.logs),
                          shown(ratio, policy.min_effect)))
    return out


def numeric_slopes(table: Table) -> List[Slope]:
    made = [(f, table.slopes(at, f)) for at, f in enumerate(table.matrix.factors)
            if f.numeric]
    made = [(f, logs) for f, logs in made if len(logs) >= stats.CI_MIN]
    many = len(made) * len(table.matrix.figures())
    return [Slope(f, interval_of(logs, many), len(logs)) for f, logs in made]


def interactions(table: Table) -> List[Interaction]:
    made = []
    for (i, a), (j, b) in itertools.combinations(enumerate(table.matrix.factors), 2):
        for levels in itertools.product(a.others, b.others):
            found = table.crossed((i, j), (a, b), levels)
            if found.pairs:
                made.append((a, b, levels, found))
    many = together(table, [c for _, _, _, c in made])
    out = []
    for a, b, levels, c in made:
        ratio = interval_of(c.logs, many)
        out.append(Interaction(a, b, levels, (a.base, b.base), ratio, len(c.logs),
                               shown(ratio, WORTH_SAYING)))
    return out


# ---- shares ------------------------------------------------------------------


def shares_of(table: Table) -> Tuple[Dict[str, float], Dict[Tuple[str, str], float]]:
    """Returns (share of each factor, the largest first; of each pair of them) in the
    sum of squares between cells, which only complete matrices have."""
    matrix = table.matrix
    if not matrix.complete or len(table.rows) < len(matrix.cells):
        return OrderedDict(), {}
    rounds = set.intersection(*map(set, table.rows.values()))
    if not rounds:
        return OrderedDict(), {}
    cells = {key: stats.mean([row[at] for at in rounds])
             for key, row in table.rows.items()}
    grand = stats.mean(list(cells.values()))
    total = math.fsum((y - grand) ** 2 for y in cells.values())
    if total <= 1e-18:
        return OrderedDict(), {}
    single = [squares(cells, [at]) for at in range(len(table.names))]
    shares = sorted(zip(table.names, single), key=lambda pair: -pair[1])
    pairs = {(table.names[i], table.names[j]):
             max(squares(cells, [i, j]) - single[i] - single[j], 0.0) / total
             for i, j in itertools.combinations(range(len(single)), 2)}
    return OrderedDict((name, s / total) for name, s in shares), pairs


def squares(cells: Dict[Any, float], places: Sequence[int]) -> float:
    """Returns the sum of squares between the means over all other factors."""
    grand = stats.mean(list(cells.values()))
    means: Dict[Any, List[float]] = {}
    for key, y in cells.items():
        means.setdefault(tuple(key[p] for p in places), []).append(y)
    return math.fsum(len(ys) * (stats.mean(ys) - grand) ** 2 for ys in means.values())
