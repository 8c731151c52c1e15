"""Python's reader reads the output of our JSON writer: any text, number and nesting.
ranks: 1; limit: 120
"""
import codecs
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import main  # noqa: E402

ECHO = os.path.join(os.environ["top_builddir"], "tests/unit/json_echo")
DEPTH = 16
DOCUMENTS = 400
EDGES = [0.0, -0.0, 0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, 1e22, 1e23,
         9007199254740993.0, 1.7976931348623157e308, math.inf, -math.inf, math.nan]
ODD = [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xff",
       b"\xf0\x9f\x8c\x8a", b"\xc3\xa9", b'"', b"\\", b"\x1f", b"\x7f", b"\xc2\x80",
       b"\xe2\x80\xa8", b"\xef\xbf\xbf", b"\n\r\t\b\f", b"</script>", b"\\u0000"]


def one_each(error):
    """Returns our replacement character for each invalid byte; Python's stands for
    several."""
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("one_each", one_each)


class Maker:
    """A random document: its items for the writer, and the expected result."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.items = b""

    def item(self, kind, key, value=None):
        self.items += kind.encode()
        for part in (key, value):
            self.items += struct.pack("=i", -1 if part is None else len(part))
            self.items += part or b""

    def text(self):
        rng = self.rng
        if rng.random() < 0.5:
            raw = bytes(rng.randrange(1, 256) for _ in range(rng.randrange(12)))
        else:
            raw = b"".join(rng.choice(ODD) for _ in range(rng.randrange(6)))
        return raw, raw.decode("utf-8", "one_each")

    def real(self):
        rng = self.rng
        if rng.random() < 0.2:
            return rng.choice(EDGES)
        if rng.random() < 0.3:
            return rng.choice([1, -1]) * rng.randrange(10 ** 9) / 10 ** rng.randrange(9)
        return struct.unpack("=d", struct.pack("=Q", rng.getrandbits(64)))[0]

    def value(self, key, depth):
        kind = self.rng.choice("siurbn" + "{[(<" * (depth <= DEPTH))
        if kind in "{[(<":
            return self.container(kind, key, depth)
        value, expected = None, None
        if kind == "s":
            value, expected = self.text()
        elif kind in "iu":
            expected = self.rng.getrandbits(self.rng.choice([1, 8, 31, 53, 63, 64]))
            expected -= 0 if kind == "u" else 2 ** 63 if expected >= 2 ** 63 else 0
            value = struct.pack("=q" if kind == "i" else "=Q", expected)
        elif kind == "r":
            number = self.real()
            value = struct.pack("=d", number)
            expected = number if math.isfinite(number) else None
        elif kind == "b":
            expected = self.rng.random() < 0.5
            value = bytes([expected])
        self.item(kind, key, value)
        return expected

    def container(self, kind, key, depth):
        self.item(kind, key)
        pairs, named = [], kind in "{("
        for _ in range(self.rng.randrange(5)):
            raw, text = self.text() if named else (None, None)
            value = self.value(raw, depth + 1)
            pairs.append((text, value) if named else value)
        self.item("}" if named else "]", None)
        return pairs


def same(a, b):
    """Compares as ==, but numbers must have equal bits and types."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, int):   # 5 for 5.0
        return float(b) == a and abs(b) < 2 ** 63
    return type(a) is type(b) and repr(a) == repr(b)


def refuse(constant):
    raise ValueError("%s is no JSON" % constant)


class RoundTrip(unittest.TestCase):
    def test_python_reads_what_was_written(self):
        items, expected = b"", []
        for seed in range(DOCUMENTS):
            maker = Maker(seed)
            expected.append(maker.container(maker.rng.choice("{[(<"), None, 1))
            maker.item("E", None)
            items += maker.items
        run = subprocess.Popen([ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out = run.communicate(items)[0]
        self.assertEqual(run.returncode, 0)
        found = out.split(b"\0")
        self.assertEqual(len(found), DOCUMENTS + 1)
        self.assertEqual(found.pop(), b"")
        for seed, (text, wanted) in enumerate(zip(found, expected)):
            got = json.loads(text.decode("utf-8"), object_pairs_hook=list,
                             parse_constant=refuse)
            self.assertTrue(same(wanted, got), "seed %d: %r, not %r" % (seed, got,
                                                                        wanted))


if __name__ == "__main__":
    main()
