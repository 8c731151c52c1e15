"""What the page says in words: five lines for each figure, and what to doubt."""
from collections import OrderedDict

from leadline.draw.html import items, tag
from leadline.judge import notes, share, summary
from leadline.page import gallery, pictures, pictures_own

ALSO = ("alpha", "pfmload", "ldad")   # pictures whose words are answers of their own
EXPLAINED = (pictures_own.PAPER_MACHINE,)   # below the pictures
MOST_ALSO = 5      # sentences of a program, beside the five lines of a figure
MOST_NAMED = 3     # configurations of which one sentence says the same
ALIKE = 4          # so many sentences that say the same become one


def box(found, verdicts, baseline):
    """Program by program."""
    out = []
    told = summary.of(found.groups, baseline)
    for program, some in pictures.by_program(found.groups):
        its = [s for s in told if s.program == program]
        for one in its:
            out += [tag("h3", one.title), lines(one.lines)]
        more = also(found, some, verdicts)
        if more:
            out += [tag("h3", "%s: %s" % (program, "also" if its else "in words")),
                    items(more)]
        elif not its:
            out += [tag("h3", program), items([nothing_said(some)])]
    return tag("div", *out, class_="box")


def lines(found):
    """Each begins with what it is about: that stands out."""
    out = []
    for line in found:
        head, colon, rest = line.partition(": ")
        out.append(tag("li", tag("b", head + ":"), " " + rest) if colon
                   else tag("li", line))
    return tag("ul", *out)


def also(found, some, verdicts):
    """Of latencies, of single programs, and the share of plain transfers."""
    words = [w for kind in ALSO for picture in gallery.KINDS[kind].draw(some)
             for w in picture.words if w not in EXPLAINED]
    words += [w for v in verdicts if v.baseline in some for w in v.tail_sentences()]
    words += share.summary(some, found.yardsticks)
    words = list(OrderedDict.fromkeys(filter(None, words)))
    if len(words) > MOST_ALSO:
        words = words[:MOST_ALSO - 1] + ["And %d more sentences below the pictures and "
                                         "tables." % (len(words) - MOST_ALSO + 1)]
    return words


def nothing_said(some):
    if len(some) == 1:
        return "There is one configuration, and nothing to compare it with."
    return ("No two of the %d configurations can be compared with each other."
            % len(some))


# ---- what to doubt -----------------------------------------------------------


def doubts(found, verdicts):
    figures = list(OrderedDict(((f.name, f.at), f) for v in verdicts
                               for f in v.figures + v.tail_figures).values())
    more = [] if found.groups else ["there are no reports, only traces"]
    return gathered(found.left_out + more
                    + (notes.notes(found.groups, figures) if found.groups else []))


def gathered(sentences):
    """Those that say the same of many configurations are one."""
    same = OrderedDict()
    for sentence in OrderedDict.fromkeys(sentences):
        name, colon, rest = sentence.partition(": ")
        same.setdefault(rest if colon else sentence, []).append(
            (name if colon else "", sentence))
    out = []
    for rest, some in same.items():
        if len(some) < ALIKE:
            out += [sentence for _, sentence in some]
            continue
        names = [name for name, _ in some]
        out.append("%d configurations (%s and %d more): %s" % (
            len(names), ", ".join(names[:MOST_NAMED]), len(names) - MOST_NAMED, rest))
    return out
