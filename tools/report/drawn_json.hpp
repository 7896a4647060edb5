#pragma once
// How what a timeline draws is written into the document.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/report/time_grid.hpp"

namespace ringside::tool {

// Pairs of an interval and a number: most tracks have few.
template <class Number>
nlohmann::json pairs_json(GridCounts<Number>& numbers, const TimeGrid& grid) {
  nlohmann::json pairs = nlohmann::json::array();
  const auto& counts = numbers.counts(grid);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) pairs.insert(pairs.end(), {i, counts[i]});
  }
  return pairs;
}

// Times as differences: small numbers are packed well.
class DeltaTimes {
 public:
  explicit DeltaTimes(const TimeGrid& grid) : latest_ns_(grid.begin_ns()) {}

  void add(std::uint64_t unix_ns) {
    deltas_.push_back(static_cast<std::int64_t>(unix_ns - latest_ns_));
    latest_ns_ = unix_ns;
  }
  nlohmann::json take() { return std::move(deltas_); }

 private:
  std::uint64_t latest_ns_;
  std::vector<std::int64_t> deltas_;
};

// From where to where nothing is missing; the runs that are not cut are complete to the end of
// their interval.
template <class Runs>
nlohmann::json complete_json(const Runs& runs, const TimeGrid& grid) {
  DeltaTimes times(grid);
  for (const auto& run : runs) {
    const std::uint64_t interval_ns =
        grid.begin_ns() + (std::uint64_t{run.interval} << grid.shift());
    const std::uint64_t begin_ns = std::max(interval_ns, run.from_ns);
    const std::uint64_t end_ns = interval_ns + (std::uint64_t{1} << grid.shift());
    const std::uint64_t until_ns = run.is_cut ? run.until_ns : end_ns;
    if (until_ns <= begin_ns) continue;
    times.add(begin_ns);
    times.add(until_ns);
  }
  return times.take();
}

}  // namespace ringside::tool
