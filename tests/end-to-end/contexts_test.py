#!/usr/bin/env python3
"""Contexts of a real service: each record has the one that the service expected, wherever extents, files and consumers begin
and end.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import collections
import csv
import glob
import json
import os
import re
import signal
import subprocess
import time
import unittest

import stated_contexts
from stated_contexts import ROUNDS, SEED
from traced_processes import BOUND_S, TestBed, program, wait_until


def text_of(context):
    """As the service writes it."""
    def value_text(value):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return "".join(f"{name}={value_text(context[name])};" for name in sorted(context))


class Contexts(stated_contexts.StatedContexts):
    PROGRAM = "context_service"
    SERVICE = "contexts"

    def check(self, *arguments, where=None):
        """That each record has its context. Returns the number of records that have one, and of all."""
        records = self.records(*arguments, where=where)
        for record in records:
            self.assertEqual(text_of(record.get("context", {})), record["fields"]["expected"],
                             f"{record}, RINGSIDE_TEST_SEED={SEED}")
            self.assertNotEqual(record["name"], "ringside.context")
        return sum("context" in record for record in records), len(records)

    def rules(self, text):
        path = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_each_record_has_its_context(self):
        self.trace(service=(3, 4000))
        some, all_of_them = self.check()
        self.assertEqual(all_of_them, 3 * 4000 + 10)
        self.assertGreater(some, all_of_them // 2)
        self.ringcat("verify", self.bed.output_dir)

    def test_also_in_any_order_with_any_threads_and_from_any_time(self):
        self.trace("--rotate-bytes", "50K", service=(3, 5000))
        self.assertGreater(len(self.bed.traces()), 3)
        everything = self.records()
        for options in (["--unordered"], ["--threads", "1"], ["--threads", "3"]):
            self.assertEqual(self.check(*options)[1], len(everything))
        middle = everything[len(everything) // 2]["time"]
        self.assertGreater(self.check("--since", middle)[1], 0)
        self.assertGreater(self.check("--tail", "50")[1], 0)
        # Each file alone.
        self.assertEqual(sum(self.check(where=path)[1] for path in self.bed.traces()), len(everything))

    def test_rewritten_and_packed_files_keep_them(self):
        self.trace(service=(2, 4000))
        before = self.records()
        (path,) = self.bed.traces()
        middle = before[len(before) // 2]["time"]
        cut = os.path.join(self.bed.work_dir, "cut.ringtrace")
        self.ringcat("slice", "--since", middle, "-o", cut, path)
        self.assertGreater(self.check(where=cut)[1], 300)
        self.ringcat("verify", cut)
        self.ringcat("pack", path)
        self.assertEqual(glob.glob(os.path.join(self.bed.output_dir, "*.ringtrace")), [])
        self.assertEqual(self.records(), before)

    def test_a_child_continues_in_the_context_of_its_parent(self):
        self.trace(service=(1, 1, "fork"))
        self.assertEqual(self.check(), (4, 4))

    def test_conditions_find_their_fields(self):
        self.trace(service=(3, 4000))
        everything = self.records()
        of_user = [r for r in everything if r.get("context", {}).get("user") == 7]
        self.assertGreater(len(of_user), 10)
        for options in ([], ["--unordered"]):
            self.assertEqual(len(self.records("--where", "user == 7", *options)), len(of_user))
        both = [r for r in of_user if r["fields"]["number"] > 100 and "tenant" in r["context"]]
        self.assertEqual(len(self.records("--where", "user == 7 && number > 100 && tenant != ''")), len(both))
        self.assertEqual(self.records("--where", "tenant == 'unknown'"), [])
        (counted,) = self.ringcat("agg", "text:*", "--where", "user == 7", "--format", "json", self.bed.output_dir).splitlines()
        self.assertEqual(json.loads(counted)["rows"][0]["count"], len(of_user))

    def rows(self, *arguments):
        (answer,) = self.ringcat("agg", "text:*", "--format", "json", *arguments, self.bed.output_dir).splitlines()
        return json.loads(answer)["rows"]

    def test_groups_and_numbers_of_their_fields(self):
        self.trace(service=(3, 4000))
        records = self.records()
        values = [record.get("context", {}).get("user") for record in records]
        users = [value for value in values if value is not None]
        self.assertTrue(0 < len(users) < len(values))
        counts = collections.Counter("" if value is None else value for value in values)
        self.assertEqual({row["user"]: row["count"] for row in self.rows("--by", "user")}, counts)
        tenants = collections.Counter((record["name"], record.get("context", {}).get("tenant", "")) for record in records)
        self.assertEqual(sum(row["count"] for row in self.rows("--by", "@site,tenant")), len(records))
        self.assertEqual(sorted(row["count"] for row in self.rows("--by", "@site,tenant")), sorted(tenants.values()))
        (whole,) = self.rows("--field", "user")
        self.assertEqual([whole[name] for name in ("count", "sum", "min", "max")], [len(users), sum(users), min(users), max(users)])
        grouped = self.rows("--field", "user", "--by", "ok", "--where", "number >= 100")
        of_ok = [record["context"]["user"] for record in records if record.get("context", {}).get("ok") and record["fields"]["number"] >= 100]
        self.assertEqual([(row["count"], row["sum"]) for row in grouped if row["ok"] == "true"], [(len(of_ok), sum(of_ok))])
        (answer,) = self.ringcat("hist", "text:*", "--field", "user", "--rows", "1", "--format", "json", self.bed.output_dir).splitlines()
        self.assertEqual(json.loads(answer)["rows"][0]["count"], len(users))
        # A field of the statement precedes one of the context, and names of neither are refused.
        self.assertEqual(len(self.rows("--by", "number")), len({record["fields"]["number"] for record in records}))
        done = subprocess.run([program("ringcat"), "agg", "text:*", "--by", "nothing", self.bed.output_dir], capture_output=True,
                              timeout=BOUND_S, check=False, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn('has no field "nothing"', done.stderr)

    def test_gaps_are_joined_by_them(self):
        self.trace(service=(1, 4000))
        begun, gaps = {}, []
        for record in self.records():
            user = record.get("context", {}).get("user")
            if user is None:
                continue
            if record["name"] == "wide" and user in begun:
                gaps.append(record["unix_ns"] - begun.pop(user))
            elif record["name"] == "record":
                begun[user] = record["unix_ns"]
        self.assertGreater(len(gaps), 20)
        (answer,) = self.ringcat("agg", "--gap", "name:record", "name:wide", "--join", "user", "--format", "json",
                                 self.bed.output_dir).splitlines()
        (row,) = json.loads(answer)["rows"]
        self.assertEqual((row["count"], row["sum"]), (len(gaps), sum(gaps)))

    def test_columns_show_them(self):
        self.trace(service=(2, 1000))
        lines = self.ringcat("--format", "csv", "--columns", "number,user,tenant,context", self.bed.output_dir).splitlines()
        rows = list(csv.DictReader(lines))
        records = self.records()
        self.assertEqual(len(rows), len(records))
        for row, record in zip(rows, records):
            context = record.get("context", {})
            self.assertEqual((row["number"], row["user"], row["tenant"]),
                             (str(record["fields"]["number"]), str(context.get("user", "")), context.get("tenant", "")))
            self.assertEqual(json.loads(row["context"]), context)
        done = subprocess.run([program("ringcat"), "--format", "csv", "--columns", "nothing", self.bed.output_dir],
                              capture_output=True, timeout=BOUND_S, check=False, text=True)
        self.assertIn("nothing", done.stderr)

    def converted(self, name):
        output = os.path.join(self.bed.work_dir, "converted." + name)
        self.ringcat("--to", name, "-o", output, self.bed.output_dir)
        return output

    def test_conversions_have_their_fields(self):
        self.trace(service=(2, 300))
        expected = sorted(record["fields"]["expected"] for record in self.records())
        self.assertTrue(any("user=" in one for one in expected))
        for name in ("chrome", "ctf", "heph", "nettrace", "perfetto", "trcbin", "ulm", "netlogger"):
            with self.subTest(name):
                seen = []
                for record in self.records("--from", name, where=self.converted(name)):
                    fields = record["fields"]
                    context = {key.replace("_", ".").removeprefix("context."): value for key, value in fields.items()
                               if key.startswith(("context.", "context_"))}
                    if "ok" in context:
                        context["ok"] = bool(context["ok"])  # some formats have no truth values
                    self.assertEqual(text_of(context), fields["expected"], record)
                    seen.append(fields["expected"])
                self.assertEqual(sorted(seen), expected)

    def test_formats_of_lines_have_their_fields(self):
        self.trace(service=(1, 300))
        records = self.records()
        with open(self.converted("ndjson"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line).get("context") for line in file], [r.get("context") for r in records])
        with open(self.converted("csv"), encoding="utf-8", newline="") as file:
            self.assertEqual([json.loads(row["context"]) for row in csv.DictReader(file)], [r.get("context", {}) for r in records])
        with open(self.converted("otlp"), encoding="utf-8") as file:
            attributes = re.findall(r'"field\.context\.tenant","value":\{"stringValue":"([a-z]*)"', file.read())
        self.assertEqual(sorted(attributes), sorted(r["context"]["tenant"] for r in records if "tenant" in r.get("context", {})))
        with open(self.converted("rowbinary"), "rb") as file:
            self.assertEqual(file.read().count(b'"context.user":'), sum("user" in r.get("context", {}) for r in records))

    def start_ready_consumer(self, *arguments):
        consumer = self.bed.start_consumer(*arguments)
        wait_until(lambda: "watching" in consumer.stderr() or not consumer.running(), "consumerd to be ready")
        return consumer

    def check_session(self, output, wanted):
        """That the session has exactly the records of the main trace that are wanted, each with its context."""
        def shown(records):
            return sorted(json.dumps([r["thread"]["id"], r["fields"], r.get("context")]) for r in records)
        main = self.records(where=glob.glob(os.path.join(self.bed.output_dir, "*.ringtrace")))
        expected = shown(filter(wanted, main))
        self.assertGreater(len(expected), 20)
        self.assertLess(len(expected), len(main))
        self.assertEqual(shown(self.records(where=output)), expected)
        return expected

    def test_a_session_takes_the_records_of_a_user(self):
        consumer = self.start_ready_consumer()
        of_user = self.bed.start_session("of-user", "--where", "user == 7 || user == 8")
        ok = self.bed.start_session("ok", "--where", "ok && number > 100")
        service = self.start(3, 6000)
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.check_session(of_user, lambda r: r.get("context", {}).get("user") in (7, 8))
        self.check_session(ok, lambda r: r.get("context", {}).get("ok") and r["fields"]["number"] > 100)

    def test_a_session_knows_the_contexts_after_killed_consumers(self):
        consumer = self.start_ready_consumer()
        # Statements of random tenants: most batches begin in a context.
        output = self.bed.start_session("long", "--where", "tenant =~ '^[a-m]'")
        service = self.start(2, 0, ring_bytes=1 << 14)
        for _ in range(ROUNDS):
            time.sleep(self.dice.uniform(0, 0.1))
            consumer.kill()
            consumer = self.bed.start_consumer()
        service.kill()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.check_session(output, lambda r: "a" <= r.get("context", {}).get("tenant", "z") <= "mz")

    def test_sessions_and_triggers_compare_values_that_rules_hide(self):
        consumer = self.start_ready_consumer("--config", self.rules(
            '[[redact]]\nfield = "tenant"\n[[trigger]]\nname = "seven"\nwhere = "user == 7 && tenant =~ \'^[a-m]\'"\n'
            'level = "debug"\nlevel-for = "1s"\n'))
        output = self.bed.start_session("some", "--where", "tenant =~ '^[a-m]'")
        service = self.start(3, 6000)
        self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertIn("trigger seven: contexts", consumer.stderr())

        def expected_tenant(record):
            return next((pair[7:] for pair in record["fields"]["expected"].split(";") if pair.startswith("tenant=")), "z")

        self.check_session(output, lambda r: "a" <= expected_tenant(r) <= "mz")
        self.assertEqual({r["context"]["tenant"] for r in self.records(where=output)}, {"***"})

    def test_a_trigger_fires_in_a_context(self):
        said = os.path.join(self.bed.work_dir, "said")
        hook = json.dumps(["sh", "-c", 'printf %s "$RINGSIDE_MESSAGE" > $0.new; mv $0.new $0', said])
        for overflow in ("block", "overwrite"):
            with TestBed() as bed:
                self.bed = bed
                consumer = self.start_ready_consumer("--config", self.rules(
                    f'[[trigger]]\nname = "seven"\nwhere = "user == 7 && number >= 3"\nhook = {hook}\n'
                    '[[trigger]]\nname = "never"\nwhere = "user == 100"\nsnapshot = true\n'))
                service = self.start(3, 0, overflow=overflow, ring_bytes=1 << 20)
                wait_until(lambda: os.path.exists(said), f"the hook, with {overflow}")
                service.kill()
                bed.stop_consumer(consumer)
                with open(said, encoding="utf-8") as file:
                    message = file.read()
                os.remove(said)
                self.assertIn("user=7;", message)
                self.assertNotIn("trigger never", consumer.stderr())

    def test_text_shows_them(self):
        self.trace(service=(1, 1, "fork"))
        lines = self.ringcat(self.bed.output_dir).splitlines()
        self.assertTrue(all(line.endswith((" user=1 tenant=parent", " user=2 tenant=parent")) for line in lines), lines)
        for line in self.ringcat("--format", "logfmt", self.bed.output_dir).splitlines():
            self.assertRegex(line, r" context\.user=[12] context\.tenant=parent$")

    def test_consumers_hide_their_values(self):
        self.trace("--config", self.rules('[[redact]]\nfield = "tenant"\n'), service=(2, 5000))
        tenants = [record["context"]["tenant"] for record in self.records() if "tenant" in record.get("context", {})]
        self.assertGreater(len(tenants), 1000)
        self.assertEqual(set(tenants), {"***"})

    def test_rules_that_leave_records_out_leave_contexts(self):
        self.trace("--config", self.rules('[[sample]]\nsite = "*"\nkeep-one-in = 10\n'), service=(2, 10000))
        some, all_of_them = self.check()
        self.assertLess(all_of_them, 10000)
        self.assertGreater(some, all_of_them // 2)

    def test_threads_in_the_same_context_keep_it_after_killed_consumers(self):
        service = self.start(1, 100, "same")
        for _ in range(2 * ROUNDS):
            consumer = self.bed.start_consumer()
            time.sleep(self.dice.uniform(0.05, 0.3))
            consumer.kill()
        service.kill()
        self.bed.run_consumer_once()
        some, all_of_them = self.check()
        self.assertGreater(some, 300)
        self.assertEqual(some, all_of_them)

    def tenants(self, where=None):
        """Of all records; none as long as ringcat finds no readable trace."""
        done = subprocess.run([program("ringcat"), "--format", "json", where or self.bed.output_dir], capture_output=True,
                              timeout=BOUND_S, check=False, text=True)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return [record["context"]["tenant"] for record in records if record["kind"] == "record"]

    def newest_tenant(self, where=None):
        return (self.tenants(where) or [None])[-1]

    def wait_for_more(self, where=None):
        before = len(self.tenants(where))
        wait_until(lambda: len(self.tenants(where)) > before + 50, "further records")

    def test_a_new_rule_hides_the_context_in_force(self):
        rules = self.rules("")
        consumer = self.start_ready_consumer("--config", rules)
        output = self.bed.start_session("some")
        main = self.bed.output_dir
        service = self.start(1, 0, "same")
        wait_until(lambda: self.tenants(output), "records")
        self.rules('[[redact]]\nfield = "tenant"\n')
        consumer.send(signal.SIGHUP)
        wait_until(lambda: self.newest_tenant(main) == self.newest_tenant(output) == "***", "the rule to be in force")
        for _ in range(2):
            self.wait_for_more(main)
            consumer.kill()
            consumer = self.bed.start_consumer("--config", rules)
        self.wait_for_more(output)
        service.kill()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        for where in (main, output):
            tenants = self.tenants(where)
            self.assertEqual(tenants, sorted(tenants, key=lambda tenant: tenant == "***"), where)
            self.assertEqual(set(tenants), {"acme", "***"}, where)

    def test_a_killed_consumer_s_rule_is_not_needed_to_hide_the_context_in_force(self):
        consumer = self.start_ready_consumer()
        service = self.start(1, 0, "same")
        wait_until(self.tenants, "records")
        consumer.kill()
        consumer = self.bed.start_consumer("--config", self.rules('[[redact]]\nfield = "tenant"\n'))
        wait_until(lambda: self.newest_tenant() == "***", "the rule to be in force")
        service.kill()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
