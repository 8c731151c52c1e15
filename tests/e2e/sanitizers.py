#!/usr/bin/env python3
"""In a build with sanitizers (--enable-sanitizers): they detect faults of ours,
although suppressions for MPI's libraries are in force. In others: nothing."""
import os
import subprocess
import unittest

from e2e import BUILD, Case, add, main, runner

SANITIZERS = os.environ.get("SANITIZERS", "").split(",")
SEEN = {"address": {"leak": "LeakSanitizer", "overflow": "heap-buffer-overflow"},
        "undefined": {"undefined": "signed integer overflow"},
        "thread": {"race": "data race"}}


class Faults(Case):
    def setUp(self):
        super().setUp()
        if SANITIZERS == [""]:
            raise unittest.SkipTest("configured without --enable-sanitizers")

    def run_fault(self, name):
        """Returns its status, and its output."""
        line = runner.launch_line(2, [os.path.join(BUILD, "tests/sanitizers/faults"),
                                      name])
        done = subprocess.Popen(line, cwd=self.tmp, env=runner.mpi_environment(2),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        try:
            said = done.communicate(timeout=60 * runner.SCALE)[0]
        finally:
            done.kill()
        return done.returncode, said.decode("utf-8", "replace")

    def test_none(self):
        status, said = self.run_fault("none")
        self.assertEqual((status, said.count("at the end")), (0, 2), said)

    def is_seen(self, name, words):
        status, said = self.run_fault(name)
        self.assertNotEqual(status, 0, said)
        self.assertIn(words, said)
        self.assertIn("faults.c", said)


for _sanitizer in SANITIZERS:
    for _name, _words in SEEN.get(_sanitizer, {}).items():
        add(Faults, _name, "is_seen", _name, _words)

if __name__ == "__main__":
    main()
