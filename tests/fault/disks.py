"""Private file systems of a test, which end with it (tests/run gives it mounts of its
own)."""
import contextlib
import fcntl
import os
import struct
import subprocess
import time
import unittest

EXT4_SHUTDOWN = 0x8004587D
AT_ONCE = 2  # the journal's memory is lost
MKFS = {"ext4": ("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal"),
        "xfs": ("mkfs.xfs", "-q", "-f"), "btrfs": ("mkfs.btrfs", "-q", "-f")}
SIZE = {"ext4": 64 << 20, "xfs": 320 << 20, "btrfs": 256 << 20}


def tool(*command):
    """Runs a system command; a test whose command is missing is left out."""
    env = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as e:
        raise unittest.SkipTest("%s: %s" % (command[0], e.strerror))
    if done.returncode:
        raise unittest.SkipTest("%s fails here: %s" % (
            command[0], done.stdout.decode("utf-8", "replace").strip()[-120:]))


def mount(at, *options):
    if not os.environ.get("LEADLINE_MOUNTS"):
        raise unittest.SkipTest("mounting a file system is not allowed here")
    tool("mount", *options, at)


def unmount(at):
    subprocess.call(["umount", "-l", at], stderr=subprocess.DEVNULL)


def make_image(image, kind, *options):
    with open(image, "wb") as f:
        f.truncate(SIZE[kind])
    tool(*MKFS[kind], *options, image)


@contextlib.contextmanager
def mounted(at, *options):
    mount(at, *options)
    try:
        yield
    finally:
        unmount(at)


def memory(at, options):
    """Makes a file system in memory: full, small, or for few files."""
    return mounted(at, "-t", "tmpfs", "-o", options, "none")


@contextlib.contextmanager
def image(at, kind):
    """Makes a small one of its kind, in a file beside it."""
    path = at + ".image"
    make_image(path, kind)
    try:
        with mounted(at, "-o", "loop", path):
            yield
    finally:
        os.unlink(path)


@contextlib.contextmanager
def sectors(at, size):
    """One on a device of sectors of so many bytes."""
    path = at + ".image"
    make_image(path, "ext4", "-b", "4096")
    for n in range(64):
        device = "/dev/loop%d" % n
        if not subprocess.call(["losetup", "-b", str(size), device, path],
                               stderr=subprocess.DEVNULL):
            break
    else:
        raise unittest.SkipTest("no loop device of sectors of %d bytes" % size)
    try:
        with mounted(at, device):
            yield
    finally:
        subprocess.call(["losetup", "-d", device])
        os.unlink(path)


@contextlib.contextmanager
def thin(at, room):
    """Makes a file system that promises more than its device has: the sync reports
    it."""
    below = at + ".below"
    path = os.path.join(below, "image")
    os.mkdir(below)
    with memory(below, "size=64m"):
        make_image(path, "ext4")
        used = os.stat(path).st_blocks * 512
        mount(below, "-o", "remount,size=%d" % (used + room), "none")
        with mounted(at, "-o", "loop", path):
            yield
    os.rmdir(below)


@contextlib.contextmanager
def quota(at, room):
    """Makes one on which this folder may take so many bytes."""
    with image(at, "btrfs"):
        tool("btrfs", "quota", "enable", at)
        tool("btrfs", "qgroup", "limit", str(room), at)
        yield


@contextlib.contextmanager
def read_only(at, kind):
    with image(at, kind):
        mount(at, "-o", "remount,ro")
        yield


@contextlib.contextmanager
def passthrough(at, fault, names, *cached):
    """Makes one whose calls fail as `fault` says, on files with `names` in their path.
    It is in Python, with Debian's fusepy, which not every Python has."""
    program = os.path.join(os.path.dirname(__file__), "passthrough.py")
    below = at + ".below"
    os.mkdir(below)
    if not os.environ.get("LEADLINE_MOUNTS"):
        raise unittest.SkipTest("mounting a file system is not allowed here")
    server = subprocess.Popen(["/usr/bin/python3", program, below, at, fault, names,
                               *cached],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
    try:
        while not os.path.ismount(at):
            if server.poll() is not None:
                why = server.stderr.read().decode("utf-8", "replace").strip()
                raise unittest.SkipTest("FUSE fails here: " + why[-120:])
            time.sleep(0.01)
        yield
    finally:
        server.kill()  # first, as it frees processes that wait for it in vain
        server.communicate()
        unmount(at)


def shut_down(at):
    """Shuts a file system down, as when its device has gone."""
    fd = os.open(at, os.O_RDONLY)
    try:
        fcntl.ioctl(fd, EXT4_SHUTDOWN, struct.pack("I", AT_ONCE))
    finally:
        os.close(fd)
