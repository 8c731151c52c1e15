#!/usr/bin/env python3
# tier: ci
"""scripts/slurm and the programs under a real Slurm of two nodes. limit: 400"""
import glob
import os
import re
import shlex

from e2e import BUILD, FLAVOUR, add, run_text
from in_rig import in_rig
from slurm_jobs import LOCAL, SCRIPTS, SlurmCase

RIGHT = "pmix" if FLAVOUR == "openmpi" else "pmi2"
MPIRUN = os.environ.get("MPIEXEC", "mpiexec")
SENTENCE = "each is alone in its MPI world"

# name COMMAND...: its output and its exit status, in files of that name
LAUNCHES = """#!/bin/bash
of() {
    local name=$1 status=0
    shift
    "$@" >"$name.out" 2>"$name.err" || status=$?
    echo "$status" >"$name.status"
}
"""


class Launchers(SlurmCase):
    def launch(self, lines, **how):
        """Runs commands in one job; returns {name: (status, out, err)}."""
        script = self.path("launches")
        with open(script, "w", encoding="utf-8") as f:
            f.write(LAUNCHES + "".join("of %s %s\n" % item for item in lines.items()))
        self.completed(self.job(script, **how))
        return {name: self.ended_as(name) for name in lines}

    def ended_as(self, name):
        def text(kind):
            path = self.path("%s.%s" % (name, kind))
            with open(path, encoding="utf-8", errors="replace") as f:
                return f.read()
        # srun reports if it has to wait for the step before.
        said = [line for line in text("err").splitlines(True)
                if not line.startswith("srun:")]
        return int(text("status")), text("out"), "".join(said)

    def refused(self, name, ended):
        """MPICH's programs would run; Open MPI stops its own in Slurm's name."""
        status, out, err = ended
        self.assertNotEqual(status, 0, name)
        if FLAVOUR == "mpich":
            self.assertEqual(status, 2, (name, err))
            self.assertEqual(len(re.findall(SENTENCE, err)), 1, (name, err))
            self.assertEqual(out, "", name)

    def test_N_singletons_are_refused(self):
        wrong = {"madbench": "madbench 64 2 --io-only",
                 "blocktransfer": "blocktransfer 1M",
                 "pfmload": "pfmload -o x.pfm nothing.gsf",
                 "gsfgen": "gsfgen --files=1 --pings=10",
                 "perf": "ldad perf --chunks=2", "fft": "ldad fft",
                 "flatten": "ldad flatten nothing x"}
        for nodes in 1, 2:
            found = self.launch({name: "srun --mpi=none " + line
                                 for name, line in wrong.items()}, nodes=nodes)
            for name, ended in found.items():
                self.refused(name, ended)

    def test_the_other_MPIs_launcher_is_refused(self):
        other = "mpirun." + ("openmpi" if FLAVOUR == "mpich" else "mpich")
        if not any(os.access(os.path.join(folder, other), os.X_OK)
                   for folder in os.environ["PATH"].split(":")):
            self.skipTest("%s is not installed" % other)
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        found = self.launch({"other": other + " -n 4 madbench 64 2 --io-only"},
                            **allowed)
        status, _, err = found["other"]
        self.assertNotEqual(status, 0)
        self.assertEqual(len(re.findall(SENTENCE, err)), FLAVOUR == "mpich", err)

    def test_what_is_right_runs(self):
        run = " madbench 64 2 --io-only --quiet --json=%s.json"
        ways = {"six": (MPIRUN + " -n 6", 6, 2), "one": (MPIRUN + " -n 1", 1, 1),
                "srun": ("srun --mpi=" + RIGHT, 2, 2),
                "srun_one": ("srun --nodes=1 --ntasks=1 --mpi=" + RIGHT, 1, 1)}
        found = self.launch({name: way + run % name
                             for name, (way, _, _) in ways.items()}, ranks=2)
        for name, (_, ranks, nodes) in ways.items():
            self.assertEqual((found[name][0], found[name][2]), (0, ""), name)
            self.valid(name + ".json", ranks=ranks, nodes=nodes)
        launcher = self.report("six.json")["mpi"]["launcher"]
        self.assertEqual(launcher, "orte" if FLAVOUR == "openmpi" else "hydra")
        self.assertEqual(self.report("srun.json")["mpi"]["launcher"], "slurm")

    def test_a_rank_that_dies_ends_all_nodes(self):
        """With MPICH, srun does not end the others unless it is asked to; with Open MPI
        it kills them."""
        for rank, speaks in (0, 2), (3, 2):
            preload = os.path.join(BUILD, "tests", "fault_shim.so")
            found = self.launch({"dies": (
                "srun --mpi=%s env LD_PRELOAD=%s FAULT=write:kill:9 FAULT_RANK=%d "
                "FAULT_FILE=/blocktransfer- blocktransfer 16M --repeat=500 -q "
                "--no-verify --filetype=SHARED --io-timeout=60" % (
                    RIGHT, preload, rank))}, ranks=4)
            status, _, err = found["dies"]
            self.assertNotEqual(status, 0)
            said = [line for line in err.splitlines() if "the run is ended" in line]
            self.assertEqual(len(said), FLAVOUR == "mpich", err)
            for line in said:
                self.assertIn("rank %d on node%d: rank %d on node%d" % (
                    speaks, 1 + speaks // 2, rank, 1 + rank // 2), line)
                left = glob.glob(self.path("blocktransfer-*"))
                self.assertEqual(left, [])

    def test_where_one_process_is_enough(self):
        """It works in the batch shell, and wherever MPI is not requested."""
        found = self.launch({
            "shell": "madbench 64 2 --io-only --quiet --json=shell.json",
            "keep": MPIRUN + " -n 2 ldad perf --chunks=2 --io=partitioned --keep -q",
            "info": "srun --mpi=none ldad info *.perf",
            "verify": "srun --mpi=none ldad verify *.perf",
            "help": "srun --mpi=none madbench --help",
            "dry": "srun --mpi=none madbench 64 2 --dry-run --ranks=8",
            "version": "srun --mpi=none gsfgen --version",
            "gsfinfo": "srun --mpi=none gsfinfo --help",
            "pfminfo": "srun --mpi=none pfminfo --help",
            "iotrace": "srun --mpi=none iotrace run -n t -- true"}, nodes=1, ranks=2)
        for name, (status, _, err) in found.items():
            # Open MPI ends every program that uses MPI under srun --mpi=none.
            if FLAVOUR == "mpich" or name not in ("verify", "dry"):
                self.assertEqual(status, 0, (name, err))
        self.valid("shell.json", ranks=1, nodes=1)
        self.assertEqual(found["help"][1].count("usage: madbench"), 1)


class Jobs(SlurmCase):
    def started_by(self, mpiexec):
        return {"LEADLINE_MPIEXEC": mpiexec} if mpiexec else {}

    def madbench(self, nodes, mpiexec):
        done = self.completed(self.job("madbench.sbatch", nodes=nodes,
                                       **self.started_by(mpiexec)))
        report = self.valid("madbench-" + done.number,
                            "madbench-%s.json" % done.number, nodes=nodes)
        self.assertEqual(report["mpi"]["launcher"] == "slurm", not mpiexec)

    def test_what_is_exported(self):
        done = self.completed(self.job("madbench.sbatch", "--export=ALL,NPIX=128",
                                       FILETYPE="SHARED"))
        options = self.valid("madbench-" + done.number,
                             "madbench-%s.json" % done.number)["options"]
        self.assertEqual(options["npix"]["value"], 128)
        self.assertEqual(options["filetype"]["value"].upper(), "SHARED")

    def test_array(self):
        """Two runs, each with its comparison; the last one compares both."""
        tasks = self.wait_for(self.submit("madbench-array.sbatch", "--array=0-1%1",
                                          ROUNDS="6"))
        self.assertEqual([self.completed(task).code for task in tasks], ["0:0"] * 2)
        folder = [name for name in os.listdir(self.tmp)
                  if name.startswith("madbench-array-")]
        self.assertEqual(len(folder), 1)
        names = self.reports(folder[0])
        self.assertEqual(len(names), 2)
        for name in names:
            report = self.valid(folder[0], name)
            self.assertEqual(report["comparison"]["rounds"], 6)
        compared = [task.out for task in tasks if "against unique" in task.out]
        self.assertEqual(len(compared), 1)
        self.assertNotIn("not comparable", compared[0])

    def test_failing_steps(self):
        done = self.failed(self.job("madbench.sbatch", NPIX="many"))
        self.assertIn('"many" is not a whole number', done.out)
        done = self.failed(self.job("ldad.sbatch", WORKLOAD="nothing"))
        self.assertIn('"nothing" is not one of its commands', done.out)
        self.failed(self.job("pfmload.sbatch", LOAD="few"))
        self.failed(self.job("madbench.sbatch", LEADLINE_MPIEXEC="nowhere/run"))
        done = self.failed(self.job("madbench.sbatch", PATH="/usr/bin:/bin"))
        self.assertIn("madbench is not on PATH", done.out)

    def test_nasty_names(self):
        """Folders and jobs may have any name, and no shell interprets it."""
        name = "a b;touch gone $(touch gone) `touch gone` '\" \\\\ *"
        for folder in ("dir", "runs", "local"):
            os.mkdir(self.path(folder + name))
        local = os.path.join(LOCAL, name)
        self.on_nodes("mkdir -p %s" % shlex.quote(local))
        done = self.job("ldad.sbatch", "--job-name=../x;touch gone", ROUNDS="1",
                        LEADLINE_DIR="dir" + name, LEADLINE_LOCAL=local,
                        LEADLINE_RUNS=self.tmp + "/runs" + name)
        self.assertEqual(done.state, "COMPLETED", done)
        self.on_nodes("rmdir %s" % shlex.quote(local))
        self.nothing_left()
        self.assertEqual(os.listdir(self.path("dir" + name)), [])
        self.assertEqual(len(self.reports("runs" + name, "ldad")), 4)
        self.assertIn("partitioned", done.out)
        for place in (self.tmp, SCRIPTS, self.path("runs" + name)):
            self.assertNotIn("gone", os.listdir(place))

    def test_nasty_values(self):
        """A value stays one value, also within a specification."""
        for script, env, words in (
                ("compare-unique-shared.sbatch", {"NPIX": '64", "--keep'}, "64"),
                ("ldad.sbatch", {"WORKLOAD": "perf;touch gone"}, "perf;touch gone"),
                ("pfmload.sbatch", {"LOAD": "L", "SCHEMES": 'G"],"x":["'}, 'G')):
            done = self.failed(self.job(script, nodes=1, **env))
            self.assertIn(words, done.out)
            self.assertIn(" is not ", done.out)
            self.assertNotIn("gone", os.listdir(self.tmp))

    def test_time_limit(self):
        """Slurm checks every half minute if the signal is due within the next one: here
        that is 10 to 40 seconds after the begin."""
        done = self.failed(self.job(
            "ldad.sbatch", "--time=2", "--signal=B:TERM@80", ROUNDS="1000",
            LEADLINE_LOCAL=LOCAL))
        self.assertIn("told to end, by the time limit", done.out)

    def test_cancelled(self):
        number = self.submit("madbench.sbatch", NPIX="512", REPEAT="100000")
        self.until(lambda: os.path.isdir(os.path.join(
            self.tmp, "madbench-%s.scratch" % number)), "it has files")
        self.tool("scancel", "--batch", "--signal=TERM", number)
        done = self.failed(self.wait_for(number)[0])
        self.assertIn("told to end", done.out)

    def launcher(self, text):
        """Makes a launcher; returns its path."""
        path = self.path("launcher")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/bash\n" + text)
        os.chmod(path, 0o755)
        return path

    def test_a_child_that_does_not_end(self):
        """It is killed before Slurm kills the job, and the folder is removed."""
        slow = self.launcher("trap '' TERM\ntouch %s\nwhile :; do sleep 0.2; done\n"
                             % shlex.quote(self.path("began")))
        number = self.submit("madbench.sbatch", LEADLINE_MPIEXEC=slow)
        self.until(lambda: os.path.exists(self.path("began")), "it waits")
        self.tool("scancel", "--batch", "--signal=TERM", number)
        done = self.failed(self.wait_for(number)[0])
        self.assertIn("does not end, and is killed", done.out)

    def test_a_start_that_crashes(self):
        begun, right = self.path("begun"), self.tool("leadline", "launcher", "madbench")
        once = self.launcher("[ -e {0} ] && exec {1} \"$@\"\ntouch {0}\n"
                             "kill -SEGV $$\n".format(shlex.quote(begun),
                                                       right.strip()))
        done = self.completed(self.job("madbench.sbatch", LEADLINE_MPIEXEC=once))
        self.assertIn("start 1 of 3 ended with status 139", done.out)
        folder = "madbench-" + done.number
        notes = self.valid(folder, self.reports(folder)[0])["run"]["notes"]
        self.assertTrue(notes["starts"].startswith("2: the one before crashed"), notes)

    def lfs(self, status):
        """Makes a stand-in for Lustre's lfs; returns its PATH."""
        folder = self.path("bin")
        os.mkdir(folder)
        with open(os.path.join(folder, "lfs"), "w") as f:
            f.write("#!/bin/sh\necho lfs $*\nexit %d\n" % status)
        os.chmod(f.name, 0o755)
        return folder + ":" + os.environ["PATH"]

    def compare(self, **env):
        done = self.completed(self.job("compare-unique-shared.sbatch", ROUNDS="6",
                                       **env))
        folder = "compare-unique-shared-" + done.number
        report = self.valid(folder, "compare.json")
        self.assertIn("against unique", done.out)
        return done.out, [a["name"] for a in report["comparison"]["arms"]]

    def test_wide_striped(self):
        out, arms = self.compare(PATH=self.lfs(0), STRIPE_COUNT="4")
        self.assertIn("lfs setstripe --stripe-count 4 wide", out)
        self.assertIn("against default", out)
        self.assertEqual(len(arms), 8)

    def test_no_lustre(self):
        out, arms = self.compare(PATH=self.lfs(1))
        self.assertIn("no Lustre here", out)
        self.assertEqual(len(arms), 4)

    def test_node_local_directories(self):
        done = self.completed(self.job("ldad.sbatch", LEADLINE_LOCAL=LOCAL))
        names = self.reports("ldad-" + done.number, "ldad")
        reports = [self.valid("ldad-" + done.number, "ldad", name) for name in names]
        self.assertEqual(len(reports), 4)
        local = [r for r in reports if r["options"]["node-dirs"]["value"]]
        self.assertEqual(len(local), 1)
        self.assertIn("partitioned-local",
                      [r["run"]["series"]["config"] for r in reports])

    def test_pfmload(self):
        done = self.completed(self.job("pfmload.sbatch", nodes=1, SCHEMES="D G"))
        names = self.reports("pfmload-" + done.number, "pfmload")
        self.assertEqual(len(names), 2)
        for name in names:
            self.valid("pfmload-" + done.number, "pfmload", name, nodes=1)

    def test_the_paper_s_figures(self):
        """Both nodes' figures are drawn, with the speed-ups from the reports'
        seconds."""
        done = self.completed(self.job("pfmload-paper.sbatch", LOADS="L", PINGS="20",
                                       ROUNDS="1"))
        folder = "pfmload-paper-" + done.number
        self.assertIn("The paper's findings", done.out)
        self.assertEqual(sorted(os.listdir(self.path(folder, "figures"))),
                         ["figure-%d.svg" % i for i in (2, 3, 4, 5, 6, 7)])
        wall = {}
        for name in self.reports(folder, "measured", "runs"):
            report = self.report(folder, "measured", "runs", name)
            self.assertIs(report["valid"], True, name)
            ranks = report["mpi"]["ranks"]
            self.assertEqual(report["mpi"]["nodes"], min(ranks, 2), name)
            key = (report["options"]["scheme"]["value"],
                   report["options"]["library"]["value"], ranks)
            wall.setdefault(key, {})[report["run"]["series"]["round"]] = next(
                f["median"] for f in report["figures"] if f["name"] == "wall_s")
        over = {(p["scheme"], p["ranks"]): p["over_serial"] for p in
                self.report(folder, "pfmload-paper.json")["points"]}
        serial, compared = wall["serial", "per-sounding", 1], 0
        for scheme in "EFG":
            for ranks in (3, 4):
                ours = wall.get((scheme, "cached", ranks))
                self.assertEqual((scheme, ranks) in over, ours is not None)
                if ours:  # a run may fail on a busy machine; then it has no point
                    ratio, *_, rounds = over[scheme, ranks]
                    self.assertEqual(rounds, 1)
                    self.assertAlmostEqual(ratio, serial[1] / ours[1], places=9)
                    compared += 1
        self.assertGreater(compared, 3)

    def iotrace(self, nodes, mpiexec):
        done = self.completed(self.job("iotrace.sbatch", nodes=nodes,
                                       **self.started_by(mpiexec)))
        self.assertRegex(done.out,
                         r"(?m)^program +madbench: 4 ranks on %d host" % nodes)
        self.assertIn("100.0 % explained", done.out)

    def test_report_alone(self):
        """It is the last job of a chain, with nothing to report on."""
        self.assertEqual(self.job("report.sbatch", nodes=1, ranks=1,
                                  LEADLINE_RUNS=self.tmp).state, "FAILED")


class Chains(SlurmCase):
    def chain(self, script, **env):
        env = dict({"TASKS_PER_NODE": "2", "LEADLINE_RUNS": self.tmp + "/runs"}, **env)
        return run_text([os.path.join(SCRIPTS, script), "--exclusive=user"],
                        cwd=self.tmp, env=self.environment(**env))

    def scaled(self, script, pixels, **env):
        found = self.chain(script, RANKS="1 4", **env)
        self.assertEqual(found.returncode, 0, found.stderr)
        numbers = re.search(r"submitted: ([0-9 ]+);", found.stdout).group(1).split()
        self.assertEqual(len(numbers), 3)
        done = [self.wait_for(number)[0] for number in numbers]
        self.assertEqual([each.state for each in done], ["COMPLETED"] * 3)
        self.nothing_left()
        reports = [self.report("runs", name) for name in self.reports("runs")]
        self.assertEqual([(r["mpi"]["ranks"], r["options"]["npix"]["value"])
                          for r in reports], list(zip((1, 4), pixels)))
        for ranks, npix in zip((1, 4), pixels):
            self.assertIn("%d ranks, %d pixels" % (ranks, npix), done[-1].out)
        self.assertTrue(os.path.exists(self.path("runs", "report.html")))

    def test_weak_scaling(self):
        self.scaled("weak-scaling.sh", (64, 128), NPIX="64")

    def test_strong_scaling(self):
        self.scaled("strong-scaling.sh", (64, 64), NPIX="64")

    def refused(self, sentence, script="weak-scaling.sh", **env):
        before = self.tool("squeue", "--noheader")
        done = self.chain(script, **env)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(self.tool("squeue", "--noheader"), before)
        self.assertNotIn("submitted", done.stdout)

    def test_what_does_not_fit_is_refused(self):
        """The rig's nodes have 1 GiB."""
        self.refused("4 ranks with 16000 pixels need 9.54 GiB of a node, which has "
                     "1024 MiB", RANKS="4", NPIX="16000", TASKS_PER_NODE="4")

    def test_files_that_do_not_fit_are_refused(self):
        self.refused("are free: choose a smaller NPIX", NPIX="4096", NBIN="1000000")

    def test_ranks_that_are_not_four_times(self):
        self.refused("RANKS: after 1 comes 4, not 2", RANKS="1 2")

    def test_values_that_bash_would_compute(self):
        for name in ("RANKS", "NPIX", "NBIN", "TASKS_PER_NODE", "NODE_MEMORY"):
            for value in ("x[$(touch${IFS}gone)]", "4+4", "-4", "0", "08", "9" * 30):
                self.refused("is not a whole number above 0", **{name: value})
        self.assertNotIn("gone", os.listdir(self.tmp))

    def test_no_report_after_a_failure(self):
        done = self.chain("strong-scaling.sh", RANKS="1 4", REPEAT="never")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = re.search(r"submitted: ([0-9 ]+);", done.stdout).group(1).split()
        states = [self.wait_for(number)[0].state for number in numbers]
        self.assertEqual(states, ["FAILED", "FAILED", "CANCELLED"])


for nodes_ in 1, 2:
    add(Jobs, "madbench_on_%d" % nodes_, "madbench", nodes_, None)
    add(Jobs, "madbench_on_%d_by_mpirun" % nodes_, "madbench", nodes_, MPIRUN)
    add(Jobs, "iotrace_on_%d" % nodes_, "iotrace", nodes_, None)
    add(Jobs, "iotrace_on_%d_by_mpirun" % nodes_, "iotrace", nodes_, MPIRUN)

if __name__ == "__main__":
    in_rig("slurm", "--nodes=2")
