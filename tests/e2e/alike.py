#!/usr/bin/env python3
# limit: 300; tier: quick ci
"""Ranks that are not started alike (another program, argument or environment on one of
them, as launchers allow and nodes may differ): the run is refused with one sentence
that names the option, two ranks and the value of each; and it never waits."""
import os
import shlex

from e2e import Case, add, main

LAST = 2  # of three ranks
OTHERWISE = ("sh", "-c", 'test "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = "$HIT" || '
             'exec "$@"; %s', "sh")
BLOCKS = ("blocktransfer", "1M", "--block-size=64k", "--quiet")
MATRICES = ("madbench", "64", "2", "--io-only", "--quiet")
WORKLOAD = ("ldad", "perf", "--quiet")


class Alike(Case):
    LIMIT = 30

    def run_otherwise(self, line, other, hit=LAST, **how):
        """Runs with `other`: the shell command of one rank, in place of the others'
        command."""
        inside = [word % other if "%s" in word else word for word in OTHERWISE]
        how.setdefault("env", {})["HIT"] = str(hit)
        done = self.run_program(*line, inside=inside, np=LAST + 1, **how)
        if line[0] == "ldad":
            done.said = [at for at in done.err.splitlines() if at.startswith("ldad ")]
        return done

    def refused_for(self, line, other, *parts):
        done = self.run_otherwise(line, other)
        where = ("on rank 0 (", "on rank %d (" % LAST, os.uname()[1])
        self.refused(done, *parts, *where)
        self.assertFalse(os.path.exists(done.json))

    def test_alike(self):
        self.good(self.run_otherwise(BLOCKS, 'exec "$@"'))

    def test_the_source_of_a_value_is_not_compared(self):
        """A default, a variable and an argument with the same value are equal."""
        self.good(self.run_otherwise(MATRICES, 'IOMETHOD=POSIX exec "$@" --repeat=1'))

    def test_first_rank(self):
        done = self.run_otherwise(BLOCKS, 'exec "$@" --cache=keep', hit=0)
        self.refused(done, '--cache is "keep" on rank 0 (', 'and "flush" on rank 1 (')

    def test_one_that_cannot_be_parsed(self):
        done = self.run_otherwise(BLOCKS, 'exec "$@" --bogus')
        self.refused(done, "unknown option --bogus", "rank 2 on " + os.uname()[1])

    def test_none_can_be_parsed(self):
        said = self.refused(self.run_otherwise((*BLOCKS, "--bogus"), 'exec "$@"'))
        self.assertNotIn("rank", said)

    def test_help_of_all(self):
        done = self.run_otherwise((*BLOCKS, "--help"), 'exec "$@"')
        self.assertEqual((done.status, done.said), (0, []), done)
        self.assertEqual(done.out.count("usage: blocktransfer"), 1, done)

    def test_a_long_value(self):
        """The sentence shows the part that differs."""
        done = self.run_otherwise((*BLOCKS, "--label=" + 400 * "a" + "b" + 400 * "c"),
                                  'exec "$@" --label=%s' % (400 * "a" + "x"))
        self.assertIn("aaab", self.refused(done, "--label is", "aaax"))

    def test_makers_of_files(self):
        done = self.run_otherwise(("gsfgen", "--files=2", "--pings=2", "--quiet"),
                                  'exec "$@" --seed=7', json=False)
        self.refused(done, '--seed is "1" on rank 0 (', '"7" on rank 2 (')

    def test_readers_of_containers(self):
        for command in (("flatten", "a", "b"), ("verify", "a")):
            done = self.run_otherwise(("ldad", *command), json=False, dir=False,
                                      other='shift 3; exec ldad %s c "$@"' % command[0])
            self.refused(done, 'CONTAINER is "a" on rank 0 (', '"c" on rank 2 (')


for name, line, other, *parts in (
        ("argument", BLOCKS, 'shift 2; exec blocktransfer 2M "$@"',
         'BYTES is "1048576"', '"2097152"'),
        ("choice", BLOCKS, 'exec "$@" --cache=keep', '--cache is "flush"', '"keep"',
         "default", "command line"),
        ("variable", BLOCKS, 'IOMETHOD=threads exec "$@"', '--iomethod is "POSIX"',
         '"threads"', "environment variable IOMETHOD"),
        ("real", MATRICES, 'BWEXP=1.2 exec "$@"', '--bwexp is', '"1.2'),
        ("repetitions", BLOCKS, 'exec "$@" -r 3', '--repeat is "1"', '"3"'),
        ("filetype", BLOCKS, 'FILETYPE=SHARED exec "$@"', '--filetype is "UNIQUE"',
         '"SHARED"'),
        ("list", BLOCKS + ("--iomethod=MPI",), 'exec "$@" --hint=a=b', '--hint is ""',
         '"a=b"'),
        ("dry_run", MATRICES, 'exec "$@" --dry-run', '--dry-run is "no"', '"yes"'),
        ("help", BLOCKS, 'exec "$@" --help', 'what is asked for is "a run"', "--help"),
        ("version", BLOCKS, 'exec "$@" --version', 'what is asked for is "a run"',
         "--version"),
        ("program", BLOCKS, "exec %s" % shlex.join(MATRICES),
         'the program is "blocktransfer"', '"madbench"'),
        ("workload", WORKLOAD, 'shift 2; exec ldad fft "$@"',
         'the program is "ldad perf"', '"ldad fft"'),
        ("its_option", WORKLOAD, 'exec "$@" --io=collective', '--io', '"collective"')):
    add(Alike, "another_" + name, "refused_for", line, other, *parts)

if __name__ == "__main__":
    main()
