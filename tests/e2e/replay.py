#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""replay: does what a skeleton says, and nothing else. The skeleton of a traced replay
is the one that it replayed; reads return what was written; a damaged skeleton gives a
sentence."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

from e2e import (BUILD, Case, add, any_mpi, fault, long, main, read_json, read_text,
                 run_text, runner, total, write_file)
from fake_log import CLASS, EPOCH, NUMBER, OPS, Log

from leadline.skeleton import skeleton

RECORDER = os.path.join(BUILD, "libiotrace.so")
IOTRACE = os.path.join(BUILD, "iotrace")
MAD = ("madbench", "256", "4", "--io-only")
PROGRAMS = {
    "madbench": MAD,
    "madbench_shared": (*MAD, "--filetype=SHARED"),
    "madbench_mpi": (*MAD, "--iomethod=MPI", "--filetype=SHARED"),
    "madbench_collective": (*MAD, "--iomethod=MPI", "--filetype=SHARED",
                            "--collective"),
    "perf": ("ldad", "perf", "--chunk=12k", "--chunks=5"),
    "mandelbrot": ("ldad", "mandelbrot", "--width=301", "--height=101",
                   "--iterations=50"),
    "jacobi": ("ldad", "jacobi", "--rows=67", "--columns=45", "--sweeps=5",
               "--chunk=2k"),
    "fft": ("ldad", "fft", "--points=2048", "--chunk=4k"),
}


HALO = ("ldad", "jacobi", "--rows=256", "--columns=64", "--sweeps=2", "--chunk=2k")
LEADLINE = os.path.join(BUILD, "python", "leadline", "leadline")
LEVELS = ("POSIX", "stdio", "MPI-IO")  # levels that replay does
TOKENS = re.compile(r"\s*(?:(\d+)|(\()|(\)))(?:x(\d+))?")  # of an order


def unfolded(steps):
    """Returns an order without its loops, as a list of numbers."""
    stack = [[]]
    for number, opens, closes, times in TOKENS.findall(steps):
        if opens:
            stack.append([])
        else:
            items = stack.pop() if closes else [int(number)]
            stack[-1] += items * int(times or 1)
    return stack[0]


def asked(found, phase):
    """Returns a phase's requests that replay makes, independent of the numbers of files
    and steps and the names of calls."""
    moves = [t for t in found.transfers if t["plans"] and t["level"] in LEVELS]
    placed = {t["file"] for t in moves}
    steps = [t for t in moves if t["phase"] == phase]
    steps += [c for c in found.calls if c["phase"] == phase and "step" in c
              and c["file"] in placed]
    files, numbers, rows = {}, {}, []
    for t in sorted(steps, key=lambda t: t["step"]):
        numbers[t["step"]] = len(numbers)
        way = t["level"], t.get("collective", False), t.get("buffer", 0)
        calls = t["calls"] - t.get("empty", 0) - t.get("unplaced", {}).get("calls", 0)
        rows.append((files.setdefault(t["file"], len(files)), way,
                     t.get("direction", t["call"] == "fflush" and "flush" or "sync"),
                     t["ranks"], calls, t["bytes"], t.get("plans", [])))
    order = []
    for o in found.phases[phase]["order"]:
        mine = [numbers[step] for step in unfolded(o["steps"]) if step in numbers]
        if mine:
            order.append((o["first_rank"], o["rank_step"], o["ranks"], mine))
    return rows, order


def asked_bytes(found):
    """Returns the bytes of transfers with a place that replay makes."""
    moved = {"read": 0, "write": 0}
    for t in found.transfers:
        if t["level"] in LEVELS and (t["plans"] or "drawn" in t):
            unplaced = t.get("unplaced", {}).get("bytes", 0)
            moved[t["direction"]] += t["bytes"] - unplaced
    return moved


class Replays(Case):
    def skeleton_of(self, done):
        run = os.path.join(done.folder, "run")
        path = os.path.join(done.folder, "skeleton.json")
        os.mkdir(run)
        for log in glob.glob(os.path.join(done.folder, "*_log.bin")):
            shutil.move(log, run)
        subprocess.check_output((IOTRACE, "ldad", run, "--skeleton=" + path),
                                stderr=subprocess.STDOUT)
        return path

    def traced(self, program, *args, np=2, **how):
        done = self.run_program(program, *args, "--quiet", np=np,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true"},
                                **how)
        self.assertEqual(done.status, 0, done)
        return done, self.skeleton_of(done)

    def phases(self, found):
        """Returns the phases with transfers that replay makes."""
        return [n for n in range(len(found.phases))
                if any(t["phase"] == n and t["plans"] and t["level"] in LEVELS
                       for t in found.transfers)]

    def fixed(self, program, np):
        self.fixed_of(*PROGRAMS[program], np=np)

    def fixed_of(self, *line, np=2):
        self.again(self.traced(*line, np=np)[1], np)

    def again(self, path, np):
        done, again = self.traced("replay", path, "--as-recorded", np=np)
        self.good(done)
        origin, got = skeleton.load(path), skeleton.load(again)
        mine = [n for n in self.phases(got) if got.phases[n]["region"]]
        mine = mine[len(mine) - len(self.phases(origin)):]  # "prepare" may come before
        theirs = self.phases(origin)
        self.assertEqual(len(mine), len(theirs))
        for a, b in zip(theirs, mine):
            self.assertEqual(asked(origin, a), asked(got, b), "phase %d" % a)
        moved = {way: total(done.report, way) - total(done.report, way, phase="prepare")
                 for way in ("read", "write")}
        self.assertEqual(moved, asked_bytes(origin))

    def test_fixed_point_of_a_load(self):
        """Several files have one name with different digits, and ranks differ."""
        run = self.run_program("gsfgen", "--files=4", "--pings=60", "--beams=60",
                               json=False)
        self.assertEqual(run.status, 0, run)
        lines = sorted(glob.glob(os.path.join(run.dir, "*.gsf")))
        self.fixed_of("pfmload", "-s", "G", "-o", "OUT.pfm", *lines)

    def test_fixed_point_of_another_program(self):
        """It is HDF5's benchmark, without MPI, with a file's own position."""
        if not shutil.which("h5perf_serial"):
            self.skipTest("there is no h5perf_serial (package hdf5-tools)")
        done = self.run_program(
            "h5perf_serial", "-A", "posix", "-e", "64K", "-x", "16K", "-i", "1", np=0,
            dir=False, json=False,
            env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true"})
        self.again(self.skeleton_of(done), 1)

    def of_library(self, program, np, within, calls):
        """Checks a library's transfers within calls without a place."""
        done = self.run_program(
            os.path.join(BUILD, "tests", "iotrace", program), "file", np=np, dir=False,
            json=False, env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true",
                             "IOTRACE_HDF5": "1"})
        self.assertEqual(done.status, 0, done)
        path = self.skeleton_of(done)
        found = skeleton.load(path)
        steps = [t for t in found.transfers if t["plans"]]
        self.assertEqual({t["within"] for t in steps}, {within})
        self.assertEqual({c["call"] for c in found.calls if c["level"] == within
                          and c["bytes"]}, calls)
        self.again(path, max(np, 1))
        return steps

    def test_fixed_point_of_views(self):
        """The blocks of ranks are columns; the calls below move rows of all."""
        steps = self.of_library("views", 2, "MPI-IO",
                                {"MPI_File_write_all", "MPI_File_read_all"})
        moved = {way: sum(t["bytes"] for t in steps if t["direction"] == way)
                 for way in ("write", "read")}
        self.assertEqual(moved["write"], 2 * 24 * 20 * 4)
        self.assertGreaterEqual(moved["read"], moved["write"])  # gaps may be read, too

    @long
    def test_fixed_point_of_libraries(self):
        self.of_library("views", 4, "MPI-IO",
                        {"MPI_File_write_all", "MPI_File_read_all"})
        if os.path.exists(os.path.join(BUILD, "tests", "iotrace", "hdf5_levels")):
            self.of_library("hdf5_levels", 0, "HDF5",
                            {"H5Dwrite", "H5Dread", "H5Awrite", "H5Aread"})

    def of_streams(self, *line):
        """Runs a program without MPI, in the folder of its files."""
        done = self.run_program(*line, np=0, dir=False, json=False,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true"})
        self.assertEqual(done.status, 0, done)
        path = self.skeleton_of(done)
        self.again(path, 1)
        return skeleton.load(path)

    def lines(self, n):
        return self.text("".join("%d\n" % (k * k) for k in range(n)))

    def test_fixed_point_of_streams(self):
        """sed reads lines of many sizes, and flushes each one that it writes."""
        out = os.path.join(tempfile.mkdtemp(dir=self.tmp), "out")
        found = self.of_streams("sed", "-u", "-n", "w " + out, self.lines(500))
        moved = {t["direction"]: t["calls"] - t.get("empty", 0) for t in found.transfers
                 if t["plans"] and t["level"] == "stdio"}
        self.assertEqual(moved["read"], 500)
        self.assertGreaterEqual(moved["write"], 500)
        self.assertGreaterEqual(max(c["calls"] for c in found.calls if "step" in c
                                    and c["call"] == "fflush"), 500)

    @long
    def test_fixed_point_of_more_streams(self):
        """There are large reads, and a linker's reads and writes in any order."""
        out = os.path.join(tempfile.mkdtemp(dir=self.tmp), "out")
        self.of_streams("sort", "-o", out, self.lines(20000))
        if shutil.which("ld") and shutil.which("objcopy"):
            blob = out + ".o"
            subprocess.check_call(("ld", "-r", "-b", "binary", "-o", blob,
                                   self.lines(20000)))
            self.of_streams("ld", "-r", "-o", out, blob)

    def test_streams_of_ranks(self):
        """Ranks write in turn, flush, and read what the others wrote."""
        path = self.streams(transfers__0__buffer=1, transfers__1__buffer=7000)
        _, first = self.traced("replay", path, "--as-recorded")
        moved = [(t["level"], t["direction"], t["calls"], t["buffer"])
                 for t in skeleton.load(first).transfers if "buffer" in t]
        self.assertEqual(moved, [("stdio", "write", 20, 1),
                                 ("stdio", "read", 20, 7000)])
        self.again(first, 2)
        self.good(self.replay(self.streams(), "--iomethod=stdio:buffer=3000"))
        self.refused(self.replay(path, "--iomethod=stdio", "--threads=2", json=False),
                     "keeps bytes in memory")

    @long
    def test_fixed_point_without_regions(self):
        """Phases are found at pauses and at opens that all ranks make; what repeats is
        one phase with all between."""
        done = self.run_program(
            os.path.join(BUILD, "tests", "iotrace", "unmarked"), np=2, dir=False,
            json=False, env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true"})
        self.assertEqual(done.status, 0, done)
        path = self.skeleton_of(done)
        found = skeleton.load(path)
        self.assertEqual({p["region"] for p in found.phases}, {False})
        moved = [[(t["call"], t["calls"]) for t in found.transfers if t["phase"] == n
                  and t["plans"]] for n in self.phases(found)]
        self.assertEqual(moved, [[("MPI_File_write_at_all", 8)] * 3,
                                 [("MPI_File_read_at_all", 8)],
                                 [("write", 12)], [("pread", 12)]])
        self.again(path, 2)

    def predicted(self, *line, np):
        """Runs with 2 and 4 ranks predict, call by call, one with `np`."""
        two, four, real = (self.traced(*line, np=n)[1] for n in (2, 4, np))
        path = os.path.join(os.path.dirname(real), "predicted.json")
        said = subprocess.run(
            (LEADLINE, "skeleton", two, four, "--np=%d" % np, "--check=" + real,
             "--output=" + path), stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("has the same: ", said.stderr)
        self.good(self.replay(path, "--as-recorded", np=np))

    def test_prediction_of_jacobi(self):
        self.predicted(*HALO, np=8)

    @long
    def test_prediction_of_more(self):
        self.predicted(*HALO, np=16)
        for np in (8, 16):
            self.predicted(*MAD, np=np)
            self.predicted(*PROGRAMS["madbench_collective"], np=np)

    def test_library(self):
        paths = glob.glob(os.path.join(os.environ["top_srcdir"], "scripts", "skeletons",
                                       "*.json"))
        self.assertEqual(len(paths), 8)
        for path in paths:
            done = self.replay(path, "--as-recorded", "--dry-run", "--ranks=4", np=0)
            self.assertEqual(done.status, 0, done)
            found = skeleton.load(path)
            for way, size in asked_bytes(found).items():
                rest = sum(t["drawn"]["bytes"] % t["drawn"]["calls"] for t in
                           found.transfers if t["direction"] == way and "drawn" in t)
                self.assertEqual(done.report[way + "_bytes"], size - rest, path)

    # ---- contents of files -------------------------------------------------------

    def made(self, **changes):
        """Makes a skeleton of one phase: two ranks write in turn, then read the
        other's."""
        def transfer(step, way, shift):
            return {"step": step, "phase": 0, "file": "file-1", "call": "p" + way,
                    "level": "POSIX", "ranks": 2, "calls": 20, "bytes": 20 * 1001,
                    "direction": way, "plans": [
                        {"first_rank": 0, "rank_step": 1, "ranks": 2, "descriptors": [
                            {"plan": "ranks=2 step=%d start=%d [span=20020 stride=2002 "
                                     "size=1001]" % (shift, 1001 if shift < 0 else 0),
                             "repeats": 1}]}]}
        tree = {
            "schema": "leadline-skeleton/1", "mpi": True, "ranks": 2,
            "files": [{"file": "file-1", "files": 1, "shared": 1, "inputs": 0,
                       "bytes": 20020, "use": "one"}],
            "phases": [{"phase": 0, "think_seconds": {"min": 0, "mean": 1, "max": 1},
                        "order": [{"first_rank": 0, "rank_step": 1, "ranks": 2,
                                   "steps": "0x10 1 2x10"}]}],
            "transfers": [transfer(0, "write", 1001), transfer(2, "read", -1001)],
            "calls": [{"step": 1, "phase": 0, "file": "file-1", "call": "fsync",
                       "level": "POSIX", "ranks": 2, "calls": 2, "bytes": 0}]}
        for key, value in changes.items():
            at = tree
            names = key.split("__")
            for name in names[:-1]:
                at = at[int(name)] if name.isdigit() else at[name]
            at[names[-1]] = value
        return self.text(json.dumps(tree))

    def streams(self, **changes):
        """Makes the same with stdio: a flush comes before each sync."""
        sync = {"step": 1, "phase": 0, "file": "file-1", "call": "fsync",
                "level": "POSIX", "ranks": 2, "calls": 2, "bytes": 0}
        return self.made(transfers__0__level="stdio", transfers__1__level="stdio",
                         calls=[sync, dict(sync, step=3, call="fflush", level="stdio")],
                         phases__0__order__0__steps="0x10 3 1 2x10", **changes)

    def text(self, text):
        path = os.path.join(tempfile.mkdtemp(dir=self.tmp), "made.json")
        return write_file(path, text)

    def replay(self, path, *args, **how):
        return self.run_program("replay", path, "--quiet", *args, **how)

    def test_what_others_wrote_is_read_after_their_sync(self):
        report = self.good(self.replay(self.made()))
        self.assertEqual(report["checks"]["blocks_checked"], 20)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        self.assertEqual(total(report, "write", phase="prepare"), 0)

    def test_what_others_wrote_without_a_sync(self):
        """Ranks waited for each other in a way that no skeleton contains: the data read
        exist in any case."""
        for steps, calls in (("0x10 2x10", []), ("0x10 2x10 1", None)):
            more = {"calls": calls} if calls is not None else {}
            path = self.made(phases__0__order__0__steps=steps, **more)
            report = self.good(self.replay(path, env=fault(
                "write:slow:1+", 0, "files/replay-", FAULT_SECONDS="0.01")))
            self.assertEqual(report["checks"]["blocks_checked"], 20)
            self.assertEqual(total(report, "write", phase="prepare"), 20020)
        report = self.good(self.replay(self.segments(
            calls=[], phases__0__order__0__steps="0x10 2x10")))
        self.assertEqual(total(report, "write", phase="prepare"), 0)

    def test_what_is_read_back_before_the_file_grows_on(self):
        """Records before and after have other sizes: the mean of both is too small."""
        OPS.update({50: ("fwrite", "WRITE"), 51: ("fread", "READ")})
        NUMBER.update(fwrite=50, fread=51)
        CLASS.update(fwrite="WRITE", fread="READ")
        log = Log(rank=0, ranks=1)
        f, at = log.name("/data/m", 3), 0
        for i in range(101):
            op = "fread" if i == 50 else "fwrite"
            n = at if i == 50 else (60 if i < 50 else 20) + i * 7 % 13
            log.add(op, EPOCH + i * 10 ** 6, 1000, f, offset=0 if i == 50 else at,
                    result=n, request=n, flags=1)
            at += 0 if i == 50 else n
        folder = tempfile.mkdtemp(dir=self.tmp)
        log.write(os.path.join(folder, "0.bin"))
        path = os.path.join(folder, "skeleton.json")
        subprocess.check_output((IOTRACE, "ldad", folder, "--skeleton=" + path),
                                stderr=subprocess.STDOUT)
        self.good(self.replay(path, np=1))

    def test_what_is_read_is_checked(self):
        for what in ("write:flip:3", "write:lost:2", "write:shift:4", "read:flip:5"):
            done = self.replay(self.made(), env=fault(what, 1, "files/replay-"))
            self.failed(done, "verification failed", file="replay-")

    def test_what_an_earlier_phase_wrote_is_stale(self):
        tree = read_json(self.made())
        write, read = tree["transfers"]
        tree["phases"] = [dict(tree["phases"][0], phase=n, order=[dict(
            tree["phases"][0]["order"][0], steps="%dx10" % n)]) for n in range(3)]
        tree["transfers"] = [write, dict(write, step=1, phase=1),
                             dict(read, step=2, phase=2)]
        tree["calls"] = []
        path = self.text(json.dumps(tree))
        self.good(self.replay(path))
        done = self.replay(path, env=fault("write:lost:13", 1, "files/replay-"))
        self.failed(done, "expected what phase1 wrote, found what phase0 wrote: ",
                    "stale", file="replay-")

    def test_a_failure_ends_all_ranks(self):
        """It does so though they wait for each other after syncs, and in collective
        calls."""
        for ways in ((), ("--iomethod=MPI",), ("--iomethod=MPI", "--collective")):
            with self.subTest(ways=ways):
                done = self.replay(self.made(), *ways,
                                   env=fault("write:ENOSPC:3", 1, "files/replay-"))
                self.assertEqual(done.status, 1, done)
                self.assertEqual(len(done.said), 1, done)
                self.assertEqual(done.files, [], done)

    def test_writers_that_overlap(self):
        """Any of them may be the last: they write the same."""
        plan = "ranks=2 step=%d start=0 [span=20020 stride=2002 size=2002]"
        for step in (0, 500):
            done = self.replay(self.made(
                transfers__0__plans__0__descriptors__0__plan=plan % step,
                transfers__0__bytes=20 * 2002, files__0__bytes=20520))
            self.assertEqual(self.good(done)["checks"]["blocks_bad"], 0)

    def test_ranks_wait_before_a_sync_where_they_did(self):
        """One of them has nothing to do before it."""
        tree = read_json(self.made())
        write, read = tree["transfers"]
        plan = "ranks=1 step=0 start=0 [span=20020 stride=1001 size=1001]"
        write.update(ranks=1, pause_seconds=0.2, plans=[
            {"first_rank": 0, "rank_step": 1, "ranks": 1,
             "descriptors": [{"plan": plan, "repeats": 1}]}])
        tree["calls"][0]["after_all"] = True
        tree["phases"][0]["order"] = [
            {"first_rank": n, "rank_step": 1, "ranks": 1, "steps": steps}
            for n, steps in enumerate(("0x20 1 2x10", "1 2x10"))]
        done, again = self.traced("replay", self.text(json.dumps(tree)),
                                  "--as-recorded", "--think=1")
        self.good(done)
        (sync,) = [c for c in skeleton.load(again).calls
                   if c["ranks"] == 2 and c["call"] == "fsync"]
        self.assertEqual(sync.get("after_all"), True)

    def test_pages_that_the_program_drops(self):
        """They are dropped at the same place and time, though one rank drops them."""
        tree = read_json(self.made())
        tree["calls"].append(dict(tree["calls"][0], step=3, ranks=1, calls=1,
                                  call="posix_fadvise_dontneed"))
        tree["phases"][0]["order"] = [
            {"first_rank": n, "rank_step": 1, "ranks": 1,
             "steps": "0x10 1 %s2x10" % drop} for n, drop in enumerate(("3 ", ""))]
        path = self.text(json.dumps(tree))
        for way in ((), ("--as-recorded",), ("--iomethod=MPI", "--collective"),
                    ("--as-recorded", "--cache=keep")):
            with self.subTest(way=way):
                done, again = self.traced("replay", path, *way)
                self.good(done)
                steps = {c["step"]: c["call"] for c in skeleton.load(again).calls
                         if "step" in c}
                phase = [p for p in skeleton.load(again).phases if p["region"]][-1]
                orders = [[steps.get(n) for n in unfolded(o["steps"])]
                          for o in phase["order"]]
                dropped = [[call for call in order if call == "posix_fadvise_dontneed"]
                           for order in orders]
                self.assertEqual(len(dropped[0]), int("--cache=keep" not in way), way)

    def test_inputs_are_made_before(self):
        path = self.made(
            files__0__inputs=1, phases__0__order__0__steps="2x10",
            transfers__0__plans=[], transfers__0__calls=0, transfers__0__bytes=0)
        for way in ((), ("--iomode=ASYNC",)):
            report = self.good(self.replay(path, *way))
            self.assertEqual(total(report, "write", phase="prepare"), 20020)
            self.assertEqual(total(report, "read", phase="phase0"), 20020)
            self.assertEqual(total(report, "write", phase="phase0"), 0)

    def test_inputs_leave_memory(self):
        """Those that the program wrote itself at an unknown time do not."""
        for inputs in (0, 1):
            path = self.made(
                files__0__inputs=inputs, phases__0__order__0__steps="2x10",
                transfers__0__plans=[], transfers__0__calls=0, transfers__0__bytes=0)
            done, again = self.traced("replay", path, "--as-recorded")
            self.good(done)
            found = skeleton.load(again)
            made = [t["file"] for t in found.transfers
                    if t["direction"] == "write" and t["ranks"] == 2]
            dropped = [c for c in found.calls if c["file"] in made
                       and c["call"] == "posix_fadvise_dontneed"]
            self.assertEqual(len(dropped), inputs)

    @long
    def test_other_ways(self):
        for way in (("--iomethod=MPI",), ("--iomethod=MPI", "--collective"),
                    ("--iomethod=mmap",), ("--cache=keep", "--repeat=2")):
            report = self.good(self.replay(self.made(), *way))
            self.assertEqual(total(report, "write", rep=1), 20020)

    def segments(self, **more):
        """Makes a skeleton in which each rank reads what it wrote, in a part of its
        own."""
        plan = "ranks=2 step=10010 start=0 [span=10010 stride=1001 size=1001]"
        return self.made(transfers__0__plans__0__descriptors__0__plan=plan,
                         transfers__1__plans__0__descriptors__0__plan=plan, **more)

    def stored(self, done):
        report = self.good(done)
        self.assertEqual(report["checks"]["blocks_checked"], 20)
        (row,) = report["files"]
        return row["kind"], row["count"], row["bytes"]

    def slow(self, path, pause, *ways):
        """Each write takes `pause` s. A read before its write fails."""
        report = self.good(self.replay(
            path, "--iomode=ASYNC", *ways,
            env=fault("write:slow:1+", None, "files/replay-",
                      FAULT_SECONDS=str(pause))))
        self.assertEqual(report["io"]["mode"], "async")
        self.assertEqual(report["checks"]["blocks_checked"], 20)
        (row,) = [s for s in report["samples"] if s["act"] == "write"
                  and s["phase"] == "phase0"]
        return row["calls"] * pause / 2, row["max_s"]

    def test_transfers_in_flight(self):
        """Five at once take less time than one after the other, with the wait for them;
        none overtakes a sync, or one of the same bytes."""
        one_by_one, seconds = self.slow(self.made(), 0.1, "--iomethod=threads",
                                        "--depth=5")
        self.assertLess(seconds, one_by_one)
        self.assertGreater(seconds, one_by_one / 5.5)
        path = self.segments(phases__0__order__0__steps="(0 2)x10 1")
        one_by_one, seconds = self.slow(path, 0.03, "--iomethod=threads")
        self.assertGreater(seconds, 0.99 * one_by_one)

    @long
    def test_transfers_in_flight_in_other_ways(self):
        each = self.segments(files__0__use="one per rank", files__0__files=2)
        for path, *ways in ((self.made(),), (self.made(), "--iomethod=MPI"),
                            (self.made(), "--think=0.3"),
                            (self.made(), "--think=0.3", "--iomethod=MPI"),
                            (self.made(), "--cache=keep", "--repeat=2", "--depth=99"),
                            (self.made(), "--iomethod=MPI", "--collective"),
                            (each, "--filetype=SHARED"),
                            (self.segments(), "--filetype=UNIQUE")):
            with self.subTest(ways=ways):
                report = self.good(self.replay(path, "--iomode=ASYNC", *ways))
                self.assertEqual(report["io"]["mode"], "async")
                self.assertEqual(total(report, "write", rep=1), 20020)

    @long
    def test_a_failure_in_flight(self):
        for what, words in (("write:ENOSPC:3", "No space"),
                            ("read:flip:5", "verification failed")):
            done = self.replay(self.made(), "--iomode=ASYNC", "--iomethod=threads",
                               env=fault(what, 1, "files/replay-"))
            self.failed(done, words, file="replay-")
            self.assertEqual(done.files, [], done)

    def test_threads(self):
        """Five take a fifth of the time; none overtakes a sync, or one of the same
        bytes."""
        pairs = self.segments(phases__0__order__0__steps="(0 2)x10 1")
        for path in (self.made(), pairs):
            report = self.good(self.replay(path, "--threads=5", env=fault(
                "write:slow:1+", None, "files/replay-", FAULT_SECONDS="0.1")))
            self.assertEqual(report["checks"]["blocks_checked"], 20)
            self.assertEqual(total(report, "write"), 20020)
            (row,) = [s for s in report["samples"] if s["act"] == "write"
                      and s["phase"] == "phase0"]
            self.assertGreater(row["max_s"], 0.1 * 1.9)
            if path != pairs:  # these wait for each other
                self.assertLess(row["max_s"], 0.1 * 9)
        for way in ("--as-recorded", "--think=1", "--iomode=ASYNC"):
            self.refused(self.replay(self.made(), "--threads=2", "--dry-run",
                                     "--ranks=2", way, np=0, json=False),
                         "--threads", way.split("=")[0])

    @long
    def test_threads_in_other_ways(self):
        each = self.segments(files__0__use="one per rank", files__0__files=2)
        for path, *ways in ((each,), (each, "--filetype=SHARED"),
                            (self.made(), "--iomethod=mmap"),
                            (self.made(), "--cache=keep", "--repeat=2"),
                            (self.segments(), "--filetype=UNIQUE")):
            with self.subTest(ways=ways):
                report = self.good(self.replay(path, "--threads=3", *ways))
                self.assertEqual(total(report, "read", rep=1), 20020)
        for what, words in (("write:ENOSPC:3", "No space"),
                            ("read:flip:2", "verification failed")):
            done = self.replay(self.made(), "--threads=3",
                               env=fault(what, 1, "files/replay-"))
            self.failed(done, words, file="replay-")
            self.assertEqual(done.files, [], done)

    def test_what_cannot_be_in_flight(self):
        for ways, words in (
                (("--depth=3",), "take --iomode=ASYNC"),
                (("--iomode=ASYNC", "--as-recorded"), "leave out --iomethod, --iomode"),
                (("--iomode=ASYNC", "--filetype=PARTITIONED"), "synchronous")):
            self.refused(self.replay(self.made(), "--dry-run", "--ranks=2", *ways,
                                     np=0, json=False), words)
        memory = [self.replay(self.made(), "--dry-run", "--ranks=2", *ways, np=0)
                  .report["rank_memory_bytes"] for ways in
                  ((), ("--iomode=ASYNC",), ("--iomode=ASYNC", "--depth=9"))]
        self.assertEqual(memory, [memory[0], 4 * memory[0], 9 * memory[0]])

    def test_file_types(self):
        unique, shared = "--filetype=UNIQUE", "--filetype=SHARED"
        self.refused(self.replay(self.made(), unique, json=False), "file-1 of the",
                     "mix or overlap")
        self.assertEqual(self.stored(self.replay(self.made(), shared)),
                         ("shared", 1, 20020))
        self.assertEqual(self.stored(self.replay(self.segments(), unique)),
                         ("unique", 2, 20020))
        each = self.segments(files__0__use="one per rank", files__0__files=2)
        for ways, kind, count in (
                ((), "unique", 2), (("--filetype=recorded",), "unique", 2),
                ((unique,), "unique", 2), ((shared,), "shared", 1),
                ((shared, "--iomethod=MPI", "--collective"), "shared", 1)):
            with self.subTest(ways=ways):
                self.assertEqual(self.stored(self.replay(each, *ways))[:2],
                                 (kind, count))

    def test_partitioned(self):
        """The plan is that of the writers; others read across partitions."""
        way = "--filetype=PARTITIONED"
        for path in (self.made(), self.segments()):
            done = self.replay(path, way, "--node-dirs=" + self.tmp)
            self.assertEqual(self.stored(done)[0], "partitioned")
            self.assertEqual(done.files, [])
        done = self.replay(self.made(), way, env=fault("read:flip:1", 1, "/part-"))
        self.failed(done, "verification failed", file="replay-")
        shared = "ranks=2 step=0 start=0 [span=20020 stride=2002 size=1001]"
        for change, words in (
                ({"transfers__0__plans__0__descriptors__0__plan": shared,
                  "transfers__1__plans__0__descriptors__0__plan": shared,
                  "transfers__1__direction": "write"}, "gives each of them bytes"),
                ({"files__0__inputs": 1, "phases__0__order__0__steps": "2x10",
                  "transfers__0__plans": [], "transfers__0__calls": 0,
                  "transfers__0__bytes": 0,
                  "transfers__1__plans__0__descriptors__0__plan": shared},
                 "gives each of them bytes"),
                ({"files__0__use": "one per rank"}, "no file of the skeleton")):
            self.refused(self.replay(self.made(**change), way, json=False), words)

    def test_inputs_in_partitions(self):
        """The plan is that of the readers; bytes between are in no part."""
        plan = "ranks=2 step=1001 start=0 [span=20020 stride=2002 size=%d]"
        way = "--filetype=PARTITIONED"
        for size, misfits in ((1001, "(0 bytes)"), (600, "(7619 bytes)")):
            path = self.made(
                files__0__inputs=1, phases__0__order__0__steps="2x10",
                transfers__0__plans=[], transfers__0__calls=0, transfers__0__bytes=0,
                transfers__1__bytes=20 * size,
                transfers__1__plans__0__descriptors__0__plan=plan % size)
            done = self.replay(path, way)
            self.assertEqual(self.stored(done)[0], "partitioned")
            self.assertEqual(done.files, [])
            self.assertIn(misfits, done.report["run"]["notes"]["misfits"])
        done = self.replay(path, way, env=fault("read:flip:1", 1, "/part-"))
        self.failed(done, "verification failed", file="replay-")

    def test_file_types_are_checked_too(self):
        each = self.segments(files__0__use="one per rank", files__0__files=2)
        for path, way in ((each, "SHARED"), (self.segments(), "UNIQUE")):
            done = self.replay(path, "--filetype=" + way,
                               env=fault("write:lost:3", 1, "files/replay-"))
            self.failed(done, "verification failed", file="replay-")

    def test_think(self):
        where = self.made(  # different from the sum of the phase
            transfers__0__pause_seconds=0.2, calls__0__pause_seconds=0.7,
            transfers__1__pause_seconds=0.1, phases__0__think_seconds={"mean": 300})
        for what, path in (("sleep", self.made()), ("work", where)):
            report = self.good(self.replay(path, "--think=0.3", "--think-as=" + what))
            (row,) = [s for s in report["samples"] if s["act"] == "compute"
                      and s["phase"] == "phase0"]
            self.assertGreater(row["mean_s"], 0.25)
            self.assertLess(row["mean_s"], 50)
        self.one_sentence(self.replay(self.made(transfers__0__pause_seconds=-1),
                                      json=False),
                          "out of its range: pause_seconds")
        self.refused(self.replay(self.made(), "--think=long"), "--think", "factor")

    def test_dry_run(self):
        done = self.replay(self.made(), "--dry-run")
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.report["write_bytes"], 20020)
        self.refused(self.replay(self.made(), "--dry-run", "--ranks=2",
                                 "--filetype=UNIQUE", np=0, json=False), "mix or")
        done = self.replay(self.segments(), "--dry-run", "--ranks=2",
                           "--filetype=UNIQUE", np=0)
        self.assertEqual((done.status, done.report["files"]), (0, 2), done)
        self.assertEqual(done.files, [])

    # ---- whatif ------------------------------------------------------------------

    def whatif(self, path, *args):
        out = self.path("out")
        files = self.path("whatif-files")
        os.mkdir(files)
        done = run_text([LEADLINE, "whatif", path, "--dir=" + files, "--out=" + out,
                         "--quiet", *args], env=dict(os.environ,
                                                     **runner.mpi_environment(2)))
        self.assertEqual(os.listdir(files), [])
        os.rmdir(files)
        return done, out

    @long
    def test_whatif(self):
        """A way that fails does not hide the others; the same command continues."""
        script = self.text("case \"$*\" in *--threads=*) exit 1;; esac; exec \"$@\"")
        launch = " ".join(["sh", script] + runner.launch_line(2, [])[:-2])
        path = self.whole()
        words = ("--rounds=1", "--format=json", "--mpiexec=" + launch)
        done, out = self.whatif(path, *words)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("1 of 9 runs failed", done.stderr)
        self.assertEqual(len({row["configuration"] for row in
                              json.loads(done.stdout)["rows"]}), 8)
        os.unlink(script)
        write_file(script, "exec \"$@\"")
        done, out = self.whatif(path, *words)
        self.assertEqual(done.returncode, 0, done)
        tree = json.loads(done.stdout)
        names = {row["configuration"] for row in tree["rows"]}
        self.assertEqual(names, {"POSIX", "MPI", "MPI-collective", "POSIX-PARTITIONED",
                                 "MPI-PARTITIONED", "MPI-collective-PARTITIONED",
                                 "POSIX-ASYNC", "MPI-ASYNC", "POSIX-threads4"})
        self.assertEqual({row["verdict"] for row in tree["rows"] if row["configuration"]
                          == "POSIX-threads4"},
                         {"one run each: --compare or a sweep decides"})
        for way in ("POSIX", "MPI", "MPI-collective"):
            self.assertIn(way + "-UNIQUE is not tried: replay: --filetype=UNIQUE",
                          done.stderr)

    def test_whatif_of_nothing(self):
        path = self.whole(transfers=[], calls=[], phases=[])
        done, _ = self.whatif(path, "--rounds=1")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("nothing in it can be replayed", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def whole(self, **changes):
        """Adds what the reader in Python needs."""
        tree = read_json(self.made(**changes))
        tree["left_out"] = {}
        tree["totals"] = {"transfers": {
            "bytes": sum(t["bytes"] for t in tree["transfers"])}}
        return self.text(json.dumps(tree))

    # ---- impossible requests -----------------------------------------------------

    @any_mpi
    def test_bad_skeletons(self):
        text = read_text(self.made())
        cut = self.text(text[:700])
        self.one_sentence(self.replay(cut, json=False), "no JSON", "offset")
        for change, words in (
                ({"schema": "leadline-skeleton/2"}, "another version"),
                ({"schema": "leadline-report/1"}, "no skeleton"),
                ({"ranks": 3}, "is of 3 ranks, and there are 2"),
                ({"ranks": 2 ** 60}, "out of its range: ranks"),
                ({"files__0__use": "several"}, "several of which one rank uses"),
                ({"transfers__0__step": 2}, "two steps have one number"),
                ({"transfers__0__file": "file-9"}, "unknown file: file-9"),
                ({"transfers__0__calls": 2 ** 60}, "parts of a step do not add up"),
                ({"transfers__0__plans__0__descriptors__0__repeats": 2 ** 56},
                 "more or fewer calls"),
                ({"transfers__0__level": "PnetCDF", "transfers__1__level": "HDF5",
                  "calls__0__level": "HDF5"}, "nothing in the skeleton"),
                ({"transfers__0__plans__0__descriptors__0__plan": "ranks=2"},
                 "no access pattern"),
                ({"phases__0__order__0__steps": "0x10 (1"}, "no sequence"),
                ({"phases__0__order__0__steps": "0x10 7"}, "not of its phase"),
                ({"transfers__0__pause_seconds": 1e300},
                 "out of its range: pause_seconds"),
                ({"phases": []}, "out of its range: phase")):
            done = self.replay(self.made(**change), json=False)
            self.one_sentence(done, words)

    def test_more_calls_than_anybody_waits_for(self):
        n = 2 ** 55
        path = self.made(
            transfers__0__plans__0__descriptors__0__repeats=n,
            transfers__0__calls=20 * n, transfers__0__bytes=2 ** 63 - 1,
            phases__0__order__0__steps="0x%d 1 2x10" % (10 * n))
        self.one_sentence(self.replay(path, json=False), "more than 2^40")

    def test_more_than_a_disk_holds(self):
        plan = "ranks=2 step=1001 start=0 [span=%d stride=%d size=1001]"
        path = self.made(transfers__0__plans__0__descriptors__0__plan=plan
                         % (10 << 56, 1 << 56))
        done = self.replay(path, "--dry-run")
        self.assertEqual((done.status, done.report["disk_bytes"]),
                         (0, (9 << 56) + 2002), done)
        self.one_sentence(self.replay(path, json=False), "free")

    def test_collectives_that_do_not_agree(self):
        order = [{"first_rank": 0, "rank_step": 1, "ranks": 1, "steps": "0x10 1 2x10"},
                 {"first_rank": 1, "rank_step": 1, "ranks": 1, "steps": "1 0x10 2x10"}]
        path = self.made(phases__0__order=order)
        self.refused(self.replay(path, "--iomethod=MPI", "--collective", json=False),
                     "same collective calls in the same order")

    def test_syncs_of_other_kinds(self):
        report = self.good(self.replay(self.made(calls__0__call="msync")))
        codes = {w["code"]: w["text"] for w in report["warnings"]}
        self.assertIn("2 calls", codes["syncs_left_out"])
        self.assertNotIn("library_left_out", codes)

    def test_collectives_in_which_some_move_nothing(self):
        """It is one rank in each of its calls, or in some."""
        plan = "ranks=1 step=0 start=0 [span=%d stride=1001 size=1001]"
        for moved in ((10, 0), (10, 5)):
            plans = [{"first_rank": rank, "rank_step": 1, "ranks": 1, "descriptors": [
                {"plan": plan % (1001 * n), "repeats": 1}]}
                for rank, n in enumerate(moved) if n]
            order = [{"first_rank": rank, "rank_step": 1, "ranks": 1,
                      "steps": "0x%d" % n} for rank, n in enumerate(moved) if n]
            tree = read_json(self.made(calls=[]))
            tree["phases"][0]["order"] = order
            tree["transfers"] = [dict(
                tree["transfers"][0], call="MPI_File_write_at_all", level="MPI-IO",
                collective=True, plans=plans, empty=20 - sum(moved),
                bytes=1001 * sum(moved))]
            path = self.text(json.dumps(tree))
            dry = ("--dry-run", "--ranks=2")
            self.refused(self.replay(path, "--as-recorded", *dry, np=0, json=False),
                         "some ranks move nothing in collective calls")
            self.assertEqual(self.replay(path, *dry, np=0, json=False).status, 0)

    def test_as_recorded_is_a_way(self):
        self.refused(self.replay(self.made(), "--as-recorded", "--iomethod=MPI",
                                 json=False), "leave out --iomethod")


for name in PROGRAMS:
    for np in (2, 4) + (16,) * (name in ("madbench", "madbench_mpi", "perf")):
        test = add(Replays, "fixed_point_of_%s_%d" % (name, np), "fixed", name, np)
        if (name, np) not in (("jacobi", 2), ("madbench_collective", 2)):
            long(test)

if __name__ == "__main__":
    main()
