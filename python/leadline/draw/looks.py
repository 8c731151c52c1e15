"""Colours and markers of methods, which depend on a method's name alone in every
picture.

A picture's `looks` are {name of a series: (colour, marker)}. The last colour is for all
methods that have no colour of their own, and for series of several methods; their
markers distinguish them. No other factor has colours.
"""
from typing import Any, Dict, Iterable, Sequence, Tuple

from leadline.draw import svg

METHODS = ("posix", "mpiio", "uring", "threads", "libaio", "mpiio-nb", "hdf5")
ALIASES = {"mpi": "mpiio", "mpi-io": "mpiio", "psync": "posix", "io_uring": "uring"}
OTHER = len(METHODS)
# Options that name a method if the engine is the same for all.
OPTIONS = ("engine", "async-engine", "iomethod", "method", "api", "ioengine", "io")


def plain(value: Any) -> str:
    words = str(value).lower()
    return ALIASES.get(words, words)


def is_method(factor: Any) -> bool:
    """True if the values of a factor (matrix.Factor) are methods."""
    return factor.name in OPTIONS and not factor.numeric


def of_methods(methods: Iterable[str]) -> Dict[str, Tuple[int, int]]:
    """Returns {method: (colour, marker)}; no two of these methods share a marker."""
    others = sorted(m for m in set(methods) if m not in METHODS)
    room = svg.MARKERS - OTHER
    return {m: (METHODS.index(m),) * 2 if m in METHODS
            else (OTHER, OTHER + others.index(m) % room) for m in set(methods)}


class Looks:
    """The looks of the configurations of a page."""

    def __init__(self, groups: Sequence[Any]) -> None:
        self.methods = methods_of(groups)
        self.known = of_methods(self.methods.values())

    def of(self, group: Any) -> Tuple[int, int]:
        return self.known[self.methods[id(group)]]

    def of_lines(self, lines: Dict[str, Sequence[Any]]) -> Dict[str, Tuple[int, int]]:
        """Returns the looks of {name: its groups}: by method if methods distinguish
        them, else with a marker each."""
        found = {name: set(map(self.of, groups)) for name, groups in lines.items()}
        looks = {name: next(iter(some)) if len(some) == 1 else (OTHER, OTHER)
                 for name, some in found.items()}
        if len(set(looks.values())) < len(looks):
            looks = {name: (colour, i) for i, (name, (colour, _)) in
                     enumerate(looks.items())}
        return looks


def methods_of(groups: Sequence[Any]) -> Dict[int, str]:
    """Returns {id of a group: its method}: the engine, or the option that distinguishes
    them."""
    engines = {id(g): plain(g.first.io.get("engine") or "other") for g in groups}
    if len(set(engines.values())) > 1:
        return engines
    for name in OPTIONS:
        values = {id(g): g.first.option(name) for g in groups}
        if len(set(map(repr, values.values()))) > 1:
            return {key: engines[key] if value is None else plain(value)
                    for key, value in values.items()}
    return engines
