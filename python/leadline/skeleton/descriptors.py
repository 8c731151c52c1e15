"""The two notations of skeletons and containers (doc/skeleton.md, doc/ldad.md):

    ranks=4 step=800 start=0 [span=12800 stride=6400 size=800]    a plan
    0 (1 2x3)x4                                                   a sequence

A plan's ranks may be a grid, 2x3, with a step for each of its extents; it may have an
end. In an order of polynomials the number of repetitions is an expression in
brackets. Malformed text gives None: the caller has the sentence.
"""
import re
from collections import namedtuple
from typing import Any, Callable, List, Optional, Sequence, Tuple

PLAN = re.compile(r"ranks=(\d+(?:x\d+)*)(?: step=(-?\d+(?:,-?\d+)*))?(?: end=(\d+))? "
                  r"start=(\d+) \[((?:span=-?\d+ stride=-?\d+ \[?)*)size=(\d+)\]+")
LEVEL = re.compile(r"span=(-?\d+) stride=(-?\d+)")
ITEM = re.compile(r"\s*(?:(\d+)|(\()|\))(?:x(\d+|\[[^\]]*\]))?")

# `counts` and `steps`: by extent of the ranks; `steps` and `end` may be None. `levels`:
# ((span, stride), ...), outermost first.
Plan = namedtuple("Plan", "counts steps end start levels size")


def plan(text: str) -> Optional[Plan]:
    found = PLAN.fullmatch(text)
    if not found:
        return None
    counts, steps, end, start, levels, size = found.groups()
    return Plan([int(word) for word in counts.split("x")],
                [int(word) for word in steps.split(",")] if steps else None,
                int(end) if end else None, int(start),
                tuple((int(span), int(stride))
                      for span, stride in LEVEL.findall(levels)), int(size))


def plan_text(ranks: int, step: int, start: int, levels: Sequence[Tuple[int, int]],
              size: int) -> str:
    """Returns the text of a plan with these levels, ((count, stride), ...)."""
    inner = "".join("[span=%d stride=%d " % (count * stride, stride)
                    for count, stride in levels) or "["
    return "ranks=%d step=%d start=%d %ssize=%d%s" % (
        ranks, step, start, inner, size, "]" * max(1, len(levels)))


def sequence(text: str, times_of: Callable[[bool, str], Optional[int]]
             ) -> Optional[List[Any]]:
    """Parses a sequence into [(number or list of the same kind, times), ...].
    times_of(whether it is a list, the text after its x, or "") returns the number of
    repetitions; None: malformed."""
    stack: List[List[Any]] = [[]]
    at = 0
    while at < len(text):
        found = ITEM.match(text, at)
        if not found:
            return None
        number, opens, word = found.groups()
        if opens:
            stack.append([])
        elif number is None and len(stack) == 1:
            return None
        else:
            what = stack.pop() if number is None else int(number)
            stack[-1].append((what, times_of(number is None, word or "")))
        if opens and word or not opens and stack[-1][-1][1] is None:
            return None
        at = found.end()
    return stack[0] if len(stack) == 1 else None


def sequence_text(items: Sequence[Any]) -> str:
    words = []
    for what, times in items:
        many = "x%d" % times if times > 1 else ""
        if not isinstance(what, list):
            words.append("%d%s" % (what, many))
        elif times == 1:
            words.append(sequence_text(what))
        else:
            words.append("(%s)%s" % (sequence_text(what), many))
    return " ".join(words)
