"""Conditions of a run: its machine, its software and its storage, from its report."""
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Dict, List, Optional, Sequence

from leadline.base.fields import printable
from leadline.results.report import Report

MACHINE, SOFTWARE, STORAGE = "other machine", "other software", "other storage"

# name; mark on a verdict between two of its values; getter from a report.
Condition = namedtuple("Condition", "name mark of")


def of_hosts(report: Report, name: str,
             scale: Optional[Callable[[Any], Any]] = None) -> str:
    found = sorted(set(host[name] for host in report.hosts if host.get(name)), key=str)
    return ", ".join(printable(scale(v) if scale else v) for v in found)


def gibibytes(value: Any) -> Any:
    return "%.3g GiB" % (value / 2.0 ** 30) if isinstance(value, int) else value


def text(value: Any) -> str:
    return printable(value) if value not in (None, "") else ""


def of_files(report: Report, *fields: str) -> str:
    found: Dict[str, None] = OrderedDict()
    for row in report.files:
        words = [text(row.get(f)) for f in fields]
        if any(words):
            found[" x ".join(filter(None, words))] = None
    return ", ".join(found)


def of_groups(report: Report, *fields: str) -> str:
    """Returns what groups of nodes have, each once, with the nodes if they differ."""
    found: Dict[str, int] = OrderedDict()
    for row in report.groups:
        words = ", ".join(filter(None, (text(row.get(f)) for f in fields)))
        found[words] = found.get(words, 0) + (row.get("count") or 0)
    if len(found) < 2:
        return "".join(found)
    return "; ".join("%d node%s: %s" % (n, "" if n == 1 else "s", words or "none")
                     for words, n in found.items())


def unlike(report: Report) -> str:
    """Returns the storage of nodes that see different ones."""
    if len(report.groups) < 2:
        return "alike" if report.groups else ""
    return of_groups(report, "storage", "mount")


def hints(report: Report) -> str:
    found = report.io.get("hints_in_effect") or {}
    return ", ".join("%s=%s" % (printable(k), printable(v))
                     for k, v in sorted(found.items()))


CONDITIONS = [
    Condition("host", MACHINE, lambda r: ", ".join(sorted(r.host_names()))),
    Condition("nodes", MACHINE, lambda r: text(r.nodes)),
    Condition("ranks per node", MACHINE,
              lambda r: text(r.mpi.get("ranks_per_node_max"))),
    Condition("cores", MACHINE, lambda r: of_hosts(r, "cores")),
    Condition("memory", MACHINE, lambda r: of_hosts(r, "memory_bytes", gibibytes)),
    Condition("kernel", MACHINE, lambda r: of_hosts(r, "kernel")),
    Condition("MPI library", SOFTWARE, lambda r: text(r.mpi_library)),
    Condition("MPI-IO layer", SOFTWARE, lambda r: text(r.mpi.get("io_layer"))),
    Condition("launcher", SOFTWARE, lambda r: text(r.mpi.get("launcher"))),
    Condition("program version", SOFTWARE, lambda r: text(r.version)),
    Condition("engine version", SOFTWARE, lambda r: text(r.io.get("version"))),
    Condition("file system", STORAGE,
              lambda r: ", ".join(fs for fs, _ in r.file_systems() if fs != "?")),
    Condition("mount options", STORAGE, lambda r: of_files(r, "mount")),
    Condition("stripes", STORAGE,
              lambda r: of_files(r, "stripe_count", "stripe_bytes")),
    Condition("storage below", STORAGE, lambda r: ", ".join(r.storage())),
    Condition("storage of nodes", STORAGE, unlike),
    Condition("file system's source", STORAGE,
              lambda r: of_groups(r, "source", "uuid")),
    Condition("file system's client", SOFTWARE, lambda r: of_groups(r, "client")),
    Condition("limits", MACHINE, lambda r: of_groups(r, "limits")),
    Condition("hints", STORAGE, hints)]

# Conditions that follow from others, or change with the ranks: they are no factors.
NO_FACTOR = ("nodes", "ranks per node", "cores", "memory", "kernel", "engine version",
             "MPI-IO layer", "mount options", "stripes", "storage below",
             "storage of nodes",
             "file system's source", "file system's client", "limits", "hints")


def values(condition: Any, group: Any) -> List[str]:
    """Returns the known values of a group's runs, each once."""
    return list(OrderedDict.fromkeys(filter(None, map(condition.of, group.reports))))


def varying(groups: Sequence[Any]) -> Dict[Any, Any]:
    """Returns {name: [value of each group]} of the conditions that are factors of a
    series: known and constant within each configuration, and not the same in all."""
    out = OrderedDict()
    for condition in CONDITIONS:
        if condition.name in NO_FACTOR:
            continue
        found = [values(condition, g) for g in groups]
        if all(len(v) == 1 for v in found) and len(set(v[0] for v in found)) > 1:
            out[condition.name] = [v[0] for v in found]
    return out
