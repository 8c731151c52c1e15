"""Runs the unittest cases of a test program and speaks TAP about them.

    from tap import main, sandbox        (the first import: it sets the paths)
    ...
    if __name__ == "__main__":
        main()
"""
import collections
import hashlib
import math
import os
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, os.pardir, os.pardir, "python")
sys.path.insert(0, PACKAGE)


# The tier that runs, and the cases of this file in it, as set by tests/run.
TIER = os.environ.get("LEADLINE_TIER") or "quick"
CASES = os.environ.get("LEADLINE_CASES") or "full"
FLAVOUR = os.environ.get("MPI_FLAVOUR", "")


def long(case):
    """A decorator of test methods and classes: for the tier "ci", not for "quick"."""
    case.is_long = True
    return case


def any_mpi(case):
    """A decorator of test methods that hardly depend on the MPI, such as refusals: if
    all tests have passed with another one, one commit in six runs them."""
    case.is_any_mpi = True
    return case


def add(case, name, scenario, *arguments):
    """Adds a test to a Case, which is one point: its method, with arguments. Returns
    it, to be marked (long)."""
    assert not hasattr(case, "test_" + name), name

    def test(self):
        getattr(self, scenario)(*arguments)

    test.scenario = scenario
    setattr(case, "test_" + name, test)
    return test


def lot_of(text):
    """Returns a number that depends on the commit and on the MPI."""
    lot = os.environ.get("LEADLINE_DRAW", "") + FLAVOUR
    return hashlib.sha256(("%s %s" % (lot, text)).encode()).digest()


def has_its_turn(test):
    """For "ci": a long case runs with MPICH, with the others, or not at all, by the
    commit. A case independent of the MPI runs with the first only, and so always."""
    if os.environ.get("LEADLINE_ANY_MPI"):
        return True
    lot = "%s %s" % (os.environ.get("LEADLINE_DRAW", ""), test.id())
    return hashlib.sha256(lot.encode()).digest()[0] % 3 == (FLAVOUR != "mpich")


def drawn(items, few, share=1 / 4):
    """Returns the part of `items` that this tier runs, in their order: a few for
    "quick", a share for "ci", all for "full". It depends on the commit, so that all
    have their turn: after ten tested commits, 94 of 100 at a quarter with one MPI."""
    items = list(items)
    n = {"quick": few, "ci": math.ceil(share * len(items))}.get(TIER, len(items))
    order = sorted(range(len(items)), key=lambda i: lot_of(items[i]))
    return [items[i] for i in sorted(order[:n])]


def marked(test, mark):
    return getattr(getattr(test, test._testMethodName), mark, None)


def chosen(tests):
    """The cases that this tier runs, of a file that has cases of both. Of those that a
    scenario makes many of (add), "quick" takes an eighth, and "ci" others up
    to one half; where all tests have passed with another MPI, a twentieth and a
    quarter, and of the others "quick" takes one of three. The commit draws them. Of
    long cases "ci" takes a third, and another third with the other MPI."""
    seldom = os.environ.get("LEADLINE_OTHER_MPI") and TIER != "full"
    few, more = (20, 4) if seldom else (8, 2)
    made = collections.defaultdict(list)
    for test in tests:
        scenario = marked(test, "scenario")
        if scenario:
            made[type(test), scenario].append(test)
    tier = {test: "ci" if marked(test, "is_long") or getattr(test, "is_long", False)
            else "quick" for test in tests}
    for group in made.values():
        group.sort(key=lambda test: lot_of(test.id()))
        for i, test in enumerate(group):
            if tier[test] == "quick":
                tier[test] = ("quick" if i < math.ceil(len(group) / few) else
                              "ci" if i < math.ceil(len(group) / more) else "full")
    for test in tests:
        if tier[test] == "ci" and not has_its_turn(test):
            tier[test] = "full"
    return [test for test in tests if CASES in ("full", tier[test]) and not (
        seldom and lot_of(test.id())[0] % times_fewer(test))]


def times_fewer(test):
    """Skips with the second MPI: a case runs in one commit of so many."""
    if marked(test, "is_any_mpi"):
        return 6
    return 3 if TIER == "quick" and not marked(test, "scenario") else 1


def flat(suite):
    for part in suite:
        yield from flat(part) if isinstance(part, unittest.TestSuite) else [part]


class Result(unittest.TestResult):
    def __init__(self, count):
        super().__init__()
        self.number = 0
        print("1..%d" % count, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.parts = []  # failed ones: (parameters, text)

    def point(self, ok, test, more=""):
        self.number += 1
        name = test.id().split(".", 1)[-1]
        print("%sok %d - %s%s" % ("" if ok else "not ", self.number, name, more),
              flush=True)
        took = time.monotonic() - self.begun
        if took >= 1:
            print("# %.1f s for %s" % (took, name), flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.point(True, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.point(True, test, " # SKIP " + reason)

    def comment(self, text):
        print("".join("# %s\n" % line for line in text.splitlines()), end="")

    def bad(self, test, text):
        self.point(False, test)
        self.comment(text)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.bad(test, self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        """Collects failures of a test's parts, which are one point of the test, in
        stopTest."""
        failed = len(self.failures)
        super().addSubTest(test, subtest, err)
        if err is not None:
            found = self.failures if len(self.failures) > failed else self.errors
            self.parts.append((subtest.id()[len(test.id()):].strip(), found[-1][1]))

    def stopTest(self, test):
        super().stopTest(test)
        if self.parts:
            self.point(False, test, " " + "; ".join(name for name, _ in self.parts))
            for name, text in self.parts:
                self.comment("%s\n%s" % (name, text))


def main():
    found = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    suite = unittest.TestSuite(chosen(list(flat(found))))
    if not suite.countTestCases():
        print("1..0 # SKIP the commit draws none of its cases")
        sys.exit(0)
    result = Result(suite.countTestCases())
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
