"""Bandwidth over numbers of ranks and of transfers in flight, and the numbers at which
a file system is saturated."""
from collections import OrderedDict
from typing import Any, List, Sequence

from leadline.base import names, stats
from leadline.base.names import ranks_text
from leadline.draw import looks, shapes
from leadline.judge import climb, compare, share
from leadline.page import pictures, pictures_matrix
from leadline.results.groups import follows_ranks
from leadline.results.report import stem

SATURATION = ("A ring marks the number of ranks at which it is saturated: from there "
              "on, doubling the ranks gains less than 10 %.")


def scaling(groups):
    out, known = [], looks.Looks(groups)
    for program, some in pictures.with_totals(groups):
        curves, follows = scaling_curves(some)
        for figure in pictures.TOTALS:
            lines = [shapes.Series(name, scaling_points(curve, figure), True)
                     for name, curve in curves.items()]
            lines = [line for line in lines if len(line.points) > 1]
            if len(lines) > pictures.MOST_LINES and pictures_matrix.has_curves(some):
                continue   # there are curves over the ranks, by facets
            for part in pictures.pages(lines, pictures.MOST_LINES) if lines else []:
                words = scaling_words(part, pictures.TITLES[figure])
                if follows:
                    words.append("%s changes with the number of ranks (weak scaling)."
                                 % " and ".join(follows))
                out.append(shapes.Lines(
                    "scaling-%d" % (len(out) + 1),
                    "%s: %s bandwidth by number of ranks"
                    % (program, pictures.TITLES[figure]),
                    words, "ranks", "MB/s", True, part, [], known.of_lines(
                        OrderedDict((s.name, curves[s.name]) for s in part))))
    return out


def scaling_curves(groups):
    """Returns ({name: groups with rising rank counts}, options that follow the
    ranks)."""
    varying = compare.varying(groups)
    follows = [n for n in varying if follows_ranks(groups, n)]
    curves = OrderedDict()
    for group in pictures.by_ranks(groups):
        values = group.first.option_values()
        same = tuple(repr(values.get(n)) for n in varying if n not in follows)
        curves.setdefault((group.first.series_id, same), []).append(group)
    curves = [c for c in curves.values() if len(pictures.rank_counts(c)) == len(c) > 1]
    names = compare.varying([c[0] for c in curves])
    series = len(set(c[0].first.series_id for c in curves)) > 1
    named = OrderedDict()
    for curve in curves:
        first = curve[0].first
        words = [compare.option_text(n, first.option(n)) for n in names]
        words.append("(%s)" % first.series_id if series and first.series_id else "")
        named[" ".join(filter(None, words)) or "all runs"] = curve
    return named, follows


def scaling_points(groups, figure):
    measured = [(g.first.ranks, pictures.sampled(g, figure)) for g in groups]
    measured = [(ranks, values) for ranks, values in measured if values]
    at = climb.saturation([(ranks, stats.median(values)) for ranks, values in measured])
    return [shapes.point(ranks, values, stats.centre(values), stats.interval(values),
                         ranks == at) for ranks, values in measured]


def scaling_words(lines, title):
    """Returns one sentence on where each curve is saturated."""
    found = OrderedDict()
    for line in lines:
        at = [p.x for p in line.points if p.ringed]
        words = "is saturated at %s" % ranks_text(at[0]) if at else \
            "still grows up to %s" % ranks_text(line.points[-1].x)
        found.setdefault(words, []).append(line.name)
    return ["%s %s." % (title.capitalize(), "; ".join(
        "%s (%s)" % (words, ", ".join(names)) for words, names in found.items())),
        SATURATION]


# ---- calibrations: plain transfers, and more of them in flight ----------------

MOST = 4   # calibrations
MIXED = "random.mixed.phase_MBps"
ROWS = [(pattern, [(pattern + "." + rate, pictures.TITLES[rate])
                   for rate in share.FIGURES]) for pattern in share.PATTERNS]
ROWS.append(("random, mixed", [(MIXED, "both")]))


def calibrate(reports: Sequence[Any]) -> List[Any]:
    """Makes pictures of each of these reports; of many, of the latest."""
    out: List[Any] = []
    for report in sorted(reports, key=lambda r: r.start_utc)[-MOST:]:
        name = stem(report.path) if len(reports) > 1 else report.program
        values = {figure.name: sampled(figure) for figure in report.figures
                  if not figure.at and sampled(figure)}
        out += rates(report, name, values, len(out))
        steps, again = climb.steps(values), climb.steps(values, climb.AGAIN)
        for rate in share.FIGURES:
            out += in_flight(report, name, steps, rate, len(out), again)
    if out and len(reports) > MOST:
        out[0].words.append("Shown are the latest %d of %d calibrations."
                            % (MOST, len(reports)))
    return out


def sampled(figure):
    return [value for value in figure.reps if value]


# ---- sequential and random ---------------------------------------------------


def rates(report, name, values, made):
    rows = []
    for label, figures in ROWS:
        marks = [pictures.mark(series, values[figure]) for figure, series in figures
                 if figure in values]
        if marks:
            rows.append(shapes.Row("", label + size_text(report, label), marks))
    if not rows:
        return []
    series = list(OrderedDict.fromkeys(m.series for row in rows for m in row.marks))
    return [shapes.Rows(
        "calibrate-%d" % (made + 1), "%s: plain transfers of %s" % (
            name, names.ranks_text(report.ranks)),
        words_of_rates(values), "MB/s", series, rows,
        {s: (looks.OTHER, i) for i, s in enumerate(series)})]


def size_text(report, label):
    """Returns the bytes of a transfer: the option has those of both patterns, or
    one."""
    sizes = report.option("block-size")
    if isinstance(sizes, list):
        sizes = dict(zip(share.PATTERNS, sizes)).get(label.partition(",")[0])
    return ", " + names.size_text(sizes) if isinstance(sizes, int) else ""


def words_of_rates(values):
    """Says what share of the sequential rate random transfers reach."""
    parts = []
    for rate in share.FIGURES:
        of = [values.get("%s.%s" % (pattern, rate)) for pattern in share.PATTERNS]
        if all(of):
            sequential, random = map(stats.median, of)
            parts.append("random %ss reach %.3g %% of the rate of sequential ones"
                         % (pictures.TITLES[rate], 100 * random / sequential))
    return ["; ".join(parts).capitalize() + "."] if parts else []


# ---- transfers in flight -----------------------------------------------------


def in_flight(report, name, steps, rate, made, again):
    """Draws lines of engines; a ring marks the step with the least in flight that comes
    near the best."""
    best = climb.knee(steps, rate)
    if best is None:
        return []
    engines = list(OrderedDict.fromkeys(step.engine for step in steps))
    lines = [shapes.Series(engine, [point(step, rate, step is best[0])
                                    for step in steps if step.engine == engine
                                    and climb.rate_of(step, rate)], True)
             for engine in engines]
    parts = pictures.pages([line for line in lines if line.points],
                           pictures.MOST_LINES)
    known = looks.of_methods(engines)
    return [shapes.Lines(
        "calibrate-%d" % (made + i + 1), pictures.numbered(
            "%s: random %ss by transfers in flight" % (name, pictures.TITLES[rate]),
            i, len(parts)),
        [climb.sentence(steps, rate, report.ranks, again)] if i == 0 else [],
        "transfers in flight on each rank", "MB/s", True, part, [],
        {line.name: known[line.name] for line in part}) for i, part in enumerate(parts)]


def point(step, rate, ringed):
    values = step.figures[rate]["reps"]
    return shapes.point(step.at_once, values, stats.centre(values),
                        stats.interval(values), ringed)
