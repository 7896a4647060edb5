#pragma once
// The positions of the regions of a new segment, and the check of the positions that a found
// segment claims.

#include <cstdint>
#include <optional>

#include "call_costs.hpp"
#include "consumed_context.hpp"
#include "control_page.hpp"
#include "nested_records.hpp"
#include "ring_metadata.hpp"
#include "segment_header.hpp"
#include "site_executions.hpp"
#include "site_losses.hpp"

namespace ringside::shm {

inline constexpr std::uint64_t kMinRingBytes = 4U << 10;
inline constexpr std::uint64_t kMaxRingBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kDefaultRingBytes = 1U << 20;
inline constexpr std::uint32_t kMaxRings = 1U << 16;
inline constexpr std::uint32_t kDefaultRings = 1024;
inline constexpr std::uint32_t kDefaultSiteCapacity = 1U << 16;
inline constexpr std::uint32_t kMaxSiteCapacity = 1U << 20;
inline constexpr std::uint64_t kDefaultDictionaryBytes = 32U << 20;
inline constexpr std::uint64_t kMaxDictionaryBytes = std::uint64_t{1} << 32;

struct SegmentLayout {
  std::uint64_t ring_bytes;
  std::uint32_t ring_count;
  std::uint32_t site_capacity;
  std::uint64_t control_offset;
  std::uint64_t metadata_offset;
  std::uint64_t nested_offset;    // 0: a segment before 1.3, which has none
  std::uint64_t contexts_offset;  // 0: a segment before 1.10, which has none
  std::uint64_t switches_offset;
  std::uint64_t dictionary_offset;
  std::uint64_t dictionary_bytes;
  std::uint64_t site_losses_offset;      // 0: a segment of 1.0, which has none
  std::uint64_t site_executions_offset;  // 0: a segment before 1.5, which has none
  std::uint64_t call_costs_offset;       // 0: log calls are not measured
  std::uint64_t rings_offset;
  std::uint64_t segment_bytes;
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr bool is_ring_size(std::uint64_t bytes) {
  return bytes >= kMinRingBytes && bytes <= kMaxRingBytes && (bytes & (bytes - 1)) == 0;
}

constexpr SegmentLayout plan_segment(std::uint64_t ring_bytes, std::uint32_t ring_count,
                                     std::uint32_t site_capacity, std::uint64_t dictionary_bytes,
                                     bool measures_calls = false) {
  SegmentLayout l{};
  l.ring_bytes = ring_bytes;
  l.ring_count = ring_count;
  l.site_capacity = site_capacity;
  l.control_offset = kPageBytes;
  l.metadata_offset = l.control_offset + kPageBytes;
  l.nested_offset =
      round_up(l.metadata_offset + std::uint64_t{ring_count} * sizeof(RingMetadata), kPageBytes);
  l.contexts_offset =
      round_up(l.nested_offset + std::uint64_t{ring_count} * sizeof(NestedRecords), kPageBytes);
  l.switches_offset =
      round_up(l.contexts_offset + std::uint64_t{ring_count} * sizeof(ConsumedContext), kPageBytes);
  l.dictionary_offset = round_up(l.switches_offset + site_capacity, kPageBytes);
  l.dictionary_bytes = round_up(dictionary_bytes, kPageBytes);
  l.site_losses_offset = l.dictionary_offset + l.dictionary_bytes;
  l.site_executions_offset = round_up(
      l.site_losses_offset + std::uint64_t{site_capacity} * sizeof(SiteLosses), kPageBytes);
  std::uint64_t end = l.site_executions_offset + execution_bytes(site_capacity);
  if (measures_calls) {
    l.call_costs_offset = round_up(end, kPageBytes);
    end = l.call_costs_offset + std::uint64_t{ring_count} * sizeof(CallCosts);
  }
  // Rings begin on a boundary of 2 MiB so that huge pages can back them.
  l.rings_offset = round_up(end, 2U << 20);
  l.segment_bytes = l.rings_offset + ring_count * ring_bytes;
  return l;
}

inline void write_regions(const SegmentLayout& l, SegmentHeader& header) {
  const auto set = [&header](std::size_t slot, RegionKind kind, std::uint32_t stride,
                             std::uint64_t offset, std::uint64_t bytes) {
    header.regions[slot] = {kind, stride, offset, bytes};
  };
  set(0, RegionKind::kControlPage, kPageBytes, l.control_offset, kPageBytes);
  set(1, RegionKind::kRingMetadata, sizeof(RingMetadata), l.metadata_offset,
      std::uint64_t{l.ring_count} * sizeof(RingMetadata));
  set(2, RegionKind::kSiteSwitches, 1, l.switches_offset, l.site_capacity);
  set(3, RegionKind::kDictionary, 1, l.dictionary_offset, l.dictionary_bytes);
  set(4, RegionKind::kRings, 0, l.rings_offset, l.ring_count * l.ring_bytes);
  set(5, RegionKind::kSiteLosses, sizeof(SiteLosses), l.site_losses_offset,
      std::uint64_t{l.site_capacity} * sizeof(SiteLosses));
  if (l.call_costs_offset != 0) {
    set(6, RegionKind::kCallCosts, sizeof(CallCosts), l.call_costs_offset,
        std::uint64_t{l.ring_count} * sizeof(CallCosts));
  }
  set(7, RegionKind::kNestedRecords, sizeof(NestedRecords), l.nested_offset,
      std::uint64_t{l.ring_count} * sizeof(NestedRecords));
  set(8, RegionKind::kSiteExecutions, sizeof(SiteExecutions), l.site_executions_offset,
      execution_bytes(l.site_capacity));
  set(9, RegionKind::kConsumedContexts, sizeof(ConsumedContext), l.contexts_offset,
      std::uint64_t{l.ring_count} * sizeof(ConsumedContext));
  FieldOffsets& f = header.field_offsets;
  f = {};
  f.producer_pos = offsetof(RingMetadata, producer) + offsetof(ProducerLine, producer_pos);
  f.consumer_pos = offsetof(RingMetadata, consumer) + offsetof(ConsumerPositionLine, consumer_pos);
  f.ring_state = offsetof(RingMetadata, identity) + offsetof(IdentityLine, state);
  f.ring_generation = offsetof(RingMetadata, identity) + offsetof(IdentityLine, generation);
  f.stream_id = offsetof(RingMetadata, identity) + offsetof(IdentityLine, stream_id);
  f.thread_id = offsetof(RingMetadata, identity) + offsetof(IdentityLine, thread_id);
  f.thread_name = offsetof(RingMetadata, identity) + offsetof(IdentityLine, thread_name);
  f.dropped_total = offsetof(RingMetadata, counters) + offsetof(CountersLine, dropped_total);
  f.dictionary_committed_bytes =
      offsetof(ControlPage, service) + offsetof(ServiceLine, dictionary_committed_bytes);
  f.rings_used = offsetof(ControlPage, service) + offsetof(ServiceLine, rings_used);
}

// The layout that a header claims, or nothing if a region is outside `file_bytes`, off its
// alignment, or beyond the limits above. `header` is a private copy of a complete header; the
// caller has checked magic and version.
inline std::optional<SegmentLayout> read_layout(const SegmentHeader& header,
                                                std::uint64_t file_bytes) {
  SegmentLayout l{};
  l.ring_bytes = header.ring_bytes;
  l.ring_count = header.ring_count;
  l.site_capacity = header.site_capacity;
  l.segment_bytes = header.segment_bytes;
  if (!is_ring_size(l.ring_bytes) || l.ring_count == 0 || l.ring_count > kMaxRings ||
      l.site_capacity == 0 || l.site_capacity > kMaxSiteCapacity || l.segment_bytes > file_bytes) {
    return {};
  }
  const auto find = [&](RegionKind kind, std::uint64_t bytes, std::uint64_t* offset,
                        std::uint64_t* found_bytes) {
    for (const Region& region : header.regions) {
      if (region.kind != kind) continue;
      if (region.offset % kPageBytes != 0 || region.offset > l.segment_bytes ||
          region.bytes > l.segment_bytes - region.offset || region.bytes < bytes) {
        return false;
      }
      *offset = region.offset;
      *found_bytes = region.bytes;
      return true;
    }
    return false;
  };
  std::uint64_t ignored = 0;
  const bool sound =
      find(RegionKind::kControlPage, kPageBytes, &l.control_offset, &ignored) &&
      find(RegionKind::kRingMetadata, std::uint64_t{l.ring_count} * sizeof(RingMetadata),
           &l.metadata_offset, &ignored) &&
      find(RegionKind::kSiteSwitches, l.site_capacity, &l.switches_offset, &ignored) &&
      find(RegionKind::kDictionary, 1, &l.dictionary_offset, &l.dictionary_bytes) &&
      find(RegionKind::kRings, l.ring_count * l.ring_bytes, &l.rings_offset, &ignored) &&
      l.dictionary_bytes <= kMaxDictionaryBytes;
  if (!sound) return {};
  for (const Region& region : header.regions) {
    if (region.kind == RegionKind::kSiteLosses &&
        !find(RegionKind::kSiteLosses, std::uint64_t{l.site_capacity} * sizeof(SiteLosses),
              &l.site_losses_offset, &ignored)) {
      return {};
    }
    if (region.kind == RegionKind::kCallCosts && region.stride == sizeof(CallCosts) &&
        !find(RegionKind::kCallCosts, std::uint64_t{l.ring_count} * sizeof(CallCosts),
              &l.call_costs_offset, &ignored)) {
      return {};
    }
    if (region.kind == RegionKind::kNestedRecords && region.stride == sizeof(NestedRecords) &&
        !find(RegionKind::kNestedRecords, std::uint64_t{l.ring_count} * sizeof(NestedRecords),
              &l.nested_offset, &ignored)) {
      return {};
    }
    if (region.kind == RegionKind::kConsumedContexts && region.stride == sizeof(ConsumedContext) &&
        !find(RegionKind::kConsumedContexts, std::uint64_t{l.ring_count} * sizeof(ConsumedContext),
              &l.contexts_offset, &ignored)) {
      return {};
    }
    if (region.kind == RegionKind::kSiteExecutions && region.stride == sizeof(SiteExecutions) &&
        !find(RegionKind::kSiteExecutions, execution_bytes(l.site_capacity),
              &l.site_executions_offset, &ignored)) {
      return {};
    }
  }
  return l;
}

}  // namespace ringside::shm
