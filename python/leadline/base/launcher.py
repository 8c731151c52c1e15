"""What starts MPI programs: the launcher for a program, and what it is given.

There is one answer for leadline itself, for the jobs of --submit, and for the scripts
of Slurm, which ask "leadline launcher".
"""
import functools
import os
import shlex
import shutil
import subprocess
from typing import List, Sequence

from leadline.base import output
from leadline.base.errors import LeadlineError, usage

PATIENCE_S = 20
OPENMPI, MPICH = "openmpi", "mpich"
# In which libraries an MPI shows; Intel MPI and MVAPICH have MPICH's binary interface.
LIBRARIES = (("libopen-pal", OPENMPI), ("libmpich", MPICH), ("libmpi.so.12", MPICH))
# How srun speaks to it, and what its own launchers are called.
PROTOCOL = {OPENMPI: "pmix", MPICH: "pmi2"}
NAMES = {OPENMPI: ("mpirun.openmpi", "mpirun"), MPICH: ("mpirun.mpich", "mpirun")}


def is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_program(name: str, folders: Sequence[str]) -> str:
    """`name` as a path, in the build tree or where leadline is installed, or on
    PATH."""
    if "/" in name:
        found = name if is_program(name) else None
    else:
        places = [os.path.join(folder, name) for folder in folders]
        places = list(filter(is_program, places))
        found = places[0] if places else shutil.which(name)
    if not found:
        raise LeadlineError("program %s was found neither in %s nor on PATH"
                            % (name, ", ".join(folders) or "a build tree"))
    return os.path.abspath(found)


def said(words):
    """All that a command prints; nothing where it cannot be started."""
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE_S,
                              check=False).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        return ""


@functools.lru_cache(maxsize=None)
def flavour(program):
    """Of the MPI that a program is linked with; "" where that does not show."""
    folder, name = os.path.split(program)
    built = os.path.join(folder, ".libs", name)   # libtool may have put a script there
    libraries = said(["ldd", built if os.path.exists(built) else program])
    return next((kind for part, kind in LIBRARIES if part in libraries), "")


@functools.lru_cache(maxsize=None)
def protocols():
    """What this machine's srun speaks."""
    return said(["srun", "--mpi=list"])


def within_slurm() -> bool:
    return "SLURM_JOB_ID" in os.environ


def find(program, where, slurm):
    """The launcher for this program, as text. slurm: it is to run in a job of Slurm.
    LEADLINE_MPIEXEC always wins. In a job srun is right where it speaks the protocol of
    the program's MPI. Programs that leadline was built with have their own launcher,
    others one of their MPI."""
    if os.environ.get("LEADLINE_MPIEXEC"):
        return os.environ["LEADLINE_MPIEXEC"]
    kind = flavour(program)
    if slurm and kind and PROTOCOL[kind] in protocols():
        return "srun --mpi=" + PROTOCOL[kind]
    if not kind or os.path.dirname(program) in map(os.path.abspath, where.folders):
        return where.mpiexec
    return next(filter(shutil.which, NAMES[kind]), NAMES[kind][-1])


def words_of(text: str) -> List[str]:
    """A launcher with its arguments, as a list."""
    try:
        found = shlex.split(text) if isinstance(text, str) else list(text)
    except ValueError as why:
        raise usage("mpiexec cannot be read: %s: %s" % (why, text))
    if not found or not found[0]:
        raise usage("mpiexec names no launcher")
    return found


def check(words: Sequence[str]) -> None:
    """That it is there, before anything runs."""
    if not shutil.which(words[0]):
        raise LeadlineError("launcher %s was not found: install it, or name another "
                            "one by mpiexec or LEADLINE_MPIEXEC" % words[0])


@functools.lru_cache(maxsize=None)
def is_open_mpi(name):
    told = said([name, "--version"])
    return "Open MPI" in told or "OpenRTE" in told


def hosts(words, path):
    """The options by which this launcher takes the nodes of a file."""
    if os.path.basename(words[0]) == "srun":   # without a slash it is a node's name
        return ["--nodelist=" + os.path.join(os.curdir, path)]
    return ["--hostfile", path]


def variables(words, names):
    """The options by which it hands these variables on to other nodes; others than Open
    MPI's do that by themselves."""
    if not names or not is_open_mpi(words[0]):
        return []
    return [word for name in names for word in ("-x", name)]


def main(args, where):
    program = find_program(args.program, where.folders)
    output.say(find(program, where, within_slurm()) + "\n")
    return 0


def add(commands):
    p = commands.add_parser(
        "launcher", help="print the command that starts MPI programs here",
        description="Prints the command with which sweep, calibrate and io500 start "
                    "PROGRAM, followed by -n RANKS PROGRAM: LEADLINE_MPIEXEC if it "
                    "is set; in a Slurm job srun, if it can start programs of "
                    "PROGRAM's MPI library; otherwise the launcher of that library.")
    p.add_argument("program", metavar="PROGRAM", nargs="?", default="blocktransfer",
                   help="a program's name or path (default: blocktransfer)")
    p.set_defaults(run=main)
