#include "libagent/recording/unread_records.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/oldest_records.hpp"
#include "libagent/recording/record_walk.hpp"
#include "libagent/recording/truncated_segment.hpp"

namespace ringside {
namespace {

std::uint64_t consumed_pos(const shm::RingMetadata& ring) {
  return ring.consumer.consumer_pos.load(std::memory_order_acquire);
}

std::uint64_t published_pos(const shm::RingMetadata& ring) {
  return ring.producer.producer_pos.load(std::memory_order_acquire);
}

// Records in [from, to) of a ring that is drained, without those that drop records report.
std::uint64_t records_between(const Segment& segment, const RecordShapes& shapes,
                              std::uint32_t index, std::uint64_t from, std::uint64_t to) {
  const std::byte* const base = segment.ring_base[index].load(std::memory_order_relaxed);
  const std::uint64_t ring_bytes = segment.layout.ring_bytes;
  std::uint64_t records = 0;
  while (base != nullptr && from < to && to - from <= ring_bytes) {
    // From the second copy on: the third is mapped once a record has passed the ring's end.
    const std::span bytes(base + ring_bytes + (from & (ring_bytes - 1)),
                          static_cast<std::size_t>(to - from));
    const WalkedRecords walked = walk_sub_buffer(bytes, shapes);
    records += walked.numbers - walked.drops;
    if (!walked.sound || walked.bytes == 0) {
      ++records;  // or more
      break;
    }
    from += walked.bytes;
  }
  return records;
}

// Records of ring `index` that are neither read nor counted yet.
std::uint64_t count_unread(Segment& segment, const RecordShapes& shapes, std::uint32_t index) {
  const shm::RingMetadata& ring = segment.rings[index];
  std::uint64_t& counted = segment.counted_as_lost[index];
  if (segment.sub_buffer_bytes != 0) {
    const std::byte* const base = segment.ring_base[index].load(std::memory_order_relaxed);
    const std::uint64_t used = base == nullptr ? 0 : numbers_used(segment, ring, base);
    const std::uint64_t taken =
        std::max(counted, ring.consumer.next_sequence.load(std::memory_order_relaxed));
    counted = std::max(used, taken);
    return counted - taken;
  }
  const std::uint64_t from = std::max(counted, consumed_pos(ring));
  counted = published_pos(ring);
  return records_between(segment, shapes, index, from, counted);
}

}  // namespace

bool has_unread_bytes(const shm::RingMetadata& ring) {
  return consumed_pos(ring) != published_pos(ring);
}

bool count_unread_as_lost(Agent& agent, Segment& segment) {
  if (segment.has_lost_head.load(std::memory_order_relaxed)) return false;  // count_by_estimate()
  if (segment.counted_as_lost == nullptr) {
    segment.counted_as_lost = std::make_unique<std::uint64_t[]>(segment.layout.ring_count);
  }
  std::unique_ptr<RecordShapes> shapes;
  std::uint64_t lost = 0;
  std::uint64_t carried = 0;
  for (std::uint32_t i = 0; i < segment.rings_used; ++i) {
    if (std::max(segment.counted_as_lost[i], consumed_pos(segment.rings[i])) ==
        published_pos(segment.rings[i])) {
      continue;
    }
    if (segment.ring_losses[i].load(std::memory_order_relaxed) == Segment::RingLoss::counted) {
      segment.counted_as_lost[i] = published_pos(segment.rings[i]);
      continue;
    }
    if (shapes == nullptr && segment.shapes == nullptr) {
      shapes = std::make_unique<RecordShapes>(segment.layout.site_capacity);
      for (const rs_site* site = agent.sites; site != nullptr; site = site->next) {
        if (site->id != 0 && site->id < segment.layout.site_capacity) {
          shapes->add(static_cast<std::uint32_t>(site->id), FieldTypes(*site));
        }
      }
    }
    lost += count_unread(segment, segment.shapes != nullptr ? *segment.shapes : *shapes, i);
    consider_counted(segment, i);
  }
  const bool is_replaced = &segment != agent.segment.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; is_replaced && i < segment.rings_used; ++i) {
    carried += carry_drops(segment, i);
  }
  count_as_lost_with_segment(agent, lost + carried);
  if (is_replaced) carry_refusals(agent, segment);
  return lost != 0;
}

}  // namespace ringside
