"""The promises that every run with a fault must keep. There is one judge for all of
them: it returns the outcome that the table shows."""
import os
import re
import socket

from e2e import FLAVOUR, TIMED_OUT

LIMIT_S = 30
# MPICH 4.0's launcher sometimes exits with 0 when it is told to end, whatever it ran.
LOST = FLAVOUR == "mpich"
STOPPED = "has been stopped by a signal"
WATCHDOG = re.compile("did not come back|did not finish within|no sign of life|"
                      "has been waiting in the kernel|" + STOPPED)
NO_REPORT = re.compile("the report .* cannot be written")
BY_SIGNAL = "ended by a signal"
LIBRARY = ("library", "aio")
DISK_OWN = ("filler", "lost+found")


def said(run):
    """Returns the program's own lines; launchers and libraries add theirs."""
    ours = re.compile(r"%s( \w+)?: " % run.program)
    return [line for line in run.err.splitlines() if ours.match(line)]


def left(run):
    """Returns names in the run's folder; none if it has gone. A removed file that the
    kernel has open, under FUSE's name, does not count."""
    try:
        names = os.listdir(run.place)
    except OSError:
        return []
    return sorted(name for name in names
                  if name not in DISK_OWN and not name.startswith(".fuse_hidden"))


# ---- parts of a verdict -----------------------------------------------------------


def one_sentence(case, run):
    """Finds the sentence of the failure. Ranks that are ended because of it may say
    that."""
    lines = [line for line in said(run) if not NO_REPORT.search(line)]
    if any(WATCHDOG.search(line) for line in lines):
        lines = [line for line in lines if BY_SIGNAL not in line]
    case.assertEqual(len(lines), 1, "not one sentence: %s" % run)
    return lines[0]


def names_place(case, c, run, line):
    """Demands rank and host, file, offset, as far as this fault has them."""
    place = c.fault.place
    rank = run.fault_rank
    # one rank handles the metadata, at places that only HDF5 knows
    if "hdf5" in c.way.name:
        rank = None
    many = "requests did not finish" in line  # none of them is the one
    if many or "hdf5" in c.way.name or c.program.name == "pfmload":
        place = [p for p in place if p != "offset"]
    if "rank" in place:
        wanted = r"\d+" if rank is None else str(rank)
        case.assertRegex(line, r"rank %s on %s\b" % (wanted, socket.gethostname()))
    if "file" in place:
        case.assertIn("file " + run.place, line)
    if "offset" in place:
        case.assertRegex(line, r"offset \d+")


def names_reason(case, c, line):
    """Demands the reason. A library may have hidden it; it has not hidden the
    failure."""
    says = c.fault.says
    if c.way.kind in LIBRARY:
        says = says and "%s|failed|cannot|MPI|I/O error" % says
    case.assertTrue(re.search(says, line), "not the reason, %s: %s" % (says, line))


def no_report_counts(case, run, sentence=None):
    """Demands that there is no report, or one that is not valid and tells why."""
    if not os.path.exists(run.json):
        return
    case.assertIs(run.report["valid"], False, run)
    case.assertTrue(run.report["why"], run)
    if sentence and run.report["errors"]:
        case.assertIn(run.report["why"], sentence)


def has_failed(case, run):
    case.assertNotEqual(run.status, TIMED_OUT, "no end: %s" % run)
    case.assertNotEqual(run.status, 0, "a failure that exits with 0: %s" % run)
    case.assertNotIn("MB/s", run.out, run)


def left_is_named(case, c, run):
    """Demands that the next run names the leftovers; returns its sentence."""
    names = left(run)
    after = case.again(c, run)
    case.assertEqual(after.status, 0, after)
    case.assertIs(after.report["valid"], True, after)
    notes = [line for line in said(after) if "earlier runs" in line]
    if not names:
        case.assertEqual(notes, [], after)
        return []
    case.assertEqual(len(notes), 1, "%s were left: %s" % (names, after))
    named = [name for name in names if name in notes[0]]
    more = re.search(r"and (\d+) more", notes[0])
    others = int(more.group(1)) if more else 0
    case.assertEqual(len(named) + others, len(names), notes)
    return named


def left_nothing(case, c, run):
    """Demands an empty folder. FUSE keeps a removed file under another name, as NFS
    does, until its user has ended: the folder may be left, with nothing in it."""
    if c.fault.group != "below" or any(files for _, _, files in os.walk(run.place)):
        case.assertEqual(left(run), [], run)
    elif left(run):
        left_is_named(case, c, run)


# ---- verdicts ----------------------------------------------------------------------


def fails(case, c, run, clean=True):
    has_failed(case, run)
    line = one_sentence(case, run)
    if WATCHDOG.search(line):  # a library never returns after a failure
        case.assertIn(c.way.kind, LIBRARY, run)
        case.assertIn("file " + run.place, line)
    else:
        names_reason(case, c, line)
        names_place(case, c, run, line)
    no_report_counts(case, run, line)
    if clean:
        left_nothing(case, c, run)
    return "time limit" if WATCHDOG.search(line) else "failed, said why"


def dies(case, c, run):
    """Judges a dead file system: nothing can be removed from it any more."""
    return fails(case, c, run, clean=False)


def good(case, c, run):
    case.assertEqual(run.status, 0, run)
    case.assertEqual(said(run), [], run)
    report = run.report
    case.assertIs(report["valid"], True, run)
    case.assertEqual(report["errors"], [])
    case.assertEqual(report["checks"]["blocks_bad"], 0)
    case.assertGreater(report["checks"]["blocks_checked"], 0)
    left_nothing(case, c, run)
    return "right result"


def recovers(case, c, run):
    """Judges short transfers: they are finished, or reported; nobody lies."""
    what = c.fault.what["what"]
    must = ":half:" in what and (c.way.kind == "libc" or
                                 c.way.kind == "kernel" and "write" in what)
    return good(case, c, run) if must or not run.status else fails(case, c, run)


def goes_on(case, c, run):
    case.assertTrue(run.stopped, "the rank never stopped: %s" % run)
    return good(case, c, run)


def straggles(case, c, run):
    """Judges a slow rank: the report names it. If ranks write for each other, or wait
    for each other until gathered data are written, it is not known."""
    outcome = good(case, c, run)
    if run.fault_rank is None or "partitioned" in c.way.name:
        return outcome
    writes = [s for s in run.report["samples"] if s["act"] in ("write", "sync")]
    slowest = max(writes, key=lambda s: s["max_s"] - s["min_s"])
    case.assertEqual(slowest["max_rank"], run.fault_rank, writes)
    return "right result, straggler named"


def watched(case, c, run):
    has_failed(case, run)
    line = one_sentence(case, run)
    case.assertRegex(line, WATCHDOG)
    names_place(case, c, run, line)
    no_report_counts(case, run)
    left_nothing(case, c, run)
    return "time limit" if STOPPED not in line else "time limit, of a stopped rank"


def hangs(case, c, run):
    """Judges a hang: nothing can be removed from a file system that does not answer."""
    has_failed(case, run)
    case.assertRegex(one_sentence(case, run), WATCHDOG)
    no_report_counts(case, run)
    left_is_named(case, c, run)
    return "time limit, next run names files"


def told(case, c, run):
    """Judges a run that is told to end: it removes the files, with one sentence."""
    case.assertNotEqual(run.status, TIMED_OUT, run)
    case.assertTrue(run.status or LOST, run)
    case.assertEqual([line for line in said(run) if BY_SIGNAL not in line], [], run)
    no_report_counts(case, run)
    left_nothing(case, c, run)
    case.assertTrue(said(run), run)
    return "ended by signal, clean"


def killed(case, c, run):
    """Judges a killed run: it leaves files, and the next run names them."""
    case.assertNotIn(run.status, (0, TIMED_OUT), run)
    no_report_counts(case, run)
    named = left_is_named(case, c, run)
    return "killed, next run names files" if named else "killed, nothing left"


def timed(case, c, run):
    """Judges as `told`; but timeout(1) tells the launcher twice, and Open MPI's then
    kills."""
    if FLAVOUR == "openmpi" and (left(run) or not said(run)):
        return killed(case, c, run)
    return told(case, c, run)


def may_be_kept_back(case, c, run):
    """Judges an error that an MPI library may hide, if the result is right all the
    same."""
    if c.way.kind in LIBRARY and not run.status:
        return good(case, c, run)
    return fails(case, c, run)


def unhurt(case, c, run):
    """Judges a fault that the program does not notice; the user is told if it is known
    in time."""
    good(case, c, run)
    told_it = [line for line in run.err.splitlines() if line.startswith("libiotrace: ")]
    return "right result, loss told" if told_it else "right result"


def told_by_reader(case, c, run):
    """Demands that the reader reports missing parts of a log, or that it is none."""
    good(case, c, run)
    for cut, read in run.read:
        case.assertIn(read.status, (0, 1), "cut at %d: %s" % (cut, read))
        if read.status:
            case.assertEqual(len(said(read)), 1, "cut at %d: %s" % (cut, read))
        else:
            case.assertRegex(read.out + read.err, "missing|damaged|left no log",
                             "cut at %d" % cut)
    return "failed, said why"


ENDS = {f.__name__: f for f in (
    fails, dies, recovers, goes_on, straggles, watched, told, timed, may_be_kept_back,
    killed, unhurt, told_by_reader, hangs)}


def judge(case, c, run):
    """Returns the outcome in words; raises AssertionError if a promise is broken."""
    case.assertLess(run.seconds, LIMIT_S * run.scale, "too slow: %s" % run)
    case.assertEqual(case.orphans(), [], "processes are left: %s" % run)
    return ENDS[c.fault.end](case, c, run)
