"""What there is to see: reports and traces from the command line, and all kinds of
pictures of them, for "report" and "plot" alike."""
import os
from collections import OrderedDict, namedtuple

from leadline import (groups, pictures, pictures_own, pictures_text, scaling, series,
                      traces)

Kind = namedtuple("Kind", "heading of draw")

# name: heading, what it is drawn of, function.
KINDS = OrderedDict([
    ("bandwidth", Kind("Bandwidth by configuration", "reports", pictures.bandwidth)),
    ("filetype", Kind("Unique against shared files", "reports", pictures.file_types)),
    ("scaling", Kind("Scaling over ranks", "reports", scaling.scaling)),
    ("time", Kind("Where the time goes", "reports", pictures.time_split)),
    ("series", Kind("Bytes over time", "reports", series.series)),
    ("ranks", Kind("Single ranks", "reports", pictures.ranks)),
    ("alpha", Kind("Asynchronous I/O", "reports", pictures_own.alpha)),
    ("pfmload", Kind("Loading soundings", "reports", pictures_own.speedup)),
    ("ldad", Kind("Partitioned files", "reports", pictures_own.reductions)),
    ("text", Kind("Modules of a pipeline", "reports", pictures_text.text)),
    ("iotrace", Kind("What was asked of files", "traces", pictures_own.traces)),
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
