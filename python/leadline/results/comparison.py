"""Takes the report of a run that compared its arms (--compare) apart, into one run for
each arm and round, as if a sweep had made them.
"""
import copy
import functools
import json
import time
from collections import OrderedDict
from typing import Any, Dict, List, Optional, Tuple

from leadline.base.fields import printable
from leadline.base.names import number
from leadline.results.report import Figure, Report, milliseconds

# A repetition in the order in which it ran; round 0 is warm-up. Times since the run's
# start, in seconds.
Turn = Tuple[int, int, int, Optional[float], Optional[float], float]


def turns(tree: Dict[str, Any]) -> List[Turn]:
    """Returns (round, place in it, arm, start, end, bytes) of each repetition."""
    out = []
    for i, row in enumerate(tree["order"]):
        for k, arm in enumerate(row):
            start, end, moved = (cell(tree.get(name), i, k)
                                 for name in ("start_s", "end_s", "bytes"))
            out.append((i, k, arm, start, end, moved or 0.0))
    return out


def cell(rows: Any, i: int, k: int) -> Any:
    return rows[i][k] if rows and i < len(rows) and k < len(rows[i]) else None


def expanded(report: Report) -> List[Report]:
    """Returns the runs of which a report tells: itself, if it compared nothing."""
    if not report.valid or report.comparison is None:
        return [report]
    made = [one for arm in range(len(report.comparison["arms"]))
            for one in runs_of(report, arm)]
    return made or [report]


def arms(report: Report) -> List[Report]:
    """Returns the runs of which a report tells, one for each arm, with all rounds:
    itself, if it compared nothing."""
    if not report.valid or report.comparison is None:
        return [report]
    return [one for one in (of_arm(report, arm) for arm in
                            range(len(report.comparison["arms"]))) if one.figures]


def of_arm(report: Report, arm: int) -> Report:
    """Returns the run of one arm; its samples are those of all rounds."""
    assert report.comparison is not None
    options = options_of(report, arm)
    one = copy.copy(report)   # shares everything that is not set here
    one.comparison, one.arms_of, one.place = None, report, arm
    one.config = printable(report.comparison["arms"][arm]["name"])
    one.options = options
    mine = [i for i, of in enumerate(report.figure_arms) if of == arm]
    one.figures = [report.figures[i] for i in mine]
    one.given = [report.given[i] for i in mine]
    one.read_samples = functools.partial(samples_of, report, arm, None, None)
    # The report's own are of whatever arm ran last.
    one.io, one.sync = {}, None
    one.cache, one.engine = (text_of(options, name) for name in ("cache", "iomethod"))
    return one


def samples_of(report: Report, arm: int, at: Optional[int],
               start: Optional[float]) -> List[Dict[str, Any]]:
    """Returns those of an arm, of one round or of all."""
    rows = [row for row in report.samples if row.get("arm") == arm]
    return [row for row in rows if row.get("rep")] if at is None else [
        dict(row, rep=1, start_s=since(row.get("start_s"), start)) for row in rows
        if (row.get("rep") or 0) == at]


def failures(report: Report) -> List[str]:
    """Returns a sentence on each arm that failed."""
    arms = (report.comparison or {}).get("arms", [])
    return ["%s: %s failed and was left out from then on: %s"
            % (report.path, printable(arm["name"]), printable(arm["failed"]))
            for arm in arms if arm.get("failed")]


def runs_of(report: Report, arm: int) -> List[Report]:
    assert report.comparison is not None
    whole, found = of_arm(report, arm), []
    figures = list(zip(whole.figures, whole.given))
    for at, place, of, start, end, _ in turns(report.comparison):
        if of != arm or not at or not has_any(figures, at):
            continue
        one = copy.copy(whole)
        one.id = "%s-%d-%d" % (report.id, arm, at) if report.id else ""
        one.series_id, one.round = report.id or report.path, at
        one.figures = [of_round(f, given, at) for f, given in figures]
        one.given = [given[at - 1:at] for _, given in figures]
        one.read_samples = functools.partial(samples_of, report, arm, at, start)
        one.start_utc = one.date = later(report.start_utc, start)
        one.wall_s = since(end, start)
        one.turn = place
        found.append(one)
    return found


def text_of(options: Dict[str, Any], name: str) -> Optional[str]:
    """Returns an option's value without what follows a colon, as in posix:direct."""
    value = options.get(name, {}).get("value")
    return printable(value.split(":")[0].lower()) if isinstance(value, str) else None


def has_any(figures: Any, at: int) -> bool:
    return any(at <= len(given) and given[at - 1] is not None for _, given in figures)


def of_round(figure: Figure, given: List[Any], at: int) -> Figure:
    """Returns the figure with the value of one round."""
    if at in figure.which:
        value = figure.reps[figure.which.index(at)]
        return figure._replace(reps=[value], which=[1], absent=0, zeros=0)
    absent = at > len(given) or given[at - 1] is None
    return figure._replace(reps=[], which=[], absent=int(absent), zeros=int(not absent))


def since(moment: Optional[float], start: Optional[float]) -> Optional[float]:
    if moment is None or start is None:
        return moment
    return max(moment - start, 0.0)


def later(utc: str, seconds: Optional[float]) -> str:
    """Returns a report's time so many seconds later."""
    begin = milliseconds(utc)
    if begin is None or seconds is None:
        return utc
    whole, part = divmod(begin + int(1000.0 * seconds), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + ".%03dZ" % part


def options_of(report: Report, arm: int) -> Dict[str, Any]:
    """Returns the options with those of an arm's settings, in the form that the report
    has them in."""
    assert report.comparison is not None
    options = OrderedDict(report.options)
    for name, text in report.comparison["arms"][arm]["settings"].items():
        known = options.get(name, {"unit": None, "from": "comparison",
                                   "workload": True})
        options[name] = dict(known, value=like(known.get("value"), text))
    return options


def like(known: Any, text: Any) -> Any:
    """Converts a setting's text to the kind of a known value of its option."""
    if not isinstance(text, str):
        return text
    if isinstance(known, bool):
        return text.lower() in ("", "1", "yes", "true", "on")
    if isinstance(known, (int, float)) or known is None:
        value = number(text)
        return text if value is None else value
    return text.upper() if known.isupper() else text


def family(report: Report) -> Optional[str]:
    """Returns what runs of one comparison have in common: its program and arms."""
    if report.arms_of is None:
        return None
    arms = report.arms_of.comparison["arms"]
    return "%s%s" % (report.program,
                     json.dumps([[a["name"], a["settings"]] for a in arms]))
