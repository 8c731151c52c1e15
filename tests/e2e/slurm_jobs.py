"""Slurm for tests: jobs, their results, and their output."""
import os
import re
import subprocess
import time

from e2e import BUILD, FLAVOUR, TESTS, Case, read_json, run_text, runner

SCRIPTS = os.path.join(os.path.dirname(TESTS), "scripts", "slurm")
LOCAL = os.environ.get("LEADLINE_LOCAL")
ENDED = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL",
         "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}
RANKS = 4


class Done:
    """A job that has ended."""

    def __init__(self, number, state, code, out):
        self.number, self.state, self.code, self.out = number, state, code, out

    def __str__(self):
        return "job %s: %s, exit code %s\n%s" % (self.number, self.state, self.code,
                                                 self.out[-4000:])


def gdb(*words):
    """Returns gdb's output, or why there is none."""
    try:
        return run_text(["gdb", "-batch", *words], stderr=subprocess.STDOUT).stdout
    except OSError as error:
        return "gdb: %s" % error.strerror


def backtrace(core):
    """Returns the stacks of the threads of a core file, as comments of TAP. The kernel
    told the process which program it is of."""
    name = re.search(r'AT_EXECFN.*"(/.+)"', gdb("-ex", "info auxv", "-c", core))
    said = gdb("-ex", "thread apply all bt", *[name.group(1)] if name else ["-c"], core)
    return "".join("# %s\n" % line for line in
                   ["a program crashed: " + core] + said.splitlines()[-80:])


class SlurmCase(Case):
    """Jobs of four ranks on two nodes, unless told otherwise. They are submitted in
    self.tmp, which must not have a scratch folder afterwards."""

    SMALL = {"NPIX": "64", "NBIN": "2", "REPEAT": "1", "ROUNDS": "1", "LOAD": "L",
             "BIN_SIZE": "200"}

    def setUp(self):
        super().setUp()
        self.addCleanup(self.on_nodes, "rm -rf %s/*" % LOCAL)
        self.addCleanup(self.show_crashes)

    def show_crashes(self):
        """Prints the stacks of programs that have left core files where jobs were
        submitted."""
        for folder, _, names in os.walk(self.tmp):
            for name in names:
                if re.match(r"core(\.\d+)?$", name):
                    print(backtrace(os.path.join(folder, name)), flush=True)

    def on_nodes(self, command):
        return "".join(self.tool(os.environ["LEADLINE_RSH"], node, command)
                       for node in os.environ["LEADLINE_HOSTS"].split(":"))

    def environment(self, **more):
        env = dict(os.environ, **self.SMALL)
        del env["LEADLINE_LOCAL"]  # the rig's; a job uses it only if a test says so
        if FLAVOUR == "mpich":  # waiting ranks yield, as in tests/run
            env["LD_PRELOAD"] = os.path.join(BUILD, "tests", "yield_shim.so")
        else:  # another store of PMIx crashes sometimes (openpmix, issue 1114)
            env["PMIX_MCA_gds"] = "hash"
        env.update(more)
        return env

    def tool(self, *words, **how):
        done = run_text(words, cwd=self.tmp, **how)
        self.assertEqual(done.returncode, 0, "%s: %s" % (words[0], done.stderr))
        return done.stdout

    def submit(self, script, *options, nodes=2, ranks=RANKS, **env):
        """Submits a job and returns its number. Its nodes may have other jobs, too."""
        return self.tool("sbatch", "--parsable", "--exclusive=user", "--nodes=%d"
                         % nodes, "--ntasks=%d" % ranks, "--ntasks-per-node=%d"
                         % -(-ranks // nodes), "--output=" + self.path("out-%A-%a"),
                         *options, os.path.join(SCRIPTS, script),
                         env=self.environment(**env)).strip()

    def tasks(self, number):
        """Returns Slurm's data of a job: of each of its tasks, if it is an array."""
        lines = self.tool("scontrol", "--oneliner", "show", "job", number).splitlines()
        return [dict(word.split("=", 1) for word in line.split() if "=" in word)
                for line in lines if line]

    def output_of(self, task):
        with open(task["StdOut"], encoding="utf-8", errors="replace") as f:
            return f.read()

    def ended(self, number):
        return all(task["JobState"] in ENDED for task in self.tasks(number))

    def wait_for(self, number, limit=120):
        """Waits until all tasks of a job have ended, and returns them."""
        deadline = time.monotonic() + limit * runner.SCALE
        while not self.ended(number):
            self.assertLess(time.monotonic(), deadline, "job %s does not end" % number)
            time.sleep(0.2)
        return [Done(task["JobId"], task["JobState"], task["ExitCode"],
                     self.output_of(task) if os.path.exists(task["StdOut"]) else "")
                for task in self.tasks(number)]

    def job(self, script, *options, **how):
        return self.wait_for(self.submit(script, *options, **how))[0]

    def completed(self, done):
        self.assertEqual(done.state, "COMPLETED", done)
        self.nothing_left()
        return done

    def failed(self, done):
        self.assertEqual(done.state, "FAILED", done)
        self.nothing_left()
        return done

    def nothing_left(self):
        left = [name for name in os.listdir(self.tmp) if "scratch" in name]
        self.assertEqual(left + self.on_nodes("ls " + LOCAL).split(), [])

    def report(self, *names):
        return read_json(self.path(*names))

    def valid(self, *names, nodes=2, ranks=RANKS):
        """There is a valid report, of so many ranks on so many nodes."""
        report = self.report(*names)
        self.assertIs(report["valid"], True, names)
        self.assertEqual((report["mpi"]["ranks"], report["mpi"]["nodes"]),
                         (ranks, nodes), report["mpi"])
        return report

    def reports(self, *folder):
        return sorted(name for name in os.listdir(self.path(*folder))
                      if name.endswith(".json") and name != "sweep.json")
