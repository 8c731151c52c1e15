"""Bytes over time: the phases of a run, slot by slot, and where they stood still.

A report's series says how many bytes of reads and writes ended in each slot of a phase,
and how long the longest of these transfers took (doc/report-schema.md). A gap in it is
a stall only where a transfer was under way meanwhile: else nobody asked for anything.
"""
import math
from collections import OrderedDict, namedtuple
from typing import Any, List, Sequence

from leadline import shapes, stats
from leadline.report import stem

ACTS = ("read", "write")
GAP_SLOTS = 8      # so many empty slots, at the least, are a gap
GAP_USUAL = 4.0    # and so many times as long as full slots usually are apart; a stall
                   # is so many times as long as transfers usually are, too
MOST_PHASES = 12   # of a run that are drawn
MOST_RUNS = 12     # of which there are pictures, one of each configuration
MOST_CELLS = 600   # over the whole width: neighbouring slots are joined
MOST_STALLS = 12   # the longest are marked
NAMED = 3          # stalls that the words name

Phase = namedtuple("Phase", "name rep begin end tracks")
Track = namedtuple("Track", "act slot_s moved longest")
Gap = namedtuple("Gap", "phase begin end stalled")
Cell = namedtuple("Cell", "begin end seconds moved longest")
Run = namedtuple("Run", "group report phases gaps")


# ---- what a report has -------------------------------------------------------


def phases(report):
    """Those of its phases that have a series, in the order of time."""
    found, walls = OrderedDict(), {}
    for row in report.samples:
        begin = row.get("start_s")
        if begin is None:
            continue
        key = (begin, row.get("rep") or 1, str(row.get("phase")))
        if row.get("act") == "wall":
            walls[key] = row.get("max_s") or 0.0
        series = row.get("series")
        if row.get("act") in ACTS and series and (series.get("slot_s") or 0) > 0:
            found.setdefault(key, []).append(track(row["act"], series))
    return [phase(key, tracks, walls.get(key, 0.0))
            for key, tracks in sorted(found.items(), key=lambda pair: pair[0])
            if any(t.moved for t in tracks)]


def track(act, series):
    """Without the empty slots at its end; what is not known is none."""
    moved = [n or 0 for n in series.get("bytes") or []]
    while moved and not moved[-1]:
        moved.pop()
    longest = [s or 0.0 for s in series.get("max_s") or []][:len(moved)]
    longest += [0.0] * (len(moved) - len(longest))
    return Track(act, series["slot_s"], moved, longest)


def phase(key, tracks, wall):
    begin, rep, name = key
    used = max(len(t.moved) * t.slot_s for t in tracks)
    return Phase(name, rep, begin, begin + max(used, wall), tracks)


# ---- gaps --------------------------------------------------------------------


def full_slots(found):
    """(begin, end, when at the latest its longest transfer began, its seconds) of all
    slots of a phase in which transfers ended, from its begin; those of equal begin are
    one."""
    slots = {}
    for t in found.tracks:
        for i, moved in enumerate(t.moved):
            if moved:
                begin, end = i * t.slot_s, (i + 1) * t.slot_s
                _, other, since, took = slots.get(begin, (0, end, math.inf, 0.0))
                slots[begin] = (begin, max(end, other), min(since, end - t.longest[i]),
                                max(took, t.longest[i]))
    return [slots[begin] for begin in sorted(slots)]


def gaps(found):
    """Empty slots in a row, in which it stalled or paused: many more than usual. Those
    before the first transfer are one where it took so long."""
    slots = full_slots(found)
    begins = [0.0] + [slot[0] for slot in slots]
    took = GAP_USUAL * stats.median([slot[3] for slot in slots] or [math.inf])
    usual = stats.median([b - a for a, b in zip(begins[1:], begins[2:])] or [math.inf])
    limit = max(GAP_SLOTS * min(t.slot_s for t in found.tracks), GAP_USUAL * usual)
    since = later_ones(slots)
    out, end = [], 0.0
    for i, (begin, its_end, _, _) in enumerate(slots):
        if (begin - end) >= limit * (1 - 1e-9):
            stalled = since[i] <= (begin + end) / 2
            if begin - end >= took if stalled else i:
                out.append(Gap(found, found.begin + end, found.begin + begin, stalled))
        end = max(end, its_end)
    return out


def later_ones(slots):
    """For each slot: when the earliest began of the transfers that ended in it or in
    one after it."""
    out, earliest = [], math.inf
    for _, _, since, _ in reversed(slots):
        earliest = min(earliest, since)
        out.append(earliest)
    return out[::-1]


def seconds(gap: Any) -> float:
    return gap.end - gap.begin


def longest(found, stalled=True):
    return max([seconds(g) for g in found if g.stalled == stalled] or [0.0])


# ---- which are drawn ---------------------------------------------------------


def run(group: Any, report: Any) -> Any:
    some = phases(report)
    return Run(group, report, some, [gap for p in some for gap in gaps(p)])


def runs(groups):
    """Of each configuration the run with the longest stall."""
    out = []
    for group in groups:
        some = [r for r in (run(group, report) for report in group.reports) if r.phases]
        if some:
            out.append(max(some, key=lambda r: longest(r.gaps)))
    return out


def shown_phases(found):
    """At most MOST_PHASES in a row, around the worst: the longest stall, else the
    longest transfer."""
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
    """The slots of a phase, joined until they are `cell_s` long; the last one may be
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


def unit_of(longest_s):
    for scale, unit in ((1.0, "s"), (1e3, "ms")):
        if longest_s * scale >= 1:
            return scale, unit
    return 1e6, "\u00b5s"


def time_text(value: float) -> str:
    scale, unit = unit_of(value)
    return "%.3g %s" % (value * scale, unit)


def name_of(found, every):
    return found.name + (" %d" % found.rep if any(p.rep > 1 for p in every) else "")


# ---- in words ----------------------------------------------------------------


def words(found, some, mine, cell_s):
    out = which_run(found, some) + standstills(found, mine)
    slots = sorted(set(max(t.slot_s for t in p.tracks) for p in some))
    length = " to ".join(map(time_text, slots[:1] + slots[1:][-1:]))
    joined = ", drawn joined" if cell_s > slots[0] * (1 + 1e-9) else ""
    return out + ["A slot is %s%s. A transfer counts in the slot in which it ended."
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


def standstills(found, mine):
    stalls = sorted((g for g in mine if g.stalled), key=lambda g: -seconds(g))
    out = ["%s stood still for %s, from %.4g s on: no transfer ended, though some were "
           "in flight." % (name_of(g.phase, found.phases), time_text(seconds(g)),
                           g.begin) for g in stalls[:NAMED]]
    if len(stalls) > NAMED:
        more = len(stalls) - NAMED
        out.append("There %s %d shorter stall%s%s." % (
            "was" if more == 1 else "were", more, "" if more == 1 else "s",
            ", of which %d are not marked" % (len(stalls) - MOST_STALLS)
            if len(stalls) > MOST_STALLS else ""))
    if not stalls:
        out.append("There is no stall.")
    pauses = [g for g in mine if not g.stalled]
    if pauses:
        most = max(pauses, key=seconds)
        out.append("For %s, from %.4g s on, nothing was in flight (%s)%s." % (
            time_text(seconds(most)), most.begin, name_of(most.phase, found.phases),
            "; likewise %d times for less" % (len(pauses) - 1)
            if len(pauses) > 1 else ""))
    return out
