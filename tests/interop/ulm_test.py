#!/usr/bin/env python3
"""Universal Logger Messages: how fields are recognised, and how random traces survive the conversion there and back."""

import base64
import json
import os
import struct
import unittest

from netlogger_messages import body, header
from random_traces import SEEDS, RandomTrace, ringcat, there_and_back

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "ulm", "u01_types.ulm")
NO_NUMBERS = [("0x0", "(nil)"), ("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")]


def inspected(data, *how):
    """The exit code, the document (None if there is none), and the messages."""
    code, output, said = ringcat("inspect", "--json", *how, "-", input=data)
    return code, json.loads(output) if output else None, said


def records_of(data, *how):
    code, output, said = ringcat("--format", "json", *how, "-", input=data)
    return code, [json.loads(line) for line in output.splitlines()], said


def written(data, *how):
    code, output, said = ringcat("--to", "ulm", *how, "-", input=data)
    assert code == 0, (code, said)
    return output, said


class Reading(unittest.TestCase):
    def test_the_sample_is_read_as_documented(self):
        with open(SAMPLE, "rb") as file:
            code, records, said = records_of(file.read())
        self.assertEqual(code, 0)
        self.assertIn("2 lines are not ULM and were skipped; the first, at 284, has a word without '='", said)
        self.assertIn("1 record: has no time", said)
        first, second, third, fourth = records
        self.assertEqual([first[m] for m in ("unix_ns", "host", "service", "level", "name", "fields")],
                         [993683445123456000, "dpss1.lbl.gov", "testProg", "ERROR", "SendStart",
                          {"SIZE": 49332, "RATE": 2.5, "FILE": "two words"}])
        self.assertEqual((second["unix_ns"], second["fields"]),
                         (993683445999999999, {"LVL": "Usage", "SIZE": -1, "EMPTY": "", "NONE": "",
                                               "TEXT": "a \"quoted\" \\ line\nand A \\d"}))
        self.assertEqual([third[m] for m in ("unix_ns", "host", "service", "name")],
                         [993683446000000000, "127.0.0.1", "1", "7"])
        self.assertEqual(third["fields"], {"BIG": 2**64 - 1, "WIDE": "18446744073709551616", "ZEROS": "007",
                                           "EXP": 1e-5, "URL": "http://x/?a=b", "NAN": "NaN"})
        self.assertEqual((fourth["unix_ns"], fourth["fields"], fourth["service"]), (993683446000000000, {"N": 1}, "ulm"))

    def test_its_structure_is_reported(self):
        with open(SAMPLE, "rb") as file:
            data = file.read()
        code, told, _ = inspected(data)
        self.assertEqual((code, told["schema"], told["file_size"], told["counts"], told["error"]),
                         (0, "ulm-1", len(data), {"events": 4, "bad": 2}, None))
        self.assertEqual([e["offset"] for e in told["events"]], [0, 131, 316, data.index(b"\tNL.EVNT")])
        self.assertEqual([(b["offset"], b["reason"]) for b in told["bad"]],
                         [(284, "a word without '='"), (data.index(b"NL.EVNT=Untimed "), "a word without '='")])
        self.assertEqual(told["events"][0]["fields"][4:6],
                         [{"name": "SIZE", "type": "INT", "value": 49332},
                          {"name": "RATE", "type": "FLOAT", "value": 2.5, "bits": "0x4004000000000000"}])
        self.assertEqual((told["events"][3]["unix_ns"], told["events"][3]["time"]), (None, None))

    def test_control_sequences_are_shown_as_text(self):
        code, output, _ = ringcat("inspect", "-", input=b'NL.EVNT="a\x1b[31m\xff"\nA\x1b=1\n')
        self.assertEqual((code, output.count(b"\x1b"), output.count(b"\\x1b"), output.count(b"\\xff")), (0, 0, 1, 1))

    def test_what_looks_like_a_number_is_one_unless_it_would_come_back_as_another(self):
        numbers = {"0": 0, "-7": -7, "9223372036854775807": 2**63 - 1, "-9223372036854775808": -2**63,
                   "0.5": 0.5, "-0.000000": -0.0, "1e3": 1000.0, "1.5E-3": 0.0015, "inf": "Infinity", "-inf": "-Infinity"}
        texts = ["007", "-0", "+1", "1.", ".5", "1e", "1e+", "0x10", "-", "1.2.3", "1e999", "NaN", "infinity",
                 "-9223372036854775809", "1_000", "--1", "1,5"]
        for text, number in numbers.items():
            _, records, _ = records_of(f"NL.EVNT=e V={text}\n".encode())
            self.assertEqual(records[0]["fields"]["V"], number, text)
            self.assertEqual(str(records[0]["fields"]["V"])[0], str(number)[0])
        for text in [*texts, *numbers]:
            quote = "" if text in texts else '"'
            _, records, _ = records_of(f"NL.EVNT=e V={quote}{text}{quote}\n".encode())
            self.assertEqual(records[0]["fields"]["V"], text)

    def test_times(self):
        times = {"19700101000000": 0, "20000229235959.9": 951868799_900000000, "20161231235960": 1483228800_000000000,
                 "22611231235959.9999999999": 9214646399_999999999}
        for text, unix_ns in times.items():
            self.assertEqual(records_of(f"DATE={text} A=1\n".encode())[1][0]["unix_ns"], unix_ns)
        code, told, _ = inspected(b"DATE=19680120031408.25 A=1\n")
        self.assertEqual((code, told["events"][0]["unix_ns"]), (0, -61505151750000000))
        self.assertIn("before 1970", records_of(b"DATE=19680120031408.25 A=1\n")[2])
        for text in ("20010229000000", "20011301000000", "20010100000000", "20010101240000", "20010101006000",
                     "20010101000061", "2001010100000", "20010101000000.", "20010101000000x", "20010101000000.1x",
                     "16771231000000", "22620101000000", "", "today", "-0010101000000"):
            code, told, _ = inspected(f"NL.EVNT=e\nDATE={text} A=1\n".encode())
            self.assertEqual((code, told["counts"]), (0, {"events": 1, "bad": 1}), text)

    def test_levels_of_others_are_levels_and_stay_as_they_are(self):
        levels = {"Error": "ERROR", "WARN": "WARNING", "Emergency": "CRITICAL", "Important": "NOTICE", "debug": "DEBUG",
                  "Usage": "INFO", "Auth": "INFO", "": "INFO"}
        for text, level in levels.items():
            value = text or '""'
            data = f"DATE=20010627231045.000000 LVL={value} NL.EVNT=e\n".encode()
            code, records, said = records_of(data)
            self.assertEqual((code, said, records[0]["level"], records[0]["fields"]), (0, "", level, {"LVL": text}))
            self.assertEqual(written(data), (data, ""))
        for level in ("TRACE", "NONE", "CRITICAL"):
            records = records_of(f"DATE=20010627231045 LVL={level} NL.EVNT=e\n".encode())[1]
            self.assertEqual((records[0]["level"], records[0]["fields"]), (level, {}))

    def test_invalid_lines_are_skipped_and_reported(self):
        bad = [b"word", b"=1", b"A=1 word", b'A="1', b'A="1\\"', b'A="1"B=2', b'"A"=1', b"A =1", b'A"B=1', b"\xff",
               b"A=" + b"x" * (8 << 20), b" ".join([b"A=1"] * 4097)]
        for line in bad:
            code, told, said = inspected(b"NL.EVNT=e\n" + line + b"\nB=\xff\n", "--from", "ulm")
            self.assertEqual((code, told["counts"]), (0, {"events": 2, "bad": 1}), line[:20])
            self.assertEqual((told["bad"][0]["offset"], told["bad"][0]["length"]), (10, len(line) + 1))
            self.assertIn("1 lines are not ULM and were skipped; the first, at 10, has ", said)
            self.assertEqual(told["events"][1]["fields"],
                             [{"name": "B", "type": "STRING", "value": "\ufffd", "value_hex": "ff"}])
            code, records, said = records_of(b"NL.EVNT=e\n" + line + b"\nB=1\n")
            self.assertEqual((code, len(records)), (0, 2))
            self.assertIn("the first, at 10, has ", said)

    def test_lines_end_in_any_way_but_the_last_one_must(self):
        self.assertEqual(len(records_of(b"\r\n\nA=1 NL.EVNT=e\r\n \t\n\nA=2\n")[1]), 2)
        for tail in (b"A=12", b"A=12 ", b'A="', b"word"):
            data = b"NL.EVNT=e\n" + tail
            for code, _, said in (inspected(data), records_of(data)):
                self.assertEqual(code, 1)
                self.assertIn(":10: the last line has no newline", said)
            self.assertEqual([r["name"] for r in records_of(data)[1]], ["e"])
        self.assertEqual(inspected(b"NL.EVNT=e", "--from", "ulm")[:2], (2, None))
        self.assertEqual(inspected(b"hello\nworld\n", "--from", "ulm")[:2], (2, None))
        self.assertEqual(records_of(b"hello\nworld\n", "--from", "ulm")[:2], (3, []))
        self.assertEqual(records_of(b"", "--from", "ulm")[:2], (0, []))

    def test_it_is_recognised_by_its_first_line(self):
        known = [b"DATE=20010627231045 A=1\n", b"\n \nA=1 NL.EVNT=e\n", b"A=1 DATE=20010627231045.5\nrubbish\n",
                 b"DATE=20010627231045 T=" + b"x" * 5000 + b"\n",
                 b"NL.EVNT=e " + b" ".join(b"A%d=1" % i for i in range(1000)) + b"\n"]
        for data in known:
            self.assertEqual(inspected(data)[0], 0, data[:60])
        for data in (b"A=1 B=2\n", b"DATE=2001-06-27 A=1\n", b"level=info msg=hello\n", b"word\nNL.EVNT=e\n", b"\0\1\2\n"):
            self.assertEqual(inspected(data)[0], 2, data)


class ThereAndBack(unittest.TestCase):
    def test_messages_of_netlogger_become_the_lines_that_inspect_shows(self):
        for name in ("n01_basic_be", "n02_basic_le", "n03_ntp_times"):
            with open(os.path.join(HERE, "netlogger", name + ".nlb"), "rb") as file:
                data = file.read()
            with open(os.path.join(HERE, "netlogger", name + ".json"), encoding="utf-8") as file:
                events = [e for e in json.load(file)["events"] if e["unix_ns"] is not None and e["unix_ns"] >= 0]
            # Values that six digits do not represent are added in another field, and so is a level, which each line must
            # have.
            expected = [e["ulm"].replace("Var2=0.000000", "Var2=1e-45").replace(" ", " LVL=INFO ", 1) +
                        (f" ringside.ns={e['unix_ns'] % 1000}" if e["unix_ns"] % 1000 else "") for e in events]
            lines = [line for line in written(data)[0].decode().splitlines()
                     if not line.endswith((" n=5", " n=9 ringside.ns=1"))]  # lines of other times
            self.assertEqual(sorted(lines), sorted(expected))

    def equal(self, there, back):
        if there == back or (there, back) in NO_NUMBERS:
            return True
        if isinstance(there, float) and isinstance(back, float):
            # Of 32 or of 80 bits.
            return struct.pack("f", there) == struct.pack("f", back) if abs(there) < 3.4e38 else abs(there / back - 1) < 1e-15
        if not isinstance(back, str):
            return isinstance(there, (int, float)) and float(there) == back
        if isinstance(there, str):
            try:
                data = base64.b64decode(there, validate=True)
            except ValueError:
                return False
            return data.decode("utf-8", "replace").replace("\ufffd", "") == back.replace("\ufffd", "")
        return isinstance(there, list) or str(there) == back or float(there) == float(back)

    def test_random_traces_keep_what_lines_can_store(self):
        for seed in SEEDS:
            with RandomTrace(seed, records=1000) as trace:
                pairs, said = there_and_back(self, trace, "ulm")
            for one, other in pairs:
                if one.get("msg", "").endswith(", 100%"):  # the text comes from a printf format
                    self.assertEqual(one["msg"], other["msg"])
                fields = {name.translate(str.maketrans(' ="\\', "____")): value
                          for name, value in one.get("fields", {}).items()}
                self.assertEqual(set(fields), set(other.get("fields", {})))
                for name, value in fields.items():
                    self.assertTrue(self.equal(value, other["fields"][name]), (name, value, other["fields"][name]))
            for words in ("arrays became texts", "names of threads are left out", "became '_'"):
                self.assertIn(words, said)

    def test_rewriting_what_was_written_changes_nothing(self):
        for seed in SEEDS:
            with RandomTrace(seed, any_bytes_in_texts=True) as trace:
                there, _ = trace.converted("ulm")
                again, said = written(there)
            self.assertEqual(said, "")
            self.assertEqual(sorted(there.splitlines()), sorted(again.splitlines()))

    def test_a_format_shows_its_values_as_they_were(self):
        line = ('DATE=20010627231045 NL.EVNT=e ringside.format="%d %lu %hhx %c %p %s %.2f %Lg %*ld %s" ringside.style=1 a={} '
                'b=18446744073709551615 c=255 d=x e=0xff f="7" g=1.500000 h=2.500000 w=3 i=-7 j=t\n')
        code, records, said = records_of(line.format(-1).encode())
        self.assertEqual((code, said, records[0]["msg"]), (0, "", "-1 18446744073709551615 ff x 0xff 7 1.50 2.5  -7 t"))
        # An integer of any width without a length modifier.
        self.assertEqual(records_of(line.format(2**31).encode())[1][0]["msg"][:11], "2147483648 ")
        self.assertIn("1 record: a value does not match the format of its message",
                      records_of(line.format(2**63).encode())[2])
        # A value that it cannot show.
        self.assertEqual(records_of(line.replace("e=0xff", "e=1").format(-1).encode())[1][0]["msg"][:3], "%d ")

    def test_reserved_names_are_reported(self):
        code, output, said = ringcat("--to", "ulm", "--from", "netlogger", "-",
                                     input=header(1, ["NL.EVNT", "HOST", "a b"], ["e"]) + body(1, [9, 1]))
        self.assertEqual((code, output), (0, b"DATE=20010909014640.000000 LVL=INFO NL.EVNT=e HOST=9 a_b=1\n"))
        self.assertIn("1 record: fields have names that are reserved in ULM", said)
        self.assertIn("1 record: characters in fields' names became '_'", said)



if __name__ == "__main__":
    unittest.main(verbosity=2)
