#!/usr/bin/env python3
# mpi: any
"""leadline io500: its figures, scores and doubts, for fake reports."""
import copy
import math
import unittest

from tap import main

from leadline.base import fields
from leadline.results import schema
from leadline.sweep import io500_report

GIB = 1073.741824   # MB


def figure(name, value):
    return {"name": name, "median": value, "reps": [value]}


def sample(phase, act, calls=0, bytes_=0, seconds=400.0):
    return {"rep": 1, "at": {}, "phase": phase, "act": act, "start_s": 0.0,
            "calls": calls, "bytes": bytes_, "device_bytes": None, "min_s": seconds,
            "mean_s": seconds, "max_s": seconds, "max_rank": 0, "max_host": "n1",
            "submit_mean_s": None, "wait_mean_s": None, "ranks_s": [seconds]}


def frame(figures, samples, nodes=2):
    return {
        "schema": "leadline-report/1", "valid": True, "why": None,
        "run": {"id": "r1", "program": "x", "version": "1", "argv": [], "label": "",
                "start_utc": "2026-11-20T10:15:02Z", "end_utc": "2026-11-20T10:25:02Z",
                "wall_s": 600.0, "seed": 1, "series": None},
        "mpi": {"library": "MPICH", "io_layer": None, "thread_level": None,
                "launcher": None, "ranks": 8, "nodes": nodes, "ranks_per_node_max": 4},
        "hosts": [{"name": "n1", "ranks": 8, "cores": 4, "memory_bytes": 1 << 30,
                   "kernel": None, "load1_start": None, "load1_end": None}],
        "io": {"engine": "posix", "version": None, "mode": "sync",
               "chosen_because": None, "collective": False, "cache": "flush",
               "sync": "phase", "depth": 1, "timeout_s": 300, "settings": {},
               "hints_asked": {}, "hints_in_effect": {}},
        "files": [{"role": "data", "path": "x", "kind": "unique", "count": 8,
                   "layout": None, "ldad": None, "bytes": 1, "fs": "ext4", "mount": "",
                   "block_bytes": 4096, "stripe_bytes": None, "stripe_count": None}],
        "options": {}, "samples": samples, "figures": figures, "results": {},
        "checks": {"blocks_checked": 10, "blocks_bad": 0, "split_error": 0.0,
                   "device_share": 1.0}, "warnings": [], "errors": []}


def transfers(write, read):
    return frame([figure("write_MBps", write), figure("read_MBps", read)], [
        sample("write", "write", bytes_=4 << 30), sample("write", "wall"),
        sample("read", "read", bytes_=4 << 30), sample("read", "wall")])


def files(rates, made, listing):
    return frame(
        [figure(name + ".per_s", rate) for name, rate in rates.items()],
        [sample("create", "wall"), sample("stat", "wall"), sample("read", "wall"),
         sample("readdir", "open_close", 2, seconds=listing),
         sample("readdir", "wall", seconds=listing),
         sample("create", "write", bytes_=2 << 30),
         sample("read", "read", bytes_=2 << 30),
         sample("unlink", "open_close", made), sample("unlink", "wall")])


def trees():
    """Makes 1, 2, 4 and 8 GiB/s; eight rates of 1, 2, 4 ... 128 kIOPS, find among
    them."""
    return {
        "ior_easy": transfers(1 * GIB, 4 * GIB),
        "ior_hard": transfers(2 * GIB, 8 * GIB),
        "mdtest_easy": files({"create": 1e3, "stat": 8e3, "unlink": 32e3}, 3000, 0.5),
        "mdtest_hard": files({"create": 2e3, "stat": 16e3, "read": 64e3,
                              "unlink": 128e3}, 1000, 0.5)}


OPTIONS = {name: {"value": value, "unit": None, "from": "default", "workload": True}
           for name, value in (("time", 300), ("files", 10))}


class Scores(unittest.TestCase):
    def test_by_hand(self):
        """(1 2 4 8)^(1/4) = 2^1.5; (1 2 4 8 16 32 64 128)^(1/8) = 2^3.5, as find has
        4000 names in 1 s; sqrt(2^5)."""
        found = io500_report.scores(io500_report.values(trees()))
        self.assertAlmostEqual(found["score_bw"], 2 ** 1.5, 9)
        self.assertAlmostEqual(found["score_md"], 2 ** 3.5, 9)
        self.assertAlmostEqual(found["score"], 2 ** 2.5, 9)
        self.assertEqual(io500_report.values(trees())["find"], 4000.0)

    def test_without_a_rate_there_is_none(self):
        some = trees()
        some["mdtest_hard"]["figures"][2]["median"] = None
        found = io500_report.scores(io500_report.values(some))
        self.assertIsNone(found["score_md"])
        self.assertIsNone(found["score"])
        self.assertAlmostEqual(found["score_bw"], 2 ** 1.5, 9)

    def test_rounds(self):
        second = trees()
        second["ior_easy"]["figures"][0]["median"] *= 16.0
        tree = io500_report.merged([trees(), second], OPTIONS, "a label")
        rows = {row["name"]: row for row in tree["figures"]}
        self.assertEqual(rows["ior_easy_write_MBps"]["reps"], [GIB, 16.0 * GIB])
        self.assertAlmostEqual(rows["score_bw"]["reps"][1], 2 ** 2.5, 9)
        self.assertEqual(rows["score"]["unit"], "1")
        self.assertEqual(rows["mdtest_hard_stat_per_s"]["unit"], "1/s")
        self.assertEqual(set(s["rep"] for s in tree["samples"]), {1, 2})
        self.assertIsNone(rows["find_per_s"]["ci95"])


class Doubts(unittest.TestCase):
    def codes(self, some, limit=300):
        return {code: names for code, (_, names)
                in io500_report.all_doubts([some], limit).items()}

    def test_nothing_to_doubt(self):
        self.assertEqual(self.codes(trees()), {})

    def test_phases_that_are_short_or_ended_early(self):
        some = trees()
        some["ior_hard"]["samples"][1]["max_s"] = 299.0
        self.assertEqual(self.codes(some), {"short": ["ior_hard_write"],
                                            "ended_early": ["ior_hard_write"]})
        self.assertEqual(self.codes(some, 10), {"short": ["ior_hard_write"]})
        some = trees()
        some["mdtest_hard"]["warnings"] = [{"code": "served_from_memory", "text": "x"},
                                           {"code": "other", "text": "y"}]
        self.assertEqual(self.codes(some), {"served_from_memory": ["mdtest_hard_read"]})
        some = trees()
        some["ior_easy"]["samples"][2]["bytes"] -= 1
        self.assertEqual(self.codes(some), {"read_part": ["ior_easy_read"]})
        some = trees()
        some["ior_easy"]["hosts"][0]["memory_bytes"] = 5 << 30
        self.assertEqual(self.codes(some), {"small": ["ior_easy_read"]})
        some = trees()
        some["ior_easy"]["mpi"]["nodes"] = 1
        self.assertEqual(self.codes(some), {"single_node": ["ior_easy_write",
                                                            "ior_easy_read"]})
        some = trees()
        some["mdtest_hard"]["figures"][2]["median"] = None
        self.assertEqual(self.codes(some), {"no_rate": ["mdtest_hard_read"]})


class Reports(unittest.TestCase):
    def test_it_is_a_report_that_says_what_it_is(self):
        tree = io500_report.merged([trees()], OPTIONS, "")
        self.assertEqual(fields.check(tree, fields.TABLE, "$"), [])
        self.assertEqual(schema.meaning(tree), [])
        self.assertEqual(tree["run"]["program"], "io500-diagnosis")
        self.assertNotEqual(tree["run"]["id"], "r1")
        self.assertIn("diagnosis, not a submission", tree["warnings"][0]["text"])
        self.assertIn("diagnosis, not a submission", tree["results"]["mark"])
        for name in ("score_bw", "score_md", "score"):
            row = next(r for r in tree["figures"] if r["name"] == name)
            self.assertIn("diagnosis, not a submission", row["formula"])
        self.assertEqual(len(tree["figures"]), 15)

    def test_names_are_those_of_imports(self):
        names = [row["name"] for row in io500_report.figures([trees()])]
        self.assertEqual(names[:6], [
            "ior_easy_write_MBps", "mdtest_easy_write_per_s", "ior_hard_write_MBps",
            "mdtest_hard_write_per_s", "find_per_s", "ior_easy_read_MBps"])

    def test_text(self):
        some = trees()
        some["ior_hard"]["samples"][1]["max_s"] = 299.0
        text = io500_report.text(io500_report.merged([some], OPTIONS, ""))
        self.assertRegex(text, r"ior-hard-write +2\.0000 +GiB/s +299\.0 +4 5\n")
        self.assertRegex(text, r"mdtest-hard-delete +128\.0000 +kIOPS +400\.0 *\n")
        self.assertIn("Bandwidth 2.8284 GiB/s, metadata 11.3137 kIOPS, score 5.6569 "
                      "(diagnosis, not a submission).", " ".join(text.split()))
        self.assertIn("\n 4 ior_hard_write: it took less than 300 s", text)
        self.assertTrue(all(len(line) <= 88 for line in text.splitlines()))

    def test_a_merge_changes_no_input(self):
        some = trees()
        before = copy.deepcopy(some)
        io500_report.merged([some], OPTIONS, "")
        self.assertEqual(some, before)
        self.assertFalse(math.isnan(io500_report.find_rate(some)))


if __name__ == "__main__":
    main()
