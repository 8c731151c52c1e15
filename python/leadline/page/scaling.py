"""Bandwidth over numbers of ranks, and where a file system is saturated."""
from collections import OrderedDict

from leadline.base import stats
from leadline.base.names import ranks_text
from leadline.draw import looks, shapes
from leadline.judge import climb, compare
from leadline.page import pictures, pictures_matrix
from leadline.results.groups import follows_ranks

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
    """({name: groups with rising rank counts}, options that follow the ranks)."""
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
        words = [compare.option_text(n, first.option_values().get(n)) for n in names]
        words.append("(%s)" % first.series_id if series and first.series_id else "")
        named[" ".join(filter(None, words)) or "all runs"] = curve
    return named, follows


def scaling_points(groups, figure):
    measured = [(g.first.ranks, pictures.sampled(g, figure)) for g in groups]
    measured = [(ranks, values) for ranks, values in measured if values]
    at = climb.saturation([(ranks, stats.median(values)) for ranks, values in measured])
    return [shapes.point(ranks, values, stats.median(values), stats.interval(values),
                         ranks == at) for ranks, values in measured]


def scaling_words(lines, title):
    """One sentence on all curves: where each is saturated."""
    found = OrderedDict()
    for line in lines:
        at = [p.x for p in line.points if p.ringed]
        words = "is saturated at %s" % ranks_text(at[0]) if at else \
            "still grows up to %s" % ranks_text(line.points[-1].x)
        found.setdefault(words, []).append(line.name)
    return ["%s %s." % (title.capitalize(), "; ".join(
        "%s (%s)" % (words, ", ".join(names)) for words, names in found.items())),
        SATURATION]
