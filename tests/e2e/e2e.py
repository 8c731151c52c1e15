"""Common parts of the end-to-end tests: a program under the launcher, and its files.

    from e2e import Case, main

    class Runs(Case):
        def test_something(self):
            done = self.madbench("64", "2", "--io-only", np=4)
            self.good(done)

Each program runs in a directory of its own (done.dir, also its --dir) that must be
empty afterwards, and writes its report beside it (done.report).
"""
import contextlib
import importlib.machinery
import importlib.util
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TESTS, "unit"))
from files import (changed_json, read_bytes, read_json, read_text,  # noqa: E402,F401
                   run_text, write_at, write_file, write_json)
from tap import add, any_mpi, drawn, long, main  # noqa: E402,F401  (for tests)

FLAVOUR = os.environ["MPI_FLAVOUR"]
HAVE_SCALAPACK = os.environ["HAVE_SCALAPACK"] == "yes"
BUILD = os.environ["top_builddir"]
SHIM = os.path.join(BUILD, "tests", "fault_shim.so")
TIMED_OUT = 124

# Every way of access to a file here: name, options, the launcher's options. MPICH has
# one layer of MPI-IO, Open MPI two.
ROMIO = ("--mca", "io", "romio321")
METHODS = [("posix", ("--iomethod=POSIX",), ()),
           ("mpi", ("--iomethod=MPI",), ())]
if FLAVOUR == "openmpi":
    METHODS.append(("romio", ("--iomethod=MPI",), ROMIO))
HDF5 = [("hdf5", ("--iomethod=HDF5",), ())] if os.environ["HAVE_HDF5"] == "yes" else []

# The engines with several requests in flight.
ASYNCHRONOUS = ["threads"] + [
    name for name, have in (("uring", "HAVE_LIBURING"), ("libaio", "HAVE_LIBAIO"))
    if os.environ[have] == "yes"] + ["aio"] * (platform.libc_ver()[0] == "glibc")

# One available engine of each kind: system calls, a ring, mapped memory, MPI-IO.
KINDS = ["posix"] + ["uring"] * ("uring" in ASYNCHRONOUS) + ["mmap", "mpiio"]

# Every way to transfer while computing. Open MPI's ROMIO blocks in the call, and its
# nonblocking collectives are refused, but its answers are right.
ASYNC_METHODS = [(name, ("--iomethod=" + name,), ()) for name in ASYNCHRONOUS]
ASYNC_METHODS.append(("mpi", ("--iomethod=MPI",), ()))
ASYNC_METHODS.append(("mpi_collective", ("--iomethod=MPI", "--collective"), ()))
if FLAVOUR == "openmpi":
    ASYNC_METHODS.append(("romio", ("--iomethod=MPI",), ROMIO))

# Preloads for the program only, after the launcher has read its environment.
PRELOADED = ["/bin/sh", "-c",
             'LD_PRELOAD="$PRELOAD${LD_PRELOAD:+:$LD_PRELOAD}" exec "$@"', "sh"]


def workloads():
    """Returns an example of each workload that programs.def lists: a command line."""
    lines = subprocess.check_output([
        os.path.join(TESTS, os.pardir, "build-aux", "programs"), "--examples"])
    return [tuple(line.split()) for line in lines.decode().splitlines()]


def load_runner():
    """tests/run, which knows what each MPI needs on a small machine."""
    loader = importlib.machinery.SourceFileLoader("runner", os.path.join(TESTS, "run"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("runner", loader))
    loader.exec_module(module)
    return module


runner = load_runner()


def fault(what, rank=None, file="files/madbench-", **more):
    """Returns the environment that tells tests/fault_shim.c what to do, to madbench's
    files unless `file` says otherwise."""
    env = {"PRELOAD": SHIM, "FAULT": what, "FAULT_FILE": file}
    if rank is not None:
        env["FAULT_RANK"] = str(rank)
    env.update(more)
    return env


class Done:
    """A program that has ended, or is running (Case.start)."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.dir = os.path.join(folder, "files")
        self.json = os.path.join(folder, "report.json")
        self.status = None
        self.out = self.err = ""

    def read(self):
        for name in ("out", "err"):
            raw = read_bytes(os.path.join(self.folder, name))
            setattr(self, name, raw.decode("utf-8", "replace"))
        # The program's own lines, or its command's ("ldad perf:"); launchers add
        # theirs.
        own = re.compile(re.escape(self.program) + "( [a-z]+)?:")
        self.said = [line for line in self.err.splitlines() if own.match(line)]

    @property
    def report(self):
        return read_json(self.json)

    @property
    def files(self):
        return sorted(os.listdir(self.dir)) if os.path.isdir(self.dir) else []

    def wait(self, limit):
        """Waits, and ends the launcher after the limit; tests/run ends what it
        leaves."""
        try:
            self.status = self.child.wait(timeout=limit * runner.SCALE)
        except subprocess.TimeoutExpired:
            self.status = TIMED_OUT
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.read()
        return self

    def ranks(self):
        """Returns the process numbers of the program under this launcher."""
        tree, name = runner.parents(), os.path.basename(self.program)
        found, level = [], [self.child.pid]
        while level:
            level = [pid for pid, parent in tree.items() if parent in level]
            found += [pid for pid in level if runner.name_of(pid) == name]
        return found

    def all_have(self, path, n):
        """Returns True if n ranks have that file open or mapped."""
        def has(pid):
            with contextlib.suppress(OSError):
                with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
                    fds = "/proc/%d/fd" % pid
                    return path in maps.read() or path in (
                        os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds))
            return False

        return sum(map(has, self.ranks())) == n

    def signal(self, number, *others):
        """Signals the program's ranks, after `others`; returns them. A launcher may end
        the later ones as soon as the first has gone."""
        ranks = self.ranks()
        for pid in [*others, *ranks]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return ranks

    def __str__(self):
        return "status %s\nstdout: %s\nstderr: %s" % (self.status, self.out[-2000:],
                                                       self.err[-3000:])


def strace_lines(path):
    """Returns lines of strace -f, without the process number, and with interrupted
    calls in one piece."""
    begun = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            pid, rest = line.split(None, 1)
            if rest.endswith("<unfinished ...>\n"):
                begun[pid] = rest[:-len("<unfinished ...>\n")]
            elif rest.startswith("<... ") and pid in begun:
                yield begun.pop(pid) + rest.split(" resumed>", 1)[1]
            else:
                yield rest


MEMORY = "/sys/fs/cgroup/memory"


def limited_memory(case, size):
    """Returns a command that runs another one with so many bytes of memory and page
    cache (`inside`); a cgroup of version 1, which the test removes."""
    if os.geteuid() or not os.path.exists(MEMORY + "/memory.limit_in_bytes"):
        case.skipTest("needs root, and a limit of memory at %s" % MEMORY)
    group = os.path.join(MEMORY, "leadline-%d" % os.getpid())
    os.mkdir(group)
    case.addCleanup(lambda: case.until(lambda: removed(group), "the group is empty"))
    write_file(group + "/memory.limit_in_bytes", str(size))
    return ("sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group)


def removed(folder):
    with contextlib.suppress(OSError):
        os.rmdir(folder)
    return not os.path.exists(folder)


class Case(unittest.TestCase):
    maxDiff = None
    LIMIT = 60
    open_to_all = False  # programs run as another user

    def setUp(self):
        self.tmp = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
        os.chmod(os.environ["LEADLINE_TMP"], 0o755)
        self.addCleanup(shutil.rmtree, self.tmp, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.tmp, *names)

    def file(self, name, content):
        """Makes a file of text or bytes; returns its path."""
        return write_file(self.path(name), content)

    # ---- running -------------------------------------------------------------

    def start(self, program, *args, np=2, env=None, launcher=(), before=(), inside=(),
              dir=None, json=True, mpiexec=None, stderr=None):
        """Starts a program on np ranks (0: without a launcher).

        env: a variable given as None is taken away. launcher: more options of it.
        before: a command that runs all of it ("unshare", "-m", ...); inside: one that
        runs each rank. stderr: where it goes, if not to done.err."""
        done = Done(program, tempfile.mkdtemp(dir=self.tmp))
        os.mkdir(done.dir)
        if self.open_to_all:
            os.chmod(done.folder, 0o777)
        line = [program, *args]
        line += [] if dir is False else ["--dir", dir or done.dir]
        line += ["--json", done.json] if json else []
        environment = dict(runner.mpi_environment(max(np, 1)))
        for name, value in (env or {}).items():
            environment[name] = value
            if value is None:
                del environment[name]
        if "PRELOAD" in environment:
            line = PRELOADED + line
        line = [*inside, *line]
        if mpiexec:  # another MPI's launcher does not know our options
            line = [*mpiexec, "-n", str(np), *line]
        elif np:
            line = runner.launch_line(np, line)
            mpi = os.environ.get("MPIEXEC", "mpiexec").split()
            line = mpi + list(launcher) + line[len(mpi):]
        with open(os.path.join(done.folder, "out"), "wb") as out, \
             open(os.path.join(done.folder, "err"), "wb") as err:
            done.child = subprocess.Popen([*before, *line], env=environment,
                                          stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=stderr or err, cwd=done.folder)
        return done

    def run_program(self, program, *args, limit=None, **how):
        return self.start(program, *args, **how).wait(limit or self.LIMIT)

    def madbench(self, *args, **how):
        return self.run_program("madbench", *args, "--quiet", **how)

    def blocktransfer(self, *args, **how):
        return self.run_program("blocktransfer", *args, "--quiet", **how)

    def until(self, condition, what, limit=30):
        """Waits for something that another process does."""
        deadline = time.monotonic() + limit * runner.SCALE
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited too long until " + what)
            time.sleep(0.01)

    # ---- judging -------------------------------------------------------------

    def good(self, done, files=()):
        """It ended well, printed nothing, left nothing; returns its report."""
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.said, [], done)
        self.assertEqual(done.files, sorted(files), done)
        report = done.report
        self.assertIs(report["valid"], True, done)
        self.assertIsNone(report["why"])
        self.assertEqual(report["errors"], [])
        return report

    def one_sentence(self, done, *parts):
        """It printed one line of ours on stderr, with all of `parts`, and left no
        files."""
        self.assertNotEqual(done.status, TIMED_OUT, "no end: %s" % done)
        self.assertNotEqual(done.status, 0, done)
        self.assertEqual(len(done.said), 1, done)
        for part in parts:
            self.assertIn(str(part), done.said[0])
        self.assertEqual(done.files, [], done)
        return done.said[0]

    def refused(self, done, *parts):
        """It is a usage error: status 2, before any output."""
        said = self.one_sentence(done, *parts)
        self.assertEqual(done.status, 2, done)
        self.assertEqual(done.out, "")
        return said

    def failed(self, done, *parts, rank=None, file=None):
        """It is a failed run: status 1, and the same sentence in the report."""
        said = self.one_sentence(done, *parts)
        self.assertEqual(done.status, 1, done)
        report = done.report
        self.assertIs(report["valid"], False)
        self.assertEqual(len(report["errors"]), 1, report["errors"])
        error = report["errors"][0]
        self.assertEqual(report["why"], error["text"])
        self.assertIn(error["text"], said)
        self.assertNotIn("dC[0]", done.out)
        if rank is not None:
            self.assertEqual(error["rank"], rank, error)
            self.assertIn("rank %d on %s" % (rank, error["host"]), said)
        if file:
            self.assertIn(file, error["file"])
            self.assertIn("file " + error["file"], said)
        return error


def samples(report, act, phase=None, rep=None):
    return [s for s in report["samples"] if s["act"] == act
            and phase in (None, s["phase"]) and rep in (None, s["rep"])]


def total(report, act, field="bytes", **of):
    return sum(s[field] for s in samples(report, act, **of))
