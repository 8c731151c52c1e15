"""leadline io500: the patterns of IO500's phases, by blocktransfer and metabench.

Each round has four runs that stand for the twelve phases: large transfers to a file per
rank, and small ones to a shared file; empty files in a folder per rank, and small files
in a shared one. io500_report.py makes one report of them. It is a diagnosis, never a
submission, and its output says so everywhere.
"""
import json
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections import OrderedDict, namedtuple

from leadline.base import launcher, output
from leadline.base.errors import LeadlineError
from leadline.base.options import operand, option
from leadline.base.output import positive
from leadline.judge import climb
from leadline.results import run
from leadline.results import report as reports
from leadline.sweep import sweep
from leadline.sweep import io500_report as result

TIME_S = 300                # IO500's stonewall
# limit of one run; the programs themselves notice hanging I/O
TIMEOUT_S = 24 * 3600
FILES = 10000000            # per rank: enough for 300 s unless creation is very fast
SPARE = 0.5                 # share of the free space that stays free

# Parameters of every run. rank_bytes: the most that a rank may write at a time.
Plan = namedtuple("Plan", "launcher programs np dir time rank_bytes files iomethod")


# ---- the runs ----------------------------------------------------------------


def plan_of(args, where):
    programs = {name: launcher.find_program(name, where.folders)
                for name in ("blocktransfer", "metabench")}
    start = args.mpiexec or launcher.find(programs["blocktransfer"], where,
                                          launcher.within_slurm())
    words = launcher.words_of(start)
    launcher.check(words)
    return Plan(words, programs, args.np, args.dir, args.time,
                args.bytes or str(room(args.dir, args.np)), args.files, args.iomethod)


def room(folder, ranks):
    """Returns the bytes for each rank, in whole MiB."""
    found = os.statvfs(folder)
    free = found.f_bavail * found.f_frsize
    each = int(free * (1.0 - SPARE)) // ranks >> 20 << 20
    if not each:
        raise LeadlineError("%s: only %d bytes are free" % (folder, free))
    return each


def start(plan, program, *options):
    return plan.launcher + ["-n", str(plan.np), plan.programs[program], *options,
                            "--dir=" + plan.dir, "--quiet"]


def commands(plan, shift):
    """Returns {name of result.RUNS: command}, in the order in which they run."""
    every = ["--time=%g" % plan.time, "--cache=flush", "--rank-shift=" + shift]
    moves = every + ["--once", "--iomethod=" + plan.iomethod, plan.rank_bytes]
    names = every + [str(plan.files)]
    return OrderedDict([
        ("ior_easy", start(plan, "blocktransfer", "--block-size=2M", *moves)),
        ("mdtest_easy", start(plan, "metabench", "--like=mdtest-easy",
                              "--ops=create,stat,readdir,unlink", *names)),
        ("ior_hard", start(plan, "blocktransfer", "--block-size=47008",
                           "--filetype=SHARED", "--layout=INTERLEAVED", *moves)),
        ("mdtest_hard", start(plan, "metabench", "--like=mdtest-hard",
                              "--ops=create,stat,read,readdir,unlink", *names))])


def measure(what, line, folder):
    """Runs a command, and returns the tree of the report that it leaves."""
    path = os.path.join(folder, what + ".json")
    one = run.Run(None, 1, path, line + ["--json=" + path])
    failure = sweep.execute(one, None, TIMEOUT_S)
    if failure:
        raise LeadlineError("%s failed: %s" % (what.replace("_", "-"), failure))
    if not reports.load(path).valid:
        raise LeadlineError("%s left no valid report" % what.replace("_", "-"))
    return reports.read_json(path)


def shift_of(plan, folder):
    """Returns the shift to the rank whose data a rank accesses, as in IO500: a rank of
    the next node; the next rank if there is one node, or one that has most of the
    ranks. A run without I/O shows how ranks are spread, and whether they start at
    all."""
    tree = measure("start", start(plan, "blocktransfer", "--iomethod=null",
                                  "--no-verify", "--block-size=4k", "4k"), folder)
    most = max(host["ranks"] for host in tree["hosts"])
    if tree["mpi"]["nodes"] > 1 and 2 * most <= plan.np:
        return "node"
    return "1" if plan.np > 1 else "0"


def rounds(plan, count, quiet, folder):
    """Returns [{name: report}], one for each round."""
    shift, out = shift_of(plan, folder), []
    for number in range(1, count + 1):
        trees = OrderedDict()
        for what, line in commands(plan, shift).items():
            began = time.monotonic()
            trees[what] = measure(what, line, folder)
            if not quiet:
                sys.stderr.write("leadline io500: round %d of %d: %s took %.0f s\n" % (
                    number, count, what.replace("_", "-"), time.monotonic() - began))
        out.append(trees)
    return out, shift


# ---- the command -------------------------------------------------------------


def options_of(plan, args, shift):
    """Returns the options as a report has them."""
    def one(value, unit, default, workload=True):
        return {"value": value, "unit": unit, "workload": workload,
                "from": "default" if default else "command line"}
    return OrderedDict([
        ("time", one(plan.time, "s", plan.time == TIME_S)),
        ("files", one(plan.files, "1", plan.files == FILES)),
        ("bytes", one(plan.rank_bytes, None, not args.bytes, workload=False)),
        ("iomethod", one(plan.iomethod, None, plan.iomethod == "posix")),
        ("rank-shift", one(shift, None, True)),
        ("repeat", one(args.repeat, "1", args.repeat == 1, workload=False)),
        ("dir", one(plan.dir, None, False, workload=False))])


def main(args, where):
    run.check_folder(args.dir)
    plan = plan_of(args, where)
    climb.check_engine(plan.programs["blocktransfer"], plan.iomethod)
    if args.dry_run:
        for line in commands(plan, "1" if plan.np > 1 else "0").values():
            output.say(" ".join(map(shlex.quote, line)) + "\n")
        return 0
    run.end_on_signals()
    folder = tempfile.mkdtemp(prefix="leadline-io500-")
    try:
        trees, shift = rounds(plan, args.repeat, args.quiet, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tree = result.merged(trees, options_of(plan, args, shift), args.label)
    output.write(args.output, json.dumps(tree, indent=1, allow_nan=False) + "\n")
    output.say(result.text(tree))
    return 0


def seconds(text):
    value = float(text)
    if not 0.0 < value <= 1e6:
        raise ValueError(text)
    return value


OPTIONS = [
    operand("DIR", "dir", "where to measure"),
    option("-n, --np N", "ranks (default: the cores of this node)",
           type=positive, default=len(os.sched_getaffinity(0))),
    option("--time S",
           "seconds for which each phase writes or creates files (default: %d, as in "
           "IO500's rules)" % TIME_S, type=seconds, default=TIME_S),
    option("--bytes BYTES", "maximum bytes per rank (default: half of the free space)",
           "Maximum bytes that a rank writes in a phase. Default: its share of half of "
           "the free space."),
    option("--files N", "maximum number per rank (default: %d)" % FILES,
           "Maximum number of files that a rank creates in a phase. Default: %d."
           % FILES, type=positive, default=FILES),
    option("--iomethod METHOD", "as for blocktransfer (default: posix)",
           "The same as for blocktransfer. Default: posix.", default="posix"),
    option("-r, --repeat N",
           "rounds of all phases (default: 1; 6 or more give intervals)",
           type=positive, default=1),
    option("--mpiexec COMMAND",
           "the launcher with its arguments (default: as found by leadline launcher)",
           "As with `calibrate`."),
    option("--label TEXT", "a name for this run in its report", default=""),
    option("--dry-run", "print the commands and do nothing",
           "Prints the four commands and does nothing."),
    option("-q, --quiet", "print no progress", "No progress."),
    option("-o, --output FILE", "the report (default: io500.json)",
           default="io500.json"),
]


def add(commands_):
    p = commands_.add_parser(
        "io500", help="run IO500's patterns, as a diagnosis",
        description="Runs the patterns of IO500's phases in DIR with blocktransfer "
                    "and metabench, and writes one report with its figures, scores "
                    "and caveats. A diagnosis, not a submission.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
