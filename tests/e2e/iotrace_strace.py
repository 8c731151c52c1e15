"""libiotrace records of real programs the same bytes and calls of each file as the
kernel sees: strace observes the same run.
mpi: any; limit: 900; tier: ci

Only files in the program's folder count. If a file is read or written as a stream, its
calls are the program's and not the kernel's: then written bytes are equal, and read
ones at most those that the C library has read ahead."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

from e2e import (BUILD, TESTS, Case, add, main, read_text, runner, strace_lines,
                 write_file)

sys.path.insert(0, os.path.join(TESTS, "iotrace"))
import tracelog  # noqa: E402

RECORDER = os.path.join(BUILD, "libiotrace.so")
READS = ("read", "pread64", "readv", "preadv", "preadv2")
WRITES = ("write", "pwrite64", "writev", "pwritev", "pwritev2")
# For calls with two files: the arguments that are the source and the destination.
COPIES = {"copy_file_range": (0, 2), "sendfile": (1, 0), "splice": (0, 2)}
FILES = "for i in 1 2 3; do seq $((i * 5000)) > d/$i; done"
PYTHON = """
import threading
def work(n):
    with open("own%d" % n, "wb", buffering=0) as f:
        for i in range(300):
            f.write(b"%5d" % i)
    with open("d/1", "rb") as f:
        while f.read(1000):
            pass
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
"""
JAVA = """
import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
public class T extends Thread {
    int n;
    public void run() {
        try (RandomAccessFile f = new RandomAccessFile("own" + n, "rw");
             FileChannel c = FileChannel.open(Paths.get("nio" + n),
                 StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            byte[] some = new byte[777];
            for (int i = 0; i < 50; i++) {
                f.write(some);
                c.write(ByteBuffer.wrap(some), 1000 * i);
            }
            f.seek(0);
            while (f.read(some) > 0) {}
        } catch (IOException e) { System.exit(1); }
    }
    public static void main(String[] a) throws Exception {
        Thread[] t = new Thread[4];
        for (int i = 0; i < 4; i++) {
            T one = new T();
            one.n = i;
            (t[i] = one).start();
        }
        for (Thread one : t) one.join();
    }
}
"""
FORTRAN = """
program t
  real(8) :: a(1000) = 1
  character(80) :: line
  integer :: i, n
  open(10, file='direct', access='direct', recl=8000)
  do i = 1, 20
    write(10, rec=21-i) a
  end do
  read(10, rec=3) a
  close(10)
  open(11, file='stream', access='stream')
  write(11) a, 1, 2
  close(11)
  open(12, file='text')
  do i = 1, 500
    write(12, '(i8,f12.4)') i, a(i)
  end do
  rewind(12)
  do i = 1, 500
    read(12, '(a)') line
  end do
  close(12)
  open(13, file='sequential', form='unformatted')
  write(13) a
  rewind(13)
  read(13) a
  close(13)
end program
"""
ENGINE = ("fio --name=x --filename=x --size=256k --bs=4k --rw=randrw --ioengine=%s "
          "--output=/dev/null --end_fsync=1 --randrepeat=1")
# Name: (needs, a command that makes its files untraced, the program).
PROGRAMS = {
    "tar": ("tar", FILES, "tar cf a.tar d; mkdir e; tar xf a.tar -C e"),
    "sort": ("sort", FILES, "sort -r d/3 -o sorted; sort -u d/1 d/2 > both"),
    "git": ("git", FILES + "; git init -q r; cp d/* r; cd r; git add .; git -c "
            "user.name=a -c user.email=a@b commit -qm x; git gc -q", "git clone -q "
            "--no-local --no-hardlinks r c"),
    "sqlite": ("sqlite3", "true", "sqlite3 x.db 'create table t(a); insert into t "
               "select * from generate_series(1, 5000); delete from t where a % 7 = 1; "
               "vacuum'; sqlite3 x.db 'select sum(a) from t' > sum"),
    "rsync": ("rsync", FILES, "rsync -a d/ e; rsync -ac d/ e"),
    "gcc": ("gcc", "printf '#include \"b.h\"\\nint main(void) {return b;}' > a.c; "
            "echo 'enum {b};' > b.h", "TMPDIR=$PWD gcc -g -O1 -o a a.c"),
    "cp": ("cp", FILES, "cp -r d e; cat d/1 d/2 > both; "
           "dd if=d/3 of=o bs=1000 2> /dev/null"),
    "gzip": ("gzip", FILES, "gzip d/1; gzip -d d/1.gz; gzip -c d/2 > z"),
    "h5repack": ("h5repack h5import", "seq 2000 > t; h5import t -d 2000 -p /x "
                 "-t TEXTIN -s 64 -o a.h5",
                 "h5repack -l CHUNK=100 -f GZIP=1 a.h5 b.h5"),
    "python": ("python3", FILES, sys.executable + " p.py"),
    "java": ("java javac", "javac T.java", "java -Xint -Xshare:auto T"),
    # In another folder, as all programs: the recorder reads programs before they start.
    "gfortran": ("gfortran", "gfortran -o ../t t.f90", "../t")}
for engine in ("sync", "psync", "vsync", "pvsync", "pvsync2", "posixaio"):
    PROGRAMS["fio_" + engine] = "fio", "true", ENGINE % engine
SOURCES = {"p.py": PYTHON, "T.java": JAVA, "t.f90": FORTRAN}


def of_kernel(path, folder):
    """Returns {(file, way): [calls, bytes]} of successful calls."""
    found = collections.defaultdict(lambda: [0, 0])

    def add_one(name, way, size):
        name = name.replace(" (deleted)", "")
        if name.startswith(folder + "/"):
            found[name[len(folder) + 1:], way][0] += 1
            found[name[len(folder) + 1:], way][1] += size
    for line in strace_lines(path):
        match = re.match(r"(\w+)\((.*)\) += (\d+)$", line)
        if not match:
            continue
        call, arguments, size = match.group(1), match.group(2), int(match.group(3))
        files = [re.match(r"\d+<(.*?)>", a) for a in arguments.split(", ")]
        files = [m.group(1) if m else "" for m in files]
        if call in READS or call in WRITES:
            add_one(files[0], "read" if call in READS else "write", size)
        elif call in COPIES:
            for way, at in zip(("read", "write"), COPIES[call]):
                add_one(files[at], way, size)
    return found


def of_logs(folder, logs):
    """Returns the same of the recorder's events, and the files that are streams."""
    found, streams = collections.defaultdict(lambda: [0, 0]), set()
    for log in tracelog.logs(logs):
        for e in log.events:
            name = os.path.normpath(os.path.join(log.value("cwd"), e.file))
            if (not e.file or re.match(r"[a-z_]+:", e.file) or e.result < 0 or
                    not name.startswith(folder + "/")):
                continue
            name = name.replace(" (deleted)", "")[len(folder) + 1:]
            if e.op == "ungetc":  # a letter put back is read twice, and in memory
                found[name, "read"][1] -= 1
            if (e.klass not in ("READ", "WRITE", "COPY") or
                    e.flags & tracelog.ASYNC):
                continue
            source = e.klass == "READ" or e.flags & tracelog.SOURCE
            key = name, "read" if source else "write"
            found[key][0] += 1
            found[key][1] += e.result
            if e.flags & tracelog.STREAM:
                streams.add(key)
    return found, streams


class Strace(Case):
    def compare(self, name):
        needs, before, program = PROGRAMS[name]
        for tool in ("strace " + needs).split():
            if not shutil.which(tool):
                self.skipTest(tool + " is not installed")
        work, logs = (os.path.realpath(tempfile_in(self.tmp, n)) for n in ("w", "logs"))
        os.mkdir(os.path.join(work, "d"))
        for file, text in SOURCES.items():
            write_file(os.path.join(work, file), text)
        plain = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        plain["HOME"] = work
        subprocess.run(("sh", "-ec", before), cwd=work, check=True, env=plain,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        trace = self.path("strace")
        calls = ",".join(READS + WRITES + tuple(COPIES))
        done = subprocess.run(
            ("strace", "-f", "-y", "-s", "0", "-o", trace, "-e", "trace=" + calls,
             "-E", "LD_PRELOAD=" + RECORDER, "sh", "-ec", program), cwd=work,
            env=dict(plain, IOTRACE_BINARY="true", IOTRACE_LOGFILE=logs + "/%d"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=300 * runner.SCALE)
        if b"ptrace" in done.stderr:
            self.skipTest("strace does not run here: %s" % done.stderr[-200:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.equal(of_kernel(trace, work), *of_logs(work, logs))

    def test_of_fio_libaio(self):
        """strace does not show the file: fio itself does."""
        if not shutil.which("fio"):
            self.skipTest("fio is not installed")
        logs = tempfile_in(self.tmp, "logs")
        line = (ENGINE % "libaio").replace("/dev/null", "out") + " --output-format=json"
        done = subprocess.run(
            line.split() + ["--iodepth=8", "--direct=0"], cwd=self.tmp,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60 * runner.SCALE,
            env=dict(os.environ, LD_PRELOAD=RECORDER, IOTRACE_BINARY="true",
                     IOTRACE_LOGFILE=logs + "/%d"))
        if b"not loadable" in done.stderr + done.stdout:
            self.skipTest("fio has no libaio here")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = read_text(self.path("out"))
        job, = json.loads(text[text.index("{"):])["jobs"]
        found = collections.defaultdict(lambda: (0, 0))
        for log in tracelog.logs(logs):
            found.update(log.counts("x"))
        for way in ("read", "write"):
            self.assertEqual(found["io_getevents_" + way],
                             (job[way]["total_ios"], job[way]["io_bytes"]), way)
            self.assertEqual(found["io_submit_" + way], (job[way]["total_ios"], 0), way)

    def equal(self, kernel, ours, streams):
        self.assertGreater(len(kernel), 0)
        wrong = []
        for key in sorted(set(kernel) | set(ours)):
            seen, had = kernel.get(key, [0, 0]), ours.get(key, [0, 0])
            if key not in streams:
                good = seen == had
            elif key[1] == "write":
                good = seen[1] == had[1]
            else:
                good = had[1] <= seen[1]
            if not good:
                wrong.append("%s %s: strace %s, iotrace %s%s" % (
                    key + (seen, had, " (stream)" if key in streams else "")))
        self.assertEqual(wrong, [])


def tempfile_in(folder, name):
    path = os.path.join(folder, name)
    os.mkdir(path)
    return path


for program in PROGRAMS:
    add(Strace, "of_" + program, "compare", program)

if __name__ == "__main__":
    main()
