#pragma once
// The first page of a segment: its writer, its start time and the positions of its regions.
//
//   byte 0                                                              segment_bytes
//   | header | control page | ring metadata | nested  | switches | dictionary | site losses |
//     4 KiB    4 KiB          256 B x N       64 B x N  1 B x S    arena        64 B x S
//   | site executions | rings |
//     128 B x S
//
// If log calls are measured, 2 KiB x N of call costs precede the rings.
//
// Written once by the service before `version` is stored; afterwards only `state` changes. A reader
// copies the page, checks the copy against the file's size and uses only the copy.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi_version.hpp"

namespace ringside::shm {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kCacheLineBytes = 64;

enum class SegmentState : std::uint32_t {
  kCreating = 0,  // all-zero memory: not ready
  kLive = 1,      // the service may log
  kClosed = 2,    // the service shut down cleanly; the lock still decides liveness
};

// The meaning of `tsc` everywhere in this segment.
enum class ClockSource : std::uint32_t {
  kX86Tsc = 1,
  kArmCounter = 2,
  kMonotonicNanoseconds = 3,
};

enum class RegionKind : std::uint32_t {
  kNone = 0,
  kControlPage = 1,
  kRingMetadata = 2,
  kSiteSwitches = 3,
  kDictionary = 4,
  kRings = 5,
  kSiteLosses = 6,         // since 1.1
  kCallCosts = 7,          // since 1.2, only where cost_sampling is not 0
  kNestedRecords = 8,      // since 1.3
  kSiteExecutions = 9,     // since 1.5
  kConsumedContexts = 10,  // since 1.10
};

struct Region {
  RegionKind kind;
  std::uint32_t stride;  // bytes from one element to the next; 1 for plain bytes
  std::uint64_t offset;  // bytes from the start of the segment
  std::uint64_t bytes;
};
static_assert(sizeof(Region) == 24);

inline constexpr std::size_t kRegionSlots = 12;

// The offsets, inside one element of their region, of the words that a salvage tool needs. With
// them it can read a segment of another minor version, or of a build whose headers are lost.
struct FieldOffsets {
  std::uint16_t producer_pos;  // in ring metadata
  std::uint16_t consumer_pos;
  std::uint16_t ring_state;
  std::uint16_t ring_generation;
  std::uint16_t stream_id;
  std::uint16_t thread_id;
  std::uint16_t thread_name;
  std::uint16_t dropped_total;
  std::uint16_t dictionary_committed_bytes;  // in the control page
  std::uint16_t rings_used;
  std::uint16_t reserved[6];
};
static_assert(sizeof(FieldOffsets) == 32);

struct SegmentHeader {
  std::uint64_t magic;
  // Stored last, with release, when everything else is in place; paired with the acquire in the
  // attacher, which can then distinguish "not ready yet" (0) from "another version".
  std::atomic<std::uint32_t> version;
  std::uint32_t header_bytes;
  std::uint32_t byte_order_mark;
  std::atomic<std::uint32_t> state;  // SegmentState
  std::uint64_t segment_bytes;       // size of the file
  std::uint8_t uuid[16];             // random, unique per segment
  std::uint32_t pid;                 // in the service's own pid namespace: a label, not an identity
  std::uint32_t uid;
  std::uint32_t gid;
  ClockSource clock_source;
  std::uint64_t tsc_frequency_hz;
  std::uint64_t start_tsc;           // this and the next two at one instant
  std::uint64_t start_monotonic_ns;  // CLOCK_MONOTONIC
  std::uint64_t start_realtime_ns;   // CLOCK_REALTIME, since 1970-01-01 UTC
  std::uint8_t boot_id[16];          // TSC and monotonic clock mean nothing across boots
  std::uint64_t ring_bytes;          // a power of two, 4 KiB to 4 GiB
  std::uint32_t ring_count;          // N
  std::uint32_t site_capacity;       // S, id 0 included
  std::uint32_t max_record_bytes;    // the strings of larger records are cut
  std::uint32_t agent_version;       // of the library: major << 16 | minor << 8 | patch
  Region regions[kRegionSlots];
  FieldOffsets field_offsets;
  char service[64];  // UTF-8, zero padded, as the three below
  char exe[256];
  char host[64];
  // Not 0: the rings are overwritten (policy `overwrite`), in sub-buffers of about this many bytes,
  // and read by snapshots. Fixed for the life of the segment, unlike the other policies.
  std::uint64_t sub_buffer_bytes;
  // Not 0: about one in this many log calls is measured (call_costs.hpp). Fixed for the life of the
  // segment.
  std::uint32_t cost_sampling;
  std::uint8_t reserved[3244];
};

static_assert(std::is_standard_layout_v<SegmentHeader>);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(offsetof(SegmentHeader, magic) == 0);
static_assert(offsetof(SegmentHeader, version) == 8);
static_assert(offsetof(SegmentHeader, header_bytes) == 12);
static_assert(offsetof(SegmentHeader, byte_order_mark) == 16);
static_assert(offsetof(SegmentHeader, state) == 20);
static_assert(offsetof(SegmentHeader, segment_bytes) == 24);
static_assert(offsetof(SegmentHeader, uuid) == 32);
static_assert(offsetof(SegmentHeader, pid) == 48);
static_assert(offsetof(SegmentHeader, uid) == 52);
static_assert(offsetof(SegmentHeader, gid) == 56);
static_assert(offsetof(SegmentHeader, clock_source) == 60);
static_assert(offsetof(SegmentHeader, tsc_frequency_hz) == 64);
static_assert(offsetof(SegmentHeader, start_tsc) == 72);
static_assert(offsetof(SegmentHeader, start_monotonic_ns) == 80);
static_assert(offsetof(SegmentHeader, start_realtime_ns) == 88);
static_assert(offsetof(SegmentHeader, boot_id) == 96);
static_assert(offsetof(SegmentHeader, ring_bytes) == 112);
static_assert(offsetof(SegmentHeader, ring_count) == 120);
static_assert(offsetof(SegmentHeader, site_capacity) == 124);
static_assert(offsetof(SegmentHeader, max_record_bytes) == 128);
static_assert(offsetof(SegmentHeader, agent_version) == 132);
static_assert(offsetof(SegmentHeader, regions) == 136);
static_assert(offsetof(SegmentHeader, field_offsets) == 424);
static_assert(offsetof(SegmentHeader, service) == 456);
static_assert(offsetof(SegmentHeader, exe) == 520);
static_assert(offsetof(SegmentHeader, host) == 776);
static_assert(offsetof(SegmentHeader, sub_buffer_bytes) == 840);
static_assert(offsetof(SegmentHeader, cost_sampling) == 848);
static_assert(offsetof(SegmentHeader, reserved) == 852);
static_assert(sizeof(SegmentHeader) == kPageBytes);

}  // namespace ringside::shm
