// The events of one section in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "trace-format/block_reader.hpp"
#include "trace-format/event_key.hpp"
#include "trace-format/extent_cursor.hpp"
#include "trace-format/section_scan.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::trace {

// Reads the section block by block up to a sequence point, takes in the late extents from further
// on that belong before its watermark, delivers what is older than the watermark, and goes on.
// Extents wait undecoded until their first record's turn.
class SectionReader {
 public:
  // `report` must outlive the reader.
  SectionReader(std::shared_ptr<TraceFile> file, SectionScan scan, ReadReport& report);

  // Goes to the next event; false at the end. What the event before referred to is void.
  bool next();

  const EventKey& key() const { return current_.key; }
  void get(Event& event);  // the present event

 private:
  enum class ItemKind : std::uint8_t { kLoss, kWaiting, kOpen };
  // Something whose next event has this key (waiting extents: no event is older, as far as the
  // extent's header tells).
  struct Item {
    EventKey key;
    ItemKind kind = ItemKind::kLoss;
    std::uint32_t slot = 0;
    ExtentCursor* cursor = nullptr;  // of an open extent, like the stream
    const StreamInfo* stream = nullptr;
  };
  struct Waiting {
    std::uint64_t offset = 0;
    ExtentHeader header;
    std::vector<std::byte> payload;  // empty: to be read again
  };
  struct Loss {
    std::uint64_t tsc = 0;
    std::uint64_t stream_id = 0;
    std::uint64_t first_sequence = 0;
    std::uint64_t count = 0;
    LossCause cause = LossCause::kUnknown;
  };

  void load_metadata();
  bool read_to_sequence_point();
  void take_block(const Block& block, bool first_time);
  void take_extent(const Block& block);
  void take_late(std::uint64_t watermark);
  void wait_for(const Block& block, const ExtentHeader& header);
  void check_gap(const ExtentHeader& header);
  void check_positions(const Block& block, std::uint64_t watermark);
  void expect(std::uint64_t stream_id, std::uint64_t sequence, std::uint64_t tsc);
  void add_loss(const Loss& loss);
  bool find_next();
  void find_rival();
  void open_waiting(std::uint32_t slot);
  void close_cursor(std::uint32_t slot);
  static void push(std::vector<Item>& heap, const Item& item);
  static Item pop(std::vector<Item>& heap);
  static void replace_front(std::vector<Item>& heap, Item& item);
  StreamInfo& stream(std::uint64_t id);
  void note(std::uint64_t offset, std::string what, std::string remedy);

  std::shared_ptr<TraceFile> file_;
  SectionScan scan_;
  ReadReport& report_;
  BlockReader blocks_;
  BlockReader far_blocks_;  // for blocks elsewhere, so that `blocks_` keeps its buffer
  SiteTable sites_;
  std::unordered_map<std::uint64_t, StreamInfo> streams_;
  std::unordered_map<std::uint64_t, std::uint64_t> expected_;  // next sequence number by stream
  std::size_t next_late_ = 0;
  std::set<std::uint64_t> taken_early_;  // offsets of late extents that the walk will meet again
  std::vector<Item> waiting_heap_;  // losses and extents that are not open: many, seldom touched
  std::vector<Item> open_heap_;     // open extents: few, touched for each record
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_waiting_;
  std::vector<std::unique_ptr<ExtentCursor>> cursors_;
  std::vector<std::uint32_t> free_cursors_;
  std::vector<Loss> losses_;
  std::vector<std::uint32_t> free_losses_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t limit_ns_ = 0;  // events below it are complete
  bool at_end_ = false;
  bool has_end_block_ = false;
  bool stopped_ = false;  // a critical block of unknown type
  Item current_;
  bool has_current_ = false;
  EventKey rival_;  // see find_rival()
};

}  // namespace ringside::trace
