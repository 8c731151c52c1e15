#!/usr/bin/env python3
# mpi: any; tier: quick ci
"""Pages of whole sweeps: their pictures, axes and colours."""
import math
import os
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as tree

from tap import main

import fake_pages
from files import read_text
from leadline.base import axes
from leadline.draw import draw_file, draw_svg, looks, paint, shapes, svg
from leadline.judge import summary
from leadline.page import first, gallery, pictures, pictures_tail
from leadline_case import leadline

SVG = "{http://www.w3.org/2000/svg}"
FOLDERS = {}


def found(name):
    """Returns the gallery of a folder of fake_pages, made once."""
    if name not in FOLDERS:
        folder = tempfile.mkdtemp()
        fake_pages.make(name, folder)
        FOLDERS[name] = (folder, gallery.Gallery([folder]))
    return FOLDERS[name][1]


def tearDownModule():
    for folder, _ in FOLDERS.values():
        shutil.rmtree(folder)


class Axes(unittest.TestCase):
    def test_far_apart_values_stand_on_decades(self):
        self.assertTrue(axes.of_values([1, 6], 0, 100, 6).scale.log)
        self.assertFalse(axes.of_values([1.5, 6], 0, 100, 6).scale.log)
        self.assertFalse(axes.of_values([-1, 100], 0, 100, 6).scale.log)

    def test_ticks_of_decades(self):
        for values, ticks in (([0.17, 907], [1, 10, 100, 1000]),
                              ([204, 1677], [500, 1000, 2000]),
                              ([1, 1e6], [1, 10, 100, 1e3, 1e4, 1e5, 1e6])):
            made = axes.of_values(values, 0, 700, 9)
            self.assertEqual([round(t, 9) for t in made.ticks
                              if t >= min(values) * 0.99], ticks)
            for value in values:
                self.assertTrue(0 <= made.scale(value) <= 700, value)

    def test_zeros_have_a_marked_edge(self):
        made = axes.of_values([0, 10, 1000], 0, 500, 6)
        self.assertEqual((made.scale(0), made.ticks[0], made.texts[0]), (0, 0, "0"))
        self.assertGreaterEqual(made.scale(10), axes.EDGE)
        equal = [made.scale(v) for v in (10, 100, 1000)]
        self.assertAlmostEqual(equal[1] - equal[0], equal[2] - equal[1])

    def test_upside_down_as_well(self):
        made = axes.of_values([0, 10, 1000], 300, 0, 6)
        self.assertEqual(made.scale(0), 300)
        self.assertLessEqual(made.scale(10), 300 - axes.EDGE)

    def test_ratios(self):
        made = axes.of_ratios([0.8, 1.25], 0, 400, 6)
        self.assertIn(1.0, [round(t, 9) for t in made.ticks])
        self.assertAlmostEqual(made.scale(1.25) - made.scale(1.0),
                               made.scale(1.0) - made.scale(0.8))

    def test_a_nine_is_as_far_as_the_one_before(self):
        scale = axes.of_tail(0, 300).scale
        self.assertEqual([round(scale(p)) for p in (0, 0.9, 0.99, 0.999)],
                         [0, 100, 200, 300])


class Looks(unittest.TestCase):
    def test_methods_have_their_own_wherever_they_are(self):
        for some in (["uring"], ["posix", "uring"], ["uring", "zfs", "hdf5"]):
            self.assertEqual(looks.of_methods(some)["uring"], (2, 2))
        self.assertEqual([looks.of_methods(looks.METHODS)[m] for m in looks.METHODS],
                         [(i, i) for i in range(7)])

    def test_no_two_methods_share_a_marker(self):
        some = list(looks.METHODS) + ["a", "b", "c", "d"]
        self.assertEqual(len(set(m for _, m in looks.of_methods(some).values())), 11)

    def test_twelve_markers_differ(self):
        self.assertEqual(len(set(svg.marker_path(i, 0, 0, 4)
                                 for i in range(svg.MARKERS))), 12)

    def test_neighbours_differ_in_grey(self):
        def light(colour):
            red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
            return 0.299 * red + 0.587 * green + 0.114 * blue
        for colours in (paint.LIGHT, paint.DARK):
            # The two colours that most pictures have; all others differ by marker and
            # dashes.
            self.assertGreater(abs(light(colours[0]) - light(colours[1])), 5)


class Study(unittest.TestCase):
    """64 configurations: 4 methods, 4 chunks, 4 numbers of ranks."""

    def drawn(self, kind, page="study"):
        return found(page).pictures(kind)

    def test_effects(self):
        write, read = self.drawn("effects")
        self.assertEqual(write.about, 1.02)
        heads = list(dict.fromkeys(r.group for r in write.rows))
        self.assertEqual([h.split(" ")[0] for h in heads],
                         ["ranks", "iomethod", "chunk", "together,"])
        self.assertRegex(heads[1], r"iomethod against posix: \d+ %")
        for row in write.rows:
            if row.label == "mpiio":
                mark = row.marks[0]
                self.assertTrue(mark.low < fake_pages.GAIN["mpiio"] < mark.high)
        self.assertIn("uring and 4M", [r.label for r in write.rows])

    def test_curves(self):
        made = self.drawn("curves")
        self.assertEqual(sorted(p.title for p in made), sorted(
            "madbench: %s over %s" % (f, x) for f in ("write", "read")
            for x in ("ranks", "chunk")))
        over_chunk, = [p for p in made if p.title == "madbench: write over chunk"]
        self.assertEqual([p.title for p in over_chunk.parts],
                         ["np=1", "np=2", "np=4", "np=8"])
        for part in over_chunk.parts:
            self.assertEqual(sorted(s.name for s in part.series),
                             sorted(fake_pages.METHODS))
            self.assertEqual(sorted(part.x_texts.values()), ["1M", "256k", "4M", "64k"])
            self.assertTrue(part.x_log)
            self.assertEqual(part.span, over_chunk.parts[0].span)
            self.assertTrue(all(p.low < p.y < p.high for s in part.series
                                for p in s.points))

    def test_maps(self):
        made = self.drawn("heat")[0]
        self.assertEqual(sorted(p.title for p in made.parts),
                         sorted(fake_pages.METHODS))
        self.assertEqual(len(set(p.span for p in made.parts)), 1)
        ringed = [(p.title, best) for p in made.parts for best in p.best]
        # 8 ranks, 1M and 4M
        self.assertEqual(ringed, [("uring", (0, 2)), ("uring", (0, 3))])
        self.assertEqual(made.parts[0].x_texts, ["64k", "256k", "1M", "4M"])
        self.assertEqual(made.parts[0].y_texts, ["np=8", "np=4", "np=2", "np=1"])

    def test_what_is_missing_is_hatched(self):
        made = self.drawn("heat", "holes")[0]
        absent = sum(v is None for p in made.parts for row in p.cells for v in row)
        self.assertEqual(absent, 3)
        self.assertIn("Hatched: not measured.", made.words)
        text = "".join(draw_svg.draw(p) for p in made.parts)
        self.assertEqual(text.count("not measured"), 3)

    def test_dots_are_parted_by_the_largest_factor(self):
        made = [p for p in self.drawn("bandwidth") if "write" in p.title]
        self.assertEqual([[p.rows[0].group, len(p.rows)] for p in made],
                         [["np=%d" % n, 16] for n in (1, 2, 4, 8)])
        self.assertEqual(made[0].rows[0].label, "uring-4194304-1")
        self.assertEqual(len(set(map(tuple, (p.span for p in made)))), 1)

    def test_one_colour_a_method_in_every_picture(self):
        seen = {}
        for kind in ("bandwidth", "effects", "curves"):
            for picture in draw_svg.singles(self.drawn(kind)):
                names = (picture.series if isinstance(picture, shapes.Rows)
                         else [s.name for s in picture.series])
                for name in set(names) & set(fake_pages.METHODS):
                    seen.setdefault(name, set()).add(picture.looks[name])
                    text = draw_svg.draw(picture)
                    self.assertIn("fill%d" % picture.looks[name][0], text)
        self.assertEqual(seen, {"posix": {(0, 0)}, "mpiio": {(1, 1)},
                                "uring": {(2, 2)}, "threads": {(3, 3)}})

    def test_no_text_is_beyond_and_none_is_small(self):
        for name in ("study", "holes"):
            for kind in ("bandwidth", "effects", "curves", "heat", "latency"):
                for picture in draw_svg.singles(self.drawn(kind, name))[:6]:
                    for narrow in (False, True):
                        self.fits(tree.fromstring(draw_svg.draw(picture,
                                                                narrow=narrow)))

    def fits(self, root):
        width, height = map(float, root.get("viewBox").split()[2:])
        for text in root.iter(SVG + "text"):
            long, x = svg.text_width(text.text), float(text.get("x"))
            begin = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor"),
                                                              0)
            self.assertTrue(-1 < begin and begin + long < width + 1, text.text)
            self.assertTrue(9 < float(text.get("y")) < height, text.text)

    def test_the_answer_is_first(self):
        folder = FOLDERS["study"][0] if "study" in FOLDERS else None
        found("study")
        folder = FOLDERS["study"][0]
        path = os.path.join(folder, "page.html")
        status, _, err = leadline("report", folder, "-o", path)
        self.assertEqual((status, err), (0, ""))
        source = read_text(path)
        head = source[source.index("<header>"):source.index("</header>")]
        self.assertRegex(head, r"<h1>8 ranks write 2\.\d+x as fast as 1 rank \[")
        self.assertLessEqual(head.count("<p>"), 3)
        self.assertEqual(head.count('<svg xmlns'), 2)    # wide, and for phones
        self.assertRegex(head, r"<summary>\d+ caveats?: ")
        self.assertLess(head.index("<svg"), head.index("<details"))
        keys = ["differs", "amount", "activity", "tails", "all", "reading"]
        self.assertEqual(re.findall(r'href="#(\w+)"', head), keys)
        self.assertEqual(re.findall(r'<section id="(\w+)"', source), keys)
        box = source[source.index('id="summary"'):source.index('id="effects"')]
        self.assertEqual(len(re.findall("<h3>madbench (?:write|read)_MBps", box)), 2)
        self.assertLessEqual(box.count("<li>"), 10)
        for words in re.findall(r"<li>(.*?)</li>", box, re.S):
            self.assertLessEqual(len(re.sub(r"<[^>]*>|\n", "", words)), 200)
        self.assertLess(source.index('id="heat"'), source.index('id="verdicts"'))

    def test_a_dot_for_each_configuration_first(self):
        """By the factor that matters most; very many are dots in the row of its
        value."""
        def drawn(name):
            made = found(name)
            one = summary.found(made.groups)[0]
            return made, first.picture(one)
        made, picture = drawn("few")
        self.assertEqual(len(picture.rows), 4)
        self.assertEqual(sum("baseline" in row.label for row in picture.rows), 1)
        self.assertRegex(picture.axis, r"MB/s; n = \d+ each$")
        for row in picture.rows:
            self.assertTrue(all(m.low < m.centre < m.high for m in row.marks))
        made, picture = drawn("study")
        self.assertEqual([row.label for row in picture.rows],
                         ["1 rank", "2 ranks", "4 ranks", "8 ranks"])
        self.assertEqual(sum(len(m.values) for row in picture.rows
                             for m in row.marks), 64)
        self.assertTrue(all(m.low is None for row in picture.rows for m in row.marks))

    def test_a_table_of_the_baseline_alone_is_not_drawn(self):
        folder = tempfile.mkdtemp()
        try:
            fake_pages.sweep(folder, {"engine": ["posix"]})
            path = os.path.join(folder, "page.html")
            self.assertEqual(leadline("report", folder, "-o", path)[0], 0)
            source = read_text(path)
            self.assertNotIn('id="verdicts"', source)
            self.assertIn("<h1>Sequential write, own files: 100 MB/s of posix "
                          "(madbench, n = 6)</h1>", source)
            self.assertNotIn('id="beside"', source)
        finally:
            shutil.rmtree(folder)


class Others(unittest.TestCase):
    def test_500_configurations(self):
        """It shows both ends; and one slice through the best if there are too many
        facets."""
        made = found("huge")
        self.assertEqual(len(made.groups), 500)
        self.assertEqual([len(p.rows) for p in made.pictures("bandwidth")], [24, 24])
        for picture in made.pictures("curves"):
            self.assertLessEqual(len(picture.parts), 6)
            self.assertIn("values of the best configuration", " ".join(picture.words))
        self.assertTrue(made.pictures("heat"))
    test_500_configurations.is_long = True

    def test_256_ranks(self):
        curve, strip = found("many_ranks").pictures("ranks")
        self.assertEqual([len(s.points) for s in curve.series], [256, 256])
        ys = [p.y for p in curve.series[0].points]
        self.assertEqual(ys, sorted(ys, reverse=True))
        self.assertRegex(curve.words[0], r"rank 77 takes [23]\.\d\dx,")
        self.assertEqual(curve.words[0].count(" takes "), 3)
        self.assertEqual(strip.flags, [(64 * i, "node%02d" % i) for i in range(4)])
        self.assertIn("node03", draw_svg.draw(strip))

    def test_hosts_that_do_not_hold_their_ranks_in_blocks_are_not_parted(self):
        group = found("many_ranks").groups[0]
        row = group.reports[0].samples[0]
        kept = row["max_host"]
        row["max_host"] = "node03"
        try:
            self.assertEqual(pictures.host_flags(group), [])
        finally:
            row["max_host"] = kept

    def test_steps_over_time(self):
        (picture,) = [p for p in found("archive").pictures("trend")
                      if "outcore sort" in p.title]
        self.assertEqual(len(picture.flags), 1)
        self.assertRegex(picture.flags[0][1], r"0\.(79|80|81)x, version 0\.2$")
        self.assertEqual([s.name for s in picture.series],
                         ["run", "level 1", "level 2"])
        self.assertIn("version 0.1 -> 0.2", " ".join(picture.words))
        self.assertRegex(sorted(picture.x_texts.values())[0], r"^2026-\d\d-\d\d$")

    def test_latencies(self):
        write, read = found("few").pictures("latency")
        self.assertEqual((write.x_log, write.y_kind), (10, "tail"))
        self.assertEqual(len(write.series), 4)
        for series in write.series:
            ys = [p.y for p in series.points]
            self.assertEqual((ys, ys[0], max(ys)), (sorted(ys), 0.0, 0.999))

    def test_quantiles_by_hand(self):
        buckets = [(0.001, 90), (0.01, 9), (0.1, 1)]
        self.assertEqual([pictures_tail.quantile(buckets, p) for p in (0.5, 0.99, 1)],
                         [0.001, 0.01, 0.1])
        self.assertEqual([(p.x, p.y) for p in pictures_tail.points(buckets)],
                         [(0.001, 0.0), (0.001, 0.9), (0.01, 0.99), (0.1, 0.999)])

    def test_two_systems_have_pictures_of_their_own(self):
        titles = [p.title for p in found("systems").pictures("effects")]
        self.assertEqual(len(set(titles)), 4)

    def test_one_name_in_every_picture(self):
        """It is the sweep's: of files, of progress and of tables."""
        made = found("study")
        called = set(g.name for g in made.groups)
        for kind in ("bandwidth", "latency", "ranks"):
            for picture in draw_svg.singles(made.pictures(kind)):
                shown = ([row.label for row in picture.rows]
                         if isinstance(picture, shapes.Rows)
                         else [s.name for s in getattr(picture, "series", ())])
                self.assertLessEqual(set(shown), called)


class Files(unittest.TestCase):
    def test_paths_of_a_canvas(self):
        self.assertEqual(draw_file.steps("M1 2L3 4H5V6h-1v2z"), (
            [(1, 2), (3, 4), (5, 4), (5, 6), (4, 6), (4, 8), (4, 8)], list("MLLLLLZ")))
        self.assertEqual(draw_file.steps("M1 2M3 4L5 6")[1], list("MML"))
        points, letters = draw_file.steps(svg.marker_path(0, 10, 10, 4))
        self.assertEqual((letters[0], letters[-1]), ("M", "Z"))
        self.assertGreater(letters.count("L"), 12)
        for x, y in points:
            self.assertAlmostEqual(math.hypot(x - 10, y - 10), 4)

    def test_each_colour_has_one_for_programs_without_variables(self):
        rules = paint.style()
        found = re.findall(r"(?:([\w-]+): (#\w{6}); )?([\w-]+): var\(--(\w+)\)", rules)
        self.assertEqual(len(found), rules.count("var("))
        self.assertGreater(len(found), 20)
        for plain, colour, name, ink in found:
            self.assertEqual((plain, colour), (name, paint.INKS[ink][0]))

    def test_every_element_can_be_painted(self):
        for name in ("study", "many_ranks"):
            for kind in gallery.KINDS:
                for picture in draw_svg.singles(found(name).pictures(kind)):
                    canvas, _ = draw_svg.canvas_of(picture, True)
                    for one in canvas.elements:
                        self.assertIn(one.name, draw_file.ELEMENTS)
                        for css in (one.attributes.get("class_") or "").split():
                            self.assertTrue(css in paint.PAINT or one.name == "text")
                        if one.name == "path":
                            draw_file.steps(one.attributes["d"])

    def test_matplotlib_paints_them(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("there is no matplotlib")
        folder = tempfile.mkdtemp()
        try:
            for kind in ("effects", "curves", "heat", "latency", "bandwidth"):
                picture = draw_svg.singles(found("study").pictures(kind))[0]
                for end, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
                    path = os.path.join(folder, "x." + end)
                    draw_file.draw(picture, path)
                    with open(path, "rb") as stream:
                        self.assertEqual(stream.read(4), magic)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
