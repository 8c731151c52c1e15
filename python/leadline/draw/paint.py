"""Colours and strokes by class: the style sheet of pictures, and what draw_file paints.

Colours are classes, so that one picture is right on light, dark and printed pages.
"""
import re
from collections import OrderedDict
from typing import Any, Dict, Optional, Tuple

SIZE = 12          # of text, in units of the picture

# Okabe and Ito's colours, which most people can distinguish, ordered so that neighbours
# differ in lightness; dark pages get lighter ones.
LIGHT = ["#0072b2", "#d55e00", "#009e73", "#a0528a", "#8a6d00", "#3a4a9f", "#b0413e",
         "#5a5a5a"]
DARK = ["#56b4e9", "#f5a15e", "#2fc49a", "#d896c4", "#e6c84a", "#9aa8f0", "#f08a86",
        "#b8b8b8"]
SERIES = len(LIGHT)

# name: (on light pages, on dark ones)
INKS: Dict[str, Tuple[str, str]] = OrderedDict([
    ("ink", ("#1a1a1a", "#ececec")), ("muted", ("#5c5c5c", "#a8a8a8")),
    ("rule", ("#d9d9d9", "#3c3f44")), ("paper", ("#ffffff", "#17191c")),
    ("heat", ("#083b66", "#8fd0ff")), ("cell", ("#5b9bd5", "#2f7fb5"))]
    + [("c%d" % i, pair) for i, pair in enumerate(zip(LIGHT, DARK))])

# class: its properties; colours are names of INKS. Later classes win.
PAINT: Any = OrderedDict([
    ("rule", {"stroke": "rule", "stroke-width": 1, "fill": "none"}),
    ("axis", {"stroke": "muted", "stroke-width": 1, "fill": "none"}),
    ("flag", {"stroke": "ink", "stroke-width": 1.5, "stroke-dasharray": "5 4",
              "fill": "none"}),
    ("ring", {"stroke": "ink", "stroke-width": 1.5, "fill": "none"}),
    ("best", {"stroke": "ink", "stroke-width": 2.5, "fill": "none"}),
    ("heat", {"fill": "heat"}), ("cell", {"fill": "cell"}),
    ("band", {"fill": "rule", "fill-opacity": 0.4, "stroke": "none"}),
    ("none", {"fill": "none", "stroke": "rule", "stroke-width": 1}),
    ("paper", {"fill": "paper", "stroke": "none"})]
    + [("fill%d" % i, {"fill": "c%d" % i}) for i in range(SERIES)]
    + [("stroke%d" % i, {"stroke": "c%d" % i}) for i in range(SERIES)]
    + [("edge", {"stroke": "paper", "stroke-width": 1}),
       ("dot", {"fill-opacity": 0.45, "stroke": "none"}),
       ("reach", {"fill-opacity": 0.16, "stroke": "none"}),
       ("line", {"fill": "none", "stroke-width": 2}),
       ("bar", {"fill": "none", "stroke-width": 2})])

STYLE = """
.chart { font: %dpx sans-serif; %s }
@media screen and (prefers-color-scheme: dark) {
.chart { %s }
}
.chart text { fill: var(--ink); }
.chart text.muted { fill: var(--muted); }
.chart text.inside, .chart text.halo { paint-order: stroke; stroke: var(--paper);
  stroke-width: 4px; stroke-linejoin: round; }
"""


def style() -> str:
    """Returns the style sheet. It sets each colour twice: programs without variables,
    such as librsvg, take the first, and paint as on light pages."""
    def inks(which: int) -> str:
        return " ".join("--%s: %s;" % (n, pair[which]) for n, pair in INKS.items())

    def value(found: Any) -> Any:
        return "var(--%s)" % found if found in INKS else found
    rules = STYLE % (SIZE, inks(0), inks(1))
    for name, sets in PAINT.items():
        rules += ".chart .%s { %s }\n" % (name, " ".join(
            "%s: %s;" % (n, value(v)) for n, v in sets.items()))
    return re.sub(r"([\w-]+): (var\(--(\w+)\));", lambda found: "%s: %s; %s: %s;" % (
        found.group(1), INKS[found.group(3)][0], found.group(1), found.group(2)), rules)


def of(classes: Optional[str]) -> Dict[str, Any]:
    """Returns the combined properties of an element's classes."""
    found: Dict[str, Any] = {}
    names = (classes or "").split()
    for name, sets in PAINT.items():
        if name in names:
            found.update(sets)
    return found


def colour(name: Any) -> Any:
    """Returns the colour on light pages; None for none."""
    return INKS[name][0] if name in INKS else None if name in (None, "none") else name
