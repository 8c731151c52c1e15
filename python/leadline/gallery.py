"""What there is to see: reports and traces from the command line, and all kinds of
pictures of them, for "report" and "plot" alike."""
import os
from collections import OrderedDict, namedtuple

from leadline import fields, groups, pictures, pictures_own, scaling
from leadline import report as reports
from leadline.errors import LeadlineError

TRACE_SCHEMA = "leadline-iotrace-bins"
HEAD = 256   # characters within which a file says that it is a trace

# What "iotrace bins" prints, as far as it is drawn.
TRACE = {
    "seconds": "seconds", "slices": "positive",
    "processes": [{"rank": "number", "pid": "number", "begin_s": "number",
                   "end_s": "number", "io_s": ["amount"],
                   "read_bytes": ["amount"], "written_bytes": ["amount"]}],
    "files": [{"name": "text", "bytes": "count", "end": "count",
               "read_bytes": [["amount"]], "written_bytes": [["amount"]]}]}

Kind = namedtuple("Kind", "heading of draw")

# name: heading, what it is drawn of, function.
KINDS = OrderedDict([
    ("bandwidth", Kind("Bandwidth by configuration", "reports", pictures.bandwidth)),
    ("filetype", Kind("Unique against shared files", "reports", pictures.file_types)),
    ("scaling", Kind("Scaling over ranks", "reports", scaling.scaling)),
    ("time", Kind("Where the time goes", "reports", pictures.time_split)),
    ("ranks", Kind("Single ranks", "reports", pictures.ranks)),
    ("alpha", Kind("Asynchronous I/O", "reports", pictures_own.alpha)),
    ("pfmload", Kind("Loading soundings", "reports", pictures_own.speedup)),
    ("ldad", Kind("Partitioned files", "reports", pictures_own.reductions)),
    ("iotrace", Kind("What was asked of files", "traces", pictures_own.traces)),
])


class Gallery:
    """The groups and traces of some paths, and what was left out."""

    def __init__(self, paths):
        files, traces = [], []
        for path in paths:
            inside = reports.json_files(path) if os.path.isdir(path) else [path]
            traces += [found for found in inside if is_trace(found)]
            if path not in traces:
                files.append(path)
        self.traces = [(reports.stem(path), read_trace(path)) for path in traces]
        try:
            found = groups.collect(files, "show") if files else groups.Collection()
        except groups.NothingValid:
            if not traces:
                raise
            found = groups.Collection()
        self.groups, self.yardsticks = found.groups, found.yardsticks
        self.left_out, self.failed = found.left_out, found.asked_for_bad

    def pictures(self, name):
        kind = KINDS[name]
        return kind.draw(self.traces if kind.of == "traces" else self.groups)


def is_trace(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return TRACE_SCHEMA in stream.read(HEAD)
    except OSError:
        return False   # whoever reads it as a report will say so


def read_trace(path):
    tree = reports.read_json(path)
    faults = fields.check(tree, TRACE, "$") or trace_lengths(tree)
    if faults:
        raise LeadlineError("%s: not what iotrace bins prints: %s" % (path, faults[0]))
    return tree


def trace_lengths(tree):
    """Whatever is counted by slice has as many values as there are slices."""
    rows = [("$.processes[%d].%s" % (i, name), p[name])
            for i, p in enumerate(tree["processes"])
            for name in ("io_s", "read_bytes", "written_bytes")]
    rows += [("$.files[%d].%s[%d]" % (i, name, n), row)
             for i, f in enumerate(tree["files"])
             for name in ("read_bytes", "written_bytes")
             for n, row in enumerate(f[name])]
    rows += [("$.files[%d].%s" % (i, name), None) for i, f in enumerate(tree["files"])
             for name in ("read_bytes", "written_bytes") if not f[name]]
    return ["%s: it does not have %d values" % (path, tree["slices"])
            for path, row in rows if row is None or len(row) != tree["slices"]]
