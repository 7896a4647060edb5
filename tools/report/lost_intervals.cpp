#include "tools/report/lost_intervals.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ringside::tool {
namespace {

bool are_of_one_kind(const LostInterval& a, const LostInterval& b) {
  return a.stream == b.stream && a.cause == b.cause;
}

void join(LostInterval& first, const LostInterval& next) {
  first.from_ns = std::min(first.from_ns, next.from_ns);
  first.to_ns = std::max(first.to_ns, next.to_ns);
  first.lost += next.lost;
  first.joined += next.joined;
}

}  // namespace

std::vector<LostInterval> LostIntervals::sorted() {
  if (intervals_.size() > kMost) reduce();
  std::vector<LostInterval> all = intervals_;
  std::sort(all.begin(), all.end(), [](const LostInterval& a, const LostInterval& b) {
    return std::tie(a.to_ns, a.stream, a.cause) < std::tie(b.to_ns, b.stream, b.cause);
  });
  return all;
}

void LostIntervals::reduce() {
  join_nearest();
  if (intervals_.size() > kMost) drop_least();
}

void LostIntervals::join_nearest() {
  std::sort(intervals_.begin(), intervals_.end(), [](const LostInterval& a, const LostInterval& b) {
    return std::tie(a.stream, a.cause, a.from_ns) < std::tie(b.stream, b.cause, b.from_ns);
  });
  // The distance to the one before, and the index: so as many are joined as necessary.
  std::vector<std::pair<std::uint64_t, std::size_t>> distances;
  for (std::size_t i = 1; i < intervals_.size(); ++i) {
    const LostInterval& before = intervals_[i - 1];
    if (!are_of_one_kind(before, intervals_[i])) continue;
    const std::uint64_t from_ns = intervals_[i].from_ns;
    distances.emplace_back(from_ns > before.to_ns ? from_ns - before.to_ns : 0, i);
  }
  const std::size_t wanted = std::min(distances.size(), intervals_.size() - kMost);
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(wanted),
                   distances.end());
  std::vector<bool> is_joined(intervals_.size());
  for (std::size_t i = 0; i < wanted; ++i) is_joined[distances[i].second] = true;
  std::vector<LostInterval> left;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (is_joined[i]) {
      join(left.back(), intervals_[i]);
    } else {
      left.push_back(intervals_[i]);
    }
  }
  intervals_ = std::move(left);
}

void LostIntervals::drop_least() {
  std::nth_element(intervals_.begin(), intervals_.begin() + kMost, intervals_.end(),
                   [](const LostInterval& a, const LostInterval& b) { return a.lost > b.lost; });
  for (std::size_t i = kMost; i < intervals_.size(); ++i) left_out_ += intervals_[i].joined;
  intervals_.resize(kMost);
}

}  // namespace ringside::tool
