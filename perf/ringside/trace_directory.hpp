#pragma once
// What consumerd has put into a directory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::perf {

std::vector<std::string> trace_files(const std::string& directory);

// Of all trace files together.
std::uint64_t trace_bytes(const std::string& directory);

// Records in all trace files as their extents' headers say, every block's checksum checked. Empty
// if a block is damaged, or if an extent tells of dropped records.
std::optional<std::uint64_t> count_records(const std::string& directory);

}  // namespace ringside::perf
