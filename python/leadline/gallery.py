"""What there is to see: reports and traces from the command line, and all kinds of
pictures of them, for "report" and "plot" alike."""
import os
from collections import OrderedDict, namedtuple

from leadline import (groups, pictures, pictures_matrix, pictures_own, pictures_tail,
                      pictures_text, pictures_trend, scaling, series, traces)

Kind = namedtuple("Kind", "heading of draw")

# name: heading, what it is drawn of, function.
KINDS = OrderedDict([
    ("effects", Kind("What each option does", "reports", pictures_matrix.effect_rows)),
    ("bandwidth", Kind("Bandwidth by configuration", "reports", pictures.bandwidth)),
    ("curves", Kind("Over what was swept", "reports", pictures_matrix.curves)),
    ("heat", Kind("Two parameters together", "reports", pictures_matrix.maps)),
    ("filetype", Kind("Unique against shared files", "reports", pictures.file_types)),
    ("scaling", Kind("Scaling over ranks", "reports", scaling.scaling)),
    ("time", Kind("Where the time goes", "reports", pictures.time_split)),
    ("series", Kind("Bytes over time", "reports", series.series)),
    ("ranks", Kind("Time per rank", "reports", pictures.ranks)),
    ("latency", Kind("Latencies", "reports", pictures_tail.latency)),
    ("trend", Kind("Over time", "reports", pictures_trend.history)),
    ("alpha", Kind("Asynchronous I/O", "reports", pictures_own.alpha)),
    ("pfmload", Kind("Loading soundings", "reports", pictures_own.speedup)),
    ("ldad", Kind("Partitioned files", "reports", pictures_own.reductions)),
    ("text", Kind("Modules of a pipeline", "reports", pictures_text.text)),
    ("iotrace", Kind("I/O requests (iotrace)", "traces", pictures_own.traces)),
])


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

    def pictures(self, name):
        kind = KINDS[name]
        return kind.draw(self.traces if kind.of == "traces" else self.groups)
