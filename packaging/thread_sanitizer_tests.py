#!/usr/bin/env python3
"""Selects the tests that run with ThreadSanitizer: those in which several threads of one of our processes work.
Every test, or its suite, is listed here with the reason, once; a test that is not listed is an error.

usage: thread_sanitizer_tests.py BUILD_DIR tests|targets|left-out [full]
  tests     names for `meson test`
  targets   ninja targets that they need
  left-out  tests that do not run, and why
  full      those of `test.sh --full` instead of those of the usual run"""

import json
import os
import subprocess
import sys

SERVICE = "threads of a service in the library"
SERVICE_READ = "threads of a service in the library, and what reads beside them"
WORKERS = "kvd's workers"
READERS = "reads with several threads"
PACKER = "consumerd and its packer"
SERVER = "consumerd and its metrics server"

RUN = {
    "agent_call_cost": SERVICE,
    "agent_call_cost_interrupted": SERVICE,
    "agent_burst": SERVICE_READ,
    "agent_consumer_clock": SERVICE_READ,
    "agent_consumer_wake": SERVICE,
    "agent_execution_count": SERVICE_READ,
    "agent_flush": SERVICE_READ,
    "agent_fork": SERVICE,
    "agent_fork_measured": SERVICE,
    "agent_full_directory": SERVICE,
    "agent_gate": SERVICE,
    "agent_netlogger": SERVICE,
    "agent_overflow": SERVICE_READ,
    "agent_overflow_in_small_rings": SERVICE_READ,
    "agent_overflow_measured": SERVICE_READ,
    "agent_overwrite": SERVICE_READ,
    "agent_overwrite_in_small_rings": SERVICE_READ,
    "agent_overwrite_measured": SERVICE_READ,
    "agent_processor": SERVICE,
    "agent_processor_measured": SERVICE,
    "agent_ring": SERVICE_READ,
    "agent_ring_in_small_rings": SERVICE_READ,
    "agent_ring_measured": SERVICE_READ,
    "agent_run_time_statement": SERVICE,
    "agent_segment_life": SERVICE,
    "agent_signal": SERVICE_READ,
    "agent_signal_measured": SERVICE_READ,
    "agent_context_record": SERVICE,
    "agent_task_record": SERVICE,
    "agent_open_span_record": SERVICE,
    "agent_span_record": SERVICE,
    "agent_statement_places": SERVICE,
    "agent_stream_record": SERVICE,
    "agent_text_statement": SERVICE,
    "agent_thread_ring": SERVICE,
    "agent_thread_ring_measured": SERVICE,
    "consumer_sleep": "consumerd while other threads wake it",
    "consumerd": "consumerd's parts while other threads write, truncate and overwrite",
    "kvd_protocol": WORKERS,
    "kvd_unit": WORKERS,
    "safety_confinement": SERVICE,
    "safety_libraries": SERVICE,
    "safety_process_creation": SERVICE,
    "safety_removed_segment": SERVICE,
    "safety_threads": SERVICE,
    "trace_threads": READERS,
}

# Only with --full: the same code, driven from outside, by whole programs whose compilation takes longest.
RUN_WITH_FULL = {
    "encoder_threads": "consumerd's encoder threads",
    "flush": SERVICE,
    "losses": SERVICE,
    "metrics": SERVER,
    "millions_of_records": SERVICE,
    "overwrite": SERVICE,
    "query": READERS,
    "retention": PACKER,
    "unshipped_retention": PACKER,
    "ringcat": READERS,
    "ringcat_questions": READERS,
    "text_files": "consumerd and the thread that writes its text",
    "traced_kvd": WORKERS,
}

NO_PROGRAM = "runs no program of this build"
ONE_THREAD = "one thread"
RINGCATS = "its threads are those of ringcat, which other tests run"
METRICS = "its consumerd does what that of the test metrics does"
OTHERS = "its threads are those of a service and of consumerd, which other tests run"

LEFT_OUT_SUITES = {
    "fleet": "one thread of ours, or two that hand over batches under a mutex; those of libnats are compiled without the sanitizer",
    "report": "one thread; those of ringview share one state under a mutex, and the rest of them is libmicrohttpd, which is compiled without the sanitizer",
    "fuzz": ONE_THREAD,
    "install": NO_PROGRAM,
    "interop": "one thread, or several of which one works at a time",
    "manual": ONE_THREAD,
    "model": NO_PROGRAM,
    "containers": OTHERS,
    "monitoring": METRICS,
    "python": "Python cannot load a library with a sanitizer",
    "structure": NO_PROGRAM,
    "usdt": ONE_THREAD,
}
LEFT_OUT = {
    "agent_abandoned_call": "ThreadSanitizer calls handlers later than the signal comes",
    "agent_address_record": ONE_THREAD,
    "agent_argument_names": ONE_THREAD,
    "agent_bad_input": ONE_THREAD,
    "agent_brace_record": ONE_THREAD,
    "agent_checked_read": ONE_THREAD,
    "agent_stack_addresses": ONE_THREAD,
    "agent_event_record": ONE_THREAD,
    "agent_literal_value": ONE_THREAD,
    "agent_stream_value": ONE_THREAD,
    "agent_trace_context": ONE_THREAD,
    "agent_typed_arguments": ONE_THREAD,
    "agent_c_front_end": ONE_THREAD,
    "agent_category": ONE_THREAD,
    "agent_compile_refusals": "runs compilers only",
    "agent_compile_size": "runs compilers only",
    "agent_older_standards": "runs compilers only",
    "agent_environment": ONE_THREAD,
    "agent_every_instruction": "ThreadSanitizer calls handlers later than the signal comes",
    "agent_examples": OTHERS,
    "application_control": OTHERS,
    "durability": OTHERS,
    "agent_gated_styles": ONE_THREAD,
    "agent_plugin": ONE_THREAD,
    "agent_ring_memory": "ThreadSanitizer calls handlers later than the signal comes; agent_ring has its threads",
    "agent_printf_record": ONE_THREAD,
    "agent_segment_access": ONE_THREAD,
    "agent_switch": ONE_THREAD,
    "agent_syscall_free": ONE_THREAD,
    "brace": ONE_THREAD,
    "brace_messages": OTHERS,
    "call_costs": OTHERS,
    "collected": OTHERS,
    "conditions": ONE_THREAD,
    "two_builds": "compiles other versions, without sanitizers",
    "upgrade": OTHERS,
    "upgrade_page": OTHERS,
    "upgrade_refusals": OTHERS,
    "version_skew": OTHERS,
    "configuration": OTHERS,
    "clock_state": OTHERS,
    "consumer_clock": OTHERS,
    "consumer_killed": OTHERS,
    "consumer_options": OTHERS,
    "consumer_ownership": OTHERS,
    "consumer_shutdown": "its service keeps logging while its trace is read: takes minutes where reading is slow",
    "crashes": "ThreadSanitizer calls handlers later than the signal comes",
    "cut_records": OTHERS,
    "execution_count": OTHERS,
    "field_names": OTHERS,
    "typed_events": OTHERS,
    "followed_file": OTHERS,
    "foreign_calls": "Python cannot load a library with a sanitizer",
    "wide_statements": "Python cannot load a library with a sanitizer",
    "forked_service": "ThreadSanitizer ends a child of several threads that starts a thread",
    "full_output": OTHERS,
    "gated_service": OTHERS,
    "full_shared_memory": OTHERS,
    "glog_source": OTHERS,
    "golden": RINGCATS,
    "golden_memory": RINGCATS,
    "independent_reader": RINGCATS,
    "idle_consumer": OTHERS,
    "random_crashes": "ThreadSanitizer calls handlers later than the signal comes",
    "killed_in_handler": "ThreadSanitizer calls handlers later than the signal comes",
    "bounded_command": ONE_THREAD,
    "live_view": ONE_THREAD,
    "thread_runs": ONE_THREAD,
    "loss_counts": OTHERS,
    "descriptor_turns": OTHERS,
    "many_services": OTHERS,
    "netlogger_events": OTHERS,
    "no_consumer": OTHERS,
    "once_status": OTHERS,
    "opentelemetry": OTHERS,
    "concurrent_commands": RINGCATS,
    "full_disk_commands": RINGCATS,
    "packing_commands": RINGCATS,
    "processors": OTHERS,
    "printf": ONE_THREAD,
    "readme_commands": OTHERS,
    "record_properties": RINGCATS,
    "removed_segment": OTHERS,
    "rewriting_commands": RINGCATS,
    "ring_interleaving": "one thread, with a memory model of its own",
    "ring_transcription": NO_PROGRAM,
    "clock_order": RINGCATS,
    "ringcat_formats": RINGCATS,
    "ringcat_unordered": RINGCATS,
    "ringrun": OTHERS,
    "ringrun_signals": OTHERS,
    "ringstat": OTHERS,
    "rotation": OTHERS,
    "safety_descriptors": "its threads are those of a service, which other tests run",
    "safety_set_user_id": ONE_THREAD,
    "safety_sigbus_handler": ONE_THREAD,
    "safety_symbols": "a sanitizer adds calls to the library",
    "safety_truncated_segment": "ThreadSanitizer holds a lock of its own while it stores for the program: the handler of a SIGBUS "
                                "in such a store waits for that lock forever",
    "scribbled_segment": OTHERS,
    "segment_salvage": RINGCATS,
    "service_killed": OTHERS,
    "simulated_power_loss": ONE_THREAD,
    "simulated_storage_faults": ONE_THREAD,
    "sleep_interleaving": "one thread, with a memory model of its own",
    "space_interleaving": "one thread, with a memory model of its own",
    "contexts": OTHERS,
    "tasks": OTHERS,
    "spans": OTHERS,
    "open_spans": OTHERS,
    "stack_switches": OTHERS,
    "stacks": OTHERS,
    "soak": OTHERS,
    "source_compatibility": OTHERS,
    "standard_streams": OTHERS,
    "statements_command": OTHERS,
    "session_views": OTHERS,
    "service_manager": OTHERS,
    "sessions": OTHERS,
    "stats_command": RINGCATS,
    "scheduling": OTHERS,
    "steering": OTHERS,
    "storage_faults": OTHERS,
    "stream_messages": OTHERS,
    "system_calls": "ThreadSanitizer has a separate thread that makes system calls",
    "tools": RINGCATS,
    "trace-format": ONE_THREAD,
    "trace_questions": OTHERS,
    "triggers": OTHERS,
    "truncated_segment": OTHERS,
    "truncated_while_read": OTHERS,
    "two_users": OTHERS,
    "verify_command": RINGCATS,
    "wall_clock": OTHERS,
}


def introspect(build_dir, what):
    done = subprocess.run(["meson", "introspect", build_dir, what], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[2] not in ("tests", "targets", "left-out") or sys.argv[3:] not in ([], ["full"]):
        sys.exit(__doc__)
    build_dir, what = sys.argv[1:3]
    run, run_elsewhere = (RUN_WITH_FULL, RUN) if sys.argv[3:] else (RUN, RUN_WITH_FULL)
    tests = introspect(build_dir, "--tests")
    names = {test["name"] for test in tests}
    gone = (run.keys() | run_elsewhere.keys() | LEFT_OUT.keys()) - names
    if gone:
        sys.exit(f"thread_sanitizer_tests.py names tests that do not exist: {', '.join(sorted(gone))}")
    left_out = {test["name"]: LEFT_OUT_SUITES[suite] for test in tests
                for suite in (name.split(":")[-1] for name in test["suite"]) if suite in LEFT_OUT_SUITES}
    left_out |= LEFT_OUT
    twice = (RUN.keys() & RUN_WITH_FULL.keys()) | ((RUN.keys() | RUN_WITH_FULL.keys()) & left_out.keys())
    unnamed = names - RUN.keys() - RUN_WITH_FULL.keys() - left_out.keys()
    if twice or unnamed:
        sys.exit("thread_sanitizer_tests.py must list each test exactly once, as run, run with --full or not run: "
                 f"{', '.join(sorted(twice | unnamed))}")
    if what == "left-out":
        elsewhere = dict.fromkeys(run_elsewhere, "runs in the usual run" if run is RUN_WITH_FULL else "runs with --full")
        for name, reason in sorted((left_out | elsewhere).items()):
            print(f"{name}: {reason}")
        return
    chosen = [test for test in tests if test["name"] in run]
    if what == "tests":
        print("\n".join(test["name"] for test in chosen))
        return
    needed = {target for test in chosen for target in test["depends"]}
    for target in introspect(build_dir, "--targets"):
        if target["id"] in needed:
            for path in target["filename"]:
                print(os.path.relpath(path, build_dir))


if __name__ == "__main__":
    main()
