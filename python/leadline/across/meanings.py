"""Meanings of figures: programs measure the same thing under different names.

Three tables tell what a figure is about, by program, options and name; the rest of the
module only looks values up in them.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from leadline.base import names
from leadline.base.fields import printable
from leadline.judge import compare, tails
from leadline.results.groups import Group
from leadline.results.report import Figure, Report

SEQUENTIAL, RANDOM, INTERLEAVED = "sequential", "random", "interleaved"
MIXED, RANDOM_MIXED = "mixed sequential", "mixed random"
RANDOM_ORDERS = (RANDOM, RANDOM_MIXED)
OWN, SHARED, PARTITIONED = "own", "one shared", "one partitioned"
HARD = 47008       # bytes of a transfer of IO500's ior-hard
DATA = ("write", "read", "read and write")


class Meaning(NamedTuple):
    """None: not known; "" or 0: it has no such thing. `place`: of files, or of
    directories. `own`: name of a figure that means the same in its program only."""
    does: str
    order: Optional[str] = ""
    place: Optional[str] = ""
    size: Optional[int] = 0     # bytes of a transfer
    own: str = ""


# ---- what a figure measures --------------------------------------------------

# Name of a figure -> what it measures, for programs that move data in a plain way.
PLAIN = ("ior", "fio", "elbencho", "h5bench", "madbench", "blocktransfer", "ldad perf")
RATES = {"write_MBps": "write", "read_MBps": "read", "mixed_MBps": "read and write"}

# The same of operations on files and directories, by program.
CALLS = {
    "mdtest": {"file_create_per_s": "file create", "file_stat_per_s": "file stat",
               "file_open_per_s": "file open", "file_read_per_s": "file read",
               "file_rename_per_s": "file rename", "file_remove_per_s": "file delete",
               "dir_create_per_s": "directory create",
               "dir_stat_per_s": "directory stat",
               "dir_rename_per_s": "directory rename",
               "dir_remove_per_s": "directory delete"},
    "metabench": {"create.per_s": "file create", "stat.per_s": "file stat",
                  "open.per_s": "file open", "read.per_s": "file read",
                  "rename.per_s": "file rename", "unlink.per_s": "file delete",
                  "mkdir.per_s": "directory create",
                  "rmdir.per_s": "directory delete"},
    "elbencho": {"file_create_per_s": "file create", "file_stat_per_s": "file stat",
                 "file_remove_per_s": "file delete",
                 "dir_create_per_s": "directory create",
                 "dir_remove_per_s": "directory delete"}}

# Phases of IO500. Its ior-easy has a file per process by default, which options may
# tell otherwise.
IO500 = {
    "score": Meaning("IO500 score"),
    "score_bw": Meaning("IO500 bandwidth score, GiB/s"),
    "score_md": Meaning("IO500 metadata score, kIOPS"),
    "ior_easy_write_MBps": Meaning("write", SEQUENTIAL, OWN),
    "ior_easy_read_MBps": Meaning("read", SEQUENTIAL, OWN),
    "ior_hard_write_MBps": Meaning("write", INTERLEAVED, SHARED, HARD),
    "ior_hard_read_MBps": Meaning("read", INTERLEAVED, SHARED, HARD),
    "mdtest_easy_write_per_s": Meaning("file create", "", OWN),
    "mdtest_easy_stat_per_s": Meaning("file stat", "", OWN),
    "mdtest_easy_delete_per_s": Meaning("file delete", "", OWN),
    "mdtest_hard_write_per_s": Meaning("file create", "", SHARED),
    "mdtest_hard_stat_per_s": Meaning("file stat", "", SHARED),
    "mdtest_hard_read_per_s": Meaning("file read", "", SHARED),
    "mdtest_hard_delete_per_s": Meaning("file delete", "", SHARED),
    "find_per_s": Meaning("find")}
BY_DEFAULT = ("ior_easy_write_MBps", "ior_easy_read_MBps")
IO500_PROGRAMS = ("io500", "io500-diagnosis")

# ---- what its program's options say ------------------------------------------

# Rows (program, {option: value}, answer): the first whose options all have these values
# counts. A value of None: the option was not given; ...: it was.
ORDERS: List[Tuple[str, Dict[str, Any], str]] = [
    ("ior", {"access": "single-shared-file", "transfersize": HARD}, INTERLEAVED),
    ("ior", {"ordering in a file": "sequential"}, SEQUENTIAL),
    ("ior", {"ordering in a file": "sequential offsets"}, SEQUENTIAL),
    ("ior", {"ordering in a file": "random"}, RANDOM),
    ("ior", {"ordering in a file": "random offsets"}, RANDOM),
    ("ior", {"randomoffset": 0}, SEQUENTIAL),
    ("ior", {"randomoffset": 1}, RANDOM),
    ("fio", {"rw": "write"}, SEQUENTIAL),
    ("fio", {"rw": "read"}, SEQUENTIAL),
    ("fio", {"rw": "rw"}, MIXED),
    ("fio", {"rw": "readwrite"}, MIXED),
    ("fio", {"rw": "randwrite"}, RANDOM),
    ("fio", {"rw": "randread"}, RANDOM),
    ("fio", {"rw": "randrw"}, RANDOM_MIXED),
    ("fio", {"rw": None, "readwrite": None}, SEQUENTIAL),    # its default is read
    ("fio", {"readwrite": "write"}, SEQUENTIAL),
    ("fio", {"readwrite": "read"}, SEQUENTIAL),
    ("fio", {"readwrite": "randwrite"}, RANDOM),
    ("fio", {"readwrite": "randread"}, RANDOM),
    ("fio", {"readwrite": "randrw"}, RANDOM_MIXED),
    ("elbencho", {"random": 0}, SEQUENTIAL),
    ("elbencho", {"random": 1}, RANDOM),
    ("blocktransfer", {"filetype": "shared", "layout": "interleaved",
                       "block-size": HARD}, INTERLEAVED),
    ("blocktransfer", {"pattern": "sequential", "mixed": 0}, SEQUENTIAL),
    ("blocktransfer", {"pattern": "random", "mixed": 0}, RANDOM),
    ("blocktransfer", {"pattern": "uniform", "mixed": 0}, RANDOM),
    ("blocktransfer", {"pattern": "zipf", "mixed": 0}, RANDOM),
    ("madbench", {}, SEQUENTIAL),
    ("ldad perf", {}, SEQUENTIAL)]

FILES: List[Tuple[str, Dict[str, Any], str]] = [
    ("ior", {"access": "single-shared-file"}, SHARED),
    ("ior", {"access": "file-per-process"}, OWN),
    ("ior", {"fileperproc": 0}, SHARED),
    ("ior", {"fileperproc": 1}, OWN),
    ("fio", {"filename": None}, OWN),
    ("fio", {"filename": ...}, SHARED),
    ("elbencho", {"path type": "dir"}, OWN),
    ("elbencho", {"path type": "file"}, SHARED),
    ("h5bench", {"subfiling": "NO"}, SHARED),
    ("io500", {"ior-easy-write access": "file-per-process"}, OWN),
    ("io500", {"ior-easy-write access": "single-shared-file"}, SHARED),
    ("io500", {"ior-easy-write fileperproc": ...}, OWN),
    ("io500", {"ior-easy-write api": ...}, SHARED),   # its command line, without -F
    ("io500", {"ini ior-easy fileperproc": "true"}, OWN),
    ("io500", {"ini ior-easy fileperproc": "false"}, SHARED),
    ("", {"filetype": "unique"}, OWN),
    ("", {"filetype": "shared"}, SHARED),
    ("", {"filetype": "partitioned"}, PARTITIONED)]

DIRECTORIES: List[Tuple[str, Dict[str, Any], str]] = [
    ("mdtest", {"unique_dir": True}, OWN),
    ("mdtest", {"unique_dir": None}, SHARED),
    ("metabench", {"place": "own"}, OWN),
    ("metabench", {"place": "tree"}, OWN),
    ("metabench", {"place": "shared"}, SHARED),
    ("elbencho", {"path type": "dir", "dirs": 0}, SHARED),
    ("elbencho", {"path type": "dir", "dir sharing": 0}, OWN),
    ("elbencho", {"path type": "dir", "dir sharing": 1}, SHARED)]

# Options with the bytes of a transfer; without one of them, samples may tell.
SIZES = {"ior": ("transfersize",), "fio": ("bs", "blocksize"),
         "elbencho": ("block size",), "blocktransfer": ("block-size",),
         "ldad perf": ("chunk",)}


def alike(wanted: Any, value: Any) -> bool:
    if wanted is ... or value is None or wanted is None:
        return (value is not None) if wanted is ... else wanted is value
    return str(wanted).lower() == str(value).lower()


def answer(rows: Sequence[Tuple[str, Dict[str, Any], str]],
           report: Report) -> Optional[str]:
    """Returns the answer of the first row that fits; None if none does. An option in
    which fio's jobs differ has no answer, and a report without any has none."""
    values = report.option_values()
    unlike = str(values.get("other jobs") or "")
    for program, wanted, found in rows:
        if program in ("", report.program) and (values or not wanted) and all(
                alike(value, values.get(name)) for name, value in wanted.items()):
            return None if any(name + "=" in unlike for name in wanted) else found
    return None


def transfer_bytes(report: Report, does: str) -> Optional[int]:
    """Returns the bytes of each transfer; None if they are not known."""
    values = report.option_values()
    for name in SIZES.get(report.program, ()):
        found = names.number(values.get(name))
        if isinstance(found, int) and found > 0:
            return found
    some = [s for s in report.samples if s.get("act") == does and s.get("calls")]
    calls, moved = (sum(s.get(name) or 0 for s in some) for name in ("calls", "bytes"))
    return moved // calls if calls and moved and moved % calls == 0 else None


# ---- of one figure -----------------------------------------------------------


def of_figure(report: Report, name: str) -> Optional[Meaning]:
    """Returns the meaning of a figure; None if it has none beyond its program."""
    if report.program in IO500_PROGRAMS:
        known = IO500.get(name)
        return known._replace(place=answer(FILES, report) or OWN) if (
            known and name in BY_DEFAULT) else known
    does = RATES.get(name) if report.program in PLAIN else None
    if does:
        order = answer(ORDERS, report)
        return Meaning(does, order, answer(FILES, report) if order not in RANDOM_ORDERS
                       else "", transfer_bytes(report, does) if order in (
                           *RANDOM_ORDERS, INTERLEAVED, None) else 0)
    does = CALLS.get(report.program, {}).get(name)
    return Meaning(does, "", answer(DIRECTORIES, report)) if does else None


def of_group(group: Group) -> List[Tuple[Meaning, Figure]]:
    """Returns the figures of a configuration that have a value and a meaning; if there
    are none, its headline figures, which mean something in their program only."""
    some = [f for (name, at), f in group.figures().items()
            if not at and group.observations((name, at))]
    found = [(of_figure(group.first, f.name), f) for f in some]
    known = [(m, f) for m, f in found if m]
    if known:
        return known
    plain = [f for f in some if not tails.is_tail(f.name)]
    rates = [f for f in plain if compare.is_rate(f)]
    return [(Meaning(group.first.program, own=f.name), f)
            for f in compare.headline(rates + [f for f in plain if f not in rates])]


def agree(partial: Meaning, full: Meaning) -> bool:
    """True if all that is known of one is so of the other. The size of transfers must
    be known, since rates of random ones are converted with it."""
    if partial.does != full.does or partial.own != full.own or (
            full.size and partial.size != full.size):
        return False
    pairs = [(partial.order, full.order), (partial.place, full.place or None)]
    return all(a is None or b is None or a == b for a, b in pairs)


def unknown(meaning: Meaning, report: Report, figure: str) -> List[str]:
    """Names what is not known of a figure's meaning."""
    place = ("own files or one shared" if meaning.does in DATA
             else "own directories or one shared")
    out = [] if meaning.order is not None else ["order of the transfers"]
    out += [place] if meaning.place is None else []
    if figure in BY_DEFAULT and not answer(FILES, report):
        out.append("own files, unless its ini says otherwise")
    return out + (["size of the transfers"] if meaning.size is None
                  and meaning.order in RANDOM_ORDERS else [])


# ---- words -------------------------------------------------------------------


def title(meaning: Meaning) -> str:
    """Describes a meaning: random 4 KiB read; sequential write, own files; file create,
    one shared directory."""
    if meaning.own:
        return printable("%s %s" % (meaning.does, meaning.own))
    size = size_words(meaning.size) if meaning.size and meaning.order else ""
    words = [meaning.order, size, meaning.does]
    place, noun = meaning.place, "files" if meaning.does in DATA else "directories"
    end = "" if not place else ", own " + noun if place == OWN else ", %s %s" % (
        place, "file" if noun == "files" else "directory")
    return " ".join(filter(None, words)) + end


def size_words(size: int) -> str:
    """Formats bytes: 4 KiB, 1 MiB, 47,008-byte."""
    for name, of in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size % of == 0:
            return "%d %s" % (size // of, name)
    return "{:,}-byte".format(size)


def unit(meaning: Meaning, figure: Figure) -> Tuple[str, float]:
    """Returns (unit, factor): rates of random transfers of one size are in operations
    per second, as are those of calls."""
    if figure.unit == "MB/s" and meaning.order in RANDOM_ORDERS and meaning.size:
        return "operations/s", 1e6 / meaning.size
    calls = figure.unit == "1/s" and not meaning.own
    return "operations/s" if calls else str(figure.unit), 1.0
