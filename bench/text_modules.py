#!/usr/bin/env python3
"""Speed of outcore text's modules, and of CRFsuite's tagger where it is installed.

    make bench/text_modules, then bench/text_modules.py [BUILD]

The text is what lies in /usr/share/common-licenses, over and over; the lexicon has
10,000 phrases of two to four words, one in a hundred of them from the text; the CRF is
one that CRFsuite trains on a part of the text. Rates are of processor time."""
import glob
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "tests", "unit"))
BYTES = 2 << 20
PHRASES = 10000


def lexicon(text, rng):
    words = re.findall(rb"[a-z0-9]+", text.lower())
    phrases = set()
    while len(phrases) < PHRASES:
        n, at = rng.randrange(2, 5), rng.randrange(len(words) - 4)
        found = words[at:at + n] if len(phrases) % 100 == 0 else rng.choices(words, k=n)
        phrases.add(b" ".join(found))
    return b"\n".join(sorted(phrases)) + b"\n"


def crfsuite(text, path):
    """The model's text; what CRFsuite's tagger does a second, with its features made
    beforehand."""
    import pycrfsuite
    os.environ.setdefault("top_builddir", "b")
    os.environ.setdefault("top_srcdir", os.path.join(HERE, os.pardir))
    import text_reference as ref
    from text_modules import train
    part = text[:200000]
    tagger = train(pycrfsuite, [part], path)
    sentences = [list(ref.features(part, s)) for s in ref.sentences(part)]
    begun = time.process_time()
    for sentence in sentences:
        tagger.tag(sentence)
    seconds = time.process_time() - begun
    print("CRFsuite, tagging alone %.1f MB/s" % (len(part) / 1e6 / seconds))
    return ref.Model.of_crfsuite(tagger.info()).text()


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "b"
    texts = []
    for path in sorted(glob.glob("/usr/share/common-licenses/*")):
        with open(path, "rb") as file:
            texts.append(file.read())
    text = b"".join(texts)
    with tempfile.TemporaryDirectory() as folder:
        def put(name, data):
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(data)
            return path
        try:
            crf = put("crf", crfsuite(text, os.path.join(folder, "model")))
        except ImportError:
            crf = "-"
        whole = put("text", (text * (BYTES // len(text) + 1))[:BYTES])
        phrases = put("lexicon", lexicon(text, random.Random(1)))
        subprocess.run([os.path.join(build, "bench", "text_modules"), whole, phrases,
                        crf, "-"], check=True, timeout=300)


if __name__ == "__main__":
    main()
