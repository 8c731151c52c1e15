#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""Containers read by programs that know nothing of them: mounted, and by
leadline.container. The bytes are those of a flat file with the same writes."""
import contextlib
import errno
import itertools
import mmap
import os
import random
import shutil
import subprocess
import unittest
import unittest.mock
import zlib

from e2e import BUILD, Case, main, read_bytes, write_at, write_file
from tap import TIER, long

from leadline import container

DRAWN = os.path.join(BUILD, "tests", "ldad", "drawn")
HDF5_WRITER = os.path.join(BUILD, "tests", "unit", "hdf5")
HAVE_FUSE = os.environ["HAVE_FUSE"] == "yes"
RANKS = {"quick": (3,), "ci": (1, 2, 4)}.get(TIER, (1, 2, 3, 4, 6))
COUNT = {"quick": 5, "ci": 20}.get(TIER, 40)
SEED = zlib.crc32(os.environ.get("LEADLINE_DRAW", "").encode()) % 100000


def content(path):
    return read_bytes(path)


class View(Case):
    LIMIT = 120

    def program(self, *words, np=0):
        done = self.run_program(*words, np=np, dir=False, json=False)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return done.out

    def draw(self, np, count, seed=SEED):
        """Returns paths of containers in one folder; beside each is its flat file."""
        folder = self.path("drawn-%d-%d" % (np, seed))
        os.mkdir(folder)
        self.assertEqual(self.program(DRAWN, folder, str(seed), str(count), np=np), "")
        return [os.path.join(folder, str(i)) for i in range(count)]

    def one(self):
        """Returns FOLDER/0, with bytes in a partition: few of those drawn have none."""
        for seed in itertools.count(SEED):
            path, = self.draw(3, 1, seed)
            if any(map(os.path.getsize, self.parts(path))):
                return path

    def parts(self, path):
        return sorted(os.path.join(path, name) for name in os.listdir(path)
                      if name.startswith("part-"))


class Python(View):
    def is_file(self, path, right):
        """Reads with read, readinto, seek and tell, at random places."""
        draw = random.Random(path)
        with container.open(path) as f:
            about = "%s %s" % (path, f.plan)
            self.assertEqual(f.read(), right, about)
            self.assertEqual((f.tell(), f.size, f.read(1)), (len(right),) * 2 + (b"",))
            for _ in range(30):
                at, n = draw.randrange(len(right) + 5), draw.randrange(1, 3000)
                self.assertEqual(f.seek(at), at)
                self.assertEqual(f.read(n), right[at:at + n], about)
                out = bytearray(n)
                f.seek(-min(n, len(right)), os.SEEK_END)
                self.assertEqual(out[:f.readinto(out)], right[-n:], about)

    def test_drawn(self):
        for np in RANKS:
            for path in self.draw(np, COUNT):
                self.is_file(path, content(path + ".flat"))

    @long
    def test_in_pieces(self):
        path = self.one()
        right = content(path + ".flat")
        with unittest.mock.patch.multiple(container, PIECE=100, GAP=7, OPEN_MOST=1):
            self.is_file(path, right)

    @long
    def test_without_a_plan(self):
        path = self.path("shared")
        flat = write_file(self.path("flat"), os.urandom(250000))
        self.program(DRAWN, path, flat, np=2)
        self.is_file(path, content(flat))

    def arrays(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        path, flat = self.path("array"), self.path("flat")
        numpy.arange(30 * 40 * 5, dtype="<f8").tofile(flat)
        self.program(DRAWN, path, flat, np=2)
        return numpy, container.open(path), numpy.memmap(flat, "<f8", "r",
                                                         shape=(30, 40, 5))

    def test_arrays(self):
        numpy, f, right = self.arrays()
        with f:
            array = f.array("<f8", (30, 40, 5))
            for gap in (container.GAP, 0):
                with unittest.mock.patch.object(container, "GAP", gap):
                    for index in numpy.s_[
                            3, -1, 2:9, ..., :, 4:2, 28:3:-5, (4, 7, 1), (4, ..., 1),
                            (slice(2, 9, 3), 7), (slice(None), slice(3, 30, 9), -1),
                            (..., slice(None, None, -2)), (0, slice(1, 1), 2)]:
                        found = array[index]
                        self.assertTrue(numpy.array_equal(found, right[index]), index)
                        self.assertEqual(found.dtype, right.dtype)
            self.assertTrue(numpy.array_equal(numpy.asarray(array), right))
            self.assertEqual(len(f.array("u1", offset=8)), f.size - 8)
            for index in (30, (0, 0, 0, 0), (0, -41), [1, 2], None):
                with self.assertRaises((IndexError, TypeError)):
                    array[index]
            with self.assertRaisesRegex(container.ContainerError, "does not lie"):
                f.array("<f8", (31, 40, 5))

    def refuses(self, path, *words):
        with self.assertRaises(container.ContainerError) as caught:
            with container.open(path) as f:
                f.read()
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_damage(self):
        path = self.one()
        self.refuses(path + ".flat", path + ".flat", "which is a directory")
        self.refuses(self.tmp, self.tmp, "header cannot be read")
        part = max(self.parts(path), key=os.path.getsize)
        os.truncate(part, os.path.getsize(part) - 1)
        self.refuses(path, part, "it was cut off")
        os.unlink(part)
        self.refuses(path, part, "cannot be opened", "No such file")
        write_at(os.path.join(path, "header"), 40, b"\xff")
        self.refuses(path, "its checksum differs")


@unittest.skipUnless(HAVE_FUSE, "ldad was built without libfuse 3")
@unittest.skipUnless(os.path.exists("/dev/fuse"), "there is no /dev/fuse")
@unittest.skipIf(os.geteuid() and not shutil.which("fusermount3"),
                 "there is no fusermount3 (package fuse3)")
class Mount(View):
    @contextlib.contextmanager
    def mounted(self, source):
        """Mounts in the foreground, so that its messages can be seen."""
        point = self.path("point")
        os.mkdir(point)
        self.served = self.start("ldad", "mount", "-f", source, point, np=0, dir=False,
                                 json=False)
        self.until(lambda: os.path.ismount(point), "it is mounted")
        try:
            yield point
        finally:
            self.served.child.terminate()
            self.served.wait(20)
        self.assertEqual(self.served.status, 0, self.served)
        self.assertFalse(os.path.ismount(point))

    def test_drawn(self):
        for np in RANKS:
            folder = os.path.dirname(self.draw(np, COUNT)[0])
            os.symlink("0", os.path.join(folder, "link"))
            with self.mounted(folder) as point:
                self.assertEqual(sorted(os.listdir(point)), sorted(os.listdir(folder)))
                for name in os.listdir(point):
                    flat = os.path.join(folder, name.replace("link", "0"))
                    flat += "" if flat.endswith(".flat") else ".flat"
                    self.assertEqual(content(os.path.join(point, name)), content(flat))
            self.assertEqual(self.served.err, "")
            os.rmdir(point)

    def test_one_container(self):
        path = self.one()
        os.chmod(os.path.join(path, "header"), 0o640)
        with self.mounted(path) as point:
            self.assertEqual(os.listdir(point), ["0"])
            seen, flat = os.stat(os.path.join(point, "0")), os.stat(path + ".flat")
            header = os.stat(os.path.join(path, "header"))
            self.assertEqual((seen.st_size, seen.st_mode, seen.st_nlink),
                             (flat.st_size, header.st_mode, 1))
            self.assertEqual(seen.st_mtime_ns, header.st_mtime_ns)
            with self.assertRaises(OSError):
                open(os.path.join(point, "0"), "r+b")
            with self.assertRaises(OSError):
                open(os.path.join(point, "new"), "wb")
            copy = self.path("copy")
            subprocess.run(["cp", os.path.join(point, "0"), copy], check=True)
            self.assertEqual(content(copy), content(path + ".flat"))
            with open(os.path.join(point, "0"), "rb") as f, \
                    mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                self.assertEqual(mapped[:], content(path + ".flat"))

    def test_hdf5(self):
        if os.environ["HAVE_HDF5"] != "yes":
            self.skipTest("the engine hdf5 is not built")
        if not shutil.which("h5dump"):
            self.skipTest("there is no h5dump (package hdf5-tools)")
        flat = self.path("array.h5")
        folder = self.path("folder")
        os.mkdir(folder)
        self.program(HDF5_WRITER, "hdf5:chunk=100", flat, np=2)
        self.program(DRAWN, os.path.join(folder, "array.h5"), flat, np=2)
        right = subprocess.check_output(["h5dump", "-d", "matrices", "array.h5"],
                                        cwd=self.tmp)
        with self.mounted(folder) as point:
            self.assertEqual(subprocess.check_output(
                ["h5dump", "-d", "matrices", "array.h5"], cwd=point), right)

    @long
    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        path = self.one()
        with self.mounted(path) as point:
            found = numpy.memmap(os.path.join(point, "0"), mode="r")
            self.assertTrue(numpy.array_equal(found, numpy.memmap(path + ".flat")))
            del found

    def test_damage(self):
        """Lost bytes cannot be read, and the others can."""
        path, flat = self.path("large"), self.path("flat")
        write_file(flat, os.urandom(300000))
        self.program(DRAWN, path, flat, np=2)
        part = self.parts(path)[1]
        os.truncate(part, 50000)  # bytes behind 100,000, up to 200,000
        with self.mounted(path) as point:
            fd = os.open(os.path.join(point, "large"), os.O_RDONLY)
            for at, n in ((0, 95000), (230000, 70000)):
                self.assertEqual(os.pread(fd, n, at), content(flat)[at:at + n])
            with self.assertRaises(OSError) as caught:
                os.pread(fd, 4096, 150000)
            self.assertEqual(caught.exception.errno, errno.EIO)
            os.close(fd)
        said = self.served.err.splitlines()  # at the mount, and at the first read
        self.assertEqual(len(said), 2, said)
        for line in said:
            self.assertIn("it was cut off", line)

    @long
    def test_header_that_is_damaged(self):
        path = self.one()
        folder = os.path.dirname(path)
        write_at(os.path.join(path, "header"), 40, b"\xff")
        with self.mounted(folder) as point:
            self.assertEqual(os.stat(os.path.join(point, "0")).st_size, 0)
            with self.assertRaises(OSError):
                open(os.path.join(point, "0"), "rb")
        self.assertIn("its checksum differs", self.served.err)

    @long
    def test_written_anew(self):
        """The kernel's cache of the earlier file is not shown again."""
        path = self.one()
        folder = os.path.dirname(path)
        with self.mounted(folder) as point:
            seen = os.path.join(point, "0")
            self.assertEqual(content(seen), content(path + ".flat"))
            shutil.rmtree(path)
            write_file(path + ".other", os.urandom(os.path.getsize(path + ".flat")))
            self.program(DRAWN, path, path + ".other", np=2)
            self.until(lambda: content(seen) == content(path + ".other"), "it is seen")

    def test_daemon(self):
        path, point = self.one(), self.path("point")
        os.mkdir(point)
        self.assertEqual(self.program("ldad", "mount", path, point), "")
        try:
            self.assertEqual(content(os.path.join(point, "0")), content(path + ".flat"))
        finally:
            subprocess.run(["fusermount3", "-u", point], check=True)
        self.until(lambda: not os.path.ismount(point), "it is unmounted")

    def test_what_is_refused(self):
        path = self.one()
        folder = os.path.dirname(path)
        for words, said, status in (
                ((folder, path), "one of them is in the other", 2),
                ((path, folder), "one of them is in the other", 2),
                ((path + "x", folder), "No such file or directory", 1),
                ((path, path + ".flat"), "it is not a directory", 1),
                ((path,), "MOUNTPOINT", 2)):
            done = self.run_program("ldad", "mount", *words, np=0, dir=False,
                                    json=False)
            self.assertEqual(done.status, status, done)
            self.assertIn(said, done.err)
            self.assertEqual(len(done.err.splitlines()), 1, done)


class Without(View):
    @unittest.skipIf(HAVE_FUSE, "built with libfuse 3")
    def test_says_so(self):
        source, point = (self.path(name) for name in ("source", "point"))
        os.mkdir(source)
        os.mkdir(point)
        done = self.run_program("ldad", "mount", source, point, np=0, dir=False,
                                json=False)
        self.assertEqual(done.status, 2, done)
        self.assertIn("built without libfuse 3", done.err)


if __name__ == "__main__":
    main()
