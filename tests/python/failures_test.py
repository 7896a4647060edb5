#!/usr/bin/env python3
"""What cannot work is reported at set-up; a call that records never raises, and never needs more than it may."""

import os
import unittest

from python_service import PythonTest

RAISING = """
class Broken:
    def __str__(self):
        raise RuntimeError("broken")
    __repr__ = __str__
    __index__ = property(lambda self: 1 / 0)

for _ in range(2):
    ringside.event("broken", value=Broken())
    ringside.event("text", value="\\ud800")
    ringside.event(None, value=1)
    ringside.event("", value=1)
    ringside.event(["unhashable"], value=1)
    ringside.counter("")
    with ringside.span("", value=1) as span:
        span.set(value=Broken())
    with ringside.span("broken", value=Broken()):
        pass
    with ringside.context(value=Broken()):
        log.info("in a context")
    log.info("extra", extra={"value": Broken()})
ringside.event("after")
"""
MANY = """
for n in range(6000):
    ringside.event(f"event{n}", n=n)
log.info("message %s", "text", extra={"a": 1})
ringside.event("late", logging.ERROR, px=1.5, t="x")
with ringside.context(user=7), ringside.span("late span", key="k") as span:
    log.error("late %d", 5)
    span.set(done=True)
for n in range(100):
    log.info("late %d", n)
print(ringside.losses())
"""
EXHAUSTED = """
def emit(name, level):
    ringside.event(name, level)

def timed(name, level):
    with ringside.span(name, level):
        pass

def emit_late(name, level):
    ringside.event(name, level)

for n in range(4032):
    emit(f"n{n}", logging.WARNING)
for call in (emit_late, timed):
    call("d", logging.DEBUG)
    call("e", logging.ERROR)
emit("n4032", logging.WARNING)
emit("n0", logging.WARNING)
for n in range(3):
    log.error("m", extra={"order": n})
"""
MADE_MESSAGES = """
for n in range(20000):
    log.info(f"user {n} logged in")
for n in range(50):
    log.info(f"user {n} has %d", n)
print(ringside.losses())
"""


class Failures(PythonTest):
    def test_a_missing_library_is_an_import_error(self):
        process = self.start("", environment={"RINGSIDE_LIBRARY": "/nonexistent/libringside.so.1"})
        self.assertEqual(process.wait(), 1)
        last = process.stderr().splitlines()[-1]
        self.assertTrue(last.startswith('ringside.library.LibraryError: cannot load "/nonexistent/libringside.so.1": '), last)
        self.assertIn("install the package that has libringside.so.1, or set RINGSIDE_LIBRARY to its path", last)
        self.output_of("""
            try:
                import ringside
            except ImportError as error:
                print("none")
        """, prologue="", environment={"RINGSIDE_LIBRARY": "/nonexistent/libringside.so.1"})

    def test_another_library_is_an_import_error(self):
        process = self.start("", environment={"RINGSIDE_LIBRARY": "libc.so.6"})
        self.assertEqual(process.wait(), 1)
        self.assertIn('LibraryError: "libc.so.6" is too old: it has no rs_block_record', process.stderr())

    def test_invalid_options_are_an_exception(self):
        process = self.start('ringside.init(overflow="never")')
        self.assertEqual(process.wait(), 1)
        self.assertIn('ValueError: invalid overflow "never": use block, drop, overwrite', process.stderr())

    def test_a_call_that_records_never_raises(self):
        process = self.start(RAISING)
        self.assertEqual(process.wait(), 0, process.stderr())
        self.assertNotIn("Traceback", process.stderr())
        reports = process.stderr().splitlines()
        self.assertTrue(all(line.startswith("ringside: ") and line.endswith("suppressed") for line in reports), reports)
        self.assertEqual(len(reports), 3, reports)
        records = self.records()
        self.assertEqual([r["msg"] for r in records if r["msg"] in ("in a context", "extra")], ["in a context", "extra"] * 2)
        self.assertEqual(records[-1]["name"], "after")
        broken = [record["fields"]["value"] for record in records if record.get("name") == "broken"]
        self.assertEqual(broken, ["<Broken: str() raised RuntimeError>"] * 4)

    def test_a_process_without_a_segment_goes_on(self):
        process = self.start("""
            log.info("a")
            ringside.event("b")
            with ringside.span("c"):
                print("ran")
        """, environment={"RINGSIDE_SHM_DIR": "/nonexistent"})
        self.assertEqual((process.wait(), process.stdout()), (0, "ran\n"))
        self.assertNotIn("Traceback", process.stderr())
        self.output_of('log.info("a"); ringside.event("b"); print(ringside.init())', environment={"RINGSIDE_DISABLE": "1"})
        self.assertEqual(self.bed.shm_names(), [])

    def test_more_statements_than_possible_are_recorded_as_text(self):
        self.assertEqual(self.output_of(MANY), "0\n")
        records = self.records()
        self.assertEqual(len(records), 6000 + 1 + 1 + 2 + 100)
        typed = [record for record in records if record.get("name", "").startswith("event") and record["name"] != "event"]
        self.assertGreater(len(typed), 4000)
        texts = [record for record in records if record.get("name") == "event"]
        self.assertEqual(texts[-2]["fields"], {"name": "event5999", "fields": "n=5999"})
        self.assertEqual(texts[-1]["fields"], {"name": "late", "fields": "px=1.5 t=x"})
        late = [record for record in records if record["msg"].startswith("late ") and "name" not in record]
        self.assertEqual([record["msg"] for record in late], ["late 5", *(f"late {n}" for n in range(100))])

    def test_records_as_text_keep_their_level_and_fields(self):
        records = self.run_traced(EXHAUSTED)
        self.assertEqual(len(records), 4032 + 4 + 2 + 3)
        late = [(record["name"], record["level"], record["fields"]) for record in records[4032:-3]]
        texts = [(kind, level, {"name": name, "fields": ""})
                 for kind in ("event", "span") for name, level in (("d", "DEBUG"), ("e", "ERROR"))]
        self.assertEqual(late, [*texts, ("event", "WARNING", {"name": "n4032", "fields": ""}), ("n0", "WARNING", {})])
        self.assertEqual([(record["msg"], record["fields"]["fields"]) for record in records[-3:]],
                         [("m", f"order={n}") for n in range(3)])

    def test_messages_made_at_run_time_are_values(self):
        self.assertEqual(self.output_of(MADE_MESSAGES, environment={"RINGSIDE_RING_BYTES": str(64 << 20)}), "0\n")
        records = self.records()
        self.assertEqual([record["msg"] for record in records],
                         [f"user {n} logged in" for n in range(20000)] + [f"user {n} has {n}" for n in range(50)])
        self.assertLess(len({record["site"] for record in records}), 20)

    def test_flush_tells_whether_the_records_are_in_the_file(self):
        self.assertEqual(self.output_of('log.info("a"); print(ringside.flush(0.01))'), "False\n")
        consumer = self.bed.start_consumer()
        self.assertEqual(self.output_of('log.info("b"); print(ringside.flush(60))'), "True\n")
        self.bed.stop_consumer(consumer)

    def test_the_package_is_one_of_pure_python(self):
        package = os.path.join(os.environ["RINGSIDE_TEST_PYTHON_PACKAGE"], "ringside")
        names = [name for name in os.listdir(package) if name != "__pycache__"]
        self.assertEqual([name for name in names if not name.endswith(".py")], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
