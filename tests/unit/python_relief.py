#!/usr/bin/env python3
# mpi: any
"""leadline plot relief: pixels computed by hand, and files that are no grids."""
import base64
import math
import os
import re
import struct
import xml.etree.ElementTree as tree
import zlib

from tap import main

from leadline.draw import draw_svg, relief, svg_cells
from leadline_case import LeadlineCase, leadline

SVG = "{http://www.w3.org/2000/svg}"
GREY = (222, 222, 222)


def grid(depths, size=(10.0, 10.0), **more):
    return dict({"schema": "leadline-pfm-grid/1", "file": "survey.pfm",
                 "columns": len(depths[0]), "rows": len(depths), "bins_of_a_side": 1,
                 "west": -88.0, "south": 30.0, "cell_x": 1e-4, "cell_y": 1e-4,
                 "cell_x_m": size[0], "cell_y_m": size[1], "depths_m": depths}, **more)


def pixel(picture, row, column):
    """Returns a pixel; row 0 is the south, as in the grid."""
    return tuple(picture.rows[len(picture.rows) - 1 - row][3 * column:3 * column + 3])


def pixels(data):
    """Returns rows of a PNG file without filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + part) == struct.unpack(
            ">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", part[:8])
        packed += part if kind == b"IDAT" else b""
        at += size + 12
    raw, stride = zlib.decompress(packed), 3 * width + 1
    assert len(raw) == height * stride and not any(raw[::stride])
    return [raw[y * stride + 1:(y + 1) * stride] for y in range(height)]


class Case(LeadlineCase):
    COMMAND = "plot"

    def draw(self, depths, *args, **more):
        made = relief.picture(relief.read(self.save(grid(depths, *args, **more))), 1)
        tree.fromstring(draw_svg.draw(made, True))
        return made


class Pixels(Case):
    def test_colours_of_flat_ground(self):
        """Terraces are flat within, so the light is 1."""
        depths = [[float(y // 3)] * 5 for y in range(24)]
        made = self.draw(depths)
        self.assertEqual(made.ends, (0.0, 7.0))
        for terrace in range(8):
            for c, wanted in zip(pixel(made, 3 * terrace + 1, 2),
                                 relief.STOPS[terrace]):
                self.assertAlmostEqual(c, wanted, delta=1)

    def test_no_depth_is_grey(self):
        made = self.draw([[1.0, None, 2.0], [None, None, None]])
        self.assertEqual([pixel(made, 0, 1), pixel(made, 1, 0)], [GREY, GREY])
        self.assertNotEqual(pixel(made, 0, 0), GREY)

    def test_light_comes_from_the_north_west(self):
        def brightness(depths):
            made = self.draw(depths)
            return sum(pixel(made, 2, 2))
        east = [[50.0 + x for x in range(5)] for _ in range(5)]  # deeper to the east
        west = [row[::-1] for row in east]
        north = [[50.0 + y] * 5 for y in range(5)]
        south = north[::-1]
        self.assertLess(brightness(east), brightness(west))
        self.assertLess(brightness(south), brightness(north))

    def test_shade_of_a_plane_by_hand(self):
        """It rises 1 in 10 to the east, and is shown 4 times as steep: 0.4 is the mean
        slope."""
        made = self.draw([[100.0 - x for x in range(9)] for _ in range(9)])
        self.assertIn("slopes are shown 4.5 times as steep", " ".join(made.words))
        steep = 0.1 * 0.4 / (0.1 * (7 + 2 * 0.5) / 9)  # its edges have half a slope
        lit = (1 + math.sqrt(0.5) * steep) / math.sqrt(1 + steep ** 2)
        z = (100.0 - 4 - 92) / 8
        for c, base in zip(pixel(made, 4, 4), relief.colour(z)):
            self.assertAlmostEqual(c, base + (255 - base) * (lit - 1) * 0.6, delta=1)

    def test_a_few_wild_depths_take_no_colours(self):
        depths = [[100.0 + (x + y) % 11 for x in range(40)] for y in range(40)]
        depths[3][3], depths[30][30] = -9000.0, 9000.0
        self.assertEqual(self.draw(depths).ends, (100.0, 110.0))

    def test_cells_that_are_not_square(self):
        made = self.draw([[1.0, 2.0]] * 3, (20.0, 5.0))
        self.assertEqual((made.width_m, made.height_m), (40.0, 15.0))
        root = tree.fromstring(draw_svg.draw(made))
        image = root.find(SVG + "image")
        self.assertAlmostEqual(float(image.get("width")) / float(image.get("height")),
                               40.0 / 15.0, places=2)

    def test_the_picture_holds_the_pixels(self):
        made = self.draw([[1.0, 2.0, None], [3.0, None, 5.0]])
        link = re.search(r'href="data:image/png;base64,([^"]+)"',
                         draw_svg.draw(made)).group(1)
        found = pixels(base64.b64decode(link))
        self.assertEqual((len(found), len(found[0])), (32, 3 * 48))  # 16 times
        self.assertEqual(found[16][:3 * 17],
                         made.rows[1][:3] * 16 + made.rows[1][3:6])

    def test_lengths_are_round(self):
        for most, wanted in ((99, 50), (100, 100), (101, 100), (999, 500), (0.3, 0.2),
                             (49999, 20000)):
            self.assertAlmostEqual(svg_cells.round_length(most), wanted)


class Eyes(Case):
    # Linear red, green and blue as seen without one kind of cone (Machado, Oliveira and
    # Fernandes 2009).
    BLIND = {"none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
             "protanopia": ((0.152286, 1.052583, -0.204868),
                            (0.114503, 0.786281, 0.099216),
                            (-0.003882, -0.048116, 1.051998)),
             "deuteranopia": ((0.367322, 0.860646, -0.227968),
                              (0.280085, 0.672501, 0.047413),
                              (-0.011820, 0.042940, 0.968881)),
             "tritanopia": ((1.255528, -0.076749, -0.178779),
                            (-0.078411, 0.930809, 0.147602),
                            (0.004733, 0.691367, 0.303900))}

    @staticmethod
    def lightness(colour, lack):
        """Returns L* of CIELAB."""
        linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4
                  for c in colour]
        seen = [sum(a * b for a, b in zip(row, linear)) for row in lack]
        y = sum(max(c, 0) * part for c, part in zip(seen, (0.2126, 0.7152, 0.0722)))
        return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y

    def test_deeper_is_darker_for_everybody(self):
        for name, lack in self.BLIND.items():
            steps = [self.lightness(relief.colour(i / 20.0), lack) for i in range(21)]
            for lighter, darker in zip(steps, steps[1:]):
                self.assertGreater(lighter - darker, 1.0, (name, steps))


class Places(Case):
    def test_degrees(self):
        for value, step, text in ((-87.95, 0.05, "87.95\u00b0 W"),
                                  (12, 1, "12\u00b0 E"),
                                  (181.5, 0.25, "178.50\u00b0 W"), (0, 1, "0\u00b0"),
                                  (3.00005, 0.00005, "3.00005\u00b0 E")):
            self.assertEqual(svg_cells.degrees_text(value, step, "EW"), text)
        self.assertEqual(svg_cells.degrees_text(-30.5, 0.5, "NS"), "30.5\u00b0 S")

    def test_they_are_where_the_map_has_them(self):
        """A mark's place on the picture is its place on the map."""
        size = 200
        made = self.draw([[1.0] * size] * size, west=179.99, south=-30.005)
        root = tree.fromstring(draw_svg.draw(made, True))
        image = root.find(SVG + "image")
        left, top, width, height = (float(image.get(n)) for n in (
            "x", "y", "width", "height"))
        seen = {}
        for text in root.iter(SVG + "text"):
            words = text.text or ""
            match = re.match("([0-9.]+)\u00b0 ([EWNS])$", words)
            if match:
                seen[words] = (float(match.group(1)), match.group(2),
                               float(text.get("x")), float(text.get("y")))
        self.assertEqual({side for _, side, _, _ in seen.values()}, set("EWS"))
        for value, side, x, y in seen.values():
            if side == "S":
                part = (30.005 - value) / (size * 1e-4)
                self.assertAlmostEqual(y - 4, top + height * (1 - part), delta=0.6)
            else:
                east = value if side == "E" else 360 - value
                part = (east - 179.99) / (size * 1e-4)
                self.assertAlmostEqual(x, left + width * part, delta=0.6)
        self.assertIn("WGS 84", made.title)


class Ordinary(Case):
    def test_extremes(self):
        for depths, size in (([[5.0]], (1.0, 1.0)), ([[None]], (1.0, 1.0)),
                             ([[1.0] * 9], (1e-6, 1e9)), ([[1.0]] * 9, (1e9, 1e-6)),
                             ([[-1e30, 1e30]], (1.0, 1.0)), ([[0.0, 0.0]], (1.0, 1.0))):
            path = self.save(grid(depths, size))
            status, out, err = leadline("plot", "relief", path, "-o",
                                        self.path("x.svg"))
            self.assertEqual((status, err), (0, ""), depths)
        self.assertIn("There is no depth.", self.draw([[None]]).words)

    def test_means_of_bins_are_said(self):
        self.assertIn("A cell is the mean of 3 x 3 bins.",
                      self.draw([[1.0]], bins_of_a_side=3).words)

    def test_several(self):
        paths = [self.save(grid([[1.0, float(i)]]), "%d.json" % i) for i in range(2)]
        out = self.run_command("relief", *paths, "-o", self.path("x.svg"))
        self.assertEqual(out.count("survey.pfm: depths"), 2)
        self.assertTrue(os.path.exists(self.path("x-2.svg")))

    def test_what_is_no_grid(self):
        good = [[1.0, 2.0], [3.0, 4.0]]
        for change, words in (
                ({"schema": "leadline-report/1"}, "Make one: pfminfo --grid."),
                ({"columns": 3}, "$.depths_m: it has not 2 rows of 3 depths"),
                ({"rows": 0}, "$.rows: it is not a whole number above 0"),
                ({"depths_m": None}, "$.depths_m"), ({"depths_m": [[1, "x"]] * 2},
                                                     "$.depths_m"),
                ({"cell_x_m": 0}, "no cell is of that size"),
                ({"west": None}, "$.west"), ({"file": 3}, "$.file: it is not text")):
            self.refused(words, "relief", self.save(grid(good, **change)), "-o",
                         self.path("x.svg"))
        tree_ = grid(good)
        del tree_["columns"]
        for what in (tree_, "", "{", [], "null", [1]):
            status, out, err = leadline("plot", "relief", self.save(what), "-o",
                                        self.path("x.svg"))
            self.assertEqual((status, out, err.count("\n")), (1, "", 1), what)
        self.refused("cannot be read", "relief", self.path("none.json"), "-o",
                     self.path("x.svg"))
        self.assertFalse(os.path.exists(self.path("x.svg")))

    def test_matplotlib(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return
        for depths in ([[1.0, None], [3.0, 4.0]], [[None]]):
            self.run_command("relief", self.save(grid(depths)), "-o",
                             self.path("x.png"))


if __name__ == "__main__":
    main()
