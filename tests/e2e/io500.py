#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""leadline io500 with the programs: every phase, its report, and how it ends."""
import os
import shlex
import signal
import subprocess

from e2e import BUILD, Case, long, main, read_json, runner

SMALL = ("--time=0.2", "--bytes=1M", "--files=50", "--np=2")


class Io500(Case):
    def start(self, *args, **env):
        return subprocess.Popen(
            [os.path.join(BUILD, "python", "leadline", "leadline"), *args],
            cwd=self.tmp, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            universal_newlines=True, env=dict(runner.mpi_environment(2), **env))

    def leadline(self, *args, status=0):
        done = self.start(*args)
        out, err = done.communicate(timeout=120 * runner.SCALE)
        self.assertEqual(done.returncode, status, out + err)
        return err if status else out

    def io500(self, *args, **how):
        mpi = " ".join(map(shlex.quote, runner.launch_line(2, [])[:-2]))
        os.makedirs(self.path("here"), exist_ok=True)
        return self.leadline("io500", "here", "--mpiexec=" + mpi, *SMALL, *args, **how)

    def report(self, name="io500.json"):
        return read_json(self.path(name))

    def test_every_phase(self):
        out = self.io500("--quiet")
        self.assertEqual(os.listdir(self.path("here")), [])
        self.assertIn("valid against", self.leadline("validate", "io500.json"))
        tree = self.report()
        rows = {row["name"]: row for row in tree["figures"]}
        self.assertEqual(len(rows), 15)
        for name, row in rows.items():
            self.assertGreater(row["median"], 0.0, name)
        for phase in tree["results"]["phases"]:
            self.assertIn(phase["phase"], out)
        self.assertEqual(" ".join(out.split()).count("diagnosis, not a submission"), 3)
        codes = [row["code"] for row in tree["warnings"]]
        for code in ("diagnosis", "short", "single_node", "find", "order"):
            self.assertIn(code, codes)
        hard = [s for s in tree["samples"] if s["phase"] == "ior_hard.write"
                and s["act"] == "write"][0]
        self.assertEqual(hard["bytes"], 47008 * hard["calls"])
        for what in ("ior_easy.write", "ior_hard.write", "mdtest_easy.create",
                     "mdtest_hard.create"):
            self.assertTrue([s for s in tree["samples"] if s["phase"] == what
                             and s["act"] == "sync"], what)
        small = [s for s in tree["samples"] if s["phase"] == "mdtest_hard.create"
                 and s["act"] == "write"][0]
        self.assertEqual(small["bytes"], 3901 * small["calls"])

    @long
    def test_two_of_them_compare(self):
        for label in ("before", "after"):
            self.io500("--quiet", "--repeat=6", "--label=" + label,
                       "--output=%s.json" % label)
        out = self.leadline("compare", "before.json", "after.json", "--figure=score*",
                            "--figure=mdtest_hard_*", "--format=csv")
        rows = [line.split(",") for line in out.splitlines()[1:]]
        self.assertEqual(len(rows), 14)
        self.assertEqual(set(row[5] for row in rows), {"6"})
        self.assertNotIn("not comparable", out)

    def test_failures(self):
        self.assertIn("nowhere: it is not a directory to measure in",
                      self.leadline("io500", "nowhere", status=1))
        err = self.io500("--iomethod=carrier-pigeon", status=1)
        self.assertIn("leadline io500: ior-easy failed: blocktransfer: ", err)
        self.assertEqual(err.count("\n"), 1)
        err = self.leadline("io500", "here", "--mpiexec=/nowhere/mpiexec", status=1)
        self.assertIn("launcher /nowhere/mpiexec was not found", err)
        for words in ("--time=0", "--time=nan", "--files=0", "--repeat=x"):
            self.assertIn("leadline: argument ",
                          self.leadline("io500", "here", words, status=2))
        self.assertEqual(sorted(os.listdir(self.tmp)), ["here"])

    def test_dry_run(self):
        out = self.io500("--dry-run")
        self.assertEqual(len(out.splitlines()), 4)
        for line in out.splitlines():
            self.assertIn(" --cache=flush ", line)
        self.assertEqual(os.listdir(self.path("here")), [])

    def test_an_interruption_leaves_nothing(self):
        """SIGHUP comes from a terminal that is closed."""
        for sign in (signal.SIGTERM, signal.SIGHUP):
            self.interrupted(sign)

    def interrupted(self, sign):
        here = self.path("here")
        os.makedirs(here, exist_ok=True)
        mpi = " ".join(map(shlex.quote, runner.launch_line(2, [])[:-2]))
        child = self.start("io500", "here", "--mpiexec=" + mpi, "--time=60",
                           "--bytes=4G", "--np=2", TMPDIR=self.tmp)
        # A probe of the file system may be there for a moment.
        self.until(lambda: any("probe" not in name for name in os.listdir(here)),
                   "a file is made")
        child.send_signal(sign)
        err = child.communicate(timeout=60 * runner.SCALE)[1]
        self.assertEqual(child.returncode, 130, err)
        self.assertIn("leadline io500: interrupted; the same command starts over", err)
        self.assertEqual(os.listdir(here), [])
        self.assertEqual(os.listdir(self.tmp), ["here"])


if __name__ == "__main__":
    main()
