"""Draws shapes as SVG, wide or for phones. draw_file makes files of the same canvas."""
from typing import Any, Iterable, List, Tuple

from leadline.draw import shapes, svg, svg_cells, svg_lines
from leadline.draw.svg import MARGIN

WIDTH = 780
PHONE = 328        # usable width of 360 pixels
TITLE = 30         # its height, if the picture is a file of its own

HOW = {shapes.Rows: svg_cells.rows, shapes.Lines: svg_lines.lines,
       shapes.Stacks: svg_cells.stacks, shapes.Heat: svg_cells.heat,
       shapes.Cells: svg_cells.cells, shapes.Timeline: svg_lines.timeline,
       shapes.Relief: svg_cells.draw_relief}


def singles(made: Iterable[Any]) -> List[Any]:
    """Returns the same pictures, those that share a scale one by one."""
    out = []
    for picture in made:
        out += [part._replace(title="%s (%s)" % (picture.title, part.title),
                              words=picture.words) for part in picture.parts
                ] if isinstance(picture, shapes.Facets) else [picture]
    return out


def canvas_of(picture: Any, alone: bool = False,
              narrow: bool = False) -> Tuple[svg.Canvas, float]:
    """Returns (canvas, height) of a picture."""
    key = picture.key + ("-n" if narrow else "")
    canvas = svg.Canvas(key, picture.title, picture.words, PHONE if narrow else WIDTH)
    if alone:
        canvas.text(MARGIN, 18, svg.fitted(picture.title, canvas.width - 2 * MARGIN,
                                           14), whole=picture.title)
    top = TITLE if alone else 6
    return canvas, HOW[type(picture)](canvas, picture, top)


def draw(picture: Any, alone: bool = False, narrow: bool = False) -> str:
    """Returns the picture as an element for a page, or `alone` as the text of a
    file."""
    canvas, height = canvas_of(picture, alone, narrow)
    return canvas.finish(height, alone)
