#!/usr/bin/env python3
"""The operations that the tests here transcribe are still in the sources, with their memory orders.

usage: transcription_test.py SOURCE_ROOT
"""

import pathlib
import sys

# By file, in the order of their appearance.
OPERATIONS = {
    "libagent/include/ringside/abi.h": [
        "__atomic_store_n(t->producer_pos, start + bytes, __ATOMIC_RELEASE)",
    ],
    "libagent/recording/space_wait.hpp": [
        "ring.consumer.consumer_pos.load(std::memory_order_acquire)",
    ],
    "libagent/recording/space_sleep.hpp": [
        "word.store(waiting, std::memory_order_relaxed)",
        "std::atomic_thread_fence(std::memory_order_seq_cst)",
        "if (!has_space()) sleep_on_word(&word, waiting, nap_ns)",
        "word.compare_exchange_strong(expected, waiting + 1, std::memory_order_relaxed)",
    ],
    "consumerd/rings/space_wake.hpp": [
        "pos - looked_pos_ >= ring_bytes_ / shm::kSpaceChecks && look(pos)",
    ],
    "consumerd/rings/space_wake.cpp": [
        "std::atomic_thread_fence(std::memory_order_seq_cst)",
        "word.load(std::memory_order_relaxed)",
        "ring_->producer.producer_pos.load(std::memory_order_relaxed)",
        "word.compare_exchange_strong(waiting, waiting + 1, std::memory_order_relaxed)",
        "FUTEX_WAKE",
    ],
    "libagent/recording/free_rings.cpp": [
        "ring.consumer.generation.load(std::memory_order_relaxed)",
        "ring.consumer.consumer_pos.load(std::memory_order_acquire)",
    ],
    "libagent/recording/consumer_wake.cpp": [
        "std::atomic_thread_fence(std::memory_order_seq_cst)",
        "segment.control->consumer_sleep.number.load(std::memory_order_acquire)",
        "words.calls.fetch_add(1, std::memory_order_release)",
        "FUTEX_WAKE",
        "return published + part",
        "ring.consumer.consumer_pos.load(std::memory_order_relaxed)",
        "return consumed + part",
        "return published + part",
    ],
    "consumerd/session/segment_sleep.cpp": [
        "control_.consumer_sleep.number.store(++number_, std::memory_order_release)",
        "word().load(std::memory_order_relaxed)",
        "advance()",
    ],
    "consumerd/poll/idle_sleep.cpp": [
        "session->sleep().begin()",
        "std::atomic_thread_fence(std::memory_order_seq_cst)",
        "none_has_work(sessions)",
        "session->sleep().end()",
    ],
    "libagent/recording/ring_attachment.cpp": [
        "identity.stream_id =",
        "identity.generation.store(identity.generation.load(std::memory_order_relaxed) + 1, std::memory_order_release)",
    ],
    "consumerd/rings/ring_copy.cpp": [
        "identity.generation.load(std::memory_order_acquire)",
    ],
    "consumerd/drain/ring_drain.cpp": [
        "line.generation.store(generation_, std::memory_order_release)",
        "line.consumer_pos.store(pos_, std::memory_order_release)",
        "metadata_->producer.producer_pos.load(std::memory_order_acquire)",
        "space_wake_.read_up_to(pos_)",
    ],
}


def main():
    missing = 0
    for path, operations in OPERATIONS.items():
        text = " ".join((pathlib.Path(sys.argv[1]) / path).read_text(encoding="utf-8").split())
        at = 0
        for operation in operations:
            found = text.find(operation, at)
            if found < 0:
                missing += 1
                print(f"{path}: missing or in another order: {operation}\n"
                      "  Change the tests in tests/interleaving with it, then this list.")
            else:
                at = found + len(operation)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
