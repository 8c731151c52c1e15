#!/usr/bin/env python3
# mpi: any
"""leadline plot figure: its horizontal axis, and that every figure can be drawn."""
import os
import xml.etree.ElementTree as tree

from tap import main

from fake_report import save
from full_report import figure, full
from leadline.draw import draw_svg
from leadline.page import gallery, plot
from leadline_case import STEADY, LeadlineCase

NAME = "read_p99_us"


class Case(LeadlineCase):
    COMMAND = "plot"

    def runs(self, name, value, options=None, units=None, rounds=6, rows=None, **more):
        """Makes a report a round, of one configuration."""
        for i in range(rounds):
            own = [figure(NAME, [value * STEADY[i] / 100], "us", "lower")]
            made = full(rows or own, config=name, round_number=i + 1, options=options,
                        **more)
            for option, unit in (units or {}).items():
                made["options"][option]["unit"] = unit
            save(self.dir, "%s-%d.json" % (name, i), made)

    def draw(self, name=NAME):
        made = plot.draw(gallery.Gallery([self.dir]).groups, name)
        for picture in made:
            tree.fromstring(draw_svg.draw(picture, True))
        return made


class Over(Case):
    def test_one_option_that_is_a_number(self):
        for depth in (1, 4, 16):
            self.runs("d%d" % depth, 100.0 / depth, {"depth": depth})
        (picture,) = self.draw()
        self.assertEqual((picture.x_axis, picture.y_axis, picture.x_log),
                         ("depth", "us, lower is better", True))
        (line,) = picture.series
        self.assertEqual([(p.x, round(p.y, 2)) for p in line.points],
                         [(1, 100), (4, 25), (16, 6.25)])
        self.assertTrue(line.points[0].low < 100 < line.points[0].high)
        self.assertEqual(len(line.points[0].values), 6)

    def test_what_else_differs_makes_lines(self):
        for method in ("posix", "uring"):
            for size in (4096, 65536):
                self.runs("%s%d" % (method, size), size / 100.0, {
                    "iomethod": method, "block-size": size}, {"block-size": "B"})
        (picture,) = self.draw()
        self.assertEqual(picture.x_axis, "block-size (KiB)")
        self.assertEqual([(s.name, [p.x for p in s.points]) for s in picture.series],
                         [("posix", [4, 64]), ("uring", [4, 64])])

    def test_ranks(self):
        for n in (1, 2, 4):
            self.runs("np%d" % n, 10.0 * n, {"npix": 100 * n}, ranks=n)
        (picture,) = self.draw()
        self.assertEqual(picture.x_axis, "ranks")
        self.assertIn("npix changes with ranks.", picture.words)
        self.assertEqual(picture.series[0].name, "all runs")

    def test_a_parameter_of_the_figure(self):
        self.runs("a", 1, rows=[figure("async_MBps", [10.0 * a], at={"alpha": a})
                                for a in (1.2, 1.0, 1.1)])
        (picture,) = self.draw("async_MBps")
        self.assertEqual(picture.x_axis, "alpha")
        self.assertEqual([p.x for p in picture.series[0].points], [1.0, 1.1, 1.2])

    def test_before_and_after_are_lines(self):
        for sid in ("s1", "s2"):
            for depth in (1, 2):
                self.runs("%s-d%d" % (sid, depth), depth, {"depth": depth},
                          series_id=sid)
        (picture,) = self.draw()
        self.assertEqual([s.name for s in picture.series], ["(s1)", "(s2)"])

    def test_one_of_a_sweep_that_has_no_value(self):
        for depth in (1, 2, 4):
            self.runs("d%d" % depth, depth, {"depth": depth}, rows=None)
        made = full([dict(figure(NAME, [1.0], "us", "lower"), reps=[None])],
                    config="d8", round_number=1, options={"depth": 8})
        save(self.dir, "d8.json", made)
        (picture,) = self.draw()
        self.assertEqual([p.x for p in picture.series[0].points], [1, 2, 4])
        self.assertIn("There is no value of it for d8.", picture.words)


class Rows(Case):
    def test_labels(self):
        for name, value in (("before", 10), ("after", 20)):
            save(self.dir, name + ".json", full([figure(
                NAME, [value * v for v in STEADY], "us", "lower")], label=name))
        (picture,) = self.draw()
        self.assertEqual([r.label for r in picture.rows], ["after", "before"])
        self.assertIn("Best: before (1000), worst: after (2000).", picture.words)
        self.assertTrue(picture.rows[0].marks[0].low < 2000)

    def test_options_that_are_no_numbers(self):
        for method in ("posix", "mpi"):
            self.runs(method, 10.0, {"iomethod": method})
        self.assertEqual(len(self.draw()[0].rows), 2)

    def test_same_number_twice_is_no_sweep(self):
        for name, depth in (("a", 1), ("b", 1), ("c", 2)):
            self.runs(name, 10.0, {"depth": depth})
        self.assertEqual(len(self.draw()[0].rows), 3)

    def test_one_sample(self):
        save(self.dir, "a.json", full([figure(NAME, [5.0], "us", "lower")], label="a"))
        (picture,) = self.draw()
        mark = picture.rows[0].marks[0]
        self.assertEqual((mark.centre, mark.low, mark.values), (5.0, None, [5.0]))

    def test_hundreds(self):
        for i in range(512):
            save(self.dir, "%d.json" % i, full([figure(NAME, [i + 1.0], "us", "lower")],
                                               label="c%d" % i))
        made = self.draw()
        self.assertEqual(sum(len(p.rows) for p in made), 512)
        self.assertEqual(len(set(p.key for p in made)), len(made))

    def test_of_two_programs_and_units_are_apart(self):
        for program, unit in (("madbench", "us"), ("ldad fft", "us"),
                              ("madbench", "ms")):
            save(self.dir, program[:3] + unit + ".json", full(
                [figure(NAME, [5.0], unit, "lower")], label=unit, program=program))
        self.assertEqual(len(self.draw()), 3)


class Command(Case):
    def test_a_file_for_each(self):
        rows = [figure(n, [1.0], "us", "lower") for n in ("W.read_p99_us", NAME)]
        save(self.dir, "a.json", full(rows, label="a"))
        path = self.path("x.svg")
        out = self.run_command("figure", "*" + NAME, self.dir, "-o", path)
        self.assertEqual(out, "%s: madbench: W.%s\n%s: madbench: %s\n"
                         % (path, NAME, self.path("x-2.svg"), NAME))
        self.assertTrue(os.path.exists(self.path("x-2.svg")))
        self.run_command("figure", NAME, self.dir, "-o", path)

    def test_matplotlib(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return
        for depth in (1, 4, 16):
            self.runs("d%d" % depth, 100.0 / depth, {"depth": depth})
        self.run_command("figure", NAME, self.dir, "-o", self.path("x.png"))

    def test_refusals(self):
        save(self.dir, "a.json", full([
            figure(n, [1.0], "us", "lower") for n in (NAME, "write_MBps", "W.wall_s")]
            + [dict(figure("n_us", [1.0]), reps=[None])], label="a"))
        out = ("-o", self.path("x.svg"))
        for name, words in (
                ("read_p9_us", "no figure is called read_p9_us; the closest: " + NAME),
                ("WRITE", "the closest: write_MBps\n"),
                ("zzz", "no figure is called zzz; there are: W.wall_s, n_us")):
            self.refused(words, "figure", name, self.dir, *out, status=2)
        self.refused("figure needs the NAME of one and reports", "figure", self.dir,
                     *out, status=2)
        self.refused("no report has a value of n_us", "figure", "n_us", self.dir, *out)
        self.assertFalse(os.path.exists(self.path("x.svg")))


if __name__ == "__main__":
    main()
