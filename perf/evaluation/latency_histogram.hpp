#pragma once
// Counts of durations, from 0 to hours, in bins of at most 3 % of their value.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ringside::perf {

// Values below 32 have a bin each; each further power of two has 32 bins. Not thread-safe.
class LatencyHistogram {
 public:
  void add(std::uint64_t ticks) { ++counts_[bin_of(ticks)]; }

  std::uint64_t all() const {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts_) all += count;
    return all;
  }

  // The number of values in the bin of `ticks` and above it.
  std::uint64_t at_least(std::uint64_t ticks) const {
    std::uint64_t found = 0;
    for (std::size_t bin = bin_of(ticks); bin < counts_.size(); ++bin) found += counts_[bin];
    return found;
  }

  // A lower bound of the largest value, exact to the bin; 0 if there is none.
  std::uint64_t largest() const {
    for (std::size_t bin = counts_.size(); bin-- > 0;) {
      if (counts_[bin] != 0) return least_of(bin);
    }
    return 0;
  }

 private:
  static constexpr unsigned kBinBits = 5;  // 32 bins for each power of two
  static constexpr std::size_t kBins = (64 - kBinBits + 1) << kBinBits;

  static std::size_t bin_of(std::uint64_t ticks) {
    if (ticks < 1U << kBinBits) return ticks;
    const auto shift = static_cast<unsigned>(std::bit_width(ticks)) - kBinBits - 1;
    return ((std::size_t{shift} + 1) << kBinBits) + ((ticks >> shift) - (1U << kBinBits));
  }
  static std::uint64_t least_of(std::size_t bin) {
    if (bin < 1U << kBinBits) return bin;
    const std::size_t shift = (bin >> kBinBits) - 1;
    return ((bin & ((1U << kBinBits) - 1)) + (1U << kBinBits)) << shift;
  }

  std::array<std::uint64_t, kBins> counts_{};
};

}  // namespace ringside::perf
