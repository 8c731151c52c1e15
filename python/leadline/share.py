"""What part of a calibration other runs of the same file system reach."""
import datetime
from collections import namedtuple

from leadline import stats, table

PATTERNS = ("sequential", "random")
FIGURES = ("write_MBps", "read_MBps")
FAR_MINUTES = 60   # a file system may be another one by then

# part: of the calibration's median. minutes: between the two starts, None: unknown.
Share = namedtuple("Share", "group figure part pattern yardstick minutes")


def seconds_utc(text):
    """Of a report's start_utc; None where it is none."""
    try:
        when = datetime.datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None
    return (when - datetime.datetime(1970, 1, 1)).total_seconds()


def minutes_between(a, b):
    times = seconds_utc(a.start_utc), seconds_utc(b.start_utc)
    return None if None in times else abs(times[0] - times[1]) / 60.0


def same_place(report, yardstick):
    """The same hosts, and a file system of the same type and mount options: as much as
    reports tell."""
    return (set(report.host_names()) == set(yardstick.host_names())
            and set(report.file_systems()) & set(yardstick.file_systems()))


def nearest(group, yardsticks):
    """(calibration, minutes) of the same place that is nearest in time."""
    found = []
    for i, yardstick in enumerate(yardsticks):
        if same_place(group.first, yardstick):
            minutes = min((m for m in (minutes_between(r, yardstick)
                                       for r in group.reports) if m is not None),
                          default=None)
            found.append((minutes is None, minutes or 0.0, i, yardstick, minutes))
    return min(found)[3:] if found else (None, None)


def value(report, name):
    for figure in report.figures:
        if (figure.name, figure.at) == (name, ()) and figure.reps:
            return stats.median(figure.reps)
    return None


def shares(groups, yardsticks):
    """Of each group, total, and pattern."""
    out = []
    for group in groups:
        yardstick, minutes = nearest(group, yardsticks)
        for figure in FIGURES if yardstick else ():
            ours = list(group.observations((figure, ())).values())
            for pattern in PATTERNS:
                best = value(yardstick, "%s.%s" % (pattern, figure))
                if ours and best:
                    out.append(Share(group, figure, stats.median(ours) / best, pattern,
                                     yardstick, minutes))
    return out


def name(share):
    return share.figure.replace("_MBps", "")


def notes(groups, yardsticks):
    """Sentences: of each group and total, the share of sequential transfers, and what
    makes it doubtful."""
    if not yardsticks:
        return []
    found = [s for s in shares(groups, yardsticks) if s.pattern == PATTERNS[0]]
    out = []
    for group in groups:
        mine = [s for s in found if s.group is group]
        if mine:
            out.append("%s reaches %s of what blocktransfer got in sequence%s" % (
                group.name, " and ".join(
                    "%.2f (%s)" % (s.part, name(s)) for s in mine),
                doubts(group, mine[0])))
        else:
            out.append("%s: no calibration of its hosts and file system" % group.name)
    return out


def doubts(group, share):
    words = []
    if share.yardstick.ranks != group.first.ranks:
        words.append("with %s ranks, not %s" % (share.yardstick.ranks,
                                                group.first.ranks))
    if share.yardstick.cache != group.first.cache:
        words.append("with another cache policy")
    if share.minutes is None or share.minutes > FAR_MINUTES:
        words.append("at another time" if share.minutes is None
                     else "%.0f minutes apart" % share.minutes)
    return " (" + ", ".join(words) + ")" if words else ""


HEADER = ["configuration", "", "of sequential", "of random", "minutes apart", "ranks"]


def rows(groups, yardsticks):
    """For a table: a row for each group and total."""
    found = {}
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
