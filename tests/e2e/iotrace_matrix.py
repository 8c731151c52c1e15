"""A traced program is the same program, with any allocator, within any limit.
mpi: any; limit: 3600; tier: quick ci

It has the same output, exit status and files; also with a clock of its own, within
small limits, and where no log can be kept. Programs are started by a shell that is
traced, too. Two runs are compared, one of them untraced: a program that fails within a
limit fails traced as well."""
import collections
import contextlib
import glob
import hashlib
import itertools
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

from e2e import (BUILD, TESTS, Case, add, drawn, long, main, read_bytes, runner,
                 write_file)

sys.path.insert(0, os.path.join(TESTS, "iotrace"))
import tracelog  # noqa: E402

RECORDER = os.path.join(BUILD, "libiotrace.so")
SMALL = os.path.join(BUILD, "tests", "iotrace", "small")
FORMS = {"binary": {"IOTRACE_BINARY": "true"}, "table": {},
         "unmapped": {"IOTRACE_BINARY": "true", "IOTRACE_MMAP": "no"}}

# Name: the library, as the loader knows it, and its needs.
LIBRARIES = {
    "jemalloc": ("libjemalloc.so.2", {}),
    "tcmalloc": ("libtcmalloc_minimal.so.4", {}),
    "mimalloc": ("libmimalloc.so.2.0", {}),
    "faketime": ("faketime/libfaketime.so.1", {"FAKETIME": "-3y"})}

PYTHON = """
import mmap, os, subprocess, sys, threading
def work(n):
    with open("file%d" % n, "wb") as f:
        for i in range(200):
            f.write(b"%d %d" % (n, i))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
with open("file0", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    m[0:3] = b"map"
print(subprocess.run(["sort", "-r", "file1"], stdout=subprocess.PIPE).stdout[:20])
fd = os.open("/dev/null", os.O_WRONLY)
for i in range(20000):
    os.write(fd, b"0123456789")
print(sorted(os.listdir(".")), fd)
sys.exit(3)
"""
REDIS = """
(redis-server --port 0 --unixsocket $PWD/s --save '' --logfile /dev/null
 echo $? >ended) &
until redis-cli -s s ping >pong 2>&1 || [ -e ended ]; do sleep 0.02; done
for i in 1 2 3; do redis-cli -s s set key$i value$i 2>&1; done
redis-cli -s s mget key1 key2 key3 none 2>&1
redis-cli -s s save 2>&1; redis-cli -s s shutdown nosave 2>&1; wait; cat ended
"""
GIT = """
export HOME=$PWD GIT_AUTHOR_DATE='2001-01-01 00:00 +0000' GIT_CONFIG_NOSYSTEM=1
export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
git init -q r && cd r && git config user.email a@b && git config user.name c &&
seq 1 2000 >file && git add file && git commit -qm one && seq 5 3000 >file &&
git commit -qam two && git gc -q && git log --format=%H && git status --short &&
git diff HEAD^ | tail -n 3; git fsck; git show HEAD:none; echo $?
"""
SHELL = """
seq 1 3000 | sort -r | uniq | head -n 3; seq 1 5000 | tr 1 2 >out; wc -l <out
cat out out | tee copy | md5sum; ls no-such-file; x=$(cat out | tail -n 1); echo "$x"
echo a >&2; (exit 3); echo $?; yes | head -n 2; exec sh -c 'echo last; exit 5'
"""
GO = """package main
/* int one(void) { return 1; } */
import "C"
import ("fmt"; "os"; "sync")
func main() {
    var w sync.WaitGroup
    for n := 0; n < 8; n++ {
        w.Add(1)
        go func(n int) {
            defer w.Done()
            os.WriteFile(fmt.Sprintf("file%d", n), []byte("some text"), 0644)
        }(n)
    }
    w.Wait()
    fmt.Println("done", C.one())
    os.Exit(4)
}
"""
JAVA = """
keytool -genseckey -keyalg AES -keysize 128 -alias a -keystore keys -storepass secret \
  -J-XX:+UseSerialGC -J-Xmx64m 2>&1
java -XX:+UseSerialGC -Xmx64m -XX:TieredStopAtLevel=1 --list-modules; echo $?
"""
# Name: the script, its needs, files whose bytes differ from run to run.
PROGRAMS = {
    "shell": (SHELL, ["seq"], ""),
    "python": ("exec %s -c '%s'" % (sys.executable, PYTHON), [], ""),
    "git": (GIT, ["git"], r"\.git/(index|gc\.pid|objects/(info|pack)/.*|.*\.rev)$"),
    "redis": (REDIS, ["redis-server", "redis-cli"], r"\.rdb$"),
    "small": ("exec %s 20000" % SMALL, [], ""),
    "java": (JAVA, ["java", "keytool"], "keys"),
    "go": ("exec $GO_PROGRAM", ["go", "gcc"], "")}

KIB, MIB = 1 << 10, 1 << 20
LIMITS = {"none": {}, "fsize_100k": {"FSIZE": 100 * KIB},
          "fsize_2m": {"FSIZE": 2 * MIB}, "nofile": {"NOFILE": 32},
          "as": {"AS": 400 * MIB}, "data": {"DATA": 256 * MIB},
          "memlock": {"MEMLOCK": 0}, "stack": {"STACK": 256 * KIB},
          "nproc": {"NPROC": 1}, "core": {"CORE": 0}}
LOGS = ["good", "full", "absent"]
ROOMY = ("java", "go")  # they reserve more than any small limit of memory

Outcome = collections.namedtuple("Outcome", "status out err files")


def library(name):
    """Returns the path of a library, or None."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                   "/usr/lib64", "/usr/lib", "/usr/local/lib"):
        for path in (os.path.join(folder, name),
                     os.path.join(folder, os.path.basename(name))):
            if os.path.exists(path):
                return path
    return None


class Pair(Case):
    reference = {}  # results of untraced runs

    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(os.environ["LEADLINE_TMP"], "matrix")
        cls.full = os.path.join(cls.folder, "full")
        os.makedirs(cls.full)
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", cls.full]
        cls.is_full = not os.geteuid() and not subprocess.call(
            mount, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.clean)

    @classmethod
    def clean(cls):
        if cls.is_full:
            subprocess.call(["umount", cls.full])
        shutil.rmtree(cls.folder, ignore_errors=True)
        # libfaketime leaves these itself
        for path in glob.glob("/dev/shm/*faketime_s[eh]m_*"):
            if not os.path.exists("/proc/" + path.rpartition("_")[2]):
                with contextlib.suppress(OSError):
                    os.remove(path)

    # ---- what is run ---------------------------------------------------------

    def needs(self, program, alloc):
        for name in PROGRAMS[program][1]:
            if not shutil.which(name):
                self.skipTest("%s is not installed" % name)
        if alloc and not library(LIBRARIES[alloc][0]):
            self.skipTest("%s is not installed" % LIBRARIES[alloc][0])

    def compiled(self, name, *words):
        """Returns a program of this class, made once."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            done = subprocess.run([*words, "-o", path], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
        return path

    def go_program(self):
        source = os.path.join(self.folder, "small.go")
        write_file(source, GO)
        words = ["env", "CGO_ENABLED=1", "GOFLAGS=-mod=mod",
                 "GOCACHE=" + os.path.join(self.folder, "cache"), "go", "build",
                 "-ldflags=-linkmode=external"]
        path = os.path.join(self.folder, "go")
        if not os.path.exists(path):
            subprocess.run([*words, "-o", path, source], check=True, timeout=900)
        return path

    def linked(self, alloc):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            self.skipTest("there is no compiler")
        return "exec %s 20000" % self.compiled(
            "linked-" + alloc, compiler, os.path.join(TESTS, "iotrace", "small.c"),
            "-pthread", "-Wl,--no-as-needed", library(LIBRARIES[alloc][0]))

    def run_one(self, script, env, limits, different):
        def set_limits():
            for name, value in limits.items():
                number = getattr(resource, "RLIMIT_" + name)
                resource.setrlimit(number, (value, value))

        # the same for all, as outputs contain it
        place = os.path.join(self.folder, "run")
        os.mkdir(place)
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        environment.update(env)
        line = ["/bin/sh", "-c", script]
        preload = environment.pop("LD_PRELOAD", None)
        if preload:  # for the shell and its children only
            line = ["env", "LD_PRELOAD=" + preload, *line]
        if not os.geteuid() and shutil.which("setpriv"):  # else it may raise its limits
            line = ["setpriv", "--bounding-set=-sys_resource", *line]
        child = subprocess.Popen(
            line, cwd=place, env=environment, preexec_fn=set_limits,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        try:
            out, err = child.communicate(timeout=60 * runner.SCALE)
            status = child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            out, err = child.communicate()
            status = "hangs"
        err = [re.sub(rb"\b%d\b" % child.pid, b"PID", text)
               for text in err.splitlines() if not text.startswith(b"libiotrace: ")]
        files = sorted(self.files(place, different))
        shutil.rmtree(place)
        return Outcome(status, out, err, files)

    def files(self, place, different):
        for folder, _, names in os.walk(place):
            for name in names:
                path = os.path.join(folder, name)
                what = os.path.relpath(path, place)
                if not os.path.isfile(path):
                    continue
                if re.search(r"/objects/pack/", what):
                    what = os.path.dirname(what) + "/*" + os.path.splitext(what)[1]
                if different and re.search(different, what):
                    yield what, None
                    continue
                yield what, hashlib.sha256(read_bytes(path)).hexdigest()

    # ---- comparisons ---------------------------------------------------------

    def same(self, program, alloc, how, limit, log, form):
        """alloc: "" or one of LIBRARIES; how: "before" or "after" the recorder in
        LD_PRELOAD, or "linked"."""
        self.needs(program, alloc)
        if log == "full" and not self.is_full:
            self.skipTest("only root can mount a small file system")
        script, _, different = PROGRAMS[program]
        env = dict(LIBRARIES[alloc][1]) if alloc else {}
        if program == "go":
            env["GO_PROGRAM"] = self.go_program()
        preload = []
        if how == "linked":
            script = self.linked(alloc)
        elif alloc:
            preload = [library(LIBRARIES[alloc][0])]
        key = program, alloc, how == "linked", limit
        if key not in self.reference:
            plain = dict(env, LD_PRELOAD=":".join(preload)) if preload else env
            self.reference[key] = self.run_one(script, plain, LIMITS[limit], different)
        logs = {"good": self.path("logs"), "full": self.full,
                "absent": self.path("absent")}[log]
        if log != "absent":
            os.makedirs(logs, exist_ok=True)
        preload.insert(len(preload) if how == "before" else 0, RECORDER)
        traced = self.run_one(script, dict(
            env, LD_PRELOAD=":".join(preload), IOTRACE_APPNAME="matrix",
            IOTRACE_LOGFILE=os.path.join(logs, "%d.log"), **FORMS[form]),
            LIMITS[limit], different)
        if log == "full":
            for name in os.listdir(logs):
                os.remove(os.path.join(logs, name))
        self.assertEqual(traced, self.reference[key])
        if log == "good" and limit == "none":
            self.judge_logs(logs, form)

    def judge_logs(self, logs, form):
        """They exist, only for their owner, with plausible times."""
        names = os.listdir(logs)
        self.assertTrue(names)
        for name in names:
            mode = os.stat(os.path.join(logs, name)).st_mode & 0o777
            self.assertEqual(mode, 0o600, name)
            os.rename(os.path.join(logs, name), os.path.join(
                logs, name.replace(".log", ".tsv" if form == "table" else ".bin")))
        done = subprocess.run([os.path.join(BUILD, "iotrace"), "summary", "--json=-",
                               logs], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout.decode())
        self.assertGreaterEqual(report["seconds"], 0)
        self.assertLess(report["seconds"], 1000)
        self.assertLess(abs(report["begin_s"] - time.time()), 3600)


def rows():
    """Returns the whole matrix, each row with a name; forms of the log take turns."""
    ways = [("", "before")] + list(itertools.product(LIBRARIES, ("before", "after")))
    cases = [(p, a, how) for p, (a, how) in itertools.product(PROGRAMS, ways)]
    cases += [("small", a, "linked") for a in LIBRARIES]
    where = [(limit, "good") for limit in LIMITS] + [("none", log) for log in LOGS[1:]]
    forms = itertools.cycle(FORMS)
    for (program, alloc, how), (limit, log) in itertools.product(cases, where):
        if (program, alloc) == ("redis", "faketime"):
            continue  # redis has jemalloc, with which libfaketime hangs, also untraced
        if program in ROOMY and limit in ("as", "data", "nofile", "fsize_100k"):
            continue
        yield program, alloc, how, limit, log, next(forms)


# Rows that failed once, and one of each kind.
QUICK = [("small", "", "before", "none", "good", "binary"),
         ("small", "", "before", "fsize_2m", "good", "binary"),
         ("small", "", "before", "fsize_2m", "good", "table"),
         ("small", "", "before", "fsize_2m", "good", "unmapped"),
         ("small", "", "before", "fsize_100k", "good", "table"),
         ("small", "", "before", "nofile", "good", "binary"),
         ("small", "", "before", "stack", "good", "binary"),
         ("small", "", "before", "none", "full", "binary"),
         ("small", "", "before", "none", "absent", "table"),
         ("small", "jemalloc", "linked", "none", "good", "table"),
         ("small", "jemalloc", "after", "none", "good", "binary"),
         ("small", "tcmalloc", "before", "none", "good", "binary"),
         ("small", "mimalloc", "after", "none", "good", "unmapped"),
         ("small", "faketime", "after", "none", "good", "binary"),
         ("python", "jemalloc", "before", "none", "good", "binary"),
         ("redis", "", "before", "none", "good", "binary"),
         ("shell", "faketime", "before", "none", "good", "table")]


class Matrix(Pair):
    pass


@long
class Whole(Pair):
    pass


def name_of(row):
    return "_".join(word for word in row if word)


for row in QUICK:  # all of them always run, unlike those of add
    setattr(Matrix, "test_" + name_of(row), lambda self, row=row: self.same(*row))
for row in drawn([row for row in rows() if row not in QUICK], 0, 1 / 6):
    add(Whole, name_of(row), "same", *row)


class Told(Case):
    """When the room ends, recording ends, with a message."""

    def stopped(self, form):
        logs = self.path("logs")
        os.mkdir(logs)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1300 << 10, 1300 << 10))

        done = subprocess.run(
            [SMALL, "40000"], cwd=self.tmp, preexec_fn=limit, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=60 * runner.SCALE,
            env=dict(os.environ, LD_PRELOAD=RECORDER, IOTRACE_LOGFILE=os.path.join(
                logs, "%d.bin"), **FORMS[form]))
        self.assertEqual(done.returncode, 7, done.stderr)
        if form == "table":
            self.assertRegex(done.stderr, rb"libiotrace: \d+ events are not in|"
                                          rb"the log stays as it is")
            return
        lost = sum(log.dropped for log in tracelog.logs(logs))
        kept = sum(len(log.events) for log in tracelog.logs(logs))
        self.assertGreater(lost, 10000)
        self.assertGreater(kept, 1000)
        iotrace = os.path.join(BUILD, "iotrace")
        told = subprocess.run([iotrace, "summary", "--all", logs],
                              stdout=subprocess.PIPE).stdout.decode()
        self.assertIn("events were not recorded: recording stopped", told)

    def test_nothing_is_said_twice(self):
        """In a shell and its children only the first has no traced parent."""
        done = subprocess.run(
            ["sh", "-c", "ls . >out; (ls .) >out; echo end"], cwd=self.tmp,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(os.environ, LD_PRELOAD=RECORDER,
                     IOTRACE_LOGFILE=self.path("absent", "%d.bin")))
        self.assertEqual((done.returncode, done.stdout), (0, b"end\n"))
        self.assertEqual(done.stderr.count(b"nothing is recorded"), 1, done.stderr)

    def test_a_changed_environment(self):
        """A child's log is in the same place as its parent's."""
        logs = self.path("logs")
        os.mkdir(logs)
        done = subprocess.run(
            [sys.executable, "-c", "import os; os.environ.clear(); pid = os.fork()\n"
             "if not pid:\n  open('file', 'w').write('x'); os._exit(3)\n"
             "print(os.waitpid(pid, 0)[1])"], cwd=self.tmp, stdout=subprocess.PIPE,
            env=dict(os.environ, LD_PRELOAD=RECORDER, IOTRACE_BINARY="true",
                     IOTRACE_LOGFILE=os.path.join(logs, "%d.bin")))
        self.assertEqual(done.stdout, b"768\n")
        self.assertEqual(sorted(os.listdir(self.tmp)), ["file", "logs"])
        self.assertEqual(len(tracelog.logs(logs)), 2)

    def test_the_programs_own_output_is_left_alone(self):
        """A reader of both standard output and error reads none of our messages."""
        done = subprocess.run(
            ["ls", "absent"], cwd=self.tmp, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, LD_PRELOAD=RECORDER,
                     IOTRACE_LOGFILE=self.path("absent", "%d.bin")))
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(b"iotrace", done.stdout)


for form in FORMS:
    add(Told, "stopped_" + form, "stopped", form)

if __name__ == "__main__":
    main()
