#!/usr/bin/env python3
"""Conditions in the page of a report select the same records as `ringcat --where` of the same trace."""

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "end-to-end"))

from traced_processes import BOUND_S, TestBed, program

PAGE = os.path.join(HERE, "..", "..", "tools", "report", "page")

# Of one record each way: text, number, number with a name, boolean, nothing of the kind.
ATOMS = """
msg =~ "order"
msg =~ '^\\d+/\\d+ (int|text)'
msg !~ "[[:digit:]]{3,}"
msg =~ '(?i)PRECISION \\[[^\\]]*\\]'
msg =~ "\\\\bfilled\\\\b|moved$"
msg =~ '\\pL+ \\p{Lu}'
msg =~ "a.b"
msg =~ '\\Qa+b(\\E'
msg =~ '(?s)^.*$'
msg =~ '(?:x|y|[a-f0-9]{2,4})+\\z'
msg =~ ''
msg == "billed"
msg < "m"
msg >= "o"
msg != "x" && msg > ""
level >= WARNING
level == "error"
level in (INFO, NOTICE)
level + 1 > 5
level != DEBUG
kind == "span"
kind != "log"
keywords == 0
keywords & 0x10 != 0
category == ""
service == "typed"
service =~ "^(spans|tasks)$"
pid > 1
pid / 2 == 1
host != ""
thread =~ "^w"
thread == "w0"
thread_id == pid
thread > 1
thread in ("w1", "spans")
thread == pid
file =~ "record_cases"
line < 20
line * 2 == 18
function == "main"
site == "order.fill"
site != ""
seq < 10
seq * 0.1 == 1
seq / 10 == 1
seq / 3 == 7
seq & 1 == 0
-seq < -5
seq - 10 > 3.5
unix_ns > 1700000000000000000
unix_ns / 2 * 2 == unix_ns
duration_ns > 100
duration_ns >= 0
duration_ns / 1000 < 50.5
substream == 1
activity == ""
activity != "" && related == ""
stack_id > 0
processor >= 0
!(processor > 0)
cut
!cut
cut == false
cut == 0
qty > 5
qty == 10
qty * 0.1 == 1
qty / 0 == 1
px == 100.25
px * 3 == 300.75
px * 0.1 == 10.025
px & 1 == 0
px > 100 && qty < 20
venue == "XE TR"
venue =~ "^XE"
move.side == "sell"
`move.side` > 1
side == 2
side =~ "ell"
side in ("buy", 2)
`move.from.x` == 1
x == 1
r.thread == 0
thread == 0 || r.number < 7
r.number < 7
number > 3
card == "4111"
user == 7
tenant == "a"
`user` != 0
task == "order 7"
task.id == 1
task.step > 1
names == "a"
raw == "a"
status == "done"
requests == 2
name == "check"
count == 3
error == "x"
1 == 1
true
false || true
1 + 1 == 2
0.1 + 0.2 == 0.3
9007199254740993 == 9007199254740992
9007199254740993 > 9007199254740992.0
18446744073709551615 + 1 > 18446744073709551615
0x10 == 16
1e3 == 1000
.5 + .5 == 1
7 / 2 == 3.5
(3 & 5) == 1
"a" < "b"
'é' > 'z'
"\U0001F600" > "\uffee"
missing_field == 1
`no such field` == "x"
""".strip().split("\n")

INVALID = """
qty >
qty = 1
level == "loud"
level == 'nothing'
(qty > 1
qty > 1)
msg =~ "("
msg =~ '[z-a]'
msg =~ 'a**'
msg =~ '(?=x)'
msg =~ '\\1'
msg =~ 'x{2000}'
msg =~ '*a'
msg =~ qty
pid in 3
pid in (3
"open
`open
@nothing == 1
1..2 == 3
0xZZ == 1
unix_ns
"text"
pid && true
pid + "x" == 1
msg + 1 == 2
!pid
pid == "x"
pid =~ "x"
$
""".strip().split("\n")

# Regular expressions and texts: RE2 decides.
PATTERNS = ["a|b|", "^$", "(^|x)b", r"\bb", r"b\B", "(a*)*b", "(a|ab)(c|bcd)$", "[^a-c]+", "[]a]", "[^]a]", "[a-c-e]", r"[\d\-x]", "(?m)^b$",
            "(?i)straße", "(?i)[K-L]", "é+", ".", "^.{3}$", r"\x41|\x{1F600}|\101", "(?P<n>a)b?", "a{0}b", "a{2,}", "a{,2}", "{", "x{a}",
            r"\p{Greek}", r"\PL", r"\p{^L}", "[[:^alpha:]]", r"\s", r"\S+\s\S+", r"[\s\w]+$", "(?i:A)b", "(?i)(?-i:A)b", "a(?i)B|C", r"\n", r"\a|\f|\t|\v",
            "()", "(|a)+b", "(?:)", r"\.\*", "a.b", "(?s)a.b", r"\Aab", r"ab\z", r"\Qa.b\E+", "[.]", r"\pN", "(?U)a+", "a+?b", "a??b", r"\_", r"\-"]
TEXTS = ["", "a", "b", "ab", "abb", "abcd", "aab", "caab", "x b", "a\nb", "a\r\nb", "b\nc", "Straße", "STRASSE", "K", "k", "\u212a", "é", "aé", "\U0001F600",
         "αβγ", "a.b", "a.bbb", "A", "Ab", "aB", "aC", "c", "{", "x{a}", "a{,2}", "-", "]", "12", "_", "\t", "\u2028", "日本", "abc abd"]


def ringcat(*arguments):
    return subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)


@unittest.skipIf(shutil.which("node") is None, "needs node: packaging/install-build-deps.sh installs it")
class WhereTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        for which, arguments, service in (("workload", ("--records", "300", "--threads", "2"), "work"), ("typed_events", (), "typed"),
                                          ("example_spans", (), "spans"), ("example_tasks", (), "tasks"), ("example_contexts", (), "contexts"),
                                          ("example_printf_style", (), "printf"), ("example_brace_style", (), "brace")):
            running = cls.bed.start_service(*arguments, which=which, service=service)
            assert running.wait() == 0, running.stderr()
        cls.bed.run_consumer_once()
        cls.report = os.path.join(cls.bed.work_dir, "report.html")
        done = ringcat("report", "-o", cls.report, cls.bed.output_dir)
        assert done.returncode == 0, done.stderr
        # Modules need a package that says so; browsers do not.
        cls.modules = os.path.join(cls.bed.work_dir, "page")
        shutil.copytree(PAGE, cls.modules)
        with open(os.path.join(cls.modules, "package.json"), "w", encoding="utf-8") as file:
            file.write('{"type": "module"}')

    def in_page(self, conditions):
        done = subprocess.run(["node", os.path.join(HERE, "where_records.mjs"), self.modules, self.report],
                              input="\n".join(map(json.dumps, conditions)), capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.rstrip("\n").split("\n")]

    def by_ringcat(self, condition):
        """The lines; None if no statement has one of the fields."""
        done = ringcat("--format", "json", "--no-losses", "--where", condition, self.bed.output_dir)
        if done.returncode == 2 and "no statement" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, (condition, done.stderr))
        return done.stdout.splitlines()

    def check(self, conditions):
        # The page has U+FFFD for bytes that are not UTF-8; RE2 tells them apart.
        is_sound = lambda line: "\ufffd" not in line
        matching = 0
        for condition, answer in zip(conditions, self.in_page(conditions)):
            with self.subTest(condition=condition):
                self.assertNotIn("error", answer)
                wanted = self.by_ringcat(condition)
                self.assertEqual(list(filter(is_sound, answer["lines"])), list(filter(is_sound, wanted or [])))
                matching += bool(wanted)
        return matching

    def test_all_records_are_there_as_ringcat_prints_them(self):
        done = ringcat("--format", "json", "--no-losses", self.bed.output_dir)
        self.assertEqual(self.in_page(["true"])[0]["lines"], done.stdout.splitlines())

    def test_conditions_select_what_ringcat_selects(self):
        self.assertGreater(self.check(ATOMS), len(ATOMS) // 2)

    def test_combinations_select_what_ringcat_selects(self):
        choice = random.Random(21)
        atoms = [atom for atom in ATOMS if "missing" not in atom and "no such" not in atom]
        conditions = []
        for operators in itertools.islice(itertools.cycle((("&&",), ("||",), ("&&", "||"), ("||", "&&"))), 40):
            parts = [choice.choice(("", "!")) + f"({choice.choice(atoms)})" for _ in range(len(operators) + 1)]
            conditions.append(parts[0] + "".join(f" {operator} {part}" for operator, part in zip(operators, parts[1:])))
        self.assertGreater(self.check(conditions), len(conditions) // 3)

    def test_invalid_conditions_are_refused_with_the_same_message(self):
        for condition, answer in zip(INVALID, self.in_page(INVALID)):
            with self.subTest(condition=condition):
                done = ringcat("--where", condition, self.bed.output_dir)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("error", answer)
                # RE2 has its own words for what is wrong with an expression.
                message = answer["error"].split("invalid regular expression")[0]
                self.assertIn(message, done.stderr)

    def test_regular_expressions_match_what_re2_matches(self):
        def quoted(text):
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

        for pattern, answer in zip(PATTERNS, self.in_page([{"pattern": pattern, "texts": TEXTS} for pattern in PATTERNS])):
            # A record of ringcat shows that it decides about each text as the page does.
            terms = [("" if text in answer.get("matches", ()) else "!") + f"({quoted(text)} =~ {quoted(pattern)})" for text in TEXTS]
            with self.subTest(pattern=pattern):
                done = ringcat("--head", "1", "--no-losses", "--where", " && ".join(terms), self.bed.output_dir)
                if "error" in answer:
                    self.assertEqual(done.returncode, 2, (answer, done.stderr))
                else:
                    self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 1), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
