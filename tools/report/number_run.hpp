#pragma once
// Values of one field in one interval, together: panels of numbers take them so, because each field
// has tables of its own, and going through all of them for each record would be slow.

#include <cstddef>
#include <span>

#include "tools/report/time_grid.hpp"

namespace ringside::tool {

struct NumberRun {
  const TimeGrid& grid;
  std::size_t interval = 0;        // in the grid as it is now
  std::span<const double> values;  // all finite; never empty
  double least = 0;
  double most = 0;
  double sum = 0;
};

}  // namespace ringside::tool
