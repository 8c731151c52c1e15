"""Makes mutants: for each source in a table below, one for every place at which an
operator can be replaced, a constant off by one, a term left out, a condition negated.

    python3 tests/mutants/made.py [FILE...]       prints their names

A mutant's name has no line number: FILE FUNCTION: OLD as NEW, and a number if this
occurs more than once in the function. Comments, texts, preprocessor lines and static
asserts are left alone.
"""
import ast
import bisect
import collections
import fnmatch
import io
import os
import re
import sys
import tokenize

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The sources, and the tests that should detect mutants: programs of tests/unit first,
# then scripts, which need PROGRAMS. The first that fails is enough.
PROGRAMS = ("blocktransfer metabench madbench tests/e2e/manyfiles "
            "tests/fault_shim.so tests/yield_shim.so")
TESTS = (
    ("src/report/*.c", "report phase series queue",
     "blocktransfer output block_options live"),
    ("src/io/fs/*.c", "cache storage engine_faults container",
     "storage blocktransfer metabench"),
    ("src/run/*.c", "measure queue lanes stream blocks local kept storage",
     "blocktransfer block_options many_files metabench lanes kept dry_run live storage "
     "takes"),
    ("src/block/*.c", "block_order block_figures deal",
     "blocktransfer block_options kept lanes dry_run"),
    ("src/metabench/*.c", "metabench_names", "metabench dry_run"),
    ("*/gate.py", "", "python_gate leadline"),
    ("*/trend.py", "", "python_trend python_history leadline"),
    ("*/steps.py", "", "python_steps python_trend"),
    ("*/compare.py", "",
     "python_compare python_matrix python_page python_figure python_factors leadline"),
    ("*/stats.py", "",
     "python_stats python_compare python_gate python_trend python_matrix leadline"),
    ("*/rules.py", "",
     "python_gate python_compare python_stats python_matrix leadline"),
    ("*/rounds.py", "",
     "python_compare python_gate python_matrix python_page python_figure leadline"),
)

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "and": "or", "or": "and", "+=": "=", "-=": "=",
    "fmin": "fmax", "fmax": "fmin", "min(": "max", "max(": "min",
    "MPI_SUM": "MPI_MAX", "MPI_MAX": "MPI_SUM MPI_MIN", "MPI_MIN": "MPI_MAX",
    "MPI_MAXLOC": "MPI_MINLOC", "MPI_MINLOC": "MPI_MAXLOC",
    "MPI_LAND": "MPI_LOR", "MPI_LOR": "MPI_LAND",
    "1e9": "1e6", "1e6": "1048576", "1e3": "1e6", "1e-9": "1e-6", "1e-6": "1e-9",
    "1e-3": "1e-6", "1024": "1000", "1000": "1024",
}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = set(OPENS.values())
BESIDE = {",", ";", "=", "+=", "-=", "|=", "&=", "return", "?", ":", "case"}
TELLS = {"err_set", "err_report"}  # their numbers belong to a sentence

C_TOKEN = re.compile(r"""
    (?P<skip> /\*.*?\*/ | //[^\n]* | ^[ \t]*\#(?: /\*.*?\*/ | \\\n | [^\n])* | \s+)
  | (?P<text> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
  | (?P<number> \.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<name> [A-Za-z_]\w*)
  | (?P<sign> <<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-<>=!+*/%&|^]=|\.\.\.|.)
    """, re.X | re.S | re.M)

Token = collections.namedtuple("Token", "kind text begin end")
Change = collections.namedtuple("Change", "begin end new said")
Mutant = collections.namedtuple("Mutant", "name file begin end new")


# ---- tokens --------------------------------------------------------------------


def c_tokens(text):
    return [Token(m.lastgroup, m.group(), m.start(), m.end())
            for m in C_TOKEN.finditer(text) if m.lastgroup != "skip"]


def python_tokens(text):
    kinds = {tokenize.OP: "sign", tokenize.NAME: "name", tokenize.NUMBER: "number",
             tokenize.STRING: "text"}
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    return [Token(kinds[t.type], t.string, starts[t.start[0] - 1] + t.start[1],
                  starts[t.end[0] - 1] + t.end[1])
            for t in tokenize.generate_tokens(io.StringIO(text).readline)
            if t.type in kinds]


def c_functions(tokens, pair):
    """Returns the begin of each function, and its name; "file" is the code between
    them."""
    found, at = [(0, "file")], 0
    while at < len(tokens):
        if tokens[at].text == "{" and tokens[at - 1].text == ")":
            name = tokens[pair[at - 1] - 1].text
            found += [(tokens[at].begin, name), (tokens[pair[at]].end, "file")]
        at = pair[at] + 1 if tokens[at].text == "{" else at + 1
    return found


def python_functions(text):
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    found = [(0, "file")]
    for node in ast.parse(text).body:
        for inner in ast.walk(node) if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                found += [(starts[inner.lineno - 1], inner.name),
                          (starts[inner.end_lineno], "file")]
    return sorted(found)


def pairs(tokens):
    """Returns {index of a bracket: index of the matching one}."""
    found, open_ones = {}, []
    for i, token in enumerate(tokens):
        if token.text in OPENS:
            open_ones.append(i)
        elif token.text in CLOSES and open_ones:
            found[i] = open_ones.pop()
            found[found[i]] = i
    return found


# ---- changes of one source -----------------------------------------------------


class Source:
    def __init__(self, text, is_python):
        self.text, self.is_python = text, is_python
        self.tokens = python_tokens(text) if is_python else c_tokens(text)
        self.pair = pairs(self.tokens)
        self.functions = (python_functions(text) if is_python else
                          c_functions(self.tokens, self.pair))

    def word(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def said(self, first, end):
        """Returns tokens as one text without line breaks."""
        return " ".join(self.text[self.tokens[first].begin:
                                  self.tokens[end - 1].end].split())

    def left_alone(self):
        """Returns indices within static asserts."""
        found = set()
        for i, token in enumerate(self.tokens):
            if token.text in ("_Static_assert", "static_assert"):
                found.update(range(i, self.pair[i + 1] + 1))
        return found

    def changes(self):
        alone = self.left_alone()
        for i, token in enumerate(self.tokens):
            if i not in alone:
                yield from self.swapped(i)
                yield from self.one_off(i)
                yield from self.dropped(i)
                yield from self.negated(i)

    def swapped(self, i):
        token = self.tokens[i]
        word = token.text
        if word in ("min", "max"):
            word += "(" if self.word(i + 1) == "(" and self.word(i - 1) != "." else ""
        if word in TURNED and self.chooses(i):
            yield change(token, TURNED[word])
        elif token.kind != "text":
            for new in SWAPS.get(word, "").split():
                yield change(token, new)

    def one_off(self, i):
        token = self.tokens[i]
        if not re.fullmatch(r"0|[1-9]\d*", token.text) or token.text in SWAPS:
            return
        if self.is_size(i) or self.tells(i):
            return
        n = int(token.text)
        if self.word(i - 1) != "-" or self.is_binary(i - 1):
            yield change(token, str(n + 1))
        if n:
            yield change(token, str(n - 1))

    def is_size(self, i):
        """Returns True for the size of an array that is declared here."""
        before = self.tokens[i - 3] if i > 2 else None
        return (not self.is_python and self.word(i - 1) == "[" and before and
                (before.kind == "name" or before.text in "*,") and
                before.text not in BESIDE and
                self.text[before.end:self.tokens[i - 2].begin] != "")

    def tells(self, i):
        """Returns True if it is an argument of a function that reports an error."""
        depth = 0
        while i > 0 and self.word(i) not in (";", "}"):
            depth += (self.word(i) == "(") - (self.word(i) == ")")
            if depth == 1:
                return self.word(i - 1) in TELLS
            i -= 1
        return False

    def is_binary(self, i):
        """Returns True for a sign with blanks on both sides, which joins two
        operands."""
        before, token, after = self.tokens[i - 1:i + 2]
        return before.end < token.begin and token.end < after.begin

    def dropped(self, i):
        word = self.word(i)
        if word not in ("+", "-", "*", "/", "//") or not 0 < i < len(self.tokens) - 1:
            return
        around = (self.tokens[i - 1], self.tokens[i + 1])
        if not self.is_binary(i) or any(token.kind == "text" for token in around):
            return
        end = self.term_end(i + 1) if word in "+-" else self.factor_end(i + 1)
        yield Change(self.tokens[i - 1].end, self.tokens[end - 1].end, "",
                     "%s dropped" % self.said(i, end))

    def term_end(self, i):
        i = self.factor_end(i)
        while self.word(i) in ("*", "/", "%", "//") and self.is_binary(i):
            i = self.factor_end(i + 1)
        return i

    def factor_end(self, i):
        """Returns the index behind the factor that begins at i."""
        while (self.word(i) in ("-", "!", "~", "*", "&", "not") or
               self.word(i) == "sizeof" and self.word(i + 1) != "("):
            i += 1
        if self.word(i) == "(" and not self.is_python:
            after = self.tokens[self.pair[i] + 1]
            if after.kind in ("name", "number"):  # a cast
                return self.factor_end(self.pair[i] + 1)
        i = self.pair[i] + 1 if self.word(i) in OPENS else i + 1
        while self.word(i) in ("(", "[", ".", "->", "**"):
            if self.word(i) == "**":
                return self.factor_end(i + 1)
            i = self.pair[i] + 1 if self.word(i) in OPENS else i + 2
        return i

    def negated(self, i):
        """Yields negations of the condition of an if, and of that before a question
        mark."""
        word = self.word(i)
        if self.is_python and word in ("if", "elif"):
            first, end = i + 1, self.python_end(i + 1)
        elif not self.is_python and word == "if":
            first, end = i + 2, self.pair[i + 1]
        elif not self.is_python and word == "?":
            first, end = self.before(i), i
        else:
            return
        if self.is_one_comparison(first, end):
            return
        begin, stop = self.tokens[first].begin, self.tokens[end - 1].end
        yield Change(begin, stop, ("not (%s)" if self.is_python else "!(%s)") %
                     self.text[begin:stop], "%s negated" % self.said(first, end))

    def python_end(self, i):
        """Returns the index behind the condition at i: a colon, an else, or the end of
        what is around."""
        while self.word(i) not in (":", "else", "for", "if", ",") and (
                self.word(i) not in CLOSES):
            i = self.pair[i] + 1 if self.word(i) in OPENS else i + 1
        return i

    def before(self, i):
        """Returns the begin of the expression that ends before i: behind an assignment
        or an open bracket."""
        while self.word(i - 1) not in BESIDE and self.word(i - 1) not in OPENS:
            i = self.pair[i - 1] if self.word(i - 1) in CLOSES else i - 1
        return i

    def is_one_comparison(self, first, end):
        """Returns True if another mutant is equivalent: = compared with != or, if it
        chooses the smaller or larger, the reverse."""
        signs, i = [], first
        while i < end:
            signs.append((self.word(i), i))
            i = self.pair[i] + 1 if self.word(i) in OPENS else i + 1
        if any(word in ("&&", "||", "and", "or", "not", "?") for word, _i in signs):
            return False
        return any(word in ("==", "!=") or word in TURNED and self.chooses(i)
                   for word, i in signs)

    def chooses(self, i):
        """Returns True if this comparison chooses the smaller or the larger of both, so
        that for equal ones the choice makes no difference."""
        if self.is_python:
            return False
        first, end = self.before(i), i
        while self.word(end) not in ("?", ")", ";", "&&", "||", ",", ""):
            end = self.pair[end] + 1 if self.word(end) in OPENS else end + 1
        sides = {self.said(first, i), self.said(i + 1, end)}
        if self.word(end) == "?":
            return self.branches(end) == sides
        return (self.word(end) == ")" and self.word(self.pair[end] - 1) == "if" and
                self.assigned(end + 1) == sides)

    def branches(self, i):
        """Returns both sides of the colon that belongs to the question mark at i."""
        colon = end = i
        while self.word(colon) not in (":", ";", ""):
            colon = self.pair[colon] + 1 if self.word(colon) in OPENS else colon + 1
        end = colon + 1
        while not (self.word(end) in (";", ",", "", "?") or self.word(end) in CLOSES):
            end = self.pair[end] + 1 if self.word(end) in OPENS else end + 1
        return {self.said(i + 1, colon), self.said(colon + 1, end)}

    def assigned(self, i):
        """Returns both sides of the assignment that begins at i."""
        sign = i
        while self.word(sign) not in ("=", ";", "{", "("):
            sign += 1
        end = sign
        while self.word(end) not in (";", "{", ""):
            end += 1
        return {self.said(i, sign), self.said(sign + 1, end)} if end > sign else set()

    def function_at(self, offset):
        begins = [begin for begin, _name in self.functions]
        return self.functions[bisect.bisect_right(begins, offset) - 1][1]


def change(token, new):
    return Change(token.begin, token.end, new, "%s as %s" % (token.text, new))


# ---- mutants -------------------------------------------------------------------


def mutants_of(file, text):
    source, seen, found = Source(text, file.endswith(".py")), collections.Counter(), []
    for c in source.changes():
        name = "%s %s: %s" % (file, source.function_at(c.begin), c.said)
        seen[name] += 1
        number = ", %d" % seen[name] if seen[name] > 1 else ""
        found.append(Mutant(name + number, file, c.begin, c.end, c.new))
    return found


def row_of(file):
    """Returns the row of TESTS for a file, or None."""
    rows = [row for row in TESTS if fnmatch.fnmatch(file, row[0])
            if row[0].startswith("src") or file.startswith("python/leadline/")]
    return rows[-1] if rows else None


def tests_of(file):
    _pattern, programs, scripts = row_of(file)
    return (["tests/unit/" + name for name in programs.split()] +
            ["tests/%s/%s.py" % ("unit" if name.startswith("python_") else "e2e", name)
             for name in scripts.split()])


def all_mutants(files):
    found = []
    for file in sorted(file for file in files if row_of(file)):
        with open(os.path.join(TOP, file), encoding="utf-8") as f:
            found += mutants_of(file, f.read())
    return found


def main():
    for mutant in all_mutants(sys.argv[1:]):
        print(mutant.name)


if __name__ == "__main__":
    main()
