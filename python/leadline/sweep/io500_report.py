"""Makes one report of the runs of leadline io500: figures named like IO500's phases,
its scores, and doubts about each.
"""
import math
import sys
from collections import OrderedDict, namedtuple

from leadline.base import output, stats, table
from leadline.sweep import calibrate

PROGRAM = "io500-diagnosis"
MARK = "diagnosis, not a submission"
RULE_S = 300               # least time of a writing phase by IO500's rules
GIB_MB = (1 << 30) / 1e6   # MB in a GiB
BANDWIDTH, METADATA = "bandwidth", "metadata"
UNITS = {BANDWIDTH: ("MB/s", "GiB/s", GIB_MB), METADATA: ("1/s", "kIOPS", 1000.0)}
SUFFIX = {BANDWIDTH: "_MBps", METADATA: "_per_s"}
SERVED = ("served_from_memory", "cache_below")

# run: one of the four, None: computed here; phase, source: the run's phase and figure
Phase = namedtuple("Phase", "name group run phase source")
PHASES = [   # in IO500's order
    Phase("ior_easy_write", BANDWIDTH, "ior_easy", "write", "write_MBps"),
    Phase("mdtest_easy_write", METADATA, "mdtest_easy", "create", "create.per_s"),
    Phase("ior_hard_write", BANDWIDTH, "ior_hard", "write", "write_MBps"),
    Phase("mdtest_hard_write", METADATA, "mdtest_hard", "create", "create.per_s"),
    Phase("find", METADATA, None, "readdir", ""),
    Phase("ior_easy_read", BANDWIDTH, "ior_easy", "read", "read_MBps"),
    Phase("mdtest_easy_stat", METADATA, "mdtest_easy", "stat", "stat.per_s"),
    Phase("ior_hard_read", BANDWIDTH, "ior_hard", "read", "read_MBps"),
    Phase("mdtest_hard_stat", METADATA, "mdtest_hard", "stat", "stat.per_s"),
    Phase("mdtest_easy_delete", METADATA, "mdtest_easy", "unlink", "unlink.per_s"),
    Phase("mdtest_hard_read", METADATA, "mdtest_hard", "read", "read.per_s"),
    Phase("mdtest_hard_delete", METADATA, "mdtest_hard", "unlink", "unlink.per_s")]

# Warnings about every report, whatever the runs say.
ALWAYS = OrderedDict([
    ("diagnosis", MARK + ": other programs, another order and other rules of time than "
     "IO500's"),
    ("order", "each run reads, looks at and deletes right after it wrote, where IO500 "
     "has all other phases between, so caches of servers help more"),
    ("find", "find is computed: names of both runs by the seconds in which the slowest "
     "rank lists each directory once; IO500 also looks at the few that match")])


# ---- values ------------------------------------------------------------------


def sample(tree, phase, act):
    return next((s for s in tree["samples"] if s["phase"] == phase
                 and s["act"] == act), None)


def figure_of(tree, name):
    return next((f["median"] for f in tree["figures"] if f["name"] == name), None)


def find_rate(trees):
    """Returns names per second of listing; None if nothing was listed."""
    names = seconds = 0.0
    for what in ("mdtest_easy", "mdtest_hard"):
        listed = sample(trees[what], "readdir", "open_close")
        made = sample(trees[what], "unlink", "open_close")
        if not listed or not made:
            return None
        names += made["calls"]
        seconds += listed["max_s"]
    return names / seconds if seconds > 0.0 else None


def value(phase, trees):
    found = figure_of(trees[phase.run], phase.source) if phase.run else find_rate(trees)
    return found if found and found > 0.0 else None


def values(trees):
    """Returns {name of a phase: rate} of one round."""
    return OrderedDict((p.name, value(p, trees)) for p in PHASES)


def geometric_mean(group, rates):
    """Returns the mean in IO500's unit; None if a phase has no rate."""
    found = [rates[p.name] for p in PHASES if p.group == group]
    if None in found:
        return None
    return math.exp(stats.mean([math.log(v / UNITS[group][2]) for v in found]))


def scores(rates):
    """Returns the scores by the published formula."""
    bandwidth, metadata = (geometric_mean(g, rates) for g in (BANDWIDTH, METADATA))
    both = None if None in (bandwidth, metadata) else math.sqrt(bandwidth * metadata)
    return OrderedDict([("score_bw", bandwidth), ("score_md", metadata),
                        ("score", both)])


FORMULAS = {
    "score_bw": "geometric mean of the four rates of ior, in GiB/s",
    "score_md": "geometric mean of the eight rates of mdtest and find, in thousands of "
                "operations a second",
    "score": "sqrt(score_bw x score_md)"}


def formula(phase):
    if phase.run is None:
        return "files of both mdtest runs / (slowest rank's seconds of listing the " \
            "directories of easy + those of hard)"
    return "%s of the run like %s" % (phase.source, phase.run.replace("_", "-"))


def row(name, unit, formula_, reps):
    known = [v for v in reps if v is not None]
    interval = stats.interval(known)
    return OrderedDict([
        ("name", name), ("at", {}), ("unit", unit), ("better", "higher"),
        ("formula", formula_), ("reps", reps),
        ("median", stats.median(known) if known else None),
        ("min", min(known) if known else None), ("max", max(known) if known else None),
        ("ci95", [interval.low, interval.high] if interval else None),
        ("ci_of", "geometric mean")])


def figures(rounds):
    rates = [values(trees) for trees in rounds]
    out = [row(p.name + SUFFIX[p.group], UNITS[p.group][0], formula(p),
               [r[p.name] for r in rates]) for p in PHASES]
    both = [scores(r) for r in rates]
    return out + [row(name, "1", FORMULAS[name] + "; " + MARK, [b[name] for b in both])
                  for name in FORMULAS]


# ---- doubts ------------------------------------------------------------------


def seconds(phase, trees):
    """Returns the seconds of the slowest rank in this phase, including all that belongs
    to it."""
    if phase.run is None:
        return sum(sample(trees[w], "readdir", "wall")["max_s"]
                   for w in ("mdtest_easy", "mdtest_hard"))
    return sample(trees[phase.run], phase.phase, "wall")["max_s"]


def written(trees, what):
    return sum(s["bytes"] or 0 for s in trees[what]["samples"] if s["act"] == "write")


def read(trees, what):
    return sum(s["bytes"] or 0 for s in trees[what]["samples"] if s["act"] == "read")


def doubts(phase, trees, limit):
    """Returns [(code, sentence)] about one phase of one round."""
    found, tree = [], trees[phase.run or "mdtest_hard"]
    if value(phase, trees) is None:
        found.append(("no_rate", "it has no rate, so there is no score"))
    if phase.name.endswith("_write"):
        took = seconds(phase, trees)
        if took < RULE_S:
            found.append(("short", "it took less than %d s, so caches of controllers, "
                          "servers and disks may have taken it" % RULE_S))
        if took < limit:
            found.append(("ended_early", "it reached the most that --bytes or --files "
                          "allows before the time was over"))
    if phase.name.endswith("_read"):
        found += read_doubts(phase, trees)
    if tree["mpi"]["nodes"] == 1:
        found.append(("single_node", "one node: its memory may know what its ranks "
                      "wrote, and no network between nodes takes part"))
    return found


def read_doubts(phase, trees):
    tree, out = trees[phase.run], []
    for warning in tree["warnings"]:
        if warning["code"] in SERVED:
            out.append((warning["code"], "memory or a cache may have served its reads"))
    memory = sum(host["memory_bytes"] or 0 for host in tree["hosts"])
    if written(trees, phase.run) < memory:
        out.append(("small", "less was written than the nodes' memory holds, so their "
                    "servers may have it in memory, too"))
    if read(trees, phase.run) < written(trees, phase.run):
        out.append(("read_part", "the time was over before all that was written was "
                    "read"))
    return out


def all_doubts(rounds, limit):
    """Returns {code: (sentence, [names of phases])} of all rounds."""
    out = OrderedDict()
    for phase in PHASES:
        for trees in rounds:
            for code, sentence in doubts(phase, trees, limit):
                names = out.setdefault(code, (sentence, []))[1]
                if phase.name not in names:
                    names.append(phase.name)
    return out


def warnings(found):
    rows = [(code, text) for code, text in ALWAYS.items()]
    rows += [(code, "%s: %s" % (", ".join(names) if len(names) < len(PHASES)
                                else "all phases", sentence))
             for code, (sentence, names) in found.items()]
    return [OrderedDict([("code", code), ("text", text)]) for code, text in rows]


# ---- one report --------------------------------------------------------------


def merged(rounds, options, label):
    first, last = rounds[0]["ior_easy"], rounds[-1]["mdtest_hard"]
    every = [tree for trees in rounds for tree in trees.values()]
    found = all_doubts(rounds, options["time"]["value"])
    tree = OrderedDict(first)
    tree["run"] = dict(
        first["run"], id="io500-" + first["run"]["id"], program=PROGRAM, label=label,
        argv=sys.argv, series=None, end_utc=last["run"]["end_utc"],
        wall_s=sum(t["run"]["wall_s"] or 0.0 for t in every))
    tree["files"] = [dict(f, role="%s %s" % (what, f["role"]))
                     for what, t in rounds[0].items() for f in t["files"]]
    tree["options"] = options
    tree["samples"] = [dict(s, rep=rep, phase="%s.%s" % (what, s["phase"]))
                       for rep, trees in enumerate(rounds, 1)
                       for what, t in trees.items() for s in t["samples"]]
    tree["figures"] = figures(rounds)
    tree["results"] = OrderedDict([("mark", MARK),
                                   ("phases", phase_rows(rounds, found))])
    tree["checks"] = calibrate.worst([t["checks"] for t in every])
    tree["warnings"] = warnings(found)
    return tree


def phase_rows(rounds, found):
    out = []
    for phase in PHASES:
        rates = [v for v in (value(phase, trees) for trees in rounds) if v is not None]
        unit, factor = UNITS[phase.group][1:]
        out.append(OrderedDict([
            ("phase", phase.name.replace("_", "-")),
            ("value", stats.median(rates) / factor if rates else None), ("unit", unit),
            ("seconds", stats.median([seconds(phase, t) for t in rounds])),
            ("doubts", [code for code, (_, names) in found.items()
                        if phase.name in names])]))
    return out


def text(tree):
    """Returns the text to print: the table in IO500's units, the scores, the doubts."""
    codes = [w["code"] for w in tree["warnings"]]
    rows = [[r["phase"], "-" if r["value"] is None else "%.4f" % r["value"], r["unit"],
             "%.1f" % r["seconds"],
             " ".join(str(codes.index(code) + 1) for code in r["doubts"])]
            for r in tree["results"]["phases"]]
    medians = {f["name"]: f["median"] for f in tree["figures"]}
    said = ["%.4f" % medians[n] if medians[n] is not None else "none" for n in FORMULAS]
    out = "The patterns of IO500: %s\n\n" % MARK
    out += table.text(["phase", "rate", "unit", "seconds", "doubts"], rows,
                      right=(1, 3))
    out += "\n" + output.wrap("Bandwidth %s GiB/s, metadata %s kIOPS, score %s (%s)."
                              % (said[0], said[1], said[2], MARK))
    return out + "\n" + "".join(
        output.wrap(w["text"], "%2d " % i, "   ")
        for i, w in enumerate(tree["warnings"], 1))
