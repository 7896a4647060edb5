// The ticks of a section that a reader's span of time excludes.
#pragma once

#include <cstdint>
#include <limits>

#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/reader/read_options.hpp"

namespace ringside::trace {

// A time after every record's.
inline constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

class ReadWindow {
 public:
  // `clocks` must outlive the window; when it changes, create a new window.
  ReadWindow(const ReadOptions& options, const ClockMap& clocks);

  bool contains(std::uint64_t unix_ns) const { return unix_ns >= since_ns_ && unix_ns < until_ns_; }
  std::uint64_t since_ns() const { return since_ns_; }
  std::uint64_t until_ns() const { return until_ns_; }

  // True only if nothing up to (from) this tick can be wanted. Never true for clocks that do not
  // rise.
  bool ends_before(std::uint64_t max_tsc) const;
  bool begins_after(std::uint64_t min_tsc) const;
  // Whether times up to this tick rise with the ticks.
  bool rises_until(std::uint64_t tsc) const { return is_certain(tsc); }

 private:
  bool is_certain(std::uint64_t tsc) const;

  std::uint64_t since_ns_;
  std::uint64_t until_ns_;
  const ClockMap* clocks_;
  bool rises_ = true;
};

}  // namespace ringside::trace
