"""Which configuration others are compared with: by name, by values, or the usual."""
from collections import OrderedDict
from typing import Any, List, Optional, Sequence

from leadline.base import names
from leadline.base.errors import usage
from leadline.results.groups import varying

USUAL = ("posix", "unique")     # where no sweep says which value comes first
NAMED = 12                      # so many configurations are named in a refusal


def usual(groups: Sequence[Any]) -> Any:
    """The baseline that nobody named: the first of what was asked for first, on the
    command line or in the sweep's specification, else of those with usual values."""
    some = [g for g in groups if g.source == groups[0].source]
    if some[0].first.place is not None:
        return some[0]
    return max(some, key=usual_values)    # the first of equals


def usual_values(group):
    return sum(str(v).lower() in USUAL for v in group.first.option_values().values())


# ---- by name or values -------------------------------------------------------


def named(groups: Sequence[Any], text: Optional[str]) -> List[Any]:
    """Groups that --baseline means, in their order; [] where it is not given."""
    if text is None:
        return []
    called = [g for g in groups if g.name == text]
    if called:
        return called
    if "=" not in text:
        raise usage("no configuration is called %s; there are: %s"
                    % (text, names.common_of([g.name for g in groups], NAMED)))
    out = [g for g in groups if has(g, groups, text)]
    if not out:
        raise usage("no configuration has %s; there are: %s"
                    % (text, names.common_of([g.name for g in groups], NAMED)))
    first = usual(out)
    return [first] + [g for g in out if g is not first]


def has(group, groups, text):
    """Whether a configuration has all of option=value,..."""
    parts = [part.partition("=") for part in text.split(",")]
    return all(same_value(value, wanted(groups, group, option))
               for option, _, value in parts)


def wanted(groups, group, option):
    """The value of an option, whose name may be a part of it, as method of iomethod."""
    if option in ("np", "ranks"):
        return group.first.ranks
    every = OrderedDict((n, None) for g in groups for n in g.first.options)
    if option in every:
        return group.first.option_values().get(option)
    like = [n for n in varying(groups) if option and option in n]
    if len(like) != 1:
        raise usage("no report has an option called %s; there are: %s" % (
            option or "\"\"", ", ".join(["np"] + sorted(every))))
    return group.first.option_values().get(like[0])


def same_value(text, value):
    if value is None or isinstance(value, bool):
        return text.lower() in ({None: ("", "none"), True: ("true", "yes", "1"),
                                 False: ("false", "no", "0")}[value])
    mine = names.number(text)
    if mine is not None and names.number(value) is not None:
        return mine == names.number(value)
    return text.lower() == str(value).lower()


def find(groups: Sequence[Any], text: Optional[str]) -> Any:
    """The one that --baseline means, or the usual one."""
    return (named(groups, text) or [usual(groups)])[0]
