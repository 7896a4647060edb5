// The events of one section in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/reader/event_heap.hpp"
#include "trace-format/reader/event_key.hpp"
#include "trace-format/reader/extent_cursor.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/read_window.hpp"
#include "trace-format/reader/section_catalog.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace-format/reader/sequence_ledger.hpp"
#include "trace-format/reader/time_slice.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/reader/waiting_extents.hpp"

namespace ringside::trace {

// Reads the section block by block up to a sequence point, adds the later late extents that belong
// before its watermark, delivers everything older than the watermark, and continues. Extents wait
// undecoded until their first record's turn. It skips extents without wanted records, and blocks
// that sequence points show to be outside the wanted time.
class SectionReader {
 public:
  // The parts that the sections of a set share. All must outlive the reader.
  struct Context {
    const ReadOptions* options = nullptr;
    ReadReport* report = nullptr;
    SequenceLedger* ledger = nullptr;  // of the section's segment
    std::size_t place = 0;             // index of the section in it
    DecodePool* pool = nullptr;        // null: the reader decodes
  };

  SectionReader(std::shared_ptr<TraceFile> file, SectionScan scan, const Context& context);

  // Moves to the next event. Returns false at the end, or if there is none yet: see is_waiting().
  // Invalidates everything that the preceding event referred to.
  bool next();

  const EventKey& key() const { return current_.key; }
  void get(Event& event);  // the present event

  // The section is the last of a growing file: at its end next() returns false and may be called
  // again after grow(). Blocks are delivered in the order in which they arrive, so late extents are
  // late.
  void follow();
  // Call when the file's size has changed.
  void grow();
  // The file does not grow any more: the rest is delivered, as far as it is complete.
  void stop_following();
  bool is_waiting() const { return following_ && !at_end_; }
  // All events older than this are delivered once next() returned false.
  std::uint64_t limit_ns() const { return limit_ns_; }
  // Where the next section may begin once next() returned false and is_waiting() is false; empty if
  // nothing after this section is wanted or readable.
  std::optional<std::uint64_t> next_section() const { return next_section_; }

 private:
  enum class ItemKind : std::uint8_t { kLoss, kWaiting, kOpen, kSlice };
  // An item whose next event has this key (waiting extents: no event is older, according to the
  // extent's header).
  struct Item {
    EventKey key;
    ItemKind kind = ItemKind::kLoss;
    std::uint32_t slot = 0;
    ExtentCursor* cursor = nullptr;  // of an open extent, like the stream
    const StreamInfo* stream = nullptr;
  };
  struct Loss {
    SequenceGap gap;
    LossCause cause = LossCause::kUnknown;
    std::uint64_t since_tsc = 0;
    bool by_site = false;
    std::uint32_t site_id = 0;
  };
  struct Cursor {
    ExtentCursor records;
    std::uint64_t offset = 0;
    std::size_t decoded_bytes = 0;
  };

  void choose_range();
  bool is_sound(const TimePoint& point);
  void doubt_index(std::uint64_t offset, const std::string& what);
  void load_metadata();
  void read_on();
  void end_walk();
  void take_block(const Block& block);
  void take_metadata(const Block& block);
  void end_section(std::uint64_t next_section);
  void take_extent(const Block& block);
  void take_losses(const Block& block);
  void take_late(std::uint64_t watermark);
  void wait_for(const Block& block, const ExtentHeader& header);
  void check_positions(const Block& block, std::uint64_t watermark);
  void add_gap(const SequenceGap& gap);
  void add_loss(const Loss& loss);
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
  void note(std::uint64_t offset, std::string what, std::string remedy);

  std::shared_ptr<TraceFile> file_;
  SectionScan scan_;
  Context context_;
  ReadReport& report_;
  ReadWindow window_;
  BlockReader blocks_;
  BlockReader far_blocks_;  // for distant blocks, so that `blocks_` keeps its buffer
  SectionCatalog catalog_;
  WaitingExtents waiting_;
  std::size_t next_late_ = 0;
  std::set<std::uint64_t> taken_early_;  // offsets of late extents that the walk will find again
  EventHeap<Item> loss_heap_;
  EventHeap<Item> waiting_heap_;  // extents that are not open: many, rarely used
  EventHeap<Item> open_heap_;     // open extents that are merged: few, used for each record
  // If many extents are open at a time, their records come from a slice of it. The slice is then an
  // item of open_heap_, and extents with nothing older than its end are parked.
  TimeSlice slice_;
  std::uint64_t slice_ns_ = 0;  // the span of the next slice
  bool slicing_ = false;
  std::vector<Item> parked_;
  EventKey parked_first_;
  std::vector<std::vector<std::byte>> slice_texts_;  // of extents that ended in the slice
  std::size_t slice_text_bytes_ = 0;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::vector<std::uint32_t> free_cursors_;
  std::vector<Loss> losses_;
  std::vector<std::uint32_t> free_losses_;
  std::uint64_t limit_ns_ = 0;    // events below it are complete
  std::uint64_t walk_begin_ = 0;  // the walk's range, within the section
  std::uint64_t walk_end_ = 0;
  bool following_ = false;
  bool out_of_blocks_ = false;  // for now
  bool walk_ended_ = false;
  bool at_end_ = false;
  bool has_end_block_ = false;
  std::optional<std::uint64_t> next_section_;
  bool stopped_ = false;  // by a critical block of unknown type, or another section's header
  Item current_;
  bool has_current_ = false;
  EventKey rival_;  // see find_rival()
};

}  // namespace ringside::trace
