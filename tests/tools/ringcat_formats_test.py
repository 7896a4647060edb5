#!/usr/bin/env python3
"""The formats that ringcat writes, read back by Python's own readers."""

import csv
import io
import json
import re
import unittest

from ringcat_test import LINES, OK, RingcatTest


class Text(RingcatTest):
    def test_control_sequences_in_messages_are_shown_as_text(self):
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


def names_and_values(line):
    """Parses one line of logfmt; quoted values are JSON strings."""
    pairs = re.findall(r'([^ =]+)=("(?:[^"\\]|\\.)*"|[^ "]*)(?: |$)', line)
    return {name: json.loads(value) if value.startswith('"') else value for name, value in pairs}


class Csv(RingcatTest):
    def rows(self, *arguments):
        done = self.ringcat("--format", "csv", *arguments, self.trace)
        self.assertEqual((done.returncode, done.stderr), (OK, b""))
        return list(csv.reader(io.StringIO(done.stdout.decode("latin-1"), newline="")))

    def test_every_row_has_a_value_for_every_name(self):
        rows = self.rows()
        self.assertEqual(rows[0], ["utc", "level", "category", "service", "pid", "thread_id", "thread", "seq", "file",
                                   "line", "function", "msg", "fields"])
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        self.assertEqual(len(rows), 1 + 10)
        first = dict(zip(rows[0], rows[1]))
        self.assertEqual((first["utc"], first["level"], first["service"], first["thread"]),
                         ("2025-11-20T21:35:16.000000001Z", "INFO", "shop", "main"))
        self.assertEqual(json.loads(first["fields"]), {"order.id": 1, "price": 100.25, "side": "B"})
        self.assertEqual(rows[7][1:4] + rows[7][11:], ["LOST", "", "shop", "12 records: the ring was full", "{}"])

    def test_bytes_of_texts_come_through(self):
        messages = [row[0] for row in self.rows("--columns", "msg")]
        self.assertEqual(messages[8:10], ['from the wire: plain, "quoted"',
                                          "from the wire: \x1b[31mred\n\t\xff\xc2\x9b"])

    def test_columns_are_those_asked_for(self):
        rows = self.rows("--columns", "side,price,id,msg", "--no-losses", "--category", "orders")
        self.assertEqual(rows[:3], [["side", "price", "id", "msg"],
                                    ["B", "100.25", "1", "order 1 filled at 100.25 side B"],
                                    ["S", "99.5", "2", "order 2 filled at 99.50 side S"]])

    def test_threads_change_nothing(self):
        self.assertEqual(self.rows("--threads", "1"), self.rows("--threads", "4"))

    def test_the_names_stand_once_above_the_tail(self):
        self.assertEqual(self.rows("--columns", "level", "--tail", "2"), [["level"], ["DEBUG"], ["NOTICE"]])


class Logfmt(RingcatTest):
    def test_pairs_can_be_read_back(self):
        done = self.ringcat("--format", "logfmt", self.trace)
        self.assertEqual((done.returncode, done.stderr), (OK, b""))
        lines = [names_and_values(line) for line in done.stdout.decode("utf-8").splitlines()]
        self.assertEqual(len(lines), 10)
        self.assertEqual([line["msg"] for line in lines[:6]], [line.split("] ", 1)[1] for line in LINES[:6]])
        self.assertEqual((lines[0]["order.id"], lines[0]["price"], lines[0]["side"]), ("1", "100.25", "B"))
        self.assertEqual((lines[6]["level"], lines[6]["msg"]), ("LOST", "12 records: the ring was full"))
        self.assertEqual(lines[7]["text.c_str()"], 'plain, "quoted"')
        self.assertEqual((lines[9]["low"], lines[9]["high"]), (str(-2**63), str(2**64 - 1)))


class Template(RingcatTest):
    def lines(self, template, *arguments):
        done = self.ringcat("--utc", "--template", template, *arguments, self.trace)
        self.assertEqual((done.returncode, done.stderr), (OK, b""))
        return done.stdout.decode("utf-8").splitlines()

    def test_text_names_widths_and_braces(self):
        lines = self.lines("{{{seq}}} {time}|{level:<8}|{field:price:>8}|{thread:^10}|{msg}")
        self.assertEqual(lines[0], "{0} 2025-11-20 21:35:16.000000001|INFO    |  100.25|   main   |"
                                   "order 1 filled at 100.25 side B")
        self.assertEqual(lines[6], "{0} 2025-11-20 21:35:23.000000001|LOST    |        | worker-2 |"
                                   "12 records: the ring was full")

    def test_every_name_is_known(self):
        help_text = self.ringcat("--help").stdout.decode("utf-8")
        names = re.search(r"Names:(.*?),\s*field:NAME", help_text, re.DOTALL).group(1)
        names = re.sub(r"\s+", "", names).split(",")
        self.assertGreater(len(names), 18)
        for name in names:
            with self.subTest(name):
                self.assertEqual(len(self.lines("{" + name + "}")), 10)

    def test_control_sequences_are_shown_as_text_unless_raw(self):
        self.assertEqual(self.lines("{field:text.c_str()}")[8], "\\x1b[31mred\\n\t\\xff\\xc2\\x9b")
        raw = self.ringcat("--raw", "--template", "{field:text.c_str()}", self.trace).stdout
        self.assertIn(b"\x1b[31mred\n\t\xff\xc2\x9b\n", raw)

    def test_errors_name_the_place(self):
        for template, words in [("{time} {nope}", "character 8"), ("a{", "unmatched {"), ("a}b", "unmatched }"),
                                ("{level:<x}", "invalid width"), ("{level:<1001}", "up to 1000"), ("{}", "'{}'"),
                                ("{field:}", "unknown name")]:
            with self.subTest(template):
                self.assertIn(words, self.refusal("--template", template, self.trace))


class Refusals(RingcatTest):
    def test_unknown_format(self):
        self.assertIn("text", self.refusal("--format", "xml", self.trace))

    def test_raw_json(self):
        self.assertIn("--raw has no effect", self.refusal("--format", "json", "--raw", self.trace))

    def test_columns_are_of_csv(self):
        self.assertIn("--format csv", self.refusal("--columns", "msg", self.trace))
        self.assertIn("empty name", self.refusal("--format", "csv", "--columns", "a,,b", self.trace))

    def test_one_format_at_a_time(self):
        self.assertIn("omit one", self.refusal("--format", "csv", "--template", "{msg}", self.trace))


if __name__ == "__main__":
    unittest.main(verbosity=2)
