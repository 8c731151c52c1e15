"""leadline sweep: runs a matrix of configurations, interleaved and resumable."""
import binascii
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, Dict, Optional

from leadline.base import launcher, lock, output, table
from leadline.base.errors import LeadlineError, usage
from leadline.base.options import operand, option
from leadline.results import report as reports
from leadline.results import run as runs
from leadline.results.run import Run
from leadline.sweep import enough, factors, inside, need, slurm
from leadline.sweep import spec as specs
from leadline.sweep import sweep_state as state

PATIENCE_S = 10   # from asking a run to end to killing it
LOOK_S = 0.05     # between polls for the end of a run
IN_A_ROW = 3      # consecutive failures after which a configuration is left out


class RunsFailed(LeadlineError):
    """Some runs failed; the others have reports."""


class Sweep:
    def __init__(self, spec, out, where, slurm=False, known=None):
        """known: the sweep as an earlier call made it, or None."""
        self.spec, self.out = spec, out
        self.id = known.id if known else new_id(spec)
        if spec["seed"] is None:
            self.spec = dict(spec, seed=new_seed() if not known or known.seed is None
                             else known.seed)
        self.configs = specs.configurations(spec)
        names = known and known.names
        if names and len(names) == len(self.configs):
            self.configs = [c._replace(name=n) for n, c in zip(names, self.configs)]
        self.commands = {c.name: specs.command(spec, c, where, slurm)
                         for c in self.configs}
        self.env = {c.name: factors.environment(spec, c) for c in self.configs}
        self.lock = None        # lock of its folder, which runs inherit
        self.left_out = set()   # names of configurations that failed repeatedly
        self.order = [specs.order(self.configs, number, self.spec["seed"])
                      for number in range(1, spec["rounds"] + 1)]
        self.runs = [self.run(config, i + 1, self.commands[config.name])
                     for i, line in enumerate(self.order) for config in line]

    @property
    def names(self):
        return [config.name for config in self.configs]

    def run(self, config, number, command):
        path = os.path.join(self.out, "%s-%s-%d.json" % (self.id, config.name, number))
        series = "%s,%s,%d" % (self.id, config.name, number)
        return Run(config, number, path,
                   command + ["--json", path, "--series", series, "--quiet"])

    def put_together(self, run, timeout):
        """Makes one run of all runs."""
        self.runs = [run]
        self.env[run.config.name] = factors.environment(self.spec, run.config)
        self.spec = dict(self.spec, timeout=timeout)

    def done(self, run):
        """True if there is a valid report of this very run."""
        try:
            found = reports.load(run.path)
        except LeadlineError:
            return False
        return found.valid and (found.series_id, found.config, found.round) == (
            self.id, run.config.name, run.round)


def new_id(spec):
    """Returns a new id. Two sweeps that begin in the same second, as jobs of an array
    do, are two series."""
    program = factors.chosen(spec, specs.configurations(spec)[0], "program")
    return specs.join([os.path.basename(program)[:specs.LONG],
                       time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
                       binascii.hexlify(os.urandom(2)).decode("ascii")])


def new_seed():
    return int.from_bytes(os.urandom(4), "big")


# ---- one run -----------------------------------------------------------------


def stop(process):
    """Asks the launcher's whole process group to end, so that the programs remove their
    files; kills it if it does not."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(PATIENCE_S)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            continue
        break
    process.wait()


def wait(process, timeout):
    """Returns the exit status, or None after the timeout. It polls, since a Ctrl-C just
    before an endless wait would only be handled after it."""
    deadline = time.monotonic() + timeout if timeout else None
    while process.poll() is None:
        if deadline and time.monotonic() > deadline:
            return None
        time.sleep(LOOK_S)
    return process.returncode


def execute(run, env, timeout, lock_file=None, tell=None):
    """Starts one run and waits. Returns "", or what went wrong in a sentence. A start
    that crashes before there is a report is tried again, and `tell` gets a sentence."""
    for start in range(1, slurm.STARTS + 1):
        counted = dict(os.environ if env is None else env, LEADLINE_STARTS=str(start))
        failure, status = execute_once(run, counted, timeout, lock_file)
        crashed = status is not None and (status < 0 or status > 128)
        if not crashed or os.path.exists(run.path):
            break
        if tell:
            tell("%s round %d: start %d of %d crashed before there was a report: %s"
                 % (run.config.name, run.round, start, slurm.STARTS, failure))
    return failure


def execute_once(run, env, timeout, lock_file):
    """Returns ("" or what went wrong, exit status or None)."""
    with output.fresh(runs.log_path(run)) as log:
        try:
            # A session of its own: Ctrl-C reaches only us, and we can end the whole
            # group.
            process = subprocess.Popen(run.command, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, env=env,
                                       pass_fds=[lock_file] if lock_file else [],
                                       start_new_session=True)
        except OSError as why:
            return "%s cannot be started: %s" % (run.command[0], why.strerror), None
        try:
            status = wait(process, timeout)
        except BaseException:
            stop(process)
            raise
        if status is None:
            stop(process)
            return "it did not end within %g s and was stopped" % timeout, None
    return ("%s (%s)" % (runs.said(run), runs.ending(status)) if status else "", status)


def results(sweep, todo, progress):
    """Generates (run, its seconds, "" or what went wrong), one run after another."""
    for run in todo:
        if run.config.name in sweep.left_out:
            continue
        progress.begin(run)
        began = time.monotonic()
        failure = execute(run, sweep.env[run.config.name], sweep.spec["timeout"],
                          sweep.lock, progress.say)
        if not failure and not sweep.done(run):
            failure = "it ended well but left no valid report in " + run.path
        yield run, time.monotonic() - began, failure


# ---- progress ----------------------------------------------------------------


class Progress:
    """One line, redrawn, if stderr is a terminal; else a line for every run. total:
    number of all runs; None if it is unknown at the start."""

    def __init__(self, total, quiet, at_once=1):
        self.total, self.quiet, self.at_once = total, quiet, at_once
        self.terminal = sys.stderr.isatty()
        self.seconds = []   # of this call's runs
        self.done = 0       # including those done by earlier calls

    def left(self):
        if not self.seconds or self.total is None:
            return ""
        mean = sum(self.seconds) / len(self.seconds)
        left = int(round(mean * (self.total - self.done) / self.at_once))
        return ", %d:%02d left" % divmod(left, 60)

    def place(self, number):
        return "run %d" % number if self.total is None else "%d/%d" % (number,
                                                                       self.total)

    def begin(self, run):
        if self.terminal and not self.quiet:
            self.draw("%s  round %d  %s%s" % (self.place(self.done + 1), run.round,
                                              run.config.name, self.left()))

    def end(self, run, seconds, failure):
        self.done += 1
        self.seconds.append(seconds)
        if failure:
            self.say("%s round %d failed: %s" % (run.config.name, run.round, failure))
        elif not self.terminal:
            self.tell("%s %s round %d: %.1f s%s"
                      % (self.place(self.done), run.config.name, run.round, seconds,
                         self.left()))

    def tell(self, line):
        if not self.quiet:
            self.say(line)

    def draw(self, line):
        sys.stderr.write("\r\033[K" + line)
        sys.stderr.flush()

    def say(self, line):
        self.clear()
        sys.stderr.write("leadline sweep: %s\n" % line)
        sys.stderr.flush()

    def clear(self):
        if self.terminal and not self.quiet:
            self.draw("")


# ---- all of them -------------------------------------------------------------


class Tally:
    """Counts the results of this call's runs."""

    def __init__(self, sweep, progress):
        self.sweep, self.progress = sweep, progress
        self.failed, self.good, self.in_a_row = 0, progress.done, {}

    def add(self, run, seconds, failure):
        self.progress.end(run, seconds, failure)
        name = run.config.name
        self.in_a_row[name] = self.in_a_row.get(name, 0) + 1 if failure else 0
        if not failure:
            self.good += 1
            runs.forget(run)
            return
        self.failed += 1
        if self.in_a_row[name] == IN_A_ROW and not self.hopeless():
            self.sweep.left_out.add(name)
            self.progress.say("%s failed %d times in a row and is left out from here on"
                              % (name, IN_A_ROW))

    def hopeless(self):
        return not self.good and self.failed >= len(self.sweep.configs)


def run_all(sweep, quiet, jobs, ends):
    """Returns (runs that failed, all runs). jobs: number of simultaneous jobs of Slurm,
    0: no jobs. ends: conditions that may end the sweep before its last round."""
    todo = [run for run in sweep.runs if not sweep.done(run)]
    progress = Progress(None if ends else len(sweep.runs), quiet, jobs or 1)
    progress.done = len(sweep.runs) - len(todo)
    if progress.done:
        progress.tell("%d of %d runs are there already" % (
            progress.done, len(sweep.runs)) if not ends else
            table.plural(progress.done, "run is", "runs are") + " there already")
    for end in ends:
        progress.tell(end.forecast())
    tally = Tally(sweep, progress)
    try:
        for number, part in parts(sweep, todo, ends):
            why = next(filter(None, (end.before(number, part) for end in ends)), "")
            if why:
                progress.tell(why)
            if why or not run_part(sweep, part, jobs, tally):
                break
    finally:
        progress.clear()
    for words in filter(None, (end.outcome() for end in ends)):
        progress.tell(words)
    return tally.failed, progress.done if ends else len(sweep.runs)


def parts(sweep, todo, ends):
    """Generates (round, its runs that are left) if something is decided after each
    round; else all at once."""
    if not ends:
        return [(1, todo)]
    rounds = range(1, sweep.spec["rounds"] + 1)
    return [(n, [run for run in todo if run.round == n]) for n in rounds]


def run_part(sweep, todo, jobs, tally):
    """Runs a part; returns True if it is worth continuing."""
    way = (slurm.results(sweep, todo, tally.progress, jobs) if jobs
           else results(sweep, todo, tally.progress))
    try:
        for run, seconds, failure in way:
            tally.add(run, seconds, failure)
            if tally.hopeless() and run is not todo[-1]:
                tally.progress.say("every configuration failed: giving up")
                return False
    finally:
        way.close()
    return not tally.hopeless()


def check_start(sweep, submit):
    """Checks what all runs need before the first of them. Jobs may find other
    launchers."""
    for config in sweep.configs:
        factors.check_hostfile(factors.chosen(sweep.spec, config, "hostfile"))
        if not submit:
            launcher.check(sweep.commands[config.name])


def check_options(args):
    if args.jobs and not args.submit:
        raise usage("--jobs says how many jobs --submit may have at once")
    if args.format and not args.dry_run:
        raise usage("--format is for --dry-run")
    if args.rates and not (args.dry_run or args.budget):
        raise usage("--rates is for --dry-run and --budget")
    if args.figure and not args.until:
        raise usage("--figure is for --until")
    inside.check(args)


def specification(args, tree):
    """Returns the specification, with what the command line asks for."""
    spec = specs.read(args.spec) if tree is None else specs.check(args.spec, tree)
    if args.rounds or args.until or args.budget:
        spec["rounds"] = args.rounds or enough.MOST_ROUNDS
        specs.check_size(args.spec, spec)
    return spec


def plan(args, spec, out, where):
    """Implements --dry-run: reads what is there, and changes nothing."""
    known = None if args.fresh else state.known(spec, out)
    sweep = Sweep(spec, out, where, in_job(args), known)
    return need.show(sweep, where, args, enough.outlook(sweep, where, args))


def in_job(args):
    return args.submit or launcher.within_slurm()


def begin(args, spec, out, where, tree):
    """Returns (the sweep, conditions that may end it) when every check has passed. Only
    then it locks the folder and changes anything in it."""
    sweep = Sweep(spec, out, where, in_job(args),
                  None if args.fresh else state.known(spec, out))
    together = args.inside == "auto" and is_together(spec, where)
    ends = [] if together else enough.ends(sweep, where, args)
    if args.fresh:
        state.set_aside(out)
    if tree is not None:
        output.write(args.spec, json.dumps(tree, indent=1) + "\n")
    state.save(sweep)
    if together:
        sweep.put_together(inside.run(sweep, where, args, in_job(args)),
                           inside.timeout(sweep, args))
    return sweep, ends


def is_together(spec, where):
    """True if one run compares all configurations; else says why not."""
    why = inside.refusal(spec, where)
    if why:
        sys.stderr.write("leadline sweep: each configuration is run by itself: %s\n"
                         % why)
    return not why


def main(args: Any, where: Any, tree: Optional[Dict[str, Any]] = None) -> int:
    """tree: a specification, which is written to args.spec; None: it is read from
    there."""
    check_options(args)
    spec = specification(args, tree)
    out = args.out or os.path.splitext(os.path.basename(args.spec))[0]
    if args.dry_run:
        return plan(args, spec, out, where)
    if args.submit:
        slurm.check()
    check_start(Sweep(spec, out, where, in_job(args)), args.submit)
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (out, why.strerror))
    runs.end_on_signals()
    with lock.held(out) as handle:
        sweep, ends = begin(args, spec, out, where, tree)
        sweep.lock = handle
        failed, tried = run_all(sweep, args.quiet, args.submit and (args.jobs or 1),
                                ends)
    if failed:
        raise RunsFailed("%d of %d runs failed; all they said is in the .log files "
                         "in %s" % (failed, tried, sweep.out),
                         todo="The same command tries them again")
    return 0


OPTIONS = [
    operand("SPEC", "spec", "the specification of the sweep"),
    option("--out DIR",
           "directory for the reports (default: SPEC's name without .json)",
           "Where the reports and the state (`sweep.json`, with the seed and the order "
           "of the runs) are written. Default: SPEC's name without its suffix. A "
           "directory with a sweep of another specification is refused."),
    option("--rounds N", "number of rounds, instead of SPEC's",
           "Number of rounds, instead of the specification's. With `--until` or "
           "`--budget`, the maximum; its default is then %d." % enough.MOST_ROUNDS,
           type=output.positive),
    *enough.OPTIONS,
    *inside.OPTIONS,
    option("--submit", "make each run a Slurm job, with SPEC's options of sbatch",
           "Each run is a job of Slurm, with the specification's options of sbatch, as "
           "many tasks as ranks, and `timeout` (in whole minutes) as its time limit. "
           "Progress, failures and resuming work as described above; an interruption "
           "cancels the jobs. If `leadline` itself is killed, the jobs continue, and "
           "the same command waits for them."),
    option("--jobs N",
           "with --submit: maximum jobs in the queue (default: 1, because two would "
           "disturb each other)",
           "With `--submit`: the maximum number of jobs in the queue. Default: 1, "
           "because two would disturb each other.",
           type=output.positive),
    option("--dry-run",
           "print the commands, what they need, and how long they will take judging by "
           "the runs in DIR, and do nothing",
           "Only prints the commands of the remaining runs and, for each "
           "configuration, the memory of all ranks, the files and their bytes, the "
           "bytes that one run writes and reads, and its time; a question mark is an "
           "unknown number. What a program refuses is printed, with exit status 1. A "
           "last sentence says how large a difference the rounds would show."),
    option("--rates REPORT",
           "with --dry-run and --budget: a report, or a directory of reports, from "
           "which to estimate times",
           "With `--dry-run` and `--budget`: a report, or a directory of reports, from "
           "which to estimate times, instead of DIR."),
    option("--format", "format of --dry-run (default: text, a shell script)",
           "Format of `--dry-run`: `text` (the default), which is a valid shell script "
           "with everything but the commands as comments, or `json`, with the schema "
           "leadline-plan/1.",
           choices=["text", "json"]),
    option("--fresh",
           "start again; results of an earlier sweep in DIR are moved to a "
           "subdirectory",
           "Starts again. Results of an earlier sweep in DIR are moved to a "
           "subdirectory. Use it also if `sweep.json` cannot be read."),
    option("--quiet", "print no progress", "No progress."),
]


def add(commands):
    p = commands.add_parser(
        "sweep", help="run a matrix of configurations, interleaved and resumable",
        description="Runs every configuration of SPEC (JSON, or TOML with Python "
                    "3.11 or later) once per round, in an order that is drawn for "
                    "each round separately. Runs that have a valid report are skipped: "
                    "repeat the command to resume.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
