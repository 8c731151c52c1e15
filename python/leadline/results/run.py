"""One run of a sweep: its name, its log, and its end."""
import os
import re
import signal
from collections import namedtuple
from typing import Any, List

from leadline.base.errors import LeadlineError
from leadline.base.fields import printable

OWN = re.compile(r"([^\s:]+)( [a-z]+)?: ")   # matches "ldad perf: message"
LAST = 3   # lines of the launcher, if the program itself printed nothing

Run = namedtuple("Run", "config round path command")


def end_on_signals() -> None:
    """Makes signals that end this program also end the ranks and remove its files. That
    includes a closed terminal, unless the caller (nohup) ignores it."""
    for sign in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sign) != signal.SIG_IGN:
            signal.signal(sign, on_end)


def on_end(signum: int, frame: Any) -> None:
    """Handles only the first signal: a second one must not keep it from ending the
    ranks."""
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.SIG_IGN)
    raise KeyboardInterrupt


def check_folder(folder: str) -> None:
    if not os.path.isdir(folder):
        raise LeadlineError("%s: it is not a directory to measure in" % folder)
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        raise LeadlineError("%s: no permission to make files in it" % folder)


def name(run: Run) -> str:
    return os.path.basename(str(run.path))[:-len(".json")]


def log_path(run: Run) -> str:
    return str(run.path)[:-len(".json")] + ".log"


def lines(run: Run) -> List[str]:
    """Returns the non-empty lines of its log."""
    try:
        with open(log_path(run), errors="replace") as stream:
            found = [printable(line.strip()) for line in stream]
    except OSError:
        return []  # a job that never began
    return [line for line in found if re.search(r"\w", line)]


def said(run: Run) -> str:
    """Returns the program's message: its own line, else the launcher's last ones."""
    found = lines(run)
    names = set(map(os.path.basename, run.command[1:]))
    own = [line for line in found for who in [OWN.match(line)]
           if who and who.group(1) in names]
    if own:
        return own[0]
    return " / ".join(found[-LAST:]) or no_room(run) or "it said nothing"


def no_room(run: Run) -> str:
    """Returns why its output was not kept; "" if it could have been."""
    if not os.path.exists(log_path(run)):
        return ""
    with open(log_path(run), "ab", buffering=0) as stream:
        try:
            stream.write(b" " * 4096)
            os.fsync(stream.fileno())
            return ""
        except OSError as why:
            return "what it said could not be kept: %s: %s" % (
                os.path.dirname(run.path) or ".", why.strerror)
        finally:
            stream.truncate(0)


def ending(status: int) -> str:
    """Describes an exit status in words; it is negative if a signal ended the
    process."""
    if status < 0:
        return "ended by signal %d" % -status
    return "exit status %d" % status


def forget(run: Run) -> None:
    """Removes the log, which nobody needs of a good run."""
    if os.path.exists(log_path(run)):
        os.unlink(log_path(run))
