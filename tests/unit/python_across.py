#!/usr/bin/env python3
# mpi: any
"""leadline compare --across: figures of other programs, by meaning, side by side."""
import csv
import io
import json
import os

from tap import HERE, main

from fake_report import report, save, save_runs
from files import read_text
from leadline.across import meanings, pairs, sides
from leadline.page import beside
from leadline.results import groups
from leadline.results.report import Report
from leadline_case import LeadlineCase, leadline

DATA = os.path.join(HERE, os.pardir, "data", "import")

# (program, its options, its figure) -> title of the meaning
MEANINGS = [
    ("ior", {"access": "file-per-process", "ordering in a file": "sequential"},
     "write_MBps", "sequential write, own files"),
    ("ior", {"access": "single-shared-file",
             "ordering in a file": "sequential offsets"},
     "read_MBps", "sequential read, one shared file"),
    ("ior", {"access": "single-shared-file", "ordering in a file": "random",
             "transfersize": 4096}, "read_MBps", "random 4 KiB read"),
    ("ior", {"access": "single-shared-file", "ordering in a file": "sequential",
             "transfersize": 47008}, "write_MBps",
     "interleaved 47,008-byte write, one shared file"),
    ("ior", {"fileperproc": 1, "randomoffset": 0}, "write_MBps",
     "sequential write, own files"),
    ("ior", {"transfersize": 1 << 20}, "write_MBps", "write"),
    ("fio", {"rw": "write", "bs": "1m"}, "write_MBps", "sequential write, own files"),
    ("fio", {"rw": "read", "filename": "/d/f"}, "read_MBps",
     "sequential read, one shared file"),
    ("fio", {"rw": "randread", "bs": "4k"}, "read_MBps", "random 4 KiB read"),
    ("fio", {"rw": "randread", "bs": "64k", "filename": "/d/f"}, "read_MBps",
     "random 64 KiB read"),
    ("fio", {"rw": "randrw", "bs": "8k"}, "write_MBps", "mixed random 8 KiB write"),
    ("fio", {"rw": "rw", "bs": "8k"}, "read_MBps", "mixed sequential read, own files"),
    ("fio", {"rw": "randrw", "bs": "4k"}, "mixed_MBps",
     "mixed random 4 KiB read and write"),
    ("fio", {"bs": "8k"}, "read_MBps", "sequential read, own files"),
    ("fio", {}, "read_MBps", "read"),
    ("fio", {"rw": "write", "other jobs": "rw=randread"}, "read_MBps",
     "read, own files"),
    ("elbencho", {"path type": "dir", "random": 0}, "write_MBps",
     "sequential write, own files"),
    ("elbencho", {"path type": "file", "random": 0}, "write_MBps",
     "sequential write, one shared file"),
    ("elbencho", {"path type": "file", "random": 1, "block size": 4096}, "write_MBps",
     "random 4 KiB write"),
    ("elbencho", {"path type": "dir", "dirs": 1, "dir sharing": 0}, "file_stat_per_s",
     "file stat, own directories"),
    ("elbencho", {"path type": "dir", "dirs": 1, "dir sharing": 1}, "file_stat_per_s",
     "file stat, one shared directory"),
    ("elbencho", {"path type": "dir", "dirs": 0, "dir sharing": 0}, "file_stat_per_s",
     "file stat, one shared directory"),
    ("elbencho", {"path type": "dir", "dirs": 1}, "file_stat_per_s", "file stat"),
    ("h5bench", {"subfiling": "NO"}, "write_MBps", "write, one shared file"),
    ("madbench", {"filetype": "UNIQUE"}, "write_MBps", "sequential write, own files"),
    ("madbench", {"filetype": "PARTITIONED"}, "read_MBps",
     "sequential read, one partitioned file"),
    ("madbench", {"filetype": "UNIQUE"}, "W.write_MBps", None),
    ("blocktransfer", {"filetype": "SHARED", "pattern": "SEQUENTIAL", "mixed": 0},
     "read_MBps", "sequential read, one shared file"),
    ("blocktransfer", {"pattern": "UNIFORM", "mixed": 0, "block-size": 4096},
     "read_MBps", "random 4 KiB read"),
    ("blocktransfer", {"pattern": "RANDOM", "mixed": 30, "filetype": "unique"},
     "read_MBps", "read, own files"),
    ("ldad perf", {"filetype": "SHARED"}, "write_MBps",
     "sequential write, one shared file"),
    ("mdtest", {"unique_dir": True}, "file_create_per_s",
     "file create, own directories"),
    ("mdtest", {"items": 7}, "file_remove_per_s",
     "file delete, one shared directory"),
    ("mdtest", {}, "file_stat_per_s", "file stat"),
    ("metabench", {"place": "shared"}, "create.per_s",
     "file create, one shared directory"),
    ("metabench", {"place": "own"}, "mkdir.per_s", "directory create, own directories"),
    ("io500", {}, "ior_easy_write_MBps", "sequential write, own files"),
    ("io500", {"ior-easy-write api": "DFS"}, "ior_easy_read_MBps",
     "sequential read, one shared file"),
    ("io500", {"ior-easy-write api": "POSIX", "ior-easy-write fileperproc": True},
     "ior_easy_read_MBps", "sequential read, own files"),
    ("io500", {"ini ior-easy fileperproc": "FALSE"}, "ior_easy_write_MBps",
     "sequential write, one shared file"),
    ("io500", {}, "ior_hard_read_MBps",
     "interleaved 47,008-byte read, one shared file"),
    ("io500", {}, "mdtest_hard_stat_per_s", "file stat, one shared directory"),
    ("io500-diagnosis", {}, "score", "IO500 score"),
    ("dlio", {}, "train_samples_per_s", None)]


def plain(program, options, figures, units=None, **more):
    """Makes a report that has only these options."""
    tree = report(figures, program=program, **more)
    tree["options"] = {n: {"value": v, "unit": None, "from": "imported",
                           "workload": True} for n, v in options.items()}
    for one in tree["figures"]:
        one["unit"] = (units or {}).get(one["name"], "1/s" if one["name"].endswith(
            "per_s") else "1" if "score" in one["name"] else "MB/s")
    return tree


IOR = {"access": "file-per-process", "ordering in a file": "sequential",
       "transfersize": 1 << 20, "blocksize": 1 << 22, "segments": 2}


class Meanings(LeadlineCase):
    def test_the_table(self):
        for program, options, figure, title in MEANINGS:
            found = meanings.of_figure(Report("r", plain(program, options, {})), figure)
            self.assertEqual(found and meanings.title(found), title,
                             (program, options, figure))

    def test_every_row_of_the_tables_is_used(self):
        """Each program in the tables of options has figures with a meaning."""
        known = set(meanings.PLAIN) | set(meanings.CALLS) | {"", "io500"}
        for rows in (meanings.ORDERS, meanings.FILES, meanings.DIRECTORIES):
            self.assertEqual(set(p for p, _, _ in rows) - known, set())

    def test_sizes(self):
        for size, words in ((4096, "4 KiB"), (1 << 20, "1 MiB"), (47008, "47,008-byte"),
                            (3 << 19, "1536 KiB")):
            self.assertEqual(meanings.size_words(size), words)

    def test_samples_tell_the_size_of_transfers(self):
        tree = plain("madbench", {"filetype": "UNIQUE"}, {})
        tree["samples"] = [{"act": "write", "calls": 8, "bytes": 8 << 20},
                           {"act": "read", "calls": 3, "bytes": 10}]
        one = Report("r", tree)
        self.assertEqual([meanings.transfer_bytes(one, does) for does in
                          ("write", "read")], [1 << 20, None])


class Beside(LeadlineCase):
    COMMAND = "compare"

    def three(self):
        """Saves an IOR, a fio and a run of ours: 100, 50 and 400 MB/s."""
        self.save(plain("ior", IOR, {"write_MBps": [100.0]}, ranks=8), "i.json")
        self.save(plain("fio", {"rw": "write", "bs": "1m", "size": "4m"},
                        {"write_MBps": [50.0]}, ranks=2), "f.json")
        return save_runs(self.dir, "ours", plain(
            "madbench", {"filetype": "unique"}, {"write_MBps": [400.0] * 7}))


class Across(Beside):
    def tree(self, *args):
        return json.loads(self.run_command("--across", "--format=json", *args))

    def test_ratios(self):
        self.three()
        tree = self.tree(self.dir, "--baseline=i")
        self.assertEqual(tree["schema"], "leadline-across/1")
        self.assertEqual({(r["program"], r["meaning"], r["n"], r["ratio"] and round(
            r["ratio"], 9), round(r["value"], 9), r["low"] is None)
            for r in tree["rows"]}, {
            ("ior", "sequential write, own files", 1, None, 100.0, True),
            ("fio", "sequential write, own files", 1, 0.5, 50.0, True),
            ("madbench", "sequential write, own files", 7, 4.0, 400.0, False)})
        self.assertEqual([p["baseline"] for p in tree["pairs"]], ["i", "i"])
        self.assertNotIn("faster", json.dumps(tree))

    def test_text(self):
        self.three()
        out = self.run_command("--across", self.dir, "--baseline=i")
        self.assertTrue(out.startswith(
            "Sequential write, own files: from 50 MB/s of f (fio, n = 1) to 400 MB/s "
            "of ours\n(madbench, n = 7), 8.0x; 1 more between them.\n"), out)
        self.assertRegex(out, r"f \(fio\) +#+\| +50  n = 1  0.5x\n")
        self.assertRegex(out, r"i \(ior\) +#+\| +100  n = 1  baseline\n")
        self.assertIn("f against i: program fio 0.1, not ior 0.1;",
                      " ".join(out.split()))
        for words in ("faster", "slower", "not comparable", "too few"):
            self.assertNotIn(words, out)

    def test_all_forms(self):
        self.three()
        status, out, _ = leadline("compare", "--across", "--format=csv", self.dir)
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual((status, len(rows)), (0, 3))
        self.assertEqual(rows[0]["unit"], "MB/s")
        out = self.run_command("--across", "--format=markdown", self.dir)
        self.assertIn("\n| sequential write, own files | MB/s | ", out)
        self.assertIn("\n- ", out)

    def test_random_transfers_are_counted(self):
        """4,096 bytes at 40.96 MB/s are 10,000 operations per second, whatever their
        file; of another size they are another figure."""
        for name, options in (("a", {"rw": "randread", "bs": "4k"}),
                              ("b", {"rw": "randread", "bs": "4k", "filename": "f"}),
                              ("c", {"rw": "randread", "bs": "8k"})):
            self.save(plain("fio", options, {"read_MBps": [
                {"a": 40.96, "b": 20.48, "c": 81.92}[name]]}), name + ".json")
        rows = {r["configuration"]: r for r in self.tree(self.dir)["rows"]}
        self.assertEqual({n: (r["meaning"], r["unit"], r["value"], r["ratio"])
                          for n, r in rows.items()}, {
            "a": ("random 4 KiB read", "operations/s", 10000.0, None),
            "b": ("random 4 KiB read", "operations/s", 5000.0, 0.5),
            "c": ("random 8 KiB read", "operations/s", 10000.0, None)})

    def test_a_meaning_known_in_part(self):
        """It stands in each table that it may belong to, and is marked; rates of an
        unknown size are not converted."""
        self.three()
        self.save(plain("fio", {"rw": "randwrite", "bs": "4k"},
                        {"write_MBps": [4.096]}), "r.json")
        for name, options in (("p", {"transfersize": 4096}), ("q", {})):
            self.save(plain("ior", options, {"write_MBps": [8.192]}), name + ".json")
        rows = self.tree(self.dir)["rows"]
        self.assertEqual({(r["configuration"], r["meaning"], r["unit"], r["value"])
                          for r in rows if r["configuration"] in "pq"}, {
            ("p", "random 4 KiB write", "operations/s", 2000.0),
            ("p", "sequential write, own files", "MB/s", 8.192),
            ("q", "sequential write, own files", "MB/s", 8.192)})
        self.assertEqual(set(r["unknown"] for r in rows if r["configuration"] == "q"),
                         {"order of the transfers; own files or one shared"})

    def test_alone_in_part(self):
        self.save(plain("h5bench", {"subfiling": "NO"}, {"write_MBps": [7.0]}))
        out = self.run_command("--across", self.path("a.json"))
        self.assertIn("Write, one shared file: 7 MB/s of a (h5bench, n = 1).", out)
        self.assertIn("not known of a: order of the transfers", out)

    def test_io500_scores_come_first(self):
        """Two lists of phases, and our diagnosis; with an IOR beside them."""
        for name, program, times in (("x", "io500", 1.0), ("y", "io500", 2.0),
                                     ("z", "io500-diagnosis", 4.0)):
            self.save(plain(program, {}, {
                "ior_easy_write_MBps": [1000.0 * times], "score": [3.0 * times],
                "mdtest_hard_stat_per_s": [500.0 * times]}), name + ".json")
        self.three()
        tree = self.tree(self.dir, "--baseline=x")
        self.assertEqual([r["ratio"] for r in tree["rows"]
                          if r["meaning"] == "IO500 score"], [None, 2.0, 4.0])
        self.assertTrue(tree["finding"][0].startswith("IO500 score: from 3 of x"))
        easy = {r["configuration"]: r for r in tree["rows"]
                if r["meaning"] == "sequential write, own files"}
        self.assertEqual(set(easy), set("xyzif") | {"ours"})
        self.assertEqual(easy["f"]["ratio"], 0.05)
        self.assertIn("unless its ini", easy["x"]["unknown"])
        self.assertEqual(easy["i"]["unknown"], "")

    def test_figures_without_a_meaning(self):
        """They stand beside those of their program; other units do not."""
        for name, value, unit in (("a", 10.0, "1/s"), ("b", 30.0, "1/s"),
                                  ("c", 5.0, "1/h")):
            self.save(plain("dlio", {}, {"train_samples_per_s": [value]},
                            {"train_samples_per_s": unit}), name + ".json")
        rows = {r["configuration"]: r for r in self.tree(self.dir)["rows"]}
        self.assertEqual([rows[n]["ratio"] for n in "abc"], [None, 3.0, None])
        self.assertEqual(rows["c"]["baseline"], "c")

    def test_figures_by_name_and_by_meaning(self):
        self.three()
        for pattern in ("write_*", "sequential write*"):
            rows = self.tree(self.dir, "--figure", pattern)["rows"]
            self.assertEqual(len(rows), 3, pattern)
        self.refused("no figure is called foo; there are: sequential write, own files",
                     "--across", self.dir, "--figure=foo", status=2)

    def test_nothing_measured(self):
        self.save(plain("fio", {"rw": "write"}, {"write_MBps": [0.0, None]}))
        self.refused("nothing to set side by side: no figure has a value",
                     "--across", self.path("a.json"))
        out = leadline("compare", self.path("a.json"))[1]
        self.assertIn("write_MBps", out)

    def test_many_pairs(self):
        """Text has the first twelve, JSON all; of many bars the largest are drawn."""
        for i in range(16):
            self.save(plain("fio", {"rw": "write"}, {"write_MBps": [10.0 + i]}),
                      "run-%02d.json" % i)
        out = self.run_command("--across", self.dir)
        self.assertIn("  3 pairs more: --format=json has all\n", out)
        self.assertIn("run-15 (fio) ", out.partition("and 4 more in the table")[0])
        self.assertEqual(len(self.tree(self.dir)["pairs"]), 15)

    def test_verdicts_are_excluded(self):
        self.three()
        for more in (["--strict"], ["--against=np"], ["--fail-if-slower=5%"]):
            self.refused("--across gives no verdicts: leave out " + more[0].split(
                "=")[0], "--across", self.dir, *more, status=2)


class Plain(Beside):
    """leadline compare without --across begins with values if it has no verdict."""

    def test_other_programs(self):
        self.three()
        out = self.run_command(self.path("i.json"), self.path("f.json"))
        self.assertTrue(out.startswith(
            "Sequential write, own files: from 50 MB/s of f (fio, n = 1) to 100 MB/s "
            "of i (ior, n =\n1), 2.0x.\nThese are plain ratios, and no verdicts: "
            "--across lists"), out)
        self.assertIn("not comparable; other program", " ".join(out.split()))

    def test_one_configuration(self):
        self.three()
        out = self.run_command(self.path("i.json"))
        self.assertTrue(out.startswith(
            "Sequential write, own files: 100 MB/s of i (ior, n = 1).\n"), out)
        self.assertNotIn("--across", out)

    def test_verdicts_stand_alone(self):
        for name, rate in (("a", 100.0), ("b", 200.0)):
            save_runs(self.dir, name, report({"write_MBps": [rate + i for i in
                                                             range(6)]}))
        out = self.run_command(self.dir)
        self.assertNotIn("n = 6)", out)
        self.assertTrue(out.startswith("b writes 1.9"), out)


class Pairs(LeadlineCase):
    def pair(self, ours, theirs, about="write"):
        for name, tree in (("a", ours), ("b", theirs)):
            self.save(tree, name + ".json")
        b, a = sorted(groups.collect([self.dir]).groups, key=lambda g: g.name)[::-1]
        return pairs.pair(b, a, [about])

    def test_what_differs_and_what_is_not_known(self):
        one = plain("ior", IOR, {"write_MBps": [1.0]}, ranks=8)
        two = plain("fio", {"rw": "write", "bs": "1m", "size": "8m"},
                    {"write_MBps": [1.0]}, ranks=2)
        two["io"].update(cache=None, engine="PSYNC")
        two["hosts"], two["mpi"]["nodes"] = [], None
        found = self.pair(one, two)
        self.assertEqual(found.differs, [
            ("program", "fio 0.1", "ior 0.1"), ("ranks", "2", "8"),
            ("engine", "psync", "posix")])
        self.assertEqual(found.unknown, {"b": ["nodes", "host", "cache"],
                                         "both": ["file system"]})
        self.assertEqual(pairs.sentence(found), "b against a: program fio 0.1, not ior "
                         "0.1; ranks 2, not 8; engine psync, not posix; not known of "
                         "b: nodes, host, cache; not known of both: file system")

    def test_other_options_of_one_program(self):
        found = self.pair(plain("ior", dict(IOR, reorder=1, aligned="2 MiB"),
                                {"write_MBps": [1.0]}),
                          plain("ior", dict(IOR, blocksize=1 << 20, aligned=1 << 21),
                                {"write_MBps": [1.0]}))
        self.assertEqual(found.differs, [("bytes per rank", "2M", "8M"),
                                         ("reorder", "not given", "1")])
        self.assertIn("bytes per rank 2M, not 8M; reorder not given, 1 for a; not",
                      pairs.sentence(found))

    def test_calls_have_files_and_bytes(self):
        found = self.pair(plain("mdtest", {"items": 10, "write_bytes": 3901},
                                {"file_create_per_s": [1.0]}),
                          plain("metabench", {"files": 10, "bytes": 0},
                                {"create.per_s": [1.0]}), "file create")
        self.assertEqual([d for d in found.differs if d[0] != "program"],
                         [("bytes of a file", "0", "3901")])

    def test_many_differences(self):
        """A sentence has the first ten; JSON has all."""
        found = self.pair(*(plain("ior", dict(IOR, **{"option%d" % i: value
                                                      for i in range(13)}),
                                  {"write_MBps": [1.0]}) for value in (1, 2)))
        self.assertEqual(len(pairs.tree(found)["differs"]), 13)
        self.assertIn("option9 2, not 1; and in 3 more; not known",
                      pairs.sentence(found))

    def test_alike(self):
        some = plain("ior", IOR, {"write_MBps": [1.0]})
        found = self.pair(some, plain("ior", IOR, {"write_MBps": [2.0]}))
        self.assertEqual(found.differs, [])
        self.assertIn("nothing that reports tell differs", pairs.sentence(found))


class Page(Beside):
    COMMAND = "report"

    def page(self, *paths):
        self.run_command(*(paths or [self.dir]) + ("-o", self.path("p.html")))
        return read_text(self.path("p.html"))

    def test_no_verdict(self):
        """The title has numbers, and the section comes first."""
        self.three()
        text = self.page(self.path("i.json"), self.path("f.json"))
        self.assertIn("<title>Sequential write, own files: from 50 MB/s of f (fio, n = "
                      "1) to 100 MB/s of i (ior, n = 1), 2.0x</title>", text)
        self.assertLess(text.index('id="beside"'), text.index('id="differs"'))
        self.assertIn("No verdict on ior, fio: side by side", text)
        self.assertIn("program fio 0.1, not ior 0.1", text)

    def test_beside_a_verdict(self):
        """The verdict stays the title; what has none stands beside it."""
        self.three()
        for name, rate in (("a", 100.0), ("b", 200.0)):
            for path in save_runs(self.dir, name, report(
                    {"write_MBps": [rate + i for i in range(6)]}, ranks=16)):
                self.assertTrue(path)
        text = self.page(self.dir)
        self.assertRegex(text, "<title>b writes 1.9")
        self.assertIn("<p>Sequential write, own files: from 50 MB/s of f (fio", text)
        self.assertLess(text.index('id="differs"'), text.index('id="beside"'))

    def test_verdicts_alone(self):
        for name, rate in (("a", 100.0), ("b", 200.0)):
            save_runs(self.dir, name, report({"write_MBps": [rate + i for i in
                                                             range(6)]}))
        self.assertNotIn("Side by side", self.page(self.dir))

    def test_lines_over_ranks(self):
        """A line for each program; two engines are two lines."""
        for program, engine, options in (
                ("ior", "posix", IOR), ("elbencho", "posix", {
                    "path type": "dir", "random": 0}),
                ("madbench", "posix", {"filetype": "unique"}),
                ("madbench", "mpiio", {"filetype": "unique"})):
            for ranks in (4, 1, 2):
                tree = plain(program, options, {"write_MBps": [10.0 * ranks]},
                             ranks=ranks)
                tree["io"]["engine"] = engine
                self.save(tree, "%s-%s-%d.json" % (program, engine, ranks))
        chart, = beside.charts(sides.tables(groups.collect([self.dir]).groups))
        self.assertEqual({s.name: ([p.x for p in s.points], [p.y for p in s.points],
                                   s.joined) for s in chart.series},
                         {name: ([1, 2, 4], [10.0, 20.0, 40.0], True) for name in (
                             "ior posix", "elbencho posix", "madbench posix",
                             "madbench mpiio")})
        for name in ("madbench-mpiio-1.json", "madbench-mpiio-2.json",
                     "madbench-mpiio-4.json"):
            os.unlink(self.path(name))
        chart, = beside.charts(sides.tables(groups.collect([self.dir]).groups))
        self.assertEqual({s.name for s in chart.series}, {"ior", "elbencho",
                                                          "madbench"})

    def test_rows_at_one_number_of_ranks(self):
        for program, rate in (("ior", 10.0), ("madbench", 30.0)):
            self.save(plain(program, dict(IOR, filetype="unique"),
                            {"write_MBps": [rate]}), program + ".json")
        chart, = beside.charts(sides.tables(groups.collect([self.dir]).groups))
        self.assertEqual([(r.label, r.marks[0].centre) for r in chart.rows],
                         [("madbench, n = 1", 30.0), ("ior, n = 1", 10.0)])


class Imported(LeadlineCase):
    """Samples of real files, in every pair of two."""
    COMMAND = "compare"
    FILES = ("ior.txt", "ior.json", "ior.csv", "elbencho.csv", "fio-group.json",
             "mdtest.txt", "mdtest-files-data.txt", "h5bench.csv", "dlio.json",
             "darshan-parser.txt")

    def setUp(self):
        super().setUp()
        self.reports = []
        for i, name in enumerate(self.FILES):
            out = self.path(str(i))
            status, _, err = leadline("import", os.path.join(DATA, name), "-o", out,
                                      "--ranks=4")
            self.assertEqual(status, 0, err)
            self.reports += [os.path.join(out, n) for n in os.listdir(out)]
        self.reports.append(save(self.dir, "m.json", report(
            {"write_MBps": [10.0], "read_MBps": [20.0]})))

    def test_every_pair_has_numbers(self):
        for i, one in enumerate(self.reports):
            for two in self.reports[i + 1:]:
                out = self.run_command("--across", one, two)
                self.assertRegex(out.partition("\n\n")[0], r"(?s)\d.*n\s=\s\d+\)",
                                 (one, two))

    def test_known_values(self):
        """300 MiB/s of IOR's text are those of its report; elbencho's own files stand
        in another table."""
        tree = json.loads(self.run_command("--across", "--format=json",
                                           *self.reports[:1] + self.reports[3:4]))
        self.assertEqual({(r["program"], r["meaning"]) for r in tree["rows"]}, {
            ("ior", "sequential write, one shared file"),
            ("ior", "sequential read, one shared file"),
            ("elbencho", "sequential write, own files"),
            ("elbencho", "sequential read, own files")})
        self.assertEqual({r["value"] for r in tree["rows"] if r["program"] == "ior"},
                         {298.6344448, 13277.069312})


if __name__ == "__main__":
    main()
