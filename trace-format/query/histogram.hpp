// Numbers counted in rows between two bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::trace::query {

enum class Scale : std::uint8_t { kLinear, kLogarithmic };

// Rows of equal width (or equal ratio) from `low` to `high`. Row i has the numbers in [edge(i),
// edge(i + 1)); the last one also `high`.
class Histogram {
 public:
  // At least one row; finite bounds, low <= high. If low == high, there is one row. A logarithmic
  // scale needs low > 0 and is linear otherwise.
  Histogram(double low, double high, std::size_t rows, Scale scale = Scale::kLinear);

  // NaNs are left out.
  void add(double value);
  void merge(const Histogram& other);  // with the same bounds, rows and scale

  std::size_t rows() const { return counts_.size(); }
  std::uint64_t count(std::size_t row) const { return counts_[row]; }
  double edge(std::size_t row) const;  // 0 to rows()
  std::uint64_t below() const { return below_; }
  std::uint64_t above() const { return above_; }
  std::uint64_t most() const;  // in one row
  Scale scale() const { return scale_; }

 private:
  double low_;
  double high_;
  Scale scale_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t below_ = 0;
  std::uint64_t above_ = 0;
};

}  // namespace ringside::trace::query
