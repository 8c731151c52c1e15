#!/usr/bin/env python3
# limit: 300; mpi: any
"""The report's description of storage below files, and of a device serving reads, on
file systems of the test's own."""
import glob
import os
import sys
import unittest

from e2e import ASYNCHRONOUS, FLAVOUR, Case, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "fault"))
import disks  # noqa: E402

SIZE = ("4M", "--block-size=1M")
# Mounts $2 at $1 for rank 1 only, which MPICH takes for one of another node.
OTHER_MOUNT = """at=$1 from=$2; shift 2
[ "$PMI_RANK" = 1 ] || exec "$@"
exec unshare -m sh -c 'mount --bind "$0" "$1"; shift; exec "$@"' "$from" "$at" "$@" """


def device_of(at):
    """Returns the device mounted there, such as "/dev/loop3"."""
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        return [line.split(" - ")[1].split()[1] for line in f
                if line.split()[4] == os.path.realpath(at)][-1]


class Storage(Case):
    def setUp(self):
        super().setUp()
        self.at = self.path("at")
        os.mkdir(self.at)

    def measured(self, at=None, program="blocktransfer", args=SIZE, np=2):
        done = self.run_program(program, *args, dir=at or self.at, np=np)
        self.assertEqual(done.status, 0, done)
        self.said = done.out
        report = done.report
        self.row, self.checks = report["files"][0], report["checks"]
        self.stack = self.row["stack"]
        self.warned = {w["code"]: w["text"] for w in report["warnings"]}
        self.assertEqual(self.stack[0]["level"], 0)
        return report

    def layer(self, kind):
        return [row for row in self.stack if row["kind"] == kind][0]

    def is_not_claimed(self):
        self.assertIsNone(self.checks["device_share"])
        self.assertNotIn("came from it", self.said)

    def test_image_through_the_page_cache(self):
        with disks.image(self.at, "ext4"):
            disks.tool("losetup", "--direct-io=off", device_of(self.at))
            self.measured()
            # All data read are in the image's pages, where they were written.
            held = self.warned["cache_below"].split("of the image's ")[1]
            held = float(held.split(", ")[1].split()[0])
            with open(self.at + ".image", "rb") as f:
                os.fsync(f.fileno())
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        self.assertGreaterEqual(held, 8)
        self.assertEqual(self.stack[1]["kind"], "loop")
        self.assertEqual(self.stack[1]["reads"], "cache")
        self.assertIn(self.at + ".image through the page cache", self.stack[1]["about"])
        self.assertEqual(self.stack[2]["kind"], "file system")
        self.is_not_claimed()
        self.assertGreater(self.checks["below_share"], 0.99)
        self.assertEqual(self.checks["resident_share"], 0)
        self.assertIn("not known: 100.0 % of the bytes read came from below the page "
                      "cache, from loop", " ".join(self.said.split()))
        self.assertIn("storage   ext4 on loop", self.said)

    def test_image_with_direct_io(self):
        with disks.image(self.at, "ext4"):
            disks.tool("losetup", "--direct-io=on", device_of(self.at))
            self.measured()
        self.assertIn("with direct I/O", self.stack[1]["about"])
        self.assertEqual(self.stack[1]["reads"], "below")
        self.assertNotIn("cache_below", self.warned)
        if any(row["reads"] not in ("below", "device") for row in self.stack):
            self.is_not_claimed()
        else:
            self.assertGreater(self.checks["device_share"], 0.99)

    # Requests of 512 bytes, or of three times as many.
    BY_SECTORS = (("blocktransfer", "64k", "--block-size=512"),
                  ("outcore", "aio", "64k", "--set-bytes=2k"),
                  ("outcore", "search", "--records=1000", "--block=512",
                   "--lookups=100"),
                  ("outcore", "knn", "64k", "--buffer=1536", "--dim=16"))

    def test_sectors_of_512_bytes(self):
        with disks.sectors(self.at, 512):
            for program, *args in self.BY_SECTORS:
                report = self.good(self.run_program(program, *args, "--cache=direct",
                                                    dir=self.at))
                self.assertEqual(report["io"]["cache"], "direct", args)

    def test_sectors_of_4096_bytes(self):
        with disks.sectors(self.at, 4096):
            for program, *args in self.BY_SECTORS:
                self.refused(self.run_program(program, *args, "--cache=direct",
                                              dir=self.at),
                             "--cache=direct moves multiples of 4096 bytes here")
            self.good(self.blocktransfer("64k", "-b", "4k", "--cache=direct",
                                         dir=self.at))

    def test_image_in_memory(self):
        below = self.at + ".below"
        os.mkdir(below)
        with disks.memory(below, "size=128m"):
            disks.make_image(below + "/image", "ext4")
            with disks.mounted(self.at, "-o", "loop", below + "/image"):
                self.measured()
        self.assertEqual(self.stack[-1]["name"], "tmpfs")
        self.assertEqual(self.checks["device_share"], 0)
        self.assertIn("no figure here is about a storage device",
                      self.warned["cache_below"])

    def test_memory(self):
        with disks.memory(self.at, "size=64m"):
            self.measured()
        self.assertEqual([row["reads"] for row in self.stack], ["memory"])
        self.assertIn("file_system_in_memory", self.warned)
        self.assertNotIn("cache_below", self.warned)

    def test_overlay(self):
        over = self.at + ".over"
        os.mkdir(over)
        with disks.image(self.at, "ext4"):
            disks.tool("losetup", "--direct-io=off", device_of(self.at))
            for name in "upper", "lower", "work":
                os.mkdir(os.path.join(self.at, name))
            options = "lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work"
            with disks.mounted(over, "-t", "overlay", "-o", options.format(self.at),
                               "overlay"):
                self.measured(over)
        self.assertEqual([(row["level"], row["name"][:4]) for row in self.stack[:3]],
                         [(0, "over"), (1, "ext4"), (2, "loop")])
        self.assertIn("cache_below", self.warned)
        self.is_not_claimed()

    def test_two_devices_of_btrfs(self):
        images = [self.at + name for name in (".1", ".2")]
        devices = []
        try:
            for image in images:
                with open(image, "wb") as f:
                    f.truncate(disks.SIZE["btrfs"])
                before = set(glob.glob("/sys/block/loop*/loop"))
                disks.tool("losetup", "--find", image)
                devices += ["/dev/" + name.split("/")[3]
                            for name in set(glob.glob("/sys/block/loop*/loop")) - before
                            if image in open(name + "/backing_file").read()]
            disks.tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", *devices)
            with disks.mounted(self.at, "-t", "btrfs", "-o", "compress=zstd",
                               devices[0]):
                self.measured()
        finally:
            for device in devices:
                disks.tool("losetup", "--detach", device)
        self.assertEqual(sorted(row["name"] for row in self.stack if row["level"] == 1),
                         sorted(os.path.basename(device) for device in devices))
        self.is_not_claimed()
        self.assertGreater(self.checks["below_share"], 0.9)
        self.assertIn("compresses", self.said)

    def test_two_file_systems(self):
        """The report describes one: a warning names both."""
        other = self.path("other")
        os.mkdir(other)
        where = ("--filetype=PARTITIONED", "--node-dirs=%s,%s")
        with disks.image(self.at, "ext4"):
            for second, unlike in ((other, True), (self.at, False)):
                done = self.run_program("blocktransfer", *SIZE, where[0],
                                        where[1] % (self.at, second), np=2)
                self.assertEqual(done.status, 0, done)
                self.assertEqual("another file system" in done.err, unlike, done)
                self.assertEqual("unlike_nodes" in [
                    w["code"] for w in done.report["warnings"]], unlike)

    def stored(self, *args, np=2):
        """Returns (stored, data, note, attributes) of a run's files."""
        report = self.measured(None, *args, np=np)
        row = report["files"][0]
        return (row["stored_bytes"], row["stored_of_bytes"],
                " ".join(report["run"]["notes"].get("stored", "").split()),
                row["stored_about"])

    SORT = "outcore", ("sort", "--records=100000")

    def test_what_is_stored(self):
        with disks.image(self.at, "btrfs"):
            self.assertEqual(self.stored(), (8 << 20, 8 << 20, "", None))
            disks.tool("chattr", "+c", self.at)
            self.stored(*self.SORT)
            self.assertIn("attribute c", self.row["stored_about"])
            self.assertNotIn("served_from_memory", self.warned)
            self.assertIn("a file system that compresses", " ".join(self.said.split()))
            self.is_not_claimed()

    def test_what_a_mount_compresses(self):
        with disks.image(self.at, "btrfs"):
            disks.tool("mount", "-o", "remount,compress-force=zstd", self.at)
            stored, data, note, about = self.stored(*self.SORT, np=1)
        self.assertIn("mount option compress-force=zstd", about)
        self.assertIn("of data (91 %): the file system compresses", note)
        # The kernel's counters tell apart from that how much was fetched.
        self.assertAlmostEqual(stored / data, self.checks["below_share"], delta=0.05)
        self.assertNotIn("served_from_memory", self.warned)

    def test_what_is_not_known_to_be_stored(self):
        for option in "--cache=keep", "--filetype=PARTITIONED":
            self.assertEqual(self.stored("blocktransfer", (*SIZE, option)),
                             (None, None, "", None))

    def on_unlike_nodes(self, program, *args):
        memory = self.path("memory")
        os.makedirs(memory, exist_ok=True)
        with disks.memory(memory, "size=64m"):
            return self.run_program(
                program, *args, dir=self.at, env={"MPIR_CVAR_NUM_CLIQUES": "2"},
                inside=["sh", "-c", OTHER_MOUNT, "sh", self.at, memory])

    @unittest.skipUnless(FLAVOUR == "mpich",
                         "only MPICH pretends that there are several nodes")
    def test_unlike_nodes(self):
        with disks.image(self.at, "ext4"):
            for program, *args in (("blocktransfer", *SIZE), ("metabench", "20"),
                                   ("outcore", "aio", "64k"),
                                   ("madbench", "64", "2", "--io-only")):
                done = self.on_unlike_nodes(program, *args)
                self.failed(done, "another file system, tmpfs (memory), on node")
                self.assertIn("check the mounts", done.err)
            done = self.on_unlike_nodes("blocktransfer", *SIZE, "--unlike-nodes")
        self.assertEqual(done.status, 0, done)
        report = done.report
        disk, memory = report["nodes"]
        self.assertEqual((disk["fs"], memory["fs"], memory["reads"]),
                         ("ext4", "tmpfs", "memory"))
        self.assertIn("size=", memory["mount"])
        self.assertRegex(disk["uuid"], "^[0-9a-f]{8}-[0-9a-f-]{27}$")
        self.assertGreater(disk["below_share"], 0.99)
        self.assertEqual((disk["resident_share"], memory["resident_share"]), (0, 1))
        self.assertIsNone(memory["below_share"])
        self.assertIsNone(report["checks"]["device_share"])
        said = " ".join(done.out.split())
        self.assertIn("group 2: 1 node (", said)
        self.assertIn("storage group 1: ext4 on loop", said)
        warned = {w["code"]: w["text"] for w in report["warnings"]}
        self.assertIn("group 2, 1 node", warned["file_system_in_memory"])
        rates = {f["name"]: f["median"] for f in report["figures"]}
        for kind in "read", "write":
            ranks = [s["ranks_s"] for s in report["samples"]
                     if (s["phase"], s["act"]) == (kind, kind)][0]
            if kind == "write":
                syncs = [s["ranks_s"] for s in report["samples"] if s["act"] == "sync"]
                ranks = [a + b for a, b in zip(ranks, syncs[0])]
            for i in 0, 1:
                self.assertAlmostEqual(
                    rates["%s.group%d_%s_MBps" % (kind, i + 1, kind)],
                    (4 << 20) / ranks[i] / 1e6, delta=1)

    @unittest.skipUnless(FLAVOUR == "mpich",
                         "only MPICH pretends that there are several nodes")
    def test_ranks_that_cannot_meet(self):
        with disks.image(self.at, "ext4"):
            for program, *args in (
                    ("metabench", "20"), ("blocktransfer", *SIZE, "--filetype=SHARED"),
                    ("blocktransfer", *SIZE, "--rank-shift=1")):
                self.failed(self.on_unlike_nodes(program, *args, "--unlike-nodes"),
                            "meet in one file or directory")

    def test_depth_that_the_kernel_takes_away(self):
        """The kernel may hold io_submit and io_uring_enter until a transfer completes;
        the threads of an engine wait apart from the caller."""
        with disks.passthrough(self.at, "read:2000:1%", "blocktransfer"):
            for engine in ("uring", "libaio", "threads"):
                done = self.run_program(
                    "blocktransfer", "1M", "--block-size=16k", "--depth=16",
                    "--no-verify", "--cache=direct", "--iomethod=" + engine,
                    dir=self.at, np=1)
                if "cannot be used" in done.err or "not built" in done.err:
                    continue
                self.assertEqual(done.status, 0, done)
                read = [s for s in done.report["samples"]
                        if (s["phase"], s["act"]) == ("read", "read")][0]
                submit, wait = read["submit_mean_s"], read["wait_mean_s"]
                said = [w["text"] for w in done.report["warnings"]
                        if w["code"] == "depth_without_effect"]
                if engine == "threads":
                    self.assertEqual(said, [])
                elif submit > 0.9 * (submit + wait):
                    self.assertIn("holds the caller", said[0])

    def test_direct_transfers_that_are_refused(self):
        """As on mergerfs, where the file can be opened with O_DIRECT."""
        for call, words in (("write", "write of 1048576 bytes failed after 0"),
                            ("read", "read of 1048576 bytes failed after 0")):
            at = self.path(call)
            os.mkdir(at)
            with disks.passthrough(at, call + ":EINVAL:1+", "blocktransfer"):
                for engine in "posix", *ASYNCHRONOUS:
                    done = self.run_program(
                        "blocktransfer", *SIZE, "--cache=direct",
                        "--iomethod=" + engine, dir=at, np=1)
                    self.failed(done, words)
                    self.assertEqual(done.err.count("refuses direct I/O (O_DIRECT) "
                                                    "here: take --cache=flush"), 1,
                                     done)

    def test_direct_transfers_to_memory(self):
        with disks.memory(self.at, "size=64m"):
            self.failed(self.run_program("blocktransfer", *SIZE, "--cache=direct",
                                         dir=self.at), "take --cache=flush")

    def test_process_of_fuse(self):
        with disks.passthrough(self.at, "open:slow:1000000", "nothing"):
            self.measured()
        self.assertEqual(self.stack[0]["reads"], "cache")
        self.assertIn("cache_below", self.warned)
        self.is_not_claimed()

    def test_here(self):
        """In the test's own directory, the report claims nothing that cannot be
        known."""
        self.measured()
        worst = max(("below", "device", "unknown", "cache", "memory").index(
            row["reads"]) for row in self.stack)
        if worst > 1:
            self.assertIn(self.checks["device_share"], (None, 0))
        self.assertEqual("cache_below" in self.warned,
                         worst == 3 or (worst == 4 and self.row["fs"] != "tmpfs"))
        self.assertIsNone(self.row["stripe_bytes"])
        self.assertIn("stripes", self.row["stripe_about"])

    def test_each_program_tells(self):
        for program, *args in (("madbench", "64", "2", "--io-only"),
                               ("ldad", "perf")):
            with self.subTest(program):
                self.measured(program=program, args=args)

    def test_survey_elsewhere(self):
        """A load reads from other storage than it writes to."""
        survey = self.path("survey")
        os.mkdir(survey)
        with disks.memory(survey, "size=64m"):
            done = self.run_program("gsfgen", "--files=2", "--pings=40", "--beams=61",
                                    "--quiet", np=0, json=False, dir=survey)
            self.assertEqual(done.status, 0, done)
            files = sorted(glob.glob(survey + "/*.gsf"))
            self.assertEqual(len(files), 2)
            self.measured(program="pfmload", args=["--output=o.pfm", *files])
        self.is_not_claimed()
        self.assertIsNone(self.checks["below_share"])
        if self.row["fs"] != "tmpfs":
            self.assertIn("on tmpfs (memory)", self.warned["cache_below"])

    def test_partitions_elsewhere(self):
        """Only the header is in --dir."""
        with disks.memory(self.at, "size=64m"):
            self.measured(args=[*SIZE, "--filetype=PARTITIONED",
                                "--node-dirs=" + self.at], at=self.tmp)
        self.assertEqual([row["name"] for row in self.stack], ["tmpfs"])
        self.assertEqual(self.checks["device_share"], 0)

    def test_no_files(self):
        done = self.blocktransfer("1M", "--iomethod=null", "--no-verify")
        row = self.good(done)["files"][0]
        self.assertEqual((row["stack"], row["stripe_about"]), ([], None))


if __name__ == "__main__":
    main()
