"""All kinds of pictures of the reports and traces on the command line, for "report" and
"plot" alike.
"""
import os
from collections import OrderedDict, namedtuple

from leadline.base import stats
from leadline.judge import trend
from leadline.page import (pictures, pictures_matrix, pictures_own, pictures_scaling,
                           pictures_tail, pictures_time)
from leadline.results import groups, traces

# Input of a kind ("reports", "traces", or the reports of "calibrations"), what the
# input must have, and a command that produces such input.
Kind = namedtuple("Kind", "heading of draw needs example")
PLAIN = "mpiexec -n 2 blocktransfer 64M --json=a.json"
SWEEP = "leadline sweep SPEC.json"

KINDS = OrderedDict([
    ("effects", Kind(
        "What each option does", "reports", pictures_matrix.effect_rows,
        "read or write rates of configurations that differ in an option, each run in "
        "at least %d rounds" % stats.CI_MIN, SWEEP + " --rounds=%d" % stats.CI_MIN)),
    ("bandwidth", Kind(
        "Bandwidth by configuration", "reports", pictures.bandwidth,
        "the figure write_MBps or read_MBps over all phases", PLAIN)),
    ("curves", Kind(
        "Over what was swept", "reports", pictures_matrix.curves,
        "rates at three or more values of an option that is a number, or of the ranks",
        SWEEP)),
    ("heat", Kind(
        "Two parameters together", "reports", pictures_matrix.maps,
        "rates at three or more values of each of two options that are numbers",
        SWEEP)),
    ("filetype", Kind(
        "Unique against shared files", "reports", pictures.file_types,
        "runs with different values of --filetype and the same other options",
        PLAIN + " --filetype=shared, then another with --filetype=unique "
        "--json=b.json")),
    ("scaling", Kind(
        "Scaling over ranks", "reports", pictures_scaling.scaling,
        "read or write rates at two or more numbers of ranks",
        "%s, then another with -n 4 and --json=b.json" % PLAIN)),
    ("time", Kind(
        "Where the time goes", "reports", pictures.time_split,
        "samples with the seconds of each phase", PLAIN)),
    ("series", Kind(
        "Bytes over time", "reports", pictures_time.series,
        "samples with bytes over time (samples[].series)", PLAIN)),
    ("ranks", Kind(
        "Time per rank", "reports", pictures.ranks,
        "runs of at least %d ranks with the seconds of each (samples[].ranks_s)"
        % pictures.FEW_RANKS, PLAIN.replace("-n 2", "-n 4"))),
    ("latency", Kind(
        "Latencies", "reports", pictures_tail.latency,
        "samples with a histogram of transfer times (samples[].latency.hist)", PLAIN)),
    ("trend", Kind(
        "Over time", "reports", pictures_time.history,
        "at least %d runs of one configuration at different times" % trend.FEWEST,
        "the same run each night; see man leadline, on leadline trend")),
    ("calibrate", Kind(
        "Plain transfers", "calibrations", pictures_scaling.calibrate,
        "the rates that leadline calibrate measures", "leadline calibrate DIR")),
    ("alpha", Kind(
        "Asynchronous I/O", "reports", pictures_own.alpha,
        "madbench's rates at two or more values of alpha",
        "mpiexec -n 2 madbench 1024 8 --alpha-sweep=0.5:1.5:0.25 --json=a.json")),
    ("pfmload", Kind(
        "Loading soundings", "reports", pictures_own.speedup,
        "pfmload's serial load and parallel loads of the same soundings",
        "pfmload -o a.pfm line.gsf --json=a.json, then mpiexec -n 2 pfmload -o b.pfm "
        "line.gsf --json=b.json")),
    ("ldad", Kind(
        "Partitioned files", "reports", pictures_own.reductions,
        "one ldad workload with --io=independent and --io=partitioned, at the same "
        "number of ranks", "mpiexec -n 2 ldad perf --io=independent --json=a.json, "
        "then another with --io=partitioned --json=b.json")),
    ("text", Kind(
        "Modules of a pipeline", "reports", pictures_own.text,
        "reports of outcore text", "outcore text --faithful --json=a.json")),
    ("iotrace", Kind(
        "I/O requests (iotrace)", "traces", pictures_own.traces,
        "runs that iotrace recorded, with at least one process that did I/O",
        "iotrace run --name=job -- mpiexec -n 2 PROGRAM")),
])


def missing(name: str) -> str:
    """Says why there is no picture of that kind, and how to get one."""
    kind = KINDS[name]
    files = "traces" if kind.of == "traces" else "reports"
    return ("nothing to draw: none of these %s has what a picture of the kind %s "
            "needs: %s; to make such %s: %s"
            % (files, name, kind.needs, files, kind.example))


class Gallery:
    """The groups and traces of some paths, and what was left out. `folders`: where
    iotrace may be."""

    def __init__(self, paths, folders=()):
        files, self.traces, doubts = [], [], []
        for path in paths:
            places = traces.find(path)
            for place in places:
                name, tree, doubt = traces.read(place, folders)
                self.traces.append((name, tree))
                doubts += ["%s: %s" % (name, doubt)] if doubt else []
            if os.path.isdir(path) or not places:
                files.append(path)
        try:
            found = groups.collect(files, "show") if files else groups.Collection()
        except groups.NothingValid:
            if not self.traces:
                raise
            found = groups.Collection()
        self.groups, self.yardsticks = found.groups, found.yardsticks
        self.left_out, self.failed = found.left_out + doubts, found.asked_for_bad
        self.calibrations = self.yardsticks or [
            report for group in self.groups for report in group.reports
            if report.program == groups.CALIBRATION]

    def pictures(self, name):
        kind = KINDS[name]
        return kind.draw({"reports": self.groups, "traces": self.traces,
                          "calibrations": self.calibrations}[kind.of])
