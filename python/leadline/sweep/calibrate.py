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


def add(commands):
    p = commands.add_parser(
        "calibrate", help="measure plain transfers, as a yardstick",
        description="Runs blocktransfer in DIR with sequential and then with random "
                    "transfers, and writes one report. \"compare\" and \"report\" "
                    "use it as the yardstick for runs on the same hosts and file "
                    "system.")
    p.add_argument("dir", metavar="DIR", help="where to measure")
    p.add_argument("-n", "--np", metavar="N", type=positive, default=cores(),
                   help="ranks; use the number of ranks of the runs to be judged "
                        "(default: the cores of this node)")
    p.add_argument("--bytes", metavar="BYTES", default="64M",
                   help="bytes per rank (default: 64M); use more than caches can hold")
    p.add_argument("--block-size", metavar="BYTES", default="1M",
                   help="bytes of a sequential transfer (default: 1M)")
    p.add_argument("--random-block-size", metavar="BYTES", default="64k",
                   help="bytes of a random transfer (default: 64k)")
    p.add_argument("-r", "--repeat", metavar="N", type=positive, default=stats.CI_MIN,
                   help="repetitions (default: %d)" % stats.CI_MIN)
    p.add_argument("--filetype", metavar="TYPE", default="unique",
                   help="unique or shared (default: unique)")
    p.add_argument("--iomethod", metavar="METHOD", default="posix",
                   help="as for blocktransfer (default: posix)")
    p.add_argument("--cache", metavar="POLICY", default="flush",
                   help="flush, direct or keep (default: flush)")
    p.add_argument("--mixed", metavar="PERCENT", type=percent, default=0,
                   help="add a phase of random transfers with this percentage of "
                        "reads, 1 to 100")
    p.add_argument("--saturate", action="store_true",
                   help="also find how many random transfers in flight, with which "
                        "engine, saturate the file system")
    p.add_argument("--most", metavar="N", type=positive, default=64,
                   help="with --saturate: maximum in flight per rank (default: 64)")
    p.add_argument("--mpiexec", metavar="COMMAND",
                   help="the launcher with its arguments (default: that of the MPI "
                        "library with which Leadline was built)")
    p.add_argument("-o", "--output", metavar="FILE", default="calibration.json",
                   help="the report (default: calibration.json)")
    p.set_defaults(run=main)
