#!/usr/bin/env python3
# limit: 300
"""gsfinfo compared with files of known contents; gsfgen compared with gsfinfo."""
import datetime
import hashlib
import json
import os
import struct
import tarfile

from e2e import TESTS, Case, add, fault, main

DATA = os.path.join(TESTS, "data", "gsf")
LARGE = os.environ.get("LEADLINE_GSF_DATA")

# The reader's names for the numbers in truth.json.
RECORDS = ["other", "header", "ping", "svp", "processing", "sensor", "comment",
           "history", "nav_error", "summary", "single_beam", "hv_nav_error", "attitude"]
DEFECTS = (("empty", 0), ("header", 20 + 4), ("half", 20000))


def truth_of(folder):
    """Returns {name: contents} of the files that exist."""
    path = os.path.join(folder, "truth.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        files = json.load(f)["files"]
    return {name: known for name, known in files.items()
            if os.path.exists(os.path.join(folder, name))}


class GsfFiles(Case):
    LIMIT = 120

    def gsfinfo(self, *args):
        return self.run_program("gsfinfo", *args, np=0, dir=False, json=False)

    def info(self, *paths):
        """Returns gsfinfo's JSON for good files."""
        done = self.gsfinfo("--json", *paths)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return json.loads(done.out)

    def gsfgen(self, *args, folder=None, **how):
        how.setdefault("np", 0)
        return self.run_program("gsfgen", *args, json=False, dir=folder, **how)

    # ---- known files ---------------------------------------------------------

    def known(self, folder, name, known):
        path = os.path.join(folder, name)
        if os.path.getsize(path) <= 1 << 30:
            with open(path, "rb") as f:
                self.assertEqual(hashlib.sha256(f.read()).hexdigest(), known["sha256"],
                                 "the file is not the one that was looked into")
        self.same(self.info(path)["files"][0], known)

    def same(self, found, known):
        """gsfinfo and others found the same in a file."""
        self.assertEqual(found["version"], known["version"].replace("GSF-v0", ""))
        self.assertEqual(found["records"], {RECORDS[int(number)]: n for number, n
                                            in known["records"].items()})
        for name in ("bytes", "pings", "beams", "ignored_pings", "null_depth",
                     "flagged", "valid"):
            self.assertEqual(found[name], known[name], name)
        if known["nb"]:
            self.assertEqual((found["beams_per_ping_min"], found["beams_per_ping_max"]),
                             (min(known["nb"]), max(known["nb"])))
        arrays = {int(number) for number in found["subrecords"]} - {100}
        self.assertEqual(sorted(arrays), known["subs"])
        self.assertAlmostEqual(found["depth_sum_m"], known["sum"], delta=1e-3)
        for ours, theirs in (("depth_min_m", "dmin"), ("depth_max_m", "dmax"),
                             ("west", "lonmin"), ("south", "latmin"),
                             ("east", "lonmax"), ("north", "latmax")):
            if known[theirs] is None:
                self.assertIsNone(found[ours], ours)
            else:
                self.assertAlmostEqual(found[ours], known[theirs], delta=1e-9, msg=ours)

    def test_the_known_files_are_there(self):
        self.assertEqual(len(truth_of(DATA)), 6)

    def made_files(self):
        """Returns files of the reference library: [(path, what its reader finds in
        it)]."""
        with tarfile.open(os.path.join(TESTS, "data", "gsf-made.tar.gz")) as made:
            made.extractall(self.tmp)
        with open(os.path.join(self.tmp, "made.json")) as f:
            return [(os.path.join(self.tmp, name), known)
                    for name, known in sorted(json.load(f)["files"].items())]

    def test_files_of_the_reference_library(self):
        """They cover each sensor, with and without intensities, and each type of
        record."""
        made = self.made_files()
        self.assertGreater(len(made), 600)
        info = self.info(*[path for path, _ in made])
        for (path, known), found in zip(made, info["files"]):
            self.assertEqual(found["file"], path)
            found["subrecords"].pop("0", None)
            self.same(found, known)

    def test_files_of_the_reference_library_are_loaded(self):
        made = self.made_files()
        names = os.path.join(self.tmp, "names")
        with open(names, "w") as f:
            f.write("".join(path + "\n" for path, _ in made))
        done = self.run_program("pfmload", "--quiet", "--no-keep", "--output=o.pfm",
                                "--list=" + names, np=2)
        self.assertEqual((done.status, len(done.said)), (0, 1), done)
        self.assertIn("8 in pings without across-track distances", done.said[0])
        figures = {f["name"]: f["median"] for f in done.report["figures"]}
        # The reference reader has 0 m across for two pings of four beams.
        self.assertEqual(figures["soundings"],
                         sum(known["soundings"] for _, known in made) - 8)
        left_out = self.info(*[path for path, _ in made])["total"]["left_out"]
        self.assertEqual({name: n for name, n in left_out.items() if n},
                         {name[len("beams_out_"):]: n for name, (n,) in
                          done.report["results"].items()
                          if n and name.startswith("beams_out_")})

    def test_larger_files(self):
        if not LARGE:
            self.skipTest("LEADLINE_GSF_DATA names no folder of larger files")
        truth = truth_of(LARGE)
        self.assertTrue(truth, "LEADLINE_GSF_DATA has no truth.json, or none of its "
                               "files")
        for name, known in truth.items():
            with self.subTest(name):
                self.known(LARGE, name, known)

    def test_totals(self):
        """The box around both sides of the world crosses 180 degrees."""
        names = sorted(truth_of(DATA).items())
        total = self.info(*[os.path.join(DATA, name) for name, known in names])["total"]
        for field in ("pings", "beams", "valid", "flagged", "bytes"):
            self.assertEqual(total[field], sum(known[field] for _, known in names))
        self.assertAlmostEqual(total["depth_sum_m"],
                               sum(known["sum"] for _, known in names), delta=1e-3)
        self.assertAlmostEqual(total["west"], 167.4759172, delta=1e-9)
        self.assertAlmostEqual(total["east"], -64.5970738, delta=1e-9)

    # ---- damaged files -------------------------------------------------------

    def damaged(self, name, size):
        """One sentence names the file and the place; the others are still shown."""
        good = os.path.join(DATA, "6_184_1440.mb121")
        path = os.path.join(self.tmp, name + ".gsf")
        with open(good, "rb") as f, open(path, "wb") as out:
            out.write(f.read()[:size])
        done = self.gsfinfo(path, good)
        said = self.one_sentence(done, path)
        self.assertEqual(done.status, 1)
        self.assertEqual("offset" in said, size > 0, said)
        self.assertIn(good, done.out)
        self.assertNotIn(path, done.out)
        self.assertEqual(json.loads(self.gsfinfo("--json", path, good).out)["total"]
                         ["files"], 1)

    def test_what_is_complete_of_a_file_that_is_cut_short(self):
        """Another reader finds one ping for each whole record; also with a cut in a
        record's head."""
        done = self.gsfgen("--files=1", "--pings=9", "--quiet")
        path = os.path.join(done.dir, "line-0001.gsf")
        every = len(self.depths(path))
        with open(path, "rb") as f:
            data = f.read()
        at = 0
        for number in range(every):  # the header, followed by a ping each
            size, = struct.unpack_from(">I", data, at)
            at += 8 + size
            for more in (3, 40):
                with open(path, "wb") as f:
                    f.write(data[:at + more])
                self.one_sentence(self.gsfinfo(path), "cut short", "--truncated",
                                  "offset %d" % at)
                found = self.gsfinfo("--truncated", "--json", path)
                self.assertEqual((found.status, found.err), (0, ""), found)
                total = json.loads(found.out)["total"]
                self.assertEqual((total["pings"], total["cut_short"]), (number, 1))
            self.assertIn("cut short", self.gsfinfo("--truncated", path).out)
        with open(path, "wb") as f:
            f.write(data)
        total = json.loads(self.gsfinfo("--truncated", "--json", path).out)["total"]
        self.assertEqual((total["pings"], total["cut_short"]), (every, 0))

    def test_times_are_utc(self):
        name = "6_184_1440.mb121"
        path = os.path.join(DATA, name)
        found = self.info(path)["files"][0]
        for which in ("first", "last"):
            wanted = datetime.datetime.utcfromtimestamp(found[which + "_s"]).strftime(
                "%Y-%m-%dT%H:%M:%SZ")
            self.assertEqual(found[which + "_utc"], wanted)
            self.assertIn(wanted, self.gsfinfo(path).out)

    def test_sonars_own_files(self):
        """They are recognised by their begin, and the sentence has a remedy."""
        for data, name in ((b"\x20\0\0\0#IIP\1\0\0\0", ".kmall"),
                           (b"\x34\0\0\0\2I\x10\1\1\0\0\0", ".all"),
                           (b"\5\0\x3c\0\xff\xff\0\0\1\0\0\0", ".s7k")):
            path = os.path.join(self.tmp, "line" + name)
            with open(path, "wb") as f:
                f.write(data + bytes(64))
            self.one_sentence(self.gsfinfo(path), name + " file", "export it as GSF")

    def test_what_fuzzing_found(self):
        """Each input of the corpus gives a line, or a sentence."""
        with tarfile.open(os.path.join(TESTS, "fuzz", "gsf-corpus.tar.gz")) as corpus:
            corpus.extractall(self.tmp)
        folder = os.path.join(self.tmp, "gsf")
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        self.assertGreater(len(paths), 50)
        done = self.gsfinfo(*paths)
        self.assertEqual(done.status, 1, done)
        shown = [path for path in paths if path in done.out]
        said = [path for path in paths if path in done.err]
        self.assertEqual(sorted(shown + said), paths)
        self.assertEqual(len(done.err.splitlines()), len(said))

    def test_nothing_asked(self):
        self.refused(self.gsfinfo(), "FILE is missing")

    def test_more_files_than_a_list_of_options_holds(self):
        path = os.path.join(DATA, "comment.gsf")
        self.assertEqual(self.info(*[path] * 200)["total"]["files"], 200)

    # ---- the generator -------------------------------------------------------

    SMALL = ("--files=5", "--pings=60", "--beams=121", "--truth", "--quiet")

    def made(self, *args, np=0):
        """Returns {name: bytes} of a survey."""
        done = self.gsfgen(*self.SMALL, *args, np=np)
        self.assertEqual((done.status, done.said), (0, []), done)
        found = {}
        for name in done.files:
            with open(os.path.join(done.dir, name), "rb") as f:
                found[name] = f.read()
        return found

    def test_the_seed_makes_the_survey(self):
        """It holds for any number of ranks."""
        one = self.made()
        self.assertEqual(len(one), 10)
        self.assertEqual(len(set(one.values())), 10)
        for np in (1, 2, 4):
            self.assertEqual(self.made(np=np), one, "%d ranks" % np)
        other = self.made("--seed=2")
        self.assertEqual(sorted(other), sorted(one))
        self.assertFalse(set(other.values()) & set(one.values()))

    def test_what_is_generated(self):
        done = self.gsfgen("--files=4", "--pings=800", "--truth", "--checksums",
                           "--quiet", "--lon=179.995", "--depth=200")
        self.assertEqual(done.status, 0, done)
        info = self.info(*[os.path.join(done.dir, name) for name in done.files
                           if name.endswith(".gsf")])
        total = info["total"]
        beams = 4 * 800 * 240
        self.assertEqual((total["pings"], total["beams"]), (4 * 800, beams))
        self.assertEqual(total["checksums"], 4 * 801)
        self.assertEqual(beams, sum(total[name] for name in (
            "ignored_beams", "null_depth", "flagged", "valid")))
        self.assertEqual(total["unplaced_pings"], 0)
        for flag, share in (("0x01", 0.004), ("0x05", 0.006)):
            self.assertAlmostEqual(total["flags"][flag] / beams, share, delta=5e-4)
        self.assertTrue(0 < total["ignored_pings"] < 12, total["ignored_pings"])
        mean = total["depth_sum_m"] / total["valid"]
        self.assertAlmostEqual(mean, 200, delta=40)
        self.assertTrue(100 < total["depth_min_m"] and total["depth_max_m"] < 330)
        self.assertGreater(total["west"], 179)
        self.assertLess(total["east"], -179)

    def test_the_truth(self):
        """Each spike is in the list once, and is a beam that is not flagged."""
        done = self.gsfgen("--files=1", "--pings=1000", "--truth", "--quiet")
        with open(os.path.join(done.dir, "line-0001.spikes")) as f:
            head, *lines = f.read().splitlines()
        places = [tuple(map(int, line.split(","))) for line in lines]
        self.assertEqual(head, "ping,beam")
        self.assertEqual(len(set(places)), len(places))
        self.assertTrue(all(1 <= ping <= 1000 and 1 <= beam <= 240
                            for ping, beam in places))
        self.assertAlmostEqual(len(places) / 240e3, 0.0042, delta=0.001)
        depths = self.depths(os.path.join(done.dir, "line-0001.gsf"))
        off = [self.far_from_neighbours(depths[ping - 1], beam - 1)
               for ping, beam in places]
        self.assertGreater(sum(off) / len(off), 0.75)
        others = sum(self.far_from_neighbours(row, beam) for row in depths
                     for beam in range(2, 238)) - sum(off)
        self.assertLess(others / 236e3, 0.02)

    def test_terrains(self):
        """Each kind of sea floor is different; spikes are as many and as far off as
        requested; the default is the smooth one, with 0.4 % of 6 to 35 %."""
        depths = {}
        for terrain in ("smooth", "rugged", "wrecks", "canyon"):
            folder = os.path.join(self.tmp, terrain)
            os.mkdir(folder)
            done = self.gsfgen("--files=1", "--pings=60", "--quiet", "--truth",
                               "--terrain=" + terrain, "--spikes=5",
                               "--spike-size=50-60", folder=folder)
            self.assertEqual(done.status, 0, done)
            rows = self.depths(os.path.join(folder, "line-0001.gsf"))
            with open(os.path.join(folder, "line-0001.spikes")) as f:
                places = [tuple(map(int, line.split(","))) for line in
                          f.read().splitlines()[1:]]
            self.assertAlmostEqual(len(places) / (60 * 240), 0.05, delta=0.01)
            far = sum(self.far_from_neighbours(rows[ping - 1], beam - 1, 0.3)
                      for ping, beam in places)
            self.assertGreater(far / len(places), 0.9, terrain)
            depths[terrain] = rows
        self.assertEqual(len({str(rows) for rows in depths.values()}), 4)
        steps = {terrain: sorted(abs(a - b) for row in rows
                                 for a, b in zip(row, row[1:]) if a and b)
                 for terrain, rows in depths.items()}
        high = {terrain: step[len(step) * 8 // 10] for terrain, step in steps.items()}
        self.assertGreater(high["rugged"], 1.3 * high["smooth"], high)

    @staticmethod
    def far_from_neighbours(row, beam, part=0.04):
        """Returns True if a depth differs by 4 % from the median of its neighbours."""
        beside = sorted(z for z in row[max(0, beam - 4):beam + 5] if z)
        return bool(row[beam]) and abs(row[beam] / beside[len(beside) // 2] - 1) > part

    @staticmethod
    def depths(path):
        """Returns the depths of every ping: a second reader, for gsfgen's files
        only."""
        with open(path, "rb") as f:
            data = f.read()
        at, rows, multiplier = 0, [], 0
        while at < len(data):
            size, kind = struct.unpack_from(">II", data, at)
            at += 8
            beams, = struct.unpack_from(">H", data, at + 16) if kind == 2 else (0,)
            sub = at + 56
            while kind == 2 and sub + 4 < at + size:
                word, = struct.unpack_from(">I", data, sub)
                if word >> 24 == 100:
                    multiplier, = struct.unpack_from(">I", data, sub + 12)
                elif word >> 24 == 1:
                    raw = struct.unpack_from(">%dH" % beams, data, sub + 4)
                    rows.append([z / multiplier for z in raw])
                sub += 4 + (word & 0xffffff)
            at += size
        return rows

    def test_generated_depths_read_back(self):
        """gsfinfo finds the same sum as the second reader."""
        done = self.gsfgen("--files=1", "--pings=50", "--quiet", "--seed=3")
        path = os.path.join(done.dir, "line-0001.gsf")
        found = self.info(path)["files"][0]
        self.assertEqual(found["ignored_pings"], 0, "another seed, please")
        every = sum(map(sum, self.depths(path)))
        zeros = sum(row.count(0) for row in self.depths(path))
        self.assertEqual(zeros, found["null_depth"])
        self.assertAlmostEqual(found["depth_sum_m"] / found["valid"],
                               every / (50 * 240 - zeros), delta=0.5)

    def test_files_that_exist_stay(self):
        folder = os.path.join(self.tmp, "mine")
        os.mkdir(folder)
        with open(os.path.join(folder, "line-0003.gsf"), "w") as f:
            f.write("precious")
        for np in (0, 2):
            done = self.gsfgen(*self.SMALL, folder=folder, np=np)
            self.one_sentence(done, "exists already", "line-0003.gsf")
            self.assertEqual(done.status, 1)
            self.assertEqual(os.listdir(folder), ["line-0003.gsf"])
        with open(os.path.join(folder, "line-0003.gsf")) as f:
            self.assertEqual(f.read(), "precious")

    def test_refusals_of_gsfgen(self):
        self.refused(self.gsfgen("--preset=12", "--files=3"), "--preset", "--files")
        self.refused(self.gsfgen("--preset=13"), "--preset", "L|12|24|48|74")
        self.refused(self.gsfgen("--beams=0"), "--beams", "0")
        self.refused(self.gsfgen("--spike-size=7-3"), "--spike-size=7-3", "lower one")
        self.refused(self.gsfgen("--spike-size=5"), "--spike-size=5")
        self.refused(self.gsfgen("--terrain=flat"), "--terrain", "smooth|rugged")
        done = self.gsfgen(*self.SMALL, folder=os.path.join(self.tmp, "nowhere"))
        self.one_sentence(done, "nowhere", "No such file")
        self.assertEqual(done.status, 1)

    def test_a_full_disk(self):
        """No half-written file stays, nor whole ones from before."""
        done = self.gsfgen("--files=4", "--pings=1000", "--truth", "--quiet", np=2,
                           env=fault("write:ENOSPC:3", 1, "line-"))
        self.one_sentence(done, "No space left", "line-0004.gsf", "rank 1")
        self.assertEqual(done.status, 1)


for i, (name, known) in enumerate(sorted(truth_of(DATA).items())):
    add(GsfFiles, "known_" + name, "known", DATA, name, known)
for name, size in DEFECTS:
    add(GsfFiles, "damaged_" + name, "damaged", name, size)

if __name__ == "__main__":
    main()
