"""From the configurations of a sweep to pictures of its factors: the effect of each
level, curves over numbers, and maps of two factors.
"""
from collections import OrderedDict
from typing import Any, List, Sequence

from leadline.base import names, stats
from leadline.draw import looks, shapes
from leadline.judge import ranking
from leadline.page import pictures

LEAST = 3          # fewest values of a factor that is a curve
FAR = 4            # ratio above which numbers are on an axis of doublings
MOST_FACETS = 6
MOST_COLUMNS = 12  # of a map; the same for rows
MOST_PAIRS = 3     # pairs of factors that have maps
MIN_EFFECT = 1.02
KEPT = ("For all other options the values of the best configuration are taken: %s.")


# ---- shared functions --------------------------------------------------------


def title(found, figure):
    """Returns the title; if a program has several series, with the series."""
    return "%s%s: %s" % (found.program, pictures.series_text(found),
                         pictures.TITLES.get(figure.name, figure.name))


def axis_title(figure):
    return figure.unit + ("" if figure.better == "higher" else ", lower is better")


def factor_title(factor):
    name = "ranks" if factor.name == "np" else factor.name
    return "%s (%s)" % (name, factor.unit) if factor.unit not in ("", "1", None) \
        else name


def centre(group, figure):
    values = pictures.sampled(group, figure.name, figure.at)
    return stats.centre(values) if values else None


def by_share(found, figure):
    """Returns the names of the factors, by decreasing share."""
    shares = pictures.effects_of(found, figure).shares
    order = [f.name for f in found.factors]
    return sorted(order, key=lambda n: (-shares.get(n, 0.0), order.index(n)))


class Slices:
    """Divides the configurations by all factors except x, y, and line: a facet for each
    value of the others; of too many, the facets that differ from the best configuration
    in one factor only. `words` say what is left out."""

    def __init__(self, found, figure, used, order):
        rest = [f for f in found.factors if f.name not in used]
        self.words, groups = [], found.groups
        if count(found, rest) > MOST_FACETS:
            facet = next((f for name in order for f in rest
                          if f.name == name and len(f.values) <= MOST_FACETS), None)
            kept = [f for f in rest if f is not facet]
            top = ranking.best(found.groups, figure).top or found.groups[0]
            groups = [g for g in groups if all(
                found.value(g, f.name) == found.value(top, f.name) for f in kept)]
            self.words = [KEPT % ", ".join(named(found, f, found.value(top, f.name))
                                           for f in kept)]
            rest = [facet] if facet else []
        self.facets = OrderedDict()
        for key in sorted(set(keys(found, g, rest) for g in groups)):
            at = [f.values[i] for f, i in zip(rest, key)]
            name = ", ".join(named(found, f, v) for f, v in zip(rest, at))
            self.facets[name] = [g for g in groups if keys(found, g, rest) == key]


def named(found, factor, value):
    """Formats a factor's value: posix; depth=4 for numbers."""
    text = found.text(factor.name, value)
    return "%s=%s" % (factor.name, text) if factor.numeric and "=" not in text else text


def keys(found, group, factors):
    return tuple(f.values.index(found.value(group, f.name)) for f in factors)


def count(found, factors):
    return len(set(keys(found, g, factors) for g in found.groups))


def assembled(key, heading, words, parts):
    """Returns one picture unchanged, several with one scale."""
    if len(parts) == 1:
        return [parts[0]._replace(key=key, title=heading, words=words)]
    return [shapes.Facets(key, heading, words, parts)]


# ---- effect of each level ----------------------------------------------------


def effect_rows(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    known = looks.Looks(groups)
    for found in pictures.matrices(groups):
        for figure in found.figures():
            made = pictures.effects_of(found, figure)
            rows = [r for r in effect_marks(found, made, known) if r.marks]
            if rows:
                out.append(shapes.Rows(
                    "effects-%d" % (len(out) + 1),
                    "%s: what each option does" % title(found, figure),
                    effect_words(made), "times the base, at equal other options",
                    series_of(rows), rows[:pictures.MOST_ROWS],
                    level_looks(found, rows), (), MIN_EFFECT))
    return out


def series_of(rows):
    return list(OrderedDict.fromkeys(m.series for r in rows for m in r.marks))


def level_looks(found, rows):
    """Gives methods their colours, and other levels none."""
    methods = {m.series: looks.plain(m.series) for r in rows for m in r.marks
               if m.series != OPTION}
    known = looks.of_methods(methods.values())
    return dict({series: known[m] for series, m in methods.items()},
                **{OPTION: (looks.OTHER, 0)})


OPTION = "another option"


def effect_marks(found, made, known):
    for effect in made.effects:
        if effect.ratio is None:
            continue
        factor = effect.factor
        share = made.shares.get(factor.name)
        head = "%s against %s%s" % (
            factor_title(factor), found.text(factor.name, effect.base),
            "" if share is None else ": %.0f %%" % (100 * share))
        series = str(effect.level) if looks.is_method(factor) else OPTION
        yield ratio_row(head, found.text(factor.name, effect.level), series,
                        effect.ratio)
        last = effect is [e for e in made.effects if e.factor is factor][-1]
        for slope in made.slopes if last else ():
            if slope.factor.name == factor.name and slope.ratio:
                yield ratio_row(head, "each doubling", OPTION, slope.ratio)
    for found_one in made.interactions:
        if found_one.shown and found_one.ratio:
            words = " and ".join(found.text(f.name, v) for f, v in zip(
                (found_one.first, found_one.second), found_one.levels))
            yield ratio_row("together, beyond what each does", words, OPTION,
                            found_one.ratio)


def ratio_row(head, label, series, ratio):
    return shapes.Row(head, label, [shapes.mark(series, [], ratio.centre, ratio)])


def effect_words(made):
    out = ["Bars are 95 %% intervals that hold together. Effects below %.0f %% are in "
           "the shaded area." % (100 * (MIN_EFFECT - 1))]
    if made.shares:
        out.append("The percentages are each option's share of all differences between "
                   "configurations.")
    return out + ([made.why] if made.why else [])


# ---- curves ------------------------------------------------------------------


def curves(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    known = looks.Looks(groups)
    for found in pictures.matrices(groups):
        for figure in found.figures():
            order = by_share(found, figure)
            for factor in found.factors:
                if factor.numeric and len(factor.values) >= LEAST:
                    out += curve(found, figure, factor, order, known, len(out) + 1)
    return out


def has_curves(groups: Sequence[Any]) -> bool:
    """True if there are curves over the number of ranks."""
    return any(f.name == "np" and len(f.values) >= LEAST
               for found in pictures.matrices(groups) for f in found.factors)


def curve(found, figure, factor, order, known, number):
    line = line_factor(found, factor, order)
    used = [factor.name] + ([line.name] if line else [])
    slices = Slices(found, figure, used, order)
    parts = []
    for name, some in slices.facets.items():
        lines = lines_of(found, line, some)
        series = [shapes.Series(label, curve_points(found, figure, factor, its), True)
                  for label, its in lines.items()]
        series = [s for s in series if len(s.points) > 1]
        if series:
            parts.append(curve_picture(figure, factor, series, name, "curves-%d-%d" % (
                number, len(parts) + 1), known.of_lines(lines)))
    if not parts:
        return []
    span = [v for p in parts for s in p.series for at in s.points
            for v in [at.y, at.low, at.high] + list(at.values) if v is not None]
    parts = [p._replace(span=span) for p in parts]
    return assembled("curves-%d" % number, "%s over %s" % (
        title(found, figure), factor_title(factor)), curve_words(slices), parts)


def curve_words(slices):
    return ["Geometric means, with bands of 95 % intervals where there are six rounds; "
            "faint marks are single rounds."] + slices.words


def line_factor(found, factor, order):
    """Returns the factor of lines: the method, or else the largest of the others with
    few values."""
    others = [f for f in found.factors if f.name != factor.name
              and len(f.values) <= pictures.MOST_LINES]
    methods = [f for f in others if looks.is_method(f)]
    others = sorted(others, key=lambda f: order.index(f.name))
    return (methods + [f for f in others if not f.numeric] + others + [None])[0]


def lines_of(found, line, groups):
    if line is None:
        return OrderedDict([("all", groups)])
    out = OrderedDict()
    for value in line.values:
        some = [g for g in groups if found.value(g, line.name) == value]
        if some:
            out[named(found, line, value)] = some
    return out


def curve_points(found, figure, factor, groups):
    points = []
    for group in groups:
        values = pictures.sampled(group, figure.name, figure.at)
        if values:
            points.append(shapes.point(found.value(group, factor.name), values,
                                       stats.centre(values), stats.interval(values)))
    return sorted(points, key=lambda p: p.x)


def curve_picture(figure, factor, series, name, key, its_looks):
    xs = factor.values
    log = min(xs) > 0 and max(xs) > FAR * min(xs)
    texts = {x: names.value_text(factor.name, x) for x in xs}
    return shapes.Lines(key, name, [], factor_title(factor), axis_title(figure), log,
                        series, [], its_looks, (), texts)


# ---- maps of two numbers -----------------------------------------------------


def maps(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    for found in pictures.matrices(groups):
        numbers = [f for f in found.factors if f.numeric
                   and LEAST <= len(f.values) <= MOST_COLUMNS]
        for figure in found.figures():
            order = by_share(found, figure)
            several = sorted(numbers, key=lambda f: order.index(f.name))
            pairs = [(a, b) for i, b in enumerate(several) for a in several[:i]]
            for pair in pairs[:MOST_PAIRS]:
                y, x = sorted(pair, key=lambda f: len(f.values))
                out += map_of(found, figure, x, y, order, len(out) + 1)
    return out


def map_of(found, figure, x, y, order, number):
    slices = Slices(found, figure, (x.name, y.name), order)
    ranked = ranking.best(found.groups, figure)
    best = [g for g in [ranked.top] + list(ranked.alike) if g]
    tables = OrderedDict((name, table_of(found, figure, x, y, some))
                         for name, some in slices.facets.items())
    values = [v for cells in tables.values() for row in cells for v, _ in row
              if v is not None]
    if len(values) < LEAST * LEAST:
        return []
    above = [v for v in values if v > 0] or [0.0]
    parts = [shapes.Cells(
        "heat-%d-%d" % (number, i + 1), name, [], factor_title(x), factor_title(y),
        [names.value_text(x.name, v) for v in x.values],
        [names.value_text(y.name, v) for v in reversed(y.values)],
        [[v for v, _ in row] for row in cells],
        [(r, c) for r, row in enumerate(cells) for c, (_, g) in enumerate(row)
         if g is not None and any(g is b for b in best)],
        (min(above), max(above)), names.rate_text)
        for i, (name, cells) in enumerate(tables.items())]
    return assembled("heat-%d" % number, "%s (%s) over %s and %s" % (
        title(found, figure), axis_title(figure), factor_title(x), factor_title(y)),
        map_words(best, parts) + slices.words, parts)


def table_of(found, figure, x, y, groups):
    """Returns [[(centre, group)]]: rows from the largest y down."""
    held = {(found.value(g, y.name), found.value(g, x.name)): g for g in groups}
    return [[(centre(held[v, w], figure), held[v, w]) if (v, w) in held
             else (None, None) for w in x.values] for v in reversed(y.values)]


def map_words(best, parts):
    out = ["Equal steps of colour are equal factors."]
    if len(best) > 1:
        out.append("Ringed are the best configuration and those that cannot be told "
                   "from it.")
    elif best:
        out.append("A ring marks the best configuration.")
    if any(v is None for p in parts for row in p.cells for v in row):
        out.append("Hatched: not measured.")
    return out
