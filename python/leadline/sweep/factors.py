"""Factors of a sweep besides the options of its program: ranks, the program itself, the
launcher, a file of hosts, environment variables.
"""
import os
import re
from typing import Any, Dict, List, Optional, Sequence

from leadline.base.errors import LeadlineError, usage

ENV = "env."
PLACES = ("program", "mpiexec", "hostfile")   # texts that are mostly paths
RANKS = "np"


def is_factor(name: str) -> bool:
    """True if a name is one of these factors and not an option of the program."""
    return name == RANKS or name in PLACES or name.startswith(ENV)


def check(path, name, value):
    """Checks one value, in the matrix or a case."""
    if name == RANKS:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise usage("%s: np must be a whole number above 0" % path)
    elif name in PLACES:
        if not isinstance(value, str) or not value:
            raise usage("%s: %s must be text that is not empty" % (path, name))
    elif name.startswith(ENV):
        variable = name[len(ENV):]
        if not variable or "=" in variable:
            raise usage("%s: %s does not name an environment variable" % (path, name))
        if isinstance(value, bool):
            raise usage("%s: %s must be text or a number, or null for a variable that "
                        "is not set" % (path, name))
    elif value is None:
        raise usage("%s: %s must have a value; only a variable (env.NAME) may be null"
                    % (path, name))


def chosen(spec: Dict[str, Any], config: Any, name: str) -> Any:
    """Returns a configuration's own value, else the specification's."""
    return config.values.get(name, spec.get(name))


def variables(spec: Dict[str, Any], config: Any) -> Dict[str, Optional[str]]:
    """Returns {name: text, or None: unset} of a configuration's environment
    variables."""
    out = dict(spec["env"])
    for name, value in config.values.items():
        if name.startswith(ENV):
            out[name[len(ENV):]] = None if value is None else str(value)
    return out


def environment(spec, config):
    """Returns the environment of a configuration's runs."""
    env = dict(os.environ)
    for name, value in variables(spec, config).items():
        env[name] = value
        if value is None:
            del env[name]
    return env


def prefix(spec, config):
    """Returns the same variables as the beginning of a command line."""
    wanted = sorted(variables(spec, config).items())
    if not wanted:
        return []
    return (["env"] + [w for n, v in wanted if v is None for w in ("-u", n)]
            + ["%s=%s" % (n, v) for n, v in wanted if v is not None])


def check_hostfile(path: str) -> None:
    if path and not (os.path.isfile(path) and os.access(path, os.R_OK)):
        raise LeadlineError("%s: the host file cannot be read" % path)


# ---- names -------------------------------------------------------------------


def parts(value):
    return [part for part in re.split(r"[/\s]+", value) if part]


def short(values: Sequence[str]) -> List[str]:
    """Shortens texts, mostly paths, to the parts that distinguish them: "old" and "new"
    for /opt/old/bin/madbench and /opt/new/bin/madbench."""
    rows = [parts(value) for value in values]
    if len(rows) < 2 or not all(rows):
        return [row[-1] if row else value for row, value in zip(rows, values)]
    while len(set(map(tuple, rows))) > 1 and len(set(row[0] for row in rows)) == 1 \
            and min(map(len, rows)) > 1:
        rows = [row[1:] for row in rows]
    while len(set(row[-1] for row in rows)) == 1 and min(map(len, rows)) > 1:
        rows = [row[:-1] for row in rows]
    found = ["_".join(row) for row in rows]
    return found if len(set(found)) == len(set(values)) else list(values)
