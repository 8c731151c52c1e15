"""How texts are written: what doc/style.md asks for and a program can see. Of README,
doc, man, NEWS and the public headers: phrases and terms to avoid, with what to write
instead, and sentences that are too long."""
import re

from lint import text_of

WORDS_MOST = 50  # of a sentence
AVOID = [(re.compile(pattern, re.I), instead) for pattern, instead in (
    (r"[,;:] so (is|are|does|do|has|have) (?!not )", "also"),
    (r"\bas many as there are\b", "all, or the number of"),
    (r"\b(is|are) none\b", "is not one, does not exist"),
    (r"\bhide hidden\b|\bhidden hidden\b", "the I/O that can be hidden is hidden"),
    (r"\bworth a look\b", "check"),
    (r"\bso many(eth)?\b|\bso manieth\b", "this many, a number"),
    (r"\bmay be missing, and\b", "is optional; without it"),
    (r"\bsomewhere else each\b", "scattered"),
    (r"before believing\b", "caveats"),
    (r"\bfor ever\b", "forever"),
    (r"\banew\b", "again"),
    (r"\bby mere\b|\bby way of\b", "with, through"),
    (r"\bfrom (its )?begin\b|\bthe begin\b|\btheir begin\b", "start, beginning"),
    (r"\bis reckoned\b|\bare reckoned\b", "is computed"),
    (r"\bcould hide\b.*\bthan you\b", "could have been missed"),
    (r"\banother in each run\b", "0 picks a new one in each run"),
    # terms: doc/style.md has the list
    (r"\bfolders?\b", "directory"),
    (r"\bunder way\b", "in flight (transfers), in progress (runs)"),
    (r"\b(a|one) file for each rank\b|\ba file of each rank\b", "one file per rank"),
    (r"\bplain files?\b(?! systems?)", "regular file"),
)]
SENTENCE = re.compile(r"(?<=[A-Za-z0-9)`'\"%*])[.:!?;](?=\s)")


STYLE = "doc/style.md"  # names what to avoid


def pages(every):
    """The texts that are held to the style."""
    return [name for name in every if name != STYLE and re.match(
        r"(README\.md|NEWS|CONTRIBUTING\.md|SECURITY\.md|(doc|examples)/[^/]*\.md|"
        r"man/.*\.[135]|include/.*\.h)$", name)]


def of_man(text):
    """A man page without its requests, fonts and escapes, line by line."""
    text = re.sub(r"\\f(\(..|\[[^]]*\]|.)|\\&", "", text).replace("\\-", "-")
    return re.sub(r"^\.(?:\w+ ?|\\\")", "", text, flags=re.M)


def sentences(text):
    """(line, sentence) of the paragraphs of Markdown; neither tables nor examples."""
    number = 1
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block.group(0).count("\n"),
                  text, flags=re.M | re.S)
    for paragraph in re.split(r"(\n\s*\n)", text):
        if not re.match(r"\s*(\||    |```|#|<|!)", paragraph):
            for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", paragraph):
                for sentence in SENTENCE.split(item):
                    yield number, sentence
        number += paragraph.count("\n")


def faults(name):
    """What is to be written otherwise, as texts."""
    text = text_of(name)
    if name.startswith("man/"):
        text = of_man(text)
    found = ["%s:%d: \"%s\": %s" % (name, number, hit.group(0), instead)
             for number, line in enumerate(text.splitlines(), 1)
             for pattern, instead in AVOID for hit in pattern.finditer(line)]
    if name.endswith(".md"):
        found += ["%s:%d: a sentence of %d words, from \"%s\" on" % (
            name, number, len(sentence.split()), " ".join(sentence.split()[:6]))
            for number, sentence in sentences(text)
            if len(sentence.split()) > WORDS_MOST]
    return found
