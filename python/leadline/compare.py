"""leadline compare: figures of configurations side by side, and what follows."""
import fnmatch
import json
from collections import OrderedDict, namedtuple

from leadline import stats, table, tails
from leadline.errors import usage
from leadline.groups import not_comparable
from leadline.report import printable

SCHEMA = "leadline-compare/1"
BASELINE = "baseline"
TOTALS = ["write_MBps", "read_MBps"]

# Options that say where results go, not what was measured.
ABOUT_OUTPUT = ("json", "csv", "series", "label", "quiet", "per-rank", "keep", "seed")

# `chance`: that equals differ by so much, `estimate`: of the ratio's logarithm; None
# where there is no ratio.
Comparison = namedtuple("Comparison", "ratio paired verdict chance estimate")
Comparison.__new__.__defaults__ = (None, None)
Row = namedtuple("Row", "figure group n median interval comparison")


def compare(figure, group, baseline, ignoring=()):
    """`group` against `baseline` in one figure: the ratio, how, and the words."""
    if group is baseline:
        return Comparison(None, False, BASELINE)
    key = (figure.name, figure.at)
    ours, theirs = group.observations(key), baseline.observations(key)
    if not ours or not theirs:
        absent = baseline if ours else group
        return Comparison(None, False, "not comparable: %s has %s" % (
            absent.name, tails.no_value(figure) if key in absent.figures()
            else "no such figure"))
    why = (other_unit(key, group, baseline)
           or not_comparable(figure.name, group, baseline, ignoring)
           or tails.other_count(figure.name, group, baseline))
    if why:
        return Comparison(None, False, "not comparable: " + why)
    rounds = [at for at in ours if at in theirs and at[0] not in ("rep", "run")]
    paired = len(rounds) >= stats.CI_MIN
    if paired:
        found = stats.paired_estimate([ours[at] for at in rounds],
                                      [theirs[at] for at in rounds])
    else:
        found = stats.welch_estimate(list(ours.values()), list(theirs.values()))
    if found is None:
        n = min(len(ours), len(theirs))
        return Comparison(None, paired, "too few repetitions (n = %d < %d)"
                          % (n, stats.CI_MIN))
    slack = tails.slack(figure.name)
    ratio = stats.ratio_of(found, slack)
    return Comparison(ratio, paired, stats.verdict(ratio, figure.better),
                      stats.chance(found, slack), found)


def other_unit(key, group, baseline):
    ours, theirs = group.figures()[key], baseline.figures()[key]
    for name in ("unit", "better"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine != other:
            return "other %s (%s, not %s)" % (name, mine, other)
    return ""


def row(figure, group, baseline, ignoring=()):
    values = list(group.observations((figure.name, figure.at)).values())
    return Row(figure, group, len(values), stats.median(values) if values else None,
               stats.interval(values), compare(figure, group, baseline, ignoring))


def rows(groups, baseline, patterns):
    return [row(figure, group, baseline)
            for figure in select(groups, patterns)
            for group in [baseline] + [g for g in groups if g is not baseline]]


def tail_sentences(some):
    """What tails say, of rows of which each configuration has its baseline's."""
    wanted = set((f.name, f.at) for f in tails.totals([r.figure for r in some]))
    held, baseline = OrderedDict(), None
    for r in some:
        if r.comparison.verdict == BASELINE:
            baseline = r.group.name
        elif (r.figure.name, r.figure.at) in wanted or not tails.is_tail(r.figure.name):
            held.setdefault(id(r.group), []).append(r)
    return tails.sentences([(baseline, its) for its in held.values()])


# ---- which figures -----------------------------------------------------------


def select(groups, patterns):
    """Figures of all groups that match: rates, tails, others, and of each the totals
    before those of phases. Without a pattern the rates and the tails of which there is
    a value, or all where there are neither."""
    figures = OrderedDict()
    for group in groups:
        for key, figure in group.figures().items():
            figures.setdefault(key, figure)
    ranked = sorted(figures.values(), key=lambda f: (
        not f.name.endswith("_MBps"), not tails.is_tail(f.name), "." in f.name))
    chosen = [f for f in ranked if matches(f.name, patterns or ["*_MBps"])]
    if not patterns:
        chosen += [f for f in ranked if tails.is_tail(f.name) and any(
            g.observations((f.name, f.at)) for g in groups)]
    if not chosen and not patterns:
        chosen = ranked
    if not chosen:
        names = sorted(set(f.name for f in ranked))
        raise usage("no figure is called %s; there are: %s"
                    % (", ".join(patterns), ", ".join(names) or "none"))
    return chosen


def totals(groups):
    """Names of the rates over all phases, or of whatever figures there are."""
    names = set(name for group in groups for name, _ in group.figures())
    return [f for f in TOTALS if f in names]


def varying(groups):
    """Options in which configurations differ but not the runs of one of them."""
    def differ(reports, name):
        return len(set(repr(r.option_values().get(name)) for r in reports)) > 1
    names = OrderedDict((name, None) for g in groups for name in g.first.options)
    found = [name for name in names if name not in ABOUT_OUTPUT
             and differ([g.first for g in groups], name)
             and not any(differ(g.reports, name) for g in groups)]
    return [name for name in found if name != "dir" or not own_folders(groups)]


def own_folders(groups):
    """Whether each configuration had a folder for itself on one file system: then the
    folder is no part of the question."""
    folders = set(repr(g.first.option_values().get("dir")) for g in groups)
    places = set(tuple(g.first.file_systems()) for g in groups)
    return len(folders) == len(groups) and len(places) == 1


def option_text(name, value):
    """posix; collective; npix=1024; nothing for what is off or not given."""
    if value is None or value is False:
        return ""
    if value is True:
        return name
    if not isinstance(value, str) or not value or value[0].isdigit():
        return printable("%s=%s" % (name, value))
    return printable(value.lower() if len(value) > 1 and value.isupper() else value)


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def find_baseline(groups, name):
    if name is None:
        return groups[0]
    for group in groups:
        if group.name == name:
            return group
    raise usage("no configuration is called %s; there are: %s"
                % (name, ", ".join(g.name for g in groups)))


# ---- shown -------------------------------------------------------------------


def figure_title(figure):
    at = ", ".join("%s=%s" % pair for pair in figure.at)
    return figure.name + (" at " + at if at else "")


def readable_rows(some):
    """For text and Markdown: a figure is named once."""
    out, last = [], None
    for r in some:
        title = figure_title(r.figure)
        ratio = r.comparison.ratio
        out.append([title if title != last else "", r.group.name, str(r.n),
                    table.number(r.median), table.bounds(r.interval),
                    "%.3f" % ratio.centre if ratio else "-",
                    "[%.3f, %.3f]" % (ratio.low, ratio.high) if ratio else "-",
                    r.comparison.verdict])
        last = title
    return out


READABLE = ["figure", "configuration", "n", "median", "95 % interval", "ratio",
            "95 % interval", "verdict"]
FLAT = ["figure", "at", "unit", "better", "configuration", "n", "median", "low",
        "high", "ratio", "ratio_low", "ratio_high", "paired", "verdict"]


def flat(r):
    """One row with all its digits, for programs to read."""
    interval = r.interval or stats.Interval(None, None, None, 0)
    ratio = r.comparison.ratio or stats.Interval(None, None, None, 0)
    return OrderedDict(zip(FLAT, [
        r.figure.name, ";".join("%s=%s" % pair for pair in r.figure.at), r.figure.unit,
        r.figure.better, r.group.name, r.n, r.median, interval.low, interval.high,
        ratio.centre, ratio.low, ratio.high, r.comparison.paired,
        r.comparison.verdict]))


def as_csv(some):
    return table.comma_separated(
        FLAT, [["" if v is None else v for v in flat(r).values()] for r in some])


def as_json(some, notes, **more):
    tree = OrderedDict([("schema", SCHEMA)] + sorted(more.items()))
    tree["rows"] = [flat(r) for r in some]
    tree["notes"] = notes
    return json.dumps(tree, indent=1, allow_nan=False) + "\n"


def readable(some, form):
    return form(READABLE, readable_rows(some), right=(2, 3, 5))
