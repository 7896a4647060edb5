#!/usr/bin/env python3
"""The options of consumerd: which files it drains, which it leaves alone, and what it creates."""

import os
import re
import unittest

from checked_output import print_and_check
from traced_processes import TestBed, wait_until

FILE_NAME = re.compile(r"(?P<service>[A-Za-z0-9_-]+)\.(?P<pid>\d+)\."
                       r"\d{8}T\d{6}-\d{6}\.(?P<sequence>\d+)\.ringtrace")


class ConsumerOptions(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def run_service(self, service, first=0, records=1000):
        process = self.bed.start_service("--records", records, "--first", first, service=service)
        self.assertEqual(process.wait(), 0, process.stderr())
        return process

    def traced_services(self):
        return sorted(os.path.basename(path).split(".")[0] for path in self.bed.traces())

    def test_files_are_named_for_service_pid_start_and_sequence(self):
        service = self.run_service("orders")
        self.bed.run_consumer_once()
        (trace,) = self.bed.traces()
        match = FILE_NAME.fullmatch(os.path.basename(trace))
        self.assertTrue(match, trace)
        self.assertEqual(match.group("service"), "orders")
        self.assertEqual(int(match.group("pid")), service.pid)
        self.assertEqual(match.group("sequence"), "0")
        self.assertEqual(os.stat(trace).st_mode & 0o137, 0, "more than 0640")

    def test_a_service_name_is_made_a_valid_file_name(self):
        self.run_service("../a b/ö")
        self.bed.run_consumer_once()
        (trace,) = self.bed.traces()
        self.assertTrue(FILE_NAME.fullmatch(os.path.basename(trace)), trace)
        self.assertEqual(print_and_check(trace).records, 1000)

    def test_globs_choose_services_and_the_others_are_left_alone(self):
        for first, service in enumerate(("orders", "order-book", "payments", "audit")):
            self.run_service(service, first)
        self.bed.run_consumer_once("--service", "order*", "--service", "?udit")
        self.assertEqual(self.traced_services(), ["audit", "order-book", "orders"])
        self.assertEqual(len(self.bed.segments()), 1)
        self.assertEqual(len(self.bed.segments("payments.")), 1)
        self.bed.run_consumer_once("--service", "nothing-like-it")
        self.assertEqual(len(self.bed.segments("payments.")), 1)
        self.bed.run_consumer_once()
        self.assertEqual(self.bed.shm_names(), [])
        self.assertEqual(print_and_check(*self.bed.traces()).records_of,
                         dict.fromkeys(range(4), 1000))

    def test_once_leaves_the_segment_of_a_living_service(self):
        service = self.bed.start_service("--records", 1000, "--hold", piped=True)
        wait_until(lambda: "done" in service.stdout(), "the records")
        self.bed.run_consumer_once()
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)
        self.assertEqual(len(self.bed.segments()), 1)
        self.bed.run_consumer_once()
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)
        service.end_input()
        self.assertEqual(service.wait(), 0)
        self.bed.run_consumer_once()
        self.assertEqual(self.bed.shm_names(), [])
        self.assertEqual(print_and_check(*self.bed.traces()).records, 1000)

    def test_segments_of_many_ended_services_are_removed(self):
        # More segments than there are staging slots.
        consumer = self.bed.start_consumer()
        services = [self.bed.start_service("--first", number, "--records", 2000,
                                           service=f"many{number}", ring_bytes=1 << 16)
                    for number in range(24)]
        for service in services:
            self.assertEqual(service.wait(), 0, service.stderr())
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.bed.shm_names(), [])
        self.assertNotIn("error", consumer.stderr())
        self.assertEqual(len(self.bed.traces()), 24)
        self.assertEqual(print_and_check(*self.bed.traces()).records_of,
                         dict.fromkeys(range(24), 2000))

    def test_many_living_services_are_drained_side_by_side(self):
        services = [self.bed.start_service("--first", number, "--records", 2000, "--hold",
                                           service=f"many{number}", ring_bytes=1 << 16, piped=True)
                    for number in range(24)]
        consumer = self.bed.start_consumer()
        for service in services:
            wait_until(lambda service=service: "done" in service.stdout(), "the records")
        self.bed.stop_consumer(consumer)
        self.assertNotIn("error", consumer.stderr())
        self.assertEqual(print_and_check(*self.bed.traces()).records_of,
                         dict.fromkeys(range(24), 2000))
        for service in services:
            service.end_input()
            self.assertEqual(service.wait(), 0)
        self.bed.run_consumer_once()
        self.assertEqual(self.bed.shm_names(), [])

    def test_wrong_usage_is_status_2_with_the_remedy(self):
        for arguments, word in (((), "--output"), (("--output", "/nonexistent/x"), "create it"),
                                (("--output", self.bed.output_dir, "--io", "magic"), "pwrite"),
                                (("--output", self.bed.output_dir, "extra"), "extra")):
            consumer = self.bed.start([self.bed.consumer_command()[0], *arguments])
            self.assertEqual(consumer.wait(), 2, arguments)
            self.assertIn(word, consumer.stderr())

    def test_command_line_forms(self):
        output = f"--output={self.bed.output_dir}"
        for arguments, status, word in (
                ((f"-o{self.bed.output_dir}",), 0, ""), (("-v", "-vo", self.bed.output_dir), 0, ""),
                ((output, "--verbose", "--verbose", "--pack", "--pack"), 0, ""),
                ((output, "--cpu", "x", "--cpu", "0"), 0, ""), ((output, "--cpu", "0", "--cpu", "x"), 2, "--cpu must be"),
                ((output, "--rotate-bytes=", "--pack"), 2, "--rotate-bytes must be"),
                ((output, "--service=", "--cpu", "x"), 2, "--cpu must be"),
                ((output, "--pack=false"), 2, "--pack takes no argument"), ((output, "--keep"), 2, "unknown option --keep"),
                ((output, "--cpu"), 2, "--cpu requires an argument"), ((output, "-x"), 2, "unknown option -x"),
                ((output, "--", "--pack"), 2, "unexpected argument --pack"), ((output, "--"), 0, ""), ((output, "--help", "extra"), 0, "")):
            with self.subTest(arguments):
                done = self.bed.start([self.bed.consumer_command()[0], "--check-config", *arguments])
                self.assertEqual(done.wait(), status, done.stderr())
                self.assertIn(word, done.stderr())

    def test_a_glob_in_brackets_is_one_value(self):
        self.run_service("a")
        self.run_service("z", 1)
        self.bed.run_consumer_once("--service", "[a-c]")
        self.assertEqual(self.traced_services(), ["a"])

    def test_settings_of_another_type_are_refused_with_their_place(self):
        config = os.path.join(self.bed.work_dir, "consumerd.toml")
        for line, remedy in (("output = 3", "must be a string"), ("shm-dir = true", "must be a string"),
                             ("service = [1]", "must be a string"), ('pack = "yes"', "true or false"),
                             ("keep-files = true", "must be a number"), ("cpu = 1.5", "must be a number"),
                             ("rotate-after = 30", "must be a string")):
            with open(config, "w", encoding="utf-8") as file:
                file.write(line + "\n")
            done = self.bed.start([*self.bed.consumer_command()[:1], "--config", config, "--check-config"])
            self.assertEqual(done.wait(), 2, line)
            self.assertIn(f"{config}:1:", done.stderr())
            self.assertIn(remedy, done.stderr())

    def test_a_missing_directory_is_an_error(self):
        consumer = self.bed.start([self.bed.consumer_command()[0], "--output",
                                   self.bed.output_dir, "--shm-dir", "/nonexistent/shm"])
        self.assertEqual(consumer.wait(), 1)
        self.assertIn("/nonexistent/shm", consumer.stderr())

    def test_files_of_others_in_the_directory_are_left_alone(self):
        names = ["ringside.x", "ringside.bad name.1.0123456789abcdef", "something-else",
                 "ringside.svc.1.0123456789abcdef", "ringside-staging.foreign"]
        for name in names:
            with open(os.path.join(self.bed.shm_dir, name), "wb") as file:
                file.write(os.urandom(9000))
        os.symlink("/etc/passwd", os.path.join(self.bed.shm_dir, "ringside.svc.2.0123456789abcdef"))
        os.mkfifo(os.path.join(self.bed.shm_dir, "ringside.svc.3.0123456789abcdef"))
        self.run_service("real")
        consumer = self.bed.start_consumer()
        self.bed.wait_until_segments_are_gone("real.")
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.traced_services(), ["real"])
        left = set(self.bed.shm_names())
        self.assertLessEqual({"ringside.x", "something-else", "ringside.svc.1.0123456789abcdef",
                              "ringside.svc.2.0123456789abcdef"}, left)


if __name__ == "__main__":
    unittest.main(verbosity=2)
