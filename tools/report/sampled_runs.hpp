#pragma once
// Of each interval of time, the first items: neighbours, so that a part of the trace is complete.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tools/report/time_grid.hpp"

namespace ringside::tool {

// What all runs of a panel share.
struct SampleLimits {
  static constexpr std::size_t kLeastRun = 8;

  explicit SampleLimits(std::size_t most) : most_items(most) {}

  // Halves the runs. Then call trim() of each SampledRuns.
  void tighten() {
    if (most_run == std::numeric_limits<std::size_t>::max()) most_run = std::bit_floor(most_items);
    if (most_run / 2 >= kLeastRun) {
      most_run /= 2;
    } else {
      stride *= 2;
    }
  }

  // At most so many items in all runs. `trim_all`: calls trim() of each SampledRuns.
  template <class TrimAll>
  void reduce(std::size_t most, const TrimAll& trim_all) {
    while (items > most && stride <= TimeGrid::kIntervals) {
      tighten();
      trim_all();
    }
  }

  std::size_t most_items;  // of all runs
  std::size_t items = 0;
  std::size_t most_run = std::numeric_limits<std::size_t>::max();
  std::size_t stride = 1;  // every such interval has a run; a power of two
};

// The runs of one track. Item: has the member begin_ns. Not thread-safe.
template <class Item>
class SampledRuns {
 public:
  struct Run {
    std::size_t interval = 0;
    std::uint64_t from_ns = 0;   // nothing is known of the time before, other than in items
    bool is_cut = false;         // not all items of the interval are here
    std::uint64_t until_ns = 0;  // if so: no item is missing before this time
    std::vector<Item> items;
  };

  // Items in the order of their times; a late one that would not fit shortens the complete part.
  void add(const TimeGrid& grid, std::size_t interval, const Item& item, SampleLimits& limits) {
    if (shift_ != grid.shift()) [[unlikely]]
      follow(grid, limits);
    const std::uint64_t former_ns = latest_ns_;
    latest_ns_ = std::max(latest_ns_, item.begin_ns);
    // Most items come after their run has been cut.
    if (interval == cut_interval_ && item.begin_ns >= cut_from_ns_) [[likely]]
      return;
    if ((interval & (limits.stride - 1)) != 0) return;
    Run* const run = run_of(interval);
    // Of an interval that has grown, a part may not have been sampled.
    if (run->items.empty() && limits.stride > 1)
      run->from_ns = std::max(item.begin_ns, former_ns + 1);
    if (!run->is_cut && run->items.size() < limits.most_run) {
      run->items.push_back(item);
      ++limits.items;
    } else if (!run->is_cut) {
      cut(*run, item.begin_ns);
    } else if (item.begin_ns < run->until_ns) [[unlikely]] {
      run->until_ns = item.begin_ns;
    }
    if (run->is_cut) {
      cut_interval_ = interval;
      cut_from_ns_ = run->until_ns;
    }
  }

  void trim(SampleLimits& limits) {
    std::erase_if(runs_, [&](const Run& run) {
      const bool is_out = run.interval % limits.stride != 0;
      if (is_out) limits.items -= run.items.size();
      return is_out;
    });
    for (Run& run : runs_) shorten(run, limits);
  }

  // By interval. The times of items rise, but for late ones.
  const std::vector<Run>& runs(const TimeGrid& grid, SampleLimits& limits) {
    follow(grid, limits);
    return runs_;
  }

 private:
  Run* run_of(std::size_t interval) {
    if (!runs_.empty() && runs_.back().interval == interval) return &runs_.back();
    const auto at =
        std::lower_bound(runs_.begin(), runs_.end(), interval,
                         [](const Run& run, std::size_t wanted) { return run.interval < wanted; });
    if (at != runs_.end() && at->interval == interval) return &*at;
    const auto made = runs_.insert(at, Run{});
    made->interval = interval;
    return &*made;
  }

  static void cut(Run& run, std::uint64_t until_ns) {
    run.until_ns = run.is_cut ? std::min(run.until_ns, until_ns) : until_ns;
    run.is_cut = true;
  }

  static void shorten(Run& run, SampleLimits& limits) {
    if (run.items.size() <= limits.most_run) return;
    const auto out = std::min_element(
        run.items.begin() + static_cast<std::ptrdiff_t>(limits.most_run), run.items.end(),
        [](const Item& a, const Item& b) { return a.begin_ns < b.begin_ns; });
    cut(run, out->begin_ns);
    limits.items -= run.items.size() - limits.most_run;
    run.items.resize(limits.most_run);
    run.items.shrink_to_fit();
  }

  // Two runs become one: the second one goes on where the first one is complete.
  void follow(const TimeGrid& grid, SampleLimits& limits) {
    if (shift_ == 0) shift_ = grid.shift();
    const unsigned by = grid.shift() - shift_;
    if (by == 0) return;
    shift_ = grid.shift();
    cut_interval_ = kNoInterval;
    std::vector<Run> merged;
    for (Run& run : runs_) {
      // An interval of the former grid that was not sampled must not look complete.
      run.interval >>= by;
      if (limits.stride > 1) cut(run, run.items.empty() ? 0 : run.items.back().begin_ns);
      if (run.interval % limits.stride != 0) {
        limits.items -= run.items.size();
        continue;
      }
      if (merged.empty() || merged.back().interval != run.interval) {
        merged.push_back(std::move(run));
        continue;
      }
      Run& first = merged.back();
      if (first.is_cut) {
        limits.items -= run.items.size();
        continue;
      }
      first.items.insert(first.items.end(), run.items.begin(), run.items.end());
      if (run.is_cut) cut(first, run.until_ns);
      shorten(first, limits);
    }
    runs_ = std::move(merged);
  }

  static constexpr std::size_t kNoInterval = std::numeric_limits<std::size_t>::max();

  unsigned shift_ = 0;
  std::uint64_t latest_ns_ = 0;
  // Of this interval, items are in no run from this time on.
  std::size_t cut_interval_ = kNoInterval;
  std::uint64_t cut_from_ns_ = 0;
  std::vector<Run> runs_;
};

}  // namespace ringside::tool
