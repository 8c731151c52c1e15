"""Verdicts on sets of comparable configurations, for the page."""
from collections import OrderedDict

from leadline import compare, groups, pictures, table, tails
from leadline.elements import grid

SIGNS = (("faster", "good", "\u25b2 "), ("slower", "bad", "\u25bc "))
SAID = {"faster": "is faster", "slower": "is slower",
        "no difference shown": "shows no difference",
        "too few repetitions": "has too few repetitions",
        "not comparable": "is not comparable"}   # in a sentence


def comparable(some):
    """Lists of groups that can be held against each other."""
    sets = []
    for group in some:
        for members in sets:
            if not groups.difference(group.first, members[0].first):
                members.append(group)
                break
        else:
            sets.append([group])
    return sets


class Verdicts:
    """A set of comparable groups: their totals against the baseline."""

    def __init__(self, members, baseline):
        named = [g for g in members if g.name == baseline]
        self.baseline = (named or members)[0]
        self.members = [self.baseline] + [g for g in members if g is not self.baseline]
        every = [f for f in compare.select(members, None) if not f.at
                 and any(g.observations((f.name, f.at)) for g in members)]
        self.figures = [f for f in every if f.name in pictures.TOTALS] or every[:2]
        self.rows = [[compare.row(f, g, self.baseline) for f in self.figures]
                     for g in self.members]
        self.tail_figures = tails.totals(every)
        self.tails = [[compare.row(f, g, self.baseline) for f in self.tail_figures]
                      for g in self.members]

    def title(self):
        text = "%s on %s" % (self.baseline.first.program,
                             pictures.ranks_text(self.baseline.first.ranks))
        if len(self.members) > 1:
            text += ", against %s" % self.baseline.name
        return text

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
            value = table.number(r.median)
            if r.interval:
                value += " " + table.bounds(r.interval)
            cells += [str(r.n), value, verdict(r.comparison.verdict)]
        return cells

    def sentence(self):
        """Of each figure: who is faster, who slower, who neither; "" where alone."""
        if len(self.rows) < 2:
            return ""
        return "On %s, against %s: %s." % (
            pictures.ranks_text(self.baseline.first.ranks), self.baseline.name,
            "; ".join("%s %s" % (title_of(f), self.kinds(i))
                      for i, f in enumerate(self.figures)))

    def tail_sentences(self):
        return tails.sentences([(self.baseline.name, rows + more) for rows, more in
                                zip(self.rows[1:], self.tails[1:])])

    def tail_table(self):
        """Those that differ from the baseline; "" where none does."""
        differ = [r for rows in self.tails for r in rows
                  if verdict(r.comparison.verdict)[1] in ("good", "bad")]
        rows = [[compare.figure_title(r.figure), (r.group.name, "name"), str(r.n),
                 "%s %s" % (table.number(r.median), table.bounds(r.interval)),
                 verdict(r.comparison.verdict)] for r in differ]
        every = sum(map(len, self.tails[1:]))
        return grid(["latency", "configuration", "n", "median (us)", "verdict"], rows,
                    (2, 3), "Latencies that differ from %s's: %d of %d" % (
                        self.baseline.name, len(rows), every)) if rows else ""

    def kinds(self, i):
        kinds = OrderedDict()
        for row in self.rows[1:]:
            kind, factor = kind_of(row[i].comparison.verdict)
            kinds.setdefault(kind, []).append(
                row[i].group.name + (" (%s)" % factor if factor else ""))
        return ", ".join("%s with %s" % (SAID.get(kind, kind), listed(names))
                         for kind, names in kinds.items())


def listed(names):
    """a, b and c"""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def kind_of(words):
    """("faster", "1.8x"), ("not comparable", "")"""
    kind, _, factor = words.partition(" by ")
    if kind in ("faster", "slower"):
        return kind, factor
    return words.partition(":")[0].partition(" (")[0], ""


def title_of(figure):
    return pictures.TITLES.get(figure.name) or compare.figure_title(figure)


def verdict(words):
    for begin, css, sign in SIGNS:
        if words.startswith(begin):
            return (sign + words, css)
    return (words, "words" if " " in words else None)
