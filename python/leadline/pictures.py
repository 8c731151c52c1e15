"""From configurations to pictures that any program's reports give: bandwidth, file
types, where the time goes, and single ranks. Scaling is in a file of its own.

Each function returns a list of shapes, empty where there is nothing to show.
"""
import math
from collections import OrderedDict

from leadline import fields, shapes, stats
from leadline.against import Against
from leadline.errors import LeadlineError
from leadline.groups import transfer_seconds

TOTALS = ("write_MBps", "read_MBps")
TITLES = {"write_MBps": "write", "read_MBps": "read"}
MOST_ROWS = 24     # in one picture; more are several pictures
MOST_LINES = 6
MOST_RANKS = 256
FEW_RANKS = 3      # fewer have no straggler among them
STRAGGLER = 1.5    # so much slower than the median rank is worth a sentence


# ---- what several need -------------------------------------------------------


def sampled(group, name, at=()):
    return list(group.observations((name, at)).values())


def mark(series, values):
    return shapes.mark(series, values, stats.median(values), stats.interval(values))


def by_program(groups):
    found = OrderedDict()
    for group in groups:
        found.setdefault(group.first.program, []).append(group)
    return found.items()


def with_totals(groups):
    """By program, those of which a rate over all phases is known."""
    return by_program([g for g in groups if any(sampled(g, f) for f in TOTALS)])


def pages(items, most):
    """The items in lists of nearly equal length, none longer than `most`."""
    count = -(-len(items) // most) or 1
    return [items[i * len(items) // count:(i + 1) * len(items) // count]
            for i in range(count)]


def numbered(title, i, of):
    return title + (" (%d of %d)" % (i + 1, of) if of > 1 else "")


def ranks_text(ranks):
    return "%s rank%s" % (ranks, "" if ranks == 1 else "s")


def rank_counts(groups):
    return sorted(set(g.first.ranks for g in groups))


def by_ranks(groups):
    return sorted(groups, key=lambda g: g.first.ranks)


# ---- bandwidth by configuration ----------------------------------------------


def bandwidth(groups):
    out = []
    for program, some in with_totals(groups):
        figures = [f for f in TOTALS if any(sampled(g, f) for g in some)]
        several = len(rank_counts(some)) > 1
        rows = [shapes.Row(ranks_text(g.first.ranks) if several else "", g.name,
                           [mark(TITLES[f], sampled(g, f)) for f in figures
                            if sampled(g, f)]) for g in by_ranks(some)]
        parts = pages(rows, MOST_ROWS)
        for i, part in enumerate(parts):
            out.append(shapes.Rows(
                "bandwidth-%d" % (len(out) + 1),
                numbered("%s: bandwidth by configuration" % program, i, len(parts)),
                extremes(some, figures) if i == 0 else [], "MB/s",
                [TITLES[f] for f in figures], part))
    return out


def extremes(groups, figures):
    """Which configuration is first and which last, without a claim that it is sure."""
    out = []
    for figure in figures:
        medians = [(stats.median(sampled(g, figure)), g.name) for g in groups
                   if sampled(g, figure)]
        if len(medians) > 1:
            (least, last), (most, first) = min(medians), max(medians)
            out.append("Highest median to %s: %s (%.4g MB/s), lowest: %s (%.4g MB/s)."
                       % (TITLES[figure], first, most, last, least))
    return out


# ---- unique against shared ---------------------------------------------------


def file_types(groups):
    out = []
    for program, some in with_totals(groups):
        try:
            view = Against(some, "filetype", None)
        except LeadlineError:
            continue   # it has no such option, or no such figures
        held = [p for p in view.pairs if p.baseline and p.baseline is not p.group]
        for i, figure in enumerate(view.figures):
            rows = type_rows(held, figure)
            title = TITLES.get(figure.name, figure.name)
            kinds = list(OrderedDict.fromkeys(m.series for r in rows for m in r.marks))
            for n, part in enumerate(pages(rows, MOST_ROWS) if rows else []):
                out.append(shapes.Rows(
                    "filetype-%d" % (len(out) + 1),
                    "%s: %s by file type" % (program, title),
                    type_words(view, title) if n == 0 else [], figure.unit, kinds,
                    part))
    return out


def type_rows(held, figure):
    """A row for each configuration but for its file type: the baseline's mark first."""
    rows = OrderedDict()
    for pair in held:
        name = pair.context or pair.group.first.program
        ours = sampled(pair.group, figure.name, figure.at)
        theirs = sampled(pair.baseline, figure.name, figure.at)
        if ours and theirs:
            row = rows.setdefault((name, pair.baseline.name), shapes.Row("", name, [
                mark(pair.base_value, theirs)]))
            row.marks.append(mark(pair.value, ours))
    return list(rows.values())


def type_words(view, title):
    return [s for s in view.meaning() if s.lower().startswith(title + ":")]


# ---- where the time goes -----------------------------------------------------

PARTS = [act for act in fields.ACTS if act != "wall"]
NAMES = [act.replace("_", "/") for act in PARTS]


def time_split(groups):
    out = []
    for program, some in by_program(groups):
        found = [(g, split(g)) for g in by_ranks(some)]
        phases = sum(len(s) for _, s in found)
        bars = []
        for group, by_phase in found:
            if phases > MOST_ROWS:   # phases of few, or sums of many configurations
                bars += [shapes.Bar("", group.name, total(by_phase.values()))
                         ] if by_phase else []
            else:
                bars += [shapes.Bar(group.name, phase, values)
                         for phase, values in by_phase.items()]
        parts = pages(bars, MOST_ROWS) if bars else []
        for i, part in enumerate(parts):
            out.append(shapes.Stacks(
                "time-%d" % (len(out) + 1),
                numbered("%s: where the time goes" % program, i, len(parts)),
                time_words(bars) if i == 0 else [],
                "seconds, mean over ranks and repetitions", NAMES, part))
    return out


def total(rows):
    return [math.fsum(column) for column in zip(*rows)]


def split(group):
    """{phase: seconds of each of PARTS}, the mean over repetitions of all runs."""
    sums, reps = OrderedDict(), set()
    for i, report in enumerate(group.reports):
        for row in report.samples:
            if row.get("at") or row.get("act") not in PARTS:
                continue
            phase = str(row.get("phase"))
            reps.add((i, row.get("rep")))
            seconds = sums.setdefault(phase, [0.0] * len(PARTS))
            seconds[PARTS.index(row["act"])] += row.get("mean_s") or 0.0
    return OrderedDict((phase, [s / len(reps) for s in seconds])
                       for phase, seconds in sums.items())


def time_words(bars):
    sums = total(bar.values for bar in bars)
    most = max(range(len(sums)), key=lambda i: sums[i])
    return ["Over all of them, most time goes to %s: %.0f %%."
            % (NAMES[most], 100 * sums[most] / (math.fsum(sums) or 1))]


# ---- single ranks ------------------------------------------------------------


def ranks(groups):
    """The configurations with the largest number of ranks, worst balance first."""
    out = []
    for program, some in by_program(groups):
        most = rank_counts(some)[-1]
        if most < FEW_RANKS:
            continue
        found = [(g, rank_seconds(g)) for g in some if g.first.ranks == most]
        found = [(g, s) for g, s in found if len(s) == most]
        found.sort(key=lambda pair: -imbalance(pair[1]))
        series = [shapes.Series(g.name, [shapes.point(r, [], v, None)
                                         for r, v in slowest_of(seconds)], False)
                  for g, seconds in found[:MOST_LINES]]
        if series:
            out.append(shapes.Lines(
                "ranks-%d" % (len(out) + 1),
                "%s: seconds of each of %d ranks in transfers" % (program, most),
                rank_words(found), "rank", "seconds of read, write and sync, mean over "
                "repetitions", False, series, []))
    return out


def rank_seconds(group):
    """Mean seconds of each rank; [] where a report does not have them all."""
    sums, count = {}, 0
    for report in group.reports:
        if not any(isinstance(s.get("ranks_s"), list) for s in report.samples):
            return []
        count += max([s.get("rep") or 1 for s in report.samples] or [1])
        for rank, seconds in transfer_seconds(report)[0].items():
            sums[rank] = sums.get(rank, 0.0) + seconds
    return [sums.get(r, 0.0) / count for r in range(max(sums) + 1)] if sums else []


def slowest_of(seconds):
    """(rank, seconds) of at most MOST_RANKS: of as many neighbours, the slowest."""
    width = -(-len(seconds) // MOST_RANKS)
    for begin in range(0, len(seconds), width):
        some = seconds[begin:begin + width]
        yield begin + some.index(max(some)), max(some)


def imbalance(seconds):
    return max(seconds) / (stats.median(seconds) or 1.0)


def rank_words(found):
    out = []
    for group, seconds in found[:MOST_LINES]:
        if imbalance(seconds) > STRAGGLER:
            out.append("%s: rank %d needs %.1f times as long as the median rank."
                       % (group.name, seconds.index(max(seconds)), imbalance(seconds)))
    if len(found[0][1]) > MOST_RANKS:
        out.append("Each mark is the slowest of %d neighbouring ranks."
                   % -(-len(found[0][1]) // MOST_RANKS))
    if len(found) > MOST_LINES:
        out.append("Shown are the %d of %d configurations whose ranks differ most."
                   % (MOST_LINES, len(found)))
    return out or ["No rank needs more than %g times as long as the median rank."
                   % STRAGGLER]
