#!/usr/bin/env python3
"""outcore resample beside SWarp, Pillow and GDAL's warp, one thread each: an A/B
measurement, never a test.

    PYTHON bench/resample.py [options]   from a build directory, or with --build DIR

PYTHON is one that has numpy, Pillow and osgeo (Debian: python3-numpy, python3-pil,
python3-gdal); SWarp is Debian's swarp. A peer that is not there is left out. A round is
A (the peer), B (outcore resample), A' (the peer again), and gives one ratio
B / mean(A, A') and one A'/A. Printed are the medians over the rounds, and the range of
A'/A, which is the noise.

What is the same on both sides: the image (16-bit noise of seed 1), the kernel, the
scale, and 32-bit floating-point output. In the first round the pixels are compared:
with Pillow and GDAL all of them, with SWarp those that have full support.

What is measured: MB of output for a second of the processor. Pillow and GDAL: in the
call that resamples, from memory to memory. SWarp: all of the process, which reads and
writes files, and also writes an image of weights. Ours, twice: `compute` is the time in
tiles alone, to compare with Pillow and GDAL; `process` is all of it, with the start of
MPI, the making of the image, reading, writing and the check."""
import argparse
import json
import math
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.update({"OMP_NUM_THREADS": "1", "GDAL_NUM_THREADS": "1"})
HEAD, FULL = 4096, 65535
TAPS = {1: 0, 16: 2, 36: 3, 64: 4}
LINEAR = {1: 1, 4: 2, 16: 4}


def arguments():
    p = argparse.ArgumentParser(description="outcore resample against its peers.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default="/dev/shm", help="for the images [/dev/shm]")
    p.add_argument("--size", type=int, default=2048, help="of the input's side [2048]")
    p.add_argument("--scale", type=int, default=4, choices=(4, 16), help="[4]")
    p.add_argument("--rounds", type=int, default=5, help="[5]")
    p.add_argument("--only", nargs="+", default=["swarp", "pillow", "gdal"],
                   choices=["swarp", "pillow", "gdal"], help="[all of them]")
    p.add_argument("--json", help="write all figures to this file")
    return p.parse_args()


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def noise(np, size):
    """The image of seed 1, as outcore resample makes it."""
    def mix(x):
        x = (x ^ x >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
        x = (x ^ x >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
        return x ^ x >> np.uint64(31)
    step = np.uint64(0x9e3779b97f4a7c15)
    with np.errstate(over="ignore"):
        key = mix(mix(np.uint64(1) + step) + np.uint64(6))
        pixels = mix(key + np.arange(1, size * size + 1, dtype=np.uint64) * step)
    return (pixels >> np.uint64(48)).astype(np.uint16).reshape(size, size)


class Ours:
    def __init__(self, args, folder):
        self.args, self.out = args, os.path.join(folder, "ours.llimg")
        self.report = os.path.join(folder, "report.json")
        self.folder = folder

    def run(self, taps, edge="renorm"):
        """MB/s of the processor in tiles, and in all."""
        before = children()
        subprocess.run(
            [os.path.join(self.args.build, "outcore"), "resample", "--seed=1",
             "--width=%d" % self.args.size, "--height=%d" % self.args.size,
             "--scale=%d" % self.args.scale, "--taps=%d" % taps, "--edge=" + edge,
             "--dir=" + self.folder, "--output=" + self.out, "--overwrite",
             "--cache=keep", "--quiet", "--json=" + self.report],
            stdout=subprocess.DEVNULL, check=True)
        used = children() - before
        with open(self.report, encoding="utf-8") as f:
            figures = {f["name"]: f["median"] for f in json.load(f)["figures"]}
        return {"compute": figures["compute.out_MBps_per_cpu_s"],
                "process": megabytes(self.args) / used}

    def pixels(self, np):
        n = self.args.size * LINEAR[self.args.scale]
        return np.fromfile(self.out, dtype="<f4", offset=HEAD).reshape(n, n)


def megabytes(args):
    return 4 * args.size ** 2 * args.scale / 1e6


class Pillow:
    taps, edge = (36,), "renorm"

    def __init__(self, args, np, pixels, folder):
        import PIL
        from PIL import Image
        self.name, self.args, self.np = "Pillow " + PIL.__version__, args, np
        self.filter = getattr(Image, "Resampling", Image).LANCZOS
        self.image = Image.fromarray(pixels.astype(np.float32))

    def run(self, taps):
        n = self.args.size * LINEAR[self.args.scale]
        begin = time.process_time()
        self.out = self.image.resize((n, n), self.filter)
        return megabytes(self.args) / (time.process_time() - begin)

    def compared(self, ours, taps):
        return abs(self.np.asarray(self.out) - ours).max()


class Gdal:
    taps, edge = (1, 36), "renorm"

    def __init__(self, args, np, pixels, folder):
        from osgeo import gdal
        gdal.UseExceptions()
        self.name, self.args, self.gdal = "GDAL " + gdal.__version__, args, gdal
        self.source = gdal.GetDriverByName("MEM").Create(
            "", args.size, args.size, 1, gdal.GDT_Float32)
        self.source.SetGeoTransform((0, 1, 0, args.size, 0, -1))
        self.source.GetRasterBand(1).WriteArray(pixels.astype(np.float32))

    def run(self, taps):
        n = self.args.size * LINEAR[self.args.scale]
        begin = time.process_time()
        self.out = self.gdal.Warp(
            "", self.source, format="MEM", width=n, height=n, warpMemoryLimit=512,
            resampleAlg="lanczos" if taps == 36 else "near")
        return megabytes(self.args) / (time.process_time() - begin)

    def compared(self, ours, taps):
        return abs(self.out.ReadAsArray() - ours).max()


class Swarp:
    taps, edge = (1, 16, 36, 64), "zero"

    def __init__(self, args, np, pixels, folder):
        self.program = shutil.which("SWarp") or shutil.which("swarp")
        if not self.program:
            raise ImportError("there is no program SWarp")
        said = subprocess.run([self.program, "-v"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout.decode().split()
        self.name = "SWarp " + said[2] if len(said) > 2 else "SWarp"
        self.args, self.np, self.folder = args, np, folder
        cards = ["SIMPLE  =                    T", "BITPIX  =                   16",
                 "NAXIS   =                    2", "NAXIS1  = %20d" % args.size,
                 "NAXIS2  = %20d" % args.size, "BSCALE  =                  1.0",
                 "BZERO   =              32768.0"]
        for axis in "12":
            middle = "%20.1f" % (args.size / 2 + .5)
            cards += ["CTYPE%s  = 'LINEAR  '" % axis, "CRPIX%s  = %s" % (axis, middle),
                      "CRVAL%s  = %s" % (axis, middle),
                      "CD%s_%s   =                  1.0" % (axis, axis)]
        data = "".join(c.ljust(80) for c in [*cards, "END"]).encode()
        signed = (pixels.astype(np.int32) - 32768).astype(">i2").tobytes()
        with open(os.path.join(folder, "in.fits"), "wb") as f:
            f.write(data.ljust(-(-len(data) // 2880) * 2880))
            f.write(signed.ljust(-(-len(signed) // 2880) * 2880, b"\0"))

    def run(self, taps):
        n, s = self.args.size * LINEAR[self.args.scale], LINEAR[self.args.scale]
        middle = "%.1f" % (self.args.size / 2 + .5)
        before = children()
        subprocess.run(
            [self.program, "in.fits", "-c", "/dev/null", "-SUBTRACT_BACK", "N",
             "-COMBINE", "N", "-CELESTIAL_TYPE", "PIXEL", "-PROJECTION_TYPE", "NONE",
             "-CENTER_TYPE", "MANUAL", "-CENTER", middle + "," + middle,
             "-PIXELSCALE_TYPE", "MANUAL", "-PIXEL_SCALE", "%g" % (1 / s),
             "-IMAGE_SIZE", "%d,%d" % (n, n), "-OVERSAMPLING", "1",
             "-FSCALASTRO_TYPE", "NONE", "-FSCALE_KEYWORD", "NONE",
             "-RESAMPLING_TYPE", "LANCZOS%d" % TAPS[taps] if TAPS[taps] else "NEAREST",
             "-NTHREADS", "1", "-VERBOSE_TYPE", "QUIET", "-WRITE_XML", "N",
             "-RESAMPLE_DIR", ".", "-DELETE_TMPFILES", "N"],
            cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        return megabytes(self.args) / (children() - before)

    def compared(self, ours, taps):
        with open(os.path.join(self.folder, "in.resamp.fits"), "rb") as f:
            data = f.read()
        end = next(i for i in range(0, len(data), 80) if data[i:i + 8] == b"END     ")
        at = -(-(end + 80) // 2880) * 2880
        cards = {data[i:i + 8].strip(): data[i + 10:i + 30] for i in range(0, end, 80)}
        shape = int(cards[b"NAXIS2"]), int(cards[b"NAXIS1"])
        found = self.np.frombuffer(data, ">f4", shape[0] * shape[1], at).reshape(shape)
        if found.shape != ours.shape:
            return math.nan
        inner = slice(16 * LINEAR[self.args.scale], -16 * LINEAR[self.args.scale])
        return abs(found[inner, inner] - ours[inner, inner]).max()


PEERS = {"swarp": Swarp, "pillow": Pillow, "gdal": Gdal}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        words = dict(line.split(":", 1) for line in f if ":" in line)
    names = {key.strip(): value.strip() for key, value in words.items()}
    return "%s, family %s, model %s" % (
        names.get("model name", platform.processor()), names.get("cpu family"),
        names.get("model"))


def one_round(ours, np, peer, taps, first):
    before, own = peer.run(taps), ours.run(taps, peer.edge)
    if first:
        worst = peer.compared(ours.pixels(np), taps) / FULL
        print("%s, %d taps: pixels differ by %.1e of full scale at most%s" % (
            peer.name, taps, worst, "" if worst <= 1e-6 else ", TOO MUCH"))
    again = peer.run(taps)
    return {"peer": math.sqrt(before * again), "again": again / before, **own}


def line(peer, taps, rounds):
    def median(of):
        return statistics.median(of(r) for r in rounds)
    again = sorted(r["again"] for r in rounds)
    print("%-14s %4d %8.1f %8.0f %8.0f   %8.2f %8.2f   %.2f - %.2f" % (
        peer.name, taps, median(lambda r: r["peer"]), median(lambda r: r["compute"]),
        median(lambda r: r["process"]), median(lambda r: r["compute"] / r["peer"]),
        median(lambda r: r["process"] / r["peer"]), again[0], again[-1]))


def main():
    args = arguments()
    import numpy as np
    with tempfile.TemporaryDirectory(prefix="resample-", dir=args.dir) as folder:
        ours, peers = Ours(args, folder), []
        for name in args.only:
            try:
                peers.append(PEERS[name](args, np, noise(np, args.size), folder))
            except ImportError as error:
                print("without %s: %s" % (name, error), file=sys.stderr)
        pairs = [(peer, taps) for peer in peers for taps in peer.taps]
        rounds = {pair: [] for pair in pairs}
        for n in range(args.rounds):
            for i in range(len(pairs)):
                pair = pairs[(i + n) % len(pairs)]
                rounds[pair].append(one_round(ours, np, *pair, n == 0))
    print("\n%s\n%d x %d pixels, scale %d, %d rounds\n" % (
        processor(), args.size, args.size, args.scale, args.rounds))
    print("%-14s %4s %8s %8s %8s   %8s %8s   %s" % (
        "MB/s of a", "taps", "peer", "compute", "process", "compute", "process",
        "noise"))
    print("%-14s %4s %8s %8s %8s   %8s %8s   %s" % (
        "processor", "", "", "", "", "/ peer", "/ peer", "A'/A"))
    for pair in pairs:
        line(*pair, rounds[pair])
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"%s %d" % (peer.name, taps): r
                       for (peer, taps), r in rounds.items()}, f, indent=1)


if __name__ == "__main__":
    main()
