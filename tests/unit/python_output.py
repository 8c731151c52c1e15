#!/usr/bin/env python3
# mpi: any
"""leadline's output: whole, not through links, and as plain text."""
import os
import socket
import stat
import subprocess
import sys
from unittest import mock

from tap import main

from files import read_text, write_file
from full_report import full
from leadline.base import output, table
from leadline_case import STEADY, LeadlineCase, leadline


class Files(LeadlineCase):
    COMMANDS = (("compare", "-o", "x.txt"), ("compare", "--format=json", "-o", "x.txt"),
                ("report", "-o", "x.html"), ("plot", "bandwidth", "-o", "x.svg"),
                ("list", "-o", "x.txt"))

    def setUp(self):
        super().setUp()
        self.report = self.save(full({"write_MBps": STEADY}))
        os.mkdir(self.path("out"))

    def each(self):
        for words in self.COMMANDS:
            path = os.path.join(self.path("out"), words[-1])
            yield path, list(words[:-1]) + [path, self.report]

    def text(self, path):
        return read_text(path)

    def test_a_link_stays_and_leads_to_the_new_file(self):
        for path, command in self.each():
            old = self.save("old", "old")
            os.symlink(old, path)
            self.assertEqual(leadline(*command), (0, mock.ANY, ""))
            self.assertTrue(os.path.islink(path))
            self.assertFalse(os.path.islink(old))
            self.assertIn("100", self.text(old))
            self.assertEqual(os.listdir(self.path("out")), [os.path.basename(path)])
            os.unlink(path)

    def test_a_link_to_nothing_is_refused(self):
        for path, command in self.each():
            os.symlink(self.path("nothing"), path)
            status, _, err = leadline(*command)
            self.assertEqual(status, 1)
            self.assertIn("a symbolic link that leads to nothing", err)
            self.assertFalse(os.path.exists(self.path("nothing")))
            self.assertTrue(os.path.islink(path))
            os.unlink(path)

    def test_pipes_are_written_to_and_other_things_refused(self):
        for path, command in self.each():
            os.mkfifo(path)
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            self.assertEqual(leadline(*command), (0, mock.ANY, ""))
            self.assertIn(b"100", os.read(reader, 1 << 20))
            os.close(reader)
            self.assertTrue(stat.S_ISFIFO(os.stat(path).st_mode))
            os.unlink(path)
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(path)
                status, _, err = leadline(*command)
                self.assertEqual(status, 1)
                self.assertIn("not a regular file", err)
                self.assertTrue(stat.S_ISSOCK(os.stat(path).st_mode))
            os.unlink(path)

    def test_what_goes_to_standard_output_stays(self):
        """The file behind standard output is continued, not replaced."""
        path = self.save("before\n", "all")
        with open(path, "a") as everything:
            subprocess.run(
                [sys.executable, "-m", "leadline", "list", "-o", "/dev/stdout",
                 self.report], stdout=everything, check=True,
                env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
        self.assertTrue(self.text(path).startswith("before\n"))
        self.assertGreater(len(self.text(path).splitlines()), 1)

    def test_a_signal_removes_what_was_begun(self):
        path = self.save("old", "old")
        script = ("import os, signal\nfrom leadline import output\n"
                  "with output.replacing(%r) as stream:\n"
                  "    stream.write(b'new')\n    stream.flush()\n"
                  "    os.kill(os.getpid(), signal.%s)\n    signal.pause()\n")
        before = sorted(os.listdir(self.dir))
        for name in ("SIGTERM", "SIGHUP"):
            done = subprocess.run(
                [sys.executable, "-c", script % (path, name)], check=False,
                env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(sorted(os.listdir(self.dir)), before)
            self.assertEqual(self.text(path), "old")

    def test_the_old_file_stays_until_the_new_one_is_whole(self):
        for path, command in self.each():
            write_file(path, "old")
            with mock.patch("os.replace", side_effect=OSError(28, "No space left")):
                status, _, err = leadline(*command)
            self.assertEqual(status, 1)
            self.assertIn("cannot be written: No space left", err)
            self.assertEqual(self.text(path), "old")
            self.assertEqual(os.listdir(self.path("out")), [os.path.basename(path)])
            os.unlink(path)

    def test_others_may_read_it(self):
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        for path, command in self.each():
            leadline(*command)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o644)

    def test_devices_are_written_to(self):
        for _, command in self.each():
            if command[0] != "plot":
                command[-2] = "/dev/null"
                self.assertEqual(leadline(*command), (0, mock.ANY, ""))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_new_file_takes_the_place_of_a_link(self):
        precious = self.save("precious", "precious")
        os.symlink(precious, self.path("log"))
        with output.fresh(self.path("log")) as stream:
            stream.write(b"new")
        self.assertEqual(self.text(precious), "precious")
        self.assertEqual(self.text(self.path("log")), "new")


class Spreadsheets(LeadlineCase):
    """A report's name must not be evaluated by programs that open the CSV."""

    def test_cells(self):
        for cell, shown in (("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"),
                            ("+1+cmd", "'+1+cmd"), ("-1+cmd", "'-1+cmd"), ("-1", "-1"),
                            ("+2.5e-3", "+2.5e-3"), ("-", "-"), ("", ""),
                            ("a=b", "a=b"), ("-inf", "-inf")):
            self.assertEqual(table.comma_separated(["h"], [[cell]]).splitlines()[1],
                             shown or '""')

    def test_of_reports(self):
        bad = '=HYPERLINK("http://x","y")'
        for i in range(2):
            self.save(full({bad: STEADY}, label=bad + str(i), program=bad, fs=bad,
                           host=bad), "%d.json" % i)
        for command in ("compare", "--figure=*"), ("list",):
            status, out, _ = leadline(*command, "--format=csv", self.dir)
            self.assertEqual(status, 0)
            for cell in ('"=', ",=", "\n="):
                self.assertNotIn(cell, out)
            self.assertIn("'=HYPERLINK", out)


if __name__ == "__main__":
    main()
