"""leadline schema: the table of fields.py as JSON Schema, for other validators.

A JSON Schema cannot relate fields to each other, such as medians and sums to their
values: leadline validate does.
"""
import json
from collections import OrderedDict
from typing import Any, Dict

from leadline.base import fields, output
from leadline.base.options import output_file

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NUMBER = {"type": "number", "minimum": -fields.LARGEST, "maximum": fields.LARGEST}
COUNT = {"type": "integer", "minimum": 0, "maximum": (1 << 64) - 1}
POSITIVE = dict(NUMBER, minimum=0)
LEAVES = {
    "schema": {"const": fields.SCHEMA}, "truth": {"type": "boolean"},
    "text": {"type": "string"}, "name": {"type": "string", "minLength": 1},
    "utc": {"type": "string", "pattern": "^" + fields.UTC.pattern},
    "number": NUMBER, "seconds": POSITIVE, "amount": POSITIVE, "count": COUNT,
    "positive": dict(COUNT, minimum=1), "rank": COUNT,
    "act": {"enum": list(fields.ACTS)}, "reads": {"enum": list(fields.READS)},
    "better": {"enum": ["higher", "lower"]}, "any": {},
    "share": dict(NUMBER, minimum=0, maximum=1),
    "interval": {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2},
    "bucket": {"type": "array", "prefixItems": [NUMBER, COUNT], "minItems": 2,
               "maxItems": 2},
}


def schema() -> Dict[str, Any]:
    """Returns the schema. A valid report has all fields; in an invalid one those may be
    null that the run did not get to know."""
    return OrderedDict([
        ("$schema", DIALECT), ("$id", "urn:leadline:report:1"),
        ("title", "Report of a run (%s)" % fields.SCHEMA),
        ("type", "object"), ("required", ["schema", "valid"]),
        ("if", {"properties": {"valid": {"const": True}}}),
        ("then", {"$ref": "#/$defs/valid"}), ("else", {"$ref": "#/$defs/not valid"}),
        ("$defs", OrderedDict(
            [("valid", of(fields.TABLE, fields.STRICT)),
             ("not valid", of(fields.TABLE, fields.UNFINISHED))]
            + [(name, LEAVES[name]) for name in sorted(LEAVES)]
            + [(name + "?", or_null({"$ref": "#/$defs/" + name}))
               for name in sorted(LEAVES)]))])


def or_null(found: Any) -> Dict[str, Any]:
    return {"anyOf": [found, {"type": "null"}]}


def of(kind: Any, mode: int) -> Dict[str, Any]:
    """Returns the schema of one kind of the table."""
    nullable = isinstance(kind, tuple) or mode != fields.STRICT
    if isinstance(kind, tuple):
        kind = kind[0]
    if isinstance(kind, str):
        more = "?" if nullable and not kind.endswith("?") else ""
        return {"$ref": "#/$defs/" + kind + more}
    found = of_object(kind, mode) if isinstance(kind, dict) else {
        "type": "array", "items": of(kind[0], mode)}
    return or_null(found) if nullable else found


def of_object(table: Dict[str, Any], mode: int) -> Dict[str, Any]:
    if "*" in table:
        return {"type": "object", "additionalProperties": of(table["*"], mode)}
    return OrderedDict([
        ("type", "object"),
        ("required", [name for name in table if not name.endswith("*")]),
        ("properties", OrderedDict((name.rstrip("*"), of(kind, mode))
                                   for name, kind in table.items()))])


def shown(tree: Any, indent: str = "") -> str:
    """Formats as JSON, with anything that fits on one line."""
    line = json.dumps(tree)
    if len(indent + line) <= 88 or not isinstance(tree, (dict, list)):
        return line
    deeper = indent + " "
    if isinstance(tree, list):
        rows = [shown(value, deeper) for value in tree]
    else:
        rows = ["%s: %s" % (json.dumps(name), shown(value, deeper))
                for name, value in tree.items()]
    begin, end = "[]" if isinstance(tree, list) else "{}"
    return "%s\n%s%s\n%s%s" % (begin, deeper, (",\n" + deeper).join(rows), indent, end)


def text() -> str:
    return shown(schema()) + "\n"


def main(args: Any, where: Any) -> int:
    output.write(args.output, text())
    return 0


OPTIONS = [output_file()]


def add(commands: Any) -> None:
    p = commands.add_parser(
        "schema", help="print the JSON Schema of reports",
        description="Prints the JSON Schema of reports (draft 2020-12), for other "
                    "validators. It is installed as leadline-report-1.schema.json.")
    p.declare(OPTIONS)
    p.set_defaults(run=main)
