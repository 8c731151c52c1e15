"""Where results go, and how sentences are broken into lines."""
import contextlib
import os
import sys
import tempfile
import textwrap
from typing import Any, Iterable, Iterator

from leadline.errors import LeadlineError
from leadline.fields import printable

WIDTH = 88


def wrap(sentence: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(printable(sentence), WIDTH, initial_indent=first,
                         subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def notes(sentences: Iterable[str]) -> str:
    return "".join(wrap(note, "Note: ", "      ") for note in sentences)


def add_option(parser: Any) -> None:
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="default: standard output")


def fresh(path):
    """A new file to be written, in the place of what is called so; no link there leads
    anywhere else."""
    try:
        if os.path.lexists(path):
            os.unlink(path)
        return open(path, "xb")
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


@contextlib.contextmanager
def replacing(path: str) -> Iterator[Any]:
    """A binary file that takes the place of `path`, whole, when all went well. A link
    there is replaced and not followed; a device or pipe is written to."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            yield stream
        return
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".",
                                         prefix=".leadline-")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~mask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def mask():
    """Of this user's files."""
    found = os.umask(0o077)
    os.umask(found)
    return found


def encoded(text: str) -> bytes:
    """Names of files need not be text; what is not becomes a question mark."""
    return text.encode("utf-8", "replace")


def say(text: str) -> None:
    """To standard output, all of it: nothing of the package is printed otherwise."""
    if sys.stdout is None:
        raise LeadlineError("standard output cannot be written: it is closed")
    try:
        sys.stdout.write(encoded(text).decode("utf-8"))
        sys.stdout.flush()
    except OSError as why:
        give_up_stdout()
        if isinstance(why, BrokenPipeError):  # as in "leadline compare ... | head"
            raise
        raise LeadlineError("standard output cannot be written: %s" % why.strerror)


def give_up_stdout():
    """Or Python tries once more when it ends, and says that in words of its own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write(path: str, text: str) -> None:
    if path is None:
        say(text)
    else:
        write_parts(path, [text])


def write_parts(path, texts):
    """One file of several texts, which need not be in memory together."""
    try:
        with replacing(path) as stream:
            for text in texts:
                stream.write(encoded(text))
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


positive.__name__ = "whole number above 0"
