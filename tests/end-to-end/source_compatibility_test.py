#!/usr/bin/env python3
"""Sources written for other logging libraries: their records have the text, level and place of the statement."""

import json
import os
import re
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program

FOLDER = os.path.dirname(os.path.abspath(__file__))
EXPECTED = re.compile(r"^ *// (TRACE|DEBUG|INFO|NOTICE|WARNING|ERROR|CRITICAL)\|(.*)\n", re.MULTILINE)
STANDARDS = ("17", "20")


def expected_records(source):
    """The comments before statements: level, text with \\n for a new line, file and line."""
    with open(os.path.join(FOLDER, source), encoding="utf-8") as file:
        text = file.read()
    return sorted((one[1], one[2].strip().replace("\\n", "\n"), source, text.count("\n", 0, one.end()) + 1) for one in EXPECTED.finditer(text))


class SourceCompatibility(unittest.TestCase):
    def run_source(self, name, standard):
        """The output of the program and its records as ringcat prints them in JSON."""
        bed = TestBed()
        self.addCleanup(bed.close)
        consumer = bed.start_consumer()
        service = bed.start_service(which=f"{name}_{standard}", service=name, piped=True)
        service.end_input()
        self.assertEqual(service.wait(), 0, service.stderr())
        bed.wait_until_segments_are_gone()
        bed.stop_consumer(consumer)
        done = subprocess.run([program("ringcat"), "--format", "json", bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return service, [json.loads(line) for line in done.stdout.splitlines()]

    def check_records(self, name, records):
        found = sorted((one["level"], one["msg"], os.path.basename(one["file"]), one["line"]) for one in records)
        self.assertEqual(found, expected_records(f"{name}.cpp"))

    def check_reports(self, service, *functions):
        """Each is reported once, in the order of the first calls; nothing else is."""
        lines = [line for line in service.stderr().splitlines() if line.startswith("ringside: ")]
        self.assertEqual(len(lines), len(functions), lines)
        for line, function in zip(lines, functions):
            self.assertTrue(line.startswith(f"ringside: {function} "), line)

    def test_headers_of_glog(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                service, records = self.run_source("glog_headers", standard)
                at_level = [one for one in records if one["msg"].startswith("at ")]
                self.assertEqual([(one["level"], one["msg"]) for one in at_level],
                                 [("INFO", "at INFO"), ("WARNING", "at WARNING")])
                self.check_records("glog_headers", [one for one in records if one not in at_level])
                self.check_reports(service, "glog's destinations,", "google::InstallFailureSignalHandler",
                                   "google::SetVLOGLevel")
                lines = {one["msg"]: one["line"] for one in records}
                sent = {letter: f"glog_headers.cpp:{lines[text]}] {text} 1" for letter, text in {
                    "I": "x 1 -2 -3 c buy (null) 1 2.5 1",
                    "H": '"/a b" ff -170141183460469231731687303715884105728',
                    "E": "wide -170141183460469231731687303715884105728",
                    "W": "to both"}.items()}
                self.assertEqual(service.stdout().splitlines(), [
                    f"added I {sent['I']}", f"added W {sent['H']}", f"added E {sent['E']}", f"added W {sent['W']}",
                    f"given W {sent['W']}", f"given E glog_headers.cpp:{lines['to both'] + 1}] not recorded 1", "42",
                    "kept 1/not recorded", "2037 7 ..."])

    def test_nanolog(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                service, records = self.run_source("nanolog_source", standard)
                self.check_records("nanolog_source", records)
                self.check_reports(service, "NanoLog::setLogFile", "NanoLog::getCoreIdOfBackgroundThread")
                self.assertEqual(service.stdout().splitlines()[-1], "1 1 -1 10")
                self.assertIn("==== NanoLog Configuration ====", service.stdout())
                (line,) = [one for one in records if "orders" in one["msg"]]
                self.assertEqual([*line["fields"]][:2], ["ORDERS", "name"])

    def test_quill(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                service, records = self.run_source("quill_source", standard)
                self.check_records("quill_source", records)
                self.check_reports(service, "quill: sinks,", "quill: init_backtrace", "quill: set_mdc")
                fields = {one["msg"]: one["fields"] for one in records}
                self.assertEqual(fields["A log message with number 0x7b"], {"l": "log", "a": 123, "logger": "root"})
                self.assertEqual(fields["named 123 and log"], {"number": 123, "text": "log", "logger": "root"})
                self.assertEqual(fields["variables [a: 123, l: log]"], {"a": 123, "l": "log", "logger": "root"})
                self.assertEqual(fields["bounded"], {"logger": "bounded"})

    def test_headers_of_quill(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                service, records = self.run_source("quill_headers", standard)
                self.check_records("quill_headers", records)
                self.check_reports(service, "quill: sinks,")
                found = {one["msg"]: (one["category"], one["fields"]) for one in records}
                self.assertEqual(found["at (1, 2) or x: 1, y: 2"],
                                 ("", {"text": "at (1, 2) or x: 1, y: 2", "logger": "root"}))
                self.assertEqual(found["prefixed 1"], ("", {"a": 1, "logger": "root"}))
                self.assertEqual(found["tagged 1"], ("first second", {"a": 1, "logger": "root"}))
                self.assertEqual(found["one tag [a: 1]"], ("alone", {"a": 1, "logger": "root"}))
                self.assertEqual(found["function 1 far"], ("root", {"text": "function 1 far"}))
                self.assertEqual(found["tagged function (3, 4)"], ("tag two", {"text": "tagged function (3, 4)"}))

    def test_spdlog(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                service, records = self.run_source("spdlog_source", standard)
                self.check_records("spdlog_source", records)
                self.check_reports(service, "spdlog: set_pattern", "spdlog: sinks,")
                fields = {one["msg"]: (one["category"], one["fields"]) for one in records}
                self.assertEqual(fields["table far has id 0x2a"], ("", {"name": "far", "arg2": 42}))
                self.assertEqual(fields["point <1 2> of far"], ("", {"text": "point <1 2> of far"}))
                self.assertEqual(fields["function far"], ("", {"text": "function far"}))
                self.assertEqual(fields["order 1"], ("", {"arg1": 1, "logger": "orders"}))
                self.assertEqual(fields["order <1 2>"], ("", {"text": "order <1 2>", "logger": "orders"}))
                self.assertEqual(fields["order 2"], ("orders", {"text": "order 2"}))

    def test_headers_of_spdlog(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                service, records = self.run_source("spdlog_headers", standard)
                marks = [one for one in records if one["msg"].startswith("****")]
                self.check_records("spdlog_headers", [one for one in records if one not in marks])
                self.check_reports(service, "spdlog: sinks,", "spdlog: dup_filter_sink", "spdlog: mdc::put")
                messages = [one["msg"] for one in records]
                self.assertEqual(messages[:5], ["****************** Backtrace Start ******************", "first held 1",
                                                "second held 2", "third held",
                                                "****************** Backtrace End ********************"])
                self.assertEqual({one["category"] for one in records[:5]}, {"held"})
                fields = {one["msg"]: one["fields"] for one in records}
                self.assertEqual(fields["macro 3"], {"arg1": 3, "logger": "own"})
                self.assertEqual(service.stdout().splitlines(),
                                 ["function 2", "macro 3", "macro 4", "--", "macro 1", "function 2", "macro 3", "", "macro 4",
                                  "--", "3 2 1", "off 1", "Skipped 2 duplicate messages..", "another", "17", "11"])

    def test_sink_of_spdlog(self):
        for standard in STANDARDS:
            with self.subTest(standard=standard):
                _, records = self.run_source("spdlog_sink", standard)
                placeless = [one for one in records if one["msg"] == "without a place"]
                self.check_records("spdlog_sink", [one for one in records if one not in placeless])
                self.assertEqual([(one["file"], one["line"], one["category"], one["level"]) for one in placeless],
                                 [("", 0, "", "INFO"), ("", 0, "orders", "INFO")])
                categories = {one["msg"]: one["category"] for one in records}
                self.assertEqual((categories["info 3"], categories["error 5"], categories["of a thread"]),
                                 ("", "orders", "orders"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
