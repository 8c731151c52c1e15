"""The state of a sweep on disk, sweep.json: the name of the sweep in a folder, and the
order of its rounds. Only the holder of the folder's lock changes it.
"""
import json
import os
import time
from collections import OrderedDict, namedtuple

from leadline.base import output
from leadline.base.errors import LeadlineError, usage
from leadline.results import report as reports
from leadline.sweep import spec as specs

NAME = "sweep.json"

# names: those that an earlier call gave the configurations; None: make new ones.
Known = namedtuple("Known", "id names seed")


class Unreadable(LeadlineError):
    """The state is truncated, or is not JSON."""


def read(out):
    """Returns the tree of the sweep in `out`; None if there is none."""
    path = os.path.join(out, NAME)
    if not os.path.lexists(path):
        return None
    try:
        tree = reports.read_json(path)
    except LeadlineError as why:
        raise Unreadable("%s: the state of the sweep cannot be read: %s"
                         % (path, str(why)[len(path) + 2:]),
                         todo="Say --fresh to put it aside with its reports and to "
                         "start again")
    if not is_state(tree):
        raise LeadlineError("%s: not the state of a sweep" % path)
    return tree


def is_state(tree):
    return (reports.schema_of(tree) == reports.SWEEP_SCHEMA
            and isinstance(tree.get("spec"), dict) and specs.text(tree.get("id"))
            and specs.join([tree["id"]]) == tree["id"])


def known(spec, out):
    """Returns the sweep in `out`, which must be of this specification; None if there is
    none."""
    tree = read(out)
    if tree is None:
        return None
    seed = tree["spec"].get("seed")
    if spec["seed"] is None and specs.is_seed(seed):
        spec = dict(spec, seed=seed)
    other = specs.differing(spec, tree["spec"])
    if other:
        raise usage("%s: it holds a sweep of another specification: other %s"
                    % (out, other),
                    todo="Give another --out, or --fresh to start over")
    return Known(tree["id"], names_of(tree), spec["seed"])


def names_of(tree):
    """Returns the names; None if they cannot be parts of files' names."""
    names = tree.get("configs")
    fit = specs.texts(names) and all(specs.join([n]) == n for n in names)
    return names if fit and len(set(names)) == len(names) else None


def save(sweep):
    """Writes the state and syncs it to disk, as a truncated state would be useless."""
    path = os.path.join(sweep.out, NAME)
    place = {config: i for i, config in enumerate(sweep.names)}
    tree = OrderedDict([
        ("schema", reports.SWEEP_SCHEMA), ("id", sweep.id), ("configs", sweep.names),
        ("values", {c.name: c.values for c in sweep.configs}), ("spec", sweep.spec),
        ("order", [[place[c.name] for c in line] for line in sweep.order])])
    try:
        with output.replacing_own(path) as stream:
            stream.write(json.dumps(tree, indent=1).encode())
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as why:
        raise LeadlineError("%s: cannot be written: %s" % (path, why.strerror))


# ---- an earlier sweep ----------------------------------------------------------


def set_aside(out):
    """Moves an earlier sweep's files into a folder of its own, as measurements are
    never deleted here. Moves the state last, so that the next call finishes what a
    crash interrupted."""
    try:
        tree = read(out)
        ids, folder = ([tree["id"]], tree["id"]) if tree else ([], None)
    except Unreadable:
        ids = ids_in(out)
        folder = "unreadable-" + time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    if folder is None:
        return
    names = [name for name in os.listdir(out)
             if any(name.startswith(one + "-") for one in ids)]
    try:
        os.makedirs(os.path.join(out, folder), exist_ok=True)
        for name in names + [NAME]:
            os.replace(os.path.join(out, name), os.path.join(out, folder, name))
    except OSError as why:
        raise LeadlineError("%s: the earlier sweep cannot be moved to it: %s"
                            % (os.path.join(out, folder), why.strerror))


def ids_in(out):
    """Returns the ids of the sweeps whose reports are in a folder: their names begin
    with them."""
    found = reports.load_directory(out)[0]
    return sorted(set(r.series_id for r in found if r.series_id
                      and os.path.basename(r.path).startswith(r.series_id + "-")))
