// Makes a trace of what a segment still holds: of a service that runs, was killed, or left only a
// copy of its segment, whether a consumerd ever ran or not. The segment is not changed, and a
// consumerd that drains it meanwhile is not disturbed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::tool {

// What can be said of one thread beside its records.
struct SalvagedThread {
  std::uint32_t ring = 0;
  std::uint32_t thread_id = 0;
  std::string thread_name;
  bool ended = false;
  std::uint64_t drained = 0;  // numbers before the first record here: a consumer took them, or lost
  std::uint64_t records = 0;
  std::uint64_t overwritten = 0;  // part of `dropped`
  std::uint64_t dropped = 0;      // told in the stream, those behind the last record included
  // The last committed record, if there is one here.
  std::optional<std::uint64_t> last_sequence;
  std::uint64_t last_unix_ns = 0;
  // Behind it a record was begun and not committed; its site, if the head tells a known one.
  bool unfinished = false;
  std::string unfinished_site;
  // Not empty: why what follows `records` cannot be decoded, and how much that is.
  std::string damage;
  std::uint64_t lost_bytes = 0;
};

struct SalvagedSegment {
  std::vector<std::byte> trace;  // one section with an END, as in a trace file
  std::vector<SalvagedThread> threads;
  std::vector<std::string> notes;  // damage of the segment itself
  std::uint64_t losses_without_ring = 0;
  std::uint64_t overwritten_streams_lost = 0;

  bool damaged() const;
  // One line for each thread and note; times in UTC or local.
  std::vector<std::string> lines(bool utc) const;
};

// Empty with `*why` (with path, offset and remedy) if `path` is no segment that can be read.
std::optional<SalvagedSegment> salvage_segment(const std::string& path, std::string* why);

}  // namespace ringside::tool
