"""leadline sweep: runs a matrix of configurations, interleaved and resumable."""
import binascii
import json
import os
import signal
import subprocess
import sys
import time

from leadline import need, output
from leadline import report as reports
from leadline import run as runs
from leadline import slurm
from leadline import spec as specs
from leadline.errors import LeadlineError, usage
from leadline.run import Run

STATE = "sweep.json"
PATIENCE_S = 10   # between asking a run to end and killing it
LOOK_S = 0.05     # between looks whether a run has ended


class Sweep:
    def __init__(self, spec, out, identity, where):
        self.spec, self.out, self.id = spec, out, identity
        self.configs = specs.configurations(spec)
        commands = {c.name: specs.command(spec, c, where) for c in self.configs}
        self.runs = [self.run(config, number, commands[config.name])
                     for number in range(1, spec["rounds"] + 1)
                     for config in specs.order(self.configs, number, spec["seed"])]

    def run(self, config, number, command):
        path = os.path.join(self.out, "%s-%s-%d.json" % (self.id, config.name, number))
        series = "%s,%s,%d" % (self.id, config.name, number)
        return Run(config, number, path,
                   command + ["--json", path, "--series", series, "--quiet"])

    def done(self, run):
        """Whether a valid report of this very run is there."""
        try:
            found = reports.load(run.path)
        except LeadlineError:
            return False
        return found.valid and (found.series_id, found.config, found.round) == (
            self.id, run.config.name, run.round)


# ---- state on disk -----------------------------------------------------------


def new_id(spec):
    """Two sweeps that begin in one second, as jobs of an array do, are two series."""
    program = os.path.basename(spec["program"])
    return specs.join([program[:specs.LONG],
                       time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
                       binascii.hexlify(os.urandom(2)).decode("ascii")])


def resume_id(spec, out, fresh):
    """The identity of the sweep in `out`, where it is the same; else None."""
    path = os.path.join(out, STATE)
    if not os.path.exists(path):
        return None
    tree = reports.read_json(path)
    known = reports.schema_of(tree) == reports.SWEEP_SCHEMA
    if not known or not (isinstance(tree.get("spec"), dict)
                         and specs.text(tree.get("id"))
                         and specs.join([tree["id"]]) == tree["id"]):
        raise LeadlineError("%s: not the state of a sweep" % path)
    if fresh:
        set_aside(out, tree["id"])
        return None
    if not specs.same(spec, tree["spec"]):
        raise usage("%s holds a sweep of another specification: give another --out, "
                    "or --fresh to start over" % out)
    return tree["id"]


def set_aside(out, identity):
    """Moves an earlier sweep's files into a folder of its own: measurements are
    never deleted here."""
    folder = os.path.join(out, identity)
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(out):
        if name == STATE or name.startswith(identity + "-"):
            os.replace(os.path.join(out, name), os.path.join(folder, name))


def save_state(sweep):
    tree = {"schema": reports.SWEEP_SCHEMA, "id": sweep.id,
            "configs": [config.name for config in sweep.configs], "spec": sweep.spec}
    output.write(os.path.join(sweep.out, STATE), json.dumps(tree, indent=1) + "\n")


# ---- one run -----------------------------------------------------------------


def stop(process):
    """Asks the launcher's whole process group to end, so that the programs remove
    their files; then insists."""
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
    """The exit status, or None where the time is over. A look now and then: a Ctrl-C
    that comes just before a wait without end would be heard only after it."""
    deadline = time.monotonic() + timeout if timeout else None
    while process.poll() is None:
        if deadline and time.monotonic() > deadline:
            return None
        time.sleep(LOOK_S)
    return process.returncode


def execute(run, env, timeout):
    """Starts one run and waits. Returns "" or what went wrong, in a sentence."""
    with output.fresh(runs.log_path(run)) as log:
        try:
            # A session of its own: Ctrl-C comes to us, and all of it can be ended.
            process = subprocess.Popen(run.command, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, env=env,
                                       start_new_session=True)
        except OSError as why:
            return "%s cannot be started: %s" % (run.command[0], why.strerror)
        try:
            status = wait(process, timeout)
        except BaseException:
            stop(process)
            raise
        if status is None:
            stop(process)
            return "it did not end within %g s and was stopped" % timeout
    return "%s (exit status %d)" % (runs.said(run), status) if status else ""


def results(sweep, todo, env, progress):
    """(run, its seconds, "" or what went wrong) of each, one after another."""
    for run in todo:
        progress.begin(run)
        began = time.monotonic()
        failure = execute(run, env, sweep.spec["timeout"])
        if not failure and not sweep.done(run):
            failure = "it ended well but left no valid report in " + run.path
        yield run, time.monotonic() - began, failure


# ---- progress ----------------------------------------------------------------


class Progress:
    """One line, redrawn, where stderr is a terminal; else a line for every run."""

    def __init__(self, total, quiet, at_once=1):
        self.total, self.quiet, self.at_once = total, quiet, at_once
        self.terminal = sys.stderr.isatty()
        self.seconds = []   # of the runs of this call
        self.done = 0       # with those that were there before

    def left(self):
        if not self.seconds:
            return ""
        mean = sum(self.seconds) / len(self.seconds)
        left = int(round(mean * (self.total - self.done) / self.at_once))
        return ", %d:%02d left" % divmod(left, 60)

    def begin(self, run):
        if self.terminal and not self.quiet:
            self.draw("%d/%d  round %d  %s%s" % (self.done + 1, self.total, run.round,
                                                 run.config.name, self.left()))

    def end(self, run, seconds, failure):
        self.done += 1
        self.seconds.append(seconds)
        if failure:
            self.say("%s round %d failed: %s" % (run.config.name, run.round, failure))
        elif not self.terminal and not self.quiet:
            self.say("%d/%d %s round %d: %.1f s%s"
                     % (self.done, self.total, run.config.name, run.round, seconds,
                        self.left()))

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


def run_all(sweep, quiet, jobs):
    """Returns the number of runs that failed. jobs: as so many jobs of Slurm at once,
    0: here."""
    env = dict(os.environ, **sweep.spec["env"])
    todo = [run for run in sweep.runs if not sweep.done(run)]
    progress = Progress(len(sweep.runs), quiet, jobs or 1)
    progress.done = len(sweep.runs) - len(todo)
    if progress.done and not quiet:
        progress.say("%d of %d runs are there already"
                     % (progress.done, progress.total))
    way = (slurm.results(sweep, todo, env, progress, jobs) if jobs
           else results(sweep, todo, env, progress))
    try:
        return count_failures(sweep, way, progress)
    finally:
        way.close()
        progress.clear()


def count_failures(sweep, way, progress):
    failed, good = 0, progress.done
    for run, seconds, failure in way:
        progress.end(run, seconds, failure)
        if failure:
            failed += 1
        else:
            good += 1
            runs.forget(run)
        if not good and failed == len(sweep.configs) and progress.done < progress.total:
            progress.say("every configuration failed: giving up")
            break
    return failed


def on_term(signum, frame):
    raise KeyboardInterrupt


def main(args, where):
    if args.jobs and not args.submit:
        raise usage("--jobs says how many jobs --submit may have at once")
    if (args.rates or args.format) and not args.dry_run:
        raise usage("--rates and --format are for --dry-run")
    spec = specs.read(args.spec)
    if args.rounds:
        spec["rounds"] = args.rounds
    out = args.out or os.path.splitext(os.path.basename(args.spec))[0]
    if args.dry_run:
        identity = None if args.fresh else resume_id(spec, out, False)
        sweep = Sweep(spec, out, identity or new_id(spec), where)
        return need.show(sweep, where, args.rates, args.format or "text")
    if args.submit:
        slurm.check()
    identity = resume_id(spec, out, args.fresh) or new_id(spec)
    sweep = Sweep(spec, out, identity, where)
    try:
        os.makedirs(out, exist_ok=True)
        save_state(sweep)
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (out, why.strerror))
    signal.signal(signal.SIGTERM, on_term)
    failed = run_all(sweep, args.quiet, args.submit and (args.jobs or 1))
    if failed:
        raise LeadlineError("%d of %d runs failed; the same command tries them again"
                            % (failed, len(sweep.runs)))
    return 0
