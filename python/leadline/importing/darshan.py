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
PARTIAL = re.compile(r"^# \*(?:WARNING|ERROR)\*: The (\S+) module contains incomplete",
                     re.M)
# Modules, and how their counters and our figures begin. Each counts the same bytes
# again: a write by MPI-IO is one by POSIX, too.
MODULES = OrderedDict([("POSIX", "POSIX"), ("STDIO", "STDIO"), ("MPI-IO", "MPIIO")])
SUMS = ("BYTES_READ", "BYTES_WRITTEN", "READS", "WRITES", "OPENS", "STATS", "SEEKS",
        "FSYNCS")
MOVED = ("BYTES_READ", "BYTES_WRITTEN")
SECONDS = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
SLOWEST = "F_SLOWEST_RANK_TIME"
SIZES = re.compile(r"POSIX_SIZE_(READ|WRITE)_(\w+)$")
HEAVIEST = 10      # files, by bytes, that have figures of their own
WAY = ("Darshan agg_perf_by_slowest x 1.048576: bytes / (time of the slowest rank in "
       "its own files + that of each shared file's slowest rank)")

# Records: module -> {(rank, file number, file, mount, file system): {counter: number or
# None}}.


def is_text(text: str) -> bool:
    return bool(FIRST.search(text))


def is_log(data: bytes) -> bool:
    return MAGIC in (int.from_bytes(data[8:16], order) for order in ("little", "big"))


def read(text, source):
    test = Result(TOOL)
    head, records = {}, OrderedDict((module, OrderedDict()) for module in MODULES)
    for i, line in enumerate(text.split("\n"), 1):
        found = HEAD.match(line)
        if found:
            head.setdefault(found.group(1), found.group(2).strip())
        elif line and not line.startswith("#"):
            take_line(records, line, "%s:%d" % (source, i))
    take_head(test, head, source)
    if not text.endswith("\n"):
        test.fail(CUT)
    summarise(test, records, PARTIAL.findall(text))
    return [test]


def take_line(records, line, where):
    cells = line.split("\t")
    if len(cells) != 8:
        raise broken(where, "it has %d columns, darshan-parser writes 8" % len(cells))
    module, rank, record, counter, value, name, mount, fs = cells
    if MODULES.get(module, module) != counter.split("_")[0] and (
            module in MODULES or counter.split("_")[0] in MODULES.values()):
        raise broken(where, "%s is no counter of %s" % (printable(counter),
                                                        printable(module)))
    if module not in records:
        return
    counters = records[module].setdefault((rank, record, name, mount, fs), {})
    if counter in counters:
        raise broken(where, "%s is there twice" % printable(counter))
    counters[counter] = None if value.startswith("-") else number(value, where)


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
    records: Any = OrderedDict((module, OrderedDict()) for module in MODULES)
    for module, rank, record, name, mount, fs, counters in found["records"]:
        records[module][str(rank), record, name, mount, fs] = {
            counter: number(value, source) if value >= 0 else None
            for counter, value in counters.items()}
    summarise(test, records, found["partial"])
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


def summarise(test, modules, partial):
    known = [module for module in MODULES if modules[module]]
    if not known:
        test.fail("it has no record of POSIX, STDIO or MPI-IO calls")
        return
    for module in known:
        take_sums(test, modules[module], MODULES[module])
        take_rates(test, modules[module], MODULES[module])
    main = known[0]
    take_share(test, modules[main], MODULES[main])
    take_files(test, modules[main])
    if not test.figures:
        test.fail("it does not tell how long its calls took")
    maps = [c.get("POSIX_MMAPS") for c in modules["POSIX"].values()
            if "POSIX_MMAPS" in c]
    if any(value is None or value > 0 for value in maps):
        test.warn("mapped", "mapped I/O is not seen, and the program %s" % (
            "mapped files" if any(maps) else "may have mapped files"))
    for module in partial:
        test.lost.append("Darshan had too little memory for all files of %s"
                         % printable(module))
    test.warn("no_benchmark", "this is what an application did: its rates are "
              "estimates of Darshan, not measurements")


def take_sums(test, records, prefix):
    """Adds sums; those of POSIX have names without its own."""
    own = "" if prefix == "POSIX" else prefix.lower() + "_"
    for counter in SUMS if own == "" else MOVED:
        value = total(records, "%s_%s" % (prefix, counter))
        test.results[own + counter.lower()] = [None if value is None else int(value)]
    for counter in sorted(set(c for one in records.values() for c in one)):
        if SIZES.match(counter):
            test.results[counter[len("POSIX_"):].lower()] = [total(records, counter)]
    test.results[own + "files"] = [len(set(key[1] for key in records))]
    slowest = [c[prefix + "_" + SLOWEST] for c in records.values()
               if c.get(prefix + "_" + SLOWEST) is not None]
    test.results[own + "slowest_rank_s"] = [max(slowest) if slowest else None]


def take_rates(test, records, prefix):
    """Adds the rate of a module, and those of the files that most bytes were of."""
    name = "%s_MBps" % prefix.lower()
    rate = rate_of(records, prefix)
    if rate:
        test.figure(name, "MB/s", "higher", [rate], WAY)
    files = OrderedDict()
    for key, counters in records.items():
        files.setdefault(key[1], OrderedDict())[key] = counters
    for some in sorted(files.values(), key=lambda one: -moved(one, prefix))[:HEAVIEST]:
        rate = rate_of(some, prefix)
        if rate and len(files) > 1:
            test.figure(name, "MB/s", "higher", [rate], WAY)
            test.figures[-1]["at"]["file"] = printable(next(iter(some))[2])


def moved(records, prefix):
    return sum(total(records, "%s_%s" % (prefix, name)) or 0 for name in MOVED)


def rate_of(records, prefix):
    """Returns Darshan's estimate in MB/s; None if a time is not known, or 0."""
    shared, ranks = 0, {}
    for (rank, *_), counters in records.items():
        names = (SLOWEST,) if rank == "-1" else SECONDS
        parts = [counters.get("%s_%s" % (prefix, name)) for name in names]
        if None in parts:
            return None
        if rank == "-1":      # of all ranks, in one record
            shared += parts[0]
        else:
            ranks[rank] = ranks.get(rank, 0) + sum(parts)
    seconds = shared + max(ranks.values(), default=0)
    return moved(records, prefix) / 1e6 / seconds if seconds else None


def take_share(test, records, prefix):
    parts = [total(records, "%s_%s" % (prefix, counter)) for counter in SECONDS]
    if None in parts or not test.wall_s:
        test.lost.append("its share of the time (io_share) is not known: it has no "
                         "%s" % ("sound times of all calls" if test.wall_s else
                                 "run time"))
        return
    test.figure("io_share", "1", "lower", [sum(parts) / (test.ranks * test.wall_s)],
                "Darshan (%s_F_READ_TIME + _WRITE_TIME + _META_TIME of all records) / "
                "(nprocs x run time)" % prefix)


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
