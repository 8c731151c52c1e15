#!/usr/bin/env python3
# tier: quick ci; mpi: any
"""The output that doc/output.md shows and explains is what programs print: its commands
run, and every line shown has its counterpart, in the same order. The test compares the
first words of a line, up to the first number, so neither times nor hosts matter."""
import os
import re
import shutil

import commands
from e2e import add, main, run_text, runner, write_file

PAGE = "doc/output.md"
# Words after which a line depends on the system, the load or the MPI.
OPEN = ("mpi", "storage", "device", "warning", "Note:", "checksum", "engine", "file")
# Files that a command needs and that the page only mentions.
BEFORE = {
    "pfmload": "mkdir lines\ngsfgen --files=4 --pings=200 --dir=lines\n",
    "pfminfo": "mkdir lines\ngsfgen --files=2 --pings=50 --dir=lines\n"
               "pfmload -o survey.pfm --bin-size=10 lines/*.gsf --quiet\n",
    "gsfgen": "mkdir lines\n",
    "ldad info": "mpirun -np 2 ldad perf --chunk=64k --io=partitioned --dir=out --keep "
                 "--quiet\n",
    "iotrace": "iotrace run -n job -- mpirun -np 2 madbench 256 4 --io-only --dir=out "
               "--quiet\n",
    "leadline compare": """cat >spec.json <<'END'
{"program": "madbench", "np": 2, "rounds": 2,
 "args": ["512", "4", "--io-only", "--dir=out"],
 "matrix": {"filetype": ["UNIQUE", "SHARED"]}}
END
leadline sweep spec.json --out=runs --quiet
""",
}
BEFORE["ldad verify"] = BEFORE["ldad info"]
BEFORE["leadline sweep"] = """cat >spec.json <<'END'
{"program": "blocktransfer", "np": 2, "rounds": 6, "args": ["4M", "--dir=out"],
 "matrix": {"filetype": ["unique", "shared"], "block-size": ["64k", "1M"]}}
END
"""
BEFORE["leadline compare"] = BEFORE["leadline compare"] + """
leadline import ior.txt fio-group.json --out=imported
mpirun -np 2 madbench 128 4 --io-only -r 3 --filetype=unique -q --json=mad-unique.json
mpirun -np 2 blocktransfer 64k -b 4k --pattern=random -q --json=block-random.json
"""
BEFORE["replay"] = BEFORE["iotrace"] + "iotrace ldad --skeleton=job.json job.1\n"
# Tables that are sorted by time, and findings in so short a run, differ. The first
# words of lines that occur in any case:
ALWAYS = {
    "leadline compare --across": "Sequential Random These sequential fio-group What",
    "iotrace summary": "verdict program time I/O read write sync meta open close "
                       "unseen files, longest shortest left more:",
    "iotrace findings": "not unseen:",
    "leadline compare": "figure write_MBps, read_MBps, write_MBps SHARED",
}
SOLVER = """#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, n = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *row = calloc((size_t)n, sizeof *row);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "field", MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at(file, (MPI_Offset)rank * n * 8, row, n, MPI_DOUBLE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    free(row);
    MPI_Finalize();
}
"""


def label(line):
    """Returns what identifies a line, or "" if it may be missing."""
    words = line.split()
    if not words or words[0] == "..." or re.match(r" {6,}\S+( \S+)*$", line):
        return ""   # the second line of a long one
    if words[0] in OPEN:
        return words[0]
    named = words[:next((i for i, word in enumerate(words) if re.search(r"\d", word)),
                        len(words))]
    return " ".join(named) or re.sub(r"\d\S*", "N", " ".join(words[:2]))


def labels(text):
    return [found for found in map(label, text.splitlines())
            if found and found not in ("warning", "Note:")]


def examples():
    """Returns [(command, its output)] of the page."""
    found = []
    for _, text in commands.blocks(commands.read(PAGE)):
        command, _, output = text.partition("\n")
        if command.startswith("$ "):
            found.append((command[2:], output))
    return found


def needed(command):
    words = [word for word in command.split() if word in commands.PROGRAMS]
    name = words[0] if words else command.split()[0]
    after = command.split(name, 1)[1].split()
    return next((key for key in (name + " " + after[0], name) if key in BEFORE), name)


class Output(commands.Shown):
    def printed(self, command):
        self.prepare()
        os.mkdir(self.path("out"))
        write_file(self.path("solver.c"), SOLVER)
        env = dict(runner.mpi_environment(2))
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        script = "set -e\n{\n:\n%s} >&2\n%s\n" % (
            BEFORE.get(needed(command), ""), command)
        done = run_text(["bash", "-c", script], cwd=self.tmp, env=env, timeout=120 *
                        runner.SCALE)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return done.stdout

    def shown(self, command, output):
        wanted, printed = labels(output), labels(self.printed(command))
        self.assertTrue(wanted, command)
        for word in next((words.split() for start, words in ALWAYS.items()
                          if command.startswith(start)), ()):
            for lines in (wanted, printed):
                self.assertIn(word, [line.split()[0] for line in lines], lines)
        if command.startswith(tuple(ALWAYS)):
            return
        rest = iter(printed)
        for line in wanted:
            self.assertIn(line, rest, (line, printed))


for n_, (command_, output_) in enumerate(examples()):
    if not command_.startswith("ldadc") or (os.environ.get("HAVE_CLANG") == "yes"
                                            and shutil.which("cc")):
        add(Output, "%02d_%s" % (n_, re.sub(r"\W+", "_", needed(command_))), "shown",
            command_, output_)


if __name__ == "__main__":
    main()
