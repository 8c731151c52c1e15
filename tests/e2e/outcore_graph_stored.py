#!/usr/bin/env python3
# tier: quick ci; limit: 600
"""outcore graph --stored: files that another program has made are searched, and stay as
they are; damage in them gives one sentence, and ends the search."""
import glob
import os
import struct
import zlib

import graph_reference as reference
from e2e import Case, any_mpi, drawn, fault, long, main, read_bytes, write_file

HEAD, CHUNK = reference.HEAD, reference.CHUNK
VERTICES, BUFFER = 90, 40
# The last part is not reached from vertex 0.
EDGES = [*reference.scale_free(3, 70, 6, 1), (80, 81), (80, 82), (81, 80)]
FAR = 2 ** 63 - 8


class Files:
    """A graph in chunks, to be damaged."""
    names = "PIF", "PARTITION"

    def __init__(self):
        store = reference.Store(VERTICES, EDGES, BUFFER)
        self.data = [bytearray(store.pif()), store.partition]

    def number(self, file, at):
        return struct.unpack_from("<Q", self.data[file], at)[0]

    def put(self, file, at, number):
        struct.pack_into("<Q", self.data[file], at, number)

    def cut(self, file, end):
        del self.data[file][end:]

    def chain(self, vertex):
        """Returns offsets of a vertex's chunks."""
        at, found = self.number(0, HEAD + 16 * vertex), []
        while at:
            found.append(at)
            at = self.number(1, at)
        return found

    def seal(self, at):
        """Sets a chunk's CRC to that of its contents."""
        count, = struct.unpack_from("<I", self.data[1], at + 16)
        body = self.data[1][at + CHUNK:at + CHUNK + 8 * count]
        crc = zlib.crc32(bytes(self.data[1][at + 8:at + 20]) + bytes(body))
        struct.pack_into("<I", self.data[1], at + 20, crc)


class Rows(Files):
    names = "OFFSETS", "NEIGHBOURS"

    def __init__(self):
        rows = reference.Rows(VERTICES, EDGES)
        self.data = [bytearray(rows.offsets), bytearray(rows.neighbours)]


# ---- damage: each takes files and returns the place of the first wrong byte --------

def neighbour(f, at):
    f.data[1][at + CHUNK] ^= 1
    return at


def owner(vertex):
    def damage(f, at):
        f.put(1, at + 8, vertex)
        f.seal(at)
        return at
    return damage


def count(f, at):
    struct.pack_into("<I", f.data[1], at + 16, 2 ** 32 - 1)
    return at


def no_vertex(f, at):
    f.put(1, at + CHUNK, 2 ** 60)
    f.seal(at)


def following(offset, seen=True):
    """`seen`: the number itself is reported as wrong."""
    def damage(f, at):
        f.put(1, at, offset(f, at) if callable(offset) else offset)
        return at if seen else None
    return damage


def first(offset):
    def damage(f, at):
        f.put(0, HEAD + 16 * 0, offset(f) if callable(offset) else offset)
    return damage


def end(f, at=0):
    return len(f.data[1])


# The fault (in the third chunk of vertex 0), and words of the sentence.
DAMAGE = {
    "crc": (neighbour, "vertex 0", "CRC-32"),
    "owner": (owner(1), "vertex 0", "another vertex's (1)"),
    "owner_outside": (owner(2 ** 62), "another vertex's"),
    "count": (count, "vertex 0", "room for"),
    "no_vertex": (no_vertex, "%d" % 2 ** 60, "damaged"),
    "next_outside": (following(end), "vertex 0", "outside of the file"),
    "next_far": (following(FAR), "outside of the file"),
    "next_negative": (following(2 ** 64 - 8), "outside of the file"),
    "next_in_the_head": (following(8), "where no chunk can be"),
    "next_odd": (following(lambda f, at: at + 4), "where no chunk can be"),
    "next_itself": (following(lambda f, at: at), "vertex 0", "circle"),
    "next_before": (following(lambda f, at: f.chain(0)[0]), "circle"),
    "next_of_another": (following(lambda f, at: f.chain(2)[-1], False),
                        "another vertex's"),
    "next_none": (following(0, False), "search collected"),
    "next_skips": (following(lambda f, at: f.chain(0)[-1], False), "search collected"),
    "first_outside": (first(end), "vertex 0", "where there can be none"),
    "first_negative": (first(2 ** 64 - 8), "where there can be none"),
    "first_in_the_head": (first(3), "where there can be none"),
    "first_of_another": (first(lambda f: f.chain(2)[0]), "another vertex's (2)"),
    "first_none": (first(0), "search collected"),
    "first_is_second": (first(lambda f: f.chain(0)[1]), "search collected"),
}

# Faults of heads: file, and a number in it or the place where it is cut; and words of
# the sentence.
HEADS = {
    "pif_empty": (0, None, 0, "cut short"),
    "pif_cut": (0, None, -8, "as many ranks"),
    "pif_magic": (0, 0, 0, "LLPIF001"),
    "no_vertices": (0, 8, 0, "2^48"),
    "vertices_far": (0, 8, 2 ** 60, "2^48"),
    "one_vertex_more": (0, 8, VERTICES + 1, "as many ranks"),
    "bytes": (0, 16, 8, "bytes of PARTITION"),
    "bytes_far": (0, 16, 2 ** 64 - 8, "bytes of PARTITION"),
    "chunks": (0, 24, 1, "chunks"),
    "chunks_far": (0, 24, 2 ** 63, "chunks"),
    "partition_empty": (1, None, 0, "cut short"),
    "partition_cut": (1, None, -8, "bytes of PARTITION"),
    "partition_magic": (1, 0, 0, "LLPART01"),
    "other_vertices": (1, 8, VERTICES - 1, "vertices"),
    "entries": (1, 16, len(EDGES) + 1, "entries"),
    "entries_far": (1, 16, 2 ** 61, "entries"),
}

ROWS = {
    "head_entries": (0, 16, len(EDGES) + 1, "entries"),
    "head_both": (1, 16, len(EDGES) - 1, "entries"),
    "neighbours_cut": (1, None, -4, "cut short"),
    "neighbours_cut_to_a_row": (1, None, -8, "cut short"),
    "neighbours_magic": (1, 0, 1, "LLNEIG01"),
    "offsets_cut": (0, None, -8, "as many ranks"),
    "offset_far": (0, HEAD + 8 * 3, 2 ** 61, "OFFSETS", "damaged"),
    "offset_back": (0, HEAD + 8 * 30, 1, "OFFSETS", "damaged"),
    "neighbour_far": (1, HEAD + 8 * 3, VERTICES, "damaged"),
}


class Stored(Case):
    def stored(self, files, *args, **how):
        """Searches these files, which stay the same."""
        name = self.path("kept")
        paths = ["%s.%s.0" % (name, which) for which in files.names]
        for path, data in zip(paths, files.data):
            write_file(path, data)
        layout = "csr" if isinstance(files, Rows) else "chunk"
        done = self.run_program("outcore", "graph", "--stored=" + name, "--block=256",
                                "--layout=" + layout, *args, "--quiet",
                                **{"np": 1, **how})
        for path, data in zip(paths, files.data):
            self.assertEqual(read_bytes(path), data, path)
        return done

    def sizes(self, report):
        text = report["run"]["notes"]["levels"]
        return [int(size) for size in text.split(": ")[-1].split()]

    # ---- good files ------------------------------------------------------------------

    def test_searched(self):
        """Levels are right, and blocks are as after an ingest."""
        lists = reference.neighbours_of(EDGES)
        for files, args, search in drawn([
                (Files(), ("--repeat=2",), reference.Search),
                (Files(), ("--batch=7", "--root=80"), reference.Search),
                (Rows(), ("--batch=7",), reference.RowSearch)], 2):
            root = 80 if "--root=80" in args else 0
            expected = search(*map(bytes, files.data), root=root, sizes=[256],
                              batch=7 if "--batch=7" in args else 1 << 20)
            report = self.good(self.stored(files, *args))
            results = report["results"]
            self.assertEqual(self.sizes(report), reference.levels(lists, root))
            self.assertEqual(results["search_pif_blocks"][0], expected.pif[256])
            self.assertEqual(results["search_partition_blocks"][0],
                             expected.partition[256])
            self.assertEqual((results["vertices"][0], results["entries"][0]),
                             (VERTICES, len(EDGES)))
            self.assertNotIn("ingest", [p["name"] for p in report.get("phases", [])])

    @long
    def test_several_ranks(self):
        """The files are those kept by a run; only as many ranks can search them."""
        for layout in ("chunk", "csr"):
            kept = self.run_program("outcore", "graph", "S:45,3000,5", "--seed=1",
                                    "--layout=" + layout, "--keep", "--quiet",
                                    np=3)
            places = "OFFSETS" if layout == "csr" else "PIF"
            path, = glob.glob(os.path.join(kept.dir, "*.%s.0" % places))
            name = path[:-len(places) - 3]
            again = self.run_program("outcore", "graph", "--stored=" + name, "--quiet",
                                     "--layout=" + layout, np=3)
            self.assertEqual(self.sizes(self.good(again)), self.sizes(kept.report))
            done = self.run_program("outcore", "graph", "--stored=" + name, "--quiet",
                                    "--layout=" + layout, np=2)
            self.one_sentence(done, "as many ranks")
            self.damaged_rank(name + (".NEIGHBOURS.2" if layout == "csr" else
                                      ".PARTITION.2"), name, layout)

    def damaged_rank(self, path, name, layout):
        """The other ranks end with the one that finds it."""
        with open(path, "r+b") as f:
            f.seek(-8, os.SEEK_END)
            f.write(struct.pack("<Q", 2 ** 50))
        done = self.run_program("outcore", "graph", "--stored=" + name, "--quiet",
                                "--layout=" + layout, np=3)
        self.failed(done, "damaged", rank=2, file=path)

    def test_refused(self):
        for args, said in drawn([
                (("S:4,20,4",), "GRAPH"), (("--vertices=9",), "--vertices"),
                (("--undirected",), "--undirected"), (("--format=snap",), "--format"),
                (("--kernel=graph500",), "graph500"),
                (("--root=90",), "there are 90 vertices")], 1):
            self.refused(self.stored(Files(), *args), said)
        done = self.run_program("outcore", "graph", "--stored=nowhere", "--quiet", np=2)
        self.one_sentence(done, "nowhere.PIF.0")

    # ---- damage ----------------------------------------------------------------------

    def in_chunks(self, what):
        files = Files()
        at = files.chain(0)[2]
        damage, *parts = DAMAGE[what]
        where = damage(files, at)
        error = self.failed(self.stored(files), *parts)
        if where:
            self.assertEqual(error["offset_bytes"], where)
            self.assertTrue(error["file"].endswith("kept.PARTITION.0"), error)

    @any_mpi
    def test_damage(self):
        for what in drawn(sorted(DAMAGE), 4):
            with self.subTest(what):
                self.in_chunks(what)

    def test_not_reached(self):
        """The search does not reach it; the check finds it."""
        files = Files()
        at = files.chain(80)[0]
        files.data[1][at + CHUNK] ^= 1
        error = self.failed(self.stored(files), "CRC-32")
        self.assertEqual(error["offset_bytes"], at)

    def heads(self, files, file, at, number, *parts):
        if at is None:
            files.cut(file, number)
        else:
            files.put(file, at, number)
        self.one_sentence(self.stored(files), *parts)

    @any_mpi
    def test_heads(self):
        for what in drawn(sorted(HEADS), 3):
            with self.subTest(what):
                self.heads(Files(), *HEADS[what])

    def test_rows(self):
        for what in drawn(sorted(ROWS), 2):
            with self.subTest(what):
                self.heads(Rows(), *ROWS[what])

    @long
    def test_failing_disk(self):
        for what, file in (("read:EIO:2", "PARTITION"), ("read:EIO:1", "PIF"),
                           ("write:ENOSPC:1", "QUEUE")):
            done = self.stored(Files(), env=fault(what, 0, file))
            self.one_sentence(done, file)
            self.assertEqual(done.status, 1)


if __name__ == "__main__":
    main()
