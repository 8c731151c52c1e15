"""Scales and their ticks."""
import math
from collections import namedtuple
from typing import Any, Iterable, List, Optional, Tuple

FAR = 5.0        # if values are farther apart, the axis has decades
AROUND = 1.2     # margin beyond the values on an axis of decades
EDGE = 22.0      # room for zeros beside an axis of decades

Axis = namedtuple("Axis", "scale ticks texts")


def nice_step(span: float, most: float) -> float:
    """Returns the least of 1, 2, 2.5, 5 times a power of ten of which at most `most`
    steps cover `span`."""
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1.0, 2.0, 2.5, 5.0, 10.0):
        if factor * power >= rough * (1 - 1e-9):
            return factor * power
    return 10.0 * power


def ticks(low: float, high: float, most: float) -> List[float]:
    """Returns tick values from at or below `low` to at or above `high`."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = nice_step(high - low, most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(int(first), int(last) + 1)]


def tick_text(value: float, step: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= 1e7 or step < 1e-4:
        return "%g" % value
    digits = max(0, -int(math.floor(math.log10(step) + 1e-9)))
    if abs(step * 10 ** digits - round(step * 10 ** digits)) > 1e-6:
        digits += 1   # for 2.5, 0.25
    return "%.*f" % (digits, value)


class Scale:
    """Maps values to places: linearly, by logarithm, or by the distance to 1 in powers
    of ten ("tail"). A value without a logarithm is placed at the marked edge,
    `zero`."""

    def __init__(self, low: float, high: float, begin: float, end: float,
                 log: Any = False, zero: Optional[float] = None) -> None:
        self.log, self.zero = log, zero
        self.low, self.high = self.plain(low), self.plain(high)
        self.begin, self.end = begin, end

    def plain(self, value: float) -> float:
        if self.log == "tail":
            return -math.log10(max(1.0 - value, 1e-9))
        return math.log(value, 2) if self.log else value

    def __call__(self, value: float) -> float:
        if self.log is True and value <= 0:
            return self.zero if self.zero is not None else self.begin
        span = (self.high - self.low) or 1.0
        return self.begin + (self.end - self.begin) * (
            self.plain(value) - self.low) / span


def up_from_zero(values: Iterable[float], begin: float, end: float,
                 most: int) -> Tuple[Scale, List[float], List[str]]:
    """Returns (scale, ticks, texts) of an axis that includes 0."""
    values = [v for v in values if v is not None] + [0.0]
    marks = ticks(min(values), max(values), most)
    step = marks[1] - marks[0]
    return (Scale(marks[0], marks[-1], begin, end), marks,
            [tick_text(v, step) for v in marks])


def of_values(values: Iterable[Any], begin: float, end: float, most: int) -> Axis:
    """Returns an axis for values of one kind: of decades if they are far apart, else
    one that includes 0."""
    values = [v for v in values if v is not None]
    above = [v for v in values if v > 0]
    if not above or min(values) < 0 or max(above) <= FAR * min(above):
        return Axis(*up_from_zero(values, begin, end, most))
    zero = None
    if len(above) < len(values):
        zero, begin = begin, begin + math.copysign(EDGE, end - begin)
    return decades(min(above), max(above), begin, end, most, zero)


def decades(low: float, high: float, begin: float, end: float, most: int,
            zero: Optional[float] = None) -> Axis:
    """Returns a logarithmic axis: ticks 1, 2, 5, 10 ... over less than two decades,
    else powers of ten."""
    marks = one_two_five(low, high) if high < 100 * low else [
        10.0 ** i for i in range(int(math.floor(math.log10(low) + 1e-9)),
                                 int(math.ceil(math.log10(high) - 1e-9)) + 1)]
    scale = Scale(max(marks[0], low / AROUND), min(marks[-1], high * AROUND), begin,
                  end, True, zero)
    marks = [m for m in marks if low / AROUND <= m <= high * AROUND]
    step = max(1, -(-len(marks) // max(most, 2)))
    marks = marks[::step]
    texts = [power_text(m) for m in marks]
    if zero is not None:
        marks, texts = [0.0] + marks, ["0"] + texts
    return Axis(scale, marks, texts)


def one_two_five(low: float, high: float) -> List[float]:
    """Returns 1, 2, 5, 10 ... from at or below `low` to at or above `high`."""
    every = [f * 10.0 ** i for i in range(int(math.floor(math.log10(low))) - 1,
                                          int(math.ceil(math.log10(high))) + 2)
             for f in (1.0, 2.0, 5.0)]
    first = max(v for v in every if v <= low * (1 + 1e-9))
    last = min(v for v in every if v >= high * (1 - 1e-9))
    return [v for v in every if first <= v <= last]


def power_text(value: float) -> str:
    """Formats a power of ten: 1e6 and not 1e+06."""
    words = "%g" % value
    head, _, power = words.partition("e")
    return "%se%d" % (head, int(power)) if power else words


def of_ratios(values: Iterable[Optional[float]], begin: float, end: float,
              most: int) -> Any:
    """Returns an axis of ratios around 1, on which equal factors are equally far
    apart."""
    known = [v for v in values if v is not None and v > 0] + [1 / 1.05, 1.05]
    low, high = min(known), max(known)
    if high > FAR * low:
        return decades(low, high, begin, end, most)
    marks = [m for m in ticks(low, high, most) if m > 0]
    step = marks[1] - marks[0]
    return Axis(Scale(min(low, marks[0]), marks[-1], begin, end, True), marks,
                [tick_text(m, step) for m in marks])


TAIL = (0.0, 0.5, 0.9, 0.99, 0.999)


def of_tail(begin: float, end: float) -> Any:
    """Returns an axis for shares of a distribution, up to 0.999."""
    return Axis(Scale(0.0, TAIL[-1], begin, end, "tail"), list(TAIL),
                ["%g" % v for v in TAIL])
