#pragma once
// What messages of a section repeat of earlier ones, so that each can be decoded with its
// dictionary alone.

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "tools/fleet/extent_message.hpp"

namespace ringside::fleet {

// Of one section. Blocks are whole. Not thread-safe.
class RepeatedBlocks {
 public:
  void add_header(Bytes block) { header_ = std::move(block); }
  void add_clock(Bytes block);
  // A later block of a stream replaces an earlier one.
  void add_stream(std::uint64_t stream, Bytes block) { streams_[stream] = std::move(block); }

  // The blocks of the message follow. Not for one that begins with the section's HEADER.
  void begin(ExtentMessage& message);
  // The message has its blocks: adds what they need.
  void complete(ExtentMessage& message) const;

 private:
  void repeat_clocks(ExtentMessage& message) const;
  void repeat_streams(ExtentMessage& message) const;

  Bytes header_;
  std::deque<Bytes> clocks_;         // the last ones
  std::uint64_t clocks_seen_ = 0;    // of the section until now
  std::uint64_t clocks_before_ = 0;  // of these, before the message
  std::map<std::uint64_t, Bytes> streams_;
};

}  // namespace ringside::fleet
