"""leadline sweep --submit: submits each run as a job of Slurm."""
import getpass
import math
import shlex
import shutil
import subprocess
import time

from leadline.base.errors import LeadlineError, usage
from leadline.results import run as runs
from leadline.sweep import spec as specs

# seconds between polls of the queue: longer while nothing ends
QUICK_S, SLOW_S = 1, 30
PATIENCE = 20             # consecutive polls that may fail, as when Slurm is restarted
STARTS = 3                # of a run, if it crashes before there is a report
LATE_S = 5                # delay after which a network file system shows a job's report


class Job:
    def __init__(self, run, number):
        self.run, self.number, self.began = run, number, time.monotonic()


def check():
    for name in ("sbatch", "squeue", "scancel"):
        if not shutil.which(name):
            raise usage("--submit needs Slurm, and %s is not on PATH" % name)


def tool(words, said="", env=None):
    """Runs one of Slurm's commands. Returns (exit status, stdout, stderr in one
    line)."""
    child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, universal_newlines=True, env=env,
                             start_new_session=True)  # Ctrl-C must reach only us
    out, err = child.communicate(said)
    return child.returncode, out, " ".join(err.split())


def no_pattern(path):
    """Escapes a path: %j is the job's number; but if there is a backslash anywhere,
    nothing is replaced."""
    return path.replace("\\", "\\\\") if "\\" in path else path.replace("%", "%%")


# The run, which is started again if it crashes before there is a report: some launchers
# lose one start in many.
SCRIPT = """#!/bin/sh
for LEADLINE_STARTS in %s; do
    export LEADLINE_STARTS
    %s
    status=$?
    [ $status -gt 128 ] && [ ! -e %s ] || exit $status
done
exit $status
"""


def submit(run, spec, env):
    """Submits a run. Returns the number of the new job."""
    script = SCRIPT % (" ".join(map(str, range(1, STARTS + 1))),
                       " ".join(shlex.quote(w) for w in run.command),
                       shlex.quote(run.path))
    status, out, err = tool(
        ["sbatch", "--parsable", "--job-name=" + runs.name(run),
         "--output=" + no_pattern(runs.log_path(run)),
         "--ntasks=%d" % specs.ranks(spec, run.config),
         "--time=%d" % math.ceil(spec["timeout"] / 60.0)] + spec["sbatch"], script, env)
    if status:
        raise LeadlineError("sbatch refuses %s: %s" % (runs.name(run), err))
    return out.strip().split(";")[0]


class Queue:
    """Slurm's queue. Runs are found in it by their names, which no other sweep has."""

    def __init__(self):
        self.failures = 0

    def look(self):
        """Returns {name: number} of our user's jobs that have not ended; None:
        unknown."""
        status, out, err = tool(["squeue", "--noheader", "--user=" + getpass.getuser(),
                                 "--format=%i %j"])
        if status:
            self.failures += 1
            if self.failures == PATIENCE:
                raise LeadlineError("squeue fails again and again: %s" % err)
            return None
        self.failures = 0
        rows = [line.split(None, 1) for line in out.splitlines()]
        return {row[1]: row[0] for row in rows if len(row) == 2}

    def now(self):
        there = self.look()
        while there is None:
            time.sleep(QUICK_S)
            there = self.look()
        return there

    def ended(self, jobs):
        there = self.now()
        return [job for job in jobs if runs.name(job.run) not in there]

    def wait(self, jobs):
        """Waits for jobs to end, and returns those that have, at least one."""
        since, ended = time.monotonic(), []
        while not ended:
            time.sleep(min(SLOW_S, max(QUICK_S, (time.monotonic() - since) / 10)))
            ended = self.ended(jobs)
        return ended


def failure(sweep, run):
    """Returns what went wrong in a run whose job has ended, or ""."""
    deadline = time.monotonic() + LATE_S
    while not sweep.done(run):
        if time.monotonic() > deadline:
            return "its job left no valid report: " + runs.said(run)
        time.sleep(QUICK_S)
    return ""


def cancel(queue, jobs):
    """Cancels jobs, and waits for their end: otherwise the next call would take them
    for running ones."""
    if jobs:
        tool(["scancel"] + [job.number for job in jobs])
    while jobs:
        for job in queue.wait(jobs):
            jobs.remove(job)


def results(sweep, todo, progress, at_once):
    """Generates (run, seconds since it was submitted, "" or what went wrong) for each
    run, as they end; at most `at_once` are in the queue at once. Jobs that a killed
    call left there are waited for, and not submitted again."""
    todo, jobs, queue = list(todo), [], Queue()
    left = queue.now()
    try:
        while todo or jobs:
            while todo and len(jobs) < at_once:
                run = todo.pop(0)
                if run.config.name in sweep.left_out:
                    continue
                progress.begin(run)
                number = left.get(runs.name(run)) or submit(
                    run, sweep.spec, sweep.env[run.config.name])
                jobs.append(Job(run, number))
            for job in queue.wait(jobs) if jobs else []:
                jobs.remove(job)
                yield (job.run, time.monotonic() - job.began, failure(sweep, job.run))
    finally:
        cancel(queue, jobs)
