#!/usr/bin/env python3
"""Every property of records in every output and question of ringcat, beside fields of the same names."""

import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest

RINGCAT = os.environ["RINGSIDE_TEST_RINGCAT"]
OK, USAGE = 0, 2
START = 1763674516000000000  # 2025-11-20 21:35:16
ACTIVITY, RELATED = "01" * 16, "ab" * 16


def record(number, **members):
    base = {"kind": "record", "unix_ns": START + number, "level": "INFO", "category": "", "service": "shop", "pid": 101,
            "thread": {"id": 8, "name": "worker"}, "msg": f"m{number}", "fields": {}}
    return {**base, **members}


RECORDS = [
    record(1, level="ERROR", category="orders", service="kv store", pid=202, host="h1", thread={"id": 7, "name": "main"},
           name="fill", file="a.cpp", line=10, function="run", site_kind="span", keywords="0x8000000000000010",
           substream=4, activity=ACTIVITY, related=RELATED, stack_id=9, duration_ns=2500, cut=True,
           fields={"qty": 5, "nettrace.processor": 3, "activity": "mine", "host": "field"}),
    record(2, fields={"qty": 5}),
    record(3, fields={"qty": 5}),
]

# For each property: its text for the first record, and a condition with the records that meet it.
PROPERTIES = {
    "unix_ns": (str(START + 1), f"@unix_ns == {START + 1}", "1"),
    "level": ("ERROR", "@level >= ERROR", "1"),
    "kind": ("span", "@kind == 'span'", "1"),
    "keywords": ("0x8000000000000010", "@keywords & 0x10 != 0 && @keywords & 0x20 == 0", "1"),
    "category": ("orders", "@category == 'orders'", "1"),
    "service": ("kv store", "@service != 'shop'", "1"),
    "pid": ("202", "@pid == 202", "1"),
    "host": ("h1", "@host == 'h1'", "1"),
    "thread": ("main", "@thread == 'main' || @thread == 9", "1"),
    "thread_id": ("7", "@thread_id in (7, 9)", "1"),
    "file": ("a.cpp", "@file == 'a.cpp'", "1"),
    "line": ("10", "@line == 10", "1"),
    "function": ("run", "@function == 'run'", "1"),
    "site": ("fill", "@site == 'fill'", "1"),
    "seq": ("0", "@seq == 1", "3"),
    "duration_ns": ("2500", "@duration_ns > 2000", "1"),
    "substream": ("4", "@substream == 4", "1"),
    "activity": (ACTIVITY, "@activity =~ '^0101'", "1"),
    "related": (RELATED, f"@related == '{RELATED}'", "1"),
    "stack_id": ("9", "@stack_id == 9", "1"),
    "processor": ("3", "@processor < 4", "1"),
    "cut": ("true", "@cut", "1"),
}
# A text line shows these without --show.
IN_EVERY_LINE = {"unix_ns", "level", "thread", "thread_id", "file", "line", "cut"}
JSON_MEMBERS = {"kind": "site_kind", "site": "name", "seq": "sequence"}


class RecordProperties(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.trace = cls.path_of("records.ndjson")
        with open(cls.trace, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in RECORDS)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def path_of(cls, name):
        return os.path.join(cls.directory.name, name)

    def ringcat(self, *arguments, status=OK, says=""):
        done = subprocess.run([RINGCAT, *arguments, self.trace], capture_output=True, timeout=60, check=False, text=True,
                              env={**os.environ, "TZ": "UTC"})
        self.assertEqual((done.returncode, done.stderr if not says else ""), (status, ""), done)
        self.assertIn(says, done.stderr)
        return done.stdout

    def matching(self, condition, **how):
        times = self.ringcat("--template", "{unix_ns}", "--where", condition, **how).splitlines()
        return "".join(str(int(time) - START) for time in times)

    def row(self, *arguments):
        """The answer of agg as a row of names and values."""
        return list(csv.DictReader(io.StringIO(self.ringcat("agg", "text:*", "--format", "csv", *arguments))))

    def test_the_help_names_the_properties_that_are_tested(self):
        help_text = subprocess.run([RINGCAT, "--help"], capture_output=True, text=True, check=True).stdout
        names = re.sub(r"\s+", "", re.search(r"Names:(.*?),\s*field:NAME", help_text, re.DOTALL).group(1)).split(",")
        self.assertEqual(set(names) - {"time", "utc", "msg", "fields", "context"}, set(PROPERTIES))
        in_conditions = re.search(r"an @ before the name: (.*?);", " ".join(help_text.split())).group(1)
        self.assertEqual(set(in_conditions.split(", ")), set(PROPERTIES))

    def test_conditions(self):
        for name, (_, condition, numbers) in PROPERTIES.items():
            with self.subTest(name):
                self.assertEqual(self.matching(condition), numbers)
                says = f"{name} is the property of records" if name in RECORDS[0]["fields"] else ""
                self.assertEqual(self.matching(condition.replace("@", ""), says=says), numbers)

    def test_templates_and_columns(self):
        for name, (text, _, _) in PROPERTIES.items():
            with self.subTest(name):
                self.assertEqual(self.ringcat("--template", f"{{{name}}}|{{@{name}}}").splitlines()[0], f"{text}|{text}")
        rows = csv.DictReader(io.StringIO(self.ringcat("--format", "csv", "--columns", ",".join(PROPERTIES))))
        self.assertEqual(next(rows), {name: text for name, (text, _, _) in PROPERTIES.items()})

    def test_text(self):
        plain = self.ringcat("--utc").splitlines()
        shown = self.ringcat("--utc", "--show", "all").splitlines()
        # The line of a span says how long it was.
        self.assertTrue(plain[0].endswith(" [cut] duration_ns=2500"), plain[0])
        message = plain[0].removesuffix(" duration_ns=2500")
        self.assertTrue(shown[0].startswith(message + " "), shown[0])
        end = shown[0].removeprefix(message)
        pairs = dict(re.findall(r' ([a-z_]+)=("[^"]*"|[^ ]+)', end))
        expected = {name: f'"{text}"' if " " in text else text for name, (text, _, _) in PROPERTIES.items()
                    if name not in IN_EVERY_LINE}
        self.assertEqual(pairs, expected)
        self.assertEqual(shown[1], plain[1] + " service=shop pid=101 seq=0", "only what it has")
        some = self.ringcat("--utc", "--show", "duration_ns,@thread").splitlines()
        self.assertEqual([a.removeprefix(b.removesuffix(" duration_ns=2500")) for a, b in zip(some, plain)],
                         [" thread=main duration_ns=2500", " thread=worker", " thread=worker"])

    def test_json(self):
        first, second, _ = map(json.loads, self.ringcat("--format", "json").splitlines())
        for name, (text, _, _) in PROPERTIES.items():
            with self.subTest(name):
                value = first["thread"]["id" if name == "thread_id" else "name"] if name.startswith("thread") else \
                    first[JSON_MEMBERS.get(name, name)]
                self.assertEqual(str(value).lower() if value is True else str(value), text)
        for name in ("site_kind", "keywords", "processor", "duration_ns", "activity", "host"):
            self.assertNotIn(name, second)

    def test_logfmt(self):
        first, second, _ = self.ringcat("--format", "logfmt").splitlines()
        self.assertIn(f" activity#2=mine host=field kind=span keywords=0x8000000000000010 processor=3 substream=4 "
                      f"activity={ACTIVITY} related={RELATED} stack_id=9 duration_ns=2500 cut=true", first)
        self.assertTrue(second.endswith(' msg="m2 qty=5" qty=5'), second)

    def test_groups(self):
        for name, (text, _, _) in PROPERTIES.items():
            with self.subTest(name):
                counts = {row["@" + name]: row["count"] for row in self.row("--by", "@" + name)}
                # Some parts of an answer have their own form.
                text = {"thread": "7 main", "site": 'a.cpp:10 fill'}.get(name, text)
                key = next(key for key in counts if text in key)
                self.assertEqual(counts[key], {"seq": "2"}.get(name, "1"), counts)
                self.assertEqual(sum(map(int, counts.values())), 3)

    def test_numbers_of_questions(self):
        numbers = {"duration_ns": 2500, "substream": 4, "stack_id": 9, "processor": 3, "line": 10, "unix_ns": START + 3,
                   "seq": 1, "pid": 202, "thread_id": 8}
        for name, most in numbers.items():
            with self.subTest(name):
                self.assertEqual(self.row("--field", "@" + name)[0]["max"], str(most))
        answer = json.loads(self.ringcat("agg", "text:*", "--field", "@processor", "--format", "json"))
        self.assertEqual((answer["records without processor"], answer["rows"][0]["count"]), (2, 1))
        answer = json.loads(self.ringcat("agg", "text:*", "--field", "@duration", "--format", "json"))
        self.assertEqual((answer["records without a duration"], answer["rows"][0]["sum"]), (2, 2500))
        answer = json.loads(self.ringcat("hist", "text:*", "--field", "@duration_ns", "--format", "json"))
        self.assertEqual(sum(row["count"] for row in answer["rows"]), 1)
        gaps = self.ringcat("agg", "--gap", "text:*", "text:*", "--join", "qty", "--across", "--by", "@kind,@processor",
                            "--format", "csv")
        self.assertIn("log,,2,", gaps)

    def test_records_without_a_property(self):
        self.assertEqual(self.matching("@duration_ns >= 0"), "1")
        self.assertEqual(self.matching("!(@duration_ns >= 0)"), "", "a missing number meets no condition")
        self.assertEqual(self.matching("@activity == ''"), "23")
        self.assertEqual(self.matching("!@cut"), "23")

    def test_fields_of_the_same_name_are_told_apart(self):
        self.assertEqual(self.matching("`activity` == 'mine'"), "1")
        self.assertEqual(self.matching(f"@activity == '{ACTIVITY}'"), "1")
        note = "host is the property of records, and some statements have a field of that name; " \
               "write `host` for the field, or @host for the property"
        self.assertEqual(self.matching("host == 'field'", says=note), "")
        self.assertEqual(self.ringcat("--template", "{field:host} {host}").splitlines()[0], "field h1")
        self.assertEqual(self.ringcat("--format", "csv", "--columns", "field:host,host,@host").splitlines()[1], "field,h1,h1")
        self.assertEqual(self.row("--by", "host,@host", "--where", "`host` == 'field'")[0]["count"], "1")
        first = json.loads(self.ringcat("--format", "json").splitlines()[0])
        self.assertEqual((first["host"], first["fields"]["host"]), ("h1", "field"))

    def test_unknown_properties_are_refused(self):
        for arguments in (("--where", "@colour == 1"), ("--show", "duration_ns,colour"), ("--template", "{@colour}")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.ringcat(*arguments, status=USAGE, says="duration_ns, substream, activity"), "")
        for arguments in (("--by", "@colour"), ("--field", "@colour")):
            self.ringcat("agg", "text:*", *arguments, status=USAGE, says="@colour is unknown; use")
        self.ringcat("agg", "text:*", "--field", "@activity", status=USAGE, says="@activity is not a number")
        self.ringcat("--format", "json", "--show", "all", status=USAGE, says="json shows all properties")
        self.ringcat("--format", "csv", "--show", "all", status=USAGE, says="use --columns")
        self.ringcat("--template", "{msg}", "--show", "all", status=USAGE, says="--template exclude each other")

    def test_files_keep_them(self):
        json_lines = self.ringcat("--format", "json")
        copy = self.path_of("copy.ndjson")
        self.ringcat("--to", "ndjson", "-o", copy, "--force")
        again = subprocess.run([RINGCAT, "--format", "json", copy], capture_output=True, text=True, check=True).stdout
        self.assertEqual(again, json_lines)
        rows = list(csv.DictReader(io.StringIO(self.ringcat("--to", "csv"))))
        self.assertEqual({name: rows[0][name] for name in PROPERTIES}, {name: text for name, (text, _, _) in PROPERTIES.items()})


if __name__ == "__main__":
    unittest.main(verbosity=2)
