#include "trace-format/reader/read_window.hpp"

#include <cstddef>
#include <limits>
#include <span>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {
namespace {

// Whether the point's function rises up to `tsc`, which is not before the point, without an
// overflow.
bool rises_to(const ClockPoint& point, std::uint64_t tsc) {
  const std::uint64_t ticks = tsc - point.tsc0;
  const UInt128 ns = UInt128{ticks} * point.ns_per_tick >> kClockFractionBits;
  return ticks >> 63 == 0 && ns <= std::numeric_limits<std::uint64_t>::max() - point.unix_ns0;
}

}  // namespace

ReadWindow::ReadWindow(const ReadOptions& options, const ClockMap& clocks)
    : since_ns_(options.since_ns), until_ns_(options.until_ns), clocks_(&clocks) {
  const std::span<const ClockPoint> points = clocks.points();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ClockPoint& before = points[i - 1];
    rises_ = rises_ && rises_to(before, points[i].tsc0) &&
             before.unix_ns(points[i].tsc0) <= points[i].unix_ns0;
  }
}

bool ReadWindow::is_certain(std::uint64_t tsc) const {
  const std::span<const ClockPoint> points = clocks_->points();
  return rises_ && !points.empty() && (tsc < points.back().tsc0 || rises_to(points.back(), tsc));
}

bool ReadWindow::ends_before(std::uint64_t max_tsc) const {
  return since_ns_ != 0 && is_certain(max_tsc) && clocks_->unix_ns(max_tsc) < since_ns_;
}

bool ReadWindow::begins_after(std::uint64_t min_tsc) const {
  return until_ns_ != kForever && is_certain(min_tsc) && clocks_->unix_ns(min_tsc) >= until_ns_;
}

}  // namespace ringside::trace
