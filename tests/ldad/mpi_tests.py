#!/usr/bin/env python3
"""MPI's own tests of MPI-IO, with their calls renamed to libldad's: how many pass.

    mpi_tests.py BUILD SOURCES METHOD [TEST ...]

BUILD: a build tree of Leadline, of the MPI that MPI_CC names (mpicc). SOURCES: the
sources of MPICH, unpacked ("apt-get source mpich", where there are deb-src entries).
METHOD: plain (without libldad), or an ldad_method. It is part of no check, as the
sources are not ours to hand on; the exit status is 77 where they are not there."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Ranks, and where a test's name is not all: R: ROMIO's; I and E: MPICH's.
TESTS = """R simple:4 psimple:4 status:1 excl:4 creat_excl:4 perf:4 aggregation1:4
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
CONFIG = "".join("#define %s\n" % d for d in (
    "HAVE_STDLIB_H 1", "HAVE_STRING_H 1", "HAVE_UNISTD_H 1", "HAVE_STDARG_H 1",
    "STDC_HEADERS 1", "HAVE_STRINGS_H 1", "HAVE_SYS_TIME_H 1",
    "THREAD_PACKAGE_NAME THREAD_PACKAGE_NONE"))
BAD = r"found [1-9]\d* errors|[1-9]\d* errors|error|fail|wrong|mismatch"
FINE = r"no errors|found 0 errors|0 errors|without errors|errors?handler"


def listed():
    kind = ""
    for word in TESTS.split():
        if len(word) == 1:
            kind = word
        else:
            name, ranks = word.split(":")
            yield kind, name, int(ranks)


def compile_one(cc, words):
    done = subprocess.run([cc, "-w", "-O1", "-DMPIO_USES_MPI_REQUEST"] + words,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode(errors="replace")[-600:] if done.returncode else ""


class Suite:
    def __init__(self, build, sources, method):
        self.build, self.sources, self.method = build, sources, method
        self.cc = os.environ.get("MPI_CC", "mpicc")
        self.launcher = self.cc.replace("mpicc", "mpiexec")
        self.tmp = tempfile.mkdtemp()
        with open(os.path.join(self.tmp, "mpitestconf.h"), "w") as out:
            out.write(CONFIG)
        self.include = ["-I" + self.tmp, "-I" + sources + "/test/mpi/include"]
        self.objects = []
        for name in ("mtest", "mtest_common", "mtest_single"):
            o = os.path.join(self.tmp, name + ".o")
            why = compile_one(self.cc, self.include + [
                "-c", "%s/test/mpi/util/%s.c" % (sources, name), "-o", o])
            if why:
                print(why)
            self.objects.append(o)

    def program(self, kind, name):
        source = os.path.join(self.sources, FOLDERS[kind], name + ".c")
        if not os.path.exists(source):
            with open(source + ".in") as f:
                text = re.sub("@LL@", "lld", f.read())
            source = os.path.join(self.tmp, name + ".c")
            with open(source, "w") as out:
                out.write(re.sub("@[A-Z_0-9]+@", "", text))
        exe = os.path.join(self.tmp, kind + name)
        objects = self.objects if kind != "R" else []
        words = self.include + [source, "-o", exe] + objects
        if self.method != "plain":
            libs = os.path.join(self.build, ".libs")
            words = ["-include", TOP + "/include/ldad_rename.h",
                     "-I" + TOP + "/include"] + words
            words += ["-L" + libs, "-lldad", "-Wl,-rpath," + libs]
        return exe, compile_one(self.cc, words + ["-lm"])

    def run(self, kind, name, ranks):
        exe, why = self.program(kind, name)
        if why:
            return why
        place = tempfile.mkdtemp(dir=self.tmp)
        words = ["-fname", place + "/f"] if kind == "R" else []
        if name in ("big_extents", "simple_collective"):
            words = [place + "/f"]
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")
        if self.method != "plain":
            env["LDAD_INFO"] = "ldad_method=" + self.method
        done = subprocess.run(["timeout", "-k", "3", "60", self.launcher, "-n",
                               str(ranks), exe] + words, cwd=place, env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        text = done.stdout.decode(errors="replace")
        shutil.rmtree(place, ignore_errors=True)
        bad = re.search("(?i)" + BAD, re.sub("(?i)" + FINE, "", text))
        return "status %d: %s" % (done.returncode, text[-300:].replace("\n", " | ")) \
            if done.returncode or bad else ""


def main():
    build, sources, method = sys.argv[1:4]
    if not os.path.isdir(os.path.join(sources, FOLDERS["R"])):
        print("no sources of MPICH in %s" % sources)
        return 77
    suite = Suite(os.path.abspath(build), os.path.abspath(sources), method)
    passed = failed = 0
    for kind, name, ranks in listed():
        if sys.argv[4:] and name not in sys.argv[4:]:
            continue
        why = suite.run(kind, name, ranks)
        passed += not why
        failed += bool(why)
        print("%s - %s %s on %d ranks%s" % (
            "not ok" if why else "ok", FOLDERS[kind], name, ranks,
            why and ": " + why), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    shutil.rmtree(suite.tmp, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
