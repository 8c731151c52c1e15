#!/usr/bin/env python3
# mpi: any; tier: quick ci
"""Factors of a sweep besides options, and the launcher that starts a program."""
import json
import os
import sys
import unittest

from fake_sweep import LAUNCHER, Case
from tap import HERE, drawn, long, main

from files import read_json, read_text, write_json
from leadline.base import launcher
from leadline.commands import cli
from leadline.results import report
from leadline.sweep import factors, spec

LDD = """#!/bin/sh
case $1 in
*ompi*) echo "libopen-pal.so.40 => /x" ;;
*mpich*) echo "libmpich.so.12 => /x" ;;
*intel*) echo "libmpi.so.12 => /x" ;;
*) echo "not a dynamic executable"; exit 1 ;;
esac
"""


class Runs(Case):
    def states(self):
        return read_json(os.path.join(self.out, "sweep.json"))

    def test_launchers_programs_and_variables(self):
        """They vary in one sweep: each run is what its name says."""
        os.mkdir(self.path("new"))
        other = self.script("new/fake", read_text(self.program))
        second = self.script("second", LAUNCHER % {"python": sys.executable,
                                                   "here": HERE})
        result = self.sweep(self.spec(
            program=None, mpiexec=None, rounds=1, matrix={
                "program": {"old": self.program, "new": other},
                "mpiexec": [self.launcher, second + " -x"],
                "env.SEEN": ["a=b", None]}), "--out", self.out)
        self.assertEqual(result.status, 0, result.err)
        calls = self.calls()
        with open(self.path("new/calls")) as stream:
            new = [json.loads(line) for line in stream]
        self.assertEqual(sorted(c["config"] for c in calls), [
            "old-launcher-a=b", "old-launcher-no-SEEN",
            "old-second_-x-a=b", "old-second_-x-no-SEEN"])
        self.assertEqual(len(new), 4)
        for call in calls + new:
            self.assertEqual(call["seen"], "a=b" if "a=b" in call["config"] else None)
            self.assertNotIn("--program", " ".join(call["argv"]))
            self.assertNotIn("--env", " ".join(call["argv"]))
        self.assertEqual(self.states()["values"]["old-launcher-no-SEEN"], {
            "program": self.program, "mpiexec": self.launcher, "env.SEEN": None})

    def test_host_files(self):
        for name in ("one", "two"):
            self.script(name, "localhost\n")
        result = self.sweep(self.spec(rounds=1, matrix={
            "hostfile": [self.path("one"), self.path("two")]}), "--out", self.out)
        # The fake launcher takes what is behind its first two words for -n's.
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(sorted(c["config"] for c in self.calls()), ["one", "two"])
        result = self.sweep(self.spec(rounds=1, hostfile="nowhere"), "--out=other")
        self.assertEqual((result.status, result.err), (
            1, "leadline sweep: nowhere: the host file cannot be read\n"))

    def test_dry_run_has_the_environment(self):
        result = self.sweep(self.spec(rounds=1, matrix={"env.SEEN": ["x y", None]},
                                      args=["--filetype=unique", "--iomethod=posix"],
                                      env={"HOME": "/"}),
                            "--out", self.out, "--dry-run")
        lines = sorted(line for line in result.out.splitlines() if line[0] != "#")
        self.assertEqual(len(lines), 2, result)
        self.assertTrue(lines[0].startswith("env -u SEEN HOME=/ "), lines)
        self.assertTrue(lines[1].startswith("env HOME=/ 'SEEN=x y' "), lines)


class Bad(Case):
    def test_sentences(self):
        for matrix, words in drawn((
                ({"env.X": "a=b"}, "matrix must be an object whose values are lists"),
                ({"env.": ["a"]}, "env. does not name an environment variable"),
                ({"env.A=B": ["a"]}, "env.A=B does not name an environment variable"),
                ({"env.A": [True]}, "env.A must be text or a number, or null"),
                ({"program": [3]}, "program must be text that is not empty"),
                ({"hostfile": [""]}, "hostfile must be text that is not empty"),
                ({"mpiexec": ["'"]}, "mpiexec cannot be read"),
                ({"depth": [None]}, "depth must have a value"),
                ({"program": ["nowhere"]}, "program nowhere was found neither"),
                ({"mpiexec": ["nowhere -x"]}, "launcher nowhere was not found"),
                ({"program": {}}, "matrix must be an object")), few=4):
            result = self.sweep(self.spec(matrix=matrix), "--out", self.out)
            self.assertIn(result.status, (1, 2))
            self.assertIn(words, result.err)
            self.assertEqual(result.err.count("\n"), 1)
            self.assertEqual(self.calls(), [])

    def test_which_keys_differ(self):
        self.sweep(self.spec(rounds=1), "--out", self.out)
        result = self.sweep(self.spec(np=2, seed=3), "--out", self.out)
        self.assertEqual(result.status, 2)
        self.assertIn("another specification: other np, seed. Give", result.err)

    @long
    def test_a_state_of_before_there_were_host_files(self):
        self.sweep(self.spec(rounds=1), "--out", self.out)
        path = os.path.join(self.out, "sweep.json")
        tree = report.read_json(path)
        del tree["spec"]["hostfile"], tree["values"]
        write_json(path, tree)
        result = self.sweep(self.spec(rounds=1), "--out", self.out)
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("4 of 4 runs are there already", result.err)

    @long
    def test_names_of_an_earlier_call_stay(self):
        """They stay, whatever this version would call its configurations."""
        self.sweep(self.spec(rounds=1), "--out", self.out)
        path = os.path.join(self.out, "sweep.json")
        tree = report.read_json(path)
        tree["configs"] = ["a", "b", "c", "d"]
        write_json(path, tree)
        self.sweep(self.spec(rounds=1), "--out", self.out)
        self.assertEqual(sorted(c["config"] for c in self.calls())[:4],
                         ["a", "b", "c", "d"])


class Names(unittest.TestCase):
    def test_what_tells_paths_apart(self):
        for values, short in (
                (["/opt/old/bin/x", "/opt/new/bin/x"], ["old", "new"]),
                (["/usr/bin/mpiexec.mpich", "/usr/bin/mpiexec.openmpi"],
                 ["mpiexec.mpich", "mpiexec.openmpi"]),
                (["mpirun", "srun --mpi=pmix"], ["mpirun", "srun_--mpi=pmix"]),
                (["/a/b/c"], ["c"]), (["/a/b", "/a"], ["a_b", "a"]),
                (["a/b", "a_b"], ["a_b", "a_b"]), (["/", "/x"], ["/", "x"])):
            found = factors.short(values)
            if len(set(short)) == len(short):
                self.assertEqual(found, short)
            self.assertEqual(len(set(found)), len(values), found)

    def test_labels(self):
        tree = spec.check("spec", {"program": "x", "matrix": {
            "dir": {"disk": "/mnt/a", "flash": "/mnt/b"}}})
        configs = spec.configurations(tree)
        self.assertEqual([(c.name, c.values["dir"]) for c in configs],
                         [("disk", "/mnt/a"), ("flash", "/mnt/b")])


class Launchers(Case):
    """The launcher for programs, by the MPI that a fake ldd finds in them."""

    def setUp(self):
        super().setUp()
        self.script("ldd", LDD)
        for name in ("mpirun.openmpi", "mpirun.mpich"):
            self.script(name, "#!/bin/sh\n")
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["PATH"] = self.dir + ":" + os.environ["PATH"]
        os.environ.pop("LEADLINE_MPIEXEC", None)
        launcher.flavour.cache_clear()
        launcher.protocols.cache_clear()
        launcher.is_open_mpi.cache_clear()

    def srun(self, *plugins):
        self.script("srun", "#!/bin/sh\necho MPI plugin types are: %s\n"
                    % " ".join(plugins))
        launcher.protocols.cache_clear()

    def find(self, program, slurm=False, folder="/ours"):
        return launcher.find(program, cli.Where("1", [folder], "mpiexec.ours"), slurm)

    def test_ours_and_others(self):
        self.assertEqual(self.find("/ours/ompi"), "mpiexec.ours")
        self.assertEqual(self.find("/other/ompi"), "mpirun.openmpi")
        self.assertEqual(self.find("/other/mpich"), "mpirun.mpich")
        self.assertEqual(self.find("/other/script"), "mpiexec.ours")

    def test_in_slurm(self):
        self.srun("none", "pmi2")
        self.assertEqual(self.find("/ours/mpich", True),
                         "srun --kill-on-bad-exit=1 --mpi=pmi2")
        self.assertEqual(self.find("/other/intel", True),
                         "srun --kill-on-bad-exit=1 --mpi=pmi2")
        self.assertEqual(self.find("/ours/ompi", True), "mpiexec.ours")
        self.assertEqual(self.find("/other/ompi", True), "mpirun.openmpi")
        self.srun("none", "pmi2", "pmix")
        self.assertEqual(self.find("/ours/ompi", True),
                         "srun --kill-on-bad-exit=1 --mpi=pmix")
        self.assertEqual(self.find("/ours/ompi", False), "mpiexec.ours")

    def test_the_variable_wins(self):
        self.srun("pmi2", "pmix")
        os.environ["LEADLINE_MPIEXEC"] = "flux run"
        self.assertEqual(self.find("/ours/ompi", True), "flux run")

    def test_what_launchers_are_given(self):
        self.assertEqual(launcher.hosts(["/usr/bin/srun", "-v"], "nodes"),
                         ["--nodelist=./nodes"])
        self.assertEqual(launcher.hosts(["mpirun"], "/x/nodes"),
                         ["--hostfile", "/x/nodes"])
        open_mpi = self.script("open", "#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n")
        self.assertEqual(launcher.variables([open_mpi], ["A", "B"]),
                         ["-x", "A", "-x", "B"])
        self.assertEqual(launcher.variables([open_mpi], []), [])
        self.assertEqual(launcher.variables(["mpirun.mpich"], ["A"]), [])


if __name__ == "__main__":
    main()
