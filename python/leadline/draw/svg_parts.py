"""What pictures in SVG have in common: keys, axes of values, labels of rows."""
import math
from typing import Any, Sequence, Tuple

from leadline.draw import svg

LABELS = 250       # the widest column of labels
MARGIN = 8
RADIUS = 4.5


def css(series: int) -> str:
    return "fill%d" % (series % svg.SERIES)


def stroke(series: int) -> str:
    return "stroke%d" % (series % svg.SERIES)


def look(picture: Any, i: int, name: str) -> Tuple[int, int]:
    """(colour, marker) of the series of that number and name."""
    return picture.looks.get(name, (i, i))


def key(canvas, y, names, swatch):
    """The key of series, (number, name): swatch(x, y, number) draws a sign 14 wide.
    Returns the new y."""
    x = MARGIN
    for i, name in names:
        shown = svg.fitted(name, min(300, canvas.width - 2 * MARGIN - 24))
        width = 20 + svg.text_width(shown) + 18
        if x > MARGIN and x + width - 18 > canvas.width:
            x, y = MARGIN, y + svg.LINE + 2
        swatch(x, y + 7, i)
        canvas.text(x + 20, y + 11, shown, whole=name)
        x += width
    return y + svg.LINE + 6


def label_column(canvas: Any, labels: Sequence[str]) -> float:
    """The width of the column of names; none where they stand above."""
    if canvas.narrow:
        return 0
    return min(LABELS, max([svg.text_width(w) for w in labels] or [0])) + 12


def value_axis(canvas: Any, axis: Any, top: float, bottom: float, title: str) -> float:
    """The axis of values below rows. Returns the y below it."""
    scale, last = axis.scale, -math.inf
    for value, words in zip(axis.ticks, axis.texts):
        at = scale(value)
        if value == 0 and scale.zero is not None:
            broken(canvas, scale, top, bottom)
        canvas.line(at, top, at, bottom, "rule")
        half = svg.text_width(words) / 2
        left = min(at, canvas.width - half - 1)
        if left - half > last + 4:
            canvas.text(left, bottom + 15, words, "middle", "muted")
            last = left + half
    begin, end = min(scale.begin, scale.end), max(scale.begin, scale.end)
    canvas.line(begin, bottom, end, bottom, "axis")
    shown = svg.fitted(title, min(end - begin + 80, canvas.width - 2 * MARGIN))
    half = svg.text_width(shown) / 2
    middle = min(max((begin + end) / 2, MARGIN + half), canvas.width - MARGIN - half)
    canvas.text(middle, bottom + 32, shown, "middle", "muted", whole=title)
    return bottom + 42


def broken(canvas, scale, top, bottom):
    """Between zeros and the axis of decades: it does not go on to there."""
    at = (scale.zero + scale.begin) / 2
    canvas.path("M%s %sV%s" % tuple(map(svg.number, (at, top, bottom))), "axis",
                stroke_dasharray="2 4")


def many(low: float, high: float) -> int:
    """How many ticks fit between two places."""
    return max(2, int((high - low) / 72))


class Groups:
    """Names of groups, each above its rows, once; drawn when all lines are."""

    def __init__(self):
        self.heads = []

    def head(self, y, group):
        """Returns the y below."""
        if not group or (self.heads and group == self.heads[-1][1]):
            return y
        self.heads.append((y, group))
        return y + 20

    def draw(self, canvas):
        for y, group in self.heads:
            canvas.text(MARGIN, y + 14, svg.fitted(group, canvas.width - 40),
                        css="halo", whole=group)


def indent(group: str) -> int:
    return MARGIN + (12 if group else 0)
