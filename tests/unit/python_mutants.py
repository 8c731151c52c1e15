#!/usr/bin/env python3
# mpi: any
"""Reports with one fault, hundreds of them: each command of leadline that reads them
ends with a status and at most sentences, never with a traceback."""
import copy
import json
import os
import random

from tap import HERE, drawn, main

from files import read_json, write_file, write_json
from full_report import figure, full
from leadline_case import STEADY, LeadlineCase, leadline

JUNK = [None, True, -1, 0, 1e308, 1e-308, 10 ** 30, "", "x", "<b>\x1b\u2028", [], {},
        [None], [[]], {"a": []}, {"": None}, ["x"]]


def places(tree, path=()):
    """Returns paths of all values in a tree."""
    inner = (tree.items() if isinstance(tree, dict)
             else enumerate(tree) if isinstance(tree, list) else ())
    for name, value in inner:
        yield path + (name,)
        for found in places(value, path + (name,)):
            yield found


def mutant(tree, seed):
    """Returns a copy in which one value is junk, or is missing."""
    chance = random.Random(seed)
    tree = copy.deepcopy(tree)
    path = chance.choice(list(places(tree)))
    at = tree
    for name in path[:-1]:
        at = at[name]
    if isinstance(at, dict) and chance.random() < 0.2:
        del at[path[-1]]
    else:
        at[path[-1]] = copy.deepcopy(chance.choice(JUNK))
    return tree, path


class Mutants(LeadlineCase):
    SEEDS = drawn(range(120), 30)
    FEW = drawn(range(120), 15)

    def commands(self):
        folder, page = self.dir, self.path("page.html")
        return [("compare", folder), ("compare", "--against=filetype", folder),
                ("compare", "--across", folder),
                ("compare", folder, "--fail-if-slower=5%"),
                ("list", folder), ("trend", folder), ("report", folder, "-o", page),
                ("validate", self.path("mutant.json")),
                ("report", self.path("mutant.json"), "-o", page)]

    def survive(self, tree, seeds):
        """Every command ends well or with one sentence, and only some refuse."""
        good = 0
        for seed in seeds:
            changed, path = mutant(tree, seed)
            self.save(changed, "mutant.json")
            for command in self.commands():
                try:
                    status, _, err = leadline(*command)
                except Exception as fault:
                    raise AssertionError("%s after %r: %r" % (command[0], path, fault))
                self.assertIn(status, (0, 1, 2, 3, 4))
                self.assertLessEqual(err.count("\n"), 2, err)
                good += status == 0
        self.assertGreater(good, len(seeds))

    def other(self, **more):
        self.save(full({"write_MBps": STEADY, "read_MBps": STEADY}, label="other",
                       options={"filetype": "shared"}, **more), "other.json")

    def test_of_any_program(self):
        self.other()
        self.survive(full({"write_MBps": STEADY, "read_MBps": STEADY}, label="one",
                          warnings=["odd"]), self.SEEDS)

    def test_of_series(self):
        tree = full({"write_MBps": STEADY}, label="one", phases=("W",))
        for row in tree["samples"]:
            if row["act"] in ("read", "write"):
                row["series"] = {"slot_s": 0.125, "bytes": [4000, 0, 0, 0, 0, 96],
                                 "calls": [3, 0, 0, 0, 0, 1],
                                 "max_s": [0.1, 0, 0, 0, 0, 0.6]}
        self.other()
        self.survive(tree, self.SEEDS)

    def test_of_a_sweep_of_alpha(self):
        rows = [figure(name, [5.0, 6.0], at={"alpha": a}) for a in (1, 2, 3)
                for name in ("sync_MBps", "async_MBps")]
        self.other()
        self.survive(full(rows + [figure("alpha_critical", [1.3])], label="one",
                          phases=()), self.SEEDS)

    def test_of_loads(self):
        self.save(full({"wall_s": STEADY}, label="serial", ranks=1, program="pfmload",
                       options={"scheme": "serial", "library": "cached"}), "base.json")
        self.survive(full({"wall_s": STEADY}, label="one", program="pfmload", ranks=3,
                          options={"scheme": "D", "library": "cached"}, phases=()),
                     self.SEEDS)

    def test_of_calibrations(self):
        self.other()
        self.survive(full({"sequential.write_MBps": STEADY,
                           "random.read_MBps": STEADY}, program="calibrate",
                          phases=()), self.SEEDS)

    def test_of_imported_ones(self):
        """In these, most facts that programs of the suite know are null."""
        data = os.path.join(HERE, os.pardir, "data", "import", "fio-group.json")
        leadline("import", data, "--out", self.dir, "--label=one")
        path = self.path("fio-group.json")
        tree = read_json(path)
        os.unlink(path)
        self.other()
        self.survive(tree, self.FEW)


class Bytes(LeadlineCase):
    """Files in which some bytes are changed, or missing."""
    INSERTED = [b"\0", b"\xff", b"[" * 5000, b"9" * 5000, b'"\\ud800"', b"1e999", b"{"]

    def damaged(self, data, chance):
        data = bytearray(data)
        for _ in range(chance.choice([1, 2, 10])):
            at = chance.randrange(len(data))
            how = chance.random()
            if how < 0.5:
                data[at] ^= 1 << chance.randrange(8)
            elif how < 0.8:
                data[at:at] = chance.choice(self.INSERTED)
            else:
                del data[at:at + chance.randrange(9)]
        return data[:chance.randrange(len(data))] if chance.random() < 0.2 else data

    def test_of_reports(self):
        good = json.dumps(full({"write_MBps": STEADY}), indent=1).encode()
        name = self.path("mutant.json")
        for seed in range(150):
            write_file(name, self.damaged(good, random.Random(seed)))
            for command in (("list", self.dir), ("validate", name),
                            ("report", name, "-o", self.path("page.html"))):
                status, _, err = leadline(*command)
                self.assertIn(status, (0, 1, 2))
                self.assertLessEqual(err.count("\n"), 2, err)


class Specifications(LeadlineCase):
    GOOD = {"program": "/bin/true", "np": 2, "args": ["--x={a}", "y"],
            "matrix": {"a": [1, 2], "b": ["x"]}, "cases": [{"c": True}], "rounds": 2,
            "seed": 1, "mpiexec": ["mpiexec"], "mpiexec_args": ["-x"],
            "sbatch": ["--time=1"], "env": {"A": "b"}, "timeout": 5}
    ARGS = ["{a.real}", "{a[0]}", "{a!r}", "{a:9}", "{a:>9999999999}", "{", "}", "{0}",
            "{}", "{nothing}", "{a:{b}}"]

    def sweep(self, tree):
        name = write_json(self.path("spec.json"), tree)
        status, out, err = leadline("sweep", name, "--dry-run", "--out",
                                    self.path("out"))
        self.assertLessEqual(err.count("\n"), 2, err)
        return status, out

    def test_with_one_thing_wrong(self):
        for seed in range(300):
            self.assertIn(self.sweep(mutant(self.GOOD, seed)[0])[0], (0, 1, 2))

    def test_args_that_are_more_than_a_name(self):
        good = dict(self.GOOD, args=["--x={a}", "{{y}}"])
        self.assertIn("--x=2 '{y}' ", self.sweep(good)[1])
        for arg in self.ARGS:
            self.assertEqual(self.sweep(dict(self.GOOD, args=[arg]))[0], 2, arg)


class Extremes(LeadlineCase):
    def test_numbers_that_are_no_measurements(self):
        extreme = [1e308, 1e-308, 5e-324, 1e30, 1e-30, 10 ** 400]
        for i, values in enumerate([v] * 6 for v in extreme):
            for name, kind in (("a", "unique"), ("b", "shared")):
                tree = full({"write_MBps": STEADY}, label=name,
                            options={"filetype": kind})
                tree["figures"][0]["reps"] = values if name == "a" else [1.0] * 6
                self.save(tree, name + ".json")
            tree["samples"][i]["mean_s"] = extreme[i]
            self.save(tree, "c.json")
            for command in (("compare", self.dir), ("list", self.dir),
                            ("compare", "--against=filetype", self.dir),
                            ("compare", "--across", self.dir),
                            ("report", self.dir, "-o", self.path("page.html"))):
                status, _, err = leadline(*command)
                self.assertIn(status, (0, 1, 2))
                self.assertLessEqual(err.count("\n"), 2, err)


if __name__ == "__main__":
    main()
