#!/usr/bin/env python3
"""ringrun and signals: from other processes, from a terminal, for the program and for ringrun itself. Nothing is left after
any of them."""

import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from checked_output import print_and_check
from ringrun_case import RingrunCase
from traced_processes import BOUND_S, program, wait_until

# Shows each signal that it gets, and ends at the second SIGINT or at SIGTERM. Handlers in Python would show two signals that come
# at the same time as one.
SIGNALLED = """
import os, signal, sys
arrived, arrives = os.pipe()
os.set_blocking(arrives, False)
signal.set_wakeup_fd(arrives)
for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "WINCH", "CONT"):
    signal.signal(getattr(signal, "SIG" + name), lambda *_: None)
print("ready", os.getpid(), flush=True)
seen = []
while signal.SIGTERM not in seen and seen.count(signal.SIGINT) < 2:
    for number in os.read(arrived, 100):
        seen.append(number)
        print(signal.Signals(number).name, flush=True)
sys.exit(7)
"""


def python(script):
    return [sys.executable, "-c", script]


def state(pid):
    """T: stopped."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


class Signals(RingrunCase):
    def start_signalled(self, *options):
        process = self.start_it(*options, "--", *python(SIGNALLED))
        wait_until(lambda: "ready" in process.stdout(), "the program to be ready")
        return process

    def shown(self, process):
        return process.stdout().split()[2:]

    def test_signals_reach_the_program_once_each(self):
        process = self.start_signalled()
        names = []
        for name in ("SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT", "SIGINT"):
            process.send(getattr(signal, name))
            names.append(name)
            wait_until(lambda: self.shown(process) == names, f"{name} in the program: {self.shown(process)}")
        self.assertTrue(process.running())
        process.send(signal.SIGTERM)
        self.assertEqual(process.wait(), 7)
        self.assertEqual(self.shown(process), names + ["SIGTERM"])
        self.check_nothing_is_left()

    def test_a_second_interrupt_is_not_lost(self):
        process = self.start_signalled()
        for count in (1, 2):
            process.send(signal.SIGINT)
            wait_until(lambda: self.shown(process) == ["SIGINT"] * count, f"interrupt {count}")
        self.assertEqual(process.wait(), 7)
        self.check_nothing_is_left()

    def test_a_signal_that_ends_the_program_ends_ringrun(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number.name):
                process = self.start_it("--", "sh", "-c", "ulimit -c 0; echo ready; exec sleep 1000")
                wait_until(lambda: "ready" in process.stdout(), "the program")
                process.send(number)
                self.assertEqual(process.wait(), -number)
                self.check_nothing_is_left()

    def test_a_signal_before_the_program_starts_ends_everything(self):
        for pause_ms in range(0, 30, 3):
            with self.subTest(pause_ms):
                process = self.start_it("--", "sleep", "1000")
                time.sleep(pause_ms / 1000)
                process.send(signal.SIGTERM)
                self.assertEqual(process.wait(), -signal.SIGTERM)
                self.check_nothing_is_left()

    def test_a_signal_ends_the_printing_of_the_rest(self):
        # Nothing reads the pipe with the records.
        process = self.start_it("--records", "stdout", "--keep", self.bed.output_dir, "--", "sh", "-c",
                                f"{program('workload')} --records 20000 >/dev/null; echo end >&2; exit 5", pipe_stdout=True)
        wait_until(lambda: "end" in process.stderr(), "the end of the program")
        wait_until(lambda: self.repeat(process, signal.SIGINT), "the end of ringrun")
        self.assertEqual(process.wait(), 5)
        self.assertIn("ringrun: the last records are not printed because of a signal; ", process.stderr())
        self.assertEqual(print_and_check(*self.bed.traces()).records, 20000)
        self.check_nothing_is_left()

    def repeat(self, process, number):
        """The first ones can come at the end of the program, which has them already."""
        time.sleep(0.1)
        process.send(number)
        return not process.running()

    def test_kill_of_ringrun_or_of_its_process_group_leaves_nothing(self):
        for kill in (os.kill, os.killpg):
            for options in ((), ("--keep", os.path.join(self.bed.work_dir, kill.__name__))):
                with self.subTest(kill=kill.__name__, options=options):
                    # The program does not end by itself: its input stays open.
                    process = self.start_it(*options, "--", program("workload"), "--records", "0", stdin=subprocess.PIPE)
                    wait_until(lambda: len(process.stderr().splitlines()) > 10, "records")
                    kill(process.pid, signal.SIGKILL)
                    process.wait()
                    wait_until(lambda: not self.users(), "the end of all processes", 20)
                    self.check_nothing_is_left()
                    if options:
                        self.assertGreater(print_and_check(options[1]).records, 10)

    def test_a_stopped_program_stops_ringrun_and_both_continue(self):
        process = self.start_it("--", *python("import os, signal\nprint('ready', os.getpid(), flush=True)\n"
                                              "signal.signal(signal.SIGUSR1, lambda *_: os._exit(9))\n"
                                              "while True: signal.pause()"))
        wait_until(lambda: "ready" in process.stdout(), "the program")
        child = int(process.stdout().split()[1])

        # A process of an orphaned group does not stop by SIGTSTP; SIGSTOP of the program does not stop ringrun.
        os.kill(child, signal.SIGSTOP)
        wait_until(lambda: state(child) == "T", "the program to stop")
        self.assertNotEqual(state(process.pid), "T")
        process.send(signal.SIGCONT)
        wait_until(lambda: state(child) != "T", "the program to continue")
        process.send(signal.SIGUSR1)
        self.assertEqual(process.wait(), 9)
        self.check_nothing_is_left()


class Terminal(RingrunCase):
    """An interactive shell at a terminal, with job control."""

    def setUp(self):
        super().setUp()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ.update(self.environment, TERM="xterm", PS1="ready> ")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
        self.said = b""
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(self.end_shell)
        self.expect(b"ready> ")

    def end_shell(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)

    def expect(self, text):
        """Waits until the terminal shows it, after what earlier calls waited for."""
        end = time.monotonic() + BOUND_S
        while text not in self.said:
            ready = select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]
            self.assertTrue(ready, f"{text} is missing in {self.said}")
            self.said += os.read(self.terminal, 65536)
        before, self.said = self.said.split(text, 1)
        return before

    def type(self, text):
        os.write(self.terminal, text)

    def script(self, text):
        with tempfile.NamedTemporaryFile("w", dir=self.bed.work_dir, suffix=".py", delete=False) as file:
            file.write(text)
        return f"{sys.executable} {file.name}".encode()

    def command(self, rest):
        self.type(program("ringrun").encode() + b" -- " + rest + b"\n")

    def test_an_interrupt_key_reaches_the_program_once(self):
        self.command(self.script(SIGNALLED))
        self.expect(b"ready ")
        self.type(b"\x03")
        self.expect(b"SIGINT")
        time.sleep(0.2)  # for a second one, which must not come
        names = {os.path.basename(word) for _, word in self.users()}
        self.assertLessEqual({b"consumerd", b"ringcat"}, names)
        self.type(b"\x1c")
        self.assertNotIn(b"SIGINT", self.expect(b"SIGQUIT"))
        self.type(b"\x03")
        self.expect(b"SIGINT")
        self.expect(b"ready> ")
        self.type(b"echo status=$?\n")
        self.expect(b"status=7")
        self.check_nothing_is_left_but_the_shell()

    def check_nothing_is_left_but_the_shell(self):
        self.assertEqual(self.bed.shm_names() + os.listdir(self.tmp), [])
        self.assertEqual([word for _, word in self.users()], [b"bash"])

    def test_job_control_stops_and_continues_both(self):
        self.command(b"cat")
        self.type(b"first\n")
        self.expect(b"first\r\nfirst\r\n")
        self.type(b"\x1a")
        self.expect(b"Stopped")
        self.expect(b"ready> ")
        self.type(b"fg\n")
        self.expect(b"-- cat\r\n")
        self.type(b"second\n")
        self.expect(b"second\r\nsecond\r\n")
        self.type(b"\x04")
        self.expect(b"ready> ")
        self.check_nothing_is_left_but_the_shell()

    def test_a_program_in_the_background_that_reads_stops(self):
        self.type(program("ringrun").encode() + b" -- cat &\n")
        self.expect(b"ready> ")
        wait_until(lambda: self.jobs_say(b"Stopped"), "the job to be stopped")
        self.type(b"fg\n")
        self.expect(b"-- cat\r\n")
        self.type(b"text\n")
        self.expect(b"text\r\ntext\r\n")
        self.type(b"\x03")
        self.expect(b"ready> ")
        self.check_nothing_is_left_but_the_shell()

    def test_stop_and_continue_are_forwarded(self):
        self.type(program("ringrun").encode() + b" -- sleep 1000 &\n")
        (sleeper,) = wait_until(lambda: [pid for pid, word in self.users() if word == b"sleep"], "the program")
        self.type(b"kill -TSTP $!\n")
        wait_until(lambda: self.jobs_say(b"Stopped"), "ringrun to stop")
        self.assertEqual(state(sleeper), "T")
        self.type(b"kill -CONT $!\n")
        wait_until(lambda: state(sleeper) == "S", "the program to continue")
        self.assertTrue(self.jobs_say(b"Running"))
        self.type(b"kill $!\n")
        wait_until(lambda: not self.jobs_say(b"sleep"), "the end of the job")
        self.check_nothing_is_left_but_the_shell()

    def jobs_say(self, text):
        self.type(b"jobs; echo en''d\n")
        return text in self.expect(b"end\r\n")

    def test_levels_are_coloured_on_a_terminal(self):
        self.command(program("example_hello").encode())
        self.expect(b"\x1b[36mNOTICE\x1b[0m [")


if __name__ == "__main__":
    unittest.main(verbosity=2)
