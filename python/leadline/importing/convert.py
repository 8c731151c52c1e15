"""The conversion of a Result to a report, and the files on both sides of it."""
import hashlib
import json
import os
import sys
from collections import OrderedDict, namedtuple

from leadline.base import fields, output
from leadline.base.errors import LeadlineError
from leadline.base.fields import SCHEMA, printable
from leadline.importing import darshan, formats
from leadline.importing.result import CUT
from leadline.results import schema

LARGEST = 64 << 20      # of a file, in bytes
DEFAULTS = {"engine": None, "version": None, "mode": None, "chosen_because": None,
            "collective": None, "cache": None, "sync": None, "depth": None,
            "timeout_s": None}
# `hasher` is of the data, which need not be kept.
Source = namedtuple("Source", "name stem sha256 data hasher")


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
    hasher = hashlib.sha256(data)
    return Source(name, stem, hasher.hexdigest(), data, hasher)


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
    hasher = source.hasher.copy()
    hasher.update(b"\n%d" % number)
    return OrderedDict([
        ("schema", SCHEMA), ("valid", result.why is None), ("why", result.why),
        ("run", run_of(result, source, form, hasher.hexdigest(), args)),
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
            ("lost", result.lost)] + [("parts", result.parts)] * bool(result.parts)))])


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


def exists(path):
    return LeadlineError("%s: the file exists" % path,
                         todo="Say --force to replace it, or --out DIR")


def made_from(path):
    """Returns the name and the hash of the file that a report was made of; nothing if
    it is no imported report."""
    try:
        with open(path, "rb") as stream:
            imported = json.loads(stream.read(LARGEST))["run"]["imported"]
        return [imported["file"], imported["sha256"]]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []


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
