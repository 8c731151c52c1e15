"""A picture, element by element, and its SVG: escaped, with text whose width is
estimated well enough. Colours are classes (paint.py), defined once for a page or within
a picture that is a file of its own. draw_file paints the same elements as PNG and PDF.
"""
import math
from collections import namedtuple
from html import escape
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from leadline.base.fields import printable
from leadline.draw.paint import SERIES, SIZE, style

LINE = 16          # distance of lines of text
NARROW = 500       # pictures below this width are drawn for phones
MARKERS = 12       # number of distinguishable shapes of marks


# ---- text --------------------------------------------------------------------

THIN, BROAD = "iIl.,:;'|![]()/ jtfr-", "mwMW@%"


def text_width(words: str, size: float = SIZE) -> float:
    """Returns the width of a text in a wide sans-serif: a text that fits by this
    estimate fits."""
    em = 0.0
    for c in words:
        em += 0.42 if c in THIN else 0.98 if c in BROAD or ord(c) > 0x2e7f \
            else 0.72 if c.isupper() else 0.64
    return em * size


def fitted(words: str, width: float, size: float = SIZE) -> str:
    """Returns `words`, with the middle left out if they are too long."""
    # No character is narrower than 0.42 em, so only the ends of a long text can show.
    keep = int(width / (0.42 * size)) + 1 if width > 0 else 2
    if len(words) <= keep:
        if text_width(words, size) <= width:
            return words
        keep = len(words)
    while keep > 2:
        keep -= 1
        head = (keep + 1) // 2
        short = words[:head] + "\u2026" + words[len(words) - keep + head:]
        if text_width(short, size) <= width:
            return short
    return words[:1] + "\u2026"


# ---- elements ----------------------------------------------------------------


def number(value: float) -> str:
    return ("%.2f" % value).rstrip("0").rstrip(".")


# `more`: further data of an element: the words of a text, the elements of a group, the
# pixels of an image.
Element = namedtuple("Element", "name attributes hint more")


def serialized(found: Element) -> str:
    """Returns an element as SVG."""
    shown = "".join(' %s="%s"' % (n.rstrip("_").replace("_", "-"), escape(str(
        number(v) if isinstance(v, float) else v)))
        for n, v in found.attributes.items() if v is not None)
    inner = escape(found.more) if isinstance(found.more, str) else ""
    if found.name == "g":
        inner = "".join(map(serialized, found.more))
    if found.hint:
        inner += "<title>%s</title>" % escape(printable(found.hint))
    return "<%s%s>%s</%s>" % (found.name, shown, inner, found.name)


class Canvas:
    """A picture that is drawn from top to bottom; its height is known at the end."""

    def __init__(self, key: str, title: str, words: Sequence[str],
                 width: float) -> None:
        self.key, self.title, self.words, self.width = key, title, words, width
        self.elements: List[Element] = []
        self.hatches: List[Tuple[int, int]] = []

    @property
    def narrow(self) -> bool:
        """True if it is for a phone: names then stand above the things that they
        name."""
        return self.width < NARROW

    def add(self, name: str, hint: Optional[str] = None, more: Any = None,
            **attributes: Any) -> None:
        self.elements.append(Element(name, attributes, hint, more))

    def text(self, x: float, y: float, words: str, anchor: Optional[str] = None,
             css: Optional[str] = None, turn: Optional[float] = None,
             whole: Optional[str] = None) -> None:
        """Draws a text. `whole`: the text that `words` abbreviates."""
        words = printable(words)
        if not words:
            return
        whole = whole if whole is not None and printable(whole) != words else None
        turned = "rotate(%d %s %s)" % (turn, number(x), number(y)) if turn else None
        self.add("text", whole, words, x=float(x), y=float(y), text_anchor=anchor,
                 class_=css, transform=turned)

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        self.add("path", d="M%s %sL%s %s" % tuple(map(number, (x1, y1, x2, y2))),
                 class_=css)

    def rect(self, x: float, y: float, width: float, height: float, css: Optional[str],
             fill: Optional[str] = None, hint: Optional[str] = None,
             **more: Any) -> None:
        self.add("rect", hint, x=float(x), y=float(y), width=float(width),
                 height=float(height), class_=css, fill=fill, **more)

    def path(self, d: str, css: str, hint: Optional[str] = None, **more: Any) -> None:
        self.add("path", hint, d=d, class_=css, **more)

    def marker(self, shape: int, x: float, y: float, radius: float, css: str) -> None:
        self.path(marker_path(shape, x, y, radius), css)

    def hatch(self, series: int, kind: int) -> str:
        """Returns a fill of a series' colour, with a hatch by `kind` that needs no
        colour."""
        name = "%s-h%d-%d" % (self.key, series, kind)
        if (series, kind) not in self.hatches:
            self.hatches.append((series, kind))
        return "url(#%s)" % name

    def defs(self) -> str:
        out = []
        for series, kind in self.hatches:
            lines = HATCHES[kind]
            out.append(
                '<pattern id="%s-h%d-%d" width="8" height="8" '
                'patternUnits="userSpaceOnUse"><rect width="8" height="8" '
                'class="fill%d" fill-opacity="%s"></rect><path d="%s" '
                'class="stroke%d" stroke-width="1.6" fill="none"></path></pattern>'
                % (self.key, series, kind, series, "0.85" if not lines else "0.28",
                   lines, series))
        return "<defs>%s</defs>" % "".join(out) if out else ""

    def finish(self, height: float, alone: bool = False) -> str:
        """Returns the element; `alone`: a file of its own, with its style."""
        key = escape(self.key)
        head = ('<svg xmlns="http://www.w3.org/2000/svg" class="chart" '
                'viewBox="0 0 %s %s" width="%s" height="%s" role="img" '
                'aria-labelledby="%s-t %s-d">' % (
                    number(self.width), number(height), number(self.width),
                    number(height), key, key))
        told = '<title id="%s-t">%s</title><desc id="%s-d">%s</desc>' % (
            key, escape(printable(self.title)), key,
            escape(printable(" ".join(self.words) or self.title)))
        css = "<style>%s</style>" % escape(style(), quote=False) if alone else ""
        paper = ('<rect class="paper" width="100%" height="100%"></rect>'
                 if alone else "")
        return "\n".join([head, told, css + self.defs() + paper]
                         + list(map(serialized, self.elements)) + ["</svg>"]) + "\n"


# Strokes over a light ground; the first fills the ground, darker.
HATCHES = ["", "M0 8L8 0M-2 2L2 -2M6 10L10 6", "M0 0L8 8M-2 6L2 10M6 -2L10 2",
           "M0 4L8 4", "M4 0L4 8", "M0 4L8 4M4 0L4 8", "M0 2L8 2M0 6L8 6",
           "M0 8L8 0M0 0L8 8"]

# (colour, hatch) of the parts of a whole. The activities of a phase, in their order:
# I/O is solid, and sync looks like the write that it belongs to.
PARTS = [(2, 1), (3, 2), (4, 4), (0, 0), (1, 0), (1, 1), (6, 3), (7, 7)]


def polygon(points: Iterable[Tuple[float, float]]) -> str:
    return "M" + "L".join("%s %s" % (number(x), number(y)) for x, y in points) + "Z"


def stairs(points: Sequence[Tuple[float, float]]) -> str:
    """Returns a path from point to point, first to the side, then up."""
    d = "M%s %s" % tuple(map(number, points[0]))
    return d + "".join("H%sV%s" % tuple(map(number, at)) for at in points[1:])


def marker_path(shape: int, x: float, y: float, r: float) -> str:
    """Returns one of MARKERS shapes that can be distinguished without colour."""
    shape %= MARKERS
    if shape == 0:
        return "M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 %s 0Z" % tuple(map(number, (
            x - r, y, r, r, 2 * r, r, r, -2 * r)))
    if shape in SHAPES:
        return polygon([(x + r * a, y + r * b) for a, b in SHAPES[shape]])
    spikes = {5: 4, 6: 5, 7: 6}[shape]
    turns = [(math.pi * i / spikes, (1.5 if i % 2 == 0 else 0.6) * r)
             for i in range(2 * spikes)]
    return polygon([(x + far * math.sin(a), y - far * math.cos(a)) for a, far in turns])


# Corners, in radii. Those from 8 on are for series beyond the colours.
SHAPES: Dict[int, List[Tuple[float, float]]] = {
    1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    2: [(0, -1.2), (1.2, 1), (-1.2, 1)],
    3: [(0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)],
    4: [(0, 1.2), (1.2, -1), (-1.2, -1)],
    8: [(-1.2, -1), (1.2, 1), (1.2, -1), (-1.2, 1)],
    9: [(-1, -1.2), (1, -1.2), (-1, 1.2), (1, 1.2)],
    10: [(-1.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-1.5, 0.5)],
    11: [(-0.5, -1.5), (0.5, -1.5), (0.5, 1.5), (-0.5, 1.5)]}


# ---- what pictures have in common: keys, axes, labels -------------------------

LABELS = 250       # largest width of the column of labels
MARGIN = 8
RADIUS = 4.5


def css(series: int) -> str:
    return "fill%d" % (series % SERIES)


def stroke(series: int) -> str:
    return "stroke%d" % (series % SERIES)


def look(picture: Any, i: int, name: str) -> Tuple[int, int]:
    """Returns (colour, marker) of the series of that number and name."""
    found: Tuple[int, int] = picture.looks.get(name, (i, i))
    return found


def key(canvas: Any, y: float, names: Iterable[Tuple[int, str]],
        swatch: Callable[[float, float, int], Any]) -> float:
    """Draws the key of series, (number, name): swatch(x, y, number) draws a sign 14
    wide. Returns the new y."""
    x: float = MARGIN
    for i, name in names:
        shown = fitted(name, min(300, canvas.width - 2 * MARGIN - 24))
        width = 20 + text_width(shown) + 18
        if x > MARGIN and x + width - 18 > canvas.width:
            x, y = MARGIN, y + LINE + 2
        swatch(x, y + 7, i)
        canvas.text(x + 20, y + 11, shown, whole=name)
        x += width
    return y + LINE + 6


def label_column(canvas: Any, labels: Sequence[str]) -> float:
    """Returns the width of the column of names; 0 if they stand above the rows."""
    if canvas.narrow:
        return 0
    return min(LABELS, max([text_width(w) for w in labels] or [0])) + 12


def value_axis(canvas: Any, axis: Any, top: float, bottom: float, title: str) -> float:
    """Draws the axis of values below rows. Returns the y below it."""
    scale, last = axis.scale, -math.inf
    for value, words in zip(axis.ticks, axis.texts):
        at = scale(value)
        if value == 0 and scale.zero is not None:
            broken(canvas, scale, top, bottom)
        canvas.line(at, top, at, bottom, "rule")
        half = text_width(words) / 2
        left = min(at, canvas.width - half - 1)
        if left - half > last + 4:
            canvas.text(left, bottom + 15, words, "middle", "muted")
            last = left + half
    begin, end = min(scale.begin, scale.end), max(scale.begin, scale.end)
    canvas.line(begin, bottom, end, bottom, "axis")
    shown = fitted(title, min(end - begin + 80, canvas.width - 2 * MARGIN))
    half = text_width(shown) / 2
    middle = min(max((begin + end) / 2, MARGIN + half), canvas.width - MARGIN - half)
    canvas.text(middle, bottom + 32, shown, "middle", "muted", whole=title)
    return bottom + 42


def broken(canvas: Canvas, scale: Any, top: float, bottom: float) -> None:
    """Marks a gap between zeros and the axis of decades, which does not reach zero."""
    at = (scale.zero + scale.begin) / 2
    canvas.path("M%s %sV%s" % tuple(map(number, (at, top, bottom))), "axis",
                stroke_dasharray="2 4")


def many(low: float, high: float) -> int:
    """Returns how many ticks fit between two places."""
    return max(2, int((high - low) / 72))


class Groups:
    """Names of groups, each above its rows, once; drawn when all lines are."""

    def __init__(self) -> None:
        self.heads: List[Tuple[float, str]] = []

    def head(self, y: float, group: str) -> float:
        """Draws a name if the group is a new one. Returns the y below."""
        if not group or (self.heads and group == self.heads[-1][1]):
            return y
        self.heads.append((y, group))
        return y + 20

    def draw(self, canvas: Canvas) -> None:
        for y, group in self.heads:
            canvas.text(MARGIN, y + 14, fitted(group, canvas.width - 40),
                        css="halo", whole=group)


def indent(group: str) -> int:
    return MARGIN + (12 if group else 0)
