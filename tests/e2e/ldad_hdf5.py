#!/usr/bin/env python3
# limit: 300; tier: ci
"""Parallel HDF5 whose calls of MPI-IO are renamed to libldad's in its own archive, as
doc/container.md describes: the same file as plain HDF5 writes, stored as a
container."""
import json
import os
import re
import shutil
import subprocess
import unittest

from e2e import BUILD, Case, main

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, os.pardir, "ldad", "hdf5.c")
RANKS = 4


def words(*line):
    return subprocess.run(line, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout.decode()


def find():
    """Returns flags for HDF5's header files, and its archive; None: there is none."""
    package = "hdf5-" + os.environ["MPI_FLAVOUR"]
    try:
        flags = words("pkg-config", "--cflags", package).split()
        folder = re.search(r"-L(\S+)", words("pkg-config", "--libs", package)).group(1)
    except (OSError, subprocess.CalledProcessError, AttributeError):
        return [], None
    archive = os.path.join(folder, "libhdf5.a")
    return flags, archive if os.path.exists(archive) else None


FLAGS, ARCHIVE = find()


@unittest.skipUnless(ARCHIVE, "there is no libhdf5.a of this MPI")
@unittest.skipUnless(shutil.which("h5dump"), "there is no h5dump (package hdf5-tools)")
class Hdf5(Case):
    def renamed(self):
        """Makes the archive with other names for the functions that it calls."""
        calls = set(re.findall(r" U MPI_File_(\w+)", words("nm", ARCHIVE)))
        self.assertIn("write_at_all", calls)
        names, out = (self.path(name) for name in ("names", "libhdf5.a"))
        with open(names, "w", encoding="ascii") as f:
            f.writelines("MPI_File_%s ldad_file_%s\n" % (c, c) for c in calls)
        words("objcopy", "--redefine-syms=" + names, ARCHIVE, out)
        return out

    def build(self, name, archive, *more):
        settings = os.path.join(os.path.dirname(ARCHIVE), "libhdf5.settings")
        with open(settings, encoding="utf-8") as f:
            libraries = re.search(r"Extra libraries: *(.*)", f.read()).group(1).split()
        out = self.path(name)
        words(*os.environ["MPI_CC"].split(), "-o", out, SOURCE, *FLAGS, archive, *more,
              *libraries)
        return out

    def run_it(self, program, path, *how, **env):
        done = self.run_program(program, path, *how, np=RANKS, dir=False, json=False,
                                env=env)
        self.assertEqual((done.status, done.out), (0, ""), done)

    def dumped(self, path):
        return words("h5dump", path).split("\n", 1)[1]   # without the file's name

    def ldad(self, *line):
        done = self.run_program("ldad", *line, np=0, dir=False, json=False)
        self.assertEqual(done.status, 0, done)
        return done.out

    def same(self, programs, keys, *how):
        """Returns the number of writes outside the plan; None: there is no plan."""
        flat, path, again = (self.path("-".join((name,) + how))
                             for name in ("flat", "container", "again"))
        self.run_it(programs[0], flat, *how)
        self.run_it(programs[1], path, *how, LDAD_INFO="ldad_method=partitioned" + keys)
        self.ldad("flatten", path, again)
        self.assertEqual(self.dumped(again), self.dumped(flat), how)
        info = json.loads(self.ldad("info", "--json", path))
        return info["misfits"]["writes"] if info["plan"] else None

    def test_renamed(self):
        programs = (self.build("plain", ARCHIVE),
                    self.build("other", self.renamed(), "-L" + BUILD, "-lldad",
                               "-Wl,-rpath," + BUILD))
        # by HDF5's views; its own metadata do not fit
        for shape in ("rows", "columns"):
            misfits = self.same(programs, "", "collective", shape)
            self.assertIsNotNone(misfits)
            self.assertLess(misfits, 20)
        size = 64 * 48 * RANKS * 4
        plan = ";ldad_plan=ranks=%d step=%d start=2048 [size=%d]" % (RANKS, size, size)
        self.assertLess(self.same(programs, plan, "independent", "rows"), 20)
        self.assertIsNone(self.same(programs, "", "independent", "columns"))
        self.same(programs, "", "collective", "chunks")


if __name__ == "__main__":
    main()
