#!/usr/bin/env python3
# mpi: any
"""Series: stalls in known ones, their pictures, and their sentences."""
import math
import random
import re
import xml.etree.ElementTree as tree

from tap import main

from files import read_text
from full_report import full, sample
from leadline.draw import draw_svg, svg
from leadline.judge import notes
from leadline.page import gallery
from leadline.results import series
from leadline.results import report as reports
from leadline_case import LeadlineCase, leadline

SLOT = 2.0 ** -6      # seconds; adds up exactly
SVG = "{http://www.w3.org/2000/svg}"
QUICK_S = 0.001


def slots(moved, longest=None, slot_s=SLOT):
    """Makes a series; `longest`: {slot: seconds}, others are quick."""
    return {"slot_s": slot_s, "bytes": moved, "calls": [min(n, 1) for n in moved],
            "max_s": [(longest or {}).get(i, QUICK_S if n else 0.0)
                      for i, n in enumerate(moved)]}


def rows(name, start, rep=1, wall=None, **tracks):
    """Makes samples of a phase: write=slots(...), read=slots(...)."""
    out = []
    for act, found in tracks.items():
        row = sample(name, act, 1.0, 1, rep=rep)
        out.append(dict(row, start_s=start, series=found, bytes=sum(found["bytes"]),
                        calls=sum(found["calls"])))
    longest = max(len(t["bytes"]) * t["slot_s"] for t in tracks.values())
    wall = sample(name, "wall", wall or longest, 1, rep=rep)
    return out + [dict(wall, start_s=start)]


# 3 s of 64 slots each: the middle one is empty, and a transfer took all of it.
STALLED = slots([5] * 64 + [0] * 64 + [5] * 64, {128: 1.01})
PAUSED = slots([5] * 64 + [0] * 64 + [5] * 64)
STEADY = slots([5] * 192)


class Case(LeadlineCase):
    def report(self, samples, label="x", name="a.json", **more):
        made = full({"write_MBps": [1.0]}, label=label, phases=(), **more)
        made["samples"] = samples
        return self.save(made, name)

    def gaps(self, samples):
        found = reports.load(self.report(samples))
        return [(round(g.begin, 6), round(g.end, 6), g.stalled)
                for p in series.phases(found) for g in series.gaps(p)]

    def draw(self, *paths):
        return gallery.Gallery(paths or [self.dir]).pictures("series")


class Gaps(Case):
    def test_a_transfer_under_way_makes_a_stall(self):
        self.assertEqual(self.gaps(rows("write", 2.0, write=STALLED)),
                         [(3.0, 4.0, True)])

    def test_without_one_nobody_asked(self):
        self.assertEqual(self.gaps(rows("write", 2.0, write=PAUSED)),
                         [(3.0, 4.0, False)])

    def test_it_may_end_long_after_the_gap(self):
        late = slots(STALLED["bytes"], {191: 2.5})
        self.assertEqual(self.gaps(rows("write", 0.0, write=late)), [(1.0, 2.0, True)])

    def test_steady_ones_have_none(self):
        self.assertEqual(self.gaps(rows("write", 0.0, write=STEADY)), [])

    def test_large_transfers_are_far_apart_by_nature(self):
        far = slots(([0] * 9 + [5]) * 20, {i: 10 * SLOT for i in range(200)})
        self.assertEqual(self.gaps(rows("write", 0.0, write=far)), [])

    def test_what_transfers_usually_take_is_none(self):
        """Sixteen at a time end together, and take as long as all of them."""
        some = slots(([0] * 8 + [5] * 3) * 20, {
            i: 9 * SLOT for i in range(220)})
        self.assertEqual(self.gaps(rows("write", 0.0, write=some)), [])
        some["max_s"][19], some["bytes"][10:19] = 90 * SLOT, [0] * 9
        self.assertEqual(self.gaps(rows("write", 0.0, write=some)), [])
        many = slots(([0] * 8 + [5] * 3) * 9 + [0] * 60 + [5] * 9, {
            i: (70 if i == 159 else 9) * SLOT for i in range(200)})
        self.assertEqual(self.gaps(rows("write", 0.0, write=many)),
                         [(99 * SLOT, 159 * SLOT, True)])

    def test_reads_go_on_while_writes_do_not(self):
        self.assertEqual(self.gaps(rows("W", 0.0, write=STALLED, read=STEADY)), [])
        self.assertEqual(self.gaps(rows("W", 0.0, write=STALLED, read=slots(
            [3] * 10))), [(1.0, 2.0, True)])

    def test_the_first_transfer_may_be_the_one(self):
        late = slots([0] * 64 + [5] * 64, {64: 1.01})
        self.assertEqual(self.gaps(rows("write", 1.0, write=late)), [(1.0, 2.0, True)])
        idle = slots([0] * 64 + [5] * 64)
        self.assertEqual(self.gaps(rows("write", 1.0, write=idle)), [])

    def test_few_empty_slots_are_no_pause(self):
        for empty, count in ((7, 0), (8, 1)):
            few = slots([5] * 64 + [0] * empty + [5] * 64)
            self.assertEqual(len(self.gaps(rows("write", 0.0, write=few))), count)

    def test_a_slot_is_enough_for_a_stall(self):
        for empty in (1, 7):
            few = slots([5] * 64 + [0] * empty + [5] * 64,
                        {64 + empty: (empty + 0.5) * SLOT})
            self.assertEqual(self.gaps(rows("write", 0.0, write=few)), [
                (1.0, 1.0 + empty * SLOT, True)])

    def test_little_is_no_evidence(self):
        for moved in ([], [0, 0], [5], [5, 0, 0], [0] * 9 + [5]):
            self.assertEqual(self.gaps(rows("write", 0.0, write=slots(moved))), [])


def played(stalls, seconds=22.0, usual_s=3e-4, spread=0.3, seed=1):
    """Makes a phase of one rank that writes 6000 bytes at a time, at 20 MB/s, in which
    each of `stalls` (begin: seconds) is a transfer that takes so long."""
    rng, at, left = random.Random(seed), 0.0, sorted(stalls.items())
    slot_s = 2.0 ** math.ceil(math.log(seconds / 256e-9, 2)) * 1e-9
    found = {"slot_s": slot_s, "bytes": [], "calls": [], "max_s": []}
    while at < seconds:
        took = usual_s * rng.lognormvariate(0.0, spread)
        if left and at >= left[0][0]:
            took = left.pop(0)[1]
        at += took
        for name in ("bytes", "calls", "max_s"):
            found[name] += [0] * (int(at / slot_s) + 1 - len(found[name]))
        found["bytes"][-1] += 6000
        found["calls"][-1] += 1
        found["max_s"][-1] = max(found["max_s"][-1], took)
    made = rows("write", 0.0, write=found)
    made[0]["latency"] = {"p50_s": usual_s, "hist": []}
    return made


class Played(Case):
    """Stalls of known lengths, at any place within short or long slots."""

    def stalls(self, samples):
        found = reports.load(self.report(samples))
        return [g for p in series.phases(found) for g in series.gaps(p) if g.stalled]

    def test_one_of_a_second_in_22(self):
        for begin in (0.5, 7.0, 10.03, 10.1, 19.9):
            (gap,) = self.stalls(played({begin: 1.01}))
            self.assertAlmostEqual(gap.transfer, 1.01)
            self.assertTrue(0.73 < gap.still <= 1.01, gap.still)

    def test_twelve_shorter_than_two_slots(self):
        for seed in range(8):
            rng = random.Random(seed)
            some = self.stalls(played({1.7 * (i + rng.random()): 0.15
                                       for i in range(12)}, seed=seed))
            still = series.together(some)
            self.assertTrue(10 <= len(some) <= 12, len(some))
            self.assertTrue(1.2 <= still <= 1.9, still)

    def test_none_of_those_that_only_vary(self):
        for spread in (0.1, 0.5, 1.0):
            for seconds in (0.2, 3.0, 22.0):
                self.assertEqual([g for g in self.stalls(played(
                    {}, seconds, spread=spread)) if g.still > 0.02], [])

    def test_others_that_go_on_leave_no_stall(self):
        """One of two ranks waits for a second."""
        made = played({})
        made[0]["series"]["max_s"][90] = 1.01
        self.assertEqual(self.stalls(made), [])
        (picture,) = self.draw(self.report(made))
        self.assertIn("No stall was found. The longest transfer took 1.01 s (write, "
                      "3.37e+03 times the median). No stall of reads or writes was "
                      "longer; shorter ones may be hidden within slots.",
                      picture.words)

    def test_what_is_said(self):
        (picture,) = self.draw(self.report(played({10.03: 1.01})))
        text = " ".join(picture.words)
        self.assertRegex(text, r"write stood still for [89]\d\d ms, from 10\.\d+ s")
        self.assertIn("The transfer that had begun first took 1.01 s.", text)
        (picture,) = self.draw(self.report(played(
            {1.7 * i + 1: 0.15 for i in range(12)})))
        text = " ".join(picture.words)
        self.assertRegex(text, r"All stalls together: 1\.\d+ s of 2[23](\.\d)? s")
        self.assertRegex(text, r"stood still for (about )?1\d\d ms")

    def test_notes_go_by_the_sum_or_the_longest(self):
        many = {1.7 * i + 1: 0.15 for i in range(12)}
        for i, stalls in enumerate(({9.0: 1.01}, many, {9.0: 0.15}, {})):
            self.report(played(stalls), label="c%d" % i, name="%d.json" % i)
        said = notes.stalls(gallery.Gallery([self.dir]).groups)
        self.assertEqual([words[:2] for words in said], ["c0", "c1"])
        self.assertRegex(said[1], r"repetition 1; 1\.\d+ s in 1[0-2] stalls\)")

    def test_the_histogram_counts_slow_ones(self):
        made = played({})
        made[0]["latency"]["hist"] = [[3e-4, 90], [1.3e-3, 7], [5e-2, 2]]
        (picture,) = self.draw(self.report(made))
        self.assertIn("In a phase, up to 9 transfers took more than 4 times the "
                      "median, about 109 ms added up.", picture.words)


class Pictures(Case):
    def test_bytes_of_each_slot(self):
        path = self.report(rows("W", 1.0, write=slots([1000000, 0, 2000000]),
                                read=slots([0, 500000])))
        (picture,) = self.draw(path)
        self.assertEqual(picture.parts, ["read", "write"])
        rates, slow = picture.panels
        self.assertEqual([(b, values) for b, _, values in rates.cells], [
            (1.0, [0, 64.0]), (1.0 + SLOT, [32.0, 0]), (1.0 + 2 * SLOT, [0, 128.0])])
        self.assertEqual([values for _, _, values in slow.cells],
                         [[0, 1.0], [1.0, 0], [0, 1.0]])
        self.assertIn("(ms)", slow.axis)

    def test_no_byte_is_lost_where_slots_are_joined(self):
        many = [i % 7 for i in range(2560)]
        for start in (0.0, 1234.5):
            path = self.report(rows("W", start, write=slots(many)))
            (picture,) = self.draw(path)
            cells = picture.panels[0].cells
            self.assertTrue(300 <= len(cells) <= 600, len(cells))
            self.assertAlmostEqual(sum((e - b) * v[0] for b, e, v in cells) * 1e6,
                                   sum(many), places=3)
            self.assertIn("drawn joined", " ".join(picture.words))

    def test_a_stall_is_named(self):
        path = self.report(rows("write", 2.0, write=STALLED)
                           + rows("read", 9.0, read=STEADY))
        (picture,) = self.draw(path)
        self.assertEqual(picture.stalls, [(3.0, 4.0, "1 s", "")])
        self.assertEqual([b.text for b in picture.bands], ["write", "read"])
        self.assertIn("write stood still for 1 s, from 3 s on: no transfer ended, "
                      "though some were in flight.", picture.words)
        texts = [t.text for t in tree.fromstring(draw_svg.draw(picture)).iter(
            SVG + "text")]
        for words in ("1 s", "write", "read", "stall"):
            self.assertIn(words, texts)

    def test_a_pause_is_none(self):
        (picture,) = self.draw(self.report(rows("write", 2.0, write=PAUSED)))
        self.assertEqual(picture.stalls, [])
        self.assertIn("No stall was found. The longest transfer took 1 ms (write). No "
                      "stall of reads or writes was longer; shorter ones may be hidden "
                      "within slots.", picture.words)
        self.assertIn("For 999 ms, from 3 s on, no read or write was in flight "
                      "(write).", picture.words)

    def test_an_axis_of_time_begins_at_0_unless_that_is_far(self):
        for start, low in ((1.0, 0.0), (1000.0, 1000.0)):
            (picture,) = self.draw(self.report(rows("W", start, write=STEADY)))
            from leadline.draw import svg_lines
            self.assertEqual(svg_lines.time_axis(picture, 0, 700)[0].low, low)

    def test_names_of_phases_that_overlap_do_not(self):
        """The last slot of a phase may reach beyond the begin of the next ones."""
        some, long = [], slots([5] * 4, slot_s=1.0)
        for rep, start in enumerate((0.0, 3.0, 3.5, 3.5, 5.0, 7.5), 1):
            some += rows("SC"[rep % 2], start, rep, write=long)
        (picture,) = self.draw(self.report(some))
        for narrow in (False, True):
            self.assertEqual(self.overlaps(picture, narrow), [], narrow)

    def overlaps(self, picture, narrow):
        """Returns pairs of names of phases that overlap."""
        found = tree.fromstring(draw_svg.draw(picture, True, narrow))
        names = set(b.text for b in picture.bands)
        ends = sorted((float(t.get("x")) - svg.text_width(t.text) / 2,
                       float(t.get("x")) + svg.text_width(t.text) / 2, t.text)
                      for t in found.iter(SVG + "text") if t.text in names)
        self.assertGreater(len(ends), 2)
        return [(a[2], b[2]) for a, b in zip(ends, ends[1:]) if b[0] < a[1]]

    def test_of_many_phases_those_around_the_worst(self):
        some = []
        for rep in range(1, 41):
            some += rows("W", rep * 4.0, rep, write=STALLED if rep == 30 else STEADY)
        (picture,) = self.draw(self.report(some))
        names = [b.text for b in picture.bands]
        self.assertEqual(len(names), 12)
        self.assertIn("W 30", names)
        self.assertIn("Shown are 12 of 40 phases, around the longest stall.",
                      picture.words)

    def test_of_many_runs_the_worst(self):
        for i in range(6):
            self.report(rows("W", 0.0, write=STALLED if i == 4 else STEADY),
                        name="r%d.json" % i, label="same")
        (picture,) = self.draw()
        self.assertEqual(len(picture.stalls), 1)
        self.assertIn("Of the 6 runs of same this is r4, with the longest stall.",
                      picture.words)

    def test_hundreds_of_reports(self):
        for i in range(512):
            self.report(rows("W", 0.0, write=STALLED if i == 400 else STEADY),
                        name="r%03d.json" % i, label="c%d" % i)
        made = self.draw()
        self.assertEqual(len(made), 12)
        self.assertTrue(any(p.stalls for p in made))
        self.assertIn("There are pictures of the 12 of 512 configurations with the "
                      "longest stalls.", made[0].words)
        self.assertEqual(len(set(p.key for p in made)), 12)

    def test_the_longest_of_many_stalls_are_marked(self):
        many = slots(([5] * 20 + [0] * 9) * 30 + [5], {29 * i: 0.2 for i in range(31)})
        (picture,) = self.draw(self.report(rows("W", 0.0, write=many)))
        self.assertEqual(len(picture.stalls), 12)
        self.assertIn("There were 27 shorter stalls, of which 18 are not marked.",
                      picture.words)

    def test_one_stall_that_is_not_named(self):
        some = slots(([5] * 20 + [0] * 9) * 4 + [5], {29 * i: 0.2 for i in range(5)})
        (picture,) = self.draw(self.report(rows("W", 0.0, write=some)))
        self.assertEqual(len(picture.stalls), 4)
        self.assertIn("There was 1 shorter stall.", picture.words)

    def test_texts_are_within_and_apart(self):
        many = slots(([5] * 20 + [0] * 9) * 8 + [5],
                     {29 * i: 0.2 for i in range(1, 9)})
        some = []
        for rep in range(1, 13):
            some += rows("phase with a long name", rep * 4.0, rep, write=many,
                         read=many)
        for picture in self.draw(self.report(some)):
            root = tree.fromstring(draw_svg.draw(picture, True))
            width, height = map(float, root.get("viewBox").split()[2:])
            boxes = []
            for t in root.iter(SVG + "text"):
                x, y = float(t.get("x")), float(t.get("y"))
                long = svg.text_width(t.text)
                x -= {"middle": long / 2, "end": long}.get(t.get("text-anchor"), 0)
                self.assertTrue(-1 < x and x + long < width + 1 and 9 < y < height,
                                t.text)
                boxes.append((x, x + long, y, t.text))
            for i, a in enumerate(boxes):
                for b in boxes[:i]:
                    self.assertFalse(min(a[1], b[1]) - max(a[0], b[0]) > 1
                                     and abs(a[2] - b[2]) < svg.SIZE - 2, (a, b))

    def test_the_size_does_not_grow_with_slots(self):
        path = self.report(rows("W", 0.0, write=slots([1, 2, 3] * 30000)))
        (picture,) = self.draw(path)
        self.assertLess(len(draw_svg.draw(picture, True)), 60000)


class Ordinary(Case):
    """Old, unusual or incomplete series."""
    COMMAND = "plot"

    def test_old_reports_have_none(self):
        path = self.save(full({"write_MBps": [1.0]}, label="old"))
        self.refused("picture of the kind series needs: samples with bytes over time",
                     "series", path, "-o", self.path("x.svg"))
        new = self.report(rows("W", 0.0, write=STEADY), name="b.json", label="new")
        out = self.run_command("series", path, new, "-o", self.path("x.svg"))
        self.assertEqual(out.count("\n"), 1)
        self.assertIn("bytes over time, new", out)

    def test_nulls_and_extremes(self):
        odd = [dict(slots([1]), slot_s=None), dict(slots([1]), slot_s=0),
               dict(slots([1] * 9), max_s=[None] * 9), dict(slots([1]), bytes=[None]),
               dict(slots([1] * 9), max_s=[]), dict(slots([1] * 9), slot_s=1e30),
               dict(slots([1] * 9), slot_s=1e-30), None]
        for i, found in enumerate(odd):
            for start in (0.0, 1e30, None):
                row = dict(sample("W", "write", 1.0, 1), series=found, start_s=start)
                path = self.report([row], label="odd")
                status, out, err = leadline("plot", "series", path, "-o",
                                            self.path("x.svg"))
                self.assertIn(status, (0, 1), (i, err))
                self.assertNotIn("Traceback", err)
                self.assertEqual(leadline("report", path, "-o", self.path("x.html"))[0],
                                 0, i)

    def test_one_slot(self):
        path = self.report(rows("W", 0.5, write=slots([7])))
        (picture,) = self.draw(path)
        self.assertEqual(len(picture.panels[0].cells), 1)

    def test_faults_are_named(self):
        for change, words in (
                ({"bytes": 3}, "samples[0].series.bytes: it is not a list"),
                ({"bytes": [-1]}, "series.bytes[0]: it is not a whole"),
                ({"max_s": ["x"]}, "series.max_s[0]: it is not seconds")):
            row = dict(sample("W", "write", 1.0, 1), series=dict(slots([1]), **change))
            self.refused(words, "series", self.report([row]), "-o", self.path("x.svg"))

    def test_validate_adds_up(self):
        made = full({"write_MBps": [1.0]})
        row = next(s for s in made["samples"] if s["act"] == "write")
        for found, words in ((slots([4000, 96]), None),
                             (slots([4000, 97]), "series.bytes: its slots add up to "
                              "4097, the sample has 4096"),
                             (dict(slots([1, 2]), calls=[1]),
                              "have different numbers")):
            row["series"] = found
            status, out, _ = leadline("validate", self.save(made))
            self.assertEqual(status, 1 if words else 0, out)
            self.assertIn(words or "valid against", out)


class Page(Case):
    def test_on_the_page_and_below_a_comparison(self):
        self.report(rows("write", 0.0, 3, write=STALLED), label="slow")
        self.report(rows("write", 0.0, write=STEADY), label="good", name="b.json")
        page = self.path("page.html")
        self.assertEqual(leadline("report", self.dir, "-o", page)[0], 0)
        text = read_text(page)
        self.assertIn('id="series"', text)
        self.assertIn("Bytes over time", text)
        said = ("slow: transfers stood still for up to 1 s (phase write, repetition 3) "
                "in 1 of 1 runs")
        self.assertIn(said, text)
        _, out, _ = leadline("compare", self.dir)
        self.assertIn(said, re.sub(r"\s+", " ", out))
        self.assertNotIn("good: transfers", out)

    def test_short_stalls_and_pauses_are_not_worth_a_note(self):
        short = slots([5] * 640 + [0] * 9 + [5] * 640, {649: 0.2})
        for i, found in enumerate((short, PAUSED, STEADY)):
            self.report(rows("write", 0.0, write=found), label="c%d" % i,
                        name="%d.json" % i)
        some = gallery.Gallery([self.dir]).groups
        self.assertEqual(notes.stalls(some), [])


class Matplotlib(Case):
    COMMAND = "plot"

    def test_same_pictures(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return
        path = self.report(rows("$write$", 2.0, write=STALLED)
                           + rows("read", 9.0, read=STEADY))
        for end, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
            self.run_command("series", path, "-o", self.path("x." + end))
            with open(self.path("x." + end), "rb") as stream:
                self.assertEqual(stream.read(4), magic)


if __name__ == "__main__":
    main()
