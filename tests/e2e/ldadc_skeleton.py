#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""ldadc analyse --skeleton: a program's use of its files, by its source, is that in the
skeleton of a traced run: each rank's calls, in order, with their places and bytes, for
one to four ranks. Uncertain parts have no numbers. replay repeats it."""
import copy
import glob
import os
import shutil
import subprocess
import sys
import unittest

from e2e import BUILD, TESTS, Case, add, drawn, long, main, read_json

sys.path.insert(0, os.path.join(TESTS, "ldadc"))
import truth  # noqa: E402
import unfold  # noqa: E402
import which  # noqa: E402
from leadline.base.errors import LeadlineError  # noqa: E402
from leadline.skeleton import polynomials, skeleton  # noqa: E402

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

RECORDER = os.path.join(BUILD, "libiotrace.so")
IOTRACE = os.path.join(BUILD, "iotrace")
CORPUS = os.path.join(TESTS, "ldadc", "corpus")
COMPILER = os.environ["MPI_CC"].split()
QUICK = ("clipped", "several_files")
# Nonblocking calls are recorded when they end; an assumption excludes short reads.
APART = ("many_requests", "trap_short_read")
RANKS = (1, 2, 3, 4)


def schema(name):
    path = os.path.join(os.environ["top_srcdir"], "doc", name + ".schema.json")
    return read_json(path)


def valid(data, name):
    if Draft202012Validator:
        Draft202012Validator(schema(name)).validate(data)


def viewed(data):
    """Returns True if the recorder sees less of a call than the source tells: all of
    its bytes, but no places."""
    return any("part_of_call" in t or any("within_call" in lv for lv in t["levels"])
               for t in data["transfers"])


def cut(acts, end):
    """Cuts reads at the end of the file; empty transfers are in no order."""
    found = [(n, call, at, min(size, max(0, end - at)))
             if size is not None and "read" in call else (n, call, at, size)
             for n, call, at, size in acts]
    return [act for act in found if act[3] != 0]


def written(acts):
    return sum(size for _, call, _, size in acts if size and "write" in call)


@unittest.skipUnless(which.THERE, which.WHY_NOT)
class Skeletons(Case):
    LIMIT = 60

    def told(self, *sources):
        path = self.path("told.json")
        said = subprocess.check_output(
            which.command("analyse", "--skeleton=" + path, *sources),
            universal_newlines=True)
        self.assertTrue(said.endswith(" %s, then leadline whatif OUT.\n" % path), said)
        data = read_json(path)
        valid(data, "leadline-skeleton-polynomials-1")
        return data

    def traced(self, exe, args, np):
        done = self.run_program(exe, "data", *args, np=np, dir=False, json=False,
                                env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true"})
        self.assertEqual(done.status, 0, done)
        run, path = (os.path.join(done.folder, name) for name in ("run", "s.json"))
        os.mkdir(run)
        for log in glob.glob(os.path.join(done.folder, "*.bin")):
            shutil.move(log, run)
        subprocess.check_output((IOTRACE, "ldad", run, "--skeleton=" + path),
                                stderr=subprocess.STDOUT)
        return read_json(path)

    def compiled(self, program):
        exe = self.path(program.name)
        subprocess.run([*COMPILER, "-O0", "-w", "-o", exe, *program.sources, "-lm"],
                       check=True)
        return exe

    def differs(self, data, made, traced, np):
        """Returns a rank's difference; "": there is none."""
        if viewed(data):
            mine = sum(written(unfold.acts(made, rank)) for rank in range(np))
            # The library's calls below have another number of bytes.
            theirs = sum(t["bytes"] for t in traced["transfers"] + traced["calls"]
                         if "write" in t["call"] and "within" not in t)
            return "" if mine == theirs else "%d, but traced: %d" % (mine, theirs)
        end = max([f["bytes"] for f in traced["files"]], default=0)
        for rank in range(np):
            mine = cut(unfold.acts(made, rank), end)
            theirs = unfold.acts(traced, rank)
            if mine != theirs:
                return "rank %d of %d: %s, but traced: %s" % (rank, np, mine, theirs)
        return ""

    def program(self, name):
        program = truth.Program(os.path.join(CORPUS, name + ".c"))
        data = self.told(*program.analysed)
        if any("unresolved" in e for e in data["transfers"] + data["calls"]):
            with self.assertRaises(LeadlineError):
                values = {v["name"]: 1 for v in data["variables"]}
                polynomials.numbers(data, name, 2, values)
            return
        exe = self.compiled(program)
        for args, symbols in program.runs:
            symbols = dict(symbols, argc=len(args) + 2)
            values = {v["name"]: symbols.get(v["name"],
                                             symbols.get(v.get("stands_for")))
                      for v in data["variables"]}
            for np in RANKS:
                made = polynomials.numbers(data, name, np, values)
                valid(made, "leadline-skeleton-1")
                skeleton.Skeleton(made, name)
                traced = self.traced(exe, args, np)
                self.assertEqual(self.differs(data, made, traced, np), "")
                self.assertEqual(self.totals(made, viewed(data)),
                                 self.totals(traced, viewed(data)))

    def totals(self, found, without_reads):
        """Returns calls by name, without those that the source's skeleton leaves
        out."""
        some = {}
        for t in found["transfers"]:
            if not without_reads:
                some[t["call"]] = some.get(t["call"], 0) + t["calls"]
        for c in found["calls"]:
            if c["call"] in ("MPI_File_open", "MPI_File_close", "MPI_File_sync"):
                some[c["call"]] = some.get(c["call"], 0) + c["calls"]
        return {call: n for call, n in some.items() if n}

    def test_what_is_changed_differs(self):
        program = truth.Program(os.path.join(CORPUS, "interleaved_argv.c"))
        data = self.told(*program.analysed)
        args, values = program.runs[0]
        traced = self.traced(self.compiled(program), args, 3)
        right = polynomials.numbers(data, "right", 3, values)
        self.assertEqual(self.differs(data, right, traced, 3), "")
        for member, text in (("start", "rank"), ("size", "chunk + 1"),
                             ("where", "(rank < 1)")):
            other = copy.deepcopy(data)
            other["transfers"][0][member] = text
            made = polynomials.numbers(other, "other", 3, values)
            self.assertNotEqual(self.differs(data, made, traced, 3), "", member)

    def test_replay(self):
        """It uses the commands that users have."""
        told, eight = (self.path(n) for n in ("told.json", "eight.json"))
        self.told(os.path.join(CORPUS, "interleaved_argv.c"))
        done = self.run_program("replay", told, np=3, json=False)
        self.assertNotEqual(done.status, 0)
        self.assertIn("leadline skeleton", done.err)
        tool = os.path.join(BUILD, "python", "leadline", "leadline")
        subprocess.run([sys.executable, tool, "skeleton", told, "--np=3", "--set=K=2",
                        "--set=chunk=4096", "--output=" + eight], check=True)
        done = self.run_program("replay", eight, "--as-recorded", np=3)
        self.assertEqual(done.status, 0, done)


names = sorted(os.path.basename(path)[:-2]
               for path in glob.glob(os.path.join(CORPUS, "*.c")))
quick = [n for n in names if n in QUICK and which.OWN]
more = [n for n in drawn([n for n in names if n not in QUICK + APART], 2, 1 / 40)
        if which.OWN]
for name in quick + more:
    test = add(Skeletons, name, "program", name)
    test.scenario = None  # this file selects which of them run
    if name in more:
        long(test)


if __name__ == "__main__":
    main()
