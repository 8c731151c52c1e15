#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""pfmload with faulty arguments or input: one sentence, and existing files stay as they
are."""
import json
import os
import shutil
import stat
import struct

from e2e import TESTS, add, any_mpi, long, main, write_file
from loads import SCHEMES, Loads, contents

GSF = os.path.join(TESTS, "data", "gsf")
NO_SCAN = ("--bounds=-88.01,29.99,-87.98,30.02", "--depths=0,500")

USAGE = [  # ranks, arguments, words of the sentence
    (0, ("--output=o",), ("--output", "NAME.pfm")),
    (0, ("--output=.pfm",), ("--output", "NAME.pfm")),
    (0, ("--cache=none",), ("--cache", "flush|keep|direct")),
    (0, ("--bounds=1,2,3",), ("--bounds", "W,S,E,N")),
    (0, ("--bounds=1,2,3,4,5",), ("--bounds", "W,S,E,N")),
    (0, ("--bounds=1,2,3,x",), ("--bounds", "W,S,E,N")),
    (0, ("--bounds=1,4,3,2",), ("--bounds", "S < N")),
    (0, ("--bounds=1,2,1,4",), ("--bounds", "area")),
    (0, ("--bounds=-200,2,1,4",), ("--bounds", "degrees")),
    (0, ("--bounds=1,2,3,95",), ("--bounds", "poles")),
    (0, ("--bounds=nan,2,3,4",), ("--bounds", "W,S,E,N")),
    (0, ("--depths=5",), ("--depths", "MIN,MAX")),
    (0, ("--depths=5,4",), ("--depths", "MIN,MAX")),
    (0, ("--depths=0,inf",), ("--depths", "MIN,MAX")),
    (0, ("--io-ranks=1",), ("--io-ranks=1", "scheme serial")),
    (2, ("--io-ranks=3",), ("--io-ranks=3", "only 2 ranks")),
    (0, ("--bin-size=0",), ("--bin-size", "range")),
    (0, ("--record-length=0",), ("--record-length", "range")),
    (0, ("--pfm-version=5.00",), ("--pfm-version", "6.40|7.00")),
    (0, ("--memory=1k",), ("--memory", "range")),
    (0, ("--append", "--overwrite"), ("--append", "--overwrite")),
    (0, ("--append", "--bounds=1,2,3,4"), ("--append", "--bounds")),
    (0, ("--append", "--depths=1,2"), ("--append", "--depths")),
    (0, ("--append", "--bin-size=5"), ("--append", "--bin-size")),
    (0, ("--append", "--iomode=NONE"), ("IOMODE=NONE",)),
    (0, ("--area-filter", "--iomode=NONE"), ("IOMODE=NONE",)),
    (0, ("--area-filter", "--area-order=raster"), ("raster", "--area-serial")),
    (0, ("--scheme=serial", "--library=per-sounding", "--iomode=NONE"),
     ("IOMODE=NONE", "reads back")),
    (0, ("--scheme=serial", "--library=per-sounding", "--iomode=ASYNC"),
     ("IOMODE=ASYNC",)),
    (0, ("--scheme=H",), ("--scheme", "serial|C|D|D-threaded|E|F|G")),
    (0, ("--scheme=serial", "--collective", "--iomethod=MPI"), ("--collective", "G")),
    (0, ("--iomethod=HDF5",), ("HDF5",)),
    (0, ("--iomethod=null",), ("null",)),
    (3, ("--scheme=serial",), ("serial", "3", "one rank")),
    (2, ("--scheme=C",), ("scheme C", "3 ranks")),
    (0, ("--scheme=C",), ("scheme C", "3 ranks")),
    (3, ("--scheme=C", "--iomode=NONE"), ("IOMODE=NONE", "C", "reads back")),
    (3, ("--scheme=C", "--collective", "--iomethod=MPI"), ("--collective", "G")),
    (3, ("--scheme=G", "--collective"), ("--collective", "mpiio")),
]


def cut(data):
    return data[:len(data) // 2]


def flip(data):
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]


def records(data):
    """Returns the begins of records."""
    at = 0
    while at < len(data):
        yield at
        size, kind = struct.unpack_from(">II", data, at)
        at += 8 + (4 if kind >> 31 else 0) + size


def gsf(soundings, beams=1):
    """Makes a file with a ping for each (lat, lon, depth), directly below the ship."""
    def record(kind, data):
        return struct.pack(">II", len(data), kind) + data
    file = record(1, b"GSF-v03.09\0\0")
    for i, (lat, lon, depth) in enumerate(soundings):
        head = struct.pack(">iiiiHH", 1500000000 + i, 0, round(lon * 1e7),
                           round(lat * 1e7), beams, 0) + bytes(36)
        scale = struct.pack(">IIIIi", 100 << 24 | 16, 1, 1 << 24, 1, 0)
        file += record(2, head + scale + struct.pack(">II", 1 << 24 | 4, depth))
    return file


class Ping:
    """A ping of eight beams, with given differences from a good one."""

    def __init__(self, lat=30.0, lon=-88.0, heading=0, flags=0, beams=8,
                 arrays=(1, 2, 16), null=0, unflagged=0):
        self.place, self.heading, self.flags = (lat, lon), heading, flags
        self.beams, self.arrays = beams, arrays
        self.depths = [0] * (null + unflagged) + [50] * (beams - null - unflagged)
        self.beam_flags = [1] * null + [0] * (beams - null)

    def array(self, kind):
        of = {1: (">%dH", self.depths), 2: (">%dh", range(-3, self.beams - 3)),
              4: (">%dH", [10] * self.beams), 16: (">%dB", self.beam_flags)}
        form, values = of[kind]
        data = struct.pack(form % self.beams, *values)
        return struct.pack(">I", kind << 24 | len(data)) + data

    def record(self, i):
        lat, lon = self.place
        head = struct.pack(">iiiiHHHH", 1500000000 + i, 0, round(lon * 1e7),
                           round(lat * 1e7), self.beams, 0, self.flags, 0)
        head += bytes(6) + struct.pack(">H", self.heading * 100) + bytes(24)
        scales = struct.pack(">II", 100 << 24 | 28, 2) + b"".join(
            struct.pack(">IIi", kind << 24, 1, 0) for kind in (1, 2))
        data = head + (scales if self.beams else b"") + b"".join(
            self.array(kind) for kind in self.arrays if self.beams)
        data += bytes(-len(data) % 4)
        return struct.pack(">II", len(data), 2) + data


# A ping for each reason to leave beams out, and their fate.
ODD_PINGS = [
    (Ping(), {}), (Ping(30.0001, null=2, unflagged=1), {"flagged_null": 2,
                                                        "null_depth": 1}),
    (Ping(flags=1), {"ignored_ping": 8}), (Ping(lon=181), {"no_position": 8}),
    (Ping(lat=91), {"no_position": 8}), (Ping(lon=190), {"impossible_position": 8}),
    (Ping(arrays=(4, 16)), {"no_depths": 8}), (Ping(arrays=(1, 16)), {"no_across": 8}),
    (Ping(arrays=(1, 16), beams=1), {}), (Ping(heading=361), {"no_heading": 7}),
    (Ping(30.5), {"outside": 8}), (Ping(beams=0), {})]


def oversize(data):
    """Puts a record of nearly 4 GiB into the middle."""
    at = [at for at in records(data)][20]
    return data[:at] + struct.pack(">I", 0xfffffff0) + data[at + 4:]


DAMAGE = {"cut": (cut, True), "flipped": (flip, True), "oversized": (oversize, True),
          "empty": (lambda data: b"", False),
          "text": (lambda data: b"This is not a survey, but a poem.\n" * 99, True),
          "zeros": (lambda data: bytes(5000), True)}


class PfmloadBad(Loads):
    LIMIT = 60

    # ---- arguments -----------------------------------------------------------

    def usage(self, np, args, parts_of_it):
        self.refused(self.pfmload(*args, *self.survey(), np=np), *parts_of_it)

    def test_nothing_to_load(self):
        for np in (0, 3):
            self.refused(self.pfmload(np=np), "no input file")
        done = self.run_program("pfmload", "--quiet", *self.survey(), np=0)
        self.refused(done, "--output is missing")

    def test_what_is_there_stays(self):
        handle = self.loaded(*self.survey())
        folder = os.path.dirname(handle)
        before = contents(folder)
        for np in (0, 3):
            done = self.pfmload(*self.survey(), np=np, dir=folder)
            self.left_alone(done, folder, before, "there already", "--overwrite")
        os.unlink(handle)
        before = contents(folder)
        done = self.pfmload(*self.survey(), np=3, dir=folder)
        self.left_alone(done, folder, before, "there already", "o.pfm.data")
        done = self.pfmload("--append", *self.survey(), np=3, dir=folder)
        self.left_alone(done, folder, before, "o.pfm")

    def something_else(self, make, *parts_of_it):
        """Something else than a PFM has the name."""
        folder = self.path("place")
        os.mkdir(folder)
        make(os.path.join(folder, "o.pfm"))
        before = contents(folder)
        for option in ("--append", "--overwrite"):
            for np in (0, 3):
                done = self.pfmload(option, *self.survey(), np=np, dir=folder)
                self.left_alone(done, folder, before, *parts_of_it)

    @staticmethod
    def make_text(path):
        write_file(path, "precious\n")

    @staticmethod
    def make_folder(path):
        os.makedirs(os.path.join(path, "precious"))

    def test_a_pipe_of_that_name(self):
        """The load does not wait for it."""
        path = self.path("o.pfm")
        os.mkfifo(path)
        for option in ("--append", "--overwrite"):
            done = self.pfmload(option, "--output=" + path, *self.survey(), np=3)
            self.failed(done, "no regular file", path)
            self.assertTrue(stat.S_ISFIFO(os.lstat(path).st_mode))

    @staticmethod
    def make_link(path):
        os.mkdir(path + ".there")
        write_file(path + ".there/o.pfm", "PFM Handle File - made by hand\n")
        os.symlink(path + ".there/o.pfm", path)

    @staticmethod
    def make_other_data(path):
        write_file(path, "PFM Handle File - made by hand\n")
        write_file(path + ".data", "precious\n")

    def test_append_to_nothing(self):
        for np in (0, 3):
            self.failed(self.pfmload("--append", *self.survey(), np=np), "o.pfm")

    def test_append_to_a_damaged_pfm(self):
        handle = self.loaded(*self.survey())
        folder = os.path.dirname(handle)
        path = os.path.join(handle + ".data", "o.pfm.ndx")
        os.truncate(path, os.path.getsize(path) // 2)
        before = contents(folder)
        for np in (0, 3):
            done = self.pfmload("--append", *self.survey(2), np=np, dir=folder)
            self.left_alone(done, folder, before, ".ndx")

    # ---- input ---------------------------------------------------------------

    def damaged(self, kind):
        """Returns a damaged line between good ones."""
        damage, placed = DAMAGE[kind]
        lines = self.survey(4, 30, 61, "--checksums")
        path = self.path("damaged.gsf")
        with open(lines[1], "rb") as f, open(path, "wb") as out:
            out.write(damage(f.read()))
        return path, [lines[0], path, *lines[2:]], placed

    def bad_input(self, kind, scheme, *args):
        """The scan finds the fault, or the loading of soundings does."""
        path, lines, placed = self.damaged(kind)
        kinds = SCHEMES[scheme]
        done = self.pfmload(*kinds.args, *args, *lines, np=kinds.ranks[0])
        error = self.failed(done, path, file=path)
        self.assertEqual("offset" in done.said[0], placed, done.said)
        self.assertEqual(error.get("offset_bytes") is not None, placed, error)

    def skipped(self, kind, scheme):
        """The PFM is made from the other files."""
        path, lines, _ = self.damaged(kind)
        kinds = SCHEMES[scheme]
        done = self.pfmload(*kinds.args, "--canonical", "--skip-bad", *lines,
                            np=kinds.ranks[0])
        self.assertEqual(done.status, 0, done)
        self.assertEqual(len(done.said), 2, done)
        self.assertIn("left out: ", done.said[0])
        self.assertIn(path, done.said[0])
        self.assertIn("1 of 4 files", done.said[1])
        warning = [w["text"] for w in done.report["warnings"]
                   if w["code"] == "bad_files"]
        self.assertEqual(len(warning), 1, done.report["warnings"])
        self.assertIn("1 of 4 files", warning[0])
        self.assertIn(path, warning[0])
        self.assertEqual(done.files, ["o.pfm", "o.pfm.data"])
        handle = os.path.join(done.dir, "o.pfm")
        self.verified(handle)
        found = self.read(handle).soundings()
        good = self.survey(4, 30, 61, "--checksums")
        every = self.read(self.loaded("--canonical", *good)).soundings()
        self.assertEqual([s[2:6] for s in sorted(found, key=lambda s: s[2:6])],
                         [s[2:6] for s in sorted(every, key=lambda s: s[2:6])
                          if s[2] != 1])

    def outlier(self, place, depth, *parts_of_it):
        """One sounding is far from all others: the sentence names its file and ping."""
        lines = self.survey()
        path = self.path("outlier.gsf")
        with open(path, "wb") as f:
            f.write(gsf([(30, -88, 50), (30, -88.001, 51), place + (depth,),
                         (30, -88.002, 52)]))
        for np in (0, 3):
            done = self.pfmload("--bin-size=0.5", lines[0], path, lines[1], np=np)
            self.assertEqual(done.status, 2, done)
            self.one_sentence(done, "is of ping 3 of " + path, *parts_of_it)

    def test_a_ping_that_has_depths_and_no_beams(self):
        """They are not lost silently."""
        path = write_file(self.path("beamless.gsf"), gsf([(30, -88, 50)], beams=0))
        self.failed(self.pfmload(*self.survey(), path, np=3), path, "has no beams")

    # ---- beams -----------------------------------------------------------------

    def pings_file(self, name, pings):
        path = self.path(name)
        header = b"GSF-v03.09\0\0"
        with open(path, "wb") as f:
            f.write(struct.pack(">II", len(header), 1) + header)
            f.writelines(ping.record(i) for i, ping in enumerate(pings))
        return path

    def odd_file(self):
        """Makes a file with all kinds of pings; returns its path, beams, and those left
        out."""
        left_out = {}
        for _, why in ODD_PINGS:
            for name, n in why.items():
                left_out[name] = left_out.get(name, 0) + n
        path = self.pings_file("odd.gsf", [ping for ping, _ in ODD_PINGS])
        return path, sum(ping.beams for ping, _ in ODD_PINGS), left_out

    def balanced(self, done, beams, left_out):
        """Each beam is in the PFM, or has one reason; and the user is told."""
        self.assertEqual((done.status, len(done.said)), (0, 1), done)
        self.assertIn("pfmload: warning: %d of %d beams" % (
            sum(left_out.values()), beams), done.said[0])
        for words in ("8 in pings without across-track", "8 in pings without depths",
                      "16 in pings without a position", "8 outside of the grid"):
            self.assertIn(words, done.said[0])
        report = done.report
        results = {name: n for name, (n,) in report["results"].items()}
        self.assertEqual(results.pop("beams_read"), beams)
        loaded = results.pop("beams_loaded")
        self.assertEqual(loaded, beams - sum(left_out.values()))
        self.assertEqual({name: n for name, n in results.items() if n},
                         {"beams_out_" + name: n for name, n in left_out.items()})
        self.assertIn("beams_left_out", {w["code"] for w in report["warnings"]})
        self.assertIn("%d loaded" % loaded, report["run"]["notes"]["beams"])
        return loaded

    def accounted_for(self, scheme):
        """It holds with filters, and when adding to a PFM."""
        path, beams, left_out = self.odd_file()
        args, ranks = SCHEMES[scheme]
        done = self.pfmload(*args, *NO_SCAN, "--swath-filter", "--area-filter", path,
                            np=ranks[0])
        loaded = self.balanced(done, beams, left_out)
        handle = os.path.join(done.dir, "o.pfm")
        self.assertEqual(len(self.read(handle).soundings()), loaded)
        again = shutil.copy(path, self.path("again.gsf"))
        with open(again, "ab") as f:
            f.write(Ping(flags=1).record(9))
        more = dict(left_out, ignored_ping=left_out["ignored_ping"] + 8)
        done = self.pfmload(*args, "--append", again, np=ranks[-1], dir=done.dir)
        self.balanced(done, beams + 8, more)
        self.assertEqual(len(self.read(handle).soundings()), 2 * loaded)

    def test_gsfinfo_has_the_same_reasons(self):
        path, beams, left_out = self.odd_file()
        done = self.run_program("gsfinfo", "--json", path, np=0, dir=False, json=False)
        total = json.loads(done.out)["total"]
        del left_out["outside"]
        self.assertEqual({name: n for name, n in total["left_out"].items() if n},
                         left_out)
        self.assertEqual((total["beams"], total["loadable"]),
                         (beams, beams - sum(left_out.values())))

    def test_no_beam_can_be_loaded(self):
        """The sentence tells why."""
        for i, (ping, words) in enumerate((
                (Ping(arrays=(1, 16)), "16 in pings without across-track distances"),
                (Ping(arrays=(4, 16)), "16 in pings without depths"),
                (Ping(lon=190), "16 in pings whose position"),
                (Ping(null=8), "16 flagged as without detection"),
                (Ping(beams=0), "they have no beams"))):
            path = self.pings_file("none-%d.gsf" % i, [ping, ping])
            for np in (0, 3):
                self.failed(self.pfmload(path, np=np), "none of the files has", words)

    def test_few_missing_beams_are_no_news(self):
        """1 % is reported; a flag never is."""
        for missing, flagged, said in ((2, 0, 0), (3, 0, 1), (0, 8, 0)):
            pings = [Ping(30 + i / 1e4, null=flagged) for i in range(25)]
            pings[3] = Ping(30, null=flagged, unflagged=missing)
            path = self.pings_file("few-%d-%d.gsf" % (missing, flagged),
                                   pings[:12] + [Ping(29.9999)] + pings[12:])
            done = self.pfmload(path)
            self.assertEqual((done.status, len(done.said)), (0, said), done)

    def odd(self, path, *parts_of_it):
        """A file that cannot be read is refused, or left out."""
        lines = self.survey()
        for np in (0, 3):
            done = self.pfmload(lines[0], path, np=np)
            self.failed(done, path, *parts_of_it)
        done = self.pfmload("--skip-bad", lines[0], path, np=3)
        self.assertEqual((done.status, done.files), (0, ["o.pfm", "o.pfm.data"]), done)
        self.assertIn(path, done.said[0])

    def test_a_folder(self):
        self.odd(self.tmp, "directory")

    def test_a_file_that_is_not_there(self):
        self.odd(self.path("none.gsf"), "No such file")

    def test_a_pipe(self):
        path = self.path("pipe")
        os.mkfifo(path)
        self.odd(path, "not a regular file")

    def test_an_unreadable_file(self):
        if not os.geteuid():
            self.skipTest("root may read anything")
        path = self.path("secret.gsf")
        shutil.copy(self.survey()[0], path)
        os.chmod(path, 0)
        self.odd(path, "ermission")

    def test_nothing_but_bad_files(self):
        path, _, _ = self.damaged("cut")
        done = self.pfmload("--skip-bad", path, np=3)
        self.assertEqual((done.status, done.files), (1, []), done)
        self.assertIn("none of the files", done.said[-1])

    def test_a_file_named_twice(self):
        lines = self.survey()
        link = self.path("link.gsf")
        os.symlink(lines[0], link)
        self.failed(self.pfmload(*lines, link, np=3), "twice", link)

    def test_a_copy_of_a_file(self):
        """It is recognised by its contents, and not by its name or its size alone."""
        lines = self.survey()
        path = self.path("copy.gsf")
        shutil.copy(lines[1], path)
        for np in (0, 3):
            said = self.failed(self.pfmload(*lines, path, np=np), "is a copy of", path)
            self.assertIn(lines[1], str(said))
        with open(path, "r+b") as f:  # one depth in the middle differs
            f.seek(os.path.getsize(path) // 2)
            byte = f.read(1)[0]
            f.seek(-1, 1)
            f.write(bytes([byte ^ 1]))
        done = self.pfmload(*lines, path, np=3)
        self.assertNotIn("copy", str(done.said))

    @long
    def test_what_is_complete_of_files_that_are_cut_short(self):
        """They are loaded on request, reported for each file, and the same by all
        schemes."""
        path, lines, _ = self.damaged("cut")
        every = None
        for scheme in SCHEMES:
            kinds = SCHEMES[scheme]
            done = self.pfmload(*kinds.args, "--truncated", "--canonical", *NO_SCAN,
                                *lines, np=kinds.ranks[0])
            self.assertEqual((done.status, done.said), (0, []), done)
            rows = {row["path"]: row for row in done.report["sources"]}
            self.assertEqual([row["path"] for row in done.report["sources"]], lines)
            self.assertEqual([p for p in lines if rows[p]["about"]], [path])
            self.assertIn("cut short", rows[path]["about"])
            self.assertEqual({p: rows[p]["bytes"] for p in lines},
                             {p: os.path.getsize(p) for p in lines})
            found = self.read(os.path.join(done.dir, "o.pfm")).soundings()
            by_file = [sum(s[2] == i for s in found) for i in range(len(lines))]
            self.assertEqual([rows[p]["soundings"] for p in lines], by_file)
            self.assertTrue(0 < by_file[1] < by_file[0], by_file)
            warnings = [w["text"] for w in done.report["warnings"]
                        if w["code"] == "cut_files"]
            self.assertEqual(len(warnings), 1, done.report["warnings"])
            self.assertIn("1 of 4 files", warnings[0])
            every = every or sorted(found)
            self.assertEqual(sorted(found), every, scheme)

    def test_files_without_soundings(self):
        for name in ("comment.gsf", "history.gsf", "TN136HS.309.snipped.mb121"):
            done = self.pfmload(os.path.join(GSF, name))
            self.failed(done, "none of the files has a sounding")

    def test_nothing_within_the_bounds(self):
        self.failed(self.pfmload("--bounds=10,10,10.01,10.01", *self.survey(), np=3),
                    "within the bounds")

    @any_mpi
    def test_depths_that_do_not_fit(self):
        for scheme in SCHEMES:
            done = self.pfmload(*SCHEMES[scheme].args, NO_SCAN[0], "--depths=0,1",
                                *self.survey(), np=SCHEMES[scheme].ranks[0])
            self.failed(done, "depth", "line-000", "can hold", "offset")

    def test_a_grid_that_is_too_large(self):
        done = self.pfmload("--bounds=-170,-80,170,80", "--bin-size=0.01",
                            *self.survey(), np=3)
        self.assertEqual(len(done.said), 1, done)
        self.assertIn(done.status, (1, 2), done)
        self.assertEqual(done.files, [])


for np, args, parts_of_it in USAGE:
    add(PfmloadBad, "usage_%d_%s" % (np, "_".join(args)), "usage", np, args,
        parts_of_it)
for scheme in SCHEMES:
    add(PfmloadBad, "every_beam_is_accounted_for_by_" + scheme, "accounted_for", scheme)
for name in ("make_text", "make_folder", "make_other_data", "make_link"):
    add(PfmloadBad, "something_else_" + name, "something_else",
        getattr(PfmloadBad, name))
for scheme in SCHEMES:
    add(PfmloadBad, "cut_without_scan_by_" + scheme, "bad_input", "cut", scheme,
        *NO_SCAN)
for i, kind in enumerate(DAMAGE):
    scheme = list(SCHEMES)[i % len(SCHEMES)]
    if kind != "cut":
        add(PfmloadBad, "%s_without_scan_by_%s" % (kind, scheme), "bad_input", kind,
            scheme, *NO_SCAN)
    add(PfmloadBad, "%s_by_%s" % (kind, scheme), "bad_input", kind, scheme)
    add(PfmloadBad, "%s_skipped_by_%s" % (kind, scheme), "skipped", kind, scheme)

for name, place, depth, words in (
        ("deep", (30, -88.003), 2100000000, ("2.1e+09 m", "cannot be stored",
                                            "deepest", "leave it out")),
        ("north", (89, -88.003), 53, ("bins of 0.5 m",)),
        ("far_east", (30, 120), 53, ("bins of 0.5 m",))):
    add(PfmloadBad, "outlier_" + name, "outlier", place, depth, *words)

if __name__ == "__main__":
    main()
