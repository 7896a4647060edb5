#!/usr/bin/env python3
"""The text of a log record is Python's own, for all conversions and values."""

import json
import unittest

from python_service import PythonTest

# The program prints what Python makes of each call.
EXPECTED = """
import json

class Keeper(logging.Handler):
    def emit(self, record):
        kept.append(record.getMessage().encode("utf-8", "backslashreplace").decode())

kept = []
"""
GENERATED = EXPECTED + """
import collections, enum, itertools, logging

log.addHandler(Keeper())

class Text(str):
    def __str__(self):
        return "other text"

class Plain(str):
    pass

class Shown:
    def __str__(self):
        return "shown {}"
    def __repr__(self):
        return "<shown %d>"

class Number(int):
    def __str__(self):
        return "a number"

class Color(enum.IntEnum):
    RED = 3

class Real(float):
    def __format__(self, _):
        return "no"

values = ["", "text", "caf\\u00e9 \\U0001f600", "nul \\0 and {braces}", "line\\nend", "\\ud800 surrogate", Text("x"), Plain("plain"),
          0, 1, -1, 255, -255, 2**31, -2**31, 2**63 - 1, -2**63, 2**63, 2**64 - 1, 2**64, -2**63 - 1, 10**40, True, False,
          Number(7), Color.RED, 0.0, -0.0, 1.5, -2.675, 1e16, 1e300, 5e-324, 0.1, float("inf"), -float("inf"), float("nan"),
          -float("nan"), Real(2.5), None, b"bytes\\xff", bytearray(b"x"), Shown(), [1, "a"], (1,), {"k": 1}, {1}, 1 + 2j, Ellipsis]
flags = ["", "-", "+", " ", "0", "#", "-0", "+0", "+ ", "- +"]
sizes = ["", "1", "12", ".0", ".3", "12.3", "3.12", "."]
formats = ["%" + flag + size + kind for flag in flags for size in sizes for kind in "diouxXeEfFgGcrsa"]

count = 0
for text in formats:
    for value in values:
        try:
            text % (value,)
        except (TypeError, ValueError, OverflowError):
            continue
        count += 1
        if count % 7 == 0 or text in ("%s", "%d", "%f", "%x", "%r", "%g", "%.3f", "%c", "%i"):
            log.info("<" + text + ">", (value,) if isinstance(value, (tuple, dict)) else value)
print(json.dumps(kept))
"""
SHAPES = EXPECTED + """
log.addHandler(Keeper())
x = 5
log.info("plain 100% {} {0} {{}}")
log.info("%d%% of %s {}", 5, "all")
log.info("%*d|%-*s|%.*f|%*.*f", 6, 42, 8, "ab", 2, 3.14159, 9, 3, 2.5)
log.info("%(a)s %(b)05d %(a)s %(c).2f", {"a": "x", "b": 7, "c": 1.5, "unused": 1})
log.info("%(a)s", {"a": 2**80})
log.info("%(a(b))s", {"a(b)": 1})
log.info("%s is a mapping", {"a": 1})
log.info("no conversion", {"a": 1})
log.info("%%", {"a": 1})
log.info({"a": [1]})
log.info(["%s"], )
log.info(None)
log.info(12)
log.info("%s %s %s %s %s %s %s %s %s %s", *range(10))
log.info("%s" * 200, *range(200))
log.info("%s" * 300, *range(300))
log.info("long " * 5000 + "%d", 5)
log.info("%.200f", 0.1)
log.info("%300d", 3)
log.info("%ld %lld %hd", 1, 2, 3) if False else log.info("%ld %hd", 1, 3)
log.info("nul\\0 %s", "x")
log.info("\\ud800 %s", "x")
log.info("")
log.info("%s", "")
for value in (1, "one", 1.0, None, 2**70, 1):
    log.info("changes %s", value)
    log.info("changes %d", value if isinstance(value, int) else 3)
for n in range(20):
    log.info(f"made {n} " + "%s", n)
    log.info(f"made {n}%")
log.info("%s", x, extra={"arg1": 1, "message_": 2})
print(json.dumps(kept))
"""
UNUSUAL = """
import collections
class Keyed(collections.UserDict):
    pass
class Lazy(str):
    def __str__(self):
        return "lazy %s"
log.info("%(a)d", Keyed(a=3))
log.info("%(a)d", Keyed(a="x"))
log.info(Lazy("%s"), 1)
log.info("%s", "shape")
record = logging.makeLogRecord({"msg": "%s-%s", "args": ("a", 2), "levelno": 25})
log.handle(record)
log.handle(logging.makeLogRecord({"msg": "only a message", "args": None, "levelno": 20}))
"""


class MessageText(PythonTest):
    def check(self, source):
        expected = json.loads(self.output_of(source))
        found = [record["msg"] for record in self.records()]
        self.assertEqual(len(found), len(expected))
        for index, (text, wanted) in enumerate(zip(found, expected)):
            self.assertEqual(text, wanted, f"record {index}")
        return len(found)

    def test_generated_conversions_and_values_equal_pythons_text(self):
        self.assertGreater(self.check(GENERATED), 1000)

    def test_messages_of_all_shapes_equal_pythons_text(self):
        self.assertGreater(self.check(SHAPES), 50)

    def test_a_wrong_format_is_reported_as_by_every_handler(self):
        process = self.start("""
            log.info("%d", "x")
            log.info("%s %s", 1)
            log.info("%s", 1, 2)
            log.info("after")
        """)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(process.stderr().count("--- Logging error ---"), 3)
        self.assertEqual([record["msg"] for record in self.records()], ["after"])

    def test_unusual_messages_and_records_are_left_to_python(self):
        process = self.start(UNUSUAL)
        self.assertEqual(process.wait(), 0)
        self.assertEqual([record["msg"] for record in self.records()], ["3", "lazy 1", "shape", "a-2", "only a message"])
        self.assertEqual(process.stderr().count("--- Logging error ---"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
