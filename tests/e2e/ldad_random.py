#!/usr/bin/env python3
# limit: 6000; tier: quick ci
"""Containers that random programs write, with plans that fit or do not, in several runs
with different numbers of ranks: every byte read is the last one written."""
import json
import os
import random
import shutil

from e2e import BUILD, Case, drawn, main
from tap import lot_of

PROGRAM = os.path.join(BUILD, "tests", "ldad", "random_renamed")


class Random(Case):
    LIMIT = 120

    def run_it(self, path, seed, stages, what, *keys, np):
        done = self.run_program(PROGRAM, path, str(seed), ",".join(map(str, stages)),
                                what, *keys, np=np, dir=False, json=False)
        self.assertEqual((done.status, done.out, done.err), (0, "", ""),
                         (seed, stages, what, keys))

    def plan(self, rng, np):
        """Returns a plan: as long as the islands, or behind 1 TB, or for less than the
        file, or none."""
        kind = rng.choice(("cyclic", "cyclic", "blocks", "none"))
        if kind == "none":
            return ()
        chunk = rng.choice((1, 77, 777, 4096, 10000, 65536))
        bytes = rng.choice((200000, 1000000, 1 << 41))
        if kind == "blocks":
            text = "ranks=%d step=%d start=0 [size=%d]" % (np, bytes // np, bytes // np)
        else:
            stride = np * chunk
            text = "ranks=%d step=%d start=0 [span=%d stride=%d size=%d]" % (
                np, chunk, -(-bytes // stride) * stride, stride, chunk)
        return ("ldad_plan=" + text, "ldad_plan_conflict=keep")

    def container(self, number):
        rng = random.Random(lot_of("container %d" % number))
        path = self.path("f%d" % number)
        seed, stages = rng.randrange(1 << 30), []
        engine = rng.choice(((), (), ("ldad_engine=part:inner=mpiio,buffer=1000",),
                             ("ldad_engine=part:buffer=300,window=20000,files=1",)))
        for _ in range(rng.randint(1, 3)):
            stages.append(rng.randint(1, 4))
            keys = ("ldad_method=partitioned",) + engine + self.plan(rng, stages[-1])
            self.run_it(path, seed, stages, "write", *keys, np=stages[-1])
        self.run_it(path, seed, stages, "read", "ldad_method=partitioned",
                    np=rng.randint(1, 4))
        info = self.run_program("ldad", "info", "--json", path, np=0, dir=False,
                                json=False)
        self.assertEqual((info.status, json.loads(info.out)["missing"]), (0, []), info)
        if json.loads(info.out)["bytes"] < 1 << 30:
            done = self.run_program("ldad", "verify", path, np=0, dir=False, json=False)
            self.assertEqual(done.status, 0, (number, seed, done))
        shutil.rmtree(path)

    def test_random_containers(self):
        for number in drawn(range(500), 2, share=1 / 25):
            with self.subTest(number=number):
                self.container(number)


if __name__ == "__main__":
    main()
