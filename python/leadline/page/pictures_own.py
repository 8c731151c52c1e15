"""From configurations to pictures for single programs: madbench's sweep of alpha,
pfmload's speed-ups, ldad's reductions, iotrace's counts, and the figures of the 2007
study's chapter 4 that show outcore text's bytes over time.
"""
import math
import os
from collections import OrderedDict
from typing import Any, List, Sequence

from leadline.base import stats
from leadline.base.names import ranks_text, unit_of
from leadline.draw import shapes
from leadline.page.pictures import mark, sampled
from leadline.trace.iotrace_plot import Run

# From Wang and Kaeli's paper: reduction of execution time by partitioning, in per cent,
# on 24 nodes with a disk each against one RAID over NFS.
PAPER = OrderedDict([("perf", 81.2), ("mandelbrot", 27.8), ("jacobi", 87.1),
                     ("fft", 72.8)])
PAPER_MACHINE = ("Below 0 the partitioned run was slower. The paper's machine had 24 "
                 "nodes with a disk each, against one RAID over NFS.")
COLUMNS, CELLS = 100, 64   # of a heat map, at most
FILES = 2                  # files with a map
# share of the first file's bytes below which a file gets no map
LITTLE = 0.05


# ---- alpha -------------------------------------------------------------------


def alpha(groups):
    out = []
    for group in groups:
        keys = [at for name, at in group.figures()
                if name == "async_MBps" and exponent(at) is not None]
        if len(keys) < 2:
            continue
        series = [alpha_series(group, figure, label, keys) for figure, label in (
            ("sync_MBps", "SYNC"), ("async_MBps", "ASYNC"))]
        critical = sampled(group, "alpha_critical")
        flags, words = [], []
        if critical:
            at = stats.median(critical)
            flags = [(at, "critical alpha %.3g" % at)]
            words.append("%s: from alpha %.3g on (O(N^%.3g) operations for N pixels "
                         "per row), computation hides 90 %% of the I/O that can be "
                         "hidden." % (group.name, at, 2 * at))
        else:
            words.append("%s: no alpha in the sweep hid 90 %% of the I/O that can be "
                         "hidden." % group.name)
        out.append(shapes.Lines(
            "alpha-%d" % (len(out) + 1), "%s: effective bandwidth by busy-work "
            "exponent" % group.name, words, "alpha", "MB/s over visible seconds",
            False, series, flags))
    return out


def exponent(at):
    """Returns the alpha that a figure belongs to; None if there is none."""
    try:
        value = float(dict(at).get("alpha", "none"))
    except ValueError:
        return None
    return value if abs(value) < 100 else None   # no exponent of work is larger


def alpha_series(group, figure, label, keys):
    points = []
    for at in sorted(set(keys), key=exponent):
        values = sampled(group, figure, at)
        if values:
            points.append(shapes.point(exponent(at), values, stats.centre(values),
                                       stats.interval(values)))
    return shapes.Series(label, points, True)


# ---- pfmload -----------------------------------------------------------------

SERIAL = [("per-sounding", "the serial loader of single soundings"),
          ("cached", "the cached serial loader")]
NOT_THE_LOAD = ("scheme", "library", "queue-limit", "io-ranks")


def scheme(group):
    """Returns the scheme from the options, or pfmload's default."""
    found = group.first.option("scheme")
    return str(found) if found else "serial" if group.first.ranks == 1 else "G"


def loads(groups):
    """Returns lists of groups that loaded the same with the same filters."""
    found = OrderedDict()
    for group in groups:
        if group.first.program == "pfmload":
            key = repr([(n, v) for n, v in group.first.option_values(True).items()
                        if n not in NOT_THE_LOAD])
            found.setdefault(key, []).append(group)
    return found.values()


def speedup(groups):
    out = []
    for some in loads(groups):
        for library, label in SERIAL:
            base = [g for g in some if scheme(g) == "serial" and
                    g.first.option("library") == library]
            others = [g for g in some if g not in base and scheme(g) != "serial"]
            series = speedup_series(others, base[0]) if base else []
            if series:
                out.append(shapes.Lines(
                    "pfmload-%d" % (len(out) + 1), "pfmload: speed-up over " + label,
                    speedup_words(series, label), "ranks", "times as fast", False,
                    series, []))
    return out


def speedup_series(groups, base):
    schemes = OrderedDict()
    for group in groups:
        values = ratios(base, group, "wall_s")
        limit = group.first.option("queue-limit")
        name = scheme(group) + (", no queue limit" if limit == 0 else "")
        if values:
            schemes.setdefault(name, {})[group.first.ranks] = shapes.point(
                group.first.ranks, values, stats.centre(values), stats.interval(values))
    return [shapes.Series(name, [points[r] for r in sorted(points)], True)
            for name, points in schemes.items()]


def speedup_words(series, label):
    best = max(((p.y, s.name, p.x) for s in series for p in s.points))
    return ["Fastest: scheme %s with %s, %.3g times as fast as %s."
            % (best[1], ranks_text(best[2]), best[0], label)]


def ratios(over, under, figure):
    """Returns over / under: of the rounds that both have, else of the two medians."""
    above = over.observations((figure, ()))
    below = under.observations((figure, ()))
    rounds = [at for at in above if at in below and at[0] not in ("rep", "run")]
    if rounds:
        return [above[at] / below[at] for at in rounds]
    if above and below:
        return [stats.median(list(above.values())) / stats.median(list(below.values()))]
    return []


# ---- ldad --------------------------------------------------------------------


def reductions(groups):
    """Draws the reduction of the run time of independent transfers by partitioning, per
    cent."""
    series, rows, words = OrderedDict(), [], []
    for workload, paper in PAPER.items():
        some = [g for g in groups if g.first.program == "ldad " + workload]
        marks = list(reduction_marks(some))
        if not marks:
            continue
        marks.append(shapes.Mark("paper", [], paper, None, None))
        rows.append(shapes.Row("", workload, marks))
        series.update((m.series, None) for m in marks)
        words.append("%s: partitioned files take %s than independent transfers (the "
                     "paper: %.1f %% less)."
                     % (workload, " and ".join(map(saved, marks[:-1])), paper))
    if not rows:
        return []
    order = [name for name in ("the same disk", "a disk for each rank", "paper")
             if name in series]
    words.append(PAPER_MACHINE)
    return [shapes.Rows("ldad", "ldad: run time that partitioning takes off", words,
                        "per cent of the run time with independent transfers to one "
                        "shared file", order, rows)]


def saved(found):
    return "%.1f %% %s time on %s" % (
        abs(found.centre), "less" if found.centre > 0 else "more", found.series)


def reduction_marks(groups):
    def of(method, apart):
        return [g for g in groups
                if g.first.option("io") == method
                and bool(g.first.option("node-dirs")) == apart]
    for base in of("independent", False)[:1]:
        for apart, name in ((False, "the same disk"), (True, "a disk for each rank")):
            for group in of("partitioned", apart):
                if group.first.ranks == base.first.ranks:
                    values = ratios(group, base, "wall_s")
                    if values:
                        yield reduction(name, values)
                        break


def reduction(name, values):
    """Converts ratios of times to per cent saved."""
    interval = stats.interval(values)
    found = mark(name, values)
    return shapes.Mark(name, [100 * (1 - v) for v in values], 100 * (1 - found.centre),
                       100 * (1 - interval.high) if interval else None,
                       100 * (1 - interval.low) if interval else None)


# ---- iotrace -----------------------------------------------------------------


def traces(bins: Sequence[Any]) -> List[Any]:
    """Draws each (name, tree of "iotrace bins"): ranks by time, places by time."""
    out: List[Any] = []
    for name, tree in bins:
        run = Run(tree, name)
        if not run.processes:
            continue
        out.append(process_map(run, len(out) + 1))
        most = max([f["bytes"] for f in run.files] or [0])
        for found in [f for f in run.files if f["bytes"] > LITTLE * most][:FILES]:
            out += place_maps(run, found, len(out) + 1)
    return out


def coarse(grid, rows, columns, join):
    """Joins neighbours until there are at most so many rows and columns."""
    down = -(-len(grid) // rows)
    across = -(-len(grid[0]) // columns)
    return [[join([v for row in grid[i:i + down] for v in row[j:j + across]])
             for j in range(0, len(grid[0]), across)]
            for i in range(0, len(grid), down)]


def process_map(run, n):
    share = [[min(v / run.width, 1.0) for v in p["io_s"]] for p in run.processes]
    grid = coarse(share, CELLS, COLUMNS, lambda v: math.fsum(v) / len(v))
    down = -(-len(share) // CELLS)
    step = max(1, -(-len(grid) // 8))
    ticks = [(i, run.label(run.processes[i * down])) for i in range(0, len(grid), step)]
    inside = math.fsum(math.fsum(p["io_s"]) for p in run.processes)
    alive = math.fsum(p["end_s"] - p["begin_s"] for p in run.processes)
    words = ["%s: %.0f %% of the time of its %d %s in calls for files."
             % (run.name, 100 * inside / (alive or 1), len(run.processes),
                "ranks" if run.what == "rank" else "processes")]
    return shapes.Heat("iotrace-%d" % n, "%s: share of time in I/O" % run.name, words,
                       "time since the first process began (s)", run.what, run.seconds,
                       len(grid), ticks, grid, "100 %")


def place_maps(run, found, n):
    out = []
    unit, size = unit_of(found["end"])
    for key, label in (("written_bytes", "written"), ("read_bytes", "read")):
        grid = coarse(found[key], CELLS, COLUMNS, math.fsum)
        most = max(map(max, grid))
        if most > 0 and found["end"] > 0:
            name, scale = unit_of(most)
            grid = [[v / most for v in row] for row in grid]
            out.append(shapes.Heat(
                "iotrace-%d" % (n + len(out)), "%s: places %s in %s" % (
                    run.name, label, os.path.basename(found["name"])),
                ["%s. The stronger the colour, the more bytes of that place in that "
                 "slice of time." % found["name"]],
                "time since the first process began (s)", "offset (%s)" % unit,
                run.seconds, found["end"] / float(size), None, grid,
                "%.3g %s in a cell" % (most / float(scale), name)))
    return out


# ---- outcore text -------------------------------------------------------------

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
    """Returns the samples of the modules in the first repetition."""
    if report.program != "outcore text":
        return []
    return [row for row in report.samples
            if row.get("phase") in MODULES and row.get("rep") == 1]


def transfers(report):
    """Returns the begin of each module, and {operation: [(second, MB)] in order}, of
    all ranks. Seconds are those of the phases, one after another."""
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
    """Returns (second at the end, MB) of the slots of a row's series."""
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
