"""From configurations to pictures of outcore text: the figures of the 2007 study's
chapter 4 that show bytes over time, module by module."""
from typing import Any, List, Sequence

from leadline.draw import shapes

MODULES = ["m%d" % m for m in range(1, 9)]
ACTS = [("read", "read"), ("write", "written")]
SLICES = 200   # of the run, as in the study's Figures 4.4 and 4.5
MARKS = 80     # of a line that only rises


def text(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    for group in groups:
        starts, found = transfers(group.first)
        if not found:
            continue
        end = max(second for rows in found.values() for second, _ in rows)
        flags = [(at, module) for module, at in starts]
        out.append(cumulative(group, len(out) + 1, found, flags))
        out.append(slices(group, len(out) + 1, found, flags, end))
    return out


def rows_of(report):
    """Samples of the modules in the first repetition."""
    if report.program != "outcore text":
        return []
    return [row for row in report.samples
            if row.get("phase") in MODULES and row.get("rep") == 1]


def transfers(report):
    """When each module begins; {what was done: [(second, MB)] in order}, of all ranks.
    Seconds are those of the phases, one after another."""
    starts, found, now = [], {}, 0.0
    rows = rows_of(report)
    for module in MODULES:
        of = {row.get("act"): row for row in rows if row.get("phase") == module}
        if "wall" not in of:
            return [], {}
        starts.append((module, now))
        for act, name in ACTS:
            found.setdefault(name, []).extend(
                (now + second, MB) for second, MB in in_slots(of.get(act)))
        now += of["wall"]["max_s"]
    return starts, found


def in_slots(row):
    """(second at the end, MB) of the slots of a row's series."""
    series = (row or {}).get("series") or {}
    slot = series.get("slot_s") or 0.0
    return [((i + 1) * slot, n / 1e6) for i, n in enumerate(series.get("bytes") or [])
            if n]


def line(name, xy):
    return shapes.Series(name, [shapes.Point(x, y, None, None, [], False)
                                for x, y in xy], True)


def cumulative(group, number, found, flags):
    series, sums = [], {}
    for name, rows in found.items():
        total, xy = 0.0, [(0.0, 0.0)]
        for second, MB in sorted(rows):
            total += MB
            xy.append((second, total))
        xy = xy[:1] + xy[1:-1][::len(xy) // MARKS + 1] + xy[-1:]
        series.append(line(name, xy))
        sums[name] = total
    words = ["%s: %s." % (group.name, ", ".join("%.1f MB %s" % (sums[n], n)
                                                for n in sums))]
    if sums.get("written"):
        words.append("Read / written: %.2f." % (sums["read"] / sums["written"]))
    return shapes.Lines("text-%d" % number, "%s: bytes moved so far" % group.name,
                        words, "s", "MB", False, series, flags)


def slices(group, number, found, flags, end):
    series = []
    for name, rows in found.items():
        sums = [0.0] * SLICES
        for second, MB in rows:
            sums[min(int(second / end * SLICES), SLICES - 1)] += MB
        series.append(line(name, [((i + 0.5) * end / SLICES, MB)
                                  for i, MB in enumerate(sums)]))
    words = ["Each of the %d slices is %.3g s long: MB divided by that are MB/s."
             % (SLICES, end / SLICES)]
    title = "%s: bytes by slice of the run" % group.name
    return shapes.Lines("text-%d" % number, title, words, "s", "MB in a slice", False,
                        series, flags)
