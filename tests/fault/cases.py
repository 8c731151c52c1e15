"""The tables of the campaign: programs, ways to their files, faults.

The kind of a way tells which faults can hit it, and how the error is named:
    libc      transfers are calls of the C library, and the error's name is known
    kernel    transfers are the kernel's (io_uring, libaio, mapped files): only real
              faults hit them
    library   an MPI or HDF5 library is between: it reports less than it knows
    aio       an MPI library, whose transfers are made by threads within libc
"""
import collections
import itertools
import os

from e2e import ASYNCHRONOUS, FLAVOUR, HDF5, ROMIO

# ---- programs -------------------------------------------------------------------

Way = collections.namedtuple("Way", "name kind args launcher")
# line: a command that runs for a moment; endless, large: options that make it run until
# it is ended, or write megabytes; files: part of the paths that the shim makes faults
# for
Program = collections.namedtuple("Program", "name np line endless large files ways")


def way(name, kind, *args, launcher=()):
    return Way(name, kind, args, launcher)


def everywhere(filetype="--filetype="):
    """Returns the common part of madbench and blocktransfer."""
    found = [
        way("posix-unique", "libc", filetype + "UNIQUE"),
        way("posix-shared", "libc", filetype + "SHARED"),
        way("partitioned", "libc", filetype + "PARTITIONED"),
        way("threads", "libc", "--iomethod=threads", filetype + "SHARED"),
        way("mpi-unique", "library", "--iomethod=MPI", filetype + "UNIQUE"),
        way("mpi-shared", "library", "--iomethod=MPI", filetype + "SHARED"),
        way("mpi-collective", "library", "--iomethod=MPI", filetype + "SHARED",
            "--collective"),
    ]
    if FLAVOUR == "openmpi":
        found += [
            way("romio-shared", "library", "--iomethod=MPI", filetype + "SHARED",
                launcher=ROMIO),
            way("romio-collective", "library", "--iomethod=MPI", filetype + "SHARED",
                "--collective", launcher=ROMIO)]
    if HDF5:
        found += [way("hdf5-shared", "library", "--iomethod=HDF5", filetype + "SHARED")]
    found += [way(name, "kernel", "--iomethod=" + name, filetype + "SHARED")
              for name in ASYNCHRONOUS if name != "threads"]
    return found + [way("mmap", "kernel", "--iomethod=mmap", filetype + "SHARED")]


MADBENCH = everywhere() + [
    way("threads-async", "libc", "--iomethod=threads", "--iomode=ASYNC"),
    way("mpi-async", "aio", "--iomethod=MPI", "--iomode=ASYNC"),
] + [way(name + "-async", "kernel", "--iomethod=" + name, "--iomode=ASYNC",
         "--filetype=SHARED", *(("--cache=direct",) if name == "libaio" else ()))
     for name in ASYNCHRONOUS if name != "threads"]

LDAD = [way("independent", "library", "--io=independent"),
        way("collective", "library", "--io=collective"),
        way("unique", "libc", "--io=unique", "--iomethod=POSIX"),
        way("partitioned", "libc", "--io=partitioned", "--iomethod=POSIX")]
LDAD += [way("hdf5", "library", "--io=hdf5")] if HDF5 else []

PFMLOAD = [way("serial", "libc", "--scheme=serial"),
           way("D-threaded", "libc", "--scheme=D-threaded"),
           way("E", "libc", "--scheme=E"), way("G", "libc", "--scheme=G"),
           way("G-mpi", "library", "--scheme=G", "--iomethod=MPI", "--collective")]

PROGRAMS = [
    Program("madbench", 3, ("64", "3", "--io-only"), ("--repeat=1000000",),
            ("512", "3", "--io-only"), "files/madbench-", MADBENCH),
    Program("blocktransfer", 3, ("64k", "--block-size=4k"), ("--repeat=1000000",),
            ("2M", "--block-size=64k"), "files/blocktransfer-", everywhere() + [
                way("mmap-lanes", "kernel", "--iomethod=mmap", "--threads=2",
                    "--filetype=UNIQUE")]),
    Program("ldad", 3, ("perf", "--chunk=4k", "--chunks=3"), ("--repeat=1000000",),
            ("perf", "--chunk=1M", "--chunks=2"), "files/ldad-", LDAD),
    Program("iotrace", 3, (), (), (), "", [way("recorder", "recorder"),
                                           way("reader", "reader")]),
    Program("pfmload", 3, ("--output=o.pfm", "--no-keep", "--cache=flush"),
            ("--repeat=1000000",), (), "o.pfm.data/", PFMLOAD),
]

# Buffers that exceed the memory of ranks.
HUGE = {"madbench": ("20000", "1", "--io-only"),
        "blocktransfer": ("1G", "--block-size=1G"),
        "ldad": ("perf", "--chunk=1G", "--chunks=1")}

# ---- faults ---------------------------------------------------------------------

# how: the method of the campaign that makes it, with its needs; end: the required
# result (judge.py); says: the reason, if it can be known (kind "library" may say less);
# place: further words of the sentence; kinds: what it can hit
Fault = collections.namedtuple("Fault", "name group how what end says place kinds")
ALL, LIBC = ("libc", "kernel", "library", "aio"), ("libc", "library")
TRANSFER, FILE, RANK = ("rank", "file", "offset"), ("rank", "file"), ("rank",)


def shim(name, what, end="fails", says="", place=TRANSFER, rank=1, kinds=LIBC,
         group="call"):
    return Fault(name, group, "preloaded", dict(what=what, rank=rank), end, says, place,
                 kinds)


def act(name, what, end, says="", place=(), kinds=ALL, group="act", **more):
    return Fault(name, group, "while_it_runs", dict(more, what=what), end, says, place,
                 kinds)


def disk(name, what, *args, says="", place=FILE, kinds=ALL, end="fails", **more):
    return Fault(name, "disk", "on_a_disk", dict(more, disk=what, args=args), end, says,
                 place, kinds)


def log(name, what, *args, act=None):
    return Fault("log: " + name, "trace", "recorded",
                 dict(disk=what, args=args, act=act), "unhurt", "", (), ("recorder",))


def below(name, what, says="", place=FILE, end="fails", group="below"):
    """Returns a fault of the file system itself, whoever makes the call."""
    return Fault("below: " + name, group, "on_passthrough", dict(what=what), end, says,
                 place, ALL)


IO_ERROR, NO_SPACE = "Input/output error", "No space left"
LIE = "verification failed|cut off"

FAULTS = [
    shim("open: no space", "open:ENOSPC:1", says=NO_SPACE, place=FILE, rank=0),
    shim("open: no descriptor", "open:EMFILE:1", says="Too many open", place=FILE,
         rank=0),
    shim("write: EIO, first rank", "write:EIO:1", says=IO_ERROR, rank=0),
    shim("write: EIO, last rank", "write:EIO:2", says=IO_ERROR, rank=-1),
    shim("write: no space", "write:ENOSPC:2+", says=NO_SPACE),
    shim("write: quota", "write:EDQUOT:2+", says="quota"),
    shim("read: EIO, first rank", "read:EIO:1", says=IO_ERROR, rank=0),
    shim("read: EIO, last rank", "read:EIO:2", says=IO_ERROR, rank=-1),
    shim("fsync: EIO", "fsync:EIO:1", says=IO_ERROR, place=FILE, rank=None),
    shim("fsync: no space", "fsync:ENOSPC:1", says=NO_SPACE, place=FILE, rank=None),
    shim("close: quota", "close:EDQUOT:2+", says="quota", place=FILE, rank=None,
         end="may_be_kept_back"),
    shim("write: short", "write:half:2", end="recovers", group="short"),
    shim("read: short", "read:half:2", end="recovers", group="short"),
    shim("write: nothing moved", "write:zero:2", end="recovers", group="short"),
    shim("read: file ends early", "read:zero:2", end="may_be_kept_back",
         group="short"),
    shim("write: a bit flips", "write:flip:2", says=LIE, group="lie"),
    shim("read: a bit flips", "read:flip:2", says=LIE, group="lie"),
    shim("write: elsewhere", "write:shift:1", says=LIE, rank=0, group="lie"),
    shim("read: from elsewhere", "read:shift:1", says=LIE, rank=0, group="lie"),
    shim("write: lost (stale data)", "write:lost:4", says=LIE, rank=None, group="lie"),
    shim("read: stale memory", "read:lost:2", says=LIE, group="lie"),
    shim("write: hangs", "write:hang:2", end="watched", group="time"),
    shim("fsync: hangs", "fsync:hang:1", end="watched", place=FILE, rank=None,
         group="time"),
    shim("write: slow on one rank", "write:slow:1+", end="straggles", group="time"),
    shim("rank stops, goes on", "write:stop:2", end="goes_on", group="time"),
    shim("rank kills itself", "write:kill:2", end="killed", group="signal"),

    act("SIGKILL to the first rank", "to_rank", "killed", rank=0, sig="KILL",
        group="signal"),
    act("SIGKILL to the last rank", "to_rank", "killed", rank=-1, sig="KILL",
        group="signal"),
    act("SIGTERM to a rank", "to_rank", "killed", rank=1, sig="TERM", group="signal"),
    act("SIGINT to a rank", "to_rank", "killed", rank=0, sig="INT", group="signal"),
    act("SIGTERM to mpirun", "to_launcher", "told", sig="TERM", group="signal"),
    act("SIGINT to mpirun", "to_launcher", "told", sig="INT", group="signal"),
    act("SIGKILL to mpirun", "to_launcher", "killed", sig="KILL", group="signal"),
    act("SIGKILL to all", "to_all", "killed", sig="KILL", group="signal"),
    act("mpirun stops, goes on", "pause_launcher", "told", group="signal"),
    Fault("time limit", "signal", "timed", dict(seconds=5), "timed", "", (), ALL),
    act("rank stops for ever", "to_rank", "watched", rank=1, sig="STOP", group="time"),
    act("directory removed", "remove_directory", "fails", place=FILE),
    act("files truncated", "truncate", "fails", place=FILE),
    act("out of descriptors", "no_descriptors", "fails", place=RANK),

    Fault("out of memory", "act", "limited", dict(megabytes=900), "fails", "memory",
          RANK, ALL),
    disk("disk full at open", "memory", "nr_inodes=1", says=NO_SPACE),
    disk("disk fills up (tmpfs)", "memory", "size=24m", fill="write:fill:2",
         says=NO_SPACE, kinds=LIBC),
    disk("disk fills up (ext4)", "image", "ext4", fill="write:fill:2", says=NO_SPACE,
         kinds=LIBC),
    disk("disk fills up (xfs)", "image", "xfs", fill="write:fill:2", says=NO_SPACE,
         kinds=LIBC),
    disk("disk is filled (ext4)", "image", "ext4", act="fill_disk", says=NO_SPACE),
    disk("no room at fsync", "thin", 256 << 10, size="large",
         says=IO_ERROR + "|" + NO_SPACE),
    disk("quota (btrfs)", "quota", 512 << 10, size="large", says="quota"),
    disk("read-only", "read_only", "ext4", says="Read-only"),
    disk("file system dies (ext4)", "image", "ext4", act="shut_down",
         says=IO_ERROR + "|Structure needs cleaning|Stale|verification", end="dies"),

    below("write: EIO", "write:EIO:2", says=IO_ERROR),
    below("write: no space", "write:ENOSPC:3+", says=NO_SPACE),
    below("read: EIO", "read:EIO:2", says=IO_ERROR),
    below("fsync: EIO", "fsync:EIO:1", says=IO_ERROR),
    below("write: short", "write:half:2", end="recovers"),
    below("read: short", "read:half:2", end="recovers"),
    below("write: a bit flips", "write:flip:2", says=LIE),
    below("read: a bit flips", "read:flip:2", says=LIE),
    below("write: lost", "write:lost:2", says=LIE),
    below("write: slow", "write:slow:1+", end="recovers"),
    below("write: hangs", "write:hang:2", end="hangs"),

    log("disk full at open", "memory", "nr_inodes=1"),
    log("disk fills up", "memory", "size=400k"),
    log("no room at write-back", "thin", 64 << 10),
    log("quota (btrfs)", "quota", 256 << 10),
    log("read-only", "read_only", "ext4"),
    log("file system dies (ext4)", "image", "ext4", act="shut_down"),
    log("directory removed", "memory", "size=24m", act="remove_directory"),
    log("below: write: EIO", "passthrough", "write:EIO:20+", ""),
    Fault("log: cut", "trace", "read_cut", {}, "told_by_reader", "", (), ("reader",)),
]

# ---- combinations ---------------------------------------------------------------

Combination = collections.namedtuple("Combination", "fault program way")
MOST = {"madbench": 3}  # a fault's ways in one campaign, for a program


def misses(fault, program, way):
    """Returns why a fault cannot hit this way, or None."""
    if way.kind not in fault.kinds:
        return "not through the C library"
    call, rank = fault.what.get("what", ""), fault.what.get("rank", 0)
    if ("lost" in call or "shift" in call) and "hdf5" in way.name:
        return "HDF5 writes more than what is read"
    if fault.what.get("disk") == "memory" and "--cache=direct" in way.args:
        return "memory takes no direct I/O"
    if (fault.group == "below" and "mmap" in way.name and
            (call.startswith("read") or ":half:" in call or "ENOSPC" in call)):
        return "the kernel makes other, larger, calls for pages"
    if program.name == "pfmload":
        if fault.group == "short" or ":shift:" in call or ":lost:" in call:
            return "tests/e2e/pfmload_ended.py has it"
        if fault.group == "below" and ":flip:" in call:
            return "what is written before the last may be a place that is kept"
        if call.startswith("read") or ":slow:" in call or ":stop:" in call:
            return "what it reads while it loads is its input"
        if fault.name == "out of memory" or fault.what.get("size") == "large":
            return "needs a survey that is too long for this"
        if way.name == "serial" and (rank == -1 or rank == 1):
            return "has one rank"
    return None


def campaign(whole=False):
    """Returns each fault with some of each program's ways in turn; or with all of
    them."""
    found = []
    for program in PROGRAMS:
        turn = 0
        for fault in FAULTS:
            fit = [w for w in program.ways if not misses(fault, program, w)]
            n = len(fit) if whole else min(MOST.get(program.name, 1), len(fit))
            found += [Combination(fault, program, fit[(turn + i) % len(fit)])
                      for i in range(n)]
            turn += n
    return found


def values(c):
    return {("group", c.fault.group), ("end", c.fault.end), ("program", c.program.name),
            ("kind", c.way.kind), ("way", c.way.name)}


def subset(n):
    """Returns n combinations that cover most values and, among equals, most pairs of
    them."""
    left, met, found = campaign(), set(), []

    def new(c):
        one = values(c)
        return (len(one - met), len(set(itertools.combinations(sorted(one), 2)) - met))

    while left and len(found) < n:
        best = max(left, key=new)
        left.remove(best)
        met |= values(best) | set(itertools.combinations(sorted(values(best)), 2))
        found.append(best)
    return found


def timeout(fault):
    """Returns the seconds that one call may take: some are made to take longer."""
    if fault.end in ("watched", "hangs"):
        return 2
    return int(os.environ.get("FAULT_IO_TIMEOUT", 8))
