"""Which tests of a build for AArch64 run under qemu-user, and why others do not."""

import fnmatch

# Patterns of names of tests.
SELECTED = [
    "printf", "brace", "conditions", "trace-format", "trace_threads", "query", "golden", "kvd_unit",
    "ring_interleaving", "sleep_interleaving", "space_interleaving",
    "agent_*", "consumerd", "consumer_sleep", "simulated_storage_faults", "simulated_power_loss",
    "service_killed", "consumer_killed", "random_crashes",
]

# Patterns of names of tests that SELECTED includes -> why they do not run.
LEFT_OUT = {
    "agent_ring_memory*": "qemu-user ignores madvise(); agent_ring_memory_pages_* of the build for x86-64 check larger pages",
    "agent_processor*": "qemu-user has no rseq, so that the processor is unknown",
    "agent_every_instruction": "single steps need x86",
    "agent_abandoned_call": "single steps need x86",
    "agent_compile_*": "compiles with the compilers of this machine",
    "agent_older_standards": "compiles with the compilers of this machine",
}

# Patterns of names of tests -> cases of GoogleTest that are left out -> why.
CASES_LEFT_OUT = {
    "agent_overflow*": {"BlockWait.LooksOnItsOwnIfAFilterRefusesTheSleep": "qemu-user has no seccomp"},
}

# Programs that are dependencies of all tests from outside, but that no selected test starts.
NEEDLESS = ["e2e_glog_*", "e2e_nanolog_*", "e2e_quill_*", "e2e_spdlog_*"]

REST = "the code is the same on each processor, or the test needs what qemu-user has not: ptrace, seccomp, containers, other users"


def cases_left_out(name):
    return {case: reason for pattern, cases in CASES_LEFT_OUT.items() if fnmatch.fnmatch(name, pattern) for case, reason in cases.items()}


def is_needless(target):
    return any(fnmatch.fnmatch(target, pattern) for pattern in NEEDLESS)


def reason_against(name):
    """Why the test does not run; empty if it does."""
    for pattern, reason in LEFT_OUT.items():
        if fnmatch.fnmatch(name, pattern):
            return reason
    return "" if any(fnmatch.fnmatch(name, pattern) for pattern in SELECTED) else REST
