#!/usr/bin/env python3
"""In a build with the thread sanitizer (--enable-sanitizers=thread): no data races in
programs with threads. In others nothing: other tests show that they work."""
import os
import subprocess
import unittest

from e2e import BUILD, Case, main, runner, workloads
from loads import SCHEMES, Loads

THREADS = ("--iomethod=threads", "--iomode=ASYNC")


class Races(Case):
    LIMIT = 120

    def setUp(self):
        super().setUp()
        if os.environ.get("SANITIZERS") != "thread":
            raise unittest.SkipTest("configured without --enable-sanitizers=thread")


class Programs(Races):

    def silent(self, done):
        self.good(done)
        self.assertNotIn("ThreadSanitizer", done.err)

    def test_requests_under_way(self):
        self.silent(self.blocktransfer("2M", "--block-size=64k", "--depth=4", *THREADS))

    def test_lanes(self):
        for engine in ("posix", "threads", "uring"):
            self.silent(self.blocktransfer("512k", "--block-size=64k", "--threads=4",
                                           "--depth=2", "--iomethod=" + engine))

    def test_lanes_that_sort_and_compute(self):
        """There are runs, of which all lanes merge parts, and several passes."""
        for line in (("sort", "--records=60000", "--memory=1M", "--merge-buffer=64k"),
                     ("search", "--records=20000", "--lookups=400")):
            self.silent(self.run_program("outcore", *line, "--threads=3", "--quiet"))
        self.silent(self.run_program("outcore", "stream", "--mode=files", "--files=99",
                                     "--readers=3", "--slots=2", "--slot-size=1k",
                                     "--quiet"))
        self.silent(self.run_program("metabench", "60", "--threads=3", "--place=shared",
                                     "--ops=create,relist,unlink", "--quiet"))

    def test_each_workload_with_threads(self):
        lines = [line for line in workloads() if "--threads=2" in line]
        self.assertGreater(len(lines), 3)
        for line in lines:
            self.silent(self.run_program(*line, "--quiet"))

    def test_consumers_of_readers(self):
        """Two threads classify, each fed by three readers."""
        self.good(self.run_program("outcore", "gen", "documents", "--files=60",
                                   "--output=" + self.path("stories"), "--quiet"))
        model = self.path("model")
        self.good(self.run_program("outcore", "ngram", "train", "--output=" + model,
                                   "made=" + self.path("stories"), np=1))
        self.silent(self.run_program("outcore", "ngram", "--model=" + model,
                                     self.path("stories"), "--threads=2",
                                     "--readers=3", "--slots=2", "--quiet"))

    def test_lanes_that_fail(self):
        """Two fail at once."""
        done = self.blocktransfer("512k", "--block-size=64k", "--threads=4",
                                  "--no-verify", "--iomethod=null:fail_every=3")
        self.failed(done, "fail_every")
        self.assertNotIn("ThreadSanitizer", done.err)

    def test_matrices(self):
        self.silent(self.madbench("64", "4", "--io-only", *THREADS))

    def test_the_watchdog(self):
        """It ends the process, from a thread of its own, while the call continues."""
        done = self.run_program("blocktransfer", "1M", "--quiet", "--io-timeout=2",
                                "--iomethod=null:delay_us=20000000", np=2)
        self.assertNotEqual(done.status, 0, done)
        self.assertNotIn("ThreadSanitizer", done.err)


class Load(Races, Loads):
    def test_d_threaded(self):
        args, ranks = SCHEMES["D_threaded"]
        self.loaded(*args, *self.survey(files=4), np=ranks[1])
        self.assertNotIn("ThreadSanitizer", self.done.err)


class Recorder(Races):
    def many_threads(self, binary):
        tsan = subprocess.check_output([os.environ.get("CC", "gcc"),
                                        "-print-file-name=libtsan.so"]).decode()
        preload = "%s %s/libiotrace.so" % (os.path.realpath(tsan.strip()), BUILD)
        done = subprocess.Popen([os.path.join(BUILD, "tests/iotrace/ends"), "threads"],
                                cwd=self.tmp, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env=dict(
                                    os.environ, LD_PRELOAD=preload,
                                    IOTRACE_BINARY=binary))
        try:
            said = done.communicate(timeout=60 * runner.SCALE)[0].decode()
        finally:
            done.kill()
        self.assertEqual((done.returncode, said.strip()), (0, "102000"))

    def test_binary(self):
        self.many_threads("true")

    def test_text(self):
        self.many_threads("false")


if __name__ == "__main__":
    main()
