#!/usr/bin/env python3
# mpi: any
"""Pictures: their statements about known reports, and valid SVG."""
import os
import re
import sys
import unittest
import xml.etree.ElementTree as tree

from tap import main

from fake_report import save
from files import write_file
from full_report import figure, full
from leadline.base import axes
from leadline.base.errors import LeadlineError
from leadline.draw import draw_svg, html, paint, shapes, svg, svg_lines
from leadline.draw.draw_file import plain
from leadline.judge import climb
from leadline.page import gallery
from leadline_case import STEADY, LeadlineCase

SVG = "{http://www.w3.org/2000/svg}"


class Case(LeadlineCase):
    def series(self, stem, figures, rounds=6, config=None, **more):
        """Makes a report a round; {name: value}, 1 % up and down."""
        for i in range(rounds):
            save(self.dir, "%s-%d.json" % (stem, i), full(
                {name: [value * STEADY[i] / 100] for name, value in figures.items()},
                config=config or stem, round_number=i + 1, **more))

    def draw(self, kind, *paths):
        """Returns the pictures of a kind, and checks their SVG."""
        made = gallery.Gallery(paths or [self.dir]).pictures(kind)
        for picture in draw_svg.singles(made):
            self.sound(picture)
        return made

    def sound(self, picture):
        """It is well-formed, described, and has no text beyond its borders."""
        for alone, narrow in ((False, False), (True, False), (False, True)):
            root = tree.fromstring(draw_svg.draw(picture, alone, narrow))
            self.assertEqual(root.find(SVG + "title").text,
                             svg.printable(picture.title))
            self.assertTrue(root.find(SVG + "desc").text)
            width, height = map(float, root.get("viewBox").split()[2:])
            for text in root.iter(SVG + "text"):
                self.inside(text, width, height)

    def inside(self, text, width, height):
        words, x, y = text.text, float(text.get("x")), float(text.get("y"))
        long = svg.text_width(words)
        begin = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor"), 0)
        self.assertGreater(begin, -1, words)
        self.assertLess(begin + long, width + 1, words)
        self.assertTrue(9 < y < height, words)


class Axes(unittest.TestCase):
    def test_ticks_hold_the_range(self):
        for low, high in ((0, 1), (0, 1300), (-260, 81), (0, 0.0371), (0, 3e9), (7, 7)):
            marks = axes.ticks(low, high, 5)
            self.assertTrue(marks[0] <= low and marks[-1] >= high, marks)
            self.assertTrue(2 <= len(marks) <= 8, marks)

    def test_tick_texts_tell_ticks_apart(self):
        for step in (1, 2.5, 0.25, 0.1, 0.02, 250, 5e5, 1e-6):
            texts = [axes.tick_text(i * step, step) for i in range(6)]
            self.assertEqual(len(set(texts)), 6, texts)

    def test_doublings_are_equally_far(self):
        scale = axes.Scale(1, 8, 0, 300, log=True)
        self.assertEqual([round(scale(x)) for x in (1, 2, 4, 8)], [0, 100, 200, 300])

    def test_labels_are_moved_apart(self):
        places = svg_lines.spread([10, 11, 12, 90], 16, 0, 100)
        gaps = [b - a for a, b in zip(places, places[1:])]
        self.assertTrue(min(gaps) >= 16, places)
        self.assertEqual(max(svg_lines.spread([95, 96, 97], 16, 0, 100)), 100)

    def test_long_words_are_cut_in_their_middle(self):
        long = "".join(chr(97 + i % 26) for i in range(100000))
        self.assertEqual(svg.fitted(long, 120), svg.fitted(long[:200] + long[-200:],
                                                           120))
        short = svg.fitted("independent-mandelbrot-width512", 120)
        self.assertTrue(short.startswith("ind") and short.endswith("512"))
        self.assertLessEqual(svg.text_width(short), 120)

    def test_eight_markers_differ(self):
        self.assertEqual(len(set(svg.marker_path(i, 0, 0, 4) for i in range(8))), 8)


class Colours(unittest.TestCase):
    @staticmethod
    def light(colour):
        """Returns relative luminance, as the accessibility guidelines (WCAG 2) define
        it."""
        parts = [int(colour[i:i + 2], 16) / 255.0 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
                  for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(self, a, b):
        low, high = sorted((self.light(a), self.light(b)))
        return (high + 0.05) / (low + 0.05)

    def test_marks_stand_out(self):
        rules = html.style()
        papers = re.findall(r"--page: (#\w+)", rules)
        self.assertEqual(papers, re.findall(r"--paper: (#\w+)", rules))
        for paper, colours in zip(papers, (paint.LIGHT, paint.DARK)):
            for colour in colours:
                self.assertGreaterEqual(self.contrast(paper, colour), 3, colour)

    def test_words_stand_out(self):
        rules = html.style()
        for name in ("text", "soft", "good", "bad", "link", "ink", "muted"):
            for paper, colour in zip(re.findall(r"--page: (#\w+)", rules),
                                     re.findall(r"--%s: (#\w+)" % name, rules)):
                self.assertGreaterEqual(self.contrast(paper, colour), 4.5, name)


class Calibrate(Case):
    STEPS = [("posix", 1, 10), ("posix", 2, 11), ("uring", 1, 20), ("uring", 2, 40),
             ("uring", 4, 42)]

    def calibration(self, name="c.json", steps=(), **more):
        figures = {"sequential.write_MBps": 200, "sequential.read_MBps": 400,
                   "random.write_MBps": 50, "random.read_MBps": 300, **more}
        figures.update(("saturation.%s.at%d.write_MBps" % step[:2], step[2])
                       for step in steps)
        return save(self.dir, name, full(
            {n: [v * s / 100 for s in STEADY] for n, v in figures.items()},
            program="calibrate", ranks=2,
            options={"block-size": [1 << 20, 1 << 16]}))

    def test_rates(self):
        self.calibration()
        (picture,) = self.draw("calibrate")
        self.assertEqual(picture.title, "calibrate: plain transfers of 2 ranks")
        self.assertEqual([(row.label, [(m.series, round(m.centre)) for m in row.marks])
                          for row in picture.rows], [
            ("sequential, 1M", [("write", 200), ("read", 400)]),
            ("random, 64k", [("write", 50), ("read", 300)])])
        self.assertLess(picture.rows[0].marks[0].low, 200)
        self.assertEqual(picture.words, [
            "Random writes reach 25 % of the rate of sequential ones; random reads "
            "reach 75 % of the rate of sequential ones."])

    def test_mixed_transfers_are_one_mark(self):
        self.calibration(**{"random.mixed.phase_MBps": 70})
        (picture,) = self.draw("calibrate")
        self.assertEqual((picture.rows[2].label, [(m.series, round(m.centre)) for m in
                                                  picture.rows[2].marks]),
                         ("random, mixed, 64k", [("both", 70)]))

    def test_the_ring_is_at_the_step_that_calibrate_names(self):
        self.calibration(steps=self.STEPS)
        _, picture = self.draw("calibrate")
        self.assertEqual(picture.title,
                         "calibrate: random writes by transfers in flight")
        self.assertEqual([(line.name, [(p.x, round(p.y), p.ringed)
                                       for p in line.points])
                          for line in picture.series], [
            ("posix", [(1, 10, False), (2, 11, False)]),
            ("uring", [(1, 20, False), (2, 40, True), (4, 42, False)])])
        self.assertIn("write: uring with 2 in flight on each of 2 ranks reaches 40",
                      picture.words[0])

    def test_beside_runs(self):
        self.series("a", {"write_MBps": 100})
        self.calibration()
        self.assertEqual(len(self.draw("calibrate")), 1)

    def test_of_many_the_latest(self):
        for i in range(6):
            self.calibration("c%d.json" % i)
        made = self.draw("calibrate")
        self.assertEqual(len(made), 4)
        self.assertIn("Shown are the latest 4 of 6 calibrations.", made[0].words)
        self.assertEqual(len(set(picture.title for picture in made)), 4)

    def test_what_is_no_calibration(self):
        self.series("a", {"write_MBps": 100})
        self.assertEqual(self.draw("calibrate"), [])
        self.assertIn("leadline calibrate DIR", gallery.missing("calibrate"))


class Saturation(Case):
    def test_where_rates_are_saturated(self):
        for rates, at in (([100, 200, 400], None), ([100, 200, 210], 2),
                          ([100, 109, 119], 1), ([100, 105, 200], None),
                          ([100, 90, 80], 1), ([100, 200, 220.1], None)):
            self.assertEqual(climb.saturation(list(zip((1, 2, 4), rates))), at)
        # Steps of fourfold: 1.2 for two doublings is 1.095 for one.
        self.assertEqual(climb.saturation([(1, 100), (4, 120)]), 1)
        self.assertEqual(climb.saturation([(1, 100), (4, 125)]), None)

    def test_strong_scaling(self):
        for n, rate in ((1, 100), (2, 190), (4, 200)):
            self.series("np%d" % n, {"write_MBps": rate}, ranks=n)
        (picture,) = self.draw("scaling")
        self.assertEqual(picture.words[0], "Write is saturated at 2 ranks (all runs).")
        self.assertEqual([(p.x, p.ringed) for p in picture.series[0].points],
                         [(1, False), (2, True), (4, False)])

    def test_methods_are_lines(self):
        for n in (1, 2):
            for method in ("posix", "mpi"):
                self.series("%s-np%d" % (method, n), {"read_MBps": 100 * n}, ranks=n,
                            options={"iomethod": method})
        (picture,) = self.draw("scaling")
        self.assertEqual(sorted(s.name for s in picture.series), ["mpi", "posix"])
        self.assertIn("still grows up to 2 ranks", picture.words[0])

    def test_a_folder_for_each_is_no_other_line(self):
        for n in (1, 2):
            self.series("np%d" % n, {"write_MBps": 100 * n}, ranks=n,
                        options={"dir": "/scratch/job%d" % n})
        self.assertEqual(len(self.draw("scaling")), 1)
        for n in (1, 2):
            self.series("np%d" % n, {"write_MBps": 100 * n}, ranks=n,
                        options={"dir": "/fs%d" % n}, fs="fs%d" % n)
        self.assertEqual(self.draw("scaling"), [])

    def test_weak_scaling_is_said(self):
        for n in (1, 4):
            self.series("np%d" % n, {"write_MBps": 100 * n}, ranks=n,
                        options={"npix": 1024 * n})
        (picture,) = self.draw("scaling")
        self.assertIn("npix changes with the number of ranks (weak scaling).",
                      picture.words)

    def test_one_rank_count_has_no_scaling(self):
        self.series("a", {"write_MBps": 100})
        self.assertEqual(self.draw("scaling"), [])


class Kinds(Case):
    def test_bandwidth(self):
        self.series("a", {"write_MBps": 100, "read_MBps": 50})
        self.series("b", {"write_MBps": 120}, rounds=3)
        write, read = self.draw("bandwidth")
        self.assertEqual([(row.label, row.marks[0].series) for row in write.rows],
                         [("b", "posix"), ("a", "posix")])
        self.assertEqual([row.label for row in read.rows], ["a"])
        first, last = (row.marks[0] for row in reversed(write.rows))
        self.assertTrue(first.low < first.centre < first.high)
        self.assertEqual((last.low, len(last.values)), (None, 3))

    def test_many_configurations_are_several_pictures(self):
        for i in range(60):
            save(self.dir, "%d.json" % i, full({"write_MBps": [i + 1.0]},
                                               label="configuration-%02d" % i))
        made = self.draw("bandwidth")
        self.assertEqual([len(p.rows) for p in made], [20, 20, 20])
        self.assertIn("(3 of 3)", made[2].title)
        self.assertEqual(len(set(p.key for p in made)), 3)
        rates = [row.marks[0].centre for p in made for row in p.rows]
        self.assertEqual(rates, sorted(rates, reverse=True))
        # One scale: each contains the values of all.
        self.assertTrue(all(max(p.span) == 60 and min(p.span) == 1 for p in made))

    def test_of_very_many_both_ends(self):
        for i in range(120):
            save(self.dir, "%d.json" % i, full({"write_MBps": [i + 1.0]},
                                               label="c%03d" % i))
        (picture,) = self.draw("bandwidth")
        self.assertEqual([(r.group, r.label) for r in picture.rows[::23]],
                         [("the highest 12 of 120", "c119"), ("the lowest 12", "c000")])
        self.assertIn("The 96 between them are in the table of verdicts.",
                      picture.words)

    def test_file_types(self):
        for kind, rate in (("unique", 100), ("shared", 50)):
            for n in (1, 2):
                self.series("%s%d" % (kind, n), {"write_MBps": rate}, ranks=n,
                            options={"filetype": kind})
        (picture,) = self.draw("filetype")
        self.assertEqual([(r.label, [m.series for m in r.marks]) for r in picture.rows],
                         [("1 rank", ["unique", "shared"]),
                          ("2 ranks", ["unique", "shared"])])
        self.assertIn("shared reaches 0.50 of unique with 1 rank", picture.words[0])

    def test_time_split(self):
        self.series("a", {"write_MBps": 100})
        (picture,) = self.draw("time")
        self.assertEqual([(b.group, b.label) for b in picture.bars],
                         [("a", "S"), ("a", "W")])
        self.assertEqual(dict(zip(picture.parts, picture.bars[0].values)), {
            "open/close": 0.25, "read": 0.5, "write": 1.0, "sync": 0.5, "idle": 0.25,
            "compute": 0.0, "communicate": 0.0, "check": 0.0})
        self.assertEqual(picture.words, ["Over all of them, most time goes to write: "
                                         "40 %."])

    def test_repetitions_of_a_phase_are_averaged(self):
        one = full({"write_MBps": [1.0, 2.0]}, label="x")
        one["samples"] += [dict(s, rep=2) for s in one["samples"]]
        self.save(one)
        (picture,) = self.draw("time")
        self.assertEqual(sum(picture.bars[0].values), 2.5)

    def test_stragglers(self):
        self.series("even", {"write_MBps": 1})
        self.series("odd", {"write_MBps": 1}, slowest=(2, 3.0))
        (picture,) = self.draw("ranks")
        self.assertEqual([s.name for s in picture.series], ["odd", "even"])
        self.assertEqual([p.y for p in picture.series[0].points], [4, 4, 12, 4])
        self.assertEqual(picture.words, ["odd: rank 2 needs 3.0 times as long as the "
                                         "median rank."])

    def test_thousands_of_ranks(self):
        self.series("many", {"write_MBps": 1}, rounds=1, ranks=3000, slowest=(2999, 9))
        curve, strip = self.draw("ranks")
        points = curve.series[0].points
        self.assertEqual((len(points), points[0].y, points[1].y), (3000, 36, 4))
        self.assertIn("median rank: rank 2999 takes 9.00x, rank ", curve.words[0])
        self.assertEqual((len(strip.grid[0]), strip.grid[0][-1], strip.top),
                         (250, 1.0, "36 s"))
        self.assertIn("Each column is the slowest of 12 neighbouring ranks.",
                      strip.words)

    def test_alpha(self):
        rows = [figure(name, [value * a], at={"alpha": a}) for a in (1.2, 1.3, 1.4)
                for name, value in (("sync_MBps", 10), ("async_MBps", 20))]
        self.save(full(rows + [figure("alpha_critical", [1.3], "1", "lower")],
                       label="x"))
        (picture,) = self.draw("alpha")
        self.assertEqual([[p.x for p in s.points] for s in picture.series],
                         [[1.2, 1.3, 1.4]] * 2)
        self.assertEqual(picture.flags, [(1.3, "critical alpha 1.3")])
        self.assertIn("from alpha 1.3 on (O(N^2.6)", picture.words[0])

    def test_pfmload(self):
        for scheme, n, seconds in (("serial", 1, 8.0), ("D", 3, 2.0), ("D", 4, 1.0)):
            self.series("%s%d" % (scheme, n), {"wall_s": seconds}, ranks=n,
                        program="pfmload", options={"scheme": scheme,
                                                    "library": "cached"})
        (picture,) = self.draw("pfmload")
        (line,) = picture.series
        self.assertEqual([(p.x, round(p.y, 6)) for p in line.points], [(3, 4), (4, 8)])
        self.assertEqual(picture.words, ["Fastest: scheme D with 4 ranks, 8 times as "
                                         "fast as the cached serial loader."])

    def test_text(self):
        """Two modules of 2 s each: a slot's bytes are at its end; only the first
        repetition."""
        rows = []
        for i, phase in enumerate(["m%d" % m for m in range(1, 9)]):
            for rep in (1, 2):
                of = {"phase": phase, "rep": rep, "at": {}}
                rows += [dict(of, act="wall", max_s=2.0),
                         dict(of, act="read", series={"slot_s": 0.5, "bytes": [
                             0, 2000000, 0, 1000000]}),
                         dict(of, act="write", series={"slot_s": 0.5, "bytes": [
                             500000 * i]})]
        self.save(dict(full([figure("wall_s", [1], "s", "lower")], label="x",
                            program="outcore text"), samples=rows))
        cumulative, slices = self.draw("text")
        read, written = cumulative.series
        self.assertEqual([(p.x, p.y) for p in read.points][:4],
                         [(0, 0), (1, 2), (2, 3), (3, 5)])
        self.assertEqual([(p.x, p.y) for p in written.points][-1], (14.5, 14))
        self.assertEqual(cumulative.flags[:2], [(0, "m1"), (2, "m2")])
        self.assertEqual(cumulative.words[1], "Read / written: 1.71.")
        self.assertEqual([sum(p.y for p in s.points) for s in slices.series], [24, 14])
        self.assertEqual(len(slices.series[0].points), 200)

    def test_ldad(self):
        for method, where, seconds in (("independent", None, 10), ("partitioned", None,
                                       8), ("partitioned", "/d%r", 2)):
            self.series("%s%d" % (method, seconds), {"wall_s": seconds},
                        program="ldad perf", options={"io": method, "node-dirs": where})
        (picture,) = self.draw("ldad")
        marks = {m.series: round(m.centre, 6) for m in picture.rows[0].marks}
        self.assertEqual(marks, {"the same disk": 20, "a disk for each rank": 80,
                                 "paper": 81.2})
        self.assertIn("20.0 % less time on the same disk and 80.0 % less time on a "
                      "disk for each rank", picture.words[0])


def bins(**more):
    rows = [{"rank": r, "pid": 10 + r, "begin_s": 0.0, "end_s": 4.0,
             "io_s": [1.0, 0.0, 0.5, 0.0], "read_bytes": [0, 0, 1.5, 0],
             "written_bytes": [8, 0, 0, 0]} for r in range(3)]
    file = {"name": "/x/data", "bytes": 28, "end": 100,
            "read_bytes": [[0, 0, 1, 0], [0, 0, 0, 0]],
            "written_bytes": [[8, 0, 0, 0], [0, 8, 0, 0]]}
    return dict({"schema": "leadline-iotrace-bins", "schema_version": 1, "run": "x",
                 "begin_s": 0.0, "seconds": 4.0, "slices": 4, "processes": rows,
                 "files": [file]}, **more)


class Traces(Case):
    def test_maps(self):
        path = self.save(bins(), "job.json")
        made = self.draw("iotrace", path)
        self.assertEqual([p.title for p in made], [
            "job: share of time in I/O", "job: places written in data",
            "job: places read in data"])
        self.assertEqual(made[0].grid, [[1.0, 0.0, 0.5, 0.0]] * 3)
        self.assertEqual(made[1].grid, [[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
        self.assertEqual(made[0].words, ["job: 38 % of the time of its 3 ranks in "
                                         "calls for files."])

    def test_large_maps_are_made_coarse(self):
        many = [dict(bins()["processes"][0], rank=r, io_s=[0.5] * 400,
                     read_bytes=[0] * 400, written_bytes=[0] * 400) for r in range(300)]
        path = self.save(bins(slices=400, processes=many, files=[]))
        (picture,) = self.draw("iotrace", path)
        self.assertLessEqual(len(picture.grid), 64)
        self.assertLessEqual(len(picture.grid[0]), 100)

    def test_broken_ones(self):
        for change, words in (({"slices": 5}, "it does not have 5 values"),
                              ({"processes": [3]}, "$.processes[0]: it is not"),
                              ({"files": [dict(bins()["files"][0], read_bytes=[])]},
                               "$.files[0].read_bytes"),
                              ({"seconds": None}, "$.seconds"),
                              ({"schema_version": 2}, "its schema_version is 2")):
            path = self.save(bins(**change))
            with self.assertRaises(LeadlineError) as caught:
                gallery.Gallery([path])
            self.assertIn(words, str(caught.exception))


class Drawing(Case):
    def test_names_are_no_mathematics(self):
        self.assertEqual(plain("$x^$\n\x1b"), r"\$x^\$  ")

    def test_hostile_and_long_names(self):
        name = '</text><script>alert(1)</script>"\x00&' + "W" * 300
        for i in range(9):
            self.series("c%d" % i, {"write_MBps": 10.0 ** (i - 4), "read_MBps": 1},
                        config=name + str(i), ranks=2 ** (i % 3),
                        options={"iomethod": name, "filetype": "ab"[i // 3 % 2]})
        for kind in ("bandwidth", "filetype", "scaling", "time"):
            for picture in self.draw(kind):
                self.assertNotIn("<script", draw_svg.draw(picture, True))

    def test_labels_of_lines_do_not_overlap(self):
        points = [shapes.point(x, [], 5.0, None) for x in (1, 2)]
        picture = shapes.Lines("k", "t", [], "x", "y", False, [
            shapes.Series("s%d" % i, points, True) for i in range(6)], [])
        root = tree.fromstring(draw_svg.draw(picture))
        ys = sorted(float(t.get("y")) for t in root.iter(SVG + "text")
                    if re.match(r"s\d$", t.text))
        self.assertEqual(len(ys), 6)
        self.assertGreaterEqual(min(b - a for a, b in zip(ys, ys[1:])), svg.SIZE)

    def test_style_is_in_files_only(self):
        self.series("a", {"write_MBps": 1})
        (picture,) = self.draw("bandwidth")
        self.assertNotIn("<style", draw_svg.draw(picture))
        self.assertIn("prefers-color-scheme: dark", draw_svg.draw(picture, True))


class Plot(Case):
    COMMAND = "plot"

    def test_svg_needs_no_library(self):
        self.series("a", {"write_MBps": 1}, ranks=1)
        self.series("b", {"write_MBps": 2, "read_MBps": 2}, ranks=2)
        path = self.path("x.svg")
        out = self.run_command("scaling", self.dir, "-o", path)
        self.assertEqual(out, path + ": madbench: write bandwidth by number of ranks\n")
        self.assertEqual(tree.parse(path).getroot().tag, SVG + "svg")

    def test_several_are_numbered(self):
        for i in range(30):
            save(self.dir, "%d.json" % i, full({"write_MBps": [1.0]}, label="c%d" % i))
        self.run_command("bandwidth", self.dir, "-o", self.path("x.svg"))
        self.assertTrue(os.path.exists(self.path("x-2.svg")))

    def test_matplotlib(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.series("a", {"write_MBps": 1})
            self.refused("python3-matplotlib", "time", self.dir, "-o",
                         self.path("x.png"))
            return
        for n in (1, 2, 4):
            for kind in ("unique", "shared"):
                self.series("$a_%s$-np%d" % (kind, n), {"write_MBps": n}, ranks=n,
                            options={"filetype": kind})
        self.save(bins(), "trace.json")
        for kind in ("bandwidth", "filetype", "scaling", "time", "ranks", "iotrace"):
            for end, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
                path = self.path("x." + end)
                self.run_command(kind, self.dir, "-o", path)
                with open(path, "rb") as stream:
                    self.assertEqual(stream.read(4), magic)

    def test_absence_of_matplotlib_is_said(self):
        self.series("a", {"write_MBps": 1})
        write_file(self.path("matplotlib.py"), "raise ImportError\n")
        saved = {n: m for n, m in sys.modules.items()
                 if n.split(".")[0] == "matplotlib"}
        for name in saved:
            del sys.modules[name]
        sys.path.insert(0, self.dir)
        try:
            self.refused("drawing needs matplotlib, which Python does not find "
                         "(Debian: apt install python3-matplotlib). Install it, or "
                         "let the name end in .svg.", "time", self.dir, "-o",
                         self.path("x.png"))
        finally:
            sys.path.remove(self.dir)
            sys.modules.update(saved)

    def test_refusals(self):
        self.series("a", {"write_MBps": 1})
        self.refused("must end in .svg or .png or .pdf", "time", self.dir, "-o",
                     "x.gif", status=2)
        for kind, words in (("alpha", "reports .* values of alpha; .* madbench"),
                            ("trend", "at least 10 runs .* each night"),
                            ("iotrace", "traces .* that iotrace recorded.* run")):
            said = self.refused("nothing to draw", kind, self.dir, "-o",
                                self.path("x.svg"))
            self.assertRegex(said, words)
        self.refused("'pie' is not one of its values",
                     "pie", self.dir, "-o", "x.svg", status=2)
        self.refused("cannot be written", "time", self.dir, "-o",
                     self.path("none/x.svg"))


if __name__ == "__main__":
    main()
