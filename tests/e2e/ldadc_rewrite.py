#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""ldadc check, plan, rewrite and build: a run does what its source says; rewritten
programs write the same bytes as before, partitioned; unproven files stay as they
are."""
import json
import os
import re
import sys
import unittest

from e2e import BUILD, TESTS, Case, add, main, read_bytes, run_text, write_file

sys.path.insert(0, os.path.join(TESTS, "ldadc"))
import which  # noqa: E402

IOTRACE = os.path.join(BUILD, "iotrace")
TOP = os.path.dirname(TESTS)
SOURCES = os.path.join(TOP, "src")
INCLUDE = os.path.join(TOP, "include")
MPICC = os.environ["MPI_CC"].split()
PLAIN_MPICC = MPICC[-1]  # without a prefix such as ccache
WORKLOADS = ("perf", "mandelbrot", "jacobi", "fft")
FILES = {"jacobi": 2, "fft": 4}
FIGURE = os.path.join(TESTS, "ldadc", "fig2_%s.c")

# Each rank's rows in turn, with a size that is known at run time; and a header.
ROWS = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int put(MPI_File fh, MPI_Offset at, const char *buf, int n)
{
    return MPI_File_write_at(fh, at, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    static char buf[1 << 16], head[16] = "head";
    MPI_File fh = MPI_FILE_NULL;
    MPI_File other;
    int ranks, rank, n = 0, rows = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 5)
        return 1;
    n = atoi(argv[3]);
    rows = atoi(argv[4]);
    memset(buf, 'a' + rank, sizeof buf);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &other);
    if (rank == 0) /* does not fit the plan */
        put(fh, 0, head, 16);
    for (int i = 0; i < rows; i++)
        put(fh, 16 + ((MPI_Offset)i * ranks + rank) * n, buf, n);
    /* all ranks the same: stays as it is */
    MPI_File_write_at_all(other, 0, buf, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    if (fh != MPI_FILE_NULL)
        MPI_File_close(&fh);
    MPI_File_close(&other);
    MPI_Finalize();
    return 0;
}
"""

# Only its user knows that ranks do not share bytes.
GAPS = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static char buf[1 << 16];
    MPI_File fh;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int n = atoi(argv[2]), gap = atoi(argv[3]);
    buf[0] = 'a' + rank;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)rank * gap, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""

# The offset comes from a table: it is not known before.
TABLE = r"""
#include <mpi.h>
static long table[64];
int main(int argc, char **argv)
{
    static char buf[500];
    MPI_File fh;
    int ranks, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 64; i++)
        table[i] = (i / 8 * ranks * 8L + i % 8 + rank * 8L) * 500;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 64; i++)
        MPI_File_write_at(fh, table[i], buf, 500, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""


# Ranks take turns, by a view.
VIEWED = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    static int b[4];
    int rank, ranks;
    MPI_File fh;
    MPI_Datatype turns;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, 16 * rank, b, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_vector(4, 1, ranks, MPI_INT, &turns);
    MPI_Type_commit(&turns);
    MPI_File_set_view(fh, 4 * rank, MPI_INT, turns, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""

# Two files; each is written twice and read, and opened each time. (The first one's name
# is told, the other one's comes from a place where ldadc does not look.)
NAMED = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
enum { SIZE = 100 };
void keep(const char *path);
const char *kept(void);
static MPI_File opened(const char *path)
{
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &fh);
    return fh;
}
static void put(const char *path, MPI_Offset at)
{
    static char b[SIZE];
    MPI_File fh = opened(path);
    MPI_File_write_at(fh, at, b, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}
static void get(const char *path, MPI_Offset at)
{
    static char b[SIZE];
    MPI_File fh = opened(path);
    MPI_File_read_at(fh, at, b, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}
int main(int argc, char **argv)
{
    int rank, n, i;
    char *told;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        n = strlen(argv[1]) + 1;
        told = malloc(n);
        strcpy(told, argv[1]);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(told, n, MPI_CHAR, 0, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        told = malloc(n);
        MPI_Bcast(told, n, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    for (i = 0; i < 3; i++) {
        put(told, rank * SIZE);
        put(told, (rank + 2) * SIZE);
        get(told, rank * SIZE);
    }
    free(told);
    keep(argv[2]);
    put(kept(), rank * SIZE);
    put(kept(), (rank + 2) * SIZE);
    get(kept(), rank * SIZE);
    MPI_Finalize();
    return 0;
}
"""
OUTSIDE = """
void keep(const char *path);
const char *kept(void);
static const char *one;
void keep(const char *path) { one = path; }
const char *kept(void) { return one; }
"""

# Each rank has a block; and something happens before, within or afterwards.
BLOCKS = r"""
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define CHECK(call) do { if ((call) != MPI_SUCCESS) puts(#call); } while (0)
#define SYNC(file) MPI_File_sync(file)
enum { SIZE = 4096 };
int main(int argc, char **argv)
{
    static char b[SIZE];
    MPI_File fh;
    MPI_File again = MPI_FILE_NULL;
    MPI_Status status;
    MPI_Offset end;
    FILE *f;
    struct stat about;
    char name[200];
    int rank, n = SIZE, fd;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%%s", argv[1]);
    memset(b, 'a' + rank, SIZE);
    (void)end, (void)f, (void)about, (void)n, (void)fd;
    if (again != MPI_FILE_NULL)
        return 1;

    /* */%s
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)rank * SIZE, b, SIZE, MPI_BYTE, &status);
    MPI_File_read_at(fh, (MPI_Offset)rank * SIZE, b, SIZE, MPI_BYTE, &status);
    /* */%s
    MPI_File_close(&fh);
    MPI_Barrier(MPI_COMM_WORLD);
    /* */%s
    MPI_Finalize();
    return 0;
}
"""
BEFORE, WITHIN, AFTER = 31, 36, 39
OPEN = "MPI_File_open(MPI_COMM_WORLD, name, %s, MPI_INFO_NULL, &again);"
# Place of the statement, the statement, and why the file stays.
REFUSED = {
    "unlink": (AFTER, "if (rank == 0) unlink(name);", "unlink() may be given its name"),
    "fopen": (AFTER, 'f = fopen(argv[1], "r");', "fopen() may be given its name"),
    "open": (AFTER, "fd = open(name, O_RDONLY);", "open() may be given its name"),
    "stat": (AFTER, "stat(name, &about);", "stat() may be given its name"),
    "access": (BEFORE, "if (access(name, F_OK)) n = 0;",
               "access() may be given its name"),
    "rename": (AFTER, 'rename(name, "g");', "rename() may be given its name"),
    "remove": (BEFORE, "remove(getenv(\"F\"));", "remove() may be given its name"),
    "system": (AFTER, 'if (system("wc -c f")) return 1;', "system() may use the file"),
    "handler": (WITHIN, "MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);",
                "libldad has no MPI_File_set_errhandler"),
    "macro": (WITHIN, "SYNC(fh);", "MPI_File_sync is called by the macro SYNC"),
    "truncated": (BEFORE, OPEN % "MPI_MODE_WRONLY" + "MPI_File_set_size(again, 0);"
                  "MPI_File_close(&again);", "is only opened and closed"),
    "written": (AFTER, OPEN % "MPI_MODE_WRONLY" +
                "MPI_File_write_at(again, 0, b, 1, MPI_BYTE, &status);"
                "MPI_File_close(&again);", "ranks write the same bytes"),
}
ALLOWED = {
    "delete": (BEFORE, "if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);"
               " MPI_Barrier(MPI_COMM_WORLD);"),
    "get_size": (WITHIN, "MPI_Barrier(MPI_COMM_WORLD); MPI_File_get_size(fh, &end);"
                 "printf(\"%d\\n\", end >= SIZE);"),
    "checked": (WITHIN, "CHECK(MPI_File_sync(fh));"),
    "append": (AFTER, OPEN % "MPI_MODE_WRONLY | MPI_MODE_APPEND" +
               "MPI_File_write_at(again, rank * SIZE, b, SIZE, MPI_BYTE, &status);"
               "MPI_File_close(&again);"),
    "nonblocking": (WITHIN, "MPI_Request wait; MPI_File_iread_at(fh, rank * SIZE, b,"
                    " SIZE, MPI_BYTE, &wait); MPI_Wait(&wait, &status);"),
    "another_file": (BEFORE, 'f = fopen("log", "w"); if (f) fclose(f);'),
    "another_argument": (BEFORE, "if (argc > 2) unlink(argv[2]);"),
    "read_again": (AFTER, OPEN % "MPI_MODE_RDONLY" +
                   "MPI_File_read_at(again, rank * SIZE, b, SIZE, MPI_BYTE, &status);"
                   "MPI_File_close(&again);"),
    # The size is no whole number of these pieces.
    "to_the_end": (AFTER, OPEN % "MPI_MODE_RDONLY" + "while (n > 0) {"
                   "MPI_File_read(again, b, 1000, MPI_BYTE, &status);"
                   "MPI_Get_count(&status, MPI_BYTE, &n); printf(\"%d\\n\", n); }"
                   "MPI_File_close(&again);"),
}


def blocks(at, statement):
    return BLOCKS % tuple(statement if at == line else ""
                          for line in (BEFORE, WITHIN, AFTER))


@unittest.skipUnless(which.THERE, which.WHY_NOT)
class Programs(Case):
    def command(self, *line, status=0):
        done = run_text(line, cwd=self.tmp, timeout=120)
        self.assertEqual(done.returncode, status, (line, done.stdout, done.stderr))
        return done

    def ldadc(self, *line, status=0):
        return self.command(*which.command(*line), status=status)

    def source(self, text, name="program.c"):
        write_file(self.path(name), text)
        return self.path(name)

    def compiled(self, name, *sources, ldad=False):
        link = ["-L" + BUILD, "-lldad", "-Wl,-rpath," + BUILD] if ldad else []
        self.command(*MPICC, "-Wall", "-Werror", "-I" + SOURCES, "-I" + INCLUDE, "-o",
                     self.path(name), *sources, *link)
        return self.path(name)

    def ran(self, program, *words, np):
        done = self.run_program(program, *words, np=np, dir=False, json=False)
        self.assertEqual((done.status, done.err), (0, ""), done)

    def traced(self, program, *words, np):
        done = self.run_program(
            program, *words, np=np, dir=False, json=False,
            env={"PRELOAD": os.path.join(BUILD, "libiotrace.so"),
                 "IOTRACE_BINARY": "true"})
        self.assertEqual(done.status, 0, done)
        return done.folder

    def content(self, path):
        return read_bytes(path)

    def logical(self, path):
        """Returns the bytes of a partitioned file, and the number that did not fit its
        plan."""
        self.assertTrue(os.path.isdir(path), path)
        self.command(os.path.join(BUILD, "ldad"), "flatten", path, path + ".flat")
        done = self.command(os.path.join(BUILD, "ldad"), "info", "--json", path)
        info = json.loads(done.stdout)
        self.assertIsNotNone(info["plan"])
        return self.content(path + ".flat"), info["misfits"]["bytes"]


class Rewrite(Programs):
    def test_figure_2(self):
        before = FIGURE % "double"
        said = self.ldadc("rewrite", before, "-o", "after.c").stdout
        self.assertIn("fh: partitioned: interleaved", said)
        plain = self.compiled("plain", before)
        new = self.compiled("new", self.path("after.c"), ldad=True)
        for np in (1, 2, 4):
            names = [self.path("%s.%d" % (which, np)) for which in ("a", "b")]
            self.ran(plain, names[0], np=np)
            self.ran(new, names[1], np=np)
            self.assertEqual(self.logical(names[1]), (self.content(names[0]), 0))

    def test_difference(self):
        """Without -o, nothing is written; the output is valid input for patch(1)."""
        before = self.source(blocks(WITHIN, "CHECK(MPI_File_sync(fh));"))
        said = self.ldadc("rewrite", before).stdout
        self.ldadc("rewrite", before, "-o", "after.c")
        self.assertEqual(sorted(os.listdir(self.tmp)), ["after.c", "program.c"])
        hunks = re.split(r"^@@ .*\n", said[said.index("--- "):], flags=re.M)[1:]
        self.assertGreater(len(hunks), 1)
        for mark, name in (("-", "program.c"), ("+", "after.c")):
            whole = self.content(self.path(name)).decode()
            for hunk in hunks:
                lines = [line[1:] for line in hunk.splitlines(True)
                         if line[0] in (" ", mark)]
                self.assertIn("".join(lines), whole)
        self.assertIn("\n+    /* */CHECK(ldad_file_sync(fh));\n", said)

    def test_difference_is_the_least(self):
        """A line that stays is not shown as deleted and inserted."""
        lines = self.ldadc("rewrite", self.source(ROWS)).stdout.splitlines()
        lines = lines[[line[:4] for line in lines].index("+++ ") + 1:]
        gone, new = ([line[1:] for line in lines if line[0] == mark] for mark in "-+")
        self.assertEqual([line for line in gone if not re.search(r"MPI_F|&fh\)", line)],
                         [])
        self.assertEqual(set(gone) & set(new), set())
        self.assertEqual(len(gone), 7)

    def test_assumed(self):
        """It is rewritten by its user's knowledge, which is reported."""
        program = self.source(GAPS)
        self.ldadc("rewrite", program, status=1)
        done = self.ldadc("rewrite", program, "--assume=gap >= n", "-o", "after.c")
        self.assertIn("fh: partitioned", done.stdout)
        self.assertIn("assumed: gap >= n\n", done.stdout)
        new = self.compiled("new", self.path("after.c"), ldad=True)
        plain = self.compiled("plain", program)
        for exe, name in ((plain, "a"), (new, "b")):
            self.ran(exe, self.path(name), "100", "250", np=3)
        self.assertEqual(self.logical(self.path("b")),
                         (self.content(self.path("a")), 0))

    def test_assumed_of_nothing(self):
        """All commands refuse assumptions about variables that do not exist."""
        program = self.source(GAPS)
        for command in (["analyse"], ["check", "--trace", "none"], ["plan"],
                        ["rewrite", "-o", "after.c"]):
            done = self.ldadc(*command, program, "--assume=no_such < 3", status=2)
            self.assertEqual((done.stdout, done.stderr.splitlines()[0]), (
                "", "ldadc %s: --assume=no_such < 3: the program has no variable of "
                "that name" % command[0]))
        self.assertFalse(os.path.exists(self.path("after.c")))

    def test_overlapping_stays(self):
        done = self.ldadc("rewrite", FIGURE % "bytes", "-o", "after.c", status=1)
        self.assertIn("stays as it is: ranks write the same bytes", done.stdout)
        self.assertIn("nothing is written", done.stderr)
        self.assertFalse(os.path.exists(self.path("after.c")))

    def workload(self, name, which, np):
        original = os.path.join(SOURCES, "ldad", "workloads", name + ".c")
        self.ldadc("rewrite", "--all", original, "-o", name + ".c", "--",
                   "-I" + SOURCES)
        others = [os.path.join(SOURCES, "ldad", "workloads", w + ".c")
                  for w in WORKLOADS if w != name]
        plain = os.path.join(BUILD, "tests", "ldad", "plain")
        new = self.compiled("new", os.path.join(TESTS, "ldad", "plain.c"),
                            self.path(name + ".c"), *others, ldad=True)
        self.ran(plain, which, self.path("a"), np=np)
        self.ran(new, which, self.path("b"), np=np)
        for i in range(FILES.get(name, 1)):
            self.assertEqual(self.logical(self.path("b.%d" % i)),
                             (self.content(self.path("a.%d" % i)), 0))

    def test_other_files_and_headers(self):
        """One file is partitioned, except for its header; another one is not."""
        before = self.source(ROWS)
        self.ldadc("rewrite", before, "-o", "after.c")
        new = self.compiled("new", self.path("after.c"), ldad=True)
        plain = self.compiled("plain", before)
        for n, rows in ((100, 7), (1, 1), (0, 3), (10, 0)):
            names = [self.path("%s.%d.%d" % (w, n, rows)) for w in "abcd"]
            self.ran(plain, names[0], names[1], str(n), str(rows), np=3)
            self.ran(new, names[2], names[3], str(n), str(rows), np=3)
            self.command(os.path.join(BUILD, "ldad"), "flatten", names[2],
                         names[2] + ".flat")
            self.assertEqual(self.content(names[2] + ".flat"), self.content(names[0]))
            os.unlink(names[2] + ".flat")
            self.assertTrue(os.path.isfile(names[3]))
        self.assertEqual(self.logical(self.path("c.100.7")),
                         (self.content(self.path("a.100.7")), 16))

    def test_nothing_else_changes(self):
        before = self.source(ROWS)
        self.ldadc("rewrite", before, "-o", "after.c")
        new = self.content(self.path("after.c")).decode()
        for old in (" /* does not fit the plan */", "static int put(ldad_file fh, ",
                    "    /* all ranks the same: stays as it is */\n",
                    "MPI_File_write_at_all(other, 0,", "fh != (ldad_file)0"):
            self.assertIn(old, new)
        self.assertEqual(new.count("MPI_File_open"), 1)

    def test_shared_declaration(self):
        """Two variables of one declaration change together or not at all."""
        text = ROWS.replace("MPI_FILE_NULL;\n    MPI_File other;",
                            "MPI_FILE_NULL, other;")
        done = self.ldadc("rewrite", self.source(text), "-o", "after.c", status=1)
        self.assertIn("with the same variable", done.stdout)

    def test_refusals(self):
        program = self.source(TABLE)
        done = self.ldadc("rewrite", program, "-o", "after.c", status=1)
        self.assertIn("stays as it is: what is written is not known", done.stdout)
        self.ldadc("rewrite", program, "-o", program, status=2)
        done = self.ldadc("rewrite", "none.c", "-o", "after.c", status=1)
        self.assertEqual(done.stderr, "ldadc rewrite: the source cannot be read: No "
                         "such file or directory (file none.c)\n")
        broken = self.source("int main(void) { return x; }\n", "broken.c")
        done = self.ldadc("rewrite", broken, "-o", "after.c", status=1)
        self.assertIn("use of undeclared identifier", done.stderr)


class Refuse(Programs):
    """Uses of a partitioned file that libldad cannot do, or does not see."""

    def stays(self, at, statement, why):
        done = self.ldadc("rewrite", self.source(blocks(at, statement)), "-o",
                          "after.c", status=1)
        self.assertIn("stays as it is: ", done.stdout)
        self.assertIn(why, done.stdout)
        self.assertIn("program.c:%d)" % at, done.stdout)
        self.assertFalse(os.path.exists(self.path("after.c")))

    def allowed(self, at, statement):
        """It is allowed and done: run twice, the second time with more ranks, over
        existing data."""
        before = self.source(blocks(at, statement))
        done = self.ldadc("rewrite", before, "-o", "after.c")
        self.assertIn("fh: partitioned: segmented", done.stdout)
        plain = self.compiled("plain", before)
        new = self.compiled("new", self.path("after.c"), ldad=True)
        said = []
        for program in (plain, new):
            for np in (2, 3):
                done = self.run_program(program, self.path("f" + program[-3:]), np=np,
                                        dir=False, json=False)
                self.assertEqual((done.status, done.err), (0, ""), done)
                said.append(sorted(done.out.splitlines()))
        self.assertEqual(said[:2], said[2:])
        self.assertEqual(self.logical(self.path("fnew"))[0],
                         self.content(self.path("fain")))


for name_, allowed_ in ALLOWED.items():
    add(Refuse, name_, "allowed", *allowed_)
for name_, refused_ in REFUSED.items():
    add(Refuse, name_, "stays", *refused_)


class Build(Programs):
    def test_one_step(self):
        program = self.source(ROWS)
        done = self.ldadc("build", "--include=" + INCLUDE, "--lib=" + BUILD, "--",
                          PLAIN_MPICC, "-O1", "-o", "new", program)
        self.assertIn("fh: partitioned", done.stderr)
        self.compiled("plain", program)
        self.ran(self.path("plain"), self.path("a"), self.path("b"), "64", "5", np=2)
        self.ran(self.path("new"), self.path("c"), self.path("d"), "64", "5", np=2)
        self.assertEqual(self.logical(self.path("c")),
                         (self.content(self.path("a")), 16))

    def test_assumed(self):
        program = self.source(GAPS)
        paths = ["--include=" + INCLUDE, "--lib=" + BUILD]
        command = ["--", PLAIN_MPICC, "-o", "new", program]
        done = self.ldadc("build", "--assume=gap >= n", *paths, *command)
        self.assertIn("fh: partitioned", done.stderr)
        self.assertIn("assumed: gap >= n\n", done.stderr)
        os.unlink(self.path("new"))
        done = self.ldadc("build", "--assume=no_such < 3", *paths, *command, status=2)
        self.assertIn("the program has no variable of that name", done.stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_objects_and_failures(self):
        """Sources are compiled apart, into an object of the source's name; and errors
        are the compiler's, about the source."""
        self.source(ROWS)
        paths = ["--include=" + INCLUDE, "--lib=" + BUILD, "--quiet", "--"]
        self.ldadc("build", *paths, PLAIN_MPICC, "-c", "program.c")
        self.assertTrue(os.path.exists(self.path("program.o")))
        self.source("int main(void) { return x; }\n")
        done = self.ldadc("build", *paths, PLAIN_MPICC, "-c", "program.c", status=1)
        self.assertIn("program.c:1", done.stderr)
        self.source("int main(void) { return 0; }\n")
        self.ldadc("build", *paths, PLAIN_MPICC, "-o", "none", "program.c")
        self.command(self.path("none"))


class Trace(Programs):
    def test_check(self):
        program = self.source(ROWS)
        exe = self.compiled("plain", program)
        run = self.traced(exe, self.path("a"), self.path("b"), "100", "7", np=3)
        line = ("check", program, "--trace", run, "--iotrace", IOTRACE)
        done = self.ldadc(*line, "--set", "n=100", "--set", "rows=7")
        self.assertIn("3 calls agree with the run of 3 ranks, 0 differ", done.stdout)
        done = self.ldadc(*line, "--set", "n=100", "--set", "rows=8", status=1)
        self.assertIn("differs", done.stdout)
        done = self.ldadc(*line, "--set", "n=100")
        self.assertIn("the value of rows is not given", done.stdout)
        self.ldadc("check", program, "--trace", self.path("no"), "--iotrace", IOTRACE,
                   status=1)

    def test_check_view(self):
        """The trace has a transfer through a view with gaps without its places."""
        program = self.source(VIEWED)
        run = self.traced(self.compiled("plain", program), self.path("a"), np=2)
        done = self.ldadc("check", program, "--trace", run, "--iotrace", IOTRACE)
        self.assertIn("MPI_File_write: not compared: the run does not tell",
                      done.stdout)
        self.assertIn("1 calls agree with the run of 2 ranks, 0 differ, 1 are not",
                      done.stdout)

    def test_names_that_are_one(self):
        """Rank 0 tells the others a name, or a function that is not seen has it."""
        program = self.source(NAMED)
        outside = self.source(OUTSIDE, "outside.c")
        exe = self.compiled("plain", program, outside)
        run = self.traced(exe, self.path("a"), self.path("b"), np=2)
        done = self.ldadc("check", program, "--trace", run, "--iotrace", IOTRACE)
        self.assertIn("6 calls agree with the run of 2 ranks, 0 differ", done.stdout)

    def workload(self, name, which, np, *values):
        """tests/ldad/plain.c is traced; its sizes are in the workload's struct."""
        plain = os.path.join(BUILD, "tests", "ldad", "plain")
        run = self.traced(plain, which, self.path("a"), np=np)
        done = self.ldadc("check", os.path.join(SOURCES, "ldad", "workloads",
                                                name + ".c"),
                          "--trace", run, "--iotrace", IOTRACE,
                          *["--set=" + v for v in values], "--", "-I" + SOURCES)
        self.assertIn(" 0 differ", done.stdout)
        self.assertNotIn("\n0 calls agree", done.stdout)

    def test_plan(self):
        program = self.source(ROWS)
        done = self.ldadc("plan", program, "--np=2,3", "--set", "n=10", "--set",
                          "rows=4", "--file=fh")
        self.assertEqual(done.stdout.splitlines()[1:], [
            "ranks=2 step=10 start=16 [span=80 stride=20 size=10]",
            "ranks=3 step=10 start=16 [span=120 stride=30 size=10]"])
        done = self.ldadc("plan", program, "--file=fh", status=1)
        self.assertIn("--set", done.stderr)
        done = self.ldadc("plan", FIGURE % "bytes", status=1)
        self.assertIn("ranks write the same bytes", done.stderr)

    def test_plan_from_a_run(self):
        """A run tells what the source does not: unproven."""
        program = self.source(TABLE)
        exe = self.compiled("plain", program)
        run = self.traced(exe, self.path("a"), np=3)
        done = self.ldadc("plan", program, status=1)
        self.assertIn("what is written is not known", done.stderr)
        done = self.ldadc("plan", program, "--trace", run, "--iotrace", IOTRACE)
        self.assertIn("unproven", done.stdout)
        self.assertEqual(done.stdout.splitlines()[1], "ranks=3 step=4000 start=0 "
                         "[span=96000 stride=12000 size=4000]")


PLAIN = {"perf": ("p->chunk=1000", "p->count=5"),
         "mandelbrot": ("p->width=70", "p->height=50", "p->rows=3"),
         "jacobi": ("p->rows=50", "p->columns=70", "p->sweeps=3", "p->strip=3"),
         "fft": ("p->n1=32", "p->n2=16", "p->element=8", "p->panels=2", "rows=32",
                 "columns=16")}
for name_ in WORKLOADS:
    for suffix_ in ("", "-slabs") if name_ != "fft" else ("",):
        which_ = name_ + suffix_
        slabs_ = () if name_ == "fft" else ("p->slabs=%d" % bool(suffix_),)
        for np_ in (2, 4, 8):
            add(Trace, "check_%s_%d" % (which_.replace("-", "_"), np_), "workload",
                name_, which_, np_, *(PLAIN[name_] + slabs_))
        add(Rewrite, which_.replace("-", "_"), "workload", name_, which_,
            4 if name_ == "fft" else 3)
which.sample(3, Rewrite, Refuse, Build, Trace)

if __name__ == "__main__":
    main()
