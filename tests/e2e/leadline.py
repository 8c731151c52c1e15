#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""leadline on real output of the programs: valid, listed, shown, drawn; and the page in
a real browser, if there is one."""
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

from e2e import (BUILD, Case, any_mpi, fault, long, main, read_json, read_text, runner,
                 write_file)
from browser import BROWSER, look
from in_rig import unless_quick

class Leadline(Case):
    LIMIT = 120

    def leadline(self, *args, status=0):
        """Returns stdout; the command is the build tree's launcher."""
        done = subprocess.Popen(
            [os.path.join(BUILD, "python", "leadline", "leadline"), *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.tmp,
            env=runner.mpi_environment(2), universal_newlines=True)
        out, err = done.communicate(timeout=self.LIMIT * runner.SCALE)
        self.assertEqual(done.returncode, status, out + err)
        if not status:
            self.assertEqual(err, "")
        return err if status else out

    def launcher(self, ranks=2):
        """Returns this MPI's launcher, with its needs on a small machine."""
        return " ".join(runner.launch_line(ranks, [])[:-2])

    def keep(self, done, name):
        """Copies a good run's report to the folder of runs."""
        self.good(done)
        folder = self.path("runs")
        os.makedirs(folder, exist_ok=True)
        shutil.copy(done.json, os.path.join(folder, name + ".json"))
        return folder

    def some_runs(self):
        for kind in ("unique", "shared"):
            for ranks in (1, 2):
                runs = self.keep(self.madbench(
                    "64", "4", "--io-only", "--filetype=" + kind, "--repeat=6",
                    "--label=%s-np%d" % (kind, ranks), np=ranks),
                    "%s-np%d" % (kind, ranks))
        return runs


class Reports(Leadline):
    @any_mpi
    def test_programs_write_what_the_schema_says(self):
        runs = self.some_runs()
        for name, args in (("blocks", ("1M", "--repeat=6", "-b", "64k")),
                           ("random", ("1M", "-p", "RANDOM", "-b", "4k"))):
            self.keep(self.blocktransfer(*args), name)
        for workload in ("perf --chunks=4 --chunk=64k", "jacobi --rows=64 --columns=64",
                         "fft --points=4096"):
            for method in ("independent", "partitioned"):
                words = workload.split()
                self.keep(self.run_program("ldad", *words, "--io=" + method, "--quiet"),
                          words[0] + method)
        self.keep(self.madbench("64", "4", "--io-only", "--alpha-sweep=1.0:1.1:0.1",
                                "--iomode=ASYNC"), "alpha")
        lines = self.path("lines")
        os.mkdir(lines)
        self.run_program("gsfgen", "--files=2", "--pings=20", "--quiet", np=0,
                         json=False, dir=lines)
        self.keep(self.run_program("pfmload", "--no-keep", "--output=o.pfm", "--quiet",
                                   *[os.path.join(lines, name)
                                     for name in os.listdir(lines)]), "pfmload")
        self.assertEqual(self.leadline("validate", "-q", runs), "")
        self.hold_against_json_schema(runs)
        self.assertEqual(self.leadline("list", runs).count("\n"), 16)

    def hold_against_json_schema(self, runs):
        """Validates as other validators do."""
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            return
        judge = Draft202012Validator(json.loads(self.leadline("schema")))
        for name in os.listdir(runs):
            judge.validate(read_json(os.path.join(runs, name)))

    def test_a_failed_run_is_valid_too(self):
        done = self.blocktransfer("1M", dir="/nowhere")
        self.assertNotEqual(done.status, 0)
        self.assertIn("valid against", self.leadline("validate", done.json))
        self.assertIn("not valid: ", self.leadline("list", done.json))


class Stall(Leadline):
    """One write takes a second, in the middle of a phase: one in 4000."""
    SECONDS = 1.0

    def stalled(self):
        args = ("16M", "-b", "8k", "--no-verify", "--repeat=6", "--cache=keep")
        self.keep(self.blocktransfer(*args, "--label=without"), "without")
        return self.keep(self.blocktransfer(*args, "--label=with", env=fault(
            "write:slow:9000", 0, "files/blocktransfer-",
            FAULT_SECONDS=str(self.SECONDS))),
            "with")

    @long
    def test_a_stall_is_in_report_series_and_plot(self):
        runs = self.stalled()
        tree = read_json(os.path.join(runs, "with.json"))
        writes = [s for s in tree["samples"] if s["act"] == "write"]
        longest = [s["latency"]["max_s"] for s in writes]
        hit = longest.index(max(longest))
        self.assertGreaterEqual(longest[hit], self.SECONDS)
        series = writes[hit]["series"]
        self.assertEqual(max(series["max_s"]), longest[hit])
        self.assertEqual(self.leadline("validate", "-q", runs), "")
        out = " ".join(self.leadline("compare", "--baseline=without", runs).split())
        said = "with: transfers stood still for up to"
        self.assertIn(said, out)
        self.assertRegex(out, r"\(phase write, repetition %d[;)].* in 1 of 1 runs" %
                         # a busy machine stalls, too: that is reported there
                         (hit + 1))
        self.assertNotIn("without: transfers stood still", out)
        self.assertIn("write.write_max_us", out)
        self.leadline("plot", "series", os.path.join(runs, "with.json"), "-o", "x.svg")
        text = read_text(self.path("x.svg"))
        self.assertIn("write %d stood still for" % (hit + 1), text)
        self.assertRegex(text, r">(9\d\d ms|[1-9][.\d]* s)<")
        self.leadline("plot", "figure", "write.write_p99_us", runs, "-o", "y.svg")
        self.leadline("report", runs, "-o", "page.html")
        page = read_text(self.path("page.html"))
        self.assertIn('id="series"', page)
        self.assertIn(said, page)


class DryRun(Leadline):
    def test_what_programs_say(self):
        """It works without a launcher, for any number of ranks."""
        for program, args, per_run in (
                ("madbench", ["1024", "8", "--io-only"], 16 << 23),
                ("ldad", ["fft", "--points=4096"], 4 << 15),
                ("blocktransfer", ["1M"], 64 << 20),
                ("pfmload", ["-o", "x.pfm", "y.gsf"], None)):
            with open(self.path("spec.json"), "w") as stream:
                json.dump({"program": program, "np": 64, "rounds": 2, "args": args,
                           "mpiexec": "/nowhere/mpiexec"}, stream)
            tree = json.loads(self.leadline("sweep", "spec.json", "--dry-run",
                                            "--format=json"))
            row = tree["configurations"][0]
            self.assertEqual((row["ranks"], row["write_bytes"]), (64, per_run))
            self.assertEqual(row["program"].split()[0], program)
            self.assertEqual(tree["left"]["read_bytes"], per_run and 2 * per_run)
            self.assertEqual(os.listdir(self.tmp), ["spec.json"])


class Inside(Leadline):
    """sweep --inside=auto: all configurations in one run, where that can be."""

    def sweep(self, matrix, *options, **more):
        tree = dict({"program": "blocktransfer", "rounds": 7, "matrix": matrix,
                     "args": ["256k", "--dir=."], "mpiexec": self.launcher().split()},
                    **more)
        write_file(self.path("spec.json"), json.dumps(tree))
        done = subprocess.run(
            [os.path.join(BUILD, "python", "leadline", "leadline"), "sweep",
             "spec.json", "--out=runs", "--inside=auto", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.tmp,
            env=runner.mpi_environment(2), universal_newlines=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [read_json(os.path.join(self.path("runs"), name))
                for name in sorted(os.listdir(self.path("runs")))
                if name.endswith("-1.json")], done.stderr

    def test_one_run(self):
        """Arms have the names of the sweep, which is done when called again."""
        matrix = {"depth": [1, 4], "collective": [False], "iomethod": ["threads"]}
        found, _ = self.sweep(matrix)
        self.assertEqual(len(found), 1)
        self.assertEqual([a["name"] for a in found[0]["comparison"]["arms"]],
                         ["depth1-threads", "depth4-threads"])
        self.assertEqual(found[0]["comparison"]["rounds"], 7)
        self.assertIn("1 of 1 runs are there already", self.sweep(matrix)[1])
        self.assertIn("depth4-threads", self.leadline("compare", "runs"))

    def test_runs_of_their_own(self):
        """Where something else varies, or the program refuses, it says so."""
        for matrix, why in (({"np": [1, 2]}, "np varies"),
                            ({"seed": [1, 2]}, "--seed is the same in all arms"),
                            ({"label": ["a b", "c"]}, "a value has a space")):
            found, said = self.sweep(matrix, "--fresh", "--rounds=1")
            self.assertEqual(len(found), 2)
            self.assertIn("each configuration is run by itself: ", said)
            self.assertIn(why, said)

    def test_refused(self):
        write_file(self.path("spec.json"), json.dumps({"program": "blocktransfer"}))
        err = self.leadline("sweep", "spec.json", "--inside=auto", "--dry-run",
                            status=2)
        self.assertIn("leave out --submit, --dry-run", err)


class Traces(Leadline):
    def setUp(self):
        super().setUp()
        done = subprocess.Popen(
            ["iotrace", "run", "--name=job", "--", "sh", "-c", "echo words >file; "
             "cat file"], cwd=self.tmp, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.assertEqual((done.communicate(timeout=60)[0][:6], done.returncode),
                         (b"words\n", 0))
        self.run_folder = self.path("job.1")

    def page(self, *paths):
        self.leadline("report", *paths, "-o", "page.html")
        return read_text(self.path("page.html"))

    def test_runs_logs_and_folders_of_them(self):
        log = next(os.path.join(self.run_folder, name)
                   for name in sorted(os.listdir(self.run_folder))
                   if name.endswith(".bin"))
        shared = self.path("all")
        shutil.copytree(self.run_folder, os.path.join(shared, "job.1"))
        for path, name in ((self.run_folder, "job.1"), (shared, "job.1"),
                           (log, os.path.basename(log))):
            self.assertIn(name + ": share of time in I/O", self.page(path))
        out = self.leadline("plot", "iotrace", self.run_folder, "-o", "map.svg")
        self.assertIn("map.svg: job.1: share of time in I/O", out)

    def test_beside_reports(self):
        runs = self.keep(self.blocktransfer("64k", "--repeat=6"), "blocks")
        page = self.page(runs, self.run_folder)
        self.assertIn("job.1: share of time in I/O", page)
        self.assertIn('id="bandwidth"', page)

    def test_what_cannot_be_counted(self):
        for name in os.listdir(self.run_folder):
            if ".bin" in name and not name.endswith(".summary"):
                os.truncate(os.path.join(self.run_folder, name), 20)
        err = self.leadline("report", self.run_folder, "-o", "page.html", status=1)
        self.assertIn("leadline report: " + self.run_folder + ": iotrace: ", err)
        self.assertEqual(err.count("\n"), 1)
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_no_iotrace(self):
        done = subprocess.Popen(
            [sys.executable, "-B", "-m", "leadline", "report", "job.1"], cwd=self.tmp,
            env=dict(os.environ, PATH="/nowhere"), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, universal_newlines=True)
        out, err = done.communicate(timeout=60)
        self.assertEqual((done.returncode, out, err), (1, "", (
            "leadline report: job.1: a trace, which iotrace must count: program "
            "iotrace was found neither in a build tree nor on PATH\n")))


class Calibrate(Leadline):
    @long
    def test_a_yardstick(self):
        os.mkdir(self.path("here"))
        out = self.leadline("calibrate", "here", "--np=2", "--bytes=1M", "--saturate",
                            "--most=1", "--mpiexec=" + self.launcher())
        self.assertIn("with 1 in flight on each of 2 ranks reaches", out)
        self.assertEqual(out.count("measured again after it was chosen"), 2)
        for words in ("sequential.write", "sequential.read", "random.write",
                      "random.read"):
            self.assertIn(words, out)
        self.assertEqual(os.listdir(self.path("here")), [])
        self.assertIn("valid against", self.leadline("validate", "calibration.json"))
        self.assertIn("calibrate", self.leadline("list", "calibration.json"))
        tree = read_json(self.path("calibration.json"))
        self.assertEqual(tree["options"]["pattern"]["value"], ["SEQUENTIAL", "RANDOM"])
        self.assertIn("saturation.threads.at1.read_MBps",
                      [row["name"] for row in tree["figures"]])
        self.assertEqual(set(s["phase"] for s in tree["samples"]), {
            "sequential.write", "sequential.read", "random.write", "random.read"})
        runs = self.some_runs()
        out = self.leadline("compare", runs, "calibration.json")
        self.assertIn("of blocktransfer's", out)
        self.assertIn("in sequence on 2 ranks reach: ", " ".join(out.split()))

    def test_refusals(self):
        for args, words in ((("nowhere",), "it is not a directory to measure in"),
                            ((".", "--bytes=much", "--mpiexec=" + self.launcher()),
                             'the sequential transfers failed: blocktransfer: BYTES: '
                             '"much" is not a size')):
            err = self.leadline("calibrate", *args, status=1)
            self.assertEqual(err.count("\n"), 1)
            self.assertIn(words, err)
        for words, option in (("-n0", "-n/--np"), ("--mixed=0", "--mixed"),
                              ("--mixed=101", "--mixed")):
            self.assertIn("argument " + option,
                          self.leadline("calibrate", ".", words, status=2))
        for command in ("calibrate", "io500"):
            self.assertIn("stores nothing, so there is no storage to measure",
                          self.leadline(command, ".", "--iomethod=null", "--mpiexec="
                                        + self.launcher(), status=1))

    def test_warnings_are_shown(self):
        os.mkdir(self.path("here"))
        out = self.leadline("calibrate", "here", "--np=1", "--bytes=64k", "-r", "1",
                            "--cache=keep", "--mpiexec=" + self.launcher(1))
        self.assertIn("Note: --cache=keep: no page is dropped", out)
        tree = read_json(self.path("calibration.json"))
        codes = [row["code"] for row in tree["warnings"]]
        self.assertEqual(out.count("Note: "), len(codes))
        if codes.count("served_from_memory"):
            self.assertEqual(codes.count("served_from_memory"), 2)
            self.assertIn("Note: random: ", out)

    def test_an_interruption_leaves_nothing(self):
        for sign in (signal.SIGTERM, signal.SIGHUP):
            self.interrupted(sign)

    def interrupted(self, sign):
        os.makedirs(self.path("here"), exist_ok=True)
        env = dict(runner.mpi_environment(2), TMPDIR=self.tmp)
        child = subprocess.Popen(
            ["leadline", "calibrate", "here", "--np=1", "--bytes=64k", "-r", "1000000",
             "--mpiexec=" + self.launcher(1)], cwd=self.tmp, env=env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.until(lambda: os.listdir(self.path("here")), "a file is made")
        child.send_signal(sign)
        out = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 130, out)
        self.assertIn(b"the same command starts over", out)
        self.assertEqual(os.listdir(self.tmp), ["here"])
        self.assertEqual(os.listdir(self.path("here")), [])
        self.assertFalse(os.path.exists(self.path("calibration.json")))


class Page(Leadline):
    @long
    @unittest.skipUnless(BROWSER, "there is no Chromium")
    def test_in_a_browser(self):
        runs = self.some_runs()
        self.leadline("report", runs, "-o", "page.html")
        page = self.path("page.html")
        for width in (1200, 500):
            found = look(self, page, width)
            self.assertEqual(found["faults"], [], width)
            self.assertGreaterEqual(found["pictures"], 6)
            self.assertGreater(found["texts"], 60)

    @long
    @unittest.skipUnless(BROWSER, "there is no Chromium")
    def test_the_look_sees_faults(self):
        page = self.path("page.html")
        write_file(page, '<html><head><meta http-equiv="Content-Security-Policy">\n'
                   '</head><body style="width: 2000px"><svg class="chart" '
                   'width="100" height="50" style="overflow: visible">'
                   '<text x="90" y="20">beyond</text><text x="10" y="30">one'
                   '</text><text x="12" y="32">two</text></svg></body></html>')
        faults = " ".join(look(self, page, 1200)["faults"])
        for words in ("the page is 20", "outside: beyond",
                      "over each other: two / one"):
            self.assertIn(words, faults)

    def test_pictures(self):
        runs = self.some_runs()
        for kind in ("bandwidth", "filetype", "scaling", "time"):
            self.leadline("plot", kind, runs, "-o", kind + ".svg")
            with open(self.path(kind + ".svg")) as stream:
                self.assertTrue(stream.read().startswith("<svg "))


if __name__ == "__main__":
    unless_quick()
    main()
