"""The built programs and libraries have the protections against exploits that configure
found in the compiler (m4/ll_hardening.m4)."""
import os
import re

from lint import BUILD, done, output, point, programs, skip

PROGRAMS = tuple(name for name, _, _, _ in programs("MPI", "serial"))
LIBRARIES = ("libiotrace.so", "libldad.so")
FLAGS = os.environ.get("HARDENED", "").split()
# Flag, readelf's output for it, and exemptions: the recorder wraps functions that would
# be checked. (-fcf-protection marks a program only if the C library's own start files
# are marked, too: so the test looks for its instructions.)
MARKS = (
    ("-fstack-protector-strong", r"\b__stack_chk_fail\b", ()),
    ("-fcf-protection", r"^IBT\Z", ()),
    ("-Wl,-z,relro", r"\bGNU_RELRO\b", ()),
    ("-Wl,-z,now", r"\bBIND_NOW\b|FLAGS.*\bNOW\b", ()),
    ("-D_FORTIFY_SOURCE", r"\b__\w+_chk\b", ("libiotrace.so",)),
    ("PIE", r"Type:\s+DYN", ()),
)
ENDBR64 = b"\xf3\x0f\x1e\xfa"
FUNCTIONS = 10  # own functions of each, at least


def landings(path):
    """Returns readelf's word for landing places of indirect jumps."""
    with open(path, "rb") as f:
        return "IBT" if f.read().count(ENDBR64) > FUNCTIONS else ""


def check(name):
    path = os.path.join(os.path.abspath(BUILD), name)
    status, lines = output("readelf", "-W", "-hld", "--dyn-syms", path)
    seen = "\n".join(lines + [landings(path)])
    missing = [flag for flag, mark, exempt in MARKS
               if any(f.startswith(flag) for f in FLAGS) and name not in exempt
               and not re.search(mark, seen, re.M)]
    point(status == 0 and not missing, "%s is hardened" % name, missing or lines[:3])


def main():
    if output("readelf", "--version")[0]:
        skip("programs", "there is no readelf")
    elif not any(flag.startswith("-") for flag in FLAGS):
        skip("programs", "configured with --disable-hardening")
    else:
        for name in PROGRAMS + LIBRARIES:
            check(name)
        if os.environ.get("HAVE_CLANG") == "yes":
            check("ldadc")
    done()


if __name__ == "__main__":
    main()
