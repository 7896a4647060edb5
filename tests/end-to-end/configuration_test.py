#!/usr/bin/env python3
"""The configuration file of consumerd: settings and their order of precedence, errors and their places, reading it again,
and rules that leave records out or hide values before anything is stored."""

import json
import os
import signal
import stat
import subprocess
import unittest

from told_service import ToldService
from traced_processes import BOUND_S, TestBed, program, wait_until

HIDE = """
[[redact]]
site = "logs in with"
field = ["password", "card"]
"""
SAMPLE = """
[[sample]]
service = "gate*"
of-level = "debug"
keep-one-in = 10
"""


class Bed(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        # As an administrator stores it: in its own directory, which consumerd cannot write to.
        self.config = os.path.join(self.bed.work_dir, "etc", "consumerd.toml")
        os.mkdir(os.path.dirname(self.config))

    def configure(self, text):
        """Replaces the file as editors do."""
        with open(self.config + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(self.config + ".new", self.config)

    def start(self, *arguments):
        consumer = self.bed.start_consumer("--config", self.config, *arguments)
        wait_until(lambda: "watching" in consumer.stderr() or not consumer.running(), "consumerd")
        self.assertTrue(consumer.running(), consumer.stderr())
        return consumer

    def reload(self, consumer, text):
        self.configure(text)
        before = consumer.stderr().count("starting new files")
        consumer.send(signal.SIGHUP)
        wait_until(lambda: consumer.stderr().count("starting new files") > before, "the reload")

    def run_consumerd(self, *arguments, environment=None):
        return subprocess.run([program("consumerd"), *arguments], capture_output=True, text=True,
                              timeout=BOUND_S, check=False, env={**os.environ, **(environment or {})})

    def ringcat(self, *arguments):
        done = subprocess.run([program("ringcat"), *arguments], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def messages(self):
        return self.ringcat("--template", "{msg}", self.bed.output_dir).splitlines()

    def stored(self):
        """Every byte of every file that consumerd has created."""
        text = b""
        paths = self.bed.traces()
        paths += [os.path.join(self.bed.shm_dir, name) for name in self.bed.shm_names()
                  if not name.startswith("ringside.gate")]
        for path in paths:
            with open(path, "rb") as file:
                text += file.read()
        return text


class Redaction(Bed):
    def test_what_is_hidden_reaches_no_file(self):
        self.configure(HIDE)
        consumer = self.start()
        service = ToldService(self.bed, "ruled_service", service="gate")
        for number in range(50):
            service.tell(f"login {number}")
        self.assertNotIn(b"hunter", self.stored())
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(),
                         [f"ada logs in with ***, card 0, attempt {i}" for i in range(50)])
        self.assertNotIn(b"hunter", self.stored())
        self.assertNotIn("4000123412341", self.ringcat("--format", "json", self.bed.output_dir))

    def test_a_name_anywhere_in_an_expression_hides_its_value(self):
        self.configure('[[redact]]\nfield = "password"\n')
        consumer = self.start()
        service = ToldService(self.bed, "ruled_service", service="gate")
        service.tell("pass 7")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(), ["pass ***"] * 4 + ['pass a",b ***', "pass 1 ***", "pass *** ***",
                                              "pass ***          *** 7", "pass " + "*" * 20])
        self.assertNotIn(b"hunter", self.stored())

    def test_what_each_rule_hides_is_listed_for_segments_and_traces(self):
        self.configure('[[redact]]\nfield = ["PASS*", "card"]\n\n[[redact]]\nservice = "other"\nfield = "iban"\n')
        service = ToldService(self.bed, "ruled_service", service="gate")
        service.tell("login 7")
        (segment,) = (os.path.join(self.bed.shm_dir, name) for name in self.bed.shm_names())
        live = [self.shown_redactions(path) for path in (segment, self.bed.shm_dir)]
        service.end()
        self.bed.run_consumer_once("--config", self.config)
        for shown in [*live, self.shown_redactions(self.bed.output_dir),
                      self.shown_redactions(self.bed.traces()[0])]:
            first, second = shown.split(f"{self.config}:4: ")
            self.assertTrue(first.startswith(f'{self.config}:1: [[redact]] field = "PASS*" "card"\n'), shown)
            self.assertRegex(first, r'\n  gate \S*ruled_service.cpp:\d+ "%s logs in with %s, card %ld, attempt %d"\n'
                             r'    #2 password  \("PASS\*" matches its name\)\n'
                             r'    #3 card  \("card" matches its name\)\n')
            self.assertNotIn("user", first)
            self.assertEqual(second, '[[redact]] field = "iban"\n  hides nothing\n')

    def shown_redactions(self, path):
        done = self.run_consumerd("--config", self.config, "--show-redacted", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_listing_reports_what_it_cannot_read(self):
        self.configure(HIDE)
        empty = os.path.join(self.bed.work_dir, "empty")
        os.mkdir(empty)
        for path, what in ((empty, "contains neither segments nor trace files"), (empty + "/x", "No such file"),
                           ("/dev/null", "not a regular file"), (self.config, "")):
            done = self.run_consumerd("--config", self.config, "--show-redacted", path)
            self.assertEqual(done.returncode, 1, path)
            self.assertTrue(done.stderr.startswith("consumerd: ") and path in done.stderr, done.stderr)
            self.assertIn(what, done.stderr)
        self.configure("")
        done = self.run_consumerd("--config", self.config, "--show-redacted", empty)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no [[redact]] rules", done.stderr)

    def test_what_is_hidden_reaches_no_file_after_consumerd_was_killed(self):
        self.configure(HIDE + 'text = ""\n')
        service = ToldService(self.bed, "ruled_service", service="gate")
        for number in range(100):
            if number % 10 == 0:
                consumer = self.start()
            service.tell(f"login {number}")
            if number % 10 == 9:
                consumer.kill()
                self.assertNotIn(b"hunter", self.stored())
        service.end()
        self.bed.run_consumer_once("--config", self.config)
        self.assertEqual(self.messages(),
                         [f"ada logs in with , card 0, attempt {i}" for i in range(100)])
        self.assertNotIn(b"hunter", self.stored())

    def test_what_is_hidden_reaches_no_snapshot_of_a_flight_recorder(self):
        self.configure(HIDE + SAMPLE)
        consumer = self.start()
        service = ToldService(self.bed, "ruled_service", service="gate", overflow="overwrite")
        service.tell("login 1")
        service.tell("pulse 30")
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        done = subprocess.run([program("ringctl"), "snapshot", "--shm-dir", self.bed.shm_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(), ["ada logs in with ***, card 0, attempt 1"]
                         + [f"pulse {i}" for i in range(30)])
        self.assertNotIn(b"hunter", self.stored())


class Sampling(Bed):
    def test_keeps_one_in_ten_and_counts_the_others(self):
        self.configure(SAMPLE)
        consumer = self.start()
        gate, other = ToldService(self.bed, "ruled_service", service="gate"), ToldService(self.bed, "ruled_service", service="other")
        for service in (gate, other):
            service.tell("pulse 1000")
            service.tell("login 7")
            service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        (trace,) = [path for path in self.bed.traces() if "/gate." in path]
        kept = self.ringcat("--template", "{msg}", trace).splitlines()
        self.assertEqual(kept, [f"pulse {i}" for i in range(0, 1000, 10)]
                         + ["ada logs in with hunter-two-7, card 4000123412341241, attempt 7"])
        stats = json.loads(self.ringcat("stats", "--format", "json", self.bed.output_dir))
        self.assertEqual(stats["records"], 100 + 1000 + 2)
        self.assertEqual((stats["lost"], stats["sampled"]), (0, 900))
        self.ringcat("verify", self.bed.output_dir)

    def test_records_of_a_killed_consumerd_are_not_counted_twice(self):
        self.configure(SAMPLE)
        service = ToldService(self.bed, "ruled_service", service="gate")
        for _ in range(5):
            consumer = self.start()
            service.tell("pulse 1000")
            wait_until(lambda: not self.unread(), "the ring to be drained")
            consumer.kill()
        service.end()
        self.bed.run_consumer_once("--config", self.config)
        kept = [int(message.split()[1]) for message in self.messages()]
        self.assertEqual(kept, sorted(set(kept)))
        # Each consumerd starts its count anew, and keeps the first record.
        self.assertGreaterEqual(len(kept), 500)
        stats = json.loads(self.ringcat("stats", "--format", "json", self.bed.output_dir))
        self.assertLessEqual(stats["records"] + stats.get("sampled", 0), 5000)
        self.assertEqual(stats["lost"], 0)

    def unread(self):
        done = subprocess.run([program("ringstat"), "--once", "--json", "--shm-dir", self.bed.shm_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        return sum(thread["fill_bytes"] for service in json.loads(done.stdout)["services"]
                   for thread in service["threads"])


class Reload(Bed):
    def test_changes_the_rules_of_a_running_consumerd(self):
        self.configure("# nothing yet\n")
        consumer = self.start("--sandbox", "on")
        service = ToldService(self.bed, "ruled_service", service="gate")
        service.tell("pulse 100")
        self.drained(consumer)
        self.reload(consumer, SAMPLE)
        service.tell("pulse 100")
        self.drained(consumer)
        self.reload(consumer, HIDE)
        service.tell("pulse 100")
        service.tell("login 1")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(), [f"pulse {i}" for i in range(100)]
                         + [f"pulse {i}" for i in range(100, 200, 10)]
                         + [f"pulse {i}" for i in range(200, 300)]
                         + ["ada logs in with ***, card 0, attempt 1"])
        self.assertEqual(consumer.stderr().count("was read again"), 2)

    def drained(self, consumer):
        """Waits until all logged records are encoded: a flush is answered when they are written."""
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        done = subprocess.run([program("ringctl"), "flush", "--shm-dir", self.bed.shm_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + consumer.stderr())

    def test_keeps_the_previous_settings_when_the_file_is_invalid(self):
        self.configure(HIDE)
        consumer = self.start()
        service = ToldService(self.bed, "ruled_service", service="gate")
        self.reload(consumer, HIDE + 'typo = "x"\n')
        self.assertIn(f"{self.config}:5:1: [[redact]]: unknown key typo", consumer.stderr())
        self.assertIn("keeping the previous configuration", consumer.stderr())
        os.remove(self.config)
        consumer.send(signal.SIGHUP)
        wait_until(lambda: "No such file" in consumer.stderr(), "the message")
        service.tell("login 1")
        service.end()
        self.bed.wait_until_segments_are_gone()
        self.bed.stop_consumer(consumer)
        self.assertEqual(self.messages(), ["ada logs in with ***, card 0, attempt 1"])

    def test_reports_settings_that_need_a_restart(self):
        self.configure('io = "pwrite"\nkeep-files = 3\nrotate-bytes = "1M"\n')
        consumer = self.start()
        self.reload(consumer, 'io = "auto"\nkeep-files = 4\nrotate-bytes = "2M"\n')
        said = consumer.stderr()
        self.assertIn("io cannot change while consumerd runs", said)
        self.assertEqual(said.count("cannot change while consumerd runs"), 1, said)
        self.bed.stop_consumer(consumer)


    def test_changes_the_limits_of_retention(self):
        self.configure("")
        consumer = self.start()
        service = ToldService(self.bed, "ruled_service", service="gate")
        service.tell("pulse 1")
        wait_until(self.bed.traces, "the first file")
        for number in range(4):
            self.reload(consumer, "")
            wait_until(lambda least=number + 2: len(self.bed.traces()) >= least, "another file")
        self.reload(consumer, "keep-files = 2\n")  # of a consumerd that has kept all records until now
        wait_until(lambda: len(self.bed.traces()) <= 3, "two closed files and the present one")
        self.reload(consumer, "keep-bytes = 1\n")
        wait_until(lambda: len(self.bed.traces()) <= 1, "the present one alone")
        service.end()
        self.bed.stop_consumer(consumer)


class Settings(Bed):
    def test_of_the_file_equal_those_of_the_command_line(self):
        self.configure(f"""
output = "{self.bed.output_dir}"
shm-dir = "{self.bed.shm_dir}"
service = ["gate", "md*"]
allow-uid = [1, 2]
allow-group = ["daemon", "7"]
rotate-bytes = "64K"
rotate-after = "10m"
keep-files = 3
pack = true
io = "pwrite"
sandbox = "auto"
log-format = "json"
cpu = 0
verbose = true
""")
        done = self.run_consumerd("--config", self.config, "--once")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertIn("writing with pwrite", [line["message"] for line in lines])
        for line in lines:
            self.assertEqual(set(line) & {"time", "level", "message", "pid"},
                             {"time", "level", "message", "pid"})
            self.assertEqual(line["level"], "detail")
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")

    def test_json_messages_name_what_they_are_about(self):
        self.configure('log-format = "json"\n')
        service = ToldService(self.bed, "ruled_service", service="gate")
        service.tell("pulse 1")
        service.end()
        (segment,) = self.bed.segments()
        consumer = self.bed.run_consumer_once("--config", self.config)
        (line,) = [json.loads(line) for line in consumer.stderr().splitlines() if "draining" in line]
        self.assertEqual((line["segment"], line["file"]), (segment, self.bed.traces()[0]))

    def test_the_command_line_comes_before_the_environment_and_that_before_the_file(self):
        self.configure(f'output = "{self.bed.output_dir}"\nshm-dir = "{self.bed.shm_dir}"\n'
                       'verbose = true\nio = "uring"\n')
        environment = {"RINGSIDE_CONSUMERD_IO": "pwrite", "RINGSIDE_CONSUMERD_CONFIG": self.config}
        done = self.run_consumerd("--once", environment=environment)
        self.assertIn("writing with pwrite", done.stderr)
        done = self.run_consumerd("--once", "--io", "uring", environment=environment)
        self.assertNotIn("writing with pwrite", done.stderr)
        done = self.run_consumerd("--once", environment={**environment, "RINGSIDE_CONSUMERD_CPU": "x"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("RINGSIDE_CONSUMERD_CPU must be a processor number, from 0", done.stderr)

    def test_faults_have_their_places_and_exit_status_2(self):
        for text, place, what in (
                ("a = = 3\n", "1:5", "Error while parsing"),
                ("typo = 3\n", "1:1", "unknown key typo; known keys: output, text,"),
                ("\nkeep-files = 0\n", "2:14", "keep-files: must be an integer of at least 1"),
                ('io = "aio"\n', "1:6", "io: must be auto, uring or pwrite"),
                ("pack = 3\n", "1:8", "pack: must be true or false"),
                ("cpu = [1]\n", "1:7", "cpu: must be a number"),
                ("sample = 3\n", "1:10", "write [[sample]] once for each rule"),
                ("[[sample]]\n", "1:1", "[[sample]]: keep-one-in: is missing"),
                ("[[sample]]\nkeep-one-in = 0\n", "2:15", "must be an integer of at least 1"),
                ("[[sample]]\nkeep-one-in = 2\nservice = []\n", "3:11", "must be a string or an array"),
                ("[[redact]]\n", "1:1", "[[redact]]: field: is missing"),
                ('[[redact]]\nfield = "x"\nof-level = "loud"\n', "1:1", "of-level loud: invalid level"),
                ('[[redact]]\nfield = "x"\nregex = "("\n', "1:1", "regex ("),
                ('[[redact]]\nfield = "x"\nkeyword = "0"\n', "1:1", "keyword 0: invalid set of bits"),
                ('[[redact]]\nfield = "x"\nfiled = "y"\n', "3:1", "[[redact]]: unknown key filed"),
        ):
            with self.subTest(text=text):
                self.configure(text)
                done = self.run_consumerd("--config", self.config, "--check-config",
                                          "--output", self.bed.output_dir)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"consumerd: {self.config}:{place}: ", done.stderr)
                self.assertIn(what, done.stderr)

    def test_all_faults_are_reported_at_once_in_their_order(self):
        self.configure("io = 1\n[[sample]]\ntypo = 1\n[[redact]]\n")
        done = self.run_consumerd("--config", self.config, "--output", self.bed.output_dir)
        self.assertEqual([line.split(":")[2] for line in done.stderr.splitlines()],
                         ["1", "2", "3", "4"])

    def test_checking_touches_nothing(self):
        self.configure(HIDE + SAMPLE)
        done = self.run_consumerd("--config", self.config, "--check-config", "--shm-dir",
                                  self.bed.shm_dir, "--output", self.bed.output_dir)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "consumerd: options and configuration are valid\n")
        self.assertEqual((self.bed.shm_names(), self.bed.traces()), ([], []))

    def test_a_file_that_others_could_have_written_is_refused(self):
        self.configure(HIDE)
        os.chmod(self.config, stat.S_IRUSR | stat.S_IWUSR | stat.S_IWOTH)
        done = self.run_consumerd("--config", self.config, "--output", self.bed.output_dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is writable by all users; remove that permission (chmod o-w)", done.stderr)
        done = self.run_consumerd("--config", "/dev/null", "--output", self.bed.output_dir)
        self.assertIn("is not a regular file", done.stderr)
        done = self.run_consumerd("--config", self.config + "x", "--output", self.bed.output_dir)
        self.assertIn("cannot be read: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
