#!/usr/bin/env python3
# limit: 900
"""One real transfer of more than 2 GiB, only with LEADLINE_BIG=1, as it takes 5 GB of
disk and 3 GB of memory."""
import os
import re
import shutil

from e2e import METHODS, Case, add, main, total

BIG = os.environ.get("LEADLINE_BIG") == "1"


class Large(Case):
    LIMIT = 600

    def one_block(self, method, launcher, options=()):
        with open("/proc/meminfo") as f:
            kib = int(re.search(r"MemAvailable: *(\d+)", f.read()).group(1))
        if kib < 8 << 20:
            self.skipTest("less than 8 GiB of memory are available")
        if shutil.disk_usage(self.tmp).free < 8 << 30:
            self.skipTest("less than 8 GiB of disk are free")
        report = self.good(self.blocktransfer("2500M", "--block-size=2500M", *method,
                                              *options, np=1, launcher=launcher))
        self.assertEqual(total(report, "write", "calls"), 1)
        self.assertEqual(total(report, "read"), 2500 << 20)
        self.assertEqual(report["checks"]["blocks_checked"], 1)


if BIG:
    for name_, method_, launcher_ in METHODS:
        add(Large, name_, "one_block", method_, launcher_)
        if name_ != "posix":
            add(Large, name_ + "_collective", "one_block", method_, launcher_,
                ("--collective",))
else:
    add(Large, "needs_LEADLINE_BIG", "skipTest", "LEADLINE_BIG=1 is not set")

if __name__ == "__main__":
    main()
