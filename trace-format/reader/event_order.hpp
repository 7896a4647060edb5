// The losses and the extents' records of one section in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace-format/reader/event_heap.hpp"
#include "trace-format/reader/event_key.hpp"
#include "trace-format/reader/extent_cursor.hpp"
#include "trace-format/reader/open_section.hpp"
#include "trace-format/reader/section_losses.hpp"
#include "trace-format/reader/time_slice.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/reader/waiting_extents.hpp"

namespace ringside::trace {

// Takes extents in any order that respects the limit, and opens each when its first record's turn
// comes.
class EventOrder {
 public:
  // `section` and `losses` must outlive it; `pool` may be null.
  EventOrder(OpenSection& section, SectionLosses& losses, DecodePool* pool)
      : section_(section), losses_(losses), waiting_(pool, section.catalog(), section.clocks()) {}

  void add(const Block& block, const ExtentHeader& header);

  // All events before this time have been added.
  void raise_limit(std::uint64_t limit_ns) { limit_ns_ = std::max(limit_ns_, limit_ns); }
  // All events have been added.
  void remove_limit() {
    limit_ns_ = kForever;
    is_complete_ = true;
  }
  std::uint64_t limit_ns() const { return limit_ns_; }

  // Moves to the next event before the limit. Returns false if there is none.
  bool next();
  const EventKey& key() const { return current_.key; }
  void get(Event& event);  // the present event

  // Returns when no thread decodes any more: catalog and clocks may then change.
  void settle() { waiting_.settle(); }

 private:
  enum class ItemKind : std::uint8_t { kNone, kLoss, kWaiting, kOpen, kSlice };
  // An item whose next event has this key (waiting extents: no event is older, according to the
  // extent's header).
  struct Item {
    EventKey key;
    ItemKind kind = ItemKind::kNone;
    std::uint32_t slot = 0;
    ExtentCursor* cursor = nullptr;  // of an open extent, like the stream
    const StreamInfo* stream = nullptr;
  };
  struct Cursor {
    ExtentCursor records;
    std::uint64_t offset = 0;
    std::size_t decoded_bytes = 0;
  };

  bool find_next();
  void find_rival();
  EventHeap<Item>* first_heap();
  bool open_waiting(std::uint32_t slot, Item& item);
  void close_cursor(std::uint32_t slot);
  static bool is_of_earlier_stream(const Item& a, const Item& b);
  void fill_slice(std::uint64_t first_ns);
  void end_slice();
  void take_slice_of(Item item, std::uint64_t last_ns);
  void choose_next_span(std::uint64_t span_ns, bool whole);

  OpenSection& section_;
  SectionLosses& losses_;
  WaitingExtents waiting_;
  EventHeap<Item> waiting_heap_;  // extents that are not open: many, rarely used
  EventHeap<Item> open_heap_;     // open extents that are merged: few, used for each record
  // If many extents are open at a time, their records come from a slice of it. The slice is then an
  // item of open_heap_, and extents with nothing older than its end are parked.
  TimeSlice slice_;
  std::uint64_t slice_ns_ = 0;  // the span of the next slice
  bool slicing_ = false;
  std::vector<Item> parked_;
  EventKey parked_first_;
  std::vector<ExtentCursor::Memory> slice_memory_;  // of extents that ended in the slice
  std::size_t slice_text_bytes_ = 0;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::vector<std::uint32_t> free_cursors_;
  std::uint64_t limit_ns_ = 0;
  bool is_complete_ = false;  // no limit
  Item current_;
  EventKey rival_;  // see find_rival()
};

}  // namespace ringside::trace
