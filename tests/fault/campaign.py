#!/usr/bin/env python3
# limit: 3600
"""The fault campaign: each fault meets programs and their ways to files, and one judge
tests every run for the same promises (judge.py). The tables are in cases.py.

    make check-faults                       all of it, under the MPI of this build
    FAULTS=REGEX make check-faults          those whose "fault, program, way" match
    FAULTS_WHOLE=1 make check-faults        each fault with every way: hours
"""
import concurrent.futures
import contextlib
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "e2e")]

import cases  # noqa: E402
import disks  # noqa: E402
from e2e import BUILD, FLAVOUR, Case, fault as fault_environment, runner  # noqa: E402
from judge import LIMIT_S, judge  # noqa: E402

MARK = "LEADLINE_TRIAL"
SURVEY = []  # input of pfmload


def marked(mark):
    """Returns the processes of a trial, whoever is their parent by now."""
    word, found = ("%s=%s" % (MARK, mark)).encode(), []
    for pid in runner.parents():
        try:
            with open("/proc/%d/environ" % pid, "rb") as f:
                if word in f.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            pass
    return found


def in_state(pid, state):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] == state
    except (OSError, IndexError):
        return False


def stopped(pid):
    return in_state(pid, "T")


class Trial(Case):
    """One fault, one program, one way."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.mark = "%d-%d" % (os.getpid(), id(self))

    def runTest(self):
        pass

    # ---- running ---------------------------------------------------------------

    def rank(self):
        """Returns the rank that the shim hits. The library chooses who writes for
        others, and the scheme who writes a PFM."""
        rank = self.c.fault.what.get("rank")
        if "--collective" in self.c.way.args or "collective" in self.c.way.name or \
           self.c.program.name == "pfmload":
            return None
        return self.np() - 1 if rank == -1 else rank

    def np(self):
        return 1 if self.c.way.name == "serial" else self.c.program.np

    def launch(self, *more, line=None, env=None, place=None, **how):
        c = self.c
        args = [*(line or c.program.line), *more, *c.way.args, "--quiet",
                "--io-timeout=%d" % cases.timeout(c.fault)]
        if c.program.name == "pfmload":
            args += SURVEY
        run = self.start(c.program.name, *args, np=self.np(), launcher=c.way.launcher,
                         env=dict(env or {}, **{MARK: self.mark}), dir=place, **how)
        run.place = place or run.dir
        run.begin = time.monotonic()
        run.scale = runner.SCALE
        run.fault_rank = None
        return run

    def ended(self, run):
        run.wait(LIMIT_S)
        run.seconds = time.monotonic() - run.begin
        return run

    def under_way(self, run):
        """Waits until it has made files, and is in the middle of its work."""
        self.until(lambda: run.child.poll() is not None or os.listdir(run.place) and
                   len(run.ranks()) == self.np(), "it runs: %s" % run)
        self.assertIsNone(run.child.poll(), "it has ended: %s" % run)
        run.begin = time.monotonic()  # the promised time counts from the fault on

    def again(self, c, run):
        """Returns the next run in the same folder, without a fault."""
        return self.ended(self.launch(place=run.place))

    def orphans(self):
        """Waits: a process in the kernel's uninterruptible sleep ends when that lets
        go."""
        end = time.monotonic() + 5 * runner.SCALE
        while True:
            left = marked(self.mark)
            asleep = any(in_state(pid, "D") for pid in left)
            if not left or time.monotonic() > end + 15 * asleep:
                return [runner.name_of(pid) for pid in left]
            time.sleep(0.05)

    # ---- making faults -------------------------------------------------------------

    def files(self):
        """Returns the part of the path of files that the shim is for."""
        return "/part-" if self.partitioned() else self.c.program.files

    def partitioned(self):
        return "partitioned" in self.c.way.name

    def preloaded(self, what, rank=None, place=None, **more):
        if self.partitioned():  # a rank's blocks go to its part all at once
            what = re.sub(r":\d+", ":1", what)
        hit = self.rank()
        run = self.launch(place=place, env=fault_environment(
            what, hit, self.files(), FAULT_SECONDS="0.1", **more))
        run.fault_rank = hit
        run.stopped = False
        while ":stop:" in what and run.child.poll() is None and \
                time.monotonic() < run.begin + LIMIT_S * runner.SCALE:
            asleep = [pid for pid in marked(self.mark) if stopped(pid)]
            if asleep:
                run.stopped = True
                time.sleep(0.5)
                runner.send(signal.SIGCONT, asleep)
            time.sleep(0.02)
        return self.ended(run)

    def limited(self, megabytes):
        """Limits the memory of each rank."""
        return self.ended(self.launch(
            line=cases.HUGE[self.c.program.name],
            inside=("sh", "-c", 'ulimit -v %d && exec "$@"' % (megabytes << 10), "sh")))

    def timed(self, seconds):
        """A batch system ends it."""
        return self.ended(self.launch(*self.c.program.endless, before=(
            "timeout", "--preserve-status", "-s", "TERM",
            str(seconds * runner.SCALE))))

    def while_it_runs(self, what, place=None, **more):
        run = self.launch(*self.c.program.endless, place=place,
                          before=more.pop("before", ()))
        self.under_way(run)
        getattr(self, what)(run, **more)
        return self.ended(run)

    def mounted(self, disk, args):
        place = os.path.join(self.tmp, "files")
        os.mkdir(place)
        self.mounts.enter_context(getattr(disks, disk)(place, *args))
        shutil.rmtree(os.path.join(place, "lost+found"), ignore_errors=True)
        return place

    def on_a_disk(self, disk, args, fill=None, act=None, size=None):
        place = self.mounted(disk, args)
        if fill:
            return self.preloaded(fill, place=place,
                                  FAULT_FILL=os.path.join(place, "filler"))
        if act:
            return self.while_it_runs(act, place=place)
        return self.ended(self.launch(place=place, line=size and self.c.program.large))

    def on_passthrough(self, what):
        names = self.files().rpartition("files/")[2]
        cached = ("cached",) if "mmap" in self.c.way.name else ()
        place = self.mounted("passthrough", (what, names, *cached))
        return self.ended(self.launch(place=place))

    # ---- logs of iotrace -----------------------------------------------------------

    def record(self, logs):
        run = self.start("madbench", "64", "3", "--io-only", "--repeat=40", "--quiet",
                         np=self.np(), env={
                             MARK: self.mark, "IOTRACE_BINARY": "true",
                             "IOTRACE_LOGFILE": os.path.join(logs, "log"),
                             "PRELOAD": os.path.join(BUILD, "libiotrace.so")})
        run.begin, run.scale, run.fault_rank = time.monotonic(), runner.SCALE, None
        run.place = logs
        return run

    def recorded(self, disk, args, act=None):
        """Records a program whose log cannot be kept."""
        logs = self.mounted(disk, args)
        run = self.record(logs)
        if act:
            self.until(lambda: os.listdir(logs) or run.child.poll() is not None, "logs")
            getattr(self, act)(run)
        run.place = run.dir
        return self.ended(run)

    def read_cut(self):
        """Reads logs that are cut at every place: [(status, stdout, stderr)]."""
        logs = os.path.join(self.tmp, "logs")
        os.mkdir(logs)
        run = self.ended(self.record(logs))
        log = os.path.join(logs, next(name for name in sorted(os.listdir(logs))
                                      if not name.endswith(".summary")))
        size, run.read = os.path.getsize(log), []
        for cut in [size - 1] + [size * i // 16 for i in range(15, -1, -1)]:
            os.truncate(log, cut)
            read = self.run_program("iotrace", "summary", log, np=0, dir=False,
                                    json=False)
            run.read.append((cut, read))
        run.place = run.dir
        return run

    # ---- events during a run -------------------------------------------------------

    def to_rank(self, run, rank, sig):
        os.kill(sorted(run.ranks())[rank], signal.Signals["SIG" + sig])

    def to_launcher(self, run, sig):
        run.child.send_signal(signal.Signals["SIG" + sig])

    def to_all(self, run, sig):
        runner.send(signal.Signals["SIG" + sig], [run.child.pid] + marked(self.mark))

    def pause_launcher(self, run):
        run.child.send_signal(signal.SIGSTOP)
        time.sleep(1)
        run.child.send_signal(signal.SIGCONT)
        run.child.send_signal(signal.SIGTERM)

    def no_descriptors(self, run):
        for pid in run.ranks():
            hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))

    def until_it_ends(self, run, act):
        """Acts again and again: a single act may fall between two phases unnoticed."""
        while run.child.poll() is None and \
                time.monotonic() < run.begin + LIMIT_S * runner.SCALE:
            act()
            time.sleep(0.02)

    def remove_directory(self, run):
        self.until_it_ends(run, lambda: shutil.rmtree(run.place, ignore_errors=True))

    def truncate(self, run):
        def halve():
            for at, _, names in os.walk(run.place):
                for name in names:
                    with contextlib.suppress(OSError):
                        path = os.path.join(at, name)
                        os.truncate(path, os.path.getsize(path) // 2)
        self.until_it_ends(run, halve)

    def fill_disk(self, run):
        """Takes all space that becomes free."""
        with open(os.path.join(run.place, "filler"), "ab", buffering=0) as filler:
            def take():
                with contextlib.suppress(OSError):
                    while filler.write(bytes(1 << 16)):
                        pass
            self.until_it_ends(run, take)

    def shut_down(self, run):
        disks.shut_down(run.place)

    # ---- the verdict ---------------------------------------------------------------

    def outcome(self):
        """Returns (it is right, the outcome in words, details)."""
        self.setUp()
        run = None
        with contextlib.ExitStack() as self.mounts:
            try:
                f = self.c.fault
                run = getattr(self, f.how)(**f.what)
                return True, judge(self, self.c, run), ""
            except unittest.SkipTest as e:
                return True, "skipped: %s" % e, ""
            except Exception as e:  # each point is a test of its own
                return False, "WRONG", "%s: %s" % (type(e).__name__, e)
            finally:
                runner.send(signal.SIGKILL, marked(self.mark))
                if run:
                    run.child.wait()


def try_one(c):
    trial = Trial(c)
    begin = time.monotonic()
    try:
        return (c, *trial.outcome(), time.monotonic() - begin)
    finally:
        trial.doCleanups()


# ---- all of them -------------------------------------------------------------------


def make_survey(folder):
    case = Trial(None)
    case.tmp = folder
    done = case.run_program("gsfgen", "--files=4", "--pings=30", "--beams=61",
                            "--truth", "--quiet", np=0, json=False, dir=folder)
    assert done.status == 0, done
    SURVEY[:] = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                       if name.endswith(".gsf"))


def name_of(c):
    return "%s, %s, %s" % (c.fault.name, c.program.name, c.way.name)


def table(results):
    """Prints fault x program x MPI -> outcome, and counts of outcomes."""
    counts = {}
    for c, _, outcome, _, _ in results:
        print("# %-26s %-14s %-17s %-8s %s" % (c.fault.name, c.program.name, c.way.name,
                                               FLAVOUR, outcome))
        key = outcome.partition(":")[0]
        counts[key] = counts.get(key, 0) + 1
    for outcome in sorted(counts, key=counts.get, reverse=True):
        print("# %4d %s" % (counts[outcome], outcome))


def remark(outcome):
    """Returns the remark for TAP behind a point's name."""
    return " # SKIP " + outcome[9:] if outcome[:7] == "skipped" else ""


def point(number, result):
    c, holds, outcome, why, seconds = result
    print("%sok %d - %s%s" % ("" if holds else "not ", number, name_of(c),
                              remark(outcome)))
    for line in ["%.1f s, %s" % (seconds, outcome)] + why.splitlines():
        print("#   " + line)


def run(combinations):
    """Prints TAP of all of them; as many run at a time as there are cores."""
    print("1..%d" % len(combinations), flush=True)
    folder = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
    results = []
    try:
        make_survey(folder)
        with concurrent.futures.ThreadPoolExecutor(runner.cores()) as pool:
            for i, result in enumerate(pool.map(try_one, combinations)):
                results.append(result)
                point(i + 1, result)
                sys.stdout.flush()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    table(results)
    return 0 if all(holds for _, holds, _, _, _ in results) else 1


def main():
    only = os.environ.get("FAULTS", "")
    return run([c for c in cases.campaign(bool(os.environ.get("FAULTS_WHOLE")))
                if re.search(only, name_of(c))])


if __name__ == "__main__":
    sys.exit(main())
