"""iotrace's reading commands, applied to logs that this test writes itself.
ranks: 1; limit: 120; mpi: any
"""
import csv
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "unit")]
from tap import main  # noqa: E402
from files import read_json, read_text, write_file  # noqa: E402
import fake_log  # noqa: E402
from fake_log import EPOCH, MARK, RUNNING, SLOTS, TSC, Log, write_large  # noqa: E402

IOTRACE = os.path.join(os.environ["top_builddir"], "iotrace")
RECORDER = os.path.join(os.environ["top_builddir"], "libiotrace.so")
COLUMNS = ["Application", "Execution", "Tool", "Filename", "fd", "Op sequence",
           "Operation", "Bytes", "start_time", "end_time", "Time (sec)", "PID"]
MS = 10 ** 6
GONE = 2 ** 22 + 1   # no process has this number: it is above the kernel's limit
MIB = 1 << 20
# exit(0) for each processor: the machine's number in an ELF file, and the instructions.
EXITS = {"x86_64": (62, b"\x31\xff\xb8\x3c\0\0\0\x0f\x05"),
         "aarch64": (183, b"\0\0\x80\xd2\xa8\x0b\x80\xd2\x01\0\0\xd4")}
MACHINE, EXIT = EXITS.get(os.uname().machine, (0, b""))
LOAD, INTERP, NOTE = 1, 3, 4


def program(path, *segments, machine=MACHINE, section=b""):
    """Makes a program that ends at once: (type, bytes) are its other segments, and
    `section` the name of one."""
    at, headers, data = 0x1000 + len(EXIT), [], b""
    for kind, piece in segments:
        headers.append(struct.pack("<IIQQQQQQ", kind, 4, at, 0, 0, len(piece), 0, 1))
        data += piece
        at += len(piece)
    headers.insert(0, struct.pack("<IIQQQQQQ", LOAD, 5, 0, 0x400000, 0x400000,
                                  0x1000 + len(EXIT), 0x1000 + len(EXIT), 0x1000))
    names = b"\0" + section + b"\0"
    table = struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, at, len(names), 0, 0, 1, 0)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, 0x401000, 64, at + len(names), 0, 64, 56,
        len(headers), 64, 1 if section else 0, 0)
    write_file(path, (head + b"".join(headers)).ljust(0x1000, b"\0") + EXIT + data +
               names + table)
    os.chmod(path, 0o755)


def seconds(ns):
    return "%d.%09d" % divmod(ns, 10 ** 9)


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="iotrace-test-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def iotrace(self, *args, status=0, env=None):
        """Returns (stdout, stderr) of a command that ends with this status."""
        child = subprocess.Popen([IOTRACE] + list(args), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, cwd=self.dir,
                                 env=dict(os.environ, **(env or {})))
        try:
            out, err = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        err = err.decode("utf-8", "replace")
        self.assertEqual(child.returncode, status, "%s: %s" % (args, err))
        return out.decode("utf-8", "replace"), err

    def rows(self, *args):
        lines = self.iotrace("dump", *args)[0].splitlines()
        self.assertEqual(lines[0].split("\t"), COLUMNS)
        return [dict(zip(COLUMNS, line.split("\t"))) for line in lines[1:]]

    def json(self, command, *args):
        return json.loads(self.iotrace(command, "--json", "-", *args)[0])

    def refused(self, *args, status=1):
        """Returns the one sentence with which a command ends."""
        out, err = self.iotrace(*args, status=status)
        lines = err.splitlines()
        self.assertEqual(len(lines), 1, err)
        self.assertTrue(lines[0].startswith("iotrace"), err)
        return lines[0]


# ---- a random run, and its expected results ------------------------------------


def some_log(rng, pid, rank, threads=3, calls=400, **more):
    """Makes threads with calls and calls within them, in files of all kinds."""
    log = Log(pid=pid, rank=rank, ranks=2, **more)
    files = [log.name("/data/%s" % name, 3 + i)
             for i, name in enumerate(("a", "b", "tab\there"))]
    mark = log.name("phase", kind=MARK)
    for thread in range(threads):
        now = EPOCH + rng.randrange(MS)
        for _ in range(calls):
            now += rng.randrange(1, 3000)
            duration = rng.randrange(100, 50000)
            name = rng.choice(files)
            op = rng.choice(["pread", "pwrite", "read", "open", "lseek", "fsync",
                             "MPI_File_write_all", "mark"])
            moves = fake_log.CLASS[op] in ("READ", "WRITE")
            size = rng.choice([0, 1, 100, 4096, 65536])
            log.add(op, now, duration, name=mark if op == "mark" else name,
                    offset=rng.choice([-1, 0, 4096, 8192, rng.randrange(10 ** 6)]),
                    result=rng.choice([size] * 9 + [-5]) if moves else 0,
                    thread=thread)
            if op == "MPI_File_write_all" and duration > 5000:
                inner = now + 1
                for _ in range(rng.randrange(4)):
                    log.add("pwrite", inner, 1000, name=name, offset=inner % 4096,
                            result=10, thread=thread, level=1)
                    inner += 1001
            now += duration
    return log


def by_start(log):
    return sorted(log.events, key=lambda e: (e.start, e.level))


def io_ns(log):
    """Returns the nanoseconds in which at least one thread is in a call."""
    total, covered = 0, 0
    for e in by_start(log):
        if e.level or fake_log.CLASS[e.op] == "MARK":
            continue
        total += max(0, e.end - max(e.start, covered))
        covered = max(covered, e.end)
    return total


def access_kinds(log, cls):
    """Returns {kind: calls}: each transfer's relation to the one before in its file."""
    last, kinds = {}, {}
    for e in by_start(log):
        if e.level or fake_log.CLASS[e.op] != cls or e.result < 0:
            continue
        if e.offset < 0:
            kinds["unknown"] = kinds.get("unknown", 0) + 1
            continue
        before = last.setdefault(e.name, [])
        before.append([e.offset, e.result, "random"])
        if len(before) == 1 or e.offset == sum(before[-2][:2]):
            before[-1][2] = "sequential"
        elif len(before) > 2 and before[-2][2] != "sequential" and (
                e.offset - before[-2][0] == before[-2][0] - before[-3][0]):
            before[-1][2] = before[-2][2] = "strided"
    for transfers in last.values():
        for _, _, kind in transfers:
            kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def sums(events):
    return {"calls": len(events), "errors": sum(e.bytes < 0 for e in events),
            "bytes": sum(max(e.bytes, 0) for e in events),
            "seconds": sum(e.duration for e in events) / 1e9}


class Figures(Case):
    def close(self, found, wanted):
        self.assertEqual({k: found[k] for k in ("calls", "errors", "bytes")},
                         {k: wanted[k] for k in ("calls", "errors", "bytes")})
        self.assertAlmostEqual(found["seconds"], wanted["seconds"], places=9)

    def make_run(self, threads=3):
        rng = random.Random(7)
        logs = [some_log(rng, 100 + rank, rank, threads) for rank in range(2)]
        os.mkdir(self.path("run"))
        for log in logs:
            log.write(self.path("run/rank%d.bin" % log.rank))
        return logs

    def test_dump_is_in_order_and_complete(self):
        log = some_log(random.Random(1), 77, 0)
        rows = self.rows(log.write(self.path("a.bin")))
        wanted = by_start(log)
        self.assertEqual([int(r["Op sequence"]) for r in rows],
                         list(range(len(wanted))))
        starts = [r["start_time"] for r in rows]
        self.assertEqual(starts, [seconds(e.start) for e in wanted])
        key = ("Operation", "Bytes", "start_time", "end_time", "Time (sec)")
        self.assertEqual(
            sorted(tuple(r[k] for k in key) for r in rows),
            sorted((e.op, str(e.bytes), seconds(e.start), seconds(e.end),
                    seconds(e.duration)) for e in wanted))
        named = {r["Filename"]: r["fd"] for r in rows}
        self.assertEqual(named, {"/data/a": "3", "/data/b": "4",
                                 "/data/tab\\there": "5", "phase": "-1"})
        self.assertEqual({(r["Application"], r["Tool"], r["PID"]) for r in rows},
                         {("app", "IOTRACE", "77")})

    def test_summary_is_what_adding_up_gives(self):
        logs = self.make_run()
        found = self.json("summary", self.path("run"))
        every = [e for log in logs for e in log.events]
        for key, level in (("calls", 0), ("nested_calls", 1)):
            names = {e.op for e in every if e.level == level}
            self.assertEqual({c["name"] for c in found[key]}, names)
            for call in found[key]:
                mine = [e for e in every
                        if e.level == level and e.op == call["name"]]
                self.close(call["sum"], sums(mine))
                self.assertAlmostEqual(call["latency_s"]["max"],
                                       max(e.duration for e in mine) / 1e9)
                middle = sorted(e.duration for e in mine)[(len(mine) - 1) // 2] / 1e9
                self.assertTrue(middle <= call["latency_s"]["p50"] <= middle * 1.05)
        reads = [e for e in every if not e.level and fake_log.CLASS[e.op] == "READ"]
        self.close(found["total"]["read"], sums(reads))
        done = [e for e in every if not e.level and fake_log.CLASS[e.op] != "MARK"]
        self.close(found["total"]["all"], sums(done))

    def test_summary_by_file_and_process(self):
        logs = self.make_run()
        found = self.json("summary", self.path("run"))
        names = {1: "/data/a", 2: "/data/b", 3: "/data/tab\there"}
        files = {f["name"]: f for f in found["files"]}
        for number, name in names.items():
            mine = [e for log in logs for e in log.events
                    if e.name == number and not e.level]
            self.close(files[name]["by_class"]["all"], sums(mine))
            self.assertEqual(files[name]["processes"], 2)
        for process, log in zip(found["processes"], logs):
            self.assertEqual((process["rank"], process["pid"], process["threads"]),
                             (log.rank, log.pid, 3))
            self.assertAlmostEqual(process["io_s"], io_ns(log) / 1e9, places=9)
            wall = max(e.end for e in log.events) + MS - EPOCH
            self.assertAlmostEqual(process["seconds"], wall / 1e9, places=9)
            self.assertAlmostEqual(process["io_s"] + process["non_io_s"],
                                   process["seconds"], places=9)

    def test_kinds_of_access(self):
        logs = self.make_run()
        found = self.json("summary", self.path("run"))
        for key, cls in (("reads", "READ"), ("writes", "WRITE")):
            wanted = {}
            for log in logs:
                for kind, n in access_kinds(log, cls).items():
                    wanted[kind] = wanted.get(kind, 0) + n
            self.assertEqual({k: v["calls"] for k, v in found[key].items()
                              if v["calls"]}, wanted)

    def test_merged_table_says_the_same(self):
        logs = self.make_run(threads=1)
        self.iotrace("merge", "-o", "all.tsv", "run")
        rows = self.rows(self.path("all.tsv"))
        self.assertEqual(len(rows), sum(len(log.events) for log in logs))
        starts = [r["start_time"] for r in rows]
        self.assertEqual(starts, sorted(starts))
        found = self.json("summary", self.path("all.tsv"))
        wanted = self.json("summary", self.path("run"))
        self.assertEqual({c["name"] for c in found["calls"]},
                         {c["name"] for c in wanted["calls"]})
        for key in ("total", "nested"):
            for cls in ("read", "write"):
                if cls in wanted[key]:
                    self.close(found[key][cls], wanted[key][cls])
        self.assertIn("exists", self.refused("merge", "-o", "all.tsv", "run"))
        self.assertIn("within", self.refused("merge", "-o", "run/x.tsv", "run",
                                             status=2))

    def test_bins_hold_everything(self):
        logs = self.make_run()
        bins = json.loads(self.iotrace("bins", "--slices", "17", "run")[0])
        for process, log in zip(bins["processes"], logs):
            outer = [e for e in log.events if not e.level]
            for key, cls in (("read_bytes", "READ"), ("written_bytes", "WRITE")):
                mine = sum(max(e.bytes, 0) for e in outer
                           if fake_log.CLASS[e.op] == cls)
                self.assertEqual(len(process[key]), 17)
                self.assertAlmostEqual(sum(process[key]), mine, places=3)
            self.assertAlmostEqual(sum(process["io_s"]), io_ns(log) / 1e9, places=9)

    def test_filters(self):
        logs = self.make_run()
        every = sorted((e for log in logs for e in log.events),
                       key=lambda e: e.start)
        begin = every[0].start
        rows = self.rows("--op", "pread", "--op", "read", "run")
        self.assertEqual(len(rows), sum(e.op in ("pread", "read") for e in every))
        rows = self.rows("--file", "/data/[b-z]*", "--rank", "1", "run")
        self.assertEqual(len(rows), sum(e.name in (2, 3) for e in logs[1].events))
        rows = self.rows("--from", "0.004", "--to", "0.008", "run")
        self.assertEqual(len(rows), sum(4 * MS <= e.start - begin < 8 * MS
                                        for e in every))

    def test_export(self):
        logs = self.make_run()
        self.iotrace("export", "--perfetto", "t.json", "--csv", "t.csv", "run")
        events = read_json(self.path("t.json"))["traceEvents"]
        every = [e for log in logs for e in log.events]
        marks = sum(e.op == "mark" for e in every)
        self.assertEqual(sum(e["ph"] == "X" for e in events), len(every) - marks)
        self.assertEqual(sum(e["ph"] == "i" for e in events), marks)
        self.assertEqual({e["pid"] for e in events}, {0, 1})
        shown = [e for e in events if e["ph"] == "X"]
        self.assertAlmostEqual(sum(e["dur"] for e in shown) * 1000,
                               sum(e.duration for e in every if e.op != "mark"),
                               places=2)
        with open(self.path("t.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(sum(max(int(r["bytes"]), 0) for r in rows),
                         sum(max(e.bytes, 0) for e in every))
        self.assertEqual(sum(int(r["level"]) for r in rows),
                         sum(e.level for e in every))

    def test_compare(self):
        a, b = Log(), Log()
        for log, duration in ((a, 100), (b, 900)):
            name = log.name("/f", 3)
            for i in range(10):
                log.add("pread", EPOCH + i * 10000, duration, name=name, result=8)
        b.add("fsync", EPOCH + MS, 100000)
        a.write(self.path("a.bin"))
        b.write(self.path("b.bin"))
        found = self.json("compare", "a.bin", "b.bin")
        self.assertEqual([(c["name"], round(c["change_s"] * 1e9))
                          for c in found["calls"]],
                         [("fsync", 100000), ("pread", 8000)])
        self.assertEqual(found["files"][1]["name"], "/f")
        self.assertAlmostEqual(found["all"][0]["change_s"], 108e-6)
        self.assertIn("pread", self.iotrace("compare", "a.bin", "b.bin")[0])
        b.add("read", EPOCH + 2 * MS, 10 ** 9, name=b.name("pipe:[7]", 4), result=1)
        b.write(self.path("b.bin"))
        self.assertEqual([f["name"] for f in self.json("compare", "a.bin", "b.bin")[
            "files"]][-1], "pipe:[7]")


# ---- difficult names, missing ends -----------------------------------------------


class Ugly(Case):
    # Escape sequences in 7 and in 8 bits, DEL, and invalid UTF-8.
    NAMES = ["/a\x1b]0;title\x07b", "/\u009b2Jc\x7f", "/d\udc9b\udcff",
             "/\u00e9\\x1b\\", "/tab\tline\nend\r"]

    def ugly_log(self):
        log = Log(app="app\x1b[2J", host="node\x1b[2J")
        for i, name in enumerate(self.NAMES):
            log.add("pread", EPOCH + i * MS, MS // 2, name=log.name(name, 3 + i),
                    offset=0, result=100)
        return log.write(self.path("ugly\x1b[2J.bin"))

    def harmless(self, *args):
        """The output has no control characters except ends of lines and tabs."""
        done = subprocess.run([IOTRACE, *args], stdout=subprocess.PIPE, cwd=self.dir,
                              stderr=subprocess.STDOUT, timeout=60)
        said = done.stdout.decode("utf-8")
        self.assertEqual([c for c in said if c not in "\n\t" and
                          (c < " " or "\x7f" <= c < "\xa0")], [], (args, said))
        return said

    def test_csv_is_utf8(self):
        log = Log()
        log.add("write", EPOCH, 10, name=log.name("caf\udce9,\"\u00e9", 3), result=1)
        log.write(self.path("a.bin"))
        with open(self.path("out"), "wb") as f:
            subprocess.check_call((IOTRACE, "export", "--to=csv", self.path("a.bin")),
                                  stdout=f)
        with open(self.path("out"), encoding="utf-8", newline="") as f:
            row, = csv.DictReader(f)
        self.assertEqual(row["file"], "caf\\xe9,\"\u00e9")

    def test_lanes_of_processes_and_ranks_are_apart(self):
        """They are a rank, and a process with its number on each of two hosts."""
        os.mkdir(self.path("run"))
        three = (7, 1, "a"), (1, -1, "a"), (1, -1, "b")
        for n, (pid, rank, host) in enumerate(three):
            log = Log(pid=pid, rank=rank, ranks=2 if rank >= 0 else -1, host=host)
            log.add("fsync", EPOCH + n, 1)
            log.write(self.path("run/%d.bin" % n))
        self.iotrace("export", "--perfetto=t.json", "run")
        events = read_json(self.path("t.json"))["traceEvents"]
        lanes = [e["pid"] for e in events if e["ph"] == "X"]
        self.assertEqual((lanes[0], len(set(lanes))), (1, 3))
        named = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertEqual([named[lane].split(", ")[-1] for lane in lanes],
                         ["process 7 on a", "process 1 on a", "process 1 on b"])

    def test_no_name_orders_a_terminal(self):
        path = self.ugly_log()
        for line in (("summary",), ("summary", "--all"), ("compare", path),
                     ("ldad",), ("dump",), ("merge",),
                     ("recover",), ("run", "--", "./no\x1b[2J")):
            if line[0] != "run" or os.path.exists(RECORDER):
                self.assertTrue(self.harmless(*line, *[path] * (line[0] != "run")))
        self.harmless("summary", self.path("no\x1b[2J"))

    def test_names_come_back_from_a_table(self):
        self.iotrace("merge", "-o", "t.tsv", self.ugly_log())
        files = {f["name"] for f in self.json("summary", "t.tsv")["files"]}
        wanted = {f["name"] for f in self.json("summary", self.ugly_log())["files"]}
        self.assertEqual(files, wanted)
        self.assertEqual(len(files), len(self.NAMES))
        self.harmless("dump", "t.tsv")


class NoEnd(Case):
    """A process that was killed, or made its last system call itself."""

    def test_time_without_an_event(self):
        log = Log(pid=GONE, state=RUNNING, end=EPOCH + 2 * 10 ** 9)
        path = log.write(self.path("a.bin"))
        out = self.iotrace("summary", "--all", path)[0]
        self.assertRegex(out, r"time      2(\.0+)? s from .* last that is known of any")
        self.assertNotIn("was killed:", out)
        self.assertIn("has not said its end", out)
        self.assertEqual(self.json("summary", path)["seconds"], 2)

    def test_time_by_events(self):
        log = Log(pid=GONE, state=RUNNING, end=EPOCH + 10 ** 9)
        log.add("pread", EPOCH + 3 * 10 ** 9, 10 ** 9, name=log.name("/f"), result=1)
        found = self.json("summary", log.write(self.path("a.bin")))
        self.assertEqual(found["seconds"], 4)
        self.assertEqual(found["processes"][0]["seconds"], 4)

    def test_clock_that_went_back(self):
        log = Log(pid=GONE, state=RUNNING, begin=EPOCH, end=EPOCH - 500)
        path = log.write(self.path("a.bin"))
        for option in ([], ["--all"]):
            self.assertIn("time      not known",
                          self.iotrace("summary", path, *option)[0])
        self.assertEqual(self.json("summary", path)["seconds"], 0)


# ---- the format ------------------------------------------------------------------


class Format(Case):
    def test_longer_records_and_unknown_calls(self):
        log = Log(record=64)
        log.name("/f", 9)
        log.add("read_of_the_future", EPOCH, 10, name=1, result=123)
        found = self.json("summary", log.write(self.path("a.bin")))
        self.assertEqual(found["total"]["read"]["bytes"], 123)
        self.assertEqual(found["calls"][0]["name"], "read_of_the_future")

    def test_ticks_become_time(self):
        log = Log(clock=TSC, ticks_per_ns=2.5, end=EPOCH + 10 ** 10)
        log.add("fsync", EPOCH + 4 * 10 ** 9, 2 * 10 ** 9)
        row, = self.rows(log.write(self.path("a.bin")))
        self.assertEqual((row["start_time"], row["Time (sec)"]),
                         (seconds(EPOCH + 4 * 10 ** 9), "2.000000000"))

    def test_ranks_clocks_are_aligned(self):
        half = EPOCH + 5 * 10 ** 9
        log = Log(rank=1, ranks=2, end=EPOCH + 10 ** 10,
                  offsets=((EPOCH, 1000), (EPOCH + 10 ** 10, 3000)))
        log.add("fsync", half, 7)
        row, = self.rows(log.write(self.path("a.bin")))
        self.assertEqual(row["start_time"], seconds(half + 2000))

    def test_calls_within_calls_far_apart(self):
        """One call contains more calls than any window holds, three levels deep."""
        log = Log()
        n = 3 * SLOTS
        log.add("MPI_File_write_all", EPOCH, 10 * n + 10, result=1)
        log.add("write", EPOCH + 1, 10 * n + 5, result=1, level=1)
        for i in range(n):
            log.add("pwrite", EPOCH + 2 + 10 * i, 5, result=1, level=2)
        log.add("fsync", EPOCH + 20 * n, 5)
        rows = self.rows(log.write(self.path("a.bin")))
        self.assertEqual([r["Operation"] for r in rows[:3]],
                         ["MPI_File_write_all", "write", "pwrite"])
        starts = [r["start_time"] for r in rows]
        self.assertEqual(starts, sorted(starts))
        self.assertEqual(len(rows), n + 3)
        found = self.json("summary", self.path("a.bin"))
        self.assertEqual(found["total"]["write"]["bytes"], 1)
        self.assertEqual(found["nested"]["write"]["bytes"], n + 1)

    def test_blocks_in_any_order_and_twice(self):
        """A full block is copied to the end of the file, and its place used again; a
        process that is killed meanwhile leaves two, one of which is incomplete."""
        log = Log(state=RUNNING, pid=GONE)
        for i in range(4 * SLOTS):
            log.add("fsync", EPOCH + 100 * i, 50)
        head, *blocks = log.split()
        cut = blocks[1][:fake_log.BLOCK // 2].ljust(fake_log.BLOCK, b"\0")
        for order in ([3, 0, 1, cut, 2], [cut, 3, 0, 2, 1], [3, 1, 0, 1, 2]):
            with open(self.path("a.bin"), "wb") as f:
                f.write(head)
                for block in order:
                    f.write(block if isinstance(block, bytes) else blocks[block])
            rows = self.rows("a.bin")
            self.assertEqual([r["start_time"] for r in rows],
                             [seconds(e.start) for e in log.events])

    def test_cut_within_its_last_block(self):
        """The output tells what is missing, though it is less than a block."""
        log = Log()
        for i in range(2 * SLOTS):
            log.add("fsync", EPOCH + 100 * i, 50)
        log.write(self.path("a.bin"))
        os.truncate(self.path("a.bin"), os.path.getsize(self.path("a.bin")) - 1000)
        out, err = self.iotrace("summary", "a.bin")
        self.assertIn("1 block is missing", out + err)

    def test_killed_within_a_call(self):
        log = Log(state=RUNNING, pid=GONE)
        for i in range(5):
            log.add("pwrite", EPOCH + 10 * i, 5, result=1, level=1 + i % 2)
        log.write(self.path("a.bin"))
        out, err = self.iotrace("dump", "a.bin")
        self.assertEqual(len(out.splitlines()), 6)
        self.assertIn("was killed", err)

    def test_profile(self):
        log = Log()
        log.name("/f", 3)
        sizes, times = [0] * 40, [0] * 40
        sizes[13], times[11] = 100, 100           # 4096 bytes, 1024 to 2047 ns
        log.profile.append(fake_log.struct.pack(
            "<IHBBQQQQ40Q40Q", 1, fake_log.NUMBER["pwrite"], 0, 0, 100, 0, 409600,
            150000, *(sizes + times)))
        found = self.json("summary", log.write(self.path("a.bin")))
        self.assertEqual(found["total"]["write"]["calls"], 100)
        self.assertEqual(found["total"]["write"]["bytes"], 409600)
        self.assertAlmostEqual(found["total"]["write"]["seconds"], 150e-6)
        self.assertTrue(1.024e-6 <= found["calls"][0]["latency_s"]["p50"] <= 2.1e-6)

    def test_dropped_events_are_told(self):
        log = Log()
        log.dropped = 17
        log.add("fsync", EPOCH, 1)
        log.write(self.path("a.bin"))
        for command in (["summary"], ["dump"], ["ldad"], ["bins"],
                        ["export", "--csv", "-"]):
            out, err = self.iotrace(*(command + ["a.bin"]))
            self.assertIn("17 events were not recorded", out + err)

    def test_one_log_of_two_is_no_log(self):
        os.mkdir(self.path("run"))
        log = Log()
        log.add("fsync", EPOCH, 1)
        log.write(self.path("run/a.bin"))
        write_file(self.path("run/b.bin"), b"nonsense")
        out, err = self.iotrace("summary", "--calls", "run", status=1)
        self.assertIn("fsync", out)
        self.assertIn("1 of 2 logs cannot be read", err)

    def test_what_is_no_run(self):
        write_file(self.path("text"), "hello\n")
        for name in ("text", "missing", ".", "/dev/null"):
            self.refused("summary", name)
        self.refused("summary", status=2)
        self.refused("nonsense", status=2)


# ---- recover ---------------------------------------------------------------------


class Recover(Case):
    def killed(self, name, pid=GONE):
        log = Log(state=RUNNING, pid=pid, host=os.uname()[1])
        f = log.name("/data/x", 7)
        log.add("pwrite", EPOCH, 50, name=f, result=10)
        log.add("pread", EPOCH + 100, 25, name=f, result=4)
        return log.write(self.path(name))

    def test_part_becomes_a_table(self):
        self.killed("app_log.tsv.part")
        self.iotrace("recover", "app_log.tsv.part")
        self.assertEqual(os.listdir(self.dir), ["app_log.tsv"])
        rows = self.rows(self.path("app_log.tsv"))
        self.assertEqual([r["Bytes"] for r in rows], ["10", "4"])

    def test_binary_gets_a_summary(self):
        self.killed("app_log.bin")
        self.iotrace("recover", "app_log.bin")
        with open(self.path("app_log.bin.summary")) as f:
            lines = dict(line.rstrip("\n").split("\t", 1) for line in f)
        self.assertEqual(lines["Total_Num_IO_events"], "2")
        self.assertEqual(lines["Total_IO_bytes"], "14")
        self.assertEqual(lines["/data/x"],
                         "1\t4\t0.000000025\t1\t10\t0.000000050\t1\t7")

    def test_nothing_is_overwritten(self):
        part = self.killed("a.tsv.part")
        write_file(self.path("a.tsv"), "precious")
        self.assertIn("exists", self.refused("recover", part))
        self.assertEqual(read_text(self.path("a.tsv")), "precious")
        self.assertTrue(os.path.exists(part))

    def test_not_while_the_process_runs(self):
        part = self.killed("a.tsv.part", pid=os.getpid())
        self.assertIn("still", self.refused("recover", part))
        self.assertEqual(os.listdir(self.dir), ["a.tsv.part"])


# ---- patterns ----------------------------------------------------------------------


class Patterns(Case):
    def pattern(self, ranks, offsets, size=1024):
        """Returns ldad's output about ranks that write at offsets(rank)."""
        run = tempfile.mkdtemp(dir=self.dir)
        for rank in range(ranks):
            log = Log(pid=10 + rank, rank=rank, ranks=ranks)
            f = log.name("/shared", 3)
            for i, at in enumerate(offsets(rank)):
                log.add("pwrite", EPOCH + 1000 * i, 10, name=f, offset=at, result=size)
            log.write(os.path.join(run, "rank%d.bin" % rank))
        found, = self.json("ldad", run)["files"]
        self.assertIn(found["pattern"], self.iotrace("ldad", run)[0])
        return found

    def descriptors(self, found, rank):
        keys = ("start", "span", "stride", "size", "outer_count", "repeats")
        return [tuple(d[k] for k in keys)
                for d in found["processes"][rank]["descriptors"]]

    def test_interleaved(self):
        found = self.pattern(4, lambda r: [(i * 4 + r) * 1024 for i in range(20)])
        self.assertEqual((found["pattern"], found["without_gaps"]),
                         ("interleaved", True))
        self.assertEqual(self.descriptors(found, 2),
                         [(2048, 20 * 4096, 4096, 1024, 1, 1)])
        self.assertEqual(found["explained_bytes"], 4 * 20 * 1024)

    def test_chunks_of_several_transfers(self):
        found = self.pattern(4, lambda r: [
            (i * 4 + r) * 8192 + k * 1024 for i in range(10) for k in range(8)])
        self.assertEqual(found["pattern"], "interleaved")
        self.assertEqual(self.descriptors(found, 1),
                         [(8192, 10 * 32768, 32768, 8192, 1, 1)])

    def test_segmented(self):
        found = self.pattern(3, lambda r: [r * MIB + 1024 * i for i in range(1024)])
        self.assertEqual(found["pattern"], "segmented")
        self.assertEqual(self.descriptors(found, 2), [(2 * MIB, MIB, MIB, MIB, 1, 1)])

    def test_overlapped(self):
        """It is the paper's figure under the byte view: stride 2 * size by 4 ranks."""
        found = self.pattern(4, lambda r: [i * 2048 + r * 512 for i in range(20)])
        self.assertEqual(found["pattern"], "overlapped")
        self.assertEqual(self.descriptors(found, 1),
                         [(512, 20 * 2048, 2048, 1024, 1, 1)])
        found = self.pattern(2, lambda r: [1024 * i for i in range(8)])
        self.assertEqual(found["pattern"], "overlapped")

    def test_two_levels_and_repetition(self):
        found = self.pattern(2, lambda r: [
            j * 100000 + i * 4096 + r * 1024 for j in range(5) for i in range(7)])
        self.assertEqual(self.descriptors(found, 0),
                         [(0, 7 * 4096, 4096, 1024, 5, 1)])
        found = self.pattern(2, lambda r: [
            (i * 2 + r) * 1024 for j in range(6) for i in range(7)])
        self.assertEqual(found["pattern"], "interleaved")
        self.assertEqual(self.descriptors(found, 1),
                         [(1024, 7 * 2048, 2048, 1024, 1, 6)])

    def test_three_levels(self):
        """Blocks of an array of three dimensions are dealt out to a grid of 2 x 2."""
        found = self.pattern(4, lambda r: [
            k * 65536 + (r // 2 * 8 + j) * 4096 + r % 2 * 2048
            for k in range(3) for j in range(8)], size=2048)
        self.assertEqual((found["pattern"], found["without_gaps"]),
                         ("interleaved", True))
        self.assertEqual(
            [d["text"] for d in found["processes"][3]["descriptors"]],
            ["start=34816 [span=196608 stride=65536 [span=32768 stride=4096 "
             "size=2048]]"])
        found = self.pattern(1, lambda r: [
            k * 100000 + j * 9000 + i * 2000
            for k in range(3) for j in range(4) for i in range(3)])
        self.assertEqual(
            [d["text"] for d in found["processes"][0]["descriptors"]],
            ["start=0 [span=300000 stride=100000 [span=36000 stride=9000 "
             "[span=6000 stride=2000 size=1024]]]"])

    def test_halo(self):
        """Slabs are read with a row of each neighbour."""
        found = self.pattern(4, lambda r: [
            i * 1024 for i in range(max(r * 16 - 1, 0), min(r * 16 + 17, 64))])
        self.assertEqual(found["pattern"], "halo")

    def test_irregular(self):
        rng = random.Random(3)
        found = self.pattern(2, lambda r: [rng.randrange(10 ** 9) for i in range(500)])
        self.assertEqual(found["pattern"], "irregular")
        self.assertTrue(found["explained_bytes"] < 0.1 * found["bytes"])

    def test_what_mpi_io_does_inside_is_not_the_pattern(self):
        log = Log(rank=0, ranks=1)
        f = log.name("/shared", 3)
        for i in range(10):
            at = EPOCH + i * 10000
            log.add("MPI_File_write_all", at, 900, name=f, offset=i * 4096, result=64)
            log.add("pwrite", at + 1, 300, name=f, offset=7777, result=64, level=1)
        found, = self.json("ldad", log.write(self.path("a.bin")))["files"]
        self.assertEqual(self.descriptors(found, 0), [(0, 40960, 4096, 64, 1, 1)])

    def test_files_of_the_system_come_last(self):
        log = Log(rank=0, ranks=1)
        sizes = {"/proc/stat": 900, "/a": 10, "/usr/x": 800, "/b": 20}
        for name, size in sizes.items():
            f = log.name(name, 3)
            log.add("pread", EPOCH + size, 10, name=f, offset=0, result=size)
        files = self.json("ldad", log.write(self.path("a.bin")))["files"]
        self.assertEqual([f["name"] for f in files],
                         ["/b", "/a", "/proc/stat", "/usr/x"])


# ---- damage and size ---------------------------------------------------------------


COMMANDS = [["summary"], ["summary", "--all"], ["summary", "--json", "-"],
            ["dump"], ["ldad"], ["bins"],
            ["ldad", "--skeleton=-"], ["export", "--perfetto", "-"],
            ["export", "--csv", "-"], ["export", "--to=darshan-text"]]


class Damage(Case):
    """Any log gives status 0 or 1 and sentences, in time, in bounded memory."""
    LIMIT_S = 20

    def try_all(self, data, name, command):
        write_file(self.path(name), data)
        begin = time.time()
        child = subprocess.Popen([IOTRACE] + command + [self.path(name)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            err = child.communicate(timeout=self.LIMIT_S)[1].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            self.fail("%s: no end after %d s" % (command, time.time() - begin))
        self.assertIn(child.returncode, (0, 1), "%s: %s" % (command, err))
        self.assertTrue(child.returncode == 0 or err, command)
        for line in err.splitlines():
            self.assertTrue(line.startswith("iotrace"), line)

    def damaged(self, rng, data, dense):
        """Cuts the data, or flips some bits where there are data."""
        data = bytearray(data)
        if rng.random() < 0.3:
            return data[:rng.choice([rng.randrange(400), rng.randrange(len(data))])]
        for _ in range(rng.choice([1, 1, 3, 30])):
            data[rng.choice(dense)] ^= 1 << rng.randrange(8)
        return data

    def fuzz(self, data, name, times):
        rng = random.Random(11)
        dense = [i for i, byte in enumerate(data) if byte]
        # The header and the heads of blocks decide how the rest is read.
        dense += list(range(160)) * 20
        for i in range(times):
            self.try_all(self.damaged(rng, data, dense), name,
                         COMMANDS[i % len(COMMANDS)])

    def test_binary_logs(self):
        log = some_log(random.Random(5), 5, 0, threads=2, calls=30)
        log.profile.append(bytes(680))
        self.fuzz(log.bytes(), "a.bin", 350)

    def test_tables(self):
        log = some_log(random.Random(6), 6, 0, threads=1, calls=30)
        out = self.iotrace("dump", log.write(self.path("x.bin")))[0]
        self.fuzz(out.encode(), "a.tsv", 150)

    def test_recover_of_damage(self):
        rng = random.Random(12)
        log = some_log(rng, GONE, 0, threads=2, calls=30, state=RUNNING)
        data = log.bytes()
        dense = [i for i, byte in enumerate(data) if byte]
        for i in range(40):
            for left in os.listdir(self.dir):
                os.unlink(self.path(left))
            self.try_all(self.damaged(rng, data, dense), "a.tsv.part", ["recover"])

    def test_damaged_records_are_counted(self):
        log = Log()
        for i in range(10):
            log.add("fsync", EPOCH + 10 * i, 5)
        data = bytearray(log.bytes())
        at = fake_log.BLOCK + 24 + 3 * 48 + 44
        data[at:at + 2] = b"\xff\xff"
        write_file(self.path("a.bin"), data)
        out, err = self.iotrace("dump", "a.bin")
        self.assertEqual(len(out.splitlines()), 10)
        self.assertIn("1 damaged record skipped", err)

    def test_files_without_a_name(self):
        """Numbers without a name are one file, and cost no memory."""
        log = Log()
        log.name("/data/a", 3)
        for i, number in enumerate((1, 7, 2 ** 31, 2 ** 32 - 1)):
            log.add("pread", EPOCH + 100 * i, 50, name=number, offset=0, result=10)
        log.write(self.path("a.bin"))
        for command in COMMANDS:
            child = subprocess.Popen([IOTRACE] + command + ["a.bin"], cwd=self.dir,
                                     stdout=subprocess.DEVNULL)
            _, child.returncode, used = os.wait4(child.pid, 0)
            self.assertEqual(child.returncode, 0, command)
            self.assertTrue(used.ru_maxrss < 60000, "%d KiB" % used.ru_maxrss)
        found = self.json("summary", "a.bin")
        self.assertEqual(found["total"]["read"]["bytes"], 40)
        read = {f["name"]: f["by_class"]["read"]["bytes"] for f in found["files"]}
        self.assertEqual(read, {"/data/a": 10, "?": 30})

    def test_calls_that_end_before_they_begin(self):
        log = Log()
        log.add("fsync", EPOCH, 5)
        event = log.add("fsync", EPOCH + 10, 5)
        log.ticks = lambda ns: (int(ns - log.begin) - 2 ** 20) % 2 ** 64
        event.duration = 2 ** 20
        log.write(self.path("a.bin"))
        out, err = self.iotrace("dump", "a.bin")
        self.assertEqual(len(out.splitlines()), 2)
        self.assertIn("1 damaged record skipped", err)

    def row(self, size=1, end=2, pid=7):
        return "\t".join(["a", "a.1", "IOTRACE", "/f", "3", "0", "read", str(size),
                          "1.0", "%d.0" % end, "%d.0" % (end - 1), str(pid)]) + "\n"

    def table(self, *rows):
        write_file(self.path("a.tsv"), "\t".join(COLUMNS) + "\n" + "".join(rows))
        return self.json("summary", "a.tsv")

    def test_rows_beyond_measure(self):
        """They would overflow in sums, like those of a binary log."""
        for bad in (self.row(size=2 ** 63 - 1), self.row(size=2 ** 48),
                    self.row(end=4 * 10 ** 9)):
            found = self.table(self.row(size=5), bad, bad, self.row(size=6))
            self.assertEqual(found["total"]["read"]["bytes"], 11)
            self.assertEqual(found["damaged"], 2)

    def test_rows_of_many_processes(self):
        pids = [1 + 512 * (i % 1500) for i in range(4500)]
        found = self.table(*[self.row(size=pid, pid=pid) for pid in pids])
        self.assertEqual([(p["pid"], p["by_class"]["read"]["bytes"])
                          for p in found["processes"]],
                         [(pid, 3 * pid) for pid in pids[:1500]])

    def test_a_zero_byte_ends_no_row(self):
        found = self.table(self.row(size=5), "a\0b\n", self.row(size=6))
        self.assertEqual(found["total"]["read"]["bytes"], 11)
        self.assertEqual(found["damaged"], 1)

    def test_sums_do_not_overflow(self):
        log = Log()
        name = log.name("/data/a", 3)
        entry = struct.pack("<IHBBQQQQ40Q40Q", name, fake_log.NUMBER["pread"], 0, 0, 1,
                            0, 2 ** 60 - 1, 10, *([0] * 39 + [1] + [0] * 10 + [1] +
                                                  [0] * 29))
        log.profile = [entry] * 9
        log.write(self.path("a.bin"))
        found = self.json("summary", "a.bin")
        self.assertEqual(found["total"]["read"]["bytes"], 2 ** 63 - 1)

    def test_memory_does_not_grow_with_the_log(self):
        wanted = write_large(self.path("large.bin"), 5000000, threads=4)
        self.assertTrue(os.path.getsize(self.path("large.bin")) > 230e6)
        for command in (["summary", "--json", "-"], ["ldad", "--json", "-"]):
            child = subprocess.Popen([IOTRACE] + command + ["large.bin"], cwd=self.dir,
                                     stdout=subprocess.PIPE)
            out = child.stdout.read()
            child.stdout.close()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = status
            self.assertEqual(status, 0)
            self.assertTrue(used.ru_maxrss < 60000, "%d KiB" % used.ru_maxrss)
            found = json.loads(out.decode())
            self.assertEqual(wanted, found["total"]["read"]["bytes"]
                             if command[0] == "summary"
                             else sum(f["bytes"] for f in found["files"]))


# ---- plot and run --------------------------------------------------------------------


class Programs(Case):
    def test_plot(self):
        log = some_log(random.Random(2), 9, 0)
        log.write(self.path("a.bin"))
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.assertIn("matplotlib", self.refused("plot", "a.bin"))
            return
        os.rename(self.path("a.bin"), self.path("$x^$\n$\\frac$.bin"))   # no formula
        self.iotrace("plot", "--slices", "20", "-o", "pictures", "$x^$\n$\\frac$.bin")
        names = os.listdir(self.path("pictures"))
        for name in ("non_io_time", "io_time", "bytes_moved", "bytes_per_slice",
                     "rank_by_time", "file_1_by_time"):
            for suffix in (".png", ".svg"):
                self.assertIn(name + suffix, names)

    def test_run_without_a_command(self):
        self.refused("run", status=2)
        self.refused("run", "--", status=2)

    def test_run(self):
        if not os.path.exists(RECORDER):
            self.assertIn("libiotrace.so", self.refused("run", "--", "true"))
        self.needs_recorder()
        out, err = self.iotrace("run", "-n", "job", "--", "/bin/sh", "-c",
                                "dd if=/etc/passwd of=copy bs=64; exit 3", status=3)
        self.assertIn("job.1", err)
        self.iotrace("run", "-n", "job", "--", "true")
        self.assertTrue({"job.1", "job.2"} <= set(os.listdir(self.dir)))
        found = self.json("summary", "job.1")
        files = {f["name"]: f["by_class"] for f in found["files"]}
        self.assertEqual(files["/etc/passwd"]["read"]["bytes"],
                         os.path.getsize("/etc/passwd"))

    def test_profile_of_a_run(self):
        """Its calls are complete, and its time counts once."""
        self.needs_recorder()
        self.iotrace("run", "-n", "job", "--mode=profile", "--", "dd", "if=/dev/zero",
                     "of=out", "bs=4096", "count=4096")
        found = self.json("findings", "job.1")
        calls = {c["class"]: c for c in found["classes"]}
        self.assertEqual([calls[way]["calls"] for way in ("read", "write")],
                         [4096, 4096])
        rank, = found["ranks"]
        self.assertLessEqual(rank["io_s"], found["wall_s"])
        self.assertAlmostEqual(rank["io_s"], sum(c["seconds"] for c in calls.values()),
                               places=6)
        self.assertNotIn(" 0 events", self.iotrace("summary", "job.1")[0])

    def test_run_is_its_owners_only(self):
        """It holds for any umask: command lines are in the logs."""
        self.needs_recorder()
        for mask in (0, 0o777):
            before = os.umask(mask)
            try:
                self.iotrace("run", "-n", "job", "-o", "runs%o" % mask, "--", "/bin/sh",
                             "-c", "cat /dev/null; kill -9 $$", status=128 + 9)
            finally:
                os.umask(before)
            folder = self.path("runs%o/job.1" % mask)
            self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
            self.assertEqual(os.stat(os.path.dirname(folder)).st_mode & 0o777, 0o700)
            names = os.listdir(folder)
            self.assertTrue([name for name in names if name.endswith(".summary")])
            for name in names:
                mode = os.stat(os.path.join(folder, name)).st_mode & 0o777
                self.assertEqual(mode, 0o600, name)

    def needs_recorder(self):
        if not os.path.exists(RECORDER):
            self.skipTest("libiotrace.so is not built")

    def test_run_of_what_is_not_there(self):
        self.needs_recorder()
        self.iotrace("run", "--", "./missing", status=127)
        self.assertFalse(os.path.exists(self.path("missing.1")))

    def test_run_of_what_cannot_be_seen(self):
        self.needs_recorder()
        go = (NOTE, struct.pack("<III4s4s", 4, 4, 4, b"Go", b"none"))
        other = (NOTE, struct.pack("<III4s4s", 4, 3, 4, b"GNU", b"none"))
        loader = (INTERP, b"/lib/ld.so\0")
        program(self.path("static"))
        program(self.path("go"), loader, other, go)
        program(self.path("stripped"), loader, section=b".go.buildinfo")
        program(self.path("other"), loader, other, section=b".text")
        program(self.path("foreign"), loader, machine=8)
        write_file(self.path("script"), "#! %s\n" % self.path("static"))
        os.chmod(self.path("script"), 0o755)
        static = "is statically linked: nothing of it is recorded"
        for command, said in ((["./static"], static),
                              (["env", "A=b", "./static"], static),
                              (["./script"], static),
                              (["./go"], "is a Go program"),
                              (["./stripped"], "is a Go program"),
                              (["./foreign"], "is built for another architecture"),
                              (["./other"], "")):
            child = subprocess.Popen([IOTRACE, "run", "--"] + command, cwd=self.dir,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            out = child.communicate(timeout=60)[0].decode("utf-8", "replace")
            first = out.splitlines()[0]
            self.assertEqual(first.startswith("iotrace: note: " + command[-1] + " is "),
                             said != "", out)
            self.assertIn(said, first)

    def unseen(self, run):
        """Summaries and findings of a run all tell the same about unseen activity."""
        shown = [json.loads(self.iotrace(*command, "--json", "-", run)[0])["unseen"]
                 for command in (["summary"], ["findings"])]
        self.assertEqual(shown[0], shown[1])
        line = "unseen    %s" % ("; ".join(shown[0]) or "in the logs: ")
        for command in (["summary"], ["summary", "--all"], ["summary", "--ranks"]):
            said = self.iotrace(*command, run)[0].replace(";\n          ", "; ")
            self.assertTrue([x for x in said.splitlines() if x.startswith(line[:97])],
                            said)
        return shown[0]

    @unittest.skipUnless(EXIT, "a program is made for x86-64 and aarch64")
    def test_programs_that_left_no_log(self):
        """Any parent may start them: a shell, in its place or its child's, or
        posix_spawn; and programs that failed to start do not count."""
        self.needs_recorder()
        program(self.path("static"))
        program(self.path("another"))
        program(self.path("not"))
        os.chmod(self.path("not"), 0o644)
        with open(self.path("start.py"), "w", encoding="ascii") as f:
            f.write("import os\nos.waitpid(os.posix_spawn('./another', ['a'], {}), 0)\n"
                    "os.execv('./static', ['static'])\n")
        one = "static programs: static (1 start)"
        for command, mode, said in (
                (["sh", "-c", "./static"], "trace", [one]),
                (["sh", "-c", ":; ./static; ./not; :"], "trace", [one]),
                (["sh", "-c", ":; ./static; ./not; :"], "profile", [one]),
                (["env", "PATH=.:" + os.environ["PATH"], "env", "static"], "trace",
                 [one]),
                ([sys.executable, "-S", "start.py"], "trace",
                 ["static programs: another, static (2 starts)"]),
                (["sh", "-c", ":"], "trace", [])):
            self.iotrace("run", "-n", "job", "--mode", mode, "--", *command)
            self.assertEqual([x for x in self.unseen("job.1") if "mapping" not in x],
                             said, command)
            shutil.rmtree(self.path("job.1"))

    @unittest.skipUnless(EXIT and os.geteuid() == 0, "it takes root")
    def test_programs_with_rights_of_their_own(self):
        """Programs without such rights are not named, nor those that a loader starts as
        a command."""
        self.needs_recorder()
        shutil.copy(shutil.which("true"), self.path("as_other"))
        os.chown(self.path("as_other"), 65534, -1)
        os.chmod(self.path("as_other"), 0o4755)
        os.chmod(self.dir, 0o755)
        self.iotrace("run", "-n", "job", "--", "sh", "-c", "./as_other; :")
        self.assertEqual(self.unseen("job.1"),
                         ["privileged programs: as_other (1 start)"])

    def test_a_loader_is_no_static_program(self):
        self.needs_recorder()
        loader = [name for name in ("/lib64/ld-linux-x86-64.so.2",
                                    "/lib/ld-linux-aarch64.so.1")
                  if os.path.exists(name)]
        if not loader:
            self.skipTest("the C library's loader has another name")
        err = self.iotrace("run", "-n", "job", "--", loader[0], shutil.which("cat"),
                           "/dev/null")[1]
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertEqual(self.unseen("job.1"), [])

    def test_go_and_lost_events_are_told(self):
        log = Log(pid=GONE, version=3, facts=["exe=/bin/served", "program=go",
                                              "uring=1:7"])
        log.dropped = 2
        log.write(self.path("a.bin"))
        self.assertEqual(self.unseen("a.bin"), [
            "2 events were dropped", "system calls of Go runtimes: served (1 start)",
            "io_uring by itself: 1 ring, 7 transfers not seen"])

    def test_run_where_nothing_can_be_made(self):
        self.needs_recorder()
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        os.mkdir(self.path("50%"))
        for words, why in (
                (("-o", "file"), "the run's directory cannot be made: Not a directory"),
                (("-o", "file/x"), "the directory cannot be made: Not a directory"),
                (("-n", "a" * 300), "run's directory cannot be made: File name too"),
                (("-o", "50%"), "must not have a % in its name"),
                (("-n", "a/b"), "has a / or % in it")):
            self.assertIn(why, self.refused("run", *words, "--", "touch", "ran",
                                            status=2 if "a/b" in words else 1))
        env = {"LD_PRELOAD": ":" * (1 << 16)}
        err = self.iotrace("run", "--", "touch", "ran", status=1, env=env)[1]
        self.assertIn("LD_PRELOAD is too long", err)
        self.assertEqual(sorted(os.listdir(self.dir)), ["50%", "file"])
        self.assertEqual(os.listdir(self.path("50%")), [])

    def test_run_and_a_killed_command(self):
        self.needs_recorder()
        err = self.iotrace("run", "-n", "job", "--", "/bin/sh", "-c",
                           "echo x >copy; kill -9 $$", status=128 + 9)[1]
        self.assertIn("1 of processes that have not said their end", err)
        self.assertIn("copy", self.iotrace("summary", "job.1")[0])


if __name__ == "__main__":
    main()
