#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""Any number of small files, in folders of their own: tests/e2e/manyfiles.c makes,
reads back, checks and removes them without messages between ranks, in constant memory;
and what remains of them if the run is ended."""
import os
import signal

from e2e import BUILD, Case, drawn, fault, long, main

PROGRAM = "manyfiles"
HERE = os.path.abspath(os.path.join(BUILD, "tests", "e2e"))
PATH = {"PATH": HERE + os.pathsep + os.environ["PATH"]}
ENDLESS = "2000000"


class ManyFiles(Case):
    def many(self, files, *args, **how):
        return self.run_program(PROGRAM, str(files), *args, "--quiet", env=PATH, **how)

    def figure(self, report, name):
        return next(f["median"] for f in report["figures"] if f["name"] == name)

    def checked(self, report, blocks):
        self.assertEqual(report["checks"]["blocks_checked"], blocks)
        self.assertEqual(report["checks"]["blocks_bad"], 0)

    def sample(self, report, phase, act):
        return next(s for s in report["samples"]
                    if s["phase"] == phase and s["act"] == act)

    # ---- answers -------------------------------------------------------------

    def test_each_way(self):
        """Files are written in each way, read and checked; also empty ones."""
        ways = [("--how=" + how, *sync) for how in ("MAKE", "TRUNCATE", "RENAME")
                for sync in ((), ("--sync",))]
        ways.append(("--way=OPENED", "--cache=keep"))
        for way in drawn(ways, 3) + [("--bytes=0",)]:
            report = self.good(self.many(20, *way, "--more=7", np=2))
            self.checked(report, 47)

    def test_lanes(self):
        report = self.good(self.many(10, "--threads=3", "--more=5", np=2))
        self.checked(report, sum(10 + 5 * worker for worker in range(6)))

    def test_others_files(self):
        report = self.good(self.many(10, "--rank-shift=1", "--more=5", np=2))
        self.checked(report, 25)

    def test_unequal_numbers(self):
        """Ranks without files wait for others only at the ends of phases."""
        report = self.good(self.many(0, "--more=200", np=3))
        self.checked(report, 600)

    def test_times_apart(self):
        report = self.good(self.many(50, "--sync", "--how=RENAME", np=2))
        self.assertLess(report["checks"]["split_error"], 1e-6)
        calls = {act: self.sample(report, "make", act)["calls"]
                 for act in ("write", "sync", "open_close")}
        # Each is created, closed and renamed; and there are two folders.
        self.assertEqual(calls, {"write": 100, "sync": 100, "open_close": 302})
        read = {act: self.sample(report, "read", act)["calls"]
                for act in ("read", "open_close")}
        self.assertEqual(read, {"read": 100, "open_close": 200})

    def said(self, files, *args):
        return self.figure(self.good(self.many(files, *args, np=2)), "mpi_calls")

    def test_nothing_is_said_of_files(self):
        """MPI's profiling interface counts collective calls and messages."""
        for way in drawn(("WHOLE", "OPENED"), 1):
            args = ("--way=" + way, "--cache=keep")
            self.assertEqual(self.said(1, *args), self.said(1000, *args), way)

    # ---- files of others -----------------------------------------------------

    def test_input(self):
        """They are read, and nothing changes them: opening them for writing is refused,
        and removing the run's files leaves them."""
        folder = os.path.join(self.tmp, "input")
        os.mkdir(folder)
        for i, name in enumerate(("a b", "line\nend", "-rf", "\u00fc", "empty")):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(b"x" * (i != 4) * 1000)
        os.symlink("a b", os.path.join(folder, "link"))

        def state():
            return sorted((e.name, e.stat().st_ino, e.stat().st_mtime_ns,
                           e.is_symlink(), e.stat().st_size)
                          for e in os.scandir(folder))
        before = state()
        report = self.good(self.many(3, "--input", folder, "--threads=2", np=2))
        self.assertEqual(state(), before)
        read = self.sample(report, "input", "read")
        self.assertEqual(read["bytes"], 4 * 2 * 5 * 1000)

    # ---- faults --------------------------------------------------------------

    def faulty(self, what, *args, **more):
        env = dict(PATH, **fault(what, file="files/manyfiles-", **more))
        return self.run_program(PROGRAM, "50", "--quiet", *args, env=env, np=2)

    def test_faults(self):
        """A sentence names the file, and nothing is left."""
        faults = [("write:ENOSPC:5", "No space", ()), ("write:zero:5", "nothing", ()),
                  ("fsync:EIO:5", "fsync failed", ("--sync",)),
                  ("read:EIO:5", "read failed", ()), ("read:zero:5", "ended after", ()),
                  ("read:flip:5", "verification failed", ()),
                  ("write:lost:5", "verification failed", ("--how=TRUNCATE",))]
        for what, text, args in drawn(faults, 3):
            print("#", what)
            self.failed(self.faulty(what, *args), text, "00000")

    def test_time_out(self):
        """A call that hangs ends the run, and the folders are removed, too."""
        done = self.faulty("write:hang:20", "--io-timeout=1", rank=1)
        self.assertNotEqual(done.status, 0, done)
        self.assertIn("did not come back", done.err)
        self.assertEqual(done.files, [], done)

    # ---- memory --------------------------------------------------------------

    def constant_memory(self, few, many):
        args = ("--cache=keep", "--bytes=100")
        before = self.figure(self.good(self.many(few, *args, np=1)), "memory_kB")
        done = self.many(many, *args, np=1, limit=300)
        after = self.figure(self.good(done), "memory_kB")
        print("# VmHWM: %d kB with %d files, %d kB with %d" %
              (before, few, after, many))
        self.assertLess(after, before + 1500)

    def test_memory(self):
        self.constant_memory(100, 2000)

    @long
    def test_memory_of_100_000(self):
        self.constant_memory(1000, 100000)

    # ---- ends ----------------------------------------------------------------

    def in_the_middle(self, np):
        run = self.start(PROGRAM, ENDLESS, "--quiet", env=PATH, np=np)

        def some():
            folders = [os.path.join(run.dir, name) for name in run.files
                       if name.startswith(PROGRAM)]
            return len(folders) == np and all(len(os.listdir(f)) > 50 for f in folders)
        self.until(some, "files are made")
        return run

    def test_signal(self):
        """Nothing is left, however many files there were."""
        run = self.in_the_middle(2)
        run.signal(signal.SIGTERM)
        run.wait(60)
        self.assertNotEqual(run.status, 0, run)
        self.assertEqual(run.files, [], run)
        self.assertIn("its files are removed", run.said[0])

    def test_killed(self):
        """If a run cannot remove its files, the next one names them."""
        run = self.in_the_middle(1)
        run.signal(signal.SIGKILL)
        run.wait(60)
        self.assertEqual(len(run.files), 1, run)
        left = run.files[0]
        done = self.many(3, dir=run.dir, np=1)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(len(done.said), 1, done)
        self.assertIn("note: earlier runs left or kept", done.said[0])
        self.assertIn(left, done.said[0])
        self.assertEqual(run.files, [left], "it is left as it is")

    def test_kept(self):
        done = self.many(4, "--keep", np=1)
        self.assertEqual(done.status, 0, done)
        folder = os.path.join(done.dir, done.files[0])
        self.assertEqual(sorted(os.listdir(folder)), ["000000001", "000000003"])


if __name__ == "__main__":
    main()
