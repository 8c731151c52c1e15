"""IO500: result.txt and result_summary.txt."""
import math
import re
from collections import OrderedDict
from typing import Any, List

from leadline.base.fields import printable
from leadline.importing.result import CUT, GIB, Format, Result, broken, number, positive

TOOL = "io500"
ABOUT = "IO500 (result.txt, result_summary.txt)"
# "[RESULT]" and "[ ]": phases that count for the score, and others. "[SCOREX]" is the
# score of extended runs.
LINE = re.compile(r"^\[(RESULT(?:[ -]INVALID)?|)\s*\]\s+(\S+)\s+(\S+)\s+(GiB/s|kIOPS)"
                  r"\s*:\s*time\s+(\S+)\s+s(?:econds)?(\s*\[INVALID\])?\s*$", re.I)
SCORE = re.compile(r"^\[SCORE([ -]INVALID)?\s*\] Bandwidth\s+(\S+) GiB/s\s*: IOPS\s+"
                   r"(\S+) kIOPS\s*: TOTAL\s+(\S+)(\s*\[INVALID\])?\s*$", re.I)
VERSION = re.compile(r"^IO500 version (\S+)")
SECTION = re.compile(r"^\[(\S+)\]$", re.M)
SCORED = ["ior-easy-write", "ior-easy-read", "ior-hard-write", "ior-hard-read",
          "mdtest-easy-write", "mdtest-easy-stat", "mdtest-easy-delete",
          "mdtest-hard-write", "mdtest-hard-stat", "mdtest-hard-read",
          "mdtest-hard-delete", "find"]
SLACK = 1e-3       # tolerance of a score, relative to what its phases give

# Phase: name -> (score, seconds or None, sentence on what makes it invalid or None).


def is_summary(text: str) -> bool:
    return bool(re.search(r"^\[RESULT[^\]]*\]\s", text, re.M)) and "seconds" in text


def is_result(text: str) -> bool:
    return bool(re.search(r"^procs\s*=", text, re.M) and SECTION.search(text)
                and re.search(r"^(config-hash|result-dir|mode)\s*=", text, re.M))


# ---- result_summary.txt ------------------------------------------------------


def read_summary(text, source):
    test = Result(TOOL)
    test.lost.append("this file has no number of processes, and no date")
    phases, scores, bad = OrderedDict(), None, None
    for i, line in enumerate(text.split("\n"), 1):
        found, score = LINE.match(line), SCORE.match(line)
        where = "%s:%d" % (source, i)
        if score:
            scores = [number(cell, where) for cell in score.group(2, 3, 4)]
            bad = score.group(1) or score.group(5)
        elif found:
            scored, name, value, unit, seconds, invalid = found.groups()
            if (unit == "GiB/s") != (name[:1] == "i"):
                raise broken(where, "the unit of %s is not %s"
                             % (printable(name), unit))
            if name in phases:
                raise broken(where, "%s is there twice" % printable(name))
            bad_phase = invalid or "INVALID" in scored.upper()
            phases[name] = (number(value, where), number(seconds, where),
                            "[INVALID]" if bad_phase else None)
        elif VERSION.match(line):
            test.version = printable(VERSION.match(line).group(1))
        elif line.startswith("[") and not line.startswith("[SCOREX"):
            raise broken(where, "it is not a line of an IO500 summary")
    take(test, phases, scores)
    if bad:
        test.fail("IO500 calls its score invalid")
    return [test]


# ---- result.txt --------------------------------------------------------------


def read_result(text: str, source: str) -> List[Any]:
    test = Result(TOOL)
    sections = sections_of(text)
    head = sections.get("", {})
    test.ranks = positive(head.get("procs", ""), source + ": procs")
    test.version = printable(head.get("version", "")) or None
    for name in ("mode", "config-hash"):
        if name in head:
            test.option(name, printable(head[name]), None, name == "mode")
    phases, scores = OrderedDict(), None
    for name, values in sections.items():
        where = "%s: [%s]" % (source, printable(name))
        if name == "SCORE":
            if "INVALID" in values.get("SCORE", ""):
                values["SCORE"] = values["SCORE"].split()[0]
                values["error"] = "the score is invalid"
            scores = [number(values.get(key, "-"), where)
                      for key in ("BW", "MD", "SCORE")]
            if "error" in values:
                phases[name] = (None, None, values["error"])
        elif name and "score" in values:
            phases[name] = (number(values["score"], where),
                            number(values.get("t_delta", "-"), where),
                            values.get("error"))
        elif name in SCORED:
            phases[name] = (None, None, "it has no score")
    starts = [s["t_start"] for s in sections.values() if "t_start" in s]
    if starts:
        test.started(starts[0], "%Y-%m-%d %H:%M:%S")
    score = phases.pop("SCORE", None)
    take(test, phases, scores)
    if score:
        test.fail(score[2])
    return [test]


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


def take(test, phases, scores):
    """Makes figures; phases that are not scored are in the results only."""
    for name, (score, seconds, invalid) in phases.items():
        if name not in SCORED:
            test.results[name] = [score]
            continue
        if invalid:
            test.fail("%s: %s" % (name, invalid))
        if score:
            figure(test, name, score)
        if seconds is not None:
            test.results[name + "_s"] = [seconds]
    if scores is None or None in scores:
        test.fail(CUT)
        return
    for name, score in zip(("score_bw", "score_md", "score"), scores):
        test.figure(name, "1", "higher", [score], "%s of IO500; no submission" % name)
    compute(test, phases, scores)
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


def mean(phases, rates):
    """Returns the geometric mean; phases of which nothing was measured are left out."""
    values = [score for name, (score, _, _) in phases.items()
              if name in SCORED and (name[0] == "i") == rates and score]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def compute(test, phases, scores):
    rate, calls = mean(phases, True), mean(phases, False)
    for name, told, mine in (("bandwidth", scores[0], rate), ("metadata", scores[1],
                             calls), ("total", scores[2], math.sqrt(rate * calls))):
        if abs(told - mine) > SLACK * max(told, mine) + 1e-6:
            test.fail("its %s score is %g, its phases give %.6f" % (name, told, mine))


FORMATS = [Format(TOOL, "result_summary.txt", is_summary, read_summary),
           Format(TOOL, "result.txt", is_result, read_result)]
