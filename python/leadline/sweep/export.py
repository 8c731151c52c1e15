"""leadline export: figures of reports as one tidy table, for R, pandas and the like.

It has a row for each figure and repetition. Columns tell what was measured, and under
which conditions: one for each option of the workload that some report has, for those of
ALWAYS, and for whatever differs between the runs or was varied by a sweep. Unknown
values are empty. Only this much of a report is kept, so that archives of thousands fit
into memory.
"""
import csv
import io
import os
import sys
from collections import OrderedDict, namedtuple

from leadline.base import output, table
from leadline.base.errors import LeadlineError
from leadline.base.fields import printable
from leadline.base.options import operand, option, output_file
from leadline.results import comparison, history
from leadline.results import report as reports
from leadline.results.groups import ABOUT_OUTPUT
from leadline.sweep import factors, sweep_state

SCHEMA = "leadline-table/1"
CONDITIONS = OrderedDict([
    ("run_id", lambda r: r.id or None), ("start_utc", lambda r: r.start_utc or None),
    ("program", lambda r: r.program), ("version", lambda r: r.version or None),
    ("label", lambda r: r.label or None), ("series", lambda r: r.series_id or None),
    ("config", lambda r: r.config or None), ("round", lambda r: r.round),
    ("valid", lambda r: r.valid), ("imported_from", lambda r: r.imported or None),
    ("host", lambda r: " ".join(r.host_names()) or None), ("nodes", lambda r: r.nodes),
    ("ranks", lambda r: r.ranks), ("mpi", lambda r: r.mpi_library or None),
    ("engine", lambda r: r.engine), ("cache", lambda r: r.cache),
    ("sync", lambda r: r.sync),
    ("fs", lambda r: " ".join(OrderedDict.fromkeys(
        fs for fs, _ in r.file_systems())) or None),
    ("from_memory", lambda r: r.from_memory())])
MEASURED = ["figure", "at_name", "at_value", "unit", "better", "rep", "value", "weight"]
ALWAYS = ("filetype", "iomode", "collective", "dir", "hint")
# prefix of columns of options, as options may have names of conditions
OPTION = "opt_"
BATCH = 50000        # rows of Parquet in memory at a time

# Data kept of a report. `figures`: (name, at_name, at_value, unit, better, values);
# `work`: names of options of the workload.
Run = namedtuple("Run", "key same options figures work")


# ---- reading -----------------------------------------------------------------


def slim(report, varied):
    """Extracts the data to keep. varied: {name: value}, other factors of a sweep."""
    same = tuple(shared(of(report)) for of in CONDITIONS.values())
    figures = sorted(((shared(f.name),) + at_of(f) + (
        shared(f.unit), shared(f.better), values)
        for f, values in zip(report.figures, report.given)),
        key=lambda row: (row[0], row[1] or "", row[2] or ""))
    options = {shared(name): shared(simple(value))
               for name, value in report.option_values().items()
               if name not in ABOUT_OUTPUT}
    work = frozenset(map(shared, report.option_values(workload_only=True)))
    options.update((shared(name), shared(simple(value)))
                   for name, value in varied.items() if name not in options)
    return Run((report.start_utc, report.id, report.path), same, options, figures, work)


class States:
    """Finds what sweeps varied, from their states: environment variables, which no
    report has, and the like."""

    def __init__(self):
        self.found = {}   # {directory: state of the sweep in it}

    def varied(self, report):
        folder = os.path.dirname(report.path)
        if folder not in self.found:
            try:
                self.found[folder] = sweep_state.read(folder) or {}
            except LeadlineError:
                self.found[folder] = {}
        state = self.found[folder]
        values = state.get("values")
        mine = values.get(report.config) if isinstance(values, dict) else None
        if state.get("id") != report.series_id or not isinstance(mine, dict):
            return {}
        return {name: value for name, value in mine.items()
                if factors.is_factor(name) and name != factors.RANKS}


def shared(value):
    """Interns a value, as reports repeat the same values again and again."""
    return sys.intern(value) if isinstance(value, str) else value


def simple(value):
    """Converts an option's value to that of one cell."""
    return " ".join(map(str, value)) if isinstance(value, list) else value


def at_of(figure):
    if not figure.at:
        return None, None
    return tuple(shared(" ".join(pair[i] for pair in figure.at)) for i in (0, 1))


def collect(paths):
    """Returns (runs by date, sentences about unreadable files)."""
    runs, faults, states = [], [], States()
    for report in history.once(paths, faults):
        runs += [slim(one, states.varied(one))
                 for one in comparison.expanded(report)]
    return sorted(runs, key=lambda run: run.key), faults


# ---- rows --------------------------------------------------------------------


def columns_of(runs):
    work = set(name for run in runs for name in run.work)
    values = {}
    for run in runs:
        for name, value in run.options.items():
            values.setdefault(name, set()).add(repr(value))
    options = sorted(name for name, found in values.items() if len(found) > 1
                     or name in work or name in ALWAYS or factors.is_factor(name))
    return options, list(CONDITIONS) + [OPTION + name for name in options] + MEASURED


def rows(runs, options):
    """Generates lists of values, in the order of the columns."""
    for run in runs:
        begin = list(run.same) + [run.options.get(name) for name in options]
        for name, at_name, at_value, unit, better, values in run.figures:
            for i, value in enumerate(values):
                yield begin + [name, at_name, at_value, unit, better, i + 1, value,
                               1.0 / len(values)]


def cell(value):
    """Formats a cell: true, false, empty, or the value with all its digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return table.no_formula(printable(value))
    return repr(value) if isinstance(value, float) else printable(value)


def write_csv(path, columns, some):
    def lines():
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for row in some:
            writer.writerow([cell(value) for value in row])
            if out.tell() > 1 << 16:
                yield out.getvalue()
                out.seek(0)
                out.truncate()
        yield out.getvalue()
    if path is None:
        for text in lines():
            output.say(text)
        return
    output.write_parts(path, lines())


# ---- Parquet -----------------------------------------------------------------


def kind_of(values):
    """Returns the type of a column's values; text if reports have different types."""
    kinds = set(type(v) for v in values if v is not None)
    if kinds == {bool}:
        return bool
    if kinds == {int} and all(-1 << 63 <= v < 1 << 63 for v in values
                              if v is not None):
        return int
    return float if kinds and kinds <= {int, float} else str


def kinds_of(runs, options):
    """Returns a type for each column."""
    kinds = [kind_of(set(run.same[i] for run in runs)) for i in range(len(CONDITIONS))]
    kinds += [kind_of([run.options.get(name) for run in runs]) for name in options]
    return kinds + [str, str, str, str, str, int, float, float]


def as_kind(value, kind):
    if value is None:
        return None
    if kind is str:
        return value if isinstance(value, str) else cell(value)
    return float(value) if kind is float else value


def write_parquet(path, columns, runs, options):
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise LeadlineError("Parquet needs pyarrow",
                            todo="Install it (pip install pyarrow), or write CSV")
    types = {str: pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
             int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    kinds = kinds_of(runs, options)
    fields = [pyarrow.field(name, pyarrow.timestamp("ms", tz="UTC")
                            if name == "start_utc" else types[kind])
              for name, kind in zip(columns, kinds)]
    form = pyarrow.schema(fields, metadata={"leadline": SCHEMA})
    with output.replacing(path) as stream:
        writer = parquet.ParquetWriter(stream, form)
        for batch in batches(rows(runs, options)):
            arrays = [pyarrow.array(
                [reports.milliseconds(row[i]) if field.name == "start_utc"
                 else as_kind(row[i], kind) for row in batch], type=field.type)
                for i, (field, kind) in enumerate(zip(fields, kinds))]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=form))
        writer.close()


def batches(some):
    batch = []
    for row in some:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


# ---- the command -------------------------------------------------------------


def main(args, where):
    if args.format == "parquet" and not args.output:
        raise LeadlineError("--format parquet is not for a terminal",
                            todo="Say --output FILE")
    runs, faults = collect(args.paths)
    if not runs:
        raise LeadlineError(faults[0] if faults
                            else "no report in " + ", ".join(args.paths))
    history.tell(faults, "export")
    options, columns = columns_of(runs)
    if args.format == "parquet":
        write_parquet(args.output, columns, runs, options)
    else:
        write_csv(args.output, columns, rows(runs, options))
    return 0


OPTIONS = [
    operand("DIR ...", "paths", "a directory of reports, or a report"),
    option("--format", "parquet needs pyarrow, and --output (default: csv)",
           "{choices}, which needs pyarrow and `--output`. In Parquet texts are "
           "dictionaries, start_utc is a time, and a column in which reports have "
           "values of different kinds is text.",
           choices=["csv", "parquet"], default="csv"),
    output_file(),
]


def add(commands):
    p = commands.add_parser(
        "export", help="write the figures of reports as one table, for other programs",
        description="Writes one row per figure and repetition of the reports in the "
                    "directories and below them, with what was measured and under "
                    "which conditions.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
