"""Predicts a program's I/O with another number of ranks, from the skeletons of two runs
that differ in that number only.

A rank has one descriptor for each of its kinds of calls, and places of ranks at equal
distances are one plan. From two runs each number of it is one of these:

    c              it is the same in both
    d / P, d * P   it is exactly that in both
    c + d / P      else, if the files of its role have as many bytes in both runs
    c + d * P      else

and ranks of a plan begin at rank c or end at rank P - c. A transfer that reaches beyond
the file's ends, as those of neighbours' rows do, is cut there; so its descriptor is
completed before, and cut again afterwards. Numbers that the runs do not determine are
refused.
"""
import sys
from collections import OrderedDict, namedtuple
from fractions import Fraction
from itertools import zip_longest

from leadline.base.errors import LeadlineError
from leadline.skeleton import skeleton
from leadline.skeleton.descriptors import plan_text, sequence_text

PLANS_MOST, RANKS_MOST = 256, 1 << 16

# `levels`: ((count, stride), ...), outermost first.
Descriptor = namedtuple("Descriptor", "start levels size repeats")
Row = namedtuple("Row", "descriptors sequence")    # a rank's calls in one transfer
# Rows of ranks at equal distances; `steps`: increment of each descriptor's start.
Plan = namedtuple("Plan", "first step ranks row steps")


class Unknown(LeadlineError):
    """Two runs do not determine it."""


# ---- descriptors -------------------------------------------------------------


def read_descriptor(d, ranks):
    """Returns (descriptor of the plan's first rank, increment of the start to the next
    rank)."""
    plan = skeleton.plan_of(d["plan"], ranks)
    levels = tuple((span // stride, stride) for span, stride in plan.levels)
    return Descriptor(plan.start, levels, plan.size, d["repeats"]), plan.steps[0]


def rows_of(transfer):
    """{rank: Row}"""
    rows = {}
    for plan in transfer["plans"]:
        of = [read_descriptor(d, plan["ranks"]) for d in plan["descriptors"]]
        sequence = skeleton.parse(plan["sequence"]) if "sequence" in plan else None
        for n in range(plan["ranks"]):
            rows[plan["first_rank"] + n * plan["rank_step"]] = Row(
                tuple(d._replace(start=d.start + n * step) for d, step in of), sequence)
    return rows


def in_turn(descriptors):
    """Returns the sequence of descriptors that follow each other, all with the same
    number of repetitions."""
    repeats = descriptors[0].repeats
    if repeats == 1 or len(descriptors) == 1:
        return None
    return [([(n, 1) for n in range(len(descriptors))], repeats)]


def whole(row, end):
    """Completes a first and last chunk that the file's ends have cut."""
    some = list(row.descriptors)
    at = max(range(len(some)), key=lambda n: len(some[n].levels))
    body = some[at]
    if (len(some) == 1 or len(body.levels) != 1 or row.sequence != in_turn(some)
            or len({d.repeats for d in some}) > 1
            or any(d.levels for d in some if d is not body)):
        return row
    (count, stride), = body.levels
    first = body.start - stride
    if at == 1 and some[0].start == 0 and some[0].size == first + body.size:
        body = body._replace(start=first, levels=((count + 1, stride),))
        some[:2], at = [body], 0
    (count, stride), = body.levels
    after = body.start + count * stride
    if (len(some) == at + 2 and some[-1].start == after
            and after + some[-1].size == end and some[-1].size < body.size):
        some[at:] = [body._replace(levels=((count + 1, stride),))]
    return Row(tuple(some), None) if len(some) == 1 else row


def cut(row, end):
    """Reverses `whole`."""
    if len(row.descriptors) > 1 or len(row.descriptors[0].levels) > 1:
        return row
    d, = row.descriptors
    (count, stride), = d.levels or ((1, 0),)
    some = []
    while count and d.start < 0:
        some.append(d._replace(start=0, levels=(), size=d.start + d.size))
        d, count = d._replace(start=d.start + stride), count - 1
    last = d.start + (count - 1) * stride
    tail = count > 0 and last + d.size > end
    if count - tail > 0:
        some.append(d._replace(levels=((count - tail, stride),)
                               if count - tail > 1 else ()))
    if tail:
        some.append(d._replace(start=last, levels=(), size=end - last))
    if not some or min(s.size for s in some) < 1:
        raise Unknown("a transfer would be outside of its file")
    return Row(tuple(some), in_turn(some))


# ---- plans -------------------------------------------------------------------


def shifts(a, b):
    """Returns the differences of the starts of row b from those of a; None: they differ
    in more."""
    if (len(a.descriptors) != len(b.descriptors) or a.sequence != b.sequence
            or any(x._replace(start=0) != y._replace(start=0)
                   for x, y in zip(a.descriptors, b.descriptors))):
        return None
    return tuple(y.start - x.start for x, y in zip(a.descriptors, b.descriptors))


def plans_of(rows):
    """Joins rows of ranks to few plans, as the recorder's reader does."""
    some, ranks = [], sorted(rows)
    while ranks:
        n = 1
        steps = len(ranks) > 1 and shifts(rows[ranks[0]], rows[ranks[1]])
        while (n < len(ranks) and steps is not None
               and ranks[n] - ranks[n - 1] == ranks[1] - ranks[0]
               and shifts(rows[ranks[n - 1]], rows[ranks[n]]) == steps):
            n += 1
        row = rows[ranks[0]]
        some.append(Plan(ranks[0], ranks[1] - ranks[0] if n > 1 else 1, n, row,
                         steps if n > 1 else (0,) * len(row.descriptors)))
        ranks = ranks[n:]
    return some


def orders_of(sequences):
    """Returns a phase's orders, from the sequence of each rank that has one."""
    rows = {rank: Row((), sequence) for rank, sequence in sequences.items()}
    return [OrderedDict([("first_rank", p.first), ("rank_step", p.step),
                         ("ranks", p.ranks), ("steps", sequence_text(p.row.sequence))])
            for p in plans_of(rows)]


def as_json(plan):
    tree = OrderedDict([
        ("first_rank", plan.first), ("rank_step", plan.step), ("ranks", plan.ranks),
        ("descriptors", [OrderedDict([
            ("plan", plan_text(plan.ranks, step, d.start, d.levels, d.size)),
            ("repeats", d.repeats)])
            for d, step in zip(plan.row.descriptors, plan.steps)])])
    if plan.row.sequence:
        tree["sequence"] = sequence_text(plan.row.sequence)
    return tree


# ---- numbers -----------------------------------------------------------------


class Fit:
    """Extrapolates values of runs with p and q ranks to one with `ranks`. `strong`:
    values that are not constant are divided among ranks; else they grow with them."""

    def __init__(self, p, q, ranks, strong):
        self.p, self.q, self.ranks, self.strong = p, q, ranks, strong

    def number(self, a, b, what):
        if a == b:
            return a
        strong = self.strong
        if a * self.p == b * self.q or a * self.q == b * self.p:
            strong = a * self.p == b * self.q
        p, q, x = ((Fraction(1, n) if strong else Fraction(n))
                   for n in (self.p, self.q, self.ranks))
        value = a + (b - a) / (q - p) * (x - p)
        if value.denominator != 1:
            raise Unknown("%s is %d with %d ranks and %d with %d: with %d it would be "
                          "no whole number" % (what, a, self.p, b, self.q, self.ranks))
        return int(value)

    def place(self, a, b, what):
        """Extrapolates a rank, or a number of ranks, counted from the first rank or
        from the last."""
        if a == b:
            return a
        if self.q - b != self.p - a:
            raise Unknown("%s is %d with %d ranks and %d with %d" % (
                what, a, self.p, b, self.q))
        return self.ranks - (self.q - b)

    def sequence(self, a, b, what):
        if len(a or ()) != len(b or ()):
            raise Unknown("%s differs in more than numbers" % what)
        some = []
        for (x, n), (y, m) in zip(a or (), b or ()):
            if isinstance(x, list) != isinstance(y, list) or (
                    not isinstance(x, list) and x != y):
                raise Unknown("%s differs in more than numbers" % what)
            some.append((self.sequence(x, y, what) if isinstance(x, list) else x,
                         self.number(n, m, "a loop of " + what)))
        return some or None

    def descriptor(self, a, b, what):
        if len(a.levels) != len(b.levels):
            raise Unknown("%s has %d levels with %d ranks and %d with %d" % (
                what, len(a.levels), self.p, len(b.levels), self.q))
        levels = tuple((self.number(m, n, "a count of " + what),
                        self.number(s, t, "a stride of " + what))
                       for (m, s), (n, t) in zip(a.levels, b.levels))
        return Descriptor(self.number(a.start, b.start, "a start of " + what), levels,
                          self.number(a.size, b.size, "a size of " + what),
                          self.number(a.repeats, b.repeats, "a count of " + what))

    def plan(self, a, b, what):
        """Returns {rank: Row}."""
        if len(a.row.descriptors) != len(b.row.descriptors):
            raise Unknown("%s has %d descriptors with %d ranks and %d with %d" % (
                what, len(a.row.descriptors), self.p, len(b.row.descriptors), self.q))
        if (a.ranks > 1) != (b.ranks > 1) and any(a.steps + b.steps):
            raise Unknown("%s is of a single rank with %d ranks or %d: take runs with "
                          "more" % (what, self.p, self.q))
        first = self.place(a.first, b.first, "the first rank of " + what)
        ranks = self.place(a.ranks, b.ranks, "the number of ranks of " + what)
        step = b.step if b.ranks > 1 else a.step
        some = [self.descriptor(x, y, what) for x, y in
                zip(a.row.descriptors, b.row.descriptors)]
        shift = [self.number(x, y, "a step of " + what)
                 for x, y in zip(a.steps, b.steps)]
        sequence = self.sequence(a.row.sequence, b.row.sequence, what)
        return {first + n * step: Row(tuple(d._replace(start=d.start + n * s)
                                            for d, s in zip(some, shift)), sequence)
                for n in range(ranks)}


# ---- skeletons ---------------------------------------------------------------


def kind(t):
    return t["phase"], t["file"], t["call"], t.get("direction")


def placed(found):
    """Returns transfers of which at least some have a place, so that orders have
    them."""
    return [t for t in found.transfers if t["plans"] or "drawn" in t]


def named(t):
    return "%s of %s in phase %d" % (t["call"], t["file"], t["phase"])


def stored(found):
    """Returns {role: bytes of all of its files}."""
    return {f["file"]: f["bytes"] * (1 if f["use"] == "one" else f["files"])
            for f in found.files}


def reach(rows):
    """Returns the end of the last transfer."""
    return max((d.start + d.size + sum(max(0, (n - 1) * s) for n, s in d.levels)
                for row in rows.values() for d in row.descriptors), default=0)


def renumbered(sequence, numbers):
    return [(renumbered(what, numbers) if isinstance(what, list) else numbers[what],
             times) for what, times in sequence]


class Scaled:
    """The skeleton for `ranks` ranks, from those of two runs."""

    def __init__(self, a, b, ranks):
        self.a, self.b, self.ranks = a, b, ranks
        if a.ranks == b.ranks:
            raise LeadlineError("%s and %s are of %d ranks both"
                                % (a.name, b.name, a.ranks),
                                todo="Take runs that differ in that")
        if ranks > RANKS_MOST:
            raise LeadlineError("--np: more than %d" % RANKS_MOST)
        self.alike()
        totals = stored(a), stored(b)
        self.fits = {role: Fit(a.ranks, b.ranks, ranks, totals[1][role] == size)
                     for role, size in totals[0].items()}
        self.grow = Fit(a.ranks, b.ranks, ranks, False)
        self.known = {kind(c): c for c in a.calls}
        self.steps = {t["step"]: u["step"] for t, u in zip(placed(a), placed(b))}
        self.steps.update((self.known[kind(c)]["step"], c["step"]) for c in b.calls
                          if "step" in c and kind(c) in self.known)
        self.role = {t["step"]: t["file"] for t in b.transfers + b.calls if "step" in t}
        self.left_out = 0   # kinds of calls that belong to no step

    def alike(self):
        for what, of in (("files", lambda s: [f["use"] for f in s.files]),
                         ("phases", lambda s: [p["region"] for p in s.phases]),
                         ("transfers", lambda s: [kind(t) for t in placed(s)])):
            if of(self.a) != of(self.b):
                raise LeadlineError(
                    "%s and %s differ in more than their ranks: they have other %s"
                    % (self.a.name, self.b.name, what))

    def data(self):
        """Returns the tree as in a file."""
        tree = OrderedDict([
            ("schema", skeleton.SCHEMA), ("mpi", self.b.data["mpi"]),
            ("ranks", self.ranks),
            ("predicted_from", sorted((self.a.ranks, self.b.ranks))),
            ("files", [self.file(x, y) for x, y in zip(self.a.files, self.b.files)]),
            ("phases", [self.phase(x, y) for x, y in zip(self.a.phases,
                                                         self.b.phases)])])
        self.ends = {f["file"]: f["bytes"] for f in tree["files"] if f["use"] == "one"}
        tree["transfers"] = [self.transfer(x, y) for x, y in zip(placed(self.a),
                                                                 placed(self.b))]
        self.left_out += len(self.b.transfers) - len(placed(self.b))
        tree["calls"] = self.calls(tree["phases"])
        tree["totals"] = totals_of(tree["transfers"], tree["calls"])
        none = OrderedDict([("calls", 0), ("bytes", 0)])
        tree["left_out"] = OrderedDict((key, none if isinstance(value, dict) else 0)
                                       for key, value in self.b.left_out.items())
        return tree

    def file(self, x, y):
        is_one = y["use"] == "one"
        tree = OrderedDict(y)
        for key in ("files", "shared", "inputs"):
            tree[key] = self.grow.number(x[key], y[key], "%s of %s" % (key, y["file"]))
        tree["bytes"] = self.fits[y["file"]].number(
            x["bytes"], y["bytes"], "the length of %s" % y["file"])
        if min(tree["files"], tree["bytes"]) < (0 if is_one else 1) and tree["bytes"]:
            raise Unknown("%s would have a negative length" % y["file"])
        return tree

    # ---- order ----

    def order(self, x, y, what):
        """Returns {rank: sequence}."""
        first = self.grow.place(x["first_rank"], y["first_rank"], what)
        ranks = self.grow.place(x["ranks"], y["ranks"], what)
        step = y["rank_step"] if y["ranks"] > 1 else x["rank_step"]
        theirs = skeleton.parse(y["steps"])
        try:
            ours = renumbered(skeleton.parse(x["steps"]), self.steps)
        except KeyError:
            raise Unknown("%s differs in more than numbers" % what)
        strong = any(self.fits[self.role[n]].strong
                     for n in skeleton.counts(y["steps"]))
        fit = Fit(self.a.ranks, self.b.ranks, self.ranks, strong)
        sequence = fit.sequence(ours, theirs, what)
        return {first + n * step: sequence for n in range(ranks)}

    def phase(self, x, y):
        what = "the order of phase %d" % y["phase"]
        if len(x["order"]) != len(y["order"]) or "order_lost" in x or "order_lost" in y:
            raise Unknown("%s is not of the same groups of ranks in both runs, or not "
                          "known" % what)
        sequences = {}
        for of_a, of_b in zip(x["order"], y["order"]):
            sequences.update(self.order(of_a, of_b, what))
        tree = OrderedDict(y)
        tree["ranks"] = self.grow.number(x["ranks"], y["ranks"], what)
        tree["order"] = orders_of(self.inside(sequences))
        return tree

    def inside(self, rows):
        if rows and not 0 <= min(rows) <= max(rows) < self.ranks:
            raise Unknown("a rank would be none of %d" % self.ranks)
        return rows

    # ---- calls ----

    def transfer(self, x, y):
        what, fit = named(y), self.fits[y["file"]]
        plans = [plans_of({rank: self.made_whole(row, f, y["file"]) for rank, row in
                           rows_of(t).items()}) for f, t in ((self.a, x), (self.b, y))]
        if len(plans[0]) != len(plans[1]):
            raise Unknown("%s has %d plans with %d ranks and %d with %d" % (
                what, len(plans[0]), self.a.ranks, len(plans[1]), self.b.ranks))
        rows = {}
        for of_a, of_b in zip(*plans):
            rows.update(fit.plan(of_a, of_b, what))
        end = self.ends.get(y["file"])
        rows = {rank: row if end is None else cut(row, end)
                for rank, row in self.inside(rows).items()}
        some = plans_of(rows)
        if len(some) > PLANS_MOST:
            raise Unknown("%s would have more than %d plans" % (what, PLANS_MOST))
        tree = OrderedDict(y)
        tree["plans"] = [as_json(p) for p in some]
        for key in ("empty", "failed"):
            if key in x or key in y:
                tree[key] = self.grow.number(x.get(key, 0), y.get(key, 0), what)
        for key in ("drawn", "unplaced"):
            if x.get(key) != y.get(key):
                raise Unknown("%s has calls that follow no pattern, others in each run"
                              % what)
        tree["ranks"] = (len(rows) if rows else
                         self.grow.number(x["ranks"], y["ranks"], what))
        add_up(tree)
        self.check_sums(x, y, tree, rows)
        return tree

    def check_sums(self, x, y, tree, rows):
        """Checks that relations which hold in both runs hold here: otherwise a number
        has another form."""
        if x["bytes"] == y["bytes"] != tree["bytes"]:
            raise Unknown("%s would have %d bytes, not %d as in both runs"
                          % (named(y), tree["bytes"], y["bytes"]))
        ends = [reach(rows_of(t)) == f["bytes"]
                for t, found in ((x, self.a), (y, self.b))
                for f in found.files if f["file"] == y["file"]]
        end = self.ends.get(y["file"])
        if end is not None and rows and all(ends) and reach(rows) != end:
            raise Unknown("%s would end at %d, and the file at %d"
                          % (named(y), reach(rows), end))

    @staticmethod
    def made_whole(row, found, role):
        f, = (f for f in found.files if f["file"] == role)
        return whole(row, f["bytes"]) if f["use"] == "one" else row

    def calls(self, phases):
        some = []
        for c in self.b.calls:
            x, tree = self.known.get(kind(c)), OrderedDict(c)
            try:
                if not x:
                    raise Unknown("it is in one run only")
                if "step" in c:
                    self.count_step(tree, phases[c["phase"]]["order"])
                for key in ("ranks", "calls", "bytes", "failed"):
                    if key in c and ("step" not in c or key == "failed"):
                        tree[key] = self.grow.number(x.get(key, 0), c[key], named(c))
                if min(tree["ranks"], tree["calls"]) < 1:
                    raise Unknown("there would be none")
                some.append(tree)
            except Unknown:
                if "step" in c:
                    raise
                self.left_out += 1
        return some

    @staticmethod
    def count_step(tree, orders):
        each = [(o["ranks"], skeleton.counts(o["steps"]).get(tree["step"], 0))
                for o in orders]
        tree["ranks"] = sum(ranks for ranks, n in each if n)
        tree["calls"] = sum(ranks * n for ranks, n in each)


def add_up(transfer):
    """Checks that calls and bytes are the sums of the parts."""
    calls, size = transfer.get("empty", 0) + transfer.get("failed", 0), 0
    for plan in transfer["plans"]:
        for d in plan["descriptors"]:
            chunks, chunk = skeleton.counted(d["plan"], plan["ranks"])
            calls += chunks * d["repeats"]
            size += chunks * d["repeats"] * chunk
    for key in ("drawn", "unplaced"):
        calls += transfer.get(key, {}).get("calls", 0)
        size += transfer.get(key, {}).get("bytes", 0)
    transfer["calls"], transfer["bytes"] = calls, size


def totals_of(moves, calls):
    def summed(some):
        return OrderedDict((key, sum(s.get(key, 0) for s in some))
                           for key in ("calls", "bytes"))

    parts = {key: summed([t.get(key, {}) for t in moves])
             for key in ("drawn", "unplaced")}
    every = summed(moves)
    idle = sum(t.get("empty", 0) + t.get("failed", 0) for t in moves)
    described = OrderedDict(
        (key, every[key] - parts["drawn"][key] - parts["unplaced"][key]
         - (idle if key == "calls" else 0)) for key in every)
    return OrderedDict([("transfers", every), ("described", described),
                        ("drawn", parts["drawn"]), ("unplaced", parts["unplaced"]),
                        ("calls", summed(calls))])


# ---- call by call ------------------------------------------------------------


def unfolded(sequence):
    for what, times in sequence:
        for _ in range(times):
            if isinstance(what, list):
                yield from unfolded(what)
            else:
                yield what


def chunks(d):
    """Generates offsets, in the order of the loops."""
    def below(start, levels):
        if not levels:
            yield start
            return
        (count, stride), *others = levels
        for n in range(count):
            yield from below(start + n * stride, others)
    return below(d.start, d.levels)


def extents(row):
    """Returns (offset, bytes) of a rank's transfers, one after the other."""
    numbers = unfolded(row.sequence) if row.sequence else (
        n for n, d in enumerate(row.descriptors) for _ in range(d.repeats))
    for n in numbers:
        d = row.descriptors[n]
        for offset in chunks(d):
            yield offset, d.size


def calls_by_rank(found):
    """Returns for each rank a generator of (kind of call, offset, bytes)."""
    rows = {t["step"]: rows_of(t) for t in found.transfers}
    kinds = {t["step"]: kind(t) for t in found.transfers + found.calls if "step" in t}
    orders = {}
    for n, phase in enumerate(found.phases):
        for o in phase["order"]:
            steps = skeleton.parse(o["steps"])
            for k in range(o["ranks"]):
                orders[n, o["first_rank"] + k * o["rank_step"]] = steps

    def calls(rank):
        for n in range(len(found.phases)):
            places = {step: extents(of[rank]) for step, of in rows.items()
                      if rank in of}
            for step in unfolded(orders.get((n, rank), ())):
                yield (kinds[step],) + next(places[step], (None, None)) \
                    if step in places else (kinds[step], None, None)

    return [calls(rank) for rank in range(found.ranks)]


def compare(predicted, real):
    """Returns (calls, bytes) of both; raises a sentence if they differ."""
    if predicted.ranks != real.ranks:
        raise LeadlineError("%s is of %d ranks, not %d" % (real.name, real.ranks,
                                                           predicted.ranks))
    number = size = 0
    for rank, both in enumerate(zip(calls_by_rank(predicted), calls_by_rank(real))):
        for n, (ours, theirs) in enumerate(zip_longest(*both)):
            if ours != theirs:
                raise LeadlineError(
                    "call %d of rank %d is predicted as %s, and is %s in %s" % (
                        n + 1, rank, described(ours), described(theirs), real.name))
            number += 1
            size += ours[2] or 0
    return number, size


def described(call):
    if not call:
        return "none"
    (phase, role, name, _), offset, size = call
    place = "" if offset is None else ", %d bytes at %d" % (size, offset)
    return "%s of %s in phase %d%s" % (name, role, phase, place)


# ---- streams -----------------------------------------------------------------


def kept(sequence, gone):
    """Removes some steps; a loop that keeps one step becomes that step, with as many
    repetitions."""
    some = []
    for what, times in sequence:
        if isinstance(what, list):
            what = kept(what, gone)
            if len(what) == 1:
                (what, inner), = what
                times *= inner
        if what not in gone and what != []:
            some.append((what, times))
    return some


def without_streams(found):
    """Removes streams. Logs and reports are written by stdio, with other bytes in each
    run: they cannot be predicted from two runs."""
    gone = [t["step"] for t in found.transfers + found.calls
            if "step" in t and t["level"] == "stdio"]
    for phase in found.phases if gone else ():
        sequences = {}
        for o in phase["order"]:
            steps = kept(skeleton.parse(o["steps"]), gone)
            for n in range(o["ranks"] if steps else 0):
                sequences[o["first_rank"] + n * o["rank_step"]] = steps
        phase["order"] = orders_of(sequences)
    for t in found.transfers + found.calls:
        if t.get("step") not in gone:
            continue
        if "direction" in t:
            t["plans"] = []
            t.pop("drawn", None)
        else:
            del t["step"]
    return found


# ---- whole skeletons ---------------------------------------------------------


def numbers(first, second, ranks, check=None):
    """Returns the tree as in a file, from the files of two runs; compares it with that
    of a third one, if given."""
    a, b = (without_streams(skeleton.load(path)) for path in (first, second))
    made = skeleton.Skeleton(scaled(a, b, ranks), "what %s and %s tell of %d ranks"
                             % (first, second, ranks))
    if check:
        calls, size = compare(made, without_streams(skeleton.load(check)))
        sys.stderr.write("leadline skeleton: %s has the same: %d calls with %d bytes "
                         "of %d ranks, each at its place and in its turn\n"
                         % (check, calls, size, ranks))
    return made.data


def scaled(a, b, ranks):
    try:
        of = Scaled(a, b, ranks)
        tree = of.data()
    except Unknown as why:
        raise LeadlineError("%s and %s do not tell what %d ranks would do: %s"
                            % (a.name, b.name, ranks, why))
    if of.left_out:
        sys.stderr.write(
            "leadline skeleton: %d kinds of calls are left out: transfers without a "
            "place, and others that do not grow with the ranks\n" % of.left_out)
    return tree
