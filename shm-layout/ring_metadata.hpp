#pragma once
// The four cache lines of one ring. Positions are byte counts since the ring was first taken; they
// only grow, and `pos & (ring_bytes - 1)` is the offset in the ring.
//
//        consumer_pos                  producer_pos
//   ----------|=============================|-------------------------
//   free      | published, being drained    | being written, or free
//
// invariant: consumer_pos <= producer_pos <= consumer_pos + ring_bytes (in a ring that is
// overwritten: oldest pos <= producer_pos <= oldest pos + ring_bytes)
//
//            claim (CAS)            first record            thread exit
//   kFree ---------------> kClaiming -----------> kActive ---------------> kRetired
//                              ^                                              |
//                              +---- claim (CAS), once everything is drained -+
//
// Lines 0 and 1 are the producer's, 2 the consumer's, 3 is written at claim and exit only, except
// for the word of waits and the last one, for which the other lines have no room. Producer and
// consumer lines are not in the same pair of lines (128 bytes), because the hardware fetches lines
// in pairs.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "overwrite_words.hpp"
#include "segment_header.hpp"

namespace ringside::shm {

enum class RingState : std::uint32_t {
  kFree = 0,
  kClaiming = 1,
  kActive = 2,
  kRetired = 3,
};

// The only line that a log call writes besides the record itself.
struct alignas(kCacheLineBytes) ProducerLine {
  // Release by the outermost record of the thread, after the record's bytes; paired with the
  // consumer's acquire before it reads them.
  std::atomic<std::uint64_t> producer_pos;
  // For rings that are overwritten (SegmentHeader::sub_buffer_bytes): the position of the oldest
  // records. Changes when a sub-buffer is discarded; overwrite_words.hpp says how to read it.
  OverwriteWords oldest;
};

// Written by the producer off its hot path. Cumulative over one generation of the ring. Names in
// brackets are those of loss_cause.hpp.
struct alignas(kCacheLineBytes) CountersLine {
  std::atomic<std::uint64_t> dropped_total;            // sum of all dropped_ counters
  std::atomic<std::uint64_t> dropped_ring_full;        // [kRingFull]
  std::atomic<std::uint64_t> dropped_consumer_absent;  // [kNoConsumer]
  std::atomic<std::uint64_t> cut_records;              // [kTooLarge] recorded with cut strings
  std::atomic<std::uint64_t> blocked_count;            // waits for space
  std::atomic<std::uint64_t> blocked_ticks;
  std::atomic<std::uint64_t> dropped_quarantined;  // [kQuarantined] the ring was quarantined
  std::atomic<std::uint64_t> dropped_abandoned;    // [kAbandoned]
};

struct alignas(kCacheLineBytes) ConsumerPositionLine {
  // Release after the bytes were read and their encoding was committed; paired with the
  // producer's acquire before it overwrites them.
  std::atomic<std::uint64_t> consumer_pos;
  std::atomic<std::uint64_t> written_pos;    // everything before it is in the trace file
  std::atomic<std::uint64_t> next_sequence;  // of the record at consumer_pos
  std::atomic<std::uint64_t> last_tsc;       // full width, of the record before consumer_pos
  std::atomic<std::uint64_t> booked_drops;   // part of dropped_total already reported in the trace
  std::atomic<std::uint32_t> generation;     // the generation that the words above belong to
  std::atomic<std::uint32_t> quarantine;     // 0, or why the consumer quarantined this ring
  std::atomic<std::uint64_t> booked_consumer_absent;  // part of booked_drops with cause kNoConsumer
  // The most bytes that the consumer found in the ring at once, for this owner.
  std::atomic<std::uint64_t> high_water_bytes;
};

struct alignas(kCacheLineBytes) IdentityLine {
  std::atomic<std::uint32_t> state;  // RingState
  // Counts the threads that owned this ring. Stored with release before the first
  // producer_pos of the new owner.
  std::atomic<std::uint32_t> generation;
  std::uint64_t stream_id;  // unique in the segment
  std::uint64_t start_pos;  // producer_pos when the present owner took the ring
  std::uint64_t start_tsc;
  std::uint32_t thread_id;  // kernel thread id in the service's pid namespace
  // While its thread waits for space, since 1.9: see space_word.hpp. Both sides change it.
  std::atomic<std::uint32_t> space_word;
  char thread_name[16];  // zero padded; at the time of the first record
  // By the consumer, since 1.7: see consumed_processor().
  std::atomic<std::uint64_t> consumed_processor;
};

// The code of the processor (record_head.hpp) of the record at a consumer position: in the upper 16
// bits of a word whose lower 48 bits are those of that position. Stored before consumer_pos. A
// consumer of 1.6 moves consumer_pos without the word, which then is of no use.
constexpr std::uint64_t make_consumed_processor(std::uint32_t code, std::uint64_t consumer_pos) {
  return std::uint64_t{code} << 48 | (consumer_pos & ((std::uint64_t{1} << 48) - 1));
}
// 0 if the word was stored for a position before `consumer_pos`. One for a later position is valid:
// the consumer died between the two stores, after control records only.
constexpr std::uint32_t consumed_processor(std::uint64_t word, std::uint64_t consumer_pos) {
  const auto ahead = static_cast<std::int64_t>((word - consumer_pos) << 16);
  return ahead >= 0 ? static_cast<std::uint32_t>(word >> 48) : 0;
}

struct RingMetadata {
  ProducerLine producer;
  CountersLine counters;
  ConsumerPositionLine consumer;
  IdentityLine identity;
};

static_assert(offsetof(ProducerLine, producer_pos) == 0);
static_assert(offsetof(ProducerLine, oldest) == 8);
static_assert(sizeof(ProducerLine) == kCacheLineBytes);
static_assert(offsetof(CountersLine, dropped_total) == 0);
static_assert(offsetof(CountersLine, dropped_ring_full) == 8);
static_assert(offsetof(CountersLine, dropped_consumer_absent) == 16);
static_assert(offsetof(CountersLine, cut_records) == 24);
static_assert(offsetof(CountersLine, blocked_count) == 32);
static_assert(offsetof(CountersLine, blocked_ticks) == 40);
static_assert(offsetof(CountersLine, dropped_quarantined) == 48);
static_assert(offsetof(CountersLine, dropped_abandoned) == 56);
static_assert(offsetof(ConsumerPositionLine, consumer_pos) == 0);
static_assert(offsetof(ConsumerPositionLine, written_pos) == 8);
static_assert(offsetof(ConsumerPositionLine, next_sequence) == 16);
static_assert(offsetof(ConsumerPositionLine, last_tsc) == 24);
static_assert(offsetof(ConsumerPositionLine, booked_drops) == 32);
static_assert(offsetof(ConsumerPositionLine, generation) == 40);
static_assert(offsetof(ConsumerPositionLine, quarantine) == 44);
static_assert(offsetof(ConsumerPositionLine, booked_consumer_absent) == 48);
static_assert(offsetof(ConsumerPositionLine, high_water_bytes) == 56);
static_assert(offsetof(IdentityLine, state) == 0);
static_assert(offsetof(IdentityLine, generation) == 4);
static_assert(offsetof(IdentityLine, stream_id) == 8);
static_assert(offsetof(IdentityLine, start_pos) == 16);
static_assert(offsetof(IdentityLine, start_tsc) == 24);
static_assert(offsetof(IdentityLine, thread_id) == 32);
static_assert(offsetof(IdentityLine, space_word) == 36);
static_assert(offsetof(IdentityLine, thread_name) == 40);
static_assert(offsetof(IdentityLine, consumed_processor) == 56);
static_assert(offsetof(RingMetadata, producer) == 0);
static_assert(offsetof(RingMetadata, counters) == 64);
static_assert(offsetof(RingMetadata, consumer) == 128);
static_assert(offsetof(RingMetadata, identity) == 192);
static_assert(sizeof(RingMetadata) == 256);

}  // namespace ringside::shm
