#include "trace-format/reader/event_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

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

void EventOrder::add(const Block& block, const ExtentHeader& header) {
  const std::uint32_t slot = waiting_.add(block, header);
  waiting_heap_.push(
      {{section_.clocks().unix_ns(header.min_tsc), header.stream_id, header.first_sequence},
       ItemKind::kWaiting,
       slot,
       nullptr,
       nullptr});
}

bool EventOrder::next() {
  if (current_.kind == ItemKind::kSlice || current_.kind == ItemKind::kOpen) {
    bool goes_on = false;
    if (current_.kind == ItemKind::kSlice) {
      slice_.advance();
      goes_on = !slice_.at_end();
      if (goes_on) current_.key = slice_.key();
    } else {
      current_.cursor->advance();
      goes_on = !current_.cursor->at_end();
      // Its stream stays the same. Not the whole key, for the reason in get().
      current_.key.unix_ns = current_.cursor->key().unix_ns;
      current_.key.sequence = current_.cursor->key().sequence;
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
  } else if (current_.kind == ItemKind::kLoss) {
    losses_.release(current_.slot);
  }
  if (find_next()) return true;
  current_.kind = ItemKind::kNone;
  return false;
}

// Of the extents.
EventHeap<EventOrder::Item>* EventOrder::first_heap() {
  if (open_heap_.empty()) return waiting_heap_.empty() ? nullptr : &waiting_heap_;
  const bool waiting_first =
      !waiting_heap_.empty() && waiting_heap_.front().key < open_heap_.front().key;
  return waiting_first ? &waiting_heap_ : &open_heap_;
}

// The general case of next().
bool EventOrder::find_next() {
  const bool unordered = section_.options().unordered;
  for (;;) {
    EventHeap<Item>* const heap = first_heap();
    const EventKey* first = heap != nullptr ? &heap->front().key : nullptr;
    const EventKey* const loss = losses_.first();
    const bool loss_first = loss != nullptr && (first == nullptr || *loss < *first);
    if (loss_first) first = loss;
    const bool parked = !slicing_ && !parked_.empty() && (!first || parked_first_ < *first);
    if (parked) first = &parked_first_;
    if (first == nullptr) return false;
    const bool is_beyond = first->unix_ns >= limit_ns_ && !is_complete_;
    if (is_beyond && (loss_first || !unordered)) return false;
    if (!slicing_ && !unordered && (parked || !loss_first)) {
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
    if (loss_first) {
      current_ = {*loss, ItemKind::kLoss, 0, nullptr, nullptr};
      current_.slot = losses_.take_first();
      find_rival();
      return true;
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
}

// Finds the key that the next event of the present extent or slice must precede to be the next of
// all.
void EventOrder::find_rival() {
  if (section_.options().unordered) {
    // An extent is read to its end, beyond the limit too.
    rival_ = {kForever, kForever, kForever};
    return;
  }
  rival_ = {limit_ns_, 0, 0};
  const EventHeap<Item>* const heap = first_heap();
  if (heap != nullptr && heap->front().key < rival_) rival_ = heap->front().key;
  const EventKey* const loss = losses_.first();
  if (loss != nullptr && *loss < rival_) rival_ = *loss;
}

void EventOrder::get(Event& event) {
  event.unix_ns = current_.key.unix_ns;
  event.segment = section_.scan().segment.get();
  if (current_.kind == ItemKind::kLoss) return losses_.get(current_.slot, event);
  event.kind = EventKind::kRecord;
  event.lost = 0;
  event.cause = LossCause::kUnknown;
  if (current_.kind == ItemKind::kSlice) {
    slice_.get(event.record);
    event.clocks = &section_.clocks();
    event.stream = slice_.stream();
    return;
  }
  const Record& record = current_.cursor->record();
  event.stream = current_.stream;
  // The extension is large and rarely used.
  if ((record.ext_flags | event.record.ext_flags) != 0 || record.context != event.record.context)
      [[unlikely]] {
    event.record = record;
    event.clocks = &section_.clocks();
  } else {
    event.record.tsc = record.tsc;
    event.record.stream_id = record.stream_id;
    event.record.sequence = record.sequence;
    event.record.site = record.site;
    event.record.processor = record.processor;
    // The decoder has just stored both parts. One load of both would wait until the stores before
    // them have reached the cache; the compiler does not know that and would make one.
    const Value* args = record.args.data();
    asm("" : "+r"(args));
    event.record.args = {args, record.args.size()};
  }
}

bool EventOrder::is_of_earlier_stream(const Item& a, const Item& b) {
  return a.key.stream_id != b.key.stream_id ? a.key.stream_id < b.key.stream_id
                                            : a.key.sequence < b.key.sequence;
}

// Takes everything that begins with `first_ns` from all extents, open or waiting.
void EventOrder::fill_slice(std::uint64_t first_ns) {
  open_heap_.move_to(parked_);
  if (slice_ns_ == 0) slice_ns_ = kFirstSpanNs;
  const std::uint64_t most_ns = (is_complete_ ? kForever : limit_ns_ - 1) - first_ns;
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

void EventOrder::end_slice() {
  slicing_ = false;
  slice_.clear();
  slice_memory_.clear();
  slice_text_bytes_ = 0;
}

// An open extent's part of the slice. Records that do not fit are merged with the slice.
void EventOrder::take_slice_of(Item item, std::uint64_t last_ns) {
  if (item.key.unix_ns <= last_ns && !slice_.full()) {
    slice_.begin_stream(item.key.stream_id, item.stream);
    item.key.unix_ns = item.cursor->move_to(slice_, last_ns);
    if (item.cursor->at_end()) {
      slice_memory_.push_back(item.cursor->take_memory());
      slice_text_bytes_ += slice_memory_.back().payload.size();
      return close_cursor(item.slot);
    }
    item.key.sequence = item.cursor->key().sequence;
  }
  if (item.key.unix_ns <= last_ns) return open_heap_.push(item);
  parked_.push_back(item);
  parked_first_ = std::min(parked_first_, item.key);
}

void EventOrder::choose_next_span(std::uint64_t span_ns, bool whole) {
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

bool EventOrder::open_waiting(std::uint32_t slot, Item& item) {
  WaitingExtents::Taken taken = waiting_.take(slot);
  if (taken.decoded == nullptr && taken.payload.empty()) {
    Block block;
    if (!section_.read_at(taken.offset, block)) {
      section_.note(taken.offset, "an extent changed while it was read", "its records are lost");
      ++section_.report().damaged_blocks;
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
  section_.report().peak_open_extents = std::max<std::uint64_t>(
      section_.report().peak_open_extents, cursors_.size() - free_cursors_.size());
  ++section_.report().extents_decoded;
  if (taken.decoded != nullptr) ++section_.report().extents_decoded_ahead;
  Cursor& cursor = *cursors_[number];
  cursor.offset = taken.offset;
  cursor.decoded_bytes = taken.decoded_bytes;
  ExtentCursor& records = cursor.records;
  std::string why;
  const bool sound = taken.decoded != nullptr
                         ? records.open(std::move(taken.decoded), &why)
                         : records.open(std::move(taken.payload), section_.catalog().sites(),
                                        section_.clocks(), section_.catalog().choice(), &why);
  if (!sound) {
    section_.note(taken.offset, "cannot decode an extent: " + why, "its records are lost");
    ++section_.report().damaged_blocks;
    records.close();
    waiting_.release(cursor.decoded_bytes);
    free_cursors_.push_back(number);
    return false;
  }
  while (!records.at_end() && records.key().unix_ns < section_.window().since_ns())
    records.advance();
  if (records.at_end()) {
    close_cursor(number);
    return false;
  }
  item = {records.key(), ItemKind::kOpen, number, &records,
          &section_.catalog().stream(records.key().stream_id).info};
  return true;
}

void EventOrder::close_cursor(std::uint32_t slot) {
  Cursor& cursor = *cursors_[slot];
  if (cursor.records.failure() != nullptr) {
    ++section_.report().damaged_blocks;
    section_.note(cursor.offset,
                  std::string("cannot decode the rest of an extent: ") + cursor.records.failure(),
                  std::to_string(cursor.records.missing_records()) + " records are lost");
  }
  cursor.records.close();
  waiting_.release(cursor.decoded_bytes);
  free_cursors_.push_back(slot);
}

}  // namespace ringside::trace
