#include "trace-format/reader/extent_cursor.hpp"

#include <algorithm>
#include <utility>

namespace ringside::trace {
namespace {

// An unordered extent is sorted in portions, so that a small file cannot request memory without
// bound: one-byte records of a site with many fields would grow two-thousand-fold. An extent that a
// consumer writes at once stays below these limits.
constexpr std::size_t kMostKept = std::size_t{1} << 18;
constexpr std::size_t kMostValues = std::size_t{1} << 20;

}  // namespace

bool ExtentCursor::open(std::vector<std::byte> payload, const SiteTable& sites,
                        const ClockMap& clocks, std::shared_ptr<SiteChoice> choice,
                        std::string* why) {
  close();
  payload_ = std::move(payload);
  choice_ = std::move(choice);
  clock_ = TickClock(clocks);
  if (!decoder_.open(payload_, sites, why, choice_.get(), ExtentDecoder::Contexts::kAside)) {
    return false;
  }
  unordered_ = (decoder_.header().flags & kExtentUnordered) != 0;
  streams_ = !unordered_;
  at_end_ = !decoder_.has_chosen();
  advance();
  return true;
}

bool ExtentCursor::open(std::unique_ptr<DecodedExtent> decoded, std::string* why) {
  close();
  if (!decoded->refusal().empty()) {
    *why = decoded->refusal();
    return false;
  }
  decoded_ = std::move(decoded);
  streams_ = false;
  at_end_ = false;
  advance();
  return true;
}

void ExtentCursor::close() {
  payload_ = {};
  decoded_.reset();
  choice_.reset();
  next_kept_ = 0;
  kept_.clear();
  values_.clear();
  at_end_ = true;
}

std::uint64_t ExtentCursor::missing_records() const {
  if (decoded_) return decoded_->missing_records();
  return decoder_.header().first_sequence + decoder_.header().records - decoder_.next_sequence();
}

void ExtentCursor::advance() {
  if (at_end_) return;
  if (!streams_) [[unlikely]] {
    advance_rarely();
    return;
  }
  if (!decoder_.next(record_)) {
    at_end_ = true;
    return;
  }
  key_ = {clock_.unix_ns(record_.tsc), record_.stream_id, record_.sequence};
}

std::uint64_t ExtentCursor::move_to(TimeSlice& slice, std::uint64_t last_ns) {
  std::uint64_t order_ns = key_.unix_ns;
  while (!at_end_ && order_ns <= last_ns && !slice.full()) {
    slice.add(order_ns, key_.unix_ns, record_);
    advance();
    order_ns = std::max(order_ns, key_.unix_ns);
  }
  return order_ns;
}

// Advances in the decoded records, or in portions.
void ExtentCursor::advance_rarely() {
  if (decoded_) {
    at_end_ = next_kept_ == decoded_->size();
    if (at_end_) return;
    key_ = decoded_->key(next_kept_);
    decoded_->get(next_kept_++, record_);
    return;
  }
  if (next_kept_ == kept_.size()) fill();
  if (!at_end_) show_kept();
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
