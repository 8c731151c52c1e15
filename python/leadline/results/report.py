"""Reads the programs' JSON reports, and refuses other files in one sentence.

The contract is the report schema "leadline-report/1", which no other module reads: all
others use Report objects.
"""
import calendar
import functools
import json
import os
import sys
from datetime import datetime
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Dict, List, Optional, Tuple

from leadline.base import fields
from leadline.base.errors import LeadlineError
from leadline.base.fields import SCHEMA, printable

SWEEP_SCHEMA = "leadline-sweep/1"
SERVED_FROM_MEMORY = "served_from_memory"
CACHE_BELOW = "cache_below"
# least share of bytes read from the device with which memory did not serve the reads
FROM_DEVICE = 0.95

# `absent`: number of repetitions without a value, as with too few transfers; `which`:
# the numbers of the repetitions in `reps`, from 1 on; `zeros`: how many were 0 or less.
Figure = namedtuple("Figure", "name at unit better reps absent which zeros")


class Report:
    """One run, checked: the data that compare needs."""

    def __init__(self, path: str, tree: Dict[str, Any]) -> None:
        self.path = path
        # of its configuration, if a sweep's specification tells it
        self.place: Optional[int] = None
        self.valid = get(path, tree, "valid", bool)
        self.why = get(path, tree, "why", str, optional=True) or ""
        run = get(path, tree, "run", dict)
        self.id = get(path, run, "id", str, "run.", optional=True) or ""
        self.program = get(path, run, "program", str, "run.")
        self.version = get(path, run, "version", str, "run.", optional=True) or ""
        self.label = get(path, run, "label", str, "run.", optional=True) or ""
        self.start_utc = get(path, run, "start_utc", str, "run.", optional=True) or ""
        end_utc = get(path, run, "end_utc", str, "run.", optional=True) or ""
        # Some programs tell only the end of a run: good enough for the order of runs.
        self.date = self.start_utc or end_utc
        self.imported = origin(get(path, run, "imported", dict, "run.", True))
        self.wall_s = get(path, run, "wall_s", float, "run.", optional=True)
        series = get(path, run, "series", dict, "run.", optional=True) or {}
        self.series_id = get(path, series, "id", str, "run.series.", True) or ""
        self.config = get(path, series, "config", str, "run.series.", True) or ""
        self.round = get(path, series, "round", int, "run.series.", optional=True)
        mpi = get(path, tree, "mpi", dict, optional=not self.valid) or {}
        self.ranks = get(path, mpi, "ranks", int, "mpi.", optional=not self.valid)
        self.nodes = get(path, mpi, "nodes", int, "mpi.", optional=True)
        self.mpi = mpi
        self.mpi_library = get(path, mpi, "library", str, "mpi.", True) or ""
        io = get(path, tree, "io", dict, optional=True) or {}
        self.io = io
        self.cache = get(path, io, "cache", str, "io.", optional=True)
        self.sync = get(path, io, "sync", str, "io.", optional=True)
        self.engine = get(path, io, "engine", str, "io.", optional=True)
        self.hosts = get(path, tree, "hosts", list, optional=True) or []
        self.files = get(path, tree, "files", list, optional=True) or []
        # nodes that see the same storage
        self.groups = get(path, tree, "nodes", list, optional=True) or []
        self.doctor = get(path, tree, "doctor", dict, optional=True) or {}
        if not all(isinstance(one, dict) for one in self.doctor.values()):
            raise wrong(path, "doctor", "an object of objects")
        self.options = get(path, tree, "options", dict, optional=True) or {}
        samples = get(path, tree, "samples", list, optional=True) or []
        self.read_samples: Callable[[], List[Dict[str, Any]]] = lambda: samples
        self.warnings = get(path, tree, "warnings", list, optional=True) or []
        self.errors = get(path, tree, "errors", list, optional=True) or []
        checks = get(path, tree, "checks", dict, optional=True) or {}
        self.device_share = get(path, checks, "device_share", float, "checks.", True)
        for name, rows in (("samples", samples),) + tuple(
                (name, getattr(self, name))
                for name in ("hosts", "files", "groups", "warnings", "errors")):
            if not all(isinstance(row, dict) for row in rows):
                raise wrong(path, name, "a list of objects")
        if not all(isinstance(option, dict) for option in self.options.values()):
            raise wrong(path, "options", "an object of objects")
        rows = get(path, tree, "figures", list, optional=not self.valid) or []
        self.figures = [figure(path, row, i) for i, row in enumerate(rows)]
        # including values that are no measurements
        self.given = [row["reps"] for row in rows]
        # Of a run that compared its arms; results/comparison.py takes it apart, and
        # sets the report that a part is of, and its place in the round.
        self.comparison = get(path, tree, "comparison", dict, optional=True)
        self.figure_arms = [row.get("arm") for row in rows]
        self.arms_of: Optional["Report"] = None
        self.turn: Optional[int] = None
        faults = fields.check(tree, fields.TABLE, "$", fields.PARTIAL)
        if self.comparison is not None and self.valid:
            faults += fields.check(self.comparison, fields.COMPARISON, "$.comparison")
        if faults:
            raise LeadlineError("%s: not a Leadline report: %s" % (path, faults[0]))

    @property
    def samples(self) -> List[Dict[str, Any]]:
        return self.read_samples()

    @property
    def order_seed(self) -> int:
        """The seed of a comparison's permutations; 0: it is a run of its own."""
        tree = self.arms_of.comparison if self.arms_of is not None else None
        return tree["seed"] if tree else 0

    def option(self, name: str) -> Any:
        """Returns an option's value; None if there is none."""
        return self.options.get(name, {}).get("value")

    def option_values(self, workload_only: bool = False) -> Dict[str, Any]:
        return {name: option.get("value") for name, option in self.options.items()
                if option.get("workload") or not workload_only}

    def host_names(self) -> List[str]:
        return [printable(host.get("name") or "?") for host in self.hosts]

    def file_systems(self) -> List[Tuple[str, str]]:
        """Returns (type, mount options) of its files' file systems, each once."""
        found = [(printable(row.get("fs") or "?"), printable(row.get("mount") or ""))
                 for row in self.files]
        return list(OrderedDict.fromkeys(found))

    def from_memory(self) -> bool:
        """True if memory and not the device served its reads."""
        if any(w.get("code") == SERVED_FROM_MEMORY for w in self.warnings):
            return True
        return self.device_share is not None and self.device_share < FROM_DEVICE

    def cache_below(self) -> bool:
        """True if a cache or memory below its file system may have served its reads."""
        return any(w.get("code") == CACHE_BELOW for w in self.warnings)

    def storage(self) -> List[str]:
        """Returns the storage of its files, each once: "ext4 on loop0 on xfs on
        sda"."""
        found: Dict[str, None] = OrderedDict()
        for row in self.files:
            text, last = "", -1
            for layer in filter(None, row.get("stack") or []):
                level = layer.get("level") or 0
                joint = " on " if level > last else " and "
                text += (joint if text else "") + printable(layer.get("name") or "?")
                last = level
            if text:
                found[text] = None
        return list(found)

    def failure(self) -> str:
        """Returns why it is not valid, in the program's words."""
        for error in self.errors:
            if error.get("text"):
                return printable(error["text"])
        return self.why or "it says no more"


def origin(imported: Optional[Dict[str, Any]]) -> str:
    """Returns the source of an imported report, in words: "fio 3.33"; "" for our
    own."""
    words = [(imported or {}).get(name) for name in ("tool", "tool_version")]
    return printable(" ".join(word for word in words if isinstance(word, str)))


def milliseconds(utc: str) -> Optional[int]:
    """Converts a report's time to milliseconds since 1970; None for none."""
    if not utc:
        return None
    day, _, part = utc.rstrip("Z").partition(".")
    try:
        moment = datetime.strptime(day, "%Y-%m-%dT%H:%M:%S")
    except ValueError:   # such as the 32nd of a month
        return None
    return calendar.timegm(moment.timetuple()) * 1000 + int((part + "000")[:3])


def same(a: Report, b: Report) -> bool:
    """True if two reports say the same, however they are formatted, and whatever the
    name of the file that they were imported from."""
    return told(a) == told(b)


def told(report: Report) -> Dict[str, Any]:
    tree: Dict[str, Any] = read_json(report.path)
    (tree["run"].get("imported") or {}).pop("file", None)
    return tree


KINDS = {bool: "true or false", str: "text", int: "a whole number",
         float: "a number", dict: "an object", list: "a list"}


def wrong(path: str, what: str, kind: str) -> LeadlineError:
    return LeadlineError("%s: not a Leadline report: %s is not %s" % (path, what, kind))


def get(path: str, tree: Dict[str, Any], name: str, kind: type, where: str = "",
        optional: bool = False) -> Any:
    """Returns tree[name], which must be of `kind`; None if `optional` and absent or
    null."""
    value = tree.get(name)
    if value is None and optional:
        return None
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool)
                                           and kind is not bool):
        raise wrong(path, where + name, KINDS[kind])
    return sys.intern(printable(value)) if kind is str else value


def figure(path: str, row: Any, i: int) -> Figure:
    where = "figures[%d]." % i
    if not isinstance(row, dict):
        raise wrong(path, "figures[%d]" % i, KINDS[dict])
    name = get(path, row, "name", str, where)
    better = get(path, row, "better", str, where)
    if better not in ("higher", "lower"):
        raise wrong(path, where + "better", '"higher" or "lower"')
    reps = get(path, row, "reps", list, where)
    for rep in reps:
        if rep is not None and (isinstance(rep, bool)
                                or not isinstance(rep, (int, float))):
            raise wrong(path, where + "reps", "a list of numbers")
    at = get(path, row, "at", dict, where, optional=True) or {}
    unit = get(path, row, "unit", str, where)
    if not unit:
        raise wrong(path, where + "unit", "a unit")
    # A ratio needs positive numbers; others were no measurements.
    good = [(i + 1, rep) for i, rep in enumerate(reps)
            if rep is not None and fields.SMALLEST <= rep <= fields.LARGEST]
    return Figure(name, tuple(sorted((str(k), str(v)) for k, v in at.items())),
                  unit, better, [rep for _, rep in good],
                  sum(rep is None for rep in reps), [i for i, _ in good],
                  sum(rep is not None for rep in reps) - len(good))


def refuse_constant(name: str) -> None:
    raise ValueError("it holds %s, which is not JSON" % name)


def read_json(path: str, pairs: Any = None) -> Any:
    """Returns the tree in `path`, or raises a sentence. pairs: makes an object of its
    pairs."""
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as why:
        reason = getattr(why, "strerror", None) or "it is not UTF-8 text"
        raise LeadlineError("%s: cannot be read: %s" % (path, reason))
    return parse(path, text, pairs)


def parse(path: str, text: str, pairs: Any = None) -> Any:
    if not text.strip():
        raise LeadlineError("%s: not a Leadline report: the file is empty" % path)
    try:
        return json.loads(text, parse_constant=refuse_constant,
                          object_pairs_hook=pairs)
    except (ValueError, RecursionError) as why:
        raise LeadlineError("%s: not JSON: %s" % (path, why))


def stem(path: str) -> str:
    return printable(os.path.splitext(os.path.basename(path))[0])


def schema_of(tree: Any) -> Any:
    return tree.get("schema") if isinstance(tree, dict) else None


def load(path: str) -> Report:
    tree = read_json(path)
    schema = schema_of(tree)
    if schema is None:
        raise LeadlineError("%s: not a Leadline report: it names no schema" % path)
    if schema != SCHEMA:
        raise LeadlineError("%s: its schema is %s, this leadline reads %s"
                            % (path, json.dumps(schema), SCHEMA))
    return Report(path, tree)


def load_one_of_many(path: str, tree: Dict[str, Any]) -> Report:
    """Makes a report that leaves its samples in the file, and shares with the others
    what is the same in them."""
    report = Report(path, tree)
    report.read_samples = functools.partial(samples_in, path)
    for name in ("mpi", "io", "files", "groups", "doctor"):
        value = getattr(report, name)
        setattr(report, name, shared(json.dumps(value), value))
    report.options = {sys.intern(name): shared(json.dumps(value), value)
                      for name, value in report.options.items()}
    return report


@functools.lru_cache(maxsize=1)
def samples_in(path: str) -> List[Dict[str, Any]]:
    rows: List[Dict[str, Any]] = get(path, read_json(path), "samples", list, "", True)
    return rows or []


KNOWN: Dict[str, Any] = {}


def shared(text: str, value: Any) -> Any:
    """Returns the first value of all that have this text."""
    return KNOWN.setdefault(text, value)


def json_files(folder: str) -> List[str]:
    """Returns paths of possible reports in `folder`, in the order of their names."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as why:
        raise LeadlineError("%s: cannot be read: %s" % (folder, why.strerror))
    paths = [os.path.join(folder, name) for name in names
             if name.endswith(".json") and not name.startswith(".")]
    return [path for path in paths if not os.path.isdir(path)]


def folders_in(folder: str) -> List[str]:
    """Returns the names of directories that are not hidden; none if they cannot be
    listed."""
    try:
        return sorted(name for name in os.listdir(folder)
                      if not name.startswith(".")
                      and os.path.isdir(os.path.join(folder, name)))
    except OSError:
        return []


def load_directory(folder: str) -> Tuple[List[Report], List[str]]:
    """Returns (reports, sentences about unreadable ones). JSON files of another schema
    are not reports and no fault. A sweep's state gives the order in which its
    configurations were asked for; times order the rest."""
    reports: List[Report] = []
    faults: List[str] = []
    asked: List[str] = []
    states: List[Any] = []
    for path in json_files(folder):
        try:
            tree = read_json(path)
            if schema_of(tree) == SCHEMA:
                reports.append(load_one_of_many(path, tree))
            elif schema_of(tree) == SWEEP_SCHEMA:
                asked = tree.get("configs") or []
                states.append(tree)
        except LeadlineError as fault:
            faults.append(str(fault))
    place = {name: i for i, name in enumerate(asked)}
    for report in reports:
        report.place = place.get(report.config)
    reports.sort(key=lambda r: (place.get(r.config, len(place)), r.start_utc))
    done = set((r.series_id, r.config) for r in reports if r.valid)
    for tree in states:
        faults += without_report(folder, tree, done)
    return reports, faults


def without_report(folder: str, state: Any, done: Any) -> List[str]:
    """Returns a sentence on the configurations of a sweep that have no valid report, as
    those that fail in every round. done: (series, configuration) of those that have
    one."""
    series, names = state.get("id"), state.get("configs")
    if not isinstance(names, list) or not isinstance(series, str):
        return []
    lost = [printable(name) for name in names
            if isinstance(name, str) and (series, name) not in done]
    return ["%s: no run of %s left a valid report; what they said is in the .log files "
            "there" % (folder, ", ".join(lost))] if lost else []
