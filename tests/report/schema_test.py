#!/usr/bin/env python3
"""`ringcat report --json` is what its JSON schema says, for traces of all kinds, and the schema describes each member."""

import glob
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from traced_processes import BOUND_S, TestBed, program  # pylint: disable=wrong-import-position

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCHEMA_PATH = os.path.join(SOURCE, "tools/report/ringcat_report.schema.json")
with open(SCHEMA_PATH, encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)


def resolved(schema):
    """Without references; `allOf` becomes one schema with the members of all."""
    if "$ref" in schema:
        return resolved(SCHEMA["definitions"][schema["$ref"].rsplit("/", 1)[1]])
    if "allOf" in schema:
        parts = [resolved(part) for part in schema["allOf"]]
        return {"type": "object", "properties": {name: one for part in parts for name, one in part["properties"].items()}}
    return schema


def differences(value, schema, path="report"):
    """Members that the schema does not have, and integers that have a point, which strict decoders refuse."""
    schema = resolved(schema)
    if "anyOf" in schema:
        # Of a row that can be left out.
        if value is not None:
            yield from differences(value, schema["anyOf"][-1], path)
        return
    if schema.get("type") == "integer" and type(value) is not int:  # pylint: disable=unidiomatic-typecheck
        yield f"{path}: {value!r} is not written as an integer"
    if isinstance(value, list) and "items" in schema:
        for one in value:
            yield from differences(one, schema["items"], path + "[]")
    is_open = schema.get("additionalProperties") is True or not {"properties", "additionalProperties"} & set(schema)
    if not isinstance(value, dict) or is_open:
        return
    for name, one in value.items():
        chunk = schema.get("patternProperties") if name.startswith("records-") else None
        below = next(iter(chunk.values())) if chunk else schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        if below is None:
            yield f"{path}.{name} is not described"
        else:
            yield from differences(one, below, f"{path}.{name}")


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        cls.traces = {}
        cls.record("orders", "--records", "3000", "--threads", "2", which="workload")
        cls.record("few_rings", "--records", "3000", "--threads", "4", which="workload", overflow="drop", ring_bytes=4096, is_consumed=False,
                   environment={"RINGSIDE_MAX_THREADS": "2"})
        cls.record("spans", "3", "400", which="spanned_service")
        for path in glob.glob(os.path.join(SOURCE, "tests/golden/**/*.ringtrace"), recursive=True):
            cls.traces[os.path.relpath(path, SOURCE)] = [path]

    @classmethod
    def record(cls, name, *arguments, is_consumed=True, **how):
        before = set(cls.bed.traces())
        consumer = cls.bed.start_consumer() if is_consumed else None
        running = cls.bed.start_service(*arguments, service=name, **how)
        assert running.wait() == 0, running.stderr()
        if consumer is None:
            cls.bed.run_consumer_once()
        else:
            cls.bed.wait_until_segments_are_gone()
            cls.bed.stop_consumer(consumer)
        cls.traces[name] = sorted(set(cls.bed.traces()) - before)

    def report(self, *arguments):
        done = subprocess.run([program("ringcat"), "report", "--json", *arguments], capture_output=True, timeout=BOUND_S, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout

    def validate(self, text):
        """With Debian's program, independent of the Python that runs this test. What it says."""
        path = os.path.join(self.bed.work_dir, "report.json")
        with open(path, "wb") as file:
            file.write(text)
        return subprocess.run(["/usr/bin/jsonschema", "-i", path, SCHEMA_PATH], capture_output=True, text=True, timeout=BOUND_S, check=False)

    def check(self, *arguments):
        text = self.report(*arguments)
        checked = self.validate(text)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        document = json.loads(text)
        self.assertEqual(sorted(set(differences(document, SCHEMA))), [])
        return document

    def test_reports_of_all_traces_are_valid(self):
        self.assertGreater(len(self.traces), 10)
        seen = set()
        for name, paths in self.traces.items():
            with self.subTest(name):
                document = self.check(*paths)
                seen |= {"lost" for _ in document["health"]["causes"]} | {"spans" for _ in document["flame"]["spans"]["parent"]}
                seen |= {"heat" for _ in document["heat"]["fields"]} | {"series" for _ in document["series"]["series"]}
        self.assertLessEqual({"lost", "spans", "heat", "series"}, seen)

    def test_a_comparison_is_valid(self):
        document = self.check(*self.traces["orders"], "--against", *self.traces["few_rings"])
        self.assertIn("comparison", document)

    def test_a_selection_without_records_is_valid(self):
        document = self.check("--since", "@4000000000", *self.traces["orders"])
        self.assertEqual(document["summary"]["records"], 0)

    def test_a_report_that_differs_is_not_valid(self):
        document = json.loads(self.report(*self.traces["orders"]))
        for spoil in (lambda d: d.pop("health"), lambda d: d["summary"].update(version=2), lambda d: d["summary"].update(end="1"),
                      lambda d: d["statements"][0].pop("records"), lambda d: d["timeline"]["tracks"][0].update(kind="other"),
                      lambda d: d["records-0"][0].pop("unix_ns"), lambda d: d["heat"]["fields"][0]["classes"][0].append("1")):
            spoiled = json.loads(json.dumps(document))
            spoil(spoiled)
            self.assertNotEqual(self.validate(json.dumps(spoiled).encode()).returncode, 0)

    def test_a_member_without_a_description_is_found(self):
        document = json.loads(self.report(*self.traces["orders"]))
        document["health"]["unknown"] = 1
        document["summary"]["end"] = 1.0
        self.assertEqual(sorted(set(differences(document, SCHEMA))),
                         ["report.health.unknown is not described", "report.summary.end: 1.0 is not written as an integer"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
