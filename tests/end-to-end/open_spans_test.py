#!/usr/bin/env python3
"""Spans with two records of a service that ends, dies at random moments or loses records: the tools' tree equals the service's
own account; what is open is shown as open, and nothing is attributed to another span.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import collections
import json
import os
import random
import struct
import subprocess
import time
import unittest

from traced_processes import BOUND_S, TestBed, program, wait_until

SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))
ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "10"))
PLAIN, OPEN, HANDED_OVER = range(3)
NONE, BEGINS, BEGUN, ENDS, ENDED = range(5)
THREADS = 3
Account = collections.namedtuple("Account", "parent depth kind phase has_status")


class OpenSpans(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.renew()

    def renew(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.path = os.path.join(self.bed.work_dir, "account")

    def start(self, spans, *more, **how):
        self.spans = spans
        return self.bed.start_service(self.path, THREADS, spans, self.dice.randrange(1 << 30), *more, which="open_spans_service",
                                      service="spans", **{"overflow": "block", "ring_bytes": 1 << 16, **how})

    def account(self):
        """{(thread, n): Account} of all spans that were begun."""
        with open(self.path, "rb") as file:
            entries = list(struct.iter_unpack("<IIBBB5x", file.read()))
        return {(i // self.spans + 1, i % self.spans + 1): Account(*entry) for i, entry in enumerate(entries) if entry[3] != NONE}

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments, self.bed.output_dir], capture_output=True, timeout=BOUND_S,
                              check=False, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def shown(self, *arguments):
        return [json.loads(line) for line in self.ringcat("spans", "--format", "json", *arguments).splitlines()]

    def trace(self, spans, *more):
        consumer = self.bed.start_consumer()
        service = self.start(spans, *more)
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def kill(self, *more):
        consumer = self.bed.start_consumer()
        service = self.start(100_000, "paced", *more)
        # Some of those that were begun first have records by then.
        wait_until(lambda: os.path.exists(self.path) and len(self.account()) > 20, "the account")
        time.sleep(self.dice.uniform(0, 0.3))
        service.kill()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def check(self, shown, account, all_are_there=True):
        """That spans are what the account says. Returns {key: span}."""
        where = f"RINGSIDE_TEST_SEED={SEED}"
        found = {}
        for span in shown:
            fields = span["fields"]
            key = fields["thread"], fields["n"]
            self.assertNotIn(key, found, where)
            found[key] = span
            expected = account[key]
            self.assertEqual((fields["parent"], fields["depth"]), (expected.parent, expected.depth), where)
            if span["open"]:
                self.assertNotEqual(expected.kind, PLAIN, where)
                self.assertNotIn("duration_ns", span, where)
                if all_are_there:
                    self.assertLess(expected.phase, ENDED, where)
            else:
                self.assertGreaterEqual(expected.phase, ENDS, where)
                self.assertEqual(fields.get("status"), key[1] * 7 if expected.has_status else None, where)
        if all_are_there:
            for key, expected in account.items():
                must = expected.phase == ENDED or (expected.phase >= BEGUN and expected.kind != PLAIN)
                self.assertTrue(key in found or not must, f"{key} {expected} {where}")
        return found

    def check_tree(self, shown, account, found):
        """That each span is within the innermost recorded one around it."""
        around = collections.defaultdict(list)
        for span in shown:
            thread, n = span["fields"]["thread"], span["fields"]["n"]
            stack = around[thread]
            del stack[span["depth"]:]
            parent = account[thread, n].parent
            while parent and (thread, parent) not in found:
                parent = account[thread, parent].parent  # a span with one record that did not end
            self.assertEqual(stack[-1] if stack else 0, parent, f"{span} RINGSIDE_TEST_SEED={SEED}")
            stack.append(n)

    def test_the_tree_is_that_of_the_service(self):
        self.trace(3000)
        shown, account = self.shown(), self.account()
        self.assertEqual(len(account), 3 * 3000)
        self.assertEqual({span["open"] for span in shown}, {False})
        self.check_tree(shown, account, self.check(shown, account))
        self.assertEqual(self.shown("--open"), [])

    def test_a_span_counts_once(self):
        self.trace(2000)
        durations = [span["duration_ns"] for span in self.shown()]
        (row,) = json.loads(self.agg("--field", "@duration_ns"))["rows"]
        self.assertEqual((row["count"], row["sum"], row["max"]), (len(durations), sum(durations), max(durations)))
        (row,) = json.loads(self.agg())["rows"]
        self.assertEqual(row["count"], 3 * 2000)

    def agg(self, *more):
        return self.ringcat("agg", "work", *more, "--format", "json")

    def test_spans_that_end_on_another_thread_keep_their_values(self):
        self.trace(3000, "handover")
        shown, account = self.shown(), self.account()
        self.assertGreater(sum(entry.kind == HANDED_OVER for entry in account.values()), 300)
        self.check(shown, account)
        self.assertEqual({span["open"] for span in shown}, {False})

    def test_a_kill_within_spans_leaves_those_open_that_had_not_ended(self):
        some_open = 0
        for _ in range(ROUNDS):
            self.renew()
            self.kill()
            account, shown = self.account(), self.shown()
            found = self.check(shown, account)
            self.check_tree(shown, account, found)
            some_open += sum(span["open"] for span in shown)
            self.check_other_tools(shown)
        self.assertGreater(some_open, ROUNDS)

    def test_a_kill_within_spans_of_several_threads(self):
        for _ in range(max(1, ROUNDS // 3)):
            self.renew()
            self.kill("handover")
            self.check(self.shown(), self.account())

    def check_other_tools(self, shown):
        key = "ringside.span"
        still_open = sorted(span["fields"][key] for span in shown if span["open"])
        ended = len(shown) - len(still_open)
        self.assertEqual(sorted(span["fields"][key] for span in self.shown("--open")), still_open)
        text = self.ringcat("spans", "--open").splitlines()
        self.assertEqual(len(text), len(still_open))
        self.assertTrue(all(line.endswith(" open") for line in text))
        (story,) = map(json.loads, self.ringcat("crash", "--format", "json").splitlines())
        self.assertEqual(sorted(span["fields"][key] for thread in story["threads"] for span in thread["open_spans"]), still_open)
        self.assertEqual(story["lost"], 0)
        self.assertEqual(self.ringcat("crash").count("  open spans of thread "),
                         len({span["thread"]["id"] for span in shown if span["open"]}))
        events = [event for event in json.loads(self.ringcat("--to", "chrome"))["traceEvents"] if event["ph"] in "BXbe"]
        phases = collections.Counter(event["ph"] for event in events)
        self.assertEqual(sorted(event["args"][key] for event in events if event["ph"] == "B"), still_open)
        self.assertEqual(phases["X"] + phases["e"], ended)
        spans = [span for line in self.ringcat("--to", "otlp").splitlines() for resource in json.loads(line).get("resourceSpans", [])
                 for scope in resource["scopeSpans"] for span in scope["spans"]]
        self.assertEqual(len(spans), len(shown))
        unended = [span for span in spans if "code" in span["status"]]
        self.assertEqual(len(unended), len(still_open))
        for span in unended:
            self.assertIn({"key": "ringside.open", "value": {"intValue": "1"}}, span["attributes"])
            self.assertGreaterEqual(int(span["endTimeUnixNano"]), int(span["startTimeUnixNano"]))
        if ended:
            self.assertEqual(json.loads(self.agg("--field", "@duration_ns"))["rows"][0]["count"], ended)
        self.check_perfetto(still_open, ended)

    def check_perfetto(self, still_open, ended):
        path = os.path.join(self.bed.work_dir, "trace.pftrace")
        self.ringcat("--to", "perfetto", "-o", path)
        done = subprocess.run([program("ringcat"), "--from", "perfetto", "--format", "json", path], capture_output=True,
                              timeout=BOUND_S, check=False, text=True)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        without = sorted(record["fields"]["ringside.span"] for record in records if "duration_ns" not in record)
        self.assertEqual((without, len(records)), (still_open, len(still_open) + ended))

    def test_lost_records_attribute_nothing_wrongly(self):
        service = self.start(20_000, ring_bytes=1 << 14, overflow="drop")
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.run_consumer_once()
        account, shown = self.account(), self.shown()
        self.assertGreater(len(shown), 10)
        self.check(shown, account, all_are_there=False)
        # The end of the service is lost, too: spans that were recorded as begun only.
        self.assertLess(len(shown), len(account))

    def test_a_consumer_that_lags_loses_some_ends_and_some_beginnings(self):
        consumer = self.bed.start_consumer()
        service = self.start(200_000, ring_bytes=1 << 13, overflow="drop")
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.check(self.shown(), self.account(), all_are_there=False)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
