"""Complete reports by the schema, made from fake_report's short ones."""
import copy

from fake_report import report
from leadline.base import stats

HOST = {"name": "n1", "ranks": 4, "cores": 4, "memory_bytes": 2 ** 30, "kernel": "6.1",
        "load1_start": 0.1, "load1_end": 0.2}
FILE = {"role": "data", "path": "/scratch", "kind": "shared", "count": 1,
        "layout": "rank,mat,blk", "ldad": None, "bytes": 1, "fs": "ext4",
        "mount": "rw,relatime", "block_bytes": 4096, "stripe_bytes": None,
        "stripe_count": None, "stripe_about": "ext4 tells of no stripes",
        "stored_bytes": 1, "stored_of_bytes": 1, "stored_about": None,
        "stack": [{"level": 0, "kind": "file system", "name": "ext4", "about": None,
                   "reads": "below"},
                  {"level": 1, "kind": "disk", "name": "sda", "about": None,
                   "reads": "device"}]}
FINDING = {"title": "fsync", "answer": "yes", "text": "", "means": "",
           "values": {"small_s": 0.001}}
NODES = {"count": 1, "names": "n1", "storage": "ext4 on sda", "reads": "device",
         "fs": "ext4", "source": "/dev/sda", "uuid": None, "mount": "rw,relatime",
         "client": None, "kernel": "6.1", "limits": None, "below_share": None,
         "resident_share": None}
IO = {"engine": "posix", "version": None, "mode": "sync", "chosen_because": "",
      "collective": False, "cache": "flush", "sync": "phase", "depth": 1,
      "timeout_s": 30, "settings": {}, "hints_asked": {}, "hints_in_effect": {}}
ACTS = {"open_close": 0.25, "read": 0.5, "write": 1.0, "sync": 0.5, "idle": 0.25}


def figure(name, reps, unit="MB/s", better="higher", at=None):
    reps = list(reps)
    known = [rep for rep in reps if rep is not None]
    interval = stats.interval(known)
    return {"name": name, "at": at or {}, "unit": unit, "better": better,
            "formula": "bytes / seconds", "reps": reps, "ci_of": "geometric mean",
            "median": stats.median(known), "min": min(known), "max": max(known),
            "ci95": [interval.low, interval.high] if interval else None}


def sample(phase, act, seconds, ranks, slowest=None, rep=1):
    """Makes a sample; `slowest`: (rank, how many times as long as the others)."""
    each = [seconds] * ranks
    if slowest and act in ("read", "write", "sync"):
        each[slowest[0]] *= slowest[1]
    worst = max(range(ranks), key=lambda r: (each[r], -r))
    return {"rep": rep, "at": {}, "phase": phase, "act": act, "start_s": 0.0,
            "calls": 4, "bytes": 4096, "device_bytes": None, "min_s": min(each),
            "mean_s": sum(each) / ranks, "max_s": max(each), "max_rank": worst,
            "max_host": "n1", "submit_mean_s": None, "wait_mean_s": None,
            "ranks_s": each, "latency": None}


def samples(phases, ranks, slowest=None):
    rows = [sample(phase, act, seconds, ranks, slowest)
            for phase in phases for act, seconds in ACTS.items()]
    for phase in phases:
        wall = sum(row["mean_s"] for row in rows if row["phase"] == phase)
        rows.append(dict(sample(phase, "wall", wall, ranks)))
    return rows


def full(figures, start="2026-11-20T10:15:02.123Z", fs="ext4", host="n1", slowest=None,
         phases=("S", "W"), **more):
    """Makes a report; figures: {name: values} or rows made by figure()."""
    tree = report({}, **more)
    ranks = tree["mpi"]["ranks"]
    if isinstance(figures, dict):
        figures = [figure(name, reps) for name, reps in figures.items()]
    tree["figures"] = figures
    tree["run"].update(argv=["madbench"], start_utc=start, end_utc=start, wall_s=1.0,
                       seed=1)
    tree["mpi"].update(io_layer="ROMIO", thread_level="single", launcher="hydra",
                       ranks_per_node_max=ranks)
    tree["io"] = dict(IO, cache=tree["io"]["cache"])
    tree["hosts"] = [dict(HOST, name=host)]
    tree["nodes"] = [dict(NODES)]
    tree["doctor"] = {"fsync": dict(FINDING)}
    tree["files"] = [copy.deepcopy(dict(FILE, fs=fs))]
    tree["samples"] = samples(phases, ranks, slowest)
    tree["results"] = {}
    tree["checks"].update(blocks_checked=4, blocks_bad=0, split_error=0.0)
    return tree
