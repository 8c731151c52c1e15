# mpi: any
"""Rules of includes: the picture in doc/architecture.md, as a table.

A folder of src, or a package of Python, that is not in the table fails: add it at the
right place."""
import ast
import collections
import os
import re

from lint import SRC, done, point, programs, sources, text_of, workloads

# Each folder, and the folders that it may include beside itself: those on floors below.
BASE = {"base", "base/format"}
WORLD = BASE | {"world"}
IO = {"io", "io/fs", "io/engines", "io/part"}
RUN_ALONE = WORLD | IO | {"algebra", "doctor", "layout", "report", "run"}
RUN = RUN_ALONE | {"run/stream"}
LOADER = {"pfmload/area", "pfmload/input", "pfmload/schemes", "pfmload/store"}
READER = BASE | {"iotrace/format", "iotrace/read"}
MAY = {
    "base": set(),
    "base/format": {"base"},
    "algebra": BASE,
    "sort": BASE,
    "world": BASE,
    "layout": BASE | {"algebra"},
    "hydro": BASE,
    "io": WORLD | {"algebra"},
    "io/engines": WORLD | {"algebra", "io"},
    "io/part": WORLD | {"algebra", "io"},
    "io/fs": WORLD | {"algebra", "io", "io/part"},
    "doctor": WORLD | {"io"},
    "report": WORLD,
    "run": RUN_ALONE,
    "run/stream": RUN_ALONE,
    "ldad/workloads": set(),
    "ldad/lib": WORLD | IO | {"algebra"},
    "ldad/measure": RUN | {"ldad/lib", "ldad/workloads"},
    "ldad": RUN | {"ldad/lib", "ldad/measure"},
    "extsort": RUN | {"sort"},
    "outcore/data": RUN | {"outcore", "sort"},
    "outcore/graph": RUN | {"extsort", "outcore", "outcore/data"},
    "outcore/ngram": RUN | {"outcore", "outcore/data", "outcore/stream"},
    "outcore/search": RUN | {"sort", "outcore", "outcore/data", "outcore/sort"},
    "outcore/sort": RUN | {"sort", "extsort", "outcore", "outcore/data"},
    "outcore/text": RUN | {"outcore", "outcore/data", "outcore/stream",
                           "outcore/text/modules"},
    "outcore/text/modules": BASE,
    "outcore": BASE,
    "pfmload/store": RUN | {"hydro", "sort", "extsort"},
    "pfmload/area": RUN | {"hydro"},
    "pfmload/input": RUN | {"hydro", "extsort", "pfmload/store"},
    "pfmload/schemes": RUN | {"hydro", "extsort", "pfmload/store", "pfmload/input"},
    "pfmload": RUN | LOADER | {"hydro", "extsort"},
    "pfmload/tools": WORLD | {"hydro"},
    "iotrace/format": BASE,
    "iotrace/read": READER,
    "iotrace/skeleton": READER | {"algebra"},
    "iotrace/findings": READER | {"iotrace"},
    "iotrace/findings/judge": READER | {"iotrace/findings"},
    "iotrace/findings/show": READER | {"iotrace/findings"},
    "iotrace": READER | {"algebra", "iotrace/skeleton"},
    # The recorder is loaded into any program: it may include only the format.
    "iotrace/preload": {"iotrace/format"},
    "iotrace/preload/calls": {"iotrace/format", "iotrace/preload",
                              "iotrace/preload/mpi"},
    "iotrace/preload/mpi": {"iotrace/format", "iotrace/preload"},
    "iotrace/preload/process": {"iotrace/format", "iotrace/preload"},
    # It reads programs of MPI and uses no MPI itself.
    "ldadc/poly": BASE,
    "ldadc/interp": BASE | {"ldadc/poly"},
    "ldadc/describe": BASE | {"ldadc/poly", "ldadc/interp"},
    "ldadc/report": BASE | {"algebra", "ldadc/poly", "ldadc/interp", "ldadc/describe"},
    "ldadc": BASE | {"algebra", "ldadc/poly", "ldadc/interp", "ldadc/describe",
                     "ldadc/report"},
}
for program, _, folder, _ in programs("MPI"):  # unless it is above
    folder = folder[len("src/"):]
    MAY.setdefault(folder, RUN)
    for workload in workloads(program):
        MAY.setdefault(folder + "/" + workload, RUN | {folder, folder + "/data"})
# The same of python/leadline, lower packages first. "": what is in none of them.
PYTHON = {
    "base": set(),
    "results": {"base"},
    "judge": {"base", "results"},
    "across": {"base", "results", "judge"},
    "draw": {"base", "results"},
    "sweep": {"base", "results", "judge"},
    "skeleton": {"base", "results", "sweep"},
    "trace": {"base", "draw"},
    "importing": {"base", "results"},
    "page": {"base", "results", "judge", "across", "draw", "trace"},
    "commands": {"base", "results", "judge", "across", "sweep", "skeleton", "importing",
                 "page"},
    "": {"commands", "skeleton"},
}
PYTHON_TOP = "python/leadline/"
NO_MPI = ("base", "algebra", "layout", "hydro", "sort", "iotrace", "ldadc")
# Matrices must not depend on files: their tests need no file.
NUMERICS = re.compile(r"src/madbench/(busy|grid|linalg|remap)\.")
ALGORITHMS = re.compile(r"src/outcore/("
                        r"data/(consume|documents|image|records)|"
                        r"graph/(format|text|teps)|"
                        r"knn/(format|kernel\w*)|"
                        r"ngram/(classifier|grams|languages|letters\w*)|"
                        r"resample/(kernel|pixels)|"
                        r"search/index|sort/splitters|stream/names)\.")
FILES_MOST = 16


def folder_of(name):
    return os.path.dirname(name)[len("src/"):]


def included(name):
    """Returns ("io/io.h", ...) in quotes, and those in angle brackets."""
    text = text_of(name)
    return (re.findall(r'^\s*#\s*include\s+"([^"]+\.h)"', text, re.M),
            re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, re.M))


def may(name):
    folder = folder_of(name)
    if ALGORITHMS.match(name):
        lower = {"sort", "outcore/text/modules"}
        return BASE | {folder} | (MAY[folder] & lower)
    return (WORLD if NUMERICS.match(name) else MAY[folder]) | {folder}


def is_allowed(name, header):
    """Returns True if an include is allowed. An algorithm may include another one of a
    folder that its own may include: neither has MPI."""
    folder = os.path.dirname(header)
    both = ALGORITHMS.match(name) and ALGORITHMS.match("src/" + header)
    return folder in may(name) or both and folder in MAY[folder_of(name)]


def wrong_edges(name):
    if folder_of(name) not in MAY:
        return ["%s: the folder is not in this lint's table" % name]
    return ["%s includes %s" % (name, header) for header in included(name)[0]
            if not is_allowed(name, header)
            and not (name.startswith("src/ldadc/")
                     and header.startswith(("clang/", "llvm/")))]


def circles():
    """Returns folders that may include each other: such a table would enforce
    nothing."""
    return ["%s and %s" % (a, b) for a in MAY for b in MAY[a]
            if a < b and a in MAY[b]]


def imported(tree):
    """The parts of leadline that a module imports, each as (line, "judge.compare")."""
    found = []
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "") + "." + alias.name
                     for alias in node.names]
        found += [(node.lineno, name.partition(".")[2]) for name in names
                  if name.partition(".")[0] in ("leadline", "")]
    return found


def wrong_imports(name, text):
    """Whoever imports relatively names no package: that is wrong, too."""
    package = os.path.dirname(name[len(PYTHON_TOP):])
    if package not in PYTHON:
        return ["%s: the package is not in this lint's table" % name]
    return ["%s:%d imports %s" % (name, line, part)
            for line, part in imported(ast.parse(text))
            if part.partition(".")[0] not in PYTHON[package] | {package}]


def modules():
    return sorted(os.path.relpath(os.path.join(at, name), SRC)
                  for at, _, names in os.walk(os.path.join(SRC, PYTHON_TOP))
                  for name in names if name.endswith(".py"))


def out_of_order():
    """Packages that may import one that the table has after them."""
    order = list(PYTHON)
    return ["%s before %s" % (low, high) for low in order for high in PYTHON[low]
            if order.index(high) >= order.index(low)]


def upward_imports():
    upward = wrong_imports(PYTHON_TOP + "base/x.py", "from leadline.judge import rules")
    point(len(upward) == 1, "an import that points upward is seen", upward)
    names = modules()
    wrong = [edge for name in names for edge in wrong_imports(name, text_of(name))]
    point(names and not wrong, "imports of Python's packages point downward", wrong)
    point(not out_of_order(), "their table goes one way", out_of_order())


def crowded(names):
    held = collections.Counter(os.path.dirname(name) for name in names
                               if name.endswith((".c", ".cc", ".py"))
                               and not name.endswith("/__init__.py"))
    return ["%s has %d" % pair for pair in sorted(held.items())
            if pair[1] > FILES_MOST]


def main():
    names = sources()
    point(len(names) > 30, "sources are found (%d)" % len(names))
    edges = [edge for name in names for edge in wrong_edges(name)]
    point(not edges, "every include is in the picture", edges)
    point(not circles(), "no two folders may include each other", circles())
    upward_imports()
    full = crowded(names + modules())
    point(not full, "no folder holds more than %d sources" % FILES_MOST, full)
    bare = ["%s includes %s" % (name, header) for name in names
            for header in included(name)[0] if "/" not in header]
    point(not bare, "headers are named with their folder", bare)
    mpi = [name for name in names
           if folder_of(name).split("/")[0] in NO_MPI
           and any(header.startswith("mpi") for header in included(name)[1])]
    point(not mpi, "%s do without MPI" % ", ".join(NO_MPI), mpi)
    engine = [name for name in names if folder_of(name).split("/")[0] != "io"
              and "io/engine.h" in included(name)[0]]
    point(not engine, "io/engine.h stays inside src/io", engine)
    upwards = [name for name in names
               if "iotrace.h" in sum(included(name), [])
               and name != "src/run/measure.c"]
    point(not upwards, "only run/measure.c includes iotrace.h", upwards)
    done()


if __name__ == "__main__":
    main()
