"""leadline report: makes one HTML file that tells and shows what was measured.

It is self-contained: no network, no scripts. Everything from a report is escaped, in
one place (html.py); the policy in the page's head would stop the rest.
"""
import re
import textwrap
import time
from collections import OrderedDict

from leadline.base import output
from leadline.base.errors import FAILED
from leadline.base.options import operand, option
from leadline.base.table import plural
from leadline.draw import draw_svg, shapes
from leadline.draw.html import Raw, document, grid, items, section, tag
from leadline.judge import compare, notes, share, summary
from leadline.page import beside, finding, first, gallery, pictures, pictures_own
from leadline.page.verdicts import Verdicts, comparable
from leadline.results import history

ALSO = ("alpha", "pfmload", "ldad")   # pictures whose words are answers of their own
EXPLAINED = (pictures_own.PAPER_MACHINE,)   # explained below the pictures
MOST_ALSO = 5      # sentences of a program, besides the five lines of a figure
MOST_NAMED = 3     # configurations for which one sentence says the same
ALIKE = 4          # number from which on sentences that say the same become one


def box(found, verdicts, founds, unjudged):
    """Makes the box, program by program."""
    out, silent = [], []
    told = list(map(summary.summary, founds))
    for program, some in pictures.by_program(found.groups):
        its = [s for s in told if s.program == program]
        if unjudged and all(len(s.lines) < 2 for s in its):
            its = []    # nothing but doubts
        for one in its:
            out += [tag("h3", one.title), lines(one.lines)]
        more = also(found, some, verdicts)
        if more:
            out += [tag("h3", "%s: %s" % (program, "also" if its else "in words")),
                    items(more)]
        elif not its and unjudged:
            silent.append(program)
        elif not its:
            out += [tag("h3", program), items([nothing_said(some)])]
    if silent:
        out.append(tag("p", "No verdict on %s: side by side are their values."
                       % ", ".join(silent)))
    return tag("div", *out, class_="box", id="summary")


def lines(found):
    """Makes the lines; the subject at the begin of each stands out."""
    out = []
    for line in found:
        head, colon, rest = line.partition(": ")
        out.append(tag("li", tag("b", head + ":"), " " + rest) if colon
                   else tag("li", line))
    return tag("ul", *out)


def also(found, some, verdicts):
    """Adds sentences on latencies, on single programs, and on the share of plain
    transfers."""
    words = [w for kind in ALSO for picture in gallery.KINDS[kind].draw(some)
             for w in picture.words if w not in EXPLAINED]
    words += [w for v in verdicts if v.baseline in some for w in v.tail_sentences()]
    words += share.summary(some, found.yardsticks)
    words = list(OrderedDict.fromkeys(filter(None, words)))
    if len(words) > MOST_ALSO:
        words = words[:MOST_ALSO - 1] + ["And %d more sentences below the pictures and "
                                         "tables." % (len(words) - MOST_ALSO + 1)]
    return words


def nothing_said(some):
    if len(some) == 1:
        return "There is one configuration, and nothing to compare it with."
    return ("No two of the %d configurations can be compared with each other."
            % len(some))


# ---- doubts ------------------------------------------------------------------


def doubts(found, verdicts):
    figures = list(OrderedDict(((f.name, f.at), f) for v in verdicts
                               for f in v.figures + v.tail_figures).values())
    more = [] if found.groups else ["there are no reports, only traces"]
    return gathered(found.left_out + more
                    + (notes.notes(found.groups, figures) if found.groups else []))


def gathered(sentences):
    """Merges the sentences that say the same of many configurations."""
    same = OrderedDict()
    for sentence in OrderedDict.fromkeys(sentences):
        name, colon, rest = sentence.partition(": ")
        same.setdefault(rest if colon else sentence, []).append(
            (name if colon else "", sentence))
    out = []
    for rest, some in same.items():
        if len(some) < ALIKE:
            out += [sentence for _, sentence in some]
            continue
        names = [name for name, _ in some]
        out.append("%d configurations (%s and %d more): %s" % (
            len(names), ", ".join(names[:MOST_NAMED]), len(names) - MOST_NAMED, rest))
    return out


# ---- the page -----------------------------------------------------------------

LONGEST = 95      # characters of the caveat that is named
NO_ANSWER = "Leadline report"   # title of a page with nothing to compare
MANY = 8          # hosts and the like that are named
FEW_RUNS = 40     # more have to be scrolled, except in print

HOW_TO_READ = [
    "Rates are in MB/s, and 1 MB is 10^6 bytes: the bytes of all ranks divided by the "
    "seconds of the slowest rank. Write times include the sync that makes the data "
    "durable. Opening, closing and checking are not included.",
    "A configuration's figure is the geometric mean over its runs, with its 95 % "
    "interval (Student's t on logarithms); with fewer than six runs it is their "
    "median, without an interval. Faint marks are single runs.",
    "A configuration is called faster or slower if the interval of its ratio to the "
    "baseline does not contain 1, and equal if the whole interval is near 1. \u201cNo "
    "difference shown\u201d does not mean \u201cthe same\u201d: more rounds may show a "
    "difference. The verdicts on rates hold together: in 19 of 20 sweeps of equal "
    "configurations, none is called different. Of a configuration with one run there "
    "is no verdict, as repetitions within a run do not tell how runs differ.",
    "Latencies are the times of single transfers: 99 of 100 transfers took no longer "
    "than p99. A configuration is called better or worse in a latency only if the "
    "difference remains after correction for the number of latencies. Percentiles are "
    "known to within 4.4 %, and intervals of their ratios allow for this.",
    "Runs of the same round of a sweep are compared pair by pair. Configurations of "
    "different sweeps that differ in program, number of ranks, workload or cache "
    "policy are not comparable.",
]


# ---- sections ----------------------------------------------------------------


def figure(picture):
    caption = tag("figcaption", *[tag("div", words) for words in picture.words])
    return tag("figure", tag("h4", picture.title), drawn(picture), caption)


def drawn(picture):
    """Draws a picture twice, for wide pages and for phones; pictures that share a scale
    once, as they are narrow and stand beside each other."""
    if isinstance(picture, shapes.Facets):
        return tag("div", *[tag("div", tag("h4", part.title),
                                Raw(draw_svg.draw(part, narrow=True)))
                            for part in picture.parts], class_="facets")
    return Raw(tag("div", Raw(draw_svg.draw(picture)), class_="broad")
               + tag("div", Raw(draw_svg.draw(picture, narrow=True)), class_="phone"))


def what_ran(found):
    every = [r for g in found.groups for r in g.reports]
    dates = sorted(r.date for r in every if r.date)
    def several(values):
        names = sorted(set(str(v) for v in values if v))
        more = ["and %d more" % (len(names) - MANY)] if len(names) > MANY else []
        return ", ".join(names[:MANY] + more)
    configurations = plural(len(found.groups), "configuration")
    rows = [("runs", "%d of %s" % (len(every), configurations)),
            ("programs", several(r.program for r in every)),
            ("imported from", several(r.imported for r in every)),
            ("time (UTC)", " to ".join(d[:16].replace("T", " ") for d in
                                       dates[:1] + dates[1:][-1:])),
            ("ranks", ", ".join(map(str, pictures.rank_counts(found.groups)))),
            ("MPI", several(r.mpi_library for r in every)),
            ("hosts", several(host_text(h) for r in every for h in r.hosts)),
            ("file systems", several(" ".join(filter(None, fs)) for r in every
                                     for fs in r.file_systems())),
            ("storage", several(text for r in every for text in r.storage()))]
    return tag("dl", *[Raw(tag("dt", name) + tag("dd", words))
                       for name, words in rows if words])


def host_text(host):
    words = [str(host.get("name") or "?")]
    if isinstance(host.get("cores"), int):
        words.append(plural(host["cores"], "core"))
    if isinstance(host.get("memory_bytes"), int):
        words.append("%.0f GiB" % (host["memory_bytes"] / 2.0 ** 30))
    return " ".join(words[:1]) + (" (%s)" % ", ".join(words[1:]) if words[1:] else "")


def runs(found):
    lines = [history.line(r) for g in found.groups for r in g.reports]
    lines.sort(key=lambda line: line.date)
    rows = grid(history.HEADER, [history.cells(line) for line in lines], (3, 4))
    if len(lines) <= FEW_RUNS:
        return rows
    return tag("div", rows, class_="many", tabindex="0", role="region",
               aria_label="All %d runs" % len(lines))


# The questions, in their order, and the kinds of pictures that answer each.
QUESTIONS = [
    ("differs", "What differs", ("effects",)),
    ("beside", "Side by side", ()),
    ("amount", "By how much", ("bandwidth", "curves", "heat", "filetype", "scaling",
                               "calibrate", "alpha", "pfmload", "ldad", "text")),
    ("activity", "Where the time goes", ("time", "series", "ranks", "iotrace")),
    ("tails", "Tails", ("latency",)),
    ("all", "Runs", ("trend",))]


def sections(found, verdicts, founds, unjudged):
    """Generates (key, heading, content) of the sections that have one."""
    kinds = OrderedDict((key, [kind(name, found) for name in names])
                        for key, _, names in QUESTIONS)
    tables = [t for v in verdicts if len(v.members) > 1
              for t in (v.table(), v.tail_table())]
    short = sum(len(v.members) for v in verdicts) <= FEW_RUNS
    tables = [tag("div", *tables, id="verdicts")] if any(tables) else []
    if found.groups:
        kinds["differs"].insert(0, box(found, verdicts, founds, unjudged))
    kinds["differs" if short else "amount"] += tables
    alone = unjudged and not any(f.judged for f in findings(verdicts, founds))
    if unjudged:
        kinds["beside"] = beside.content(unjudged) + list(map(figure, beside.charts(
            unjudged, unjudged[0] if alone else None)))
    kinds["amount"].append(shares(found))
    if found.groups:
        kinds["all"] = [what_ran(found), runs(found)] + kinds["all"]
    for key, heading, _ in sorted(QUESTIONS, key=lambda q: bool(
            alone and q[0] != "beside")):
        if any(kinds[key]):
            yield key, heading, kinds[key]
    yield "reading", "How to read this", [tag("p", s) for s in HOW_TO_READ]


def kind(name, found):
    """Makes all pictures of a kind; "" if there are none."""
    made = list(map(figure, found.pictures(name)))
    heading = tag("h3", gallery.KINDS[name].heading)
    return tag("div", heading, *made, id=name) if made else ""


def shares(found):
    rows = share.rows(found.groups, found.yardsticks)
    return tag("div", tag("h3", "Share of plain transfers"), tag(
        "p", "What part of the rates of leadline calibrate these runs reach, as "
        "medians; ranks: of the runs, of the calibration."),
        grid(share.HEADER, rows, (2, 3, 4, 5)), id="shares") if rows else ""


def findings(verdicts, founds):
    return finding.findings([r for v in verdicts for some in v.rows for r in some],
                            founds)


def first_screen(found, title, verdicts, founds, unjudged):
    """Makes the title, what it means, one picture, the system, and folded caveats."""
    some = findings(verdicts, founds)
    if unjudged and not any(f.judged for f in some):
        answer, sentences, made = beside.answered(unjudged)
    else:
        main, answer, sentences = first.answered(
            [f for f in some if f.judged or not unjudged])
        sentences = beside.sentences(unjudged) + sentences
        made = next((first.picture(one) for one in founds if main
                     and one.matrix.program == main.program
                     and one.figure[:2] == main.figure[:2]), None)
    if title and answer:
        sentences.insert(0, answer + ".")
    out = [tag("h1", title or answer or NO_ANSWER)] + [tag("p", s) for s in sentences]
    if made:
        out.append(tag("figure", drawn(made), *[tag("figcaption", words)
                                                for words in made.words]))
    if found.groups:
        out.append(tag("p", first.system(found), class_="soft"))
    warned = doubts(found, verdicts)
    return out + [folded(warned)] * bool(warned)


def folded(warned):
    """Makes a line with the number of caveats and the first of them, which opens."""
    return tag("details", tag("summary", "%s: %s" % (
        plural(len(warned), "caveat"), textwrap.shorten(
            warned[0], LONGEST, placeholder=" \u2026"))), items(warned), id="doubts")


def render(found, title, baseline, version):
    verdicts = [Verdicts(members, baseline) for members in comparable(found.groups)
                if any(g.figures() for g in members)]
    verdicts = [v for v in verdicts if v.figures]
    founds = summary.found(found.groups, baseline)
    unjudged = beside.unjudged(found, verdicts)
    made = list(sections(found, verdicts, founds,
                         unjudged if len(found.groups) > 1 else []))
    links = [tag("a", heading, href="#" + key) for key, heading, _ in made]
    head = first_screen(found, title, verdicts, founds, unjudged)
    body = [tag("header", *head + [tag("nav", *links)])]
    body += [section(*[key, heading] + content) for key, heading, content in made]
    body.append(tag("footer", "Made by leadline %s on %s." % (
        version, time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))))
    words = re.sub("<[^>]*>", "", head[0]).strip()
    return document(Raw(words), body)


# ---- the command -------------------------------------------------------------


def main(args, where):
    found = gallery.Gallery(args.paths, where.folders)
    if args.baseline:
        compare.find_baseline(found.groups, args.baseline)
    output.write(args.output, render(found, args.title, args.baseline, where.version))
    return FAILED if found.failed else 0


OPTIONS = [
    option("-o, --output FILE", "default: report.html", default="report.html"),
    option("--title TEXT", "title of the page (default: what was found)",
           "Title of the page. Default: what was found, in a sentence."),
    option("--baseline NAME",
           "the configuration to compare with (default: the first of those that can be "
           "compared)",
           "The configuration to compare with. Default: the first of those that can be "
           "compared with each other."),
    operand("RUN ...", "paths",
            "a JSON report, a run or log of iotrace, or a directory of them"),
]


def add(commands):
    p = commands.add_parser(
        "report", help="write one HTML file with verdicts, tables and pictures",
        description="Writes one self-contained HTML file (no network, no scripts) "
                    "about reports, directories of reports, calibrations and "
                    "iotrace's logs: verdicts, tables and all pictures that the data "
                    "allow.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
