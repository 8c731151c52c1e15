#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""FILETYPE=PARTITIONED and the ldad command: the same logical file as a shared one, and
a truthful answer after anything that may happen to it."""
import glob
import os
import shutil
import signal
import struct
import subprocess
import zlib

from e2e import (HDF5, METHODS, SHIM, Case, add, long, main, read_bytes, samples,
                 write_file)

SIZE = ("1M", "--block-size=4k")
RANKS = 4
HOW = ("--block-size=64k", "--no-verify", "--cache=keep", "--quiet")


class Container(Case):
    LIMIT = 120

    def ldad(self, *args, np=0):
        return self.run_program("ldad", *args, np=np, dir=False, json=False)

    def written(self, *options, filetype="PARTITIONED", np=RANKS,
                program="blocktransfer",
                size=SIZE, **how):
        """Returns the path of a file that a program made and kept, with the same data
        in each run."""
        done = self.run_program(program, *size, "--quiet", "--keep", "--seed=1",
                                "--filetype=" + filetype, *options, np=np, **how)
        self.assertEqual(done.status, 0, done)
        data = [name for name in done.files if not name.endswith(".json")]
        self.assertEqual(len(data), 1, done)
        self.report = done.report
        return os.path.join(done.dir, data[0])

    def content(self, path, np=0):
        """Returns the contents of a container, flattened; it must be complete."""
        out = self.path("flat")
        done = self.ldad("flatten", path, out, np=np)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.err.strip(), "", done)
        data = read_bytes(out)
        os.unlink(out)
        return data

    def parts(self, path):
        return sorted(glob.glob(os.path.join(path, "part-*")))

    def fails(self, done, *parts):
        self.assertEqual(done.status, 1, done)
        for part in parts:
            self.assertIn(part, done.out + done.err)

    # ---- the same file ---------------------------------------------------------

    def same_as_shared(self, method, options, launcher):
        shared = self.written(*method, *options, filetype="SHARED", launcher=launcher)
        expected = read_bytes(shared)
        path = self.written(*method, *options, launcher=launcher)
        self.assertEqual(len(self.parts(path)), RANKS)
        for np in (0, 1, 2, 3):
            self.assertEqual(self.content(path, np), expected, "np %d" % np)
        done = self.run_program("ldad", "cat", path, np=0, dir=False, json=False)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(read_bytes(os.path.join(done.folder, "out")), expected)
        done = self.ldad("verify", path)
        self.assertEqual(done.status, 0, done)
        self.assertIn("stamped and right", done.out)

    def test_cat_is_alone_on_standard_output(self):
        """UCX, below some MPIs, prints its messages there."""
        path = self.written("--layout=INTERLEAVED")
        expected = self.content(path, 1)
        done = self.run_program("ldad", "cat", path, np=0, dir=False, json=False,
                                env={"UCX_LOG_LEVEL": "info"})
        self.assertEqual(done.status, 0, done)
        self.assertEqual(read_bytes(os.path.join(done.folder, "out")), expected)

    def test_madbench(self):
        for args in (("64", "4"), ("64", "4", "2")):
            report = self.good(self.madbench(*args, "--io-only",
                                             "--filetype=PARTITIONED", np=4))
            file = report["files"][0]
            self.assertEqual((file["kind"], file["count"]), ("partitioned", 1))
            self.assertIn("ranks=4 step=", file["ldad"])
            self.assertGreater(report["checks"]["blocks_checked"], 0)
            self.assertIn("0 writes", report["run"]["notes"]["misfits"])

    def test_madbench_file_is_that_of_shared(self):
        made = [self.written("--io-only", filetype=filetype, program="madbench",
                             size=("64", "4", "2"))
                for filetype in ("SHARED", "PARTITIONED")]
        self.assertEqual(self.content(made[1], 2), read_bytes(made[0]))

    def test_header_does_not_grow_with_writes(self):
        sizes = set()
        for blocks in ("16k", "4M"):
            path = self.written("--layout=INTERLEAVED",
                                size=(blocks, "--block-size=4k"))
            sizes.add(os.path.getsize(os.path.join(path, "header")))
        self.assertEqual(sizes, {4096 + 64 * RANKS})

    def test_partitions_hold_nothing_but_data(self):
        path = self.written("--layout=INTERLEAVED")
        self.assertEqual([os.path.getsize(part) for part in self.parts(path)],
                         [1 << 20] * RANKS)
        self.assertEqual(os.path.getsize(os.path.join(path, "shared")), 0)

    # ---- refusals ----------------------------------------------------------------

    def refuses(self, options, parts):
        self.refused(self.blocktransfer(*SIZE, *options, np=2), *parts)

    def test_headers_are_charged_to_the_write(self):
        """Making a container complete counts as writing, and not as opening files."""
        env = {"PRELOAD": SHIM, "FAULT": "fsync:slow:1+", "FAULT_SECONDS": "0.7",
               "FAULT_RANK": "0", "FAULT_FILE": "header"}
        for cache, syncs, opens in (("flush", 2, 0), ("keep", 0, 0)):
            done = self.blocktransfer(*SIZE, "--filetype=PARTITIONED", "--quiet",
                                      "--cache=" + cache, np=2, env=env)
            report = self.good(done)
            for act, times in (("sync", syncs), ("open_close", opens)):
                found = samples(report, act, "write")
                seconds = [min(s["ranks_s"]) for s in found]
                self.assertEqual(int(sum(seconds) / 0.7), times, (cache, act, found))

    # ---- places of partitions ------------------------------------------------------

    def node_dirs(self, n):
        made = [self.path("disk%d" % i) for i in range(n)]
        for path in made:
            os.mkdir(path)
        return made

    def test_node_dirs(self):
        disks = self.node_dirs(2)
        option = "--node-dirs=" + ",".join(disks)
        path = self.written("--layout=INTERLEAVED", option)
        self.assertEqual(self.parts(path), [])
        self.assertEqual([len(os.listdir(disk)) for disk in disks], [4, 4])
        self.assertEqual(len(self.content(path, 3)), RANKS << 20)
        self.good(self.blocktransfer(*SIZE, option, "--filetype=PARTITIONED", np=4))
        self.assertEqual([len(os.listdir(disk)) for disk in disks], [4, 4])
        self.assertEqual(self.ldad("rm", path).status, 0)
        self.assertEqual([os.listdir(disk) for disk in disks], [[], []])
        self.assertFalse(os.path.exists(path))

    def test_removed_with_its_description(self):
        """By its name; a description of another file, or another name, stays."""
        for away, end in ((False, ""), (False, "/"), (True, "")):
            path = self.written()
            where, name = os.path.split(path)
            self.assertEqual(sorted(os.listdir(where)), [name, name + ".json"])
            if away:
                os.rename(path, path + "-moved")
                shutil.copy(path + ".json", path + "-moved.json")
                path += "-moved"
            self.assertEqual(self.ldad("rm", path + end).status, 0)
            self.assertEqual(sorted(os.listdir(where)), [
                name + "-moved.json", name + ".json"] if away else [])
        path = self.written()
        write_file(path + ".json", '{"mine": 1}')
        done = self.ldad("rm", path)
        self.assertEqual((done.status, done.said), (0, []))
        self.assertTrue(os.path.exists(path + ".json"))

    def test_removed_where_a_disk_is_not(self):
        """Removed parts are gone, and the header stays until the user says to forget
        it."""
        disks = self.node_dirs(2)
        path = self.written("--node-dirs=" + ",".join(disks))
        os.rename(disks[1], disks[1] + "-away")
        done = self.ldad("rm", path)
        self.assertEqual(done.status, 1)
        self.assertIn("partition 1 is not on this node: %s/" % disks[1], done.err)
        self.assertIn("2 partitions were not found", done.err)
        self.assertEqual(os.listdir(disks[0]), [])
        self.assertTrue(os.path.exists(path))
        self.assertEqual(self.ldad("rm", "--force", path).status, 0)
        self.assertFalse(os.path.exists(path))
        self.assertEqual(len(os.listdir(disks[1] + "-away")), 4)

    def test_relocated(self):
        """Folders are renamed, in another order; then come refusals."""
        disks = self.node_dirs(2)
        path = self.written("--layout=INTERLEAVED", "--node-dirs=" + ",".join(disks))
        expected = self.content(path)
        moved = [self.path(name) for name in ("here", "there")]
        for old, new in zip(disks, moved):
            os.rename(old, new)
        self.fails(self.ldad("cat", path), "partition 0")
        self.fails(self.ldad("relocate", path, "--node-dirs=" + moved[1]),
                   "partition 0 is in none of these directories")
        self.fails(self.ldad("cat", path), "partition 0")
        done = self.ldad("relocate", path, "--node-dirs=%s,%s" % (moved[1], moved[0]))
        self.assertEqual(done.status, 0, done)
        self.assertIn("4 partitions found", done.out)
        self.assertEqual(self.content(path, 2), expected)
        self.assertEqual(self.ldad("verify", path).status, 0)
        part = sorted(glob.glob(os.path.join(moved[0], "part-*")))[0]
        shutil.copy(part, path)
        self.fails(self.ldad("relocate", path, "--node-dirs=" + ",".join(moved)),
                   "is also in")
        for folder in moved:
            for name in os.listdir(folder):
                os.rename(os.path.join(folder, name), os.path.join(path, name))
        os.truncate(self.parts(path)[1], 1000)
        self.fails(self.ldad("relocate", path), "has 1000 bytes, and 1048576 were")
        done = self.ldad("relocate", path, "--node-dirs=relative")
        self.assertEqual(done.status, 2, done)

    @long
    def test_relocated_into_the_container(self):
        disks = self.node_dirs(2)
        path = self.written("--node-dirs=" + ",".join(disks))
        expected = self.content(path)
        for disk in disks:
            for name in os.listdir(disk):
                os.rename(os.path.join(disk, name), os.path.join(path, name))
        self.assertEqual(self.ldad("relocate", path).status, 0)
        self.assertEqual(self.content(path), expected)
        self.assertEqual(self.ldad("verify", path).status, 0)
        self.assertEqual(self.ldad("rm", path).status, 0)
        self.assertFalse(os.path.exists(path))

    @long
    def test_relocated_unseen(self):
        """Partitions are on nodes that this one does not see."""
        disks = self.node_dirs(2)
        path = self.written("--node-dirs=" + ",".join(disks))
        shutil.move(disks[0], disks[0] + "-new")
        away = disks[1] + "-away"
        shutil.move(disks[1], away)
        new = "--node-dirs=%s-new,%s-new" % tuple(disks)
        self.fails(self.ldad("relocate", path, new), "partition 1 is in none")
        done = self.ldad("relocate", "--force", path, new)
        self.assertEqual(done.status, 0, done)
        self.assertIn("2 partitions found, 2 taken to be", done.out)
        os.rename(away, disks[1] + "-new")
        self.assertEqual(self.ldad("verify", path).status, 0)

    def test_node_and_rank_in_node_dirs(self):
        for name in ("n0", "n0/r0", "n0/r1"):
            os.mkdir(self.path(name))
        self.written("--node-dirs=%s/n%%n/r%%r" % self.tmp, np=2)
        for rank in "01":
            self.assertEqual(len(os.listdir(self.path("n0/r" + rank))), 2)

    def test_a_node_dir_that_cannot_be_written(self):
        good, = self.node_dirs(1)
        done = self.blocktransfer(*SIZE, "--filetype=PARTITIONED", np=2,
                                  *["--node-dirs=%s,%s/none" % (good, good)])
        self.failed(done, "cannot be created", "none/part-", rank=1)
        self.assertEqual(os.listdir(good), [])
        file = self.path("file")
        open(file, "w").close()
        done = self.blocktransfer(*SIZE, "--filetype=PARTITIONED", np=2,
                                  *["--node-dirs=%s,%s" % (good, file)])
        self.failed(done, "Not a directory", rank=1)
        self.assertEqual(os.listdir(good), [])

    def test_a_full_node_disk(self):
        disks = self.node_dirs(2)
        before = ("unshare", "-m", "sh", "-c",
                  'mount -t tmpfs -o size=512k none "$0" || exit 77\n"$@"\ns=$?\n'
                  'ls "$0"; exit $s', disks[1])
        if subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL):
            self.skipTest("no mounts of a test's own can be made here")
        done = self.blocktransfer(*SIZE, "--filetype=PARTITIONED", "--cache=keep", np=2,
                                  before=before, *["--node-dirs=" + ",".join(disks)])
        if done.status == 77:
            self.skipTest("no tmpfs can be mounted here")
        self.assertIn("another file system", done.said.pop(0))
        error = self.failed(done, "No space left", rank=1)
        self.assertEqual(error["errno"], "ENOSPC")
        self.assertIn(disks[1] + "/part-", error["file"])
        self.assertNotIn("part-", done.out)
        self.assertEqual(os.listdir(disks[0]), [])

    # ---- damage ----------------------------------------------------------------------

    def test_renamed_and_moved(self):
        disks = self.node_dirs(2)
        for options in ((), ("--node-dirs=" + ",".join(disks),)):
            path = self.written("--layout=INTERLEAVED", *options)
            expected = self.content(path)
            moved = self.path("else", "where")
            os.makedirs(os.path.dirname(moved))
            shutil.move(path, moved)
            self.assertEqual(self.content(moved, 2), expected)
            self.assertEqual(self.ldad("info", moved).status, 0)
            shutil.rmtree(os.path.dirname(moved))

    def test_a_missing_partition(self):
        path = self.written("--layout=INTERLEAVED")
        expected = self.content(path)
        os.unlink(self.parts(path)[2])
        for command in ("info", "verify", "cat"):
            self.fails(self.ldad(command, path), "partition 2")
        out = self.path("flat")
        self.fails(self.ldad("flatten", path, out, np=2), "partition 2")
        self.assertFalse(os.path.exists(out))
        done = self.ldad("flatten", "--incomplete", path, out, np=2)
        self.fails(done, "partition 2 cannot be opened")
        got = read_bytes(out)
        for block in range(len(expected) >> 12):
            want = b"" if block % RANKS == 2 else expected[block << 12:block + 1 << 12]
            self.assertEqual(got[block << 12:block + 1 << 12], want or bytes(4096))

    def test_a_partition_that_was_cut(self):
        path = self.written()
        os.truncate(self.parts(path)[1], 5000)
        for command in ("info", "verify", "cat"):
            self.fails(self.ldad(command, path), "partition 1", "5000 bytes",
                       "was cut off")

    def test_a_byte_that_changed(self):
        path = self.written()
        with open(self.parts(path)[3], "r+b") as f:
            f.seek(70000)
            byte = f.read(1)
            f.seek(70000)
            f.write(bytes([byte[0] ^ 1]))
        self.fails(self.ldad("verify", path), "offset %d" % ((3 << 20) + 70000),
                   "partition 3: 1 block of 65536 bytes differs from the checksums, "
                   "the first at its byte 65536, which is offset %d of the file" % (
                       (3 << 20) + 65536))

    def swap(self, *names):
        """Exchanges files of two partitions."""
        for one, other in names:
            os.rename(one, one + "-")
            os.rename(other, one)
            os.rename(one + "-", other)

    def test_what_checksums_see(self):
        """They detect it without a look at the data: lengths are the same, and stamps
        are right, too, if a partition was exchanged with that of another run."""
        def swap(parts, sums):
            self.swap((parts[0], parts[1]))

        def swap_both(parts, sums):
            self.swap((parts[0], parts[1]), (sums[0], sums[1]))

        def longer(parts, sums):
            with open(parts[2], "ab") as f:
                f.write(b"x")

        def flip_sum(parts, sums):
            with open(sums[1], "r+b") as f:
                f.seek(70)
                byte = f.read(1)
                f.seek(70)
                f.write(bytes([byte[0] ^ 1]))

        def no_sums(parts, sums):
            os.unlink(sums[3])

        path = self.written("--layout=INTERLEAVED")
        done = self.ldad("verify", path)
        self.assertEqual(done.status, 0, done)
        self.assertIn("%d bytes of partitions are as their checksums" % (RANKS << 20),
                      done.out)
        whole = path + "-whole"
        shutil.copytree(path, whole)
        for change, says in (
                (swap, "partition 0: 16 blocks of 65536 bytes differ"),
                (swap_both, "partition 0: the checksums of a partition are damaged, or "
                            "of another partition"),
                (longer, "partition 2 has 1048577 bytes, and 1048576 were written: "
                         "bytes were added"),
                (flip_sum, "partition 1: the checksums of a partition are damaged, or "
                           "not those"),
                (no_sums, "partition 3: the checksums of a partition cannot be "
                          "opened")):
            shutil.rmtree(path)
            shutil.copytree(whole, path)
            change(self.parts(path), sorted(glob.glob(os.path.join(path, "sums-*"))))
            self.fails(self.ldad("verify", path), says)

    def header(self, path, change):
        name = os.path.join(path, "header")
        raw = bytearray(read_bytes(name))
        change(raw)
        write_file(name, raw)

    def test_a_newer_version(self):
        path = self.written()

        def change(raw):
            raw[8:12] = struct.pack("<I", 2)
            raw[4092:4096] = struct.pack("<I", zlib.crc32(raw[:4092]))
        self.header(path, change)
        for command in ("info", "verify", "cat", "rm"):
            self.fails(self.ldad(command, path), "version 2", "version 1")
        self.assertEqual(len(self.parts(path)), RANKS)

    def test_a_damaged_header(self):
        path = self.written()
        self.header(path, lambda raw: raw.__setitem__(50, raw[50] ^ 4))
        for command in ("info", "verify", "cat", "rm"):
            self.fails(self.ldad(command, path), "damaged")

    def test_what_is_no_container(self):
        for path in (self.tmp, __file__, self.path("none")):
            for command in ("info", "verify", "cat", "rm"):
                self.fails(self.ldad(command, path))
        self.assertTrue(os.path.exists(__file__))

    def endless(self, *options):
        """Starts a run that writes more than it gets time for."""
        size = min(shutil.disk_usage(self.tmp).free // 4, 64 << 30)
        return self.start("blocktransfer", str(size), *HOW, "--filetype=PARTITIONED",
                          *options, np=2)

    def test_killed_while_it_writes(self):
        run = self.endless("--layout=INTERLEAVED")
        self.until(lambda: sum(map(os.path.getsize, self.parts(
            os.path.join(run.dir, "*")))) > 20 << 20, "it writes")
        path = os.path.join(run.dir, run.files[0])
        for force in ((), ("--force",)):
            self.fails(self.ldad("rm", *force, path), "another job has the container")
        self.assertEqual(len(self.parts(path)), 2)
        run.signal(signal.SIGKILL)
        run.wait(60)
        self.assertNotEqual(run.status, 0)
        self.fails(self.ldad("info", path), "open: being written", "never completed",
                   "no end", "ldad recover --all keeps what there is")
        self.fails(self.ldad("recover", path), "never synced")
        self.fails(self.ldad("verify", path), "never completed")
        self.fails(self.ldad("cat", path), "never completed")
        there = max(os.path.getsize(part) for part in self.parts(path))
        for part in self.parts(path):  # less to copy
            os.truncate(part, min(there, 10 << 20))
        out = self.path("flat")
        done = self.ldad("flatten", "--incomplete", path, out, np=2)
        self.fails(done, "never completed")
        self.assertGreater(os.path.getsize(out), 10 << 20)
        self.assertEqual(self.ldad("rm", path).status, 0)
        self.assertEqual(run.files, [])

    def test_ended_by_a_signal_it_leaves_nothing(self):
        disks = self.node_dirs(2)
        run = self.endless("--node-dirs=" + ",".join(disks))
        self.until(lambda: run.files and all(os.listdir(disk) for disk in disks),
                   "its files are made")
        run.child.send_signal(signal.SIGTERM)
        run.wait(60)
        self.until(lambda: run.files == [] and [os.listdir(disk) for disk in disks] ==
                   [[], []], "all is removed")

    def test_two_at_once(self):
        folder = self.path("both")
        disk, = self.node_dirs(1)
        os.mkdir(folder)
        runs = [self.start("blocktransfer", *SIZE, "--filetype=PARTITIONED", "--keep",
                           "--quiet", "--seed=%d" % seed, np=2, dir=folder,
                           *["--node-dirs=" + disk]) for seed in (1, 2)]
        for run in runs:
            self.assertEqual(run.wait(60).status, 0, run)
        containers = [name for name in os.listdir(folder) if not name.endswith(".json")]
        self.assertEqual(len(containers), 2)
        self.assertEqual(len(os.listdir(disk)), 8)
        for name in containers:
            self.assertEqual(self.ldad("verify", os.path.join(folder, name)).status, 0)


LAYOUTS = (("segmented", ("--layout=SEGMENTED",)),
           ("interleaved", ("--layout=INTERLEAVED",)),
           ("shifted", ("--layout=INTERLEAVED", "--misalign=100")),
           ("random", ("--layout=INTERLEAVED", "--pattern=RANDOM")),
           ("odd", ("--layout=INTERLEAVED", "--block-size=777")))
for name, method, launcher in METHODS:
    for layout, options in LAYOUTS[:5 if name == "posix" else 2]:
        add(Container, "%s_is_that_of_shared_%s" % (layout, name), "same_as_shared",
            method, options, launcher)
PARTED = ("--filetype=PARTITIONED",)
for what, options, parts in [
        ("async", PARTED + ("--iomode=ASYNC",), ("IOMODE=ASYNC", "PARTITIONED")),
        ("uring", PARTED + ("--iomethod=threads",), ("threads", "POSIX or MPI")),
        ("null", PARTED + ("--iomethod=null", "--no-verify"), ("null", "POSIX or MPI")),
        ("direct", PARTED + ("--cache=direct",), ("direct",)),
        ("hints", PARTED + ("--hint", "a=b"), ("--hint",)),
        ("dirs_of_shared", ("--filetype=SHARED", "--node-dirs=/tmp"), ("--node-dirs",)),
        ("relative_dirs", PARTED + ("--node-dirs=tmp",), ("absolute", '"tmp"')),
        ("strange_dirs", PARTED + ("--node-dirs=/tmp/%x",),
         ("%x", "number of the node"))]:
    add(Container, what + "_refused", "refuses", options, parts)
if HDF5:
    add(Container, "hdf5_refused", "refuses", PARTED + HDF5[0][1], ("hdf5",))

if __name__ == "__main__":
    main()
