"""The fields of a report in one table, and a check of a tree against it.

The table says what doc/report-schema.md says. Fields that it does not have are ignored:
a later version of a program may add some.
"""
import re
from typing import Any, Callable, Dict, List, Tuple

SCHEMA = "leadline-report/1"
Test = Callable[[Any], bool]

ACTS = ("compute", "communicate", "open_close", "read", "write", "sync", "check",
        "idle", "wall")
READS = ("below", "device", "unknown", "cache", "memory")
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")


# No measurement exceeds this; a larger number could overflow when summed or squared.
LARGEST = 1e30
SMALLEST = 1e-30   # except 0


def is_number(value: Any) -> bool:
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and -LARGEST <= value <= LARGEST)


def is_count(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)
            and 0 <= value < 1 << 64)


def is_text(value: Any) -> bool:
    return isinstance(value, str)


# name: (test, description of valid values). In the table below "name?" may also be
# null.
KINDS: Dict[str, Tuple[Test, str]] = {
    "schema": (lambda v: v == SCHEMA, '"%s"' % SCHEMA),
    "truth": (lambda v: isinstance(v, bool), "true or false"),
    "text": (is_text, "text"),
    "name": (lambda v: is_text(v) and v != "", "text that is not empty"),
    "utc": (lambda v: is_text(v) and bool(UTC.match(v)),
            "a UTC time such as 2026-11-20T10:15:02.123Z"),
    "number": (is_number, "a number of up to 1e30"),
    "seconds": (lambda v: is_number(v) and v >= 0, "seconds, 0 or more"),
    "amount": (lambda v: is_number(v) and v >= 0, "a number, 0 or more"),
    "count": (is_count, "a whole number, 0 or more"),
    "positive": (lambda v: is_count(v) and v > 0, "a whole number above 0"),
    "rank": (is_count, "a rank"),
    "act": (lambda v: v in ACTS, "one of " + ", ".join(ACTS)),
    "reads": (lambda v: v in READS, "one of " + ", ".join(READS)),
    "better": (lambda v: v in ("higher", "lower"), '"higher" or "lower"'),
    "any": (lambda v: True, "a value"),
    "share": (lambda v: is_number(v) and 0 <= v <= 1, "a share from 0 to 1"),
    "interval": (lambda v: isinstance(v, list) and len(v) == 2
                 and all(map(is_number, v)) and v[0] <= v[1],
                 "[low, high] with low <= high"),
    "bucket": (lambda v: isinstance(v, list) and len(v) == 2 and is_number(v[0])
               and is_count(v[1]), "[upper bound in seconds, count]"),
}


def or_null(test: Test) -> Test:
    return lambda v: v is None or test(v)


# All kinds, with those that may be null.
LEAVES = dict(KINDS)
LEAVES.update((name + "?", (or_null(test), wanted))
              for name, (test, wanted) in KINDS.items())

LATENCY: Dict[str, Any] = {name: "seconds?"
                 for name in ("p50_s", "p90_s", "p99_s", "p999_s", "max_s")}
LATENCY["p95_s*"] = "seconds?"
LATENCY["hist"] = ["bucket"]
OP = dict(LATENCY, calls="count", seconds="seconds")  # calls that move no data
SERIES = {"slot_s": "seconds", "bytes": ["count"], "calls": ["count"],
          "max_s": ["seconds"]}

COMPARISON = {
    "factors": [{"option": "name", "values": ["text"]}],
    "arms": [{"name": "name", "settings": {"*": "any"}, "failed": "text?"}],
    "seed": "count", "rounds": "count", "ended_by": "text",
    "order": [["count"]], "start_s": [["seconds?"]], "end_s": [["seconds?"]],
    "bytes": [["count?"]],
    "ratios": [{"figure": "name", "arm": "count", "ratio": "amount?", "low": "amount?",
                "high": "amount?", "verdict": "text", "effective_rounds": "amount?"}]}

# An object is a dict (a field "name*" may be missing, "*" is any field), a list has
# members of its kind, (kind,) may also be null.
TABLE = {
    "schema": "schema", "valid": "truth", "why": "text?",
    "run": {
        "id": "name", "program": "name", "version": "text?", "argv": ["text"],
        "label": "text", "start_utc": "utc?", "end_utc": "utc?", "wall_s": "seconds?",
        "seed": "count?",
        "series": ({"id": "text", "config": "text", "round": "count?"},),
        "imported*": ({"tool": "name", "tool_version": "text?", "format": "name",
                       "file": "text", "sha256": "name", "line": "positive?",
                       "lost": ["text"],
                       "parts*": [{"file": "text", "sha256": "name", "format": "name",
                                   "phase": "text"}]},)},
    "mpi": {"library": "text?", "io_layer": "text?", "thread_level": "text?",
            "launcher": "text?", "ranks": "positive", "nodes": "positive?",
            "ranks_per_node_max": "positive?", "lanes*": "positive?"},
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
               "stripe_count": "count?", "stripe_about*": "text?",
               "stored_bytes*": "count?", "stored_of_bytes*": "positive?",
               "stored_about*": "text?",
               "stack*": [{"level": "count", "kind": "text", "name": "text",
                           "about": "text?", "reads": "reads"}]}],
    "nodes*": [{"count": "positive", "names": "text", "storage": "text",
                "reads": "reads", "fs": "text?", "source": "text?", "uuid": "text?",
                "mount": "text?", "client": "text?", "kernel": "text?",
                "limits": "text?", "below_share": "share?",
                "resident_share": "share?"}],
    "doctor*": {"*": {"title": "text", "answer": "text", "text": "text",
                       "means": "text", "values": {"*": "number?"}}},
    "sources*": [{"path": "text", "bytes": "count", "soundings": "count",
                  "about": "text?"}],
    "options": {"*": {"value": "any", "unit": "text?", "from": "text",
                      "workload": "truth"}},
    "comparison*": (COMPARISON,),
    "samples": [{
        "arm*": "count", "rep": "count", "at": {"*": "any"}, "phase": "text",
        "act": "act",
        "start_s": "seconds?", "calls": "count?", "bytes": "count?",
        "device_bytes": "count?", "min_s": "seconds", "mean_s": "seconds",
        "max_s": "seconds", "max_rank": "rank?", "max_lane*": "count",
        "max_host": "text?", "submit_mean_s": "seconds?", "wait_mean_s": "seconds?",
        "ranks_s": (["seconds"],), "latency*": (LATENCY,), "series*": (SERIES,),
        "ops*": {"*": OP}}],
    "figures": [{
        "name": "name", "arm*": "count", "at": {"*": "any"}, "unit": "name",
        "better": "better",
        "formula": "text", "reps": ["number?"], "median": "number?", "min": "number?",
        "max": "number?", "ci95": "interval?", "ci_of": "text?"}],
    "results": {"*": "any"},
    "checks": {"blocks_checked": "count?", "blocks_bad": "count?",
               "split_error": "seconds?", "device_share": "share?",
               "below_share*": "share?"},
    "warnings": [{"code": "name", "text": "text"}],
    "errors": [{"rank": "rank?", "host": "text?", "file": "text?",
                "offset_bytes": "count?", "errno": "text?", "text": "text"}],
}


# ---- check of a tree ---------------------------------------------------------

STRICT = 0       # every field is there, and null only where the table allows it
UNFINISHED = 1   # report of a failed run: values that it did not get to know are null
PARTIAL = 2      # fields may be missing, as nobody asked for more


def check(value: Any, kind: Any, path: str, mode: int = STRICT) -> List[str]:
    """Returns the faults of `value`, each as "path: what"."""
    return [path + fault for fault in faults(value, kind, mode)]


def faults(value: Any, kind: Any, mode: int) -> List[str]:
    """Returns the faults of `value` with paths from here on, which are made for faults
    only."""
    if value is None and (mode != STRICT or isinstance(kind, tuple)):
        return []
    if isinstance(kind, tuple):
        kind = kind[0]
    if isinstance(kind, dict):
        return faults_of_object(value, kind, mode)
    if isinstance(kind, list):
        return faults_of_list(value, kind[0], mode)
    test, wanted = LEAVES[kind]
    return [] if test(value) else [": it is not %s" % wanted]


def faults_of_object(value: Any, fields: Dict[str, Any], mode: int) -> List[str]:
    if not isinstance(value, dict):
        return [": it is not an object"]
    if "*" in fields:
        return [step(name) + fault for name in value
                for fault in faults(value[name], fields["*"], mode)]
    found = []
    for name, kind, test, needed in (PLANS.get(id(fields)) or plan(fields))[1]:
        if name in value:
            if test is not None and test(value[name]):
                continue   # nearly always: no call, no path
            found += [step(name) + fault for fault in faults(value[name], kind, mode)]
        elif needed and mode != PARTIAL:
            found.append("%s: it is missing" % step(name))
    return found


# Plans of the objects of TABLE by id. Keeping the object prevents reuse of its id.
PLANS: Dict[int, Any] = {}


def plan(fields: Dict[str, Any]) -> Any:
    """Returns (name, kind, test of a leaf, whether it is required) for each field."""
    PLANS[id(fields)] = (fields, [
        (field.rstrip("*"), kind, LEAVES[kind][0] if isinstance(kind, str) else None,
         not field.endswith("*")) for field, kind in fields.items()])
    return PLANS[id(fields)]


def faults_of_list(value: Any, kind: Any, mode: int) -> List[str]:
    if not isinstance(value, list):
        return [": it is not a list"]
    if isinstance(kind, str) and all(map(KINDS[kind.rstrip("?")][0], value)):
        return []   # fast path, for series of hundreds
    return ["[%d]%s" % (i, fault) for i, item in enumerate(value)
            for fault in faults(item, kind, mode)]


def step(name: str) -> str:
    """Returns the path element of a member."""
    if re.match(r"[A-Za-z_]\w*$", name):
        return "." + name
    return "['%s']" % printable(name)


def printable(value: Any) -> str:
    """Escapes control characters, so that a report cannot write them to a terminal."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text)
