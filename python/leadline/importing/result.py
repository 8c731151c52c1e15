"""Common parts of the importers: one result of another program, and functions to parse
it.

An importer makes a Result for each test in a file. Values that the file lacks stay
None: nothing is guessed.
"""
import json
import math
import os
import re
import shlex
import time
from collections import OrderedDict, namedtuple
from datetime import datetime, timedelta, timezone
from typing import Any, List, Optional

from leadline.base import stats
from leadline.base.errors import LeadlineError
from leadline.base.fields import LARGEST, printable

MIB = 1.048576          # MB in a MiB
GIB = 1073.741824       # MB in a GiB
CUT = "the file ends before its summary"
SHORT_S = 1.0           # transfers below it are too short to mean much
ABSENT = ("inf", "-inf", "nan", "-nan", "-", "na", "")

# A form in which a tool writes results: `is_one(text)`, and `read(text, source)`, which
# returns a list of Results. A module has its tool's name as TOOL, the tool's words in
# the manual as ABOUT, and FORMATS. It may have OTHERS, files of the tool that are not
# read.
Format = namedtuple("Format", "name variant is_one read")
Other = namedtuple("Other", "is_one what todo is_result")


class Result:
    """One test. `why`: the sentence that makes it invalid; `options`: name -> (value,
    unit, workload)."""

    def __init__(self, tool, version=None, test=""):
        self.tool = tool
        self.version = version
        # part of the report's name, if a file has several tests
        self.test = str(test)
        self.line = None            # where it begins
        self.argv = []
        self.start_utc = None
        self.end_utc = None
        self.wall_s = None
        self.ranks = None
        self.nodes = None
        self.ranks_per_node = None
        self.io = {"settings": {}, "hints_asked": {}, "hints_in_effect": {}}
        self.host = None            # of the first process
        self.files = []
        self.options = OrderedDict()
        self.figures = []
        self.samples = []
        self.results = OrderedDict()
        self.warnings = OrderedDict()
        self.errors = []
        self.lost = []
        self.parts = []             # other files of the same run
        self.blocks_bad = None
        self.why = None

    def figure(self, name, unit, better, reps, formula):
        self.figures.append(figure(name, unit, better, reps, formula))

    def warn(self, code, text):
        """Adds a warning; only the first of each code is kept."""
        self.warnings.setdefault(code, text)

    def fail(self, why, errno=None):
        """Marks the test as invalid; the first cause is kept."""
        if self.why is None:
            self.why = why
            self.errors.append({"rank": None, "host": None, "file": None,
                                "offset_bytes": None, "errno": errno, "text": why})

    def option(self, name, value, unit=None, workload=True):
        self.options[name.strip().lower()] = (value, unit, workload)

    def command(self, text):
        """Takes the command line, split as a shell does."""
        try:
            self.argv = [printable(word) for word in shlex.split(text)]
        except ValueError:
            self.lost.append("its command line cannot be split: " + printable(text))

    def started(self, text, form):
        """Takes a local time, whose zone only the variable TZ tells."""
        self.start_utc = from_local(text, form)
        if self.start_utc is None:
            self.lost.append("it started at %s, in a time zone that it does not name"
                             % printable(text))


def figure(name, unit, better, reps, formula):
    known = [rep for rep in reps if rep is not None]
    interval = (stats.interval(known) if known and min(known) > 0 else None)
    return OrderedDict([
        ("name", name), ("at", {}), ("unit", unit), ("better", better),
        ("formula", formula), ("reps", reps),
        ("median", stats.median(known) if known else None),
        ("min", min(known) if known else None), ("max", max(known) if known else None),
        ("ci95", [interval.low, interval.high] if interval else None),
        ("ci_of", "geometric mean")])


# ---- text --------------------------------------------------------------------


def runs_of(text, first):
    """Splits runs whose output was appended to one file: (lines before it, its
    lines)."""
    lines = text.split("\n")
    begins = [i for i, line in enumerate(lines) if first.match(line)]
    for begin, end in zip(begins, begins[1:] + [len(lines)]):
        yield begin, lines[begin:end]


def number_apart(tests: List[Any]) -> List[Any]:
    """Names several tests of a file; a single one needs no name."""
    for i, test in enumerate(tests):
        test.test = str(i) if len(tests) > 1 else ""
    return tests


def whole_table(test, text, source, short=False):
    """Returns the columns of a CSV of the ranks, and its rows as (number of the line,
    cells). Rows that begin with a number may be `short` (mdtest's have fewer)."""
    lines = text.split("\n")
    columns = lines[0].strip().split(",")
    rows = [(i, line.strip().split(",")) for i, line in enumerate(lines[1:], 2)
            if line.strip()]
    for i, row in rows:
        if len(row) != len(columns) and not (short and row[0].isdigit()):
            raise broken("%s:%d" % (source, i), "it is not a row of %d values"
                         % len(columns))
    if lines[-1].strip():
        test.fail(CUT)
    test.lost.append("this format has no parameters, nodes, version and date, and a "
                     "file that lacks its last ranks looks whole")
    return columns, rows


# ---- numbers -----------------------------------------------------------------


def broken(where: str, what: str) -> LeadlineError:
    return LeadlineError("%s: %s" % (where, what))


def number(text, where):
    """Parses a number; None if the program had none, such as nan or NA. No measurement
    is negative."""
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        value = text
    elif isinstance(text, str) and text.strip().lower() in ABSENT:
        return None
    else:
        try:
            value = float(text)
        except (TypeError, ValueError):
            raise broken(where, "%s is not a number" % shown(text))
    if not math.isfinite(value):
        return None
    if not 0 <= value <= LARGEST:
        raise broken(where, "%s cannot have been measured" % shown(text))
    return value


def count(text: Any, where: str) -> int:
    """Parses a whole number, 0 or more."""
    if isinstance(text, int) and not isinstance(text, bool) and 0 <= text < 1 << 63:
        return text
    if isinstance(text, str) and re.match(r"\d{1,18}$", text.strip()):
        return int(text)
    raise broken(where, "%s is not a whole number from 0 to 2^63" % shown(text))


def positive(text, where):
    value = count(text, where)
    if value == 0:
        raise broken(where, "it is 0")
    return value


def plain(text: str) -> Any:
    """Converts an option's value to a number if it is one."""
    text = text.strip()
    if re.match(r"-?\d{1,18}$", text):
        return int(text)
    if re.match(r"-?\d{1,18}\.\d{1,18}$", text):
        return float(text)
    return printable(text)


def times(value: Optional[float], factor: float) -> Optional[float]:
    return None if value is None else value * factor


def shown(value):
    return '"%s"' % printable(str(value))[:40]


# ---- times -------------------------------------------------------------------


def utc(seconds: float) -> Optional[str]:
    """Formats seconds since 1970; None if no calendar has such a date."""
    if not 0 < seconds < 4102444800:   # 2100
        return None
    moment = datetime(1970, 1, 1) + timedelta(milliseconds=round(seconds * 1000))
    return "%s.%03dZ" % (moment.strftime("%Y-%m-%dT%H:%M:%S"),
                         moment.microsecond // 1000)


def zone_is_known():
    """True if TZ names a time zone: the C library silently takes an unknown one for
    UTC."""
    zone = os.environ.get("TZ", "").lstrip(":")
    rule = "/" not in zone and re.search(r"\d", zone)     # such as CET-1CEST
    return bool(zone) and bool(zone in ("UTC", "GMT") or rule or os.path.isfile(
        os.path.join("/usr/share/zoneinfo", zone)))


def from_local(text, form):
    """Parses a local time; None unless TZ gives its zone."""
    if not zone_is_known():
        return None
    try:
        return utc(time.mktime(time.strptime(text.strip(), form)))
    except (ValueError, OverflowError):
        return None


ZONED = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|[+-]\d\d:?\d\d)$")


def from_zoned(text: str) -> Optional[str]:
    """Parses 2026-11-22T10:00:01.123+0100."""
    found = ZONED.match(text) if isinstance(text, str) else None
    if not found:
        return None
    day, part, zone = found.groups()
    try:
        moment = datetime.strptime(day, "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None
    ahead = 0
    if zone != "Z":
        digits = zone[1:].replace(":", "")
        ahead = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        ahead = -ahead if zone[0] == "-" else ahead
    return utc(moment.replace(tzinfo=timezone.utc).timestamp() + float(part or 0)
               - ahead)


# ---- trees of JSON -----------------------------------------------------------

NAMES = {dict: "an object", list: "a list", str: "text", int: "a whole number"}


def json_object(text, where):
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise broken(where, "not JSON, or cut off: %s" % why)
    if not isinstance(tree, dict):
        raise broken(where, "it is not an object")
    return tree


def member(tree, name, kind, where, default=None):
    """Returns tree[name], which must be of a kind; `default` if it is absent or
    null."""
    value = tree.get(name)
    if value is None:
        if default is not None:
            return default
        raise broken(where, "there is no %s" % name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise broken(where, "%s is not %s" % (name, NAMES[kind]))
    return value
