#!/usr/bin/env python3
"""Names of fields: from the arguments of a service's log calls to what a user of ringcat writes."""

import json
import subprocess
import unittest

from traced_processes import BOUND_S, TestBed, program


class FieldNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        service = cls.bed.start_service(which="named_fields", service="named")
        assert service.wait() == 0, service.stderr()
        cls.bed.run_consumer_once()

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments, self.bed.output_dir], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_arguments_name_their_fields(self):
        fields = {line["msg"].split()[0]: line["fields"] for line in map(json.loads, self.ringcat("--format", "json"))}
        self.assertRegex(fields["texts"].pop("&text"), "^0x[0-9a-f]+$")
        # In the order of the arguments.
        self.assertEqual({which: list(values.items()) for which, values in fields.items()}, {
            "casts": [("order->id", 7), ("order->id_2", 7), ("arg3", "x")],
            "texts": [("order->symbol", "ABC"), ("text", "text")],
            "constants": [("arg1", 42), ("arg2", "text"), ("order->price", 100.25), ("order->id + 1", 8)],
            "equal": [("width", 8), ("arg2", 1), ("width_2", 8), ("width_3", 8)],
            "template": [("larger<int, long>(1, 2)", 2), ("text.size()", 4), ("text", "text")]})

    def test_conditions_and_columns_take_names_with_and_without_conversions(self):
        for condition in ("`order->id` == 7", "`static_cast<int>(order->id)` == 7", "`(unsigned)order->id_2` == 7"):
            self.assertEqual(self.ringcat("--template", "{msg}", "--where", condition), ["casts 7 7 x"], condition)
        for name in ("symbol", "order->symbol", "order->symbol.c_str()"):
            lines = self.ringcat("--template", f"{{field:{name}}}", "--where", "symbol == 'ABC'")
            self.assertEqual(lines, ["ABC"], name)

    def test_aggregates_take_names(self):
        (row,) = json.loads("".join(self.ringcat("agg", "text:constants*", "--field", "order->price", "--format", "json")))["rows"]
        self.assertEqual((row["count"], row["sum"]), (1, 100.25))


if __name__ == "__main__":
    unittest.main(verbosity=2)
