# mpi: any
"""Who may include whom: the picture in doc/architecture.md, as a table.

A folder of src that is not in the table fails: put it in where it belongs."""
import re

from lint import done, point, sources, text_of

LIBRARIES = {
    "base": set(),
    "world": {"base"},
    "layout": {"base"},
    "hydro": {"base"},
    "io": {"world", "base"},
    "report": {"world", "base"},
    "run": {"io", "layout", "report", "world", "base"},
}
PROGRAMS = {"block", "ldad", "madbench", "pfmload"}
PROGRAM_MAY = set(LIBRARIES)
# It reads programs of MPI and is none.
ANALYSER_MAY = {"base", "ldadc"}
# The recorder is loaded into any program: it has nothing but the format.
RECORDER = "src/iotrace/preload/"
# Matrices must not know how they get to files: their tests need no file.
NUMERICS = re.compile(r"src/madbench/(busy|grid|pixels|linalg|remap|scalapack|tick)\.")
NUMERICS_MAY = {"world", "base"}


def folder_of(name):
    return name.split("/")[1]


def included(name):
    """("io/io.h", ...) in quotes, and what is in angle brackets."""
    text = text_of(name)
    return (re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M),
            re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, re.M))


def may(name):
    folder = folder_of(name)
    if name.startswith("src/iotrace/") and name.count("/") == 2:
        return LIBRARIES["base"] | {"base", "iotrace"}
    if name.startswith("src/ldadc/"):
        return ANALYSER_MAY
    if name.startswith(RECORDER):
        return {"iotrace"}
    if NUMERICS.match(name):
        return NUMERICS_MAY | {folder}
    return (PROGRAM_MAY if folder in PROGRAMS else LIBRARIES[folder]) | {folder}


def wrong_edges(name):
    if folder_of(name) not in PROGRAMS | set(LIBRARIES) | {"iotrace", "ldadc"}:
        return ["%s: the folder is not in this lint's table" % name]
    return ["%s includes %s" % (name, header) for header in included(name)[0]
            if header.split("/")[0] not in may(name)
            and not (name.startswith("src/ldadc/")
                     and header.startswith(("clang/", "llvm/")))]


def main():
    names = sources()
    point(len(names) > 30, "sources are found (%d)" % len(names))
    edges = [edge for name in names for edge in wrong_edges(name)]
    point(not edges, "every include is in the picture", edges)
    bare = ["%s includes %s" % (name, header) for name in names
            for header in included(name)[0] if "/" not in header]
    point(not bare, "headers are named with their folder", bare)
    mpi = [name for name in names
           if folder_of(name) in ("base", "layout", "hydro", "iotrace", "ldadc")
           and any(header.startswith("mpi") for header in included(name)[1])]
    point(not mpi, "base, layout, hydro, iotrace and ldadc do without MPI", mpi)
    engine = [name for name in names if folder_of(name) != "io"
              and "io/engine.h" in included(name)[0]]
    point(not engine, "io/engine.h stays inside src/io", engine)
    upwards = [name for name in names
               if "iotrace.h" in sum(included(name), [])
               and name != "src/report/phase.c"]
    point(not upwards, "only report/phase.c includes iotrace.h", upwards)
    done()


if __name__ == "__main__":
    main()
