"""leadline plot relief: a shaded picture of the depths that pfminfo --grid averaged."""
import base64
import math
import os
import struct
import zlib
from typing import Any, List, Optional, Sequence, Tuple

from leadline.base import fields
from leadline.base.errors import LeadlineError
from leadline.draw import shapes
from leadline.results import report as reports

SCHEMA = "leadline-pfm-grid/1"
LARGE = 1000       # pixels of a side to which small grids are enlarged
ENLARGE_MAX = 16
SIDE = 4096        # most cells of a side; pfminfo makes at most a thousand
SIZES = (1e-6, 1e9)   # range of a cell's size, metres

TABLE = {"file": "text", "columns": "positive", "rows": "positive",
         "bins_of_a_side": "positive", "west": "number", "south": "number",
         "cell_x": "number", "cell_y": "number", "cell_x_m": "amount",
         "cell_y_m": "amount"}

# Colours from shoal to deep, ever darker (viridis), so that people with colour
# blindness see the picture, too; and the colour of cells without depth.
STOPS = [(253, 231, 37), (159, 218, 58), (74, 194, 109), (31, 161, 135), (39, 127, 142),
         (54, 92, 141), (70, 50, 127), (68, 1, 84)]
GREY = b"\xde\xde\xde"
COLOURS = 1024     # in the table, between the stops
FLAT = math.sqrt(0.5)


# ---- reading -----------------------------------------------------------------


def read(path: str) -> Any:
    tree = reports.read_json(path)
    if reports.schema_of(tree) != SCHEMA:
        raise LeadlineError("%s: not a grid: its schema is not %s" % (path, SCHEMA),
                            todo="Make one: pfminfo --grid")
    depths = tree.get("depths_m")
    faults = fields.check({n: v for n, v in tree.items() if n in TABLE}, TABLE, "$")
    if not faults and not right(tree, depths):
        faults = ["$.depths_m: it has not %d rows of %d depths"
                  % (tree["rows"], tree["columns"])]
    if not faults and max(tree["rows"], tree["columns"]) > SIDE:
        faults = ["$: it has more than %d cells on a side" % SIDE]
    if not faults and not all(SIZES[0] <= tree[name] <= SIZES[1]
                              for name in ("cell_x_m", "cell_y_m")):
        faults = ["$.cell_x_m: no cell is of that size"]
    if faults:
        raise LeadlineError("%s: not a grid: %s" % (path, faults[0]))
    return tree


def right(tree: Any, depths: Sequence[Sequence[Optional[float]]]) -> bool:
    return (isinstance(depths, list) and len(depths) == tree["rows"]
            and all(isinstance(row, list) and len(row) == tree["columns"]
                    and all(z is None or fields.is_number(z) for z in row)
                    for row in depths))


# ---- statistics of depths ----------------------------------------------------


def ends(depths: Sequence[Sequence[Optional[float]]]) -> Optional[Tuple[float, float]]:
    """Returns the depths of the colours' ends: without the outermost half percent on
    either side, so that a few wild depths do not take all colours; None if there is no
    depth."""
    known = sorted(z for row in depths for z in row if z is not None)
    if not known:
        return None
    cut = len(known) // 200
    return known[cut], known[len(known) - 1 - cut]


def slopes(depths: Sequence[List[Optional[float]]], y: int, dx: float,
           dy: float) -> List[Optional[Tuple[float, float]]]:
    """Returns the slopes, metres deeper per metre, to the east and north; None without
    a depth. A neighbour without depth counts as equally deep."""
    row = depths[y]
    south = depths[y - 1] if y else row
    north = depths[y + 1] if y + 1 < len(depths) else row
    out = []
    for z, w, e, s, n in zip(row, row[:1] + row[:-1], row[1:] + row[-1:], south, north):
        out.append(None if z is None else (
            ((z if e is None else e) - (z if w is None else w)) / (2 * dx),
            ((z if n is None else n) - (z if s is None else s)) / (2 * dy)))
    return out


def exaggeration(rows: Sequence[Sequence[Optional[Tuple[float, float]]]]) -> float:
    """Returns the factor of exaggeration at which the slopes of flat ground show,
    too."""
    total, n = 0.0, 0
    for row in rows:
        for slope in row:
            if slope:
                total += math.hypot(*slope)
                n += 1
    return max(1.0, min(0.4 * n / total, 1000.0)) if total > 0 else 1.0


# ---- colours -----------------------------------------------------------------


def colour(part: float) -> Tuple[float, ...]:
    """Returns red, green and blue at a place from 0, shoal, to 1, deep."""
    at = part * (len(STOPS) - 1)
    i = min(int(at), len(STOPS) - 2)
    return tuple(a + (at - i) * (b - a) for a, b in zip(STOPS[i], STOPS[i + 1]))


def light(slope: Tuple[float, float], times: float) -> float:
    """Returns the light from the north-west, 45 degrees high; 1 on flat ground."""
    east, north = slope[0] * times, slope[1] * times
    shade = (FLAT - 0.5 * east + 0.5 * north) / math.sqrt(1 + east * east
                                                          + north * north)
    lit: float = max(shade, 0.0) / FLAT
    return lit


def painted(row: Sequence[Optional[float]], slopes_of: Sequence[Any],
            table: Sequence[Sequence[float]], low: float, high: float,
            times: float) -> bytes:
    """Returns a row of pixels, three bytes each."""
    out = bytearray()
    scale = COLOURS / (high - low) if high > low else 0.0
    for z, slope in zip(row, slopes_of):
        if z is None:
            out += GREY
            continue
        lit = light(slope, times)
        dark, white = min(0.3 + 0.7 * lit, 1.0), max(lit - 1.0, 0.0) * 0.6
        for c in table[int(max(0.0, min((z - low) * scale, COLOURS)))]:
            c *= dark
            out.append(int(c + (255.0 - c) * white + 0.5))
    return bytes(out)


def picture(tree: Any, n: int) -> shapes.Relief:
    depths, dx, dy = tree["depths_m"], tree["cell_x_m"], tree["cell_y_m"]
    title = "%s: depths in metres, WGS 84" % os.path.basename(
        fields.printable(tree["file"]))
    found = ends(depths)
    low, high = found or (0.0, 0.0)
    shaded = [slopes(depths, y, dx, dy) for y in range(len(depths))]
    times = exaggeration(shaded)
    table = [colour(i / float(COLOURS)) for i in range(COLOURS + 1)]
    rows = [painted(row, slope, table, low, high, times)
            for row, slope in zip(depths, shaded)][::-1]
    return shapes.Relief(
        "relief-%d" % n, title, words(tree, found, times), rows, tree["columns"],
        tree["columns"] * dx, tree["rows"] * dy, found, STOPS, box(tree))


def box(tree: Any) -> Tuple[float, float, float, float]:
    """Returns west, south, east and north in degrees; east is larger than west."""
    return (tree["west"], tree["south"],
            tree["west"] + tree["columns"] * tree["cell_x"],
            tree["south"] + tree["rows"] * tree["cell_y"])


def words(tree: Any, found: Optional[Tuple[float, float]], times: float) -> List[str]:
    west, south, east, north = box(tree)
    out = ["North is up: %.6g to %.6g degrees east, %.6g to %.6g degrees north, on "
           "WGS 84. Depths are downwards from where the survey's corrections put zero."
           % (west, east, south, north)]
    if tree["bins_of_a_side"] > 1:
        out.append("A cell is the mean of %d x %d bins."
                   % (tree["bins_of_a_side"], tree["bins_of_a_side"]))
    if not found:
        return out + ["There is no depth."]
    return out + ["Yellow is %.2f m and shoaler, violet %.2f m and deeper, grey has no "
                  "depth; beyond these ends is half a percent of the depths each."
                  % found, "Light comes from the north-west, slopes are shown %.3g "
                  "times as steep." % times]


def draw(paths: Sequence[str]) -> List[Any]:
    return [picture(read(path), i + 1) for i, path in enumerate(paths)]


# ---- pixels in a file --------------------------------------------------------


def png(rows: Sequence[bytes], columns: int) -> bytes:
    """Returns rows of RGB as the bytes of a PNG file."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data) & 0xffffffff))
    head = struct.pack(">IIBBBBB", columns, len(rows), 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 6))
            + chunk(b"IEND", b""))


def as_link(rows: Sequence[bytes], columns: int) -> str:
    """Returns a link with the PNG. Enlarges small pictures, as viewers would blur their
    cells."""
    times = max(1, min(LARGE // max(columns, len(rows)), ENLARGE_MAX))
    wide = [b"".join(row[i:i + 3] * times for i in range(0, len(row), 3))
            for row in rows]
    data = png([row for row in wide for _ in range(times)], columns * times)
    return "data:image/png;base64," + base64.b64encode(data).decode()
