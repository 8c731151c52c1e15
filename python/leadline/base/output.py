"""Writes results to files and standard output, and breaks sentences into lines."""
import contextlib
import errno
import os
import signal
import stat
import sys
import tempfile
import textwrap
from typing import Any, BinaryIO, Iterable, Iterator

from leadline.base.errors import LeadlineError
from leadline.base.fields import printable

WIDTH = 88


def wrap(sentence: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(printable(sentence), WIDTH, initial_indent=first,
                         subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False) + "\n"


def notes(sentences: Iterable[str]) -> str:
    return "".join(wrap(note, "Note: ", "      ") for note in sentences)


def place(path: str) -> Any:
    """Applies the rule for file names from the user (doc/report-schema.md, "Files that
    the user names"). Returns the path of the regular file to make or to replace, which
    is never a link; or the number of an open descriptor of that file; or None for a
    pipe or device, which is written to. OSError: the name is refused."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise OSError(errno.ENOENT, "it is a symbolic link that leads to nothing, "
                          "and not a regular file")
        return path
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode):
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it exists and is not a regular file")
    for fd in (1, 2):   # later output to that descriptor must not be lost
        if same_file(fd, found):
            return fd
    if not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return os.path.realpath(path)


def same_file(fd: int, found: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), found)
    except OSError:
        return False


def fresh(path: str) -> BinaryIO:
    """Creates a file under a name of the suite's own, replacing any; a link there is
    not followed."""
    try:
        if os.path.lexists(path):
            os.unlink(path)
        return open(path, "xb")
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


@contextlib.contextmanager
def replacing(path: str) -> Iterator[Any]:
    """Context manager: a binary file under the user's name, by the rule of `place`. A
    regular file is replaced as a whole, and only on success."""
    found = place(path)
    if isinstance(found, str):
        with replacing_own(found) as stream:
            yield stream
        return
    sys.stdout.flush()
    handle = (os.open(path, os.O_WRONLY | os.O_NOCTTY) if found is None
              else os.dup(found))
    with os.fdopen(handle, "wb") as stream:
        yield stream


@contextlib.contextmanager
def replacing_own(path: str) -> Iterator[Any]:
    """Like `replacing`, under a name of the suite's own: a link there is replaced and
    not followed."""
    with ended_by_signals():
        with beside(path) as stream:
            yield stream


@contextlib.contextmanager
def beside(path: str, new: bool = False) -> Iterator[BinaryIO]:
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".",
                                         prefix=".leadline-")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            # the old file stays until the new one is complete
            if os.path.exists(path):
                os.fsync(handle)
        os.chmod(temporary, 0o666 & ~mask())
        if new:
            name_new(temporary, path)
        else:
            os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def name_new(temporary: str, path: str) -> None:
    """Renames a file to a name that must be free, also if others want the same one."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:     # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(temporary, path)
        return
    os.unlink(temporary)


def end(number: int, _frame: Any) -> None:
    raise SystemExit(128 + number)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Makes signals that would end the process at once raise SystemExit, so that
    unfinished files are removed."""
    changed = []
    try:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, end)
                changed.append(number)
    except ValueError:      # only the main thread may do this
        pass
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def mask() -> int:
    """Returns the permissions of this user's new files."""
    found = os.umask(0o077)
    os.umask(found)
    return found


def encoded(text: str) -> bytes:
    """Encodes a text; what cannot be encoded, as in names of files, becomes a question
    mark."""
    return text.encode("utf-8", "replace")


def say(text: str) -> None:
    """Prints all of it to standard output; the package prints nothing in any other
    way."""
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


def give_up_stdout() -> None:
    """Closes stdout; otherwise Python tries to flush it at exit, and prints an error of
    its own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write(path: str, text: str) -> None:
    if path is None:
        say(text)
    else:
        write_parts(path, [text])


def write_new(path: str, text: str) -> None:
    """Writes a file that must not exist yet; FileExistsError if it does."""
    try:
        with ended_by_signals(), beside(path, new=True) as stream:
            stream.write(encoded(text))
    except FileExistsError:
        raise
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


def write_parts(path: str, texts: Iterable[str]) -> None:
    """Writes several texts to one file; they need not be in memory together."""
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
