#!/usr/bin/env python3
# limit: 600; mpi: each
"""leadline doctor: each answer on file systems of the test's own is what this process
finds by itself, and a layer that lies is found out."""
import contextlib
import fcntl
import json
import math
import mmap
import os
import signal
import subprocess
import sys

from e2e import BUILD, FLAVOUR, Case, fault, main, runner

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "fault"))
import disks  # noqa: E402

BYTES = 1 << 20
PROGRAM = os.path.join(BUILD, "leadline-doctor")
LEADLINE = [os.path.join(BUILD, "python", "leadline", "leadline")]

# Runs a command; the second rank has another file system at a directory.
ELSEWHERE = """
at=$1
shift
[ "$PMI_RANK" = 1 ] || exec "$@"
exec unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$at" "$@"
"""


class Doctor(Case):
    LIMIT = 120

    def setUp(self):
        super().setUp()
        self.at = self.path("at")
        os.mkdir(self.at)

    def examined(self, at=None, np=0, leaves=False, **how):
        """Returns {probe: answer}; the findings are in self.found. Nothing is left,
        unless the file system removes nothing."""
        at = at or self.at
        before = os.listdir(at)
        done = self.run_program(PROGRAM, at, np=np, dir=False, **how)
        self.assertEqual(done.status, 0, done)
        self.assertTrue(leaves or os.listdir(at) == before, os.listdir(at))
        tree = done.report
        self.assertEqual(tree["schema"], "leadline-doctor/1")
        self.nodes, self.found, self.said = tree["nodes"], tree["doctor"], done.out
        return {probe: one["answer"] for probe, one in self.found.items()}

    # ---- this process's own account ----------------------------------------------

    def new(self, name="own", flags=0):
        fd = os.open(os.path.join(self.at, name), os.O_RDWR | os.O_CREAT | flags, 0o600)
        self.addCleanup(os.close, fd)
        return fd

    def taken(self, fd):
        os.fsync(fd)
        return os.fstat(fd).st_blocks * 512

    def is_sparse(self):
        fd = self.new("sparse")
        os.pwrite(fd, b"x", BYTES)
        return self.taken(fd) < BYTES / 2

    def allocates(self):
        fd = self.new("allocated")
        done = subprocess.run(["fallocate", "-l", str(BYTES),
                               os.path.join(self.at, "allocated")], check=False,
                              stderr=subprocess.DEVNULL)
        return done.returncode == 0 and self.taken(fd) >= BYTES

    def has_tmpfile(self):
        with contextlib.suppress(OSError):
            os.close(os.open(self.at, os.O_TMPFILE | os.O_RDWR, 0o600))
            return True
        return False

    def takes_direct(self, size):
        """True if a transfer of this size, offset and place in memory works."""
        with contextlib.suppress(OSError):
            fd = self.new("direct", os.O_DIRECT)
            memory = memoryview(mmap.mmap(-1, 4 * size + mmap.PAGESIZE))
            return os.pwritev(fd, [memory[size:2 * size]], size) == size
        return False

    def locks(self):
        """True if this process's lock keeps another one's out."""
        fd = self.new("lock")
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        code = "import fcntl,sys; fcntl.lockf(open(sys.argv[1],'r+'), 6)"
        return subprocess.run([sys.executable, "-c", code,
                               os.path.join(self.at, "lock")], check=False,
                              stderr=subprocess.DEVNULL).returncode != 0

    def lengths(self, bits):
        """True if a file can be 2^bits - 1 bytes long."""
        with contextlib.suppress(OSError):
            os.ftruncate(self.new("long"), (1 << bits) - 1)
            return True
        return False

    def agrees(self, kind):
        """The answers are what this process finds."""
        answers = self.examined()
        self.assertEqual(answers["file_system"], kind)
        self.assertEqual(answers["sparse"], "yes" if self.is_sparse() else "no")
        self.assertEqual(answers["preallocation"] == "yes", self.allocates())
        self.assertEqual(answers["tmpfile"] == "yes", self.has_tmpfile())
        self.assertEqual("fcntl" in answers["locks"], self.locks())
        self.assertIn("%d bytes" % os.statvfs(self.at).f_namemax, answers["names"])
        least = int(self.found["alignment"]["values"].get("least_bytes", 0))
        if least > 1:
            self.assertTrue(self.takes_direct(least))
            self.assertFalse(least > 512 and self.takes_direct(least // 2))
        longest = round(math.log2(self.found["limits"]["values"]["file_bytes"]))
        self.assertTrue(self.lengths(longest))
        self.assertTrue(longest == 63 or not self.lengths(longest + 1))
        return answers

    # ---- file systems ------------------------------------------------------------

    def is_honest(self, answers):
        """Ours are: the kernel does all of it on one machine."""
        for probe, wanted in (("rename", "atomic"), ("append", "yes"),
                              ("read", "strict"), ("mmap", "coherent"),
                              ("directory", "at once"), ("unlink", "yes"),
                              ("locks", "fcntl, OFD, flock")):
            self.assertEqual(answers[probe], wanted, self.found[probe])

    def is_on_a_disk(self, answers):
        self.is_honest(answers)
        for probe in "direct", "fsync", "cache_drop":
            self.assertEqual(answers[probe], "yes", self.found[probe])
        self.assertGreaterEqual(self.found["fsync"]["values"]["device_bytes"],
                                3.5 * BYTES)

    def test_memory(self):
        with disks.memory(self.at, "size=64m"):
            answers = self.agrees("tmpfs")
            self.is_honest(answers)
        self.assertEqual(answers["fsync"], "no storage")
        self.assertEqual(answers["cache_drop"], "no")
        self.assertIn(answers["direct"], ("no", "in name only"))

    def test_ramfs(self):
        with disks.mounted(self.at, "-t", "ramfs", "none"):
            answers = self.examined()
        self.assertEqual(answers["file_system"], "ramfs")
        self.assertEqual(answers["statfs"], "not told")
        self.assertEqual(answers["fsync"], "no storage")

    def test_ext4(self):
        with disks.image(self.at, "ext4"):
            answers = self.agrees("ext4")
        self.is_on_a_disk(answers)
        self.assertEqual(answers["compression"], "no")
        self.assertEqual(answers["statfs"], "yes")

    def test_xfs(self):
        with disks.image(self.at, "xfs"):
            self.is_on_a_disk(self.agrees("xfs"))

    def test_btrfs(self):
        with disks.image(self.at, "btrfs"):
            self.assertEqual(self.agrees("btrfs")["compression"], "no")
            with open("/proc/self/mountinfo", encoding="utf-8") as f:
                self.assertNotIn("compress", [line for line in f if self.at in line][0])
            disks.mount(self.at, "-o", "remount,compress-force=zstd")
            self.assertEqual(self.examined()["compression"], "yes")

    # ---- lies --------------------------------------------------------------------

    def lied(self, at, what, names, probe, *answers):
        os.mkdir(at)
        with disks.passthrough(at, what, names):
            found = self.examined(at, leaves="unlink" in what)
        self.assertIn(found[probe], answers, self.found[probe])

    def test_lying_layer(self):
        for i, (what, *row) in enumerate((
                ("nothing:lost:1", "", "read", "strict"),
                ("nothing:lost:1", "", "directory", "at once"),
                ("nothing:lost:1", "", "unlink", "by another name", "yes"),
                ("rename:lost:1+", "next", "rename", "no"),
                ("unlink:lost:1+", "hidden", "unlink", "no"),
                ("read:flip:1+", "/read", "read", "wrong bytes"),
                ("write:lost:1+", "/read", "read", "wrong bytes"),
                ("read:stale:1+", "/read", "read", "stale"),
                ("readdir:lost:3", "seen", "directory", "lists differ"),
                ("readdir:twice:3", "seen", "directory", "lists differ"))):
            with self.subTest(what):
                self.lied(self.path("at%d" % i), what, *row)

    def test_slow_layer(self):
        with disks.passthrough(self.at, "read:20000:1%", "small"):
            self.examined()
        self.assertGreater(self.found["latency"]["values"]["read_s"], 0.02)

    def test_sync_that_does_nothing(self):
        with disks.image(self.at, "ext4"):
            answers = self.examined(env=fault("fsync:lost:1+", file="leadline-doctor"))
        self.assertEqual(answers["fsync"], "no", self.found["fsync"])

    # ---- ends --------------------------------------------------------------------

    def children(self, pid):
        """Returns its second process: an MPI library may have started others."""
        path = "/proc/%d/task/%d/children" % (pid, pid)
        with contextlib.suppress(OSError), open(path, encoding="ascii") as f:
            return [child for child in map(int, f.read().split())
                    if runner.name_of(child) == os.path.basename(PROGRAM)]
        return []

    def begun(self):
        """Starts it, and waits until it renames files: it has its second process."""
        done = self.start(PROGRAM, self.at, np=0, dir=False)
        self.until(lambda: self.children(done.child.pid) and os.listdir(self.at),
                   "it has a second process")
        return done

    def test_signals(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            done = self.begun()
            done.child.send_signal(number)
            self.assertNotEqual(done.wait(self.LIMIT).status, 0)
            self.until(lambda: not os.listdir(self.at), "its folder is gone")

    def test_second_process_is_killed(self):
        done = self.begun()
        for pid in self.children(done.child.pid):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(done.wait(self.LIMIT).status, 0, done)
        self.assertEqual(done.report["doctor"]["locks"]["answer"], "not known")
        self.assertEqual(os.listdir(self.at), [])

    # ---- the command -------------------------------------------------------------

    def test_command(self):
        command = [*LEADLINE, "doctor"]
        out = subprocess.check_output([*command, self.at], universal_newlines=True)
        for word in "direct", "fsync", "rename", "append", "lock", "sparse":
            self.assertIn(word, out)
        tree = json.loads(subprocess.check_output([*command, self.at, "--json=-"]))
        self.assertEqual(tree["doctor"]["append_nodes"]["answer"], "not tried")
        self.assertIn("one node: not tried", out)
        bad = subprocess.run([*command, self.path("nowhere")], check=False,
                             stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("No such file or directory", bad.stderr)

    def test_before_a_run(self):
        """Its report has what leadline doctor says; nothing of it is left."""
        answers = self.examined()
        for program, args in (("blocktransfer", ("1M",)), ("metabench", ("10",))):
            done = self.run_program(program, *args, "--doctor", dir=self.at)
            report = self.good(done)
            told = {probe: one["answer"] for probe, one in report["doctor"].items()}
            self.assertEqual(told, answers)
            self.assertIn("fsync: " + answers["fsync"], " ".join(done.out.split()))
            self.assertEqual(os.listdir(self.at), [])
            subprocess.check_output([*LEADLINE, "validate", done.json])
        self.assertNotIn("doctor", self.good(self.blocktransfer("1M", dir=self.at)))

    def test_two_nodes(self):
        if FLAVOUR != "mpich":
            self.skipTest("only MPICH pretends that there are several nodes")
        for nodes in 2, 4:
            answers = self.examined(np=4, env={"MPIR_CVAR_NUM_CLIQUES": str(nodes)})
            self.assertEqual(self.nodes, nodes)
            for probe in "append", "locks", "read", "mmap", "directory":
                self.assertEqual(answers[probe + "_nodes"], answers[probe])
            self.assertEqual(answers["clock"], "agree")
            self.assertIn("of %d other node" % (nodes - 1), self.found["clock"]["text"])

    def test_nodes_that_see_nothing_of_each_other(self):
        """The second rank has a file system of its own at the directory, from the
        moment at which it examines it."""
        if FLAVOUR != "mpich":
            self.skipTest("only MPICH pretends that there are several nodes")
        if not os.environ.get("LEADLINE_MOUNTS"):
            self.skipTest("mounting a file system is not allowed here")
        script = self.file("elsewhere", ELSEWHERE)
        answers = self.examined(np=2, env={"MPIR_CVAR_NUM_CLIQUES": "2"},
                                inside=("sh", script, self.at))
        for probe in "append", "locks", "read", "mmap", "directory":
            self.assertEqual(answers[probe + "_nodes"], "not shared")


if __name__ == "__main__":
    main()
