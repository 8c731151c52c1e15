#!/usr/bin/env python3
# limit: 600, alone
"""Numbers that add up on a disk whose rate is known: the kernel throttles it."""
import collections
import os

import accounts
from e2e import Case, add, samples
from in_rig import in_rig

RATE = 5 << 20    # bytes a second of the disk, each way: copying them takes no time
BYTES = 25 << 20  # 5 s: what the disk saves up while idle, 0.1 s, is small against it
DISK = os.environ.get("LEADLINE_DISKS", "")


class Disks(Case):
    def rate(self, *options, np=2):
        """The disk's rate, within 5 %."""
        report = self.good(self.blocktransfer(
            str(BYTES // np), "--block-size=256k", "--no-verify", "--repeat=3",
            *options, np=np, dir=DISK))
        for f in report["figures"]:
            if f["name"] in ("write_MBps", "read_MBps"):
                self.assertLess(abs(f["median"] * 1e6 / RATE - 1), 0.05, f)

    def seconds(self, program, *args):
        """What is timed as reads and writes is the calls that the recorder saw, within
        2 %: they all take long. A machine may be busy with others: then once more."""
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


for cache in "direct", "flush":
    add(Disks, "rate_with_" + cache, "rate", "--cache=" + cache)
add(Disks, "seconds_of_blocktransfer", "seconds", "blocktransfer", "5M",
    "--block-size=256k", "--cache=direct")
add(Disks, "seconds_of_madbench", "seconds", "madbench", "256", "4", "--io-only",
    "--cache=direct")

if __name__ == "__main__":
    in_rig("disks", "--size=128M", "--rate=%d" % RATE,
           "--image-dir=" + os.environ["LEADLINE_TMP"])
