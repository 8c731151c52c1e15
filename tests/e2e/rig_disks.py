#!/usr/bin/env python3
# mpi: any; tier: ci
"""tests/rig/disks: disks that are slow, private, and gone afterwards, however it ends.
Times have lower bounds only: a limit makes things slow, and so does other load."""
import glob
import os
import signal
import subprocess
import sys

from e2e import TESTS, Case, add, main, read_text, removed, write_file
from in_rig import unless_quick

BLKIO = "/sys/fs/cgroup/blkio"
RIG = [sys.executable, os.path.join(TESTS, "rig", "disks"), "--disks=2", "--size=64M"]
BYTES = 20 << 20
RATE = BYTES + os.getpid()  # a limit that nobody else has
SECONDS_AT_LEAST = 0.8  # of 1: the burst saved up while idle goes through at once
IMPOSSIBLE = 77

# Moves a file in requests of 1 MiB, past the page cache or through it and back: writes
# it, then reads it if told to. Prints the time of the last one.
MOVE = """
import mmap, os, sys, time
size, how, ways = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
path = os.environ["LEADLINE_DISKS"].split(":")[0] + "/file"
block = mmap.mmap(-1, 1 << 20)
for way in ways:
    flags = os.O_DIRECT if how == "direct" else 0
    fd = os.open(path, os.O_CREAT | os.O_RDWR | flags)
    start = time.monotonic()
    for i in range(size >> 20):
        (os.writev if way == "write" else os.readv)(fd, [block])
    os.fsync(fd)
    took = time.monotonic() - start
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
print(took)
"""


class Disks(Case):
    def setUp(self):
        super().setUp()
        self.images = self.path("images")
        os.mkdir(self.images)
        done = self.end(self.begin(["true"]))
        if done.returncode == IMPOSSIBLE:
            self.skipTest(done.said.strip())

    def begin(self, command, rate=0, *options, **how):
        return subprocess.Popen(
            [*RIG, "--rate=%s" % rate, "--image-dir=" + self.images, *options, "--",
             *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            **how)

    def end(self, rig):
        rig.said = rig.communicate()[0].decode()
        return rig

    def runs(self, command, *args, status=0, **how):
        rig = self.end(self.begin(command, *args, **how))
        self.assertEqual(rig.returncode, status, rig.said)
        self.nothing_left()
        return rig.said

    def left(self):
        """Returns files, loop devices and limits of ours that are left."""
        found = os.listdir(self.images)
        for name in glob.glob("/sys/block/loop*/loop/backing_file"):
            try:
                found += [name] * read_text(name).startswith(self.images)
            except OSError:
                pass  # another process's, and just gone
        for name in glob.glob(BLKIO + "/blkio.throttle.*s_device"):
            with open(name, encoding="ascii") as f:
                found += [line for line in f if line.split()[1] == str(RATE)]
        return found

    def nothing_left(self):
        self.assertEqual(self.left(), [])

    # ---- the command's environment -------------------------------------------

    def test_two_devices_that_others_do_not_see(self):
        said = self.runs(["sh", "-c", "IFS=:; stat -c '%d %n' $LEADLINE_DISKS"])
        devices, paths = zip(*map(str.split, said.splitlines()))
        own = str(os.stat(self.images).st_dev)
        self.assertEqual(len({own, *devices}), 3)
        for path in paths:
            self.assertTrue(path.startswith(self.images))
            self.assertFalse(os.path.exists(path))

    def test_status(self):
        self.runs(["sh", "-c", "exit 3"], status=3)
        self.runs(["sh", "-c", "kill -TERM $$"], status=128 + signal.SIGTERM)
        self.runs(["/nowhere/to/be/found"], status=127)

    def test_reason(self):
        rig = self.end(subprocess.Popen(
            [*RIG, "--image-dir=/nowhere", "--", "true"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT))
        self.assertEqual((rig.returncode, rig.said),
                         (IMPOSSIBLE, "disks: /nowhere is no directory\n"))

    # ---- limits --------------------------------------------------------------

    def seconds(self, rate, how, *ways, options=(), **more):
        return float(self.runs([sys.executable, "-c", MOVE, str(BYTES), how, *ways],
                               rate, *options, **more))

    def limited(self, how):
        self.assertGreater(self.seconds(RATE, how, "write"), SECONDS_AT_LEAST)
        self.assertGreater(self.seconds("0:%d" % RATE, how, "write", "read"),
                           SECONDS_AT_LEAST)

    def test_requests_are_limited(self):
        """20 requests, 1 MiB each, which a kernel may split; on the first disk."""
        took = self.seconds("%d,0" % (1 << 40), "direct", "write", "read",
                            options=["--requests=0:20,0"])
        self.assertGreater(took, SECONDS_AT_LEAST)

    def test_limits_show_while_they_hold(self):
        """They show, so that nothing_left can fail."""
        rig = self.begin(["sh", "-c", "echo ready; sleep 1000"], RATE)
        rig.stdout.readline()
        # 2 devices, each with limits of two kinds, and the folder.
        self.assertEqual(len(self.left()), 2 + 2 * 2 + 1)
        rig.terminate()
        self.end(rig)
        self.nothing_left()

    def test_limits_hold_whatever_group_one_comes_from(self):
        group = os.path.join(BLKIO, "leadline-%d" % os.getpid())
        os.mkdir(group)

        def enter():
            write_file(group + "/cgroup.procs", str(os.getpid()))
        try:
            took = self.seconds(RATE, "direct", "write", preexec_fn=enter)
            self.assertGreater(took, SECONDS_AT_LEAST)
        finally:
            self.until(lambda: removed(group), "the group is empty")

    # ---- ends ----------------------------------------------------------------

    def ends(self, script, number, status):
        """Starts a command with a child that outlives it; then signals the rig."""
        rig = self.begin(["sh", "-c", script], RATE)
        child = int(rig.stdout.readline())
        if number:
            rig.send_signal(number)
        self.end(rig)  # the last of its processes has closed the pipe
        self.assertEqual(rig.returncode, status)
        self.nothing_left()
        self.assertFalse(os.path.exists("/proc/%d" % child))

    def test_signals_at_any_time(self):
        """Signals go to all of its processes, as from a terminal: each comes more than
        once."""
        for i in range(12):
            rig = self.begin(["sleep", "1000"], RATE, start_new_session=True)
            try:
                rig.wait(0.03 * i + 0.02)
            except subprocess.TimeoutExpired:
                pass
            os.killpg(rig.pid, signal.SIGTERM)
            self.end(rig)
            self.assertIn(rig.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM))
            self.nothing_left()


for how_ in "cached", "direct":
    add(Disks, how_ + "_transfers_are_limited", "limited", how_)

CHILD = "sleep 1000 & echo $!; "
for name_, script_, number_, status_ in (
        ("its_command", CHILD + "exit 0", None, 0),
        ("SIGKILL_of_its_command", CHILD + "kill -KILL $$", None, 128 + signal.SIGKILL),
        ("SIGTERM", CHILD + "wait", signal.SIGTERM, 128 + signal.SIGTERM),
        ("SIGINT", "trap 'exit 5' INT; " + CHILD + "wait", signal.SIGINT, 5),
        ("SIGTERM_that_is_ignored", "trap '' TERM; " + CHILD + "wait", signal.SIGTERM,
         128 + signal.SIGKILL),
        ("SIGKILL", CHILD + "wait", signal.SIGKILL, -signal.SIGKILL)):
    add(Disks, "ends_by_" + name_, "ends", script_, number_, status_)

if __name__ == "__main__":
    unless_quick()
    main()
