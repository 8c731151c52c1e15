"""leadline calibrate: what a file system gives blocktransfer, as a report that others
are held against (share.py).

blocktransfer runs with sequential and with random transfers; of its two reports one is
made, in which figures and phases have the pattern before their names.
"""
import json
import os
import shutil
import signal
import tempfile
from collections import OrderedDict

from leadline import report as reports
from leadline import output, share, spec, stats, sweep, table
from leadline.errors import LeadlineError
from leadline.groups import CALIBRATION
from leadline.output import positive

TIMEOUT_S = 3600


# ---- running -----------------------------------------------------------------


def command(args, where, pattern, path):
    block = args.block_size if pattern == "sequential" else args.random_block_size
    return (spec.launcher_of(args.mpiexec or where.mpiexec) + ["-n", str(args.np)]
            + [spec.find_program("blocktransfer", where.folders), args.bytes,
               "--pattern=" + pattern, "--block-size=" + block, "--dir=" + args.dir,
               "--repeat=%d" % args.repeat, "--filetype=" + args.filetype,
               "--iomethod=" + args.iomethod, "--cache=" + args.cache,
               "--json=" + path, "--quiet"])


def measure(args, where, pattern, folder):
    """The tree of one pattern's report."""
    path = os.path.join(folder, pattern + ".json")
    line = command(args, where, pattern, path)
    failure = sweep.execute(sweep.Run(None, 1, path, line), None, TIMEOUT_S)
    if failure:
        raise LeadlineError("the %s transfers failed: %s" % (pattern, failure))
    if not reports.load(path).valid:
        raise LeadlineError("the %s transfers left no valid report" % pattern)
    return reports.read_json(path)


# ---- one report of two -------------------------------------------------------


def merged(trees):
    """`trees`: {pattern: report}. The frame is the first one's."""
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
    tree["warnings"] = list(OrderedDict(
        (row["code"], row) for t in trees.values() for row in t["warnings"]).values())
    return tree


def both_options(options):
    """Values that differ, such as the pattern, are lists of both."""
    out = OrderedDict()
    for name, entry in options[0].items():
        values = [o.get(name, entry).get("value") for o in options]
        same = all(v == values[0] for v in values)
        out[name] = dict(entry, value=values[0] if same else values)
    return out


def worst(checks):
    """Blocks add up; of the rest what gives least reason to trust it."""
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
        if row["name"].endswith(share.FIGURES) and row["name"].count(".") == 1:
            values = [v for v in row["reps"] if v]
            rows.append([row["name"].replace("_MBps", ""), str(len(values)),
                         table.number(row["median"]),
                         table.bounds(stats.interval(values)), row["unit"]])
    return table.text(["figure", "n", "median", "95 % interval", "unit"], rows,
                      right=(1, 2))


def main(args, where):
    if not os.path.isdir(args.dir):
        raise LeadlineError("%s: it is not a directory to measure in" % args.dir)
    if not os.access(args.dir, os.W_OK | os.X_OK, effective_ids=True):
        raise LeadlineError("%s: no permission to make files in it" % args.dir)
    signal.signal(signal.SIGTERM, sweep.on_term)
    folder = tempfile.mkdtemp(prefix="leadline-calibrate-")
    try:
        trees = OrderedDict((pattern, measure(args, where, pattern, folder))
                            for pattern in share.PATTERNS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tree = merged(trees)
    output.write(args.output, json.dumps(tree, indent=1, allow_nan=False) + "\n")
    output.say(show(tree))
    return 0


def cores():
    return len(os.sched_getaffinity(0))


def add(commands):
    p = commands.add_parser(
        "calibrate", help="what a file system gives plain transfers, as a yardstick",
        description="Runs blocktransfer in DIR, with sequential and then with random "
        "transfers, and writes one report, which \"compare\" and \"report\" hold the "
        "runs on the same hosts and file system against.")
    p.add_argument("dir", metavar="DIR", help="where to measure")
    p.add_argument("-n", "--np", metavar="N", type=positive, default=cores(),
                   help="ranks; take as many as the runs to be judged have (default: "
                   "the cores of this node)")
    p.add_argument("--bytes", metavar="BYTES", default="64M",
                   help="of each rank (default: 64M); more than caches hold is honest")
    p.add_argument("--block-size", metavar="BYTES", default="1M",
                   help="of a sequential transfer (default: 1M)")
    p.add_argument("--random-block-size", metavar="BYTES", default="64k",
                   help="of a random transfer (default: 64k)")
    p.add_argument("-r", "--repeat", metavar="N", type=positive, default=stats.CI_MIN,
                   help="repetitions (default: %d)" % stats.CI_MIN)
    p.add_argument("--filetype", metavar="TYPE", default="unique",
                   help="unique or shared (default: unique)")
    p.add_argument("--iomethod", metavar="METHOD", default="posix",
                   help="as blocktransfer has it (default: posix)")
    p.add_argument("--cache", metavar="POLICY", default="flush",
                   help="flush, direct or keep (default: flush)")
    p.add_argument("--mpiexec", metavar="COMMAND",
                   help="the launcher with its arguments (default: that of the MPI "
                   "which Leadline was built with)")
    p.add_argument("-o", "--output", metavar="FILE", default="calibration.json",
                   help="the report (default: calibration.json)")
    p.set_defaults(run=main)
