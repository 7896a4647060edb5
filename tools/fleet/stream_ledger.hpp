#pragma once
// Which numbers of a segment's streams were taken.

#include <cstddef>
#include <cstdint>
#include <map>

#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::fleet {

// A stream that comes in its order, without gaps, has one range.
class StreamLedger {
 public:
  // The records and losses of an extent. False if they were taken before, as a whole or in part.
  // An extent without either is always taken.
  bool take(const trace::ExtentHeader& extent);
  bool has(const trace::ExtentHeader& extent) const;
  // Takes the numbers that were not taken before.
  void add(const trace::ExtentHeader& extent);
  // Whether all numbers of the extent were taken. False for an extent without any.
  bool covers(const trace::ExtentHeader& extent) const;

  // What it remembers.
  std::size_t ranges() const { return count_; }

 private:
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  // first number, one after the last

  std::map<std::uint64_t, Ranges> streams_;
  std::size_t count_ = 0;
};

}  // namespace ringside::fleet
