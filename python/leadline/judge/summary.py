"""Five lines on a program's figure, however many configurations there are: the best,
the worst, the effect of each factor, interactions of two of them, and doubts.
"""
import math
from collections import OrderedDict, namedtuple
from typing import Any, Dict, List, Optional, Sequence

from leadline.base import names, stats
from leadline.judge import (differs, effects, matrix, notes, ranking, robust, rounds,
                            rules)
from leadline.results.groups import Group
from leadline.results.report import Figure

LONGEST = 200     # characters of a line
NAMED = 3         # configurations

Summary = namedtuple("Summary", "program title figure lines")


class Found:
    """Results on one figure of one matrix."""

    def __init__(self, some: matrix.Matrix, figure: Figure,
                 policy: rules.Policy) -> None:
        self.matrix, self.figure, self.policy = some, figure, policy
        self.best = ranking.best(some.groups, figure)
        self.worst = ranking.worst(some.groups, figure)
        self.effects = effects.find(some, figure, policy)
        self.flags = robust.flags(some.groups, figure)
        self.noise = rounds.noise_of(some.groups, figure)

    @property
    def many(self) -> int:
        return (len(self.matrix.groups) - 1) * len(self.matrix.figures())


def found(groups: Sequence[Any], baseline: Optional[str] = None,
          policy: Any = rules.POLICY) -> List[Any]:
    """Returns a Found for each program and series, and headline figure."""
    return [Found(some, figure, policy) for some in matrix.matrices(groups, baseline)
            for figure in some.figures()]


def of(groups: Sequence[Any], baseline: Optional[str] = None,
       policy: rules.Policy = rules.POLICY) -> List[Any]:
    return [summary(one) for one in found(groups, baseline, policy)]


def summary(one: Any) -> Any:
    lines = [best(one), worst(one), factors(one), interactions(one), doubts(one)]
    return Summary(one.matrix.program, title(one), one.figure,
                   [cut(line) for line in lines if line])


def title(one: Any) -> str:
    figure = one.figure
    less = "" if figure.better == "higher" else " (less is better)"
    return "%s %s%s, %d configurations against %s" % (
        one.matrix.program, figure.name, less, len(one.matrix.groups),
        one.matrix.baseline.name)


# ---- pieces ------------------------------------------------------------------


def cut(line: str) -> str:
    return line if len(line) <= LONGEST else line[:LONGEST - 3] + "..."


def fit(begin: str, parts: List[str], more: str, joint: str = "; ") -> str:
    """Joins as many parts as fit on a line; `more`: words for the number of the
    others."""
    for n in range(len(parts), -1, -1):
        end = [more % (len(parts) - n)] if n < len(parts) else []
        line = begin + joint.join(parts[:n] + end)
        if len(line) <= LONGEST:
            return line
    return cut(begin)


def ratio_text(ratio: stats.Interval) -> str:
    """Formats a ratio: 1.26x [1.23, 1.30]."""
    return "%s [%s, %s]" % (factor_text(ratio.centre) + "x", factor_text(ratio.low),
                            factor_text(ratio.high))


def factor_text(value: float) -> str:
    return "%.2f" % value if 0.1 <= value < 10.0 else "%.3g" % value


def value_text(value: Optional[stats.Interval], centre: Optional[float],
               unit: str) -> str:
    if value is None:
        return "%s %s" % (names.rate_text(centre), unit)
    return "%s [%s, %s] %s" % (tuple(names.rate_text(v) for v in value[:3]) + (unit,))


def placed(one: Any, ranked: ranking.Ranked) -> str:
    group = ranked.top
    values = ranking.values_of(group, one.figure)
    return "%s, %s" % (group.name, value_text(
        ranked.value, stats.centre(values), one.figure.unit))


# ---- the lines ---------------------------------------------------------------


def best(one: Any) -> str:
    if not one.best.top:
        return ""
    return with_alike(one, "best: " + placed(one, one.best), one.best)


def worst(one: Any) -> str:
    if not one.worst.top or one.worst.top is one.best.top:
        return ""
    begin = "worst: %s" % placed(one, one.worst)
    factor = between(one)
    if factor:
        begin += ", %s from the best" % ratio_text(factor)
    return with_alike(one, begin, one.worst)


def with_alike(one: Any, begin: str, ranked: ranking.Ranked) -> str:
    if not ranked.alike:
        n = len(ranked.apart)
        return "%s; %s" % (begin, "shown for all %d others" % n if n > 1
                           else "shown for the other one")
    called = [g.name for g in ranked.alike]
    for named in range(NAMED, 0, -1):
        line = "%s; cannot be told from it: %s" % (
            begin, names.common_of(called, named))
        if len(line) <= LONGEST:
            return line
    return "%s; cannot be told from it: %d others" % (begin, len(called))


def between(one: Any) -> Optional[stats.Interval]:
    """Returns the factor between the best and the worst, with an interval that holds
    for any two that might have been picked."""
    n = len(one.best.alike) + len(one.best.apart) + 1
    ours, theirs = (robust.by_round(r.top, one.figure) for r in (one.best, one.worst))
    estimate = robust.estimate({at: ours[at] - theirs[at]
                                for at in ours if at in theirs})
    if not estimate:
        return None
    if estimate.centre < 0.0:
        estimate = stats.negative(estimate)
    return stats.ratio_of(estimate, many=n * (n - 1) // 2 * len(one.matrix.figures()))


def factors(one: Any) -> str:
    if one.effects.why or (len(one.matrix.factors) < 2 and not one.effects.slopes):
        return ""    # of one factor, the verdicts say everything but a slope
    rows: Dict[str, List[effects.Effect]] = OrderedDict()
    for effect in one.effects.effects:
        rows.setdefault(effect.factor.name, []).append(effect)
    slopes = {s.factor.name: s for s in one.effects.slopes}
    full = [factor_part(one, name, some, slopes.get(name), None)
            for name, some in rows.items()]
    if len("factors: " + "; ".join(full)) <= LONGEST:
        return "factors: " + "; ".join(full)
    return fit("factors: ", [factor_part(one, name, some, slopes.get(name), 1)
                             for name, some in rows.items()], "%d more factors")


def factor_part(one: Any, name: str, some: Sequence[effects.Effect],
                slope: Optional[effects.Slope], most: Optional[int]) -> str:
    """Describes a factor: method 68 %: mpiio 1.26x [1.23, 1.30] of posix, uring no
    difference shown."""
    share = one.effects.shares.get(name) if len(one.matrix.factors) > 1 else None
    head = name + (" %.0f %%" % (100.0 * share) if share is not None else "")
    if slope and len(some) > 1:
        return "%s: each doubling %s" % (head, ratio_text(slope.ratio))
    ranked = sorted(some, key=lambda e: -size(e))
    words = [level_text(one, effect, i == 0) for i, effect in enumerate(ranked[:most])]
    if len(ranked) > len(words):
        words.append("%d more" % (len(ranked) - len(words)))
    pairs = "" if one.matrix.complete else " (%d pairs)" % max(e.pairs for e in some)
    return "%s: %s%s" % (head, ", ".join(words), pairs)


def size(effect: effects.Effect) -> float:
    if effect.ratio is None:
        return -1.0
    return abs(math.log(effect.ratio.centre)) + (10.0 if effect.shown else 0.0)


def level_text(one: Any, effect: effects.Effect, first: bool) -> str:
    level = one.matrix.text(effect.factor.name, effect.level)
    base = one.matrix.text(effect.factor.name, effect.base)
    if effect.ratio is None:
        return "%s %s" % (level, effects.few(effect.rounds))
    if effect.shown:
        return "%s %s%s" % (level, ratio_text(effect.ratio),
                            " of " + base if first else "")
    equal = one.policy.equal
    if 1.0 / equal < effect.ratio.low and effect.ratio.high < equal:
        words = "equal within %.4g %%" % (100.0 * (equal - 1.0))
    else:
        words = rules.NONE_SHOWN
    return "%s %s%s" % (level, words, " from " + base if first else "")


def interactions(one: Any) -> str:
    some = [i for i in one.effects.interactions if i.ratio]
    if one.effects.why or not some:
        return ""
    shown = sorted((i for i in some if i.shown),
                   key=lambda i: -abs(math.log(i.ratio.centre)))
    if shown:
        return fit("interactions: ", [interaction_text(one, i) for i in shown],
                   "%d more")
    hidden = max(rules.hidden(i.ratio) for i in some)
    return "interactions: none beyond %.2fx shown (up to %s possible)" % (
        effects.WORTH_SAYING, stats.factor_text(hidden))


def interaction_text(one: Any, found: effects.Interaction) -> str:
    """Describes an interaction: mpiio with 1M 0.93x [0.89, 0.98] of the product of
    their single effects."""
    return "%s with %s %s of what both do apart" % (
        one.matrix.text(found.first.name, found.levels[0]),
        one.matrix.text(found.second.name, found.levels[1]), ratio_text(found.ratio))


# ---- doubts ------------------------------------------------------------------


def doubts(one: Any) -> str:
    parts = [p for p in (standing_out(one), few_rounds(one), what_differed(one),
                         left_out(one)) if p]
    parts += notes.counted(one.matrix.groups, one.figure)
    return fit("doubts: ", parts or ["none that reports tell"], "%d more below")


def standing_out(one: Any) -> str:
    if not one.flags:
        return ""
    first = one.flags[0]
    return "%d run%s out: round %s of %s (%.2gx)" % (
        len(one.flags), " stands" if len(one.flags) == 1 else "s stand", first.at[1],
        first.group.name, first.factor)


def few_rounds(one: Any) -> str:
    if one.noise is None:
        return ""
    n = max(len(robust.by_round(g, one.figure)) for g in one.matrix.groups)
    words = "noise %.2g %%" % (100.0 * one.noise)
    need = rounds.needed(one.policy.equal, one.noise, one.many)
    if need is None or need > n:
        words += ": %d rounds show %s against the baseline, %.2g %% needs %s" % (
            n, rounds.percent(rounds.detectable(n, one.noise, one.many)),
            100.0 * (one.policy.equal - 1.0), need or "more than %d" % rounds.MOST)
    return words


def what_differed(one: Any) -> str:
    if one.matrix.differs is None:
        one.matrix.differs = differs.find(one.matrix.groups)
    fields = [d.field for d in differs.alarming(one.matrix.differs)]
    if not fields:
        return ""
    return "%s differ%s" % (names.common_of(fields, NAMED),
                            "s" if len(fields) == 1 else "")


def left_out(one: Any) -> str:
    if not one.best.left_out:
        return ""
    why: Dict[str, int] = OrderedDict()
    for _, words in one.best.left_out:
        why[words] = why.get(words, 0) + 1
    return "not ranked: " + ", ".join("%d (%s)" % (n, w) for w, n in why.items())


# ---- for programs --------------------------------------------------------------


def bounds(ratio: Optional[stats.Interval]) -> Optional[List[float]]:
    return [ratio.centre, ratio.low, ratio.high] if ratio else None


def tree(one: Any) -> Dict[str, Any]:
    of_effects = one.effects

    def called(groups: Sequence[Group]) -> List[str]:
        return [g.name for g in groups]
    return OrderedDict([
        ("program", one.matrix.program), ("figure", one.figure.name),
        ("title", title(one)), ("lines", summary(one).lines),
        ("baseline", one.matrix.baseline.name),
        ("best", OrderedDict([("top", one.best.top and one.best.top.name),
                              ("alike", called(one.best.alike))])),
        ("worst", OrderedDict([("top", one.worst.top and one.worst.top.name),
                               ("alike", called(one.worst.alike))])),
        ("effects", [OrderedDict([
            ("factor", e.factor.name), ("level", e.level), ("base", e.base),
            ("ratio", bounds(e.ratio)), ("pairs", e.pairs), ("rounds", e.rounds),
            ("shown", e.shown)]) for e in of_effects.effects]),
        ("slopes", [OrderedDict([("factor", s.factor.name), ("ratio", bounds(s.ratio)),
                                 ("rounds", s.rounds)]) for s in of_effects.slopes]),
        ("interactions", [OrderedDict([
            ("factors", [i.first.name, i.second.name]), ("levels", list(i.levels)),
            ("bases", list(i.bases)), ("ratio", bounds(i.ratio)), ("rounds", i.rounds),
            ("shown", i.shown)]) for i in of_effects.interactions]),
        ("shares", of_effects.shares),
        ("pair_shares", OrderedDict((" x ".join(k), v)
                                    for k, v in of_effects.pair_shares.items())),
        ("why", of_effects.why), ("noise", one.noise),
        ("flagged", [robust.flag_text(f) for f in one.flags])])
