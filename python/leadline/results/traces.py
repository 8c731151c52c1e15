"""Reads what iotrace recorded, as "iotrace bins" counts it: from a file of its output,
or from logs, for which it starts iotrace.
"""
import os
import re
import subprocess
from typing import Any, List, Sequence, Tuple

from leadline.base import fields, launcher
from leadline.base.errors import LeadlineError
from leadline.results import report as reports

SCHEMA = "leadline-iotrace-bins"
VERSION = 1
HEAD = 256   # characters in which a count identifies itself
LOG = re.compile(r"\.(bin|tsv|part)(\.\d+)?$")
BEGIN_OF_LOG = (b"IOTRACE\n", b"Application\tExecution\t")

# The counts, as far as they are drawn.
TRACE = {
    "seconds": "seconds", "slices": "positive",
    "processes": [{"rank": "number", "pid": "number", "begin_s": "number",
                   "end_s": "number", "io_s": ["amount"],
                   "read_bytes": ["amount"], "written_bytes": ["amount"]}],
    "files": [{"name": "text", "bytes": "count", "end": "count",
               "read_bytes": [["amount"]], "written_bytes": [["amount"]]}]}


# ---- finding traces ----------------------------------------------------------


def begin_of(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(HEAD)
    except OSError:
        return b""   # if it is read as a report, that will fail


def is_count(path: str) -> bool:
    return SCHEMA.encode() in begin_of(path)


def is_log(path: str) -> bool:
    return begin_of(path).startswith(BEGIN_OF_LOG)


def names_in(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def is_run(folder: str) -> bool:
    return any(LOG.search(name) and is_log(os.path.join(folder, name))
               for name in names_in(folder))


def find(path: str) -> List[str]:
    """Returns the counts, logs and runs that `path` is or contains."""
    if not os.path.isdir(path):
        return [path] if is_count(path) or is_log(path) else []
    if is_run(path):
        return [path]
    inside = [os.path.join(path, name) for name in names_in(path)]
    return ([found for found in inside if os.path.isdir(found) and is_run(found)]
            + [found for found in reports.json_files(path) if is_count(found)])


# ---- reading one -------------------------------------------------------------


def read(path: str, folders: Sequence[str]) -> Tuple[str, Any, str]:
    """Returns (name, count, warnings of iotrace); `folders`: where iotrace may be."""
    if is_count(path):
        tree, doubt = reports.read_json(path), ""
    else:
        tree, doubt = count(path, folders)
    faults = fields.check(tree, TRACE, "$") or lengths(tree)
    if faults:
        raise LeadlineError("%s: not what iotrace bins prints: %s" % (path, faults[0]))
    if tree.get("schema_version") != VERSION:
        raise LeadlineError("%s: its schema_version is %s, this leadline reads %d"
                            % (path, tree.get("schema_version"), VERSION))
    name = os.path.basename(os.path.abspath(path))
    return (reports.stem(path) if is_count(path) else fields.printable(name), tree,
            doubt)


def count(path: str, folders: Sequence[str]) -> Tuple[Any, str]:
    try:
        program = launcher.find_program("iotrace", folders)
    except LeadlineError as why:
        raise LeadlineError("%s: a trace, which iotrace must count: %s" % (path, why))
    done = subprocess.run([program, "bins", os.path.abspath(path)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    said = fields.printable(done.stderr.decode("utf-8", "replace").strip())
    try:
        tree = reports.parse(path, done.stdout.decode("utf-8", "replace"))
    except LeadlineError:
        raise LeadlineError("%s: %s" % (path, said or "iotrace bins counts nothing"))
    return tree, said


def lengths(tree: Any) -> List[str]:
    """Checks that all data by slice has as many values as there are slices."""
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
