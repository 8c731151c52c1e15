"""A fake launcher and program, and a sweep of them: for the tests of leadline sweep."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import namedtuple

from tap import HERE, PACKAGE

from files import write_file, write_json

# mpiexec -n NP [mpiexec_args] program ...: runs the program once.
LAUNCHER = """#!%(python)s -B
import os, sys
words = sys.argv[1:]
program = next(i for i, word in enumerate(words) if os.path.basename(word) == "fake")
os.environ["FAKE_NP"] = words[1]
os.environ["FAKE_BEFORE"] = " ".join(words[2:program])
os.execv(words[program], words[program:])
"""

# Writes the requested report, unless "orders" in its folder say otherwise.
PROGRAM = """#!%(python)s -B
import json, os, signal, sys, time
sys.path.insert(0, %(here)r)
here = os.path.dirname(os.path.abspath(__file__))
from fake_report import report
words = sys.argv[1:]
if "--dry-run" in words:
    options = dict(word.split("=", 1) for word in words if "=" in word)
    if "FAKE_ASKED" in os.environ:
        with open(os.environ["FAKE_ASKED"], "a") as asked:
            asked.write(" ".join(words) + "\\n")
    if options["--iomethod"] == "refused":
        sys.exit("fake: no such iomethod")
    with open(options["--json"], "w") as stream:
        json.dump({"schema": "leadline-need/1", "program": "madbench",
                   "ranks": int(options["--ranks"]), "rank_memory_bytes": 1 << 20,
                   "files": 2 if options["--filetype"] == "unique" else 1,
                   "disk_bytes": 3 << 30, "write_bytes": 2000000,
                   "read_bytes": None if options["--iomethod"] == "unknown" else
                   1000000}, stream)
    sys.exit()
path = words[words.index("--json") + 1]
series = words[words.index("--series") + 1].split(",")
with open(os.path.join(here, "calls"), "a") as calls:
    calls.write(json.dumps({"argv": words, "config": series[1],
        "round": int(series[2]), "np": os.environ["FAKE_NP"],
        "before": os.environ["FAKE_BEFORE"], "seen": os.environ.get("SEEN")}) + "\\n")
orders = {}
if os.path.exists(os.path.join(here, "orders")):
    with open(os.path.join(here, "orders")) as stream:
        orders = json.load(stream)
order = orders.get(series[1], orders.get("*", ""))
if order == "fail":
    print("some noise", file=sys.stderr)
    print("fake: the disk is full (rank 1 on n1)", file=sys.stderr)
    print("mpiexec: a process ended badly", file=sys.stderr)
    sys.exit(1)
starts = int(os.environ.get("LEADLINE_STARTS", "1"))
if order == "crash" or (order == "crash once" and starts == 1):
    os.kill(os.getpid(), signal.SIGSEGV)
if order == "hang":
    scratch = os.path.join(here, "scratch")
    def clean(signum, frame):
        os.unlink(scratch)
        os._exit(1)
    signal.signal(signal.SIGTERM, clean)
    open(scratch, "w").close()
    time.sleep(60)
if order != "nothing":
    figures = orders.get("figures", {}).get(series[1], [100.0])
    figures = {"write_MBps": [figures[(int(series[2]) - 1) %% len(figures)]]}
    tree = report(figures, series[1], series[0], int(series[2]),
                  valid=order != "invalid")
    tree["run"]["wall_s"] = {"unique-posix": 50.0}.get(series[1], 100.0)
    tree["samples"][0]["bytes"], tree["samples"][1]["bytes"] = 4000000, 2000000
    with open(path, "w") as stream:
        json.dump(tree, stream)
"""

MATRIX = {"filetype": ["unique", "shared"], "iomethod": ["posix", "mpi"]}
Result = namedtuple("Result", "status out err")


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.out = os.path.join(self.dir, "out")
        words = {"python": sys.executable, "here": HERE}
        self.launcher = self.script("launcher", LAUNCHER % words)
        self.program = self.script("fake", PROGRAM % words)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def script(self, name, text):
        write_file(self.path(name), text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def spec(self, **changes):
        tree = dict({"program": self.program, "mpiexec": self.launcher, "np": 4,
                     "args": ["64", "2"], "matrix": MATRIX, "rounds": 2}, **changes)
        with open(self.path("spec.json"), "w") as stream:
            json.dump({k: v for k, v in tree.items() if v is not None}, stream)
        return self.path("spec.json")

    def orders(self, **orders):
        write_json(self.path("orders"), orders)

    def start(self, *args):
        env = dict(os.environ, PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE="1")
        return subprocess.Popen(
            [sys.executable, "-m", "leadline", "sweep"] + list(args), cwd=self.dir,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
            universal_newlines=True)

    def sweep(self, *args):
        process = self.start(*(args or (self.spec(), "--out", self.out)))
        out, err = process.communicate(timeout=60)
        return Result(process.returncode, out, err)

    def calls(self):
        if not os.path.exists(self.path("calls")):
            return []
        with open(self.path("calls")) as stream:
            return [json.loads(line) for line in stream]

    def reports(self):
        return [name for name in os.listdir(self.out)
                if name.endswith(".json") and name != "sweep.json"]
