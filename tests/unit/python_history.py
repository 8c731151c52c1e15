#!/usr/bin/env python3
# mpi: any
"""leadline list: a line for each report, the right ones, and broken ones are
reported."""
import csv
import io
import json
import os

from tap import main

from fake_report import report, save
from full_report import full
from leadline_case import LeadlineCase, leadline, without_privileges


class Case(LeadlineCase):
    COMMAND = "list"

    def fill(self):
        for i, (day, fs, host, program) in enumerate((
                ("2026-11-18", "ext4", "n1", "madbench"),
                ("2026-11-19", "lustre", "n2.site", "madbench"),
                ("2026-11-20", "lustre", "n2.site", "ldad perf"))):
            folder = self.path("of-" + day, "deep")
            os.makedirs(folder)
            save(folder, "r%d.json" % i, full(
                {"write_MBps": [100.0 * (i + 1)], "W.write_MBps": [1.0],
                 "read_MBps": [7.0]}, start=day + "T10:15:02.123Z", fs=fs, host=host,
                program=program, label="run%d" % i))

    def runs(self, *args):
        tree = json.loads(self.run_command(self.dir, "--format=json", *args))
        self.assertEqual(tree["schema"], "leadline-list/1")
        return [run["configuration"] for run in tree["runs"]]


class Filters(Case):
    def test_all_by_date_and_below(self):
        self.fill()
        self.assertEqual(self.runs(), ["run0", "run1", "run2"])

    def test_each_filter(self):
        self.fill()
        self.assertEqual(self.runs("--fs=lustre"), ["run1", "run2"])
        self.assertEqual(self.runs("--host=n1"), ["run0"])
        self.assertEqual(self.runs("--host=n2*"), ["run1", "run2"])
        self.assertEqual(self.runs("--program=madbench"), ["run0", "run1"])
        self.assertEqual(self.runs("--program=ldad"), ["run2"])
        self.assertEqual(self.runs("--program=ldad perf", "--fs=l*"), ["run2"])

    def test_dates_hold_all_of_their_day(self):
        self.fill()
        self.assertEqual(self.runs("--since=2026-11-19"), ["run1", "run2"])
        self.assertEqual(self.runs("--until=2026-11-19"), ["run0", "run1"])
        self.assertEqual(self.runs("--since=2026-11-19T10", "--until=2026-11-19T10:15"),
                         ["run1"])
        self.assertEqual(self.runs("--since=2026"), ["run0", "run1", "run2"])

    def test_none(self):
        self.fill()
        self.refused("none of 3 reports is of that host", self.dir, "--host=n9")
        self.refused("not a date such as", self.dir, "--since=tuesday", status=2)


class Lines(Case):
    def test_text(self):
        self.fill()
        lines = self.run_command(self.dir).splitlines()
        self.assertEqual(len(lines), 5)
        for words in ("2026-11-19 10:15:02", "madbench", "run1", "n2", "lustre",
                      "write 200 MB/s, read 7 MB/s", "valid"):
            self.assertIn(words, lines[3])

    def test_csv_and_markdown(self):
        self.fill()
        rows = list(csv.DictReader(io.StringIO(self.run_command(
            self.dir, "--format=csv"))))
        self.assertEqual([row["ranks"] for row in rows], ["4", "4", "4"])
        self.assertTrue(os.path.exists(rows[0]["path"]))
        lines = self.run_command(self.dir, "--format=markdown").splitlines()
        self.assertEqual(set(line.count("|") for line in lines), {10})

    def test_not_valid_says_why(self):
        self.save(report({}, valid=False, why="disk full"))
        self.assertIn("not valid: disk full", self.run_command(self.dir))

    def test_reads_from_memory_are_marked(self):
        self.save(full({"read_MBps": [1.0]}, share=0.1))
        self.assertIn("valid, reads from memory", self.run_command(self.dir))

    def test_caches_below_are_marked(self):
        self.save(full({"read_MBps": [1.0]}, share=None, warnings=["cache_below"]))
        self.assertIn("valid, reads perhaps from a cache below",
                      self.run_command(self.dir))

    def test_control_characters_stay_out(self):
        self.save(full({"read_MBps": [1.0]}, label="a\x1b[31m", fs="e\x1bxt"))
        self.assertNotIn("\x1b", self.run_command(self.dir))


class Broken(Case):
    def test_hundreds_and_broken_ones(self):
        for i in range(400):
            self.save(full({"write_MBps": [1.0]}, label="x%d" % i), "%03d.json" % i)
        for i in range(5):
            self.save('{"schema"', "broken%d.json" % i)
        status, out, err = leadline("list", self.dir)
        self.assertEqual((status, out.count("\n")), (0, 402))
        self.assertEqual(err.count("\n"), 4)
        self.assertIn("broken0.json: not JSON", err)
        self.assertIn("and 2 more files that could not be read", err)

    def test_other_json_is_no_fault(self):
        self.save(full({"write_MBps": [1.0]}))
        self.save({"schema": "something-else/1"}, "other.json")
        self.assertEqual(self.run_command(self.dir).count("\n"), 3)

    def test_nothing_there(self):
        self.refused("no report in", self.dir)
        self.refused("No such file", self.path("none"))
        self.save("{")
        self.refused("not JSON", self.dir)

    def test_unreadable_folder(self):
        self.save(full({"write_MBps": [1.0]}))
        os.mkdir(self.path("locked"), 0)
        with without_privileges():
            status, _, err = leadline("list", self.dir)
        self.assertEqual(status, 0)
        self.assertIn("locked: cannot be read: Permission denied", err)


if __name__ == "__main__":
    main()
