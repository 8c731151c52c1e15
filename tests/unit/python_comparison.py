#!/usr/bin/env python3
# mpi: any
"""Reports of runs that compared their arms: taken apart, judged, and searched for a
rhythm, an effect of the place and of what ran before."""
import json
import math
import os
import random

from tap import main

from fake_report import report, save
from leadline_case import LeadlineCase, leadline
from leadline.base import stats
from leadline.base.errors import LeadlineError
from leadline.judge import compare, summary
from leadline.page import pictures_time
from leadline.results import comparison, groups, rhythm, schema
from leadline.results import report as reports

ARMS = [{"name": "unique", "settings": {"filetype": "unique"}, "failed": None},
        {"name": "shared", "settings": {"filetype": "shared"}, "failed": None}]


def drawn(rng, arms, rounds):
    return [rng.sample(range(arms), arms) for _ in range(rounds + 1)]


def tree_of(speed, rounds=24, seed=3, arms=ARMS, bytes_=1000000, run_id="r1"):
    """Returns a report. speed(arm, number of the repetition, its neighbour before):
    MB/s."""
    order = drawn(random.Random(seed), len(arms), rounds)
    found = [[None] * rounds for _ in arms]
    starts, ends, clock, before = [], [], 0.0, None
    for i, row in enumerate(order):
        starts.append([])
        ends.append([])
        for k, arm in enumerate(row):
            rate = speed(arm, i * len(arms) + k, before)
            starts[-1].append(clock)
            clock += bytes_ / 1e6 / rate
            ends[-1].append(clock)
            before = arm
            if i:
                found[arm][i - 1] = rate
    tree = report({"write_MBps": found[0]}, options={"filetype": "UNIQUE"})
    tree["run"].update(id=run_id, series=None, start_utc="2026-11-20T10:00:00.000Z")
    first = tree["figures"][0]
    tree["figures"] = [dict(first, arm=a, reps=found[a]) for a in range(len(arms))]
    tree["samples"] = [{"arm": arm, "rep": i, "phase": "W", "act": "write",
                        "max_s": 1.0, "start_s": starts[i][k]}
                       for i, row in enumerate(order) for k, arm in enumerate(row)]
    tree["comparison"] = {
        "factors": [], "arms": arms, "seed": seed, "rounds": rounds,
        "ended_by": "rounds", "order": order, "start_s": starts, "end_s": ends,
        "bytes": [[bytes_] * len(arms) for _ in order], "ratios": []}
    return tree


def noisy(rng, spread=0.02, gain=1.0):
    return lambda arm, i, before: 100.0 * math.exp(rng.gauss(0, spread)) * (
        gain if arm else 1.0)


class Apart(LeadlineCase):
    def collected(self, *trees):
        for i, tree in enumerate(trees):
            save(self.dir, "c%d.json" % i, tree)
        return groups.collect([self.dir])

    def test_runs(self):
        tree = tree_of(noisy(random.Random(1)))
        tree["figures"][1]["reps"][4] = None
        found = self.collected(tree).groups
        self.assertEqual([g.name for g in found], ["unique", "shared"])
        self.assertEqual([len(g.reports) for g in found], [24, 23])
        self.assertEqual([g.first.options["filetype"]["value"] for g in found],
                         ["UNIQUE", "SHARED"])
        for arm, group in enumerate(found):
            for one in group.reports:
                row = tree["comparison"]["order"][one.round]
                self.assertEqual((one.series_id, row[one.turn]), ("r1", arm))
                self.assertEqual(one.figures[0].reps,
                                 [tree["figures"][arm]["reps"][one.round - 1]])
                self.assertEqual([s["start_s"] for s in one.samples], [0.0])
                self.assertEqual(one.samples[0]["rep"], 1)
        self.assertEqual(len(set(r.id for g in found for r in g.reports)), 47)
        self.assertEqual(sorted(r.start_utc for g in found for r in g.reports)[0][:19],
                         "2026-11-20T10:00:00")

    def test_values(self):
        for known, text, wanted in (("UNIQUE", "shared", "SHARED"),
                                    (4096, "64k", 65536), (False, "yes", True),
                                    (True, "no", False),
                                    (None, "posix", "posix"), ("a", "b", "b"),
                                    (1, "x", "x"), (1, 2, 2)):
            self.assertEqual(comparison.like(known, text), wanted)

    def test_failed_arm(self):
        tree = tree_of(noisy(random.Random(1)))
        tree["comparison"]["arms"] = [ARMS[0], dict(ARMS[1], failed="no space")]
        tree["figures"][1]["reps"][2:] = [None] * 22
        found = self.collected(tree)
        self.assertEqual([len(g.reports) for g in found.groups], [24, 2])
        self.assertIn("shared failed and was left out from then on: no space",
                      found.left_out[0])

    def test_verdict_has_the_seed(self):
        tree = tree_of(noisy(random.Random(1), gain=1.1), seed=(1 << 64) - 5)
        some = self.collected(tree).groups
        found = compare.rows(some, some[0], ["write_MBps"])[1].comparison
        logs = [math.log(b / a) for a, b in zip(*(f["reps"] for f in tree["figures"]))]
        wanted = stats.ratio_of(stats.mean_estimate(logs, (1 << 64) - 5))
        self.assertEqual(found.ratio, wanted)
        self.assertEqual(found.verdict, "faster by 1.10x")

    def test_page(self):
        """It counts one run; and what would decide is not what was done already."""
        save(self.dir, "c.json", tree_of(noisy(random.Random(1), 3.0)))
        self.assertEqual(leadline("report", self.dir, "-o", self.path("c.html"))[0], 0)
        with open(self.path("c.html"), encoding="utf-8") as stream:
            head = stream.read().partition("</header>")[0]
        self.assertIn("<h1>No difference in writing shown between shared and unique (",
                      head)
        self.assertIn("48 repetitions of 2 configurations, 1 run, ", head)
        self.assertIn("n = 24 each", head)
        self.assertIn("would show 5 %: measure when nothing else runs", head)

    def test_copy(self):
        tree = tree_of(noisy(random.Random(1)))
        found = self.collected(tree, tree)
        self.assertEqual([len(g.reports) for g in found.groups], [24, 24])
        self.assertIn("2 copies of the report of run r1", found.left_out[0])

    def test_several_runs(self):
        """Two levels: the runs' own ratios differ by more than their rounds tell."""
        gains = (1.05, 1.20, 1.02, 1.10)
        trees = [tree_of(noisy(random.Random(i), 0.001, gain), seed=i, run_id="r%d" % i)
                 for i, gain in enumerate(gains)]
        trees[1]["io"] = dict.fromkeys(trees[1]["io"])   # the last arm's
        some = self.collected(*trees).groups
        self.assertEqual([len(g.reports) for g in some], [96, 96])
        found = compare.rows(some, some[0], ["write_MBps"])[1].comparison
        logs = [math.log(gain) for gain in gains]
        half = stats.t_quantile(0.975, 3) * math.sqrt(stats.variance(logs) / 4)
        self.assertAlmostEqual(found.ratio.centre, math.exp(stats.mean(logs)),
                               delta=1e-3)
        self.assertAlmostEqual(math.log(found.ratio.high / found.ratio.low), 2 * half,
                               delta=0.01 * half)
        text = " ".join(leadline("compare", self.dir)[1].split())
        self.assertIn("the rounds are of 4 runs", text)
        self.assertRegex(text, r"[0-9]+ more runs would show a difference of 5 %")
        one = summary.found(some)[0]
        self.assertEqual([g.name for g in one.best.alike], [some[0].name])
        effect = one.effects.effects[0].ratio
        self.assertAlmostEqual(math.log(effect.high / effect.low), 2 * half,
                               delta=0.01 * half)

    def test_one_run_is_named(self):
        self.collected(tree_of(noisy(random.Random(1))))
        self.assertIn("all rounds are of one run",
                      " ".join(leadline("compare", self.dir)[1].split()))

    def test_faults(self):
        tree = tree_of(noisy(random.Random(1)))
        self.assertEqual(schema.comparison_faults(tree), [])
        for change, words in (
                (lambda t: t["figures"][1].update(arm=2), "figures[1].arm"),
                (lambda t: t["samples"][3].pop("arm"), "samples[3].arm"),
                (lambda t: t["comparison"]["order"][2].append(0), "order[2]"),
                (lambda t: t["comparison"]["bytes"].pop(), "comparison.bytes"),
                (lambda t: t.pop("comparison"), "samples[0].rep")):
            bad = json.loads(json.dumps(tree))
            change(bad)
            self.assertIn(words, schema.comparison_faults(bad)[0])
        del tree["comparison"]["seed"]
        with self.assertRaisesRegex(Exception, "comparison.seed: it is missing"):
            reports.load(save(self.dir, "x.json", tree))

    def test_table_and_trend(self):
        self.collected(tree_of(noisy(random.Random(1))))
        table = os.path.join(self.dir, "t.csv")
        self.assertEqual(leadline("export", self.dir, "--output", table)[0], 0)
        with open(table) as stream:
            lines = stream.read().splitlines()
        self.assertEqual(len(lines), 1 + 48)

    def nights(self, change=0.9):
        """Saves twelve runs of 24 rounds; from the seventh on one arm is slower."""
        rng = random.Random(2)
        for i in range(12):
            tree = tree_of(noisy(rng, gain=change if i >= 6 else 1.0),
                           run_id="r%d" % i)
            tree["run"]["start_utc"] = "2026-11-%02dT10:00:00.000Z" % (i + 1)
            save(self.dir, "n%02d.json" % i, tree)

    def test_a_trend_has_one_point_for_each_run(self):
        """An arm's is the median of its rounds."""
        self.nights()
        found = json.loads(leadline("trend", self.dir, "--format=json")[1])["trends"]
        self.assertEqual([(t["configuration"], len(t["runs"]),
                           [s["run"] for s in t["steps"]]) for t in found],
                         [("madbench unique, 4 ranks", 12, []),
                          ("madbench shared, 4 ranks", 12, [7])])
        last = reports.load(os.path.join(self.dir, "n11.json"))
        self.assertEqual([t["runs"][-1]["value"] for t in found],
                         [stats.median(f.reps) for f in last.figures])

    def test_the_page_follows_runs(self):
        self.nights()
        made = pictures_time.history(groups.collect([self.dir]).groups)
        self.assertEqual([len(lines.series[0].points) for lines in made], [12, 12])

    def test_a_list_has_a_line_for_each_arm(self):
        self.nights()
        runs = json.loads(leadline("list", self.dir, "--format=json")[1])["runs"]
        self.assertEqual([r["configuration"] for r in runs], ["unique", "shared"] * 12)
        first = reports.load(os.path.join(self.dir, "n00.json"))
        self.assertEqual(runs[1]["figures"]["write_MBps"],
                         stats.median(first.figures[1].reps))

    def test_samples_stay_in_the_file(self):
        """One of many reports reads them again, and shares what is equal."""
        self.nights()
        some = groups.collect([self.dir]).groups[0].reports
        other = next(r for r in some if r.path != some[0].path)
        self.assertIs(some[0].options["npix"], other.options["npix"])
        self.assertEqual([s["rep"] for s in some[3].samples], [1])
        name = some[-1].path
        reports.samples_in.cache_clear()
        os.remove(name)
        with self.assertRaisesRegex(LeadlineError, "n11.json: cannot be read"):
            some[-1].samples


class Rhythm(LeadlineCase):
    def told(self, speed, rounds=24, seed=3, arms=ARMS):
        save(self.dir, "c.json", tree_of(speed, rounds, seed, arms))
        some = groups.collect([self.dir]).groups
        return "; ".join(rhythm.sentences(some, [some[0].first.figures[0]]))

    def periodic(self, rng, period, share=0.33, slower=3.0):
        return lambda arm, i, before: 100.0 * math.exp(rng.gauss(0, 0.05)) / (
            slower if i / period % 1.0 >= 1 - share else 1.0)

    def test_period(self):
        for period, words in ((2.7, "every 2.7 repetitions (every 2.57 MiB)"),
                              (5.0, "every 5 repetitions (every 4.77 MiB)")):
            rng = random.Random(5)
            self.assertIn(words, self.told(self.periodic(rng, period), 40))

    def test_none_in_noise(self):
        """Nor in slow drift."""
        told = 0
        for i in range(20):
            rng, state = random.Random(i), [0.0]

            def wander(arm, at, before):
                state[0] = 0.8 * state[0] + rng.gauss(0, 0.1)
                return 100.0 * math.exp(state[0] + rng.gauss(0, 0.05))
            told += "alternates" in self.told(wander, 30, i)
            told += "alternates" in self.told(noisy(rng), 30, i)
        self.assertLessEqual(told, 1)

    def test_place(self):
        rng = random.Random(2)
        found = self.told(lambda arm, i, before: (90.0 if i % 2 == 0 else 100.0)
                          * math.exp(rng.gauss(0, 0.01)))
        self.assertRegex(found, r"place 1 \(0\.9\d*x\), 2 \(1\.[01]\d*x\)")

    def test_carry_over(self):
        rng = random.Random(2)
        found = self.told(lambda arm, i, before: (80.0 if before == 1 else 100.0)
                          * math.exp(rng.gauss(0, 0.01)), 60)
        self.assertRegex(found, r"just after shared is 0\.(79|8|80|81)\d? times")
        self.assertNotIn("just after", self.told(noisy(rng), 60))


if __name__ == "__main__":
    main()
