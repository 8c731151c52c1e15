"""leadline compare --against OPTION: configurations that differ in one option only.

Each configuration is compared with the one that has the baseline value of the option
and is otherwise the same. The number of ranks is an option, too (np): then options that
change with the ranks, such as the size in weak scaling, belong to the comparison.
"""
import math
from collections import namedtuple
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

from leadline.base import table
from leadline.base.errors import usage
from leadline.base.names import ranks_text
from leadline.judge import compare, rules, tails
from leadline.results.groups import Group, Slowest, follows_ranks, varying
from leadline.results.report import Figure

USUAL = {"filetype": "unique", "iomethod": "posix"}   # baselines, if present
RANKS = ("np", "ranks")
WORTH_ACTING = 1.1   # factors nearer to 1 than this are not worth acting on

Pair = namedtuple("Pair", "group baseline value base_value context rows tails")


class Against:
    """The pairs for one option, with the rows of each."""

    def __init__(self, groups: Sequence[Group], option: str,
                 patterns: Optional[Sequence[str]],
                 policy: rules.Policy = rules.POLICY) -> None:
        self.policy = policy
        self.option, _, wanted = option.partition("=")
        if self.option in RANKS:
            self.option = "np"
        values = [self.value(group) for group in groups]
        if not any(values):
            names = ["np"] + sorted(set(n for g in groups for n in g.first.options))
            raise usage("no report has an option called %s; there are: %s"
                        % (self.option, ", ".join(names) or "none"))
        base = wanted.lower() or USUAL.get(self.option)
        if not wanted and base not in values:
            base = (min(values, key=int) if self.option == "np"
                    else next(v for v in values if v))
        if base not in values:
            raise usage("no report has %s=%s; there are: %s"
                        % (self.option, wanted, ", ".join(sorted(set(values)))))
        self.base_value = base or ""
        varied = [name for name in varying(groups) if name != self.option]
        self.follows = [name for name in varied if self.option == "np"
                        and follows_ranks(groups, name)]
        self.varying = [name for name in varied if name not in self.follows]
        self.figures = compare.select(groups, patterns or compare.totals(groups))
        # Tails have no columns: sentences below tell them.
        every = [] if patterns else compare.select(groups, None)
        self.tails = tails.totals(every)
        self.pairs = [self.pair(group, groups) for group in groups]
        self.judge()

    def judge(self) -> None:
        """Computes the verdicts of all pairs together."""
        judged = iter(compare.judged(self.rows(), self.policy, self.figures))
        for pair in self.pairs:
            for rows in (pair.rows, pair.tails):
                rows[:] = [next(judged) for _ in rows]

    def value(self, group: Group) -> str:
        value = (group.first.ranks if self.option == "np"
                 else group.first.option(self.option))
        return "" if value is None else str(value).lower()

    def context(self, group: Group) -> Tuple[Tuple[str, Any], ...]:
        """Returns the configuration's other options: ((option, value), ...)."""
        values = group.first.option_values()
        return tuple((name, values.get(name)) for name in self.varying)

    def pair(self, group: Group, groups: Sequence[Group]) -> Pair:
        same = [g for g in groups if self.value(g) == self.base_value
                and self.context(g) == self.context(group)
                and (self.option == "np" or g.first.ranks == group.first.ranks)]
        # Of two series, before and after some change, a partner of the same series
        # comes first.
        same.sort(key=lambda g: g.first.series_id != group.first.series_id)
        baseline = same[0] if same else None
        if self.value(group) == self.base_value:
            baseline = group
        rows, more = ([self.row(figure, group, baseline) for figure in figures]
                      for figures in (self.figures, self.tails))
        words = context_text(self.context(group))
        if self.option != "np" and len(set(g.first.ranks for g in groups)) > 1:
            words += "%s%d rank%s" % (", " if words else "", group.first.ranks,
                                      "s" if group.first.ranks > 1 else "")
        return Pair(group, baseline, self.value(group), self.base_value, words, rows,
                    more)

    def row(self, figure: Figure, group: Group,
            baseline: Optional[Group]) -> compare.Row:
        if baseline:
            ignoring = [self.option] + self.follows + ["ranks"] * (self.option == "np")
            return compare.row(figure, group, baseline, ignoring, self.policy.strict)
        alone = compare.row(figure, group, group)
        words = "not comparable: none differs in %s only" % self.option
        return alone._replace(comparison=compare.Comparison(None, False, words))

    def rows(self) -> List[compare.Row]:
        return [row for pair in self.pairs for row in pair.rows + pair.tails]

    # ---- output --------------------------------------------------------------

    def readable(self, form: Callable[..., str]) -> str:
        header = (["configuration"] + [rate_title(f) for f in self.figures]
                  + ["slowest rank", "against " + value_text(self.option,
                                                            self.base_value)])
        return form(header, [self.cells(pair) for pair in self.pairs])

    def cells(self, pair: Pair) -> List[str]:
        rates = ["%s\n%s" % (table.number(r.centre), table.bounds(r.interval))
                 for r in pair.rows]
        verdicts = [compare.short_verdict(r.comparison).replace(" (", "\n  (")
                    for r in pair.rows]
        if len(set(verdicts)) == 1 and verdicts[0] == compare.BASELINE:
            words = compare.BASELINE
        else:
            words = "\n".join("%s: %s" % (short_title(r.figure), verdict)
                              for r, verdict in zip(pair.rows, verdicts))
        return [pair.group.name] + rates + [slowest_text(pair.group.slowest()), words]

    def meaning(self) -> List[str]:
        """Returns a few sentences on what an administrator can do about it."""
        held = [p for p in self.pairs if p.baseline and p.baseline is not p.group]
        if self.option == "np":
            out = [growth(pair, i, bool(self.follows)) for i in range(len(self.figures))
                   for pair in held]
            if self.follows and any(out):
                out.append("%s changes with the number of ranks (weak scaling)."
                           % " and ".join(self.follows))
        else:
            out = [findings(figure, i, held) for i, figure in enumerate(self.figures)]
        out = [sentence for sentence in out if sentence]
        if out and self.option != "np":
            out += advice(self.option, held)
        return out + tails.sentences([(p.baseline.name, p.rows + p.tails)
                                      for p in held])


def value_text(option: str, value: str) -> str:
    return "np=" + value if option == "np" else value


def context_text(context: Sequence[Tuple[str, Any]]) -> str:
    return " ".join(filter(None, (compare.option_text(*pair) for pair in context)))


def short_title(figure: Figure) -> str:
    return figure.name.replace("_MBps", "") if figure.name.endswith("_MBps") \
        else compare.figure_title(figure)


def rate_title(figure: Figure) -> str:
    unit = " " + figure.unit if figure.unit else ""
    return short_title(figure) + (unit if figure.name.endswith("_MBps") else "")


def slowest_text(slow: Optional[Slowest]) -> str:
    if slow is None:
        return "-"
    host = " (%s)" % slow.host.split(".")[0] if slow.host else ""
    return "%d%s\n%d of %d runs" % (slow.rank, host, slow.times, slow.runs)


# ---- in words ----------------------------------------------------------------


def findings(figure: Figure, i: int, pairs: Sequence[Pair]) -> str:
    """Returns one sentence on one figure: what differs, and what was not seen."""
    differ, alike, hidden = [], [], 1.0
    for pair in pairs:
        ratio, rule = pair.rows[i].comparison.ratio, pair.rows[i].comparison.rule
        where = " with " + pair.context if pair.context else ""
        if ratio is None or rule == rules.ONE_RUN:
            continue
        if rule == rules.SINGLE_RUNS:
            differ.append("%s%s depends on single runs" % (pair.value, where))
        elif not rules.differs(rule):
            alike.append("%s%s" % (pair.value, where))
            hidden = max(hidden, rules.hidden(ratio))
        else:
            differ.append("%s reaches %.2f of %s%s" % (pair.value, ratio.centre,
                                                       pair.base_value, where))
    if alike:
        differ.append("no difference from %s shown for %s (%s)"
                      % (pairs[0].base_value, " and ".join(alike), limit(hidden)))
    if not differ:
        return ""
    title = short_title(figure)
    return "%s: %s." % (title[0].upper() + title[1:], "; ".join(differ))


def growth(pair: Pair, i: int, weak: bool) -> str:
    """Describes scaling: Write, 4 ranks against 1: speed-up 2.9 [2.5, 3.4], efficiency
    73 % [63, 85], each doubling 1.71x [1.58, 1.84]."""
    figure, comparison = pair.rows[i].figure, pair.rows[i].comparison
    if not tails.is_judged(pair.rows[i]):
        return ""
    gain = rules.gain_of(comparison.ratio, figure.better)[:3]
    times = float(pair.value) / float(pair.base_value)
    # Rates are of all ranks; twice the work on twice the ranks needs as much time.
    ideal = 1.0 if weak and figure.better == "lower" else times
    doubling = [g ** (1.0 / math.log(times, 2)) for g in gain]
    title = short_title(figure)
    return "%s%s, %s against %s%s: speed-up %s, efficiency %s, each doubling %s%s." % (
        title[0].upper(), title[1:], ranks_text(int(pair.value)),
        pair.base_value, " with " + pair.context if pair.context else "",
        bounds("%.3g", gain), bounds("%.0f", [100 * g / ideal for g in gain], " %"),
        bounds("%.2f", [doubling[0]] + sorted(doubling[1:]), "x"),
        "" if rules.excludes_one(comparison.ratio) else " (%s)" % rules.NONE_SHOWN)


def bounds(form: str, found: Iterable[float], unit: str = "") -> str:
    """Formats a value with its interval: 2.9 [2.5, 3.4]."""
    centre, low, high = (form % value for value in found)
    return "%s%s [%s, %s]" % (centre, unit, low, high)


def limit(factor: float) -> str:
    """Says how large a difference may have gone unnoticed."""
    if factor > WORTH_ACTING:
        return "a difference smaller than %.2gx could have been missed" % factor
    return "a difference of more than %.2g %% is ruled out" % (100 * (factor - 1))


def advice(option: str, pairs: Sequence[Pair]) -> List[str]:
    ratios = [row.comparison for pair in pairs for row in pair.rows
              if tails.is_judged(row)]
    worse = [c for c in ratios if c.rule == rules.SLOWER
             and max(c.ratio.centre, 1.0 / c.ratio.centre) > WORTH_ACTING]
    unsure = [c for c in ratios if c.rule == rules.SINGLE_RUNS or (
        c.rule == rules.NOT_SHOWN and rules.hidden(c.ratio) > WORTH_ACTING)]
    shared = option == "filetype" and all(p.value == "shared" for p in pairs)
    out = []
    if shared and worse:
        out.append("Where shared is slower, prefer one file per rank, or look at what "
                   "slows the shared file: its striping (lfs getstripe), locks between "
                   "clients, collective buffering (--collective, --hint).")
    elif shared and ratios and not unsure:
        out.append("Shared files cost nothing that matters here: choose the file type "
                   "by what is easier to manage.")
    if unsure:
        out.append("Where no difference is shown and a large one is not ruled out, the "
                   "noise is too large to decide: add rounds.")
    if shared and all(p.group.first.nodes == 1 for p in pairs):
        out.append("All ranks ran on one node: contention between nodes cannot show.")
    return out
