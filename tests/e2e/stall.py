#!/usr/bin/env python3
# limit: 300, alone; mpi: any; tier: ci
"""A throttled disk that stops for 2 s in the middle of a run: the series and the tails
show it, and a comparison with a run without it reports it."""
import os
import re
import subprocess
import threading
import time

from e2e import BUILD, Case, samples
from in_rig import in_rig

LEADLINE = os.path.join(BUILD, "python", "leadline", "leadline")
DISK = os.environ.get("LEADLINE_DISKS", "")
STALL_S = 2
# Ten transfers must be beyond the p99.9, and more are in flight at once.
BLOCKS, DEPTH = 12000, 16
SIZE = (str(BLOCKS * 4096), "--block-size=4096", "--depth=%d" % DEPTH, "--no-verify",
        "--iomethod=threads", "--cache=direct", "--repeat=1")


def written():
    found = 0
    for name in os.listdir(DISK):
        try:
            found += os.stat(os.path.join(DISK, name)).st_blocks * 512
        except OSError:
            pass  # it is gone
    return found


def stand_still(ended):
    """Freezes the file system in the middle of writing: no write begins then."""
    while written() < BLOCKS * 4096 // 3 and not ended.is_set():
        time.sleep(0.01)
    subprocess.run(["fsfreeze", "--freeze", DISK], check=True)
    try:
        time.sleep(STALL_S)
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", DISK], check=True)


class Stall(Case):
    def measured(self, label, stall):
        ended = threading.Event()
        other = threading.Thread(target=stand_still, args=(ended,))
        if stall:
            other.start()
        try:
            done = self.blocktransfer(*SIZE, "--label=" + label, dir=DISK)
        finally:
            ended.set()
            if stall:
                other.join()
        return done, self.good(done)

    def gap(self, report):
        """Returns the longest run of slots without bytes between others, in seconds;
        and the longest latency of the slot behind it."""
        s = samples(report, "write")[0]["series"]
        longest, empty, behind = 0, 0, 0
        for calls, max_s in zip(s["calls"], s["max_s"]):
            if calls:
                if empty > longest:
                    longest, behind = empty, max_s
                empty = 0
            else:
                empty += 1
        return longest * s["slot_s"], behind

    def figure(self, report, name):
        return next(f["median"] for f in report["figures"] if f["name"] == name)

    def test_a_stall_is_in_latencies_and_series(self):
        slow, with_stall = self.measured("stalls", True)
        good, without = self.measured("steady", False)
        length, behind = self.gap(with_stall)
        self.assertGreater(length, 0.8 * STALL_S)
        self.assertGreater(behind, 0.9 * STALL_S)
        self.assertLess(self.gap(without)[0], 0.5 * STALL_S)
        for name in "write.write_p999_us", "write.write_max_us":
            self.assertGreater(self.figure(with_stall, name), 0.9e6 * STALL_S)
            self.assertLess(self.figure(without, name), 0.5e6 * STALL_S)
        self.assertLess(self.figure(with_stall, "write.write_p50_us"), 0.5e6)
        said = subprocess.run([LEADLINE, "compare", good.json, slow.json],
                              stdout=subprocess.PIPE, universal_newlines=True,
                              check=False).stdout
        said = re.sub(r"\s+", " ", said)
        self.assertRegex(said, r"stalls: transfers stood still for up to [12]\.?\d* s "
                               r"\(phase write, repetition 1[;)]")
        # The throttled disk has a rhythm of less than 0.1 s, which may be named.
        self.assertNotRegex(said, r"steady: transfers stood still for up to [\d.]+ s ")


if __name__ == "__main__":
    in_rig("disks", "--size=256M", "--rate=20M")
