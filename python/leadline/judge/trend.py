"""leadline trend: finds since when a program is slower, in months of runs, and what
changed with it. base/steps.py finds the steps.
"""
import argparse
import json
from collections import Counter, OrderedDict, namedtuple
from typing import Any, Dict, Iterable, List, Sequence

from leadline.base import output, stats, table
from leadline.base.errors import LeadlineError
from leadline.base.fields import printable
from leadline.base.options import operand, option, output_file
from leadline.base.steps import find_steps, two_speeds
from leadline.judge import compare, gate
from leadline.results import conditions, history
from leadline.results.groups import Key
from leadline.results import report as reports
from leadline.results.report import Figure, Report

SCHEMA = "leadline-trend/1"
FEWEST = 10           # fewest runs
TOLD = 3              # most runs that stand out and are named

Trend = namedtuple("Trend", "name figure points steps outliers speeds")
# Data kept of a report. `values`: (figure, its median); `conditions`: its value of each
# of EXPLAINS.
Run = namedtuple("Run", "path date version valid key values conditions")
Point = namedtuple("Point", "run value")
# From run `at` on the level is `ratio` of the one before; `what`: what changed between.
Step = namedtuple("Step", "at ratio before after what")

GROUPS = ("config", "host")

# Possible explanations of a step: a name, and its value in a report.
EXPLAINS = [(c.name, c.of) for c in conditions.CONDITIONS] + [
    ("reads from memory", lambda r: str(r.from_memory()))]


# ---- reports -----------------------------------------------------------------


def key(report: Report, by: Sequence[str]) -> Key:
    """Returns the key of a line, which its runs have in common: (program, (option,
    value) of those that make its workload, or its name, ranks, hosts)."""
    name = report.config or report.label
    options = tuple(sorted((n, repr(v)) for n, v in report.option_values(True).items()))
    what = (("", name),) if name else options
    if report.arms_of is not None:   # an arm is named by what it sets only
        what += options
    return (report.program, what if "config" in by else (), report.ranks,
            tuple(report.host_names()) if "host" in by else ())


def run_of(report: Report, by: Sequence[str]) -> Run:
    """Returns what trends need of a report."""
    return Run(report.path, report.date, report.version, report.valid, shared(key(
        report, by)), [(shared(f._replace(reps=None, which=None)), stats.median(f.reps))
                       for f in report.figures if f.reps],
        shared(tuple(of(report) for _, of in EXPLAINS)))


def shared(value: Any) -> Any:
    """Returns the first of all equal values, as reports repeat the same ones again and
    again."""
    return reports.shared(repr(value), value)


def groups_text(text: str) -> List[str]:
    """Parses the choice of keys: config,host."""
    found = [name.strip() for name in text.split(",")]
    if not all(name in GROUPS for name in found):
        raise argparse.ArgumentTypeError("%s is not config, host or config,host" % text)
    return found


def titles(keys: Iterable[Key]) -> Dict[Key, str]:
    """Returns {key: a name}, with the options in which the keys of its program
    differ."""
    every = Counter((of[0], pair) for of in keys for pair in of[1])
    runs = Counter(of[0] for of in keys)
    out = {}
    for of in keys:
        program, what, ranks, hosts = of
        words = [(n + "=" if n else "") + v.strip("'") for n, v in what
                 if not n or every[program, (n, v)] < runs[program]]
        out[of] = printable("%s, %d rank%s%s" % (
            " ".join([program] + words), ranks, "s" if ranks > 1 else "",
            " on " + ", ".join(hosts) if hosts else ""))
    return out


def what_changed(before: Sequence[Point], after: Sequence[Point]) -> List[str]:
    """Describes a change, "kernel 6.1 -> 6.6", if two levels have no value in
    common."""
    out = []
    for i, (name, _) in enumerate(EXPLAINS):
        old, new = ([p.run.conditions[i] for p in some] for some in (before, after))
        if not set(old) & set(new):
            out.append("%s %s -> %s" % (name, old[-1] or "?", new[0] or "?"))
    return out


def trend(name: str, figure: Figure, points: Sequence[Point], least: float) -> Trend:
    if len(points) < FEWEST:
        return Trend(name, figure, points, [], [], None)
    values = [p.value for p in points]
    found, outliers = find_steps(values)
    ends = [0] + [at for at, _ in found] + [len(points)]
    levels = [points[a:b] for a, b in zip(ends, ends[1:])]
    steps = [Step(at, ratio, middle(before), middle(after), what_changed(before, after))
             for (at, ratio), before, after in zip(found, levels, levels[1:])
             if max(ratio, 1.0 / ratio) >= least]
    return Trend(name, figure, points, steps, outliers, two_speeds(values))


def middle(points: Iterable[Any]) -> float:
    return stats.median([p.value for p in points])


def collect(found: Iterable[Run], patterns: Any, least: Any) -> Any:
    runs: Dict[Any, List[Run]] = OrderedDict()
    for run in found:
        if run.valid:
            runs.setdefault(run.key, []).append(run)
    out, named = [], titles(runs)
    for of, some in runs.items():
        figures = OrderedDict(((f.name, f.at), f) for r in some for f, _ in r.values)
        names = set(name for name, _ in figures)
        wanted = patterns or [f for f in compare.TOTALS if f in names] or sorted(names)
        for at, figure in figures.items():
            if compare.matches(figure.name, wanted):
                points = [Point(r, value) for r in some
                          for f, value in r.values if (f.name, f.at) == at]
                out.append(trend(named[of], figure, points, least))
    return [t for t in out if t.points]


# ---- output ------------------------------------------------------------------

HEADER = ["configuration", "figure", "unit", "runs", "from (UTC)", "to", "level now",
          "steps"]


def day(point: Point) -> str:
    return str(point.run.date[:16].replace("T", " ") or point.run.path)


def cells(t: Trend) -> List[str]:
    now = t.points[t.steps[-1].at:] if t.steps else t.points
    return [t.name, compare.figure_title(t.figure), t.figure.unit, str(len(t.points)),
            t.points[0].run.date[:10] or "-", t.points[-1].run.date[:10] or "-",
            table.number(middle(now)),
            "two speeds" if t.speeds else
            str(len(t.steps)) if len(t.points) >= FEWEST else "-"]


def sentences(trends: Sequence[Any]) -> List[str]:
    out = []
    for t in trends:
        of = "%s of %s" % (compare.figure_title(t.figure), t.name)
        out += ["%s: %s" % (of, step_text(t, step)) for step in t.steps]
        if t.speeds:
            out.append("%s: two speeds, %s and %s %s, %.0f %% of the runs with the "
                       "lower one; they change places too often for steps" % (
                           of, table.number(t.speeds.low), table.number(t.speeds.high),
                           t.figure.unit, 100 * t.speeds.share))
        if t.outliers:
            named = ["%s (run %d, %s)" % (day(t.points[i]), i + 1,
                                          table.number(t.points[i].value))
                     for i in t.outliers[:TOLD]]
            more = " and %d more" % (len(t.outliers) - TOLD)
            out.append("%s: single runs that stand out, and count less: %s%s" % (
                of, ", ".join(named), more if len(t.outliers) > TOLD else ""))
    return out


def step_text(t: Trend, step: Step) -> str:
    better = (step.ratio > 1.0) == (t.figure.better == "higher")
    return "%s from %s on (run %d of %d): %.2fx, from %s to %s %s; %s" % (
        "better" if better else "worse", day(t.points[step.at]), step.at + 1,
        len(t.points), step.ratio, table.number(step.before), table.number(step.after),
        t.figure.unit, "changed with it: " + "; ".join(step.what) if step.what
        else "nothing that the reports tell changed with it")


def left_out(found: Sequence[Run]) -> List[str]:
    bad = sum(not r.valid for r in found)
    return ["%d report%s not valid and left out" % (bad, "s are" if bad > 1 else " is")
            ] * bool(bad)


def notes(trends: Sequence[Trend], found: Sequence[Run],
          faults: Sequence[str]) -> List[str]:
    out = list(faults)
    undated = sum(not r.date for r in found if r.valid)
    if undated:
        out.append("%d report%s no time: they come first, by their names" % (
            undated, "s have" if undated > 1 else " has"))
    out += left_out(found)
    short = sum(len(t.points) < FEWEST for t in trends)
    if short:
        out.append("%d of %d rows have fewer than %d runs, the fewest in which a step "
                   "is looked for" % (short, len(trends), FEWEST))
    return out


def flat(t: Trend) -> Dict[str, Any]:
    return OrderedDict([
        ("configuration", t.name), ("figure", compare.figure_title(t.figure)),
        ("unit", t.figure.unit), ("better", t.figure.better),
        ("runs", [OrderedDict([("path", p.run.path), ("start", p.run.date),
                               ("value", p.value)]) for p in t.points]),
        ("steps", [OrderedDict([("run", s.at + 1), ("ratio", s.ratio),
                                ("before", s.before), ("after", s.after),
                                ("changed", s.what)]) for s in t.steps]),
        ("outliers", [i + 1 for i in t.outliers]),
        ("two_speeds", t.speeds and OrderedDict([
            ("low", t.speeds.low), ("high", t.speeds.high),
            ("share_low", t.speeds.share)]))])


def render(form: str, trends: Sequence[Trend], below: List[str]) -> str:
    if form == "json":
        tree = OrderedDict([("schema", SCHEMA), ("trends", [flat(t) for t in trends]),
                            ("notes", below)])
        return json.dumps(tree, indent=1, allow_nan=False) + "\n"
    rows: List[Sequence[str]] = [cells(t) for t in trends]
    words = sentences(trends)
    if form == "markdown":
        return "\n".join([table.markdown(HEADER, rows, right=(3, 6, 7))] + [
            "- " + printable(w) for w in words + below]) + "\n"
    out = table.text(HEADER, rows, right=(3, 6, 7))
    if words:
        out += "\n" + "".join(output.wrap(w) for w in words)
    return out + ("\n" + output.notes(below) if below else "")


def main(args: Any, where: Any) -> int:
    found, faults = history.collect(args.paths,
                                    lambda report: run_of(report, args.group_by),
                                    history.once)
    if not found:
        raise LeadlineError(faults[0] if faults
                            else "no report in " + ", ".join(args.paths))
    trends = collect(found, args.figure, args.min_effect)
    if not trends:
        raise LeadlineError("; ".join(
            ["no figure to follow in " + ", ".join(args.paths)] + left_out(found)))
    output.write(args.output, render(args.format, trends, notes(trends, found, faults)))
    return 0


OPTIONS = [
    operand("DIR ...", "paths",
            "a directory of reports and all below it, or a report"),
    option("--figure NAME",
           "only this figure; may be a pattern and be repeated (default: write_MBps "
           "and read_MBps)",
           "Only this figure. May be a pattern, and be repeated. Default: write_MBps "
           "and read_MBps, or all if there is neither.",
           action="append"),
    option("--group-by WHAT",
           "what the runs of one series have in common, such as config,host (default: "
           "config, their configuration)",
           "What the runs of one series have in common, besides the program and the "
           "number of ranks: `config`, their configuration (the default), `host`, or "
           "`config,host`.",
           type=groups_text, default=GROUPS[:1]),
    option("--min-effect PERCENT", "smaller steps are not reported (default: 2%)",
           type=gate.percent, default=1.02),
    option("--format", "default: text", choices=["text", "markdown", "json"],
           default="text"),
    output_file(),
]


def add(commands: Any) -> None:
    p = commands.add_parser(
        "trend", help="find when a figure changed, in months of runs",
        description="Looks for steps in the figures of equal runs over time, and "
                    "says what else changed with them: versions, hosts, kernels, "
                    "file systems.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
