#!/usr/bin/env python3
"""The formats that ringcat writes, read back by Python's own readers."""

import json
import unittest

from ringcat_test import LINES, OK, RingcatTest


class Text(RingcatTest):
    def test_a_terminal_does_not_obey_what_messages_say(self):
        done = self.ringcat("--utc", self.trace)
        self.assertIn(b" from the wire: \\x1b[31mred\\n\t\\xff\\xc2\\x9b\n", done.stdout)
        self.assertEqual(done.stdout, self.ringcat("--utc", "--threads", "1", self.trace).stdout)

    def test_texts_as_they_are(self):
        done = self.ringcat("--utc", "--raw", self.trace)
        self.assertIn(b" from the wire: \x1b[31mred\n\t\xff\xc2\x9b\n", done.stdout)


class Json(RingcatTest):
    def objects(self, *arguments):
        done = self.ringcat("--format", "json", *arguments, self.trace)
        self.assertEqual((done.returncode, done.stderr), (OK, b""))
        return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n")[:-1]]

    def test_one_object_a_line(self):
        objects = self.objects()
        self.assertEqual([o["kind"] for o in objects], 6 * ["record"] + ["loss"] + 3 * ["record"])
        self.assertEqual([o["msg"] for o in objects[:6]],
                         [line.split("] ", 1)[1] for line in LINES[:6]])
        self.assertEqual(objects[0]["fields"], {"order.id": 1, "price": 100.25, "side": "B"})
        self.assertEqual(objects[4]["fields"], {"queue.length()": 2**64 - 1})
        self.assertEqual((objects[6]["count"], objects[6]["cause"]), (12, "ring_full"))
        self.assertEqual(objects[8]["fields"], {"text.c_str()": "\x1b[31mred\n\t\ufffd\x9b"})
        self.assertEqual(objects[9]["fields"], {"low": -2**63, "high": 2**64 - 1})

    def test_time_is_utc_whatever_the_time_zone(self):
        self.assertEqual(self.objects()[0]["time"], "2025-11-20T21:35:16.000000001Z")
        done = self.ringcat("--format", "json", self.trace, environment={"TZ": "Asia/Tokyo"})
        self.assertEqual(json.loads(done.stdout.split(b"\n")[0])["time"],
                         "2025-11-20T21:35:16.000000001Z")

    def test_threads_change_nothing(self):
        self.assertEqual(self.objects("--threads", "1"), self.objects("--threads", "4"))

    def test_goes_with_filters(self):
        self.assertEqual([o["level"] for o in self.objects("--level", "error", "--no-losses")],
                         ["ERROR"])


class Refusals(RingcatTest):
    def test_unknown_format(self):
        self.assertIn("text", self.refusal("--format", "xml", self.trace))

    def test_raw_json(self):
        self.assertIn("--raw has no meaning", self.refusal("--format", "json", "--raw", self.trace))


if __name__ == "__main__":
    unittest.main()
