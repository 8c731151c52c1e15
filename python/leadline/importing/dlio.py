"""DLIO and MLPerf Storage: summary.json."""
from leadline.importing.result import (GIB, MIB, Format, Result, count, json_object,
                                       member, number, positive)

TOOL = "dlio"
ABOUT = "DLIO and MLPerf Storage (summary.json)"
STAGES = ("train", "eval")
CHECKPOINTS = ("save_checkpoint", "load_checkpoint")
SLACK = 1e-6
WORK = ("num_files_train", "num_files_eval", "num_samples_per_file", "epochs",
        "data_size_per_host_GB")
COLD = "repetitions are epochs, of which the first finds the caches cold"


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
    for name in WORK:
        if name in tree:
            test.option(name, number(tree[name], source + ": " + name), None,
                        name != "epochs")
    test.lost.append("throughput is of the steady batches, and the bytes are record "
                     "length x samples, not what was read")
    metric = member(tree, "metric", dict, source)
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
    seconds = numbers(metric, stage + "_duration_seconds", source)
    mean = number(metric.get(stage + "_duration_mean_seconds", "-"), source)
    if seconds or mean:
        test.figure(stage + "_s", "s", "lower", seconds or [mean],
                    "DLIO %s_duration_..seconds" % stage)


FORMATS = [Format(TOOL, "JSON", is_json, read)]
