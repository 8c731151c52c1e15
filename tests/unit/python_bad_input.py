#!/usr/bin/env python3
# mpi: any
"""Each command of leadline that reads files, on everything except its own input: one
sentence, exit status 1 or 2, nothing on stdout, no file made, never a traceback."""
import json
import os
import struct
import subprocess
import sys
import unittest
import zlib

from tap import PACKAGE, main

from files import run_text, write_file
from full_report import full
from leadline import container
from leadline_case import STEADY, LeadlineCase, leadline, without_privileges

REPORT = full({"write_MBps": STEADY, "read_MBps": STEADY}, label="a")
BINS = {"schema": "leadline-iotrace-bins/1", "seconds": 1.0, "slices": 2,
        "processes": [], "files": []}


class SharedMap(unittest.TestCase):
    """leadline.container, on a shared.map of any length."""
    RANGES = struct.pack("<4q", 0, 8, 16, 24)
    MAP = struct.pack("<8sqI4x", b"ldadmaps", 2, zlib.crc32(RANGES)) + RANGES

    def test_a_whole_one_is_read(self):
        self.assertEqual(container.decode_map("x", self.MAP), ((0, 16), (8, 24)))

    def test_one_that_is_cut_or_too_long_is_damaged(self):
        for raw in [self.MAP[:n] for n in range(len(self.MAP))] + [
                self.MAP + b"x" * n for n in (1, 8, 16)]:
            with self.assertRaisesRegex(container.ContainerError,
                                        "x: the container's shared.map is damaged"):
                container.decode_map("x", raw)


def without_units():
    tree = json.loads(json.dumps(REPORT))
    for row in tree["figures"]:
        del row["unit"]
    return json.dumps(tree)


WHOLE = json.dumps(REPORT)
# name: the file's contents, words of the sentence
FILES = {
    "empty": ("", "the file is empty"),
    "blanks": (" \n\t", "the file is empty"),
    "not-json": ("write_MBps 100", "not-json: not JSON: "),
    "truncated": (WHOLE[:len(WHOLE) // 2], "truncated: not JSON: "),
    "two-of-them": (WHOLE + WHOLE, "not JSON"),
    "nan": (WHOLE.replace("100.0", "NaN", 1), "holds NaN"),
    "infinity": (WHOLE.replace("100.0", "-Infinity", 1), "Infinity"),
    "huge": (WHOLE.replace("100.0", "1" * 5000, 1), ""),
    "overflow": (WHOLE.replace("100.0", "1e999", 1), ""),
    "deep": ("[" * 100000, "not JSON"),
    "deep-object": ('{"schema":' * 5000, "not JSON"),
    "list": ("[1, 2]", ""),
    "text": ('"leadline-report/1"', ""),
    "null": ("null", ""),
    "no-schema": ("{}", "schema"),
    "other-schema": (WHOLE.replace("leadline-report/1", "leadline-report/2"), "schema"),
    "list-schema": (WHOLE.replace('"leadline-report/1"', "[]"), "schema"),
    "only-schema": ('{"schema": "leadline-report/1"}', ""),
    "no-units": (without_units(), "unit"),
    "no-utf8": (b"\xff\xfe{}", "it is not UTF-8 text"),
    "bins-cut": (json.dumps(BINS)[:60], "not JSON"),
    "bins-other": (json.dumps(dict(BINS, slices=0)), ""),
    "bins-nothing": ('{"schema": "leadline-iotrace-bins/1"}', ""),
}


class BadInput(LeadlineCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("made"))
        self.out = os.path.join(self.path("made"), "out")

    def commands(self, path):
        yield "compare", path, "-o", self.out
        yield "compare", "--against=filetype", path, "-o", self.out
        yield "compare", "--across", path, "-o", self.out
        yield "report", path, "-o", self.out
        yield "plot", "bandwidth", path, "-o", self.out + ".svg"
        yield "plot", "iotrace", path, "-o", self.out + ".svg"
        yield "list", path, "-o", self.out
        yield "validate", path
        yield "sweep", path, "--out", self.out, "--dry-run"
        yield "sweep", path, "--out", self.out

    def bad(self, path, words=""):
        for command in self.commands(path):
            status, out, err = leadline(*command)
            usage = (2,) if command[0] != "compare" else ()
            self.assertIn(status, (1, *usage), (command, out))
            if command[0] == "validate":  # its sentences are its output
                self.assertLessEqual(out.count("\n"), 6)
                out, err = "", out.splitlines()[0] + "\n"
            self.assertEqual((err.count("\n"), out), (1, ""), (command, err))
            if command[0] != "sweep":
                self.assertIn(words, err)
            self.assertEqual(os.listdir(self.path("made")), [], command)

    def test_hundreds_of_them(self):
        """There are broken ones, some good ones, and files of others."""
        folder = self.path("many")
        os.mkdir(folder)
        for i in range(300):
            with open(os.path.join(folder, "good%d.json" % i), "w") as stream:
                json.dump(dict(REPORT, run=dict(REPORT["run"], label="c%d" % (i % 50),
                                                id="run%d" % i)), stream)
            write_file(os.path.join(folder, "bad%d.json" % i), "{")
        for command in list(self.commands(folder))[:-2]:
            if "iotrace" in command:
                continue
            status, out, err = leadline(*command)
            self.assertEqual(status, 1 if command[0] == "validate" else 0, err)
            self.assertLessEqual(err.count("\n"), 4)

    def test_hundreds_of_broken_ones(self):
        folder = self.path("broken")
        os.mkdir(folder)
        for i in range(300):
            write_file(os.path.join(folder, "bad%d.json" % i), "{")
        for command in self.commands(folder):
            status, out, err = leadline(*command)
            self.assertIn(status, (1, 2), command)
            if command[0] != "validate":
                self.assertEqual((err.count("\n"), out), (1, ""), command)

    def test_a_directory_instead_of_a_file(self):
        os.mkdir(self.path("folder.json"))
        for command in self.commands(self.path("folder.json")):
            if command[0] == "validate":
                continue  # an empty folder is not wrong
            status, out, err = leadline(*command)
            self.assertIn(status, (1, 2), command)
            self.assertEqual((err.count("\n"), out), (1, ""), command)
        path = self.save(REPORT)
        for command in ("compare", "report", "list"):
            self.COMMAND = command
            self.refused("cannot be written", path, "-o", self.path("made"))
        self.COMMAND = "plot"
        os.mkdir(self.path("x.svg"))
        self.refused("cannot be written", "bandwidth", path, "-o", self.path("x.svg"))

    def test_nowhere(self):
        self.bad(self.path("nowhere"), "cannot be read: No such file")

    def test_no_permission(self):
        path = self.save(REPORT)
        os.chmod(path, 0)
        os.chmod(self.path("made"), 0o777)
        with without_privileges():
            self.bad(path, "ermission denied")
        os.mkdir(self.path("locked"), 0)
        with without_privileges():
            for command in ("compare", "report", "list"):
                self.COMMAND = command
                self.refused("ermission denied", self.path("locked"),
                             "-o" + self.path("made/out"))

    def test_no_permission_to_write(self):
        path = self.save(REPORT)
        os.mkdir(self.path("locked"), 0o555)
        with without_privileges():
            for command in ("compare", "report", "list"):
                self.COMMAND = command
                self.refused("cannot be written", path, "-o", self.path("locked/out"))

    def test_one_report_only(self):
        path = self.save(REPORT)
        for command in list(self.commands(path))[:6]:
            status, out, err = leadline(*command)
            self.assertIn((status, err.count("\n")), ((0, 0), (1, 1), (2, 1)), command)

    def test_names_that_are_no_text(self):
        """Such names of files go into tables and pages."""
        folder = self.path("odd")
        os.mkdir(folder)
        for i, name in enumerate((b"\xff\xfe.json", b"a\nb\x1b[2J.json", b"-x.json",
                                  b"$(id);'\".json", b"=1+1.json")):
            with open(os.path.join(os.fsencode(folder), name), "w") as stream:
                json.dump(full({"write_MBps": STEADY}), stream)
        for form in ("text", "markdown", "csv", "json"):
            for command in ("compare", "list"):
                done = subprocess.run(
                    [sys.executable, "-B", "-m", "leadline", command, "--format", form,
                     folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    env=dict(os.environ, PYTHONPATH=PACKAGE, PYTHONIOENCODING="utf-8"))
                self.assertEqual((done.returncode, b"Traceback" in done.stderr),
                                 (0, False), done.stderr)
                self.assertNotIn(b"\x1b", done.stdout)
        for command in list(self.commands(folder))[:6]:
            status, _, err = leadline(*command)
            self.assertIn(status, (0, 1, 2))
            self.assertLessEqual(err.count("\n"), 1)

    def test_no_matplotlib(self):
        path = self.save(REPORT)
        line = [sys.executable, "-B", "-S", "-m", "leadline", "plot", "bandwidth", path,
                "-o", self.out + ".png"]   # -S: without what else is installed
        env = dict(os.environ, PYTHONPATH=PACKAGE, PYTHONNOUSERSITE="1")
        done = run_text(line, env=env)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("leadline plot: drawing needs matplotlib", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(os.listdir(self.path("made")), [])

    def test_calibrate(self):
        self.COMMAND = "calibrate"
        self.refused("it is not a directory", self.save("x"))
        self.refused("it is not a directory", self.path("none"))
        os.mkdir(self.path("locked"), 0o555)
        with without_privileges():
            self.refused("no permission", self.path("locked"))
        self.refused("whole number above 0", self.dir, "--np=x", status=2)
        self.refused("cannot be read: No closing quotation", self.dir,
                     "--mpiexec='mpiexec", status=2)


def each(name, content, words):
    def test(self):
        path = self.path(name)
        write_file(path, content if isinstance(content, bytes) else content.encode())
        self.bad(path, words)
    return test


for name_, (content_, words_) in FILES.items():
    setattr(BadInput, "test_a_file_%s" % name_, each(name_, content_, words_))

if __name__ == "__main__":
    main()
