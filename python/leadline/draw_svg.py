"""Draws shapes as SVG. See draw_file for the same in matplotlib."""
from leadline import axes, shapes, svg, table

WIDTH = 780
LABELS = 250       # the widest column of labels
MARGIN = 8
ROW = 20           # from one mark to the next in a row
LEVELS = 8         # of a heat map
RADIUS = 4.5


def draw(picture, alone=False):
    """The picture as an element for a page, or `alone` as the text of a file."""
    canvas = svg.Canvas(picture.key, picture.title, picture.words, WIDTH)
    top = SKIP_TITLE
    if alone:
        canvas.text(MARGIN, 18, svg.fitted(picture.title, WIDTH - 2 * MARGIN, 14),
                    whole=picture.title)
        top = 30
    return canvas.finish(HOW[type(picture)](canvas, picture, top), alone)


SKIP_TITLE = 6


# ---- what several need -------------------------------------------------------


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
    """Labels of rows: a group's name stands above its rows, once."""

    def __init__(self, canvas):
        self.canvas, self.last = canvas, None

    def head(self, y, group):
        """Returns the y below."""
        if not group or group == self.last:
            return y
        self.last = group
        self.canvas.text(MARGIN, y + 14, svg.fitted(group, self.canvas.width - 40),
                         css="halo", whole=group)
        return y + 20


def indent(group):
    return MARGIN + (12 if group else 0)


# ---- rows --------------------------------------------------------------------


def mark_text(found):
    if found.low is None:
        return table.number(found.centre)
    return "%s [%s, %s]" % tuple(map(table.number,
                                     (found.centre, found.low, found.high)))


def rows(canvas, picture, top):
    def swatch(x, y, i):
        canvas.marker(i, x + 7, y, RADIUS, css(i))
    y = top
    if len(picture.series) > 1:
        y = key(canvas, y, enumerate(picture.series), swatch)
    every = [m for row in picture.rows for m in row.marks]
    texts = [mark_text(m) for m in every]
    left = label_column([row.label for row in picture.rows]) + MARGIN + 12
    right = canvas.width - MARGIN - max([svg.text_width(w) for w in texts] or [0]) - 12
    values = [v for m in every for v in list(m.values) + [m.low, m.high, m.centre]]
    scale, marks, words = axes.up_from_zero(values, left, right, many(left, right))
    place, groups, places = y, Groups(canvas), []
    for row in picture.rows:
        y = groups.head(y, row.group)
        places.append(y)
        y += ROW * max(1, len(row.marks)) + 6
    bottom = value_axis(canvas, scale, marks, words, place, y, picture.axis)
    for row, at in zip(picture.rows, places):
        draw_row(canvas, picture, row, at, scale, right)
    return bottom


def draw_row(canvas, picture, row, y, scale, right):
    middle = y + ROW * max(1, len(row.marks)) / 2 + 4
    canvas.text(indent(row.group), middle, svg.fitted(row.label, LABELS),
                whole=row.label)
    for i, found in enumerate(row.marks):
        at = y + ROW * i + ROW / 2
        n = picture.series.index(found.series)
        for value in found.values:
            canvas.marker(n, scale(value), at, 2.6, css(n) + " dot")
        if found.low is not None:
            canvas.path("M%s %sH%sM%s %sv8M%s %sv8" % tuple(map(svg.number, (
                scale(found.low), at, scale(found.high), scale(found.low), at - 4,
                scale(found.high), at - 4))), "bar " + stroke(n))
        canvas.marker(n, scale(found.centre), at, RADIUS, css(n) + " edge")
        canvas.text(right + 12, at + 4, mark_text(found))


# ---- lines -------------------------------------------------------------------


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


# ---- stacks ------------------------------------------------------------------

BAR = 22


def stacks(canvas, picture, top):
    def fill(i):
        return canvas.hatch(*svg.PARTS[i % len(svg.PARTS)])

    def swatch(x, y, i):
        canvas.rect(x, y - 7, 14, 14, edge(i), fill(i))
    used = [(i, name) for i, name in enumerate(picture.parts)
            if any(bar.values[i] for bar in picture.bars)]
    y = key(canvas, top, used, swatch)
    totals = [sum(bar.values) for bar in picture.bars]
    left = label_column([bar.label for bar in picture.bars]) + MARGIN + 12
    right = canvas.width - MARGIN - max(svg.text_width(seconds(t)) for t in totals) - 12
    scale, marks, words = axes.up_from_zero(totals, left, right, many(left, right))
    place, groups, places = y, Groups(canvas), []
    for bar in picture.bars:
        y = groups.head(y, bar.group)
        places.append(y)
        y += BAR + 6
    bottom = value_axis(canvas, scale, marks, words, place, y, picture.axis)
    for bar, at, total in zip(picture.bars, places, totals):
        canvas.text(indent(bar.group), at + BAR / 2 + 5, svg.fitted(bar.label, LABELS),
                    whole=bar.label)
        so_far = 0.0
        for i, value in enumerate(bar.values):
            draw_part(canvas, picture.parts[i], fill(i), edge(i), value, at,
                      scale(so_far), scale(so_far + value))
            so_far += value
        canvas.text(scale(total) + 8, at + BAR / 2 + 5, seconds(total))
    return bottom


def seconds(value):
    return "%.3g s" % value


def edge(i):
    return stroke(svg.PARTS[i % len(svg.PARTS)][0])


def draw_part(canvas, name, fill, edge_css, value, y, begin, end):
    if end - begin < 0.3:
        return
    canvas.rect(begin, y + 1, end - begin, BAR - 2, edge_css, fill,
                "%s: %s" % (name, seconds(value)))
    if svg.text_width(name, 11) + 8 < end - begin:
        canvas.text((begin + end) / 2, y + BAR / 2 + 5, name, "middle", "inside")


# ---- heat maps ---------------------------------------------------------------

HEAT = 220


def heat(canvas, picture, top):
    n, columns = len(picture.grid), len(picture.grid[0])
    named = picture.y_ticks is not None
    top += 22
    bottom = top + (min(HEAT, max(22 * n, 44)) if named else HEAT)
    y_scale, y_marks, y_texts = axes.up_from_zero([picture.y_end], bottom, top, 5)
    if named:
        y_marks = [row for row, _ in picture.y_ticks]
        y_texts = [words for _, words in picture.y_ticks]
    y_full = axes.Scale(0, n if named else picture.y_end, bottom, top)
    left = MARGIN + max(svg.text_width(w) for w in y_texts) + 12
    right = canvas.width - MARGIN
    canvas.text(MARGIN, top - 10, picture.y_axis, css="muted")
    for mark, words in zip(y_marks, y_texts):
        y = y_full(mark + 0.5) if named else y_full(mark)
        if y > top - 1:
            canvas.text(left - 6, y + 4, words, "end", "muted")
    cell_w, cell_h = (right - left) / columns, (bottom - top) / n
    canvas.rect(left, top, right - left, bottom - top, "axis")
    for level, d in heat_paths(picture.grid, left, bottom, cell_w, cell_h):
        canvas.path(d, "heat", fill_opacity="%.2f" % (level / LEVELS))
    return heat_axis(canvas, picture, left, right, bottom)


def heat_paths(grid, left, bottom, width, height):
    """(level, path) of equal neighbours in a row, drawn as one."""
    paths = {}
    for i, row in enumerate(grid):
        levels = [min(LEVELS, int(v * LEVELS + 0.999)) if v > 0 else 0 for v in row]
        begin = 0
        for j in range(1, len(levels) + 1):
            if j < len(levels) and levels[j] == levels[begin]:
                continue
            if levels[begin]:
                paths.setdefault(levels[begin], []).append(
                    "M%s %sh%sv%sh-%sz" % tuple(map(svg.number, (
                        left + begin * width, bottom - (i + 1) * height,
                        (j - begin) * width, height, (j - begin) * width))))
            begin = j
    return [(level, "".join(paths[level])) for level in sorted(paths)]


def heat_axis(canvas, picture, left, right, bottom):
    step = axes.nice_step(picture.x_end, many(left, right))
    for i in range(int(picture.x_end / step + 1e-9) + 1):
        x = left + (right - left) * i * step / picture.x_end
        canvas.line(x, bottom, x, bottom + 4, "axis")
        words = axes.tick_text(i * step, step)
        half = svg.text_width(words) / 2
        canvas.text(min(x, canvas.width - half), bottom + 17, words, "middle", "muted")
    canvas.text((left + right) / 2, bottom + 34, picture.x_axis, "middle", "muted")
    x, y = left, bottom + 46
    canvas.text(x, y + 11, "0", css="muted")
    for level in range(1, LEVELS + 1):
        canvas.path("M%s %sh16v12h-16z" % (svg.number(x + 6 + 16 * level),
                                           svg.number(y)),
                    "heat", fill_opacity="%.2f" % (level / LEVELS))
    canvas.text(x + 28 + 16 * LEVELS, y + 11, picture.top, css="muted")
    return y + 20


HOW = {shapes.Rows: rows, shapes.Lines: lines, shapes.Stacks: stacks, shapes.Heat: heat}
