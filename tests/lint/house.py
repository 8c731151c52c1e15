# mpi: any
"""A subject is read in one place: no source of fewer than 40 lines, and no header for
one user. tests/lint/exceptions lists what is left, and may only become shorter."""
import collections
import os
import re

from lint import SRC, done, point, sources, text_of

LEAST = 40
GENERATED = ("src/base/version.c",)
LIST = "tests/lint/exceptions"


def small(names):
    return {name for name in names if text_of(name).count("\n") < LEAST}


def users(names):
    """Returns the files that include each header, but for its own source."""
    found = collections.defaultdict(set)
    for name in names:
        for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text_of(name), re.M):
            if os.path.splitext("src/" + header)[0] != os.path.splitext(name)[0]:
                found["src/" + header].add(name)
    return found


def with_one_user(names, of_tests):
    """Returns headers with one user at most. A test counts as one."""
    found = users(names + of_tests)
    return {name for name in names if name.endswith(".h") and len(found[name]) <= 1}


def test_sources():
    return sorted(os.path.relpath(os.path.join(at, name), SRC)
                  for folder in ("tests", "bench")
                  for at, _, names in os.walk(os.path.join(SRC, folder))
                  for name in names if name.endswith((".c", ".h")))


def listed(rule):
    """Returns the files that the list excepts from a rule."""
    found = set()
    for line in text_of(LIST).splitlines():
        name, _, rules = line.partition(":")
        if not line.startswith("#") and rule in rules.split(","):
            found.add(name)
    return found


def hold(rule, found, sentence):
    new = ["%s: fold it into its reader" % name
           for name in sorted(found - listed(rule))]
    gone = ["%s: %s: no more so: take it off the list" % (LIST, name)
            for name in sorted(listed(rule) - found)]
    point(not new, sentence, new)
    point(not gone, "%s: each listed file is still so" % rule, gone)


def main():
    names = [name for name in sources() if name not in GENERATED]
    hold("small", small(names), "no new source has fewer than %d lines" % LEAST)
    hold("one", with_one_user(names, test_sources()), "no new header has one user")
    done()


if __name__ == "__main__":
    main()
