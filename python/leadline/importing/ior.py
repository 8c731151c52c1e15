"""IOR: its text, JSON and CSV."""
import json
import re
from collections import OrderedDict
from typing import Any, List

from leadline.base.fields import printable
from leadline.importing.result import (CUT, MIB, SHORT_S, Format, Result, broken, count,
                                       member, number, number_apart, plain, positive,
                                       runs_of, times, whole_table)

TOOL = "ior"
ABOUT = "IOR (text of version 3 or later, JSON, CSV, CSV of the ranks)"
FORM = "%a %b %d %H:%M:%S %Y"
FIRST = re.compile(r"^IOR-(\S+): MPI Coordinated Test", re.M)
CSV_HEAD = ("access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),"
            "close(s),total(s),numTasks,iter")
RANKS_HEAD = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose"
ACCESSES = ("write", "read")
TIMES = OrderedDict([("open(s)", "open_s"), ("wr/rd(s)", "transfer_s"),
                     ("close(s)", "close_s"), ("total(s)", "total_s"),
                     ("Latency(s)", "latency_s"), ("Latency", "latency_s")])
NO_WORK = ("test filename", "repetitions", "nodes", "tasks", "clients per node",
           "memorybuffer", "dataaccess", "gpudirect", "aggregate filesize",
           "apiversion")
WRONG = re.compile(r"WARNING: Incorrect data on (?:read|write) \((\d+) errors")
# The first line of version 3.0, which has "=" between options and their values.
BEGIN = re.compile(r"Test (\d+) started: (.*)$|TestID\s*: (\S+)$")
HEADING = ["access", "bw(MiB/s)"]
MORE_COLUMNS = ("IOPS", "block(KiB)", "xfer(KiB)", "iter")
CLIENTS = re.compile(r"(\d+) \((\d+) per node\)$")
BARE = re.compile(r'(": )-?(?:nan|inf)(?=[ \n]*[,}\n])')   # JSON has no such values
EXACT = {"xsize": "transfersize", "blksiz": "blocksize"}

# Rows: access -> [{column: number}], in the order of the repetitions.


def is_text(text: str) -> bool:
    return ": MPI Coordinated Test" in text and bool(FIRST.search(text))


def is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{" and '"Version"' in text and '"tests"' in text


def is_csv(text: str) -> bool:
    return text.lstrip().startswith(CSV_HEAD)


def is_ranks(text: str) -> bool:
    return text.startswith(RANKS_HEAD)


# ---- shared by all three -----------------------------------------------------


def take_rows(test, rows, announced):
    """Makes figures of rows; each access has `announced` of them (None: the same
    number)."""
    most = announced or max([len(some) for some in rows.values()] or [0])
    for access, some in rows.items():
        if len(some) != most:
            test.fail("it announces %d repetitions, of %s there are %d" % (
                most, access, len(some)))
        if access not in ACCESSES:
            test.results[access + "_s"] = [row.get("total(s)") for row in some]
            continue
        test.figure(access + "_MBps", "MB/s", "higher",
                    [times(row.get("bw(MiB/s)"), MIB) for row in some],
                    "IOR bw(MiB/s) x 1.048576: bytes / (last close - first open)")
        if any(row.get("IOPS") is not None for row in some):
            test.figure(access + "_ops_per_s", "1/s", "higher",
                        [row.get("IOPS") for row in some],
                        "IOR IOPS of each repetition: transfers / wr/rd time")
        for column, name in TIMES.items():
            if column in some[0]:
                test.results[access + "_" + name] = [row.get(column) for row in some]
        if any((row.get("total(s)") or SHORT_S) < SHORT_S for row in some):
            test.warn("short", "transfers took less than 1 s, so that the rates are of "
                      "caches and of starting")
    if not test.figures:
        test.fail("it has no row of a write or a read")


def take_names(test, options):
    """Takes what the section Options and the object Options have in common."""
    for name, text in options.items():
        name = name.strip().lower()
        name = {"xfersize": "transfersize"}.get(name, name)
        value = plain(str(text))
        if isinstance(value, str) and re.match(r"\d{1,18} bytes$", value):
            value = int(value.split()[0])
        test.option(name, value, "B" if name in EXACT.values() else None,
                    name not in NO_WORK)
    of = {name: test.options[name][0] for name in test.options}
    test.io["engine"] = of.get("api")
    if of.get("type") in ("collective", "independent"):
        test.io["collective"] = of["type"] == "collective"


def take_shape(test, options, where):
    test.ranks = positive(options.get("tasks"), where + "tasks")
    if "nodes" in options:
        test.nodes = positive(options["nodes"], where + "nodes")
    if "clients per node" in options:
        test.ranks_per_node = positive(options["clients per node"],
                                       where + "clients per node")


# ---- text --------------------------------------------------------------------


def read_text(text: str, source: str) -> List[Any]:
    return number_apart([test for before, lines in runs_of(text, FIRST)
                         for test in run_tests(before, lines, source)])


def run_tests(before, lines, source):
    version = FIRST.match(lines[0]).group(1)
    begins = [i for i, line in enumerate(lines) if BEGIN.match(line)]
    ended = any(re.match(r"Finished\s*: \S", line) for line in lines)
    command, machine = (value_of(lines, name) for name in ("Command line", "Machine"))
    summary = summary_rows(lines, source)
    ends = begins[1:] + [len(lines)]
    tests = [text_test(lines[begin:end], before + begin, version, command, machine,
                       source) for begin, end in zip(begins, ends)]
    if not tests:
        tests = [Result(TOOL, version)]
        tests[0].fail(CUT)
    for test in tests:
        found = summary.get(test.test, {})
        if not ended and not took_all(test, tests[-1]):
            test.fail(CUT)
        elif found or ended:
            hold_against(test, found)
    known = set(test.test for test in tests)
    if len(known) < len(tests) or not set(summary) <= known:
        tests[0].fail("its summary is of other tests than those before it")
    return tests


def took_all(test, last):
    """True if a text that stops early, as IO500's program leaves it, has all rows of
    the accesses that its command asked for. The test before another one is whole."""
    asked = {"write": "w", "read": "r"}
    letters = set("".join(word[1:] for word in test.argv[1:]
                          if re.match(r"-[a-zA-Z]+$", word)))
    if test is not last or not test.argv or "f" in letters:
        return False
    both = not letters & set("wrWR")
    had = set(figure["name"] for figure in test.figures)
    test.warn("no_summary", "the text stops after its rows, without IOR's summary, as "
              "IO500 leaves it")
    return all(access + "_MBps" in had for access, letter in asked.items()
               if both or letter in letters)


def value_of(lines, name):
    for line in lines:
        if line.startswith(name) and ":" in line:
            return line.split(":", 1)[1].strip()
    return ""


def host_of(machine):
    """Returns the host of "Linux n1", which may be followed by more."""
    return (machine.split() + ["", ""])[1] or None


def text_test(part, begin, version, command, machine, source):
    number_old, started, number_new = BEGIN.match(part[0]).groups()
    test = Result(TOOL, version, number_old or number_new)
    test.line = begin + 1
    test.command(command)
    test.started(started or value_of(part, "StartTime"), FORM)
    test.host = host_of(machine)
    options = options_of(part)
    take_names(test, options)
    where = "%s: test %s: " % (source, test.test)
    if "tasks" not in options or "repetitions" not in options:
        test.fail(CUT)
        return test
    take_shape(test, options, where)
    test.io["sync"] = sync_of(test.argv)
    if "-Y" in test.argv:
        test.option("fsyncperwrite", 1)
    rows = text_rows(test, part, begin, source)
    take_rows(test, rows, positive(options["repetitions"], where + "repetitions"))
    return test


def options_of(lines):
    options, between = OrderedDict(), None
    for line in lines:
        if line.strip() in ("Options:", "Summary:"):
            between = ":" if line[0] == "O" else "="
        elif line.startswith("Results:") or line.split()[:2] == HEADING:
            break
        elif between and between in line:
            name, text = line.split(between, 1)
            options[name.strip()] = text.strip()
    clients = CLIENTS.match(options.get("clients", ""))
    if clients:
        options["tasks"], options["clients per node"] = clients.groups()
        del options["clients"]
    return options


def sync_of(argv):
    """True if the options ask for fsync: -e does; a script may, and so may -O."""
    if "-e" in argv:
        return "phase"
    unknown = not argv or any(word in ("-f", "-O") or "fsync" in word for word in argv)
    return None if unknown else "none"


def text_rows(test, lines, begin, source):
    """Returns the rows below the heading; lines between them are warnings."""
    rows, columns = OrderedDict(), None
    for i, line in enumerate(lines):
        cells = line.split()
        where = "%s:%d" % (source, begin + i + 1)
        if cells[:2] == HEADING:
            columns = cells
            if not set(cells) <= set(TIMES).union(HEADING, MORE_COLUMNS):
                test.fail("the heading of its rows is not known")
        elif line.startswith("Summary of all tests"):
            break
        elif columns and cells and len(cells) == len(columns) \
                and cells[0] in ("write", "read", "remove"):
            row = {name: number(cell, where)
                   for name, cell in zip(columns[1:], cells[1:])}
            some = rows.setdefault(cells[0], [])
            if count(cells[-1], where) != len(some):
                test.fail("line %d: repetition %s of %s is out of order"
                          % (begin + i + 1, printable(cells[-1]), cells[0]))
            some.append(row)
        elif columns:
            take_remark(test, line)
    return rows


def take_remark(test, line):
    wrong = WRONG.match(line)
    if wrong:
        test.blocks_bad = (test.blocks_bad or 0) + int(wrong.group(1)[:15])
        test.fail("IOR found incorrect data: %s errors" % wrong.group(1))
    elif line.startswith("WARNING: Using actual aggregate bytes moved"):
        test.options.pop("bytes", None)
        test.option("bytes", None, "B")
        test.warn("stonewalled", "the deadline cut the transfers off, each process at "
                  "another number: runs did different work")
    elif line.startswith("stonewalling pairs"):
        test.warn("stonewalled", "IOR's " + printable(line.strip()))
    elif line.startswith("WARNING:"):
        test.warn("from_ior", "IOR says: " + printable(line[len("WARNING:"):].strip()))


# ---- the summary at its end --------------------------------------------------


def summary_rows(lines, source):
    """Returns test -> {access: {column: text}} of "Summary of all tests"."""
    found, columns = {}, None
    for line in lines:
        cells = line.split()
        if cells[:2] == ["Operation", "Max(MiB)"]:
            columns = cells
        elif columns and len(cells) == len(columns) and "Test#" in columns:
            row = OrderedDict(zip(columns, cells))   # of equal names the last counts
            found.setdefault(row["Test#"], {})[cells[0]] = dict(
                row, Max=cells[1], Min=cells[2], Mean=cells[3])
        elif columns and cells and not line.startswith("Finished"):
            break
    return found


def hold_against(test, summary):
    """Takes sizes from the summary, which does not round them, and checks it against
    the rows."""
    figures = {f["name"]: f for f in test.figures}
    for access in ACCESSES:
        if (access in summary) != (access + "_MBps" in figures):
            test.fail(CUT if not summary else "its summary and its rows have "
                      "different accesses")
            return
    for access, row in summary.items():
        for column, name in EXACT.items():
            if re.match(r"\d{1,18}$", row.get(column, "")):
                test.option(name, int(row[column]), "B")
        if access in ACCESSES:
            agree(test, access, figures[access + "_MBps"]["reps"], row)


def agree(test, access, reps, row):
    """Compares maximum, minimum and mean, to the precision of the columns' digits."""
    known = [rep / MIB for rep in reps if rep is not None]
    if len(known) < len(reps) or not known:
        return
    for name, mine in (("Max", max(known)), ("Min", min(known)),
                       ("Mean", sum(known) / len(known))):
        try:
            theirs = float(row[name])
        except ValueError:
            theirs = -1.0
        if abs(mine - theirs) > (0.51 if max(known) >= 3600 else 0.011):
            test.fail("its summary has %s %s MiB/s for %s, its rows have %.2f"
                      % (name.lower(), printable(row[name]), access, mine))


# ---- JSON --------------------------------------------------------------------

COLUMNS = {"bwMiB": "bw(MiB/s)", "iops": "IOPS", "latency": "Latency(s)",
           "openTime": "open(s)", "wrRdTime": "wr/rd(s)", "closeTime": "close(s)",
           "totalTime": "total(s)"}
JSON_NO_WORK = ("testid", "refnum", "platform", "testfilename", "repetitions",
                "verbose", "keepfile", "keepfilewitherror", "warningaserrors", "nodes",
                "intertestdelay", "settimestampsignature/incompressibleseed",
                "tasksoffset", "memorypernode", "memorypertask", "options", "dryrun",
                "collective", "api", "fsync", "writefile", "readfile",
                # other words of the section Options
                "data packet type", "segmentcount", "taskspernode", "reordertasks",
                "fileperproc", "randomoffset", "deadlineforstonewall")


def read_json(text: str, source: str) -> List[Any]:
    """Reads IOR's JSON, which has bare nan, and unescaped quotes in paths."""
    try:
        tree = json.loads(BARE.sub(r"\1null", text))
    except (ValueError, RecursionError) as why:
        raise broken(source, "not JSON, as IOR leaves it when it is cut off, or when a "
                     "path has a quotation mark: %s" % why)
    if not isinstance(tree, dict):
        raise broken(source, "it is not an object")
    version = printable(member(tree, "Version", str, source))
    some = [json_test(test, tree, version, source)
            for test in objects(tree, "tests", source)]
    if not some:
        raise broken(source, "it has no test")
    return number_apart(some)


def objects(tree, name, where):
    found = member(tree, name, list, where)
    if not all(isinstance(row, dict) for row in found):
        raise broken(where, "%s is not a list of objects" % name)
    return found


def json_test(found, tree, version, source):
    test = Result(TOOL, version, count(found.get("TestID"), source + ": TestID"))
    where = "%s: test %s: " % (source, test.test)
    options = member(found, "Options", dict, where)
    parameters = member(found, "Parameters", dict, where)
    test.command(member(tree, "Command line", str, source, " "))
    test.started(member(found, "StartTime", str, where, " "), FORM)
    test.host = host_of(member(tree, "Machine", str, source, " "))
    take_names(test, options)
    take_shape(test, options, where)
    take_parameters(test, parameters, where)
    if not isinstance(tree.get("Finished"), str):
        test.fail(CUT)
    rows = json_rows(found, where)
    take_rows(test, rows, positive(options.get("repetitions"), where + "repetitions"))
    hold_against(test, json_summary(tree, test.test, source))
    return test


def take_parameters(test, parameters, where):
    """Takes the parameters that the section Options lacks. A value of 0 was not asked
    for: IOR's text leaves it out."""
    for name, value in parameters.items():
        low = name.strip().lower()
        if low not in test.options or low in EXACT.values():
            value = printable(value) if isinstance(value, str) else value
            test.option(name, value, "B" if low in EXACT.values() else None,
                        bool(value) and low not in JSON_NO_WORK)
    if "fsync" in parameters:
        test.io["sync"] = "phase" if parameters["fsync"] else "none"
    if parameters.get("checkRead") or parameters.get("checkWrite"):
        test.warn("unverified", "errors that IOR finds in data would not be seen in "
                  "this format; its exit status tells")
    if parameters.get("deadlineForStonewall"):
        test.warn("stonewalled", "a deadline of %s s may have cut transfers off"
                  % printable(parameters["deadlineForStonewall"]))


def json_rows(found, where):
    rows = OrderedDict()
    for i, result in enumerate(objects(found, "Results", where)):
        at = "%sResults[%d]" % (where, i)
        access = member(result, "access", str, at)
        if access not in ("write", "read", "remove"):
            raise broken(at, "its access is not known")
        row = {mine: json_number(result, name, at) for name, mine in COLUMNS.items()}
        row["Latency(s)"] = row["Latency(s)"] or None   # 0.0000 is below its digits
        rows.setdefault(access, []).append(row)
    return rows


def json_number(tree, name, where):
    if name not in tree:
        raise broken(where, "there is no %s" % name)
    value = tree[name]
    return None if value is None else number(value, "%s.%s" % (where, name))


def json_summary(tree, test, source):
    found = {}
    for row in objects(tree, "summary", source):
        if str(row.get("TestID")) == test:
            found[printable(row.get("operation"))] = {
                name: str(row.get(theirs)) for name, theirs in (
                    ("Max", "bwMaxMIB"), ("Min", "bwMinMIB"), ("Mean", "bwMeanMIB"),
                    ("xsize", "transferSize"), ("blksiz", "blockSize"))}
    return found


# ---- CSV ---------------------------------------------------------------------


def read_csv(text, source):
    lines = text.strip("\n").split("\n")
    test = Result(TOOL, None)
    columns, rows = lines[0].strip().split(","), OrderedDict()
    for i, line in enumerate(lines[1:], 2):
        cells = line.split(",")
        where = "%s:%d" % (source, i)
        if len(cells) != len(columns) or cells[0] not in ("write", "read", "remove"):
            raise broken(where, "it is not a row of IOR's CSV")
        some = rows.setdefault(cells[0], [])
        some.append({name: number(cell, where)
                     for name, cell in zip(columns[1:], cells[1:])})
        if count(cells[-1], where) != len(some) - 1:
            test.fail("line %d: repetition %s of %s is out of order"
                      % (i, printable(cells[-1]), cells[0]))
        ranks = positive(cells[-2], where)
        if test.ranks not in (None, ranks):
            test.fail("its rows have different numbers of tasks")
        test.ranks = ranks
        for name in ("xfer(KiB)", "block(KiB)"):
            kib = number(cells[columns.index(name)], where)
            test.option({"x": "transfersize", "b": "blocksize"}[name[0]],
                        None if kib is None else round(kib * 1024), "B")
    if not text.endswith("\n") or len(rows) == 0:
        test.fail(CUT)
    test.lost.append("this format has no parameters, nodes, version and date")
    take_rows(test, rows, None)
    return [test]


# ---- CSV of the ranks --------------------------------------------------------


def read_ranks(text, source):
    """Reads the time and the rate of each rank. A repetition begins at rank 0."""
    test = Result(TOOL)
    _, rows = whole_table(test, text, source)
    blocks = OrderedDict()
    for i, (access, rank, seconds, _, rate) in ((i, row[:5]) for i, row in rows):
        where = "%s:%d" % (source, i)
        some = blocks.setdefault(access, [])
        if access not in ACCESSES:
            raise broken(where, "its access is not known")
        if count(rank, where) == 0:
            some.append([])
        if not some or len(some[-1]) != int(rank):
            raise broken(where, "rank %s is out of order" % printable(rank))
        some[-1].append((number(seconds, where), number(rate, where)))
    sizes = [len(block) for some in blocks.values() for block in some]
    if len(set(sizes)) != 1:
        test.fail("its repetitions have different numbers of ranks" if sizes else CUT)
    test.ranks = max(sizes or [0]) or None
    for access, some in blocks.items():
        take_blocks(test, access, some)
    return [test]


def take_blocks(test, access, some):
    if any(None in row for block in some for row in block):
        test.fail("a rank's time or rate is no number")
        return
    test.figure(access + "_MBps", "MB/s", "higher", [of_ranks(block) for block in some],
                "bytes of all ranks (throughput x runtime) / the longest runtime, with "
                "open and close")
    for name, which in (("slowest", min), ("fastest", max)):
        test.results["%s_rank_%s_MBps" % (access, name)] = [
            which(rate for _, rate in block) / 1e6 for block in some]


def of_ranks(block):
    longest = max(seconds for seconds, _ in block)
    return sum(seconds * rate for seconds, rate in block) / longest / 1e6 \
        if longest else None


FORMATS = [Format(TOOL, "text", is_text, read_text),
           Format(TOOL, "JSON", is_json, read_json),
           Format(TOOL, "CSV", is_csv, read_csv),
           Format(TOOL, "CSV of ranks", is_ranks, read_ranks)]
