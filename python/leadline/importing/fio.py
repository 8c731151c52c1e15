"""fio: the JSON of --output-format=json and json+, version 3 and later."""
import errno
import json
import re
from collections import OrderedDict

from leadline.base.fields import printable
from leadline.importing.result import (SHORT_S, Format, Result, broken, count, member,
                                       number, plain, utc)

TOOL = "fio"
ABOUT = "fio (JSON, version 3 or later)"
DIRECTIONS = ("read", "write", "trim")
PERCENTILES = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p999", 99.9)]
TOLD = ("p50", "p99", "p999")      # percentiles that become figures
NO_WORK = ("name", "directory", "filename", "description", "filename_format", "output",
           "randseed", "numjobs", "group_reporting", "new_group", "stonewall",
           "write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log",
           "log_avg_msec", "percentile_list", "status_interval", "create_only",
           "unlink",
           "opendir", "thread", "jobname", "wait_for_previous")
OTHER_SYNC = ("sync", "fsync", "fdatasync", "sync_file_range")
ROUND_MS = 100     # a shorter time in whole milliseconds has fewer than three digits
PARTS = 6          # fio's bins: 2 ** 6 per power of two


def is_json(text):
    return '"fio version"' in text


# ---- several objects, and text around them -----------------------------------


def read(text, source):
    tree, others = last_object(text, source)
    version = printable(member(tree, "fio version", str, source))
    found = re.match(r"fio-(\d+)\.", version)
    if not found or int(found.group(1)) < 3:
        raise broken(source, "its version is %s, whose units are others than those of "
                     "fio 3 and later, which this reads" % version)
    jobs = member(tree, "jobs", list, source)
    if not jobs or not all(isinstance(job, dict) for job in jobs):
        raise broken(source, "jobs is not a list of objects")
    groups = OrderedDict()
    for i, job in enumerate(jobs):
        at = "%s: jobs[%d]" % (source, i)
        groups.setdefault(count(job.get("groupid"), at + ".groupid"), []).append(job)
    shared = member(tree, "global options", dict, source, {})
    out = [group(some, shared, tree, version[4:], source) for some in groups.values()]
    names_apart(out)
    for test in out if others else []:
        test.lost.append("%d objects of fio stand before the last one: those of "
                         "--status-interval are parts of it, other runs are left out"
                         % others)
    return out


def last_object(text, source):
    """Returns (the last object, the number of the others): --status-interval writes one
    each time, and the last is that of the whole run."""
    decoder, at, found, count_of = json.JSONDecoder(), 0, None, 0
    begin = re.compile(r"^\{", re.M)
    while True:
        start = begin.search(text, at)
        if not start:
            break
        try:
            tree, at = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError) as why:
            if '"fio version"' in text[start.start():start.start() + 200]:
                raise broken(source, "its JSON is cut off or damaged: %s" % why)
            at = start.end()
            continue
        if isinstance(tree, dict) and "fio version" in tree:
            found, count_of = tree, count_of + 1
    if found is None:
        raise broken(source, "it has no JSON object of fio")
    return found, count_of - 1


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
    asked = of.get("end_fsync") or of.get("fsync_on_close")
    other = any(of.get(name) for name in OTHER_SYNC)
    test.io["sync"] = "phase" if asked else "none" if first and not other else None
    if isinstance(of.get("iodepth"), int) and of["iodepth"] >= 0:
        test.io["depth"] = of["iodepth"]


def processes(test, jobs, shared, where):
    """Returns the number of processes: that of entries, or numjobs if group_reporting
    merged them."""
    announced = 0
    names = OrderedDict()
    for job in jobs:
        names.setdefault(str(job.get("jobname")), []).append(job)
    for name, some in names.items():
        options = options_of(some[0], shared, where)
        asked = count(options.get("numjobs", "1"), where + ": numjobs") or 1
        if len(some) not in (1, asked):
            test.fail("it announces %d jobs %s, of which there are %d"
                      % (asked, printable(name), len(some)))
        announced += asked
        if len(some) == 1 and asked > 1:
            test.lost.append("group_reporting made one of its jobs: if the group had "
                             "jobs of other names, --ranks must tell how many")
    return announced


def take_errors(test, jobs, where):
    for job in jobs:
        code = count(job.get("error"), where + ": error")
        if code:
            name = errno.errorcode.get(code)
            test.fail("fio's job %s failed: error %s (%d)" % (
                printable(job.get("jobname")), name or "unknown", code), name)


# ---- one direction -----------------------------------------------------------


def take_direction(test, jobs, direction, where):
    parts = [member(job, direction, dict, where) for job in jobs]
    at = "%s: %s" % (where, direction)
    calls = [count(part.get("total_ios"), at + ".total_ios") for part in parts]
    if not sum(calls):
        return
    size = [count(part.get("io_bytes"), at + ".io_bytes") for part in parts]
    took = [count(part.get("runtime"), at + ".runtime") / 1e3
            for part, n in zip(parts, calls) if n]
    most = max(took)
    hold_against(test, parts, size, at)
    test.figure(direction + "_MBps", "MB/s", "higher",
                [sum(size) / most / 1e6 if most and sum(size) else None],
                "fio io_bytes of all jobs / longest runtime / 1e6")
    test.figure(direction + "_ops_per_s", "1/s", "higher",
                [sum(calls) / most if most else None],
                "fio total_ios of all jobs / longest runtime")
    if most < SHORT_S:
        test.warn("short", "transfers took less than 1 s: the rates are of caches and "
                  "of starting")
    if most < ROUND_MS / 1e3:
        test.warn("rounded", "times below 100 ms are known to a whole millisecond: the "
                  "rates have fewer than three digits")
    latency = latencies(test, [p for p, n in zip(parts, calls) if n], direction, at)
    if direction != "trim":
        test.samples.append(sample(direction, sum(calls), sum(size), took, latency))


def hold_against(test, parts, size, at):
    """Checks fio's own rate of each job against its bytes and time."""
    for part, n in zip(parts, size):
        ms = count(part.get("runtime"), at + ".runtime")
        rate = number(part.get("bw_bytes"), at + ".bw_bytes")
        if rate is None or (ms and abs(rate - n * 1000 / ms) > 0.001 * rate + 2):
            test.fail("%s: bw_bytes is not io_bytes / runtime" % at)


def sample(direction, calls, size, took, latency):
    return OrderedDict([
        ("rep", 1), ("at", {}), ("phase", direction), ("act", direction),
        ("start_s", None), ("calls", calls), ("bytes", size), ("device_bytes", None),
        ("min_s", min(took)), ("mean_s", sum(took) / len(took)), ("max_s", max(took)),
        ("max_rank", None), ("max_host", None), ("submit_mean_s", None),
        ("wait_mean_s", None), ("ranks_s", None), ("latency", latency)])


# ---- latencies ---------------------------------------------------------------


def latencies(test, parts, direction, at):
    kind = next((name for name in ("clat_ns", "lat_ns") if all(
        "percentile" in member(part, name, dict, at, {}) for part in parts)), None)
    if kind is None:
        return None
    of = [part[kind] for part in parts]
    at = "%s.%s" % (at, kind)
    bins = merged([member(one, "bins", dict, at, {}) for one in of], at)
    way = "fio %s / 1e9" % kind
    if len(of) > 1:
        way += ", of all jobs' bins" if bins else ", the worst of %d jobs" % len(of)
    held = OrderedDict()
    for name, percent in PERCENTILES:
        held[name] = percentile(of, bins, percent, at)
    for name in TOLD:
        if held[name] is not None:
            test.figure("%s_%s_s" % (direction, name), "s", "lower", [held[name]], way)
    top = [number(one.get("max"), at + ".max") for one in of]
    out = OrderedDict((name + "_s", value) for name, value in held.items())
    out["max_s"] = max(top) / 1e9 if None not in top else None
    out["hist"] = [[upper(ns) / 1e9, n] for ns, n in sorted(bins.items())]
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
    """Returns a percentile in seconds by fio's own rule: the first bin up to which that
    share of the counts lies."""
    if len(of) > 1 and bins:
        wanted, seen = percent / 100 * sum(bins.values()), 0
        for ns, n in sorted(bins.items()):
            seen += n
            if seen >= wanted:
                return ns / 1e9
    name = "%.6f" % percent
    told = [number(member(one, "percentile", dict, at).get(name, "-"), at)
            for one in of]
    return max(told) / 1e9 if None not in told else None


def upper(ns):
    """Returns the upper bound of the bin in whose middle `ns` is."""
    return ns + 2 ** max(ns.bit_length() - 1 - PARTS, 0) / 2 if ns >= 2 ** (PARTS + 1) \
        else ns


FORMATS = [Format(TOOL, "JSON", is_json, read)]
