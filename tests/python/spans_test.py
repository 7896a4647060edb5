#!/usr/bin/env python3
"""Spans nest and have durations and values; a context adds its fields in threads and tasks."""

import unittest

from python_service import PythonTest

SPANS = """
import time
for n in range(3):
    with ringside.span("outer", n=n) as outer:
        with ringside.span("inner", key=f"k{n}") as inner:
            time.sleep(0.002)
            inner.set(bytes=n * 10, key="replaced")
        ringside.event("within", n=n)
        outer.set(done=True)
"""
ENDS = """
try:
    with ringside.span("failing", key="a"):
        raise ValueError("no such key")
except ValueError as error:
    print(error)

@ringside.span("decorated", kind="function")
def add(a, b=2):
    "Adds."
    return a + b if a < 3 else add(a - 1)

print(add(1), add(3), add.__name__, add.__doc__)

@ringside.span("generator")
def numbers():
    yield 1
    yield 2

print(list(numbers()))
try:
    @ringside.span("asynchronous")
    async def generator():
        yield 1
except TypeError as error:
    print(error)
with ringside.span("huge", n=2**70, big=2**64 - 1):
    pass
with ringside.span("level", logging.DEBUG):
    pass
"""
TASKS = """
import asyncio

@ringside.span("request")
async def request(number):
    async with ringside.span("step", number=number):
        await asyncio.sleep(0.001 * (5 - number))
        log.info("task %d", number)

async def serve(number):
    with ringside.context(user=number, name=f"u{number}"):
        await request(number)
        await asyncio.create_task(request(number))

async def main():
    await asyncio.gather(*(serve(number) for number in range(4)))
    log.info("outside")

asyncio.run(main())
"""
THREADS = """
import contextvars, threading

def work(number):
    for n in range(200):
        with ringside.context(worker=number):
            log.info("n=%d", n)
            with ringside.span("work", n=n):
                ringside.event("step", n=n)
    log.info("after")

shared = ringside.context(shared=1)
entered = threading.Barrier(2)

def enter_shared(number):
    with shared:
        entered.wait()
        log.info("shared %d", number)
        entered.wait()
    log.info("left %d", number)

pair = [threading.Thread(target=enter_shared, args=[number]) for number in range(2)]
for thread in pair:
    thread.start()
for thread in pair:
    thread.join()

with ringside.context(main=True):
    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    copied = threading.Thread(target=contextvars.copy_context().run, args=[log.info, "copied"])
    copied.start()
    copied.join()
"""
NESTED = """
with ringside.context(a=1, b="x", c=2**70):
    with ringside.context(b=2.5, d=b"z") as inner:
        log.info("m %s", "v", extra={"a": "own"})
        ringside.event("e", a=3, e=4)
        with inner:
            log.info("again")
    try:
        with ringside.context(gone=1):
            raise KeyError
    except KeyError:
        log.info("outer")
    with ringside.span("s", b=9):
        pass
log.info("none")
with ringside.context():
    log.info("none")
"""
SWITCHED_OFF = """
ringside.init(level=logging.INFO)

def timed(name, level):
    with ringside.span(name, level):
        pass

timed("off", logging.DEBUG)
timed("first", logging.ERROR)
timed("off", logging.DEBUG)
timed("second", logging.ERROR)
"""
REUSED = """
span = ringside.span("again", key="a")
for fails in (True, False):
    try:
        with span:
            if fails:
                raise ValueError("first block")
    except ValueError:
        pass
"""


class Spans(PythonTest):
    def test_spans_nest_and_have_durations_and_values(self):
        records = self.run_traced(SPANS)
        spans = {name: [record for record in records if record["name"] == name] for name in ("outer", "inner", "within")}
        for n in range(3):
            outer, inner, within = spans["outer"][n], spans["inner"][n], spans["within"][n]
            self.assertEqual(outer["fields"], {"n": n, "done": True})
            self.assertEqual(inner["fields"], {"key": "replaced", "bytes": n * 10})
            self.assertEqual((outer["site_kind"], inner["site_kind"]), ("span", "span"))
            self.assertGreaterEqual(inner["duration_ns"], 2_000_000)
            self.assertLessEqual(outer["unix_ns"], inner["unix_ns"])
            self.assertLessEqual(inner["unix_ns"] + inner["duration_ns"], within["unix_ns"] + 1000)
            self.assertLessEqual(within["unix_ns"], outer["unix_ns"] + outer["duration_ns"] + 1000)

    def test_a_span_ends_by_an_exception_or_a_return(self):
        output = self.output_of(ENDS)
        self.assertEqual(output.splitlines(), ["no such key", "3 4 add Adds.", "[1, 2]",
                                               "generator is an asynchronous generator, which a span cannot measure; use `with` in it"])
        found = [(record["name"], record["level"], record["fields"]) for record in self.records()]
        self.assertEqual(found, [
            ("failing", "INFO", {"key": "a", "error": "ValueError: no such key"}),
            ("decorated", "INFO", {"kind": "function"}), ("decorated", "INFO", {"kind": "function"}),
            ("decorated", "INFO", {"kind": "function"}), ("generator", "INFO", {}),
            ("huge", "INFO", {"n": str(2**70), "big": 2**64 - 1}), ("level", "DEBUG", {})])

    def test_a_span_that_is_off_does_not_switch_off_others_at_its_place(self):
        found = [(record["name"], record["level"]) for record in self.run_traced(SWITCHED_OFF)]
        self.assertEqual(found, [("first", "ERROR"), ("second", "ERROR")])

    def test_a_reused_span_does_not_keep_the_error_of_an_earlier_block(self):
        found = [record["fields"] for record in self.run_traced(REUSED)]
        self.assertEqual(found, [{"key": "a", "error": "ValueError: first block"}, {"key": "a"}])

    def test_tasks_have_the_context_of_their_creation(self):
        records = self.run_traced(TASKS)
        logs = [record for record in records if record["msg"].startswith("task")]
        self.assertEqual(len(logs), 8)
        for record in logs:
            number = record["fields"]["arg1"]
            self.assertEqual(record["fields"], {"arg1": number, "user": number, "name": f"u{number}"})
        for record in records:
            if record.get("name") == "step":
                self.assertEqual(record["fields"]["number"], record["fields"]["user"])
                self.assertGreater(record["duration_ns"], 1_000_000)
        self.assertEqual([r["fields"] for r in records if r["msg"] == "outside"], [{}])

    def test_threads_have_contexts_of_their_own(self):
        records = self.run_traced(THREADS)
        shared = [record["fields"] for record in records if record["msg"].startswith(("shared", "left"))]
        self.assertEqual([fields.get("shared") for fields in shared], [1, 1, None, None])
        records = [record for record in records if not record["msg"].startswith(("shared", "left"))]
        self.assertEqual(len(records), 4 * (200 * 3 + 1) + 1)
        self.assertEqual([r["fields"] for r in records if r["msg"] == "copied"], [{"main": True}])
        workers = {}
        for record in records:
            if record["msg"] == "after":
                self.assertEqual(record["fields"], {})
            elif record["msg"] != "copied":
                workers.setdefault(record["thread"]["id"], set()).add(record["fields"]["worker"])
        self.assertEqual(sorted(workers.values(), key=min), [{0}, {1}, {2}, {3}])

    def test_the_innermost_value_of_a_context_counts(self):
        found = [record["fields"] for record in self.run_traced(NESTED)]
        data = found[1].pop("d")
        for fields in found[:1] + found[2:3]:
            self.assertEqual(fields.pop("d"), data)
        huge = str(2**70)
        self.assertEqual(found, [
            {"arg1": "v", "a": "own", "b": 2.5, "c": huge}, {"a": 3, "e": 4, "b": 2.5, "c": huge},
            {"a": 1, "b": 2.5, "c": huge}, {"a": 1, "b": "x", "c": huge}, {"a": 1, "b": 9, "c": huge}, {}, {}])


if __name__ == "__main__":
    unittest.main(verbosity=2)
