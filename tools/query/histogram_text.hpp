#pragma once
// A histogram drawn with characters.

#include <cstddef>
#include <string>

#include "trace-format/query/histogram.hpp"

namespace ringside::tool {

struct HistogramStyle {
  std::size_t columns = 80;
  bool ascii = false;  // bars of '#' instead of block elements of eighths
};

// One line per row: lower edge, upper edge, count, bar. Lines are at most `columns` wide, unless
// that leaves no room for a bar of ten.
std::string histogram_text(const trace::query::Histogram& histogram, const HistogramStyle& style);

}  // namespace ringside::tool
