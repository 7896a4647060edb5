#pragma once
// Where complete records lie after `producer_pos`: those of signal handlers that interrupted a log
// call of their thread. They are published with the interrupted record or, if the thread ends
// first, by the code that salvages the ring.
//
//   producer_pos
//   ----|-- interrupted --|== range ==|-- interrupted handler --|== range ==|----
//
// The ring's owner stores a range when the record that ends it is complete, before that log call
// returns. A range is valid if it ends after `producer_pos` (and within the ring); publishing it
// makes it invalid. Ranges may overlap for a moment. While the owner lives, only the owner uses
// them: the bytes between them are being written.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record_head.hpp"
#include "segment_header.hpp"

namespace ringside::shm {

// The number of handlers that can interrupt each other's log calls. Records that would need more
// ranges are published too, but are lost if the process dies before that.
inline constexpr std::size_t kNestedRanges = 4;

struct NestedRange {
  std::atomic<std::uint64_t> begin;  // stored first
  std::atomic<std::uint64_t> end;
};

struct alignas(kCacheLineBytes) NestedRecords {
  std::array<NestedRange, kNestedRanges> range;
};

static_assert(offsetof(NestedRange, begin) == 0);
static_assert(offsetof(NestedRange, end) == 8);
static_assert(sizeof(NestedRecords) == kCacheLineBytes);

// A private copy.
struct WholeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const WholeRange&) const = default;
};
using WholeRanges = std::array<WholeRange, kNestedRanges>;

inline WholeRanges load_nested(const NestedRecords& nested) {
  WholeRanges ranges;
  for (std::size_t i = 0; i < kNestedRanges; ++i) {
    ranges[i] = {nested.range[i].begin.load(std::memory_order_relaxed),
                 nested.range[i].end.load(std::memory_order_relaxed)};
  }
  return ranges;
}

// Bytes [producer_pos, end) of a ring whose owner is gone: complete records and gaps to skip. Empty
// (`end` is producer_pos) if there is nothing but the interrupted record.
struct NestedRest {
  WholeRanges gaps{};
  std::size_t gap_count = 0;
  std::uint64_t end = 0;
};

// `ranges` is untrusted; nothing is returned beyond `space_end`.
inline NestedRest nested_rest(WholeRanges ranges, std::uint64_t producer_pos,
                              std::uint64_t space_end) {
  std::sort(ranges.begin(), ranges.end(),
            [](const WholeRange& a, const WholeRange& b) { return a.begin < b.begin; });
  NestedRest rest;
  rest.end = producer_pos;
  for (const WholeRange& range : ranges) {
    if (range.begin >= range.end || range.end <= rest.end || range.end > space_end) continue;
    if (range.begin > rest.end) {
      // No record is shorter than its head.
      if (range.begin - rest.end < kHeadBytes) continue;
      rest.gaps[rest.gap_count++] = {rest.end, range.begin};
    }
    rest.end = range.end;
  }
  return rest;
}

// The head of a pad record at the begin of a gap makes readers skip it.
constexpr std::uint64_t gap_head(const WholeRange& gap) {
  return make_head(gap.end - gap.begin, kCodePad);
}

}  // namespace ringside::shm
