#!/usr/bin/env python3
# tier: ci; limit: 600
"""tests/rig/hosts and tests/rig/slurm: everything that they make exists, and is gone
afterwards, however they end. rig_disks.py tests the part that they share with
tests/rig/disks."""
import contextlib
import os
import signal
import subprocess
import sys

from e2e import TESTS, Case, add, main, runner
from in_rig import unless_quick

IMPOSSIBLE = 77
PATIENCE_S = 300
OURS = {"slurmctld", "slurmd", "slurmstepd", "munged", "sleep"}


class Rigs(Case):
    RIG = "hosts"

    def setUp(self):
        super().setUp()
        done = self.end(self.begin("true"))
        if done.returncode == IMPOSSIBLE:
            self.skipTest(done.said.strip())

    def begin(self, script, *options):
        """Starts a rig with its temporary files in self.tmp, which ends with the
        case."""
        rig = subprocess.Popen(
            [sys.executable, os.path.join(TESTS, "rig", self.RIG), *options, "--", "sh",
             "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=dict(os.environ, TMPDIR=self.tmp))
        self.addCleanup(self.unmake, rig)
        return rig

    def unmake(self, rig):
        """Ends a rig that a failed case has left, and its leftovers."""
        if rig.poll() is None:
            rig.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                rig.communicate(timeout=30)
        runner.end_all(signal.SIGKILL)

    def end(self, rig):
        """Ends it, which takes some seconds; a busy machine may need many times
        that."""
        rig.said = rig.communicate(timeout=PATIENCE_S * runner.SCALE)[0].decode()
        return rig

    def runs(self, script, *options, status=0):
        rig = self.end(self.begin(script, *options))
        self.assertEqual(rig.returncode, status, rig.said)
        self.nothing_left()
        return rig.said.splitlines()

    def nothing_left(self):
        runner.gone_within(PATIENCE_S)
        self.assertEqual(os.listdir(self.tmp), [])
        left = [runner.name_of(pid) for pid in runner.descendants()]
        self.assertEqual([name for name in left if name in OURS], [])

    def ends(self, number, status):
        rig = self.begin("echo ready; exec sleep 1000")
        rig.stdout.readline()
        rig.send_signal(number)
        self.end(rig)
        self.assertEqual(rig.returncode, status)
        self.nothing_left()


class Hosts(Rigs):
    def test_names_and_networks(self):
        said = self.runs("hostname; for h in node1 node2 node3; do $LEADLINE_RSH "
                         "$h 'hostname; ip -o -4 addr show eth0'; done", "--hosts=3")
        self.assertEqual(said[0], "node1")
        self.assertEqual(said[1::2], ["node1", "node2", "node3"])
        self.assertEqual(len(set(line.split()[3] for line in said[2::2])), 3)

    def test_head(self):
        self.assertEqual(self.runs("hostname", "--head"), ["head"])

    def test_only_the_local_directory_is_not_shared(self):
        said = self.runs("cd $LEADLINE_LOCAL && touch here && ls && cd - >/dev/null && "
                         "$LEADLINE_RSH node2 ls $LEADLINE_LOCAL && "
                         "$LEADLINE_RSH node2 pwd && pwd")
        self.assertEqual(said, ["here"] + [os.getcwd()] * 2)

    def test_they_reach_each_other(self):
        serve = ("import socket; s = socket.socket(); s.bind((\"node2\", 7777)); "
                 "s.listen(); print(\"ready\", flush=True); "
                 "print(s.accept()[0].recv(9).decode())")
        ask = ("import socket; "
               "socket.create_connection((\"node2\", 7777)).send(b\"met\")")
        said = self.runs(
            ": >%s/said; "
            "$LEADLINE_RSH node2 python3 -c \"'%s'\" >%s/said & server=$!; "
            "until grep -q ready %s/said; do sleep 0.1; done; python3 -c '%s'; "
            "wait $server; cat %s/said; rm %s/said"
            % (self.tmp, serve.replace('"', '\\"'), self.tmp, self.tmp, ask, self.tmp,
               self.tmp))
        self.assertEqual(said, ["ready", "met"])

    def test_status(self):
        self.runs("exit 3", status=3)
        self.runs("kill -TERM $$", status=128 + signal.SIGTERM)


class Slurm(Rigs):
    RIG = "slurm"

    def test_nodes(self):
        said = self.runs("sinfo -h -N -o '%N %T'; srun -N 3 hostname | sort; hostname",
                         "--nodes=3")
        self.assertEqual(said, ["node1 idle", "node2 idle", "node3 idle",
                                "node1", "node2", "node3", "head"])

    def test_a_job_that_is_left_is_ended(self):
        self.runs("sbatch -N 2 --wrap 'srun sleep 1000' -o %s/out >/dev/null; "
                  "timeout 100 sh -c 'until squeue -h -t R | grep -q . && "
                  "[ -e %s/out ]; do sleep 0.1; done' && rm %s/out"
                  % (self.tmp, self.tmp, self.tmp))


for case_ in Hosts, Slurm:
    for name_, number_, status_ in (
            ("SIGTERM", signal.SIGTERM, 128 + signal.SIGTERM),
            ("SIGINT", signal.SIGINT, 128 + signal.SIGINT),
            ("SIGKILL", signal.SIGKILL, -signal.SIGKILL)):
        add(case_, "ends_by_" + name_, "ends", number_, status_)

del Rigs, case_  # no cases of their own
if __name__ == "__main__":
    unless_quick()
    runner.adopt_orphans()  # we see, and end, a rig's leftovers
    main()
