#!/usr/bin/env python3
"""Bandwidth against fio's for the same transfers: an A/B measurement, never a test.

    bench/fio.py [options]      from a build directory, or with --build DIR

A round runs A (fio), B (blocktransfer or madbench) and A' (fio again), each for unique
files and for a shared one; the order of the cases turns from round to round. A round
gives one ratio B / mean(A, A') and one ratio A'/A. What is printed is the median of
B/A over the rounds, and beside it what A'/A says about the noise. The bar is 0.95.

The noise is half the width, in logarithms, of the 95 % interval of the median of A'/A
(by order statistics: nothing is assumed about its distribution, and a few disturbed
rounds do not matter). So far from its true place may such a median be by chance.
Where that is more than the distance of B/A from the bar, the verdict is
"inconclusive", whatever B/A is. More rounds narrow it.

What is the same on both sides
  transfers   same block, ranks, bytes and interface: pread(2) and pwrite(2) (psync,
              POSIX), io_uring, or libaio, these with --depth under way at once. fio's
              options are set to what our engines do: whenever a transfer is done, all
              that are (iodepth_batch_complete_min=1, _max=N) are replaced, with one
              system call (iodepth_batch_submit=N). Buffers and files are not
              registered (fixedbufs, registerfiles), there is no kernel thread that
              polls (sqthread_poll), completions are interrupts (hipri): all off.
              --one-by-one is fio's own way: a system call for each transfer.
  pattern     --pattern=RANDOM is randwrite and randread: each block once, in an order
              that is the same in all rounds, though not the same for both programs
  files       new ones for every run; unique: one for each job; shared: one file in
              which job i owns the i-th segment (offset_increment); made by the first
              open (create_on_open), neither preallocated (fallocate=none) nor
              truncated to their size in advance
  durability  each job calls fsync(2) after its last write (end_fsync), in the time
  cache       files are synced and their pages dropped before they are read
              (fadvise DONTNEED; --invalidate=1, and once before fio starts, so that
              it is not charged for it); --direct goes past the cache (O_DIRECT), and
              syncs all the same
  data        a buffer of random bytes for each transfer under way, written again and
              again: refill_buffers and scramble_buffers are off, and so is our
              verification, which would stamp every block. Neither side makes data
              while its clock runs. A device that removes duplicates would flatter
              both.
  advice      none: fio's fadvise_hint is off, because our programs give none. With
              --advice it is on, as it is by default in fio.

What differs, and how it is treated
  time        fio's runtime of a job begins before its first open and ends after its
              fsync; bandwidth is all bytes / the longest runtime. Our rates leave
              opening out. So ours is computed here from the report in fio's manner:
              all bytes / the slowest rank's seconds of everything but waiting for
              other ranks ("idle") and dropping caches ("check"). This includes
              closing, which fio's does not. With io_uring and libaio opening and
              closing are left out here, since they are mostly the making and ending
              of the kernel's queue (io_destroy(2) takes tens of milliseconds), which
              fio does before and after its runtime. The rate that our program itself
              reports is printed beside it.
  io_uring    fio asks for a ring whose completions are run by the waiting task alone
              (DEFER_TASKRUN, where kernel and fio know it); ours is an ordinary one.
  resolution  fio's runtimes are whole milliseconds: take sizes that run for seconds.
  waiting     processes of fio sleep while they wait for each other, MPI's poll; take
              no more ranks than cores.

madbench is run in I/O mode with next to no busy work: phase S is its write and phase C
its read; the block is a rank's share of a matrix.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

BAR = 0.95
METHOD = {"psync": "POSIX", "io_uring": "uring", "libaio": "libaio"}


def arguments():
    p = argparse.ArgumentParser(description="Bandwidth against fio's.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default=".", help="where the files are made")
    p.add_argument("--program", choices=["blocktransfer", "madbench"],
                   default="blocktransfer")
    p.add_argument("-n", "--ranks", type=int, default=2)
    p.add_argument("--blocks", type=int, default=1024, help="blocks of each rank")
    p.add_argument("--block", type=int, default=1 << 20,
                   help="bytes of a block; with madbench 8 NPIX^2 / ranks")
    p.add_argument("--engine", choices=sorted(METHOD), default="psync")
    p.add_argument("--depth", type=int, default=1, help="transfers under way at once")
    p.add_argument("--direct", action="store_true", help="past the page cache")
    p.add_argument("--pattern", choices=["SEQUENTIAL", "RANDOM"], default="SEQUENTIAL")
    p.add_argument("--filetype", choices=["UNIQUE", "SHARED"], help="default: both")
    p.add_argument("--one-by-one", action="store_true",
                   help="let fio submit and collect one transfer at a time")
    p.add_argument("--rounds", type=int, default=9, help="at least 7")
    p.add_argument("--advice", action="store_true",
                   help="let fio advise the kernel, as it does by default")
    p.add_argument("--mpiexec", help="default: the one of the build")
    args = p.parse_args()
    if args.rounds < 7:
        p.error("--rounds: at least 7")
    if args.program == "madbench" and (args.depth > 1 or args.pattern == "RANDOM"):
        p.error("--program madbench: neither --depth nor --pattern")
    if not shutil.which("fio"):
        p.error("fio is not installed")
    args.mpiexec = args.mpiexec or makefile_value(args.build, "MPIEXEC")
    return args


def makefile_value(build, name):
    with open(os.path.join(build, "Makefile"), encoding="utf-8") as makefile:
        for text in makefile:
            if text.startswith(name + " = "):
                return text.split("=", 1)[1].strip()
    sys.exit("%s: %s is no build directory; see --build" % (sys.argv[0], build))


# ---- A -----------------------------------------------------------------------


def fio_job(args, folder, shared, op):
    command = [
        "fio", "--name=job", "--ioengine=" + args.engine,
        "--rw=" + ("rand" if args.pattern == "RANDOM" else "") + op,
        "--iodepth=%d" % args.depth, "--direct=%d" % args.direct,
        "--bs=%d" % args.block, "--size=%d" % (args.block * args.blocks),
        "--numjobs=%d" % args.ranks, "--fallocate=none", "--create_on_open=1",
        "--refill_buffers=0", "--scramble_buffers=0", "--invalidate=1",
        "--fadvise_hint=%d" % args.advice, "--output-format=json"]
    if not args.one_by_one:
        command += ["--iodepth_batch_submit=%d" % args.depth,
                    "--iodepth_batch_complete_min=1",
                    "--iodepth_batch_complete_max=%d" % args.depth]
    if shared:
        command += ["--filename=" + os.path.join(folder, "shared"),
                    "--offset_increment=%d" % (args.block * args.blocks)]
    else:
        command += ["--directory=" + folder, "--filename_format=unique.$jobnum"]
    if op == "write":
        command += ["--end_fsync=1"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    jobs = [job[op] for job in json.loads(done.stdout.decode())["jobs"]]
    expected = args.ranks * args.block * args.blocks
    total = sum(job["io_bytes"] for job in jobs)
    if total != expected or len(jobs) != args.ranks:
        sys.exit("bench/fio.py: fio moved %d bytes of %d" % (total, expected))
    return total / (max(job["runtime"] for job in jobs) / 1e3) / 1e6


def drop(folder):
    """Takes the files' pages out of memory."""
    for name in os.listdir(folder):
        fd = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def run_fio(args, shared):
    """{"write": MB/s, "read": MB/s}"""
    folder = tempfile.mkdtemp(prefix="fio-", dir=args.dir)
    try:
        write = fio_job(args, folder, shared, "write")
        drop(folder)
        read = fio_job(args, folder, shared, "read")
    finally:
        shutil.rmtree(folder)
    return {"write": write, "read": read}


# ---- B -----------------------------------------------------------------------


def command_of(args):
    program = os.path.join(args.build, args.program)
    if args.program == "blocktransfer":
        size = args.block * args.blocks
        return [program, str(size), "--block-size=%d" % args.block,
                "--depth=%d" % args.depth, "--pattern=" + args.pattern], "write", "read"
    npix = round(math.sqrt(args.block * args.ranks / 8))
    if 8 * npix * npix != args.block * args.ranks:
        sys.exit("bench/fio.py: --block must be 8 NPIX^2 / ranks")
    return [program, str(npix), str(args.blocks), "--bwexp=0.0001"], "S", "C"


def run_ours(args, shared):
    """As run_fio, and the rates as the program reports them."""
    command, write, read = command_of(args)
    with tempfile.TemporaryDirectory(prefix="ours-", dir=args.dir) as folder:
        path = os.path.join(folder, "report.json")
        subprocess.run(
            args.mpiexec.split() + ["-n", str(args.ranks)] + command +
            ["--iomethod=" + METHOD[args.engine],
             "--cache=" + ("direct" if args.direct else "flush"),
             "--filetype=" + ("SHARED" if shared else "UNIQUE"),
             "--no-verify", "--per-rank", "--quiet", "--dir=" + folder,
             "--json=" + path], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
    figures = {f["name"]: f["median"] for f in report["figures"]}
    return {"write": as_fio_counts(args, report, write, "write"),
            "read": as_fio_counts(args, report, read, "read"),
            "own write": figures[write + ".write_MBps"],
            "own read": figures[read + ".read_MBps"]}


def as_fio_counts(args, report, phase, op):
    seconds = [0.0] * args.ranks
    moved = 0
    outside = {"wall", "idle", "check"}
    if args.engine != "psync":
        outside.add("open_close")
    for sample in report["samples"]:
        if sample["phase"] != phase:
            continue
        if sample["act"] == op:
            moved = sample["bytes"]
        if sample["act"] not in outside:
            seconds = [s + t for s, t in zip(seconds, sample["ranks_s"])]
    if moved != args.ranks * args.block * args.blocks:
        sys.exit("bench/fio.py: %s moved %d bytes" % (args.program, moved))
    return moved / max(seconds) / 1e6


# ---- verdict -------------------------------------------------------------------


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def left_out(n):
    """How many of n sorted values lie outside the median's 95 % interval, each side."""
    count, tail = 0, 1
    while 2 * (tail + binomial(n, count + 1)) <= 0.05 * 2 ** n:
        count += 1
        tail += binomial(n, count)
    return count


def binomial(n, k):
    return math.factorial(n) // (math.factorial(k) * math.factorial(n - k))


def noise(ratios):
    """Half the width of the interval of the median, as a factor less 1."""
    v, k = sorted(ratios), left_out(len(ratios))
    return math.sqrt(v[-1 - k] / v[k]) - 1


def verdict(ratio, spread):
    if spread > abs(ratio / BAR - 1):
        return "inconclusive"
    return "yes" if ratio >= BAR else "NO"


def line(name, op, rounds):
    a = [r[0][op] for r in rounds]
    b = [r[1][op] for r in rounds]
    again = [r[2][op] for r in rounds]
    ratios = [y / ((x + z) / 2) for x, y, z in zip(a, b, again)]
    equals = [z / x for x, z in zip(a, again)]
    spread = noise(equals)
    own = median([r[1]["own " + op] for r in rounds])
    print("%-13s %8.1f %8.1f %8.1f   %5.3f %5.2f-%4.2f   %5.3f %5.2f-%4.2f %6.1f %%   "
          "%s" % (name + " " + op, median(a + again), median(b), own,
                  median(ratios), min(ratios), max(ratios),
                  median(equals), min(equals), max(equals), 100 * spread,
                  verdict(median(ratios), spread)))


def way(args):
    """Such as: io_uring direct, depth 16, random."""
    text = args.engine + (" direct" if args.direct else "")
    if args.depth > 1:
        text += ", depth %d%s" % (args.depth, ", fio one by one" * args.one_by_one)
    return text + (", random" if args.pattern == "RANDOM" else "")


def main():
    args = arguments()
    cases = [case for case in (("unique", False), ("shared", True))
             if args.filetype in (None, case[0].upper())]
    rounds = {name: [] for name, _ in cases}
    for n in range(args.rounds):
        for name, shared in cases if n % 2 == 0 else reversed(cases):
            rounds[name].append((run_fio(args, shared), run_ours(args, shared),
                                 run_fio(args, shared)))
        if sys.stderr.isatty():
            sys.stderr.write("\rround %d of %d " % (n + 1, args.rounds))
    if sys.stderr.isatty():
        sys.stderr.write("\r%24s\r" % "")
    print("%s against fio, %s, %d rank%s, %d blocks of %d bytes each, %d rounds%s\n"
          % (args.program, way(args), args.ranks, "s" * (args.ranks > 1), args.blocks,
             args.block, args.rounds, ", fio with fadvise" if args.advice else ""))
    print("%-13s %8s %8s %8s   %16s   %25s   %s" % (
        "", "fio", "ours", "", "ours / fio", "fio / fio", "at least"))
    print("%-13s %8s %8s %8s   %5s %10s   %5s %10s %8s   %s" % (
        "", "MB/s", "as fio", "reported", "med.", "min-max", "med.", "min-max",
        "noise", "%.2f" % BAR))
    for name, _ in cases:
        for op in ("write", "read"):
            line(name, op, rounds[name])


if __name__ == "__main__":
    main()
