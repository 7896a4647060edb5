// Percentiles in bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ringside::trace::query {

// Keeps up to kExact numbers unchanged, more of them in classes that are at most 1/128 of their
// numbers wide. A percentile is then off by at most kRelativeError of itself. Memory grows with the
// number of powers of two that occur, 1 KiB each, to 4 MiB at most. NaNs are left out.
class Distribution {
 public:
  static constexpr std::size_t kExact = 1024;
  static constexpr double kRelativeError = 1.0 / 256;

  void add(double value) {
    if (value != value) [[unlikely]]
      return;
    ++count_;
    if (pages_.empty()) {
      add_exact(value);
    } else {
      put(value, 1);
    }
  }

  void merge(const Distribution& other);

  std::uint64_t count() const { return count_; }
  bool exact() const { return pages_.empty(); }

  // The smallest number that at least `percent` (0 to 100) of all numbers do not exceed; 0 without
  // numbers.
  double percentile(double percent) const;

 private:
  static constexpr unsigned kSubBits = 7;      // of the mantissa
  static constexpr std::size_t kPages = 4096;  // one for each exponent and sign
  using Page = std::array<std::uint64_t, std::size_t{1} << kSubBits>;

  void add_exact(double value);
  void spread();
  void put(double value, std::uint64_t times);

  std::uint64_t count_ = 0;
  mutable std::vector<double> values_;  // sorted when a percentile is requested
  struct Pages {
    std::vector<std::unique_ptr<Page>> by_order;
    Pages() = default;
    Pages(const Pages& other);
    Pages& operator=(const Pages& other);
    Pages(Pages&&) noexcept = default;
    Pages& operator=(Pages&&) noexcept = default;
    ~Pages() = default;
    bool empty() const { return by_order.empty(); }
  };
  Pages pages_;  // sorted; empty while values_ has all numbers
};

}  // namespace ringside::trace::query
