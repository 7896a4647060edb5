#!/usr/bin/env python3
"""Random traces are valid, cover the event model, and survive the conversion to their own format."""

import unittest

from random_traces import SEEDS, RandomTrace, comparable, events_of, ringcat


class RandomTraces(unittest.TestCase):
    def test_they_are_valid_and_equal_for_equal_seeds(self):
        for seed in SEEDS[:2]:
            with RandomTrace(seed) as one, RandomTrace(seed) as same, RandomTrace(seed + 1) as other:
                code, told, _ = ringcat("verify", one.path)
                self.assertEqual(code, 0, told)
                self.assertEqual(one.events(), same.events())
                self.assertNotEqual(one.events(), other.events())

    def test_they_cover_the_event_model(self):
        with RandomTrace(1, records=2000) as trace:
            events = trace.events()
        records = [event for event in events if event["kind"] == "record"]
        self.assertEqual(len(records), 2000)
        self.assertGreater(len(events), len(records))
        for member in ("substream", "activity", "related", "stack_id", "duration_ns"):
            self.assertTrue(any(member in record for record in records), member)
        self.assertGreater(len({(e["pid"], e["thread"]["id"]) for e in events}), 5)

    def test_ringtrace_carries_everything(self):
        for seed in SEEDS:
            with RandomTrace(seed, any_bytes_in_texts=True) as trace:
                _, said = trace.converted("ringtrace")
                self.assertEqual(said, "")
                self.assertEqual(comparable(events_of(trace.path_of("converted.ringtrace"))),
                                 comparable(trace.events()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
