#!/usr/bin/env python3
"""Services, consumerd, ringship, a NATS server and two ringsinks that insert into ClickHouse, Debian's version and a current
one: the tables have exactly what ringcat prints of the originals, also after kills of all of them at random moments.

RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of kills."""

import json
import os
import random
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from clickhouse_fleet import COUNTED, TOTALS, ClickHouseFleet, events_of, records_of, ringsink, totals_of  # noqa: E402
from fleet_status_test import free_address, metrics_at, metrics_of_page  # noqa: E402
from nats_client import NatsClient  # noqa: E402
from running_clickhouse import NO_CURRENT_SERVER, NO_OLD_SERVER  # noqa: E402
from steady_load import Load  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

ROUNDS = int(os.environ.get("RINGSIDE_TEST_ROUNDS", "10"))
SEGMENT = "00000000-0000-0000-0000-000000000001"
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 32)))


class Sink:
    IS_OLD = None

    def setUp(self):
        self.dice = random.Random(f"{SEED} {self.id()}")
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = ClickHouseFleet(self.bed, self.IS_OLD)
        self.addCleanup(self.fleet.close)

    def query(self, text):
        return self.fleet.clickhouse.query(text).strip()

    def wait_for_first_rows(self):
        wait_until(lambda: self.query("SELECT count() FROM records") != "0", "the first row")

    def check_totals(self):
        records = records_of(events_of(self.bed.output_dir))
        self.assertGreater(len(records), 0)
        expected = totals_of(records)
        said = self.fleet.insert_rest(lambda: self.fleet.clickhouse.rows(TOTALS)[0] == expected)
        self.assertEqual(self.fleet.clickhouse.rows(TOTALS)[0], expected, f"RINGSIDE_TEST_SEED={SEED}: {said}")
        self.assertEqual(self.query(COUNTED), expected[0], f"RINGSIDE_TEST_SEED={SEED}")
        self.assertEqual(self.query("SELECT count() FROM gaps"), "0")
        return records

    def run_loads(self, seconds):
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        loads = [Load(self.bed, first, 2, "--burst", 50, "--pause-us", 5000) for first in (0, 2)]
        self.fleet.start_shipper()
        self.fleet.start_sink()
        self.wait_for_first_rows()
        seconds()
        for load in loads:
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.fleet.stop()
        self.fleet.ship_rest()

    def test_kills_lose_and_repeat_no_row(self):
        def kill_some():
            for _ in range(ROUNDS):
                time.sleep(self.dice.random() * 0.5)
                self.fleet.kill(self.dice.choice(["shipper", "sink", "server", "clickhouse"]))

        self.run_loads(kill_some)
        self.check_totals()

    def test_everything_that_is_sent_again_is_kept_once(self):
        self.run_loads(lambda: time.sleep(0.5))
        self.check_totals()
        before = self.query("SELECT count() FROM extents FINAL")
        # A new shipper without a cursor, and a new consumer: all messages, and all again with other boundaries.
        self.fleet.state += ".new"
        self.fleet.ship_rest()
        done = ringsink(*self.fleet.sink_command()[1:], "--consumer", "other", "--until-idle-s", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(" 0 of them again", done.stderr)
        self.check_totals()
        self.assertEqual(self.query("SELECT count() FROM extents FINAL"), before)


    def test_snapshots_count_nothing_twice(self):
        def ask():
            done = subprocess.run([program("ringctl"), "fleet", "snapshot", "--server", self.fleet.url, "--json", "--since=-1h"],
                                  capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertGreater(sum(json.loads(line)["records"] for line in done.stdout.splitlines()), 0)

        self.run_loads(ask)
        self.check_totals()
        self.assertNotEqual(self.query("SELECT count() FROM extents WHERE snapshot"), "0")

    def test_servers_are_waited_for(self):
        self.run_once()
        self.fleet.server.kill()
        self.bed.processes.remove(self.fleet.server)
        self.fleet.clickhouse.kill()
        sink = self.bed.start(self.fleet.sink_command())
        wait_until(lambda: "that the server is running" in sink.stderr() or not sink.running(), "the first failure")
        self.assertTrue(self.fleet.clickhouse.start(), self.fleet.clickhouse.log())
        wait_until(lambda: sink.stderr().count("\n") > 1 or not sink.running(), "the second failure")
        self.fleet.start_server()
        wait_until(lambda: self.query("SELECT count() FROM records") == "500" or not sink.running(), "the rows")
        self.assertTrue(sink.running(), sink.stderr())

    def test_metrics_are_those_of_the_page(self):
        self.run_once()
        address = free_address()
        self.bed.start(self.fleet.sink_command("--metrics", address))
        found = wait_until(lambda: (metrics_at(address) or {}).get("ringside_sink_messages_total") and metrics_at(address), "inserted messages")
        self.assertEqual(set(found), metrics_of_page("ringsink", without="output"))
        self.assertEqual((found["ringside_sink_connected"], found["ringside_sink_records_total"], found["ringside_sink_refused_messages_total"]),
                         (1, 500, 0))
        self.assertGreater(found["ringside_sink_batches_total"], 0)

    def run_once(self, *arguments):
        """One service, shipped."""
        service = self.bed.start_service("--records", 500, *arguments)
        self.assertEqual(service.wait(), 0)
        self.bed.run_consumer_once()
        self.fleet.ship_rest()

    def test_refused_messages_are_dead_letters(self):
        self.run_once()
        client = NatsClient(self.fleet.port)
        self.addCleanup(client.close)
        subject, _, good = client.stored("RS_EXTENTS", 1)
        damaged = bytes([*good[:200], good[200] ^ 1, *good[201:]])
        bad = [("rs.ext.acme.host9.desk." + 32 * "a", b"nonsense", "it is not an extent message", "rs.dead.acme.host9"),
               (subject, damaged, "", "rs.dead." + ".".join(subject.split(".")[2:4])),
               (subject[:-1] + ("0" if subject[-1] != "0" else "1"), good, "its subject is that of another segment", None)]
        numbers = [client.store(to, payload) for to, payload, *_ in bad]
        said = self.fleet.insert_rest()
        self.assertIn("3 messages refused", said)
        letters = {}
        for number in range(1, 4):
            where, headers, payload = client.stored("RS_DEAD", number)
            letters[int(headers["Ringside-Sequence"])] = (where, headers, payload)
        for number, (to, payload, reason, where) in zip(numbers, bad):
            stored = letters[number]
            self.assertEqual((stored[1]["Ringside-Subject"], stored[2]), (to, payload))
            self.assertTrue(stored[1]["Ringside-Reason"])
            self.assertIn(reason, stored[1]["Ringside-Reason"])
            self.assertEqual(stored[0], where or stored[0])
        self.check_totals()
        # They do not come again: not to this consumer, and not as letters of a sink that keeps files.
        self.assertIn("0 messages refused", self.fleet.insert_rest())
        done = ringsink("--server", self.fleet.url, "--output", self.fleet.sunk, "--until-idle-s", "2")
        self.assertIn("3 messages refused", done.stderr)
        self.assertIsNone(client.stored("RS_DEAD", 4))

    def test_a_message_without_its_dictionary_waits_and_is_then_a_dead_letter(self):
        self.run_once()
        client = NatsClient(self.fleet.port)
        self.addCleanup(client.close)
        client.request("$JS.API.STREAM.PURGE.KV_rs_dictionaries", b"")
        sink = self.bed.start(self.fleet.sink_command("--until-idle-s", "3"))
        self.assertEqual(sink.wait(), 0)
        self.assertIn(" 0 messages refused", sink.stderr())
        self.assertIsNone(client.stored("RS_DEAD", 1))
        sink = self.bed.start(self.fleet.sink_command("--until-idle-s", "6", "--dictionary-patience-s", "1"))
        self.assertEqual(sink.wait(), 0)
        self.assertIn("a part of its dictionary is missing", client.stored("RS_DEAD", 1)[1]["Ringside-Reason"])
        self.assertEqual(self.query("SELECT count() FROM records"), "0")

    def test_an_older_schema_is_brought_to_the_present_one(self):
        self.run_once()
        self.check_totals()
        there = ["--clickhouse-database", "older"]
        self.assertEqual(self.fleet.init(*there, "--schema", "1").returncode, 0)
        for table in ("records", "losses", "extents", "statements"):
            self.query(f"INSERT INTO older.{table} SELECT * FROM ringside.{table}")
        refused = ringsink(*self.fleet.sink_command(*there)[1:])
        self.assertEqual(refused.returncode, 3)
        self.assertIn("the database has schema 1, and this program needs 3: run 'ringsink init'", refused.stderr)
        for _ in range(2):
            done = self.fleet.init(*there)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        everything = ("SELECT minute, service, host, level, file, line, statement, records, bytes FROM {}.statement_minutes FINAL "
                      "ORDER BY minute, statement, extent, stream")
        self.assertEqual(self.query(everything.format("older")), self.query(everything.format("ringside")))
        # Its views count what comes from now on, and what comes again once.
        done = ringsink(*self.fleet.sink_command(*there, "--consumer", "other", "--until-idle-s", "2")[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.query(everything.format("older")), self.query(everything.format("ringside")))
        totals = [self.query(TOTALS.replace("FROM records", f"FROM {name}.records")) for name in ("older", "ringside")]
        self.assertEqual(totals[0], totals[1])

    def test_a_newer_schema_is_left_alone(self):
        self.query("INSERT INTO schema_versions (version) VALUES (99)")
        done = self.fleet.init()
        self.assertEqual(done.returncode, 3)
        self.assertIn("has schema 99, and this program knows 3; use a newer ringsink", done.stderr)
        done = ringsink(*self.fleet.sink_command()[1:])
        self.assertEqual(done.returncode, 3)
        self.assertIn("use a newer ringsink", done.stderr)

    def test_errors_state_the_remedy(self):
        address = ["--clickhouse", self.fleet.clickhouse.url]
        without_tables = ringsink("--server", self.fleet.url, *address, "--clickhouse-database", "nothing")
        self.assertEqual(without_tables.returncode, 3)
        self.assertIn("create the tables with 'ringsink init'", without_tables.stderr)
        nobody = ringsink("init", "--clickhouse", "http://127.0.0.1:1")
        self.assertEqual(nobody.returncode, 3)
        self.assertIn("that the server is running", nobody.stderr)
        for arguments in (["--clickhouse", "nowhere"], [*address, "--clickhouse-database", "a-b"],
                          [*address, "--clickhouse-password-file", "/nonexistent"]):
            done = ringsink("init", *arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        for arguments in ([], ["--output", "x", *address], ["init", "--output", "x"], [*address, "--take-over"],
                          ["init", *address, "--keep-days", "-1"], ["init", *address, "--keep-days", "10001"]):
            done = ringsink(*arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def insert_ranges(self, *ranges):
        """Of (stream, first, next, second, subset, snapshot)."""
        column, time_of = ("time_ns", "{}000000000") if self.IS_OLD else ("time", "toDateTime64({}, 9, 'UTC')")
        rows = ", ".join(f"({time_of.format(second)}, 'acme', 'desk', 'host1', toUUID('{SEGMENT}'), {stream}, {first}, {after}, {subset}, {snapshot})"
                         for stream, first, after, second, subset, snapshot in ranges)
        self.query(f"INSERT INTO extents ({column}, tenant, service, host, segment, stream, first, next, subset, snapshot) VALUES {rows}")

    def gaps(self):
        return self.fleet.clickhouse.rows("SELECT stream, sequence, lost, intDiv(time_ns, 1000000000), cause FROM gaps ORDER BY stream, sequence")

    def test_gaps_are_the_numbers_that_no_range_has(self):
        for ranges in ([(1, 30, 40, 1003, 0, 0), (1, 0, 10, 1001, 0, 0)], [(1, 10, 20, 1002, 0, 0)],
                       # Within others, beside others, stored twice.
                       [(2, 0, 100, 1001, 0, 0), (2, 10, 20, 1001, 0, 0), (2, 50, 60, 1001, 0, 0), (2, 100, 110, 1002, 0, 0)],
                       # The same numbers, cut otherwise.
                       [(3, 0, 10, 1001, 0, 0), (3, 10, 20, 1001, 0, 0)], [(3, 0, 5, 1001, 0, 0), (3, 5, 15, 1001, 0, 0)],
                       # Positions of sequence points have no numbers.
                       [(4, 0, 10, 1001, 0, 0), (4, 10, 10, 1002, 0, 0), (4, 15, 15, 1004, 0, 0)],
                       # What was not selected is in a range of its own: a gap after a subset is a loss.
                       [(5, 0, 10, 1001, 1, 0), (5, 12, 20, 1002, 0, 0), (5, 21, 30, 1003, 1, 0)]):
            self.insert_ranges(*ranges)
        self.insert_ranges((2, 50, 60, 1001, 0, 0))
        self.assertEqual(self.gaps(), [["1", "20", "10", "1003", "missing"], ["4", "10", "5", "1004", "missing"],
                                       ["5", "10", "2", "1002", "missing"], ["5", "20", "1", "1003", "missing"]])
        self.assertEqual(self.query("SELECT sum(lost) FROM all_losses"), "18")

    def test_snapshots_fill_gaps_and_show_none(self):
        self.insert_ranges((1, 0, 10, 1001, 0, 0), (1, 20, 30, 1003, 0, 0), (1, 12, 15, 1002, 1, 1),
                           # The same range in both ways.
                           (2, 5, 10, 1001, 0, 0), (2, 5, 10, 1001, 0, 1), (2, 20, 30, 1003, 0, 1), (2, 0, 2, 1003, 0, 1),
                           # Nothing else is sent.
                           (3, 0, 10, 1001, 1, 1), (3, 50, 60, 1002, 1, 1))
        self.query("OPTIMIZE TABLE extents FINAL")
        self.assertEqual(self.gaps(), [["1", "10", "2", "1002", "missing"], ["1", "15", "5", "1003", "missing"]])

    def test_old_rows_are_removed(self):
        time_column = "time_ns" if self.IS_OLD else "time"
        for days in (1, 40):
            then = int(time.time()) - days * 86_400
            value = then * 10**9 if self.IS_OLD else f"fromUnixTimestamp64Nano(toInt64({then * 10**9}), 'UTC')"
            self.query(f"INSERT INTO records ({time_column}, service, sequence) SELECT {value}, 'desk', {days}")
        done = self.fleet.init("--keep-days", "30")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

        def kept():
            if not self.IS_OLD:
                self.query("OPTIMIZE TABLE records FINAL")
            return self.query("SELECT groupArray(sequence) FROM records")

        wait_until(lambda: kept() == "[1]", "the old row to be removed")


@unittest.skipIf(NO_OLD_SERVER, NO_OLD_SERVER)
class OldClickHouse(Sink, unittest.TestCase):
    IS_OLD = True


@unittest.skipIf(NO_CURRENT_SERVER, NO_CURRENT_SERVER)
class CurrentClickHouse(Sink, unittest.TestCase):
    IS_OLD = False


if __name__ == "__main__":
    unittest.main(verbosity=2)
