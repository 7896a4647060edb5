#pragma once
// The page through which service, consumer and tools communicate about a whole segment. Each
// 64-byte line has one kind of writer, to avoid contention.
//
//   line 0   service    settings in force, site and ring counts, dictionary length, flush requests
//   line 1   consumer   registration and heartbeat
//   line 2   service    losses without a ring, one counter per cause; requests to rotate the file,
//                       and to sync it
//   line 3   service    latest clock reading
//   line 4-5 consumer   how it maps ticks to time, for its successor
//   line 6   tools      request for a snapshot of rings that are overwritten
//   line 7-24 consumer  its answer
//   line 25  tools      when timed switches expire
//   line 26  tools      requests to write everything out, and to rotate the file
//   line 27  consumer   their answers, and that to the service's request to rotate
//   line 28  service    which rings keep their contexts
//   line 29+ reserved, zero
//   line 43  consumer   whether it sleeps (consumer_sleep.hpp)
//   line 44  service    how it wakes the consumer
//   line 45  consumer   which changes of what is collected the trace states
//   line 46  service    its own changes of the level
//   line 47-63 tools    their last changes, with who made them

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "change_record.hpp"
#include "consumer_sleep.hpp"
#include "segment_header.hpp"
#include "site_switch.hpp"

namespace ringside::shm {

enum class OverflowPolicy : std::uint32_t {
  kBlock = 0,  // wait for space up to block_timeout_ms, then drop and count
  kDrop = 1,   // drop the newest record and count
  // Flight recorder: discard the oldest sub-buffer. Chosen when the segment is created, see
  // SegmentHeader::sub_buffer_bytes; stored here for display only.
  kOverwrite = 2,
};

enum class ConsumerState : std::uint32_t {
  kNone = 0,
  kPolling = 1,
  kStalled = 2,   // cannot write (disk full, I/O error): ring space is not being released
  kDetached = 3,  // shut down cleanly
  // Descriptors do not allow all segments at once: the consumer comes back, and beats meanwhile.
  kBetweenTurns = 4,
};

struct alignas(kCacheLineBytes) ServiceLine {
  std::atomic<std::uint32_t>
      overflow_policy;  // OverflowPolicy; block and drop may be exchanged at any time
  std::atomic<std::uint32_t> block_timeout_ms;
  std::atomic<std::uint32_t> level;       // sites below it are switched off; see site_switch.hpp
  std::atomic<std::uint32_t> rings_used;  // rings [0, rings_used) were taken at least once
  // Release after the entries' bytes; acquire in the consumer before it reads them.
  std::atomic<std::uint64_t> dictionary_committed_bytes;
  std::atomic<std::uint32_t> site_count;      // ids 1 .. site_count are registered
  std::atomic<std::uint32_t> block_disarmed;  // 1: a wait has timed out, see block_heartbeat
  // The consumer's heartbeat when a wait timed out. Until it moves, no call waits again.
  std::atomic<std::uint64_t> block_heartbeat;
  std::atomic<std::uint64_t> flush_request;   // incremented by each flush(); see flush_done
  std::atomic<std::uint64_t> next_stream_id;  // streams are numbered from 1
  // Records of ended threads that were overwritten as a whole before any snapshot had them, because
  // another thread took the ring: no stream is left to report them.
  std::atomic<std::uint64_t> overwritten_streams_lost;
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
  // The sequence number after that of the newest trace file, in any directory; 0: none yet, or
  // unknown. Stored before any bytes are committed for that file.
  std::atomic<std::uint32_t> next_file_sequence;
  // The low half of `session` if this consumer reads entries of kind kEntryWideSite. Stored before
  // `session` changes: a service never takes a consumer that reads them for one that does not.
  std::atomic<std::uint32_t> wide_session;
};

// Whether a consumer with the number `session` lacks what the latest one that has it stored under
// `known`, before its own number. A reader can see that word and not yet the number: then a newer
// consumer, which has it, is entering the segment.
inline bool is_without(std::uint32_t known, std::uint64_t session) {
  return static_cast<std::int32_t>(known - static_cast<std::uint32_t>(session)) < 0;
}

// Whether the consumer that holds or held the segment quarantines rings with records of a wide
// site. False without one: a later consumer decides for itself.
inline bool refuses_wide_sites(const ConsumerLine& line) {
  const auto state = static_cast<ConsumerState>(line.state.load(std::memory_order_relaxed));
  if (state == ConsumerState::kNone || state == ConsumerState::kDetached) return false;
  const std::uint64_t session = line.session.load(std::memory_order_acquire);
  return is_without(line.wide_session.load(std::memory_order_relaxed), session);
}

// Losses that cannot be counted in a ring, one counter per cause (loss_cause.hpp).
struct alignas(kCacheLineBytes) SegmentLosses {
  std::atomic<std::uint64_t> no_ring;  // kNoRing
  // kNoSharedMemory; includes losses before the segment existed
  std::atomic<std::uint64_t> no_memory;
  std::atomic<std::uint64_t> dictionary_full;  // kDictionaryFull
  // Entries [0, sites_counted) of the region of SiteLosses are backed by memory; do not touch the
  // others. Release after the reservation; acquire in readers.
  std::atomic<std::uint32_t> sites_counted;
  // The same for the entries of SiteExecutions.
  std::atomic<std::uint32_t> sites_with_executions;
  // Not a loss: incremented by each rotate(); see ToolAnswers::service_rotation.
  std::atomic<std::uint64_t> rotation_request;
  // Not a loss: incremented by each flush_durable(); see ToolAnswers::service_durable_flush.
  std::atomic<std::uint64_t> durable_flush_request;
  std::atomic<std::uint64_t> reserved[2];
};

// A reading of all three clocks at one instant; `sequence` is odd while it is being written.
struct alignas(kCacheLineBytes) ClockLine {
  std::atomic<std::uint64_t> sequence;
  std::atomic<std::uint64_t> tsc;
  std::atomic<std::uint64_t> monotonic_ns;
  std::atomic<std::uint64_t> realtime_ns;
  std::uint64_t reserved[4];
};

// unix_ns(tsc) = unix_ns0 + (tsc - tsc0) * ns_per_tick / 2^40, for ticks from tsc0.
struct ClockStep {
  std::atomic<std::uint64_t> tsc0;
  std::atomic<std::uint64_t> unix_ns0;
  std::atomic<std::uint64_t> ns_per_tick;
};

inline constexpr std::uint32_t kClockSteps = 3;

// The last clock blocks that a consumer wrote to the trace file: step number n (from 1) is at index
// (n - 1) % 3. There are three, so that the last two are complete while the next one is being
// written.
struct alignas(kCacheLineBytes) ConsumerClock {
  std::atomic<std::uint64_t> steps;  // written so far; release after the step
  ClockStep step[kClockSteps];
  std::uint64_t reserved[6];
};

// A tool asks for a snapshot by storing a number that is not `answered`. Only the holder of
// kSnapshotLockByte may do this, so that every tool gets a snapshot that began after its request.
struct alignas(kCacheLineBytes) SnapshotRequest {
  // Release; paired with the acquire in the consumer: the snapshot includes everything published
  // before.
  std::atomic<std::uint64_t> requested;
  std::uint64_t reserved[7];
};

inline constexpr std::size_t kSnapshotPathBytes = 1024;

// The last snapshot that was requested. `answered` is stored last, with release; paired with the
// acquire of the tool that waits for its number there, and then reads the rest.
struct alignas(kCacheLineBytes) SnapshotAnswer {
  std::atomic<std::uint64_t> answered;  // the value of `requested` that it answers
  std::atomic<std::uint64_t> records;   // added to the file by this snapshot
  // records of these threads reported as lost in it, for any cause
  std::atomic<std::uint64_t> lost;
  std::atomic<std::uint64_t> overwritten;  // part of `lost`
  std::uint64_t reserved[4];
  char path[kSnapshotPathBytes];  // of the trace file, as the consumer sees it; zero padded
  std::uint8_t reserved2[kCacheLineBytes];
};

// Ticks of the segment's clock; 0: free. Only a tool that holds kSwitchLockByte takes a slot, and
// only if neither the level nor any switch refers to it. Stored with release before the switches
// that refer to it; paired with the acquire of a switch by the log call that finds one.
struct alignas(kCacheLineBytes) SwitchDeadlines {
  std::atomic<std::uint64_t> tsc[kSwitchDeadlineSlots];
};

// Numbers that only grow, stored by a tool that holds kSwitchLockByte. Release; paired with the
// acquire in the consumer: everything published before is written out.
struct alignas(kCacheLineBytes) ToolRequests {
  std::atomic<std::uint64_t> flush;
  std::atomic<std::uint64_t> rotation;
  std::atomic<std::uint64_t> durable_flush;  // a flush that also syncs
  std::uint64_t reserved[5];
};

// The last number that was answered. Release after the work; paired with the acquire of the tool.
struct alignas(kCacheLineBytes) ToolAnswers {
  std::atomic<std::uint64_t> flush;
  std::atomic<std::uint64_t> rotation;
  // The last rotation_request of the service that was answered, in the same way.
  std::atomic<std::uint64_t> service_rotation;
  // In the same way: everything published before is synced, unless sync_failures has grown.
  std::atomic<std::uint64_t> durable_flush;
  std::atomic<std::uint64_t> service_durable_flush;
  // Failed syncs of this segment's files, by all consumers together: records that were written
  // before may be missing after a crash of the machine. Stored before an answer that it concerns.
  std::atomic<std::uint64_t> sync_failures;
  // The low half of ConsumerLine::session if this consumer answers durable flushes. Stored before
  // `session` changes.
  std::atomic<std::uint32_t> durable_session;
  // 1 while a sync is under way, until its failure would be in sync_failures. A consumer that finds
  // 1 does not know how it ended, and counts it as failed.
  std::atomic<std::uint32_t> syncing;
  std::uint64_t reserved[1];
};

struct alignas(kCacheLineBytes) KeptContexts {
  // The entries of rings [0, rings) in the region of contexts have memory. Stored with release
  // after they have it, and before the first record of a context; paired with the acquire in the
  // consumer.
  std::atomic<std::uint32_t> rings;
  std::uint32_t reserved[15];
};

struct ControlPage {
  ServiceLine service;
  ConsumerLine consumer;
  SegmentLosses losses;
  ClockLine clock;
  ConsumerClock consumer_clock;
  SnapshotRequest snapshot_request;
  SnapshotAnswer snapshot_answer;
  SwitchDeadlines switch_deadlines;
  ToolRequests tool_requests;
  ToolAnswers tool_answers;
  KeptContexts kept_contexts;
  std::uint8_t reserved[14 * kCacheLineBytes];
  ConsumerSleep consumer_sleep;
  WakeUps wake_ups;
  StatedChanges stated_changes;
  ServiceChanges service_changes;
  ChangeRecords change_records;
};

// Whether the consumer that holds or held the segment never answers a durable flush. False without
// one: a later consumer may answer.
inline bool refuses_durable_flush(const ControlPage& control) {
  const auto state =
      static_cast<ConsumerState>(control.consumer.state.load(std::memory_order_relaxed));
  if (state == ConsumerState::kNone || state == ConsumerState::kDetached) return false;
  // Pairs with the release of the consumer that enters the segment.
  const std::uint64_t session = control.consumer.session.load(std::memory_order_acquire);
  return is_without(control.tool_answers.durable_session.load(std::memory_order_relaxed), session);
}

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
static_assert(offsetof(ServiceLine, overwritten_streams_lost) == 56);
static_assert(offsetof(ConsumerLine, heartbeat) == 0);
static_assert(offsetof(ConsumerLine, flush_done) == 8);
static_assert(offsetof(ConsumerLine, pid) == 16);
static_assert(offsetof(ConsumerLine, state) == 20);
static_assert(offsetof(ConsumerLine, session) == 24);
static_assert(offsetof(ConsumerLine, staging_uuid) == 32);
static_assert(offsetof(ConsumerLine, heartbeat_monotonic_ns) == 48);
static_assert(offsetof(ConsumerLine, next_file_sequence) == 56);
static_assert(offsetof(SegmentLosses, no_ring) == 0);
static_assert(offsetof(SegmentLosses, no_memory) == 8);
static_assert(offsetof(SegmentLosses, dictionary_full) == 16);
static_assert(offsetof(SegmentLosses, sites_counted) == 24);
static_assert(offsetof(SegmentLosses, sites_with_executions) == 28);
static_assert(offsetof(SegmentLosses, rotation_request) == 32);
static_assert(offsetof(SegmentLosses, durable_flush_request) == 40);
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
static_assert(sizeof(SnapshotRequest) == kCacheLineBytes);
static_assert(offsetof(SnapshotAnswer, answered) == 0);
static_assert(offsetof(SnapshotAnswer, records) == 8);
static_assert(offsetof(SnapshotAnswer, lost) == 16);
static_assert(offsetof(SnapshotAnswer, overwritten) == 24);
static_assert(offsetof(SnapshotAnswer, path) == 64);
static_assert(sizeof(SnapshotAnswer) == 18 * kCacheLineBytes);
static_assert(offsetof(ControlPage, snapshot_request) == 384);
static_assert(offsetof(ControlPage, snapshot_answer) == 448);
static_assert(sizeof(SwitchDeadlines) == kCacheLineBytes);
static_assert(offsetof(ControlPage, switch_deadlines) == 1600);
static_assert(offsetof(ToolRequests, flush) == 0);
static_assert(offsetof(ToolRequests, rotation) == 8);
static_assert(offsetof(ToolRequests, durable_flush) == 16);
static_assert(sizeof(ToolRequests) == kCacheLineBytes);
static_assert(offsetof(ControlPage, tool_requests) == 1664);
static_assert(sizeof(ToolAnswers) == kCacheLineBytes);
static_assert(offsetof(ToolAnswers, service_rotation) == 16);
static_assert(offsetof(ToolAnswers, durable_flush) == 24);
static_assert(offsetof(ToolAnswers, service_durable_flush) == 32);
static_assert(offsetof(ToolAnswers, sync_failures) == 40);
static_assert(offsetof(ToolAnswers, durable_session) == 48);
static_assert(offsetof(ToolAnswers, syncing) == 52);
static_assert(offsetof(ControlPage, tool_answers) == 1728);
static_assert(offsetof(ConsumerSleep, number) == 0);
static_assert(offsetof(ControlPage, kept_contexts) == 1792);
static_assert(sizeof(KeptContexts) == kCacheLineBytes);
static_assert(offsetof(ControlPage, consumer_sleep) == 2752);
static_assert(offsetof(WakeUps, calls) == 0);
static_assert(offsetof(WakeUps, parts) == 4);
static_assert(offsetof(WakeUps, silent_rings) == 8);
static_assert(offsetof(ControlPage, wake_ups) == 2816);
static_assert(offsetof(ControlPage, stated_changes) == 2880);
static_assert(offsetof(ControlPage, service_changes) == 2944);
static_assert(offsetof(ControlPage, change_records) == 3008);
static_assert(sizeof(ControlPage) == kPageBytes);

}  // namespace ringside::shm
