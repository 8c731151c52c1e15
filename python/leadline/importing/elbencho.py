"""elbencho: its CSV, a row per phase, and its JSON, an object per line."""
import re
from collections import OrderedDict
from typing import Any, List

from leadline.base.fields import printable
from leadline.importing.result import (MIB, SHORT_S, Format, Other, Result, broken,
                                       from_zoned, json_object, member, number,
                                       number_apart, plain, positive, times)

TOOL = "elbencho"
ABOUT = "elbencho (CSV, JSON)"
FIRST = "ISO date,label,"
NAMES = {"WRITE": "write", "READ": "read", "MKDIRS": "dir_create", "RMFILES":
         "file_remove", "RMDIRS": "dir_remove", "STAT": "file_stat", "STATDIRS":
         "dir_stat", "MKBUCKETS": "bucket_create", "RMBUCKETS": "bucket_remove",
         "RMOBJECTS": "object_remove", "HEADOBJ": "object_stat", "LISTOBJ":
         "object_list"}
MIXED = ("RWMIX", "MIX-T")     # begin the names of writes with reads among them
SILENT = ("SYNC", "DROPCACHE")
# Words of the command that choose phases and outputs, and those with a value.
PHASES = ("-w", "--write", "-r", "--read", "-d", "--mkdirs", "-F", "--delfiles", "-D",
          "--deldirs", "--stat", "--statdirs", "--sync", "--dropcache", "--nolive",
          "--cpu", "--lat", "--allelapsed", "--nodelerr")
OUTPUTS = ("--csvfile", "--jsonfile", "--resfile", "--livecsv", "--liveint", "--label",
           "--log")
CSV_OPTIONS = ("path type", "paths", "dirs", "files", "file size", "block size",
               "direct IO", "random", "random aligned", "IO depth", "shared paths",
               "truncate")
JSON_OPTIONS = {"path_type": "path type", "paths": "paths", "file_size": "file size",
                "block_size": "block size", "direct_io": "direct io", "random_offsets":
                "random", "io_depth": "io depth", "truncate_files": "truncate", "dirs":
                "dirs", "files": "files"}
NEWER = ("rwmix", "version", "command")  # begin the columns that old versions lack
NEEDED = ("bytes/s", "iops")   # required of phases that move data
ROUNDED = 100      # whole MiB/s below this have fewer than three digits
WARNINGS = {
    "short": "of %s: the phase took less than 1 s",
    "short_metadata": "of %s: the phase took less than 1 s",
    "rounded": "of %s: this format cuts rates to whole MiB/s, and those below 100 have "
               "fewer than three digits",
    "stonewalled": "of %s: the time limit ended the phase, so not all of the files may "
                   "have been done"}

# A phase, of either format, in the same terms; its numbers are those at the end of the
# last thread.


class Phase:
    def __init__(self, name, label, options, hosts, threads, version):
        self.name = name
        self.label = label
        self.options = options
        self.hosts = hosts
        self.threads = threads
        self.version = version
        self.date = None
        self.command = ""
        self.rate = self.ops = self.entries = self.seconds = None   # MB/s, 1/s, 1/s, s
        self.read_rate = self.read_ops = None      # of RWMIX
        self.whole = False         # the rate was truncated to whole MiB/s
        self.first = {}

    def meaning(self):
        """Returns the beginning of its figures' names; None if it is not known. With
        +s and +r, each file that is written is also stated and read."""
        if self.name.startswith(MIXED):
            return "write"
        return NAMES.get(self.name.split("+")[0])


def is_csv(text: str) -> bool:
    return text.lstrip().startswith(FIRST)


def is_live(text: str) -> bool:
    return re.match(r"\s*(ISO Date,)?Label,Phase,RuntimeMS,Rank,", text) is not None


def is_json(text: str) -> bool:
    line = text.lstrip().split("\n", 1)[0]
    return line.startswith("{") and '"phase_type"' in line


# ---- CSV ---------------------------------------------------------------------


def read_csv(text: str, source: str) -> List[Any]:
    rows = [line.split(",") for line in text.strip("\n").split("\n")]
    columns = []          # commas in texts were replaced, and nothing is quoted
    if not text.endswith("\n"):
        raise broken(source, "its last line is cut off")
    phases = []
    for i, row in enumerate(rows, 1):
        if ",".join(row[:2]) + "," == FIRST:   # of the first file, or of one appended
            columns = row
            continue
        where = "%s:%d" % (source, i)
        if len(row) != len(columns):
            raise broken(where, "it has %d columns, the heading %d"
                         % (len(row), len(columns)))
        phases.append(csv_phase(dict(zip(columns, row)), where))
    return results(phases, source)


def csv_phase(row, where):
    def text(name):
        if name not in row and not name.startswith(NEWER):
            raise broken(where, "there is no column %s" % name)
        return row.get(name, "").strip()

    def value(name):
        return number(text(name), "%s: %s" % (where, name))
    options = OrderedDict((name.lower(), plain(text(name))) for name in CSV_OPTIONS
                          if row.get(name))
    phase = Phase(text("operation"), text("label"), options,
                  positive(text("hosts"), where + ": hosts"),
                  positive(text("threads"), where + ": threads"), text("version"))
    phase.date = text("ISO date")
    phase.command = text("command")
    phase.rate, phase.whole = times(value("MiB/s [last]"), MIB), True
    phase.ops, phase.entries = value("IOPS [last]"), value("entries/s [last]")
    phase.read_rate = times(value("rwmix read MiB/s [last]"), MIB)
    phase.read_ops = value("rwmix read IOPS [last]")
    phase.seconds = times(value("time ms [last]"), 1e-3)
    phase.first = {"MBps_first": times(value("MiB/s [first]"), MIB),
                   "first_s": times(value("time ms [first]"), 1e-3)}
    return phase


# ---- JSON --------------------------------------------------------------------


def read_json(text: str, source: str) -> List[Any]:
    phases = []
    for i, line in enumerate(text.split("\n"), 1):
        if line.strip():
            phases.append(json_phase(line, "%s:%d" % (source, i)))
    return results(phases, source)


def as_in_csv(text):
    return plain({"true": "1", "false": "0"}.get(text, text))


def json_phase(line, where):
    tree = json_object(line, where)
    config = member(tree, "config", dict, where)
    last, first = (member(tree, name, dict, where)
                   for name in ("last_done", "first_done"))
    options = OrderedDict((JSON_OPTIONS[name], as_in_csv(str(config[name])))
                          for name in JSON_OPTIONS if name in config)
    phase = Phase(member(tree, "phase_type", str, where),
                  str(tree.get("label", config.get("label", ""))), options,
                  positive(config.get("hosts"), where + ": hosts"),
                  positive(config.get("threads"), where + ": threads"),
                  str(config.get("version", "")))
    phase.date = member(tree, "iso_start_date", str, where, " ").strip()
    phase.command = str(config.get("command", ""))

    def value(of, name):
        return number(of.get(name, "-"), "%s: %s" % (where, name))
    for name in NEEDED if phase.meaning() in ("write", "read") else ():
        member(last, name, str, where)
    phase.rate = times(value(last, "bytes/s"), 1e-6)
    phase.ops, phase.entries = value(last, "iops"), value(last, "entries/s")
    mixed = member(last, "rwmix_read", dict, where, {})
    phase.read_rate = times(value(mixed, "bytes/s"), 1e-6)
    phase.read_ops = value(mixed, "iops")
    phase.seconds = times(value(last, "elapsed_time_ms"), 1e-3)
    phase.first = {"MBps_first": times(value(first, "bytes/s"), 1e-6),
                   "first_s": times(value(first, "elapsed_time_ms"), 1e-3)}
    return phase


# ---- phases to results -------------------------------------------------------


def results(phases, source):
    """Makes Results. Phases of one label, set of options and command are one test; a
    repeated operation is its next repetition."""
    groups = OrderedDict()
    for phase in phases:
        key = (phase.label, phase.hosts, phase.threads, str(phase.options),
               work(phase.command))
        groups.setdefault(key, []).append(phase)
    out = [result(some, source) for some in groups.values()]
    if not out:
        raise broken(source, "it has a heading, but no phase was done")
    return number_apart(out)


def words(command):
    return command.replace('"', " ").split()


def work(command):
    """Returns the words of a command that tell what is done, and where."""
    found, skip = [], False
    for word in words(command):
        if not skip and word not in PHASES and word.split("=")[0] not in OUTPUTS:
            found.append(word)
        skip = word in OUTPUTS
    return tuple(found)


def time_limit(command):
    """Returns the seconds after which elbencho ends a phase; None if it is not told."""
    found = re.search(r"--timelimit[ =]+(\d{1,9})\b", command.replace('"', ""))
    return int(found.group(1)) if found and int(found.group(1)) else None


def shares_directories(command):
    """Returns 1 if all threads use the same directories, 0 if each has its own; None if
    that is not told."""
    given = [word.split("=")[0] for word in words(command)]
    if "--dirsharing" in given:
        return 1
    return None if not given or "-c" in given or "--configfile" in given else 0


def result(phases, source):
    first = phases[0]
    test = Result(TOOL, printable(first.version) or None)
    test.command(first.command)
    test.start_utc = from_zoned(first.date)
    if first.date and test.start_utc is None:
        test.started(first.date[:19], "%Y-%m-%dT%H:%M:%S")
    test.nodes, test.ranks_per_node = first.hosts, first.threads
    test.ranks = first.hosts * first.threads
    for name, value in first.options.items():
        test.option(name, value)
    shared = shares_directories(first.command)
    if shared is not None and first.options.get("path type") == "dir":
        test.option("dir sharing", shared)
    direct = first.options.get("direct io")
    if direct == 1:
        test.io["cache"] = "direct"
    take_phases(test, phases)
    if not test.figures:
        test.fail("it has no phase that was measured")
    return test


def take_phases(test, phases):
    values, before = OrderedDict(), None
    for phase in phases:
        take_phase(test, phase, values)
        if phase.name == "SYNC" and before == "WRITE":
            test.io["sync"] = "none"
        before = phase.name
    warn_phases(test, phases)
    many = set(len(reps) for reps in values.values())
    if len(many) > 1:
        test.warn("uneven", "its operations have different numbers of repetitions")
    for (name, unit), reps in values.items():
        way = {"MB/s": "bytes / time of the last thread", "1/s": "per second of the "
               "last thread"}[unit]
        test.figure(name, unit, "higher", reps, "elbencho's [last] values: " + way)


def take_phase(test, phase, values):
    def note(name, unit, value):
        if value is not None:   # 0 is a truncated value, hence unknown
            values.setdefault((name, unit), []).append(value or None)
    if phase.name in SILENT:
        return
    name = phase.meaning()
    if name is None:
        test.lost.append("its operation %s is not known" % printable(phase.name))
    elif name not in ("write", "read"):
        note(name + "_per_s", "1/s", phase.entries)
    else:
        note(name + "_MBps", "MB/s", phase.rate)
        note(name + "_ops_per_s", "1/s", phase.ops)
        note("read_MBps", "MB/s", phase.read_rate)
        note("read_ops_per_s", "1/s", phase.read_ops)
        for what, value in phase.first.items():
            test.results.setdefault("%s_%s" % (name, what), []).append(value)


def warn_phases(test, phases):
    """Warns of phases, by name: a short one says nothing about the others."""
    limit = time_limit(phases[0].command)
    found = OrderedDict((code, OrderedDict()) for code in WARNINGS)
    for phase in phases:
        name = phase.meaning()
        moves = name in ("write", "read")
        if phase.seconds is None or name is None:
            continue
        if phase.seconds < SHORT_S:
            found["short" if moves else "short_metadata"][name] = 1
        if moves and phase.whole and (phase.rate or ROUNDED * MIB) < ROUNDED * MIB:
            found["rounded"][name] = 1
        if limit and phase.seconds >= limit:
            found["stonewalled"][name] = 1
    for code, names in found.items():
        if names:
            test.warn(code, WARNINGS[code] % ", ".join(names))


FORMATS = [Format(TOOL, "JSON", is_json, read_json),
           Format(TOOL, "CSV", is_csv, read_csv)]
OTHERS = [Other(is_live, "it is elbencho's live statistics of a run", "Give the CSV of "
                "--csvfile or the JSON of --jsonfile", False)]
