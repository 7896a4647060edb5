"""Traces of services, and what `ringcat` and its report say of them."""

import itertools
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from traced_processes import BOUND_S, TestBed, program, wait_until  # pylint: disable=wrong-import-position


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


class ReportedTrace:
    """The trace of one service that has ended."""

    def __init__(self, which, *arguments, kill_when=None, **how):
        self.bed = TestBed()
        consumer = self.bed.start_consumer()
        service = self.bed.start_service(*arguments, which=which, **how)
        if kill_when is None:
            assert service.wait() == 0, service.stderr()
        else:
            kill_when(service)
            service.kill()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.page = os.path.join(self.bed.work_dir, "report.html")

    def close(self):
        self.bed.close()

    def document(self):
        return json.loads(ringcat("report", "--json", *self.bed.traces()))

    def make_page(self):
        ringcat("report", "-o", self.page, *self.bed.traces())
        return self.page

    def spans(self, *arguments):
        """As `ringcat spans` prints them."""
        return [json.loads(line) for line in ringcat("spans", "--format", "json", *arguments, *self.bed.traces()).splitlines()]


def sums(differences):
    return list(itertools.accumulate(differences))


def pairs(numbers):
    return dict(zip(numbers[::2], numbers[1::2]))
