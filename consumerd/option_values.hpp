#pragma once
// Sizes and durations as one writes them on a command line.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::consumer {

// A number of bytes, or of K, M or G (powers of 1024). Nothing for anything else, 0 included.
std::optional<std::uint64_t> parse_size(std::string_view text);

// A number of s, m or h. Nothing for anything else, 0 and more than a year included.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

// How many of something: 1 or more.
std::optional<std::uint64_t> parse_count(std::string_view text);

}  // namespace ringside::consumer
