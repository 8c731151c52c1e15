#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""Bad input and a broken environment: one sentence with the problem, its place and the
remedy; exit status 2 if the user must ask for something else and 1 if the machine
failed; no hang, no files left."""
import os
import shutil
import subprocess
import unittest

from e2e import (FLAVOUR, HAVE_SCALAPACK, METHODS, Case, add, any_mpi, fault, main,
                 read_text, write_file)

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
IO_MODE = ("64", "4", "--io-only")

# Runs a command with $MOUNT (and $OPTIONS) mounted on a folder, and lists the folder's
# contents afterwards; 77: this system has no such thing. No other process sees the
# mount, and it ends with the command.
MOUNTED = ("unshare", "-m", "sh", "-c", """
    at=$1 listing=$2
    shift 2
    case $KIND in
    tmpfs) mount -t tmpfs -o "size=$SIZE" none "$at" ;;
    ext4) truncate -s "$SIZE" "$at.image" && mke2fs -q -F -t ext4 -m 0 "$at.image" &&
          mount -o loop "$at.image" "$at" && rm -rf "$at/lost+found" ;;
    esac >/dev/null 2>&1 || exit 77
    [ -z "$READ_ONLY" ] || mount -o remount,ro "$at" || exit 77
    "$@"
    status=$?
    ls -A "$at" >"$listing"
    umount "$at"
    exit $status""", "sh")

VALUES = [  # environment, arguments, words of the sentence
    ({"IOMETHOD": "MPIO"}, IO_MODE, ("IOMETHOD", "MPIO", "POSIX, MPI")),
    ({"IOMODE": "SYNCH"}, IO_MODE, ("IOMODE", "SYNCH", "SYNC|ASYNC|NONE")),
    ({"FILETYPE": "SHARE"}, IO_MODE,
     ("FILETYPE", "SHARE", "UNIQUE|SHARED|PARTITIONED")),
    ({"REMAP": "GALLERY"}, IO_MODE, ("REMAP", "GALLERY", "CUSTOM|SCALAPACK")),
    ({"BWEXP": "fast"}, ("64", "4"), ("BWEXP", "fast")),
    ({"BWEXP": "3.1"}, ("64", "4"), ("BWEXP", "3.1", "3")),
    ({"BWEXP": "nan"}, ("64", "4"), ("BWEXP", "nan")),
    ({"BWEXP": "1e999"}, ("64", "4"), ("BWEXP", "1e999")),
    ({}, ("many", "4"), ("NPIX", "many", "whole number")),
    ({}, ("0", "4"), ("NPIX", "0", "out of range")),
    ({}, ("--", "-5", "4"), ("NPIX", "-5", "out of range")),
    ({}, ("99999999999999999999", "4"), ("NPIX", "99999999999999999999", "range")),
    ({}, ("1e3", "4"), ("NPIX", "1e3", "whole number")),
    ({}, ("64.5", "4"), ("NPIX", "64.5", "whole number")),
    ({}, ("", "4"), ("NPIX", "empty")),
    ({}, ("64",), ("NBIN", "missing")),
    ({}, ("64", "0"), ("NBIN", "0", "out of range")),
    ({}, ("64", "4", "3"), ("NGANG 3", "NBIN (4)", "nearest")),
    ({}, ("64", "4", "1", "0"), ("SBLOCKSIZE", "0")),
    ({}, ("64", "4", "1", "16", "12"), ("FBLOCKSIZE 12", "8 and 16")),
    ({}, ("64", "4", "1", "16", "4096", "0"), ("RMOD", "0")),
    ({}, ("64", "4", "1", "16", "4096", "1", "x"), ("WMOD", "x")),
    ({}, ("64", "4", "1", "16", "4096", "1", "1", "8"), ("too many", "8")),
    ({}, IO_MODE + ("--collective",), ("--collective", "mpiio")),
    ({"IOMETHOD": "part:inner=posix"}, IO_MODE, ("IOMETHOD", "part", "POSIX, MPI")),
    ({"IOMETHOD": "posix:depth=3"}, IO_MODE, ("posix has no option", "depth", "piece")),
    ({"IOMETHOD": "threads:depth=0"}, IO_MODE, ("depth of I/O engine threads", "0")),
    ({"FILETYPE": "PARTITIONED"}, IO_MODE + ("--cache=direct",),
     ("FILETYPE=PARTITIONED does no direct",)),
    ({"FILETYPE": "PARTITIONED", "IOMETHOD": "uring"}, IO_MODE,
     ("FILETYPE=PARTITIONED does not work with", "uring", "POSIX or MPI")),
    ({"FILETYPE": "PARTITIONED"}, IO_MODE + ("--hint=a=b",),
     ("FILETYPE=PARTITIONED takes no hints",)),
    ({"FILETYPE": "PARTITIONED", "IOMETHOD": "posix:foo=3"}, IO_MODE,
     ("FILETYPE=PARTITIONED has no option", "foo", "buffer")),
    ({}, ("64", "4", "--alpha-sweep=1:2:1", "--format=madbench2"),
     ("--format=madbench2", "--alpha-sweep")),
    ({}, ("64", "4", "1", "16", "4096", "2", "1", "--io-only", "--collective",
          "--iomethod=MPI"), ("RMOD", "--collective")),
    ({}, IO_MODE + ("--repeat=0",), ("--repeat", "0")),
    ({}, IO_MODE + ("--repeat=-1",), ("--repeat", "-1")),
    ({}, IO_MODE + ("--io-timeout=-1",), ("--io-timeout", "-1")),
    ({}, IO_MODE + ("--hint=a=b",), ("--hint", "posix")),
    ({}, IO_MODE + ("--iomethod=MPI", "--hint=a"), ("--hint", "KEY=VALUE")),
    ({}, IO_MODE + ("--series=a,b",), ("--series", "ID,CONFIG,ROUND")),
    ({}, IO_MODE + ("--ranks=4",), ("--ranks", "--dry-run")),
    ({}, IO_MODE + ("--bwexp",), ("--bwexp", "not a number")),
    ({}, IO_MODE + ("--frobnicate",), ("--frobnicate", "--help")),
    ({}, IO_MODE + ("--iomethod=null",), ("null", "--no-verify")),
]

BLOCK_VALUES = [
    (("0",), ("BYTES", "0")), (("8E",), ("BYTES", "8E", "range")),
    (("-1k",), ("BYTES", "-1k")), (("64q",), ("BYTES", "64q")),
    (("1M", "--block-size=0"), ("--block-size", "0")),
    (("1M", "--depth=0"), ("--depth", "0")),
    (("1M", "--depth=5000"), ("--depth", "5000", "1024")),
    (("1M", "--misalign=-1"), ("--misalign", "-1")),
    (("1M", "--pattern=ZIGZAG"), ("--pattern", "SEQUENTIAL|RANDOM")),
    (("1M", "--layout=ROUND"), ("--layout", "SEGMENTED|INTERLEAVED")),
    (("4E", "--block-size=1"), ("BYTES", "--block-size", "2^31")),
]


class BadInput(Case):
    LIMIT = 30

    # ---- arguments -----------------------------------------------------------

    def value(self, env, args, parts):
        self.refused(self.madbench(*args, np=0, env=env), *parts)

    def block_value(self, args, parts):
        self.refused(self.blocktransfer(*args, np=0), *parts)

    def test_a_refusal_under_the_launcher_is_said_once(self):
        """The same sentence from all ranks would be N times as long."""
        for env, args, parts in (VALUES[0], VALUES[12], VALUES[34]):
            self.refused(self.madbench(*args, np=4, env=env), *parts)
        self.refused(self.blocktransfer("8E", np=4), "BYTES")

    def test_too_many_ranks_for_the_matrix(self):
        """The sentence tells what would fit."""
        self.refused(self.madbench("1", "2", "--io-only", np=2), "2 ranks", "1 x 2",
                     "at least 2 pixels")
        self.refused(self.madbench("64", "2", "1", "64", "--io-only", np=3), "3 ranks",
                     "64 pixels in blocks of 64", "blocks of at most")

    def test_gangs_that_do_not_divide_the_ranks(self):
        self.refused(self.madbench("64", "4", "2", "--io-only", np=3), "NGANG 2",
                     "ranks (3)", "nearest")

    def test_no_io_in_full_mode(self):
        done = self.madbench("64", "2", np=1, env={"IOMODE": "NONE"})
        self.refused(done, "IOMODE=NONE", "--io-only")

    def test_full_mode_that_is_not_built(self):
        if HAVE_SCALAPACK:
            self.skipTest("full mode is built")
        self.refused(self.madbench("64", "2", np=2), "without ScaLAPACK", "--io-only")
        self.good(self.madbench(*IO_MODE, np=2))

    def test_too_much_memory(self):
        done = self.madbench("1000000", "2", "--io-only", np=2)
        self.failed(done, "2 ranks on this node need", "memory", "available")

    def test_too_much_disk(self):
        for kind in ("UNIQUE", "SHARED"):
            done = self.madbench("512", "1000000", "--io-only", "--filetype=" + kind,
                                 np=2)
            error = self.failed(done, "the files need", "free", "--dir", rank=0)
            self.assertEqual(error["errno"], "ENOSPC")

    # ---- destinations --------------------------------------------------------

    def test_no_such_directory(self):
        for program, args in (("madbench", IO_MODE), ("blocktransfer", ("64k",))):
            missing = self.path("missing")
            done = self.run_program(program, *args, np=3, dir=missing)
            error = self.failed(done, "cannot be used", rank=0, file=missing)
            self.assertEqual(error["errno"], "ENOENT")

    def test_the_directory_is_a_file(self):
        path = self.path("file")
        with open(path, "w"):
            pass
        done = self.madbench(*IO_MODE, np=2, dir=path)
        self.failed(done, "Not a directory", rank=0, file=path)

    def test_an_unwritable_directory(self):
        before = self.as_nobody()
        folder = self.path("unwritable")
        os.mkdir(folder, 0o555)
        done = self.madbench(*IO_MODE, np=2, dir=folder, before=before)
        error = self.failed(done, "cannot be written to", rank=0, file=folder)
        self.assertEqual(error["errno"], "EACCES")

    def as_nobody(self):
        """Returns the prefix to start a command as a user who may not write
        everywhere."""
        for path in (os.environ["LEADLINE_TMP"], self.tmp):
            os.chmod(path, 0o777)
        if os.geteuid():
            return ()
        program = os.path.join(os.environ["top_builddir"], "madbench")
        if not shutil.which("setpriv") or subprocess.call(NOBODY + (
                "test", "-x", program, "-a", "-x", self.tmp)):
            raise unittest.SkipTest("root may write anywhere, and nobody cannot run "
                                    "programs here")
        self.open_to_all = True
        return NOBODY

    def test_an_unwritable_report(self):
        before = self.as_nobody()
        path = write_file(self.path("mine.json"), "precious")
        os.chmod(path, 0o444)
        done = self.madbench(*IO_MODE, "--json=" + path, np=2, json=False,
                             before=before)
        self.refused(done, path, "ermission denied")
        self.assertEqual(read_text(path), "precious")

    @any_mpi
    def test_reports_that_cannot_be(self):
        folder = self.path("folder")
        link = self.path("link")
        os.mkdir(folder)
        os.symlink("nowhere", link)
        for option, path, why in (
                ("--json", folder, "Is a directory"), ("--csv", folder, "directory"),
                ("--json", folder + "/none/x.json", "No such file"),
                ("--json", link, "regular file"), ("--csv", "/dev/null", "regular")):
            done = self.madbench(*IO_MODE, "%s=%s" % (option, path), np=2, json=False)
            self.refused(done, path, why)
        done = self.madbench(*IO_MODE, "--json=x", "--csv=x", np=2, json=False)
        self.refused(done, "JSON and CSV")

    # ---- file systems --------------------------------------------------------

    def mounted(self, kind, *args, size="3m", read_only="", env=None, **how):
        """Runs madbench on a file system of its own. Returns it, ended, and the files
        that it left."""
        if subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL):
            self.skipTest("no mounts of a test's own can be made here")
        place = self.path("mounted")
        listing = self.path("listing")
        os.mkdir(place)
        env = dict(env or {}, KIND=kind, SIZE=size, READ_ONLY=read_only)
        done = self.madbench(*args, dir=place, env=env,
                             before=MOUNTED + (place, listing), **how)
        if done.status == 77:
            self.skipTest("no %s can be mounted here" % kind)
        return done, read_text(listing).split()

    def test_a_read_only_file_system(self):
        done, left = self.mounted("tmpfs", *IO_MODE, read_only="yes", np=2)
        error = self.failed(done, "cannot be written to", "Read-only", rank=0)
        self.assertEqual(error["errno"], "EROFS")
        self.assertEqual(left, [])

    def too_small(self, kind):
        """It is detected before anything is written."""
        done, left = self.mounted(kind, "256", "8", "--io-only", np=2)
        self.failed(done, "the files need 4.0 MiB", "free", "--dir", rank=0)
        self.assertEqual(left, [])

    def fills_up(self, kind, how, filetype):
        """The disk was large enough when the run began; then another program took the
        rest."""
        name, method, launcher = how
        filler = self.path("mounted", "filler")
        env = fault("write:fill:2", 1, "mounted/madbench-", FAULT_FILL=filler)
        done, left = self.mounted(kind, "256", "4", "--io-only", *method,
                                  "--filetype=" + filetype, "--io-timeout=5", env=env,
                                  np=3, launcher=launcher, size="8m")
        self.assertEqual(left, ["filler"], done)
        done.said = [line for line in done.said if "by a signal" not in line]
        if "did not come back" in done.err:
            self.one_sentence(done, "--io-timeout")  # some versions of OMPIO hang
        else:
            error = self.failed(done, "write of")
            self.assertIn("/mounted/madbench-", error["file"])
            if how is METHODS[0]:
                self.assertEqual(error["errno"], "ENOSPC")

    # ---- launchers -----------------------------------------------------------

    def test_the_other_launcher(self):
        """The other MPI's launcher starts N programs that are alone: the run is
        refused, with one sentence."""
        other = "openmpi" if FLAVOUR == "mpich" else "mpich"
        mpiexec = shutil.which("mpiexec." + other)
        if FLAVOUR not in ("mpich", "openmpi") or not mpiexec:
            self.skipTest("the other MPI's launcher is not installed")
        env = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        for program, args in (("madbench", IO_MODE), ("blocktransfer", ("64k",))):
            done = self.run_program(program, *args, np=2, mpiexec=[mpiexec], env=env)
            self.one_sentence(done, "started 2 processes", "alone", "mpirun")
            self.assertFalse(os.path.exists(done.json))


for i, (env, args, parts) in enumerate(VALUES):
    add(BadInput, "value_%02d_%s" % (i, "_".join(list(env.values()) + list(args))),
        "value", env, args, parts)
for args, parts in BLOCK_VALUES:
    add(BadInput, "blocktransfer_" + "_".join(args), "block_value", args, parts)
for kind in ("tmpfs", "ext4"):
    add(BadInput, "too_small_a_" + kind, "too_small", kind)
    for how in METHODS:
        for filetype in ("UNIQUE", "SHARED"):
            if kind == "tmpfs" or filetype == "SHARED":
                add(BadInput, "a_%s_fills_up_%s_%s" % (kind, how[0], filetype),
                    "fills_up", kind, how, filetype)

if __name__ == "__main__":
    main()
