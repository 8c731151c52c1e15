#!/usr/bin/env python3
# tier: quick ci
"""outcore ngram: the languages of documents, as Python finds them; the same for any
ranks, threads and slots; invalid models; its ends."""
import collections
import glob
import html.parser
import os
import unicodedata

from e2e import (Case, add, any_mpi, drawn, fault, long, main, read_bytes, read_text,
                 samples, total, write_file)

GUIDE = "/usr/share/doc/installation-guide-amd64"
CLEAN = ("ca", "cs", "de", "en", "es", "fr", "it", "nl", "pt", "ro", "sv", "vi")
HALF = ("da", "id")  # some of their pages are English
TRAINED, CHUNK, CHUNKS = 200000, 2048, 40
GPL = "/usr/share/common-licenses/GPL-3"


# ---- an oracle -----------------------------------------------------------------------

def codes(data):
    found, last = [], 0
    for char in data.decode("utf-8", "replace"):
        first = unicodedata.normalize("NFKD", char)[0].lower()
        letter = char < "\u0250" and "a" <= first <= "z"
        code = ord(first) - 96 if letter else 0
        if code or last:
            found.append(code)
        last = code
    return found


def grams(data, n):
    row = codes(data)
    return ["".join("_abcdefghijklmnopqrstuvwxyz"[c] for c in row[i:i + n])
            for i in range(len(row) - n + 1)]


def profile(data, n, most):
    counts = collections.Counter(grams(data, n))  # "_" is the least letter here
    order = sorted(counts, key=lambda g: (-counts[g], g.replace("_", " ")))
    return [(g, counts[g]) for g in order[:most]]


def verdict(data, model, n):
    """Returns (language, grams, score); model: {language: set of grams}, in order."""
    row = grams(data, n)
    scores = [sum(g in known for g in row) for known in model.values()]
    best = max(range(len(scores)), key=lambda i: (scores[i], -i))
    name = list(model)[best] if scores[best] else "undetermined"
    return name, len(row), scores[best]


class Text(html.parser.HTMLParser):
    LEFT_OUT = {"head", "script", "style", "pre"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.depth = [], 0

    def handle_starttag(self, tag, attrs):
        self.depth += tag in self.LEFT_OUT

    def handle_endtag(self, tag):
        self.depth -= tag in self.LEFT_OUT and self.depth > 0

    def handle_data(self, data):
        if not self.depth:
            self.parts.append(data)


def text_of(path):
    parser = Text()
    with open(path, encoding="utf-8", errors="replace") as page:
        parser.feed(page.read())
    parser.close()
    return "".join(parser.parts)


WORDS = {"aa": b"anna banana alabama \xc3\xa4 ", "bb": b"bob bubble blub \xe4\xb8\xad ",
         "cc": b"cicero caccia cocco, "}


class Ngram(Case):
    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return write_file(path, data)

    def ngram(self, *args, **how):
        return self.run_program("outcore", "ngram", *args, "--quiet", **how)

    def train(self, folder, languages, *args, **how):
        model = self.path("model")
        done = self.ngram("train", *("%s=%s/%s" % (name, folder, name)
                                     for name in languages), "--output", model,
                          "--overwrite", *args, dir=False, **how)
        self.good(done)
        return model, read_text(model)

    def figures(self, report):
        return {f["name"]: f["median"] for f in report["figures"]}

    def small(self):
        """Makes documents of many sizes, and their model. It has no line of these
        texts."""
        for name, words in WORDS.items():
            self.write("train/%s/1" % name, words * 30)
            self.write("train/%s/more/2" % name, words[5:] * 20)
        given = {"aa/1": WORDS["aa"] * 9, "aa/deep/2": WORDS["aa"][:7], "aa/none": b"",
                 "bb/1": WORDS["bb"] * 99, "bb/wrong": WORDS["cc"] * 3, "0": b"a b",
                 "cc/utf": b"\xff" + WORDS["cc"] * 50 + b"\xc3", "dd/x": b"zyzzyva",
                 "cc/zeros": bytes(9000), "cc/one": b"c" * 9001}
        for name, data in given.items():
            self.write("given/" + name, data)
        return given, self.train(self.tmp + "/train", WORDS)[0]

    def lines(self, pattern):
        found = {}
        for path in glob.glob(pattern):
            with open(path) as part:
                for line in part:
                    name, *rest = line.rstrip("\n").split("\t")
                    self.assertNotIn(name, found)
                    found[name] = (rest[0], int(rest[1]), int(rest[2]))
        return found

    def sums(self, report):
        found = report["results"]
        return [found[name] for name in ("documents", "bytes", "grams", "undetermined",
                                         "answer_sum", "labelled", "right")]

    # ---- training --------------------------------------------------------------------

    def trained(self, n, np):
        self.small()
        model, text = self.train(self.tmp + "/train", WORDS, "--n=%d" % n,
                                 "--profile=9",
                                 "--readers=2", "--slot-size=100", np=np)
        lines = ["leadline-ngrams 1", "n %d" % n]
        for name, words in WORDS.items():
            counts = collections.Counter(grams(words * 30, n))
            counts.update(grams(words[5:] * 20, n))
            order = sorted(counts, key=lambda g: (-counts[g], g.replace("_", " ")))[:9]
            lines += ["%s %s %d" % (name, gram, counts[gram]) for gram in order]
        self.assertEqual(text.splitlines(), lines)

    def test_training(self):
        self.trained(2, 1)
        self.trained(4, 3)

    def test_licence(self):
        """Python counted these in another way, long before."""
        if not os.path.exists(GPL) or os.path.getsize(GPL) != 35149:
            self.skipTest("there is no %s of 35149 bytes" % GPL)
        self.write("gpl/en/text", read_bytes(GPL))
        text = self.train(self.tmp + "/gpl", ["en"], "--profile=9999", np=1)[1]
        lines = text.splitlines()
        self.assertEqual((len(lines) - 2, lines[2], lines[3]),
                         (5259, "en _the 386", "en the_ 345"))

    # ---- classifying -----------------------------------------------------------------

    def test_answers(self):
        given, model = self.small()
        known = {name: set(g for g, _ in profile(words * 30, 4, 5000))
                 | set(grams(words[5:] * 20, 4)) for name, words in WORDS.items()}
        report = self.good(self.ngram(self.tmp + "/given", "--model", model,
                                      "--output", self.tmp + "/out", "--stages=each",
                                      dir=self.tmp))
        expected = {name: verdict(data, known, 4) for name, data in given.items()}
        self.assertEqual(self.lines(self.tmp + "/out.*"), expected)
        right = [expected[name][0] == name[:2] for name in given if name[:2] in WORDS]
        self.assertEqual((report["results"]["labelled"], report["results"]["right"]),
                         ([len(right)], [sum(right)]))
        self.assertEqual(self.figures(report)["accuracy"],
                         100.0 * sum(right) / len(right))
        self.assertEqual([s["phase"] for s in samples(report, "wall")],
                         ["read", "read_classify", "end_to_end", "verify"])
        size = sum(map(len, given.values()))
        for phase in ("read", "read_classify", "end_to_end"):
            self.assertEqual(total(report, "read", phase=phase), size)
        self.assertEqual(total(report, "write"), sum(
            os.path.getsize(path) for path in glob.glob(self.tmp + "/out.*")))

    def in_a_way(self, *ways):
        """Sums are the same with any ranks and slots."""
        _, model = self.small()
        found = []
        for np, *options in ways:
            report = self.good(self.ngram(self.tmp + "/given", "--model", model,
                                          *options, np=np))
            found.append(self.sums(report))
            self.assertEqual(found[-1], found[0])
        self.assertEqual(found[0][0], [10])

    def other_method(self, right, method, *options):
        given, model = self.small()
        report = self.good(self.ngram(self.tmp + "/given", "--model", model,
                                      "--method", method, *options))
        self.assertEqual(report["results"]["documents"], [len(given)])
        self.assertEqual(report["results"]["right"], [right])

    def test_methods(self):
        self.other_method(4, "bloom", "--bloom-hashes=6")
        self.other_method(4, "rank", "--ranks-kept=20")

    def test_latin1(self):
        self.write("train/xx/1", "\u00e4\u00e9\u00fc ".encode("latin-1") * 9)
        text = self.train(self.tmp + "/train", ["xx"], "--encoding=latin-1", np=1)[1]
        self.assertIn("xx aeu_ 9\n", text)

    @long
    def test_guide(self):
        """14 languages: 541 of 560 are right, and 478 of the 480 that match their
        label."""
        if not os.path.exists(GUIDE + "/en"):
            self.skipTest("installation-guide-amd64 is not installed")
        for name in CLEAN + HALF:
            pages = [text_of(p) for p in sorted(glob.glob(GUIDE + "/%s/*.html" % name))]
            self.write("train/%s/all" % name, "".join(pages[::2])[:TRAINED].encode())
            rest = "".join(pages[1::2]).encode()
            for i in range(CHUNKS):
                self.write("given/%s/%d" % (name, i), rest[i * CHUNK:(i + 1) * CHUNK])
        model = self.train(self.tmp + "/train", sorted(CLEAN + HALF), "--readers=2")[0]
        report = self.good(self.ngram(self.tmp + "/given", "--model", model,
                                      "--output", self.tmp + "/out", dir=self.tmp))
        self.assertEqual((report["results"]["labelled"], report["results"]["right"]),
                         ([560], [541]))
        clean = [said[0] == name.split("/")[0]
                 for name, said in self.lines(self.tmp + "/out.*").items()
                 if name.split("/")[0] in CLEAN]
        self.assertEqual((len(clean), sum(clean)), (480, 478))

    # ---- ends ------------------------------------------------------------------------

    def refuses_model(self, text, *parts):
        path = self.write("bad", text)
        done = self.ngram(self.tmp, "--model", path, np=1 + (text == b""))
        self.one_sentence(done, *parts)
        self.assertEqual(done.status, 1, done)

    @any_mpi
    def test_bad_models(self):
        head = b"leadline-ngrams 1\nn 4\n"
        for text, what in ((b"", "ends before"), (b"\x7fELF\0\1", "line 1"),
                           (b"leadline-ngrams 7\n", "version"),
                           (head + b"en abcd 1\nen abcd 1\n", "twice"),
                           (head + b"en abcd x\n", "line 3")):
            self.refuses_model(text, what, "bad")
        done = self.ngram(self.tmp, "--model", self.tmp + "/none")
        self.one_sentence(done, "No such", "none")
        self.one_sentence(self.ngram(self.tmp, "--model", self.tmp), "file")

    def test_faults(self):
        given, model = self.small()
        self.assertTrue(given)
        for what, said, file in (("read:EIO:3", "read failed", "given/"),
                                 ("write:ENOSPC:1", "No space", "files/outcore-")):
            self.failed(self.ngram(self.tmp + "/given", "--model", model, "--threads=2",
                                   env=fault(what, file=file)), said)

    def test_refused(self):
        for args, what in (((self.tmp,), "--model=FILE"),
                           ((self.tmp, "--model=m", "--bloom-bits=1000",
                             "--method=bloom"), "no power of 2"),
                           ((self.tmp, "--model=m", "--ranks-kept=5"), "of no use"),
                           ((self.tmp, "--model=m", "--stages=read", "--output=x"),
                            "no results"),
                           (("train", "en"), "is not LANG=DIR"),
                           (("train", "en=" + self.tmp, "--n=6"), "--n"),
                           (("train", "en=" + self.tmp + "/none"), "No such")):
            done = self.ngram(*args, np=0)
            self.assertNotEqual(done.status, 0)
            self.assertEqual((done.err.count("\n"), done.files), (1, []))
            self.assertIn(what, done.err)


WAYS = [(1, "--slots=1", "--slot-size=1"),
        (2, "--readers=3", "--slot-size=777", "--cache=keep"),
        (3, "--threads=2", "--readers=2", "--slots=2", "--slot-size=4k",
         "--cache=direct", "--order=shuffle"),
        (7, "--slots=64", "--slot-size=33"), (1, "--stages=read+classify"),
        (2, "--threads=3", "--slot-size=1M", "--order=inode")]
add(Ngram, "ways", "in_a_way", WAYS[0], *drawn(WAYS[1:], 2))

if __name__ == "__main__":
    main()
