#!/usr/bin/env python3
# mpi: any
"""leadline report: a page with the right contents, and no others."""
import os
import re
from html.parser import HTMLParser

from tap import main

from fake_report import report, save
from files import read_text
from full_report import figure, full
from leadline_case import STEADY, LeadlineCase, leadline, without_privileges

VOID = ("meta",)


class Page(HTMLParser):
    """Checks that elements are closed in order, and collects the contents."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.tags, self.ids, self.links = [], [], [], [], []
        self.text, self.cells = [], []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append("left open: %s" % self.open)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [v for n, v in attributes
                       if n in ("href", "src", "xlink:href", "action", "data")]
        self.faults += ["%s=%s" % pair for pair in attributes
                        if pair[0].startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("not in order: " + tag)

    def handle_data(self, words):
        if "style" not in self.open:
            self.text.append(words)


class Case(LeadlineCase):
    COMMAND = "report"

    def series(self, config, figures, rounds=6, **more):
        for i in range(rounds):
            save(self.dir, "%s-%d.json" % (config, i), full(
                {name: [value * STEADY[i] / 100] for name, value in figures.items()},
                config=config, round_number=i + 1, **more))

    def page(self, *args, status=0):
        path = self.path("page.html")
        self.assertEqual(self.run_command(*(args or [self.dir]), "-o", path,
                                          status=status), "")
        self.source = read_text(path)
        page = Page(self.source)
        self.assertEqual(page.faults, [])
        self.assertEqual(len(page.ids), len(set(page.ids)), page.ids)
        self.words = " ".join(" ".join(page.text).split())
        return page

    def two(self):
        self.series("unique", {"write_MBps": 100, "read_MBps": 100},
                    options={"filetype": "unique"})
        self.series("shared", {"write_MBps": 50, "read_MBps": 100},
                    options={"filetype": "shared"})


class Content(Case):
    def test_verdicts_in_words(self):
        self.two()
        page = self.page("--baseline=unique", self.dir)
        for words in ("best: unique", "Write: shared reaches 0.50 of unique.",
                      "\u25bc slower by 2.0x", "madbench on 4 ranks, against unique"):
            self.assertIn(words, self.words)
        self.assertEqual([i for i in page.ids if "-" not in i], [
            "doubts", "differs", "summary", "effects", "verdicts", "amount",
            "bandwidth", "filetype", "activity", "time", "ranks", "all", "reading"])

    def test_what_files_stood_on(self):
        tree = full({"read_MBps": [1.0]}, share=None, warnings=["cache_below"])
        tree["files"][0]["stack"][1:] = [
            {"level": level, "kind": "x", "name": name, "about": None, "reads": "cache"}
            for level, name in ((1, "md0"), (2, "sda"), (2, "loop0"), (3, "xfs"))]
        self.save(tree)
        self.page()
        stack = "ext4 on md0 on sda and loop0 on xfs"
        self.assertIn("storage " + stack, self.words)
        self.assertIn("below the file system (%s) is a cache or memory, which may have "
                      "served reads in 1 of 1 runs" % stack, self.words)

    def test_only_what_there_is(self):
        self.save(full([figure("wall_s", [2.0], "s", "lower")], phases=()))
        page = self.page()
        self.assertNotIn("svg", page.tags)
        self.assertIn("There is one configuration, and nothing to compare it with",
                      self.words)

    def test_scaling_alpha_pfmload_ldad_and_shares(self):
        for n in (1, 2):
            self.series("m%d" % n, {"write_MBps": 100}, ranks=n)
            self.series("p%d" % n, {"wall_s": 4.0 / n}, ranks=n, program="pfmload",
                        options={"scheme": "serial" if n == 1 else "G",
                                 "library": "cached"})
        for method, seconds in (("independent", 4), ("partitioned", 3)):
            self.series(method, {"wall_s": seconds}, program="ldad fft",
                        options={"io": method, "node-dirs": None})
        rows = [figure(name, [5.0], at={"alpha": a}) for a in (1, 2)
                for name in ("sync_MBps", "async_MBps")]
        self.save(full(rows, label="overlapped"), "alpha.json")
        self.save(full({"sequential.write_MBps": [200.0], "random.write_MBps": [100.0]},
                       program="calibrate", ranks=1), "calibration.json")
        page = self.page()
        for key in ("scaling", "alpha", "pfmload", "ldad", "shares"):
            self.assertIn(key, page.ids)
        for words in ("saturated at 1 rank", "25.0 % less time on the same disk",
                      "times as fast as the cached serial loader",
                      "no alpha in the sweep hid 90 %", "these runs reach 0.50"):
            self.assertIn(words, self.words)

    def test_a_difference_in_one_latency_is_in_the_summary(self):
        for name, factor in (("before", 1.0), ("after", 5.0)):
            for i in range(6):
                rows = [figure("read_MBps", [STEADY[i]])]
                rows += [figure("read_%s_us" % p, [100.0 * k * STEADY[i - k]], "us",
                                "lower") for k, p in ((1, "p50"), (3, "p99"))]
                rows.append(figure("read_p999_us", [900 * factor * STEADY[i]], "us",
                                   "lower"))
                rows.append(dict(figure("write_p999_us", [1.0], "us", "lower"),
                                 reps=[None]))
                self.save(full(rows, config=name, round_number=i + 1),
                          "%s%d.json" % (name, i))
        self.page("--baseline=before", self.dir)
        for words in ("equal within 5 %", "after against before, "
                      "latencies: worse in read_p999_us by 5.0x [", "The rates show no "
                      "difference.", "Latencies that differ from before's: 1 of 3",
                      "write_p999_us: too few transfers for a value in 6 of 6 "
                      "repetitions of after, before"):
            self.assertIn(words, self.words)

    def test_invalid_runs_are_named(self):
        self.two()
        self.save(report(valid=False, why="disk full"), "z.json")
        self.page()
        self.assertIn("z.json is not valid and left out: disk full", self.words)
        self.page(self.dir, self.path("z.json"), status=0)

    def test_invalid_run_asked_for_is_a_failure(self):
        self.two()
        path = self.save(report(valid=False, why="disk full"), "z.json")
        self.page(path, self.dir, status=1)

    def test_many_runs_are_scrolled_through_and_all_printed(self):
        self.two()
        self.page()
        self.assertNotIn('class="many"', self.source)
        for i in range(300):
            self.save(full({"write_MBps": [1.0]}, label="x"), "%03d.json" % i)
        page = self.page()
        self.assertIn('class="many" tabindex="0" role="region" '
                      'aria-label="All 312 runs"', self.source)
        self.assertIn("details", page.tags)
        printed = self.source.split("@media print")[1]
        self.assertRegex(printed, r"\.many \{ max-height: none;")
        self.assertIn("details::details-content { content-visibility: visible; }",
                      printed)  # what is folded is printed
        self.assertGreaterEqual(self.source.count("<tr>"), 312)


class Safety(Case):
    def test_nothing_from_elsewhere(self):
        self.two()
        page = self.page()
        self.assertEqual([link for link in page.links if not link.startswith("#")], [])
        self.assertEqual([link for link in page.links if link[1:] not in page.ids], [])
        for name in ("script", "link", "img", "iframe", "object", "embed", "base"):
            self.assertNotIn(name, page.tags)
        addresses = set(re.findall(r"https?://[^\"' )]*", self.source))
        self.assertEqual(addresses, {"http://www.w3.org/2000/svg"})
        # Within the page's own references only: url(#...) of hatches.
        self.assertEqual(set(re.findall(r"url\((.)", self.source)), {"#"})
        self.assertIn("default-src &#x27;none&#x27;", self.source)

    def test_everything_is_escaped(self):
        bad = "<script>alert(1)</script><img src=x onerror=y>\"'&\x1b"
        for i, kind in enumerate((bad, bad + "2")):
            tree = full({"write_MBps": STEADY, bad: STEADY}, label=kind, fs=bad,
                        host=bad, program=bad, phases=(bad,), warnings=[bad],
                        options={"filetype": kind, bad: kind})
            tree["mpi"]["library"] = tree["run"]["version"] = bad
            tree["warnings"][0]["text"] = bad
            self.save(tree, "%d.json" % i)
        self.save(report(valid=False, why=bad), "z.json")
        page = self.page("--title", bad, self.dir)
        self.assertNotIn("script", page.tags)
        self.assertNotIn("img", page.tags)
        self.assertNotIn("\x1b", self.source)
        self.assertIn("<script>alert(1)</script>", self.words)

    def test_style_is_said_once(self):
        self.two()
        self.assertEqual(self.page().tags.count("style"), 1)


class BadInput(Case):
    def test_one_sentence_each(self):
        for text, words in (("", "the file is empty"), ("x", "not JSON"),
                            ("[1]", "it names no schema"),
                            ('{"schema": "leadline-report/2"}', "its schema is"),
                            ('{"schema": "leadline-report/1", "valid": NaN}',
                             "holds NaN")):
            self.refused(words, self.save(text))
        self.refused("No such file", self.path("none"))
        os.mkdir(self.path("empty"))
        self.refused("nothing to show: no report in", self.path("empty"))

    def test_unit_missing(self):
        tree = full({"write_MBps": [1.0]})
        del tree["figures"][0]["unit"]
        self.refused("figures[0].unit is not text", self.save(tree))

    def test_one_file_only(self):
        page = self.page(self.save(full({"write_MBps": STEADY})))
        self.assertIn("bandwidth", page.ids)
        self.assertIn("there is only one configuration", self.words)

    def test_usage(self):
        path = self.save(full({"write_MBps": STEADY}))
        self.refused("no configuration is called x", path, "--baseline=x", status=2)
        self.refused("cannot be written", path, "-o", self.path("none/page.html"))
        os.mkdir(self.path("locked"), 0o555)
        with without_privileges():
            self.refused("cannot be written: Permission denied", path, "-o",
                         self.path("locked/page.html"))
        status, _, err = leadline("report")
        self.assertEqual((status, err.count("\n")), (2, 1))


if __name__ == "__main__":
    main()
