"""The description of a program of the corpus, and the records of truth.c while it
ran."""
import collections
import os
import re
import subprocess

# One call that moved data: its rank, its place, the calls around it, and the pieces of
# the file that it requested, in order; None if they cannot be known. places: (source,
# line), innermost first; at: the byte where it begins, even if it moves nothing; of:
# rank and number of ranks in the file's communicator.
Transfer = collections.namedtuple(
    "Transfer", "rank of call viewed at bytes places pieces")

KEYS = ("trap", "args", "symbols", "expect", "with", "outside", "unlisted",
        "assumed")


class Program:
    """The first comment of a source, which has lines "key: value". Of args, symbols and
    expect it may have several values, with "; " between them, or in several lines.

    trap      what must not be believed; a program without it is no trap
    args      of one run, after the path; more are more runs
    symbols   NAME=VALUE ..., the named variables of the run of the same number
    expect    of each call in the order of the source:
              "resolved CLASS", or CLASS,CLASS... by the places it is called from;
              "unresolved"; "any", which is what may be resolved but need not be;
              then perhaps "warned"
    with      another source of the program, given to ldadc, too
    outside   another source of the program, which ldadc does not see
    assumed   words of an assumption that the program does not keep: where ldadc names
              it, what it says of the program need not be true
    unlisted  how many calls cannot be seen in the source at all
    """

    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as f:
            comment = f.read().split("*/")[0]
        found = collections.defaultdict(list)
        for key, value in re.findall(r"^(?:/\*| \*) (\w+): *(.*)$", comment, re.M):
            if key not in KEYS:
                raise ValueError("%s: %s is no key" % (path, key))
            found[key] += [v.strip() for v in value.split(";")]
        self.trap = " ".join(found["trap"])
        self.expect = [line.split() for line in found["expect"]]
        self.assumed = " ".join(found["assumed"])
        self.unlisted = int((found["unlisted"] or ["0"])[0])
        symbols = [dict(pair.split("=") for pair in line.split())
                   for line in found["symbols"]]
        self.runs = [(line.split(), {name: int(v) for name, v in values.items()})
                     for line, values in
                     zip(found["args"] or [""], symbols or [{}] * 9)]
        folder = os.path.dirname(path)
        self.analysed = [path] + [os.path.join(folder, n) for n in found["with"]]
        self.sources = self.analysed + [os.path.join(folder, n)
                                        for n in found["outside"]]


def compile_program(compiler, sources, truth, exe):
    """Returns the compiler's complaints; none: it is built. Addresses are those of the
    file."""
    done = subprocess.run(
        [*compiler, "-O0", "-g", "-no-pie", "-Wall", "-Wextra", "-Werror",
         "-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX",  # C++ programs use the C binding
         "-o", exe, *sources, truth, "-lm",
         *(["-lstdc++"] if any(s.endswith(".cc") for s in sources) else [])],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode("utf-8", "replace") if done.returncode else ""


def places_of(exe, addresses):
    """Returns {return address: (source, line) of the call, None beyond main}."""
    ask = ["0x%x" % (int(a, 16) - 1) for a in addresses]
    out = subprocess.run(["addr2line", "-f", "-e", exe], stdout=subprocess.PIPE,
                         input="\n".join(ask).encode(), check=True).stdout.decode()
    lines = out.splitlines()
    found = {}
    for address, where in zip(addresses, lines[1::2]):
        source, line = re.match(r"(.*):(\d+|\?)", where).groups()
        found[address] = (os.path.basename(source), int(line)) if line.isdigit() \
            and line != "0" else None
    return found


def pieces_of(text):
    if text == "?":
        return None
    return [tuple(int(n) for n in piece.split("+")) for piece in text.split()]


def transfer(rank, of, call, viewed, size, places, pieces):
    at = pieces[0][0] if pieces else -1
    if pieces is not None:
        pieces = [piece for piece in pieces if piece[1]]
    return Transfer(rank, of, call, viewed, at, size, places, pieces)


def transfers(exe, prefix, ranks):
    """Returns {rank: [Transfer, ...] in the order of the calls}."""
    rows = []
    for rank in range(ranks):
        name = "%s.%d" % (prefix, rank)
        if os.path.exists(name):
            with open(name) as f:
                rows += [(rank, *line.rstrip("\n").split("\t")) for line in f]
    addresses = sorted({a for row in rows for a in row[5].split(",")})
    places = places_of(exe, addresses)
    found = {rank: [] for rank in range(ranks)}
    for rank, call, view, size, group, callers, pieces in rows:
        chain = [places[a] for a in callers.split(",")]
        of = tuple(int(n) for n in group.split("/"))
        found[rank].append(transfer(rank, of, call, view == "view", int(size),
                                    tuple(p for p in chain if p), pieces_of(pieces)))
    return found
