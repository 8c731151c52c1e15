"""DLIO and MLPerf Storage: summary.json, and the JSON of its kv-cache."""
import re

from leadline.importing.result import (GIB, MIB, Format, Other, Result, broken, count,
                                       json_object, member, number, positive)

TOOL = "dlio"
CACHE = "kv-cache"
ABOUT = "DLIO and MLPerf Storage (summary.json, and the JSON of kv-cache)"
STAGES = ("train", "eval")
CHECKPOINTS = ("save_checkpoint", "load_checkpoint")
SLACK = 1e-6
WORK = ("num_files_train", "num_files_eval", "num_samples_per_file", "epochs",
        "data_size_per_host_GB", "checkpoint_size_GB")
COLD = "repetitions are epochs, of which the first finds the caches cold"
# Of kv-cache.
RATES = [("tokens_per_s", "avg_throughput_tokens_per_sec", "total_tokens"),
         ("requests_per_s", "requests_per_second", "total_requests")]
# Bytes by tier, in newer files; older ones have those of all tiers together.
TIERS = [("read_MBps", "tier_storage_kv_bytes_read_gb"),
         ("write_MBps", "tier_storage_kv_bytes_written_gb"),
         ("cache_read_MBps", "total_read_gb"), ("cache_write_MBps", "total_write_gb")]
PERCENTILES = ("p50", "p99", "p999")
# Latencies of the storage's calls: the words of newer files, and of older ones.
CALLS = [("read", ("storage_read", "nvme_read")),
         ("write", ("storage_write", "nvme_write"))]


def is_json(text):
    return '"metric"' in text and '"num_accelerators"' in text


def read(text, source):
    tree = json_object(text, source)
    test = Result(TOOL)
    test.ranks = positive(tree.get("num_accelerators"), source + ": num_accelerators")
    if tree.get("num_hosts") is not None:
        test.nodes = positive(tree["num_hosts"], source + ": num_hosts")
    test.host = member(tree, "hostname", str, source, " ").strip() or None
    start = member(tree, "start", str, source, " ")
    test.started(start[:19], "%Y-%m-%dT%H:%M:%S")
    metric = member(tree, "metric", dict, source)
    for name in WORK:
        value = tree.get(name, metric.get(name))
        if value is not None:
            test.option(name, number(value, source + ": " + name), None,
                        name != "epochs")
    test.lost.append("throughput is of the steady batches, and the bytes are record "
                     "length x samples, not what was read")
    for stage in STAGES:
        take_stage(test, metric, stage, tree.get("epochs"), source)
    for stage in CHECKPOINTS:
        take_checkpoint(test, metric, stage, source)
    caching = tree.get("potential_caching")
    if caching and any(caching if isinstance(caching, list) else [caching]):
        test.warn("cached_maybe", "the data may have fitted into memory, as DLIO says")
    if metric.get("train_au_meet_expectation") == "fail":
        test.lost.append("the accelerators were used less than MLPerf Storage expects")
    if not test.figures:
        test.fail("it has no metric that is known")
    return [test]


def numbers(metric, name, where):
    """Returns a value for each epoch; None if it is missing."""
    if name not in metric:
        return None
    values = member(metric, name, list, where)
    found = [number(value, "%s: %s" % (where, name)) for value in values]
    return found if found and None not in found else None


def take_stage(test, metric, stage, epochs, source):
    found = [("samples_per_s", "1/s", 1, "throughput_samples_per_second",
              "throughput_mean_samples_per_second"),
             ("utilization", "1", 100, "au_percentage", "au_mean_percentage")]
    for name, unit, divisor, list_name, mean_name in found:
        values = numbers(metric, "%s_%s" % (stage, list_name), source)
        if values is None:
            if "%s_%s" % (stage, mean_name) in metric:
                test.fail("of %s_%s it has a mean, and no values" % (stage, list_name))
            continue
        if stage == "train":
            hold_epochs(test, values, epochs, "%s_%s" % (stage, list_name), source)
        told = number(metric.get("%s_%s" % (stage, mean_name), "-"), source)
        mine = sum(values) / len(values)
        if told is not None and abs(told - mine) > SLACK * mine:
            test.fail("%s_%s is %g, its epochs give %g" % (
                stage, mean_name, told, mine))
        test.figure("%s_%s" % (stage, name), unit, "higher",
                    [value / divisor for value in values],
                    "DLIO %s_%s, of each epoch%s" % (
                        stage, list_name, "" if divisor == 1 else " / 100"))
        test.warn("cold_first", COLD)
    rate = number(metric.get(stage + "_io_mean_MB_per_second", "-"), source)
    if rate:
        test.figure(stage + "_MBps", "MB/s", "higher", [rate * MIB],
                    "DLIO %s_io_mean_MB_per_second (MiB) x 1.048576" % stage)
        test.warn("summary_only", "of the rate in MB/s the mean of all epochs is known "
                  "only")


def hold_epochs(test, values, epochs, name, source):
    if epochs is None:
        test.fail("it does not tell how many epochs there were")
    elif count(epochs, source + ": epochs") != len(values):
        test.fail("it announces %d epochs, %s has %d" % (epochs, name, len(values)))


def take_checkpoint(test, metric, stage, source):
    rates = numbers(metric, stage + "_io_GB_per_second", source)
    mean = number(metric.get(stage + "_io_mean_GB_per_second", "-"), source)
    if rates or mean:
        test.figure(stage + "_MBps", "MB/s", "higher",
                    [rate * GIB for rate in rates or [mean]],
                    "DLIO %s_io_..GB_per_second (GiB) x 1073.741824" % stage)
    if mean and not rates:
        test.warn("summary_only", "of checkpoints the means are known only")
    seconds = numbers(metric, stage + "_duration_seconds", source)
    took = number(metric.get(stage + "_duration_mean_seconds", "-"), source)
    if seconds or took:
        test.figure(stage + "_s", "s", "lower", seconds or [took],
                    "DLIO %s_duration_..seconds" % stage)
    if bool(rates or mean) != bool(seconds or took):
        test.fail("of %s it has either a rate or a duration, and not both" % stage)


# ---- kv-cache ----------------------------------------------------------------


def is_cache(text):
    return '"cache_stats"' in text and '"requests_completed"' in text


def read_cache(text, source):
    tree = json_object(text, source)
    if "summary" not in tree:
        raise broken(source, "it has no summary: no request was completed")
    summary = member(tree, "summary", dict, source)
    stats = member(summary, "cache_stats", dict, source)
    test = Result(CACHE)
    test.ranks = 1      # a process, whose threads are the users
    test.wall_s = number(summary.get("elapsed_time"), source + ": elapsed_time")
    if not test.wall_s:
        raise broken(source, "its elapsed_time is not known")
    test.lost.append("the file has no date, host, version, options and number of users")
    take_rates(test, tree, summary, source)
    take_bytes(test, stats, source)
    take_latencies(test, summary, stats, source)
    hits = number(stats.get("cache_hit_rate", "-"), source + ": cache_hit_rate")
    test.results["cache_hit_rate"] = [hits]
    if not test.figures:
        test.fail("it has no figure that is known")
    return [test]


def take_rates(test, tree, summary, source):
    if count(tree.get("requests_completed"), source + ": requests_completed") != count(
            summary.get("total_requests"), source + ": total_requests"):
        test.fail("requests_completed and total_requests differ")
    for name, rate_name, total_name in RATES:
        rate = required(summary, rate_name, source)
        total = required(summary, total_name, source)
        if abs(rate * test.wall_s - total) > SLACK * total:
            test.fail("%s is not %s / elapsed_time" % (rate_name, total_name))
        test.figure(name, "1/s", "higher", [rate], "kv-cache %s" % rate_name)


def required(tree, key, source):
    if tree.get(key) is None:
        raise broken(source, "there is no %s" % key)
    return number(tree[key], "%s: %s" % (source, key)) or 0


def take_bytes(test, stats, source):
    """Adds rates of bytes. read_iops and write_iops are numbers of calls, no rates."""
    by_tier = any(key.startswith("tier_") for key in stats)
    for name, key in TIERS:
        if key.startswith("tier_") and not by_tier:
            continue
        size = required(stats, key, source)
        if size:
            test.figure(name, "MB/s", "higher", [size * GIB / test.wall_s],
                        "kv-cache %s (GiB) x 1073.741824 / elapsed_time" % key)


def take_latencies(test, summary, stats, source):
    whole = member(summary, "storage_io_latency_ms", dict, source, {})
    for key in PERCENTILES:
        note(test, "storage_%s_s" % key, whole, key, source)
    for name, words in CALLS:
        word = next((w for w in words if w + "_p50_ms" in stats), None)
        for key in PERCENTILES if word else []:
            note(test, "%s_%s_s" % (name, key), stats, "%s_%s_ms" % (word, key),
                 source)


def note(test, name, tree, key, source):
    ms = number(tree.get(key, "-"), "%s: %s" % (source, key))
    if ms:
        test.figure(name, "s", "lower", [ms / 1e3], "kv-cache %s / 1e3" % key)


def is_epochs(text):
    return re.match(r'\s*\{\s*"\d+":\s*\{\s*"start":', text) is not None


def is_sum(text):
    return '"num_benchmark_runs"' in text and '"runs"' in text


FORMATS = [Format(TOOL, "JSON", is_json, read),
           Format(CACHE, "JSON", is_cache, read_cache)]
OTHERS = [Other(is_epochs, "it is DLIO's list of the times of epochs",
                "Give the summary.json beside it", False),
          Other(is_sum, "it sums up runs of MLPerf Storage",
                "Give the summary.json of each run", False)]
