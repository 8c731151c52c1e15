"""A picture, element by element, and its SVG: escaped, with text whose width is known
well enough. Colours are classes (paint.py), defined once for a page or within a picture
that is a file of its own. draw_file paints the same elements as PNG and PDF.
"""
import math
from collections import namedtuple
from html import escape
from typing import Iterable, Tuple

from leadline.base.fields import printable
from leadline.draw.paint import DARK, LIGHT, SERIES, SIZE, style  # noqa: F401

LINE = 16          # from one line of text to the next
NARROW = 500       # narrower pictures are drawn for phones
MARKERS = 12       # shapes of marks that can be told apart


# ---- text --------------------------------------------------------------------

THIN, BROAD = "iIl.,:;'|![]()/ jtfr-", "mwMW@%"


def text_width(words: str, size: float = SIZE) -> float:
    """Of a wide sans-serif: what is reckoned to fit does."""
    em = 0.0
    for c in words:
        em += 0.42 if c in THIN else 0.98 if c in BROAD or ord(c) > 0x2e7f \
            else 0.72 if c.isupper() else 0.64
    return em * size


def fitted(words: str, width: float, size: float = SIZE) -> str:
    """`words`, with the middle left out where they are too long."""
    # No character is narrower than 0.42 em: of a long text only the ends can show.
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


# `more`: what else is known of it: the words of a text, the elements of a group, the
# pixels of an image.
Element = namedtuple("Element", "name attributes hint more")


def serialized(found):
    """An element as SVG."""
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
    """A picture that is drawn from top to bottom; height is known at its end."""

    def __init__(self, key, title, words, width):
        self.key, self.title, self.words, self.width = key, title, words, width
        self.elements = []
        self.hatches = []

    @property
    def narrow(self):
        """For a phone: names stand above what they name."""
        return self.width < NARROW

    def add(self, name, hint=None, more=None, **attributes):
        self.elements.append(Element(name, attributes, hint, more))

    def text(self, x, y, words, anchor=None, css=None, turn=None, whole=None):
        """`whole`: what the words are an abbreviation of."""
        words = printable(words)
        if not words:
            return
        whole = whole if whole is not None and printable(whole) != words else None
        turn = "rotate(%d %s %s)" % (turn, number(x), number(y)) if turn else None
        self.add("text", whole, words, x=float(x), y=float(y), text_anchor=anchor,
                 class_=css, transform=turn)

    def line(self, x1, y1, x2, y2, css):
        self.add("path", d="M%s %sL%s %s" % tuple(map(number, (x1, y1, x2, y2))),
                 class_=css)

    def rect(self, x, y, width, height, css, fill=None, hint=None, **more):
        self.add("rect", hint, x=float(x), y=float(y), width=float(width),
                 height=float(height), class_=css, fill=fill, **more)

    def path(self, d, css, hint=None, **more):
        self.add("path", hint, d=d, class_=css, **more)

    def marker(self, shape, x, y, radius, css):
        self.path(marker_path(shape, x, y, radius), css)

    def hatch(self, series, kind):
        """A fill of a series' colour, which `kind` tells apart without colour."""
        name = "%s-h%d-%d" % (self.key, series, kind)
        if (series, kind) not in self.hatches:
            self.hatches.append((series, kind))
        return "url(#%s)" % name

    def defs(self):
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

    def finish(self, height, alone=False):
        """The element; `alone`: a file of its own, with its style."""
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


# Strokes over a light ground; the first is all ground, darker.
HATCHES = ["", "M0 8L8 0M-2 2L2 -2M6 10L10 6", "M0 0L8 8M-2 6L2 10M6 -2L10 2",
           "M0 4L8 4", "M4 0L4 8", "M0 4L8 4M4 0L4 8", "M0 2L8 2M0 6L8 6",
           "M0 8L8 0M0 0L8 8"]

# (colour, hatch) of the parts of a whole. For the activities of a phase, in their
# order: what is I/O is solid, and sync looks like the write that it belongs to.
PARTS = [(2, 1), (3, 2), (4, 4), (0, 0), (1, 0), (1, 1), (6, 3), (7, 7)]


def polygon(points: Iterable[Tuple[float, float]]) -> str:
    return "M" + "L".join("%s %s" % (number(x), number(y)) for x, y in points) + "Z"


def stairs(points):
    """From point to point, first to the side, then up."""
    d = "M%s %s" % tuple(map(number, points[0]))
    return d + "".join("H%sV%s" % tuple(map(number, at)) for at in points[1:])


def marker_path(shape, x, y, r):
    """One of MARKERS shapes that can be told apart without colour."""
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
SHAPES = {
    1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    2: [(0, -1.2), (1.2, 1), (-1.2, 1)],
    3: [(0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)],
    4: [(0, 1.2), (1.2, -1), (-1.2, -1)],
    8: [(-1.2, -1), (1.2, 1), (1.2, -1), (-1.2, 1)],
    9: [(-1, -1.2), (1, -1.2), (-1, 1.2), (1, 1.2)],
    10: [(-1.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-1.5, 0.5)],
    11: [(-0.5, -1.5), (0.5, -1.5), (0.5, 1.5), (-0.5, 1.5)]}
