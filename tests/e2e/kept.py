#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""Files that blocktransfer did not make in this run: kept ones are verified by any
number of ranks, others are read; and neither are changed."""
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess

from e2e import (METHODS, Case, add, any_mpi, fault, long, main, read_bytes, read_text,
                 run_text, samples, total, write_file)

BLOCK, BLOCKS = 1 << 14, 5
SIZE = (str(BLOCK * BLOCKS), "--block-size=16k")
BIG = os.environ.get("LEADLINE_BIG") == "1"


def fingerprint(folder):
    """Returns names, contents, times and modes of everything in the folder."""
    found = []
    for at, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(at, name)
            st = os.stat(path)
            found.append((path, hashlib.sha256(read_bytes(path)).hexdigest(),
                          st.st_mtime_ns, st.st_ino, st.st_mode))
    return sorted(found)


class Kept(Case):
    def keep(self, *options, np=2, size=SIZE):
        """Writes in one job; returns the description's path."""
        done = self.blocktransfer(*size, "--write-only", *options, np=np)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(done.said, [], done)
        report = done.report
        self.assertEqual(samples(report, "read"), [])
        self.assertEqual([f["name"] for f in report["figures"] if "read" in f["name"]],
                         [])
        found = glob.glob(os.path.join(done.dir, "*.json"))
        self.assertEqual(len(found), 1, done.files)
        return found[0]

    def read(self, kept, *options, np=3, blocks=2 * BLOCKS, **how):
        before = fingerprint(os.path.dirname(kept))
        report = self.good(self.blocktransfer("--read-only=" + kept, *options, np=np,
                                              **how))
        self.assertEqual(fingerprint(os.path.dirname(kept)), before)
        self.assertEqual(report["checks"]["blocks_checked"], blocks)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        self.assertEqual([f["name"] for f in report["figures"] if "write" in f["name"]],
                         [])
        return report

    def others_read(self, filetype, *options):
        """4 workers wrote, 3 ranks read, then 2 of 2 threads: each block once."""
        kept = self.keep("--filetype=" + filetype, "--threads=2", *options)
        report = self.read(kept, blocks=4 * BLOCKS)
        self.assertEqual(total(report, "read", "calls"), 4 * BLOCKS)
        self.assertEqual(total(report, "read"), 4 * BLOCKS * BLOCK)
        self.assertEqual(report["files"][0]["count"], 4 if filetype == "UNIQUE" else 1)
        self.assertEqual(report["files"][0]["bytes"],
                         json.load(open(kept, encoding="utf-8"))["bytes"])
        self.read(kept, "--threads=2", "--pattern=RANDOM", "--layout=INTERLEAVED",
                  "--iomethod=threads", "--depth=3", np=2, blocks=4 * BLOCKS)

    def test_others_read(self):
        self.others_read("UNIQUE")
        self.others_read("SHARED")

    def test_flipped(self):
        self.flipped("UNIQUE", 7 * BLOCK + 5000)
        self.flipped("SHARED", 8 * BLOCK - 1)

    def test_options(self):
        kept = self.keep()
        name = kept[:-len(".json")]
        self.read(name + ".000001", "--verify=pass", "--repeat=2", blocks=4 * BLOCKS)
        report = self.read(name, str(BLOCK), "--time=10", "--once", np=2,
                           blocks=2)
        self.assertEqual(report["options"]["block-size"]["value"], BLOCK)
        self.assertIn("2 x 5 blocks", report["run"]["notes"]["kept"])
        for method, options, launcher in METHODS:
            with self.subTest(method):
                self.read(kept, *options, launcher=launcher)

    @long
    def test_partitioned(self):
        kept = self.keep("--filetype=PARTITIONED")
        self.read(kept, "--filetype=PARTITIONED", np=3)
        self.failed_to(kept, "add --filetype=PARTITIONED", status=2)

    @long
    def test_collective(self):
        kept = self.keep("--filetype=SHARED")
        self.read(kept, "--iomethod=MPI", "--collective", np=2)
        self.failed_to(kept, "not as many for each of 3 ranks", "--iomethod=MPI",
                       "--collective", status=2)

    def failed_to(self, kept, sentence, *options, status=1, np=3, **how):
        done = self.blocktransfer("--read-only=" + kept, *options, np=np, **how)
        self.assertEqual(done.status, status, done)
        self.one_sentence(done, sentence)

    def flipped(self, filetype, at):
        """A changed byte is named, wherever it is."""
        kept = self.keep("--filetype=" + filetype)
        file = kept[:-len(".json")]
        offset, where = at, file
        if filetype == "UNIQUE":
            where, offset = "%s.%06d" % (file, at // (BLOCK * BLOCKS)), \
                at % (BLOCK * BLOCKS)
        with open(where, "r+b") as f:
            f.seek(offset)
            byte = f.read(1)
            f.seek(offset)
            f.write(bytes([byte[0] ^ 0x10]))
        done = self.blocktransfer("--read-only=" + kept, np=3)
        error = self.failed(done, "verification failed", "expected rank %d" %
                            (at // (BLOCK * BLOCKS)), "found", file=where)
        self.assertEqual(error["offset_bytes"], offset)
        self.assertEqual(done.report["checks"]["blocks_bad"], 1)

    @any_mpi
    def test_what_does_not_fit(self):
        kept = self.keep()
        one = kept[:-len(".json")] + ".000001"
        text = open(kept, encoding="utf-8").read()

        def described(change, sentence, *options, status=1):
            write_file(kept, change(text))
            self.failed_to(kept, sentence, *options, status=status, np=1)
        described(lambda t: t[:50], "no description of files")
        described(lambda t: t.replace("kept/1", "kept/9"), "its format is")
        described(lambda t: t.replace('"pass"', '"dedupe_with_x": 1, "pass"'),
                  "a field not known here, \"dedupe_with_x\"")
        described(lambda t: t.replace('": 5,', '": 6,'), "make not as many")
        described(lambda t: t.replace('"blocktransfer"', '"madbench"'),
                  "written by madbench", status=2)
        described(lambda t: t.replace("true", "false"), "add --no-verify", status=2)
        described(lambda t: t, "less", str(BLOCK * 11), status=2)
        described(lambda t: t, "as it was when", "--misalign=1", status=2)
        described(lambda t: t, "writes nothing", "--keep", status=2)
        described(lambda t: t, "start fewer ranks", "--threads=11", status=2)
        os.truncate(one, BLOCK)
        self.failed_to(kept, "%d when it was kept" % (BLOCK * BLOCKS))
        os.unlink(one)
        self.failed_to(kept, "there is no input")
        os.unlink(kept)
        self.failed_to(kept, "there is no description")

    @long
    def test_of_another_run(self):
        """The file of another run, equally long, has this one's name."""
        a, b = self.keep("--filetype=SHARED"), self.keep("--filetype=SHARED")
        shutil.copy(b[:-len(".json")], a[:-len(".json")])
        self.failed_to(a, "another run's rank 0")
        report = self.good(self.blocktransfer("--read-only=" + a, "--no-verify", np=2))
        self.assertIn("input_changed", [w["code"] for w in report["warnings"]])

    def test_killed_reader(self):
        """However it ends, the files stay as they were."""
        kept = self.keep()
        before = fingerprint(os.path.dirname(kept))
        for number in (signal.SIGTERM, signal.SIGKILL):
            done = self.start("blocktransfer", "--read-only=" + kept, "--quiet",
                              "--iomethod=posix", np=1,
                              env=fault("read:slow:1", file=".blocks",
                                        FAULT_SECONDS="20"))
            self.until(lambda: done.ranks() and os.path.exists(done.json) and
                       os.path.getsize(done.json), "it reads")
            done.signal(number)
            done.wait(20)
            self.assertNotEqual(done.status, 0, done)
            self.assertEqual(fingerprint(os.path.dirname(kept)), before)

    @long
    def test_compressible_and_overwritten(self):
        self.read(self.keep("--compress=60", "--overwrite"))

    def test_not_described(self):
        """Files that nobody could check, or find, have no description."""
        others = ("--block-sizes, --files, --misalign=random and --dedupe are not "
                  "described")
        for options, why in (
                ("--dedupe=50", others), ("--files=2", others),
                ("--misalign=random", others), ("--pattern=ZIPF", "--pattern has left"),
                ("--time=0.2", "--time has left blocks out, or written some more"),
                ("--mixed=30", "--mixed has written some blocks more often")):
            done = self.blocktransfer(*SIZE, "--write-only", options, np=1)
            self.assertEqual(done.status, 0, done)
            self.assertEqual([f for f in done.files if f.endswith(".json")], [])
            self.assertIn("cannot read them: " + why,
                          done.report["run"]["notes"]["kept"])
        for options in (("--no-keep",), ("--iomethod=null", "--no-verify")):
            done = self.blocktransfer(*SIZE, "--write-only", *options, np=1)
            self.good(done)
        done = self.blocktransfer(*SIZE, "--keep", np=1, env=fault(
            "write:EIO:3", file="files/blocktransfer-"))
        self.failed(done, "write of")

    @long
    def test_every_repetition_is_described(self):
        done = self.blocktransfer(*SIZE, "--keep", "--repeat=2", "--cache=keep", np=1)
        self.assertEqual(done.status, 0, done)
        found = [f for f in done.files if f.endswith(".json")]
        self.assertEqual(len(found), 2, done.files)
        for name in found:
            self.read(os.path.join(done.dir, name), np=1, blocks=BLOCKS)

    def big(self):
        """8 GiB of 4 ranks are read by 3; then with one flipped byte."""
        kept = self.keep("--filetype=SHARED", np=4, size=("2G",))
        path = kept[:-len(".json")]
        self.assertEqual(os.path.getsize(path), 8 << 30)
        report = self.good(self.blocktransfer("--read-only=" + kept, np=3))
        self.assertEqual(report["checks"]["blocks_checked"], 8 << 10)
        at = (5 << 30) + 12345678
        with open(path, "r+b") as f:
            f.seek(at)
            byte = f.read(1)
            f.seek(at)
            f.write(bytes([byte[0] ^ 1]))
        error = self.failed(self.blocktransfer("--read-only=" + kept, np=3),
                            "expected rank 2", file=path)
        self.assertEqual(error["offset_bytes"], at)


class Input(Case):
    def file(self, size=10 * BLOCK + 100):
        return write_file(self.path("input"), os.urandom(size))

    def input(self, path, *options, np=2, calls=10, **how):
        report = self.good(self.blocktransfer("--input=" + path, "--block-size=16k",
                                              *options, np=np, **how))
        self.assertEqual(total(report, "read", "calls"), calls)
        self.assertEqual(total(report, "read"), calls * BLOCK)
        self.assertEqual(samples(report, "write"), [])
        self.assertEqual(report["checks"]["blocks_checked"], 0)
        self.assertIn("nothing is verified", report["run"]["notes"]["input"])
        self.assertEqual(report["files"][0]["path"], path)
        self.assertEqual(report["files"][0]["role"], "input")
        return report

    def test_file(self):
        path = self.file()
        before = fingerprint(self.tmp)
        report = self.input(path, "--dir=" + self.tmp, dir=False)
        self.assertIn("last 100 bytes", report["run"]["notes"]["rest"])
        self.input(path, "--threads=2", "--layout=INTERLEAVED", "--pattern=RANDOM")
        self.input(path, "--iomethod=MPI", "--misalign=7", np=1)
        self.input(path, "--iomethod=MPI", "--collective", str(2 * BLOCK), calls=4)
        self.input(path, "--time=20", "--once", "--iomethod=threads", "--depth=4", np=3)
        self.assertEqual([f for f in fingerprint(self.tmp) if f[0] == path],
                         [f for f in before if f[0] == path])

    @any_mpi
    def test_refused(self):
        path = self.file()
        fifo, empty = self.path("fifo"), self.path("empty")
        os.mkfifo(fifo)
        open(empty, "w").close()
        for what, sentence in ((self.tmp, "is a directory"), (fifo, "is a FIFO"),
                               ("/dev/zero", "is a character device"),
                               (empty, "is empty"),
                               (self.path("none"), "there is no input")):
            done = self.blocktransfer("--input=" + what, np=1)
            self.one_sentence(done, sentence)
            self.assertEqual(done.status, 1)
        for options, sentence in ((("--read-only=x",), "take one of the two"),
                                  (("--verify",), "nobody knows what is in"),
                                  (("--filetype=SHARED",), "all ranks read one file"),
                                  (("--keep",), "writes nothing"),
                                  (("--write-only",), "writes nothing"),
                                  (("--rank-shift=1",), "writes nothing"),
                                  (("--think=1",), "without a pause"),
                                  (("--pattern=ZIPF",), "read once"),
                                  (("--misalign=random",), "a number of bytes"),
                                  (("--iomethod=null", "--no-verify"), "IOMETHOD"),
                                  (("--threads=9", "--block-size=20k"),
                                   "start fewer ranks"),
                                  (("9k", "--block-size=1k", "--iomethod=posix",
                                    "--threads=20"), "more than the")):
            self.refused(self.blocktransfer("--input=" + path, *options, np=1),
                         sentence)
        self.one_sentence(self.blocktransfer("--input=" + path, "--block-size=1M",
                                             np=1),
                          "less than one block")

    @long
    def test_changed_meanwhile(self):
        path = self.file()
        done = self.start("blocktransfer", "--input=" + path, "--block-size=16k",
                          "--quiet", np=1, env=fault(
                              "read:slow:1", file="/input", FAULT_SECONDS="3"))
        self.until(lambda: os.path.exists(done.json) and os.path.getsize(done.json),
                   "it reads")
        with open(path, "ab") as f:
            f.write(b"x")
        report = self.good(done.wait(30))
        self.assertIn("input_changed", [w["code"] for w in report["warnings"]])

    def device(self):
        """Every engine reads a block device, and leaves it untouched."""
        image = self.file(64 * BLOCK)
        try:
            loop = run_text(["losetup", "--find", "--show", image], check=True,
                            stderr=subprocess.DEVNULL).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("there are no loop devices")
        self.addCleanup(subprocess.run, ["losetup", "-d", loop])

        def writes():
            return read_text("/sys/block/%s/stat" % os.path.basename(loop)).split()[4:7]
        before = writes(), fingerprint(self.tmp)
        engines = ["posix", "mpiio", "threads"]
        for engine in engines:
            report = self.input(loop, "--iomethod=" + engine, calls=64)
            self.assertEqual(report["files"][0]["kind"], "device")
            self.assertEqual(report["files"][0]["stack"][0]["kind"], "loop")
            self.assertEqual(report["checks"]["below_share"], 1)
        self.input(loop, "--cache=direct", "--iomethod=posix", calls=64)
        after = [f for f in fingerprint(self.tmp) if f[0] == image]
        self.assertEqual(writes(), before[0])
        self.assertEqual(after, [f for f in before[1] if f[0] == image])


for _filetype in ("UNIQUE", "SHARED"):
    for _at in (0, 4096, 10 * BLOCK - 1):
        long(add(Kept, "flipped_%s_%d" % (_filetype.lower(), _at), "flipped", _filetype,
                 _at))
long(add(Kept, "others_read_interleaved", "others_read", "SHARED",
         "--layout=INTERLEAVED", "--misalign=100"))
add(Input, "device", "device")
if BIG:
    Kept.LIMIT = 1200
    add(Kept, "big", "big")
else:
    long(add(Kept, "big_needs_LEADLINE_BIG", "skipTest", "LEADLINE_BIG=1 is not set"))

if __name__ == "__main__":
    main()
