// The records of one extent in the order of time, the next one always at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace-format/decoded_extent.hpp"
#include "trace-format/event_key.hpp"
#include "trace-format/extent_decoder.hpp"
#include "trace-format/tick_clock.hpp"

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

 private:
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

  std::vector<std::byte> payload_;
  ExtentDecoder decoder_;
  TickClock clock_;
  EventKey key_;
  Record record_;
  std::shared_ptr<SiteChoice> choice_;
  std::uint64_t next_sequence_ = 0;  // behind the last record that was decoded
  bool at_end_ = true;
  bool unordered_ = false;
  bool streams_ = true;  // records come from the decoder one by one
  std::unique_ptr<DecodedExtent> decoded_;
  std::vector<Kept> kept_;
  std::vector<Value> values_;
  std::size_t next_kept_ = 0;
};

}  // namespace ringside::trace
