#!/usr/bin/env python3
"""chrome and ndjson there and back, and what other producers write."""

import json
import os
import tempfile
import unittest

from random_traces import SEEDS, RandomTrace, comparable, ringcat

DAMAGED = 1


def as_it_returns(value):
    """An array of texts and numbers has no type: it becomes its JSON text."""
    if isinstance(value, list):
        kinds = {"text" if isinstance(e, str) and e not in ("NaN", "Infinity", "-Infinity")
                 else "number" for e in value if not isinstance(e, bool)}
        if len(kinds) > 1:
            return None
    return value


def carried(event, without):
    """The part of an event that JSON can carry. JSON has no types; without them, a message shows values that are not
    numbers differently."""
    event = {key: value for key, value in event.items() if key not in without}
    if event["kind"] == "record":
        mixed = {key for key, value in event["fields"].items() if as_it_returns(value) != value}
        event["fields"] = {key: value for key, value in event["fields"].items() if key not in mixed}
        names = list(event["fields"])
        if names and f" {names[0]}=" in event["msg"]:
            event["msg"] = event["msg"].split(f" {names[0]}=")[0]
    return event


class ThereAndBack(unittest.TestCase):
    def check(self, format_name, without=()):
        for seed in SEEDS:
            with RandomTrace(seed, records=600) as trace:
                trace.converted(format_name)
                path = trace.path_of("converted." + format_name)
                code, output, said = ringcat("--format", "json", path)
                self.assertEqual((code, said), (0, ""))
                got = comparable([json.loads(line) for line in output.splitlines()])
                wanted = comparable(trace.events())
                self.assertEqual(len(got), len(wanted))
                for one, other in zip(got, wanted):
                    mixed = {key for key, value in other.get("fields", {}).items()
                             if as_it_returns(value) != value}
                    for key in mixed:
                        self.assertEqual(json.loads(one["fields"].pop(key)),
                                         other["fields"].pop(key))
                    self.assertEqual(carried(one, without), carried(other, without))

    def test_chrome(self):
        self.check("chrome")

    def test_ndjson(self):
        self.check("ndjson")



class Given(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(self.directory.cleanup)

    def path_of(self, text):
        path = os.path.join(self.directory.name, "given")
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        return path

    def read(self, text, *options):
        """Returns the exit code, the events and the messages."""
        code, output, said = ringcat("--format", "json", *options, self.path_of(text))
        return code, [json.loads(line) for line in output.splitlines()], said

    def inspected(self, text, *options):
        code, output, said = ringcat("inspect", *options, self.path_of(text))
        return code, output.decode(), said


# As Chrome and compatible producers write them.
BROWSER = """[
{"name":"process_name","ph":"M","pid":7,"tid":0,"args":{"name":"Browser"}},
{"name":"work","cat":"toplevel,ipc","ph":"B","pid":7,"tid":8,"ts":1000.5,"args":{"src":"a.cc"}},
{"name":"inner","cat":"t","ph":"X","pid":7,"tid":8,"ts":1001,"dur":2.25,"tts":55,"args":{}},
{"ph":"E","pid":7,"tid":8,"ts":1010.75,"args":{"result":true}},
{"name":"mark","ph":"i","s":"g","pid":7,"tid":8,"ts":1011},
{"name":"pets","ph":"C","id":"0x1","pid":7,"ts":1012,"args":{"cats":0.5,"dogs":3}},
{"name":"load","cat":"net","ph":"b","id":"0xa","pid":7,"tid":8,"ts":1013,"args":{"url":"x"}},
{"name":"load","cat":"net","ph":"b","id":"0xb","pid":7,"tid":8,"ts":1014},
{"name":"load","cat":"net","ph":"e","id":"0xa","pid":7,"tid":9,"ts":1020},
{"name":"load","cat":"net","ph":"e","id":"0xb","pid":7,"tid":9,"ts":1022},
{"name":"flow","cat":"f","ph":"s","id":1,"pid":7,"tid":8,"ts":1023},
{"name":"flow","cat":"f","ph":"f","bp":"e","id":1,"pid":7,"tid":9,"ts":1024},
{"name":"open","ph":"B","pid":7,"tid":8,"ts":1025},
{"ph":"E","pid":7,"tid":99,"ts":1026},
{"name":"thread_name","ph":"M","pid":7,"tid":8,"args":{"name":"CrBrowserMain"}},
"""


class ChromeOfOthers(Given):
    def test_an_array_without_its_end(self):
        code, events, said = self.read(BROWSER)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, "1 record: a span has no duration")
        self.assertRegex(said, "1 record: an end without a beginning is left out")
        self.assertRegex(said, "count from the beginning of 1970")
        self.assertEqual({event["service"] for event in events}, {"Browser"})
        found = [(e["name"], e["unix_ns"], e.get("duration_ns"), e["thread"]) for e in events]
        main, other = {"id": 8, "name": "CrBrowserMain"}, {"id": 9, "name": ""}
        self.assertEqual(found, [
            ("work", 1000500, 10250, main), ("inner", 1001000, 2250, main),
            ("mark", 1011000, None, main), ("pets", 1012000, None, {"id": 0, "name": ""}),
            ("load", 1013000, 7000, main), ("load", 1014000, 8000, main),
            ("flow", 1023000, None, main), ("flow", 1024000, None, other),
            ("open", 1025000, None, main)])
        self.assertEqual(events[0]["fields"], {"src": "a.cc", "result": True})
        self.assertEqual(events[0]["category"], "toplevel,ipc")
        self.assertEqual(events[1]["fields"], {"chrome.tts": 55})
        self.assertEqual(events[3]["fields"], {"cats": 0.5, "dogs": 3, "chrome.id": "0x1"})
        self.assertEqual(events[4]["fields"],
                         {"url": "x", "chrome.ph": "b", "chrome.id": "0xa"})
        self.assertEqual(events[6]["activity"], events[7]["activity"])

    def test_events_can_be_anywhere_in_an_object(self):
        filler = '"stackFrames":{"1":{"name":"%s"}},' % ("x" * 300_000)
        events = BROWSER.strip().rstrip(",").lstrip("[")
        _, wanted, _ = self.read(BROWSER)
        for text in ('{"traceEvents":[%s],%s"displayTimeUnit":"ms"}' % (events, filler),
                     '{%s"metadata":{"os":"x"},"traceEvents":[%s,{}\n]\n}\n' % (filler, events)):
            code, found, said = self.read(text)
            self.assertEqual(code, 0, said)
            self.assertEqual(found, wanted)

    def test_numbers_as_producers_write_them(self):
        code, events, said = self.read("""[
            {"ph":"X","name":"a","pid":"render","tid":"main","ts":"5.0005","dur":1e3},
            {"ph":"X","name":"b","pid":1,"tid":2,"ts":-7,"dur":-1},
            {"ph":"X","name":"c","pid":1,"tid":2,"ts":1e30,"dur":"x"},
            {"ph":"i","name":"d","pid":18446744073709551616,"tid":1.5},
            {"ph":"?","name":"e","pid":1,"tid":2,"ts":9,"args":{"n":NaN,"i":-Infinity,"z":null}}]""")
        self.assertEqual(code, 0, said)
        by_name = {event["name"]: event for event in events}
        self.assertEqual((by_name["a"]["unix_ns"], by_name["a"]["duration_ns"]), (5001, 1000000))
        self.assertEqual(by_name["a"]["thread"]["name"], "main")
        self.assertEqual((by_name["b"]["unix_ns"], by_name["b"]["duration_ns"]), (0, 0))
        self.assertEqual(by_name["c"]["duration_ns"], 0)
        self.assertEqual(by_name["e"]["fields"],
                         {"n": "NaN", "i": "-Infinity", "chrome.ph": "?"})
        self.assertRegex(said, "2 records: its duration became 0")
        self.assertRegex(said, "1 record: fields that are null are left out")

    def test_from_a_pipe(self):
        code, output, said = ringcat("--format", "json", "-", input=BROWSER.encode())
        self.assertEqual(code, 0, said)
        self.assertEqual(len(output.splitlines()), 9)

    def test_inspection(self):
        code, text, _ = self.inspected(BROWSER, "--json")
        self.assertEqual(code, 0)
        document = json.loads(text)
        self.assertEqual((document["schema"], document["form"], document["closed"]),
                         ("chrome-1", "array", False))
        self.assertEqual(document["counts"]["events"], 15)
        self.assertEqual(document["counts"]["phases"]["b"], 2)
        self.assertEqual(document["processes"], {"7": "Browser"})
        self.assertEqual((document["first_ns"], document["last_ns"]), (1000500, 1026000))
        lines = self.inspected(BROWSER, "--csv")[1].splitlines()
        self.assertEqual(lines[0], "offset,ph,pid,tid,ts,dur,cat,name")
        self.assertEqual(lines[2], '78,"B",7,8,1000.5,,"toplevel,ipc","work"')
        self.assertEqual(len(lines), 16)

    def test_damage(self):
        whole = '{"traceEvents":[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},'
        for rest in ('{"ph":"i","name":"\xff"}]}', '{"ph":', '{"ph":01}]}', "x]}", ""):
            code, events, said = self.read((whole + rest).encode("latin-1"))
            self.assertEqual((code, len(events)), (DAMAGED, 1), said)
            offset = int(said.split("given:")[1].split(":")[0])
            self.assertGreaterEqual(offset, len(whole), said)
            code, text, _ = self.inspected((whole + rest).encode("latin-1"), "--json")
            self.assertEqual(code, 1)
            self.assertEqual(json.loads(text)["error"]["offset"], offset)
        code, text, _ = self.inspected("[7]", "--json", "--from", "chrome")
        self.assertEqual((code, json.loads(text)["error"]["offset"]), (DAMAGED, 1))
        self.assertEqual(self.inspected("x", "--from", "chrome")[:2], (2, ""))


class LinesOfOthers(Given):
    def test_log_records(self):
        code, events, said = self.read("""
{"level":30,"time":1700000000123,"pid":12,"hostname":"h","msg":"hi","user":{"id":5,"tags":["a"]}}
{"@timestamp":"2023-11-14T22:13:21.5Z","log.level":"Warn","message":"m","thread_name":"main","x":null,"big":123456789012345678901234567890,"n":{"a":[1,{"b":2}]}}
{"ts":1700000002.123456789,"level":"odd","severity":"fatal","duration_ns":5,"f":[1,2.5,"NaN"]}
{"unix_ns":1700000003000000001,"service":"s","tid":7,"logger":"l","e":{},"l":[]}
""")
        self.assertEqual(code, 0, said)
        self.assertEqual([e["unix_ns"] for e in events], [
            1700000000123000000, 1700000001500000000, 1700000002123456789, 1700000003000000001])
        self.assertEqual([e["level"] for e in events], ["INFO", "WARNING", "CRITICAL", "INFO"])
        self.assertEqual([e["fields"] for e in events], [
            {"user.id": 5, "user.tags": ["a"]},
            {"big": 123456789012345678901234567890, "n.a": '[1,{"b":2}]'},
            {"level": "odd", "f": [1.0, 2.5, "NaN"]},
            {"e": "{}", "l": []}])
        self.assertEqual((events[0]["pid"], events[0]["host"], events[0]["msg"]),
                         (12, "h", "hi user.id=5 user.tags=[a]"))
        self.assertEqual(events[1]["thread"], {"id": 0, "name": "main"})
        self.assertEqual(events[2]["duration_ns"], 5)
        self.assertEqual((events[3]["service"], events[3]["category"], events[3]["thread"]["id"]),
                         ("s", "l", 7))
        self.assertEqual([e["service"] for e in events[:3]], ["ndjson"] * 3)
        self.assertRegex(said, "1 record: fields that are null are left out")

    def test_messages_may_all_be_different(self):
        count = 60_000
        lines = "".join('{"ts":%d,"msg":"message %d","n":%d}\n' % (1700000000 + i, i, i)
                        for i in range(count))
        code, events, said = self.read(lines)
        self.assertEqual((code, said, len(events)), (0, "", count))
        self.assertEqual([e["fields"]["n"] for e in events], list(range(count)))
        self.assertEqual(events[-1]["fields"]["ndjson.message"], "message 59999")

    def test_fields_may_all_be_different(self):
        count = 81_000
        lines = "".join('{"ts":%d,"msg":"m","k%d":[%d,"x"]}\n' % (1700000000 + i, i, i)
                        for i in range(count))
        code, events, said = self.read(lines)
        self.assertEqual((code, said, len(events)), (0, "", count))
        self.assertEqual(json.loads(events[-1]["fields"]["ndjson.fields"]),
                         {"k80999": '[80999,"x"]'})

    def test_damage_ends_the_reading_and_is_reported(self):
        good = '{"ts":1700000000,"msg":"a"}\n'
        for bad in ('{"ts":1,"msg":"a}\n', "text\n", '{"a":1}{"b":2}\n', "[1]\n", '{"a":"\x00"}'):
            code, events, said = self.read(good + bad + good)
            self.assertEqual((code, len(events)), (DAMAGED, 1), said)
            self.assertRegex(said, r"given:\d+: line 2: ")
            self.assertGreaterEqual(int(said.split("given:")[1].split(":")[0]), len(good))

    def test_inspection(self):
        code, text, _ = self.inspected('{"a":1,"b":"x"}\n{"a":null}\n', "--json")
        document = json.loads(text)
        self.assertEqual((code, document["schema"], document["error"]), (0, "ndjson-1", None))
        self.assertEqual(document["keys"], {"a": {"integer": 1, "null": 1}, "b": {"string": 1}})
        self.assertEqual(self.inspected('{"a":1}\n\n{"b":2}\n', "--csv")[1],
                         "offset,line,bytes,members\n0,1,7,1\n9,3,7,1\n")


class Recognition(Given):
    def recognised(self, text):
        code, output, _ = self.inspected(text, "--json")
        return json.loads(output)["schema"] if code == 0 else None

    def test_by_content(self):
        for text, schema in (
                ('[{"ph":"X","ts":1}]', "chrome-1"),
                (' \n[ {"pid":1,"ph":"X"},', "chrome-1"),
                ('{"traceEvents":[]}', "chrome-1"),
                ('{"displayTimeUnit":"ms","otherData":{},"traceEvents":[]}', "chrome-1"),
                ("\ufeff" + '{"traceEvents":[]}', "chrome-1"),
                ('{"a":1}', "ndjson-1"),
                ('{"a":"%s"}\n{"a":2}\n' % ("x" * 10_000), "ndjson-1"),
                ('{"resourceSpans":[]}\n', None),
                ('{\n "version": 1\n}\n', None),
                ("[1,2]", None), ("{", None), ("{}", None)):
            self.assertEqual(self.recognised(text), schema, text[:100])


if __name__ == "__main__":
    unittest.main(verbosity=2)
