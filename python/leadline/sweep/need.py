"""leadline sweep --dry-run: prints the commands, what they need and move, and how long
they take.

The programs tell their needs themselves (--dry-run --json). The output is still a shell
script: all but the commands is a comment.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import OrderedDict, namedtuple
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Optional, Tuple

from leadline.base import fields, output, stats, table
from leadline.base.errors import FAILED, LeadlineError
from leadline.base.names import unit_of
from leadline.results import report as reports
from leadline.sweep import factors, spec

SCHEMA = "leadline-plan/1"
AT_ONCE = 4       # programs that are asked at a time, for each core
TOLD_EACH = 100   # answers between two lines of progress
PATIENCE_S = 60   # planning takes no time, but starting a program may

# Output of a program with --dry-run --json; null: unknown.
TOLD = OrderedDict([
    ("ranks", "positive"), ("rank_memory_bytes", "count?"), ("files", "count?"),
    ("disk_bytes", "count?"), ("write_bytes", "count?"), ("read_bytes", "count?")])

# known: from runs of this very configuration
Row = namedtuple("Row", "config program need why left seconds known")


# ---- needs of the programs ---------------------------------------------------


def ask_all(sweep: Any, where: Any) -> Dict[str, Tuple[Any, str]]:
    """Returns {name: (needs, "") or (None, why they are unknown)} of configurations. A
    program is asked once for those that start it alike, and several at a time are
    asked, since starting one is mostly waiting."""
    alike: Dict[str, List[Any]] = OrderedDict()
    for config in sweep.configs:
        line = spec.program_line(sweep.spec, config, where)
        alike.setdefault(repr((line, spec.ranks(sweep.spec, config), factors.variables(
            sweep.spec, config))), []).append(config)
    found: Dict[str, Tuple[Any, str]] = {}
    folder = tempfile.mkdtemp(prefix="leadline-need-")
    try:
        with ThreadPoolExecutor(AT_ONCE * (os.cpu_count() or 1)) as pool:
            asked = pool.map(lambda pair: ask(sweep, pair[1][0], where, os.path.join(
                folder, "need-%d.json" % pair[0])), enumerate(alike.values()))
            for i, (configs, answer) in enumerate(zip(alike.values(), asked), 1):
                found.update((config.name, answer) for config in configs)
                if i % TOLD_EACH == 0:
                    sys.stderr.write("leadline sweep: %d of %d programs have told what "
                                     "they need\n" % (i, len(alike)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def ask(sweep: Any, config: Any, where: Any, path: str) -> Tuple[Any, str]:
    """Returns (needs of `config`, "") or (None, why they are unknown)."""
    why = refusal(sweep.spec, config, where, ["--json=" + path])
    if why:
        return None, why
    try:
        return read(path), ""
    except LeadlineError as lost:
        return None, str(lost)


def refusal(tree: Dict[str, Any], config: Any, where: Any, more: List[str]) -> str:
    """Has a program plan a configuration, with `more` arguments. Returns what it says
    against it; "": nothing."""
    line = spec.program_line(tree, config, where) + more + [
        "--dry-run", "--quiet", "--ranks=%d" % spec.ranks(tree, config)]
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=factors.environment(tree, config),
            timeout=PATIENCE_S)
    except OSError as why:
        return "%s cannot be started: %s" % (line[0], why.strerror)
    except subprocess.TimeoutExpired:
        return "%s does not answer" % line[0]
    said = fields.printable(done.stderr.decode("utf-8", "replace").strip())
    return (said or "exit status %d" % done.returncode) if done.returncode else ""


def read(path):
    tree = reports.read_json(path)
    os.unlink(path)
    faults = fields.check(tree, dict(TOLD, program="name"), "$")
    if faults:
        raise LeadlineError("its --dry-run cannot be read: %s" % faults[0])
    return tree


# ---- duration ----------------------------------------------------------------


def moved(samples):
    return sum(row.get("bytes") or 0 for row in samples
               if row.get("act") in ("read", "write"))


class Earlier:
    """Statistics of earlier runs: seconds of wall time, and bytes that they moved."""

    def __init__(self, sweep, path):
        found = []
        if os.path.isdir(path):
            found = reports.load_directory(path)[0]
        elif path != sweep.out:
            found = [reports.load(path)]
        self.runs = [r for r in found if r.valid and r.wall_s]
        self.id = sweep.id
        if path != sweep.out and not self.runs:
            raise LeadlineError("%s: it holds no valid report" % path)

    def starting(self):
        """Returns the overhead of a run in seconds, such as starting its program: the
        usual time from the end of the run before to its start; 0 if unknown."""
        times = sorted((reports.milliseconds(r.start_utc) / 1000.0, r.wall_s)
                       for r in self.runs if r.series_id == self.id
                       and reports.milliseconds(r.start_utc) is not None)
        gaps = [then[0] - at - took for (at, took), then in zip(times, times[1:])]
        return max(stats.median(gaps), 0.0) if gaps else 0.0

    def seconds(self, name, program, need):
        """Returns (seconds of a run of this configuration, whether they are from its
        own runs). Without own runs: its bytes by the rate of others, first those of its
        name, counting all their time; None: unknown."""
        own = [r.wall_s for r in self.runs
               if (r.series_id, r.config) == (self.id, name)]
        if own:
            return stats.median(own), True
        if need is None or None in (need["write_bytes"], need["read_bytes"]):
            return None, False
        rates = [(r.config == name, moved(r.samples) / r.wall_s) for r in self.runs
                 if r.program == program and moved(r.samples)]
        like = [rate for same, rate in rates if same]
        rate = stats.median(like or [rate for _, rate in rates] or [0.0])
        bytes_ = need["write_bytes"] + need["read_bytes"]
        return (bytes_ / rate if rate else None), False


def rows(sweep, left, where, earlier):
    """Returns the needs of each configuration; `left`: its runs that are yet to be
    done."""
    told = ask_all(sweep, where)
    for config in sweep.configs:
        need, why = told[config.name]
        program = need["program"] if need else ""
        seconds, known = earlier.seconds(config.name, program, need)
        yield Row(config, program, need, why, left[config.name], seconds, known)


# ---- output ------------------------------------------------------------------


def size(count):
    if count is None:
        return "?"
    unit, one = unit_of(count)
    return "%d B" % count if one == 1 else "%.1f %s" % (count / one, unit)


def duration(seconds: Optional[float]) -> str:
    if seconds is None:
        return "?"
    if seconds < 100:
        return "%.*f s" % (seconds < 10, seconds)
    minutes, rest = divmod(int(round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return "%d:%02d:%02d" % (hours, minutes, rest)


HEADER = ["configuration", "ranks", "runs", "memory", "files", "disk", "written",
          "read", "time"]


def value(row, name):
    return row.need[name] if row.need else None


def cells(row):
    memory, ranks = value(row, "rank_memory_bytes"), value(row, "ranks")
    files = value(row, "files")
    return [row.config.name, "?" if ranks is None else str(ranks), str(row.left),
            size(None if memory is None else memory * ranks),
            "?" if files is None else str(files)] + [
                size(value(row, name)) for name in (
                    "disk_bytes", "write_bytes", "read_bytes")] + [
                        duration(row.seconds)]


def total(some, get):
    """Adds up over all runs that are left; None if the value of one is unknown."""
    values = [(get(row), row.left) for row in some if row.left]
    return (None if any(v is None for v, _ in values)
            else sum(v * left for v, left in values))


def totals(some):
    return OrderedDict(
        [("runs", sum(row.left for row in some))]
        + [(name, total(some, lambda row, name=name: value(row, name)))
           for name in ("write_bytes", "read_bytes")]
        + [("seconds", total(some, lambda row: row.seconds))])


def how_long(some, seconds):
    left = [row for row in some if row.left]
    if not left:
        return "Nothing is left to do."
    if all(row.seconds is None for row in left):
        return "No estimate of the time: no earlier run."
    unknown = sum(row.left for row in left if row.seconds is None)
    words = ("About %s in all" % duration(seconds) if not unknown else
             "No estimate for %d of the runs; about %s for the others" % (
                 unknown, duration(total([r for r in left if r.seconds is not None],
                                         lambda row: row.seconds))))
    words += ", one after another, without what starting them takes"
    if all(row.known or row.seconds is None for row in left):
        return words + "; by earlier runs of the same configurations."
    return words + "; by the bytes per second of other runs where it has none itself."


def sentences(some, done):
    sums = totals(some)
    if done:
        yield "%d of %d runs are there already." % (done, done + sums["runs"])
    bytes_ = [sums[name] for name in ("write_bytes", "read_bytes")]
    runs = "%s%s" % (table.plural(sums["runs"], "run"), " left" if done else "")
    s = "s" if sums["runs"] == 1 else ""
    yield ("What the %s write%s and read%s is not known beforehand." % (runs, s, s)
           if None in bytes_ else
           "The %s write%s %s and read%s %s." % (
               runs, s, size(bytes_[0]), s, size(bytes_[1])))
    yield how_long(some, sums["seconds"])
    for row in some:
        if row.why:
            yield "%s: %s" % (row.config.name, row.why)


def script(commands, some, done, more):
    out = "".join(" ".join(map(shlex.quote, words)) + "\n" for words in commands)
    below = table.text(HEADER, list(map(cells, some)), right=range(1, len(HEADER)))
    below += "\n" + "".join(output.wrap(words) for words in
                            list(sentences(some, done)) + more)
    return out + "".join(("# " + line).rstrip() + "\n" for line in below.splitlines())


def tree(commands, some, done, more):
    def one(row):
        told = [(name, value(row, name)) for name in TOLD]
        return OrderedDict([("name", row.config.name), ("program", row.program or None),
                            ("runs", row.left)] + told
                           + [("seconds", row.seconds), ("why", row.why or None)])
    return OrderedDict([("schema", SCHEMA), ("configurations", list(map(one, some))),
                        ("done", done), ("left", totals(some)),
                        ("outlook", more), ("commands", commands)])


def shell_words(sweep, run):
    """Returns a run's command, with the environment that it asks for."""
    return factors.prefix(sweep.spec, run.config) + run.command


def left_runs(sweep):
    """Returns (runs that are yet to be done, {configuration: number})."""
    todo = [run for run in sweep.runs if not sweep.done(run)]
    left = OrderedDict((config.name, 0) for config in sweep.configs)
    for run in todo:
        left[run.config.name] += 1
    return todo, left


def round_seconds(sweep, where, args):
    """Returns the seconds of one round, from earlier runs; None if those of some
    configuration are unknown."""
    earlier = Earlier(sweep, args.rates or sweep.out)
    if args.rates:
        some = rows(sweep, left_runs(sweep)[1], where, earlier)
        seconds = [row.seconds for row in some]
    else:
        seconds = [earlier.seconds(c.name, "", None)[0] for c in sweep.configs]
    if None in seconds:
        return None
    return sum(seconds) + len(seconds) * earlier.starting()


def show(sweep, where, args, more):
    """Prints the plan, and more sentences. Returns the exit status: not 0 if a program
    refuses."""
    todo, left = left_runs(sweep)
    some = list(rows(sweep, left, where, Earlier(sweep, args.rates or sweep.out)))
    commands = [shell_words(sweep, run) for run in todo]
    done = len(sweep.runs) - len(todo)
    if args.format == "json":
        output.say(json.dumps(tree(commands, some, done, more), indent=1) + "\n")
    else:
        output.say(script(commands, some, done, more))
    return FAILED if any(row.why for row in some) else 0
