#!/usr/bin/env python3
"""Look-ups of outcore search against fio's random reads of the same file: an A/B
measurement, never a test.

    bench/search.py [options]   from a build directory, or with --build DIR

A round runs A (fio), B (outcore search) and A' (fio again) of every case, as
bench/fio.py does, whose words and verdicts these are. Both read as many blocks of 4 KiB
of one sorted file, past the page cache, or of one in memory, with the same interface,
depth and threads; fio each at most once, at random places, ours where the keys are.
What is compared:

  per_s   look-ups of ours in a second, and reads of fio's: a look-up is one read. The
          bar is 0.9 (0.95 with psync).
  p50     latencies at depth 1: from before a read is submitted until it is done (fio's
  p99     lat, which with psync is its clat). They are to be within a bucket of our
          histograms (4.4 %) of each other.
  cpu us  processor time of a look-up, with keeping its answer, less fio's of a read
          (usr_cpu + sys_cpu of its jobs): not a ratio. The bar is 1.5 us. fio's own
          loop is in it.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import fio

BAR, NEAR, MORE_US = 0.9, (1 / 1.044, 1.044), 1.5
RECORD, BLOCK = 128, 4096
# engine, depth, threads, where
CASES = (("psync", 1, 1, "direct"), ("psync", 1, 4, "direct"),
         ("io_uring", 1, 1, "direct"), ("io_uring", 32, 1, "direct"),
         ("libaio", 32, 1, "direct"), ("psync", 1, 1, "memory"),
         ("psync", 1, 2, "memory"))


def arguments():
    p = argparse.ArgumentParser(description="Look-ups against fio's random reads.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default=".", help="where the file is made [.]")
    p.add_argument("--memory", default="/dev/shm", help="... in memory [/dev/shm]")
    p.add_argument("--rounds", type=int, default=7, help="at least 7 [7]")
    p.add_argument("--file-mib", type=int, default=512, help="of the sorted file [512]")
    p.add_argument("--lookups", type=int, default=65536, help="in each run [65536]")
    p.add_argument("--only", default="", help="cases whose names have these words")
    p.add_argument("--mpiexec", help="default: the one of the build")
    p.add_argument("--json", help="write all figures to this file")
    args = p.parse_args()
    if args.rounds < 7:
        p.error("--rounds: at least 7")
    return args


def name_of(case):
    return "%s depth-%d %d-threads %s" % case


def launch(args, *words):
    mpiexec = (args.mpiexec or fio.makefile_value(args.build, "MPIEXEC")).split()
    program = os.path.join(args.build, "outcore")
    subprocess.run(mpiexec + ["-n", "1", program, *words, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)


def make_file(args, folder):
    path = os.path.join(folder, "sorted")
    launch(args, "sort", "--records=%d" % ((args.file_mib << 20) // RECORD),
           "--record=vector", "--seed=1", "--output=" + path, "--dir=" + folder)
    return path


def run_fio(args, case, path):
    engine, depth, threads, how = case
    done = subprocess.run(
        ["fio", "--name=job", "--ioengine=" + engine, "--rw=randread",
         "--direct=%d" % (how == "direct"), "--bs=%d" % BLOCK, "--filename=" + path,
         "--readonly", "--thread",
         "--iodepth=%d" % depth, "--numjobs=%d" % threads,
         "--io_size=%d" % (args.lookups // threads * BLOCK), "--randrepeat=0",
         "--iodepth_batch_submit=%d" % depth, "--iodepth_batch_complete_min=1",
         "--iodepth_batch_complete_max=%d" % depth, "--fadvise_hint=0",
         "--clat_percentiles=0", "--lat_percentiles=1", "--output-format=json+"],
        stdout=subprocess.PIPE, check=True)
    jobs = json.loads(done.stdout.decode())["jobs"]
    reads = sum(job["read"]["total_ios"] for job in jobs)
    bins = fio.collections.Counter()
    for job in jobs:
        bins.update({int(ns): n for ns, n in job["read"]["lat_ns"]["bins"].items()})
    cpu_ms = sum((job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"]
                 for job in jobs)
    out = {"per_s": reads / max(job["read"]["runtime"] for job in jobs) * 1e3,
           "cpu us": cpu_ms * 1e3 / reads}
    out.update({"p%d" % q: fio.quantile(bins, q / 100) / 1e3 for q in (50, 99)})
    return out


def run_ours(args, case, path):
    engine, depth, threads, how = case
    report = path + ".json"
    cache = "direct" if how == "direct" else "keep"
    launch(args, "search", path, "--seed=1", "--lookups=%d" % args.lookups,
           "--build=scan", "--cache=" + cache, "--depth=%d" % depth,
           "--threads=%d" % threads, "--iomethod=" + fio.METHOD[engine], "--no-verify",
           "--json=" + report)
    with open(report, encoding="utf-8") as stream:
        is_ = json.load(stream)
    if is_["results"]["reads_per_lookup"] != [1]:
        sys.exit("bench/search.py: %s: not one read each" % name_of(case))
    figures = {f["name"]: f["median"] for f in is_["figures"]}
    return {"per_s": figures["lookup.per_s"], "cpu us": figures["lookup.cpu_us"],
            "p50": figures["lookup.p50_us"], "p99": figures["lookup.p99_us"]}


def judged_cpu(case, rounds):
    """More of processor time than fio's: a difference, its spread that of A' - A."""
    more = [b["cpu us"] - (a["cpu us"] + z["cpu us"]) / 2 for a, b, z in rounds]
    drift = sorted(abs(z["cpu us"] - a["cpu us"]) for a, _, z in rounds)
    return "%-35s cpu us: %.2f more than fio's %.2f (%.2f to %.2f; A' - A %.2f): %s" % (
        name_of(case), fio.median(more), fio.median([r[0]["cpu us"] for r in rounds]),
        min(more), max(more), fio.median(drift),
        "yes" if fio.median(more) <= MORE_US else "NO")


def judged(case, rounds):
    rows = []
    for figure in ("per_s", "p50", "p99"):
        if figure != "per_s" and case[1:3] != (1, 1):
            continue
        row = dict(fio.judged(rounds, figure), case=name_of(case))
        bars = NEAR if figure != "per_s" else (
            0.95 if case[0] == "psync" else BAR, fio.math.inf)
        row["verdict"] = fio.verdict(row["ratio"], row["noise"], bars)
        rows.append(row)
    return rows


def measure(args, cases, paths, rounds, loads):
    for n in range(args.rounds):
        for c in cases if n % 2 == 0 else reversed(cases):
            path = paths[c[3]]
            rounds[c].append((run_fio(args, c, path), run_ours(args, c, path),
                              run_fio(args, c, path)))
            loads.append(os.getloadavg()[0])


def main():
    args = arguments()
    cases = [c for c in CASES if args.only in name_of(c)]
    rounds, loads = {c: [] for c in cases}, []
    with tempfile.TemporaryDirectory(prefix="search-", dir=args.dir) as folder:
        paths = {"direct": make_file(args, folder)}
        with tempfile.TemporaryDirectory(dir=args.memory) as memory:
            paths["memory"] = shutil.copy(paths["direct"], memory)
            measure(args, cases, paths, rounds, loads)
    rows = [row for c in cases for row in judged(c, rounds[c])]
    args.scale = args.lookups
    fio.save(args, rows, loads)
    fio.show(rows, loads)
    for c in cases:
        print(judged_cpu(c, rounds[c]))


if __name__ == "__main__":
    main()
