#!/usr/bin/env python3
# mpi: any; tier: quick ci
"""The wheel of leadline: its contents, and that it works where pip installs it, without
a network."""
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from tap import PACKAGE, long, main

from fake_report import report, save
from files import read_bytes, run_text

import wheel

TOP = os.path.dirname(PACKAGE)


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tmp = self.folder.name

    def call(self, *words, **env):
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = run_text(words, cwd=self.tmp, stderr=subprocess.STDOUT,
                        env=dict(inherited, **env))
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def made(self):
        return os.path.join(self.tmp, wheel.build_wheel(self.tmp))

    def test_it_has_every_module_and_no_other_file(self):
        with zipfile.ZipFile(self.made()) as f:
            names = f.namelist()
        here = [os.path.relpath(os.path.join(folder, name), PACKAGE)
                for folder, _, files in os.walk(os.path.join(PACKAGE, "leadline"))
                for name in files if name.endswith(".py")]
        self.assertEqual(sorted(n for n in names if "dist-info" not in n), sorted(here))

    def test_its_record_has_the_sums_of_its_files(self):
        with zipfile.ZipFile(self.made()) as f:
            record = next(name for name in f.namelist() if name.endswith("RECORD"))
            rows = [line.split(",") for line in f.read(record).decode().splitlines()]
            self.assertEqual(sorted(row[0] for row in rows), sorted(f.namelist()))
            for name, digest, size in rows:
                if name != record:
                    data = f.read(name)
                    self.assertEqual((digest, int(size)),
                                     (wheel.digest(data), len(data)))

    def test_it_is_the_same_each_time(self):
        sums = []
        for _ in range(2):
            sums.append(hashlib.sha256(read_bytes(self.made())).digest())
        self.assertEqual(*sums)

    def test_it_runs_as_it_is(self):
        out = self.call(sys.executable, "-m", "leadline", "schema",
                        PYTHONPATH=self.made())
        self.assertIn("leadline-report", out)

    def test_an_editable_one_points_to_the_checkout(self):
        path = os.path.join(self.tmp, wheel.build_editable(self.tmp))
        with zipfile.ZipFile(path) as f:
            self.assertEqual(f.read("leadline.pth").decode().strip(),
                             os.path.abspath(PACKAGE))
            self.assertFalse([n for n in f.namelist() if n.endswith(".py")])

    @long
    def test_pip_installs_it_without_a_network(self):
        try:
            self.call(sys.executable, "-m", "venv", "venv")
        except AssertionError as error:
            self.skipTest("there is no venv with pip here: %s" % error)
        bin_ = os.path.join(self.tmp, "venv", "bin")
        self.call(os.path.join(bin_, "pip"), "install", "--no-index", "--quiet",
                  "--disable-pip-version-check", TOP)
        self.assertIn(wheel.version(),
                      self.call(os.path.join(bin_, "leadline"), "--version"))
        for name in ("a", "b"):
            save(self.tmp, name + ".json", report({"write_MBps": [100.0]}, label=name))
        leadline = os.path.join(bin_, "leadline")
        self.assertIn("verdict", self.call(leadline, "compare", "a.json", "b.json"))
        self.call(os.path.join(bin_, "python3"), "-m", "leadline", "list", "a.json")


if __name__ == "__main__":
    main()
