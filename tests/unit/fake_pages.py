"""Folders of synthetic reports for whole pages: matrices of 4 to 500 configurations,
many ranks, several programs, two systems. Rates are products of the effects of each
option, of the round, and of noise that is the same each time."""
import itertools
import math
import os
import random

from fake_report import save
from full_report import figure, full

GAIN = {"posix": 1.0, "mpiio": 1.26, "uring": 1.6, "threads": 0.9, "libaio": 1.1,
        "shared": 0.45, "unique": 1.0}
ROUNDS = 6


def rate(options, noise):
    value = 100.0
    for name, of in options.items():
        if name in ("chunk", "depth", "ranks"):
            value *= math.log(of, 2) / 4 + 0.5
        else:
            value *= GAIN.get(of, 1.0)
    if options.get("iomethod") == "uring" and options.get("chunk", 0) >= 1 << 20:
        value *= 1.4   # an interaction
    return value * math.exp(noise.gauss(0, 0.02))


def histogram(seconds):
    """Makes transfers around `seconds`, a few of them much longer."""
    return [[seconds * 2.0 ** (i / 4.0), int(1000 * math.exp(-abs(i - 8) / 2.0)) + 1]
            for i in range(40)]


def latency(tree, value):
    for row in tree["samples"]:
        if row["act"] in ("read", "write"):
            row["latency"] = {"p50_s": None, "p90_s": None, "p99_s": None,
                              "p999_s": None, "max_s": None,
                              "hist": histogram(0.01 / value)}


def sweep(folder, levels, rounds=ROUNDS, series_id="s1", skip=(), seed=1, day=1,
          **more):
    """Makes a report for each round and combination of `levels`, {option: values};
    "ranks" is one of them. `skip`: leaves out one of so many configurations."""
    noise = random.Random(seed)
    for i, values in enumerate(itertools.product(*levels.values())):
        options = dict(zip(levels, values))
        if i in skip:
            continue
        name = "-".join(str(v) for v in values)
        for n in range(rounds):
            value = rate(options, noise)
            tree = full(
                {"write_MBps": [value], "read_MBps": [value * 2.5]}, config=name,
                series_id=series_id, round_number=n + 1,
                start="2026-11-%02dT%02d:%02d:00Z" % (day + n // 24, n % 24, i % 60),
                options={k: v for k, v in options.items() if k != "ranks"},
                **dict({"ranks": options.get("ranks", 4)}, **more))
            tree["io"]["engine"] = options.get("iomethod") or options.get(
                "engine", "posix")
            latency(tree, value)
            save(folder, "%s-%s-%d.json" % (series_id, name, n + 1), tree)


METHODS = ["posix", "mpiio", "uring", "threads"]
CHUNKS = [65536, 262144, 1048576, 4194304]


def few(folder):
    sweep(folder, {"iomethod": METHODS[:2], "filetype": ["unique", "shared"]})


def medium(folder):
    sweep(folder, {"iomethod": METHODS[:3], "chunk": CHUNKS[:3], "ranks": [1, 4, 16]})


def study(folder):
    sweep(folder, {"iomethod": METHODS, "chunk": CHUNKS, "ranks": [1, 2, 4, 8]})


def holes(folder):
    sweep(folder, {"chunk": CHUNKS, "depth": [1, 4, 16], "iomethod": METHODS[:2]},
          skip=(3, 8, 17))


def huge(folder):
    sweep(folder, {"iomethod": METHODS + ["libaio"], "chunk": CHUNKS + [16777216],
                   "ranks": [1, 2, 4, 8], "depth": [1, 2, 4, 8, 16]}, rounds=6)


def many_ranks(folder, ranks=256):
    noise = random.Random(3)
    for n in range(6):
        for method in METHODS[:2]:
            value = rate({"iomethod": method}, noise)
            tree = full({"write_MBps": [value], "read_MBps": [value]}, config=method,
                        round_number=n + 1, ranks=ranks, slowest=(77, 3.0),
                        options={"iomethod": method},
                        start="2026-11-01T%02d:00:00Z" % n)
            tree["io"]["engine"] = method
            hosts = 4
            tree["hosts"] = [dict(tree["hosts"][0], name="node%02d" % h,
                                  ranks=ranks // hosts) for h in range(hosts)]
            for row in tree["samples"]:
                row["max_rank"], row["max_host"] = 0, "node00"
                if row["act"] in ("read", "write", "sync"):
                    row["ranks_s"] = [s * math.exp(noise.gauss(0, 0.1))
                                      for s in row["ranks_s"]]
                    worst = max(range(ranks), key=lambda r: row["ranks_s"][r])
                    row["max_rank"] = worst
                    row["max_host"] = "node%02d" % (worst * hosts // ranks)
            save(folder, "%s-%d.json" % (method, n), tree)


def archive(folder):
    """Makes several programs, and one that ran every night."""
    few(folder)
    sweep(folder, {"engine": METHODS[:3]}, program="blocktransfer", series_id="s2")
    noise = random.Random(5)
    for night in range(40):
        value = 500 * (0.8 if night >= 25 else 1) * math.exp(noise.gauss(0, 0.02))
        tree = full({"write_MBps": [value]}, label="nightly", program="outcore sort",
                    start="2026-%02d-%02dT02:00:00Z" % (9 + night // 30,
                                                        1 + night % 30))
        tree["run"]["version"] = "0.1" if night < 25 else "0.2"
        save(folder, "nightly-%02d.json" % night, tree)
    save(folder, "fft.json", full([figure("wall_s", [2.0], "s", "lower")],
                                  program="ldad fft", label="fft"))


def systems(folder):
    """Makes the same sweep on two machines with other file systems."""
    for name, fs, seed in (("alps", "lustre", 1), ("beat", "gpfs", 2)):
        sweep(folder, {"iomethod": METHODS[:2], "chunk": CHUNKS[:2]}, host=name, fs=fs,
              series_id=name, seed=seed)


def tools(folder):
    """Makes single runs of several programs at several numbers of ranks."""
    noise = random.Random(9)
    for program, options in (
            ("ior", {"access": "file-per-process", "ordering in a file": "sequential"}),
            ("elbencho", {"path type": "dir", "random": 0}),
            ("madbench", {"filetype": "UNIQUE"})):
        for ranks in (1, 4, 16):
            value = 300.0 * ranks ** 0.7 * math.exp(noise.gauss(0, 0.2))
            tree = full({"write_MBps": [value, 1.1 * value], "read_MBps": [3 * value]},
                        program=program, ranks=ranks)
            tree["options"] = {name: {"value": given, "unit": None, "from": "imported",
                                      "workload": True}
                               for name, given in options.items()}
            save(folder, "%s-%d.json" % (program, ranks), tree)


PAGES = {"few": few, "medium": medium, "study": study, "holes": holes, "huge": huge,
         "many_ranks": many_ranks, "archive": archive, "systems": systems,
         "tools": tools}


def make(name, folder):
    os.makedirs(folder, exist_ok=True)
    PAGES[name](folder)
