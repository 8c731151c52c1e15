"""Draws shapes as SVG. See draw_file for the same in matplotlib."""
from leadline import shapes, svg, svg_heat, svg_lines, svg_relief, svg_rows, svg_time
from leadline.svg_parts import MARGIN

WIDTH = 780
TITLE = 30         # height of it, where the picture stands alone

HOW = {shapes.Rows: svg_rows.rows, shapes.Lines: svg_lines.lines,
       shapes.Stacks: svg_rows.stacks, shapes.Heat: svg_heat.heat,
       shapes.Timeline: svg_time.timeline, shapes.Relief: svg_relief.draw}


def draw(picture, alone=False):
    """The picture as an element for a page, or `alone` as the text of a file."""
    canvas = svg.Canvas(picture.key, picture.title, picture.words, WIDTH)
    if alone:
        canvas.text(MARGIN, 18, svg.fitted(picture.title, WIDTH - 2 * MARGIN, 14),
                    whole=picture.title)
    top = TITLE if alone else 6
    return canvas.finish(HOW[type(picture)](canvas, picture, top), alone)
