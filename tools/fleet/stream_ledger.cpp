#include "tools/fleet/stream_ledger.hpp"

#include <algorithm>
#include <iterator>

namespace ringside::fleet {
namespace {

struct Range {
  std::uint64_t first;
  std::uint64_t end;
};

// The numbers below the first record's are those of the records that were lost before it.
Range range_of(const trace::ExtentHeader& extent) {
  const std::uint64_t lost = std::min(extent.dropped, extent.first_sequence);
  return {extent.first_sequence - lost, extent.first_sequence + extent.records};
}

}  // namespace

bool StreamLedger::has(const trace::ExtentHeader& extent) const {
  const Range range = range_of(extent);
  const auto stream = streams_.find(extent.stream_id);
  if (range.first == range.end || stream == streams_.end()) return false;
  const auto after = stream->second.lower_bound(range.end);
  return after != stream->second.begin() && std::prev(after)->second > range.first;
}

bool StreamLedger::take(const trace::ExtentHeader& extent) {
  if (has(extent)) return false;
  auto [first, end] = range_of(extent);
  if (first == end) return true;
  Ranges& ranges = streams_[extent.stream_id];
  auto after = ranges.upper_bound(first);
  if (after != ranges.begin() && std::prev(after)->second == first) {
    --after;
    first = after->first;
    after = ranges.erase(after);
  }
  if (after != ranges.end() && after->first == end) {
    end = after->second;
    ranges.erase(after);
  }
  ranges[first] = end;
  return true;
}

}  // namespace ringside::fleet
