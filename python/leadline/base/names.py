"""Values in few characters: 64k rather than 65536."""
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from leadline.base.fields import printable

UNITS = (("G", 1 << 30), ("M", 1 << 20), ("k", 1 << 10))
BYTES = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
         ("TiB", 1 << 40), ("PiB", 1 << 50)]
SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmgKMG]?)(?:i?[bB])?$")


def runs_text(n: int) -> str:
    return "%d run%s" % (n, "" if n == 1 else "s")


def ranks_text(ranks: Any) -> str:
    return "%s rank%s" % (ranks, "" if ranks == 1 else "s")


def number(value: Any) -> Union[int, float, None]:
    """Returns the number that an option's value stands for; None if it is not a
    number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return value
    found = SIZE.match(value) if isinstance(value, str) else None
    if not found:
        return None
    size = float(found.group(1)) * dict(UNITS, **{"K": 1 << 10, "m": 1 << 20,
                                                  "g": 1 << 30}).get(found.group(2), 1)
    return int(size) if size == int(size) else size


def size_text(value: Any) -> str:
    """Formats a size as 64k, 1M: whole multiples of 1024 only, others unchanged."""
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int):
        for unit, size in UNITS:
            if value and value % size == 0:
                return "%d%s" % (value // size, unit)
    return "%.4g" % value if isinstance(value, float) else str(value)


def unit_of(largest: float) -> Tuple[str, int]:
    """Returns the unit in which `largest` bytes is a number of few digits."""
    for name, size in reversed(BYTES):
        if largest >= size:
            return name, size
    return BYTES[0]


def value_text(name: str, value: Any) -> str:
    """Formats an option's value: posix, 64k, np=4. A bare small number says nothing, so
    it keeps its name; True is its option's name."""
    if value is None or value is False:
        return "no " + name
    if value is True:
        return name
    if isinstance(value, str) and number(value) is None:
        return printable(value.lower() if len(value) > 1 and value.isupper() else value)
    found = number(value)
    text = str(found) if name == "np" else size_text(found)
    return printable(text if text[-1:] in "kMG" else "%s=%s" % (name, text))


def rate_text(value: Optional[float]) -> str:
    """Formats a rate with three digits and no exponent."""
    if value is None:
        return "-"
    if abs(value) >= 100.0:
        return "%.0f" % value
    return "%.3g" % value


def common_of(names: Sequence[str], most: int) -> str:
    """Lists the first few names, and the number of the others."""
    names = list(names)
    more = " and %d more" % (len(names) - most) if len(names) > most else ""
    return ", ".join(names[:most]) + more
