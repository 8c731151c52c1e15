"""Entry point of python3 -m leadline, and of the command that pip installs
(python/wheel.py): leadline without the programs, which it finds on PATH.
"""
import os
import sys

from leadline.commands import cli


def version():
    """Returns the version of the wheel, if this is one."""
    try:
        from importlib import metadata  # pylint: disable=import-outside-toplevel
        return metadata.version("leadline")
    except (ImportError, LookupError):
        return cli.NOWHERE.version


def start():
    return cli.main(where=cli.NOWHERE._replace(
        version=version(),
        mpiexec=os.environ.get("LEADLINE_MPIEXEC") or cli.NOWHERE.mpiexec))


if __name__ == "__main__":
    sys.exit(start())
