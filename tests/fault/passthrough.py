#!/usr/bin/env python3
"""A file system (FUSE) that passes everything on to a folder, and lies or fails at a
chosen place: for transfers that no preloaded library sees, by io_uring, libaio, and
libraries with threads of their own.

    passthrough.py FOLDER MOUNTPOINT CALL:ACTION:K[+] TEXT [cached]

The arguments have the meaning of FAULT and FAULT_FILE of tests/fault_shim.c, for all
ranks together, and for transfers of at least a KiB: smaller ones are of libraries
themselves. "cached": through the page cache, without which no file can be mapped. It
ends when it is unmounted.

read:stale:K gives what the same read has got first; fsync:lost:K does nothing.
It can also lie about names: readdir:lost:K leaves out the K-th name listed,
readdir:twice:K lists it twice; getattr:stale:K reports that a file with bytes has none;
unlink:lost:K, rename:lost:K, chmod:lost:K and setxattr:lost:K do nothing; create:lost:K
removes the file when it is closed, create:mode:K gives it another mode, rename:zero:K
empties it of its bytes, link:copy:K makes a copy, symlink:flip:K leads elsewhere, and
getattr:links:K counts a name too many. K% is each K-th; slow waits 20 ms there, and
a number as action, as in opens:3030:1%, waits for this number of microseconds. "opens"
counts opens of existing files and of new ones."""
import errno
import os
import shutil
import stat
import sys
import threading
import time

import fusepy


LEAST = 1024


def asked(call):
    """Decides each time, for lies about names."""
    if call not in ("getattr", "readdir", "unlink", "rename", "create", "chmod", "link",
                    "symlink", "setxattr"):
        return {}
    return {"attr_timeout": 0, "entry_timeout": 0, "negative_timeout": 0}


class Fault:
    def __init__(self, text, names):
        self.call, self.action, k = text.split(":")
        self.on, self.each = k.endswith("+"), k.endswith("%")
        self.k = int(k.rstrip("+%"))
        self.names, self.seen, self.lock = names, 0, threading.Lock()

    def due(self, call, path, size=LEAST):
        if call != self.call or self.names not in path or size < LEAST:
            return None
        with self.lock:
            self.seen += 1
            hit = (self.seen % self.k == 0 if self.each else
                   self.seen == self.k or (self.on and self.seen > self.k))
        if hit and hasattr(errno, self.action):
            raise fusepy.FuseOSError(getattr(errno, self.action))
        if hit and self.action == "hang":
            time.sleep(12)  # the kernel lets no process go before it is answered
        if hit and self.action.isdigit():
            wait_us(int(self.action))
        if hit and self.action == "slow":
            time.sleep(0.02 if self.each else 0.1)
        return self.action if hit else None


def wait_us(us):
    """Waits. Sleeping takes some 60 us longer than requested: the last of it is a busy
    wait."""
    until = time.monotonic() + us * 1e-6
    time.sleep(max(us * 1e-6 - 2e-4, 0))
    while time.monotonic() < until:
        pass


def flipped(data):
    return bytes([data[0] ^ 1]) + data[1:]


def emptied(path):
    """Makes its bytes zeros, as if it had not been written to."""
    st = os.stat(path)
    with open(path, "r+b") as f:
        f.write(bytes(st.st_size))
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))


class PassThrough(fusepy.Operations):
    use_ns = True

    def __init__(self, folder, fault):
        self.folder, self.fault = folder, fault
        self.doomed = set()  # files that are lost when they are closed
        self.first = {}  # what each read has got first, for stale ones

    def __call__(self, op, path, *args):
        return super().__call__(op, self.folder + path, *args)

    def create(self, path, mode, fi=None):
        self.fault.due("open", path)
        self.fault.due("opens", path)
        action = self.fault.due("create", path)
        if action == "lost":
            self.doomed.add(path)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL,
                       mode ^ 0o4 if action == "mode" else mode)

    def open(self, path, flags):
        self.fault.due("opens", path)
        flags &= os.O_ACCMODE | os.O_TRUNC
        if flags & os.O_ACCMODE == os.O_WRONLY:  # flip reads the old contents
            flags = flags & ~os.O_ACCMODE | os.O_RDWR
        return os.open(path, flags)

    def read(self, path, size, offset, fh):
        action = self.fault.due("read", path, size)
        if action == "zero":
            return b""
        data = os.pread(fh, size // 2 if action == "half" else size,
                        offset + 4096 * (action == "shift"))
        if action == "stale":
            data = self.first.setdefault((path, offset, size), data)
        return flipped(data) if action == "flip" and data else data

    def write(self, path, data, offset, fh):
        action = self.fault.due("write", path, len(data))
        if action == "zero":
            return 0
        if action == "lost":
            return len(data)
        if action == "half":
            data = data[:max(1, len(data) // 2)]
        return os.pwrite(fh, flipped(data) if action == "flip" else data,
                         offset + 4096 * (action == "shift"))

    def fsync(self, path, datasync, fh):
        if self.fault.due("fsync", path) != "lost":
            os.fsync(fh)

    def flush(self, path, fh):
        self.fault.due("close", path)
        if path in self.doomed:
            self.doomed.remove(path)
            os.unlink(path)

    def release(self, path, fh):
        os.close(fh)

    def truncate(self, path, length, fh=None):
        os.truncate(path if fh is None else fh, length)

    def getattr(self, path, fh=None):
        st = os.lstat(path)
        found = {key: getattr(st, key) for key in (
            "st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_ino")}
        for key in ("st_atime", "st_mtime", "st_ctime"):
            found[key] = getattr(st, key + "_ns")
        if stat.S_ISREG(st.st_mode) and st.st_size:
            action = self.fault.due("getattr", path)
            if action == "stale":
                found["st_size"] = 0
            found["st_nlink"] += action == "links"
        return found

    def statfs(self, path):
        st = os.statvfs(path)
        return {key: getattr(st, key) for key in (
            "f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree",
            "f_files", "f_flag", "f_frsize", "f_namemax")}

    def readdir(self, path, fh):
        names = [".", ".."]
        times = {"lost": 0, "twice": 2}
        for name in os.listdir(path):
            action = self.fault.due("readdir", path + "/" + name)
            names += [name] * times.get(action, 1)
        return names

    def mkdir(self, path, mode):
        os.mkdir(path, mode)

    def rmdir(self, path):
        os.rmdir(path)

    def unlink(self, path):
        if self.fault.due("unlink", path) != "lost":
            os.unlink(path)

    def rename(self, old, new):
        action = self.fault.due("rename", old)
        if action != "lost":
            os.rename(old, self.folder + new)
        if action == "zero":
            emptied(self.folder + new)

    def link(self, target, source):
        copy = self.fault.due("link", target) == "copy"
        (shutil.copy2 if copy else os.link)(self.folder + source, target)

    def symlink(self, target, source):
        flip = self.fault.due("symlink", target) == "flip"
        os.symlink(source + "x" if flip else source, target)

    def readlink(self, path):
        return os.readlink(path)

    def setxattr(self, path, name, value, options, position=0):
        if self.fault.due("setxattr", path) != "lost":
            os.setxattr(path, name, value, options)

    def getxattr(self, path, name, position=0):
        return os.getxattr(path, name)

    def access(self, path, mode):
        if not os.access(path, mode):
            raise fusepy.FuseOSError(errno.EACCES)

    def chmod(self, path, mode):
        if self.fault.due("chmod", path) != "lost":
            os.chmod(path, mode)

    def utimens(self, path, times=None):
        os.utime(path, ns=times)


if __name__ == "__main__":
    FOLDER, AT, WHAT, NAMES, *CACHED = sys.argv[1:]
    fusepy.FUSE(PassThrough(FOLDER, Fault(WHAT, NAMES)), AT, foreground=True,
                direct_io=not CACHED, use_ino=True, **asked(WHAT.split(":")[0]))
