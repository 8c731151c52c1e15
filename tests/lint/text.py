# mpi: any
"""Spelling, prose, shell scripts, the style of C, and Python that Python 3.6 can read.
Needs a git checkout; a tool that is not installed is a skipped point."""
import ast
import os
import re
import shutil
import sys

import prose
from lint import done, output, point, skip, text_of, tracked

WIDTH = 88
TEXT = (".c", ".cc", ".h", ".py", ".md", ".mk", ".m4", ".ac", ".am", ".sh", ".sbatch",
        ".1", ".in")
SCRIPTS = ("bootstrap", "quickstart", ".ci/run", "build-aux/git-version",
           "build-aux/leadline-page", "build-aux/manual",
           "packaging/debian-test", "tests/installed", "tests/run",
           "scripts/site", "tests/rig/disks", "tests/rig/hosts", "tests/rig/slurm",
           "tests/coverage", "tests/lint/static", "tests/sanitizers/memcheck",
           "tests/sanitizers/run")
NARROW = (".c", ".cc", ".h", ".py", ".sbatch")


def tool(name, what, *arguments):
    """Makes a point that holds if the tool finds nothing."""
    if not shutil.which(name):
        skip(what, "%s is not installed" % name)
        return
    status, lines = output(name, *arguments)
    point(status == 0, what, lines[:60])


def first_line(name):
    return text_of(name).split("\n", 1)[0]


def shell_scripts(names):
    return [name for name in names if not name.endswith(".in") and (
        name.endswith(".sh") or re.match(r"#!.*\b(ba)?sh\b", first_line(name)))]


def python_files(names):
    return [name for name in names
            if name.endswith(".py") or re.match(r"#!.*\bpython", first_line(name))]


def parse(name):
    """Returns Python 3.6's complaints about the file."""
    try:
        if sys.version_info >= (3, 8):
            ast.parse(text_of(name), name, feature_version=(3, 6))
        else:
            ast.parse(text_of(name), name)
    except SyntaxError as error:
        return ["%s:%s: %s" % (name, error.lineno, error.msg)]
    return []


def layout_faults(name):
    """Returns lines that are too long, trailing blanks, tabs in C, and a missing end of
    line."""
    text = text_of(name)
    faults = [] if text.endswith("\n") or not text else ["%s: no final newline" % name]
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip():
            faults.append("%s:%d: blanks at the end" % (name, number))
        narrow = name.endswith(NARROW) or name in SCRIPTS or "slurm/" in name
        if narrow and len(line) > WIDTH:
            faults.append("%s:%d: %d columns" % (name, number, len(line)))
        if name.endswith((".c", ".cc", ".h", ".py")) and "\t" in line:
            faults.append("%s:%d: a tab" % (name, number))
    return faults


def main():
    every = tracked()
    if not every:
        skip("text", "this is not a git checkout")
        done()
    texts = [name for name in every if name.endswith(TEXT) or name in SCRIPTS]
    tool("codespell", "words are spelled right", *texts)
    tool("shellcheck", "shell scripts are sound", "-x", *shell_scripts(texts))
    tool("clang-format", "C is formatted as .clang-format says", "--dry-run", "-Werror",
         *[name for name in every if name.endswith((".c", ".cc", ".h"))])
    tool("mypy", "types in leadline agree", "--ignore-missing-imports", "--cache-dir",
         os.devnull, "python/leadline")
    faults = [fault for name in python_files(texts) for fault in parse(name)]
    point(not faults, "Python 3.6 can read the Python", faults)
    faults = [fault for name in texts for fault in layout_faults(name)]
    point(not faults, "lines fit, and end where they end", faults[:60])
    faults = [fault for name in prose.pages(every) for fault in prose.faults(name)]
    point(not faults, "texts are written as doc/style.md says", faults[:60])
    faults = [fault for name in prose.programs(every)
              for fault in prose.faults_of_messages(name)]
    point(not faults, "messages are written as doc/style.md says", faults[:60])
    faults = [fault for name in every
              if re.match(r"src/(?!iotrace/preload/).*\.[ch]$", name)
              for fault in prose.faults_of_shapes(name)]
    point(not faults, "failures are told in one shape, that of base/err.h", faults[:60])
    status, lost = output(sys.executable, "tests/mutants/run", "--lost")
    point(status == 0, "the line of each mutant is in its file once", lost)
    generated = [name for name in every if re.match(
        r"(configure|Makefile\.in|aclocal\.m4|.*\.(o|lo|la|pyc))$", name)]
    point(not generated, "nothing generated is committed", generated)
    done()


if __name__ == "__main__":
    main()
