#!/usr/bin/env python3
# mpi: any
"""leadline.options: one table for the command line and the manual page."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from tap import PACKAGE, main

from leadline.base.errors import LeadlineError
from leadline.base.options import Parser, operand, option

MAKE = os.path.join(PACKAGE, os.pardir, "build-aux", "leadline-page")


def parsed(table, *words):
    parser = Parser(prog="x")
    parser.declare(table)
    return vars(parser.parse_args(words))


def page(text):
    """Returns the manual page made of a text with marks."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.in")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return subprocess.run([sys.executable, MAKE, path], stdout=subprocess.PIPE,
                              check=True, encoding="utf-8").stdout


class Heads(unittest.TestCase):
    def test_value_choices_switch(self):
        table = [option("-n, --np N", "ranks", type=int), option("--dry-run", "none"),
                 option("--format", "default: a", choices=["a", "b"], default="a")]
        self.assertEqual(parsed(table), {"np": None, "dry_run": False, "format": "a"})
        self.assertEqual(parsed(table, "-n", "3", "--dry-run", "--format=b"),
                         {"np": 3, "dry_run": True, "format": "b"})
        for words in (["--np"], ["--dry-run=1"], ["--format=c"]):
            with self.assertRaises(LeadlineError):
                parsed(table, *words)

    def test_meant(self):
        table = [option("--format", "default: a", choices=["text", "json"]),
                 option("--figure NAME", "")]
        for words, says in (
                (["--fgure=x"], "--fgure=x is unknown: did you mean --figure? See x"),
                (["--other"], "--other is unknown. See x --help."),
                (["--format=jsn"], "did you mean json? See x"),
                (["--format=pie"], "'pie' is not one of its values: text, json. See")):
            with self.assertRaises(LeadlineError) as caught:
                parsed(table, *words)
            self.assertIn(says, str(caught.exception))

    def test_operands(self):
        self.assertEqual(parsed([operand("FILE ...", "paths", "")], "a", "b"),
                         {"paths": ["a", "b"]})
        self.assertEqual(parsed([operand("[DIR]", "dir", "", default=".")]),
                         {"dir": "."})
        for head in ("FILE ...", "FILE"):
            with self.assertRaises(LeadlineError):
                parsed([operand(head, "paths", "")])

    def test_percent_in_help(self):
        parser = Parser(prog="x")
        parser.declare([option("--equal PERCENT", "nearer than this (default: 5%)")])
        self.assertIn("(default: 5%)", parser.format_help())


class Page(unittest.TestCase):
    def made(self, mark, *wanted):
        found = page("before\n@%s@\nafter\n" % mark)
        self.assertRegex(found, r"(?s)^before\n[.].*\nafter\n$")
        for paragraph in wanted:
            self.assertIn("\n" + paragraph + "\n", found)
        return found

    def test_short_text(self):
        self.made("OPTIONS trend",
                  ".TP\n\\fB\\-\\-min\\-effect\\fR\\~\\fIPERCENT\\fR\n"
                  "Smaller steps are not reported. Default: 2%.")

    def test_long_text_instead(self):
        found = self.made("OPTIONS io500",
                          ".TP\n\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nNo progress.")
        self.assertNotIn("rint no progress", found)

    def test_choices(self):
        self.made("OPTIONS trend", ".TP\n\\fB\\-\\-format\\fR\\~\\fIFORMAT\\fR\n"
                  "\\fBtext\\fR (default), \\fBmarkdown\\fR or \\fBjson\\fR.")
        self.made("OPTIONS sweep", ".TP\n\\fB\\-\\-format\\fR\\~"
                  "\\fBtext\\fR|\\fBjson\\fR")

    def test_names_of_values(self):
        found = self.made("OPTIONS sweep")
        self.assertIn("Default: \\fISPEC\\fR\\(aqs name", " ".join(found.split()))

    def test_synopsis_and_environment(self):
        found = self.made("SYNOPSIS", ".B leadline launcher\n[\\fIPROGRAM\\fR]")
        self.assertIn("\n\\fB\\-o\\fR\\~\\fIFILE\\fR\n\\fIWHAT\\fR\n", found)  # plot
        self.assertEqual(re.findall(r"\.TP\n\\fB(\w+)", self.made("ENVIRONMENT")),
                         ["TZ", "LEADLINE_MPIEXEC"])


if __name__ == "__main__":
    main()
