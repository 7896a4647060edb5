#pragma once
// Ringside's performance targets.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/driver/result.hpp"

namespace ringside::perf {

struct Target {
  std::string_view row;
  std::string_view message;  // "case" of the line; empty: any
  std::string_view key;      // a further key that the line must have, if not empty
  std::string_view value;    // the value of that key; numbers as digits
  std::string_view metric;
  bool at_most;  // otherwise: at least
  double bound;

  bool fits(const Result& line) const;
  bool met_by(double measured) const { return at_most ? measured <= bound : measured >= bound; }
};

std::span<const Target> targets();

// Adds "target" {"at_most" or "at_least", "met"} to each line of Ringside that has a target. The
// line's median decides.
void compare_with_targets(std::vector<Result>& lines);

// Targets that no line of `lines` matches.
std::vector<std::string> unmeasured_targets(const std::vector<Result>& lines);

}  // namespace ringside::perf
