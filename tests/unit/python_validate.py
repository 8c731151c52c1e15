#!/usr/bin/env python3
# mpi: any
"""leadline validate: right reports pass, and each fault is named with its path."""
import copy
import json
import os
import re
import unittest

from tap import PACKAGE, main

from fake_report import save
from files import read_text
from full_report import full
from leadline.base import fields
from leadline_case import STEADY, LeadlineCase, without_privileges


class Case(LeadlineCase):
    COMMAND = "validate"

    def good(self):
        return full({"write_MBps": STEADY, "read_MBps": [1.0, None]})

    def lines(self, tree):
        path = self.save(tree)
        lines = self.run_command(path, status=1).splitlines()
        return [line[len(path) + 2:] for line in lines]

    def wrong(self, change, *faults):
        """Checks that change(tree) makes exactly these faults."""
        tree = copy.deepcopy(self.good())
        change(tree)
        self.assertEqual(self.lines(tree), list(faults))


class Shape(Case):
    def test_good(self):
        path = self.save(self.good())
        self.assertEqual(self.run_command(path),
                         path + ": valid against leadline-report/1\n")
        self.assertEqual(self.run_command("-q", path), "")

    def test_more_fields_are_no_fault(self):
        tree = self.good()
        tree["run"]["new"] = tree["new"] = 1
        self.run_command(self.save(tree))

    def test_missing(self):
        def change(tree):
            del tree["figures"][0]["unit"], tree["run"]["id"], tree["io"]
        self.wrong(change, "$.run.id: it is missing", "$.io: it is missing",
                   "$.figures[0].unit: it is missing")

    def test_types(self):
        for names, value, words in (
                (("run", "start_utc"), "yesterday", "a UTC time such as"),
                (("mpi", "ranks"), 0, "a whole number above 0"),
                (("mpi", "ranks"), True, "a whole number above 0"),
                (("figures", 0, "unit"), "", "text that is not empty"),
                (("figures", 0, "reps", 1), "1", "a number"),
                (("figures", 0, "better"), "more", '"higher" or "lower"'),
                (("figures", 0, "ci95"), [2, 1], "[low, high]"),
                (("samples", 2, "act"), "nap", "one of compute, communicate"),
                (("samples", 0, "mean_s"), -1, "seconds, 0 or more"),
                (("checks", "device_share"), 1.5, "a share from 0 to 1"),
                (("files", 0, "stack", 1, "reads"), "tape", "one of below, device"),
                (("warnings",), {}, "a list"),
                (("hosts", 0), 3, "an object"),
                (("options", "npix"), 3, "an object")):
            tree = self.good()
            at = tree
            for name in names[:-1]:
                at = at[name]
            at[names[-1]] = value
            path = "$" + "".join("[%d]" % n if isinstance(n, int) else "." + n
                                 for n in names)
            found = self.lines(tree)
            self.assertEqual(len(found), 1, found)
            self.assertTrue(found[0].startswith("%s: it is not %s" % (path, words)),
                            found)

    def test_null_where_it_may_not_be(self):
        self.wrong(lambda t: t["run"].update(program=None),
                   "$.run.program: it is not text that is not empty")

    def test_first_few(self):
        tree = self.good()
        tree["run"] = {}
        found = self.lines(tree)
        self.assertEqual(len(found), 6)
        self.assertEqual(found[5], "and 5 more")

    def test_odd_names_in_paths(self):
        tree = self.good()
        tree["options"]["a b\x1b"] = 1
        self.assertEqual(self.lines(tree), ["$.options['a b ']: it is not an object"])


class Meaning(Case):
    def test_summary_of_repetitions(self):
        self.wrong(lambda t: t["figures"][0].update(median=3.0),
                   "$.figures[0].median: it is 3, its repetitions give 100")
        self.wrong(lambda t: t["figures"][1].update(min=None),
                   "$.figures[1].min: it is None, its repetitions give 1.0")

    def test_interval_of_few(self):
        self.wrong(lambda t: t["figures"][1].update(ci95=[0.5, 2]),
                   "$.figures[1].ci95: an interval of 1 repetitions; fewer than 6 "
                   "have none")

    def test_activities_add_up(self):
        def change(tree):
            wall = [s for s in tree["samples"] if s["act"] == "wall"][0]
            wall["mean_s"] = 3.0
        found = self.lines((lambda t: (change(t), t)[1])(self.good()))
        self.assertEqual(found, ["$.samples[0].mean_s: the activities of phase S add "
                                 "up to 2.5 s, its wall time is 3 s"])

    def test_figure_twice(self):
        def change(tree):
            tree["figures"].append(tree["figures"][0])
        self.wrong(change, "$.figures[2]: there is a figure write_MBps already")

    def test_bad_blocks(self):
        self.wrong(lambda t: t["checks"].update(blocks_bad=1),
                   "$.checks.blocks_bad: blocks were wrong, and it is called valid")

    def test_only_imported_ones_know_less(self):
        def change(tree):
            tree["run"]["seed"] = tree["mpi"]["library"] = None
        self.wrong(change, "$.run.seed: it is null, and the report is not imported",
                   "$.mpi.library: it is null, and the report is not imported")
        tree = self.good()
        change(tree)
        tree["run"]["imported"] = {
            "tool": "fio", "tool_version": None, "format": "fio JSON", "file": "x",
            "sha256": "0", "line": None, "lost": []}
        self.run_command(self.save(tree))

    def test_failed_run_says_why(self):
        tree = self.good()
        tree.update(valid=False, why="disk full", figures=None, mpi=None)
        self.run_command(self.save(tree))
        tree["why"] = None
        self.assertIn("$.why: ", self.lines(tree)[0])


class Page(unittest.TestCase):
    def test_the_page_names_every_field(self):
        page = os.path.join(PACKAGE, os.pardir, "doc", "report-schema.md")
        words = set(re.findall(r"\w+", read_text(page)))
        self.assertEqual([name for name in names(fields.TABLE) if name not in words],
                         [])


def names(kind):
    """Returns names of all fields below a kind of the table."""
    if isinstance(kind, (list, tuple)):
        return names(kind[0])
    if not isinstance(kind, dict):
        return []
    return [name.rstrip("*") for name in kind if name != "*"] + [
        name for inner in kind.values() for name in names(inner)]


class Files(Case):
    def test_not_even_a_report(self):
        for text, words in (("", "the file is empty"), ("{", "not JSON"),
                            ("[1]", "$: it is not an object"),
                            ('{"schema": NaN}', "it holds NaN"),
                            ("{}", '$.schema: it is not "leadline-report/1"'),
                            ('{"schema": "leadline-report/2"}', "$.schema")):
            out = self.run_command(self.save(text), status=1)
            self.assertIn(words, out)
            self.assertEqual(out.count("\n"), 1)

    def test_truncated_everywhere(self):
        text = json.dumps(self.good())
        for part in range(1, 20):
            out = self.run_command(self.save(text[:len(text) * part // 20]), status=1)
            self.assertIn("not JSON", out)

    def test_absent_and_forbidden(self):
        self.assertIn("cannot be read: No such file",
                      self.run_command(self.path("none"), status=1))
        path = self.save(self.good())
        os.chmod(path, 0)
        with without_privileges():
            self.assertIn("cannot be read: Permission denied",
                          self.run_command(path, status=1))

    def test_what_is_no_report(self):
        """Specifications and plans beside reports are named; a file with parts of a
        report, and no schema, is wrong."""
        path = self.save(self.good())
        for name, tree in (("spec", {"program": "madbench"}), ("list", [1]),
                           ("need", {"schema": "leadline-need/1"})):
            save(self.dir, name + ".json", tree)
        self.assertEqual(self.run_command(self.dir),
                         "%s: valid against leadline-report/1\n%s: 3 other JSON files: "
                         "list.json, need.json, spec.json\n" % (path, self.dir))
        self.assertEqual(self.run_command("-q", self.dir), "")
        tree = self.good()
        del tree["schema"]
        save(self.dir, "lost.json", tree)
        self.assertIn("lost.json: $.schema: it is", self.run_command(
            "-q", self.dir, status=1))

    def test_other_files_beside_folders(self):
        """They do not hide reports in the folders."""
        save(self.dir, "spec.json", {"program": "madbench"})
        os.mkdir(self.path("runs"))
        path = save(self.path("runs"), "a.json", self.good())
        self.assertEqual(self.run_command(self.dir), (
            "%s: valid against leadline-report/1\n%s: 1 other JSON file: spec.json\n"
            % (path, self.dir)))

    def test_folders(self):
        self.assertEqual(self.run_command(self.dir, status=1),
                         self.dir + ": no report\n")
        inside = self.path("inside")
        os.mkdir(inside)
        path = save(inside, "a.json", self.good())
        self.assertEqual(self.run_command(self.dir),
                         path + ": valid against leadline-report/1\n")

    def test_one_bad_among_many(self):
        for i in range(300):
            save(self.dir, "%03d.json" % i, self.good())
        save(self.dir, "150.json", "{")
        save(self.dir, "sweep.json", {"schema": "leadline-sweep/1"})
        out = self.run_command("-q", self.dir, status=1).splitlines()
        self.assertEqual(len(out), 1)
        self.assertIn("150.json: not JSON", out[0])


if __name__ == "__main__":
    main()
