#!/usr/bin/env python3
# mpi: any
"""The mutants that tests/mutants/made.py makes from a few lines of C and of Python."""
import os
import sys
import unittest

from tap import HERE, main

sys.path.insert(0, os.path.join(HERE, os.pardir, "mutants"))
import made  # noqa: E402

C = r"""
#define ROOM 7 /* a < b,
                  1 + 2 */
_Static_assert(ROOM > 6, "room");
// 5 == 6
static double rate(const char *s, double *x, int n)
{
    char text[64];
    if (n > 0 && x[n - 1] >= 0)
        return fmin(*x * 1e6, (double)n / sum(x, n)); /* 3 > 2 */
    put(s + n, "1 < 2", 'a');
    return err_set(-EIO, NULL, -1, "no %d", n == 4);
}
static int low(int a, int b) { return a < b ? a : b; }
static void most(int a, int *m) { if (a > *m) *m = a; }
"""

C_MADE = """
rate: > as >=
rate: 0 as 1
rate: && as ||
rate: - 1 dropped
rate: 1 as 2
rate: 1 as 0
rate: >= as >
rate: 0 as 1, 2
rate: n > 0 && x[n - 1] >= 0 negated
rate: fmin as fmax
rate: * 1e6 dropped
rate: 1e6 as 1048576
rate: / sum(x, n) dropped
rate: + n dropped
rate: == as !=
low: < as >
most: > as <
"""

PYTHON = '''
LIMIT = 4
class Box:
    def grow(self, n=1, **more):
        """Not 1 < 2."""
        if n < 2 and not more:  # 3 > 2
            self.n += n * max(n, 2) + len("a" + "b")
        return "5" if n == 6 else [i for i in self.all if i or n]
'''

PYTHON_MADE = """
file: 4 as 5
file: 4 as 3
grow: 1 as 2
grow: 1 as 0
grow: < as <=
grow: 2 as 3
grow: 2 as 1
grow: and as or
grow: n < 2 and not more negated
grow: += as =
grow: * max(n, 2) dropped
grow: max as min
grow: 2 as 3, 2
grow: 2 as 1, 2
grow: + len("a" + "b") dropped
grow: == as !=
grow: 6 as 7
grow: 6 as 5
grow: or as and
grow: i or n negated
"""


def names(file, text):
    return sorted(m.name.partition(" ")[2] for m in made.mutants_of(file, text))


def wrong(file, text, name):
    """Returns the text of this mutant."""
    m = {m.name: m for m in made.mutants_of(file, text)}["%s %s" % (file, name)]
    return text[:m.begin] + m.new + text[m.end:]


class Made(unittest.TestCase):
    maxDiff = None

    def test_operators_of_c(self):
        self.assertEqual(names("a.c", C), sorted(C_MADE.strip().splitlines()))

    def test_operators_of_python(self):
        self.assertEqual(names("a.py", PYTHON),
                         sorted(PYTHON_MADE.strip().splitlines()))

    def test_what_is_changed_is_what_the_name_says(self):
        for file, text, name, old, new in (
                ("a.c", C, "rate: - 1 dropped", "x[n - 1]", "x[n]"),
                ("a.c", C, "rate: 0 as 1, 2", ">= 0)", ">= 1)"),
                ("a.c", C, "rate: n > 0 && x[n - 1] >= 0 negated",
                 "(n > 0 && x[n - 1] >= 0)", "(!(n > 0 && x[n - 1] >= 0))"),
                ("a.c", C, "rate: / sum(x, n) dropped", "(double)n / sum(x, n)",
                 "(double)n"),
                ("a.py", PYTHON, "grow: i or n negated", "if i or n]",
                 "if not (i or n)]"),
                ("a.py", PYTHON, "grow: += as =", "+=", "=")):
            with self.subTest(name):
                self.assertEqual(wrong(file, text, name), text.replace(old, new))

    def test_a_name_does_not_depend_on_what_stands_before(self):
        self.assertEqual(names("a.c", "int more(void) { return 1; }\n" + C),
                         sorted(["more: 1 as 0", "more: 1 as 2"] + names("a.c", C)))

    def test_every_source_of_the_table_has_tests_that_are_there(self):
        files = ["src/report/reduce.c", "src/io/fs/cache.c", "src/run/run.c",
                 "src/block/figures.c", "src/metabench/walk.c",
                 "python/leadline/stats.py", "python/leadline/some/gate.py"]
        for file in files:
            for test in made.tests_of(file):
                name = test if test.endswith(".py") else test + ".c"
                self.assertTrue(os.path.exists(os.path.join(made.TOP, name)), name)
        self.assertIsNone(made.row_of("src/base/stats.c"))


if __name__ == "__main__":
    main()
