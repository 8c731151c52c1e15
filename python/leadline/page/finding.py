"""The answer in a sentence: what differs and by how much, or what is undecided and what
would decide it.

A claim is about two configurations, or about two values of a factor at equal other
options. It has the interval and the rule that the tables have.
"""
import math
from collections import OrderedDict
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from leadline.base import names, stats, table
from leadline.judge import compare, rounds, rules, summary
from leadline.results import report as reports
from leadline.results.groups import Group
from leadline.results.report import Figure

MOST_SHOWN = 2     # factors in a sentence
# of a figure: what a subject does, one and several
VERBS = {"write_MBps": ("writes", "write"), "read_MBps": ("reads", "read")}
DOING = {"write_MBps": "writing", "read_MBps": "reading"}

# what to do if rounds do not decide: of a run that compared, of separate runs
QUIETER = "measure when nothing else runs, or with a larger size"
INSIDE = "--compare, in one run, sees smaller differences"


# `about`: the factor; "" for configurations. `several`: the subject is a plural.
class Claim(NamedTuple):
    about: str
    subject: str
    base: str
    several: bool
    ratio: Optional[stats.Interval]
    rule: Optional[str]
    words: str


# `more`: what would decide it, "" if it is decided. `judged`: some ratio is known.
class Finding(NamedTuple):
    program: str
    figure: Figure
    words: str
    more: str
    decided: bool
    judged: bool


# ---- claims ------------------------------------------------------------------


def of_rows(some: Sequence[compare.Row]) -> List[Claim]:
    return [Claim("", r.group.name, r.comparison.baseline.name, False,
                  r.comparison.ratio, r.comparison.rule, r.comparison.verdict)
            for r in some if r.comparison.baseline is not None]


def of_factors(one: summary.Found, some: Sequence[compare.Row]) -> List[Claim]:
    """Returns claims on values of factors; those of the only factor are of the
    rows."""
    better, out = one.figure.better, []
    alone = {one.matrix.key(r.group)[0]: r.comparison for r in some
             } if len(one.matrix.factors) == 1 else {}
    for e in one.effects.effects:
        rule, words = rules.judge(e.ratio, better, one.policy) if e.ratio else (
            rules.TOO_FEW, "")
        row = alone.get(e.level)
        if row:
            e, rule, words = e._replace(ratio=row.ratio), row.rule, row.verdict
        ranks = e.factor.name == "np"
        subject, base = (names.ranks_text(v) if ranks else one.matrix.text(
            e.factor.name, v) for v in (e.level, e.base))
        out.append(Claim("ranks" if ranks else e.factor.name, subject, base,
                         ranks and e.level != 1, e.ratio, rule, words))
    return out


# ---- words -------------------------------------------------------------------


def size(claim: Claim) -> float:
    return abs(math.log(claim.ratio.centre)) if claim.ratio else 0.0


def shown_text(figure: Figure, claim: Claim) -> str:
    """Says who is faster: 4 ranks write 1.34x as fast as 1 rank [1.22, 1.47]."""
    assert claim.ratio
    verbs = VERBS.get(figure.name)
    if not verbs:
        return "%s of %s is %s that of %s" % (
            compare.figure_title(figure), claim.subject,
            with_interval(claim.ratio, ""), claim.base)
    faster, slower, several = claim.subject, claim.base, claim.several
    ratio = rules.gain_of(claim.ratio, figure.better)
    if ratio.centre < 1.0:
        faster, slower, ratio = slower, faster, rules.inverse(ratio)
        several = claim.about == "ranks" and faster != names.ranks_text(1)
    return "%s %s %s" % (faster, verbs[several],
                         with_interval(ratio, " as fast as " + slower))


def with_interval(ratio: stats.Interval, between: str) -> str:
    return "%sx%s [%s, %s]" % (summary.factor_text(ratio.centre), between,
                               summary.factor_text(ratio.low),
                               summary.factor_text(ratio.high))


def by_factor(claims: Sequence[Claim]) -> List[List[Claim]]:
    found: Dict[str, List[Claim]] = OrderedDict()
    for claim in claims:
        found.setdefault(claim.about, []).append(claim)
    return list(found.values())


def strongest(claims: Sequence[Claim]) -> List[Claim]:
    """Returns the largest shown claim of each factor, the largest of all first."""
    shown = [max((c for c in some if c.rule and rules.differs(c.rule)), key=size,
                 default=None) for some in by_factor(claims)]
    return sorted([c for c in shown if c], key=lambda c: -size(c))


def judged(claims: Sequence[Claim]) -> List[Claim]:
    return [c for c in claims if c.ratio and c.rule in (
        rules.NOT_SHOWN, rules.EQUAL, rules.TOO_SMALL)]


def nothing_shown(figure: Figure, claims: Sequence[Claim], equal: float) -> str:
    """Says of whom no difference is shown, and how large one is still possible."""
    some = judged(claims)
    if not some:
        return "%s of %s: %s" % (doing(figure), claims[0].subject,
                                 claims[0].words.replace(": ", "; "))
    about = list(OrderedDict.fromkeys(c.about for c in some))
    who = ("between %s and %s" % (some[0].subject, some[0].base) if len(some) == 1
           else "by " + " or ".join(about) if all(about) else
           "in %d pairs" % len(some) if len(set(c.base for c in some)) > 1 else
           "between %d configurations" % (len(some) + 1))
    hidden = max(rules.hidden(c.ratio) for c in some if c.ratio)
    if hidden < equal:
        return "no difference in %s %s beyond %.4g %%" % (doing(figure), who,
                                                         100.0 * (equal - 1.0))
    return "no difference in %s shown %s (up to %s possible)" % (
        doing(figure), who, rules.percent_text(hidden))


def doing(figure: Figure) -> str:
    return DOING.get(figure.name) or compare.figure_title(figure)


def words_of(figure: Figure, claims: Sequence[Claim], equal: float) -> str:
    shown = strongest(claims)
    if not shown:
        return nothing_shown(figure, claims, equal)
    parts = [shown_text(figure, c) for c in shown[:MOST_SHOWN]]
    for some in by_factor(claims):
        left, about = judged(some), some[0].about
        if left and not (about and any(c.about == about for c in shown)):
            hidden = max(rules.hidden(c.ratio) for c in left if c.ratio)
            parts.append("%s: no difference beyond %s" % (
                about or "%d other%s" % (len(left), "" if len(left) == 1 else "s"),
                rules.percent_text(hidden)))
    return "; ".join(parts)


# ---- what would decide -------------------------------------------------------


def round_seconds(groups: Sequence[Group]) -> Optional[float]:
    """Returns the seconds of one round: the sum of what a run of each configuration
    usually takes until the next run of its series starts."""
    starts: Dict[str, List[Tuple[float, int]]] = {}
    for i, group in enumerate(groups):
        for r in group.reports:
            ms = reports.milliseconds(r.start_utc)
            if r.series_id and ms is not None:
                starts.setdefault(r.series_id, []).append((ms / 1e3, i))
    took: Dict[int, List[float]] = {}
    for some in starts.values():
        some.sort()
        for (at, i), (after, _) in zip(some, some[1:]):
            took.setdefault(i, []).append(after - at)
    total = sum(map(stats.median, took.values()))
    return total if len(took) == len(groups) and total > 0.0 else None


def time_text(seconds: float) -> str:
    """Formats a time as people plan it: 40 s, 12 min, 3.5 h."""
    for unit, size_s in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size_s:
            return "%.2g %s" % (seconds / size_s, unit)
    return "%.2g s" % max(seconds, 1.0)


def more_rounds(need: Optional[int], have: int, groups: Sequence[Group],
                equal: float) -> str:
    """Says what would decide: 12 more rounds, about 90 s, show 5 %."""
    runs = set(r.series_id for g in groups for r in g.reports if r.arms_of)
    if need is None:
        return "not even %d rounds would show %.2g %%: %s" % (
            rounds.MOST, 100.0 * (equal - 1.0), QUIETER if runs else INSIDE)
    if need <= have:
        return ""
    more, seconds, word = need - have, round_seconds(groups), "more round"
    if len(runs) > 1:   # others tell more about what differs between runs
        more, seconds, word = -(-more * len(runs) // have), None, "more run"
    return "%s%s would show a difference of %.2g %%" % (
        table.plural(more, word),
        ", about %s," % time_text(seconds * more) if seconds else "",
        100.0 * (equal - 1.0))


def more_of(some: Sequence[compare.Row], equal: float) -> str:
    open_ = [r for r in some if r.comparison.rule == rules.NOT_SHOWN]
    few = [r for r in some if r.comparison.rule == rules.TOO_FEW]
    groups = list(OrderedDict.fromkeys(
        g for r in some for g in (r.comparison.baseline, r.group)))
    if few and not open_:
        have = min(min(r.n, len(r.comparison.baseline.observations(
            (r.figure.name, r.figure.at)))) for r in few)
        return more_rounds(stats.CI_MIN, have, groups, equal).partition(" would")[0] + (
            " give a verdict")
    if not open_:
        return ""
    need = [r.comparison.rounds for r in open_]
    return more_rounds(None if None in need else max(need), max(
        r.comparison.estimate.n for r in open_), groups, equal)


# ---- all ---------------------------------------------------------------------


def findings(some: Sequence[compare.Row], founds: Sequence[summary.Found],
             policy: rules.Policy = rules.POLICY) -> List[Finding]:
    """Returns a finding for each headline figure of each set of configurations, from
    the rows of a table and the factors of its matrices."""
    some = [r for r in some if r.comparison.rule != rules.BASELINE
            and not r.comparison.exploratory]
    heads = compare.headline(list(OrderedDict(
        ((r.figure.name, r.figure.at), r.figure) for r in some).values()))
    out, left = [], [r for r in some if any(
        (r.figure.name, r.figure.at) == (f.name, f.at) for f in heads)]
    for one in founds:
        its = [r for r in left if r.group in one.matrix.groups
               and (r.figure.name, r.figure.at) == (one.figure.name, one.figure.at)]
        left = [r for r in left if r not in its]
        if its:
            claims = [] if one.effects.why else of_factors(one, its)
            out.append(finding(its, claims or of_rows(its), policy))
    for its in sets(left):
        out.append(finding(its, of_rows(its), policy))
    return [f for f in out if f]


def sets(some: Sequence[compare.Row]) -> List[List[compare.Row]]:
    found: Dict[Tuple[Any, ...], List[compare.Row]] = OrderedDict()
    for r in some:
        found.setdefault((r.group.first.program, r.figure.name, r.figure.at),
                         []).append(r)
    return list(found.values())


def finding(its: Sequence[compare.Row], claims: Sequence[Claim],
            policy: rules.Policy) -> Optional[Finding]:
    if not claims:
        return None
    figure = its[0].figure
    return Finding(its[0].group.first.program, figure,
                   words_of(figure, claims, policy.equal),
                   more_of(its, policy.equal), bool(strongest(claims)),
                   any(r.comparison.ratio for r in its))


def sentences(some: Sequence[Finding]) -> List[str]:
    """Returns a sentence for each finding, and for what would decide it."""
    several = len(set(f.program for f in some)) > 1
    return ["%s." % (f.program + ": " + f.words if several else capital(f.words))
            + (" %s." % capital(f.more) if f.more and not f.decided else "")
            for f in some]


def capital(words: str) -> str:
    """Begins with a capital, but not names of configurations and values."""
    plain = words.partition(" ")[0] in ("no", "not", "writing", "reading")
    return words[:1].upper() + words[1:] if plain else words


def title(some: Sequence[Finding]) -> str:
    """Joins the findings of one program: 4 ranks write 1.3x as fast as 1 rank [1.2,
    1.5] and read 1.5x as fast as 1 rank [1.2, 1.8]."""
    out, first = some[0].words, some[0].words.split(" ")
    for more in some[1:]:
        words = more.words.split(" ")
        n = next((i for i, (a, b) in enumerate(zip(first, words)) if a != b), 0)
        verbs = set(v for pair in VERBS.values() for v in pair)
        same = n and {first[n], words[n]} <= verbs
        out += " and " + " ".join(words[n:]) if same else "; " + more.words
    return out
