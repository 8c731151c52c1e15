"""leadline calibrate --saturate: finds how many transfers must be in flight, and by
which engine, to reach a file system's best rates.

Each engine climbs: 1, 2, 4 ... transfers of a rank at once, by depth if it is
asynchronous and by threads if it is not. Engines take turns on each rung, so that a
change of the file system affects all of them.
"""
import json
import math
import re
import subprocess
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from leadline.base import stats, table
from leadline.base.errors import LeadlineError

RATES = ("write_MBps", "read_MBps")
GAIN = 1.1       # if doubling gains less, the file system is saturated
# share of the best rate; the step that reaches it with least in flight is chosen
NEAR = 1 / GAIN
LEVEL = 2        # number of doublings without a gain after which a climb ends
PATIENCE_S = 60

NAMED = re.compile(r"saturation\.(.+)\.at(\d+)\.(%s)$" % "|".join(RATES))
AGAIN = re.compile(r"saturated\.(.+)\.at(\d+)\.(%s)$" % "|".join(RATES))

# at_once: per rank; figures: {one of RATES: as in a report}
Step = namedtuple("Step", "engine at_once figures")


def values_of(step: Step, rate: str) -> List[float]:
    return [v for v in step.figures.get(rate, {"reps": []})["reps"] if v]


def rate_of(step: Step, rate: str) -> Optional[float]:
    """Returns the median; None if there is none."""
    values = values_of(step, rate)
    return stats.median(values) if values else None


def interval_of(step: Step, rate: str) -> Any:
    return stats.interval(values_of(step, rate))


def table_of(program: str) -> List[Dict[str, Any]]:
    """Returns the engines of this program, as it lists them."""
    try:
        text = subprocess.run([program, "--list-engines=json"], stdout=subprocess.PIPE,
                              timeout=PATIENCE_S, check=True).stdout.decode()
        found: List[Dict[str, Any]] = json.loads(text)
        return found
    except (OSError, ValueError, subprocess.SubprocessError) as why:
        raise LeadlineError("%s does not say which engines it has: %s" % (program, why))


def check_engine(program: str, method: str) -> None:
    """Refuses an engine that stores nothing: there would be nothing to measure."""
    name = method.partition(":")[0]
    for row in table_of(program):
        if row["name"] == name and row["stores_nothing"]:
            raise LeadlineError("--iomethod=%s stores nothing, so there is no storage "
                                "to measure" % name, todo="Take another method")


def engines(program: str, direct: bool) -> Dict[str, bool]:
    """Returns {name: whether it is asynchronous} for the engines that move a plain
    file's bytes."""
    return OrderedDict(
        (row["name"], row["asynchronous"]) for row in table_of(program)
        if not (row["unusable"] or row["stores_nothing"] or row["partitions"]
                or row["calls_mpi"] or (direct and not row["direct"])))


def options(asynchronous: bool, at_once: int, rank_bytes: int) -> List[str]:
    """Returns the options of a step. A rank moves the same number of bytes with any
    number of threads."""
    if asynchronous:
        return [str(rank_bytes), "--depth=%d" % at_once]
    return [str(max(1, rank_bytes // at_once)), "--threads=%d" % at_once]


def saturation(measured: Sequence[Tuple[float, float]]) -> Optional[float]:
    """Returns the first number of ranks from which on bandwidth grows by less than 10 %
    with each doubling; None if it still grows at the end. The gain of a step that is no
    doubling is converted to that of one."""
    at = None
    for (ranks, rate), (more, faster) in reversed(list(zip(measured, measured[1:]))):
        if (faster / rate) ** (1.0 / math.log(float(more) / ranks, 2)) >= GAIN:
            break
        at = ranks
    return at


def points(steps: Sequence[Step], engine: str, rate: str) -> List[Tuple[int, float]]:
    found = [(s.at_once, rate_of(s, rate)) for s in steps if s.engine == engine]
    return [(at, value) for at, value in found if value]


def is_level(steps: Sequence[Step], engine: str) -> bool:
    """True if neither rate gained by the last doublings."""
    for rate in RATES:
        found = points(steps, engine, rate)
        at = saturation(found)
        if at is None or at * 2 ** LEVEL > found[-1][0]:
            return False
    return True


def climb(found: Dict[str, bool], most: int,
          measure: Callable[..., Dict[str, Any]]) -> List[Step]:
    """Returns the steps of all engines. measure(engine, asynchronous, at_once): {rate:
    figure}."""
    steps, at_once = [], 1
    while found and at_once <= most:
        steps += [Step(name, at_once, measure(name, kind, at_once))
                  for name, kind in found.items()]
        found = OrderedDict((name, kind) for name, kind in found.items()
                            if not is_level(steps, name))
        at_once *= 2
    return steps


def knee(steps: Sequence[Step], rate: str) -> Any:
    """Returns the step with the least in flight that comes near the best one, and the
    best; of several engines the fastest. None: nothing was measured."""
    rated = [(rate_of(s, rate), s) for s in steps]
    known = [(value, s) for value, s in rated if value]
    if not known:
        return None
    best = max(value for value, _ in known)
    near = [(s.at_once, -value, s) for value, s in known if value >= NEAR * best]
    return min(near, key=lambda row: row[:2])[2], best


def measure_again(found: Dict[str, bool], steps: Sequence[Step],
                  measure: Callable[..., Dict[str, Any]]) -> List[Step]:
    """Measures the chosen steps once more. The rate by which a step was chosen is
    biased upwards, as chance takes part in the choice; a new measurement is not."""
    chosen: Dict[Any, Any] = OrderedDict()
    for rate in RATES:
        best = knee(steps, rate)
        if best:
            chosen.setdefault(best[0][:2], []).append(rate)
    out = []
    for (engine, at_once), rates in chosen.items():
        made = measure(engine, found[engine], at_once)
        out.append(Step(engine, at_once, {r: made[r] for r in rates if r in made}))
    return out


def figures(steps: Sequence[Step], kind: str = "saturation") -> List[Dict[str, Any]]:
    return [dict(row, name="%s.%s.at%d.%s" % (kind, s.engine, s.at_once, rate))
            for s in steps for rate, row in s.figures.items() if rate_of(s, rate)]


def steps(values: Dict[str, List[float]], pattern: Any = NAMED) -> List[Step]:
    """Collects steps from {name of a figure: its repetitions}."""
    found: Dict[Any, Any] = OrderedDict()
    for name, reps in values.items():
        named = pattern.match(name)
        if named:
            engine, at_once, rate = named.groups()
            step = Step(engine, int(at_once), {})
            found.setdefault(step[:2], step).figures[rate] = {"reps": reps}
    return list(found.values())


def show(steps: Sequence[Step], ranks: int, again: Sequence[Step] = ()) -> str:
    """Formats a table, and a sentence for each rate."""
    rows: List[Sequence[str]] = [
        [s.engine, str(s.at_once)] + [cell for r in RATES for cell in (
            table.number(rate_of(s, r)), table.bounds(interval_of(s, r)))]
        for s in sorted(steps, key=lambda s: (s.engine, s.at_once))]
    text = table.text(["engine", "at once", "write MB/s", "95 % interval", "read MB/s",
                       "95 % interval"], rows, right=(1, 2, 4))
    return text + "".join(sentence(steps, rate, ranks, again) + "\n" for rate in RATES
                          if knee(steps, rate))


def reached(step: Step, rate: str, again: Sequence[Step]) -> str:
    """Returns the rate of the step when it was measured again; without that, a
    doubt."""
    for other in again:
        if other[:2] == step[:2] and rate_of(other, rate):
            interval = interval_of(other, rate)
            return "%s MB/s%s, measured again after it was chosen" % (
                table.number(rate_of(other, rate)),
                " " + table.bounds(interval) if interval else "")
    return "%s MB/s in the runs by which it was chosen, which favours a high rate" % (
        table.number(rate_of(step, rate)))


def sentence(steps: Sequence[Step], rate: str, ranks: int,
             again: Sequence[Step] = ()) -> str:
    step, _ = knee(steps, rate)
    last = points(steps, step.engine, rate)[-1][0]
    more = ("neither more of it nor another engine gains %.0f %%"
            % (100 * (GAIN - 1)) if step.at_once < last
            else "it is the most that was tried, so there may be more")
    on = "1 rank" if ranks == 1 else "each of %d ranks" % ranks
    return "%s: %s with %d in flight on %s reaches %s; %s." % (
        rate.replace("_MBps", ""), step.engine, step.at_once, on,
        reached(step, rate, again), more)
