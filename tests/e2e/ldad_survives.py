#!/usr/bin/env python3
# limit: 3000; tier: quick ci
"""A container whose writer is killed: synced data are there, and no others; no wrong
byte is read silently. And two jobs that write one container are kept apart."""
import os
import random
import shutil
import signal

from e2e import BUILD, SHIM, Case, drawn, long, main, read_bytes, runner
from tap import lot_of

KILLED = os.path.join(BUILD, "tests", "ldad", "killed")
BLOCK, BLOCKS, EPOCHS, RANKS = 777, 40, 30, 2  # as in tests/ldad/killed.c
STEP = BLOCKS * RANKS
PLAN = "ldad_plan=ranks=%d step=%d start=0 [span=%d stride=%d size=%d]" % (
    RANKS, BLOCK, EPOCHS * STEP * BLOCK, RANKS * BLOCK, BLOCK)
KEYS = ("ldad_method=partitioned", PLAN)

# Points at which the writer is killed: a rank, a call on a file, and how often it is
# made.
CALLS = [("%d" % rank, call, name, most)
         for rank, call, name, most in (
             (0, "write", "part-", 30), (1, "write", "part-", 30),
             (0, "write", "header.new", 31), (0, "fsync", "header.new", 30),
             (0, "write", "shared.map", 30), (0, "fsync", "shared.map", 30),
             (0, "fsync", "/f", 60), (1, "fsync", "part-", 30),
             (0, "write", "sums-", 1), (0, "write", "log", 61))]
KINDS = ("append", "again")


def value(number, epoch):
    return 1 + (number * 31 + epoch * 7) % 255


def content(epoch, again):
    """Returns the file after so many epochs, block by block."""
    if again:
        return [value(n, epoch) for n in range(STEP if epoch else 0)]
    return [value(n, n // STEP + 1) for n in range(epoch * STEP)]


def ranks():
    """Waits for processes of the program below tests/run, which adopts those whose
    launcher has gone, until their files are closed."""
    found, level, tree = set(), [os.getppid()], runner.parents()
    while level:
        level = [pid for pid, parent in tree.items() if parent in level]
        found |= {pid for pid in level if runner.name_of(pid) == "killed"}
    return found


class Survives(Case):
    LIMIT = 120

    def killed(self, path, kind, *keys, np=RANKS, **how):
        """Runs it, and waits for the processes that its launcher has left."""
        before = ranks()
        done = self.run_program(KILLED, path, self.path("log"), kind,
                                *(KEYS + keys), np=np, dir=False, json=False, **how)
        self.until(lambda: ranks() <= before, "all ranks are gone", limit=60)
        return done

    def ldad(self, *args):
        return self.run_program("ldad", *args, np=0, dir=False, json=False)

    def noted(self):
        """Returns the last sync that ended, and the last that began."""
        found = {"a": 0, "b": 0, "c": 0}
        with open(self.path("log")) as f:
            for line in f:
                if line.endswith("\n"):
                    found[line[0]] = int(line[2:])
        return found["a"], found["b"]

    def logical(self, path):
        out = path + ".flat"
        done = self.ldad("flatten", path, out)
        self.assertEqual(done.status, 0, done)
        data = read_bytes(out)
        os.unlink(out)
        return data

    def judge(self, data, kind, done, begun):
        """The data are those at a sync: the last that had ended, or one that had begun.
        Bytes that are written again may be newer."""
        again = kind == "again"
        epochs = range(done, max(begun, done) + 1)
        if not again:
            right = {bytes(b"".join(bytes([v]) * BLOCK for v in content(e, again)))
                     for e in epochs}
            self.assertIn(data, right)
            return
        self.assertIn(len(data), {len(content(e, again)) * BLOCK for e in epochs})
        for n in range(len(data) // BLOCK):
            newest = min(max(begun, done) + 1, EPOCHS)
            may = {value(n, e) for e in range(max(done, 1), newest + 1)}
            self.assertLessEqual(set(data[n * BLOCK:(n + 1) * BLOCK]), may, n)

    def survives(self, number):
        log = self.path("log")
        if os.path.exists(log):
            os.unlink(log)
        rng = random.Random(lot_of("kill %d" % number))
        path = self.path("f%d" % number)
        kind = KINDS[number // len(CALLS) % 2]
        rank, call, name, most = CALLS[number % len(CALLS)]
        fault = "%s:kill:%d" % (call, rng.randint(1, most))
        self.killed(path, kind, env={"PRELOAD": SHIM, "FAULT": fault,
                                     "FAULT_RANK": rank, "FAULT_FILE": name})
        what = "%s %s %s on rank %s" % (kind, fault, name, rank)
        done, begun = self.noted()
        if not os.path.exists(os.path.join(path, "header")):
            self.assertEqual(done, 0, what)
        else:
            self.recovered(path, kind, done, begun, what, rng)
        ran = self.killed(path, kind)
        self.assertEqual((ran.status, ran.err), (0, ""), what)
        self.judge(self.logical(path), kind, EPOCHS, EPOCHS)
        self.assertEqual(self.ldad("verify", path).status, 0, what)

    def recovered(self, path, kind, done, begun, what, rng):
        """Recovers by the command; and by opening it to read a copy, or to write."""
        if rng.random() < 0.3:  # the rerun opens what the kill has left
            return
        copy = path + "-copy"
        shutil.copytree(path, copy)
        recovered = self.ldad("recover", path)
        if recovered.status:
            self.assertEqual(done, 0, what)
            self.assertIn("never synced", recovered.err)
            return
        self.judge(self.logical(path), kind, done, begun)
        self.assertEqual(self.ldad("verify", path).status, 0, what)
        self.assertIn("nothing to recover", self.ldad("recover", path).out)
        out = self.path("out")
        ran = self.run_program(KILLED, copy, out, "read", *KEYS, np=1, dir=False,
                               json=False)
        self.assertEqual(ran.status, 0, (what, ran))
        self.assertEqual(read_bytes(out), self.logical(path), what)
        os.unlink(out)
        shutil.rmtree(copy)

    def test_killed_at_many_moments(self):
        for number in drawn(range(200), 2, share=1 / 10):
            with self.subTest(number=number):
                self.survives(number)

    # ---- losses ------------------------------------------------------------------

    def left(self):
        """Makes a container whose writer was killed after its tenth sync."""
        path = self.path("f")
        self.killed(path, "append", env={"PRELOAD": SHIM, "FAULT": "write:kill:21",
                                         "FAULT_RANK": "0", "FAULT_FILE": "log"})
        self.assertEqual(self.noted(), (10, 10))
        return path

    @long
    def test_what_is_lost_is_refused(self):
        """Recovery, reading and writing refuse it."""
        whole = self.left()
        for name, says in (("shared.map", "shared.map is missing"),
                           ("shared", "shared"),
                           ("header", "cannot be opened"),
                           ("part-", "missing")):
            path = whole + "-" + name
            shutil.copytree(whole, path)
            victim, = [f for f in sorted(os.listdir(path))
                       if f.startswith(name) and (name != "shared" or f == name)][:1]
            os.unlink(os.path.join(path, victim))
            done = self.ldad("recover", path)
            self.assertEqual(done.status, 1, done)
            self.assertIn(says, done.err)
            for kind in ("read", "append"):
                out = self.path("out")
                ran = self.run_program(KILLED, path, out, kind, *KEYS, np=RANKS,
                                       dir=False, json=False)
                self.assertNotEqual(ran.status, 0, (name, kind, ran))

    @long
    def test_strict(self):
        path = self.left()
        ran = self.killed(path, "append", "ldad_strict=yes")
        self.assertNotEqual(ran.status, 0)
        self.assertIn("never completed", ran.err)

    @long
    def test_all_is_kept(self):
        path = self.left()
        there = sum(os.path.getsize(os.path.join(path, f)) for f in os.listdir(path)
                    if f.startswith("part-"))
        done = self.ldad("recover", "--all", path)
        self.assertEqual(done.status, 0, done)
        self.assertIn("with all that was found", done.out)
        self.assertEqual(self.ldad("verify", path).status, 0)
        self.assertGreaterEqual(len(self.logical(path)), there)

    # ---- two jobs -----------------------------------------------------------------

    def test_two_jobs_are_kept_apart(self):
        """While one job is stopped, the other is refused and names it; when the first
        is killed, the second may write."""
        path = self.path("f")
        run = self.start(KILLED, path, self.path("log"), "append", *KEYS,
                         np=RANKS, dir=False, json=False,
                         env={"PRELOAD": SHIM, "FAULT": "write:hang:9",
                              "FAULT_RANK": "0", "FAULT_FILE": "log"})
        self.until(lambda: os.path.exists(self.path("log")) and
                   self.noted() == (4, 4), "it hangs")
        for kind in ("append", "read"):
            other = self.killed(path, kind)
            self.assertNotEqual(other.status, 0, other)
            self.assertIn("another job has the container open and writes it (process ",
                          other.err)
        done = self.ldad("recover", path)
        self.assertEqual(done.status, 1, done)
        self.assertIn("another job has the container open", done.err)
        self.assertEqual(len(run.signal(signal.SIGKILL)), RANKS)
        run.wait(60)
        self.until(lambda: not ranks(), "all ranks are gone")
        os.unlink(self.path("log"))
        other = self.killed(path, "append")
        self.assertEqual((other.status, other.err), (0, ""))
        self.judge(self.logical(path), "append", EPOCHS, EPOCHS)


if __name__ == "__main__":
    main()
