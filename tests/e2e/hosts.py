#!/usr/bin/env python3
"""Programs on two hosts that only share files, started by mpirun as over ssh."""
import os

from e2e import Case
from in_rig import in_rig, on_two_hosts

LOCAL = os.environ.get("LEADLINE_LOCAL", "")


class Hosts(Case):
    def both(self, done):
        """A good run of two ranks on each."""
        report = self.good(done)
        self.assertEqual([(host["name"], host["ranks"]) for host in report["hosts"]],
                         [("node1", 2), ("node2", 2)])
        return report

    def test_madbench(self):
        for options in (), ("--filetype=SHARED", "--iomethod=MPI", "--collective"):
            done = self.madbench("64", "2", "--io-only", *options, np=4,
                                 launcher=on_two_hosts())
            self.both(done)

    def perf(self, *options):
        return self.run_program("ldad", "perf", "--chunks=4", "--io=partitioned", "-q",
                                *options, np=4, launcher=on_two_hosts())

    def test_a_directory_by_the_number_of_the_node(self):
        """Node 0 is the first host; both directories are there for both."""
        for node in "0", "1":
            os.mkdir(os.path.join(self.tmp, "disk" + node))
        done = self.perf("--node-dirs=%s/disk%%n" % self.tmp, "--keep")
        self.assertEqual(done.status, 0, done)
        for node, ranks in ("0", "01"), ("1", "23"):
            found = []
            for _, _, names in os.walk(os.path.join(self.tmp, "disk" + node)):
                found += names
            self.assertEqual(len(found), len(ranks), found)

    def test_a_directory_that_is_another_on_each(self):
        """As a local disk is: a host does not see what is in the other one's."""
        self.both(self.perf("--node-dirs=" + LOCAL))
        self.assertEqual(os.listdir(LOCAL), [])

    def test_a_directory_that_one_has_not(self):
        """What is made here, after the hosts were, is on this one only."""
        os.mkdir(os.path.join(LOCAL, "here"))
        try:
            done = self.perf("--node-dirs=%s/here" % LOCAL)
            self.assertEqual(done.status, 1, done)
            said = [line for line in done.err.splitlines() if "ldad perf:" in line]
            self.assertEqual(len(said), 1, done)
            self.assertIn("No such file or directory (rank 2 on node2", said[0])
        finally:
            os.rmdir(os.path.join(LOCAL, "here"))


if __name__ == "__main__":
    in_rig("hosts", "--hosts=2")
