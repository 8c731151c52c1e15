"""Tails: percentiles and longest latencies of single transfers, and joint statements on
several of them.

A tail is a figure like any other, with three peculiarities. A percentile is known to
its bucket, so two of them may differ by a bucket although the latencies do not:
intervals of their ratios are wider by that. The longest grows with the number of
transfers. And there are many: eight for a program that reads and writes, so that one of
them often differs by chance. Sentences call better or worse only the tails that
Benjamini and Hochberg keep of all figures that are no headlines.
"""
import re
from collections import OrderedDict, namedtuple
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from leadline.base import stats
from leadline.judge import rules
from leadline.results.groups import Group

TAIL = re.compile(r"(^|\.)(read|write)_(p50|p99|p999|max)_u?s$")
BUCKET = 2.0 ** (1.0 / 16)   # ratio of two neighbouring buckets of latencies
# ratio of transfers up to which longest latencies can be compared
COUNT = 1.1
MOST = 6                     # most configurations that sentences name

# The tails of one configuration against its baseline: lists of rows.
Judged = namedtuple("Judged", "name baseline worse better unsure rest rates")


def is_tail(name: str) -> bool:
    return bool(TAIL.search(name))


def slack(name: str) -> float:
    """Returns the factor by which a value of this figure may differ from the true
    one."""
    return BUCKET if is_tail(name) and not name.endswith("_max_us") else 1.0


def no_value(figure: Any, group: Any) -> str:
    if (figure.name, figure.at) not in group.figures():
        return "no such figure"
    if group.zeros((figure.name, figure.at)):
        return "no rate"
    return "no value of it" + (" (too few transfers)" if is_tail(figure.name) else "")


def totals(figures: Sequence[Any]) -> List[Any]:
    """Returns the tails among the figures: over all phases, or else of each."""
    found = [f for f in figures if is_tail(f.name)]
    return [f for f in found if "." not in f.name] or found


def other_count(name: str, group: Any, baseline: Any) -> str:
    """Returns why longest latencies cannot be compared; "" if they can. Among more
    transfers the longest is longer."""
    if not (is_tail(name) and name.endswith("_max_us")):
        return ""
    ours, theirs = transfers(name, group), transfers(name, baseline)
    if not ours or not theirs or max(ours, theirs) <= COUNT * min(ours, theirs):
        return ""
    return "other number of transfers (%.4g, not %.4g)" % (ours, theirs)


def transfers(name: str, group: Group) -> Optional[float]:
    """Returns the transfers in a phase's repetition, or in all phases: the median over
    the runs; None if unknown."""
    phase, _, figure = name.rpartition(".")
    found = []
    for report in group.reports:
        rows = [s for s in report.samples if s.get("act") == figure.split("_")[0]
                and s.get("calls") and (not phase or s.get("phase") == phase)]
        if rows:
            reps = len(set(s.get("rep") for s in rows))
            found.append(sum(s["calls"] for s in rows) / float(reps))
    return stats.median(found) if found else None


# ---- judged together ---------------------------------------------------------


def judge(rows: Sequence[Any]) -> Optional[Judged]:
    """Judges one configuration's rows; None if no tail could be compared."""
    some = [r for r in rows if is_tail(r.figure.name) and is_judged(r)]
    if not some:
        return None
    worse: List[Any] = []
    better: List[Any] = []
    unsure: List[Any] = []
    rest: List[Any] = []
    for r in some:
        if rules.differs(r.comparison.rule):
            (worse if is_worse(r) else better).append(r)
        elif (r.comparison.rule == rules.NOT_SHOWN
              and rules.excludes_one(r.comparison.ratio)):
            unsure.append(r)
        else:
            rest.append(r)
    rates = [r for r in rows if r.figure.name.endswith("_MBps") and is_judged(r)]
    return Judged(rows[0].group.name, None, by_size(worse), by_size(better),
                  by_size(unsure), rest, rates)


def is_judged(row: Any) -> bool:
    return bool(row.comparison.ratio and row.comparison.rule != rules.ONE_RUN)


def is_worse(row: Any) -> bool:
    return bool((row.comparison.ratio.centre > 1.0) == (row.figure.better == "lower"))


def by_size(rows: Sequence[Any]) -> List[Any]:
    return sorted(rows, key=lambda r: -factor(r))


def factor(row: Any) -> float:
    centre: float = row.comparison.ratio.centre
    return max(centre, 1.0 / centre)


# ---- in words ----------------------------------------------------------------


def sentences(held: Iterable[Any]) -> List[str]:
    """Says what differs in the tails: `held` are (baseline's name, rows) of
    configurations, the worst first."""
    found = [judged._replace(baseline=baseline) for baseline, judged in
             ((name, judge(rows)) for name, rows in held) if judged]
    if not found:
        return few(held)
    differ = [j for j in found if j.worse or j.better or j.unsure]
    differ.sort(key=lambda j: (not j.worse, not j.better,
                               -max(map(factor, j.worse + j.better + j.unsure))))
    out = [sentence(j) for j in differ[:MOST]]
    if len(differ) > MOST:
        out.append("Latencies: %d more configurations differ in one."
                   % (len(differ) - MOST))
    alike = [j for j in found if j not in differ]
    return out + (no_difference(alike) if alike else [])


def sentence(judged: Judged) -> str:
    """Returns a sentence: b against a, latencies: worse in read_p999_us by 3.2x [2.1,
    4.9] ..."""
    parts = ["%s in %s" % (kind, ", ".join(map(by_how_much, rows))) for kind, rows in (
        ("worse", judged.worse), ("better", judged.better)) if rows]
    if judged.unsure:
        parts.append("%s if judged alone; among %d latencies this may be chance" % (
            ", ".join("%s in %s" % ("worse" if is_worse(r) else "better",
                                    by_how_much(r)) for r in judged.unsure),
            compared(judged)))
    words = "%s against %s, latencies: %s" % (judged.name, judged.baseline,
                                              "; ".join(parts))
    hidden = judged.rates and all(r.comparison.ratio.low <= 1.0
                                  <= r.comparison.ratio.high for r in judged.rates)
    return words + (". The rates show no difference." if hidden else ".")


def compared(judged: Judged) -> int:
    return sum(map(len, (judged.worse, judged.better, judged.unsure, judged.rest)))


def by_how_much(row: Any) -> str:
    """Formats a change: read_p999_us by 3.2x [2.1, 4.9], as a ratio of lengths."""
    ratio = row.comparison.ratio
    low, high = ratio.low, ratio.high
    if ratio.centre < 1.0:
        low, high = 1.0 / ratio.high, 1.0 / ratio.low
    at = ", ".join("%s=%s" % pair for pair in row.figure.at)
    return "%s%s by %s [%.3g, %.3g]" % (row.figure.name, " at " + at if at else "",
                                        stats.factor_text(factor(row)), low, high)


def no_difference(alike: Sequence[Any]) -> List[str]:
    """Says how large a difference the other tails may hide."""
    worst = max(max(r.comparison.ratio.high, 1.0 / r.comparison.ratio.low)
                for j in alike for r in j.rest)
    names = [j.name for j in alike]
    more = " and %d more" % (len(names) - MOST) if len(names) > MOST else ""
    return ["Latencies: no difference shown for %s%s (one smaller than %s could have "
            "been missed)." % (", ".join(names[:MOST]), more, stats.factor_text(worst))]


def few(held: Iterable[Any]) -> List[str]:
    """Says why there are no sentences."""
    rows = [r for _, some in held for r in some if is_tail(r.figure.name)]
    if any(r.comparison.verdict.startswith("too few") for r in rows):
        return ["Latencies are not judged: there are fewer than %d repetitions."
                % stats.CI_MIN]
    return []


# ---- missing tails -----------------------------------------------------------


def absent(groups: Sequence[Group]) -> List[str]:
    """Returns one sentence for all tails and configurations with the same number of
    repetitions that had too few transfers."""
    found: Dict[Any, List[str]] = OrderedDict()
    for group in groups:
        counts: Dict[str, Tuple[int, int]] = OrderedDict()
        for report in group.reports:
            for f in report.figures:
                if is_tail(f.name):
                    none, every = counts.get(f.name, (0, 0))
                    counts[f.name] = (none + f.absent, every + f.absent + len(f.reps))
        names: Dict[Tuple[int, int], List[str]] = OrderedDict()
        for name, (none, every) in counts.items():
            if none:
                names.setdefault((none, every), []).append(name)
        for count, some in names.items():
            found.setdefault((count, tuple(some)), []).append(group.name)
    return ["%s: too few transfers for a value in %d of %d repetitions of %s" % (
        ", ".join(names), none, every, listed(some))
        for ((none, every), names), some in found.items()]


def listed(names: Sequence[str]) -> str:
    more = " and %d more" % (len(names) - MOST) if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
