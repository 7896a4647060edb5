#pragma once
// The page through which service, consumer and tools talk about a whole segment.
// Each 64-byte line has one kind of writer, so that no line is fought over.
//
//   line 0   service    settings in force, site and ring counts, dictionary length, flush requests
//   line 1   consumer   registration and heartbeat
//   line 2   service    losses that belong to no ring, one counter per cause
//   line 3   service    latest clock reading
//   line 4-5 consumer   how it maps ticks to time, for its successor
//   line 6+  reserved, zero

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "segment_header.hpp"

namespace ringside::shm {

enum class OverflowPolicy : std::uint32_t {
  kBlock = 0,      // wait for space up to block_timeout_ms, then drop and count
  kDrop = 1,       // drop the newest record and count
  kOverwrite = 2,  // flight recorder: the oldest sub-buffer is given up
};

enum class ConsumerState : std::uint32_t {
  kNone = 0,
  kPolling = 1,
  kStalled = 2,   // cannot write (disk full, I/O error): ring space is not being released
  kDetached = 3,  // left in an orderly way
};

struct alignas(kCacheLineBytes) ServiceLine {
  std::atomic<std::uint32_t> overflow_policy;  // OverflowPolicy; may be changed while running
  std::atomic<std::uint32_t> block_timeout_ms;
  std::atomic<std::uint32_t> level;       // sites below it are switched off
  std::atomic<std::uint32_t> rings_used;  // rings [0, rings_used) were taken at least once
  // Release after the entries' bytes; acquire in the consumer before it reads them.
  std::atomic<std::uint64_t> dictionary_committed_bytes;
  std::atomic<std::uint32_t> site_count;      // ids 1 .. site_count are registered
  std::atomic<std::uint32_t> block_disarmed;  // 1: a wait has timed out, see block_heartbeat
  // The consumer's heartbeat when a wait timed out. While it has not moved, nobody waits again.
  std::atomic<std::uint64_t> block_heartbeat;
  std::atomic<std::uint64_t> flush_request;   // incremented by each flush(); see flush_done
  std::atomic<std::uint64_t> next_stream_id;  // streams are numbered from 1
};

struct alignas(kCacheLineBytes) ConsumerLine {
  std::atomic<std::uint64_t> heartbeat;  // +1 per poll round
  // Everything published before flush_request reached this value is in the file. Release;
  // paired with the acquire in flush().
  std::atomic<std::uint64_t> flush_done;
  std::atomic<std::uint32_t> pid;      // label of the owner; ownership itself is a lock
  std::atomic<std::uint32_t> state;    // ConsumerState
  std::atomic<std::uint64_t> session;  // counts the consumers that took this segment
  std::uint8_t staging_uuid[16];       // of the staging file that holds this segment's commits
  std::atomic<std::uint64_t> heartbeat_monotonic_ns;
  std::uint64_t reserved;
};

// One counter per cause of loss that cannot be booked on a ring.
struct alignas(kCacheLineBytes) SegmentLosses {
  std::atomic<std::uint64_t> no_ring;          // more threads than rings
  std::atomic<std::uint64_t> no_memory;        // the shared-memory file system refused ring memory
  std::atomic<std::uint64_t> dictionary_full;  // a statement could not be registered
  std::atomic<std::uint64_t> reserved[5];
};

// A reading of all three clocks of one instant; `sequence` is odd while it is being written.
struct alignas(kCacheLineBytes) ClockLine {
  std::atomic<std::uint64_t> sequence;
  std::atomic<std::uint64_t> tsc;
  std::atomic<std::uint64_t> monotonic_ns;
  std::atomic<std::uint64_t> realtime_ns;
  std::uint64_t reserved[4];
};

// unix_ns(tsc) = unix_ns0 + (tsc - tsc0) * ns_per_tick / 2^40, from tsc0 on.
struct ClockStep {
  std::atomic<std::uint64_t> tsc0;
  std::atomic<std::uint64_t> unix_ns0;
  std::atomic<std::uint64_t> ns_per_tick;
};

inline constexpr std::uint32_t kClockSteps = 3;

// The last clock blocks that a consumer wrote to the trace file: step number n (from 1) lies at
// (n - 1) % 3. Three, so that the last two are whole while the next one is being written.
struct alignas(kCacheLineBytes) ConsumerClock {
  std::atomic<std::uint64_t> steps;  // written so far; release after the step
  ClockStep step[kClockSteps];
  std::uint64_t reserved[6];
};

struct ControlPage {
  ServiceLine service;
  ConsumerLine consumer;
  SegmentLosses losses;
  ClockLine clock;
  ConsumerClock consumer_clock;
  std::uint8_t reserved[kPageBytes - 6 * kCacheLineBytes];
};

static_assert(sizeof(ServiceLine) == kCacheLineBytes);
static_assert(sizeof(ConsumerLine) == kCacheLineBytes);
static_assert(sizeof(SegmentLosses) == kCacheLineBytes);
static_assert(sizeof(ClockLine) == kCacheLineBytes);
static_assert(offsetof(ServiceLine, overflow_policy) == 0);
static_assert(offsetof(ServiceLine, block_timeout_ms) == 4);
static_assert(offsetof(ServiceLine, level) == 8);
static_assert(offsetof(ServiceLine, rings_used) == 12);
static_assert(offsetof(ServiceLine, dictionary_committed_bytes) == 16);
static_assert(offsetof(ServiceLine, site_count) == 24);
static_assert(offsetof(ServiceLine, block_disarmed) == 28);
static_assert(offsetof(ServiceLine, block_heartbeat) == 32);
static_assert(offsetof(ServiceLine, flush_request) == 40);
static_assert(offsetof(ServiceLine, next_stream_id) == 48);
static_assert(offsetof(ConsumerLine, heartbeat) == 0);
static_assert(offsetof(ConsumerLine, flush_done) == 8);
static_assert(offsetof(ConsumerLine, pid) == 16);
static_assert(offsetof(ConsumerLine, state) == 20);
static_assert(offsetof(ConsumerLine, session) == 24);
static_assert(offsetof(ConsumerLine, staging_uuid) == 32);
static_assert(offsetof(ConsumerLine, heartbeat_monotonic_ns) == 48);
static_assert(offsetof(SegmentLosses, no_ring) == 0);
static_assert(offsetof(SegmentLosses, no_memory) == 8);
static_assert(offsetof(SegmentLosses, dictionary_full) == 16);
static_assert(offsetof(ClockLine, sequence) == 0);
static_assert(offsetof(ClockLine, tsc) == 8);
static_assert(offsetof(ClockLine, monotonic_ns) == 16);
static_assert(offsetof(ClockLine, realtime_ns) == 24);
static_assert(offsetof(ControlPage, service) == 0);
static_assert(offsetof(ControlPage, consumer) == 64);
static_assert(offsetof(ControlPage, losses) == 128);
static_assert(offsetof(ControlPage, clock) == 192);
static_assert(sizeof(ClockStep) == 24);
static_assert(offsetof(ConsumerClock, step) == 8);
static_assert(sizeof(ConsumerClock) == 2 * kCacheLineBytes);
static_assert(offsetof(ControlPage, consumer_clock) == 256);
static_assert(sizeof(ControlPage) == kPageBytes);

}  // namespace ringside::shm
