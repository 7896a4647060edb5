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
    def run_service(self, bed, level):
        service = bed.start_service(EVENTS, which="netlogger_service", service="nl",
                                    environment={"RINGSIDE_LEVEL": level})
        bed.start_consumer()
        self.assertEqual(service.wait(), 0)
        bed.wait_until_segments_are_gone()

    def messages_of_the_service(self):
        with TestBed() as bed:
            self.run_service(bed, "info")
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
            "odd": [("Ratio", 0.5), ("Text", "two words")],
            "failed": [("LVL", "Error")]})
        values = {event: [] for event in constants}
        for body in told["events"]:
            event, names = fields[body["identifier"]]
            read = zip(names, body["values"])
            values[event].append([(name, value["type"], value["value"]) for name, value in read if not is_added(name)])
        self.assertEqual(values, {
            "statement.event": [[("Var1", "INT", i), ("Var2", "FLOAT", i + 0.25), ("Var3", "STRING", f"value {i}")]
                                for i in range(EVENTS)],
            "even": [[("Var1", "INT", -1 - i)] for i in range(0, EVENTS, 2)],
            "odd": [[("Var1", "INT", -1 - i)] for i in range(1, EVENTS, 2)],
            "failed": [[("Var1", "INT", EVENTS)]]})
        self.assertIn("Const1=3 Const2=Hello", told["events"][0]["ulm"])
        self.assertIn("Var1=0 Var2=0.250000 Var3=\"value 0\"", told["events"][0]["ulm"])

    def test_the_constant_lvl_is_the_level_everywhere(self):
        def names(*arguments):
            lines = ringcat("--format", "json", *arguments).decode().splitlines()
            return [(json.loads(line)["msg"].split()[0], json.loads(line)["level"]) for line in lines]

        with TestBed() as bed:
            self.run_service(bed, "error")
            self.assertEqual(names(*bed.traces()), [("failed", "ERROR")])
        with TestBed() as bed:
            self.run_service(bed, "trace")
            self.assertEqual(names("--level", "warning", *bed.traces()), [("failed", "ERROR")])
            self.assertEqual(len(names(*bed.traces())), 2 * EVENTS + 2)
            ulm = ringcat("--to", "ulm", *bed.traces()).decode().splitlines()
            (failed,) = (line for line in ulm if "NL.EVNT=failed" in line)
            self.assertEqual([word for word in failed.split() if word.startswith("LVL=")], ["LVL=Error"])
            again = os.path.join(bed.work_dir, "again.ulm")
            with open(again, "w", encoding="ascii") as file:
                file.write("\n".join(ulm) + "\n")
            self.assertEqual(names("--level", "warning", again), [("failed", "ERROR")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
