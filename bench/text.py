#!/usr/bin/env python3
"""outcore text where opening a file takes long: the 2007 study's NFS (3.03 ms an open),
and ways to open fewer; measurements, never a test.

    PYTHON bench/text.py [options]   from a build directory, or with --build DIR

Files are on tmpfs, and a preloaded library (slow_open.c, compiled here) sleeps before
each opening of one. A round runs each way without that and with it, in turn. The wall
that is expected with it is that without, and so many times the wait as there are opens;
a ratio is measured / expected."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = {"rewrite": ("--update=rewrite",), "append": ("--update=append",),
        "fused": ("--update=fused",), "container": ("--container",),
        "fused container": ("--update=fused", "--container")}


def arguments():
    p = argparse.ArgumentParser(description="outcore text where opening takes long.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default="/dev/shm", help="for the files [/dev/shm]")
    p.add_argument("--files", type=int, default=300, help="of each way [300]")
    p.add_argument("--delay", type=int, default=1000, help="of an open, us [1000]")
    p.add_argument("--rounds", type=int, default=5, help="[5]")
    p.add_argument("--paper", metavar="FILE",
                   help="only one run, its report in FILE: opens of 3030 us, "
                   "--faithful")
    p.add_argument("--mpiexec", default="mpiexec", help="[mpiexec]")
    return p.parse_args()


def outcore(o, delay, *args, report=None):
    """The figures of a run."""
    report = report or os.path.join(o.tmp, "report.json")
    env = dict(os.environ, LD_PRELOAD=o.tmp + "/slow.so", SLOW_US=str(delay),
               SLOW_NAMES="0")
    subprocess.run([*o.mpiexec.split(), "-n", "1", o.build + "/outcore", "text",
                    "--cost=none", "--seed=1", "--no-verify", "--cache=keep", "--quiet",
                    "--dir", o.dir, "--json", report, *args], check=True, env=env)
    with open(report, encoding="utf-8") as f:
        return {f["name"]: f["median"] for f in json.load(f)["figures"]}


def table(o):
    rows = {name: [] for name in WAYS}
    for turn in range(o.rounds):
        for name in sorted(WAYS, reverse=turn % 2):
            few = [outcore(o, us, "--files=%d" % o.files, *WAYS[name])
                   for us in (0, o.delay)]
            wall = [f["pipeline.wall_s"] for f in few]
            expected = wall[0] + few[1]["pipeline.opens"] * o.delay * 1e-6
            rows[name].append((few[1]["pipeline.opens"], *wall, wall[1] / expected,
                               few[1]["pipeline.open_close_share"]))
    print("%-16s %7s %9s %9s %9s %7s" % ("way", "opens", "wall, s", "delayed", "ratio",
                                         "open %"))
    for name, found in rows.items():
        print("%-16s %7d %9.3f %9.3f %9.3f %7.1f" % (
            name, *(statistics.median(x) for x in zip(*found))))


def paper(o):
    found = outcore(o, 3030, "--faithful", "--files=%d" % o.files, report=o.paper)
    for name, value in found.items():
        if name.startswith("pipeline") and value is not None:
            print("%-28s %12.3f" % (name, value))


def main():
    o = arguments()
    with tempfile.TemporaryDirectory() as o.tmp:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", o.tmp + "/slow.so",
                        HERE + "/slow_open.c"], check=True)
        paper(o) if o.paper else table(o)


if __name__ == "__main__":
    main()
