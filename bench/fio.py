#!/usr/bin/env python3
"""Bandwidth and latencies against fio's for the same transfers: an A/B measurement,
never a test.

    bench/fio.py [options]      from a build directory, or with --build DIR
    bench/fio.py --list         the cases; --only takes words that their names have

A round runs A (fio), B (blocktransfer or madbench) and A' (fio again) of every case;
the order of the cases turns from round to round. A round gives one ratio B / mean(A,
A') and one ratio A'/A for each figure. What is printed is the median of B/A over the
rounds, and beside it what A'/A says about the noise. The bar of a bandwidth is 0.95;
p50 and p99 of latencies are to be within 10 % of each other.

The noise is half the width, in logarithms, of the 95 % interval of the median of A'/A
(by order statistics: nothing is assumed about its distribution, and a few disturbed
rounds do not matter). So far from its true place may such a median be by chance.
Where that is more than the distance of B/A from the bar, the verdict is
"inconclusive", whatever B/A is. More rounds narrow it.

What is the same on both sides
  transfers   same block, ranks, bytes and interface: pread(2) and pwrite(2) (psync,
              POSIX), io_uring, libaio, or glibc's AIO (posixaio, aio), these with
              `depth` under way at once; or mmap(2). fio's options are set to what our
              engines do: whenever a transfer is done, all that are
              (iodepth_batch_complete_min=1, _max=N) are replaced, with one call
              (iodepth_batch_submit=N). Buffers and files are not registered (fixedbufs,
              registerfiles), there is no kernel thread that polls (sqthread_poll),
              completions are interrupts (hipri): all off. --one-by-one is fio's own
              way: a system call for each transfer.
  jobs        ranks are processes of fio; lanes (`threads`) its threads (--thread)
  pattern     random is randwrite and randread: each block once, in an order that is the
              same in all rounds, though not the same for both programs
  mixed       randrw with rwmixread over a file that is complete, each block once
  files       new ones for every run, one for each job (shared: one file in which job i
              owns the i-th segment, offset_increment); made by the first open
              (create_on_open), neither preallocated (fallocate=none) nor truncated to
              their size in advance. mmap writes into files that are complete
              (overwrite, --overwrite), since fio's engine cannot make them longer.
  durability  each job calls fsync(2) after its last write (end_fsync), in the time
  cache       files are synced and their pages dropped before they are read
              (fadvise DONTNEED; --invalidate=1, and once before fio starts, so that
              it is not charged for it); direct goes past the cache (O_DIRECT), and
              syncs all the same. Cases in memory have their files in --memory, where
              pages cannot be dropped.
  data        a buffer of random bytes for each transfer under way, written again and
              again: refill_buffers and scramble_buffers are off, and so is our
              verification, which would stamp every block. Neither side makes data
              while its clock runs. A device that removes duplicates would flatter
              both.
  advice      none: fio's fadvise_hint is off, because our programs give none
  latency     from before a transfer is submitted until it is known to be done: fio's
              lat, which is slat + clat. Of all jobs: fio's are put together from its
              histograms (64 buckets an octave; ours have 16, and spread evenly within).

What differs, and how it is treated
  time        fio's runtime of a job begins before its first open and ends after its
              fsync; bandwidth is all bytes / the longest runtime. Our rates leave
              opening out. So ours is computed here from the report in fio's manner:
              all bytes / the slowest rank's seconds of everything but waiting for
              other ranks ("idle") and dropping caches ("check"). This includes
              closing, which fio's does not. But for psync, opening and closing are left
              out here, since they are mostly the making and ending of the kernel's
              queue, of threads or of maps (io_destroy(2) takes tens of milliseconds),
              which fio does before and after its runtime.
  io_uring    fio asks for a ring whose completions are run by the waiting task alone
              (DEFER_TASKRUN, where kernel and fio know it); ours is an ordinary one.
  posixaio    fio calls aio_write and aio_suspend; ours submits with lio_listio.
  resolution  fio's runtimes are whole milliseconds: take sizes that run for seconds
              (--scale).
  waiting     processes of fio sleep while they wait for each other, MPI's poll; take
              no more ranks than cores.

madbench is run in I/O mode with next to no busy work: phase S is its write and phase C
its read; the block is a rank's share of a matrix.
"""
import argparse
import collections
import contextlib
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile

BAR, NEAR = 0.95, (0.9, 1.1)
METHOD = {"psync": "posix", "io_uring": "uring", "libaio": "libaio", "posixaio": "aio",
          "mmap": "mmap", "null": "null"}
QUEUES = ("io_uring", "libaio", "posixaio")

Case = collections.namedtuple(
    "Case", "engine pattern block blocks ranks threads depth how mixed shared program")


def case(engine, pattern, block, mib, ranks=1, threads=1, depth=1, how="direct",
         mixed=None, shared=False, program="blocktransfer"):
    """mib: of each job."""
    return Case(engine, pattern, block, (mib << 20) // block, ranks, threads, depth,
                how, mixed, shared, program)


RANDOM, SEQUENTIAL = ("random", 4096), ("sequential", 1 << 20)
CASES = (
    [case("null", *RANDOM, mib=2048, depth=d, how="memory") for d in (1, 16)]
    + [case("psync", *RANDOM, mib=256, ranks=r, how="memory") for r in (1, 2)]
    + [case("psync", *SEQUENTIAL, mib=1024, ranks=r, how="memory") for r in (1, 2)]
    + [case("psync", *SEQUENTIAL, mib=512, how="cached", shared=s)
       for s in (False, True)]
    + [case("mmap", *RANDOM, mib=256, ranks=r, how="memory") for r in (1, 2)]
    + [case("mmap", *SEQUENTIAL, mib=1024, ranks=r, how="memory") for r in (1, 2)]
    + [case(e, *RANDOM, mib=64, ranks=r, depth=16) for e in QUEUES for r in (1, 2)]
    + [case(e, *SEQUENTIAL, mib=512, ranks=r, depth=4) for e in QUEUES for r in (1, 2)]
    + [case("psync", *RANDOM, mib=256, threads=2, how="memory"),
       case("psync", *SEQUENTIAL, mib=1024, threads=2, how="memory"),
       case("libaio", *RANDOM, mib=64, threads=2, depth=16),
       case("io_uring", *RANDOM, mib=64, threads=2, depth=16),
       case("psync", *RANDOM, mib=256, mixed=30, how="memory"),
       case("libaio", *RANDOM, mib=64, mixed=30, depth=16),
       case("psync", "sequential", 2 << 20, 512, how="cached", program="madbench")])


def name_of(c):
    words = [c.engine, "%gk" % (c.block / 1024) if c.block < 1 << 20 else
             "%gm" % (c.block / (1 << 20)), c.pattern, "%d-ranks" % c.ranks, c.how]
    words += ["depth-%d" % c.depth] * (c.depth > 1)
    words += ["%d-threads" % c.threads] * (c.threads > 1)
    words += ["mixed-%d" % (c.mixed or 0)] * bool(c.mixed) + ["shared"] * c.shared
    return " ".join(words + [c.program] * (c.program != "blocktransfer"))


def arguments():
    p = argparse.ArgumentParser(description="Bandwidth and latencies against fio's.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default=".", help="where the files are made [.]")
    p.add_argument("--memory", default="/dev/shm", help="... in memory [/dev/shm]")
    p.add_argument("--only", metavar="WORDS", action="append", default=[],
                   help="cases whose names have all of these words; may be repeated")
    p.add_argument("--scale", type=float, default=1, help="of the bytes of a case [1]")
    p.add_argument("--rounds", type=int, default=7, help="at least 7 [7]")
    p.add_argument("--one-by-one", action="store_true",
                   help="let fio submit and collect one transfer at a time")
    p.add_argument("--mpiexec", help="default: the one of the build")
    p.add_argument("--json", help="write all figures to this file, after each round")
    p.add_argument("--list", action="store_true", help="print the cases' names")
    args = p.parse_args()
    if args.rounds < 7:
        p.error("--rounds: at least 7")
    if not args.list and not shutil.which("fio"):
        p.error("fio is not installed")
    return args


def makefile_value(build, name):
    with contextlib.suppress(OSError), open(os.path.join(build, "Makefile"),
                                            encoding="utf-8") as makefile:
        for text in makefile:
            if text.startswith(name + " = "):
                return text.split("=", 1)[1].strip()
    sys.exit("%s: %s is no build directory; see --build" % (sys.argv[0], build))


def chosen(args):
    cases = [c._replace(blocks=max(1, round(c.blocks * args.scale))) for c in CASES]
    return [c for c in cases if not args.only or any(
        set(words.split()) <= set(name_of(c).split()) for words in args.only)]


def lacking(args, c):
    """Why this build cannot run the case; "": it can."""
    def says(option):
        return subprocess.run([os.path.join(args.build, c.program), option],
                              stdout=subprocess.PIPE).stdout.decode()
    engine = [line for line in says("--list-engines").splitlines()
              if line.split()[:1] == [METHOD[c.engine]]]
    if not engine or "not built" in engine[0] or "cannot" in engine[0]:
        return "no engine %s" % METHOD[c.engine]
    needs = ["--mixed"] * bool(c.mixed) + ["--overwrite"] * overwrites(c)
    for option in needs + ["--threads"] * (c.threads > 1):
        if option not in says("--help"):
            return "no option %s" % option
    return ""


def overwrites(c):
    return c.engine == "mmap"


def jobs_of(c):
    return c.ranks * c.threads


def size_of(c):
    return c.block * c.blocks


def ops_of(c):
    return ["mixed"] if c.mixed else ["write", "read"]


# ---- A -----------------------------------------------------------------------


def fio_command(args, c, folder, op):
    rw = {"mixed": "rw"}.get(op, op)
    command = [
        "fio", "--name=job", "--ioengine=" + c.engine,
        "--rw=" + ("rand" if c.pattern == "random" else "") + rw,
        "--iodepth=%d" % c.depth, "--direct=%d" % (c.how == "direct"),
        "--bs=%d" % c.block, "--size=%d" % size_of(c), "--numjobs=%d" % jobs_of(c),
        "--fallocate=none", "--create_on_open=%d" % (c.engine != "mmap"),
        "--refill_buffers=0", "--scramble_buffers=0", "--invalidate=1",
        "--fadvise_hint=0", "--lat_percentiles=1", "--clat_percentiles=0",
        "--output-format=json+"]
    if not args.one_by_one:
        command += ["--iodepth_batch_submit=%d" % c.depth,
                    "--iodepth_batch_complete_min=1",
                    "--iodepth_batch_complete_max=%d" % c.depth]
    if c.threads > 1:
        command += ["--thread"]
    if c.shared:
        command += ["--filename=" + os.path.join(folder, "shared"),
                    "--offset_increment=%d" % size_of(c)]
    else:
        command += ["--directory=" + folder, "--filename_format=unique.$jobnum"]
    if op == "mixed":
        command += ["--rwmixread=%d" % c.mixed]
    return command + ["--end_fsync=1"] * (op != "read")


def fio_job(args, c, folder, op):
    """{figure: value}, such as "write MB/s"."""
    done = subprocess.run(fio_command(args, c, folder, op), stdout=subprocess.PIPE,
                          check=True)
    jobs = json.loads(done.stdout.decode())["jobs"]
    kinds = ["read", "write"] if op == "mixed" else [op]
    total = sum(job[k]["io_bytes"] for job in jobs for k in kinds)
    if total != jobs_of(c) * size_of(c) or len(jobs) != jobs_of(c):
        sys.exit("bench/fio.py: %s: fio moved %d bytes" % (name_of(c), total))
    out = {op + " MB/s": total / max(
        job[k]["runtime"] for job in jobs for k in kinds) / 1e3}
    if op != "mixed" and c.engine != "null":
        bins = collections.Counter()
        for job in jobs:
            bins.update({int(ns): n for ns, n in job[op]["lat_ns"]["bins"].items()})
        out.update({"%s p%d" % (op, q): quantile(bins, q / 100) / 1e3
                    for q in (50, 99)})
    return out


def quantile(bins, q):
    left = math.ceil(q * sum(bins.values()))
    for value in sorted(bins):
        left -= bins[value]
        if left <= 0:
            return value
    return math.inf


def lay(c, folder):
    """Complete files, for what cannot make them longer or also reads."""
    chunk = os.urandom(1 << 20)
    for job in range(jobs_of(c)):
        with open(os.path.join(folder, "unique.%d" % job), "wb") as f:
            for at in range(0, size_of(c), len(chunk)):
                f.write(chunk[:size_of(c) - at])


def drop(folder):
    """Takes the files' pages out of memory."""
    for name in os.listdir(folder):
        fd = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def run_fio(args, c):
    out = {}
    with tempfile.TemporaryDirectory(prefix="fio-", dir=place(args, c)) as folder:
        if c.mixed or overwrites(c):
            lay(c, folder)
        for op in ops_of(c):
            drop(folder)
            out.update(fio_job(args, c, folder, op))
    return out


def place(args, c):
    return args.memory if c.how == "memory" else args.dir


# ---- B -----------------------------------------------------------------------


def our_command(args, c):
    program = os.path.join(args.build, c.program)
    if c.program == "blocktransfer":
        words = [program, str(size_of(c)), "--block-size=%d" % c.block,
                 "--depth=%d" % c.depth, "--pattern=" + c.pattern]
        return (words + ["--threads=%d" % c.threads] * (c.threads > 1)
                + ["--mixed=%d" % (c.mixed or 0)] * bool(c.mixed)
                + ["--overwrite"] * overwrites(c))
    npix = round(math.sqrt(c.block * c.ranks / 8))  # the block must be 8 NPIX^2 / ranks
    return [program, str(npix), str(c.blocks), "--bwexp=0.0001"]


def run_ours(args, c):
    with tempfile.TemporaryDirectory(prefix="ours-", dir=place(args, c)) as folder:
        path = os.path.join(folder, "report.json")
        subprocess.run(
            (args.mpiexec or makefile_value(args.build, "MPIEXEC")).split()
            + ["-n", str(c.ranks)] + our_command(args, c)
            + ["--iomethod=" + METHOD[c.engine],
               "--cache=" + ("direct" if c.how == "direct" else "flush"),
               "--filetype=" + ("shared" if c.shared else "unique"),
               "--no-verify", "--per-rank", "--quiet", "--dir=" + folder,
               "--json=" + path], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
    phase = {"write": "S", "read": "C"} if c.program == "madbench" else {}
    figures = {f["name"]: f["median"] for f in report["figures"]}
    out = {}
    for op in ops_of(c):
        name = phase.get(op, op)
        out[op + " MB/s"] = as_fio_counts(c, report, name, op)
        for q in ("p50", "p99"):
            us = figures.get("%s.%s_%s_us" % (name, op, q))
            if us and c.engine != "null":  # few transfers have no p99
                out[op + " " + q] = us
    return out


def as_fio_counts(c, report, phase, op):
    seconds, moved = [0.0] * c.ranks, 0
    outside = ["wall", "idle", "check"] + ["open_close"] * (c.engine != "psync")
    for sample in report["samples"]:
        if sample["phase"] != phase:
            continue
        if sample["act"] in (["read", "write"] if op == "mixed" else [op]):
            moved += sample["bytes"]
        if sample["act"] not in outside:
            seconds = [s + t for s, t in zip(seconds, sample["ranks_s"])]
    if moved != jobs_of(c) * size_of(c):
        sys.exit("bench/fio.py: %s: we moved %d bytes" % (name_of(c), moved))
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


def verdict(ratio, spread, bars=(BAR, math.inf)):
    """Whether the ratio is within the bars, and farther from each than the noise."""
    if any(abs(math.log(ratio / bar)) < math.log1p(spread) for bar in bars
           if bar < math.inf):
        return "inconclusive"
    return "yes" if bars[0] <= ratio <= bars[1] else "NO"


def judged(rounds, figure):
    """What is to be known of one figure of a case."""
    a, b, again = ([r[i][figure] for r in rounds] for i in range(3))
    ratios = [2 * y / (x + z) for x, y, z in zip(a, b, again)]
    spread = noise([z / x for x, z in zip(a, again)])
    return {"figure": figure, "fio": median(a + again), "ours": median(b),
            "ratio": median(ratios), "least": min(ratios), "most": max(ratios),
            "noise": spread, "rounds": len(rounds),
            "verdict": verdict(median(ratios), spread,
                               (BAR, math.inf) if figure.endswith("MB/s") else NEAR)}


def judged_case(c, rounds):
    both = [f for f in rounds[0][0] if all(f in r[1] for r in rounds)]
    return [dict(judged(rounds, f), case=name_of(c)) for f in both]


# ---- all of it -------------------------------------------------------------------


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = [line.split(":")[1].strip() for line in f
                 if line.startswith("model name")]
    return "%s, %d cores" % (names[0] if names else platform.machine(),
                             os.cpu_count())


def save(args, rows, loads):
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"processor": processor(), "kernel": platform.release(),
                       "load": loads, "scale": args.scale, "rows": rows}, f, indent=1)


def show(rows, loads):
    print("%s; load beside it %.1f to %.1f\n" % (processor(), min(loads), max(loads)))
    width = max(len(row["case"]) for row in rows)
    print("%-*s %-10s %10s %10s %6s %11s %8s  %s" % (
        width, "", "", "fio", "ours", "ratio", "min-max", "noise", "verdict"))
    last = None
    for row in rows:
        print("%-*s %-10s %10.4g %10.4g %6.3f %5.2f-%5.2f %6.1f %%  %s" % (
            width, "" if row["case"] == last else row["case"], row["figure"],
            row["fio"], row["ours"], row["ratio"], row["least"], row["most"],
            100 * row["noise"], row["verdict"]))
        last = row["case"]
    count = collections.Counter(row["verdict"] for row in rows)
    print("\n%d figures: %s" % (len(rows), ", ".join(
        "%d %s" % (n, what) for what, n in sorted(count.items()))))


def main():
    args = arguments()
    cases = chosen(args)
    if args.list:
        print("\n".join(name_of(c) for c in cases))
        return
    missing = {c: lacking(args, c) for c in cases}
    cases = [c for c in cases if not missing[c]]
    rounds, rows, loads = {c: [] for c in cases}, [], []
    for n in range(args.rounds):
        for c in cases if n % 2 == 0 else reversed(cases):
            rounds[c].append((run_fio(args, c), run_ours(args, c), run_fio(args, c)))
            loads.append(os.getloadavg()[0])
            if sys.stderr.isatty():
                sys.stderr.write("\rround %d of %d " % (n + 1, args.rounds))
        rows = [row for c in cases for row in judged_case(c, rounds[c])]
        save(args, rows, loads)
    if rows:
        show(rows, loads)
    for c, why in missing.items():
        if why:
            print("not run: %s: %s" % (name_of(c), why))


if __name__ == "__main__":
    main()
