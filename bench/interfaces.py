#!/usr/bin/env python3
"""What the kernel's interfaces for I/O do with a queue: reads past the page cache
through each of them, at queue depths 1, 4, 16 and 64. A measurement, never a test.

    bench/interfaces.py [options]      from a build directory, or with --build DIR

A row is an interface and a depth, and holds medians over rounds: reads a second, MB/s,
latencies (from submission to completion), and the processor time of a read, in all
threads of the process and in the kernel on its behalf. POSIX does one at a time,
whatever the depth. threads has a helper for each place in the queue.

Each round visits all rows, every other one backwards, so that what drifts drifts for
all of them. "range" is the lowest and highest rate of the rounds: rows whose ranges
overlap widely are not told apart by this table.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from fio import makefile_value, median  # noqa: E402

CASES = [("random", 4096, ["--pattern=RANDOM"]),
         ("sequential", 1 << 20, ["--pattern=SEQUENTIAL"])]


def arguments():
    p = argparse.ArgumentParser(description="Interfaces for I/O at queue depths.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default=".", help="where the files are made")
    p.add_argument("-n", "--ranks", type=int, default=1)
    p.add_argument("--depths", type=int, nargs="+", default=[1, 4, 16, 64])
    p.add_argument("--interfaces", nargs="+", default=["threads", "uring", "libaio"])
    p.add_argument("--small", type=int, default=8192, help="blocks of 4 KiB of a rank")
    p.add_argument("--large", type=int, default=256, help="blocks of 1 MiB of a rank")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--mpiexec", help="default: the one of the build")
    args = p.parse_args()
    args.mpiexec = args.mpiexec or makefile_value(args.build, "MPIEXEC")
    return args


def rows(args):
    return [("POSIX", 1)] + [(i, d) for i in args.interfaces for d in args.depths]


def measure(args, interface, depth, block, count, options):
    """Reads a second, MB/s, 50th and 99th percentile in us, processor time in us."""
    method = interface
    if interface == "threads":
        method += ":helpers=%d" % depth
    with tempfile.TemporaryDirectory(prefix="interfaces-", dir=args.dir) as folder:
        path = os.path.join(folder, "report.json")
        subprocess.run(
            args.mpiexec.split() + ["-n", str(args.ranks)] +
            [os.path.join(args.build, "blocktransfer"), str(count * block),
             "--block-size=%d" % block, "--iomethod=" + method, "--depth=%d" % depth,
             "--cache=direct", "--no-verify", "--quiet", "--dir=" + folder,
             "--json=" + path] + options, check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
    figures = {f["name"]: f["median"] for f in report["figures"]}
    latency = next(s["latency"] for s in report["samples"] if s["act"] == "read")
    return (figures["read_iops"], figures["read_MBps"], 1e6 * latency["p50_s"],
            1e6 * latency["p99_s"], figures["read_cpu_us"])


def table(found, order):
    print("%-10s %5s %9s %19s %9s %9s %9s %9s" % (
        "", "depth", "reads/s", "range", "MB/s", "p50 us", "p99 us", "CPU us"))
    for row in order:
        rate, *others = [[run[i] for run in found[row]] for i in range(5)]
        print("%-10s %5d %9.0f %19s %9.1f %9.0f %9.0f %9.2f" % (
            *row, median(rate), "%.0f-%.0f" % (min(rate), max(rate)),
            *[median(values) for values in others]))


def main():
    args = arguments()
    order = rows(args)
    for name, block, options in CASES:
        count = args.small if block == 4096 else args.large
        found = {row: [] for row in order}
        for n in range(args.rounds):
            for row in order if n % 2 == 0 else reversed(order):
                found[row].append(measure(args, *row, block, count, options))
        print("%s reads of %d bytes, %d rank%s, %d blocks each, %d rounds\n" % (
            name, block, args.ranks, "s" * (args.ranks > 1), count, args.rounds))
        table(found, order)
        print()


if __name__ == "__main__":
    main()
