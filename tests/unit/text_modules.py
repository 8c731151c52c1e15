"""The modules of outcore text, compared with Python's re, xml.etree, CRFsuite and a
second implementation of each (text_reference.py); known answers of real stories.
ranks: 1; limit: 300; tier: quick ci
"""
import glob
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as etree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import long, main  # noqa: E402

from files import read_bytes, write_file  # noqa: E402
import text_reference as ref  # noqa: E402

LEX = os.path.join(os.environ["top_builddir"], "tests/unit/text_lex")
DATA = os.path.join(os.environ["top_srcdir"], "tests/data/text")
STORIES = "/usr/lib/R/site-library/tm/texts"
GPL = "/usr/share/common-licenses/GPL-3"
XML = os.environ.get("HAVE_EXPAT") == "yes"
PHRASES = [b"crude oil", b"opec", b"dlrs a barrel", b"mln dlrs", b"saudi arabia",
           b"new york", b"reuter", b"shares", b"offer", b"free software",
           b"source code", b"license", b"gnu general public license", b"you may",
           b"warranty", b"patent", b"the program"]


class Room(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def put(self, name, contents):
        return write_file(os.path.join(self.folder, name), contents)

    def run_lex(self, files, form="plain", lexicon=None, crf=None, maxent=None):
        """Returns for each file its sections, or the sentence that refuses it."""
        given = ["-" if data is None else self.put(name, data) for name, data in (
            ("lexicon", lexicon), ("crf", crf), ("maxent", maxent))]
        out = subprocess.run([LEX, form] + given + files, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=120)
        if out.returncode:
            return out.stderr.decode()
        found, rest = [], out.stdout
        while rest:
            line, rest = rest.split(b"\n", 1)
            if line.startswith(b"-1 "):
                found.append(line[3:].decode())
                continue
            found.append(ref.parse_lex(rest[:int(line)]))
            rest = rest[int(line):]
        return found

    def one(self, contents, **how):
        return self.run_lex([self.put("document", contents)], **how)[0]

    def same(self, section, lines):
        self.assertEqual(section, b"".join(line + b"\n" for line in lines))


def corpus(name):
    return sorted(glob.glob("%s/%s/*.xml" % (STORIES, name)))


def by_etree(path):
    """Returns the sections of a story, by Python's reader."""
    root = etree.parse(path).getroot()
    if root.tag == "REUTERS":
        text = root.find("TEXT")
        of = [[text.find(name)] for name in ("TITLE", "AUTHOR", "DATELINE")]
        of += [[root.find("DATE")], root.findall("TOPICS/D"), text.findall("BODY")]
        parts = [["".join(e.itertext()) for e in some if e is not None] for some in of]
    else:
        of = [root.findall(name) for name in ("headline", "byline", "dateline")]
        parts = [["".join(e.itertext()) for e in some] for some in of]
        codes = [c for c in root.findall("metadata/codes")
                 if c.get("class").startswith("bip:topics:")]
        parts += [[root.get("date")], [c.get("code") for k in codes for c in k],
                  ["".join(p.itertext()) for p in root.findall("text/p")]]
    return [os.linesep.join(part).encode() for part in parts]


@unittest.skipUnless(XML, "built without expat")
@unittest.skipUnless(os.path.isdir(STORIES), "r-cran-tm is not installed")
class Stories(Room):
    def check(self, name, sizes, terms, classes):
        paths = corpus(name)
        found = self.run_lex(paths, "xml", lexicon=b"\n".join(PHRASES))
        for path, sections in zip(paths, found):
            self.assertEqual([sections[s] for s in ref.SECTIONS[:6]], by_etree(path))
            self.same(sections["KEYWORDS"], ref.keywords(sections["BODY"], PHRASES))
        for section, (bytes_, filled) in sizes.items():
            self.assertEqual(sum(len(f[section]) for f in found), bytes_)
            self.assertEqual(sum(bool(f[section]) for f in found), filled)
        lines = [line.split(b" ", 2)[2] for f in found
                 for line in f["KEYWORDS"].splitlines()]
        for term, n in terms.items():
            self.assertEqual(lines.count(term), n, term)
        tables = [dict(line.split() for line in f["TABLE"].splitlines()) for f in found]
        for kind, n in classes.items():
            self.assertEqual(sum(int(t[kind]) for t in tables), n, kind)

    def test_crude(self):
        self.check("crude", {"BODY": (24406, 20), "TITLE": (884, 20),
                             "DATELINE": (379, 20), "AUTHOR": (76, 3)},
                   {b"crude oil": 13, b"opec": 47, b"dlrs a barrel": 10, b"mln dlrs": 3,
                    b"saudi arabia": 9, b"new york": 3, b"reuter": 20},
                   {b"blank": 4474, b"upper": 829, b"digits": 391, b"punctuation": 617})

    def test_acq(self):
        self.check("acq", {"BODY": (46696, 50), "TITLE": (2171, 50),
                           "DATELINE": (1054, 50), "AUTHOR": (81, 4)},
                   {b"mln dlrs": 44, b"shares": 52, b"offer": 34, b"new york": 9,
                    b"reuter": 50},
                   {b"blank": 8482, b"upper": 1820, b"digits": 964,
                    b"punctuation": 1172})

    def test_rcv1(self):
        path = STORIES + "/rcv1_2330.xml"
        found = self.run_lex([path], "auto")[0]
        self.assertEqual([found[s] for s in ref.SECTIONS[:6]], by_etree(path))
        self.assertIn(b"Goldman, Sachs & Co.", found["BODY"])

    def test_crfsuite(self):
        """A model trained here, with its own features' names, gives the same labels."""
        try:
            import pycrfsuite
        except ImportError:
            self.skipTest("python-crfsuite is not installed")
        found = self.run_lex(corpus("crude") + corpus("acq"), "xml",
                             lexicon=b"\n".join(PHRASES))
        bodies = [f["BODY"] for f in found]
        tagger = train(pycrfsuite, bodies[:20], self.folder + "/model")
        model = ref.Model.of_crfsuite(tagger.info())
        texts = [self.put("b%d" % i, body) for i, body in enumerate(bodies)]
        found = self.run_lex(texts, crf=model.text())
        lines = 0
        for body, sections in zip(bodies, found):
            said = ref.entities(
                body, lambda of: [(tag, None) for tag in tagger.tag(of)])
            self.same(sections["CRF"], said)
            lines += len(said)
        self.assertGreater(lines, 300)


def train(pycrfsuite, bodies, path):
    """Trains capitals and numbers as entities: something to learn."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for body in bodies:
        for sentence in ref.sentences(body):
            tags, last = [], "O"
            for start, end in sentence:
                form = body[start:end]
                kind = ("NUM" if form[:1].isdigit() else
                        "NAME" if form[:1].isupper() and len(form) > 3 else None)
                last = "O" if not kind else ("I-" if last[2:] == kind else "B-") + kind
                tags.append(last)
            trainer.append(list(ref.features(body, sentence)), tags)
    trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 40})
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger


class Plain(Room):
    @unittest.skipUnless(os.path.exists(GPL), "there is no GPL-3 in common-licenses")
    def test_gpl(self):
        text = read_bytes(GPL)
        found = self.one(text, lexicon=b"\n".join(PHRASES))
        self.assertEqual(found["BODY"], text)
        lines = [line.split(b" ", 2)[2] for line in found["KEYWORDS"].splitlines()]
        for term, n in ((b"free software", 13), (b"source code", 12),
                        (b"license", 102), (b"gnu general public license", 13),
                        (b"you may", 20), (b"warranty", 15), (b"patent", 23),
                        (b"the program", 34)):
            self.assertEqual(lines.count(term), n, term)
        for line in (b"blank 6509", b"upper 1664", b"lower 26042", b"digits 96",
                     b"punctuation 838", b"lines 674", b"words 5644"):
            self.assertIn(line + b"\n", found["TABLE"])

    def test_of_crfsuite(self):
        """The model and the labels of tests/data/text are CRFsuite's."""
        def data(name):
            return read_bytes(os.path.join(DATA, name))
        found = self.one(data("story"), crf=data("crf"))
        self.assertEqual(found["CRF"], data("story.crf"))
        self.assertGreater(len(found["CRF"].splitlines()), 100)

    def chance(self, seed):
        """Makes a text, a lexicon and models in which all features meet."""
        rng = random.Random(seed)
        words = ["A", "b", "Ab", "c1", "U", "S", "oil", "Oilfield", "barrelsful"]
        words += ["1", "23", "4.5", "6,789.0", "caf\xe9", "\xc9", ".", "?", "-", "\x01"]
        gaps = [" ", " ", " ", "\n", "", "\t\n", ". ", "-", "\r\n"]
        text = "".join(rng.choice(words) + rng.choice(gaps)
                       for _ in range(rng.choice((0, 1, 2, 40, 150))))
        phrases = [" ".join(rng.choice(words[:12]) for _ in range(rng.randrange(1, 5)))
                   for _ in range(12)]
        phrases = [p for p in phrases if re.search("[A-Za-z0-9]", p)]
        labels = ["O", "B-X", "I-X", "PLACE", "B-Y", "I-Y"][:rng.randrange(1, 7)]
        body = text.encode("utf-8" if seed % 2 else "latin-1")
        names = {f for s in ref.sentences(body) for t in ref.features(body, s)
                 for f in t}
        states = {f: {label: rng.choice((-1, .5, .25, 1e-3, rng.random()))
                      for label in labels if rng.random() < .6}
                  for f in sorted(names) if rng.random() < .7}
        pairs = {(a, b): rng.choice((-1, 0.5, rng.random()))
                 for a in labels for b in labels if rng.random() < .8}
        behind = {"label-1=" + a: {b: rng.uniform(-2, 2) for b in labels}
                  for a in labels}
        return (body, [p.encode("latin-1") for p in phrases],
                ref.Model(labels, pairs, states),
                ref.Model(labels, {}, dict(states, **behind)))

    def check(self, seed):
        body, phrases, crf, maxent = self.chance(seed)
        found = self.one(body, lexicon=b"\n\n".join(phrases), crf=crf.text(),
                         maxent=maxent.text("maxent1"))
        terms = ref.keywords(body, phrases)
        tagged = ref.entities(body, crf.viterbi)
        guessed = ref.entities(body, maxent.greedy)
        unified = ref.unify([terms, tagged, guessed])
        self.same(found["KEYWORDS"], terms)
        self.same(found["CRF"], tagged)
        self.same(found["MAXENT"], guessed)
        self.same(found["ENTITIES"], unified)
        self.same(found["PROXIMITY"], ref.proximity(body, unified))
        self.same(found["TABLE"], ref.table(body))
        self.same(found["DECISION"], ref.decision(ref.table(body)))

    def test_chance(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                self.check(seed)

    @long
    def test_chance_more(self):
        for seed in range(100, 160):
            with self.subTest(seed=seed):
                self.check(seed)

    def test_long(self):
        """There is a sentence and a line without an end, and a word of many bytes."""
        body = b"1 2 Ab " * 1500 + b"x" * 5000 + b" Ab. " + b"aB" * 300
        body += b"\nbb\n" + b"1,2 3 4\n" * 3
        model = ref.Model(["O", "B-X", "I-X"], {("B-X", "I-X"): .5},
                          {"w=ab": {"B-X": 1}, "w=1": {"I-X": .1}, "first": {"B-X": 2},
                           "shape=" + "aA" * 300: {"B-X": 1}})
        found = self.one(body, crf=model.text(), maxent=model.text("maxent1").replace(
            b"t B-X I-X 0.5\n", b""), lexicon=b"x" * 5000 + b"\n" + b"x" * 4999)
        self.same(found["CRF"], ref.entities(body, model.viterbi))
        self.same(found["MAXENT"], ref.entities(body, model.greedy))
        self.assertEqual(found["KEYWORDS"].count(b"\n"), 1)
        self.same(found["TABLE"], ref.table(body))

    def test_decision(self):
        self.assertTrue(self.one(b"1 2 3\n4 5 6\nab cd\n")["DECISION"]
                        .startswith(b"table 0.6"))
        self.assertTrue(self.one(b"1 2 3\na b c d e f g h i j k l m\n")["DECISION"]
                        .startswith(b"prose 0.18"))
        rows = b"1 abcdefgh 2 abcdefgh 3 abcdefgh\n"
        self.assertTrue(self.one(rows)["DECISION"].startswith(b"table 0.1"))
        self.assertTrue(self.one(rows + b"ab\n")["DECISION"].startswith(b"prose 0.1"))


@unittest.skipUnless(XML, "built without expat")
class Xml(Room):
    def refused(self, contents, *parts, form="xml"):
        found = self.one(contents, form=form)
        self.assertIsInstance(found, str)
        for part in parts:
            self.assertIn(part, found)

    def body(self, text, head=b""):
        return (head + b"<REUTERS><TEXT><BODY>" + text + b"</BODY></TEXT></REUTERS>")

    def test_encodings(self):
        for name in ("ISO-8859-1", "UTF-8", "UTF-16"):
            text = ("<?xml version='1.0' encoding='%s'?>\n" % name
                    + self.body(b"\xe9t\xe9 &amp; &#8364;").decode("latin-1"))
            with self.subTest(name):
                found = self.one(text.encode(name), form="auto")
                self.assertEqual(found["BODY"], "\xe9t\xe9 & \u20ac".encode())
        self.refused(self.body(b"\xe9"), "not well-formed", "line 1, column 22")
        self.refused(b"<?xml version='1.0' encoding='x-none'?>" + self.body(b"a"),
                     "unknown encoding")

    def test_places(self):
        found = self.one(b"<LEWIS><REUTERS><DATE>d</DATE><TOPICS><D>a</D><D>b</D>"
                         b"</TOPICS><PLACES><D>no</D></PLACES><TEXT>no<TITLE>t<b>u</b>"
                         b"</TITLE><BODY>x<BODY>y</BODY></BODY></TEXT>"
                         b"<BODY>no</BODY></REUTERS></LEWIS>", form="xml")
        self.assertEqual([found[s] for s in ref.SECTIONS[:6]],
                         [b"tu", b"", b"", b"d", b"a\nb", b"xy"])

    def test_plain(self):
        found = self.one(b"no <XML>", form="auto")
        self.assertEqual(found["BODY"], b"no <XML>")

    def test_not_well_formed(self):
        self.refused(b"<REUTERS>\n  <TEXT></BODY>", "module xml: ", "mismatched tag",
                     "line 2, column 11", "offset 20")
        self.refused(b"", "no element found")
        self.refused(b"<REUTERS>", "no element found")

    def test_no_story(self):
        self.refused(b"<corpus><REUTERSX/></corpus>", "no story", "RCV1")
        self.refused(b"<LEWIS><REUTERS/>\n<REUTERS/></LEWIS>", "a second story",
                     "line 2, column 1")

    def test_deep(self):
        self.refused(b"<a>" * 64 + b"</a>" * 64, "nested more than 63 deep")
        self.assertEqual(self.one(b"<a>" * 60 + self.body(b"x") + b"</a>" * 60,
                                  form="xml")["BODY"], b"x")

    def test_entities(self):
        laughs = b"<!DOCTYPE REUTERS [<!ENTITY a 'ha'>" + b"".join(
            b"<!ENTITY %c '&%c;&%c;'>" % (98 + i, 97 + i, 97 + i) for i in range(20))
        self.refused(self.body(b"&u;", laughs + b"]>"), "names another one")
        self.refused(self.body(b"&a;" * 9, b"<!DOCTYPE REUTERS [<!ENTITY a '%s'>]>"
                               % (b"x" * 2000)), "more than 1024 bytes")
        self.assertEqual(self.one(self.body(
            b"&a;&lt;", b"<!DOCTYPE REUTERS [<!ENTITY a 'b&#38;#38;c'>"
            b"<!ENTITY lt '&#38;#60;'>]>"), form="xml")["BODY"], b"b&c<")


class Bad(Room):
    def refused(self, contents, *parts, **kind):
        (name, _), = kind.items()
        said = self.run_lex([], **{name: contents})
        self.assertIsInstance(said, str)
        for part in parts:
            self.assertIn(part, said)

    def test_lexicon(self):
        self.refused(b"new york\n\n--\n", "line 3", "no letter", lexicon=True)

    def test_models(self):
        head = b"crf1\nlabels O B-X\n"
        for text, parts in (
                (b"", ["begin with a line \"crf1\""]),
                (b"maxent1\nlabels O\n", ["begin with a line \"crf1\""]),
                (b"crf1\n", ["second line"]),
                (b"crf1\nlabels O O\n", ["line 2", "twice"]),
                (b"crf1\nlabels O B-\n", ["line 2", "without a type"]),
                (b"crf1\nlabels O  B-X\n", ["line 2", "without a character"]),
                (head + b"q\n", ["line 3", "neither"]),
                (head + b"\n", ["line 3", "neither"]),
                (head + b"t O B-X 1\nt O B-X 1\n", ["line 4", "earlier line"]),
                (head + b"t O B-Y 1\n", ["line 3", "label"]),
                (head + b"s w=a O 1\ns w=b O x\n", ["line 4", "weight"]),
                (head + b"s w=a O nan\n", ["line 3", "weight"]),
                (head + b"s w=a O 1e200\n", ["line 3", "weight"]),
                (head + b"s w=a O " + b"1" * 90 + b"\n", ["line 3", "weight"]),
                (head + b"s w=a O 1 \n1", ["line 4", "neither"]),
                (head + b"s w=a O 1 2\n", ["line 3", "behind its weight"]),
                (head + b"s bias O 1\n", ["line 3", "feature"]),
                (head + b"s label-1=O O 1\n", ["line 3", "feature"]),
                (head + b"s w=a O 1\ns w=a B-X 1\ns w=a O 1\n", ["line 5", "earlier"])):
            with self.subTest(text):
                self.refused(text, *parts, crf=True)
        self.refused(b"maxent1\nlabels O\nt O O 1\n", "line 3", "CRFs only",
                     maxent=True)


if __name__ == "__main__":
    main()
