"""Draws shapes into files: SVG by our own hand, PNG and PDF by matplotlib, which is
imported only for these."""
import math
import os

from leadline import draw_svg, output, shapes, svg, svg_time
from leadline.errors import LeadlineError, usage
from leadline.iotrace_plot import Failure, load_matplotlib, plain

FORMATS = (".svg", ".png", ".pdf")
MARKERS = "os^Dv*PX"
HATCHES = ["", "//", "\\\\", "--", "||", "++", "==", "xx"]
ROW = 0.28     # inches for each mark of a row
CHARS = 110    # small ones that fit above the axes


def check(path):
    if os.path.splitext(path)[1].lower() not in FORMATS:
        raise usage("%s: the picture's name must end in %s" % (
            path, " or ".join(FORMATS)))


def draw(picture, path):
    try:
        with output.replacing(path) as stream:
            if path.lower().endswith(".svg"):
                stream.write(output.encoded(draw_svg.draw(picture, alone=True)))
            else:
                draw_with_matplotlib(picture, stream, path[-3:].lower())
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


def draw_with_matplotlib(picture, stream, form):
    try:
        plt = load_matplotlib()
    except Failure as why:
        raise LeadlineError("%s; a name that ends in .svg needs none" % why)
    made = HOW[type(picture)](plt, picture)
    made.savefig(stream, format=form)
    plt.close(made)


def color(i):
    return svg.LIGHT[i % svg.SERIES]


def new(plt, picture, height):
    made, on = plt.subplots(figsize=(9, height), constrained_layout=True)
    on.set_title(plain(picture.title), fontsize=11)
    return made, on


def bar(on, i, x, y, found, upright):
    """The interval of a mark or point at (x, y)."""
    centre = y if upright else x
    if found.low is not None:
        reach = [[max(centre - found.low, 0)], [max(found.high - centre, 0)]]
        on.errorbar([x], [y], fmt="none", ecolor=color(i), capsize=3,
                    **{"yerr" if upright else "xerr": reach})


def legend(on):
    if len(on.get_legend_handles_labels()[1]) > 1:
        on.legend(fontsize=9)


# ---- the shapes --------------------------------------------------------------


def rows(plt, picture):
    marks = sum(len(row.marks) for row in picture.rows)
    made, on = new(plt, picture, 1.6 + ROW * marks + 0.1 * len(picture.rows))
    y, places, seen = 0.0, [], set()
    for row in picture.rows:
        places.append(y + (len(row.marks) - 1) / 2.0)
        for found in row.marks:
            i = picture.series.index(found.series)
            on.plot(found.values, [y] * len(found.values), MARKERS[i % 8], color=color(
                i), alpha=0.3, markersize=4)
            bar(on, i, found.centre, y, found, False)
            on.plot([found.centre], [y], MARKERS[i % 8], color=color(i),
                    label=None if i in seen else plain(found.series))
            seen.add(i)
            y += 1
        y += 0.5
    on.set_yticks(places)
    on.set_yticklabels([plain(" ".join(filter(None, (r.group, r.label))))
                        for r in picture.rows])
    on.set_ylim(y - 0.25, -0.75)
    on.set_xlabel(plain(picture.axis))
    on.axvline(0, color="#777777", linewidth=0.8)
    legend(on)
    return made


def draw_series(on, series, i, at):
    style = MARKERS[i % 8] + ("-" if series.joined else "")
    on.plot([at(p.x) for p in series.points], [p.y for p in series.points], style,
            color=color(i), label=plain(series.name))
    for p in series.points:
        on.plot([at(p.x)] * len(p.values), p.values, MARKERS[i % 8], color=color(i),
                alpha=0.3, markersize=4)
        bar(on, i, at(p.x), p.y, p, True)
        if p.ringed:
            on.plot([at(p.x)], [p.y], "o", color="#333333", markersize=14,
                    fillstyle="none")


def lines(plt, picture):
    made, on = new(plt, picture, 5)

    def at(x):   # what matplotlib calls log base 2 depends on its version
        return math.log(x, 2) if picture.x_log else x
    for i, series in enumerate(picture.series):
        draw_series(on, series, i, at)
    xs = sorted(set(p.x for s in picture.series for p in s.points))
    if picture.x_log:
        on.set_xticks([at(x) for x in xs])
        on.set_xticklabels(["%g" % x for x in xs])
    elif all(x == int(x) for x in xs):
        on.xaxis.set_major_locator(plt.MaxNLocator(integer=True))
    for x, text in picture.flags:
        on.axvline(x, color="#333333", linestyle="--")
        on.text(x, 1.01, plain(text), transform=on.get_xaxis_transform(), ha="center",
                va="bottom", fontsize=9)
        on.set_title(plain(picture.title), fontsize=11, pad=18)
    on.set_xlabel(plain(picture.x_axis))
    on.set_ylabel(plain(picture.y_axis))
    on.set_ylim(bottom=0)
    legend(on)
    return made


def stacks(plt, picture):
    made, on = new(plt, picture, 1.8 + ROW * len(picture.bars))
    begin = [0.0] * len(picture.bars)
    for i, part in enumerate(picture.parts):
        values = [b.values[i] for b in picture.bars]
        if not any(values):
            continue
        n, hatch = svg.PARTS[i % len(svg.PARTS)]
        on.barh(range(len(values)), values, left=begin, edgecolor="w",
                color=color(n), hatch=HATCHES[hatch], label=plain(part))
        begin = [b + v for b, v in zip(begin, values)]
    on.set_yticks(range(len(picture.bars)))
    on.set_yticklabels([plain(" ".join(filter(None, (b.group, b.label))))
                        for b in picture.bars])
    on.invert_yaxis()
    on.set_xlabel(plain(picture.axis))
    on.legend(fontsize=9, ncol=4, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    return made


def heat(plt, picture):
    named = picture.y_ticks is not None
    made, on = new(plt, picture, 4.5)
    shift = 0.5 if named else 0.0
    image = on.imshow(picture.grid, aspect="auto", interpolation="nearest", vmin=0,
                      vmax=1, cmap="Blues", origin="lower", extent=(
                          0, picture.x_end, -shift, picture.y_end - shift))
    on.grid(False)
    if named:
        on.set_yticks([row for row, _ in picture.y_ticks])
        on.set_yticklabels([plain(words) for _, words in picture.y_ticks])
    else:
        on.set_ylabel(plain(picture.y_axis))
    on.set_xlabel(plain(picture.x_axis))
    scale = made.colorbar(image, ax=on, ticks=[0, 1])
    scale.ax.set_yticklabels(["0", plain(picture.top)])
    return made


def timeline(plt, picture):
    made, every = plt.subplots(2, 1, figsize=(9, 6), sharex=True, squeeze=False,
                               constrained_layout=True,
                               gridspec_kw={"height_ratios": svg_time.HEIGHTS})
    every = [row[0] for row in every]
    for on, panel in zip(every, picture.panels):
        draw_panel(on, picture, panel)
    top = every[0]
    top.set_title(plain(picture.title), fontsize=11, pad=34 if picture.stalls else 22)
    for height, spans in ((4, picture.stalls),
                          (18 if picture.stalls else 4, picture.bands)):
        span_texts(top, spans, height)
    every[-1].set_xlabel(plain(picture.x_axis))
    every[-1].legend(*top.get_legend_handles_labels(), fontsize=9, ncol=3,
                     loc="upper center", bbox_to_anchor=(0.5, -0.25))
    return made


def draw_panel(on, picture, panel):
    begins = [b for b, _, _ in panel.cells]
    widths = [e - b for b, e, _ in panel.cells]
    base = [0.0] * len(begins)
    for i, part in enumerate(picture.parts):
        n, hatch = svg_time.look(picture, i)
        values = [v[i] for _, _, v in panel.cells]
        on.bar(begins, values, widths, base, align="edge", color=color(n), alpha=0.8,
               label=plain(part))
        if panel.stacked:
            base = [b + v for b, v in zip(base, values)]
    for span in picture.bands:
        on.axvspan(span.begin, span.end, color="#d9d9d9", alpha=0.4, zorder=0)
    for i, span in enumerate(picture.stalls):
        on.axvspan(span.begin, span.end, facecolor="none", edgecolor="#5a5a5a",
                   hatch="//", label=None if i else "stall")
    on.set_ylabel(plain(panel.axis), fontsize=8)
    on.set_ylim(0, 1.05 * svg_time.reach(panel) or 1)
    scale = svg_time.time_axis(picture, 0, 700)[0]
    on.set_xlim(scale.low, scale.high)


def span_texts(on, spans, height):
    """Above the axes, as many as have room."""
    low, high = on.get_xlim()
    char, last = (high - low) / CHARS, -math.inf
    for span in sorted(spans, key=lambda s: s.begin):
        at, half = (span.begin + span.end) / 2, (len(span.text) + 1) * char / 2
        if at - half > last:
            on.annotate(plain(span.text), (at, 1), (0, height), fontsize=8,
                        xycoords=on.get_xaxis_transform(), ha="center",
                        textcoords="offset points")
            last = at + half


def relief(plt, picture):
    from matplotlib.colors import LinearSegmentedColormap
    width = 7.0
    height = width * picture.height_m / picture.width_m
    made, on = new(plt, picture, max(2.5, min(height + 1, 12)))
    scale, unit = (1e-3, "km") if picture.width_m >= 5000 else (1.0, "m")
    on.imshow([[row[i:i + 3] for i in range(0, len(row), 3)]
               for row in map(list, picture.rows)], interpolation="nearest", extent=(
                   0, picture.width_m * scale, 0, picture.height_m * scale))
    on.grid(False)
    on.set_xlabel("east (%s)" % unit)
    on.set_ylabel("north (%s)" % unit)
    if picture.ends:
        colours = LinearSegmentedColormap.from_list(
            "depth", [tuple(c / 255.0 for c in stop) for stop in picture.stops])
        bar = made.colorbar(plt.cm.ScalarMappable(
            plt.Normalize(*picture.ends), colours), ax=on, shrink=0.8)
        bar.set_label("depth (m)")
        bar.ax.invert_yaxis()
    return made


HOW = {shapes.Rows: rows, shapes.Lines: lines, shapes.Stacks: stacks, shapes.Heat: heat,
       shapes.Timeline: timeline, shapes.Relief: relief}
