#include "trace-format/query/distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ringside::trace::query {
namespace {

constexpr unsigned kMantissaBits = 52;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Increases with the number.
std::uint64_t order_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double number_at(std::uint64_t order) {
  return std::bit_cast<double>((order & kSign) != 0 ? order & ~kSign : ~order);
}

std::uint64_t rank_of(double percent, std::uint64_t count) {
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const double rank = std::ceil(share * static_cast<double>(count) - 1e-9);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(rank, 0.0)), 1, count);
}

}  // namespace

Distribution::Pages::Pages(const Pages& other) : by_order(other.by_order.size()) {
  for (std::size_t i = 0; i < by_order.size(); ++i) {
    if (other.by_order[i] != nullptr) by_order[i] = std::make_unique<Page>(*other.by_order[i]);
  }
}

Distribution::Pages& Distribution::Pages::operator=(const Pages& other) {
  if (this != &other) *this = Pages(other);
  return *this;
}

void Distribution::add_exact(double value) {
  values_.push_back(value);
  if (values_.size() > kExact) spread();
}

void Distribution::spread() {
  pages_.by_order.resize(kPages);
  for (const double value : values_) put(value, 1);
  values_ = {};
}

void Distribution::put(double value, std::uint64_t times) {
  const std::uint64_t order = order_of(value);
  std::unique_ptr<Page>& page = pages_.by_order[order >> kMantissaBits];
  if (page == nullptr) page = std::make_unique<Page>();
  (*page)[(order >> (kMantissaBits - kSubBits)) % page->size()] += times;
}

void Distribution::merge(const Distribution& other) {
  count_ += other.count_;
  if (other.pages_.empty()) {
    for (const double value : other.values_) {
      if (pages_.empty()) {
        add_exact(value);
      } else {
        put(value, 1);
      }
    }
    return;
  }
  if (pages_.empty()) spread();
  for (std::size_t i = 0; i < kPages; ++i) {
    const Page* const from = other.pages_.by_order[i].get();
    if (from == nullptr) continue;
    std::unique_ptr<Page>& to = pages_.by_order[i];
    if (to == nullptr) to = std::make_unique<Page>();
    for (std::size_t k = 0; k < from->size(); ++k) (*to)[k] += (*from)[k];
  }
}

double Distribution::percentile(double percent) const {
  if (count_ == 0) return 0;
  std::uint64_t rank = rank_of(percent, count_);
  if (pages_.empty()) {
    std::sort(values_.begin(), values_.end());
    return values_[static_cast<std::size_t>(rank - 1)];
  }
  constexpr unsigned kBelow = kMantissaBits - kSubBits;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    const Page* const page = pages_.by_order[i].get();
    if (page == nullptr) continue;
    for (std::uint64_t k = 0; k < page->size(); ++k) {
      if (rank > (*page)[k]) {
        rank -= (*page)[k];
        continue;
      }
      const std::uint64_t order = i << kMantissaBits | k << kBelow;
      const double low = number_at(order);
      const double high = number_at(order | ((std::uint64_t{1} << kBelow) - 1));
      if (std::isinf(low) || std::isinf(high)) return std::isinf(low) ? low : high;
      if (order == kSign) return 0;  // the class of 0 and of numbers close to it
      return low + (high - low) / 2;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();  // unreachable: the pages hold count_ numbers
}

}  // namespace ringside::trace::query
