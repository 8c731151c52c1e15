#!/usr/bin/env python3
"""outcore sort beside sort(1), and beside what its transfers cost: an A/B measurement,
never a test.

    bench/sort_gnu.py [options]     from a build directory, or with --build DIR

A round runs, in turn, GNU sort, outcore sort by way of the page cache, GNU sort again
with the same lines, memory (-S) and threads (--parallel); and GNU sort and outcore sort
past the page cache, with a blocktransfer before and after them that writes and reads as
many bytes past it. The order of the two halves turns from round to round. Printed are
medians over the rounds of

  processor   GNU's processor seconds (user and system, of the whole process, with its
              start) / ours; without the system's, too: what moves bytes costs both
  wall        GNU's seconds / ours, of the whole process
  ... direct  the same two of our sort past the page cache: what the kernel needs to
              fill it depends on how it is written, and much so on virtual machines
  bound       our seconds past the page cache (figure sort.wall_s) / the seconds of
              reading the file twice and writing it twice at blocktransfer's rates
  memory      our largest resident set, less that of a --dry-run, / --memory

and for the first two the ratio of GNU's second run to its first, which is the noise.

What is the same: lines of 100 characters with a key of 10 (outcore gen records
--ascii), sorted by all bytes (LC_ALL=C; keys do not repeat); the page cache holds the
input, and nothing is synced (--cache=keep), as sort(1) syncs nothing; both write their
runs to one folder, uncompressed. What differs: GNU sort compares whole lines and finds
their ends; records are of a known length. Outputs are compared.
"""
import argparse
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--build", default=".")
    p.add_argument("--dir", default=".", help="where files are made")
    p.add_argument("--records", type=int, default=2000000)
    p.add_argument("--memory", type=int, default=64, help="MiB")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--iomethod", default="uring", help="past the page cache")
    return p.parse_args()


def timed(line, **env):
    """Seconds, user and system seconds, and the resident set of a process, in bytes."""
    child = subprocess.Popen(line, env={**os.environ, **env}, stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit("%s failed" % " ".join(line))
    return (time.monotonic() - begin, used.ru_utime, used.ru_stime,
            used.ru_maxrss * 1024)


class Bench:
    def __init__(self, how, folder):
        self.how, self.folder = how, folder
        self.outcore = os.path.join(how.build, "outcore")
        self.input = os.path.join(folder, "input")
        self.bytes = 100 * how.records
        timed([self.outcore, "gen", "records", str(how.records), "--ascii", "--seed=1",
               "--output=" + self.input, "--quiet"])

    def path(self, name):
        return os.path.join(self.folder, name)

    def gnu(self):
        return timed(["sort", "-S", "%dM" % self.how.memory, "-T", self.folder,
                      "--parallel=%d" % self.how.threads, "-o", self.path("gnu"),
                      self.input], LC_ALL="C")

    def ours(self, *options):
        return timed([self.outcore, "sort", "--input=" + self.input, "--record=100",
                      "--memory=%dM" % self.how.memory,
                      "--threads=%d" % self.how.threads, "--no-verify", "--overwrite",
                      "--output=" + self.path("ours"), "--quiet",
                      "--json=" + self.path("json"), *options])

    def figure(self, name):
        with open(self.path("json"), encoding="utf-8") as f:
            return {x["name"]: x["median"] for x in json.load(f)["figures"]}[name]

    def transfer(self):
        """MB/s of writing and reading, past the page cache."""
        timed([os.path.join(self.how.build, "blocktransfer"), str(self.bytes),
               "--block-size=1M", "--cache=direct", "--no-verify", "--depth=4",
               "--iomethod=" + self.how.iomethod, "--dir=" + self.folder, "--quiet",
               "--json=" + self.path("json")])
        return self.figure("write_MBps"), self.figure("read_MBps")

    def beside_gnu(self):
        first, ours, second = self.gnu(), self.ours("--cache=keep"), self.gnu()
        if not filecmp.cmp(self.path("gnu"), self.path("ours"), shallow=False):
            sys.exit("the outputs differ")
        cpu = [x[1] + x[2] for x in (first, ours, second)]
        return {"processor": (cpu[0] + cpu[2]) / 2 / cpu[1],
                "processor, user": (first[1] + second[1]) / 2 / ours[1],
                "wall": (first[0] + second[0]) / 2 / ours[0],
                "noise of processor": cpu[2] / cpu[0],
                "noise of wall": second[0] / first[0],
                "GNU, MB per processor s": self.bytes / 1e6 / cpu[0],
                "ours, MB per processor s": self.bytes / 1e6 / cpu[1],
                "memory": (ours[3] - self.start[3]) / (self.how.memory << 20)}

    def beside_bound(self):
        before = self.transfer()
        gnu = self.gnu()
        ours = self.ours("--cache=direct", "--iomode=ASYNC",
                         "--iomethod=" + self.how.iomethod)
        wall = self.figure("sort.wall_s")
        after = self.transfer()
        rates = [(a + b) / 2 for a, b in zip(before, after)]
        bound = sum(2 * self.bytes / 1e6 / rate for rate in rates)
        return {"processor, direct": (gnu[1] + gnu[2]) / (ours[1] + ours[2]),
                "wall, direct": gnu[0] / ours[0],
                "ours, direct, MB per processor s": (
                    self.bytes / 1e6 / (ours[1] + ours[2])),
                "bound": wall / bound,
                "noise of bound": (sum(1 / x for x in after) /
                                   sum(1 / x for x in before))}

    def run(self):
        self.start = timed([self.outcore, "sort", "--dry-run", "--quiet"])
        found = {}
        for number in range(self.how.rounds):
            halves = [self.beside_gnu, self.beside_bound]
            for half in halves[::-1] if number % 2 else halves:
                for name, value in half().items():
                    found.setdefault(name, []).append(value)
        return found


def main():
    how = arguments()
    folder = tempfile.mkdtemp(prefix="sort-gnu-", dir=how.dir)
    try:
        found = Bench(how, folder).run()
    finally:
        shutil.rmtree(folder)
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = [line.split(":")[1].strip() for line in f
                 if line.startswith("model name")]
    print("%d records of 100 bytes, %d MiB, %d threads, %d rounds; %d x %s" % (
        how.records, how.memory, how.threads, how.rounds, len(model), model[0]))
    for name, values in found.items():
        print("%-32s median %8.2f   %8.2f ... %.2f" % (
            name, statistics.median(values), min(values), max(values)))


if __name__ == "__main__":
    main()
