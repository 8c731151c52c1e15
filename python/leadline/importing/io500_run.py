"""A run of IO500 in a folder: its summaries, and the files of its phases, are one."""
import re

from leadline.base.fields import printable
from leadline.importing import ior, mdtest
from leadline.importing.io500 import EXTENDED, SCORED, TOOL
from leadline.importing.result import CUT, plain

TOOLS = (TOOL, ior.TOOL, mdtest.TOOL)
EXTRAS = ("config.ini", "config-orig.ini", "find.csv")
SLACK = 1e-3            # relative, between two files of one measurement
OF_RANKS = 0.05         # the same, of a rate computed from those of ranks
LEAST = {"_MBps": 0.54, "_per_s": 0.51}     # half of the last digit of the old script
FILES = {"write": "create", "stat": "stat", "read": "read", "delete": "remove"}
FIND = re.compile(r"runtime: \S+ rate: (\d{1,15}\.?\d{0,9})")
# Members of a phase's file that are taken, and whether they are the workload.
OPTIONS = {"api": True, "access": True, "type": True, "transfersize": True,
           "blocksize": False, "segments": False, "items": False, "write_bytes": True,
           "read_bytes": True, "unique_dir": True}
TIMES = ("open_s", "transfer_s", "close_s", "total_s", "rank_slowest_MBps",
         "rank_fastest_MBps")


def in_order(held):
    """Returns the files of whole runs, the one that tells most first."""
    return sorted((item for item in held if item.form[0] == TOOL), key=lambda item: (
        -len(item.results[0].figures), item.form[1] != "result.txt",
        not item.source.stem.startswith("result"), item.name))


def tells(group):
    """Sorts folders: first those with files of phases, and with result.txt."""
    held = group[0]
    runs = in_order(held)
    return (len(runs) - len(held), not runs or runs[0].form[1] != "result.txt")


def rates(result):
    return {f["name"]: f["reps"][0] for f in result.figures
            if f["name"].endswith(tuple(LEAST)) and f["reps"][0]}


def near(name, mine, other, slack=SLACK):
    least = LEAST["_MBps" if name.endswith("_MBps") else "_per_s"]
    return abs(mine - other) <= slack * max(mine, other) + least


def twin(result, runs):
    """Returns (name, Result) of the run whose rates contain those of this one."""
    mine = rates(result)
    for name, run in runs:
        theirs = rates(run)
        if mine and all(name in theirs and near(name, mine[name], theirs[name])
                        for name in mine):
            return name, run
    return None


# ---- files of phases ---------------------------------------------------------


def phase_of(item):
    """Returns the phase that a file is named after."""
    name = item.source.stem.replace("_", "-")
    return name if name in SCORED or EXTENDED.match(name) else None


def is_of_ranks(item):
    return item.form[1] == "CSV of ranks"


def text_beside(item, parts):
    """Returns the text of the same phase as CSV of ranks."""
    return next((other for other in parts if is_of_ranks(item) and other is not item
                 and other.form[1] == "text" and other.form[0] == item.form[0]
                 and other.source.stem == item.source.stem), None)


def bounds(part, tool, phase):
    """Returns (figure, least, most) that a phase's file has of the phase."""
    kind = phase.rsplit("-", 1)[-1]
    names = ([kind + "_MBps"] if tool == ior.TOOL else
             ["file_%s_per_s" % FILES.get(kind), "file_open_per_s"])
    for figure in part.figures:
        if figure["name"] in names and figure["reps"][0]:
            base = figure["name"].rsplit("_per_s", 1)[0]
            low, top = (part.results.get("%s_%s" % (base, end), figure["reps"])[0]
                        for end in ("min", "max"))
            return figure["name"], low, top
    return None


def agrees(run, item):
    """True if the file is of a phase of the run: it has the phase's rate."""
    phase, part = phase_of(item), item.results[0]
    if phase is None or len(item.results) > 1:
        return False
    found = bounds(part, item.form[0], phase)
    if found is None:
        return False
    name, low, top = found
    if phase in SCORED:
        ours = rates(run).get(phase.replace("-", "_") + (
            "_MBps" if name.endswith("_MBps") else "_per_s"))
    else:       # only in the results, in GiB/s
        other = phase.replace("-read", "-easy-read")    # of which it is the older name
        score = (run.results.get(phase) or run.results.get(other) or [None])[0]
        ours = score * 1073.741824 if score and name.endswith("_MBps") else None
    slack = OF_RANKS if is_of_ranks(item) else SLACK
    return ours is not None and (low <= ours <= top or near(name, low, ours, slack)
                                 or near(name, top, ours, slack))


def link(run, item):
    """Adds a phase's file to the run."""
    phase, part = phase_of(item), item.results[0]
    add(run, item.source, " ".join(item.form), phase)
    if run.ranks is None and part.ranks:
        run.ranks = part.ranks
        run.lost = [line for line in run.lost if "number of processes" not in line]
        run.lost.append("the number of processes is that of %s" % item.source.stem)
    for name in ("nodes", "ranks_per_node", "host"):
        if getattr(run, name) is None:
            setattr(run, name, getattr(part, name))
    for name, workload in OPTIONS.items():
        if part.options.get(name) and part.options[name][0] is not None:
            value, unit, _ = part.options[name]
            run.option("%s %s" % (phase, name), value, unit, workload)
    kind = phase.rsplit("-", 1)[-1]
    for name in TIMES:
        if "%s_%s" % (kind, name) in part.results:
            run.results["%s %s" % (phase, name)] = part.results["%s_%s" % (kind, name)]
    if part.why and part.why != CUT:
        run.blocks_bad = part.blocks_bad
        run.fail("%s: %s" % (phase, part.why))


def add(run, source, form, phase):
    run.parts.append({"file": printable(source.name), "sha256": source.sha256,
                      "format": form, "phase": phase})


# ---- other files -------------------------------------------------------------


def take_extra(run, name, source):
    """Links find's rate, and the configuration; False if it is not of this run."""
    text = source.data[:1 << 20].decode("utf-8", "replace")
    if name.endswith("find.csv"):
        found, ours = FIND.match(text), rates(run).get("find_per_s")
        if not (found and ours and near("find_per_s", float(found.group(1)), ours)):
            return False
        add(run, source, "find CSV", "find")
        return True
    if not any(part["format"] == "ini" for part in run.parts):
        take_ini(run, text)
        add(run, source, "ini", "")
        return True
    return False


def take_ini(run, text):
    """Takes what was asked for; what was used is in the options of the phases."""
    section = ""
    for line in text.split("\n"):
        head = re.match(r"\[([\w-]+)\]\s*$", line)
        key, is_there, value = line.partition("=")
        if head:
            section = head.group(1)
        elif is_there and value.strip() and re.match(r"[\w-]+$", key.strip()):
            run.option("ini %s %s" % (section, key.strip()), plain(value), None, False)
