"""Options of the commands. A table of them is their one source: for argparse, for
--help, and for the manual page, which build-aux/leadline-page makes."""
import argparse
import difflib
import re
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence

from leadline.base import output
from leadline.base.errors import usage


class Option(NamedTuple):
    names: List[str]        # as on the command line; of an operand, its attribute
    how: Dict[str, Any]     # the rest, for argparse
    manual: str             # instead of the short text; empty: that is enough


def option(head: str, text: str, manual: str = "", **how: Any) -> Option:
    """Returns the option that --help shows as `head`, for example "-o, --output FILE".
    Without a value or choices it is a switch. `manual` may have `literals` in
    backquotes, and {choices}."""
    *names, last = head.split(", ")
    name, _, value = last.partition(" ")
    if value:
        how["metavar"] = value
    elif "choices" not in how:
        how["action"] = "store_true"
    return Option(names + [name], dict(how, help=text.replace("%", "%%")), manual)


def operand(head: str, attribute: str, text: str, **how: Any) -> Option:
    """Returns the operand that is shown as `head`: NAME, [NAME], or NAME ... for one or
    more of them."""
    match = re.match(r"(\[?)(\w+)\]?( \.\.\.)?", head)
    assert match
    if match.group(1) or match.group(3):
        how["nargs"] = "?" if match.group(1) else "+"
    return Option([attribute], dict(how, metavar=match.group(2), help=text), "")


def output_file(manual: str = "") -> Option:
    return option("-o, --output FILE", "default: standard output", manual)


def nearest(word: str, known: Iterable[str]) -> str:
    """Says what a user may have meant by a word that is not known; "" if nothing is
    like it."""
    found = difflib.get_close_matches(word, list(known), 1, 0.7)
    return ": did you mean %s?" % found[0] if found else ""


class Parser(argparse.ArgumentParser):
    """Parser of a command, or of all."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.table: List[Option] = []
        self.variables: Dict[str, str] = {}     # environment: name, manual text
        self.commands: Dict[str, "Parser"] = {}

    def declare(self, table: Sequence[Option]) -> None:
        for one in table:
            self.add_argument(*one.names, **one.how)
        self.table += table

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = self.commands.get(getattr(found, "command", ""), self)
            command.error("%s is unknown%s" % (unknown[0], nearest(
                unknown[0].partition("=")[0], command._option_string_actions)))
        return found

    def _check_value(self, action: Any, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            raise argparse.ArgumentError(action, "%r is not one of its values%s" % (
                value, nearest(str(value), known) or ": " + ", ".join(known)))

    def _print_message(self, message: str, file: Any = None) -> None:
        if message and file in (None, sys.stdout):  # for --help and --version
            output.say(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> Any:
        raise usage(message, todo="See %s --help" % self.prog)
