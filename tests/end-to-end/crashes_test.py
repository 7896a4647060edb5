#!/usr/bin/env python3
"""A service that crashes leaves one record of its crash, and ends as it would have ended without the handlers."""

import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

from traced_processes import BOUND_S, TestBed, program

# The way of the crash: its signal, and a function on the stack.
CRASHES = {
    "null": (signal.SIGSEGV, "write_to_null"),
    "overflow": (signal.SIGSEGV, "recurse_forever"),
    "abort": (signal.SIGABRT, "give_up"),
    "exception": (signal.SIGABRT, "throw_uncaught"),
    "number": (signal.SIGABRT, "throw_a_number"),
    "noexcept": (signal.SIGABRT, "handle_order"),
    "division": (signal.SIGFPE, "divide_by_zero"),
    "truncated": (signal.SIGBUS, "read_past_the_end_of_a_file"),
    "illegal": (signal.SIGILL, "execute_nonsense"),
    "trap": (signal.SIGTRAP, "trap"),
    "logging": (signal.SIGSEGV, "fault_within_a_log_call"),
    "call": (signal.SIGSEGV, "call_no_code"),
    "twice": (signal.SIGABRT, "free_twice"),
    "lost": (signal.SIGSEGV, "lose_the_stack"),
    "overwritten": (signal.SIGSEGV, "overwrite_the_stack"),
    "raise": (signal.SIGSEGV, "end"),
}
RECORDS_BEFORE = 20
DAMAGED_COPIES = 50
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", str(time.time_ns() % 1_000_000)))


def functions_of(crash):
    """The names of functions on its stack, without arguments and scopes."""
    names = [place["name"] for frame in crash["stack"] for place in frame.get("functions", [])]
    return [name.replace("(anonymous namespace)::", "").split("(")[0].split("::")[-1] for name in names]


NT_PRSTATUS, NT_SIGINFO = 1, 0x53494749
RIP_OFFSET = 112 + 16 * 8  # in struct elf_prstatus of x86-64


def notes_of(core):
    """[(type, content)] of an ELF core file of 64 bits."""
    offset, = struct.unpack_from("<Q", core, 32)
    entry_bytes, count = struct.unpack_from("<HH", core, 54)
    found = []
    for index in range(count):
        kind, _, begin, _, _, size = struct.unpack_from("<IIQQQQ", core, offset + index * entry_bytes)
        end = begin + size
        while kind == 4 and begin + 12 <= end:
            name_bytes, content_bytes, note = struct.unpack_from("<III", core, begin)
            content = begin + 12 + (name_bytes + 3) // 4 * 4
            found.append((note, core[content:content + content_bytes]))
            begin = content + (content_bytes + 3) // 4 * 4
    return found


def facts_of(core):
    """The siginfo of the end: number, code, address; and the place in its page of the instruction."""
    notes = notes_of(core)
    info = next(content for note, content in notes if note == NT_SIGINFO)
    status = next(content for note, content in notes if note == NT_PRSTATUS)
    number, _, code, _, address = struct.unpack_from("<iiiiQ", info)
    pc, = struct.unpack_from("<Q", status, RIP_OFFSET)
    return number, code, address % 4096 if code > 0 else 0, pc % 4096


def core_of(bed, *words):
    done = subprocess.run([program("crashing_service"), *words], cwd=bed.work_dir, capture_output=True, timeout=BOUND_S,
                          env={**os.environ, "RINGSIDE_SHM_DIR": bed.shm_dir}, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    path = os.path.join(bed.work_dir, "core")
    with open(path, "rb") as file:
        core = file.read()
    os.unlink(path)
    return done.returncode, core


def dumps_here():
    """Whether a core dump is a file `core` in the present folder."""
    with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as pattern:
        is_core = pattern.read() == "core\n"
    with open("/proc/sys/kernel/core_uses_pid", encoding="utf-8") as uses_pid:
        return is_core and uses_pid.read() == "0\n" and resource.getrlimit(resource.RLIMIT_CORE)[1] == resource.RLIM_INFINITY


class Crashes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # No other core files.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    def run_service(self, bed, *words):
        """The exit status and standard error."""
        service = bed.start([program("crashing_service"), *words], environment={"RINGSIDE_SHM_DIR": bed.shm_dir})
        return service.wait(), service.stderr()

    def stories(self, bed, *arguments):
        done = subprocess.run([program("ringcat"), "crash", "--format", "json", *arguments, bed.output_dir],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def story(self, bed, *arguments):
        stories = self.stories(bed, *arguments)
        self.assertEqual(len(stories), 1)
        return stories[0]

    def check(self, *words):
        """Runs the service with and without the handlers. Returns the story and the exit status."""
        with TestBed() as bed:
            without = self.run_service(bed, *words, "without")
            bed.run_consumer_once()
            for trace in bed.traces():
                os.unlink(trace)
            status = self.run_service(bed, *words)
            self.assertEqual(status, without)
            bed.run_consumer_once()
            story = self.story(bed, "--last", "100")
            if words[0] != "terminate":
                messages = [record["msg"] for thread in story["threads"] for record in thread["last_records"]]
                self.assertEqual(messages[:RECORDS_BEFORE], [f"before the end {i}" for i in range(RECORDS_BEFORE)])
            return story, status[0]

    def check_crash(self, way, *words):
        number, function = CRASHES[way]
        story, status = self.check(way, *words)
        self.assertEqual(story["end"], "crashed")
        self.assertEqual(len(story["crashes"]), 1)
        crash = story["crashes"][0]
        self.assertEqual((crash["signal"], crash["signal_name"]), (number, number.name))
        self.assertIn(function, functions_of(crash))
        self.assertEqual(status, -number)
        return crash

    def test_each_way_to_crash_leaves_its_record(self):
        for way in CRASHES:
            with self.subTest(way=way):
                self.check_crash(way)

    def test_a_crash_of_another_thread_is_recorded(self):
        for way in ("null", "overflow", "exception"):
            with self.subTest(way=way):
                crash = self.check_crash(way, "thread")
                self.assertTrue(crash["thread"]["id"])

    def test_a_crash_of_a_thread_that_never_logged_is_recorded(self):
        self.check_crash("null", "silent")

    def test_a_core_dump_is_that_of_a_run_without_the_handlers(self):
        if not dumps_here() or os.uname().machine != "x86_64":
            self.skipTest("core dumps do not go to a file 'core'")
        for way in ("null", "abort", "division", "raise"):
            with self.subTest(way=way), TestBed() as bed:
                status, core = core_of(bed, way)
                status_without, core_without = core_of(bed, way, "without")
                self.assertEqual((status, facts_of(core)), (status_without, facts_of(core_without)))

    def test_a_crash_in_a_child_of_fork_is_recorded(self):
        with TestBed() as bed:
            self.assertEqual(self.run_service(bed, "forked"), (0, ""))
            bed.run_consumer_once()
            stories = self.stories(bed)
            self.assertEqual([(story["end"], len(story["crashes"])) for story in stories], [("exited", 0), ("crashed", 1)])
            self.assertIn("write_to_null", functions_of(stories[1]["crashes"][0]))

    def test_a_crash_after_that_of_a_child_of_vfork_is_recorded(self):
        story, status = self.check("vforked")
        self.assertEqual((story["end"], status), ("crashed", -signal.SIGSEGV))
        functions = functions_of(story["crashes"][-1])
        self.assertIn("crash_after_a_child_of_vfork", functions)
        self.assertNotIn("write_to_null", functions)

    def test_a_former_handler_runs_after_the_record(self):
        for way in ("null", "overflow", "abort", "truncated", "division"):
            for former in ("chain", "spent"):
                with self.subTest(way=way, former=former):
                    if way == "overflow":
                        continue  # without the alternate stack the former handler cannot run
                    self.check_crash(way, former)

    def test_a_former_handler_can_recover(self):
        story, status = self.check("null", "recover")
        self.assertEqual((story["end"], len(story["crashes"]), status), ("exited", 1, 0))

    def test_a_crash_after_a_recovery_is_recorded_too(self):
        story, status = self.check("null", "recover", "again")
        self.assertEqual((story["end"], len(story["crashes"]), status), ("exited", 2, 0))

    def test_an_ignored_signal_is_no_crash(self):
        story, status = self.check("raise", "ignore")
        self.assertEqual((story["end"], story["crashes"], status), ("exited", [], 0))

    def test_ignored_faults_and_aborts_are_crashes(self):
        for way in ("null", "abort"):
            with self.subTest(way=way):
                self.check_crash(way, "ignore")

    def test_an_exception_is_recorded_with_its_type_and_text(self):
        crash = self.check_crash("exception")
        self.assertEqual((crash["exception"], crash["what"]), ("std::runtime_error", "no such order"))
        crash = self.check_crash("number")
        self.assertEqual((crash["exception"], crash["what"]), ("int", ""))

    def test_std_terminate_with_a_handler_that_exits_is_recorded(self):
        story, status = self.check("terminate")
        self.assertEqual((story["end"], len(story["crashes"]), status), ("crashed", 1, 7))
        crash = story["crashes"][0]
        self.assertEqual((crash["signal_name"], crash["exception"], crash["what"]),
                         ("std::terminate", "std::runtime_error", "no such order"))
        self.assertIn("throw_uncaught", functions_of(crash))

    def test_a_fault_has_its_address_and_an_abort_has_none(self):
        self.assertEqual(self.check_crash("null")["address"], "0x0")
        truncated = self.check_crash("truncated")
        self.assertEqual(int(truncated["address"], 16) % 4096, 0)
        self.assertNotEqual(truncated["address"], "0x0")
        self.assertEqual(self.check_crash("abort")["address"], "0x0")

    def test_a_normal_end_is_told_from_a_kill(self):
        story, status = self.check("exit")
        self.assertEqual((story["end"], story["crashes"], status), ("exited", [], 0))
        story, status = self.check("killed")
        self.assertEqual((story["end"], story["crashes"], status), ("killed", [], -signal.SIGKILL))
        self.assertIn("SIGKILL", story["explanation"])

    def test_without_the_handlers_the_end_is_unknown(self):
        with TestBed() as bed:
            self.run_service(bed, "null", "without")
            bed.run_consumer_once()
            self.assertEqual(self.story(bed)["end"], "unknown")

    def test_a_flight_recorder_keeps_the_record(self):
        with TestBed() as bed:
            service = bed.start([program("crashing_service"), "null"],
                                environment={"RINGSIDE_SHM_DIR": bed.shm_dir, "RINGSIDE_OVERFLOW": "overwrite"})
            self.assertEqual(service.wait(), -signal.SIGSEGV)
            bed.run_consumer_once()
            self.assertEqual(self.story(bed)["crashes"][0]["signal_name"], "SIGSEGV")

    def crashed_copy(self, bed):
        """The path of a copy of the program that has left its record."""
        copy = shutil.copy(program("crashing_service"), os.path.join(bed.work_dir, "copy"))
        library_folder = os.path.dirname(os.environ["RINGSIDE_TEST_LIBRARY"])
        service = bed.start([copy, "null"], environment={"RINGSIDE_SHM_DIR": bed.shm_dir, "LD_LIBRARY_PATH": library_folder})
        self.assertEqual(service.wait(), -signal.SIGSEGV)
        bed.run_consumer_once()
        return copy

    def test_a_missing_binary_leaves_module_and_offset(self):
        with TestBed() as bed:
            copy = self.crashed_copy(bed)
            os.unlink(copy)
            frame = self.story(bed)["crashes"][0]["stack"][0]
            self.assertEqual((frame["module"], "functions" in frame), (copy, False))
            text = subprocess.run([program("ringcat"), "crash", bed.output_dir], capture_output=True, text=True,
                                  timeout=BOUND_S, check=True).stdout
            self.assertRegex(text, rf"\n     0 0x[0-9a-f]{{16}} {os.path.basename(copy)}\+{frame['offset']}\n")

    def test_another_build_of_the_binary_is_not_used(self):
        with TestBed() as bed:
            copy = self.crashed_copy(bed)
            frame = self.story(bed)["crashes"][0]["stack"][0]
            self.assertIn("functions", frame)
            build_id = bytes.fromhex(frame["build_id"])
            with open(copy, "rb") as file:
                whole = file.read()
            self.assertEqual(whole.count(build_id), 1)
            with open(copy, "wb") as file:
                file.write(whole.replace(build_id, bytes(len(build_id) - 1) + b"\1"))
            self.assertNotIn("functions", self.story(bed)["crashes"][0]["stack"][0])

    def test_a_damaged_binary_does_no_harm(self):
        choice = random.Random(SEED)
        with TestBed() as bed:
            copy = self.crashed_copy(bed)
            with open(copy, "rb") as file:
                whole = file.read()
            for _ in range(DAMAGED_COPIES):
                damaged = bytearray(whole)
                # After the headers and the build id, which are at the beginning.
                for _ in range(choice.choice((1, 10, 1000))):
                    damaged[choice.randrange(4096, len(damaged))] = choice.randrange(256)
                with open(copy, "wb") as file:
                    file.write(damaged[:choice.choice((len(damaged), choice.randrange(4096, len(damaged))))])
                self.story(bed)

    def test_the_text_tells_the_story(self):
        with TestBed() as bed:
            self.run_service(bed, "exception")
            bed.run_consumer_once()
            done = subprocess.run([program("ringcat"), "crash", "--last", "2", bed.output_dir], capture_output=True,
                                  text=True, timeout=BOUND_S, check=True)
            lines = done.stdout.splitlines()
            self.assertRegex(lines[0], r"^e2e_crashing_service \d+( on .*)?: crashed$")
            self.assertRegex(lines[1], r"SIGABRT in thread \d+ \S+: abort\(\)$")
            self.assertEqual(lines[2], "  exception std::runtime_error: no such order")
            self.assertRegex(done.stdout, r"throw_uncaught\(\) at crashing_service\.cpp:\d+ \(e2e_crashing_service\)")
            self.assertEqual([line.split("] ")[-1] for line in lines[-2:]], ["before the end 18", "before the end 19"])


if __name__ == "__main__":
    print("RINGSIDE_TEST_SEED =", SEED, flush=True)
    unittest.main(verbosity=2)
