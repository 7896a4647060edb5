#!/usr/bin/env python3
"""ringrun: a program with a private consumerd, and its records. What goes where, which records are selected, how a run ends,
and that nothing is left."""

import os
import signal
import subprocess
import unittest

from checked_output import print_and_check
from ringrun_case import RingrunCase
from small_file_system import SmallFileSystem
from traced_processes import BOUND_S, program, wait_until

FAILED, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127

# Every set of closed standard streams.
CLOSED = [[fd for fd in range(3) if bits & 1 << fd] for bits in range(1, 8)]


class Output(RingrunCase):
    def test_records_go_to_standard_error_and_the_output_of_the_program_stays_alone(self):
        done = self.run_it("--", program("workload"), "--records", 50)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split()[:2], ["state=1", "logged=50"])
        self.assertEqual(len(done.stderr.splitlines()), 50, done.stderr)
        self.check_nothing_is_left()

    def test_records_can_go_to_standard_output(self):
        done = self.run_it("--records", "stdout", program("workload"), "--records", 50)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 51)

    def test_standard_input_is_that_of_the_program(self):
        done = subprocess.run([program("ringrun"), "cat"], input="one\ntwo\n", capture_output=True, text=True,
                              env={**os.environ, **self.environment}, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "one\ntwo\n", ""))

    def print_many(self, records, threads):
        """The lines that ringrun prints, as bytes, without messages."""
        path = os.path.join(self.bed.work_dir, "records")
        with open(path, "wb") as file:
            done = subprocess.run([program("ringrun"), "--utc", "--", program("workload"), "--records", str(records),
                                   "--threads", str(threads)],
                                  env={**os.environ, **self.environment, "RINGSIDE_BLOCK_TIMEOUT_MS": "60000"},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file, timeout=BOUND_S,
                                  check=False)
        self.assertEqual(done.returncode, 0)
        self.check_nothing_is_left()
        with open(path, "rb") as file:
            return [line for line in file if not line.startswith(b"ringcat: ")]

    def check_lines(self, lines, count):
        """Each record exactly once, as predicted, and in order."""
        checked = subprocess.run([program("check_output")], input=b"".join(lines), capture_output=True, timeout=BOUND_S,
                                 check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr[-2000:])
        values = dict(line.split("=") for line in checked.stdout.decode().split())
        self.assertEqual((int(values["records"]), int(values["lost"])), (count, 0))

    def test_many_records_are_printed_exactly_once_and_in_order(self):
        self.check_lines(self.print_many(400_000, 1), 400_000)

    def test_many_records_of_several_threads_are_printed_exactly_once(self):
        lines = self.print_many(150_000, 3)
        # As ringcat reports, records of one thread can come after newer ones of another thread. Those of one thread cannot:
        # the sort is stable.
        self.check_lines(sorted(lines, key=lambda line: line.split(b" ", 2)[:2]), 450_000)

    def test_records_are_printed_while_the_program_runs(self):
        process = self.start_it("--", program("workload"), "--records", "5", "--hold", stdin=subprocess.PIPE)
        wait_until(lambda: len(process.stderr().splitlines()) == 5, "the records of a running program")
        self.assertTrue(process.running())
        process.end_input()
        self.assertEqual(process.wait(), 0)
        self.check_nothing_is_left()

    def test_records_of_forked_children_are_printed(self):
        done = self.run_it("--", program("forking_service"), 1000)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if " INFO " in line]
        self.assertEqual(len(lines), 5000, done.stderr[-2000:])
        self.assertEqual(len(set(lines)), 5000)
        self.check_nothing_is_left()

    def test_a_child_that_outlives_the_program_is_not_waited_for_and_its_records_until_then_are_printed(self):
        done_file = os.path.join(self.bed.work_dir, "done")
        script = (f"sleep 1000 2>/dev/null | {program('workload')} --records 30 --hold >{done_file} 2>&1 & "
                  f"until grep -qs done {done_file}; do sleep 0.01; done")
        done = self.run_it("--", "sh", "-c", script)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 30), done.stderr)
        self.assertEqual(self.bed.shm_names() + os.listdir(self.tmp), [])
        left = {word: int(pid) for pid, word in self.users()}
        self.assertEqual(set(left), {b"sleep", program("workload").encode()})
        # Without its directory it ends as usual.
        os.kill(left[b"sleep"], signal.SIGKILL)
        wait_until(lambda: not self.users(), "the end of the child")
        with open(done_file, encoding="utf-8") as file:
            self.assertIn("logged=30", file.read())

    def test_closed_streams_stay_closed_for_the_program(self):
        for closed in CLOSED:
            with self.subTest(closed=closed):
                seen = os.path.join(self.bed.work_dir, "seen")
                probe = f"for fd in 0 1 2; do [ -e /proc/$$/fd/$fd ] && echo $fd; done >{seen}; true"
                # While the output of the loop goes to a file, descriptor 1 exists.
                expected = [fd for fd in range(3) if fd == 1 or fd not in closed]
                done = self.run_without(closed, "--", "sh", "-c", probe)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(seen, encoding="ascii") as file:
                    self.assertEqual([int(line) for line in file], expected)
                self.check_nothing_is_left()

    def test_a_program_runs_with_every_set_of_closed_streams_and_its_trace_is_kept(self):
        for closed in CLOSED:
            with self.subTest(closed=closed):
                keep = os.path.join(self.bed.work_dir, "kept" + "".join(map(str, closed)))
                self.run_without(closed, "--keep", keep, program("workload"), "--records", "200")
                told = print_and_check(keep)
                self.assertEqual((told.records, told.lost), (200, 0))
                self.check_nothing_is_left()

    def run_without(self, streams, *words):
        """As a shell starts it with these streams closed."""
        closings = " ".join(f"{fd}>&-" for fd in streams)
        return subprocess.run(["/bin/sh", "-c", f'exec "$@" {closings}', "sh", program("ringrun"), *words],
                              env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=BOUND_S, check=False)

    def test_the_reader_of_the_records_can_leave(self):
        command = f'"{program("ringrun")}" --records stdout -- sh -c "{program("workload")} --records 50000; echo end >&2" | head -n 1'
        done = subprocess.run(["sh", "-c", command], env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        wait_until(lambda: not self.users(), "the end of all processes")
        self.check_nothing_is_left()


class Options(RingrunCase):
    def lines(self, *options, records=300):
        done = self.run_it(*options, "--", program("workload"), "--records", records)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.splitlines()

    def test_filters_and_formats_are_those_of_ringcat(self):
        for number, (options, expected) in enumerate((
                (("--grep", "/7 "), 1), (("--where", 'msg =~ "/[0-9] "'), 10), (("--min-level", "error"), 0),
                (("--thread", "w0", "--thread", "none"), 300), (("--service", "nothing"), 0), (("--category", "x*"), 0),
                (("--site", "hex %#x"), None), (("--no-losses",), 300), (("--format", "json"), 300),
                (("--format", "csv", "--columns", "utc,seq,msg"), 301), (("--template", "{seq}: {msg}"), 300),
                (("--show", "seq,service"), 300), (("--color", "always", "--raw"), 300))):
            with self.subTest(options):
                keep = os.path.join(self.bed.work_dir, str(number))
                lines = self.lines("--utc", "--keep", keep, *options)
                same = ["--level" if word == "--min-level" else word for word in options]
                done = subprocess.run([program("ringcat"), "--utc", *same, keep], capture_output=True, text=True,
                                      timeout=BOUND_S, check=False)
                self.assertEqual(lines, done.stdout.splitlines())
                self.assertIn(expected, (None, len(lines)))

    def test_the_level_is_that_of_the_service(self):
        script = 'echo "${RINGSIDE_LEVEL-none}"'
        self.assertEqual(self.run_it("--", "sh", "-c", script).stdout, "none\n")
        self.assertEqual(self.run_it("--level", "warning", "--", "sh", "-c", script).stdout, "warning\n")
        self.assertEqual(self.lines("--level", "error"), [])

    def test_words_of_the_program_are_its_own(self):
        for words in (("echo", "--level", "x", "--", "-h"), ("--", "echo", "--level", "x", "--", "-h")):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (0, "--level x -- -h\n"), done.stderr)

    def test_invalid_usage_runs_nothing(self):
        touched = os.path.join(self.bed.work_dir, "touched")
        for options, what in ((("--where", "a >"), "expected a value"), (("--level", "loud"), "unknown level 'loud'"),
                              (("--format", "xml"), "xml"), (("--records", "here"), "here"), (("--no-such",), "no-such"),
                              (("--keep", "/nowhere/at/all"), "cannot create '/nowhere/at/all'")):
            with self.subTest(options):
                done = self.run_it(*options, "--", "touch", touched)
                self.assertEqual(done.returncode, FAILED, done.stderr)
                self.assertIn(what, done.stderr)
                self.assertFalse(os.path.exists(touched))
                self.check_nothing_is_left()
        self.assertEqual(self.run_it().returncode, FAILED)

    def test_files_that_are_not_kept_are_limited(self):
        for options in ((), ("--keep", self.bed.output_dir)):
            script = f"tr '\\0' '\\n' </proc/$(pgrep -f -- '--shm-dir '$RINGSIDE_SHM_DIR)/cmdline"
            words = self.run_it(*options, "--", "sh", "-c", script).stdout.split()
            self.assertIn("--output", words)
            self.assertEqual("--keep-bytes" in words, not options)

    def test_variables_for_another_consumerd_have_no_effect(self):
        self.environment["RINGSIDE_CONSUMERD_SERVICE"] = "other"
        self.environment["RINGSIDE_CONSUMERD_METRICS"] = "no address"
        self.assertEqual(len(self.lines(records=20)), 20)

    def test_the_trace_is_kept_on_request_beside_those_of_earlier_runs(self):
        keep = os.path.join(self.bed.work_dir, "kept")
        for run in (1, 2):
            done = self.run_it("--keep", keep, "--", program("workload"), "--records", 40)
            # Records of the first run are not printed again.
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 40), done.stderr)
            self.assertEqual(len(os.listdir(keep)), run)
            self.assertTrue(all(name.endswith(".ringtrace") for name in os.listdir(keep)))
            self.check_nothing_is_left()
        printed = subprocess.run([program("ringcat"), keep], capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((printed.returncode, len(printed.stdout.splitlines())), (0, 80), printed.stderr)


class Places(RingrunCase):
    def test_directories_are_private(self):
        script = 'stat -c %a "$RINGSIDE_SHM_DIR"; dirname "$RINGSIDE_SHM_DIR"'
        self.assertEqual(self.run_it("--", "sh", "-c", script).stdout, f"700\n{self.bed.shm_dir}\n")

    def test_without_a_place_for_shared_memory_another_one_is_used_and_reported(self):
        self.environment["RINGSIDE_SHM_DIR"] = "/nowhere"
        done = self.run_it("--", program("workload"), "--records", "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 21)
        self.assertIn("ringrun: cannot use shared memory in '/nowhere': No such file or directory; using '", done.stderr)
        self.environment["TMPDIR"] = "/nowhere"
        done = self.run_it("--", "true")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("; set TMPDIR to a writable directory", done.stderr)
        self.check_nothing_is_left()

    @unittest.skipIf(os.geteuid() != 0, "only root can mount a small file system")
    def test_full_shared_memory_is_reported_and_not_used(self):
        with SmallFileSystem(4 << 20) as small:
            self.environment["RINGSIDE_SHM_DIR"] = small.path
            done = self.run_it("--", program("workload"), "--records", "20")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 21), done.stderr)
            self.assertRegex(done.stderr, r"ringrun: cannot use shared memory in '\S+': only \d+ KiB free; using '\S+', where log "
                                          r"calls may be slower; free space there, or set RINGSIDE_SHM_DIR to another tmpfs")
            self.assertEqual(os.listdir(small.path), [])
        self.check_nothing_is_left()


class End(RingrunCase):
    def test_the_status_is_that_of_the_program(self):
        for status in (0, 1, 2, 125, 255):
            self.assertEqual(self.run_it("--", "sh", "-c", f"exit {status}").returncode, status)

    def test_programs_that_cannot_be_executed_are_reported_as_by_env(self):
        done = self.run_it("--", "./no-such-program")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertEqual(self.messages(done.stderr), done.stderr.splitlines())
        self.assertIn("cannot run './no-such-program': No such file or directory; ", done.stderr)
        done = self.run_it("--", "/")
        self.assertEqual(done.returncode, NOT_EXECUTABLE)
        self.check_nothing_is_left()

    def test_a_crash_is_reported_after_the_last_records(self):
        for name in ("SEGV", "ABRT", "KILL"):
            with self.subTest(name):
                script = f"{program('workload')} --records 30 >/dev/null; ulimit -c 0; kill -{name} $$"
                done = self.run_it("--", "sh", "-c", script)
                self.assertEqual(done.returncode, -getattr(signal, "SIG" + name))
                lines = done.stderr.splitlines()
                self.assertEqual(len(lines), 31)
                self.assertRegex(lines[-1], rf"^ringrun: 'sh' \(process \d+\) was ended by SIG{name} \(.+\)$")
                self.check_nothing_is_left()

    def test_a_service_that_crashes_itself_loses_no_record(self):
        process = self.start_it("--", program("workload"), "--records", "25", "--hold", stdin=subprocess.PIPE)
        wait_until(lambda: "done" in process.stdout(), "the records to be logged")
        (pid,) = [int(pid) for pid, word in self.users() if word.decode() == program("workload")]
        os.kill(pid, signal.SIGSEGV)
        self.assertEqual(process.wait(), -signal.SIGSEGV)
        lines = process.stderr().splitlines()
        self.assertEqual((len(lines), lines[-1].split(" was ")[1][:20]), (26, "ended by SIGSEGV (Se"))
        self.check_nothing_is_left()

    def test_a_shell_sees_the_signal(self):
        done = subprocess.run(["sh", "-c", f'"{program("ringrun")}" -- sh -c \'kill -TERM $$\'; echo $?'],
                              env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=BOUND_S,
                              check=False)
        self.assertEqual(done.stdout, "143\n")

    def test_a_killed_consumerd_is_reported_and_replaced_at_the_end(self):
        process = self.start_it("--", program("workload"), "--records", "25", "--hold", stdin=subprocess.PIPE)
        wait_until(lambda: "done" in process.stdout(), "the records to be logged")
        (pid,) = [int(pid) for pid, word in self.users() if word.endswith(b"/consumerd")]
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: "consumerd was ended by SIGKILL" in process.stderr(), "the message")
        process.end_input()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(len([line for line in process.stderr().splitlines() if " INFO " in line]), 25, process.stderr())
        self.check_nothing_is_left()

    def test_a_killed_ringcat_is_reported_and_the_trace_is_complete(self):
        process = self.start_it("--keep", self.bed.output_dir, program("workload"), "--records", "25", "--hold",
                                stdin=subprocess.PIPE)
        wait_until(lambda: len(process.stderr().splitlines()) == 25, "the records")
        (pid,) = [int(pid) for pid, word in self.users() if word.endswith(b"/ringcat")]
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: "ringcat was ended by SIGKILL" in process.stderr(), "the message")
        process.end_input()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(print_and_check(*self.bed.traces()).records, 25)
        self.check_nothing_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
