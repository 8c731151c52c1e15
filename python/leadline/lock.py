"""One sweep at a time in a folder. Its runs inherit the lock: where leadline itself was
killed, one that still goes on holds it, and the next call waits for that run's end."""
import contextlib
import fcntl
import os
import socket
import sys
import time

from leadline.errors import LeadlineError

NAME = ".lock"
LOOK_S = 0.2


def is_alive(text):
    """Whether the leadline that wrote this is; one of another host may be."""
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


def taken(handle):
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:   # a file system without locks
        pass
    return True


def take(handle, folder):
    told = False
    while not taken(handle):
        holder = os.pread(handle, 200, 0).decode("utf-8", "replace")
        if is_alive(holder):
            raise LeadlineError("%s: another leadline sweep works in it (process %s)"
                                % (folder, holder.replace(" ", " on ")))
        if not told:
            sys.stderr.write("leadline sweep: a run that was left behind still goes on: "
                             "waiting for its end\n")
            told = True
        time.sleep(LOOK_S)


def is_still(handle, path):
    """Whether the file that is locked is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


@contextlib.contextmanager
def held(folder):
    """The lock of a folder, as a descriptor."""
    path = os.path.join(folder, NAME)
    handle = None
    try:
        while handle is None or not is_still(handle, path):
            if handle is not None:
                os.close(handle)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            take(handle, folder)
        os.ftruncate(handle, 0)
        os.pwrite(handle, ("%d %s" % (os.getpid(), socket.gethostname())).encode(), 0)
        yield handle
        os.unlink(path)
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))
    finally:
        if handle is not None:
            os.close(handle)
