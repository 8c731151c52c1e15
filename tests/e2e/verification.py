#!/usr/bin/env python3
# limit: 600
"""Storage that lies or fails is found out: on any rank, at any call, through every
layer. One sentence says where; nothing hangs, nothing is left, no report is valid."""
from e2e import HAVE_SCALAPACK, METHODS, Case, add, fault, main, samples

SIZE = ("64", "3", "--io-only")
RANKS = 3
TYPES = ("UNIQUE", "SHARED")


class Verification(Case):
    LIMIT = 30

    def hit(self, how, what, rank, *options, size=SIZE, file=".matrices"):
        """A run with a fault on one rank."""
        name, method, launcher = how
        program = "madbench" if file == ".matrices" else "blocktransfer"
        return self.run_program(program, *size, *method, *options, "--quiet",
                                "--io-timeout=20", np=RANKS, launcher=launcher,
                                env=fault(what, rank, file))

    def bad_block(self, done, rank, found, file=".matrices"):
        """The block is named: by whom it was read, from where, what it should be."""
        error = self.failed(done, "verification failed", found, rank=rank, file=file)
        self.assertGreaterEqual(error["offset_bytes"], 0)
        self.assertIn("offset %d" % error["offset_bytes"], done.said[0])
        checks = done.report["checks"]
        self.assertGreaterEqual(checks["blocks_bad"], 1, checks)
        return error


# ---- what was written is not what is read: call, action, the call, what is found -----

LIES = [
    ("a_bit_changes_on_disk", "write:flip:2", "with changed bytes"),
    ("a_bit_changes_on_the_way", "read:flip:2", "with changed bytes"),
    ("a_block_is_misplaced", "write:shift:2", "found "),
    ("a_block_comes_from_elsewhere", "read:shift:2", "found "),
    ("a_write_is_lost", "write:lost:4", "version 1"),
    ("a_read_brings_nothing", "read:lost:2", "the poison put there"),
]


def lie(self, how, what, found, rank, filetype):
    self.bad_block(self.hit(how, what, rank, "--filetype=" + filetype), rank, found)


for number, (name, what, found) in enumerate(LIES):
    for k, how in enumerate(METHODS):
        rank = (number + k) % RANKS
        add(Verification, "%s_%s_rank_%d" % (name, how[0], rank), lie, how, what, found,
            rank, TYPES[(number + k) % 2])


# ---- failures: call, action, what the sentence says of it ----------------------------

ERRORS = [
    ("first_write_fails", "write:EIO:1", "write of"),
    ("a_later_write_fails", "write:EIO:5", "write of"),
    ("no_space", "write:ENOSPC:3", "write of"),
    ("no_space_from_now_on", "write:ENOSPC:2+", "write of"),
    ("a_write_moves_nothing", "write:zero:2", "write of"),
    ("a_read_fails", "read:EIO:2", "read of"),
    ("the_file_ends_early", "read:zero:4", "read of"),
]


def failing(self, how, what, text, rank, filetype):
    done = self.hit(how, what, rank, "--filetype=" + filetype)
    error = self.failed(done, text, rank=rank, file=".matrices")
    self.assertGreaterEqual(error["offset_bytes"], 0)
    self.assertIn("offset %d" % error["offset_bytes"], done.said[0])
    if how[0] == "posix" and "ENOSPC" in what:
        self.assertEqual(error["errno"], "ENOSPC")


for number, (name, what, text) in enumerate(ERRORS):
    for k, how in enumerate(METHODS):
        for filetype in TYPES:
            rank = (number + k + TYPES.index(filetype)) % RANKS
            add(Verification, "%s_%s_%s_rank_%d" % (name, how[0], filetype, rank),
                failing, how, what, text, rank, filetype)


def sync_fails(self, how, filetype):
    # MPI_File_sync may be left to one rank by the library, so all are hit
    rank = 1 if how[0] == "posix" else None
    done = self.hit(how, "fsync:EIO:1", rank, "--filetype=" + filetype)
    self.failed(done, "sync", rank=rank, file=".matrices")


def collective_write_fails(self, how, what):
    """Whoever writes for the others: all are hit, and some rank must notice."""
    done = self.hit(how, what, None, "--filetype=SHARED", "--collective")
    self.failed(done, "file ", file=".matrices")


for how in METHODS:
    for filetype in TYPES:
        add(Verification, "sync_fails_%s_%s" % (how[0], filetype), sync_fails, how,
            filetype)
    if how[0] != "posix":
        for what in ("write:EIO:1", "write:ENOSPC:2+", "read:EIO:2"):
            add(Verification, "collective_%s_%s" % (what.replace(":", "_"), how[0]),
                collective_write_fails, how, what)


# ---- the rest ------------------------------------------------------------------------


def short_transfers(self, filetype):
    """Half of a transfer is not a failure: POSIX says so, and the rest follows."""
    for what in ("write:half:2", "read:half:3"):
        done = self.hit(METHODS[0], what, 1, "--filetype=" + filetype)
        report = self.good(done)
        self.assertEqual(report["checks"]["blocks_bad"], 0)


def no_verify(self):
    """Without verification nothing is checked, and a lie passes: it is the checking
    that finds it, and not something else."""
    report = self.good(self.hit(METHODS[0], "write:flip:2", 1, "--no-verify"))
    self.assertEqual(report["checks"]["blocks_checked"], 0)


def stuck(self, how):
    """A transfer that never comes back ends the run all the same."""
    name, method, launcher = how
    done = self.madbench(*SIZE, *method, "--filetype=SHARED", "--io-timeout=1", np=RANKS,
                         launcher=launcher, env=fault("write:hang:2", 1))
    self.one_sentence(done, "rank 1 on ", "did not come back within 1 s",
                      ".matrices", "--io-timeout")
    self.assertIs(done.report["valid"], False)
    self.assertEqual(done.report["why"], "did not finish")


def unopened(self, filetype):
    """One rank cannot make, or open, its file."""
    for what in ("open:EACCES:1", "open:ENOSPC:1"):
        rank = 0 if filetype == "SHARED" else 2
        done = self.hit(METHODS[0], what, rank, "--filetype=" + filetype)
        self.failed(done, "cannot be created", rank=rank, file=".matrices")


for filetype in TYPES:
    add(Verification, "short_transfers_are_finished_" + filetype, short_transfers,
        filetype)
    add(Verification, "a_file_cannot_be_made_" + filetype, unopened, filetype)
for how in METHODS:
    add(Verification, "stuck_" + how[0], stuck, how)
add(Verification, "no_verify_checks_nothing", no_verify)


def gates(self):
    """A rank that failed still lets the next one through its gate."""
    done = self.hit(METHODS[0], "write:EIO:2", 0, size=("64", "4", "1", "0", "4096")[:2]
                    + ("1", "16", "4096", "3", "3", "--io-only"))
    self.failed(done, "write of", rank=0, file=".matrices")


add(Verification, "a_failure_passes_the_gates", gates)


def full_mode(self, how, what, rank, filetype, text):
    if not HAVE_SCALAPACK:
        self.skipTest("full mode is not built")
    done = self.hit(how, what, rank, "--filetype=" + filetype, size=("64", "3"))
    self.failed(done, text, rank=rank, file=".matrices")


for number, (what, text) in enumerate([
        ("write:flip:2", "fingerprint"), ("write:lost:5", "fingerprint"),
        ("read:flip:5", "fingerprint"), ("write:EIO:4", "write of"),
        ("read:zero:6", "read of")]):
    how = METHODS[number % len(METHODS)]
    add(Verification, "full_mode_%s_%s" % (what.replace(":", "_"), how[0]), full_mode,
        how, what, number % RANKS, TYPES[number % 2], text)


def foreign(self, filetype):
    """A file of that name which somebody else made is refused, and left alone."""
    rank = 0 if filetype == "SHARED" else 1
    done = self.start("madbench", *SIZE, "--filetype=" + filetype, np=RANKS,
                      env=fault("open:plant:1", rank)).wait(30)
    self.assertEqual(done.status, 1, done)
    self.assertEqual(len(done.said), 1, done)
    self.assertIn("exists already", done.said[0])
    self.assertEqual(len(done.files), 1, done.files)
    with open("%s/%s" % (done.dir, done.files[0])) as f:
        self.assertEqual(f.read(), "foreign")


for filetype in TYPES:
    add(Verification, "a_foreign_file_is_left_alone_" + filetype, foreign, filetype)


def blocks(self, what, found, *options):
    """blocktransfer goes through the same library; depth gives it several at once."""
    done = self.hit(METHODS[0], what, 2, *options, size=("64k", "--block-size=4k"),
                    file=".blocks")
    self.failed(done, found, rank=2, file=".blocks")


for number, (what, found) in enumerate([
        ("write:flip:3", "verification failed"), ("read:lost:7", "poison"),
        ("write:shift:16", "verification failed"), ("read:EIO:16", "read of"),
        ("write:ENOSPC:1", "write of")]):
    add(Verification, "blocktransfer_" + what.replace(":", "_"), blocks, what, found,
        *(("--depth=4", "--filetype=SHARED") if number % 2 else ("--pattern=RANDOM",)))


def good_without_fault(self):
    """The shim itself changes nothing: a fault that is never due."""
    for how in METHODS:
        report = self.good(self.hit(how, "write:EIO:1000000", None))
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 3 * RANKS)
        self.assertEqual(sum(s["calls"] for s in samples(report, "read")),
                         2 * 3 * RANKS)


add(Verification, "the_shim_is_harmless", good_without_fault)

if __name__ == "__main__":
    main()
