#pragma once
// Counts dropped events by the sequence numbers that each thread gives its events.

#include <cstdint>
#include <unordered_map>

namespace ringside::tool::nettrace {

class SequenceLedger {
 public:
  struct Counts {
    std::uint64_t events_gap = 0;  // dropped events, found by later events
    std::uint64_t gaps = 0;
    std::uint64_t sequence_point_gap = 0;  // dropped events, found by sequence points
    std::uint64_t sequence_point_gaps = 0;
    std::uint64_t resets = 0;
    std::uint64_t regressions = 0;
    std::uint64_t first_seen_above_1 = 0;
    std::uint64_t first_seen_missing = 0;
    std::uint64_t sequence_point_below_last = 0;

    std::uint64_t total() const { return events_gap + sequence_point_gap; }
  };

  // Returns how many events of the thread were dropped before this one.
  std::uint32_t event(std::uint64_t capture_thread, std::uint32_t sequence) {
    if (last_ != nullptr && last_thread_ == capture_thread) {
      if (sequence == *last_ + 1) {
        *last_ = sequence;
        return 0;
      }
      return event(*last_, sequence);
    }
    const auto [found, is_new] = threads_.try_emplace(capture_thread, sequence);
    last_ = &found->second;
    last_thread_ = capture_thread;
    if (!is_new) return event(found->second, sequence);
    if (sequence > 1) {
      ++counts_.first_seen_above_1;
      counts_.first_seen_missing += sequence - 1;
    }
    return 0;
  }

  // The same between the thread's last event and a sequence point.
  std::uint32_t sequence_point(std::uint64_t thread, std::uint32_t sequence) {
    const auto [found, is_new] = threads_.try_emplace(thread, sequence);
    const std::uint32_t distance = sequence - found->second;
    if (is_new || distance == 0) return 0;
    if (distance >= kHalf) {
      ++counts_.sequence_point_below_last;
      return 0;
    }
    found->second = sequence;
    counts_.sequence_point_gap += distance;
    ++counts_.sequence_point_gaps;
    return distance;
  }

  const Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kHalf = 1U << 31;

  std::uint32_t event(std::uint32_t& last, std::uint32_t sequence) {
    const std::uint32_t missing = sequence - last - 1;
    last = sequence;
    if (missing == 0) return 0;
    if (sequence == 1) {
      ++counts_.resets;
    } else if (missing < kHalf) {
      counts_.events_gap += missing;
      ++counts_.gaps;
      return missing;
    } else {
      ++counts_.regressions;
    }
    return 0;
  }

  // Elements of the map do not move.
  std::unordered_map<std::uint64_t, std::uint32_t> threads_;
  std::uint64_t last_thread_ = 0;
  std::uint32_t* last_ = nullptr;
  Counts counts_;
};

}  // namespace ringside::tool::nettrace
