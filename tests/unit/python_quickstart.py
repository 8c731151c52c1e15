#!/usr/bin/env python3
# mpi: any
"""quickstart check, with stand-ins for the commands that it calls: it configures again
if packages were installed since, and a program that was not built is a failure."""
import os
import shutil
import subprocess
import tempfile
import unittest

from tap import PACKAGE, main

from files import run_text, write_file

STANDINS = {
    "configure": 'echo . >>"$HERE/configured"; : >Makefile',
    "bootstrap": "exit 0",
    "build-aux/programs": "echo ldadc",
    "tests/skips": "exit 0",
    "bin/apt-get": "exit 0",
    "bin/mpicc.mpich": "exit 0",
    "bin/make": 'printf "Testsuite summary\\n# PASS:  1\\n"',
    "bin/dpkg-query": 'grep -qsx "$4" "$HERE/absent" || printf installed',
}


class Quickstart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = folder.name
        shutil.copy(os.path.join(os.path.dirname(PACKAGE), "quickstart"), self.tmp)
        self.save("configure.ac", "", 0)
        for name, text in STANDINS.items():
            self.save(name, "#!/bin/sh\n" + text + "\n")
        self.save("build/mpich/ldadc", "")

    def save(self, name, text, newer=1):
        path = os.path.join(self.tmp, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, text)
        os.chmod(path, 0o755)
        os.utime(path, (1e9 + newer, 1e9 + newer))

    def check(self):
        """Returns (exit status, all output, how often it has been configured)."""
        path = os.path.join(self.tmp, "bin") + ":/usr/bin:/bin"
        done = run_text([os.path.join(self.tmp, "quickstart"), "check"],
                        env={"PATH": path, "HERE": self.tmp}, stderr=subprocess.STDOUT)
        with open(os.path.join(self.tmp, "configured"), encoding="utf-8") as f:
            return done.returncode, done.stdout, len(f.readlines())

    def test_it_configures_again_when_packages_have_come(self):
        self.save("absent", "llvm-dev\n")
        first = self.check()[2]
        self.assertEqual(self.check()[2], first)
        os.remove(os.path.join(self.tmp, "absent"))
        status, said, times = self.check()
        self.assertEqual((status, times), (0, 2 * first), said)

    def test_a_program_that_was_not_built_is_a_failure(self):
        self.assertEqual(self.check()[0], 0)
        os.remove(os.path.join(self.tmp, "build/mpich/ldadc"))
        status, said, _ = self.check()
        self.assertEqual(status, 1)
        self.assertIn("ldadc was not built", said)


if __name__ == "__main__":
    main()
