#!/usr/bin/env python3
# limit: 600
"""A run that is ended from outside: it ends at once, as a failure, on all ranks; it
leaves no files where it is given the chance; and its report does not count as one."""
import glob
import os
import signal

from e2e import ASYNC_METHODS, FLAVOUR, METHODS, TIMED_OUT, Case, add, main, runner

RANKS = 3
# MPICH 4.0's launcher, told to end, at times exits with 0, whatever it ran ("sleep"
# too): there only the report tells.
LOST = (0,) if FLAVOUR == "mpich" else ()
# More work than any machine does within the test: it is never waited for.
ENDLESS = ("64", "1000", "--bwexp=2.6")


class Ended(Case):
    def running(self, how, filetype, program="madbench", args=ENDLESS):
        """A run that has made all its files, and is somewhere between them."""
        name, method, launcher = how
        run = self.start(program, *args, *method, "--filetype=" + filetype, "--quiet",
                         np=RANKS, launcher=launcher)
        files = RANKS if filetype == "UNIQUE" else 1
        self.until(lambda: len(run.files) == files and len(run.ranks()) == RANKS and
                   run.child.poll() is None, "all files are made")
        self.assertIs(run.report["valid"], False)
        return run

    def has_ended(self, run, ranks, lost=()):
        """In time, as a failure, and with every one of its processes."""
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
        """What a user's Ctrl-C and a batch system's time limit do."""
        run = self.running(how, filetype)
        ranks = run.ranks()
        run.child.send_signal(sig)
        self.has_ended(run, ranks, LOST)
        self.left_nothing(run)
        self.assertEqual(len(run.said), 1, run)
        self.assertIn("ended by a signal; its files are removed", run.said[0])

    def all_get(self, sig, how, filetype):
        """A terminal sends Ctrl-C to launcher and ranks at once, a batch system too."""
        run = self.running(how, filetype)
        self.has_ended(run, run.signal(sig))
        self.left_nothing(run)

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
        """What was to be kept is a whole file, not half of one."""
        run = self.running(METHODS[0], "SHARED", args=ENDLESS + ("--keep",))
        ranks = run.ranks()
        run.child.send_signal(signal.SIGTERM)
        self.has_ended(run, ranks, LOST)
        self.left_nothing(run)

    def next_run(self, run):
        return self.run_program("madbench", "64", "2", "--io-only", "--quiet", np=2,
                                dir=run.dir)

    def test_the_next_run_names_what_is_left(self):
        """But not what a run needs that goes on."""
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

    def test_blocktransfer(self):
        run = self.running(METHODS[0], "UNIQUE", "blocktransfer",
                           ("1M", "--block-size=1k", "--repeat=1000000"))
        ranks = run.ranks()
        run.child.send_signal(signal.SIGINT)
        self.has_ended(run, ranks, LOST)
        self.left_nothing(run)


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

for i, how in enumerate(ASYNC_METHODS):
    kind = "SHARED" if i % 2 else "UNIQUE"
    how = (how[0], how[1] + ("--iomode=ASYNC",), how[2])
    add(Ended, "SIGTERM_to_the_launcher_async_" + how[0], "launcher_gets",
        signal.SIGTERM, how, kind)

if __name__ == "__main__":
    main()
