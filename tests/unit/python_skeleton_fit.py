"""Skeletons of other numbers of ranks: what two runs tell of a third is what it does,
call by call; what they do not tell is refused.
ranks: 1; mpi: any
"""
import os
import shutil
import tempfile
import unittest

from tap import main

from files import write_json
from leadline.base.errors import LeadlineError
from leadline.skeleton import descriptors, skeleton, skeleton_fit

END, CHUNK, EDGE = 48 << 10, 1 << 10, 96


def halo(ranks, rank):
    """Returns a part of the file for each rank, and the edges of the neighbours'
    parts."""
    part = END // ranks
    for at in range(rank * part, (rank + 1) * part, CHUNK):
        low, high = max(0, at - EDGE), min(END, at + CHUNK + EDGE)
        yield low, high - low


def in_turns(ranks, rank):
    return ((n * CHUNK, CHUNK) for n in range(rank, END // CHUNK, ranks))


def grows(ranks, rank):
    """Returns the same number of bytes for each rank, for any number of ranks."""
    return (((n * ranks + rank) * CHUNK, CHUNK) for n in range(8))


def at_the_end(ranks, rank):
    """Returns calls of the last rank only, as many as there are ranks."""
    return ((n * CHUNK, CHUNK) for n in range(3 * ranks) if rank == ranks - 1)


def crooked(ranks, rank):
    """Returns a place that is no whole number over the ranks, nor a multiple of
    them."""
    return iter([(rank * END // ranks ** 2, CHUNK)] * 3)


def described(calls):
    """Describes runs of one size and distance as descriptors."""
    some, calls = [], list(calls)
    while calls:
        n, stride = 1, calls[1][0] - calls[0][0] if len(calls) > 1 else 0
        while (0 < n < len(calls) and stride > 0 and calls[n][1] == calls[0][1]
               and calls[n][0] - calls[n - 1][0] == stride):
            n += 1
        levels = ((n, stride),) if n > 1 else ()
        some.append(skeleton_fit.Descriptor(calls[0][0], levels, calls[0][1], 1))
        calls = calls[n:]
    return skeleton_fit.Row(tuple(some), None)


def made(ranks, pattern, use="one"):
    """Makes the skeleton of a run in which each rank writes so, and syncs."""
    calls = [list(pattern(ranks, rank)) for rank in range(ranks)]
    rows = {rank: described(of) for rank, of in enumerate(calls) if of}
    orders = {rank: skeleton_fit.Row((), [(5, len(of))] * (len(of) > 0) + [(6, 1)])
              for rank, of in enumerate(calls)}
    every = [c for of in calls for c in of]
    size = sum(s for _, s in every)
    return {
        "schema": "leadline-skeleton/1", "mpi": True, "ranks": ranks, "left_out": {},
        "files": [{"file": "file-1", "files": 1 if use == "one" else ranks, "shared": 1,
                   "inputs": 0, "use": use, "bytes": max(a + s for a, s in every)}],
        "phases": [{"phase": 0, "region": True, "ranks": ranks, "order": [
            {"first_rank": p.first, "rank_step": p.step, "ranks": p.ranks,
             "steps": descriptors.sequence_text(p.row.sequence)}
            for p in skeleton_fit.plans_of(orders)]}],
        "transfers": [{"step": 5, "phase": 0, "file": "file-1", "call": "pwrite",
                       "level": "POSIX", "direction": "write", "ranks": len(rows),
                       "calls": len(every), "bytes": size,
                       "plans": [skeleton_fit.as_json(p)
                                 for p in skeleton_fit.plans_of(rows)]}],
        "calls": [{"step": 6, "phase": 0, "file": "file-1", "call": "fsync",
                   "level": "POSIX", "ranks": ranks, "calls": ranks, "bytes": 0},
                  {"phase": 0, "file": "file-1", "call": "open", "level": "POSIX",
                   "ranks": ranks, "calls": 2 * ranks + 1, "bytes": 0}],
        "totals": {"transfers": {"bytes": size}}}


class Fits(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def file(self, data):
        path = os.path.join(self.dir, "%d.json" % len(os.listdir(self.dir)))
        return write_json(path, data)

    def fitted(self, pattern, ranks, runs=(2, 4), use="one"):
        a, b = (self.file(made(p, pattern, use)) for p in runs)
        found = skeleton_fit.numbers(a, b, ranks)
        return skeleton.Skeleton(found, "fitted")

    def right(self, pattern, ranks, **how):
        found = self.fitted(pattern, ranks, **how)
        for rank, calls in enumerate(skeleton_fit.calls_by_rank(found)):
            placed = [(at, size) for _, at, size in calls if at is not None]
            self.assertEqual(placed, list(pattern(ranks, rank)), "rank %d" % rank)
        return found

    def refused(self, words, what, *args, **how):
        with self.assertRaises(LeadlineError) as caught:
            what(*args, **how)
        self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_what_they_tell(self):
        for pattern in (halo, in_turns, grows):
            for runs, ranks in (((2, 4), (1, 3, 6, 8, 12, 16)), ((4, 2), (8,)),
                                ((3, 4), (2, 6, 16))):
                for np in ranks:
                    with self.subTest(pattern=pattern.__name__, runs=runs, np=np):
                        found = self.right(pattern, np, runs=runs)
                        self.assertEqual(found.data["predicted_from"], sorted(runs))
        self.right(at_the_end, 7)

    def test_a_file_for_each_rank(self):
        def own(ranks, _):
            return ((n * CHUNK, CHUNK) for n in range(48 // ranks))
        found = self.right(own, 16, use="one per rank")
        self.assertEqual([(f["files"], f["bytes"]) for f in found.files],
                         [(16, 3 * CHUNK)])

    def test_other_calls(self):
        found = self.fitted(halo, 8)
        self.assertEqual([c["calls"] for c in found.calls], [8, 17])

    def test_a_third_run(self):
        a, b, good = (self.file(made(p, halo)) for p in (2, 4, 8))
        skeleton_fit.numbers(a, b, 8, check=good)
        self.refused("is of 8 ranks, not 6", skeleton_fit.numbers, a, b, 6, good)
        bad = made(8, halo)
        plan = bad["transfers"][0]["plans"][1]["descriptors"][0]
        plan["plan"] = plan["plan"].replace("start=", "start=1")
        self.refused("call 1 of rank 1 is predicted as pwrite of file-1 in phase 0, "
                     "1216 bytes at 6048, and is ", skeleton_fit.numbers, a, b, 8,
                     self.file(bad))

    def test_what_they_do_not_tell(self):
        self.refused("no whole number", self.fitted, halo, 5)
        self.refused("of 2 ranks both", self.fitted, halo, 5, runs=(2, 2))
        self.refused("do not tell what 8 ranks", self.fitted, crooked, 8)
        self.refused("--np: more than", self.fitted, grows, 1 << 20)
        a, b = made(2, halo), made(4, grows)
        b["files"].append(b["files"][0])
        self.refused("they have other files", skeleton_fit.numbers, self.file(a),
                     self.file(b), 8)
        b = made(4, halo)
        b["transfers"][0]["call"] = "write"
        self.refused("they have other transfers", skeleton_fit.numbers, self.file(a),
                     self.file(b), 8)


if __name__ == "__main__":
    main()
