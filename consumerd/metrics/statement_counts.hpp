#pragma once
// Executions of a service's statements that were counted instead of recorded, by place. Bounded,
// because each place is a series of the monitoring system.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "consumerd/metrics/saturating_sum.hpp"

namespace ringside::consumer {

struct StatementCount {
  std::uint64_t counted = 0;     // while the statement was counting (ringctl count)
  std::uint64_t suppressed = 0;  // by the statement's own condition or rate

  void add(const StatementCount& more) {
    counted = saturating_sum(counted, more.counted);
    suppressed = saturating_sum(suppressed, more.suppressed);
  }
};

class StatementCounts {
 public:
  static constexpr std::size_t kMostPlaces = 50;
  static constexpr const char* kOthers = "(others)";  // further places, counted together

  using ByPlace = std::map<std::string, StatementCount>;  // "order.cpp:17"
  const ByPlace& by_place() const { return by_place_; }

  // The count of this place, or the one that it shares with others.
  StatementCount& at(const std::string& place) {
    const auto known = by_place_.find(place);
    if (known != by_place_.end()) return known->second;
    const std::size_t places = by_place_.size() - by_place_.count(kOthers);
    return by_place_[places < kMostPlaces ? place : kOthers];
  }

  void keep_growing(const StatementCounts& before) {
    for (const auto& [place, count] : before.by_place_) {
      StatementCount& now = at(place);
      now.counted = std::max(now.counted, count.counted);
      now.suppressed = std::max(now.suppressed, count.suppressed);
    }
  }

  // `now` has grown from `before`.
  void add_growth(const StatementCounts& before, const StatementCounts& now) {
    for (const auto& [place, count] : now.by_place_) {
      const auto known = before.by_place_.find(place);
      const StatementCount then =
          known != before.by_place_.end() ? known->second : StatementCount{};
      at(place).add({count.counted - then.counted, count.suppressed - then.suppressed});
    }
  }

 private:
  ByPlace by_place_;
};

}  // namespace ringside::consumer
