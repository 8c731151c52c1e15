"""Tables of values in colours, as SVG."""
import math
from typing import Any

from leadline.draw import svg
from leadline.draw.svg_parts import MARGIN

CELL = 34          # height
WIDEST = 96
FAINT, STRONG = 0.08, 0.92
SHADES = 6         # in the key


def cells(canvas: Any, picture: Any, top: float) -> float:
    left = MARGIN + 10 + max(svg.text_width(w) for w in picture.y_texts)
    left = min(left, canvas.width * 0.4)
    count = len(picture.x_texts)
    width = min((canvas.width - MARGIN - left) / count, WIDEST)
    canvas.text(MARGIN, top + 12, svg.fitted(picture.y_axis, canvas.width - 20),
                css="muted", whole=picture.y_axis)
    y = top + 20
    for i, row in enumerate(picture.cells):
        words = picture.y_texts[i]
        canvas.text(left - 8, y + CELL / 2 + 4, svg.fitted(words, left - MARGIN - 8),
                    "end", "muted", whole=words)
        for j, value in enumerate(row):
            draw_cell(canvas, picture, value, left + j * width, y, width)
        y += CELL
    for i, j in picture.best:   # on top of all cells
        canvas.rect(left + j * width + 1.5, top + 21.5 + i * CELL, width - 3, CELL - 3,
                    "best")
    return below(canvas, picture, left, width, y)


def draw_cell(canvas, picture, value, x, y, width):
    if value is None:
        canvas.rect(x, y, width, CELL, "none", canvas.hatch(7, 1), "not measured")
        return
    words = picture.unit(value)
    canvas.rect(x, y, width, CELL, "cell edge", hint=words,
                fill_opacity="%.2f" % strength(picture.span, value))
    if svg.text_width(words) < width - 4:
        canvas.text(x + width / 2, y + CELL / 2 + 4, words, "middle")


def strength(span, value):
    """Of the colour: equal factors are equally far apart."""
    low, high = span
    if value <= 0 or low <= 0 or high <= low:
        return FAINT if value <= 0 else STRONG
    part = math.log(value / low) / math.log(high / low)
    return FAINT + (STRONG - FAINT) * min(max(part, 0.0), 1.0)


def below(canvas, picture, left, width, y):
    """The columns' names, the axis, and the key of colours. Returns the y below."""
    last = -math.inf
    for j, words in enumerate(picture.x_texts):
        shown = svg.fitted(words, max(width - 2, 24))
        at, half = left + (j + 0.5) * width, svg.text_width(shown) / 2
        if at - half > last:
            canvas.text(at, y + 16, shown, "middle", "muted", whole=words)
            last = at + half
    shown = svg.fitted(picture.x_axis, canvas.width - 20)
    half = MARGIN + svg.text_width(shown) / 2
    middle = left + width * len(picture.x_texts) / 2
    canvas.text(min(max(middle, half), canvas.width - half), y + 34, shown, "middle",
                "muted", whole=picture.x_axis)
    low, high = (picture.unit(v) for v in picture.span)
    x, y = MARGIN + svg.text_width(low) + 6, y + 46
    canvas.text(MARGIN, y + 11, low, css="muted")
    for i in range(SHADES):
        canvas.rect(x + 18 * i, y, 18, 14, "cell edge", fill_opacity="%.2f" % (
            FAINT + (STRONG - FAINT) * i / (SHADES - 1.0)))
    canvas.text(x + 18 * SHADES + 6, y + 11, high, css="muted")
    return y + 22
