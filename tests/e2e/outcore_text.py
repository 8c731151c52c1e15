#!/usr/bin/env python3
# tier: quick ci
"""outcore text: the same outputs in every way of making them, with bytes read and
written as predicted by our own arithmetic; results of real stories; its ends."""
import collections
import glob
import itertools
import os
import re
import unittest
import xml.etree.ElementTree
import zlib

from e2e import Case, add, any_mpi, drawn, fault, main, read_bytes, total, write_file
from graph_reference import MASK, STEP, mix, number as number_of

LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SECTIONS = ["BODY", "KEYWORDS", "CRF", "MAXENT", "ENTITIES", "PROXIMITY", "TABLE",
            "DECISION"]
GROWN = [86000, 95000, 115000, 150000, 220000, 420000, 489910, 501626]
EMPTY = "".join("%%%%%s 0\n\n" % s for s in
                ("TITLE", "AUTHOR", "DATELINE", "DATE", "TOPICS"))
WITH_EXPAT = unittest.skipUnless(os.environ.get("HAVE_EXPAT") == "yes",
                                 "built without expat")
TM = "/usr/lib/R/site-library/tm/texts/"
LEX = ".lex/"  # part of the paths of outputs
PHASES = ["m%d" % m for m in range(1, 9)]


def contents(label, m, n):
    """Returns generated contents: from splitmix64 of the name's hash and the module."""
    x = 0
    for c in label.encode():
        x = mix(x + STEP + c & MASK)
    key = mix(mix(x + STEP & MASK) + m & MASK)
    out = bytearray()
    for i in range(0, n, 8):
        word = number_of(key, i // 8)
        out += bytes(LETTERS[word >> 8 * k & 63] for k in range(8))
    return bytes(out[:n])


def outputs(label, size):
    """Returns an output after each module."""
    data, found = b"", []
    for m, (name, grown) in enumerate(zip(SECTIONS, GROWN)):
        head = "LEX1 %s\n%s" % (label, EMPTY) if m == 0 else ""
        data += head.encode()
        n = max(size * grown // 100000 - len(data) - len(name) - 6, 0)
        n = max(n - len(str(n)) + 1, 0) if n else 0
        data += ("%%%%%s %d\n" % (name, n)).encode() + contents(label, m, n) + b"\n"
        found.append(data)
    return found


def crc_sum(files):
    return sum(zlib.crc32(data) for data in files)


def sections(data):
    """Returns {name: bytes} of an output."""
    found, at = {}, data.index(b"\n") + 1
    while at < len(data):
        line = data[at:data.index(b"\n", at)].decode()
        name, n = line[2:].split()
        at += len(line) + 1
        found[name] = data[at:at + int(n)]
        at += int(n) + 1
    return found


def story(body):
    return "<REUTERS><TEXT><BODY>%s</BODY></TEXT></REUTERS>" % body


class Text(Case):
    def text(self, *args, **how):
        return self.run_program("outcore", "text", *args, "--quiet", **how)

    def figures(self, report):
        return {f["name"]: f["median"] for f in report["figures"]}

    def folder(self, files, name="given"):
        """Makes a folder with these texts under these paths."""
        top = self.path(name)
        for path, data in files.items():
            path = os.path.join(top, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_file(path, data if isinstance(data, bytes) else data.encode())
        return top

    def made(self, sizes):
        return self.folder({"%03d" % i: b"x" * n for i, n in enumerate(sizes)})

    def read(self, folder):
        found = {}
        for path in glob.glob(folder + "/*"):
            found[os.path.basename(path)] = read_bytes(path)
        return found

    # ---- every way -------------------------------------------------------------------

    SIZES = [0, 1, 60, 61, 999, 1000, 1058, 3091, 10000, 33158, 4096, 777]

    def predicted(self, after, update, passes):
        """Returns the bytes read and written, for files with those lengths after each
        module."""
        sizes = [sum(s) for s in zip(*after)]
        if update == "fused":
            return passes * sum(self.SIZES), sizes[-1]
        read = passes * (sum(self.SIZES) + sum(sizes[:-1]))
        return read, sizes[-1] if update == "append" else sum(sizes)

    def in_a_way(self, np, *options):
        folder = self.made(self.SIZES)
        files = [outputs("%03d" % i, n) for i, n in enumerate(self.SIZES)]
        report = self.good(self.text(folder, "--cost=none", *options, np=np))
        found = report["results"]
        high, low = (int(x) for x in found["crc_sum"])
        self.assertEqual((found["files"], found["output_bytes"], high << 32 | low),
                         ([len(files)], [sum(len(f[-1]) for f in files)],
                          crc_sum(f[-1] for f in files)))
        self.assertEqual(report["checks"]["blocks_checked"], len(files))
        words = dict(o[2:].split("=") for o in options if "=" in o)
        if "--container" not in options:
            passes = int(words.get("passes", 3 if "--faithful" in options else 1))
            read, written = self.predicted([[len(x) for x in f] for f in files],
                                           words.get("update", "rewrite"), passes)
            figures = self.figures(report)
            self.assertEqual(round(figures["pipeline.read_MB"] * 1e6), read)
            self.assertEqual(round(figures["pipeline.write_MB"] * 1e6), written)
            fused = words.get("update") == "fused"
            self.assertEqual(figures["pipeline.opens"],
                             len(files) * (2 if fused else 16))
        return report

    def test_phases(self):
        """There is a row for each module, and one for the sum."""
        report = self.in_a_way(2, "--faithful")
        walls = [s for s in report["samples"] if s["act"] == "wall"]
        self.assertEqual([s["phase"] for s in walls], PHASES + ["verify"])
        figures = self.figures(report)
        self.assertAlmostEqual(figures["pipeline.wall_s"],
                               sum(figures[m + ".wall_s"] for m in PHASES))
        self.assertEqual(report["io"]["cache"], "keep")

    def test_totals_of_2007(self):
        """3183 documents: Table 4.2, by --dry-run, which dry_run.py compares with
        runs."""
        for options, read, written in ((("--faithful",), 494.7, 204.4),
                                       (("--passes=1",), 164.9, 204.4),
                                       (("--update=append",), 164.9, 49.4),
                                       (("--update=fused",), 9.8, 49.4)):
            done = self.text(*options, "--cost=none", "--no-verify", "--dry-run", np=0)
            need = done.report
            self.assertEqual(round(need["read_bytes"] / 1e6, 1), read)
            self.assertEqual(round(need["write_bytes"] / 1e6 - 9.84, 1), written)

    def test_outputs(self):
        """They are files, and a container that is read without our code."""
        folder = self.made([5000, 300])
        expected = {"%03d.lex" % i: outputs("%03d" % i, n)[-1]
                    for i, n in enumerate((5000, 300))}
        out = self.path("out")
        self.good(self.text(folder, "--cost=none", "--output", out, np=1, dir=False))
        self.assertEqual(self.read(out), expected)
        report = self.good(self.text("--check", out, np=1))
        self.assertEqual(report["results"]["complete"], [2])
        out = self.path("container")
        self.good(self.text(folder, "--cost=none", "--output", out, "--container",
                            np=1, dir=False))
        (name, data), = self.read(out).items()
        self.assertEqual(name, "part-000000.m8.lexc")
        _, index, _, n = data[-64:].decode().split()[1:]
        lines = [x.split(" ", 2) for x in data[int(index):-64].decode().splitlines()]
        self.assertEqual(int(n), len(lines))
        self.assertEqual({label + ".lex": data[int(at):int(at) + int(n)]
                          for at, n, label in lines}, expected)

    @unittest.skipIf(os.environ.get("SANITIZERS"),
                     "a recorder and sanitizers want the same calls")
    def test_by_iotrace(self):
        """A trace shows the same bytes, and files opened as often."""
        trace = self.path("trace")
        done = self.text("--cost=none", "--files=20", "--passes=2", "--cache=keep",
                         "--no-verify", inside=("iotrace", "run", "-o", trace, "--"))
        self.assertEqual(done.status, 0, done)
        dump = self.run_program("iotrace", "dump", trace, np=0, dir=False, json=False)
        rows = [line.split("\t") for line in dump.out.splitlines()
                if "/0000000" in line]
        moved = collections.Counter()
        for row in rows:
            moved[row[6]] += int(row[7]) if row[6] in ("read", "write") else 1
        figures = self.figures(done.report)
        self.assertEqual(moved["read"], round(figures["pipeline.read_MB"] * 1e6))
        self.assertEqual(moved["write"], round(figures["pipeline.write_MB"] * 1e6) +
                         total(done.report, "write", phase="make"))
        self.assertEqual(moved["openat"], figures["pipeline.opens"] + 20)

    def test_models(self):
        """Each rank reads them, at the start of modules 3 and 4, and they are counted
        apart."""
        report = self.good(self.text("--cost=java", "--java=3", "--files=9", np=3,
                                     *("--model-bytes=10k", "--seed=1")))
        figures = self.figures(report)
        self.assertAlmostEqual(figures["pipeline.model_read_MB"], 2 * 3 * 10240 / 1e6)
        self.assertEqual(total(report, "read", phase="m3") - 3 * 10240,
                         total(report, "write", phase="m2"))
        self.assertEqual(figures["pipeline.opens"], 9 * 16 + 6)
        computed = total(report, "compute", "mean_s", phase="m3")
        self.assertGreater(computed, 3 * 0.4 * 9 * 1118 / 9.84e6 / 3)

    @WITH_EXPAT
    def test_odd_names_of_texts(self):
        """Names occur twice, in nested folders, and odd ones."""
        names = {"a/x.xml": "a%2Fx.xml", "b/x.xml": "b%2Fx.xml", "b/c/x": "b%2Fc%2Fx",
                 "100% \n\\": "100%25 %0A%5C", "grün": "grün"}
        folder = self.folder({name: story("words of " + label)
                              for name, label in names.items()})
        out = self.path("out")
        self.good(self.text(folder, "--output", out, "--threads=2", dir=False))
        found = self.read(out)
        self.assertEqual(sorted(found), sorted(x + ".lex" for x in names.values()))
        for label in names.values():
            data = found[label + ".lex"]
            self.assertEqual(data.split(b"\n")[0].decode(), "LEX1 " + label)
            self.assertEqual(sections(data)["BODY"].decode(), "words of " + label)
        done = self.text(self.folder({"%%" * 50 + "n" * 120: ""}, "long"), np=1)
        self.one_sentence(done, "too long for that of an output")

    # ---- real stories ----------------------------------------------------------------

    @WITH_EXPAT
    @unittest.skipUnless(os.path.isdir(TM), "r-cran-tm is not installed")
    def test_stories(self):
        """Compared with ElementTree's sections, and counts of Python's re."""
        lexicon = os.path.join(self.folder({"lexicon": "crude oil\nopec\nreuter\n"}),
                               "lexicon")
        found = []
        for np, way in drawn([(1, "--update=fused"), (2, "--update=append"),
                              (3, "--container"), (2, "--replace=rename")], 2):
            report = self.good(self.text(TM + "crude", "--lexicon", lexicon, way,
                                         np=np))
            found.append((report["results"]["crc_sum"],
                          report["results"]["output_bytes"]))
        self.assertEqual(found, found[:1] * len(found))
        out = self.path("out")
        self.good(self.text(TM + "crude", "--lexicon", lexicon, "--output", out,
                            dir=False, np=1))
        counts, expected = collections.Counter(), collections.Counter()
        for name, data in self.read(out).items():
            tree = xml.etree.ElementTree.parse(TM + "crude/" + name[:-4])
            mine = sections(data)
            for tag in ("TITLE", "DATELINE", "BODY"):
                text = tree.findtext(".//" + tag) or ""
                self.assertEqual(mine[tag].decode(), text, name)
            words = " ".join(re.findall("[a-z0-9]+", text.lower()))
            expected.update(re.findall(r"\b(?:crude oil|opec|reuter)\b", words))
            counts.update(line.split(" ", 2)[2] for line in
                          mine["KEYWORDS"].decode().splitlines())
        self.assertEqual(counts, expected)

    # ---- invalid input ---------------------------------------------------------------

    @any_mpi
    @WITH_EXPAT
    def test_bad_stories(self):
        laughs = "<!DOCTYPE a [<!ENTITY l0 'ha'>%s]>" + story("&l30;")
        laughs %= "".join("<!ENTITY l%d '&l%d;&l%d;'>" % (i, i - 1, i - 1)
                          for i in range(1, 31))
        for name, data, *parts in (
                ("broken", "<REUTERS>\n<BODY>text</TEXT>", "broken", "line 2",
                 "column 13"),
                ("laughs", laughs, "laughs")):
            folder = self.folder({name: data, "good": story("text")}, name + ".d")
            self.failed_plainly(self.text(folder, "--format=xml", np=1), *parts)
            report = self.good(self.text(folder, "--format=xml", "--bad=skip"))
            self.assertEqual([report["results"][k] for k in ("files", "skipped")],
                             [[1], [1]])

    def failed_plainly(self, done, *parts):
        self.one_sentence(done, *parts)
        self.assertEqual(done.status, 1, done)

    @unittest.skipIf(os.geteuid() == 0, "root may read anything")
    def test_unreadable(self):
        folder = self.folder({"one": story("text")})
        os.chmod(folder + "/one", 0)
        self.failed_plainly(self.text(folder), "/one", "Permission denied")

    def test_refused(self):
        for args, what in ((("--update=fused", "--order=module"), "leave out --order"),
                           (("--container", "--update=append"), "written once"),
                           (("--container", "--passes=2"), "read once"),
                           (("--cost=none", "--lexicon=x"), "is of --cost=real"),
                           (("--weights=1,2",), "three numbers"),
                           (("--model-bytes=1k",), "nobody can use"),
                           (("--check",), "name it"), (("/tmp", "--files=2"), "given"),
                           (("--java=3",), "--cost=java")):
            self.refused(self.text(*args, np=0), what)

    # ---- ends ------------------------------------------------------------------------

    FEW = ("--cost=none", "--files=20", "--seed=1", "--cache=keep")

    @any_mpi
    def test_faults(self):
        for what, how, said in (
                ("write:ENOSPC:107", "--replace=truncate", "No space"),
                ("write:ENOSPC:107", "--update=append", "No space"),
                ("read:zero:47", "--passes=1", "cut meanwhile"),
                ("write:lost:107", "--replace=rename", "module 7 finds 0 bytes"),
                ("write:flip:150", "--order=module", "are not the")):
            done = self.text(*self.FEW, how, np=1, env=fault(what, file=LEX))
            self.failed(done, said)

    def test_vanished(self):
        """A file has a name, but no longer exists."""
        folder = self.folder({"x": story("a")})
        os.symlink("nowhere", folder + "/y")
        self.failed_plainly(self.text(folder, np=1), "/y", "No such")

    def killed(self, replace):
        """Kills a run when module 6 writes its seventh file; returns the rest."""
        done = self.text(*self.FEW, "--replace=" + replace, np=1, json=False,
                         env=fault("write:kill:107", file=LEX))
        self.assertNotEqual(done.status, 0)
        left, = glob.glob(done.dir + "/*.lex")
        return left

    def test_killed(self):
        """The next reader finds the old file, or names the torn one."""
        report = self.good(self.text("--check", self.killed("rename"), np=1))
        found = [report["results"][k] for k in ("complete", "incomplete", "leftovers")]
        self.assertEqual(found, [[0], [20], [1]])
        left = self.killed("truncate")
        torn, = (name for name, data in self.read(left).items() if not data)
        self.failed(self.text("--check", left, np=1), torn, "is torn")

    @any_mpi
    def test_lying_sections(self):
        good = outputs("a", 900)[-1]
        out = os.path.join(self.folder({"a.lex": good}), "a.lex")
        self.good(self.text("--check", os.path.dirname(out), np=1))
        for data, said in ((good.replace(b"CRF ", b"CRF 1"), "CRF"),
                           (good.replace(b"TITLE 0", b"TITLE 1"), "TITLE"),
                           (good[:-1], "DECISION"), (good[:200], "BODY"),
                           (good.replace(b"LEX1 a", b"LEX1 b"), "its name")):
            write_file(out, data)
            self.failed(self.text("--check", os.path.dirname(out), np=1), said, "a.lex")


WAYS = [(np, *way, *more)
        for np, way in itertools.product((1, 2, 3, 7), (
            ("--faithful",), ("--update=append",),
            ("--update=append", "--order=document"),
            ("--update=fused", "--passes=2"), ("--update=fused", "--container"),
            ("--container",), ("--order=document", "--replace=rename"),
            ("--replace=rename", "--cache=keep")))
        for more in ((), ("--threads=3",))]
for number, way in enumerate(drawn(WAYS, 2)):
    add(Text, "way_%d" % number, "in_a_way", *way)

if __name__ == "__main__":
    main()
