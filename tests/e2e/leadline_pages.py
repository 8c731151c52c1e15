#!/usr/bin/env python3
# mpi: any; limit: 600; tier: quick ci
"""The pages of whole sweeps in a real browser, if there is one: on a phone, a tablet
and a large screen nothing is cut, nothing overlaps, and all texts can be read."""
import os
import subprocess
import unittest

from e2e import BUILD, Case, long, main, write_file
from browser import BROWSER, look
from in_rig import unless_quick

import fake_pages

WIDTHS = (360, 390, 900, 1600)


@unittest.skipUnless(BROWSER, "there is no Chromium")
class Pages(Case):
    LIMIT = 120

    def page(self, name):
        folder = self.path(name)
        fake_pages.make(name, folder)
        path = self.path(name + ".html")
        subprocess.check_call([os.path.join(BUILD, "python", "leadline", "leadline"),
                               "report", folder, "-o", path])
        return path

    def readable(self, name, widths=WIDTHS, pictures=6):
        path = self.page(name)
        for width in widths:
            found = look(self, path, width)
            for what in ("faults", "small", "scrolled"):
                self.assertEqual(found[what], [], "%s, %d pixels" % (name, width))
            self.assertGreaterEqual(found["pictures"], pictures)
            self.assertGreater(found["texts"], 60)

    def test_the_look_sees_faults(self):
        """It holds on a phone, too: the frame is as narrow as requested."""
        path = self.path("page.html")
        write_file(path, '<html><head><meta http-equiv="Content-Security-Policy">\n'
                   '</head><body style="margin: 0"><div class="wide" style="'
                   'overflow: auto"><p style="width: 380px">broad</p></div>'
                   '<svg class="chart" viewBox="0 0 780 50" style="width: 100%">'
                   '<title>fine print</title><text x="9" y="20">a</text></svg>'
                   '</body></html>')
        found = look(self, path, 360)
        self.assertEqual((found["scrolled"], found["small"]),
                         (["wide: broad"], ["fine print: 5.5"]))
        self.assertEqual(look(self, path, 390)["scrolled"], [])

    def test_4_configurations(self):
        self.readable("few", (390,))

    @long
    def test_27_configurations(self):
        self.readable("medium")

    @long
    def test_64_configurations(self):
        self.readable("study", pictures=30)

    @long
    def test_cells_that_are_missing(self):
        self.readable("holes")

    @long
    def test_500_configurations(self):
        self.readable("huge", (390, 1600), 30)

    @long
    def test_256_ranks(self):
        self.readable("many_ranks")

    @long
    def test_several_programs(self):
        self.readable("archive")

    @long
    def test_programs_side_by_side(self):
        self.readable("tools", pictures=3)

    @long
    def test_two_systems(self):
        self.readable("systems")


if __name__ == "__main__":
    unless_quick()
    main()
