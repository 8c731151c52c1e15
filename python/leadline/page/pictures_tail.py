"""From configurations to pictures of latencies as distributions."""
from collections import OrderedDict
from typing import Any, List, Sequence

from leadline.draw import looks, shapes
from leadline.page import pictures

ACTS = ("write", "read")
MOST = 0.999       # share of the transfers that are shown


def latency(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    known = looks.Looks(groups)
    for program, some in pictures.by_program(groups):
        for act in ACTS:
            found = [(g, buckets(g, act)) for g in some]
            found = [(g, b) for g, b in found if b]
            if found:
                out.append(picture(program, act, some, found, known, len(out) + 1))
    return out


def buckets(group, act):
    """Returns [(upper bound in seconds, transfers)] of all runs of a configuration."""
    sums = {}
    for report in group.reports:
        for row in report.samples:
            if row.get("act") != act:
                continue
            hist = (row.get("latency") or {}).get("hist") or []
            for bound, count in filter(None, hist):  # imported ones may have null
                if bound > 0:
                    sums[bound] = sums.get(bound, 0) + count
    return [(bound, sums[bound]) for bound in sorted(sums) if sums[bound]]


def quantile(found, part):
    """Returns the bound of the bucket that contains a quantile."""
    limit, below = part * sum(n for _, n in found), 0
    for bound, n in found:
        below += n
        if below >= limit:
            return bound
    return found[-1][0]


def picture(program, act, groups, found, known, number):
    shown = chosen(found)
    lines = OrderedDict((g.name, [g]) for g, _ in shown)
    series = [shapes.Series(g.name, points(b), True) for g, b in shown]
    words = ["Each line shows which part of the transfers took at most so long. A step "
             "is a bucket, 4.4 % wide."]
    slowest = max(shown, key=lambda pair: quantile(pair[1], 0.99))
    words.append("Largest p99: %.3g ms, of %s." % (
        1e3 * quantile(slowest[1], 0.99), slowest[0].name))
    if len(shown) < len(found):
        high = len(shown) // 2
        words.append("Of %d configurations, the %d with the smallest and the %d with "
                     "the largest p99 are shown." % (len(found), len(shown) - high,
                                                     high))
    return shapes.Lines(
        "latency-%d" % number, "%s: latencies of single %ss" % (program, act), words,
        "seconds", "part of the transfers", 10, series, [], known.of_lines(lines), (),
        None, "tail", True)


def chosen(found):
    most = pictures.MOST_LINES
    if len(found) <= most:
        return found
    ranked = sorted(found, key=lambda pair: quantile(pair[1], 0.99))
    return ranked[:most - most // 2] + ranked[-(most // 2):]


def points(found):
    """Returns, at each bound up to MOST, the share of the transfers below."""
    total, below = float(sum(n for _, n in found)), 0
    out = [shapes.Point(found[0][0], 0.0, None, None, [], False)]
    for bound, n in found:
        below += n
        out.append(shapes.Point(bound, min(below / total, MOST), None, None, [], False))
        if below / total >= MOST:
            break
    return out
