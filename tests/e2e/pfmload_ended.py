#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""pfmload if the disk fails, or a rank ends: the load ends, and nothing half-made
stays."""
import glob
import os
import signal
import subprocess

from e2e import FLAVOUR, METHODS, TIMED_OUT, add, fault, main, read_text, runner
from loads import PARALLEL, SCHEMES, Loads, contents

# MPICH 4.0's launcher sometimes exits with 0 when it is told to end, whatever it ran.
LOST = (0,) if FLAVOUR == "mpich" else ()


class PfmloadEnded(Loads):
    # ---- ranks ---------------------------------------------------------------

    def long_load(self):
        return self.survey(12, 400, 201)

    def running(self, scheme, *args):
        """Starts a load that has made its files, and is in the middle of its work."""
        kinds = SCHEMES[scheme]
        ranks = max(kinds.ranks[0], 1)
        run = self.start("pfmload", "--quiet", "--output=o.pfm", "--cache=keep",
                         "--repeat=1000", *kinds.args, *args, *self.long_load(),
                         np=ranks)
        self.until(lambda: self.blocks_of(run) and
                   len(run.ranks()) == ranks and run.child.poll() is None,
                   "files are made")
        return run

    @staticmethod
    def blocks_of(run):
        return glob.glob(os.path.join(run.dir, "o.pfm.*", "o.pfm.data", "*.ndx"))

    def has_ended(self, run, ranks, lost=()):
        run.wait(30)
        self.assertNotIn(run.status, {0, TIMED_OUT}.difference(lost), run)
        self.until(lambda: not [pid for pid in ranks if pid in runner.parents()],
                   "all ranks have ended")
        self.assertIs(run.report["valid"], False)
        self.assertFalse({"o.pfm", "o.pfm.data"} & set(run.files), run.files)

    def a_rank_is_killed(self, scheme, which):
        run = self.running(scheme)
        ranks = run.ranks()
        os.kill(sorted(ranks)[which], signal.SIGKILL)
        self.has_ended(run, ranks)

    def the_launcher_is_told_to_end(self, scheme, *args):
        run = self.running(scheme, *args)
        ranks = run.ranks()
        run.child.send_signal(signal.SIGTERM)
        self.has_ended(run, ranks, LOST)
        self.assertEqual(contents(run.dir), {}, run)

    # ---- other loads -----------------------------------------------------------

    def at_once(self, *options):
        """While one load makes or changes a PFM, another is refused; later it is
        not."""
        folder = self.path("both")
        os.mkdir(folder)
        lines = self.survey()
        if options:
            done = self.pfmload("--bounds=-88.02,29.98,-87.9,30.05", "--depths=0,500",
                                lines[0], dir=folder)
            self.assertEqual((done.status, done.said), (0, []), done)
        before = contents(folder)
        run = self.start("pfmload", "--quiet", "--output=o.pfm", "--repeat=1000",
                         "--cache=keep", *options, lines[1], np=2, dir=folder)
        self.until(lambda: os.path.exists(os.path.join(folder, ".o.pfm.lock")),
                   "the PFM is locked")
        for np in (0, 3):
            done = self.pfmload(*options, lines[2], np=np, dir=folder)
            self.assertEqual((done.status, len(done.said)), (1, 1), done)
            self.assertIn("another load is making or changing this PFM (process ",
                          done.said[0])
        run.child.send_signal(signal.SIGTERM)
        run.wait(30)
        self.until(lambda: contents(folder) == before, "all is as it was")
        done = self.pfmload(*options, lines[2], np=3, dir=folder)
        self.assertEqual((done.status, done.said), (0, []), done)

    # ---- the disk ------------------------------------------------------------

    def fails(self, scheme, what, part, rank=None, *args):
        """A call on a file of the PFM fails, on one rank or on any that makes it."""
        kinds = SCHEMES[scheme]
        lines = self.long_load() if "--memory=1M" in args else self.survey()
        done = self.pfmload(*kinds.args, *args, *lines, np=kinds.ranks[0],
                            env=fault(what, rank, part))
        self.failed(done)

    def a_collective_write_fails(self, launcher):
        """It fails on one rank, while others wait: with some MPIs, until the time
        limit."""
        done = self.pfmload("--scheme=G", "--iomethod=MPI", "--collective",
                            "--io-timeout=5", *self.survey(), np=3, launcher=launcher,
                            env=fault("write:EIO:1", None, "o.pfm.data/o.pfm.ndx"))
        done.said = [line for line in done.said if "by a signal" not in line]
        if "did not come back" in done.err:
            late = [line for line in done.said if "did not come back" in line]
            self.assertEqual(done.said, late, done)  # from several ranks at once
            done.said = late[:1]
            self.one_sentence(done, "--io-timeout")
        else:
            self.failed(done, "write of", file="o.pfm.ndx")

    def full(self, scheme, *args):
        """The file system is too small."""
        if subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL):
            self.skipTest("no mounts of a test's own can be made here")
        place = self.path("mounted")
        listing = self.path("listing")
        os.mkdir(place)
        kinds = SCHEMES[scheme]
        done = self.pfmload(  # without a scan the size is not known before
            "--bounds=-88.02,29.98,-87.9,30.05", "--bin-size=50", "--depths=0,200",
            *kinds.args, *args, *self.long_load(), np=kinds.ranks[0], dir=place,
            before=("unshare", "-m", "sh", "-c", """
                at=$1 listing=$2
                shift 2
                mount -t tmpfs -o size=4m none "$at" 2>/dev/null || exit 77
                "$@"
                status=$?
                ls -A "$at" >"$listing"
                exit $status""", "sh", place, listing))
        if done.status == 77:
            self.skipTest("no tmpfs can be mounted here")
        error = self.failed(done, "No space left")
        self.assertEqual(error["errno"], "ENOSPC")
        self.assertEqual(read_text(listing), "")

    def test_the_report_of_a_pfm_that_differs(self):
        """Verification reads the files."""
        for scheme in ("serial", "E", "G"):
            done = self.pfmload(*SCHEMES[scheme].args, *self.survey(),
                                np=SCHEMES[scheme].ranks[0],
                                env=fault("write:flip:1", None, ".ndx"))
            self.failed(done)

    def test_lost_writes(self):
        """A write to any part of the PFM is lost, on any rank that writes: the sentence
        names the possible cause, and blames no other part."""
        for scheme, rank, part, found in (
                ("G", 1, ".ndx", ""), ("G", 1, ".cvg", "the coverage map"),
                ("C", 0, ".ndx", "")):
            done = self.pfmload(*SCHEMES[scheme].args, *self.survey(), np=3,
                                env=fault("write:lost:2", rank, part))
            self.failed(done, "verification failed", found,
                        "the file system served stale data", file=part)

    def test_publishing_fails(self):
        """Files or folders cannot be synced: the old ones stay."""
        handle = self.loaded(*self.survey()[:1])
        folder = os.path.dirname(handle)
        before = contents(folder)
        for k in range(2, 20):  # the first is a probe's, which refuses nothing
            done = self.pfmload("--overwrite", *self.survey(), dir=folder,
                                env=fault("fsync:EIO:%d" % k, None, "/files"))
            if sorted(contents(folder).items()) != sorted(before.items()):
                break
            self.left_alone(done, folder, before)
        self.assertGreater(k, 5)
        self.assertEqual(sorted(os.listdir(folder)), ["o.pfm", "o.pfm.data"])
        self.same_contents(handle, self.loaded(*self.survey()))


for option in ("new", "append", "overwrite"):
    add(PfmloadEnded, "two_at_once_" + option, "at_once",
        *(["--" + option] if option != "new" else []))
for i, name in enumerate(SCHEMES):
    add(PfmloadEnded, "told_to_end_" + name, "the_launcher_is_told_to_end", name)
    part = (".ndx", ".bin")[i % 2]
    add(PfmloadEnded, "write_of_%s_fails_%s" % (part[1:], name), "fails", name,
        "write:EIO:1", part)
for i, name in enumerate(PARALLEL):
    add(PfmloadEnded, "killed_" + name, "a_rank_is_killed", name, (0, 1, -1)[i % 3])
for name in ("serial", "per_sounding", "C", "G"):
    add(PfmloadEnded, "full_" + name, "full", name)
    add(PfmloadEnded, "sync_fails_" + name, "fails", name, "fsync:EIO:1", ".ndx")
add(PfmloadEnded, "told_to_end_spilling_G", "the_launcher_is_told_to_end", "G",
    "--memory=1M")
add(PfmloadEnded, "full_spilling_G", "full", "G", "--memory=1M")
add(PfmloadEnded, "one_rank_of_G_fails", "fails", "G", "write:EIO:1", ".ndx", 1)
for name, _, launcher in METHODS[1:]:
    add(PfmloadEnded, "a_collective_write_fails_" + name, "a_collective_write_fails",
        launcher)
add(PfmloadEnded, "scratch_of_one_rank_fails", "fails", "G", "write:ENOSPC:1", ".runs.",
    1, "--memory=1M")

if __name__ == "__main__":
    main()
