"""Pictures over time, and the words below them: the phases of a run, slot by slot,
with its stalls; a figure of many runs, with its steps.
"""
import datetime
import math
import time
from collections import OrderedDict, namedtuple
from typing import Any, List, Sequence

from leadline.draw import looks, shapes
from leadline.judge import share, trend
from leadline.judge.compare import figure_title
from leadline.results import comparison
from leadline.results.report import stem
from leadline.results.series import (ACTS, GAP_USUAL, longest, run, seconds, time_text,
                                     together, unit_of, usual)

BUCKET = 1.044     # ratio of the bounds of neighbouring buckets of a histogram
MOST_PHASES = 12   # of a run that are drawn
MOST_RUNS = 12     # runs with pictures, one of each configuration
MOST_CELLS = 600   # over the whole width: neighbouring slots are joined
MOST_STALLS = 12   # the longest are marked
NAMED = 3          # stalls that the words name

Cell = namedtuple("Cell", "begin end seconds moved longest")


# ---- selection ---------------------------------------------------------------


def runs(groups):
    """Returns, for each configuration, the run with the longest stall."""
    out = []
    for group in groups:
        some = [r for r in (run(group, report) for report in group.reports) if r.phases]
        if some:
            out.append(max(some, key=lambda r: longest(r.gaps)))
    return out


def shown_phases(found):
    """Returns at most MOST_PHASES consecutive phases, around the worst: that of the
    longest stall, else of the longest transfer."""
    if len(found.phases) <= MOST_PHASES:
        return found.phases
    def badness(p):
        return (longest([g for g in found.gaps if g.phase is p]),
                max(s for t in p.tracks for s in t.longest + [0.0]))
    worst = max(range(len(found.phases)), key=lambda i: badness(found.phases[i]))
    first = min(max(0, worst - MOST_PHASES // 2), len(found.phases) - MOST_PHASES)
    return found.phases[first:first + MOST_PHASES]


def series(groups: Sequence[Any]) -> List[Any]:
    found = runs(groups)
    chosen = sorted(found, key=lambda r: -longest(r.gaps))[:MOST_RUNS]
    out = [picture(r, i + 1) for i, r in enumerate(r for r in found if r in chosen)]
    if len(found) > MOST_RUNS:
        out[0].words.append("There are pictures of the %d of %d configurations with "
                            "the longest stalls." % (MOST_RUNS, len(found)))
    return out


# ---- the picture -------------------------------------------------------------


def picture(found, n):
    some = shown_phases(found)
    mine = [g for g in found.gaps if any(g.phase is p for p in some)]
    cell_s = max(some[-1].end - some[0].begin, 0.0) / MOST_CELLS
    grids = [grid(p, cell_s) for p in some]
    acts = [a for a in ACTS if any(t.act == a for p in some for t in p.tracks)]
    scale, unit = unit_of(max(max(c.longest) for g in grids for c in g))
    mine_of = [ACTS.index(a) for a in acts]
    rates = [(c.begin, c.end, [c.moved[k] / c.seconds / 1e6 for k in mine_of])
             for g in grids for c in g]
    slow = [(c.begin, c.end, [c.longest[k] * scale for k in mine_of])
            for g in grids for c in g]
    return shapes.Timeline(
        "series-%d" % n, "%s: bytes over time, %s" % (found.report.program,
                                                      found.group.name),
        words(found, some, mine, cell_s), "time since the run began (s)", acts,
        [shapes.Panel("MB/s, of the transfers that ended in each slot", True, rates),
         shapes.Panel("longest of these transfers (%s)" % unit, False, slow)],
        [shapes.Span(p.begin, p.end, name_of(p, found.phases), p.name) for p in some],
        [shapes.Span(g.begin, g.end, time_text(seconds(g)), "")
         for g in sorted(mine, key=lambda g: -seconds(g)) if g.stalled][:MOST_STALLS])


def grid(found, cell_s):
    """Joins the slots of a phase until they are `cell_s` long; the last one may be
    shorter."""
    slot = max(t.slot_s for t in found.tracks)
    end = max(len(t.moved) * t.slot_s for t in found.tracks)
    if cell_s > slot:
        slot *= 2 ** int(math.ceil(math.log(cell_s / slot, 2) - 1e-9))
    sums = {}
    for t in found.tracks:
        k = ACTS.index(t.act)
        for i, moved in enumerate(t.moved):
            bytes_by, slow = sums.setdefault(int((i + 0.5) * t.slot_s / slot),
                                             ([0, 0], [0.0, 0.0]))
            bytes_by[k] += moved
            slow[k] = max(slow[k], t.longest[i])
    cells = []
    for at, (bytes_by, slow) in sorted(sums.items()):
        length = min(slot, max(end - at * slot, slot * 1e-6))
        begin = found.begin + at * slot
        cells.append(Cell(begin, begin + length, length, bytes_by, slow))
    return cells


def name_of(found, every):
    return found.name + (" %d" % found.rep if any(p.rep > 1 for p in every) else "")


# ---- in words ----------------------------------------------------------------


def words(found, some, mine, cell_s):
    out = which_run(found, some) + standstills(found, some, mine)
    slots = sorted(set(max(t.slot_s for t in p.tracks) for p in some))
    length = " to ".join(map(time_text, slots[:1] + slots[1:][-1:]))
    joined = ", drawn joined" if cell_s > slots[0] * (1 + 1e-9) else ""
    return out + ["A slot is %s%s. A transfer counts in the slot in which it ended. "
                  "Stalls of syncs, opens and closes are not looked for."
                  % (length, joined)]


def which_run(found, some):
    out = []
    if len(found.group.reports) > 1:
        out.append("Of the %d runs of %s this is %s%s." % (
            len(found.group.reports), found.group.name, stem(found.report.path),
            ", with the longest stall" if longest(found.gaps) else ""))
    if len(found.phases) > len(some):
        out.append("Shown are %d of %d phases, around the longest %s." % (
            len(some), len(found.phases),
            "stall" if longest(found.gaps) else "transfer"))
    return out


def standstills(found, some, mine):
    stalls = sorted((g for g in mine if g.stalled), key=lambda g: -seconds(g))
    out = [words_of for g in stalls[:NAMED] for words_of in stall_words(found, g)]
    if len(stalls) > NAMED:
        more = len(stalls) - NAMED
        out.append("There %s %d shorter stall%s%s." % (
            "was" if more == 1 else "were", more, "" if more == 1 else "s",
            ", of which %d are not marked" % (len(stalls) - MOST_STALLS)
            if len(stalls) > MOST_STALLS else ""))
    if len(stalls) > 1:
        every = [p for p in some if any(g.phase is p for g in stalls)]
        wall = sum(p.end - p.begin for p in every)
        out.append("All stalls together: %s of %s (%.2g %%)." % (
            time_text(together(stalls)), time_text(wall),
            100.0 * together(stalls) / wall if wall else 0.0))
    if not stalls:
        out += none_found(found, some)
    return out + pause_words(found, [g for g in mine if not g.stalled])


def stall_words(found, gap):
    name = name_of(gap.phase, found.phases)
    if not gap.sure:
        return ["%s stood still for about %s, from %.4g s on: one transfer took %s, "
                "and these slots lack as many bytes." % (
                    name, time_text(seconds(gap)), gap.begin, time_text(gap.transfer))]
    return ["%s stood still for %s, from %.4g s on: no transfer ended, though some "
            "were in flight." % (name, time_text(seconds(gap)), gap.begin),
            "The transfer that had begun first took %s." % time_text(gap.transfer)]


def none_found(found, some):
    """Says how long an undetected stall may be: a stall is no longer than the transfer
    that ends it."""
    worst = max(some, key=longest_transfer)
    took, median = longest_transfer(worst), usual(worst)
    if took <= 0.0:
        return ["No stall was found, but the report does not say how long transfers "
                "took."]
    times = ", %.3g times the median" % (took / median) if any(
        t.median for t in worst.tracks) else ""
    out = ["No stall was found. The longest transfer took %s (%s%s). No stall of reads "
           "or writes was longer; shorter ones may be hidden within slots."
           % (time_text(took), name_of(worst, found.phases), times)]
    count, in_all = max(map(slow_transfers, some), key=lambda pair: pair[1])
    if count:
        out.append("In a phase, up to %d transfer%s took more than %.3g times the "
                   "median, about %s added up." % (count, "" if count == 1 else "s",
                                                   GAP_USUAL, time_text(in_all)))
    return out


def longest_transfer(found):
    return max(s for t in found.tracks for s in t.longest + [0.0])


def slow_transfers(found):
    """Returns (number, seconds) of the transfers that took GAP_USUAL times the
    median."""
    count, in_all = 0, 0.0
    for t in found.tracks:
        for bound, n in t.hist if t.median else []:
            if bound >= GAP_USUAL * t.median * BUCKET:
                count, in_all = count + n, in_all + n * bound
    return count, in_all


def pause_words(found, pauses):
    if not pauses:
        return []
    most = max(pauses, key=seconds)
    return ["For %s, from %.4g s on, no read or write was in flight (%s)%s." % (
        time_text(seconds(most)), most.begin, name_of(most.phase, found.phases),
        "; also %d time%s for less" % (len(pauses) - 1, "s" if len(pauses) > 2 else "")
        if len(pauses) > 1 else "")]


# ---- a figure over time, with the steps that leadline trend finds -------------

MOST = 6           # pictures, those with the largest steps
LEAST = 1.02       # smallest step that is shown
DAY = 86400.0
DATES = 6          # ticks, at most


def history(groups: Sequence[Any]) -> List[Any]:
    # An arm of a comparison is one run, with all its rounds.
    some = {(id(r.arms_of or r), r.place if r.arms_of else 0):
            comparison.of_arm(r.arms_of, r.place) if r.arms_of else r
            for g in groups for r in g.reports if r.start_utc}
    runs = sorted((trend.run_of(r, trend.GROUPS[:1]) for r in some.values()),
                  key=lambda r: (r.date, r.path))
    found = [t for t in trend.collect(runs, None, LEAST)
             if len(t.points) >= trend.FEWEST and span(t) > 0]
    ranked = sorted(found, key=lambda t: -max([abs(1 - s.ratio) for s in t.steps]
                                              or [0.0]))
    made = [trend_picture(t, i + 1) for i, t in enumerate(ranked[:MOST])]
    if len(found) > MOST:
        made[-1].words.append("%d more that have as many runs are not drawn; leadline "
                              "trend lists them all." % (len(found) - MOST))
    return made


def when(point):
    return share.seconds_utc(point.run.date) or 0.0


def span(t):
    return when(t.points[-1]) - when(t.points[0])


def trend_picture(t, number):
    single = shapes.Series("run", [shapes.Point(when(p), p.value, None, None, [],
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
        flags(t), looked, (), ticks(when(t.points[0]), when(t.points[-1])))


def bounds(t):
    ends = [0] + [s.at for s in t.steps] + [len(t.points)]
    return list(zip(ends, ends[1:]))


def level(t, begin, end):
    """Returns the level of the runs between two steps."""
    some = t.points[begin:end]
    value = trend.middle(some)
    points = [shapes.Point(when(p), value, None, None, [], False)
              for p in (some[0], some[-1])]
    return shapes.Series("level" if len(bounds(t)) == 1 else "level %d" % (
        [b for b, _ in bounds(t)].index(begin) + 1), points, True)


def versions(t):
    """Returns [(the first run of another version, the version)]."""
    pairs = zip(t.points, t.points[1:])
    return [(after, after.run.version) for before, after in pairs
            if before.run.version != after.run.version]


def flags(t):
    """Returns flags of steps with their ratios, and of other versions; one flag per
    run."""
    texts = OrderedDict()
    for step in t.steps:
        texts.setdefault(when(t.points[step.at]), []).append("%.2fx" % step.ratio)
    for point, version in versions(t):
        texts.setdefault(when(point), []).append("version %s" % (version or "?"))
    return [(at, ", ".join(texts[at])) for at in sorted(texts)]


def ticks(first, last):
    """Returns {second: date or time}."""
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
