"""Writes the page of a run; started by "iotrace report".

"iotrace findings" judges, "iotrace bins" counts and "iotrace ldad" finds patterns; this
module puts their output into one self-contained HTML file.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from collections import OrderedDict

if not __package__:  # "iotrace report" starts it as a script
    sys.path.insert(0, os.path.abspath(os.path.join(__file__, "..", "..", "..")))

from leadline.base import output  # noqa: E402
from leadline.base.errors import FAILED, LeadlineError  # noqa: E402
from leadline.base.fields import printable  # noqa: E402
from leadline.trace import trace_page  # noqa: E402

WORSE = {"high": ("high",), "medium": ("high", "medium"),
         "low": ("high", "medium", "low")}
SCHEMA = "leadline-iotrace-findings"
FOUND = 3      # exit status with --fail-on


def ask(program, *args, **how):
    """Returns (JSON output of a command, its exit status); None: it wrote none."""
    child = subprocess.Popen((program,) + args, stdout=subprocess.PIPE, **how)
    out = child.communicate()[0]
    try:
        return json.loads(out.decode("utf-8", "replace")), child.returncode
    except ValueError:
        return None, child.returncode


def read_json(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return json.load(stream)
    except (OSError, ValueError) as why:
        raise LeadlineError("%s: cannot be read: %s" % (path, why))


def judged(args):
    """Returns (findings, exit status)."""
    if args.findings:
        found = read_json(args.findings)
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise LeadlineError("%s: it has no findings: its schema is not %s"
                                % (args.findings, SCHEMA))
        return found, 0
    more = ["--floor=" + args.floor] if args.floor else []
    return ask(args.program, "findings", "--json=-", *more + [args.run])


def chosen(found, only, known):
    """Returns findings with one of these names."""
    names = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [n for n in names if n not in known]
    if unknown:
        raise LeadlineError("--only: there is no finding %s; there are %s" % (
            unknown[0], ", ".join(known)), 2)
    return dict(found, findings=[f for f in found["findings"] if f["id"] in names])


def drawn(args, found, known, bins, words):
    try:
        return trace_page.render(found and dict(found, list=known), bins, *words)
    except (KeyError, TypeError, AttributeError, ValueError) as why:
        if not args.findings:
            raise
        raise LeadlineError("%s: damaged: %r is missing or of another kind"
                            % (args.findings, str(why)))


def make(args):
    bins, status = ask(args.program, "bins", "--slices=%d" % args.slices, args.run)
    if bins is None:
        return status or FAILED
    # "bins" has already printed its messages about the logs
    bins["patterns"] = ask(args.program, "ldad", "--json=-", args.run,
                           stderr=subprocess.DEVNULL)[0] or {"files": []}
    found, judged_status = judged(args)
    known = OrderedDict((row["id"], row) for row in ask(
        args.program, "findings", "--list=json")[0]["findings"])
    why = None
    if found is None:
        why = "This run could not be judged; what could be counted is shown."
    elif args.only:
        found = chosen(found, args.only, known)
    name = os.path.basename(os.path.abspath(args.run))
    made = "Made by iotrace %s on %s." % (args.version, time.strftime(
        "%Y-%m-%d %H:%M UTC", time.gmtime()))
    output.write(args.out, drawn(args, found, known, bins,
                                 (args.title or name, made, why)))
    if args.json and found is not None:
        output.write(args.json, json.dumps(found, indent=1) + "\n")
    if found and args.fail_on and any(
            f["severity"] in WORSE[args.fail_on] for f in found["findings"]):
        return FOUND
    return status or judged_status


def main():
    parser = argparse.ArgumentParser(prog="iotrace report")
    parser.add_argument("--program", required=True)
    parser.add_argument("--version", default="")
    parser.add_argument("--slices", type=int, default=200)
    parser.add_argument("--findings", default="")
    for name in ("out", "title", "json", "only", "floor", "fail-on"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("run")
    try:
        return make(parser.parse_args())
    except BrokenPipeError:
        return 1
    except LeadlineError as why:
        sys.stderr.write("iotrace report: %s\n" % printable(why))
        return why.status
    except OSError as why:
        sys.stderr.write("iotrace report: %s\n" % printable(why))
        return 1


if __name__ == "__main__":
    sys.exit(main())
