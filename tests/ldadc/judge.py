"""Compares ldadc's descriptions of a program with its transfers.

A fault is a sentence. An unresolved call is never a fault here, whatever else is said
of it; a resolved one must be true on each rank."""
import ast
import collections
import operator
import os



def dims(processes, n, i):
    """Returns MPI_Dims_create's extent i of n: the most even ones, falling."""
    def ways(left, n, most):
        if n == 1:
            return [(left,)] if left <= most else []
        return [(d,) + rest for d in range(min(left, most), 0, -1) if left % d == 0
                for rest in ways(left // d, n - 1, d)]
    return min(ways(processes, n, processes), key=lambda w: (w[0] - w[-1], w))[i]


FUNCTIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "min": min, "max": max,
             "dim": dims, "root": lambda n: int(n ** 0.5 + 1e-9)}
DISJOINT = ("segmented", "interleaved", "disjoint", "alone")
ALLOWED = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.UnaryOp, ast.USub,
           ast.Compare, ast.Eq, ast.Lt, ast.Call, ast.Name, ast.Load, ast.Constant,
           getattr(ast, "Num", ast.Constant))


class Fault(Exception):
    pass


def value(text, names):
    """Returns the value of an expression of the contract, in exact arithmetic."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        raise Fault("'%s' is no expression" % text)
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED):
            raise Fault("'%s' has a %s" % (text, type(node).__name__))
        if isinstance(node, ast.Name) and node.id not in names \
                and node.id not in FUNCTIONS:
            raise Fault("'%s': the test knows no value of %s" % (text, node.id))
    scope = dict(names, __builtins__={}, **FUNCTIONS)
    try:
        return eval(compile(tree, text, "eval"), scope)
    except ZeroDivisionError:
        raise Fault("'%s' divides by zero" % text)


def count_of(level, names):
    """Returns how many times a level repeats."""
    stride, span = value(level["stride"], names), value(level["span"], names)
    if "count" not in level and (stride == 0 or span % stride):
        raise Fault("span %s and stride %s give no count"
                    % (level["span"], level["stride"]))
    count = value(level["count"], names) if "count" in level else span // stride
    if count * stride != span:
        raise Fault("span %s is not stride %s as often as %s"
                    % (level["span"], level["stride"], level["count"]))
    return count


def chunks(call, names):
    """Returns (offset, bytes) of a resolved call's transfers on one rank, in order."""
    among = names.get("of all", names) if call.get("ranks_of") else names
    if call.get("ranks") and not value(call["ranks"], among):
        return []
    d = call["descriptor"]
    offsets, size = [value(d["start"], names)], value(d["size"], names)
    for level in d["levels"]:
        stride = value(level["stride"], names)
        steps = [k * stride for k in range(count_of(level, names))]
        offsets = [at + step for at in offsets for step in steps]
    end = value(call["clip"], names) if call.get("clip") else None
    found = [(at, size if end is None else min(size, end - at)) for at in offsets]
    return [(at, size) for at, size in found if size > 0]


def joined(pieces):
    """Joins contiguous pieces."""
    found = []
    for at, size in pieces:
        if found and sum(found[-1]) == at:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((at, size))
    return found


def name_of(place):
    return "%s:%d" % place


def site_of(call):
    return os.path.basename(call["source"]), call["line"]


def via_of(call):
    return tuple((os.path.basename(v["source"]), v["line"]) for v in call["via"])


def all_calls(report):
    return [call for f in report["files"] for call in f["calls"]]


def related(call):
    """Returns True if it is resolved, and its relation of ranks is known."""
    return call["resolved"] and call["class"] != "unresolved"


def names_of(report, symbols, nprocs, rank):
    """Returns values by identifier; without a given one, by its text in the program."""
    names = {"nprocs": nprocs, "rank": rank}
    for s in report["symbols"]:
        if s["class"] == "constant" and s.get("value") is not None:
            names[s["id"]] = s["value"]
        elif s["text"] in symbols or s["id"] in symbols:
            names[s["id"]] = symbols.get(s["id"], symbols.get(s["text"]))
    return names


def shared(by_rank):
    """Returns True if two ranks have a byte in common."""
    pieces = sorted((at, at + size, rank)
                    for rank, list_ in by_rank.items() for at, size in list_)
    reach = {}
    for begin, end, rank in pieces:
        if any(e > begin for r, e in reach.items() if r != rank):
            return True
        reach[rank] = max(reach.get(rank, 0), end)
    return False


def one_region_each(by_rank):
    """Returns True if all of a rank's bytes come before all of the next one's."""
    bounds = sorted((min(p[0] for p in list_), max(sum(p) for p in list_))
                    for list_ in by_rank.values() if list_)
    return all(a[1] <= b[0] for a, b in zip(bounds, bounds[1:]))


def claim(klass, by_rank, nprocs):
    """Returns the part of a class that does not hold for chunks by rank; "": all
    holds."""
    if klass in DISJOINT and shared(by_rank):
        return "ranks share bytes"
    if klass == "segmented" and not one_region_each(by_rank):
        return "ranks' regions are mixed"
    if klass == "alone" and sum(1 for list_ in by_rank.values() if list_) > 1:
        return "more than one rank takes part"
    if klass == "overlapped" and nprocs > 1 and not shared(by_rank):
        return "ranks share nothing"
    return ""


def same(told, did):
    """Compares; did: transfers. A chunk is a call, unless a view may leave out bytes of
    it."""
    if any(t.viewed for t in did):
        return joined(told) == joined([p for t in did for p in t.pieces])
    return told == [p for t in did for p in t.pieces]


def short(pieces):
    text = " ".join("%d+%d" % p for p in pieces[:6])
    return (text or "nothing") + (" ..." if len(pieces) > 6 else "")


def groups(report):
    """Returns calls by place and callers: truth.c cannot tell those of a group
    apart."""
    found = collections.defaultdict(list)
    for call in all_calls(report):
        found[site_of(call), via_of(call)].append(call)
    return found


def of_group(did, key):
    """Returns the transfers of a group; callers may be given from either end."""
    site, via = key
    return [t for t in did if t.places[0] == site
            and t.places[1:] in (via, via[::-1])]


def judge_rank(key, calls, did, names):
    """Returns (chunks predicted, fault or "") of one rank of one group, all of it
    resolved."""
    mine = of_group(did, key)
    told = [piece for call in calls for piece in chunks(call, names)]
    where = "%s, rank %d of %d" % (name_of(key[0]), names["rank"], names["nprocs"])
    if any(t.pieces is None for t in mine):
        return told, "%s: resolved with a shared file pointer" % where
    if len(calls) > 1:  # they are on one line: their order is not known
        pieces = sorted(p for t in mine for p in t.pieces)
        right = joined(sorted(told)) == joined(pieces) if any(t.viewed for t in mine) \
            else sorted(told) == pieces
    else:
        right = same(told, mine)
    if right:
        return told, ""
    return told, "%s: said %s, but it was %s" % (
        where, short(told), short([p for t in mine for p in t.pieces]))


def judge_group(report, key, calls, did, symbols):
    by_rank, faults, nprocs, apart = {}, [], len(did), False
    if all(call["conditions"] for call in calls) and \
            not any(of_group(transfers, key) for transfers in did.values()):
        return []  # a condition that is the same on all ranks, and does not hold
    for rank in did:
        place, places = ([t.of for t in of_group(did[rank], key)]
                         or [(rank, nprocs)])[0]
        names = names_of(report, symbols, places, place)
        names["of all"] = dict(names, nprocs=nprocs, rank=rank)
        apart = apart or places != nprocs
        try:
            by_rank[rank], fault = judge_rank(key, calls, did[rank], names)
        except Fault as e:
            by_rank[rank], fault = [], "%s: %s" % (name_of(key[0]), e)
        faults += [fault] if fault else []
    if apart or len(calls) > 1:
        # it is not known which ranks share a file, or which chunks belong to which
        return faults
    fault = claim(calls[0]["class"], by_rank, nprocs)
    if fault:
        faults.append("%s, %d ranks: %s, but %s"
                      % (name_of(key[0]), nprocs, calls[0]["class"], fault))
    return faults


def unlisted(report, did):
    """Returns places of transfers that the report does not contain."""
    known, open_sites = set(), set()
    for call in all_calls(report):
        known |= {(site_of(call), via_of(call)), (site_of(call), via_of(call)[::-1])}
        if not call["resolved"]:
            open_sites.add(site_of(call))
    return sorted({t.places[0] for list_ in did.values() for t in list_
                   if t.places[0] not in open_sites
                   and (t.places[0], t.places[1:]) not in known})


def judge(report, did, symbols):
    """Returns faults of a report; did: {rank: [Transfer, ...]} of one run."""
    faults = []
    for key, calls in sorted(groups(report).items()):
        if all(call["resolved"] for call in calls):
            faults += judge_group(report, key, calls, did, symbols)
    return faults


def judge_expected(report, expect):
    """Returns faults of a report, compared with its author's expectations."""
    sites = sorted({site_of(call) for call in all_calls(report)})
    if len(sites) != len(expect):
        return ["%d calls are expected, %d reported: %s"
                % (len(expect), len(sites), " ".join(map(name_of, sites)))]
    faults = []
    for site, words in zip(sites, expect):
        calls = sorted((c for c in all_calls(report) if site_of(c) == site), key=via_of)
        for number, call in enumerate(calls):
            fault = against(call, words, number)
            faults += ["%s: %s" % (name_of(site), fault)] if fault else []
    return faults


def against(call, words, number):
    if "warned" in words and not call["warnings"]:
        return "nothing is warned of"
    if words[0] == "resolved" and not call["resolved"]:
        return "unresolved: %s" % call.get("reason")
    if words[0] == "unresolved" and call["resolved"]:
        return "resolved, as %s" % call["descriptor"]
    if words[0] == "resolved":
        wanted = words[1].split(",")
        wanted = wanted[number if number < len(wanted) else -1]
        if call["class"] != wanted:
            return "%s, not %s" % (call["class"], wanted)
    if not call["resolved"] and not (call.get("reason") and call.get("reason_line")):
        return "no reason is given, or no line of it"
    return ""
