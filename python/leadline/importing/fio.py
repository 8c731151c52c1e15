"""fio: its JSON (json, json+) of versions 2 and 3, of one machine or of clients, and
its terse lines."""
import errno
import json
import re
from collections import OrderedDict, namedtuple

from leadline.base.fields import printable
from leadline.importing import fio_terse
from leadline.importing.result import (SHORT_S, Format, Other, Result, broken, count,
                                       member, number, plain, times, utc)

TOOL = "fio"
ABOUT = "fio (JSON and terse, versions 2 and 3)"
DIRECTIONS = ("read", "write", "trim", "mixed")
PERCENTILES = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p999", 99.9)]
TOLD = ("p50", "p99", "p999")      # percentiles that become figures
# Times of calls, and their parts of a second: version 2 has microseconds.
LATENCIES = {"clat_ns": 1e9, "lat_ns": 1e9, "clat": 1e6, "lat": 1e6}
NO_WORK = ("name", "directory", "filename", "description", "filename_format", "output",
           "randseed", "numjobs", "group_reporting", "new_group", "stonewall",
           "write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log",
           "log_avg_msec", "percentile_list", "status_interval", "create_only",
           "unlink",
           "opendir", "thread", "jobname", "wait_for_previous")
OTHER_SYNC = ("sync", "fsync", "fdatasync", "sync_file_range")
ALL_CLIENTS = "All clients"        # the sum of the others, which would count twice
ROUND_MS = 100     # a shorter time in whole milliseconds has fewer than three digits
ROUND_OPS = 100    # a lower whole rate has fewer than three digits
PARTS = 6          # fio's bins: 2 ** 6 per power of two
CLOCK_S = 1.0      # two clocks of whole seconds differ by this at most

# A direction of a job: bytes in units of `grain`, milliseconds, calls (None if it is
# too old to count them), calls per second, and the tree.
Part = namedtuple("Part", "size grain ms calls ops tree")


def is_json(text):
    return '"fio version"' in text


# ---- several objects, and text around them -----------------------------------


def read(text, source):
    out = []
    for tree, parts in runs(objects(text, source)):
        found = read_run(tree, source)
        if parts:
            found[0].lost.append("%d objects of fio stand before it, parts of it, as "
                                 "--status-interval writes them" % parts)
        out += found
    names_apart(out)
    return out


def read_run(tree, source):
    version = bare(printable(member(tree, "fio version", str, source)))
    name = "jobs" if "jobs" in tree else "client_stats"
    jobs = member(tree, name, list, source)
    if not jobs or not all(isinstance(job, dict) for job in jobs):
        raise broken(source, "%s is not a list of objects" % name)
    jobs = [job for job in jobs if job.get("jobname") != ALL_CLIENTS] or jobs
    groups = OrderedDict()
    for i, job in enumerate(jobs):
        at = "%s: %s[%d]" % (source, name, i)
        groups.setdefault(count(job.get("groupid"), at + ".groupid"), []).append(job)
    shared = member(tree, "global options", dict, source, {})
    return [group(some, shared, tree, version, source) for some in groups.values()]


def bare(version):
    return re.sub(r"^fio[- ]", "", version)


def objects(text, source):
    """Returns all objects of fio, which may stand in lists and objects of others."""
    decoder, at, found = json.JSONDecoder(strict=False), 0, []
    begin = re.compile(r"^\s*[\[{]", re.M)
    while True:
        start = begin.search(text, at)
        if not start:
            break
        try:
            tree, at = decoder.raw_decode(text, start.end() - 1)
        except (ValueError, RecursionError) as why:
            if '"fio version"' in text[start.start():start.start() + 200]:
                raise broken(source, "its JSON is cut off or damaged: %s" % why)
            at = start.end()
            continue
        found += inside(tree)
    if not found:
        raise broken(source, "it has no JSON object of fio")
    return found


def inside(tree, depth=4):
    """Returns the objects of fio in a tree, to some depth."""
    if isinstance(tree, dict) and "fio version" in tree:
        return [tree]
    of = tree.values() if isinstance(tree, dict) else \
        tree if isinstance(tree, list) and depth else []
    return [found for one in of for found in inside(one, depth - 1) if depth]


def runs(trees):
    """Returns (object, the number of its parts before it) for each run."""
    out, parts = [], 0
    for tree, after in zip(trees, trees[1:] + [None]):
        if after is not None and is_part(tree, after):
            parts += 1
            continue
        out.append((tree, parts))
        parts = 0
    return out


def is_part(tree, after):
    """True if `after` is the same run as `tree` and later: --status-interval writes an
    object each time. The clock and the jobs' age went on alike, and no count fell;
    short runs of the same bytes differ in their times."""
    jobs, later = ages(tree), ages(after)
    if not jobs or len(jobs) != len(later):
        return False
    for (name, start, age, time, done), (name2, start2, age2, time2, done2) in zip(
            jobs, later):
        began = start == start2 if None not in (start, start2) else \
            abs((time2 - time) - (age2 - age)) <= CLOCK_S
        fell = any(a > b for one, two in zip(done, done2) for a, b in zip(one, two))
        again = age == age2 and done != done2 and [
            one[0] for one in done] == [two[0] for two in done2]
        if name != name2 or not began or fell or again:
            return False
    return True


def ages(tree):
    """Returns (name, start, age, time of writing, bytes and times) of each job; [] if
    it does not tell."""
    jobs = tree.get("jobs")
    try:
        return [(job["jobname"], job.get("job_start"), job["elapsed"],
                 tree["timestamp"], [(part["io_bytes"] + 0, part["runtime"] + 0)
                                     for part in map(job.get, DIRECTIONS) if part])
                for job in jobs if job["elapsed"] + tree["timestamp"] >= 0]
    except (KeyError, TypeError):
        return []


def names_apart(tests):
    if len(tests) == 1:
        tests[0].test = ""
    seen = set()
    for i, test in enumerate(tests):
        if test.test in seen:
            test.test = "%s-%d" % (test.test, i)
        seen.add(test.test)


# ---- one group ---------------------------------------------------------------


def group(jobs, shared, tree, version, source):
    names = OrderedDict.fromkeys(printable(member(job, "jobname", str, source))
                                 for job in jobs)
    name = "+".join(names)
    test = Result(TOOL, version, name)
    where = "%s: job %s" % (source, name)
    take_times(test, jobs, tree, where)
    take_options(test, jobs, shared, where)
    test.ranks = processes(test, jobs, shared, where)
    take_clients(test, jobs)
    take_steady(test, jobs, where)
    take_errors(test, jobs, where)
    if test.why is None:
        for direction in DIRECTIONS:
            take_direction(test, jobs, direction, where)
        if not test.figures:
            test.fail("it transferred nothing")
    return test


def take_times(test, jobs, tree, where):
    """Takes the time of writing, and of newer versions the start of each job."""
    written = number(tree.get("timestamp_ms", "-"), where)
    if written is None:
        written = (number(tree.get("timestamp", "-"), where) or 0) * 1e3
    test.end_utc = utc(written / 1e3) if written else None
    starts = [number(job.get("job_start", "-"), where) for job in jobs]
    if None in starts:
        test.lost.append("it does not tell when it started, only when it ended")
    else:
        test.start_utc = utc(min(starts) / 1e3)


def options_of(job, shared, where):
    found = OrderedDict(shared)
    found.update(member(job, "job options", dict, where, {}))
    return found


def take_options(test, jobs, shared, where):
    """Takes the options of the first job; warns if other jobs have different ones."""
    first = options_of(jobs[0], shared, where)
    others = [options_of(job, shared, where) for job in jobs[1:]]
    for name, value in first.items():
        value = plain(value) if isinstance(value, str) else value
        test.option(name, value, None, name.lower() not in NO_WORK)
    unlike = sorted(set(name for other in others for name in set(other) | set(first)
                        if other.get(name) != first.get(name) and name not in NO_WORK))
    if unlike:
        test.option("other jobs", "; ".join(
            "%s=%s" % (name, other.get(name)) for other in others for name in unlike))
    of = {name: test.options[name][0] for name in test.options}
    test.io["engine"] = of.get("ioengine")
    if of.get("direct") == 1:
        test.io["cache"] = "direct"
    asked = is_on(of, "end_fsync") or is_on(of, "fsync_on_close")
    other = any(is_on(of, name) for name in OTHER_SYNC)
    test.io["sync"] = "phase" if asked else "none" if first and not other else None
    if isinstance(of.get("iodepth"), int) and of["iodepth"] >= 0:
        test.io["depth"] = of["iodepth"]


def is_on(options, name):
    """True if an option was given; without a value it counts as 1."""
    return options.get(name, 0) not in (0, "none")


def processes(test, jobs, shared, where):
    """Returns the number of processes: that of entries, or numjobs if group_reporting
    merged them. None if the file, of an old version, does not have the options."""
    if len(jobs) == 1 and not shared and jobs[0].get("job options") is None:
        return None
    announced = 0
    names = OrderedDict()
    for job in jobs:
        names.setdefault(tuple(str(job.get(name)) for name in (
            "jobname", "hostname", "port")), []).append(job)
    for (name, _, _), some in names.items():
        options = options_of(some[0], shared, where)
        asked = count(options.get("numjobs", "1"), where + ": numjobs") or 1
        if len(some) > 1 and len(some) % asked:
            test.fail("it announces %d jobs %s, of which there are %d"
                      % (asked, printable(name), len(some)))
        announced += max(asked, len(some))
        if len(some) == 1 and asked > 1:
            test.lost.append("group_reporting made one of its jobs: if the group had "
                             "jobs of other names, --ranks must tell how many")
    return announced


def take_clients(test, jobs):
    """Takes the nodes that fio's clients tell: the servers they ran on."""
    hosts = set(printable(str(job["hostname"])) for job in jobs if job.get("hostname"))
    if hosts and all(job.get("hostname") for job in jobs):
        test.nodes = len(hosts)
        test.host = hosts.pop() if len(hosts) == 1 else None


def take_steady(test, jobs, where):
    for job in jobs:
        steady = member(job, "steadystate", dict, where, {})
        if steady.get("attained") == 0:
            test.lost.append("it was to run until its rate is steady (%s), but did not "
                             "reach that" % printable(str(steady.get("ss"))))
            return


def take_errors(test, jobs, where):
    for job in jobs:
        code = count(job.get("error"), where + ": error")
        if code:
            name = errno.errorcode.get(code)
            test.fail("fio's job %s failed: error %s (%d)" % (
                printable(job.get("jobname")), name or "unknown", code), name)


# ---- one direction -----------------------------------------------------------


def take_direction(test, jobs, direction, where):
    at = "%s: %s" % (where, direction)
    parts = [part_of(member(job, direction, dict, where), at) for job in jobs
             if direction in job and not (direction == "mixed" and "read" in job)]
    for part in parts:
        hold_against(test, part, at)
    parts = [part for part in parts if part.ops or part.calls]
    if not parts:
        return
    most = max(part.ms for part in parts) / 1e3
    size = sum(part.size * part.grain for part in parts)
    calls = [part.ops * part.ms / 1e3 if part.calls is None else part.calls
             for part in parts]
    test.figure(direction + "_MBps", "MB/s", "higher",
                [size / most / 1e6 if most and size else None],
                "fio io_bytes of all jobs%s / longest runtime / 1e6" % (
                    "" if parts[0].grain == 1 else " (KiB) x 1024"))
    test.figure(direction + "_ops_per_s", "1/s", "higher",
                [sum(calls) / most if most else None],
                "fio total_ios of all jobs / longest runtime" if parts[0].calls else
                "fio iops x runtime of all jobs / longest runtime")
    warn_rough(test, most, parts)
    latency = latencies(test, [part.tree for part in parts], direction, at)
    if direction in ("read", "write"):
        test.samples.append(sample(direction, round(sum(calls)), size,
                                   [part.ms / 1e3 for part in parts], latency))


def part_of(tree, at):
    """Returns a direction in the terms of any version: those without io_kbytes have
    io_bytes in KiB, and the oldest no total_ios."""
    calls = tree.get("total_ios")
    return Part(count(tree.get("io_bytes"), at + ".io_bytes"),
                1 if "io_kbytes" in tree or "bw_bytes" in tree else 1024,
                count(tree.get("runtime"), at + ".runtime"),
                None if calls is None else count(calls, at + ".total_ios"),
                number(tree.get("iops"), at + ".iops") or 0, tree)


def warn_rough(test, seconds, parts):
    if seconds < SHORT_S:
        test.warn("short", "transfers took less than 1 s: the rates are of caches and "
                  "of starting")
    if seconds < ROUND_MS / 1e3:
        test.warn("rounded", "times below 100 ms are known to a whole millisecond: the "
                  "rates have fewer than three digits")
    if any(part.calls is None and part.ops < ROUND_OPS for part in parts):
        test.warn("rounded", "calls per second are known to a whole number: those "
                  "below 100 have fewer than three digits")


def hold_against(test, part, at):
    """Checks fio's own rate of each job against its bytes and time."""
    name, unit = ("bw_bytes", 1) if "bw_bytes" in part.tree else ("bw", 1024)
    rate = number(part.tree.get(name), "%s.%s" % (at, name))
    if rate is None or (part.ms and abs(
            rate - part.size * part.grain * 1000 / part.ms / unit)
            > 0.001 * rate + 2 + (part.grain > 1) * 1000 / part.ms):
        test.fail("%s: %s is not io_bytes / runtime" % (at, name))


def sample(direction, calls, size, took, latency):
    return OrderedDict([
        ("rep", 1), ("at", {}), ("phase", direction), ("act", direction),
        ("start_s", None), ("calls", calls), ("bytes", size), ("device_bytes", None),
        ("min_s", min(took)), ("mean_s", sum(took) / len(took)), ("max_s", max(took)),
        ("max_rank", None), ("max_host", None), ("submit_mean_s", None),
        ("wait_mean_s", None), ("ranks_s", None), ("latency", latency)])


# ---- latencies ---------------------------------------------------------------


def latencies(test, parts, direction, at):
    kind = next((name for name in LATENCIES if all(
        "percentile" in member(part, name, dict, at, {}) for part in parts)), None)
    if kind is None:
        return None
    of, second = [part[kind] for part in parts], LATENCIES[kind]
    at = "%s.%s" % (at, kind)
    bins = {}
    if kind.endswith("_ns"):      # those of older versions have names among them
        bins = merged([member(one, "bins", dict, at, {}) for one in of], at)
    way = "fio %s / %g" % (kind, second)
    if len(of) > 1:
        way += ", of all jobs' bins" if bins else ", the worst of %d jobs" % len(of)
    held = OrderedDict()
    for name, percent in PERCENTILES:
        held[name] = times(percentile(of, bins, percent, at), 1 / second)
    for name in TOLD:
        if held[name] is not None:
            test.figure("%s_%s_s" % (direction, name), "s", "lower", [held[name]], way)
    top = [number(one.get("max"), at + ".max") for one in of]
    out = OrderedDict((name + "_s", value) for name, value in held.items())
    out["max_s"] = max(top) / second if None not in top else None
    out["hist"] = [[upper(ns) / second, n] for ns, n in sorted(bins.items())]
    return out


def merged(some, at):
    """Returns counts by bin, in ns; {} unless all jobs have some."""
    out = OrderedDict()
    for bins in some:
        for ns, n in bins.items():
            ns = count(ns, at + ".bins")
            out[ns] = out.get(ns, 0) + count(n, at + ".bins")
    return out if all(some) else {}


def percentile(of, bins, percent, at):
    """Returns a percentile by fio's own rule: the first bin up to which that share of
    the counts lies."""
    if len(of) > 1 and bins:
        wanted, seen = percent / 100 * sum(bins.values()), 0
        for ns, n in sorted(bins.items()):
            seen += n
            if seen >= wanted:
                return ns
    name = "%.6f" % percent
    told = [number(member(one, "percentile", dict, at).get(name, "-"), at)
            for one in of]
    return max(told) if None not in told else None


def upper(ns):
    """Returns the upper bound of the bin in whose middle `ns` is."""
    return ns + 2 ** max(ns.bit_length() - 1 - PARTS, 0) / 2 if ns >= 2 ** (PARTS + 1) \
        else ns


# ---- terse -------------------------------------------------------------------


def read_terse(text, source):
    """Makes a result of each line: jobs that ran together look like runs that were
    appended to one file."""
    out = []
    for line, version, job in fio_terse.jobs(text, source):
        if job["jobname"] == ALL_CLIENTS:
            continue
        where = "%s:%d" % (source, line)
        test = Result(TOOL, version and bare(version), job["jobname"])
        test.line = line
        test.lost.append("terse lines have no options, dates and numbers of calls")
        take_errors(test, [job], where)
        if test.why is None:
            for direction in DIRECTIONS:
                take_direction(test, [job], direction, where)
            if not test.figures:
                test.fail("it transferred nothing")
        out.append(test)
    names_apart(out)
    for test in out if len(out) > 1 else []:
        test.lost.append("it is one of %d lines, of jobs that ran together or of runs "
                         "one after another: that is not told" % len(out))
    return out


def is_normal(text):
    return bool(re.search(r"^\S.*: \(groupid=\d+, jobs=\d+\): err=", text, re.M))


FORMATS = [Format(TOOL, "JSON", is_json, read),
           Format(TOOL, "terse", fio_terse.is_terse, read_terse)]
OTHERS = [Other(is_normal, "it is what fio prints for people",
                "Let fio write its JSON (--output-format=json)", True)]
