#pragma once
// All spans while they are few; beyond that all those with at least some duration.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::tool {

struct DrawnSpan {
  std::uint64_t begin_ns = 0;
  std::uint64_t duration_ns = 0;  // kNoEnd: the trace does not have the end
  std::uint64_t number = 0;       // of the spans of its track
  std::uint32_t track = 0;
  std::uint32_t statement = 0;
  std::uint32_t row = 0;

  static constexpr std::uint64_t kNoEnd = UINT64_MAX;
};

// Not thread-safe.
class LongestSpans {
 public:
  explicit LongestSpans(std::size_t most) : most_(most) {}

  void add(const DrawnSpan& span) {
    if (span.duration_ns < least_ns_) return;
    if (spans_.size() == most_) [[unlikely]] {
      raise();
      if (span.duration_ns < least_ns_) return;
    }
    spans_.push_back(span);
  }

  // At most so many: shorter ones are left out.
  void reduce(std::size_t most) {
    while (spans_.size() > most) {
      const std::size_t before = spans_.size();
      raise();
      if (spans_.size() != before) continue;
      // All have the same duration, or no end.
      least_ns_ += least_ns_ == DrawnSpan::kNoEnd ? 0 : 1;
      std::erase_if(spans_, [&](const DrawnSpan& span) { return span.duration_ns < least_ns_; });
      if (spans_.size() == before) spans_.resize(most);
    }
  }

  // No span of at least this duration is missing of those that were added.
  std::uint64_t least_ns() const { return least_ns_; }
  std::vector<DrawnSpan>& spans() { return spans_; }

 private:
  // Leaves out the shorter half, and those as long as the median if these are too many.
  void raise() {
    std::vector<std::uint64_t> durations(spans_.size());
    std::transform(spans_.begin(), spans_.end(), durations.begin(),
                   [](const DrawnSpan& span) { return span.duration_ns; });
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    const std::uint64_t median = *middle;
    const auto at_least = std::count_if(durations.begin(), durations.end(),
                                        [&](std::uint64_t one) { return one >= median; });
    const bool are_too_many = static_cast<std::size_t>(at_least) > most_ / 4 * 3;
    least_ns_ = are_too_many && median != DrawnSpan::kNoEnd ? median + 1 : median;
    std::erase_if(spans_, [&](const DrawnSpan& span) { return span.duration_ns < least_ns_; });
    if (spans_.size() == most_) spans_.resize(most_ - 1);  // all of them are open
  }

  std::size_t most_;
  std::uint64_t least_ns_ = 0;
  std::vector<DrawnSpan> spans_;
};

}  // namespace ringside::tool
