// The records of one extent in the order of time, the next one always at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace-format/event_key.hpp"
#include "trace-format/extent_decoder.hpp"
#include "trace-format/tick_clock.hpp"

namespace ringside::trace {

// Reusable: a reader keeps the cursors that it is done with and their memory.
class ExtentCursor {
 public:
  // Owns the payload from now on. False with `*why` if the extent is not sound; if it is empty,
  // at_end() says so. `sites` and `clocks` must outlive the use.
  bool open(std::vector<std::byte> payload, const SiteTable& sites, const ClockMap& clocks,
            std::string* why);

  bool at_end() const { return at_end_; }
  // Null, or why decoding ended before the last record; valid at_end().
  const char* failure() const { return decoder_.failure(); }
  std::uint64_t missing_records() const { return decoder_.header().records - delivered_; }

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

  void fill();
  void show_kept();

  std::vector<std::byte> payload_;
  ExtentDecoder decoder_;
  TickClock clock_;
  EventKey key_;
  Record record_;
  std::uint64_t delivered_ = 0;
  bool at_end_ = true;
  bool unordered_ = false;
  std::vector<Kept> kept_;
  std::vector<Value> values_;
  std::size_t next_kept_ = 0;
};

}  // namespace ringside::trace
