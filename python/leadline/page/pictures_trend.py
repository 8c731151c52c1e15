"""From runs to pictures of a figure over time, with the steps that leadline trend
finds."""
import datetime
import time
from collections import OrderedDict
from typing import Any, List, Sequence

from leadline.draw import looks, shapes
from leadline.judge import share, trend
from leadline.judge.compare import figure_title

MOST = 6           # pictures; those with the largest steps
LEAST = 1.02       # steps that are shown
DAY = 86400.0
DATES = 6          # ticks, at most


def history(groups: Sequence[Any]) -> List[Any]:
    reports = sorted((r for g in groups for r in g.reports if r.start_utc),
                     key=lambda r: (r.start_utc, r.path))
    found = [t for t in trend.collect(reports, None, LEAST, trend.GROUPS[:1])
             if len(t.points) >= trend.FEWEST and span(t) > 0]
    ranked = sorted(found, key=lambda t: -max([abs(1 - s.ratio) for s in t.steps]
                                              or [0.0]))
    made = [picture(t, i + 1) for i, t in enumerate(ranked[:MOST])]
    if len(found) > MOST:
        made[-1].words.append("%d more that have as many runs are not drawn; leadline "
                              "trend lists them all." % (len(found) - MOST))
    return made


def seconds(point):
    return share.seconds_utc(point.report.start_utc) or 0.0


def span(t):
    return seconds(t.points[-1]) - seconds(t.points[0])


def picture(t, number):
    single = shapes.Series("run", [shapes.Point(seconds(p), p.value, None, None, [],
                                                False) for p in t.points], False)
    levels = [level(t, begin, end) for begin, end in bounds(t)]
    words = trend.sentences([t]) or ["No step is found in %d runs." % len(t.points)]
    if versions(t):
        words.append("Dashed lines are steps, and where the version changed.")
    looked = {s.name: (looks.OTHER, 0) for s in levels}
    looked["run"] = (0, 0)
    return shapes.Lines(
        "trend-%d" % number, "%s of %s over time" % (figure_title(t.figure), t.name),
        words, "start of the run (UTC)", t.figure.unit, False, [single] + levels,
        flags(t), looked, (), ticks(seconds(t.points[0]), seconds(t.points[-1])))


def bounds(t):
    ends = [0] + [s.at for s in t.steps] + [len(t.points)]
    return list(zip(ends, ends[1:]))


def level(t, begin, end):
    """Of the runs between two steps."""
    some = t.points[begin:end]
    value = trend.middle(some)
    points = [shapes.Point(seconds(p), value, None, None, [], False)
              for p in (some[0], some[-1])]
    return shapes.Series("level" if len(bounds(t)) == 1 else "level %d" % (
        [b for b, _ in bounds(t)].index(begin) + 1), points, True)


def versions(t):
    """[(the first run of another version, the version)]"""
    pairs = zip(t.points, t.points[1:])
    return [(after, after.report.version) for before, after in pairs
            if before.report.version != after.report.version]


def flags(t):
    """Steps with their ratios, and other versions; of one run one flag."""
    texts = OrderedDict()
    for step in t.steps:
        texts.setdefault(seconds(t.points[step.at]), []).append("%.2fx" % step.ratio)
    for point, version in versions(t):
        texts.setdefault(seconds(point), []).append("version %s" % (version or "?"))
    return [(at, ", ".join(texts[at])) for at in sorted(texts)]


def ticks(first, last):
    """{second: date or time}"""
    steps = [n for n in (60, 300, 900, 3600, 4 * 3600, DAY, 2 * DAY, 7 * DAY, 14 * DAY,
                         30 * DAY, 91 * DAY, 365 * DAY) if (last - first) / n <= DATES]
    step = steps[0] if steps else (last - first) / DATES
    form = "%Y-%m-%d" if step >= DAY else "%H:%M" if last - first < DAY else "%d. %H:%M"
    at, out = step * -(-first // step), {}
    while at <= last:
        when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=at)
        out[at] = when.strftime(form)
        at += step
    return out or {first: time.strftime("%Y-%m-%d", time.gmtime(first))}
