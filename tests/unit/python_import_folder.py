#!/usr/bin/env python3
# mpi: any
"""leadline import FOLDER: a run of IO500 is one report with its phases, every result is
taken once, and what is not taken has its reason."""
import os
import re
import shutil

from tap import HERE, main

from files import read_json, read_text, write_file
from leadline_case import LeadlineCase, leadline, without_privileges

DATA = os.path.join(HERE, os.pardir, "data", "import")
MDTEST = """-- started at 10/13/2021 20:06:00 --

mdtest-3.4.0+dev was launched with 24 total task(s) on 3 node(s)
Command line used: ./mdtest '-n' '1000000' '-F' '-P' '-C' '-W' '300' '-a' 'POSIX'
24 tasks, 24000000 files
Continue stonewall hit min: 300000 max: 337500 avg: 320000.0

SUMMARY rate: (of 1 iterations)
   Operation                     Max            Min           Mean        Std Dev
   ---------                     ---            ---           ----        -------
   File creation               27000.000      27000.000      27000.000          0.000
   File stat                       0.000          0.000          0.000          0.000

-- finished at 10/13/2021 20:11:05 --
"""
BAD = "ERROR: verifying the data on read (7 errors)!\n"
RATES = {"ior-easy-write": 2.4, "ior-easy-read": 3.0}


def summary(text):
    """Makes the program's result_summary.txt of a result.txt."""
    rows = re.findall(r"^\[([\w-]+)\]\n(?:(?!\[).+\n)*?score += (\S+)\n"
                      r"t_delta += (\S+)", text, re.M)
    lines = ["[%s]%21s %15s %s : time %s seconds" % (
        "      " if "rnd" in name else "RESULT", name, score,
        "GiB/s" if name[0] == "i" else "kIOPS", seconds)
        for name, score, seconds in rows]
    total = dict(re.findall(r"^(MD|BW|SCORE) += (\S+)", text, re.M))
    return "\n".join(lines + ["[SCORE ] Bandwidth %(BW)s GiB/s : IOPS %(MD)s kiops : "
                              "TOTAL %(SCORE)s" % total]) + "\n"


class Folder(LeadlineCase):
    COMMAND = "import"

    def setUp(self):
        super().setUp()
        self.out = self.path("out")

    def put(self, name, content):
        path = self.path("in/" + name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return write_file(path, content)

    def sample(self, name):
        return read_text(os.path.join(DATA, name))

    def phase(self, phase, tasks=24, rate=None):
        """Makes IOR's text of a phase."""
        text = self.sample("ior-io500-3.4.txt").replace(
            "tasks               : 40", "tasks               : %d" % tasks)
        kind = phase.rsplit("-", 1)[-1]
        return text.replace("-r -R", "-w" if kind == "write" else "-r").replace(
            "read      8600.00", "%-9s %.2f" % (kind, 1024 * (rate or RATES[phase])))

    def run_of_io500(self, folder="run/"):
        text = self.sample("io500-2021-result.txt")
        self.put(folder + "result.txt", text)
        self.put(folder + "result_summary.txt", summary(text))
        for phase in RATES:
            self.put(folder + phase + ".txt", self.phase(phase))
        self.put(folder + "mdtest-easy-write.txt", MDTEST)
        self.put(folder + "find.csv", "runtime: 12.5 rate: 640000.0\nrank, errors\n")
        self.put(folder + "config.ini", "[global]\napi = POSIX\n\n[ior-easy]\nAPI = \n"
                 "transferSize = 2m\n")

    def bring(self, *args, status=0):
        """Returns (standard output, {name of a report: tree})."""
        found, out, err = leadline("import", self.path("in"), "--out", self.out, *args)
        self.assertEqual((found, err), (status, ""), out)
        return out, {name[:-5]: read_json(os.path.join(self.out, name))
                     for name in os.listdir(self.out)}

    def left(self, out, name):
        """Returns the reason why a file was not taken."""
        return dict(re.split(r"  +", line, maxsplit=1) for line in
                    out[out.index("not taken"):].split("\n")
                    if "  " in line)[name]

    def test_a_run(self):
        self.run_of_io500()
        out, trees = self.bring()
        tree = trees.pop("run-result")
        self.assertEqual(trees, {})
        self.assertEqual((tree["valid"], tree["mpi"]["ranks"], tree["mpi"]["nodes"]),
                         (True, 24, 4))
        self.assertEqual([part["phase"] for part in tree["run"]["imported"]["parts"]],
                         ["ior-easy-read", "ior-easy-write", "mdtest-easy-write", "",
                          "find"])
        names = [figure["name"] for figure in tree["figures"]]
        self.assertEqual((len(names), len(set(names))), (15, 15))
        options = {name: row["value"] for name, row in tree["options"].items()}
        self.assertEqual((options["ini ior-easy transfersize"],
                          options["ior-easy-read transfersize"],
                          options["mdtest-easy-write items"]), ("2m", 47008, 1000000))
        self.assertEqual(tree["results"]["ior-easy-read total_s"], [125.11])
        self.assertEqual(self.left(out, "run/result_summary.txt"),
                         "the same run as run/result.txt")
        self.assertEqual(leadline("validate", "-q", self.path("out/run-result.json")),
                         (0, "", ""))

    def test_nothing_is_counted_twice(self):
        """Copies, and summaries apart from their run, whatever comes first."""
        self.run_of_io500()
        self.put("a-first.txt", summary(self.sample("io500-2021-result.txt")))
        self.put("copy/result.txt", self.sample("io500-2021-result.txt"))
        self.put("run/z.old", self.sample("io500-2021-result.txt"))
        for name in ("a/b.json", "a-b.json", "c/d.json"):
            self.put(name, self.sample("fio-%s.json" % (
                "2jobs" if name == "a-b.json" else "status")))
        out, trees = self.bring()
        self.assertEqual(sorted(trees), ["a-b", "a-b.2", "run-result"])
        self.assertEqual(self.left(out, "copy/result.txt"),
                         "a copy of run/result.txt")
        self.assertEqual(self.left(out, "c/d.json"), "a copy of a/b.json")
        self.assertIn("the same run as", out)

    def test_runs_of_two_folders(self):
        """Their files have the same names. Neither replaces the other's report."""
        for name, score in (("a", "8.0"), ("b", "9.0")):
            self.put("in-%s/result.txt" % name, re.sub(
                r"(?m)^(SCORE +=) .*", r"\1 " + score,
                self.sample("io500-2021-result.txt")))
        folders = [self.path("in/in-%s" % name) for name in "ab"]
        for given in ([folders], [folders[:1], folders[1:]], [folders[1:]]):
            for one in given:
                for more in ((), ("--force",)):
                    leadline("import", *one, "--ranks=8", "--out", self.out, *more)
            scores = {name: [f["reps"][0] for f in read_json(
                os.path.join(self.out, name))["figures"] if f["name"] == "score"]
                for name in os.listdir(self.out)}
            self.assertEqual(scores, {"result.json": [8.0], "result.2.json": [9.0]})
        self.assertIn("its report exists: ", leadline(
            "import", folders[0], "--ranks=8", "--out", self.out)[1])

    def test_into_the_same_folder(self):
        """The files to read stay."""
        text = self.sample("fio-2jobs.json")
        path = self.put("x.json", text)
        for _ in range(2):
            self.assertEqual(leadline("import", self.path("in"), "--out",
                                      self.path("in"), "--force")[0], 0)
        self.assertEqual(read_text(path), text)
        self.assertEqual(sorted(os.listdir(self.path("in"))), ["x.2.json", "x.json"])

    def test_links_to_directories(self):
        """One that leads out is told; what another leads to is taken where it is."""
        self.put("a/x.json", self.sample("fio-2jobs.json"))
        os.mkdir(self.path("else"))
        for name, to in (("out", "../else"), ("again", "a"), ("loop", "../in/a/..")):
            os.symlink(to, self.path("in/" + name))
        out, trees = self.bring()
        self.assertEqual(list(trees), ["a-x"])
        self.assertEqual(self.left(out, "out"),
                         "a link to a directory elsewhere: import that one")
        self.assertIn("1 result not taken", out)

    def test_what_cannot_be_read(self):
        self.put("x.json", self.sample("fio-2jobs.json"))
        self.put("closed/y.json", self.sample("fio-status.json"))
        os.symlink("nowhere", self.path("in/link.json"))
        os.chmod(self.path("in/closed"), 0)
        os.mkdir(self.out)
        os.chmod(self.out, 0o777)
        with without_privileges():
            out = self.bring()[0]
        os.chmod(self.path("in/closed"), 0o755)
        self.assertEqual([self.left(out, name) for name in ("closed", "link.json")],
                         ["the directory cannot be read: Permission denied",
                          "cannot be read: No such file or directory"])

    def test_other_files_of_phases(self):
        """A text whose rate is another one is of another run; wrong data count."""
        self.run_of_io500()
        self.put("run/ior-easy-read.txt", self.phase("ior-easy-read", rate=2.9))
        out, trees = self.bring()
        self.assertEqual(sorted(trees), ["run-ior-easy-read", "run-result"])
        shutil.rmtree(self.out)
        self.put("run/mdtest-easy-write.txt",
                 MDTEST.replace("\n-- fin", BAD + "\n-- fin"))
        out, trees = self.bring("--label=x")
        self.assertEqual((trees["run-result"]["why"], trees["run-result"]["checks"][
            "blocks_bad"]), ("mdtest-easy-write: mdtest found incorrect data: 7 errors",
                             7))

    def test_ranks_beside_their_text(self):
        self.put("x/ior-ranks.txt", self.sample("ior.txt"))
        self.put("x/ior-ranks.csv", self.sample("ior-ranks.csv"))
        self.put("x/notes.sh", "true\n")
        self.put("x/wrong.json", self.sample("ior.json")[:-300])
        self.put("x/old.txt", self.sample("io500-2018-summary.txt"))
        out, trees = self.bring()
        self.assertEqual(sorted(trees), ["x-ior-ranks"])
        self.assertEqual(self.left(out, "x/ior-ranks.csv"),
                         "the ranks of x/ior-ranks.txt")
        self.assertIn("Say --ranks N", self.left(out, "x/old.txt"))
        self.assertIn("not JSON", self.left(out, "x/wrong.json"))
        self.assertIn("1 report in %s; 3 results not taken; 1 file is no result "
                      "(1 .sh)\n" % self.out, out)

    def test_ranks_are_for_those_that_lack_them(self):
        self.put("old.txt", self.sample("io500-2018-summary.txt"))
        self.put("ior.txt", self.sample("ior.txt"))
        trees = self.bring("--ranks=7")[1]
        self.assertEqual((trees["old"]["mpi"]["ranks"], trees["ior"]["mpi"]["ranks"]),
                         (7, 2))

    def test_others_read_it(self):
        self.run_of_io500()
        self.put("ior.txt", self.sample("ior.txt"))
        self.bring()
        for words in (["list"], ["compare"], ["compare", "--across"], ["export"]):
            status, out, err = leadline(words[0], self.out, *words[1:])
            self.assertEqual((status, err), (0, ""), words)

    def test_reports_in_the_folder(self):
        """They are no results when the command is given once more."""
        self.put("ior.txt", self.sample("ior.txt"))
        self.out = self.path("in/out")
        self.bring()
        self.assertEqual(sorted(self.bring("--force")[1]), ["ior"])
        out = self.bring(status=1)[0]
        self.assertIn("Say --force to replace it", self.left(out, "ior.txt"))

    def test_nothing(self):
        os.makedirs(self.path("in"))
        self.put("notes.sh", "true\n")
        self.refused("there is no result below this directory", self.path("in"),
                     "--out", self.out)
        self.refused("--start is of one run", self.path("in"), "--out", self.out,
                     "--start=2026-11-22T10:00:00Z", status=2)


if __name__ == "__main__":
    main()
