#!/usr/bin/env python3
# limit: 600; tier: quick ci
"""Full mode: dC depends on NPIX and NBIN alone, however the data are moved and
stored."""
import itertools

from e2e import HAVE_SCALAPACK, HDF5, METHODS, Case, add, main, total

# dC[0] of MADbench2, by NPIX and NBIN.
REFERENCE = {(64, 2): -8.982593033718e-01, (256, 4): -9.325234698007e-01,
             (256, 8): -9.518041028966e-01, (512, 8): -9.393556010272e-01}
LAST_LINE = {(64, 2): "dC[0] = -8.982593033718e-01",
             (256, 4): "dC[0] = -9.325234698007e-01"}


class Answers(Case):
    LIMIT = 120

    def answers(self, npix, nbin, np, args=(), options=(), launcher=()):
        done = self.madbench(str(npix), str(nbin), *args, *options, np=np,
                             launcher=launcher)
        report = self.good(done)
        dc = report["results"]["dC"]
        expected = REFERENCE[npix, nbin]
        self.assertEqual(len(dc), nbin)
        self.assertLess(abs(dc[0] / expected - 1), 1e-9)
        self.assertEqual(report["mpi"]["ranks"], np)
        self.assertGreater(report["checks"]["blocks_checked"], 0)
        self.assertEqual(report["checks"]["blocks_bad"], 0)
        last = done.out.splitlines()[-1]
        self.assertRegex(last, r"^dC\[0\] = -\d\.\d{12}e-01$")
        self.assertAlmostEqual(float(last.split()[-1]), dc[0], places=12)
        if (npix, nbin) in LAST_LINE:
            self.assertEqual(last, LAST_LINE[npix, nbin])
        return report

    def test_whole_vector_does_not_depend_on_anything(self):
        one = self.answers(64, 2, 1)["results"]["dC"]
        many = self.answers(64, 2, 4, ("2", "8", "64"),
                            ("--filetype=SHARED", "--iomethod=MPI"))["results"]["dC"]
        for a, b in zip(one, many):
            self.assertLess(abs(a / b - 1), 1e-9)

    def test_phase_c_reads_pairs(self):
        """It reads NBIN (NBIN + 1) / 2 matrices, each from the device."""
        report = self.answers(256, 4, 2)
        self.assertEqual(total(report, "read", phase="C"), 8 * 256 * 256 * 10)
        self.assertEqual(total(report, "read", phase="W"), 8 * 256 * 256 * 4)
        self.assertEqual(total(report, "write", phase="S"), 8 * 256 * 256 * 4)
        self.assertEqual(report["checks"]["blocks_checked"], 2 * (10 + 4))

    def test_gates(self):
        self.answers(64, 2, 4, ("1", "16", "4096", "2", "4"))

    def test_gates_with_a_smaller_last_group(self):
        self.answers(64, 2, 3, ("1", "16", "4096", "2", "2"))

    def test_repetitions(self):
        report = self.answers(64, 2, 2, options=("--repeat=2",))
        self.assertEqual(max(s["rep"] for s in report["samples"]), 2)


class Absent(Case):
    def test_full_mode_is_refused(self):
        self.refused(self.madbench("64", "2"), "ScaLAPACK", "--io-only")


# Each pair of these settings occurs at least once, without all of their products.
RANKS = {1: ((64, 2), 1), 2: ((256, 4), 2), 3: ((64, 2), 1), 4: ((256, 8), 2),
         6: ((256, 4), 2), 8: ((64, 2), 1)}


def add_all():
    kinds = list(itertools.product(METHODS + HDF5, ("UNIQUE", "SHARED")))
    for i, (np, (size, gangs)) in enumerate(RANKS.items()):
        for (name, method, launcher), filetype in kinds[i % 2::2] if np > 4 else kinds:
            remap = ("CUSTOM", "SCALAPACK")[i % 2]
            add(Answers, "np%d_%s_%s_%d_gangs_%s" % (np, name, filetype, gangs, remap),
                "answers", *size, np, (str(gangs),),
                (*method, "--filetype=" + filetype, "--remap=" + remap), launcher)
    for name, method, launcher in METHODS[1:] + HDF5:
        add(Answers, "np4_%s_collective_4_gangs" % name, "answers", 256, 4, 4, ("4",),
            (*method, "--filetype=SHARED", "--collective", "--hint=cb_nodes=1"),
            launcher)
    for remap in ("CUSTOM", "SCALAPACK"):
        add(Answers, "np8_4_gangs_" + remap, "answers", 256, 4, 8, ("4",),
            ("--remap=" + remap, "--filetype=SHARED"))
    add(Answers, "np2_512_pixels", "answers", 512, 8, 2)


if HAVE_SCALAPACK:
    add_all()
    del Absent
else:
    del Answers

if __name__ == "__main__":
    main()
