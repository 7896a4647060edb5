// Creates a trace from the contents of a segment: of a service that runs, was killed, or left only
// a copy of its segment, whether or not a consumerd ever ran. The segment is not changed, and a
// consumerd that drains it at the same time is not disturbed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::tool {

// Information about one thread besides its records.
struct SalvagedThread {
  std::uint32_t ring = 0;
  std::uint32_t thread_id = 0;
  std::string thread_name;
  bool ended = false;
  std::uint64_t drained = 0;  // numbers before the first record here: taken by a consumer, or lost
  std::uint64_t records = 0;
  std::uint64_t overwritten = 0;  // part of `dropped`
  std::uint64_t dropped = 0;      // reported in the stream, including those after the last record
  // The last committed record, if the segment has one.
  std::optional<std::uint64_t> last_sequence;
  std::uint64_t last_unix_ns = 0;
  // After it, a record was begun and not committed; its site, if the head contains a known one.
  bool unfinished = false;
  std::string unfinished_site;
  // Not empty: why the data after `records` cannot be decoded, and its length.
  std::string damage;
  std::uint64_t lost_bytes = 0;
};

class SegmentImage;

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

// Empty with `*why` (with path, offset and remedy) if `path` is not a readable segment.
std::optional<SalvagedSegment> salvage_segment(const std::string& path, std::string* why);
// `only_new`: without what snapshots of a flight recorder have.
SalvagedSegment salvage_segment(SegmentImage& image, bool only_new);

}  // namespace ringside::tool
