// The records of one extent in the order of time, with the next one always available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace-format/blocks/tick_clock.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/decoded_extent.hpp"
#include "trace-format/reader/event_key.hpp"
#include "trace-format/reader/time_slice.hpp"

namespace ringside::trace {

// Reusable: a reader keeps finished cursors and their memory.
class ExtentCursor {
 public:
  // Takes ownership of the payload. Returns false with `*why` if the extent is invalid. at_end() is
  // true if it is empty or has nothing that the choice (null: all) selects. `sites` and `clocks`
  // must outlive the use.
  bool open(std::vector<std::byte> payload, const SiteTable& sites, const ClockMap& clocks,
            std::shared_ptr<SiteChoice> choice, std::string* why);
  bool open(std::unique_ptr<DecodedExtent> decoded, std::string* why);

  // Releases the payload.
  void close();

  bool at_end() const { return at_end_; }
  // Null, or why decoding ended before the last record; valid at_end().
  const char* failure() const { return decoded_ ? decoded_->failure() : decoder_.failure(); }
  std::uint64_t missing_records() const;

  const EventKey& key() const { return key_; }
  const Record& record() const { return record_; }
  void advance();

  // Moves the present record and those that follow it up to `last_ns` to the slice, as far as it
  // has room. A record that is older than its predecessor gets its predecessor's place in time, as
  // in a merge. Returns the time at which the new present record is ordered.
  std::uint64_t move_to(TimeSlice& slice, std::uint64_t last_ns);

  // Prefetches the memory that move_to() will need: first of the cursor, then of the objects that
  // it refers to.
  void prefetch() const {
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < kHotBytes; i += kLine) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + i);
    }
  }
  void prefetch_records() const { decoder_.prefetch(); }

  // The memory of the texts and contexts of this extent's records.
  struct Memory {
    std::vector<std::byte> payload;
    RecordContexts contexts;
  };
  // Close the cursor afterwards.
  Memory take_memory() {
    if (decoded_) return {decoded_->take_payload(), decoded_->take_contexts()};
    return {std::move(payload_), decoder_.take_contexts()};
  }

 private:
  static constexpr std::size_t kHotBytes = 512;

  // A record of an unordered extent, kept until its turn.
  struct Kept {
    EventKey key;
    Record record;           // args: not set
    std::size_t values = 0;  // where its values begin in values_
    std::size_t value_count = 0;
  };

  void advance_rarely();
  void fill();
  void show_kept();

  // The members that each record needs come first and together.
  EventKey key_;
  bool at_end_ = true;
  bool unordered_ = false;
  bool streams_ = true;  // records come from the decoder one by one
  Record record_;
  TickClock clock_;
  ExtentDecoder decoder_;
  std::vector<std::byte> payload_;
  std::shared_ptr<SiteChoice> choice_;
  std::unique_ptr<DecodedExtent> decoded_;
  std::vector<Kept> kept_;
  std::vector<Value> values_;
  std::size_t next_kept_ = 0;
};

}  // namespace ringside::trace
