"""In which options configurations differ."""
from collections import OrderedDict
from typing import Any, Dict, List, Sequence, Set

# Options that say where results go, not what was measured.
ABOUT_OUTPUT = ("json", "csv", "series", "label", "quiet", "per-rank", "keep", "seed")


def varying(groups: Sequence[Any]) -> List[str]:
    """Options in which configurations differ but not the runs of one of them."""
    def differ(reports, name):
        return len(set(repr(r.option_values().get(name)) for r in reports)) > 1
    names = OrderedDict((name, None) for g in groups for name in g.first.options)
    found = [name for name in names if name not in ABOUT_OUTPUT
             and differ([g.first for g in groups], name)
             and not any(differ(g.reports, name) for g in groups)]
    return [name for name in found if name != "dir" or not own_folders(groups)]


def own_folders(groups):
    """Whether each configuration had a folder for itself on one file system: then the
    folder is no part of the question."""
    folders = set(repr(g.first.option_values().get("dir")) for g in groups)
    places = set(tuple(g.first.file_systems()) for g in groups)
    return len(folders) == len(groups) and len(places) == 1


def follows_ranks(groups: Sequence[Any], name: str) -> bool:
    """Whether an option of the workload has one value for each number of ranks."""
    values: Dict[Any, Set[str]] = {}
    for group in groups:
        if not (group.first.options.get(name) or {}).get("workload"):
            return False
        values.setdefault(group.first.ranks, set()).add(
            repr(group.first.option_values().get(name)))
    return all(len(found) == 1 for found in values.values())
