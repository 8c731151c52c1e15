"""From configurations to pictures that any program's reports give: bandwidth, file
types, time by activity, and single ranks. Scaling is in a file of its own.

Each function returns a list of shapes, empty if there is nothing to show.
"""
import functools
import math
from collections import Counter, OrderedDict
from typing import Any, Dict, Iterable, List, Sequence, Tuple

from leadline.base import fields, names, stats
from leadline.base.errors import LeadlineError
from leadline.base.names import ranks_text
from leadline.draw import looks, shapes
from leadline.judge import effects, matrix, ranking
from leadline.judge.against import Against
from leadline.results.groups import transfer_seconds

TOTALS = ("write_MBps", "read_MBps")
TITLES = {"write_MBps": "write", "read_MBps": "read"}
MOST_ROWS = 24     # in one picture; more rows make several pictures
MOST_LINES = 6
MOST_PAGES = 4     # for one figure; of more rows, only those at both ends are drawn
NAMED = 3          # configurations in a sentence
MOST_RANKS = 256   # columns
SINGLE = 64        # up to this number ranks have a mark each
FEW_RANKS = 3      # with fewer ranks there is no straggler
STRAGGLER = 1.5    # ratio to the median rank that is worth a sentence


# ---- shared functions --------------------------------------------------------


def sampled(group: Any, name: str, at: Tuple[Any, ...] = ()) -> List[float]:
    return list(group.observations((name, at)).values())


def mark(series: str, values: Sequence[float]) -> Any:
    return shapes.mark(series, values, stats.centre(values), stats.interval(values))


def by_program(groups):
    found = OrderedDict()
    for group in groups:
        found.setdefault(group.first.program, []).append(group)
    return found.items()


def with_totals(groups):
    """Returns, by program, the groups of which a rate over all phases is known."""
    return by_program([g for g in groups if any(sampled(g, f) for f in TOTALS)])


def pages(items: Sequence[Any], most: int) -> List[Sequence[Any]]:
    """Splits the items into lists of nearly equal length, none longer than `most`."""
    count = -(-len(items) // most) or 1
    return [items[i * len(items) // count:(i + 1) * len(items) // count]
            for i in range(count)]


def numbered(title: str, i: int, of: int) -> str:
    return title + (" (%d of %d)" % (i + 1, of) if of > 1 else "")


def rank_counts(groups: Iterable[Any]) -> List[int]:
    return sorted(set(g.first.ranks for g in groups))


def by_ranks(groups: Iterable[Any]) -> List[Any]:
    return sorted(groups, key=lambda g: g.first.ranks)


# ---- bandwidth by configuration ----------------------------------------------


def matrices(groups: Sequence[Any]) -> List[Any]:
    """Returns matrix.matrices, cached for each list of groups."""
    return kept_matrices(tuple(groups))


@functools.lru_cache(maxsize=16)
def kept_matrices(groups):
    found = matrix.matrices(list(groups))
    several = Counter(m.program for m in found)
    for one in found:
        one.series = one.groups[0].first.series_id if several[one.program] > 1 else ""
    return found


def effects_of(found: Any, figure: Any) -> Any:
    return kept_effects(found, (figure.name, figure.at))


@functools.lru_cache(maxsize=64)
def kept_effects(found, key):
    figure = next(f for f in found.figures() if (f.name, f.at) == key)
    return effects.find(found, figure)


def series_text(found: Any) -> str:
    return " (%s)" % found.series if found.series else ""


def bandwidth(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    known = looks.Looks(groups)
    for program, some in with_totals(groups):
        for name in TOTALS:
            rates = [(g, sampled(g, name)) for g in some]
            rates = sorted(((g, values) for g, values in rates if values),
                           key=lambda pair: -stats.centre(pair[1]))
            if rates:
                out += dots(program, name, some, rates, known, len(out))
    return out


def dots(program, name, groups, rates, known, made):
    """Draws a program's configurations by a rate, the highest first; of very many those
    at both ends."""
    figure = rates[0][0].figures()[name, ()]
    parts, words = parted(groups, rates, figure)
    methods = {id(g): known.methods[id(g)] for g in groups}
    span = [v for part in parts for _, _, values in part for v in values]
    series = list(OrderedDict.fromkeys(methods[id(g)] for g, _ in rates))
    return [shapes.Rows(
        "bandwidth-%d" % (made + i + 1),
        numbered("%s: %s bandwidth by configuration" % (program, TITLES[name]), i,
                 len(parts)),
        extremes(groups, figure) + words if i == 0 else [], "MB/s", series,
        [shapes.Row(head, g.name, [mark(methods[id(g)], values)])
         for head, g, values in part], known.known, span)
        for i, part in enumerate(parts)]


def parted(groups, rates, figure):
    """Returns (lists of (heading, group, values), sentences)."""
    if len(rates) > MOST_PAGES * MOST_ROWS:
        half = MOST_ROWS // 2
        return [[("the highest %d of %d" % (half, len(rates)), g, v)
                 for g, v in rates[:half]] + [("the lowest %d" % half, g, v)
                                              for g, v in rates[-half:]]], [
            "The %d between them are in the table of verdicts." % (
                len(rates) - 2 * half)]
    ranks = len(rank_counts(groups)) > 1 and not matrices(groups)
    rows = [(ranks_text(g.first.ranks) if ranks else "", g, v) for g, v in rates]
    if len(rates) <= MOST_ROWS:
        return [rows], []
    found = largest_factor(groups, figure)
    if found is None:
        return pages(rows, MOST_ROWS), []
    of, factor = found
    heads = OrderedDict((v, []) for v in factor.values)
    for g, values in rates:
        value = of.value(g, factor.name)
        heads[value].append((of.text(factor.name, value), g, values))
    return filled([p for part in heads.values() if part
                   for p in pages(part, MOST_ROWS)]), []


def filled(parts):
    """Joins neighbours into one picture if they fit."""
    out = [[]]
    for part in parts:
        if len(out[-1]) + len(part) > MOST_ROWS:
            out.append([])
        out[-1] += part
    return [part for part in out if part]


def largest_factor(groups, figure):
    """Returns (matrix, the factor of the largest share); None if no factor is common to
    all."""
    for found in matrices(groups):
        if len(found.groups) == len(groups) and found.factors:
            shares = effects_of(found, figure).shares
            fit = [f for f in found.factors if len(f.values) <= MOST_ROWS]
            if fit:
                return found, max(fit, key=lambda f: shares.get(f.name, 0.0))
    return None


def extremes(groups, figure):
    """Says which configuration is first, and which cannot be distinguished from it."""
    if len(groups) < 2:
        return []
    best = ranking.best(groups, figure)
    if best.top is None:
        return [best.why] if best.why else []
    words = "Highest: %s" % best.top.name
    if best.value:
        words += " (%s)" % value_text(best.value, figure)
    if best.alike:
        words += "; %d cannot be told from it: %s" % (
            len(best.alike), listed([g.name for g in best.alike]))
    return [words + "."]


def value_text(value: Any, figure: Any) -> str:
    """Formats a value: 812 MB/s [790, 833]."""
    return "%s %s%s" % (names.rate_text(value.centre), figure.unit,
                        "" if value.low is None else " [%s, %s]" % (
                            names.rate_text(value.low), names.rate_text(value.high)))


def listed(words: Sequence[str]) -> str:
    more = " and %d more" % (len(words) - NAMED) if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more


# ---- unique against shared ---------------------------------------------------


def file_types(groups):
    out = []
    for program, some in with_totals(groups):
        if len(set(repr(g.first.option("filetype")) for g in some)) < 2:
            continue
        try:
            view = Against(some, "filetype", None)
        except LeadlineError:
            continue   # it lacks the option, or the figures
        held = [p for p in view.pairs if p.baseline and p.baseline is not p.group]
        for i, figure in enumerate(view.figures):
            rows = type_rows(held, figure)
            title = TITLES.get(figure.name, figure.name)
            kinds = list(OrderedDict.fromkeys(m.series for r in rows for m in r.marks))
            for n, part in enumerate(pages(rows, MOST_ROWS) if rows else []):
                out.append(shapes.Rows(
                    "filetype-%d" % (len(out) + 1),
                    "%s: %s by file type" % (program, title),
                    type_words(view, title) if n == 0 else [], figure.unit, kinds,
                    part, {k: (looks.OTHER, j) for j, k in enumerate(kinds)}))
    return out


def type_rows(held, figure):
    """Returns a row for each configuration apart from its file type: the baseline's
    mark first."""
    rows = OrderedDict()
    for pair in held:
        name = pair.context or pair.group.first.program
        ours = sampled(pair.group, figure.name, figure.at)
        theirs = sampled(pair.baseline, figure.name, figure.at)
        if ours and theirs:
            row = rows.setdefault((name, pair.baseline.name), shapes.Row("", name, [
                mark(pair.base_value, theirs)]))
            row.marks.append(mark(pair.value, ours))
    return list(rows.values())


def type_words(view, title):
    return [s for s in view.meaning() if s.lower().startswith(title + ":")]


# ---- time by activity --------------------------------------------------------

PARTS = [act for act in fields.ACTS if act != "wall"]
NAMES = [act.replace("_", "/") for act in PARTS]


def time_split(groups: Sequence[Any]) -> List[Any]:
    out: List[Any] = []
    for program, some in by_program(groups):
        found = [(g, split(g)) for g in by_ranks(some)]
        phases = sum(len(s) for _, s in found)
        bars = []
        for group, by_phase in found:
            # single phases of few, or sums of many configurations
            if phases > MOST_ROWS:
                bars += [shapes.Bar("", group.name, total(by_phase.values()))
                         ] if by_phase else []
            else:
                bars += [shapes.Bar(group.name, phase, values)
                         for phase, values in by_phase.items()]
        parts, words = bar_pages(bars)
        for i, part in enumerate(parts):
            out.append(shapes.Stacks(
                "time-%d" % (len(out) + 1),
                numbered("%s: where the time goes" % program, i, len(parts)),
                time_words(bars) + words if i == 0 else [],
                "seconds, mean over ranks and repetitions", NAMES, part))
    return out


def bar_pages(bars):
    """Returns (lists of bars, sentences): of very many those at both ends."""
    if len(bars) <= MOST_PAGES * MOST_ROWS:
        return (pages(bars, MOST_ROWS) if bars else []), []
    half = MOST_ROWS // 2
    ranked = sorted(bars, key=lambda bar: math.fsum(bar.values))
    least = [bar._replace(group="the %d with the least" % half)
             for bar in ranked[:half]]
    return [least + [bar._replace(group="the %d with the most" % half)
                     for bar in ranked[-half:]]], [
        "Shown are the %d of %d at both ends." % (MOST_ROWS, len(bars))]


def total(rows):
    return [math.fsum(column) for column in zip(*rows)]


def split(group):
    """Returns {phase: seconds of each of PARTS}, the mean over repetitions of all
    runs."""
    sums, reps = OrderedDict(), set()
    for i, report in enumerate(group.reports):
        for row in report.samples:
            if row.get("at") or row.get("act") not in PARTS:
                continue
            phase = str(row.get("phase"))
            reps.add((i, row.get("rep")))
            seconds = sums.setdefault(phase, [0.0] * len(PARTS))
            seconds[PARTS.index(row["act"])] += row.get("mean_s") or 0.0
    return OrderedDict((phase, [s / len(reps) for s in seconds])
                       for phase, seconds in sums.items())


def time_words(bars):
    sums = total(bar.values for bar in bars)
    most = max(range(len(sums)), key=lambda i: sums[i])
    return ["Over all of them, most time goes to %s: %.0f %%."
            % (NAMES[most], 100 * sums[most] / (math.fsum(sums) or 1))]


# ---- single ranks ------------------------------------------------------------


def ranks(groups: Sequence[Any]) -> List[Any]:
    """Draws the ranks of the configurations with the largest number of ranks, worst
    balance first."""
    out: List[Any] = []
    known = looks.Looks(groups)
    for program, some in by_program(groups):
        most = rank_counts(some)[-1]
        if most < FEW_RANKS:
            continue
        found = [(g, rank_seconds(g)) for g in some if g.first.ranks == most]
        found = [(g, s) for g, s in found if len(s) == most]
        found.sort(key=lambda pair: -imbalance(pair[1]))
        if found and most > SINGLE:
            out += many_ranks(program, some, found, known, len(out))
        elif found:
            out.append(rank_lines(program, some, found, known, len(out), False))
    return out


def rank_lines(program, groups, found, known, made, ordered):
    """Draws the seconds of each rank; `ordered`: from the slowest on, as a curve."""
    shown = found[:MOST_LINES]
    series = [shapes.Series(g.name, [
        shapes.point(r, [], v, None) for r, v in (
            enumerate(sorted(seconds, reverse=True), 1) if ordered
            else enumerate(seconds))], ordered) for g, seconds in shown]
    most = len(found[0][1])
    return shapes.Lines(
        "ranks-%d" % (made + 1), "%s: seconds of each of %d ranks in transfers%s" % (
            program, most, ", sorted" if ordered else ""),
        rank_words(found, NAMED if ordered else 1),
        "ranks, from the slowest on" if ordered else "rank",
        "seconds of read, write and sync, mean over repetitions", False, series, [],
        known.of_lines(OrderedDict((g.name, [g]) for g, _ in shown)))


def many_ranks(program, groups, found, known, made):
    """Draws a sorted curve of each configuration, and their ranks in order as a
    strip."""
    shown = found[:MOST_LINES]
    grid = [[v for _, v in slowest_of(seconds)] for _, seconds in reversed(shown)]
    top = max(map(max, grid)) or 1.0
    most = len(found[0][1])
    width = -(-most // MOST_RANKS)
    words = ["The stronger the colour, the more seconds in transfers."]
    if width > 1:
        words.append("Each column is the slowest of %d neighbouring ranks." % width)
    flags = host_flags(shown[0][0])
    if flags:
        words.append("Lines part the hosts.")
    strip = shapes.Heat(
        "ranks-%d" % (made + 2), "%s: seconds of %d ranks in transfers, in their order"
        % (program, most), words, "rank", "", most, len(grid),
        [(i, g.name) for i, (g, _) in enumerate(reversed(shown))],
        [[v / top for v in row] for row in grid], "%.3g s" % top, flags)
    return [rank_lines(program, groups, found, known, made, True), strip]


def host_flags(group):
    """Returns [(first rank, host)] if hosts hold ranks in blocks, as far as the reports
    tell: each slowest rank is on the host that it says."""
    at, begins = 0, []
    for host in group.first.hosts:
        begins.append((at, str(host.get("name") or "?")))
        at += host.get("ranks") or 0
    for report in group.reports:
        for row in report.samples:
            rank, host = row.get("max_rank"), row.get("max_host")
            if isinstance(rank, int) and host and begins and [
                    name for first, name in begins if first <= rank][-1:] != [host]:
                return []
    return begins if at == group.first.ranks and len(begins) > 1 else []


def rank_seconds(group):
    """Returns the mean seconds of each rank; [] if a report does not have them all."""
    sums, count = {}, 0
    for report in group.reports:
        if not any(isinstance(s.get("ranks_s"), list) for s in report.samples):
            return []
        count += max([s.get("rep") or 1 for s in report.samples] or [1])
        for rank, seconds in transfer_seconds(report)[0].items():
            sums[rank] = sums.get(rank, 0.0) + seconds
    return [sums.get(r, 0.0) / count for r in range(max(sums) + 1)] if sums else []


def slowest_of(seconds):
    """Generates (rank, seconds) of at most MOST_RANKS ranks: of each block of
    neighbours the slowest."""
    width = -(-len(seconds) // MOST_RANKS)
    for begin in range(0, len(seconds), width):
        some = seconds[begin:begin + width]
        yield begin + some.index(max(some)), max(some)


def imbalance(seconds):
    return max(seconds) / (stats.median(seconds) or 1.0)


def rank_words(found, most):
    """Names the slowest ranks of each configuration: `most` of them, or the one that
    needs far more than others."""
    out = []
    for group, seconds in found[:MOST_LINES]:
        usual = stats.median(seconds) or 1.0
        worst = sorted(range(len(seconds)), key=lambda r: -seconds[r])[:most]
        if most > 1:
            out.append("%s, compared with the median rank: %s." % (
                group.name, ", ".join("rank %d takes %.2fx" % (
                    r, seconds[r] / usual) for r in worst)))
        elif seconds[worst[0]] > STRAGGLER * usual:
            out.append("%s: rank %d needs %.1f times as long as the median rank." % (
                group.name, worst[0], seconds[worst[0]] / usual))
    if len(found) > MOST_LINES:
        out.append("Shown are the %d of %d configurations whose ranks differ most."
                   % (MOST_LINES, len(found)))
    return out or ["No rank needs more than %g times as long as the median rank."
                   % STRAGGLER]
