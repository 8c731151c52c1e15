#!/usr/bin/env python3
# mpi: any; tier: quick ci
"""leadline sweep, with a fake launcher and program."""
import argparse
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from unittest import mock

from fake_sweep import Case
from tap import PACKAGE, long, main

from files import read_json, read_text, write_file, write_json
from leadline.base import stats
from leadline.base.errors import LeadlineError
from leadline.commands import cli
from leadline.judge import rules
from leadline.sweep import spec, sweep, sweep_state

KNOWN_LINES = [[1, 2, 0], [2, 1, 0], [2, 1, 0], [2, 1, 0]]  # of seed 1


class Runs(Case):
    def test_all_of_them(self):
        result = self.sweep(self.spec(env={"SEEN": "yes"}, mpiexec_args=["-x"]),
                            "--out", self.out)
        self.assertEqual(result.status, 0, result.err)
        calls = self.calls()
        self.assertEqual(len(calls), 8)
        self.assertEqual(Counter(c["config"] for c in calls), {
            "unique-posix": 2, "unique-mpi": 2, "shared-posix": 2, "shared-mpi": 2})
        self.assertEqual(calls[0]["argv"][:2], ["64", "2"])
        self.assertIn("--quiet", calls[0]["argv"])
        self.assertEqual(set((c["np"], c["before"], c["seen"]) for c in calls),
                         {("4", "-x", "yes")})
        kind, method = calls[0]["config"].split("-")
        self.assertEqual(calls[0]["argv"][2:4],
                         ["--filetype=" + kind, "--iomethod=" + method])
        self.assertEqual(len(os.listdir(self.out)), 9)  # no logs are left

    def test_rounds_are_interleaved(self):
        self.sweep()
        self.assertEqual([c["round"] for c in self.calls()], [1] * 4 + [2] * 4)

    def test_again_does_nothing(self):
        self.sweep()
        result = self.sweep()
        self.assertEqual((result.status, len(self.calls())), (0, 8))
        self.assertIn("8 of 8 runs are there already", result.err)

    def test_more_rounds_are_added(self):
        self.sweep()
        result = self.sweep(self.spec(), "--out", self.out, "--rounds", "3")
        self.assertEqual((result.status, len(self.calls())), (0, 12))
        self.assertEqual(len(set(n.rsplit("-", 3)[0] for n in self.reports())), 1)

    def test_np_and_arguments_from_the_matrix(self):
        result = self.sweep(self.spec(args=["{npix}", "2"], rounds=1, matrix={
            "np": [1, 2], "npix": [64, 128], "collective": [True, False]}),
            "--out", self.out)
        self.assertEqual(result.status, 0, result.err)
        found = {c["config"]: (c["np"], c["argv"][:3]) for c in self.calls()}
        self.assertEqual(len(found), 8)
        self.assertEqual(found["np2-npix128-collective"],
                         ("2", ["128", "2", "--collective"]))
        self.assertEqual(found["np1-npix64"], ("1", ["64", "2", "--json"]))

    def test_out_is_named_after_the_specification(self):
        self.sweep(self.spec(rounds=1))
        self.assertEqual(len(os.listdir(self.path("spec"))), 5)

    @long
    def test_compare_reads_it_in_its_order(self):
        self.sweep(self.spec(rounds=6), "--out", self.out)
        env = dict(os.environ, PYTHONPATH=PACKAGE)
        out = subprocess.check_output(
            [sys.executable, "-B", "-m", "leadline", "compare", "--format", "csv",
             self.out], env=env, universal_newlines=True, stderr=subprocess.DEVNULL)
        self.assertEqual([line.split(",")[4] for line in out.splitlines()[1:]],
                         ["unique-posix", "unique-mpi", "shared-posix", "shared-mpi"])

    def test_quiet(self):
        result = self.sweep(self.spec(), "--out", self.out, "--quiet")
        self.assertEqual(result, (0, "", ""))

    def test_program_beside_the_launcher(self):
        where = cli.Where("1", [self.dir], "mpiexec.x")
        tree = spec.check("spec", {"program": "fake"})
        self.assertEqual(spec.command(tree, spec.configurations(tree)[0], where),
                         ["mpiexec.x", "-n", "1", self.program])


class DryRun(Case):
    def dry(self, *args, **changes):
        before = sorted(set(os.listdir(self.dir) + ["spec.json"]))
        result = self.sweep(self.spec(**changes), "--out", self.out, "--dry-run", *args)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        return result

    def lines(self, result):
        """Returns commands; and other output, in one line."""
        self.assertEqual((result.status, result.err), (0, ""))
        lines = result.out.splitlines()
        return ([line for line in lines if not line.startswith("#")],
                " ".join(" ".join(line[1:] for line in lines
                                  if line.startswith("#")).split()))

    def tree(self, *args, **changes):
        result = self.dry("--format=json", *args, **changes)
        self.assertEqual((result.status, result.err), (0, ""))
        return json.loads(result.out)

    def test_commands_and_what_they_need(self):
        commands, said = self.lines(self.dry())
        self.assertEqual(len(commands), 8)
        self.assertIn("%s -n 4 %s 64 2 " % (self.launcher, self.program), commands[0])
        self.assertIn("configuration ranks runs memory files disk written read time "
                      "------------- ", said)
        self.assertIn("unique-posix 4 2 4.0 MiB 2 3.0 GiB 1.9 MiB 976.6 KiB ? "
                      "unique-mpi 4 2 4.0 MiB 2 ", said)
        self.assertIn("The 8 runs write 15.3 MiB and read 7.6 MiB. No estimate of the "
                      "time: no earlier run.", said)
        self.assertIn("2 rounds: verdicts need 6.", said)
        self.assertIn("6 rounds of 4 configurations show, with a chance of 80 %, a "
                      "difference from the baseline of ",
                      self.lines(self.dry(rounds=6))[1])
        self.assertIn("Rounds until all intervals are within 5 %, at least 7 and at "
                      "most 9.", self.lines(self.dry("--until=5%", "--rounds=9"))[1])

    def test_like_configurations_are_asked_once(self):
        """They have the same command; so an A/A comparison asks half as often."""
        with tempfile.NamedTemporaryFile("r") as asked:
            with mock.patch.dict(os.environ, FAKE_ASKED=asked.name):
                tree = self.tree(matrix={"filetype": {"a": "unique", "b": "unique"},
                                         "iomethod": ["posix", "mpi"]})
            self.assertEqual([c["files"] for c in tree["configurations"]], [2] * 4)
            found = [line.split("--iomethod=")[1].split()[0] for line in asked]
        self.assertEqual(sorted(found), ["mpi", "posix"])

    def test_many_show_progress(self):
        result = self.dry("--format=json", matrix={
            "filetype": ["unique"], "iomethod": ["m%d" % i for i in range(100)]})
        self.assertEqual((result.status, result.err), (
            0, "leadline sweep: 100 of 100 programs have told what they need\n"))

    def test_it_is_a_script(self):
        """Its names would be interpreted by a shell."""
        self.program = self.script("fake", open(self.program).read())
        nasty = "a b;touch gone $(touch gone) 'x' \"y\"\n# --dry"
        result = self.dry(args=[nasty], rounds=1)
        os.mkdir(self.out)
        subprocess.check_call(["sh", "-c", result.out], cwd=self.dir)
        self.assertEqual([c["argv"][0] for c in self.calls()], [nasty] * 4)
        self.assertFalse(os.path.exists(self.path("gone")))

    @long
    def test_time_by_its_own_runs(self):
        self.sweep(self.spec(rounds=1), "--out", self.out)
        commands, said = self.lines(self.dry())
        self.assertEqual(len(commands), 4)
        self.assertNotIn("-1.json", " ".join(commands))
        self.assertIn("976.6 KiB 50 s unique-mpi 4 1 ", said)
        self.assertIn("4 of 8 runs are there already. The 4 runs left write ", said)
        self.assertIn("About 0:05:50 in all, one after another, without what starting "
                      "them takes; by earlier runs of the same configurations.", said)
        self.assertIn("Nothing is left to do.", self.lines(self.dry(rounds=1))[1])

    @long
    def test_starting_over_counts_all_runs_again(self):
        self.sweep(self.spec(rounds=1), "--out", self.out)
        tree = self.tree("--fresh", rounds=1)
        self.assertEqual(tree["outlook"], ["1 round: verdicts need 6."])
        self.assertEqual((tree["done"], tree["left"]["runs"]), (0, 4))
        self.assertTrue(os.path.exists(os.path.join(self.out, "sweep.json")))

    @long
    def test_time_by_the_rates_of_others(self):
        """Those with its name count first, else the median: half the bytes, half the
        time."""
        self.sweep(self.spec(rounds=1), "--out", self.path("other"))
        kinds = {"filetype": ["unique", "striped"], "iomethod": ["posix"]}
        tree = self.tree("--rates", self.path("other"), matrix=kinds)
        self.assertEqual([c["seconds"] for c in tree["configurations"]], [25.0, 50.0])
        self.assertEqual(tree["left"], {"runs": 4, "write_bytes": 8000000,
                                        "read_bytes": 4000000, "seconds": 150.0})
        result = self.dry("--rates", self.path("other"), matrix=kinds)
        self.assertIn("by the bytes per second of other runs", self.lines(result)[1])

    def test_what_is_not_known(self):
        kinds = {"filetype": ["unique"], "iomethod": ["posix", "unknown"]}
        self.sweep(self.spec(rounds=1), "--out", self.path("other"))
        result = self.dry("--rates", self.path("other"), matrix=kinds)
        said = self.lines(result)[1]
        self.assertIn("What the 4 runs write and read is not known beforehand.", said)
        self.assertIn("No estimate for 2 of the runs; about 50 s for the others", said)

    def test_what_the_program_refuses(self):
        kinds = {"filetype": ["unique"], "iomethod": ["posix", "refused"]}
        result = self.dry(matrix=kinds)
        self.assertEqual((result.status, result.err), (1, ""))
        self.assertIn("# unique-refused: fake: no such iomethod\n", result.out)
        tree = json.loads(self.dry("--format=json", matrix=kinds).out)
        self.assertEqual([c["why"] for c in tree["configurations"]],
                         [None, "fake: no such iomethod"])

    def test_refusals(self):
        for args, words in ((["--rates=x"], "--rates is for --dry-run and --budget"),
                            (["--format=json"], "is for --dry-run"),
                            (["--dry-run", "--rates=none.json"], "cannot be read"),
                            (["--dry-run", "--rates=."], "holds no valid report")):
            result = self.sweep(self.spec(), "--out", self.out, *args)
            self.assertIn(words, result.err)
            self.assertEqual((result.err.count("\n"), result.out), (1, ""))
            self.assertIn(result.status, (1, 2))


class Failures(Case):
    def test_starts_that_crash(self):
        self.orders(**{"unique-posix": "crash once", "shared-mpi": "crash",
                       "unique-mpi": "fail"})
        tree = {"rounds": 1}
        result = self.sweep(self.spec(**tree), "--out", self.out)
        self.assertEqual(result.status, 1)
        self.assertIn("2 of 4 runs failed", result.err)
        with open(self.path("calls")) as calls:
            configs = [json.loads(line)["config"] for line in calls]
        self.assertEqual([configs.count(name) for name in (
            "unique-posix", "shared-posix", "shared-mpi", "unique-mpi")], [2, 1, 3, 1])
        self.assertIn("unique-posix round 1: start 1 of 3 crashed before there was a "
                      "report", result.err)
        self.assertIn("shared-mpi round 1: start 3 of 3 crashed", result.err)

    def test_the_program_speaks(self):
        self.orders(**{"shared-mpi": "fail"})
        result = self.sweep()
        self.assertEqual(result.status, 1)
        self.assertIn("shared-mpi round 1 failed: fake: the disk is full (rank 1 on "
                      "n1) (exit status 1)", result.err)
        self.assertIn("2 of 8 runs failed", result.err)
        self.assertEqual(len(self.reports()), 6)

    def test_failed_runs_are_tried_again(self):
        self.orders(**{"shared-mpi": "fail"})
        self.sweep()
        self.orders()
        result = self.sweep()
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(self.calls()), 10)

    def test_a_good_end_without_a_valid_report(self):
        for order in ("nothing", "invalid"):
            self.orders(**{"unique-mpi": order})
            result = self.sweep(self.spec(rounds=1), "--out", self.path(order))
            self.assertEqual(result.status, 1)
            self.assertIn("left no valid report", result.err)

    def test_gives_up_when_nothing_works(self):
        self.orders(**{"*": "fail"})
        result = self.sweep(self.spec(rounds=50), "--out", self.out)
        self.assertEqual((result.status, len(self.calls())), (1, 4))
        self.assertIn("every configuration failed: giving up", result.err)

    def test_time_limit(self):
        self.orders(**{"unique-mpi": "hang"})
        result = self.sweep(self.spec(rounds=1, timeout=1.5), "--out", self.out)
        self.assertEqual(result.status, 1)
        self.assertIn("did not end within 1.5 s", result.err)
        self.assertFalse(os.path.exists(self.path("scratch")))

    def interrupt(self, sign):
        self.orders(**{"shared-posix": "hang"})
        process = self.start(self.spec(), "--out", self.out)
        for _ in range(300):
            if os.path.exists(self.path("scratch")):
                break
            time.sleep(0.1)
        process.send_signal(sign)
        err = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted", err)
        self.assertFalse(os.path.exists(self.path("scratch")))  # the child cleaned up
        self.orders()
        done = len(self.reports())
        result = self.sweep()
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(self.reports()), 8)
        if done:
            self.assertIn("%d of 8 runs are there already" % done, result.err)

    def test_ctrl_c_and_on(self):
        self.interrupt(signal.SIGINT)

    @long
    def test_terminated_and_on(self):
        self.interrupt(signal.SIGTERM)


class State(Case):
    @long
    def test_another_specification_is_refused(self):
        self.sweep()
        result = self.sweep(self.spec(np=2), "--out", self.out)
        self.assertEqual(result.status, 2)
        self.assertIn("holds a sweep of another specification", result.err)

    def test_fresh_keeps_the_old_one_aside(self):
        self.sweep()
        result = self.sweep(self.spec(np=2), "--out", self.out, "--fresh")
        self.assertEqual((result.status, len(self.calls())), (0, 16))
        aside = [n for n in os.listdir(self.out) if os.path.isdir(
            os.path.join(self.out, n))]
        self.assertEqual(len(aside), 1)
        self.assertEqual(len(os.listdir(os.path.join(self.out, aside[0]))), 9)
        self.assertEqual(len(self.reports()), 8)

    def files(self):
        return sorted(os.path.join(at, name) for at, _, names in os.walk(self.out)
                      for name in names)

    def test_fresh_beside_a_running_sweep(self):
        """Nothing moves while it runs."""
        self.orders(**{"shared-posix": "hang"})
        process = self.start(self.spec(), "--out", self.out)
        self.addCleanup(process.communicate)
        self.addCleanup(process.send_signal, signal.SIGINT)
        for _ in range(300):
            if os.path.exists(self.path("scratch")):
                break
            time.sleep(0.1)
        before = self.files()
        result = self.sweep(self.spec(), "--out", self.out, "--fresh")
        self.assertEqual(result.status, 1)
        self.assertIn("another leadline sweep works in it", result.err)
        self.assertEqual(self.files(), before)

    def test_fresh_that_is_refused(self):
        """For any reason: nothing moves before every check has passed."""
        self.sweep(self.spec(rounds=1), "--out", self.out)
        before = self.files()
        for changes, more in (({"mpiexec": "nope"}, ()), ({"program": "nope"}, ()),
                              ({}, ("--budget=9s", "--rates=none.json"))):
            result = self.sweep(self.spec(**changes), "--out", self.out, "--fresh",
                                *more)
            self.assertEqual((result.status, self.files()), (1, before), result.err)

    def test_a_specification_that_is_made(self):
        """It is written as whatif makes it, after every check has passed."""
        path = os.path.join(self.out, "made.json")
        args = argparse.Namespace(
            spec=path, out=self.out, rounds=1, until=None, figure=None, budget=None,
            submit=False, jobs=None, dry_run=False, rates=None, format=None,
            fresh=False, quiet=True, inside="never")
        tree = {"program": self.program, "mpiexec": "nope", "args": ["64", "2"]}
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        with self.assertRaisesRegex(LeadlineError, "launcher nope was not found"):
            sweep.main(args, cli.NOWHERE, tree)
        self.assertFalse(os.path.exists(self.out))
        tree["mpiexec"] = self.launcher
        self.assertEqual(sweep.main(args, cli.NOWHERE, tree), 0)
        self.assertEqual(read_json(path), tree)

    def test_a_state_that_a_crash_cut(self):
        self.sweep(self.spec(rounds=1), "--out", self.out)
        path = os.path.join(self.out, "sweep.json")
        for text in ("", '{"schema": "leadline-swe'):
            write_file(path, text)
            result = self.sweep(self.spec(rounds=1), "--out", self.out)
            self.assertEqual(result.status, 1)
            self.assertIn("sweep.json: the state of the sweep cannot be read",
                          result.err)
            self.assertIn("--fresh", result.err)
        old = self.reports()
        result = self.sweep(self.spec(rounds=1), "--out", self.out, "--fresh")
        self.assertEqual((result.status, len(self.calls())), (0, 8), result.err)
        aside = [at for at, _, names in os.walk(self.out) if "unreadable-" in at]
        self.assertEqual(sorted(os.listdir(aside[0])), sorted(old + ["sweep.json"]))
        self.assertEqual(len(self.reports()), 4)

    def test_a_state_is_on_the_disk_before_it_has_its_name(self):
        calls = []
        for name in ("fsync", "replace"):
            def noted(*args, name=name, real=getattr(os, name)):
                calls.append(name)
                real(*args)
            self.addCleanup(setattr, os, name, getattr(os, name))
            setattr(os, name, noted)
        os.mkdir(self.out)
        tree = spec.check("spec", {"program": "true"})
        sweep_state.save(sweep.Sweep(tree, self.out, cli.NOWHERE))
        self.assertEqual(calls, ["fsync", "replace"])

    def test_resuming_keeps_the_order(self):
        self.sweep(self.spec(rounds=1), "--out", self.out)
        first = read_json(os.path.join(self.out, "sweep.json"))
        self.sweep(self.spec(rounds=3), "--out", self.out)
        then = read_json(os.path.join(self.out, "sweep.json"))
        self.assertEqual(then["spec"]["seed"], first["spec"]["seed"])
        self.assertEqual(then["order"][:1], first["order"])
        self.assertEqual([c["config"] for c in self.calls()],
                         [then["configs"][i] for line in then["order"] for i in line])

    def test_broken_state(self):
        os.mkdir(self.out)
        write_file(os.path.join(self.out, "sweep.json"), "{}")
        self.assertIn("not the state of a sweep", self.sweep().err)

    @long
    def test_a_state_that_leads_elsewhere(self):
        """Files are named after its id."""
        self.sweep()
        path = os.path.join(self.out, "sweep.json")
        tree = read_json(path)
        for identity in ("../../elsewhere", "/tmp/x", "a b", "a\nb", ""):
            write_json(path, dict(tree, id=identity))
            for more in ((), ("--fresh",), ("--dry-run",)):
                result = self.sweep(self.spec(), "--out", self.out, *more)
                self.assertEqual(result.status, 1)
                self.assertIn("not the state of a sweep", result.err)

    def test_links_are_not_followed(self):
        """A user who may write to the folder cannot have other files overwritten."""
        self.orders(**{"*": "fail"})
        self.sweep(self.spec(rounds=1), "--out", self.out)
        logs = [name for name in os.listdir(self.out) if name.endswith(".log")]
        self.assertEqual(len(logs), 4)
        write_file(self.path("precious"), "precious")
        for name in logs + ["sweep.json"]:
            if name == "sweep.json":
                shutil.copy(os.path.join(self.out, name), self.path("copy"))
                link = self.path("copy")
            else:
                link = self.path("precious")
            os.unlink(os.path.join(self.out, name))
            os.symlink(link, os.path.join(self.out, name))
        before = read_text(self.path("copy"))
        self.sweep(self.spec(rounds=2), "--out", self.out)
        for name, words in (("precious", "precious"), ("copy", before)):
            self.assertEqual(read_text(self.path(name)), words)
        self.assertFalse(os.path.islink(os.path.join(self.out, "sweep.json")))


NASTY = ["a b;touch gone", "$(touch gone)", "`touch gone`", "two\nlines", "--", "-rf",
         "'", '"', "\\", "* ?", "a|b>gone", "%j%n", "{{x}}", "\u00fc\u2028", "x" * 300]


@long
class NastyNames(Case):
    """They reach the program unchanged, and no shell interprets them."""

    def arrive(self, wanted, *args, **changes):
        result = self.sweep(self.spec(rounds=1, **changes), "--out", self.out, *args)
        self.assertEqual((result.status, len(self.calls())), (0, wanted), result.err)
        self.assertFalse(os.path.exists(self.path("gone")))
        for name in os.listdir(self.out):
            self.assertRegex(name, r"^[A-Za-z0-9._=+-]{1,200}$")
        return [call["argv"] for call in self.calls()]

    def test_arguments(self):
        argv = self.arrive(1, args=NASTY, matrix={"a": [1]})[0]
        self.assertEqual(argv[:len(NASTY)], [w.replace("{{x}}", "{x}") for w in NASTY])

    def test_values(self):
        found = self.arrive(len(NASTY), matrix={"dir": NASTY})
        self.assertEqual(sorted(argv[2] for argv in found),
                         sorted("--dir=" + words for words in NASTY))

    def test_names_of_options(self):
        found = self.arrive(len(NASTY), matrix={}, cases=[{w: 1} for w in NASTY])
        self.assertEqual(sorted(argv[2] for argv in found),
                         sorted("--%s=1" % words for words in NASTY))

    def test_values_within_arguments(self):
        found = self.arrive(len(NASTY), args=["<{x}>"], matrix={"x": NASTY})
        self.assertEqual(sorted(argv[0] for argv in found),
                         sorted("<%s>" % words for words in NASTY))

    def test_environment(self):
        self.arrive(4, env={"SEEN": "".join(NASTY), "a b;$(touch gone)": "x"})
        self.assertEqual(self.calls()[0]["seen"], "".join(NASTY))

    @long
    def test_folders_and_programs(self):
        for i, words in enumerate(w for w in NASTY if len(w) < 200):
            folder = self.path("in %d%s" % (i, words.replace("/", "")))
            os.mkdir(folder)
            program = os.path.join(folder, "fake")
            shutil.copy(self.program, program)
            out = os.path.join(folder, words)
            result = self.sweep(self.spec(program=program, rounds=1), "--out=" + out)
            self.assertEqual(result.status, 0, result.err)
            self.assertEqual(len(os.listdir(out)), 5)
            self.assertFalse(os.path.exists(self.path("gone")))
        os.mkdir(self.path("-x"))
        result = self.sweep(self.spec(rounds=1), "--out=-x")
        self.assertEqual((result.status, len(os.listdir(self.path("-x")))), (0, 5))


class Order(unittest.TestCase):
    def lines(self, n, rounds, seed):
        return [spec.order(list(range(n)), r, seed) for r in range(1, rounds + 1)]

    def test_each_round_has_all(self):
        for n in (1, 2, 3, 8):
            for line in self.lines(n, 12, 7):
                self.assertEqual(sorted(line), list(range(n)))

    def test_it_is_the_same_everywhere(self):
        """A seed in a state must give the same order with the next Python."""
        self.assertEqual(self.lines(3, 4, 1), KNOWN_LINES)

    def test_all_permutations_come_equally_often(self):
        """6,000 draws of 6: the spread of a count is 29."""
        found = Counter(tuple(line) for seed in range(500)
                        for line in self.lines(3, 12, seed))
        self.assertEqual(len(found), 6)
        for count in found.values():
            self.assertLess(abs(count - 1000), 130)

    def test_no_rhythm(self):
        """Two configurations come neither as ABBABAAB and so on, ABAB nor always AB."""
        for seed in range(1000):
            first = "".join("AB"[line[0]] for line in self.lines(2, 8, seed))
            self.assertNotIn(first, ("ABBAABBA", "BAABBAAB", "ABABABAB", "BABABABA",
                                     "A" * 8, "B" * 8))
            self.assertNotIn(first[:6], ("ABABAB", "BABABA", "A" * 6, "B" * 6))

    def test_seed_changes_it(self):
        lines = set(tuple(spec.order("abcdef", 1, seed)) for seed in range(10))
        self.assertGreater(len(lines), 5)


class PeriodicDevice(unittest.TestCase):
    """Three times slower for a third of every 2.75 runs: with the former order,
    ABBABAAB, more than half of such sweeps of equals called one faster."""
    PERIOD, SLOW, TIMES, SWEEPS = 2.75, 1 / 3, 3.0, 200

    def sweep(self, n, rounds, seed):
        """Returns True if any of `n` equal configurations is called faster or
        slower."""
        rng = random.Random(seed)
        phase, runs = rng.random(), 0
        logs = [[] for _ in range(n)]
        for number in range(1, rounds + 1):
            for c in spec.order(list(range(n)), number, seed):
                slow = (runs / self.PERIOD + phase) % 1.0 < self.SLOW
                logs[c].append(rng.gauss(0.0, 0.03) - slow * math.log(self.TIMES))
                runs += 1
        found = [stats.mean_estimate([a - b for a, b in zip(row, logs[0])])
                 for row in logs[1:]]
        return any(rules.differs(rules.judge(
            stats.ratio_of(one, 1.0, n - 1), "higher")[0]) for one in found)

    def test_equals_are_seldom_called_different(self):
        for n in (2, 3, 4, 8):
            for rounds in (6, 12, 24):
                wrong = sum(self.sweep(n, rounds, 1000 * n + 50000 * rounds + i)
                            for i in range(self.SWEEPS))
                self.assertLessEqual(wrong, 0.1 * self.SWEEPS, (n, rounds))


class Names(unittest.TestCase):
    def names(self, matrix):
        return [c.name for c in spec.configurations({"matrix": matrix})]

    def test_unambiguous(self):
        self.assertEqual(self.names({}), ["default"])
        self.assertEqual(self.names({"a": ["x"], "b": [1, 2]}), ["x-b1", "x-b2"])
        self.assertEqual(self.names({"a": ["x", "y"], "b": ["x", "y"]})[1], "x-y")
        self.assertEqual(self.names({"a": ["x", "x-y"], "b": ["y-z", "z"]})[0],
                         "a=x-b=y-z")
        self.assertEqual(len(set(self.names({"a": [",", "/"]}))), 2)

    def test_cases(self):
        configs = spec.configurations({
            "matrix": {"b": [1, 2], "np": [4]},
            "cases": [{"a": "x", "np": 1}, {"a": "y"}, {"a": "z", "b": 3}]})
        self.assertEqual([c.name for c in configs],
                         ["b1-np1-x", "b2-np1-x", "b1-np4-y", "b2-np4-y", "b3-np4-z"])
        self.assertEqual(configs[0].values["np"], 1)

    def test_cases_with_names(self):
        configs = spec.configurations(spec.check("s", {"program": "x", "cases": [
            {"io": "partitioned"}, {"io": "partitioned", "dirs": {"local": "/x/12"}}]}))
        self.assertEqual([c.name for c in configs], ["partitioned",
                                                     "partitioned-local"])
        self.assertEqual(configs[1].values["dirs"], "/x/12")

    def test_a_value_with_two_names(self):
        """A configuration and itself have as many runs as two."""
        for tree in ({"matrix": {"filetype": {"a": "unique", "a-again": "unique"}}},
                     {"matrix": {"depth": [1, True]}}):
            configs = spec.check("s", dict(tree, program="x"))
            self.assertEqual(len(spec.configurations(configs)), 2)
        self.assertEqual(self.names({"filetype": {"a": "unique", "a-again": "unique"}}),
                         ["a", "a-again"])

    def test_letters_beyond_ascii(self):
        self.assertEqual(self.names({"dir": ["caf\u00e9", "\u4e2d", "\u6587"]}),
                         ["cafe", "u4e2d", "u6587"])

    def test_no_comma_no_slash(self):
        for name in self.names({"dir": ["/tmp/a,b"]}):
            self.assertNotIn(",", name)
            self.assertNotIn("/", name)


class BadSpecifications(Case):
    def refused(self, words, status=2, **changes):
        result = self.sweep(self.spec(**changes), "--out", self.out)
        self.assertEqual(result.status, status, result.err)
        self.assertEqual(result.err.count("\n"), 1, result.err)
        self.assertIn(words, result.err)
        self.assertFalse(os.path.exists(self.out))

    def test_what_each_key_must_be(self):
        self.refused("it must name a program", program=None)
        self.refused("program must be a program's name", program=3)
        self.refused("there is no key nprocs; there are: program, np", nprocs=4)
        self.refused("np must be a whole number above 0", np=0)
        self.refused("np must be a whole number above 0", matrix={"np": ["four"]})
        self.refused("rounds must be a whole number above 0", rounds="six")
        self.refused("args must be a list of strings", args=[64])
        self.refused("matrix must be an object whose values are lists",
                     matrix={"filetype": "unique"})
        self.refused("matrix must be", matrix={"filetype": []})
        self.refused("cases must be a list of objects", cases=[])
        self.refused("cases must be a list of objects", cases=[{"np": [1, 2]}])
        self.refused("np must be a whole number above 0", cases=[{"np": 0}])
        self.refused("these are 300000 runs, more than 100000", rounds=75000)
        self.refused("timeout must be seconds", timeout=1e300)
        self.refused("timeout must be seconds", timeout=True)
        self.refused('dir has "x" twice. To compare a configuration with itself',
                     matrix={"dir": ["x", "y", "x"]})
        self.refused('cases has {"a": 1, "b": 2} twice', matrix={},
                     cases=[{"a": 1, "b": 2}, {"b": 2, "a": 1}])

    @long
    def test_what_no_command_line_can_hold(self):
        for words in ("a\0b", "\ud800"):
            self.refused("no command line can hold", args=[words])
            self.refused("no command line can hold", matrix={words: [1]})
            self.refused("no command line can hold", matrix={"a": [words]})
            self.refused("no command line can hold", cases=[{"a": words}])
            self.refused("no command line can hold", env={"a": words})
            self.refused("no command line can hold", env={words: "a"})
            self.refused("no command line can hold", program=words)
            self.refused("no command line can hold", sbatch=[words])
            self.refused("no command line can hold", mpiexec=["a", words])
        for name in ("", "a=b"):
            self.refused("whose names have no =", env={name: "x"})

    def test_braces_are_names_and_no_more(self):
        for words in ("{npix.real}", "{npix[0]}", "{npix!r}", "{npix:>99999999999}",
                      "{npix:d}", "{}", "{0}", "{", "{npix"):
            self.refused("args name a value that", args=[words], matrix={"npix": [4]})

    def test_launchers(self):
        self.refused("mpiexec cannot be read: No closing quotation", mpiexec="'x")
        for words in ("  ", [""]):
            self.refused("mpiexec names no launcher", mpiexec=words)

    def test_a_folder_is_no_program(self):
        self.refused("was found neither", 1, program=self.dir)
        self.refused("env must be an object of strings", env={"A": 1})
        self.refused("timeout must be seconds", timeout=-1)
        self.refused("args name a value that matrix and cases do not have: {npix}",
                     args=["{npix}"])
        self.refused("program nowhere was found neither in", 1, program="nowhere")

    def test_no_launcher(self):
        result = self.sweep(self.spec(mpiexec="/nowhere/mpiexec", rounds=1),
                            "--out", self.out)
        self.assertEqual(result.status, 1)
        self.assertIn("launcher /nowhere/mpiexec was not found", result.err)
        self.assertEqual(result.err.count("\n"), 1)

    def test_broken_files(self):
        for name, text, words in (("a.json", "{", "not JSON"), ("b.json", "", "empty"),
                                  ("d.json", '{"np": 1, "np": 2}',
                                   'd.json: "np" is in one object twice'),
                                  ("c.json", "[]", "a specification is an object")):
            write_file(self.path(name), text)
            self.assertIn(words, self.sweep(self.path(name)).err)
        self.assertIn("cannot be read", self.sweep(self.path("none.json")).err)

    def test_out_is_a_file(self):
        result = self.sweep(self.spec(), "--out", self.program)
        self.assertEqual(result.status, 1)
        self.assertIn("cannot be written", result.err)

    def test_toml(self):
        with open(self.path("spec.toml"), "w") as stream:
            stream.write('program = "%s"\nmpiexec = "%s"\nrounds = 1\n[matrix]\n'
                         'filetype = ["unique"]\n' % (self.program, self.launcher))
        result = self.sweep(self.path("spec.toml"), "--out", self.out)
        if sys.version_info >= (3, 11):
            self.assertEqual((result.status, len(self.calls())), (0, 1), result.err)
        else:
            self.assertIn("TOML needs Python 3.11", result.err)
        write_file(self.path("spec.toml"), "program = ")
        self.assertEqual(self.sweep(self.path("spec.toml")).status, 2)


class Progress(unittest.TestCase):
    def test_time_left(self):
        progress = sweep.Progress(10, quiet=True)
        self.assertEqual(progress.left(), "")
        progress.done, progress.seconds = 4, [10.0, 20.0]
        self.assertEqual(progress.left(), ", 1:30 left")


if __name__ == "__main__":
    main()
