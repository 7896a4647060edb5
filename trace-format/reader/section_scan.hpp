// A first scan of a trace file, by its indices or else by its block headers: the positions of its
// sections, the time that they cover, and the extents that follow a sequence point that they belong
// before.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

struct LateExtent {
  std::uint64_t min_tsc = 0;
  std::uint64_t offset = 0;
};

// A SEQUENCE_POINT block.
struct TimePoint {
  std::uint64_t offset = 0;
  std::uint64_t watermark = 0;
  std::uint64_t max_tsc_before = 0;  // of all extents before it
};

struct SectionScan {
  static constexpr std::uint64_t kNoTsc = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::shared_ptr<SegmentInfo> segment;
  // never empty: without a valid CLOCK block it has the header's clock, or ticks as ns
  ClockMap clocks;
  std::vector<LateExtent> late;         // by rising min_tsc
  std::vector<std::uint64_t> metadata;  // rising offsets of CLOCK, DICTIONARY and STREAM blocks
  std::vector<TimePoint> points;        // by rising offset; not necessarily all
  std::uint64_t min_tsc = kNoTsc;   // no extent's record or loss is older, if headers are correct
  std::uint64_t max_tsc = 0;        // nor newer; kNoTsc and 0 without extents
  std::uint64_t first_unix_ns = 0;  // no record or loss of any block is older
  bool ended = false;               // has an END block
  bool indexed = false;             // all members come from an INDEX block
};

// The sections of `file` that this version can read, in order. A section whose HEADER is lost
// counts as a section of an unknown segment. Sections that need newer readers go to the report's
// notes.
std::vector<SectionScan> scan_sections(TraceFile& file, ReadReport& report);

// The same for the sections from `begin`, which is preceded by complete sections.
std::vector<SectionScan> scan_sections_from(TraceFile& file, std::uint64_t begin,
                                            ReadReport& report);

// Decided by its first bytes, if it has any; a writer may have allocated some.
bool may_begin_a_trace(TraceFile& file);

// Replaces the index's data with those from the blocks' headers.
void rescan_section(TraceFile& file, SectionScan& section, ReadReport& report);

// False if HEADER requires a newer reader.
bool can_read(const SectionHeader& header);
std::shared_ptr<SegmentInfo> segment_of(const SectionHeader& header, const std::string& file);

}  // namespace ringside::trace
