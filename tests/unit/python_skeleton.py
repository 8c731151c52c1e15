"""The reader of skeletons: inputs that it accepts, and sentences about others.
ranks: 1; mpi: any
"""
import copy
import json
import os
import shutil
import tempfile
import unittest

from tap import main

from files import write_file
from leadline.base.errors import LeadlineError
from leadline.skeleton import polynomials, skeleton

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
        write_file(self.path, data if isinstance(data, str) else json.dumps(data))
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
        self.refused("[]", "not a skeleton")
        self.refused({"schema": "leadline-skeleton/2"}, "not a skeleton")
        self.refused({"schema": "leadline-skeleton/1"}, "is missing")
        for change, words in (
                (lambda d, t, s: d.pop("left_out"), "left_out"),
                (lambda d, t, s: t.update(plans=3), ": damaged"),
                (lambda d, t, s: t.update(bytes=1), "bytes, not"),
                (lambda d, t, s: t.update(calls=1), "calls"),
                (lambda d, t, s: d["totals"]["transfers"].update(bytes=1), "says that"),
                (lambda d, t, s: s.update(repeats=2), "bytes, not"),
                (lambda d, t, s: s.update(plan="x"), "is no plan"),
                (lambda d, t, s: s.update(plan="ranks=3 step=0 start=0 [size=1]"),
                 "is no plan of 4 ranks"),
                (lambda d, t, s: s.update(  # a level is not passed over
                    plan=s["plan"].replace("stride", "strid")), "is no plan"),
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


TOLD = {
    "schema": "leadline-skeleton-polynomials/1", "mpi": True, "ranks": "nprocs",
    "assumptions": [], "variables": [{"name": "K"}], "files": [{"file": "file-1"}],
    "phases": [{"phase": 0, "region": False, "order": "(0 1)x[K]"}],
    "transfers": [{
        "step": 0, "phase": 0, "file": "file-1", "call": "MPI_File_write_at",
        "level": "MPI-IO", "where": "1", "direction": "write", "start": "10*rank",
        "size": "10", "levels": [{"stride": "10*nprocs", "count": "K"}]}, {
        "step": 1, "phase": 0, "file": "file-1", "call": "MPI_File_read_at",
        "level": "MPI-IO", "where": "(rank < 1)", "direction": "read",
        "start": "0", "size": "30", "end": "70",
        "levels": [{"stride": "30", "count": "K"}]}],
    "calls": []}


class Polynomials(unittest.TestCase):
    def made(self, ranks=3, change=None, **values):
        data = copy.deepcopy(TOLD)
        if change:
            change(data, data["transfers"][0], data["transfers"][1])
        made = polynomials.numbers(data, "told", ranks, values or {"K": 2})
        skeleton.Skeleton(made, "made")
        return made

    def test_numbers(self):
        made = self.made()
        first, second = made["transfers"]
        self.assertEqual([p["descriptors"] for p in first["plans"]], [[
            {"plan": "ranks=3 step=10 start=0 [span=60 stride=30 size=10]",
             "repeats": 1}]])
        self.assertEqual((second["ranks"], second["calls"], second["bytes"]),
                         (1, 2, 60))
        self.assertEqual(made["files"][0]["bytes"], 60)
        self.assertEqual([o["steps"] for o in made["phases"][0]["order"]],
                         ["(0 1)x2", "(0)x2"])
        self.assertEqual(made["phases"][0]["order"][1]["ranks"], 2)

    def test_ranks_at_equal_distances_have_one_order(self):
        """They also have one plan, as in skeletons of traces."""
        def every_other(_, first, second):
            first["where"], second["where"] = "(mod(rank, 2) < 1)", "0"
        made = self.made(6, every_other)
        (plan,), (order,) = made["transfers"][0]["plans"], made["phases"][0]["order"]
        for of in (plan, order):
            self.assertEqual((of["first_rank"], of["rank_step"], of["ranks"]),
                             (0, 2, 3))

    def test_the_end_cuts(self):
        made = self.made(K=4)["transfers"][1]
        self.assertEqual((made["calls"], made["bytes"], made["empty"]), (4, 70, 1))
        self.assertEqual(self.made(K=4)["phases"][0]["order_lost"], 1)

    def test_nothing(self):
        self.assertEqual(self.made(K=0)["transfers"], [])

    def test_grids_and_roots(self):
        self.assertEqual([polynomials.dim(12, 2, i) for i in (0, 1)], [4, 3])
        self.assertEqual([polynomials.root(n) for n in (0, 15, 16, 2 ** 60 - 1)],
                         [0, 3, 4, 2 ** 30 - 1])

    def test_what_is_wrong_is_a_sentence(self):
        for change, words in (
                (lambda d, t, u: t.update(start="__import__('os')"), "no expression"),
                (lambda d, t, u: t.update(start="9**9**9"), "no expression"),
                (lambda d, t, u: t.update(start="rank.real"), "no expression"),
                (lambda d, t, u: t.update(start="(" * 5000), "no expression"),
                (lambda d, t, u: t.update(start="L"), "no expression"),
                (lambda d, t, u: t.update(start=7), "missing, or too long"),
                (lambda d, t, u: t.update(start="0 - 1"), "before the file"),
                (lambda d, t, u: t.update(size="*".join(["9999999"] * 10)), "2^62"),
                (lambda d, t, u: t.update(size="floordiv(1, K - 2)"), "no value"),
                (lambda d, t, u: t.pop("levels"), "damaged"),
                (lambda d, t, u: t.update(unresolved="who knows"), "who knows"),
                (lambda d, t, u: d["phases"][0].update(order="(0"), "no order"),
                (lambda d, t, u: d["phases"][0].update(order="0)x[K]"), "no order")):
            with self.assertRaises(LeadlineError) as caught:
                self.made(change=change)
            self.assertIn(words, str(caught.exception))

    def test_variables(self):
        for values, words in (({"L": 1}, "no variable L"), ({"K": 1, "L": 2}, "L"),):
            with self.assertRaises(LeadlineError) as caught:
                self.made(**values)
            self.assertIn(words, str(caught.exception))


if __name__ == "__main__":
    main()
