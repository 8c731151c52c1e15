"""Reads and checks a sweep's specification, and makes commands of it."""
import functools
import hashlib
import itertools
import json
import os
import re
import string
import unicodedata
from collections import OrderedDict, namedtuple
from typing import Any, Dict, Iterable, List, Sequence

from leadline.base import launcher
from leadline.base.errors import LeadlineError, usage
from leadline.results.report import read_json
from leadline.sweep import factors

FEW_ROUNDS = 6   # with fewer, compare shows no interval
MOST_RUNS = 100000
LONG = 80        # longest name, which becomes part of file names
# {number of first rounds: longest period with which they must not repeat}
RHYTHMS = {6: 2, 8: 4}

Config = namedtuple("Config", "name values")


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def scalar(value):
    return value is None or isinstance(value, (str, int, float))


def scalars(value):
    """Accepts a list of values, or an object of them: name = value."""
    found = list(value.values()) if isinstance(value, dict) else value
    return isinstance(found, list) and found != [] and all(map(scalar, found))


def is_seed(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_case(value):
    """Accepts an object of values, each of which may have a name: {name: value}."""
    return isinstance(value, dict) and value != {} and all(
        scalar(unnamed(v)) and len(v) == 1 if isinstance(v, dict) else scalar(v)
        for v in value.values())


def unnamed(value):
    return next(iter(value.values()), None) if isinstance(value, dict) else value


# name: (default, test, description of valid values)
KEYS: OrderedDict = OrderedDict([
    ("program", (None, text, "a program's name or path")),
    ("np", (1, whole, "a whole number above 0")),
    ("args", ([], texts, "a list of strings")),
    ("matrix", ({}, lambda m: isinstance(m, dict) and all(map(scalars, m.values())),
                "an object whose values are lists: option = [values], or objects: "
                "option = {name: value}")),
    ("cases", ([{}], lambda c: isinstance(c, list) and c != [] and all(
        map(is_case, c)), "a list of objects: option = value, or {name: value}")),
    ("rounds", (FEW_ROUNDS, whole, "a whole number above 0")),
    ("seed", (None, is_seed, "a whole number")),
    ("mpiexec", (None, lambda m: text(m) or (texts(m) and m != []),
                 "a launcher, or a list of it and its arguments")),
    ("mpiexec_args", ([], texts, "a list of strings")),
    ("hostfile", (None, text, "a path")),
    ("sbatch", ([], texts, "a list of strings")),
    ("env", ({}, lambda e: isinstance(e, dict) and texts(list(e.values())) and all(
        name and "=" not in name for name in e),
             "an object of strings, whose names have no =")),
    ("timeout", (600, lambda t: isinstance(t, (int, float)) and not isinstance(t, bool)
                 and 0 < t <= 1e9,
                 "seconds, above 0 and up to 1e9")),
])

# Keys that may change between two calls without invalidating the finished runs.
MAY_CHANGE = ("rounds", "timeout")


def read(path: str) -> Dict[str, Any]:
    if path.endswith(".toml"):
        tree = read_toml(path)
    else:
        tree = read_json(path, lambda pairs: once(path, pairs))
    return check(path, tree)


def once(path, pairs):
    """Makes an object; refuses a name that occurs twice, as one of its values would be
    lost."""
    found = OrderedDict()
    for name, value in pairs:
        if name in found:
            raise usage("%s: %s is in one object twice" % (path, json.dumps(name)))
        found[name] = value
    return found


def read_toml(path):
    try:
        import tomllib
    except ImportError:
        raise usage("%s: TOML needs Python 3.11 or later" % path,
                    todo="Write it as JSON")
    try:
        with open(path, "rb") as stream:
            return tomllib.load(stream)
    except OSError as why:
        raise LeadlineError("%s: cannot be read: %s" % (path, why.strerror))
    except ValueError as why:
        raise usage("%s: not TOML: %s" % (path, why))


def strings(tree):
    """Returns all texts in a tree."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, (dict, list)):
        for item in tree:
            yield from strings(item)
        if isinstance(tree, dict):
            yield from strings(list(tree.values()))


def can_be_argument(words):
    """True if the system can pass it to a program."""
    try:
        return b"\0" not in os.fsencode(words)
    except UnicodeEncodeError:
        return False


def check_size(path, spec):
    runs = spec["rounds"] * len(spec["cases"])
    for values in spec["matrix"].values():
        runs *= len(values)
    if runs > MOST_RUNS:
        raise usage("%s: these are %d runs, more than %d" % (path, runs, MOST_RUNS))


def check_twice(path, spec):
    """Refuses equal values, which would silently be one configuration."""
    lists = [(name, values) for name, values in spec["matrix"].items()
             if isinstance(values, list)] + [("cases", spec["cases"])]
    for name, values in lists:
        texts_ = [json.dumps(value, sort_keys=True) for value in values]
        for i, words in enumerate(texts_):
            if words in texts_[:i]:
                raise usage('%s: %s has %s twice' % (path, name, words),
                            todo='To compare a configuration with itself, give its '
                            'values names: {"a": ..., "b": ...}')


def check(path: str, tree: Any) -> Dict[str, Any]:
    """Returns the specification with its defaults; raises a sentence if it is
    invalid."""
    if not isinstance(tree, dict):
        raise usage("%s: a specification is an object" % path)
    for name in tree:
        if name not in KEYS:
            raise usage("%s: there is no key %s; there are: %s"
                        % (path, name, ", ".join(KEYS)))
    spec = OrderedDict()
    for name, (default, test, wanted) in KEYS.items():
        spec[name] = tree.get(name, default)
        if name in tree and not test(tree[name]):
            raise usage("%s: %s must be %s" % (path, name, wanted))
    for words in strings(spec):
        if not can_be_argument(words):
            raise usage("%s: no command line can hold %s" % (path, json.dumps(words)))
    check_size(path, spec)
    check_twice(path, spec)
    for config in configurations(spec):
        for name, value in config.values.items():
            factors.check(path, name, value)
        if factors.chosen(spec, config, "program") is None:
            raise usage('%s: it must name a program, as in "program": "madbench"'
                        % path)
        fill(spec["args"], config.values, path)
    return spec


def fields_of(args):
    """Returns (literal text, name or None) of all parts of each argument. Only plain
    {name} is accepted, as no option needs Python's attributes and formats."""
    try:
        parts = [list(string.Formatter().parse(arg)) for arg in args]
    except ValueError:
        return None
    if any(form or conversion for each in parts for _, _, form, conversion in each):
        return None
    return [[(words, name) for words, name, _, _ in each] for each in parts]


def fill(args, values, path="the specification of the sweep"):
    """Replaces {name} in fixed arguments by the configuration's value."""
    try:
        return ["".join(words + ("" if name is None else str(values[name]))
                        for words, name in each) for each in fields_of(args)]
    except (KeyError, TypeError):
        raise usage("%s: args name a value that matrix and cases do not have: %s"
                    % (path, " ".join(args)))


def placeholders(args):
    return set(name for each in fields_of(args) or [] for _, name in each if name)


# ---- configurations ----------------------------------------------------------


def configurations(spec: Dict[str, Any]) -> List[Any]:
    """Returns each case with all combinations of the matrix. A case's own values
    replace those of the matrix. Names of configurations go into file names and
    --series."""
    words = all_words(spec)
    made: Dict[str, Any] = OrderedDict()
    for case in spec.get("cases", [{}]):
        for pairs in itertools.product(*[named(name, values, words) for name, values
                                         in spec["matrix"].items()]):
            config = OrderedDict(zip(spec["matrix"], pairs))
            config.update((n, (words[n, repr(v)], unnamed(v))) for n, v in case.items())
            made.setdefault(repr(list(config.items())), config)
    short = [join(word for word, _ in config.values()) for config in made.values()]
    combined = [OrderedDict((n, v) for n, (_, v) in config.items())
                for config in made.values()]
    if len(set(short)) < len(short):
        short = [join("%s=%s" % item for item in c.items()) for c in combined]
    short = [name[:LONG] for name in short]
    if len(set(short)) < len(short):
        short = ["%s-%d" % (name, i + 1) for i, name in enumerate(short)]
    return [Config(name, values) for name, values in zip(short, combined)]


def named(name, values, words):
    """Returns [(word, value)] of an axis. In an object equal values are distinct: the
    user who names them twice compares a configuration with itself."""
    if isinstance(values, dict):
        return list(values.items())
    return [(words[name, repr(v)], v) for v in values]


def values_of(values):
    return list(values.values()) if isinstance(values, dict) else values


def all_words(spec):
    """Returns {(name, value as text): its word in names}."""
    words, places = {}, {}
    for name, values in spec["matrix"].items():
        for value in values_of(values):
            words[name, repr(value)] = value_word(name, value)
            places.setdefault(name, []).append(value)
    for case in spec.get("cases", [{}]):
        for name, value in case.items():
            words[name, repr(value)] = (next(iter(value)) if isinstance(value, dict)
                                        else value_word(name, value))
            places.setdefault(name, []).append(unnamed(value))
    for name in factors.PLACES:
        found = list(OrderedDict.fromkeys(filter(text, places.get(name, []))))
        words.update(((name, repr(v)), word)
                     for v, word in zip(found, factors.short(found)))
    for name, values in spec["matrix"].items():
        if isinstance(values, dict):
            words.update(((name, repr(v)), word) for word, v in values.items())
    return words


def ascii_of(text):
    """Removes accents from letters; replaces other characters by their numbers, so that
    two of them do not get the same name."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join("" if unicodedata.combining(c) else c if ord(c) < 128
                   else "u%x" % ord(c) for c in plain)


def join(words: Iterable[str]) -> str:
    name = ascii_of("-".join(word for word in words if word))
    return re.sub(r"[^A-Za-z0-9._=+-]", "_", name) or "default"


def value_word(name, value):
    """Returns the word for a value: posix; collective; npix1024; OMP_NUM_THREADS4."""
    if name.startswith(factors.ENV):
        name = name[len(factors.ENV):]
        if value is None:
            return "no-" + name
    if isinstance(value, bool):
        return name if value else ""
    if isinstance(value, str) and not value[:1].isdigit():
        return value
    return "%s%s" % (name, value)


def order(configs: Sequence[Any], round_number: int, seed: int) -> List[Any]:
    """Returns the order of a round's configurations: a permutation, drawn anew for each
    round. A fixed order has a rhythm, and so may storage, such as a device that becomes
    slow after so many bytes: if the two coincide, equals differ."""
    n = len(configs)
    return [configs[i] for i in drawn(n, round_number, seed, attempt(n, seed))]


def drawn(n, round_number, seed, number):
    """Returns a permutation of n, from hashes: the same on all machines, for any order
    of calls."""
    def place(i):
        return hashlib.sha256(b"%d %d %d %d" % (seed, number, round_number, i)).digest()
    return sorted(range(n), key=place)


@functools.lru_cache(maxsize=256)
def attempt(n, seed):
    """Returns the number of the draw to use for all rounds: the first that does not
    begin like a rhythm, as a few rounds of two configurations do now and then."""
    return next(k for k in itertools.count() if n < 2 or not regular(
        [drawn(n, number, seed, k) for number in range(1, 1 + max(RHYTHMS))]))


def regular(lines):
    """True if the first rounds repeat periodically."""
    return any(lines[:first - period] == lines[period:first]
               for first, most in RHYTHMS.items() for period in range(1, most + 1))


# ---- commands ----------------------------------------------------------------


def ranks(spec: Dict[str, Any], config: Any) -> int:
    return config.values.get("np", spec["np"])


def command(spec: Dict[str, Any], config: Any, where: Any,
            slurm: bool = False) -> List[str]:
    """Returns the command to start; `where` has .mpiexec and .folders, see cli. slurm:
    in a job of Slurm."""
    program = program_line(spec, config, where)
    words = launch_words(spec, config, program[0], where, slurm)
    names = sorted(n for n, v in factors.variables(spec, config).items()
                   if v is not None)
    path = factors.chosen(spec, config, "hostfile")
    return (words + (launcher.hosts(words, path) if path else [])
            + launcher.variables(words, names)
            + ["-n", str(ranks(spec, config))] + spec["mpiexec_args"] + program)


def launch_words(spec, config, program, where, slurm):
    return launcher.words_of(factors.chosen(spec, config, "mpiexec")
                             or launcher.find(program, where, slurm))


def program_line(spec: Dict[str, Any], config: Any, where: Any) -> List[str]:
    """Returns the command without its launcher."""
    taken = placeholders(spec["args"])
    options = []
    for name, value in config.values.items():
        if name not in taken and not factors.is_factor(name):
            options += option(name, value)
    return ([launcher.find_program(factors.chosen(spec, config, "program"),
                                   where.folders)]
            + fill(spec["args"], config.values) + options)


def option(name, value):
    if isinstance(value, bool):
        return ["--" + name] if value else []
    return ["--%s=%s" % (name, value)]


def differing(spec: Dict[str, Any], other: Dict[str, Any]) -> str:
    """Returns the keys, with commas, in which two specifications differ; "" if one may
    continue what the other began."""
    def kept(tree, name):
        return json.dumps(tree.get(name, KEYS[name][0]), sort_keys=True)
    return ", ".join(name for name in KEYS if name not in MAY_CHANGE
                     and kept(spec, name) != kept(other, name))
