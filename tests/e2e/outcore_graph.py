#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""outcore graph: its files to the byte, the blocks that it moves, and levels, as a
reference of its own computes them; the same levels for any number of ranks; its
ends."""
import collections
import glob
import gzip
import hashlib
import itertools
import os
import random
import struct
import unittest

import graph_reference as reference
from e2e import Case, any_mpi, drawn, fault, long, main, read_bytes

SIZES = (256, 512, 4096, 8192)
FILES = "files/outcore-"
# S:45,10000,5, seed 1, flushes of 10,000: blocks of the ingest (PIF, links, appended)
# and of the search (PIF, PARTITION).
KNOWN = {256: (1881, 3867, 3359, 2006, 9690), 512: (942, 2308, 1682, 1167, 5945),
         4096: (120, 356, 214, 192, 1189), 8192: (60, 186, 109, 102, 672)}
COUNTS = ("ingest_pif_blocks", "ingest_link_blocks", "ingest_append_blocks",
          "search_pif_blocks", "search_partition_blocks")
MIDDLE = ("S:45,10000,5", "--adjacency-buffer=10000")
MIDDLE_LEVELS = [1, 77, 533, 3309, 5397, 681, 2]


def digest(data):
    return hashlib.sha256(data).hexdigest()[:8]


def packed(edges):
    return b"".join(struct.pack("<QQ", s, t) for s, t in edges)


class Graph(Case):
    def graph(self, *args, **how):
        return self.run_program("outcore", "graph", "--seed=1", *args, "--quiet", **how)

    def found(self, *args, **how):
        """Returns the results of a good run, and the sizes of levels."""
        report = self.good(self.graph(*args, **how))
        text = report["run"]["notes"]["levels"]
        sizes = [int(size) for size in text.split(": ")[-1].split()]
        numbers = {name: value[0] for name, value in report["results"].items()}
        self.assertEqual(sum(sizes), numbers["visited"])
        runs = 2 if "--repeat=2" in args else 1
        self.assertEqual(report["checks"]["blocks_checked"], runs * numbers["chunks"])
        return numbers, sizes

    def kept(self, *args, names=("PIF", "PARTITION"), **how):
        """Returns both files of rank 0."""
        done = self.graph(*args, "--keep", **how)
        self.assertEqual(done.status, 0, done)
        data = []
        for name in names:
            path, = glob.glob(os.path.join(done.dir, "*.%s.0" % name))
            data.append(read_bytes(path))
        return data

    def counts(self, numbers):
        return tuple(int(numbers[name]) for name in COUNTS)

    # ---- files and blocks ------------------------------------------------------------

    def test_files_to_the_byte(self):
        """They are right to the byte, and the same for all sizes of blocks."""
        edges = list(reference.scale_free(4, 20, 4, 1))
        store = reference.Store(20, edges, 30)
        for block in drawn(SIZES, 1):
            pif, partition = self.kept("S:4,20,4", "--adjacency-buffer=30",
                                       "--block=%d" % block, np=1)
            self.assertEqual(pif, store.pif())
            self.assertEqual(partition, bytes(store.partition))
            self.assertEqual((digest(pif), digest(partition)), ("9f1cf672", "56d12765"))

    def test_known_blocks(self):
        for block in drawn(SIZES, 1):
            numbers, sizes = self.found(*MIDDLE, "--block=%d" % block, np=1)
            self.assertEqual(self.counts(numbers), KNOWN[block])
            self.assertEqual((numbers["rounds"], numbers["chunks"]), (30, 19110))
            self.assertEqual(sizes, MIDDLE_LEVELS)

    @long
    def test_known_files(self):
        for block in SIZES:
            pif, partition = self.kept(*MIDDLE, "--block=%d" % block, np=1)
            self.assertEqual((len(pif), digest(pif)), (160064, "cf59a571"))
            self.assertEqual((len(partition), digest(partition)), (858704, "b91dbaab"))

    @long
    def test_known_batches(self):
        numbers, _ = self.found(*MIDDLE, "--batch=1000", np=1)
        self.assertEqual(self.counts(numbers)[3:] + (numbers["rounds"],),
                         (1369, 5976, 197))

    def as_predicted(self, hubs, vertices, degree, buffer, batch, early, block):
        edges = list(reference.scale_free(hubs, vertices, degree, 1))
        store = reference.Store(vertices, edges, buffer, [block])
        search = reference.Search(store.pif(), bytes(store.partition), batch=batch,
                                  sizes=[block], early=early)
        numbers, sizes = self.found(
            "S:%d,%d,%d" % (hubs, vertices, degree), "--adjacency-buffer=%d" % buffer,
            "--batch=%d" % batch, "--block=%d" % block,
            "--filter=" + ("early" if early else "late"), np=1)
        self.assertEqual(sizes, search.levels)
        self.assertEqual(self.counts(numbers),
                         (*store.counts[block].values(), search.pif[block],
                          search.partition[block]))
        self.assertEqual(
            (numbers["rounds"], numbers["chain_max"], numbers["queue_bytes"]),
            (search.rounds, search.chain_max, search.queue))

    def test_as_predicted(self):
        for case in drawn([(1, 30, 3, 7, 2, False, 256),
                           (9, 700, 6, 100, 33, True, 512),
                           (3, 2000, 8, 4096, 500, False, 1024),
                           (20, 900, 4, 1, 1000, False, 256),
                           (2, 60, 40, 300, 7, True, 256)], 1):
            self.as_predicted(*case)

    @long
    def test_long_chunks(self):
        """A hub has more neighbours than a request holds."""
        edges = [(7, t) for t in range(40000)] + [(t, 7) for t in range(40000)]
        path = self.file("star", packed(edges))
        for more in ((), ("--request=4k",), ("--request=8k", "--block=8k"),
                     ("--layout=csr", "--request=4k"), ("--layout=csr",)):
            numbers, sizes = self.found(path, "--vertices=40000", "--root=3", *more,
                                        np=2)
            self.assertEqual(sizes, [1, 1, 39998])

    def in_rows(self, hubs, vertices, degree, buffer, batch, early, block):
        edges = list(reference.scale_free(hubs, vertices, degree, 1))
        rows = reference.Rows(vertices, edges)
        search = reference.RowSearch(rows.offsets, rows.neighbours, batch=batch,
                                     sizes=[block], early=early)
        args = ("S:%d,%d,%d" % (hubs, vertices, degree), "--layout=csr",
                "--adjacency-buffer=%d" % buffer, "--batch=%d" % batch,
                "--block=%d" % block, "--filter=" + ("early" if early else "late"))
        numbers, sizes = self.found(*args, np=1)
        self.assertEqual(sizes, search.levels)
        self.assertEqual(self.counts(numbers),
                         (0, 0, 0, search.pif[block], search.partition[block]))
        self.assertEqual((numbers["rounds"], numbers["queue_bytes"]),
                         (search.rounds, search.queue))
        kept = self.kept(*args, names=("OFFSETS", "NEIGHBOURS"), np=1)
        self.assertEqual(kept, [rows.offsets, rows.neighbours])

    def test_in_rows(self):
        for case in drawn([(1, 30, 3, 100000, 2, False, 256),
                           (9, 700, 6, 100000, 33, True, 512),
                           (3, 2000, 8, 200000, 500, False, 1024),
                           (2, 60, 40, 100000, 7, True, 256)], 1):
            self.in_rows(*case)

    @long
    def test_rows_out_of_core(self):
        """All ranks' runs of the sort go to disk."""
        for np in (1, 3):
            numbers, sizes = self.found("S:45,300000,5", "--layout=csr",
                                        "--adjacency-buffer=200000", np=np)
            self.assertEqual((numbers["entries"], numbers["visited"]), (1.5e6, 3e5))

    # ---- levels ----------------------------------------------------------------------

    def test_any_ranks(self):
        for np in drawn([1, 2, 3, 5], 1):
            numbers, sizes = self.found("S:45,3000,5", "--adjacency-buffer=900",
                                        "--edge-buffer=333", "--batch=250", np=np)
            self.assertEqual(sizes, reference.levels(reference.neighbours_of(
                reference.scale_free(45, 3000, 5, 1))))
            self.assertEqual(numbers["entries"], 15000)

    @long
    def test_kronecker(self):
        _, sizes = self.found("kronecker:10,16", "--undirected", np=2)
        self.assertEqual(sizes, [1, 11, 446, 428, 6])

    def test_random_graphs(self):
        """They are directed and undirected, sparse and dense, and pass through
        files."""
        for seed in drawn(range(50), 2):
            dice = random.Random(seed)
            vertices = dice.choice([1, 2, 17, 300])
            edges = [(dice.randrange(vertices), dice.randrange(vertices))
                     for _ in range(dice.choice([1, vertices, 4 * vertices]))]
            root, both = dice.randrange(vertices), dice.random() < .5
            path = self.file("edges", packed(edges))
            every = reference.both_ways(edges) if both else edges
            _, sizes = self.found(
                path, "--vertices=%d" % vertices, "--root=%d" % root, "--block=256",
                "--adjacency-buffer=%d" % dice.choice([1, 10, 1000]),
                "--batch=%d" % dice.choice([1, 5, 1000]),
                *dice.choice([[], ["--layout=csr", "--adjacency-buffer=100000"]]),
                *(["--undirected"] if both else []), np=dice.choice([1, 2, 3]))
            self.assertEqual(sizes, reference.levels(
                reference.neighbours_of(every), root), seed)

    @long
    def test_networkx(self):
        """Levels equal those of networkx."""
        try:
            import networkx
        except ImportError:
            self.skipTest("networkx is not installed")
        for seed in range(10):
            graph = networkx.gnm_random_graph(200, 260, seed, directed=True)
            path = self.file("edges", packed(graph.edges))
            _, sizes = self.found(path, "--vertices=200", np=2,
                                  *(["--layout=csr"] if seed % 2 else []))
            depth = networkx.single_source_shortest_path_length(graph, 0)
            count = collections.Counter(depth.values())
            self.assertEqual(sizes, [count[i] for i in range(len(count))], seed)

    @long
    def test_wordnet(self):
        try:
            vertices, edges = reference.wordnet()
        except OSError:
            self.skipTest("wordnet-base is not installed")
        self.assertEqual((vertices, len(edges)), (117659, 377592))
        path = self.file("wordnet", packed(edges))
        for np, layout in ((1, "chunk"), (2, "chunk"), (2, "csr")):
            _, sizes = self.found(path, "--vertices=%d" % vertices,
                                  "--layout=" + layout, np=np)
            self.assertEqual(sizes, [1, 3, 23, 262, 3523, 14273, 32601, 38177, 17743,
                                     4365, 700, 66, 6])

    @unittest.skipUnless(os.environ.get("LEADLINE_BIG") == "1",
                         "LEADLINE_BIG=1 is not set")
    @long
    def test_million(self):
        numbers, sizes = self.found("S:45,1000000,5", np=1)
        self.assertEqual(numbers["chunks"], 1905468)
        self.assertEqual(sizes, [1, 703, 9123, 112629, 503747, 359641, 14152, 4])

    @long
    def test_other_ways(self):
        for args in (("--iomethod=MPI",), ("--iomode=ASYNC",), ("--cache=keep",),
                     ("--repeat=2",)):
            _, sizes = self.found(*MIDDLE, "--batch=3000", *args, np=2)
            self.assertEqual(sizes, MIDDLE_LEVELS)

    # ---- ends ------------------------------------------------------------------------

    @any_mpi
    def test_refused(self):
        path = self.file("edges", packed([(0, 1)]))
        for args, said in drawn([
                (("S:4,20",), "S:HUBS,VERTICES,DEGREE"), (("S:5,5,5",), "hubs"),
                (("S:0,5,5",), "hub"), (("kronecker:99,2",), "scale"),
                (("kronecker:3",), "SCALE,EDGEFACTOR"),
                (("S:4,20,4", "--vertices=9"), "--vertices"), ((path,), "--vertices"),
                (("S:4,20,4", "--root=20"), "--root=20"),
                (("--block=1000",), "--block"),
                (("--block=8k", "--request=4k"), "--request")], 3):
            self.refused(self.graph(*args, np=1), said)

    def test_bad_edges(self):
        for data, args, parts in drawn([
                (packed([(0, 1), (1, 9)]), ("--vertices=9",), ("edge 1", "9")),
                (packed([(0, 1)]) + b"x", ("--vertices=9",), ("cut short",)),
                (packed([(1 << 50, 1)]), ("--vertices=%d" % (1 << 20),), ("edge 0",))],
                1):
            path = self.file("edges", data)
            self.one_sentence(self.graph(path, *args, np=2), path, *parts)
        self.one_sentence(self.graph("nowhere", "--vertices=3", np=1), "nowhere")

    # ---- text ------------------------------------------------------------------------

    def as_text(self, matrix, edges):
        """Writes SNAP's edge list, or a symmetric matrix, with typical comments."""
        if matrix:
            return "%%%%MatrixMarket matrix coordinate real symmetric\n%% made\n" \
                "%d %d %d\n" % (60, 60, len(edges)) + "".join(
                    "%d %d 0.5\n" % (s + 1, t + 1) for s, t in edges)
        ends = ("\n", "\r\n", "\n\n", "\n# of %s\n" % ("it " * 700))
        return "# Directed\n" + "".join(
            "%d%s%d%s" % (s, "\t"[:i % 2] or "  ", t, ends[i % 4])
            for i, (s, t) in enumerate(edges)) + "7 7"

    def test_text(self):
        for seed, matrix, np in drawn(list(itertools.product(
                range(3), (False, True), (1, 3))), 2):
            dice = random.Random(seed)
            edges = [(dice.randrange(60), dice.randrange(60)) for _ in range(50)]
            path = self.file("graph", self.as_text(matrix, edges).encode())
            every = edges + [(t, s) for s, t in edges if s != t] if matrix \
                else edges + [(7, 7)]
            numbers, sizes = self.found(
                path, *([] if matrix else ["--vertices=60"]), "--root=%d" % edges[0][0],
                "--request=4k", np=np)
            self.assertEqual(numbers["entries"], len(every))
            self.assertEqual(sizes, reference.levels(reference.neighbours_of(every),
                                                     edges[0][0]))

    @any_mpi
    def test_bad_text(self):
        matrix = "%%MatrixMarket matrix coordinate pattern general\n9 9 2\n"
        rows = "".join("%d %d\n" % (i % 9, i % 7) for i in range(3000))
        for text, parts in drawn([
                (rows + "3\n" + rows, ("line 3001 ", "fewer numbers")),
                (rows + rows + "-1 2", ("line 6001 ", "no number")),
                (rows + "1 9\n", ("line 3001 ", "9")), ("1 x\n", ("line 1 ",)),
                ("1 99999999999999999999\n", ("line 1 ", "2^48")),
                ("1" * 2000, ("line 1 ", "too long")),
                (matrix + "1 2\n1 10\n", ("line 4 ", "outside")),
                (matrix + "1 2\n", ("1 entries", "2")),
                (matrix[:20] + "\n", ("Matrix Market", "line 1")),
                (matrix.split("\n")[0] + "\n", ("how many rows",))], 3):
            path = self.file("graph", text.encode())
            more = [] if text[0] == "%" else ["--vertices=9"]
            self.one_sentence(self.graph(path, *more, np=2), path, *parts)
        path = self.file("graph.gz", gzip.compress(b"0 1"))
        self.one_sentence(self.graph(path, "--vertices=9", np=1), path, "gzip")

    # ---- damage ----------------------------------------------------------------------

    def test_damage(self):
        """A device has changed a chunk, or an entry of PIF."""
        for what, file, parts in drawn([
                ("read:flip:1", "PARTITION", ("PARTITION", "vertex")),
                ("write:flip:1", "PARTITION", ("PARTITION",)),
                ("read:shift:1", "PARTITION", ("PARTITION",))], 1):
            done = self.graph("S:4,200,4", "--block=256", np=2,
                              env=fault(what, 1, file))
            self.failed(done, *parts)

    def test_damaged_rows(self):
        for what, file, parts in drawn([
                ("write:flip:1", "OFFSETS", ("OFFSETS", "the file is damaged")),
                ("write:flip:1", "NEIGHBOURS", ("NEIGHBOURS",)),
                ("read:shift:2", "NEIGHBOURS", ("NEIGHBOURS",)),
                ("read:EIO:1", "RUNS", ("RUNS",)),
                ("write:ENOSPC:1", "RUNS", ("RUNS",)),
                ("write:ENOSPC:1", "OFFSETS", ("OFFSETS",))], 2):
            done = self.graph("S:4,20000,8", "--adjacency-buffer=70000",
                              "--layout=csr", np=2, env=fault(what, 1, file))
            self.failed(done, *parts)

    def test_lying_device(self):
        """One bit of the data read is wrong: the answer is right, or the run names the
        fault."""
        reads = ["read:flip:%d" % k for k in (1, 2, 3, 5)]
        files = [(file, "chunk") for file in ("edges", "PIF", "PARTITION", "QUEUE")]
        files += [(file, "csr") for file in ("edges", "OFFSETS", "NEIGHBOURS", "QUEUE")]
        for np, what, (file, layout) in drawn(
                list(itertools.product((1, 2), reads, files)), 3):
            done = self.graph("S:45,3000,5", "--adjacency-buffer=70000",
                              "--batch=500", "--request=16k", "--layout=" + layout,
                              np=np, env=fault(what, np - 1, file))
            if done.status:
                self.failed(done)
            else:
                levels = done.report["run"]["notes"]["levels"]
                self.assertIn(": 1 38 216 1135 1462 148", levels)

    def test_wrong_queue(self):
        for kernel in (("S:45,3000,5",), ("kronecker:9,8", "--kernel=graph500",
                                          "--roots=2")):
            done = self.graph(*kernel, np=2, env=fault("read:flip:1", 1, "QUEUE"))
            self.failed(done, "QUEUE", rank=1)

    def test_wrong_edges(self):
        """They are found where they are made and where they are read, also by another
        rank."""
        for what in ("read:flip:1", "write:flip:1", "write:lost:1"):
            done = self.graph("S:4,20000,8", np=2, env=fault(what, 0, "edges"))
            self.failed(done, "read otherwise than they were written", "edges",
                        rank=0)

    @long
    def test_failing_disk(self):
        for what, file in (("write:ENOSPC:2", "PARTITION"), ("write:EIO:1", "PIF"),
                           ("read:EIO:2", "PARTITION"), ("write:ENOSPC:1", "QUEUE"),
                           ("read:EIO:1", "edges")):
            for np in (1, 3):
                done = self.graph(*MIDDLE, "--batch=500", np=np,
                                  env=fault(what, np - 1, file))
                self.failed(done, file)


if __name__ == "__main__":
    main()
