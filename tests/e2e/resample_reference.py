"""The right results of outcore resample, computed by plain Python in 64-bit numbers
from the definitions only: an image of a seed, weights and pixels.

As a program it compares itself with numbers that other programs confirmed, and with
GDAL's and Pillow's Lanczos filters if they are installed:

    python3 resample_reference.py

Nothing here is fast: for images of some ten thousand pixels."""
import math
import sys

from graph_reference import key_of, number

IMAGE, HEAD = 6, 4096


def image(width, height, seed=1):
    """Returns rows of 16-bit noise."""
    key = key_of(seed, IMAGE)
    return [[number(key, y * width + x) >> 48 for x in range(width)]
            for y in range(height)]


# ---- weights and pixels --------------------------------------------------------------

def lanczos(d, k):
    if d == 0:
        return 1.0
    if abs(d) >= k:
        return 0.0
    return k * math.sin(math.pi * d) * math.sin(math.pi * d / k) / (math.pi * d) ** 2


def place(big, scale, shift):
    """Returns the place of output pixel `big` of an axis, in input pixels."""
    return (big + 0.5) / scale - 0.5 + shift


def taps(x, k):
    """Returns (number, weight) of the input pixels around x; k = 0: the nearest one."""
    if not k:
        return [(math.floor(x + 0.5), 1.0)]
    first = math.floor(x) - k + 1
    return [(i, lanczos(x - i, k)) for i in range(first, first + 2 * k)]


def treated(some, n, edge, normalize):
    """Returns the taps inside of an axis of n pixels. None: a pixel without support is
    0."""
    inside = [(i, w) for i, w in some if 0 <= i < n]
    if edge == "clamp":
        inside = [(min(max(i, 0), n - 1), w) for i, w in some]
    elif edge == "zero" and len(inside) < len(some):
        return None
    whole = sum(w for _, w in inside) if normalize else 1.0
    return [(i, w / whole) for i, w in inside]


def axis(n, scale, k, shift=0.0, edge="renorm", normalize=True):
    return [treated(taps(place(big, scale, shift), k), n, edge, normalize)
            for big in range(n * scale)]


def resampled(rows, scale, k, shift=(0.0, 0.0), edge="renorm", normalize=True):
    """Returns the output's rows; scale is that of an axis, shift is (columns, rows)."""
    across = axis(len(rows[0]), scale, k, shift[0], edge, normalize)
    down = axis(len(rows), scale, k, shift[1], edge, normalize)
    wide = [[sum(w * row[i] for i, w in some) if some else 0.0 for some in across]
            for row in rows]
    return [[sum(w * wide[i][x] for i, w in some) if some and across[x] else 0.0
             for x in range(len(across))] for some in down]


# ---- self-test -----------------------------------------------------------------------

# Normalised weights of the pixels around, by k and the fraction of the place.
WEIGHTS = {(2, .25): (-0.083880068, 0.868606543, 0.233000189, -0.017726664),
           (3, .25): (0.030112285, -0.133274636, 0.892770774, 0.271010568,
                      -0.067997263, 0.007378271),
           (3, .5): (0.024456522, -0.135869565, 0.611413043, 0.611413043,
                     -0.135869565, 0.024456522),
           (4, .25): (-0.015054174, 0.055448985, -0.152303909, 0.893388591,
                      0.282683940, -0.091660566, 0.031467750, -0.003970616)}
# Image 64 x 48: edge, scale, k, shift, then a pixel (row, column) and its value, or
# None and the sum of all.
PIXELS = (
    ("clamp", 1, 2, .25, (24, 20), 33022.591269),
    ("clamp", 1, 2, .25, None, 101876013.22),
    ("clamp", 1, 3, .25, (24, 20), 32503.955467),
    ("clamp", 1, 3, .25, None, 101883021.60),
    ("clamp", 1, 4, .25, (24, 20), 32455.387452),
    ("clamp", 1, 4, .25, None, 101894594.95),
    ("clamp", 1, 0, .25, (24, 20), 27145), ("clamp", 1, 0, .25, None, 101853959),
    ("clamp", 2, 2, 0, (48, 40), 24156.581369), ("clamp", 2, 2, 0, None, 407417252.28),
    ("clamp", 2, 3, 0, (48, 40), 21632.281421), ("clamp", 2, 3, 0, None, 407434430.49),
    ("clamp", 2, 4, 0, (48, 40), 20771.549044), ("clamp", 2, 4, 0, None, 407447292.34),
    ("clamp", 4, 2, 0, (96, 80), 25190.217428),
    ("clamp", 4, 3, 0, (96, 80), 21525.046060),
    ("clamp", 4, 4, 0, (96, 80), 20052.072280),
    ("clamp", 2, 2, 0, (0, 0), 44054.835566), ("clamp", 2, 3, 0, (0, 0), 40916.992149),
    ("clamp", 2, 4, 0, (0, 0), 38536.385272),
    ("renorm", 1, 2, .25, (0, 0), 50500.510784),
    ("renorm", 1, 2, .25, (-1, -1), 72614.717994),
    ("renorm", 1, 2, .25, None, 101875754.7068),
    ("renorm", 1, 3, .25, (0, 0), 53079.555801),
    ("renorm", 1, 3, .25, (-1, -1), 74644.723865),
    ("renorm", 1, 3, .25, None, 101869778.0567),
    ("renorm", 1, 4, .25, (0, 0), 54584.636748),
    ("renorm", 1, 4, .25, (-1, -1), 75338.619287),
    ("renorm", 1, 4, .25, None, 101872556.0089),
    ("renorm", 2, 2, 0, (0, 0), 43329.272983),
    ("renorm", 2, 2, 0, None, 407406464.2263),
    ("renorm", 2, 3, 0, (0, 0), 39238.606644),
    ("renorm", 2, 3, 0, None, 407343326.7655),
    ("renorm", 2, 4, 0, (0, 0), 35988.901787),
    ("renorm", 2, 4, 0, None, 407301789.8500),
    ("renorm", 2, 4, 0, (-1, -1), 75338.619287),
    ("renorm", 4, 3, 0, (0, 0), 36476.084389),
    ("renorm", 4, 3, 0, (-1, -1), 79422.512213),
    ("renorm", 4, 3, 0, None, 1629373279.9953))


def report(what, good, found=""):
    print(("ok     " if good else "NOT OK ") + ("%s %s" % (what, found)).rstrip())
    return good


def known_numbers():
    rows, cache = image(64, 48), {}
    yield report("image", rows[0][:4] == [46343, 59555, 2233, 62944]
                 and sum(map(sum, rows)) == 101853959)
    for (k, x), right in WEIGHTS.items():
        found = [w for _, w in treated(taps(x, k), 2 * k, "clamp", True)]
        yield report("weights k = %d, %g" % (k, x), all(
            abs(a - b) < 1e-9 for a, b in zip(found, right)))
    for edge, scale, k, shift, at, right in PIXELS:
        name = edge, scale, k, shift
        if name not in cache:
            cache[name] = resampled(rows, scale, k, (shift, shift), edge)
        out = cache[name]
        found = out[at[0]][at[1]] if at else sum(map(sum, out))
        near = 6e-7 if at else .006 if edge == "clamp" else 6e-5
        yield report("%s scale %d k = %d shift %g %s" % (*name, at),
                     abs(found - right) < near, found)
    for k, right in ((2, 10980), (3, 10148), (4, 9348)):
        out = resampled(rows, 2, k, edge="zero")
        yield report("zero, k = %d" % k, sum(p != 0 for r in out for p in r) == right)


def of_gdal(rows, scale):
    import numpy
    from osgeo import gdal
    gdal.UseExceptions()
    source = gdal.GetDriverByName("MEM").Create("", len(rows[0]), len(rows), 1,
                                                gdal.GDT_Float32)
    source.SetGeoTransform((0, 1, 0, len(rows), 0, -1))
    source.GetRasterBand(1).WriteArray(numpy.array(rows, dtype="float32"))
    out = gdal.Warp("", source, format="MEM", resampleAlg="lanczos",
                    width=scale * len(rows[0]), height=scale * len(rows))
    return out.ReadAsArray().tolist()


def of_pillow(rows, scale):
    import numpy
    from PIL import Image
    some = Image.fromarray(numpy.array(rows, dtype="float32"))
    lanczos3 = getattr(Image, "Resampling", Image).LANCZOS
    return numpy.asarray(some.resize((scale * some.width, scale * some.height),
                                     lanczos3)).tolist()


def others():
    rows = image(64, 48)
    for name, other in (("GDAL", of_gdal), ("Pillow", of_pillow)):
        for scale in (2, 4):
            try:
                found = other(rows, scale)
            except ImportError as error:
                print("       %s is not there: %s" % (name, error))
                break
            right = resampled(rows, scale, 3)
            worst = max(abs(a - b) for x, y in zip(found, right) for a, b in zip(x, y))
            yield report("%s, scale %d" % (name, scale), worst / 65535 < 1e-6,
                         "%.1e of full scale" % (worst / 65535))


def main():
    sys.exit(not all([*known_numbers(), *others()]))


if __name__ == "__main__":
    main()
