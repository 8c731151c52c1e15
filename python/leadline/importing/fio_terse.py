"""fio's terse lines (--minimal) of forms 2 to 5, as jobs in the terms of its JSON."""
import re
from collections import OrderedDict

from leadline.base.fields import printable
from leadline.importing.result import broken, count

# Form 2 begins with the job's name, the others with the version.
BEGIN = re.compile(r"^(?:([345]);((?:fio|\d)[^;\n]*)|(2));([^;\n]*);(\d{1,9});"
                   r"(\d{1,9});", re.M)
STRANGE = "its terse line is cut off, or of a form that this does not know"
PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)%=(\d{1,18})$")
BEFORE = 12      # cells of a direction before its percentiles
AFTER = 9        # and after them: times of whole calls, and rates
MORE = {"5": 6}  # and after those, in newer forms
TAIL = 34        # cells after the last direction: processor, depths, shares of times
NAMES_OF = [(), ("mixed",), ("read", "write"), ("read", "write", "trim"),
            ("read", "write", "trim", "mixed")]


def is_terse(text):
    return bool(BEGIN.search(text))


def jobs(text, source):
    """Yields (number of the line, version or None, job) for each line of jobs."""
    for i, line in enumerate(text.split("\n"), 1):
        found = BEGIN.match(line)
        if found:
            form = found.group(1) or found.group(3)
            yield i, found.group(2), job(line, found, form, "%s:%d" % (source, i))


def job(line, found, form, where):
    cells, at, parts = line[found.end():].split(";"), 0, []
    while at < len(cells) and not cells[at].endswith("%"):   # the processor's share
        part, at = direction(cells, at, form, where)
        parts.append(part)
    if len(cells) < at + TAIL or not 0 < len(parts) < len(NAMES_OF):
        raise broken(where, STRANGE)
    names = NAMES_OF[len(parts)]
    if form == "3" and len(parts) == 3:      # which has no trim
        names = ("read", "write", "mixed")
    out = OrderedDict(jobname=printable(found.group(4)), groupid=int(found.group(5)),
                      error=int(found.group(6)))
    out.update(zip(names, parts))
    return out


def direction(cells, at, form, where):
    """Returns a direction, and the place of the cell after it."""
    end = at + BEFORE
    percentiles = OrderedDict()
    while end < len(cells) and PERCENTILE.match(cells[end]):
        percent, us = PERCENTILE.match(cells[end]).groups()
        percentiles["%.6f" % float(percent)] = int(us)
        end += 1
    after = end + AFTER + MORE.get(form, 0)
    if not percentiles or after > len(cells):
        raise broken(where, STRANGE)
    size, rate, iops, ms = [count(cell, where) for cell in cells[at:at + 4]]
    return OrderedDict([("io_bytes", size), ("bw", rate), ("iops", iops),
                        ("runtime", ms), ("clat", OrderedDict([
                            ("percentile", percentiles),
                            ("max", count(cells[at + 9], where))]))]), after
