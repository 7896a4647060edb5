#include "trace-format/blocks/tick_clock.hpp"

#include <limits>

namespace ringside::trace {

void TickClock::find(std::uint64_t tsc) {
  const auto points = clocks_->points();
  const std::size_t i = clocks_->find(tsc);
  point_ = points[i];
  from_ = i == 0 ? 0 : point_.tsc0;
  to_ = i + 1 < points.size() ? points[i + 1].tsc0 - 1 : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace ringside::trace
