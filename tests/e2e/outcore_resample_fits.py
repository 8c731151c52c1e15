#!/usr/bin/env python3
# tier: quick ci; limit: 300
"""outcore resample: images in FITS, read and written: the same pixels as of raw ones,
in any stored form; files of other programs; its ends."""
import math
import os
import shutil
import struct
import subprocess
import unittest

from e2e import Case, add, any_mpi, drawn, long, main, read_bytes

BLOCK, CARD = 2880, 80
FORMATS = {8: "B", 16: "h", 32: "i", 64: "q", -32: "f", -64: "d"}
WITH_CFITSIO = unittest.skipUnless(os.environ.get("HAVE_CFITSIO") == "yes",
                                   "no CFITSIO")
WIDTH, HEIGHT = 21, 17


# ---- files ---------------------------------------------------------------------------

def card(name, value=None):
    text = name if value is None else "%-8s= %20s" % (name, value)
    return text.ljust(CARD).encode()


def blocks(data, fill):
    return data + fill * (-len(data) % BLOCK)


def head(bitpix, axes, *more, first=card("SIMPLE", "T")):
    cards = [first, card("BITPIX", bitpix), card("NAXIS", len(axes))]
    cards += [card("NAXIS%d" % (i + 1), n) for i, n in enumerate(axes)]
    return blocks(b"".join(cards + [card(*m) for m in more] + [card("END")]), b" ")


def body(bitpix, image):
    return blocks(b"".join(struct.pack(">%d%s" % (len(row), FORMATS[bitpix]), *row)
                           for row in image), b"\0")


def fits(bitpix, image, *more, axes=()):
    return head(bitpix, [len(image[0]), len(image), *axes], *more) + body(bitpix, image)


def raw(image, bits):
    data = b"LLIMG001" + struct.pack("<QQII", len(image[0]), len(image), bits,
                                     bits == 32)
    return data.ljust(4096, b"\0") + b"".join(
        struct.pack("<%d%s" % (len(row), {8: "B", 16: "H", 32: "f"}[bits]), *row)
        for row in image)


def unpacked_raw(data):
    width, height, bits, _ = struct.unpack("<QQII", data[8:32])
    kind = {8: "B", 16: "H", 32: "f"}[bits]
    return [list(struct.unpack_from("<%d%s" % (width, kind), data,
                                    4096 + y * width * bits // 8))
            for y in range(height)]


def unpacked(data):
    """Returns the cards, and the pixels, of an output with one block of head."""
    cards = {}
    for i in range(0, BLOCK, CARD):
        name, value = data[i:i + 8].decode().strip(), data[i + 9:i + CARD].decode()
        if name == "END":
            break
        cards[name] = value.split("/")[0].strip()
    width, height, bitpix = (int(cards[n]) for n in ("NAXIS1", "NAXIS2", "BITPIX"))
    size = abs(bitpix) // 8
    end = BLOCK + width * height * size
    assert len(data) == end + -end % BLOCK and not any(data[end:])
    zero = float(cards["BZERO"])
    return cards, [[zero + x for x in struct.unpack_from(
        ">%d%s" % (width, FORMATS[bitpix]), data, BLOCK + y * width * size)]
        for y in range(height)]


def image(most, least=0):
    return [[least + (x * 7919 + y * 104729 + x * y * 31) % (most - least + 1)
             for x in range(WIDTH)] for y in range(HEIGHT)]


class Files(Case):
    def resample(self, *args, np=1):
        return self.run_program("outcore", "resample", "--tile=8", "--seed=3",
                                "--quiet", *args, np=np)

    def output(self, *args, name="out.fits", np=1):
        """Returns the report, and the output's bytes."""
        path = self.path(name)
        report = self.good(self.resample(*args, "--output=" + path, "--overwrite",
                                         np=np))
        return report, read_bytes(path)

    def plain(self, path):
        """Returns the input's pixels, as they are."""
        return unpacked_raw(self.output(path, "--scale=1", "--taps=1",
                                        name="plain.llimg")[1])


@WITH_CFITSIO
class Fits(Files):
    # ---- reading ---------------------------------------------------------------------

    def stored(self, bitpix, least, most, zero, scale, *more):
        """Pixels stored in any form have their values, and are resampled as the same
        values of a raw image are."""
        of = image(most, least)
        path = self.file("in.fits", fits(bitpix, of, *more))
        means = [list(struct.unpack("<%df" % WIDTH, struct.pack(
            "<%df" % WIDTH, *(zero + scale * x for x in row)))) for row in of]
        self.assertEqual(self.plain(path), means)
        same = self.file("same.llimg", raw(means, 32))
        for np in drawn([1, 2, 5], 1):
            args = ("--io=" + drawn(["strip", "basic", "block", "mmap"], 1)[0],)
            self.assertTrue(self.output(path, *args, name="a.llimg", np=np)[1] ==
                            self.output(same, *args, name="b.llimg", np=np)[1])

    def test_blank(self):
        """Blank pixels are NaN, and so are pixels that need them."""
        of = image(1000)
        of[3][5] = of[16][20] = -99
        path = self.file("blank.fits", fits(16, of, ("BLANK", -99), ("BSCALE", "0.5"),
                                            ("BZERO", "10.")))
        found = self.plain(path)
        self.assertEqual([(y, x) for y, row in enumerate(found)
                          for x, v in enumerate(row) if math.isnan(v)],
                         [(3, 5), (16, 20)])
        self.assertEqual(found[0][1], 10 + of[0][1] / 2)

    def test_other_parts(self):
        """It reads the first image of two axes, wherever it is; longer heads; planes of
        one."""
        of = image(255)
        more = [("COMMENT", "'%d'" % i) for i in range(50)]
        part = head(8, [WIDTH, HEIGHT, 1, 1], ("PCOUNT", 0), ("GCOUNT", 1), *more,
                    first=card("XTENSION", "'IMAGE   '"))
        cube = head(16, [2, 2, 3], first=card("XTENSION", "'IMAGE   '"))
        for before in (head(8, []), head(8, []) + cube + bytes(BLOCK)):
            path = self.file("parts.fits", before + part + body(8, of))
            self.assertEqual(self.plain(path), of)

    # ---- writing ---------------------------------------------------------------------

    def written(self, bits, bitpix, np):
        args = ("--width=23", "--height=19", "--out-bits=%d" % bits)
        report, data = self.output(*args, np=np)
        cards, found = unpacked(data)
        _, same = self.output(*args, name="same.llimg")
        self.assertEqual(found, unpacked_raw(same))
        self.assertEqual((int(cards["BITPIX"]), float(cards["BZERO"])),
                         (bitpix, 32768 if bits == 16 else 0))
        # Read the output back.
        path = self.path("out.fits")
        self.assertEqual(self.plain(path), found)

    def test_methods(self):
        """All methods write the same bytes."""
        ways = [(io, np, mode) for io in ("strip", "basic", "block", "mmap")
                for np in (1, 2, 5) for mode in ("SYNC", "ASYNC")
                if mode == "SYNC" or io == "strip"]
        sums = {self.output("--width=40", "--height=33", "--io=" + io,
                            "--iomode=" + mode, np=np)[1]
                for io, np, mode in drawn(ways, 3)}
        self.assertEqual(len(sums), 1)

    @long
    def test_unique(self):
        path = self.path("part.fits")
        args = ("--width=31", "--height=40", "--tile=16")
        self.good(self.resample(*args, "--filetype=UNIQUE", "--output=" + path, np=2))
        parts = []
        for rank in range(2):
            parts += unpacked(read_bytes("%s.%06d" % (path, rank)))[1]
        _, whole = self.output(*args)
        self.assertTrue(parts == unpacked(whole)[1])

    # ---- other programs --------------------------------------------------------------

    @unittest.skipUnless(shutil.which("fitsverify"), "fitsverify is not installed")
    def test_verified(self):
        """NASA's checker of the standard finds no error and gives no warning."""
        for bits in (8, 16, 32):
            self.output("--width=23", "--height=19", "--out-bits=%d" % bits)
            said = subprocess.run(["fitsverify", self.path("out.fits")],
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                  universal_newlines=True).stdout
            self.assertIn("found 0 warning(s) and 0 error(s)", said)

    @unittest.skipUnless(shutil.which("fpack"), "fpack is not installed")
    def test_packed(self):
        """A compressed image is refused; unpacked by its own program, it is the
        same."""
        of = image(60000)
        words = [[x - 32768 for x in row] for row in of]
        path = self.file("w.fits", fits(16, words, ("BZERO", 32768), ("BSCALE", 1)))
        subprocess.run(["fpack", path], check=True, stdin=subprocess.DEVNULL)
        self.one_sentence(self.resample(path + ".fz"), "funpack", path + ".fz")
        os.remove(path)
        subprocess.run(["funpack", path + ".fz"], check=True, stdin=subprocess.DEVNULL)
        self.assertEqual(self.plain(path), of)

    # ---- ends ------------------------------------------------------------------------

    @any_mpi
    def test_bad_input(self):
        good = fits(16, image(1000))
        table = head(8, [8, 3], ("PCOUNT", 0), ("GCOUNT", 1), ("TFIELDS", 1),
                     ("TBCOL1", 1), ("TFORM1", "'A8      '"),
                     first=card("XTENSION", "'TABLE   '")) + blocks(b"x" * 24, b" ")
        for data, said in drawn([
                (good[:200], "CFITSIO cannot read"),
                (good[:BLOCK], "cut short"),
                (good[:BLOCK + WIDTH * HEIGHT * 2 - 1], "cut short"),
                (head(16, [1 << 40, 8]), "2 GiB"),
                (head(16, [1 << 20, 1 << 20]), "cut short"),
                (head(16, [1 << 30, 1 << 60]), "2 GiB"),
                (head(8, [1 << 20, 1 << 61]), "2^63"),
                (head(16, [-5, 8]), "CFITSIO cannot read"),
                (head(17, [8, 8]) + bytes(BLOCK), "CFITSIO cannot read"),
                (head(16, [8, 8, 3]) + bytes(BLOCK), "no image of two axes"),
                (head(8, []) + table, "no image of two axes"),
                (head(8, []), "no image of two axes"),
                (fits(16, image(9), ("BSCALE", "0.0")), "BSCALE 0"),
                (b"\x1f\x8b" + bytes(500), "gunzip")], 4):
            path = self.file("bad.fits", data)
            self.one_sentence(self.resample(path, np=2), said, path)

    def test_refused(self):
        path = self.file("w.fits", fits(16, image(9)))
        out = "--output=" + self.path("o.fits")
        for args, said in drawn([
                ((path, "--cache=direct"), "FITS"),
                ((out, "--cache=direct"), "FITS"),
                ((out, "--row-pad"), "--row-pad")], 2):
            self.refused(self.resample(*args), said)


@unittest.skipIf(os.environ.get("HAVE_CFITSIO") == "yes", "built with CFITSIO")
class Absent(Files):
    def test_said(self):
        """Without CFITSIO, FITS can be written, but not read."""
        path = self.file("in.fits", fits(8, image(255)))
        self.one_sentence(self.resample(path), "without CFITSIO", path)
        cards, found = unpacked(self.output("--width=9", "--height=8")[1])
        self.assertEqual((cards["SIMPLE"], len(found)), ("T", 16))


for bitpix, least, most, more, zero, scale in (
        (8, 0, 255, (), 0, 1),
        (16, -32768, 32767, (("BZERO", 32768), ("BSCALE", 1)), 32768, 1),
        (16, -32768, 32767, (), 0, 1),
        (32, -8388608, 8388607, (("BSCALE", "0.25"), ("BZERO", "-3.5")), -3.5, 0.25),
        (64, -1 << 50, 1 << 50, (("BSCALE", "1.0E-12"),), 0, 1e-12),
        (-32, -1000, 1000, (), 0, 1),
        (-32, -1000, 1000, (("BSCALE", "2.0"),), 0, 2),
        (-64, -1000, 1000, (), 0, 1)):
    case = add(Fits, "stored_%d_%g_%g" % (bitpix, zero, scale), "stored", bitpix,
               least, most, zero, scale, *more)
    if (bitpix, zero) not in ((16, 32768), (-32, 0)):
        long(case)
for bits, bitpix in ((8, 8), (16, 16), (32, -32)):
    for np in (1, 2, 5):
        case = add(Fits, "written_%d_%d" % (bits, np), "written", bits, bitpix, np)
        if np != (bits // 8) % 5:
            long(case)

if __name__ == "__main__":
    main()
