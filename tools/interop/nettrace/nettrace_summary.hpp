#pragma once
// The statistics of a NetTrace file as JSON and as text.

#include <cstdint>
#include <string>

#include "tools/interop/nettrace/nettrace_statistics.hpp"
#include "tools/interop/output_bytes.hpp"

namespace ringside::tool::nettrace {

struct FileFacts {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
  bool ended_with_null_reference = false;
  std::uint64_t trailing_bytes = 0;
  std::string error;  // why reading ended early, or empty
};

// Schema nettrace-summary-1. Consumes the visitor's digests and lines.
void put_summary_json(const FileFacts& file, StatisticsVisitor& visitor, OutputBytes& output);

void put_summary_text(const FileFacts& file, const Statistics& statistics, OutputBytes& output);

// "2024-02-29T12:34:56.789Z": the fields as they are, even if there is no such time.
std::string sync_time_text(const TraceFacts& trace);

}  // namespace ringside::tool::nettrace
