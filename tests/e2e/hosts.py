#!/usr/bin/env python3
# tier: quick ci
"""Programs on two hosts that only share files, started by mpirun as over ssh."""
import os
import re
import signal
import subprocess

from e2e import Case, long, runner
from in_rig import in_rig, on_two_hosts

LOCAL = os.environ.get("LEADLINE_LOCAL", "")


def rank_of(pid):
    with open("/proc/%d/environ" % pid) as f:
        return int(re.search(r"(?:PMI|OMPI_COMM_WORLD)_RANK=(\d+)", f.read()).group(1))


class Hosts(Case):
    def both(self, done):
        """A good run of two ranks on each."""
        report = self.good(done)
        self.assertEqual([(host["name"], host["ranks"]) for host in report["hosts"]],
                         [("node1", 2), ("node2", 2)])
        self.assertNotIn("unwatched_ranks", [w["code"] for w in report["warnings"]])
        return report

    @long
    def test_a_node_is_frozen(self):
        """The other node misses its first rank, and no other rank."""
        run = self.start("madbench", "64", "1000", "--bwexp=2.6", "--io-only", "-q",
                         "--io-timeout=3", np=4, launcher=on_two_hosts())
        self.until(lambda: len(run.ranks()) == 4 and os.path.exists(run.json), "ranks")
        ranks = run.ranks()
        there = [pid for pid in ranks if rank_of(pid) >= 2]
        runner.send(signal.SIGSTOP, there)
        try:
            self.until(lambda: "sets the limit" in open(
                os.path.join(run.folder, "err")).read(), "somebody tells")
        finally:
            runner.send(signal.SIGCONT, there)
        run.wait(30)
        self.assertNotEqual(run.status, 0, run)
        told = [line for line in run.err.splitlines() if "sets the limit" in line]
        self.assertEqual(len(told), 1, run)
        self.assertIn("madbench: rank 0 on node1: rank 2 on node2, the first of its",
                      told[0])
        self.until(lambda: not [pid for pid in ranks if pid in runner.parents()],
                   "all ranks have ended")

    def test_madbench(self):
        for options in (), ("--filetype=SHARED", "--iomethod=MPI", "--collective"):
            done = self.madbench("64", "2", "--io-only", *options, np=4,
                                 launcher=on_two_hosts())
            self.both(done)

    def perf(self, *options):
        return self.run_program("ldad", "perf", "--chunks=4", "--io=partitioned", "-q",
                                *options, np=4, launcher=on_two_hosts())

    def test_a_directory_by_the_number_of_the_node(self):
        """Node 0 is the first host; both directories exist on both."""
        for node in "0", "1":
            os.mkdir(self.path("disk" + node))
        done = self.perf("--node-dirs=%s/disk%%n" % self.tmp, "--keep")
        self.assertEqual(done.status, 0, done)
        for node, ranks in ("0", "01"), ("1", "23"):
            found = []
            for _, _, names in os.walk(self.path("disk" + node)):
                found += names
            self.assertEqual(sorted(name.split("-")[0] for name in found),
                             ["part"] * len(ranks) + ["sums"] * len(ranks))

    def test_a_directory_that_is_another_on_each(self):
        """The directory is like a local disk: a host does not see the other one's
        files."""
        self.both(self.perf("--node-dirs=" + LOCAL))
        self.assertEqual(os.listdir(LOCAL), [])

    def test_a_directory_that_one_has_not(self):
        """A directory made now, after the hosts, exists on this one only."""
        os.mkdir(os.path.join(LOCAL, "here"))
        try:
            done = self.perf("--node-dirs=%s/here" % LOCAL)
            self.assertEqual(done.status, 1, done)
            said = [line for line in done.err.splitlines()
                    if "ldad perf:" in line and "another file system" not in line]
            self.assertEqual(len(said), 1, done)
            self.assertIn("No such file or directory (rank 2 on node2", said[0])
        finally:
            os.rmdir(os.path.join(LOCAL, "here"))

    def test_a_mount_that_one_has_not(self):
        """It is refused, with both file systems, unless that is meant."""
        at = self.path("mount")
        os.mkdir(at)
        node2 = os.environ["LEADLINE_RSH"], "node2"
        subprocess.run([*node2, "mount -t tmpfs none " + at], check=True)
        try:
            for program, size in ("blocktransfer", "1M"), ("metabench", "20"):
                for options in (), ("--unlike-nodes",):
                    done = self.run_program(program, size, *options, "-q", np=4,
                                            launcher=on_two_hosts(), dir=at)
                    self.assertIn("another file system, tmpfs (memory), on node node2",
                                  done.err, done)
                    if not options:
                        self.failed(done, "check the mounts")
                    elif program == "blocktransfer":
                        self.assertEqual(done.status, 0, done)
                        self.assertIn("unlike_nodes", [
                            w["code"] for w in done.report["warnings"]])
                    else:  # its ranks meet in one directory
                        self.failed(done, "meet in one file or directory")
        finally:
            subprocess.run([*node2, "umount " + at], check=True)


if __name__ == "__main__":
    in_rig("hosts", "--hosts=2")
