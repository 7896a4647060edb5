#!/usr/bin/env python3
"""Records of more hosts than a trace can name: no format, written or read back, puts one under the name of another host."""

import csv
import io
import json
import os
import tempfile
import unittest

from random_traces import ringcat, without_clock_notes

HOSTS = 250
RECORDS_PER_HOST = 4
LIMIT = 200
# Two files with half of the hosts each: one import names at most LIMIT hosts; a reader of several files names any number.
FILES = 2
# The host that an output shows for records beyond the limit, unless another field holds it.
ELSEWHERE = ("(other hosts)",)


def lines_of(hosts):
    for host in hosts:
        for record in range(RECORDS_PER_HOST):
            yield json.dumps({"unix_ns": 1_700_000_000_000_000_000 + host * 1000 + record, "service": f"service{host}",
                              "pid": 1000 + host, "host": f"host{host}", "msg": f"message {record % 2}",
                              "own_host": f"host{host}"}) + "\n"


class ManyHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.traces = []
        for part in range(FILES):
            path = cls.path(f"{part}.ringtrace")
            hosts = range(part * HOSTS // FILES, (part + 1) * HOSTS // FILES)
            code, _, said = ringcat("--from", "ndjson", "--to", "ringtrace", "-o", path, "-",
                                    input="".join(lines_of(hosts)).encode())
            assert code == 0, said
            cls.traces.append(path)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.temporary.name, name)

    def written(self, format_name):
        path = os.path.join(tempfile.mkdtemp(dir=self.temporary.name), format_name)
        code, _, said = ringcat("--to", format_name, "-o", path, *self.traces)
        self.assertEqual(code, 0, said)
        return path

    def check_hosts(self, found):
        """Checks pairs of a record's host and its own field; returns the number of records beyond the limit."""
        self.assertEqual(len(found), HOSTS * RECORDS_PER_HOST)
        wrong = [(host, own) for host, own in found if host not in (own, *ELSEWHERE)]
        self.assertEqual(wrong, [])
        return sum(host in ELSEWHERE for host, _ in found)

    def test_formats_with_hosts_come_back(self):
        # NetTrace keeps a place for events of other writers.
        for format_name, limit in (("chrome", LIMIT), ("ctf", LIMIT), ("ndjson", LIMIT), ("netlogger", LIMIT),
                                   ("nettrace", LIMIT - 1), ("perfetto", LIMIT), ("ringtrace", LIMIT),
                                   ("trcbin", LIMIT), ("trcxml", LIMIT), ("ulm", LIMIT)):
            with self.subTest(format_name):
                code, output, said = ringcat("--format", "json", self.written(format_name))
                self.assertEqual(code, 0, said)
                records = [json.loads(line) for line in output.splitlines()]
                elsewhere = self.check_hosts([(record.get("host", ""), self.own_host(record)) for record in records])
                beyond = (HOSTS - limit) * RECORDS_PER_HOST
                self.assertEqual(elsewhere, beyond)
                if format_name != "ringtrace":  # its writer has reported it
                    self.assertRegex(without_clock_notes(said), r"^ringcat: \d+ records: .*\(other (hosts|processes)\)")
                if format_name in ("ctf", "nettrace"):
                    self.assertIn(f"ringcat: {beyond} records: are in the process '(other processes)'", said)

    @staticmethod
    def own_host(record):
        return next(value for name, value in record["fields"].items() if name.endswith("own_host"))

    def test_written_lines_have_the_host_of_every_record(self):
        with open(self.written("ndjson"), encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        self.assertEqual(self.check_hosts([(r["host"], self.own_host(r)) for r in records]), 0)
        with open(self.written("csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(io.StringIO(file.read())))
        self.assertEqual(self.check_hosts([(row["host"], json.loads(row["fields"])["own_host"]) for row in rows]), 0)

    def test_written_resources_have_the_host_of_every_record(self):
        found = []
        with open(self.written("otlp"), encoding="utf-8") as file:
            for line in file:
                for resource in json.loads(line)["resourceLogs"]:
                    host = self.attribute(resource["resource"]["attributes"], "host.name")
                    found += [(host, self.attribute(record["attributes"], "field.own_host"))
                              for scope in resource["scopeLogs"] for record in scope["logRecords"]]
        self.assertEqual(self.check_hosts(found), 0)

    @staticmethod
    def attribute(attributes, key):
        return next(a["value"]["stringValue"] for a in attributes if a["key"] == key)

    def test_heph_which_has_no_hosts_names_none(self):
        code, output, said = ringcat("--format", "json", self.written("heph"))
        self.assertEqual(code, 0, said)
        self.assertEqual({json.loads(line).get("host", "") for line in output.splitlines()}, {""})


if __name__ == "__main__":
    unittest.main(verbosity=2)
