#!/usr/bin/env python3
"""TPTP's aggregated methods: the totals of the calls of each thread, as a tree, compared with the calls."""

import json
import unittest
from xml.etree import ElementTree

from random_traces import ringcat


def call(name, begin_us, end_us, thread=1):
    return {"ph": "X", "name": name, "pid": 7, "tid": thread, "ts": begin_us, "dur": end_us - begin_us}


def chrome(*calls):
    return json.dumps({"traceEvents": list(calls), "otherData": {"base_unix_ns": str(10**18)}}).encode()


def totals(data, form="trcxml-totals"):
    """By thread, the tree of calls: (name, base, least, most, calls, the same of what it calls). And the complaints."""
    code, output, said = ringcat("--from", "chrome", "--to", form, "-", input=data)
    assert code == 0, said
    methods, threads, open_calls = {}, {}, []
    for element in ElementTree.fromstring(output):
        a = element.attrib
        if element.tag == "methodDef":
            methods[a["methodId"]] = a["name"]
        elif element.tag == "threadStart":
            open_calls = [threads.setdefault(a["threadId"], [])]
        elif element.tag == "agMethodEntry":
            if len(open_calls) == 1:
                open_calls = [threads[a["threadIdRef"]]]
            node = (methods[a["methodIdRef"]], *(int(a[k]) for k in ("baseTime", "minTime", "maxTime", "numCalls")), [])
            open_calls[-1].append(node)
            open_calls.append(node[-1])
        elif element.tag == "agMethodExit":
            open_calls.pop()
    assert len(open_calls) == 1, "each entry has its exit"
    return list(threads.values()), said


class Totals(unittest.TestCase):
    CALLS = (call("f", 0, 100), call("g", 10, 30), call("h", 12, 14), call("g", 40, 50), call("f", 200, 260),
             call("g", 300, 301))

    def test_times_are_those_of_a_method_alone_at_each_place_of_the_tree(self):
        threads, said = totals(chrome(*self.CALLS))
        self.assertEqual((threads, said), ([[
            ("f", 130_000, 60_000, 70_000, 2, [("g", 28_000, 10_000, 18_000, 2, [("h", 2_000, 2_000, 2_000, 1, [])])]),
            ("g", 1_000, 1_000, 1_000, 1, [])]], ""))

    def test_a_method_that_calls_itself(self):
        threads, _ = totals(chrome(call("f", 0, 100), call("f", 10, 60), call("f", 20, 30)))
        self.assertEqual(threads, [[("f", 50_000, 50_000, 50_000, 1,
                                     [("f", 40_000, 40_000, 40_000, 1, [("f", 10_000, 10_000, 10_000, 1, [])])])]])

    def test_each_thread_has_its_own(self):
        threads, _ = totals(chrome(call("f", 0, 10, thread=1), call("f", 0, 30, thread=2)))
        self.assertEqual(sorted(tree[0][1] for tree in threads), [10_000, 30_000])

    def test_calls_that_overlap_without_nesting_are_beside_each_other(self):
        threads, _ = totals(chrome(call("f", 0, 50), call("g", 25, 75)))
        self.assertEqual(sorted(threads[0]), [("f", 50_000, 50_000, 50_000, 1, []), ("g", 50_000, 50_000, 50_000, 1, [])])

    def test_the_sum_of_all_is_the_time_that_the_tools_count(self):
        threads, _ = totals(chrome(*self.CALLS))

        def base(tree):
            return sum(node[1] + base(node[5]) for node in tree)
        outermost = sum(c["dur"] for c in self.CALLS if c["name"] == "f" or c["ts"] == 300) * 1000
        self.assertEqual(base(threads[0]), outermost)
        code, output, said = ringcat("agg", "--field", "@duration_ns", "--by", "@site", "--format", "json", "--from", "chrome",
                                     "f", "-", input=chrome(*self.CALLS))
        self.assertEqual(code, 0, said)
        (row,) = json.loads(output)["rows"]
        self.assertEqual((row["count"], row["sum"]), (2, 160_000))  # with what it calls

    def test_what_has_no_duration_is_left_out_and_counted(self):
        data = chrome(call("f", 0, 10), {"ph": "i", "name": "point", "pid": 7, "tid": 1, "ts": 5, "s": "t"})
        threads, said = totals(data)
        self.assertEqual(threads, [[("f", 10_000, 10_000, 10_000, 1, [])]])
        self.assertIn("1 record: has no duration: only spans are totalled", said)

    def test_sums_beyond_the_largest_number_stay_there(self):
        centuries_us = 8 * 10**15
        threads, _ = totals(chrome(call("f", 0, centuries_us), call("f", 1, centuries_us + 1)))
        ((_, base, least, most, calls, inner),) = threads[0]
        self.assertEqual((base, calls, inner), (2**63 - 1, 2, []))
        self.assertTrue(0 < least <= most < 2**63, (least, most))

    def test_both_forms_say_the_same_and_are_read(self):
        data = chrome(*self.CALLS)
        read = []
        for form in ("trcbin", "trcxml"):
            code, written, _ = ringcat("--from", "chrome", "--to", form + "-totals", "-", input=data)
            self.assertEqual(code, 0)
            code, output, said = ringcat("--format", "json", "--from", form, "-", input=written)
            self.assertEqual((code, said), (0, ""))
            records = [json.loads(line) for line in output.splitlines()]
            read.append([(r["name"], r["fields"]) for r in records if r["name"].startswith("agMethod")])
        self.assertEqual(read[0], read[1])
        self.assertEqual([name for name, _ in read[0]].count("agMethodEntry"), 4)
        self.assertEqual(sum(fields["numCalls"] for name, fields in read[0] if name == "agMethodEntry"), len(self.CALLS))

    def test_fifty_thousand_calls_deep(self):
        depth = 50_000
        code, output, said = ringcat("--from", "chrome", "--to", "trcbin-totals", "-",
                                     input=chrome(*(call("f", i, 3 * depth - i) for i in range(depth))))
        self.assertEqual((code, said), (0, ""))
        self.assertGreater(len(output), 60 * depth)


if __name__ == "__main__":
    unittest.main(verbosity=2)
