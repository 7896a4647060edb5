#pragma once
// How the trace of each process ends: the END block of its last section.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/read_report.hpp"

namespace ringside::tool {

using SegmentUuid = std::array<std::uint8_t, 16>;

enum class TraceEnd : std::uint8_t {
  kServiceEnded,   // consumerd saw that the process had ended
  kConsumerEnded,  // the process may have continued
  kRotated,        // the trace continues in another file
  kCut,            // by a tool
  kWritten,        // a consumerd writes the file: the process probably lives
  kMissing,        // the writer of the file was killed
};

// Of the newest section of each segment in `files`. False with `*error` if one cannot be read.
bool read_section_ends(std::span<const std::string> files, std::map<SegmentUuid, TraceEnd>* ends,
                       trace::ReadError* error);

}  // namespace ringside::tool
