"""ReFrame checks of each program: sanity by its report, performance by its figures.

A run is sane where its report is valid, which none is whose answers or data were wrong,
and where it had as many ranks as asked for. Figures have no reference, as there is none
that is right for every machine: put yours into "reference", by partition.

    reframe -C settings.py -c leadline_checks.py --system=leadline:here -r \\
        -S num_tasks=16 -S directory=/scratch/me
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import (deferrable, fixture, parameter, run_before,
                                   sanity_function, variable)


class LeadlineCheck(rfm.RunOnlyRegressionTest):
    """One program, which writes report.json into the stage directory."""
    valid_systems = ["leadline:*"]
    valid_prog_environs = ["leadline"]
    maintainers = ["leadline"]
    num_tasks = 4
    directory = variable(str, value=".")  # what is measured
    figures = ("write_MBps", "read_MBps")
    words = ()

    @run_before("run")
    def set_line(self):
        self.executable_opts = [*self.words, "--dir=" + self.directory,
                                "--json=report.json", "--quiet"]

    @run_before("performance")
    def set_figures(self):
        self.perf_variables = {
            name: sn.make_performance_function(self.figure(name), "MB/s")
            for name in self.figures}

    def report(self):
        with open(os.path.join(self.stagedir, "report.json")) as stream:
            return json.load(stream)

    @deferrable
    def figure(self, name):
        """The median over repetitions."""
        reps = next(sorted(figure["reps"]) for figure in self.report()["figures"]
                    if figure["name"] == name)
        return reps[len(reps) // 2]

    @sanity_function
    def is_sane(self):
        report = self.report()
        return sn.all([
            sn.assert_true(report["valid"], "the report is not valid"),
            sn.assert_eq(report["mpi"]["ranks"], self.num_tasks)])


@rfm.simple_test
class Madbench(LeadlineCheck):
    executable = "madbench"
    filetype = parameter(["unique", "shared"])
    iomethod = parameter(["posix", "mpi"])
    npix = variable(int, value=512)

    @run_before("run")
    def set_words(self):
        self.words = (str(self.npix), "4", "--io-only", "--filetype=" + self.filetype,
                      "--iomethod=" + self.iomethod)
        self.set_line()


@rfm.simple_test
class Blocktransfer(LeadlineCheck):
    executable = "blocktransfer"
    words = ("16M",)


@rfm.simple_test
class LdadPerf(LeadlineCheck):
    executable = "ldad"
    way = parameter(["independent", "partitioned"])

    @run_before("run")
    def set_words(self):
        self.words = ("perf", "--chunks=8", "--io=" + self.way)
        self.set_line()


class Lines(rfm.RunOnlyRegressionTest):
    """A small survey for the loader."""
    valid_systems = ["leadline:*"]
    valid_prog_environs = ["leadline"]
    executable = "gsfgen"
    executable_opts = ["--files=4", "--pings=200", "--quiet"]

    @sanity_function
    def there_are_four(self):
        return sn.assert_eq(sn.count(sn.glob(os.path.join(self.stagedir, "*.gsf"))), 4)


@rfm.simple_test
class Pfmload(LeadlineCheck):
    executable = "pfmload"
    lines = fixture(Lines, scope="environment")
    scheme = parameter(["D", "G"])

    @run_before("run")
    def set_words(self):
        names = sorted(os.listdir(self.lines.stagedir))
        self.words = ("--no-keep", "--output=survey.pfm", "--scheme=" + self.scheme,
                      *(os.path.join(self.lines.stagedir, name) for name in names
                        if name.endswith(".gsf")))
        self.set_line()
