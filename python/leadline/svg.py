"""SVG, element by element: escaped, with text whose width is known well enough.

Colours are classes, so that one picture is right on light, dark and printed pages:
STYLE defines them, once for a page or within a picture that is a file of its own.
"""
import math
from html import escape

from leadline.report import printable

SIZE = 12          # of text, in the units of the picture
LINE = 16          # from one line of text to the next

# Okabe and Ito's colours, which most people can tell apart, in an order that is also
# one of lightness where neighbours are; dark pages get lighter ones.
LIGHT = ["#0072b2", "#d55e00", "#009e73", "#a0528a", "#8a6d00", "#3a4a9f", "#b0413e",
         "#5a5a5a"]
DARK = ["#56b4e9", "#f0883e", "#2fc49a", "#d896c4", "#e6c84a", "#9aa8f0", "#f08a86",
        "#b8b8b8"]
SERIES = len(LIGHT)

STYLE = """
.chart { font: 12px sans-serif; --ink: #1a1a1a; --muted: #5c5c5c; --rule: #d9d9d9;
  --paper: #ffffff; --heat: #083b66; %s }
@media screen and (prefers-color-scheme: dark) {
.chart { --ink: #ececec; --muted: #a8a8a8; --rule: #3c3f44; --paper: #17191c;
  --heat: #8fd0ff; %s }
}
.chart text { fill: var(--ink); }
.chart text.muted { fill: var(--muted); }
.chart text.inside { font-size: 11px; }
.chart text.inside, .chart text.halo { paint-order: stroke; stroke: var(--paper);
  stroke-width: 4px; stroke-linejoin: round; }
.chart .rule { stroke: var(--rule); stroke-width: 1; fill: none; }
.chart .axis { stroke: var(--muted); stroke-width: 1; fill: none; }
.chart .flag { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4;
  fill: none; }
.chart .ring { stroke: var(--ink); stroke-width: 1.5; fill: none; }
.chart .heat { fill: var(--heat); }
.chart .band { fill: var(--rule); fill-opacity: 0.4; stroke: none; }
.chart .paper { fill: var(--paper); stroke: none; }
.chart .edge { stroke: var(--paper); stroke-width: 1; }
.chart .dot { fill-opacity: 0.45; stroke: none; }
.chart .line { fill: none; stroke-width: 2; }
.chart .bar { fill: none; stroke-width: 2; }
"""


def style():
    def variables(colours):
        return " ".join("--c%d: %s;" % pair for pair in enumerate(colours))
    rules = STYLE % (variables(LIGHT), variables(DARK))
    for i in range(SERIES):
        rules += (".chart .fill%d { fill: var(--c%d); } "
                  ".chart .stroke%d { stroke: var(--c%d); }\n" % (i, i, i, i))
    return rules


# ---- text --------------------------------------------------------------------

NARROW, WIDE = "iIl.,:;'|![]()/ jtfr-", "mwMW@%"


def text_width(words, size=SIZE):
    """Of a wide sans-serif: what is reckoned to fit does."""
    em = 0.0
    for c in words:
        em += 0.42 if c in NARROW else 0.98 if c in WIDE or ord(c) > 0x2e7f \
            else 0.72 if c.isupper() else 0.64
    return em * size


def fitted(words, width, size=SIZE):
    """`words`, with the middle left out where they are too long."""
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


def number(value):
    return ("%.2f" % value).rstrip("0").rstrip(".")


class Canvas:
    """A picture that is drawn from top to bottom; height is known at its end."""

    def __init__(self, key, title, words, width):
        self.key, self.title, self.words, self.width = key, title, words, width
        self.height = 0
        self.elements = []
        self.hatches = []

    def add(self, name, inner="", **attributes):
        shown = "".join(' %s="%s"' % (n.rstrip("_").replace("_", "-"), escape(str(
            number(v) if isinstance(v, float) else v)))
            for n, v in attributes.items() if v is not None)
        self.elements.append("<%s%s>%s</%s>" % (name, shown, inner, name))

    def text(self, x, y, words, anchor=None, css=None, turn=None, whole=None):
        """`whole`: what the words are an abbreviation of."""
        words = printable(words)
        inner = escape(words)
        if whole is not None and printable(whole) != words:
            inner += "<title>%s</title>" % escape(printable(whole))
        turn = "rotate(%d %s %s)" % (turn, number(x), number(y)) if turn else None
        self.add("text", inner, x=float(x), y=float(y), text_anchor=anchor,
                 class_=css, transform=turn)

    def line(self, x1, y1, x2, y2, css):
        self.add("path", d="M%s %sL%s %s" % tuple(map(number, (x1, y1, x2, y2))),
                 class_=css)

    def rect(self, x, y, width, height, css, fill=None, hint=None):
        inner = "<title>%s</title>" % escape(printable(hint)) if hint else ""
        self.add("rect", inner, x=float(x), y=float(y), width=float(width),
                 height=float(height), class_=css, fill=fill)

    def path(self, d, css, **more):
        self.add("path", d=d, class_=css, **more)

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
                         + self.elements + ["</svg>"]) + "\n"


# Strokes over a light ground; the first is all ground, darker.
HATCHES = ["", "M0 8L8 0M-2 2L2 -2M6 10L10 6", "M0 0L8 8M-2 6L2 10M6 -2L10 2",
           "M0 4L8 4", "M4 0L4 8", "M0 4L8 4M4 0L4 8", "M0 2L8 2M0 6L8 6",
           "M0 8L8 0M0 0L8 8"]

# (colour, hatch) of the parts of a whole. For the activities of a phase, in their
# order: what is I/O is solid, and sync looks like the write that it belongs to.
PARTS = [(2, 1), (3, 2), (4, 4), (0, 0), (1, 0), (1, 1), (6, 3), (7, 7)]


def polygon(points):
    return "M" + "L".join("%s %s" % (number(x), number(y)) for x, y in points) + "Z"


def marker_path(shape, x, y, r):
    """One of eight shapes that can be told apart without colour."""
    shape %= 8
    if shape == 0:
        return "M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 %s 0Z" % tuple(map(number, (
            x - r, y, r, r, 2 * r, r, r, -2 * r)))
    if shape == 1:
        return polygon([(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)])
    if shape in (2, 4):
        up = 1 if shape == 2 else -1
        return polygon([(x, y - up * 1.2 * r), (x + 1.2 * r, y + up * r),
                        (x - 1.2 * r, y + up * r)])
    if shape == 3:
        return polygon([(x, y - 1.4 * r), (x + 1.4 * r, y), (x, y + 1.4 * r),
                        (x - 1.4 * r, y)])
    spikes = {5: 4, 6: 5, 7: 6}[shape]
    turns = [(math.pi * i / spikes, (1.5 if i % 2 == 0 else 0.6) * r)
             for i in range(2 * spikes)]
    return polygon([(x + far * math.sin(a), y - far * math.cos(a)) for a, far in turns])
