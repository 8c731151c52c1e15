"""leadline calibrate: measures by blocktransfer the rates that a file system reaches,
as a report that others are compared with (share.py).

blocktransfer runs with sequential and with random transfers; its two reports become
one, in which the pattern precedes the names of figures and phases. With --saturate,
climb.py finds how much must be in flight for higher rates.
"""
import json
import os
import shutil
import tempfile
from collections import OrderedDict

from leadline.base import launcher, output, stats, table
from leadline.base.errors import LeadlineError
from leadline.base.options import operand, option
from leadline.base.output import positive
from leadline.judge import climb, share
from leadline.results import report as reports
from leadline.results import run as runs
from leadline.results.groups import CALIBRATION
from leadline.sweep import sweep

TIMEOUT_S = 3600


# ---- running -----------------------------------------------------------------


def command(args, where, pattern, *more):
    block = args.block_size if pattern == "sequential" else args.random_block_size
    program = launcher.find_program("blocktransfer", where.folders)
    start = args.mpiexec or launcher.find(program, where, launcher.within_slurm())
    return (launcher.words_of(start) + ["-n", str(args.np)]
            + [program, "--pattern=" + pattern, "--block-size=" + block,
               "--dir=" + args.dir, "--repeat=%d" % args.repeat,
               "--filetype=" + args.filetype, "--cache=" + args.cache, "--quiet",
               *more])


def measure(what, line, folder):
    """Runs a command, and returns the tree of the report that it leaves."""
    path = os.path.join(folder, "report.json")
    run = sweep.Run(None, 1, path, line + ["--json=" + path])
    failure = sweep.execute(run, None, TIMEOUT_S)
    if failure:
        raise LeadlineError("the %s transfers failed: %s" % (what, failure))
    if not reports.load(path).valid:
        raise LeadlineError("the %s transfers left no valid report" % what)
    return reports.read_json(path)


def pattern_of(args, where, pattern, folder):
    more = ["--mixed=%d" % args.mixed] if args.mixed and pattern == "random" else []
    return measure(pattern, command(args, where, pattern, args.bytes,
                                    "--iomethod=" + args.iomethod, *more), folder)


def saturate(args, where, rank_bytes, folder, warned):
    """Returns the steps of random transfers, and the best of them again. `warned` gets
    the warnings of each run."""
    def figures(engine, asynchronous, at_once):
        tree = measure("random %s" % engine, command(
            args, where, "random", "--iomethod=" + engine, "--no-verify",
            *climb.options(asynchronous, at_once, rank_bytes)), folder)
        warned.append(("--saturate", tree["warnings"]))
        return {row["name"]: row for row in tree["figures"]
                if row["name"] in climb.RATES}
    program = launcher.find_program("blocktransfer", where.folders)
    found = climb.engines(program, args.cache == "direct")
    steps = climb.climb(found, args.most, figures)
    return steps, climb.measure_again(found, steps, figures)


# ---- one report of two -------------------------------------------------------


def merged(trees):
    """Merges reports. `trees`: {pattern: report}. The frame is the first one's."""
    rows = list(trees.items())
    (_, first), (_, last) = rows[0], rows[-1]
    tree = OrderedDict(first)
    tree["run"] = dict(first["run"], program=CALIBRATION, series=None,
                       end_utc=last["run"]["end_utc"], wall_s=sum(
                           t["run"]["wall_s"] or 0.0 for t in trees.values()))
    tree["options"] = both_options([t["options"] for t in trees.values()])
    tree["samples"] = [dict(row, phase="%s.%s" % (pattern, row["phase"]))
                       for pattern, t in rows for row in t["samples"]]
    tree["figures"] = [dict(row, name="%s.%s" % (pattern, row["name"]))
                       for pattern, t in rows for row in t["figures"]]
    tree["checks"] = worst([t["checks"] for t in trees.values()])
    return tree


def warnings(found, cache):
    """Returns the warnings of all runs, as (which runs, their warnings): one of each
    code and kind of run, as the others differ only in their numbers."""
    said = OrderedDict()
    for what, rows in found:
        for row in rows:
            said.setdefault((row["code"], what), []).append(row["text"])
    out = [OrderedDict([("code", code), ("text", "%s: %s%s" % (
        what, texts[0], "" if len(texts) == 1 else " (first of %d such warnings)" %
        len(texts)))]) for (code, what), texts in said.items()]
    if cache == "keep":
        out.append(OrderedDict([
            ("code", "cache_kept"),
            ("text", "--cache=keep: no page is dropped, so these may be rates of "
                     "memory")]))
    return out


def both_options(options):
    """Merges options: values that differ, such as the pattern, become lists of both."""
    out = OrderedDict()
    for name, entry in options[0].items():
        values = [o.get(name, entry).get("value") for o in options]
        same = all(v == values[0] for v in values)
        out[name] = dict(entry, value=values[0] if same else values)
    return out


def worst(checks):
    """Merges checks: adds blocks up, and takes the least trustworthy of the other
    values."""
    out = dict(checks[0])
    for name, choose in (("blocks_checked", sum), ("blocks_bad", sum),
                         ("split_error", max), ("device_share", min),
                         ("below_share", min)):
        known = [c.get(name) for c in checks if c.get(name) is not None]
        out[name] = choose(known) if known else None
    return out


# ---- the command -------------------------------------------------------------


def show(tree):
    rows = []
    for row in tree["figures"]:
        plain = row["name"].endswith(share.FIGURES) and row["name"].count(".") == 1
        if plain or row["name"].endswith(".mixed.phase_MBps"):
            values = [v for v in row["reps"] if v]
            rows.append([row["name"].replace("_MBps", ""), str(len(values)),
                         table.number(row["median"]),
                         table.bounds(stats.interval(values)), row["unit"]])
    return table.text(["figure", "n", "median", "95 % interval", "unit"], rows,
                      right=(1, 2))


def main(args, where):
    runs.check_folder(args.dir)
    climb.check_engine(launcher.find_program("blocktransfer", where.folders),
                       args.iomethod)
    runs.end_on_signals()
    folder = tempfile.mkdtemp(prefix="leadline-calibrate-")
    try:
        trees = OrderedDict((pattern, pattern_of(args, where, pattern, folder))
                            for pattern in share.PATTERNS)
        tree = merged(trees)
        warned = [(what, t["warnings"]) for what, t in trees.items()]
        steps, again = saturate(args, where, tree["options"]["bytes"]["value"], folder,
                                warned) if args.saturate else ([], [])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tree["figures"] += climb.figures(steps) + climb.figures(again, "saturated")
    tree["warnings"] = warnings(warned, args.cache)
    output.write(args.output, json.dumps(tree, indent=1, allow_nan=False) + "\n")
    output.say(show(tree) + ("\n" + climb.show(steps, args.np, again) if steps else "")
               + output.notes(w["text"] for w in tree["warnings"]))
    return 0


def percent(text):
    value = int(text)
    if not 1 <= value <= 100:
        raise ValueError(text)
    return value


def cores():
    return len(os.sched_getaffinity(0))


OPTIONS = [
    operand("DIR", "dir", "where to measure"),
    option("-n, --np N",
           "ranks; use the number of ranks of the runs to be judged (default: the "
           "cores "
           "of this node)", type=positive, default=cores()),
    option("--bytes BYTES",
           "bytes per rank (default: 64M); use more than caches can hold",
           default="64M"),
    option("--block-size BYTES", "bytes of a sequential transfer (default: 1M)",
           default="1M"),
    option("--random-block-size BYTES", "bytes of a random transfer (default: 64k)",
           default="64k"),
    option("-r, --repeat N", "repetitions (default: %d)" % stats.CI_MIN,
           "Repetitions: the number of rounds. Default: %d, the minimum for an "
           "interval."
           % stats.CI_MIN, type=positive, default=stats.CI_MIN),
    option("--filetype TYPE", "unique or shared (default: unique)",
           "`unique` (default) or `shared`.", default="unique"),
    option("--iomethod METHOD", "as for blocktransfer (default: posix)",
           "The same as for blocktransfer. Default: posix.", default="posix"),
    option("--cache POLICY", "flush, direct or keep (default: flush)",
           "`flush` (default), `direct` or `keep`.", default="flush"),
    option("--mixed PERCENT",
           "add a phase of random transfers with this percentage of reads, 1 to 100",
           "Adds a phase of random transfers with this percentage of reads, 1 to 100.",
           type=percent, default=0),
    option("--saturate",
           "also find how many random transfers in flight, with which engine, saturate "
           "the file system",
           "Also finds how many random transfers must be in flight, and with which "
           "engine, to saturate the file system. For each engine the number per rank "
           "is doubled (by queue depth or by threads) until two doublings gain less "
           "than 10 %. A sentence names the smallest number that comes within 10 % of "
           "the best, which then runs again. The report has the steps "
           "(saturation.uring.at16.read_MBps), and what was measured again "
           "(saturated.uring.at16.read_MBps)."),
    option("--most N",
           "with --saturate: maximum in flight per rank (default: 64)",
           "With `--saturate`: the maximum per rank. Default: 64.",
           type=positive, default=64),
    option("--mpiexec COMMAND",
           "the launcher with its arguments (default: that of the MPI library with "
           "which Leadline was built)",
           "The launcher with its arguments. Default: as `leadline launcher` finds "
           "it."),
    option("-o, --output FILE", "the report (default: calibration.json)",
           default="calibration.json"),
]


def add(commands):
    p = commands.add_parser(
        "calibrate", help="measure plain transfers, as a yardstick",
        description="Runs blocktransfer in DIR with sequential and then with random "
                    "transfers, and writes one report. \"compare\" and \"report\" "
                    "use it as the yardstick for runs on the same hosts and file "
                    "system.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
