"""Rows of marks, and rows of parts that add up, as SVG."""
from leadline import axes, svg, table
from leadline.svg_parts import (Groups, LABELS, MARGIN, RADIUS, css, indent, key,
                                label_column, many, stroke, value_axis)

ROW = 20           # from one mark to the next in a row
BAR = 22           # height of a row of parts


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
    place, groups, places = y, Groups(), []
    for row in picture.rows:
        y = groups.head(y, row.group)
        places.append(y)
        y += ROW * max(1, len(row.marks)) + 6
    bottom = value_axis(canvas, scale, marks, words, place, y, picture.axis)
    groups.draw(canvas)
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


# ---- parts that add up -------------------------------------------------------


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
    place, groups, places = y, Groups(), []
    for bar in picture.bars:
        y = groups.head(y, bar.group)
        places.append(y)
        y += BAR + 6
    bottom = value_axis(canvas, scale, marks, words, place, y, picture.axis)
    groups.draw(canvas)
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
