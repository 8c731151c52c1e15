"""leadline skeleton: makes the skeleton for a number of ranks, from polynomials
(leadline-skeleton-polynomials/1, doc/skeleton.md), or from two runs (skeleton_fit).
"""
import ast
import json
import operator
from collections import OrderedDict
from typing import Any, Dict, List, Sequence, Tuple

from leadline.base import output
from leadline.base.errors import LeadlineError, usage
from leadline.base.options import operand, option, output_file
from leadline.skeleton import descriptors, skeleton, skeleton_fit
from leadline.skeleton.skeleton import LARGEST, POLYNOMIALS, SCHEMA

LONGEST = 1 << 16       # characters of an expression or order
MOST_PARTS = 64         # descriptors of a rank's calls
MOST_GRID = 64          # MPIs make different grids of more processes
ALLOWED = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.UnaryOp, ast.USub,
           ast.Compare, ast.Lt, ast.Call, ast.Name, ast.Load, ast.Constant,
           getattr(ast, "Num", ast.Constant))


# ---- expressions -----------------------------------------------------------------


def root(n: int) -> int:
    """Returns the integer part of a square root."""
    if not 0 <= n < LARGEST:
        raise LeadlineError("a square root of %d" % n)
    guess = int(n ** 0.5)
    return next(g for g in (guess + 1, guess, guess - 1) if g * g <= n)


def dim(processes: int, n: int, i: int) -> int:
    """Returns extent i of n of MPI_Dims_create: as even as possible, falling."""
    def ways(left, n, most):
        if n == 1:
            return [(left,)] if left <= most else []
        return [(d,) + rest for d in range(min(left, most), 0, -1) if left % d == 0
                for rest in ways(left // d, n - 1, d)]
    if not (1 <= processes <= MOST_GRID and 0 <= i < n <= 6):
        raise LeadlineError("MPIs make different grids of %d processes" % processes)
    return min(ways(processes, n, processes), key=lambda w: (w[0] - w[-1], w))[i]


FUNCTIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "min": min, "max": max,
             "dim": dim, "root": root}


class Expressions:
    """Evaluates the expressions of one skeleton; each is parsed once."""

    def __init__(self, names):
        self.names, self.code = frozenset(names), {}

    def compiled(self, text):
        if not isinstance(text, str) or len(text) > LONGEST:
            raise LeadlineError("a text is missing, or too long for an expression")
        try:
            tree = ast.parse(text, mode="eval")
            for node in ast.walk(tree):
                self.check(node, text)
            return compile(tree, "skeleton", "eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise LeadlineError("'%.200s' is no expression" % text)

    def check(self, node, text):
        if isinstance(node, ast.Name):
            known = node.id in self.names or node.id in FUNCTIONS
        elif isinstance(node, ast.Call):
            known = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
        elif isinstance(node, ast.Constant):
            known = isinstance(node.value, int) and not isinstance(node.value, bool)
        else:
            known = isinstance(node, ALLOWED)
        if not known:
            raise LeadlineError("'%.200s' is no expression of nprocs, rank and the "
                                "skeleton's variables" % text)

    def value(self, text, names):
        if text not in self.code:
            self.code[text] = self.compiled(text)
        try:
            found = int(eval(self.code[text],
                             dict(names, __builtins__={}, **FUNCTIONS)))
        except (ZeroDivisionError, TypeError, OverflowError, RecursionError):
            raise LeadlineError("'%.200s' has no value for %s" % (text, " ".join(
                "%s=%d" % pair for pair in sorted(names.items()))))
        if abs(found) > LARGEST:
            raise LeadlineError("'%.200s' is beyond 2^62" % text)
        return found


# ---- bytes of one rank -------------------------------------------------------------


class Part:
    """Chunks of one size: levels are (stride, count), outermost first."""

    def __init__(self, start: int, levels: Sequence[Tuple[int, int]],
                 size: int) -> None:
        self.start, self.levels, self.size = start, tuple(levels), size

    def chunks(self) -> int:
        n = 1
        for _, count in self.levels:
            n *= count
        return n

    def bounds(self) -> Tuple[int, int]:
        """Returns the begin of the first chunk in the file, and the end of the last
        one."""
        steps = [stride * (count - 1) for stride, count in self.levels]
        return (self.start + sum(min(s, 0) for s in steps),
                self.start + sum(max(s, 0) for s in steps) + self.size)


def cut(part: Part, end: int) -> List[Part]:
    """Returns the parts that remain, in order, after cutting at `end`."""
    low, high = part.bounds()
    if high <= end:
        return [part]
    if low >= end:
        return []
    if not part.levels:
        return [Part(part.start, (), end - part.start)]
    (stride, count), inner = part.levels[0], part.levels[1:]
    found, k = [], 0
    while k < count:
        one = Part(part.start + k * stride, inner, part.size)
        whole = count_whole(one, stride, count - k, end)
        if whole:
            found.append(Part(one.start, ((stride, whole),) + inner, part.size))
        else:
            found += cut(one, end)
        k += whole or 1
        if len(found) > MOST_PARTS or one.bounds()[0] >= end and stride >= 0:
            break
    return found


def count_whole(one: Part, stride: int, most: int, end: int) -> int:
    """Returns the number of repetitions, from the first on, that lie before the end."""
    room = end - one.bounds()[1]
    if room < 0:
        return 0
    return most if stride <= 0 else min(most, room // stride + 1)


def apart(part):
    """Returns (part, repetitions): repetitions at the same place are no levels of a
    descriptor."""
    levels = [level for level in part.levels if level[1] != 1]
    zero = [i for i, (stride, _) in enumerate(levels) if stride == 0]
    if not zero:
        return [(Part(part.start, levels, part.size), 1)]
    at = zero[0]
    outer, times, inner = levels[:at], levels[at][1], levels[at + 1:]
    offsets = [part.start]
    for stride, count in outer:
        if len(offsets) * count > MOST_PARTS:
            raise LeadlineError("places are returned to in more than %d of a rank's "
                                "descriptors" % MOST_PARTS)
        offsets = [o + k * stride for o in offsets for k in range(count)]
    some = [apart(Part(o, inner, part.size)) for o in offsets]
    if any(len(one) > 1 for one in some) or len(offsets) > 1 and times > 1 and inner:
        raise LeadlineError("a rank's order of places is too mixed for descriptors")
    return [(one[0][0], one[0][1] * times) for one in some]


class Moved:
    """The bytes that a call site moves on one rank."""

    def __init__(self, transfer, value):
        self.parts, self.empty, self.whole = [], 0, False
        if not value(transfer["where"]):
            return
        levels = [(value(lv["stride"]), value(lv["count"]), lv.get("within_call"))
                  for lv in transfer["levels"]]
        calls = pieces = 1
        for _, count, within in levels:
            count = max(count, 0)
            if within:
                pieces *= count
            else:
                calls *= count
        if not calls:
            return
        start, size = value(transfer["start"]), value(transfer["size"])
        if size <= 0 or not pieces:
            self.empty = calls
            return
        part = Part(start, [(stride, count) for stride, count, _ in levels], size)
        parts = [part]
        if "end" in transfer:
            parts = cut(part, value(transfer["end"]))
        self.pieces = pieces
        left = sum(p.chunks() for p in parts)
        self.whole = left == part.chunks()
        self.empty = (part.chunks() - left) // pieces
        self.parts = [one for p in parts for one in apart(p)]
        if any(p.bounds()[0] < 0 for p, _ in self.parts):
            raise LeadlineError("step %s begins before the file" % transfer["step"])

    def calls(self) -> int:
        return sum(p.chunks() * times for p, times in self.parts)

    def bytes(self) -> int:
        return sum(p.chunks() * times * p.size for p, times in self.parts)

    def row(self) -> skeleton_fit.Row:
        """Returns a Row as skeletons of runs have it, with levels (count, stride)."""
        return skeleton_fit.Row(tuple(
            skeleton_fit.Descriptor(p.start, tuple((n, by) for by, n in p.levels),
                                    p.size, times)
            for p, times in self.parts), None)


# ---- orders -------------------------------------------------------------------------


def order_of(text, value, moved):
    """Returns a rank's order; None: it cannot be expressed by loops. moved: by step."""
    def times_of(is_list, word):
        if is_list != word.startswith("["):
            return None
        return value(word[1:-1]) if is_list else None if word else 1
    items = descriptors.sequence(text, times_of)
    if items is None:
        raise LeadlineError("'%.200s' is no order" % text)
    words = said(items, moved, 1)
    return None if words is None else " ".join(words)


def said(items, moved, around):
    """Formats items. around: repetitions of the whole if it is one step alone; else
    0."""
    words = []
    for what, times in items:
        if isinstance(what, list):
            alone = around * max(times, 0) if len(what) == 1 else 0
            found = said(what, moved, alone) if times > 0 else []
            if found and not alone:
                found = ["(%s)x%d" % (" ".join(found), times)]
        else:
            found = said_step(what, moved.get(what), around)
        if found is None:
            return None
        words += found
    return words


def said_step(number, is_moved, around):
    if is_moved is None:
        return []
    if isinstance(is_moved, int):  # a call that moves nothing, such as a sync
        times = is_moved * (around or 1)
    elif around:
        times = is_moved.calls()
    elif not is_moved.parts:
        return []
    elif is_moved.whole:
        times = is_moved.pieces
    else:
        return None
    return ["%d" % number if times == 1 else "%dx%d" % (number, times)] if times else []


# ---- whole skeletons ----------------------------------------------------------------


class Numbers:
    def __init__(self, data, name, ranks, values):
        self.data, self.name, self.ranks = data, name, ranks
        wanted = [v["name"] for v in data["variables"]]
        missing = [n for n in wanted if n not in values]
        unknown = [n for n in values if n not in wanted]
        if missing or unknown:
            why = "it has no variable " + unknown[0] if unknown else \
                "give a value: --set=" + ",".join(n + "=N" for n in missing)
            raise usage("%s: %s" % (name, why))
        self.of = Expressions(wanted + ["nprocs", "rank"])
        self.names = [dict(values, nprocs=ranks, rank=r) for r in range(ranks)]
        for entry in data["transfers"] + data["calls"]:
            if "unresolved" in entry:
                raise LeadlineError("%s: what %s does is not resolved: %s" % (
                    name, entry["call"], entry["unresolved"]))
        self.moved = {t["step"]: [Moved(t, lambda text, r=r: self.of.value(
            text, self.names[r])) for r in range(ranks)] for t in data["transfers"]}

    def skeleton(self):
        transfers = [self.transfer(t) for t in self.data["transfers"]]
        transfers = [t for t in transfers if t["calls"]]
        calls = [c for c in map(self.call, self.data["calls"]) if c["calls"]]
        return OrderedDict([
            ("schema", SCHEMA), ("mpi", self.data["mpi"]),
            ("ranks", self.ranks),
            ("files", [self.file(f["file"], transfers)
                       for f in self.data["files"]]),
            ("phases", [self.phase(p) for p in self.data["phases"]]),
            ("transfers", transfers), ("calls", calls),
            ("totals", skeleton_fit.totals_of(transfers, calls)),
            ("left_out", OrderedDict(
                [(key, {"calls": 0, "bytes": 0}) for key in (
                    "processes_without_rank", "system_files", "not_files", "too_many")]
                + [("events_dropped", 0)]))])

    def head(self, entry):
        keys = ("step", "phase", "file", "call", "level", "collective", "direction")
        return OrderedDict((k, entry[k]) for k in keys if k in entry)

    def transfer(self, t):
        moved = self.moved[t["step"]]
        made = self.head(t)
        empty = sum(m.empty for m in moved)
        made["ranks"] = max(1, sum(1 for m in moved if m.parts or m.empty))
        made["calls"] = sum(m.calls() for m in moved) + empty
        made["bytes"] = sum(m.bytes() for m in moved)
        if empty:
            made["empty"] = empty
        rows = {r: m.row() for r, m in enumerate(moved) if m.parts}
        made["plans"] = [skeleton_fit.as_json(p) for p in skeleton_fit.plans_of(rows)]
        return made

    def times(self, entry, rank):
        value = self.of.value
        return max(0, value(entry["times"], self.names[rank])) \
            if value(entry["where"], self.names[rank]) else 0

    def call(self, entry):
        made, each = self.head(entry), [self.times(entry, r) for r in range(self.ranks)]
        made["ranks"] = max(1, sum(1 for n in each if n))
        made["calls"], made["bytes"] = sum(each), 0
        return made

    def file(self, name, transfers):
        mine = [t for t in transfers if t["file"] == name]
        moved = [m for t in mine for m in self.moved[t["step"]]]
        movers = max([t["ranks"] for t in mine], default=0)
        ends = [p.bounds()[1] for m in moved for p, _ in m.parts]
        return OrderedDict([
            ("file", name), ("files", 1), ("shared", int(movers > 1)),
            ("inputs", int(bool(mine) and mine[0]["direction"] == "read")),
            ("bytes", max(ends, default=0)),
            ("use", "one" if ends else "no transfers")])

    def phase(self, phase):
        nothing = OrderedDict([("min", 0), ("mean", 0), ("max", 0)])
        made = OrderedDict([("phase", phase["phase"]), ("region", phase["region"]),
                            ("times", 1), ("ranks", self.ranks), ("seconds", nothing),
                            ("io_seconds", nothing), ("think_seconds", nothing)])
        texts, lost = {}, 0
        for rank in range(self.ranks):
            moved = {step: of[rank] for step, of in self.moved.items()}
            for c in self.data["calls"]:
                if "step" in c:
                    moved[c["step"]] = int(self.of.value(
                        c["where"], self.names[rank]) != 0)
            text = order_of(phase["order"], lambda e, r=rank: self.of.value(
                e, self.names[r]), moved)
            lost += text is None
            if text:
                texts[rank] = text
        sequences = {text: skeleton.parse(text) for text in set(texts.values())}
        made["order"] = skeleton_fit.orders_of(
            {rank: sequences[text] for rank, text in texts.items()})
        if lost:
            made["order_lost"] = lost
        return made


def numbers(data: Dict[str, Any], name: str, ranks: int,
            values: Dict[str, int]) -> Dict[str, Any]:
    """Returns the skeleton (leadline-skeleton/1) for so many ranks and these values of
    variables."""
    if not 1 <= ranks <= skeleton_fit.RANKS_MOST:
        raise usage("--np: 1 to %d ranks" % skeleton_fit.RANKS_MOST)
    try:
        return Numbers(data, name, ranks, values).skeleton()
    except (AttributeError, KeyError, TypeError, ValueError) as why:
        raise LeadlineError("%s: damaged: %s is missing or of another kind"
                            % (name, why))


# ---- the command --------------------------------------------------------------------


def setting(text: str) -> Tuple[str, int]:
    name, equals, number = text.partition("=")
    try:
        return name, int(number)
    except ValueError:
        raise usage("--set=%s is not NAME=N, such as K=4" % text)


def read(path: str) -> Dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
    except (OSError, ValueError) as why:
        raise LeadlineError("%s: cannot be read as a skeleton: %s" % (path, why))
    if not isinstance(data, dict) or data.get("schema") != POLYNOMIALS:
        raise LeadlineError("%s: not a skeleton in polynomials: its schema is not %s"
                            % (path, POLYNOMIALS),
                            todo="Of skeletons of traces, name two")
    return data


def main(args, _where):
    if len(args.skeletons) > 2:
        raise usage("one skeleton in polynomials, or two of traces")
    if len(args.skeletons) == 2:
        found = skeleton_fit.numbers(*args.skeletons, ranks=args.np, check=args.check)
    elif args.check:
        raise usage("--check is for two skeletons of traces")
    else:
        path, = args.skeletons
        values = dict(setting(text) for some in args.set for text in some.split(","))
        found = numbers(read(path), path, args.np, values)
    if args.output or not args.check:
        output.write(args.output, json.dumps(found, indent=1) + "\n")
    return 0


OPTIONS = [
    operand("SKELETON ...", "skeletons",
            "what the sources do, or what each of two runs did"),
    option("--np N", "number of ranks", "The number of ranks. Required.",
           type=output.positive, required=True),
    option("--set NAME=N", "the value of a variable of sources; may be repeated",
           "The value of a variable of the sources; may be repeated.",
           action="append", default=[]),
    option("--check SKELETON",
           "with two runs: of a third one, with N ranks; the first call in which it is "
           "another than what they tell is an error",
           "With two runs: compares what they tell of N ranks with a third run, which "
           "has N, call by call. The first difference is an error. Without `--output`, "
           "nothing is written."),
    output_file(),
]


def add(commands):
    p = commands.add_parser(
        "skeleton", help="the skeleton of another number of ranks",
        description="Makes the skeleton of N ranks, for replay and leadline whatif: of "
        "one SKELETON that ldadc analyse --skeleton made of sources; or of two, of "
        "runs that differ in their number of ranks only. What these do not tell is "
        "refused.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
