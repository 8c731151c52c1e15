#!/usr/bin/env python3
# limit: 240; tier: quick ci
"""pfmload's schemes D and D-threaded: the same PFM as of one process, a queue that
stays within its limit, and an end with one sentence if the disk is full or a file is
damaged."""
import os
import shutil
import subprocess
import tempfile

from e2e import BUILD, Case, add, fault, main, read_bytes

DATA = ("bin", "ndx", "cvg")
SMALL = ("--memory=1M", "--record-length=1")  # windows smaller than the blocks
SCHEMES = ("D", "D-threaded")


class SchemeD(Case):
    @classmethod
    def setUpClass(cls):
        cls.survey = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
        subprocess.run([os.path.join(BUILD, "gsfgen"), "--quiet", "--files=6",
                        "--pings=120", "--beams=121", "--dir=" + cls.survey],
                       check=True)
        cls.files = [os.path.join(cls.survey, name)
                     for name in sorted(os.listdir(cls.survey))]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.survey)

    def load(self, scheme, *options, np, files=None, env=None, **how):
        return self.run_program(
            "pfmload", "--quiet", "--scheme=" + scheme, "--output=x.pfm",
            "--bin-size=10", *options, *(files or self.files), np=np,
            env=dict(env or {}, SOURCE_DATE_EPOCH="1700000000"), **how)

    def loaded(self, scheme, *options, np):
        done = self.load(scheme, *options, np=np)
        self.good(done, files=("x.pfm", "x.pfm.data"))
        return done

    def content(self, done):
        found = {}
        for name in DATA:
            path = os.path.join(done.dir, "x.pfm.data", "x.pfm." + name)
            if os.path.exists(path):
                found[name] = read_bytes(path)
        return found

    def same_as_serial(self, scheme, np, *options):
        serial = self.loaded("serial", "--canonical", *options, np=0)
        ours = self.loaded(scheme, "--canonical", *options, np=np)
        expected, found = self.content(serial), self.content(ours)
        self.assertEqual(sorted(found), sorted(expected))
        for name in expected:
            self.assertTrue(found[name] == expected[name], "%s differs" % name)

    def verified(self, scheme, np):
        """Checks soundings in the order of arrival: all chains, and all bins'
        summaries."""
        done = self.loaded(scheme, np=np)
        looked = subprocess.run([os.path.join(BUILD, "pfminfo"), "--verify",
                                 os.path.join(done.dir, "x.pfm")],
                                stdout=subprocess.DEVNULL)
        self.assertEqual(looked.returncode, 0)

    def queue(self, np, limit):
        done = self.loaded("D-threaded", "--queue-limit=%d" % limit, *SMALL, np=np)
        figures = {f["name"]: f["reps"] for f in done.report["figures"]}
        peak, = figures["queue_peak"]
        self.assertGreaterEqual(peak, 1)
        if limit:
            self.assertLessEqual(peak, limit)
        self.assertEqual(figures["queue_peak_bytes"], [peak * 262144])

    def test_two_lanes(self):
        """The second lane writes, with the latency of each transfer; its parts add up
        to its time, and other phases have one lane."""
        report = self.loaded("D-threaded", *SMALL, np=4).report
        load = {s["act"]: s for s in report["samples"] if s["phase"] == "load"}
        self.assertEqual(report["mpi"]["lanes"], 2)
        self.assertLess(report["checks"]["split_error"], 1e-6)
        write, idle = load["write"], load["idle"]
        self.assertEqual((write["max_rank"], write["max_lane"]), (0, 1))
        self.assertEqual(sum(n for _, n in write["latency"]["hist"]), write["calls"])
        self.assertGreater(write["calls"], 1)
        self.assertGreater(write["max_s"], 0)
        self.assertLessEqual(write["latency"]["max_s"], write["max_s"])
        self.assertGreater(idle["max_s"], 0)

    def test_limit_below_slaves(self):
        self.refused(self.load("D-threaded", "--queue-limit=1", np=4),
                     "--queue-limit=1", "2 slaves")

    def test_mpi_io_is_for_one_thread(self):
        self.refused(self.load("D-threaded", "--iomethod=MPI", np=3), "IOMETHOD=MPI")

    def disk_full(self, scheme, np, k, *options):
        done = self.load(scheme, *SMALL, *options, np=np,
                         env=fault("write:ENOSPC:%d+" % k, rank=0, file=".ndx"))
        self.failed(done, "No space left", rank=0, file="x.pfm.ndx")

    def damaged(self, scheme, np):
        short = self.path("short.gsf")
        with open(self.files[2], "rb") as whole, open(short, "wb") as f:
            f.write(whole.read()[:-1000])
        files = self.files[:2] + [short] + self.files[3:]
        # With bounds and depths no scan finds it before.
        done = self.load(scheme, "--bounds=-88.1,29.9,-87.8,30.1", "--depths=0,300",
                         np=np, files=files)
        self.failed(done, file="short.gsf")


for name in SCHEMES:
    word = name.replace("-", "_")
    add(SchemeD, word + "_is_as_serial", "same_as_serial", name, 3)
    add(SchemeD, word + "_is_as_serial_in_little_memory", "same_as_serial", name, 4,
        *SMALL)
    add(SchemeD, word + "_is_verified", "verified", name, 4)
    add(SchemeD, word + "_damaged_file", "damaged", name, 4)
    add(SchemeD, word + "_disk_full", "disk_full", name, 4, 2)
add(SchemeD, "version_6_40_is_as_serial", "same_as_serial", "D-threaded", 3,
    "--pfm-version=6.40")
add(SchemeD, "disk_full_with_a_queue_of_one", "disk_full", "D-threaded", 3, 1,
    "--queue-limit=1")
add(SchemeD, "queue_of_two", "queue", 4, 2)
add(SchemeD, "queue_without_limit", "queue", 4, 0)

if __name__ == "__main__":
    main()
