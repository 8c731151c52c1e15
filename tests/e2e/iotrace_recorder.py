# tier: quick ci; mpi: any
"""libiotrace.so: every call is counted with its bytes; every event is in a log once,
however the process ends; and the log has the forms that the paper describes. The
programs are tests/iotrace/calls.c and ends.c; tests/iotrace/tracelog.py reads the
logs."""
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from e2e import (BUILD, TESTS, Case, add, main, read_text, runner, strace_lines,
                 write_file)

sys.path.insert(0, os.path.join(TESTS, "iotrace"))
import tracelog  # noqa: E402

RECORDER = os.path.join(BUILD, "libiotrace.so")
COLUMNS = ["Application", "Execution", "Tool", "Filename", "fd", "Op sequence",
           "Operation", "Bytes", "start_time", "end_time", "Time (sec)", "PID"]
SUMMARY = ["App_Name", "Exe_Name", "Tool_Name", "Binary_Trace_File",
           "Total_Num_IO_events", "Total_IO_bytes", "Total_IO_time", "Start_Time",
           "End_Time", "Number_of_Files"]
BINARY = {"IOTRACE_BINARY": "true"}
NOT_MAPPED = {"IOTRACE_MMAP": "no"}


def built(name):
    return os.path.join(BUILD, "tests", "iotrace", name)


def tsv(path):
    """Returns the lines of a text log as dictionaries."""
    lines = [line.split("\t") for line in read_text(path).splitlines()]
    assert lines[0] == COLUMNS, lines[0]
    assert all(len(line) == len(COLUMNS) for line in lines), path
    return [dict(zip(COLUMNS, line)) for line in lines[1:]]


class Recorder(Case):
    def run_under(self, *line, env=None, status=0, preload=RECORDER, cwd=None):
        """Runs a program in self.tmp; returns its standard output."""
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        environment.update(env or {})
        if preload:
            environment["LD_PRELOAD"] = preload
        done = subprocess.run(line, cwd=cwd or self.tmp, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60 * runner.SCALE)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        self.err = done.stderr.decode()
        return done.stdout.decode()

    def traced(self, *line, env=None, **how):
        """Runs it and reads its only log."""
        self.run_under(*line, env=dict(BINARY, **(env or {})), **how)
        logs = [log for log in tracelog.logs(self.tmp) if log.state != tracelog.EXEC]
        first = [log for log in logs if log.ppid == os.getpid()]
        self.assertEqual(len(first), 1, [log.path for log in logs])
        return first[0]

    def compiled(self, name, text, *options):
        path = self.path(name)
        write_file(path + ".c", text)
        subprocess.run(("cc", "-o", path, path + ".c") + options, check=True)
        return path

    def left(self, pattern="*log*"):
        return sorted(os.path.basename(name) for name in glob.glob(self.path(pattern)))


class Calls(Recorder):
    """Each call is made a hundred times."""

    def expected(self, out):
        counts = collections.defaultdict(lambda: [0, 0])
        for line in out.splitlines():
            name, count, size = line.split()
            counts[name][0] += int(count)
            counts[name][1] += int(size)
        return {name: tuple(both) for name, both in counts.items()}

    def exact(self, program, rounds, **env):
        out = self.run_under(built(program), str(rounds), env=dict(BINARY, **env))
        log, = tracelog.logs(self.tmp)
        self.assertEqual(log.state, tracelog.EXITED)
        self.assertEqual(log.counts(), self.expected(out))
        return log

    def test_plain(self):
        self.exact("calls", 100)

    def test_fortified(self):
        self.exact("calls_fortified", 100)

    def test_clock_gettime(self):
        self.exact("calls", 10, IOTRACE_CLOCK="ns")

    def test_profile(self):
        out = self.run_under(built("calls"), "100", env={"IOTRACE_MODE": "profile"})
        log, = tracelog.logs(self.tmp)
        self.assertEqual(log.events, [])
        found = collections.defaultdict(lambda: [0, 0])
        for p in log.profile:
            if not p.flags & tracelog.OTHER_END:  # a copy counts once
                found[p.op][0] += p.count
                found[p.op][1] += p.bytes
            self.assertEqual(sum(p.times), p.count)
            self.assertEqual(p.errors, 0)
        self.assertEqual({k: tuple(v) for k, v in found.items()}, self.expected(out))
        disk = sum(os.stat(self.path(name)).st_blocks * 512 for name in self.left())
        self.assertLess(disk, 256 << 10)

    def summed(self, mode):
        """Returns the summary's counts: of all files, and of those with transfers of
        data."""
        self.run_under(built("calls"), "20", env=dict(BINARY, IOTRACE_MODE=mode))
        name, = self.left("*.summary")
        with open(self.path(name), encoding="ascii") as f:
            lines = [line.rstrip("\n").split("\t") for line in f]
        for name in self.left("unknown.*"):
            os.remove(self.path(name))
        totals = dict(line for line in lines if len(line) == 2)
        files = [[re.sub(r"\[\d+\]", "", line[0])] + line[1:3] + line[4:6]
                 for line in lines
                 if len(line) == 9 and line[2:6:3] != ["0", "0"]]
        return [totals[key] for key in ("Total_Num_IO_events", "Total_IO_bytes",
                                        "Number_of_Files")], sorted(files)

    def test_both_modes_sum_alike(self):
        events, profile = self.summed("trace"), self.summed("profile")
        self.assertGreater(len(events[1]), 8)
        self.assertEqual(events, profile)

    def test_both_modes_agree(self):
        log = self.exact("calls", 20, IOTRACE_MODE="both")
        events = collections.Counter(e.op for e in log.events)
        profile = collections.Counter()
        for p in log.profile:
            profile[p.op] += p.count
        self.assertEqual(events, profile)

    def test_text_says_the_same(self):
        out = self.run_under(built("calls"), "30")
        name, = self.left()
        counts = collections.defaultdict(lambda: [0, 0])
        for line in tsv(self.path(name)):
            counts[line["Operation"]][0] += 1
            counts[line["Operation"]][1] += int(line["Bytes"])
        self.assertEqual({k: tuple(v) for k, v in counts.items()}, self.expected(out))

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_as_strace_sees_it(self):
        """System calls that the C library uses for no other purpose."""
        alike = {"pread64": ["pread", "aio_return_read"],
                 "pwrite64": ["pwrite", "aio_return_write"],
                 "preadv": ["preadv"], "pwritev": ["pwritev"],
                 "preadv2": ["preadv2"], "pwritev2": ["pwritev2"],
                 "readv": ["readv"], "fsync": ["fsync", "aio_return_fsync"],
                 "fdatasync": ["fdatasync"], "ftruncate": ["ftruncate"],
                 "fallocate": ["fallocate", "posix_fallocate"],
                 "sendfile": ["sendfile"], "copy_file_range": ["copy_file_range"],
                 "splice": ["splice"]}
        trace = self.path("strace")
        line = ["strace", "-f", "-y", "-o", trace, "-e", "trace=" + ",".join(alike),
                built("calls"), "100"]
        done = subprocess.Popen(line, cwd=self.tmp, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)
        err = done.communicate()[1]
        if done.returncode:
            self.skipTest("strace does not run here: %s" % err[-200:])
        seen = collections.defaultdict(lambda: [0, 0])
        # Only files in this folder count: the loader reads libraries.
        call = re.compile(r"(\w+)\(.*<%s/.* = (\d+)$" % re.escape(self.tmp))
        for match in filter(None, map(call.match, strace_lines(trace))):
            seen[match.group(1)][0] += 1
            seen[match.group(1)][1] += int(match.group(2))
        counts = self.exact("calls", 100).counts()
        for name, ours in alike.items():
            self.assertEqual(seen[name],
                             [sum(counts[op][i] for op in ours) for i in (0, 1)], name)


class Ends(Recorder):
    """All activity of a process is in a log once, however it ends."""
    SIGNALS = {"abort": -signal.SIGABRT, "abort_caught": -signal.SIGABRT,
               "segv": -signal.SIGSEGV, "kill": -signal.SIGKILL,
               "term": -signal.SIGTERM}
    KILLED = ("segv", "kill", "term", "exit_group")
    # at least one of its processes ends like this
    UNHEARD = KILLED + ("abort_caught", "raw_fork")
    LOGS = {"fork": 2, "fork_twice": 5, "raw_fork": 2, "vfork": 2, "spawn": 2,
            "exec": 2, "exec_all": 17, "exec_failed": 2, "daemon": 2,
            "fork_of_thread": 11, "abort_caught": 2}

    def of_all_logs(self):
        """Returns the number of writes to the file "data", by process number."""
        found = collections.Counter()
        for log in tracelog.logs(self.tmp):
            for e in log.events:
                if e.op == "pwrite" and e.result == 10:
                    self.assertEqual(os.path.basename(e.file), "data")
                    found[log.pid] += 1
        for name in self.left("*.tsv*"):
            if not name.endswith(".part"):
                for line in tsv(self.path(name)):
                    if line["Operation"] == "pwrite" and line["Bytes"] == "10":
                        self.assertEqual(os.path.basename(line["Filename"]), "data")
                        found[int(line["PID"])] += 1
        return found

    def ends_not_mapped(self, way):
        """The logs are as with mapping, except for the last second of a killed
        process."""
        out = self.run_under(built("ends"), way, env=dict(BINARY, **NOT_MAPPED),
                             status=self.SIGNALS.get(way, 0))
        did, found = int(out.split()[0]), sum(self.of_all_logs().values())
        if way in self.UNHEARD:
            self.assertLessEqual(found, did)
        else:
            self.assertEqual(found, did)

    def ends(self, way, env):
        out = self.run_under(built("ends"), way, env=env,
                             status=self.SIGNALS.get(way, 0))
        self.assertEqual(sum(self.of_all_logs().values()), int(out.split()[0]))
        logs = [name for name in self.left() if not name.endswith(".summary")]
        if way != "system":  # only the shell knows how many programs that is
            self.assertEqual(len(logs), self.LOGS.get(way, 1), logs)
        part = [name for name in logs if name.endswith(".part")]
        if env:
            self.assertEqual(part, [])
        elif way in self.KILLED:
            self.assertEqual(len(part), 1)
        elif way not in ("raw_fork", "abort_caught"):
            self.assertEqual(part, [])
        for log in tracelog.logs(self.tmp):
            self.assertEqual(log.dropped, 0)

    def test_destructors_come_before_the_end(self):
        out = self.run_under(built("ends"), "exit", env={"ENDS_DESTRUCTOR": "1"})
        self.assertEqual(sum(self.of_all_logs().values()), int(out.split()[0]))

    def until_killed(self, env, ready):
        """Kills it after ready(): the log has the first calls without a gap."""
        child = subprocess.Popen([built("ends"), "signals"], cwd=self.tmp,
                                 env=dict(os.environ, LD_PRELOAD=RECORDER, **env),
                                 stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60 * runner.SCALE
        while not ready() and time.monotonic() < end:
            time.sleep(0.001)
        child.kill()
        child.wait()
        log, = tracelog.logs(self.tmp)
        wrote = [e.offset for e in log.events if e.op == "pwrite"]
        inner = [offset for offset in wrote if offset]
        self.assertTrue(inner)
        self.assertEqual(inner, [10 * (1 + i % 5999) for i in range(len(inner))])
        os.remove(log.path)

    def test_killed_from_outside(self):
        def soon():
            begun = tracelog.logs(self.tmp)
            time.sleep(0.02)
            return begun

        for _ in range(10):
            self.until_killed(BINARY, soon)

    def test_killed_and_not_mapped(self):
        """It has been written meanwhile; other calls may come first."""
        def is_written():
            return any(e.op == "pwrite" and e.offset
                       for log in tracelog.logs(self.tmp) for e in log.events)

        self.until_killed(dict(BINARY, **NOT_MAPPED), is_written)

    def test_exec_is_the_next_generation(self):
        self.run_under(built("ends"), "exec", env=BINARY)
        first, second = tracelog.logs(self.tmp)
        self.assertEqual(first.pid, second.pid)
        self.assertEqual([first.generation, second.generation], [0, 1])
        self.assertEqual(first.state, tracelog.EXEC)
        self.assertEqual(os.path.basename(second.path),
                         os.path.basename(first.path) + ".1")

    def test_each_exec_has_its_name(self):
        self.run_under(built("ends"), "exec_all", env=BINARY)
        found = sorted(e.op for log in tracelog.logs(self.tmp) for e in log.events
                       if "exec" in e.op)
        self.assertEqual(found, ["execle", "execlp", "execv", "execve", "execveat",
                                 "execvp", "execvpe", "fexecve"])

    def test_short_threads_share_room(self):
        self.run_under(built("ends"), "pool", env=BINARY)
        log, = tracelog.logs(self.tmp)
        self.assertLessEqual(os.path.getsize(log.path), 8 * log.block)


def ways():
    """Returns the ways that the program lists; none if it is not built."""
    try:
        return subprocess.check_output([built("ends")]).decode().split()
    except OSError:
        return []


for way in ways():
    add(Ends, way + "_binary", "ends", way, BINARY)
    add(Ends, way + "_text", "ends", way, {})
    add(Ends, way + "_not_mapped", "ends_not_mapped", way)


class Paper(Recorder):
    """Names and forms of the log, from the paper's chapter 2."""

    def simple(self, env=None, **how):
        """Runs dd: two descriptors, three reads, three writes."""
        return self.run_under("dd", "if=/etc/passwd", "of=copy", "bs=100", "count=3",
                              env=env, **how)

    def test_default(self):
        self.simple()
        name, = self.left()
        self.assertTrue(re.match(r"unknown\.\d+_log\.tsv$", name), name)
        lines = tsv(self.path(name))
        pid = name.split(".")[1].split("_")[0]
        for number, line in enumerate(lines):
            self.assertEqual(line["Application"], "unknown")
            self.assertEqual(line["Execution"], "unknown." + pid)
            self.assertEqual(line["Tool"], "IOTRACE")
            self.assertEqual(line["PID"], pid)
            self.assertEqual(line["Op sequence"], str(number))
            self.assertAlmostEqual(float(line["end_time"]) - float(line["start_time"]),
                                   float(line["Time (sec)"]), places=5)
            self.assertLess(abs(float(line["start_time"]) - time.time()), 60)
        starts = [line["start_time"] for line in lines]
        self.assertEqual(starts, sorted(starts))
        writes = [line for line in lines if line["Operation"] == "write"]
        self.assertEqual([w["Bytes"] for w in writes], ["100"] * 3)
        self.assertEqual({(w["Filename"], w["fd"]) for w in writes}, {("copy", "1")})

    def test_names_of_logs(self):
        for env, log in [
                ({"IOTRACE_APPNAME": "app"}, r"app\.\d+_log\.tsv"),
                ({"IOTRACE_EXECNAME": "run7.%d"}, r"run7\.\d+_log\.tsv"),
                ({"IOTRACE_EXECNAME": "run%i"}, r"run\d+_log\.tsv"),
                ({"IOTRACE_LOGFILE": "here%d.log"}, r"here\d+\.log"),
                ({"IOTRACE_LOGFILE": "mylog", "IOTRACE_APPNAME": "x"}, "mylog"),
                ({"IOTRACE_BINARY": "yes"}, r"unknown\.\d+_log\.tsv")]:
            self.simple(env)
            name, = self.left()
            self.assertTrue(re.match(log + "$", name), (env, name))
            os.remove(self.path(name))

    def test_never_overwritten(self):
        write_file(self.path("mylog"), "precious")
        for _ in range(3):
            self.simple({"IOTRACE_LOGFILE": "mylog"})
        self.assertEqual(self.left(), ["mylog", "mylog.1", "mylog.2", "mylog.3"])
        self.assertEqual(read_text(self.path("mylog")), "precious")

    def test_summary(self):
        self.simple(dict(BINARY, IOTRACE_APPNAME="app"))
        name, summary = self.left()
        self.assertTrue(re.match(r"app\.\d+_log\.bin$", name), name)
        self.assertEqual(summary, name + ".summary")
        with open(self.path(summary)) as f:
            lines = [line.split("\t") for line in f.read().splitlines()]
        told = dict(line for line in lines if len(line) == 2)
        self.assertEqual([line[0] for line in lines[:len(SUMMARY)]], SUMMARY)
        log, = tracelog.logs(self.tmp)
        self.assertEqual(int(told["Total_Num_IO_events"]), len(log.events))
        self.assertEqual(told["Total_IO_bytes"], "600")
        self.assertEqual(int(told["Number_of_Files"]),
                         len({e.file for e in log.events if e.file}))
        files = {(line[0], line[8]): line for line in lines if len(line) == 9}
        self.assertEqual(files["copy", "1"][1:3] + files["copy", "1"][4:6],
                         ["0", "0", "3", "300"])
        self.assertEqual(files["/etc/passwd", "0"][1:3], ["3", "300"])

    def test_rank_in_the_name(self):
        for env in ({"OMPI_COMM_WORLD_RANK": "3"}, {"PMI_RANK": "3"},
                    {"SLURM_PROCID": "3", "SLURM_STEP_ID": "0"}):
            self.simple(dict(env, IOTRACE_RANKNAMES="1"))
            name, = self.left()
            self.assertTrue(name.startswith("rank0003.unknown."), name)
            os.remove(self.path(name))
        self.simple({"SLURM_PROCID": "0", "IOTRACE_RANKNAMES": "1"})
        self.assertTrue(self.left()[0].startswith("unknown."))

    def test_globs(self):
        log = self.traced("dd", "if=/etc/passwd", "of=copy", "bs=100", "count=3",
                          env={"IOTRACE_INCLUDE": self.tmp + "/c*"})
        self.assertEqual({e.file for e in log.events}, {"copy"})
        self.assertGreaterEqual(log.excluded, 4)
        os.remove(log.path)
        log = self.traced("dd", "if=/etc/passwd", "of=copy", "bs=100", "count=3",
                          env={"IOTRACE_EXCLUDE": "nothing:/etc/*"})
        self.assertNotIn("/etc/passwd", {e.file for e in log.events})

    def test_limit(self):
        self.run_under(built("ends"), "threads", env=dict(
            BINARY, IOTRACE_MAX_BYTES="2M"))
        log, = tracelog.logs(self.tmp)
        self.assertLessEqual(os.path.getsize(log.path), 2 << 20)
        wrote = sum(e.op == "pwrite" for e in log.events)
        others = len(log.events) - wrote
        self.assertEqual(wrote + log.dropped + others, 6000 + 16 * 6000 + 1)

    def test_limit_of_text(self):
        """Blocks that were requested but do not exist are not read."""
        for limit in ("0", "100k", "300k"):
            env = {"IOTRACE_MAX_BYTES": limit, "IOTRACE_LOGFILE": "mylog"}
            self.run_under(built("calls"), "1", env=env)
            self.assertIn("events are not in", self.err)
            log = self.path("mylog")
            self.assertEqual(tsv(log), [])
            os.remove(log)

    def test_no_place_for_the_log(self):
        out = self.run_under("cat", "/etc/hostname",
                             env={"IOTRACE_LOGFILE": "/does/not/exist"})
        self.assertEqual(out, read_text("/etc/hostname"))
        self.assertEqual(self.err.count("libiotrace:"), 1, self.err)


class Content(Recorder):
    """Contents of records, besides counts and bytes."""

    def offsets(self, script):
        """Returns (call, offset) of Python's calls on the file "x"."""
        log = self.traced(sys.executable, "-c", "import os; "
                          "fd = os.open('x', os.O_RDWR | os.O_CREAT); " + script)
        return [(e.op, e.offset) for e in log.events
                if e.file == "x" and e.op in ("read", "write", "pread", "pwrite")]

    def test_offsets(self):
        self.assertEqual(
            self.offsets("os.write(fd, b'abc'); os.write(fd, b'defg'); "
                         "os.pwrite(fd, b'x', 100); os.write(fd, b'h'); "
                         "os.lseek(fd, -2, 1); os.read(fd, 50); os.read(fd, 50)"),
            [("write", 0), ("write", 3), ("pwrite", 100), ("write", 7), ("read", 6),
             ("read", 56)])

    def test_offsets_that_are_not_known(self):
        for script in ("os.dup(fd); os.write(fd, b'abc')",
                       "os.fork() or os._exit(0); os.wait(); os.write(fd, b'abc')"):
            self.assertEqual(self.offsets(script), [("write", -1)], script)
            for log in tracelog.logs(self.tmp):
                os.remove(log.path)

    def test_a_file_without_a_name(self):
        """Its name is the kernel's, and not that of its directory."""
        log = self.traced(sys.executable, "-c", "import os; fd = os.open('.', "
                          "os.O_TMPFILE | os.O_RDWR); os.write(fd, b'abc')")
        opened, = (e for e in log.events if e.op == "open" and e.file.endswith(")"))
        self.assertRegex(opened.file, r"/#\d+ \(deleted\)$")
        self.assertEqual([e.file for e in log.events if e.op == "write"], [opened.file])

    def test_append_has_no_offset(self):
        log = self.traced("sh", "-c", "exec 3>>y; echo text >&3")
        self.assertEqual({e.offset for e in log.events if e.op == "write"}, {-1})

    def test_standard_streams_are_not_logged(self):
        log = self.traced("sh", "-c", "echo text; exec 5>&1; echo text >&5")
        self.assertEqual([e for e in log.events if e.op in ("write", "dup2")], [])

    def test_standard_streams_that_are_files(self):
        write_file(self.path("in"), "some line\n" * 1000)
        self.run_under("sh", "-c", "tr a a < in > out; exec sort < out > sorted 2> err",
                       env=BINARY)
        found = {}
        for log in tracelog.logs(self.tmp):
            for e in log.events:
                if e.klass in ("READ", "WRITE") and e.level == 0:
                    found.setdefault((log.generation, os.path.basename(e.file),
                                      e.klass), []).append(e)
        moved = {(name, way): sum(map(tracelog.bytes_of, events))
                 for (_, name, way), events in found.items()}
        for name, way in (("in", "READ"), ("out", "WRITE"), ("out", "READ"),
                          ("sorted", "WRITE")):
            self.assertEqual(moved[name, way], 10000, (name, way))
        # The parent process may move them, too.
        self.assertEqual({e.offset for events in found.values() for e in events
                          if os.path.basename(e.file) in ("out", "sorted")}, {-1})

    def joined(self, events):
        """Macros report each buffer, the last one perhaps at the end of the process:
        this joins those of a file that follow each other."""
        lines = []
        for e in events:
            line = [e.file, e.op, e.offset, e.result]
            before = [x for x in lines if x[0] == e.file][-1:]
            if before and before[0][1] == e.op and e.op.startswith("unseen_") and \
                    e.offset == (before[0][2] + before[0][3] if e.offset >= 0 else -1):
                lines.remove(before[0])
                line[2:] = before[0][2], before[0][3] + e.result
            lines.append(line)
        return ["%s %s %d %d" % tuple(line) for line in lines]

    def test_macros_of_streams(self):
        """Bytes without a call are found, and offsets continue after them."""
        for mode in ({}, {"IOTRACE_MODE": "profile"}):
            out = self.run_under(built("streams"), env=dict(BINARY, **mode))
            log, = tracelog.logs(self.tmp)
            if mode:
                found = {(p.file, p.op): p.bytes for p in log.profile if p.bytes}
                want = collections.Counter()
                for name, call, _, size in map(str.split, out.splitlines()):
                    want[name, call] += int(size)
                self.assertEqual(found, dict(want))
            else:
                found = self.joined(e for e in log.events
                                    if e.klass in ("READ", "WRITE"))
                self.assertEqual(found, out.splitlines())
            for name in os.listdir(self.tmp):
                os.remove(self.path(name))

    def test_inherited_descriptor_is_found(self):
        """The shell opens it, cat writes: no call of cat has its name."""
        self.run_under("sh", "-c", "exec 7>named; exec dd if=/etc/passwd of=/dev/fd/7 "
                       "bs=10 count=1", env=BINARY)
        files = {os.path.basename(e.file) for log in tracelog.logs(self.tmp)
                 for e in log.events}
        self.assertIn("named", files)

    def mount_of(self, path):
        """Returns (point, type), by the table of mounts: the last of the longest."""
        best = "", ""
        with open("/proc/self/mountinfo") as f:
            for line in f:
                before, after = line.split(" - ")
                point = before.split()[4].replace("\\040", " ")
                if path == point or path.startswith(point.rstrip("/") + "/"):
                    if len(point) >= len(best[0]):
                        best = point, after.split()[0]
        return best

    def test_where_a_file_is(self):
        log = self.traced("sh", "-c", "echo text > here; ls > /dev/null; "
                          "read x < /proc/self/stat; exec 3>here 4<here; echo x >&3",
                          env={"IOTRACE_MAX_BYTES": "4M"})
        point, kind = self.mount_of(os.path.realpath(self.tmp))
        block = os.stat(self.path("here")).st_blksize
        self.assertEqual(log.place("here"), (kind, block, 0, 0, point))
        self.assertEqual(log.place("/proc/self/stat")[::4], ("proc", "/proc"))
        self.assertEqual(log.version, 3)

    def test_what_the_system_counts(self):
        log = self.traced(sys.executable, "-c", "import os; fd = os.open('x', 65);"
                          "[os.write(fd, bytes(1 << 20)) for _ in range(4)]; "
                          "sum(range(10 ** 6))")
        mine = os.sched_getaffinity(0)
        self.assertEqual(int(log.value("cores")), len(mine))
        ranges = [list(map(int, r.split("-"))) for r in log.value("cpus").split(",")]
        self.assertEqual({c for r in ranges for c in range(r[0], r[-1] + 1)}, mine)
        self.assertGreaterEqual(int(log.value("waited_ns")), 0)
        count = list(map(int, log.value("io").split(":")))
        self.assertEqual(len(count), 10)
        seen = sum(tracelog.bytes_of(e) for e in log.events if e.klass == "WRITE")
        self.assertGreaterEqual(seen, 4 << 20)
        self.assertEqual(count[1] - count[6], seen)
        self.assertEqual(len(log.value("before").split(":")), 2)

    def test_what_the_system_counts_of_a_child(self):
        """Counts begin with the log: the parent's earlier work is not the child's."""
        self.run_under(sys.executable, "-c", "import os; fd = os.open('x', 65);"
                       "os.write(fd, bytes(1 << 20)); "
                       "os.fork() or (os.write(fd, bytes(10)), os._exit(0)); "
                       "os.wait()", env=BINARY)
        child, = [log for log in tracelog.logs(self.tmp) if log.ppid != os.getpid()]
        count = list(map(int, child.value("io").split(":")))
        self.assertEqual(count[1] - count[6], 10)

    def test_marks(self):
        for name in ("marks", "marks_no_pie"):
            log = self.traced(built(name), "spoken")
            self.assertEqual([(e.op, e.file) for e in log.events],
                             [("region_begin", "outer")] + [("mark", "spoken")] * 3 +
                             [("mark", "first"), ("mark", "other"),
                              ("region_end", "outer")])
            os.remove(log.path)
            self.run_under(built(name), preload=None)

    def test_time_is_right(self):
        before = time.time()
        log = self.traced(sys.executable, "-c", "import os, time; r, w = os.pipe(); "
                          "os.fork() or (time.sleep(0.5), os.write(w, b'x'), "
                          "os._exit(0)); os.read(r, 1)")
        scale = ((log.unix_ns[1] - log.unix_ns[0]) / (log.ticks[1] - log.ticks[0]))
        took = max(e.duration for e in log.events if e.op == "read") * scale * 1e-9
        self.assertGreater(took, 0.3)
        self.assertLess(took, time.time() - before)
        self.assertLess(abs(log.first_ns * 1e-9 - before), 2)


class Uring(Recorder):
    """Bytes and errors are those of the completions."""
    N = 100  # writes of 4096 bytes

    def ring(self, program, *args):
        """Returns the log and the program's own counts, if rings are available."""
        if not os.path.exists(built(program)):
            self.skipTest("built without liburing")
        out = self.run_under(built(program), *args, env=BINARY, status=None)
        if not out:
            self.skipTest("no io_uring here")
        log, = tracelog.logs(self.tmp)
        return log, {op: [int(n) for n in counts] for op, *counts in
                     (line.split() for line in out.splitlines())}

    def completed(self, *line):
        log, told = self.ring(*line)
        self.assertEqual(told, {"uring_read_end": [3, 1100, 1],
                                "uring_write_end": [self.N, 4096 * self.N, 0]})
        for op, (count, size, errors) in told.items():
            ends = [e for e in log.events if e.op == op]
            begun = [e for e in log.events if e.op == op[:-4]]
            self.assertEqual(len(ends), count)
            self.assertEqual(sum(tracelog.bytes_of(e) for e in ends), size)
            self.assertEqual(sum(e.result < 0 for e in ends), errors)
            self.assertEqual(sorted((e.file, e.offset, e.request) for e in begun),
                             sorted((e.file, e.offset, e.request) for e in ends))
            self.assertEqual({(e.flags & tracelog.ASYNC, e.result) for e in begun},
                             {(tracelog.ASYNC, 0)})
        self.assertEqual([k for k, _ in log.text if k == "uring"], [])
        files = json.loads(self.tool("summary", "--json=-", self.tmp))["files"]
        f, = [f for f in files if f["name"] == "f"]
        moved = {way: [f["by_class"][way][what] for what in ("calls", "bytes")]
                 for way in ("write", "read")}
        self.assertEqual(moved, {"write": [self.N, 4096 * self.N], "read": [2, 1100]})

    def tool(self, *line):
        return self.run_under(os.path.join(BUILD, "iotrace"), *line, preload=None)

    def test_library(self):
        self.completed("uring_library", str(self.N), "f")

    def test_system_calls(self):
        self.completed("uring_calls", "calls", str(self.N), "f")

    def test_system_calls_of_threads(self):
        self.completed("uring_calls", "threads", str(self.N), "f")

    def threads(self, form, name="uring_write"):
        """Threads submit, and another one waits: each transfer counts once."""
        n = 2000
        if not os.path.exists(built("async_threads")):
            self.skipTest("built without liburing")
        self.run_under(built("async_threads"), form, str(n), "f", env=BINARY,
                       status=None)
        log, = tracelog.logs(self.tmp)
        end = "io_getevents_write" if form == "libaio" else "uring_write_end"
        begun = "io_submit_write" if form == "libaio" else "uring_write"
        if not [e for e in log.events if e.op == begun]:
            self.skipTest("no io_uring of this kind here")
        wanted = {(i * 4096, 4096): 1 for i in range(n)}
        for op in (begun, end):
            found = collections.Counter((e.offset, e.request) for e in log.events
                                        if e.op == op)
            self.assertEqual([x for x in {**found, **wanted}
                              if found[x] != wanted.get(x)], [], op)
        told = json.loads(self.tool("summary", "--json=-", self.tmp))["total"]["write"]
        self.assertEqual((told["calls"], told["bytes"]), (n, 4096 * n))

    @unittest.skipUnless(os.uname().machine == "x86_64", "as on others")
    def test_past_all_functions(self):
        """Unseen transfers are reported, with their number."""
        log, told = self.ring("uring_calls", "past", str(self.N), "f")
        self.assertEqual(told["uring_write_end"][0], self.N)
        self.assertEqual([e for e in log.events if "uring" in e.op], [])
        self.assertEqual(log.value("uring"), "1:%d" % (self.N + 3))
        said = "io_uring by itself: 1 ring, %d transfers not seen" % (self.N + 3)
        self.assertIn(said, self.tool("summary", "--all", self.tmp))

    @unittest.skipUnless(shutil.which("fio"), "fio is not installed")
    def test_fio(self):
        self.run_under("fio", "--name=x", "--ioengine=io_uring", "--rw=write",
                       "--bs=4k", "--size=256k", "--thread", "--output=/dev/null",
                       env=dict(BINARY, IOTRACE_LOGFILE=self.tmp + "/log.%d"),
                       status=None)
        log, = [log for log in tracelog.logs(self.tmp) if log.ppid == os.getpid()]
        if not any("io_uring" in e.file for e in log.events) and \
                "uring" not in dict(log.text):
            self.skipTest("no io_uring here")
        seen = sum(e.op == "uring_write_end" for e in log.events)
        unseen = int(dict(log.text).get("uring", "0:0").split(":")[1])
        self.assertEqual(seen + unseen, 64)


for form in ("waiter", "limited", "submitters", "poll", "rings", "libaio"):
    add(Uring, "of threads: " + form, "threads", form)


class Direct(Recorder):
    def test_refused_when_completed(self):
        """The completion tells what O_DIRECT refuses, with its own error, and that is a
        finding; EINVAL of another descriptor is none."""
        out = self.run_under(built("direct_async"), "f", env=BINARY, status=None)
        if not out:
            self.skipTest("O_DIRECT takes anything here, or is not there")
        log, = tracelog.logs(self.tmp)
        refused = [e for e in log.events if e.flags & tracelog.DIRECT]
        self.assertEqual(["%s %d %d" % (e.op, e.offset, e.request) for e in refused],
                         out.splitlines())
        self.assertEqual({e.result for e in refused}, {-22})
        self.assertEqual(len([e for e in log.events if e.result == -22]),
                         len(refused) + 1)
        found = json.loads(self.run_under(
            os.path.join(BUILD, "iotrace"), "findings", "--json=-", log.path,
            preload=None))
        risk, = found["risks"]
        self.assertEqual((risk["id"], risk["calls"], os.path.basename(risk["file"])),
                         ("direct-unaligned", len(refused), "f"))


@unittest.skipUnless(shutil.which("cc"), "no C compiler called cc")
class Unchanged(Recorder):
    """Programs that a preloaded library could break."""

    def test_two_libraries_of_one_name(self):
        """Each caller's calls go to its own library, as without the recorder."""
        for n in "12":
            self.compiled("libh5%s.so" % n, "long H5Fcreate(void) { return %s; }" % n,
                          "-shared", "-fPIC")
            self.compiled("user%s.so" % n, "long H5Fcreate(void);"
                          "long use(void) { return H5Fcreate(); }", "-shared", "-fPIC",
                          "-L" + self.tmp, "-lh5" + n, "-Wl,-rpath," + self.tmp)
        code = ("import ctypes; a, b = [ctypes.CDLL('./user%d.so' % n) for n in (1, 2)]"
                "; print(a.use(), b.use(), a.use(), b.use())")
        for preload in (None, RECORDER):
            out = self.run_under(sys.executable, "-c", code, env=BINARY,
                                 preload=preload)
            self.assertEqual(out, "1 2 1 2\n")

    def test_ended_by_a_constructor(self):
        """A library's constructor comes before the recorder's."""
        self.compiled("libends.so", "#include <stdio.h>\n#include <stdlib.h>\n"
                      "__attribute__((constructor)) static void f(void) {"
                      "fclose(fopen(\"made\", \"w\")); exit(3); }", "-shared", "-fPIC")
        program = self.compiled("program", "int main(void) { return 0; }",
                                "-L" + self.tmp, "-Wl,--no-as-needed", "-lends",
                                "-Wl,-rpath," + self.tmp)
        log = self.traced(program, status=3)
        self.assertEqual((log.state, [e.op for e in log.events]),
                         (tracelog.EXITED, ["fopen", "fclose"]))

    def test_another_c_library(self):
        """The loader identifies it, which here is ours under such a name: the program
        runs without the recorder, from the shell and from a program, and is named."""
        ours = [line.split()[-1].strip("]") for line in subprocess.run(
            ("readelf", "-l", "/bin/sh"), stdout=subprocess.PIPE,
            check=True).stdout.decode().splitlines() if "interpreter" in line]
        loader = self.path("ld-musl-x86_64.so.1")
        shutil.copy(ours[0], loader)
        program = self.compiled(
            "other", "#include <stdio.h>\n#include <stdlib.h>\n"
            "int main(void) { const char *p = getenv(\"LD_PRELOAD\");"
            " puts(p && *p ? p : \"none\"); return 4; }",
            "-Wl,--dynamic-linker=" + loader)
        spawns = ("import os, sys; pid = os.posix_spawn('./other', ['other'], "
                  "os.environ); sys.exit(os.waitpid(pid, 0)[1] >> 8)")
        for line in ([program], ["sh", "-c", "./other; exit $?"],
                     [sys.executable, "-c", spawns]):
            done = subprocess.run(
                [os.path.join(BUILD, "iotrace"), "run", "-n", "job", "--"] + line,
                cwd=self.tmp, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (4, b"none\n"), done)
        self.assertIn("programs of another C library: other (1 start)", self.run_under(
            os.path.join(BUILD, "iotrace"), "summary", "job.1", preload=None))


STARTS = """
import os, subprocess
def child(n):
    return ["/bin/dd", "if=/dev/zero", "of=made%d" % n, "bs=1000", "count=%d" % n,
            "status=none"]
def forked(n, execute):
    pid = os.fork()
    if not pid:
        execute(child(n))
    os.waitpid(pid, 0)
forked(1, lambda line: os.execve(line[0], line, {}))
forked(2, lambda line: os.execvpe("dd", line, {"PATH": "/bin", "LD_PRELOAD": ""}))
forked(3, lambda line: os.execve(os.open(line[0], os.O_RDONLY), line, {}))
os.waitpid(os.posix_spawn(child(4)[0], child(4), {"IOTRACE_APPNAME": "mine"}), 0)
subprocess.run(child(5), env={}, check=True)
subprocess.run(["env", "-i"] + child(6), check=True)
"""


class Following(Recorder):
    def made(self, **env):
        """Returns what the logs have written to the files that six children make."""
        self.run_under(sys.executable, "-c", STARTS, env=dict(
            BINARY, IOTRACE_LOGFILE=self.path("log.%d"), **env))
        for n in range(1, 7):
            self.assertEqual(os.path.getsize(self.path("made%d" % n)), 1000 * n)
        logs = tracelog.logs(self.tmp)
        logs = tracelog.logs(self.tmp)
        return logs, [sum(log.counts("made%d" % n).get("write", (0, 0))[1]
                          for log in logs) for n in range(1, 7)]

    def test_into_other_environments(self):
        logs, made = self.made()
        self.assertEqual(made, [1000 * n for n in range(1, 7)])
        self.assertIn("mine", {log.value("app") for log in logs})

    def test_only_where_the_environment_says_so(self):
        self.assertEqual(self.made(IOTRACE_FOLLOW="environment")[1], [0] * 6)

    def test_environment_is_otherwise_as_it_was(self):
        given = ["A=1", "LD_PRELOAD=/none.so", "IOTRACE_APPNAME=own", "Z=2"]
        found = self.run_under("env", "-i", *given, "/usr/bin/env", env=BINARY)
        lines = found.splitlines()
        self.assertEqual([line for line in lines if not re.match(
            "IOTRACE_(BINARY|PROCESS)|LD_PRELOAD", line)], [given[0], *given[2:]])
        self.assertIn("LD_PRELOAD=/none.so:" + RECORDER, lines)
        self.assertIn("IOTRACE_BINARY=true", lines)

    def test_one_that_starts_itself_until_it_is_not_preloaded(self):
        again = self.path("again")
        write_file(again, "#!/bin/sh\n[ -z \"$LD_PRELOAD\" ] || LD_PRELOAD= "
                   "exec /bin/sh \"$0\"\necho done\n")
        os.chmod(again, 0o755)
        self.assertEqual(self.run_under(again, env=BINARY), "done\n")


LOADS = """
#define _GNU_SOURCE
#include <dlfcn.h>
int main(int n, char **word)
{
    void *l = n > 2 ? dlmopen(LM_ID_NEWLM, word[1], RTLD_NOW)
                    : dlopen(word[1], RTLD_NOW | RTLD_DEEPBIND);
    return l ? ((int (*)(void))dlsym(l, "make"))() : 1;
}
"""


@unittest.skipUnless(os.uname().machine == "x86_64", "they are counted on x86-64 only")
class Loads(Recorder):
    """Libraries that are hidden from the recorder work, and are told."""

    def test_hidden(self):
        self.compiled("lib.so", "#include <stdio.h>\nint make(void) {"
                      "FILE *f = fopen(\"made\", \"w\"); fputs(\"text\", f);"
                      "return fclose(f); }", "-shared", "-fPIC")
        # Found by the caller's search path.
        self.compiled("loads", LOADS, "-Wl,-rpath," + self.tmp)
        for number, more, said in (
                (1, (), "calls of 1 library loaded with RTLD_DEEPBIND"),
                (2, ("apart",), "calls of 1 library loaded into another namespace")):
            self.run_under(os.path.join(BUILD, "iotrace"), "run", "-n", "job", "--",
                           "./loads", "lib.so", *more, preload=None)
            self.assertEqual(read_text(self.path("made")), "text")
            os.remove(self.path("made"))
            self.assertIn(said, self.run_under(
                os.path.join(BUILD, "iotrace"), "summary", "job.%d" % number,
                preload=None))


class Idle(Recorder):
    """Processes that do nothing to files share a log."""

    def run_many(self, *line, status=0):
        self.run_under(os.path.join(BUILD, "iotrace"), "run", "-n", "job", "--", *line,
                       preload=None, status=status)
        places, = glob.glob(self.path("job.1", "idle.*"))
        with open(places, "rb") as f:
            data = f.read()
        self.assertEqual(len(data) % 512, 0)
        return [data[n:n + 512] for n in range(0, len(data), 512)
                if data[n:].startswith(b"IOTRACE\n")]

    def summary(self, *options):
        return self.run_under(os.path.join(BUILD, "iotrace"), "summary", *options,
                              "job.1", preload=None)

    def test_many(self):
        places = self.run_many("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; "
                               "/bin/echo x; done; cat /etc/passwd >copy")
        self.assertEqual(len(places), 18)
        self.assertEqual(len(glob.glob(self.path("job.1", "*.bin"))), 2)
        self.assertIn("18 processes that did nothing to files", self.err)
        text = self.summary("--all")
        self.assertIn("9 processes of true did nothing to files\n", text)
        self.assertIn("processes 20,", text)
        self.summary("--json", "json")
        found = json.loads(read_text(self.path("json")))
        self.assertEqual(collections.Counter(
            p["program"] for p in found["processes"])["echo"], 9)

    def test_killed(self):
        self.compiled("dies", "#include <signal.h>\n"
                      "int main(void) { return raise(SIGKILL); }")
        self.assertEqual(len(self.run_many("sh", "-c", "./dies; true")), 1)
        self.assertIn("the end of 1 process that did not say it", self.summary())

    def test_bytes_that_pass_unseen(self):
        """The first byte of a stream is seen, and begins the log of those that follow
        in no call."""
        self.compiled("puts", "#include <stdio.h>\nint main(void) {"
                      "for (int i = 0; i < 10; i++) putchar_unlocked('x');"
                      "return 0; }", "-O2")
        self.assertEqual(len(self.run_many("sh", "-c", "./puts >out; ./puts")), 1)
        self.assertEqual(
            sum(e.result for log in tracelog.logs(self.path("job.1"))
                for e in log.events if e.klass == "WRITE"), 10)

    def test_before_it_cannot_make_a_log(self):
        """Such a call gives it a log at once."""
        script = "import os; os.setgid(os.getgid())"
        self.assertEqual(self.run_many(sys.executable, "-I", "-S", "-c", script), [])


class Programs(Recorder):
    """Real programs behave the same under the recorder, and are seen."""

    def test_tar(self):
        os.mkdir(self.path("d"))
        for i in range(10):
            write_file(self.path("d", str(i)), "x" * 1000 * i)
        log = self.traced("tar", "cf", "d.tar", "d")
        size = os.path.getsize(self.path("d.tar"))
        self.assertEqual(log.counts("d.tar")["write"][1], size)

    def test_python(self):
        log = self.traced(sys.executable, "-c", "f = open('x', 'wb'); f.write(b'abc')")
        self.assertEqual(log.counts("x")["write"], (1, 3))

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_git(self):
        self.run_under("git", "init", "-q", "repo", preload=None)
        write_file(self.path("repo", "f"), "text")
        self.run_under("git", "add", "f", cwd=self.path("repo"),
                       env=dict(BINARY, IOTRACE_LOGFILE=self.tmp + "/log.%d"))
        self.assertIn("f", {os.path.basename(e.file) for log in tracelog.logs(self.tmp)
                            for e in log.events})
        self.assertEqual(self.run_under("git", "ls-files", preload=None,
                                        cwd=self.path("repo")), "f\n")

    @unittest.skipUnless(shutil.which("sqlite3"), "sqlite3 is not installed")
    def test_sqlite(self):
        log = self.traced("sqlite3", "x.db",
                          "create table t(a); insert into t values(1);")
        self.assertGreater(sum(n for _, n in log.counts("x.db").values()), 4096)


if __name__ == "__main__":
    main()
