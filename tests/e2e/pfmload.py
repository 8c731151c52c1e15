#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""pfmload: the contents of the PFMs that it makes, of real surveys and of known
ones."""
import json
import os

import pfm_files
import pfm_reader
from e2e import TESTS, add, main, read_json, write_file
from loads import FILTER, MANUAL, MODIFIED, SCHEMES, Loads, statistics
from pfm_made import library_s_own

DATA = os.path.join(TESTS, "data", "gsf")
TRUTH = read_json(os.path.join(DATA, "truth.json"))
ACROSS = 2  # number of a ping's array
REAL = {name: known for name, known in TRUTH["files"].items()
        if ACROSS in known["subs"]}
NULL_FLAG = "0x01"  # flag of a beam that found nothing


class Pfmload(Loads):
    # ---- contents of real files ----------------------------------------------

    def flags(self, path):
        """Returns {flag: beams} that gsfinfo finds."""
        done = self.run_program("gsfinfo", "--json", path, np=0, dir=False, json=False)
        return json.loads(done.out)["total"]["flags"]

    def known(self, name, known):
        path = os.path.join(DATA, name)
        pfm = self.read(self.loaded("--scheme=serial", path))
        soundings = [s for _, chain in pfm.bins.values() for s in chain]
        none = self.flags(path).get(NULL_FLAG, 0)
        self.assertEqual(len(soundings), known["beams"] - known["null_depth"] - none)
        valid = [s["depth"] for s in soundings if not s["validity"] & (MANUAL | FILTER)]
        self.assertEqual(len(valid), known["valid"])
        self.assertEqual(len(soundings) - len(valid), known["flagged"] - none)
        scale, offset = float(pfm.head["DEPTH SCALE"]), float(pfm.head["DEPTH OFFSET"])
        # Each depth was rounded.
        self.assertAlmostEqual(sum(valid) / scale - offset * len(valid), known["sum"],
                               delta=0.5 / scale * len(valid))
        for found, depth in ((min(valid), "dmin"), (max(valid), "dmax")):
            self.assertAlmostEqual(found / scale - offset, known[depth],
                                   delta=0.501 / scale)
        # Beams are on both sides of the track, or near it.
        inwards, beam = (1e-5, 1e-5) if known["nb"] == [1] else (1e-8, 0.1)
        for key, side, sign in (("MIN X", "lonmin", 1), ("MIN Y", "latmin", 1),
                                ("MAX X", "lonmax", -1), ("MAX Y", "latmax", -1)):
            bins = float(pfm.head[key[4:] + " BIN SIZE"]) if sign < 0 else 0
            beyond = sign * (known[side] - float(pfm.head[key]))
            self.assertGreater(beyond, -inwards, key)
            self.assertLess(beyond, beam + bins + 1e-8, key)

    @staticmethod
    def library_load(name):
        """Returns the library's options for loading a file, as far as we can give them,
        and its result."""
        known, = [load for load in TRUTH["pfm"]["loads"] if load["source"] == name]
        note = dict(word.rsplit(" ", 1) for word in known["note"].replace(
            " m,", ",").split(", "))
        file, pad = REAL[name], float(note["pad"])
        bounds = ",".join("%.9f" % side for side in (
            file["lonmin"] - pad, file["latmin"] - pad,
            file["lonmax"] + pad, file["latmax"] + pad))
        return ("--bounds=" + bounds, "--depths=0," + note["max_depth"],
                "--bin-size=" + note["bin"], "--record-length=6"), known

    def as_the_library(self, name):
        """The formula of its programs gives the same contents to the last bit."""
        args, known = self.library_load(name)
        pfm = self.read(self.loaded("--position=survey", *args,
                                    os.path.join(DATA, name)))
        for key in ("MIN X", "MIN Y", "MAX X", "MAX Y", "X BIN SIZE", "Y BIN SIZE",
                    "BIN WIDTH", "BIN HEIGHT", "DEPTH BITS", "DEPTH SCALE",
                    "RECORD LENGTH"):
            self.assertEqual(pfm.head[key], known[key], key)
        soundings = [s for _, chain in pfm.bins.values() for s in chain]
        self.assertEqual((len(pfm.bins), len(soundings), len(pfm.used)),
                         (known["bins_with_data"], known["soundings"], known["blocks"]))
        self.assertEqual((pfm.block_bytes, pfm.bin_bytes),
                         (known["block_bytes"], known["bin_bytes"]))
        self.assertEqual(sum(s["depth"] for s in soundings), known["depth_int_sum"])
        for s in soundings:  # the library was told that all flags were set by a person
            s["validity"] = s["validity"] and MANUAL
        self.assertEqual(pfm_files.PfmFiles.multiset(pfm), known["multiset_sha256"])

    def test_the_library_s_own_pfm(self):
        """Compares soundings and summaries of one in the tests' data."""
        theirs = pfm_reader.load(library_s_own(self.tmp)[0])
        args, _ = self.library_load("6_184_1440.mb121")
        mine = self.read(self.loaded("--position=survey", *args,
                                     os.path.join(DATA, "6_184_1440.mb121")))
        self.assertEqual(mine.soundings(), theirs.soundings())
        self.assertEqual(mine.coverage(), theirs.coverage())
        self.assertEqual(statistics(mine), statistics(theirs))

    def test_exact_positions(self):
        """A single beam is at the ship's place, by each way of placing."""
        path, _ = library_s_own(self.tmp)
        theirs = pfm_reader.load(path)
        args, _ = self.library_load("6_184_1440.mb121")
        mine = self.read(self.loaded("--position=exact", *args,
                                     os.path.join(DATA, "6_184_1440.mb121")))
        self.close_to(mine, theirs, 1)

    def close_to(self, mine, theirs, parts_of_a_bin):
        """Soundings are in the same places, except for so many 4095ths of a bin."""
        def places(pfm):
            return {(s["ping"], s["beam"]): (column * 4095 + s["x"],
                                             row * 4095 + s["y"], s["depth"])
                    for (row, column), (_, chain) in pfm.bins.items() for s in chain}
        found, known = places(mine), places(theirs)
        self.assertEqual(set(found), set(known))
        for key in found:
            for a, b in zip(found[key][:2], known[key][:2]):
                self.assertLessEqual(abs(a - b), parts_of_a_bin, key)
            self.assertEqual(found[key][2], known[key][2])

    # ---- filters -------------------------------------------------------------

    def validities(self, pfm):
        """Returns {(file, ping, beam): validity}."""
        return {(s["file"], s["ping"], s["beam"]): s["validity"]
                for _, chain in pfm.bins.values() for s in chain}

    filtered = {}

    def by_filter(self, scheme, *args):
        """Flags are the same as on one rank."""
        lines = self.survey(3, 60, 61)
        if args not in self.filtered:
            self.filtered[args] = self.read(self.loaded("--scheme=serial", *args,
                                                        *lines))
        known = self.filtered[args]
        handle = self.by(scheme, *args, *lines)
        self.verified(handle)
        pfm = self.read(handle)
        self.assertTrue(pfm.soundings() == known.soundings(), "soundings differ")
        self.assertTrue(statistics(pfm) == statistics(known), "summaries differ")

    def spikes(self, lines, plain):
        """Returns places of false soundings that are loaded and not flagged."""
        spikes = {(i, *map(int, line.split(",")))
                  for i, path in enumerate(lines)
                  for line in open(path[:-3] + "spikes").read().split()[1:]}
        return spikes & {place for place, validity in plain.items() if not validity}

    def test_filters_find_spikes_and_drop_nothing(self):
        lines = self.survey(3, 60, 61)
        plain = self.validities(self.read(self.loaded(*lines)))
        spikes = self.spikes(lines, plain)
        self.assertGreater(len(spikes), 20)
        for args in (("--swath-filter",), ("--area-filter=3",),
                     ("--swath-filter", "--area-filter")):
            found = self.validities(self.read(self.loaded(*args, *lines)))
            self.assertEqual(set(found), set(plain))
            changed = {place for place in plain if found[place] != plain[place]}
            for place in changed:
                self.assertTrue(found[place] & FILTER)
                self.assertEqual(found[place] & ~(FILTER | MODIFIED), plain[place])
            recall = len(changed & spikes) / len(spikes)
            self.assertGreater(recall, 0.5, args)
            self.assertLess(len(changed - spikes) / len(plain), 0.02, args)

    def test_the_swath_filter_on_hard_ground(self):
        """Small spikes among cliffs and wrecks are found, and little else."""
        for terrain in ("rugged", "wrecks"):
            lines = self.survey(1, 200, 121, "--terrain=" + terrain, "--spikes=3",
                                "--spike-size=3-12")
            plain = self.validities(self.read(self.loaded(*lines)))
            spikes = self.spikes(lines, plain)
            found = self.validities(self.read(self.loaded("--swath-filter", *lines)))
            cut = {place for place in plain if found[place] != plain[place]}
            self.assertGreater(len(spikes), 500)
            self.assertGreater(len(cut & spikes) / len(spikes), 0.85, terrain)
            self.assertGreater(len(cut & spikes) / len(cut), 0.9, terrain)

    def test_orders_of_the_area_filter(self):
        """Raster needs one rank; two passes give the same on one and on all."""
        lines = self.survey(3, 60, 61)
        self.refused(self.pfmload("--area-filter", "--area-order=raster", *lines,
                                  np=3), "raster", "--area-serial")
        raster = self.loaded("--area-filter", "--area-order=raster", "--area-serial",
                             *lines, np=3)
        alone = self.loaded("--area-filter", "--area-order=raster", "--area-serial",
                            *lines)
        self.same_bytes(raster, alone)
        one = self.loaded("--area-filter", "--area-serial", *lines, np=3)
        every = self.loaded("--area-filter", *lines, np=3)
        self.same_bytes(one, every)

    # ---- existing PFMs -------------------------------------------------------

    GRID = ("--bounds=-88.01,29.99,-87.98,30.02", "--depths=0,500")

    def appended(self, scheme):
        """The result is as if all had been loaded at once."""
        lines = self.survey()
        kinds = SCHEMES[scheme]
        once = self.loaded(*kinds.args, *self.GRID, "--canonical", *lines,
                           np=kinds.ranks[0])
        first = self.loaded(*kinds.args, *self.GRID, "--canonical", *lines[:2],
                            np=kinds.ranks[0])
        least = (os.path.getsize(first + ".data/o.pfm.ndx") +
                 sum(map(os.path.getsize, lines[2:])))
        done = self.pfmload(*kinds.args, "--append", "--canonical", *lines[2:],
                            np=kinds.ranks[-1], dir=os.path.dirname(first))
        self.assertEqual((done.status, done.said), (0, []), done)
        read, = [sample["bytes"] for sample in done.report["samples"]
                 if (sample["phase"], sample["act"]) == ("load", "read")]
        self.assertGreaterEqual(read, least)  # including the old PFM's
        self.assertEqual(sorted(os.listdir(os.path.dirname(first))),
                         ["o.pfm", "o.pfm.data"])
        self.same_bytes(first, once)
        for name in (".ctl", ".lin"):
            mine, theirs = (pfm_reader.read_file(path, name).decode().replace(
                os.path.dirname(path), "") for path in (first, once))
            self.assertEqual(mine, theirs)
        self.verified(first)

    def test_append_to_the_library_s_own(self):
        """Its soundings stay as they are."""
        path, known = library_s_own(self.tmp)
        before = pfm_reader.load(path).soundings()
        for np in (0, 3):
            again = self.path("again-%d.gsf" % np)
            os.symlink(os.path.join(DATA, "6_184_1440.mb121"), again)
            done = self.pfmload("--append", "--output=" + path, "--position=survey",
                                again, np=np)
            self.assertEqual((done.status, done.said), (0, []), done)
            self.verified(path)
        after = self.read(path).soundings()
        self.assertEqual([s for s in after if s[2] == 0], before)
        for file in (1, 2):
            self.assertEqual([s[:2] + s[3:9] for s in after if s[2] == file],
                             [s[:2] + s[3:9] for s in before])
        listed = pfm_reader.read_file(path, ".ctl").decode().splitlines()
        self.assertEqual([line.split()[1] for line in listed[5:]],
                         ["%05d" % i for i in range(3)])

    def test_the_report(self):
        """It tells in words what was made, and what was left out."""
        for version in "7.00", "6.40":
            handle = self.loaded("--pfm-version=" + version, *self.survey(), np=2)
            report = self.done.report
            parts = [handle + ".data/o.pfm." + suffix
                     for suffix in ("ndx", "bin", "cvg")
                     if suffix != "cvg" or version == "7.00"]
            file, = report["files"]
            self.assertEqual((file["count"], os.path.realpath(file["path"])),
                             (len(parts), os.path.realpath(parts[0])))
            self.assertEqual(file["bytes"], sum(map(os.path.getsize, parts)))
            for words in ("7320 in 120 pings", "7297 loaded",
                          "left out: 23 flagged as without detection"):
                self.assertIn(words, report["run"]["notes"]["beams"])

    def test_overwrite(self):
        lines = self.survey()
        handle = self.loaded(*lines[:1])
        done = self.pfmload("--overwrite", *lines, np=3, dir=os.path.dirname(handle))
        self.assertEqual((done.status, done.said), (0, []), done)
        self.assertEqual(sorted(os.listdir(os.path.dirname(handle))),
                         ["o.pfm", "o.pfm.data"])
        self.same_contents(handle, self.reference())

    # ---- inputs --------------------------------------------------------------

    def test_lists(self):
        """Lists have a name a line; there is also a datalist of datalists."""
        lines = self.survey()
        plain = self.path("plain")
        write_file(plain, "# a survey\n%s\n\n%s\n" % (lines[0], lines[1]))
        inner = self.path("inner.mb-1")
        write_file(inner, "%s 121 1.0\n%s 121\n" % (lines[2], lines[3]))
        outer = write_file(self.path("outer.mb-1"), "$RAW\ninner.mb-1 -1 0.5\n")
        handle = self.loaded("--list=" + plain, "--list=" + outer, np=3)
        self.same_bytes(handle, self.reference())

    def test_across_180_degrees(self):
        lines = self.survey(4, 30, 61, "--lon=179.999")
        known = self.loaded("--scheme=serial", "--canonical", *lines)
        pfm = self.read(known)
        west, east = float(pfm.head["MIN X"]), float(pfm.head["MAX X"])
        self.assertTrue(179 < west < 180, west)
        self.assertTrue(180 < east < 181 or -180 < east < -179, east)
        self.assertEqual({s[2] for s in pfm.soundings()}, {0, 1, 2, 3})
        self.assertLess(pfm.width, 200)
        for args in (("--bounds=179.99,29.99,-179.95,30.02", "--depths=0,500"),
                     ("--bounds=179.99,29.99,180.05,30.02", "--depths=0,500")):
            other = self.read(self.loaded(*args, *lines, np=3))
            self.assertEqual([s[2:6] for s in sorted(other.soundings(),
                                                     key=lambda s: s[2:6])],
                             [s[2:6] for s in sorted(pfm.soundings(),
                                                     key=lambda s: s[2:6])])

    def test_bounds_cut(self):
        """Soundings outside are left out."""
        lines = self.survey()
        every = self.read(self.loaded(*lines))
        x = [float(every.head[key]) for key in ("MIN X", "MAX X")]
        y = [float(every.head[key]) for key in ("MIN Y", "MAX Y")]
        bounds = "--bounds=%.9f,%.9f,%.9f,%.9f" % (x[0], y[0], sum(x) / 2, sum(y) / 2)
        done = self.pfmload(bounds, *lines, np=3)
        self.assertEqual((done.status, len(done.said)), (0, 1), done)
        self.assertRegex(done.said[0], r"warning: \d+ of 7320 beams .* outside of the")
        cut = self.read(os.path.join(done.dir, "o.pfm"))
        self.assertTrue(0 < len(cut.soundings()) < len(every.soundings()))
        kept = {s[2:6] for s in cut.soundings()}
        self.assertTrue(kept < {s[2:6] for s in every.soundings()})
        self.assertLessEqual(cut.width, every.width // 2 + 2)


for name, known in sorted(REAL.items()):
    add(Pfmload, "known_" + name, "known", name, known)
for load in TRUTH["pfm"]["loads"]:
    add(Pfmload, "as_the_library_" + load["source"], "as_the_library", load["source"])
for name in SCHEMES:
    add(Pfmload, "swath_filter_by_" + name, "by_filter", name, "--swath-filter")
    add(Pfmload, "area_filter_by_" + name, "by_filter", name, "--area-filter=3")
    add(Pfmload, "appended_by_" + name, "appended", name)

if __name__ == "__main__":
    main()
