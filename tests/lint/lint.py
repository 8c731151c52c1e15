"""The common part of the lints: points of TAP, and the list of the project's own
files."""
import os
import re
import subprocess
import sys

SRC = os.environ.get("top_srcdir", os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("top_builddir", ".")
_points = [0, 0]


def point(holds, name, remarks=()):
    """Prints a point of TAP; `remarks` tell the fault if it does not hold."""
    _points[0] += 1
    _points[1] += not holds
    print("%s %d - %s" % ("ok" if holds else "not ok", _points[0], name))
    if not holds:
        for remark in remarks:
            print("# " + str(remark))
    sys.stdout.flush()


def skip(name, reason):
    point(True, "%s # SKIP %s" % (name, reason))


def done():
    print("1..%d" % _points[0])
    sys.exit(1 if _points[1] or not _points[0] else 0)


def output(*command):
    """Returns (exit status, stdout and stderr together as lines) of a command."""
    try:
        run = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=SRC,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    except OSError as error:
        return 127, [str(error)]
    text = run.communicate()[0].decode("utf-8", "replace")
    return run.returncode, text.splitlines()


def tracked(*suffixes):
    """Returns files under version control, by suffix (all without one); none in a
    tarball."""
    if not os.path.exists(os.path.join(SRC, ".git")):
        return []
    status, names = output("git", "-c", "safe.directory=*", "ls-files")
    return [name for name in names if status == 0
            and (not suffixes or name.endswith(suffixes))
            and os.path.exists(os.path.join(SRC, name))]


def text_of(name):
    with open(os.path.join(SRC, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def programs(*kinds):
    """Returns rows of programs.def: (name, kind, folder, commands), of these kinds.
    A workload is a command behind a "/": it has a page of its own."""
    rows = re.findall(r"^X\((\w+), (\w+), ([\w/]+), (.*)\)$", text_of("programs.def"),
                      re.M)
    return [(name, kind, folder, commands.split() + [
        word for workload in workloads(name) for word in ("/", workload)])
            for name, kind, folder, commands in rows if not kinds or kind in kinds]


def workloads(program):
    """Returns the names of a program's workloads."""
    return re.findall(r"^WORKLOAD\(%s, (\w+)," % program, text_of("programs.def"), re.M)


def sources():
    """Returns every .c, .cc and .h below src, also in a tarball."""
    found = []
    for folder, _, names in os.walk(os.path.join(SRC, "src")):
        found += [os.path.relpath(os.path.join(folder, name), SRC)
                  for name in names if name.endswith((".c", ".cc", ".h"))]
    return sorted(found)
