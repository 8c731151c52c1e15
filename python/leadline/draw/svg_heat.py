"""Heat maps as SVG: one colour, stronger where there is more."""
from typing import Any

from leadline.base import axes
from leadline.draw import svg
from leadline.draw.svg_parts import MARGIN, many

LEVELS = 8         # of the colour
HEAT = 220


def heat(canvas: Any, picture: Any, top: float) -> float:
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


def hosts(canvas, picture, frame):
    """Lines where something else begins, and its name where there is room."""
    left, right, top, bottom = frame
    ends = [x for x, _ in picture.flags[1:]] + [picture.x_end]
    for (x, name), end in zip(picture.flags, ends):
        begin, end = (left + (right - left) * at / picture.x_end for at in (x, end))
        canvas.line(begin, top - 4, begin, bottom, "flag")
        if svg.text_width(name) < end - begin - 4:
            canvas.text((begin + end) / 2, top - 6, name, "middle", "muted")


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
