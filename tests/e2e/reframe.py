#!/usr/bin/env python3
# tier: ci
"""scripts/reframe: ReFrame's checks, here and as jobs of a real Slurm."""
import os
import re
import shutil
import subprocess

from e2e import FLAVOUR, TESTS, run_text
from in_rig import in_rig
from slurm_jobs import SlurmCase

CHECKS = os.path.join(os.path.dirname(TESTS), "scripts", "reframe")
OTHER = "mpirun." + ("openmpi" if FLAVOUR == "mpich" else "mpich")
MPIRUN = os.environ.get("MPIEXEC", "mpiexec")


class Reframe(SlurmCase):
    def checks(self, system, *options, mpiexec=MPIRUN):
        """Runs them; returns (exit status, output)."""
        done = run_text(["reframe", "--nocolor", "--prefix=" + self.tmp, "--system=" +
                         system, "--config-file=" + os.path.join(CHECKS, "settings.py"),
                         "--checkpath", os.path.join(CHECKS, "leadline_checks.py"),
                         "--run", *options],
                        env=self.environment(LEADLINE_MPIEXEC=mpiexec, HOME=self.tmp),
                        cwd=self.tmp, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def pass_in(self, system, *options, count):
        status, out = self.checks(system, *options)
        self.assertEqual(status, 0, out)
        self.assertIn("Ran %d/%d test case(s)" % (count, count), out)
        return re.findall(r"P: (\w+): [0-9.]+ MB/s", out)

    def test_here(self):
        figures = self.pass_in("leadline:here", count=10)
        self.assertEqual(figures, ["write_MBps", "read_MBps"] * 9)

    def test_slurm(self):
        figures = self.pass_in("leadline:slurm", "--name=Madbench.*unique.*posix",
                               "--name=LdadPerf", count=3)
        self.assertEqual(len(figures), 6)

    def test_a_run_that_failed_is_not_sane(self):
        status, out = self.checks("leadline:here", "--name=Blocktransfer",
                                  mpiexec=OTHER)
        self.assertEqual(status, 1, out)
        self.assertIn("1 failure(s)", out)


if __name__ == "__main__":
    if shutil.which("reframe"):
        in_rig("slurm", "--nodes=2")
    else:
        print("1..0 # SKIP reframe is not on PATH (reframe-hpc of PyPI)")
