#include "trace-format/reader/time_slice.hpp"

#include <algorithm>
#include <bit>

namespace ringside::trace {

void TimeSlice::clear() {
  rows_.clear();
  streams_.clear();
  items_.clear();
  next_ = 0;
  rising_ = true;
}

// Within one stream the sequence numbers decide.
bool TimeSlice::is_before(const Item& a, const Item& b) const {
  if (a.order_ns != b.order_ns) [[likely]]
    return a.order_ns < b.order_ns;
  if (a.stream != b.stream) return a.stream < b.stream;
  const std::uint64_t sequence_a = rows_.sequence(a.row);
  const std::uint64_t sequence_b = rows_.sequence(b.row);
  return sequence_a != sequence_b ? sequence_a < sequence_b : a.row < b.row;
}

// Orders the streams' indexes by their ids.
void TimeSlice::number_streams() {
  if (rising_) return;
  std::vector<Stream> sorted = streams_;
  const auto by_id = [](const Stream& a, const Stream& b) { return a.id < b.id; };
  const auto same_id = [](const Stream& a, const Stream& b) { return a.id == b.id; };
  std::sort(sorted.begin(), sorted.end(), by_id);
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same_id), sorted.end());
  std::vector<std::uint32_t> places;
  places.reserve(streams_.size());
  for (const Stream& stream : streams_) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), stream, by_id);
    places.push_back(static_cast<std::uint32_t>(at - sorted.begin()));
  }
  for (Item& item : items_) item.stream = places[item.stream];
  streams_.swap(sorted);
  rising_ = true;
}

void TimeSlice::sort_few(Item* begin, Item* end) const {
  constexpr std::ptrdiff_t kFew = 16;
  const auto before = [this](const Item& a, const Item& b) { return is_before(a, b); };
  if (end - begin > kFew) {
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
    return;
  }
  for (Item* i = begin + 1; i < end; ++i) {
    if (!is_before(*i, i[-1])) continue;
    const Item item = *i;
    Item* to = i;
    for (; to != begin && is_before(item, to[-1]); --to) *to = to[-1];
    *to = item;
  }
}

// Sorts into about as many buckets of equal time as there are records.
void TimeSlice::sort() {
  const std::size_t count = items_.size();
  if (count < 2) return;
  number_streams();
  std::uint64_t first = items_.front().order_ns;
  std::uint64_t last = first;
  for (const Item& item : items_) {
    first = std::min(first, item.order_ns);
    last = std::max(last, item.order_ns);
  }
  const auto span_bits = static_cast<unsigned>(std::bit_width(last - first));
  const auto count_bits = static_cast<unsigned>(std::bit_width(count));
  const unsigned shift = span_bits > count_bits ? span_bits - count_bits : 0;
  const std::size_t buckets = ((last - first) >> shift) + 1;
  ends_.assign(buckets + 1, 0);
  for (const Item& item : items_) ++ends_[((item.order_ns - first) >> shift) + 1];
  for (std::size_t i = 1; i <= buckets; ++i) ends_[i] += ends_[i - 1];
  // Now ends_[i] is the begin of bucket i; it moves to the bucket's end.
  sorted_.resize(count);
  for (const Item& item : items_) sorted_[ends_[(item.order_ns - first) >> shift]++] = item;
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    const std::uint32_t end = ends_[i];
    if (end - begin > 1) sort_few(sorted_.data() + begin, sorted_.data() + end);
    begin = end;
  }
  items_.swap(sorted_);
}

EventKey TimeSlice::key() const {
  const Item& item = items_[next_];
  return {rows_.unix_ns(item.row), streams_[item.stream].id, rows_.sequence(item.row)};
}

void TimeSlice::get(Record& record) {
  constexpr std::size_t kAhead = 12;
  if (items_.size() - next_ > kAhead) rows_.prefetch(items_[next_ + kAhead].row);
  const Item& item = items_[next_];
  rows_.get(item.row, record);
  record.stream_id = streams_[item.stream].id;
}

}  // namespace ringside::trace
