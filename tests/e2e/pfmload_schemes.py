#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""pfmload: the same PFM by every scheme, in every form, on any number of ranks, and by
every way of writing."""
import os

from e2e import ASYNCHRONOUS, METHODS, add, main
from loads import PARALLEL, SCHEMES, Loads

# Soundings of a block, and the version of the format.
FORMS = [(1, "7.00"), (6, "6.40"), (6, "7.00"), (12, "6.40")]


class PfmloadSchemes(Loads):
    def form(self, scheme, turn):
        """A form of PFM and a rank count: canonical schemes make the same bytes, others
        the same contents."""
        length, version = FORMS[turn % len(FORMS)]
        args = ("--record-length=%d" % length, "--pfm-version=" + version)
        known = self.reference(*args)
        handle = self.by(scheme, "--canonical", *args, *self.survey(), turn=turn)
        self.same_bytes(handle, known)
        self.verified(handle)
        handle = self.by(scheme, *args, *self.survey(), turn=turn)
        self.same_contents(handle, known)
        self.verified(handle)

    def way(self, scheme, np, launcher, *args):
        """Another way of writing makes the same bytes."""
        handle = self.loaded(*SCHEMES[scheme].args, "--canonical", *args,
                             *self.survey(), np=np, launcher=launcher)
        self.same_bytes(handle, self.reference())

    def spills(self, scheme):
        """Soundings do not fit into memory: they go to scratch files, and come back."""
        lines = self.survey(3, 300, 201)
        args = ("--canonical", "--no-verify", "--cache=keep")
        known = self.loaded("--scheme=serial", *args, *lines)
        handle = self.by(scheme, "--memory=1M", *args, *lines)
        self.same_bytes(handle, known)

    def spills_directly(self, scheme, *options):
        """They bypass the page cache, by engines with many transfers in flight."""
        lines = self.survey(3, 300, 201)
        args = ("--canonical", "--no-verify")
        done = self.pfmload(*SCHEMES[scheme].args, "--memory=1M", "--cache=direct",
                            *args, *options, *lines, np=SCHEMES[scheme].ranks[0])
        if "no direct I/O" in done.err or "needs a device" in done.err:
            self.skipTest("no direct I/O here")
        self.good(done, ("o.pfm", "o.pfm.data"))
        handle = os.path.join(done.dir, "o.pfm")
        self.same_bytes(handle, self.loaded("--scheme=serial", "--cache=keep", *args,
                                            *lines))

    def test_repetitions(self):
        """The last one stays."""
        handle = self.by("G", "--repeat=2", *self.survey())
        self.same_bytes(handle, self.reference())

    def no_io(self, scheme):
        done = self.pfmload(*SCHEMES[scheme].args, "--iomode=NONE", *self.survey(),
                            np=SCHEMES[scheme].ranks[0])
        self.good(done)

    def no_io_spills(self, scheme):
        """Scratch files are no part of the PFM."""
        done = self.pfmload(*SCHEMES[scheme].args, "--iomode=NONE", "--memory=1M",
                            *self.survey(3, 300, 201),
                            np=SCHEMES[scheme].ranks[0])
        self.good(done)

    def little(self, scheme):
        """Only the used part of --memory is touched, also without a scan."""
        args, ranks = SCHEMES[scheme]
        self.loaded(*args, "--bounds=-88.01,29.99,-87.98,30.02", "--depths=0,500",
                    "--memory=900M", *self.survey(), np=ranks[0])
        figures = {f["name"]: f["median"] for f in self.done.report["figures"]}
        self.assertLess(figures["memory_B"], 300e6)

    def test_memory_of_a_node(self):
        """By default a node's ranks together take half of the free memory at most; a
        request for more than exists is refused, with the option."""
        with open("/proc/meminfo") as f:
            total = 1024 * next(int(line.split()[1]) for line in f
                                if line.startswith("MemTotal"))
        done = self.pfmload("--memory=%d" % total, *self.survey(), np=3)
        self.failed(done, "3 ranks on this node need", "--memory (-m)")
        self.assertLessEqual(self.default_memory(8), total // 2 // 8)
        self.assertLessEqual(self.default_memory(1), 512 << 20)

    def default_memory(self, np):
        self.loaded("--no-verify", "--scheme=G", *self.survey(), np=np)
        return self.done.report["options"]["memory"]["value"]

    def test_scratch_folder(self):
        folder = self.path("scratch")
        os.mkdir(folder)
        self.loaded("--memory=1M", "--scratch-dir=" + folder, "--no-verify",
                    "--cache=keep", *self.survey(3, 300, 201))
        self.assertEqual(os.listdir(folder), [])


for i, name in enumerate(SCHEMES):
    for turn in (i, i + 2) if name in PARALLEL else range(len(FORMS)):
        add(PfmloadSchemes, "%s_%d" % (name, turn), "form", name, turn)
    add(PfmloadSchemes, "little_memory_is_touched_by_" + name, "little", name)
    if name != "per_sounding":
        add(PfmloadSchemes, "spills_by_" + name, "spills", name)
for name, options in (("serial", ("uring", "ASYNC")), ("F", ("posix", "SYNC")),
                      ("G", ("uring", "SYNC"))):
    if options[0] in (*ASYNCHRONOUS, "posix"):
        add(PfmloadSchemes, "spills_directly_by_" + name, "spills_directly", name,
            "--iomethod=" + options[0], "--iomode=" + options[1])
for name in ("serial", "F", "G"):
    add(PfmloadSchemes, "no_io_by_" + name, "no_io", name)
    add(PfmloadSchemes, "no_io_spills_by_" + name, "no_io_spills", name)
for name, method, launcher in METHODS[1:]:
    ways = {"": (), "_collective": ("--collective",),
            "_few": ("--collective", "--io-ranks=2")}
    for way, args in ways.items():
        add(PfmloadSchemes, "G_by_" + name + way, "way", "G", 4, launcher, *method,
            *args)
    for scheme in ("C", "F"):
        add(PfmloadSchemes, scheme + "_by_" + name, "way", scheme, 3, launcher, *method)
add(PfmloadSchemes, "G_few", "way", "G", 5, (), "--io-ranks=2")
for scheme in ("serial", "F", "G"):
    add(PfmloadSchemes, scheme + "_async", "way", scheme, SCHEMES[scheme].ranks[0], (),
        "--iomode=ASYNC")
for name in ASYNCHRONOUS:
    add(PfmloadSchemes, "G_by_" + name, "way", "G", 3, (), "--iomethod=" + name)
    add(PfmloadSchemes, "G_async_by_" + name, "way", "G", 3, (), "--iomethod=" + name,
        "--iomode=ASYNC")
    add(PfmloadSchemes, "D_threaded_by_" + name, "way", "D_threaded", 3, (),
        "--iomethod=" + name)

if __name__ == "__main__":
    main()
