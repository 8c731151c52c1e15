#!/usr/bin/env python3
"""outcore stream beside a bare loop, and its readers where opening takes long: A/B
measurements, never a test.

    PYTHON bench/stream.py [options]   from a build directory, or with --build DIR

Warm: files of 2 KB from the page cache, one reader, the sink null, against a loop of
open, fstat, read and close (open_read_close.c, compiled here). A round is A (the loop),
B, A', and gives one ratio of files a second B / mean(A, A') and one A'/A, the noise.

Cold: the same files from the disk, in the order of inodes, against tar into a pipe; a
round is tar, one reader and four, each after the files have left the page cache.

Large: one file in requests of 1 MiB, direct and buffered, one or eight under way,
against fio; a round is fio and ours.

Slow opens: the same files through a FUSE (fusepy) that waits before each open. A round
is one reader and four, in turn; the ratio is of files a second."""
import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    p = argparse.ArgumentParser(description="outcore stream beside a bare loop.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default="/var/tmp", help="for the files [/var/tmp]")
    p.add_argument("--files", type=int, default=20000, help="[20000]")
    p.add_argument("--slow", type=int, default=400, help="with slow opens [400]")
    p.add_argument("--delay", type=float, default=1e-3, help="of an open, s [0.001]")
    p.add_argument("--rounds", type=int, default=9, help="[9]")
    p.add_argument("--megabytes", type=int, default=512, help="of the large one [512]")
    p.add_argument("--only", nargs="+", default=["warm", "cold", "large", "slow"],
                   choices=["warm", "cold", "large", "slow"], help="[all of them]")
    p.add_argument("--mpiexec", default="mpiexec", help="[mpiexec]")
    return p.parse_args()


def outcore(o, *args):
    """The figures of its report."""
    report = os.path.join(o.tmp, "report.json")
    program = os.path.join(o.build, "outcore")
    subprocess.run([*o.mpiexec.split(), "-n", "1", program, *args, "--quiet", "--json",
                    report], check=True)
    with open(report, encoding="utf-8") as f:
        return {f["name"]: f["median"] for f in json.load(f)["figures"]}


def stream(o, folder, readers):
    return outcore(o, "stream", folder, "--mode=files", "--readers=%d" % readers,
                   "--sink=null", "--no-verify", "--cache=keep", "--slots=64",
                   "--slot-size=4k")


def loop(o, folder):
    """Files a second."""
    wall, cpu, n = map(int, subprocess.run([o.tmp + "/loop", folder], check=True,
                                           stdout=subprocess.PIPE).stdout.split())
    return n / wall * 1e9, cpu / n / 1e3


def show(what, ratios):
    print("%-46s median %.3f  (%.3f to %.3f, %d rounds)" % (
        what, statistics.median(ratios), min(ratios), max(ratios), len(ratios)))


def small(o):
    folder = os.path.join(o.tmp, "warm")
    if not os.path.exists(folder):
        outcore(o, "gen", "documents", "--files=%d" % o.files, "--size=2k", "--seed=1",
                "--output", folder)
    return folder


def warm(o):
    folder = small(o)
    subprocess.run(["cc", "-O2", "-o", o.tmp + "/loop",
                    os.path.join(HERE, "open_read_close.c")], check=True)
    rate, cpu, noise = [], [], []
    loop(o, folder)
    for _ in range(o.rounds):
        before = loop(o, folder)
        ours = stream(o, folder, 1)
        after = loop(o, folder)
        rate.append(2 * ours["read.files_per_s"] / (before[0] + after[0]))
        cpu.append(2 * ours["read.cpu_us_per_file"] / (before[1] + after[1]))
        noise.append(after[0] / before[0])
    show("warm: files/s, one reader / loop", rate)
    show("warm: processor time of a file / loop's", cpu)
    show("warm: files/s, loop / loop", noise)


def evict(folder):
    for name in os.listdir(folder):
        fd = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def cold(o):
    folder = small(o)
    ratios = {1: [], 4: []}
    for _ in range(o.rounds):
        evict(folder)
        begin = time.monotonic()
        subprocess.run(["sh", "-c", 'tar cf - "$1" | cat >/dev/null', "sh", "warm"],
                       check=True, cwd=o.tmp)
        tar = o.files / (time.monotonic() - begin)
        for readers in ratios:
            ours = outcore(o, "stream", folder, "--mode=files", "--sink=null",
                           "--no-verify", "--slots=64", "--slot-size=4k",
                           "--order=inode", "--readers=%d" % readers)
            ratios[readers].append(ours["read.files_per_s"] / tar)
    for readers, some in ratios.items():
        show("cold: files/s, readers: %d / tar | cat" % readers, some)


def fio(path, direct, depth):
    found = subprocess.run(
        ["fio", "--name=read", "--rw=read", "--bs=1M", "--output-format=json",
         "--filename=" + path, "--direct=%d" % direct, "--iodepth=%d" % depth,
         "--ioengine=" + ("io_uring" if depth > 1 else "psync")],
        check=True, stdout=subprocess.PIPE).stdout
    return json.loads(found)["jobs"][0]["read"]["bw_bytes"] / 1e6


def large(o):
    path = os.path.join(o.tmp, "large")
    with open(path, "wb") as f:
        for _ in range(o.megabytes):
            f.write(os.urandom(1 << 20))
        os.fsync(f.fileno())
    for cache, direct in (("direct", 1), ("flush", 0)):
        for depth in (1, 8):
            ratios = []
            for _ in range(o.rounds):
                theirs = fio(path, direct, depth)
                ours = outcore(o, "stream", path, "--sink=null", "--no-verify",
                               "--cache=" + cache, "--slots=%d" % depth,
                               "--slot-size=1M", "--iomethod=" +
                               ("uring" if depth > 1 else "POSIX"),
                               "--iomode=" + ("ASYNC" if depth > 1 else "SYNC"))
                ratios.append(ours["read.MBps"] / theirs)
            show("large, %s, %d under way: MB/s, ours / fio" % (cache, depth), ratios)


def serve(folder, at, delay):
    import fusepy

    class Slow(fusepy.Operations):
        use_ns = True

        def __call__(self, op, path, *args):
            return super().__call__(op, folder + path, *args)

        def getattr(self, path, fh=None):
            st = os.lstat(path)
            return {key: getattr(st, key)
                    for key in ("st_mode", "st_nlink", "st_size", "st_ino")}

        def readdir(self, path, fh):
            return [".", "..", *os.listdir(path)]

        def open(self, path, flags):
            time.sleep(delay)
            return os.open(path, flags)

        def read(self, path, size, offset, fh):
            return os.pread(fh, size, offset)

        def release(self, path, fh):
            os.close(fh)

    fusepy.FUSE(Slow(), at, foreground=True, use_ino=True)


def slow(o):
    folder, at = os.path.join(o.tmp, "few"), os.path.join(o.tmp, "slow")
    outcore(o, "gen", "documents", "--files=%d" % o.slow, "--size=2k", "--seed=1",
            "--output", folder)
    os.mkdir(at)
    server = multiprocessing.Process(target=serve, args=(folder, at, o.delay))
    server.start()
    try:
        while server.is_alive() and not os.path.ismount(at):
            time.sleep(0.1)
        if not server.is_alive():
            sys.exit("stream.py: no FUSE file system here (python3-fusepy)")
        ratios = []
        for _ in range(o.rounds):
            one, four = (stream(o, at, n)["read.files_per_s"] for n in (1, 4))
            ratios.append(four / one)
        show("opens of %g ms: four readers / one" % (1e3 * o.delay), ratios)
    finally:
        subprocess.run(["fusermount", "-u", at], check=False)
        server.join()


def main():
    o = arguments()
    with tempfile.TemporaryDirectory(dir=o.dir) as o.tmp:
        for part in o.only:
            {"warm": warm, "cold": cold, "large": large, "slow": slow}[part](o)


if __name__ == "__main__":
    sys.exit(main())
