#!/usr/bin/env python3
# mpi: any
"""A program shows, and accepts, its own options and no others; and lists the I/O
engines."""
import json

from e2e import Case, add, main

LOAD = ("pfmload", ("-o", "out.pfm", "in.gsf"))
PERF = ("ldad", ("perf",))
# Options of other programs.
UNKNOWN = [(LOAD, "filetype=UNIQUE"), (LOAD, "node-dirs=/tmp"), (LOAD, "rank-shift=1"),
           (LOAD, "threads=2"), (PERF, "iomode=ASYNC"), (PERF, "rank-shift=1"),
           (PERF, "threads=2"), (("madbench", ("64", "4")), "threads=2")]
# Choices of other programs.
LACKED = [(PERF, "cache=direct", "flush|keep"),
          (LOAD, "iomethod=HDF5", "POSIX or MPI, or"),
          (LOAD, "iomethod=null", "POSIX or MPI, or")]


class Takes(Case):
    def ask(self, program, *args):
        done = self.run_program(program, *args, np=0, dir=False, json=False)
        self.assertEqual((done.status, done.said), (0, []), done)
        return done.out

    def refuse(self, who, option, *parts):
        program, args = who
        done = self.run_program(program, *(args + ("--" + option,)), np=0, dir=False,
                                json=False)
        self.assertEqual((done.status, done.out), (2, ""), done)
        for part in parts:
            self.assertIn(part, done.err)
        self.assertEqual(len(done.err.splitlines()), 1, done)

    def unknown(self, who, option):
        name = option.split("=")[0]
        self.refuse(who, option, "unknown option --" + name)
        out = self.ask(who[0], *(who[1][:1] + ("--help",)))
        self.assertNotRegex(out, r"\n +(-., )?--%s" % name)

    def test_variables_of_options_that_are_not_taken_do_not_count(self):
        done = self.run_program("ldad", "perf", "--dry-run", np=0, dir=False,
                                json=False, env={"IOMODE": "ASYNC"})
        self.assertEqual((done.status, done.said), (0, []), done)

    def test_the_help_names_no_choice_that_is_not_taken(self):
        out = " ".join(self.ask("ldad", "perf", "--help").split())
        self.assertIn("flush|keep; flush: write times", out)
        self.assertNotIn("O_DIRECT", out)
        out = " ".join(self.ask("pfmload", "--help").split())
        for word in "HDF5", "hdf5", "null", "PARTITIONED":
            self.assertNotIn(word, out)

    def test_engines(self):
        text = self.ask("blocktransfer", "--list-engines").splitlines()
        rows = json.loads(self.ask("ldad", "fft", "--list-engines=json"))
        self.assertEqual([line.split()[0] for line in text],
                         [row["name"] for row in rows])
        for line, row in zip(text, rows):
            self.assertEqual(row["unusable"] or "", line[11:]
                             if row["unusable"] else "")
        built = [row["name"] for row in rows
                 if not (row["unusable"] or "").startswith("not built")]
        self.assertTrue({"posix", "mpiio", "threads", "null"} <= set(built))
        out = " ".join(self.ask("madbench", "--help").split())
        self.assertIn("(%s)" % ", ".join(n for n in built if n != "part"), out)

    def test_another_form_of_the_list(self):
        self.refuse(("blocktransfer", ()), "list-engines=xml", "xml", "json")


for who_, option_ in UNKNOWN:
    add(Takes, who_[0] + "_" + option_.split("=")[0].replace("-", "_"), "unknown", who_,
        option_)
for who_, option_, there_ in LACKED:
    add(Takes, who_[0] + "_" + option_.replace("=", "_"), "refuse", who_, option_,
        there_)

if __name__ == "__main__":
    main()
