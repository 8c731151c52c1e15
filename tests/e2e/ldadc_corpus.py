#!/usr/bin/env python3
# tier: quick ci; limit: 1800
"""ldadc describes small programs as they run: tests/ldadc/corpus, half of which are
traps. Each is analysed, compiled and run under the recorder with one to four ranks; for
each call, the offsets and bytes of its descriptor are compared with those that the
program requested. An unresolved call is never wrong.

truth.c, linked into the programs, records the requests of each call, through views; the
recorder must agree with it. LDADC names another ldadc than the one built here;
LDADC_CORPUS names the only programs to test.

In the quick tier a dozen programs are tested; in "ci" those that the last commit has
changed, all if it has changed ldadc, and a part that is drawn; in "full" all."""
import copy
import glob
import json
import os
import subprocess
import sys

from e2e import BUILD, FLAVOUR, TESTS, Case, add, drawn, long, main, read_text, run_text

sys.path[:0] = [os.path.join(TESTS, "ldadc"), os.path.join(TESTS, "iotrace")]
import judge  # noqa: E402
import tracelog  # noqa: E402
import truth  # noqa: E402
from tap import TIER  # noqa: E402
import which  # noqa: E402

RECORDER = os.path.join(BUILD, "libiotrace.so")
SHIM = os.path.join(BUILD, "tests", "ldadc", "truth.o")
COMPILER = os.environ["MPI_CC"].split()
CORPUS = os.path.join(TESTS, "ldadc", "corpus")
# The results depend only on the MPI's headers: more ranks and other arguments are tried
# with the MPI that starts programs quickly.
RANKS, OTHERS = ((1, 2, 3, 4), 3) if FLAVOUR == "mpich" else ((2, 3), None)
# Each stands for many; more are drawn.
QUICK = ("blocks_2d", "clipped", "halo", "interleaved_argv", "pointer_advances",
         "trap_fresh_read", "trap_merged", "view_indexed")
LIMIT_S = 60
counted = {"programs": 0, "traps": 0, "calls": 0, "resolved": 0, "related": 0}


def program_named(name):
    path, = glob.glob(os.path.join(CORPUS, name + ".c*"))
    return truth.Program(path)


class Runs(Case):
    LIMIT = LIMIT_S

    def compiled(self, program):
        exe = self.path(program.name)
        said = truth.compile_program(COMPILER, program.sources, SHIM, exe)
        self.assertEqual(said, "", "%s does not compile" % program.name)
        return exe

    def ran(self, exe, args, np):
        """Returns {rank: [Transfer, ...]}."""
        prefix = self.path("truth")
        for name in glob.glob(prefix + ".*"):
            os.remove(name)
        done = self.run_program(
            exe, "data", *args, np=np, dir=False, json=False,
            env={"PRELOAD": RECORDER, "IOTRACE_BINARY": "true", "LDADC_TRUTH": prefix})
        self.assertEqual(done.status, 0, done)
        did = truth.transfers(exe, prefix, np)
        self.recorded_the_same(did, done.folder)
        return did

    def recorded_the_same(self, did, folder):
        """The recorder has each call once, with its begin and its bytes."""
        found = {}
        for log in tracelog.logs(folder):
            if any(e.op.startswith("MPI_Init") for e in log.events):
                found[log.rank] = [(e.op, e.offset, e.request) for e in log.events
                                   if moves_data(e)]
        for rank, transfers in did.items():
            self.assertEqual(found.get(rank), [begun(t) for t in transfers],
                             "rank %d: the recorder and the program differ" % rank)

    def no_fault(self, faults, what):
        self.assertEqual(faults[:8], [], "%s (%d faults)" % (what, len(faults)))


class Corpus(Runs):
    def analysed(self, program):
        done = subprocess.run(which.command("analyse", "--json", *program.analysed),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT_S, cwd=self.tmp)
        self.assertEqual(done.returncode, 0, done.stderr.decode("utf-8", "replace"))
        report = json.loads(done.stdout.decode("utf-8"))
        self.assertEqual(report["schema"], "ldadc-1")
        return report

    def program(self, name):
        if not which.THERE:
            self.skipTest(which.WHY_NOT)
        program = program_named(name)
        report = self.analysed(program)
        count(program, report)
        exe = self.compiled(program)
        faults = []
        for (args, symbols), ranks in runs_of(program, report):
            did = self.ran(exe, args, ranks)
            if not beyond(program, report):
                faults += judge.judge(report, did, symbols)
            unlisted = judge.unlisted(report, did)
            if len(unlisted) > program.unlisted:
                faults.append("nothing is said of calls at %s"
                              % " ".join(map(judge.name_of, unlisted)))
        self.no_fault(faults, "wrong")
        self.no_fault(judge.judge_expected(report, program.expect), "not as expected")


def beyond(program, report):
    """Returns True if the program does what ldadc assumes to be excluded."""
    return program.assumed and any(program.assumed in text
                                   for text in report["assumptions"])


def moves_data(e):
    return e.level == 0 and e.op.startswith("MPI_File_") \
        and e.klass in ("READ", "WRITE") and not e.op.endswith("_end")


def begun(t):
    """Returns a transfer as the recorder sees it; one with gaps has no offset."""
    name = t.call[:-2] if t.call.endswith("_c") else t.call
    pointed = t.pieces is not None and "_ordered" not in name and all(
        at + n == after for (at, n), (after, _) in zip(t.pieces, t.pieces[1:]))
    return name, t.at if pointed else -1, t.bytes


def runs_of(program, report):
    """Returns ((args, symbols), ranks) of each useful run: if nothing is resolved, one
    run shows that the program works and which calls it makes."""
    if not any(call["resolved"] for call in judge.all_calls(report)):
        return [(program.runs[0], 2)]
    return [(program.runs[0], ranks) for ranks in RANKS] \
        + [(run, OTHERS) for run in program.runs[1:] if OTHERS]


def count(program, report):
    counted["programs"] += 1
    counted["traps"] += bool(program.trap)
    calls = judge.all_calls(report)
    counted["calls"] += len(calls)
    counted["resolved"] += sum(1 for call in calls if call["resolved"])
    counted["related"] += sum(1 for call in calls if judge.related(call))


def tearDownModule():
    print("# %(programs)d programs, %(traps)d of them traps; %(resolved)d of %(calls)d "
          "calls are resolved, and %(related)d of them with how ranks share the bytes"
          % counted, flush=True)


class Judge(Runs):
    """The judge itself: right results pass, slightly changed ones do not."""

    def reported(self):
        """Returns the truth about interleaved_argv, written by hand."""
        source = os.path.join(CORPUS, "interleaved_argv.c")
        lines = read_text(source).splitlines()
        at = [n for n, line in enumerate(lines, 1) if "MPI_File_write_at" in line or
              "MPI_File_read_at" in line]
        level = {"span": "nprocs*chunk*K", "stride": "nprocs*chunk"}
        calls = [{"source": source, "line": n, "via": [], "ranks": None,
                  "class": "interleaved", "resolved": True, "warnings": [],
                  "descriptor": {"start": "rank*chunk", "size": "chunk",
                                 "levels": [dict(level)]},
                  "conditions": []} for n in at]
        symbols = [{"id": name, "text": name, "class": "initialised once"}
                   for name in ("K", "chunk")]
        return {"symbols": symbols, "files": [{"calls": calls}]}

    def test_judge(self):
        program = program_named("interleaved_argv")
        did = self.ran(self.compiled(program), program.runs[0][0], 3)
        right = self.reported()
        symbols = program.runs[0][1]
        self.no_fault(judge.judge(right, did, symbols), "the truth")
        self.no_fault(judge.unlisted(right, did), "the truth")
        self.no_fault(judge.judge_expected(right, program.expect), "the truth")
        for name, change in CHANGES.items():
            report = copy.deepcopy(right)
            change(report["files"][0]["calls"][0])
            self.assertNotEqual(judge.judge(report, did, symbols), [], name)
        del right["files"][0]["calls"][0]
        self.assertEqual(len(judge.unlisted(right, did)), 1)
        self.assertNotEqual(judge.judge_expected(right, program.expect), [])

    def test_classes(self):
        apart, mixed = {0: [(0, 4), (8, 4)], 1: [(4, 4), (12, 4)]}, "regions are mixed"
        self.assertEqual(judge.claim("interleaved", apart, 2), "")
        self.assertIn(mixed, judge.claim("segmented", apart, 2))
        self.assertNotEqual(judge.claim("overlapped", apart, 2), "")
        self.assertNotEqual(judge.claim("alone", apart, 2), "")
        both = {0: [(0, 4)], 1: [(3, 4)]}
        self.assertNotEqual(judge.claim("segmented", both, 2), "")
        self.assertEqual(judge.claim("overlapped", both, 2), "")


def changed(**what):
    return lambda call: call["descriptor"].update(what)


def level_changed(**what):
    return lambda call: call["descriptor"]["levels"][0].update(what)


CHANGES = {
    "start": changed(start="rank*chunk + 1"),
    "size": changed(size="chunk - 1"),
    "no level": changed(levels=[]),
    "stride": level_changed(stride="nprocs*chunk + 1", span="(nprocs*chunk + 1)*K"),
    "one too many": level_changed(span="nprocs*chunk*(K + 1)"),
    "span": level_changed(span="nprocs*chunk*K + 1"),
    "other rank": changed(start="(nprocs - 1 - rank)*chunk"),
    "rank 0 alone": lambda call: call.update(ranks="rank == 0"),
    "clipped": lambda call: call.update(clip="nprocs*chunk*K - 1"),
    "unknown": changed(size="other"),
    "class": lambda call: call.update({"class": "segmented"}),
    "callers": lambda call: call.update(via=[{"source": "x.c", "line": 1}]),
    "line": lambda call: call.update(line=1),
}


def git(*line):
    done = run_text(["git", "-C", TESTS, *line], stderr=subprocess.DEVNULL)
    return done.stdout.split()


def touched(names):
    """Returns those of the programs that the last commit may have broken."""
    changed = git("diff", "--name-only", "HEAD~1")
    if any(path.startswith(("src/ldadc/", "tests/ldadc/truth")) for path in changed):
        return names
    return [n for n in names if {"tests/ldadc/corpus/%s.%s" % (n, end)
                                 for end in ("c", "cc")} & set(changed)]


def chosen(names):
    """Returns (those of the quick tier, those of the longer ones)."""
    asked = os.environ.get("LDADC_CORPUS", "").split()
    if asked:
        return [n for n in names if n in asked or asked == ["all"]], []
    if not which.OWN:
        part = names[::5] if TIER == "full" else drawn(names, 2, 1 / 40)
        return ([], part) if TIER == "ci" else (part, [])
    few = [n for n in names if n in QUICK]
    rest = [n for n in names if n not in QUICK]
    part = drawn(rest, 4)
    if TIER == "ci":
        return few, sorted({*part, *touched(rest)})
    return few + part, []


quick, more = chosen(sorted(os.path.splitext(os.path.basename(path))[0]
                            for path in glob.glob(os.path.join(CORPUS, "*.c*"))))
for name in quick + more:
    test = add(Corpus, name, "program", name)
    test.scenario = None  # this file selects which of them run
    if name in more:
        long(test)


if __name__ == "__main__":
    main()
