"""leadline whatif: replays a skeleton in all ways that make sense for it, as a sweep,
and reports the comparison.
"""
import argparse
import os
import shutil
import sys
import tempfile
from collections import OrderedDict
from typing import Any, Callable

from leadline.base import output
from leadline.base.errors import LeadlineError
from leadline.base.fields import printable
from leadline.base.options import operand, option, output_file
from leadline.results import run
from leadline.skeleton import skeleton
from leadline.sweep import enough, need, sweep
from leadline.sweep import spec as specs

SPEC = "whatif.json"
METHODS = {"POSIX": "POSIX", "stdio": "stdio", "MPI-IO": "MPI"}   # by level
FIGURES = ("write_MBps", "read_MBps", "wall_s")
BUDGET_S = 600.0
THREADS = 4


# ---- ways --------------------------------------------------------------------


def recorded(found):
    """Returns the way by which the program moved most bytes."""
    moved = OrderedDict()
    for t in found.transfers:
        if t["level"] in METHODS and t["plans"]:
            way = (METHODS[t["level"]], t.get("collective", False))
            moved[way] = moved.get(way, 0) + t["bytes"]
    if not moved:
        raise LeadlineError("%s: nothing in it can be replayed: there is no transfer "
                            "of POSIX, stdio or MPI-IO whose place is known"
                            % found.name)
    method, collective = max(moved, key=moved.get)
    return case(method, collective)


def case(method, collective=False, filetype=None, iomode=None):
    way = OrderedDict(iomethod=method)
    if iomode:
        way["iomode"] = iomode
    if collective:
        way["collective"] = True
    if filetype:
        way["filetype"] = filetype
    return way


def ways(found):
    """Returns the ways, the program's own first, without duplicates."""
    moved = {t["file"] for t in found.transfers if t["plans"]}
    files = [f for f in found.files if f["file"] in moved]
    types = [None]
    if any(f["use"] == "one" and f["shared"] for f in files):
        types += ["UNIQUE", "PARTITIONED"]
    if any(f["use"] == "one per rank" for f in files):
        types.append("SHARED")
    some = [recorded(found)]
    for filetype in types:
        for method, collective in (("POSIX", False), ("MPI", False), ("MPI", True)):
            way = case(method, collective, filetype)
            if way not in some:
                some.append(way)
    some += [case(method, iomode="ASYNC") for method in ("POSIX", "MPI")]
    return some + [OrderedDict(iomethod="POSIX", threads=THREADS)]


def possible(spec, where):
    """Returns (cases that replay takes, [(name, why not) of the others])."""
    taken, refused = [], []
    one = argparse.Namespace(spec=spec)
    folder = tempfile.mkdtemp()
    try:
        for config in specs.configurations(spec):
            found, why = need.ask(one, config, where,
                                  os.path.join(folder, "need.json"))
            if found:
                taken.append(config.values)
            else:
                refused.append((config.name, why))
    finally:
        shutil.rmtree(folder)
    if not taken:
        raise LeadlineError("it cannot be replayed in any way: %s" % refused[0][1])
    return taken, refused


# ---- the command -------------------------------------------------------------


def specification(args, found):
    words = [os.path.abspath(args.skeleton), "--dir=" + args.dir]
    tree = {"program": "replay", "np": found.ranks,
            "args": [w.replace("{", "{{").replace("}", "}}") for w in words],
            "cases": [dict(way) for way in ways(found)]}
    if args.mpiexec:
        tree["mpiexec"] = args.mpiexec
    return tree


def main(args, where):
    run.check_folder(args.dir)
    run.end_on_signals()
    found = skeleton.load(args.skeleton)
    tree = specification(args, found)
    tree["cases"], refused = possible(specs.check(args.skeleton, tree), where)
    for name, why in refused:
        sys.stderr.write("leadline whatif: %s is not tried: %s\n"
                         % (name, printable(why)))
    out = args.out or os.path.splitext(os.path.basename(args.skeleton))[0] + ".whatif"
    path = os.path.join(out, SPEC)
    first = specs.configurations(specs.check(path, tree))[0].name
    failed, status = None, 0
    try:
        status = sweep.main(argparse.Namespace(
            spec=path, out=out, rounds=args.rounds, until=None, figure=None,
            budget=args.budget, submit=False, jobs=None, dry_run=args.dry_run,
            rates=None, format=None, fresh=args.fresh, inside="never",
            quiet=args.quiet), where, tree)
    except sweep.RunsFailed as why:
        failed = why
    if not args.dry_run:
        status = compared(args, first, out, failed, where)
    if failed:
        raise failed
    return status


def compared(args, first, out, failed, where):
    """Compares the existing runs with the first way. Returns the exit status."""
    shown = ["--output=" + args.output] if args.output else []
    try:
        return args.compare([out, "--baseline=" + first, "--format=" + args.format]
                            + ["--figure=" + name for name in FIGURES] + shown, where)
    except LeadlineError as why:
        raise failed or why     # if the first way failed, there is no baseline


OPTIONS = [
    operand("SKELETON", "skeleton", "what the program did"),
    option("--dir DIR", "where the files are made (default: .)",
           "Where the files are made. Default: the current directory.", default="."),
    option("--out DIR",
           "where the reports go (default: SKELETON's name and .whatif)",
           "Where the reports and the specification (`whatif.json`) go. Default: "
           "SKELETON's name and .whatif."),
    option("--budget TIME",
           "do as many whole rounds as fit into this time, as in 90s, 30m or 8h "
           "(default: 10m)",
           "Does as many whole rounds as fit into this time, as in 90s, 30m or 8h. "
           "Intervals need 6. Default: 10m.",
           type=enough.duration, default=BUDGET_S),
    option("--rounds N", "at most this many (default: 50)",
           "Maximum number of rounds. Default: 50.", type=output.positive),
    option("--mpiexec COMMAND",
           "the launcher with its arguments (default: what leadline launcher finds)",
           "As with `calibrate`."),
    option("--dry-run", "print the commands and what they need, and do nothing",
           "As with `sweep`."),
    option("--fresh",
           "start over; what DIR holds of an earlier sweep is moved to a directory in "
           "it", "As with `sweep`."),
    option("--quiet", "no progress"),
    option("--format", "of the comparison; default: text",
           "Format of the comparison: {choices}.",
           choices=["text", "markdown", "csv", "json"], default="text"),
    output_file("Where the comparison goes. Default: standard output."),
]


def add(commands: Any, compare: Callable[..., int]) -> None:
    """compare: does what "leadline compare" does with these words of its command
    line."""
    p = commands.add_parser(
        "whatif", help="replay a skeleton in all ways that make sense, and compare",
        description="Replays SKELETON, which iotrace ldad --skeleton made of a trace, "
        "by POSIX and MPI-IO, collective and not, with several transfers in flight, "
        "with several threads, with files of ranks and shared ones, in interleaved "
        "rounds, and compares each way with the program's own.")
    p.declare(OPTIONS)
    p.set_defaults(run=main, compare=compare)
