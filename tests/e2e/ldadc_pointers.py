#!/usr/bin/env python3
# mpi: any; limit: 600
"""ldadc analyse: stores through pointers. Each line of the table is a program that
writes at 1000*rank + 90, as a pointer has changed a variable that was another number
before. ldadc finds that offset, or calls it unresolved."""
import json
import os
import subprocess
import unittest

from e2e import Case, main, write_file
import sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "ldadc"))
import which  # noqa: E402

PROGRAM = """#include <getopt.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s
int main(int argc, char **argv)
{
    int rank;
    MPI_File fh;
    char bytes[4] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    {
        %s
        MPI_File_write_at(fh, (MPI_Offset)1000 * rank + %s, bytes, 4, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""
S, PG = "struct S { int *p; }; ", "static int g = 1, *pg = &g; "
SEND = "MPI_Sendrecv(%s, 1, MPI_INT, rank, 0, %s, 1, MPI_INT, rank, 0, " \
    "MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
TABLE = {  # globals, what main() does, the number
    "static": (PG, "*pg = 90;", "g"),
    "visible": ("int g = 1, *pg = &g;", "*pg = 90;", "g"),
    "in the function": ("", "static int g = 1, *pg = &g; *pg = 90;", "g"),
    "of a pointer": (PG + "static int **ppg = &pg;", "**ppg = 90;", "g"),
    "options": ("static int g = 1; static struct { const char *n; int *d; } "
                "opts[] = {{\"g\", &g}, {0, 0}};",
                "for (int i = 0; opts[i].n; i++) *opts[i].d = 90;", "g"),
    "constant pointer": ("static struct { int n; } s = {1}, *const opt = &s;",
                         "opt->n = 90;", "s.n"),
    "nested": ("static int g = 1, h; static struct { struct { int *p; } b[2]; } a = "
               "{.b = {[1] = {.p = &g}, [0] = {.p = &h}}};", "*a.b[1].p = 90;", "g"),
    "a part": ("static struct { int a[3]; } s = {{1, 2, 3}}; static int *e = &s.a[1];",
               "*e = 90;", "s.a[1]"),
    "past a part": ("static int t[4] = {1, 2, 3, 4}, *e = t + 2;", "e[1] = 90;",
                    "t[3]"),
    "union": ("static int g = 1; static union { int *p; long l; } u = {.p = &g};",
              "*u.p = 90;", "g"),
    "own union": ("", "int g = 1; union { int *p; long l; } u = {&g}; *u.p = 90;", "g"),
    "literal": ("static int g = 1; " + S + "static struct S *o = &(struct S){&g};",
                "*o->p = 90;", "g"),
    "number": ("static int g = 1; static long a = (long)&g;", "*(int *)a = 90;", "g"),
    "list": ("struct N { struct N *next; int *v; }; static int g = 1; "
             "static struct N b = {0, &g}, a = {&b, 0};",
             "for (struct N *q = &a; q; q = q->next) if (q->v) *q->v = 90;", "g"),
    "itself": ("struct N { int n; struct N *self; }; static struct N s = {1, &s};",
               "s.self->self->n = 90;", "s.n"),
    "function table": (PG + "static void f(void) { *pg = 90; } "
                       "static void (*const tab[])(void) = {f};", "tab[0]();", "g"),
    "aliasing": ("typedef int __attribute__((may_alias)) any; static long g = 1; "
                 "static struct { const char *n; void *v; } o[] = "
                 "{{\"g\", &g}, {0, 0}};",
                 "for (int i = 0; o[i].n; i++) *(any *)o[i].v = 90;", "g"),
    "scanned": (PG, 'sscanf("90", "%d", pg);', "g"),
    "rank": (PG, "MPI_Comm_rank(MPI_COMM_WORLD, pg); *pg = 90;", "g"),
    "received": (PG, "int x = 90; " + SEND % ("&x", "pg"), "g"),
    "read": (PG, "MPI_File_read_at(fh, 0, pg, 4, MPI_BYTE, MPI_STATUS_IGNORE); "
             "*pg = 90;", "g"),
    "reduced": (PG, "int x = 90; MPI_Allreduce(&x, pg, 1, MPI_INT, MPI_MAX, "
                "MPI_COMM_WORLD);", "g"),
    "getopt": ("static int g = 1; static struct option o[] = {{\"x\", 0, &g, 90}, "
               "{0}};", "char *v[] = {\"p\", \"--x\", 0}; "
               "while (getopt_long(2, v, \"\", o, NULL) != -1);", "g"),
    "memcpy": (S, "int g = 1; struct S a = {&g}, b; memcpy(&b, &a, sizeof a); "
               "*b.p = 90;", "g"),
    "memmove": ("", "int g = 1, *p = &g, *q; memmove(&q, &p, sizeof p); *q = 90;", "g"),
    "bytes": ("", "int g = 1, *p = &g, *q; char s[16]; memcpy(s, &p, sizeof p); "
              "memcpy(&q, s, sizeof q); *q = 90;", "g"),
    "assigned": (S, "int g = 1; struct S a = {&g}, b; b = a; *b.p = 90;", "g"),
    "assigned element": (S, "int g = 1, i = argc; struct S t[9], s = {&g}; t[i] = s; "
                         "*t[i].p = 90;", "g"),
    "chosen": (S, "int g = 1, h = 3; struct S a = {&g}, b = {&h}, "
               "c = argc > 9 ? b : a; *c.p = 90;", "g"),
    "element": ("", "int g = 1, h, *t[2] = {&h, &g}, i = argc > 0; *t[i] = 90;", "g"),
    "beyond": ("", "int g = 1, *t[70] = {[66] = &g}; *t[66] = 90;", "g"),
    "variadic": (S + "static void f(int n, ...) { va_list a; va_start(a, n); "
                 "*va_arg(a, struct S).p = 90; va_end(a); }",
                 "int g = 1; struct S s = {&g}; f(1, s);", "g"),
    "left loop": ("", "int a = 1, g = 2, *q = &a; while (argc > 0) { q = &g; argc--; "
                  "if (!argc) break; } *q = 90;", "g"),
    "loop": ("static void put(void *v, int n) { for (int i = 0; i < n; i++) "
             "v = (char *)v; *(int *)v = 90; }", "int g = 1; put(&g, argc);", "g"),
    "reallocated": ("", "int g = 1, **pp = malloc(16); pp[1] = &g; "
                    "pp = realloc(pp, 32); *pp[1] = 90;", "g"),
    "rows": ("", "int m[2][2] = {{1, 2}, {3, 4}}, *q = &m[0][0]; q[3] = 90;",
             "m[1][1]"),
    "row by row": ("", "int m[2][2] = {{1, 2}, {3, 4}}, z[4] = {9, 9, 9, 90}; "
                   "memcpy(&m[0][0], z, sizeof m);", "m[1][1]"),
    "told": ("", "struct { int n, m; } s = {1, 2}; if (rank == 0) s.m = 90; "
             "MPI_Bcast(&s.n, 2, MPI_INT, 0, MPI_COMM_WORLD);", "s.m"),
    "memory": ("", "char *c = malloc(64); int *ip = (int *)c; ip[1] = 10; "
               "*(int *)(c + 4) = 90;", "ip[1]"),
    "wider": ("", "int a[2] = {1, 2}; *(long long *)&a[0] = 90LL << 32;", "a[1]"),
    "constructor": ("static int g = 10; __attribute__((constructor)) static void "
                    "c(void) { g = 90; }", "", "g"),
    "bit field": ("static struct { int a; int : 16; int b; } s = {1, 90};", "", "s.b"),
}
NAMED = ("scanned",)  # the number has a name, and no value is claimed


@unittest.skipUnless(which.THERE, which.WHY_NOT)
class Pointers(Case):
    def test_table(self):
        wrong = []
        for name, of in TABLE.items():
            path = self.path(name.replace(" ", "_") + ".c")
            write_file(path, PROGRAM % of)
            done = subprocess.run(which.command("analyse", "--json", path),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=60)
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            right = ["1000*rank+90", "rank*1000+90"]
            right += ["1000*rank+" + of[2]] if name in NAMED else []
            for f in json.loads(done.stdout.decode("utf-8"))["files"]:
                wrong += [(name, call["descriptor"]["start"]) for call in f["calls"]
                          if call["call"].find("write") >= 0 and call["resolved"]
                          and call["descriptor"]["start"].replace(" ", "") not in right]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    main()
