#pragma once
// Whether trace files are what their writers meant: all findings, and what there is in sum.

#include <cstdint>
#include <functional>
#include <string>

#include "tools/section_check.hpp"
#include "trace-format/read_report.hpp"
#include "trace-format/trace_file.hpp"

namespace ringside::tool {

struct Finding {
  std::string file;
  std::uint64_t offset = 0;  // of the unpacked bytes
  std::string what;
};

struct VerifiedCounts {
  std::uint64_t files = 0;
  std::uint64_t sections = 0;
  std::uint64_t sections_without_end = 0;  // normal for a file that grows or a killed writer
  std::uint64_t blocks = 0;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  // told by extents
  std::uint64_t missing = 0;  // gaps in sequence numbers that nobody told of
  std::uint64_t damaged_bytes = 0;
  std::uint64_t damaged_frames = 0;    // of packed files
  std::uint64_t unfinished_bytes = 0;  // of a last block that the file ends in: no finding
  std::uint64_t findings = 0;

  VerifiedCounts& operator+=(const VerifiedCounts& other);
};

// Files of one service in the order of their rotation: sequence numbers go on from one to the next.
class TraceVerification {
 public:
  // `tell` gets each finding at once.
  explicit TraceVerification(std::function<void(const Finding&)> tell) : tell_(std::move(tell)) {}

  // Reads all of `file`. Neither blocks nor findings: nothing in it is a Ringside trace.
  VerifiedCounts check(trace::TraceFile& file);

 private:
  std::function<void(const Finding&)> tell_;
  StreamNumbers numbers_;
};

}  // namespace ringside::tool
