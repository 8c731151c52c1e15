"""What the measurements of papers have in common: disks, sweeps, seconds."""
import json
import os
import subprocess
import sys

from fio import makefile_value, median  # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(HERE, "..", "python")
sys.path.insert(0, PYTHON)
from leadline.base import stats  # noqa: E402

# How each kind of seconds is made of the acts in a report.
ACTS = {"write": ("write", "sync"), "read": ("read",),
        "io": ("write", "sync", "read", "open_close"), "total": ("wall",)}


# ---- disks -------------------------------------------------------------------


def with_disks(count, rate, size, image_dir):
    """Starts this program again with throttled disks, unless it has them: links to
    them, which have the same names in every call, and so can a sweep be resumed."""
    mounted = os.environ.get("LEADLINE_DISKS")
    os.makedirs(image_dir, exist_ok=True)
    if not mounted:
        rig = os.path.join(HERE, "..", "tests", "rig", "disks")
        os.execv(rig, [rig, "--disks=%d" % count, "--rate=" + rate, "--size=" + size,
                       "--image-dir=" + image_dir, "--", sys.executable] + sys.argv)
    links = []
    for i, disk in enumerate(mounted.split(":")):
        links.append(os.path.join(image_dir, "disk%d" % i))
        if os.path.islink(links[i]):
            os.unlink(links[i])
        os.symlink(disk, links[i])
    return links


def every(disks):
    """For --node-dirs, in a few characters: it becomes a part of files' names."""
    return disks[0][:-1] + "%r"


# ---- sweeps ------------------------------------------------------------------


def mpiexec(build):
    """As a batch job says, or as the build was configured, or the installed suite."""
    said = os.environ.get("LEADLINE_MPIEXEC")
    if said or os.path.exists(os.path.join(build, "Makefile")):
        return (said or makefile_value(build, "MPIEXEC")).split()
    try:
        return subprocess.run([os.path.join(build, "leadline"), "launcher"], check=True,
                              stdout=subprocess.PIPE).stdout.decode().split()
    except (OSError, subprocess.CalledProcessError):
        sys.exit("%s: neither a build nor leadline is in %s to tell the launcher; set "
                 "LEADLINE_MPIEXEC" % (sys.argv[0], build))


def yielding(build, np):
    """Variables by which ranks that wait give up the core, where they need to: else
    MPICH's ranks use up their time slices, and whatever is collective takes longest."""
    if np <= os.cpu_count():
        return {}
    shim = os.path.join(build, "tests", "yield_shim.so")
    if not os.path.exists(shim):
        sys.exit("%s: %s is missing: make tests/yield_shim.so" % (sys.argv[0], shim))
    return {"LD_PRELOAD": shim, "OMPI_MCA_mpi_yield_when_idle": "1"}


def sweep(build, out, spec, beside=(), variables=None):
    """Runs it, or goes on with it, by the command `beside`, if there is one, with the
    environment's `variables` set; reports are in the folder that is returned."""
    os.makedirs(out, exist_ok=True)
    path, runs = os.path.join(out, "spec.json"), os.path.join(out, "runs")
    spec = dict(spec, program=os.path.join(build, spec["program"]),
                mpiexec=mpiexec(build))
    with open(path, "w") as stream:
        json.dump(spec, stream, indent=1)
    env = dict(os.environ, PYTHONPATH=PYTHON, PYTHONDONTWRITEBYTECODE="1",
               **variables or {})
    if subprocess.run(list(beside) + [sys.executable, "-m", "leadline", "sweep", path,
                                      "--out", runs], env=env).returncode:
        print("Some runs failed; what follows is of the others.", file=sys.stderr)
    return runs


def reports(folder):
    """Of the valid runs: (options, round, report)."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".json") or name == "sweep.json":
            continue
        with open(os.path.join(folder, name)) as stream:
            report = json.load(stream)
        if report["valid"]:
            value = {word: o["value"] for word, o in report["options"].items()}
            yield value, int(report["run"]["series"]["round"]), report


def seconds(report):
    """{kind: seconds}: of each phase the slowest rank's, summed over the phases."""
    return {kind: sum(slowest(report, acts)) for kind, acts in ACTS.items()}


def slowest(report, acts):
    phases = {}
    for sample in report["samples"]:
        if sample["act"] in acts:
            phases.setdefault((sample["rep"], sample["phase"]), []).append(
                sample["ranks_s"])
    return [max(map(sum, zip(*acted))) for acted in phases.values()]


def figure(report, name):
    return next((f["median"] for f in report["figures"] if f["name"] == name), None)


# ---- ratios ------------------------------------------------------------------


def ratios(ours, theirs, kind):
    """ours / theirs, {round: {kind: seconds}}, of the rounds that both have."""
    return [ours[r][kind] / theirs[r][kind] for r in sorted(set(ours) & set(theirs))
            if theirs[r][kind]]


def bounds(values):
    """(median, low, high): with fewer than six, the range; else a 95 % interval."""
    if not values:
        return None
    interval = stats.interval(values)
    low, high = interval[1:3] if interval else (min(values), max(values))
    return median(values), low, high


def less(some):
    """Ratios of times as per cent that are saved."""
    return some and tuple(100 * (1 - some[i]) for i in (0, 2, 1))


def text(some, form="%.2f"):
    if not some:
        return "-"
    return (form + " [" + form + ", " + form + "]") % some
