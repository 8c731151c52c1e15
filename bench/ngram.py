#!/usr/bin/env python3
"""outcore ngram's classifiers beside cld2, and end to end beside its parts.

    make bench/ngram outcore, then bench/ngram.py [BUILD]

Documents of 2,048 bytes of the pages of installation-guide-amd64 (Debian), in the 12
languages whose pages are all translated: even pages train, at most 200,000 characters
of each, and odd pages are classified. cld2 needs libcld2-dev, and is left out without
it. Rates of classifiers are of processor time, in memory, taken in turn."""
import glob
import html.parser
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GUIDE = "/usr/share/doc/installation-guide-amd64"
CLEAN = ("ca", "cs", "de", "en", "es", "fr", "it", "nl", "pt", "ro", "sv", "vi")
TRAINED, EACH, ROUNDS, SECONDS, COPIES = 200000, 2048, 5, "0.2", 10
METHODS = ("table", "bloom", "rank")


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


def put(*parts, data):
    path = os.path.join(*parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    return path


def documents(tmp):
    """[(language, text)], which also lie in tmp/given; tmp/train has the others."""
    found = []
    for name in CLEAN:
        pages = [text_of(p) for p in sorted(glob.glob(GUIDE + "/%s/*.html" % name))]
        put(tmp, "train", name, "1", data="".join(pages[::2])[:TRAINED].encode())
        for page in pages[1::2]:
            data = page.encode()
            found += [(name, data[i:i + EACH])
                      for i in range(0, len(data) - EACH + 1, EACH)]
    for i, (name, data) in enumerate(found * COPIES):
        put(tmp, "given", name, str(i), data=data)
    return found


def ngram(build, *args):
    subprocess.run([os.path.join(build, "outcore"), "ngram", *args, "--quiet"],
                   check=True, timeout=300)


def many(model, to, languages):
    """A model of so many languages: those of `model`, over and over."""
    with open(model) as given:
        head, rows = [next(given), next(given)], [line.split() for line in given]
    names = sorted({row[0] for row in rows})
    lines = ["%s%d %s %s\n" % (names[k % len(names)], k, row[1], row[2])
             for k in range(languages) for row in rows
             if row[0] == names[k % len(names)]]
    return put(to, data="".join(head + lines).encode())


def cld2(tmp, text):
    """(its rate, languages), where it is installed."""
    program = os.path.join(tmp, "cld2")
    made = subprocess.run(["c++", "-O2", "-o", program, HERE + "/ngram_cld2.cc",
                           "-lcld2"], stderr=subprocess.DEVNULL, check=False)
    if made.returncode:
        return None
    done = subprocess.run([program, text, str(EACH), SECONDS], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()
    return float(done[-1]), done[:-2]


def rate(build, model, text, method):
    return float(subprocess.run(
        [os.path.join(build, "bench", "ngram"), model, text, str(EACH), str(method),
         SECONDS], check=True, text=True, stdout=subprocess.PIPE).stdout.split()[0])


def rates(build, tmp, model, text):
    cases = [(n, 0) for n in (8, 12, 16, 32, 64)] + [(12, 1), (12, 2)]
    models = {n: many(model, os.path.join(tmp, "m%d" % n), n)
              for n in (8, 12, 16, 32, 64)}
    found, ratios = {case: [] for case in cases}, []
    for _ in range(ROUNDS):
        for n, method in cases:
            found[n, method].append(rate(build, models[n], text, method))
        other = cld2(tmp, text)
        if other:
            ratios.append(found[12, 0][-1] / other[0])
    for n, method in cases:
        row = found[n, method]
        print("%-5s %2d languages %8.1f MB/s (%.1f to %.1f)" % (
            METHODS[method], n, statistics.median(row), min(row), max(row)))
    if ratios:
        print("table, 12 languages / cld2: %.1f (%.1f to %.1f)" % (
            statistics.median(ratios), min(ratios), max(ratios)))


def report(build, tmp, model, stages):
    path = os.path.join(tmp, "report")
    ngram(build, os.path.join(tmp, "given"), "--model=" + model, "--stages=" + stages,
          "--dir=" + tmp, "--output=" + os.path.join(tmp, "lines"), "--overwrite",
          "--no-verify", "--json=" + path)
    with open(path) as found:
        return {f["name"]: f["median"] for f in json.load(found)["figures"]}


def whole(build, tmp, model):
    ratios = []
    for _ in range(ROUNDS):
        f = report(build, tmp, model, "each")
        parts = f["read.MBps"], f["classify.MBps"]
        ratios.append(f["end_to_end.MBps"] / min(parts))
        print("read %.1f, classify %.1f, end to end %.1f MB/s" % (
            parts + (f["end_to_end.MBps"],)))
    print("end to end / the slower part: %.3f (%.3f to %.3f)" % (
        statistics.median(ratios), min(ratios), max(ratios)))


def verdicts(build, tmp, model, given, text):
    report(build, tmp, model, "all")
    said = {}
    for path in glob.glob(os.path.join(tmp, "lines*")):
        with open(path) as lines:
            for line in lines:
                name, language, *_ = line.split("\t")
                said[int(name.split("/")[-1])] = language
    other = cld2(tmp, text)
    all_ = len(given)
    ours = [said[i] for i in range(all_)]
    print("right: %d of %d" % (sum(o == g[0] for o, g in zip(ours, given)), all_))
    wrong = [i for i in range(all_) if ours[i] != given[i][0]]
    print("of the wrong ones \"en\": %d" % sum(ours[i] == "en" for i in wrong))
    if other:
        print("of the wrong ones cld2 says the same of: %d" % sum(
            ours[i] == other[1][i] for i in wrong))
        print("cld2:  %d of %d; the same: %d" % (
            sum(o == g[0] for o, g in zip(other[1], given)), all_,
            sum(a == b for a, b in zip(ours, other[1]))))


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "b"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as tmp:
        given = documents(tmp)
        model = os.path.join(tmp, "model")
        ngram(build, "train", *("%s=%s/train/%s" % (n, tmp, n) for n in CLEAN),
              "--output", model, "--overwrite")
        text = put(tmp, "text", data=b"".join(data for _, data in given))
        verdicts(build, tmp, model, given, text)
        rates(build, tmp, model, text)
        whole(build, tmp, model)


if __name__ == "__main__":
    sys.exit(main())
