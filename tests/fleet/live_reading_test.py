#!/usr/bin/env python3
"""Services, consumerd, ringship and a NATS server: ringcat prints for nats:// what it prints for the files of consumerd, with
and without -f, and leaves nothing on the disk."""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import termios
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../end-to-end")]
from shipped_traces_test import Fleet  # noqa: E402
from nats_client import NatsClient  # noqa: E402
from steady_load import Load  # noqa: E402
from told_service import ToldService  # noqa: E402
from free_port import free_port  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402


class LiveReading(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.fleet = Fleet(self.bed)
        self.temporary = os.path.join(self.bed.work_dir, "tmp")
        os.mkdir(self.temporary)
        self.environment = {"TMPDIR": self.temporary}

    def init(self):
        done = subprocess.run([program("ringship"), "init", "--server", self.fleet.url], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def record(self, *services):
        """Lets services of these numbers log, and ends with everything on the disk."""
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        loads = [Load(self.bed, first, 2, "--burst", 200, "--pause-us", 2000, environment={"RINGSIDE_COST_SAMPLING": "64"})
                 for first in services]
        for load in loads:
            for _ in range(20):
                load.advance()
            load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def ship(self):
        shipped = self.bed.start(self.fleet.ship_command("--once"))
        self.assertEqual(shipped.wait(), 0, shipped.stderr())

    def ringcat(self, *arguments, executable=None):
        done = subprocess.run([executable or program("ringcat"), *arguments], capture_output=True, timeout=BOUND_S, check=False,
                              env={**os.environ, **self.environment})
        return done.returncode, done.stderr.decode(), done.stdout

    def lines_of_originals(self):
        status, told, text = self.ringcat("--utc", self.bed.output_dir)
        self.assertEqual((status, told), (0, ""))
        return sorted(text.splitlines())

    def follow(self, *arguments):
        return self.bed.start([program("ringcat"), "-f", "--utc", *arguments, self.fleet.url], environment=self.environment)

    def left(self):
        return os.listdir(self.temporary)

    def failure(self, *arguments, executable=None):
        """The message of a failure, which is one line and comes without output."""
        status, told, text = self.ringcat(*arguments, executable=executable)
        self.assertEqual((status, text, told.count("\n")), (3, b"", 1), told)
        self.assertEqual(self.left(), [])
        return told

    def test_output_is_that_of_the_originals(self):
        self.init()
        self.record(0, 2)
        self.ship()
        total = len(self.lines_of_originals())
        middle = self.ringcat("--utc", "--head", "200", self.bed.output_dir)[2].splitlines()[-1].decode()
        since = " ".join(middle.split()[:2])
        # The order of equal times is that of the files, which differs.
        for arguments in ((), ("--format", "json"), ("--format", "csv"), ("--format", "logfmt"), ("--level", "info"),
                          ("--service", "load2"), ("--thread", "*1"), ("--where", "thread > 0"), ("--since", since),
                          ("--until", since), ("--unordered",), ("stats", "--format", "json"), ("statements",), ("spans",),
                          ("crash",), ("stacks",)):
            with self.subTest(arguments=arguments):
                original = self.ringcat(*arguments, "--utc", self.bed.output_dir) if arguments != ("statements",) else \
                    self.ringcat(*arguments, self.bed.output_dir)
                fleet = self.ringcat(*arguments, "--utc", self.fleet.url) if arguments != ("statements",) else \
                    self.ringcat(*arguments, self.fleet.url)
                self.assertEqual(original[:2], (0, ""))
                self.assertEqual(fleet[:2], original[:2])
                # The files have other blocks: SHIPPED is added, an index left out.
                read = [sorted(line for line in output.splitlines() if b'"bytes_read"' not in line and b'"sections"' not in line)
                        for output in (fleet[2], original[2])]
                self.assertEqual(*read)
                self.assertEqual(self.left(), [])
        self.assertGreater(total, 1000)
        stats = json.loads(self.ringcat("stats", "--format", "json", self.fleet.url)[2])
        self.assertEqual([cost["service"] for cost in stats["call_costs"]], ["load0", "load2"])

    def test_reports_and_comparisons_are_those_of_the_originals(self):
        self.record(0, 10)
        self.init()
        self.ship()

        def reported(address):
            status, told, text = self.ringcat("report", "--json", "--against", address, address)
            self.assertEqual((status, told), (0, ""))
            document = json.loads(text)
            return document["statements"], document["comparison"]["before"], document["comparison"]["after"]

        statements, before, after = reported(self.fleet.url)
        self.assertEqual((statements, before, after), reported(self.bed.output_dir))
        self.assertEqual(before, after)
        self.assertGreater(before["records"], 1000)
        self.assertEqual(self.left(), [])

    def test_a_recording_of_the_scheduling_is_shipped_with_the_service(self):
        consumer = self.bed.start_consumer()
        service = ToldService(self.bed, "scheduled_service", service="desk")
        recording = subprocess.Popen([program("ringctl"), "sched", "--for", "500ms", "-o", self.bed.output_dir, "--shm-dir",
                                      self.bed.shm_dir], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        service.tell("naps 200")
        _, told = recording.communicate(timeout=BOUND_S)
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        if "perf_event" in told or "CAP_PERFMON" in told:
            self.skipTest("the kernel refuses: " + told.strip())
        self.init()
        self.ship()
        runs = [self.ringcat("--utc", "--where", 'category == "ringside.sched"', path)[2].splitlines()
                for path in (self.bed.output_dir, self.fleet.url)]
        self.assertGreater(len(runs[0]), 1)
        self.assertEqual(*map(sorted, runs))

    def test_converted_and_rewritten_traces_are_complete(self):
        self.init()
        self.record(0)
        self.ship()
        expected = self.lines_of_originals()
        for command in (["--to", "ringtrace"], ["merge"], ["slice"]):
            with self.subTest(command=command):
                out = os.path.join(self.bed.work_dir, "out.ringtrace")
                self.assertEqual(self.ringcat(*command, "-o", out, self.fleet.url), (0, "", b""))
                self.assertEqual(sorted(self.ringcat("--utc", out)[2].splitlines()), expected)
                os.remove(out)
                self.assertEqual(self.left(), [])
        status, told, _ = self.ringcat("verify", self.fleet.url)
        self.assertEqual((status, told), (0, ""))

    def test_path_selects_host_and_service(self):
        self.init()
        self.record(0, 2)
        self.ship()
        host = socket.gethostname()
        part = "".join(c if c.isalnum() and c.isascii() or c in "-_" else "_" for c in host)
        both, own = self.lines_of_originals(), self.ringcat("--utc", "--service", "load2", self.bed.output_dir)[2]
        for path, expected in ((f"/{host}", both), (f"/{part}", both), ("/", both), ("/*", both),
                               (f"/{host}/load2", sorted(own.splitlines())), ("/*/load2", sorted(own.splitlines()))):
            with self.subTest(path=path):
                status, told, text = self.ringcat("--utc", self.fleet.url + path)
                self.assertEqual((status, told), (0, ""))
                self.assertEqual(sorted(text.splitlines()), expected)
        told = self.failure(f"{self.fleet.url}/no-such-host")
        self.assertIn("no traces of the host 'no-such-host' are stored", told)
        self.assertIn("service 'x'", self.failure(f"{self.fleet.url}/{host}/x"))
        self.assertIn("tenant 'other'", self.failure("--tenant", "other", self.fleet.url))

    def test_failures_are_one_line_with_a_remedy(self):
        self.assertIn("ringship init", self.failure(self.fleet.url))
        told = self.failure("nats://user:secret@127.0.0.1:1")
        self.assertIn("check that nats-server is running", told.replace("and that", "check that"))
        self.assertNotIn("secret", told)
        self.assertIn("nats://SERVER", self.failure(self.fleet.url + "/a/b/c"))
        self.assertIn("scheme", self.failure("http://127.0.0.1"))
        self.init()
        self.assertIn("no traces are stored", self.failure(self.fleet.url))
        self.assertIn("no-such-file", self.failure("--creds", "no-such-file", self.fleet.url))

    def test_without_fleet_reader_one_line_names_the_package(self):
        alone = os.path.join(self.bed.work_dir, "ringcat")
        shutil.copy(program("ringcat"), alone)
        libraries = os.path.join(os.path.dirname(program("ringcat")), "interop")
        self.environment["LD_LIBRARY_PATH"] = libraries
        self.assertIn("install the package ringside-fleet", self.failure(self.fleet.url, executable=alone))

    def test_space_on_the_disk_is_bounded(self):
        self.init()
        self.record(0)
        self.ship()
        told = self.failure("--fleet-disk", "10K", self.fleet.url)
        self.assertIn("more than 10240 bytes", told)
        self.assertIn("--fleet-disk", told)

    def test_since_bounds_what_is_fetched(self):
        self.init()
        self.record(0, 2)
        self.ship()
        # Of two processes with equal traces: more than the last message, and less than everything.
        limit = ("--fleet-disk", str(sum(map(os.path.getsize, self.bed.traces())) * 3 // 4))
        self.assertIn("more than", self.failure(*limit, self.fleet.url))
        later = ("--utc", "--since", time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() + 3600)))
        for arguments in ((), ("--format", "json"), ("--tail", "3"), ("--service", "load0"), ("--service", "load2")):
            self.assertEqual(self.ringcat(*later, *limit, *arguments, self.fleet.url), (0, "", b""))
        self.assertIn("no traces of the host 'none' are stored", self.failure(*later, f"{self.fleet.url}/none"))

    def test_space_is_bounded_while_following(self):
        self.init()
        reader = self.follow("--fleet-disk", "10K")
        wait_until(self.left, "the directory of the reader")
        self.record(0)
        self.ship()
        self.assertEqual(reader.wait(), 3)
        self.assertIn("more than 10240 bytes", reader.stderr())
        self.assertLessEqual({line.encode() for line in reader.stdout().splitlines()}, set(self.lines_of_originals()))
        self.assertEqual(self.left(), [])

    def test_password_of_the_address_is_used_and_not_shown(self):
        port = free_port()
        server = self.bed.start([program("nats_server"), "--addr", "127.0.0.1", "--port", port, "--user", "reader", "--pass", "secret",
                                 "--jetstream", "--store_dir", os.path.join(self.bed.work_dir, "guarded")])
        wait_until(lambda: "Server is ready" in server.stderr() or not server.running(), "nats-server")
        for user in ("", "reader:wrong@"):
            told = self.failure(f"nats://{user}127.0.0.1:{port}")
            self.assertIn("Authorization", told)
            self.assertNotIn("wrong", told)
        self.fleet.url = f"nats://reader:secret@127.0.0.1:{port}"
        self.init()
        self.record(0)
        self.ship()
        status, told, text = self.ringcat("--utc", self.fleet.url)
        self.assertEqual((status, told), (0, ""))
        self.assertEqual(sorted(text.splitlines()), self.lines_of_originals())

    def test_follow_prints_records_as_they_come(self):
        self.init()
        reader = self.follow()
        wait_until(self.left, "the directory of the reader")
        consumer = self.bed.start_consumer("--rotate-bytes", "256K")
        self.fleet.start_shipper()
        load = Load(self.bed, 0, 2, "--burst", 20, "--pause-us", 20_000)  # its output is read again and again
        wait_until(lambda: reader.stdout().count("\n") > 500, "records while the service runs")
        self.fleet.kill("server")
        before = reader.stdout().count("\n")
        wait_until(lambda: reader.stdout().count("\n") > before + 500, "records after a restart of the server")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        expected = self.lines_of_originals()
        wait_until(lambda: reader.stdout().count("\n") >= len(expected), "all records")
        reader.send(signal.SIGINT)
        self.assertEqual(reader.wait(), 0, reader.stderr())
        self.assertEqual(sorted(line.encode() for line in reader.stdout().splitlines()), expected)
        self.assertEqual(self.left(), [])

    def test_follow_begins_now_or_where_options_say(self):
        self.init()
        self.record(0)
        self.ship()
        old = self.lines_of_originals()
        now = self.follow()
        everything = self.follow("--since", "-1d")
        last = self.follow("--tail", "3")
        wait_until(lambda: len(self.left()) == 3, "the directories of the readers")
        wait_until(lambda: everything.stdout().count("\n") == len(old), "the earlier records")
        wait_until(lambda: last.stdout().count("\n") == 3, "the last records")
        self.record(2)
        self.ship()
        both = self.lines_of_originals()
        new = [line.decode() for line in both if line not in set(old)]
        for reader, expected in ((now, new), (everything, [line.decode() for line in both])):
            wait_until(lambda: reader.stdout().count("\n") >= len(expected), "the new records")
            reader.send(signal.SIGTERM)
            self.assertEqual((reader.wait(), reader.stderr()), (0, ""))
            self.assertEqual(sorted(reader.stdout().splitlines()), sorted(expected))
        last.send(signal.SIGINT)
        self.assertEqual(last.wait(), 0)
        self.assertEqual(self.left(), [])

    def test_killed_readers_leave_nothing(self):
        self.init()
        ends = [(send, how) for send in (os.kill, os.killpg) for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)]
        for send, how in ends + [(os.kill, signal.SIGKILL)]:
            with self.subTest(signal=how.name, to=send.__name__):
                reader = self.follow()
                wait_until(self.left, "the directory of the reader")
                send(reader.pid, how)
                reader.wait()
                wait_until(lambda: not self.left(), "the directory to be removed")

    def test_killed_fleet_reader_is_reported_and_leaves_nothing(self):
        self.init()
        reader = self.follow()
        wait_until(self.left, "the directory of the reader")
        children = subprocess.run(["pgrep", "-P", str(reader.pid)], capture_output=True, text=True, timeout=BOUND_S, check=True)
        (child,) = children.stdout.split()
        os.kill(int(child), signal.SIGKILL)
        self.assertEqual(reader.wait(), 3)
        self.assertIn("fleet-reader ended", reader.stderr())
        self.assertEqual(self.left(), [])

    def test_reader_that_does_not_read_reports_ends(self):
        self.init()
        reader = self.follow()
        wait_until(self.left, "the directory of the reader")
        reader.send(signal.SIGSTOP)
        # More than a pipe holds.
        with NatsClient(self.fleet.port) as nats:
            for number in range(2000):
                nats.store(f"rs.ext.default.h.s.{number:032x}", b"not a message")

        def waiting():
            """The bytes in the fullest of its pipes."""
            found = [0]
            for name in os.listdir(f"/proc/{reader.pid}/fd"):
                path = f"/proc/{reader.pid}/fd/{name}"
                if os.readlink(path).startswith("pipe:"):
                    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                    found.append(int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder))
                    os.close(pipe)
            return max(found)
        wait_until(lambda: waiting() > 60_000, "a full pipe")
        reader.send(signal.SIGINT)
        reader.send(signal.SIGCONT)
        reader.wait()
        self.assertEqual(self.left(), [])

    def test_follow_from_the_middle_of_a_section_states_no_loss(self):
        self.init()
        consumer = self.bed.start_consumer()
        self.fleet.start_shipper()
        load = Load(self.bed, 0, 2, "--burst", 20, "--pause-us", 20_000)  # its output is read again and again
        wait_until(self.fleet.has_cursor, "the first message")
        reader = self.follow()
        wait_until(lambda: reader.stdout().count("\n") > 500, "records")
        load.stop()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        last = self.ringcat("--utc", "--tail", "1", self.bed.output_dir)[2].decode()
        wait_until(lambda: last in reader.stdout(), "the last record")
        reader.send(signal.SIGINT)
        self.assertEqual((reader.wait(), reader.stderr()), (0, ""))
        printed = reader.stdout().splitlines()
        originals = [line.decode() for line in self.lines_of_originals()]
        self.assertLess(len(printed), len(originals))
        # Of each thread, all of its last records.
        for thread in {line.split("[")[1].split("]")[0] for line in printed}:
            own = [line for line in printed if f"[{thread}]" in line]
            self.assertEqual(own, [line for line in originals if f"[{thread}]" in line][-len(own):])

    def test_directory_of_killed_processes_is_removed_by_the_next(self):
        self.init()
        reader = self.follow()
        (left,) = wait_until(self.left, "the directory of the reader")
        running = self.follow()
        wait_until(lambda: len(self.left()) == 2, "two directories")
        reader.kill()  # with its fleet-reader
        self.assertIn(left, self.left())
        long_ago = time.time() - 3600
        for name in self.left():
            os.utime(os.path.join(self.temporary, name), (long_ago, long_ago))
        # With such a beginning, but not created by fleet-reader.
        others = {"ringside-fleet.notes.txt": 0o700, "ringside-fleet.public": 0o755}
        for name, mode in others.items():
            os.mkdir(os.path.join(self.temporary, name), mode)
            os.utime(os.path.join(self.temporary, name), (long_ago, long_ago))
        third = self.follow()
        wait_until(lambda: left not in self.left(), "the removal of what the first has left")
        wait_until(lambda: len(self.left()) == 2 + len(others), "the directory of the third, and that of the one that runs")
        for process in (third, running):
            process.send(signal.SIGTERM)
            process.wait()
        # A reader that a signal ends before it prints does not wait for its fleet-reader.
        wait_until(lambda: set(self.left()) == set(others), "the directories to be removed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
