"""The command line: options, output, exit status. Other modules do the work."""
import sys
from collections import namedtuple
from typing import Optional, Sequence

from leadline.across import sides
from leadline.base import json_schema, launcher, output, table
from leadline.base.errors import FAILED, LeadlineError, usage
from leadline.base.fields import printable
from leadline.base.options import Parser, operand, option, output_file
from leadline.commands import doctor
from leadline.importing import command as importing
from leadline.judge import compare, differs, gate, notes, rules, share, summary, trend
from leadline.judge.against import Against
from leadline.page import finding, page, plot
from leadline.results import groups, history, schema
from leadline.skeleton import polynomials, whatif
from leadline.sweep import calibrate, export, io500, sweep

INTERRUPTED = 130

# Folders of the programs, and the launcher, as the launcher script says.
Where = namedtuple("Where", ["version", "folders", "mpiexec"])
NOWHERE = Where("unknown", [], "mpiexec")


def parser(where):
    top = Parser(prog="leadline", description="Runs Leadline's benchmarks in many "
                                              "configurations, and compares and "
                                              "shows their JSON reports.")
    top.add_argument("--version", action="version",
                     version="leadline " + where.version)
    commands = top.add_subparsers(dest="command", metavar="COMMAND",
                                  parser_class=Parser)
    top.commands = commands.choices
    add_compare(commands)
    for module in (sweep, page, plot, history, trend, export, importing, schema,
                   json_schema, calibrate, doctor, io500, launcher, polynomials):
        module.add(commands)
    whatif.add(commands, lambda words, where: run_compare(
        parser(where).parse_args(["compare"] + words), where))
    return top


COMPARE = [
    operand("REPORT ...", "paths", "a JSON report, or a directory of them"),
    option("--baseline NAME",
           "the configuration to compare with: its name or some options, such as "
           "iomethod=posix,block-size=64k (default: the first one, or the one with "
           "default options)",
           "The configuration to compare with: its name, or values of its options, as "
           "in `iomethod=posix,block-size=64k`. An unambiguous part of an option's "
           "name is enough, and `np` is the number of ranks. If several configurations "
           "have these values, the first is taken. Default: the first one on the "
           "command line or in the specification of the sweep, otherwise the one with "
           "default values (posix, unique)."),
    option("--min-effect PERCENT",
           "smaller differences are not called faster or slower (default: 2%)",
           type=gate.percent, default=rules.POLICY.min_effect),
    option("--equal PERCENT",
           "configurations that are shown to differ by less are called equal (default: "
           "5%)",
           type=gate.percent, default=rules.POLICY.equal),
    option("--strict",
           "refuse to compare runs of different machines, software or storage",
           "Refuses to compare runs if anything differs that would otherwise only be "
           "listed, including their series and times more than 24 hours apart."),
    option("--against OPTION[=VALUE]",
           "compare configurations that differ only in this option, for example "
           "--against filetype, or in the ranks, --against np (VALUE: the one to "
           "compare with; default: the first one found)",
           "Compares each configuration with the one that differs from it only in this "
           "option of the program, for example `--against filetype`. `np` is the "
           "number of ranks; the text below the table then gives the speed-up, the "
           "efficiency and the factor of each doubling. VALUE is the value to compare "
           "with. Default: unique for filetype, posix for iomethod, the smallest "
           "number of ranks, otherwise the first one found. It excludes `--baseline`."),
    option("--across",
           "set different programs, machines and single runs side by side: ratios "
           "without verdicts, and what differs",
           "Sets figures of the same meaning side by side, whatever program, machine "
           "or number of runs they are of: sequential or random reads and writes, own "
           "files or one shared, operations on files and directories, scores of IO500. "
           "Rates of random transfers of one size are in operations per second. The "
           "ratios are plain quotients without verdicts; a list says for each pair "
           "what differs and what is not known. Of other figures those of one program "
           "stand side by side. `--figure` may name a meaning, as in `'*write*'`."),
    option("--figure NAME",
           "only this figure; may be a pattern and be repeated (default: the rates, "
           "*_MBps, and the latencies, such as *_p99_us; with --against their totals)",
           "Shows only this figure. May be a pattern, as in `'*'`, and be repeated. "
           "Default: the rates, whose names end in `_MBps`, and the latencies, whose "
           "names end in `_p50_us`, `_p99_us`, `_p999_us` or `_max_us`; with "
           "`--against` only the totals, and latencies as sentences instead of "
           "columns.",
           action="append"),
    *gate.OPTIONS,
    option("--format", "default: text",
           "{choices}. The last two have all digits.",
           choices=["text", "markdown", "csv", "json"], default="text"),
    output_file("Default: standard output. The file is written under a temporary name "
                "and then renamed."),
]


def add_compare(commands):
    p = commands.add_parser(
        "compare", help="compare configurations, with verdicts",
        description="Compares the figures of reports: medians, 95 % intervals, "
                    "ratios to a baseline, and verdicts. Reports of the same "
                    "configuration (run.series.config, otherwise the label, "
                    "otherwise the file) are its repetitions.")
    p.declare(COMPARE)
    p.set_defaults(run=run_compare)


# ---- compare -----------------------------------------------------------------


# The rows, their verdicts in words, their figures, and show(form), which formats the
# table.
View = namedtuple("View", "rows first meaning figures show summaries")
MANY = 3     # fewest configurations for lines that summarise all of them
FIRST = 4    # values named before the reasons why nothing can be compared
UNJUDGED = ("These are plain ratios, and no verdicts: --across lists what differs and "
            "what is not known.")


def before_and_after(args):
    """True if each name that occurs in two places is to be compared with itself."""
    return bool(args.fail_if_slower and len(args.paths) == 2
                and not args.baseline and not args.against)


def view_of(args, found):
    patterns, policy = args.figure, rules.Policy(args.min_effect, args.equal,
                                                 args.strict)
    if args.fail_if_slower and not patterns:
        patterns = compare.totals(found)
    if args.against:
        some = Against(found, args.against, patterns, policy)
        first = finding.sentences(finding.findings(some.rows(), [], policy))
        return View(some.rows(), first, some.meaning(), some.figures, some.readable,
                    [])
    if before_and_after(args):
        some, every, lines = gate.rows(found, args.paths, patterns, policy), [], []
    else:
        baseline = compare.find_baseline(found, args.baseline)
        some = compare.rows(found, baseline, patterns, policy)
        every = summaries(found, args.baseline, patterns, policy)
        lines = [one for one in every if len(one.matrix.groups) >= MANY]
    words = [line for one in lines for line in
             [summary.title(one) + ":"] + summary.summary(one).lines]
    first = finding.sentences(finding.findings(some, every, policy))
    return View(some, first, words + compare.tail_sentences(some),
                compare.select(found, patterns),
                lambda form: compare.readable(some, form), lines)


def summaries(found, baseline, patterns, policy):
    """Returns summaries of the requested figures."""
    return [one for one in summary.found(found, baseline, policy)
            if compare.matches(one.figure.name, patterns or ["*"])]


def run_across(args):
    for name in ("against", "fail_if_slower", "strict"):
        if getattr(args, name):
            raise usage("--across gives no verdicts: leave out --%s"
                        % name.replace("_", "-"))
    found = groups.collect(args.paths)
    some = sides.tables(found.groups, compare.find_baseline(found.groups, args.baseline)
                        if args.baseline else None, args.figure)
    if not some:
        raise LeadlineError("nothing to set side by side: no figure has a value")
    below = found.left_out + sides.doubts(found.groups)
    write(args, sides.render(args.format, some, below), below)
    return FAILED if found.asked_for_bad else 0


def write(args, text, notes):
    """Writes the result; CSV has no place for notes, which go to standard error."""
    output.write(args.output, text)
    for note in notes if args.format == "csv" else []:
        sys.stderr.write("leadline compare: %s\n" % printable(note))


def with_numbers(view, found, patterns):
    """Begins with the values if nothing can be compared, as of single runs of several
    programs."""
    if any(r.comparison.ratio for r in view.rows):
        return view
    return view._replace(first=sides.sentences(
        sides.tables(found, None, patterns), FIRST, UNJUDGED) + view.first)


def run_compare(args, where):
    if args.across:
        return run_across(args)
    if args.against and args.baseline:
        raise usage("--against and --baseline exclude each other")
    found = groups.collect(args.paths, apart=before_and_after(args))
    view = with_numbers(view_of(args, found.groups), found.groups, args.figure)
    below = (found.left_out + compare.on_single_runs(view.rows)
             + notes.enough(view.rows, args.equal)
             + notes.notes(found.groups, view.figures)
             + share.notes(found.groups, found.yardsticks))
    limit = args.fail_if_slower
    judged = gate.judge(view.rows, limit) if limit else []
    last = gate.sentence(judged, limit) if limit else ""
    other = differs.find(found.groups, (args.against or "").partition("=")[0])
    tree = {"gate": gate.tree(judged, limit)} if limit else {}
    tree["differs"] = differs.tree(other)
    tree["summary"] = [summary.tree(one) for one in view.summaries]
    write(args, render(args.format, view, below, last, tree,
                       differs.sentences(differs.alarming(other))),
          below + [last] * bool(last))
    status = gate.status(judged, args.unsure == "pass") if limit else 0
    return FAILED if found.asked_for_bad and status != gate.SLOWER else status


def render(form, view, below, last, tree, other):
    if form == "csv":
        return compare.as_csv(view.rows)
    if form == "json":
        return compare.as_json(view.rows, below, meaning=view.meaning,
                               finding=view.first, **tree)
    if form == "markdown":
        return markdown(view, below, last, other)
    parts = ["".join(map(output.wrap, view.first)), compare.bars(view.rows)]
    parts.append("".join(output.wrap(words, "" if i == 0 else "  ", "    ")
                         for i, words in enumerate(with_heading(other))))
    out = "\n".join(filter(None, parts + [view.show(table.text)]))
    if view.meaning:
        out += "\n" + "".join(output.wrap(sentence) for sentence in view.meaning)
    if below:
        out += "\n" + output.notes(below)
    return out + ("\n" + output.wrap(last) if last else "")


def markdown(view, below, last, other):
    def bullets(sentences):
        return "\n".join("- " + printable(words) for words in sentences)
    parts = [view.first and "\n\n".join(map(printable, view.first)) + "\n",
             other and differs.HEADING + ":\n\n" + bullets(other) + "\n",
             view.show(table.markdown),
             view.meaning and "\n".join(map(printable, view.meaning)) + "\n",
             below and bullets(below) + "\n", last and printable(last) + "\n"]
    return "\n".join(part for part in parts if part)


def with_heading(other):
    return [differs.HEADING + ":"] + other if other else []


# ---- all ---------------------------------------------------------------------


def interrupted(name):
    """Reports an interruption; only sweeps keep what they have. A closed terminal gets
    no message."""
    goes_on = name in ("leadline sweep", "leadline whatif")
    try:
        sys.stderr.write("%s: interrupted; the same command %s\n" % (
            name, "goes on" if goes_on else "starts over"))
    except OSError:
        pass
    return INTERRUPTED


def main(argv: Optional[Sequence[str]] = None, where: Where = NOWHERE) -> int:
    name = "leadline"
    try:
        args = parser(where).parse_args(argv)
        if args.command is None:
            raise usage("it needs a command, such as compare",
                        todo="See leadline --help")
        name = "leadline " + args.command
        return args.run(args, where)
    except LeadlineError as why:
        sys.stderr.write("%s: %s\n" % (name, printable(why)))
        return why.status
    except KeyboardInterrupt:
        return interrupted(name)
    except BrokenPipeError:  # the reader is gone, also for a message about that
        return FAILED
