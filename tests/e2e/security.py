#!/usr/bin/env python3
# limit: 400
"""Traps of other users in a directory, or in the environment, do not aim our files at
theirs: links are not followed, texts are no formats, lengths are bounded, and a program
with privileges is not recorded."""
import os
import re
import shutil
import subprocess
import unittest

from e2e import BUILD, HDF5, Case, add, main, read_text, runner, write_file

RECORDER = os.path.join(BUILD, "libiotrace.so")
NOBODY = 65534
JOB = {"SLURM_JOB_ID": "7"}  # then only the process's number in names is unknown
HUGE = 100 << 10
PRECIOUS = "precious"
IO_MODE = ("64", "2", "--io-only")
MAKERS = [  # program, its arguments
    ("posix", "blocktransfer", ("1M", "--block-size=64k", "--iomethod=POSIX")),
    ("mpiio", "blocktransfer", ("1M", "--block-size=64k", "--iomethod=MPI")),
    ("part", "blocktransfer", ("1M", "--block-size=64k", "--filetype=PARTITIONED")),
    ("madbench", "madbench", IO_MODE),
    ("pfmload", "pfmload", ("--output=o.pfm", "--scheme=serial", "--overwrite")),
    ("gsfgen", "gsfgen", ("--files=2", "--pings=5", "--beams=9")),
] + [("hdf5", "blocktransfer", ("1M", "--block-size=64k") + options)
     for _, options, _ in HDF5]


class Links(Case):
    """A link to a precious file, where a program will make a file."""

    def victim(self):
        return write_file(self.path("victim"), PRECIOUS)

    def assert_precious(self, path):
        self.assertEqual(read_text(path), PRECIOUS)

    def survey(self):
        folder = self.path("survey")
        if not os.path.isdir(folder):
            os.mkdir(folder)
            done = self.run_program("gsfgen", "--files=1", "--pings=5", "--beams=9",
                                    "--quiet", np=0, dir=folder, json=False)
            self.assertEqual(done.status, 0, done)
        return [os.path.join(folder, name) for name in os.listdir(folder)
                if name.endswith(".gsf")]

    def made(self, program, args, before=(), **how):
        """Runs it alone, as the process that `before` is."""
        args += () if program == "gsfgen" else ("--keep",) * (program != "pfmload")
        args += tuple(self.survey()) if program == "pfmload" else ()
        return self.run_program(program, *args, "--quiet", np=0, env=JOB,
                                json=program != "gsfgen", before=before, **how)

    def names(self, program, args):
        """Returns the names of its files, with $$ for the process's number; links go
        there."""
        done = self.made(program, args)
        self.assertEqual(done.status, 0, done)
        self.assertNotEqual(done.files, [])
        found = [re.sub(r"(job7-)\d+", r"\1$$", name) for name in done.files]
        return found + ["o.pfm.job7-$$"] * (program == "pfmload")

    def not_followed(self, program, args):
        """It is followed neither to an existing file, nor to make a new one."""
        names = self.names(program, args)
        for to in (self.victim(), self.path("nothing")):
            for name in names:
                lay = 'ln -s "%s" "files/%s"; exec "$@"' % (to, name)
                done = self.made(program, args, ("/bin/sh", "-c", lay, "sh"))
                self.assertIn(done.status, (0, 1), done)
                if done.status:
                    self.assertEqual(len(done.said), 1, done)
                self.assertTrue(
                    any(os.path.islink(os.path.join(done.dir, left))
                        for left in done.files) or done.status == 0, done)
                self.assertFalse(os.path.exists(self.path("nothing")))
                self.assert_precious(self.path("victim"))

    def test_beside_the_report(self):
        """An existing temporary beside it is replaced."""
        victim = self.victim()
        lay = 'ln -s "%s" report.json.$$.tmp; exec "$@"' % victim
        done = self.made("blocktransfer", ("1M",), ("/bin/sh", "-c", lay, "sh"))
        self.assertEqual(done.status, 0, done)
        self.assertIs(done.report["valid"], True)
        self.assertFalse(os.path.islink(done.json))
        self.assert_precious(victim)

    def test_of_the_recorder(self):
        victim = self.victim()
        for suffix, binary in (("", ""), (".part", ""), (".part.text", ""),
                               ("", "true"), (".summary", "true")):
            place = self.path("log")
            shutil.rmtree(place, ignore_errors=True)
            os.mkdir(place)
            os.symlink(victim, os.path.join(place, "mylog" + suffix))
            subprocess.check_call(
                ["/bin/true"], stderr=subprocess.DEVNULL, env=dict(
                    os.environ, LD_PRELOAD=RECORDER, IOTRACE_BINARY=binary,
                    IOTRACE_LOGFILE=os.path.join(place, "mylog")))
            self.assert_precious(victim)
            made = [name for name in os.listdir(place)
                    if not os.path.islink(os.path.join(place, name))]
            self.assertNotEqual(made, [], suffix)


for _name, _program, _args in MAKERS:
    add(Links, _name, "not_followed", _program, _args)


class Created(Case):
    """The kernel sees that files in our directory are made with O_EXCL. But Open MPI
    tests locks beside each file, in a way of its own."""
    NOT_OURS = re.compile(r'\.locktest\.\d+"')

    def created(self, program, *args):
        strace = shutil.which("strace")
        if not strace or subprocess.call([strace, "-o", os.devnull, "true"],
                                         stderr=subprocess.DEVNULL):
            raise unittest.SkipTest("strace cannot trace here")
        log = self.path("strace")
        done = self.run_program(program, *args, "--quiet", np=0, env={
            "ASAN_OPTIONS": "detect_leaks=0"}, before=(
                strace, "-f", "-qq", "-o", log, "-e",
                "trace=open,openat,openat2,creat"), limit=120)
        self.assertEqual(done.status, 0, done)
        with open(log, errors="replace") as f:
            ours = [line for line in f
                    if done.folder in line and re.search(r"O_CREAT|creat\(", line)
                    and not self.NOT_OURS.search(line)]
        self.assertNotEqual(ours, [])
        wrong = [line for line in ours
                 if "O_EXCL" not in line]
        self.assertEqual(wrong, [])

    def test_posix(self):
        self.created("blocktransfer", "1M", "--iomethod=POSIX")

    def test_partitioned(self):
        self.created("blocktransfer", "1M", "--filetype=PARTITIONED")

    def test_madbench(self):
        self.created("madbench", *IO_MODE, "--iomethod=MPI", "--csv=report.csv")


class Recorder(Case):
    def under(self, env, *line):
        done = subprocess.run(line or ("/bin/cat", "/etc/passwd"), cwd=self.tmp,
                              env=dict(os.environ, LD_PRELOAD=RECORDER, **env),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60 * runner.SCALE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr.decode()

    def logs(self):
        found = sorted(name for name in os.listdir(self.tmp) if "log" in name)
        for name in found:
            os.remove(self.path(name))
        return found

    def test_formats_are_text(self):
        for name in ("IOTRACE_EXECNAME", "IOTRACE_APPNAME", "IOTRACE_LOGFILE"):
            for text in ("%s%n%s%n", "%p%x%1000000s", "%%n%*.*f", "%hhn%ls%m"):
                self.under({name: text + "log"})
                made, = self.logs()
                self.assertTrue(made.startswith(text), (name, made))

    def test_formats_of_the_form_that_is_binary(self):
        self.under({"IOTRACE_EXECNAME": "%n%s", "IOTRACE_BINARY": "true"})
        self.assertEqual(self.logs(), ["%n%s_log.bin", "%n%s_log.bin.summary"])

    def test_names_of_files_are_text(self):
        name = write_file(self.path("%n%s%n"), "x")
        out, _ = self.under({"IOTRACE_APPNAME": "a"}, "/bin/cat", name)
        self.assertEqual(out, b"x")
        made, = self.logs()
        self.assertIn("a.", made)

    def test_lengths_are_bounded(self):
        names = ["APPNAME", "EXECNAME", "LOGFILE", "INCLUDE", "EXCLUDE", "MODE",
                 "BINARY", "MAX_BYTES", "CLOCK", "ALIGN", "PROCESS", "RANKNAMES",
                 "HDF5"]
        plain = self.under({"IOTRACE_APPNAME": "a"})[0]
        for some in [[name] for name in names] + [names]:
            out, _ = self.under({"IOTRACE_" + name: "7" * HUGE for name in some})
            self.assertEqual(out, plain, some)
            self.logs()

    def test_many_globs(self):
        """Matching a name takes less time than comparing all pairs."""
        self.under({"IOTRACE_INCLUDE": "*a" * (HUGE // 2), "IOTRACE_APPNAME": "a"})
        self.under({"IOTRACE_EXCLUDE": "*:" * (HUGE // 2), "IOTRACE_APPNAME": "a"})
        self.assertEqual(len(self.logs()), 2)


class Rights(Case):
    """The recorder in a program that runs with another user's rights."""

    def setUp(self):
        super().setUp()
        if os.geteuid() or "LEADLINE_MOUNTS" not in os.environ:
            raise unittest.SkipTest("needs root and a mount namespace of its own")
        # A place that anybody may read, unlike a home, and where setuid counts.
        self.safe = "/mnt"
        subprocess.check_call(["mount", "-t", "tmpfs", "-o", "mode=755,suid,exec",
                               "none", self.safe])
        self.addCleanup(subprocess.call, ["umount", "-l", self.safe])
        self.program = os.path.join(self.safe, "cat")
        self.library = os.path.join(self.safe, "libiotrace.so")
        shutil.copy(shutil.which("cat"), self.program)
        shutil.copy(RECORDER, self.library)
        os.chmod(self.library, 0o4755)

    def logs(self, preload, mode):
        """Returns the logs of a program with those bits, started by another user."""
        place = os.path.join(self.safe, "logs%o" % mode)
        os.mkdir(place)
        os.chmod(place, 0o777)
        os.chmod(self.program, mode)
        done = subprocess.Popen(
            [self.program, "/proc/self/maps"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, preexec_fn=lambda: (
                os.setgid(NOBODY), os.setuid(NOBODY)), env={
                    "LD_PRELOAD": preload,
                    "IOTRACE_LOGFILE": os.path.join(place, "log")})
        maps = done.communicate()[0].decode()
        self.assertEqual(done.returncode, 0)
        return os.listdir(place), maps

    def test_by_its_path(self):
        """The loader leaves it out."""
        made, maps = self.logs(self.library, 0o755)
        self.assertEqual(made, ["log"])
        made, maps = self.logs(self.library, 0o4755)
        self.assertEqual(made, [])
        self.assertIn("[stack]", maps)
        self.assertNotIn("libiotrace", maps)

    def test_by_a_name_that_the_loader_trusts(self):
        """It is loaded, but does nothing."""
        trusted = [path for path in ("/lib/x86_64-linux-gnu/libmemusage.so",
                                     "/lib64/libmemusage.so",
                                     "/lib/aarch64-linux-gnu/libmemusage.so")
                   if os.path.exists(path)]
        if not trusted:
            raise unittest.SkipTest("no library that nobody misses to put it over")
        subprocess.check_call(["mount", "--bind", self.library, trusted[0]])
        self.addCleanup(subprocess.call, ["umount", "-l", trusted[0]])
        made, _ = self.logs(os.path.basename(trusted[0]), 0o755)
        self.assertEqual(made, ["log"])
        made, maps = self.logs(os.path.basename(trusted[0]), 0o4755)
        self.assertIn("libmemusage", maps)
        self.assertEqual(made, [])


class Programs(Case):
    """Our own programs' variables."""

    def test_lengths_and_formats(self):
        for name in ("IOMETHOD", "IOMODE", "FILETYPE", "SLURM_JOB_ID", "HOME",
                     "OMPI_COMM_WORLD_SIZE", "PBS_JOBID"):
            for text in ("7" * HUGE, "%s%n%s%n"):
                done = self.run_program("blocktransfer", "1M", "--quiet", np=0,
                                        env={name: text})
                self.assertIn(done.status, (0, 1, 2), (name, done))
                self.assertLessEqual(len(done.said), 1, (name, done))

    def test_a_directory_named_like_a_format(self):
        folder = self.path("%n%s%n")
        os.mkdir(folder)
        done = self.run_program("blocktransfer", "1M", "--quiet", np=0, dir=folder)
        self.good(done)
        os.rmdir(folder)
        done = self.run_program("blocktransfer", "1M", "--quiet", np=0, dir=folder)
        self.failed(done, folder)


if __name__ == "__main__":
    main()
