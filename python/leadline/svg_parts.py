"""What pictures in SVG have in common: keys, axes of values, labels of rows."""
from leadline import svg

LABELS = 250       # the widest column of labels
MARGIN = 8
RADIUS = 4.5


def css(series):
    return "fill%d" % (series % svg.SERIES)


def stroke(series):
    return "stroke%d" % (series % svg.SERIES)


def key(canvas, y, names, swatch):
    """The key of series, (number, name): swatch(x, y, number) draws a sign 14 wide.
    Returns the new y."""
    x = MARGIN
    for i, name in names:
        shown = svg.fitted(name, 300)
        width = 20 + svg.text_width(shown) + 18
        if x > MARGIN and x + width > canvas.width:
            x, y = MARGIN, y + svg.LINE + 2
        swatch(x, y + 7, i)
        canvas.text(x + 20, y + 11, shown, whole=name)
        x += width
    return y + svg.LINE + 6


def label_column(labels):
    return min(LABELS, max([svg.text_width(w) for w in labels] or [0])) + 12


def value_axis(canvas, scale, marks, texts, top, bottom, title):
    """The axis of values below rows. Returns the y below it."""
    for value, words in zip(marks, texts):
        canvas.line(scale(value), top, scale(value), bottom, "rule")
        canvas.text(scale(value), bottom + 15, words, "middle", "muted")
    canvas.line(scale.begin, bottom, scale.end, bottom, "axis")
    canvas.text((scale.begin + scale.end) / 2, bottom + 32,
                svg.fitted(title, scale.end - scale.begin + 80), "middle", "muted",
                whole=title)
    return bottom + 42


def many(low, high):
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


def indent(group):
    return MARGIN + (12 if group else 0)
