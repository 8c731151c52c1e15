"""The calls of each rank of a skeleton (leadline-skeleton/1), one after the other."""
import re

TOKENS = re.compile(r"\s*(?:(\d+)|(\()|(\)))(?:x(\d+))?")
PLAN = re.compile(r"ranks=\d+ step=(-?\d+) start=(\d+) (.*)$")


def sequence(text):
    """Returns the numbers of "0 (1 2x3)x4", one after the other."""
    stack, at = [[]], 0
    while at < len(text):
        found = TOKENS.match(text, at)
        number, opens, _, times = found.groups()
        if opens:
            stack.append([])
        elif number is not None:
            stack[-1] += [int(number)] * int(times or 1)
        else:
            inner = stack.pop()
            stack[-1] += inner * int(times or 1)
        at = found.end()
    return stack[0]


def place(of, rank):
    """Returns the rank's place in a plan; None: it has none."""
    n, left = divmod(rank - of["first_rank"], of["rank_step"])
    return n if not left and 0 <= n < of["ranks"] else None


def chunks(plan, which):
    """Returns (offset, bytes) of a plan's rank, in order."""
    step, start, rest = PLAN.match(plan).groups()
    size = int(re.search(r"size=(\d+)", rest).group(1))
    offsets = [int(start) + which * int(step)]
    for span, stride in re.findall(r"span=(-?\d+) stride=(-?\d+)", rest):
        steps = [k * int(stride) for k in range(int(span) // int(stride))]
        offsets = [at + s for at in offsets for s in steps]
    return [(at, size) for at in offsets]


def moved(transfer, rank):
    for plan in transfer["plans"]:
        which = place(plan, rank)
        if which is not None:
            listed = "sequence" in plan
            some = [chunks(d["plan"], which) * (1 if listed else d["repeats"])
                    for d in plan["descriptors"]]
            order = sequence(plan["sequence"]) if listed else range(len(some))
            return [piece for n in order for piece in some[n]]
    return []


def acts(data, rank):
    """Returns [(file, call, offset, bytes)]; a sync has neither offset nor bytes."""
    left = {t["step"]: (t, iter(moved(t, rank))) for t in data["transfers"]}
    syncs = {c["step"]: c for c in data["calls"] if "step" in c}
    found = []
    for phase in data["phases"]:
        for order in phase["order"]:
            if place(order, rank) is None:
                continue
            for step in sequence(order["steps"]):
                if step in syncs:
                    found.append((syncs[step]["file"], syncs[step]["call"], None, None))
                else:
                    t, pieces = left[step]
                    found.append((t["file"], t["call"]) + next(pieces))
    names = {}  # files are numbered anew, by their first use
    return [(names.setdefault(act[0], len(names)),) + act[1:] for act in found]
