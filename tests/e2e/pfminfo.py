#!/usr/bin/env python3
# limit: 300; mpi: any
"""pfminfo's output for a PFM, compared with another reader: JSON, tables, the grid; and
compared with its smaller files."""
import csv
import io
import json
import math
import os
import shutil
import struct
import subprocess

import pfm_reader
from e2e import BUILD, Case, add, main, read_bytes, read_json, read_text
from pfm_made import (DELETED, FILTER, HAS_DATA, HEIGHT, MANUAL, NULL, WIDTH, Pfm,
                      library_s_own)

REFERENCE = 16384


class Tiff:
    """The first directory of a BigTIFF: {tag: values}; and its pixels, one strip."""
    KINDS = {2: "c", 3: "H", 4: "I", 12: "d", 16: "Q"}

    def __init__(self, path):
        self.data = read_bytes(path)
        self.order = {b"II": "<", b"MM": ">"}[self.data[:2]]
        assert self.get("3H", 2) == (43, 8, 0)
        at, = self.get("Q", 8)
        n, = self.get("Q", at)
        self.tags = {}
        for i in range(n):
            entry = at + 8 + 20 * i
            tag, kind, count = self.get("HHQ", entry)
            assert not self.tags or tag > max(self.tags), tag
            form = "%d%s" % (count, self.KINDS[kind])
            place = entry + 12 if struct.calcsize("<" + form) <= 8 \
                else self.get("Q", entry + 12)[0]
            self.tags[tag] = list(self.get(form, place))
        assert self.get("Q", at + 8 + 20 * n) == (0,)

    def get(self, form, at):
        return struct.unpack_from(self.order + form, self.data, at)

    def __getitem__(self, tag):
        return self.tags[tag]

    def text(self, tag):
        return b"".join(self.tags[tag]).rstrip(b"\0").decode()

    def pixel(self, row, column):
        n = self.tags[277][0]
        return self.get("%df" % n, self.tags[273][0] + 4 * n * (
            row * self.tags[256][0] + column))


class Pfminfo(Case):
    def pfminfo(self, *args):
        return self.run_program("pfminfo", *args, np=0, dir=False, json=False)

    def good_out(self, *args):
        done = self.pfminfo(*args)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return done.out

    def made(self, version="7.00", **how):
        return Pfm(self.path("a.pfm"), version, **how)

    def handle(self, which):
        if which == "real":
            return library_s_own(self.tmp)[0]
        return self.made(which).save().path

    # ---- output --------------------------------------------------------------

    def as_json(self, which):
        path = self.handle(which)
        pfm = pfm_reader.load(path)
        found = json.loads(self.good_out(path, "--json", "-"))
        self.assertIsNone(found["verified"])
        every = pfm.soundings()
        self.assertEqual(found["totals"]["soundings"], len(every))
        self.assertEqual(found["totals"]["bins_with_data"], len(pfm.bins))
        self.assertEqual((found["grid"]["width"], found["grid"]["height"]),
                         (pfm.width, pfm.height))
        self.assertEqual(found["grid"]["west"], float(pfm.head["MIN X"]))
        self.assertEqual(len(found["inputs"]), len({s[2] for s in every}))
        self.assertEqual(len(found["lines"]), len({s[9] for s in every}))
        into = self.path("a.json")
        out = self.good_out(path, "--verify", "--json", into)
        self.assertIn("verified", out)
        found = read_json(into)
        self.assertEqual(found["verified"]["blocks"], len(pfm.used))
        self.assertEqual(found["verified"]["depth_sum_stored"],
                         sum(s[5] for s in every))
        self.assertEqual(found["verified"]["not_valid"], sum(
            1 for s in every if s[8] & (MANUAL | FILTER)))

    def bins(self, which):
        """--csv: the bins' records."""
        path = self.handle(which)
        pfm = pfm_reader.load(path)
        scale = float(pfm.head["DEPTH SCALE"])
        null = round(float(pfm.head["NULL DEPTH"]) * scale)  # as it is stored
        rows = list(csv.DictReader(io.StringIO(self.good_out(path, "--csv", "-"))))
        self.assertEqual([(int(r["row"]), int(r["column"])) for r in rows],
                         sorted(pfm.bins))
        for r in rows:
            row, column = int(r["row"]), int(r["column"])
            b = pfm.bins[row, column][0]
            self.assertEqual(int(r["soundings"]), b["count"])
            self.assertEqual(r["valid"], str(b["valid"]) if "valid" in b else "")
            self.assertEqual(int(r["validity"]), b["validity"])
            if b["validity"] & HAS_DATA:
                self.assertAlmostEqual(float(r["std_m"]), b["std"] / 1e6, delta=1e-9)
            else:
                self.assertEqual(r["std_m"], "")
            for name in ("average_filtered", "min_filtered", "max_filtered", "average",
                         "min", "max"):
                self.assertEqual(r[name + "_m"], "%.2f" % (b[name] / scale)
                                 if b[name] < null else "", name)
            for name, edge, size, i in (("longitude", "MIN X", "X BIN SIZE", column),
                                        ("latitude", "MIN Y", "Y BIN SIZE", row)):
                at = float(pfm.head[edge]) + (i + 0.5) * float(pfm.head[size])
                self.assertAlmostEqual(float(r[name]), at, delta=1e-9)

    @staticmethod
    def marked(pfm, places, validity):
        """Gives all soundings of some bins this validity."""
        for place in places:
            for s in pfm.bins[place]:
                s["validity"] = validity
            pfm.summary[place] = pfm.summarize(pfm.bins[place])
        pfm.chain()
        return pfm

    def test_bins_without_a_valid_sounding(self):
        """Missing values are empty, also if the header's null depth is not a multiple
        of the resolution."""
        flagged, deleted = (0, 6), (1, 5)
        for more in (0, 0.004):
            pfm = self.marked(self.made(), [flagged], MANUAL)
            pfm = self.marked(pfm, [deleted], DELETED)
            pfm.keys["NULL DEPTH"] = NULL + more
            rows = {(int(r["row"]), int(r["column"])): r for r in csv.DictReader(
                io.StringIO(self.good_out(pfm.save().path, "--csv", "-")))}
            for place, depths in ((flagged, 3), (deleted, 0), ((0, 5), 6)):
                row = rows[place]
                filled = [name for name in row if name.endswith("_m") and row[name]]
                self.assertEqual(len(filled), depths + (depths == 6), (more, row))
            self.good_out(pfm.path, "--verify")

    def test_nothing_valid(self):
        """A header can only give the number of soundings of bins."""
        pfm = self.made()
        self.marked(pfm, list(pfm.bins), FILTER)
        pfm.keys.update({"MINIMUM BIN COUNT": 1, "MIN COUNT COORD": "1,0",
                         "MAXIMUM BIN COUNT": 40, "MAX COUNT COORD": "6,0",
                         "MIN DEPTH": "0.000000", "MAX DEPTH": "0.000000"})
        out = self.good_out(pfm.save().path, "--verify")
        self.assertIn("all chains", out)
        pfm.keys["MAXIMUM BIN COUNT"] = 41
        self.wrong(pfm.save(), "header says", "greatest number")

    def test_negative_depths(self):
        """The PFM library computes deviations with floats: their error grows with the
        depths, above the surface as below."""
        pfm = self.made()
        pfm.keys.update({"DEPTH OFFSET": 300.0, "NULL DEPTH": NULL - 300})
        pfm.summary[0, 6]["std"] += 1e-5
        self.good_out(pfm.save().path, "--verify")
        pfm.summary[0, 6]["std"] += 1e-3
        self.wrong(pfm.save(), "standard deviation")

    def soundings(self, which):
        """--xyz: all soundings, or the valid ones, in the order of bins and chains."""
        path = self.handle(which)
        pfm = pfm_reader.load(path)
        head = {name: float(pfm.head[name]) for name in (
            "MIN X", "MIN Y", "X BIN SIZE", "Y BIN SIZE", "DEPTH SCALE")}
        steps = (1 << int(pfm.head["OFFSET BITS"])) - 1
        for every in (False, True):
            into = self.path("xyz")
            out = self.good_out(path, "--xyz", into, *(["--all"] if every else []))
            self.assertIn("soundings", out)
            with open(into) as f:
                found = [[float(word) for word in line.split()] for line in f]
            should = []
            for (row, column), (_, chain) in sorted(pfm.bins.items()):
                should += [[head["MIN X"] + (column + s["x"] / steps) *
                            head["X BIN SIZE"],
                            head["MIN Y"] + (row + s["y"] / steps) * head["Y BIN SIZE"],
                            s["depth"] / head["DEPTH SCALE"]]
                           for s in chain if every or not s["validity"] & (
                               MANUAL | FILTER | DELETED | REFERENCE)]
            self.assertEqual(len(found), len(should))
            for one, other in zip(found, should):
                for a, b in zip(one, other):
                    self.assertLess(abs(a - b), 1e-9)

    def averaged(self, which):
        """--grid: the average of each bin that has valid soundings, null elsewhere."""
        path, into = self.handle(which), self.path("grid.json")
        self.assertIn("soundings", self.good_out(path, "--grid", into))
        found = read_json(into)
        self.assertEqual(read_text(into), self.good_out(path, "--grid", "-"))
        pfm = pfm_reader.load(path)
        self.assertEqual([found[name] for name in ("schema", "columns", "rows",
                                                   "bins_of_a_side")],
                         ["leadline-pfm-grid/1", pfm.width, pfm.height, 1])
        for name, field in (("west", "MIN X"), ("south", "MIN Y"),
                            ("cell_x", "X BIN SIZE"), ("cell_y", "Y BIN SIZE")):
            self.assertAlmostEqual(found[name], float(pfm.head[field]), delta=1e-9)
        self.assertAlmostEqual(found["cell_y_m"] / float(pfm.head["BIN SIZE XY"]), 1,
                               delta=0.05)
        scale = float(pfm.head["DEPTH SCALE"])
        for row in range(pfm.height):
            for column in range(pfm.width):
                has = pfm.bins.get((row, column), ({"validity": 0},))[0]
                at = found["depths_m"][row][column]
                if has["validity"] & 1024:
                    self.assertAlmostEqual(at, has["average_filtered"] / scale,
                                           delta=6e-4)
                else:
                    self.assertIsNone(at, (row, column))

    def bands(self, pfm, row, column):
        """Returns the expected bands of a pixel, NaN as None."""
        bin_ = pfm.bins.get((row, column), (None,))[0]
        if not bin_:
            return [None, None, None]
        if not bin_["validity"] & 1024:
            return [None, bin_["count"], None]
        scales = [float(pfm.head[key]) for key in ("DEPTH SCALE", "STD SCALE")]
        return [bin_["average_filtered"] / scales[0], bin_["count"],
                bin_["std"] / scales[1]]

    def same_bands(self, pfm, found):
        """Compares found(row, column), the three bands there; row 0 is the south."""
        for row in range(pfm.height):
            for column in range(pfm.width):
                for z, wanted in zip(found(row, column), self.bands(pfm, row, column)):
                    if wanted is None:
                        self.assertTrue(math.isnan(z), (row, column, z))
                    else:
                        self.assertAlmostEqual(z, wanted, delta=1e-6 + 1e-7 * wanted)

    def geotiff(self, which):
        """--geotiff, read by a reader of TIFF that knows only the format."""
        path, into = self.handle(which), self.path("map.tif")
        self.assertIn("soundings", self.good_out(path, "--geotiff", into))
        pfm, tiff = pfm_reader.load(path), Tiff(into)
        self.assertEqual((tiff[256], tiff[257]), ([pfm.width], [pfm.height]))
        self.assertEqual((tiff[277], tiff[339], tiff[258]), ([3], [3] * 3, [32] * 3))
        self.assertEqual(tiff.text(42113), "nan")
        self.assertEqual(tiff[34735][4:], [1024, 0, 1, 2, 1025, 0, 1, 1,
                                           2048, 0, 1, 4326, 2054, 0, 1, 9102])
        west, south, dx, dy = (float(pfm.head[key]) for key in (
            "MIN X", "MIN Y", "X BIN SIZE", "Y BIN SIZE"))
        self.assertEqual(tiff[33550], [dx, dy, 0])
        for z, wanted in zip(tiff[33922], (0, 0, 0, west, south + pfm.height * dy, 0)):
            self.assertAlmostEqual(z, wanted, delta=1e-9)
        self.assertEqual(os.path.getsize(into), tiff[273][0] + tiff[279][0])
        self.same_bands(pfm, lambda row, column: tiff.pixel(pfm.height - 1 - row,
                                                            column))

    def gdal(self, which):
        """GDAL finds the same, at the coordinates of the bins."""
        for program in ("gdalinfo", "gdallocationinfo"):
            if not shutil.which(program):
                self.skipTest("GDAL's %s is not installed (gdal-bin)" % program)
        path, into = self.handle(which), self.path("map.tif")
        self.good_out(path, "--geotiff", into)
        pfm = pfm_reader.load(path)
        about = json.loads(subprocess.check_output(
            ["gdalinfo", "-json", into]).decode())
        self.assertEqual(about["size"], [pfm.width, pfm.height])
        self.assertIn("4326", about["coordinateSystem"]["wkt"].split("ID")[-1])
        self.assertEqual([band["description"].split()[0] for band in about["bands"]],
                         ["average", "soundings", "standard"])
        west, south, dx, dy = (float(pfm.head[key]) for key in (
            "MIN X", "MIN Y", "X BIN SIZE", "Y BIN SIZE"))
        places = "".join("%.12f %.12f\n" % (west + (column + 0.5) * dx,
                                            south + (row + 0.5) * dy)
                         for row in range(pfm.height) for column in range(pfm.width))
        out = subprocess.run(["gdallocationinfo", "-valonly", "-wgs84", into],
                             input=places.encode(), stdout=subprocess.PIPE, check=True)
        found = [float(word) for word in out.stdout.split()]
        self.assertEqual(len(found), 3 * pfm.width * pfm.height)

        def at(row, column):
            i = 3 * (row * pfm.width + column)
            return found[i:i + 3]

        self.same_bands(pfm, at)

    def test_cells_of_a_large_grid_are_means(self):
        made = self.run_program("gsfgen", "--files=1", "--pings=40", "--quiet", np=0,
                                json=False)
        path = self.path("o.pfm")
        self.good(self.run_program(
            "pfmload", "--bin-size=0.35", "--output=" + path, "--quiet",
            os.path.join(made.dir, "line-0001.gsf"), np=1))
        into = self.path("grid.json")
        self.good_out(path, "--grid", into)
        found = read_json(into)
        side, columns, rows = (found[n] for n in ("bins_of_a_side", "columns", "rows"))
        head = pfm_reader.load(path).head
        longest = max(int(head["BIN WIDTH"]), int(head["BIN HEIGHT"]))
        self.assertGreater(longest, 1000)
        self.assertEqual(side, -(-longest // 1000))
        self.assertEqual(columns, -(-int(head["BIN WIDTH"]) // side))
        cells = {}
        for r in csv.DictReader(io.StringIO(self.good_out(path, "--csv", "-"))):
            if r["average_filtered_m"] and int(r["validity"]) & 1024:
                cells.setdefault((int(r["row"]) // side, int(r["column"]) // side),
                                 []).append(float(r["average_filtered_m"]))
        self.assertTrue(any(len(depths) > 1 for depths in cells.values()))
        self.assertEqual((len(found["depths_m"]), len(found["depths_m"][0])),
                         (rows, columns))
        for row, line in enumerate(found["depths_m"]):
            for column, z in enumerate(line):
                own = cells.get((row, column))
                if own:
                    self.assertAlmostEqual(z, sum(own) / len(own), delta=6e-3)
                else:
                    self.assertIsNone(z)

    def test_a_grid_is_drawn(self):
        into = self.path("grid.json")
        self.good_out(self.handle("real"), "--grid", into)
        done = subprocess.Popen(
            [os.path.join(BUILD, "python", "leadline", "leadline"), "plot", "relief",
             into, "-o", self.path("map.svg")], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertIn("map.svg: ", done.communicate(timeout=60)[0])
        self.assertEqual(done.returncode, 0)

    # ---- faults --------------------------------------------------------------

    def wrong(self, pfm, *parts):
        done = self.pfminfo("--verify", pfm.path)
        self.one_sentence(done, *parts)
        self.assertEqual((done.status, done.out), (1, ""), done)

    def test_lists_of_inputs(self):
        for suffix, lines, what in ((".ctl", 5 + 2, "file number 2"),
                                    (".lin", 4, "line number 4")):
            pfm = self.made().save()
            with open(pfm.part(suffix)) as f:
                text = f.readlines()
            with open(pfm.part(suffix), "w") as f:
                f.writelines(text[:lines])
            self.wrong(pfm, what, suffix, "row 0")
            os.unlink(pfm.part(suffix))
            self.wrong(pfm, "No such file", suffix)
            self.assertIn("soundings", self.good_out(pfm.path))  # without --verify
        pfm = self.made().save()
        with open(pfm.part(".ctl"), "a") as f:
            f.write("something else\n")
        self.wrong(pfm, ".ctl", "line 9")

    def coverage(self, version):
        suffix = ".cvg" if version >= "7" else ".bin"

        def change(pfm, place, byte):
            cover = pfm_reader.load(pfm.path).coverage()
            i = place[0] * WIDTH + place[1]
            with open(pfm.part(suffix), "r+b") as f:
                f.seek(i - len(cover), 2)
                before = f.read(1)
                f.seek(i - len(cover), 2)
                f.write(bytes([byte]))
            return before[0]

        pfm = self.made(version)
        pfm.keys["COVERAGE MAP ADDRESS"] = 131072 + WIDTH * HEIGHT * len(
            pfm.bin(pfm.summary[0, 0]))
        pfm.save()
        self.good_out("--verify", pfm.path)
        self.assertEqual(change(pfm, (0, 0), 0x80), 0)
        self.wrong(pfm, suffix, "row 0, column 0 has data", "offset")
        self.assertEqual(change(pfm, (0, 0), 0), 0x80)
        self.assertEqual(change(pfm, (0, 6), 0), 0x90)
        self.wrong(pfm, suffix, "row 0, column 6 has none", "40 soundings")
        self.assertEqual(change(pfm, (0, 6), 0x90), 0)
        self.good_out("--verify", pfm.path)
        size = os.path.getsize(pfm.part(suffix))
        for wrong_size in (size - 1, size + 1):
            os.truncate(pfm.part(suffix), wrong_size)
            self.wrong(pfm, suffix, "%d bytes" % wrong_size, str(size))
        os.truncate(pfm.part(suffix), size)

    @staticmethod
    def extremes(pfm):
        """Returns the keys of a header, as over all bins with soundings."""
        keys = {}
        filled = {at: b for at, b in pfm.summary.items() if b["validity"] & 1024}
        some = {at: b for at, b in pfm.summary.items() if b["count"]}
        for which, pick in (("MIN", min), ("MAX", max)):
            for of, i, name in ((filled, 1 if pick is min else 2, "FILTERED "),
                                (filled, 4 if pick is min else 5, "")):
                at = pick(sorted(of), key=lambda at: of[at]["depths"][i])
                keys["%s %sDEPTH" % (which, name)] = "%f" % of[at]["depths"][i]
                keys["%s %sCOORD" % (which, name)] = "%d,%d" % (at[1], at[0])
            at = pick(sorted(some), key=lambda at: some[at]["count"])
            keys["%sIMUM BIN COUNT" % which] = str(some[at]["count"])
            keys["%s COUNT COORD" % which] = "%d,%d" % (at[1], at[0])
            keys["%s STANDARD DEVIATION" % which] = "%f" % pick(
                b["std"] for b in filled.values())
        return keys

    def test_extremes_of_the_header(self):
        pfm = self.made()
        keys = self.extremes(pfm)
        pfm.keys.update(keys)
        self.good_out("--verify", pfm.save().path)
        for key, text in keys.items():
            place = "COORD" in key
            pfm = self.made()
            pfm.keys.update(keys)
            pfm.keys[key] = "0,0" if place else str(float(text) + 1.5)
            self.wrong(pfm.save(), "header says",
                       "least" if "MIN" in key else "greatest")
            pfm.keys[key] = "%d,0" % WIDTH if place else "-7"
            self.wrong(pfm.save(), "header says")

    # ---- the command line ----------------------------------------------------

    def test_refusals(self):
        path = self.made().save().path
        self.refused(self.pfminfo(path, "--csv", "-", "--xyz", "-"), "only one of")
        self.refused(self.pfminfo(path, "--all"), "--xyz")
        self.refused(self.pfminfo(path, "--grid", "-", "--xyz", "-"), "only one of")
        self.refused(self.pfminfo(path, "--geotiff", "-"), "--geotiff", "name a file")

    def test_a_pipe(self):
        """The command does not wait for it."""
        path = self.path("p.pfm")
        os.mkfifo(path)
        self.one_sentence(self.pfminfo(path), path, "no regular file")

    def test_what_cannot_be_written(self):
        path = self.made().save().path
        for option in ("--json", "--csv", "--xyz", "--grid", "--geotiff"):
            done = self.pfminfo(path, option, self.path("no", "such"))
            self.one_sentence(done, "cannot be written", "No such file")
            self.assertEqual((done.status, done.out), (1, ""), done)
            if os.path.exists("/dev/full"):
                done = self.pfminfo(path, option, "/dev/full")
                self.one_sentence(done, "cannot be written", "/dev/full")
                self.assertEqual((done.status, done.out), (1, ""), done)
                self.assertTrue(os.path.exists("/dev/full"))

    def test_no_grid_of_a_bad_pfm(self):
        pfm = self.made()
        pfm.summary[1, 3]["tail"] += 1
        for option in ("--grid", "--geotiff"):
            into = self.path("a" + option)
            done = self.pfminfo(pfm.save().path, "--verify", option, into)
            self.one_sentence(done, "ends here")
            self.assertFalse(os.path.exists(into))


for version in ("6.40", "7.00"):
    add(Pfminfo, "coverage_%s" % version, "coverage", version)
for which in ("real", "6.40", "7.00"):
    add(Pfminfo, "json_of_%s" % which, "as_json", which)
    add(Pfminfo, "bins_of_%s" % which, "bins", which)
    add(Pfminfo, "soundings_of_%s" % which, "soundings", which)
    add(Pfminfo, "grid_of_%s" % which, "averaged", which)
    add(Pfminfo, "geotiff_of_%s" % which, "geotiff", which)
    add(Pfminfo, "gdal_of_%s" % which, "gdal", which)

if __name__ == "__main__":
    main()
