#!/usr/bin/env python3
"""ringstat from outside: its output, checked against its schema; its screens in a real terminal; its alerts."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from progress_file import ProgressFile
from traced_processes import BOUND_S, TestBed, program, wait_until

SCHEMA = os.environ["RINGSIDE_TEST_RINGSTAT_SCHEMA"]
COLOUR = re.compile("\x1b\\[3[0-7]m")


class Terminal:
    """A terminal of 80 by 24 characters that runs one program, in tmux."""

    def __init__(self, arguments, columns=80, lines=24, environment=None):
        self.work_dir = tempfile.mkdtemp(prefix="ringside-test-")
        self.socket = os.path.join(self.work_dir, "tmux")
        settings = {"TERM": "xterm-256color", "LANG": "C.UTF-8", **(environment or {})}
        words = " ".join(f"{name}={value}" for name, value in settings.items())
        # The trap is needed because the terminal interrupts the shell too, and dash would end before it echoes.
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", lines,
                  f"trap : INT; env {words} {' '.join(map(str, arguments))}; echo ended with $?; sleep 1000")

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, *map(str, arguments)],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False,
                       timeout=BOUND_S)
        shutil.rmtree(self.work_dir, ignore_errors=True)

    def lines(self, *options):
        return self.tmux("capture-pane", "-p", *options).split("\n")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def wait_for(self, what, *absent):
        def shown():
            text = "\n".join(self.lines())
            return what in text and not any(word in text for word in absent) and text
        return wait_until(shown, f"{what!r} on the screen:\n" + "\n".join(self.lines()))


class Ringstat(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)

    def workload(self, *arguments, service="orders", threads=2, **how):
        progress = ProgressFile(os.path.join(self.bed.work_dir, "progress-" + service))
        process = self.bed.start_service(
            "--threads", threads, "--records", 0, "--burst", 20, "--pause-us", 1000, "--progress",
            progress.path, *arguments, service=service, piped=True, **how)
        wait_until(progress.total, "the first record")
        return process

    def adopted(self):
        consumer = self.bed.start_consumer()
        wait_until(lambda: "draining" in consumer.stderr(), "the segment to be adopted")
        return consumer

    def command(self, *arguments):
        return [program("ringstat"), "--shm-dir", self.bed.shm_dir, *map(str, arguments)]

    def run_ringstat(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              timeout=BOUND_S, check=False)

    def look(self, *arguments, interval="300ms"):
        done = self.run_ringstat("--once", "--json", "--interval", interval, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path = os.path.join(self.bed.work_dir, "ringstat.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        # Debian's program, independent of the Python that runs this test.
        checked = subprocess.run(["/usr/bin/jsonschema", "-i", path, SCHEMA], capture_output=True,
                                 text=True, timeout=BOUND_S, check=False)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        found = json.loads(done.stdout)
        return {one["service"]: one for one in found["services"]}

    def terminal(self, *arguments, **how):
        terminal = Terminal(self.command("--interval", "200ms", *arguments), **how)
        self.addCleanup(terminal.close)
        return terminal

    def test_rates_shares_and_fill_are_those_of_the_service(self):
        self.workload()
        self.adopted()

        def busy():
            """A poll in which every service made progress: other processes use the processors too."""
            (service,) = self.look().values()
            threads = service["threads"]
            statements = [one for one in service["statements"] if one["share"] > 0]
            return (service["consumer"]["health"] == "polling" and len(statements) > 10 and
                    all(one["records_per_s"] > 0 and one["bytes_per_s"] > 0 for one in threads) and
                    service)
        service = wait_until(busy, "a poll of a busy service")
        self.assertTrue(service["alive"])
        self.assertEqual(service["lost"], 0)
        self.assertEqual(len(service["threads"]), 2)
        for thread in service["threads"]:
            self.assertLessEqual(thread["fill_bytes"], service["ring_bytes"])
            self.assertLessEqual(thread["fill_bytes"], thread["high_water_bytes"])
            size = thread["recommended_ring_bytes"]
            self.assertTrue(size >= 65536 and size & (size - 1) == 0, size)
        self.assertAlmostEqual(sum(one["share"] for one in service["statements"]), 1, 3)
        self.assertAlmostEqual(sum(one["bytes_per_s"] for one in service["statements"]),
                               service["bytes_per_s"], delta=service["bytes_per_s"] / 100)
        self.assertTrue(all(one["enabled"] for one in service["statements"]))

    def test_without_a_consumerd_it_reports_the_consequences(self):
        self.workload(ring_bytes=65536, timeout_ms=1, overflow="drop")
        service = wait_until(lambda: (lambda one: one["lost"] and one)(self.look()["orders"]),
                             "losses")
        self.assertEqual(service["consumer"]["health"], "none")
        self.assertEqual(service["lost"], sum(service["lost_by_cause"].values()))
        self.assertGreater(service["lost_by_cause"]["no_consumer"], 0)
        # Read one after the other, while further records are lost; each thread may be counting one at that moment.
        by_statement = sum(one["lost"] for one in service["statements"])
        self.assertGreaterEqual(by_statement + len(service["threads"]), service["lost"])
        later = self.look()["orders"]
        self.assertLessEqual(by_statement, later["lost"] + len(service["threads"]))
        self.assertGreater(service["fullest_permille"], 900)
        text = self.run_ringstat("--once", "--interval", "100ms").stdout
        self.assertIn("no consumerd", text)
        self.assertIn("no_consumer", text)
        self.assertRegex(text, r"\nbacklog: \S+( \S+)? recorded but not yet written\n")

    def test_consumerd_that_is_stopped_is_silent(self):
        self.workload()
        consumer = self.adopted()
        consumer.send(19)  # SIGSTOP
        wait_until(lambda: self.look()["orders"]["consumer"]["health"] == "silent", "the silence")
        self.assertIn("has sent no heartbeat", self.run_ringstat("--once").stdout)
        consumer.send(18)

    def test_overwritten_rings_are_full_by_design(self):
        self.workload(overflow="overwrite", ring_bytes=65536)
        self.adopted()

        def full():
            service = self.look()["orders"]
            return (service["threads"][0]["fill_bytes"] > 50000 and service["records_per_s"] > 0 and
                    service)
        service = wait_until(full, "a full ring")
        self.assertEqual((service["policy"], service["unwritten_bytes"], service["lost"]), ("overwrite", 0, 0))
        fills = [one["fill_bytes"] * 1000 // service["ring_bytes"] for one in service["threads"]]
        self.assertEqual(service["fullest_permille"], max(fills))

    def test_cost_of_log_calls_is_of_the_threads_and_of_the_service(self):
        self.workload(environment={"RINGSIDE_COST_SAMPLING": "4"})
        self.workload(service="quotes")
        self.adopted()

        def measured():
            found = self.look()
            return (min(one["call_cost"]["calls_measured"] for one in found["orders"]["threads"])
                    > 50 and found)
        services = wait_until(measured, "calls of both threads to be measured")
        for nothing in [services["quotes"], *services["quotes"]["threads"]]:
            self.assertIsNone(nothing["call_cost"])
        orders = services["orders"]
        for one in [orders, *orders["threads"]]:
            cost = one["call_cost"]
            self.assertEqual(cost["one_in"], 4)
            self.assertEqual(cost["calls_measured"],
                             sum(bucket["calls"] for bucket in cost["buckets"]))
            self.assertLessEqual(cost["p50_ns"], cost["p99_ns"])
            self.assertLessEqual(cost["p99_ns"], cost["max_ns"])
            self.assertLess(0, cost["mean_ns"])
            for bucket, following in zip(cost["buckets"], cost["buckets"][1:]):
                self.assertLessEqual(bucket["to_ns"], following["from_ns"])
        self.assertEqual(orders["call_cost"]["calls_measured"],
                         sum(one["call_cost"]["calls_measured"] for one in orders["threads"]))
        text = self.run_ringstat("--once", "--interval", "100ms").stdout
        self.assertRegex(text, r"CALL P50 +P99 +MAX")
        self.assertRegex(text, r"1 in 4 log calls \(.*\): mean .*, p50 .*, p99 .*, max ")
        self.assertRegex(text, r"FROM +TO +CALLS +SHARE")

    def test_screen_of_a_threads_cost(self):
        self.workload(environment={"RINGSIDE_COST_SAMPLING": "1"})
        self.workload(service="quotes")
        terminal = self.terminal()
        terminal.wait_for("quotes")
        terminal.press("Enter")
        text = terminal.wait_for("CALL P50")
        self.assertIn("? help", text.split("\n")[23])
        self.assertLess(max(map(len, text.split("\n"))), 81)
        terminal.press("Enter")
        text = terminal.wait_for("SHARE")
        self.assertIn("cost of log calls", text.split("\n")[0])
        self.assertRegex(text, r"#####")
        self.assertRegex(text, r"1 in 1 log calls")
        self.assertIn("q quit", text.split("\n")[23])
        terminal.press("Escape")
        terminal.wait_for("CALL P50")
        terminal.press("Escape")
        terminal.wait_for("2 services")
        terminal.press("Down", "Enter")
        terminal.wait_for("BLOCKED", "CALL P50")
        terminal.press("Enter")
        terminal.wait_for("not measured; start the service with RINGSIDE_COST_SAMPLING")

    def test_without_services(self):
        done = self.run_ringstat("--once", "--interval", "50ms")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("no traced service", done.stderr)
        done = subprocess.run([program("ringstat"), "--once", "--shm-dir", "/nowhere"],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--shm-dir", done.stderr)
        done = self.run_ringstat()
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a terminal", done.stderr)
        for wrong in (["--json"], ["--interval", "0"], ["--once", "--watch-exit"], ["--fill", "5"],
                      ["--watch-exit", "--for", "0"], ["--watch-exit", "--for", "0s"]):
            self.assertEqual(self.run_ringstat(*wrong).returncode, 2, wrong)

    def test_alerts_exit_with_their_reason(self):
        self.assertEqual(self.run_ringstat("--watch-exit", "--for", "300ms", "--interval", "100ms")
                         .returncode, 0)
        self.workload("--pause-us", 50000, service="well")
        consumer = self.adopted()

        def ends_well():
            done = self.run_ringstat("--watch-exit", "--for", "600ms", "--interval", "100ms")
            # If consumerd gets no processor for a second, ringstat reports an alert.
            self.assertIn((done.returncode, done.stdout == ""), ((0, True), (11, False)))
            return done.returncode == 0
        wait_until(ends_well, "a time without alerts")
        self.bed.stop_consumer(consumer)
        done = self.run_ringstat("--watch-exit", "--interval", "100ms", "--fill", "100")
        self.assertEqual(done.returncode, 11, done.stdout)
        self.assertIn("consumerd: none", done.stdout)
        self.workload(service="loud", ring_bytes=65536, overflow="drop")
        done = self.run_ringstat("--watch-exit", "--interval", "100ms", "--service", "loud")
        self.assertIn(done.returncode, (10, 11, 13), done.stdout)  # full, and loses records after that

        def loses():
            done = self.run_ringstat("--watch-exit", "--interval", "100ms", "--service", "loud",
                                     "--fill", "100")
            self.assertIn(done.returncode, (10, 11, 13), done.stdout)
            return done.returncode == 10 and "lost" in done.stdout
        wait_until(loses, "losses between two polls")

    def test_screens(self):
        self.workload(service="orders")
        self.workload(service="quotes", threads=1)
        self.adopted()
        terminal = self.terminal()
        terminal.wait_for("quotes")
        text = terminal.wait_for("? help")  # the last line; the screen may have been read in two parts
        lines = text.split("\n")
        self.assertIn("2 services", lines[0])
        self.assertTrue(lines[1].startswith("SERVICE"), text)
        self.assertIn("? help", lines[23])
        self.assertRegex(terminal.wait_for("bytes/s  "), "\nbytes/s  [\u2581-\u2588]+  most ")
        self.assertLess(max(map(len, lines)), 81)
        terminal.press("Down", "Enter")
        text = terminal.wait_for("BLOCKED")
        self.assertIn("quotes", text.split("\n")[0])
        self.assertIn("w0", text)
        terminal.press("Tab")
        text = terminal.wait_for("SHARE")
        self.assertIn("record_cases.inc", text)
        terminal.press("/")
        terminal.press("nothing", "Enter")
        terminal.wait_for("nothing else", "pointer")
        terminal.press("Escape")
        terminal.wait_for("2 services")
        terminal.press("?")
        terminal.wait_for("select another line")
        terminal.press("?")
        terminal.press("o")
        terminal.wait_for("by rate")
        terminal.press("p")
        terminal.wait_for("PAUSED")
        terminal.press("q")
        terminal.wait_for("ended with 0")

    def test_other_sizes_of_the_terminal(self):
        self.workload()
        self.adopted()
        terminal = self.terminal(columns=200, lines=50)
        terminal.wait_for("RATE")
        terminal.wait_for("POLICY")
        terminal.tmux("resize-window", "-x", 60, "-y", 10)
        terminal.wait_for("orders", "POLICY")
        terminal.tmux("resize-window", "-x", 20, "-y", 3)
        terminal.press("Down")
        terminal.tmux("resize-window", "-x", 120, "-y", 30)
        terminal.wait_for("POLICY")

    def test_no_colour_where_it_is_disabled(self):
        self.workload()
        terminal = self.terminal()
        terminal.wait_for("no consumerd")
        self.assertRegex("\n".join(terminal.lines("-e")), COLOUR)
        plain = self.terminal(environment={"NO_COLOR": "1"})
        plain.wait_for("no consumerd")
        self.assertNotRegex("\n".join(plain.lines("-e")), COLOUR)

    def test_a_terminal_that_cannot_be_drawn_on_is_refused(self):
        self.workload()
        for kind, words in (("unheard-of", "is unknown"), ("dumb", "cannot position the cursor")):
            terminal = self.terminal(environment={"TERM": kind})
            text = terminal.wait_for("ended with 1")
            self.assertIn(f'ringstat: terminal type "{kind}" (TERM) {words}; use --once', text)

    def test_without_utf8_there_are_question_marks(self):
        self.workload(service="caf\u00e9")
        terminal = self.terminal(environment={"LANG": "C", "LC_ALL": "C"})
        terminal.wait_for("caf? ")

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.workload()
        for arguments in (["--once"], ["--once", "--json"], ["--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([program("ringstat"), *arguments, "--shm-dir", self.bed.shm_dir], stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=BOUND_S, check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "ringstat: cannot write: No space left on device\n"))

    def test_signal_leaves_the_terminal_in_order(self):
        self.workload()
        terminal = self.terminal()
        terminal.wait_for("orders")
        terminal.press("C-c")
        terminal.wait_for("ended with 0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
