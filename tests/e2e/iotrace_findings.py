#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""iotrace findings: for programs with one disease each it names that disease, the file
and the ranks, and nothing else; for healthy programs it names none. The table of them
is in doc/findings.md; the programs are tests/iotrace/diseases.c and diseases_hdf5.c."""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from e2e import BUILD, FLAVOUR, TESTS, Case, add, long, main, write_file
from fake_log import EPOCH, Log, MPI, PLACE

S, MS = 10 ** 9, 10 ** 6
RECORDER = os.path.join(BUILD, "libiotrace.so")
IOTRACE = os.path.join(BUILD, "iotrace")
DISEASES = os.path.join(BUILD, "tests", "iotrace", "diseases")
DISEASES_HDF5 = DISEASES + "_hdf5"
SOURCES = os.path.dirname(TESTS)
TABLE = os.path.join(SOURCES, "doc", "findings.md")
RANKS = 4
LATER = ("switches one-way async eight h5meta h5together h5fill h5data race in-turn "
         "stale reopen short goes-on copies rename durable direct direct-last").split()


def table():
    """Returns program -> (options, {MPI: finding or none}, file, ranks), as
    documented."""
    rows = {}
    with open(TABLE) as f:
        for line in f:
            cells = [c.strip().strip("`") for c in line.strip().strip("|").split("|")]
            if len(cells) == 7 and line.startswith("| `"):
                rows[cells[0]] = (cells[2].split(), {"mpich": cells[3],
                                  "openmpi": cells[4]}, cells[5], cells[6])
    return rows


def direct_is_strict(folder):
    """Returns True if O_DIRECT is strict: some file systems lack it, and in memory it
    accepts anything."""
    try:
        fd = os.open(os.path.join(folder, "direct"), os.O_CREAT | os.O_WRONLY
                     | os.O_DIRECT)
    except OSError:
        return False
    try:
        os.write(fd, b"x")
        return False
    except OSError:
        return True
    finally:
        os.close(fd)


class Findings(Case):
    def traced(self, program, *args, np=RANKS, **how):
        done = self.run_program(program, *args, np=np, json=False, dir=False,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true",
                                     "IOTRACE_HDF5": "1"},
                                **how)
        self.assertEqual(done.status, 0, done)
        run = os.path.join(done.folder, "run")
        os.mkdir(run)
        for log in glob.glob(os.path.join(done.folder, "*.bin")):
            shutil.move(log, run)
        return run

    def found(self, run, *options):
        text = subprocess.check_output((IOTRACE, "findings", "--floor=0", "--json=-")
                                       + options + (run,))
        return json.loads(text.decode())

    def run_disease(self, name):
        args = [DISEASES_HDF5 if name.startswith("h5") else DISEASES, name]
        if not os.path.exists(args[0]):
            self.skipTest("built without HDF5")
        if name.startswith("direct") and not direct_is_strict(self.tmp):
            self.skipTest("O_DIRECT takes anything here, or is not there")
        if name == "readall":
            args.append(self.path("d.input"))
            write_file(args[-1], bytes(32 << 20))
        return self.traced(*args)

    def disease(self, name):
        options, expected, file, ranks = table()[name]
        run = self.run_disease(name)
        found = self.found(run, *options)
        wanted = expected["openmpi" if FLAVOUR.startswith("open") else "mpich"]
        # They do little else than small writes of metadata, so that these may be more
        # than 5 % of the run.
        passed = ("unexplained",) if name in ("h5meta", "h5together") else ()
        got = [(f["id"], os.path.basename(f["file"]), f["ranks_text"])
               for f in found["findings"] + found["risks"] if f["id"] not in passed]
        self.assertEqual(got, [(wanted, file, ranks)] if wanted != "none" else [])
        for finding in found["findings"]:
            self.evidence(run, found, finding)
            self.cost(finding)
        for risk in found["risks"]:
            self.evidence(run, found, risk)

    def evidence(self, run, found, finding):
        """Its statements about events and time are true."""
        with_calls = subprocess.check_output((IOTRACE, "dump", run)).decode("latin-1")
        lines = with_calls.splitlines()[1:]
        self.assertEqual(len(lines), found["events"])
        for number in finding["events"]:
            cells = lines[number].split("\t")
            self.assertEqual(int(cells[5]), number)
            if finding["file_count"] == 1:
                self.assertTrue(finding["files"][0].endswith(cells[3]), cells)
        self.assertLessEqual(finding["first_s"], finding["last_s"])
        self.assertTrue(finding["sentence"] and finding["remedy"])

    def cost(self, finding):
        self.assertGreaterEqual(finding["at_stake_s"], finding["gain_s"] or 0)
        self.assertTrue(all(self.holds(c) for c in finding["condition"]),
                        finding["condition"])

    def holds(self, c):
        low, high = c["value"] < c["limit"], c["value"] > c["limit"]
        return {">=": not low, ">": high, "<": low, "<=": not high}[c["relation"]]

    def listed(self):
        text = subprocess.check_output((IOTRACE, "findings", "--list=json"))
        return json.loads(text.decode())["findings"]

    def test_lists_in_the_documents(self):
        done = subprocess.run((sys.executable, os.path.join(SOURCES, "build-aux",
                                                            "findings"),
                               "--check", IOTRACE, SOURCES), stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_list(self):
        """Each finding has a judge: it is found, not found or not judged. Conditions
        have their limits in words."""
        run = self.run_disease("small")
        found = self.found(run)
        judged = (found["not_found"] + [x["id"] for x in found["not_judged"]]
                  + [x["id"] for x in found["findings"] + found["risks"]])
        text = subprocess.check_output((IOTRACE, "findings", "--list")).decode()
        for row in self.listed():
            self.assertIn(row["id"], judged)
            self.assertTrue(row["title"] and row["remedy"] and row["condition"], row)
            self.assertNotIn("{", row["condition"])
            self.assertTrue(any(line.split()[:1] == [row["id"]] and
                                line.endswith(" " + row["condition"])
                                for line in text.splitlines()), row)
        for finding in found["findings"]:
            row, = [x for x in self.listed() if x["id"] == finding["id"]]
            self.assertEqual((finding["title"], finding["remedy"]),
                             (row["title"], row["remedy"]))
            limits = {(x["what"], x["relation"], x["limit"], x["unit"])
                      for x in row["limits"]}
            follow = finding["condition"][1]
            self.assertIn((follow["what"], follow["relation"], follow["limit"],
                           follow["unit"]), limits)

    def test_classes_are_the_time_in_calls(self):
        """All time of calls in scope is in one class."""
        found = self.found(self.run_disease("collective"))
        for rank in found["ranks"]:
            self.assertAlmostEqual(sum(rank["classes"].values()), rank["io_s"], 8)

    def look(self, run):
        said = subprocess.run((IOTRACE, "summary", run), check=True,
                              stdout=subprocess.PIPE, universal_newlines=True)
        lines = said.stdout.splitlines()
        self.assertTrue(5 < len(lines) <= 40, len(lines))
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertTrue(lines[0].startswith("verdict"), lines[0])
        return lines

    def test_summary(self):
        """The first look fits on a terminal, most important first; --all has the
        rest."""
        run = self.run_disease("small")
        lines = self.look(run)
        # If other work takes the processor, it may cost less than is shown.
        self.assertTrue("small-sequential" in lines[4] or
                        any("0.5 %" in s for s in lines[:5]),
                        lines)
        self.assertTrue(any(s.startswith("left out") for s in lines))
        part, whole = self.found(run), self.found(run, "--all")
        self.assertEqual(whole["folded"], [])
        for key in ("calls", "bytes", "seconds"):
            shown = sum(row[key] for row in part["classes"] + part["folded"])
            self.assertAlmostEqual(shown, sum(row[key] for row in whole["classes"]), 9)

    def many(self, ranks, files, times):
        """It has everything that a first look can have, and more."""
        run, groups = tempfile.mkdtemp(dir=self.tmp), 50 if times == 1 else 8
        for rank in range(ranks):
            log = Log(pid=1000 + rank, rank=rank, ranks=ranks + 1, end=EPOCH + S)
            log.dropped = times == 1
            now = EPOCH + 10 ** 6
            for i in range(files // ranks):
                letters = "".join(chr(97 + int(c)) for c in str(i % groups))
                name = log.name("/data/%s.%d.%d" % (letters, rank, i), 3)
                for k, op in enumerate(times * ("open", "lseek", "pwrite", "pread",
                                                "fsync", "lseek", "pwrite", "close")):
                    log.add(op, now, 10 ** 4, name=name, offset=k * 100,
                            result=-28 if k == 7 else 100)
                    now += 2 * 10 ** 4
            log.write(os.path.join(run, "%d.bin" % rank))
        return run

    def test_summary_of_many(self):
        for ranks, files, times in ((1, 100, 40), (4, 400, 40), (64, 10000, 1)):
            lines = self.look(self.many(ranks, files, times))
            for words in ("unseen", "unjudged", "risk", "more:"):
                self.assertTrue(any(s.startswith(words) for s in lines), lines)
            seen = [s for s in lines if s.startswith(("high", "medium", "low"))]
            self.assertEqual(len(seen), 6 if times > 1 else 0, lines)
            self.assertEqual(any(s.startswith("note") for s in lines), times == 1)

    def test_options(self):
        run = self.run_disease("small")
        self.assertEqual(self.found(run, "--only=reread")["findings"], [])
        self.assertEqual(self.found(run, "--file=*d.own.2")["findings"][0]["ranks"],
                         [2])
        self.assertEqual(self.found(run, "--rank=1")["findings"][0]["ranks"], [1])
        wrong = subprocess.run((IOTRACE, "findings", "--only=nothing", run),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(wrong.returncode, 2)
        self.assertEqual(len(wrong.stderr.splitlines()), 1)

    def of_log(self, log, *options):
        run = tempfile.mkdtemp(dir=self.tmp)
        log.write(os.path.join(run, "a.bin"))
        return self.found(run, *options)

    def test_relative_and_absolute_name_are_one_file(self):
        """open has the program's name for it, a transfer that of the descriptor."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S)
        names = [log.name("./d/x", 3), log.name("d/x", 3), log.name("/cwd/d/x", 3)]
        for i in range(60):
            log.add("open", EPOCH + i * 1000, 100, name=names[i % 2])
            log.add("pwrite", EPOCH + i * 1000 + 200, 100, name=names[2],
                    offset=i << 20, result=1 << 20)
            log.add("close", EPOCH + i * 1000 + 400, 100, name=names[2])
        found = self.of_log(log)
        self.assertEqual([f["name"] for f in found["files"]], ["/cwd/d/x"])
        self.assertEqual([(f["id"], f["file"]) for f in found["findings"]],
                         [("open-per-transfer", "/cwd/d/x")])

    def many_calls(self, op, n, ns, result=0, flags=0, request=0, buffer=0, name=1):
        """Returns the findings of a rank that makes n calls of so many ns in 1 s."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S)
        file = log.name("/d/x", 3)
        log.add("open", EPOCH, 1000, name=file, request=flags, result=3)
        log.add("setvbuf", EPOCH + 1000, 100, name=file, request=buffer)
        for i in range(n):
            log.add(op, EPOCH + 2000 + i * (ns + 100), ns, name=name, result=result,
                    request=request, flags=1 if op == "fprintf" else 0)
        return self.of_log(log)

    def test_calls_that_are_too_many(self):
        """Findings about calls of one name: by their share of the time, and only if
        they are many."""
        for op, id, more in (("chmod", "metadata-calls", {}),
                             ("readdir", "listing", {}),
                             ("ftruncate", "truncate", {}),
                             ("sync", "sync-all", {"name": 0}),
                             ("write", "sync-per-write", {"flags": 0o4010001,
                                                          "result": 512}),
                             ("fprintf", "unbuffered-stream", {"buffer": 1,
                                                               "result": 7}),
                             ("MPI_File_write_shared", "shared-pointer",
                              {"result": 100})):
            for n, ns, found in ((100, 10 ** 6, [id]), (100, 10 ** 5, []),
                                 (15, 2 * 10 ** 6, [])):
                self.assertEqual([x["id"] for x in self.many_calls(
                    op, n, ns, **more)["findings"]], found, (op, n, ns))
            one, = self.many_calls(op, 100, 10 ** 6, **more)["findings"]
            self.assertEqual((one["calls"], one["sentence"]), (
                100, "100 calls, most of them %s, 1.00 ms each" % op))
            self.assertAlmostEqual(one["share_of_wall"], 0.099, 3)

    def test_files_that_do_not_exist_are_none(self):
        """They are one finding for all ranks, and not many small files."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(4):
            log = Log(pid=1000 + rank, rank=rank, ranks=4, end=EPOCH + S)
            for i in range(1200):
                log.add("stat", EPOCH + i * 10 ** 5, 5 * 10 ** 4, result=-2,
                        name=log.name("/d/%d/mod%d.py" % (i % 7, i)))
            log.write(os.path.join(run, "%d.bin" % rank))
        one, = self.found(run)["findings"]
        self.assertEqual((one["id"], one["ranks"], one["calls"]),
                         ("repeated-stat", [0, 1, 2, 3], 4800))

    def throttled(self, large_ns=None):
        """Makes 2,000 small writes of which each 20th waits, and four large ones."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + 6 * S)
        name, now = log.name("/d/x", 3), EPOCH
        for i in range(2000):
            ns = 40 * MS if i % 20 == 19 else 10 ** 5
            log.add("pwrite", now, ns, name=name, offset=i << 12, result=1 << 12)
            now += ns
        for i in range(4 if large_ns else 0):
            log.add("pwrite", now, large_ns, name=name, offset=(8 + i) << 20,
                    result=1 << 20)
            now += large_ns
        one, = [x for x in self.of_log(log)["findings"]
                if x["id"] == "small-sequential"]
        return one

    def test_gain_where_the_device_waits(self):
        """Merged writes save the waits of a device that limits operations. Large writes
        tell: they are fast there, and slow if it limits bytes."""
        either = self.throttled()
        self.assertAlmostEqual(either["at_stake_s"], 4.19, 2)
        self.assertAlmostEqual(either["gain_s"], 0.2, 1)
        self.assertAlmostEqual(either["gain_most_s"], 4.19, 1)
        operations, size = self.throttled(MS), self.throttled(500 * MS)
        self.assertAlmostEqual(operations["gain_s"], 4.19, 1)
        self.assertAlmostEqual(size["gain_s"], 0.2, 1)
        for one in (operations, size):
            self.assertNotIn("gain_most_s", one)

    def test_unexplained(self):
        """Time in many calls that is in no finding has one; large transfers and few
        calls have none."""
        found = self.many_calls("lseek", 200, 10 ** 6)
        one, = found["findings"]
        self.assertEqual((one["id"], one["calls"], one["severity"]),
                         ("unexplained", 200, "medium"))
        self.assertEqual(one["sentence"], "200 calls of lseek, 0 B and 1.00 ms each, "
                         "100 % of the time of many calls")
        self.assertAlmostEqual(one["share_of_wall"], 0.2, 2)
        for op, n, ns, result in (("lseek", 40, 10 ** 6, 0), ("lseek", 15, 10 ** 7, 0),
                                  ("pread", 200, 10 ** 6, 65536)):
            found = self.many_calls(op, n, ns, result)
            self.assertEqual(found["findings"], [], (op, n))
            self.assertEqual(found["verdict"]["text"].startswith("no finding: "),
                             n != 40)

    def test_appends_follow_each_other(self):
        """The offsets of O_APPEND are not known, but their order is."""
        for flags, ids in ((0o2001, ["small-sequential"]), (1, ["unexplained"])):
            found = self.many_calls("write", 20000, 10000, 80, flags, 80)
            self.assertEqual([x["id"] for x in found["findings"]], ids)

    def test_opening_without_a_transfer_is_no_loop_of_them(self):
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S)
        name = log.name("/d/x", 3)
        for i in range(60):
            log.add("open", EPOCH + i * 1000, 100, name=name)
        self.assertEqual(self.of_log(log)["findings"], [])

    def test_offsets_of_damaged_logs_are_left_out(self):
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S)
        name = log.name("/d/x", 3)
        for i in range(200):
            log.add("pwrite", EPOCH + i * 1000, 100, name=name,
                    offset=(1 << 63) - 1 - i, result=1 << 20)
        found = self.of_log(log, "--lock=1M", "--client=rank")
        self.assertEqual(found["findings"], [])
        self.assertEqual(found["files"][0]["asked"]["write"]["bytes"], 200 << 20)

    def bursts(self, gaps, thread=0):
        """Makes a rank that writes for 0.1 s and then does nothing for as long."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + 2 * S)
        name = log.name("/d/x", 3)
        for i in range(10 * (gaps + 1)):
            at = EPOCH + S // 100 * (i + i // 10 * 10)
            log.add("pwrite", at, S // 100, name=name, offset=i << 20, result=1 << 20,
                    thread=thread)
        return self.of_log(log)

    def test_transfers_that_could_go_on_during_pauses(self):
        found = self.bursts(4)["findings"][0]
        self.assertEqual((found["id"], found["ranks"], found["calls"]),
                         ("no-overlap", [0], 50))
        self.assertAlmostEqual(found["gain_s"], 0.4)
        self.assertAlmostEqual(found["share_of_wall"], 0.2)
        self.assertEqual(found["severity"], "high")
        for healthy in (self.bursts(2), self.bursts(4, thread=1)):
            self.assertEqual(healthy["findings"], [])

    def test_a_pause_of_one_rank_is_none(self):
        """It may be waiting for the other one, which writes meanwhile."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(2):
            log = Log(pid=1000 + rank, rank=rank, ranks=2, end=EPOCH + 2 * S)
            name = log.name("/d/x%d" % rank, 3)
            for i in range(5):
                log.add("pwrite", EPOCH + S // 10 * (2 * i + rank), S // 10, name=name,
                        offset=i << 20, result=1 << 20)
            log.write(os.path.join(run, "%d.bin" % rank))
        self.assertNotIn("no-overlap", [f["id"] for f in self.found(run)["findings"]])

    def test_failed_calls(self):
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S)
        name = log.name("/d/x", 3)
        for i, error in enumerate((28, 28, 5, 2, 22)):
            log.add("pwrite", EPOCH + i * 1000, 100, name=name, offset=0,
                    result=-error)
        risk, = self.of_log(log)["risks"]
        self.assertEqual((risk["id"], risk["file"], risk["calls"], risk["events"]),
                         ("failed-io", "/d/x", 3, [0, 0, 2]))
        self.assertEqual(self.of_log(log, "--only=rename-unsynced")["risks"], [])

    def test_refused_by_direct_io(self):
        """Its statements about place and request are right; EINVAL without the flag is
        no finding."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S, version=3)
        name = log.name("/d/x", 3, place=log.name("xfs 16384 0 0 /d", kind=PLACE))
        for i, flags in enumerate((16, 16, 0)):
            log.add("pwrite", EPOCH + i * 1000, 100, name=name, offset=4096 * i,
                    request=1000 + i, result=-22, flags=flags)
        risk, = self.of_log(log)["risks"]
        self.assertEqual((risk["id"], risk["file"], risk["calls"]),
                         ("direct-unaligned", "/d/x", 2))
        for words in ("multiples of 16.0 KiB", "1001 bytes at offset 4096"):
            self.assertIn(words, risk["sentence"])

    def read_twice(self, ranks, others_write):
        """Each rank writes its own 2 MiB of a file, and reads them three times; after
        the first time, perhaps, its neighbour writes there."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(ranks):
            log = Log(pid=1000 + rank, rank=rank, ranks=ranks, end=EPOCH + S)
            name = log.name("/d/x", 3)
            for k, op in enumerate(("pwrite", "pread", "pwrite", "pread", "pread")):
                whose = rank + (k == 2)
                if k == 2 and not others_write:
                    continue
                for i in range(2):
                    log.add(op, EPOCH + 10 ** 7 * k + 2 * (1000 * i + rank), 1,
                            name=name, offset=(2 * whose + i) << 20, result=1 << 20)
            log.write(os.path.join(run, "%d.bin" % rank))
        return [(f["id"], f["ranks_text"], f["calls"], f["bytes"])
                for f in self.found(run, "--only=reread,rewrite")["findings"]]

    def test_read_again_by_more_ranks_than_are_looked_at_once(self):
        for ranks in (4, 100):
            self.assertEqual(self.read_twice(ranks, False), [
                ("reread", "0-%d" % (ranks - 1), 4 * ranks, 4 * ranks << 20)])
        # Nobody else writes the first rank's part.
        self.assertEqual(self.read_twice(100, True), [
            ("reread", "0-99", 202, 202 << 20)])

    def on_lustre(self, place, *options, version=3):
        """Makes a file in stripes of 1 MiB that two ranks write, 1 MiB each, off by 4
        KiB."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(2):
            log = Log(pid=1000 + rank, rank=rank, ranks=2, end=EPOCH + S,
                      version=version)
            there = log.name(place, kind=PLACE) if version > 2 else 0
            name = log.name("/scratch/x", 3, place=there)
            for i in range(40):
                log.add("pwrite", EPOCH + i * 1000, 100, name=name, result=1 << 20,
                        offset=((2 * i + rank) << 20) + 4096)
            log.write(os.path.join(run, "%d.bin" % rank))
        return self.found(run, *options)

    def test_stripes_of_the_log(self):
        found = self.on_lustre("lustre 4194304 1048576 4 /scratch")
        self.assertEqual([f["id"] for f in found["findings"]], ["misaligned"])
        file, = found["files"]
        self.assertEqual((file["file_system"], file["lock_bytes"],
                          file["block_bytes"]), ("lustre", 1 << 20, 4 << 20))
        for place in ("ext4 4096 0 0 /", "lustre 4194304 0 0 /scratch",
                      "lustre 4194304 2097152 2 /scratch"):
            self.assertEqual(self.on_lustre(place)["findings"], [], place)
        for options in ((), ("--lock=1M",)):  # the requested size counts
            found = self.on_lustre("lustre 4194304 4194304 4 /s", *options)
            self.assertEqual(len(found["findings"]), len(options))

    def test_where_the_log_does_not_say_or_is_damaged(self):
        for how in ({"version": 2}, {}):
            found = self.on_lustre("lustre 9 -1 99999999999999999999", **how)
            self.assertEqual(found["findings"], [])
            self.assertIn("misaligned", [n["id"] for n in found["not_judged"]])

    def late(self, facts, cpus=()):
        """Makes two ranks in ten collective writes; rank 1 is 20 ms late for each."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(2):
            log = Log(pid=1000 + rank, rank=rank, ranks=2, end=EPOCH + S, version=3,
                      facts=facts + ["cpus=" + c for c in cpus[rank:rank + 1]])
            name = log.name("/scratch/x")
            log.name("2 cb_nodes=1;", fd=name, kind=MPI)
            for i in range(10):
                start = EPOCH + i * 50 * MS + rank * 20 * MS
                log.add("MPI_File_write_all", start, (30 - 20 * rank) * MS, name=name,
                        result=1 << 20, offset=(2 * i + rank) << 20, flags=2)
            log.write(os.path.join(run, "%d.bin" % rank))
        return self.found(run)

    def test_late_rank(self):
        found = self.late(["cores=2", "waited_ns=0"])
        self.assertEqual([(f["id"], f["ranks"]) for f in found["findings"]],
                         [("late-rank", [1])])
        self.assertAlmostEqual(found["findings"][0]["at_stake_s"], 0.2)
        for facts, why in (([], "how many cores"), (["cores=1"], "share 1 core"),
                           (["cores=2", "waited_ns=200000000"], "waited for a core"),
                           (["cores=x2"], "how many cores")):
            found = self.late(facts)
            self.assertEqual(found["findings"], [])
            told = {n["id"]: n["because"] for n in found["not_judged"]}
            self.assertIn(why, told["late-rank"])

    def test_late_rank_on_shared_cores(self):
        """What waiting for a core can explain does not count; before MPI_Init ended,
        and after MPI_Finalize began, it explains nothing."""
        for waited, gain in ((["waited_ns=0"], 0.2),
                             (["waited_ns=90000000"], 0.11),
                             (["waited_ns=400000000", "init_waited_ns=50000000",
                               "final_waited_ns=120000000"], 0.13),
                             (["waited_ns=190000000"], None)):
            found = self.late(["cores=1"] + waited)
            self.assertEqual([f["gain_s"] for f in found["findings"]],
                             [gain] if gain else [], waited)
            self.assertEqual("late-rank" in [n["id"] for n in found["not_judged"]],
                             gain is None)

    def test_ranks_that_are_bound_to_cores(self):
        for cpus in (["3", "64"], ["0-1", "1-2"]):
            found = self.late(["cores=1", "waited_ns=0"], cpus)
            self.assertEqual([f["id"] for f in found["findings"]], ["late-rank"], cpus)
        for cpus in (["3", "3"], ["3", "4x"], ["3", "65536"], ["5-4", "6"], ["3"], []):
            found = self.late(["cores=1"], cpus)
            self.assertEqual(found["findings"], [], cpus)
            self.assertIn("late-rank", [n["id"] for n in found["not_judged"]])

    def together(self, each, writers, late_us=0, place="lustre 4096 1048576 4 /s",
                 hosts=1):
        """Makes two ranks in 20 collective writes of 1 ms each, with so many bytes of a
        rank; {rank: bytes} is what the system sees of a call."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(2):
            log = Log(pid=1000 + rank, rank=rank, ranks=2, end=EPOCH + S, version=3,
                      facts=["cores=2"], host="node%d" % (rank % hosts))
            name = log.name("/s/x", place=log.name(place, kind=PLACE))
            log.name("2 ", fd=name, kind=MPI)
            for i in range(20):
                at = EPOCH + i * 2 * MS + rank * late_us * 1000
                log.add("MPI_File_write_all", at, MS - rank * late_us * 1000, name=name,
                        result=each, offset=(2 * i + rank) * each, flags=2)
                if rank in writers:
                    log.add("pwrite", at + 1000, 10 ** 4, name=name, level=1,
                            result=writers[rank], offset=(2 * i + rank) << 24)
            log.write(os.path.join(run, "%d.bin" % rank))
        return self.found(run)

    def test_collective_calls_of_little(self):
        found, = self.together(100, {0: 200})["findings"]
        self.assertEqual((found["id"], found["ranks"], found["calls"], found["bytes"]),
                         ("collective-tiny", [0, 1], 40, 4000))
        self.assertAlmostEqual(found["at_stake_s"], 0.04)
        self.assertAlmostEqual(found["gain_s"], 0.0398)
        for healthy in (self.together(1 << 20, {0: 2 << 20}),
                        self.together(100, {0: 200}, late_us=985)):
            self.assertEqual(healthy["findings"], [])

    def test_aggregators(self):
        found, = self.together(4 << 20, {0: 8 << 20}, hosts=2)["findings"]
        self.assertEqual((found["id"], found["ranks"], found["severity"]),
                         ("aggregators", [0], "below"))
        found, = self.together(4 << 20, {0: 7 << 20, 1: 1 << 20}, hosts=2)["findings"]
        self.assertEqual((found["id"], found["ranks"]), ("aggregators", [0, 1]))
        unequal, = found["condition"]
        self.assertAlmostEqual(unequal["value"], 1.75)
        both = {0: 4 << 20, 1: 4 << 20}
        for healthy in (self.together(4 << 20, both, hosts=2),
                        self.together(4 << 20, {0: 8 << 20}, hosts=1),
                        self.together(4 << 20, {0: 8 << 20}, hosts=2,
                                      place="lustre 4096 1048576 1 /s")):
            self.assertEqual(healthy["findings"], [])
        unknown = self.together(4 << 20, {0: 8 << 20}, hosts=2,
                                place="lustre 4096 0 0 /s")
        self.assertEqual(unknown["findings"], [])
        self.assertIn("aggregators", [n["id"] for n in unknown["not_judged"]])

    def submitted(self, takes_us):
        """Transfers by libaio, four in flight."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S)
        name = log.name("/d/x", 3)
        for i in range(80):
            at = EPOCH + i * 10 ** 6
            log.add("io_submit_write", at, takes_us * 1000, name=name, offset=i << 20,
                    request=1 << 20, flags=4)
            if i % 4 < 3:
                continue
            log.add("io_getevents", at + 5 * 10 ** 5, 10 ** 5)
            for k in range(i - 3, i + 1):
                log.add("io_getevents_write", at + 7 * 10 ** 5, 0, name=name,
                        offset=k << 20, request=1 << 20, result=1 << 20)
        return self.of_log(log)["findings"]

    def test_submissions_that_block(self):
        found, = self.submitted(200)
        self.assertEqual((found["id"], found["file"], found["calls"]),
                         ("async-blocks", "/d/x", 80))
        self.assertAlmostEqual(found["gain_s"], 0.016)
        for healthy in (20, 40):  # less than waiting; too short to block
            self.assertEqual(self.submitted(healthy), [])

    def scratch(self, kind, first="pwrite", last="unlink"):
        """Makes a file of 40 MiB that the run writes and removes, and one that it
        keeps."""
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + S, version=3)
        place = log.name(kind + " 4096 0 0 /n", kind=PLACE)
        names = [log.name("/n/scratch", place=place), log.name("/n/kept", place=place)]
        log.add(first, EPOCH, 100, name=names[0], offset=0, result=1)
        for i in range(40):
            log.add("pwrite", EPOCH + (i + 1) * 10 ** 6, 10 ** 5, name=names[0],
                    offset=i << 20, result=1 << 20)
            log.add("pwrite", EPOCH + (i + 1) * 10 ** 6 + 5 * 10 ** 5, 10 ** 5,
                    name=names[1], offset=i << 20, result=1 << 20)
        log.add(last, EPOCH + S // 2, 100, name=names[0])
        return self.of_log(log)

    def test_files_that_nobody_keeps(self):
        found, = self.scratch("nfs4")["findings"]
        self.assertEqual((found["id"], found["file"]), ("temporary", "/n/scratch"))
        self.assertIn("40.0 MiB", found["sentence"])
        for healthy in (self.scratch("ext4"), self.scratch("nfs4", first="pread"),
                        self.scratch("nfs4", last="close")):
            self.assertEqual(healthy["findings"], [])

    def made(self, wall_s):
        """Makes a log of a run of one rank with 1 s of small writes."""
        run = tempfile.mkdtemp(dir=self.tmp)
        log = Log(pid=1000, rank=0, ranks=1, end=EPOCH + wall_s * S)
        name = log.name("/data/<script>", 3)
        for i in range(1000):
            log.add("pwrite", EPOCH + 10 ** 7 + i * 10 ** 6, 10 ** 6, name=name,
                    offset=2000 * i, result=2000)
        log.write(os.path.join(run, "a.bin"))
        return run

    def test_a_slow_rank_leads_the_series(self):
        """Equal calls gain the same; a part of the series contains the slow rank."""
        run = tempfile.mkdtemp(dir=self.tmp)
        for rank in range(3):
            log = Log(pid=1000 + rank, rank=rank, ranks=3, end=EPOCH + 4 * S)
            name = log.name("/data/own.%d" % rank, 3)
            for i in range(1000):
                log.add("pwrite", EPOCH + i * 3 * MS, MS * (1 + (rank == 1)), name=name,
                        offset=2000 * i, result=2000)
            log.write(os.path.join(run, "%d.bin" % rank))
        found, = self.found(run)["findings"]
        self.assertEqual([s["rank"] for s in found["series"]], [1, 0, 2])

    def test_severity_is_the_share_of_the_time(self):
        order = ["below", "low", "medium", "high"]
        for wall_s, severity in ((9, "high"), (11, "medium"), (45, "medium"),
                                 (55, "low"), (180, "low"), (210, "below")):
            run = self.made(wall_s)
            found, = self.found(run)["findings"]
            self.assertEqual((found["id"], found["severity"]),
                             ("small-sequential", severity), wall_s)
            self.assertAlmostEqual(found["at_stake_s"], 1)
            self.assertLess(abs(found["share_of_wall"] * wall_s - 0.99), 0.02)
            for level in order[1:]:
                status = subprocess.call(
                    (IOTRACE, "findings", "--fail-on", level, run),
                    stdout=subprocess.DEVNULL)
                bad = order.index(severity) >= order.index(level)
                self.assertEqual(status, 3 if bad else 0, (wall_s, level))
            floor = self.found(run, "--floor=1.1")
            self.assertEqual(floor["findings"], [])

    def test_threads_at_once_are_no_more_than_the_time(self):
        """Eight threads read all the time: 8 s of calls, within 1 s."""
        run = tempfile.mkdtemp(dir=self.tmp)
        log = Log(rank=0, ranks=1, begin=EPOCH, end=EPOCH + S)
        f, draw = log.name("/d/f"), random.Random(1)
        for t in range(8):
            for i in range(100):
                log.add("pread", EPOCH + i * 10 * MS, 10 * MS, f, result=4096,
                        request=4096, offset=draw.randrange(10 ** 8), thread=t)
        log.write(os.path.join(run, "0.bin"))
        found = self.found(run)
        self.assertEqual([x["id"] for x in found["findings"]], ["random-small"])
        self.assertAlmostEqual(found["findings"][0]["share_of_wall"], 1, places=2)
        read, = [c for c in found["classes"] if c["class"] == "read"]
        self.assertAlmostEqual(read["seconds"], 8, places=2)
        self.assertAlmostEqual(read["mean_share"], 1, places=2)
        self.assertAlmostEqual(read["worst_share"], 1, places=2)
        text = subprocess.check_output((IOTRACE, "summary", run)).decode()
        shares = [float(x) for x in re.findall(r"([0-9.]+) %", text)]
        self.assertLessEqual(max(shares), 100, text)


for disease in table():
    of = add(Findings, "of_" + disease, "disease", disease)
    if disease in LATER:
        long(of)

if __name__ == "__main__":
    main()
