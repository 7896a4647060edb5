// Adds up the LOSSES blocks of one segment, each loss once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>

#include "trace-format/blocks/losses_block.hpp"

namespace ringside::trace {

// Blocks may come in any order, from sections that are read in parallel, and more than once: a
// consumer that takes a segment over may report again what the preceding one reported.
class CountedLosses {
 public:
  // How many of the counter's numbers in (before, after] were not in any earlier block.
  std::uint64_t add(const LossCount& count, bool by_site) {
    const Key key{by_site, count.site_id, count.cause};
    // Only a malicious file has many counters or many gaps in one: do not give it memory.
    if (counters_.size() >= kMostCounters && !counters_.contains(key)) return 0;
    Ranges& ranges = counters_[key];
    std::uint64_t begin = count.before;
    std::uint64_t end = count.after;
    std::uint64_t fresh = end - begin;
    // Ranges that touch the new one are merged with it.
    auto range = ranges.upper_bound(begin);
    if (range != ranges.begin() && std::prev(range)->second >= begin) --range;
    while (range != ranges.end() && range->first <= end) {
      const std::uint64_t from = range->first > count.before ? range->first : count.before;
      const std::uint64_t to = range->second < count.after ? range->second : count.after;
      if (to > from) fresh -= to - from;
      if (range->first < begin) begin = range->first;
      if (range->second > end) end = range->second;
      range = ranges.erase(range);
    }
    has_repeats_ = has_repeats_ || fresh != count.after - count.before;
    if (ranges.size() < kMostRanges) ranges.emplace(begin, end);
    return fresh;
  }

  // Whether a block repeated what another one reported. Then the order of the blocks decides which
  // of them has the loss.
  bool has_repeats() const { return has_repeats_; }

 private:
  static constexpr std::size_t kMostRanges = 64;
  static constexpr std::size_t kMostCounters = std::size_t{1} << 20;
  using Key = std::tuple<bool, std::uint32_t, shm::LossCause>;
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  // begin, end

  std::map<Key, Ranges> counters_;
  bool has_repeats_ = false;
};

}  // namespace ringside::trace
