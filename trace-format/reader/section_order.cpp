// How SectionReader orders losses, waiting extents and open extents by time.
#include <algorithm>
#include <string>
#include <utility>

#include "trace-format/reader/section_reader.hpp"

namespace ringside::trace {
namespace {

// With at least this many open extents, they are read in slices.
constexpr std::size_t kFewest = 8;

// The intended number of records in a slice: large enough to amortise visiting each stream, within
// bounds that caches set.
constexpr std::size_t kRecordsOfStream = 16;
constexpr std::size_t kLeastRecords = std::size_t{8} << 10;
constexpr std::size_t kMostRecords = std::size_t{64} << 10;

constexpr std::uint64_t kFirstSpanNs = 100'000;

// For extents that were opened for a slice and ended in it.
constexpr std::size_t kMostTextBytes = std::size_t{16} << 20;

}  // namespace

bool SectionReader::next() {
  if (has_current_ && current_.kind != ItemKind::kLoss) {
    bool goes_on = false;
    if (current_.kind == ItemKind::kSlice) {
      slice_.advance();
      goes_on = !slice_.at_end();
      if (goes_on) current_.key = slice_.key();
    } else {
      current_.cursor->advance();
      goes_on = !current_.cursor->at_end();
      current_.key = current_.cursor->key();
    }
    if (goes_on) [[likely]] {
      if (current_.key < rival_) return true;
      const bool open_follows =
          rival_.unix_ns < limit_ns_ && !open_heap_.empty() && open_heap_.front().key == rival_;
      if (open_follows) {
        open_heap_.replace_front(current_);
        find_rival();
        return true;
      }
      open_heap_.push(current_);
    } else if (current_.kind == ItemKind::kSlice) {
      end_slice();
    } else {
      close_cursor(current_.slot);
    }
  } else if (has_current_) {
    free_losses_.push_back(current_.slot);
  }
  has_current_ = find_next();
  return has_current_;
}

EventHeap<SectionReader::Item>* SectionReader::first_heap() {
  EventHeap<Item>* first = nullptr;
  for (EventHeap<Item>* heap : {&open_heap_, &waiting_heap_, &loss_heap_}) {
    if (heap->empty()) continue;
    if (first == nullptr || heap->front().key < first->front().key) first = heap;
  }
  return first;
}

// The general case of next().
bool SectionReader::find_next() {
  while (!at_end_) {
    EventHeap<Item>* heap = first_heap();
    const EventKey* first = heap != nullptr ? &heap->front().key : nullptr;
    const bool parked = !slicing_ && !parked_.empty() && (!first || parked_first_ < *first);
    if (parked) first = &parked_first_;
    if (first == nullptr || (first->unix_ns >= limit_ns_ && !walk_ended_)) {
      // Everything older than the limit is complete, and nothing newer is wanted.
      const bool past_until = window_.until_ns() != kForever && limit_ns_ >= window_.until_ns();
      if (walk_ended_ || past_until) break;
      if (out_of_blocks_) return false;
      read_on();
      continue;
    }
    if (!slicing_ && (parked || heap != &loss_heap_)) {
      if (parked_.size() + open_heap_.size() >= kFewest) {
        fill_slice(first->unix_ns);
        continue;
      }
      if (!parked_.empty()) {
        for (const Item& item : parked_) open_heap_.push(item);
        parked_.clear();
        continue;
      }
    }
    current_ = heap->pop();
    if (current_.kind == ItemKind::kWaiting) {
      Item item;
      if (open_waiting(current_.slot, item)) open_heap_.push(item);
      continue;
    }
    if (current_.kind == ItemKind::kOpen) current_.key = current_.cursor->key();
    find_rival();
    return true;
  }
  if (!walk_ended_) {
    walk_ended_ = true;
    context_.ledger->close(context_.place, false);
  }
  at_end_ = true;
  return false;
}

// Finds the key that the next event of the present extent or slice must precede to be the next of
// all.
void SectionReader::find_rival() {
  rival_ = {limit_ns_, 0, 0};
  const EventHeap<Item>* const heap = first_heap();
  if (heap != nullptr && heap->front().key < rival_) rival_ = heap->front().key;
}

bool SectionReader::is_of_earlier_stream(const Item& a, const Item& b) {
  return a.key.stream_id != b.key.stream_id ? a.key.stream_id < b.key.stream_id
                                            : a.key.sequence < b.key.sequence;
}

// Takes everything that begins with `first_ns` from all extents, open or waiting.
void SectionReader::fill_slice(std::uint64_t first_ns) {
  open_heap_.move_to(parked_);
  if (slice_ns_ == 0) slice_ns_ = kFirstSpanNs;
  const std::uint64_t most_ns = (walk_ended_ ? kForever : limit_ns_ - 1) - first_ns;
  const std::uint64_t last_ns = first_ns + std::min(most_ns, slice_ns_);
  std::vector<Item> sources;
  sources.swap(parked_);
  parked_.reserve(sources.size());
  parked_first_ = {kForever, kForever, kForever};
  if (!std::is_sorted(sources.begin(), sources.end(), is_of_earlier_stream)) {
    std::sort(sources.begin(), sources.end(), is_of_earlier_stream);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    // Each is in a different place in memory.
    if (i + 4 < sources.size()) sources[i + 4].cursor->prefetch();
    if (i + 2 < sources.size()) sources[i + 2].cursor->prefetch_records();
    take_slice_of(sources[i], last_ns);
  }
  while (!waiting_heap_.empty() && waiting_heap_.front().key.unix_ns <= last_ns && !slice_.full() &&
         slice_text_bytes_ < kMostTextBytes) {
    Item item;
    if (open_waiting(waiting_heap_.pop().slot, item)) take_slice_of(item, last_ns);
  }
  choose_next_span(last_ns - first_ns, most_ns > slice_ns_);
  slice_.sort();
  if (slice_.at_end()) return end_slice();
  slicing_ = true;
  open_heap_.push({slice_.key(), ItemKind::kSlice, 0, nullptr, nullptr});
}

void SectionReader::end_slice() {
  slicing_ = false;
  slice_.clear();
  slice_texts_.clear();
  slice_text_bytes_ = 0;
}

// An open extent's part of the slice. Records that do not fit are merged with the slice.
void SectionReader::take_slice_of(Item item, std::uint64_t last_ns) {
  if (item.key.unix_ns <= last_ns && !slice_.full()) {
    slice_.begin_stream(item.key.stream_id, item.stream);
    item.key.unix_ns = item.cursor->move_to(slice_, last_ns);
    if (item.cursor->at_end()) {
      slice_texts_.push_back(item.cursor->take_payload());
      slice_text_bytes_ += slice_texts_.back().size();
      return close_cursor(item.slot);
    }
    item.key.sequence = item.cursor->key().sequence;
  }
  if (item.key.unix_ns <= last_ns) return open_heap_.push(item);
  parked_.push_back(item);
  parked_first_ = std::min(parked_first_, item.key);
}

void SectionReader::choose_next_span(std::uint64_t span_ns, bool whole) {
  const std::size_t wanted =
      std::clamp(kRecordsOfStream * parked_.size(), kLeastRecords, kMostRecords);
  const std::size_t found = std::max<std::size_t>(slice_.size(), 1);
  if (slice_.full()) {
    slice_ns_ = span_ns / 4;
  } else if (whole || found > wanted) {
    const double ratio = static_cast<double>(wanted) / static_cast<double>(found);
    const double next = static_cast<double>(span_ns) * std::clamp(ratio, 0.125, 8.0);
    slice_ns_ = static_cast<std::uint64_t>(std::min(next, 1e18));
  }
  slice_ns_ = std::max<std::uint64_t>(slice_ns_, 1);
}

bool SectionReader::open_waiting(std::uint32_t slot, Item& item) {
  WaitingExtents::Taken taken = waiting_.take(slot);
  if (taken.decoded == nullptr && taken.payload.empty()) {
    Block block;
    if (!far_blocks_.read_at(taken.offset, block)) {
      note(taken.offset, "an extent changed while it was read", "its records are lost");
      ++report_.damaged_blocks;
      return false;
    }
    taken.payload.assign(block.payload.begin(), block.payload.end());
  }
  std::uint32_t number = 0;
  if (free_cursors_.empty()) {
    number = static_cast<std::uint32_t>(cursors_.size());
    cursors_.push_back(std::make_unique<Cursor>());
  } else {
    number = free_cursors_.back();
    free_cursors_.pop_back();
  }
  report_.peak_open_extents =
      std::max<std::uint64_t>(report_.peak_open_extents, cursors_.size() - free_cursors_.size());
  ++report_.extents_decoded;
  if (taken.decoded != nullptr) ++report_.extents_decoded_ahead;
  Cursor& cursor = *cursors_[number];
  cursor.offset = taken.offset;
  cursor.decoded_bytes = taken.decoded_bytes;
  ExtentCursor& records = cursor.records;
  std::string why;
  const bool sound = taken.decoded != nullptr
                         ? records.open(std::move(taken.decoded), &why)
                         : records.open(std::move(taken.payload), catalog_.sites(), scan_.clocks,
                                        catalog_.choice(), &why);
  if (!sound) {
    note(taken.offset, "cannot decode an extent: " + why, "its records are lost");
    ++report_.damaged_blocks;
    records.close();
    waiting_.release(cursor.decoded_bytes);
    free_cursors_.push_back(number);
    return false;
  }
  while (!records.at_end() && records.key().unix_ns < window_.since_ns()) records.advance();
  if (records.at_end()) {
    close_cursor(number);
    return false;
  }
  item = {records.key(), ItemKind::kOpen, number, &records,
          &catalog_.stream(records.key().stream_id).info};
  return true;
}

void SectionReader::close_cursor(std::uint32_t slot) {
  Cursor& cursor = *cursors_[slot];
  if (cursor.records.failure() != nullptr) {
    ++report_.damaged_blocks;
    note(cursor.offset,
         std::string("cannot decode the rest of an extent: ") + cursor.records.failure(),
         std::to_string(cursor.records.missing_records()) + " records are lost");
  }
  cursor.records.close();
  waiting_.release(cursor.decoded_bytes);
  free_cursors_.push_back(slot);
}

}  // namespace ringside::trace
