"""A lock that allows one sweep at a time in a folder. Runs inherit it: if leadline
itself was killed, a run that is still going holds it, and the next call waits for that
run's end.
"""
import contextlib
import fcntl
import os
import socket
import sys
import time
from typing import Iterator

from leadline.base.errors import LeadlineError

NAME = ".lock"
LOOK_S = 0.2


def is_alive(text: str) -> bool:
    """True if the leadline that wrote this is alive, or may be, on another host."""
    pid, _, host = text.partition(" ")
    if host != socket.gethostname() or not pid.isdigit():
        return bool(host)
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:   # a file system without locks
        pass
    return True


def take(handle: int, folder: str) -> None:
    told = False
    while not taken(handle):
        holder = os.pread(handle, 200, 0).decode("utf-8", "replace")
        if is_alive(holder):
            raise LeadlineError("%s: another leadline sweep works in it (process %s)"
                                % (folder, holder.replace(" ", " on ")))
        if not told:
            sys.stderr.write("leadline sweep: a run that was left behind still goes "
                             "on: waiting for its end\n")
            told = True
        time.sleep(LOOK_S)


def is_still(handle: int, path: str) -> bool:
    """True if the locked file is still the one with this name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def opened(folder: str) -> int:
    """Opens and takes the lock of a folder."""
    path = os.path.join(folder, NAME)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            take(handle, folder)
            if is_still(handle, path):
                os.ftruncate(handle, 0)
                me = "%d %s" % (os.getpid(), socket.gethostname())
                os.pwrite(handle, me.encode(), 0)
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)   # its holder has just removed it


def remove(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(folder, NAME))


@contextlib.contextmanager
def held(folder: str) -> Iterator[int]:
    """Context manager: holds the lock of a folder, as a descriptor."""
    try:
        handle = opened(folder)
    except OSError as why:
        raise LeadlineError("%s: cannot be locked: %s" % (folder, why.strerror))
    try:
        yield handle
        remove(folder)
    except LeadlineError:   # after an interruption a run may have survived
        remove(folder)
        raise
    finally:
        os.close(handle)
