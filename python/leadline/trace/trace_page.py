"""The page of iotrace report: the results of "iotrace findings" and "iotrace bins", in
words, tables and pictures. Everything from the trace is escaped (draw/html.py).
"""
import math
import re
from collections import OrderedDict
from functools import partial

from leadline.base.table import plural
from leadline.draw.html import Raw, document, grid, items, section, tag
from leadline.trace import trace_svg
from leadline.trace.trace_svg import bytes_text, seconds_text

STYLE = """
.sev { font-size: .8rem; font-weight: 600; border-radius: .3rem; padding: 0 .45rem;
  border: 1px solid currentColor; white-space: nowrap; }
.high { color: var(--bad); } .medium { color: var(--link); }
.low, .below { color: var(--soft); }
details { border: 1px solid var(--edge); border-radius: .4rem; padding: .3rem 1rem;
  margin: .6rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.remedy { background: var(--shade); padding: .4rem .8rem; border-radius: .3rem; }
.lead { font-size: 1.15rem; }
td.name { min-width: 13rem; }
@media (min-width: 50rem) { details dl {
  grid-template-columns: max-content 1fr max-content 1fr; } }
@media print { details::details-content { content-visibility: visible; display: block; }
  details { break-inside: avoid; border: none; padding: 0; }
  .long { break-inside: auto; }
  .long:not([open])::details-content { display: none; } }
"""
FIRST = 5              # findings in the verdict
RISKS = 10             # under it
BRACKETS = 6           # findings above ranks by time
FILES = 60             # rows
RANKS = 1024           # rows
# rows of ranks on paper; on the screen the page shows them on demand
PRINTED = 64
SERIES = 256           # ranks of a finding that are listed
PHASES = 40            # named above ranks by time
FOLDERS = 40           # rows
PATTERNS = 20          # rows
PICTURED = 3           # files with pictures
HOSTS = 8              # named
LAYERS = 16            # rows of the picture
FOLDERS_SHOWN = 12     # likewise
BANDS = trace_svg.COLUMNS

METHOD = [
    "A call counts once, as the program made it: what a library does to carry it out "
    "counts in the part on layers only. Processes without a rank, pipes, sockets, "
    "and files of the system are left out where there are ranks; the table of what is "
    "not in scope has them.",
    "W is the time from the end of MPI_Init to the start of MPI_Finalize on the "
    "slowest rank, or from the first to the last event if there is no MPI.",
    "A finding needs its condition, at least 16 events or 1 MiB, and time at stake. "
    "What could be gained is an estimate of the time that its remedy saves on the "
    "worst rank: high from 10 % of W on, medium from 2 %, low from 0.5 %. An event "
    "counts in one finding; others that it also belongs to are named.",
    "In the picture of ranks by time, a cell has the colour of what its rank does most "
    "in that slice of time, and is stronger the longer it is in calls. A transfer that "
    "lasts over several slices is shared out in proportion. Where a row stands for "
    "several ranks, it shows the one that is longest in calls.",
    "In pictures of offsets, a cell is stronger the more bytes were moved there. Small "
    "transfers are those that cost more to start than to move, by a fit of duration = "
    "start + bytes / rate.",
    "Sizes and times of calls are counted by powers of two.",
]


def share_text(share):
    if share is None:
        return "-"
    return "< 0.001 %" if 0 < share < 1e-5 else "%.3g %%" % (100 * share)


def hosts_text(hosts):
    more = len(hosts) - HOSTS
    return ", ".join(hosts[:HOSTS]) + (" and %d more" % more if more > 0 else "")


def maybe(value, text):
    return "-" if value is None else text(value)


def calls_text(n):
    return "{:,}".format(n)


# ---- verdict -----------------------------------------------------------------


def badge(finding):
    return tag("span", finding["severity"], class_="sev " + (
        finding["severity"] if finding["severity"] in ("high", "medium", "low")
        else "below"))


def gain_text(f):
    if f["gain_s"] is None:
        return "at most %s of all ranks' time is at stake" % seconds_text(
            f["at_stake_s"])
    return "could save %s, %s of the run on rank %s" % (
        seconds_text(f["worst_gain_s"] or 0), share_text(f["share_of_wall"]),
        f["worst_rank"])


def ranked(found):
    return [f for f in found["findings"] if f["severity"] != "below"]


def titled(found, name):
    """Returns the title of a finding; its name, if the file of findings is newer."""
    return found["list"][name]["title"] if name in found["list"] else name


def verdict(found):
    v = found["verdict"]
    out = [tag("p", v["text"], class_="lead")]
    rows = [tag("li", badge(f), " ", tag("a", f["title"] + ":", href="#finding-%d" % n),
                f["sentence"], " ", tag("span", gain_text(f) + ".", class_="soft"))
            for n, f in enumerate(ranked(found)[:FIRST], 1)]
    if rows:
        out.append(tag("ol", *rows))
    if v["io_s"] > 0:
        out.append(tag("p", "Ranks spent %s in I/O in all; findings cover %s of it." % (
            seconds_text(v["io_s"]), share_text(v["covered_share"]))))
    out += risks(found)
    well = [titled(found, name) for name in found["not_found"]]
    if well:
        out.append(tag("p", "Looked for and not found: " + "; ".join(well) + ".",
                       class_="soft"))
    return [tag("div", *out, class_="box")]


def risks(found):
    if not found["risks"]:
        return []
    return [tag("h3", "Risks to the data"),
            items([risk_text(r) for r in found["risks"][:RISKS]])]


def risk_text(r):
    """Describes a risk: what, where, which events, and what to do."""
    where = ", ".join(words for words in (
        "%s (%s)" % (r["file"], plural(r["file_count"], "file")) if r["file_count"] > 1
        else r["file"], "ranks " + r["ranks_text"] if r["ranks_text"] else "",
        "events %s of iotrace dump" % ", ".join(map(str, OrderedDict.fromkeys(
            r["events"])))) if words)
    return "%s: %s; %s. %s" % (r["title"], r["sentence"].rstrip("."), where,
                               r["remedy"])


# ---- programs ----------------------------------------------------------------


def what_ran(found, bins):
    kinds = sorted(set(f["file_system"] for f in found["files"] if f["file_system"]))
    rows = [("program", found["command"] or found["program"]),
            ("ranks", found["rank_count"] or None),
            ("processes", found["process_count"]),
            ("hosts", hosts_text(found["hosts"])),
            ("cores", found["cores"]),
            ("run time W", seconds_text(found["wall_s"])),
            ("in I/O", "%s of all ranks" % seconds_text(found["verdict"]["io_s"])),
            ("file systems", ", ".join(kinds)),
            ("files", "%s in %s" % (
                plural(sum(f["count"] for f in found["files"]), "file"),
                plural(found["file_groups"], "group"))),
            ("events", "%s in %s" % (calls_text(found["events"]),
                                     plural(found["logs"], "log")))]
    return [tag("dl", *[Raw(tag("dt", name) + tag("dd", words))
                        for name, words in rows if words])]


def unseen(found):
    out = []
    if found["unseen"]:
        out.append(items(found["unseen"]))
    else:
        out.append(tag("p", "Nothing is known to be missing from this trace."))
    seen = found.get("seen", {})
    if None not in (seen.get("read"), seen.get("written")):
        out.append(tag("p", "Of the bytes that the kernel counted as read, %.1f %% are "
                       "in the logs, and %.1f %% of those written." %
                       (math.floor(1000 * seen["read"]) / 10,
                        math.floor(1000 * seen["written"]) / 10)))
    if found["events_dropped"]:
        out.append(tag("p", "%s were dropped." % plural(found["events_dropped"],
                                                        "event")))
    if found["not_judged"]:
        out += [tag("h3", "Not judged"), items(
            ["%s: %s" % (titled(found, n["id"]), n["because"])
             for n in found["not_judged"]])]
    if found["folded"]:
        out.append(grid(
            ("not in scope", "files", "calls", "bytes", "seconds", "of W, worst rank"),
            [((f["what"], "name"), calls_text(f["files"]), calls_text(f["calls"]),
              bytes_text(f["bytes"]), seconds_text(f["seconds"]),
              share_text(f["worst_share"])) for f in found["folded"]],
            (1, 2, 3, 4, 5), "Seen, and left out of all that is above"))
    notes = list(OrderedDict.fromkeys(n["note"] for n in found["notes"]))
    return out + ([items(notes[:20])] if notes else [])


# ---- time --------------------------------------------------------------------


def bands_of(ranks):
    """Returns [(label, ranks)], at most BANDS."""
    each = max(1, -(-len(ranks) // BANDS))
    return [(ranks[i]["rank"] if ranks[i]["rank"] >= 0 else ranks[i]["pid"],
             ranks[i:i + each]) for i in range(0, len(ranks), each)], each


def time_picture(found):
    bands, each = bands_of(found["ranks"])
    bars = []
    for label, members in bands:
        parts = [trace_svg.class_parts(m["classes"]) for m in members]
        mean = [sum(column) / len(parts) for column in zip(*parts)]
        bars.append((label, mean, max(map(sum, parts)) if each > 1 else None))
    words = ["Seconds in calls of each kind, all threads of a rank together."]
    if each > 1:
        words.append("A column is the mean of %d ranks and is named by the first; the "
                     "dash above it is the longest of them." % each)
    worst = max(found["ranks"], key=lambda r: r["io_s"])
    if len(found["ranks"]) > 1:
        words.append("%s %d is longest in I/O: %s, %s of its run time." % (
            "Rank" if worst["rank"] >= 0 else "Process",
            worst["rank"] if worst["rank"] >= 0 else worst["pid"],
            seconds_text(worst["io_s"]),
            share_text(worst["io_s"] / worst["wall_s"] if worst["wall_s"] else None)))
    what = "rank" if found["rank_count"] else "process"
    return figure("Seconds of each %s in I/O" % what, partial(
        trace_svg.columns, "time", "Where time went", words, bars, "seconds",
        wall=found["wall_s"], what=what), words)


def figure(title, draw, words):
    """Makes a figure; draw() makes the picture, for a wide page or a narrow one."""
    return tag("figure", tag("h3", title) if title else "",
               tag("div", Raw(draw()), class_="broad"),
               tag("div", Raw(draw(narrow=True)), class_="phone"),
               tag("figcaption", *[tag("div", w) for w in words]))


def where_time(found):
    table = grid(("class", "calls", "bytes", "seconds of all ranks", "of W, mean",
                  "of W, worst", "worst rank"),
                 [((c["class"], "name"), calls_text(c["calls"]), bytes_text(c["bytes"]),
                   seconds_text(c["seconds"]), share_text(c["mean_share"]),
                   share_text(c["worst_share"]), c["worst_rank"])
                  for c in found["classes"]], (1, 2, 3, 4, 5, 6))
    out = [table]
    if found["ranks"] and any(sum(trace_svg.class_parts(r["classes"])) > 0
                              for r in found["ranks"]):
        out.append(time_picture(found))
    return out + [rank_table(found)]


def rank_table(found):
    shown = found["ranks"]
    if len(shown) > RANKS:
        shown = sorted(shown, key=lambda r: -r["io_s"])[:RANKS]
    ranked_by = "rank" if found["rank_count"] else "process"
    rows = [(r["rank"] if r["rank"] >= 0 else r["pid"], (r["host"], "name"),
             seconds_text(r["wall_s"]), seconds_text(r["io_s"]),
             bytes_text(r["bytes_read"]), bytes_text(r["bytes_written"]),
             calls_text(r["calls"])) for r in shown]
    title = "All %d" % len(shown) if len(shown) == len(found["ranks"]) else \
        "The %d of %d that are longest in I/O" % (len(shown), len(found["ranks"]))
    return tag("details", tag("summary", "Table by %s" % ranked_by),
               tag("div", grid((ranked_by, "host", "run time", "in I/O", "read",
                                "written", "calls"), rows, (0, 2, 3, 4, 5, 6), title),
                   class_="many", tabindex="0", role="region",
                   aria_label="Figures by %s" % ranked_by),
               class_="long" if len(rows) > PRINTED else None)


# ---- timeline ----------------------------------------------------------------


def lanes_of(bins):
    ranks = sorted((p for p in bins["processes"] if p["rank"] >= 0),
                   key=lambda p: p["rank"])
    return ranks or bins["processes"]


SEVERITY = {"high": 1, "medium": 0, "low": 7}


def when(found, bins):
    lanes = lanes_of(bins)
    if not lanes:
        return []
    spans, phases = [], []
    if found:
        later = found["begin_s"] - bins["begin_s"]
        spans = [(f["first_s"] + later, f["last_s"] + later,
                  "%d %s" % (n, f["id"]), SEVERITY.get(f["severity"], 7))
                 for n, f in enumerate(ranked(found)[:BRACKETS], 1)]
        phases = [(p["first_s"] + later, p["last_s"] + later, p["name"])
                  for p in found["phases"] if p["name"]][:PHASES]
    what = "rank" if lanes[0]["rank"] >= 0 else "process"
    words = ["Each row is a %s, each column %s." % (
        what, seconds_text(bins["seconds"] / bins["slices"]))]
    if len(lanes) > 128:
        words = ["Each row is %d ranks, of which it shows the one that is longest in "
                 "calls; each column is %s." % (
                     -(-len(lanes) // 128),
                     seconds_text(bins["seconds"] / bins["slices"]))]
    if spans:
        words.append("Brackets are the times of findings, by their numbers.")
    return [figure("Ranks by time" if what == "rank" else "Processes by time",
                   partial(trace_svg.when, bins, lanes, what, (spans, phases), words),
                   words)]


# ---- findings ----------------------------------------------------------------

RELATIONS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}


def quantity(value, unit):
    if value is None:
        return "-"
    return (share_text(value) if unit == "share" else bytes_text(value)
            if unit == "bytes" else seconds_text(value) if unit == "s"
            else "%g" % value)


def evidence(f):
    where = f["file"] + (" (%s)" % plural(f["file_count"], "file")
                         if f["file_count"] > 1 else "")
    rows = [("file", where), ("direction", f["direction"]),
            ("ranks", f["ranks_text"]),
            ("processes", ", ".join(map(str, f["processes"][:16]))),
            ("hosts", hosts_text(f["hosts"])),
            ("when", "second %.4g to %.4g" % (f["first_s"], f["last_s"])),
            ("calls", "%s, %s" % (calls_text(f["calls"]), bytes_text(f["bytes"]))),
            ("median size", bytes_text(f["median_bytes"]) if f["median_bytes"] else ""),
            ("at stake", "%s of all ranks" % seconds_text(f["at_stake_s"])),
            ("gain", maybe(f["gain_s"], lambda s: "%s of all ranks" % seconds_text(s))),
            ("events", "%s of iotrace dump" % ", ".join(map(str, f["events"]))
             if f["events"] else ""), ("also", ", ".join(f["also"]))]
    return tag("dl", *[Raw(tag("dt", name) + tag("dd", words)) for name, words in rows
                       if words])


def finding_picture(n, f, kinds):
    """Draws the seconds of each rank that has the finding."""
    series = sorted(f["series"], key=lambda s: s["rank"])
    if len(series) < 2:
        return ""
    each = max(1, -(-len(series) // BANDS))
    kind = kinds.get(f["id"], {}).get("class") or f["direction"] or (
        "open, close, metadata")
    i = [name for name, *_ in trace_svg.CLASSES].index(kind)
    bars = []
    for k in range(0, len(series), each):
        parts = [0.0] * len(trace_svg.CLASSES)
        parts[i] = max(s["seconds"] for s in series[k:k + each])
        bars.append((series[k]["rank"], parts, None))
    words = "Seconds of each rank in this" + (
        "; a column is the most of %d ranks." % each if each > 1 else ".")
    if len(f["series"]) >= SERIES:
        words += " Only the %d ranks with the most are shown." % len(series)
    return figure("", partial(trace_svg.columns, "f%d" % n, f["title"], [words], bars,
                              "seconds", 110), [words])


def findings(found):
    out = []
    if not ranked(found):
        out.append(tag("p", "None: nothing that is looked for costs this run "
                       "noticeable time."))
    for n, f in enumerate(ranked(found), 1):
        head = tag("summary", badge(f), " ", tag("strong", "%d. %s" % (n, f["title"])),
                   " in " + f["file"] if f["file"] else "")
        conditions = grid(
            ("condition", "here", "limit"),
            [((c["what"], "words"), quantity(c["value"], c["unit"]), "%s %s" % (
                RELATIONS.get(c["relation"], c["relation"]),
                quantity(c["limit"], c["unit"]))) for c in f["condition"]], (1,))
        out.append(tag("details", head, tag("p", f["sentence"]),
                       tag("p", tag("strong", "Remedy: "), f["remedy"],
                           class_="remedy"),
                       evidence(f), conditions, finding_picture(n, f, found["list"]),
                       id="finding-%d" % n,
                       open="" if f["severity"] in ("high", "medium") else None))
    small = [f for f in found["findings"] if f["severity"] == "below"]
    if small:
        out.append(tag("p", "%s cost less than 0.5 %% of the run: %s." % (
            plural(len(small), "more finding"),
            ", ".join(OrderedDict.fromkeys(f["title"] for f in small))), class_="soft"))
    out.append(tag("p", "What other ways would cost can be measured without the "
                   "program: iotrace ldad --skeleton=FILE RUN, then leadline whatif "
                   "FILE.", class_="soft"))
    return out


# ---- layers, files -----------------------------------------------------------


def moved(amount):
    return "%s in %s" % (bytes_text(amount["bytes"]), calls_text(amount["calls"]))


def layers(found):
    rows, alike, shown = [], 0, []
    for f in found["files"]:
        for way in ("read", "write"):
            asked, done = f["asked"].get(way), f["done"].get(way)
            if not asked or not done or not (asked["bytes"] or done["bytes"]):
                continue
            if (asked["calls"], asked["bytes"]) == (done["calls"], done["bytes"]):
                alike += 1
                continue
            factor = done["bytes"] / asked["bytes"] if asked["bytes"] else None
            shown.append((f["name"], int(way == "write"), asked["bytes"],
                          done["bytes"]))
            rows.append(((f["name"], "name"), way, moved(asked), moved(done),
                         maybe(factor, lambda x: "%.3g" % x),
                         seconds_text(asked["seconds"]), seconds_text(done["seconds"])))
    out = [tag("p", "What the program asked for, and what reached the system below the "
               "libraries: bytes in calls. A factor above 1 is more bytes than were "
               "asked for: data sieving or read-ahead of a library. Below 1, a library "
               "had the bytes already, or other ranks moved them.")] if rows else []
    shown = [row for row in shown if row[2] != row[3]]
    if shown:
        words = ["Bytes asked for and bytes that the system moved%s." % (
            "" if len(shown) <= LAYERS else ", of the %d files with the most time"
            % LAYERS)]
        out.append(figure("From asked to done", partial(
            trace_svg.layers, "From asked to done", words, shown[:LAYERS]), words))
    if rows:
        out.append(tall(grid(("file", "", "asked", "done", "factor", "time asked",
                              "time done"), rows[:FILES], (2, 3, 4, 5, 6)),
                        len(rows), "Layers"))
    if alike:
        out.append(tag("p", "%s as it was asked." % (
            "All was done" if not rows else
            "Of %s, all was done" % plural(alike, "further row"))))
    return out


def tall(table, rows, name):
    """Makes a long table scrollable, except in print."""
    if rows <= 12:
        return table
    return tag("div", table, class_="many", tabindex="0", role="region",
               aria_label=name)


def pattern_text(f):
    out = []
    for way in ("read", "write"):
        found = f["patterns"].get(way)
        if found:
            kind = max(found, key=lambda k: found[k] or 0)
            out.append("%s: %s %.0f %%" % (way, kind, 100 * (found[kind] or 0)))
    return ", ".join(out)


def short(words, most=20):
    return words if len(words) <= most else words[:most - 1] + "\u2026"


def role(name):
    """Returns a file's role: files whose names differ in digits only are alike."""
    return re.sub("[0-9]+", "#", name)


def file_table(found):
    rows = []
    for f in found["files"][:FILES]:
        asked = f["asked"]
        rows.append(((f["name"], "name"), calls_text(f["count"]),
                     short(f["ranks_text"]), seconds_text(f["seconds"]),
                     bytes_text(asked["read"]["bytes"]),
                     bytes_text(asked["write"]["bytes"]),
                     calls_text(asked["read"]["calls"] + asked["write"]["calls"]),
                     (pattern_text(f), "words"), f["file_system"] or "-"))
    title = ("%d of %d groups of files, most time first; names that differ in digits "
             "are a group" % (len(rows), found["file_groups"]))
    table = grid(("file", "files", "ranks", "time", "read", "written", "transfers",
                  "pattern", "file system"), rows, (1, 3, 4, 5, 6), title)
    return tall(table, len(rows), "Files")


SYSTEM = ("/usr/", "/etc/", "/lib", "/proc/", "/sys/", "/dev/", "pipe:", "socket:", "|",
          "anon_inode:")


def pattern_row(f, members):
    """Returns a row for one direction of a file, as the processes that use it show
    it."""
    first = next((p for p in members if p["descriptors"]), None)
    text = max(first["descriptors"], key=lambda d: d["size"] * d["count"]
               * d["outer_count"] * d["repeats"])["text"] if first else "-"
    whose = "" if not first or len(members) == 1 else (
        "rank %d: " % first["rank"] if first["rank"] >= 0 else "a process: ")
    together = f["pattern"] + (", without gaps" if f["without_gaps"] else "")
    explained = f["explained_bytes"] / f["bytes"] if f["bytes"] else None
    return ((f["name"], "name"), f["direction"], len(members), (together, "words"),
            share_text(explained), (whose + text, "name"))


def patterns(bins):
    """Returns patterns of files by bytes, one of each set that are alike."""
    ranked_run = any(p["rank"] >= 0 for p in bins["processes"])
    rows = OrderedDict()
    for f in bins["patterns"]["files"]:
        members = [p for p in f["processes"] if p["rank"] >= 0 or not ranked_run]
        key = role(f["name"]), f["direction"]
        if members and key not in rows and not f["name"].startswith(SYSTEM):
            rows[key] = pattern_row(f, members)
            if len(rows) == PATTERNS:
                break
    if not rows:
        return []
    head = grid(("file", "", "processes", "together", "explained", "descriptor"),
                list(rows.values()), (2, 4), "Patterns, most bytes first")
    words = ("A descriptor is the start of a pattern and, outermost first, its levels: "
             "chunks of size bytes, every stride, over a span. Of files whose names "
             "differ in digits, one is shown.")
    for count, why in (("unplaced", "the log does not say where they are in files"),
                       ("unfollowed", "there are too many files")):
        n = bins["patterns"].get(count + "_transfers", 0)
        words += " %s not in this table: %s." % (
            plural(n, "transfer is", "transfers are"), why) if n else ""
    return [tall(head, len(rows), "Patterns"), tag("p", words, class_="soft small")]


def several_ranks(f):
    """True if more than one rank (or one band of many) moved something."""
    rows = f["read_bytes_by_rank"] + f["written_bytes_by_rank"]
    return sum(any(column) for column in zip(*rows)) > 1


def files(found, bins):
    out = ([file_table(found)] if found else []) + patterns(bins)
    ranks = 1 + max([p["rank"] for p in bins["processes"]] or [-1])
    locks = {role(f["name"]): f["lock_bytes"]
             for f in (found["files"] if found else [])}
    pictured = list(OrderedDict((role(f["name"]), f) for f in
                                reversed(bins["files"])).values())
    pictured.sort(key=lambda f: -f["bytes"])
    for n, f in enumerate(pictured[:PICTURED], 1):
        f = dict(f, key="file-%d" % n)
        lock = locks.get(role(f["name"]))
        words = ["%s were moved; it reaches to %s." % (bytes_text(f["bytes"]),
                                                      bytes_text(f["end"]))]
        if lock:
            words.append("Lines are %s apart: blocks that are locked as a whole." %
                         bytes_text(lock))
        out.append(figure(f["name"] + ": offset by time", partial(
            trace_svg.places_of, f, "time", bins, ranks, lock, words), words))
        if ranks > 1 and several_ranks(f):
            words = ["Which ranks moved which part of the file." + (
                "" if ranks <= 64 else " A column is a band of ranks.")]
            out.append(figure(f["name"] + ": offset by rank", partial(
                trace_svg.places_of, f, "rank", bins, ranks, lock, words), words))
    return out


# ---- sizes, metadata ---------------------------------------------------------


def sizes(found, bins):
    out = []
    for way, colour in (("read", 0), ("write", 1)):
        cells = bins["sizes"][way]
        if not cells:
            continue
        small = [s["small_below_bytes"] for s in (found["small"] if found else [])
                 if s["direction"] == way and s["startup_s"] is not None]
        words = ["%s by bytes and time, stronger where there are more." % plural(
            sum(c[2] for c in cells), way)]
        if small:
            words.append("Below %s a call costs more to start than to move its bytes." %
                         bytes_text(small[0]))
        out.append(figure("%ss by size and time" % way.capitalize(), partial(
            trace_svg.spread, "size-" + way, "%ss by size and time" % way, words, cells,
            colour,
            small[0] if small else None), words))
    return out


def metadata(bins):
    folders = sorted(bins["folders"], key=lambda f: -f["seconds"])
    if not folders:
        return []
    def of(f, *names):
        return calls_text(sum(f.get(n, 0) for n in names))
    rows = [((f["name"], "name"), calls_text(f["calls"]), of(f, "open"), of(f, "close"),
             of(f, "meta"), of(f, "seek"), of(f, "sync"), of(f, "lock", "wait", "map",
                                                          "copy"),
             calls_text(f["errors"]), seconds_text(f["seconds"]))
            for f in folders[:FOLDERS]]
    title = "%d of %s, most time first" % (
        len(rows), plural(len(folders), "directory", "directories"))
    words = ["Time in calls that move no bytes, by the directory of the file."]
    picture = partial(trace_svg.folders, "Metadata by directory", words, [
        (f["name"], f["seconds"], "%s, %s" % (seconds_text(f["seconds"]),
                                              plural(f["calls"], "call")))
        for f in folders[:FOLDERS_SHOWN]])
    return [figure("Metadata by directory", picture, words),
            tall(grid(("directory", "calls", "open", "close", "stat and the like",
                       "seek", "sync", "other", "failed", "time"), rows, range(1, 10),
                      title),
                 len(rows), "Directories")]


# ---- the page ----------------------------------------------------------------


def sections(found, bins):
    if found:
        yield "verdict", "Verdict", verdict(found)
        yield "ran", "What ran", what_ran(found, bins)
        yield "time", "Where time went", where_time(found)
    yield "when", "When", when(found, bins)
    if found:
        yield "findings", "Findings", findings(found)
        yield "layers", "Layers: asked and done", layers(found)
    yield "files", "Files", files(found, bins)
    yield "sizes", "Sizes", sizes(found, bins)
    yield "metadata", "Metadata", metadata(bins)
    if found:
        yield "unseen", "What was not seen", unseen(found)
    yield "method", "Method", [tag("p", s) for s in METHOD]


def render(found, bins, title, made, why=None):
    """Renders the page. `found` is None if nothing could be judged, and `why` says
    why; its "list" has the findings that there are, by name."""
    parts = [(key, heading, content) for key, heading, content in sections(found, bins)
             if content]
    links = [tag("a", heading, href="#" + key) for key, heading, _ in parts]
    body = [tag("header", tag("h1", title), tag("p", why, class_="box") if why else "",
                tag("nav", *links))]
    body += [section(*[key, heading] + content) for key, heading, content in parts]
    body.append(tag("footer", made))
    return document(title, body, STYLE)
