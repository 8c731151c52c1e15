"""Pictures of cells and rows, as SVG: tables of values in colours, heat maps, reliefs,
rows of marks, and stacked bars."""
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

from leadline.base import axes, table
from leadline.draw import relief, svg
from leadline.draw.svg import (LABELS, MARGIN, RADIUS, Groups, css, indent, key,
                               label_column, look, many, stroke, value_axis)

CELL = 34          # height
WIDEST = 96
FAINT, STRONG = 0.08, 0.92
SHADES = 6         # number of shades in the key


def cells(canvas: svg.Canvas, picture: Any, top: float) -> float:
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
    for i, j in picture.best:   # drawn on top of all cells
        canvas.rect(left + j * width + 1.5, top + 21.5 + i * CELL, width - 3, CELL - 3,
                    "best")
    return below(canvas, picture, left, width, y)


def draw_cell(canvas: svg.Canvas, picture: Any, value: Optional[float], x: float,
              y: float, width: float) -> None:
    if value is None:
        canvas.rect(x, y, width, CELL, "none", canvas.hatch(7, 1), "not measured")
        return
    words = picture.unit(value)
    canvas.rect(x, y, width, CELL, "cell edge", hint=words,
                fill_opacity="%.2f" % strength(picture.span, value))
    if svg.text_width(words) < width - 4:
        canvas.text(x + width / 2, y + CELL / 2 + 4, words, "middle")


def strength(span: Sequence[float], value: float) -> float:
    """Returns the strength of the colour: equal factors are equally far apart."""
    low, high = span
    if value <= 0 or low <= 0 or high <= low:
        return FAINT if value <= 0 else STRONG
    part = math.log(value / low) / math.log(high / low)
    return FAINT + (STRONG - FAINT) * min(max(part, 0.0), 1.0)


def below(canvas: svg.Canvas, picture: Any, left: float, width: float,
          y: float) -> float:
    """Draws the columns' names, the axis, and the key of colours. Returns the y
    below."""
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


# ---- heat maps: one colour, stronger where there is more ----------------------

LEVELS = 8         # of the colour
HEAT = 220


def heat(canvas: svg.Canvas, picture: Any, top: float) -> float:
    n, columns = len(picture.grid), len(picture.grid[0])
    named = picture.y_ticks is not None
    top += 22
    bottom = top + (min(HEAT, max(22 * n, 44)) if named else HEAT)
    y_scale, y_marks, y_texts = axes.up_from_zero([picture.y_end], bottom, top, 5)
    if named:
        y_marks = [row for row, _ in picture.y_ticks]
        y_texts = [words for _, words in picture.y_ticks]
    y_full = axes.Scale(0, n if named else picture.y_end, bottom, top)
    room = canvas.width * 0.4
    left = MARGIN + min(room, max(svg.text_width(w) for w in y_texts)) + 12
    right = canvas.width - MARGIN
    canvas.text(MARGIN, top - 10, picture.y_axis, css="muted")
    for mark, words in zip(y_marks, y_texts):
        y = y_full(mark + 0.5) if named else y_full(mark)
        if y > top - 1:
            canvas.text(left - 6, y + 4, svg.fitted(words, room), "end", "muted",
                        whole=words)
    cell_w, cell_h = (right - left) / columns, (bottom - top) / n
    canvas.rect(left, top, right - left, bottom - top, "axis")
    for level, d in heat_paths(picture.grid, left, bottom, cell_w, cell_h):
        canvas.path(d, "heat", fill_opacity="%.2f" % (level / LEVELS))
    hosts(canvas, picture, (left, right, top, bottom))
    return heat_axis(canvas, picture, left, right, bottom)


def hosts(canvas: svg.Canvas, picture: Any,
          frame: Tuple[float, float, float, float]) -> None:
    """Draws lines where something else begins, with its name if there is room."""
    left, right, top, bottom = frame
    ends = [x for x, _ in picture.flags[1:]] + [picture.x_end]
    for (x, name), end in zip(picture.flags, ends):
        begin, end = (left + (right - left) * at / picture.x_end for at in (x, end))
        canvas.line(begin, top - 4, begin, bottom, "flag")
        if svg.text_width(name) < end - begin - 4:
            canvas.text((begin + end) / 2, top - 6, name, "middle", "muted")


def heat_paths(grid: Sequence[Sequence[float]], left: float, bottom: float,
               width: float, height: float) -> List[Tuple[int, str]]:
    """Returns (level, path) of equal neighbours in a row, merged into one."""
    paths: Dict[int, List[str]] = {}
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


def heat_axis(canvas: svg.Canvas, picture: Any, left: float, right: float,
              bottom: float) -> float:
    step = axes.nice_step(picture.x_end, many(left, right))
    for i in range(int(picture.x_end / step + 1e-9) + 1):
        x = left + (right - left) * i * step / picture.x_end
        canvas.line(x, bottom, x, bottom + 4, "axis")
        words = axes.tick_text(i * step, step)
        half = svg.text_width(words) / 2
        canvas.text(min(x, canvas.width - half), bottom + 17, words, "middle", "muted")
    shown = svg.fitted(picture.x_axis, canvas.width - 2 * MARGIN)
    half = svg.text_width(shown) / 2 + MARGIN
    canvas.text(min(max((left + right) / 2, half), canvas.width - half), bottom + 34,
                shown, "middle", "muted", whole=picture.x_axis)
    x, y = left, bottom + 46
    canvas.text(x, y + 11, "0", css="muted")
    for level in range(1, LEVELS + 1):
        canvas.path("M%s %sh16v12h-16z" % (svg.number(x + 6 + 16 * level),
                                           svg.number(y)),
                    "heat", fill_opacity="%.2f" % (level / LEVELS))
    canvas.text(x + 28 + 16 * LEVELS, y + 11, picture.top, css="muted")
    return y + 20


# ---- reliefs: pixels, with the colours' depths and a scale --------------------

BESIDE = 110       # width of the colours and the scale
COLOURS = 18           # width of the colours
MOST = 760         # height
AXIS = 70          # for latitudes, left of the map
EVERY = 90.0       # pixels between longitudes; half as many between latitudes


def round_length(most: float) -> float:
    """Returns the largest of 1, 2 and 5 times a power of ten that is not above
    `most`."""
    step = axes.nice_step(most / 2.0, 1)
    return max(f * step for f in (0.5, 1.0, 2.0, 0.4, 0.8) if f * step <= most
               and is_round(f * step))


def is_round(value: float) -> bool:
    digit = "%.0e" % value
    return digit[0] in "125" and abs(float(digit) / value - 1) < 1e-9


def length_text(metres: float) -> str:
    return "%g km" % (metres / 1000) if metres >= 1000 else "%g m" % metres


def degrees_text(value: float, step: float, sides: str) -> str:
    """Formats a place on an axis whose marks are `step` apart: "87.95° W". It may be
    beyond 180 degrees if a map crosses them."""
    value = (value + 180) % 360 - 180
    digits = 0
    while digits < 9 and abs(round(step, digits) - step) > 1e-6 * step:
        digits += 1
    text = "%.*f" % (digits, abs(value))
    return text + "\u00b0" + (" " + sides[value < 0] if float(text) else "")


def marks_between(low: float, high: float, most: float) -> Tuple[List[float], float]:
    """Returns ([place], step): at most `most` round places."""
    step = axes.nice_step(high - low, most)
    return [i * step for i in range(math.ceil(low / step - 1e-9),
                                    math.floor(high / step + 1e-9) + 1)], step


def draw_degrees(canvas: svg.Canvas, picture: Any, left: float, top: float,
                 width: float, height: float) -> None:
    """Draws longitudes below the map and latitudes on its left."""
    west, south, east, north = picture.box
    marks, step = marks_between(west, east, max(width / EVERY, 1.0))
    scale = axes.Scale(west, east, left, left + width)
    for mark in marks:
        canvas.line(scale(mark), top + height, scale(mark), top + height + 4, "axis")
        canvas.text(scale(mark), top + height + 17, degrees_text(mark, step, "EW"),
                    "middle", css="muted")
    marks, step = marks_between(south, north, max(height / (EVERY / 2), 1.0))
    scale = axes.Scale(south, north, top + height, top)
    for mark in marks:
        canvas.line(left - 4, scale(mark), left, scale(mark), "axis")
        canvas.text(left - 7, scale(mark) + 4, degrees_text(mark, step, "NS"), "end",
                    css="muted")


def draw_relief(canvas: svg.Canvas, picture: Any, top: float) -> float:
    width, height = sizes(picture, canvas.width - 2 * MARGIN - BESIDE - AXIS)
    left = MARGIN + AXIS
    canvas.add("image", None, picture, href=relief.as_link(picture.rows,
                                                           picture.columns),
               x=float(left), y=float(top), width=width, height=height,
               preserveAspectRatio="none", style="image-rendering: pixelated")
    canvas.rect(left, top, width, height, "axis")
    draw_degrees(canvas, picture, left, top, width, height)
    x = left + width + 20
    below = max(top + height, top + 150)
    if picture.ends:
        draw_colours(canvas, picture, x, top + 18, min(below - 60, top + 340))
    metres = round_length(min(BESIDE - 30, width) * picture.width_m / width)
    y = below - 14
    length = metres * width / picture.width_m
    canvas.path("M%s %sv8h%sv-8" % tuple(map(svg.number, (x, y, length))), "axis")
    canvas.text(x, y - 5, length_text(metres), css="muted")
    return below + 24


def sizes(picture: Any, room: float) -> Tuple[float, float]:
    """Returns the size of the map: as large as fits, with its own proportions, at least
    one wide."""
    scale = min(room / picture.width_m, MOST / picture.height_m)
    return (max(picture.width_m * scale, 1.0), max(picture.height_m * scale, 1.0))


def draw_colours(canvas: svg.Canvas, picture: Any, x: float, top: float,
                 bottom: float) -> None:
    """Draws the colours with shoal at the top."""
    low, high = picture.ends
    canvas.text(x, top - 6, "depth (m)", css="muted")
    steps = int(bottom - top)
    for i in range(steps):
        canvas.rect(x, top + i, COLOURS, 1.5 if i + 1 < steps else 1, None,
                    mixed(picture.stops, i / max(steps - 1.0, 1.0)))
    canvas.rect(x, top, COLOURS, bottom - top, "axis")
    if high <= low:
        canvas.text(x + COLOURS + 8, top + 10, "%.2f" % low, css="muted")
        return
    marks = [m for m in axes.ticks(low, high, (bottom - top) / 28)
             if low <= m <= high]
    step = axes.nice_step(high - low, (bottom - top) / 28)
    scale = axes.Scale(low, high, top, bottom)
    for m in marks:
        canvas.line(x + COLOURS, scale(m), x + COLOURS + 4, scale(m), "axis")
        canvas.text(x + COLOURS + 8, scale(m) + 4, axes.tick_text(m, step), css="muted")


def mixed(stops: Sequence[Sequence[float]], part: float) -> str:
    """Returns the colour at `part`, from 0 to 1 of the way through the stops."""
    at = part * (len(stops) - 1)
    i = min(int(at), len(stops) - 2)
    return "#" + "".join("%02x" % int(round(a + (b - a) * (at - i)))
                         for a, b in zip(stops[i], stops[i + 1]))


# ---- rows of marks, and rows of parts that add up -----------------------------

ROW = 20           # distance of marks in a row
BAR = 22           # height of a row of parts


ABOVE = 18         # room for a name above its marks


def mark_text(found: Any, ratio: Any = False) -> str:
    if ratio:
        return ratio_text(found)
    if found.low is None:
        return table.number(found.centre)
    return "%s [%s, %s]" % tuple(map(table.number,
                                     (found.centre, found.low, found.high)))


def ratio_text(found: Any) -> str:
    """Formats a ratio: 1.10x [1.06, 1.15]."""
    values = (found.centre, found.low, found.high) if found.low else (found.centre,)
    words = [("%#.3g" % v).rstrip(".") for v in values]
    return words[0] + "x" + (" [%s, %s]" % tuple(words[1:]) if found.low else "")


def rows(canvas: svg.Canvas, picture: Any, top: float) -> float:
    looks = [look(picture, i, name) for i, name in enumerate(picture.series)]

    def swatch(x: float, y: float, i: int) -> None:
        canvas.marker(looks[i][1], x + 7, y, RADIUS, css(looks[i][0]))
    y = top
    if len(picture.series) > 1:
        y = key(canvas, y, enumerate(picture.series), swatch)
    every = [m for row in picture.rows for m in row.marks]
    single = canvas.narrow and all(len(row.marks) < 2 for row in picture.rows)
    texts = [mark_text(m, picture.about) for m in every]
    left = label_column(canvas, [row.label for row in picture.rows]) + MARGIN + 12
    beside = 12 if single else max([svg.text_width(w) for w in texts] or [0]) + 12
    right = canvas.width - MARGIN - beside
    axis = axis_of(picture, every, left, right)
    first, groups, places = y, Groups(), []
    for row in picture.rows:
        y = groups.head(y, row.group)
        places.append(y)
        y += ROW * max(1, len(row.marks)) + 6 + ABOVE * canvas.narrow
    if picture.about:
        shade(canvas, picture.about, axis.scale, first, y)
    bottom = value_axis(canvas, axis, first, y, picture.axis)
    groups.draw(canvas)
    for row, at in zip(picture.rows, places):
        draw_row(canvas, picture, row, at, axis.scale, right, single)
    return bottom


def axis_of(picture: Any, every: Sequence[Any], left: float, right: float) -> axes.Axis:
    values = [v for m in every for v in list(m.values) + [m.low, m.high, m.centre]]
    make = axes.of_ratios if picture.about else axes.of_values
    return make(values + list(picture.span), left, right, many(left, right))


def shade(canvas: svg.Canvas, factor: float, scale: axes.Scale, top: float,
          bottom: float) -> None:
    """Draws the line at 1, and shades ratios too near to 1 to matter."""
    begin, end = scale(1.0 / factor), scale(factor)
    canvas.rect(begin, top, end - begin, bottom - top, "band")
    canvas.line(scale(1.0), top, scale(1.0), bottom, "axis")


def draw_row(canvas: svg.Canvas, picture: Any, row: Any, y: float, scale: axes.Scale,
             right: float, single: bool) -> None:
    draw_name(canvas, picture, row, y, single)
    y += ABOVE * canvas.narrow
    for i, found in enumerate(row.marks):
        at = y + ROW * i + ROW / 2
        colour, shape = look(picture, picture.series.index(found.series), found.series)
        for value in found.values:
            canvas.marker(shape, scale(value), at, 2.6, css(colour) + " dot")
        if found.low is not None:
            canvas.path("M%s %sH%sM%s %sv8M%s %sv8" % tuple(map(svg.number, (
                scale(found.low), at, scale(found.high), scale(found.low), at - 4,
                scale(found.high), at - 4))), "bar " + stroke(colour))
        canvas.marker(shape, scale(found.centre), at, RADIUS, css(colour) + " edge")
        if not single:
            canvas.text(right + 12, at + 4, mark_text(found, picture.about))


def draw_name(canvas: svg.Canvas, picture: Any, row: Any, y: float,
              single: bool) -> None:
    if not canvas.narrow:
        canvas.text(indent(row.group), y + ROW * max(1, len(row.marks)) / 2 + 4,
                    svg.fitted(row.label, LABELS), whole=row.label)
        return
    words = mark_text(row.marks[0], picture.about) if single and row.marks else ""
    room = canvas.width - 2 * MARGIN - 12 - svg.text_width(words)
    canvas.text(indent(row.group), y + 14, svg.fitted(row.label, room), css="halo",
                whole=row.label)
    if words:
        canvas.text(canvas.width - MARGIN, y + 14, words, "end", "halo")


# ---- stacked bars ------------------------------------------------------------


def stacks(canvas: svg.Canvas, picture: Any, top: float) -> float:
    def fill(i: int) -> str:
        return canvas.hatch(*svg.PARTS[i % len(svg.PARTS)])

    def swatch(x: float, y: float, i: int) -> None:
        canvas.rect(x, y - 7, 14, 14, edge(i), fill(i))
    used = [(i, name) for i, name in enumerate(picture.parts)
            if any(bar.values[i] for bar in picture.bars)]
    y = key(canvas, top, used, swatch)
    totals = [sum(bar.values) for bar in picture.bars]
    left = label_column(canvas, [bar.label for bar in picture.bars]) + MARGIN + 12
    right = canvas.width - MARGIN - max(svg.text_width(seconds(t)) for t in totals) - 12
    axis = axes.Axis(*axes.up_from_zero(totals, left, right, many(left, right)))
    scale, above = axis.scale, ABOVE * canvas.narrow
    place, groups, places = y, Groups(), []
    for bar in picture.bars:
        y = groups.head(y, bar.group)
        places.append(y)
        y += BAR + 6 + above
    bottom = value_axis(canvas, axis, place, y, picture.axis)
    groups.draw(canvas)
    for bar, at, total in zip(picture.bars, places, totals):
        canvas.text(indent(bar.group), at + (14 if above else BAR / 2 + 5), svg.fitted(
            bar.label, canvas.width - 40 if above else LABELS), whole=bar.label)
        at += above
        so_far = 0.0
        for i, value in enumerate(bar.values):
            draw_part(canvas, picture.parts[i], fill(i), edge(i), value, at,
                      scale(so_far), scale(so_far + value))
            so_far += value
        canvas.text(scale(total) + 8, at + BAR / 2 + 5, seconds(total))
    return bottom


def seconds(value: float) -> str:
    return "%.3g s" % value


def edge(i: int) -> str:
    return stroke(svg.PARTS[i % len(svg.PARTS)][0])


def draw_part(canvas: svg.Canvas, name: str, fill: str, edge_css: str, value: float,
              y: float, begin: float, end: float) -> None:
    if end - begin < 0.3:
        return
    canvas.rect(begin, y + 1, end - begin, BAR - 2, edge_css, fill,
                "%s: %s" % (name, seconds(value)))
    if svg.text_width(name, 11) + 8 < end - begin:
        canvas.text((begin + end) / 2, y + BAR / 2 + 5, name, "middle", "inside")
