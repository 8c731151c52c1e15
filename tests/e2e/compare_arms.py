#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""--compare: without it, comparing needs separate runs, whose intervals are wide."""
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import time

from e2e import Case, any_mpi, fault, long, main, samples, total, workloads
from leadline.judge import compare, rules
from leadline.results import groups

SMALL = ("256k", "--block-size=64k")
ROUNDS = 7


def ranks_of(mark):
    """Returns the processes of the program that have `mark` among their arguments."""
    found = subprocess.check_output(["pgrep", "-f", "^[^ ]*blocktransfer .*" + mark])
    return [int(pid) for pid in found.split()]


def figures(report, arm, name):
    return next(f["reps"] for f in report["figures"]
                if f["name"] == name and f.get("arm") == arm)


def mean(values):
    return sum(values) / len(values)


class Compare(Case):
    def compared(self, *args, program="blocktransfer", rounds=ROUNDS, **how):
        """Compares; returns the report, whose comparison is whole."""
        report = self.good(self.run_program(program, *args, "--quiet",
                                            "--rounds=%d" % rounds, **how))
        c = report["comparison"]
        self.assertEqual((c["rounds"], c["ended_by"]), (rounds, "rounds"))
        self.assertEqual(len(c["order"]), rounds + 1)
        for order, start, end, moved in zip(c["order"], c["start_s"], c["end_s"],
                                            c["bytes"]):
            self.assertEqual(sorted(order), list(range(len(c["arms"]))))
            self.assertEqual([len(x) for x in (start, end, moved)], [len(order)] * 3)
            self.assertEqual(sorted(start + end), sum(map(list, zip(start, end)), []))
        return report

    def test_leadline_computes_the_same(self):
        report = self.compared(*SMALL, "--compare=filetype=unique,shared",
                               "--compare=iomethod=posix,mpi", rounds=18)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(report, f)
            f.flush()
            some = groups.collect([f.name]).groups
        rows = {(r.figure.name, r.group.name): r.comparison
                for r in compare.rows(some, some[0], None)}
        found = report["comparison"]
        self.assertEqual(len(found["ratios"]), 6)
        for one in found["ratios"]:
            mine = rows[one["figure"], found["arms"][one["arm"]]["name"]]
            for a, b in zip(mine.ratio, (one["ratio"], one["low"], one["high"])):
                self.assertAlmostEqual(a / b, 1.0, delta=1e-9)
            self.assertAlmostEqual(mine.estimate.df + 1.0, one["effective_rounds"],
                                   delta=1e-6)
            if mine.rule != rules.SINGLE_RUNS:   # which the program does not look for
                self.assertEqual(mine.verdict, one["verdict"])

    # ---- what is measured ------------------------------------------------------

    def test_rounds(self):
        """Each round has every arm once, in an order drawn for it; each repetition
        makes, reads and removes its own files, and moves all bytes."""
        report = self.compared(*SMALL, "--compare=filetype=unique,shared",
                               "--compare=iomethod=posix,mpi", rounds=12)
        c = report["comparison"]
        self.assertEqual([a["name"] for a in c["arms"]],
                         ["unique posix", "unique mpi", "shared posix", "shared mpi"])
        self.assertEqual(c["arms"][1]["settings"],
                         {"filetype": "unique", "iomethod": "mpi"})
        self.assertEqual(c["factors"][1], {"option": "iomethod",
                                           "values": ["posix", "mpi"]})
        self.assertGreater(len(set(map(tuple, c["order"]))), 3)
        self.assertEqual(set(sum(c["bytes"], [])), {2 * 2 * (256 << 10)})
        for act in ("read", "write"):
            self.assertEqual(total(report, act), 13 * 4 * 2 * (256 << 10))
            found = sorted((s["arm"], s["rep"]) for s in samples(report, act))
            self.assertEqual(found, [(a, r) for a in range(4) for r in range(13)])
        self.assertEqual(report["checks"]["blocks_checked"], 13 * 4 * 2 * 4)
        self.assertEqual(report["options"]["filetype"]["value"], "UNIQUE")

    def test_ratios(self):
        """The ratio is that of the rounds' rates, by an account of the test's own, and
        the slower arm is called slower."""
        report = self.compared("1M", "--block-size=64k", "--no-verify",
                               "--compare=iomethod=null:delay_us=500,"
                               "null:delay_us=4000", rounds=10, np=1)
        c = report["comparison"]
        self.assertEqual([r["figure"] for r in c["ratios"]],
                         ["write_MBps", "read_MBps"])
        for r in c["ratios"]:
            rates = [figures(report, arm, r["figure"]) for arm in (0, 1)]
            paired = [math.log(b / a) for a, b in zip(*rates)]
            self.assertEqual(len(paired), 10)
            self.assertAlmostEqual(math.log(r["ratio"]), mean(paired), 9)
            self.assertLess(r["low"], r["ratio"])
            self.assertLess(r["ratio"], r["high"])
            self.assertLess(r["ratio"], 1)
            self.assertIn("slower by", r["verdict"])

    def test_named_arms(self):
        """--compare-arms names whole settings; threads may differ between arms."""
        report = self.compared(*SMALL, "--compare-arms=one: threads=1; "
                               "two: threads=2 filetype=shared")
        self.assertEqual([a["name"] for a in report["comparison"]["arms"]],
                         ["one", "two"])
        moved = {s["arm"]: s["bytes"] for s in samples(report, "write")}
        self.assertEqual(moved, {0: 2 * (256 << 10), 1: 4 * (256 << 10)})

    def test_directories(self):
        """Each is looked at, and holds its own files."""
        there = tempfile.mkdtemp(dir="/dev/shm")
        self.addCleanup(os.rmdir, there)  # it is left empty
        report = self.compared(*SMALL, "--compare=dir=.," + there)
        self.assertEqual([f["path"] for f in report["files"]], [".", there])
        self.assertEqual(report["files"][1]["fs"], "tmpfs")
        self.assertEqual([w["arm"] for w in report["warnings"]
                          if w["code"] == "file_system_in_memory"], [1])

    @any_mpi
    def test_every_program(self):
        """Every workload, and the other programs that repeat, take part."""
        lines = [line for line in workloads() if line[:2] != ("outcore", "gen")
                 and line[0] == "outcore"]
        self.assertGreater(len(lines), 6)
        for line in [("metabench", "5"), ("madbench", "64", "2", "--io-only"),
                     *lines]:
            with self.subTest(line=line):
                report = self.compared(*line[1:], "--compare=cache=flush,keep",
                                       program=line[0], rounds=1)
                self.assertEqual(len(report["comparison"]["arms"]), 2)

    # ---- how it ends ------------------------------------------------------------

    def test_an_arm_that_fails(self):
        """It is left out and named; the others have their answer; the status is 1."""
        done = self.blocktransfer(
            *SMALL, "--rounds=6", "--compare-arms=a: cache=flush; b: cache=keep; "
            "c: cache=direct", dir="/dev/shm")
        self.assertEqual(done.status, 1, done)
        self.assertEqual(len(done.said), 1, done)
        self.assertIn("tmpfs is memory", done.said[0])
        report = done.report
        self.assertIs(report["valid"], True)
        c = report["comparison"]
        self.assertEqual([a["failed"] is None for a in c["arms"]], [True, True, False])
        self.assertEqual(c["rounds"], 6)
        self.assertEqual(set(r["arm"] for r in c["ratios"]), {1})

    def test_an_arm_that_fails_late(self):
        """After rounds enough for an interval the answer so far stands."""
        done = self.blocktransfer(*SMALL, "--rounds=20", "--compare=cache=flush,keep",
                                  np=1, env=fault("open:ENOSPC:1", file="rep17."))
        self.assertEqual(done.status, 1, done)
        self.assertIn("No space left on device", done.said[0])
        report = done.report
        self.assertIs(report["valid"], True)
        c = report["comparison"]
        self.assertEqual((c["rounds"], c["ended_by"]), (7, "failure"))
        self.assertEqual([r["arm"] for r in c["ratios"]], [1, 1])
        self.assertEqual(sum(a["failed"] is not None for a in c["arms"]), 1)

    def test_all_arms_fail(self):
        """Then the run fails."""
        done = self.blocktransfer(*SMALL, "--rounds=6", "--cache=direct",
                                  "--compare=filetype=unique,shared", dir="/dev/shm")
        self.assertEqual(done.status, 1, done)
        self.assertIs(done.report["valid"], False)

    def test_signals(self):
        """A signal ends it after the repetition, with the answer so far."""
        for sign in (signal.SIGINT, signal.SIGTERM):
            run = self.start("blocktransfer", *SMALL, "--rounds=100000", "--quiet",
                             "--compare=filetype=unique,shared", np=0)
            self.until(lambda run=run: re.search(r"rep\d\d", str(run.files)),
                       "some rounds are made")
            run.child.send_signal(sign)
            done = run.wait(self.LIMIT)
            self.assertEqual(done.status, 0, done)
            self.assertIn("another signal ends it at once", done.said[0])
            c = done.report["comparison"]
            self.assertEqual(c["ended_by"], "signal")
            self.assertGreater(c["rounds"], 3)
            self.assertEqual(done.files, [])

    def test_two_signals(self):
        """The second one ends it at once, as it ends other runs; and the other rank."""
        run = self.start("blocktransfer", *SMALL, "--rounds=100000", "--quiet",
                         "--compare=filetype=unique,shared", "--think=500000")
        self.until(lambda: "rep2" in str(run.files), "a repetition is going on")
        rank = max(ranks_of(run.json))
        for _ in range(2):
            os.kill(rank, signal.SIGTERM)
            time.sleep(0.01)
        done = run.wait(self.LIMIT)
        self.assertNotEqual(done.status, 0, done)
        self.assertIs(done.report["valid"], False)
        self.assertEqual(done.files, [])

    def test_budget(self):
        """It ends by --budget, and says when the workload is too long for it."""
        done = self.blocktransfer(
            *SMALL, "--no-verify", "--budget=1s", np=1,
            *["--compare=iomethod=null:delay_us=100000,null:delay_us=100001"])
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.report["comparison"]["ended_by"], "budget")
        self.assertIn("times smaller, or the budget", done.said[0])

    # ---- what is refused --------------------------------------------------------

    def test_refused(self):
        cases = [(("--compare=filetype=unique",), "1 arm"),
                 (("--compare=filetype=unique,none",), '"none" is not one of'),
                 (("--compare=filetyp=unique,shared",), "did you mean --filetype"),
                 (("--compare=json=/tmp/a,/tmp/b",), "the same in all arms"),
                 (("--compare=filetype",), "is not OPTION=VALUE,VALUE"),
                 (("--compare=depth=1,2", "--compare=depth=3,4"), "given twice"),
                 (("--compare-arms=a depth=1",), "is not NAME: SETTING"),
                 (("--compare=depth=1,2", "--repeat=2"), "take --rounds"),
                 (("--compare=depth=1,2", "--until=much"), "is not a width"),
                 (("--compare=depth=1,2", "--budget=1w"), "is not a time"),
                 (("--compare=depth=1,2", "--live=1"), "--live"),
                 (("--compare=seed=1,2",), "the same in all arms"),
                 (("--rounds=5",), "--rounds is for --compare"),
                 (("--compare=misalign=1,random", "--compare=filetype=PARTITIONED,"
                   "shared"), "--misalign=random")]
        for options, sentence in cases:
            with self.subTest(options=options):
                self.refused(self.blocktransfer(*SMALL, *options, np=1), sentence)

    @long
    def test_sixteen_arms(self):
        """Memory is that of the largest arm: 16 arms, collective among them."""
        report = self.compared(*SMALL, "--compare=iomethod=mpi,hdf5"
                               if "hdf5" in self.engines() else
                               "--compare=iomethod=mpi,mpiio", "--filetype=shared",
                               "--compare=collective=no,yes", "--compare=depth=1,2",
                               "--compare=cache=flush,keep", np=4, rounds=2)
        self.assertEqual(len(report["comparison"]["arms"]), 16)

    def engines(self):
        return self.run_program("blocktransfer", "--list-engines", np=0, dir=False,
                                json=False).out


if __name__ == "__main__":
    main()
