// The records of one extent in the order of time, the next one always at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace-format/decoded_extent.hpp"
#include "trace-format/event_key.hpp"
#include "trace-format/extent_decoder.hpp"
#include "trace-format/tick_clock.hpp"
#include "trace-format/time_slice.hpp"

namespace ringside::trace {

// Reusable: a reader keeps the cursors that it is done with and their memory.
class ExtentCursor {
 public:
  // Owns the payload from now on. False with `*why` if the extent is not sound; if it is empty, or
  // has nothing that the choice (null: all) asks for, at_end() says so. `sites` and `clocks` must
  // outlive the use.
  bool open(std::vector<std::byte> payload, const SiteTable& sites, const ClockMap& clocks,
            std::shared_ptr<SiteChoice> choice, std::string* why);
  bool open(std::unique_ptr<DecodedExtent> decoded, std::string* why);

  // Gives up what the extent took.
  void close();

  bool at_end() const { return at_end_; }
  // Null, or why decoding ended before the last record; valid at_end().
  const char* failure() const { return decoded_ ? decoded_->failure() : decoder_.failure(); }
  std::uint64_t missing_records() const;

  const EventKey& key() const { return key_; }
  const Record& record() const { return record_; }
  void advance();

  // Puts the present record and those that follow it up to `last_ns` into the slice, as far as it
  // has room. A record that is older than the one before takes that one's place in time, as it does
  // when it is waited for. Returns the time that the record which is then at hand counts by.
  std::uint64_t move_to(TimeSlice& slice, std::uint64_t last_ns);

  // Asks the processor for what move_to() is going to need: first of the cursor, then of what that
  // refers to.
  void prefetch() const {
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < kHotBytes; i += kLine) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + i);
    }
  }
  void prefetch_records() const { decoder_.prefetch(); }

  // What the texts of this extent's records lie in. The cursor is to be closed then.
  std::vector<std::byte> take_payload() {
    return decoded_ ? decoded_->take_payload() : std::move(payload_);
  }

 private:
  static constexpr std::size_t kHotBytes = 512;

  // A record of an unordered extent, kept until its turn.
  struct Kept {
    EventKey key;
    Record record;           // args: not set
    std::size_t values = 0;  // where they begin in values_
    std::size_t value_count = 0;
  };

  void advance_rarely();
  void fill();
  void show_kept();

  // What each record needs comes first and together.
  EventKey key_;
  std::uint64_t next_sequence_ = 0;  // behind the last record that was decoded
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
