#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""A frozen rank, which makes no calls: the others are ended, with a sentence that names
it. By SIGSTOP, by a cgroup's freezer (as root), on this node and on another one (MPICH
pretends that there are several); but not if all ranks are frozen for a while, as batch
systems do."""
import contextlib
import os
import signal
import subprocess
import sys
import time

from e2e import (ASYNCHRONOUS, FLAVOUR, TESTS, Case, add, drawn, long, main, runner,
                 write_file)

sys.path.insert(0, os.path.join(TESTS, "fault"))
import disks  # noqa: E402

LIMIT_S = 3
FREEZER = "/sys/fs/cgroup/freezer"
ENDLESS = ("64", "1000", "--bwexp=2.6", "--io-only", "--quiet")
# A transfer each 50 ms, for some seconds, with no file.
STEADY = ("5M", "--block-size=64k", "--iomethod=null:delay_us=50000", "--no-verify",
          "--quiet")


class Freezer:
    """A cgroup (version 1) that holds processes until it is left."""

    def __init__(self, case):
        if os.geteuid() or not os.path.exists(os.path.join(FREEZER, "tasks")):
            case.skipTest("needs root, and a freezer at %s" % FREEZER)
        self.folder = os.path.join(FREEZER, "leadline-%d" % os.getpid())
        os.mkdir(self.folder)
        case.addCleanup(self.remove)

    def put(self, name, value, folder=None):
        write_file(os.path.join(folder or self.folder, name), str(value))

    def freeze(self, pids):
        for pid in pids:
            self.put("cgroup.procs", pid)
        self.put("freezer.state", "FROZEN")

    def thaw(self):
        self.put("freezer.state", "THAWED")

    def remove(self):
        self.thaw()
        with open(os.path.join(self.folder, "cgroup.procs")) as f:
            for pid in f.read().split():
                with contextlib.suppress(OSError):
                    self.put("cgroup.procs", pid, FREEZER)
        deadline = time.monotonic() + 10
        while os.path.isdir(self.folder) and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                os.rmdir(self.folder)
            time.sleep(0.05)


class Stopper:
    def __init__(self, case):
        self.pids = []

    def freeze(self, pids):
        self.pids = pids
        runner.send(signal.SIGSTOP, pids)

    def thaw(self):
        runner.send(signal.SIGCONT, self.pids)


# Others wait for a rank within a call that has a deadline.
COLLECTIVE = ENDLESS + ("--iomethod=MPI", "--filetype=SHARED", "--collective")


def nodes(n):
    """Returns options for MPICH, which map ranks to so many nodes in turn."""
    return {"MPIR_CVAR_NUM_CLIQUES": str(n)} if n > 1 else {}


class Frozen(Case):
    def running(self, args, np, on, program="madbench"):
        if on > 1 and FLAVOUR != "mpich":
            self.skipTest("only MPICH pretends that there are several nodes")
        run = self.start(program, *args, "--io-timeout=%d" % LIMIT_S, np=np,
                         env=nodes(on))
        self.until(lambda: len(run.ranks()) == np and os.path.exists(run.json),
                   "all ranks run")
        time.sleep(1)
        return run

    def one_is_frozen(self, how, which, np, on, *parts, args=ENDLESS):
        freezer = how(self)
        run = self.running(args, np, on)
        ranks = sorted(run.ranks())
        begin = time.monotonic()
        freezer.freeze([ranks[which]])
        self.until(lambda: "limit" in self.heard(run), "somebody tells")
        took = time.monotonic() - begin
        freezer.thaw()
        run.wait(30)
        self.assertGreater(took, LIMIT_S - 1)
        self.assertNotEqual(run.status, 0, run)
        told = [line for line in run.said if "--io-timeout sets the limit" in line]
        self.assertEqual(len(told), 1, run)
        for part in ("rank %d on %s" % (which % np, os.uname()[1]), *parts):
            self.assertIn(part, told[0])
        self.until(lambda: not [pid for pid in ranks if pid in runner.parents()],
                   "all ranks have ended")
        self.assertIs(run.report["valid"], False)

    def test_within_a_collective_call(self):
        self.one_is_frozen(Stopper, 1, 3, 1, "has been stopped by a signal",
                           args=COLLECTIVE)

    def heard(self, run):
        with open(os.path.join(run.folder, "err"), errors="replace") as f:
            return f.read()

    def all_are_frozen(self, how, on):
        """They stay frozen for longer than the limit; then they go on."""
        freezer = how(self)
        run = self.running(STEADY, 3, on, "blocktransfer")
        freezer.freeze(run.ranks())
        time.sleep(2.5 * LIMIT_S)
        freezer.thaw()
        run.wait(60)
        self.good(run)

    @long
    def test_while_it_starts(self):
        """One rank never arrives: there is a deadline of a minute at least."""
        run = self.start("blocktransfer", "1M", "--io-timeout=2", "--quiet", np=2,
                         inside=("sh", "-c", 'test "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"'
                                 ' = 0 && exec "$@"; exec sleep 200', "sh"))
        run.wait(100)
        self.assertNotEqual(run.status, 0, run)
        self.assertEqual(len(run.said), 1, run)
        self.assertIn("starting MPI with the other ranks did not", run.said[0])

    def test_no_watch_is_told(self):
        """Nodes cannot reach each other: the report has a warning. A network namespace
        without any interface has that effect."""
        if os.geteuid() or FLAVOUR != "mpich":
            self.skipTest("needs root, and MPICH to pretend that there are two nodes")
        run = self.start("blocktransfer", "1M", "--quiet", np=2, env=nodes(2),
                         inside=("unshare", "-n"))
        report = self.good(run.wait(30))
        self.assertIn("unwatched_ranks", [w["code"] for w in report["warnings"]])

    def test_nodes_are_watched(self):
        if FLAVOUR != "mpich":
            self.skipTest("only MPICH pretends that there are several nodes")
        report = self.good(self.blocktransfer("1M", np=4, env=nodes(2)))
        self.assertEqual(len(report["hosts"]), 2)
        self.assertNotIn("unwatched_ranks", [w["code"] for w in report["warnings"]])

    def a_call_hangs(self, call, engine):
        """On a file server that answers after the limit: status 1, whoever waits. Until
        then the kernel lets nobody go, and so the launcher waits, too."""
        place = self.path("place")
        os.mkdir(place)
        with disks.passthrough(place, call + ":hang:6", "/blocktransfer"):
            done = self.blocktransfer("256k", "-b", "16k", "--iomethod=" + engine,
                                      "--io-timeout=2", "--quiet", np=2, dir=place)
        self.assertEqual(done.status, 1, done)
        self.one_sentence(done, "did not", "within 2 s", "file " + place)
        self.assertEqual(done.report["why"], "did not finish")

    def test_state_D(self):
        """A file system does not answer: a call without a deadline, or with one."""
        image, place = (self.path(n) for n in ("image", "place"))
        if os.geteuid():
            self.skipTest("needs root, to freeze a file system")
        with open(image, "wb") as f:
            f.truncate(32 << 20)
        os.mkdir(place)
        for line in (["mkfs.ext4", "-q", image], ["mount", "-o", "loop", image, place]):
            if subprocess.call(line, stderr=subprocess.DEVNULL):
                self.skipTest("%s fails" % line[0])
        self.addCleanup(subprocess.call, ["umount", place])
        subprocess.check_call(["fsfreeze", "--freeze", place])
        try:
            run = self.start("blocktransfer", "1M", "--io-timeout=2", "--quiet", np=2,
                             dir=place)
            self.until(lambda: "--io-timeout sets the limit" in self.heard(run),
                       "somebody tells")
        finally:
            subprocess.check_call(["fsfreeze", "--unfreeze", place])
        run.wait(30)
        self.assertNotEqual(run.status, 0, run)
        self.assertIn("rank 0 on ", run.said[0])


for how in (Stopper, Freezer):
    name = how.__name__.lower()
    stopped = ("has been stopped by a signal",) if how is Stopper else ()
    add(Frozen, "last_of_three_" + name, "one_is_frozen", how, 2, 3, 1, *stopped)
    long(add(Frozen, "all_%s" % name, "all_are_frozen", how, 1))
for hang in drawn([(call, engine) for call in ("read", "write")
                   for engine in ["posix", "stdio", "mpiio", *ASYNCHRONOUS]], 1):
    add(Frozen, "%s_hangs_%s" % hang, "a_call_hangs", *hang)
add(Frozen, "first_of_four_freezer", "one_is_frozen", Freezer, 0, 4, 1)
add(Frozen, "a_rank_of_two_nodes", "one_is_frozen", Freezer, 3, 4, 2)
add(Frozen, "a_node_of_two", "one_is_frozen", Freezer, 1, 2, 2, "first of its node")
long(add(Frozen, "all_nodes", "all_are_frozen", Freezer, 2))

if __name__ == "__main__":
    main()
