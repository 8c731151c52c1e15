"""Reliefs as SVG: pixels, with the colours' depths and a scale beside them."""
import math
from typing import Any

from leadline.base import axes
from leadline.draw import relief, svg
from leadline.draw.svg_parts import MARGIN

BESIDE = 110       # for the colours and the scale
BAR = 18           # width of the colours
MOST = 760         # height
AXIS = 70          # for latitudes, left of the map
EVERY = 90.0       # pixels from longitude to longitude, and of latitudes half of that


def round_length(most):
    """The largest of 1, 2 and 5 times a power of ten that is not above `most`."""
    step = axes.nice_step(most / 2.0, 1)
    return max(f * step for f in (0.5, 1.0, 2.0, 0.4, 0.8) if f * step <= most
               and is_round(f * step))


def is_round(value):
    digit = "%.0e" % value
    return digit[0] in "125" and abs(float(digit) / value - 1) < 1e-9


def length_text(metres):
    return "%g km" % (metres / 1000) if metres >= 1000 else "%g m" % metres


def degrees_text(value, step, sides):
    """A place on an axis whose marks are `step` apart: "87.95° W". It may be beyond 180
    degrees, where a map crosses them."""
    value = (value + 180) % 360 - 180
    digits = 0
    while digits < 9 and abs(round(step, digits) - step) > 1e-6 * step:
        digits += 1
    text = "%.*f" % (digits, abs(value))
    return text + "\u00b0" + (" " + sides[value < 0] if float(text) else "")


def marks_between(low, high, most):
    """([place], step): round ones, as many as `most`."""
    step = axes.nice_step(high - low, most)
    return [i * step for i in range(math.ceil(low / step - 1e-9),
                                    math.floor(high / step + 1e-9) + 1)], step


def draw_degrees(canvas, picture, left, top, width, height):
    """Longitudes below the map and latitudes on its left."""
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


def draw(canvas: Any, picture: Any, top: float) -> float:
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


def sizes(picture, room):
    """Of the map: as large as fits, with its own proportions, at least one wide."""
    scale = min(room / picture.width_m, MOST / picture.height_m)
    return (max(picture.width_m * scale, 1.0), max(picture.height_m * scale, 1.0))


def draw_colours(canvas, picture, x, top, bottom):
    """Shoal at the top."""
    low, high = picture.ends
    canvas.text(x, top - 6, "depth (m)", css="muted")
    steps = int(bottom - top)
    for i in range(steps):
        canvas.rect(x, top + i, BAR, 1.5 if i + 1 < steps else 1, None,
                    mixed(picture.stops, i / max(steps - 1.0, 1.0)))
    canvas.rect(x, top, BAR, bottom - top, "axis")
    if high <= low:
        canvas.text(x + BAR + 8, top + 10, "%.2f" % low, css="muted")
        return
    marks = [m for m in axes.ticks(low, high, (bottom - top) / 28)
             if low <= m <= high]
    step = axes.nice_step(high - low, (bottom - top) / 28)
    scale = axes.Scale(low, high, top, bottom)
    for m in marks:
        canvas.line(x + BAR, scale(m), x + BAR + 4, scale(m), "axis")
        canvas.text(x + BAR + 8, scale(m) + 4, axes.tick_text(m, step), css="muted")


def mixed(stops, part):
    """The colour at `part`, from 0 to 1, of all that lie between the stops."""
    at = part * (len(stops) - 1)
    i = min(int(at), len(stops) - 2)
    return "#" + "".join("%02x" % int(round(a + (b - a) * (at - i)))
                         for a, b in zip(stops[i], stops[i + 1]))
