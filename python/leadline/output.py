"""Where results go, and how sentences are broken into lines."""
import sys
import textwrap

from leadline.errors import LeadlineError

WIDTH = 88


def wrap(sentence, first="", rest=""):
    return textwrap.fill(sentence, WIDTH, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False) + "\n"


def notes(sentences):
    return "".join(wrap(note, "Note: ", "      ") for note in sentences)


def add_option(parser):
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="default: standard output")


def write(path, text):
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


positive.__name__ = "whole number above 0"
