#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""Storage that lies or fails is detected: on any rank, at any call, through every
layer. One sentence tells where; nothing hangs, nothing is left, no report is valid."""
import os

from e2e import (HAVE_SCALAPACK, METHODS, Case, add, fault, main, read_bytes,
                 read_text, total)

IO_MODE = ("64", "3", "--io-only")
FULL_MODE = ("64", "3")
BLOCKS = ("64k", "--block-size=4k")
RANKS = 3
TYPES = ("UNIQUE", "SHARED")
POSIX = METHODS[0]
# Of the asynchronous engines, only threads makes transfers through the C library, where
# faults are made.
ASYNC = ("async", ("--iomethod=threads", "--iomode=ASYNC"), ())


class Verification(Case):
    LIMIT = 30

    def hit(self, how, what, rank, *options, size=IO_MODE, program="madbench"):
        """Makes a run with a fault on one rank, or on all (None)."""
        name, method, launcher = how
        return self.run_program(program, *size, *method, "--io-timeout=20", *options,
                                "--quiet", np=RANKS, launcher=launcher,
                                env=fault(what, rank, "files/%s-" % program))

    def names_place(self, done, *parts, rank):
        """The sentence tells the rank, the file, and the place."""
        error = self.failed(done, *parts, rank=rank, file=done.dir)
        self.assertGreaterEqual(error["offset_bytes"], 0)
        self.assertIn("offset %d" % error["offset_bytes"], done.said[0])
        return error

    def lies(self, how, what, found, rank, filetype):
        """Reads return other data than were written."""
        done = self.hit(how, what, rank, "--filetype=" + filetype)
        self.names_place(done, "verification failed", found, rank=rank)
        self.assertEqual(done.report["checks"]["blocks_bad"], 1)

    def fails(self, how, what, text, rank, filetype):
        done = self.hit(how, what, rank, "--filetype=" + filetype)
        error = self.names_place(done, text, rank=rank)
        if how is POSIX and "ENOSPC" in what:
            self.assertEqual(error["errno"], "ENOSPC")

    def moves_nothing(self, how, filetype):
        """A write moves nothing and reports no error: POSIX gives up, ROMIO tries again
        and succeeds. Either way the report is true."""
        done = self.hit(how, "write:zero:2", 1, "--filetype=" + filetype)
        if how is POSIX or done.status:
            self.names_place(done, "write of", rank=1)
        else:
            self.assertEqual(self.good(done)["checks"]["blocks_bad"], 0)

    def sync_fails(self, how, filetype):
        # The library chooses which rank syncs a file for the others: all are hit.
        rank = 1 if how is POSIX else None
        done = self.hit(how, "fsync:EIO:1", rank, "--filetype=" + filetype)
        self.failed(done, "sync", rank=rank, file=done.dir)

    def collective(self, how, what):
        """The library chooses which rank writes for the others: all are hit. OMPIO may
        hang in a collective call that failed: the time limit ends it."""
        done = self.hit(how, what, None, "--filetype=SHARED", "--collective",
                        "--io-timeout=3")
        if "did not come back" in done.err:
            self.ended_by_watchdog(done)
        else:
            self.failed(done, file=done.dir)

    def ended_by_watchdog(self, done, *parts):
        done.said = [line for line in done.said if "by a signal" not in line]
        self.one_sentence(done, "did not come back", done.dir, "--io-timeout", *parts)
        self.assertIs(done.report["valid"], False)
        self.assertEqual(done.report["why"], "did not finish")

    def short_transfers(self, filetype):
        """POSIX reports it, and the rest follows."""
        for what in ("write:half:2", "read:half:3"):
            report = self.good(self.hit(POSIX, what, 1, "--filetype=" + filetype))
            self.assertEqual(report["checks"]["blocks_bad"], 0)

    def is_stuck(self, how, filetype):
        """A transfer that never returns ends the run all the same."""
        name, method, launcher = how
        done = self.madbench(*IO_MODE, *method, "--filetype=" + filetype,
                             "--io-timeout=1", np=RANKS, launcher=launcher,
                             env=fault("write:hang:2", 1))
        self.ended_by_watchdog(done, "rank 1 on ", "within 1 s")

    def test_a_helper_is_stuck(self):
        """The wait is bounded, the helper's call is not: the watchdog ends it."""
        done = self.madbench(*IO_MODE, "--iomethod=threads", "--io-timeout=1", np=RANKS,
                             env=fault("write:hang:2", 1))
        self.ended_by_watchdog(done, "rank 1 on ", "did not finish within 1 s")

    def test_a_helper_fails(self):
        """The error is reported as with a synchronous engine."""
        for call in ("write", "read"):
            done = self.hit(("threads", ("--iomethod=threads",), ()),
                            call + ":EIO:2", 1, "--filetype=SHARED")
            self.names_place(done, call + " of", rank=1)

    def cannot_make(self, filetype):
        rank = 0 if filetype == "SHARED" else 2
        for code in ("EACCES", "ENOSPC"):
            done = self.hit(POSIX, "open:%s:1" % code, rank, "--filetype=" + filetype)
            error = self.failed(done, "cannot be created", rank=rank, file=done.dir)
            self.assertEqual(error["errno"], code)

    def foreign(self, filetype):
        """A file of that name from somebody else is refused, and left alone."""
        done = self.hit(POSIX, "open:plant:1", 0, "--filetype=" + filetype)
        self.assertEqual(done.status, 1, done)
        self.assertEqual(len(done.said), 1, done)
        self.assertIn("exists already", done.said[0])
        self.assertEqual(len(done.files), 1, done.files)
        self.assertEqual(read_text("%s/%s" % (done.dir, done.files[0])), "foreign")

    def full_mode(self, how, what, rank, filetype, text):
        if not HAVE_SCALAPACK:
            self.skipTest("full mode is not built")
        done = self.hit(how, what, rank, "--filetype=" + filetype, size=FULL_MODE)
        self.names_place(done, text, rank=rank)

    def blocktransfer_fails(self, what, found, *options):
        done = self.hit(POSIX, what, 2, *options, size=BLOCKS, program="blocktransfer")
        self.names_place(done, found, rank=2)

    def test_a_failure_passes_the_gates(self):
        """A rank that failed still lets the next one through."""
        done = self.hit(POSIX, "write:EIO:2", 0, "--io-only",
                        size=("64", "4", "1", "16", "4096", "3", "3"))
        self.names_place(done, "write of", rank=0)

    def test_no_verify_checks_nothing(self):
        """Then a lie passes: only checking finds it."""
        report = self.good(self.hit(POSIX, "write:flip:2", 1, "--no-verify"))
        self.assertEqual(report["checks"]["blocks_checked"], 0)

    def kept_bytes(self, *options):
        done = self.blocktransfer(*BLOCKS, "--keep", *options, np=1)
        name, = self.good_files(done)
        return read_bytes(name), done.report["run"]["seed"]

    def good_files(self, done):
        self.assertEqual(done.status, 0, done)
        return [os.path.join(done.dir, name) for name in done.files
                if not name.endswith(".json")]

    def test_an_earlier_run_wrote_other_data(self):
        """So its leftovers on a device cannot pass for this run's data; but the same
        data can be had."""
        (one, seed), (other, _) = self.kept_bytes(), self.kept_bytes()
        units = range(0, len(one), 4096)
        self.assertEqual(len(one), len(other))
        self.assertFalse([at for at in units if one[at:at + 4096] in other])
        self.assertEqual(self.kept_bytes("--seed=%d" % seed)[0], one)

    def test_the_shim_is_harmless(self):
        """A fault that is never due changes nothing."""
        for how in METHODS:
            report = self.good(self.hit(how, "write:EIO:1000000", None))
            self.assertEqual(report["checks"]["blocks_checked"], 2 * 3 * RANKS)
            self.assertEqual(total(report, "read", "calls"), 2 * 3 * RANKS)


LIES = [  # the fault, and what it is found to be
    ("a_bit_changes_on_disk", "write:flip:2", "with changed bytes"),
    ("a_bit_changes_on_the_way", "read:flip:2", "with changed bytes"),
    ("a_block_is_misplaced", "write:shift:2", "found "),
    ("a_block_comes_from_elsewhere", "read:shift:2", "found "),
    ("a_write_is_lost", "write:lost:4", "version 1"),
    ("a_read_brings_nothing", "read:lost:2", "the poison put there"),
]

FAILURES = [
    ("the_first_write_fails", "write:EIO:1", "write of"),
    ("a_later_write_fails", "write:EIO:5", "write of"),
    ("no_space", "write:ENOSPC:3", "write of"),
    ("no_space_from_now_on", "write:ENOSPC:2+", "write of"),
    ("a_read_fails", "read:EIO:2", "read of"),
    ("the_file_ends_early", "read:zero:4", "read of"),
]

FULL_MODE_FAULTS = [
    ("write:flip:2", "the file system served stale data, or lost, misplaced or"),
    ("write:lost:5", "fingerprint"),
    ("read:flip:5", "fingerprint"), ("write:EIO:4", "write of"),
    ("read:zero:6", "read of"),
]

BLOCK_FAULTS = [
    ("write:flip:3", "verification failed"), ("read:lost:7", "poison"),
    ("write:shift:16", "verification failed"), ("read:EIO:16", "read of"),
    ("write:ENOSPC:1", "write of"),
]

for k, how in enumerate([*METHODS, ASYNC]):
    name = how[0]
    for i, (what, fault_text, found) in enumerate(LIES):
        add(Verification, "%s_%s" % (what, name), "lies", how, fault_text, found,
            (i + k) % RANKS, TYPES[(i + k) % 2])
    # A failed launch takes Open MPI more than a second: so not every product runs.
    for i, (what, fault_text, found) in enumerate(FAILURES):
        add(Verification, "%s_%s" % (what, name), "fails", how, fault_text, found,
            (i + k) % RANKS, TYPES[(i + k + 1) % 2])

for how in METHODS:
    name = how[0]
    for kind in TYPES:
        add(Verification, "sync_fails_%s_%s" % (name, kind), "sync_fails", how, kind)
        add(Verification, "a_write_moves_nothing_%s_%s" % (name, kind), "moves_nothing",
            how, kind)
        add(Verification, "stuck_%s_%s" % (name, kind), "is_stuck", how, kind)
    if how is not POSIX:
        for what in ("write:EIO:1", "write:ENOSPC:2+", "read:EIO:2"):
            add(Verification, "collective_%s_%s" % (name, what), "collective", how,
                what)

# Nonblocking calls are synced as blocking ones are, though MPICH's ROMIO forgets them.
add(Verification, "sync_fails_async_mpi", "sync_fails",
    ("mpi", ("--iomethod=MPI", "--iomode=ASYNC"), ()), "SHARED")

for kind in TYPES:
    add(Verification, "short_transfers_are_finished_" + kind, "short_transfers", kind)
    add(Verification, "a_file_cannot_be_made_" + kind, "cannot_make", kind)
    add(Verification, "a_foreign_file_is_left_alone_" + kind, "foreign", kind)

for i, (what, found) in enumerate(FULL_MODE_FAULTS):
    how = [*METHODS, ASYNC][i % (len(METHODS) + 1)]
    add(Verification, "full_mode_%s_%s" % (what, how[0]), "full_mode", how, what,
        i % RANKS, TYPES[i % 2], found)

for i, (what, found) in enumerate(BLOCK_FAULTS):
    add(Verification, "blocktransfer_queue_" + what, "blocktransfer_fails", what, found,
        "--iomethod=threads:depth=1", "--depth=%d" % (i % 3 + 2))
    options = ("--depth=4", "--filetype=SHARED") if i % 2 else ("--pattern=RANDOM",)
    add(Verification, "blocktransfer_" + what, "blocktransfer_fails", what, found,
        *options)

if __name__ == "__main__":
    main()
