#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""outcore graph in rows, and Graph500's kernel: the reads of a search, edges and trees
that a reference of its own computes, drawn roots; its ends."""
import collections
import struct

import graph_reference as reference
from e2e import Case, drawn, fault, long, main

NAMES = ("min", "firstquartile", "median", "thirdquartile", "max")


def packed(edges):
    return b"".join(struct.pack("<QQ", s, t) for s, t in edges)


def component_edges(edges):
    """Returns {vertex: edges of its component} of an undirected graph, and its
    neighbours."""
    near = collections.defaultdict(set)
    for s, t in edges:
        near[s].add(t)
        near[t].add(s)
    of, counts = {}, collections.Counter()
    for start in near:
        waiting = [start]
        while waiting:
            v = waiting.pop()
            if v not in of:
                of[v] = start
                waiting += near[v]
    for s, _ in edges:
        counts[of[s]] += 1
    return {v: counts[of[v]] for v in near}, near


class Rows(Case):
    def graph(self, *args, **how):
        return self.run_program("outcore", "graph", "--seed=1", *args, "--quiet", **how)

    def found(self, *args, **how):
        report = self.good(self.graph(*args, **how))
        return {name: value[0] for name, value in report["results"].items()}, report

    # ---- rows ------------------------------------------------------------------------

    def test_reads_little(self):
        """It reads little more than the bytes of lists that are longer than blocks."""
        numbers, _ = self.found("S:5,60,5000", "--layout=csr", np=1)
        read = numbers["search_partition_blocks"] * 4096
        lists = 8 * numbers["collected"]
        self.assertEqual(lists, 8 * 300000)
        self.assertLess(read, 1.1 * lists)

    def test_neighbours_in_a_row(self):
        """More vertices have consecutive numbers than are read as one extent."""
        path = self.file("star", packed([(7, t) for t in range(20000)]))
        for args, np in drawn([((), 1), (("--filter=early",), 2), (
                ("--kernel=graph500", "--roots=1"), 1)], 1):
            numbers, _ = self.found(path, "--vertices=20000", "--layout=csr",
                                    "--undirected", *args, np=np)
            self.assertEqual(numbers["visited"], 20000)

    # ---- Graph500 --------------------------------------------------------------------

    def kernel(self, *args, **how):
        return self.found("--kernel=graph500", *args, **how)

    def is_statistics(self, numbers, what, middle):
        """The numbers are in order, with the mean between."""
        values = [numbers["%s_%s" % (name, what)] for name in NAMES]
        self.assertEqual(values, sorted(values))
        self.assertGreater(values[0], 0)
        self.assertTrue(values[0] <= numbers["%s_%s" % (middle, what)] <= values[-1] or
                        abs(values[0] - values[-1]) < 1e-9 * values[0])

    def test_kronecker(self):
        for np, layout in drawn([(1, "chunk"), (2, "csr"), (3, "chunk"), (5, "csr")],
                                1):
            numbers, report = self.kernel("kronecker:10,16", "--roots=3",
                                          "--layout=" + layout, np=np)
            self.assertEqual(numbers["NBFS"], 3)
            # 892 of 1024 vertices have edges, all with each other.
            self.assertEqual([numbers["%s_nedge" % name] for name in NAMES],
                             [16384] * 5)
            self.assertEqual(numbers["visited"], 892)
            for what in ("time", "nedge"):
                self.is_statistics(numbers, what, "mean")
            self.is_statistics(numbers, "TEPS", "harmonic_mean")
            rate, = [f["median"] for f in report["figures"]
                     if f["name"] == "search.harmonic_TEPS"]
            self.assertAlmostEqual(rate / numbers["harmonic_mean_TEPS"], 1)

    def components(self, edges, vertices, *args, **how):
        """All vertices with an edge to another one are roots."""
        sizes, near = component_edges(edges)
        right = sorted(sizes[v] for v in near if near[v] - {v})
        numbers, _ = self.kernel(self.file("edges", packed(edges)), "--undirected",
                                 "--vertices=%d" % vertices, *args, **how)
        self.assertEqual(numbers["NBFS"], len(right))
        self.assertEqual((numbers["min_nedge"], numbers["max_nedge"]),
                         (right[0], right[-1]))
        self.assertAlmostEqual(numbers["mean_nedge"], sum(right) / len(right))

    def test_components(self):
        """There are several, with loops, double edges, and vertices without edges."""
        edges = [(0, 1), (1, 2), (2, 0), (2, 2), (0, 1), (5, 6), (8, 8), (9, 10),
                 (10, 11), (11, 12), (12, 13), (13, 9)]
        for args, np in drawn([((), 1), (("--layout=csr", "--batch=2"), 2),
                               (("--filter=early", "--batch=1", "--block=256"), 3),
                               (("--adjacency-buffer=3", "--edge-buffer=2"), 2)], 1):
            self.components(edges, 15, *args, np=np)

    @long
    def test_random_graphs(self):
        for seed in range(4):
            edges = list(reference.scale_free(2, 20, 2, seed))[::2]
            edges = [(s + 3, t + 3) for s, t in edges if (s + t) % 3]
            self.components(edges, 30, *(["--layout=csr"] if seed % 2 else []),
                            np=1 + seed % 4)

    @long
    def test_all_ways(self):
        """Roots and edges are the same with any settings."""
        seen = set()
        for args, np in ((), 1), (("--repeat=2",), 2), (("--iomode=ASYNC",), 3), (
                ("--layout=csr", "--cache=keep"), 2), (("--batch=100",), 5):
            numbers, _ = self.kernel("S:45,3000,3", "--roots=5", *args, np=np)
            seen.add((numbers["NBFS"], numbers["mean_nedge"], numbers["visited"],
                      numbers["levels"]))
        self.assertEqual(len(seen), 1, seen)

    # ---- ends ------------------------------------------------------------------------

    def test_refused(self):
        path = self.file("edges", packed([(0, 1)]))
        for args, said in drawn([
                ((path, "--vertices=2"), "--undirected"),
                (("S:4,20,4", "--root=3"), "--roots")], 1):
            self.refused(self.graph("--kernel=graph500", *args, np=1), said)

    def test_no_root(self):
        path = self.file("edges", packed([(3, 3), (1, 1)]))
        self.one_sentence(self.graph(path, "--kernel=graph500", "--vertices=5",
                                     "--undirected", np=2), "no edge", path)

    def test_damage(self):
        """A bit of a queue, or of a list without a CRC, changes on its way."""
        path = self.file("path", packed([(v, v + 1) for v in range(40)]))
        full = self.file("full", packed([(s, t) for s in range(100) for t in range(s)]))
        for graph, what, file in drawn([
                ((path, "--vertices=41"), "read:flip:1", "QUEUE"),
                ((full, "--vertices=100"), "read:flip:3", "NEIGHBOURS"),
                ((path, "--vertices=41"), "read:EIO:2", "QUEUE"),
                ((full, "--vertices=100"), "read:EIO:2", "NEIGHBOURS")], 2):
            done = self.graph(*graph, "--kernel=graph500", "--roots=1", "--undirected",
                              "--layout=csr", "--filter=early", np=1,
                              env=fault(what, 0, file))
            self.failed(done, "vertex" if file == "QUEUE" and "flip" in what else file)


if __name__ == "__main__":
    main()
