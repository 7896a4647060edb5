#!/usr/bin/env python3
"""Levels, places, categories and typed fields of log records, events and counters."""

import unittest

from python_service import PythonTest

EXTRAS = """
import decimal, enum

class Side(enum.IntEnum):
    BUY = 1

log.info("all %s", "x", extra={
    "i": 5, "negative": -2**63, "large": 2**64 - 1, "huge": 2**70, "f": 1.5, "yes": True, "t": "caf\\u00e9", "none": None,
    "side": Side.BUY, "list": [1], "decimal": decimal.Decimal("1.10")})
for value in (1, "one", 2.5):
    log.info("same place", extra={"v": value})
log.info("raw", extra={"data": b"\\x00\\xff"})
log.info("odd", extra={"a,b": 1, 'c"d': 2, "": 3})
"""
PLACES = """
import logging
def place():
    log.warning("here %d", 1)  # line of the call
place()
logging.getLogger("test.app.deeper").error("below")
log.log(5, "trace")
log.log(25, "notice")
log.debug("debug")
log.critical("critical")
ringside.event("event", logging.WARNING, n=1)
ringside.counter("queue", depth=7, load=0.5)
"""
SHARED = """
import io
other = logging.StreamHandler(io.StringIO())
other.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
log.handlers.insert(0, other)
class Adds(logging.Filter):
    def filter(self, record):
        record.request = "r7"
        return "drop" not in record.getMessage()
log.handlers[1].addFilter(Adds())
for _ in range(2):
    log.info("kept %d", 1, extra={"a": 1})
    log.info("kept %d", 1)
    log.info("drop")
logging.LoggerAdapter(log, {"user": 7}).info("adapted")
"""
EXCEPTIONS = """
def fail():
    raise KeyError("missing key")
for _ in range(2):
    try:
        fail()
    except KeyError:
        log.exception("failed %d", 3, extra={"user": 7})
log.error("no exception", exc_info=True)
log.info("plain", exc_info=False)
log.info("with the stack", stack_info=True)
"""
COLLISIONS = """
for stack in (3, "prod"):
    log.info("stack", stack_info=True, extra={"stack": stack})
try:
    {}["k"]
except KeyError:
    log.exception("exception", extra={"exception": "mine", "traceback": 7})
"""
FROM_ANOTHER_PROCESS = """
import logging.handlers, pickle, sys

def received(exc_info):
    record = log.makeRecord(log.name, logging.ERROR, __file__, 1, "remote", (), exc_info)
    sent = logging.handlers.SocketHandler("localhost", 1).makePickle(record)
    return logging.makeLogRecord(pickle.loads(sent[4:]))

try:
    {}["k"]
except KeyError:
    failed = sys.exc_info()
for _ in range(2):
    log.handle(received(None))
    log.handle(received(failed))
for text in (None, "Traceback: made by a filter"):
    log.handle(logging.makeLogRecord({"msg": "local", "levelno": logging.ERROR, "levelname": "ERROR", "exc_text": text}))
"""


class TypedFields(PythonTest):
    def test_extra_fields_have_the_types_of_their_values(self):
        records = self.run_traced(EXTRAS)
        fields = records[0]["fields"]
        self.assertEqual(records[0]["msg"], "all x")
        self.assertEqual({name: fields[name] for name in fields}, {
            "arg1": "x", "i": 5, "negative": -2**63, "large": 2**64 - 1, "huge": str(2**70), "f": 1.5, "yes": True,
            "t": "café", "none": "None", "side": 1, "list": "[1]", "decimal": "1.10"})
        self.assertEqual([record["fields"] for record in records[1:4]], [{"v": 1}, {"v": "one"}, {"v": 2.5}])
        self.assertEqual(records[4]["fields"]["data"], "AP8=")
        self.assertEqual(sorted(records[5]["fields"].values()), [1, 2, 3])

    def test_records_have_level_category_and_place(self):
        records = self.run_traced(PLACES)
        self.assertEqual([record["level"] for record in records],
                         ["WARNING", "ERROR", "TRACE", "NOTICE", "DEBUG", "CRITICAL", "WARNING", "INFO"])
        first = records[0]
        self.assertEqual((first["category"], first["function"], first["file"].rsplit("/", 1)[1]),
                         ("test.app", "place", "service.py"))
        self.assertEqual(first["fields"], {"arg1": 1})
        self.assertEqual(records[1]["category"], "test.app.deeper")
        event, counter = records[6:]
        self.assertEqual((event["name"], event["fields"], event["line"]), ("event", {"n": 1}, first["line"] + 7))
        self.assertEqual((counter["name"], counter["site_kind"], counter["fields"]), ("queue", "counter", {"depth": 7, "load": 0.5}))

    def test_filters_adapters_and_other_handlers_can_be_combined(self):
        records = self.run_traced(SHARED)
        self.assertEqual([(record["msg"], record["fields"]) for record in records], [
            ("kept 1", {"arg1": 1, "a": 1, "request": "r7"}), ("kept 1", {"arg1": 1, "request": "r7"}),
            ("kept 1", {"arg1": 1, "a": 1, "request": "r7"}), ("kept 1", {"arg1": 1, "request": "r7"}),
            ("adapted", {"user": 7, "request": "r7"})])

    def test_an_exception_becomes_text_fields(self):
        records = self.run_traced(EXCEPTIONS)
        for record in records[:2]:
            self.assertEqual((record["msg"], record["fields"]["user"], record["fields"]["exception"]), ("failed 3", 7, "KeyError"))
            self.assertTrue(record["fields"]["traceback"].startswith("Traceback (most recent call last):"))
            self.assertTrue(record["fields"]["traceback"].endswith("KeyError: 'missing key'"))
        self.assertEqual(records[2]["fields"], {"traceback": "NoneType: None"})
        self.assertEqual(records[3]["fields"], {})
        self.assertIn("Stack (most recent call last):", records[4]["fields"]["stack"])

    def test_extra_fields_keep_the_names_that_the_handler_uses(self):
        integer, text, exception = [record["fields"] for record in self.run_traced(COLLISIONS)]
        for fields, value in ((integer, 3), (text, "prod")):
            self.assertTrue(fields.pop("stack_").startswith("Stack (most recent call last):"))
            self.assertEqual(fields, {"stack": value})
        self.assertTrue(exception.pop("traceback_").endswith("KeyError: 'k'"))
        self.assertEqual(exception, {"exception": "mine", "traceback": 7, "exception_": "KeyError"})

    def test_a_traceback_without_its_exception_is_kept(self):
        found = [(record["msg"], record["fields"]) for record in self.run_traced(FROM_ANOTHER_PROCESS)]
        self.assertEqual(len(found), 6)
        for n in (1, 3):
            self.assertTrue(found[n][1].pop("traceback").endswith("KeyError: 'k'"))
        self.assertEqual(found, [("remote", {})] * 4 + [("local", {}), ("local", {"traceback": "Traceback: made by a filter"})])

    def test_a_switched_off_level_records_nothing(self):
        records = self.run_traced("""
            ringside.init(level=logging.WARNING)
            log.info("no")
            ringside.event("no")
            with ringside.span("no"):
                log.warning("yes")
        """)
        self.assertEqual([record["msg"] for record in records], ["yes"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
