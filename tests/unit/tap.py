"""Runs the unittest cases of a test program and speaks TAP about them.

    from tap import main, sandbox        (the first import: it sets the paths)
    ...
    if __name__ == "__main__":
        main()
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, os.pardir, os.pardir, "python")
sys.path.insert(0, PACKAGE)


class Result(unittest.TestResult):
    def __init__(self, count):
        super().__init__()
        self.number = 0
        print("1..%d" % count, flush=True)

    def point(self, ok, test, more=""):
        self.number += 1
        name = test.id().split(".", 1)[-1]
        print("%sok %d - %s%s" % ("" if ok else "not ", self.number, name, more),
              flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.point(True, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.point(True, test, " # SKIP " + reason)

    def bad(self, test, text):
        self.point(False, test)
        print("".join("# %s\n" % line for line in text.splitlines()), end="")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad(test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.bad(test, self.errors[-1][1])


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = Result(suite.countTestCases())
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
