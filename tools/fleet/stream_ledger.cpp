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

bool StreamLedger::covers(const trace::ExtentHeader& extent) const {
  const Range range = range_of(extent);
  const auto stream = streams_.find(extent.stream_id);
  if (range.first == range.end || stream == streams_.end()) return false;
  const auto after = stream->second.upper_bound(range.first);
  return after != stream->second.begin() && std::prev(after)->second >= range.end;
}

bool StreamLedger::take(const trace::ExtentHeader& extent) {
  if (has(extent)) return false;
  add(extent);
  return true;
}

void StreamLedger::add(const trace::ExtentHeader& extent) {
  auto [first, end] = range_of(extent);
  if (first == end) return;
  Ranges& ranges = streams_[extent.stream_id];
  const std::size_t before = ranges.size();
  auto at = ranges.upper_bound(first);
  if (at != ranges.begin() && std::prev(at)->second >= first) --at;
  while (at != ranges.end() && at->first <= end) {
    first = std::min(first, at->first);
    end = std::max(end, at->second);
    at = ranges.erase(at);
  }
  ranges[first] = end;
  count_ += ranges.size() - before;
}

}  // namespace ringside::fleet
