"""leadline validate: a report against its schema, from one table.

The table says what doc/report-schema.md says. Fields that it does not know are left
alone: a later version of a program may add some.
"""
import math
import os
import re

from leadline import report as reports
from leadline import stats
from leadline.errors import FAILED, LeadlineError

SHOWN = 5          # faults of one file that are told
TOLERANCE = 0.01   # of wall time, by which the activities may miss it
ROUNDING = 1e-6    # of a value, by which a summary may miss its repetitions
SLACK_S = 1e-4     # by which the parts of a short phase may miss it, absolutely

ACTS = ("compute", "communicate", "open_close", "read", "write", "sync", "check",
        "idle", "wall")
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")


def is_number(value):
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and math.isfinite(value))


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_text(value):
    return isinstance(value, str)


# name: (test, what it must be). In the table below "name?" may also be null.
KINDS = {
    "schema": (lambda v: v == reports.SCHEMA, '"%s"' % reports.SCHEMA),
    "truth": (lambda v: isinstance(v, bool), "true or false"),
    "text": (is_text, "text"),
    "name": (lambda v: is_text(v) and v != "", "text that is not empty"),
    "utc": (lambda v: is_text(v) and bool(UTC.match(v)),
            "a UTC time such as 2026-11-20T10:15:02.123Z"),
    "number": (is_number, "a number"),
    "seconds": (lambda v: is_number(v) and v >= 0, "seconds, 0 or more"),
    "amount": (lambda v: is_number(v) and v >= 0, "a number, 0 or more"),
    "count": (is_count, "a whole number, 0 or more"),
    "positive": (lambda v: is_count(v) and v > 0, "a whole number above 0"),
    "rank": (is_count, "a rank"),
    "act": (lambda v: v in ACTS, "one of " + ", ".join(ACTS)),
    "better": (lambda v: v in ("higher", "lower"), '"higher" or "lower"'),
    "any": (lambda v: True, "a value"),
    "share": (lambda v: is_number(v) and 0 <= v <= 1, "a share from 0 to 1"),
    "interval": (lambda v: isinstance(v, list) and len(v) == 2
                 and all(map(is_number, v)) and v[0] <= v[1],
                 "[low, high] with low <= high"),
    "bucket": (lambda v: isinstance(v, list) and len(v) == 2 and is_number(v[0])
               and is_count(v[1]), "[upper bound in seconds, count]"),
}

LATENCY = {name: "seconds?" for name in ("p50_s", "p90_s", "p99_s", "p999_s", "max_s")}
LATENCY["hist"] = ["bucket"]

# An object is a dict (a field "name*" may be missing, "*" is any field), a list has the
# kind of its members, (kind,) may also be null.
TABLE = {
    "schema": "schema", "valid": "truth", "why": "text?",
    "run": {
        "id": "name", "program": "name", "version": "text", "argv": ["text"],
        "label": "text", "start_utc": "utc", "end_utc": "utc?", "wall_s": "seconds?",
        "seed": "count",
        "series": ({"id": "text", "config": "text", "round": "count?"},)},
    "mpi": {"library": "text", "io_layer": "text?", "thread_level": "text?",
            "launcher": "text?", "ranks": "positive", "nodes": "positive",
            "ranks_per_node_max": "positive"},
    "hosts": [{"name": "text", "ranks": "count", "cores": "positive?",
               "memory_bytes": "count?", "kernel": "text?", "load1_start": "seconds?",
               "load1_end": "seconds?"}],
    "io": {"engine": "text?", "version": "text?", "mode": "text?",
           "chosen_because": "text?", "collective": "truth?", "cache": "text?",
           "sync": "text?", "depth": "count?", "timeout_s": "seconds?",
           "settings": {"*": "any"}, "hints_asked": {"*": "any"},
           "hints_in_effect": {"*": "any"}},
    "files": [{"role": "text", "path": "text", "kind": "text", "count": "count",
               "layout": "text?", "ldad": "any", "bytes": "count?", "fs": "text?",
               "mount": "text?", "block_bytes": "count?", "stripe_bytes": "count?",
               "stripe_count": "count?"}],
    "options": {"*": {"value": "any", "unit": "text?", "from": "text",
                      "workload": "truth"}},
    "samples": [{
        "rep": "positive", "at": {"*": "any"}, "phase": "text", "act": "act",
        "start_s": "seconds?", "calls": "count?", "bytes": "count?",
        "device_bytes": "count?", "min_s": "seconds", "mean_s": "seconds",
        "max_s": "seconds", "max_rank": "rank?", "max_host": "text?",
        "submit_mean_s": "seconds?", "wait_mean_s": "seconds?",
        "ranks_s": (["seconds"],), "latency*": (LATENCY,)}],
    "figures": [{
        "name": "name", "at": {"*": "any"}, "unit": "name", "better": "better",
        "formula": "text", "reps": ["number?"], "median": "number?", "min": "number?",
        "max": "number?", "ci95": "interval?", "ci_of": "text?"}],
    "results": {"*": "any"},
    "checks": {"blocks_checked": "count?", "blocks_bad": "count?",
               "split_error": "seconds?", "device_share": "share?"},
    "warnings": [{"code": "name", "text": "text"}],
    "errors": [{"rank": "rank?", "host": "text?", "file": "text?",
                "offset_bytes": "count?", "errno": "text?", "text": "text"}],
}


# ---- shape -------------------------------------------------------------------


def check(value, kind, path, lenient):
    """The faults of `value`, each "path: what". `lenient`: the run did not finish, and
    what it had not come to know may be null."""
    if value is None and (lenient or isinstance(kind, tuple)):
        return []
    if isinstance(kind, tuple):
        kind = kind[0]
    if isinstance(kind, dict):
        return check_object(value, kind, path, lenient)
    if isinstance(kind, list):
        return check_list(value, kind[0], path, lenient)
    if kind.endswith("?"):
        if value is None:
            return []
        kind = kind[:-1]
    test, wanted = KINDS[kind]
    return [] if test(value) else ["%s: it is not %s" % (path, wanted)]


def check_object(value, fields, path, lenient):
    if not isinstance(value, dict):
        return ["%s: it is not an object" % path]
    if "*" in fields:
        return [fault for name in value for fault in
                check(value[name], fields["*"], member(path, name), lenient)]
    faults = []
    for field, kind in fields.items():
        name = field.rstrip("*")
        if name in value:
            faults += check(value[name], kind, member(path, name), lenient)
        elif name == field:
            faults.append("%s: it is missing" % member(path, name))
    return faults


def check_list(value, kind, path, lenient):
    if not isinstance(value, list):
        return ["%s: it is not a list" % path]
    return [fault for i, item in enumerate(value)
            for fault in check(item, kind, "%s[%d]" % (path, i), lenient)]


def member(path, name):
    if re.match(r"[A-Za-z_]\w*$", name):
        return "%s.%s" % (path, name)
    return "%s['%s']" % (path, reports.printable(name))


# ---- what no shape can say ---------------------------------------------------


def meaning(tree):
    """Faults between fields; the shape is known to be right."""
    if not tree["valid"]:
        words = "$.why: a run that is not valid says why, this one does not"
        return [] if tree["why"] else [words]
    faults = [fault for i, row in enumerate(tree["figures"])
              for fault in summary_faults(row, "$.figures[%d]" % i)]
    if tree["checks"]["blocks_bad"]:
        faults.append("$.checks.blocks_bad: blocks were wrong, and it is called valid")
    return faults + split_faults(tree["samples"]) + twice(tree["figures"])


def summary_faults(row, path):
    known = [rep for rep in row["reps"] if rep is not None]
    facts = [("median", stats.median), ("min", min), ("max", max)]
    faults = []
    for name, function in facts:
        wanted = function(known) if known else None
        if row[name] is None or wanted is None:
            if row[name] is not wanted:
                faults.append("%s.%s: it is %s, its repetitions give %s"
                              % (path, name, row[name], wanted))
        elif abs(row[name] - wanted) > ROUNDING * abs(wanted):
            faults.append("%s.%s: it is %.7g, its repetitions give %.7g"
                          % (path, name, row[name], wanted))
    if row["ci95"] is not None and len(known) < stats.CI_MIN:
        faults.append("%s.ci95: an interval of %d repetitions, below %d there is none"
                      % (path, len(known), stats.CI_MIN))
    return faults


def split_faults(samples):
    """Each phase's activities add up to its wall time; one that came several times in
    a repetition has as many rows."""
    parts, walls, first = {}, {}, {}
    for i, row in enumerate(samples):
        key = (row["rep"], row["phase"], str(row["at"]))
        sums = walls if row["act"] == "wall" else parts
        sums[key] = sums.get(key, 0.0) + row["mean_s"]
        first.setdefault(key, i)
    return ["$.samples[%d].mean_s: the activities of phase %s add up to %.6g s, its "
            "wall time is %.6g s"
            % (first[key], reports.printable(key[1]), parts[key], wall)
            for key, wall in walls.items() if key in parts
            and abs(parts[key] - wall) > TOLERANCE * wall + SLACK_S]


def twice(figures):
    seen, faults = set(), []
    for i, row in enumerate(figures):
        key = (row["name"], str(sorted(row["at"].items())))
        if key in seen:
            faults.append("$.figures[%d]: there is a figure %s already"
                          % (i, reports.printable(row["name"])))
        seen.add(key)
    return faults


# ---- the command -------------------------------------------------------------


def faults_of(path):
    """What is wrong with the report in `path`; [] if nothing."""
    tree = reports.read_json(path)
    if not isinstance(tree, dict):
        return ["$: it is not an object"]
    schema = check(tree.get("schema"), "schema", "$.schema", False)
    if schema:
        return schema
    return check(tree, TABLE, "$", tree.get("valid") is not True) or meaning(tree)


def files_of(paths):
    """The files that are named, and those of folders which say they are reports or
    cannot be read."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for found in reports.json_files(path):
            try:
                other = reports.schema_of(reports.read_json(found))
                if other is None or "report" in str(other):
                    yield found
            except LeadlineError:
                yield found


def sentences(path):
    """Lines about one file, and whether it is a report as it should be."""
    try:
        faults = faults_of(path)
    except LeadlineError as why:
        return [str(why)], False
    if not faults:
        return ["%s: valid against %s" % (path, reports.SCHEMA)], True
    lines = ["%s: %s" % (path, fault) for fault in faults[:SHOWN]]
    if len(faults) > SHOWN:
        lines.append("%s: and %d more" % (path, len(faults) - SHOWN))
    return lines, False


def main(args, where):
    good = True
    for path in files_of(args.paths):
        lines, right = sentences(path)
        good = good and right
        for line in lines if not (right and args.quiet) else []:
            print(reports.printable(line))
    return 0 if good else FAILED


def add(commands):
    p = commands.add_parser(
        "validate", help="check reports against the schema",
        description="Checks JSON reports against the schema and names the first few "
        "things that are wrong with their JSON path. The report of a run that failed "
        "is as good as another one if it says so.")
    p.add_argument("paths", metavar="FILE", nargs="+",
                   help="a JSON report, or a directory of them")
    p.add_argument("-q", "--quiet", action="store_true",
                   help="say nothing of files in which nothing is wrong")
    p.set_defaults(run=main)
