"""Finds the best and the worst configuration, and those that cannot be distinguished
from it.
"""
import math
from collections import namedtuple
from typing import Any, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats
from leadline.judge import compare, robust, rules
from leadline.results.groups import Group
from leadline.results.report import Figure

# `alike`: not shown worse than `top`; `apart`: shown worse; `left_out`: (group, why).
Ranked = namedtuple("Ranked", "top alike apart left_out value why")


ONE_RUN = "one run"


def best(groups: Sequence[Any], figure: Any) -> Any:
    return ranked(groups, figure, 1 if figure.better == "higher" else -1)


def worst(groups: Sequence[Any], figure: Any) -> Any:
    return ranked(groups, figure, -1 if figure.better == "higher" else 1)


def ranked(groups: Sequence[Group], figure: Figure, sign: int) -> Ranked:
    """Ranks the groups. `sign`: 1 if the highest value is best."""
    some, left_out = candidates(groups, figure)
    if len(some) < 2:
        return Ranked(None, [], [], left_out, None, "fewer than two have %s" % (
            "several runs" if any(why == ONE_RUN for _, why in left_out)
            else "a value of it"))
    rows = with_rounds(some, figure)
    paired = bool(rows)
    if paired:
        left_out += [(g, "too few rounds") for g in some if id(g) not in rows]
        some = [g for g in some if id(g) in rows]
    else:
        rows = {id(g): dict(enumerate(map(math.log, values_of(g, figure))))
                for g in some}
        few = [g for g in some if len(rows[id(g)]) < stats.CI_MIN]
        left_out += [(g, "too few repetitions") for g in few]
        some = [g for g in some if g not in few]
    if len(some) < 2:
        return Ranked(None, [], [], left_out, None,
                      "fewer than two have %d rounds in common" % stats.CI_MIN)
    return told_apart(some, rows, figure, sign, left_out, paired)


def candidates(groups: Sequence[Group],
               figure: Figure) -> Tuple[List[Group], List[Tuple[Group, str]]]:
    """Returns (groups with values, those without): reads from memory do not measure
    storage."""
    some, left_out = [], []
    reads = "write" not in figure.name
    for group in groups:
        if not values_of(group, figure):
            left_out.append((group, "no value"))
        elif group.is_one_run:
            left_out.append((group, ONE_RUN))
        else:
            some.append(group)
    memory = [g for g in some if reads and 2 * g.from_memory() >= len(g.reports)]
    if len(memory) < len(some):
        left_out += [(g, "reads from memory") for g in memory]
        some = [g for g in some if g not in memory]
    return some, left_out


def values_of(group: Any, figure: Any) -> List[float]:
    return list(group.observations((figure.name, figure.at)).values())


def with_rounds(groups: Sequence[Group], figure: Figure) -> Dict[int, Dict[Any, float]]:
    """Returns {group: {round: logarithm}} of the rounds that all have. Leaves out the
    groups with the fewest rounds until CI_MIN rounds are common; {} if fewer than two
    remain."""
    rows = {id(g): robust.by_round(g, figure) for g in groups}
    rows = {k: row for k, row in rows.items() if len(row) >= stats.CI_MIN}
    while len(rows) > 1:
        common = set.intersection(*map(set, rows.values()))
        if len(common) >= stats.CI_MIN:
            return {k: {at: row[at] for at in common} for k, row in rows.items()}
        every: Dict[Any, int] = {}
        for row in rows.values():
            for at in row:
                every[at] = every.get(at, 0) + 1
        del rows[min(rows, key=lambda k: sum(every[at] for at in rows[k]))]
    return {}


def comparisons(groups: Sequence[Group]) -> int:
    """Returns how many verdicts on headline figures there are beside one baseline: the
    best set is as sure as those."""
    return (len(groups) - 1) * len(compare.headline(compare.select(groups, None)))


def told_apart(groups: Sequence[Group], rows: Dict[int, Dict[Any, float]],
               figure: Figure, sign: int, left_out: List[Tuple[Group, str]],
               paired: bool) -> Ranked:
    order = sorted(groups, key=lambda g: -sign * stats.mean(list(rows[id(g)].values())))
    top, many = order[0], comparisons(groups)
    alike: List[Group] = []
    apart: List[Group] = []
    for group in order[1:]:
        found = difference(rows[id(top)], rows[id(group)], paired)
        assert found    # as all have CI_MIN values
        shown = rules.excludes_one(stats.ratio_of(found, many=many))
        (apart if shown else alike).append(group)
    value = stats.interval(values_of(top, figure))
    return Ranked(top, alike, apart, left_out, value, "")


def difference(ours: Dict[Any, float], theirs: Dict[Any, float],
               paired: bool) -> Optional[stats.Estimate]:
    if paired:
        return robust.estimate({at: ours[at] - theirs[at] for at in ours})
    return stats.welch_estimate(*(list(map(math.exp, side.values()))
                                  for side in (ours, theirs)))
