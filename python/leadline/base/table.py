"""Tables: the same rows as aligned text, Markdown or CSV.

A cell is a string; "\\n" breaks it into lines.
"""
import csv
import io
from typing import Any, Collection, Iterable, List, Optional, Sequence, Tuple


def plural(n: int, word: str, many: Optional[str] = None) -> str:
    """The number and its noun: "1 run", "2 runs"."""
    return "{:,} {}".format(n, word if n == 1 else many or word + "s")


def rule(widths: Iterable[int]) -> str:
    return "  ".join("-" * width for width in widths)


def text(header: Sequence[str], rows: List[Sequence[str]],
         right: Collection[int] = ()) -> str:
    """Formats aligned columns; `right`: the indices of right-aligned columns."""
    grid = [[cell.split("\n") for cell in row] for row in [header] + rows]
    widths = [max(len(line) for row in grid for line in row[i])
              for i in range(len(header))]
    lines = []
    for row in grid:
        for depth in range(max(len(cell) for cell in row)):
            cells = [cell[depth] if depth < len(cell) else "" for cell in row]
            padded = [cell.rjust(width) if i in right else cell.ljust(width)
                      for i, (cell, width) in enumerate(zip(cells, widths))]
            lines.append("  ".join(padded).rstrip())
        if row is grid[0]:
            lines.append(rule(widths))
    return "\n".join(lines) + "\n"


MOST_BARS = 12
BAR, SHORT = 40, 8   # most and fewest characters of the longest bar
LINE = 88            # characters that bars and their words are to fit into


def bars(rows: Sequence[Tuple[str, float, Any, str]], most: int = MOST_BARS) -> str:
    """Draws rows (name, value, its interval or None, words) as bars from 0: up to the
    interval's lower end "#", then "=" to its upper one, with "|" at the value."""
    shown = rows if len(rows) <= most else rows[:most]
    top = max(v.high if v else value for _, value, v, _ in shown) or 1.0
    width = max(len(name) for name, _, _, _ in shown)
    room = LINE - width - 4 - max(len(words) for _, _, _, words in shown)
    longest, lines = max(min(BAR, room), SHORT), []
    for name, value, between, words in shown:
        low, at, high = (int(round(longest * v / top)) for v in (
            (between.low, value, between.high) if between else (value, value, value)))
        bar = "#" * low + "=" * (high - low)
        bar = bar[:max(at - 1, 0)] + "|" + bar[max(at, 1):]
        lines.append("%-*s  %-*s  %s" % (width, name, longest, bar, words))
    if len(rows) > len(shown):
        lines.append("and %d more in the table" % (len(rows) - len(shown)))
    return "".join(line.rstrip() + "\n" for line in lines)


def markdown(header: Sequence[str], rows: List[Sequence[str]],
             right: Collection[int] = ()) -> str:
    def line(cells: Sequence[str]) -> str:
        safe = [c.replace("|", "\\|").replace("\n", "<br>") for c in cells]
        return "| " + " | ".join(safe) + " |"
    marks = ["---:" if i in right else "---" for i in range(len(header))]
    return "\n".join([line(header), line(marks)] + [line(r) for r in rows]) + "\n"


def is_number(cell: str) -> bool:
    try:
        float(cell)
        return True
    except ValueError:
        return False


def no_formula(cell: str) -> str:
    """Prefixes an apostrophe to a text that a spreadsheet would take for a formula,
    since names come from whoever wrote the report."""
    harmless = cell[:1] not in ("=", "+", "-", "@") or cell == "-" or is_number(cell)
    return cell if harmless else "'" + cell


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([no_formula(str(cell)) for cell in row] for row in rows)
    return out.getvalue()


def number(value: Optional[float]) -> str:
    """Formats four significant digits, never with an exponent where people read
    rates."""
    if value is None:
        return "-"
    if abs(value) >= 1000 or value == int(value):
        return "%.0f" % value
    return "%.4g" % value


def bounds(interval: Any) -> str:
    """Formats an interval as "[790, 835]", or "-" if there are too few repetitions for
    one."""
    if interval is None:
        return "-"
    return "[%s, %s]" % (number(interval.low), number(interval.high))
