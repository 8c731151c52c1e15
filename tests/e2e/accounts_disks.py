#!/usr/bin/env python3
# limit: 600, alone; mpi: any; tier: ci
"""Numbers that add up on a disk with a known rate: the kernel throttles it."""
import collections
import os

import accounts
from e2e import ASYNCHRONOUS, add, read_text, samples
from in_rig import in_rig
from loads import Loads

# bytes a second of the disk, each way: copying takes no time at that rate
RATE = 5 << 20
BYTES = 25 << 20  # 5 s: the disk saves up 0.1 s while idle, which is small against it
DISK = os.environ.get("LEADLINE_DISKS", "")


class Disks(Loads):
    LIMIT = 120

    def rate(self, *options, np=2):
        """The rate is the disk's, within 5 %."""
        report = self.good(self.blocktransfer(
            str(BYTES // np), "--block-size=256k", "--no-verify", "--repeat=3",
            *options, np=np, dir=DISK))
        for f in report["figures"]:
            if f["name"] in ("write_MBps", "read_MBps"):
                self.assertLess(abs(f["median"] * 1e6 / RATE - 1), 0.05, f)

    @staticmethod
    def counted():
        """Returns the kernel's counts for the disk: bytes read, and written."""
        device = os.stat(DISK).st_dev
        fields = read_text("/sys/dev/block/%d:%d/stat" % (os.major(device),
                                                          os.minor(device))).split()
        return {"read": int(fields[2]) * 512, "write": int(fields[6]) * 512}

    def by_disk(self, engine):
        """The bytes are those of the disk, which also has the file system's own."""
        before = self.counted()
        report = self.good(self.blocktransfer(
            "1M", "--block-size=64k", "--no-verify", "--iomethod=" + engine,
            "--cache=" + ("direct" if engine == "libaio" else "flush"), dir=DISK))
        after = self.counted()
        for act, told in accounts.moved(report).items():
            more = after[act] - before[act] - accounts.PROBE - told
            self.assertLess(abs(more), 1 << 18, act)

    def seconds(self, program, *args):
        """Times of reads and writes are those of the calls that the recorder saw,
        within 2 %: they all take long. The machine may be busy with other work: then
        once more."""
        for _ in range(accounts.ATTEMPTS):
            done, (log,) = accounts.Recorded.recorded(self, program, *args, np=1,
                                                      dir=DISK)
            took = collections.Counter()
            for e in accounts.Recorded.transfers(log, DISK):
                took[e.klass.lower()] += e.duration / log.second
            told = {act: sum(s["max_s"] for s in samples(done.report, act))
                    for act in took}
            self.assertEqual(set(told), {"read", "write"})
            if max(abs(told[act] / took[act] - 1) for act in told) < 0.02:
                return
        self.fail("%s, and the calls took %s" % (told, took))

    def load_fills_the_run(self, scheme, np):
        """Phases of a load fill it, except for a hundredth, from first to last."""
        survey = self.survey(6, 2000, 101)
        for _ in range(accounts.ATTEMPTS):
            done = self.pfmload("--scheme=" + scheme, "--no-verify", "--overwrite",
                                *survey, np=np, dir=DISK)
            self.assertEqual(done.status, 0, done)
            walls = samples(done.report, "wall")
            self.assertEqual([w["phase"] for w in walls], ["scan", "load", "side"])
            span = walls[-1]["start_s"] + walls[-1]["max_s"] - walls[0]["start_s"]
            inside = sum(w["max_s"] for w in walls)
            self.assertGreater(span, 2)
            if 0.99 * span < inside < 1.01 * span:
                return
        self.fail("%.4f s of %.4f s are in phases" % (inside, span))


for cache in "direct", "flush":
    add(Disks, "rate_with_" + cache, "rate", "--cache=" + cache)
add(Disks, "seconds_of_blocktransfer", "seconds", "blocktransfer", "5M",
    "--block-size=256k", "--cache=direct")
add(Disks, "seconds_of_madbench", "seconds", "madbench", "256", "4", "--io-only",
    "--cache=direct")
for engine in ("posix", "mmap", *ASYNCHRONOUS):
    add(Disks, "bytes_of_" + engine, "by_disk", engine)
for scheme, ranks in ("serial", 1), ("F", 3), ("G", 2):
    add(Disks, "load_%s_fills_the_run" % scheme, "load_fills_the_run", scheme, ranks)

if __name__ == "__main__":
    in_rig("disks", "--size=128M", "--rate=%d" % RATE,
           "--image-dir=" + os.environ["LEADLINE_TMP"])
