"""leadline list: lists the reports below some folders, a line for each."""
import fnmatch
import json
import os
import re
import sys
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from leadline.base import output, stats, table
from leadline.base.errors import LeadlineError, usage
from leadline.base.fields import SCHEMA as REPORT, printable
from leadline.base.options import operand, option, output_file
from leadline.results import comparison
from leadline.results import report as reports

SCHEMA = "leadline-list/1"
MAIN = 2      # figures in a line
TOLD = 3      # broken files that are named; the others are only counted
DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d)?)?)?)?)?Z?$")

Line = namedtuple("Line", "path valid date program configuration ranks nodes hosts fs "
                  "figures state")


# ---- reading -----------------------------------------------------------------


def below(folder: str, faults: List[str]) -> Iterator[str]:
    """Generates every folder below `folder`, itself first; an unreadable one is a
    fault."""
    def refuse(why: OSError) -> None:
        faults.append("%s: cannot be read: %s" % (why.filename, why.strerror))
    for path, folders, _ in os.walk(folder, onerror=refuse):
        folders.sort()
        yield path


def files(paths: Iterable[str], faults: List[str]) -> Iterator[str]:
    """Returns paths of possible reports, in folders and all below them, each once."""
    seen = set()
    for given in paths:
        for folder in below(given, faults) if os.path.isdir(given) else [None]:
            for path in reports.json_files(folder) if folder else [given]:
                real = os.path.realpath(path)
                if real not in seen:
                    seen.add(real)
                    yield path


def each(paths: Iterable[str], faults: List[str]) -> Iterator[reports.Report]:
    """Generates the reports. A named file must be one; other files in folders need
    not."""
    states: List[Tuple[str, Any]] = []
    done: Set[Tuple[str, str]] = set()
    for path in files(paths, faults):
        if path in paths:
            yield reports.load(path)
            continue
        try:
            tree = reports.read_json(path)
            report = (reports.load_one_of_many(path, tree)
                      if reports.schema_of(tree) == REPORT else None)
            if reports.schema_of(tree) == reports.SWEEP_SCHEMA:
                states.append((os.path.dirname(path), tree))
        except LeadlineError as why:
            faults.append(str(why))
            continue
        if report:
            done.update([(report.series_id, report.config)] if report.valid else [])
            yield report
    for folder, tree in states:
        faults += reports.without_report(folder, tree, done)


def once(paths: Iterable[str], faults: List[str]) -> Iterator[reports.Report]:
    """Generates the reports without the copies, which are no further observations."""
    seen: Set[str] = set()
    copies = 0
    for report in each(paths, faults):
        if report.id in seen:
            copies += 1
            continue
        seen.update([report.id] if report.id else [])
        yield report
    if copies:
        faults.append("%d report%s of runs that are in the table already: they are "
                      "left out" % (copies, "s are" if copies > 1 else " is"))


def collect(paths: Iterable[str], kept: Callable[[reports.Report], Any],
            read: Callable[..., Iterator[reports.Report]] = each) -> Tuple[
        List[Any], List[str]]:
    """Returns (what is kept of each run, by date; sentences about unreadable files).
    The arms of a comparison are runs. What is kept has a date and a path."""
    faults: List[str] = []
    found = [kept(one) for r in read(paths, faults) for one in comparison.arms(r)]
    return sorted(found, key=lambda r: (r.date, r.path)), faults


# ---- one line ----------------------------------------------------------------


def main_figures(report: reports.Report) -> List[Tuple[str, float, str]]:
    """Returns the main figures, totals of rates first, else the first ones: (name,
    median, unit)."""
    ranked = sorted((f for f in report.figures if f.reps and not f.at), key=lambda f: (
        not f.name.endswith("_MBps"), "." in f.name))
    return [(f.name, stats.median(f.reps), f.unit) for f in ranked[:MAIN]]


def line(report: reports.Report) -> Line:
    state = "valid" if report.valid else "not valid: " + report.failure()
    if report.valid and report.from_memory():
        state = "valid, reads from memory"
    elif report.valid and report.cache_below():
        state = "valid, reads perhaps from a cache below"
    return Line(report.path, report.valid, report.date, report.program,
                report.config or report.label or reports.stem(report.path),
                report.ranks, report.nodes, report.host_names(),
                [fs for fs, _ in report.file_systems()],
                main_figures(report) if report.valid else [], state)


def fits(found: Line, args: Any) -> bool:
    def any_like(names: Iterable[str], pattern: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for name in names)
    return bool(
        (args.host is None or any_like(found.hosts, args.host))
        and (args.fs is None or any_like(found.fs, args.fs))
        and (args.program is None or any_like([found.program,
             found.program.split(" ")[0]], args.program))
        and (args.since is None or found.date[:len(args.since)] >= args.since)
        and (args.until is None or found.date[:len(args.until)] <= args.until))


# ---- output ------------------------------------------------------------------

HEADER = ["date (UTC)", "program", "configuration", "ranks", "nodes", "host",
          "file system", "main figures", "state"]


def hosts_text(hosts: Sequence[str]) -> str:
    more = " +%d" % (len(hosts) - 1) if len(hosts) > 1 else ""
    return hosts[0].split(".")[0] + more if hosts else "-"


def cells(found: Line) -> List[str]:
    figures = ["%s %s %s" % (name.replace("_MBps", ""), table.number(value), unit)
               for name, value, unit in found.figures]
    return [found.date[:19].replace("T", " ") or "-", found.program,
            found.configuration, str(found.ranks or "-"), str(found.nodes or "-"),
            hosts_text(found.hosts), ", ".join(found.fs) or "-",
            ", ".join(figures) or "-", found.state]


def flat(found: Line) -> Dict[str, Any]:
    """Returns the data for programs."""
    return OrderedDict([
        ("path", found.path), ("date", found.date), ("program", found.program),
        ("configuration", found.configuration), ("ranks", found.ranks),
        ("nodes", found.nodes), ("hosts", found.hosts), ("file_systems", found.fs),
        ("valid", found.valid), ("state", found.state),
        ("figures", OrderedDict((name, value) for name, value, _ in found.figures))])


def render(form: str, lines: Sequence[Line], faults: Sequence[str]) -> str:
    if form == "json":
        tree = OrderedDict([("schema", SCHEMA), ("runs", [flat(x) for x in lines]),
                            ("notes", faults)])
        return json.dumps(tree, indent=1, allow_nan=False) + "\n"
    rows: List[Sequence[str]] = [cells(found) for found in lines]
    if form == "csv":
        return table.comma_separated(HEADER + ["path"], [
            [*row, printable(found.path)]
            for row, found in zip(rows, lines)])
    if form == "markdown":
        return table.markdown(HEADER, rows, right=(3, 4))
    return table.text(HEADER, rows, right=(3, 4))


def tell(faults: Sequence[str], command: str = "list") -> None:
    for fault in faults[:TOLD]:
        sys.stderr.write("leadline %s: %s\n" % (command, printable(fault)))
    if len(faults) > TOLD:
        sys.stderr.write("leadline %s: and %d more files that could not be read\n"
                         % (command, len(faults) - TOLD))


def main(args: Any, where: Any) -> int:
    found, faults = collect(args.paths, line)
    if not found:
        raise LeadlineError(faults[0] if faults
                            else "no report in " + ", ".join(args.paths))
    tell(faults)
    lines = [x for x in found if fits(x, args)]
    if not lines:
        raise LeadlineError("none of %d reports is of that host, file system, program "
                            "and time" % len(found))
    output.write(args.output, render(args.format, lines, faults))
    return 0


def date(text: str) -> str:
    if not DATE.match(text):
        raise usage("%s is not a date such as 2026-11, 2026-11-20 or "
                    "2026-11-20T10:15" % printable(text))
    return text.rstrip("Z")


OPTIONS = [
    operand("DIR ...", "paths", "a directory of reports, or a report"),
    option("--host NAME", "only runs on this host; may be a pattern",
           "Only runs that had this host. May be a pattern."),
    option("--fs TYPE",
           "only runs on this type of file system, such as ext4 or lustre; may be a "
           "pattern"),
    option("--program NAME", "only runs of this program; may be a pattern"),
    option("--since DATE",
           "only runs since this time (UTC), such as 2026-11 or 2026-11-20T10",
           "Only runs since this time in UTC: 2026, 2026-11, ... or 2026-11-20T10:15.",
           type=date),
    option("--until DATE", "only runs until the end of this month, day or hour",
           "Only runs until the end of this year, month, day, hour or minute.",
           type=date),
    option("--format", "default: text", choices=["text", "markdown", "csv", "json"],
           default="text"),
    output_file(),
]


def add(commands: Any) -> None:
    p = commands.add_parser(
        "list", help="list what has been measured, one line per report",
        description="Lists the reports in the directories and below them, by date.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
