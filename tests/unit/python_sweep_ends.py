#!/usr/bin/env python3
# mpi: any; tier: quick ci
"""leadline sweep: its own ends (--until, --budget), one sweep at a time in a folder,
and reports of failures; with a fake program."""
import math
import os
import resource
import signal
import statistics
import time
import unittest
from collections import Counter, namedtuple

from fake_sweep import Case
from tap import long, main

from files import read_json, read_text, write_file
from leadline.base import lock
from leadline.results import run
from leadline.sweep import enough, need

# Rounds with 1 % noise, and with 10 %.
CALM = [100.0, 101.0, 99.0, 100.5, 99.5, 100.0]
ROUGH = [100.0, 110.0, 91.0, 104.0, 96.0, 100.0]
TWO = {"iomethod": ["posix", "mpi"]}
Figure = namedtuple("Figure", "name at")


class Fixed:
    """A configuration with one value a round."""
    name = "it"

    def __init__(self, values):
        self.values = {("s", i): v for i, v in enumerate(values, 1)}

    def observations(self, _):
        return self.values


class Until(Case):
    def figures(self, **values):
        self.orders(figures=values)

    def until(self, *more, limit="5%", **changes):
        spec = self.spec(**dict({"matrix": TWO}, **changes))
        return self.sweep(spec, "--out", self.out, "--until=" + limit, *more)

    def test_ends_where_it_is_narrow(self):
        self.figures(posix=CALM, mpi=CALM[3:] + CALM[:3])
        result = self.until()
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(self.calls()), 14)
        self.assertIn("rounds until all intervals are within 5 %, at least 7 and at "
                      "most 50", result.err)
        self.assertIn("after 7 rounds all intervals are within 5 % (the widest: "
                      "write_MBps of mpi +-", result.err)
        again = self.until()
        self.assertEqual((again.status, len(self.calls())), (0, 14))
        self.assertIn("14 runs are there already", again.err)

    def test_the_largest_number_of_rounds(self):
        self.figures(posix=ROUGH, mpi=CALM)
        result = self.until("--rounds=7", limit="1%")
        self.assertEqual((result.status, len(self.calls())), (0, 14))
        self.assertRegex(" ".join(result.err.split()), r"the widest interval, "
                         r"write_MBps of mpi \+-\d+ %, is not within 1 %: about \d+ "
                         "rounds would be needed")

    @long
    def test_one_configuration(self):
        self.figures(default=CALM)
        result = self.until("--quiet", limit="3%", matrix=None)
        self.assertEqual((result.status, result.err), (0, ""))
        self.assertEqual(len(self.calls()), 7)

    @long
    def test_widths_are_those_of_pairs(self):
        """Both rise in the same rounds: their ratio is known though they are not."""
        self.figures(posix=ROUGH, mpi=[2.0 * v for v in ROUGH])
        self.until(limit="1%")
        self.assertEqual(len(self.calls()), 14)

    @long
    def test_what_fails_does_not_stop_it(self):
        self.orders(mpi="fail", figures={"posix": CALM})
        result = self.until()
        self.assertEqual(result.status, 1)
        self.assertEqual(Counter(c["config"] for c in self.calls()),
                         {"posix": 7, "mpi": 3})
        self.assertIn("mpi failed 3 times in a row and is left out", result.err)
        self.assertIn("3 of 10 runs failed", result.err)

    def test_figures(self):
        self.figures(posix=CALM, mpi=CALM)
        self.assertIn("no figure is called none", self.until("--figure=none").err)
        self.assertEqual(len(self.calls()), 2)

    def test_refusals(self):
        for args, words in ((["--until=0%"], "0% is not above 0 %"),
                            (["--until=x"], "x is not above 0 %"),
                            (["--figure=x"], "--figure is for --until"),
                            (["--budget=0"], "0 is not a time such as 90s, 30m or 8h"),
                            (["--budget=-1m"], "argument --budget"),
                            (["--budget=1e9"], "1e9 is not a time"),
                            (["--until=5%", "--rounds=60000"], "these are 120000")):
            result = self.sweep(self.spec(matrix=TWO), "--out", self.out, *args)
            self.assertEqual((result.status, result.err.count("\n")), (2, 1), result)
            self.assertIn(words, result.err)


class Widths(unittest.TestCase):
    def test_known_values(self):
        """For five comparisons at once Student's t decides, 4.011512 with 5 degrees
        (scipy); for one the permutations do, whose ends are the extremes."""
        values = Fixed([1.0, 1.1, 0.9, 1.05, 0.95, 1.0]).values
        error = statistics.stdev(map(math.log, values.values())) / math.sqrt(6)
        for many, width in ((1, math.sqrt(1.1 / 0.9)), (5, math.exp(4.011512 * error))):
            self.assertAlmostEqual(enough.width(values, None, many), width, 6)
        self.assertEqual(enough.width(Fixed([1.0] * 5).values, None, 1), math.inf)
        self.assertEqual(enough.width(values, values, 1), 1.0)

    def test_which_values_count(self):
        """Values of rounds count, up to some; not the repetitions of a single run."""
        figure = Figure("write_MBps", ())
        self.assertEqual(list(enough.values(Fixed([7, 8, 9]), figure, 2).values()),
                         [7, 8])
        alone = Fixed([])
        alone.values = {("rep", 0, i): 1.0 for i in range(9)}
        self.assertEqual(enough.values(alone, figure, math.inf), {})


class Twice(unittest.TestCase):
    """The end for given widths by numbers of rounds."""

    def ends(self, *widths):
        sweep = type("S", (), {"out": "/nowhere", "spec": {"rounds": 50}})()
        until, some = enough.Until(sweep, 1.05, None), [Fixed([])]
        before = enough.of_sweep, enough.widest
        enough.of_sweep = lambda _: some
        enough.widest = lambda _, __, last: enough.Width(
            widths[last - 1] if 0 < last <= len(widths) else math.inf,
            Figure("write_MBps", ()), some[0])
        try:
            return [n for n in range(1, len(widths) + 2) if until.before(n, [1])]
        finally:
            enough.of_sweep, enough.widest = before

    def test_two_in_a_row(self):
        self.assertEqual(self.ends(1.01, 1.2, 1.05, 1.2, 1.04, 1.05), [7])
        self.assertEqual(self.ends(1.2, 1.2, 1.04), [])
        self.assertEqual(self.ends(1.04, 1.051), [])


class Budget(Case):
    def budget(self, seconds, known, rounds=50, many=2):
        sweep = type("S", (), {"configs": [1] * many, "spec": {"rounds": rounds}})()
        self.now = 0.0
        return enough.Budget(sweep, seconds, known, clock=lambda: self.now)

    def rounds(self, budget, took, left=2):
        """Returns the number of rounds begun, if each takes so long."""
        count = 0
        while count < 100 and not budget.before(count + 1, [1] * left):
            count += 1
            self.now += took
        return count

    def test_whole_rounds(self):
        self.assertEqual(self.rounds(self.budget(60, None), 10), 6)
        self.assertEqual(self.rounds(self.budget(65, None), 10), 6)
        self.assertEqual(self.rounds(self.budget(59.9, 10), 10), 5)
        self.assertEqual(self.rounds(self.budget(9, 10), 10), 0)
        self.assertEqual(self.rounds(self.budget(5, None), 10), 1)

    def test_what_is_there_takes_no_time(self):
        budget = self.budget(60, None)
        self.assertEqual(budget.before(1, []), "")
        self.assertEqual(budget.before(2, [1]), "")  # half a round
        self.now = 5.0
        self.assertEqual(budget.before(3, [1, 2]), "")
        self.now = 50.0
        self.assertIn("10 s of the budget left, and round 4 takes about 45 s",
                      budget.before(4, [1, 2]))

    def test_forecast(self):
        self.assertEqual(self.budget(1800, 50).forecast(),
                         "a round takes about 50 s: 36 rounds fit into 0:30:00")
        self.assertIn("2 rounds fit", self.budget(1800, 50, rounds=2).forecast())
        self.assertIn("the first one tells how many fit into 30 s",
                      self.budget(30, None).forecast())

    def test_a_sweep(self):
        """Its program reports 50 s and 100 s: no second round fits."""
        self.sweep(self.spec(rounds=1), "--out", self.out)
        result = self.sweep(self.spec(rounds=1), "--out", self.out, "--budget=300s")
        self.assertEqual((result.status, len(self.calls())), (0, 4), result.err)
        self.assertIn("a round takes about 0:05:50: 0 rounds fit into 0:05:00",
                      result.err)
        self.assertIn("round 2 takes about 0:05:50: it is not begun", result.err)

    def test_starting_takes_time(self):
        """A resumed sweep knows it from the starts of the runs before."""
        earlier = need.Earlier.__new__(need.Earlier)
        earlier.id = "s"
        one = namedtuple("Report", "series_id wall_s start_utc")
        earlier.runs = [one("s", 1.0, "2026-11-20T10:00:%02dZ" % s)
                        for s in (0, 3, 6, 50)]
        earlier.runs.append(one("t", 1.0, "2026-11-20T10:00:01Z"))
        self.assertEqual(earlier.starting(), 2.0)
        earlier.runs = earlier.runs[:1]
        self.assertEqual(earlier.starting(), 0.0)

    @long
    def test_with_rates(self):
        self.sweep(self.spec(rounds=1), "--out", self.path("other"))
        result = self.sweep(self.spec(), "--out", self.out, "--budget=300s", "--rates",
                            self.path("other"), "--rounds=1")
        self.assertIn("a round takes about 0:02:55: 1 round fit", result.err)
        self.assertEqual(len(self.calls()), 8)

    def test_times(self):
        for text, seconds in (("90", 90), ("90s", 90), ("30m", 1800), ("1.5h", 5400),
                              ("2d", 172800)):
            self.assertEqual(enough.duration(text), seconds)


class Lock(Case):
    def started(self, *args):
        """Starts a sweep in which a run hangs."""
        self.orders(**{"*": "hang"})
        process = self.start(self.spec(rounds=1, **({} if not args else args[0])),
                             "--out", self.out)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        for _ in range(300):
            if os.path.exists(self.path("scratch")):
                return process
            time.sleep(0.1)
        return self.fail("no run began")

    def test_one_at_a_time(self):
        process = self.started()
        result = self.sweep(self.spec(rounds=1), "--out", self.out)
        self.assertEqual(result.status, 1)
        self.assertIn("another leadline sweep works in it (process %d on" % process.pid,
                      result.err)
        process.send_signal(signal.SIGINT)
        process.wait(30)

    def test_a_run_that_was_left_behind(self):
        """leadline is killed; its run continues for a while, and the next call
        waits."""
        process = self.started()
        process.kill()
        process.wait(30)
        self.orders()
        again = self.start(self.spec(rounds=1), "--out", self.out)
        line = again.stderr.readline()
        self.assertIn("a run that was left behind still goes on", line)
        self.assertEqual(len(self.calls()), 1)
        holders = [int(pid) for pid in os.listdir("/proc") if pid.isdigit()
                   and self.program in self.line_of(pid)]
        self.assertEqual(len(holders), 1)
        os.kill(holders[0], signal.SIGTERM)
        err = again.communicate(timeout=60)[1]
        self.assertEqual(again.returncode, 0, err)
        self.assertEqual(len(self.calls()), 5)
        self.assertEqual(len(self.reports()), 4)

    def line_of(self, pid):
        try:
            words = read_text("/proc/%s/cmdline" % pid).split("\0")
        except OSError:
            return []
        return words if "--series" in words else []

    def test_who_is_alive(self):
        here = os.uname().nodename
        self.assertTrue(lock.is_alive("%d %s" % (os.getpid(), here)))
        self.assertFalse(lock.is_alive("999999999 " + here))
        self.assertTrue(lock.is_alive("1 elsewhere"))
        self.assertFalse(lock.is_alive(""))


class Words(Case):
    def said(self, *lines, program="madbench"):
        path = self.path("one.json")
        write_file(self.path("one.log"), "\n".join(lines))
        return run.said(run.Run(None, 1, path, ["mpiexec", "-n", "2", "/x/" + program]))

    def test_the_cause(self):
        launcher = ["-" * 60, "mpiexec was unable to find the executable: madbench",
                    "Node: n1", "-" * 60]
        self.assertEqual(self.said(*launcher), launcher[1] + " / Node: n1")
        self.assertEqual(self.said(*launcher, "madbench: no space (rank 0)", "bye"),
                         "madbench: no space (rank 0)")
        self.assertEqual(self.said("ldad perf: a plan", program="ldad"),
                         "ldad perf: a plan")
        self.assertEqual(self.said("mpiexec: a", "b", "c", "d"), "b / c / d")
        self.assertEqual(self.said(), "it said nothing")

    def test_a_full_disk(self):
        """The log would have filled it."""
        open(self.path("one.log"), "w").close()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            said = run.said(run.Run(None, 1, self.path("one.json"), ["mpiexec", "x"]))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(said, "what it said could not be kept: %s: File too large"
                         % self.dir)

    def test_endings(self):
        self.assertEqual(run.ending(3), "exit status 3")
        self.assertEqual(run.ending(-9), "ended by signal 9")

    @long
    def test_where_the_logs_are(self):
        self.orders(**{"shared-mpi": "fail"})
        result = self.sweep(self.spec(rounds=1), "--out", self.out)
        self.assertIn("1 of 4 runs failed; all they said is in the .log files in "
                      + self.out, result.err)
        self.assertEqual(read_json(self.path("spec.json"))["rounds"], 1)


if __name__ == "__main__":
    main()
