"""IO500: result.txt and result_summary.txt, of its program and of the script before."""
import math
import re
from collections import OrderedDict, namedtuple

from leadline.base.fields import printable
from leadline.importing.result import CUT, GIB, Format, Result, broken, number, positive

TOOL = "io500"
ABOUT = "IO500 (result.txt, result_summary.txt, of 2018 and later)"
# "[RESULT]" and "[ ]": phases that count for the score, and others. "[SCOREX]" is the
# score of extended runs. The script wrote "BW phase 1" before the phase, and GB/s for
# IOR's MiB/s / 1024.
LINE = re.compile(r"^\[(RESULT(?:[ -]INVALID)?|)\s*\]\s+(?:(BW|IOPS)\s+phase\s+\d+\s+)?"
                  r"(\S+)\s+(\S+)\s+(Gi?B/s|kIOPS)\s*:\s*time\s+(\S+)\s+s(?:econds)?"
                  r"(\s*\[INVALID\])?\s*$", re.I)
SCORE = re.compile(r"^\[SCORE([ -]INVALID)?\s*\] Bandwidth\s+(\S+) Gi?B/s\s*: IOPS\s+"
                   r"(\S+) kIOPS\s*: TOTAL\s+(\S+)(\s*\[INVALID\])?\s*$", re.I)
# Lines that look like one of them; those with "+" are of a shell's trace.
ODD = re.compile(r"\[(RESULT|SCORE\b|\s+\])|(?!\+).*: time .* sec")
VERSION = re.compile(r"^IO500 version (\S+)(?: \((\w+)\))?")
NO_VERSION = re.compile(r"^\((\w+)\)$")
SECTION = re.compile(r"^\[(\S+)\]$", re.M)
SCORED = ["ior-easy-write", "ior-easy-read", "ior-hard-write", "ior-hard-read",
          "mdtest-easy-write", "mdtest-easy-stat", "mdtest-easy-delete",
          "mdtest-hard-write", "mdtest-hard-stat", "mdtest-hard-read",
          "mdtest-hard-delete", "find"]
EXTENDED = re.compile(r"(timestamp|find-(easy|hard)|ior-rnd\w+(-easy)?-(read|write)|"
                      r"mdworkbench(-\w+)*|md-?real\w*|concurrent)$")
SLACK = 1e-3       # tolerance of a score, relative to what its phases give
FAULT = re.compile(r"\bErrors? \(|\b(?:failed|corrupt)", re.I)
# Letters of the commands of phases, and whether they are the workload: sizes are
# limits only, since the deadline ends a phase.
LETTERS = {"-a": ("api", True), "-t": ("transfersize", True),
           "-b": ("blocksize", False), "-s": ("segmentcount", False),
           "-n": ("items", False), "-w": ("write_bytes", True)}

# `slack` is half of the last digit, relative to the score; `invalid` a sentence.
Phase = namedtuple("Phase", "score seconds invalid slack")


def is_summary(text: str) -> bool:
    return "[RESULT" in text and "seconds" in text and bool(
        re.search(r"^\[RESULT[^\]]*\]\s", text, re.M))


def is_result(text: str) -> bool:
    return ("config-hash" in text or "result-dir" in text) and bool(
        re.search(r"^(config-hash|result-dir)\s*=", text, re.M)
        and SECTION.search(text))


def phase_of(score, seconds, invalid, where):
    """Parses a phase's score and seconds."""
    value, digits = number(score, where), len(score.strip().partition(".")[2])
    return Phase(value, number(seconds, where), invalid,
                 0.5 * 10.0 ** -digits / value if value else 0.0)


# ---- result_summary.txt ------------------------------------------------------


def read_summary(text, source):
    test = Result(TOOL)
    test.lost += ["this file has no number of processes", "this file has no date"]
    phases, scores, bad = OrderedDict(), None, None
    for i, line in enumerate(text.split("\n"), 1):
        found, score, version = (form.match(line) for form in (LINE, SCORE, VERSION))
        where = "%s:%d" % (source, i)
        if score:
            scores = [number(cell, where) for cell in score.group(2, 3, 4)]
            bad = score.group(1) or score.group(5)
        elif found:
            name, phase = summary_phase(found, where)
            if phases.setdefault(name, phase) != phase:
                raise broken(where, "%s is there twice, of several runs" % name)
        elif version:
            take_version(test, version)
        elif ODD.match(line):
            raise broken(where, "it is not a line of an IO500 summary")
    take(test, phases, scores)
    if bad:
        against_rules(test, "the score")
    return [test]


def take_version(test, found):
    word, mode = found.groups()
    unknown = NO_VERSION.match(word)     # "IO500 version  (standard)"
    test.version = None if unknown else printable(word)
    mode = unknown.group(1) if unknown else mode
    if mode:
        test.option("mode", printable(mode))


def summary_phase(found, where):
    scored, kind, name, value, unit, seconds, invalid = found.groups()
    name = name.replace("_", "-")
    if name not in SCORED and not EXTENDED.match(name):
        raise broken(where, "its phase %s is not known" % printable(name))
    moved = name.startswith("ior")
    if moved != unit.lower().startswith("g") or (kind and moved != (kind == "BW")):
        raise broken(where, "the unit of %s is not %s" % (printable(name), unit))
    bad = invalid or "INVALID" in scored.upper()
    return name, phase_of(value, seconds, "[INVALID]" if bad else None, where)


# ---- result.txt --------------------------------------------------------------


def read_result(text, source):
    test = Result(TOOL)
    sections = sections_of(text)
    head = dict(sections.pop("", {}), **sections.pop("run", {}))
    if head.get("procs"):
        test.ranks = positive(head["procs"], source + ": procs")
    test.version = printable(head.get("version", "")) or None
    for name in ("mode", "config-hash"):
        if name in head:
            test.option(name, printable(head[name]), None, name == "mode")
    if "error" in head:
        against_rules(test, head["error"])
    told = sections.pop("SCORE", {})
    phases = OrderedDict()
    for name, values in sections.items():
        where = "%s: [%s]" % (source, printable(name))
        if name != "SCOREX":
            result_phase(test, phases, name, values, where)
    starts = [s["t_start"] for s in sections.values() if "t_start" in s]
    if starts:
        test.started(starts[0], "%Y-%m-%d %H:%M:%S")
    scores = [(told.get(key, "-").split() or ["-"]) for key in ("BW", "MD", "SCORE")]
    take(test, phases, [number(words[0], source + ": [SCORE]") for words in scores])
    if "error" in told or any("[INVALID]" in words for words in scores):
        against_rules(test, told.get("error", "the score"))
    return [test]


def result_phase(test, phases, name, values, where):
    if name not in SCORED and not EXTENDED.match(name):
        raise broken(where, "its phase is not known")
    if name in SCORED and "score" not in values:
        test.fail("%s: it has no score" % name)
    if "score" in values:
        phases[name] = phase_of(values["score"], values.get("t_delta", "-"),
                                values.get("error"), where)
    take_exe(test, name, values.get("exe", "").split())


def take_exe(test, name, words):
    """Takes a phase's options; of mdtest, -t is another one, without value."""
    for letter, value in zip(words, words[1:]):
        if letter in LETTERS and not value.startswith("-"):
            option, workload = LETTERS[letter]
            test.option("%s %s" % (name, option), printable(value), None, workload)
    if "-F" in words and name.startswith("ior"):
        test.option(name + " fileperproc", True)


def sections_of(text):
    """Returns name -> {key: value}; a comment that reports an error becomes `error`."""
    found = OrderedDict([("", {})])
    name = ""
    for line in text.split("\n"):
        line = line.strip()
        head = SECTION.match(line)
        if head:
            name = head.group(1)
            found.setdefault(name, {})
        elif line.startswith(";"):
            if "INVALID" in line:
                found[name].setdefault("error", printable(line.lstrip("; ")))
        elif "=" in line:
            key, value = line.split("=", 1)
            found[name][key.strip()] = value.strip()
    return found


# ---- both --------------------------------------------------------------------


def against_rules(test, cause):
    """Says that IO500 refuses the run, which leaves its rates what they are, unless
    something failed."""
    if FAULT.search(cause):
        test.fail(cause)
    test.warn("against_rules", "IO500 calls the run invalid (%s); its rates stand as "
              "they were measured" % cause)


def take(test, phases, scores):
    """Makes figures; phases that are not scored are in the results only."""
    for name, phase in phases.items():
        if name not in SCORED:
            test.results[name] = [phase.score]
            continue
        if phase.invalid:
            against_rules(test, "%s: %s" % (name, phase.invalid))
        if phase.score:
            figure(test, name, phase.score)
        if phase.seconds is not None:
            test.results[name + "_s"] = [phase.seconds]
    if scores is None or None in scores:
        test.fail(CUT)
        return
    take_scores(test, phases, scores)
    test.warn("no_submission", "these are the numbers of one run, not an entry of the "
              "IO500 list")


def figure(test, name, score):
    base = name.replace("-", "_")
    if name.startswith("i"):
        test.figure(base + "_MBps", "MB/s", "higher", [score * GIB],
                    "IO500 %s (GiB/s) x 1073.741824" % name)
    else:
        test.figure(base + "_per_s", "1/s", "higher", [score * 1e3],
                    "IO500 %s (kIOPS) x 1000" % name)


def take_scores(test, phases, scores):
    """Takes the scores, and holds them against the phases."""
    moved, called = mean(phases, True), mean(phases, False)
    root = math.sqrt(scores[0] * scores[1])
    formula = "%s of IO500; no submission"
    if differ(scores[2], root, SLACK) and not differ(scores[2], scores[0] * scores[1],
                                                     SLACK):
        test.results["score_product"] = [scores[2]]
        test.warn("score_product", "the file's total, %g, is the product of the two "
                  "scores; the score is its root, as in later files" % scores[2])
        scores = scores[:2] + [root]
    for name, score in zip(("score_bw", "score_md", "score"), scores):
        if score:       # 0: phases are missing
            test.figure(name, "1", "higher", [score], formula % name)
        else:
            test.results[name] = [score]
    if differ(scores[2], root, SLACK):
        test.fail("its total score is %g, its parts give %.6f" % (scores[2], root))
    if any(name not in phases or not phases[name].score for name in SCORED):
        test.warn("score_unchecked", "its scores could not be computed again, since "
                  "phases are missing or have no rate")
        return
    for name, told, (mine, slack) in (("bandwidth", scores[0], moved),
                                      ("metadata", scores[1], called)):
        if differ(told, mine, SLACK + slack):
            test.fail("its %s score is %g, its phases give %.6f" % (name, told, mine))


def differ(told, mine, slack):
    return abs(told - mine) > slack * max(told, mine) + 1e-6


def mean(phases, moved):
    """Returns the geometric mean, and how far digits that lack may change it."""
    some = [phase for name, phase in phases.items()
            if name in SCORED and (name[0] == "i") == moved and phase.score]
    if not some:
        return 0.0, 0.0
    return (math.exp(sum(math.log(phase.score) for phase in some) / len(some)),
            sum(phase.slack for phase in some) / len(some))


FORMATS = [Format(TOOL, "result_summary.txt", is_summary, read_summary),
           Format(TOOL, "result.txt", is_result, read_result)]
