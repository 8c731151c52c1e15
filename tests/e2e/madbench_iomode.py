#!/usr/bin/env python3
# limit: 600
"""I/O mode: moved, checked and reported data are those requested."""
import csv
import glob
import os
import pty
import re
import shutil
import signal
import unittest

from e2e import HAVE_SCALAPACK, HDF5, METHODS, Case, add, main, samples, total

NPIX, NBIN = 128, 4
PASS = 8 * NPIX * NPIX * NBIN
SIZE = (str(NPIX), str(NBIN))


class IoMode(Case):
    LIMIT = 90

    def run_it(self, *args, **how):
        return self.good(self.madbench(*SIZE, "--io-only", *args, **how))

    # ---- amounts moved and checked ---------------------------------------------

    def one_pass(self, np, gangs, method, launcher, filetype):
        report = self.good(self.madbench(*SIZE, str(gangs), "--io-only", *method,
                                         "--filetype=" + filetype, np=np,
                                         launcher=launcher))
        for phase, act in (("S", "write"), ("W", "read"), ("W", "write"),
                           ("C", "read")):
            self.assertEqual(total(report, act, phase=phase), PASS, (phase, act))
        self.assertEqual(samples(report, "read", phase="S"), [])
        self.assertEqual(total(report, "read", "calls", phase="W"), np * NBIN)
        self.assertEqual(total(report, "read", "calls", phase="C"), np * NBIN // gangs)
        self.assertEqual(report["checks"]["blocks_checked"],
                         np * NBIN + np * NBIN // gangs)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        self.assertEqual(report["mpi"]["ranks"], np)

    def test_activities_add_up(self):
        for rep in range(1, 3):
            report = self.run_it("--repeat=2", np=2)
            for phase in "SWC":
                wall = samples(report, "wall", phase, rep)
                parts = [s["mean_s"] for s in report["samples"] if s["rep"] == rep
                         and s["phase"] == phase and s["act"] != "wall"]
                self.assertEqual(len(wall), 1)
                self.assertLess(abs(sum(parts) / wall[0]["mean_s"] - 1), 0.01)
                # In milliseconds; a phase may take less than one.
                self.assertLessEqual(wall[0]["start_utc"], wall[0]["end_utc"])
            self.assertLess(report["checks"]["split_error"], 0.01)

    def test_rate_is_bytes_over_the_slowest_ranks_seconds(self):
        report = self.run_it(np=3)
        for figure in report["figures"]:
            if figure["name"] == "C.read_MBps":
                slowest = samples(report, "read", "C")[0]["max_s"]
                self.assertAlmostEqual(figure["median"], PASS / slowest / 1e6, places=3)
                return
        self.fail("no figure C.read_MBps")

    def test_latencies_are_ordered(self):
        for s in samples(self.run_it(), "read"):
            at = [s["latency"][k]
                  for k in ("p50_s", "p90_s", "p95_s", "p99_s", "max_s")]
            at = [x for x in at if x is not None]  # too few calls for a percentile
            self.assertGreaterEqual(len(at), 2)
            self.assertEqual(at, sorted(at))
            self.assertEqual(sum(n for _, n in s["latency"]["hist"]), s["calls"])
            self.assertLessEqual(s["min_s"], s["mean_s"])
            self.assertLessEqual(s["mean_s"], s["max_s"])

    # ---- options ----------------------------------------------------------------

    def test_keep(self):
        done = self.madbench(*SIZE, "--io-only", "--keep", "--filetype=SHARED", np=2)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(len(done.files), 1)
        path = os.path.join(done.dir, done.files[0])
        self.assertIn(done.report["run"]["id"], path)
        self.assertEqual(os.path.getsize(path), PASS)

    def test_keep_unique_files_with_padding(self):
        done = self.madbench(*SIZE, "1", "64", "12288", "--io-only", "--keep", np=2)
        self.assertEqual(done.status, 0, done)
        self.assertEqual(len(done.files), 2)
        share = 8 * NPIX * NPIX // 2
        slot = -(-share // 12288) * 12288
        for path in glob.glob(os.path.join(done.dir, "*")):
            self.assertEqual(os.path.getsize(path), slot * (NBIN - 1) + share)

    def test_no_verify(self):
        checks = self.run_it("--no-verify")["checks"]
        self.assertEqual((checks["blocks_checked"], checks["blocks_bad"]), (0, 0))

    def test_iomode_none_does_no_io(self):
        report = self.run_it("--iomode=NONE")
        self.assertEqual(samples(report, "read") + samples(report, "write"), [])
        self.assertEqual(report["io"]["mode"], "none")
        self.assertEqual(report["checks"]["blocks_checked"], 0)

    def test_bwexp_sets_io_mode(self):
        report = self.good(self.madbench(*SIZE, "--bwexp=0.5"))
        self.assertNotIn("dC", report["results"])
        self.assertEqual(report["options"]["bwexp"]["value"], 0.5)

    def test_bwexp_of_zero_and_below(self):
        """Both match the original: no operations for 0, and those of the algorithm."""
        for value, flops in (("0", 0), ("0.0", 0), ("-1", 2 * NPIX ** 2 + NPIX ** 3),
                             ("-0.5", 2 * NPIX ** 2 + NPIX ** 3)):
            report = self.good(self.madbench(*SIZE, env={"BWEXP": value}))
            self.assertNotIn("dC", report["results"])
            self.assertEqual(report["results"]["busy_flops"], [NBIN * flops])
        self.good(self.madbench(*SIZE, "--bwexp", "-1"))

    def test_environment_is_the_option(self):
        env = {"IOMETHOD": "mpi", "FILETYPE": "shared", "BWEXP": "0.5"}
        options = self.good(self.madbench(*SIZE, env=env))["options"]
        for name, value in (("iomethod", "mpi"), ("filetype", "SHARED"),
                            ("bwexp", 0.5)):
            self.assertEqual(options[name]["value"], value)
            self.assertEqual(options[name]["from"], "environment")
        done = self.good(self.madbench(*SIZE, "--filetype=UNIQUE", env=env))
        self.assertEqual(done["options"]["filetype"]["from"], "command line")
        self.assertEqual(done["files"][0]["kind"], "unique")

    def test_interval_from_six_repetitions_on(self):
        for n in (5, 6):
            for figure in self.run_it("--repeat=%d" % n)["figures"]:
                self.assertEqual(len(figure["reps"]), n)
                # percentiles of few calls are not known
                known = figure["median"] is not None
                self.assertEqual(figure["ci95"] is not None, known and n == 6, figure)

    def test_label_and_series(self):
        run = self.run_it("--label=two words", "--series=s1,posix-unique,3")["run"]
        self.assertEqual(run["label"], "two words")
        self.assertEqual(run["series"], {"id": "s1", "config": "posix-unique",
                                         "round": 3})

    def test_cache_keep_warns(self):
        """Data just written are read from memory, and the report says so."""
        report = self.run_it("--cache=keep")
        self.assertGreater(report["checks"]["resident_share"], 0.9)
        self.assertTrue({"served_from_memory", "file_system_in_memory"} &
                        {w["code"] for w in report["warnings"]})

    def test_hints(self):
        report = self.run_it("--iomethod=MPI", "--hint=cb_buffer_size=1048576")
        self.assertEqual(report["io"]["hints_asked"], {"cb_buffer_size": "1048576"})
        self.assertEqual(report["io"]["hints_in_effect"]["cb_buffer_size"], "1048576")

    # ---- MADbench2's order ---------------------------------------------------------

    def order(self, np, bins, gangs, *mode):
        """Returns each rank's transfers in its own file in their order: w0 is a write
        at the place of bin 0."""
        log, slot = self.path("log"), 8 * 64 * 64 // np
        done = self.madbench("64", str(bins), str(gangs), "8", "512", *mode, np=np,
                             inside=("strace", "-f", "-ff", "-qq", "-y", "-e",
                                     "trace=pread64,pwrite64", "-o", log))
        if done.status and "ptrace" in done.err:
            self.skipTest("strace does not run here: %s" % done.err[-200:])
        self.good(done)
        orders = []
        for path in glob.glob(log + ".*"):
            with open(path, encoding="utf-8", errors="replace") as f:
                calls = re.findall(
                    r"p(read|write)64\(\d+</[^>]*matrices[^>]*>.*, (\d+)\) = (\d+)",
                    f.read())
            os.unlink(path)
            orders += [" ".join("%s%d" % (kind[0], int(at) // slot)
                                for kind, at, _ in calls)] if calls else []
        self.assertEqual(len(orders), np)
        return orders

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_order_is_madbench2s(self):
        """The order is that of its loops: W reads a bin ahead, several gangs a group
        ahead; C reads each matrix once in I/O mode, and in full mode all from the outer
        on."""
        one = "w0 w1 w2 w3 r0 r1 w0 r2 w1 r3 w2 w3 "
        two = "w0 w1 w2 w3 r0 r1 r2 r3 w0 w2 "
        cases = [(1, 1, one + "r0 r1 r2 r3", ("--io-only",)),
                 (2, 2, two + "r0 r2", ("--io-only",))]
        if HAVE_SCALAPACK:
            cases += [(1, 1, one + "r0 r1 r2 r3 r1 r2 r3 r2 r3 r3", ()),
                      (2, 2, two + "r0 r2 r2", ())]
        for np, gangs, expected, mode in cases:
            self.assertEqual(self.order(np, 4, gangs, *mode), [expected] * np)

    # ---- MADbench2's lines -------------------------------------------------------

    ROW = r"([SDWC])_(cc|bw|r|w|total) {0,4} +(\d+\.\d\d)   \[ *(\S+): *(\S+)\]"

    def original(self, *args, np=2, **how):
        """Returns (header, {phase: {line: (mean, least, most)}}, the rest)."""
        done = self.run_program("madbench", *args, "--format=madbench2", np=np, **how)
        report = self.good(done)
        blank, name, sizes, names, blank2, *lines = done.out.split("\n")
        self.assertEqual((blank, blank2), ("", ""))
        phases, rule = {}, False
        while lines and re.match("[SDWC]_| +-------$", lines[0]):
            line = lines.pop(0)
            if line.startswith(" "):
                self.assertEqual(line, " " * 10 + "-------")
                rule = True
                continue
            phase, what, *seconds = re.fullmatch(self.ROW, line).groups()
            self.assertEqual(len(line), 43, line)
            phases.setdefault(phase, {})[what] = tuple(map(float, seconds))
            self.assertEqual(rule, what == "total")
            if what == "total":
                self.assertEqual(lines.pop(0), "")
                rule = False
        return (name, sizes, names), phases, lines, report

    def like_the_report(self, phases, report):
        for phase, rows in phases.items():
            def seconds(act, of="mean_s"):
                return sum(s[of] for s in samples(report, act, phase))
            for what, told in (("r", seconds("read")),
                               ("w", seconds("write") + seconds("sync")),
                               ("total", seconds("wall"))):
                self.assertAlmostEqual(rows.get(what, [0])[0], told, delta=0.0051)
            parts = sum(rows[what][0] for what in rows if what != "total")
            self.assertAlmostEqual(parts, rows["total"][0], delta=0.021)
            for mean, least, most in rows.values():
                self.assertTrue(least - 0.01 <= mean <= most + 0.01, rows)

    def test_lines_of_the_io_mode(self):
        head, phases, rest, report = self.original(*SIZE, "--bwexp=1.2")
        self.assertEqual(head, (
            "MADbench 2.0 IO-mode",
            "no_pe = 2  no_pix = 128  no_bin = 4  no_gang = 1  sblocksize = 64  "
            "fblocksize = 4096  r_mod = 1  w_mod = 1",
            "IOMETHOD = POSIX  IOMODE = SYNC  FILETYPE = UNIQUE  REMAP = CUSTOM  "
            "BWEXP = 1.20"))
        self.assertEqual({p: list(rows) for p, rows in phases.items()},
                         {"S": ["cc", "bw", "w", "total"],
                          "W": ["cc", "bw", "r", "w", "total"],
                          "C": ["cc", "bw", "r", "total"]})
        self.assertEqual(rest, ["", "dC[0] = 0.00000e+00", ""])
        self.like_the_report(phases, report)

    def test_no_line_where_there_is_nothing(self):
        head, phases, _, _ = self.original(*SIZE, env={"BWEXP": "0", "IOMODE": "NONE",
                                                       "FILETYPE": "shared"})
        self.assertTrue(head[2].endswith("FILETYPE = SHARED  REMAP = CUSTOM  "
                                         "BWEXP = 0.00"))
        self.assertEqual([list(rows) for rows in phases.values()],
                         [["cc", "total"]] * 3)
        head = self.original(*SIZE, env={"BWEXP": "-1"})[0]
        self.assertTrue(head[2].endswith("REMAP = CUSTOM"))

    def test_lines_of_slow_transfers(self):
        _, phases, _, report = self.original(
            *SIZE, "--io-only", "--no-verify", "--iomethod=null:delay_us=20000", np=1)
        self.like_the_report(phases, report)
        self.assertGreater(phases["W"]["r"][0], 0.07)
        self.assertGreater(phases["S"]["w"][0], 0.07)

    def test_lines_of_the_full_mode(self):
        if not HAVE_SCALAPACK:
            self.skipTest("built without ScaLAPACK")
        head, phases, rest, report = self.original("64", "2")
        self.assertEqual(head[0], "MADbench 2.0")
        self.assertEqual(list(phases), list("SDWC"))
        self.assertEqual(rest, ["", "dC[0] = -8.98259e-01", ""])
        self.like_the_report(phases, report)

    # ---- sinks -------------------------------------------------------------------

    def test_csv_has_the_same_samples(self):
        done = self.madbench(*SIZE, "--io-only", "--csv=out.csv")
        report = self.good(done)
        with open(os.path.join(done.folder, "out.csv"), encoding="utf-8",
                  newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(len(rows), len(report["samples"]))
        for row, sample in zip(rows, report["samples"]):
            self.assertEqual((row["phase"], row["act"]),
                             (sample["phase"], sample["act"]))
            self.assertEqual(int(row["bytes"]), sample["bytes"])

    def test_text_says_what_was_used(self):
        done = self.run_program("madbench", *SIZE, "--io-only", np=2)
        self.good(done)
        for part in ("madbench ", "grid      1 x 2,", "engine    posix",
                     "cache     flush", "verified  16 blocks, 0 wrong", "C.read_MBps"):
            self.assertIn(part, done.out)

    def watched(self, *args):
        """Returns stderr as a person at a terminal sees it."""
        ours, theirs = pty.openpty()
        done = self.start("madbench", "256", "4", "--bwexp=1.5", *args, np=2,
                          stderr=theirs)
        os.close(theirs)
        seen = b""
        try:
            while True:
                more = os.read(ours, 4096)
                seen += more
                if not more:
                    break
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.good(done.wait(60))
        return seen.decode()

    def test_progress_is_for_a_terminal(self):
        self.assertRegex(self.watched(),
                         r"phase [SWC] +rep 1/1 .* % +\d\d:\d\d:\d\d left")
        self.assertNotIn("left", self.watched("--quiet"))
        done = self.run_program("madbench", "256", "4", "--bwexp=1.5", np=2)
        self.good(done)
        self.assertNotIn("left", done.err)

    def test_killed_run_leaves_an_invalid_report(self):
        done = self.start("madbench", "512", "64", "--bwexp=1.6", "--quiet", np=2)
        self.until(lambda: done.files, "its files are there")
        self.assertIs(done.report["valid"], False)
        done.signal(signal.SIGKILL)
        done.wait(30)
        self.assertNotEqual(done.status, 0)
        self.assertEqual(done.report["why"], "did not finish")


for at, (name_, method_, launcher_) in enumerate(METHODS + HDF5):
    for type_ in ("UNIQUE", "SHARED"):
        np_, gangs_ = ((1, 1), (4, 2), (3, 1))[at % 3]
        add(IoMode, "one_pass_%s_%s_np%d" % (name_, type_, np_), "one_pass", np_,
            gangs_, method_, launcher_, type_)

if __name__ == "__main__":
    main()
