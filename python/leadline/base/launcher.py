"""Finds the launcher of MPI programs, and the options that it takes.

leadline itself, the jobs of --submit, and the scripts of Slurm, which ask "leadline
launcher", all use it.
"""
import functools
import os
import shlex
import shutil
import subprocess
from typing import Any, Iterable, List, Sequence

from leadline.base import output
from leadline.base.errors import LeadlineError, usage
from leadline.base.options import operand

PATIENCE_S = 20
OPENMPI, MPICH = "openmpi", "mpich"
# Libraries by which an MPI is recognised; Intel MPI and MVAPICH have MPICH's binary
# interface.
LIBRARIES = (("libopen-pal", OPENMPI), ("libmpich", MPICH), ("libmpi.so.12", MPICH))
# srun's name for its protocol, and the names of its own launchers.
PROTOCOL = {OPENMPI: "pmix", MPICH: "pmi2"}
NAMES = {OPENMPI: ("mpirun.openmpi", "mpirun"), MPICH: ("mpirun.mpich", "mpirun")}


def is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_program(name: str, folders: Sequence[str]) -> str:
    """Returns the path of `name` in the build tree, or where leadline is installed, or
    on PATH."""
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


def said(words: Sequence[str]) -> str:
    """Returns all that a command prints; "" if it cannot be started."""
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE_S,
                              check=False).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        return ""


@functools.lru_cache(maxsize=None)
def flavour(program: str) -> str:
    """Returns the MPI that a program is linked with; "" if unknown."""
    libraries = said(["ldd", program])
    return next((kind for part, kind in LIBRARIES if part in libraries), "")


@functools.lru_cache(maxsize=None)
def protocols() -> str:
    """Returns the protocols of this machine's srun."""
    return said(["srun", "--mpi=list"])


def within_slurm() -> bool:
    return "SLURM_JOB_ID" in os.environ


def find(program: str, where: Any, slurm: bool) -> str:
    """Returns the launcher for this program, as text. slurm: for a job of Slurm.
    LEADLINE_MPIEXEC always wins. In a job srun is chosen if it supports the protocol of
    the program's MPI. Programs that leadline was built with have their own launcher,
    others one of their MPI."""
    if os.environ.get("LEADLINE_MPIEXEC"):
        return os.environ["LEADLINE_MPIEXEC"]
    kind = flavour(program)
    if slurm and kind and PROTOCOL[kind] in protocols():
        # by default the other ranks of a step go on when one has died
        return "srun --kill-on-bad-exit=1 --mpi=" + PROTOCOL[kind]
    if not kind or os.path.dirname(program) in map(os.path.abspath, where.folders):
        return str(where.mpiexec)
    return next(filter(shutil.which, NAMES[kind]), NAMES[kind][-1])


def words_of(text: str) -> List[str]:
    """Splits a launcher with its arguments into a list."""
    try:
        found = shlex.split(text) if isinstance(text, str) else list(text)
    except ValueError as why:
        raise usage("mpiexec cannot be read: %s: %s" % (why, text))
    if not found or not found[0]:
        raise usage("mpiexec names no launcher")
    return found


def check(words: Sequence[str]) -> None:
    """Fails if the launcher is missing, before anything runs."""
    if not shutil.which(words[0]):
        raise LeadlineError("launcher %s was not found" % words[0],
                            todo="Install it, or name another one by mpiexec or "
                            "LEADLINE_MPIEXEC")


@functools.lru_cache(maxsize=None)
def is_open_mpi(name: str) -> bool:
    told = said([name, "--version"])
    return "Open MPI" in told or "OpenRTE" in told


def hosts(words: Sequence[str], path: str) -> List[str]:
    """Returns the options that make this launcher use the nodes in a file."""
    # srun takes a name without a slash for a node
    if os.path.basename(words[0]) == "srun":
        return ["--nodelist=" + os.path.join(os.curdir, path)]
    return ["--hostfile", path]


def variables(words: Sequence[str], names: Iterable[str]) -> List[str]:
    """Returns the options that pass these variables to other nodes; only Open MPI needs
    them."""
    if not names or not is_open_mpi(words[0]):
        return []
    return [word for name in names for word in ("-x", name)]


def main(args: Any, where: Any) -> int:
    program = find_program(args.program, where.folders)
    output.say(find(program, where, within_slurm()) + "\n")
    return 0


OPTIONS = [
    operand("[PROGRAM]", "program",
            "a program's name or path (default: blocktransfer)",
            default="blocktransfer"),
]
VARIABLES = {
    "LEADLINE_MPIEXEC":
        "The command that starts MPI programs, such as \"srun --mpi=pmix\" or \"flux "
        "run\"; it is given `-n` RANKS PROGRAM. It overrides what `leadline launcher` "
        "would find.",
}


def add(commands: Any) -> None:
    p = commands.add_parser(
        "launcher", help="print the command that starts MPI programs here",
        description="Prints the command with which sweep, calibrate and io500 start "
                    "PROGRAM, followed by -n RANKS PROGRAM: LEADLINE_MPIEXEC if it "
                    "is set; in a Slurm job srun, if it can start programs of "
                    "PROGRAM's MPI library; otherwise the launcher of that library.")
    p.declare(OPTIONS)
    p.variables.update(VARIABLES)
    p.set_defaults(run=main)
