#!/usr/bin/env python3
"""What ldad mount costs: rates of reading a container's file through it, over those of
the same file flattened, in turns.

    bench/mount.py FOLDER [--bytes=1073741824] [--rounds=9]

Needs ldad, blocktransfer and mpiexec in PATH, and leave to mount. FOLDER has room for
twice the bytes; what is made in it is removed. cold: neither is in any cache; warm:
partitions and flat file are in the page cache, and nothing of what is mounted. The file
is copied by cp into FOLDER, read by cp to /dev/null, and by pread(2), 4 KiB at random
offsets."""
import argparse
import glob
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RANKS = 4
CHUNKS = ("4k", "64k", "1M")
RANDOM_READS = 4000


def run(*line):
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)


def make(folder, chunk, size):
    """The paths of a container, in a folder with nothing else, and of its flat file."""
    source = os.path.join(folder, "source")
    os.mkdir(source)
    run("mpiexec", "-n", str(RANKS), "blocktransfer", str(size // RANKS),
        "--block-size=" + chunk, "--layout=INTERLEAVED", "--filetype=PARTITIONED",
        "--keep", "--quiet", "--no-verify", "--seed=1", "--dir=" + source)
    for name in glob.glob(os.path.join(source, "*.json")):
        os.unlink(name)
    container, = glob.glob(os.path.join(source, "*"))
    flat = os.path.join(folder, "flat")
    run("ldad", "flatten", "--sync", container, flat)
    return container, flat


def forget(*paths):
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def seconds(call, *args):
    begin = time.perf_counter()
    call(*args)
    return time.perf_counter() - begin


def read(path):
    run("cp", path, "/dev/null")


def at_random(path):
    draw = random.Random(1)
    blocks = os.path.getsize(path) // 4096
    fd = os.open(path, os.O_RDONLY)
    for _ in range(RANDOM_READS):
        os.pread(fd, 4096, draw.randrange(blocks) * 4096)
    os.close(fd)


def ratios(call, seen, flat, parts, cold, rounds):
    """Seconds for the flat file over seconds through the mount, one a round; each goes
    first in every other round."""
    out = []
    for i in range(rounds):
        took = {}
        for path in (seen, flat) if i % 2 else (flat, seen):
            forget(seen, *([flat] + parts if cold else []))
            if not cold:
                for warm in [flat] + parts:
                    read(warm)
            took[path] = seconds(call, path)
        out.append(took[flat] / took[seen])
    return out


def measure(folder, chunk, options):
    container, flat = make(folder, chunk, options.bytes)
    point = os.path.join(folder, "point")
    os.mkdir(point)
    run("ldad", "mount", container, point)
    try:
        seen = os.path.join(point, os.path.basename(container))
        run("cmp", seen, flat)
        parts = glob.glob(os.path.join(container, "part-*"))
        for name, call in (
                ("cp", lambda path: run("cp", path, os.path.join(folder, "copy"))),
                ("cp to /dev/null", read), ("4 KiB at random", at_random)):
            for cold in (True, False):
                r = sorted(ratios(call, seen, flat, parts, cold, options.rounds))
                print("chunks of %-4s %-16s %s  median %.2f  (%.2f to %.2f)"
                      % (chunk, name, "cold" if cold else "warm", statistics.median(r),
                         r[0], r[-1]), flush=True)
    finally:
        run("fusermount3", "-u", point)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("--bytes", type=int, default=1 << 30)
    options.add_argument("--rounds", type=int, default=9)
    options = options.parse_args()
    for chunk in CHUNKS:
        folder = tempfile.mkdtemp(dir=options.folder)
        try:
            measure(folder, chunk, options)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
