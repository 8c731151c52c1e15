"""Verdicts on sets of comparable configurations, for the page."""
from collections import OrderedDict

from leadline.base import table
from leadline.base.names import ranks_text
from leadline.draw.html import grid
from leadline.judge import compare, rules, tails
from leadline.page import pictures
from leadline.results import groups

SIGNS = (("faster", "good", "\u25b2 "), ("slower", "bad", "\u25bc "))
SAID = {rules.FASTER: "is faster", rules.SLOWER: "is slower",
        rules.EQUAL: "is equal within %s", rules.TOO_SMALL: "hardly differs",
        rules.NOT_SHOWN: "shows no difference",
        rules.SINGLE_RUNS: "depends on single runs",
        rules.TOO_FEW: "has too few repetitions",
        rules.ONE_RUN: "is not judged (one run)",
        rules.NOT_COMPARABLE: "is not comparable"}   # in a sentence


def comparable(some):
    """Returns lists of groups that can be compared with each other."""
    sets = []
    for group in some:
        for members in sets:
            if not groups.difference(group.first, members[0].first):
                members.append(group)
                break
        else:
            sets.append([group])
    return sets


def of(some, baseline=None, policy=rules.POLICY):
    """Returns verdicts of each set of comparable groups; those of one program hold
    together."""
    every = [Verdicts(members, baseline, policy, alone=False)
             for members in comparable(some) if any(g.figures() for g in members)]
    every = [v for v in every if v.figures]
    for program in OrderedDict((v.program, None) for v in every):
        judge([v for v in every if v.program == program], policy)
    return every


def judge(some, policy):
    """Adds the verdicts of some sets, all together."""
    flat = [r for v in some for rows in v.rows + v.tails for r in rows]
    heads = [f for v in some for f in v.figures]
    judged = iter(compare.judged(flat, policy, heads))
    for v in some:
        for rows in v.rows + v.tails:
            rows[:] = [next(judged) for _ in rows]


def pick(members, baseline):
    """Returns the baseline of comparable groups: the one that --baseline means, or else
    the usual one."""
    meant = [g for g in members if g.name == baseline]
    if not meant and baseline and "=" in baseline:
        meant = [g for g in members if compare.has(g, members, baseline)]
    return compare.usual(meant or members)


class Verdicts:
    """A set of comparable groups: their totals against the baseline. `alone`: its
    verdicts hold together, and not with those of other sets."""

    def __init__(self, members, baseline, policy=rules.POLICY, alone=True):
        self.baseline = pick(members, baseline)
        self.program = self.baseline.first.program
        self.policy = policy
        self.members = [self.baseline] + [g for g in members if g is not self.baseline]
        every = [f for f in compare.select(members, None) if not f.at
                 and any(g.observations((f.name, f.at)) for g in members)]
        self.figures = compare.headline(every)
        self.rows = [self.rows_of(g, self.figures) for g in self.members]
        self.tail_figures = tails.totals(every)
        self.tails = [self.rows_of(g, self.tail_figures) for g in self.members]
        if alone:
            judge([self], policy)

    def rows_of(self, group, figures):
        return [compare.row(f, group, self.baseline, strict=self.policy.strict)
                for f in figures]

    def title(self):
        text = "%s on %s" % (self.baseline.first.program, self.ranks())
        if len(self.members) > 1:
            text += ", against %s" % self.baseline.name
        return text

    def ranks(self):
        """Describes the ranks: 1 rank; 1, 2 and 4 ranks if a sweep varied them."""
        counts = pictures.rank_counts(self.members)
        return (ranks_text(counts[0]) if len(counts) == 1
                else "%s ranks" % listed(list(map(str, counts))))

    def table(self):
        header, numbers = ["configuration"], []
        for figure in self.figures:
            numbers += [len(header), len(header) + 1]
            header += ["n", "%s %s" % (title_of(figure), figure.unit), "verdict"]
        return grid(header, [self.cells(row) for row in self.rows], numbers,
                    self.title())

    @staticmethod
    def cells(row):
        cells = [(row[0].group.name, "name")]
        for r in row:
            value = table.number(r.centre)
            if r.interval:
                value += " " + table.bounds(r.interval)
            cells += [str(r.n), value, verdict(compare.short_verdict(r.comparison))]
        return cells

    def sentence(self):
        """Says of each figure which are faster, slower, or neither; "" if there is one
        group only."""
        if len(self.rows) < 2:
            return ""
        return "On %s, against %s: %s." % (
            self.ranks(), self.baseline.name,
            "; ".join("%s %s" % (title_of(f), self.kinds(i))
                      for i, f in enumerate(self.figures)))

    def tail_sentences(self):
        return tails.sentences([(self.baseline.name, rows + more) for rows, more in
                                zip(self.rows[1:], self.tails[1:])])

    def tail_table(self):
        """Makes the table of tails that differ from the baseline; "" if none does."""
        differ = [r for rows in self.tails for r in rows
                  if rules.differs(r.comparison.rule)]
        rows = [[compare.figure_title(r.figure), (r.group.name, "name"), str(r.n),
                 "%s %s" % (table.number(r.centre), table.bounds(r.interval)),
                 verdict(compare.short_verdict(r.comparison))] for r in differ]
        every = sum(map(len, self.tails[1:]))
        return grid(["latency", "configuration", "n", "us", "verdict"], rows,
                    (2, 3), "Latencies that differ from %s's: %d of %d" % (
                        self.baseline.name, len(rows), every)) if rows else ""

    def kinds(self, i):
        kinds = OrderedDict()
        for row in self.rows[1:]:
            kinds.setdefault(self.said(row[i]), []).append(
                row[i].group.name + factor_of(row[i]))
        return ", ".join("%s with %s" % (kind, listed(names))
                         for kind, names in kinds.items())

    def said(self, row):
        words = SAID[row.comparison.rule]
        return words % ("%.4g %%" % (100.0 * (self.policy.equal - 1.0))
                        ) if "%s" in words else words


def listed(names):
    """Joins names: a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def factor_of(row):
    """Formats a factor, (1.8x), if there is one."""
    if not rules.differs(row.comparison.rule):
        return ""
    return " (%s)" % row.comparison.verdict.partition(" by ")[2].partition(" ")[0]


def title_of(figure):
    return pictures.TITLES.get(figure.name) or compare.figure_title(figure)


def verdict(words):
    for begin, css, sign in SIGNS:
        if words.startswith(begin):
            return (sign + words, css)
    return (words, "words" if " " in words else None)
