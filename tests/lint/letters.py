# mpi: any
"""The table of letters follows Unicode: a code point below U+0250 whose compatibility
decomposition begins with a Latin letter is that letter.

`letters.py print` writes src/outcore/ngram/letters_table.c anew."""
import sys
import unicodedata

from lint import done, point, text_of

NAME = "src/outcore/ngram/letters_table.c"
POINTS = 0x250
IN_A_LINE = 20


def code_of(number):
    first = unicodedata.normalize("NFKD", chr(number))[0].lower()
    return ord(first) - ord("a") + 1 if "a" <= first <= "z" else 0


def table():
    codes = [code_of(number) for number in range(POINTS)]
    lines = [", ".join("%d" % code for code in codes[at:at + IN_A_LINE])
             for at in range(0, POINTS, IN_A_LINE)]
    return ("/* Made by `tests/lint/letters.py print`. */\n"
            '#include "outcore/ngram/letters.h"\n\n'
            "/* clang-format off */\n"
            "const uint8_t letters_fold[LETTERS_FOLDED] = {\n"
            + "".join("    %s,\n" % line for line in lines)
            + "};\n/* clang-format on */\n")


def main():
    if sys.argv[1:] == ["print"]:
        sys.stdout.write(table())
        return
    point(text_of(NAME) == table(), "the table of letters is that of Python's Unicode")
    point(sum(code_of(number) > 0 for number in range(POINTS)) > 300,
          "which has some")
    done()


main()
