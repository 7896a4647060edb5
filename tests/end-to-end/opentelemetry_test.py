#!/usr/bin/env python3
"""A request goes from a service with the OpenTelemetry SDK through one with Ringside to another one with the SDK: all spans have
one trace. packaging/install-opentelemetry.sh installs the SDK."""

import json
import os
import shutil
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opentelemetry_request.cjs")
# Where packaging/install-opentelemetry.sh puts it.
FOLDERS = [os.environ.get("RINGSIDE_OPENTELEMETRY_DIR", ""), "/usr/local/lib/ringside-test-opentelemetry",
           os.path.expanduser("~/.cache/ringside-test-opentelemetry")]


def sdk_folder():
    for folder in FOLDERS:
        if folder and os.path.exists(os.path.join(folder, "node_modules/@opentelemetry/sdk-trace-base/package.json")):
            return folder
    raise unittest.SkipTest("the OpenTelemetry SDK is not installed: packaging/install-opentelemetry.sh")


class OpenTelemetry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = sdk_folder()
        cls.node = shutil.which("node")
        if cls.node is None:
            raise unittest.SkipTest("node is not installed")

    def request(self, sampling):
        """What the SDK reports, and what `ringcat --to otlp` writes of the service between."""
        bed = TestBed()
        self.addCleanup(bed.close)
        caller = subprocess.run([self.node, SCRIPT, self.folder, program("traced_request"), sampling], text=True, check=False,
                                capture_output=True, timeout=BOUND_S, env={**os.environ, "RINGSIDE_SHM_DIR": bed.shm_dir})
        self.assertEqual((caller.returncode, caller.stderr), (0, ""))
        bed.run_consumer_once()
        done = subprocess.run([program("ringcat"), "--to", "otlp", "-o", "-", bed.output_dir], text=True, check=False,
                              capture_output=True, timeout=BOUND_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        spans = [span for line in done.stdout.splitlines() for resource in json.loads(line).get("resourceSpans", [])
                 for scope in resource["scopeSpans"] for span in scope["spans"]]
        self.assertEqual([span["name"] for span in spans], ["serve"])
        return json.loads(caller.stdout), spans[0]

    def test_spans_of_both_belong_to_the_same_trace(self):
        told, span = self.request("on")
        first, third = (next(one for one in told["spans"] if one["name"] == name) for name in ("first", "third"))
        self.assertEqual(len({first["trace"], third["trace"], span["traceId"]}), 1)
        self.assertEqual(told["sent"], f"00-{first['trace']}-{first['span']}-01")

    def test_the_sdk_takes_the_header_of_ringside_as_its_parent(self):
        told, _ = self.request("on")
        third = next(one for one in told["spans"] if one["name"] == "third")
        version, trace, parent, flags = told["received"].split("-")
        self.assertEqual((version, trace, parent, flags), ("00", third["trace"], third["parent"], "01"))
        self.assertTrue(third["parent_is_remote"])
        self.assertNotEqual(parent, told["sent"].split("-")[2])

    def test_a_request_that_the_sdk_does_not_sample_stays_unsampled(self):
        told, span = self.request("off")
        self.assertEqual(told["spans"], [])
        self.assertEqual((told["sent"][-2:], told["received"][-2:]), ("00", "00"))
        self.assertEqual({told["third_trace"], span["traceId"]}, {told["sent"].split("-")[1]})


if __name__ == "__main__":
    unittest.main(verbosity=2)
