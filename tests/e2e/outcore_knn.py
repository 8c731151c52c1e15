#!/usr/bin/env python3
# tier: quick ci
"""outcore knn: known neighbours with any ranks, threads and engines; files of others;
its ends."""
import hashlib
import os
import struct

from e2e import KINDS, Case, add, fault, main, read_bytes, samples, total
from graph_reference import key_of, number

VECTORS, QUERIES, LABELS = 3, 7, 12
N, DIM = 100000, 32
SHA = "49a3ecf9c991998e"
# Results for 100,000 vectors of seed 1, by float64 and by FAISS's IndexFlatL2.
IDS = [[76378, 47173, 50280, 67116, 69193], [59953, 57534, 81521, 46247, 62761],
       [13619, 68056, 91407, 23224, 36644], [41809, 844, 83208, 75295, 33013]]
D2 = [1.476768311, 1.776755374, 1.786825666, 1.916322184, 1.996192073]
SUM = 4107414  # of all ids of 8 queries, k = 10
FILES = "files/outcore-"


def made(stream, n, dim):
    """Returns vectors of seed 1."""
    key = key_of(1, stream)
    return [[(number(key, i * dim + c) >> 40) / 2 ** 24 for c in range(dim)]
            for i in range(n)]


def nearest(vectors, query, k):
    found = sorted((sum((a - b) ** 2 for a, b in zip(v, query)), i)
                   for i, v in enumerate(vectors) if v == v and not any(
                       x != x for x in v))
    return [i for _, i in found[:k]]


def packed(vectors):
    return b"".join(struct.pack("<%df" % len(v), *v) for v in vectors)


def npy(vectors, descr="<f4", order="False"):
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }" % (
        descr, order, len(vectors), len(vectors[0]))
    head += " " * (117 - len(head)) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
            + packed(vectors))


def fvecs(vectors):
    return b"".join(struct.pack("<i", len(v)) + packed([v]) for v in vectors)


def lists(report, k):
    ids = report["results"]["ids"]
    return [ids[i:i + k] for i in range(0, len(ids), k)]


def figures(report, name):
    return [f for f in report["figures"] if f["name"] == name]


class Knn(Case):
    def knn(self, *args, **how):
        return self.run_program("outcore", "knn", "--seed=1", *args, "--quiet", **how)

    # ---- known answers ---------------------------------------------------------------

    def known(self, np, *options):
        report = self.good(self.knn(str(N), "--queries=8", "--buffer=256k", *options,
                                    np=np))
        self.assertEqual([ids[:5] for ids in lists(report, 10)[:4]], IDS)
        for found, expected in zip(report["results"]["d2"], D2):
            self.assertAlmostEqual(found, expected, delta=2e-6)
        self.assertEqual(report["results"]["id_sum"], [SUM])
        self.assertEqual(report["results"]["nan_vectors"], [0])
        self.assertGreater(report["results"]["distances_checked"][0], 8 * 9000)
        self.assertEqual(total(report, "read", phase="scan"), N * DIM * 4)
        self.assertEqual(total(report, "write", phase="make"), N * DIM * 4)
        self.assertEqual([s["phase"] for s in samples(report, "wall")],
                         ["make", "scan", "merge", "check"])

    def test_vectors_are_the_known_ones(self):
        done = self.knn(str(N), "--queries=1", "--keep", np=2)
        self.assertEqual(done.status, 0, done)
        data = read_bytes(os.path.join(done.dir, done.files[0]))
        self.assertEqual(hashlib.sha256(data).hexdigest()[:16], SHA)
        self.assertEqual(struct.unpack("<4f", data[:16]),
                         tuple(made(VECTORS, 1, 4)[0]))

    def test_sweep(self):
        """It is one run; the number of queries from which on it takes longer is between
        two."""
        report = self.good(self.knn("20000", "--sweep-queries=1,3..24", "--k=3", "-r",
                                    "2", np=2))
        at = [f["at"]["queries"] for f in figures(report, "scan.queries_per_s")]
        self.assertEqual(at, [1, 3, 6, 12, 24])
        self.assertEqual([len(f["reps"]) for f in figures(report, "scan.overlap")],
                         [2] * 4)
        self.assertEqual(total(report, "read", phase="scan"), 2 * 5 * 20000 * 128)
        crossover = report["results"].get("crossover_queries", [2])[0]
        self.assertTrue(1 < crossover <= 24, crossover)
        self.assertIn("crossover", report["run"]["notes"])

    def test_passes(self):
        """The results are those of one pass."""
        report = self.good(self.knn("20000", "--queries=3", "--total-queries=8", np=1))
        whole = self.good(self.knn("20000", "--queries=8", np=1))
        self.assertEqual([f["at"]["pass"] for f in figures(report, "scan.io_share")],
                         [1, 2, 3])
        self.assertEqual(report["results"]["id_sum"], whole["results"]["id_sum"])
        self.assertEqual(total(report, "read", phase="scan"), 3 * 20000 * 128)

    # ---- all sizes -------------------------------------------------------------------

    def of_size(self, np, n, dim, k, *options):
        report = self.good(self.knn(str(n), "--dim=%d" % dim, "--k=%d" % k,
                                    "--queries=5", *options, np=np))
        vectors = made(VECTORS, n, dim)
        self.assertEqual(lists(report, k), [nearest(vectors, q, k)
                                            for q in made(QUERIES, 5, dim)])

    def test_as_faiss(self):
        try:
            import faiss
            import numpy
        except ImportError:
            self.skipTest("faiss is not installed")
        done = self.knn("30000", "--dim=31", "--queries=20", "--keep", np=2)
        self.assertEqual(done.status, 0, done)
        path = os.path.join(done.dir, done.files[0])
        index = faiss.IndexFlatL2(31)
        index.add(numpy.fromfile(path, "<f4").reshape(-1, 31))
        queries = numpy.array(made(QUERIES, 20, 31), "f4")
        self.assertEqual(lists(done.report, 10), index.search(queries, 10)[1].tolist())

    # ---- files of others -------------------------------------------------------------

    def test_formats(self):
        vectors = made(VECTORS, 1000, 6)
        expected = [nearest(vectors, q, 4) for q in made(QUERIES, 3, 6)]
        for name, data in (("raw", packed(vectors)), ("fvecs", fvecs(vectors)),
                           ("npy", npy(vectors))):
            path = self.file("vectors." + name, data)
            report = self.good(self.knn("--input=" + path, "--format=" + name,
                                        "--dim=6", "--k=4", "--queries=3",
                                        "--buffer=4k", np=2))
            self.assertEqual(lists(report, 4), expected, name)
            self.assertEqual(report["results"]["vectors"], [1000])
            self.assertEqual(os.path.getsize(path), len(data))

    def test_duplicates_and_nan(self):
        """Of equal vectors, those with lower numbers win; NaN is far away."""
        vectors = made(VECTORS, 50, 3) * 40
        for i in (0, 7, 1999):
            vectors[i] = [vectors[i][0], float("nan"), 1.0]
        vectors[60] = [float("inf"), 0.0, 0.0]
        path = self.file("vectors", packed(vectors))
        done = self.knn("--input=" + path, "--dim=3", "--k=50", "--queries=4", np=3)
        report = self.good(done)
        self.assertEqual(lists(report, 50), [nearest(vectors, q, 50)
                                             for q in made(QUERIES, 4, 3)])
        self.assertEqual(report["results"]["nan_vectors"], [3])
        self.assertIn("nan_vectors", [w["code"] for w in report["warnings"]])

    def test_labels(self):
        """They are made, or come from a file with one byte or two for each vector."""
        vectors, k = made(VECTORS, 500, 4), 5
        near = [nearest(vectors, q, k) for q in made(QUERIES, 7, 4)]
        key = key_of(1, LABELS)
        of = [number(key, i) * 3 >> 64 for i in range(500)]

        def most(ids):
            votes = [of[i] for i in ids]
            return max(votes, key=lambda v: (votes.count(v), -votes.index(v)))
        expected = [most(ids) for ids in near]
        args = ("500", "--dim=4", "--k=5", "--queries=7")
        report = self.good(self.knn(*args, "--classes=3", np=2))
        self.assertEqual(report["results"]["labels"], expected)
        for width, scale in (("B", 1), ("H", 9999)):
            path = self.file("labels", struct.pack("<500" + width,
                                                   *[v * scale for v in of]))
            report = self.good(self.knn(*args, "--labels=" + path, np=2))
            self.assertEqual(report["results"]["labels"], [v * scale for v in expected])
        path = self.file("labels", bytes(501))
        self.failed(self.knn(*args, "--labels=" + path, np=1), "501 bytes", "500 vect")

    # ---- ends ------------------------------------------------------------------------

    def given(self, what):
        """Files of others have no checksums; the answer is checked."""
        path = self.file("vectors", packed(made(VECTORS, 8192, 32)))
        return self.knn("--input=" + path, "--buffer=256k", "--queries=32", np=1,
                        env=fault(what, file=path))

    def test_a_wrong_read_is_found(self):
        self.failed(self.given("read:shift:2"), "the answer is wrong",
                    "is not as far as said")

    def test_a_vector_that_was_not_read_is_found(self):
        """Zeros are far away; the check reads the file."""
        self.failed(self.given("read:lost:2"), "the answer is wrong")

    def changed(self, what, np, options, k):
        """A vector of the generated file reads differently from what was written. It is
        no neighbour, and the check's sample does not contain it."""
        done = self.knn("16384", "--buffer=256k", "--queries=1", "--check=0", *options,
                        np=np, env=fault(what + ":%d" % k, np - 1, FILES))
        error = self.failed(done, "read otherwise than they were written", rank=np - 1,
                            file=FILES)
        self.assertEqual(error["offset_bytes"] % (1 << 18), 0, done)

    def test_a_read_error_names_the_vector(self):
        done = self.knn("16384", "--buffer=256k", np=2, env=fault(
            "read:EIO:2", 1, FILES))
        error = self.failed(done, "vectors from number 10240 on were not read", rank=1)
        self.assertEqual(error["errno"], "EIO")

    def a_file_that_is_cut(self, engine):
        """It is cut again and again during the run."""
        path = self.file("vectors", packed(made(VECTORS, 2000, 2)) * 400)
        run = self.start("outcore", "knn", "--input=" + path, "--dim=2", "--quiet",
                         "--check=0", "--cache=keep", "--iomethod=" + engine,
                         "-r", "1000000", np=2)
        self.until(lambda: run.all_have(path, 2), "it reads the file")
        os.truncate(path, 3000000)
        said = self.failed(run.wait(self.LIMIT), path)["text"]
        self.assertRegex(said, "were not read|has cut the file to 3000000 bytes")

    def test_a_row_of_another_dimension(self):
        vectors = made(VECTORS, 1000, 3)
        data = bytearray(fvecs(vectors))
        data[777 * 16] = 4
        path = self.file("vectors", data)
        self.failed(self.knn("--input=" + path, "--format=fvecs", "--dim=3", np=2),
                    "vector 777 does not begin with its dimension, 3")

    # ---- refusals --------------------------------------------------------------------

    def test_refused(self):
        for args, words in (
                (("5", "--k=6"), "there are 5 vectors"),
                (("--dim=1000", "--buffer=2k"), "it must hold a vector"),
                (("--memory=1M",), "a rank needs"),
                (("--format=npy",), "without --input"),
                (("--labels=x", "--classes=2"), "take one"),
                (("--sweep-queries=1,2", "--total-queries=4"), "leave out"),
                (("--sweep-queries=4,2",), "numbers that rise"),
                (("--cache=direct", "--buffer=5000"), "moves multiples of ")):
            self.refused(self.knn(*args, np=0), words)

    def test_refused_files(self):
        vectors = made(VECTORS, 10, 4)
        for data, options, words in (
                (npy(vectors)[:-4], ("--format=npy",), "no whole number of vectors"),
                (npy(vectors)[:-16], ("--format=npy",), "its head says 10"),
                (npy(vectors, "<f8"), ("--format=npy",), "'<f8'"),
                (npy(vectors, order="True"), ("--format=npy",), "row by row"),
                (packed(vectors), ("--format=npy",), "no .npy file"),
                (b"\xff" * 160, ("--format=fvecs",), "begins with the dimension")):
            path = self.file("vectors", data)
            self.failed(self.knn("--input=" + path, "--dim=4", "--k=2", *options, np=0),
                        words)
        path = self.file("vectors", packed(vectors) + b"x")
        self.one_sentence(self.knn("--input=" + path, "--dim=4", "--k=2", np=0),
                          "the file has 161 bytes", "16 bytes", path)
        path = self.file("vectors", fvecs(made(VECTORS, 10, 5)))
        self.refused(self.knn("--input=" + path, "--format=fvecs", "--dim=4", "--k=2",
                              np=0), "have 5 components")


def ways():
    """Returns every number of ranks and threads, with every engine that supports
    them."""
    for np in (1, 2, 3, 7):
        for threads in (1, 3):
            for engine in KINDS:
                if engine == "mpiio" and threads > 1:
                    continue
                mode = ("--iomode=ASYNC",) if engine == "uring" else ()
                yield np, ("--iomethod=" + engine, "--threads=%d" % threads) + mode


for np, options in ways():
    name = "_".join(o.split("=")[1].lower() for o in options)
    add(Knn, "known_%d_%s" % (np, name), "known", np, *options)
add(Knn, "known_direct", "known", 2, "--cache=direct", "--iomode=ASYNC", "--slots=3")
for np, n, dim, k in ((7, 7, 5, 7), (5, 3, 1, 2), (2, 1000, 33, 9), (3, 190, 7, 190)):
    add(Knn, "size_%d_%d_%d" % (np, n, dim), "of_size", np, n, dim, k)
for np, k, options in ((1, 3, ()), (2, 2, ("--iomethod=threads", "--iomode=ASYNC")),
                       (2, 2, ("--cache=direct", "--threads=2")),
                       (4, 2, ("--threads=2", "--total-queries=2"))):
    for what in ("read:flip", "read:lost"):
        name = "_".join((what[5:], *(o[2:].split("=")[0] for o in options)))
        add(Knn, "changed_%d_%s" % (np, name), "changed", what, np, options, k)
add(Knn, "size_direct", "of_size", 3, 999, 7, 5, "--cache=direct", "--threads=2")
for engine in ("posix", "mmap"):
    add(Knn, "cut_" + engine, "a_file_that_is_cut", engine)

if __name__ == "__main__":
    main()
