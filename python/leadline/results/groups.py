"""Groups reports into configurations, whose reports are repetitions of the same
thing."""
import os
from collections import Counter, OrderedDict, namedtuple
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from leadline.base import stats
from leadline.base.errors import LeadlineError
from leadline.base.fields import printable
from leadline.results import comparison
from leadline.results import report as reports
from leadline.results.report import Report

Slowest = namedtuple("Slowest", "rank host times runs ranks")
CALIBRATION = "calibrate"   # name of the program in a calibration's report
Key = Tuple[Any, ...]   # of a figure: its name and `at`; of an observation: its round


class NothingValid(LeadlineError):
    """There is no valid report."""


class Group:
    """The valid reports of one configuration."""

    def __init__(self, name: str, source: str, same: Key = ()) -> None:
        self.name = name
        self.source = source
        self.same = same
        self.reports: List[Report] = []

    @property
    def first(self) -> Report:
        return self.reports[0]

    @property
    def is_one_run(self) -> bool:
        """True if its values are repetitions within a run. These share the placement of
        the process, its files and the time of day: they do not tell how runs differ."""
        return len(self.reports) == 1

    def figures(self) -> Dict[Key, reports.Figure]:
        """Returns (name, at) of every figure, in the order of the reports."""
        keys: Dict[Key, reports.Figure] = OrderedDict()
        for report in self.reports:
            for figure in report.figures:
                keys[figure.name, figure.at] = figure
        return keys

    def observations(self, key: Key) -> Dict[Key, float]:
        """Returns an OrderedDict of independent values of one figure. The key is the
        round, (series id, round), if there is one: equal rounds of two configurations
        make a pair. Repetitions within a run are not independent of each other, so of
        several runs each counts once, with its median."""
        values: Dict[Key, List[float]] = OrderedDict()
        for i, report in enumerate(self.reports):
            for figure in report.figures:
                if (figure.name, figure.at) != key or not figure.reps:
                    continue
                if self.is_one_run:
                    return OrderedDict((("rep", i, j), v)
                                       for j, v in enumerate(figure.reps))
                at: Key = ("run", report.start_utc, report.path)
                if report.round is not None:
                    at = (report.series_id, report.round)
                values.setdefault(at, []).append(stats.median(figure.reps))
        return OrderedDict((at, stats.median(v)) for at, v in values.items())

    def without_rate(self, key: Key) -> Tuple[int, int]:
        """Returns (number of repetitions without a value of a figure, number of
        all)."""
        found = [f for r in self.reports for f in r.figures if (f.name, f.at) == key]
        none = sum(f.absent + f.zeros for f in found)
        return none, none + sum(len(f.reps) for f in found)

    def zeros(self, key: Key) -> int:
        return sum(f.zeros for r in self.reports for f in r.figures
                   if (f.name, f.at) == key)

    def from_memory(self) -> int:
        return sum(report.from_memory() for report in self.reports)

    def slowest(self) -> Optional[Slowest]:
        """Returns the rank that needed most time for its reads and writes, and in how
        many runs it did; None if no run tells it."""
        winners: Dict[int, int] = Counter()
        hosts: Dict[int, str] = {}
        for report in self.reports:
            seconds, rank_hosts = transfer_seconds(report)
            hosts.update(rank_hosts)
            if seconds:
                # Of equals the lowest rank, whatever the order in the file.
                winners[min(seconds, key=lambda r: (-seconds[r], r))] += 1
        if not winners:
            return None
        rank = min(winners, key=lambda r: (-winners[r], r))
        return Slowest(rank, hosts.get(rank, ""), winners[rank],
                       sum(winners.values()), self.first.ranks)


def transfer_seconds(report: Report) -> Tuple[Dict[int, float], Dict[int, str]]:
    """Returns the seconds of reading, writing and syncing by rank: of all ranks if the
    report has them, else only of the slowest of each phase."""
    seconds: Dict[int, float] = {}
    hosts: Dict[int, str] = {}
    for sample in report.samples:
        if sample.get("act") not in ("read", "write", "sync"):
            continue
        every, slowest = sample.get("ranks_s"), sample.get("max_rank")
        if isinstance(every, list):
            for rank, s in enumerate(every):
                seconds[rank] = seconds.get(rank, 0.0) + (s or 0.0)
        elif isinstance(slowest, int):
            seconds[slowest] = seconds.get(slowest, 0.0) + (sample.get("max_s") or 0.0)
        if isinstance(slowest, int) and sample.get("max_host"):
            hosts[slowest] = printable(sample["max_host"])
    return seconds, hosts


# ---- differences that rule out a comparison ----------------------------------


def difference(a: Report, b: Report, ignoring: Sequence[str] = ()) -> str:
    """Returns why report `a` cannot be compared with `b`; "" if it can."""
    pairs: List[Tuple[str, Any, Any]] = [("program", a.program, b.program)]
    if not varied(a, b):
        pairs += work_of(a, b)
    for name, mine, other in pairs:
        if mine != other and name.split()[0] not in ignoring:
            if None in (mine, other) and name in ("cache policy", "sync"):
                return "%s unknown" % name   # for one of them, which was imported
            return "other %s (%s, not %s)" % (name, mine, other)
    return ""


def varied(a: Report, b: Report) -> bool:
    """True if both are configurations of one sweep: then their difference is the
    question, and no reason to refuse the comparison."""
    return bool(a.series_id and a.series_id == b.series_id and a.config != b.config)


def work_of(a: Report, b: Report) -> List[Tuple[str, Any, Any]]:
    """Returns [(name, value of one, of the other)] of the options that define a run's
    work."""
    ours, theirs = a.option_values(True), b.option_values(True)
    names = list(ours) + [n for n in theirs if n not in ours]
    return ([("ranks", a.ranks, b.ranks)]
            + [(name, ours.get(name), theirs.get(name)) for name in names]
            + [("cache policy", a.cache, b.cache), ("sync", a.sync, b.sync)])


def not_comparable(figure_name: str, a: Group, b: Group,
                   ignoring: Sequence[str] = ()) -> str:
    """Like difference, for two groups and one figure."""
    for group in (a, b):
        for report in group.reports[1:]:
            why = difference(report, group.first, ignoring)
            if why:
                return "runs of %s differ: %s" % (group.name, why)
    why = difference(a.first, b.first, ignoring)
    if why or "write" in figure_name:
        return why
    shares = [2 * group.from_memory() >= len(group.reports) for group in (a, b)]
    if shares[0] != shares[1]:
        return "%s was served from memory" % (a if shares[0] else b).name
    return ""


# ---- from the command line to groups -----------------------------------------


class Collection:
    """All that was read: groups, and sentences on what was left out. `apart`: reports
    of two sources are never repetitions of each other."""

    def __init__(self, apart: bool = False) -> None:
        self.apart = apart
        self.groups: List[Group] = []
        # calibrations, when there are reports of other programs
        self.yardsticks: List[Report] = []
        self.left_out: List[str] = []   # sentences
        self.asked_for_bad = False
        self.runs: Dict[Any, Report] = {}   # by id: the first report of each run
        self.copies: Dict[str, int] = Counter()

    def is_copy(self, report: Report) -> bool:
        """True if the run's report was already read: a copy is no further
        observation."""
        first = self.runs.setdefault(report.id or report, report)
        if first is report:
            return False
        if not reports.same(first, report):
            raise LeadlineError("%s and %s are reports of one run (%s), but they "
                                "differ: one of them was changed"
                                % (first.path, report.path, report.id),
                                todo="Leave it out")
        self.copies[report.id] += 1
        return True

    def take(self, report: Report, source: str, asked: bool) -> None:
        """Adds the runs of which a report tells."""
        if not self.is_copy(report):
            self.left_out += comparison.failures(report)
            for one in comparison.expanded(report):
                self.add(one, source, asked)

    def copied(self) -> List[str]:
        return ["%d copies of the report of run %s (%s) are counted once"
                % (n + 1, run, self.runs[run].path) for run, n in self.copies.items()]

    def add(self, report: Report, source: str, asked: bool) -> None:
        if not report.valid:
            self.left_out.append("%s is not valid and left out: %s"
                                 % (report.path, report.failure()))
            self.asked_for_bad = self.asked_for_bad or asked
            return
        name = report.config or report.label or reports.stem(report.path)
        # Equal names of two series are two configurations: before and after.
        same: Key = ((name, report.series_id) if report.config
                     else (name, report.program))
        if not report.config and not report.label:
            same = (report.path,)
        if report.arms_of is not None:   # equal arms of several runs are one
            same = (name, comparison.family(report))
        same += (source,) if self.apart else ()
        for group in self.groups:
            if group.same == same:
                group.reports.append(report)
                return
        group = Group(name, source, same)
        group.reports.append(report)
        self.groups.append(group)

    def take_yardsticks(self) -> None:
        """Separates calibrations, which others are compared with, unless there is
        nothing else."""
        others = [g for g in self.groups if g.first.program != CALIBRATION]
        if others:
            self.yardsticks = [r for g in self.groups if g not in others
                               for r in g.reports]
            self.groups = others


def found_in(path: str, notes: List[str]) -> List[Tuple[str, List[Report]]]:
    """Returns [(file or directory, its reports)]; for a directory without reports its
    subdirectories'."""
    if not os.path.isdir(path):
        return [(path, [reports.load(path)])]
    loaded, faults = reports.load_directory(path)
    notes += faults
    if loaded or faults:
        return [(path, loaded)]
    out = []
    for name in reports.folders_in(path):
        place = os.path.join(path, name)
        loaded, faults = reports.load_directory(place)
        notes += faults
        if loaded:
            out.append((place, loaded))
    if out:
        notes.append("%s has no reports itself: those of %s were taken" % (
            path, ", ".join(os.path.basename(place) for place, _ in out)))
    return out


def collect(paths: Iterable[str], purpose: str = "compare",
            apart: bool = False) -> Collection:
    """Reads files and directories into a Collection."""
    found = Collection(apart)
    seen: Set[str] = set()
    for path in paths:
        for place, loaded in found_in(path, found.left_out):
            for report in loaded:
                if os.path.realpath(report.path) not in seen:
                    seen.add(os.path.realpath(report.path))
                    found.take(report, path if apart else place,
                               asked=not os.path.isdir(path))
    found.left_out += found.copied()
    found.take_yardsticks()
    tell_apart(found.groups)
    if not found.groups:
        why = "; ".join(found.left_out[:1]) or "no report in " + ", ".join(paths)
        if len(found.left_out) > 1:
            why += " (and %d more)" % (len(found.left_out) - 1)
        raise NothingValid("nothing to %s: %s" % (purpose, why))
    return found


def tell_apart(groups: Sequence[Group]) -> None:
    """Adds the reports' origins to equal names."""
    def sources(group: Group) -> Tuple[str, ...]:
        return (reports.stem(group.source.rstrip("/")), group.source, group.same[-1])
    for level in range(3):
        names = Counter(group.name for group in groups)
        for group in groups:
            if names[group.name] > 1:
                first = group.first
                plain = first.config or first.label or reports.stem(first.path)
                group.name = "%s (%s)" % (plain, sources(group)[level])


# ---- options that differ ------------------------------------------------------

# Options that tell where results go, and do not affect the measurement.
ABOUT_OUTPUT = ("json", "csv", "series", "label", "quiet", "per-rank", "keep", "seed")


def varying(groups: Sequence[Group]) -> List[str]:
    """Returns the options in which configurations differ but not the runs of one of
    them."""
    def differ(reports: Sequence[Report], name: str) -> bool:
        return len(set(repr(r.option(name)) for r in reports)) > 1
    names = OrderedDict((name, None) for g in groups for name in g.first.options)
    found = [name for name in names if name not in ABOUT_OUTPUT
             and differ([g.first for g in groups], name)
             and not any(differ(g.reports, name) for g in groups)]
    return [name for name in found if name != "dir" or not own_folders(groups)]


def own_folders(groups: Sequence[Group]) -> bool:
    """True if each configuration had a folder for itself on one file system: then the
    folder is not compared."""
    folders = set(repr(g.first.option("dir")) for g in groups)
    places = set(tuple(g.first.file_systems()) for g in groups)
    return len(folders) == len(groups) and len(places) == 1


def follows_ranks(groups: Sequence[Group], name: str) -> bool:
    """True if an option of the workload has one value for each number of ranks."""
    values: Dict[Any, Set[str]] = {}
    for group in groups:
        if not (group.first.options.get(name) or {}).get("workload"):
            return False
        values.setdefault(group.first.ranks, set()).add(
            repr(group.first.option(name)))
    return all(len(found) == 1 for found in values.values())
