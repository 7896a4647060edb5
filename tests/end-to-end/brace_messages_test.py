#!/usr/bin/env python3
"""Messages in brace style, from the service's log calls to ringcat: the text is {fmt}'s."""

import json
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program


class BraceMessages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        service = cls.bed.start_service(which="brace_messages", service="braces", piped=True)
        service.end_input()
        assert service.wait() == 0, service.stderr()
        cls.expected = service.stdout().splitlines()
        cls.bed.run_consumer_once()

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments, self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_texts_are_those_of_fmt(self):
        self.assertGreater(len(self.expected), 320)
        self.assertEqual(self.ringcat("--template", "{msg}"), self.expected)

    def test_names_are_those_of_the_arguments(self):
        first, second = map(json.loads, self.ringcat("--format", "json", "--where", "user == 'ann' && amount > 12"))
        self.assertEqual(first["fields"], {"user": "ann", "amount": 12.345})
        self.assertEqual(second["fields"], {"amount": 12.345, "user": "ann", "width": 12, "digits": 3})
        (line,) = map(json.loads, self.ringcat("--format", "json", "--where", "qty == 5"))
        self.assertEqual((line["msg"], line["level"], line["fields"]), ("order filled", "ERROR", {"qty": 5, "px": 12.345}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
