#!/usr/bin/env python3
"""The cost of the program's own work, by pattern, depth, engine and lanes: a
measurement, never a test.

    bench/patterns.py [--rounds N] [--transfers N]      from a build directory

Each pattern transfers 512 bytes at a time, unverified. The engine null moves nothing,
so all of its time is overhead; the others in memory add the system call. A round runs
all patterns in turn. Printed are medians of the rounds: the nanoseconds of processor
time for a transfer, and in brackets their ratio to SEQUENTIAL's in the same round.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

PATTERNS = ["SEQUENTIAL", "RANDOM", "UNIFORM", "ZIPF"]
BLOCK = 512


def run(arguments, engine, pattern, depth, lanes):
    """The processor nanoseconds of a write and of a read."""
    with tempfile.TemporaryDirectory(dir=arguments.memory) as folder:
        report = os.path.join(folder, "report.json")
        subprocess.run(
            [arguments.program, str(arguments.transfers * BLOCK), "-b", str(BLOCK),
             "--pattern", pattern, "--depth", str(depth), "--threads", str(lanes),
             "--iomethod", engine, "--dir", folder, "--no-verify", "--quiet",
             "--seed=1", "--cache=keep", "--json", report], check=True)
        with open(report) as f:
            median = {x["name"]: x["median"] for x in json.load(f)["figures"]}
    return [1e3 * median[name] for name in ("write_cpu_us", "read_cpu_us")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="./blocktransfer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transfers", type=int, default=200000)
    parser.add_argument("--memory", default="/dev/shm")
    arguments = parser.parse_args()
    print("engine depth lanes         " + "".join("%-17s" % p for p in PATTERNS))
    for engine, depth, lanes in [("null", 1, 1), ("null", 16, 1), ("null", 1, 2),
                                 ("posix", 1, 1), ("threads", 16, 1), ("uring", 16, 1)]:
        rounds = [[run(arguments, engine, p, depth, lanes) for p in PATTERNS]
                  for _ in range(arguments.rounds)]
        for k, kind in enumerate(("write", "read")):
            row = "%-8s %3d %3d %-8s" % (engine, depth, lanes, kind)
            for p in range(len(PATTERNS)):
                row += "%7.0f (%.2f)    " % (
                    statistics.median(r[p][k] for r in rounds),
                    statistics.median(r[p][k] / r[0][k] for r in rounds))
            print(row.rstrip(), flush=True)


if __name__ == "__main__":
    main()
