#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""libldad as other programs use it: the same source, plain and with its calls renamed,
writes the same bytes; its exports; its refusals."""
import glob
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import unittest

from e2e import BUILD, HDF5, Case, add, any_mpi, drawn, main, write_file
from ldad_workloads import content, reassembled

PROGRAMS = os.path.join(BUILD, "tests", "ldad")
CHUNK, COUNT, WIDTH, HEIGHT, NUMBERS = 1000, 5, 70, 50, 32 * 16
WORKLOADS = ("perf", "perf-slabs", "mandelbrot", "mandelbrot-slabs", "jacobi",
             "jacobi-slabs", "fft")
FILES = {"jacobi": 2, "fft": 4}
METHODS = ["independent", "collective", "collective-nocb", "unique", "partitioned"]
METHODS += ["hdf5"] if HDF5 else []


def plan(workload, np):
    """Returns the plan, as ldad(3) describes it, for tests/ldad/plain.c."""
    name = workload.split("-")[0]
    row = {"perf": CHUNK, "mandelbrot": WIDTH, "jacobi": WIDTH * 8, "fft": 8}[name]
    rows = {"perf": np * COUNT, "mandelbrot": HEIGHT, "jacobi": HEIGHT,
            "fft": NUMBERS}[name]
    if workload.endswith("-slabs") or name == "fft":
        step = -(-rows // np) * row
        return "ranks=%d step=%d end=%d start=0 [size=%d]" % (
            np, step, rows * row, step)
    strip = row if name == "perf" else 3 * row
    times = -(-rows * row // (np * strip))
    return "ranks=%d step=%d end=%d start=0 [span=%d stride=%d size=%d]" % (
        np, strip, rows * row, times * np * strip, np * strip, strip)


class Library(Case):
    def program(self, which, *words, np):
        return self.run_program(os.path.join(PROGRAMS, which), *words, np=np, dir=False,
                                json=False)

    def logical(self, path, words):
        if os.path.isdir(path):
            done = self.run_program("ldad", "flatten", path, path + ".flat", np=1,
                                    dir=False, json=False)
            self.assertEqual(done.status, 0, done)
            return content(path + ".flat")
        if os.path.exists(path):
            return content(path)
        parts, rank = [], 0
        while os.path.exists("%s.%06d" % (path, rank)):
            parts.append(content("%s.%06d" % (path, rank)))
            rank += 1
        return reassembled(parts, words)

    def same_bytes(self, workload, method, np):
        plain, other = self.path("plain"), self.path("other")
        done = self.program("plain", workload, plain, np=np)
        self.assertEqual(done.status, 0, done)
        words = plan(workload, np)
        done = self.program("renamed", workload, other, "ldad_method=" + method,
                            "ldad_plan=" + words, np=np)
        self.assertEqual((done.status, done.err), (0, ""), done)
        for i in range(FILES.get(workload.split("-")[0], 1)):
            right = content("%s.%d" % (plain, i))
            found = self.logical("%s.%d" % (other, i), words)
            if method == "hdf5":
                self.assertIn(right, found)
            else:
                self.assertEqual(found, right)

    def holds(self, case, *methods):
        """A rule of MPI-IO holds with every method."""
        for method in methods:
            path = self.path(case + "-" + method)
            done = self.program("rules_renamed", case, path, "ldad_method=" + method,
                                "ldad_plan=ranks=3 step=100 end=3000 start=0 "
                                "[span=3000 stride=300 size=100]", np=3)
            self.assertEqual((done.status, done.out, done.err), (0, "", ""), method)

    def test_short_counts_at_the_end(self):
        self.holds("end", *METHODS)

    def test_the_communicator_may_be_freed(self):
        self.holds("free", *METHODS)

    def test_modes(self):
        self.holds("modes", *(m for m in METHODS if m not in ("hdf5", "unique")))

    def test_another_plan(self):
        self.holds("plans", "partitioned")

    def test_removed_and_made_again(self):
        self.holds("delete", "partitioned")

    def test_names_of_files(self):
        self.holds("names", "independent", "partitioned")

    def test_rules_are_those_of_mpi(self):
        """The same program passes without libldad."""
        for case in ("end", "free", "modes"):
            done = self.program("rules", case, self.path(case), np=3)
            self.assertEqual((done.status, done.out), (0, ""), case)

    def test_views(self):
        plain, other = self.path("plain"), self.path("other")
        done = self.program("views", plain, np=3)
        self.assertEqual((done.status, done.err), (0, ""), done)
        words = "ranks=3 step=240 start=16 [span=2880 stride=720 size=240]"
        for keys in [()] + [("ldad_method=" + m,) for m in METHODS
                            if m not in ("hdf5", "unique")]:
            path = other + "".join(keys).replace("=", "-")
            planned = keys + ("ldad_plan=" + words,) if keys else ()
            done = self.program("views_renamed", path, *planned, np=3)
            self.assertEqual((done.status, done.err), (0, ""), done)
            self.assertEqual(self.logical(path, words), content(plain), keys)
        self.assertTrue(os.path.isdir(other))
        done = self.run_program("ldad", "info", "--json", other, np=1, dir=False,
                                json=False)
        info = json.loads(done.out)
        self.assertEqual(info["misfits"], {"writes": 1, "bytes": 16}, info)
        self.assertEqual((info["plan"], info["missing"]), (words, []))

    def test_the_example(self):
        """examples/blocks.c: the same source with MPI-IO and with libldad."""
        plain, other = self.path("plain"), self.path("other")
        says = "%s.\nWritten as 2 x 2 blocks and read as 4 bands: 0 wrong numbers.\n"
        for program, path, stored in (
                ("blocks", plain, "Stored in one file that the ranks share"),
                ("blocks_renamed", other, "Stored in 4 partitions, and 0 bytes that "
                                          "are in none of them")):
            done = self.program(program, path, np=4)
            self.assertEqual((done.status, done.out, done.err), (0, says % stored, ""))
        self.assertEqual(self.logical(other, ""), content(plain))
        self.assertEqual(len(content(plain)), 8 * 240 * 360)

    def misfit(self, name):
        """Makes a container in which 16 bytes do not fit the plan, and returns its
        bytes."""
        path = self.path(name)
        done = self.program("views_renamed", path, np=3)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return path, self.logical(path, "")

    def ldad(self, *words):
        return self.run_program("ldad", *words, np=0, dir=False, json=False)

    def test_what_misfits_is_lost(self):
        """Without a map, or with a truncated shared part, no program reads wrong bytes,
        unless told to go on."""
        def no_map(path):
            os.unlink(os.path.join(path, "shared.map"))

        def no_shared(path):
            os.unlink(os.path.join(path, "shared"))

        def cut(path):
            os.truncate(os.path.join(path, "shared"), 10)

        for change, says in ((no_map, "shared.map is missing, and 1 write did"),
                             (no_shared, "shared part is missing"),
                             (cut, "shared part has 10 bytes, and reaches to 16")):
            path, right = self.misfit(change.__name__)
            change(path)
            for done in (self.ldad("cat", path), self.ldad("verify", path),
                         self.ldad("flatten", path, path + ".flat2"),
                         self.ldad("info", path)):
                self.assertEqual(done.status, 1, done)
                self.assertIn(says, done.out + done.err)
            self.assertFalse(os.path.exists(path + ".flat2"))
            done = self.program("rules_renamed", "fails", path, np=2)
            self.assertEqual((done.status, done.out), (0, ""), done)
            done = self.ldad("flatten", "--incomplete", path, path + ".flat2")
            self.assertEqual(done.status, 1, done)
            self.assertIn(says, done.err)
            found = content(path + ".flat2")
            self.assertEqual((len(found), found[16:]), (len(right), right[16:]))
            done = self.ldad("cat", "--incomplete", path)
            self.assertEqual(done.status, 1, done)

    def test_plan_file(self):
        """It has one line for each number of ranks."""
        plans = self.path("plans")
        path = self.path("f")
        write_file(plans, "# of tests/ldad/plain.c\n%s\n%s\n" % (plan("perf", 2),
                                                                 plan("perf", 3)))
        done = self.program("renamed", "perf", path, "ldad_method=unique",
                            "ldad_plan_file=" + plans, np=3)
        self.assertEqual((done.status, done.err), (0, ""), done)
        self.assertEqual(len(content(path + ".0.000002")), COUNT * CHUNK)
        self.refused("ldad_method=unique", "ldad_plan_file=" + plans + "-other",
                     says="file of plans cannot be opened")
        write_file(plans, plan("perf", 12) + "\n")
        self.refused("ldad_method=unique", "ldad_plan_file=" + plans,
                     says="no plan of 2 ranks")
        # The rest of a long line is no line; nor is its begin a plan.
        for line, says in (("#".ljust(1023) + plan("perf", 2), "no plan of 2 ranks"),
                           (plan("perf", 2).replace(" [", " " * 1023 + "[", 1),
                            "plan of 2 ranks has more than")):
            write_file(plans, line + "\n")
            self.refused("ldad_method=unique", "ldad_plan_file=" + plans, says=says)

    def refused(self, *keys, says):
        done = self.program("renamed", "perf", self.path("g"), *keys, np=2)
        self.assertNotEqual(done.status, 0)
        self.assertIn(says, done.err)
        self.assertEqual([f for f in os.listdir(self.tmp) if f.startswith("g")], [])

    @any_mpi
    def test_refusals(self):
        self.refused("ldad_method=fast", says='there is no "fast"')
        self.refused("ldad_methode=unique", says="no key ldad_methode")
        self.refused("ldad_method=unique", says="needs a plan")
        self.refused("ldad_method=unique", "ldad_plan=" + plan("perf", 3),
                     says="the plan is of 3 ranks, and 2 write")
        self.refused("ldad_engine=fast", says="fast")

    def test_what_is_not_planned_is_not_written(self):
        words = plan("perf-slabs", 2)
        done = self.program("renamed", "perf", self.path("f"),
                            "ldad_method=unique", "ldad_plan=" + words, np=2)
        self.assertNotEqual(done.status, 0)
        self.assertIn("the plan does not give these 1000 bytes to rank", done.err)

    def fortran(self):
        """tests/ldad/fortran.f90 is compiled by the Fortran compiler of this MPI."""
        words = os.environ["MPI_CC"].split()
        compiler = words[0].replace("mpicc", "mpifort")
        if os.environ["SANITIZERS"]:
            self.skipTest("Fortran's linker has things to say of sanitizers")
        if compiler == words[0] or not shutil.which(compiler):
            self.skipTest("%s has no mpifort beside it" % words[0])
        source = os.environ["top_srcdir"]
        out = self.path("fortran")
        done = subprocess.run(
            [compiler, "-Wall", "-J" + self.tmp,
             os.path.join(source, "include", "ldad.f90"),
             os.path.join(source, "tests", "ldad", "fortran.f90"), "-o", out,
             "-L" + BUILD, "-lldad", "-Wl,-rpath," + BUILD],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode and b"mpi.mod" in done.stdout:
            self.skipTest("%s does not know the module mpi" % compiler)
        self.assertEqual((done.returncode, done.stdout.decode()), (0, ""))
        return out

    def test_fortran(self):
        program = self.fortran()
        words = "ranks=3 step=800 start=0 [span=12000 stride=2400 size=800]"
        right = struct.pack("<1500d", *range(1, 1501))
        for method in METHODS:
            path = self.path("f-" + method)
            done = self.run_program(program, path, method, words, np=3, dir=False,
                                    json=False)
            self.assertEqual(done.out, "code 0, wrong 0\n", done)
            if method != "hdf5":
                self.assertEqual(self.logical(path, words), right, method)

    def test_fortran_is_refused(self):
        done = self.run_program(self.fortran(), self.path("f"), "fast",
                                "", np=2, dir=False, json=False)
        self.assertIn('there is no "fast"', done.out)
        self.assertNotIn("code 0", done.out)

    def test_all_names_of_mpi(self):
        """Each MPI_File_ function that this MPI declares is renamed, and in ldad(3)."""
        source = os.environ["top_srcdir"]
        words = os.environ["MPI_CC"].split()
        done = subprocess.run(words + ["-E", "-include", "mpi.h", "-xc", "/dev/null"],
                              stdout=subprocess.PIPE, check=True)
        text = done.stdout.decode()
        declared = set(re.findall(r"\bMPI_File_[a-z0-9_]+(?= *\()", text))
        declared -= {"MPI_File_errhandler_function", "MPI_File_errhandler_fn"}
        with open(os.path.join(source, "include", "ldad_rename.h")) as f:
            renamed = set(re.findall(r"#define (MPI_File_\w+) ", f.read()))
        with open(os.path.join(source, "man", "ldad.3")) as f:
            page = set(re.findall(r"\b[a-z][a-z0-9_]+\b", f.read()))
        self.assertGreater(len(declared), 55)
        self.assertEqual(declared - renamed, set())
        short = {name[len("MPI_File_"):] for name in declared}
        self.assertEqual({n for n in short if not n.endswith("_c")} - page, set())

    def test_what_views_write(self):
        """Arrays are dealt out in blocks and cyclically, by views of all kinds: the
        bytes are MPI's, and a container gets its plan from the view."""
        kinds = (("blocks", True), ("vector", True), ("cyclic", True),
                 ("columns", True), ("indexed", False), ("ragged", False))
        for kind, planned in drawn(kinds, 2):
            plain = self.path(kind + "-plain")
            done = self.program("arrays", kind, plain, np=4)
            self.assertEqual((done.status, done.out, done.err), (0, "", ""), kind)
            for method in ("independent", "collective", "partitioned"):
                path = self.path(kind + "-" + method)
                done = self.program("arrays_renamed", kind, path,
                                    "ldad_method=" + method, np=4)
                self.assertEqual((done.status, done.out, done.err), (0, "", ""),
                                 kind + " " + method)
                self.assertEqual(self.logical(path, ""), content(plain), path)
            info = json.loads(self.ldad("info", "--json", path).out)
            self.assertEqual(info["misfits"]["writes"], 0, kind)
            self.assertEqual(bool(info["plan"]), planned, info)
            for part in info["partitions"]:  # plans of views have no end
                self.assertLessEqual(part["planned"], info["bytes"], kind)

    def test_a_plan_from_views_and_how_writes_fit(self):
        for np in (2, 4):
            done = self.program("fit", self.path("fit%d" % np), np=np)
            self.assertEqual((done.status, done.out, done.err), (0, "", ""))

    def test_collectives_of_opening_and_closing(self):
        """There are three each at most, except for duplicating and freeing the
        communicator."""
        most = {"nothing": 0, "write": 0, "sync": 3}
        done = self.program("opens", self.path("f"), np=3)
        self.assertEqual((done.status, done.err), (0, ""), done)
        lines = [line.split() for line in done.out.splitlines()]
        self.assertEqual([line[0] for line in lines],
                         ["nothing", "create", "write", "sync", "close", "read",
                          "close", "update", "close"], done)
        for what, calls in lines:
            self.assertLessEqual(int(calls), most.get(what, 4), done.out)

    @any_mpi
    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_written_back_early(self):
        """Everything written is written back, except the last 4 MiB of each rank's
        partition, unless the key says no; and nothing of a small one."""
        kind = subprocess.run(["stat", "-f", "-c", "%T", self.tmp],
                              stdout=subprocess.PIPE, check=True).stdout.decode()
        if kind.strip() in ("tmpfs", "ramfs"):
            self.skipTest("files are in memory")
        for mbytes, key, asked in ((10, "", 8), (10, ";ldad_write_back=no", 0),
                                   (3, "", 0)):
            log = self.path("log")
            done = self.run_program(
                "ldad", "perf", "--io=partitioned", "--decomp=slabs", "--chunk=64k",
                "--chunks=%d" % (16 * mbytes), "--quiet", np=2,
                env={"LDAD_INFO": "ldad_method=partitioned" + key},
                inside=("strace", "-f", "-qq", "-ff", "-e", "trace=sync_file_range",
                        "-o", log))
            if done.status and "ptrace" in done.err:
                self.skipTest("strace does not run here: %s" % done.err[-200:])
            self.good(done)
            told = "".join(content(p).decode() for p in glob.glob(log + ".*"))
            ranges = re.findall(r"_range\(\d+, (\d+), (\d+), SYNC_FILE_RANGE_WRITE\)",
                                told)
            ends = sorted(int(at) + int(n) for at, n in ranges)
            self.assertEqual(ends[-2:], [asked << 20] * (2 if asked else 0), told)
            self.assertEqual(sum(int(n) for _, n in ranges), 2 * asked << 20, told)
            for path in glob.glob(log + ".*"):
                os.unlink(path)

    def test_exports(self):
        lines = subprocess.run(["nm", "-D", "--defined-only",
                                os.path.join(BUILD, "libldad.so")],
                               stdout=subprocess.PIPE, check=True).stdout.decode()
        names = {line.split()[-1] for line in lines.splitlines()}
        self.assertIn("ldad_file_open", names)
        self.assertEqual([n for n in names if not n.startswith("ldad_")], [])


for workload_, method_ in itertools.product(WORKLOADS, METHODS):
    ranks_ = 4 if workload_ == "fft" else 3
    add(Library, "%s_%s" % (workload_.replace("-", "_"), method_.replace("-", "_")),
        "same_bytes", workload_, method_, ranks_)

if __name__ == "__main__":
    main()
