#!/usr/bin/env python3
"""What ringstat and the metrics show of sessions is what these record."""

import json
import os
import unittest
import urllib.request

from prometheus_server import free_port
from sessions_test import SessionTest, tick
from steady_load import Load
from told_service import ToldService
from traced_processes import BOUND_S, wait_until


class SessionViews(SessionTest):
    def test_ringstat_shows_the_sessions(self):
        consumer = self.start_consumer()
        load = Load(self.bed, 0, 2)
        self.start_session("errors", "--level", "error", "--for", "1h")
        self.start_session("all")
        load.advance()
        shown = lambda *how: self.ringctl("--once", "--interval", "50ms", *how, tool="ringstat")
        wait_until(lambda: self.sessions()["all"]["records"] > 0, "records of the session")
        first, second = json.loads(shown("--json"))["sessions"]
        self.assertEqual((first["session"], first["state"], first["services"], first["dropped"], first["output"]),
                         ("all", "running", 1, 0, self.output("all")))
        self.assertGreater(first["records"], 0)
        self.assertEqual((second["session"], second["end_unix_ns"] > 0, first["end_unix_ns"]), ("errors", True, 0))
        self.assertRegex(shown(), r"\nSESSION +STATE +SERVICES +RECORDS +DROPPED +OUTPUT\nall +running +1 +\d+ +0 +/")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.ringctl("session", "stop", "all")
        self.ringctl("session", "stop", "errors")
        self.bed.stop_consumer(consumer)

    def test_metrics_count_what_a_session_recorded_and_forget_it_when_it_ends(self):
        address = f"127.0.0.1:{free_port()}"
        consumer = self.start_consumer("--metrics", address)
        wait_until(lambda: "metrics on" in consumer.stderr(), "the server")

        def metrics():
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=BOUND_S) as answer:
                lines = answer.read().decode().splitlines()
            return {line.split(" ")[0]: float(line.split(" ")[1]) for line in lines if line.startswith("ringside_session_")}

        service = ToldService(self.bed, "steered_service", service="desk")
        service.tell("level 3")
        self.assertEqual(metrics(), {})
        self.start_session("late", "--site", "*late*")
        self.start_session("big", "--site", "order*taken")
        for number in range(1, 8):
            service.tell(f"tick {number}")
        self.ringctl("flush")
        records = 'ringside_session_records_total{session="%s"}'
        wait_until(lambda: metrics().get(records % "late") == 7, "the records to be counted")
        found = metrics()
        self.assertEqual((found[records % "big"], found['ringside_session_dropped_records_total{session="late"}']), (7, 0))
        self.ringctl("session", "stop", "late")
        self.assertEqual(self.messages(self.output("late")), tick(*range(1, 8), levels="W"))
        wait_until(lambda: records % "late" not in metrics(), "the ended session to be forgotten")
        written = metrics()['ringside_session_written_bytes_total{session="big"}']
        self.stop_all(consumer, service)
        (path,) = self.files_in(self.output("big"))
        self.assertTrue(0 < written <= os.path.getsize(path), (written, os.path.getsize(path)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
