#!/usr/bin/env python3
"""Messages in stream style, from the service's log calls to ringcat: the text is that of std::ostream."""

import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program


class StreamMessages(unittest.TestCase):
    def test_texts_are_those_of_a_stream(self):
        bed = TestBed()
        self.addCleanup(bed.close)
        # All records before a consumer runs.
        service = bed.start_service(which="stream_messages", service="streams", piped=True, ring_bytes="16M")
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        expected = service.stdout().splitlines()
        self.assertGreater(len(expected), 9_000)
        bed.run_consumer_once()
        done = subprocess.run([program("ringcat"), "--template", "{msg}", bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        texts = done.stdout.splitlines()
        self.assertEqual(len(texts), len(expected))
        for number, (text, of_stream) in enumerate(zip(texts, expected)):
            self.assertEqual(text, of_stream, f"message {number}; {service.stderr()}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
