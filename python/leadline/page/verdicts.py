"""Verdicts on sets of comparable configurations, for the page."""
from collections import OrderedDict

from leadline.base import table
from leadline.base.names import ranks_text
from leadline.draw.html import grid
from leadline.judge import compare, rules, tails
from leadline.page import pictures
from leadline.results import groups

SIGNS = (("faster", "good", "\u25b2 "), ("slower", "bad", "\u25bc "))


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


def pick(members, baseline):
    """Returns the baseline of comparable groups: the one that --baseline means, or else
    the usual one."""
    meant = [g for g in members if g.name == baseline]
    if not meant and baseline and "=" in baseline:
        meant = [g for g in members if compare.has(g, members, baseline)]
    return compare.usual(meant or members)


class Verdicts:
    """A set of comparable groups: their totals against the baseline. Its verdicts hold
    together, and not with those of other sets."""

    def __init__(self, members, baseline, policy=rules.POLICY):
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
        self.judge()

    def judge(self):
        """Adds the verdicts, all together."""
        some = self.rows + self.tails
        judged = iter(compare.judged([r for rows in some for r in rows], self.policy,
                                     self.figures))
        for rows in some:
            rows[:] = [next(judged) for _ in rows]

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


def listed(names):
    """Joins names: a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def title_of(figure):
    return pictures.TITLES.get(figure.name) or compare.figure_title(figure)


def verdict(words):
    for begin, css, sign in SIGNS:
        if words.startswith(begin):
            return (sign + words, css)
    return (words, "words" if " " in words else None)
