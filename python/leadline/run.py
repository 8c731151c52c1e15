"""One run of a sweep: what it is called, and what it said."""
import os
import re
from collections import namedtuple

from leadline import report as reports

Run = namedtuple("Run", "config round path command")


def name(run):
    return os.path.basename(run.path)[:-len(".json")]


def log_path(run):
    return run.path[:-len(".json")] + ".log"


def said(run):
    """What the program said: its own line, else the launcher's last."""
    try:
        with open(log_path(run), errors="replace") as stream:
            lines = [reports.printable(line.strip()) for line in stream]
    except OSError:
        lines = []  # a job that never began
    lines = [line for line in lines if re.search(r"\w", line)]
    names = set(os.path.basename(word) + ":" for word in run.command)
    own = [line for line in lines if line.split(" ")[0] in names]
    return (own or lines[-1:] or ["it said nothing"])[0]


def forget(run):
    """Of a good run nobody needs the log."""
    if os.path.exists(log_path(run)):
        os.unlink(log_path(run))
