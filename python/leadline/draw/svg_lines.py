"""Lines over an axis of numbers, and panels over one axis of time, as SVG."""
import math
from typing import Any, List, Sequence, Tuple

from leadline.base import axes
from leadline.draw import svg
from leadline.draw.svg import MARGIN, RADIUS, css, key, look, many, stroke


def spread(places: Sequence[float], distance: float, low: float,
           high: float) -> List[float]:
    """Moves places apart so that neighbours are `distance` from each other."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    out, last = list(places), low - distance
    for i in order:
        out[i] = last = max(places[i], last + distance)
    over = last - high
    if over > 0:
        limit = high
        for i in reversed(order):
            out[i] = min(out[i], limit)
            limit = out[i] - distance
    return out


def x_axis(picture: Any, begin: float, end: float) -> axes.Axis:
    """Returns (scale, ticks, texts); ticks stand at measured values, unless there are
    many."""
    xs = sorted(set(p.x for s in picture.series for p in s.points))
    texts = picture.x_texts or {}
    if picture.x_log == 10:
        return axes.decades(xs[0], max(xs[-1], 2 * xs[0]), begin, end, many(begin, end))
    if picture.x_log:
        scale = axes.Scale(xs[0], max(xs[-1], 2 * xs[0]), begin, end, log=True)
        return axes.Axis(scale, xs, [texts.get(x, "%g" % x) for x in xs])
    low, high = xs[0], xs[-1] if xs[-1] > xs[0] else xs[0] + 1
    scale = axes.Scale(low, high, begin, end)
    if texts:
        return axes.Axis(scale, sorted(texts), [texts[x] for x in sorted(texts)])
    step = axes.nice_step(high - low, many(begin, end))
    if all(x == int(x) for x in xs):
        step = max(step, 1)   # no half ranks
    marks = [m for m in axes.ticks(low, high, (high - low) / step)
             if low - 1e-9 <= m <= high + 1e-9]
    return axes.Axis(scale, marks, [axes.tick_text(m, step) for m in marks])


def y_axis(picture: Any, bottom: float, top: float) -> axes.Axis:
    if picture.y_kind == "tail":
        tail: axes.Axis = axes.of_tail(bottom, top)
        return tail
    values = [v for s in picture.series for p in s.points
              for v in list(p.values) + [p.y, p.low, p.high]]
    return axes.of_values(values + list(picture.span), bottom, top, 6)


def lines(canvas: svg.Canvas, picture: Any, top: float) -> float:
    looks = [look(picture, i, s.name) for i, s in enumerate(picture.series)]
    names = [s.name for s in picture.series]

    def swatch(x: float, y: float, i: int) -> None:
        canvas.marker(looks[i][1], x + 7, y, RADIUS, css(looks[i][0]))
    room = min(240, max(map(svg.text_width, names))) + 30
    if canvas.narrow or len(names) == 1:
        room = 0
        if len(names) > 1:
            top = key(canvas, top, enumerate(names), swatch)
    title_at, top = top + 12, top + 22 + 16 * bool(picture.flags)
    bottom = top + (220 if canvas.narrow else 300)
    y = y_axis(picture, bottom, top)
    left = MARGIN + max(svg.text_width(w) for w in y.texts) + 10
    right = canvas.width - MARGIN - room
    x = x_axis(picture, left + 14, right - 14)
    canvas.text(MARGIN, title_at, svg.fitted(picture.y_axis, canvas.width - 20),
                css="muted", whole=picture.y_axis)
    draw_axes(canvas, picture, x, y, (left, right, top, bottom))
    draw_flags(canvas, picture, x.scale, top, bottom)
    for series, its in zip(picture.series, looks):
        draw_series(canvas, picture, series, its, x.scale, y.scale)
    if not room:
        return bottom + 46
    ends = [y.scale(s.points[-1].y) for s in picture.series]
    for i, at in enumerate(spread(ends, svg.LINE, top + 4, bottom - 4)):
        canvas.marker(looks[i][1], right + 12, at, RADIUS, css(looks[i][0]))
        canvas.text(right + 22, at + 4, svg.fitted(names[i], 220), whole=names[i])
    return max(bottom + 46, top + svg.LINE * len(names))


def draw_axes(canvas: svg.Canvas, picture: Any, x: Any, y: Any,
              frame: Tuple[float, float, float, float]) -> None:
    left, right, top, bottom = frame
    for value, words in zip(y.ticks, y.texts):
        canvas.line(left, y.scale(value), right, y.scale(value), "rule")
        canvas.text(left - 6, y.scale(value) + 4, words, "end", "muted")
    if y.scale.zero is not None:
        at = (y.scale.zero + y.scale.begin) / 2
        canvas.path("M%s %sH%s" % tuple(map(svg.number, (left, at, right))), "axis",
                    stroke_dasharray="2 4")
    last = -math.inf
    for value, words in zip(x.ticks, x.texts):
        half = svg.text_width(words) / 2 + 3
        at = min(x.scale(value), canvas.width - half)
        canvas.line(x.scale(value), bottom, x.scale(value), bottom + 4, "axis")
        if at - half > last:
            canvas.text(at, bottom + 18, words, "middle", "muted")
            last = at + half
    canvas.line(left, bottom, right, bottom, "axis")
    shown = svg.fitted(picture.x_axis, min(right - left + 60, canvas.width - 20))
    half = svg.text_width(shown) / 2 + MARGIN
    canvas.text(min(max((left + right) / 2, half), canvas.width - half), bottom + 36,
                shown, "middle", "muted", whole=picture.x_axis)


def draw_flags(canvas: svg.Canvas, picture: Any, x_scale: axes.Scale, top: float,
               bottom: float) -> None:
    """Draws lines at events, with as many of the texts as have room."""
    last = -math.inf
    for x, text in picture.flags:
        at = x_scale(x)
        shown = svg.fitted(text, canvas.width - 2 * MARGIN)
        half = svg.text_width(shown) / 2
        canvas.line(at, top - 4, at, bottom, "flag")
        middle = min(max(at, MARGIN + half), canvas.width - MARGIN - half)
        if middle - half > last + 6:
            canvas.text(middle, top - 9, shown, "middle", whole=text)
            last = middle + half


DASHES = [None, "7 3", "2 3", "9 3 2 3", "5 5", "12 4", "3 6", "9 2 2 2 2 2"]
FEW = 40           # a line with more points has markers at only some of them
SOME = 10


def draw_series(canvas: svg.Canvas, picture: Any, series: Any, its: Tuple[int, int],
                x_scale: axes.Scale, y_scale: axes.Scale) -> None:
    colour, shape = its
    every = [(x_scale(p.x), y_scale(p.y)) for p in series.points]
    for p, (x, _) in zip(series.points, every):
        for value in p.values:
            canvas.marker(shape, x, y_scale(value), 2.4, css(colour) + " dot")
    if series.joined and len(every) > 1:
        draw_reach(canvas, series, colour, x_scale, y_scale)
        d = svg.stairs(every) if picture.steps else "M" + "L".join(
            "%s %s" % tuple(map(svg.number, at)) for at in every)
        canvas.path(d, "line " + stroke(colour),
                    stroke_dasharray=DASHES[shape % len(DASHES)])
    else:
        draw_bars(canvas, series, colour, x_scale, y_scale)
    step = 1 if len(every) <= FEW or not series.joined else len(every) // SOME
    for i, (p, (x, y)) in enumerate(zip(series.points, every)):
        if i % step == 0 or p.ringed:
            canvas.marker(shape, x, y, RADIUS, css(colour) + " edge")
        if p.ringed:
            canvas.marker(0, x, y, 2.2 * RADIUS, "ring")


def draw_reach(canvas: svg.Canvas, series: Any, colour: int, x_scale: axes.Scale,
               y_scale: axes.Scale) -> None:
    """Draws the band of the intervals, and each of them."""
    known = [p for p in series.points if p.low is not None]
    if len(known) > 1:
        around = [(x_scale(p.x), y_scale(p.high)) for p in known]
        around += [(x_scale(p.x), y_scale(p.low)) for p in reversed(known)]
        canvas.path(svg.polygon(around), css(colour) + " reach")
    if len(known) <= FEW:
        draw_bars(canvas, series, colour, x_scale, y_scale)


def draw_bars(canvas: svg.Canvas, series: Any, colour: int, x_scale: axes.Scale,
              y_scale: axes.Scale) -> None:
    for p in series.points:
        if p.low is not None:
            x = x_scale(p.x)
            canvas.path("M%s %sV%sM%s %sh8M%s %sh8" % tuple(map(svg.number, (
                x, y_scale(p.low), y_scale(p.high), x - 4, y_scale(p.low), x - 4,
                y_scale(p.high)))), "bar " + stroke(colour))


# ---- panels over one axis of time ---------------------------------------------

HEIGHTS = (190, 110)   # of the panels
BETWEEN = 34           # distance of the panels
STALL = (7, 1)         # (colour, hatch) of stalls
NARROW = 6.0           # narrower bars have no edges, which would hide them
# (colour, hatch) of parts; those of one panel are stacked or drawn over each other.
FILLS = [(0, 0), (1, 2)]


def fill_of(parts: Sequence[str], i: int) -> Tuple[int, int]:
    return FILLS[("read", "write").index(parts[i])] if parts[i] in ("read", "write") \
        else svg.PARTS[i]


def timeline(canvas: svg.Canvas, picture: Any, top: float) -> float:
    def swatch(x: float, y: float, i: int) -> None:
        canvas.rect(x, y - 7, 14, 14, stroke(look_of_part(picture, i)[0]),
                    canvas.hatch(*look_of_part(picture, i)))
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


def look_of_part(picture: Any, i: int) -> Tuple[int, int]:
    return STALL if i < 0 else fill_of(picture.parts, i)


def reach(panel: Any) -> float:
    """Returns the largest value of a panel's axis."""
    largest: float = max(sum(values) if panel.stacked else max(values)
                         for _, _, values in panel.cells)
    return largest


def time_axis(picture: Any, left: float,
              right: float) -> Tuple[axes.Scale, List[float], List[str]]:
    """Returns (scale, ticks, texts): from 0 on, unless all times are far from 0."""
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


# ---- drawing -----------------------------------------------------------------


def draw_bands(canvas: svg.Canvas, picture: Any, scale: axes.Scale,
               places: Sequence[Tuple[float, float]], y: float) -> None:
    """Shades each phase over all panels, with its name above if there is room. A phase
    ends with its last slot, which may be after the begin of the next one: its name
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


def draw_name(canvas: svg.Canvas, band: Any, begin: float, end: float,
              y: float) -> None:
    some = [band.text, band.short] + [band.short[:n] + "\u2026" for n in range(
        len(band.short) - 1, 0, -1)]
    for words in some:
        if svg.text_width(words) <= end - begin - 4:
            canvas.text((begin + end) / 2, y, words, "middle", whole=band.text)
            return


def draw_panel(canvas: svg.Canvas, picture: Any, panel: Any, x_scale: axes.Scale,
               axis: Any, left: float, right: float) -> None:
    y_scale, marks, texts = axis
    for value, words in zip(marks, texts):
        canvas.line(left, y_scale(value), right, y_scale(value),
                    "rule" if value else "axis")
        canvas.text(left - 6, y_scale(value) + 4, words, "end", "muted")
    for i in range(len(picture.parts)):
        d = area(panel, i, x_scale, y_scale)
        if d:
            canvas.path(d, stroke(look_of_part(picture, i)[0]), fill=canvas.hatch(
                *look_of_part(picture, i)), stroke_width="0.7")


def area(panel: Any, i: int, x_scale: axes.Scale, y_scale: axes.Scale) -> str:
    """Returns the path of one part: steps, on top of those before it if they are
    stacked."""
    out: List[str] = []
    run: List[Tuple[float, float, float, float]] = []
    for begin, end, values in panel.cells:
        if run and (not values[i] or abs(run[-1][1] - begin) > 1e-6 * (end - begin)):
            out.append(steps(run, x_scale, y_scale))
            run = []
        if values[i]:
            base = sum(values[:i]) if panel.stacked else 0
            run.append((begin, end, base, base + values[i]))
    return "".join(out + ([steps(run, x_scale, y_scale)] if run else []))


def steps(run: Sequence[Tuple[float, float, float, float]], x_scale: axes.Scale,
          y_scale: axes.Scale) -> str:
    def at(letter: str, value: float) -> str:
        return letter + svg.number(value)
    d = "M%s %s" % (svg.number(x_scale(run[0][0])), svg.number(y_scale(run[0][2])))
    for _, end, _, high in run:
        d += at("V", y_scale(high)) + at("H", x_scale(end))
    for begin, _, low, _ in reversed(run):
        d += at("V", y_scale(low)) + at("H", x_scale(begin))
    return d + "Z"


def draw_stalls(canvas: svg.Canvas, picture: Any, scale: axes.Scale,
                places: Sequence[Tuple[float, float]], y: float) -> None:
    """Hatches the stalls over all panels; writes the lengths of the longest, as many as
    have room."""
    taken: List[Tuple[float, float]] = []
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
