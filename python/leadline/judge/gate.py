"""leadline compare --fail-if-slower: reports by the exit status whether anything became
slower.

Slowness is the factor by which a figure of a configuration is worse than before, with
one-sided bounds that hold at 95 % for all of them together (Sidak). A figure fails if
its lower bound is above 1 and its slowness at least the limit. It passes if its upper
bound is below the limit. Otherwise more rounds are needed.
"""
import argparse
import math
from collections import OrderedDict, namedtuple
from typing import Any, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats, table
from leadline.base.errors import FAILED, LeadlineError, usage
from leadline.base.options import option
from leadline.judge import compare, rounds, rules, tails
from leadline.results import report as reports
from leadline.results.groups import Group

FAILS, PASSES, UNSURE, NOT_COMPARABLE = "fails", "passes", "unsure", "not comparable"
SLOWER, OPEN = 3, 4    # exit statuses, besides 0, 1 and 2
STATUS = OrderedDict([(FAILS, SLOWER), (NOT_COMPARABLE, FAILED), (UNSURE, OPEN),
                      (PASSES, 0)])

# `slowness`, `low`, `high`: None if there is none; `words`: why.
Judged = namedtuple("Judged", "row state slowness low high words")


def percent(text: str) -> Optional[float]:
    """Parses 5% or 5 as a factor, 1.05."""
    try:
        value = float(text[:-1] if text.endswith("%") else text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 100.0:
        raise argparse.ArgumentTypeError("%s is not above 0 %% and below 100 %%" % text)
    return 1.0 + value / 100.0


OPTIONS = [
    option("--fail-if-slower PERCENT",
           "exit with 3 if a figure became slower by at least this, for example 5%, "
           "and with 4 if that is not certain; with two REPORTs, configurations of the "
           "same name are compared",
           "Makes the exit status say whether anything became slower. Two REPORTs "
           "without `--baseline` and `--against` are before and after. Without "
           "`--figure` the rates over all phases are judged. A figure `fails` if the "
           "lower bound of its slowness (95 % for all together) is above 1 and the "
           "slowness at least the limit; it `passes` if the upper bound is below the "
           "limit; otherwise, with fewer than 6 repetitions, and with a single run on "
           "one side, it is `unsure`.",
           type=percent),
    option("--unsure",
           "with --fail-if-slower: what to do if the answer is not certain (default: "
           "fail)",
           "With `--fail-if-slower`: {choices}. With `pass`, exits with 0 instead of 4 "
           "if nothing fails and something is unsure.",
           choices=["fail", "pass"], default="fail"),
]


# ---- pairs -------------------------------------------------------------------


def pairs(groups: Any, paths: Sequence[str]) -> List[Tuple[Group, Group]]:
    """Returns (baseline, configuration) of two reports or directories, matched by
    name."""
    sides = [OrderedDict((plain_name(g), g) for g in groups if g.source == path)
             for path in paths]
    if paths[0] == paths[1]:
        sides[1].clear()
    for side, path in zip(sides, paths):
        if not side:
            raise LeadlineError("nothing to compare: no valid report in %s that is not "
                                "in the other" % path)
    if all(len(side) == 1 for side in sides):
        return [(list(sides[0].values())[0], list(sides[1].values())[0])]
    for side, other, path in ((sides[0], sides[1], paths[1]),
                              (sides[1], sides[0], paths[0])):
        missing = [name for name in side if name not in other]
        if missing:
            raise usage("no configuration of %s is called %s" % (path, missing[0]),
                        todo="Say with --baseline or --against what is to be compared")
    return [(before, sides[1][name]) for name, before in sides[0].items()]


def plain_name(group: Group) -> str:
    first = group.first
    return first.config or first.label or reports.stem(first.path)


def rows(groups: Sequence[Any], paths: Sequence[str], patterns: Sequence[str],
         policy: Any = rules.POLICY) -> Optional[List[Any]]:
    """Returns rows like compare.rows, for two reports or directories."""
    found, figures = pairs(groups, paths), compare.select(groups, patterns)
    return compare.judged([
        row for figure in figures for before, after in found
        for row in (compare.row(figure, before, before),
                    compare.row(figure, after, before, strict=policy.strict))],
        policy, compare.headline(figures, patterns))


# ---- the verdict -------------------------------------------------------------


def judge(some: Sequence[Any], limit: float) -> List[Judged]:
    """Judges the rows that compare made; those of the baseline are skipped."""
    held = [r for r in some if r.comparison.verdict != compare.BASELINE]
    many = sum(r.comparison.estimate is not None for r in held)
    return [judge_row(r, limit, many) for r in held]


def judge_row(row: compare.Row, limit: float, many: int) -> Judged:
    found = row.comparison.estimate
    if found is None:
        few = row.comparison.rule in (rules.TOO_FEW, rules.ONE_RUN)
        return Judged(row, UNSURE if few else NOT_COMPARABLE, None, None, None,
                      row.comparison.verdict)
    slow = slowness(found, row.figure.better, many, tails.slack(row.figure.name))
    return Judged(row, decide(slow, limit), slow[0], slow[1], slow[2],
                  "by %.2fx [%.2f, %.2f]" % slow)


def slowness(found: stats.Estimate, better: str, many: int,
             slack: float = 1.0) -> Tuple[float, float, float]:
    """Returns (factor, lower bound, upper bound) of an Estimate, one of `many`."""
    loss, gain = stats.negative(found), found
    if better != "higher":
        loss, gain = gain, loss
    return (math.exp(loss.centre), math.exp(stats.lower_bound(loss, many)) / slack,
            slack / math.exp(stats.lower_bound(gain, many)))


def decide(slow: Tuple[float, float, float], limit: float) -> str:
    factor, low, high = slow
    if low > 1.0 and factor >= limit:
        return FAILS
    return PASSES if high < limit else UNSURE


def of_all(judged: Sequence[Judged]) -> str:
    """Returns the first state of STATUS that occurs; nothing to judge is no pass."""
    states = set(j.state for j in judged)
    return next((s for s in STATUS if s in states), NOT_COMPARABLE)


def status(judged: Sequence[Judged], unsure_passes: bool = False) -> int:
    state = of_all(judged)
    return 0 if state == UNSURE and unsure_passes else STATUS[state]


def sentence(judged: Sequence[Judged], limit: float) -> str:
    """Returns the last line, which says what decided."""
    state = of_all(judged)
    some = [j for j in judged if j.state == state]
    if not some:
        return "not comparable: there is no figure to compare"
    worst = max(some, key=lambda j: j.slowness or 0.0)
    end = ", limit %.4g %%" % (100.0 * (limit - 1.0))
    more = " (and %d more)" % (len(some) - 1) if len(some) > 1 else ""
    what = "%s of %s" % (compare.figure_title(worst.row.figure), worst.row.group.name)
    if state == FAILS:
        return "slower: %s %s%s%s" % (what, worst.words, end, more)
    if state == PASSES:
        return "passes: at worst %s is slower %s%s" % (what, worst.words, end)
    if state == UNSURE and worst.slowness is not None:
        return "unsure: %s may be slower %s%s%s. %s" % (what, worst.words, end, more,
                                                        what_decides(some, limit))
    return "%s: %s: %s%s" % (state, what, worst.words, more)


def what_decides(unsure: Sequence[Judged], limit: float) -> str:
    """Says how many rounds, and seconds, would decide the unsure ones, if their middles
    stay where they are."""
    halves = [half_that_decides(j.slowness, limit) for j in unsure if j.slowness]
    need = [fewest_rounds(j, limit, len(unsure)) for j in unsure if j.slowness]
    count = None if None in need else max(n for n in need if n)
    have = max(j.row.comparison.estimate.n for j in unsure if j.slowness)
    seconds = [r.wall_s for j in unsure[:1] for g in (
        j.row.group, j.row.comparison.baseline) for r in g.reports if r.wall_s]
    about = (", about %.0f s of runs," % (2 * stats.median(seconds) * (count - have))
             if count and seconds else "")
    return ("%s%s would decide: leadline sweep --until=%.2g%%, or --compare, if one "
            "run can have both") % (
        "More than %d rounds" % rounds.MOST if count is None
        else table.plural(count - have, "more round"), about,
        100.0 * (math.exp(min(halves)) - 1.0))


def half_that_decides(slow: float, limit: float) -> float:
    """Returns the half-width, of logarithms, below which this slowness passes or
    fails."""
    return math.log(slow) if slow >= limit else math.log(limit / slow)


def fewest_rounds(one: Judged, limit: float, many: int) -> Optional[int]:
    found = one.row.comparison.estimate
    noise = found.error * math.sqrt(found.n)
    half = half_that_decides(one.slowness, limit) - math.log(
        tails.slack(one.row.figure.name))
    return rounds.fewest(lambda n: n > found.n and stats.sidak_quantile(
        many, n - 1) * noise / math.sqrt(n) < half)


def tree(judged: Sequence[Judged], limit: float) -> Dict[str, Any]:
    return OrderedDict([
        ("limit", limit), ("state", of_all(judged)),
        ("sentence", sentence(judged, limit)),
        ("rows", [OrderedDict([
            ("figure", compare.figure_title(j.row.figure)),
            ("configuration", j.row.group.name), ("state", j.state),
            ("slowness", j.slowness), ("low", j.low), ("high", j.high)])
            for j in judged])])
