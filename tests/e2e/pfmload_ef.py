#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""pfmload's schemes E and F: the same PFM as of one process, each block of it written
once, and an end with one sentence if a file is damaged or space runs out."""
import glob
import os
import shutil
import subprocess
import tempfile

from e2e import Case, add, main, read_bytes, total

HEADER = 131072
EPOCH = {"SOURCE_DATE_EPOCH": "1700000000"}
KINDS = ("bin", "ndx", "cvg")


def contents(folder, name, kind):
    path = os.path.join(folder, name + ".pfm.data", "%s.pfm.%s" % (name, kind))
    return read_bytes(path)


def chains(folder, name):
    """Returns all chains of a PFM, as lists of bytes in the .ndx, by the bins' own
    records."""
    records, blocks = (contents(folder, name, kind) for kind in ("bin", "ndx"))
    head = dict(line.strip("[\n").split("] = ") for line in
                records[:HEADER].decode().rstrip("\0").splitlines() if "] = " in line)
    bits = {key[:-5]: int(value) for key, value in head.items() if key[-5:] == " BITS"}
    length, pointer = int(head["RECORD LENGTH"]), bits["RECORD POINTER"]
    sounding = sum(bits[key] for key in (
        "FILE NUMBER", "LINE NUMBER", "PING NUMBER", "BEAM NUMBER", "DEPTH",
        "VALIDITY")) + 2 * bits["OFFSET"]
    size = (length * sounding + pointer + 7) // 8
    valid = bits["COUNT"] if "V7" in head["VERSION"] else 0
    before = (bits["COUNT"] + bits["STD"] + 6 * bits["DEPTH"] + valid +
              bits["VALIDITY"])
    step = (before + 2 * pointer + 7) // 8

    def field(data, at, n):
        return int.from_bytes(data, "big") >> (8 * len(data) - at - n) & (1 << n) - 1

    def full(block):
        """Returns True if its last place is taken: beams begin with 1."""
        beam = bits["FILE NUMBER"] + bits["LINE NUMBER"] + bits["PING NUMBER"]
        return field(block, (length - 1) * sounding + beam, bits["BEAM NUMBER"]) > 0

    found = []
    for at in range(HEADER, HEADER + step * int(head["BIN WIDTH"]) *
                    int(head["BIN HEIGHT"]), step):
        record = records[at:at + step]
        count = field(record, 0, bits["COUNT"])
        if not count:
            continue
        where, chain = field(record, before, pointer), []
        for left in range(count, 0, -length):
            chain.append(where)
            block = blocks[where:where + size]
            assert full(block) == (left >= length), (at, where)
            last, where = where, field(block, length * sounding, pointer)
            assert (where == 0) == (left <= length), "ends early or late"
        assert last == field(record, before + pointer, pointer), "another end"
        found.append(chain)
    return found, size, len(blocks)


class SchemesEF(Case):
    @classmethod
    def setUpClass(cls):
        cls.survey = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
        cls.addClassCleanup(shutil.rmtree, cls.survey)
        subprocess.check_call(["gsfgen", "--files=5", "--pings=60", "--beams=61", "-q",
                               "--dir", cls.survey])
        cls.files = sorted(glob.glob(cls.survey + "/*.gsf"))
        cls.serial = {}

    def load(self, scheme, *options, np, files=None, **more):
        return self.run_program("pfmload", "-s", scheme, "-o", scheme + ".pfm", "-q",
                                *options, *(files or self.files), np=np,
                                env=dict(EPOCH, **more.pop("env", {})), **more)

    def loaded(self, scheme, *options, np):
        done = self.load(scheme, *options, np=np)
        report = self.good(done, [scheme + ".pfm", scheme + ".pfm.data"])
        return done, report

    def by_one(self, *options):
        """Returns one process's PFM of the survey."""
        if options not in self.serial:
            done, _ = self.loaded("serial", *options, "--canonical", np=0)
            self.serial[options] = {kind: contents(done.dir, "serial", kind)
                                    for kind in KINDS if kind != "cvg" or
                                    "--pfm-version=6.40" not in options}
        return self.serial[options]

    def same(self, scheme, np, *options):
        """With --canonical they are equal byte for byte."""
        done, _ = self.loaded(scheme, "--canonical", *options, np=np)
        for kind, bytes_ in self.by_one(*options).items():
            self.assertTrue(contents(done.dir, scheme, kind) == bytes_, kind)

    def once(self, scheme, np, *options):
        """Without it, chains use each block once, the load writes little more than the
        final size, and bins have the same summaries."""
        done, report = self.loaded(scheme, *options, np=np)
        found, size, bytes_ = chains(done.dir, scheme)
        used = sorted(block for chain in found for block in chain)
        self.assertEqual(used, list(range(0, bytes_, size)))
        all_bytes = sum(len(contents(done.dir, scheme, kind)) for kind in KINDS)
        written = total(report, "write", phase="load")
        if "--memory=1M" not in options:  # scratch files count, too
            self.assertLessEqual(written, 1.02 * all_bytes)
        self.assertGreaterEqual(written, bytes_)
        one = self.by_one(*options)
        self.assertEqual(len(one["ndx"]), bytes_)
        self.assertTrue(one["cvg"] == contents(done.dir, scheme, "cvg"))
        if scheme == "F":  # blocks of a bin are consecutive in both
            self.assertTrue(one["bin"] == contents(done.dir, scheme, "bin"))

    def damaged(self, scheme):
        bad = self.path("bad.gsf")
        shutil.copy(self.files[2], bad)
        os.truncate(bad, os.path.getsize(bad) // 2 + 1)
        bounds = ("--bounds=-89,29.9,-87.9,30.1", "--depths=0,300", "-b", "200")
        done = self.load(scheme, *bounds, np=4, files=self.files[:2] + [bad])
        self.failed(done, "bad.gsf")

    def full(self, scheme, what, *options):
        """There is no space for one of the PFM's files, or for a scratch file."""
        done = self.load(scheme, *options, np=4, env={
            "PRELOAD": os.path.join(os.environ["top_builddir"], "tests",
                                    "fault_shim.so"),
            "FAULT": "write:ENOSPC:1", "FAULT_FILE": what})
        self.failed(done, "No space left")

    def test_too_little_memory(self):
        done = self.load("E", "-b", "2", "--memory=1M", np=3)
        self.failed(done, "scheme E keeps", "use F, or raise --memory")
        self.loaded("F", "-b", "2", "--memory=1M", np=3)


for scheme in "EF":
    for np, options in ((3, ()), (4, ("--record-length=1", "--memory=1M")),
                        (6, ("--record-length=12", "--pfm-version=6.40", "-b", "40"))):
        add(SchemesEF, "same_%s_%d" % (scheme, np), "same", scheme, np, *options)
    for np, options in ((3, ("--record-length=1",)), (4, ()),
                        (5, ("--memory=1M", "-b", "12"))):
        add(SchemesEF, "once_%s_%d" % (scheme, np), "once", scheme, np, *options)
    add(SchemesEF, "damaged_file_" + scheme, "damaged", scheme)
    add(SchemesEF, "no_space_" + scheme, "full", scheme, ".pfm.ndx")
    add(SchemesEF, "no_space_for_leftovers_" + scheme, "full", scheme, ".left.",
        "--memory=1M", "--record-length=100", "-b", "12")
add(SchemesEF, "no_space_for_packets", "full", "F", ".runs.", "--memory=1M",
    "--record-length=1")

if __name__ == "__main__":
    main()
