#!/usr/bin/env python3
# limit: 900; tier: quick ci
"""IOMODE=ASYNC: the same answers, bytes and checks as SYNC, with transfers in flight
while the program computes; overlap, and refusals."""
import itertools
import os
import struct
import sys

from e2e import (ASYNC_METHODS, ASYNCHRONOUS, BUILD, HAVE_SCALAPACK, Case, add, long,
                 main, samples, total)

ANSWER = {(64, 2): -8.982593033718e-01, (256, 4): -9.325234698007e-01}
NPIX, NBIN = 128, 4
PASS = 8 * NPIX * NPIX * NBIN
IO_MODE = (str(NPIX), str(NBIN), "--io-only")
PARTS = "t_io_s", "t_comp_s", "t_both_s", "overlap", "overlap_bound"
HIDDEN = "hidden", "hidden_most"

# Forbids io_uring_setup(2), number 425 everywhere, then runs its arguments.
WITHOUT_URING = [sys.executable, "-c", """
import ctypes, os, struct, sys
code = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 425,
                   0x06, 0, 0, 0x00050001, 0x06, 0, 0, 0x7fff0000)
filter = ctypes.create_string_buffer(code)
program = struct.pack("HP", 4, ctypes.addressof(filter))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
    sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
"""]


def figures(report):
    return {f["name"]: f for f in report["figures"]}


class Asynchronous(Case):
    LIMIT = 120

    def run_async(self, *args, **how):
        return self.madbench(*args, "--iomode=ASYNC", **how)

    # ---- the same as SYNC ----------------------------------------------------

    def answers(self, size, np, gangs, method, launcher, filetype):
        report = self.good(self.run_async(*map(str, size), str(gangs), *method,
                                          "--filetype=" + filetype, np=np,
                                          launcher=launcher))
        self.assertEqual(report["io"]["mode"], "async")
        self.assertLess(abs(report["results"]["dC"][0] / ANSWER[size] - 1), 1e-9)
        groups = size[1] // gangs
        self.assertEqual(report["checks"]["blocks_checked"],
                         np * (size[1] + groups * (groups + 1) // 2))

    def one_pass(self, np, gangs, method, launcher, filetype):
        report = self.good(self.run_async(*IO_MODE[:2], str(gangs), "--io-only",
                                          *method, "--filetype=" + filetype, np=np,
                                          launcher=launcher))
        for phase, act in (("S", "write"), ("W", "read"), ("W", "write"),
                           ("C", "read")):
            self.assertEqual(total(report, act, phase=phase), PASS, (phase, act))
            sample = samples(report, act, phase)[0]
            self.assertEqual(sum(n for _, n in sample["latency"]["hist"]),
                             sample["calls"])
            for part in "submit_mean_s", "wait_mean_s":
                self.assertLessEqual(sample[part], sample["mean_s"])
        self.assertEqual(report["checks"]["blocks_checked"],
                         np * NBIN + np * NBIN // gangs)

    def test_submitting_and_waiting_is_what_is_visible(self):
        report = self.good(self.run_async(*IO_MODE))
        for sample in samples(report, "read") + samples(report, "write"):
            parts = sample["submit_mean_s"] + sample["wait_mean_s"]
            self.assertLessEqual(parts, sample["mean_s"] + 1e-9)  # rounding
        self.assertTrue({"S.submit_s", "W.wait_s", "C.compute_s"} <=
                        set(figures(report)))

    def test_synchronous_runs_do_not_tell_them(self):
        report = self.good(self.madbench(*IO_MODE))
        self.assertIsNone(samples(report, "read")[0]["submit_mean_s"])
        self.assertNotIn("S.submit_s", figures(report))

    # ---- the engine ----------------------------------------------------------

    def chosen(self, method, engine, because="IOMODE=ASYNC", **how):
        io = self.good(self.run_async(*IO_MODE, "--iomethod=" + method, **how))["io"]
        self.assertEqual((io["engine"], io["mode"]), (engine, "async"))
        self.assertIn(because, io["chosen_because"])

    def test_threads_where_io_uring_is_forbidden(self):
        self.chosen("POSIX", "threads", "not uring: ", before=WITHOUT_URING)

    def test_named_engine_that_is_forbidden(self):
        if os.environ["HAVE_LIBURING"] != "yes":
            self.skipTest("built without liburing")
        done = self.run_async(*IO_MODE, "--iomethod=uring", before=WITHOUT_URING)
        self.one_sentence(done, "io_uring cannot be used", "threads")

    def test_write_back_is_told(self):
        io = self.good(self.run_async(*IO_MODE, "--iomethod=threads"))["io"]
        self.assertEqual(io["sync"], "transfer and phase")
        report = self.good(self.run_async(*IO_MODE, "--iomethod=MPI"))
        self.assertEqual(report["io"]["sync"], "phase")
        self.assertIn("write_back_at_end", [w["code"] for w in report["warnings"]])

    # ---- refusals ------------------------------------------------------------

    def refuses(self, args, *parts):
        self.refused(self.madbench(str(NPIX), str(NBIN), *args), *parts)

    # ---- memory --------------------------------------------------------------

    def allocations(self, nbin, *args):
        """Returns the number of memory allocations on each rank."""
        if os.environ["SANITIZERS"]:
            self.skipTest("sanitizers count allocations, too")
        shim = os.path.join(BUILD, "tests", "alloc_shim.so")
        done = self.madbench(str(NPIX), str(nbin), "--io-only", *args,
                             env={"PRELOAD": shim, "ALLOC_FILE": "allocations"})
        self.good(done)
        counts = []
        for name in os.listdir(done.folder):
            if name.startswith("allocations."):
                with open(os.path.join(done.folder, name), "rb") as f:
                    counts.append(struct.unpack("q", f.read())[0])
        self.assertEqual(len(counts), 2)
        return sorted(counts)

    def nothing_allocated(self, *args):
        """32 more bins make no further allocation, in any phase; the number in MPI's
        start-up varies from run to run, with Open MPI by up to 17."""
        few = self.allocations(8, *args)
        self.assertGreater(few[0], 100)  # the shim counts
        for a, b in zip(few, self.allocations(40, *args)):
            self.assertLess(abs(a - b), 24)

    # ---- overlap -------------------------------------------------------------

    def overlap(self, *args, np=2):
        report = self.good(self.run_async(*args, "--overlap", np=np))
        f = figures(report)
        for phase, name in itertools.product("SWC", PARTS + HIDDEN):
            self.assertIn("%s.%s" % (phase, name), f)
        for phase in "SWC":
            for io, comp, both, overlap, bound in zip(*(
                    f["%s.%s" % (phase, p)]["reps"] for p in PARTS)):
                self.assertAlmostEqual(overlap, (io + comp - both) / min(io, comp), 9)
                self.assertTrue(0 < bound < 1)
            for hidden, most in zip(*(f["%s.%s" % (phase, p)]["reps"] for p in HIDDEN)):
                self.assertLess(hidden, 1)
                self.assertTrue(0 <= most <= bound * (1 + 1e-9))  # it may be everything
            self.assertEqual(samples(report, "read", phase + "-comp"), [])
            self.assertEqual(samples(report, "write", phase + "-comp"), [])
            self.assertEqual(total(report, "read", phase=phase + "-io"),
                             total(report, "read", phase=phase))
            alone = samples(report, "compute", phase + "-comp")[0]["max_s"]
            self.assertLessEqual(alone, f[phase + ".t_comp_s"]["reps"][0])
        return report

    def test_overlap_in_io_mode(self):
        report = self.overlap(*IO_MODE, "--repeat=2")
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 2 * NBIN)
        self.assertEqual(figures(report)["S.overlap_bound"]["median"], 1 - 1 / NBIN)
        checks = [s["phase"] for s in samples(report, "check")
                  if s["phase"] in "SWC" and s["bytes"]]
        self.assertEqual(checks, [])  # nothing is checked where it is timed

    def test_overlap_in_full_mode(self):
        if not HAVE_SCALAPACK:
            self.skipTest("built without ScaLAPACK")
        report = self.overlap("64", "2")
        self.assertLess(abs(report["results"]["dC"][0] / ANSWER[64, 2] - 1), 1e-9)

    def test_overlap_without_verification(self):
        self.assertEqual(self.overlap(*IO_MODE, "--no-verify")["checks"]
                         ["blocks_checked"], 0)

    @long
    def test_poor_overlap_is_explained(self):
        """Requests sleep, and there is one flop to hide them behind: on any machine,
        the computation is far below the hundredth of the I/O that would be
        significant."""
        report = self.good(self.run_async(*IO_MODE, "--iomethod=null:delay_us=300000",
                                          "--bwexp=0.0001", "--no-verify", "--overlap"))
        codes = [w["code"] for w in report["warnings"]]
        for phase in "SWC":
            self.assertIn("poor_overlap_" + phase, codes)

    # ---- alpha sweep ---------------------------------------------------------

    def test_alpha_sweep(self):
        done = self.madbench(str(NPIX), str(NBIN), "--alpha-sweep=0.5:0.9:0.1")
        report = self.good(done)
        for name in ("compute_s", "sync_MBps", "alone_MBps", "async_MBps",
                     "concurrency", "hidden", "hidden_most"):
            at = [f["at"]["alpha"] for f in report["figures"] if f["name"] == name]
            self.assertEqual([round(a, 9) for a in at], [0.5, 0.6, 0.7, 0.8, 0.9])
        for mode in "-io", "-sync", "-async":
            for at in 0.5, 0.9:
                s = [s for s in report["samples"] if s["phase"] == "W" + mode and
                     s["act"] == "wall" and s["at"]["alpha"] == at]
                checked = at == 0.5 and mode != "-io"
                self.assertEqual(len(s), 1 + checked)  # the first is also checked
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 2 * 2 * NBIN)
        critical = figures(report)["alpha_critical"]["median"]
        told = "io_not_hidden" in [w["code"] for w in report["warnings"]]
        self.assertEqual(critical is None, told)
        self.assertEqual([s for s in report["samples"] if s["phase"].endswith("-io") and
                          s["act"] in ("read", "write") and not s["bytes"]], [])
        if critical is not None:
            self.assertTrue(0.5 <= critical <= 0.9)

    def test_alpha_sweep_prints_a_table(self):
        done = self.run_program("madbench", str(NPIX), str(NBIN), "--no-verify",
                                "--alpha-sweep=0.5:0.7:0.1")
        self.assertRegex(done.out, r"(?m)^alpha +compute_s +sync_MBps +alone_MBps +"
                                   "async_MBps +concurrency +hidden +hidden_most$")
        self.assertRegex(done.out, r"(?m)^0\.7000( +\S+){7}$")

    # ---- direct I/O ----------------------------------------------------------

    def test_shares_that_are_no_whole_blocks(self):
        """--cache=direct moves whole blocks; shares are padded in their slots."""
        done = self.run_async("100", "3", "--io-only", "--cache=direct", np=3)
        if "needs a device" in done.err or "no direct I/O" in done.err:
            self.skipTest("this file system does no direct I/O")
        report = self.good(done)
        for s in samples(report, "read") + samples(report, "write"):
            self.assertEqual(s["bytes"] % 4096, 0)
        self.assertGreater(total(report, "write", phase="S"), 8 * 100 * 100 * 3)
        self.assertEqual(report["checks"]["blocks_checked"], 2 * 3 * 3)


KINDS = list(itertools.product(ASYNC_METHODS, ("UNIQUE", "SHARED")))
for (name, method, launcher), type_ in KINDS:
    if HAVE_SCALAPACK:
        for size, np_, gangs in (((256, 4), 4, 1), ((256, 4), 2, 2), ((64, 2), 3, 1)):
            add(Asynchronous, "answer_%s_%s_np%d_%d_gangs" % (name, type_, np_, gangs),
                "answers", size, np_, gangs, method, launcher, type_)
    for np_, gangs in ((1, 1), (4, 2)):
        add(Asynchronous, "pass_%s_%s_np%d_%d_gangs" % (name, type_, np_, gangs),
            "one_pass", np_, gangs, method, launcher, type_)

add(Asynchronous, "posix_chooses", "chosen", "POSIX",
    "uring" if os.environ["HAVE_LIBURING"] == "yes" else "threads")
add(Asynchronous, "mpi_chooses", "chosen", "MPI", "mpiio-nb")
for spec in "threads:helpers=2", "threads:depth=2", "mpiio-nb:depth=1,piece=4k":
    add(Asynchronous, "named_is_taken_" + spec, "chosen", spec, spec)
for name in set(ASYNCHRONOUS) & {"uring", "libaio"}:
    add(Asynchronous, "named_is_taken_" + name, "chosen", name + ":depth=32,piece=4k",
        name + ":depth=32,piece=4k")

for i, (args_, parts_) in enumerate([
        (("--iomode=ASYNC", "--iomethod=mpiio"), ("mpiio is not", "mpiio-nb")),
        (("1", "64", "4096", "2", "1", "--iomode=ASYNC"), ("RMOD", "IOMODE=SYNC")),
        (("--overlap", "--io-only"), ("--overlap", "IOMODE=ASYNC")),
        (("--alpha-sweep=1:2",), ("A:B:STEP",)),
        (("--alpha-sweep=2:1:0.1",), ("A:B:STEP",)),
        (("--alpha-sweep=1:2:0",), ("A:B:STEP",)),
        (("--alpha-sweep=1:2:0.00001",), ("fewer than",)),
        (("--alpha-sweep=1:2:0.5", "--bwexp=1"), ("BWEXP",)),
        (("--alpha-sweep=1:2:0.5", "--iomode=NONE"), ("IOMODE=NONE",)),
        (("--alpha-sweep=1:2:0.5", "--keep"), ("--keep",))]):
    add(Asynchronous, "refusal_%d" % i, "refuses", args_, *parts_)

add(Asynchronous, "nothing_allocated_posix", "nothing_allocated")
for name in ASYNCHRONOUS:
    if name == "aio":  # glibc allocates for its threads, which come and go
        continue
    add(Asynchronous, "nothing_allocated_" + name, "nothing_allocated",
        "--iomode=ASYNC", "--iomethod=" + name)

if __name__ == "__main__":
    main()
