#!/usr/bin/env python3
"""Messages of both styles of formats: in ringcat's text and JSON, and after a conversion there and back."""

import unittest

from random_traces import SEEDS, RandomTrace, events_of, ringcat

# The formats that carry style and format. NetLogger's texts are shorter, and its numbers have 32 bits.
CARRYING = ("ringtrace", "ctf", "perfetto", "chrome", "ndjson", "trcxml")


def brace_records(events):
    return ordered(event for event in events if event.get("style") == "brace")


def printf_records(events):
    return ordered(event for event in events if event.get("format") == '%d of "%s", 100%%')


def ordered(found):
    return sorted(found, key=lambda e: (e["unix_ns"], e["service"], e["thread"]["id"], e["sequence"]))


class Messages(unittest.TestCase):
    def test_json_and_text_have_the_message(self):
        with RandomTrace(SEEDS[0]) as trace:
            records = brace_records(trace.events())
            code, text, _ = ringcat("--raw", trace.path)
        self.assertEqual(code, 0)
        plain = [r for r in records if r["fields"]["text"].isascii() and isinstance(r["fields"]["price"], float)]
        self.assertGreater(len(plain), 3)
        for record in plain:
            fields = record["fields"]
            self.assertEqual(record["format"], "{text:>8} has {{{count}}} of {0} {seen}")
            begin = f"{fields['text']:>8} has {{{fields['count']}}} of "
            self.assertTrue(record["msg"].startswith(begin), record)
            price, seen = record["msg"][len(begin):].split()
            self.assertEqual((float(price), seen), (fields["price"], str(fields["seen"]).lower()))
            self.assertIn(record["msg"].encode(), text)

    def test_conversions_keep_it(self):
        for seed in SEEDS[:2]:
            with RandomTrace(seed) as trace:
                there = trace.events()
                for name in CARRYING:
                    path = trace.path_of("converted." + name)
                    code, _, said = ringcat("--to", name, "-o", path, trace.path)
                    self.assertEqual(code, 0, said)
                    back = events_of(path)
                    self.compare(name, brace_records(there), brace_records(back))
                    self.compare(name, printf_records(there), printf_records(back))

    def compare(self, name, there, back):
        self.assertTrue(there)
        self.assertEqual(len(there), len(back), name)
        for one, other in zip(there, back):
            if "\0" in one["fields"]["text"]:  # ends a text in some formats
                continue
            for member in ("unix_ns", "format", "msg"):
                self.assertEqual(one[member], other[member], name)

    def test_numbers_of_64_bits_are_among_them(self):
        numbers = []
        for seed in SEEDS[:2]:
            with RandomTrace(seed) as trace:
                numbers += [event["fields"]["number"] for event in printf_records(trace.events())]
        self.assertGreater(sum(abs(number) > 2**32 for number in numbers), 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
