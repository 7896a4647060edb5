#!/usr/bin/env python3
"""Every record of a task names its task, whichever thread made it and however rings, files and consumers begin and end; and
viewers show a task as one track.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import collections
import glob
import json
import os
import unittest

import stated_contexts
from stated_contexts import SEED
from traced_processes import wait_until


def text_of(context):
    """As the service writes it."""
    return "".join(f"{name}={value};" for name, value in context.items())


class Tasks(stated_contexts.StatedContexts):
    PROGRAM = "task_service"
    SERVICE = "tasks"

    def check(self, *arguments, where=None, complete=False):
        """That each record has its task, and each task its order. Returns the records of tasks, and the number of all."""
        records = self.records(*arguments, where=where)
        tasks = collections.defaultdict(list)
        for record in records:
            note = f"{record}, RINGSIDE_TEST_SEED={SEED}"
            context, fields = record.get("context", {}), record["fields"]
            if "expected" in fields:
                self.assertEqual(text_of(context), fields["expected"], note)
            self.assertEqual(record.get("substream"), context.get("task.id"), note)
            self.assertEqual(fields["order"] != 0 or "number" not in fields, "task" in context, note)
            if "task" in context:
                tasks[record["pid"], context["task.id"]].append(record)
        for of_task in tasks.values():
            self.assertEqual(len({record["context"]["task"] for record in of_task}), 1)
            of_task.sort(key=lambda record: (record["context"]["task.step"], record["sequence"]))
            orders = [record["fields"]["order"] for record in of_task]
            if complete:
                # A span has the number of its end, which is that of its place in the order.
                self.assertEqual(orders, list(range(1, len(orders) + 1)), of_task)
            else:
                self.assertEqual(orders, sorted(orders), of_task)
        return tasks, len(records)

    def test_each_record_has_its_task(self):
        self.trace()
        tasks, count = self.check(complete=True)
        self.assertGreaterEqual(count, 3 * 3000)
        threads = [{record["thread"]["id"] for record in records} for records in tasks.values()]
        self.assertGreater(sum(len(ids) > 1 for ids in threads), 10)
        self.ringcat("verify", self.bed.output_dir)

    def test_also_in_any_order_with_any_threads_and_from_any_time(self):
        self.trace("--rotate-bytes", "50K")
        self.assertGreater(len(self.bed.traces()), 3)
        everything = self.records()
        for options in (["--unordered"], ["--threads", "1"], ["--threads", "3"]):
            self.assertEqual(self.check(*options, complete=True)[1], len(everything))
        middle = everything[len(everything) // 2]["time"]
        self.assertGreater(self.check("--since", middle)[1], 0)
        self.assertEqual(sum(self.check(where=path)[1] for path in self.bed.traces()), len(everything))

    def test_rewritten_and_packed_files_keep_them(self):
        self.trace(service=(2, 2000))
        before = self.records()
        (path,) = self.bed.traces()
        cut = os.path.join(self.bed.work_dir, "cut.ringtrace")
        self.ringcat("slice", "--since", before[len(before) // 2]["time"], "-o", cut, path)
        self.assertGreater(self.check(where=cut)[1], 300)
        self.ringcat("pack", path)
        self.assertEqual(self.records(), before)

    def test_a_child_continues_in_the_task_of_its_parent(self):
        self.trace(service=(1, 1, "fork"))
        tasks, count = self.check()
        self.assertEqual(count, 5)
        self.assertEqual(len(tasks), 4)

    def test_conditions_find_them(self):
        self.trace()
        everything = self.records()
        named = [r for r in everything if r.get("context", {}).get("task") == "work3"]
        self.assertGreater(len(named), 10)
        number = named[0]["substream"]
        of_one = [r for r in everything if r.get("substream") == number]
        for options in ([], ["--unordered"]):
            self.assertEqual(len(self.records("--where", "task == 'work3'", *options)), len(named))
            self.assertEqual(len(self.records("--where", f"substream == {number}", *options)), len(of_one))
        (counted,) = self.ringcat("agg", "record", "--where", f"substream == {number}", "--format", "json",
                                  self.bed.output_dir).splitlines()
        self.assertEqual(sum(row["count"] for row in json.loads(counted)["rows"]),
                         sum(record["name"] == "record" for record in of_one))

    def test_sessions_and_triggers_find_them_by_their_numbers(self):
        rules = os.path.join(self.bed.work_dir, "consumerd.toml")
        with open(rules, "w", encoding="utf-8") as file:
            file.write('[[trigger]]\nname = "later"\nwhere = "substream > 2"\nlevel = "debug"\nlevel-for = "1s"\n')
        consumer = self.bed.start_consumer("--config", rules)
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        output = self.bed.start_session("first", "--where", "substream < 40")
        started = self.start(3, 3000)
        self.assertEqual(started.wait(), 0, started.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        main = glob.glob(os.path.join(self.bed.output_dir, "*.ringtrace"))

        def shown(records):
            return sorted(json.dumps([record["substream"], record["fields"]]) for record in records)
        expected = shown(self.records("--where", "substream < 40", where=main))
        self.assertGreater(len(expected), 100)
        self.assertEqual(shown(self.records(where=output)), expected)
        self.assertIn("trigger later: tasks", consumer.stderr())

    def converted(self, form):
        path = os.path.join(self.bed.work_dir, "converted." + form)
        self.ringcat("--to", form, "-o", path, self.bed.output_dir)
        with open(path, "rb") as file:
            return file.read()

    def test_chrome_shows_each_as_one_row(self):
        self.trace(service=(3, 1500))
        tasks = self.check()[0]
        rows, names = collections.defaultdict(set), {}
        for event in json.loads(self.converted("chrome"))["traceEvents"]:
            facts = event.get("args", {}).get("ringside", {})
            if event["ph"] == "M" and event["name"] == "thread_name":
                names[event["tid"]] = event["args"]["name"]
            elif event["ph"] in "Xbi":
                rows[facts.get("substream")].add(event["tid"])
        threads = rows.pop(None)
        self.assertEqual(set(rows), {number for _, number in tasks})
        own_rows = [row for of_task in rows.values() for row in of_task]
        self.assertEqual(len(own_rows), len(set(own_rows)))
        self.assertTrue(threads.isdisjoint(own_rows))
        for number, of_task in rows.items():
            self.assertEqual(len(of_task), 1, number)
            (name,) = {record["context"]["task"] for (_, n), records in tasks.items() if n == number for record in records}
            self.assertEqual(names[next(iter(of_task))], f"{name} #{number}")

    def test_perfetto_shows_each_as_one_track(self):
        self.trace(service=(3, 1500))
        tasks = self.check()[0]
        self.converted("perfetto")
        tracks = collections.defaultdict(set)
        for record in self.records("--from", "perfetto", where=os.path.join(self.bed.work_dir, "converted.perfetto")):
            if "substream" in record:
                tracks[record["substream"]].add(record["thread"]["name"])
                self.assertIn("ringside.thread_id", record["fields"])
        self.assertEqual(tracks, {number: {f"{records[0]['context']['task']} #{number}"}
                                  for (_, number), records in tasks.items()})

    def test_speedscope_and_folded_stacks_have_each(self):
        self.trace(service=(3, 1500))
        spans = {(number, record["context"]["task"]) for (_, number), records in self.check()[0].items()
                 for record in records if record["name"] == "span"}
        profiles = {profile["name"].rpartition(" (")[0] for profile in json.loads(self.converted("speedscope"))["profiles"]}
        self.assertLessEqual({f"tasks {name} #{number}" for number, name in spans}, profiles)
        stacks = {line.split(b";")[1].decode() for line in self.converted("folded").splitlines()}
        self.assertLessEqual({name for _, name in spans}, stacks)

    def test_otlp_has_the_task_and_the_thread(self):
        self.trace(service=(3, 1500))
        tasks = self.check()[0]
        threads, names = collections.defaultdict(set), {}
        for line in self.converted("otlp").splitlines():
            document = json.loads(line)
            for resource in document.get("resourceSpans", []) + document.get("resourceLogs", []):
                for scope in resource.get("scopeSpans", []) + resource.get("scopeLogs", []):
                    for record in scope.get("spans", []) + scope.get("logRecords", []):
                        found = {a["key"]: a["value"] for a in record["attributes"]}
                        if "ringside.substream" in found:
                            number = int(found["ringside.substream"]["intValue"])
                            threads[number].add(int(found["thread.id"]["intValue"]))
                            names[number] = found["ringside.task"]["stringValue"]
        for (_, number), records in tasks.items():
            self.assertEqual(threads[number], {record["thread"]["id"] for record in records})
            self.assertEqual(names[number], records[0]["context"]["task"])


if __name__ == "__main__":
    print(f"RINGSIDE_TEST_SEED={SEED}", flush=True)
    unittest.main(verbosity=2)
