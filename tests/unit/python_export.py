#!/usr/bin/env python3
# mpi: any
"""leadline export: the contents of the reports, row by row."""
import csv
import io
import sys
import unittest
from unittest import mock

from tap import main

from fake_report import report, save
from leadline_case import STEADY, LeadlineCase, leadline

try:
    from pyarrow import parquet
except ImportError:
    parquet = None
try:
    import pandas
except ImportError:
    pandas = None

COLUMNS = (
    "run_id start_utc program version label series config round valid imported_from "
    "host nodes ranks mpi engine cache sync fs from_memory opt_filetype opt_nbin "
    "opt_npix opt_xtra figure at_name at_value unit better rep value weight").split()


class Export(LeadlineCase):
    COMMAND = "export"

    def two(self):
        self.save(report({"write_MBps": STEADY}, "a", "s1", 3), "a.json")
        tree = report({"read_MBps": [None, 1.5]}, label="=1+1", ranks=8)
        tree["options"]["xtra"] = {"value": True, "workload": True}
        tree["figures"][0]["at"] = {"alpha": 0.5}
        self.save(tree, "b.json")

    def rows(self, *args):
        return list(csv.DictReader(io.StringIO(self.run_command(self.dir, *args))))

    def test_columns(self):
        self.two()
        self.assertEqual(list(self.rows()[0]), COLUMNS)

    def test_what_varied_is_a_column(self):
        """They are options outside the workload, and facts that only a sweep's state
        has."""
        for name, method in (("a", "posix"), ("b", "mpi")):
            self.save(report({"write_MBps": [1.0]}, name, "s1", 1,
                             options={"iomethod": method}), name + ".json")
        self.save({"schema": "leadline-sweep/1", "id": "s1", "spec": {},
                   "configs": ["a", "b"], "values": {
                       "a": {"env.THREADS": 1, "iomethod": "posix"},
                       "b": {"env.THREADS": None, "iomethod": "mpi"}}}, "sweep.json")
        found = [(row["config"], row["opt_iomethod"], row["opt_env.THREADS"],
                  row["opt_filetype"]) for row in self.rows()]
        self.assertEqual(sorted(found), [("a", "posix", "1", "unique"),
                                         ("b", "mpi", "", "unique")])

    def test_rows(self):
        """There is one for each repetition, also without a value."""
        self.two()
        found = self.rows()
        self.assertEqual(len(found), 8)
        first, last = ([row for row in found if row["figure"] == figure] for figure in (
            "write_MBps", "read_MBps"))
        self.assertEqual([float(row["value"]) for row in first], STEADY)
        self.assertEqual([row["rep"] for row in first], list("123456"))
        self.assertEqual({row["round"] for row in first}, {"3"})
        self.assertEqual({row["opt_npix"] for row in found}, {"1024"})
        self.assertEqual({row["opt_xtra"] for row in first}, {""})
        self.assertEqual({row["weight"] for row in first}, {repr(1 / 6)})
        self.assertEqual([[row[name] for name in (
            "at_name", "at_value", "unit", "better", "ranks", "opt_xtra", "label",
            "rep", "value", "weight")] for row in last],
            [["alpha", "0.5", "MB/s", "higher", "8", "true", "'=1+1", rep, value, "0.5"]
             for rep, value in (("1", ""), ("2", "1.5"))])

    def test_order(self):
        """Rows are in order of date, whatever the names of files are."""
        for name, day in (("a", 3), ("b", 1), ("c", 2)):
            tree = report({"write_MBps": [float(day)]})
            tree["run"]["start_utc"] = "2026-11-%02dT10:00:00Z" % day
            self.save(tree, name + ".json")
        self.assertEqual([row["value"] for row in self.rows()], ["1.0", "2.0", "3.0"])

    def test_copies_count_once(self):
        tree = report({"write_MBps": [1.0]})
        for name in "ab":
            self.save(tree, name + ".json")
        status, out, err = leadline("export", self.dir)
        self.assertEqual((status, out.count("\n")), (0, 2))
        self.assertIn("1 report is of runs that are in the table already", err)

    def test_digits(self):
        """All are there: reading back gives the report's value."""
        values = [0.1 + 0.2, 1e-17 + 1, 123456789.123456789]
        self.save(report({"write_MBps": values}))
        self.assertEqual([float(row["value"]) for row in self.rows()], values)

    def test_bad_ones_are_told(self):
        self.two()
        save(self.dir, "c.json", "{")
        status, out, err = leadline("export", self.dir)
        self.assertEqual((status, out.count("\n")), (0, 9))
        self.assertIn("leadline export: ", err)
        self.assertIn("not JSON", err)

    def test_nothing(self):
        self.refused("no report in", self.dir)

    def test_parquet_goes_to_a_file(self):
        self.two()
        self.refused("Say --output", self.dir, "--format=parquet")

    def test_no_pyarrow(self):
        self.two()
        with mock.patch.dict(sys.modules, pyarrow=None):
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
        self.assertEqual(parquet.read_schema(path).metadata[b"leadline"],
                         b"leadline-table/1")

    @unittest.skipUnless(parquet and pandas, "pyarrow and pandas are not installed")
    def test_both_say_the_same(self):
        """pandas reads the same from CSV, by its own rules, as Parquet contains."""
        self.two()
        tree = report({"write_MBps": [1.0, 2.5]}, "a", "s1", 4)
        tree["run"]["start_utc"] = "2026-11-20T10:15:02.123Z"
        self.save(tree, "c.json")
        for name in ("x.csv", "x.parquet"):
            self.run_command(self.dir, "--format=" + name[2:], "--output="
                             + self.path(name))
        text = pandas.read_csv(self.path("x.csv"))
        binary = pandas.read_parquet(self.path("x.parquet"))
        self.assertEqual(list(text), list(binary))
        text["label"] = text["label"].str.lstrip("'")
        text["start_utc"] = pandas.to_datetime(text["start_utc"])
        for name in text:
            mine, other = list(text[name]), list(binary[name])
            for a, b in zip(mine, other):
                self.assertTrue(str(a) == str(b) or a == b
                                or pandas.isna(a) and pandas.isna(b), (name, a, b))
        median = binary.query("valid and figure == 'write_MBps'").groupby(
            ["config", "round"], observed=True).value.median().unstack()
        self.assertEqual(median.loc["a", 4], 1.75)


if __name__ == "__main__":
    main()
