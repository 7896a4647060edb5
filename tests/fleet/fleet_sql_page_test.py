#!/usr/bin/env python3
"""Each query of docs/how-to/fleet-sql.md is run by both versions of ClickHouse, over what real services recorded and ringship
and ringsink carried there. The expected answers are computed from what ringcat prints of the originals.

usage: fleet_sql_page_test.py SOURCE_ROOT"""

import collections
import glob
import itertools
import json
import os
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from clickhouse_fleet import ClickHouseFleet, events_of, losses_of, records_of  # noqa: E402
from running_clickhouse import NO_CURRENT_SERVER, NO_OLD_SERVER  # noqa: E402
from told_service import ToldService  # noqa: E402
from traced_processes import BOUND_S, TestBed, program  # noqa: E402

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
ERRORS = ("ERROR", "CRITICAL")
MINUTE_NS = 60_000_000_000


def source_root():
    return os.environ["RINGSIDE_TEST_SOURCE"]


def page_queries():
    """Queries by the heading before them; a second one of a heading has the suffix 2."""
    with open(os.path.join(source_root(), "docs/how-to/fleet-sql.md"), encoding="utf-8") as file:
        text = file.read()
    queries = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading = section.split("\n", 1)[0]
        for number, query in enumerate(re.findall(r"```sql\n(.*?)```", section, re.DOTALL), 1):
            queries[heading if number == 1 else f"{heading} {number}"] = query.strip()
    return queries


def page_commands(fleet):
    """The commands of the page, for the servers of the fleet."""
    with open(os.path.join(source_root(), "docs/how-to/fleet-sql.md"), encoding="utf-8") as file:
        (block,) = re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)
    for line in block.splitlines():
        name, *words = line.split()
        yield [program(name), *(word.replace("nats://127.0.0.1:4222", fleet.url)
                                .replace("http://127.0.0.1:8123", fleet.clickhouse.url) for word in words)]


def dashboard():
    with open(os.path.join(source_root(), "packaging/monitoring/ringside_fleet_dashboard.json"), encoding="utf-8") as file:
        return json.load(file)


def other_host(path):
    """A trace of another host, of which ringship sends what it finds."""
    now_ns = int(time.time()) * 10**9
    lines = [json.dumps({"kind": "record", "unix_ns": now_ns + 1000 * n, "service": "elsewhere", "pid": 7, "host": "host2",
                         "thread": {"id": 3, "name": "main"}, "sequence": n, "name": "work", "site_kind": "span",
                         "duration_ns": 1000 * (n + 1), "level": "INFO", "category": "", "file": "work.cpp", "line": 7,
                         "function": "work", "msg": "", "fields": {"depth": n % 5}})
             for n in range(500)]
    done = subprocess.run([program("ringcat"), "--from", "ndjson", "--to", "ringtrace", "-o", path, "-"],
                          input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, done.stderr


def record_traces(bed):
    """What services of several kinds record on this host: errors, spans, an activity and losses of two causes."""
    consumer = bed.start_consumer("--rotate-bytes", "64K")
    desk = ToldService(bed, "steered_service", service="desk")
    for number in range(20):
        desk.tell(f"tick {number}")
        if number % 3 == 0:
            desk.tell(f"rare {number}")
    spans = bed.start_service("3", "400", which="spanned_service", service="spans")
    assert spans.wait() == 0, spans.stderr()
    for _ in range(3):
        request = bed.start_service(f"00-{TRACE_ID}-b7ad6b7169203331-01", which="traced_request", service="gate")
        assert request.wait() == 0, request.stderr()
    load = bed.start_service("--threads", 1, "--records", 60_000, service="bulk")
    assert load.wait() == 0, load.stderr()
    desk.end()
    bed.wait_until_segments_are_gone()
    bed.stop_consumer(consumer)
    # Its ring overflows without a consumer.
    silent = bed.start_service("--records", 20_000, overflow="drop", ring_bytes=1 << 16, service="silent")
    assert silent.wait() == 0, silent.stderr()
    bed.run_consumer_once()
    # A file that was lost before it was shipped.
    files = sorted(glob.glob(os.path.join(bed.output_dir, "bulk.*.ringtrace*")))
    assert len(files) > 3, files
    os.remove(files[len(files) // 2])
    other_host(os.path.join(bed.output_dir, "elsewhere.7.ringtrace"))


class Expected:
    """The answers, by heading."""

    def __init__(self, events):
        self.records, self.losses = records_of(events), losses_of(events)
        self.work = [record for record in self.records if record.get("name") == "work"]

    def errors_per_minute_and_service(self):
        counts = collections.Counter((record["unix_ns"] // MINUTE_NS * 60, record["service"])
                                     for record in self.records if record["level"] in ERRORS)
        return [(minute, service, count) for (minute, service), count in sorted(counts.items())]

    def of_work(self, key):
        groups = collections.defaultdict(list)
        for record in self.work:
            groups[record[key]].append(record)
        return sorted(groups.items())

    def percentile_per_host(self):
        return [(host, len(spans), sorted(span["duration_ns"] for span in spans)[int(0.99 * len(spans))])
                for host, spans in self.of_work("host")]

    def trace(self):
        return [(record["unix_ns"], record["service"], record["level"], record.get("name", ""), record["msg"],
                 record.get("duration_ns"))
                for record in self.records if record.get("activity") == TRACE_ID]

    def losses_by_cause(self):
        counts = collections.Counter()
        for loss in self.losses:
            counts[loss["cause"], loss["service"]] += loss["count"]
        return [(cause, service, count) for (cause, service), count in sorted(counts.items())]

    def places(self):
        counts = collections.Counter()
        for record in self.records:
            counts[record["file"], record["line"]] += 1
        return counts

    def deepest(self):
        return [(service, len(spans), max(span["fields"]["depth"] for span in spans)) for service, spans in self.of_work("service")]

    def latest(self):
        groups = collections.defaultdict(list)
        for record in self.records:
            groups[record["host"], record["service"]].append(record["unix_ns"])
        return [(*names, len(times), max(times)) for names, times in sorted(groups.items())]


class Page:
    IS_OLD = None

    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        cls.fleet = ClickHouseFleet(cls.bed, cls.IS_OLD)
        cls.addClassCleanup(cls.fleet.close)
        record_traces(cls.bed)
        cls.expected = Expected(events_of(cls.bed.output_dir, may_miss=True))
        cls.fleet.ship_rest()
        init, sink = page_commands(cls.fleet)
        done = subprocess.run(init, capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done
        sink = cls.bed.start([*sink, "--until-idle-s", "5"])
        assert sink.wait() == 0, sink.stderr()
        cls.said = sink.stderr()
        cls.queries = page_queries()
        cls.asked = set()

    def rows(self, heading, *columns):
        self.asked.add(heading)
        return [tuple(row[column] for column in columns) for row in self.fleet.clickhouse.objects(self.queries[heading])]

    @staticmethod
    def with_numbers(rows, *places):
        return [tuple(int(value) if place in places and value is not None else value for place, value in enumerate(row))
                for row in rows]

    def seconds(self, text):
        (answer,) = self.fleet.clickhouse.rows(f"SELECT toUnixTimestamp(toDateTime('{text}', 'UTC'))")
        return int(answer[0])

    def test_no_message_is_refused(self):
        self.assertNotIn("refused:", self.said)
        self.assertIn(" 0 messages refused", self.said)

    def test_a_record_with_two_times_is_counted_once(self):
        init = self.fleet.init("--clickhouse-database", "snapshots")
        self.assertEqual((init.returncode, init.stderr), (0, ""))
        time_column = "time_ns" if self.IS_OLD else "time"
        later = "time_ns + 7" if self.IS_OLD else "time + toIntervalNanosecond(7)"
        names = "tenant, service, host, segment, stream, sequence"
        for moment in (time_column, later):
            self.fleet.clickhouse.query(f"INSERT INTO snapshots.records ({time_column}, {names}) "
                                        f"SELECT {moment}, {names} FROM records WHERE service = 'spans' LIMIT 1 BY segment, stream, sequence")
        expected = sum(record["service"] == "spans" for record in self.expected.records)
        self.assertEqual(self.fleet.clickhouse.rows("SELECT count() FROM snapshots.records FINAL"), [[str(2 * expected)]])
        query = self.queries["Records of snapshots"]
        self.assertEqual(self.fleet.clickhouse.rows(query.replace("FROM records", "FROM snapshots.records")), [["spans", str(expected)]])

    def test_answers_are_those_of_the_originals(self):
        expected = self.expected
        self.assertGreater(len(expected.records), 20_000)
        errors = self.rows("Errors per minute and service", "minute", "service", "errors")
        self.assertEqual([(self.seconds(minute), service, int(count)) for minute, service, count in errors],
                         expected.errors_per_minute_and_service())
        self.assertTrue(errors)

        heading = "The 99th percentile of a span, per host"
        per_host = self.with_numbers(self.rows(heading, "host", "spans", "p99_ns"), 1, 2)
        self.assertEqual(per_host, expected.percentile_per_host())
        self.assertEqual(len(per_host), 2)
        about = self.with_numbers(self.rows(heading + " 2", "host", "spans", "percentiles_ns"), 1)
        self.assertEqual([row[:2] for row in about], [row[:2] for row in per_host])
        for (_, spans), (_, _, percentiles) in zip(expected.of_work("host"), about):
            durations = sorted(span["duration_ns"] for span in spans)
            for share, value in zip((0.5, 0.9, 0.99), percentiles):
                # A clock with long ticks makes many of them equal.
                lowest, highest = (sum(duration < value for duration in durations), sum(duration <= value for duration in durations))
                self.assertLessEqual(lowest / len(durations), share + 0.03)
                self.assertGreaterEqual(highest / len(durations), share - 0.03)

        trace = self.with_numbers(self.rows("Everything of one trace id", "time_ns", "service", "level", "name", "message",
                                            "duration_ns"), 0, 5)
        self.assertEqual(trace, expected.trace())
        self.assertEqual(len(trace), 3)

        losses = self.with_numbers(self.rows("Losses by cause", "cause", "service", "records"), 2)
        self.assertEqual(losses, expected.losses_by_cause())
        self.assertEqual({cause for cause, _, _ in losses}, {"missing", "no_consumer"})

        costs = self.with_numbers(self.rows("Cost per statement", "file", "line", "rows", "text_bytes", "statement"), 1, 2, 3)
        self.assertEqual(len(costs), 20)
        for file, line, rows, *_ in costs:
            self.assertEqual(expected.places()[file, line], rows)
        sizes = self.fleet.clickhouse.rows("SELECT statement, sum(length(message) + length(fields)) AS bytes FROM records FINAL "
                                           "GROUP BY statement ORDER BY bytes DESC, statement LIMIT 20")
        self.assertEqual([[str(cost[4]), str(cost[3])] for cost in costs], sizes)

        formats = self.rows("Cost per statement 2", "file", "line", "format", "arguments")
        self.assertEqual({(file, int(line)) for file, line, *_ in formats}, set(expected.places()))
        self.assertIn("order %d needs a rare repair", {row[2] for row in formats})
        self.assertTrue(all(isinstance(json.loads(row[3]), list) for row in formats))

        self.assertEqual(self.with_numbers(self.rows("Values of arguments", "service", "spans", "deepest"), 1, 2),
                         expected.deepest())
        self.assertEqual(self.with_numbers(self.rows("How far each host has come", "host", "service", "rows", "latest_ns"), 2, 3),
                         expected.latest())
        per_service = collections.Counter(record["service"] for record in expected.records)
        self.assertEqual(self.with_numbers(self.rows("Records of snapshots", "service", "rows"), 1), sorted(per_service.items()))
        self.assertEqual(self.asked, set(self.queries), "each query of the page is asked")

    def test_rows_have_what_ringcat_prints(self):
        rows = {}
        columns = ("time_ns, service, host, pid, thread_id, thread, sequence, level, kind, name, file, line, message, fields, "
                   "duration_ns, toString(activity) AS activity, toString(segment) AS segment")
        for row in self.fleet.clickhouse.objects(f"SELECT {columns} FROM records FINAL"):
            rows[int(row["time_ns"]), row["service"], int(row["thread_id"]), int(row["sequence"])] = row
        self.assertEqual(len(rows), len(self.expected.records), self.said)
        for record in self.expected.records:
            row = rows[record["unix_ns"], record["service"], record["thread"]["id"], record["sequence"]]
            for name in ("service", "host", "level", "file"):
                self.assertEqual(row[name], record.get(name, ""))
            self.assertEqual((int(row["pid"]), row["thread"], row["kind"]), (record["pid"], record["thread"]["name"], record.get("site_kind", "log")))
            self.assertEqual((row["name"], int(row["line"])), (record.get("name", ""), record["line"]))
            self.assertEqual((row["message"], json.loads(row["fields"])), (record["msg"], record["fields"]))
            self.assertEqual(row["duration_ns"] and int(row["duration_ns"]), record.get("duration_ns"))
            self.assertEqual(row["activity"].replace("-", ""), record.get("activity", "0" * 32))


    def test_the_dashboard_shows_it(self):
        """Each query of the dashboard has an answer, and those with a known total the right one."""
        def run(query):
            lists = {"service": "SELECT DISTINCT service FROM ringside.statement_minutes",
                     "host": "SELECT DISTINCT host FROM ringside.statement_minutes"}
            for name, source in lists.items():
                query = query.replace("${%s:singlequote}" % name, source)
            query = query.replace("$span", "work")
            begin, end = (f"toDateTime({int(time.time()) + seconds})" for seconds in (-3 * 3600, 3600))
            query = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 >= {begin} AND \1 <= {end}", query)
            self.assertNotIn("$", query)
            return self.fleet.clickhouse.objects(query)

        expected = self.expected
        totals = {"Records": len(expected.records),
                  "Errors": sum(record["level"] in ERRORS for record in expected.records),
                  "Lost records": sum(loss["count"] for loss in expected.losses),
                  "Hosts": 2,
                  "Records per minute by service": len(expected.records),
                  "Errors per minute by service": sum(record["level"] in ERRORS for record in expected.records),
                  "Lost records by cause": sum(loss["count"] for loss in expected.losses),
                  "Statements by their texts": len(expected.records)}
        for panel in dashboard()["panels"]:
            with self.subTest(panel["title"]):
                (target,) = panel["targets"]
                rows = run(target["rawSql"])
                self.assertTrue(rows)
                if panel["title"] in totals:
                    column = {"Hosts": "hosts", "Statements by their texts": "rows"}.get(panel["title"])
                    column = column or next(name for name in ("records", "errors", "lost") if name in rows[0])
                    self.assertEqual(sum(int(row[column]) for row in rows), totals.pop(panel["title"]))
        self.assertEqual(totals, {})
        for variable in dashboard()["templating"]["list"][1:]:
            self.assertTrue(run(variable["query"]), variable["name"])


class Dashboard(unittest.TestCase):
    def test_has_the_structure_that_grafana_requires(self):
        found = dashboard()
        self.assertGreaterEqual(found["schemaVersion"], 36)
        for name, kind in (("title", str), ("uid", str), ("panels", list), ("tags", list), ("version", int)):
            self.assertIsInstance(found[name], kind, name)
        self.assertNotIn("id", found)
        panels = found["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        source = {"type": "grafana-clickhouse-datasource", "uid": "${datasource}"}
        for panel in panels:
            place = panel["gridPos"]
            self.assertTrue(0 <= place["x"] and place["x"] + place["w"] <= 24 and place["h"] > 0, panel["title"])
            for asking in (panel, *panel["targets"]):
                self.assertEqual(asking["datasource"], source)
        for one, other in itertools.combinations([panel["gridPos"] for panel in panels], 2):
            self.assertFalse(one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
                             one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"], (one, other))
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(found)))
        self.assertEqual(used - {"__timeFilter", "__all"}, {variable["name"] for variable in found["templating"]["list"]})


@unittest.skipIf(NO_OLD_SERVER, NO_OLD_SERVER)
class OldClickHouse(Page, unittest.TestCase):
    IS_OLD = True


@unittest.skipIf(NO_CURRENT_SERVER, NO_CURRENT_SERVER)
class CurrentClickHouse(Page, unittest.TestCase):
    IS_OLD = False


if __name__ == "__main__":
    os.environ["RINGSIDE_TEST_SOURCE"] = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
