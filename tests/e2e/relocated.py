#!/usr/bin/env python3
# mpi: any; tier: quick ci
""""make install prefix=ELSEWHERE" installs to another place than configure was told:
leadline and iotrace find their own parts, relative to themselves."""
import os
import shutil
import subprocess
import unittest

from e2e import BUILD, Case, main, run_text

PARTS = ("binSCRIPTS", "nobase_dist_pkgdataDATA", "libiotraceDATA")
THIS_ONE = "it is the package that was installed here"


class Relocated(Case):
    def setUp(self):
        super().setUp()
        if not shutil.which("make"):
            raise unittest.SkipTest("there is no make")
        self.prefix = self.path("elsewhere")
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ("PYTHONPATH", "MAKEFLAGS", "MFLAGS", "MAKELEVEL",
                                 "DESTDIR", "LEADLINE_MPIEXEC")}
        self.call("make", "-s", "-C", BUILD, "prefix=" + self.prefix,
                  *("install-" + part for part in PARTS))
        self.package = os.path.join(self.prefix, "share", "leadline", "python",
                                    "leadline")

    def call(self, *words, fails=False):
        done = run_text(words, cwd=self.tmp, env=self.env, timeout=120,
                        stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode != 0, fails, done.stdout)
        return done.stdout

    def installed(self, name):
        return os.path.join(self.prefix, "bin", name)

    def mark(self):
        """Appends words to the installed package by which it is recognised."""
        with open(os.path.join(self.package, "__init__.py"), "a",
                  encoding="utf-8") as f:
            f.write("raise SystemExit(%r)\n" % THIS_ONE)

    def test_leadline_finds_its_package(self):
        link = self.path("link")
        os.symlink(self.installed("leadline"), link)
        for name in (self.installed("leadline"), link):
            self.assertIn("leadline-report", self.call(name, "schema"))
        self.mark()
        self.assertIn(THIS_ONE, self.call(link, "schema", fails=True))

    def test_iotrace_finds_its_recorder_and_its_scripts(self):
        shutil.copy(os.path.join(BUILD, "iotrace"), self.installed("iotrace"))
        run = (self.installed("iotrace"), "run", "-n", "job", "--")
        self.assertIn(os.path.realpath(self.prefix),
                      self.call(*run, "sh", "-c", "echo $LD_PRELOAD; cat /etc/passwd"))
        report = (self.installed("iotrace"), "report", "job.1", "-o", "page.html")
        self.call(*report)
        self.mark()
        self.assertIn(THIS_ONE, self.call(*report, fails=True))


if __name__ == "__main__":
    main()
