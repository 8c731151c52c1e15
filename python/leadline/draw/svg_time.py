"""Panels over one axis of time, as SVG."""
from typing import Any

from leadline.base import axes
from leadline.draw import svg
from leadline.draw.svg_parts import MARGIN, css, key, many, stroke

HEIGHTS = (190, 110)   # of the panels
BETWEEN = 34           # from one panel to the next
STALL = (7, 1)         # (colour, hatch) of what stood still
NARROW = 6.0           # narrower ones have no edges, which would be all to be seen
# (colour, hatch) of parts; those of one panel lie on or over each other.
FILLS = [(0, 0), (1, 2)]


def fill_of(parts, i):
    return FILLS[("read", "write").index(parts[i])] if parts[i] in ("read", "write") \
        else svg.PARTS[i]


def timeline(canvas: Any, picture: Any, top: float) -> float:
    def swatch(x, y, i):
        canvas.rect(x, y - 7, 14, 14, stroke(look(picture, i)[0]),
                    canvas.hatch(*look(picture, i)))
    names = list(enumerate(picture.parts))
    names += [(-1, "stall")] if picture.stalls else []
    y = key(canvas, top, names, swatch) + 16
    names_at, stalls_at = y + 16, y + 32
    y += 38 if picture.stalls else 22
    places = []
    for _, height in zip(picture.panels, HEIGHTS):
        places.append((y, y + height))
        y += height + BETWEEN
    scales = [axes.up_from_zero([reach(p)], bottom, up, 5 if i == 0 else 3)
              for i, (p, (up, bottom)) in enumerate(zip(picture.panels, places))]
    left = MARGIN + 10 + max(svg.text_width(w) for _, _, texts in scales for w in texts)
    right, bottom = canvas.width - MARGIN - 6, places[-1][1]
    x_scale, ticks, texts = time_axis(picture, left, right)
    draw_bands(canvas, picture, x_scale, places, names_at)
    for i, (panel, place) in enumerate(zip(picture.panels, places)):
        title_at = names_at - 18 if i == 0 else place[0] - 10
        canvas.text(MARGIN, title_at, svg.fitted(panel.axis, canvas.width - 20),
                    css="muted")
        draw_panel(canvas, picture, panel, x_scale, scales[i], left, right)
    draw_stalls(canvas, picture, x_scale, places, stalls_at)
    for value, words in zip(ticks, texts):
        canvas.line(x_scale(value), bottom, x_scale(value), bottom + 4, "axis")
        half = svg.text_width(words) / 2
        canvas.text(min(x_scale(value), canvas.width - half), bottom + 18, words,
                    "middle", "muted")
    canvas.text((left + right) / 2, bottom + 36, picture.x_axis, "middle", "muted")
    return bottom + 46


def look(picture, i):
    return STALL if i < 0 else fill_of(picture.parts, i)


def reach(panel):
    """The largest value of its axis."""
    return max(sum(values) if panel.stacked else max(values)
               for _, _, values in panel.cells)


def time_axis(picture, left, right):
    """(scale, ticks, texts): from 0 on, unless what is shown is far from there."""
    spans = [(s.begin, s.end) for s in picture.bands] + [
        (b, e) for panel in picture.panels for b, e, _ in panel.cells]
    low, high = min(b for b, _ in spans), max(e for _, e in spans)
    low = 0.0 if 0 <= low <= (high - low) / 2 else low
    high = high if high > low else low + (abs(low) or 1.0)
    marks = axes.ticks(low, high, many(left, right))
    step = marks[1] - marks[0] or 1.0
    return (axes.Scale(low, high, left, right),
            [m for m in marks if low <= m <= high],
            [axes.tick_text(m, step) for m in marks if low <= m <= high])


# ---- what is drawn -----------------------------------------------------------


def draw_bands(canvas, picture, scale, places, y):
    """Each phase a shade over all panels, its name above where there is room for it. A
    phase ends with its last slot, which may be after the next one has begun: its name
    stands before that."""
    bands = sorted(picture.bands, key=lambda b: b.begin)
    nexts = [scale(b.begin) for b in bands[1:]] + [scale.end]
    for band, following in zip(bands, nexts):
        begin, end = scale(band.begin), scale(band.end)
        for top, bottom in places:
            canvas.rect(begin, top, max(end - begin, 0.5), bottom - top, "band",
                        hint=band.text)
            canvas.line(begin, top - 4, begin, bottom, "rule")
        draw_name(canvas, band, begin, min(end, following), y)


def draw_name(canvas, band, begin, end, y):
    some = [band.text, band.short] + [band.short[:n] + "\u2026" for n in range(
        len(band.short) - 1, 0, -1)]
    for words in some:
        if svg.text_width(words) <= end - begin - 4:
            canvas.text((begin + end) / 2, y, words, "middle", whole=band.text)
            return


def draw_panel(canvas, picture, panel, x_scale, axis, left, right):
    y_scale, marks, texts = axis
    for value, words in zip(marks, texts):
        canvas.line(left, y_scale(value), right, y_scale(value),
                    "rule" if value else "axis")
        canvas.text(left - 6, y_scale(value) + 4, words, "end", "muted")
    for i in range(len(picture.parts)):
        d = area(panel, i, x_scale, y_scale)
        if d:
            canvas.path(d, stroke(look(picture, i)[0]), fill=canvas.hatch(
                *look(picture, i)), stroke_width="0.7")


def area(panel, i, x_scale, y_scale):
    """The path of one part: steps, on those before it where they are stacked."""
    out, run = [], []
    for begin, end, values in panel.cells:
        if run and (not values[i] or abs(run[-1][1] - begin) > 1e-6 * (end - begin)):
            out.append(steps(run, x_scale, y_scale))
            run = []
        if values[i]:
            base = sum(values[:i]) if panel.stacked else 0
            run.append((begin, end, base, base + values[i]))
    return "".join(out + ([steps(run, x_scale, y_scale)] if run else []))


def steps(run, x_scale, y_scale):
    def at(letter, value):
        return letter + svg.number(value)
    d = "M%s %s" % (svg.number(x_scale(run[0][0])), svg.number(y_scale(run[0][2])))
    for _, end, _, high in run:
        d += at("V", y_scale(high)) + at("H", x_scale(end))
    for begin, _, low, _ in reversed(run):
        d += at("V", y_scale(low)) + at("H", x_scale(begin))
    return d + "Z"


def draw_stalls(canvas, picture, scale, places, y):
    """Hatched over all panels; the lengths of the longest, as many as have room."""
    taken = []
    for span in sorted(picture.stalls, key=lambda s: s.begin - s.end):
        begin, end = scale(span.begin), scale(span.end)
        for top, bottom in places:
            edge = stroke(STALL[0]) if end - begin > NARROW else None
            canvas.rect(begin, top, max(end - begin, 1.0), bottom - top, edge,
                        canvas.hatch(*STALL), span.text)
        half = svg.text_width(span.text) / 2 + 4
        at = min(max((begin + end) / 2, MARGIN + half), canvas.width - MARGIN - half)
        if all(abs(at - other) >= half + width for other, width in taken):
            canvas.text(at, y, span.text, "middle")
            taken.append((at, half))
