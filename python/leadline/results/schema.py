"""leadline validate: checks a report against its schema, which is the table of
fields.py, and the relations between fields.
"""
import os
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

from leadline.base import output, stats
from leadline.base.errors import FAILED, LeadlineError
from leadline.base.fields import printable
from leadline.base.fields import SCHEMA, STRICT, TABLE, UNFINISHED, check
from leadline.base.options import operand, option
from leadline.results import report as reports

NEVER_NULL = [("run", "version"), ("run", "start_utc"), ("run", "seed"),
              ("mpi", "library"), ("mpi", "nodes"), ("mpi", "ranks_per_node_max")]
SHOWN = 5          # most faults of one file, or other files, that are printed
TOLERANCE = 0.01   # of wall time: tolerance of the sum of activities
ROUNDING = 1e-6    # of a value: tolerance of a summary of repetitions
SLACK_S = 1e-4     # absolute tolerance of the parts of a short phase


# ---- relations between fields ------------------------------------------------


def meaning(tree: Dict[str, Any]) -> List[str]:
    """Returns faults between fields of a tree that has the right shape."""
    if not tree["valid"]:
        words = "$.why: a run that is not valid says why, this one does not"
        return [] if tree["why"] else [words]
    faults = unknown(tree) + [fault for i, row in enumerate(tree["figures"])
              for fault in summary_faults(row, "$.figures[%d]" % i)]
    if tree["checks"]["blocks_bad"]:
        faults.append("$.checks.blocks_bad: blocks were wrong, and it is called valid")
    faults += comparison_faults(tree)
    for i, row in enumerate(tree["samples"]):
        faults += series_faults(row, "$.samples[%d].series" % i)
    return faults + split_faults(tree["samples"]) + twice(tree["figures"])


def unknown(tree: Dict[str, Any]) -> List[str]:
    """Returns faults for unknown values that other programs may leave out, and ours may
    not."""
    if tree["run"].get("imported"):
        return []
    return ["$.%s.%s: it is null, and the report is not imported" % (part, name)
            for part, name in NEVER_NULL if tree[part][name] is None]


def summary_faults(row: Dict[str, Any], path: str) -> List[str]:
    known = [rep for rep in row["reps"] if rep is not None]
    facts: List[Tuple[str, Callable[[List[float]], float]]] = [
        ("median", stats.median), ("min", min), ("max", max)]
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
        faults.append("%s.ci95: an interval of %d repetitions; fewer than %d have none"
                      % (path, len(known), stats.CI_MIN))
    return faults


def series_faults(row: Dict[str, Any], path: str) -> List[str]:
    """Checks that all series have the same number of slots, and do not add up to more
    than the phase moved."""
    series = row.get("series")
    if not series:
        return []
    names = ("bytes", "calls", "max_s")
    if len(set(len(series[name]) for name in names)) > 1:
        return ["%s: %s have different numbers of slots" % (path, ", ".join(names))]
    return ["%s.%s: its slots add up to %d, the sample has %d"
            % (path, name, sum(series[name]), row[name]) for name in ("bytes", "calls")
            if row[name] is not None and sum(series[name]) > row[name]]


def split_faults(samples: Sequence[Dict[str, Any]]) -> List[str]:
    """Checks that each phase's activities add up to its wall time. A phase that
    occurred several times in a repetition has as many rows."""
    parts: Dict[Tuple[Any, ...], float] = {}
    walls: Dict[Tuple[Any, ...], float] = {}
    first: Dict[Tuple[Any, ...], int] = {}
    for i, row in enumerate(samples):
        key = (row.get("arm"), row["rep"], row["phase"], str(row["at"]))
        sums = walls if row["act"] == "wall" else parts
        sums[key] = sums.get(key, 0.0) + row["mean_s"]
        first.setdefault(key, i)
    return ["$.samples[%d].mean_s: the activities of phase %s add up to %.6g s, its "
            "wall time is %.6g s"
            % (first[key], printable(key[2]), parts[key], wall)
            for key, wall in walls.items() if key in parts
            and abs(parts[key] - wall) > TOLERANCE * wall + SLACK_S]


def twice(figures: Sequence[Dict[str, Any]]) -> List[str]:
    seen: Set[Tuple[Any, ...]] = set()
    faults = []
    for i, row in enumerate(figures):
        key = (row["name"], row.get("arm"), str(sorted(row["at"].items())))
        if key in seen:
            faults.append("$.figures[%d]: there is a figure %s already"
                          % (i, printable(row["name"])))
        seen.add(key)
    return faults


def comparison_faults(tree: Dict[str, Any]) -> List[str]:
    """Checks that rows name arms that there are, and that each repetition of a round
    has its times and bytes."""
    found = tree.get("comparison")
    if found is None:
        return ["$.%s[%d].rep: it is 0, and no round of warm-up" % (part, i)
                for part in ("samples",) for i, row in enumerate(tree[part])
                if not row["rep"]]
    faults, arms = [], range(len(found["arms"]))
    for part in ("figures", "samples"):
        faults += ["$.%s[%d].arm: there are %d arms, and it is not one of them"
                   % (part, i, len(arms)) for i, row in enumerate(tree[part])
                   if row.get("arm") not in arms]
    for i, row in enumerate(found["order"]):
        if len(set(row)) < len(row) or not set(row) <= set(arms):
            faults.append("$.comparison.order[%d]: it is no order of arms" % i)
    shape = [len(row) for row in found["order"]]
    faults += ["$.comparison.%s: it has not the shape of order" % name
               for name in ("start_s", "end_s", "bytes")
               if [len(row) for row in found[name]] != shape]
    return faults


# ---- the command -------------------------------------------------------------


def faults_of(path: str) -> List[str]:
    """Returns the faults of the report in `path`; [] if there are none."""
    tree = reports.read_json(path)
    if not isinstance(tree, dict):
        return ["$: it is not an object"]
    schema = check(tree.get("schema"), "schema", "$.schema")
    if schema:
        return schema
    return (check(tree, TABLE, "$", STRICT if tree.get("valid") is True else UNFINISHED)
            or meaning(tree))


def is_meant(path: str) -> bool:
    """True if a file is meant to be a report: it says so, it has parts of one, or it
    cannot be read. Others are specifications, a sweep's state, plans, counts."""
    try:
        tree = reports.read_json(path)
    except LeadlineError:
        return True
    schema = reports.schema_of(tree)
    if schema is not None:
        return "report" in str(schema)
    return isinstance(tree, dict) and ("figures" in tree or "run" in tree)


def files_of(path: str) -> Tuple[List[str], List[str]]:
    """Returns (files to check, other JSON files); for a directory without any to check,
    those of its subdirectories."""
    if not os.path.isdir(path):
        return [path], []
    found = reports.json_files(path)
    meant = [name for name in found if is_meant(name)]
    for name in [] if meant else reports.folders_in(path):
        inside = reports.json_files(os.path.join(path, name))
        meant += [name for name in inside if is_meant(name)]
        found += inside
    known = set(meant)
    return meant, [name for name in found if name not in known]


def named(given: str, others: Sequence[str]) -> str:
    """Returns one line about files that are no reports."""
    names = [os.path.relpath(path, given) for path in others[:SHOWN]]
    more = ["and %d more" % (len(others) - SHOWN)] if len(others) > SHOWN else []
    return "%s: %d other JSON file%s: %s" % (
        given, len(others), "s" if len(others) > 1 else "", ", ".join(names + more))


def sentences(path: str) -> Tuple[List[str], bool]:
    """Returns lines about one file, and whether it is a valid report."""
    try:
        faults = faults_of(path)
    except LeadlineError as why:
        return [str(why)], False
    if not faults:
        return ["%s: valid against %s" % (path, SCHEMA)], True
    lines = ["%s: %s" % (path, fault) for fault in faults[:SHOWN]]
    if len(faults) > SHOWN:
        lines.append("%s: and %d more" % (path, len(faults) - SHOWN))
    return lines, False


def main(args: Any, where: Any) -> int:
    good = True
    for given in args.paths:
        meant, others = files_of(given)
        for path in meant:
            lines, right = sentences(path)
            good = good and right
            for line in lines if not (right and args.quiet) else []:
                output.say(printable(line) + "\n")
        if not meant:
            output.say(printable("%s: no report" % given) + "\n")
            good = False
        if others and not args.quiet:
            output.say(printable(named(given, others)) + "\n")
    return 0 if good else FAILED


OPTIONS = [
    operand("FILE ...", "paths", "a JSON report, or a directory of them"),
    option("-q, --quiet", "print nothing about correct files",
           "Prints nothing about correct files."),
]


def add(commands: Any) -> None:
    p = commands.add_parser(
        "validate", help="check reports against the schema",
        description="Checks JSON reports against the schema and prints the first few "
                    "faults with their JSON paths. The report of a failed run is "
                    "correct if it says that the run failed.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
