"""Bytes over time: the phases of a run, slot by slot, and their stalls.

A report's series says how many bytes of reads and writes ended in each slot of a phase,
and how long the longest of these transfers took (doc/report-schema.md). A gap in it is
a stall only if a transfer was in flight: otherwise nobody asked for anything. A stall
shorter than two slots may leave none of them empty. It shows in one long transfer, and
in the bytes that its slots lack. No stall is longer than the longest transfer.
"""
import math
from collections import OrderedDict, namedtuple
from typing import Any, Dict, Iterable, List, Sequence, Tuple

from leadline.base import stats
from leadline.results.report import Report

ACTS = ("read", "write")
PAUSE_SLOTS = 8    # fewest consecutive empty slots that are a pause
GAP_USUAL = 4.0    # least ratio of a gap to the usual distance of full slots, and
                   # of a stall to the median transfer
DENSE = 0.75       # least share of full slots with which missing bytes indicate stalls

Phase = namedtuple("Phase", "name rep begin end tracks")
Track = namedtuple("Track", "act slot_s moved longest median hist")
# still: seconds without a transfer; transfer: those of the one that ended a stall;
# sure: some slots are empty, so that `still` is no estimate
Gap = namedtuple("Gap", "phase begin end stalled still transfer sure")
Slot = namedtuple("Slot", "begin end since took")
Run = namedtuple("Run", "group report phases gaps")


# ---- series of a report ------------------------------------------------------


def phases(report: Report) -> List[Phase]:
    """Returns the phases that have a series, in the order of time."""
    found: Dict[Tuple[float, int, str], List[Track]] = OrderedDict()
    walls: Dict[Tuple[float, int, str], float] = {}
    for row in report.samples:
        begin = row.get("start_s")
        if begin is None:
            continue
        key = (begin, row.get("rep") or 1, str(row.get("phase")))
        if row.get("act") == "wall":
            walls[key] = row.get("max_s") or 0.0
        series = row.get("series")
        if row.get("act") in ACTS and series and (series.get("slot_s") or 0) > 0:
            found.setdefault(key, []).append(track(row["act"], series,
                                                   row.get("latency") or {}))
    return [phase(key, tracks, walls.get(key, 0.0))
            for key, tracks in sorted(found.items(), key=lambda pair: pair[0])
            if any(t.moved for t in tracks)]


def track(act: str, series: Dict[str, Any], latency: Dict[str, Any]) -> Track:
    """Makes a Track of a series, without the empty slots at its end; unknown values
    count as 0."""
    moved = [n or 0 for n in series.get("bytes") or []]
    while moved and not moved[-1]:
        moved.pop()
    longest = [s or 0.0 for s in series.get("max_s") or []][:len(moved)]
    longest += [0.0] * (len(moved) - len(longest))
    return Track(act, series["slot_s"], moved, longest, latency.get("p50_s"),
                 [b for b in latency.get("hist") or [] if b])


def phase(key: Tuple[float, int, str], tracks: Sequence[Track],
          wall: float) -> Phase:
    begin, rep, name = key
    used = max(len(t.moved) * t.slot_s for t in tracks)
    return Phase(name, rep, begin, begin + max(used, wall), tracks)


# ---- gaps --------------------------------------------------------------------


def full_slots(found: Phase) -> List[Slot]:
    """Returns the slots of a phase in which transfers ended, from its begin; those of
    equal begin are merged. `since` is the latest begin of its longest transfer."""
    slots: Dict[float, Slot] = {}
    for t in found.tracks:
        for i, moved in enumerate(t.moved):
            if moved:
                begin, end = i * t.slot_s, (i + 1) * t.slot_s
                other = slots.get(begin, Slot(0, end, math.inf, 0.0))
                slots[begin] = Slot(begin, max(end, other.end),
                                    min(other.since, end - t.longest[i]),
                                    max(other.took, t.longest[i]))
    return [slots[begin] for begin in sorted(slots)]


def usual(found: Phase) -> float:
    """Returns the seconds of the median transfer; in reports without it, of the longest
    ones of slots."""
    known = [t.median for t in found.tracks if t.median is not None]
    return max(known) if known else stats.median(
        [slot.took for slot in full_slots(found)] or [math.inf])


def gaps(found: Phase) -> List[Gap]:
    """Returns the stalls and pauses, in the order of time."""
    sure = empty_gaps(found)
    return sorted(sure + short_stalls(found, sure), key=lambda g: g.begin)


def empty_gaps(found: Phase) -> List[Gap]:
    """Returns runs of empty slots that are stalls or pauses. Slots before the first
    transfer are a gap if it took so long."""
    slots = full_slots(found)
    begins = [slot.begin for slot in slots]
    slot_s = min(t.slot_s for t in found.tracks)
    apart = stats.median([b - a for a, b in zip(begins, begins[1:])] or [math.inf])
    far = GAP_USUAL * apart
    pause = max(PAUSE_SLOTS * slot_s, far)
    stall = max(slot_s, GAP_USUAL * usual(found),
                far if apart > slot_s * (1 + 1e-9) else 0.0)
    out, end = [], 0.0
    for slot, (since, took) in zip(slots, later_ones(slots)):
        length = slot.begin - end
        stalled = length > 0 and since <= (slot.begin + end) / 2
        if length >= (stall if stalled else pause) * (1 - 1e-9) and (stalled or end):
            still = length if stalled else min(slot.begin, since - slot_s) - end
            out.append(Gap(found, found.begin + end, found.begin + slot.begin, stalled,
                           still, took, True))
        end = max(end, slot.end)
    return out


def later_ones(slots: Sequence[Slot]) -> List[Tuple[float, float]]:
    """Returns for each slot the earliest begin of the transfers that ended in it or in
    a later one, and that transfer's duration."""
    out, earliest = [], (math.inf, 0.0)
    for slot in reversed(slots):
        earliest = min(earliest, (slot.since, slot.took))
        out.append(earliest)
    return out[::-1]


def short_stalls(found: Phase, known: Sequence[Gap]) -> List[Gap]:
    """Returns long transfers in slots that are not empty: they are stalls if these
    slots lack bytes for at least half of the time. No missing byte counts twice."""
    slots = full_slots(found)
    slot_s = max(t.slot_s for t in found.tracks)
    lack = lacking(found, slot_s)
    if len(slots) < DENSE * len(lack):
        return []
    for gap in known:
        for i in range(place(gap.begin - found.begin, slot_s),
                       place(gap.end - found.begin, slot_s)):
            lack[i] = 0.0
    limit, out = max(GAP_USUAL * usual(found), slot_s / 2), []
    for slot in sorted(slots, key=lambda s: -s.took):
        last = place(slot.begin, slot_s)
        first = place(max(slot.begin - slot.took, 0.0), slot_s)
        still = min(slot.took, sum(lack[first:last + 1]))
        if slot.took >= limit and still >= slot.took / 2:
            lack[first:last + 1] = [0.0] * (last + 1 - first)
            out.append(Gap(found, found.begin + first * slot_s, found.begin + slot.end,
                           True, still, slot.took, False))
    return out


def place(at_s: float, slot_s: float) -> int:
    """Returns the number of the slot that contains a time."""
    return int(at_s / slot_s + 1e-6)


def lacking(found: Phase, slot_s: float) -> List[float]:
    """Returns for each slot the seconds for which its bytes would not have been enough,
    at the rate of the median full slot. The last one is shorter, and lacks none."""
    sums: Dict[int, float] = {}
    for t in found.tracks:
        for i, moved in enumerate(t.moved):
            at = place(i * t.slot_s, slot_s)
            sums[at] = sums.get(at, 0) + moved
    rate = stats.median([n for n in sums.values() if n] or [1])
    last = max(sums or [-1])
    return [slot_s * max(0.0, 1.0 - sums.get(i, 0) / rate) if i < last else 0.0
            for i in range(last + 1)]


def seconds(gap: Gap) -> float:
    still: float = gap.still
    return still


def longest(found: Iterable[Gap], stalled: bool = True) -> float:
    return max([seconds(g) for g in found if g.stalled == stalled] or [0.0])


def together(found: Iterable[Gap]) -> float:
    """Returns the sum of the stalls, in seconds."""
    return sum(seconds(g) for g in found if g.stalled)


def run(group: Any, report: Report) -> Run:
    some = phases(report)
    return Run(group, report, some, [gap for p in some for gap in gaps(p)])


def unit_of(longest_s: float) -> Tuple[float, str]:
    for scale, unit in ((1.0, "s"), (1e3, "ms")):
        if longest_s * scale >= 1:
            return scale, unit
    return 1e6, "\u00b5s"


def time_text(value: float) -> str:
    scale, unit = unit_of(value)
    return "%.3g %s" % (value * scale, unit)
