"""mdtest: the table of its summary."""
import re
from collections import OrderedDict

from leadline.base.fields import printable
from leadline.importing.result import (CUT, Format, Result, broken, number,
                                       number_apart, plain, positive, runs_of,
                                       whole_table)

TOOL = "mdtest"
ABOUT = "mdtest (text, CSV of the ranks)"
FIRST = re.compile(r"^mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) "
                   r"node", re.M)
HEADING = "Operation Max Min Mean Std Dev".split()
STARTED = re.compile(r"^-- started at (.*) --$", re.M)
FINISHED = re.compile(r"^-- finished at .* --$", re.M)
TABLE = re.compile(r"^SUMMARY(?: (rate|time))?\b.*\(of (\d+) iterations\)")
STONEWALL = re.compile(r"^Continue stonewall hit (min: .*)")
NAMES = OrderedDict([
    ("directory creation", "dir_create"), ("directory stat", "dir_stat"),
    ("directory read", "dir_read"), ("directory rename", "dir_rename"),
    ("directory removal", "dir_remove"),
    ("file creation", "file_create"), ("file stat", "file_stat"),
    ("file read", "file_read"), ("file rename", "file_rename"),
    ("file removal", "file_remove"), ("tree creation", "tree_create"),
    ("tree removal", "tree_remove")])
LETTERS = {"n": "items", "I": "items_per_dir", "z": "depth", "b": "branching",
           "w": "write_bytes", "e": "read_bytes", "N": "stride", "f": "first_task",
           "l": "last_task", "s": "task_stride", "p": "pre_delay_s",
           "W": "stonewall_s", "i": "iterations", "d": "path", "a": "api",
           "x": "stonewall_file", "V": "verbosity", "G": "seed"}
FLAGS = {"F": "files_only", "D": "dirs_only", "u": "unique_dir", "L": "leaf_only",
         "C": "create_only", "T": "stat_only", "E": "read_only", "r": "remove_only",
         "c": "collective_creates", "S": "shared_file", "y": "sync_file",
         "k": "make_node", "B": "no_barriers", "t": "time_unique_dir"}
NO_WORK = ("path", "iterations", "stonewall_s", "stonewall_file", "verbosity", "seed",
           "saverankperformancedetails")
WRONG = re.compile(r"^ERROR: verifying the data on read \((\d{1,15}) errors\)")
UNTIL = " (stonewall)"      # rows of what was done when the deadline came


def is_text(text):
    return " was launched with " in text and bool(FIRST.search(text)
                                                  and STARTED.search(text))


def read(text, source):
    return number_apart([run(before, lines, source)
                         for before, lines in runs_of(text, STARTED)
                         if any(map(FIRST.match, lines))])


def run(before, lines, source):
    test = Result(TOOL)
    version, ranks, nodes = next(filter(None, map(FIRST.match, lines))).groups()
    test.version = printable(version)
    test.ranks = positive(ranks, source + ": tasks")
    test.nodes = positive(nodes, source + ": nodes")
    for i, line in enumerate(lines):
        take_line(test, line, before + i)
    tables = list(summaries(lines, before, source))
    if not test.argv:
        test.fail("it has no command line that can be read")
    announced = iterations(test)
    for kind, n, rows in tables:
        if n != announced:
            test.fail("its summary is of %d iterations, its command line of %d"
                      % (n, announced))
        if len(set(old for _, old in rows.values())) > 1:
            test.fail("rows of its summary are of two forms")
        for name, (row, old) in rows.items():
            take_row(test, kind, n, name, row, old)
    if not tables or not any(map(FINISHED.match, lines)):
        test.fail(CUT)
    elif not test.figures:
        test.fail("no phase was run")
    return test


def take_line(test, line, i):
    started, stonewall = STARTED.match(line), STONEWALL.match(line)
    if started:
        test.started(started.group(1), "%m/%d/%Y %H:%M:%S")
        test.line = i + 1
    elif line.startswith("Command line used:"):
        test.command(line.split(":", 1)[1])
        take_options(test)
    elif line.startswith("WARNING:") and "Read bytes is 0" not in line:
        test.warn("from_mdtest", "mdtest says: "
                  + printable(line[len("WARNING:"):].strip()))
    elif line.startswith("ERROR: "):
        take_error(test, line)
    elif stonewall:
        test.warn("stonewalled", "a deadline ended the phase (items of a task: %s); "
                  "the rate is of all items, those after it as well"
                  % printable(stonewall.group(1).strip()))


def take_error(test, line):
    wrong = WRONG.match(line)
    if wrong:
        test.blocks_bad = (test.blocks_bad or 0) + int(wrong.group(1))
        test.fail("mdtest found incorrect data: %s errors" % wrong.group(1))
    else:
        test.fail("mdtest: " + printable(line))


def take_options(test):
    """Parses letters with values and without, as mdtest's own -h has them."""
    words = list(test.argv[1:])
    while words:
        word = words.pop(0)
        letter = word[1:2]
        if not word.startswith("-") or len(word) < 2 or word.startswith("--"):
            name, is_there, value = word.lstrip("-").partition("=")
            test.option(name or "-", plain(value) if is_there else True, None,
                        name.lower() not in NO_WORK)
        elif letter in LETTERS:
            value = word[2:].lstrip("=") or (words.pop(0) if words else "")
            name = LETTERS[letter]
            test.option(name, plain(value), None, name not in NO_WORK)
        else:
            for letter in word[1:]:
                if letter != "v":
                    test.option(FLAGS.get(letter, "-" + letter), True)


def iterations(test):
    value = test.options.get("iterations", (1,))[0]
    return value if isinstance(value, int) else 0


def summaries(lines, before, source):
    """Returns (rate or time, iterations, {operation: ([max, min, mean, deviation],
    whether it has a colon)})."""
    for i, line in enumerate(lines):
        head = TABLE.match(line)
        if head:
            yield (head.group(1) or "rate",
                   positive(head.group(2), "%s:%d" % (source, before + i + 1)),
                   table_rows(lines[i + 1:], before + i + 2, source))


def table_rows(lines, begin, source):
    """Returns the rows up to the next table, or to the end time."""
    rows = OrderedDict()
    for i, line in enumerate(lines, begin):
        cells = line.split()
        if cells and cells[0] in ("--", "SUMMARY", "ERROR:"):
            break
        if cells == HEADING or set(line) <= set(" -") or line.startswith("V-"):
            continue
        where = "%s:%d" % (source, i)
        if len(cells) < 5:
            raise broken(where, "it is not a row of mdtest's table")
        name = " ".join(cells[:-4]).lower()
        old = name.endswith(":")
        name = name.rstrip(" :")
        if name in rows:
            raise broken(where, "%s is there twice" % printable(name))
        rows[name] = ([number(cell, where) for cell in cells[-4:]], old)
    return rows


def take_row(test, kind, n, name, row, old):
    """Takes a row; with a colon, as old versions have it, it is over tasks as well."""
    if name.endswith(UNTIL):
        test.results["%s %s" % (kind, name)] = row[2:3]
        return
    base = NAMES.get(name)
    if base is None:
        test.fail("its operation %s is not known" % printable(name))
        return
    if None in row:
        test.fail("of %s it has no numbers" % name)
        return
    if not row[0]:
        return   # 0.000: the phase did not run
    if base == "file_read" and not test.options.get("read_bytes", (0,))[0]:
        base = "file_open"
        test.warn("only_opened", "files were opened and closed, not read: read bytes "
                  "is 0")
    key = base if kind == "rate" else base + "_time"
    reps = over_tasks(test, key, row) if old else repetitions(test, n, key, row)
    if reps is None:
        test.fail("maximum, minimum and mean of %s do not agree" % name)
    elif kind == "rate":
        test.figure(base + "_per_s", "1/s", "higher", reps,
                    "mdtest's summary of %s (ops/s): items of all tasks / time" % name)
    else:       # seconds of all items, though some versions say ms/op
        test.results[base + "_s"] = reps


def between(top, low, mean):
    """Returns the rounding of a row's values, None if they are out of order."""
    slack = 0.0021 + 1e-9 * top      # three digits behind the point
    return slack if low - slack <= mean <= top + slack else None


def over_tasks(test, base, row):
    if between(*row[:3]) is None:
        return None
    test.warn("summary_only", "this version's summary is over tasks as well: the mean "
              "is known, and no single repetition")
    keep(test, base, row)
    return [row[2]]


def repetitions(test, n, base, row):
    """Computes the values of one to three iterations from maximum, minimum and mean;
    None if these do not agree."""
    top, low, mean, deviation = row
    slack = between(top, low, mean)
    if slack is None:
        return None
    if 1 < n <= 3:
        test.warn("order_unknown", "the summary does not tell which iteration gave "
                  "which rate")
    if n == 1:
        return [mean] if abs(top - low) <= slack else None
    if n == 2:
        return [top, low] if abs((top + low) / 2 - mean) <= slack else None
    if n == 3:
        third = 3 * mean - top - low
        if agrees(top, third, low, mean, deviation, slack):
            return [top, min(max(third, low), top), low]
    test.warn("summary_only", "of more than three iterations the mean is known, and "
              "what was best and worst, but no single one")
    keep(test, base, row)
    return [mean] if n > 3 else None


def keep(test, base, row):
    for name, value in zip(("max", "min", "mean", "deviation"), row):
        test.results["%s_%s" % (base, name)] = [value]


def agrees(top, third, low, mean, deviation, slack):
    """True if three values have that deviation: of a sample, or in old versions of all
    values."""
    if not low - 2 * slack <= third <= top + 2 * slack:
        return False
    squares = sum((v - mean) ** 2 for v in (top, third, low))
    return any(abs((squares / n) ** 0.5 - deviation) <= 1e-3 * deviation + 4 * slack
               for n in (2, 3))


# ---- CSV of the ranks --------------------------------------------------------


def is_ranks(text):
    return text.startswith("rank,items,rate-")


def read_ranks(text, source):
    """Reads the rates of all ranks together; a rank's own are of other spans."""
    test = Result(TOOL)
    columns, rows = whole_table(test, text, source, short=True)
    together = [row for _, row in rows if row[0] == "all"]
    ranks = [row[0] for _, row in rows if row[0] != "all"]
    test.ranks = len(set(ranks)) or None
    if not together or ranks != list(map(str, range(len(set(ranks))))) * len(together):
        test.fail("its rows are not one of all ranks and one of each, in their order")
    for i, column in enumerate(columns[2:], 2):
        kind, _, name = column.lower().partition("-")
        if kind not in ("rate", "time"):
            test.fail("its column %s is not known" % printable(column))
        if kind == "rate":
            take_together(test, name, [number(row[i], source + ": " + printable(column))
                                       for row in together])
    if not test.figures:
        test.fail("no phase was run")
    return [test]


def take_together(test, name, rates):
    base = NAMES.get(name)
    if base is None:
        test.fail("its operation %s is not known" % printable(name))
    if base is None or not any(rates):
        return
    if base == "file_read":
        test.warn("only_opened", "files were perhaps opened and closed only: the file "
                  "does not tell")
    test.figure(base + "_per_s", "1/s", "higher", rates,
                "mdtest's rate of %s of all ranks: items / time" % name)


FORMATS = [Format(TOOL, "text", is_text, read),
           Format(TOOL, "CSV of ranks", is_ranks, read_ranks)]
