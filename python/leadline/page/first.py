"""The page's first screen: the answer as its title, one picture, what would decide, and
the system in a line."""
import math
from collections import OrderedDict

from leadline.base import names, stats
from leadline.base.table import plural
from leadline.draw import looks, shapes
from leadline.judge import compare, effects, ranking
from leadline.page import finding, pictures

MOST_ROWS = 16     # configurations; of more, a row has all of a value of a factor
FEW = 10           # dots, up to which all figures are drawn
LONG = 110         # characters of a title
MOST = 3           # sentences below it
EACH = "Each faint dot is a configuration; a large mark is the middle of its row."
NAMED = 3          # file systems and the like


def answered(findings):
    """Returns (the finding that the title is about, title, sentences); None, "", [] of
    nothing."""
    programs = OrderedDict()
    for one in findings:
        programs.setdefault(one.program, []).append(one)
    if not programs:
        return None, "", []
    main = max(programs.values(), key=lambda some: any(f.decided for f in some))
    joined = finding.title(main)
    title = joined if len(joined) <= LONG else main[0].words
    more = [f.words for f in main[1:]] if title != joined else []
    more += [f.more for f in main[:1] if f.more and not f.decided]
    more += ["%s: %s" % (program, finding.title(some))
             for program, some in programs.items() if some is not main]
    return main[0], finding.capital(title), [finding.capital(words) + "."
                                             for words in more[:MOST]]


# ---- the picture -------------------------------------------------------------


def picture(one):
    """Draws every configuration of a matrix as a dot with its interval, by the factor
    that matters most: few of them in all figures of one unit, others in the figure of
    the answer, many as a row of dots for each value of the factor."""
    figures = [f for f in one.matrix.figures() if f.unit == one.figure.unit]
    if len(figures) * len(one.matrix.groups) > FEW:
        figures = [one.figure]
    some = [g for g in one.matrix.groups
            if all(pictures.sampled(g, f.name, f.at) for f in figures)]
    if len(some) < 2:
        return None
    factor, known = largest(one), looks.Looks(some)
    make = dots if len(some) <= MOST_ROWS or factor is None else strips
    made = make(one, factor, some, figures, known)
    series = list(OrderedDict.fromkeys(m.series for row in made for m in row.marks))
    return shapes.Rows("first", "%s by configuration" % one.matrix.program,
                       [EACH] if make is strips else [],
                       axis_title(figures, some), series, made,
                       {s: known.known[s] for s in series if s in known.known})


def axis_title(figures, groups):
    """Formats write and read, MB/s; n = 6 each."""
    one = figures[0]
    counts = sorted(set(len(pictures.sampled(g, one.name, one.at)) for g in groups))
    return "%s%s%s; n = %s" % (
        " and ".join(map(title_of, figures)), one.unit and ", %s" % one.unit,
        "" if one.better == "higher" else ", less is better",
        "%d each" % counts[0] if len(counts) == 1
        else "%d to %d" % (counts[0], counts[-1]))


def title_of(figure):
    return pictures.TITLES.get(figure.name) or compare.figure_title(figure)


def largest(one):
    """Returns the factor with the largest share or effect; None if there is none."""
    fit = [f for f in one.matrix.factors if len(f.values) <= MOST_ROWS]
    if len(one.matrix.factors) < 2 or not fit:
        return fit[0] if fit and len(one.matrix.groups) > MOST_ROWS else None
    sizes = {f.name: max([abs(math.log(e.ratio.centre)) for e in one.effects.effects
                          if e.factor is f and e.ratio] or [0.0]) for f in fit}
    return max(fit, key=lambda f: (one.effects.shares.get(f.name, 0.0), sizes[f.name]))


def dots(one, factor, groups, figures, known):
    rows = []
    for value in factor.values if factor else [None]:
        head = value_text(one, factor, value) if factor else ""
        for group in groups:
            if factor and one.matrix.value(group, factor.name) != value:
                continue
            label = group.name + (", baseline" if group is one.matrix.baseline else "")
            rows.append(shapes.Row(head, label, [pictures.mark(
                title_of(f) if len(figures) > 1 else known.methods[id(group)],
                pictures.sampled(group, f.name, f.at)) for f in figures]))
    return rows


def value_text(one, factor, value):
    """Formats a value with its factor: 2 ranks; block-size 64k."""
    if factor.name == "np":
        return names.ranks_text(value)
    text = one.matrix.text(factor.name, value)
    return text.replace("=", " ") if "=" in text else "%s %s" % (factor.name, text)


def strips(one, factor, groups, figures, known):
    rows = []
    for value in factor.values:
        marks = OrderedDict()
        for group in groups:
            if one.matrix.value(group, factor.name) == value:
                marks.setdefault(known.methods[id(group)], []).append(stats.centre(
                    pictures.sampled(group, figures[0].name, figures[0].at)))
        rows.append(shapes.Row("", value_text(one, factor, value), [
            shapes.mark(method, values, stats.centre(values), None)
            for method, values in marks.items()]))
    return rows


# ---- the system --------------------------------------------------------------


def system(found):
    """Describes in a line on what was measured, and when."""
    every = [r for g in found.groups for r in g.reports]

    def several(values):
        known = list(OrderedDict.fromkeys(filter(None, map(str, values))))
        return names.common_of(known, NAMED)
    dates = sorted(r.date[:10] for r in every if r.date)
    runs = len(set(id(r.arms_of or r) for r in every))   # --compare has many in one
    return ", ".join(filter(None, [
        "%s of %s" % (plural(len(every), "repetition" if runs < len(every) else "run"),
                      plural(len(found.groups), "configuration")),
        plural(runs, "run") if runs < len(every) else "",
        several(r.program for r in every),
        several(r.imported for r in every) and "imported",
        several(fs for r in every for fs, _ in r.file_systems() if fs != "?"),
        several(h.get("name") for r in every for h in r.hosts),
        " to ".join(OrderedDict.fromkeys(dates[:1] + dates[-1:]))]))
