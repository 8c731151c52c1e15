#!/usr/bin/env python3
"""outcore knn against FAISS's flat index (IndexFlatL2), both exact, on one core: an A/B
measurement, never a test.

    PYTHON bench/knn.py [options]   from a build directory, or with --build DIR

PYTHON is one that has faiss and numpy (PyPI: faiss-cpu). A round runs A (FAISS), B
(outcore knn) and A' (FAISS again) for each number of queries, in an order that turns
from round to round, and gives one ratio B / mean(A, A') and one A'/A. Printed are the
medians over the rounds, and the range of A'/A, which is the noise.

What is the same on both sides: the vectors (made by FAISS's side, in a file that the
other reads), their number, components, k, and one thread (OMP_NUM_THREADS=1). The
answers' numbers are compared, too.

What is measured: MB of vectors for a second of the processor, however long it waited.
FAISS: that of search(), the vectors lie in memory. Ours, twice: `distances` is the
processor's time in distances and lists only; `scan` is all of the phase, with the reads
from the page cache (--cache=keep), of which FAISS has none.

With fewer than 20 queries FAISS goes through all vectors for each of them: it is
fastest where they fit into the processor's cache, as the preset's 12.8 MB may."""
import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"


def arguments():
    p = argparse.ArgumentParser(description="outcore knn against FAISS.")
    p.add_argument("--build", default=".", help="build directory (default: here)")
    p.add_argument("--dir", default="/dev/shm", help="for the vectors [/dev/shm]")
    p.add_argument("--queries", default="1,16,32,128,512", help="numbers of queries")
    p.add_argument("--vectors", type=int, default=100000, help="how many [100000]")
    p.add_argument("--dim", type=int, default=32, help="components [32]")
    p.add_argument("--k", type=int, default=10, help="neighbours [10]")
    p.add_argument("--rounds", type=int, default=7, help="[7]")
    p.add_argument("--json", help="write all figures to this file")
    return p.parse_args()


def fractions(np, stream, n, dim):
    """The vectors, or the queries, of seed 1 (src/outcore/data/records.h)."""
    def mix(x):
        x = (x ^ x >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
        x = (x ^ x >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
        return x ^ x >> np.uint64(31)
    step = np.uint64(0x9e3779b97f4a7c15)
    with np.errstate(over="ignore"):
        key = mix(mix(np.uint64(1) + step) + np.uint64(stream))
        counts = np.arange(1, n * dim + 1, dtype=np.uint64)
        numbers = mix(key + counts * step) >> np.uint64(40)
    return (numbers.astype(np.float32) * np.float32(2 ** -24)).reshape(n, dim)


class Faiss:
    def __init__(self, args, folder):
        import faiss
        import numpy as np
        faiss.omp_set_num_threads(1)
        self.version, self.k = faiss.__version__, args.k
        vectors = fractions(np, 3, args.vectors, args.dim)
        self.bytes = vectors.nbytes
        self.path = os.path.join(folder, "vectors")
        vectors.tofile(self.path)
        self.index = faiss.IndexFlatL2(args.dim)
        self.index.add(vectors)
        most = max(int(q) for q in args.queries.split(","))
        self.queries = fractions(np, 7, most, args.dim)

    def run(self, queries):
        """MB/s of the processor, and the sum of the neighbours' numbers."""
        begin = time.process_time()
        _, ids = self.index.search(self.queries[:queries], self.k)
        return self.bytes / (time.process_time() - begin) / 1e6, int(ids.sum())


def ours(args, path, queries, folder):
    report = os.path.join(folder, "report.json")
    subprocess.run(
        [os.path.join(args.build, "outcore"), "knn", "--input=" + path, "--seed=1",
         "--queries=%d" % queries, "--dim=%d" % args.dim, "--k=%d" % args.k,
         "--check=0", "--cache=keep", "--quiet", "--repeat=3", "--json=" + report],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(report, encoding="utf-8") as f:
        told = json.load(f)
    figures = {f["name"]: f["median"] for f in told["figures"]}
    operations = 3 * args.vectors * args.dim * queries
    scan = figures["scan.gflops_per_cpu_s"] * 1e9 * os.path.getsize(path) / operations
    return ({"distances": figures["scan.distances_MBps"], "scan": scan / 1e6},
            int(told["results"]["id_sum"][0]), told["run"]["notes"]["distances"])


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            words = dict(line.split(":", 1) for line in f if ":" in line)
        names = {key.strip(): value.strip() for key, value in words.items()}
        return "%s, family %s, model %s" % (
            names["model name"], names["cpu family"], names["model"])
    except (OSError, KeyError):
        return platform.processor()


def one_round(args, faiss, queries, folder):
    first, expected = faiss.run(queries)
    rates, found, kernel = ours(args, faiss.path, queries, folder)
    again, _ = faiss.run(queries)
    if found != expected:
        print("%d queries: the sums of numbers are %d and %d (near ties?)" % (
            queries, expected, found), file=sys.stderr)
    return {"faiss": math.sqrt(first * again), "again": again / first,
            "kernel": kernel, **rates}


def line(queries, rounds):
    def median(of):
        return statistics.median(of(r) for r in rounds)
    again = sorted(r["again"] for r in rounds)
    print("%7d %8.0f %10.0f %8.0f   %10.2f %6.2f   %.2f - %.2f" % (
        queries, median(lambda r: r["faiss"]), median(lambda r: r["distances"]),
        median(lambda r: r["scan"]), median(lambda r: r["distances"] / r["faiss"]),
        median(lambda r: r["scan"] / r["faiss"]), again[0], again[-1]))


def main():
    args = arguments()
    numbers = [int(q) for q in args.queries.split(",")]
    rounds = {q: [] for q in numbers}
    with tempfile.TemporaryDirectory(prefix="knn-", dir=args.dir) as folder:
        faiss = Faiss(args, folder)
        for n in range(args.rounds):
            for i in range(len(numbers)):
                q = numbers[(i + n) % len(numbers)]
                rounds[q].append(one_round(args, faiss, q, folder))
    print("%s; FAISS %s; %s\n%d vectors of %d components, k = %d, %d rounds\n" % (
        processor(), faiss.version, rounds[numbers[0]][0]["kernel"], args.vectors,
        args.dim, args.k, args.rounds))
    print("%7s %8s %10s %8s   %10s %6s   %s" % (
        "queries", "FAISS", "distances", "scan", "distances", "scan", "noise"))
    print("%7s %8s %10s %8s   %10s %6s   %s" % (
        "", "MB/s", "MB/s", "MB/s", "/ FAISS", "/", "A'/A"))
    for q in numbers:
        line(q, rounds[q])
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(rounds, f, indent=1)


if __name__ == "__main__":
    main()
