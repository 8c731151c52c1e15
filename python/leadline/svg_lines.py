"""Lines over an axis of numbers, as SVG."""
from leadline import axes, svg
from leadline.svg_parts import MARGIN, RADIUS, css, many, stroke


def spread(places, distance, low, high):
    """Places moved apart so that neighbours are `distance` from each other."""
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


def x_axis(picture, begin, end):
    """(scale, ticks, texts)"""
    xs = sorted(set(p.x for s in picture.series for p in s.points))
    if picture.x_log:
        scale = axes.Scale(xs[0], max(xs[-1], 2 * xs[0]), begin, end, log=True)
        return scale, xs, ["%g" % x for x in xs]
    low, high = xs[0], xs[-1] if xs[-1] > xs[0] else xs[0] + 1
    step = axes.nice_step(high - low, many(begin, end))
    if all(x == int(x) for x in xs):
        step = max(step, 1)   # no half ranks
    marks = [m for m in axes.ticks(low, high, (high - low) / step)
             if low - 1e-9 <= m <= high + 1e-9]
    return axes.Scale(low, high, begin, end), marks, [axes.tick_text(m, step)
                                                      for m in marks]


def lines(canvas, picture, top):
    names = [s.name for s in picture.series]
    room = min(240, max(svg.text_width(n) for n in names)) + 30
    top, bottom = top + 22 + 16 * bool(picture.flags), top + 300
    values = [v for s in picture.series for p in s.points
              for v in list(p.values) + [p.y, p.low, p.high]]
    y_scale, y_marks, y_texts = axes.up_from_zero(values, bottom, top, 6)
    left = MARGIN + max(svg.text_width(w) for w in y_texts) + 10
    right = canvas.width - MARGIN - room
    x_scale, x_marks, x_texts = x_axis(picture, left + 14, right - 14)
    canvas.text(MARGIN, top - 10 - 16 * bool(picture.flags),
                svg.fitted(picture.y_axis, canvas.width - 20), css="muted")
    for value, words in zip(y_marks, y_texts):
        canvas.line(left, y_scale(value), right, y_scale(value), "rule")
        canvas.text(left - 6, y_scale(value) + 4, words, "end", "muted")
    last = -100.0
    for value, words in zip(x_marks, x_texts):
        at, half = x_scale(value), svg.text_width(words) / 2 + 3
        canvas.line(at, bottom, at, bottom + 4, "axis")
        if at - half > last:
            canvas.text(at, bottom + 18, words, "middle", "muted")
            last = at + half
    canvas.line(left, bottom, right, bottom, "axis")
    canvas.text((left + right) / 2, bottom + 36, svg.fitted(
        picture.x_axis, right - left + 60), "middle", "muted", whole=picture.x_axis)
    draw_flags(canvas, picture, x_scale, top, bottom)
    for i, series in enumerate(picture.series):
        draw_series(canvas, series, i, x_scale, y_scale)
    ends = [y_scale(s.points[-1].y) for s in picture.series]
    for i, y in enumerate(spread(ends, svg.LINE, top + 4, bottom - 4)):
        canvas.marker(i, right + 12, y, RADIUS, css(i))
        canvas.text(right + 22, y + 4, svg.fitted(names[i], 220), whole=names[i])
    return max(bottom + 46, top + svg.LINE * len(names))


def draw_flags(canvas, picture, scale, top, bottom):
    for x, text in picture.flags:
        at = scale(x)
        half = svg.text_width(text) / 2
        canvas.line(at, top - 4, at, bottom, "flag")
        canvas.text(min(max(at, MARGIN + half), canvas.width - MARGIN - half), top - 9,
                    text, "middle")


DASHES = [None, "7 3", "2 3", "9 3 2 3", "5 5", "12 4", "3 6", "9 2 2 2 2 2"]


def draw_series(canvas, series, n, x_scale, y_scale):
    for p in series.points:
        x = x_scale(p.x)
        for value in p.values:
            canvas.marker(n, x, y_scale(value), 2.4, css(n) + " dot")
        if p.low is not None:
            canvas.path("M%s %sV%sM%s %sh8M%s %sh8" % tuple(map(svg.number, (
                x, y_scale(p.low), y_scale(p.high), x - 4, y_scale(p.low), x - 4,
                y_scale(p.high)))), "bar " + stroke(n))
    if series.joined and len(series.points) > 1:
        d = "M" + "L".join("%s %s" % (svg.number(x_scale(p.x)), svg.number(
            y_scale(p.y))) for p in series.points)
        canvas.path(d, "line " + stroke(n), stroke_dasharray=DASHES[n % len(DASHES)])
    for p in series.points:
        canvas.marker(n, x_scale(p.x), y_scale(p.y), RADIUS, css(n) + " edge")
        if p.ringed:
            canvas.marker(0, x_scale(p.x), y_scale(p.y), 2.2 * RADIUS, "ring")
