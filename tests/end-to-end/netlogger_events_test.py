#!/usr/bin/env python3
"""The NetLogger call: from a service in C, through consumerd and ringcat, to NetLogger's own messages."""

import json
import os
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

EVENTS = 300


def is_added(name):
    """Whether the writer adds this name for the process or the statement, beside what the service wrote."""
    return name in ("HOST", "PROG") or name.startswith("ringside.")


def ringcat(*arguments):
    return subprocess.run([program("ringcat"), *arguments], check=True, capture_output=True, timeout=BOUND_S).stdout


class Messages(unittest.TestCase):
    def messages_of_the_service(self):
        with TestBed() as bed:
            service = bed.start_service(EVENTS, which="netlogger_service", service="nl")
            bed.start_consumer()
            self.assertEqual(service.wait(), 0)
            bed.wait_until_segments_are_gone()
            messages = os.path.join(bed.work_dir, "messages.nlb")
            ringcat("--to", "netlogger", "-o", messages, *bed.traces())
            return json.loads(ringcat("inspect", "--json", messages))

    def test_constants_are_in_headers_and_variables_in_bodies(self):
        told = self.messages_of_the_service()
        constants, fields = {}, {}
        for header in told["headers"]:
            names = [name["value"] for name in header["fields"]]
            known = dict(zip(names, (constant["value"] for constant in header["constants"])))
            event = known.pop("NL.EVNT")
            self.assertNotIn(event, constants, "one header for each event")
            constants[event] = [(name, value) for name, value in known.items() if not is_added(name)]
            fields[header["identifier"]] = (event, names[header["n_consts"]:])
        self.assertEqual(constants, {
            "statement.event": [("Const1", 3), ("Const2", "Hello")],
            "even": [("Ratio", 0.5), ("Text", "two words")],
            "odd": [("Ratio", 0.5), ("Text", "two words")]})
        values = {event: [] for event in constants}
        for body in told["events"]:
            event, names = fields[body["identifier"]]
            read = zip(names, body["values"])
            values[event].append([(name, value["type"], value["value"]) for name, value in read if not is_added(name)])
        self.assertEqual(values, {
            "statement.event": [[("Var1", "INT", i), ("Var2", "FLOAT", i + 0.25), ("Var3", "STRING", f"value {i}")]
                                for i in range(EVENTS)],
            "even": [[("Var1", "INT", -1 - i)] for i in range(0, EVENTS, 2)],
            "odd": [[("Var1", "INT", -1 - i)] for i in range(1, EVENTS, 2)]})
        self.assertIn("Const1=3 Const2=Hello", told["events"][0]["ulm"])
        self.assertIn("Var1=0 Var2=0.250000 Var3=\"value 0\"", told["events"][0]["ulm"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
