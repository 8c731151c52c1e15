"""Less memory than the machine has, by a control group of its own (as root).

    with memory_group.limited(bytes_) as group:
        subprocess.run(command, preexec_fn=group.enter)      or
        subprocess.run(group.inside(command))

Page cache counts, and swap does not help. The controller for memory may be that of
cgroup version 1 or 2. Whatever the group still holds at the end is killed with it.
"""
import contextlib
import os
import signal
import sys
import time

PATIENCE_S = 60  # a process that waits for a slow disk dies when that has answered


class Version1:
    root = "/sys/fs/cgroup/memory"
    there = root + "/memory.limit_in_bytes"
    limits = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
    swap = None
    anonymous, kills = ("memory.stat", "rss"), ("memory.oom_control", "oom_kill")


class Version2:
    root = "/sys/fs/cgroup"
    there = root + "/cgroup.subtree_control"
    limits = ("memory.max",)
    swap = "memory.swap.max"
    anonymous, kills = ("memory.stat", "anon"), ("memory.events", "oom_kill")


def version():
    """The one whose controller limits memory here; ends the program without any."""
    found = next((v for v in (Version1, Version2) if os.path.exists(v.there)), None)
    if os.geteuid() or not found:
        sys.exit("%s: a limit of memory needs root and a control group of the kernel "
                 "in %s or %s" % (os.path.basename(sys.argv[0]), Version1.root,
                                  Version2.root))
    return found


class Group:
    def __init__(self, bytes_):
        self.version = version()
        self.path = "%s/leadline-%d" % (self.version.root, os.getpid())
        self.bytes = bytes_

    def make(self):
        if self.version is Version2:
            self.write("../cgroup.subtree_control", "+memory")
        for name in self.version.limits:
            if os.path.exists(os.path.join(self.path, name)):
                self.write(name, self.bytes)
        if self.version.swap:
            self.write(self.version.swap, 0)

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w", encoding="ascii") as f:
            f.write(str(value))

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="ascii") as f:
            return f.read()

    def enter(self):
        """In a child, before it is another program."""
        self.write("cgroup.procs", os.getpid())

    def inside(self, command):
        return ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', self.path,
                *command]

    def members(self):
        return [int(pid) for pid in self.read("cgroup.procs").split()]

    def count(self, which):
        name, key = which
        return int(dict(line.split() for line in self.read(name).splitlines())[key])

    def anonymous(self):
        """Bytes that are no page cache, now."""
        return self.count(self.version.anonymous)

    def kills(self):
        """Processes that the kernel has killed, as memory was short."""
        return self.count(self.version.kills)

    def remove(self):
        deadline = time.monotonic() + PATIENCE_S
        while self.members():
            for pid in self.members():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        os.rmdir(self.path)


@contextlib.contextmanager
def limited(bytes_):
    """A group that is gone afterwards."""
    group = Group(bytes_)
    os.mkdir(group.path)
    try:
        group.make()
        yield group
    finally:
        group.remove()
