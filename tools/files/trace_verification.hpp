#pragma once
// Checks whether trace files are complete and consistent: all findings, and a summary.

#include <cstdint>
#include <functional>
#include <string>

#include "tools/files/section_check.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/trace_file.hpp"

namespace ringside::tool {

struct Finding {
  std::string file;
  std::uint64_t offset = 0;  // in the unpacked bytes
  std::string what;
};

struct VerifiedCounts {
  std::uint64_t files = 0;
  std::uint64_t sections = 0;
  std::uint64_t sections_without_end = 0;  // normal for a file that grows, or after a killed writer
  std::uint64_t blocks = 0;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  // reported by extents
  std::uint64_t not_selected = 0;
  std::uint64_t missing = 0;  // gaps in sequence numbers that no block reports
  std::uint64_t gaps = 0;     // findings that report these
  std::uint64_t damaged_bytes = 0;
  std::uint64_t damaged_frames = 0;    // of packed files
  std::uint64_t unfinished_bytes = 0;  // of an incomplete last block: not a finding
  std::uint64_t findings = 0;

  // All blocks are valid. Records may be missing: repair cannot restore them.
  bool is_sound() const { return findings == gaps; }

  VerifiedCounts& operator+=(const VerifiedCounts& other);
};

// Checks files of one service in the order of their rotation: sequence numbers continue from one to
// the next.
class TraceVerification {
 public:
  // `tell` gets each finding at once.
  explicit TraceVerification(std::function<void(const Finding&)> tell) : tell_(std::move(tell)) {}

  // Reads all of `file`. If there are neither blocks nor findings, it does not contain a Ringside
  // trace.
  VerifiedCounts check(trace::TraceFile& file);

 private:
  std::function<void(const Finding&)> tell_;
  StreamNumbers numbers_;
};

}  // namespace ringside::tool
