#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""Files of the engine hdf5, read by HDF5's own tools: h5ls and h5dump."""
import array
import os
import re
import shutil
import subprocess
import unittest

from e2e import BUILD, HAVE_SCALAPACK, Case, add, main, read_bytes, samples

HAVE_HDF5 = os.environ["HAVE_HDF5"] == "yes"
SIZE = 105
WRITER = os.path.join(BUILD, "tests", "unit", "hdf5")
ANSWER = "dC[0] = -9.325234698007e-01"


def tool(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60)
    assert done.returncode == 0, done.stdout
    return done.stdout.decode()


@unittest.skipUnless(HAVE_HDF5, "the engine hdf5 is not built")
@unittest.skipUnless(shutil.which("h5dump") and shutil.which("h5ls"),
                     "there is no h5dump (package hdf5-tools)")
class Files(Case):
    def raw(self, path, dataset):
        """Returns the dataset's bytes, little-endian."""
        out = self.path("raw")
        tool("h5dump", "-d", dataset, "-b", "LE", "-o", out, path)
        return read_bytes(out)

    def attribute(self, path, name):
        text = tool("h5dump", "-a", name, path)
        return re.search(r'\(0\): "(.*)"', text).group(1)

    def array_of_doubles(self, spec, np):
        path = self.path("array.h5")
        done = self.run_program(WRITER, spec, path, np=np, dir=False, json=False,
                                env={"LEADLINE_RANKS": str(np)})
        self.assertEqual(done.status, 0, done)
        listed = tool("h5ls", path)
        self.assertEqual(listed.split(), ["matrices", "Dataset", "{3,", "5,", "7}"])
        values = array.array("d", self.raw(path, "matrices"))
        self.assertEqual(list(values), [i + 0.25 for i in range(SIZE)])
        self.assertEqual(self.attribute(path, "/matrices/dimensions"),
                         "rank,mat,element")
        self.assertRegex(self.attribute(path, "/creator"), r"^leadline [0-9]+\.[0-9]+")
        return tool("h5dump", "-H", "-p", path)

    def test_chunks(self):
        self.assertIn("CHUNKED ( 1, 1, 7 )", self.array_of_doubles("hdf5:chunk=100", 2))

    def test_chunks_of_several_rows(self):
        self.assertIn("CHUNKED ( 1, 2, 7 )", self.array_of_doubles("hdf5:chunk=120", 2))

    def test_aligned(self):
        text = self.array_of_doubles("hdf5:align=4K", 2)
        self.assertEqual(int(re.search(r"OFFSET (\d+)", text).group(1)) % 4096, 0)

    def test_blocktransfer(self):
        """The kept file is an HDF5 file with as many bytes as were written."""
        done = self.blocktransfer("1M", "--block-size=16k", "--iomethod=HDF5",
                                  "--filetype=SHARED", "--keep", np=2)
        self.assertEqual(done.status, 0, done)
        report = done.report
        self.assertEqual(report["io"]["engine"], "hdf5")
        self.assertRegex(report["mpi"]["io_layer"], r"^HDF5 1\.\d+\.\d+ over (RO|OM)")
        self.assertEqual(report["checks"]["blocks_checked"], 128)
        path = os.path.join(done.dir, done.files[0])
        name, kind, *dims = tool("h5ls", path).split()
        elements = 1
        for one in dims:
            elements *= int(one.strip("{},/Inf"))
        content = self.raw(path, name)
        self.assertEqual((kind, len(content)), ("Dataset", 2 << 20))
        self.assertIn(len(content), (elements, 8 * elements))
        self.assertEqual(sum(s["bytes"] for s in samples(report, "write")), 2 << 20)


@unittest.skipUnless(HAVE_HDF5, "the engine hdf5 is not built")
class Programs(Case):
    @unittest.skipUnless(HAVE_SCALAPACK, "the full mode is not built")
    def full(self, *options):
        done = self.run_program("madbench", "256", "4", "--iomethod=HDF5", *options,
                                np=4)
        self.good(done)
        self.assertIn(ANSWER, done.out)

    def moves(self, *options):
        self.good(self.blocktransfer("300000", "--block-size=10000", "--iomethod=HDF5",
                                     *options, np=3))

    def test_hints(self):
        report = self.good(self.blocktransfer("64k", "--iomethod=HDF5",
                                              "--hint=cb_buffer_size=1048576"))
        self.assertEqual(report["io"]["hints_asked"],
                         {"cb_buffer_size": "1048576"})
        self.assertEqual(report["io"]["hints_in_effect"].get("cb_buffer_size"),
                         "1048576")

    def test_no_asynchronous_mode(self):
        self.refused(self.madbench("64", "2", "--io-only", "--iomode=ASYNC",
                                   "--iomethod=HDF5"), "ASYNC")


@unittest.skipIf(HAVE_HDF5, "the engine hdf5 is built")
class Absent(Case):
    def test_refused(self):
        for name in ("HDF5", "hdf5"):
            self.refused(self.blocktransfer("1M", "--iomethod=" + name),
                         "hdf5 is not built", "parallel HDF5")


for np_ in (1, 2, 4):
    add(Files, "array_by_%d" % np_, "array_of_doubles", "hdf5", np_)
for kind in ("UNIQUE", "SHARED"):
    for words in ((), ("--collective",)):
        name_ = "_".join([kind.lower()] + [w.strip("-") for w in words])
        add(Programs, "madbench_" + name_, "full", "--filetype=" + kind, *words)
        add(Programs, "random_" + name_, "moves", "--filetype=" + kind,
            "--pattern=RANDOM", "--misalign=100", "--layout=INTERLEAVED", *words)

if __name__ == "__main__":
    main()
