"""Rows of marks, and rows of parts that add up, as SVG."""
from typing import Any

from leadline.base import axes, table
from leadline.draw import svg
from leadline.draw.svg_parts import (LABELS, MARGIN, RADIUS, Groups, css, indent, key,
                                     label_column, look, many, stroke, value_axis)

ROW = 20           # from one mark to the next in a row
BAR = 22           # height of a row of parts


ABOVE = 18         # room for a name above its marks


def mark_text(found, ratio=False):
    if ratio:
        return ratio_text(found)
    if found.low is None:
        return table.number(found.centre)
    return "%s [%s, %s]" % tuple(map(table.number,
                                     (found.centre, found.low, found.high)))


def ratio_text(found):
    """1.10x [1.06, 1.15]"""
    values = (found.centre, found.low, found.high) if found.low else (found.centre,)
    words = [("%#.3g" % v).rstrip(".") for v in values]
    return words[0] + "x" + (" [%s, %s]" % tuple(words[1:]) if found.low else "")


def rows(canvas: Any, picture: Any, top: float) -> float:
    looks = [look(picture, i, name) for i, name in enumerate(picture.series)]

    def swatch(x, y, i):
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


def axis_of(picture, every, left, right):
    values = [v for m in every for v in list(m.values) + [m.low, m.high, m.centre]]
    make = axes.of_ratios if picture.about else axes.of_values
    return make(values + list(picture.span), left, right, many(left, right))


def shade(canvas, factor, scale, top, bottom):
    """What is too near to 1 to matter, and 1."""
    begin, end = scale(1.0 / factor), scale(factor)
    canvas.rect(begin, top, end - begin, bottom - top, "band")
    canvas.line(scale(1.0), top, scale(1.0), bottom, "axis")


def draw_row(canvas, picture, row, y, scale, right, single):
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


def draw_name(canvas, picture, row, y, single):
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


# ---- parts that add up -------------------------------------------------------


def stacks(canvas: Any, picture: Any, top: float) -> float:
    def fill(i):
        return canvas.hatch(*svg.PARTS[i % len(svg.PARTS)])

    def swatch(x, y, i):
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
