#!/usr/bin/env python3
# mpi: any
"""leadline schema: the installed file is the one from the table, and another validator
accepts and refuses the same as validate."""
import copy
import json
import os
import unittest

from tap import HERE, PACKAGE, main

from files import read_json, read_text
from full_report import full
from leadline.base import fields, json_schema
from leadline_case import STEADY, LeadlineCase, leadline

try:
    import jsonschema
    VALIDATOR = getattr(jsonschema, "Draft202012Validator", None)
except ImportError:
    VALIDATOR = None

FILE = os.path.join(PACKAGE, os.pardir, "doc", "leadline-report-1.schema.json")
DATA = os.path.join(HERE, os.pardir, "data", "import")

# Faults, each with its place.
FAULTS = [
    (("run", "start_utc"), "yesterday"), (("mpi", "ranks"), 0), (("mpi", "ranks"), "4"),
    (("figures", 0, "unit"), ""), (("figures", 0, "reps", 1), "1"),
    (("figures", 0, "better"), "more"), (("figures", 0, "ci95"), [1]),
    (("samples", 2, "act"), "nap"), (("samples", 0, "mean_s"), -1),
    (("checks", "device_share"), 1.5), (("warnings",), {}), (("hosts", 0), 3),
    (("files", 0, "stack", 1, "reads"), "tape"), (("options", "npix"), 3),
    (("figures", 0, "median"), 1e31), (("schema",), "leadline-report/2"),
    (("errors",), None), (("run", "series"), 3), (("run", "imported"), {"tool": "x"})]


def good():
    return full({"write_MBps": STEADY, "read_MBps": [1.0, None]})


def changed(names, value):
    tree = good()
    at = tree
    for name in names[:-1]:
        at = at[name]
    at[names[-1]] = value
    return tree


class File(LeadlineCase):
    COMMAND = "schema"

    def test_it_is_what_the_table_gives(self):
        self.assertEqual(read_text(FILE), self.run_command(), "run: leadline schema "
                         "-o doc/leadline-report-1.schema.json")

    def test_all_kinds_are_there(self):
        self.assertEqual(set(json_schema.LEAVES), set(fields.KINDS))


@unittest.skipUnless(VALIDATOR, "jsonschema 4 or later is not installed")
class Validator(LeadlineCase):
    def setUp(self):
        super().setUp()
        VALIDATOR.check_schema(json_schema.schema())
        self.judge = VALIDATOR(json.loads(json_schema.text()))

    def test_good(self):
        tree = good()
        self.judge.validate(tree)
        tree["new"] = tree["run"]["new"] = 1  # a later version's
        self.judge.validate(tree)

    def test_failed_runs(self):
        tree = good()
        tree.update(valid=False, why="disk full", figures=None, mpi=None)
        self.judge.validate(tree)
        tree["valid"] = True
        self.assertFalse(self.judge.is_valid(tree))

    def test_faults(self):
        for names, value in FAULTS:
            tree = changed(names, value)
            self.assertTrue(fields.check(tree, fields.TABLE, "$"), names)
            self.assertFalse(self.judge.is_valid(tree), names)

    def test_missing(self):
        for part in ("run", "figures", "checks"):
            tree = copy.deepcopy(good())
            del tree[part]
            self.assertFalse(self.judge.is_valid(tree), part)

    def test_imported(self):
        for name in os.listdir(DATA):
            leadline("import", os.path.join(DATA, name), "--out", self.dir, "--force",
                     "--ranks=8")
        found = sorted(os.listdir(self.dir))
        self.assertGreater(len(found), 15)
        for name in found:
            self.judge.validate(read_json(self.path(name)))


if __name__ == "__main__":
    main()
