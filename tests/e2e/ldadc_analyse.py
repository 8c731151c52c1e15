#!/usr/bin/env python3
# mpi: any; limit: 300
"""ldadc analyse: the paper's Figure 2 and the workloads of ldad have their known
descriptors; programs that do not compile, or have no MPI-IO, are reported."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from e2e import TESTS, Case, main, read_json, read_text, run_text, write_file

sys.path.insert(0, os.path.join(TESTS, "ldadc"))
import which  # noqa: E402

SOURCES = os.path.join(os.path.dirname(TESTS), "src")
WORKLOADS = os.path.join(SOURCES, "ldad", "workloads")


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


@unittest.skipUnless(which.THERE, which.WHY_NOT)
class Analyse(Case):
    def analyse(self, *line):
        return run_text(which.command("analyse", *line), cwd=self.tmp, timeout=60)

    def report(self, *line):
        done = self.analyse("--json", *line)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def calls(self, *line):
        return [call for f in self.report(*line)["files"] for call in f["calls"]]

    def workload(self, name):
        return self.calls(os.path.join(WORKLOADS, name + ".c"), "--", "-I" + SOURCES)

    def source(self, text, name="program.c"):
        return write_file(self.path(name), text)

    def holds(self, call, expected, **values):
        """start, [(stride, count), ...] and size are the values of the formulas."""
        names = dict(values, floordiv=floordiv, mod=mod)
        d = call["descriptor"]
        found = (eval(d["start"], names),
                 [(eval(level["stride"], names), eval(level["count"], names))
                  for level in d["levels"]], eval(d["size"], names))
        self.assertEqual(found, expected)

    # ---- Figure 2 ------------------------------------------------------------------

    def figure(self, name, unit):
        call, = self.calls(os.path.join(TESTS, "ldadc", name))
        for nprocs in (1, 4, 7):
            self.holds(call, (4096 * (nprocs - 1) * unit,
                              [(nprocs * 4096 * unit, 2)], 32768),
                       nprocs=nprocs, rank=nprocs - 1)
        return call

    def test_figure_2_in_bytes_is_overlapped(self):
        self.assertEqual(self.figure("fig2_bytes.c", 1)["class"], "overlapped")

    def test_figure_2_in_doubles_is_interleaved(self):
        self.assertEqual(self.figure("fig2_double.c", 8)["class"], "interleaved")

    def test_the_page_has_both(self):
        page = read_text(os.path.join(os.path.dirname(TESTS), "doc", "ldad.md"))
        for name in ("fig2_bytes.c", "fig2_double.c"):
            path = os.path.join(TESTS, "ldadc", name)
            done = self.analyse(path)
            found = done.stdout[:done.stdout.index("assumed:")].replace(path, name)
            shown = "".join("    %s\n" % line for line in found.splitlines()
                            if "warning" not in line)
            self.assertIn(shown, page)

    # ---- from call to call ---------------------------------------------------------

    def graph(self, path):
        done = self.analyse("--graph", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @staticmethod
    def ways(dot):
        """Returns the ways of a graph: ((line, line), it is another iteration or a
        jump)."""
        line = {name: label.split("\\n")[0].rsplit(":")[-1] for name, label in
                re.findall(r'^ *(\w+) \[.*label="([^"]*)"\];$', dot, re.M)}
        return sorted((line[a], line[b], "dashed" in style) for a, b, style in
                      re.findall(r"^ *(\w+) -> (\w+) \[(.*)\];$", dot, re.M))

    def test_graph(self):
        dot = self.graph(os.path.join(TESTS, "ldadc", "steps.c"))
        self.assertEqual(self.ways(dot), sorted(
            [("start", "15", False), ("15", "18", False), ("15", "22", False),
             ("18", "18", True), ("18", "20", False), ("18", "22", False),
             ("20", "18", True), ("20", "22", False), ("22", "23", False),
             ("23", "24", False), ("24", "25", False), ("25", "end", False)]))
        self.assertIn("loop in line 17 over i: steps times", dot)
        self.assertEqual(dot.count("subgraph cluster_0"), 1)  # opened twice, one file
        self.assertNotIn("subgraph cluster_1", dot)

    JUMPS = """
        #include <mpi.h>
        void put(MPI_File fh, MPI_File other, int n)
        {
            static char b[64];
        again:
            MPI_File_write_at(fh, 0, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_read_at(fh, 0, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            if (n-- > 0)
                goto again;
            MPI_File_write_at(other, 0, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
        }"""

    def test_graph_of_what_jumps(self):
        """Its callers are unknown, and so are the files that they pass."""
        dot = self.graph(self.source(self.JUMPS))
        ways = self.ways(dot)
        for way in (("7", "8", False), ("8", "7", True)):
            self.assertIn(way, ways)
        self.assertIn("may be the same file", dot)

    def check(self, *line):
        done = run_text(which.command("check", *line), cwd=self.tmp, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    PAIRS = """
        #include <mpi.h>
        int main(int argc, char **argv)
        {
            int r, p;
            static char b[64];
            MPI_File f;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &r);
            MPI_Comm_size(MPI_COMM_WORLD, &p);
            MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_RDWR, MPI_INFO_NULL, &f);
            MPI_File_write_at(f, 64 * r, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_write_at(f, 64 * (p - 1 - r), b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_read_at(f, 64 * r, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_write_at(f, 64 * r, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_read_at(f, 64 * r, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            if (r == 0)
                MPI_File_write_at(f, 64 * p, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            else
                MPI_File_read_at(f, 64 * p, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_close(&f);
            MPI_Finalize();
            return 0;
        }"""

    def test_pairs(self):
        """Writes of others on the way prevent agreement, and overwritten bytes are not
        read; ranks that only write and ranks that only read have no path in common."""
        said = self.check(self.source(self.PAIRS))
        self.assertEqual(
            {(int(w), int(r)): verdict for w, r, verdict in re.findall(
                r"^  line (\d+), \w+, and line (\d+), \w+: ([a-z ]+)", said, re.M)},
            {(12, 14): "not compared", (12, 16): "overwritten before",
             (12, 20): "has nothing in common", (13, 14): "differs",
             (13, 16): "not compared", (13, 20): "has nothing in common",
             (15, 16): "agrees", (15, 20): "has nothing in common",
             (18, 20): "not compared"})
        self.assertIn("by lines 13, 14 (read_at), 15 (write_at), 16\n", said)

    def test_what_is_to_be_set_can_be_pasted(self):
        """It works also if the variable has the program's own words for a name."""
        path = self.source(self.SHARES.replace(
            "int n = atoi(argv[2])", 'int n = argc > 2 ? atoi(argv[2]) : \'a\'')
            .replace("MPI_File_close", """MPI_File_read_at(fh, 64 * rank, buf, n,
                                         MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_close"""))
        for said in (self.check(path), self.analyse(path).stdout):
            wanted, = set(re.findall(
                r"to count (?:its bytes|with it): (--set .*gap=N.*)", said))
            words = shlex.split(wanted)
            self.assertEqual(words[::2], ["--set"] * (len(words) // 2), said)
            self.check(path, *[w.replace("=N", "=8") for w in words])

    def test_the_page_has_pairs(self):
        page = read_text(os.path.join(os.path.dirname(TESTS), "doc", "ldad.md"))
        said = self.check(os.path.join(TESTS, "ldadc", "steps.c"), "--np=4",
                          "--set=steps=3", "--set=n=100")
        self.assertIn("".join("    %s\n" % line for line in said.splitlines()), page)

    # ---- origins of values ---------------------------------------------------------

    ORIGINS = """#include <mpi.h>
#include <stdlib.h>
int unseen(int);
int main(int argc, char **argv)
{
    int rank, n, gap = atoi(argv[1]), steps = atoi(argv[2]);
    static char b[64];
    MPI_File f;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int m = unseen(rank);
    int q = atoi(b);
    MPI_Offset off = (MPI_Offset)m * rank;
    MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_write_at(f, 64 * n, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(f, off, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(f, rank, b, q, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(f, rank * gap, b, steps, MPI_BYTE, MPI_STATUS_IGNORE);
    while (n > 0) {
        MPI_File_write_at(f, rank, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
        n = unseen(n);
    }
    if (m > 3)
        MPI_File_write_at(f, rank, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_set_view(f, off, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_write_at(f, rank, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
"""

    def test_origins(self):
        calls = self.calls(self.source(self.ORIGINS))
        unseen = ("m", "comes from unseen(), which is not in these sources,", 12)
        self.assertEqual(
            [[(o["name"], o["origin"], o["origin_line"]) for o in call["origins"]]
             for call in calls],
            [[("n", "comes from MPI_Recv()", 11)], [unseen],
             [("q", "may differ from rank to rank, as it comes from atoi(b)", 13)],
             [("gap", "comes from atoi(argv[1])", 6),
              ("steps", "comes from atoi(argv[2])", 6)],
             [("n", "changes in the loop", 20)], [unseen], [unseen]])
        self.assertEqual([("source" in c["help"], "--assume" in c["help"])
                          for c in calls],
                         [(False, False), (True, False), (False, False), (False, True),
                          (False, False), (True, False), (True, False)])
        self.assertIn('The offset "off" is not known', calls[1]["sentence"])
        self.assertIn('The count "q" is not known', calls[2]["sentence"])
        self.assertIn('while "n > 0"', calls[4]["sentence"])

    # ---- assumptions ----------------------------------------------------------------

    SHARES = """
        #include <mpi.h>
        #include <stdlib.h>
        int main(int argc, char **argv)
        {
            int rank, nprocs;
            MPI_File fh;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
            int n = atoi(argv[2]), gap = atoi(argv[3]);
            char *buf = calloc(n, 1);
            MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                          MPI_INFO_NULL, &fh);
            MPI_File_write_at(fh, (MPI_Offset)rank * (n / nprocs), buf, n / nprocs,
                              MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_write_at(fh, (MPI_Offset)rank * gap, buf, n, MPI_BYTE,
                              MPI_STATUS_IGNORE);
            MPI_File_close(&fh);
            MPI_Finalize();
            return 0;
        }"""

    def test_assume(self):
        path = self.source(self.SHARES)
        _, second = self.calls(path)
        self.assertEqual(second["class"], "unresolved")
        self.assertIn("--assume", second["help"])
        first, second = self.calls(path, "--assume=n % nprocs == 0",
                                   "--assume=gap >= n")
        self.assertEqual(second["class"], "segmented")
        self.holds(first, (3 * 25, [], 25), nprocs=4, rank=3, n_by_nprocs=25)
        self.holds(second, (3 * 200, [], 100), nprocs=4, rank=3, n_by_nprocs=25,
                   gap=200)
        _, second = self.calls(path, "--assume=no-overlap")
        self.assertEqual(second["class"], "disjoint")

    GIVEN = """
        #include <mpi.h>
        struct file { MPI_File fh; MPI_Offset at; };
        void put(struct file *f, char *buf, int n)
        {
            MPI_File_write_at(f->fh, f->at, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_write(f->fh, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_set_view(f->fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
            MPI_File_write_at(f->fh, f->at, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
        }"""

    def test_assume_small_counts(self):
        """Effects of large counts only are left out, if no count is said to be
        large."""
        path = self.source("""#include <limits.h>
#include <mpi.h>
void put(MPI_File f, char *b, long size, long n)
{
    MPI_Datatype type = MPI_BYTE;
    long bytes = size * n;
    if (bytes > INT_MAX) {
        MPI_Type_contiguous(size, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        bytes = n;
    }
    MPI_File_write_at(f, 4, b, bytes, type, MPI_STATUS_IGNORE);
}
""")
        call, = self.calls(path, "--assume=no-view")
        self.assertIn("\"type\" depends on a condition", call["reason"])
        self.assertIn("--assume", call["help"])
        call, = self.calls(path, "--assume=no-view", "--assume=size*n <= 2147483647")
        self.holds(call, (4, [], 6), size=2, n=3)

    def test_assume_no_view(self):
        """A caller has opened the file; its pointer may still be anywhere."""
        path = self.source(self.GIVEN)
        given, pointer, viewed = self.calls(path)
        self.assertIn("--assume=no-view", given["help"])
        self.assertFalse(given["resolved"] or pointer["resolved"])
        self.assertTrue(viewed["resolved"])
        given, pointer, again = self.calls(path, "--assume=no-view")
        self.holds(given, (7, [], 5), nprocs=4, rank=3, f_at=7, n=5)
        self.assertFalse(pointer["resolved"])
        self.assertEqual(again, viewed)

    SEQUENTIAL = """
        #include <mpi.h>
        int main(int argc, char **argv)
        {
            char b[2] = "";
            MPI_File fh;
            MPI_Init(&argc, &argv);
            int mode = MPI_MODE_RDONLY%s;
            MPI_File_open(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &fh);
            MPI_File_read(fh, b, 2, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_read_at(fh, 8, b, 2, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_close(&fh);
            MPI_Finalize();
            return 0;
        }"""

    def test_sequential(self):
        """MPI allows only shared pointers there, so that nothing is read."""
        for call in self.calls(self.source(self.SEQUENTIAL % "")):
            self.assertTrue(call["resolved"])
        for call in self.calls(self.source(self.SEQUENTIAL % " | MPI_MODE_SEQUENTIAL")):
            self.assertFalse(call["resolved"])
            self.assertIn("MPI_MODE_SEQUENTIAL", call["reason"])

    def test_assumptions_are_listed_and_checked(self):
        path = self.source(self.SHARES)
        report = self.report(path, "--assume=gap > n")
        self.assertIn("gap > n (--assume)", report["assumptions"])
        for words, sentence in (("foo < 3", "no variable of that name"),
                                ("n %% 3", "is not understood"),
                                ("n < ", "is not understood")):
            done = self.analyse(path, "--assume=" + words)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_an_assumption_that_does_not_hold_is_not_counted_with(self):
        """A call that relations make overlap still counts as such."""
        path = self.source(self.SHARES)
        _, second = self.calls(path, "--assume=gap < n", "--assume=gap > 0")
        self.assertEqual(second["class"], "overlapped")

    def test_classes_of_values(self):
        call, = self.calls(os.path.join(TESTS, "ldadc", "fig2_bytes.c"))
        self.assertEqual({v["name"]: v["class"] for v in call["variables"]},
                         {"offset": "modified, resolved", "i": "modified, resolved",
                          "nprocs": "set once", "mynod": "set once"})

    def test_an_overflow_is_warned_about(self):
        call, = self.calls(os.path.join(TESTS, "ldadc", "fig2_bytes.c"))
        first = call["warnings"][0]
        # i is at most 1: nprocs * 4096 is 2^31 there.
        self.assertEqual(first["from_nprocs"], 2 ** 31 // 4096)

    # ---- the workloads -------------------------------------------------------------

    def test_perf(self):
        write = {call["class"]: call for call in self.workload("perf")
                 if call["op"] == "write"}
        read = {call["class"]: call for call in self.workload("perf")
                if call["op"] == "read"}
        size, count, ranks, rank = 1 << 20, 3, 5, 2
        names = dict(nprocs=ranks, rank=rank, p_chunk=size, p_count=count)
        for calls in (write, read):
            self.holds(calls["interleaved"],
                       (rank * size, [(ranks * size, count)], size), **names)
            self.holds(calls["segmented"],
                       (rank * count * size, [(size, count)], size), **names)

    def test_mandelbrot(self):
        cyclic, = [call for call in self.workload("mandelbrot")
                   if call["class"] == "interleaved"]
        height, width, ranks, rank = 12, 100, 4, 3
        self.holds(cyclic, (rank * width, [(ranks * width, height // ranks)], width),
                   nprocs=ranks, rank=rank, p_rows=1, p_height=height, p_width=width)
        self.assertEqual(sorted(call["class"] for call in self.workload("mandelbrot")),
                         ["interleaved", "segmented", "segmented"])

    def test_jacobi(self):
        calls = self.workload("jacobi")
        writes = [call for call in calls if call["op"] == "write"]
        self.assertEqual([call["class"] for call in writes],
                         ["segmented", "interleaved"] * 4)
        rows, columns, strip, ranks, rank = 64, 10, 4, 4, 1
        names = dict(nprocs=ranks, rank=rank, p_rows=rows, p_columns=columns,
                     p_strip=strip)
        chunk = strip * columns * 8
        self.holds(writes[0], (rank * 16 * columns * 8, [(chunk, 4)], chunk), **names)
        self.holds(writes[1], (rank * chunk, [(ranks * chunk, 4)], chunk), **names)
        # The end of the file cuts the first row of a halo off: there is no such
        # descriptor.
        halos = [call for call in calls if call["function"] == "relax_rows" and
                 call["op"] == "read"]
        self.assertEqual([call["resolved"] for call in halos], [False] * 6)

    def test_fft(self):
        self.assertEqual([call["class"] for call in self.workload("fft")
                          if call["op"] == "write"], ["segmented"] * 2)
        # A rank's columns: of the rows from its own on, and of the rows before.
        after, before = [call for call in self.workload("fft")
                         if call["function"] == "fft_columns"]
        n1, n2, ranks, rank = 16, 32, 4, 3
        names = dict(nprocs=ranks, rank=rank, rows=n1, columns=n2, p_element=8,
                     p_panels=1)
        width, own = n2 // ranks * 8, rank * n1 // ranks
        self.assertEqual((after["class"], before["class"]), ("disjoint", "disjoint"))
        # All columns of a rank fit at once: one round of the outer loop.
        for call, row, rows in (after, own, n1 - own), (before, 0, own):
            stride = call["descriptor"]["levels"][-1]["stride"]
            self.assertEqual(eval(stride, dict(names, floordiv=floordiv)), n2 * 8)
            self.holds(call, (row * n2 * 8 + rank * width,
                              [(width, 1), (n2 * 8, rows)], width), **names)

    # ---- the decision to partition -------------------------------------------------

    def decision(self, read_at, between="", after=""):
        source = """#include <mpi.h>
int main(int argc, char **argv)
{
    static char b[64];
    int nprocs, rank;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, 64 * rank, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    %s
    for (int i = 0; i < 3; i++)
        MPI_File_read_at(fh, %s, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    %s
    MPI_Finalize();
    return 0;
}
""" % (between, read_at, after)
        source = "#include <stdio.h>\n#include <unistd.h>\n" + source
        found = self.report(self.source(source))["files"][0]
        self.assertEqual(found["category"], "a")
        return found["decision"]

    def test_what_is_read_by_its_writer_is_partitioned(self):
        decision = self.decision("64 * rank")
        self.assertEqual(decision["answer"], "partition")
        self.assertEqual(decision["own_bytes_share"], 1)

    def test_what_changes_in_between_is_not(self):
        """It changes by its name, or by its handle; before and after it may change."""
        for step in ('truncate("f", 0);', 'unlink("f");', 'rename("g", "f");',
                     'remove("f");', 'fopen("f", "w");', "MPI_File_set_size(fh, 0);",
                     'MPI_File_delete("ufs:f", MPI_INFO_NULL);'):
            decision = self.decision("64 * rank", step)
            self.assertEqual(decision["answer"], "keep shared", step)
            self.assertIn(step.split("(")[0] + "() in line", decision["because"])
        for step in ('unlink("g");', 'access("f", R_OK);', 'fopen("f", "r");'):
            self.assertEqual(self.decision("64 * rank", step)["answer"], "partition")
        self.assertEqual(self.decision("64 * rank", after='unlink("f");')["answer"],
                         "partition")

    def test_a_kind_of_file_system_is_no_part_of_a_name(self):
        again = 'MPI_File_close(&fh); MPI_File_open(MPI_COMM_WORLD, "ufs:f", ' \
            'MPI_MODE_RDWR, MPI_INFO_NULL, &fh);'
        self.assertIn("100.0 %", self.decision("64 * rank", again)["because"])

    def test_what_others_read_is_not(self):
        self.assertEqual(self.decision("64 * (nprocs - 1 - rank)")["answer"],
                         "do not transform")
        self.assertEqual(self.decision("b[0]")["answer"], "keep shared")

    def test_what_was_there_before_is_kept(self):
        source = """#include <mpi.h>
int main(int argc, char **argv)
{
    static char b[64];
    int rank;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    MPI_File_read_at(fh, 64 * rank, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 64 * rank, b, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""
        found, = self.report(self.source(source))["files"]
        self.assertEqual(found["category"], "c")
        self.assertEqual(found["decision"]["answer"], "keep shared")
        self.assertEqual(found["edges"], [])

    # Rows are written, n for each rank, and columns read.
    COLUMNS = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static double b[1000000];
    int nprocs, rank, n = atoi(argv[2]);
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Offset row = n * nprocs * 8;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        MPI_File_write_at(fh, (rank * n + i) * row, b, n * nprocs, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    for (int i = 0; i < n * nprocs; i++)
        MPI_File_read_at(fh, i * row + rank * n * 8, b, n, MPI_DOUBLE,
                         MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""

    def test_bytes_are_counted(self):
        source = self.source(self.COLUMNS)
        found, = self.report("--set=n=10", "--np=4,24", source)["files"]
        self.assertEqual(found["decision"]["answer"], "do not transform")
        self.assertEqual(
            [(s["nprocs"], round(s["own_bytes_share"] * s["nprocs"], 9))
             for s in found["decision"]["shares"]], [(4, 1), (24, 1)])
        edge, = found["edges"]
        self.assertEqual([(w["nprocs"], w["bytes"], w["own_bytes"])
                          for w in edge["weights"]],
                         [(p, (10 * p) ** 2 * 8, 10 * p * 10 * 8) for p in (4, 24)])

    def test_what_has_no_number_is_compared(self):
        found, = self.report(self.source(self.COLUMNS))["files"]
        self.assertEqual(found["edges"][0]["weights"], [])
        self.assertEqual(found["edges"][0]["missing"], ["n"])
        self.assertIsNone(found["decision"]["own_bytes_share"])
        self.assertIn("--set n=N", found["decision"]["because"])

    def test_many_pieces_are_sampled(self):
        source = self.source(self.COLUMNS)
        found, = self.report("--set=n=200", "--np=256", source)["files"]
        weight, = found["edges"][0]["weights"]
        self.assertIn(weight["sampled_ranks"], range(1, 256))
        self.assertAlmostEqual(weight["own_bytes"] / weight["bytes"], 1 / 256)

    def test_a_reader_that_is_not_seen(self):
        report = self.report(os.path.join(WORKLOADS, "perf.c"), "--", "-I" + SOURCES)
        written = [f["decision"] for f in report["files"] if f["decision"]]
        self.assertEqual([d["answer"] for d in written], ["partition"])
        self.assertIn("who reads it is not seen", written[0]["because"])

    def test_the_graph_is_drawn(self):
        path = self.path("io.dot")
        done = self.analyse("--dot=" + path, "--set=n=10", self.source(self.COLUMNS))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = read_text(path)
        self.assertTrue(text.startswith("digraph io {") and text.endswith("}\n"))
        self.assertIn("f0_0 -> f0_1", text)
        self.assertIn("(a) written first, then read", text)
        self.assertIn("24 processes: 460.8 kB, 4.2 % own", text)
        if shutil.which("dot"):
            drawn = subprocess.run(["dot", "-Tsvg", path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
            self.assertEqual((drawn.returncode, drawn.stderr), (0, b""))

    # ---- names of one file ---------------------------------------------------------

    PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern const char *somewhere(void);
enum { SIZE = 64 };
static char b[SIZE];
static void touch(const char *path, int mode, int write, int at)
{
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &fh);
    if (write)
        MPI_File_write_at(fh, SIZE * at, b, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    else
        MPI_File_read_at(fh, SIZE * at, b, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}
#define WRITE(path, at) touch(path, MPI_MODE_CREATE | MPI_MODE_WRONLY, 1, at)
#define READ(path, at) touch(path, MPI_MODE_RDONLY, 0, at)
int main(int argc, char **argv)
{
    int rank, nprocs, n, i;
    char *told, name[100], other[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    n = atoi(argv[1]);
    %s
    MPI_Finalize();
    return 0;
}
"""
    # Only rank 0 knows it; each rank has it in a buffer of its own.
    TOLD = """
    if (rank == 0) {
        while (i < argc && strcmp("-f", *argv)) {
            i++;
            argv++;
        }
        argv++;
        n = strlen(*argv);
        told = malloc(n + 1);
        strcpy(told, *argv);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(told, n + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        told = malloc(n + 1);
        MPI_Bcast(told, n + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    """

    def files(self, body):
        """Returns [(name, calls, category, decision)]; "nothing is read back" of a file
        only if it cannot be another one."""
        return [(f["name"], [call["op"] for call in f["calls"]], f["category"],
                 f["decision"]) for f in
                self.report(self.source(self.PROGRAM % body))["files"]]

    def test_one_name_is_one_file(self):
        for body in ("WRITE(argv[2], rank); READ(argv[2], rank);",
                     "sprintf(name, \"%s.%d\", argv[2], n); WRITE(name, rank);"
                     "snprintf(other, 100, \"%s.%d\", argv[2], n); READ(other, rank);",
                     "strcpy(name, \"f\"); WRITE(name, rank); READ(\"f\", rank);",
                     "told = strdup(argv[2]); WRITE(told, rank); READ(argv[2], rank);",
                     "told = getenv(\"F\"); WRITE(told, rank); READ(told, rank);",
                     self.TOLD + "WRITE(told, rank); READ(told, rank);"):
            (_, ops, category, decision), = self.files(body)
            self.assertEqual((ops, category), (["write", "read"], "a"), body)
            self.assertEqual((decision["answer"], decision["own_bytes_share"]),
                             ("partition", 1), body)

    def test_in_turns(self):
        (_, ops, category, decision), = self.files(
            self.TOLD + "for (i = 0; i < 5; i++) {"
            "WRITE(told, rank); READ(told, rank); }")
        self.assertEqual((ops, category), (["write", "read"], "b"))
        self.assertEqual((decision["answer"], decision["own_bytes_share"]),
                         ("partition", 1))

    def test_a_name_that_has_changed(self):
        """None is certainly the same file; each may be."""
        for body in ("strcpy(name, argv[2]); WRITE(name, rank); name[0]++;"
                     "READ(name, nprocs - 1 - rank);",
                     "strcpy(name, argv[2]); WRITE(name, rank); scanf(\"%99s\", name);"
                     "READ(name, nprocs - 1 - rank);",
                     self.TOLD + "WRITE(told, rank); told[n - 1] = 'x';"
                     "READ(told, nprocs - 1 - rank);",
                     "i = 2; WRITE(argv[i + rank % 2], rank);"
                     "READ(argv[i + rank % 3], nprocs - 1 - rank);",
                     "WRITE(somewhere(), rank);"
                     "READ(somewhere(), nprocs - 1 - rank);"):
            files = self.files(body)
            self.assertEqual([ops for _, ops, _, _ in files], [["write"], ["read"]],
                             body)
            self.assertEqual(files[0][3]["answer"], "do not transform", body)
            self.assertIn("may be the same file", files[0][3]["because"])

    def test_each_iteration_has_a_name(self):
        """Within an iteration it is the same; the next one's is another."""
        files = self.files("for (i = 0; i < n; i++) { sprintf(name, \"f%d\", i);"
                           "WRITE(name, rank); READ(name, rank); }")
        for name, ops, _, decision in files:
            if decision:
                self.assertNotIn("nothing is read back", decision["because"])

    def test_a_file_that_may_be_read(self):
        (_, _, _, decision), _ = self.files(
            "WRITE(\"f\", rank); READ(somewhere(), rank);")
        self.assertEqual(decision["answer"], "partition")
        self.assertIn("if what is read in line", decision["because"])
        self.assertNotIn("nothing is read back", decision["because"])
        (_, _, _, decision), _ = self.files(
            "WRITE(argv[2], rank); READ(argv[3], rank);")
        self.assertIn("nothing is read back, unless line", decision["because"])
        for others in ("\"f\"", "\"g\""), ("argv[2]", "name"), ("name", "argv[2]"):
            (_, _, _, decision), _ = self.files(
                "sprintf(name, \"%%s.b\", argv[2]); WRITE(%s, rank);"
                "READ(%s, nprocs - 1 - rank);" % others)
            self.assertEqual(decision["because"],
                             "ranks share no byte, and nothing is read back")
        (_, _, _, decision), _ = self.files(
            "sprintf(name, \"%s.%d\", argv[2], n); WRITE(name, rank);"
            "sprintf(other, \"%s.%d\", argv[2], n + 1);"
            "READ(other, nprocs - 1 - rank);")
        self.assertEqual(decision["answer"], "do not transform")
        (_, _, _, decision), _ = self.files(
            "WRITE(\"d/f\", rank); READ(\"f\", nprocs - 1 - rank);")
        self.assertEqual(decision["answer"], "do not transform")

    # ---- refusals ------------------------------------------------------------------

    def test_what_does_not_compile(self):
        path = self.source("int main(void) { return nothing; }\n")
        done = self.analyse(path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("undeclared identifier 'nothing'", done.stderr)

    def refused(self, said, *line):
        done = self.analyse(*line)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(said, done.stderr)

    def test_other_languages(self):
        """Unsupported parts of C++ are named; and supported ones are not rewritten."""
        program = """#include <mpi.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_File fh;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int at = rank;
    %s
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, at * 4, &rank, 1, MPI_INT, &status);
    MPI_File_close(&fh);
    MPI_Finalize();
}
"""
        self.source(program % "bool more = rank < 1; at += more;", "plain.cpp")
        call, = self.calls("plain.cpp")
        self.holds(call, (4, [], 4), rank=0)
        self.holds(call, (4, [], 4), rank=1)
        for name, line in (("\"T\", which is within", "struct T { void f() {} } t;"),
                           ("a CXXThrowExpr", "if (at > 9) throw 1;"),
                           ("the reference \"r\"", "static int &r = at; r = 7;"),
                           ("a list of variables", "int t[1] = {3}; auto &[a] = t;"
                            " a = at;"),
                           ("a lambda, which is called neither by a name nor",
                            "int (*f)(int) = [](int n) { return n; }; at = f(7);"),
                           ("a lambda, which is generic or mutable",
                            "auto f = [&](auto x) { at = x; }; f(7);"),
                           ("a lambda, which is generic or mutable",
                            "auto f = [at]() mutable { return ++at; }; at = f();"),
                           ("a lambda, which captures a copy of an object",
                            "struct P { int x; } p = {7};"
                            " auto f = [p] { return p.x; }; at = f();"),
                           ("a lambda, which captures",
                            "auto f = [&] { at = 7; }; auto g = [&] { f(); }; g();"),
                           ("the lambda \"f\", which is passed on",
                            "auto f = [&] { at = 7; }; auto g = f; g();")):
            self.source(program % line, "beyond.cpp")
            self.refused(name, "beyond.cpp", "--", "-std=c++17")
        self.source(program % "int &r = at; r = 7;", "plain.cpp")
        call, = self.calls("plain.cpp")
        self.holds(call, (28, [], 4), rank=1)
        done = run_text(which.command("rewrite", "plain.cpp"), cwd=self.tmp, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("the reference \"r\"", done.stderr)
        self.source("      end\n", "old.f90")
        self.refused("old.f90 is Fortran", "old.f90")

    def test_destructors(self):
        """Objects that end elsewhere than where their block is left are named."""
        program = """#include <mpi.h>
#include %s
static int ended = 0;
struct T { int n; explicit T(int n) : n(n) {} ~T() { ended += n; } };
int main(int argc, char **argv)
{
    int at = 0;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    %s
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, ended, &at, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
}
"""
        self.source(program % ("<cstddef>", "{ auto t = T(3); }"), "plain.cpp")
        call, = self.calls("plain.cpp", "--", "-std=c++17")
        self.holds(call, (3, [], 4), rank=1)
        ends = "the object \"t\" with a destructor, which "
        for name, line in ((ends + "ends after main()", "static T t(1);"),
                           (ends + "is in a table", "T t[1] = {T(1)};"),
                           (ends + "is declared outside", "if (argc > 9) T t(1);"),
                           (ends + "is in a table or container", "std::vector<T> t;"),
                           ("a temporary object with a destructor", "T(1);"),
                           ("\"main\", which has a goto and an object with",
                            "again: if (at > 9) goto again; T t(1);"),
                           ("an expression with an object with a destructor",
                            "at += ({ T t(1); t.n; });"),
                           ("a CXXNewExpr", "T *t = new T(1); at = t->n;"),
                           ("a CXXMemberCallExpr", "T t(1); t.~T();")):
            library = "<vector>" if "vector" in line else "<cstddef>"
            self.source(program % (library, line), "beyond.cpp")
            self.refused(name, "beyond.cpp")

    def test_compile_commands(self):
        """The last command for a source counts; the nearest one's for others."""
        text = "#include <mpi.h>\n#include \"size.h\"\n%s" \
            "void put(MPI_File fh, int rank);\n"
        self.source(text % "int unused;\n", "no_files.c")
        self.source(text % "" + "void put(MPI_File fh, int rank) { char b[SIZE];"
                    " MPI_File_write_at(fh, rank * SIZE, b, SIZE, MPI_BYTE,"
                    " MPI_STATUS_IGNORE); }\n", "put.c")
        self.source(text % "" + "int main(int argc, char **argv) { MPI_File fh; int r;"
                    " MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r);"
                    " MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY,"
                    " MPI_INFO_NULL, &fh); put(fh, r); MPI_File_close(&fh); }\n",
                    "main.c")
        os.mkdir(self.path("include"))
        self.source("", os.path.join("include", "size.h"))
        entries = [{"directory": self.tmp, "file": "put.c",
                    "arguments": ["mpicc", "-Iinclude", "-DSIZE=%d" % size, "-c",
                                  "put.c", "-o", "put.o", "-MD", "-MF", "put.d"]}
                   for size in (7, 16)]
        entries.append({"directory": self.tmp, "file": self.path("main.c"),
                        "command": "mpicc -I include -c main.c"})
        self.source(json.dumps(entries), "compile_commands.json")
        for line in (("-p", "."), ("-p", ".", "main.c", "put.c")):
            call, = self.calls(*line)
            self.assertEqual(call["class"], "segmented")
            self.holds(call, (32, [], 16), rank=2)
        self.refused("none.d/compile_commands.json cannot be used", "-p", "none.d")
        self.source("[{", "compile_commands.json")
        self.refused("compile_commands.json cannot be used", "-p", ".")
        self.refused("FILE is missing")
        self.source("int main(void) { return 0; }\n", "one.c")
        self.source("int main(void) { return 1; }\n", "two.c")
        self.refused("these are two programs: main() is in", "one.c", "two.c")

    def test_no_mpi_io(self):
        done = self.analyse(self.source("int main(void) { return 0; }\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no MPI-IO", done.stdout)
        self.assertEqual(self.report(self.path("program.c"))["files"], [])

    def test_usage(self):
        self.assertEqual(self.analyse().returncode, 2)
        self.assertEqual(self.analyse("--mpicc=false", self.source("")).returncode, 2)
        self.assertEqual(self.analyse("--unknown", "x.c").returncode, 2)
        source = self.source(self.COLUMNS)
        for option in ("--np=0", "--np=two", "--set=n", "--set=n=-1", "--set=m=1"):
            done = self.analyse(option, source)
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(option, done.stderr)

    def test_json_beside_text(self):
        path = self.path("out.json")
        done = self.analyse("--json=" + path, os.path.join(TESTS, "ldadc",
                                                           "fig2_double.c"))
        self.assertIn("interleaved", done.stdout)
        self.assertEqual(read_json(path)["schema"], "ldadc-1")


if __name__ == "__main__":
    main()
