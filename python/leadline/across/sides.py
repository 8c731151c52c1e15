"""leadline compare --across: figures of the same meaning side by side, as plain ratios
without verdicts."""
import json
from collections import OrderedDict
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from leadline.across import meanings, pairs
from leadline.across.meanings import Meaning
from leadline.base import names, output, stats, table
from leadline.base.errors import usage
from leadline.base.fields import printable
from leadline.judge import compare, differs, notes
from leadline.results.groups import Group
from leadline.results.report import Figure

SCHEMA = "leadline-across/1"
MOST = 8           # meanings in the sentences, and bars of one
MOST_PAIRS = 12    # whose differences are printed
NO_VERDICT = ("These are plain ratios, and no verdicts: what differs is listed, and "
              "what is not known.")
ORDER = ("IO500 score", "IO500 bandwidth score, GiB/s", "IO500 metadata score, kIOPS",
         *meanings.DATA, "file create", "file stat", "file open", "file read",
         "file rename", "file delete", "directory create", "directory stat",
         "directory rename", "directory delete", "find")


# One configuration's figure. `unknown`: what is not known of its meaning. `ratio`: to
# the baseline's value; None: it is the baseline.
class Side(NamedTuple):
    group: Group
    figure: Figure
    values: List[float]
    value: float
    interval: Any
    unknown: List[str]
    ratio: Optional[float] = None

    @property
    def n(self) -> int:
        return len(self.values)


class Table(NamedTuple):
    meaning: Meaning
    unit: str
    better: str
    baseline: Group
    sides: List[Side]

    @property
    def title(self) -> str:
        return meanings.title(self.meaning)


Found = Tuple[Group, Meaning, Figure]
Kind = Tuple[Meaning, str, str]     # with the unit, and what is better


# ---- from configurations to tables -------------------------------------------


def tables(groups: Sequence[Group], baseline: Optional[Group] = None,
           patterns: Optional[Sequence[str]] = None) -> List[Table]:
    """Returns a table for each meaning: those of several configurations first. A figure
    whose meaning is known in part is in each table that it may belong to."""
    found: List[Found] = chosen(groups, patterns) if patterns else [
        (group, meaning, figure) for group in groups
        for meaning, figure in meanings.of_group(group)]
    full: Dict[Kind, List[Found]] = OrderedDict()
    partly: Dict[Kind, List[Found]] = OrderedDict()
    for one in found:
        if None not in one[1]:
            full.setdefault(kind(*one[1:]), []).append(one)
    for one in found:
        if None in one[1]:
            homes = [of for of in full if of[1:] == kind(of[0], one[2])[1:]
                     and meanings.agree(one[1], of[0])]
            for of in homes:
                full[of].append(one)
            if not homes:
                partly.setdefault(kind(*one[1:]), []).append(one)
    out = [made(of, some, groups, baseline)
           for of, some in list(full.items()) + list(partly.items())]
    return sorted(out, key=lambda t: (len(t.sides) < 2, rank(t.meaning)))


def kind(meaning: Meaning, figure: Figure) -> Kind:
    """Returns what figures of one table have in common."""
    return meaning, meanings.unit(meaning, figure)[0], str(figure.better)


def rank(meaning: Meaning) -> Tuple[int, int, bool]:
    place = ORDER.index(meaning.does) if meaning.does in ORDER else len(ORDER)
    order = (meanings.SEQUENTIAL, meanings.INTERLEAVED, meanings.RANDOM)
    return (order.index(meaning.order) if meaning.order in order else 0, place,
            meaning.place != meanings.OWN)


def chosen(groups: Sequence[Group], patterns: Sequence[str]) -> List[Found]:
    """Returns the figures that --figure names, by their names or meanings."""
    every = [(g, meanings.of_figure(g.first, f.name)
              or Meaning(g.first.program, own=compare.figure_title(f)), f)
             for g in groups for key, f in g.figures().items() if g.observations(key)]
    some = [(g, m, f) for g, m, f in every if compare.matches(f.name, patterns)
            or compare.matches(meanings.title(m), patterns)]
    if not some:
        known = OrderedDict.fromkeys(meanings.title(m) for _, m, _ in every
                                     if not m.own)
        raise usage("no figure is called %s; there are: %s" % (
            ", ".join(patterns), "; ".join(known) or "those of leadline list"))
    return some


def made(of: Kind, some: Sequence[Found], groups: Sequence[Group],
         baseline: Optional[Group]) -> Table:
    meaning, unit, better = of
    order = {id(group): i for i, group in enumerate(groups)}
    some = sorted(some, key=lambda one: order[id(one[0])])
    first = next((one[0] for one in some if one[0] is baseline), some[0][0])
    sides = [side(meaning, *one) for one in some]
    base = next(s.value for s in sides if s.group is first)
    return Table(meaning, unit, better, first, [
        s if s.group is first else s._replace(ratio=s.value / base) for s in sides])


def side(meaning: Meaning, group: Group, own: Meaning, figure: Figure) -> Side:
    _, factor = meanings.unit(meaning, figure)
    values = [v * factor for v in
              group.observations((figure.name, figure.at)).values()]
    return Side(group, figure, values, stats.centre(values), stats.interval(values),
                meanings.unknown(own, group.first, figure.name))


def pairs_of(found: Sequence[Table]) -> List[Tuple[Group, Group, List[str]]]:
    """Returns each configuration with its baseline once, and what is measured of
    both."""
    about: Dict[Tuple[int, int], Tuple[Group, Group, List[str]]] = OrderedDict()
    for one in found:
        for its in one.sides:
            if its.group is not one.baseline:
                key = (id(its.group), id(one.baseline))
                about.setdefault(key, (its.group, one.baseline, []))[2].append(
                    one.meaning.does)
    return list(about.values())


# ---- words -------------------------------------------------------------------


def called(group: Group, more: str = "") -> str:
    """Returns a configuration's name, with its program if that does not tell it:
    run-3 (ior)."""
    program = group.first.program
    told = ", ".join(filter(None, (
        "" if program in group.name.lower() else program, more)))
    if told and group.name.endswith(")"):      # its origin tells it apart
        return "%s; %s)" % (group.name[:-1], told)
    return group.name + (" (%s)" % told if told else "")


def sentence(one: Table) -> str:
    """Says where the values lie: Sequential write, own files: from 17.2 MB/s of a (n =
    1) to 669 MB/s of b (n = 3), 39x."""
    low, high = (f(one.sides, key=lambda s: s.value) for f in (min, max))

    def words(its: Side) -> str:
        return "%s%s of %s" % (
            names.rate_text(its.value), "" if one.unit == "1" else " " + one.unit,
            called(its.group, "n = %d" % its.n))
    head = one.title if one.meaning.own else one.title[:1].upper() + one.title[1:]
    if low is high:
        return "%s: %s." % (head, words(low))
    more = len(one.sides) - 2
    return "%s: from %s to %s, %s%s." % (
        head, words(low), words(high), stats.factor_text(high.value / low.value),
        "; %d more between them" % more if more else "")


def sentences(found: Sequence[Table], most: int = MOST,
              last: str = NO_VERDICT) -> List[str]:
    """Returns a sentence for each of the first tables; `last`: that on all ratios."""
    shown = [sentence(one) for one in found[:most]]
    if len(found) > most:
        shown.append("%s more below." % table.plural(len(found) - most, "figure"))
    return shown + [last] * bool(pairs_of(found[:1]))


def ratio_text(its: Side) -> str:
    return "-" if its.ratio is None else "%.3gx" % its.ratio if its.ratio < 1000.0 \
        else "%.0fx" % its.ratio


def shown(one: Table) -> List[Side]:
    """Returns the sides in their order; of very many, the largest values first."""
    return one.sides if len(one.sides) <= table.MOST_BARS else sorted(
        one.sides, key=lambda s: -s.value)


def bars(found: Sequence[Table]) -> str:
    out = []
    for one in found:
        if len(one.sides) < 2:
            continue
        rows = [(called(s.group), s.value, s.interval, "%s  n = %d  %s" % (
            names.rate_text(s.value), s.n, "baseline" if s.group is one.baseline
            else ratio_text(s))) for s in shown(one)]
        less = "" if one.better == "higher" else ", less is better"
        unit = "" if one.unit == "1" else ", " + one.unit
        out.append("%s%s%s\n%s" % (one.title, unit, less, table.bars(rows)))
    return "\n".join(out)


def differences(found: Sequence[Table]) -> List[str]:
    """Returns a sentence for each pair, and one for each thing that is not known of a
    figure's meaning."""
    some = pairs_of(found)
    out = [pairs.sentence(pairs.pair(*p)) for p in some[:MOST_PAIRS]]
    if len(some) > MOST_PAIRS:
        out.append("%s more: --format=json has all" % table.plural(
            len(some) - MOST_PAIRS, "pair"))
    doubts: Dict[str, Dict[str, None]] = OrderedDict()
    for one in found:
        for its in one.sides:
            for words in its.unknown:
                doubts.setdefault(words, OrderedDict())[its.group.name] = None
    return out + ["not known of %s: %s" % (names.common_of(list(some), MOST), words)
                  for words, some in doubts.items()]


def doubts(groups: Sequence[Group]) -> List[str]:
    """Returns the notes that concern single runs."""
    return (notes.memory(groups) + notes.below(groups) + notes.loaded(groups)
            + notes.from_programs(groups))


# ---- output ------------------------------------------------------------------

HEADER = ["figure", "unit", "configuration", "n", "value", "95 % interval", "ratio"]
RIGHT = (3, 4, 6)
FLAT = ["meaning", "unit", "better", "configuration", "program", "figure", "ranks",
        "n", "value", "low", "high", "ratio", "baseline", "unknown"]


def rows(found: Sequence[Table]) -> List[List[str]]:
    """Returns the rows of one table for people: a figure is named once."""
    out = []
    for one in found:
        for i, its in enumerate(one.sides):
            out.append([one.title if i == 0 else "", one.unit if i == 0 else "",
                        called(its.group), str(its.n), table.number(its.value),
                        table.bounds(its.interval), "baseline" if len(one.sides) > 1
                        and its.group is one.baseline else ratio_text(its)])
    return out


def readable(found: Sequence[Table], form: Callable[..., str]) -> str:
    return form(HEADER, rows(found), right=RIGHT)


def flat(one: Table, its: Side) -> Dict[str, Any]:
    nothing = stats.Interval(None, None, None, 0)
    between = its.interval or nothing
    return OrderedDict(zip(FLAT, [
        one.title, one.unit, one.better, its.group.name, its.group.first.program,
        compare.figure_title(its.figure), its.group.first.ranks, its.n, its.value,
        between.low, between.high, its.ratio, one.baseline.name,
        "; ".join(its.unknown)]))


def as_csv(found: Sequence[Table]) -> str:
    return table.comma_separated(FLAT, [
        ["" if v is None else v for v in flat(one, its).values()]
        for one in found for its in one.sides])


def as_json(found: Sequence[Table], notes: Sequence[str]) -> str:
    return json.dumps(OrderedDict([
        ("schema", SCHEMA), ("finding", sentences(found)),
        ("rows", [flat(one, its) for one in found for its in one.sides]),
        ("pairs", [pairs.tree(pairs.pair(*p)) for p in pairs_of(found)]),
        ("notes", notes)]), indent=1, allow_nan=False) + "\n"


def render(form: str, found: Sequence[Table], below: Sequence[str]) -> str:
    if form in ("csv", "json"):
        return as_csv(found) if form == "csv" else as_json(found, below)
    other = differences(found)
    if form == "markdown":
        parts = ["\n\n".join(map(printable, sentences(found))) + "\n",
                 readable(found, table.markdown),
                 differs.HEADING + ":\n\n" + bullets(other) if other else "",
                 bullets(below)]
    else:
        parts = ["".join(map(output.wrap, sentences(found))), bars(found),
                 readable(found, table.text),
                 output.wrap(differs.HEADING + ":") + "".join(
                     output.wrap(words, "  ", "    ") for words in other)
                 if other else "",
                 output.notes(below)]
    return "\n".join(filter(None, parts))


def bullets(some: Sequence[str]) -> str:
    return "".join("- %s\n" % printable(words) for words in some)
