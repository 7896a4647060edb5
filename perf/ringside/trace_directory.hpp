#pragma once
// What consumerd has written into a directory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::perf {

std::vector<std::string> trace_files(const std::string& directory);

// The total of all trace files.
std::uint64_t trace_bytes(const std::string& directory);

// Number of records in all trace files according to the headers of their extents; the checksum of
// every block is checked. Empty if a block is damaged, or if an extent reports dropped records.
std::optional<std::uint64_t> count_records(const std::string& directory);

}  // namespace ringside::perf
