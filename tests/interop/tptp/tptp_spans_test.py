#!/usr/bin/env python3
"""A methodEntry and the methodExit with its ticket become one span with the names of the method and of its class."""

import collections
import json
import os
import random
import tempfile
import unittest
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from random_traces import SEEDS, ringcat

SECOND = 1_700_000_000
LOST = "a methodEntry has no duration: its methodExit is missing"


def element(tag, **attributes):
    return f"<{tag} {' '.join(f'{name}={quoteattr(str(value))}' for name, value in attributes.items())}/>"


def at(ns):
    return f"{SECOND}.{ns:09}"


def entry(thread, ticket, method, ns, class_id=0, trace="t"):
    return element("methodEntry", threadIdRef=thread, time=at(ns), methodIdRef=method, ticket=ticket, classIdRef=class_id,
                   stackDepth=0, traceIdRef=trace)


def exit_of(thread, ticket, ns, trace="t"):
    return element("methodExit", threadIdRef=thread, ticket=ticket, time=at(ns), threadCpuTime=0, transientClassIdRef=0,
                   traceIdRef=trace)


def class_def(number, name, trace="t", source="A.java"):
    return element("classDef", threadIdRef=1, time=at(0), classId=number, name=name, sourceName=source, traceIdRef=trace)


def method_def(number, name, class_id, trace="t", line=7):
    return element("methodDef", name=name, signature="()V", startLineNumber=line, endLineNumber=line, classIdRef=class_id,
                   methodId=number, traceIdRef=trace)


DEFINITIONS = [class_def(1, "com/example/Foo$Bar<T>"), method_def(10, "run", 1), method_def(11, "work", 1), method_def(12, "leaf", 1)]
FOO = "com/example/Foo$Bar<T>."


def document(lines):
    return ("<TRACE>" + "\n".join(lines) + "</TRACE>").encode()


def messages(data):
    """The entries and exits of a document, in any order: tag and attributes."""
    return sorted((e.tag, sorted(e.attrib.items())) for e in ElementTree.fromstring(data) if e.tag in ("methodEntry", "methodExit"))


class Spans(unittest.TestCase):
    def read(self, lines):
        """The records that are not definitions, and the messages."""
        code, output, said = ringcat("--format", "json", "-", input=document(lines))
        self.assertEqual(code, 0, said)
        records = [json.loads(line) for line in output.splitlines()]
        return [r for r in records if r["name"] not in ("classDef", "methodDef")], said

    def calls(self, lines):
        records, said = self.read(lines)
        return [(r["name"], r["unix_ns"] - SECOND * 10**9, r.get("duration_ns")) for r in records if r["name"] != "methodExit"], said

    def folded(self, lines):
        code, output, said = ringcat("--to", "folded", "-", input=document(lines))
        self.assertEqual(code, 0, said)
        return {tuple(line.rpartition(" ")[0].split(";")[1:]): int(line.rpartition(" ")[2]) for line in output.decode().splitlines()}

    def test_an_entry_lasts_to_the_exit_with_its_ticket(self):
        lines = [*DEFINITIONS, entry(1, 5, 10, 100), entry(1, 6, 11, 120), exit_of(1, 6, 150), exit_of(1, 5, 200)]
        self.assertEqual(self.calls(lines), ([(FOO + "run", 100, 100), (FOO + "work", 120, 30)], ""))
        records, _ = self.read(lines)
        run = records[0]
        self.assertEqual((run["file"], run["line"], run["function"], run["category"]), ("A.java", 7, "run", "tptp"))
        self.assertEqual((run["fields"]["ticket"], run["fields"]["methodIdRef"], run["thread"]["id"]), (5, 10, 1))
        self.assertEqual([r["name"] for r in records[2:]], ["methodExit", "methodExit"])
        self.assertEqual(self.folded(lines), {("-1", FOO + "run"): 70, ("-1", FOO + "run", FOO + "work"): 30})

    def test_tickets_belong_to_their_threads(self):
        lines = [*DEFINITIONS, entry(1, 5, 10, 100), entry(2, 5, 11, 110), exit_of(1, 5, 130), exit_of(2, 5, 200)]
        self.assertEqual(self.calls(lines)[0], [(FOO + "run", 100, 30), (FOO + "work", 110, 90)])

    def test_definitions_can_follow_the_entry(self):
        lines = [entry(1, 5, 10, 100), *DEFINITIONS, exit_of(1, 5, 130)]
        self.assertEqual(self.calls(lines)[0], [(FOO + "run", 100, 30)])

    def test_a_method_without_a_definition_has_its_number(self):
        lines = [class_def(1, "Foo"), entry(1, 5, 77, 100, class_id=1), exit_of(1, 5, 130), entry(1, 6, 78, 140), exit_of(1, 6, 150)]
        self.assertEqual(self.calls(lines)[0], [("Foo.method 77", 100, 30), ("method 78", 140, 10)])

    def test_what_is_not_a_pair_is_reported_or_remains_a_record(self):
        lines = [*DEFINITIONS, exit_of(1, 9, 50), entry(1, 5, 10, 100), entry(1, 6, 11, 120), exit_of(1, 6, 110)]
        calls, said = self.calls(lines)
        self.assertEqual(calls, [(FOO + "run", 100, None), (FOO + "work", 120, 0)])
        self.assertIn(f"1 record: {LOST}", said)
        self.assertIn("1 record: a methodExit is before its methodEntry: the duration became 0", said)
        self.assertEqual(len(self.read(lines)[0]), 4)

    def test_ids_belong_to_their_process(self):
        def process(name):
            return [element("processCreate", processId=name, name=name, pid=1, time=at(0)),
                    element("agentCreate", agentId="a" + name, processIdRef=name, agentName="x", agentType="Profiler", time=at(0)),
                    element("traceStart", traceId="t" + name, agentIdRef="a" + name, time=at(0)),
                    class_def(1, "Of" + name, trace="t" + name), method_def(10, "run", 1, trace="t" + name)]
        lines = [*process("P"), *process("Q"), entry(1, 5, 10, 100, trace="tP"), entry(1, 5, 10, 110, trace="tQ"),
                 exit_of(1, 5, 150, trace="tP"), exit_of(1, 5, 200, trace="tQ")]
        calls, _ = self.calls(lines)
        self.assertEqual([call for call in calls if call[2]], [("OfP.run", 100, 50), ("OfQ.run", 110, 90)])

    def test_calls_that_begin_at_the_same_time_nest(self):
        """As with a clock of few digits: the outer call comes first although it returns last."""
        lines = [*DEFINITIONS, entry(1, 1, 10, 100), entry(1, 2, 11, 100), entry(1, 3, 12, 100), exit_of(1, 3, 110), exit_of(1, 2, 120),
                 entry(1, 4, 12, 120), exit_of(1, 4, 125), exit_of(1, 1, 130)]
        run, work, leaf = (FOO + name for name in ("run", "work", "leaf"))
        self.assertEqual(self.folded(lines), {("-1", run): 5, ("-1", run, work): 10, ("-1", run, work, leaf): 10, ("-1", run, leaf): 5})

    def test_tickets_are_reused(self):
        """A ticket that is free again, and a recursive call with the ticket of its caller: the last entry returns first."""
        run, work = FOO + "run", FOO + "work"
        lines = [*DEFINITIONS, entry(1, 1, 10, 100), exit_of(1, 1, 110), entry(1, 1, 11, 120), exit_of(1, 1, 125),
                 entry(1, 1, 10, 200), entry(1, 1, 10, 210), entry(2, 1, 10, 215), exit_of(1, 1, 230), exit_of(2, 1, 235), exit_of(1, 1, 260)]
        self.assertEqual(self.calls(lines)[0], [(run, 100, 10), (work, 120, 5), (run, 200, 60), (run, 210, 20), (run, 215, 20)])
        self.assertEqual(self.folded(lines), {("-1", run): 50, ("-1", work): 5, ("-1", run, run): 20, ("-2", run): 20})

    def test_a_flame_graph_without_some_entries_and_exits(self):
        """What has no duration takes no time from what surrounds it, and hides nothing within it."""
        run, leaf = FOO + "run", FOO + "leaf"
        lines = [*DEFINITIONS, exit_of(1, 77, 90), entry(1, 1, 10, 100), entry(1, 2, 11, 110), entry(1, 3, 12, 120), exit_of(1, 3, 150),
                 exit_of(1, 88, 160), exit_of(2, 1, 170), exit_of(1, 1, 200)]
        calls, said = self.calls(lines)
        self.assertEqual(calls, [(run, 100, 100), (FOO + "work", 110, None), (leaf, 120, 30)])
        self.assertIn(f"1 record: {LOST}", said)
        self.assertEqual(self.folded(lines), {("-1", run): 70, ("-1", run, leaf): 30})

    def random_calls(self, seed):
        """Recursive calls of several threads, in the order of their times, and the time of each stack itself."""
        draw, now = random.Random(seed), 0
        lines, stacks, expected = list(DEFINITIONS), collections.defaultdict(list), collections.Counter()
        names = {10: FOO + "run", 11: FOO + "work", 12: FOO + "leaf"}
        since = collections.Counter()

        def spend(thread):
            if stacks[thread]:
                expected[(f"-{thread}", *(names[method] for _, method in stacks[thread]))] += now - since[thread]
            since[thread] = now
        for ticket in range(600):
            thread = draw.randrange(1, 4)
            now += draw.choice((0, 0, 1, 5, 1000))
            spend(thread)
            if stacks[thread] and draw.randrange(5) < 2:
                lines.append(exit_of(thread, stacks[thread].pop()[0], now))
            else:
                method = draw.choice(list(names))
                lines.append(entry(thread, ticket, method, now))
                stacks[thread].append((ticket, method))
        for thread, stack in stacks.items():
            while stack:
                now += 3
                spend(thread)
                lines.append(exit_of(thread, stack.pop()[0], now))
        return lines, {stack: ns for stack, ns in expected.items() if ns}

    def test_a_flame_graph_of_random_calls_is_right(self):
        for seed in SEEDS:
            lines, expected = self.random_calls(seed)
            self.assertEqual(self.folded(lines), expected)

    def test_the_messages_come_back_in_both_forms(self):
        lines, _ = self.random_calls(1)
        wanted = messages(document(lines))
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as directory:
            path = os.path.join(directory, "again")
            for form in ("trcbin", "trcxml"):
                code, _, said = ringcat("--to", form, "-o", path, "--force", "-", input=document(lines))
                self.assertEqual((code, said), (0, ""))
                code, output, _ = ringcat("--to", "trcxml", path)
                self.assertEqual(code, 0)
                self.assertTrue(messages(output) == wanted)  # without a difference of thousands of lines


if __name__ == "__main__":
    unittest.main(verbosity=2)
