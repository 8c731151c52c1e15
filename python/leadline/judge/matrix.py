"""The factors of a sweep, which are the options in which its configurations differ, and
their cells.

A factor is an option, the number of ranks, or a condition such as the MPI library, in
which configurations of one series differ but not the runs of one of them. An option
that changes with another one, as a problem's size with the ranks, follows it and is no
factor of its own.
"""
from collections import OrderedDict
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from leadline.base import names
from leadline.judge import compare
from leadline.judge.compare import named, usual
from leadline.results import conditions
from leadline.results.groups import Group, varying
from leadline.results.report import Figure


class Factor:
    """An option and its values: numbers in their order, others as first seen. `base` is
    the value that others are compared with."""

    def __init__(self, name: str, values: Sequence[Any], base: Any,
                 texts: Sequence[str], unit: str = "") -> None:
        self.name, self.values, self.base = name, values, base
        self.texts, self.unit = texts, unit
        self.numeric = len(values) > 1 and all(map(is_number, values))

    @property
    def others(self) -> List[Any]:
        return [v for v in self.values if v != self.base]


class Matrix:
    """Configurations of one program and series, with their factors."""

    def __init__(self, groups: Sequence[Group],
                 baseline: Optional[Group] = None) -> None:
        self.groups, self.program = groups, groups[0].first.program
        self.baseline = baseline if baseline in groups else usual(groups)
        table, self.follows = independent(candidates(groups))
        self.table = table
        self.differs: Optional[List[Any]] = None   # as judge.differs found, when asked
        self.factors = [self.factor(name, column) for name, column in table.items()]
        self.cells: Dict[Tuple[Any, ...], List[Group]] = OrderedDict()
        for i, group in enumerate(groups):
            key = tuple(column[i] for column in table.values())
            self.cells.setdefault(key, []).append(group)

    def factor(self, name: str, column: Sequence[Any]) -> Factor:
        values = list(OrderedDict.fromkeys(column))
        if all(map(is_number, values)):
            values.sort()
        base = column[self.groups.index(self.baseline)]
        first: Dict[str, Any] = next((g.first.options[name] for g in self.groups
                      if name in g.first.options), {})
        return Factor(name, values, base, [self.text(name, v) for v in values],
                      first.get("unit") or "")

    @property
    def complete(self) -> bool:
        """True if each combination of values occurs exactly once."""
        total = 1
        for factor in self.factors:
            total *= len(factor.values)
        return bool(self.factors) and total == len(self.cells) and all(
            len(some) == 1 for some in self.cells.values())

    def key(self, group: Group) -> Tuple[Any, ...]:
        i = self.groups.index(group)
        return tuple(column[i] for column in self.table.values())

    def value(self, group: Group, name: str) -> Any:
        return self.table[name][self.groups.index(group)]

    def ignoring(self, *factors: Factor) -> Tuple[str, ...]:
        """Returns the names of options in which cells of such factors differ."""
        out = []
        for factor in factors:
            out += [factor.name] + self.follows.get(factor.name, [])
        return tuple("ranks" if name == "np" else name for name in out)

    def text(self, name: str, value: Any) -> str:
        """Formats a factor's value; with the factor's name only if another factor has
        an equal value."""
        text = names.value_text(name, value)
        shared = any(names.value_text(other, v) == text
                     for other, column in self.table.items() if other != name
                     for v in set(column))
        return "%s=%s" % (name, text) if shared else text

    def figures(self) -> List[Figure]:
        """Returns the headline figures: the totals, or else the first two."""
        return [f for f in compare.headline(compare.select(self.groups, None))
                if any(g.observations((f.name, f.at)) for g in self.groups)]


# ---- finding matrices ----------------------------------------------------------


def matrices(groups: Sequence[Any], baseline: Optional[str] = None) -> List[Any]:
    """Returns a Matrix for each program and series of at least two configurations."""
    found: Dict[Any, Any] = OrderedDict()
    for group in groups:
        found.setdefault((group.first.program, group.first.series_id), []).append(group)
    meant = named(groups, baseline)
    return [Matrix(some, next((g for g in meant if g in some), None))
            for some in found.values() if len(some) > 1]


# ---- finding factors -----------------------------------------------------------


def candidates(groups: Sequence[Group]) -> Dict[str, List[Any]]:
    """Returns {name: [value of each group]} of whatever configurations differ in."""
    out = OrderedDict()
    if len(set(g.first.ranks for g in groups)) > 1:
        out["np"] = [g.first.ranks for g in groups]
    for name in varying(groups):
        column = [plain(g.first.option(name)) for g in groups]
        sizes = [names.number(v) for v in column]   # 64k is 65536
        out[name] = column if None in sizes else sizes
    for name, column in conditions.varying(groups).items():
        out[name] = column
    if not distinguish(out, len(groups)):
        out.update(words_of_names(groups))
    return out


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else (
        None if value is None else repr(value))


def rows_of(columns: Sequence[Sequence[Any]], n: int) -> List[Tuple[Any, ...]]:
    return [tuple(column[i] for column in columns) for i in range(n)]


def distinguish(table: Dict[str, List[Any]], n: int) -> bool:
    return len(set(rows_of(list(table.values()), n))) == n


def words_of_names(groups: Sequence[Group]) -> Dict[str, List[Any]]:
    """Returns configurations' names as a table, if they all have the same number of
    words."""
    words = [g.name.split("-") for g in groups]
    if len(set(map(len, words))) > 1 or len(words[0]) < 2:
        return {}
    columns = list(zip(*words))
    return OrderedDict(("part %d of its name" % (i + 1), list(column))
                       for i, column in enumerate(columns) if len(set(column)) > 1)


def determines(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """True if a value of `a` determines that of `b`."""
    return len(set(a)) == len(set(zip(a, b)))


def independent(table: Dict[str, List[Any]]
                ) -> Tuple[Dict[str, List[Any]], Dict[str, List[str]]]:
    """Returns (table without the options that follow another factor, {factor: its
    followers})."""
    kept = OrderedDict(table)
    follows: Dict[str, List[str]] = {}
    n = len(next(iter(table.values()), []))
    for name in reversed(list(table)):
        rest = OrderedDict((k, c) for k, c in kept.items() if k != name)
        if len(set(kept[name])) == n and len(rest) and distinguish(rest, n):
            kept = rest
    for name in list(table):
        for other in [k for k in kept if k != name] if name in kept else []:
            equal = determines(kept[name], kept[other])   # then they change together
            first = list(kept).index(other) < list(kept).index(name)
            if determines(kept[other], kept[name]) and (first or not equal):
                del kept[name]
                break
    if "np" in kept:   # it is the last word of a name
        kept["np"] = kept.pop("np")
    for name in table:
        if name not in kept:
            for other in kept:
                if depends(table, name, other, kept):
                    follows.setdefault(other, []).append(name)
    return kept, follows


def depends(table: Dict[str, List[Any]], name: str, other: str,
            kept: Dict[str, List[Any]]) -> bool:
    """True if `name`, which is no factor, changes when only `other` does."""
    rest = [c for k, c in kept.items() if k != other]
    seen: Dict[Tuple[Any, ...], Set[Any]] = {}
    for i, key in enumerate(rows_of(rest, len(table[name]))):
        seen.setdefault(key, set()).add(table[name][i])
    return any(len(values) > 1 for values in seen.values())
