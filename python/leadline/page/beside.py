"""The page's section of figures side by side: of several programs or machines, and of
single runs, which get no verdict."""
from collections import OrderedDict

from leadline.across import pairs, sides
from leadline.base import table
from leadline.base.names import ranks_text
from leadline.draw import shapes
from leadline.draw.html import grid, items, tag
from leadline.page import pictures

MOST_CHARTS = 8
MOST_FIRST = 3       # figures on the first screen
MOST_ROWS = 16       # configurations in a picture
MOST_ITEMS = 6       # differences that are not folded
FEW_ROWS = 40        # more have to be scrolled, except in print
EACH = "Each dot is a value of one repetition or run; a large mark is their middle."
BESIDE = ("Figures of the same meaning, whatever program or machine they are of. The "
          "ratios are those of the values, without verdicts; n is the number of "
          "values.")


def unjudged(found, verdicts):
    """Returns sides.tables if some configuration has no verdict; else []."""
    judged = set(id(g) for v in verdicts for some in v.rows for r in some
                 if r.comparison.ratio for g in (r.group, r.comparison.baseline))
    every = [g for g in found.groups if any(g.figures())]
    if every and all(id(g) in judged for g in every):
        return []
    return sides.tables(found.groups)


def answered(some):
    """Returns (title, sentences, picture) of a page without a verdict."""
    words = sides.sentences(some[:MOST_FIRST])
    made = rows(some[0]) if len(some[0].sides) > 1 else None
    return words[0].rstrip("."), words[1:], made


def sentences(some):
    """Returns what a page with a verdict says of the others, too."""
    return [sides.sentence(one) for one in some[:1]]


def content(some):
    """Makes the section: charts, a table, and what differs."""
    out = [tag("p", BESIDE, class_="soft")]
    values = [cells(one, i) for one in some for i in range(len(one.sides))]
    made = grid(["figure", "configuration", "ranks", "n", "value", "ratio"], values,
                (2, 3, 4, 5))
    out.append(made if len(values) <= FEW_ROWS else tag(
        "div", made, class_="many", tabindex="0", role="region",
        aria_label="All %d values" % len(values)))
    other = sides.differences(some)
    if other:
        out += [tag("h3", "What differs, and what is not known"),
                items(other) if len(other) <= MOST_ITEMS else tag(
                    "details", tag("summary", table.plural(len(other), "line")),
                    items(other))]
    return out


def cells(one, i):
    its = one.sides[i]
    unit = "" if one.unit == "1" else " " + one.unit
    between = " " + table.bounds(its.interval) if its.interval else ""
    return [one.title, (sides.called(its.group), "name"),
            ", ".join(map(str, ranks_of(its))), str(its.n),
            table.number(its.value) + unit + between, "baseline"
            if len(one.sides) > 1 and its.ratio is None else sides.ratio_text(its)]


# ---- pictures ----------------------------------------------------------------

# Words of a report that name a line.
KEYS = [lambda r: r.program, lambda r: (r.engine or "").lower(), pairs.transfer]


def axis(one):
    less = "" if one.better == "higher" else ", less is better"
    return (one.title if one.unit == "1" else one.unit) + less


def rows(one, key="first"):
    """Draws every configuration of a table as a row, the highest first."""
    ranked = sorted(one.sides, key=lambda s: -s.value)[:MOST_ROWS]
    words = [EACH] if any(its.n > 1 for its in ranked) else []
    if len(one.sides) > MOST_ROWS:
        words.append("Shown are the highest %d of %d." % (MOST_ROWS, len(one.sides)))
    made = [shapes.Row("", "%s, n = %d" % (its.group.name, its.n), [shapes.mark(
        its.group.first.program, its.values, its.value, its.interval)])
            for its in ranked]
    series = list(by(one.sides, KEYS[:1]))
    looks = {name: (i, i) for i, name in enumerate(series)}
    shown = OrderedDict.fromkeys(row.marks[0].series for row in made)
    return shapes.Rows(key, one.title, words, axis(one), list(shown), made, looks)


def charts(some, drawn=None):
    """Draws each table of several values: over the ranks, with a line for each program,
    if some program has several numbers of them; else as rows, unless it is the table
    `drawn` already."""
    out = []
    for one in some:
        if len(one.sides) > 1 and len(out) < MOST_CHARTS:
            key = "beside-%d" % (len(out) + 1)
            found = by([s for s in one.sides if len(ranks_of(s)) == 1], KEYS[:1])
            several = any(len(set(map(place, line))) > 1 for line in found.values())
            if several or one is not drawn:
                out.append(over_ranks(one, key) if several else rows(one, key))
    return out


def ranks_of(its):
    return sorted(set(r.ranks for r in its.group.reports))


def place(its):
    return its.group.first.ranks


def over_ranks(one, key):
    found = lines([s for s in one.sides if len(ranks_of(s)) == 1])
    shown = list(found.items())[:pictures.MOST_LINES]
    series = [shapes.Series(name, [shapes.point(
        place(its), its.values, its.value, its.interval)
        for its in sorted(line, key=place)], distinct(line)) for name, line in shown]
    words = ["; ".join(reach(name, line) for name, line in shown) + "."]
    if len(found) > len(shown):
        words.append("%d more lines are in the table only." % (len(found) - len(shown)))
    return shapes.Lines(key, "%s by number of ranks" % one.title, words, "ranks",
                        axis(one), True, series, [])


def distinct(some):
    return len(set(map(place, some))) == len(some)


def lines(some):
    """Returns {name: sides} by program; by engine and size of transfers, too, if that
    leaves one value at each number of ranks."""
    for keys in (KEYS[:1], KEYS[:2], KEYS):
        found = by(some, keys)
        if all(map(distinct, found.values())):
            return found
    return by(some, KEYS[:1])


def by(some, keys):
    found = OrderedDict()
    for its in some:
        name = " ".join(filter(None, (key(its.group.first) for key in keys)))
        found.setdefault(name, []).append(its)
    return found


def reach(name, some):
    ranks = sorted(set(map(place, some)))
    return "%s: %s" % (name, ranks_text(ranks[0]) if len(ranks) == 1
                       else "%d to %s" % (ranks[0], ranks_text(ranks[-1])))
