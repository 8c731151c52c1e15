"""Pictures of a trace for its page: ranks and their calls over time, and places in
files.

Grids may have many cells, so neighbours of one look are merged into one path, in units
of cells; each picture stays below some tens of kilobytes.
"""
import math
from collections import OrderedDict
from typing import Any, Dict, List

from leadline.base import axes
from leadline.draw import svg
from leadline.draw.svg import LABELS, MARGIN, RADIUS, css, key, many, stroke

WIDTH = 780
PHONE = 320             # pictures of this width have fewer labels
LEVELS = 4              # of a colour in a grid
GRID = 320              # height of a grid of many rows
PANEL = 110             # of bytes per second, below ranks by time
BRACKET = 20            # distance of findings above ranks by time
COLUMNS = 64            # ranks with a column of their own; more are bands

# (member of bins, its name, colour)
GROUPS = [("read_s", "read", 0), ("write_s", "write", 1),
          ("metadata_s", "open, close, metadata", 2), ("wait_s", "sync, lock, wait", 3)]
PLACES = [("read", 0), ("written", 1), ("both", 3)]

# Classes of time: (name in the key, colour, hatch), and their members.
CLASSES = [("read", 0, 0, ("read",)), ("write", 1, 0, ("write", "copy")),
           ("open, close, metadata", 2, 1, ("open", "close", "seek", "meta", "map")),
           ("sync", 4, 3, ("sync",)), ("lock", 6, 5, ("lock",)),
           ("wait", 3, 2, ("wait",)), ("library", 5, 4, ("library",)),
           ("other", 7, 7, ("other",))]


def canvas_of(name, title, words, narrow):
    return svg.Canvas(name + "-n", title, words, PHONE) if narrow else svg.Canvas(
        name, title, words, WIDTH)


def bytes_text(n: float) -> str:
    """Formats bytes, exact with few digits: 64 KiB, 1.5 MiB."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if n < 1024 or unit == "PiB":
            shape = "%d" if n == int(n) or n >= 999.5 else "%.3g"
            return "%s %s" % (shape % n, unit)
        n /= 1024.0
    return ""


def seconds_text(s: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("\u00b5s", 1e-6)):
        if s >= size:
            s /= size
            return ("{:,.0f} {}" if s >= 999.5 else "{:.3g} {}").format(s, unit)
    return "0 s" if s <= 0 else "%.3g ns" % (s * 1e9)


# ---- grids -------------------------------------------------------------------


def cell_paths(rows):
    """Returns {look: path} of rows, from the bottom, of looks (None: nothing is
    drawn)."""
    paths = {}
    for y, row in enumerate(rows):
        begin = 0
        for x in range(1, len(row) + 1):
            if x < len(row) and row[x] == row[begin]:
                continue
            if row[begin] is not None:
                paths.setdefault(row[begin], []).append(
                    "M%d %dh%dv1h-%dz" % (begin, y, x - begin, x - begin))
            begin = x
    return paths


def draw_cells(canvas, rows, left, top, right, bottom):
    """Draws cells; looks are (colour, level from 1 to LEVELS)."""
    wide = (right - left) / max(len(rows[0]), 1)
    high = (bottom - top) / len(rows)
    parts = []
    for (colour, level), found in sorted(cell_paths(rows).items()):
        parts.append(svg.Element("path", OrderedDict([
            ("class_", css(colour)), ("fill_opacity", "%.2f" % (level / LEVELS)),
            ("d", "".join(found))]), None, None))
    canvas.add("g", more=tuple(parts), shape_rendering="crispEdges",
               transform="matrix(%.5f 0 0 %.5f %s %s)" % (
                   wide, -high, svg.number(left), svg.number(bottom)))
    canvas.rect(left, top, right - left, bottom - top, "axis")


def level_of(share):
    return max(1, min(LEVELS, int(share * LEVELS + 0.999)))


def swatches(canvas):
    def draw(x, y, colour):
        canvas.rect(x, y - 7, 14, 14, css(colour))
    return draw


def time_axis(canvas, seconds, left, right, y):
    step = axes.nice_step(seconds, many(left, right))
    for i in range(int(seconds / step + 1e-9) + 1):
        x = left + (right - left) * i * step / seconds
        words = axes.tick_text(i * step, step)
        canvas.line(x, y, x, y + 4, "axis")
        canvas.text(min(x, canvas.width - svg.text_width(words) / 2), y + 17, words,
                    "middle", "muted")
    canvas.text((left + right) / 2, y + 35, "seconds since the first process began",
                "middle", "muted")
    return y + 44


# ---- ranks by time -----------------------------------------------------------


def banded(lanes, most):
    """Returns at most `most` lists of neighbours."""
    each = max(1, -(-len(lanes) // most))
    return [lanes[i:i + each] for i in range(0, len(lanes), each)]


def busiest(lanes, i, width):
    """Returns the look of a cell: the main activity of the lane that is longest in
    calls."""
    best, group = 0.0, 0
    for lane in lanes:
        values = [lane[name][i] for name, _, _ in GROUPS]
        if sum(values) > best:
            best, group = sum(values), values.index(max(values))
    share = best / width
    return (GROUPS[group][2], level_of(share)) if share > 0.002 else None


def lane_labels(canvas, bands, label, left, top, bottom):
    n = len(bands)
    step = max(1, -(-n * 16 // int(bottom - top)))
    for i in range(0, n, step):
        y = bottom - (bottom - top) * (i + 0.5) / n
        canvas.text(left - 6, y + 4, label(bands[i][0]), "end", "muted")


def brackets(canvas, spans, x_of, left, right, y):
    """Draws findings as spans of time, named beside them if there is room."""
    for begin, end, words, colour in spans:
        x1 = min(max(x_of(begin), left), right)
        x2 = min(max(x_of(end), x1 + 2), right + 2)
        canvas.path("M%s %sv5H%sv-5" % tuple(map(svg.number, (x1, y + 8, x2))),
                    "line stroke%d" % colour)
        at = min(max((x1 + x2) / 2, left + svg.text_width(words) / 2),
                 right - svg.text_width(words) / 2)
        canvas.text(at, y + 6, words, "middle", "inside")
        y += BRACKET + 4
    return y


def rates_panel(canvas, bins, lanes, left, right, top):
    """Draws bytes per second of all lanes; reads are stacked on writes."""
    width, n = bins["seconds"] / bins["slices"] or 1e-9, bins["slices"]
    read = [sum(p["read_bytes"][i] for p in lanes) / width for i in range(n)]
    written = [sum(p["written_bytes"][i] for p in lanes) / width for i in range(n)]
    unit, size = ("MB/s", 1e6) if max(read + written) < 1e10 else ("GB/s", 1e9)
    written = [w / size for w in written]
    both = [r / size + w for r, w in zip(read, written)]
    scale, marks, words = axes.up_from_zero([max(both)], top + PANEL, top, 4)
    for value, text in zip(marks, words):
        canvas.line(left, scale(value), right, scale(value), "rule")
        canvas.text(left - 6, scale(value) + 4, text, "end", "muted")
    for values, colour in ((both, 0), (written, 1)):
        d = "M%s %s" % (svg.number(left), svg.number(scale(0)))
        for i, value in enumerate(values):
            d += "V%sH%s" % (svg.number(scale(value)), svg.number(
                left + (right - left) * (i + 1) / n))
        canvas.path(d + "V%sZ" % svg.number(scale(0)), css(colour))
    canvas.text(MARGIN, top - 10, "%s of all together" % unit, css="muted")
    return top + PANEL


def phase_names(canvas, phases, x_of, left, right, top):
    """Marks the begin of each phase, with its name if there is room for it."""
    free = left + 2
    for begin, end, name in sorted(phases):
        x1, x2 = max(x_of(begin), left), min(x_of(end), right)
        words = svg.fitted(name, max(x2 - max(x1, free), 0))
        if len(words) > 2 and svg.text_width(words) <= x2 - max(x1, free):
            canvas.text(max(x1, free), top - 8, words, css="muted", whole=name)
            canvas.line(max(x1, left), top - 14, max(x1, left), top, "axis")
            free = max(x1, free) + svg.text_width(words) + 8


def when(bins, lanes, what, marks, words, narrow=False):
    """Draws ranks by time; marks are findings, (begin, end, words, colour), and phases,
    (begin, end, name), in seconds."""
    canvas = canvas_of("when", "Who did what when", words, narrow)
    y = key(canvas, 6, [(colour, name) for _, name, colour in GROUPS], swatches(canvas))
    bands = banded(lanes, 128)
    def label(lane):
        return str(lane["rank"] if lane["rank"] >= 0 else lane["pid"])
    left = MARGIN + 14 + max([48] + [svg.text_width(label(b[0])) for b in bands])
    right = canvas.width - MARGIN - 4
    def x_of(second):
        return left + (right - left) * second / (bins["seconds"] or 1e-9)
    y = brackets(canvas, marks[0], x_of, left, right, y + 8)
    top = y + 22
    bottom = top + max(40, min(GRID, 22 * len(bands)))
    canvas.text(MARGIN, top - 8, what, css="muted")
    width = bins["seconds"] / bins["slices"] or 1e-9
    rows = [[busiest(band, i, width) for i in range(bins["slices"])] for band in bands]
    draw_cells(canvas, rows, left, top, right, bottom)
    phase_names(canvas, marks[1], x_of, left, right, top)
    lane_labels(canvas, bands, label, left, top, bottom)
    bottom = rates_panel(canvas, bins, lanes, left, right, bottom + 38)
    return canvas.finish(time_axis(canvas, bins["seconds"] or 1e-9, left, right,
                                   bottom))


# ---- places in files ---------------------------------------------------------


def place_rows(read, written):
    top = max([r + w for rr, ww in zip(read, written) for r, w in zip(rr, ww)] or [0])
    def look(r, w):
        if r + w <= 0:
            return None
        colour = 3 if min(r, w) > 0.1 * max(r, w) else 0 if r > w else 1
        return colour, level_of((r + w) / top)
    return [[look(r, w) for r, w in zip(rr, ww)] for rr, ww in zip(read, written)]


def halved(grid):
    return [[sum(row[i:i + 2]) for i in range(0, len(row), 2)] for row in grid]


def offset_axis(canvas, end, left, top, bottom):
    for i in range(5):
        y = bottom - (bottom - top) * i / 4
        canvas.line(left - 4, y, left, y, "axis")
        canvas.text(left - 6, y + 4, bytes_text(end * i / 4), "end", "muted")
    canvas.text(MARGIN, top - 8, "offset", css="muted")


def lock_grid(canvas, end, lock, left, top, right, bottom):
    """Draws the borders of blocks that only one client at a time may write."""
    if not lock or not 2 <= end / lock <= 48:
        return
    for i in range(1, int(end / lock) + 1):
        y = bottom - (bottom - top) * i * lock / end
        if y > top:
            canvas.line(left, y, right, y, "rule")


def places_of(found, kind, bins, ranks, lock, words, narrow=False):
    """kind: "time", or "rank"."""
    suffix, name = ("", "time") if kind == "time" else ("_by_rank", "rank")
    read, written = found["read_bytes" + suffix], found["written_bytes" + suffix]
    if kind == "time" and len(read[0]) > 120:
        read, written = halved(read), halved(written)
    bands = len(read[0])
    if kind == "rank" and ranks < bands:  # bands between ranks are empty
        used = sorted(set(r * bands // ranks for r in range(ranks)))
        read = [[row[i] for i in used] for row in read]
        written = [[row[i] for i in used] for row in written]
    canvas = canvas_of("%s-%s" % (found["key"], name),
                       "Offset by %s: %s" % (name, found["name"]), words, narrow)
    rows = place_rows(read, written)
    used = set(look[0] for row in rows for look in row if look)
    y = key(canvas, 6, [(c, n) for n, c in PLACES if c in used], swatches(canvas))
    left, right = MARGIN + 90, canvas.width - MARGIN - 4
    top, bottom = y + 22, y + 22 + 240
    draw_cells(canvas, rows, left, top, right, bottom)
    lock_grid(canvas, found["end"], lock, left, top, right, bottom)
    offset_axis(canvas, found["end"], left, top, bottom)
    if kind == "time":
        return canvas.finish(time_axis(canvas, bins["seconds"] or 1e-9, left, right,
                                       bottom))
    return canvas.finish(rank_axis(canvas, ranks, left, right, bottom))


def rank_axis(canvas, ranks, left, right, y):
    step = max(1, int(axes.nice_step(ranks, many(left, right) * 2)))
    for rank in range(0, ranks, step):
        x = left + (right - left) * (rank + 0.5) / ranks
        canvas.text(x, y + 17, str(rank), "middle", "muted")
    canvas.text((left + right) / 2, y + 35, "rank", "middle", "muted")
    return y + 44


# ---- columns of ranks --------------------------------------------------------


def class_parts(classes: Dict[str, Any]) -> List[float]:
    """Returns the seconds in the order of CLASSES."""
    return [sum(classes.get(name, 0) or 0 for name in names)
            for _, _, _, names in CLASSES]


def columns(name, title, words, bars, axis, height=220, wall=None, what="rank",
            narrow=False):
    """`bars`: (number of the rank, seconds in the order of CLASSES, and None or the
    seconds of the worst of the ranks whose mean the column shows)."""
    canvas = canvas_of(name, title, words, narrow)
    used = [i for i in range(len(CLASSES)) if any(b[1][i] > 0 for b in bars)]
    plain = len(bars) > 40      # hatches would be noise
    def part(x, y, wide, high, i, hint=None):
        hatched = None if plain else canvas.hatch(CLASSES[i][1], CLASSES[i][2])
        canvas.rect(x, y, wide, high, (css if plain else stroke)(CLASSES[i][1]),
                    hatched, hint)
    def swatch(x, y, i):
        part(x, y - 7, 14, 14, i)
    y = key(canvas, 6, [(i, CLASSES[i][0]) for i in used], swatch)
    top, bottom = y + 26, y + 26 + height
    most = max([max(sum(b[1]), b[2] or 0) for b in bars] or [0])
    flag = wall if wall and most <= wall <= 2.5 * most else None
    scale, marks, texts = axes.up_from_zero([most, flag], bottom, top, height / 40)
    left = MARGIN + 12 + max(svg.text_width(w) for w in texts)
    right = canvas.width - MARGIN - 4
    canvas.text(MARGIN, top - 12, axis, css="muted")
    for value, text in zip(marks, texts):
        canvas.line(left, scale(value), right, scale(value), "rule")
        canvas.text(left - 6, scale(value) + 4, text, "end", "muted")
    room = (right - left) / max(len(bars), 1)
    wide = min(room * 0.84, 60)
    for n, (number, parts, worst) in enumerate(bars):
        x, so_far = left + room * (n + 0.5) - wide / 2, 0.0
        for i in used:
            if parts[i] > 0 and scale(so_far) - scale(so_far + parts[i]) > 0.2:
                part(x, scale(so_far + parts[i]), wide,
                     scale(so_far) - scale(so_far + parts[i]), i, "%s %s, %s: %s" % (
                         what, number, CLASSES[i][0], seconds_text(parts[i])))
            so_far += parts[i]
        if worst:
            canvas.line(x, scale(worst), x + wide, scale(worst), "ring")
    if flag:
        canvas.line(left, scale(flag), right, scale(flag), "flag")
        canvas.text(right, scale(flag) - 5, "run time", "end", "halo")
    return canvas.finish(column_axis(canvas, bars, left, right, bottom, what))


def column_axis(canvas, bars, left, right, y, what):
    room = (right - left) / max(len(bars), 1)
    widest = max([svg.text_width(str(b[0])) for b in bars] or [10]) + 8
    step = max(1, int(widest / room + 0.999))
    for n in range(0, len(bars), step):
        canvas.text(left + room * (n + 0.5), y + 16, str(bars[n][0]), "middle", "muted")
    canvas.text((left + right) / 2, y + 34, what, "middle", "muted")
    return y + 42


# ---- rows of files and folders -----------------------------------------------

ROW = 24
ASKED = 7               # colour


def names_of(canvas):
    """Returns the width of the column of names."""
    return 110 if canvas.narrow else LABELS


def row_label(canvas, words, y):
    """Draws a label; the end of a long name is kept, as it says more than its
    beginning."""
    shown = words
    while svg.text_width(shown) > names_of(canvas) and len(shown) > 2:
        shown = "\u2026" + shown[2:]
    canvas.text(MARGIN + names_of(canvas), y + 4, shown, "end", whole=words)


def powers_axis(canvas, low, high, x_of, top, bottom):
    step = max(1, -(-(high - low) * 70 // int(x_of(high) - x_of(low))))
    for i in range(low, high + 1, step):
        canvas.line(x_of(i), top, x_of(i), bottom, "rule")
        canvas.text(min(x_of(i), canvas.width - 24), bottom + 17, bytes_text(2 ** i),
                    "middle", "muted")


def layers(title, words, rows, narrow=False):
    """Draws bytes from what was asked for to what was done. `rows`: (name, colour,
    bytes asked for, bytes done)."""
    canvas = canvas_of("layers", title, words, narrow)
    names = [(ASKED, "asked for")] + [(colour, name) for name, colour in (
        ("read by the system", 0), ("written by the system", 1))
        if any(row[1] == colour for row in rows)]
    def mark(x, y, colour):
        canvas.marker(0, x, y, RADIUS, "line stroke%d" % colour if colour == ASKED
                      else css(colour))
    y = key(canvas, 6, names, lambda x, y, i: mark(x + 7, y, i))
    sizes = [n for row in rows for n in row[2:] if n > 0]
    low, high = int(min(sizes)).bit_length() - 1, int(max(sizes)).bit_length()
    low = max(0, min(low, high - 4))
    top, bottom = y + 8, y + 8 + ROW * len(rows)
    x_of = axes.Scale(low, high, MARGIN + names_of(canvas) + 16,
                      canvas.width - MARGIN - 60)
    powers_axis(canvas, low, high, x_of, top, bottom)
    for n, (name, colour, asked, done) in enumerate(rows):
        y = top + ROW * (n + 0.5)
        row_label(canvas, name, y)
        places = [x_of(math.log(max(n, 2 ** low), 2)) for n in (asked, done)]
        canvas.line(places[0], y, places[1], y, "axis")
        mark(places[1], y, colour)
        mark(places[0], y, ASKED)
        if asked and done:
            canvas.text(max(places) + 8, y + 4, "\u00d7 %.3g" % (done / asked),
                        css="muted")
    return canvas.finish(bottom + 26)


def folders(title, words, rows, narrow=False):
    """`rows`: (name, seconds, text beside its bar)."""
    canvas = canvas_of("folders", title, words, narrow)
    top, left = 6, MARGIN + names_of(canvas) + 16
    beside = max(svg.text_width(row[2]) for row in rows)
    room = canvas.width - MARGIN - left - beside - 8
    most = max(row[1] for row in rows) or 1
    for n, (name, seconds, beside) in enumerate(rows):
        y = top + ROW * (n + 0.5)
        row_label(canvas, name, y)
        canvas.rect(left, y - 7, max(1.0, room * seconds / most), 14, css(2))
        canvas.text(left + max(1.0, room * seconds / most) + 8, y + 4, beside,
                    css="muted")
    canvas.line(left, top, left, top + ROW * len(rows), "axis")
    return canvas.finish(top + ROW * len(rows) + 6)


# ---- sizes and durations -----------------------------------------------------


def spread(name, title, words, cells, colour, small, narrow=False):
    """`cells`: (log2 of bytes, log2 of ns, calls, seconds)."""
    canvas = canvas_of(name, title, words, narrow)
    x_low, x_high = min(c[0] for c in cells), max(c[0] for c in cells) + 1
    y_low, y_high = min(c[1] for c in cells), max(c[1] for c in cells) + 1
    x_low, x_high = min(x_low, x_high - 6), x_high
    y_low, y_high = max(0, min(y_low, y_high - 6)), y_high
    x_low = max(0, x_low)
    left, right, top = MARGIN + 70, canvas.width - MARGIN - 4, 34
    bottom = top + max(150, min(260, 22 * (y_high - y_low)))
    x_of = axes.Scale(x_low, x_high, left, right)
    y_of = axes.Scale(y_low, y_high, bottom, top)
    canvas.text(MARGIN, 14, "time of a call", css="muted")
    most = max(c[2] for c in cells)
    for size, time, calls, seconds in cells:
        share = (1 + len(bin(calls))) / float(1 + len(bin(most)))
        hint = "%s to %s, %s to %s: %s calls, %s in all" % (
            bytes_text(2 ** size), bytes_text(2 ** (size + 1)),
            seconds_text(2 ** time * 1e-9), seconds_text(2 ** (time + 1) * 1e-9),
            "{:,}".format(calls), seconds_text(seconds))
        canvas.rect(x_of(size), y_of(time + 1), x_of(size + 1) - x_of(size),
                    y_of(time) - y_of(time + 1), css(colour), hint=hint,
                    fill_opacity="%.2f" % (share * share))
    spread_axes(canvas, (x_low, x_high, y_low, y_high), x_of, y_of, left, right, bottom)
    if small and 2.0 ** x_low < small < 2.0 ** x_high:
        x = x_of(len(bin(int(small))) - 3 + small / 2.0 ** (len(bin(int(small))) - 3)
                 - 1)
        canvas.line(x, top, x, bottom, "flag")
        right_of = x < right - 170
        canvas.text(x + (5 if right_of else -5), top + 12,
                    "small: below " + bytes_text(small), None if right_of else "end",
                    "halo")
    return canvas.finish(bottom + 44)


def spread_axes(canvas, ends, x_of, y_of, left, right, bottom):
    x_low, x_high, y_low, y_high = ends
    powers_axis(canvas, x_low, x_high, x_of, bottom + 4, bottom)
    step = max(1, -(-(y_high - y_low) * 20 // int(bottom - y_of(y_high))))
    for i in range(y_low, y_high + 1, step):
        canvas.text(left - 6, y_of(i) + 4, seconds_text(2 ** i * 1e-9), "end", "muted")
    canvas.rect(left, y_of(y_high), right - left, bottom - y_of(y_high), "axis")
    canvas.text((left + right) / 2, bottom + 36, "bytes of a call", "middle", "muted")
