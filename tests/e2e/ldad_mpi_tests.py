#!/usr/bin/env python3
# limit: 7200; tier: ci
"""MPI's own tests of MPI-IO, ROMIO's and MPICH's, compiled with the calls renamed to
libldad's, once with independent transfers and once stored as containers. We may not
distribute them: they come from Debian's source package, or from LEADLINE_MPICH_SOURCES,
the folder with its contents."""
import atexit
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from e2e import BUILD, FLAVOUR, TESTS, Case, add, main, read_text, write_file
from tap import TIER, drawn

TOP = os.path.dirname(TESTS)
sys.path.insert(0, os.path.join(TOP, "bench"))
from debian_sources import Apt, codename  # noqa: E402

MIRROR = "http://deb.debian.org/debian"
# Ranks, and further properties after a test's name: R: ROMIO's; I and E: MPICH's.
LISTED = """R simple:4 psimple:4 status:1 excl:4 creat_excl:4 perf:4 aggregation1:4
aggregation2:4 coll_test:4 darray_read:4 large_array:4 split_coll:4 noncontig:2
noncontig_coll:2 noncontig_coll2:4 hindexed:4 types_with_zeros:2 big_extents:1 async:4
async-multiple:4 i_noncontig:2 shared_fp:4 ordered_fp:4 misc:4 large_file:1 atomicity:4
file_info:4
I zero_count:4 simple_collective:1 async:4 async_any:4 rdwrord:4 rdwrzero:4 setviewcur:4
resized:1 resized2:1 tst_fileview:1 hindexed_io:1 getextent:2 userioerr:1 setinfo:4
i_aggregation1:4 i_aggregation2:4 i_coll_test:4 i_darray_read:4 i_hindexed:4
i_hindexed_io:1 i_noncontig:2 i_noncontig_coll:2 i_noncontig_coll2:4 i_rdwrord:4
i_setviewcur:4 i_types_with_zeros:2
E file_errhdl:1 fileerrret:1 openerr:1"""
FOLDERS = {"R": "src/mpi/romio/test", "I": "test/mpi/io", "E": "test/mpi/errors/io"}
METHODS = ("independent", "partitioned")
# Containers have no atomic mode (ldad(3)), and unlink(2), with which the other test
# removes its file, removes no folder.
NOT_OF_CONTAINERS = ("atomicity", "simple_collective")
# Open MPI no longer has MPI_UB and MPI_LB, as in MPI 3.0.
ROMIO_WITH_UB = ("noncontig", "noncontig_coll", "noncontig_coll2", "i_noncontig")
CONFIG = "".join("#define %s\n" % d for d in (
    "HAVE_STDLIB_H 1", "HAVE_STRING_H 1", "HAVE_UNISTD_H 1", "HAVE_STDARG_H 1",
    "STDC_HEADERS 1", "HAVE_STRINGS_H 1", "HAVE_SYS_TIME_H 1",
    "THREAD_PACKAGE_NAME THREAD_PACKAGE_NONE"))
BAD = r"found [1-9]\d* errors|[1-9]\d* errors|error|fail|wrong|mismatch"
FINE = r"no errors|found 0 errors|0 errors|without errors|errors?handler"


def applies(kind, name, method):
    if method == "partitioned" and name in NOT_OF_CONTAINERS:
        return False
    if FLAVOUR == "openmpi" and kind == "R" and name in ROMIO_WITH_UB:
        return False
    return name != "large_array" or TIER == "full"  # it takes 20 s


def listed():
    """Returns (kind, name, ranks, method)."""
    kind = ""
    for word in LISTED.split():
        if len(word) == 1:
            kind = word
            continue
        name, ranks = word.split(":")
        yield from ((kind, name, int(ranks), method) for method in METHODS
                    if applies(kind, name, method))


def unpack(archive, folder):
    """Unpacks the sources that the tests need; returns their folder."""
    kept = tuple("/%s/" % name for name in (*FOLDERS.values(), "test/mpi/util",
                                            "test/mpi/include"))
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and any(name in member.name for name in kept):
                tar.extract(member, folder)
    return next(iter(glob.glob(os.path.join(folder, "mpich*"))), None)


def sources():
    """Returns (their folder, None), or (None, why there are none)."""
    given = os.environ.get("LEADLINE_MPICH_SOURCES")
    if given:
        return given, None
    if not shutil.which("apt-get"):
        return None, "there is no apt-get, and LEADLINE_MPICH_SOURCES names no folder"
    folder = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    apt = Apt(folder, MIRROR, codename())
    if apt.update():
        apt.run("source", "--download-only", "mpich", cwd=folder)
    found = glob.glob(os.path.join(folder, "mpich_*.orig.tar.*"))
    top = unpack(found[0], folder) if found else None
    return top, None if top else "Debian's source package of MPICH cannot be had here"


SOURCES, WHY_NOT = sources()


@unittest.skipUnless(SOURCES, WHY_NOT)
class MpiTests(Case):
    @classmethod
    def setUpClass(cls):
        cls.common = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
        cls.flags = ["-I" + cls.common, "-I" + SOURCES + "/test/mpi/include"]
        write_file(os.path.join(cls.common, "mpitestconf.h"), CONFIG)
        cls.objects = [cls.compile(name + ".o", "-c", "%s/test/mpi/util/%s.c"
                                   % (SOURCES, name))
                       for name in ("mtest", "mtest_common", "mtest_single")]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.common, ignore_errors=True)

    @classmethod
    def compile(cls, name, *words):
        out = os.path.join(cls.common, name)
        line = [*os.environ["MPI_CC"].split(), "-w", "-O1", "-DMPIO_USES_MPI_REQUEST",
                "-o", out, *cls.flags, *words]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout.decode(errors="replace")
        return out

    def source_of(self, kind, name):
        path = os.path.join(SOURCES, FOLDERS[kind], name + ".c")
        if os.path.exists(path):
            return path
        text = read_text(path + ".in").replace("@LL@", "lld")
        return write_file(self.path(name + ".c"), re.sub("@[A-Z_0-9]+@", "", text))

    def passes(self, kind, name, ranks, method):
        program = self.compile(
            kind + name, "-include", TOP + "/include/ldad_rename.h",
            "-I" + TOP + "/include", self.source_of(kind, name),
            *(self.objects if kind != "R" else []), "-L" + BUILD, "-lldad",
            "-Wl,-rpath," + BUILD, "-lm")
        place = tempfile.mkdtemp(dir=self.tmp)
        words = ["-fname", place + "/f"] if kind == "R" else []
        if name in ("big_extents", "simple_collective"):
            words = [place + "/f"]
        done = self.run_program(program, *words, np=ranks, dir=False, json=False,
                                env={"LDAD_INFO": "ldad_method=" + method})
        self.assertEqual(done.status, 0, done)
        text = re.sub("(?i)" + FINE, "", done.out + done.err)
        self.assertIsNone(re.search("(?i)" + BAD, text), done)


for each in drawn(listed(), 2, share=1 / 28):
    add(MpiTests, "_".join((each[0], each[1].replace("-", "_"), each[3])), "passes",
        *each)


if __name__ == "__main__":
    main()
