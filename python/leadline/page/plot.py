"""leadline plot: single pictures, as files; and any figure of any reports, by its name.

Configurations are those of leadline compare. If they differ in a number, such as an
option that was swept, the figure is drawn over it, with a line for each combination of
the other differences; else each is a row.
"""
import difflib
import os
from collections import OrderedDict

from leadline.base import output, stats
from leadline.base.errors import FAILED, LeadlineError, usage
from leadline.base.fields import printable
from leadline.base.names import ranks_text
from leadline.base.options import operand, option
from leadline.draw import draw_file, draw_svg, relief, shapes
from leadline.judge import compare
from leadline.page import gallery, pictures

CLOSEST = 5
ALL = "all runs"
MOST_X = 1e15      # larger values of options are not drawn over
BINARY = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
MARKS = ("Faint marks are single runs; bars are 95 % intervals, for six runs or more.")


def draw(groups, name):
    keys = OrderedDict()
    for group in groups:
        for (figure, _), row in group.figures().items():
            if compare.matches(figure, [name]):
                keys.setdefault((group.first.program, figure, row.unit, row.better),
                                []).append(group)
    if not keys:
        raise unknown(groups, name)
    out = []
    for key, some in keys.items():
        some = list(OrderedDict.fromkeys(some))
        out += of_program(some, key[1], key[2], key[3], len(out))
    if not out:
        raise LeadlineError("no report has a value of %s: too little was measured for "
                            "it" % ", ".join(OrderedDict.fromkeys(k[1] for k in keys)))
    return out


def unknown(groups, name):
    names = sorted(set(n for g in groups for n, _ in g.figures()))
    within = [n for n in names if name.lower() in n.lower()]
    near = list(OrderedDict.fromkeys(
        within + difflib.get_close_matches(name, names, CLOSEST, 0.5)))[:CLOSEST]
    if near:
        return usage("no figure is called %s; the closest: %s"
                     % (name, ", ".join(near)))
    more = " and %d more" % (len(names) - CLOSEST) if len(names) > CLOSEST else ""
    return usage("no figure is called %s; there are: %s%s" % (
        name, ", ".join(names[:CLOSEST]) or "none", more))


# ---- one program's -----------------------------------------------------------


def of_program(groups, name, unit, better, made):
    """Makes pictures of a figure; `made`: the number of pictures so far."""
    some, absent = [], []
    for group in groups:
        values = [pictures.sampled(group, n, at) for n, at in group.figures()
                  if n == name]
        (some if any(values) else absent).append(group)
    title = "%s: %s" % (groups[0].first.program, name)
    axis = unit + ("" if better == "higher" else ", lower is better")
    if not some:
        return []
    words = ["There is no value of it for %s." % ", ".join(g.name for g in absent)
             ] if absent else []
    parts = by_parameter(some, name) or by_option(some, name)
    out = []
    for at_name, series, more in parts:
        out += line_pictures(title, axis, at_name, series, more + words,
                             made + len(out))
    return out or rows(some, name, title, axis, better, words, made)


def line_pictures(title, axis, at_name, series, words, made):
    xs = [p.x for s in series for p in s.points]
    series, at_name = in_units(series, at_name)
    parts = pictures.pages(series, pictures.MOST_LINES)
    log = min(xs) > 0 and max(xs) >= 8 * min(xs)
    title = "%s by %s" % (title, at_name)
    return [shapes.Lines("figure-%d" % (made + i + 1),
                         pictures.numbered(title, i, len(parts)),
                         words + [MARKS] if i == 0 else [MARKS], at_name, axis, log,
                         part, []) for i, part in enumerate(parts)]


def in_units(series, at_name):
    """Converts bytes to KiB or more, if all are whole ones."""
    if not at_name.endswith(" (B)"):
        return series, at_name
    xs = [p.x for s in series for p in s.points]
    unit, size = [(u, n) for u, n in BINARY if all(x % n == 0 for x in xs)
                  and (not any(xs) or min(x for x in xs if x) >= n)][-1]
    return ([s._replace(points=[p._replace(x=p.x // size) for p in s.points])
             for s in series], at_name[:-2] + unit + ")")


def point(x, group, name, at):
    values = pictures.sampled(group, name, at)
    return shapes.point(x, values, stats.centre(values), stats.interval(values)
                        ) if values else None


# ---- x axes ------------------------------------------------------------------


def number(value):
    """Returns the number that an option or parameter is; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def by_parameter(groups, name):
    """Draws a figure over a parameter for several values of which each run has it."""
    ats = OrderedDict((at, None) for g in groups for n, at in g.figures() if n == name)
    for parameter in OrderedDict((n, None) for at in ats for n, _ in at):
        found = {at: number(dict(at).get(parameter)) for at in ats}
        xs = [x for x in found.values() if x is not None and abs(x) < MOST_X]
        if len(set(xs)) < 2 or len(xs) < len(found):
            continue
        lines = OrderedDict()
        for group in groups:
            for at in sorted(ats, key=lambda at: found[at]):
                rest = ["%s=%s" % pair for pair in at if pair[0] != parameter]
                made = point(found[at], group, name, at)
                if made:
                    lines.setdefault(" ".join([group.name] + rest), []).append(made)
        return [(parameter, [shapes.Series(label, points, True)
                             for label, points in lines.items()], [])]
    return []


def by_option(groups, name):
    """Draws it over the option with numbers that has most values."""
    varying = (["ranks"] if len(pictures.rank_counts(groups)) > 1 else []
               ) + compare.varying(groups)
    numbers = [n for n in varying
               if all(number(v) is not None for v in values_of(groups, n))]
    if not numbers:
        return []
    swept = max(numbers, key=lambda n: len(set(values_of(groups, n))))
    xs = [number(v) for v in values_of(groups, swept)]
    follow = [n for n in numbers if n != swept and determined(groups, n, xs)]
    lines = lines_over(groups, xs, [n for n in varying if n not in [swept] + follow])
    if not lines or max(xs) > MOST_X:
        return []
    words = ["%s changes with %s." % (" and ".join(follow), swept)] if follow else []
    unit = (groups[0].first.options.get(swept) or {}).get("unit")
    return [(swept + (" (%s)" % unit if unit and unit != "1" else ""),
             [shapes.Series(" ".join([label] * (label != ALL) + named_at(at)) or ALL,
                            points, True)
              for label, line in lines.items()
              for at, points in lines_at(line, name)], words)]


def named_at(at):
    """Describes what it belongs to, in words: engine "uring" needs no "engine"."""
    return [value if number(value) is None else "%s=%s" % (key, value)
            for key, value in at]


def lines_at(line, name):
    """Returns [(at, points)]: a line of runs has one for each value of what the figure
    belongs to, such as an engine."""
    ats = OrderedDict((at, None) for _, g in line for n, at in g.figures() if n == name)
    made = [(at, [p for p in (point(x, g, name, at) for x, g in line) if p])
            for at in ats]
    return [(at, points) for at, points in made if points]


def lines_over(groups, xs, others):
    """Returns {label: [(x, group)]} by the other differences and by series; {} if two
    of a line have the same x, as they differ in no option."""
    lines, series = OrderedDict(), set(g.first.series_id for g in groups)
    rows = sorted(zip(xs, groups, labels_of(groups, others)), key=lambda row: row[0])
    for x, group, label in rows:
        sid = "(%s)" % group.first.series_id if len(series) > 1 else ""
        lines.setdefault(" ".join(filter(None, [label, sid])) or ALL, []).append(
            (x, group))
    alone = max(map(len, lines.values())) < 2
    twice = any(len(set(x for x, _ in line)) < len(line) for line in lines.values())
    return {} if alone or twice else lines


def values_of(groups, option):
    if option == "ranks":
        return [g.first.ranks for g in groups]
    return [g.first.option(option) for g in groups]


def determined(groups, option, xs):
    """True if an option has one value for each x: then it makes no line of its own."""
    found = {}
    for x, value in zip(xs, values_of(groups, option)):
        found.setdefault(x, set()).add(value)
    return all(len(values) == 1 for values in found.values())


def labels_of(groups, options):
    out = []
    for group in groups:
        values = dict(group.first.option_values(), ranks=group.first.ranks)
        differ = [n for n in options if len(set(map(repr, values_of(groups, n)))) > 1]
        out.append(" ".join(filter(None, (
            ranks_text(values[n]) if n == "ranks" else
            compare.option_text(n, values.get(n)) for n in differ))))
    return out


# ---- rows --------------------------------------------------------------------


def rows(groups, name, title, axis, better, words, made):
    several = len(pictures.rank_counts(groups)) > 1
    found = []
    for group in pictures.by_ranks(groups):
        for figure, at in group.figures():
            values = pictures.sampled(group, figure, at) if figure == name else []
            if values:
                label = " ".join([group.name] + ["%s=%s" % pair for pair in at])
                found.append((shapes.Row(
                    ranks_text(group.first.ranks) if several else "", label,
                    [pictures.mark(name, values)]), stats.centre(values)))
    parts = pictures.pages([row for row, _ in found], pictures.MOST_ROWS)
    if len(found) > 1:
        least, most = (sorted(found, key=lambda pair: pair[1])[i] for i in (0, -1))
        best, worst = (most, least) if better == "higher" else (least, most)
        words = ["Best: %s (%.4g), worst: %s (%.4g)." % (
            best[0].label, best[1], worst[0].label, worst[1])] + words
    return [shapes.Rows("figure-%d" % (made + i + 1), pictures.numbered(
        title, i, len(parts)), words + [MARKS] if i == 0 else [MARKS], axis, [name],
        part) for i, part in enumerate(parts)]


# ---- the command --------------------------------------------------------------

FIGURE = "figure"   # the WHAT that a NAME follows
RELIEF = "relief"   # the only one that needs no reports


def numbered(path, i):
    stem, end = os.path.splitext(path)
    return path if i == 0 else "%s-%d%s" % (stem, i + 1, end)


def asked_for(args, where):
    """(pictures, whether something that was named is not valid)"""
    if args.what == RELIEF:
        return relief.draw(args.paths), False
    if args.what == FIGURE:
        if len(args.paths) < 2:
            raise usage("figure needs the NAME of one and reports, as in leadline plot "
                        "figure W.read_p99_us runs")
        found = gallery.Gallery(args.paths[1:], where.folders)
        return draw(found.groups, args.paths[0]), found.failed
    found = gallery.Gallery(args.paths, where.folders)
    return draw_svg.singles(found.pictures(args.what)), found.failed


def main(args, where):
    draw_file.check(args.output)
    made, failed = asked_for(args, where)
    if not made:
        raise LeadlineError(gallery.missing(args.what))
    for i, picture in enumerate(made):
        path = numbered(args.output, i)
        draw_file.draw(picture, path)
        output.say(printable("%s: %s" % (path, picture.title)) + "\n")
    return FAILED if failed else 0


OPTIONS = [
    operand("WHAT", "what",
            "one of the kinds above, or figure NAME, for example figure W.read_p99_us "
            "(NAME may be a pattern), or relief",
            choices=list(gallery.KINDS) + [FIGURE, RELIEF]),
    operand("RUN ...", "paths",
            "a JSON report, a run or log of iotrace, or a directory of them"),
    option("-o, --output FILE",
           "the picture; its name ends in .svg, .png or .pdf",
           "The picture; its name ends in .svg, .png or .pdf. Required.",
           required=True),
]


def add(commands):
    p = commands.add_parser(
        "plot", help="draw single pictures of the report, as SVG, PNG or PDF",
        description="Draws one kind of the report's pictures: " + "; ".join(
            "%s (%s)" % (name, kind.heading[0].lower() + kind.heading[1:])
            for name, kind in gallery.KINDS.items())
        + "; or, with WHAT figure and a NAME before the reports, that figure of "
        "theirs, over what was swept; or, with WHAT relief, what pfminfo --grid made. "
        "PNG and PDF need matplotlib. Where there are several pictures, the second "
        "goes to FILE-2, and so on.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
