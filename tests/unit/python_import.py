#!/usr/bin/env python3
# mpi: any; tier: quick ci
"""leadline import: the figures in the files of other programs, by hand; damaged files;
and all other commands accept the results."""
import contextlib
import io
import json
import os
import random
import sys
import time
from collections import Counter
from unittest import mock

from tap import HERE, drawn, long, main

from fake_report import report
from files import read_bytes, read_json, read_text, write_file
from leadline.base import fields
from leadline.base.errors import LeadlineError
from leadline.commands import cli
from leadline.importing import command, convert, darshan_log, formats
from leadline_case import LeadlineCase, leadline, without_privileges

DATA = os.path.join(HERE, os.pardir, "data", "import")
SAMPLES = sorted(os.listdir(DATA))
RANKS = {"fio-2.1.json": ["--ranks", "1"], "fio-terse.txt": ["--ranks", "1"]}
RANKS.update((name, ["--ranks", "8"]) for name in (
    "io500-result_summary.txt", "io500-2018-summary.txt", "io500-2018-log.txt",
    "io500-2021-result.txt"))
CUTS, CHANGES = 20, 200
APART = ("elbencho", "fio-terse")     # a cut file of whole lines has whole results
# Members that a file has or lacks without notice, and that are no figure.
UNANNOUNCED = ("train_MBps", "bytes_read", "bytes_written", "reads", "writes",
               "file_create_max", "file_read_per_s", "read_p99_s", "write_p99_s",
               "rate file create (stonewall)", "score_product", "file_create_s",
               "ior-rnd4K-easy-read", "write_rank_slowest_MBps", "codes", "posix_MBps",
               "mpiio_MBps", "stdio_MBps", "io_share", "stdio_bytes_written",
               "read_p50_s", "storage_p999_s", "cache_hit_rate")

# file -> [(name of its report, its contents)]; rates are MB/s to their last digit.
KNOWN = {
    "ior.txt": [("ior", {
        "ranks": 2, "nodes": 1, "write_MBps": [106.053, 298.634, 312.916],
        "read_MBps": [13277.07, 10378.81, 15087.96], "sync": "phase",
        "write_ops_per_s": [405.06, 1143.19, 1197.97]})],
    "ior-3.0.txt": [("ior-3.0", {  # other words in other places, and no IOPS
        "ranks": 16, "version": "3.0.1", "write_MBps": [335.54432], "figures": 2,
        "read_MBps": [26.2144], "transfersize": 1 << 25, "sync": "none"})],
    "ior-3.2.txt": [("ior-3.2", {
        "ranks": 64, "write_MBps": [1258.2912], "warnings": "stonewalled",
        "ranks_per_node_max": 8, "sync": "phase", "nodes": None})],
    "ior-io500-3.4.txt": [("ior-io500-3.4", {
        "ranks": 40, "nodes": 4, "read_MBps": [9017.7536], "warnings": "no_summary",
        "read_ops_per_s": [191860.0]})],
    "ior-ranks.csv": [("ior-ranks", {   # 16 GB in 50 s
        "ranks": 4, "write_MBps": [320.0], "write_rank_slowest_MBps": [80.0],
        "figures": 1})],
    "ior.json": [("ior", {
        "ranks": 2, "collective": True, "api": "MPIIO", "sync": "none",
        "write_MBps": [2205.3637, 1102.0602, 2609.7294],
        "read_MBps": [6722.2720, 9822.5494, 7422.8633]})],
    "ior.csv": [("ior", {
        "ranks": 2, "nodes": None, "sync": None, "version": None,
        "write_MBps": [230.8474, 229.7350, 280.5592]})],
    "ior-script.txt": [("ior-script-0", {
        "transfersize": 65536, "write_MBps": [789.3156, 497.3186]}), ("ior-script-1", {
            "transfersize": 262144, "write_MBps": [251.4276, 489.5382]})],
    "ior-stonewall-nowear.txt": [("ior-stonewall-nowear", {
        "write_MBps": [2104.4815], "warnings": "stonewalled", "bytes": None,
        "stonewallingwearout": 0, "blocksize": 1 << 30})],
    "ior-stonewall.txt": [("ior-stonewall", {
        "write_MBps": [2794.948, 2857.653], "stonewallingwearout": 1})],
    "ior-bad-verify.txt": [("ior-bad-verify", {
        "valid": False, "blocks_bad": 1, "read_MBps": [131.0510]})],
    "ior-bad-verify.json": [("ior-bad-verify", {
        "valid": True, "warnings": "unverified", "read_MBps": [130.9234]})],
    "mdtest.txt": [("mdtest", {
        "file_create_per_s": [166771.531, 155632.801, 6099.475],
        "tree_remove_per_s": [345.040, 155.402, 133.191], "file_read_per_s": None,
        "file_open_per_s": [729444.174, 726286.406, 570653.605],
        "warnings": "order_unknown"})],
    "mdtest-3.4.txt": [("mdtest-3.4", {  # maximum and minimum are over tasks, too
        "ranks": 10, "nodes": 3, "file_create_per_s": [2943.0], "figures": 1,
        "warnings": "summary_only", "file_create_max": [2950.0]})],
    "mdtest-1.9.txt": [("mdtest-1.9", {
        "ranks": 64, "nodes": 8, "file_read_per_s": [16000.0], "figures": 1})],
    "mdtest-3.3.txt": [("mdtest-3.3", {
        "ranks": 80, "file_create_per_s": [30000.1], "tree_create_per_s": [5.0],
        "figures": 2, "rate file create (stonewall)": [26930.0],
        "file_create_s": [319.999], "warnings": "stonewalled"})],
    "mdtest-3.4-bad.txt": [("mdtest-3.4-bad", {
        "valid": False, "blocks_bad": 12, "file_read_per_s": [64000.0],
        "saverankperformancedetails": "./results/mdtest-hard-read.csv"})],
    "mdtest-ranks.csv": [("mdtest-ranks", {
        "ranks": 4, "file_create_per_s": [31250.0], "tree_create_per_s": [12.5],
        "figures": 2})],
    "mdtest-files-data.txt": [("mdtest-files-data", {
        "file_create_per_s": [12456.355], "file_read_per_s": [12473.396],
        "dir_create_per_s": None, "figures": 6})],
    "mdtest-stonewall.txt": [("mdtest-stonewall", {
        "file_create_per_s": [54283.886], "tree_create_per_s": [11096.042],
        "figures": 2, "warnings": "stonewalled"})],
    "mdtest-v2.txt": [("mdtest-v2", {  # not 33,839, which is rank 0's
        "file_create_per_s": [66234.568, 65689.961], "figures": 6})],
    "fio-2jobs.json": [("fio-2jobs", {
        "ranks": 2, "read_MBps": [99.6693], "write_MBps": [249.8560],
        "read_ops_per_s": [24333.33], "read_p99_s": [234.496e-6]})],
    "fio-group.json": [("fio-group", {
        "ranks": 2, "write_MBps": [279.6203], "write_p99_s": [79.36e-6],
        "sync": "phase", "figures": 5})],
    "fio-two-stages.txt": [("fio-two-stages-w", {
        "write_MBps": [1048.5760], "warnings": "short"}), ("fio-two-stages-r", {
            "read_MBps": [524.2880], "warnings": "short"})],
    "fio-global.json": [("fio-global-first", {"ranks": 4, "write_MBps": [8388.608]}),
                        ("fio-global-second", {
                            "ranks": 1, "write_MBps": [2097.152]})],
    "fio-status.json": [("fio-status", {"read_MBps": [54.311896], "ranks": 1})],
    "fio-failed.json": [("fio-failed", {
        "valid": False, "figures": 0, "error": "ENOSPC"})],
    "fio-2.1.json": [("fio-2.1", {  # 2**30 B in 21.845 s
        "version": "2.1.3", "write_MBps": [49.1527471], "write_ops_per_s": [46.0],
        "write_p99_s": [0.08448], "warnings": "rounded", "end_utc": None})],
    "fio-2.2.json": [("fio-2.2", {  # 600 * 2**20 B in 10 s, the longer of the two
        "ranks": 2, "read_MBps": [62.91456], "read_ops_per_s": [15360.0],
        "read_p50_s": [63e-6], "read_p99_s": [172e-6], "read_p999_s": [402e-6],
        "figures": 5, "sync": None, "end_utc": "2015-11-01T10:30:11.000Z"})],
    "fio-clients.json": [("fio-clients", {  # 2 * 2**33 B in 20 s, not the sum's 3 rows
        "ranks": 4, "nodes": 2, "write_MBps": [858.9934592], "cache": "direct",
        "write_ops_per_s": [819.2], "write_p99_s": [5210.112e-6]})],
    "fio-mixed.json": [("fio-mixed", {
        "ranks": 1, "mixed_MBps": [134.217728], "mixed_ops_per_s": [32768.0],
        "mixed_p99_s": [1548.288e-6], "figures": 5, "depth": 16, "sync": "phase",
        "start_utc": "2024-06-01T10:00:01.100Z"})],
    "fio-terse.txt": [("fio-terse-randread", {
        "read_MBps": [214.7483648], "read_ops_per_s": [52428.0], "version": "3.7",
        "read_p99_s": [41e-6], "read_p999_s": [95e-6]}), ("fio-terse-seqwrite", {
            "version": "3.41", "write_MBps": [153.3916891], "write_p50_s": [4145e-6],
            "write_p99_s": [17694e-6], "figures": 5}), ("fio-terse-trimmed", {
                "version": None, "read_MBps": [52.4288], "write_MBps": [52.4288]})],
    "elbencho.csv": [("elbencho", {
        "ranks": 4, "write_MBps": [16.7772], "read_MBps": [67.1089],
        "cache": "direct", "start_utc": "2026-11-22T10:00:01.123Z",
        "warnings": "rounded"})],
    "elbencho-1.csv": [("elbencho-1", {  # without columns of mixed phases
        "ranks": 8, "version": "1.6-3", "write_MBps": [715.128832, 696.254464],
        "file_remove_per_s": [5120.0, 5011.0], "codes": ["imported"]})],
    "elbencho-2.csv": [("elbencho-2", {  # the writes took 45 s, mkdirs 7 ms
        "ranks": 32, "nodes": 2, "write_MBps": [2526.019584], "sync": "none",
        "read_MBps": [3766.484992], "dir_create_per_s": [4571.0],
        "codes": ["imported", "short_metadata", "stonewalled"]})],
    "elbencho-3.json": [("elbencho-3", {
        "ranks": 32, "nodes": 4, "write_MBps": [734.0032], "read_MBps": [314.5728],
        "read_ops_per_s": [76800.0], "file_stat_per_s": [18211.0],
        "dir_create_per_s": [12800.0], "codes": ["imported", "short_metadata"],
        "start_utc": "2025-03-04T11:00:00.017Z"})],
    "elbencho.json": [("elbencho", {
        "ranks": 4, "write_MBps": [17.2074], "read_MBps": [67.1089]})],
    "io500-result_summary.txt": [("io500-result_summary", {
        "warnings": "against_rules", "ior_easy_write_MBps": [2684.3546],
        "find_per_s": [500000.0], "score_bw": [1.302711], "score_md": [40.267110],
        "score": [7.242680]})],
    "io500-result.txt": [("io500-result", {
        "ranks": 2, "score": [6.324555], "figures": 6, "warnings": "against_rules"})],
    "io500-2018-summary.txt": [("io500-2018-summary", {     # GB/s, which are GiB/s
        "ior_easy_write_MBps": [2576.980378], "figures": 15, "score": [4.64173],
        "mdtest_hard_delete_per_s": [5000.0], "version": None})],
    "io500-2018-log.txt": [("io500-2018-log", {     # its TOTAL is a product
        "ior_hard_read_MBps": [483.1838208], "score": [4.641728], "figures": 15,
        "score_product": [21.54563], "codes": ["imported", "no_submission",
                                               "score_product"]})],
    "io500-2021-result.txt": [("io500-2021-result", {
        "version": "io500-sc21", "ior_hard_write_MBps": [53.6870912], "figures": 15,
        "warnings": "against_rules", "ior-hard-write transfersize": "47008",
        "ior-easy-write fileperproc": True, "ior-rnd4K-easy-read": [0.125]})],
    "dlio.json": [("dlio", {      # 65536 B x 180.1252 samples/s
        "ranks": 2, "train_samples_per_s": [163.313895, 197.629698, 179.431916],
        "train_utilization": [0.48335496, 0.70416051, 0.52616277],
        "train_MBps": [11.8046831], "figures": 3})],
    "dlio-summary.json": [("dlio-summary", {
        "ranks": 2, "nodes": 1, "train_samples_per_s": [10.0, 10.4, 10.2],
        "train_utilization": [0.955, 0.965, 0.960], "train_MBps": [1495.0597],
        "warnings": "cached_maybe"})],
    "dlio-checkpoint.json": [("dlio-checkpoint", {
        "ranks": 8, "save_checkpoint_MBps": [4.25 * 1073.741824], "figures": 4,
        "load_checkpoint_MBps": [6.5 * 1073.741824], "load_checkpoint_s": [2.1],
        "save_checkpoint_s": [3.2], "checkpoint_size_gb": 13.6,
        "codes": ["imported", "summary_only"]})],
    "kv-cache.json": [("kv-cache", {  # 40 GiB of all tiers in 20 s
        "ranks": 1, "tokens_per_s": [8000.0], "requests_per_s": [32.0],
        "cache_read_MBps": [2147.483648], "cache_write_MBps": [268.435456],
        "storage_p99_s": [2.21025], "read_p50_s": [0.0615], "write_p99_s": [0.4015],
        "cache_hit_rate": [0.925], "figures": 10})],
    "kv-cache-3.json": [("kv-cache-3", {  # 90 GiB of the storage in 60 s
        "read_MBps": [1610.612736], "write_MBps": [268.435456],
        "cache_read_MBps": [2684.35456], "tokens_per_s": [7500.0],
        "storage_p999_s": [2.3045], "read_p99_s": [0.09025], "figures": 15})],
    "h5bench-append.csv": [("h5bench-append", {
        "ranks": 4, "write_MBps": [87.162880], "write_observed_MBps": [38.273024],
        "warnings": "short"})],
    "h5bench-read.csv": [("h5bench-read", {
        "ranks": 64, "read_MBps": [4194.035564], "read_observed_MBps": [4026.53184],
        "collective": True})],
    "h5bench.csv": [("h5bench", {
        "ranks": 2, "write_MBps": [536.8709], "write_observed_MBps": [503.3165]})],
    "darshan-3.0.txt": [("darshan-3.0", {  # 2**29 B; its time of metadata is negative
        "posix_MBps": [1073.741824], "mpiio_MBps": [671.08864], "figures": 2,
        "bytes_read": [1 << 28], "codes": ["imported", "no_benchmark"]})],
    "darshan-3.2.txt": [("darshan-3.2", {  # 10.5 MB; 0.06 s of rank 1, 0.04 s shared
        "ranks": 3, "stdio_MBps": [105.0], "io_share": [0.197 / 6], "figures": 2,
        "stdio_bytes_written": [10000000]})],
    "darshan-parser.txt": [("darshan-parser", {
        "ranks": 4, "io_share": [0.161258], "warnings": "mapped", "figures": 2,
        "posix_MBps": [8.398304 / 0.21383], "bytes_read":
        [4202504], "bytes_written": [4195800], "reads": [36], "writes": [23],
        "start_utc": "2026-11-22T10:00:00.000Z"})],
}


def what(tree, name):
    """Returns `name` of a report."""
    reps = {f["name"]: f["reps"] for f in tree["figures"] if not f["at"]}
    if name.endswith(("_s", "MBps", "share", "utilization")) or "score" in name:
        return reps.get(name, tree["results"].get(name))
    if name == "figures":
        return len(reps)
    if name == "codes":
        return sorted(warning["code"] for warning in tree["warnings"])
    if name == "error":
        return tree["errors"][0]["errno"]
    for part in (tree, tree["mpi"], tree["run"], tree["io"], tree["checks"],
                 tree["results"]):
        if name in part:
            return part[name]
    return tree["options"][name]["value"]


class Case(LeadlineCase):
    COMMAND = "import"

    def bring(self, name, *args):
        """Returns (status, stderr, {name of a report: tree})."""
        path = name if os.path.isabs(name) else os.path.join(DATA, name)
        status, _, err = leadline("import", path, "--out", self.dir,
                                  *(RANKS.get(name, []) + list(args)))
        trees = {}
        for found in os.listdir(self.dir):
            if found.endswith(".json"):
                trees[found[:-5]] = read_json(self.path(found))
        return status, err, trees

    def file(self, content, name="x"):
        folder = self.path("in")
        os.makedirs(folder, exist_ok=True)
        return write_file(os.path.join(folder, name), content)

    def text(self, name):
        return read_text(os.path.join(DATA, name))


# ---- contents of files -------------------------------------------------------


class Known(Case):
    def hold(self, tree, wanted):
        for name, value in wanted.items():
            found = what(tree, name)
            if name == "warnings":
                self.assertIn(value, [w["code"] for w in found])
            elif name == "codes" or not isinstance(value, list) or None in (
                    found, value):
                self.assertEqual(found, value, name)
            else:
                self.assertEqual(len(found), len(value), name)
                for mine, theirs in zip(found, value):
                    self.assertAlmostEqual(mine / theirs, 1.0, delta=2e-6, msg=name)

    def test_all_samples_have_answers(self):
        self.assertEqual(sorted(KNOWN), SAMPLES)

    def test_each_form_has_a_sample(self):
        self.assertEqual({formats.of(self.text(name), name) for name in SAMPLES},
                         set(formats.TABLE))

    def test_latencies_of_bins(self):
        tree = self.bring("fio-group.json")[2]["fio-group"]
        hist = tree["samples"][0]["latency"]["hist"]
        self.assertEqual((len(hist), sum(n for _, n in hist)), (22, 32))
        self.assertLessEqual(79479e-9, hist[-1][0])  # its longest

    def test_bins_of_jobs_are_added(self):
        tree = json.loads(self.text("fio-group.json"))
        other = json.loads(json.dumps(tree["jobs"][0]))
        other["write"]["clat_ns"]["bins"] = {"1000000": 32}
        tree["jobs"].append(other)
        status, err, trees = self.bring(self.file(json.dumps(tree)))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(what(trees["x"], "write_p99_s"), [1e-3])
        self.assertEqual(what(trees["x"], "write_p50_s"), [79.36e-6])

    def test_phases_of_elbencho(self):
        """A CSV that others were appended to, of another place and of the same."""
        text = self.text("elbencho-2.csv")
        there = text.replace("/scratch/e", "/home/e")
        path = self.file(text + there + text.replace("r.csv", "s.csv"), "e.csv")
        status, err, trees = self.bring(path)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([len(what(trees[name], "write_MBps")) for name in sorted(
            trees)], [2, 1])

    def test_warnings_of_ior(self):
        """They are told as its own."""
        path = self.file(self.text("ior-stonewall-nowear.txt"), "i.txt")
        self.assertIn("IOR says: Expected aggregate file size       = 2147483648", [
            row["text"] for row in self.bring(path)[2]["i"]["warnings"]])

    def test_too_large_numbers(self):
        """They are whole, and no number of bytes."""
        tree = json.loads(self.text("fio-mixed.json"))
        for job in tree["jobs"]:
            job["mixed"]["io_bytes"] = 10 ** 30
        self.refused("is not a whole number from 0 to 2^63",
                     self.file(json.dumps(tree)), "--out", self.dir)

    def test_directories_of_elbencho(self):
        text = self.text("elbencho-2.csv")
        for words, shared in (("--mkdirs", 0), ("--mkdirs --dirsharing", 1),
                              ("--mkdirs -c f.elbencho", None)):
            path = self.file(text.replace('"--mkdirs"', words), "e.csv")
            tree = self.bring(path, "--force")[2]["e"]
            found = tree["options"].get("dir sharing")
            self.assertEqual(found and found["value"], shared, words)

    def test_short_runs_of_fio(self):
        """Within a second of the clock; without the jobs' starts."""
        first, second = [json.loads(self.text("fio-mixed.json")) for _ in range(2)]
        for tree, ms in ((first, 40000), (second, 40100)):
            del tree["jobs"][0]["job_start"]
            tree["jobs"][0]["mixed"].update(runtime=ms, bw_bytes=(5 << 30) * 1000 // ms)
        for tree, reports in ((second, 2), (first, 1)):
            path = self.file(json.dumps(first) + "\n" + json.dumps(tree))
            status, err, trees = self.bring(path, "--force")
            self.assertEqual((status, err, len(trees)), (0, "", reports))
            for name in trees:
                os.unlink(self.path(name + ".json"))

    def test_units_of_fio(self):
        """Of 2.21 to 3.1, bytes are whole and the rate is in KiB."""
        tree = json.loads(self.text("fio-mixed.json"))
        del tree["jobs"][0]["mixed"]["bw_bytes"]
        self.assertEqual(what(self.bring(self.file(json.dumps(tree)))[2]["x"],
                              "mixed_MBps"), [134.217728])
        del tree["jobs"][0]["mixed"]["io_kbytes"]
        status, err, trees = self.bring(self.file(json.dumps(tree)), "--force")
        self.assertEqual((status, err), (1, ""))
        self.assertIn("bw is not io_bytes / runtime", trees["x"]["why"])

    def test_runs_of_fio(self):
        """Those that --status-interval wrote are parts; others are runs, also in the
        objects and lists of other programs."""
        text = self.text("fio-mixed.json")
        first, second, third = [json.loads(text) for _ in range(3)]
        first["jobs"][0]["mixed"].update(io_bytes=5 << 20, runtime=1000,
                                         bw_bytes=5 << 20)
        third["jobs"][0]["job_start"] += 60000
        for content in ("".join(json.dumps(one) + "\n" for one in (
                first, second, third)), json.dumps({"runs": [first, second, third]})):
            status, err, trees = self.bring(self.file(content), "--force")
            self.assertEqual((status, err, len(trees)), (0, "", 2))
            self.assertEqual([what(tree, "mixed_MBps") for tree in trees.values()],
                             [[134.217728]] * 2)
            lost = " ".join(trees["x-oltp"]["run"]["imported"]["lost"])
            self.assertIn("1 objects of fio stand before it", lost)
            self.assertIn("until its rate is steady", lost)

    def test_phases_without_score(self):
        text = self.text("io500-result_summary.txt").replace(
            " [INVALID]", "").replace("[SCORE ]", "[      ]  ior-rnd4K-easy-read  "
                                      "0.134469 GiB/s : time 30.157 seconds\n[SCORE ]")
        text += "[SCOREX] Bandwidth 1.0 GiB/s : IOPS 4.6 kiops : TOTAL 2.1 [INVALID]\n"
        status, err, trees = self.bring(self.file("IO500 version io500-x (standard)\n"
                                                  + text), "--ranks=8")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(trees["x"]["run"]["version"], "io500-x")
        self.assertEqual(trees["x"]["results"]["ior-rnd4K-easy-read"], [0.134469])

    def test_runs_one_after_the_other(self):
        """They are in one file, as of a loop in a script, with other words between."""
        for name, figure in (("ior.txt", "write_MBps"),
                             ("mdtest.txt", "dir_stat_per_s")):
            text = self.text(name)
            path = self.file("begin\n%sbetween\n%s" % (text, text), name)
            status, err, trees = self.bring(path)
            stem = name[:-4]
            self.assertEqual((status, err, sorted(trees)),
                             (0, "", [stem + "-0", stem + "-1"]))
            mine, other = trees[stem + "-0"], trees[stem + "-1"]
            self.assertEqual(what(mine, figure), what(other, figure))
            self.assertNotEqual(mine["run"]["id"], other["run"]["id"])
            self.assertGreater(other["run"]["imported"]["line"],
                               mine["run"]["imported"]["line"])
            for found in trees:
                os.unlink(self.path(found + ".json"))

    def test_a_cut_file(self):
        text = self.text("ior.txt")
        status, err, trees = self.bring(self.file(text[:text.index("tasks ")]))
        tree = trees["x"]
        self.assertEqual((status, err, tree["valid"], tree["mpi"]["ranks"]),
                         (1, "", False, None))
        self.assertEqual(tree["why"], "the file ends before its summary")

    def test_a_text_that_stops(self):
        """It is whole only if it has rows of all accesses that were asked for."""
        text = self.text("ior.txt")
        for end, valid in (("\nSummary of all tests", True), ("read      14389", False),
                           ("write     298.42", False)):
            path = self.file(text[:text.index(end)].rstrip("\n") + "\n")
            tree = self.bring(path, "--force")[2]["x"]
            self.assertEqual(tree["valid"], valid, end)

    def test_a_failure_of_io500(self):
        """It is one, unlike a rule that was not kept."""
        text = self.text("io500-result.txt").replace(
            "Runtime of phase (320.5) is below stonewall time",
            "Errors (3) were seen in IOR.")
        status, _, trees = self.bring(self.file(text))
        self.assertEqual((status, trees["x"]["valid"]), (1, False))
        self.assertIn("Errors (3) were seen", trees["x"]["why"])

    def test_unknown_is_null(self):
        tree = self.bring("ior.csv")[2]["ior"]
        self.assertEqual([tree["run"][name] for name in (
            "version", "start_utc", "end_utc", "wall_s", "seed", "series")], [None] * 6)
        self.assertEqual((tree["mpi"]["nodes"], tree["mpi"]["library"], tree["hosts"],
                          tree["files"], tree["samples"]), (None, None, [], [], []))

    def test_iterations_of_mdtest(self):
        """Two are known, and the mean of four."""
        two = self.text("mdtest-v2.txt")
        four = two.replace("'-i' '2'", "'-i' '4'").replace("(of 2 it", "(of 4 it")
        status, err, trees = self.bring(self.file(four, "four.txt"))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(what(trees["four"], "file_create_per_s"), [65962.264])
        self.assertIn("summary_only", [w["code"] for w in trees["four"]["warnings"]])
        self.assertEqual(trees["four"]["results"]["file_create_max"], [66234.568])


def known_answer(name):
    def test(self):
        status, err, trees = self.bring(name)
        valid = all(tree["valid"] for tree in trees.values())
        self.assertEqual((status, err), (0 if valid else 1, ""))
        self.assertEqual(sorted(trees), sorted(stem for stem, _ in KNOWN[name]))
        for stem, wanted in KNOWN[name]:
            self.hold(trees[stem], wanted)
            self.assertEqual(leadline("validate", "-q", self.path(stem + ".json")),
                             (0, "", ""))
    return test


for _name in KNOWN:
    setattr(Known, "test_" + _name, known_answer(_name))


class Darshan(Case):
    """A log of Darshan, the one whose figures are in the sample of its text."""

    def log(self, name):
        try:
            import darshan
        except ImportError:
            self.skipTest("pydarshan is not installed")
        path = os.path.join(os.path.dirname(darshan.__file__), "examples",
                            "example_logs", name)
        if not os.path.exists(path):
            self.skipTest("pydarshan has no examples")
        return path

    def test_log(self):
        path = self.log("ior_hdf5_example.darshan")
        status, err, trees = self.bring(path)
        self.assertEqual((status, err), (0, ""))
        tree, = trees.values()
        text = self.bring("darshan-parser.txt")[2]["darshan-parser"]
        for name in ("io_share", "bytes_read", "bytes_written", "reads", "writes",
                     "opens", "ranks"):
            mine, other = what(tree, name), what(text, name)
            if isinstance(mine, list):
                self.assertAlmostEqual(mine[0] / other[0], 1.0, delta=1e-5, msg=name)
            else:
                self.assertEqual(mine, other)
        self.assertEqual(tree["files"][0]["fs"], "lustre")

    def test_estimates(self):
        """The log's rates are those of Darshan itself."""
        path = self.log("ior_hdf5_example.darshan")
        import darshan
        from darshan.backend.cffi_backend import accumulate_records
        tree, = self.bring(path)[2].values()
        log = darshan.DarshanReport(path, read_all=True)
        for module, name in (("POSIX", "posix_MBps"), ("STDIO", "stdio_MBps"),
                             ("MPI-IO", "mpiio_MBps")):
            rate = accumulate_records(
                log.records[module].to_df(), module, log.metadata["job"]["nprocs"]
            ).derived_metrics.agg_perf_by_slowest
            self.assertAlmostEqual(what(tree, name)[0] / (rate * 1.048576), 1.0, 9)

    def test_files(self):
        tree = self.bring("darshan-3.2.txt")[2]["darshan-3.2"]
        found = [(f["at"]["file"], round(f["reps"][0], 4)) for f in tree["figures"]
                 if f["at"]]
        self.assertEqual(found, [("/lus/d.txt", 150.0), ("/lus/b.txt", 50.0),
                                 ("/lus/a.txt", 83.3333), ("/lus/c.txt", 100.0)])
        self.assertEqual(self.bring("darshan-3.0.txt")[2]["darshan-3.0"]["files"][0][
            "fs"], "gpfs")

    def test_damaged_log(self):
        """Darshan's C library aborts at some; others have whole records."""
        data = read_bytes(self.log("ior_hdf5_example.darshan"))
        for percent in (95, 50, 30, 10):
            path = self.file(data[:len(data) * percent // 100], "x.darshan")
            status, err, trees = self.bring(path, "--force")
            if percent < 40:
                self.assertEqual(status, 1)
                self.assertFalse(any(tree["valid"] for tree in trees.values()))
            else:
                self.assertAlmostEqual(what(trees["x"], "io_share")[0], 0.161258, 6)
                os.unlink(self.path("x.json"))

    def test_no_library(self):
        path = self.file(b"3.41\0\0\0\0" + (6567223).to_bytes(8, "little"))
        script = self.file("import sys\nsys.exit(3)\n", "script")
        with mock.patch.object(darshan_log, "__file__", script):
            self.refused("needs pydarshan", path, "--out", self.dir)


# ---- the command -------------------------------------------------------------


class Command(Case):
    def test_what_it_says(self):
        out = self.run_command(os.path.join(DATA, "ior-script.txt"), "--out", self.dir)
        self.assertEqual(out, "".join(
            "%s: ior 4.1.0+dev, 4 figures of 2 repetitions\n"
            % self.path("ior-script-%d.json" % i) for i in (0, 1)))

    def test_twice_is_once(self):
        self.bring("fio-status.json")
        os.makedirs(self.path("b"))
        leadline("import", os.path.join(DATA, "fio-status.json"), "--out",
                 self.path("b"))
        status, out, err = leadline("compare", self.dir, self.path("b"))
        self.assertEqual((status, err), (0, ""))
        self.assertIn("2 copies of the report of run import-", " ".join(out.split()))

    def test_copies_of_other_names(self):
        path = self.file(self.text("fio-status.json"), "copy.json")
        leadline("import", os.path.join(DATA, "fio-status.json"), path, "--out",
                 self.dir)
        status, out, err = leadline("compare", self.dir)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("2 copies of the report", " ".join(out.split()))

    def test_line_ends_and_mark(self):
        text = "\ufeff" + self.text("mdtest.txt").replace("\n", "\r\n")
        status, err, trees = self.bring(self.file(text))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(len(trees["x"]["figures"]), 10)

    def test_what_the_user_knows(self):
        status, err, trees = self.bring(
            "ior.csv", "--ranks=6", "--nodes=3", "--start=2026-11-22T10:00:00Z",
            "--host=n1", "--fs=lustre", "--label=x", "--series=s", "--config=c",
            "--round=4")
        tree = trees["ior"]
        self.assertEqual((status, err), (0, ""))
        self.assertEqual((tree["mpi"]["ranks"], tree["mpi"]["nodes"]), (6, 3))
        self.assertEqual(tree["run"]["start_utc"], "2026-11-22T10:00:00Z")
        self.assertEqual((tree["hosts"][0]["name"], tree["files"][0]["fs"]),
                         ("n1", "lustre"))
        self.assertEqual(tree["run"]["series"], {"id": "s", "config": "c", "round": 4})

    def test_host(self):
        """It is known if there is one node."""
        for name in ("ior.txt", "ior.json", "dlio-summary.json"):
            tree = self.bring(name, "--force")[2][name.rsplit(".", 1)[0]]
            self.assertEqual([host["name"] for host in tree["hosts"]], ["n1"], name)
        text = self.text("ior.txt").replace("nodes               : 1", "nodes : 2")
        self.assertEqual(self.bring(self.file(text))[2]["x"]["hosts"], [])

    def test_time_zone(self):
        """Only an explicit time zone counts."""
        with mock.patch.dict(os.environ, TZ=""):
            lost = self.bring("ior.txt")[2]["ior"]["run"]["imported"]["lost"]
        self.assertIn("it started at Sun Nov 22 11:02:49 2026, in a time zone that it "
                      "does not name", lost)
        for zone, wanted in (("CET-1", "2026-11-22T10:02:49.000Z"),
                             ("UTC", "2026-11-22T11:02:49.000Z"), ("No/Where", None)):
            with mock.patch.dict(os.environ, TZ=zone):
                time.tzset()
                tree = self.bring("ior.txt", "--force")[2]["ior"]
            time.tzset()
            self.assertEqual(tree["run"]["start_utc"], wanted)

    def test_standard_input(self):
        data = io.TextIOWrapper(io.BytesIO(self.text("mdtest.txt").encode()))
        with mock.patch.object(sys, "stdin", data):
            status, out, err = leadline("import", "-", "--out", self.dir)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("stdin.json: mdtest", out)

    def test_names_of_jobs(self):
        """They make no folders and no escape sequences."""
        text = self.text("fio-two-stages.txt").replace(
            '"jobname" : "w"', '"jobname" : "../../w\\u001b"')
        self.bring(self.file(text, "f.txt"))
        self.assertEqual(sorted(n for n in os.listdir(self.dir) if n != "in"),
                         ["f-.._.._w_.json", "f-r.json"])


class Refused(Case):
    def no(self, sentence, content, *args, status=1, name="x"):
        """It prints one sentence, and writes nothing."""
        path = self.file(content, name)
        self.refused(sentence, path, "--out", self.dir, *args, status=status)
        self.assertEqual([n for n in os.listdir(self.dir) if n != "in"], [])

    def test_not_results(self):
        for sentence, content in (
                ("the file is empty", ""), ("the file is empty", " \n"),
                ("not a result that can be imported", "{}"),
                ("not a result that can be imported", bytes(range(256)) * 20),
                ("not a result that can be imported", "a,b\n1,2\n"),
                ("is a Leadline report already", json.dumps(report({"x": [1.0]}))),
                ("what fio prints for people", "x: (groupid=0, jobs=1): err= 0: pid=7: "
                 "Sun Nov 22 11:03:00 2026\n  read: IOPS=9, BW=9216KiB/s\n"),
                ("live statistics", "Label,Phase,RuntimeMS,Rank,MixType,Done%\n"),
                ("no phase was done", self.text("elbencho-2.csv").split("\n")[0]
                 + "\n"),
                ("list of the times of epochs", json.dumps({"1": {"start": "2024"}})),
                ("sums up runs", '{"overall": {"num_benchmark_runs": 5}, "runs": {}}'),
                ("no request was completed", '{"requests_completed": 0, '
                 '"cache_stats": {}}'),
                ("terse line is cut off", self.text("fio-terse.txt")[:400]),
                ("quotation mark", self.text("ior.json").replace(
                    '"Path": "/scratch/f"', '"Path": "/scratch/"f"'))):
            self.no(sentence, content)

    def test_large(self):
        with mock.patch.object(convert, "LARGEST", 1000):
            self.no("it is larger than 64 MiB", self.text("ior.txt"))

    def test_nan_in_json(self):
        """IOR writes nan, which JSON does not have, and inf as text."""
        text = self.text("ior.json").replace("6410.8582, \n", "nan, \n", 1).replace(
            "9367.5131, \n", '"inf", \n', 1)
        status, err, trees = self.bring(self.file(text))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(what(trees["x"], "read_MBps")[:2], [None, None])

    def test_other_format(self):
        self.no("it is not a result of fio", self.text("ior.txt"), "--format=fio")

    def test_ranks_are_asked_for(self):
        self.no("Say --ranks N", self.text("io500-result_summary.txt"))

    def test_parts(self):
        """Several runs in one summary, and ranks that are missing."""
        for sentence, name, old, new in (
                ("several runs", "io500-2018-summary.txt", "mdtest_easy_stat  ",
                 "mdtest_hard_stat  "),
                ("phase x is not known", "io500-result_summary.txt", "find", "x"),
                ("rank 3 is out of order", "ior-ranks.csv", "write,2,", "write,3,"),
                ("not a row of 6 values", "ior-ranks.csv", "write,2,", "write,2")):
            self.no(sentence, self.text(name).replace(old, new), "--ranks=8")

    def test_usage(self):
        path = self.file(self.text("ior.txt"))
        for sentence, args in (
                ("argument --ranks", ["--ranks=0"]),
                ("belong to --series", ["--round=1"]), ("can be read once", ["-", "-"]),
                ("is not a UTC time", ["--start=now"]),
                ("--start is of one run", [path, "--start=2026-11-22T10:00:00Z"])):
            self.refused(sentence, "--out", self.dir, path, *args, status=2)

    def test_what_is_there_stays(self):
        path = self.file(self.text("ior.txt"), "a.txt")
        self.save("{}", "a.json")
        self.refused("Say --force", path, "--out", self.dir)
        self.assertEqual(leadline("import", path, "--out", self.dir, "--force")[0], 0)

    def test_what_has_come_meanwhile_stays(self):
        """After the file was looked for; also on a file system without hard links."""
        path = self.file(self.text("ior.txt"), "a.txt")
        there = self.save("{}", "a.json")
        others, parser = sorted(os.listdir(self.dir)), cli.parser(cli.NOWHERE)
        no_links = mock.patch("os.link", side_effect=PermissionError(1, "no links"))
        for how in contextlib.ExitStack(), no_links:
            with mock.patch.object(command, "refuse_others"), how:
                args = parser.parse_args(["import", path, "--out", self.dir])
                args.made = set()
                with self.assertRaisesRegex(LeadlineError, "Say --force"):
                    command.bring_in(path, args)
            self.assertEqual(read_text(there), "{}")
            self.assertEqual(sorted(os.listdir(self.dir)), others)

    def test_what_is_read_stays(self):
        path = self.file(self.text("ior.json"), "ior.json")
        self.refused("that is one of the files to read", path, "--force", "--out",
                     os.path.dirname(path))

    def test_what_was_made_stays(self):
        """Two files of one name do not become one report."""
        first = self.file(self.text("ior.txt"), "ior.txt")
        status, out, err = leadline("import", first, os.path.join(DATA, "ior.txt"),
                                    "--force", "--out", self.path("new"))
        self.assertEqual((status, err.count("\n"), out.count("\n")), (1, 1, 1))
        self.assertIn("another file of this command", err)

    def test_folders(self):
        path = self.file(self.text("ior.txt"))
        self.assertEqual(leadline("import", path, "--out", self.path("new/one"))[0], 0)
        self.assertEqual(len(os.listdir(self.path("new/one"))), 1)
        self.refused("cannot be made", path, "--out", os.path.join(path, "below"))
        os.makedirs(self.path("ro"), 0o555)
        with without_privileges():
            self.refused("cannot be written", path, "--out", self.path("ro"))

    def test_others_are_imported(self):
        bad = self.file("{}", "bad")
        status, out, err = leadline("import", bad, os.path.join(DATA, "ior.txt"),
                                    "--out", self.dir)
        self.assertEqual((status, err.count("\n"), out.count("\n")), (1, 1, 1))


# ---- damaged files -----------------------------------------------------------


class Damaged(Case):
    def hold(self, name, data, told):
        """The exit status is 0 or 1, and there is never a valid report with fewer
        repetitions."""
        path = self.file(data, name)
        out, err = io.StringIO(), io.StringIO()
        args = self.parser.parse_args(["import", path, "--out", self.dir, "--force"]
                                      + RANKS.get(name, []))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = args.run(args, cli.NOWHERE)
        out, err = out.getvalue(), err.getvalue()
        self.assertIn(status, (0, 1), (name, told, err))
        self.assertEqual(status == 1, bool(err) or "not valid" in out, (name, told))
        total = Counter()
        for found in [n for n in os.listdir(self.dir) if n.endswith(".json")]:
            tree = read_json(self.path(found))
            os.unlink(self.path(found))
            mode = fields.STRICT if tree["valid"] else fields.UNFINISHED
            self.assertEqual(fields.check(tree, fields.TABLE, "$", mode), [])
            reps = {f["name"]: len(f["reps"]) for f in tree["figures"]}
            total.update(reps)
            wanted = self.wanted.get((name, found), []) if tree["valid"] else []
            if name.startswith(APART):
                wanted = []
            for figure, n in wanted:
                self.assertEqual(reps.get(figure, n), n, (name, told, figure))
        for (of, _), known in self.wanted.items() if status == 0 else []:
            for figure, n in known if of == name and not name.startswith(APART) else []:
                self.assertGreaterEqual(total[figure], n, (name, told, figure))

    def samples(self, few):
        self.wanted, self.parser = {}, cli.parser(cli.NOWHERE)
        for name in drawn(SAMPLES, few, share=1 / 2):
            data = read_bytes(os.path.join(DATA, name))
            for stem, known in KNOWN[name]:
                self.wanted[name, stem + ".json"] = [
                    (figure, len(reps)) for figure, reps in known.items()
                    if isinstance(reps, list) and figure not in UNANNOUNCED]
            yield name, data, random.Random(name)

    def test_cut(self):
        for name, data, chance in self.samples(12):
            for at in [len(data) - 1] + [chance.randrange(len(data))
                                         for _ in range(CUTS)]:
                self.hold(name, data[:at], "cut at %d" % at)

    def changed(self, few, changes):
        for name, data, chance in self.samples(few):
            for _ in range(changes):
                at, value = chance.randrange(len(data)), chance.randrange(256)
                self.hold(name, data[:at] + bytes([value]) + data[at + 1:],
                          "byte %d is %d" % (at, value))

    def test_changed(self):
        self.changed(8, 25)

    @long
    def test_changed_often(self):
        self.changed(len(SAMPLES), CHANGES)


# ---- the other commands ------------------------------------------------------


class Served(Case):
    def all(self):
        for name in SAMPLES:
            os.makedirs(self.path(name))
            leadline("import", os.path.join(DATA, name), "--out", self.path(name),
                     *RANKS.get(name, []))

    def ior(self, config, factor, chance, text=None):
        """Makes six files, in rounds."""
        for i in range(6):
            values = [100 * factor * chance.uniform(0.98, 1.02) for _ in range(3)]
            path = self.file(ior_csv(values), "%s-%d.csv" % (config, i))
            status, _, err = leadline(
                "import", path, "--out", self.dir, "--series=s", "--config=" + config,
                "--round=%d" % (i + 1))
            self.assertEqual((status, err), (0, ""))

    def test_a_verdict(self):
        chance = random.Random(1)
        self.ior("a", 1.0, chance)
        self.ior("b", 1.2, chance)
        status, out, err = leadline("compare", self.dir, "--format=json")
        self.assertEqual((status, err), (0, ""))
        row = next(row for row in json.loads(out)["rows"]
                   if row["configuration"] == "b" and row["figure"] == "write_MBps")
        self.assertIn("faster by", row["verdict"])
        self.assertEqual((row["n"], row["paired"]), (6, True))
        self.assertEqual(leadline("compare", self.dir, "--baseline=b",
                                  "--fail-if-slower=5%")[0], 3)

    def test_other_work(self):
        self.bring("ior-script.txt")
        status, out, err = leadline("compare", self.dir)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("other transfersize (262144, not 65536)", " ".join(out.split()))

    def test_rounds_count_on(self):
        paths = [self.file(ior_csv([100.0 + i] * 3), "r%d.csv" % i) for i in range(3)]
        self.run_command(*paths, "--out", self.dir, "--series=s", "--config=a",
                         "--round=5")
        rounds = []
        for i in range(3):
            with open(self.path("r%d.json" % i)) as stream:
                rounds.append(json.load(stream)["run"]["series"]["round"])
        self.assertEqual(rounds, [5, 6, 7])

    def test_a_step_in_nightly_runs(self):
        """fio gives only the end of a run, which suffices for an order."""
        chance, day_ms = random.Random(2), 86400000
        tree = json.loads(self.text("fio-global.json"))
        tree["jobs"] = tree["jobs"][1:]
        job = tree["jobs"][0]["write"]
        for night in range(24):
            when = night * 7 % 24  # not in the order of the files' names
            level = 3.2e9 if when >= 12 else 4e9
            size = int(level * chance.uniform(0.99, 1.01))
            tree["timestamp_ms"] = 1795345378000 + when * day_ms
            job.update(io_bytes=size, runtime=2000, bw_bytes=size // 2)
            leadline("import", self.file(json.dumps(tree), "%d.json" % night), "--out",
                     self.dir, "--label=nightly")
        out = json.loads(leadline("trend", self.dir, "--format=json")[1])
        steps = [t["steps"] for t in out["trends"] if t["figure"] == "write_MBps"]
        self.assertEqual([[step["run"] for step in some] for some in steps], [[13]])

    def test_all_commands(self):
        self.all()
        page = self.path("p.html")
        for name in ("list", "trend", "export", "validate", "compare", "report"):
            more = ["--output", page] if name == "report" else []
            self.assertEqual(leadline(name, self.dir, *more)[::2], (0, ""), name)
        text = read_text(page)
        self.assertIn("<dt>imported from</dt>", text)
        self.assertNotIn("None", text)
        self.assertEqual(leadline("report", self.path("fio-status.json"), "--output",
                                  page)[::2], (0, ""))
        self.assertIn("fio 3.33", read_text(page))

    def test_pictures(self):
        """Possible pictures are drawn, and others give one sentence."""
        self.all()
        path = self.path("x.svg")
        for kind in ("bandwidth", "time", "scaling", "ranks", "series", "figure"):
            what = [kind] + ["write_MBps"] * (kind == "figure")
            status, out, err = leadline("plot", *what, self.dir, "-o", path)
            self.assertIn((status, bool(out), err.count("\n")), (
                (0, True, 0), (1, False, 1)), (kind, err))
            self.assertEqual(status, 0 if kind in ("bandwidth", "time", "figure")
                             else 1, kind)

    def test_each_alone(self):
        self.all()
        for name in drawn(SAMPLES, 4):
            for path in [os.path.join(self.path(name), found)
                         for found in os.listdir(self.path(name))]:
                valid = read_json(path)["valid"]
                for words in (["compare"], ["report", "-o", self.path("p.html")],
                              ["list"], ["export"]):
                    status, _, err = leadline(words[0], path, *words[1:])
                    if valid:
                        self.assertEqual((status, err), (0, ""), (words, path))
                    self.assertIn(status, (0, 1), (words, path))


def ior_csv(values):
    rows = ["access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),"
            "close(s),total(s),numTasks,iter"]
    rows += ["write,%.4f,%.4f,0.0023,1024.0,256.0,0.0,0.0181,0.0054,2.0182,2,%d"
             % (value, 4 * value, i) for i, value in enumerate(values)]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
