#!/usr/bin/env python3
# tier: ci; limit: 900
"""The examples of the man pages run, page by page, on small sizes: all commands of a
page are one shell script, which ends when one of them fails."""
import glob
import importlib.util
import json
import os
import re
import shutil

import commands
import shown
from e2e import BUILD, TESTS, add, drawn, main, read_text
from tap import TIER

# After those of commands.py.
SMALLER = commands.SMALLER + commands.table(
    (r"/scratch\b(?!/me)", "/scratch/me"),
    # specifications of sweeps within the commands
    (r'("pfmload", )"np": \d+', r'\g<1>"np": 3'),
    (r'"np": (4|64)\b', '"np": 2'),
    (r'"10000", "16"', '"128", "4"'),
    (r'"--paper"', '"--rows=64", "--columns=256", "--chunk=4k"'),
    (r"/archive/runs", "runs"),
    (r"(?<!=)\b(4G|1G|256M)\b", "256k"),
    (r"-r 10\b", "-r 2"),
    (r"--repeat=\d+", "--repeat=2"),
    (r"\| head\b", "| cat"),  # head may end before the writer
    # leadline
    (r"--until 5% --budget 8h", "--rounds 1"),
    (r"--np (16|64)\b", "--np 2"),
    (r" --fail-if-slower 5%", ""),
    (r" --fs lustre --since \S+", ""),
    (r"W\.read_p99_us", "W.read_p50_us"),      # too few for a 99th percentile
    (r"ldadc build --", "ldadc build --include=$INCLUDE --lib=$LIBS --"),
    # ldad, outcore
    (r"mpirun -np 2 program", "mpirun -np 2 madbench 128 4 --io-only -q"),
    (r"madbench 128 4 4\b", "madbench 128 4 2"),
    (r"--paper", "--rows=64 --columns=256 --chunk=4k"),
    (r"--scale=20", "--scale=8"),
    (r"--vertices=1048576", "--vertices=256"),
    (r"S:45,1000000,5", "S:5,1000,5"),
    (r"\b(10|64|100)M\b", "2k"),
    (r"=30000\b", "=256"),
    (r"--sweep-queries=\S+", "--sweep-queries=1,2"),
    (r"outcore search sorted", r"\g<0> --lookups=1k"),
    (r"--sweep-threads=\S+", "--sweep-threads=1,2"),
    (r"\b8G.dat", "data"),
    (r"--slot-size=1M", "--slot-size=4k"),
    (r"--(faithful|mode=files)\b", r"--\1 --files=20"),
)
SMALLER_SPEC = commands.SMALLER_SPEC + commands.table(
    (r"/opt/\w+/bin/", ""), (r"/mnt/\w+", "/scratch/me"))
if os.environ["HAVE_LIBURING"] != "yes":
    SMALLER += commands.table((r"--iomethod=uring", "--iomethod=threads"))
if os.environ["HAVE_FUSE"] != "yes" or not os.path.exists("/dev/fuse"):
    SMALLER += commands.table((r"ldad mount .*|.* view/run|fusermount3 .*", ""))
if not importlib.util.find_spec("matplotlib"):
    SMALLER += commands.table((r"\.(pdf|png)\b", ".svg"))
if not importlib.util.find_spec("pyarrow"):
    SMALLER += commands.table((r"parquet", "csv"))

SURVEY = "gsfgen --files=2 --pings=50 --dir=%s\n"
# Files that a page's commands need from others.
BEFORE = {
    "gsfinfo": "mkdir survey\n" + SURVEY % "survey" + "cp survey/*1.gsf line.gsf\n",
    "iotrace": commands.BEFORE["Tracing a program"],
    "ldadc": """
cat >solver.c <<'END'
%s
END
cat >output.c <<'END'
#include <mpi.h>

void write_rows(MPI_File file, const double *row, int rows)
{
    for (int i = 0; i < rows; i++)
        MPI_File_write(file, row, SIZE, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
END
mpicc -o solver solver.c
""" % shown.SOLVER.replace("argc > 1 ? atoi(argv[1]) : 100", "atoi(argv[1])"),
    "leadline": """
for name in unique shared; do
    mpirun -np 2 madbench 128 4 --io-only -q --filetype=$name --json=$name.json
done
mkdir runs nightly
cp unique.json before.json
cp unique.json after.json
cp unique.json shared.json runs
madbench 128 4 --io-only -q --json=runs/one.json
for day in 20 21; do
    mkdir nightly/2026-11-$day
    mpirun -np 2 madbench 128 4 --io-only -q --json=nightly/2026-11-$day/a.json
done
leadline import ior.txt fio-group.json -o imported
cp ior.txt ior.out
cp fio-group.json fio.json
mkdir lines
%spfmload -q -o survey.pfm -b 10 lines/*.gsf
pfminfo --grid survey.json survey.pfm
""" % SURVEY % "lines",
    "outcore-ngram": """
mkdir -p texts/de texts/en texts/fr documents
echo "der Wind und die Wellen, das Meer und der Himmel" | tee documents/1 >texts/de/a
echo "the wind and the waves, the sea and the sky" | tee documents/2 >texts/en/a
echo "le vent et les vagues, la mer et le ciel" | tee documents/3 >texts/fr/a
""",
    "outcore-sort": "outcore gen records 2k --output=records\n",
    "outcore-stream": "head -c 64k /dev/urandom >data\n",
    "outcore-text": "outcore gen documents 20 --output=stories\necho sea >places.txt\n",
    "pfminfo": "mkdir lines\n" + SURVEY % "lines"
               + "pfmload -q -o survey.pfm -b 10 lines/*.gsf\n",
    "pfmload": "mkdir lines\n" + SURVEY % "lines"
               + "ls lines/*.gsf >files.txt\n"
               + "sed 's/$/ 121/' files.txt >datalist.mb-1\n",
}
# Checks after the commands of a page.
AFTER = {"ldad": "test -z \"$(find /scratch/me -name 'blocktransfer-*')\"\n"}
# Tools of others; a test only checks that they were called.
STAND_INS = ("dot", "gdalinfo", "gmt")


def paragraphs(text):
    """Returns (commands, [JSON]) of a page's examples."""
    parts = re.split(r"\n\n+", text)
    data = [part for part in parts if part.startswith("{")]
    return "\n".join(part for part in parts if part not in data) + "\n", data


class Pages(commands.Shown):
    TABLE = SMALLER

    def prepare(self):
        super().prepare()
        self.tool("srun", 'while [ "${1#-}" != "$1" ]; do shift; done\n'
                          'exec mpirun -np 2 "$@"\n')
        self.tool("mpicc", 'exec %s "$@"\n' % os.environ["MPI_CC"].split()[-1])
        for name in STAND_INS:
            self.tool(name, 'echo "stand-in for %s: $*"\n[ -t 0 ] || cat >/dev/null\n'
                      % name)

    def page(self, name, text):
        self.RANKS = 3 if name == "pfmload" else 2  # its scheme C needs three
        script, data = paragraphs(text)
        before = ("set -o pipefail\nexport SLURM_JOB_ID=1 SCRATCH=/scratch/me/1\n"
                  "mkdir $SCRATCH\nexport INCLUDE=%s LIBS=%s\n"
                  % (os.path.abspath(os.path.join(TESTS, os.pardir, "include")),
                     os.path.abspath(BUILD)))
        for i, spec in enumerate(data):
            json.loads(spec)
            spec = commands.smaller(spec, SMALLER_SPEC, {})
            before += "cat >spec%s.json <<'END'\n%s\nEND\n" % (i or "", spec)
            script += "leadline sweep spec%s.json --dry-run\n" % (i or "")
        self.recipe(script + AFTER.get(name, ""), before=before + BEFORE.get(name, ""))


def pages():
    for path in sorted(glob.glob(os.path.join(TESTS, os.pardir, "man", "*.1*"))):
        name = os.path.basename(path).split(".")[0]
        text = commands.of_man(read_text(path))
        without = (name == "ldadc" and not (os.environ["HAVE_CLANG"] == "yes"
                                            and shutil.which("cc"))
                   or name == "leadline" and TIER != "full")  # it takes long
        if text.strip() and not without:
            yield name, text


for name_, text_ in drawn(pages(), 0, 1 / 8):  # the same number with the other MPI
    add(Pages, re.sub(r"\W", "_", name_), "page", name_, text_)


if __name__ == "__main__":
    main()
