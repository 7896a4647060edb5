#!/usr/bin/env python3
"""Reports of traces in formats of other tools: the page has the statements, threads, spans and records that `ringcat` prints of the same file."""

import collections
import json
import os
import subprocess
import unittest

import browser
from reported_trace import ReportedTrace
from shown_page import ShownPage, count_text, byte_text, duration_text, moment_text, thread_text, visible, wanted_records, wanted_statements
from traced_processes import BOUND_S, TestBed, program

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop")
MOST_RECORDS = 120  # of which each row of the list is compared


def ringcat(*arguments):
    """Files of other tools may have parts that ringcat reports on its standard error."""
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


class Account:
    """What `ringcat` prints of a file."""

    def __init__(self, bed, path):
        self.stats = json.loads(ringcat("stats", "--format", "json", path))
        self.events = [json.loads(line) for line in ringcat("--format", "json", path).splitlines()]
        # `ringcat spans` reads traces in its own format.
        own = os.path.join(bed.work_dir, "own.ringtrace")
        ringcat("--to", "ringtrace", "--force", "-o", own, path)
        self.spans = [json.loads(line) for line in ringcat("spans", "--format", "json", own).splitlines()]


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class ForeignTraces(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def check(self, path, spans):
        """Compares the page of a file with what `ringcat` prints, and returns the latter. The file has so many spans."""
        account = Account(self.bed, path)
        page = os.path.join(self.bed.work_dir, "report.html")
        ringcat("report", "-o", page, path)
        self.window.open(page)
        shown = ShownPage(self.window)
        self.check_totals(shown, account.stats)
        self.assertEqual(sorted(row[:6] for row in shown.statements()), sorted(wanted_statements(account.stats)))
        self.check_records(shown, account)
        self.assertEqual(len(account.spans), spans)
        self.events = account.events
        self.check_spans(shown, account.spans)
        self.assertEqual(self.window.complaints(), [])
        return account

    def check_totals(self, shown, stats):
        threads = sum("thread_id" in stream for stream in stats["streams"])
        self.assertEqual(shown.header(), (count_text(stats["records"]), byte_text(stats["ring_bytes"]), count_text(threads), count_text(stats["files"])))
        if stats["lost"] == 0:
            self.assertEqual(shown.marks()["✗"], [])
        else:
            causes = ", ".join(f"{number:,} {cause.replace('_', ' ')}" for cause, number in stats["lost_by_cause"].items())
            self.assertEqual(shown.marks()["✗"], [f"{stats['lost']:,} records lost: {causes}"])

    def check_records(self, shown, account):
        losses = sum(event["kind"] == "loss" for event in account.events)
        records = len(account.events) - losses
        with_losses = "" if losses == 0 else ", and 1 loss" if losses == 1 else f", and {losses:,} losses"
        self.assertEqual(shown.status("records"), f"{records:,} of {records:,} shown{with_losses}")
        rows, wanted = shown.records(MOST_RECORDS), wanted_records(account.events)
        self.assertEqual(rows, wanted[:MOST_RECORDS])
        threads = {thread_text(stream) for stream in account.stats["streams"] if stream["records"] > 0}
        self.assertEqual({row[2] for row in wanted}, threads)
        self.assertEqual(shown.last_record(), wanted[-1])

    def check_spans(self, shown, spans):
        tracks = collections.Counter((span["service"], span["pid"], span["thread"]["id"], span.get("substream")) for span in spans)
        if not tracks:
            return
        others = {(event["service"], event["pid"], event["thread"]["id"], event.get("substream")) for event in self.events}
        ours = [span[:3] for span in shown.spans(max(tracks.values()), len(others | set(tracks)))]
        wanted = [(visible(span["name"]), "without an end in the trace" if span["open"] else duration_text(span["duration_ns"]), moment_text(span["time"])) for span in spans]
        self.assertEqual(sorted(ours), sorted(wanted))
        totals = collections.defaultdict(lambda: [0, 0])
        for span in spans:
            if not span["open"]:
                totals[span["name"]][0] += span["duration_ns"]
                totals[span["name"]][1] += 1
        functions = shown.functions()
        self.assertEqual({name: (total, number) for name, (total, _, number) in functions.items()},
                         {name: (duration_text(total), count_text(number)) for name, (total, number) in totals.items()})

    def test_nettrace_of_a_runtime(self):
        account = self.check(os.path.join(SAMPLES, "nettrace", "eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace"), spans=0)
        self.assertGreater(len(account.stats["sites"]), 5)

    def test_nettrace_of_several_threads(self):
        account = self.check(os.path.join(SAMPLES, "nettrace", "mixed_managed_external_samples.nettrace"), spans=0)
        self.assertGreater(len(account.stats["streams"]), 5)
        self.assertGreater(account.stats["records"], 30_000)

    def test_perfetto_with_spans(self):
        self.check(os.path.join(SAMPLES, "perfetto", "p01_threads.perfetto"), spans=2)

    def test_perfetto_with_values(self):
        self.check(os.path.join(SAMPLES, "perfetto", "p02_values.perfetto"), spans=0)

    def test_perfetto_with_losses(self):
        account = self.check(os.path.join(SAMPLES, "perfetto", "p03_losses.perfetto"), spans=1)
        self.assertEqual(account.stats["lost"], 3)

    def test_ctf_of_lttng(self):
        self.check(os.path.join(SAMPLES, "ctf", "lttng-ust"), spans=0)

    def test_ctf_with_losses(self):
        account = self.check(os.path.join(SAMPLES, "ctf", "lttng-ust-lossy"), spans=0)
        self.assertGreater(account.stats["lost"], 5000)

    def test_spans_that_were_written_in_other_formats(self):
        trace = ReportedTrace("example_spans")
        self.addCleanup(trace.close)
        own = [json.loads(line) for line in ringcat("spans", "--format", "json", *trace.bed.traces()).splitlines()]
        self.assertGreater(len(own), 3)
        for form, name in (("perfetto", "spans.perfetto"), ("ctf", "spans-ctf"), ("nettrace", "spans.nettrace")):
            with self.subTest(form=form):
                path = os.path.join(self.bed.work_dir, name)
                ringcat("--to", form, "-o", path, *trace.bed.traces())
                account = self.check(path, spans=len(own))
                self.assertEqual(sorted((span["name"], span["duration_ns"]) for span in account.spans), sorted((span["name"], span["duration_ns"]) for span in own))


if __name__ == "__main__":
    unittest.main(verbosity=2)
