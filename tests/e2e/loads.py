"""The common part of the tests of pfmload: its schemes, surveys to load, and the rules
for any right PFM."""
import collections
import os
import shutil
import tempfile

import pfm_reader
from e2e import Case, read_bytes

Scheme = collections.namedtuple("Scheme", "args ranks")

# All schemes that are built, with rank counts to try in turn. Tests run with all that
# are available; 0 ranks are without a launcher.
SCHEMES = {
    "serial": Scheme(("--scheme=serial",), (0, 1)),
    "per_sounding": Scheme(("--scheme=serial", "--library=per-sounding"), (1, 0)),
    "C": Scheme(("--scheme=C",), (4, 3, 6)),
    "D": Scheme(("--scheme=D",), (3, 5, 7)),
    "D_threaded": Scheme(("--scheme=D-threaded",), (5, 3, 4)),
    "E": Scheme(("--scheme=E",), (4, 3, 9)),
    "F": Scheme(("--scheme=F",), (3, 6, 5)),
    "G": Scheme(("--scheme=G",), (3, 5, 2)),
}
PARALLEL = [name for name in SCHEMES if SCHEMES[name].ranks[0] > 1]

MANUAL, FILTER, MODIFIED = 1, 2, 32
EPOCH = {"SOURCE_DATE_EPOCH": "1000000000"}


def data(handle, suffix):
    """Returns the bytes of one part of a PFM."""
    return pfm_reader.read_file(handle, suffix)


def parts(handle):
    """Returns {suffix: bytes} of the parts that must be the same, whatever made
    them."""
    names = os.listdir(handle + ".data")
    return {suffix: data(handle, suffix) for suffix in (".bin", ".ndx", ".cvg")
            if os.path.basename(handle) + suffix in names}


def statistics(pfm):
    """Returns {bin: its fields}, without the places of its blocks."""
    return {place: {name: value for name, value in found.items()
                    if name not in ("first", "last")}
            for place, (found, _) in pfm.bins.items()}


def header(handle, without=()):
    """Returns lines of the .bin's text, without those of these keys."""
    text = data(handle, ".bin")[:pfm_reader.HEADER].split(b"\0", 1)[0].decode()
    return [line for line in text.split("\n")
            if not any(line.startswith("[%s]" % key) for key in without)]


def contents(folder):
    """Returns {name: bytes} of all files in a folder; for folders b"/"."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(at, name), folder)] = b"/"
        for name in files:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = read_bytes(path)
    return found


class Loads(Case):
    LIMIT = 60

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(dir=os.environ["LEADLINE_TMP"])
        cls.surveys = {}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def survey(self, files=4, pings=30, beams=61, *args):
        """Returns the paths of a survey's lines, which is made once."""
        key = (files, pings, beams) + args
        if key not in self.surveys:
            folder = tempfile.mkdtemp(dir=self.shared)
            done = self.run_program("gsfgen", "--files=%d" % files,
                                    "--pings=%d" % pings, "--beams=%d" % beams,
                                    "--truth", "--quiet", *args, np=0, json=False,
                                    dir=folder)
            self.assertEqual(done.status, 0, done)
            self.surveys[key] = [os.path.join(folder, "line-%04d.gsf" % (i + 1))
                                 for i in range(files)]
        return self.surveys[key]

    # ---- loading -------------------------------------------------------------

    def pfmload(self, *args, np=0, env=None, **how):
        """Loads into o.pfm, unless `args` says otherwise."""
        return self.run_program("pfmload", "--quiet", "--output=o.pfm", *args, np=np,
                                env=dict(EPOCH, **(env or {})), **how)

    def loaded(self, *args, **how):
        """Returns the handle of a good PFM, with no other files beside it."""
        done = self.pfmload(*args, **how)
        self.good(done, ("o.pfm", "o.pfm.data"))
        self.done = done
        return os.path.join(done.dir, "o.pfm")

    def by(self, scheme, *args, turn=0, **how):
        """Loads by a scheme, with one of its rank counts."""
        args_of, ranks = SCHEMES[scheme]
        return self.loaded(*args_of, *args, np=ranks[turn % len(ranks)], **how)

    # ---- judging -------------------------------------------------------------

    def verified(self, handle):
        """The program for looking at PFMs verifies it."""
        done = self.run_program("pfminfo", "--verify", handle, np=0, dir=False,
                                json=False)
        self.assertEqual((done.status, done.err), (0, ""), done)
        self.assertIn("all chains, all bins", done.out)

    def read(self, handle):
        """A reader made from the format's description only reads it: chains are right,
        and every block is in one."""
        pfm = pfm_reader.load(handle)
        self.assertEqual(pfm.unused_blocks, 0)
        covered = {divmod(i, pfm.width) for i, byte in enumerate(pfm.coverage())
                   if byte}
        self.assertEqual(covered, set(pfm.bins))
        return pfm

    def same_bytes(self, handle, other):
        """Two PFMs are equal, except for the places of inputs in their side files."""
        mine, theirs = parts(handle), parts(other)
        self.assertEqual(sorted(mine), sorted(theirs))
        self.assertEqual(header(handle), header(other))
        for suffix in mine:
            self.assertTrue(mine[suffix] == theirs[suffix], suffix + " differs")

    def same_contents(self, handle, other):
        """Two PFMs are equal; blocks may be anywhere, and soundings of a bin in any
        order."""
        mine, theirs = self.read(handle), self.read(other)
        self.assertEqual(header(handle), header(other))
        self.assertTrue(mine.soundings() == theirs.soundings(), "soundings differ")
        self.assertTrue(statistics(mine) == statistics(theirs), "summaries differ")
        self.assertTrue(mine.coverage() == theirs.coverage(), "coverage maps differ")

    def left_alone(self, done, folder, before, *parts_of_it, status=1):
        """The load is refused, and the folder is as it was."""
        self.assertEqual((done.status, len(done.said)), (status, 1), done)
        for part in parts_of_it:
            self.assertIn(part, done.said[0])
        now = contents(folder)
        self.assertEqual(sorted(now), sorted(before))
        self.assertTrue(now == before, "files have changed")

    # ---- one survey, loaded many times ---------------------------------------

    references = {}

    def reference(self, *args):
        """Returns one rank's PFM of the survey, in the canonical order."""
        if args not in self.references:
            handle = self.loaded("--scheme=serial", "--canonical", *args,
                                 *self.survey())
            kept = os.path.join(self.shared, "r%d" % len(self.references), "o.pfm")
            os.mkdir(os.path.dirname(kept))
            shutil.move(handle, kept)
            shutil.move(handle + ".data", kept + ".data")
            self.references[args] = kept
        return self.references[args]
