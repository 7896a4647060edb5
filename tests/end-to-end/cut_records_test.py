#!/usr/bin/env python3
"""Records larger than a quarter of their ring keep as much of their texts as fits, and are marked."""

import unittest

from checked_output import message_of, print_raw
from traced_processes import TestBed

CUT_MARK = b" [cut]"
# A text loses its end, at most one UTF-8 character more than necessary.
LEAST_KEPT = 64


class CutRecords(unittest.TestCase):
    def log_and_compare(self, ring_bytes):
        with TestBed() as bed:
            bed.start_consumer()
            service = bed.start_service(ring_bytes, which="long_texts", ring_bytes=ring_bytes)
            self.assertEqual(service.wait(), 0, service.stderr())
            with open(service.stdout_path, "rb") as file:
                expected = file.read().splitlines()
            messages = [message_of(line) for line in print_raw(*bed.traces())]
            self.assertEqual(len(messages), len(expected))
            largest = ring_bytes // 4
            cut = 0
            for message, whole in zip(messages, expected):
                if message == whole:
                    self.assertLessEqual(len(whole), largest + 16)
                    continue
                cut += 1
                self.assertTrue(message.endswith(CUT_MARK), message[-80:])
                kept = message.removesuffix(CUT_MARK)
                kept.decode()  # a cut inside a character would raise here
                if b"|" in whole:
                    # The short text and the number are whole, the long text is a prefix.
                    self.assertTrue(kept.startswith(b"short|abc") and kept.endswith(b"|42"))
                    kept = kept.removesuffix(b"|42")
                self.assertTrue(whole.startswith(kept))
                self.assertLessEqual(len(kept), largest + 16)
                self.assertGreater(len(kept), largest - LEAST_KEPT)
            self.assertGreater(cut, 10)
            self.assertLess(cut, len(expected))

    def test_texts_are_prefixes_with_the_smallest_ring(self):
        self.log_and_compare(1 << 16)

    def test_texts_are_prefixes_with_a_ring_of_a_mebibyte(self):
        self.log_and_compare(1 << 20)

    def test_texts_are_prefixes_with_the_largest_records_there_are(self):
        self.log_and_compare(1 << 22)


if __name__ == "__main__":
    unittest.main(verbosity=2)
