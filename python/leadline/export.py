"""leadline export: figures of reports as one tidy table, for R, pandas and the like.

A row for each figure and repetition; the columns say what was measured, and under which
conditions: one for each option that some report has.
"""
from collections import OrderedDict

from leadline import history, output, table
from leadline.errors import LeadlineError
from leadline.report import printable

CONDITIONS = OrderedDict([
    ("path", lambda r: r.path), ("run", lambda r: r.id),
    ("start_utc", lambda r: r.start_utc), ("program", lambda r: r.program),
    ("version", lambda r: r.version), ("valid", lambda r: r.valid),
    ("label", lambda r: r.label), ("series", lambda r: r.series_id),
    ("config", lambda r: r.config), ("round", lambda r: r.round),
    ("mpi_library", lambda r: r.mpi_library), ("ranks", lambda r: r.ranks),
    ("nodes", lambda r: r.nodes), ("hosts", lambda r: " ".join(r.host_names())),
    ("file_system", lambda r: " ".join(fs for fs, _ in r.file_systems())),
    ("cache", lambda r: r.cache), ("sync", lambda r: r.sync),
    ("from_memory", lambda r: r.from_memory())])
MEASURED = ["figure", "at", "unit", "better", "rep", "value"]
OPTION = "option_"   # before names of options, which may be those of conditions


def rows(found):
    """(names of columns, the rows, each a dict)."""
    options = sorted(set(name for r in found for name in r.options))
    columns = list(CONDITIONS) + [OPTION + name for name in options] + MEASURED
    return columns, (row for r in found for row in rows_of(r, options))


def rows_of(report, options):
    same = OrderedDict((name, of(report)) for name, of in CONDITIONS.items())
    values = report.option_values()
    same.update((OPTION + name, values.get(name)) for name in options)
    for figure in report.figures:
        at = " ".join("%s=%s" % pair for pair in figure.at)
        for rep, value in zip(figure.which, figure.reps):
            yield dict(same, figure=figure.name, at=at, unit=figure.unit,
                       better=figure.better, rep=rep, value=value)


def cell(value):
    """Of a table in text: true, false, nothing, or the value with all its digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else printable(value)


def as_csv(columns, some):
    return table.comma_separated(columns, ([cell(row[c]) for c in columns]
                                           for row in some))


def write_parquet(path, columns, some):
    """Numbers stay numbers; a column in which reports have different kinds is text."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise LeadlineError("--format parquet needs pyarrow, which this Python has "
                            "not: install it, or take csv")
    held = list(some)
    data = OrderedDict()
    for name in columns:
        values = [row[name] for row in held]
        kinds = set(type(v) for v in values if v is not None)
        if len(kinds) > 1 and not kinds <= {int, float}:
            values = [None if v is None else cell(v) for v in values]
        data[name] = values
    with output.replacing(path) as stream:
        parquet.write_table(pyarrow.table(data), stream)


def main(args, where):
    if args.format == "parquet" and not args.output:
        raise LeadlineError("--format parquet is not for a terminal: say --output FILE")
    found, faults = history.collect(args.paths)
    if not found:
        raise LeadlineError(faults[0] if faults
                            else "no report in " + ", ".join(args.paths))
    history.tell(faults, "export")
    columns, some = rows(found)
    if args.format == "parquet":
        write_parquet(args.output, columns, some)
    else:
        output.write(args.output, as_csv(columns, some))
    return 0


def add(commands):
    p = commands.add_parser(
        "export", help="figures of reports as one table, for other programs",
        description="Writes a row for each figure and repetition of the reports in "
        "directories and all below them, with what was measured and under which "
        "conditions.")
    p.add_argument("paths", metavar="DIR", nargs="+",
                   help="a directory of reports, or a report")
    p.add_argument("--format", choices=["csv", "parquet"], default="csv",
                   help="parquet needs pyarrow, and --output (default: csv)")
    output.add_option(p)
    p.set_defaults(run=main)
