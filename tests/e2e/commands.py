#!/usr/bin/env python3
# tier: quick ci; limit: 900
"""The commands in texts. Those of doc/cookbook.md and of README's section on tracing
are run, recipe by recipe, with small sizes (SMALLER); stand-ins check that commands of
file and batch systems were called. Each command of README, other pages and man pages
exists, with options that its --help has; man_examples.py runs those of man pages."""
import glob
import os
import re
import shlex
import stat
import subprocess

from e2e import TESTS, Case, add, long, main, read_text, run_text, runner, write_file

TOP = os.path.dirname(TESTS)
IMPORTED = ("ior.txt", "mdtest.txt", "fio-group.json", "io500-result.txt")
ABSENT = ("lfs", "mmlsfs", "beegfs-ctl", "mount", "sbatch")  # stand-ins, never run


def table(*rows):
    """Returns the argument of smaller(), from (regular expression, replacement)."""
    return [(re.compile(pattern), instead) for pattern, instead in rows]


SMALLER = table(
    (r"(-np|--np=?) ?\d+", r"\g<1> 2"),
    (r"--np= 2", "--np=2"),
    (r"\bblocktransfer \d+[MG]", "blocktransfer 256k"),
    (r"\bmadbench \d+ \d+", "madbench 128 4"),
    (r"\b16777216\b", "65536"),
    (r"\bmetabench \d+", "metabench 20"),
    (r"-r 6\b", "-r 2"),
    (r"--rank-shift=node", "--rank-shift=1"),  # there is one node
    (r"\bleadline calibrate", "leadline calibrate --bytes=256k --repeat=1"),
    (r"\bleadline io500", "leadline io500 --bytes=256k --files=20"),
    (r"--time=\d+", "--time=1"),
    (r"--budget=\w+", "--rounds=1"),
    (r" --submit\b", ""),                      # there is no Slurm
    (r"\bleadline sweep (\w+\.json)", r"leadline sweep --rounds=1 \1"),
    (r"--preset=\d+", "--files=2 --pings=50"),
    (r"--points=\d+", "--points=4096"),
    (r"--chunk=\d+k", "--chunk=4k"),
    (r" --fail-if-slower=5%", ""),             # small runs prove nothing
    (r"ldad mount DIR MOUNTPOINT", "true"),    # tests/e2e/ldad_view.py
    (r"pfmload -s D\b", "pfmload -s G"),       # D needs three ranks
    (r" --fs=lustre", ""),
)
SMALLER_SPEC = table(
    (r'"rounds": \d+', '"rounds": 1'),
    (r'"np": \d+', '"np": 2'),
    (r'"np": \[[^]]*\]', '"np": [1, 2]'),
    (r'"\d+[MG]",', '"128k",'),
    (r'"(2048|4096)", "8"', '"128", "4"'),
    (r'"1000"', '"20"'),
    (r"--chunk=\d+k", "--chunk=4k"),
    (r"\b16777216\b", "65536"),
)


def smaller(text, rows, places):
    for pattern, instead in rows:
        text = pattern.sub(instead, text)
    for name, place in places.items():
        text = text.replace(name, place)
    return text


def read(name):
    return read_text(os.path.join(TOP, name))


def blocks(text):
    """Returns the examples of a Markdown page: lines indented by four blanks after an
    empty line, as [(heading, text)]."""
    found, heading, lines = [], "", None
    for before, line in zip([""] + text.splitlines(), text.splitlines() + [""]):
        if line.startswith("    ") and (lines is not None or not before.strip()):
            lines = (lines or []) + [line[4:]]
        elif lines is not None and line.strip():
            found.append((heading, "\n".join(lines) + "\n"))
            lines = None
        elif lines is not None:
            lines.append("")
        if line.startswith("#"):
            heading = line.lstrip("# ")
    return found


def recipes(page):
    """Returns {heading: all commands under it} for a page."""
    found = {}
    for heading, text in blocks(read(page)):
        found[heading] = found.get(heading, "") + text
    return found


def of_man(text):
    """Returns the lines of a man page's examples, as they are shown."""
    shown = "\n".join(re.findall(r"^\.nf\n(.*?)^\.fi", text.partition(".SH EXAMPLE")[2],
                                 re.M | re.S))
    shown = re.sub(r"\\f.|\\&", "", shown).replace("\\-", "-").replace("\\e", "\\")
    return shown.replace("\\(aq", "'")


PROGRAMS = ("madbench", "blocktransfer", "metabench", "pfmload", "gsfgen", "gsfinfo",
            "pfminfo", "outcore", "ldad", "iotrace", "leadline", "replay")


def commands(text):
    """Returns, from the lines of an example, the words of each command of the suite
    with its arguments."""
    for line in text.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # JSON, prose
            continue
        while words:
            # A program's message is no command: "leadline sweep: ...".
            said = words[1:2] and words[1].endswith(":")
            if words[0] in PROGRAMS and not said:
                end = next((i for i, word in enumerate(words)
                            if word in (";", "|", "&&", ">", "--") and i), len(words))
                yield words[:end]
                words = words[end:]
            words = words[1:]


class Shown(Case):
    """Runs commands as shown, in a directory with the examples."""
    LIMIT = 240
    TABLE = SMALLER
    RANKS = 2

    def tool(self, name, text):
        path = write_file(self.path("bin", name), "#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def prepare(self):
        self.places = {"/%s/me" % name: self.path(name)
                       for name in ("scratch", "home", "local")}
        for folder in [*self.places.values(), self.path("bin"), self.path("examples")]:
            os.mkdir(folder)
        # The launcher sets LD_PRELOAD for the ranks, and must keep a recorder.
        launch = " ".join(shlex.quote(word) + '"${LD_PRELOAD:+:$LD_PRELOAD}"' *
                          word.endswith(".so")
                          for word in runner.launch_line(self.RANKS, []))
        self.tool("mpirun", 'shift 2; exec %s "$@"\n' % launch)  # -np N
        for name in ABSENT:
            self.tool(name, 'echo "stand-in for %s: $*"\n' % name)
        for path in glob.glob(os.path.join(TOP, "examples", "*")):
            text = smaller(read_text(path), SMALLER_SPEC, self.places)
            write_file(self.path("examples", os.path.basename(path)), text)
        for name in IMPORTED:
            write_file(self.path(name), read("tests/data/import/" + name))
        os.symlink(os.path.join(TOP, "scripts"), self.path("scripts"))

    def recipe(self, text, *, before=""):
        self.prepare()
        script = "set -e\n" + smaller(before + text, self.TABLE, self.places)
        env = dict(runner.mpi_environment(self.RANKS))
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        launcher = runner.launch_line(self.RANKS, [])
        at = launcher.index("-n")  # a sweep gives the number
        env["LEADLINE_MPIEXEC"] = " ".join(launcher[:at] + launcher[at + 2:])
        try:
            done = run_text(["bash", "-x", "-c", script], cwd=self.tmp, env=env,
                            stderr=subprocess.STDOUT, timeout=self.LIMIT * runner.SCALE)
        except subprocess.TimeoutExpired as error:
            self.fail("no end of\n%s\n%s" % (script, error.stdout))
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        self.outputs(text)

    def outputs(self, text):
        """Files that the commands should make exist, and reports are valid."""
        shown = re.sub(r".*--no-keep.*", "", smaller(text, self.TABLE, self.places))
        for name in re.findall(r" (?:-o |--json=|--out=)([\w./-]+)(?=\s)", shown):
            path = self.path(name)
            self.assertTrue(os.path.exists(path), name)
            if name.endswith(".json") and "skeleton" not in shown:
                self.assertIn('"valid": true', read_text(path), name)


class Recipes(Shown):
    def with_before(self, heading, text):
        self.recipe(text, before=BEFORE.get(heading, ""))


# Files that a recipe needs from others.
APP = ("printf '#!/bin/sh\\nexec madbench 128 4 --io-only -q\\n' > bin/app\n"
       "chmod +x bin/app\n")
README = "Why is my program slow?"
BEFORE = {"What to send to a vendor": (
    "leadline sweep examples/acceptance.json --out=acceptance-runs\n"
    "iotrace run -n job -- mpirun -np 2 python3 examples/small-writes.py "
    "/scratch/me/out\n"),
    "Results of other benchmarks": "mkdir striping-runs io500-results\n"
                                   "mv io500-result.txt io500-results/result.txt\n"
                                   "mpirun -np 2 madbench 128 4 --io-only -q "
                                   "--json=striping-runs/a.json\n",
    "Comparing": "mkdir archive before after\ncp fio-group.json fio.json\n"
                 "for d in archive before after; do mpirun -np 2 madbench 128 4 "
                 "--io-only -q --json=$d/a.json; done\n",
    "Tracing a program": APP,
    README: APP,
}
for heading_, text_ in [*recipes("doc/cookbook.md").items(),
                        (README, recipes("README.md")[README])]:
    long(add(Recipes, re.sub(r"\W+", "_", heading_.lower()), "with_before", heading_,
             text_))


class Example(Shown):
    def test_the_slow_example_is_found_and_its_remedy_works(self):
        """examples/README.md describes small-writes.py correctly."""
        self.recipe("iotrace run -n job -- python3 examples/small-writes.py here/out\n"
                    "iotrace run -n job -- python3 examples/small-writes.py --buffered "
                    "here/out\n"
                    "iotrace summary job.1 > slow\niotrace summary job.2 > fast\n"
                    "iotrace findings job.1 > found\niotrace findings job.2 > left\n",
                    before="mkdir here\n")
        with open(self.path("found"), encoding="utf-8") as f:
            self.assertRegex(f.read(), r"(?m)^(low|medium|high): small-sequential: ")
        with open(self.path("left"), encoding="utf-8") as f:
            self.assertNotRegex(f.read(), r"(?m)^\w+: small-sequential: ")
        self.assertEqual([os.path.getsize(path) for path in
                          glob.glob(self.path("here", "out.*"))],
                         [20000000, 20000000])
        calls = []
        for name in ("slow", "fast"):
            with open(self.path(name), encoding="utf-8") as f:
                found = re.search(r"^\s*write +([\d,]+)", f.read(), re.M)
            calls.append(int(found.group(1).replace(",", "")))
        self.assertEqual(calls[0] - calls[1], 199999, calls)


class Parsed(Case):
    """The options in commands of the other texts exist."""
    known = {}  # output of --help, by the words before it

    def help_of(self, words):
        if words not in self.known:
            self.known[words] = run_text([*words, "--help"],
                                         stderr=subprocess.STDOUT).stdout
        return self.known[words]

    def parsed(self, name, text):
        self.assertGreater(self.options(name, text), 0, name)

    def options(self, name, text):
        checked = 0
        for words in commands(text):
            command = (words[0],)
            if words[0] in ("leadline", "outcore", "ldad", "iotrace"):
                if len(words) < 2 or words[1].startswith("-"):
                    continue
                command = (words[0], words[1])
            shown = self.help_of(command)
            self.assertIn("usage", shown.lower(), (name, words))
            for word in words[len(command):]:
                option = re.match(r"--(?:no-)?([a-z][a-z0-9-]*)", word)
                if option:
                    self.assertRegex(shown, r"--(\[no-\])?%s\b" % option.group(1),
                                     (name, words))
            checked += 1
        return checked


def texts():
    """Returns (name, examples) of all pages with commands of the suite."""
    for path in ["README.md"] + sorted(glob.glob(TOP + "/doc/*.md")):
        name = os.path.relpath(os.path.join(TOP, path), TOP)
        found = "\n".join(text for _, text in blocks(read(name)))
        if any(commands(found)):
            yield name, found
    for path in sorted(glob.glob(TOP + "/man/*.1*")):
        name = os.path.relpath(path, TOP)
        found = of_man(read(name))
        if any(commands(found)) and (os.environ["HAVE_CLANG"] == "yes"
                                     or "ldadc" not in name):
            yield name, found


for name_, text_ in texts():
    add(Parsed, re.sub(r"\W+", "_", name_), "parsed", name_, text_)


if __name__ == "__main__":
    main()
