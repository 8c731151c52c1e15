"""Finds what differed between the runs that are compared: conditions that make a
comparison meaningless, those that one must know, and those that were varied on purpose.

A field that is constant within each configuration of one series, and not the same in
all of them, is a factor of the sweep and no cause for alarm.
"""
import datetime
from collections import Counter, OrderedDict, namedtuple
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from leadline.base.fields import printable
from leadline.base.names import runs_text
from leadline.results import conditions
from leadline.results.groups import Group, varying
from leadline.results.report import Report

REFUSE, WARN, FACTOR = "refuse", "warn", "factor"
FAR_HOURS = 24.0
NAMED = 4          # most values in a sentence
UNKNOWN = "unknown"
HEADING = "What differed between the runs"

# Sentence for a field, or else for its level.
ABOUT = {REFUSE: " (not comparable)", FACTOR: " (varied)", "series": " (not paired)",
         "reads from memory": " (read figures are not comparable)"}

# Fields that differ as a consequence of an option.
FOLLOWS = {"filetype": "kind of files", "np": "ranks"}

# level: as above; values: [(text, number of runs)], most runs first.
Difference = namedtuple("Difference", "field level values")


# ---- fields ------------------------------------------------------------------


def kinds(report: Report) -> str:
    return ", ".join(OrderedDict.fromkeys(
        printable(row["kind"]) for row in report.files if row.get("kind")))


def worth(value: Any) -> str:
    return "" if value is None else printable(value)


def option(name: str) -> Callable[[Report], str]:
    return lambda report: worth(report.option(name))


def answer(probe: str) -> Callable[[Report], str]:
    return lambda report: worth(report.doctor.get(probe, {}).get("answer"))


def examined(groups: Sequence[Group]) -> List[Tuple[str, Callable[[Report], str]]]:
    """Returns [(field, getter of the answer in a report)] of the doctor's probes."""
    titles = OrderedDict((probe, one.get("title")) for g in groups for r in g.reports
                         for probe, one in r.doctor.items())
    return [("doctor: " + (worth(title) or probe), answer(probe))
            for probe, title in titles.items()]


def refusing(groups: Sequence[Group]) -> List[Tuple[str, Callable[[Report], str]]]:
    """Returns [(field, getter of its value in a report)] of the fields that rule out a
    comparison."""
    names = OrderedDict((n, None) for g in groups for r in g.reports
                        for n in r.option_values(True))
    return ([("program", lambda r: r.program), ("ranks", lambda r: worth(r.ranks))]
            + [(name, option(name)) for name in names]
            + [("cache policy", lambda r: worth(r.cache)),
               ("sync", lambda r: worth(r.sync)),
               ("reads from memory", lambda r: "yes" if r.from_memory() else "no"),
               ("kind of files", kinds)])


def find(groups: Sequence[Any], asked: str = "") -> List[Any]:
    """Returns all that differs between the runs of groups; `asked`: the option whose
    effect is the question."""
    meant = (asked, FOLLOWS.get(asked))
    out = [difference(field, FACTOR if field in meant else REFUSE, of, groups)
           for field, of in refusing(groups)]
    out += [difference(c.name, WARN, c.of, groups) for c in conditions.CONDITIONS]
    out += [difference(name, WARN, of, groups) for name, of in examined(groups)]
    known = set(d.field for d in out if d)
    out += [difference(name, FACTOR, option(name), groups)
            for name in varying(groups) if name not in known and name != "dir"]
    return [d for d in out if d] + times(groups)


def difference(field: str, level: str, of: Callable[[Report], str],
               groups: Sequence[Group]) -> Optional[Difference]:
    """Returns a difference; None if the field is the same in all runs that have it."""
    found = [[of(r) for r in g.reports] for g in groups]
    runs = Counter(v or UNKNOWN for values in found for v in values)
    if len([v for v in runs if v != UNKNOWN]) < 2:
        return None
    one_series = len(set(g.first.series_id for g in groups)) == 1
    constant = all(len(set(values)) == 1 for values in found)
    if one_series and constant and groups[0].first.series_id:
        level = FACTOR
    return Difference(field, level, sorted(runs.items(), key=lambda pair: -pair[1]))


def times(groups: Sequence[Group]) -> List[Difference]:
    """Returns series that differ, and the hours between the first and the last run."""
    out = []
    # Runs that compare are of several series by intent.
    series = Counter(r.series_id for g in groups for r in g.reports
                     if r.series_id and r.arms_of is None)
    if len(series) > 1:
        out.append(Difference("series", WARN, series.most_common()))
    starts = [when for when in (seconds(r) for g in groups for r in g.reports)
              if when is not None]
    if starts and max(starts) - min(starts) > FAR_HOURS * 3600.0:
        out.append(Difference("time", WARN, [
            ("%.0f hours from the first to the last start"
             % ((max(starts) - min(starts)) / 3600.0), len(starts))]))
    return out


def seconds(report: Report) -> Optional[float]:
    try:
        when = datetime.datetime.strptime(report.start_utc[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None
    return (when - datetime.datetime(1970, 1, 1)).total_seconds()


# ---- of a pair ---------------------------------------------------------------


def of_pair(group: Group, baseline: Group) -> List[Tuple[Any, List[str], List[str]]]:
    """Returns conditions that differ between two configurations and were not varied by
    a sweep: [(condition, values of one, of the other)]."""
    out = []
    for condition in conditions.CONDITIONS:
        ours, theirs = (conditions.values(condition, g) for g in (group, baseline))
        if not ours or not theirs or set(ours) == set(theirs):
            continue
        series = group.first.series_id
        if (series and series == baseline.first.series_id
                and len(ours) == len(theirs) == 1):
            continue
        out.append((condition, ours, theirs))
    return out


def marks(group: Any, baseline: Any) -> Sequence[str]:
    return tuple(OrderedDict.fromkeys(c.mark for c, _, _ in of_pair(group, baseline)))


def first(group: Group, baseline: Group) -> str:
    """Returns why a strict comparison is refused; "" if it is not."""
    for condition, ours, theirs in of_pair(group, baseline):
        return "other %s (%s, not %s)" % (condition.name, listed(ours), listed(theirs))
    found = times([group, baseline])
    return "other %s (%s)" % (found[0].field, "; ".join(
        text for text, _ in found[0].values)) if found else ""


def listed(texts: Sequence[str]) -> str:
    more = " and %d more" % (len(texts) - NAMED) if len(texts) > NAMED else ""
    return ", ".join(texts[:NAMED]) + more


# ---- output ------------------------------------------------------------------


def sentences(found: Sequence[Any]) -> List[str]:
    """Returns one line for each field."""
    return ["%s%s: %s" % (d.field, ABOUT.get(d.field, ABOUT.get(d.level, "")),
                          values_text(d)) for d in found]


def values_text(found: Difference) -> str:
    if found.field == "time":
        return str(found.values[0][0])
    return listed(["%s (%s)" % (text, runs_text(n)) for text, n in found.values])


def alarming(found: Sequence[Any]) -> List[Any]:
    """Returns the differences that were not varied on purpose."""
    return [d for d in found if d.level != FACTOR]


def tree(found: Sequence[Any]) -> List[Dict[str, Any]]:
    return [OrderedDict([
        ("field", d.field), ("level", d.level),
        ("values", [OrderedDict([("value", text), ("runs", n)])
                    for text, n in d.values])]) for d in found]
