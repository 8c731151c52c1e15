"""leadline doctor: starts the program that examines a directory, in its own place, so
that what a launcher of MPI programs gives to this process is that program's."""
import os
import sys
from typing import Any, List

from leadline.base import launcher
from leadline.base.errors import LeadlineError
from leadline.base.options import operand, option

PROGRAM = "leadline-doctor"

OPTIONS = [
    operand("DIR", "dir", "the directory to examine"),
    option("--json FILE", "write the findings as JSON, too; -: instead of the text",
           "Writes the findings as JSON to FILE, too. With `-` they go to standard "
           "output, instead of the text."),
]


def arguments(args: Any) -> List[str]:
    """Returns the program's arguments. A directory that begins with a dash is none of
    its options."""
    folder = os.path.join(os.curdir, args.dir) if args.dir[:1] == "-" else args.dir
    return [folder] + (["--json=" + args.json] if args.json is not None else [])


def main(args: Any, where: Any) -> int:
    program = launcher.find_program(PROGRAM, where.folders)
    sys.stdout.flush()
    try:
        os.execv(program, [PROGRAM] + arguments(args))
    except (OSError, ValueError) as why:
        raise LeadlineError("%s: cannot be started: %s" % (program, why))


def add(commands: Any) -> None:
    p = commands.add_parser(
        "doctor", help="say what a directory can do, and what it is honest about",
        description="Examines a directory in some seconds: what its file system can "
                    "do, where it does what it says, and what that means for a "
                    "measurement. Started on two nodes, as in \"mpirun -np 2 "
                    "leadline doctor DIR\" with a rank on each, it also tries what "
                    "they see of each other's work.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
