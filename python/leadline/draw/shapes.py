"""Shapes of pictures, without their drawing. draw_svg draws them, on a page or, by
draw_file, as a file.

Every picture has a key (for file names and links), a title, and sentences that say what
it shows: they stand below it, and are its description. A picture that has `looks`,
{name of a series: (colour, marker)}, needs no order of its series.
"""
from collections import namedtuple
from typing import Any, Sequence

# Rows of marks along one axis of values: each mark is a centre, with its interval or
# None, and the single values. `span` are more values that the axis includes: parts of
# one picture share theirs. `about`: the axis is one of ratios, on which factors nearer
# to 1 than that are shaded.
Rows = namedtuple("Rows", "key title words axis series rows looks span about")
Rows.__new__.__defaults__ = ({}, (), None)
Row = namedtuple("Row", "group label marks")
Mark = namedtuple("Mark", "series values centre low high")

# Lines over an axis of numbers; `x_log`: of doublings, or 10: of decades. `flags` are
# (x, text) of events; `ringed` points are those that `words` mention. `x_texts`: {x:
# text} of the ticks. `y_kind`: "tail" for shares of a distribution.
Lines = namedtuple("Lines", "key title words x_axis y_axis x_log series flags looks "
                   "span x_texts y_kind steps")
Lines.__new__.__defaults__ = ({}, (), None, "", False)
Series = namedtuple("Series", "name points joined")
Point = namedtuple("Point", "x y low high values ringed")

# A table of values (None: no value) in colours, the first row on top; `best` are (row,
# column) that are ringed, `span` the values at the ends of the colours.
Cells = namedtuple("Cells", "key title words x_axis y_axis x_texts y_texts cells best "
                   "span unit")

# Pictures of one figure, beside each other, with a common scale.
Facets = namedtuple("Facets", "key title words parts")

# Stacked bars: `parts` names the parts, a bar's values are in their order. Parts that
# no bar has keep their place, so that a part looks alike in all pictures.
Stacks = namedtuple("Stacks", "key title words axis parts bars")
Bar = namedtuple("Bar", "group label values")

# A grid of values from 0 to 1 of `top`, row 0 at the bottom; `x_end` and `y_end` are
# the ends of the axes. `y_ticks` are (row, text), or None for an axis of numbers;
# `flags` are (x, text) where something else begins.
Heat = namedtuple("Heat", "key title words x_axis y_axis x_end y_end y_ticks grid top "
                  "flags")
Heat.__new__.__defaults__ = ((),)

# Two panels over one axis of time, each with a y axis of its own; parts that add up are
# `stacked`. A cell is (begin, end, values in the order of `parts`). `bands` are phases,
# `stalls` the spans of time to highlight, each with a text and a shorter one.
Timeline = namedtuple("Timeline", "key title words x_axis parts panels bands stalls")
Panel = namedtuple("Panel", "axis stacked cells")
Span = namedtuple("Span", "begin end text short")

# A map: `rows` of pixels from the north, three bytes each; its sides on the ground; the
# depths at the ends of the colours, or None; the colours' stops, shoal to deep; and its
# west, south, east and north in degrees.
Relief = namedtuple("Relief", "key title words rows columns width_m height_m ends "
                    "stops box")


def mark(series: str, values: Sequence[float], centre: float, interval: Any) -> Mark:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Mark(series, values, centre, low, high)


def point(x: float, values: Sequence[float], centre: float, interval: Any,
          ringed: bool = False) -> Point:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Point(x, centre, low, high, values, ringed)
