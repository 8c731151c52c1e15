"""The modules of outcore text once more, by Python's own means: the expected results.
Texts are bytes; a module's answer is the list of its lines."""
import bisect
import math
import re

PUNCTUATION = set(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
WORD = re.compile(rb"[A-Za-z0-9]+")
TOKEN = re.compile(rb"[A-Za-z0-9\x80-\xff]+|[^ \t-\r]")
SECTIONS = ("TITLE", "AUTHOR", "DATELINE", "DATE", "TOPICS", "BODY", "KEYWORDS", "CRF",
            "MAXENT", "ENTITIES", "PROXIMITY", "TABLE", "DECISION")
SENTENCE = 4096


def parse_lex(lex):
    """Returns {section: bytes} of a .lex, by the description of the format alone."""
    head, rest = lex.split(b"\n", 1)
    assert head.startswith(b"LEX1 "), head
    found = {}
    while rest:
        line, rest = rest.split(b"\n", 1)
        name, size = re.fullmatch(rb"%%([A-Z]+) (\d+)", line).groups()
        found[name.decode()] = rest[:int(size)]
        assert rest[int(size):int(size) + 1] == b"\n", line
        rest = rest[int(size) + 1:]
    assert tuple(found) == SECTIONS, tuple(found)
    return found


def keywords(body, phrases):
    """Finds each phrase by a regular expression of its own, overlapping."""
    found = set()
    for phrase in phrases:
        words = WORD.findall(phrase.lower())
        gap = rb"(?:[^A-Za-z0-9]+)"
        pattern = re.compile(rb"(?<![A-Za-z0-9])(?=(" + gap.join(words)
                             + rb")(?![A-Za-z0-9]))", re.I)
        for match in pattern.finditer(body):
            found.add((match.end(1), match.start(1), b" ".join(words)))
    return [b"%d %d %s" % (start, end, term) for end, start, term in sorted(found)]


def table(body):
    lines = body.split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    numbers = [len(re.findall(rb"[0-9]+(?:[.,][0-9]+)*", line)) for line in lines]
    count = [("bytes", len(body)),
             ("blank", len(re.findall(rb"[ \t-\r]", body))),
             ("upper", len(re.findall(rb"[A-Z]", body))),
             ("lower", len(re.findall(rb"[a-z]", body))),
             ("digits", len(re.findall(rb"[0-9]", body))),
             ("punctuation", sum(byte in PUNCTUATION for byte in body)),
             ("lines", len(lines)),
             ("words", len(re.findall(rb"[^ \t-\r]+", body)))]
    mean = sum(map(len, lines)) / max(len(lines), 1)
    share = sum(n >= 3 for n in numbers) / max(len(lines), 1)
    return [b"%s %d" % (name.encode(), n) for name, n in count] + [
        b"mean_line %.6f" % mean, b"number_lines %.6f" % share]


def decision(lines, share=.25):
    value = {line.split()[0]: float(line.split()[1]) for line in lines}
    visible = value[b"bytes"] - value[b"blank"]
    score = (value[b"digits"] + value[b"punctuation"]) / visible if visible else 0
    is_table = score > share or value[b"number_lines"] > .5
    return [b"%s %.6f" % (b"table" if is_table else b"prose", score)]


def sentences(body):
    """Returns lists of tokens, (start, end) each."""
    now = []
    for match in TOKEN.finditer(body):
        now.append(match.span())
        behind = re.compile(rb"[ \t-\r]*").match(body, match.end())
        ends = match.group() in (b".", b"!", b"?") and (
            behind.end() == len(body)
            or (behind.group() and not body[behind.end():][:1].islower()))
        if ends or len(now) == SENTENCE:
            yield now
            now = []
    if now:
        yield now


def shape(form):
    for pattern, to in ((rb"[A-Z]+", b"A"), (rb"[a-z\x80-\xff]+", b"a"),
                        (rb"[0-9]+", b"0")):
        form = re.sub(pattern, to, form)
    return form


def features(body, sentence):
    """Returns a list for each token; Latin-1, so that each byte is a character."""
    forms = [body[start:end] for start, end in sentence]
    lower = [re.sub(rb"[A-Z]", lambda c: c.group().lower(), form) for form in forms]
    for i, form in enumerate(lower):
        found = [b"w=" + form, b"shape=" + shape(forms[i]), b"p3=" + form[:3],
                 b"s3=" + form[-3:]]
        found += [b"w-1=" + lower[i - 1]] if i else []
        found += [b"w+1=" + lower[i + 1]] if i + 1 < len(lower) else []
        found += [] if i else [b"first"]
        yield [text.decode("latin-1") for text in found]


class Model:
    """labels, {(from, to): weight}, {feature: {label: weight}}"""

    def __init__(self, labels, pairs, states):
        self.labels, self.pairs, self.states = labels, pairs, states

    @classmethod
    def of_crfsuite(cls, info):
        """Makes it from pycrfsuite.Tagger.info(); the order of labels is that of their
        numbers."""
        labels = sorted(info.labels, key=lambda name: int(info.labels[name]))
        states = {}
        for (feature, label), weight in info.state_features.items():
            states.setdefault(feature, {})[label] = weight
        return cls(labels, dict(info.transitions), states)

    def text(self, kind="crf1"):
        lines = [kind, "labels " + " ".join(self.labels)]
        lines += ["t %s %s %r" % (a, b, w) for (a, b), w in sorted(self.pairs.items())]
        lines += ["s %s %s %r" % (feature, label, weight)
                  for feature, of in sorted(self.states.items())
                  for label, weight in sorted(of.items())]
        return ("\n".join(lines) + "\n").encode("latin-1")

    def score(self, found, label):
        total = 0.0
        for feature in found:
            total += self.states.get(feature, {}).get(label, 0.0)
        return total

    def viterbi(self, tokens):
        best, back = None, []
        for found in tokens:
            state = [self.score(found, label) for label in self.labels]
            ways = best and [[best[i] + self.pairs.get((a, b), 0.0)
                              for i, a in enumerate(self.labels)] for b in self.labels]
            back.append(ways and [way.index(max(way)) for way in ways])
            best = [max(way) + s for way, s in zip(ways, state)] if ways else state
        now = best.index(max(best))
        tags = [now]
        for come_from in reversed(back[1:]):
            now = come_from[now]
            tags.append(now)
        return [(self.labels[k], None) for k in reversed(tags)]

    def greedy(self, tokens):
        tags, before = [], None
        for found in tokens:
            found = found + (["label-1=" + before] if before else [])
            state = [self.score(found, label) for label in self.labels]
            top = max(state)
            before = self.labels[state.index(top)]
            tags.append((before, 1 / sum(math.exp(s - top) for s in state)))
        return tags


def type_of(label):
    return None if label == "O" else re.sub("^[BI]-", "", label)


def entities(body, tag):
    """Returns lines of CRF or MAXENT, with tag(features of a sentence) -> [(label,
    p)]."""
    lines = []
    for sentence in sentences(body):
        last, found = None, []
        for span, (label, p) in zip(sentence, tag(list(features(body, sentence)))):
            kind = type_of(label)
            if kind and kind == last and not label.startswith("B-"):
                found[-1][1:3] = [span[1], found[-1][2] + [p]]
            elif kind:
                found.append([span[0], span[1], [p], kind])
            last = kind
        for start, end, ps, kind in found:
            mean = "" if ps[0] is None else " %.4f" % (sum(ps) / len(ps))
            lines.append(("%d %d %s%s" % (start, end, kind, mean)).encode())
    return lines


def unify(found, weights=(.3, .4, .3)):
    votes = {}
    for voter, lines in enumerate(found):
        for line in lines:
            start, end, text = line.split(b" ", 2)
            votes.setdefault((int(start), int(end)), {})[voter] = text
    return [b"%d %d %s %d %s" % (
        start, end, by[1] if 1 in by else by[2].split()[0] if 2 in by else b"TERM",
        len(by), b"%.6g" % sum(weights[voter] for voter in sorted(by)))
        for (start, end), by in sorted(votes.items())]


def proximity(body, lines):
    starts = [match.start() for match in TOKEN.finditer(body)]
    spans = [tuple(map(int, line.split()[:2])) for line in lines]
    before = [[bisect.bisect_left(starts, at) for at in span] for span in spans]
    return [b"%d %d %d" % (i, j, max(before[j][0] - before[i][1], 0))
            for i in range(len(spans)) for j in range(i + 1, len(spans))]
