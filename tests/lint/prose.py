"""Checks texts for the rules of doc/style.md that a program can check. In README, doc,
man, NEWS and the public headers: phrases and terms to avoid, with better ones, and
sentences that are too long. In programs: the same phrases in messages and help texts,
which are strings of several words."""
import ast
import re

from lint import text_of

WORDS_MOST = 50  # words of a sentence, at most
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


STYLE = "doc/style.md"  # it names what to avoid


def pages(every):
    """Returns the texts that must follow the style."""
    return [name for name in every if name != STYLE and re.match(
        r"(README\.md|NEWS|CONTRIBUTING\.md|SECURITY\.md|(doc|examples)/[^/]*\.md|"
        r"man/.*\.[135](\.in)?|include/.*\.h)$", name)]


def of_man(text):
    """Returns a man page without its requests, fonts and escapes, line by line."""
    text = re.sub(r"\\f(\(..|\[[^]]*\]|.)|\\&", "", text).replace("\\-", "-")
    return re.sub(r"^\.(?:\w+ ?|\\\")", "", text, flags=re.M)


def sentences(text):
    """Returns (line, sentence) of the paragraphs of Markdown; neither tables nor
    examples."""
    number = 1
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block.group(0).count("\n"),
                  text, flags=re.M | re.S)
    for paragraph in re.split(r"(\n\s*\n)", text):
        if not re.match(r"\s*(\||    |```|#|<|!)", paragraph):
            for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", paragraph):
                for sentence in SENTENCE.split(item):
                    yield number, sentence
        number += paragraph.count("\n")


def programs(every):
    """Returns the sources whose messages must follow the style."""
    return [name for name in every if re.match(r"(src|python)/.*\.(c|h|cc|py)$", name)]


# A comment, a character or an include; or adjacent strings, which are one.
STRING = r"\"(?:[^\"\\\n]|\\.)*\""
C_PART = re.compile(r"/\*.*?\*/|'(?:\\.|[^'\\])'|^[ \t]*#[ \t]*include[^\n]*|"
                    r"(%s(?:\s*%s)*)" % (STRING, STRING), re.S | re.M)


def strings_of_c(text):
    """Returns (line, string) of each string."""
    for part in C_PART.finditer(text):
        if part.group(1):
            yield (text.count("\n", 0, part.start()) + 1,
                   re.sub(r"\"\s*\"", "", part.group(1)))


def strings_of_python(text):
    """Returns (line, string) of each string except docstrings."""
    tree = ast.parse(text)
    documents = {id(node.value) for node in ast.walk(tree)
                 if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) \
                and id(node) not in documents:
            yield node.lineno, node.value


def avoided(name, lines):
    """Returns faults of (number, text), as texts."""
    return ["%s:%d: \"%s\": %s" % (name, number, hit.group(0), instead)
            for number, text in lines
            for pattern, instead in AVOID for hit in pattern.finditer(text)]


def faults_of_messages(name):
    strings = strings_of_python if name.endswith(".py") else strings_of_c
    return avoided(name, ((number, text) for number, text in strings(text_of(name))
                          if " " in text.strip()))


# The shape of a failure's sentence, to which err_print adds program, rank and file.
ERROR = re.compile(r"\b(err_set|err_usage|err_usage_of|err_tell|text_fail)\(")
SHAPES = [(re.compile(pattern), instead) for pattern, instead in (
    (r"^(?!Python|Parquet|ScaLAPACK)[A-Z][a-z]", "begin in lower case, or with a name"),
    (r"(\.|\\n)$", "no full stop, no end of line: err_print ends it"),
    (r"could not|failed to|unable to|can't|can not|^cannot ",
     "\"X cannot be DONE: WHY\""),
    (r"^rank %d on|\(rank %d|\(file %s|\(offset %l*d", "err_print adds them"),
)]
NAMED = (re.compile(r"^%s: "), "give err_set or err_usage_of the file")
NO_MEMORY = (re.compile(r"^no memory"), "mem_none says so (base/mem.h)")
SAYS_NO_MEMORY = ("src/base/mem.c", "src/outcore/text/modules/job.c")


def sentences_of_errors(name):
    """Returns (line, function, format) of each call that records or tells one."""
    text = text_of(name)
    strings = list(C_PART.finditer(text))
    for call in ERROR.finditer(text):
        for part in strings:
            if part.start() >= call.end() and part.group(1):
                between = text[call.end():part.start()]
                if ";" not in between:
                    yield (text.count("\n", 0, call.start()) + 1, call.group(1),
                           re.sub(r"\"\s*\"", "", part.group(1))[1:-1])
                break


def faults_of_shapes(name):
    """Returns faults of the shape of errors in C, as texts."""
    found = []
    for number, function, sentence in sentences_of_errors(name):
        rules = SHAPES + ([NAMED] if function in ("err_set", "err_usage_of") else [])
        rules += [NO_MEMORY] if name not in SAYS_NO_MEMORY else []
        found += ["%s:%d: \"%s\": %s" % (name, number, sentence[:60], instead)
                  for pattern, instead in rules if pattern.search(sentence)]
    return found


def faults(name):
    """Returns faults of a file, as texts."""
    text = text_of(name)
    if name.startswith("man/"):
        text = of_man(text)
    found = avoided(name, enumerate(text.splitlines(), 1))
    if name.endswith(".md"):
        found += ["%s:%d: a sentence of %d words, from \"%s\" on" % (
            name, number, len(sentence.split()), " ".join(sentence.split()[:6]))
            for number, sentence in sentences(text)
            if len(sentence.split()) > WORDS_MOST]
    return found
