"""A second opinion that single runs cannot sway, and the flags of such runs.

A run is flagged if it is farther from the value expected of its configuration and its
round than FAR times the usual residual of a median polish (Tukey). Only for pairs that
hold a flagged run the opinion is computed, which is the trimmed mean of the rounds'
ratios (Yuen). Nothing is dropped from the figures themselves.
"""
import math
from collections import namedtuple
from typing import Any, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats
from leadline.results.groups import Group
from leadline.results.report import Figure

FAR = 6.0
SWEEPS = 8            # iterations of the median polish
TRIM = 0.2            # share of the rounds cut at either end
LEAST_SPREAD = 0.002  # least scale, so that figures that hardly vary are not flagged
PER_SIGMA = 1.4826    # standard deviation of a normal sample, per median distance

# at: (series, round); residual: of the logarithm; factor: of the median of its others.
Flag = namedtuple("Flag", "group at report residual factor")
Opinion = namedtuple("Opinion", "ratio hodges_lehmann flags")


# ---- rounds ------------------------------------------------------------------


def by_round(group: Any, figure: Any) -> Dict[Any, float]:
    """Returns {(series, round): logarithm of the figure}, without runs that have no
    round."""
    found = group.observations((figure.name, figure.at))
    return {at: math.log(v) for at, v in found.items() if at[0] not in ("rep", "run")}


def estimate(logs: Dict[Any, float], seed: int = 0) -> Optional[stats.Estimate]:
    """Estimates the mean of differences {(series, round): logarithm}; in two levels if
    several runs made them."""
    runs: Dict[Any, List[float]] = {}
    for at in sorted(logs):
        runs.setdefault(at[0], []).append(logs[at])
    return stats.estimate_of_runs(list(runs.values()), seed)


def polished(table: Dict[Any, float]) -> Tuple[Dict[Any, float], int]:
    """Returns the residuals {(row, column): r} of a table of the same form, by median
    polish."""
    left = dict(table)
    lines: List[Dict[Any, List[Any]]] = [{}, {}]
    for cell in left:
        for side in (0, 1):
            lines[side].setdefault(cell[side], []).append(cell)
    for _ in range(SWEEPS):
        for line in lines:
            for cells in line.values():
                middle = stats.median([left[c] for c in cells])
                for cell in cells:
                    left[cell] -= middle
    return left, len(lines[0]) + len(lines[1]) - 1


def residual_scale(residuals: Dict[Any, float], free: int) -> float:
    """Returns the usual size of residuals, of which `free` are 0 by construction."""
    sizes = sorted(map(abs, residuals.values()))[free:]
    return max(PER_SIGMA * stats.median(sizes), LEAST_SPREAD) if sizes else math.inf


def flags(groups: Sequence[Group], figure: Figure) -> List[Flag]:
    """Returns the runs that stand out, the farthest first."""
    every = [by_round(group, figure) for group in groups]
    rows = {i: row for i, row in enumerate(every) if len(row) > 1}
    if len(rows) < 2:
        return []
    residuals, free = polished({(i, at): y for i, row in rows.items()
                                for at, y in row.items()})
    limit = FAR * residual_scale(residuals, free)
    found = [cell for cell, r in residuals.items() if abs(r) > limit]
    if len(rows) == 2:   # a run and its partner have the same residual
        found = [cell for cell in found if farther(cell, rows)]
    return [flag(groups[i], at, residuals[i, at], rows[i]) for i, at in
            sorted(found, key=lambda cell: -abs(residuals[cell]))]


def farther(cell: Tuple[int, Any], rows: Dict[int, Dict[Any, float]]) -> bool:
    """True if a run is farther from its configuration's median than its partner."""
    i, at = cell
    off = {k: abs(row[at] - stats.median(list(row.values())))
           for k, row in rows.items() if at in row}
    return off[i] == max(off.values())


def flag(group: Group, at: Any, residual: float, row: Dict[Any, float]) -> Flag:
    others = stats.median([y for k, y in row.items() if k != at])
    report = next((r for r in group.reports if (r.series_id, r.round) == at), None)
    return Flag(group, at, report, residual, math.exp(row[at] - others))


# ---- the opinion -------------------------------------------------------------


def trimmed_estimate(logs: Sequence[float]) -> Optional[stats.Estimate]:
    """Returns Yuen's trimmed mean of differences, one per round; None below
    stats.CI_MIN."""
    n = len(logs)
    if n < stats.CI_MIN:
        return None
    ordered, cut = sorted(logs), int(TRIM * n)
    inner = ordered[cut:n - cut]
    winsorised = [min(max(v, inner[0]), inner[-1]) for v in ordered]
    error = math.sqrt(stats.variance(winsorised)) / (
        (1.0 - 2.0 * cut / n) * math.sqrt(n))
    return stats.Estimate(stats.mean(inner), error, n - 2 * cut - 1, n)


def hodges_lehmann(logs: Sequence[float]) -> float:
    """Returns the median of the means of all pairs, including each value with
    itself."""
    return math.exp(stats.median([(a + b) / 2.0 for i, a in enumerate(logs)
                                  for b in logs[i:]]))


def opinion(ours: Dict[Any, float], theirs: Dict[Any, float],
            some: Sequence[Flag]) -> Optional[Opinion]:
    """Compares the rounds of two configurations, of which `some` runs are flagged."""
    logs = [ours[at] - theirs[at] for at in ours if at in theirs]
    found = trimmed_estimate(logs)
    return Opinion(stats.ratio_of(found), hodges_lehmann(logs), some) if found else None


def flag_text(found: Any) -> str:
    """Formats a flag: round 4 of posix-shared (0.13 of its others)."""
    return "round %s of %s (%.2g of its others)" % (found.at[1], found.group.name,
                                                    found.factor)


def flags_text(some: Sequence[Any]) -> str:
    more = " and %d more" % (len(some) - 2) if len(some) > 2 else ""
    return " and ".join(map(flag_text, some[:2])) + more
