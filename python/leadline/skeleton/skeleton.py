"""Reads the skeletons (leadline-skeleton/1) that "iotrace ldad --skeleton" writes.

A malformed one is refused in a sentence. Numbers of calls and bytes are checked by
counting the chunks of its descriptors.
"""
import json
from typing import Any, Dict, List, Optional, Tuple

from leadline.base.errors import LeadlineError
from leadline.skeleton import descriptors

SCHEMA = "leadline-skeleton/1"
POLYNOMIALS = "leadline-skeleton-polynomials/1"
LARGEST = 2 ** 62


class Skeleton:
    """`transfers`, `calls`, `files` and `phases` are as in the file."""

    def __init__(self, data: Any, name: str) -> None:
        self.name, self.data = name, data
        if isinstance(data, dict) and data.get("schema") == POLYNOMIALS:
            raise LeadlineError("%s: it is for any number of ranks" % name,
                                todo="Make one for N: leadline skeleton %s --np=N "
                                "--output=FILE" % name)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise LeadlineError("%s: not a skeleton: its schema is not %s"
                                % (name, SCHEMA))
        try:
            self.ranks = data["ranks"]
            self.files, self.phases = data["files"], data["phases"]
            self.transfers, self.calls = data["transfers"], data["calls"]
            self.left_out = data["left_out"]
            self.bytes = sum(self.check(t) for t in self.transfers)
            self.check_orders()
            said = data["totals"]["transfers"]["bytes"]
        except (AttributeError, KeyError, TypeError, ValueError) as why:
            raise LeadlineError("%s: damaged: %s is missing or of another kind"
                                % (name, why))
        if said != self.bytes:
            raise LeadlineError("%s: it says that it has %s bytes, and has %d"
                                % (name, said, self.bytes))

    def check(self, transfer: Dict[str, Any]) -> int:
        """Returns the bytes of one entry, counted."""
        calls = transfer.get("empty", 0) + transfer.get("failed", 0)
        size = 0
        for plan in transfer["plans"]:
            for d in plan["descriptors"]:
                chunks, chunk = counted(d["plan"], plan["ranks"])
                calls += chunks * d["repeats"]
                size += chunks * d["repeats"] * chunk
        for key in ("drawn", "unplaced"):
            calls += transfer.get(key, {}).get("calls", 0)
            size += transfer.get(key, {}).get("bytes", 0)
        if (calls, size) != (transfer["calls"], transfer["bytes"]):
            raise LeadlineError(
                "%s: descriptors of %s in phase %s have %d calls and %d bytes, not %d "
                "and %d" % (self.name, transfer["file"], transfer["phase"], calls, size,
                            transfer["calls"], transfer["bytes"]))
        return size

    def check_orders(self) -> None:
        """Checks that orders have as much of each step as the step itself."""
        found: Dict[int, int] = {}
        for phase in self.phases:
            for order in phase["order"]:
                for step, times in counts(order["steps"]).items():
                    found[step] = found.get(step, 0) + times * order["ranks"]
        lost = {n for n, phase in enumerate(self.phases) if phase.get("order_lost")}
        for t in self.transfers:
            calls = (t["calls"] - t.get("empty", 0) - t.get("failed", 0)
                     - t.get("unplaced", {}).get("calls", 0))
            if t["phase"] not in lost and found.get(t["step"], 0) != calls:
                raise LeadlineError(
                    "%s: step %s has %d calls, and %d in the order of phase %s"
                    % (self.name, t["step"], calls, found.get(t["step"], 0),
                       t["phase"]))


def times_of(_is_list: bool, word: str) -> Optional[int]:
    return None if word.startswith("[") else int(word or 1)


def parse(text: str) -> List[Tuple[Any, int]]:
    """Parses a sequence, "0 (1 2x3)x4", into [(number or list of the same kind, times),
    ...]."""
    found = descriptors.sequence(text, times_of)
    if found is None:
        raise LeadlineError("%r is no sequence" % text)
    return found


def counts(text: str) -> Dict[int, int]:
    """Returns how often each number occurs in a sequence."""
    found: Dict[int, int] = {}

    def add(items, factor):
        for what, times in items:
            if isinstance(what, list):
                add(what, factor * times)
            else:
                found[what] = found.get(what, 0) + factor * times

    add(parse(text), 1)
    return found


def plan_of(text: str, ranks: int) -> descriptors.Plan:
    """Parses a plan of that many ranks, as skeletons have them."""
    found = descriptors.plan(text)
    if (found is None or found.counts != [ranks] or found.end is not None
            or len(found.steps or ()) != 1):
        raise LeadlineError("%r is no plan of %s ranks" % (text, ranks))
    return found


def counted(text: str, ranks: int) -> Tuple[int, int]:
    """Returns (chunks of all ranks, bytes of each) of a plan's text."""
    found = plan_of(text, ranks)
    chunks = ranks
    for span, stride in found.levels:
        if stride == 0 or span % stride or span // stride < 1:
            raise LeadlineError("%r: a span is not a whole number of strides" % text)
        chunks *= span // stride
    if chunks * found.size > LARGEST:
        raise LeadlineError("%r is no descriptor of chunks" % text)
    return chunks, found.size


def load(path: str) -> Skeleton:
    try:
        with open(path, encoding="utf-8") as f:
            return Skeleton(json.load(f), path)
    except (OSError, ValueError) as why:
        raise LeadlineError("%s: cannot be read as a skeleton: %s" % (path, why))
