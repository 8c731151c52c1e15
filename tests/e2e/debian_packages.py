#!/usr/bin/env python3
# tier: full; mpi: any; limit: 7200
"""Debian's packages are built, installed in a new Debian, tested there and removed, as
packaging/debian-test does; skipped if it says that it cannot run."""
import os
import subprocess

from e2e import TESTS, Case, main, run_text

# Variables of a user's shell; the build sees nothing of this tree.
KEPT = ("HOME", "LANG", "MIRROR", "DEB_BUILD_OPTIONS", "DEB_BUILD_PROFILES",
        "http_proxy", "https_proxy", "no_proxy")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CANNOT_RUN = 77


class Packages(Case):
    def test_built_installed_and_removed(self):
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        done = run_text([os.path.join(TESTS, os.pardir, "packaging", "debian-test")],
                        env=dict(env, PATH=PATH, TMPDIR=self.tmp),
                        stderr=subprocess.STDOUT, errors="replace")
        if done.returncode == CANNOT_RUN:
            self.skipTest(done.stdout.strip().splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        self.assertRegex(done.stdout, r"\n\d+ passed, 0 failed\n$")


if __name__ == "__main__":
    main()
