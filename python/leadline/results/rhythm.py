"""Finds what the order of repetitions tells: a rhythm of the device, an effect of the
place in the round, and what one configuration leaves behind for the next.

Works on logarithms of the headline figures, less the mean of their configuration.
"""
import cmath
import math
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats
from leadline.base.names import unit_of
from leadline.results import comparison, report as reports

FEWEST = 32         # repetitions in which a rhythm is looked for
FINER = 3           # frequencies for each that N values can tell apart
AROUND = 8          # frequencies on either side, whose median is the background
CHANCE = 0.0001     # that the highest of all lines stands out so much
CLEARER = 1.5
WORTH_SAYING = 1.02

# One repetition. `series`: of the run or sweep; `moved`: bytes up to its middle (None:
# unknown); `rest`: its residual.
Turn = namedtuple("Turn", "series group round place moved seconds rest")
Line = namedtuple("Line", "period times")    # `times`: of the background


# ---- residuals ---------------------------------------------------------------


def turns(groups: Sequence[Any], figures: Sequence[Any]) -> Dict[str, List[Turn]]:
    """Returns {series: its repetitions in the order in which they ran}."""
    found: Dict[str, List[Turn]] = OrderedDict()
    before: Dict[int, Any] = {}
    for group, rest in zip(groups, residuals(groups, figures)):
        for run in group.reports:
            at = (run.series_id, run.round)
            if run.round is None or at not in rest:
                continue
            moved = bytes_before(run, before)
            begin = reports.milliseconds(run.start_utc)
            found.setdefault(run.series_id, []).append(Turn(
                run.series_id, group, run.round, run.turn, moved,
                None if begin is None else begin / 1000.0, rest[at]))
    for some in found.values():
        some.sort(key=lambda t: (t.seconds or 0.0, t.round, t.place or 0))
    return found


def residuals(groups: Sequence[Any], figures: Sequence[Any]) -> List[Dict[Any, float]]:
    """Returns {(series, round): mean residual of the figures} of each group; above 0 is
    faster."""
    out = []
    for group in groups:
        sums: Dict[Any, List[float]] = {}
        for figure in figures:
            sign = 1.0 if figure.better == "higher" else -1.0
            row = {at: sign * math.log(v) for at, v in
                   group.observations((figure.name, figure.at)).items()
                   if at[0] not in ("rep", "run")}
            centre = stats.mean(list(row.values())) if row else 0.0
            for at, y in row.items():
                sums.setdefault(at, []).append(y - centre)
        out.append({at: stats.mean(ys) for at, ys in sums.items()})
    return out


def bytes_before(run: Any, known: Dict[int, Any]) -> Optional[float]:
    """Returns the bytes that its comparison moved up to the middle of a repetition."""
    if run.arms_of is None:
        return None
    if id(run.arms_of) not in known:
        total, table = 0.0, {}
        for at, place, _, _, _, moved in comparison.turns(run.arms_of.comparison):
            table[at, place] = total + moved / 2.0
            total += moved
        known[id(run.arms_of)] = table
    found: Optional[float] = known[id(run.arms_of)].get((run.round, run.turn))
    return found


# ---- a rhythm ----------------------------------------------------------------


def line_of(places: Sequence[float], rests: Sequence[float]) -> Optional[Line]:
    """Returns the highest line of the periodogram over `places`, if it stands out from
    the background; None if chance would do as much, guarded for the number of
    frequencies."""
    n, span = len(rests), places[-1] - places[0]
    if n < FEWEST or span <= 0.0:
        return None
    steps = range(2 * FINER, n * FINER // 2 + 1)
    by_drift = slow_part(rests)
    # k / FINER periods in n repetitions, whose mean distance is span / (n - 1)
    powers = [power_at(places, rests, k * (n - 1.0) / (n * FINER * span))
              / by_drift(k / float(n * FINER)) for k in steps]
    whole = stats.median(powers)
    heights = []
    for i, power in enumerate(powers):
        near = powers[max(0, i - AROUND * FINER):i + AROUND * FINER + 1]
        usual = max(whole, stats.median(near)) / math.log(2.0)
        heights.append(power / usual if usual > 0.0 else 0.0)
    best = max(heights)
    if n * math.exp(-best) > CHANCE:
        return None
    k = steps[heights.index(best)]
    return Line(n * FINER * span / (k * (n - 1.0)), best)


def power_at(places: Sequence[float], rests: Sequence[float],
             frequency: float) -> float:
    turn = -2j * math.pi * frequency
    return abs(sum(y * cmath.exp(turn * x) for x, y in zip(places, rests))) ** 2


def slow_part(rests: Sequence[float]) -> Callable[[float], float]:
    """Returns the spectrum of slow drift: of a first-order autoregression."""
    whole = math.fsum(y * y for y in rests)
    r = math.fsum(a * b for a, b in zip(rests, rests[1:])) / whole if whole else 0.0
    return lambda f: 1.0 / (1.0 - 2.0 * r * math.cos(2.0 * math.pi * f) + r * r)


def rhythm(some: Sequence[Turn], what: str) -> str:
    """Says in which rhythm the device alternates, by work or by time; "" if it does not
    show one."""
    rests = without_places(some)
    lines = []
    if all(t.moved is not None for t in some):
        lines.append((line_of([t.moved for t in some], rests), "bytes"))
    else:
        lines.append((line_of([float(i) for i in range(len(some))], rests), "runs"))
    if all(t.seconds is not None for t in some):
        lines.append((line_of([t.seconds for t in some], rests), "time"))
    found = [(line, by) for line, by in lines if line]
    if not found:
        return ""
    # By time only if that is clearer, as both tell of one rhythm.
    line, by = max(found, key=lambda pair: pair[0].times * (
        1.0 if pair[1] == "time" else CLEARER))
    spans: Dict[str, Callable[[Turn], float]] = {
        "bytes": lambda t: float(t.moved), "time": lambda t: float(t.seconds),
        "runs": lambda t: float(some.index(t))}
    each = (spans[by](some[-1]) - spans[by](some[0])) / (len(some) - 1.0)
    words = "the device alternates every %.2g %s" % (line.period / each, what)
    if by == "bytes":
        unit, size = unit_of(line.period)
        words += " (every %.3g %s)" % (line.period / size, unit)
    elif by == "time":
        words += " (every %.2g s)" % line.period
    return words + ": such a rhythm does not favour a configuration, as the order in " \
        "a round is drawn, but it widens the intervals"


def without_places(some: Sequence[Turn]) -> List[float]:
    """Returns the residuals less the mean of their place in the round, which is no
    rhythm of the device."""
    places: Dict[Any, List[float]] = {}
    for turn in some:
        places.setdefault(turn.place, []).append(turn.rest)
    means = {place: stats.mean(rests) for place, rests in places.items()}
    return [turn.rest - means[turn.place] for turn in some]


# ---- the place in the round, and what ran before -------------------------------


def whole_rounds(some: Sequence[Turn]) -> List[List[Turn]]:
    """Returns the rounds that have all configurations, with the residuals less the mean
    of their round."""
    lines: Dict[Any, List[Turn]] = OrderedDict()
    for turn in some:
        lines.setdefault(turn.round, []).append(turn)
    most = max(map(len, lines.values()))
    out = []
    for line in lines.values():
        if len(line) == most and all(t.place is not None for t in line):
            centre = stats.mean([t.rest for t in line])
            out.append([t._replace(rest=t.rest - centre) for t in line])
    return out


def shown(logs: Sequence[float], many: int) -> Optional[stats.Interval]:
    """Returns the factor, if it is shown and worth saying."""
    found = stats.mean_estimate(logs)
    ratio = stats.ratio_of(found, many=many) if found else None
    if not ratio or ratio.low <= 1.0 <= ratio.high:
        return None
    return ratio if max(ratio.centre, 1.0 / ratio.centre) > WORTH_SAYING else None


def by_place(lines: Sequence[Sequence[Turn]]) -> List[str]:
    """Says which places in the round are faster or slower than the others."""
    found = []
    for place in range(len(lines[0]) if lines else 0):
        k = float(len(lines[0]))
        logs = [t.rest * k / (k - 1.0) for line in lines for t in line
                if t.place == place and k > 1.0]
        ratio = shown(logs, int(k))
        if ratio:
            found.append("%d (%.3gx)" % (place + 1, ratio.centre))
    return ["what runs at some places of a round is faster or slower than at the "
            "others, whatever it is: place %s" % ", ".join(found)] if found else []


def carried(some: Sequence[Turn], lines: Sequence[Sequence[Turn]]) -> List[str]:
    """Says after which configurations the next one is faster or slower."""
    before = {(b.round, b.place): a for a, b in zip(some, some[1:])}
    groups = list(OrderedDict((id(t.group), t.group) for t in some).values())
    out = []
    for group in groups if len(groups) > 1 else []:
        factor = effect_of(group, before, lines, len(groups))
        if factor and max(factor, 1.0 / factor) > WORTH_SAYING:
            out.append("what runs just after %s is %.3g times as fast as after others: "
                       "it leaves the storage in another state" % (group.name, factor))
    return out


def effect_of(group: Any, before: Dict[Any, Turn], lines: Sequence[Sequence[Turn]],
              many: int) -> Optional[float]:
    """Regresses the residuals on having `group` before, both less the means of rounds
    and configurations; None if the effect may be chance."""
    cells: List[Tuple[Any, float, float]] = []
    for line in lines:
        marks = [float((t.round, t.place) in before
                       and before[t.round, t.place].group is group) for t in line]
        cells += [(t.group, m - stats.mean(marks), t.rest)
                  for t, m in zip(line, marks)]
    columns: Dict[int, List[Tuple[float, float]]] = {}
    for one, x, y in cells:
        columns.setdefault(id(one), []).append((x, y))
    pairs = []
    for column in columns.values():
        x0, y0 = (stats.mean([pair[i] for pair in column]) for i in (0, 1))
        pairs += [(x - x0, y - y0) for x, y in column]
    xx = math.fsum(x * x for x, _ in pairs)
    xy = math.fsum(x * y for x, y in pairs)
    yy = math.fsum(y * y for _, y in pairs)
    df = (len(lines) - 1) * (many - 1) - 1
    if len(lines) < stats.CI_MIN or df < 1 or xx <= 0.5:
        return None
    error = math.sqrt(max(yy - xy * xy / xx, 0.0) / df / xx)
    if abs(xy / xx) <= stats.sidak_two_sided(many, df) * error:
        return None
    return math.exp(xy / xx)


def sentences(groups: Sequence[Any], figures: Sequence[Any]) -> List[str]:
    out = []
    for some in turns(groups, figures).values():
        inside = some[0].place is not None
        told = [rhythm(some, "repetitions" if inside else "runs")]
        lines = whole_rounds(some) if inside else []
        told += by_place(lines) + carried(some, lines)
        out += [words for words in told if words and words not in out]
    return out
