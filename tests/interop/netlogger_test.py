#!/usr/bin/env python3
"""NetLogger's binary messages: what inspect reports about them, and how they and random traces survive the conversion there
and back."""

import base64
import json
import os
import re
import struct
import tempfile
import unittest

from netlogger_messages import DOUBLE, INT64, NTP, UINT32, UINT64, body, header
from random_traces import SEEDS, RandomTrace, ringcat, there_and_back

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "netlogger")

NO_NUMBERS = [("0x0", "(nil)"), ("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")]


def inspected(data):
    """The exit code, the document (None if there is none), and the messages."""
    code, output, said = ringcat("inspect", "--json", "--from", "netlogger", "-", input=data)
    return code, json.loads(output) if output else None, said


def records_of(data):
    code, output, said = ringcat("--format", "json", "--from", "netlogger", "-", input=data)
    return code, [json.loads(line) for line in output.splitlines()], said


def single(number):
    """Rounded to 32 bits; None if that is an infinity."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return None


class Structure(unittest.TestCase):
    def test_samples_are_inspected_as_expected(self):
        for name in ("n01_basic_be", "n02_basic_le", "n03_ntp_times"):
            with self.subTest(name=name):
                code, output, said = ringcat("inspect", "--json", os.path.join(SAMPLES, name + ".nlb"))
                with open(os.path.join(SAMPLES, name + ".json"), encoding="utf-8") as file:
                    expected = json.load(file)
                self.assertEqual((code, said), (0, ""))
                self.assertEqual(json.loads(output), expected)
                self.assertEqual(list(json.loads(output)), list(expected))

    def test_a_repeated_header_replaces_definition_and_byte_order(self):
        data = (header(1, ["a"]) + body(1, [1]) + header(1, ["a", "b"], order=">") +
                body(1, [2, 3], order=">") + header(2, ["c"]) + body(1, [4, 5]))
        code, told, _ = inspected(data)
        self.assertEqual((code, [h["redefinition"] for h in told["headers"]]), (0, [False, True, False]))
        self.assertEqual([[v["value"] for v in e["values"]] for e in told["events"]], [[1], [2, 3], [4, 5]])

    def test_bad_bodies_and_unknown_identifiers_are_skipped_by_their_length(self):
        bad = [body(1, [1, 2]), body(1), body(1, more=b"\x04" + bytes(4)), body(1, more=b"\3\xffabc"),
               body(1, more=b"\1\0\0\0")]
        data = header(1, ["a"]) + b"".join(bad) + body(9, [1]) + body(1, ["x"])
        code, told, _ = inspected(data)
        self.assertEqual((code, told["counts"]), (0, {"headers": 1, "events": 1, "unknown_identifier": 1, "bad": 5}))
        self.assertEqual(told["unknown_identifier"][0]["identifier"], 9)
        code, records, said = records_of(data)
        self.assertEqual((code, [r["fields"] for r in records]), (0, [{"a": "x"}]))
        self.assertIn("5 bad messages", said)
        self.assertIn("1 messages with an undefined identifier", said)

    def test_bad_headers_are_skipped_by_their_length_and_define_nothing(self):
        few_bytes = header(2, ["a", "b"])
        few_bytes = few_bytes[:9] + b"\3\0" + few_bytes[11:]
        for bad in (few_bytes, header(2, ["a"], [1, 2]), header(2, ["a"], major=2),
                    header(2, ["a"], ["x"])[:-3] + b"\x09\1x",
                    struct.pack("<HBBIBBB", 12, 0x81, 0, 2, 1, 0, 0) + b"x"):
            data = (header(1, ["a"]) + body(1, [1]) + header(2, ["b"]) + body(2, [2]) + bad + body(2, [3]) +
                    body(1, [4]) + header(2, ["c"]) + body(2, [5]))
            with self.subTest(bad=bad):
                code, told, said = inspected(data)
                self.assertEqual((code, said, told["error"]), (0, "", None))
                self.assertEqual(told["counts"], {"headers": 3, "events": 4, "unknown_identifier": 1, "bad": 1})
                self.assertIn("a header ", told["bad"][0]["reason"])
                code, records, said = records_of(data)
                self.assertEqual((code, [r["fields"] for r in records]), (0, [{"a": 1}, {"b": 2}, {"a": 4}, {"c": 5}]))
                self.assertIn("1 bad messages", said)
                self.assertEqual(inspected(bad)[:2], (2, None))  # as the first message, it may be anything

    def test_damage_ends_the_reading_at_its_place(self):
        sound = header(1, ["a"]) + body(1, [1])
        too_short = struct.pack("<HBBI", 15, 1, 0, 1) + bytes(8)
        for damage in (body(1, [1])[:-1], b"\0", too_short, header(2, ["abc"])[:-1],
                       struct.pack("<HBBIBBB", 10, 0x81, 0, 2, 1, 0, 0)):
            code, told, said = inspected(sound + damage)
            self.assertEqual((code, told["counts"]["events"], told["error"]["offset"]), (1, 1, len(sound)), damage)
            self.assertIn(f":{len(sound)}: ", said)
            self.assertEqual(records_of(sound + damage)[0:1] + (len(records_of(sound + damage)[1]),), (1, 1))
            self.assertEqual(inspected(damage)[:2], (2, None))
        self.assertEqual(inspected(body(1))[:2], (2, None))  # the byte order is unknown


    def test_flags_of_the_architecture_that_are_not_known_change_nothing(self):
        for order in "<>":
            data = header(1, ["a"], order=order)
            data = data[:8] + bytes([data[8] | 0xA0]) + data[9:] + body(1, [7], order=order)
            code, output, _ = ringcat("inspect", "--json", "-", input=data)  # recognised without --from
            told = json.loads(output)
            self.assertEqual((code, told["headers"][0]["arch"], told["events"][0]["values"][0]["value"]),
                             (0, 0xA0 | (order == "<"), 7))

    def test_control_sequences_are_shown_as_text(self):
        code, output, _ = ringcat("inspect", "-", input=header(1, ["a\x1b[31m"]) + body(1, ["\x1b"]))
        self.assertEqual((code, output.count(b"\x1b"), output.count(b"\\x1b")), (0, 0, 2))

    def test_invalid_text_is_also_shown_in_hexadecimal(self):
        code, told, _ = inspected(header(1, [b"\xff", "b"], [b"\xc3("]) + body(1, ["\u00e9"]))
        self.assertEqual((code, told["headers"][0]["fields"]), (0, [{"value": "\ufffd", "value_hex": "ff"}, {"value": "b"}]))
        self.assertEqual(told["headers"][0]["constants"], [{"type": "STRING", "value": "\ufffd(", "value_hex": "c328"}])
        self.assertEqual(told["events"][0]["values"], [{"type": "STRING", "value": "\u00e9"}])


class Import(unittest.TestCase):
    def test_constants_become_constant_fields_and_parts_of_the_statement(self):
        data = (header(7, ["NL.EVNT", "HOST", "PROG", "LVL", "Const1", "Var1"],
                       ["send", "dpss1", "ftp", "ERROR", 3]) + body(7, [2.5]))
        code, records, said = records_of(data)
        record = records[0]
        self.assertEqual((code, said), (0, ""))
        self.assertEqual([record[m] for m in ("name", "host", "service", "level", "fields", "unix_ns")],
                         ["send", "dpss1", "ftp", "ERROR", {"Const1": 3, "Var1": 2.5}, 10**18])

    def test_what_has_no_place_in_the_statement_stays_a_field(self):
        data = header(7, ["NL.EVNT", "NL.EVNT", "HOST", "LVL", "ringside.line", "ringside.kind"],
                      ["send", "again", 9, "Alert", -1, 6]) + body(7)
        _, records, _ = records_of(data)
        self.assertEqual([records[0][m] for m in ("name", "level", "line", "fields")],
                         ["send", "CRITICAL", 0, {"NL.EVNT": "again", "HOST": 9, "LVL": "Alert", "ringside.line": -1,
                                                  "ringside.kind": 6}])

    def test_empty_constants_of_such_names_stay_fields_and_come_back(self):
        data = header(1, ["NL.EVNT", "HOST", "PROG", "x"], ["", "", ""]) + body(1, [1])
        _, records, _ = records_of(data)
        self.assertEqual([r["fields"] for r in records], [{"NL.EVNT": "", "HOST": "", "PROG": "", "x": 1}])
        code, again, said = ringcat("--to", "netlogger", "-", input=data)
        self.assertEqual((code, again, said), (0, data, ""))

    def test_invalid_times(self):
        data = header(1, ["n"]) + body(1, [1]) + body(1, [2], 0, 0) + body(1, [3], NTP - 1)
        code, records, said = records_of(data)
        self.assertEqual((code, [(r["fields"]["n"], r["unix_ns"]) for r in records]),
                         (0, [(3, 0), (1, 10**18), (2, 10**18)]))
        self.assertIn("1 record: has no time", said)
        self.assertIn("1 record: is from before 1970", said)

    def test_any_type_may_change_and_any_byte_come(self):
        names = [bytes([i]) * 3 for i in range(100)]
        data = header(1, names) + body(1, list(range(100))) + body(1, [b"\xff\0"] * 100) + body(1, list(range(100)))
        code, records, said = records_of(data)
        self.assertEqual((code, len(records)), (0, 3))
        self.assertEqual([len(r["fields"]) for r in records], [100, 100, 100])

    def test_the_most_fields_of_an_event_come_and_go_back(self):
        names = [f"n{i}" for i in range(255)]
        data = header(1, names) + body(1, [b"x" * 254] * 255)
        _, records, said = records_of(data)
        self.assertEqual((list(records[0]["fields"]), said), (names, ""))
        code, again, said = ringcat("--to", "netlogger", "-", input=data)
        self.assertEqual((code, again, said), (0, data, ""))

    def test_an_event_beyond_the_limits_loses_facts_then_fields_and_stays_valid(self):
        fields = {f"n{i}": "y" * 300 for i in range(300)}
        line = "DATE=20260101000000 LVL=ERROR NL.EVNT=many " + " ".join(f"{k}={v}" for k, v in fields.items()) + "\n"
        code, written, said = ringcat("--to", "netlogger", "--from", "ulm", "-", input=line.encode())
        self.assertEqual(code, 0)
        self.assertIn("fields beyond the 255 of an event are left out", said)
        _, records, _ = records_of(written)
        self.assertEqual((records[0]["name"], records[0]["level"]), ("many", "ERROR"))
        kept = list(records[0]["fields"])
        self.assertEqual(kept, list(fields)[:len(kept)])
        self.assertGreater(len(kept), 245)
        self.assertEqual({len(value) for value in records[0]["fields"].values()}, {len(records[0]["fields"]["n0"])})


class Extension(unittest.TestCase):
    WIDE = ((UINT32, 2**32 - 1), (INT64, -2**63), (UINT64, 2**64 - 1), (DOUBLE, 0.1))
    NAMES = ["u", "i", "w", "d", "n"]

    def test_announced_types_are_read_and_come_back(self):
        for order in "<>":
            data = (header(1, ["NL.EVNT", "c", *self.NAMES], ["wide", (DOUBLE, 1e300)], order=order, minor=1) +
                    body(1, [*self.WIDE, 7], order=order, minor=1))
            code, records, said = records_of(data)
            self.assertEqual((code, [r["fields"] for r in records], said),
                             (0, [{"c": 1e300, "u": 2**32 - 1, "i": -2**63, "w": 2**64 - 1, "d": 0.1, "n": 7}], ""))
            code, again, said = ringcat("--to", "netlogger", "-", input=data)
            self.assertEqual((code, said), (0, ""))
            (event,) = inspected(again)[1]["events"]
            self.assertEqual([(v["type"], v["value"]) for v in event["values"]],
                             [("UINT32", 2**32 - 1), ("INT64", -2**63), ("UINT64", 2**64 - 1), ("DOUBLE", 0.1), ("INT", 7)])
            self.assertIn("u=4294967295 i=-9223372036854775808 w=18446744073709551615", event["ulm"])
            if order == "<":
                self.assertEqual(again, data)

    def test_types_that_are_not_announced_are_unknown(self):
        for wide in self.WIDE:
            data = header(1, ["a"]) + body(1, [wide], minor=1) + body(1, [1])
            code, told, _ = inspected(data)
            self.assertEqual((code, told["counts"]["bad"], told["bad"][0]["reason"]), (0, 1, "a value has an unknown type"))
            self.assertEqual([r["fields"] for r in records_of(data)[1]], [{"a": 1}])

    def test_a_field_widens_once_and_messages_without_such_fields_keep_their_version(self):
        line = "DATE=20010101000000 NL.EVNT=e n={}\n"
        text = "".join(line.format(n) for n in (1, 2**40, 2)) + "DATE=20010101000000 NL.EVNT=f x=1.5\n"
        _, written, said = ringcat("--to", "netlogger", "--from", "ulm", "-", input=text.encode())
        told = inspected(written)[1]
        self.assertEqual(said, "")
        self.assertEqual([h["minor"] for h in told["headers"]], [0, 1, 0])
        self.assertEqual([(e["minor"], e["values"][0]["type"]) for e in told["events"]],
                         [(0, "INT"), (1, "INT64"), (1, "INT64"), (0, "FLOAT")])

    def test_the_types_of_the_paper_alone_by_the_name_of_the_format(self):
        data = header(1, self.NAMES, minor=1) + body(1, [*self.WIDE, 7], minor=1)
        code, written, said = ringcat("--to", "netlogger-1.0", "-", input=data)
        self.assertEqual(code, 0)
        (event,), (head,) = (inspected(written)[1][member] for member in ("events", "headers"))
        self.assertEqual((head["minor"], event["minor"]), (0, 0))
        self.assertEqual([v["type"] for v in event["values"]], ["STRING", "STRING", "STRING", "FLOAT", "INT"])
        self.assertEqual([v["value"] for v in event["values"][:3]], ["4294967295", "-9223372036854775808", "18446744073709551615"])
        self.assertIn("3 records: integers of more than 32 bits became texts", said)
        self.assertIn("1 record: floating-point numbers were rounded to 32 bits", said)


class ThereAndBack(unittest.TestCase):
    def test_samples_mean_the_same_again(self):
        for name in ("n01_basic_be", "n02_basic_le"):
            with open(os.path.join(SAMPLES, name + ".nlb"), "rb") as file:
                data = file.read()
            code, output, said = ringcat("--to", "netlogger", "--from", "netlogger", "-", input=data)
            self.assertEqual((code, said), (0, ""))
            there, back = inspected(data)[1], inspected(output)[1]
            self.assertEqual([e["ulm"] for e in there["events"]], [e["ulm"] for e in back["events"]])
            self.assertEqual([e["unix_ns"] for e in there["events"]], [e["unix_ns"] for e in back["events"]])
            self.assertEqual([h["constants"] for h in there["headers"]], [h["constants"] for h in back["headers"]])

    def equal(self, there, back):
        if isinstance(there, (int, float)) and not isinstance(back, str):
            return there == back or single(there) == there == single(back)  # the shortest digits of 32 bits
        if isinstance(there, str) and isinstance(back, str):
            if there[:60] == back[:60] or (there, back) in NO_NUMBERS:
                return True
            try:
                data = base64.b64decode(there, validate=True)
            except ValueError:
                return False
            return bytes(b for b in data if b < 128)[:30] == bytes(ord(c) for c in back if ord(c) < 128)[:30]
        if isinstance(back, str):
            return isinstance(there, list) or str(there) == back or float(there) == float(back)
        return False

    def test_random_traces_keep_what_messages_can_store(self):
        for seed in SEEDS:
            with RandomTrace(seed, records=1000) as trace:
                pairs, said = there_and_back(self, trace, "netlogger")
            for one, other in pairs:
                if one.get("msg", "").endswith(", 100%") and len(one["fields"]["text"]) < 60:  # the text comes from a printf format
                    self.assertEqual(one["msg"], other["msg"])
                fields = one.get("fields", {})
                self.assertEqual(set(fields), set(other.get("fields", {})))
                for name, value in fields.items():
                    self.assertTrue(self.equal(value, other["fields"][name]), (name, value, other["fields"][name]))
            for words in ("arrays became texts", "texts are truncated after 255 bytes",
                          "names of threads are left out"):
                self.assertIn(words, said)

    def test_rewriting_what_was_written_changes_nothing(self):
        for seed in SEEDS[:2]:
            with RandomTrace(seed, any_bytes_in_texts=True) as trace:
                written, _ = trace.converted("netlogger")
                code, again, said = ringcat("--to", "netlogger", trace.path_of("converted.netlogger"))
            # Those of printf formats, which are numbers again after reading.
            said = re.sub(r"ringcat: \d+ records: integers of more than 64 bits became texts\n", "", said)
            self.assertEqual((code, said), (0, ""))
            key = lambda e: (e["unix_ns"], e["ulm"])
            there, back = (sorted(inspected(data)[1]["events"], key=key) for data in (written, again))
            self.assertEqual([e["ulm"] for e in there], [e["ulm"] for e in back])


if __name__ == "__main__":
    unittest.main(verbosity=2)
