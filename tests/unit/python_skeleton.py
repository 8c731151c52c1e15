"""The reader of skeletons: what it takes, and sentences about what it does not.
ranks: 1; mpi: any
"""
import copy
import json
import os
import shutil
import tempfile
import unittest

from tap import main

from leadline import skeleton
from leadline.errors import LeadlineError

GOOD = {
    "schema": "leadline-skeleton/1", "mpi": True, "ranks": 4, "files": [],
    "phases": [{"order": [
        {"first_rank": 0, "rank_step": 1, "ranks": 4, "steps": "3x48 (4)x2"},
        {"first_rank": 0, "rank_step": 1, "ranks": 1, "steps": "3x4"}]}],
    "transfers": [{
        "step": 3, "phase": 0, "file": "file-1", "call": "pwrite",
        "calls": 4 * 2 * 8 * 3 + 7,
        "bytes": 4 * 2 * 8 * 3 * 100 + 500, "empty": 1, "failed": 1,
        "plans": [{"first_rank": 0, "rank_step": 1, "ranks": 4, "descriptors": [
            {"plan": "ranks=4 step=800 start=0 [span=12800 stride=6400 [span=-6400 "
                     "stride=-800 size=100]]", "repeats": 3}]}],
        "drawn": {"calls": 4, "bytes": 300, "sizes": [[64, 4]]},
        "unplaced": {"calls": 1, "bytes": 200, "sizes": [[128, 1]]}}],
    "calls": [], "left_out": {},
    "totals": {"transfers": {"calls": 199, "bytes": 4 * 2 * 8 * 3 * 100 + 500}}}


class Reader(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.path = os.path.join(self.dir, "s.json")

    def read(self, data):
        with open(self.path, "w") as stream:
            stream.write(data if isinstance(data, str) else json.dumps(data))
        return skeleton.load(self.path)

    def refused(self, data, words):
        with self.assertRaises(LeadlineError) as caught:
            self.read(data)
        self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def changed(self, change):
        data = copy.deepcopy(GOOD)
        change(data, data["transfers"][0],
               data["transfers"][0]["plans"][0]["descriptors"][0])
        return data

    def test_what_is_right(self):
        found = self.read(GOOD)
        self.assertEqual(found.bytes, 19700)
        self.assertEqual(found.ranks, 4)

    def test_what_is_not(self):
        text = json.dumps(GOOD)
        self.refused(text[:200], "cannot be read as a skeleton")
        self.refused("[]", "is no skeleton")
        self.refused({"schema": "leadline-skeleton/2"}, "is no skeleton")
        self.refused({"schema": "leadline-skeleton/1"}, "is missing")
        for change, words in (
                (lambda d, t, s: d.pop("left_out"), "left_out"),
                (lambda d, t, s: t.update(plans=3), "is damaged"),
                (lambda d, t, s: t.update(bytes=1), "bytes, not"),
                (lambda d, t, s: t.update(calls=1), "calls"),
                (lambda d, t, s: d["totals"]["transfers"].update(bytes=1), "says that"),
                (lambda d, t, s: s.update(repeats=2), "bytes, not"),
                (lambda d, t, s: s.update(plan="x"), "is no plan"),
                (lambda d, t, s: s.update(plan="ranks=3 step=0 start=0 [size=1]"),
                 "is no plan of 4 ranks"),
                (lambda d, t, s: s.update(
                    plan="ranks=4 step=0 start=0 [span=3 stride=0 size=1]"), "whole"),
                (lambda d, t, s: s.update(
                    plan="ranks=4 step=0 start=0 [span=%d stride=1 size=9]" % 2 ** 60),
                 "is no descriptor"),
                (lambda d, t, s: d["phases"][0]["order"].pop(), "192 in the order of"),
                (lambda d, t, s: d["phases"][0]["order"][1].update(steps="3x4)"),
                 "is no sequence")):
            self.refused(self.changed(change), words)

    def test_sequences(self):
        self.assertEqual(skeleton.counts(""), {})
        self.assertEqual(skeleton.counts("0 1x4 (2 (3x2 0)x10)x3"),
                         {0: 31, 1: 4, 2: 3, 3: 60})
        for text in ("(", ")", "1 (2", "1)", "x3", "a", "1 -2", "(x2 1)"):
            with self.assertRaises(LeadlineError):
                skeleton.counts(text)

    def test_no_file(self):
        with self.assertRaises(LeadlineError):
            skeleton.load(os.path.join(self.dir, "nothing"))


if __name__ == "__main__":
    main()
