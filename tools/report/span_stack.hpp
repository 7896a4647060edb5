#pragma once
// How the spans of one track are nested, from their times: README.md, "Nesting".

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::tool {

// Takes spans in the order of their begins; of those that begin together, the longest first. Spans
// of different tasks are never within each other. Memory: kMostOpen spans. Not thread-safe.
class SpanStack {
 public:
  static constexpr unsigned kMostRows = 64;
  static constexpr std::size_t kMostOpen = 256;
  static constexpr std::uint32_t kNoPath = UINT32_MAX;

  struct Place {
    unsigned row = 0;                     // those of spans that overlap differ, up to kMostRows
    std::uint32_t parent_path = kNoPath;  // what was given for the innermost span around this one
    std::uint64_t taken_ns = 0;           // of the parent's time that no child had taken before
    bool is_all_taken = false;            // all of this span is such time
    bool is_crowded = false;  // no row is free: it lies over another span, in the last row
  };

  Place place_of(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t task) {
    std::erase_if(open_, [&](const Open& one) { return one.end_ns <= begin_ns; });
    std::uint64_t used = 0;
    for (const Open& one : open_) used |= std::uint64_t{1} << one.row;
    Place place;
    unsigned least_row = 0;
    const auto parent = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& one) {
      return one.task == task && one.end_ns >= end_ns;
    });
    if (parent != open_.rend()) {
      place.parent_path = parent->path;
      const std::uint64_t from_ns = std::max(begin_ns, parent->taken_until_ns);
      place.taken_ns = end_ns > from_ns ? end_ns - from_ns : 0;
      place.is_all_taken = from_ns == begin_ns;
      parent->taken_until_ns = std::max(parent->taken_until_ns, end_ns);
      least_row = parent->row + 1;
    }
    const std::uint64_t higher =
        least_row < kMostRows ? ~used & (~std::uint64_t{0} << least_row) : 0;
    place.is_crowded = higher == 0;
    place.row = place.is_crowded ? kMostRows - 1 : static_cast<unsigned>(std::countr_zero(higher));
    return place;
  }

  // After place_of(). `path`: what Place::parent_path of spans within it will be.
  void open(const Place& place, std::uint64_t end_ns, std::uint64_t task, std::uint32_t path) {
    if (open_.size() < kMostOpen) open_.push_back({end_ns, 0, task, path, place.row});
  }

  bool is_full() const { return open_.size() >= kMostOpen; }

 private:
  struct Open {
    std::uint64_t end_ns = 0;
    std::uint64_t taken_until_ns = 0;  // children cover its time up to here, from the first one on
    std::uint64_t task = 0;
    std::uint32_t path = 0;
    unsigned row = 0;
  };
  std::vector<Open> open_;  // in the order of their begins
};

}  // namespace ringside::tool
