"""Reads the skeletons (leadline-skeleton/1) that "iotrace ldad --skeleton" writes.

What is wrong in one is a sentence; what it says of calls and bytes is checked by
counting the chunks of its descriptors.
"""
import json
import re

from leadline.errors import LeadlineError

SCHEMA = "leadline-skeleton/1"
LARGEST = 2 ** 62
PLAN = re.compile(r"ranks=(\d+) step=(-?\d+) start=(\d+) (.*)$")


class Skeleton:
    """`transfers` and `calls` are as in the file; `files` and `phases`, too."""

    def __init__(self, data, name):
        self.name = name
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise LeadlineError("%s is no skeleton: its schema is not %s"
                                % (name, SCHEMA))
        try:
            self.ranks = data["ranks"]
            self.files, self.phases = data["files"], data["phases"]
            self.transfers, self.calls = data["transfers"], data["calls"]
            self.left_out = data["left_out"]
            self.bytes = sum(self.check(t) for t in self.transfers)
            said = data["totals"]["transfers"]["bytes"]
        except (AttributeError, KeyError, TypeError, ValueError) as why:
            raise LeadlineError("%s is damaged: %s is missing or of another kind"
                                % (name, why))
        if said != self.bytes:
            raise LeadlineError("%s says that it has %s bytes, and has %d"
                                % (name, said, self.bytes))

    def check(self, transfer):
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


def counted(plan, ranks):
    """(chunks of all ranks, bytes of each) of a plan's text."""
    found = PLAN.match(plan)
    if not found or int(found.group(1)) != ranks:
        raise LeadlineError("%r is no plan of %s ranks" % (plan, ranks))
    chunks = ranks
    rest = found.group(4)
    for span, stride in re.findall(r"span=(-?\d+) stride=(-?\d+)", rest):
        if int(stride) == 0 or int(span) % int(stride) or int(span) // int(stride) < 1:
            raise LeadlineError("%r: a span is not a whole number of strides" % plan)
        chunks *= int(span) // int(stride)
    size = re.search(r"size=(\d+)\]+$", rest)
    if not size or chunks * int(size.group(1)) > LARGEST:
        raise LeadlineError("%r is no descriptor of chunks" % plan)
    return chunks, int(size.group(1))


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return Skeleton(json.load(f), path)
    except (OSError, ValueError) as why:
        raise LeadlineError("%s cannot be read as a skeleton: %s" % (path, why))
