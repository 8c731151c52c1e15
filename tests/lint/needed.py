"""The libraries that built programs load: one MPI, that of this build, and none that
only another program needs."""
import os
import re

from lint import BUILD, done, output, point, programs, skip

FLAVOUR = os.environ.get("MPI_FLAVOUR", "other")
LIBRARY = {"mpich": r"libmpich?\.so", "openmpi": r"libmpi\.so"}.get(FLAVOUR, r"libmpi")
# Any of these is an MPI library. Open MPI calls its own libmpi.so.40; MPICH's is
# libmpich.so.12 in Debian, libmpi.so.12 in its authors' own build.
ANY_MPI = re.compile(r"lib(mpi|mpich|mpicxx|mvapich)\w*\.so")
ALGEBRA = re.compile(r"lib(scalapack|blacs|lapack|blas|openblas)")


def needed(path):
    """Returns names in NEEDED; None if readelf cannot tell."""
    status, lines = output("readelf", "-d", path)
    found = [re.search(r"\(NEEDED\).*\[(.*)\]", line) for line in lines]
    return [match.group(1) for match in found if match] if status == 0 else None


def loaded(path):
    """Returns names of all libraries that the loader would load."""
    status, lines = output("ldd", path)
    return {line.split()[0] for line in lines if "=>" in line} if status == 0 else set()


def check_reader(program):
    names = needed(os.path.join(os.path.abspath(BUILD), program))
    wrong = [name for name in names or ["nothing"]
             if not re.match(r"lib(c|m)\.so|ld-linux", name)]
    point(not wrong, "%s needs the C library only" % program, wrong)
def check_without(program):
    """Checks a program that can be used without MPI."""
    names = needed(os.path.join(os.path.abspath(BUILD), program))
    point(names is not None and not any(ANY_MPI.match(name) for name in names),
          "%s does without MPI" % program, [names])


def check(program):
    path = os.path.join(os.path.abspath(BUILD), program)
    names = needed(path)
    if names is None:
        point(False, "%s is a program that readelf understands" % program)
        return
    mpi = [name for name in names if ANY_MPI.match(name)]
    point(len(mpi) == 1 and re.match(LIBRARY, mpi[0]),
          "%s needs one MPI library, %s's" % (program, FLAVOUR), [names])
    every = sorted(name for name in loaded(path)
                   if re.match(r"lib(mpi|mpich)\.so", name))
    point(len(every) == 1, "%s loads one MPI, also by way of others" % program, every)
    algebra = [name for name in names if ALGEBRA.match(name)]
    if program != "madbench":
        point(not algebra, "%s does without linear algebra" % program, algebra)
    elif os.environ.get("HAVE_SCALAPACK") == "yes":
        point(any("scalapack" in name for name in algebra), "madbench needs ScaLAPACK")
    else:
        point(not algebra, "madbench without ScaLAPACK needs none of it", algebra)


def check_recorder():
    """Checks the recorder, which is loaded into programs of any MPI, or none."""
    names = needed(os.path.join(os.path.abspath(BUILD), "libiotrace.so"))
    point(names is not None and all(re.match(r"(libc|ld-linux.*)\.so", name)
                                    for name in names),
          "libiotrace.so needs the C library only", [names])


def main():
    if output("readelf", "--version")[0]:
        skip("programs", "there is no readelf")
    else:
        check_reader("iotrace")
        for name, _, _, _ in programs("MPI"):
            check(name)
        check_recorder()
        for name, _, _, _ in programs("serial"):
            check_without(name)
        if os.environ.get("HAVE_CLANG") == "yes":
            check_without("ldadc")
    done()


if __name__ == "__main__":
    main()
