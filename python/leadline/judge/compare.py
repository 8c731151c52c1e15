"""leadline compare: figures of configurations side by side, and what follows."""
import fnmatch
import json
import math
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from leadline.base import names, stats, table
from leadline.base.errors import usage
from leadline.base.fields import printable
from leadline.judge import differs, robust, rounds, rules, tails
from leadline.results.groups import Group, Key, not_comparable, varying
from leadline.results.report import Figure

SCHEMA = "leadline-compare/1"
BASELINE = rules.BASELINE
TOTALS = ["write_MBps", "read_MBps"]
RATES = 6        # number of headline figures if there are rates and no totals
HEADLINES = 2    # and if there are neither


# `baseline`: the group it is compared with. `ratio`: with an interval that holds
# together with all `many` headline comparisons; None if there is none. `chance`: that
# equals differ by so much, `adjusted`: that one of `many` does; `estimate`: of the
# ratio's logarithm. `rounds`: number that would show a difference of Policy.equal.
# `opinion`: see robust, for pairs with a flagged run. `exploratory`: no headline
# figure; intervals are single ones, and Benjamini and Hochberg say which differences to
# keep. `marks`: what else differed, as "other machine".
class Comparison(NamedTuple):
    ratio: Any
    paired: bool
    verdict: str
    chance: Any = None
    estimate: Any = None
    baseline: Any = None
    rule: Optional[str] = rules.NOT_COMPARABLE
    adjusted: Optional[float] = None
    many: int = 1
    rounds: Optional[int] = None
    opinion: Optional[robust.Opinion] = None
    exploratory: bool = False
    marks: Sequence[str] = ()


Row = namedtuple("Row", "figure group n centre interval comparison")


# ---- one row -----------------------------------------------------------------


def compare(figure: Figure, group: Group, baseline: Group, ignoring: Sequence[str] = (),
            strict: bool = False) -> Comparison:
    """Compares `group` with `baseline` in one figure: returns the estimate, or the
    reason why there is none."""
    if group is baseline:
        return Comparison(None, False, BASELINE, baseline=baseline, rule=BASELINE)
    ours, theirs = (g.observations((figure.name, figure.at)) for g in (group, baseline))
    why = refused(figure, group, baseline, ignoring, strict)
    if why:
        return Comparison(None, False, "not comparable: " + why, baseline=baseline)
    why = tails.other_count(figure.name, group, baseline)
    if why:
        return Comparison(None, False, "not judged: " + why, baseline=baseline)
    pairs = sorted(at for at in ours if at in theirs and at[0] not in ("rep", "run"))
    paired = len(pairs) >= stats.CI_MIN
    if paired:
        found = of_rounds(pairs, ours, theirs, baseline)
    else:
        found = stats.welch_estimate(list(ours.values()), list(theirs.values()))
    if group.is_one_run or baseline.is_one_run:
        return Comparison(stats.ratio_of(found, tails.slack(figure.name)) if found
                          else None, False, one_run(group, baseline, found),
                          baseline=baseline, rule=rules.ONE_RUN)
    if found is None:
        n = min(len(ours), len(theirs))
        return Comparison(None, paired, "too few repetitions (%d, %d needed)"
                          % (n, stats.CI_MIN), baseline=baseline, rule=rules.TOO_FEW)
    slack = tails.slack(figure.name)
    return Comparison(stats.ratio_of(found, slack), paired, "",
                      stats.chance(found, slack), found, baseline, None)


def of_rounds(pairs: Sequence[Key], ours: Dict[Key, float], theirs: Dict[Key, float],
              baseline: Group) -> Optional[stats.Estimate]:
    return robust.estimate({at: math.log(ours[at] / theirs[at]) for at in pairs},
                           baseline.first.order_seed)


def one_run(group: Group, baseline: Group, found: Optional[stats.Estimate]) -> str:
    """Returns why there is no verdict on single runs, however narrow the interval is:
    on a device whose speed wanders, two equal runs one after the other differ by more
    than that."""
    which = [g.name for g in (group, baseline) if g.is_one_run]
    return "%s: %s--compare or a sweep decides" % (
        "one run each" if len(which) == 2 else "one run of " + which[0],
        "what differs between runs is not in this interval; " if found else "")


def refused(figure: Figure, group: Group, baseline: Group, ignoring: Sequence[str],
            strict: bool) -> str:
    """Returns why there is no comparison; "" if there is one."""
    key = (figure.name, figure.at)
    for some in (baseline, group):
        if not some.observations(key):
            return "%s has %s" % (some.name, tails.no_value(figure, some))
    return (other_unit(key, group, baseline)
            or not_comparable(figure.name, group, baseline, ignoring)
            or (strict and differs.first(group, baseline)) or "")


def other_unit(key: Key, group: Group, baseline: Group) -> str:
    ours, theirs = group.figures()[key], baseline.figures()[key]
    for name in ("unit", "better"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine != other:
            return "other %s (%s, not %s)" % (name, mine, other)
    return ""


def row(figure: Any, group: Any, baseline: Any, ignoring: Sequence[str] = (),
        strict: bool = False) -> Row:
    """Returns a row without its verdict, which depends on all rows."""
    values = list(group.observations((figure.name, figure.at)).values())
    return Row(figure, group, len(values), stats.centre(values) if values else None,
               stats.interval(values),
               compare(figure, group, baseline, ignoring, strict))


def rows(groups: Sequence[Any], baseline: Any, patterns: Optional[Sequence[str]],
         policy: Any = rules.POLICY) -> List[Any]:
    figures = select(groups, patterns)
    return judged([row(figure, group, baseline, strict=policy.strict)
                   for figure in figures
                   for group in [baseline] + [g for g in groups if g is not baseline]],
                  policy, headline(figures, patterns))


# ---- all rows together -------------------------------------------------------


def judged(some: Sequence[Row], policy: rules.Policy = rules.POLICY,
           heads: Optional[Sequence[Any]] = None) -> List[Row]:
    """Adds verdicts that hold together: each headline comparison is one of all of them
    (Sidak); of the others those differences are kept that Benjamini and Hochberg keep.
    `heads`: the headline figures."""
    figures = OrderedDict(((r.figure.name, r.figure.at), r.figure) for r in some)
    named = set((f.name, f.at) for f in (
        headline(list(figures.values())) if heads is None else heads))
    held = [r for r in some if r.comparison.estimate]
    main = [r for r in held if (r.figure.name, r.figure.at) in named]
    more = [r for r in held if (r.figure.name, r.figure.at) not in named]
    kept = set(id(r) for r, keep in zip(more, stats.benjamini_hochberg(
        [r.comparison.chance for r in more])) if keep)
    known = Known(some)
    return [r if not r.comparison.estimate else
            judged_row(r, len(main), policy, known)
            if (r.figure.name, r.figure.at) in named else
            explored(r, id(r) in kept, policy, known) for r in some]


class Known:
    """Data that the rows of one table share, computed on demand: flagged runs of each
    figure, and what else differed between two configurations."""

    def __init__(self, some: Sequence[Row]) -> None:
        self.groups: Dict[Key, Dict[int, Group]] = OrderedDict()
        self.pairs: Dict[Tuple[int, int], Sequence[str]] = {}
        for r in some:
            at = self.groups.setdefault((r.figure.name, r.figure.at), OrderedDict())
            for group in (r.group, r.comparison.baseline):
                if group is not None:
                    at[id(group)] = group
        self.found: Dict[Key, List[robust.Flag]] = {}

    def flags(self, figure: Figure, pair: Sequence[Group]) -> List[robust.Flag]:
        key = (figure.name, figure.at)
        if key not in self.found:
            self.found[key] = robust.flags(list(self.groups[key].values()), figure)
        return [f for f in self.found[key] if f.group in pair]

    def marks(self, group: Group, baseline: Group) -> Sequence[str]:
        key = (id(group), id(baseline))
        if key not in self.pairs:
            self.pairs[key] = differs.marks(group, baseline)
        return self.pairs[key]


def judged_row(r: Row, many: int, policy: rules.Policy, known: Known) -> Row:
    c, better = r.comparison, r.figure.better
    ratio = stats.ratio_of(c.estimate, tails.slack(r.figure.name), many)
    rule, words = rules.judge(ratio, better, policy)
    opinion = second_opinion(r, known) if c.paired else None
    if opinion:
        rule, words = with_opinion(rule, words, opinion, better, policy)
    marks = known.marks(r.group, c.baseline)
    if marks and rule not in (rules.NOT_SHOWN, rules.SINGLE_RUNS):
        words += " (%s)" % ", ".join(marks)
    return r._replace(comparison=c._replace(
        ratio=ratio, verdict=words, rule=rule, many=many, opinion=opinion, marks=marks,
        adjusted=stats.adjusted(c.chance, many), exploratory=False,
        rounds=rounds_of(c, many, policy) if rule == rules.NOT_SHOWN else None))


def explored(r: Row, keep: bool, policy: rules.Policy, known: Known) -> Row:
    """Judges a row that is of no headline figure."""
    rule, words = rules.judge(r.comparison.ratio, r.figure.better, policy)
    if rules.differs(rule) and not keep:
        rule, words = rules.NOT_SHOWN, (
            "%s (among this many figures it may be chance)" % rules.NONE_SHOWN)
    marks = known.marks(r.group, r.comparison.baseline)
    if marks and rules.differs(rule):
        words += " (%s)" % ", ".join(marks)
    return r._replace(comparison=r.comparison._replace(
        verdict=words, rule=rule, exploratory=True, marks=marks,
        adjusted=r.comparison.chance))


def rounds_of(c: Comparison, many: int, policy: rules.Policy) -> Optional[int]:
    """Returns how many rounds would show a difference of policy.equal, at the noise
    seen."""
    noise = c.estimate.error * (c.estimate.n / 2.0) ** 0.5
    return rounds.needed(policy.equal, noise, many)


def second_opinion(r: Row, known: Known) -> Optional[robust.Opinion]:
    pair = (r.group, r.comparison.baseline)
    ours, theirs = (robust.by_round(g, r.figure) for g in pair)
    some = [f for f in known.flags(r.figure, pair) if f.at in ours and f.at in theirs]
    return robust.opinion(ours, theirs, some) if some else None


def with_opinion(rule: str, words: str, opinion: robust.Opinion, better: str,
                 policy: rules.Policy) -> Tuple[str, str]:
    """Returns the verdict, or, if the opinion contradicts it, that it depends on single
    runs."""
    other, _ = rules.judge(opinion.ratio, better, policy)
    if rules.differs(rule) == rules.differs(other):
        return rule, words
    return rules.SINGLE_RUNS, "depends on single runs: %s; without %s %s" % (
        robust.flags_text(opinion.flags), "it" if len(opinion.flags) == 1 else "them",
        opinion_text(other, opinion.ratio, better))


def opinion_text(rule: str, ratio: stats.Interval, better: str) -> str:
    """Formats an opinion: faster by 1.30x [1.26, 1.34]."""
    gain = rules.gain_of(ratio, better)
    if not rules.differs(rule):
        return rules.NONE_SHOWN
    if gain.centre < 1.0:
        gain = rules.inverse(gain)
    return "%s by %.2fx [%.2f, %.2f]" % ((rule,) + gain[:3])


def tail_sentences(some: Sequence[Any]) -> List[str]:
    """Returns sentences on the tails, from rows whose configurations each have their
    baseline's."""
    wanted = set((f.name, f.at) for f in tails.totals([r.figure for r in some]))
    held: Dict[int, List[Any]] = OrderedDict()
    baseline = None
    for r in some:
        if r.comparison.verdict == BASELINE:
            baseline = r.group.name
        elif (r.figure.name, r.figure.at) in wanted or not tails.is_tail(r.figure.name):
            held.setdefault(id(r.group), []).append(r)
    return tails.sentences([(baseline, its) for its in held.values()])


# ---- which figures -----------------------------------------------------------


def on_single_runs(some: Sequence[Any]) -> List[str]:
    """Returns a sentence on the verdicts that single runs decide."""
    return ["%s of %s %s" % (figure_title(r.figure), r.group.name, r.comparison.verdict)
            for r in some if r.comparison.rule == rules.SINGLE_RUNS]


def select(groups: Sequence[Any], patterns: Optional[Sequence[str]]) -> List[Any]:
    """Returns the figures of all groups that match: rates, tails, others, and of each
    the totals before those of phases. Without a pattern: the rates (bytes or calls per
    second) and the tails that have a value, or all if there are neither."""
    figures: Dict[Any, Any] = OrderedDict()
    for group in groups:
        for key, figure in group.figures().items():
            figures.setdefault(key, figure)
    ranked = sorted(figures.values(), key=lambda f: (
        not f.name.endswith("_MBps"), not is_rate(f), not tails.is_tail(f.name),
        "." in f.name))
    if not patterns:
        shown = [f for f in ranked if is_rate(f) or tails.is_tail(f.name)]
        return [f for f in shown if any(
            g.observations((f.name, f.at)) for g in groups)] or ranked
    chosen = [f for f in ranked if matches(f.name, patterns)]
    if not chosen:
        names = sorted(set(f.name for f in ranked))
        raise usage("no figure is called %s; there are: %s"
                    % (", ".join(patterns), ", ".join(names) or "none"))
    return chosen


def headline(figures: Sequence[Any],
             patterns: Optional[Sequence[str]] = None) -> Sequence[Any]:
    """Returns those of `figures` that verdicts are about: those named by the user, or
    the totals, or else the first rates, or the first two."""
    asked = [f for f in figures if f.name in (patterns or [])]
    plain = [f for f in figures if not f.at]
    named = [f for f in plain if f.name in TOTALS]
    rates = [f for f in plain if is_rate(f)]
    return asked or named or rates[:RATES] or (plain or figures)[:HEADLINES]


def is_rate(figure: Any) -> bool:
    """Returns True for bytes or calls per second, which have such names."""
    return str(figure.name).endswith(("_MBps", "per_s"))


def totals(groups: Sequence[Any]) -> List[str]:
    """Returns the names of the rates over all phases, or else of any figures."""
    names = set(name for group in groups for name, _ in group.figures())
    return [f for f in TOTALS if f in names]


def option_text(name: str, value: Any) -> str:
    """Formats an option: posix; collective; npix=1024; "" if it is off or not given."""
    if value is None or value is False:
        return ""
    if value is True:
        return name
    if not isinstance(value, str) or not value or value[0].isdigit():
        return printable("%s=%s" % (name, value))
    return printable(value.lower() if len(value) > 1 and value.isupper() else value)


def matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


# ---- output ------------------------------------------------------------------


def figure_title(figure: Any) -> str:
    at = ", ".join("%s=%s" % pair for pair in figure.at)
    return str(figure.name) + (" at " + at if at else "")


def short_verdict(comparison: Any) -> str:
    """Shortens a verdict for a cell of a table: the notes have the rest."""
    if comparison.rule in (rules.SINGLE_RUNS, rules.ONE_RUN):
        return str(comparison.verdict).partition(":")[0]
    return str(comparison.verdict)


def readable_rows(some: Sequence[Any]) -> List[List[str]]:
    """Returns rows for text and Markdown, which name a figure only once."""
    out, last = [], None
    for r in some:
        title = figure_title(r.figure)
        ratio = r.comparison.ratio
        out.append([title if title != last else "", r.group.name, str(r.n),
                    table.number(r.centre), table.bounds(r.interval),
                    "%.3f" % ratio.centre if ratio else "-",
                    "[%.3f, %.3f]" % (ratio.low, ratio.high) if ratio else "-",
                    short_verdict(r.comparison)])
        last = title
    return out


READABLE = ["figure", "configuration", "n", "value", "95 % interval", "ratio",
            "95 % interval", "verdict"]
FLAT = ["figure", "at", "unit", "better", "configuration", "n", "median", "value",
        "low", "high", "ratio", "ratio_low", "ratio_high", "paired", "verdict", "rule",
        "baseline", "comparisons", "p", "p_adjusted", "exploratory", "rounds_needed",
        "trimmed", "trimmed_low", "trimmed_high", "hodges_lehmann", "single_runs",
        "marks"]


def median_of(r: Any) -> Optional[float]:
    values = list(r.group.observations((r.figure.name, r.figure.at)).values())
    return stats.median(values) if values else None


def flat(r: Any) -> Dict[str, Any]:
    """Returns one row with all its digits, for programs."""
    nothing = stats.Interval(None, None, None, 0)
    interval, c = r.interval or nothing, r.comparison
    ratio = c.ratio or nothing
    trimmed = c.opinion.ratio if c.opinion else nothing
    return OrderedDict(zip(FLAT, [
        r.figure.name, ";".join("%s=%s" % pair for pair in r.figure.at), r.figure.unit,
        r.figure.better, r.group.name, r.n, median_of(r), r.centre, interval.low,
        interval.high,
        ratio.centre, ratio.low, ratio.high, c.paired, c.verdict, c.rule,
        c.baseline.name if c.baseline else None, c.many if c.ratio else None, c.chance,
        c.adjusted, c.exploratory, c.rounds, trimmed.centre, trimmed.low, trimmed.high,
        c.opinion.hodges_lehmann if c.opinion else None,
        "; ".join(map(robust.flag_text, c.opinion.flags)) if c.opinion else "",
        ", ".join(c.marks)]))


def as_csv(some: Sequence[Any]) -> str:
    return table.comma_separated(
        FLAT, [["" if v is None else v for v in flat(r).values()] for r in some])


def as_json(some: Sequence[Any], notes: Sequence[str], **more: Any) -> str:
    tree = OrderedDict([("schema", SCHEMA)] + sorted(more.items()))
    tree["rows"] = [flat(r) for r in some]
    tree["notes"] = notes
    return json.dumps(tree, indent=1, allow_nan=False) + "\n"


def readable(some: Sequence[Any], form: Callable[..., str]) -> str:
    return form(READABLE, readable_rows(some), right=(2, 3, 5))


def bars(some: Sequence[Any]) -> str:
    """Draws a bar for each configuration, for each headline figure."""
    figures = OrderedDict(((r.figure.name, r.figure.at), r.figure) for r in some)
    out = []
    for figure in headline(list(figures.values())):
        its = [r for r in some if r.centre is not None and (
            r.figure.name, r.figure.at) == (figure.name, figure.at)]
        if len(its) > 1:
            out.append("%s%s%s\n" % (figure_title(figure),
                                     figure.unit and ", %s" % figure.unit,
                                     "" if figure.better == "higher"
                                     else ", less is better") + table.bars(
                [(r.group.name, r.centre, r.interval, words) for r, words in
                 zip(its, bar_words(its))]))
    return "\n".join(out)


def bar_words(some: Sequence[Any]) -> List[str]:
    """Describes bars, in columns: 790 [730, 850]  faster by 1.5x."""
    values = [table.number(r.centre) for r in some]
    between = [" " + table.bounds(r.interval) if r.interval else "" for r in some]
    verdicts = ["" if r.comparison.rule == rules.NOT_COMPARABLE else
                short_verdict(r.comparison).partition(" (")[0] for r in some]
    return ["%*s%-*s  %s" % (max(map(len, values)), value, max(map(len, between)),
                             words, verdict)
            for value, words, verdict in zip(values, between, verdicts)]


# ---- which one is the baseline ------------------------------------------------

USUAL_OPTIONS = ("posix", "unique")   # where no sweep says which value comes first
NAMED = 12       # most configurations that a refusal names


def usual(groups: Sequence[Any]) -> Any:
    """Returns the default baseline: the first configuration on the command line or in
    the sweep's specification, else the one with the most usual values."""
    some = [g for g in groups if g.source == groups[0].source]
    if some[0].first.place is not None:
        return some[0]
    return max(some, key=usual_values)    # the first of equals


def usual_values(group: Group) -> int:
    values = group.first.option_values().values()
    return sum(str(value).lower() in USUAL_OPTIONS for value in values)


def named(groups: Sequence[Any], text: Optional[str]) -> List[Any]:
    """Returns the groups that --baseline means, in their order; [] without the
    option."""
    if text is None:
        return []
    called = [g for g in groups if g.name == text]
    if called:
        return called
    if "=" not in text:
        raise usage("no configuration is called %s; there are: %s"
                    % (text, names.common_of([g.name for g in groups], NAMED)))
    out = [g for g in groups if has(g, groups, text)]
    if not out:
        raise usage("no configuration has %s; there are: %s"
                    % (text, names.common_of([g.name for g in groups], NAMED)))
    first = usual(out)
    return [first] + [g for g in out if g is not first]


def has(group: Any, groups: Sequence[Any], text: str) -> bool:
    """True if a configuration has all of option=value,..."""
    parts = [part.partition("=") for part in text.split(",")]
    return all(same_value(value, wanted(groups, group, option))
               for option, _, value in parts)


def wanted(groups: Sequence[Group], group: Group, option: str) -> Any:
    """Returns the value of an option, whose name may be abbreviated to a part, as
    method for iomethod."""
    if option in ("np", "ranks"):
        return group.first.ranks
    every = OrderedDict((n, None) for g in groups for n in g.first.options)
    if option in every:
        return group.first.option(option)
    like = [n for n in varying(groups) if option and option in n]
    if len(like) != 1:
        raise usage("no report has an option called %s; there are: %s" % (
            option or "\"\"", ", ".join(["np"] + sorted(every))))
    return group.first.option(like[0])


def same_value(text: str, value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return text.lower() in ({None: ("", "none"), True: ("true", "yes", "1"),
                                 False: ("false", "no", "0")}[value])
    mine = names.number(text)
    if mine is not None and names.number(value) is not None:
        return mine == names.number(value)
    return text.lower() == str(value).lower()


def find_baseline(groups: Sequence[Any], text: Optional[str]) -> Any:
    """The one that --baseline means, or the usual one."""
    return (named(groups, text) or [usual(groups)])[0]
