#pragma once
// Sizes, durations and groups in the form used on a command line.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace ringside::consumer {

// A number of bytes, or of K, M or G (powers of 1024). Nothing for any other text, and for 0.
std::optional<std::uint64_t> parse_size(std::string_view text);

// A number with s, m or h. Nothing for any other text, for 0, and for more than a year.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

// A number with ms, s or m: at least 1 ms and at most an hour.
std::optional<std::chrono::milliseconds> parse_sync_interval(std::string_view text);

// A count: 1 or more.
std::optional<std::uint64_t> parse_count(std::string_view text);

// A group of /etc/group, or a number: what the library accepts as RINGSIDE_GROUP.
std::optional<gid_t> group_number(std::string_view text);

}  // namespace ringside::consumer
