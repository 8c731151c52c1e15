#!/usr/bin/env python3
"""How well the filters of pfmload tell false soundings: filters.py BUILD [DIR]

Makes surveys with gsfgen in DIR, which says where their false depths are, loads each
with one filter after the other, and prints how many of the false soundings a filter
cut (recall) and how much of what it cut was false (precision). Soundings that the
survey has flagged itself count for neither. The filters' numbers are sigma, as pfmload
takes them.

First all filters, on the smooth sea floor; then the swath filter on each terrain, with
spikes of 3 to 12 % of the depth, in 0.4, 3 and 12 % of the beams; then, of 3 %, how
many it finds by their size, and how many could be found: those that are beyond all
neighbours but one of the same survey without spikes, by the filter's floor."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

FILES = 2
TERRAINS = ("smooth", "rugged", "wrecks", "canyon")
SHARES = ("0.4", "3", "12")
BIN_M = 6  # about 5 soundings in each, at the survey's depth
MANUALLY_INVAL, FILTER_INVAL = 1, 2
SIZES = (3, 4, 6, 9, 12)  # percent of the depth
FLOOR = 0.015             # of the swath filter
AROUND = [(0, -2), (0, -1), (0, 1), (0, 2)] + [(p, b) for p in (-1, 1)
                                              for b in (-1, 0, 1)]

FILTERS = [("swath, sigma %s" % n, ["--swath-filter", "--swath-sigma=%s" % n])
           for n in (1, 2, 3, 4)]
FILTERS += [("area, %s, n = %s" % (order, n), ["--area-filter=%s" % n,
                                               "--area-order=" + order])
            for n in (1.5, 2, 3) for order in ("two-pass", "raster")]
FILTERS += [("both, 2 and 3", ["--swath-filter", "--area-filter=3"])]


def truth(folder, names):
    """The false soundings: a set of (file, ping, beam)."""
    found = set()
    for number, name in enumerate(names):
        with open(os.path.join(folder, name.replace(".gsf", ".spikes"))) as f:
            next(f)
            found.update((number, int(ping), int(beam))
                         for ping, beam in (line.split(",") for line in f))
    return found


def header(path):
    """A PFM's header: {key: text}."""
    with open(path, "rb") as f:
        text = f.read(131072).decode("ascii", "replace")
    return dict(re.findall(r"^\[(.*?)\] = (.*)$", text, re.M))


def soundings(pfm):
    """(file, ping, beam, validity, depth) of each sounding, in the order of blocks.
    Pings begin at 1: where the ping is 0, a block has no sounding."""
    name = os.path.join(pfm + ".data", os.path.basename(pfm))
    head = header(name + ".bin")
    bits = {key[:-5]: int(text) for key, text in head.items() if key.endswith(" BITS")}
    fields = ("FILE NUMBER", "LINE NUMBER", "PING NUMBER", "BEAM NUMBER", "DEPTH",
              "OFFSET", "OFFSET", "VALIDITY", "HORIZONTAL ERROR", "VERTICAL ERROR")
    widths = [bits.get(field, 0) for field in fields]
    size, length = sum(widths), int(head["RECORD LENGTH"])
    block_bytes = (size * length + bits["RECORD POINTER"] + 7) // 8
    shift = [size - sum(widths[:i + 1]) for i in range(len(fields))]
    mask = [(1 << width) - 1 for width in widths]
    scale, offset = float(head["DEPTH SCALE"]), float(head["DEPTH OFFSET"])
    with open(name + ".ndx", "rb") as f:
        for block in iter(lambda: f.read(block_bytes), b""):
            word = int.from_bytes(block, "big")
            for i in range(length):
                one = word >> (8 * block_bytes - (i + 1) * size)
                file, ping, beam, validity, depth = ((one >> shift[k]) & mask[k]
                                                     for k in (0, 2, 3, 7, 4))
                if ping:
                    yield file, ping, beam, validity, depth / scale - offset


def measure(pfm, false):
    """(recall, precision, soundings cut)"""
    there = hits = cut = 0
    for file, ping, beam, validity, _ in soundings(pfm):
        if validity & MANUALLY_INVAL:
            continue
        spike = (file, ping, beam) in false
        there += spike
        cut += validity & FILTER_INVAL != 0
        hits += spike and validity & FILTER_INVAL != 0
    return hits / there, hits / cut if cut else float("nan"), cut


def depths(pfm, _):
    """{(ping, beam): (depth, whether a filter cut it)} of a survey's one file."""
    return {(ping, beam): (depth, bool(validity & FILTER_INVAL))
            for _, ping, beam, validity, depth in soundings(pfm)
            if not validity & MANUALLY_INVAL}


def apart(clean, ping, beam, depth):
    """Whether a depth is beyond all but one of its neighbours without spikes."""
    near = sorted(clean[at][0] for at in ((ping + p, beam + b) for p, b in AROUND)
                  if at in clean)
    return len(near) > 3 and (depth < near[1] - FLOOR * depth or
                              depth > near[-2] + FLOOR * depth)


def survey(build, top, *options, look=measure):
    """Loads of a survey by filters: a function of pfmload's options, which gives what
    `look` finds in a PFM whose false soundings it is told."""
    folder = tempfile.mkdtemp(dir=top)
    subprocess.check_call([os.path.join(build, "gsfgen"), "--truth", "--quiet",
                           "--dir", folder] + list(options))
    names = sorted(name for name in os.listdir(folder) if name.endswith(".gsf"))
    false = truth(folder, names)
    pfm = os.path.join(folder, "x.pfm")

    def load(options):
        subprocess.check_call(
            [os.path.join(build, "pfmload"), "--bin-size=%d" % BIN_M, "-o", pfm,
             "--quiet", "--area-serial"] +
            options + [os.path.join(folder, name) for name in names])
        found = look(pfm, false)
        os.remove(pfm)
        shutil.rmtree(pfm + ".data")
        return found
    return load


def all_filters(build, top):
    load = survey(build, top, "--files=%d" % FILES)
    print("%-26s  %9s  %9s  %9s" % ("filter", "recall", "precision", "cut"))
    for text, options in FILTERS:
        print("%-26s  %9.4f  %9.4f  %9d" % ((text,) + load(options)), flush=True)


def terrains(build, top):
    print("\nswath, sigma 2, spikes of 3 to 12 %% of the depth: recall, precision\n\n"
          "%-8s" % "terrain" + "".join("  %18s" % (share + " % of beams")
                                       for share in SHARES))
    for terrain in TERRAINS:
        found = [survey(build, top, "--files=1", "--pings=500", "--terrain=" + terrain,
                        "--spikes=" + share, "--spike-size=3-12")(["--swath-filter"])
                 for share in SHARES]
        print("%-8s" % terrain + "".join("  %9.3f %8.3f" % one[:2] for one in found),
              flush=True)


def by_size(build, top):
    print("\nthe same, 3 %% of beams: recall, and the part that could be found\n\n"
          "%-8s" % "terrain" + "".join("  %12s" % ("%d to %d %%" % size)
                                       for size in zip(SIZES, SIZES[1:])))
    for terrain in TERRAINS:
        ground = ("--files=1", "--pings=500", "--terrain=" + terrain)
        clean = survey(build, top, *ground, "--spikes=0", look=depths)([])
        found = survey(build, top, *ground, "--spikes=3", "--spike-size=3-12",
                       look=lambda pfm, false: (depths(pfm, None), false))
        there, false = found(["--swath-filter"])
        count = {size: [0, 0, 0] for size in SIZES[:-1]}
        for _, ping, beam in false:
            at = (ping, beam)
            if at not in there or at not in clean:
                continue
            depth, cut = there[at]
            off = 100 * abs(depth / clean[at][0] - 1)
            size = [s for s in SIZES[:-1] if s <= off]
            if size and off <= SIZES[-1]:
                one = count[size[-1]]
                one[0] += 1
                one[1] += cut
                one[2] += apart(clean, ping, beam, depth)
        print("%-8s" % terrain + "".join("  %6.3f %5.3f" % (hit / n, could / n)
                                         for n, hit, could in count.values()),
              flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    top = tempfile.mkdtemp(dir=sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        all_filters(build, top)
        terrains(build, top)
        by_size(build, top)
    finally:
        shutil.rmtree(top)


if __name__ == "__main__":
    main()
