#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""Output of every program and command to a full disk, to a closed descriptor, and to a
reader that has gone. A lost report is a sentence and exit status 1, on all ranks;
nothing prints a traceback; no file is left. And names of files, whatever they contain,
are printed as text."""
import json
import os
import re
import shutil
import signal
import subprocess

from e2e import HAVE_SCALAPACK, Case, drawn, main, read_json, runner, write_file

FULL = "/dev/full"
LOST = "standard output cannot be written"
IO_MODE = ("64", "2", "--io-only")
SURVEY = ("--files=1", "--pings=20", "--beams=30")
HAVE_CLANG = os.environ.get("HAVE_CLANG") == "yes"
EVIL = "x\x1b[31m\x07\x9b\r"  # as bytes, C1's CSI is also invalid UTF-8
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|[^\xc2]\x9b")

# Programs of several commands, and all others: each has --help and --version.
COMMANDS = {
    "iotrace": "run summary findings report dump merge export compare ldad plot bins "
               "recover",
    "ldad": "info verify flatten cat recover relocate mount rm perf mandelbrot "
            "jacobi fft",
    "leadline": "compare sweep report plot list trend import export validate schema "
                "calibrate io500 launcher skeleton whatif"}
PLAIN = ["blocktransfer", "madbench", "replay", "pfmload", "gsfgen", "gsfinfo",
         "pfminfo"]
if HAVE_CLANG:
    COMMANDS["ldadc"] = "analyse plan check rewrite build"


class Material(Case):
    """Input for the commands, made once for all."""

    @classmethod
    def setUpClass(cls):
        place = os.path.join(os.environ["LEADLINE_TMP"], "material")
        os.mkdir(place)
        cls.place = place
        cls.call("blocktransfer", "256k", "-b", "64k", "--filetype=PARTITIONED",
                 "--keep", "--dir=" + place, "-q", "--json=" + cls.at("a.json"))
        made, = [name for name in os.listdir(place) if name.endswith(".blocks")]
        os.rename(cls.at(made), cls.at("container"))
        shutil.copy(cls.at("a.json"), cls.at("b.json"))
        cls.call("gsfgen", *SURVEY, "--dir=" + place, "-q")
        cls.call("pfmload", "--output=o.pfm", "--scheme=serial", "-q", "--dir=" + place,
                 cls.at("line-0001.gsf"))
        cls.call("iotrace", "run", "-n", "cat", "-o", place, "--", "cat",
                 cls.at("a.json"))
        write_file(cls.at("empty.c"), "int main(void) { return 0; }\n")
        with open(cls.at("spec.json"), "w") as f:
            json.dump({"program": "blocktransfer", "arguments": ["1M"], "ranks": [1],
                       "rounds": 1, "configs": {"a": []}}, f)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place, ignore_errors=True)

    @classmethod
    def at(cls, name):
        return os.path.join(cls.place, name)

    @classmethod
    def call(cls, *line):
        done = cls.run_line(line, subprocess.PIPE)
        assert done.returncode == 0, (line, done)
        return done

    @staticmethod
    def run_line(line, out, folder=None, **more):
        return subprocess.run(line, env=runner.mpi_environment(1), stdout=out,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              cwd=folder, timeout=120 * runner.SCALE, **more)

    def printing(self):
        """Returns commands that print something and end well, with all their words."""
        run = "cat.1"
        dir = "--dir=" + self.tmp
        lines = [
            ("blocktransfer", "1M", dir), ("blocktransfer", "1M", "--dry-run"),
            ("blocktransfer", "1M", dir, "--json=-"),
            ("blocktransfer", "1M", dir, "--csv=-"),
            ("blocktransfer", "1M", "--dry-run", "--json=-"),
            ("madbench", *IO_MODE, dir), ("madbench", *IO_MODE, "--dry-run"),
            ("madbench", *IO_MODE, dir, "--json=-"),
            ("pfmload", "--dry-run", "--output=n.pfm", dir, self.at("line-0001.gsf")),
            ("pfmload", "--output=n.pfm", "--scheme=serial", "--overwrite", dir,
             self.at("line-0001.gsf")),
            ("gsfinfo", self.at("line-0001.gsf")),
            ("gsfinfo", "--json", self.at("line-0001.gsf")),
            ("pfminfo", self.at("o.pfm")), ("pfminfo", "--json=-", self.at("o.pfm")),
            ("pfminfo", "--csv=-", self.at("o.pfm")),
            ("pfminfo", "--xyz=-", self.at("o.pfm")),
            ("ldad", "perf", "--chunk=4k", dir), ("ldad", "perf", "--dry-run"),
            ("ldad", "info", self.at("container")),
            ("ldad", "info", "--json", self.at("container")),
            ("ldad", "verify", self.at("container")),
            ("ldad", "cat", self.at("container")),
            ("iotrace", "findings", self.at(run)),
            ("iotrace", "findings", self.at(run)),
            ("iotrace", "summary", self.at(run)), ("iotrace", "dump", self.at(run)),
            ("iotrace", "summary", "--json=-", self.at(run)),
            ("iotrace", "merge", "-o", "-", self.at(run)),
            ("iotrace", "compare", self.at(run), self.at(run)),
            ("iotrace", "compare", "--json=-", self.at(run), self.at(run)),
            ("iotrace", "ldad", self.at(run)), ("iotrace", "ldad", "--json=-",
                                                self.at(run)),
            ("iotrace", "ldad", "--skeleton=-", self.at(run)),
            ("iotrace", "bins", self.at(run)),
            ("iotrace", "export", "--csv=-", self.at(run)),
            ("leadline", "compare", self.place), ("leadline", "list", self.place),
            ("leadline", "trend", self.at("a.json")),
            ("leadline", "export", self.at("a.json")),
            ("leadline", "validate", self.at("a.json")), ("leadline", "schema"),
            ("leadline", "launcher"),
            ("leadline", "compare", "--format=json", self.at("a.json")),
        ]
        if HAVE_SCALAPACK:
            lines.append(("madbench", "64", "2", dir))
        if HAVE_CLANG:
            lines.append(("ldadc", "analyse", self.at("empty.c")))
        for name in PLAIN:
            lines += [(name, "--help"), (name, "--version")]
        for name, words in COMMANDS.items():
            lines += [(name, "--help"), (name, "--version")]
            lines += [(name, word, "--help") for word in words.split()]
        return [lines[i] for i in drawn(range(len(lines)), 12, 1 / 2)]


class Lost(Material):
    def test_all_are_there(self):
        """A new program or command must be here, too."""
        for name, words in COMMANDS.items():
            said = self.call(name, "--help").stdout.decode()
            for word in words.split():
                self.assertRegex(said, r"\b%s\b" % word)
            if name != "leadline":
                listed = re.findall(r"^  ([a-z]+) ", said, re.M)
                self.assertEqual(sorted(listed), sorted(words.split()), name)

    def wrong(self, line, done, statuses):
        """Returns what is wrong, as a list of lines."""
        said = done.stderr.decode("utf-8", "replace")
        ours = [text for text in said.splitlines()
                if text.startswith(line[0]) and LOST in text]
        bad = []
        if done.returncode not in statuses:
            bad.append("status %s" % done.returncode)
        if done.returncode == 1 and 1 in statuses and len(ours) != 1:
            bad.append("%d sentences" % len(ours))
        if "Traceback" in said or "Exception" in said:
            bad.append("a traceback")
        left = [name for name in os.listdir(self.tmp)
                if not name.startswith("n.pfm") and name != "plots"]
        if left:
            bad.append("left %s" % left)
        return ["%s: %s: %s" % (" ".join(line), text, said[-300:]) for text in bad]

    def test_as_it_should_be(self):
        """All are right at first, or the other tests prove nothing."""
        bad = []
        for line in self.printing():
            done = self.run_line(line, subprocess.PIPE)
            if done.returncode or not done.stdout:
                bad.append((line, done))
        self.assertEqual(bad, [])

    def test_full(self):
        bad = []
        for line in self.printing():
            with open(FULL, "w") as out:
                bad += self.wrong(line, self.run_line(line, out), {1})
        self.assertEqual("\n".join(bad), "")

    def test_closed(self):
        bad = []
        for line in self.printing():
            done = self.run_line(("/bin/sh", "-c", 'exec "$@" >&-', "sh", *line), None)
            bad += self.wrong(line, done, {1})
        self.assertEqual("\n".join(bad), "")

    def test_nobody_reads(self):
        """The reader ends, as in "| head -1" after its line. The command ends by
        SIGPIPE, or as a failure; filters print nothing about it."""
        bad = []
        for line in self.printing():
            reader, writer = os.pipe()
            os.close(reader)
            done = self.run_line(line, writer)
            os.close(writer)
            ends = {-signal.SIGPIPE}
            if line[0] == "leadline":
                ends = {1}
                if done.stderr:
                    bad.append("%s: %s" % (line, done.stderr))
                    continue
            found = self.wrong(line, done, ends | {1})
            bad += [text for text in found if "sentences" not in text]
        self.assertEqual("\n".join(bad), "")

    def test_on_one_of_two_ranks(self):
        """The other rank also ends as a failure, and tells the launcher."""
        lose = '"$@" >%s; s=$?; echo "ended $s" >&2; exit $s' % FULL
        done = self.run_program("blocktransfer", "1M", np=2,
                                inside=("/bin/sh", "-c", lose, "sh"))
        self.assertEqual(done.status, 1, done)
        self.assertEqual(len([x for x in done.said if LOST in x]), 1, done)
        self.assertEqual(done.err.count("ended 0"), 0, done)
        self.assertEqual(done.files, [])
        self.assertIs(done.report["valid"], True)  # that one was not lost

    def test_the_report_stays_valid(self):
        """The measurement is good; the status and the sentence tell of the output."""
        report = os.path.join(self.place, "lost.json")
        for line in drawn((("blocktransfer", "1M"), ("madbench", *IO_MODE),
                           ("metabench", "3"), ("outcore", "aio", "64k"),
                           ("outcore", "sort", "--records=100"),
                           ("outcore", "search", "--records=100", "--lookups=100"),
                           ("ldad", "perf", "--chunk=4k", "--chunks=1"),
                           ("ldad", "jacobi", "--rows=8", "--columns=8"),
                           ("pfmload", "--output=n.pfm", "--scheme=serial",
                            "--overwrite", self.at("line-0001.gsf"))), 4, 1 / 2):
            line += ("--dir=" + self.tmp, "--json=" + report)
            with open(FULL, "w") as out:
                done = self.run_line(line, out)
            self.assertEqual(self.wrong(line, done, {1}), [])
            self.assertIn(b"what was written to files is", done.stderr)
            tree = read_json(report)
            self.assertEqual((tree["valid"], tree["why"]), (True, None), line)
            os.remove(report)

    def test_another_run_with_the_same_report(self):
        """The later one replaces the report, and says so."""
        run = self.start("blocktransfer", "2M", "--block-size=64k", "--no-verify",
                         "--iomethod=null:delay_us=50000", "--quiet", np=1)
        self.until(lambda: os.path.exists(run.json), "it has begun")
        done = self.run_line(("blocktransfer", "1M", "-q", "--dir=" + self.tmp,
                              "--json=" + run.json), subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        run.wait(60)
        self.assertEqual((run.status, len(run.said)), (0, 1), run)
        self.assertIn("the report was written by another run meanwhile", run.said[0])
        self.assertEqual(run.report["options"]["block-size"]["value"], 64 << 10)

    def test_quiet_needs_no_output(self):
        done = self.run_line(("/bin/sh", "-c", 'exec "$@" >&-', "sh", "blocktransfer",
                              "1M", "-q", "--dir=" + self.tmp), None)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_no_file_takes_the_number_of_an_output(self):
        """Messages would end up in the file."""
        path = self.path("r.json")
        done = self.run_line(("/bin/sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh",
                              "blocktransfer", "1M", "--json=" + path,
                              "--dir=" + self.tmp), None)
        self.assertEqual(done.returncode, 1)
        read_json(path)
        os.remove(path)


class Dash(Material):
    """--json=- and --csv=- write to standard output, and print nothing else there."""

    def test_json(self):
        for line in (("blocktransfer", "1M"), ("madbench", *IO_MODE),
                     ("ldad", "perf", "--chunk=4k")):
            done = self.run_line((*line, "--dir=" + self.tmp, "--json=-"),
                                 subprocess.PIPE, folder=self.tmp)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIs(json.loads(done.stdout.decode())["valid"], True)
            self.assertEqual(os.listdir(self.tmp), [])

    def test_of_ranks(self):
        done = self.run_program("blocktransfer", "1M", "--json=-", np=2, json=False)
        self.assertEqual(done.status, 0, done)
        self.assertIs(json.loads(done.out)["valid"], True)

    def test_a_run_that_fails(self):
        done = self.run_line(("blocktransfer", "1M", "--dir=/nowhere", "--json=-"),
                             subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        tree = json.loads(done.stdout.decode())
        self.assertIs(tree["valid"], False)
        self.assertIn("/nowhere", done.stderr.decode())

    def test_csv(self):
        done = self.run_line(("blocktransfer", "1M", "--dir=" + self.tmp, "--csv=-"),
                             subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue(done.stdout.startswith(b"run_id,program,"), done.stdout)
        self.assertIn(b",write,", done.stdout)

    def test_not_both(self):
        done = self.run_line(("blocktransfer", "1M", "--json=-", "--csv=-"),
                             subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (2, b""))


class Names(Material):
    """Names of files may contain anything: no terminal obeys the output."""

    def evil(self, name):
        """Returns `name` copied to a difficult name."""
        path = os.path.join(os.fsencode(self.tmp), EVIL.encode("latin-1") +
                            name.encode())
        source = os.fsencode(self.at(name))
        if os.path.isdir(source):
            shutil.copytree(source, path)
        else:
            shutil.copy(source, path)
        return path

    def plain(self, *line, status=(0,)):
        done = self.run_line(line, subprocess.PIPE)
        self.assertIn(done.returncode, status, done)
        for text in (done.stdout, done.stderr):
            self.assertIsNone(CONTROL.search(text), text)
        self.assertIn(b"[31m", done.stdout + done.stderr)

    def test_of_containers(self):
        path = self.evil("container")
        self.plain("ldad", "info", path)
        self.plain("ldad", "verify", path)
        for name in os.listdir(path):
            if name.startswith(b"part-"):
                os.truncate(os.path.join(path, name), 0)
        self.plain("ldad", "info", path, status=(1,))
        self.plain("ldad", "verify", path, status=(1,))
        self.plain("ldad", "cat", path, status=(1,))
        self.plain("ldad", "cat", path + b"none", status=(1,))
        with open(os.path.join(path, b"somebody's"), "w"):
            self.plain("ldad", "rm", path, status=(1,))

    def test_of_surveys(self):
        path = self.evil("line-0001.gsf")
        self.plain("gsfinfo", path)
        self.plain("gsfinfo", path + b"none", status=(1,))
        self.plain("pfminfo", path, status=(1, 2))

    def test_of_reports(self):
        path = self.evil("a.json")
        self.plain("leadline", "list", "--format=csv", path)
        self.plain("leadline", "validate", path)
        self.plain("leadline", "compare", path + b"none", status=(1, 2))

    def test_of_labels(self):
        label = EVIL.encode("latin-1")
        self.plain("blocktransfer", "1M", b"--label=" + label, "--dir=" + self.tmp)
        done = self.run_line(("blocktransfer", "1M", b"--label=" + label, "-q",
                              "--dir=" + self.tmp, "--json=" + self.path("r.json")),
                             subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        for command in ("list", "compare"):
            self.plain("leadline", command, self.path("r.json"))

    def test_of_directories(self):
        folder = os.path.join(os.fsencode(self.tmp), EVIL.encode("latin-1"))
        os.mkdir(folder)
        self.plain("blocktransfer", "1M", b"--dir=" + folder)
        self.plain("blocktransfer", "1M", b"--dir=" + folder + b"none", status=(1,))
        self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    main()
