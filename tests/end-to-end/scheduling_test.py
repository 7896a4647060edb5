#!/usr/bin/env python3
"""ringctl sched: when threads ran, as the kernel counts it, in the trace of the service."""

import bisect
import collections
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

FORM = re.compile(r"desk\.\d+\.\d{8}T\d{6}-\d{6}\.\d+\.ringtrace")  # consumerd/files/trace_name.hpp


def switches(pid, thread_id):
    """Of a thread, as the kernel counts them: voluntary and not."""
    with open(f"/proc/{pid}/task/{thread_id}/status", encoding="ascii") as status:
        text = status.read()
    return tuple(int(re.search(rf"^{name}:\s*(\d+)", text, re.MULTILINE)[1])
                 for name in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"))


class Scheduling(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.consumer = self.bed.start_consumer()
        self.service = ToldService(self.bed, "scheduled_service", service="desk")
        wait_until(self.bed.traces, "the trace file of the service")
        self.pid = self.service.process.pid

    def arguments(self, *arguments):
        return [program("ringctl"), "sched", *arguments, "--shm-dir", self.bed.shm_dir]

    def refused(self, *arguments, status=1, **how):
        done = subprocess.run(self.arguments(*arguments), capture_output=True, text=True,
                              timeout=BOUND_S, check=False, **how)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def recorded(self, act, *arguments):
        """What ringctl says of a recording during `act`, which a signal ends."""
        tool = subprocess.Popen(self.arguments("--for", "1h", "--json", *arguments), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)

        def has_begun():
            """It has opened an event for each thread, and sleeps between two readings."""
            if tool.poll() is not None:
                return True
            fds = f"/proc/{tool.pid}/fd"
            links = []
            for name in os.listdir(fds):
                try:
                    links.append(os.readlink(f"{fds}/{name}"))
                except FileNotFoundError:
                    pass
            return any("perf_event" in link for link in links) and self.sleeps(tool.pid)

        wait_until(has_begun, "the recording")
        if tool.poll() is None:
            act()
        tool.send_signal(signal.SIGINT)
        out, err = tool.communicate(timeout=BOUND_S)
        if tool.returncode != 0 and ("perf_event" in err or "CAP_PERFMON" in err):
            self.skipTest("the kernel refuses: " + err.strip())
        self.assertEqual((tool.returncode, err), (0, ""))
        return json.loads(out)

    @staticmethod
    def sleeps(pid):
        with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
            return "poll" in file.read()

    def records(self, path=None):
        done = subprocess.run([program("ringcat"), "--format", "json", "--no-losses", path or self.bed.output_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def runs(self, path=None):
        """By thread: begin, end, processor, what came then."""
        by_thread = collections.defaultdict(list)
        for one in self.records(path):
            if one.get("category") == "ringside.sched":
                by_thread[one["thread"]["id"]].append(
                    (one["unix_ns"], one["unix_ns"] + one["duration_ns"],
                     one["fields"]["on_processor"], one["fields"]["then"]))
        return by_thread

    def thread_id(self, name):
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{thread}/comm", encoding="ascii") as comm:
                if comm.read().strip() == name:
                    return int(thread)
        raise AssertionError(name)

    def test_numbers_are_those_of_the_kernel(self):
        napper = self.thread_id("napper")
        before = []

        def act():
            before.extend(switches(self.pid, napper))
            self.service.tell("naps 100")
            self.service.tell("spin 50")

        said = self.recorded(act)
        after = switches(self.pid, napper)
        runs = self.runs(said["path"])
        ends = collections.Counter(then for *_, then in runs[napper])
        self.assertGreaterEqual(ends["waited"], 100)
        self.assertEqual((ends["waited"], ends["preempted"]),
                         (after[0] - before[0], after[1] - before[1]))
        self.assertEqual(said["runs"], sum(map(len, runs.values())))
        self.assertEqual((said["threads"], said["lost"]), (2, 0))
        self.assertRegex(os.path.basename(said["path"]), FORM)

    def test_records_are_within_runs_of_their_threads(self):
        self.recorded(lambda: [self.service.tell(line) for line in ("naps 50", "spin 20", "brief 10")])
        self.service.end()
        self.bed.stop_consumer(self.consumer)
        runs = self.runs()
        names = collections.Counter()
        for one in self.records():
            if one.get("category") == "ringside.sched":
                continue
            spans = runs[one["thread"]["id"]]
            at = bisect.bisect_right([begin for begin, *_ in spans], one["unix_ns"]) - 1
            if one["site"] != "napper.ready" and not one["msg"].startswith("napper.ready"):
                self.assertGreaterEqual(at, 0, one)
                self.assertLessEqual(one["unix_ns"], spans[at][1], one)
                names[one["thread"]["name"]] += 1
        self.assertEqual(names["brief"], 10)
        self.assertGreater(names["napper"], 50)

    def test_a_processor_and_a_thread_do_one_thing_at_a_time(self):
        said = self.recorded(lambda: [self.service.tell("naps 50"), self.service.tell("spin 50")])
        by_processor = collections.defaultdict(list)
        for thread in self.runs(said["path"]).values():
            for before, after in zip(thread, thread[1:]):
                self.assertLessEqual(before[1], after[0])
            for begin, end, processor, _ in thread:
                by_processor[processor].append((begin, end))
        for spans in by_processor.values():
            spans.sort()
            for before, after in zip(spans, spans[1:]):
                self.assertLessEqual(before[1], after[0])

    def test_threads_that_begin_and_end_meanwhile(self):
        said = self.recorded(lambda: [self.service.tell("brief 5"), self.service.tell("brief 5")])
        self.assertEqual(said["threads"], 4)
        brief = collections.defaultdict(list)
        for one in self.records(said["path"]):
            if one["thread"]["name"] == "brief":
                brief[one["thread"]["id"]].append(one["fields"]["then"])
        self.assertEqual(len(brief), 2)
        for ends in brief.values():
            self.assertEqual(ends[-1], "ended")
            self.assertNotIn("ended", ends[:-1])

    def test_file_is_beside_those_of_the_service(self):
        said = self.recorded(lambda: self.service.tell("naps 3"))
        self.assertEqual(os.path.dirname(said["path"]), os.path.realpath(self.bed.output_dir))
        info = os.stat(said["path"])
        self.assertEqual(info.st_mode & 0o777, 0o640)
        self.assertEqual((info.st_uid, info.st_gid),
                         (os.stat(self.bed.output_dir).st_uid, os.stat(self.bed.output_dir).st_gid))

    def test_retention_holds_for_it(self):
        said = self.recorded(lambda: self.service.tell("naps 3"))
        self.service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(self.consumer)
        self.assertEqual(len(self.bed.traces()), 2)
        consumer = self.bed.start_consumer("--keep-files", "1")
        again = ToldService(self.bed, "scheduled_service", service="desk")
        again.end()
        wait_until(lambda: not os.path.exists(said["path"]), "the file to be removed")
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)

    def test_service_that_ends_ends_the_recording(self):
        # The signal that recorded() sends comes too late to matter, or not at all.
        begin = time.monotonic()
        said = self.recorded(self.service.end)
        self.assertLess(time.monotonic() - begin, BOUND_S)
        self.assertEqual(said["threads"], 2)
        self.assertGreater(said["ended_after_ns"], 0)
        ends = [then for thread in self.runs(said["path"]).values() for *_, then in thread]
        self.assertEqual(ends.count("ended"), 2)

    def test_without_a_consumer_the_directory_must_be_named(self):
        self.bed.stop_consumer(self.consumer)
        why = self.refused("--for", "10ms")
        self.assertIn("no consumerd", why)
        self.assertIn("--output DIR", why)

    def test_people_read_that_the_service_has_ended(self):
        tool = subprocess.Popen(self.arguments("--for", "1h"), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(tool.kill)
        wait_until(lambda: tool.poll() is not None or self.sleeps(tool.pid), "the recording")
        self.service.end()
        out, err = tool.communicate(timeout=BOUND_S)
        if "perf_event" in err or "CAP_PERFMON" in err:
            self.skipTest("the kernel refuses: " + err.strip())
        self.assertRegex(out, r"; the service ended after \d+\.\d s\n$")

    def test_a_recording_that_lasts_as_long_as_it_shall_says_nothing_of_an_end(self):
        self.assertNotIn("ended_after_ns", self.recorded(lambda: self.service.tell("naps 3")))

    def test_a_second_recording_at_the_same_time_is_refused(self):
        why = []
        said = self.recorded(lambda: why.append(self.refused("--for", "10ms")))
        self.assertIn("another ringctl sched records it; wait until that one has ended", why[0])
        self.assertGreater(said["threads"], 0)
        # The lock has ended with the recording.
        self.recorded(lambda: self.service.tell("naps 3"))

    def test_a_directory_that_vanishes_costs_no_recording(self):
        folder = os.path.join(self.bed.work_dir, "vanishing")
        elsewhere = os.path.join(self.bed.work_dir, "temporary")
        os.mkdir(folder)
        os.mkdir(elsewhere)
        tool = subprocess.Popen(self.arguments("--for", "1h", "-o", folder), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "TMPDIR": elsewhere})
        self.addCleanup(tool.kill)
        wait_until(lambda: tool.poll() is not None or self.sleeps(tool.pid), "the recording")
        self.service.tell("naps 20")
        os.rmdir(folder)
        tool.send_signal(signal.SIGINT)
        _, err = tool.communicate(timeout=BOUND_S)
        if "perf_event" in err or "CAP_PERFMON" in err:
            self.skipTest("the kernel refuses: " + err.strip())
        self.assertEqual(tool.returncode, 1)
        kept = re.search(r"the recording is in (\S+)\n", err)[1]
        self.assertEqual(os.path.dirname(kept), elsewhere)
        self.assertGreaterEqual(sum(map(len, self.runs(kept).values())), 20)

    def test_wrong_usage(self):
        for duration in ("0s", "soon", "-1s", "1h30m"):
            self.assertIn("use one number and one unit", self.refused(f"--for={duration}", status=2))
        file = os.path.join(self.bed.work_dir, "file")
        with open(file, "w", encoding="ascii"):
            pass
        self.assertIn(f"{file} is not a directory", self.refused("--for", "10ms", "-o", file))
        self.assertIn("no matching service", self.refused("--service", "other", status=3))
        missing = os.path.join(self.bed.output_dir, "missing")
        why = self.refused("--for", "10ms", "-o", missing)
        self.assertTrue(missing in why or "perf_event" in why, why)

    def test_too_few_descriptors(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (7, 7))

        why = self.refused("--for", "10ms", "-o", self.bed.output_dir, preexec_fn=limit)
        self.assertTrue("ulimit -Hn" in why or "perf_event" in why, why)

    def test_processes_of_other_users(self):
        if os.geteuid() != 0:
            self.skipTest("only root can run programs as another user")
        os.chmod(self.bed.shm_dir, 0o777)
        os.chmod(os.path.join(self.bed.shm_dir, self.bed.segments("desk")[0]), 0o666)
        why = self.refused("--for", "10ms", "-o", self.bed.output_dir, user=65533, group=65533,
                           extra_groups=[])
        self.assertIn("run ringctl as", why)

    def test_service_in_another_pid_namespace(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make a PID namespace")
        self.service.end()
        inner = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", program("scheduled_service")], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "inner"})
        self.addCleanup(inner.wait)
        self.addCleanup(inner.kill)
        self.assertEqual(inner.stdout.readline(), "ready\n")

        def act():
            inner.stdin.write("naps 20\n")
            inner.stdin.flush()
            self.assertEqual(inner.stdout.readline(), "done\n")

        said = self.recorded(act, "--service", "inner", "-o", self.bed.output_dir)
        inner.communicate(timeout=BOUND_S)
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(self.consumer)
        self.assertEqual(said["pid"], 1)
        threads = {(one["pid"], one["thread"]["id"], one["thread"]["name"]) for one in self.records()
                   if one["service"] == "inner" and one["thread"]["name"] == "napper"}
        self.assertEqual(len(threads), 1, "runs and records have the same numbers")
        (thread,) = threads
        self.assertGreaterEqual(len(self.runs(said["path"])[thread[1]]), 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
