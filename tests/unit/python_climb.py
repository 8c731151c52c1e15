#!/usr/bin/env python3
# mpi: any
"""leadline calibrate --saturate: how far each engine climbs, and the result."""
import os
import unittest
from collections import OrderedDict

from tap import main

from leadline.base.errors import LeadlineError
from leadline.judge import climb

ENGINES = OrderedDict([("posix", False), ("uring", True)])


def rates(engine, asynchronous, at_once):
    """Returns rates: posix gives 10 a thread up to 4, uring 20 up to 8; reads twice
    that."""
    value = 20.0 * min(at_once, 8) if asynchronous else 10.0 * min(at_once, 4)
    return {"write_MBps": {"reps": [value] * 3},
            "read_MBps": {"reps": [2 * value] * 3}}


class Climb(unittest.TestCase):
    def test_each_climbs_until_two_doublings_gain_nothing(self):
        steps = climb.climb(ENGINES, 64, rates)
        of = {name: [s.at_once for s in steps if s.engine == name] for name in ENGINES}
        self.assertEqual(of, {"posix": [1, 2, 4, 8, 16], "uring": [1, 2, 4, 8, 16, 32]})
        self.assertEqual([s.engine for s in steps[:3]], ["posix", "uring", "posix"])

    def test_one_doubling_without_a_gain_is_none(self):
        def dips(engine, asynchronous, at_once):
            value = 10.0 if at_once == 2 else 10.0 * at_once
            return {"write_MBps": {"reps": [value]}, "read_MBps": {"reps": [value]}}
        steps = climb.climb(OrderedDict([("posix", False)]), 16, dips)
        self.assertEqual([s.at_once for s in steps], [1, 2, 4, 8, 16])

    def test_the_least_that_comes_near(self):
        steps = climb.climb(ENGINES, 64, rates)
        step, best = climb.knee(steps, "read_MBps")
        self.assertEqual((step.engine, step.at_once, best), ("uring", 8, 320.0))
        self.assertIn("write: uring with 8 in flight on each of 2 ranks reaches 160",
                      climb.show(steps, 2))
        self.assertIn("gains 10 %", climb.sentence(steps, "read_MBps", 2))

    def test_what_was_chosen_is_measured_again(self):
        """The steps are too high by chance, later measurements are not."""
        steps, asked = climb.climb(ENGINES, 64, rates), []

        def later(*step):
            asked.append(step)
            return {"write_MBps": {"reps": [140.0] * 6},
                    "read_MBps": {"reps": [300.0] * 5}}
        again = climb.measure_again(ENGINES, steps, later)
        self.assertEqual(asked, [("uring", True, 8)])
        self.assertIn("reaches 140 MB/s [140, 140], measured again after it was chosen",
                      climb.sentence(steps, "write_MBps", 2, again))
        self.assertIn("reaches 300 MB/s, measured again", climb.show(steps, 2, again))
        self.assertIn("160 MB/s in the runs by which it was chosen, which favours a",
                      climb.show(steps, 2))
        made = climb.figures(again, "saturated")
        self.assertEqual([row["name"] for row in made], [
            "saturated.uring.at8.write_MBps", "saturated.uring.at8.read_MBps"])
        values = {row["name"]: row["reps"] for row in made}
        self.assertEqual(climb.steps(values), [])
        self.assertEqual(climb.steps(values, climb.AGAIN), again)

    def test_each_rate_may_have_its_own_choice(self):
        steps = [climb.Step("posix", 1, {"write_MBps": {"reps": [9.0]},
                                         "read_MBps": {"reps": [1.0]}}),
                 climb.Step("uring", 1, {"write_MBps": {"reps": [1.0]},
                                         "read_MBps": {"reps": [9.0]}})]
        again = climb.measure_again(ENGINES, steps, rates)
        self.assertEqual([(s.engine, list(s.figures)) for s in again], [
            ("posix", ["write_MBps"]), ("uring", ["read_MBps"])])

    def test_an_engine_that_stores_nothing_is_refused(self):
        program = os.path.join(os.environ.get("top_builddir", "."), "blocktransfer")
        for method in ("null", "null:delay_us=5"):
            with self.assertRaisesRegex(LeadlineError, "=null stores nothing"):
                climb.check_engine(program, method)
        climb.check_engine(program, "posix")

    def test_the_top_is_no_saturation(self):
        steps = climb.climb(ENGINES, 4, rates)
        self.assertIn("there may be more", climb.sentence(steps, "write_MBps", 1))

    def test_what_gave_no_rate_is_no_step(self):
        steps = climb.climb(ENGINES, 2, lambda *_: {"read_MBps": {"reps": [None]}})
        self.assertIsNone(climb.knee(steps, "read_MBps"))
        self.assertEqual(climb.figures(steps), [])
        self.assertIn("uring", climb.show(steps, 1))

    def test_a_rank_moves_as_much_with_more_threads(self):
        self.assertEqual(climb.options(False, 4, 4096), ["1024", "--threads=4"])
        self.assertEqual(climb.options(True, 4, 4096), ["4096", "--depth=4"])

    def test_engines_that_move_a_plain_file(self):
        program = os.path.join(os.environ.get("top_builddir", "."), "blocktransfer")
        found = climb.engines(program, False)
        self.assertFalse(found["posix"])
        self.assertTrue(found["threads"])
        self.assertFalse({"null", "part", "hdf5", "mpiio"} & set(found))
        self.assertNotIn("mmap", climb.engines(program, True))


if __name__ == "__main__":
    main()
