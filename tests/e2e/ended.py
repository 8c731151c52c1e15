#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""A run that is ended from outside: it ends at once, as a failure, on all ranks; it
leaves no files if it gets the chance; and its report does not count as one."""
import glob
import os
import signal
import subprocess
import unittest

from e2e import (ASYNCHRONOUS, ASYNC_METHODS, FLAVOUR, HDF5, METHODS, TIMED_OUT, Case,
                 add, fault, long, main, runner)

RANKS = 3
# MPICH 4.0's launcher sometimes exits with 0 when it is told to end, whatever it ran
# ("sleep" too): then only the report tells.
LOST = (0,) if FLAVOUR == "mpich" else ()
# More work than any machine does within the test: it is never waited for.
ENDLESS = ("64", "1000", "--bwexp=2.6")


class Ended(Case):
    def running(self, how, filetype, program="madbench", args=ENDLESS):
        """Starts a run that has made all its files, and is in the middle of its
        work."""
        name, method, launcher = how
        run = self.start(program, *args, *method, "--filetype=" + filetype, "--quiet",
                         np=RANKS, launcher=launcher)
        files = RANKS if filetype == "UNIQUE" else 1
        self.until(lambda: len(run.files) == files and len(run.ranks()) == RANKS and
                   run.child.poll() is None, "all files are made")
        self.assertIs(run.report["valid"], False)
        return run

    def has_ended(self, run, ranks, lost=()):
        """It ended in time, as a failure, with every one of its processes."""
        run.wait(30)
        self.assertNotIn(run.status, {0, TIMED_OUT}.difference(lost), run)
        self.until(lambda: not [pid for pid in ranks if pid in runner.parents()],
                   "all ranks have ended")
        report = run.report
        self.assertIs(report["valid"], False)
        self.assertEqual(report["why"], "did not finish")
        self.assertEqual(report["figures"], [])

    def left_nothing(self, run):
        self.assertEqual(run.files, [], run)
        name = run.report["run"]["id"]
        self.assertEqual(glob.glob("/dev/shm/*%s*" % name), [])
        self.assertEqual(glob.glob(os.path.join(run.folder, "*.tmp")), [])

    def launcher_gets(self, sig, how, filetype):
        """A user's Ctrl-C and a batch system's time limit do this."""
        run = self.running(how, filetype)
        ranks = run.ranks()
        run.child.send_signal(sig)
        self.has_ended(run, ranks, LOST)
        self.left_nothing(run)
        self.assertEqual(len(run.said), 1, run)
        self.assertIn("ended by a signal; its files are removed", run.said[0])

    def all_get(self, sig, how, filetype):
        """A terminal sends Ctrl-C to launcher and ranks at once; so does a batch
        system."""
        run = self.running(how, filetype)
        self.has_ended(run, run.signal(sig))
        self.left_nothing(run)

    def a_rank_gets(self, sig, which, how, filetype):
        """The others end by themselves before MPICH's launcher would kill them."""
        run = self.running(how, filetype)
        ranks = run.ranks()
        os.kill(sorted(ranks)[which], sig)
        self.has_ended(run, ranks)
        self.left_nothing(run)
        self.assertEqual(len(run.said), 1, run)
        self.assertIn("ended by a signal; its files are removed", run.said[0])

    def a_rank_is_killed(self, which, how, filetype):
        run = self.running(how, filetype)
        ranks = run.ranks()
        os.kill(sorted(ranks)[which], signal.SIGKILL)
        self.has_ended(run, ranks)

    def test_the_launcher_is_killed(self):
        run = self.running(METHODS[0], "SHARED")
        ranks = run.ranks()
        run.child.kill()
        self.has_ended(run, ranks)

    def test_a_kept_file_is_removed_too(self):
        """A kept file is a whole file, not half of one."""
        run = self.running(METHODS[0], "SHARED", args=ENDLESS + ("--keep",))
        ranks = run.ranks()
        run.child.send_signal(signal.SIGTERM)
        self.has_ended(run, ranks, LOST)
        self.left_nothing(run)

    def next_run(self, run):
        return self.run_program("madbench", "64", "2", "--io-only", "--quiet", np=2,
                                dir=run.dir)

    def test_the_next_run_names_what_is_left(self):
        """But it does not name files of a run that is still running."""
        run = self.running(METHODS[0], "UNIQUE")
        self.assertEqual(self.next_run(run).said, [])
        run.signal(signal.SIGKILL, run.child.pid)
        run.wait(30)
        after = self.next_run(run)
        self.assertEqual(after.status, 0, after)
        self.assertEqual(len(after.said), 1, after)
        for name in run.files:
            self.assertIn(name, after.said[0])
        self.assertEqual(len(run.files), RANKS)

    def test_not_in_another_namespace(self):
        """Process numbers mean something else there: a running run is not taken for one
        that has ended, nor is one whose number belongs to another process."""
        apart = ("unshare", "-p", "-f", "--mount-proc")
        if subprocess.call([*apart, "true"], stderr=subprocess.DEVNULL):
            raise unittest.SkipTest("no PID namespaces here")
        run = self.running(METHODS[0], "UNIQUE")
        after = self.run_program("blocktransfer", "64k", "--quiet", np=0, dir=run.dir,
                                 before=apart)
        self.assertEqual((after.status, after.said), (0, []), after)
        inside = self.run_program("madbench", "64", "2", "--io-only", "--quiet", np=0,
                                  dir=run.dir, before=apart)
        self.assertEqual((inside.status, inside.said), (0, []), inside)
        run.signal(signal.SIGKILL, run.child.pid)
        run.wait(30)

    def test_SIGQUIT_to_all_ranks(self):
        run = self.running(METHODS[0], "UNIQUE")
        self.has_ended(run, run.signal(signal.SIGQUIT))
        self.left_nothing(run)

    def test_blocktransfer(self):
        run = self.running(METHODS[0], "UNIQUE", "blocktransfer",
                           ("1M", "--block-size=1k", "--repeat=1000000"))
        ranks = run.ranks()
        run.child.send_signal(signal.SIGINT)
        self.has_ended(run, ranks, LOST)
        self.left_nothing(run)


class Finalize(Case):
    @long
    def test_MPI_that_does_not_end_is_left(self):
        """The results stand, so the status is 0, except that Open MPI's launcher blames
        all programs that end without MPI_Finalize."""
        for rank in None, 1:
            done = self.run_program("blocktransfer", "64k", "--quiet", np=3,
                                    env=fault("final:hang:1", rank=rank))
            self.assertEqual(done.status, 0 if FLAVOUR == "mpich" else 1, done)
            self.assertIs(done.report["valid"], True)
            if rank is None:
                self.assertEqual(done.err.count("MPI_Finalize did not come back"), 1)


LIMIT = 8 << 20  # MPI libraries have files of their own, of some MiB


class FileSize(Case):
    """ulimit -f: a write fails, with a sentence; no process is killed."""
    BEFORE = ("prlimit", "--fsize=%d" % LIMIT)

    def limited(self, program, args, launcher=()):
        done = self.run_program(program, *args, "--quiet", np=2, before=self.BEFORE,
                                launcher=launcher)
        self.failed(done, "File too large")

    def blocks(self, how, filetype):
        self.limited("blocktransfer", ("24M", *how[1], "--filetype=" + filetype),
                     how[2])

    def test_madbench(self):
        self.limited("madbench", ("2048", "4", "--io-only"))

    def test_ldad_perf(self):
        done = self.run_program("ldad", "perf", "--chunks=24", "--quiet", np=2,
                                before=self.BEFORE)
        self.assertEqual(done.status, 1, done)
        self.assertIn("File too large", done.err)
        self.assertEqual(done.files, [])

    def test_gsfgen(self):
        done = self.run_program("gsfgen", "--files=2", "--pings=9000", "--quiet", np=2,
                                json=False, before=self.BEFORE)
        self.assertEqual(done.status, 1, done)
        self.one_sentence(done, "File too large")

    def test_readers_of_traces(self):
        """They have no files to remove, and tell why they could not write theirs."""
        env = runner.mpi_environment(1)
        subprocess.check_call(
            ["iotrace", "run", "-n", "cat", "-o", self.tmp, "--", "cat", "/etc/passwd"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        log = self.path("cat.1")
        for line in (("merge", "-o", "m.txt", log), ("export", "--csv=c.csv", log),
                     ("summary", "--json=s.json", log), ("ldad", "--json=l.json", log),
                     ("compare", "--json=d.json", log, log)):
            done = subprocess.run(["prlimit", "--fsize=100", "iotrace", *line], env=env,
                                  cwd=self.tmp, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE)
            said = done.stderr.decode()
            self.assertEqual(done.returncode, 1, (line, said))
            self.assertRegex(said, r"\Aiotrace[a-z ]*: .*cannot be written.*\n\Z")


for i, how in enumerate(METHODS + HDF5):
    for kind in ("UNIQUE", "SHARED"):
        add(FileSize, how[0] + "_" + kind, "blocks", how, kind)
add(FileSize, "partitioned", "blocks", METHODS[0], "PARTITIONED")
add(FileSize, "partitioned_mpi", "blocks", METHODS[1], "PARTITIONED")
for name in ASYNCHRONOUS:
    add(FileSize, name, "blocks", (name, ("--iomethod=" + name,), ()), "SHARED")

for i, how in enumerate(METHODS):
    for j, sig in enumerate((signal.SIGINT, signal.SIGTERM)):
        kind = ("UNIQUE", "SHARED")[(i + j) % 2]
        other = ("SHARED", "UNIQUE")[(i + j) % 2]
        name = sig.name + "_" + how[0]
        add(Ended, "%s_to_the_launcher_%s" % (name, kind), "launcher_gets", sig, how,
            kind)
        add(Ended, "%s_to_all_ranks_%s" % (name, other), "all_get", sig, how, other)
    add(Ended, "a_rank_is_killed_" + how[0], "a_rank_is_killed", (0, -1, 1)[i], how,
        ("SHARED", "UNIQUE")[i % 2])

for which in (0, -1):
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        add(Ended, "%s_to_rank_%d" % (sig.name, which % RANKS), "a_rank_gets", sig,
            which, METHODS[0], "UNIQUE")
for i, how in enumerate(ASYNC_METHODS):
    kind = "SHARED" if i % 2 else "UNIQUE"
    how = (how[0], how[1] + ("--iomode=ASYNC",), how[2])
    add(Ended, "SIGTERM_to_the_launcher_async_" + how[0], "launcher_gets",
        signal.SIGTERM, how, kind)

if __name__ == "__main__":
    main()
