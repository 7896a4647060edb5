#pragma once
// A histogram as bars of characters.

#include <cstddef>
#include <string>

#include "trace-format/query/histogram.hpp"

namespace ringside::tool {

struct HistogramStyle {
  std::size_t columns = 80;
  bool ascii = false;  // bars of '#' instead of blocks of eighths
};

// A line a row: its lower edge, its upper edge, its count, its bar; none is wider than `columns`
// unless there is no room for a bar of ten.
std::string histogram_text(const trace::query::Histogram& histogram, const HistogramStyle& style);

}  // namespace ringside::tool
