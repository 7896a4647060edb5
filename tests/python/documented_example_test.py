#!/usr/bin/env python3
"""The programs of docs/how-to/python.md run, and ringcat prints what the page shows."""

import os
import re
import subprocess
import unittest

from python_service import PythonTest
from traced_processes import BOUND_S, program

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "how-to", "python.md")


def blocks(language):
    with open(PAGE, encoding="utf-8") as file:
        found = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return [text for tag, text in found if tag == language]


class DocumentedExample(PythonTest):
    def test_the_page_shows_what_ringcat_prints(self):
        consumer = self.bed.start_consumer()
        self.output_of(blocks("python")[0], prologue="")
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        done = subprocess.run([program("ringcat"), "--template", "{msg}", self.bed.output_dir], capture_output=True,
                              text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), blocks("")[0].splitlines())

    def test_the_other_programs_run(self):
        records = self.run_traced(blocks("python")[1], prologue="")
        self.assertEqual([(record["name"], record["fields"]) for record in records],
                         [("load", {"source": "disk"}), ("read", {"key": "alpha"})])


if __name__ == "__main__":
    unittest.main(verbosity=2)
