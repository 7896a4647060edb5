#pragma once
// How far the streams of a segment were read, and what was sent of them.

#include <cstdint>
#include <map>

namespace ringside::fleet {

struct SentStream {
  std::uint64_t next = 0;     // number of the next record to be read
  std::uint64_t pending = 0;  // records directly before it that were left out, and not yet reported

  bool operator==(const SentStream&) const = default;
};

struct SentStreams {
  std::map<std::uint64_t, SentStream> by_stream;
  // Whether an extent was sent since the last sequence point that was.
  bool has_moved = false;

  bool operator==(const SentStreams&) const = default;
};

}  // namespace ringside::fleet
