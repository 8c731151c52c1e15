#!/usr/bin/env python3
# mpi: any
"""leadline export: what the reports have, row by row."""
import csv
import io
import unittest

from tap import main

from fake_report import report, save
from leadline_case import STEADY, LeadlineCase, leadline

try:
    from pyarrow import parquet
except ImportError:
    parquet = None


class Export(LeadlineCase):
    COMMAND = "export"

    def two(self):
        self.save(report({"write_MBps": STEADY}, "a", "s1", 3), "a.json")
        tree = report({"read_MBps": [None, 1.5]}, label="=1+1", options={"xtra": True},
                      ranks=8)
        tree["figures"][0]["at"] = {"alpha": 0.5}
        self.save(tree, "b.json")

    def rows(self, *args):
        return list(csv.DictReader(io.StringIO(self.run_command(self.dir, *args))))

    def test_rows(self):
        self.two()
        found = self.rows()
        self.assertEqual(len(found), 7)
        first, last = ([row for row in found if row["figure"] == figure] for figure in (
            "write_MBps", "read_MBps"))
        self.assertEqual([float(row["value"]) for row in first], STEADY)
        self.assertEqual([row["rep"] for row in first], list("123456"))
        self.assertEqual({row["round"] for row in first}, {"3"})
        self.assertEqual({row["option_npix"] for row in found}, {"1024"})
        self.assertEqual({row["option_xtra"] for row in first}, {""})
        last, = last
        self.assertEqual([last[name] for name in (
            "at", "unit", "better", "ranks", "option_xtra", "label", "rep", "value")],
            ["alpha=0.5", "MB/s", "higher", "8", "true", "'=1+1", "2", "1.5"])

    def test_bad_ones_are_told(self):
        self.two()
        save(self.dir, "c.json", "{")
        status, out, err = leadline("export", self.dir)
        self.assertEqual((status, out.count("\n")), (0, 8))
        self.assertIn("leadline export: ", err)
        self.assertIn("not JSON", err)

    def test_nothing(self):
        self.refused("no report in", self.dir)

    def test_parquet_goes_to_a_file(self):
        self.two()
        self.refused("say --output", self.dir, "--format=parquet")

    @unittest.skipIf(parquet, "pyarrow is installed")
    def test_no_pyarrow(self):
        self.two()
        self.refused("needs pyarrow", self.dir, "--format=parquet",
                     "--output=" + self.path("x"))

    @unittest.skipUnless(parquet, "pyarrow is not installed")
    def test_parquet(self):
        self.two()
        path = self.path("x.parquet")
        self.run_command(self.dir, "--format=parquet", "--output=" + path)
        found = parquet.read_table(path).to_pylist()
        self.assertEqual([row["value"] for row in found
                          if row["figure"] == "write_MBps"], STEADY)
        self.assertEqual({row["ranks"] for row in found}, {4, 8})


if __name__ == "__main__":
    main()
