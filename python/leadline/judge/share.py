"""Computes what share of a calibration's rates other runs on the same file system
reach.
"""
import datetime
from collections import OrderedDict, namedtuple
from typing import Any, Collection, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats, table
from leadline.results.groups import Group
from leadline.results.report import Report

PATTERNS = ("sequential", "random")
FIGURES = ("write_MBps", "read_MBps")
NAMED = 8          # most configurations in a sentence
FAR_MINUTES = 60   # after this time a file system may have changed

# part: of the calibration's median. minutes: between the two starts, None: unknown.
Share = namedtuple("Share", "group figure part pattern yardstick minutes")


def seconds_utc(text: str) -> Optional[float]:
    """Returns the seconds of a report's start_utc; None if it is invalid."""
    try:
        when = datetime.datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None
    return (when - datetime.datetime(1970, 1, 1)).total_seconds()


def minutes_between(a: Report, b: Report) -> Optional[float]:
    times = seconds_utc(a.start_utc), seconds_utc(b.start_utc)
    return (None if times[0] is None or times[1] is None
            else abs(times[0] - times[1]) / 60.0)


def same_place(report: Report, yardstick: Report) -> bool:
    """True if the hosts are the same, and the file system has the same type and mount
    options: reports do not tell more."""
    return bool(set(report.host_names()) == set(yardstick.host_names())
                and set(report.file_systems()) & set(yardstick.file_systems()))


def nearest(group: Group,
            yardsticks: Sequence[Report]) -> Tuple[Optional[Report], Optional[float]]:
    """Returns (calibration, minutes) of the same place that is nearest in time."""
    found = []
    for i, yardstick in enumerate(yardsticks):
        if same_place(group.first, yardstick):
            minutes = min((m for m in (minutes_between(r, yardstick)
                                       for r in group.reports) if m is not None),
                          default=None)
            found.append((minutes is None, minutes or 0.0, i, yardstick, minutes))
    return min(found)[3:] if found else (None, None)


def value(report: Report, name: str) -> Optional[float]:
    for figure in report.figures:
        if (figure.name, figure.at) == (name, ()) and figure.reps:
            return stats.median(figure.reps)
    return None


def shares(groups: Sequence[Group], yardsticks: Sequence[Report]) -> List[Share]:
    """Returns the shares for each group, total, and pattern."""
    out = []
    for group in groups:
        yardstick, minutes = nearest(group, yardsticks)
        if yardstick is None:
            continue
        for figure in FIGURES:
            ours = list(group.observations((figure, ())).values())
            for pattern in PATTERNS:
                best = value(yardstick, "%s.%s" % (pattern, figure))
                if ours and best:
                    out.append(Share(group, figure, stats.median(ours) / best, pattern,
                                     yardstick, minutes))
    return out


def name(share: Share) -> str:
    return str(share.figure).replace("_MBps", "")


def by_yardstick(groups: Sequence[Group],
                 yardsticks: Sequence[Report]) -> Collection[List[Share]]:
    """Returns lists of shares of sequential transfers: one for each figure and
    calibration."""
    found: Dict[Tuple[str, int], List[Share]] = OrderedDict()
    for share in shares(groups, yardsticks):
        if share.pattern == PATTERNS[0]:
            found.setdefault((share.figure, id(share.yardstick)), []).append(share)
    return found.values()


def summary(groups: Sequence[Any], yardsticks: Sequence[Any]) -> List[str]:
    """Returns sentences with the range of shares."""
    out = []
    for some in by_yardstick(groups, yardsticks):
        parts = [s.part for s in some]
        out.append("Of %s, these runs reach %s%s." % (
            plain(some[0]), "%.2f to %.2f" % (min(parts), max(parts))
            if len(parts) > 1 else "%.2f" % parts[0], doubts(some)))
    return out


def notes(groups: Sequence[Any], yardsticks: Sequence[Any]) -> List[str]:
    """Returns sentences with the share that each configuration reaches."""
    out = []
    for some in by_yardstick(groups, yardsticks):
        more = ", and %d more" % (len(some) - NAMED) if len(some) > NAMED else ""
        out.append("of %s reach: %s%s%s" % (
            plain(some[0]), ", ".join("%s %.2f" % (s.group.name, s.part)
                                      for s in some[:NAMED]), more, doubts(some)))
    if yardsticks:
        held = set(id(s.group) for s in shares(groups, yardsticks))
        out += ["%s: there is no calibration of its hosts and file system" % g.name
                for g in groups if id(g) not in held
                and any(g.observations((figure, ())) for figure in FIGURES)]
    return out


def plain(share: Share) -> str:
    """Describes the yardstick in words."""
    return "blocktransfer's %s to %s in sequence on %s ranks" % (
        table.number(value(share.yardstick, "%s.%s" % (share.pattern, share.figure)))
        + " MB/s", name(share), share.yardstick.ranks)


def doubts(some: Sequence[Share]) -> str:
    """Returns reasons to doubt the shares of one calibration."""
    words = []
    if any(s.group.first.ranks != s.yardstick.ranks for s in some):
        words.append("not all with as many ranks")
    if any(s.group.first.cache != s.yardstick.cache for s in some):
        words.append("not all with its cache policy")
    far = [s.minutes for s in some if s.minutes is None or s.minutes > FAR_MINUTES]
    if far:
        words.append("measured at another time" if None in far
                     else "measured up to %.0f minutes apart" % max(far))
    return " (" + "; ".join(words) + ")" if words else ""


HEADER = ["configuration", "", "of sequential", "of random", "minutes apart", "ranks"]


def rows(groups: Sequence[Any], yardsticks: Sequence[Any]) -> List[List[str]]:
    """Returns a row for each group and total, for a table."""
    found: Dict[Any, Any] = {}
    for share in shares(groups, yardsticks):
        found.setdefault((share.group.name, name(share)), {})[share.pattern] = share
    out = []
    for (configuration, figure), of in found.items():
        some = next(iter(of.values()))
        parts = ["%.2f" % of[p].part if p in of else "-" for p in PATTERNS]
        out.append([configuration, figure] + parts + [
            table.number(some.minutes and round(some.minutes, 1)),
            "%s, %s" % (some.group.first.ranks, some.yardstick.ranks)])
    return out
