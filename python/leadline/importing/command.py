"""leadline import: the command, and the conversion of a Result to a report."""
import hashlib
import json
import os
import re
import sys
from collections import OrderedDict, namedtuple

from leadline.base import fields, output
from leadline.base.errors import FAILED, LeadlineError, usage
from leadline.base.fields import SCHEMA, printable
from leadline.base.options import operand, option
from leadline.importing import darshan, formats
from leadline.importing.result import CUT
from leadline.results import schema

LARGEST = 64 << 20      # of a file, in bytes
DEFAULTS = {"engine": None, "version": None, "mode": None, "chosen_because": None,
            "collective": None, "cache": None, "sync": None, "depth": None,
            "timeout_s": None}
Source = namedtuple("Source", "name stem sha256 data")


# ---- reading -----------------------------------------------------------------


def load(path):
    """Returns a file's bytes, and a name for them."""
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open(path, "rb") as stream:
                data = stream.read(LARGEST + 1)
    except OSError as why:
        raise LeadlineError("%s: cannot be read: %s" % (path, why.strerror))
    if len(data) > LARGEST:
        raise LeadlineError("%s: it is larger than 64 MiB, the most that this reads"
                            % name)
    if not data.strip():
        raise LeadlineError("%s: the file is empty" % name)
    stem = "stdin" if path == "-" else os.path.splitext(os.path.basename(path))[0]
    return Source(name, stem, hashlib.sha256(data).hexdigest(), data)


def results(path, source, asked):
    """Returns (name of the format, its variant, the Results)."""
    if asked in (None, "darshan") and darshan.is_log(source.data):
        return "darshan", "log", darshan.read_log(path, source.name)
    text = source.data.decode("utf-8", "replace").lstrip("\ufeff")
    text = text.replace("\r\n", "\n")
    form = formats.of(text, source.name, asked)
    found = form.read(text, source.name)
    if not found:
        raise LeadlineError("%s: it looks like a result of %s, but holds no test"
                            % (source.name, form.name))
    return form.name, form.variant, found


# ---- a report ----------------------------------------------------------------


def report(result, source, form, number, args):
    """Returns the tree of the report of test `number` of a file."""
    if args.ranks is not None:
        result.ranks = args.ranks
    if args.nodes is not None:
        result.nodes = args.nodes
    if result.ranks is None and result.why != CUT:
        raise LeadlineError("%s: it does not tell the number of processes"
                            % source.name, todo="Say --ranks N")
    if args.start is not None:
        result.start_utc = args.start
        result.lost = [s for s in result.lost if not s.startswith("it started at ")]
    warn_imported(result)
    take_place(result, args)
    digest = hashlib.sha256(source.data + b"\n%d" % number).hexdigest()
    return OrderedDict([
        ("schema", SCHEMA), ("valid", result.why is None), ("why", result.why),
        ("run", run_of(result, source, form, digest, args)),
        ("mpi", {"library": None, "io_layer": None, "thread_level": None,
                 "launcher": None, "ranks": result.ranks, "nodes": result.nodes,
                 "ranks_per_node_max": result.ranks_per_node}),
        ("hosts", hosts_of(result)), ("io", dict(DEFAULTS, **result.io)),
        ("files", result.files),
        ("options", OrderedDict(
            (name, {"value": value, "unit": unit, "from": "imported",
                    "workload": workload})
            for name, (value, unit, workload) in result.options.items())),
        ("samples", result.samples), ("figures", result.figures),
        ("results", result.results),
        ("checks", {"blocks_checked": None, "blocks_bad": result.blocks_bad,
                    "split_error": None, "device_share": None}),
        ("warnings", [{"code": code, "text": text}
                      for code, text in result.warnings.items()]),
        ("errors", result.errors)])


def run_of(result, source, form, digest, args):
    name, variant = form
    series = None
    if args.series is not None:
        series = {"id": args.series, "config": args.config or source.stem,
                  "round": args.round}
    return OrderedDict([
        ("id", "import-" + digest[:16]), ("program", result.tool),
        ("version", result.version), ("argv", result.argv),
        ("label", args.label or ""), ("start_utc", result.start_utc),
        ("end_utc", result.end_utc), ("wall_s", result.wall_s), ("seed", None),
        ("series", series),
        ("imported", OrderedDict([
            ("tool", result.tool), ("tool_version", result.version),
            ("format", "%s %s" % (name, variant)), ("file", printable(source.name)),
            ("sha256", source.sha256), ("line", result.line),
            ("lost", result.lost)]))])


def hosts_of(result):
    """Returns the hosts only if all are known, which is the case if there is one."""
    if not result.host or result.ranks is None:
        return []
    return [{"name": printable(result.host), "ranks": result.ranks, "cores": None,
             "memory_bytes": None, "kernel": None, "load1_start": None,
             "load1_end": None}]


def warn_imported(result):
    unknown = ["imported: Leadline verified nothing of what was read"]
    if result.io.get("cache") is None:
        unknown.append("whether a cache served it is not known")
    result.warn("imported", ", and ".join(unknown))


def take_place(result, args):
    """Applies what the command line says about host and file system."""
    result.host = args.host or (result.host if result.nodes == 1 else None)
    if args.fs is not None:
        result.files = [{"role": "data", "path": "", "kind": "unknown", "count": 1,
                         "layout": None, "ldad": None, "bytes": None, "fs": args.fs,
                         "mount": None, "block_bytes": None, "stripe_bytes": None,
                         "stripe_count": None}]


def check(tree, source):
    """Refuses to write a report that validate would refuse."""
    mode = fields.STRICT if tree["valid"] else fields.UNFINISHED
    faults = fields.check(tree, fields.TABLE, "$", mode) or schema.meaning(tree)
    if faults:
        raise LeadlineError("%s: a value in it fits no report: %s"
                            % (source.name, faults[0]))


# ---- writing -----------------------------------------------------------------


def places(found, source, args):
    """Returns the path of each report."""
    names = []
    for result in found:
        test = re.sub(r"[^A-Za-z0-9._+-]+", "_", result.test)[:80]
        names.append(os.path.join(args.out, "%s%s.json" % (
            source.stem, "-" + test if test else "")))
    return names


def refuse_others(paths, given, force):
    """Refuses to overwrite existing files, and the input in any case."""
    inputs = set(os.path.realpath(path) for path in given if path != "-")
    for path in paths:
        if os.path.realpath(path) in inputs:
            raise LeadlineError("%s: that is one of the files to read" % path,
                                todo="Say --out DIR")
        if os.path.lexists(path) and not force:
            raise exists(path)


def exists(path):
    return LeadlineError("%s: the file exists" % path,
                         todo="Say --force to replace it, or --out DIR")


def put(path, tree, force):
    """Writes a report. Without --force, not even one that has come meanwhile is
    replaced."""
    text = json.dumps(tree, indent=1, allow_nan=False) + "\n"
    if force:
        output.write(path, text)
        return
    try:
        output.write_new(path, text)
    except FileExistsError:
        raise exists(path)


def said(path, tree):
    reps = max([len(f["reps"]) for f in tree["figures"]] or [0])
    n = len(tree["figures"])
    words = "%s: %s%s, %d figure%s of %d repetition%s" % (
        path, tree["run"]["program"],
        " " + tree["run"]["version"] if tree["run"]["version"] else "",
        n, "s" * (n != 1), reps, "s" * (reps != 1))
    return words if tree["valid"] else words + "; not valid: " + tree["why"]


def bring_in(path, args):
    """Imports one file; returns whether all its tests were valid."""
    source = load(path)
    name, variant, found = results(path, source, args.format)
    trees = [report(result, source, (name, variant), i, args)
             for i, result in enumerate(found)]
    for tree in trees:
        check(tree, source)
    paths = places(found, source, args)
    refuse_others(paths, args.files, args.force)
    for place, tree in zip(paths, trees):
        put(place, tree, args.force)
        output.say(printable(said(place, tree)) + "\n")
    return all(tree["valid"] for tree in trees)


def main(args, where):
    check_options(args)
    good = True
    for path in args.files:
        try:
            good = bring_in(path, args) and good
        except LeadlineError as why:
            sys.stderr.write("leadline import: %s\n" % printable(str(why)))
            good = False
        if args.round is not None:
            args.round += 1
    return 0 if good else FAILED


def check_options(args):
    if args.files.count("-") > 1:
        raise usage("standard input (-) can be read once")
    if args.series is None and (args.round is not None or args.config is not None):
        raise usage("--config and --round belong to --series ID")
    if args.start is not None and len(args.files) > 1:
        raise usage("--start is of one run, and there are %d files" % len(args.files))
    try:
        os.makedirs(args.out, exist_ok=True)
    except OSError as error:
        raise LeadlineError("%s: the directory cannot be made: %s"
                            % (args.out, error.strerror))


def moment(text):
    if not fields.KINDS["utc"][0](text):
        raise usage("%s is not a UTC time such as 2026-11-20T10:15:02Z"
                    % printable(text))
    return text


OPTIONS = [
    operand("FILE ...", "files", "a result; - is standard input"),
    option("-o, --out DIR",
           "directory for the reports, which are named after the files (default: here)",
           "The directory for the reports. It is created if it does not exist. "
           "Default: the current directory.",
           default="."),
    option("--format", "the program that wrote the files (default: detected)",
           "The program that wrote the files: {choices}. Default: detected from the "
           "file.",
           choices=formats.NAMES),
    option("--ranks N", "the number of processes, if the file does not have it",
           "The number of processes. Needed if a file does not have it, such as "
           "result_summary.txt.",
           type=output.positive),
    option("--nodes N", "the number of nodes they ran on", type=output.positive),
    option("--start UTC",
           "when the run began, such as 2026-11-20T10:15:02Z, if the file has no time "
           "or no time zone",
           "When the run began, such as 2026-11-20T10:15:02Z, if the file has no time "
           "or no time zone. For one file.",
           type=moment),
    option("--host NAME", "the node, if there was one"),
    option("--fs TYPE", "the file system, such as lustre",
           "The type of the file system, such as lustre."),
    option("--label TEXT", "the reports' label",
           "The label of the reports. Reports of one label and program are repetitions "
           "of one configuration; without a label, and without `--series`, each report "
           "is a separate configuration."),
    option("--series ID", "the files are runs of an interleaved series",
           "The runs were interleaved with others of the series ID."),
    option("--config NAME",
           "their configuration in it (default: the file's name)",
           "Their configuration in that series. Default: the file's name."),
    option("--round N", "the first file's round; each further file is the next round",
           "The round of the first file; each further file is the next round. Runs of "
           "one round are compared pair by pair.",
           type=output.positive),
    option("--force", "replace reports that exist",
           "Replaces existing reports. Otherwise they are refused."),
]
VARIABLES = {
    "TZ": "The time zone of local times in results of other programs, for `leadline "
          "import`. Without it, they do not count.",
}


def add(commands):
    p = commands.add_parser(
        "import", help="convert results of IOR, fio and other programs into reports",
        description="Converts the results of other programs (%s) into reports, which "
                    "all other commands can read. What a file does not say is null "
                    "in its report, never a guess." % ", ".join(formats.NAMES))
    p.declare(OPTIONS)
    p.variables.update(VARIABLES)
    p.set_defaults(run=main)
