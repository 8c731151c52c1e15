#!/usr/bin/env python3
# mpi: any
"""Where leadline's output goes: whole, not through links, and as nothing but text."""
import os
import stat
from unittest import mock

from tap import main

from full_report import full
from leadline import output, table
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
        with open(path) as stream:
            return stream.read()

    def test_a_link_is_replaced(self):
        for path, command in self.each():
            precious = self.save("precious", "precious")
            os.symlink(precious, path)
            self.assertEqual(leadline(*command), (0, mock.ANY, ""))
            self.assertEqual(self.text(precious), "precious")
            self.assertFalse(os.path.islink(path))
            self.assertIn("100", self.text(path))
            self.assertEqual(os.listdir(self.path("out")), [os.path.basename(path)])
            os.unlink(path)

    def test_a_link_to_nothing_makes_nothing(self):
        for path, command in self.each():
            os.symlink(self.path("nothing"), path)
            self.assertEqual(leadline(*command)[0], 0)
            self.assertFalse(os.path.exists(self.path("nothing")))
            os.unlink(path)

    def test_the_old_file_stays_until_the_new_one_is_whole(self):
        for path, command in self.each():
            with open(path, "w") as stream:
                stream.write("old")
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
    """What a report calls itself must not be computed by who opens the CSV."""

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
