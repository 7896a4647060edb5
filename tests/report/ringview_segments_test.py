#!/usr/bin/env python3
"""`ringview` shows the records that are in segments only, because no consumer takes them."""

import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from live_view import LiveCase
from steady_load import Load
from traced_processes import BOUND_S, program, wait_until

# More than these tests record.
RING_BYTES = 16 << 20


class RingviewSegments(LiveCase):
    def records(self, view):
        return view.data()["summary"]["records"]

    def wait_for(self, view, expected):
        """Until the traces have these records, and no segment has any."""
        def shown():
            data = view.data()
            return data["summary"]["records"], data["live"]["segments"]
        wait_until(lambda: shown() == (expected, []), "all records in traces")

    def load_alone(self, **how):
        """A load that no consumer reads, unless the test has started one."""
        load = Load(self.bed, 0, 1, "--burst", 10, "--pause-us", 20_000, ring_bytes=RING_BYTES, **how)
        load.advance()
        return load

    def test_records_without_a_consumer_are_shown_and_become_those_of_the_trace(self):
        load = self.load_alone()
        view = self.view()
        wait_until(lambda: self.records(view) > 0, "records from the segment")
        before = self.records(view)
        wait_until(lambda: self.records(view) > before, "newer records")
        self.assertEqual(view.live()["segments"], [{"service": "load0", "pid": load.process.pid}])
        self.assertEqual(view.live()["unreadable"]["count"], 0)
        load.stop()
        expected = sum(load.expected().values())
        # Its segment stays, because nothing has taken its records.
        wait_until(lambda: self.records(view) == expected, "all records from the segment of a service that has ended")
        self.bed.run_consumer_once()
        self.bed.wait_until_segments_are_gone()
        self.wait_for(view, expected)

    def test_a_killed_service_is_shown(self):
        load = self.load_alone()
        load.process.send(signal.SIGKILL)
        load.process.wait()
        view = self.view()
        returned = sum(load.expected().values())
        wait_until(lambda: self.records(view) >= returned, "its records")
        self.assertLessEqual(self.records(view) - returned, 1)

    def test_what_a_killed_consumer_has_taken_does_not_seem_lost(self):
        consumer, load = self.load(burst=5, pause_us=20_000)
        view = self.view()
        wait_until(lambda: self.records(view) > 100, "records")
        consumer.send(signal.SIGKILL)
        consumer.wait()
        for _ in range(20):
            load.advance()
            self.assertEqual(view.data()["summary"]["lost"], 0)
        self.bed.run_consumer_once()
        load.stop()
        self.bed.run_consumer_once()
        self.wait_for(view, sum(load.expected().values()))

    def test_a_flight_recorder_is_shown_though_a_consumer_runs(self):
        consumer = self.bed.start_consumer()
        load = self.load_alone(overflow="overwrite")
        view = self.view()
        wait_until(lambda: self.records(view) > 0, "records")
        states = lambda: [one["consumer"] for one in view.live()["services"] or []]  # noqa: E731
        wait_until(lambda: states() == ["polling"], "the consumer")
        self.assertEqual([one["service"] for one in view.live()["segments"]], ["load0"])
        load.process.end_input()
        self.assertEqual(load.process.wait(), 0)
        self.bed.stop_consumer(consumer)

    def test_what_snapshots_have_is_not_shown_twice(self):
        consumer = self.bed.start_consumer()
        load = self.load_alone(overflow="overwrite")
        view = self.view()
        for snapshots in range(1, 4):
            done = subprocess.run([program("ringctl"), "snapshot", "--shm-dir", self.bed.shm_dir], capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            returned = load.progress.total()
            load.advance()
            # The copy of the segment counts as a file.
            wait_until(lambda: len(view.data()["live"]["segments"]) == 1 and self.records(view) > returned, f"records after snapshot {snapshots}")  # pylint: disable=cell-var-from-loop
            summary = view.data()["summary"]
            self.assertLessEqual(summary["records"], load.progress.total() + 1)
            self.assertEqual(summary["lost"], 0)
        load.process.end_input()
        self.assertEqual(load.process.wait(), 0)
        self.bed.stop_consumer(consumer)

    def test_a_segment_follows_the_files_of_its_service(self):
        load = self.load_alone()
        consumer = self.bed.start_consumer("--rotate-after", "1s")
        wait_until(lambda: len(self.bed.traces()) > 2, "files")
        self.bed.stop_consumer(consumer)
        view = self.view()
        wait_until(lambda: view.live()["segments"] != [], "the segment")
        returned = load.progress.total()
        wait_until(lambda: self.records(view) > returned, "newer records")
        data = view.data()
        self.assertEqual((data["summary"]["lost"], data["health"]["notes"], data["summary"]["files"]), (0, [], len(self.bed.traces()) + 1))
        load.stop()

    def test_a_segment_that_a_consumer_drains_is_left_to_it(self):
        consumer, load = self.load()
        view = self.view()
        wait_until(lambda: self.records(view) > 100, "records")
        self.assertEqual(view.live()["segments"], [])
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def test_without_a_path_only_segments_are_shown(self):
        load = self.load_alone()
        view = self.view("--port", "0", folder="")
        wait_until(lambda: self.records(view) > 0, "records")
        self.assertEqual(view.data()["summary"]["title"], self.bed.shm_dir)
        view = self.view("--port", "0", "--service", "other", folder="")
        wait_until(lambda: view.live()["read_unix_ms"] is not None, "the first look")
        self.assertEqual((self.records(view), view.live()["segments"]), (0, []))
        load.stop()

    def test_without_a_path_the_directory_of_segments_must_exist(self):
        os.rmdir(self.bed.shm_dir)
        view = self.view("--port", "0", folder="")
        self.assertEqual(view.process.wait(), 3)
        self.assertIn(f"cannot read {self.bed.shm_dir}: No such file or directory; set --shm-dir", view.said())

    def test_other_files_in_the_directory_are_named_and_do_no_harm(self):
        load = self.load_alone()
        segment, = os.listdir(self.bed.shm_dir)
        name = os.path.join(self.bed.shm_dir, "ringside.shop.{}.0123456789abcdef")
        os.symlink(segment, name.format(1))
        os.mkfifo(name.format(2))
        for pid, content in ((3, b""), (4, b"x" * 10_000), (5, bytes(1 << 20))):
            with open(name.format(pid), "wb") as file:
                file.write(content)
        view = self.view()
        wait_until(lambda: self.records(view) > 0, "records of the service")
        self.assertEqual([one["service"] for one in view.live()["segments"]], ["load0"])
        live = view.live()
        self.assertEqual((live["error"], live["unreadable"]["count"]), ("", 5))
        self.assertEqual([one["path"] for one in live["unreadable"]["first"]], [name.format(pid) for pid in range(1, 6)])
        load.stop()

    def test_segments_that_this_user_may_not_read_are_left_out(self):
        load = self.load_alone()
        segment, = os.listdir(self.bed.shm_dir)
        os.chmod(os.path.join(self.bed.shm_dir, segment), 0)
        view = self.view_of_another_user()
        wait_until(lambda: view.live()["read_unix_ms"] is not None, "the first look")
        self.assertEqual((self.records(view), view.live()["segments"], view.live()["unreadable"]["count"]), (0, [], 0))
        load.stop()


if __name__ == "__main__":
    unittest.main(verbosity=2)
