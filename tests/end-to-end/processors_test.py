#!/usr/bin/env python3
"""The processor of each record is in the trace: with each check that a thread makes, whatever happens to the consumer, in
every output, and through the formats that carry it."""

import csv
import io
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from traced_processes import BOUND_S, TestBed, program, wait_until

SKIPPED = 77
EACH_RECORD = "0"
NEVER = "3600000"


class Service:
    def __init__(self, bed, interval_ms, **how):
        self.process = bed.start_service(which="moving_threads", service="moving", piped=True,
                                         environment={"RINGSIDE_PROCESSOR_INTERVAL_MS": interval_ms}, **how)
        self.commands = 0

    def do(self, command):
        """Waits for the answer. Skips the test on a machine with one processor."""
        self.process.popen.stdin.write(command.encode() + b"\n")
        self.process.popen.stdin.flush()
        self.commands += 1
        wait_until(lambda: self.process.stdout().count("done") == self.commands or not self.process.running(), command)
        if self.process.popen.poll() == SKIPPED:
            raise unittest.SkipTest("needs two processors")
        assert self.process.running(), self.process.stderr()

    def end(self):
        self.process.end_input()
        assert self.process.wait() == 0, self.process.stderr()

    def die(self):
        self.process.popen.stdin.write(b"die\n")
        self.process.popen.stdin.flush()
        assert self.process.wait() == -signal.SIGKILL


def ringcat(*arguments):
    done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True, timeout=BOUND_S, check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def records(*arguments):
    """Its own processor, as the message has it, and that of the trace."""
    lines = [json.loads(line) for line in ringcat("--format", "json", *arguments).splitlines()]
    return [(line["fields"].get("cpu"), line.get("processor"), line) for line in lines
            if line["kind"] == "record"]


def processors_near(busy):
    """Of those that share the last-level cache, or else the node, with a busy one: others if there are any. None: unknown."""
    system = pathlib.Path("/sys/devices/system")
    caches = sorted((system / f"cpu/cpu{busy}/cache").glob("index*"), key=lambda cache: (cache / "level").read_text())
    lists = [caches[-1] / "shared_cpu_list"] if caches else sorted(system.glob(f"cpu/cpu{busy}/node*/cpulist"))
    if not lists:
        return None

    def numbers(file):
        parts = [part.split("-") for part in file.read_text().strip().split(",")]
        return {number for part in parts for number in range(int(part[0]), int(part[-1]) + 1)}
    near = numbers(lists[0]) & os.sched_getaffinity(0)
    core = system / f"cpu/cpu{busy}/topology/thread_siblings_list"
    siblings = numbers(core) if core.exists() else {busy}
    return near - siblings or near - {busy} or near


class Processors(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def check(self, count, *arguments):
        """Each record names the processor that its message has."""
        found = records(*arguments)
        self.assertEqual(len(found), count)
        wrong = [line for own, told, line in found if own is None or own != told]
        self.assertEqual(wrong, [])
        return found

    def recorded(self, moves=200, ends=True):
        """A service with a consumerd, and its trace."""
        consumer = self.bed.start_consumer()
        service = Service(self.bed, EACH_RECORD)
        service.do(f"move {moves}")
        service.do("flush")
        if ends:
            service.end()
            self.bed.wait_until_segments_are_gone()
            self.bed.stop_consumer(consumer)
        return consumer, service

    def test_each_record_names_its_processor(self):
        self.recorded()
        found = self.check(400, self.bed.output_dir)
        self.assertEqual(len({told for _, told, _ in found}), 2)

    def test_rotated_files_stand_alone(self):
        consumer, service = self.recorded(moves=20, ends=False)
        for files in (2, 3):
            service.do("log 5")
            service.do("flush")
            consumer.send(signal.SIGHUP)
            wait_until(lambda: len(self.bed.traces()) == files, "the next file")
        service.do("log 5")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        for path, count in zip(self.bed.traces(), (45, 5, 5)):
            self.check(count, path)

    def test_sessions_know_them(self):
        consumer = self.bed.start_consumer()
        wait_until(lambda: "watching" in consumer.stderr(), "consumerd to be ready")
        everything = self.bed.start_session("all")
        service = Service(self.bed, EACH_RECORD)
        service.do("move 50")
        service.do("flush")
        wait_until(lambda: len(os.listdir(everything)) == 1, "the session's file")
        numbers = sorted(os.sched_getaffinity(0))[:2]
        of_one = self.bed.start_session("one", "--where", f"processor == {numbers[1]}")
        service.do("move 50")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.check(200, everything)
        found = records(of_one)
        self.assertEqual({(own, told) for own, told, _ in found}, {(numbers[1], numbers[1])})
        main = [path for path in self.bed.traces() if path.endswith(".ringtrace")]
        self.assertEqual(2 * len(found), len(records("--where", f"processor == {numbers[1]}", *main)))

    def test_a_successor_continues_without_a_new_check(self):
        consumer = self.bed.start_consumer()
        service = Service(self.bed, NEVER)
        service.do("log 10")
        service.do("flush")
        consumer.kill()
        service.do("log 10")
        consumer = self.bed.start_consumer()
        service.do("flush")
        self.bed.stop_consumer(consumer)
        service.do("log 10")
        service.end()
        self.bed.run_consumer_once()
        self.check(30, self.bed.output_dir)

    def test_a_killed_service_is_complete(self):
        service = Service(self.bed, EACH_RECORD)
        service.do("move 50")
        service.die()
        self.bed.run_consumer_once()
        self.check(100, self.bed.output_dir)

    def test_a_child_has_its_own(self):
        service = Service(self.bed, NEVER)
        service.do("log 1")
        service.do("fork")
        service.do("log 1")
        service.end()
        self.bed.run_consumer_once()
        found = self.check(3, self.bed.output_dir)
        self.assertEqual(len({told for _, told, _ in found}), 2)

    def test_a_segment_shows_it_without_a_consumer(self):
        consumer = self.bed.start_consumer()
        service = Service(self.bed, NEVER)
        service.do("log 10")
        service.do("flush")
        self.bed.stop_consumer(consumer)
        service.do("log 7")
        segment, = self.bed.segments()
        self.check(7, "--segment", os.path.join(self.bed.shm_dir, segment))
        service.do("move 10")
        service.die()
        self.assertEqual(len(records("--segment", os.path.join(self.bed.shm_dir, segment))), 27)

    def test_snapshots_of_a_flight_recorder(self):
        consumer = self.bed.start_consumer()
        service = Service(self.bed, NEVER, overflow="overwrite", ring_bytes=1 << 16)
        for count in (3, 5):
            service.do(f"log {count}")
            wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
            done = subprocess.run([program("ringctl"), "snapshot", "--shm-dir", self.bed.shm_dir, "--json"],
                                  capture_output=True, text=True, timeout=BOUND_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check(count, json.loads(done.stdout)["path"])
        service.do("log 20000")  # overwrites the ring several times
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        found = records(self.bed.output_dir)
        self.assertGreater(len(found), 1000)
        self.assertEqual([line for own, told, line in found if own != told], [])

    def test_consumerd_goes_to_the_producers(self):
        """With --cpu auto: near them, and not where they run."""
        consumer = self.bed.start_consumer("--cpu", "auto")
        service = Service(self.bed, EACH_RECORD)
        service.do("log 10")
        service.do("flush")
        found = records(self.bed.output_dir)
        busy = int(found[0][0])
        near = processors_near(busy)
        if near is None:
            self.skipTest("/sys/devices/system does not describe the processors")

        def moved():
            service.do("log 1000")
            time.sleep(0.1)
            return os.sched_getaffinity(consumer.popen.pid) == near
        wait_until(moved, f"consumerd to be on {near}")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertRegex(consumer.stderr(), "running on processors [0-9,-]+, near the services")

    def test_conditions_columns_and_groups(self):
        self.recorded(moves=30)
        path = self.bed.output_dir
        found = records(path)
        for processor in {told for _, told, _ in found}:
            count = sum(own == processor for own, _, _ in found)
            self.check(count, "--where", f"processor == {processor}", path)
            rows = csv.DictReader(io.StringIO(ringcat("agg", "text:*", "--by", "@processor", "--format", "csv", path)))
            self.assertEqual({row["@processor"]: int(row["count"]) for row in rows}[str(processor)], count)
        lines = ringcat("--template", "{processor} {msg}", path).splitlines()
        self.assertEqual([line.split()[0] for line in lines], [line.split()[-1] for line in lines])
        lines = ringcat("--show", "processor", path).splitlines()
        self.assertEqual([line.split("processor=")[1] for line in lines], [str(own) for own, _, _ in found])
        lines = ringcat("--format", "logfmt", path).splitlines()
        self.assertTrue(all(line.endswith(f" processor={own}") for line, (own, _, _) in zip(lines, found)), lines[0])
        rows = list(csv.DictReader(io.StringIO(ringcat("--to", "csv", path))))
        self.assertEqual([row["processor"] for row in rows], [str(own) for own, _, _ in found])

    def test_copies_and_cuts_keep_it(self):
        self.recorded(moves=30)
        source, = self.bed.traces()
        found = records(source)
        half = found[len(found) // 2][2]["unix_ns"]
        for name, arguments in (("copy", ["--to", "ringtrace"]), ("nettrace", ["--to", "nettrace"]),
                                ("perfetto", ["--to", "perfetto"]), ("ctf", ["--to", "ctf"]), ("ndjson", ["--to", "ndjson"]),
                                ("chrome", ["--to", "chrome"])):
            with self.subTest(name):
                copy = os.path.join(self.bed.work_dir, name)
                ringcat(*arguments, "-o", copy, source)
                self.check(len(found), copy)
        cut = os.path.join(self.bed.work_dir, "cut.ringtrace")
        ringcat("slice", "--until", f"@{half // 10**9}.{half % 10**9:09}", "-o", cut, source)
        self.check(sum(line["unix_ns"] < half for _, _, line in found), cut)

    def test_other_programs_read_it_from_the_formats(self):
        self.recorded(moves=20)
        source, = self.bed.traces()
        found = records(source)
        nettrace = os.path.join(self.bed.work_dir, "trace.nettrace")
        ringcat("--to", "nettrace", "-o", nettrace, source)
        processors = [int(row[4]) for row in csv.reader(io.StringIO(ringcat("inspect", "--csv", nettrace)))]
        self.assertEqual(sorted(number for number in processors if number != 0xFFFFFFFF),
                         sorted(own for own, _, _ in found))
        try:
            import bt2  # pylint: disable=import-outside-toplevel
        except ImportError:
            return
        directory = os.path.join(self.bed.work_dir, "ctf")
        ringcat("--to", "ctf", "-o", directory, source)
        read = [int(message.event.packet.context_field["cpu_id"]) for message in bt2.TraceCollectionMessageIterator(directory)
                if isinstance(message, bt2._EventMessageConst)]  # pylint: disable=protected-access
        self.assertEqual(sorted(read), sorted(own for own, _, _ in found))


if __name__ == "__main__":
    unittest.main(verbosity=2)
