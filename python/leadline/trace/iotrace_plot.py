"""Draws the counts of "iotrace bins"; started by "iotrace plot".

The paper's four plots (accumulated non-I/O time, accumulated I/O time, accumulated
bytes, bytes by slice of time), a map of processes by time, and maps of the largest
files: place by time. Each as PNG and SVG.
"""
import argparse
import json
import os
import subprocess
import sys

if not __package__:  # "iotrace plot" starts it as a script
    sys.path.insert(0, os.path.abspath(os.path.join(__file__, "..", "..", "..")))

from leadline.base import output  # noqa: E402
from leadline.base.errors import LeadlineError  # noqa: E402
from leadline.base.fields import printable  # noqa: E402
from leadline.base.names import unit_of  # noqa: E402
from leadline.draw.draw_file import (Failure, load_matplotlib,  # noqa: E402
                                     plain)

LINES = 12        # processes that have a line of their own; more become a band
FEW_TICKS = 8
BLUE, RED, GREY = "#2266aa", "#c05020", "#777777"


def count(program, run, slices):
    child = subprocess.Popen([program, "bins", "--slices", str(slices), run],
                             stdout=subprocess.PIPE)
    out = child.communicate()[0]
    try:
        return json.loads(out.decode("utf-8", "replace")), child.returncode
    except ValueError:
        if child.returncode:  # it has printed why
            sys.exit(child.returncode)
        raise Failure("iotrace bins did not write what can be read")


# ---- figures ------------------------------------------------------------------


class Run:
    """The bins, and the processes to draw."""

    def __init__(self, bins, name):
        self.name = name
        self.seconds = bins["seconds"] or 1e-9
        self.slices = bins["slices"]
        self.width = self.seconds / self.slices
        ranked = [p for p in bins["processes"] if p["rank"] >= 0]
        # if there are ranks, launchers and helpers are not drawn
        self.processes = sorted(ranked, key=lambda p: p["rank"]) or bins["processes"]
        self.left_out = len(bins["processes"]) - len(self.processes)
        self.files = bins["files"]
        self.edges = [i * self.width for i in range(self.slices + 1)]
        self.what = "rank" if ranked else "process"

    def label(self, process):
        if process["rank"] >= 0:
            return "rank %d" % process["rank"]
        return "process %d" % process["pid"]


def accumulated(values):
    """Returns the sum up to each edge."""
    total, out = 0.0, [0.0]
    for value in values:
        total += value
        out.append(total)
    return out


def lived(run, process, edge):
    """Returns the seconds that the process had lived at that moment."""
    return min(max(edge - process["begin_s"], 0), process["end_s"] - process["begin_s"])


def io_time(run, process):
    return accumulated(process["io_s"])


def other_time(run, process):
    return [max(lived(run, process, edge) - io, 0)
            for edge, io in zip(run.edges, io_time(run, process))]


def moved(run, process):
    return accumulated([r + w for r, w in zip(process["read_bytes"],
                                              process["written_bytes"])])


def total(run, key):
    return [sum(p[key][i] for p in run.processes) for i in range(run.slices)]


# ---- pictures -----------------------------------------------------------------


def new_picture(plt, run, title):
    figure, axes = plt.subplots(figsize=(9, 5), constrained_layout=True)
    axes.set_title("%s\n%s" % (title, plain(run.name)), fontsize=11)
    axes.set_xlabel("time since the first process began (s)")
    axes.set_xlim(0, run.seconds)
    return figure, axes


def by_process(run, axes, curve, scale=1.0):
    """Draws a line for each process, or their range and mean if there are many."""
    curves = [[v / scale for v in curve(run, p)] for p in run.processes]
    if len(curves) <= LINES:
        for p, values in zip(run.processes, curves):
            axes.plot(run.edges, values, label=run.label(p), linewidth=1.5)
        if len(curves) > 1:
            axes.legend(fontsize=9, ncol=2)
    else:
        columns = list(zip(*curves))
        axes.fill_between(run.edges, [min(c) for c in columns],
                          [max(c) for c in columns], color=BLUE, alpha=0.25,
                          label="least to most of %d" % len(curves))
        axes.plot(run.edges, [sum(c) / len(c) for c in columns], color=BLUE,
                  label="mean of a " + run.what)
        axes.legend(fontsize=9)
    axes.set_ylim(bottom=0)


def draw_other_time(plt, run):
    figure, axes = new_picture(plt, run, "Accumulated time outside of I/O")
    by_process(run, axes, other_time)
    axes.set_ylabel("accumulated non-I/O time (s)")
    return figure


def draw_io_time(plt, run):
    figure, axes = new_picture(plt, run, "Accumulated time in I/O")
    by_process(run, axes, io_time)
    axes.set_ylabel("accumulated I/O time (s)")
    return figure


def draw_moved(plt, run):
    figure, axes = new_picture(plt, run, "Accumulated bytes moved")
    largest = max([moved(run, p)[-1] for p in run.processes] or [0])
    unit, size = unit_of(largest)
    by_process(run, axes, moved, size)
    axes.set_ylabel("bytes read and written (%s)" % unit)
    return figure


def draw_slices(plt, run):
    figure, axes = new_picture(plt, run, "Bytes moved in each of %d slices of %.3g s"
                               % (run.slices, run.width))
    read, written = total(run, "read_bytes"), total(run, "written_bytes")
    unit, size = unit_of(max([r + w for r, w in zip(read, written)] or [0]))
    read, written = [v / size for v in read], [v / size for v in written]
    both = [r + w for r, w in zip(read, written)]
    axes.stairs(both, run.edges, baseline=read, fill=True, color=RED, label="written")
    axes.stairs(read, run.edges, fill=True, color=BLUE, label="read")
    axes.set_ylabel("bytes per slice, all processes (%s)" % unit)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=9)
    return figure


def draw_processes(plt, run):
    figure, axes = new_picture(plt, run, "Share of time in I/O, by %s" % run.what)
    share = [[min(100 * v / run.width, 100) for v in p["io_s"]] for p in run.processes]
    n = len(share)
    image = axes.imshow(share, aspect="auto", interpolation="nearest", vmin=0,
                        vmax=max(max(row) for row in share) or 1, cmap="viridis",
                        origin="lower", extent=(0, run.seconds, -0.5, n - 0.5))
    axes.grid(False)
    figure.colorbar(image, ax=axes, label="share of the slice in I/O (%)")
    step = max(1, -(-n // FEW_TICKS))
    axes.set_yticks(range(0, n, step))
    axes.set_yticklabels([str(p["rank"] if p["rank"] >= 0 else p["pid"])
                          for p in run.processes[::step]])
    axes.set_ylabel(run.what)
    return figure


def short(name, width=70):
    return name if len(name) <= width else "..." + name[3 - width:]


def draw_file(plt, run, found):
    title = "Places in %s" % plain(short(found["name"]))
    figure, axes = new_picture(plt, run, title)
    axes.set_title(title, fontsize=11)
    unit, size = unit_of(found["end"])
    top = found["end"] / size
    largest = max(max(max(row) for row in found[key])
                  for key in ("read_bytes", "written_bytes"))
    for key, colors, label in (("read_bytes", "Blues", "read"),
                               ("written_bytes", "Reds", "written")):
        grid = found[key]
        if not any(any(row) for row in grid):
            continue
        name, scale = unit_of(largest)
        shown = [[v / scale if v > 0 else float("nan") for v in row] for row in grid]
        image = axes.imshow(shown, aspect="auto", interpolation="nearest",
                            origin="lower", cmap=colors, alpha=0.75,
                            extent=(0, run.seconds, 0, top), vmin=-largest / scale / 3,
                            vmax=largest / scale)
        bar = figure.colorbar(image, ax=axes, pad=0.02, label="%s (%s per cell)" % (
            label, name), boundaries=[i * largest / scale / 100 for i in range(101)])
        bar.locator = plt.MaxNLocator(5)
        bar.update_ticks()
    axes.set_ylabel("offset (%s)" % unit)
    return figure


PICTURES = [("non_io_time", draw_other_time), ("io_time", draw_io_time),
            ("bytes_moved", draw_moved), ("bytes_per_slice", draw_slices),
            ("%s_by_time", draw_processes)]


def save(plt, figure, folder, name):
    for suffix in ("png", "svg"):
        with output.replacing(os.path.join(folder, "%s.%s" % (name, suffix))) as stream:
            figure.savefig(stream, format=suffix)
    plt.close(figure)
    output.say(printable(os.path.join(folder, name + ".png")) + "\n")


def draw(plt, run, folder):
    for name, picture in PICTURES:
        save(plt, picture(plt, run), folder, name.replace("%s", run.what))
    for i, found in enumerate(run.files):
        save(plt, draw_file(plt, run, found), folder, "file_%d_by_time" % (i + 1))


def main():
    parser = argparse.ArgumentParser(prog="iotrace plot")
    parser.add_argument("--program", required=True)
    parser.add_argument("--slices", type=int, default=200)
    parser.add_argument("--out", default="")
    parser.add_argument("run")
    args = parser.parse_args()
    try:
        plt = load_matplotlib()
        bins, status = count(args.program, args.run, args.slices)
        run = Run(bins, short(os.path.basename(os.path.abspath(args.run))))
        if not run.processes:
            raise Failure("there is nothing to draw in %s" % args.run)
        folder = args.out or (os.path.join(args.run, "plots")
                              if os.path.isdir(args.run) else "plots")
        os.makedirs(folder, exist_ok=True)
        draw(plt, run, folder)
    except BrokenPipeError:
        return 1
    except (Failure, LeadlineError, OSError) as why:
        sys.stderr.write("iotrace plot: %s\n" % printable(why))
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
