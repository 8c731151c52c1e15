#!/usr/bin/env python3
# limit: 300; mpi: any; tier: quick ci
"""iotrace report and iotrace export, on logs that this test writes: counts, pictures,
with few ranks and many, and names that could break a page."""
import csv
import html.parser
import importlib
import io
import json
import os
import stat
import subprocess
import unittest

from e2e import BUILD, Case, long, main, read_text, write_file, write_json
import fake_findings
from browser import BROWSER, look
from fake_log import EPOCH, Log

IOTRACE = os.path.join(BUILD, "iotrace")
S = 10 ** 9
HOSTILE = "/data/<script>alert(1)</script>&\"'.dat"
HEADINGS = ["Verdict", "What ran", "Where time went", "When", "Findings",
            "Layers: asked and done", "Files", "Sizes", "Metadata", "What was not seen",
            "Method"]


def rank_log(rank, ranks, names=3):
    log = Log(pid=1000 + rank, rank=rank, ranks=ranks, end=EPOCH + S)
    shared, own = log.name(HOSTILE, 3), log.name("/data/own.%d" % rank, 4)
    library = log.name("/usr/lib/libc.so.6", 5)
    log.add("pread", EPOCH + 1000, 500, name=library, offset=0, result=832)
    now = EPOCH + 10 ** 6
    for i in range(20):
        log.add("pwrite", now, 2 * 10 ** 6, name=own, offset=i * 65536, result=65536)
        now += 5 * 10 ** 6
    log.add("fsync", now, 10 ** 7, name=own)
    now += 2 * 10 ** 7
    for i in range(20):
        log.add("pread", now, 10 ** 6, name=shared, offset=(i * ranks + rank) * 4096,
                result=4096)
        now += 4 * 10 ** 6
    for i in range(names):
        few = log.name("/data/many%d/f.%d.%d" % (i % 5, rank, i), 6)
        log.add("open", now, 1000, name=few, result=6 if i % 7 else -2)
        log.add("write", now + 2000, 1000, name=few, offset=0, result=100)
        now += 4000
    return log


class Outline(html.parser.HTMLParser):
    """Collects headings and elements, and checks that all elements are closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.headings, self.faults = [], {}, [], []

    def handle_starttag(self, name, attributes):
        self.seen[name] = self.seen.get(name, 0) + 1
        if name != "meta":
            self.open.append(name)
        self.faults += [a for a, value in attributes if a.startswith("on") or (
            a in ("href", "src") and not (value or "").startswith(("#", "data:")))]

    def handle_endtag(self, name):
        if not self.open or self.open.pop() != name:
            self.faults.append("</%s>" % name)

    def handle_data(self, text):
        if self.open and self.open[-1] == "h2":
            self.headings.append(text)


class Runs(Case):
    def run_of(self, ranks, names=3):
        folder = self.path("run%d" % ranks)
        os.mkdir(folder)
        for rank in range(ranks):
            rank_log(rank, ranks, names).write(os.path.join(folder, "r%d.bin" % rank))
        return folder

    def iotrace(self, *args, status=0):
        child = subprocess.Popen((IOTRACE,) + args, cwd=self.tmp,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = child.communicate(timeout=100)
        self.assertEqual(child.returncode, status, err)
        return out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


class Page(Runs):
    def page(self, ranks, names=3, findings=None, status=0, more=(), groups=5):
        run = self.run_of(ranks, names)
        found = fake_findings.make(ranks, groups, EPOCH / S, 1.0, findings)
        for f in found["findings"][:1]:
            f["file"] = f["title"] = HOSTILE
        found["files"][0].update(name="/data/own.#", lock_bytes=65536)
        write_json(self.path("found.json"), found)
        self.iotrace("report", run, "-o", "page.html", "--findings", "found.json",
                     *more, status=status)
        return read_text(self.path("page.html"))

    def outline(self, text):
        found = Outline()
        found.feed(text)
        self.assertEqual(found.faults, [])
        self.assertEqual(found.open, [])
        for name in ("script", "img", "iframe", "link", "object"):
            self.assertNotIn(name, found.seen)
        return found

    def test_all_is_there_and_nothing_is_obeyed(self):
        text = self.page(4)
        found = self.outline(text)
        self.assertEqual(found.headings, HEADINGS)
        self.assertEqual(found.seen["details"], 4)
        self.assertIn("default-src 'none'", text.replace("&#x27;", "'"))
        self.assertIn("&lt;script&gt;alert(1)", text)
        self.assertNotIn("libc.so", text)
        for words in ("Small writes cost a quarter of the run.", "setvbuf() with 1 MiB",
                      "4 ranks share 2 cores", "Bytes of 3 mapped files",
                      "a rank reads the same bytes again; bytes are overwritten",
                      "25 % of the run", "From asked to done", "Metadata by directory",
                      "Lines are 64 KiB apart", "small: below 64 KiB",
                      "failed with ENOSPC; x, ranks 1, events 1 of iotrace dump."):
            self.assertIn(words, text)

    def test_a_healthy_run(self):
        text = self.page(4, findings=[])
        self.outline(text)
        self.assertIn("None: nothing that is looked for", text)
        self.assertNotIn("could save", text)

    def test_many_ranks_and_files(self):
        text = self.page(256, names=100, groups=200)
        self.outline(text)
        self.assertLess(len(text.encode()), 1500000)

    def test_fail_on(self):
        self.page(4, status=3, more=("--fail-on=high",))
        with self.subTest("not as severe"):
            only = [fake_findings.finding("seeks", "low", 4)]
            os.rename(self.path("run4"), self.path("old"))
            self.page(4, findings=only, more=("--fail-on=medium",))

    def test_only(self):
        text = self.page(4, more=("--only=late-rank",))
        self.assertEqual(self.outline(text).seen["details"], 2)
        _, err = self.iotrace("report", "run4", "--findings", "found.json",
                              "--only=nothing", status=2)
        self.assertIn("there is no finding nothing", err)

    def test_bad_input(self):
        run = self.run_of(1)
        with open(self.path("bad.json"), "w") as stream:
            stream.write('{"schema": "leadline-iotrace-findings", "findings": 3}')
        write_file(self.path("other.json"), '{"findings": 3}')
        for args, words in (
                (("nowhere",), "there is no such run"),
                ((run, "--findings", "bad.json"), "bad.json"),
                ((run, "--findings", "absent.json"), "absent.json"),
                ((run, "--findings", "other.json"), "it has no findings"),
                ((run, "-o", "no/such/page.html", "--findings", "bad.json"), "")):
            _, err = self.iotrace("report", *args, status=1)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertIn(words, err)
            self.assertNotIn("Traceback", err)

    @unittest.skipUnless(BROWSER, "there is no Chromium")
    @long
    def test_in_a_browser(self):
        for ranks in (4, 64):
            self.page(ranks)
            for width in (1200, 390):
                found = look(self, self.path("page.html"), width)
                self.assertEqual(found["faults"], [], (ranks, width))
                self.assertEqual(found["small"], [], (ranks, width))
                self.assertGreaterEqual(found["pictures"], 7)


class Bins(Runs):
    def test_nothing_is_lost(self):
        run = self.run_of(3)
        bins = json.loads(self.iotrace("bins", run, "--slices=7")[0])
        for p in bins["processes"]:
            parts = [sum(p[k]) for k in ("read_s", "write_s", "metadata_s", "wait_s")]
            self.assertAlmostEqual(sum(parts), sum(p["io_s"]), places=4)
            self.assertAlmostEqual(parts[1], 0.040 + 3e-6, places=4)
            self.assertAlmostEqual(parts[3], 0.010, places=4)
        calls = {way: sum(c[2] for c in bins["sizes"][way]) for way in bins["sizes"]}
        self.assertEqual(calls, {"read": 60, "write": 69})
        folders = {f["name"]: f for f in bins["folders"]}
        self.assertEqual(folders["/data/many0"]["open"], 3)
        self.assertEqual(folders["/data/many0"]["errors"], 3)
        self.assertEqual(folders["/data"]["sync"], 3)
        shared = [f for f in bins["files"] if f["name"] == HOSTILE][0]
        for key in ("read_bytes", "read_bytes_by_rank"):
            self.assertAlmostEqual(sum(map(sum, shared[key])), 3 * 20 * 4096, places=3)


class Export(Runs):
    def test_csv_and_perfetto_by_format(self):
        run = self.run_of(2)
        out, _ = self.iotrace("export", "--to=csv", run)
        rows = list(csv.DictReader(io.StringIO(out, newline="")))
        self.assertEqual(len(rows), 2 * (1 + 20 + 1 + 20 + 6))
        self.assertEqual(out, self.iotrace("export", "--csv=-", run)[0])
        events = json.loads(self.iotrace("export", "--to=perfetto", run)[0])
        self.assertEqual(sum(e["ph"] == "X" for e in events["traceEvents"]), len(rows))

    def test_darshan_text(self):
        out, _ = self.iotrace("export", "--to=darshan-text", self.run_of(2))
        head = dict(line[2:].split(": ", 1) for line in out.splitlines()
                    if line.startswith("# ") and ": " in line)
        self.assertEqual(head["nprocs"], "2")
        self.assertEqual(head["run time"], "1.0000")
        found = {}
        for line in out.splitlines():
            if line and not line.startswith("#"):
                module, rank, _, counter, value, name, _, _ = line.split("\t")
                self.assertEqual(module, "POSIX")
                found[int(rank), name, counter] = float(value)
        self.assertFalse(any("/usr" in name for _, name, _ in found))
        for rank in (0, 1):
            own = {c: v for (r, n, c), v in found.items()
                   if (r, n) == (rank, "/data/own.%d" % rank)}
            for counter, value in (("WRITES", 20), ("BYTES_WRITTEN", 20 * 65536),
                                   ("READS", 0), ("FSYNCS", 1), ("CONSEC_WRITES", 19),
                                   ("MAX_BYTE_WRITTEN", 20 * 65536 - 1),
                                   ("SIZE_WRITE_10K_100K", 20),
                                   ("F_WRITE_TIME", 0.05), ("F_META_TIME", 0)):
                self.assertAlmostEqual(own["POSIX_" + counter], value, 5, counter)
        shared = [v for (_, n, c), v in found.items()
                  if "alert" in n and c == "POSIX_BYTES_READ"]
        self.assertEqual(shared, [20 * 4096] * 2)

    def test_parquet(self):
        try:
            parquet = importlib.import_module("pyarrow.parquet")
        except ImportError:
            _, err = self.iotrace("export", "--to=parquet", self.run_of(1), "-o", "x",
                                  status=1)
            self.assertIn("Parquet needs pyarrow, which /", err)
            self.assertIn("PYTHON=", err)
            return
        run = self.run_of(2)
        self.iotrace("export", "--to=parquet", "--out=t.parquet", run)
        table = parquet.read_table(self.path("t.parquet")).to_pydict()
        rows = list(csv.DictReader(io.StringIO(
            self.iotrace("export", "--to=csv", run)[0], newline="")))
        for name in ("sequence", "bytes", "offset", "file", "operation"):
            self.assertEqual(list(map(str, table[name])), [r[name] for r in rows])
        for name in ("start", "duration"):
            self.assertEqual(table[name + "_ns"],
                             [int(r[name + "_s"].replace(".", "")) for r in rows])
        self.assertEqual(sorted(os.listdir(self.tmp)), ["run2", "t.parquet"])

    def test_what_is_no_file_is_written_to(self):
        run = self.run_of(1)
        text = self.iotrace("export", "--to=csv", run)[0]
        place = self.path("place")
        os.mkfifo(place)
        with subprocess.Popen(["cat", place], stdout=subprocess.PIPE,
                              universal_newlines=True) as cat:
            self.iotrace("export", "--to=csv", run, "-o", place)
            self.assertEqual(cat.communicate()[0], text)
        self.assertTrue(stat.S_ISFIFO(os.lstat(place).st_mode))
        os.unlink(place)
        os.symlink("target", place)
        write_file(self.path("target"), "old")
        self.iotrace("export", "--to=csv", run, "-o", place)
        self.assertTrue(os.path.islink(place))
        self.assertEqual(read_text(place), text)

    def test_a_profile(self):
        line = (IOTRACE, "run", "-n", "p", "--mode=profile", "--", "true")
        subprocess.check_call(line, cwd=self.tmp, stderr=subprocess.DEVNULL)
        for args in (("ldad", "--skeleton=x"), ("export", "--to=darshan-text")):
            _, err = self.iotrace(*args, "p.1", status=1)
            self.assertIn("a profile has sums and no single calls", err)
            self.assertEqual(err.count("\n"), 1)

    def test_refusals(self):
        run = self.run_of(1)
        for args, words in ((("--to=parquet",), "cannot be written to standard output"),
                            ((), "it needs --to=FORMAT"),
                            (("--to=xml",), "perfetto")):
            _, err = self.iotrace("export", run, *args, status=2)
            self.assertIn(words, err)


if __name__ == "__main__":
    main()
