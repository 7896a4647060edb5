#!/usr/bin/env python3
"""TPTP traces of both forms through ringcat: the samples there and back, and random traces."""

import json
import os
import struct
import unittest

from random_traces import SEEDS, RandomTrace, comparable, events_of, ringcat

SAMPLES = os.path.dirname(os.path.abspath(__file__))
NAMES = ["t01_all_le_ticks", "t02_all_be_ns", "t03_thread_start"]
FORMS = ["trcbin", "trcxml"]


def sample(name):
    return os.path.join(SAMPLES, name)


def expected_xml(name):
    with open(sample(name + ".json"), encoding="utf-8") as file:
        return [message["xml"] for message in json.load(file)["messages"]]


def elements(document):
    lines = document.decode().split("\n")
    assert lines[1] == "<TRACE>" and lines[-2:] == ["</TRACE>", ""], lines
    return lines[2:-2]


class Tptp(unittest.TestCase):
    def written(self, form, *paths, **how):
        code, output, said = ringcat("--to", form, *paths, **how)
        self.assertEqual((code, said), (0, ""))
        return output

    def test_samples_become_the_xml_that_is_expected_and_the_same_again(self):
        for name in NAMES:
            with self.subTest(name):
                document = self.written("trcxml", sample(name + ".trcbin"))
                self.assertEqual(elements(document), expected_xml(name))
                for form in FORMS:
                    again = self.written(form, sample(name + ".trcbin"))
                    self.assertEqual(self.written("trcxml", "-", input=again), document)

    def test_random_traces_come_back_as_they_were(self):
        for seed in SEEDS:
            for form in FORMS:
                with RandomTrace(seed, any_bytes_in_texts=True) as trace:
                    _, said = trace.converted(form)
                    self.assertEqual(said, "")
                    self.assertEqual(comparable(events_of(trace.path_of("converted." + form))),
                                     comparable(trace.events()))

    def test_spans_are_methods_that_are_entered_and_left_in_turn(self):
        with RandomTrace(3, records=2000, losses=0) as trace:
            trace.converted("trcbin")
            _, output, _ = ringcat("inspect", "--json", trace.path_of("converted.trcbin"))
        messages = [(m["tag"], m["attributes"]) for m in json.loads(output)["messages"]]
        methods = {a["Method ID"] for tag, a in messages if tag == "methodDef"}
        opened = {}
        left = 0
        last = 0
        for tag, attributes in messages:
            if tag == "methodEntry":
                self.assertIn(attributes["Method ID"], methods)
                opened[attributes["Ticket"]] = attributes
            elif tag == "methodExit":
                entry = opened.pop(attributes["Ticket"])
                self.assertEqual(entry["Thread ID"], attributes["Thread ID"])
                self.assertLessEqual(entry["Timestamp"], attributes["Timestamp"])
                left += 1
            if tag in ("methodEntry", "methodExit"):
                self.assertGreaterEqual(attributes["Timestamp"], last)
                last = attributes["Timestamp"]
        self.assertEqual(opened, {})
        self.assertGreater(left, 400)

    def test_times_outside_the_range_become_the_nearest_and_are_reported(self):
        def end_of_thread(seconds):
            return struct.pack("<HIqqq2s", 1010, 32, 0, 1, seconds, b"\0\0")
        data = (struct.pack("<4s4BI", b"0TBF", 1, 0, 1, 1, 12) + struct.pack("<HIQ", 2, 14, 1) +
                end_of_thread(2**63 - 1) + end_of_thread(-1) + end_of_thread(7))
        code, output, said = ringcat("--format", "json", "-", input=data)
        self.assertEqual((code, [json.loads(line)["unix_ns"] for line in output.splitlines()]),
                         (0, [0, 7_000_000_000, 2**63 - 1]))
        self.assertIn("1 record: times after 2262", said)
        self.assertIn("1 record: times before 1970", said)

    def test_processes_and_threads_beyond_the_limits_are_reported(self):
        def process(number):
            body = b"p%d\0java\0" % number + struct.pack("<i", number) + b"\0" + bytes(8) + b"\0"
            return struct.pack("<HI", 1002, 6 + len(body)) + body
        def end_of_thread(number):
            return struct.pack("<HIqqq2s", 1010, 32, 0, number, 10**18, b"\0\0")
        data = (struct.pack("<4s4BI", b"0TBF", 1, 0, 1, 1, 12) +
                b"".join(map(process, range(250))) + b"".join(map(end_of_thread, range(100_010))))
        code, output, said = ringcat("--to", "trcbin", "-", input=data)
        self.assertEqual((code, len(output)), (0, len(data) + len(b"\1\0\x0b\0\0\0UTF8\0")))
        self.assertIn("50 records: processes after the 200th", said)
        self.assertRegex(said, r"\d+ records: threads after the 100,000th")

    def test_a_trace_without_messages_is_one_without_records(self):
        header = struct.pack("<4s4BI", b"0TBF", 1, 0, 1, 1, 12)
        for empty in (header, header + struct.pack("<HIQ", 2, 14, 1), b"<TRACE></TRACE>", b"<?xml version='1.0'?><TRACE/>"):
            with self.subTest(empty):
                self.assertEqual(ringcat("-", input=empty), (0, b"", ""))
                self.assertEqual(elements(self.written("trcxml", "-", input=empty)), [])
                self.assertEqual(ringcat("stats", "-", input=empty)[0], 0)
        for damaged, what in ((header + bytes(6), ":12: message 0 has a size of 0 bytes"),
                              (b"<TRACE><custom body='&#0;'/>", ":21: reference to invalid character number")):
            with self.subTest(damaged):
                code, output, said = ringcat("-", input=damaged)
                self.assertEqual((code, output, said.count("\n")), (1, b"", 1))
                self.assertIn(what, said)

    def test_xml_of_two_bytes_a_character_and_with_a_document_type_is_recognised(self):
        root = "<TRACE><custom body='h\u00e9\u4e16'/></TRACE>"
        declared = "<?xml version='1.0' encoding='UTF-16'?>" + root
        for document in (declared.encode("utf-16"), b"\xfe\xff" + declared.encode("utf-16-be"), b"\xff\xfe" + root.encode("utf-16-le"),
                         declared.replace("16", "16LE").encode("utf-16-le"), declared.replace("16", "16BE").encode("utf-16-be"),
                         b"<!DOCTYPE TRACE>" + root.encode(), b"<?xml version='1.0'?>\n<!DOCTYPE\n TRACE >\n" + root.encode()):
            with self.subTest(document):
                self.assertEqual(elements(self.written("trcxml", "-", input=document)), ['<custom body="h\u00e9\u4e16"/>'])
        for document in (b"<!DOCTYPE html><TRACE/>", b"<!DOCTYPE", b"<!DOCTYPE ", "<html/>".encode("utf-16"), b"\xff\xfe", b"\xfe\xff<"):
            with self.subTest(document):
                self.assertEqual(ringcat("-", input=document)[0], 3)

    def test_damage_is_reported_and_what_precedes_it_is_delivered(self):
        with open(sample("t02_all_be_ns.trcbin"), "rb") as file:
            cut = file.read()[:700]
        code, output, said = ringcat("--format", "json", "-", input=cut)
        self.assertEqual(code, 1)
        self.assertEqual(len(output.splitlines()), 11)
        self.assertIn(":645: the file ends within message 1015", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
