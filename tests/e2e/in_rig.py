"""Tests that need a rig: they start themselves again in it, or skip with its reason.

    if __name__ == "__main__":
        in_rig("slurm", "--nodes=2")     # as main() of e2e.py
"""
import os
import subprocess
import sys

from e2e import FLAVOUR, TESTS, main

IMPOSSIBLE = 77


def unless_quick():
    """Ends a slow test if LEADLINE_QUICK says that all have run."""
    if os.environ.get("LEADLINE_QUICK"):
        print("1..0 # SKIP left out by LEADLINE_QUICK")
        sys.exit(0)


def on_two_hosts():
    """Returns the launcher's options for two ranks on each of the first two hosts of a
    rig."""
    rsh, hosts = os.environ["LEADLINE_RSH"], "node1:2,node2:2"
    if FLAVOUR == "openmpi":
        return "--mca", "plm_rsh_agent", rsh, "--host", hosts
    return "-launcher", "rsh", "-launcher-exec", rsh, "-hosts", hosts


def in_rig(name, *options):
    if {"LEADLINE_RSH", "LEADLINE_DISKS"} & set(os.environ):  # what rigs set
        main()
    unless_quick()
    rig = [sys.executable, os.path.join(TESTS, "rig", name), *options, "--"]
    done = subprocess.run(rig + [sys.executable, os.path.abspath(sys.argv[0])],
                          stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode == IMPOSSIBLE:
        print("1..0 # SKIP " + said.strip())
        sys.exit(0)
    sys.stderr.write(said)
    sys.exit(done.returncode)
