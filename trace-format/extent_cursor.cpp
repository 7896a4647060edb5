#include "trace-format/extent_cursor.hpp"

#include <algorithm>
#include <utility>

namespace ringside::trace {
namespace {

// An unordered extent is sorted in portions, so that a file of few bytes cannot ask for memory
// without bound: one-byte records of a site with many fields would grow two-thousand-fold. An
// extent that a consumer writes in one go stays below.
constexpr std::size_t kMostKept = std::size_t{1} << 18;
constexpr std::size_t kMostValues = std::size_t{1} << 20;

}  // namespace

bool ExtentCursor::open(std::vector<std::byte> payload, const SiteTable& sites,
                        const ClockMap& clocks, std::string* why) {
  payload_ = std::move(payload);
  clock_ = TickClock(clocks);
  delivered_ = 0;
  next_kept_ = 0;
  kept_.clear();
  values_.clear();
  at_end_ = true;
  if (!decoder_.open(payload_, sites, why)) return false;
  unordered_ = (decoder_.header().flags & kExtentUnordered) != 0;
  at_end_ = false;
  advance();
  delivered_ = 0;
  return true;
}

void ExtentCursor::advance() {
  if (at_end_) return;
  ++delivered_;
  if (unordered_) {
    if (next_kept_ == kept_.size()) fill();
    if (!at_end_) show_kept();
    return;
  }
  if (!decoder_.next(record_)) {
    at_end_ = true;
    return;
  }
  key_ = {clock_.unix_ns(record_.tsc), record_.stream_id, record_.sequence};
}

void ExtentCursor::fill() {
  kept_.clear();
  values_.clear();
  next_kept_ = 0;
  Record record;
  while (kept_.size() < kMostKept && values_.size() < kMostValues && decoder_.next(record)) {
    Kept kept;
    kept.key = {clock_.unix_ns(record.tsc), record.stream_id, record.sequence};
    kept.record = record;
    kept.values = values_.size();
    kept.value_count = record.args.size();
    values_.insert(values_.end(), record.args.begin(), record.args.end());
    kept_.push_back(kept);
  }
  std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.key < b.key; });
  at_end_ = kept_.empty();
}

void ExtentCursor::show_kept() {
  const Kept& kept = kept_[next_kept_++];
  key_ = kept.key;
  record_ = kept.record;
  record_.args = {values_.data() + kept.values, kept.value_count};
}

}  // namespace ringside::trace
