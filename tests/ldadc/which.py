"""Chooses the ldadc to test, the MPI, and how much. ldadc is the same with any MPI, so
one build tree has it; if another one has none, a sample shows that programs compiled by
that MPI are analysed and rewritten as well."""
import glob
import os

from e2e import BUILD
from tap import TIER, drawn

MPICC = os.environ["MPI_CC"]
HERE = os.path.join(BUILD, "ldadc")
BESIDE = sorted(glob.glob(os.path.join(os.path.dirname(BUILD), "*", "ldadc")))
BUILT = os.environ.get("HAVE_CLANG") == "yes" and os.path.exists(HERE)
OWN = BUILT and not os.environ.get("LEADLINE_OTHER_MPI")
LDADC = os.environ.get("LDADC") or (HERE if BUILT or not BESIDE else BESIDE[0])
THERE = os.path.exists(LDADC)
WHY_NOT = "there is no ldadc: no clang to build it with"
READS_SOURCES = ("analyse", "check", "plan", "rewrite")


def command(*line):
    """Returns ldadc's command line, for programs of this tree's MPI."""
    with_mpi = not OWN and line[0] in READS_SOURCES
    return [LDADC, line[0]] + ["--mpicc=" + MPICC] * with_mpi + list(line[1:])


def sample(few, *cases):
    """Keeps only a few of these test cases' methods if ldadc is another tree's."""
    if OWN or TIER == "full":
        return
    names = [(case, name) for case in cases for name in sorted(vars(case))
             if name.startswith("test_")]
    kept = drawn([name for _, name in names], few, few / len(names))
    for case, name in names:
        if name not in kept:
            delattr(case, name)
        else:
            vars(case)[name].scenario = None  # it is drawn already
            vars(case)[name].is_long = TIER == "ci"
