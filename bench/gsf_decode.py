#!/usr/bin/env python3
"""How fast one core decodes GSF: gsf_decode.py BUILD [DIR]

Makes a survey of 12 files (61 MB) with gsfgen in DIR, reads it with gsfinfo ten times
from the page cache, and prints the median and the worst of its processor time, as bytes
and beams per second; beside it a plain read() of the same files, which is the limit,
and the reference library in turn, where this Python has gsfpy, which brings it along
(V/bin/pip install gsfpy==2.0.0; V/bin/python bench/gsf_decode.py)."""
import importlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
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


def reference_reader(folder):
    """The command that reads files with the reference library; None without it."""
    try:
        package = importlib.import_module("gsfpy3_09")
        records = importlib.import_module("gsfpy3_09.gsfRecords").c_gsfRecords
    except ImportError:
        return None
    import ctypes
    program = os.path.join(folder, "gsf_reference")
    # The library does not say that it needs libm.
    subprocess.check_call(["cc", "-O2", "-o", program,
                           os.path.join(HERE, "gsf_reference.c"), "-ldl",
                           "-Wl,--no-as-needed", "-lm"])
    libraries = os.path.join(os.path.dirname(package.__file__), "libgsf")
    library = next(name for name in os.listdir(libraries) if name.endswith(".so"))
    ping = type(records().mb_ping)
    return [program, os.path.join(libraries, library), str(ctypes.sizeof(records)),
            str(records.mb_ping.offset + ping.number_beams.offset)]


def row(name, seconds, total):
    print("%-18s" % name, end="")
    for s in (statistics.median(seconds), max(seconds)):
        print("  %6.2f GB/s  %6.1f M beams/s" % (total["bytes"] / s / 1e9,
                                                  total["beams"] / s / 1e6), end="")
    print()


def said(command):
    return json.loads(subprocess.check_output(command).decode())


def measure(build, paths, reference):
    """(gsfinfo's total, {name: seconds of each round}), the ways in turn."""
    seconds = {"gsfinfo": [], "read() only": []}
    for _ in range(ROUNDS):
        info = said([os.path.join(build, "gsfinfo"), "--json"] + paths)
        seconds["gsfinfo"].append(info["cpu_s"])
        seconds["read() only"].append(plain_read(paths))
        if reference:
            found = said(reference + paths)
            if found["beams"] != info["total"]["beams"]:
                sys.exit("gsf_decode: the reference library finds %d beams, gsfinfo %d"
                         % (found["beams"], info["total"]["beams"]))
            seconds.setdefault("reference library", []).append(found["cpu_s"])
    return info["total"], seconds


def main():
    build = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(dir=sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        subprocess.check_call([os.path.join(build, "gsfgen"), "--preset=12", "--quiet",
                               "--dir", folder])
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        total, seconds = measure(build, paths, reference_reader(folder))
    finally:
        shutil.rmtree(folder)
    print("%-18s  %-28s  %s" % ("", "median", "worst of %d" % ROUNDS))
    for name, each in seconds.items():
        row(name, each, total)
    if "reference library" in seconds:
        ratios = [theirs / ours for theirs, ours in zip(seconds["reference library"],
                                                        seconds["gsfinfo"])]
        print("gsfinfo is %.2f times as fast as the reference library (median of %d "
              "rounds; %.2f to %.2f)" % (statistics.median(ratios), ROUNDS, min(ratios),
                                         max(ratios)))


if __name__ == "__main__":
    main()
