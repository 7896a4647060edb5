#!/usr/bin/env python3
"""`ringcat report` as a command: where its output goes, what it refuses to replace, its progress, and what the data says of filters,
importers and losses."""

import json
import os
import pty
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))

from traced_processes import BOUND_S, TestBed, program

OK, USAGE = 0, 2
BEGIN = 1_760_000_000_000_000_000
TITLE = b"<!DOCTYPE html>"
MANY_RECORDS = 40_000
PIPE_BYTES = 1 << 20  # as much as any pipe holds


def ringcat(*arguments, status=OK, **how):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, timeout=BOUND_S, check=False, **how)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout, done.stderr.decode()


def record(at, level="INFO", thread=1, **more):
    return {"kind": "record", "unix_ns": BEGIN + at, "level": level, "service": "s", "pid": 1, "host": "h", "thread": {"id": thread, "name": "t"},
            "category": "orders", "file": "a.cpp", "line": 1, "function": "f", "name": "m", "msg": "m", "fields": {"at": at}, **more}


def loss(at, since, count=3, thread=1, cause="ring_full"):
    return {"kind": "loss", "unix_ns": BEGIN + at, "since_unix_ns": BEGIN + since, "count": count, "cause": cause, "sequence": 1, "service": "s", "pid": 1,
            "host": "h", "thread": {"id": thread, "name": "t"}}


def read_until_closed(terminal, output):
    while True:
        try:
            output.append(os.read(terminal, 1 << 16))
        except OSError:  # the other end is closed
            return


def content(path):
    with open(path, "rb") as file:
        return file.read()


class ReportCommand(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def path(self, name):
        return os.path.join(self.bed.work_dir, name)

    def lines(self, name, lines):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return self.path(name)

    def trace(self, name, count=3):
        """A file of Ringside."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        ringcat("--to", "ringtrace", "-o", self.path(name), self.lines("lines.ndjson", map(record, range(count))))
        return self.path(name)

    def document(self, *arguments):
        return json.loads(ringcat("report", "--json", *arguments)[0])


class Output(ReportCommand):
    def test_a_dash_is_standard_output(self):
        path = self.trace("t/a.ringtrace")
        page = ringcat("report", "-o", "-", path, cwd=self.bed.work_dir)[0]
        self.assertTrue(page.startswith(TITLE), page[:100])
        self.assertEqual(page, ringcat("report", path)[0])
        self.assertFalse(os.path.exists(self.path("-")))
        self.assertEqual(json.loads(ringcat("report", "--json", "-o", "-", path)[0])["summary"]["records"], 3)

    def test_an_input_is_not_replaced(self):
        path, other = self.trace("t/a.ringtrace"), self.trace("u/b.ringtrace")
        packed = self.trace("p/c.ringtrace")
        ringcat("pack", packed)
        packed += ".zst"
        os.symlink(path, self.path("link"))
        os.link(path, self.path("second-name"))
        ctf = self.path("ctf")
        ringcat("--to", "ctf", "-o", ctf, path)
        foreign = self.lines("foreign.ndjson", [record(0)])
        before = {name: content(name) for name in (path, other, packed, foreign, os.path.join(ctf, "metadata"))}
        for output, *inputs in ((path, path), (path, os.path.dirname(path)), (path, self.path("t/../t")), (self.path("link"), path), (path, self.path("link")),
                                (self.path("second-name"), path), (packed, packed), (packed, os.path.dirname(packed)), (foreign, foreign),
                                (other, path, "--against", other), (other, path, "--against", os.path.dirname(other)), (os.path.join(ctf, "metadata"), ctf)):
            for command in (("report",), ("report", "--json")):
                with self.subTest(output=output, inputs=inputs, command=command):
                    _, said = ringcat(*command, "-o", output, *inputs, status=USAGE)
                    self.assertIn(f"{output}: is an input (", said)
                    self.assertIn("use another name", said)
        for command in (("--to", "csv"), ("slice",), ("merge",)):
            for inputs in ((path,), (os.path.dirname(path),)):
                with self.subTest(command=command, inputs=inputs):
                    self.assertIn("is an input", ringcat(*command, "--force", "-o", path, *inputs, status=USAGE)[1])
        self.assertIn("is an input", ringcat("repair", "--force", path, path, status=USAGE)[1])
        self.assertEqual({name: content(name) for name in before}, before)

    def test_a_former_page_in_the_directory_of_the_trace_is_replaced(self):
        directory = os.path.dirname(self.trace("t/a.ringtrace"))
        for name in ("report.html", "data.json"):
            for _ in range(2):
                ringcat("report", "-o", os.path.join(directory, name), directory)
            self.assertGreater(os.path.getsize(os.path.join(directory, name)), 100_000)


class Progress(ReportCommand):
    def shown(self, *command, output_is_terminal):
        """What a command shows on its terminal. It reads a file and standard input, which ends after more than a second."""
        path = self.path("many.ringtrace")
        data = content(path if os.path.exists(path) else self.trace("many.ringtrace", MANY_RECORDS))
        output = []
        ours, theirs = pty.openpty()
        with subprocess.Popen([program("ringcat"), *command, path, "-"], stdin=subprocess.PIPE,
                              stdout=theirs if output_is_terminal else subprocess.DEVNULL, stderr=theirs) as process:
            os.close(theirs)
            reading = threading.Thread(target=read_until_closed, args=(ours, output))
            reading.start()
            process.stdin.write(data * (2 * PIPE_BYTES // len(data) + 1))
            process.stdin.flush()
            time.sleep(1.2)
            process.stdin.close()
            status = process.wait(BOUND_S)
            reading.join(BOUND_S)
        os.close(ours)
        self.assertEqual(status, OK, b"".join(output)[-1000:])
        return b"".join(output)

    def test_a_bar_shows_also_if_standard_output_is_a_terminal(self):
        for is_terminal in (True, False):
            with self.subTest(is_terminal=is_terminal):
                shown = self.shown("report", "-o", self.path("page.html"), output_is_terminal=is_terminal)
                self.assertRegex(shown, rb"\[#*-*\] +[0-9]+ %, [0-9.]+ of [0-9.]+ [kM]B")
                self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-60:])
        self.assertRegex(self.shown("stats", output_is_terminal=True), rb"\[#*-*\] +[0-9]+ %, ")

    def test_no_bar_shows_among_records(self):
        self.assertNotRegex(self.shown(output_is_terminal=True), rb"\[#*-*\] +[0-9]+ %")


class Health(ReportCommand):
    def test_the_filters_are_in_the_data_as_typed(self):
        path = self.lines("t.ndjson", [record(at, "ERROR") for at in range(5)])
        filters = ["--since 2020-01-01", "--until 2100-01-01", "--level warning", "--category order*", "--category x", "--thread t", "--service s",
                   "--grep m", "--where at < 3 || at == 4", "--site m", "--no-losses"]
        arguments = [word for each in filters for word in each.split(" ", 1)]
        arguments[arguments.index("x")] = "orders"
        filters[filters.index("--category x")] = "--category orders"
        document = self.document(*arguments, path)
        self.assertEqual(document["health"]["filters"], filters)
        self.assertEqual(document["summary"]["records"], 4)
        self.assertNotIn("filters", self.document(path)["health"])

    def test_what_importers_report_is_in_the_notes(self):
        path, before = self.path("damaged.ndjson"), self.path("before.ndjson")
        for name, extra in ((path, "no JSON\n"), (before, "neither\nthis\n")):
            with open(name, "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in [record(0), record(1)]) + extra)
        for options, wanted in (((path,), [""]), ((path, "--against", before), ["", "earlier trace: "])):
            done = subprocess.run([program("ringcat"), "report", "--json", *options], capture_output=True, text=True, timeout=BOUND_S, check=False)
            said = [line.removeprefix("ringcat: ") for line in done.stderr.splitlines()]
            self.assertTrue(said)
            notes = json.loads(done.stdout)["health"]["notes"]
            self.assertEqual(sorted(note.removeprefix("earlier trace: ") for note in notes), sorted(said))
            self.assertEqual({note.startswith("earlier trace: ") for note in notes}, {bool(prefix) for prefix in wanted})

    def test_many_losses_cover_the_whole_trace(self):
        # Each thread loses records all the time; the pauses between are shorter than those of every hundredth loss.
        count, threads = 6000, 3
        lines = []
        for i in range(count):
            at = 1_000_000 * i + (5_000_000 * (i // 100))
            lines += [record(at, thread=1 + i % threads), loss(at + 500_000, at + 100_000, thread=1 + i % threads, cause="ring_full" if i % 2 else "no_consumer")]
        path = self.lines("losses.ndjson", lines)
        document = self.document(path)
        health = document["health"]
        intervals = health["intervals"]
        self.assertLessEqual(len(intervals), 2000)
        self.assertGreater(len(intervals), 1000)
        self.assertEqual(health["further_intervals"], 0)
        self.assertEqual(sum(each["records"] for each in intervals), 3 * count)
        self.assertEqual(sum(each.get("joined", 1) for each in intervals), count)
        self.assertEqual([each["to"] for each in intervals], sorted(each["to"] for each in intervals))
        covered = {}
        for each in intervals:
            covered.setdefault((each["stream"], each["cause"]), []).append((each["from"], each["to"]))
        streams = {stream["thread_id"]: number for number, stream in enumerate(document["summary"]["streams"])}
        losses = [each for each in map(json.loads, ringcat("--format", "json", path)[0].splitlines()) if each["kind"] == "loss"]
        self.assertEqual(len(losses), count)
        for each in losses:
            since, until = each["since_unix_ns"] - BEGIN, each["unix_ns"] - BEGIN
            self.assertTrue(any(begin <= since and until <= end for begin, end in covered[(streams[each["thread"]["id"]], each["cause"])]), each)
        # The nearest are joined: the longer pauses stay.
        self.assertLess(max(b - a for a, b in covered[(0, "ring_full")]), 105_000_000)

    def test_losses_of_more_threads_than_intervals_are_counted(self):
        threads = 2500
        lines = [each for i in range(threads) for each in (record(1000 * i, thread=i + 1), loss(1000 * i + 500, 1000 * i, 1 + i % 7, i + 1))]
        health = self.document(self.lines("losses.ndjson", lines))["health"]
        self.assertEqual(len(health["intervals"]), 2000)
        self.assertEqual(health["further_intervals"], threads - 2000)
        self.assertEqual(min(each["records"] for each in health["intervals"]), 2)


class Losses(ReportCommand):
    def test_a_report_with_all_records_has_all_losses(self):
        count = 6000
        lines = [each for i in range(count) for each in ([record(2000 * i, thread=1 + i % 2)] + ([loss(2000 * i + 1000, 2000 * i, thread=1 + i % 2)] if i % 2 == 0 else []))]
        document = self.document(self.lines("losses.ndjson", lines))
        self.assertTrue(document["records"]["all"])
        kept = [each for name in document if name.startswith("records-") for each in document[name]]
        self.assertEqual(len(kept), len(lines))
        self.assertEqual(sum(each["kind"] == "loss" for each in kept), count // 2)
        self.assertEqual([each["fields"]["at"] for each in kept if each["kind"] == "record"], [2000 * i for i in range(count)])

    def test_a_selection_has_losses_evenly(self):
        count = 62_000
        lines = [each for i in range(count) for each in ([record(2000 * i)] + ([loss(2000 * i + 1000, 2000 * i)] if i % 10 == 0 else []))]
        document = self.document(self.lines("losses.ndjson", lines))
        index = document["records"]
        self.assertFalse(index["all"])
        kept = [each for name in document if name.startswith("records-") for each in document[name]]
        times = [each["unix_ns"] for each in kept if each["kind"] == "loss"]
        self.assertGreater(len(times), 500)
        self.assertLessEqual(len(times), 1000)
        self.assertEqual(len({b - a for a, b in zip(times, times[1:])}), 1)
        rule = index["rules"]["loss"]
        self.assertEqual(rule["kept"], index["reason"].count(index["reasons"].index("loss")))
        self.assertGreaterEqual(rule["of"], count // 10)


class Timeline(ReportCommand):
    def test_spans_that_lie_over_others_are_counted(self):
        lines = [record(10 * i, site_kind="span", duration_ns=10_000) for i in range(200)]
        document = self.document(self.lines("spans.ndjson", lines))
        spans = document["timeline"]["tracks"][0]["spans"]
        self.assertEqual(spans["rows"], 64)
        self.assertEqual(document["timeline"]["crowded_spans"], 200 - 64)
        self.assertEqual(self.document(self.lines("few.ndjson", lines[:64]))["timeline"]["crowded_spans"], 0)


del ReportCommand

if __name__ == "__main__":
    unittest.main(verbosity=2)
