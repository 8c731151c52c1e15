"""From runs to pictures of a figure over time, with the steps that leadline trend
finds."""
import datetime
import time

from leadline import looks, shapes, share, trend
from leadline.compare import figure_title

MOST = 6           # pictures; those with the largest steps
LEAST = 1.02       # steps that are shown
DAY = 86400.0
DATES = 6          # ticks, at most
VERSIONS = "Marks on the axis say where the version changed: %s."


def history(groups):
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
    flags = [(seconds(t.points[s.at]), "%.2fx" % s.ratio) for s in t.steps]
    words = trend.sentences([t]) or ["No step is found in %d runs." % len(t.points)]
    changes = versions(t)
    if changes:
        words.append("The version changed: %s." % "; ".join(changes))
    looked = {s.name: (looks.OTHER, 0) for s in levels}
    looked["run"] = (0, 0)
    return shapes.Lines(
        "trend-%d" % number, "%s of %s over time" % (figure_title(t.figure), t.name),
        words, "start of the run (UTC)", t.figure.unit, False, [single] + levels, flags,
        looked, (), ticks(seconds(t.points[0]), seconds(t.points[-1])))


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
    out = []
    for before, after in zip(t.points, t.points[1:]):
        if before.report.version != after.report.version:
            out.append("%s, from %s to %s" % (trend.day(after), before.report.version
                                              or "?", after.report.version or "?"))
    return out


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
