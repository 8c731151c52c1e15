#!/usr/bin/env python3
# limit: 900, alone; tier: quick ci
"""Numbers that add up: reports are compared with the accounts of others: the kernel's
counters, the recorder's log, strace's clock, and plain arithmetic."""
import collections
import math
import os
import re
import shutil
import subprocess
import sys
import unittest

from e2e import (ASYNCHRONOUS, ASYNC_METHODS, BUILD, HAVE_SCALAPACK, HDF5, METHODS,
                 TESTS, Case, add, long, main, samples, total)
from loads import SCHEMES, Loads

sys.path.insert(0, os.path.join(TESTS, "iotrace"))
import tracelog  # noqa: E402

RECORDER = os.path.join(BUILD, "libiotrace.so")
MIB = 1 << 20
PROBE = MIB  # written and read by a node's first rank to try the counters
ATTEMPTS = 5
QUICK = bool(os.environ.get("LEADLINE_QUICK"))
COVERAGE_HEADER = 1 << 16  # bytes, of a PFM
FEW = 1 << 14  # bytes of texts, approximately
CLOCKS = 1e-4  # difference between the clocks of the recorder and of phases
CLOCK_S = 1e-6
WORK = ("compute", "communicate", "read", "write", "sync")

# Runs its arguments, and leaves the kernel's counts in io.PID, after the process has
# ended and before the kernel forgets them.
COUNTED = [sys.executable, "-c", """
import os, sys
child = os.fork()
if not child:
    os.execvp(sys.argv[1], sys.argv[1:])
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
with open("/proc/%d/io" % child) as counters, open("io.%d" % child, "w") as out:
    out.write(counters.read())
sys.exit(os.waitpid(child, 0)[1] and 1)
"""]

# Arguments for transfers of 1 MiB.
PROGRAMS = {
    "blocktransfer": ("4M", "--block-size=1M"),
    "madbench": ("512", "4", "--io-only"),
    "ldad": ("perf", "--chunk=1M", "--chunks=4"),
}
NULL = "--iomethod=null"


def moved(report):
    return {act: total(report, act) for act in ("read", "write")}


@unittest.skipUnless(os.path.exists("/proc/self/io"), "the kernel does not count")
class Kernel(Loads):
    """The bytes of a run are those that the kernel counted, minus those of a run that
    moves none. The rest is not the program's: it reads texts of /proc, and the MPI
    library wakes up its threads."""
    COUNTERS = {"read": "rchar", "write": "wchar"}
    PAST_THE_CACHE = {"read": "read_bytes", "write": "write_bytes"}

    def counted(self, program, *args, np=2):
        """Returns (report, counters of all ranks)."""
        done = self.run_program(program, *args, "--quiet", "--no-verify", np=np,
                                inside=COUNTED)
        if "no direct I/O" in done.err or "needs a device" in done.err:
            self.skipTest("no direct I/O here")
        self.assertEqual(done.status, 0, done)
        counters = collections.Counter()
        names = [n for n in os.listdir(done.folder) if n.startswith("io.")]
        self.assertEqual(len(names), np)
        for name in names:
            with open(os.path.join(done.folder, name), encoding="ascii") as f:
                counters.update({key: int(value) for key, value in
                                 (line.split(": ") for line in f)})
        self.assertIs(done.report["valid"], True)
        return done.report, counters

    def differences(self, names, told, counters, idle):
        return {act: counters[name] - idle[name] - PROBE - told[act]
                for act, name in names.items()}

    def by_block(self, program, *options):
        """Compares bytes to the transfer: the rest is less than half of one."""
        args = PROGRAMS[program]
        report, counters = self.counted(program, *args, *options)
        idle = self.counted(program, *args, NULL)[1]
        told = moved(report)
        self.assertGreaterEqual(min(told.values()), 8 * MIB)
        for act, more in self.differences(self.COUNTERS, told, counters, idle).items():
            self.assertLess(abs(more), MIB // 2, (act, told))

    def past_the_cache(self, program, engine):
        """Compares bytes with those that the kernel moved from and to the device. It
        also reads programs that are not in memory: then the test tries once more."""
        args = PROGRAMS[program]
        for _ in range(ATTEMPTS):
            idle = self.counted(program, *args, NULL)[1]
            report, counters = self.counted(program, *args, "--iomethod=" + engine,
                                            "--cache=direct")
            self.assertEqual(report["io"]["cache"], "direct")
            found = self.differences(self.PAST_THE_CACHE, moved(report), counters, idle)
            found["told"] = (total(report, "read", "device_bytes") -
                             moved(report)["read"])
            if max(map(abs, found.values())) < MIB // 2:
                return
        self.fail("the kernel counted so many bytes more: %s" % found)

    def loads_by_block(self, scheme, np):
        """Allows for what both runs read: the survey; and the head of the coverage map,
        which is written with the other texts, as a stream."""
        args = ("--scheme=" + scheme, "--output=o.pfm", *self.survey(2, 200, 121))
        report, counters = self.counted("pfmload", *args, np=np)
        without, idle = self.counted("pfmload", *args, "--iomode=NONE", np=np)
        told = {act: n - moved(without)[act] for act, n in moved(report).items()}
        self.assertGreater(told["write"], 900000)
        found = self.differences(self.COUNTERS, told, counters, idle)
        self.assertLess(abs(found["write"] - COVERAGE_HEADER), FEW)
        self.assertLess(abs(found["read"]), FEW)


# ---- the recorder --------------------------------------------------------------


class Recorded(Loads):
    """The bytes and seconds of a run are those of the calls that the recorder saw."""

    def recorded(self, program, *args, **how):
        """Returns (done, logs of its ranks, which know the ticks of a second)."""
        done = self.run_program(program, *args, "--quiet", "--no-verify", **how,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true",
                                     "IOTRACE_HDF5": "1"})
        if "no direct I/O" in done.err or "needs a device" in done.err:
            self.skipTest("no direct I/O here")
        self.assertEqual(done.status, 0, done)
        logs = [log for log in tracelog.logs(done.folder)
                if log.value("exe").endswith("/" + program)]
        self.assertEqual(len(logs), done.report["mpi"]["ranks"])
        for log in logs:
            self.assertEqual(log.dropped, 0)
            log.second = ((log.ticks[1] - log.ticks[0]) /
                          (log.unix_ns[1] - log.unix_ns[0]) * 1e9)
        return done, sorted(logs, key=lambda log: log.rank)

    @staticmethod
    def transfers(log, folder="/files/"):
        """Returns the program's own transfers of data: side files, texts and reports
        are written with streams, and by a program that is about to start or end."""
        return [e for e in log.events if e.level == 0 and tracelog.bytes_of(e)
                and not e.op.startswith(("f", "getdelim"))
                and (folder in e.file or e.file.endswith(".gsf"))
                and not re.search("/leadline-probe-|/#[0-9]+ |[.]lock$", e.file)]

    def bytes(self, program, *args, calls="", **how):
        """Compares bytes exactly, for calls whose names begin with `calls`. Returns the
        report, and the number of such calls."""
        done, logs = self.recorded(program, *args, **how)
        found, made = collections.Counter(), collections.Counter()
        for log in logs:
            for e in self.transfers(log):
                if e.op.startswith(calls):
                    found[e.klass.lower()] += tracelog.bytes_of(e)
                    made[e.klass.lower()] += 1
        self.assertGreater(found["write"], 0)
        self.assertEqual(found, moved(done.report))
        return done.report, made

    def loads(self, scheme, np, *options):
        """Each call is a transfer, also those of the scan, of items and of scratch
        files."""
        report, made = self.bytes("pfmload", "--scheme=" + scheme, "--output=o.pfm",
                                  *options, *self.survey(2, 200, 121), np=np)
        self.assertEqual(made, {act: total(report, act, "calls") for act in made})

    def regions(self, log):
        """Returns the seconds of the log's regions, in order: phases are regions."""
        begun, found = None, []
        for e in log.events:
            if e.op == "region_begin":
                begun = e.start
            elif e.op == "region_end":
                found.append((e.start - begun) / log.second)
        return found

    def seconds_of_a_load(self, scheme, np):
        self.seconds("pfmload", "--scheme=" + scheme, "--output=o.pfm",
                     *self.survey(2, 200, 121), np=np)

    def seconds(self, program, *args, np=2):
        """Measured times contain the calls, and regions contain the measured times, up
        to two readings of a clock."""
        done, logs = self.recorded(program, *args, np=np)
        for rank, log in enumerate(logs):
            told, took = collections.Counter(), collections.Counter()
            for s in done.report["samples"]:
                told[s["act"]] += s["ranks_s"][rank]
            for e in self.transfers(log):
                took[e.klass.lower()] += e.duration / log.second
            self.assertGreater(took["write"], 0)
            for act in ("read", "write"):
                self.assertLessEqual(took[act], told[act] * (1 + CLOCKS))
            walls = [s["ranks_s"][rank] for s in done.report["samples"]
                     if s["act"] == "wall"]
            regions = self.regions(log)
            self.assertEqual(len(regions), len(walls))
            for wall, region in zip(walls, regions):
                self.assertLessEqual(wall, region * (1 + CLOCKS))


class Agreed(Loads):
    """The report, the recorder and the kernel agree about one run, with any engine, as
    far as their counters see it."""
    CALLS = ("posix", "threads", "aio")  # the kernel counts these as read and write
    counted, differences = Kernel.counted, Kernel.differences

    def told_by_all(self, engine):
        past = engine not in self.CALLS
        names = Kernel.PAST_THE_CACHE if past else Kernel.COUNTERS
        args = "blocktransfer", *PROGRAMS["blocktransfer"]
        how = ("--iomethod=" + engine,
               "--cache=" + ("direct" if past and engine != "mmap" else "flush"))
        for _ in range(ATTEMPTS):
            idle = self.counted(*args, NULL)[1]
            report, counters = self.counted(*args, *how)
            told = moved(report)
            self.assertEqual(told, {"read": 8 * MIB, "write": 8 * MIB})
            self.recorded_bytes(engine, told)
            found = self.differences(names, told, counters, idle)
            if engine == "mmap" and not all(s["device_bytes"] for s in
                                            samples(report, "read")):
                self.skipTest("there is no device that counts")
            if max(map(abs, found.values())) < MIB // 2:
                return
        self.fail("the kernel counted so many bytes more: %s" % found)

    def run_program(self, program, *args, **how):
        self.run = super().run_program(program, *args, **how, env={
            "PRELOAD": RECORDER, "IOTRACE_BINARY": "true", "IOTRACE_MMAP": "no",
            "UCX_MEM_EVENTS": "no"})  # UCX takes mmap away from preloaded libraries
        return self.run

    def recorded_bytes(self, engine, told):
        """Compares bytes exactly. The recorder sees the mapping of a mapped file, in
        windows, and no transfer."""
        found, maps = collections.Counter(), 0
        for log in tracelog.logs(self.run.folder):
            if not log.value("exe").endswith("/blocktransfer"):
                continue
            for e in Recorded.transfers(log):
                found[e.klass.lower()] += tracelog.bytes_of(e)
            maps += sum(e.op == "mmap" and "/files/blocktransfer-" in e.file
                        for e in log.events)
        self.assertEqual(found, {} if engine == "mmap" else told)
        # Each of two ranks tries a page and maps a window, to write and to read.
        self.assertGreaterEqual(maps, 8 if engine == "mmap" else 0)


# ---- arithmetic ------------------------------------------------------------------


def phases(report):
    """Returns the report's samples, phase by phase: {activity: sample}, "wall" the
    last."""
    found = [{}]
    for s in report["samples"]:
        found[-1][s["act"]] = s
        if s["act"] == "wall":
            found.append({})
    return found[:-1]


def slowest(phase, *acts):
    """Returns the largest of the ranks' sums of seconds."""
    rows = [phase[act]["ranks_s"] for act in acts if act in phase]
    return max(map(sum, zip(*rows))) if rows else 0.0


def figures_at(report, name):
    """Returns figures in the order of the sweep."""
    return [f for f in report["figures"] if f["name"] == name and f["at"]]


def nbytes(phase, *acts):
    return sum(phase[act]["bytes"] for act in acts if act in phase)


# Figures of one phase, and of several: bytes, seconds.
RATES = {
    "read_MBps": (("read",), ("read",)),
    "write_MBps": (("write",), ("write", "sync")),
    "phase_MBps": (("read", "write"), ("wall",)),
}
SECONDS = {"wall_s": ("wall",), "compute_s": ("compute",),
           "t_io_s": WORK, "t_comp_s": WORK, "t_both_s": WORK}
PASSES = {"t_io_s": "-io", "t_comp_s": "-comp"}


class Arithmetic(Loads):
    """Sums in a report follow from its values of single ranks."""
    LIMIT = 120

    def adds_up(self, report):
        ranks = report["mpi"]["ranks"]
        lanes = report["mpi"]["lanes"] > 1
        end = 0.0
        for phase in phases(report):
            for s in phase.values():
                self.sample(s, ranks, lanes)
            self.parts(phase, ranks, lanes)
            wall = phase["wall"]
            self.assertGreaterEqual(wall["start_s"], end - CLOCK_S)
            end = wall["start_s"] + wall["ranks_s"][0]
        self.assertLessEqual(end, report["run"]["wall_s"] + CLOCK_S)
        self.assertLess(report["checks"]["split_error"], 1e-9)
        return self.figures(report)

    def sample(self, s, ranks, lanes):
        """A rank's seconds are its slowest lane's; the others count in the mean."""
        self.assertEqual(len(s["ranks_s"]), ranks)
        self.assertEqual(s["max_s"], max(s["ranks_s"]))
        self.assertEqual(s["max_rank"], s["ranks_s"].index(s["max_s"]))
        if lanes:
            self.assertLessEqual(s["min_s"], min(s["ranks_s"]))
            self.assertLessEqual(s["min_s"] - 1e-9, s["mean_s"])
            self.assertLessEqual(s["mean_s"], s["max_s"] + 1e-9)
        else:
            self.assertEqual(s["min_s"], min(s["ranks_s"]))
            self.assertAlmostEqual(s["mean_s"] * ranks, sum(s["ranks_s"]), 9)
        if s["latency"]:
            self.assertEqual(sum(n for _, n in s["latency"]["hist"]), s["calls"])
            for field in ("calls", "bytes"):
                self.assertEqual(sum(s["series"][field]), s[field])
            self.assertEqual(max(s["series"]["max_s"]), s["latency"]["max_s"])
        elif s["act"] in ("open_close", "sync"):
            ops = s.get("ops", {})
            self.assertEqual(sum(op["calls"] for op in ops.values()), s["calls"])
            for op in ops.values():
                self.assertEqual(sum(n for _, n in op["hist"]), op["calls"])
                self.assertLessEqual(op["seconds"], sum(s["ranks_s"]) + 1e-9)

    def parts(self, phase, ranks, lanes):
        """Eight activities make up the whole, on each rank and over all. Each activity
        has another slowest lane of a rank."""
        parts = [s for act, s in phase.items() if act != "wall"]
        for rank in range(ranks):
            whole = phase["wall"]["ranks_s"][rank]
            summed = sum(s["ranks_s"][rank] for s in parts)
            if lanes:
                self.assertGreaterEqual(summed, whole - 1e-8)
            else:
                self.assertAlmostEqual(summed, whole, 8)
        self.assertAlmostEqual(sum(s["mean_s"] for s in parts),
                               phase["wall"]["mean_s"], 8)
        for field in ("calls", "bytes"):
            self.assertEqual(sum(s[field] for s in parts), phase["wall"][field])

    def figures(self, report):
        """Checks rates and seconds against samples; returns how many there were."""
        of = collections.defaultdict(list)
        for phase in phases(report):
            of[phase["wall"]["rep"], phase["wall"]["phase"]].append(phase)
        known = 0
        for f in report["figures"]:
            name = f["name"].rpartition(".")
            for rep, value in enumerate(f["reps"], 1):
                wanted = self.wanted(of, rep, name[0], name[2], f["at"])
                if wanted is not None and value is not None:
                    known += 1
                    self.assertAlmostEqual(value / wanted, 1, 9, (f["name"], rep))
        return known

    @staticmethod
    def wanted(of, rep, phase, name, at):
        """Returns a figure's value, or None if it is of another kind."""
        some = [p for (r, of_phase), same in of.items() for p in same[-1:]
                if r == rep and (of_phase == phase + PASSES.get(name, "") if phase
                                 else "-" not in of_phase and of_phase != "check")]
        if at or not some:
            return None
        if name in RATES:
            acts, timed = RATES[name]
            seconds = sum(slowest(p, *timed) for p in some)
            return sum(nbytes(p, *acts) for p in some) / seconds / 1e6
        if name in SECONDS:
            return sum(slowest(p, *SECONDS[name]) for p in some)
        return None

    def one_run(self, program, *args, np=2, figures=8):
        done = self.run_program(program, *args, "--quiet", "--repeat=2", np=np)
        self.assertEqual(done.status, 0, done)
        self.assertGreaterEqual(self.adds_up(done.report), figures)
        return done.report

    def load(self, scheme, np, *args):
        report = self.one_run("pfmload", "--scheme=" + scheme, "--output=o.pfm", *args,
                              *self.survey(), np=np)
        of = {f["name"]: f["reps"] for f in report["figures"]}
        for rep in 0, 1:
            self.assertAlmostEqual(of["soundings"][rep] / of["wall_s"][rep] /
                                   of["soundings_per_s"][rep], 1, 9)

    def busy_work(self, gangs, alpha, *flops):
        """Checks the operations of S, W and C for each of 4 matrices, twice, for any
        number of ranks. Ranks round to whole operations."""
        report = self.one_run("madbench", "64", "4", gangs, "--io-only", *alpha)
        done, = report["results"]["busy_flops"]
        self.assertLess(abs(done - 2 * 4 * sum(flops)), 2 * 4 * 3 * 2)

    def test_alpha_sweep(self):
        """For each value, the unchecked passes are the later ones."""
        report = self.one_run("madbench", "128", "4", "--alpha-sweep=0.5:0.7:0.1",
                              figures=0)
        for f in report["figures"]:
            if f["at"]:
                for rep, value in enumerate(f["reps"], 1):
                    self.assertAlmostEqual(
                        value, self.of_alpha(report, f, rep),
                        delta=1e-9 * max(1, value))

    @staticmethod
    def of_alpha(report, figure, rep):
        def some(mode):
            return [p for p in phases(report) if p["wall"]["rep"] == rep
                    and p["wall"]["at"] == figure["at"]
                    and p["wall"]["phase"].endswith(mode)][-3:]

        def visible(p):
            return slowest(p, "read", "write", "sync")

        def seconds(mode):
            return sum(map(visible, some(mode)))

        def rate(mode):
            return (sum(nbytes(p, "read", "write") for p in some(mode)) /
                    seconds(mode) / 1e6)
        most = sum(min(visible(alone), slowest(sync, "compute")) * (1 - 1 / 4)
                   for alone, sync in zip(some("-io"), some("-sync")))
        return {
            "compute_s": lambda: sum(slowest(p, "compute") for p in some("-sync")),
            "sync_MBps": lambda: rate("-sync"),
            "alone_MBps": lambda: rate("-io"),
            "async_MBps": lambda: rate("-async"),
            "concurrency": lambda: seconds("-sync") / seconds("-io"),
            "hidden": lambda: 1 - seconds("-async") / seconds("-io"),
            "hidden_most": lambda: most / seconds("-io"),
        }[figure["name"]]()

    @unittest.skipIf(QUICK, "left out by LEADLINE_QUICK")
    def phases_fill_the_run(self, program, *args):
        """Phases fill the time from the first to the last, with requests of 100 ms. The
        machine may be busy with other work in between: then the test tries once
        more."""
        for _ in range(ATTEMPTS):
            done = self.run_program(program, *args, "--iomethod=null:delay_us=100000",
                                    "--no-verify", "--quiet")
            self.assertEqual(done.status, 0, done)
            self.adds_up(done.report)
            walls = [p["wall"] for p in phases(done.report)]
            span = (walls[-1]["start_s"] + walls[-1]["ranks_s"][0] -
                    walls[0]["start_s"])
            inside = sum(w["ranks_s"][0] for w in walls)
            if inside > 0.99 * span:
                return
        self.fail("%.4f s of %.4f s are in phases" % (inside, span))


# ---- overlap with known delays -----------------------------------------------------


class Pipeline:
    """The time of madbench's I/O mode if a request takes `delay`, whatever else is in
    flight, and each bin's work `work`: as in MADbench2, a bin is read ahead, and a
    write begins when the one before has ended."""

    def __init__(self, bins, delay, work):
        self.bins, self.delay, self.work = bins, delay, work
        self.written = 0.0

    def work_and_write(self, now):
        now = max(now + self.work, self.written)
        self.written = now + self.delay
        return now

    def S(self):
        now = 0.0
        for _ in range(self.bins):
            now = self.work_and_write(now)
        return max(now, self.written)

    def reading(self, then):
        now, arrives = 0.0, self.delay
        for _ in range(self.bins):
            now = max(now, arrives)
            arrives = now + self.delay
            now = then(now)
        return max(now, self.written)

    def W(self):
        return self.reading(self.work_and_write)

    def C(self):
        return self.reading(lambda now: now + self.work)


@unittest.skipIf(QUICK, "left out by LEADLINE_QUICK")
class Overlap(Case):
    BINS, DELAY_S, WORK_S = 32, 0.04, 0.02
    NPIX = 64

    # Other processes get the processor only when this one does not need it, if that is
    # possible.
    ALONE = ("chrt", "--fifo", "1")

    def setUp(self):
        super().setUp()
        done = subprocess.run([*self.ALONE, "true"], stderr=subprocess.DEVNULL,
                              check=False)
        if done.returncode:
            self.ALONE = ()

    @staticmethod
    def measured(report, name):
        return {p["wall"]["phase"][0]: p for p in phases(report)
                if p["wall"]["phase"] == p["wall"]["phase"][0] + name}

    def alpha(self, work_s):
        """Returns the alpha for which a bin's work takes so long on this machine
        now."""
        report = self.good(self.madbench("64", "2", "--io-only", np=1,
                                         inside=self.ALONE))
        rate = report["results"]["busy_flops_per_s"][0]
        return math.log(rate * work_s) / math.log(self.NPIX ** 2)

    def differences(self, report):
        """Returns, by phase, the difference between the reported overlap and that of
        the pipeline with the seconds of work in each pass."""
        told = {f["name"]: f["median"] for f in report["figures"]}
        found = {}
        for phase in "SWC":
            alone, both = (slowest(self.measured(report, name)[phase], "compute")
                           for name in ("-comp", ""))
            io = getattr(Pipeline(self.BINS, self.DELAY_S, 0.0), phase)()
            together = getattr(Pipeline(self.BINS, self.DELAY_S, both / self.BINS),
                               phase)()
            found[phase] = (told[phase + ".overlap"] -
                            (io + alone - together) / min(io, alone))
        return found

    @long
    def test_delays(self):
        """It holds within 2 %. A machine may stop now and then: each phase has several
        tries."""
        alpha = self.alpha(self.WORK_S)
        apart = dict.fromkeys("SWC", math.inf)
        for _ in range(ATTEMPTS):
            report = self.good(self.madbench(
                str(self.NPIX), str(self.BINS), "--iomode=ASYNC", "--overlap",
                "--bwexp=%.6f" % alpha, "--no-verify",
                "--iomethod=null:delay_us=%d" % (self.DELAY_S * 1e6), np=1,
                inside=self.ALONE))
            for phase, found in self.differences(report).items():
                apart[phase] = min(apart[phase], abs(found))
            if max(apart.values()) < 0.02:
                return
        self.fail("overlap differs from the pipeline's by %s" % apart)

    # By hand, for 32 bins: if the work w of a bin is less than the delay d, S waits 32
    # d - 31 w in all and not 32 d, W 33 d - 31 w, C 32 d - 31 w. If it is more, they
    # wait 1, 2 and 1 d.
    GAIN = 31
    WITHOUT = 32 + 33 + 32

    def sweep(self, delay_s, *alphas):
        return self.good(self.madbench(
            str(self.NPIX), str(self.BINS), "--alpha-sweep=%.9f:%.9f:%.9f" % alphas,
            "--no-verify", "--iomethod=null:delay_us=%d" % (delay_s * 1e6), np=1,
            inside=self.ALONE))

    def by_hand(self, report, at, delay_s):
        gain = 0
        for p in phases(report):
            if p["wall"]["at"] == at and p["wall"]["phase"].endswith("-async"):
                work = slowest(p, "compute") / self.BINS
                gain += self.GAIN * min(work, delay_s)
        return gain / (self.WITHOUT * delay_s)

    @long
    def test_hidden_by_hand(self):
        """Work is an eighth, a half and twice the delay; it holds within 2 %."""
        delay, step = 0.02, math.log(4) / math.log(self.NPIX ** 2)
        middle = self.alpha(delay / 2)
        apart = [math.inf] * 3
        for _ in range(ATTEMPTS):
            report = self.sweep(delay, middle - step, middle + 1.01 * step, step)
            told = figures_at(report, "hidden")
            self.assertEqual(len(told), 3)
            for i, f in enumerate(told):
                away = f["median"] - self.by_hand(report, f["at"], delay)
                apart[i] = min(apart[i], abs(away))
            if max(apart) < 0.02:
                return
        self.fail("hidden differs from what it must be by %s" % apart)

    def test_nothing_is_hidden_behind_nothing(self):
        """It holds however much several transfers in flight gain over one."""
        most = [math.inf] * 3
        for _ in range(ATTEMPTS):
            report = self.sweep(0.005, 0, 0.21, 0.1)
            for i, (f, bound) in enumerate(zip(figures_at(report, "hidden"),
                                               figures_at(report, "hidden_most"))):
                most[i] = min(most[i], max(abs(f["median"]), bound["median"]))
            for f in figures_at(report, "concurrency"):
                self.assertGreater(f["median"], 1.2)
            if max(most) < 0.02:
                return
        self.fail("without computation %s is hidden" % most)


# ---- strace ------------------------------------------------------------------------

CALLS = """
import os, sys
fd = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for i in range(10):
    os.pwrite(fd, b"x" * 4096, i * 4096)
    os.fsync(fd)
    os.pread(fd, 4096, i * 4096)
"""


class Strace(Case):
    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_durations(self):
        """Both clocks see that calls of 20 ms take that long: the recorder's runs a
        little longer, as it is outside of strace's."""
        slow = self.path("slow")
        names = "pread64,pwrite64,fsync"
        done = self.run_program(
            "strace", "-f", "-T", "-o", "strace", "-P", slow, "-e", "trace=" + names,
            "-e", "inject=%s:delay_enter=20000" % names, "env",
            "LD_PRELOAD=" + RECORDER, "IOTRACE_BINARY=true", "python3", "-c", CALLS,
            slow, np=0, dir=False, json=False)
        if done.status:
            self.skipTest("strace does not run here: %s" % done.err[-200:])
        with open(os.path.join(done.folder, "strace"), encoding="utf-8") as f:
            theirs = [float(t) for t in re.findall(r"<(\d+\.\d+)>$", f.read(), re.M)]
        log, = [log for log in tracelog.logs(done.folder)
                if any(e.file == slow for e in log.events)]
        second = ((log.ticks[1] - log.ticks[0]) /
                  (log.unix_ns[1] - log.unix_ns[0]) * 1e9)
        ours = [e.duration / second for e in log.events
                if e.op in ("pread", "pwrite", "fsync")]
        self.assertEqual(len(ours), 30)
        self.assertEqual(len(theirs), 30)
        ratios = sorted(a / b for a, b in zip(ours, theirs))
        self.assertGreater(ratios[0], 0.999)
        self.assertLess(ratios[15], 1.02, ratios)


for name in PROGRAMS:
    add(Kernel, name, "by_block", name, "--iomethod=POSIX")
    add(Kernel, name + "_threads", "by_block", name, "--iomethod=threads")
for name in ("blocktransfer", "madbench"):
    for engine in ASYNCHRONOUS:
        if engine != "threads":
            add(Kernel, "%s_%s" % (name, engine), "past_the_cache", name, engine)
for engine in ("posix", "mmap", *ASYNCHRONOUS):
    add(Agreed, engine, "told_by_all", engine)
for scheme, np_ in (("serial", 1), ("G", 2)):
    add(Kernel, "pfmload_" + scheme, "loads_by_block", scheme, np_)

BLOCKS = ("4M", "--block-size=100k")
for name, method, launcher_ in METHODS + HDF5 + ASYNC_METHODS[:len(ASYNCHRONOUS)]:
    # HDF5's own calls write beside data.
    setattr(Recorded, "test_bytes_of_blocktransfer_" + name,
            lambda self, m=method, la=launcher_, c="H5D" if name == "hdf5" else "":
            self.bytes("blocktransfer", *BLOCKS, *m, "--filetype=SHARED", calls=c,
                       launcher=la))
for workload in (("perf", "--chunk=12k", "--chunks=5"), ("fft", "--points=2048"),
                 ("jacobi", "--rows=67", "--columns=45", "--sweeps=3"),
                 ("mandelbrot", "--width=301", "--height=101")):
    add(Recorded, "bytes_of_ldad_" + workload[0], "bytes", "ldad", *workload)
for scheme, (_, ranks_) in SCHEMES.items():
    if scheme != "per_sounding":
        add(Recorded, "bytes_of_pfmload_" + scheme, "loads",
            scheme.replace("_", "-"), ranks_[0] or 1)
    if scheme in ("serial", "F", "G"):
        add(Recorded, "scratch_of_pfmload_" + scheme, "loads", scheme, ranks_[0] or 1,
            "--memory=1M")
for scheme, ranks_, engine, mode in (("serial", 1, "uring", "ASYNC"),
                                     ("G", 2, "uring", "SYNC"),
                                     ("F", 3, "threads", "ASYNC")):
    if engine in ASYNCHRONOUS:
        add(Recorded, "direct_of_pfmload_" + scheme, "loads", scheme, ranks_,
            "--memory=1M", "--cache=direct", "--iomethod=" + engine,
            "--iomode=" + mode)
add(Recorded, "seconds_of_blocktransfer", "seconds", "blocktransfer", *BLOCKS)
add(Recorded, "seconds_of_madbench", "seconds", "madbench", "256", "4", "--io-only")
add(Recorded, "seconds_of_pfmload", "seconds_of_a_load", "serial", 1)
add(Recorded, "seconds_of_ldad", "seconds", "ldad", "perf", "--chunk=64k",
    "--iomethod=POSIX")

for name, args_ in (
        ("blocktransfer", ("blocktransfer", "4M", "--block-size=64k")),
        ("blocktransfer_async", ("blocktransfer", "4M", "--block-size=64k",
                                 "--iomode=ASYNC", "--depth=4")),
        ("blocktransfer_mpi", ("blocktransfer", "4M", "--iomethod=MPI")),
        ("madbench", ("madbench", "128", "4", "--io-only", "--bwexp=0.9")),
        ("madbench_async", ("madbench", "128", "4", "--io-only", "--iomode=ASYNC")),
        ("madbench_overlap", ("madbench", "128", "4", "--io-only", "--iomode=ASYNC",
                              "--overlap")),
        ("ldad_perf", ("ldad", "perf", "--chunk=12k", "--chunks=5")),
        ("ldad_fft", ("ldad", "fft", "--points=2048", "--chunk=4k"))):
    add(Arithmetic, name, "one_run", *args_)
for gangs, remaps in (1, 0), (2, 1):  # per matrix; in C all gangs share the work
    add(Arithmetic, "busy_work_%d_gangs" % gangs, "busy_work", str(gangs), (), 64 ** 2,
        64 ** 3 + remaps * 64 ** 2, 64 ** 2 / gangs)
    add(Arithmetic, "busy_work_alpha_%d_gangs" % gangs, "busy_work", str(gangs),
        ("--bwexp=1.4",), *[64 ** 2.8 * n for n in (1, 1 + remaps, 1 / gangs)])
if HAVE_SCALAPACK:
    add(Arithmetic, "madbench_full", "one_run", "madbench", "64", "2")
for scheme, (_, ranks_) in SCHEMES.items():
    if scheme != "per_sounding":
        add(Arithmetic, "pfmload_" + scheme, "load", scheme.replace("_", "-"),
            ranks_[0] or 1)
add(Arithmetic, "pfmload_area", "load", "G", 3, "--area-filter=3")
for args_ in (("blocktransfer", "16M", "--block-size=1M"),
              ("madbench", "64", "8", "--io-only"),
              ("ldad", "perf", "--chunk=64k", "--chunks=16")):
    add(Arithmetic, args_[0] + "_phases_fill_the_run", "phases_fill_the_run", *args_)

if __name__ == "__main__":
    main()
