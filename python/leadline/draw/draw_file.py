"""Draws pictures into files: SVG by our own code; PNG and PDF by matplotlib, which
paints the elements of the same canvas and is imported only for these.
"""
import math
import os
import re
from typing import Any, List, Optional, Sequence, Tuple

from leadline.base import output
from leadline.base.errors import LeadlineError, usage
from leadline.draw import draw_svg, paint, svg

FORMATS = (".svg", ".png", ".pdf")
HATCHES = ["", "//", "\\\\", "--", "||", "++", "==", "xx"]
UNITS = 96.0       # units of a picture per inch
POINT = 72.0 / UNITS
STEP = re.compile(r"([MLHVhvaZz])|(-?[0-9.]+)")


class Failure(Exception):
    pass


def load_matplotlib() -> Any:
    """Imports matplotlib only on demand: other commands do not need it."""
    try:
        import matplotlib
    except ImportError:
        raise Failure("drawing needs matplotlib, which Python does not find "
                      "(Debian: apt install python3-matplotlib)")
    matplotlib.use("Agg")
    matplotlib.rcParams.update({
        "svg.fonttype": "none", "figure.dpi": 100, "savefig.dpi": 150,
        "font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
    from matplotlib import pyplot
    return pyplot


def plain(words: str) -> str:
    """Removes control characters, and escapes what matplotlib takes for mathematics."""
    return "".join(c if c.isprintable() else " " for c in words).replace("$", r"\$")


def check(path: str) -> None:
    if os.path.splitext(path)[1].lower() not in FORMATS:
        raise usage("%s: the picture's name must end in %s" % (
            path, " or ".join(FORMATS)))


def draw(picture: Any, path: str) -> None:
    try:
        with output.replacing(path) as stream:
            if path.lower().endswith(".svg"):
                stream.write(output.encoded(draw_svg.draw(picture, alone=True)))
            else:
                draw_with_matplotlib(picture, stream, path[-3:].lower())
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


def draw_with_matplotlib(picture: Any, stream: Any, form: str) -> None:
    try:
        plt = load_matplotlib()
    except Failure as why:
        raise LeadlineError(str(why), todo="Install it, or let the name end in .svg")
    canvas, height = draw_svg.canvas_of(picture, alone=True)
    made = plt.figure(figsize=(canvas.width / UNITS, height / UNITS))
    on = made.add_axes([0, 0, 1, 1])
    on.set_xlim(0, canvas.width)
    on.set_ylim(height, 0)
    on.axis("off")
    for i, found in enumerate(canvas.elements):
        ELEMENTS[found.name](on, canvas, found, i)
    made.savefig(stream, format=form)
    plt.close(made)


# ---- elements ----------------------------------------------------------------


def text(on: Any, canvas: svg.Canvas, found: Any, order: int) -> None:
    at = found.attributes
    classes = (at["class_"] or "").split()
    around = None
    if "halo" in classes or "inside" in classes:
        from matplotlib import patheffects
        around = [patheffects.withStroke(linewidth=3, foreground="white")]
    on.text(at["x"], at["y"], plain(found.more), fontsize=paint.SIZE * POINT,
            color=paint.colour("muted" if "muted" in classes else "ink"),
            ha={None: "left", "middle": "center", "end": "right"}[at["text_anchor"]],
            va="baseline", rotation=90 if at["transform"] else 0, zorder=order,
            path_effects=around)


def rect(on: Any, canvas: svg.Canvas, found: Any, order: int) -> None:
    at = found.attributes
    x, y, width, height = (at[n] for n in ("x", "y", "width", "height"))
    add(on, canvas, found, order, [(x, y), (x + width, y), (x + width, y + height),
                                   (x, y + height), (x, y)], "MLLLZ")


def path(on: Any, canvas: svg.Canvas, found: Any, order: int) -> None:
    points, letters = steps(found.attributes["d"])
    if len(points) > 1:
        add(on, canvas, found, order, points, letters)


def image(on: Any, canvas: svg.Canvas, found: Any, order: int) -> None:
    at, picture = found.attributes, found.more
    on.imshow([[row[i:i + 3] for i in range(0, len(row), 3)]
               for row in map(list, picture.rows)], interpolation="nearest",
              extent=(at["x"], at["x"] + at["width"], at["y"] + at["height"], at["y"]),
              aspect="auto", zorder=order)
    on.set_xlim(0, canvas.width)


ELEMENTS = {"text": text, "rect": rect, "path": path, "image": image}


def add(on: Any, canvas: svg.Canvas, found: Any, order: int, points: Sequence[Any],
        letters: Any) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    codes = {"M": Path.MOVETO, "L": Path.LINETO, "Z": Path.CLOSEPOLY}
    looks = dict(paint.of(found.attributes.get("class_")))
    looks.update((n.replace("_", "-"), v) for n, v in found.attributes.items()
                 if n in ("fill", "fill_opacity", "stroke_width", "stroke_dasharray")
                 and v is not None)
    fill, edge, hatch = looks.get("fill"), looks.get("stroke"), ""
    strength = float(looks.get("fill-opacity", 1))
    pattern = re.match(r"url\(#.*-h(\d+)-(\d+)\)$", fill or "")
    if pattern:
        series, kind = map(int, pattern.groups())
        fill, hatch = "c%d" % series, HATCHES[kind]
        strength, edge = 0.28 if kind else 0.85, edge or fill
    elif fill is None:
        fill = "ink"
    dashes = [float(n) for n in (looks.get("stroke-dasharray") or "").split()]
    width = float(looks.get("stroke-width", 1)) * POINT if edge else 0
    on.add_patch(PathPatch(
        Path(points, [codes[c] for c in letters]), zorder=order, hatch=hatch,
        facecolor=shade(paint.colour(fill), strength), linewidth=width,
        edgecolor=paint.colour(edge) or "none",
        linestyle=(0, [n * POINT / max(width, 0.5) for n in dashes])
        if dashes else "solid"))


def shade(colour: Optional[str], strength: float) -> Any:
    from matplotlib.colors import to_rgba
    return to_rgba(colour, strength) if colour else "none"


# ---- paths -------------------------------------------------------------------


def steps(d: str) -> Tuple[List[Tuple[float, ...]], List[str]]:
    """Returns (points, letters M, L, Z) of a path of a canvas."""
    points: List[Tuple[float, ...]] = []
    letters: List[str] = []
    letter, numbers = "", []
    for command, value in STEP.findall(d):
        if value:
            numbers.append(float(value))
        if command:
            letter, numbers = command, []
        if len(numbers) == TAKES[letter]:
            take(letter, numbers, points, letters)
            letter, numbers = "L" if letter == "M" else letter, []
    return points, letters


TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "h": 1, "v": 1, "a": 7, "Z": 0, "z": 0}


def take(letter: str, numbers: Sequence[float], points: List[Tuple[float, ...]],
         letters: List[str]) -> None:
    x, y = points[-1] if points else (0.0, 0.0)
    if letter in "Zz":
        points.append(points[-1])
        letters.append("Z")
    elif letter == "a":
        arc(x, y, numbers, points, letters)
    else:
        points.append({"M": tuple(numbers), "L": tuple(numbers), "H": (numbers[0], y),
                       "V": (x, numbers[0]), "h": (x + numbers[0], y),
                       "v": (x, y + numbers[0])}[letter])
        letters.append("M" if letter == "M" else "L")


def arc(x: float, y: float, numbers: Sequence[float], points: List[Tuple[float, ...]],
        letters: List[str]) -> None:
    """Appends corners that approximate a half circle, as markers have them."""
    radius, end = numbers[0], numbers[5]
    for i in range(1, 13):
        turn = math.pi * i / 12
        side = 1 if end > 0 else -1
        points.append((x + side * radius * (1 - math.cos(turn)),
                       y + side * radius * math.sin(turn)))
        letters.append("L")
