"""Scales and their ticks."""
import math


def nice_step(span, most):
    """The least of 1, 2, 2.5, 5 times a power of ten that needs at most `most`."""
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1.0, 2.0, 2.5, 5.0, 10.0):
        if factor * power >= rough * (1 - 1e-9):
            return factor * power
    return 10.0 * power


def ticks(low, high, most):
    """Values from at or below `low` to at or above `high`."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = nice_step(high - low, most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(int(first), int(last) + 1)]


def tick_text(value, step):
    if value == 0:
        return "0"
    if abs(value) >= 1e7 or step < 1e-4:
        return "%g" % value
    digits = max(0, -int(math.floor(math.log10(step) + 1e-9)))
    if abs(step * 10 ** digits - round(step * 10 ** digits)) > 1e-6:
        digits += 1   # 2.5, 0.25
    return "%.*f" % (digits, value)


class Scale:
    """From values to places: linear, or of doublings."""

    def __init__(self, low, high, begin, end, log=False):
        self.log = log
        self.low, self.high = self.plain(low), self.plain(high)
        self.begin, self.end = begin, end

    def plain(self, value):
        return math.log(value, 2) if self.log else value

    def __call__(self, value):
        span = (self.high - self.low) or 1.0
        return self.begin + (self.end - self.begin) * (
            self.plain(value) - self.low) / span


def up_from_zero(values, begin, end, most):
    """(scale, ticks, texts) of an axis that has 0 in it."""
    values = [v for v in values if v is not None] + [0.0]
    marks = ticks(min(values), max(values), most)
    step = marks[1] - marks[0]
    return (Scale(marks[0], marks[-1], begin, end), marks,
            [tick_text(v, step) for v in marks])
