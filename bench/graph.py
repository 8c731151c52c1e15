#!/usr/bin/env python3
"""outcore graph beside scipy, networkx and a search over mapped files: an A/B
measurement, never a test.

    PYTHON bench/graph.py [options]   from a build directory, or with --build DIR

PYTHON is one that has numpy, scipy and networkx (Debian: python3-scipy,
python3-networkx). A peer that is not there is left out. A round is A (the peer), B
(outcore graph), A' (the peer again), and gives one ratio B / mean(A, A') and one A'/A.
Printed are the medians over the rounds, and the range of A'/A, which is the noise.

scipy: `breadth_first_order` on a matrix in memory, made of the files that
--layout=csr keeps; its time is that of the call, in seconds of the processor. networkx:
`bfs_layers`, to its end, of the same graph (a tenth of it). Ours: the phase `search`,
with both layouts, in files in memory (--dir), which is wall-clock time.

mmap (--only mmap, as root, with the cgroup controller for memory): bench/bfs_mmap.c,
the search that one writes for memory, over the same files on a disk (--disk); both may
use an eighth of the files' bytes, page cache and all (--share). What they have read
before is dropped. Levels are compared in each round."""
import argparse
import contextlib
import glob
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import memory_group  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = 64


def arguments():
    p = argparse.ArgumentParser(description="outcore graph against its peers.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default="/dev/shm", help="of files in memory [/dev/shm]")
    p.add_argument("--disk", default=".", help="of files on a disk [.]")
    p.add_argument("--graph", default="S:45,1000000,5", help="[S:45,1000000,5]")
    p.add_argument("--mapped-graph", default="S:45,2000000,48",
                   help="of the search over mapped files [S:45,2000000,48]")
    p.add_argument("--share", type=int, default=8,
                   help="memory is so many times less than the files [8]")
    p.add_argument("--rounds", type=int, default=5, help="[5]")
    p.add_argument("--only", nargs="+", default=["scipy", "networkx"],
                   choices=["scipy", "networkx", "mmap"], help="[scipy networkx]")
    p.add_argument("--json", help="write all figures to this file")
    return p.parse_args()


class Ours:
    """outcore graph in a folder."""
    def __init__(self, args, folder, graph):
        self.program = os.path.join(args.build, "outcore")
        self.folder, self.graph = folder, graph
        self.report = os.path.join(folder, "report.json")

    def run(self, *options, **how):
        """(Figures, sizes of levels)"""
        subprocess.run(
            [self.program, "graph", self.graph, "--seed=1", "--dir=" + self.folder,
             "--quiet", "--json=" + self.report, *options],
            stdout=subprocess.DEVNULL, check=True, **how)
        with open(self.report, encoding="utf-8") as f:
            report = json.load(f)
        if not report["valid"]:
            sys.exit(report["why"])
        levels = report["run"]["notes"]["levels"].split(": ")[-1].split()
        return ({f["name"]: f["median"] for f in report["figures"]},
                [int(n) for n in levels])

    def rates(self):
        """Entries for a second, of both layouts and both filters."""
        found = {}
        for layout in ("chunk", "csr"):
            for when in ("late", "early"):
                figures, self.levels = self.run(
                    "--layout=" + layout, "--filter=" + when, "--cache=keep")
                found[layout, when] = figures["search.TEPS"]
            found[layout, "ingest"] = figures["ingest.edges_per_s"]
        return found

    @contextlib.contextmanager
    def kept(self, *options):
        """Its OFFSETS and NEIGHBOURS."""
        self.run("--layout=csr", "--keep", *options)
        paths = [glob.glob(os.path.join(self.folder, "*.%s.0" % name))[0]
                 for name in ("OFFSETS", "NEIGHBOURS")]
        try:
            yield paths
        finally:
            for path in glob.glob(os.path.join(self.folder, "outcore-*")):
                os.unlink(path)


def sizes_of(np, predecessors, order):
    """Vertices of each level, of a tree whose vertices are in order of their levels."""
    level = np.full(len(predecessors), -1, dtype=np.int64)
    level[order[0]] = 0
    for v in order[1:]:
        level[v] = level[predecessors[v]] + 1
    return np.bincount(level[level >= 0]).tolist()


class Scipy:
    """What one would call instead, if the graph fitted into memory."""
    def __init__(self, paths):
        import numpy as np
        import scipy
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import breadth_first_order
        self.name, self.search, self.np = "scipy " + scipy.__version__, \
            breadth_first_order, np
        offsets, neighbours = (np.fromfile(p, "<u8", offset=HEAD) for p in paths)
        n = len(offsets) - 1
        self.matrix = csr_matrix((np.ones(len(neighbours), dtype=np.float64),
                                  neighbours.astype(np.int32),
                                  offsets.astype(np.int32)), shape=(n, n))

    def run(self):
        begin = time.process_time()
        self.order, self.tree = self.search(self.matrix, 0)
        return self.matrix.nnz / (time.process_time() - begin)

    def levels(self):
        return sizes_of(self.np, self.tree, self.order)


class Networkx:
    def __init__(self, paths):
        import networkx
        import numpy as np
        self.name, self.networkx = "networkx " + networkx.__version__, networkx
        offsets, neighbours = (np.fromfile(p, "<u8", offset=HEAD) for p in paths)
        sources = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(int)))
        self.graph = networkx.MultiDiGraph(zip(sources.tolist(), neighbours.tolist()))
        self.entries = len(neighbours)

    def run(self):
        begin = time.process_time()
        self.sizes = [len(some) for some in self.networkx.bfs_layers(self.graph, [0])]
        return self.entries / (time.process_time() - begin)

    def levels(self):
        return self.sizes


PEERS = {"scipy": (Scipy, 1), "networkx": (Networkx, 10)}


def smaller(graph, by):
    hubs, vertices, degree = graph[2:].split(",")
    return "S:%s,%d,%s" % (hubs, int(vertices) // by, degree)


def in_memory(args, name):
    make, by = PEERS[name]
    rounds = []
    with tempfile.TemporaryDirectory(prefix="graph-", dir=args.dir) as folder:
        ours = Ours(args, folder, smaller(args.graph, by))
        try:
            with ours.kept() as paths:
                peer = make(paths)
        except ImportError as error:
            print("without %s: %s" % (name, error), file=sys.stderr)
            return
        for n in range(args.rounds):
            before, own, again = peer.run(), ours.rates(), peer.run()
            if ours.levels != peer.levels():
                sys.exit("levels differ from those of %s" % peer.name)
            rounds.append({"peer": math.sqrt(before * again), "again": again / before,
                           "own": own})
    say(peer.name + ", " + ours.graph, rounds)
    yield from rounds


def say(title, rounds):
    again = sorted(r["again"] for r in rounds)
    print("\n%s: %.1f M entries/s; noise (A'/A) %.2f - %.2f" % (
        title, statistics.median(r["peer"] for r in rounds) / 1e6, again[0], again[-1]))
    for key in rounds[0]["own"]:
        ratio = statistics.median(r["own"][key] / r["peer"] for r in rounds)
        print("  %-5s %-6s %8.1f M/s%s" % (
            *key, statistics.median(r["own"][key] for r in rounds) / 1e6,
            "" if key[1] == "ingest" else "  %6.2f of the peer" % ratio))


# ---- with less memory than files -----------------------------------------------------

def drop(paths):
    for path in paths:
        with open(path, "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def built(folder):
    program = os.path.join(folder, "bfs_mmap")
    subprocess.run(["cc", "-O2", "-o", program, os.path.join(HERE, "bfs_mmap.c")],
                   check=True)
    return program


def over_mapped(args):
    rounds = []
    with tempfile.TemporaryDirectory(prefix="graph-", dir=args.disk) as folder:
        program = built(folder)
        ours = Ours(args, folder, args.mapped_graph)
        with ours.kept() as paths:
            memory = sum(os.path.getsize(p) for p in paths) // args.share
            with memory_group.limited(memory) as group:
                how = {"preexec_fn": group.enter}
                for n in range(args.rounds):
                    def peer():
                        drop(paths)
                        return [float(x) for x in subprocess.run(
                            [program, *paths], check=True, stdout=subprocess.PIPE,
                            **how).stdout.split()]
                    before, reached, entries = peer()
                    figures, levels = ours.run(
                        "--layout=csr", "--filter=early", "--batch=65536",
                        "--request=256k", "--edge-buffer=65536",
                        "--adjacency-buffer=262144", **how)
                    if sum(levels) != reached:
                        sys.exit("the peer reaches %d vertices" % reached)
                    again = peer()[0]
                    rounds.append({
                        "peer": entries / math.sqrt(before * again),
                        "again": before / again,
                        "own": {("csr", "early"): entries / figures["search.wall_s"]}})
    say("mmap, %s, %d MB of memory" % (args.mapped_graph, memory // 1000000), rounds)
    yield from rounds


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        words = dict(line.split(":", 1) for line in f if ":" in line)
    names = {key.strip(): value.strip() for key, value in words.items()}
    return "%s, family %s, model %s" % (
        names.get("model name", platform.processor()), names.get("cpu family"),
        names.get("model"))


def main():
    args = arguments()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("%s, %d rounds" % (processor(), args.rounds))
    every = {}
    for name in args.only:
        some = over_mapped(args) if name == "mmap" else in_memory(args, name)
        every[name] = [dict(r, own={" ".join(k): v for k, v in r["own"].items()})
                       for r in some]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(every, f, indent=1)


if __name__ == "__main__":
    main()
