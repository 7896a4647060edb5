"""Which tests of a build for AArch64 run under qemu-user, and why others do not."""

import fnmatch

# Patterns of names of tests.
SELECTED = [
    "printf", "brace", "conditions", "trace-format", "trace_threads", "query", "golden", "kvd_unit",
    "ring_interleaving", "sleep_interleaving", "space_interleaving",
    "agent_*", "consumerd", "consumer_sleep", "simulated_storage_faults", "simulated_power_loss",
    "service_killed", "consumer_killed", "random_crashes",
]

NO_SECCOMP = "qemu-user has no seccomp"
NO_MADVISE = "qemu-user ignores madvise()"
NO_FUTEX_WAITV = "qemu-user has no futex_waitv()"
BY_DESCRIPTOR = "starts consumerd by its descriptor, which the kernel refuses for the script that starts qemu-user"

# Patterns of names of tests that SELECTED includes -> why they do not run.
LEFT_OUT = {
    "agent_ring_memory*": f"{NO_MADVISE}; agent_ring_memory_pages_* of the build for x86-64 check larger pages",
    "agent_processor*": "qemu-user has no rseq, so that the processor is unknown",
    "agent_every_instruction": "single steps need x86",
    "agent_abandoned_call": "single steps need x86",
    "agent_compile_*": "compiles with the compilers of this machine",
    "agent_older_standards": "compiles with the compilers of this machine",
}

# Patterns of names of tests -> cases of GoogleTest or unittest that are left out -> why.
CASES_LEFT_OUT = {
    "agent_overflow*": {"BlockWait.LooksOnItsOwnIfAFilterRefusesTheSleep": NO_SECCOMP},
    "agent_consumer_wake": {
        "ConsumerWake.AThreadWhoseFilterRefusesTheCallBecomesSilent": NO_SECCOMP,
        "ConsumerWake.AThreadThatPreallocatedSurvivesAFilterThatKills": NO_SECCOMP,
    },
    "agent_syscall_free": {
        "SyscallFree.TheFilterItselfKills": NO_SECCOMP,
        "SyscallFree.LoggingOneMillionRecordsIntoAFullRing": NO_SECCOMP,
        "SyscallFree.LoggingOneMillionRecordsThroughManyLaps": NO_SECCOMP,
        "SyscallFree.CountingExecutions": NO_SECCOMP,
        "SyscallFree.OverwritingTheOldestRecordsOverAndOver": NO_SECCOMP,
    },
    "agent_environment": {
        "Environment.SizesHaveSuffixes": "qemu-user needs memory for each page of a mapping, and maps no 1,024 rings of 1 GiB",
    },
    "agent_fork*": {
        "Fork.WorksWhileOtherThreadsLogAndStart": "qemu-user 7.2 aborts in a child that was forked while a thread started (plugins/core.c)",
    },
    "agent_examples": {
        "AgentExamples.test_crash_leaves_the_story_shown":
            "qemu-user aborts when a handler passes a fault on (rt_tgsigqueueinfo() with SEGV_MAPERR): it takes the fault for its own",
        "AgentExamples.test_spans_leaves_the_trace_shown":
            "the emulated counter has steps of 16 ns: a span and the first record in it can have one time, and then another order",
    },
    "agent_full_directory": {
        "FullDirectory.RefusesTheFirstRing": NO_MADVISE,
        "FullDirectory.RefusesTheSecondRing": NO_MADVISE,
    },
    "consumer_sleep": {
        "ConsumerSleep.AServiceEndsIt": NO_FUTEX_WAITV,
        "ConsumerSleep.AnyOfManyServicesEndsIt": NO_FUTEX_WAITV,
        "ConsumerSleep.ItEndsWithItsTime": NO_FUTEX_WAITV,
        "ConsumerSleep.AWordThatChangesAllTheTimePreventsIt": NO_FUTEX_WAITV,
        "ConsumerSleep.ASignalHandlerEndsItAlsoInAdvance": NO_FUTEX_WAITV,
        "ConsumerSleep.ANewNameInTheDirectoryEndsIt": NO_FUTEX_WAITV,
    },
    "consumerd": {
        "Hooks.ReportTheirFailureWithTheRemedy": "vfork() of qemu-user is fork(), so that posix_spawn() does not learn that a program is missing",
        "OrdinaryUser.GetsNoMessageAboutCapabilitiesThatItNeverHad": BY_DESCRIPTOR,
        "OrdinaryUser.ServesItsOwnSegmentsAndNoOthers": BY_DESCRIPTOR,
        "TrustedOpen.StaysInItsDirectory": "qemu-user has no openat2()",
        "Io/SandboxedConsumerd.DrainsRotatesAndPacks/*": NO_SECCOMP,
    },
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
