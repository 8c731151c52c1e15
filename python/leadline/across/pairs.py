"""Pairs of configurations, side by side: what differs between them, and what is not
known of one or both."""
import functools
import operator
from collections import OrderedDict
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from leadline.across import meanings
from leadline.base import names
from leadline.base.fields import printable
from leadline.judge import differs
from leadline.results import conditions
from leadline.results.groups import ABOUT_OUTPUT, Group
from leadline.results.report import Report

NOT_GIVEN = "not given"
MOST = 10       # differences in a sentence
DATA, CALLS = "data", "calls"
STORAGE_WORDS = ("hint", "dir", "node-dirs")   # options that conditions tell better


# `needed`: it is worth a word where it is not known. `kind`: of figures that it is
# about; "": of all.
class Aspect(NamedTuple):
    name: str
    of: Callable[[Report], Any]
    needed: bool = False
    kind: str = ""


# `differs`: [(aspect, value of the one, of the other)]. `unknown`: {of whom: aspects}.
class Pair(NamedTuple):
    group: Group
    baseline: Group
    differs: List[Tuple[str, str, str]]
    unknown: Dict[str, List[str]]


# ---- what is looked at -------------------------------------------------------

# Bytes that each process moves in a direction: the product of these options.
WORK = {"ior": ("blocksize", "segments"), "fio": ("size",),
        "blocktransfer": ("bytes",), "ldad perf": ("chunk", "chunks")}
BYTES = {"mdtest": "write_bytes", "metabench": "bytes"}     # of a file
ITEMS = {"mdtest": "items", "metabench": "files"}           # of each process


def condition(name: str) -> Callable[[Report], Any]:
    found: Callable[[Report], Any] = next(
        c.of for c in conditions.CONDITIONS if c.name == name)
    return found


def program(report: Report) -> str:
    return " ".join(filter(None, (report.program, report.version)))


def transfer(report: Report) -> Optional[str]:
    found = OrderedDict((meanings.transfer_bytes(report, does), None)
                        for does in meanings.DATA)
    known = [names.size_text(size) for size in found if size]
    return ", ".join(known)


def work(report: Report) -> Optional[str]:
    values = report.option_values()
    parts = [names.number(values.get(name, 1 if name == "segments" else None))
             for name in WORK.get(report.program, ())]
    known = [part for part in parts if part is not None]
    if parts and len(known) == len(parts):
        return names.size_text(functools.reduce(operator.mul, known))
    whole = sum(row.get("bytes") or 0 for row in report.files)
    return names.size_text(whole // report.ranks) if whole and report.ranks else None


def of_table(table: Dict[str, str]) -> Callable[[Report], Any]:
    def of(report: Report) -> Any:
        value = report.option(table.get(report.program, ""))
        known = table is BYTES and report.options and report.program in table
        return 0 if value is None and known else value
    return of


def day(report: Report) -> str:
    return report.date[:10]


ASPECTS = [
    Aspect("program", program),
    Aspect("ranks", lambda r: r.ranks),
    Aspect("nodes", condition("nodes"), True),
    Aspect("host", condition("host"), True),
    Aspect("file system", condition("file system"), True),
    Aspect("storage below", condition("storage below")),
    Aspect("files", lambda r: meanings.answer(meanings.FILES, r), kind=DATA),
    Aspect("transfer size", transfer, True, DATA),
    Aspect("bytes per rank", work, True, DATA),
    Aspect("engine", lambda r: r.engine and r.engine.lower(), kind=DATA),
    Aspect("collective", lambda r: r.io.get("collective"), kind=DATA),
    Aspect("queue depth", lambda r: r.io.get("depth"), kind=DATA),
    Aspect("cache", lambda r: r.cache, True),
    Aspect("sync", lambda r: r.sync, True, DATA),
    Aspect("reads from memory",
           lambda r: None if r.imported else "yes" if r.from_memory() else "no"),
    Aspect("bytes of a file", of_table(BYTES), kind=CALLS),
    Aspect("files per rank", of_table(ITEMS), kind=CALLS),
    Aspect("day", day)]


def text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else printable(value)


def values(aspect: Aspect, group: Group) -> List[str]:
    """Returns the known values of its runs, each once."""
    return list(OrderedDict.fromkeys(
        filter(None, (text(aspect.of(r)) for r in group.reports))))


# ---- of two configurations ---------------------------------------------------


def kinds(does: str) -> Tuple[str, ...]:
    """Returns the kinds of aspects that figures of that meaning have."""
    if does in meanings.DATA:
        return "", DATA
    of_calls = any(does in table.values() for table in meanings.CALLS.values())
    return ("", CALLS) if of_calls else ("",)


def pair(group: Group, baseline: Group, about: Sequence[str]) -> Pair:
    """Compares two configurations in the aspects of figures that measure `about`."""
    wanted = set(kind for does in about for kind in kinds(does))
    out: List[Tuple[str, str, str]] = []
    unknown: Dict[str, List[str]] = OrderedDict()
    for aspect in ASPECTS:
        if aspect.kind not in wanted:
            continue
        ours, theirs = values(aspect, group), values(aspect, baseline)
        if ours and theirs and ours != theirs:
            out.append((aspect.name, differs.listed(ours),
                        differs.listed(theirs)))
        elif aspect.needed and not (ours and theirs):
            whose = "both" if not ours and not theirs else (
                baseline if ours else group).name
            unknown.setdefault(whose, []).append(aspect.name)
    return Pair(group, baseline, out + other_options(group, baseline), unknown)


def other_options(group: Group, baseline: Group) -> List[Tuple[str, str, str]]:
    """Returns options of one program that differ and that no aspect is made of."""
    one, other = group.first, baseline.first
    if one.program != other.program:
        return []
    known = set(WORK.get(one.program, ()) + meanings.SIZES.get(one.program, ())
                + ABOUT_OUTPUT + STORAGE_WORDS + ("compare", "compare-arms", "rounds"))
    known |= {table.get(one.program, "") for table in (BYTES, ITEMS)}
    ours, theirs = one.option_values(), other.option_values()
    imported = one.imported or other.imported
    if imported:    # their other options say where files are, and how often
        ours, theirs = one.option_values(True), other.option_values(True)
    return [(name, text(ours.get(name)) or NOT_GIVEN,
             text(theirs.get(name)) or NOT_GIVEN)
            for name in OrderedDict.fromkeys(list(ours) + list(theirs))
            if name not in known and number(ours.get(name)) != number(theirs.get(name))]


def number(value: Any) -> Any:
    """Returns the number that a value means, such as 2 MiB; else the value itself."""
    plain = value.replace(" ", "") if isinstance(value, str) else value
    found = names.number(plain)
    return value if found is None else found


def difference(aspect: str, ours: str, theirs: str, baseline: str) -> str:
    if NOT_GIVEN in (ours, theirs):
        return "%s %s, %s for %s" % (aspect, ours, theirs, baseline)
    return "%s %s, not %s" % (aspect, ours, theirs)


def sentence(found: Pair) -> str:
    """Says what differs: b against a: ranks 4, not 2; unknown: cache of b."""
    parts = [difference(*one, found.baseline.name) for one in found.differs[:MOST]]
    if len(found.differs) > MOST:
        parts.append("and in %d more" % (len(found.differs) - MOST))
    words = "; ".join(parts) or "nothing that reports tell differs"
    return "%s against %s: %s%s" % (
        found.group.name, found.baseline.name, words,
        "".join("; not known of %s: %s" % (who, ", ".join(some))
                for who, some in found.unknown.items()))


def tree(found: Pair) -> Dict[str, Any]:
    return OrderedDict([
        ("configuration", found.group.name), ("baseline", found.baseline.name),
        ("differs", [OrderedDict([("aspect", name), ("value", ours),
                                  ("baseline", theirs)])
                     for name, ours, theirs in found.differs]),
        ("unknown", [OrderedDict([("of", who), ("aspects", some)])
                     for who, some in found.unknown.items()])])
