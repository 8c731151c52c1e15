"""Darshan: an application's I/O, from a log or from darshan-parser's text."""
import json
import os
import re
import subprocess
import sys
from collections import OrderedDict
from typing import Any, List

from leadline.base.errors import LeadlineError
from leadline.base.fields import printable
from leadline.importing import darshan_log
from leadline.importing.result import CUT, Format, Result, broken, number, positive, utc

TOOL = "darshan"
ABOUT = "Darshan (the text of darshan-parser, and logs if pydarshan is installed)"
FIRST = re.compile(r"^# darshan log version: (\S+)", re.M)
MAGIC = 6567223     # of a log, after eight bytes of its version
HEAD = re.compile(r"^# ([a-z_ ]+): (.*)$")
SUMS = OrderedDict([("POSIX_BYTES_READ", "bytes_read"), ("POSIX_BYTES_WRITTEN",
                    "bytes_written"), ("POSIX_READS", "reads"), ("POSIX_WRITES",
                    "writes"), ("POSIX_OPENS", "opens"), ("POSIX_STATS", "stats"),
                    ("POSIX_SEEKS", "seeks"), ("POSIX_FSYNCS", "fsyncs")])
SECONDS = ("POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME", "POSIX_F_META_TIME")
SIZES = re.compile(r"POSIX_SIZE_(READ|WRITE)_(\w+)$")

# Records: (rank, file number, file, mount, file system) -> {counter: number or None}.


def is_text(text: str) -> bool:
    return bool(FIRST.search(text))


def is_log(data: bytes) -> bool:
    return MAGIC in (int.from_bytes(data[8:16], order) for order in ("little", "big"))


def read(text, source):
    test = Result(TOOL)
    head, records = {}, OrderedDict()
    for i, line in enumerate(text.split("\n"), 1):
        found = HEAD.match(line)
        if found:
            head.setdefault(found.group(1), found.group(2).strip())
        elif line and not line.startswith("#"):
            take_line(records, line, "%s:%d" % (source, i))
    take_head(test, head, source)
    if not text.endswith("\n"):
        test.fail(CUT)
    summarise(test, records, test.wall_s)
    return [test]


def take_line(records, line, where):
    cells = line.split("\t")
    if len(cells) != 8:
        raise broken(where, "it has %d columns, darshan-parser writes 8" % len(cells))
    module, rank, record, counter, value, name, mount, fs = cells
    if module != "POSIX":
        return     # MPI-IO, HDF5 and so on count the same bytes again
    counters = records.setdefault((rank, record, name, mount, fs), {})
    if counter in counters:
        raise broken(where, "%s is there twice" % printable(counter))
    counters[counter] = None if value.startswith("-1") else number(value, where)


def take_head(test, head, source):
    test.version = printable(head.get("darshan log version", "")) or None
    test.ranks = positive(head.get("nprocs", ""), source + ": nprocs")
    test.wall_s = number(head.get("run time", "-"), source + ": run time")
    start = number(head.get("start_time", "-"), source + ": start_time")
    end = number(head.get("end_time", "-"), source + ": end_time")
    test.start_utc = utc(start) if start else None
    test.end_utc = utc(end) if end else None
    take_command(test, head.get("exe", ""))


def take_command(test, text):
    """Takes the command. The program's name is part of the work; its folder is not."""
    test.command(text)
    if test.argv:
        test.option("exe", os.path.basename(test.argv[0]))


# ---- a log, by pydarshan -----------------------------------------------------


def read_log(path: str, source: str) -> List[Any]:
    if path == "-":
        raise LeadlineError("%s: a Darshan log is read from a file only" % source)
    found = from_library(path, source)
    test = Result(TOOL, printable(found["version"]) or None)
    test.ranks = positive(found["nprocs"], source + ": nprocs")
    test.wall_s = number(found["run_time"], source + ": run time") or None
    test.start_utc, test.end_utc = utc(found["start"]), utc(found["end"])
    take_command(test, found["exe"])
    records = OrderedDict()
    for rank, record, name, mount, fs, counters in found["records"]:
        records[rank, record, name, mount, fs] = {
            counter: None if value < 0 else value
            for counter, value in counters.items()}
    summarise(test, records, test.wall_s)
    return [test]


def from_library(path, source):
    done = subprocess.run([sys.executable, darshan_log.__file__, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == darshan_log.NO_LIBRARY:
        raise LeadlineError("%s: a Darshan log needs pydarshan" % source,
                            todo="Install it (pip install darshan), or give the text "
                            "of darshan-parser")
    try:
        return json.loads(done.stdout.decode("utf-8", "replace"))
    except ValueError:
        last = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise broken(source, "pydarshan cannot read it: %s"
                     % (last or "it ended with status %d" % done.returncode))


# ---- the summary -------------------------------------------------------------


def total(records, counter):
    """Returns the sum of a counter; None if no record has it."""
    values = [c[counter] for c in records.values() if c.get(counter) is not None]
    return sum(values) if values else None


def summarise(test, records, wall):
    if not records:
        test.fail("it has no record of POSIX calls")
        return
    for counter, name in SUMS.items():
        value = total(records, counter)
        test.results[name] = [None if value is None else int(value)]
    for counter in sorted(set(c for one in records.values() for c in one)):
        if SIZES.match(counter):
            test.results[counter[len("POSIX_"):].lower()] = [
                total(records, counter)]
    test.results["files"] = [len(set(key[1] for key in records))]
    slowest = [c["POSIX_F_SLOWEST_RANK_TIME"] for c in records.values()
               if c.get("POSIX_F_SLOWEST_RANK_TIME") is not None]
    test.results["slowest_rank_s"] = [max(slowest) if slowest else None]
    take_share(test, records, wall)
    take_files(test, records)
    maps = [c.get("POSIX_MMAPS") for c in records.values() if "POSIX_MMAPS" in c]
    if any(value is None or value > 0 for value in maps):
        test.warn("mapped", "mapped I/O is not seen, and the program %s" % (
            "mapped files" if any(maps) else "may have mapped files"))
    test.warn("no_benchmark", "this is what an application did, not a measurement of "
              "rates")


def take_share(test, records, wall):
    parts = [total(records, counter) for counter in SECONDS]
    if None in parts or not wall:
        test.fail("it does not tell how long its calls took" if wall else
                  "it has no run time")
        return
    test.figure("io_share", "1", "lower", [sum(parts) / (test.ranks * wall)],
                "Darshan (POSIX_F_READ_TIME + _WRITE_TIME + _META_TIME of all records) "
                "/ (nprocs x run time)")


def take_files(test, records):
    """Adds a row for each file system, with the number of its files."""
    places = OrderedDict()
    for _, record, name, mount, fs in records:
        places.setdefault((mount, fs), OrderedDict())[record] = name
    for (mount, fs), names in places.items():
        test.files.append(OrderedDict([
            ("role", "data"), ("path", printable(next(iter(names.values())))),
            ("kind", "unknown"), ("count", len(names)), ("layout", None),
            ("ldad", None), ("bytes", None), ("fs", printable(fs) or None),
            ("mount", None), ("block_bytes", None), ("stripe_bytes", None),
            ("stripe_count", None)]))


FORMATS = [Format(TOOL, "darshan-parser text", is_text, read)]
