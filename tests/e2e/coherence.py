#!/usr/bin/env python3
# limit: 600; tier: ci
"""Two hosts, each with its own mounts of a network file system. On the coherent one,
ranks read the right data from each other. On the other one they do not, by chance: then
the programs must report it. rank_shift.py and verification.py show in any case that
they would, with storage that loses writes."""
import os
import shutil

from e2e import BUILD, HAVE_SCALAPACK, TIMED_OUT, Case, add
from in_rig import in_rig, on_two_hosts

SAFE, DEFAULT = (os.environ.get("LEADLINE_" + name, "") for name in ("SAFE", "DEFAULT"))
TRIES = 6
SHIFTED = ("--rank-shift=2", "--quiet")  # to the other host

WORKLOADS = [  # name, program and its arguments
    ("io_mode_unique", "madbench", "256", "4", "--io-only", *SHIFTED),
    ("io_mode_shared", "madbench", "256", "4", "--io-only", "--filetype=SHARED",
     "--iomethod=MPI", *SHIFTED),
    ("blocks", "blocktransfer", "1M", "--block-size=64k", "--filetype=SHARED",
     "--layout=INTERLEAVED", *SHIFTED),
    ("jacobi", "ldad", "jacobi", "--rows=512", "--quiet"),
    ("fft", "ldad", "fft", "--quiet"),
    ("pfmload", "pfmload", "--scheme=G", "--output=o.pfm", "--quiet"),
]
if HAVE_SCALAPACK:
    WORKLOADS.append(("full_mode", "madbench", "256", "4", *SHIFTED))


class Coherence(Case):
    def input_of(self, program):
        if program != "pfmload":
            return []
        files = [self.path("line-%04d.gsf" % (i + 1)) for i in range(4)]
        if not os.path.exists(files[0]):
            done = self.run_program("gsfgen", "--files=4", "--pings=40", "--beams=61",
                                    "--quiet", np=0, json=False, dir=self.tmp)
            self.assertEqual(done.status, 0, done)
        return files

    def on(self, volume, program, *args):
        """Runs without dropping caches: the test is about their contents."""
        folder = os.path.join(volume, "run")
        os.mkdir(folder)
        done = self.run_program(program, *args, "--cache=keep",
                                *self.input_of(program), np=4, dir=folder,
                                launcher=on_two_hosts())
        shutil.rmtree(folder)
        return done

    def is_right(self, *line):
        done = self.on(SAFE, *line)
        self.assertEqual(done.status, 0, done)
        report = done.report
        self.assertIs(report["valid"], True)
        self.assertIn(report["files"][0]["stripe_about"],
                      ("GlusterFS: whole, on 1 brick",
                       "GlusterFS: files stand on 2 bricks, each by its name"))
        self.assertEqual(report["files"][0]["stack"][0]["reads"], "unknown")
        self.assertIsNone(report["checks"]["device_share"])
        self.assertGreater(report["checks"]["blocks_checked"], 0)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        self.assertEqual([(host["name"], host["ranks"]) for host in report["hosts"]],
                         [("node1", 2), ("node2", 2)])

    def test_doctor(self):
        """leadline doctor tells the two volumes apart."""
        found = {}
        for volume in SAFE, DEFAULT:
            done = self.run_program(os.path.join(BUILD, "leadline-doctor"), volume,
                                    np=4, dir=False, launcher=on_two_hosts())
            self.assertEqual(done.status, 0, done)
            self.assertEqual(done.report["nodes"], 2)
            found[volume] = {probe: one["answer"]
                             for probe, one in done.report["doctor"].items()}
            self.assertIn("fcntl", found[volume]["locks_nodes"])
        for probe, wanted in ("read_nodes", "strict"), ("directory_nodes", "at once"):
            self.assertEqual(found[SAFE][probe], wanted)
            self.assertNotEqual(found[DEFAULT][probe], wanted)

    def is_found_out(self, *line):
        """A run ends well with right data, or reports wrong data. MPI libraries may
        also meet stale data when they open files: then the run fails, or its time limit
        ends it."""
        otherwise = 0
        for _ in range(TRIES):
            done = self.on(DEFAULT, *line, "--io-timeout=10")
            self.assertNotEqual(done.status, TIMED_OUT, done)
            self.assertIs(done.report["valid"], done.status == 0)
            said = " ".join(text for text in done.err.splitlines()
                            if text.startswith(line[0]))
            self.assertEqual(said != "", done.status != 0, done)
            if "verification failed" in said:
                self.assertIn("the file system served stale data", said)
                return
            otherwise += done.status != 0
        self.skipTest("inconclusive: of %d runs, %d ended well, as all they read was "
                      "right, and the rest before they read anything wrong" %
                      (TRIES, TRIES - otherwise))

for name, *line in WORKLOADS:
    add(Coherence, "safe_" + name, "is_right", *line)
    add(Coherence, "default_" + name, "is_found_out", *line)

if __name__ == "__main__":
    in_rig("gluster")
