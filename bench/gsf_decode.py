#!/usr/bin/env python3
"""How fast one core decodes GSF: gsf_decode.py BUILD [DIR]

Makes a survey of 12 files (61 MB) with gsfgen in DIR, reads it with gsfinfo ten times
from the page cache, and prints the median and the worst of its processor time, as bytes
and beams per second; beside it a plain read() of the same files, which is the limit."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 10


def plain_read(paths):
    """Processor seconds to read the files into one buffer of 256 KiB."""
    buffer = bytearray(256 << 10)
    before = time.process_time()
    for path in paths:
        with open(path, "rb", buffering=0) as f:
            while f.readinto(buffer):
                pass
    return time.process_time() - before


def row(name, seconds, total):
    print("%-12s" % name, end="")
    for s in (statistics.median(seconds), max(seconds)):
        print("  %6.2f GB/s  %6.1f M beams/s" % (total["bytes"] / s / 1e9,
                                                  total["beams"] / s / 1e6), end="")
    print()


def main():
    build = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(dir=sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        subprocess.check_call([os.path.join(build, "gsfgen"), "--preset=12", "--quiet",
                               "--dir", folder])
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        decode, read = [], []
        for _ in range(ROUNDS):
            info = json.loads(subprocess.check_output(
                [os.path.join(build, "gsfinfo"), "--json"] + paths).decode())
            decode.append(info["cpu_s"])
            read.append(plain_read(paths))
    finally:
        shutil.rmtree(folder)
    print("%-12s  %-28s  %s" % ("", "median", "worst of %d" % ROUNDS))
    row("gsfinfo", decode, info["total"])
    row("read() only", read, info["total"])


if __name__ == "__main__":
    main()
