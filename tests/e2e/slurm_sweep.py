#!/usr/bin/env python3
# tier: ci
"""leadline sweep --submit under a real Slurm of two nodes."""
import os
import shutil
import signal
import subprocess
import sys

from e2e import run_text, runner, write_json
from in_rig import in_rig
from slurm_jobs import SlurmCase


class Sweeps(SlurmCase):
    """Sweeps of madbench on two ranks, with two configurations and two rounds."""

    def spec(self, **changes):
        tree = {"program": "madbench", "np": 2, "rounds": 2, "timeout": 60,
                "args": ["64", "2", "--io-only", "--dir=" + self.tmp],
                "matrix": {"filetype": ["unique", "shared"]},
                "sbatch": ["--exclusive=user", "--nodes=2"]}
        write_json(self.path("spec.json"), dict(tree, **changes))

    def start(self, *options, **env):
        return subprocess.Popen(
            ["leadline", "sweep", "spec.json", "--out=runs", "--submit", *options],
            cwd=self.tmp, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, universal_newlines=True,
            env=self.environment(**env))

    def end(self, sweep, status=0):
        out, err = sweep.communicate(timeout=120 * runner.SCALE)
        self.assertEqual(sweep.returncode, status, err)
        self.assertEqual(out, "")
        return err

    def sweep(self, *options, status=0, **env):
        return self.end(self.start(*options, **env), status)

    def good(self, runs, ranks=2):
        names = self.reports("runs")
        self.assertEqual(len(names), runs)
        for name in names:
            self.valid("runs", name, ranks=ranks)
        left = [n for n in os.listdir(self.path("runs")) if n.endswith(".log")]
        self.assertEqual(left, [])

    def queue(self, *options):
        """Returns [(number, name, state)]."""
        lines = self.tool("squeue", "--noheader", "--format=%i %j %T", *options)
        return [line.split() for line in lines.splitlines()]

    def running(self):
        return bool(self.queue("--states=RUNNING"))

    def ever(self):
        """Returns the numbers of all jobs since Slurm was started."""
        return set(task["JobId"] for task in self.tasks("")
                   if "JobId" in task)

    def test_all_runs_and_again(self):
        self.spec()
        err = self.sweep()
        self.assertIn("4/4 ", err)
        self.good(4)
        before = self.ever()
        self.assertIn("4 of 4 runs are there already", self.sweep())
        self.assertEqual(self.ever(), before)

    def test_ranks_of_the_matrix(self):
        self.spec(matrix={"np": [2, 4]}, rounds=1)
        self.sweep("--jobs=2")
        ranks = [self.report("runs", name)["mpi"]["ranks"]
                 for name in self.reports("runs")]
        self.assertEqual(sorted(ranks), [2, 4])

    def most_at_once(self, sweep):
        """Returns the largest number of jobs that were seen in the queue."""
        most = 0
        while sweep.poll() is None:
            most = max(most, len(self.queue()))
        return most

    def test_at_most_so_many_at_once(self):
        for jobs, most in (("1", 1), ("3", 3)):
            self.spec()
            sweep = self.start("--jobs=" + jobs, "--fresh")
            seen = self.most_at_once(sweep)
            self.assertLessEqual(seen, most)
            self.assertEqual(seen > 1, most > 1)
            self.end(sweep)
            self.good(4)

    def interrupted(self, sign, status):
        """Interrupts it while a job runs; returns the queue at that time."""
        self.spec(args=["256", "2", "--io-only", "--dir=" + self.tmp, "--repeat=20"])
        sweep = self.start("--jobs=2")
        self.until(self.running, "a job runs")
        sweep.send_signal(sign)
        self.end(sweep, status)
        return self.queue()

    def test_interrupted_and_on(self):
        left = self.interrupted(signal.SIGINT, 130)
        self.assertEqual([job for job in left if job[2] in ("PENDING", "RUNNING")], [])
        self.sweep("--jobs=2")
        self.good(4)

    def test_killed_and_on(self):
        """Jobs that a sweep left are not submitted again."""
        left = self.interrupted(signal.SIGKILL, -signal.SIGKILL)
        self.assertTrue(left)
        self.sweep("--jobs=2")
        self.good(4)
        names = [task["JobName"] for task in self.tasks("")
                 if task["StdOut"].startswith(self.tmp)]
        self.assertEqual(len(names), 4)
        self.assertEqual(len(set(names)), 4)

    def test_failing_run(self):
        self.spec(matrix={"filetype": ["unique", "neither"]}, rounds=1)
        err = self.sweep(status=1)
        self.assertIn(
            "neither round 1 failed: its job left no valid report: madbench: ", err)
        self.assertIn("1 of 2 runs failed", err)

    def test_nasty_names(self):
        """The job's script, its log and its folder have such names: no shell or pattern
        interprets them."""
        for name in ("a b;touch gone $(touch gone) `touch gone` '\" %j *", "\\x%j\\"):
            self.nasty_name(name)

    def nasty_name(self, name):
        self.spec(rounds=1, args=["64", "2", "--io-only", "--dir=" + self.tmp,
                                  "--label=" + name + "\n-x"])
        self.sweep("--out=" + name)
        names = self.reports(name)
        self.assertEqual(len(names), 2)
        for each in names:
            self.assertEqual(self.valid(name, each, ranks=2)["run"]["label"],
                             name + "\n-x")
        self.spec(rounds=1, matrix={"filetype": ["neither"]})
        self.sweep("--out=" + name, "--fresh", status=1)
        logs = [found for found in os.listdir(self.path(name))
                if found.endswith(".log")]
        self.assertEqual(len(logs), 1)
        shutil.rmtree(self.path(name))
        self.assertEqual(os.listdir(self.tmp), ["spec.json"])

    def test_what_sbatch_refuses(self):
        self.spec(sbatch=["--partition=nowhere"])
        err = self.sweep(status=1)
        self.assertIn("leadline sweep: sbatch refuses madbench-", err)
        self.assertEqual(len(err.splitlines()), 1)

    def test_no_slurm(self):
        self.spec()
        done = run_text([sys.executable, "-m", "leadline", "sweep", "spec.json",
                         "--submit"], env=self.environment(PATH="/nowhere"),
                        cwd=self.tmp)
        self.assertEqual((done.returncode, done.stderr), (
            2, "leadline sweep: --submit needs Slurm, and sbatch is not on PATH\n"))

    def test_jobs_of_what(self):
        self.spec()
        done = subprocess.run(["leadline", "sweep", "spec.json", "--jobs=2"],
                              cwd=self.tmp, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertFalse(os.path.exists(self.path("spec")))


if __name__ == "__main__":
    in_rig("slurm", "--nodes=2")
