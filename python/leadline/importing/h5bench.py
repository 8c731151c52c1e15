"""h5bench: its CSV of metric, value, unit."""
import re

from leadline.base.fields import printable
from leadline.importing.result import (CUT, MIB, SHORT_S, Format, Result, broken,
                                       number, plain, positive)

TOOL = "h5bench"
ABOUT = "h5bench (CSV)"
OPERATIONS = {"write": "write", "read": "read", "append": "write", "overwrite": "write"}
# Factors to MB/s; h5bench's K, M, G and T are powers of 1024.
UNITS = {"B/s": 1e-6, "KB/s": MIB / 1024, "MB/s": MIB, "GB/s": MIB * 1024,
         "TB/s": MIB * 1024 ** 2, "PB/s": MIB * 1024 ** 3}
NO_WORK = ("total compute time", "raw time", "metadata time", "observed time")
RATES = [("raw rate", "_MBps", "bytes / time of the transfers"),
         ("observed rate", "_observed_MBps", "bytes / time without the computing")]


def is_csv(text):
    return re.match(r"\s*metric\s*,\s*value\s*,\s*unit\s*\n", text) is not None


def read(text, source):
    test, values = Result(TOOL), {}
    for i, line in enumerate(text.strip("\n").split("\n")[1:], 2):
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != 3:
            raise broken("%s:%d" % (source, i), "it is not metric, value, unit")
        if cells[0] in values:
            raise broken("%s:%d" % (source, i), "%s is there twice"
                         % printable(cells[0]))
        values[cells[0]] = (cells[1], cells[2], "%s:%d" % (source, i))
    operation = OPERATIONS.get(values.get("operation", ("",))[0])
    if operation is None:
        raise broken(source, "its operation is not write, read, append or overwrite")
    if "ranks" in values:
        test.ranks = positive(values["ranks"][0], values["ranks"][2])
    test.lost.append("this format has no date, nodes and version")
    take_options(test, values)
    for name, suffix, way in RATES:
        if name not in values:
            test.fail(CUT)
            continue
        take_rate(test, operation + suffix, name, values[name], way)
    if not text.endswith("\n") or "observed time" not in values:
        test.fail(CUT)
    return [test]


def take_options(test, values):
    for name, (text, unit, where) in values.items():
        if name in ("ranks", "raw rate", "observed rate"):
            continue
        if name in NO_WORK:
            test.results[name.replace(" ", "_") + "_s"] = [number(text, where)]
            continue
        test.option(name, plain(text), unit or None)
    if values.get("collective data", ("",))[0] in ("YES", "NO"):
        test.io["collective"] = values["collective data"][0] == "YES"
    took = test.results.get("raw_time_s", [None])[0]
    if took is not None and took < SHORT_S:
        test.warn("short", "transfers took less than 1 s")


def take_rate(test, figure, name, value, way):
    text, unit, where = value
    if unit not in UNITS:
        raise broken(where, "%s is not a unit of a rate" % printable(unit or "nothing"))
    rate = number(text, where)
    test.figure(figure, "MB/s", "higher",
                [rate * UNITS[unit] if rate else None],
                "h5bench %s (%s of 1024) x %.10g: %s" % (name, unit, UNITS[unit], way))
    if len(text.replace(".", "").lstrip("0")) < 3:
        test.warn("rounded", "%s has fewer than three digits" % name)


FORMATS = [Format(TOOL, "CSV", is_csv, read)]
